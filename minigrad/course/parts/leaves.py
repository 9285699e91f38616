"""Chapter 4: the parts of leaves, their hints, and the mistakes people make in them."""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.compat import checks
from minigrad.course.parts import Chapter, Mistakes, Part
from minigrad.course.program import Place
from minigrad.runtime import hooks

mistake = Mistakes()


# --- is_leaf -------------------------------------------------------------------------------------


@mistake(
    "is_leaf",
    "constants left out",
    "a leaf has to require grad; but everything without a `grad_fn` is a leaf, constants too",
)
def constants_left_out(tensor: Any) -> bool:
    return tensor.requires_grad and tensor.grad_fn is None


@mistake(
    "is_leaf",
    "the flag",
    "every tensor that requires grad is called a leaf; the result of an operation requires it too",
)
def the_flag(tensor: Any) -> bool:
    return tensor.requires_grad


@mistake(
    "is_leaf", "constants only", "only constants are called leaves; a tensor that you asked to require grad is one too"
)
def constants_only(tensor: Any) -> bool:
    return not tensor.requires_grad


@mistake("is_leaf", "upside down", "the tensors with a `grad_fn` are called leaves: they are the ones that are not")
def upside_down(tensor: Any) -> bool:
    return tensor.grad_fn is not None


# --- accumulate_again ----------------------------------------------------------------------------


@mistake(
    "accumulate_again",
    "a new sum",
    "each sum is a new tensor, as in chapter 1: a name that somebody gave to `.grad` never sees it",
)
def new_sum(tensor: Any, grad: Any) -> None:
    tensor.grad = grad.clone() if tensor.grad is None else tensor.grad + grad


