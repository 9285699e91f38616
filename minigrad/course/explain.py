"""Explain an error of autograd with the lines of the program: which tensor, made, saved, changed or freed where.

`Watch` has noted what happened; the error's traceback still holds the tensor or node at fault. Whatever a sentence
says here was seen to happen: a name is used only for the very tensor that it stands for.
"""

from __future__ import annotations

import ast
import copy
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import checks, messages
from minigrad.course import cuts, sizes, stale
from minigrad.course.account import unregistered
from minigrad.course.case import Case, Explanation, code, line_of
from minigrad.course.naming import asked_with, attributes, counted, last_word
from minigrad.tensor import Tensor

# --- the seed ------------------------------------------------------------------------------------


def needs_scalar(case: Case) -> Explanation | None:
    """`grad can be implicitly created only for scalar outputs`."""
    output = case.local("seed_rule", "output")
    if output is None:
        return None
    name, asks = case.name(output), case.sources.expression(case.here)
    short, whole = written(name, asked_with(asks)[0])
    total, each = f"{whole}.sum().backward()", f"{whole}.backward(torch.ones_like({short}))"
    if isinstance(asks, ast.Call) and last_word(asks.func) == "grad":
        call = "torch.autograd.grad({}, …{})"
        total, each = call.format(f"{whole}.sum()", ""), call.format(short, f", grad_outputs=torch.ones_like({short})")
    count = f"{counted(output.numel(), 'element')} (shape {list(output.shape)})"
    return Explanation(
        f"{name} has {counted(output.numel(), 'element')}. backward() can start from a single number; of several, you "
        "have to say how much each one counts.",
        [
            (case.seen.story(output).place, f"makes {name}, with {count}."),
            (case.here, "asks for gradients, without saying how much each element counts."),
        ],
        [
            f"Make one number of it first: `{total}`, or with `mean` in place of `sum`.",
            f"Or say how much each element counts: `{each}` gives the same gradients as the sum.",
        ],
    )


def written(name: str, expression: ast.expr | None) -> tuple[str, str]:
    """A tensor in the program's own words, its name or this expression: as an argument, and to call a method of."""
    plain = ast.Name(code(name, "")) if code(name, "") else expression or ast.Name("…")
    return ast.unparse(plain), ast.unparse(ast.Attribute(plain, "T")).removesuffix(".T")


def seed_shape(case: Case) -> Explanation | None:
    """`Mismatch in shape: grad_output[0] has a shape of …`."""
    output, gradient = case.local("seed_rule", "output"), case.local("seed_rule", "gradient")
    if output is None or gradient is None:
        return None
    name, given, have, want = case.name(output), case.name(gradient), list(gradient.shape), list(output.shape)
    asks = case.sources.expression(case.here)
    short, whole = written(name, asked_with(asks)[0])
    _, new = written(given, asked_with(asks)[1])
    call = f"{whole}.backward({{}})"
    if isinstance(asks, ast.Call) and last_word(asks.func) == "grad":
        call = f"torch.autograd.grad({short}, …, grad_outputs={{}})"
    if checks.comes_from(have, want):
        mended = f"`{call.format(f'{new}.expand_as({short})')}` uses the same numbers for each row."
    elif want[: len(have)] == have:
        axes = ", ".join(["..."] + ["None"] * (len(want) - len(have)))
        mended = (
            f"`{call.format(f'{new}[{axes}].expand_as({short})')}` uses the first number for the first row, and so on."
        )
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


# --- leaves --------------------------------------------------------------------------------------


def leaf_changed(case: Case) -> Explanation | None:
    """`a leaf Variable that requires grad is being used in an in-place operation`."""
    tensor, leaf = case.local("demand_changeable", "tensor"), case.local("demand_changeable", "above")
    if tensor is None or leaf is None:
        return None
    name, view = case.name(leaf), tensor is not leaf
    steps = [case.made(leaf, "makes the leaf {}, which requires grad.")]
    place = case.seen.story(tensor).place
    written: Any = next(iter(getattr(case.sources.statement(case.here), "targets", ())), None)
    through = case.naming.value(case.sources.said(getattr(written, "value", None)))  # y of y[0] = 3
    if view and place and case.here and place.line != case.here.line:
        steps.append((place, f"makes {case.name(tensor)}, a view of the same memory."))
    elif isinstance(through, Tensor) and through is not leaf:
        steps.append(case.made(through, "makes {}, a view of the same memory."))
    steps.append(
        (case.here, f"would change {name} in place{stale.within(case, case.here)}, while operations are recorded.")
    )
    return Explanation(
        f"{name} is a leaf that requires grad: its gradient is with respect to the numbers it holds now. To overwrite "
        "them inside the graph would leave no tensor that the gradient could belong to.",
        steps,
        [
            "To update or initialise it: put the line into `with torch.no_grad():`.",
            f"To compute with changed numbers: make a new tensor, {case.written(leaf, 'clone()')}, and change that.",
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
            f"For a plot or a printout, leave the graph: {case.written(tensor, 'detach().numpy()')}.",
            "In what the gradient has to pass through, use torch's functions instead of numpy's.",
        ],
    )


