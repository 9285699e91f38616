"""Backward passes: what stands around one walk. From which outputs, with which seeds, recorded or not, for whom.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minigrad import leaf, scalar, upstream
from minigrad.compat import checks, errstate, messages
from minigrad.compat.messages import warn_once
from minigrad.runtime import array_ops, state
from minigrad.runtime.multi_output import Output
from minigrad.tensor import Tensor


def backward(
    output: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Fill the `.grad` of every leaf below `output` with vᵀJ, where v is `gradient`.

    `gradient` has the shape of `output`, any real dtype (it is cast), and may be left out when output has one
    element: then v = 1. With `inputs`, only these tensors keep what reaches them. TypeError if `gradient` is not a
    tensor, RuntimeError if its shape differs, if it is missing for several elements, or if nothing below requires
    grad.
    """
    if inputs is not None or retain_graph is not None or create_graph is not False:
        checks.demand_flags(retain_graph, create_graph)
        if inputs is not None:
            inputs = inputs_of(inputs, "backward")
            demand_tensors(inputs, (output,), gradients_of(gradient, (output,)))
    if gradient is not None and not isinstance(gradient, Tensor):
        gradients = tuple(gradient)
        if not gradients:
            raise RuntimeError("got 1 tensors and 0 gradients")
        gradient = gradients[0]
    seed = seed_for(output, gradient, 0, create_graph)
    if seed is None:
        raise RuntimeError(messages.NO_GRAPH.format(0))
    walk(output._place(), seed, retain_graph, create_graph, inputs)


def run(
    outputs: Sequence[Tensor],
    gradients: Sequence[Any],
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Tensor] | None,
    keeps: bool,
) -> dict:
    """One backward pass from all outputs at once.

    With `inputs`, the pass is for them alone: each keeps what arrives in `.grad` (`keeps`), or it is given back, by
    the place in the graph where it arrived.
    """
    seeds = [
        seed_for(output, gradient, place, create_graph)
        for place, (output, gradient) in enumerate(zip(outputs, gradients, strict=False))
    ]
    if len(seeds) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    for place, seed in enumerate(seeds):
        if seed is None:
            raise RuntimeError(messages.NO_GRAPH.format(place))
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
    """What the walk starts with, in the dtype of `output`: `gradient`, or the implicit 1; None for a constant.

    An array, or under `create_graph` a Tensor. `place` counts the outputs of one pass, for the error texts.
    """
    if gradient is None:
        if output._made_by is None and not output.requires_grad:
            return None
    elif not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    seed = upstream.seed_rule(output, gradient, place)
    if output._made_by is None and not output._requires_grad and output._place() is output:
        return None  # a constant, or a view taken without a record
    if type(seed) is Tensor and seed._array.dtype is output._array.dtype and not create_graph:
        return seed._array
    seed = array_ops.cast(seed, output._array.dtype)
    return seed if create_graph else array_ops.raw(seed)


class Roots:
    """Where a pass from several outputs starts: it hands each its own seed."""

    number = math.inf
    nothing = None

    def __init__(self, edges: list):
        self.edges = edges

    def pullback(self, seeds: list, retain_graph: bool = False) -> list:
        """The seeds, one for each output."""
        return seeds


class CapturePass:
    """A pass for chosen tensors only: `autograd.grad` reads what arrives there, `backward(inputs=…)` keeps it."""

    def __init__(self, root: Any, places: Iterable[Any], keeps: bool):
        self.wanted = set(places)
        self.results: dict[Any, list] = {}  # by node: those of its several results that are wanted
        for place in self.wanted:
            if isinstance(place, Output):
                self.results.setdefault(place.edges[0], []).append(place)
        self.passed = {*self.wanted, *self.results} if keeps else set()  # where the walk goes on
        self.found: dict[Any, Any] = {}
        order = scalar.topological_order(root)
        for node in reversed(order):
            if any(target in self.passed or target in self.wanted for target in node.edges):
                self.passed.add(node)
        # at a single root, and at a node of which one result is read, hooks see what arrives in any case
        self.on_the_way = self.passed | self.wanted | {*self.results, root}
        if isinstance(root, Output):
            self.on_the_way.add(root.edges[0])

    def read(self, place: Any, total: Any) -> None:
        """Note what arrived at a place, if it is wanted; at a node with several results, at those that are."""
        if place in self.wanted:
            self.found[place] = total
        for result in self.results.get(place, ()):
            if result.index in total:
                self.found[result] = total[result.index]

    def needs(self, place: Any) -> bool:
        """True if the pass goes there."""
        return place in self.passed or place in self.wanted


# --- what a pass is given -------------------------------------------------------------------------


def inputs_of(inputs: Any, caller: str) -> tuple:
    """The inputs as a tuple; of a dict, its values. TypeError for another mapping, RuntimeError for none at all."""
    if isinstance(inputs, Tensor) or is_edge(inputs):
        return at_edges((inputs,))
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{caller}()` must be a dict, not {type(inputs).__name__}. Other Mapping types "
                "are not supported."
            )
        inputs = inputs.values()
    found = at_edges(inputs)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return found


def gradients_of(gradients: Any, outputs: Sequence[Tensor]) -> tuple:
    """The gradients as a tuple: one None for each output, where there are none."""
    if gradients is None:
        return (None,) * len(outputs)
    return (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)


def is_edge(value: Any) -> bool:
    """True for a GradientEdge."""
    return isinstance(value, tuple) and hasattr(value, "ownership_token")


def at_edges(values: Iterable[Any]) -> tuple:
    """The values, and Tensors that stand in for the GradientEdges among them."""
    return tuple([each.stand_in() if is_edge(each) else each for each in values])


def demand_tensors(inputs: tuple, outputs: tuple, gradients: tuple) -> None:
    """RuntimeError if an input is not a Tensor, after all that is wrong with outputs and gradients."""
    for each in inputs:
        if not isinstance(each, Tensor):
            complain(outputs, gradients)
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(each).__name__}")


def complain(outputs: tuple, gradients: tuple) -> None:
    """Raise what is wrong with outputs and gradients, if anything is; a pass that is for nobody does nothing else."""
    run(outputs, gradients, True, False, (), keeps=False)