@mistake(
    "accumulate_again",
    "not its own",
    "the leaf keeps the very tensor that arrived first, and adds to it: whoever shares that memory is changed too",
)
def not_its_own(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@mistake("accumulate_again", "overwrites", "the second backward overwrites `.grad` instead of adding to it")
def overwrites(tensor: Any, grad: Any) -> None:
    tensor.grad = grad.clone()


@mistake(
    "accumulate_again", "copied over", "the old gradient is overwritten in place: the right tensor, but not the sum"
)
def copied_over(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad.clone()
    else:
        tensor.grad.copy_(grad)


# --- retain_grad ---------------------------------------------------------------------------------


def demand_grad(tensor: Any) -> None:
    """The error for a constant, which most of the wrong versions have right."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


@mistake(
    "retain_grad",
    "leaves too",
    "a leaf is asked as well: it keeps its gradient anyway, and now what arrives is counted twice",
)
def leaves_too(tensor: Any) -> None:
    demand_grad(tensor)
    hooks.keep(tensor)


@mistake("retain_grad", "constants too", "a constant is asked without an error, though no gradient will ever reach it")
def constants_too(tensor: Any) -> None:
    if not tensor.is_leaf:
        hooks.keep(tensor)


@mistake(
    "retain_grad",
    "leaves refused",
    "a leaf that requires grad gets the error of a constant; it keeps its gradient already, so there is nothing to do",
)
def leaves_refused(tensor: Any) -> None:
    if tensor.is_leaf:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    hooks.keep(tensor)


@mistake(
    "retain_grad",
    "by a hook",
    "a hook of its own keeps the gradient: it sees it before the hooks that are registered later have had their turn",
)
def by_a_hook(tensor: Any) -> None:
    demand_grad(tensor)
    if not tensor.is_leaf:
        tensor.register_hook(lambda grad: setattr(tensor, "grad", grad))


@mistake("retain_grad", "does nothing", "nothing is asked to keep anything: a result forgets its gradient")
def does_nothing(tensor: Any) -> None:
    demand_grad(tensor)


# --- detach --------------------------------------------------------------------------------------


@mistake("detach", "a copy", "the numbers are copied: a change of the detached tensor does not reach the original")
def a_copy(tensor: Any) -> Any:
    return tensor.data.clone()


@mistake(
    "detach",
    "as data",
    "the count of changes is not shared, as with `.data`: a change of a saved value goes unnoticed, and the gradient "
    "is silently wrong",
)
def as_data(tensor: Any) -> Any:
    return tensor.data


@mistake(
    "detach",
    "no list yet",
    "`tensor._counter` is taken while it is still None: the two then make lists of their own, and a change through one "
    "goes unnoticed by the other; `leaf.counter(tensor)` makes the list first",
)
def no_list_yet(tensor: Any) -> Any:
    constant = tensor.data
    constant._counter = tensor._counter
    return constant


@mistake("detach", "a clone", "a clone is given back: it has memory of its own, and it is still in the graph")
def a_clone(tensor: Any) -> Any:
    return tensor.clone()


@mistake("detach", "the tensor itself", "the tensor itself is given back: it is still in the graph")
def the_tensor_itself(tensor: Any) -> Any:
    return tensor


@mistake("detach", "cuts the original", "the tensor itself is cut from the graph; it has to stay as it is")
def cuts_the_original(tensor: Any) -> Any:
    return tensor.detach_()


# --- no_grad -------------------------------------------------------------------------------------


class SwitchesOff(leaf.Block):
    """What most of the wrong versions of no_grad share: the beginning."""

    before = True

    def __enter__(self) -> None:
        self.before = leaf.recording
        leaf.recording = False


@mistake(
    "no_grad",
    "switches on",
    "the end of a block switches recording on, whatever it was before: an inner block ends the outer one",
)
class SwitchesOn(SwitchesOff):
    def __exit__(self, *error: Any) -> None:
        leaf.recording = True


@mistake("no_grad", "never ends", "recording stays off after the block")
class NeverEnds(SwitchesOff):
    def __exit__(self, *error: Any) -> None:
        pass


@mistake(
    "no_grad", "swallows errors", "`__exit__` returns something true, and Python drops the error that ended the block"
)
class SwallowsErrors(SwitchesOff):
    def __exit__(self, *error: Any) -> bool:
        leaf.recording = self.before
        return True


@mistake("no_grad", "forgets after an error", "recording comes back only after a block without an error")
class ForgetsAfterAnError(SwitchesOff):
    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            leaf.recording = self.before


@mistake(
    "no_grad",
    "another variable",
    "nothing is switched off: `recording = False` makes a variable of your own; the engine looks at `leaf.recording`",
)
class AnotherVariable(leaf.Block):
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


# --- check_versions ------------------------------------------------------------------------------


@mistake("check_versions", "never", "no error is raised: the gradient is computed with the changed value, and is wrong")
def never(node: Any) -> None:
    pass


@mistake(
    "check_versions",
    "any change",
    "any change is an error, even one from before the value was saved; it is the version at that time that counts",
)
def any_change(node: Any) -> None:
    for place, value in enumerate(node.saved):
        if leaf.version(value):
            raise checks.changed_since(node, place)


@mistake("check_versions", "first only", "only the first saved value is looked at")
def first_only(node: Any) -> None:
    if leaf.version(node.saved[0]) != leaf.expected_versions(node)[0]:
        raise checks.changed_since(node, 0)


# --- free ----------------------------------------------------------------------------------------


@mistake("free", "always", "the saved values are freed even where `retain_graph` asks to keep them")
def always(node: Any, retain_graph: bool) -> None:
    if node.saved:
        node.saved = None


@mistake("free", "nothing saved", "a node that saved nothing refuses a second backward too; it has nothing to miss")
def nothing_saved(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = None


@mistake(
    "free",
    "everything",
    "`node.saved` is set to None for every node, though some must stay as they are: those that saved nothing, and all "
    "of them where `retain_graph` asks for it",
)
def everything(node: Any, retain_graph: bool) -> None:
    node.saved = None


@mistake("free", "never", "nothing is freed: every second backward works, and the memory is never given back")
def never_freed(node: Any, retain_graph: bool) -> None:
    pass


@mistake(
    "free",
    "an empty tuple",
    "`node.saved` becomes an empty tuple; that says that nothing was saved, None that it is gone",
)
def an_empty_tuple(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = ()


@mistake(
    "free", "upside down", "the saved values are freed when `retain_graph` asks to keep them, and kept when it does not"
)
def freed_if_retained(node: Any, retain_graph: bool) -> None:
    if node.saved and retain_graph:
        node.saved = None


# --- copy_slices ---------------------------------------------------------------------------------


@mistake(
    "copy_slices",
    "the old keeps it",
    "the overwritten entries keep their gradient, as if they still had a part in the result",
)
def old_keeps_it(whole: Any, part: Any, inner: Any) -> list:
    _old, *written = inner(part.copy())
    return [whole, *written]


@mistake(
    "copy_slices",
    "no copy",
    "`inner` is given `part` itself: it hands the same memory on to what was written, and the next line writes into it",
)
def no_copy(whole: Any, part: Any, inner: Any) -> list:
    old, *written = inner(part)
    part[...] = old
    return [whole, *written]


@mistake(
    "copy_slices",
    "place for whole",
    "the changed place and the whole are mixed up: what goes to the old tensor has the shape of `whole`; and a single "
    "entry has no axis to slice, so write `part[...]`, not `part[:]`",
)
def place_for_whole(whole: Any, part: Any, inner: Any) -> list:
    return inner(part.copy())


@mistake("copy_slices", "all gone", "what was not overwritten loses its gradient as well")
def all_gone(whole: Any, part: Any, inner: Any) -> list:
    _old, *written = inner(part.copy())
    whole[...] = 0
    return [whole, *written]


@mistake("copy_slices", "always 0", "the old entries get 0 also where they were multiplied, not overwritten")
def always_zero(whole: Any, part: Any, inner: Any) -> list:
    _old, *written = inner(part.copy())
    part[...] = 0
    return [whole, *written]


@mistake("copy_slices", "nothing for the value", "what was written gets no gradient")
def nothing_for_the_value(whole: Any, part: Any, inner: Any) -> list:
    old, *written = inner(part.copy())
    part[...] = old
    return [whole, *[None for _ in written]]


# --- descend -------------------------------------------------------------------------------------


@mistake(
    "descend",
    "a new tensor",
    "`w = w - …` makes a new tensor with the same name; the leaf that everybody else knows has not moved",
)
def a_new_tensor(torch: Any, parameters: Any, lr: float) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            moved = parameter - lr * parameter.grad
            moved.grad = None


@mistake(
    "descend",
    "recorded",
    "the step is taken outside `no_grad`: a leaf that requires grad cannot be changed in place while operations are "
    "recorded",
)
def recorded(torch: Any, parameters: Any, lr: float) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            parameter -= lr * parameter.grad
            parameter.grad = None


@mistake("descend", "not forgotten", "the gradients are not forgotten: the next backward adds to them")
def not_forgotten(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad


@mistake(
    "descend",
    "zeros",
    "`.grad` is filled with zeros; forgotten means None, so that a step can tell a zero gradient from none",
)
def zeros(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad
                parameter.grad.zero_()


@mistake("descend", "uphill", "the step goes uphill: the gradient points to where the loss grows")
def uphill(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter += lr * parameter.grad
                parameter.grad = None


@mistake(
    "descend",
    "unused",
    "`.grad` is None here, and None is no number: a parameter without a gradient has to be skipped, and a new tensor, "
    "such as `w.detach()`, has no `.grad` at all",
)
def unused(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            parameter -= lr * parameter.grad
            parameter.grad = None


# --- the chapter ---------------------------------------------------------------------------------

chapter = Chapter(
    number=4,
    name="04_leaves",
    together_points=3,
    parts=(
        Part(
            Place("is_leaf", "engine", "is_leaf", "minigrad.leaf"),
            points=1,
            minutes=3,
            difficulty=1,
            hints=(
                "Lesson 4 has the table. Which column is it that always agrees with `is_leaf`?",
                "A constant is a leaf too, so `requires_grad` cannot decide. `grad_fn` does.",
                "A leaf is a tensor whose `grad_fn` is None.",
            ),
            mistakes=mistake.of("is_leaf"),
        ),
        Part(
            Place("accumulate_again", "engine", "accumulate", "minigrad.leaf"),
            points=2,
            minutes=6,
            difficulty=1,
            hints=(
                "Two cases: nothing is kept yet, or something is.",
                "The first time, keep a copy: `grad.clone()` has memory of its own.",
                "Later, `tensor.grad += grad` changes the tensor that is there. `tensor.grad = tensor.grad + grad` "
                "puts a new one in its place.",
            ),
            mistakes=mistake.of("accumulate_again"),
        ),
        Part(
            Place("retain_grad", "engine", "retain_grad", "minigrad.leaf"),
            points=2,
            minutes=5,
            difficulty=1,
            hints=(
                "`tensor.requires_grad` and `tensor.is_leaf` tell the three cases apart.",
                "The constant gets the error. The leaf keeps its gradient anyway, so there is nothing to do. The "
                "result is the one to call `hooks.keep` for.",
            ),
            mistakes=mistake.of("retain_grad"),
        ),
        Part(
            Place("detach", "engine", "detach", "minigrad.leaf"),
            points=2,
            minutes=6,
            difficulty=2,
            hints=(
                "Begin with `tensor.data`. What does it not share with the tensor?",
                "Put the tensor's list into the new one's `_counter`, and return the new one.",
                "`constant._counter = leaf.counter(tensor)`, where `constant` is `tensor.data`.",
            ),
            mistakes=mistake.of("detach"),
        ),
        Part(
            Place("no_grad", "engine", "no_grad", "minigrad.leaf"),
            points=2,
            minutes=7,
            difficulty=2,
            hints=(
                "`leaf.recording = False` switches it off. But what was it before?",
                "Keep the old state on `self` in `__enter__`, and put it back in `__exit__`.",
                "`__exit__` puts back `self.before`, with or without an error, and returns nothing.",
            ),
            mistakes=mistake.of("no_grad"),
            twins=(
                "minigrad.runtime.grad_mode:set_grad_enabled.__exit__",
                "minigrad.runtime.grad_mode:enable_grad.__exit__",
            ),
        ),
        Part(
            Place("check_versions", "engine", "check_versions", "minigrad.leaf"),
            points=3,
            minutes=8,
            difficulty=2,
            hints=(
                "Go through the saved values and what is expected of them side by side; you need the place as well.",
                "`for place, expected in enumerate(leaf.expected_versions(node)):` and then compare with "
                "`leaf.version(node.saved[place])`.",
                "If the two differ: `raise checks.changed_since(node, place)`.",
            ),
            mistakes=mistake.of("check_versions"),
        ),
        Part(
            Place("free", "engine", "free", "minigrad.leaf"),
            points=2,
            minutes=6,
            difficulty=2,
            hints=(
                "When may the saved values go? `retain_graph` says when not.",
                "A node with `node.saved == ()` has nothing to free: leave it as it is.",
                "`if node.saved and not retain_graph:` and then one line.",
            ),
            mistakes=mistake.of("free"),
        ),
        Part(
            Place("copy_slices", "engine", "copy_slices", "minigrad.leaf"),
            points=3,
            minutes=10,
            difficulty=3,
            hints=(
                "First ask `inner` what the change makes of the gradient at the changed place: a copy of `part`.",
                "`old, *written = inner(part.copy())`. Now `old` belongs where `part` is.",
                "`part[...] = old` writes it into `whole`. Return `[whole, *written]`.",
            ),
            mistakes=mistake.of("copy_slices"),
        ),
        Part(
            Place("descend", "program", "descend"),
            points=2,
            minutes=8,
            difficulty=2,
            hints=(
                "`w = w - …` makes another tensor and gives it the name `w`. Who outside the function knows that one?",
                "`w -= …` changes the tensor that is there. A leaf allows that only while nothing is recorded.",
                "Put the loop into `with torch.no_grad():`, and write `w -= lr * w.grad`. Then `w.grad = None` forgets "
                "the gradient of the right tensor.",
            ),
            mistakes=mistake.of("descend"),
        ),
    ),
)