def flag_of_non_leaf(case: Case) -> Explanation | None:
    """`you can only change requires_grad flags of leaf variables`."""
    tensor = case.local("set_requires_grad", "tensor")
    if tensor is None:
        return None
    name = case.name(tensor)
    if case.local("set_requires_grad", "flag") and tensor.requires_grad:
        return Explanation(
            f"{name} was made by an operation, of what requires grad: so it requires grad already.",
            [case.made(tensor), (case.here, "asks for it once more.")],
            [f"Leave {case.sources.at(case.here) if case.here else 'that line'} out: it would change nothing."],
        )
    return Explanation(
        f"{name} was made by an operation. Whether it requires grad follows from what it was made of.",
        [case.made(tensor), (case.here, "would decide otherwise.")],
        [f"For the same numbers outside of the graph: {case.written(tensor, 'detach()')}."],
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


def not_to_optimize(case: Case) -> Explanation | None:
    """`can't optimize a non-leaf Tensor`."""
    tensor = case.local("add_param_group", "parameter")
    return None if tensor is None else Explanation(*cuts.to_optimize(case, tensor))


def without_grad(case: Case) -> Explanation | None:
    """An operation on None, where None was a `.grad`."""
    if case.seen.missing is None or "NoneType" not in str(case.error) or case.here is None:
        return None
    place, tensor, first = case.seen.missing
    walked = traceback.walk_tb(case.error.__traceback__ if case.error else None)
    if place is None or (place.file, place.line) not in {(frame.f_code.co_filename, line) for frame, line in walked}:
        return None  # another None
    headline, steps, advice = cuts.no_gradient(case, tensor, place)
    if first and first.line != place.line:
        steps.insert(-1, (first, "reads its .grad: None already."))
    return Explanation(headline, steps, advice)


def whole_numbers(case: Case) -> Explanation | None:
    """`Only Tensors of floating point and complex dtype can require gradients`."""
    asked = (("requires_grad_", "tensor"), ("set_requires_grad", "tensor"), ("_alias", "data"))
    tensor = next((each for each in (case.local(*place) for place in asked) if each is not None), None)
    call: Any = case.sources.expression(case.here)
    array, steps = case.local("leaf_of", "array"), []
    if tensor is not None:
        name = case.name(tensor)
        steps.append(case.made(tensor, f"makes {{}}, of {tensor.dtype}."))
        advice = [
            f"Convert it first: {case.written(tensor, 'float()')} is a new tensor, and that one can require grad."
        ]
    elif array is not None and isinstance(call, ast.Call):
        tensor, name = Tensor._of(array), f"`{case.sources.said(call)}`"
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
    if getattr(made.func, "attr", "") == "tensor" and not any(word.arg == "dtype" for word in made.keywords):
        for each in ast.walk(made):
            if isinstance(each, ast.Constant) and isinstance(each.value, int) and not isinstance(each.value, bool):
                each.value = float(each.value)
        if ast.dump(made) != ast.dump(call):
            return made
    made.keywords = [word for word in made.keywords if word.arg != "dtype"]
    library = getattr(made.func, "value", ast.Name("torch"))
    return ast.Call(made.func, made.args, [ast.keyword("dtype", ast.Attribute(library, "float32")), *made.keywords])


def not_a_tensor(case: Case) -> Explanation | None:
    """`… object has no attribute 'backward'`: of a list of losses, of a number, or of an array."""
    value, owner = getattr(case.error, "obj", None), getattr(case.sources.expression(case.here), "value", None)
    name = case.sources.said(owner) if isinstance(owner, ast.expr) else "…"
    if isinstance(value, (list, tuple)):
        advice = f"Add up what is in it, and start from the sum: `sum({name}).backward()`."
    elif isinstance(value, (int, float, np.number, np.ndarray)):
        advice = f"Compute `{name}` with tensors throughout: no `.item()`, `float(…)`, `.tolist()` or numpy on the way."
    else:
        return None
    taken = getattr(getattr(owner, "func", None), "value", None)
    if taken is not None and last_word(getattr(owner, "func", None)) in ("item", "tolist", "numpy"):
        advice = f"Start from the tensor itself: `{case.sources.said(taken)}.backward()`."
    kind = f"of type {type(value).__name__}"
    return Explanation(
        f"`{name}` is {kind}. Only a tensor has a backward(): it is where the walk through the graph starts.",
        [(case.here, f"calls backward() of what is {kind}.")],
        [advice],
    )


def nothing_to_train(case: Case) -> Explanation:
    """`optimizer got an empty parameter list`."""
    scopes = {name: each for scope in reversed(case.naming.scopes) for name, each in scope.items()}
    return Explanation(
        "The optimizer was given no tensor that it could change.",
        [(case.here, "makes the optimizer.")],
        [*unregistered(scopes)] or ["`parameters()` gives those of the layers in a module's attributes: print it."],
    )


TO = {"torch.int64": "long()", "torch.float32": "float()", "torch.float64": "double()"}


def another_dtype(case: Case) -> Explanation | None:
    """A target of a dtype that a loss does not take, or two factors of two dtypes."""
    classes, factors = case.local("_of_classes", "target"), case.local("demand_one_dtype", "tensors")
    if factors is None:
        factors = case.local("addmm", "mat1"), case.local("addmm", "mat2")
    for loss in ("binary_cross_entropy", "binary_cross_entropy_with_logits"):
        if (tensor := case.local(loss, "target")) is not None:
            dtype, why = str(case.local(loss, "input").dtype), "this loss compares it with numbers of that dtype"
            break
    else:
        if classes is not None:
            tensor, dtype, why = classes, "torch.int64", "the numbers of classes are whole"
        elif factors[0] is not None:  # whole numbers are converted, then what is no parameter, then what is large
            tensor, other = sorted(
                factors[:2],
                key=lambda each: (each.dtype.is_floating_point, each.requires_grad, -each._array.dtype.itemsize),
            )
            dtype, why = str(other.dtype), "a product takes two tensors of one dtype, and the other one is of that"
        else:
            return None
    name = case.name(tensor)
    return Explanation(
        f"{name} is of {tensor.dtype}, and has to be of {dtype} here: {why}.",
        [case.made(tensor, f"makes {{}}, of {tensor.dtype}."), (case.here, f"needs {name} to be of {dtype}.")],
        [f"Convert it on this line, {case.written(tensor, TO.get(dtype, f'to({dtype})'))}, or make it of {dtype}."],
    )


def not_scores(case: Case) -> Explanation | None:
    """`Expected floating point type for target with class probabilities`: input and target have one shape."""
    scores, target = case.local("cross_entropy", "input"), case.local("cross_entropy", "target")
    if scores is None or target is None:
        return None
    name, labels, story = case.name(scores), case.name(target), case.seen.story(scores)
    shape = list(scores.shape)
    if scores.dtype.is_floating_point:
        why = f"So {labels} is read as probabilities of classes, and those are floating point numbers."
        wanted = ", ".join([*map(str, shape[:1]), "C"])
        advice = [f"If {labels} holds numbers of classes: give {name} a score for each class, shape [{wanted}]."]
        rows = target.detach().flatten(1) if target.ndim > 1 else target
        if target.ndim > 1 and set(rows.max(1).values.tolist()) == set(rows.sum(1).tolist()) == {1}:
            short = code(labels, "…")
            advice = [
                f"{labels} has a single 1 in each row. Hand over the numbers of the classes, `{short}.argmax(1)`, or "
                f"the rows as probabilities, `{short}.float()`."
            ]
        elif set(target.detach().flatten().tolist()) <= {0, 1}:
            call = f"F.binary_cross_entropy_with_logits({code(name, '…')}, {code(labels, '…')}.float())"
            advice.append(f"Or, if each of its numbers is a yes or a no: `{call}`.")
    else:
        why = f"And {name} holds whole numbers ({scores.dtype}): this loss takes a score for each class."
        of = next((case.naming.name(use.story) for use in story.inputs if use.required), "the scores")
        advice = [f"Hand over {of} in place of {name}: the scores as they are, without an argmax."]
    return Explanation(
        f"{name} and {labels} have the same shape, {shape}. {why}",
        [*sorted([case.made(scores), case.made(target)], key=line_of), (case.here, "compares the two.")],
        advice,
    )


CASES: dict[str, Callable[[Case], Explanation | None]] = {
    messages.IMPLICIT_SEED: needs_scalar,
    "Mismatch in shape: grad_output": seed_shape,
    "one of the variables needed for gradient computation has been modified": stale.changed,
    "Trying to backward through the graph a second time": stale.second_time,
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
    "can't optimize a non-leaf": not_to_optimize,
    "NoneType": without_grad,
    "object has no attribute 'backward'": not_a_tensor,
    "optimizer got an empty parameter list": nothing_to_train,
    "expected target dtype to be": another_dtype,
    "Found dtype ": another_dtype,
    "result type Float can't be cast": another_dtype,
    " have the same dtype": another_dtype,
    "target with class probabilities": not_scores,
    "shapes cannot be multiplied": sizes.not_to_multiply,
    "must match the size of tensor b": sizes.not_to_broadcast,
    "must be the same as input size": sizes.of_one_size,
    "that is different to the input size": sizes.of_one_size,
    "multi-target not supported": sizes.of_one_size,
    "is out of bounds.": sizes.class_outside,
}


def explanation(case: Case) -> Explanation | None:
    """What can be said about the error, or, if a non-leaf was asked for its gradient, about that; else None."""
    if isinstance(case.error, (RuntimeError, AttributeError, TypeError, ValueError, IndexError)):
        for words, explain in CASES.items():
            if words in str(case.error):
                found = explain(case)
                if found is not None:
                    return found
    if case.error is None and case.seen.warned:
        place, tensor = case.seen.warned[0]
        return Explanation(*cuts.no_gradient(case, tensor, place))
    if case.error is None and case.seen.missing:
        place, tensor, _ = case.seen.missing
        if not tensor.requires_grad and "print" in attributes(case.sources.statement(place)):
            return Explanation(*cuts.no_gradient(case, tensor, place))
    return None
