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
    "In the next cell L = Σ zᵢ². Its last line hands the first half `z` itself instead of `z.grad`. What does `x` get "
    "then?",
    {
        "The same: `z` has the numbers of `y`": "The numbers of `y` are where you stand. What the first half wants is "
        "how `L` changes from there.",
        "Half of it": "∂L/∂zᵢ is 2zᵢ. With `z` in its place the shape fits, so nobody complains, and every share is "
        "too small by the same factor.",
        "An error: `z` requires grad": "An upstream gradient may be any tensor of the right shape, whatever flag it "
        "has.",
        "Nothing: `detach()` has cut the graph": "It cut the way from `z` to `y`. The graph from `y` to `x` is still "
        "there, and the pass starts from `y`.",
    },
)
def cut(torch: ModuleType) -> object:
    matrix, x = example(torch)
    y = matrix @ x
    z = y.detach().requires_grad_()
    (whole,) = torch.autograd.grad((y**2).sum(), x, retain_graph=True)
    try:
        (handed,) = torch.autograd.grad(y, x, z)
    except RuntimeError:
        return "An error: `z` requires grad"
    return {1.0: "The same: `z` has the numbers of `y`", 0.5: "Half of it"}[(handed / whole)[0].item()]


@lesson.asks(
    "In our example that gives `[5, 6]`. Now the first output stands in the list once more, `y[[0, 1, 2, 0]]`, and you "
    "go back with four ones. What do you get?",
    {
        "`tensor([5., 6.])`": "A derivative would not care how often you write an output down. But is this the "
        "derivative?",
        "`tensor([6., 8.])`": "One more row with the weight 1: `[1, 2]` is added once more. What ones give depends on "
        "how often an output is listed.",
        "`tensor([10., 12.])`": "Only one of the outputs stands there twice, not all of them.",
        "a row for each of the four outputs": "`x.grad` has the shape of `x`, two numbers, however many outputs there "
        "are.",
    },
)
def ones(torch: ModuleType) -> object:
    matrix, x = example(torch)
    (matrix @ x)[[0, 1, 2, 0]].backward(torch.ones(4))
    return x.grad


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
