"""Backward passes: everything around one walk. From which outputs, with which seeds, recorded or not, for which inputs.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from minigrad import leaf, scalar, upstream
from minigrad.arithmetic import errstate
from minigrad.compat import messages
from minigrad.compat.messages import warn_once
from minigrad.compat.typenames import bare_name
from minigrad.graph import array_ops, nodes, owning, state
from minigrad.graph.multi_output import Output
from minigrad.tensor import Tensor


def backward(
    outputs: Tensor | tuple[Tensor, ...],
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Fill the `.grad` of every leaf below a tensor with vᵀJ, where v is `gradient`. `gradient` has the shape of the
    tensor, any real dtype (it is cast), and may be left out when the tensor has one element: then v = 1.
    `retain_graph` is `create_graph` unless given. With `inputs`, only these tensors keep what reaches them. TypeError
    if `gradient` is not a tensor, RuntimeError if its shape differs, if it is missing for several elements, or if
    nothing below requires grad.

    One pass serves several outputs: then `outputs` and `gradient` are tuples, as `autograd.backward` and `grad` pass
    them, and `inputs` may be a `CapturePass`, which reads what arrives.
    """
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    if results is not outputs:
        gradient = (None,) if gradient is None else gradients_of(gradient, results)
    if inputs is not None and type(inputs) is not CapturePass:
        inputs = CapturePass(inputs_of(inputs, "backward"), keeps=True)
    if state.transforms and (inputs is None or inputs.keeps):
        raise RuntimeError(messages.VMAP_BACKWARD)
    roots: list = []
    seeds: list = []
    given: tuple = ()  # the arrays of the gradients that the program gave
    for output, v in zip(results, gradient):  # noqa: B905  (their number is seen to)
        seed: Any = None
        if v is not None and not isinstance(v, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {bare_name(v)}")
        if v is not None:
            given = (*given, v._array)
        if v is not None or output._made_by is not None or output.requires_grad:
            seed = upstream.seed_rule(output, v, len(seeds))
        root = output._made_by if output._view is None else output._source()
        if root is None:
            root = output
        if seed is None or (root is output and not output._requires_grad):
            raise RuntimeError(messages.NO_GRAPH.format(len(seeds)))  # a constant, or an unrecorded view
        if isinstance(seed, Tensor) and not create_graph:
            seed = seed._array
        if create_graph or getattr(seed, "dtype", None) is not output._array.dtype:
            seed = in_dtype_of(output, seed, create_graph)
        roots.append(root)
        seeds.append(seed)
    if len(seeds) < len(results):
        raise RuntimeError(f"got {len(results)} tensors and {len(gradient)} gradients")
    if len(seeds) != 1:  # of one, root and seed are what the loop has left
        root, seed = Roots(roots), seeds
    if inputs is not None:
        inputs.begin(root)
    if create_graph and (inputs is None or inputs.keeps):
        warn_once(messages.CREATE_GRAPH)
    token = errstate.STATE.set(errstate.IGNORE)
    before = leaf.recording, state.recorded, state.running, state.watcher
    others = state.ordinary, state.lent, state.seeds, state.root
    state.root = Pass()
    state.root.root = root
    state.seeds = given
    leaf.recording, state.recorded = create_graph, create_graph
    state.running, state.watcher = True, inputs
    state.ordinary = inputs is None and not create_graph and state.anomalies is None
    state.lent = [] if state.ordinary and nodes.prepare else None
    try:
        scalar.backpropagate(root, seed, create_graph if retain_graph is None else bool(retain_graph))
    finally:
        if state.lent:
            owning.settle()
        leaf.recording, state.recorded, state.running, state.watcher = before
        state.ordinary, state.lent, state.seeds, state.root = others
        errstate.STATE.reset(token)


def in_dtype_of(output: Tensor, seed: Any, create_graph: bool) -> Any:
    """The seed in the dtype of the output: an array, or a Tensor under `create_graph`."""
    if create_graph and not isinstance(seed, Tensor):
        seed = array_ops.constant(seed)
    return array_ops.cast(seed, output._array.dtype)


class Pass:
    """One pass, while it runs: where it begins. Without `__init__`, which would be a call in each pass."""

    __slots__ = ("__weakref__", "root")
    root: Any


class Roots:
    """The start of a pass from several outputs: it gives each its own seed."""

    number = math.inf
    nothing = None

    def __init__(self, edges: list):
        self.edges = edges

    def pullback(self, seeds: list, retain_graph: bool = False) -> list:
        """The seeds, one for each output."""
        return seeds


class CapturePass:
    """A pass only for chosen tensors: `autograd.grad` reads what arrives there, `backward(inputs=…)` keeps it."""

    def __init__(self, inputs: Sequence[Any], keeps: bool):
        self.inputs, self.keeps = inputs, keeps
        self.found: dict[Any, Any] = {}  # what arrived, by the place in the graph

    def begin(self, root: Any) -> None:
        """Find the way from `root` to the tensors. RuntimeError for what is no Tensor, or a constant."""
        for value in self.inputs:
            if isinstance(value, nodes.GradientEdge):
                continue
            if not isinstance(value, Tensor):
                raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(value).__name__}")
            if not self.keeps and not value.requires_grad:
                raise RuntimeError("One of the differentiated Tensors does not require grad")
        for value in self.inputs if self.keeps else ():
            if isinstance(value, Tensor):
                leaf.retain_grad(value)
        self.wanted = {value._place() for value in self.inputs}
        self.results: dict[Any, list] = {}  # by node: which of its several results are wanted
        for place in self.wanted:
            if isinstance(place, Output):
                self.results.setdefault(place.edges[0], []).append(place)
        self.passed = {*self.wanted, *self.results} if self.keeps else set()  # where the walk goes on
        for node in reversed(scalar.topological_order(root)):
            if any(target in self.passed or target in self.wanted for target in node.edges):
                self.passed.add(node)
        # at a single root, and at a node with one result that is read, hooks always see what arrives
        self.on_the_way = self.passed | self.wanted | {*self.results, root}
        if isinstance(root, Output):
            self.on_the_way.add(root.edges[0])

    def read(self, place: Any, total: Any) -> None:
        """Record what arrived at a place, if wanted; at a node with several results, for those that are."""
        if place in self.wanted:
            self.found[place] = total
        for result in self.results.get(place, ()):
            if result.index in total:
                self.found[result] = total[result.index]

    def needs(self, place: Any) -> bool:
        """True if the pass continues there."""
        return place in self.passed or place in self.wanted


# --- what a pass is given -------------------------------------------------------------------------


def inputs_of(inputs: Any, caller: str) -> tuple:
    """The inputs as a tuple; for a dict, its values. RuntimeError if there are none."""
    if isinstance(inputs, (Tensor, nodes.GradientEdge)):
        inputs = (inputs,)
    if isinstance(inputs, Mapping) and type(inputs) is not dict:
        other = f"not {type(inputs).__name__}. Other Mapping types are not supported."
        raise TypeError(f"`inputs` argument to `{caller}()` must be a dict, {other}")
    results = tuple(inputs.values() if isinstance(inputs, dict) else inputs)
    if not results:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return results


def gradients_of(gradients: Any, outputs: Sequence[Tensor]) -> tuple:
    """The gradients as a tuple; without any, one None for each output."""
    if gradients is None:
        return (None,) * len(outputs)
    return (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
