"""Chapter 3: the parts of Jacobians, their hints, and the mistakes people make in them."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad
from minigrad import jacobian
from minigrad.course.parts import Chapter, Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes()


# --- weighted_sum --------------------------------------------------------------------------------


@mistake("weighted_sum", "unweighted", "the slices are added up as they are: that is what an upstream of ones brings")
def unweighted(J: Any, v: Any) -> Any:
    return sum(J[i] for i in jacobian.entries(v))


@mistake(
    "weighted_sum", "not added", "each slice gets its weight, but they are not added up: the result keeps J's shape"
)
def not_added(J: Any, v: Any) -> Any:
    return v.reshape((*v.shape, *[1] * (J.ndim - v.ndim))) * J


@mistake("weighted_sum", "last slice", "each weighted slice overwrites the one before, and only the last is left")
def last_slice(J: Any, v: Any) -> Any:
    total = 0
    for i in jacobian.entries(v):
        total = v[i] * J[i]
    return total


@mistake(
    "weighted_sum",
    "from the right",
    "v does not stand beside the first axes of J: those are y's, and v has y's shape; J v asks for a v of x's shape",
)
def from_the_right(J: Any, v: Any) -> Any:
    return J @ v


@mistake(
    "weighted_sum",
    "first axis only",
    "v is run through along its first axis only: a matrix of outputs has an entry for every row and column",
)
def first_axis_only(J: Any, v: Any) -> Any:
    return sum(v[i] * J[i] for i in range(len(v)))


# --- slices --------------------------------------------------------------------------------------


@mistake("slices", "ones", "v is 1 everywhere, which brings the sum of all slices each time, and none of them alone")
def all_ones(y: Any, x: Any, create_graph: bool = False) -> list:
    return [jacobian.vjp(y, x, jacobian.zeros(y.shape, y) + 1, create_graph) for _ in jacobian.entries(y)]


@mistake("slices", "not reset", "v is made once and still has the ones of the entries before: the slices pile up")
def not_reset(y: Any, x: Any, create_graph: bool = False) -> list:
    v, found = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        found.append(jacobian.vjp(y, x, v.clone(), create_graph))
    return found


@mistake(
    "slices",
    "one v for all",
    "one v is changed from slice to slice: the graph of those before needs it as it was, so make a fresh one",
)
def one_v_for_all(y: Any, x: Any, create_graph: bool = False) -> list:
    v, found = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
        v[i] = 0
    return found


@mistake(
    "slices",
    "one v, not reset",
    "v is made once and still has the ones of the entries before: the slices pile up, and their graph needs each v as "
    "it was, too",
)
def one_v_not_reset(y: Any, x: Any, create_graph: bool = False) -> list:
    v, found = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
    return found


@mistake(
    "slices", "shape of x", "v has the shape of x: an upstream gradient has the shape of y, whose entries it weighs"
)
def shape_of_x(y: Any, x: Any, create_graph: bool = False) -> list:
    found = []
    for i in jacobian.entries(jacobian.as_tuple(x)[0]):
        v = jacobian.zeros(jacobian.as_tuple(x)[0].shape, y)
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
    return found


@mistake(
    "slices", "one per row", "there is one v for each row of y, and not for each entry: a row's slices come as a sum"
)
def one_per_row(y: Any, x: Any, create_graph: bool = False) -> list:
    found = []
    for i in range(len(y)):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
    return found


@mistake("slices", "no graph", "`create_graph` is not handed on, so nothing can be differentiated a second time")
def slices_without_graph(y: Any, x: Any, create_graph: bool = False) -> list:
    found = []
    for i in jacobian.entries(y):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        found.append(jacobian.vjp(y, x, v))
    return found


# --- mv ------------------------------------------------------------------------------------------


class SavesMatrixAndVector(Function):
    """What the wrong versions of A @ x share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, x: Any) -> Any:
        ctx.save_for_backward(a, x)
        return a @ x


