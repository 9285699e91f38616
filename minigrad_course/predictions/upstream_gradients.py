"""What lesson 2 asks."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from minigrad_course.predictions import Lesson

if TYPE_CHECKING:
    from torch import Tensor

lesson = Lesson("02_upstream_gradients")

A = [[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]]
V = [1.0, 10.0, 100.0]


def example(torch: ModuleType) -> tuple[Tensor, Tensor]:
    """The matrix A, and the leaf x."""
    return torch.tensor(A), torch.tensor([5.0, 7.0], requires_grad=True)


@lesson.asks(
    "`v` is `[1, 10, 100]`. What is `x.grad` after `y.backward(v)`?",
    {
        "`tensor([111., 111.])`": "This adds up the weights, and leaves out the Jacobian: `v` says how much each "
        "output counts, and `A` how it depends on `x`.",
        "`tensor([3., 30., 500.])`": "These are the rows' own sums, each times its weight: three numbers, one for each "
        "output. `x.grad` has the shape of `x`.",
        "`tensor([401., 132.])`": "Each row of the Jacobian times its weight, and all of it added up: vᵀJ = 1·[1, 2] + "
        "10·[0, 3] + 100·[4, 1]. The hundreds come from the third row.",
    },
)
def weights(torch: ModuleType) -> object:
    matrix, x = example(torch)
    (matrix @ x).backward(torch.tensor(V))
    return x.grad


@lesson.asks(
    "In the next cell L = Σ zᵢ², and `z` is `y`, cut off. Will `x.grad` be the same as without the cut?",
    {
        "Yes": "`z.grad` is ∂L/∂y, and that is all the first half needs. No box ever sees `L`.",
        "No: `x` gets a gradient, but the square is missing from it": "The square is in `z.grad`, 2z, and "
        "`y.backward(z.grad)` hands it on.",
        "No: `detach()` cuts the graph, so nothing reaches `x`": "`detach()` cuts the way from `z` to `y`. But the "
        "graph from `y` to `x` is still there, and the line after it starts from `y`.",
    },
)
def cut(torch: ModuleType) -> object:
    matrix, x = example(torch)
    y = matrix @ x
    z = y.detach().requires_grad_()
    (z**2).sum().backward()
    y.backward(z.grad)
    (whole,) = torch.autograd.grad(((matrix @ x) ** 2).sum(), x)
    if x.grad is None:
        return "No: `detach()` cuts the graph, so nothing reaches `x`"
    same = x.grad.tolist() == whole.tolist()
    return "Yes" if same else "No: `x` gets a gradient, but the square is missing from it"


@lesson.asks(
    "What does `y.backward(torch.ones_like(y))` give in our example?",
    {
        "All of `A`, the derivative": "`x.grad` has the shape of `x`, two numbers. Six derivatives do not fit.",
        "The first row of `A`": "For that, the other two outputs would have to count 0. Ones count every output.",
        "The sum of the rows of `A`": "Every row with the weight 1, added up: the gradient of `y.sum()`. You can no "
        "longer tell which output contributed what.",
    },
)
def ones(torch: ModuleType) -> object:
    matrix, x = example(torch)
    (matrix @ x).backward(torch.ones(3))
    candidates = {
        "All of `A`, the derivative": matrix,
        "The first row of `A`": matrix[0],
        "The sum of the rows of `A`": matrix.sum(0),
    }
    return " and ".join(said for said, value in candidates.items() if value.tolist() == x.grad.tolist())


@lesson.asks(
    "`A + bias` has shape `[3, 2]`, and so has `G`, whose rows are `[1, 2]`, `[10, 20]` and `[100, 200]`. What is "
    "`bias.grad`?",
    {
        "`G`, of shape `[3, 2]`": "A gradient has the shape of its tensor, always. `bias` has shape `[2]`.",
        "`tensor([1., 2.])`": "That is the share of the first row alone. But the other two rows used `bias` as well.",
        "`tensor([37., 74.])`": "That is the mean of the three shares. Paths are added, not averaged.",
        "`tensor([111., 222.])`": "Each entry of `bias` went into three results, and their shares add up: 1 + 10 + "
        "100.",
    },
)
def bias(torch: ModuleType) -> object:
    offset = torch.zeros(2, requires_grad=True)
    (torch.tensor(A) + offset).backward(torch.tensor([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]))
    return offset.grad


@lesson.asks(
    "`picked = u[[0, 0, 1]]` takes an entry twice. With the upstream gradient `[1, 10, 100]`, what is `u.grad`?",
    {
        "`tensor([10., 100., 0.])`": "So the second use would replace the first. But both results were made from "
        "`u[0]`.",
        "`tensor([11., 100., 0.])`": "Two uses are two paths: 1 + 10. `u[2]` was not taken, and gets 0.",
        "`tensor([5.5, 100., 0.])`": "That is the mean of both. Paths are added, not averaged.",
        "`tensor([1., 10., 100.])`": "So the gradient would keep its places. It goes back to where each entry was "
        "taken from.",
    },
)
def taken_twice(torch: ModuleType) -> object:
    u = torch.tensor([5.0, 7.0, 9.0], requires_grad=True)
    u[[0, 0, 1]].backward(torch.tensor(V))
    return u.grad


@lesson.asks(
    "The loop in the next cell ends with y = 4096 w. Suppose you begin with other numbers in `w`, and it still ends "
    "there. Does `w.grad` change?",
    {
        "Yes: larger weights get larger gradients": "The slope of 4096 w is 4096, wherever you are. Only `v` scales "
        "it.",
        "Yes: they decided how often the loop ran, and the condition is in the graph": "They did decide that. But the "
        "graph records the operations that ran, and a condition is not one of them.",
        "No": "`w.grad` is 4096 v. A product with a constant has the same slope everywhere.",
    },
)
def doubled(torch: ModuleType) -> object:
    grads = []
    for first in (0.1, 0.12):  # the loop runs as often for both
        w = torch.tensor([first, 0.2, 0.3], requires_grad=True)
        y = 2 * w
        while y.data.norm() < 1000:
            y = y * 2
        y.backward(torch.tensor([0.1, 1.0, 0.0001]))
        grads.append(w.grad.tolist())
    return "No" if grads[0] == grads[1] else "Yes: larger weights get larger gradients"


@lesson.asks(
    "√s has an infinite slope at 0, but `where` does not take that branch. What is the first entry of the first "
    "gradient that the cell prints?",
    {
        "0": "`where` does send 0 into the branch it did not take. But then the root multiplies that by its own slope.",
        "inf": "The slope is infinite, but what arrives there is not 1: `where` sends 0 into the branch it did not "
        "take.",
        "nan": "`where` sends 0 into the branch not taken, the root multiplies it by ∞, and 0·∞ is `nan`.",
    },
)
def root(torch: ModuleType) -> object:
    s = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(s > 0, s.sqrt(), 0.0).backward(torch.tensor([1.0, 10.0]))
    return f"{s.grad.tolist()[0]:g}"
