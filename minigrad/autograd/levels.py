"""One call of a transformation: inside, its arguments are variables; outside they are what they were before.

Torch wraps tensors in levels. Here the graph is one, and a level is a time: what the call records has a larger number
than `since`. When the call is over, its variables are constants, and what depends on nothing else has no graph; what
depends on other tensors that require grad (captured ones, or those of a call around it) keeps that part of its graph.
Mirrors https://docs.pytorch.org/docs/stable/func.ux_limitations.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.autograd import trees
from minigrad.graph import nodes, state
from minigrad.graph.multi_output import Output
from minigrad.jacobian import zeros
from minigrad.passing import batched, gradients
from minigrad.tensor import Tensor


class Level:
    """The variables of one call of a transformation."""

    def __init__(self) -> None:
        self.since = next(state.numbers)
        self.recording = leaf.recording  # of the caller, which decides whether results may have a graph
        self.variables: list[Tensor] = []

    def variable(self, value: Any) -> Tensor:
        """An argument as a variable: on the same memory, and in the caller's graph where it is in one."""
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        return batched.variable(value, self._variable, batched.running)

    def _variable(self, value: Tensor) -> Tensor:
        if value.requires_grad and self.recording:
            return wrapped(value)
        if not value.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        result = value.detach()
        result._requires_grad = True
        self.variables.append(result)
        return result

    def leave(self, tree: Any, keeps: bool = False) -> Any:
        """Tensors in a tree as the caller sees them. With `keeps` the graph inside stays whole, for later passes."""
        tensors = [item for item in trees.leaves(tree) if isinstance(item, Tensor)]
        alive = self._alive([item._place() for item in tensors if item._source() is not None], keeps)

        def outside(value: Any) -> Any:
            if not isinstance(value, Tensor) or not value.requires_grad:
                return value
            return value if self.recording and alive(value._place()) else value.detach()

        result = trees.mapped(outside, tree)
        return result if state.kept is None else state.kept(result, tuple(self.variables))

    def _alive(self, roots: list, keeps: bool) -> Callable[[Any], bool]:
        """Whether a place in the graph depends on more than this level's variables. Edges that do not are cut."""
        found: dict[Any, bool] = dict.fromkeys(self.variables, False)

        def alive(place: Any) -> bool:
            if place is None or isinstance(place, nodes.DeadEnd):
                return False
            return found.get(place, True)  # True: a leaf from elsewhere, or older than the level

        seen = {place for place in roots if place.number > self.since}
        waiting = [*seen]
        for place in waiting:  # it grows while we loop over it
            new = [item for item in place.edges if item is not None and item.number > self.since and item not in seen]
            seen.update(new)
            waiting += [*dict.fromkeys(new)]
        for place in sorted(seen, key=lambda item: item.number):
            flags = tuple([alive(target) for target in place.edges])
            found[place] = any(flags)
            if found[place] and not all(flags) and not keeps and not isinstance(place, Output):
                pairs = zip(place.edges, flags, strict=True)
                place.edges, place.needs_input_grad = tuple([item if flag else None for item, flag in pairs]), flags
                for kept in [getattr(item, "given", item) for item in place.saved or ()]:
                    if isinstance(kept, Tensor) and kept._made_by is not None and not alive(kept._made_by):
                        kept._made_by = None
        return alive

    def begin(self) -> None:
        """The call begins."""

    def end(self, for_good: bool = True) -> None:
        """The call is over; `for_good`, its variables are constants from now on."""
        for item in self.variables if for_good else ():
            item._requires_grad = False


class Wrapped(scalar.Function, name="Identity"):
    """The tensor itself at a place of its own, through which its gradient passes as it is."""

    owner: Any = None  # to the program its result is a leaf
    forward = staticmethod(lambda ctx, a: np.asarray(a).view())
    backward = staticmethod(lambda ctx, grad_output: grad_output)


def wrapped(tensor: Tensor) -> Tensor:
    """The same memory at a new place in the graph; no view, so it may be changed in place."""
    result = tensor.detach()
    result._made_by = Wrapped.apply(tensor)._made_by
    return result


def pull(outputs: Sequence[Tensor], inputs: Sequence[Tensor], weights: Sequence | None, create_graph: bool) -> list:
    """vᵀJ for each input in one pass that keeps the graph; zeros where no output depends on it."""
    given = [None] * len(outputs) if weights is None else weights
    batch = batched.batch_of([*outputs, *inputs])
    if batch is not None:  # all entries in one pass: none depends on another
        wholes = [batch.whole(item) for item in outputs]
        of_wholes = [_ones(of) if v is None else batch.whole(v) for of, v in zip(wholes, given, strict=True)]
        found = pull(wholes, [batch.whole(item) for item in inputs], of_wholes, create_graph)
        return [batch.entry(item) for item in found]
    pairs = [pair for pair in zip(outputs, given, strict=True) if pair[0].requires_grad]
    if not pairs:
        return [zeros(item.shape, item) for item in inputs]
    diff, seeds = zip(*pairs, strict=True)
    is_batched = batched.batch_of(seeds) is not None  # such a pass runs on tensors, and so it is recorded
    if is_batched:
        batched.demand_simple(diff)
    grads = gradients.grad(
        diff, inputs, seeds, retain_graph=True, create_graph=create_graph or is_batched, allow_unused=True
    )
    grads = [zeros(at.shape, at) if grad is None else grad for at, grad in zip(inputs, grads, strict=True)]
    return [item.detach() for item in grads] if is_batched and not create_graph else grads


def _ones(of: Tensor) -> Tensor:
    return Tensor._of(np.ones(of.shape, of._array.dtype))
