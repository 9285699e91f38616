"""The part `slices`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable

from minigrad import jacobian
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("slices")


@mistake("ones", "v is 1 everywhere, which gives the sum of all slices each time, never a single one")
def all_ones(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    return [jacobian.vjp(y, x, jacobian.zeros(y.shape, y) + 1, create_graph) for _ in jacobian.entries(y)]


@mistake("not reset", "you make v only once, and it still has the ones of earlier entries: the slices pile up")
def not_reset(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    v, result = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        result.append(jacobian.vjp(y, x, v.clone(), create_graph))
    return result


@mistake(
    "one v for all",
    "you change the same v from slice to slice: the graph of earlier slices needs it unchanged, so make a new one",
)
def one_v_for_all(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    v, result = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        result.append(jacobian.vjp(y, x, v, create_graph))
        v[i] = 0
    return result


@mistake(
    "one v, not reset",
    "you make v only once, and it still has the ones of earlier entries: the slices pile up, and their graph needs "
    "each v as it was, too",
)
def one_v_not_reset(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    v, result = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        result.append(jacobian.vjp(y, x, v, create_graph))
    return result


@mistake("shape of x", "v has the shape of x: an upstream gradient has the shape of y, whose entries it weights")
def shape_of_x(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    results = []
    for i in jacobian.entries(jacobian.as_tuple(x)[0]):
        v = jacobian.zeros(jacobian.as_tuple(x)[0].shape, y)
        v[i] = 1
        results.append(jacobian.vjp(y, x, v, create_graph))
    return results


@mistake("one per row", "you use one v per row of y instead of one per entry: you get the sum of a row's slices")
def one_per_row(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    results = []
    for i in range(len(y)):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        results.append(jacobian.vjp(y, x, v, create_graph))
    return results


@mistake("no graph", "you do not pass `create_graph` on, so nothing can be differentiated a second time")
def slices_without_graph(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    results = []
    for i in jacobian.entries(y):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        results.append(jacobian.vjp(y, x, v))
    return results


@mistake(
    "x asked for its shape",
    "you use the shape of `x`, which may be a tuple of inputs: pass it on as it is; v has the shape of y",
)
def x_asked_for_its_shape(y: Tensor, x: Tensor, create_graph: bool = False) -> list[Tensor]:
    return [jacobian.vjp(y, x, jacobian.zeros(x.shape, y), create_graph)]


def with_entry(
    entry: Callable[[Tensor, tuple[int, ...]], Tensor | int],
    keep: Callable[[list[Tensor]], list[Tensor]] = list,
    graph: Callable[[bool], bool] = lambda create_graph: create_graph,
) -> Callable[..., list[Tensor]]:
    """An answer with `entry(y, i)` at entry i of v; `keep` says which slices are handed back."""

    def slices(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
        results = []
        for i in jacobian.entries(y):
            v = jacobian.zeros(y.shape, y)
            v[i] = entry(y, i)
            results.append(jacobian.vjp(y, x, v, graph(create_graph)))
        return keep(results)

    return slices


@mistake("an entry of it", "you take entry `i` of what `vjp` returns: that is already the whole slice")
def an_entry_of_it(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    results = []
    for i in jacobian.entries(y):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        results.append(jacobian.vjp(y, x, v, create_graph)[i])
    return results


mistake("last one only", "you return a single slice: `found.append(…)` belongs inside the loop")(
    with_entry(lambda y, i: 1, lambda found: found[-1:])
)
mistake("all zeros", "v is 0 everywhere, so every slice vanishes: entry `i` must be 1")(with_entry(lambda y, i: 0))
mistake("weighted by y", "v has the entry of y at `i` instead of 1: each slice is multiplied by it")(
    with_entry(lambda y, i: y[i])
)
mistake("always a graph", "the slices have a graph even if `create_graph` is False: pass on what you were given")(
    with_entry(lambda y, i: 1, graph=lambda create_graph: True)
)


@mistake(
    "create_graph as v",
    "`create_graph` stands where `jacobian.vjp` wants v: that comes third, and `create_graph` after it",
)
def create_graph_as_v(y: Tensor, x: Tensor | tuple[Tensor, ...], create_graph: bool = False) -> list[Tensor]:
    return [jacobian.vjp(y, x, create_graph)]


part = Part(
    Place("slices", "engine", "slices", "minigrad.jacobian"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "Which weights leave only the term J[1] of v[0] * J[0] + v[1] * J[1] + …?",
        "Let `i` run over `jacobian.entries(y)`. Each time, start with new zeros, "
        "`jacobian.zeros(y.shape, y)`, and set entry `i` to 1.",
        "`found.append(jacobian.vjp(y, x, v, create_graph))`",
    ),
    mistakes=tuple(mistake),
    probe="""
A = torch.tensor([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]], dtype=torch.float64)
x, b = leaves([2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]])
for name, y, inputs in (
    ("y = A @ x", A @ x, x),
    ("y = A @ x * x[0]", A @ x * x[0], x),
    ("y = A @ b", A @ b, b),
    ("y = x.sum()", x.sum(), x),
    ("y = A @ x, and the inputs (x, x)", A @ x, (x, x)),
):
    for create_graph in (False, True):
        found = tell(lambda: torch.jacobian.slices(y, inputs, create_graph), f"the list for `{name}`| ")
        tell(lambda: [each.requires_grad for each in found], "`requires_grad` of the slices| ")
        tell(lambda: len(found), "the number of slices| ")
""",
)
