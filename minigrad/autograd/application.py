"""One application of a program's Function in the graph: the node that the walk sees, and its results.

The node passes Tensors to the program's `backward` and checks what it returns. A result may be new, an input that was
changed in place, an unchanged input, or a view: each becomes a Tensor with its own place in the graph.
Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from minigrad import leaf, scalar, upstream
from minigrad.compat import messages
from minigrad.compat.typenames import name_of_type
from minigrad.runtime import inplace, saved, state, views
from minigrad.runtime.multi_output import Output, OutputGrads
from minigrad.tensor import Tensor


# --- what the walk sees --------------------------------------------------------------------------
class Node(scalar.Function):
    """One application in the graph. It passes Tensors to the program's `backward`, and checks what it returns."""

    nothing = OutputGrads()  # as in torch, the program's `backward` runs even if no gradient arrives

    def __init__(self, ctx: Any, args: tuple, edges: list, results: tuple):
        self.context = weakref.ref(ctx)  # kept alive during the walk by the places of the results
        self.label = type(ctx).__name__
        self.of_tensor = [isinstance(each, Tensor) for each in args]  # such an argument has an edge
        self.edges, self.needs_input_grad = tuple(edges), tuple([target is not None for target in edges])
        # each result's shape and dtype (None if it is no Tensor), with a weak reference to its place
        forms = [(each._array.shape, each._array.dtype) if isinstance(each, Tensor) else None for each in results]
        self.forms: tuple = tuple(forms)
        self.places: list = [None] * len(results)
        self.saved: tuple | None = ()
        self._hooks, ctx._node = None, self

    def keep(self, ctx: Any, results: tuple) -> None:
        """Take over the values named in `save_for_backward`, after all changes made in `forward` have been counted."""
        kept: list[Any] = []
        for position, each in enumerate(ctx.to_save or ()):
            if each is not None and not isinstance(each, Tensor):
                found = name_of_type(each)
                which = f"argument {position} is of type {found}"
                raise TypeError(f"save_for_backward can only save variables, but {which}")
            index = max([i for i, result in enumerate(results) if result is each and self.places[i]], default=None)
            if each is not None:
                each = saved.of_input(each) if index is None else saved.of_result(each, index)
            kept.append(each)
        self.saved, ctx.to_save = tuple(kept), None
        self.number = next(state.numbers)
        if state.packer is not None:
            state.packer(self)

    def expects(self) -> int:
        """How many gradients arrive: one for each result."""
        return len(self.forms)

    def unpacked(self) -> tuple:
        """The saved Tensors: an input itself, a result as a new Tensor at its place in the graph."""
        kept = saved.demand(self)
        if type(kept) is not tuple:
            return kept.opened(self, as_tensors=True)  # type: ignore[attr-defined]
        leaf.check_versions(self)
        return tuple([saved.again(each, self) for each in kept])

    def place(self, index: int) -> OutputPlace:
        """The place where the gradient of a result is added up: the one in use, or a new one."""
        place = self.places[index]() if self.places[index] else None
        if place is None:
            place = OutputPlace(self, index)
            self.places[index] = weakref.ref(place)
        return place

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        """dL/d(input) for each Tensor among the inputs, from what arrived at the results."""
        ctx: Any = self.context()
        recorded = leaf.recording
        arrived: list = []
        for index, form in enumerate(self.forms):
            grad = grad_output.get(index)
            if grad is None and form is not None and ctx.materialize_grads:
                grad = np.zeros(*form)
            arrived.append(grad if grad is None or isinstance(grad, Tensor) else Tensor._of(grad))
        grads = self.checked(ctx._forward_cls.derivative()(ctx, *arrived))
        if not retain_graph:
            self.saved = None
        shares: list = []
        for index, (target, grad) in enumerate(zip(self.edges, grads, strict=True)):
            if target is not None and grad is not None:
                wish = target._array if isinstance(target, Tensor) else target
                grad = upstream.fit(grad if recorded else grad._array, wish, self, index)
            shares.append(grad if target is not None else None)
        return shares

    def checked(self, grads: Any) -> list:
        """What `backward` returned, one for each Tensor among the inputs. RuntimeError for anything else."""
        grads = grads if isinstance(grads, tuple) else (grads,)
        expected = len(self.of_tensor)
        if len(grads) < expected or any(each is not None for each in grads[expected:]):
            raise RuntimeError(messages.WRONG_COUNT.format(self.name(), expected, len(grads)))
        for position, (of_tensor, grad) in enumerate(zip(self.of_tensor, grads, strict=False), start=1):
            if grad is not None and not of_tensor:
                which = f"at position {position}, but the corresponding forward input was not a Variable"
                raise RuntimeError(f"function {self.name()} returned a gradient different than None {which}")
            if grad is not None and not isinstance(grad, Tensor):
                raise RuntimeError(f"expected Variable or None (got {name_of_type(grad)})")
        return [grad for of_tensor, grad in zip(self.of_tensor, grads, strict=False) if of_tensor]

    def name(self) -> str:
        return self.label


