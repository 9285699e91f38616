"""The part `record`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minigrad.graph.nodes import Operation
from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad.recording import record
from minigrad.scalar import Function
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("record")
Flags = Callable[[tuple[NodeOrLeaf | None, ...], tuple[Any, ...]], Iterable[bool]]


def flags_of(edges: tuple[NodeOrLeaf | None, ...], inputs: tuple[object, ...]) -> Iterable[bool]:
    """Which inputs want a gradient, as it should be: those that have an edge."""
    return (edge is not None for edge in edges)


def recorded(
    operation: type[Function],
    inputs: tuple[object, ...],
    settings: dict[str, object],
    edges: Iterable[object],
    flags: Flags = flags_of,
    wanted: Callable[[Iterable[object]], bool] = any,
) -> Tensor:
    """The right record but for its edges, its flags, or when there is a node at all."""
    node, values = record.begin(operation, inputs)
    node.edges = tuple(edges)
    node.needs_input_grad = tuple(flags(node.edges, inputs))
    output = record.forward(node, values, settings)
    if wanted(node.needs_input_grad):
        return record.result(node, inputs, values, output)
    return record.fresh(output)


def edges_of(inputs: tuple[object, ...]) -> list[NodeOrLeaf | None]:
    """The edges as they should be."""
    return [record.edge(value) for value in inputs]


@mistake(
    "edges reversed",
    "the edges stand in the wrong order: the first edge belongs to the first input, because it gets the first share",
)
def edges_reversed(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, edges_of(inputs)[::-1])


@mistake(
    "inputs as edges",
    "the edges lead to the input tensors themselves: a tensor that an operation made must be followed to its node, or "
    "the walk ends there",
)
def inputs_as_edges(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    edges = [value if isinstance(value, Tensor) and value.requires_grad else None for value in inputs]
    return recorded(operation, inputs, settings, edges)


@mistake(
    "every input an edge",
    "every input is an edge, constants and plain numbers included: an edge leads to a node or to a leaf that requires "
    "grad, and is None otherwise",
)
def every_input_an_edge(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, inputs)


@mistake(
    "leaves only",
    "only leaves get an edge: an input that another operation made gets none, and the graph ends there",
)
def leaves_only(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    edges = [edge if isinstance(edge, Tensor) else None for edge in edges_of(inputs)]
    return recorded(operation, inputs, settings, edges)


@mistake(
    "no_grad ignored",
    "the edges are worked out without asking whether anything is recorded at all: `record.edge` gives None inside "
    "`torch.no_grad()`",
)
def no_grad_ignored(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    tensors = [value if isinstance(value, Tensor) else None for value in inputs]
    edges = [
        tensor.grad_fn or (tensor if tensor.requires_grad else None) if tensor is not None else None
        for tensor in tensors
    ]
    return recorded(operation, inputs, settings, edges)


@mistake(
    "all flags True",
    "`needs_input_grad` is True for every input, and it has to be False where the edge is None: `forward` now saves "
    "what nobody will need",
)
def all_flags_true(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    def flags(edges: tuple[NodeOrLeaf | None, ...], inputs: tuple[object, ...]) -> list[bool]:
        return [any(edge is not None for edge in edges)] * len(inputs)

    return recorded(operation, inputs, settings, edges_of(inputs), flags)


@mistake(
    "flags reversed",
    "`needs_input_grad` says the opposite: it is True where there is an edge, and False where it is None",
)
def flags_reversed(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, edges_of(inputs), lambda edges, _: [edge is None for edge in edges])


@mistake(
    "None dropped",
    "the Nones are left out: there has to be one entry for each input, or the shares and the edges no longer line up",
)
def none_dropped(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, (edge for edge in edges_of(inputs) if edge is not None))


@mistake(
    "None dropped from the edges",
    "the Nones are left out of the edges, though not out of `needs_input_grad`: there has to be one edge for each "
    "input, or the shares and the edges no longer line up",
)
def none_dropped_from_the_edges(
    operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]
) -> Tensor:
    edges = (edge for edge in edges_of(inputs) if edge is not None)
    return recorded(operation, inputs, settings, edges, lambda _, inputs: flags_of(tuple(edges_of(inputs)), inputs))


@mistake(
    "flags of requires_grad",
    "each input is asked for `requires_grad`, and a plain number has no such attribute: ask whether its edge is None",
)
def flags_of_requires_grad(
    operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]
) -> Tensor:
    flags: Flags = lambda _, inputs: [value.requires_grad for value in inputs]  # noqa: E731
    return recorded(operation, inputs, settings, edges_of(inputs), flags)


@mistake(
    "flags despite no_grad",
    "the inputs are asked for `requires_grad`, which stays True inside `torch.no_grad()`: ask whether the edge is None",
)
def flags_despite_no_grad(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    flags: Flags = lambda _, inputs: [isinstance(value, Tensor) and value.requires_grad for value in inputs]  # noqa: E731
    return recorded(operation, inputs, settings, edges_of(inputs), flags)


@mistake(
    "truth of an edge",
    "`bool(edge)` asks a leaf for its number, which may be 0 or several: ask `edge is not None`",
)
def truth_of_an_edge(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, edges_of(inputs), lambda edges, _: [bool(edge) for edge in edges])


@mistake(
    "always recorded",
    "there is a node even where no input wants a gradient: a result of constants has no `grad_fn`, so the edge to it "
    "is None",
)
def always_recorded(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, edges_of(inputs), wanted=lambda flags: True)


@mistake(
    "only if all",
    "there is a node only if every input wants a gradient, and one is enough: write `any`, not `all`",
)
def only_if_all(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, edges_of(inputs), wanted=all)


@mistake(
    "never recorded",
    "no result ever has a node: `record.edge` asks the inputs, not `values`; a leaf that requires grad is an edge "
    "itself; and a result with an edge is what `record.result` gives, with a `return` in front",
)
def never_recorded(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, settings, edges_of(inputs), wanted=lambda flags: False)


@mistake(
    "a fresh leaf",
    "the result is a new leaf that requires grad: it keeps the gradient itself, and nothing behind it gets any",
)
def a_fresh_leaf(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    result = never_recorded(operation, inputs, settings)
    return result.requires_grad_() if any(edge is not None for edge in edges_of(inputs)) else result


def run(
    operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]
) -> tuple[Operation, list[Any], np.ndarray]:
    """The node with its edges and flags, the values, and the output: all but the result."""
    node, values = record.begin(operation, inputs)
    node.edges = tuple(edges_of(inputs))
    node.needs_input_grad = tuple(flags_of(node.edges, inputs))
    return node, values, record.forward(node, values, settings)


@mistake("the bare output", "the output itself is returned, which is an array: a program expects a tensor")
def the_bare_output(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> np.ndarray:
    return run(operation, inputs, settings)[-1]


@mistake(
    "made by Tensor",
    "`Tensor(…)` is called, which wants a list of numbers and knows no node: call `record.result` or `record.fresh`",
)
def made_by_tensor(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return Tensor(run(operation, inputs, settings)[-1])


@mistake("nothing returned", "nothing is returned: the function has to end in a `return`, however the result was made")
def nothing_returned(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> None:
    node, values, output = run(operation, inputs, settings)
    record.result(node, inputs, values, output)


@mistake(
    "run on tensors",
    "`forward` is run on `inputs`, which are tensors, so `*` inside it is applied and recorded again, without end: run "
    "it on `values`",
)
def run_on_tensors(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    node, values = record.begin(operation, inputs)
    node.edges = tuple(edges_of(inputs))
    node.needs_input_grad = tuple(flags_of(node.edges, inputs))
    output: Any = record.forward(node, list(inputs), settings)
    return record.result(node, inputs, values, output)


@mistake(
    "no settings",
    "`forward` is run without the settings, and an operation such as `**` gets no exponent then: hand `settings` on",
)
def no_settings(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    return recorded(operation, inputs, {}, edges_of(inputs))


@mistake(
    "saved on another node",
    "`forward` is run with another node, and what it saves there is lost: run it with `node`, whose edges you have set",
)
def saved_on_another_node(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    node, values = record.begin(operation, inputs)
    other, _ = record.begin(operation, inputs)
    node.edges = tuple(edges_of(inputs))
    node.needs_input_grad = other.needs_input_grad = tuple(flags_of(node.edges, inputs))
    output = record.forward(other, values, settings)
    return record.result(node, inputs, values, output) if any(node.needs_input_grad) else record.fresh(output)


@mistake(
    "run too early",
    "`forward` runs before `needs_input_grad` is set, and it reads that to know what to save: set it first",
)
def run_too_early(operation: type[Function], inputs: tuple[object, ...], settings: dict[str, object]) -> Tensor:
    node, values = record.begin(operation, inputs)
    output = record.forward(node, values, settings)
    node.edges = tuple(edges_of(inputs))
    node.needs_input_grad = tuple(flags_of(node.edges, inputs))
    return record.result(node, inputs, values, output) if any(node.needs_input_grad) else record.fresh(output)


part = Part(
    Place("record", "engine", "apply", "minigrad.scalar"),
    points=2,
    minutes=10,
    difficulty=2,
    hints=(
        "One edge for each input, in their order: call `record.edge` on each of them, and make a tuple of what it "
        "returns. Keep the Nones.",
        "An input wants a gradient if its edge is not None. Set these flags before you run `forward`.",
        "Run `output = record.forward(node, values, settings)`. Then there are two ways to end: `record.result(…)` if "
        "`any` of the flags is True, `record.fresh(output)` if none is.",
    ),
    mistakes=tuple(mistake),
    probe="""
