"""The part `weighted_sum`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad import jacobian
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("weighted_sum")


@mistake("unweighted", "you add up the slices as they are: that is what an upstream gradient of ones gives")
def unweighted(J: Tensor, v: Tensor) -> Tensor:
    return sum(J[i] for i in jacobian.entries(v))


@mistake("not added", "you weight each slice but do not add them up: the result keeps J's shape")
def not_added(J: Tensor, v: Tensor) -> Tensor:
    return v.reshape((*v.shape, *[1] * (J.ndim - v.ndim))) * J


@mistake("last slice", "each weighted slice overwrites the previous one, and only the last is left")
def last_slice(J: Tensor, v: Tensor) -> Tensor | int:
    total: Tensor | int = 0
    for i in jacobian.entries(v):
        total = v[i] * J[i]
    return total


@mistake(
    "from the right",
    "v does not line up with the first axes of J: those are y's, and v has y's shape; J v needs a v of x's shape",
)
def from_the_right(J: Tensor, v: Tensor) -> Tensor:
    return J @ v


@mistake(
    "first axis only",
    "you loop over only the first axis of v: a matrix of outputs has an entry for every row and column",
)
def first_axis_only(J: Tensor, v: Tensor) -> Tensor:
    return sum(v[i] * J[i] for i in range(len(v)))


@mistake(
    "from the left",
    "you write `v @ J`, which works only for a v with one axis; here v is a matrix: add over all of its axes",
)
def from_the_left(J: Tensor, v: Tensor) -> Tensor:
    return v @ J


@mistake(
    "rows added",
    "you add up the slices as they are, along only the first axis of v: each has a weight, and all entries count",
)
def rows_added(J: Tensor, v: Tensor) -> Tensor:
    return J.sum(0)


@mistake(
    "one number", "you also add the entries within each slice: the sum of the slices has their shape, which is x's"
)
def one_number(J: Tensor, v: Tensor) -> Tensor:
    return sum((v[i] * J[i]).sum() for i in jacobian.entries(v))


@mistake("averaged", "you divide the sum by the number of slices: the only weights are in v")
def averaged(J: Tensor, v: Tensor) -> Tensor:
    return sum(v[i] * J[i] for i in jacobian.entries(v)) / v.numel()


@mistake(
    "not lined up",
    "v and J do not line up: broadcasting starts at their last axes, which are x's in J, and v has none of those; go "
    "through the entries of v",
)
def not_lined_up(J: Tensor, v: Tensor) -> Tensor:
    return (v * J).sum(0)


@mistake(
    "one axis for x",
    "v gets one axis for x, and x may have more, as v may have more than the one you sum over: go through the entries "
    "of v",
)
def one_axis_for_x(J: Tensor, v: Tensor) -> Tensor:
    return (v[:, None] * J).sum(0)


part = Part(
    # the engine's own function of this name is removed when the answer is graded
    Place("weighted_sum", "program", "weighted_sum", "minigrad.jacobian"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "For a vector v it is v[0] * J[0] + v[1] * J[1] + …; what does `J[i]` give when `i` is a pair?",
        "Let `i` run over `jacobian.entries(v)`. Both `v[i]` and `J[i]` take such an index as it is.",
        "Start with `total = 0` and add `v[i] * J[i]` for each `i`.",
    ),
    mistakes=tuple(mistake),
    probe="""
for shape, weights in (
    ((3, 2), [1.0, 10.0, 100.0]),
    ((2, 2), [1.0, 10.0]),
    ((2, 3, 2), [[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]),
    ((2, 2, 2, 2), [[1.0, 10.0], [100.0, 1000.0]]),
    ((2, 1), [1.0, 1.0]),
):
    J = torch.tensor((np.arange(1.0, 1 + np.prod(shape)) ** 2).reshape(shape).tolist())
    told = f"the sum for J of shape {list(shape)} and v of shape {list(np.shape(weights))}| "
    tell(lambda: weighted_sum(J, torch.tensor(weights)), told)
""",
)