@mistake("mv", "no upstream", "the slices are added up without their weights, as if the upstream gradient were ones")
class MvWithoutUpstream(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return np.ones_like(a) * x, a.sum(0)


@mistake("mv", "not transposed", "the matrix is not transposed: vᵀA, written as a column, is Aᵀv")
class MvNotTransposed(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output[:, None] * x, a @ grad_output


@mistake(
    "mv",
    "not every pair",
    "v and x are multiplied as they are; the gradient of A wants vᵢxⱼ for every pair, so give v a second axis",
)
class MvNotEveryPair(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output * x, a.T @ grad_output


@mistake(
    "mv",
    "no outer product",
    "v and x are multiplied with `@`, which adds up; the gradient of A wants vᵢxⱼ for every pair, so give v a second "
    "axis and use `*`",
)
class MvNoOuterProduct(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output @ x.T, a.T @ grad_output


@mistake(
    "mv", "upstream for A only", "the upstream gradient is used for A's gradient only: x's sums up vᵢ · row i of A"
)
class MvUpstreamForMatrix(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output[:, None] * x, a.sum(0)


@mistake("mv", "swapped", "the two gradients are swapped: that of A comes first, because A is the first input")
class MvSwapped(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return a.T @ grad_output, grad_output[:, None] * x


@mistake("mv", "upstream once", "the upstream gradient is used for x.grad only: row i of A's gradient is vᵢ · x")
class MvUpstreamOnce(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return np.ones_like(a) * x, a.T @ grad_output


@mistake("mv", "other layout", "the gradient of A is transposed: entry (i, j) is vᵢxⱼ, in the shape of A")
class MvOtherLayout(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return x[:, None] * grad_output, a.T @ grad_output


# --- numeric_jacobian ----------------------------------------------------------------------------


def differences(function: Any, x: Any, difference: Any) -> Any:
    """A Jacobian whose slopes are `difference(memory, j)`."""
    memory, y = x.data, function(x)
    J = jacobian.zeros((*y.shape, *x.shape), y)
    for j in jacobian.entries(x):
        J[(..., *j)] = difference(memory, j)
    return J


@mistake(
    "numeric_jacobian",
    "forward difference",
    "y(x + ε) is compared with y(x): one-sided differences have an error of the size of ε, central ones of ε²",
)
def forward_difference(function: Any, x: Any, eps: float = 1e-6) -> Any:
    def slope(memory: Any, j: Any) -> Any:
        middle, below = memory[j].clone(), function(x).detach().clone()
        memory[j] = middle + eps
        above = function(x).detach().clone()
        memory[j] = middle
        return (above - below) / eps

    return differences(function, x, slope)


@mistake(
    "numeric_jacobian",
    "forward difference, no copy",
    "y(x + ε) is compared with y(x), whose error is of the size of ε; and where y is a view of x both change together",
)
def forward_difference_without_copy(function: Any, x: Any, eps: float = 1e-6) -> Any:
    below = function(x)

    def slope(memory: Any, j: Any) -> Any:
        middle = memory[j].clone()
        memory[j] = middle + eps
        found = (function(x) - below) / eps
        memory[j] = middle
        return found

    return differences(function, x, slope)


@mistake(
    "numeric_jacobian",
    "all at once",
    "all entries of x are moved together: each column of J is then the sum of all columns",
)
def all_at_once(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return differences(function, x, lambda memory, j: (function(x + eps) - function(x - eps)) / (2 * eps))


def stepped(
    function: Any, x: Any, eps: float, width: float, back: bool = True, copy: bool = True, cut: bool = True
) -> Any:
    """Central differences over `width`; with or without the number put back, the results copied and cut off."""

    def look() -> Any:
        y = function(x)
        y = y.detach() if cut else y
        return y.clone() if copy else y

    def slope(memory: Any, j: Any) -> Any:
        middle = memory[j].clone()
        memory[j] = middle + eps
        above = look()
        memory[j] = middle - eps
        below = look()
        if back:
            memory[j] = middle
        return (above - below) / width

    return differences(function, x, slope)


@mistake("numeric_jacobian", "half the width", "the difference is divided by ε, but the two points are 2ε apart")
def half_the_width(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, eps)


@mistake("numeric_jacobian", "not put back", "entries that were moved are not put back where they were")
def not_put_back(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, back=False)


@mistake(
    "numeric_jacobian",
    "no copy",
    "a result that is a view of x changes with the next step: without `clone()` both show the same numbers",
)
def no_copy(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, copy=False)


@mistake("numeric_jacobian", "in the graph", "`detach()` is missing: differences of tensors with a graph have one, too")
def in_the_graph(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, cut=False)


@mistake(
    "numeric_jacobian",
    "in the graph, no copy",
    "what `function` gives is kept as it is: a view of x changes with the next step, and a graph hangs on the "
    "difference; `.detach().clone()` is out of the graph, and a copy",
)
def in_the_graph_without_copy(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, copy=False, cut=False)


# --- agree ---------------------------------------------------------------------------------------


@mistake("agree", "not one answer", "there is an answer for each entry, where one is wanted for all: `.all()`")
def not_one_answer(analytic: Any, numeric: Any, atol: float, rtol: float) -> Any:
    return (analytic - numeric).abs() <= atol + rtol * numeric.abs()


@mistake("agree", "any", "one entry that agrees is enough; it has to be all of them")
def any_entry(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).any())


@mistake("agree", "signed", "the difference has no absolute value: whatever is too small passes")
def signed(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool((analytic - numeric <= atol + rtol * numeric.abs()).all())


@mistake("agree", "signed tolerance", "rtol is multiplied by n and not by |n|: a negative n leaves no room at all")
def signed_tolerance(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric).all())


@mistake("agree", "relative to a", "rtol is multiplied by |a|, the derivative under test, and not by |n|")
def relative_to_analytic(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * analytic.abs()).all())


@mistake("agree", "absolute only", "rtol is left out: large derivatives have large differences")
def absolute_only(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol).all())


@mistake("agree", "relative only", "atol is left out: beside a derivative of 0 nothing but 0 would do")
def relative_only(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= rtol * numeric.abs()).all())


@mistake(
    "agree", "one of the two", "a difference has to keep within one of the tolerances; it may be as large as their sum"
)
def one_of_the_two(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    difference = (analytic - numeric).abs()
    return bool(((difference <= atol) | (difference <= rtol * numeric.abs())).all())


@mistake("agree", "changed places", "atol and rtol have changed places: it is rtol that is multiplied by |n|")
def changed_places(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= rtol + atol * numeric.abs()).all())


@mistake("agree", "on average", "the entries are compared on average, so that many right ones hide a wrong one")
def on_average(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool((analytic - numeric).abs().mean() <= atol + rtol * numeric.abs().mean())


# --- jvp -----------------------------------------------------------------------------------------


@mistake(
    "jvp",
    "vᵀJ",
    "weights of x's shape go back from y, v as it is or a u made like x: that is vᵀJ, and asks for y's shape",
)
def one_pass(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    return jacobian.vjp(y, x, v, create_graph)


@mistake("jvp", "no graph", "the first pass makes no graph, so that nothing is left to differentiate by u")
def jvp_without_graph(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u), u, v, create_graph)


@mistake("jvp", "by x", "the second pass goes to x and not to u: that is a second derivative of y")
def by_x(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), x, v, create_graph)


@mistake("jvp", "graph lost", "`create_graph` is not handed on to the second pass")
def jvp_graph_lost(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v)


@mistake("jvp", "u not asked", "u does not require grad, so no way leads back to it: `jacobian.placeholder(y)` does")
def u_not_asked(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.zeros(y.shape, y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v, create_graph)


# --- hessian -------------------------------------------------------------------------------------


@mistake("hessian", "no graph", "the gradient comes without a graph: to backward it is a constant, with derivative 0")
def hessian_without_graph(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(jacobian.vjp(y, x), x, create_graph)


@mistake(
    "hessian",
    "handed to the gradient",
    "the gradient has a graph only if `create_graph` is True; it always needs one, since you go on to differentiate it",
)
def handed_to_the_gradient(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=create_graph), x, create_graph)


@mistake(
    "hessian", "first derivatives", "what comes is the gradient of y: the Hessian is the Jacobian of that gradient"
)
def first_derivatives(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(y, x, create_graph)


@mistake("hessian", "summed", "a single backward from the gradient brings the sum of the Hessian's slices")
def summed(y: Any, x: Any, create_graph: bool = False) -> Any:
    gradient = jacobian.vjp(y, x, create_graph=True)
    return jacobian.vjp(gradient, x, minigrad.ones(*gradient.shape), create_graph)


@mistake("hessian", "squared gradient", "first derivatives are multiplied with each other; H has second derivatives")
def squared_gradient(y: Any, x: Any, create_graph: bool = False) -> Any:
    gradient = jacobian.vjp(y, x, create_graph=create_graph)
    return gradient.reshape((*gradient.shape, *[1] * gradient.ndim)) * gradient


@mistake("hessian", "graph lost", "`create_graph` is not handed on to the Jacobian")
def hessian_graph_lost(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=True), x)


# --- roots ---------------------------------------------------------------------------------------


def rooted(torch: Any, values: Any, scale: float, v: Any, root: Any, clean: bool = False) -> None:
    """The program with a root of its own."""
    s = torch.tensor(scale, requires_grad=True)
    y = root(torch.tensor(values) * s)
    y.backward(torch.tensor(v))
    grad = torch.where(s.grad == s.grad, s.grad, 0) if clean else s.grad
    print(y.detach(), grad)


@mistake(
    "roots",
    "nan",
    "`where` or `clamp` throws a root of 0 or less away only after it was taken: 0 goes back to it, and 0 · inf is nan",
)
def nan(torch: Any, values: Any, scale: float, v: Any) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z**0.5, 0))


@mistake(
    "roots", "cleaned up", "the nan is replaced in `.grad`: the right shares were in that sum, and are lost with it"
)
def cleaned_up(torch: Any, values: Any, scale: float, v: Any) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z**0.5, 0), clean=True)


@mistake("roots", "inner only", "the root is safe now, but what stands in for bad numbers still reaches y")
def inner_only(torch: Any, values: Any, scale: float, v: Any) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z, 1) ** 0.5)


