"""`torch.autograd.graph`: edges that name a place of the graph, hooks for several tensors, hooks for what nodes save.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#module-torch.autograd.graph
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import leaf, scalar
from minigrad.autograd import application
from minigrad.autograd.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from minigrad.runtime import grad_mode, hooks, nodes, state
from minigrad.runtime.multi_output import Output
from minigrad.runtime.nodes import Node
from minigrad.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

# --- edges ---------------------------------------------------------------------------------------


class _Edge(NamedTuple):
    node: Any
    output_nr: int
    ownership_token: Any = None


class GradientEdge(_Edge):
    """A place of the graph: a node, and which of its results. It stands for the tensor in a pass.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> y = x * x
    >>> torch.autograd.grad(y.sum(), GradientEdge(y.grad_fn, 0))
    (tensor([1., 1.]),)
    """

    __module__ = "torch.autograd.graph"

    def stand_in(self) -> Tensor:
        """A Tensor that stands in for the edge in a pass."""
        return tensor_at(self)


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of the tensor is computed. RuntimeError for a constant.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> edge = get_gradient_edge(x)
    >>> edge.node.name(), edge.output_nr
    ('torch::autograd::AccumulateGrad', 0)
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients",
        )
    place = tensor._place()
    node, index = nodes.seen(place)
    token = None
    if isinstance(place, application.OutputPlace):  # as in torch
        with grad_mode.enable_grad():
            token = tensor.view_as(tensor).grad_fn
    edge = GradientEdge(node, index, token)
    edge.place = place  # type: ignore[attr-defined]
    return edge


def tensor_at(edge: Any) -> Tensor:
    """A Tensor that stands in for an edge in a pass: the leaf itself, or one at the place where the edge leads."""
    place = edge.place if hasattr(edge, "place") else place_at(edge.node, edge.output_nr)
    if isinstance(place, Tensor):
        return place
    stand_in = Tensor._of(np.broadcast_to(np.zeros((), place.dtype), place.shape))
    stand_in._made_by = place
    return stand_in


def place_at(node: Any, index: int) -> Any:
    """Where the walk meets a result of a node. RuntimeError if that is only known with a tensor at hand."""
    if isinstance(node, nodes.AccumulateGrad):
        return node.variable
    inner = node._place()
    if isinstance(inner, application.Node):
        return inner.place(index)
    if inner.shape and isinstance(inner.shape[0], tuple):
        raise RuntimeError("minigrad finds a result of a node with several only through get_gradient_edge(tensor)")
    return inner


# --- hooks for several tensors -------------------------------------------------------------------


class _MultiHandle(hooks.RemovableHandle):
    """Takes all of its hooks back."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: Iterable[hooks.RemovableHandle]):
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


class Pass:
    """A running pass: where it goes, and what the hooks for several tensors wait for in it."""

    running: Pass | None = None

    def __init__(self, root: Any):
        self.root, self.gathered = root, {}  # type: ignore[var-annotated]

    @functools.cached_property
    def places(self) -> set:
        """Every node and leaf below the root."""
        return set(scalar.topological_order(self.root))

    def runs(self, place: Any) -> bool:
        """True if the pass goes there. RuntimeError for a leaf that `autograd.grad` reads, as in torch."""
        asked = state.watcher
        if place not in self.places or asked is None:
            return place in self.places
        if isinstance(place, Tensor) and place in asked.wanted and place not in asked.passed:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
                "This is currently not supported."
            )
        return asked.needs(place)


def _noting_the_pass() -> None:
    """Let passes be known while they run: from the first hook for several tensors on."""
    walk = scalar.backpropagate
    if getattr(walk, "notes_the_pass", False):
        return

    @functools.wraps(walk)
    def backpropagate(root: Any, *args: Any, **settings: Any) -> None:
        before, Pass.running = Pass.running, Pass(root)
        try:
            walk(root, *args, **settings)
        finally:
            Pass.running = before

    backpropagate.notes_the_pass = True  # type: ignore[attr-defined]
    scalar.backpropagate = backpropagate


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> hooks.RemovableHandle:
    """Call `fn(grads)` in a pass once the gradients of all tensors that it reaches are there, None for the others.

    With mode "any", `fn(grad)` is called with the first gradient that is there. ValueError for another mode,
    AssertionError for a constant among the tensors.

    >>> import minigrad as torch
    >>> a, b = torch.tensor(2., requires_grad=True), torch.tensor(3., requires_grad=True)
    >>> handle = register_multi_grad_hook([a, b], print)
    >>> (a * b).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    _noting_the_pass()
    key = object()  # of what a pass keeps for this hook
    if mode == "any":

        @functools.wraps(fn)
        def first(grad: Tensor) -> None:
            running = Pass.running
            if running is not None and key not in running.gathered:
                running.gathered[key] = grad
                fn(grad)

        return _MultiHandle([each.register_hook(first) for each in tensors if each.requires_grad])
    places = []
    for each in tensors:
        if not each.requires_grad:
            raise AssertionError("Expected gradient function to be set")
        place = each._place()
        places.append(place.edges[0] if isinstance(place, Output) else place)

    def waiting(index: int) -> Callable:
        def inner_hook(grad: Tensor) -> None:
            running: Any = Pass.running
            if key not in running.gathered:
                running.gathered[key] = [0, sum([running.runs(place) for place in places]), [None] * len(places)]
            gathered = running.gathered[key]
            gathered[0] += 1
            gathered[2][index] = grad
            if gathered[0] == gathered[1]:
                fn(gathered[2])
                del running.gathered[key]

        return inner_hook

    return _MultiHandle([each.register_hook(waiting(index)) for index, each in enumerate(tensors)])


def increment_version(tensor: Any) -> None:
    """Count a change in place that the engine cannot see, of a tensor or of several. RuntimeError for anything else.

    >>> import minigrad as torch
    >>> x = torch.ones(2)
    >>> increment_version(x)
    >>> x._version
    1
    """
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(each, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        leaf.counter(each)[0] += 1
