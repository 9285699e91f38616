"""Backward passes: everything around one walk. From which outputs, with which seeds, recorded or not, for which inputs.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from minigrad import leaf, scalar, upstream
from minigrad.arithmetic import errstate
from minigrad.compat import messages
from minigrad.compat.messages import warn_once
from minigrad.compat.typenames import bare_name
from minigrad.graph import array_ops, state
from minigrad.graph.multi_output import Output
from minigrad.tensor import Tensor


def backward(
    output: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Fill the `.grad` of every leaf below `output` with vᵀJ, where v is `gradient`. `gradient` has the shape of
    `output`, any real dtype (it is cast), and may be left out when output has one element: then v = 1. With `inputs`,
    only these tensors keep what reaches them. TypeError if `gradient` is not a tensor, RuntimeError if its shape
    differs, if it is missing for several elements, or if nothing below requires grad.
    """
    if inputs is None and (gradient is None or isinstance(gradient, Tensor)):
        seed = seed_for(output, gradient, 0, create_graph)
        walk(output._place(), seed, retain_graph, create_graph)
        return
    keepers = None if inputs is None else inputs_of(inputs, "backward")
    run((output,), gradients_of(gradient, (output,)), retain_graph, create_graph, keepers, True)


def run(
    outputs: Sequence[Tensor],
    gradients: Sequence[Any],
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Tensor] | None,
    keeps: bool,
) -> dict:
    """One backward pass from all outputs at once. With `inputs`, the pass is only for them: each keeps what arrives in
    `.grad` (`keeps`), or it is returned, keyed by the place in the graph where it arrived. RuntimeError for inputs that
    are not Tensors or cannot be returned.
    """
    pairs = enumerate(zip(outputs, gradients, strict=False))
    seeds = [seed_for(output, gradient, place, create_graph) for place, (output, gradient) in pairs]
    if len(seeds) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    for each in inputs or ():
        if not isinstance(each, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(each).__name__}")
        if not keeps and not each.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    places = [output._place() for output in outputs]
    if len(places) == 1:
        return walk(places[0], seeds[0], retain_graph, create_graph, inputs, keeps)
    return walk(Roots(places), seeds, retain_graph, create_graph, inputs, keeps)


def walk(
    root: Any,
    seed: Any,
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Tensor] | None = None,
    keeps: bool = True,
) -> dict:
    """Send `seed` from `root` down the graph. `retain_graph` is `create_graph` unless given; see `run` for the rest."""
    asked = None
    if inputs is not None:
        for each in inputs if keeps else ():
            leaf.retain_grad(each)
        asked = CapturePass(root, [each._place() for each in inputs], keeps)
    if create_graph and keeps:
        warn_once(messages.CREATE_GRAPH)
    token = errstate.STATE.set(errstate.IGNORE)
    before = leaf.recording, state.recorded, state.running, state.watcher, state.ordinary
    leaf.recording, state.recorded = create_graph, create_graph
    state.running, state.watcher = True, asked
    state.ordinary = asked is None and not create_graph and state.anomalies is None
    try:
        scalar.backpropagate(root, seed, create_graph if retain_graph is None else bool(retain_graph))
    finally:
        leaf.recording, state.recorded, state.running, state.watcher, state.ordinary = before
        errstate.STATE.reset(token)
    return asked.found if asked else {}


def seed_for(output: Tensor, gradient: Any, place: int = 0, create_graph: bool = False) -> Any:
    """The seed of the walk, in the dtype of `output`: `gradient`, or the implicit 1. RuntimeError for a constant. It is
    an array, or a Tensor under `create_graph`. `place` counts the outputs of one pass, for error messages.
    """
    if gradient is not None and not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {bare_name(gradient)}")
    seed: Any = None
    if gradient is not None or output._made_by is not None or output.requires_grad:
        seed = upstream.seed_rule(output, gradient, place)
    if seed is None or (output._made_by is None and not output._requires_grad and output._place() is output):
        raise RuntimeError(messages.NO_GRAPH.format(place))  # a constant, or an unrecorded view
    if type(seed) is Tensor and seed._array.dtype is output._array.dtype and not create_graph:
        return seed._array
    seed = array_ops.cast(seed, output._array.dtype)
    return seed if create_graph else array_ops.raw(seed)


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

    def __init__(self, root: Any, places: Iterable[Any], keeps: bool):
        self.wanted = set(places)
        self.results: dict[Any, list] = {}  # by node: which of its several results are wanted
        for place in self.wanted:
            if isinstance(place, Output):
                self.results.setdefault(place.edges[0], []).append(place)
        self.passed = {*self.wanted, *self.results} if keeps else set()  # where the walk goes on
        self.found: dict[Any, Any] = {}
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
    if isinstance(inputs, Tensor):
        inputs = (inputs,)
    found = tuple(inputs.values() if isinstance(inputs, dict) else inputs)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return found


def gradients_of(gradients: Any, outputs: Sequence[Tensor]) -> tuple:
    """The gradients as a tuple; without any, one None for each output."""
    if gradients is None:
        return (None,) * len(outputs)
    return (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
