"""Explain an error of autograd with the lines of the program: which tensor, made, saved, changed or freed where.

`Watch` has noted what happened; the error's traceback still holds the tensor or node at fault. Whatever a sentence
says here was seen to happen: a name is used only for the very tensor that it stands for.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minigrad import leaf
from minigrad.compat import checks, messages
from minigrad.course import cuts
from minigrad.course.case import Case, Explanation, code, where
from minigrad.course.naming import LONG, counted, started_from
from minigrad.course.places import Place
from minigrad.course.watching import Change, Pass, Story
from minigrad.tensor import Tensor, constant

# --- the seed ------------------------------------------------------------------------------------


def needs_scalar(case: Case) -> Explanation | None:
    """`grad can be implicitly created only for scalar outputs`."""
    output = case.local("seed_rule", "output")
    if output is None:
        return None
    name, asks = case.name(output), case.sources.expression(case.here)
    within = isinstance(asks, ast.Call) and "grad" in case.sources.said(asks.func).split(".")
    start = started_from(asks, within)  # in the program's own words, where the tensor has no name
    short, whole = (
        code(name, case.sources.said(each).removesuffix(".T")) for each in (start, ast.Attribute(start, "T"))
    )
    if within:
        call, ones = "torch.autograd.grad({}, …{})", f", grad_outputs=torch.ones_like({short})"
        total, each = call.format(f"{whole}.sum()", ""), call.format(short, ones)
    else:
        total, each = f"{whole}.sum().backward()", f"{whole}.backward(torch.ones_like({short}))"
    count = f"{counted(output.numel(), 'element')} (shape {list(output.shape)})"
    return Explanation(
        f"{name} has {counted(output.numel(), 'element')}. backward() can start from a single number; of several, you "
        "have to say how much each one counts.",
        [
            (case.seen.story(output).place, f"makes {name}, with {count}."),
            (case.here, "asks for gradients, without saying how much each element counts."),
        ],
        [
            f"Make one number of it first: `{total}`, or `{whole}.mean()`.",
            f"Or say how much each element counts: `{each}` gives the same gradients as the sum.",
        ],
    )


def seed_shape(case: Case) -> Explanation | None:
    """`Mismatch in shape: grad_output[0] has a shape of …`."""
    output, gradient = case.local("seed_rule", "output"), case.local("seed_rule", "gradient")
    if output is None or gradient is None:
        return None
    name, given, have, want = case.name(output), case.name(gradient), list(gradient.shape), list(output.shape)
    short, new = code(name, "y"), code(given, "v")
    if checks.comes_from(have, want):
        mended = f"`{short}.backward({new}.expand_as({short}))` uses the same numbers for each row."
    elif want[: len(have)] == have:
        axes = ", ".join(["..."] + ["None"] * (len(want) - len(have)))
        mended = (
            f"`{short}.backward({new}[{axes}].expand_as({short}))`, where `{new}` is what you pass, uses the first "
        )
        mended += "number for the first row, and so on."
    else:
        mended = f"Pass a tensor of shape {want}; `torch.ones_like({short})` has it."
    return Explanation(
        f"The gradient passed to backward() says how much each element of {name} counts, so it must have its shape, "
        f"{want}. It has {have}.",
        [
            case.made(output, f"makes {{}}, of shape {want}."),
            case.made(gradient, f"makes {{}}, of shape {have}."),
            (case.here, "passes one to the other."),
        ],
        [mended],
    )


# --- the graph changed under backward ------------------------------------------------------------


def changed(case: Case) -> Explanation | None:
    """`one of the variables needed for gradient computation has been modified by an inplace operation`."""
    node = case.local("check_versions", "node")
    if node is None:
        return None
    expected, now = case.local("check_versions", "expected"), case.local("check_versions", "now")
    roles = checks.roles(node)
    places = [place for place, each in enumerate(now) if each != expected[place]]
    which = min(places, key=lambda each: (roles[each] == "result", roles[each]))
    kept = node.saved[which]
    node_place, made = case.seen.nodes.get(node, (None, None))
    result = checks.is_result(kept)
    story = made if result and made is not None else case.seen.story(getattr(kept, "tensor", kept))
    owner = case.naming.owner(story)
    if story.inner:
        story = owner  # what the engine made of it is of no interest
    name, label = case.naming.name(story), node.name()
    view = owner is not story
    own = kept._counter
    changes = [each for each in getattr(own, "changes", ()) if each.version > expected[which]]
    if not changes:
        return None
    steps: list[tuple[Place | None, str]] = []
    if story.place and story.place != node_place:
        of = f", a view of {case.naming.name(owner)}" if view else ""
        steps.append((story.place, f"makes {case.naming.there(story)}{of}."))
    reason = "its derivative is computed from it" if result else "the derivative contains it"
    keeps = f"makes and keeps {case.naming.there(story)}" if result else f"keeps {name}"
    steps.append((node_place, f"{keeps} for the backward pass: {reason} ({label})."))
    change = changes[0]
    did, through = f"changes {name} in place", change.story
    if through and (through.inner or not case.naming.is_bound(through)):
        through = change.base or through  # a view without a name, as in `y[0] = 1`
    if through and through is not story:
        other = case.naming.name(through)
        if through is not owner and through.place != change.place:
            steps.append((through.place, f"makes {case.naming.there(through)}, which shares the memory of {name}."))
        if through.place != change.place:
            did = f"changes {other} in place, and with it {name}: a change of any part of their memory counts"
    later = [each for each in changes[1:] if each.place and change.place and each.place.line != change.place.line]
    steps.append((change.place, f"{did}{within(change.place)}."))
    steps += [(each.place, "changes it once more.") for each in later[:2]]
    steps.append((case.here, f"needs {name} as it was: {label} cannot be computed from the new numbers."))
    return Explanation(
        f"{name} was changed in place after {label} had kept it for the backward pass. The old numbers are gone, so "
        "this gradient cannot be computed.",
        steps,
        instead_of(case, change, story, node) if case.naming.is_bound(story) or not story.inner else [INSIDE],
    )


INSIDE = "A layer or function of torch changes it: look for `inplace=True`, and leave that out."


def within(place: Place | None) -> str:
    """In which function a place is, and where that was called."""
    if place is None or not place.function:
        return ""
    called = f", called on line {place.caller.line}" if place.caller else ""
    return f" (in {place.function}(){called})"


def instead_of(case: Case, change: Change, story: Story, node: Any) -> list[str]:
    """What to write instead of a change in place of a tensor that a node has kept."""
    place, sources, name = change.place, case.sources, case.naming.name(story)
    kept, short = case.seen.nodes.get(node, (None, None))[0], code(name, "x")
    copy = f"Or let it change a copy: `{short}.clone()` has the same numbers and the same gradient."
    if place is None:
        return [copy]
    changed, root = story.ref() if story.ref else None, case.local("walk", "root")
    if "step" in change.how or (not change.recorded and changed is not None and changed.requires_grad):
        before = case.seen.passes[-2] if len(case.seen.passes) > 1 else Pass(None, 0, None)
        carried = carry(case, root, before.number) if node.number < before.number < root.number else None
        if carried is not None and is_remade(case, carried, before.number):
            return [cut_off(code(case.naming.name(carried), "h"), before) + " Then `retain_graph=True` is not needed."]
        stale = [each for each in below(root) if is_stale(each)]
        again = from_first(case, stale, case.seen.nodes.get(root, (None, None))[1])
        return [
            f"Call every backward() that needs {name} before line {place.line}, which changes it.",
            f"Or compute {again} again after line {place.line}: the old graph belongs to the old numbers.",
        ]
    line, statement = f"line {place.line}", sources.statement(place)
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        target = sources.said(statement.target)
        new = ast.BinOp(statement.target, statement.op, statement.value)
        returned = f" and return {target}" if place.function else ""
        return [
            f"On {line} write `{target} = {ast.unparse(new)}`{returned}: that makes a new tensor, and the old one "
            "stays as it is.",
            copy,
        ]
    call = sources.expression(place)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        owner, plain = sources.said(call.func.value), call.func.attr.rstrip("_")
        if hasattr(Tensor, plain) and plain not in ("copy", "fill"):
            new_call = ast.Call(ast.Attribute(call.func.value, plain), call.args, call.keywords)
            new_name = owner if isinstance(call.func.value, ast.Name) else short
            return [f"On {line} write `{new_name} = {ast.unparse(new_call)}`, without the underscore.", copy]
    if isinstance(statement, (ast.Assign, ast.AugAssign)) and not isinstance(call, ast.Call):
        written = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if isinstance(written, ast.Subscript):
            owner = sources.said(written.value)
            if kept and kept.line == place.line:
                return [
                    f"On {line} read a copy: write `{name.strip('`')}.clone()` for {name}.",
                    "Or collect the results in a list, and make one tensor of it at the end, with `torch.stack`.",
                ]
            return [
                f"Before {line} write `{owner} = {owner}.clone()`: then the copy is changed.",
                "Or build the tensor in one go, with `torch.where`, `torch.stack` or `torch.cat`.",
            ]
    return [f"Let {line} make a new tensor instead of changing {name}.", copy]


def is_stale(node: Any) -> bool:
    """True if what a node had kept was freed, or changed in place since."""
    if type(node.saved) is not tuple:
        return node.saved is None
    return leaf.expected_versions(node) != tuple(map(leaf.version, node.saved))


def below(root: Any) -> Iterator[Any]:
    """A node, and every node that it leads to."""
    waiting, seen = [root], {root}
    while waiting:
        yield (node := waiting.pop())
        for target in node.edges:
            if target is not None and not isinstance(target, Tensor) and target not in seen:
                seen.add(target)
                waiting.append(target)


def from_first(case: Case, nodes: Iterable[Any], story: Story | None) -> str:
    """What has to be computed again to have none of these nodes: the tensor, if all are of its line, or more."""
    made = [(node.number, place) for node in nodes if (place := case.seen.nodes.get(node, (None, None))[0])]
    name = case.naming.name(story) if story else "the result"
    if not made or case.here is None:
        return name
    place = min(made, key=lambda each: each[0])[1]
    if place.caller and place.code is not case.here.code:
        place = place.caller
    if story and story.place and (story.place.code, story.place.line) == (place.code, place.line):
        return name
    line = case.sources.line(place)
    return f"everything from {where(place, case.here.file)} on (`{line[:LONG]}{'…' if line[LONG:] else ''}`)"


def cut_off(name: str, before: Pass) -> str:
    """Advice for a tensor that leads from one pass into the graph of an earlier one."""
    after = f"below line {before.place.line}" if before.place else "after that pass"
    return f"If the gradient should end there, cut it: write `{name} = {name}.detach()` {after}."


def overwritten(case: Case, root: Any, before: Pass, again: bool) -> str:
    """Why a graph could not be kept after a pass: a change in place of what a node in it holds; "" if there is none.

    again: the passes are turns of a loop, so that what was changed after the last one is changed after this one too.
    """
    for node in below(root):
        counters = case.seen.held.get(node, ())
        if again and type(node.saved) is tuple:
            counters = [getattr(each, "_counter", None) for each in node.saved]
        for change in (each for counter in counters for each in getattr(counter, "changes", ())):
            if change.number > before.number and change.place:
                what = case.naming.name(change.story) if change.story else "a tensor"
                return (
                    f"`retain_graph=True` would not help: line {change.place.line} "
                    f"(`{case.sources.line(change.place)}`) changes {what}, and the old graph needs it as it was."
                )
    return ""


def second_time(case: Case) -> Explanation | None:
    """`Trying to backward through the graph a second time`."""
    node, root = case.local("demand", "node"), case.local("walk", "root")
    if node is None:
        return None
    place, made = case.seen.nodes.get(node, (None, None))
    before = case.seen.freed.get(node) or (case.seen.passes[-2] if len(case.seen.passes) > 1 else None)
    if before is None:
        return None
    what = f"{node.name()}{' of ' + case.naming.name(made) if made else ''}"
    again = before.place and case.here and (before.place.code, before.place.at) == (case.here.code, case.here.at)
    steps = (
        [(place, f"makes {case.naming.there(made)}; its {node.name()} keeps what its derivative needs.")]
        if made
        else []
    )
    steps.append((before.place, "goes through it, and frees what it had kept."))
    number, later = getattr(root, "number", 0), " in the next turn" if again else ""
    freed = [each for each in below(root) if each.saved is None]
    useless = overwritten(case, root, before, bool(again))
    carried = carry(case, root, before.number) if number > before.number else None
    if carried is not None:
        name = case.naming.name(carried)
        if carried.place and carried.place != place:
            steps.insert(len(steps) - 1, (carried.place, f"makes {case.naming.there(carried)}, which leads to it."))
        steps.append((case.here, f"comes to it again{later}, through {name}, which the new graph uses."))
        line = f"line {before.place.line}" if before.place else "the first pass"
        return Explanation(
            f"The graph of this pass is new, but through {name} it still leads to one that an earlier pass has freed.",
            steps,
            [
                cut_off(code(name, "h"), before)
                if is_remade(case, carried, before.number)
                else f"Compute {from_first(case, freed, carried)} anew for each pass"
                f"{', inside the loop' if again else ''}, so that it has a new graph; or call backward() once, on the "
                "sum of the losses.",
                useless
                or f"`retain_graph=True` on {line} keeps the old graph: right if the gradient should really go "
                "through all of it.",
            ],
        )
    steps.append((case.here, f"goes through it again{later}, but what it needs was freed."))
    keeping = "`backward(retain_graph=True)`" + (f" on line {before.place.line}" if before.place else " before")
    same, result = before.root == number, case.seen.nodes.get(root, (None, None))[1]
    keep = useless or f"Or keep the graph: {keeping}."
    if same and again:
        advice = [
            f"Compute {from_first(case, freed, result)} inside the loop, so that each turn has a new graph.",
            useless
            or "`retain_graph=True` would only hide the error: every turn would go through the old numbers, and "
            f"{case.naming.name(result) if result else 'the result'} would never change.",
        ]
    elif same and useless:
        advice = [f"Compute {from_first(case, freed, result)} again before the second call.", useless]
    elif same:
        advice = ["One call is enough: a second one would only add the same gradients again.", keep]
    else:
        advice = ["Add the two results, and call backward() once on the sum.", keep]
    return Explanation(
        f"An earlier pass went through {what}, and freed what it kept. "
        + ("This is the same pass once more." if same else "This pass, from another result, leads there too."),
        steps,
        advice,
    )


def is_remade(case: Case, story: Story, number: int) -> bool:
    """True if the line that made a tensor before a pass has run again since."""
    nodes = [node for node, (place, _) in [*case.seen.nodes.items()] if place == story.place]
    return any(node.number > number for node in nodes)


def carry(case: Case, root: Any, number: int) -> Story | None:
    """The newest tensor made before a pass (the `number`) that what was made after it uses, and that was freed."""
    old = [node for node in below(root) if 0 < node.number <= number]
    for node in sorted(old, key=lambda each: each.number, reverse=True):
        story = case.seen.nodes.get(node, (None, None))[1]
        if story is not None:
            return story
    return None


# --- leaves --------------------------------------------------------------------------------------


def leaf_changed(case: Case) -> Explanation | None:
    """`a leaf Variable that requires grad is being used in an in-place operation`."""
    tensor, leaf = case.local("demand_changeable", "tensor"), case.local("demand_changeable", "above")
    if tensor is None or leaf is None:
        return None
    name, view = case.name(leaf), tensor is not leaf
    steps = [case.made(leaf, "makes the leaf {}, which requires grad.")]
    place = case.seen.story(tensor).place
    if view and place and case.here and place.line != case.here.line:
        steps.append((place, f"makes {case.name(tensor)}, a view of the same memory."))
    steps.append((case.here, f"would change {name} in place{within(case.here)}, while operations are recorded."))
    return Explanation(
        f"{name} is a leaf that requires grad: its gradient is with respect to the numbers it holds now. To overwrite "
        "them inside the graph would leave no tensor that the gradient could belong to.",
        steps,
        [
            "To update or initialise it: put the line into `with torch.no_grad():`.",
            f"To compute with changed numbers: make a new tensor, for example `y = {code(name, 'w')}.clone()`, and "
            "change that.",
        ],
    )


def gradient_shape(case: Case) -> Explanation | None:
    """`Function … returned an invalid gradient at index …`, from a `backward` that a program wrote."""
    node, index, grad, wish = (case.local("fit", name) for name in ("node", "index", "grad", "wish"))
    if node is None or wish is None:
        return None
    place, _ = case.seen.nodes.get(node, (None, None))
    function = node.name().removesuffix("Backward")
    return Explanation(
        f"The backward() of {function} returned, for input {index + 1}, a gradient of shape {list(grad.shape)}. The "
        f"input has the shape {list(wish.shape)}, and a gradient has one number for each element of its input.",
        [(place, f"applies {function}."), (case.here, "runs its backward().")],
        [
            "Return a gradient with the shape of the input. Where forward has copied an input to a larger shape, "
            "sum over the copies; where it has summed, copy.",
            "`torch.autograd.gradcheck` compares a backward() with differences.",
        ],
    )


def assigned_shape(case: Case) -> Explanation | None:
    """`attempting to assign a gradient of size …`."""
    tensor, value = case.local("demand_gradient", "tensor"), case.local("demand_gradient", "value")
    if tensor is None:
        return None
    name = case.name(tensor)
    return Explanation(
        f"The gradient of {name} has one number for each element of {name}: shape {list(tensor.shape)}, not "
        f"{list(value.shape)}.",
        [case.made(tensor), case.made(value), (case.here, "assigns one to the other.")],
        [f"Assign a tensor of shape {list(tensor.shape)}, or None to clear the gradient."],
    )


def gradient_count(case: Case) -> Explanation | None:
    """`function … returned an incorrect number of gradients`, from a `backward` that a program wrote."""
    node = case.local("checked", "self")
    if node is None:
        return None
    place, _ = case.seen.nodes.get(node, (None, None))
    function, inputs = node.name().removesuffix("Backward"), len(node.of_tensor)
    return Explanation(
        f"The backward() of {function} has to return {counted(inputs, 'gradient')}: one for each argument of its "
        "forward() after ctx.",
        [(place, f"applies {function}."), (case.here, "runs its backward().")],
        ["Return them in the order of the arguments, and None for those that need no gradient."],
    )


def to_numpy(case: Case) -> Explanation | None:
    """`Can't call numpy() on Tensor that requires grad`."""
    tensor = case.local("numpy", "self")
    if tensor is None:
        return None
    name = case.name(tensor)
    return Explanation(
        f"{name} requires grad, and numpy keeps no graph: from there no gradient would come back.",
        [case.made(tensor), (case.here, "hands it to numpy.")],
        [
            f"For a plot or a printout, leave the graph: `{code(name, 'y')}.detach().numpy()`.",
            "In what the gradient has to pass through, use torch's functions instead of numpy's.",
        ],
    )


def flag_of_non_leaf(case: Case) -> Explanation | None:
    """`you can only change requires_grad flags of leaf variables`."""
    tensor = case.local("set_requires_grad", "tensor")
    if tensor is None:
        return None
    name = case.name(tensor)
    return Explanation(
        f"{name} was made by an operation. Whether it requires grad follows from what it was made of.",
        [case.made(tensor), (case.here, "would decide otherwise.")],
        [f"For the same numbers outside of the graph: `{code(name, 'y')}.detach()`."],
    )


def unused(case: Case) -> Explanation | None:
    """`The differentiated Tensor at index … appears to not have been used in the graph`."""
    wanted, index, roots = (case.local("grad", name) for name in ("wanted", "index", "roots"))
    if wanted is None or index is None:
        return None
    tensor = wanted[index]
    outputs = ", ".join(case.name(each) for each in roots)
    return Explanation(
        f"{outputs} was not computed from {case.name(tensor)}, so there is no gradient to return.",
        [case.made(tensor), *[case.made(each) for each in roots], (case.here, "asks for the gradient.")],
        [
            "If that is right, say `allow_unused=True`: the gradient is then None.",
            f"If not, look for the line that should have used {case.name(tensor)}: it uses another tensor, perhaps a "
            "copy of it, or a name that was bound anew.",
        ],
    )


def no_graph(case: Case) -> Explanation | None:
    """`element 0 of tensors does not require grad and does not have a grad_fn`."""
    output = case.local("seed_for", "output")
    if output is None:
        output = case.local("run", "each")
    return None if output is None else Explanation(*cuts.explain(case, output))


def without_grad(case: Case) -> Explanation | None:
    """An operation on None, where None was a `.grad`."""
    if case.seen.missing is None or "NoneType" not in str(case.error) or case.here is None:
        return None
    place, tensor = case.seen.missing
    if place is None or (place.code, place.line) != (case.here.code, case.here.line):
        return None
    return Explanation(*cuts.no_gradient(case, tensor, place))


def whole_numbers(case: Case) -> Explanation | None:
    """`Only Tensors of floating point and complex dtype can require gradients`."""
    asked = (("requires_grad_", "tensor"), ("set_requires_grad", "tensor"), ("_alias", "data"))
    tensor = next((each for each in (case.local(*place) for place in asked) if each is not None), None)
    call: Any = case.sources.expression(case.here)
    array, steps = case.local("leaf_of", "array"), []
    if tensor is not None:
        name = case.name(tensor)
        steps.append(case.made(tensor, f"makes {{}}, of {tensor.dtype}."))
        advice = [f"Convert it first: `{code(name, 'x')}.float()` is a new tensor, and that one can require grad."]
    elif array is not None and isinstance(call, ast.Call):
        tensor, name = constant(array), f"`{case.sources.said(call)}`"
        advice = [f"Ask for floating point numbers: `{case.sources.said(floating(call))}`."]
    else:
        return None
    kind = "True and False" if tensor._array.dtype.kind == "b" else "whole numbers"
    return Explanation(
        f"{name} holds {kind} ({tensor.dtype}). A gradient says what happens when a number changes "
        "a little, so only floating point numbers can have one.",
        [*steps, (case.here, "asks for their gradient.")],
        advice,
    )


def floating(call: ast.Call) -> ast.Call:
    """A call that makes whole numbers, so changed that it makes floating point numbers."""
    made = copy.deepcopy(call)
    literal = [each for each in ast.walk(made.args[0]) if isinstance(each, ast.Constant)] if made.args else []
    typed = any(word.arg == "dtype" for word in made.keywords)
    if getattr(made.func, "attr", "") == "tensor" and literal and not typed:
        for each in literal:
            each.value = float(each.value)
        return made
    made.keywords = [word for word in made.keywords if word.arg != "dtype"]
    library = getattr(made.func, "value", ast.Name("torch"))
    return ast.Call(made.func, made.args, [ast.keyword("dtype", ast.Attribute(library, "float32")), *made.keywords])


CASES: dict[str, Callable[[Case], Explanation | None]] = {
    messages.IMPLICIT_SEED: needs_scalar,
    "Mismatch in shape: grad_output": seed_shape,
    "one of the variables needed for gradient computation has been modified": changed,
    "Trying to backward through the graph a second time": second_time,
    " of tensors does not require grad and does not have a grad_fn": no_graph,
    "One of the differentiated Tensors does not require grad": no_graph,
    messages.CHANGED_LEAF.format(""): leaf_changed,
    "returned an invalid gradient at index": gradient_shape,
    "returned an incorrect number of gradients": gradient_count,
    "attempting to assign a gradient of size": assigned_shape,
    messages.NUMPY: to_numpy,
    messages.FLAG: flag_of_non_leaf,
    "appears to not have been used in the graph": unused,
    "Tensors of floating point": whole_numbers,
    "NoneType": without_grad,
}


def explanation(case: Case) -> Explanation | None:
    """What can be said about the error, or, if a non-leaf was asked for its gradient, about that; else None."""
    if isinstance(case.error, (RuntimeError, AttributeError, TypeError)):
        for words, explain in CASES.items():
            if words in str(case.error):
                found = explain(case)
                if found is not None:
                    return found
    if case.error is None and case.seen.warned:
        place, tensor = case.seen.warned[0]
        return Explanation(*cuts.no_gradient(case, tensor, place))
    return None
