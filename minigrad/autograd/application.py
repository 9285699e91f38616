"""One application of a program's Function in the graph: the node that the walk sees, and what its results become.

The node hands Tensors to the program's `backward` and checks what comes back. A result may be new, an input that was
changed in place, an input as it came, or a view: each becomes a Tensor with its own place in the graph.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from minigrad import leaf, scalar, upstream
from minigrad.compat import messages
from minigrad.compat.messages import warn
from minigrad.compat.typenames import name_of_type
from minigrad.runtime import grad_mode, inplace, saved, state, views
from minigrad.runtime.multi_output import Output, OutputGrads
from minigrad.tensor import Tensor

ONE_RESULT_ONLY = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)

# --- what the walk sees --------------------------------------------------------------------------


class Node(scalar.Function):
    """One application in the graph. It hands Tensors to the program's `backward`, and checks what comes back."""

    __slots__ = ("context", "label", "of_tensor", "forms")
    nothing = OutputGrads()  # as in torch, the program's `backward` is called even if no gradient arrives

    context: weakref.ref  # alive while the walk is here: the results' places hold it
    label: str
    of_tensor: tuple[bool, ...]  # for each argument: whether it is a Tensor, and so has an edge
    forms: tuple  # for each result its shape and dtype, None where it is no Tensor
    places: list  # for each result a weak reference to the place in the graph where its gradient is added up

    def __init__(self, ctx: Any, args: tuple, edges: list, results: tuple):
        self.context, self.label = weakref.ref(ctx), type(ctx).__name__
        self.of_tensor = tuple([isinstance(each, Tensor) for each in args])
        self.edges, self.needs_input_grad = tuple(edges), tuple([target is not None for target in edges])
        self.forms = tuple([(e._array.shape, e._array.dtype) if isinstance(e, Tensor) else None for e in results])
        self.places = [None] * len(results)
        self.saved, self._hooks = (), None
        ctx._node = self

    def keep(self, ctx: Any, results: tuple) -> None:
        """Take over what `save_for_backward` named, now that all changes of `forward` have been counted."""
        kept: list = []
        for position, each in enumerate(ctx.to_save or ()):
            if each is not None and not isinstance(each, Tensor):
                found = name_of_type(each)
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {position} is of type {found}"
                )
            index = max([i for i, result in enumerate(results) if result is each and self.places[i]], default=None)
            kept.append(kept_as(each, index))
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
        """Where the gradient of a result is added up: the one that is in use, or a new one."""
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
            if target is None or grad is None:
                shares.append(None)
                continue
            value = grad if recorded else grad._array
            wish = target._array if isinstance(target, Tensor) else target
            shares.append(upstream.fit(value, wish, self, index))
        return shares

    def checked(self, grads: Any) -> list:
        """What `backward` returned, one for each Tensor among the inputs. RuntimeError for anything else."""
        grads = grads if isinstance(grads, tuple) else (grads,)
        expected = len(self.of_tensor)
        if len(grads) > expected and all(each is None for each in grads[expected:]):
            grads = grads[:expected]
        if len(grads) != expected:
            raise RuntimeError(messages.WRONG_COUNT.format(self.name(), expected, len(grads)))
        for position, (of_tensor, grad) in enumerate(zip(self.of_tensor, grads, strict=True), start=1):
            if not of_tensor and grad is not None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {position}, but the "
                    "corresponding forward input was not a Variable"
                )
        grads = [grad for of_tensor, grad in zip(self.of_tensor, grads, strict=True) if of_tensor]
        for grad in grads:
            if grad is not None and not isinstance(grad, Tensor):
                raise RuntimeError(f"expected Variable or None (got {name_of_type(grad)})")
        return grads

    def name(self) -> str:
        return self.label


class OutputPlace(Output):
    """One result in the graph. To the program it is the context (`grad_fn`), to the walk it leads to the node."""

    __slots__ = ("inner",)

    def __init__(self, inner: Node, index: int):
        ctx: Any = inner.context()
        self.owner, self.inner, self.index, self._hooks = ctx, inner, index, None
        self.shape, self.dtype = inner.forms[index]

    @property
    def edges(self) -> tuple:
        """Only the node itself."""
        return (self.inner,)


class InView(scalar.Function):
    """A node that changed a view, as `CopySlices` calls it. As in torch, the view has to be its first Tensor."""

    __slots__ = ("result",)

    def __init__(self, place: OutputPlace):
        self.result, self.edges = place, place.inner.edges
        self.saved, self._hooks = (), None

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        return self.result.inner.vjp(OutputGrads({self.result.index: grad_output}), retain_graph)


def kept_as(tensor: Tensor | None, index: int | None) -> Any:
    """What a node keeps of a Tensor that is its result number `index`, or of an input."""
    if tensor is None:
        return None
    return saved.of_input(tensor) if index is None else saved.of_result(tensor, index)


# --- from what `forward` returned to results -----------------------------------------------------


def hand_over(ctx: Any, node: Node | None, tensors: list, results: tuple) -> tuple:
    """Each result of `forward` as the program gets it, with its place in the graph. RuntimeError for wrong marks."""
    for each in ctx.dirty_tensors:
        if not isinstance(each, Tensor):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        leaf.counter(each)[0] += 1
    for each in ctx.non_differentiable:
        if not isinstance(each, Tensor):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    differentiable = [
        node is not None
        and isinstance(each, Tensor)
        and each._array.dtype.kind == "f"
        and not is_among(each, ctx.non_differentiable)
        for each in results
    ]
    handed: list = []
    for index, each in enumerate(results):
        if not isinstance(each, Tensor):
            handed.append(each)
            continue
        dirty = is_among(each, ctx.dirty_tensors)
        if node is None or not differentiable[index]:
            each = constant(each, is_among(each, tensors), dirty)
        elif dirty:
            changed(each, node, index, tensors, len(results))
        else:
            each = made(each, node, index, is_among(each, tensors))
        if each._view is not None and not dirty:
            only_one = sum(differentiable) < 2
            view = each._view
            each._view = views.View(view.base, view.above, view.steps, "function" if only_one else "several")
        handed.append(each)
    if not all(is_among(each, results) for each in ctx.dirty_tensors):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
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
    """A result that the node made. An input that is returned as it came gets a Tensor of its own."""
    if is_input:
        result = alias_of(result)
    result._made_by = node.place(index)
    return result


def changed(result: Tensor, node: Node, index: int, tensors: list, number: int) -> None:
    """An input that was changed in place: from now on it is a result of the node."""
    if result._made_by is None and result._requires_grad and result._view is None:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if not is_among(result, tensors):
        warn(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
            "should be passed to ctx.mark_dirty()."
        )
    place: Any = node.place(index)
    if result._view is None:
        inplace.rebase(result, place)
        return
    with grad_mode.enable_grad():
        inplace.demand_changeable(result, *tensors)
    if number > 1:
        raise RuntimeError(ONE_RESULT_ONLY)
    inplace.rebase(result, InView(place))


def alias_of(tensor: Tensor) -> Tensor:
    """Another Tensor on the same memory, known to be a view of it."""
    alias = leaf.detach(tensor)
    alias._view = tensor._view or views.View(tensor, tensor, (), "")
    return alias


def is_among(tensor: Tensor, others: Any) -> bool:
    """True if the very Tensor is one of the others (`in` would compare entries)."""
    return any(tensor is each for each in others)