class OutputPlace(Output):
    """One result in the graph. The program sees the context (`grad_fn`), the walk continues to the node."""

    def __init__(self, inner: Node, index: int):
        ctx: Any = inner.context()
        self.owner, self.inner, self.index, self._hooks = ctx, inner, index, None
        self.shape, self.dtype = inner.forms[index]

    @property
    def edges(self) -> tuple:
        """Only the node itself."""
        return (self.inner,)


# --- from what `forward` returned to results -----------------------------------------------------
def hand_over(ctx: Any, node: Node | None, tensors: list, results: tuple) -> tuple:
    """Each result of `forward` as the program sees it, with its place in the graph. RuntimeError for wrong marks."""
    for each in ctx.dirty_tensors:
        leaf.counter(each)[0] += 1
    differentiable = [
        isinstance(each, Tensor) and each._array.dtype.kind == "f" and not is_among(each, ctx.non_differentiable)
        for each in results
    ]
    origin = "function" if node is None or sum(differentiable) < 2 else "several"
    handed: list = []
    for index, each in enumerate(results):
        if isinstance(each, Tensor):
            dirty, is_input = is_among(each, ctx.dirty_tensors), is_among(each, tensors)
            if node is None or not differentiable[index]:
                each = constant(each, is_input, dirty)
            elif dirty:
                changed(each, node, index)
            else:
                each = made(each, node, index, is_input)
            if each._view is not None and not dirty:
                view = each._view
                each._view = views.View(view.base, view.above, view.steps, origin)
        handed.append(each)
    if not all(is_among(each, results) for each in ctx.dirty_tensors):
        rule = "not returned as output. The inputs that are modified inplace must all be outputs of the Function."
        raise RuntimeError(f"Some elements marked as dirty during the forward method were {rule}")
    return tuple(handed)


def constant(result: Tensor, is_input: bool, dirty: bool) -> Tensor:
    """A result without a gradient: never the input itself, unless that was changed in place and needs no gradient."""
    if not result.requires_grad:
        return alias_of(result) if is_input and not dirty else result
    if is_input:
        return leaf.detach(result)
    if result._view is None:
        result._made_by, result._requires_grad = None, False
    return result


def made(result: Tensor, node: Node, index: int, is_input: bool) -> Tensor:
    """A result made by the node. An input that is returned unchanged gets a new Tensor."""
    if is_input:
        result = alias_of(result)
    result._made_by = node.place(index)
    return result


def changed(result: Tensor, node: Node, index: int) -> None:
    """An input that was changed in place, which is now a result of the node."""
    if result._view is not None:
        raise NotImplementedError("minigrad has no Function that changes a view in place: clone() the view before")
    if result._made_by is None and result._requires_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    inplace.rebase(result, node.place(index))


def alias_of(tensor: Tensor) -> Tensor:
    """Another Tensor on the same memory, recorded as a view of it."""
    alias = leaf.detach(tensor)
    alias._view = tensor._view or views.View(tensor, tensor, (), "")
    return alias


def is_among(tensor: Tensor, others: Any) -> bool:
    """True if one of the others is this same Tensor (`in` would compare entries)."""
    return any(tensor is each for each in others)
