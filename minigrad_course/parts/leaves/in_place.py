"""The part `in_place`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable

from minigrad import leaf
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("in_place")
Compute = Callable[[], Tensor]
REFUSED = "a leaf Variable that requires grad is being used in an in-place operation."


def is_refused(tensor: Tensor) -> bool:
    """Whether the tensor must not be changed now, as it should be."""
    return leaf.recording and tensor.is_leaf and tensor.requires_grad


def changed(
    tensor: Tensor,
    compute: Compute,
    refused: Callable[[Tensor], bool] = is_refused,
    counts: Callable[[Tensor], int] = lambda result: 1,
    taken: Callable[[Tensor, Tensor], object] = lambda tensor, result: leaf.take_over(tensor, result),
) -> Tensor:
    """The right change but for what is refused, how much it counts, and what becomes of the node."""
    if refused(tensor):
        raise RuntimeError(REFUSED)
    result = compute()
    leaf.write(tensor, result)
    leaf.counter(tensor)[0] += counts(result)
    taken(tensor, result)
    return tensor


@mistake("leaves too", "you never refuse: a leaf that requires grad must not change while operations are recorded")
def leaves_too(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, refused=lambda tensor: False)


@mistake("refused in no_grad", "you refuse a leaf even where nothing is recorded: then no optimizer can move it")
def refused_in_no_grad(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, refused=lambda tensor: tensor.is_leaf and tensor.requires_grad)


@mistake("results refused", "you refuse everything that requires grad; only a leaf that does must stay as it is")
def results_refused(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, refused=lambda tensor: leaf.recording and tensor.requires_grad)


@mistake("constants refused", "you refuse every leaf; a constant is a leaf too, and it may change")
def constants_refused(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, refused=lambda tensor: leaf.recording and tensor.is_leaf)


@mistake("not counted", "the change is not counted, so a node does not notice that what it saved is another value now")
def not_counted(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, counts=lambda result: 0)


@mistake("counted while recording", "a change counts under `no_grad` as well: the memory is another all the same")
def counted_while_recording(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, counts=lambda result: int(leaf.recording))


@mistake("counted with a node", "every change counts, not only one that is recorded: the numbers have changed")
def counted_with_a_node(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, counts=lambda result: int(result.requires_grad))


@mistake("counted twice", "the change counts twice, so a version is not what torch says")
def counted_twice(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, counts=lambda result: 2)


@mistake(
    "no node",
    "the tensor does not take over the node of the result: backward then goes past the change, as if there were none",
)
def no_node(tensor: Tensor, compute: Compute) -> Tensor:
    return changed(tensor, compute, taken=lambda tensor, result: None)


@mistake(
    "counted last",
    "the tensor takes over the node before the change counts: what the node saved of its result seems to have changed",
)
def counted_last(tensor: Tensor, compute: Compute) -> Tensor:
    if is_refused(tensor):
        raise RuntimeError(REFUSED)
    result = compute()
    leaf.write(tensor, result)
    leaf.take_over(tensor, result)
    leaf.counter(tensor)[0] += 1
    return tensor


@mistake("not written", "the numbers stay as they were: copy them with `leaf.write`")
def not_written(tensor: Tensor, compute: Compute) -> Tensor:
    if is_refused(tensor):
        raise RuntimeError(REFUSED)
    result = compute()
    leaf.counter(tensor)[0] += 1
    leaf.take_over(tensor, result)
    return tensor


@mistake(
    "the result returned",
    "you return the result, which is another tensor: `y += 1` then makes `y` a name for it, and who else had the old "
    "tensor does not get it",
)
def the_result_returned(tensor: Tensor, compute: Compute) -> Tensor:
    if is_refused(tensor):
        raise RuntimeError(REFUSED)
    result = compute()
    leaf.write(tensor, result)
    leaf.counter(tensor)[0] += 1
    leaf.take_over(tensor, result)
    return result


@mistake("only the result", "you compute the result and return it: nothing has changed in place")
def only_the_result(tensor: Tensor, compute: Compute) -> Tensor:
    if is_refused(tensor):
        raise RuntimeError(REFUSED)
    return compute()


@mistake("nothing returned", "you return nothing, and `y += 1` makes `y` a name for None: return the tensor")
def nothing_returned(tensor: Tensor, compute: Compute) -> None:
    changed(tensor, compute)


@mistake(
    "refused too late",
    "the leaf has changed by the time you refuse: look at it before you compute and write anything",
)
def refused_too_late(tensor: Tensor, compute: Compute) -> Tensor:
    late = is_refused(tensor)
    result = compute()
    leaf.write(tensor, result)
    leaf.counter(tensor)[0] += 1
    if late:
        raise RuntimeError(REFUSED)
    leaf.take_over(tensor, result)
    return tensor


part = Part(
    Place("in_place", "engine", "change", "minigrad.leaf"),
    points=3,
    minutes=10,
    difficulty=2,
    hints=(
        "Which tensors may not change? Neither constants nor results are meant, and no leaf under `no_grad`: three "
        "conditions have to hold before you refuse.",
        "After `result = compute()` come three lines: write, count, take over. Then return the tensor that you got.",
        "`if leaf.recording and tensor.is_leaf and tensor.requires_grad:` raise the error. The count is "
        "`leaf.counter(tensor)[0] += 1`.",
    ),
    mistakes=tuple(mistake),
    probe="""
def done(action):
    tell(action)
    tell(lambda: [x._version, y._version, c._version])

for off in (False, True):
    x, y, c = leaves([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    c = c.detach()
    with torch.set_grad_enabled(not off):
        y = y * 2
        same = y
        done(lambda: x.add_(1.0))
        tell(lambda: x)
        done(lambda: y.mul_(x))
        tell(lambda: y is same)
        done(lambda: c.add_(1.0))
        done(lambda: c.mul_(x))
        done(lambda: y.exp_())
        tell(lambda: y.mul_(2.0) is y)
    if not off:
        one = torch.tensor([1.0, 1.0], dtype=torch.float64)
        tell(lambda: c.backward(one) or x.grad)
        e = (x * 1).exp_()
        tell(lambda: e.backward(one) or x.grad)
        tell(lambda: y.backward(one) or x.grad)
""",
)
