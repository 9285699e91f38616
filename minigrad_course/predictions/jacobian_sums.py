"""What lesson 3 asks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from minigrad_course.predictions import Lesson
from minigrad_course.predictions.upstream_gradients import A

if TYPE_CHECKING:
    from torch import Tensor

lesson = Lesson("03_jacobian_sums")


@lesson.asks(
    "How many upstream gradients are there with which a pass gives the middle row, `[0, 3]`?",
    {
        "none: a pass always mixes the rows": "It adds them up with weights. And a weight may be 0.",
        "exactly one": "One comes to mind at once. But `x.grad` has two numbers, and you are free to choose three.",
        "more than one": "`[0, 1, 0]`, and `[-12, 8, 3]` as well: three weights for two numbers leave you a choice. "
        "Only the first works whatever `A` is.",
    },
)
def one_hot(torch: ModuleType) -> object:
    count = 0
    for v in ([0.0, 1.0, 0.0], [-12.0, 8.0, 3.0]):
        x = torch.ones(2, requires_grad=True)
        (torch.tensor(A) @ x).backward(torch.tensor(v))
        count += x.grad.tolist() == A[1]
    return {0: "none: a pass always mixes the rows", 1: "exactly one"}.get(count, "more than one")


@lesson.asks(
    "`autograd.grad` takes several outputs. What does `grad([y[0], y[1], y[2]], x)` return?",
    {
        "`(tensor([1., 2.]), tensor([0., 3.]), tensor([4., 1.]))`": "A row for each output would be three gradients of "
        "one input. The tuple has one entry for each input.",
        "`(tensor([5., 6.]),)`": "A tuple of one, for the one input. Several outputs are added, so these are the "
        "column sums.",
        "An error: a list of outputs needs a list of upstream gradients": "These outputs are scalars, and for a scalar "
        "torch fills in 1.",
    },
)
def several(torch: ModuleType) -> object:
    x = torch.ones(2, requires_grad=True)
    y = torch.tensor(A) @ x
    try:
        return torch.autograd.grad([y[0], y[1], y[2]], x)
    except RuntimeError:
        return "An error: a list of outputs needs a list of upstream gradients"


@lesson.asks(
    "`c = a @ b`, with `b` and `c` of shape `[2, 3]`. What is the shape of the Jacobian ∂c/∂b?",
    {
        "`[2, 3]`": "That is the shape of `b.grad`, which is already a sum. The Jacobian has a derivative for each "
        "pair of an output and an input.",
        "`[6, 6]`": "36 numbers is right. But torch does not flatten: the axes of `c` and `b` stay as they are.",
        "`[2, 3, 2, 3]`": "The shape of `c`, followed by the shape of `b`: 36 numbers with four indices.",
    },
)
def four_indices(torch: ModuleType) -> object:
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    J = torch.autograd.functional.jacobian(lambda b: a @ b, torch.ones(2, 3))
    return list(J.shape)


@lesson.asks(
    "`x.roll(1)` moves every entry one place on, and the last to the front. Take `y = x - x.roll(1)` and go back from "
    "it with ones. What is `x.grad`?",
    {
        "`tensor([0., 0., 0.])`": "Every entry is added once and subtracted once, so the sum of all outputs is 0 "
        "whatever `x` is. Ones ask about that sum.",
        "`tensor([1., 1., 1.])`": "This forgets that each entry is also subtracted, in the output after its own.",
        "`tensor([2., 2., 2.])`": "Each entry is used twice, but the second time with a minus.",
        "`tensor([-5., 1., 4.])`": "That is `y` itself. The slopes of a difference do not depend on the numbers in it.",
    },
)
def rolled(torch: ModuleType) -> object:
    x = torch.tensor([1.0, 2.0, 6.0], requires_grad=True)
    (x - x.roll(1)).backward(torch.ones(3))
    return x.grad


@lesson.asks(
    "Go back from `g` twice, and reset `.grad` in between: first with ones, then with the weight 2 for `g[1, 1]` and 1 "
    "for the rest. Which row of `a.grad` differs?",
    {
        "Row 0": "`g[1, 1]` is made from row 1 of `a` and column 1 of `b`. Nothing of row 0 goes into it.",
        "Row 1": "The slice of `g[1, 1]` has column 1 of `b`, `[9, 1, 7]`, in row 1, and zeros elsewhere. Its weight "
        "grew by 1, so that much is added.",
        "None, because only column 1 changes": "That is what happens in `b.grad`. In `a.grad` the slice of `g[1, 1]` "
        "fills a row.",
        "All three: every entry is in every product": "Only row 1 of `a` goes into row 1 of `g`.",
    },
)
def one_weight(torch: ModuleType) -> object:
    a = torch.tensor([[2.0, 4.0, 6.0], [2.0, 3.0, 4.0], [9.0, 7.0, 8.0]], requires_grad=True)
    b = torch.tensor([[4.0, 9.0, 2.0], [7.0, 1.0, 1.0], [6.0, 7.0, 3.0]], requires_grad=True)
    grads = []
    for weight in (1.0, 2.0):
        a.grad, G = None, torch.ones(3, 3)
        G[1, 1] = weight
        (a @ b).backward(G)
        grads.append(a.grad.tolist())
    changed = [row for row in range(3) if grads[1][row] != grads[0][row]]
    return f"Row {changed[0]}" if len(changed) == 1 else "All three: every entry is in every product"


@lesson.asks(
    "Three gradients at x = 2: of `x**3`, of `x**3` with `create_graph=True`, and of `3 * x` with `create_graph=True`. "
    "Which of them can be differentiated again?",
    {
        "All three": "A gradient is a plain number unless you ask for its graph. The first call does not ask.",
        "The second and the third": "Both calls ask for a graph. But the slope of 3x is 3, and 3 was not computed from "
        "`x`.",
        "Only the second": "Without `create_graph=True` a gradient is a constant. And the slope of 3x is a constant, "
        "whatever you ask for.",
        "None of them": "Then there would be no second derivatives in torch. `create_graph=True` records the backward "
        "pass as well.",
    },
)
def graphs(torch: ModuleType) -> object:
    x = torch.tensor(2.0, requires_grad=True)
    programs: list[tuple[Callable[[], Tensor], bool]] = [
        (lambda: x**3, False),
        (lambda: x**3, True),
        (lambda: 3 * x, True),
    ]
    results = [torch.autograd.grad(program(), x, create_graph=asked)[0].requires_grad for program, asked in programs]
    return {
        (True, True, True): "All three",
        (False, True, True): "The second and the third",
        (False, True, False): "Only the second",
        (False, False, False): "None of them",
    }.get(tuple(results), str(results))


@lesson.asks(
    "`relu` and `abs` have a kink at 0. Do they pass `gradcheck` there?",
    {
        "Both do: torch's gradients are right": "At a kink no number is right. torch returns one by convention, and "
        "differences see what lies to both sides.",
        "Neither does: there is no derivative": "There is none, but a number is returned all the same, and it may "
        "agree with the differences by luck.",
        "Only `abs`": "abs says 0, and the slopes −1 and 1 to both sides average 0: luck. relu says 0, and the "
        "differences see ½.",
        "Only `relu`": "relu says 0. The slopes to both sides of it are 0 and 1.",
    },
)
def kinks(torch: ModuleType) -> object:
    zero = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    passed = [torch.autograd.gradcheck(item, zero, raise_exception=False) for item in (torch.relu, torch.abs)]
    return {
        (True, True): "Both do: torch's gradients are right",
        (False, False): "Neither does: there is no derivative",
        (False, True): "Only `abs`",
        (True, False): "Only `relu`",
    }[passed[0], passed[1]]


@lesson.asks(
    "Lesson 2 put a harmless 1 where `t` is not positive. Now try `torch.where(t > 0, torch.maximum(t, zeros).sqrt(), "
    "0)` with `t` = `[-1, 0, 4]` and three `zeros`. What is the gradient, if the upstream gradient is `[1, 10, 100]`?",
    {
        "`tensor([0., 0., 25.])`": "So the root would meet nothing dangerous any more. But it still meets 0, "
        "where its slope is infinite.",
        "`tensor([0., nan, 25.])`": "Both first entries give the root a 0, and get 0·∞ back from it. `maximum` drops "
        "that for −1, which lost. At 0 there is a tie, and half of `nan` is `nan`.",
        "`tensor([nan, nan, 25.])`": "The root does send `nan` to both. But `maximum` comes next on the way back, and "
        "it sends 0 to an entry that lost.",
        "`tensor([nan, 0., 25.])`": "So the negative number would be the trouble. The root never sees it: `maximum` "
        "has put 0 there.",
    },
)
def root_again(torch: ModuleType) -> object:
    t = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    torch.where(t > 0, torch.maximum(t, torch.zeros(3)).sqrt(), 0).backward(torch.tensor([1.0, 10.0, 100.0]))
    return t.grad
