"""What lesson 4 asks."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from minigrad_course.predictions import Lesson
from minigrad_course.predictions.upstream_gradients import A, V

if TYPE_CHECKING:
    from torch import Tensor

lesson = Lesson("04_leaves")


def example(torch: ModuleType) -> tuple[Tensor, Tensor, Tensor]:
    """The matrix A, the upstream gradient v, and the leaf x."""
    return torch.tensor(A), torch.tensor(V), torch.tensor([1.0, 2.0], requires_grad=True)


@lesson.asks(
    "You want small starting weights and write `w = torch.tensor([1.0, 2.0], requires_grad=True) * 0.1`. Will an "
    "optimizer take `w`?",
    {
        "Yes: it requires grad": "It does, because something that it was made of does. But it is a result, and results "
        "keep no gradient that an optimizer could follow.",
        "Yes, and it trains the tensor before the product": "An optimizer changes what it was given. It does not walk "
        "the graph.",
        "No": "`w` names the product, and a product is no leaf. The leaf is still there, but nothing refers to it any "
        "more. Do the arithmetic first, and ask for the gradient last.",
    },
)
def scaled(torch: ModuleType) -> object:
    start = torch.tensor([1.0, 2.0], requires_grad=True)
    w = start * 0.1
    try:
        optimizer = torch.optim.SGD([w], lr=0.1)
    except ValueError:
        return "No"
    w.sum().backward()
    optimizer.step()
    moved = start.tolist() != [1.0, 2.0]
    return "Yes, and it trains the tensor before the product" if moved else "Yes: it requires grad"


@lesson.asks(
    "`first = x.grad` is `[401, 132]`. What does `first` hold after another `backward(v)`?",
    {
        "`tensor([401., 132.])`": "So `first` would be a copy, or `x.grad` a new tensor. The leaf adds in place, to "
        "the tensor that is there.",
        "`tensor([802., 264.])`": "The leaf changed the tensor that was there, and `first` is another name for it. To "
        "keep a gradient for later, `clone()` it.",
        "`None`": "Nothing sets it to `None`. That takes `x.grad = None` or `zero_grad()`, and even then `first` would "
        "keep its tensor.",
    },
)
def alias(torch: ModuleType) -> object:
    matrix, v, x = example(torch)
    (matrix @ x).backward(v)
    first = x.grad
    (matrix @ x).backward(v)
    return first


@lesson.asks(
    "You call `net.eval()`, and then `net(x).sum().backward()`. What do the weights of `net` get?",
    {
        "Nothing: `eval()` switches gradients off": "It switches what some layers do, dropout for one. Recording is "
        "none of its business: for that there is `no_grad()`.",
        "Their gradients": "`eval()` only tells layers such as dropout to behave as in use. The graph is recorded as "
        "before, with all the memory that takes.",
        "An error from `backward()`": "`backward()` complains when nothing was recorded. Was nothing recorded?",
    },
)
def evaluated(torch: ModuleType) -> object:
    net = torch.nn.Linear(2, 1)
    net.eval()
    try:
        net(torch.ones(2)).sum().backward()
    except RuntimeError:
        return "An error from `backward()`"
    return "Nothing: `eval()` switches gradients off" if net.weight.grad is None else "Their gradients"


@lesson.asks(
    "Under `no_grad()` you make four things: a product `x * 2`, new zeros that ask for a gradient, a `Parameter`, and "
    "a view of `x`. Which of them require grad?",
    {
        "None: that is what `no_grad()` is for": "It stops recording. Zeros and a `Parameter` are made from nothing "
        "recorded, so there is nothing to stop.",
        "The zeros and the `Parameter`": "These two, yes. But a view is not computed: it is the same memory, and keeps "
        "the flag.",
        "All but the product": "Only the product would have needed a record. The view says that it requires grad, and "
        "is a trap: its way to `x` was never recorded.",
        "All four": "The product is a result, and a result requires grad only if it was recorded.",
    },
)
def unrecorded(torch: ModuleType) -> object:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        made = x * 2, torch.zeros(2, requires_grad=True), torch.nn.Parameter(x * 2), x.view(2, 1)
    return {
        (False, False, False, False): "None: that is what `no_grad()` is for",
        (False, True, True, False): "The zeros and the `Parameter`",
        (False, True, True, True): "All but the product",
        (True, True, True, True): "All four",
    }.get(tuple(item.requires_grad for item in made), str(made))


@lesson.asks(
    "`x.exp()` and `x * 2` are both changed by `+= 1` before the backward. Which of the two backwards fails?",
    {
        "Only that of `x.exp()`": "The derivative of exp is its own result, so exp saved it. The derivative of x * 2 "
        "is 2, whatever becomes of the result.",
        "Only that of `x * 2`": "What would it need its result for? Its derivative is 2.",
        "Both: in place is forbidden": "In place is forbidden for a tensor that some node saved. Ask of each what it "
        "needs on the way back.",
        "Neither: `+ 1` has the slope 1": "The slope of `+ 1` is fine. But one of the two needs a number on the way "
        "back that is no longer there.",
    },
)
def saved(torch: ModuleType) -> object:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    failed = []
    for y in (x.exp(), x * 2):
        y += 1
        try:
            y.sum().backward()
            failed.append(False)
        except RuntimeError:
            failed.append(True)
    return {
        (True, False): "Only that of `x.exp()`",
        (False, True): "Only that of `x * 2`",
        (True, True): "Both: in place is forbidden",
        (False, False): "Neither: `+ 1` has the slope 1",
    }[failed[0], failed[1]]


@lesson.asks(
    "We overwrite the middle entry of y = Ax with a leaf `s`. What is left of `[401, 132]` in `x.grad`, and what does "
    "`s` get from the upstream gradient `[1, 10, 100]`?",
    {
        "`[401, 132]`, and `s` gets nothing: assignment is no operation": "Assignment is recorded like any other "
        "operation, as `CopySlices`. The old middle entry has no part in the result any more.",
        "`[401, 102]`, and `s` gets 10": "The digit of the middle row, 10·[0, 3], is gone: the overwritten entry gets "
        "0. What was written gets the gradient of its place.",
        "`[401, 102]`, and `s` gets 30": "The 30 went with the middle row of `A`, which `s` has nothing to do with. "
        "`s` stands in `y` itself.",
        "Nothing: `y` was changed in place, so the backward fails": "It fails only if some node saved what was "
        "changed. The product saved `A`, not `y`.",
    },
)
def overwritten(torch: ModuleType) -> object:
    matrix, v, x = example(torch)
    s = torch.tensor(7.0, requires_grad=True)
    y = matrix @ x
    y[1] = s
    y.backward(v)
    if s.grad is None:
        return "`[401, 132]`, and `s` gets nothing: assignment is no operation"
    return f"{[round(item) for item in x.grad.tolist()]}, and s gets {s.grad.item():g}"


@lesson.asks(
    "Which of these can go backward twice: `x + 2`, `x * 3`, `x[0]`, `x[[0]]`?",
    {
        "None of them: a backward frees the graph": "It frees what the nodes saved. Ask of each node whether it saved "
        "anything.",
        "All of them: the graph is small": "The size does not matter. `x * 3` needs the 3 on the way back, saved as a "
        "tensor, and it is gone after the first.",
        "`x + 2` and `x[0]`": "They saved no tensor, so nothing was freed. For `x * 3` torch makes a tensor of the 3 "
        "and saves it, as it does for a list used as an index.",
        "`x + 2`, `x[0]` and `x[[0]]`": "Look at the list. torch makes a tensor of it and saves it; the 0 in `x[0]` "
        "stays a Python number, which is not freed.",
    },
)
def twice(torch: ModuleType) -> object:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    able = []
    for name, y in {"`x + 2`": x + 2, "`x * 3`": x * 3, "`x[0]`": x[0], "`x[[0]]`": x[[0]]}.items():
        y.sum().backward()
        try:
            y.sum().backward()
            able.append(name)
        except RuntimeError:
            pass
    return " and ".join(filter(None, [", ".join(able[:-1]), *able[-1:]]))


@lesson.asks(
    "In the next program the hook that doubles is registered after `retain_grad()`. What is `y.grad` then?",
    {
        "`tensor([1., 10., 100.])`": "So `retain_grad()` would take its turn among the hooks. It waits until all of "
        "them have run.",
        "`tensor([2., 20., 200.])`": "Hooks run in the order in which they were registered, and all of them before "
        "anything is kept.",
        "`None`": "`y` is no leaf, but `retain_grad()` was called in time, before the backward.",
    },
)
def hook_order(torch: ModuleType) -> object:
    matrix, v, x = example(torch)
    y = matrix @ x
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    y.backward(v)
    return y.grad