def below(node):
    return [each.name() if each else "None" for each, _ in node.next_functions] if node else "no node"

def recorded(function):
    x, y = leaves(2.0, -3.0)
    k = torch.tensor(5.0, dtype=torch.float64)
    result = tell(lambda: function(x, y, k))
    tell(lambda: below(result.grad_fn))
    tell(lambda: [result.requires_grad, result.is_leaf])
    tell(lambda: list(result.grad_fn.needs_input_grad) if result.grad_fn else [])
    tell(lambda: len([each for each in result.grad_fn.saved or () if each is not None]) if result.grad_fn else 0)
    ended = tell(lambda: result.backward() or "ended")
    tell(lambda: x.grad if ended else "stopped")
    tell(lambda: y.grad if ended else "stopped")

recorded(lambda x, y, k: x + y)
recorded(lambda x, y, k: x - y)
recorded(lambda x, y, k: x * y)
recorded(lambda x, y, k: x / y)
recorded(lambda x, y, k: k / y)
recorded(lambda x, y, k: k * x)
recorded(lambda x, y, k: x * k)
recorded(lambda x, y, k: x - 2.0)
recorded(lambda x, y, k: 2.0 * y)
recorded(lambda x, y, k: x**3)
recorded(lambda x, y, k: (x / y) * (x / y))
recorded(lambda x, y, k: (x * y) * x)
recorded(lambda x, y, k: (x * k) - (k / y))
recorded(lambda x, y, k: k * k)
recorded(lambda x, y, k: k + 1.0)
with torch.no_grad():
    recorded(lambda x, y, k: x * y)
""",
)
