"""`torch.autograd.forward_ad`: derivatives in a direction. A dual tensor has a tangent, and so has what is computed
from it. The graph that is recorded anyway serves here too: from the oldest node to the newest, the tangent of a result
is J t, for the tangents t of the node's inputs. A node's vjp is linear in its upstream gradient u, so J t is the
derivative of (vjp(u) · t) by u.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.forward_ad.dual_level.html
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.arithmetic import errstate
from minigrad.autograd import function, levels
from minigrad.compat.context_decorator import Block
from minigrad.graph import nodes, state
from minigrad.graph.multi_output import Output, OutputGrads
from minigrad.ops.slicing import Alias
from minigrad.recording import modes
from minigrad.tensor import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
_levels: list[DualLevel] = []  # the one that a program has opened, if any
_running: list[DualLevel] = []  # this one, and those of `func.jvp`


class DualLevel(levels.Level):
    """The dual tensors of one level, with their tangents."""

    def __init__(self) -> None:
        super().__init__()
        self.tangents: dict[Any, Tensor | None] = {}  # by place in the graph

    def dual(self, primal: Tensor, tangent: Tensor) -> Tensor:
        """A tensor on the memory of `primal` with a tangent."""
        result = levels.wrapped(self.variable(primal))  # so it is no leaf, and may be changed in place
        self.know([result], [tangent])
        return result

    def know(self, duals: Sequence[Tensor], tangents: Sequence[Tensor]) -> None:
        """Give tensors of the level their tangents."""
        self.tangents.update({_key(dual._place()): t for dual, t in zip(duals, tangents, strict=True)})

    def begin(self) -> None:
        """From now on programs' Functions are asked for their `jvp`, and tensors print their tangents."""
        _running.append(self)
        state.tangent = _tangent_of

    def end(self, for_good: bool = True) -> None:
        super().end(for_good)
        _running.remove(self)
        state.tangent = _tangent_of if _running else None

    def tangent(self, tensor: Tensor) -> Tensor | None:
        """The tangent of a tensor; None for one that depends on no dual tensor."""
        return push([tensor], self.tangents, self.since)[0] if tensor.requires_grad else None


def push(outputs: Sequence[Tensor], known: dict, since: int) -> list[Tensor | None]:
    """The tangent of each output, from the known ones by place: None where an output depends on none of those."""
    known, order = dict(known), []
    waiting = [output._place() for output in outputs if output.requires_grad]
    seen = {*waiting}
    for place in waiting:  # it grows while we loop over it
        if _key(place) in known or place.number <= since:
            continue
        if isinstance(place, nodes.Operation):
            order.append(place)
        for target in place.edges:
            if target is not None and target not in seen:
                seen.add(target)
                waiting.append(target)
    before = state.recorded, state.running
    token = errstate.STATE.set(errstate.IGNORE)
    with modes.enable_grad():
        for node in sorted(order, key=lambda item: item.number):
            given = [None if target is None else known.get(_key(target)) for target in node.edges]
            if any(item is not None for item in given):
                state.recorded = state.running = True
                try:
                    answers = of_node(node, given)
                finally:
                    state.recorded, state.running = before
                known.update({_key(node, index): answer for index, answer in enumerate(answers)})
    errstate.STATE.reset(token)
    return [known.get(_key(output._place())) if output.requires_grad else None for output in outputs]


def of_node(node: Any, given: list) -> list[Tensor | None]:
    """The tangents of a node's results, from those of its inputs."""
    if isinstance(node, function.Node):
        return node.pushed(given)
    several = bool(node.shape) and isinstance(node.shape[0], tuple)
    shapes = node.shape if several else (node.shape,)
    seeds = [Tensor._of(np.zeros(shape, node.dtype), True) for shape in shapes]
    shares = node.vjp(OutputGrads(enumerate(seeds)) if several else seeds[0], True)
    pairs = [(share, t) for share, t in zip(shares, given, strict=True) if share is not None and t is not None]
    pairs = [(share, t.to(share.dtype)) for share, t in pairs if share.requires_grad]
    if not pairs:
        return [Tensor._of(np.zeros(shape, node.dtype)) for shape in shapes]
    first, second = zip(*pairs, strict=True)
    return levels.pull(first, seeds, second, True)


def _key(place: Any, index: int = 0) -> tuple:
    """A place in the graph, however often it is made anew: a leaf, or a node and which of its results."""
    if isinstance(place, Output):
        return id(getattr(place, "inner", place.owner)), place.index
    return id(place), index


def _tangent_of(tensor: Tensor) -> tuple[Tensor | None, bool]:
    """The tangent of a tensor in the innermost level where it has one, and whether it has a graph outside of it."""
    for level in reversed(_running):
        found = level.tangent(tensor)
        if found is not None:
            moved, own = level.leave((found, Alias.apply(tensor)), keeps=True)
            return moved, own.requires_grad
    return None, False


# --- what programs call ---------------------------------------------------------------------------


def enter_dual_level() -> int:
    """Open a level, for `make_dual`; its number. RuntimeError inside another one."""
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _levels.append(DualLevel())
    _levels[-1].begin()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: its tensors have no tangents any more. RuntimeError if there is none."""
    if not _levels:
        raise RuntimeError("Dual level must be a positive number.")
    _levels.pop().end()


class dual_level(Block):
    """A level for the block, or for the decorated function; see `enter_dual_level`."""

    __module__ = "torch.autograd.forward_ad"

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A dual tensor: the memory of `tensor`, with a tangent of its shape. RuntimeError outside a level, for another
    shape, and for a tensor that has a tangent already; ValueError for integers.
    """
    if not _levels:
        exists = "no level exists, make sure to enter_dual_level() first."
        raise RuntimeError(f"Trying to create a dual Tensor for forward AD but {exists}")
    for name, each in (("primal", tensor), ("tangent", tangent)):
        if not each.is_floating_point():
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {each.dtype}")
    if tensor.shape != tangent.shape:
        sizes = "that of the original Tensor, which is not supported. Tensor is of size"
        both = f"{list(tensor.shape)} while the given forward gradient is of size {list(tangent.shape)}."
        raise RuntimeError(f"Trying to set a forward gradient that has a different size than {sizes} {both}")
    if _key(tensor._place()) in _levels[-1].tangents:
        already = "a Tensor that already has a forward gradient at the same level 0 is not supported."
        raise RuntimeError(f"Making a dual Tensor based on {already}")
    return _levels[-1].dual(tensor, tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent) of a tensor; the tangent is None where nothing depends on a dual tensor, or outside a level."""
    if not _levels:
        return UnpackedDualTensor(tensor, None)
    inside = _levels[-1]
    return UnpackedDualTensor(*inside.leave((Alias.apply(tensor), inside.tangent(tensor))))