@mistake("roots", "cut", "`detach()` cuts the way back to the scale along with the nan")
def cut(torch: Any, values: Any, scale: float, v: Any) -> None:
    s = torch.tensor(scale, requires_grad=True)
    z = torch.tensor(values) * s
    y = torch.where(z > 0, z.detach() ** 0.5, 0)
    print(y, s.grad)


# --- the chapter ---------------------------------------------------------------------------------

chapter = Chapter(
    number=3,
    name="03_jacobian_sums",
    together_points=3,
    parts=(
        Part(
            # the engine's own function of this name is left out when the answer is graded
            Place("weighted_sum", "program", "weighted_sum", "minigrad.jacobian"),
            points=2,
            minutes=6,
            difficulty=1,
            hints=(
                "For a vector v it is v[0] * J[0] + v[1] * J[1] + …; what does `J[i]` give when `i` is a pair?",
                "Let `i` run over `jacobian.entries(v)`. Both `v[i]` and `J[i]` take such an index as it is.",
                "Start with `total = 0` and add `v[i] * J[i]` for each `i`.",
            ),
            mistakes=mistake.of("weighted_sum"),
        ),
        Part(
            Place("slices", "engine", "slices", "minigrad.jacobian"),
            points=2,
            minutes=6,
            difficulty=1,
            hints=(
                "Which weights leave of v[0] * J[0] + v[1] * J[1] + … the term J[1] alone?",
                "Let `i` run over `jacobian.entries(y)`. Each time start with fresh zeros, "
                "`jacobian.zeros(y.shape, y)`, and set the entry `i` to 1.",
                "`found.append(jacobian.vjp(y, x, v, create_graph))`",
            ),
            mistakes=mistake.of("slices"),
        ),
        Part(
            Place("mv", "engine", "Mv", "minigrad.upstream", node="MvBackward0"),
            points=2,
            minutes=8,
            difficulty=2,
            hints=(
                "For x the slices are the rows of A. Σᵢ vᵢ · (row i of A) is a product of A and v; which one?",
                "For A, slice i holds x in row i and zeros elsewhere. So row i of the sum is vᵢ · x.",
                "`v[:, None] * x` has vᵢ · xⱼ at entry (i, j). And Σᵢ vᵢ Aᵢⱼ is `a.T @ v`.",
            ),
            mistakes=mistake.of("mv"),
        ),
        Part(
            Place("numeric_jacobian", "engine", "numeric_jacobian", "minigrad.jacobian"),
            points=3,
            minutes=12,
            difficulty=2,
            hints=(
                "Five steps: move entry j up, look, move it down, look, put it back. Then the slope.",
                "To look is `function(x).detach().clone()`: out of the graph, and a copy.",
                "`memory[j] = middle + eps`, later `middle - eps`, last `middle`. How far apart are the two points?",
            ),
            mistakes=mistake.of("numeric_jacobian"),
        ),
        Part(
            Place("agree", "engine", "agree", "minigrad.jacobian"),
            points=1,
            minutes=5,
            difficulty=1,
            hints=(
                "Comparing two tensors gives a tensor of True and False; `.all()` tells if all are True.",
                "Both sides have an absolute value: `(analytic - numeric).abs()` and `numeric.abs()`.",
            ),
            mistakes=mistake.of("agree"),
        ),
        Part(
            Place("jvp", "engine", "jvp", "minigrad.jacobian"),
            points=3,
            minutes=10,
            difficulty=3,
            hints=(
                "Two calls of `jacobian.vjp`. The first goes from y to x with the weights u. "
                "What does the second go to?",
                "The second goes from the result of the first to u, and its weights are v.",
                "`gradient = jacobian.vjp(y, x, u, create_graph=True)`; the second call takes the `create_graph` you "
                "were given.",
            ),
            mistakes=mistake.of("jvp"),
        ),
        Part(
            Place("hessian", "engine", "hessian", "minigrad.jacobian"),
            points=2,
            minutes=6,
            difficulty=2,
            hints=(
                "First the gradient of y, with a graph, because you go on to differentiate it.",
                "`jacobian.vjp(y, x, create_graph=True)` is the gradient. "
                "`jacobian.jacobian` of it by x is the Hessian.",
            ),
            mistakes=mistake.of("hessian"),
        ),
        Part(
            Place("roots", "program", "roots"),
            points=2,
            minutes=8,
            difficulty=2,
            hints=(
                "`where` sends 0 back to the branch that was not taken, and the root multiplies it by inf or nan. So "
                "the number before the root has to be harmless.",
                "Use `where` twice: before the root put a harmless number in place of the bad ones, after it a 0.",
                "`inside = torch.where(z > 0, z, 1)`",
            ),
            mistakes=mistake.of("roots"),
        ),
    ),
)
