"""`autograd.Function`: an operation defined by the program, with Tensors on both sides.
The engine's own operations (`minigrad.scalar.Function`) work on arrays; a program's Function works on Tensors, and its
`ctx` accepts any attribute. So there are two objects for one application: the *node* that the walk sees, and the
*context* that the program sees, as `ctx` and later as `grad_fn`. So `ctx.shape = …` means what the program wants.
Results hold the context, the context holds the node, and the node refers back weakly, so there is no cycle. A result,
be it new, a changed input or an unchanged one, becomes a Tensor with its own place in the graph.
Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#extending-autograd
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from minigrad import leaf, scalar, upstream
from minigrad.compat import messages
from minigrad.compat.messages import warn
from minigrad.compat.typenames import name_of_type
from minigrad.graph import freeing, nodes, owning, state
from minigrad.graph.multi_output import Output, OutputGrads
from minigrad.passing import batched, inplace, views
from minigrad.recording import packing, saved
from minigrad.tensor import Shares, Tensor, Value


# --- what the program sees ------------------------------------------------------------------------
class FunctionCtx:
    """The `ctx` that `forward` and `backward` share."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs, results or None for `backward`, which frees them; they are guarded against changes in place."""
        self.to_save: tuple | None = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors or None for `jvp`."""
        self.for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare which inputs `forward` has changed in place. They must be among the results."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare which results have no gradient. `backward` still gets an argument for each: zeros."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether `backward` gets zeros (True, the default) or None for a result that was not used."""
        self.materialize_grads = value


class Context(FunctionCtx, nodes.Node):
    """One application of a Function: its `ctx`, and the `grad_fn` of its results."""

    _forward_cls: type[Function]
    __repr__ = object.__repr__  # with its module

    def __init__(self, args: tuple):
        self._node: Node | None = None  # set if the application is recorded
        self.needs_input_grad = tuple([isinstance(arg, Tensor) and arg.requires_grad for arg in args])
        self.to_save = None
        self.dirty_tensors = self.non_differentiable = self.for_forward = ()
        self.forwards = False  # whether `jvp` runs
        self.materialize_grads = True

    @property
    def saved_tensors(self) -> tuple:
        """The saved values; empty while `forward` runs. RuntimeError if they were freed, or changed in place since."""
        if self.forwards:
            return self.for_forward
        return () if self._node is None else self._node.unpacked()

    @property
    def saved_variables(self) -> tuple:
        """The old name of `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple:
        """The places where the node keeps its saved tensors, which take hooks."""
        node: Any = self._node
        return tuple([packing.SavedTensor(node, position) for position in range(len(node.saved or ()))])

    @property
    def next_functions(self) -> tuple:
        """The pair (node, which of its results) for each Tensor among the inputs; (None, 0) for a constant."""
        return () if self._node is None else self._node.next_functions

    def name(self) -> str:
        """The node's name, as `SquareBackward`."""
        return type(self).__name__

    def _place(self) -> Node | None:
        return self._node

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *vars(self), *vars(FunctionCtx), *vars(Context)]


class Function(FunctionCtx):
    """An operation with its derivative, for a program to subclass and `apply`.

    `forward(ctx, *args)`, or `forward(*args)` and `setup_context(ctx, inputs, output)`, computes the results; it runs
    without recording. `backward(ctx, *grads)` gets dL/d(result) for every result and returns dL/d(input) for every
    input, or None: the upstream gradient times the local derivative. It is recorded under
    `create_graph`, so the same lines also give second derivatives.

    >>> import minigrad as torch
    >>> class Square(Function):
    ...     @staticmethod
    ...     def forward(ctx, t):
    ...         ctx.save_for_backward(t)
    ...         return t * t
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (t,) = ctx.saved_tensors
    ...         return 2 * t * grad_output
    >>> x = torch.tensor([1., 3.], requires_grad=True)
    >>> y = Square.apply(x)
    >>> y.backward(torch.tensor([1., 10.]))
    >>> y, x.grad
    (tensor([1., 9.], grad_fn=<SquareBackward>), tensor([ 2., 60.]))
    """

    _context: type[Context]
    clear_saved_tensors_on_access = False  # whether the first look at `ctx.saved_tensors` frees them
    boxed_grads_call = False  # whether `backward` gets the upstream gradients in one list, which it may empty
    generate_vmap_rule = False  # whether `vmap` may call `forward` for each entry

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        body = {"__module__": "torch.autograd.function", "_forward_cls": cls}
        cls._context = type(f"{cls.__name__}Backward", (Context,), body)

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. "
            "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The results of the operation on Tensors."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """Set up `ctx`, for a `forward` that does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """dL/d(input) for every input, from dL/d(result) for every result."""
        raise NotImplementedError(messages.NO_BACKWARD)

    vjp = backward

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """The results for a batch, and their axis of entries; `in_dims` has that of each argument, or None."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap staticmethod.")

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangent of every result, from that of every input, for forward mode; None for an input without one."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def derivative(cls) -> Callable:
        """The program's `backward`, or `vjp`, its other name."""
        return cls.backward if cls.vjp is Function.vjp else cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`; record a node if a gradient is wanted. Only Tensors among the arguments have an edge in the
        graph. The result is one object or a tuple; entries that are not Tensors are returned unchanged.
        """
        if state.batched is not None and batched.batch_of(args) is not None:
            raise batched.Unbatchable  # before the program sees anything
        separate = cls.setup_context is not Function.setup_context
        if state.transforms and not separate:
            raise RuntimeError(messages.NEEDS_SETUP_CONTEXT)
        if state.kept is not None and cls.vmap is Function.vmap and not cls.generate_vmap_rule:
            raise RuntimeError(messages.NEEDS_VMAP.format(cls.__name__))
        if state.kept is not None and cls.vmap is not Function.vmap and cls.generate_vmap_rule:
            raise RuntimeError(messages.TWO_VMAPS.format(cls.__name__))
        if separate or kwargs:  # `backward` returns gradients in the order of the arguments
            bound = inspect.signature(cls.forward).bind(*args if separate else (None, *args), **kwargs)
            if separate:
                bound.apply_defaults()
            if bound.kwargs:
                raise TypeError(f"minigrad's apply() passes these by position only: {', '.join(bound.kwargs)}")
            args = bound.args if separate else bound.args[1:]
        ready, whole = NotImplemented, False
        if state.of_batch is not None and cls.vmap is not Function.vmap:
            ready, whole = state.of_batch(cls, args)
            if whole:
                return ready
        ctx = cls._context(args)
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        edges = [tensor._place() if leaf.recording and tensor.requires_grad else None for tensor in tensors]
        wanted = any(target is not None for target in edges)
        ask = state.tangent if cls.jvp is Function.jvp else None
        if ask is not None and any(ask(tensor)[0] is not None for tensor in tensors):
            cls.jvp(ctx)
        with leaf.no_grad():
            if separate:
                output = cls.forward(*args) if ready is NotImplemented else ready
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
            results = output if isinstance(output, tuple) else (output,)
            node = Node(ctx, args, edges, results) if wanted else None
            handed = hand_over(ctx, node, tensors, results)
        return handed if isinstance(output, tuple) else handed[0]


# --- what the walk sees --------------------------------------------------------------------------
class Node(scalar.Function):
    """One application in the graph. It passes Tensors to the program's `backward`, and checks what it returns."""

    packs_in_order = True
    nothing = OutputGrads()  # as in torch, the program's `backward` runs even if no gradient arrives

    def __init__(self, ctx: Context, args: tuple, edges: list, results: tuple):
        self.context = weakref.ref(ctx)  # kept alive during the walk by the places of the results
        self.label = type(ctx).__name__
        self.of_tensor = [isinstance(arg, Tensor) for arg in args]  # such an argument has an edge
        self.inputs = [(arg._array.shape, arg._array.dtype) if isinstance(arg, Tensor) else None for arg in args]
        self.edges, self.needs_input_grad = tuple(edges), tuple([target is not None for target in edges])
        # each result's shape and dtype (None if it is no Tensor), with a weak reference to its place
        forms = [
            (result._array.shape, result._array.dtype) if isinstance(result, Tensor) else None for result in results
        ]
        self.forms: tuple = tuple(forms)
        self.places: list = [None] * len(results)
        self.saved: tuple | None = ()
        self.clears, self.cleared = ctx._forward_cls.clear_saved_tensors_on_access, False
        self._hooks, ctx._node = None, self

    def keep(self, ctx: Context, results: tuple) -> None:
        """Take over the values named in `save_for_backward`, after all changes made in `forward` have been counted."""
        kept: list = []
        for position, each in enumerate(ctx.to_save or ()):
            if each is not None and not isinstance(each, Tensor):
                hits = name_of_type(each)
                which = f"argument {position} is of type {hits}"
                raise TypeError(f"save_for_backward can only save variables, but {which}")
            index = max([i for i, result in enumerate(results) if result is each and self.places[i]], default=None)
            if each is not None:
                each = saved.of_input(each) if index is None else saved.of_result(each, index)
            kept.append(each)
        self.saved, ctx.to_save = tuple(kept), None
        self.number = next(state.numbers)
        if freeing.watch(self):
            freeing.free_in_loop(ctx)  # which may hold more than it saved
        if state.packer is not None:
            state.packer(self)

    def expects(self) -> int:
        """How many gradients arrive: one for each result."""
        return len(self.forms)

    def unpacked(self) -> tuple:
        """The saved Tensors: an input itself, a result as a new Tensor at its place in the graph."""
        if self.cleared:
            raise RuntimeError(messages.ACCESSED_ONCE)
        kept = saved.demand(self)
        if type(kept) is not tuple:
            return kept.opened(self, as_tensors=True)  # type: ignore[attr-defined]
        leaf.check_versions(self)
        if state.running and self.clears:
            self.cleared, self.saved = True, ()
        return tuple([saved.again(item, self) for item in kept])

    def place(self, index: int) -> OutputPlace:
        """The place where the gradient of a result is added up: the one in use, or a new one."""
        place = self.places[index]() if self.places[index] else None
        if place is None:
            place = OutputPlace(self, index)
            self.places[index] = weakref.ref(place)
        return place

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        """dL/d(input) for each Tensor among the inputs, from what arrived at the results."""
        owning.settle()  # the program's `backward` may write to what arrives
        ctx: Any = self.context()
        recorded = leaf.recording
        arrived: list = []
        for index, form in enumerate(self.forms):
            grad = grad_output.get(index)
            if grad is None and form is not None and ctx.materialize_grads:
                grad = np.zeros(*form)
            arrived.append(grad if grad is None or isinstance(grad, Tensor) else Tensor._of(grad))
        boxed = ctx._forward_cls.boxed_grads_call
        grads = self.checked(ctx._forward_cls.derivative()(ctx, *([arrived] if boxed else [*arrived])))
        if not retain_graph:
            self.saved = None
        shares: list = []
        for index, (target, grad) in enumerate(zip(self.edges, grads, strict=True)):
            if target is not None and grad is not None:
                wish = target._array if isinstance(target, Tensor) else target
                grad = upstream.fit(grad if recorded else grad._array, wish, self, index)
            shares.append(grad if target is not None else None)
        return shares

    def pushed(self, given: list) -> list:
        """The tangents of the results, by the program's `jvp`."""
        ctx: Any = self.context()
        inside = iter(given)
        tangents: list = []
        for of_tensor, form in zip(self.of_tensor, self.inputs, strict=True):
            tangent = next(inside) if of_tensor else None
            if tangent is None and form is not None and ctx.materialize_grads:
                tangent = Tensor._of(np.zeros(*form))
            tangents.append(tangent)
        ctx.forwards = True
        try:
            answer = ctx._forward_cls.jvp(ctx, *tangents)
        finally:
            ctx.forwards = False
        return [*answer] if isinstance(answer, tuple) else [answer]

    def checked(self, grads: object) -> list:
        """What `backward` returned, one for each Tensor among the inputs. RuntimeError for anything else."""
        grads = grads if isinstance(grads, tuple) else (grads,)
        expected = len(self.of_tensor)
        if len(grads) < expected or any(grad is not None for grad in grads[expected:]):
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

    @property
    def owner(self) -> Any:
        """The context, which the program sees as `grad_fn`."""
        return self.context()


class OutputPlace(Output):
    """One result in the graph. The program sees the context (`grad_fn`), the walk continues to the node."""

    def __init__(self, inner: Node, index: int):
        ctx: Any = inner.context()
        self.owner, self.inner, self.index, self._hooks = ctx, inner, index, None
        self.shape, self.dtype = inner.forms[index]

    @property
    def number(self) -> float:
        """Just above its node's."""
        return self.inner.number + 0.5

    @property
    def edges(self) -> tuple:
        """Only the node itself."""
        return (self.inner,)


# --- from what `forward` returned to results -----------------------------------------------------
def hand_over(ctx: Context, node: Node | None, tensors: list, results: tuple) -> tuple:
    """Each result of `forward` as the program sees it, at its place in the graph, whose node has then all it keeps.
    RuntimeError for wrong marks.
    """
    for each in ctx.dirty_tensors:
        leaf.count_change(each)
    differentiable = [
        isinstance(result, Tensor) and result._array.dtype.kind == "f" and not is_among(result, ctx.non_differentiable)
        for result in results
    ]
    origin = "function" if node is None or sum(differentiable) < 2 else "several"
    handed: list = []
    for index, each in enumerate(results):
        if isinstance(each, Tensor):
            dirty, is_input = is_among(each, ctx.dirty_tensors), is_among(each, tensors)
            if node is None or not differentiable[index]:
                each = without_graph(each, is_input, dirty)
            elif dirty:
                changed(each, node, index)
            else:
                each = made(each, node, index, is_input)
            if each._view is not None and not dirty:
                view = each._view
                each._view = views.Sharing(view.base, view.above, view.earlier, view.step, origin)
        handed.append(each)
    if not all(is_among(tensor, results) for tensor in ctx.dirty_tensors):
        rule = "not returned as output. The inputs that are modified inplace must all be outputs of the Function."
        raise RuntimeError(f"Some elements marked as dirty during the forward method were {rule}")
    if node is not None:
        node.keep(ctx, results)
    return tuple(handed)


def without_graph(result: Tensor, is_input: bool, dirty: bool) -> Tensor:
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
    alias._view = tensor._view or views.Sharing(tensor, tensor, None, None, "")
    return alias


def is_among(tensor: object, others: Iterable) -> bool:
    """True if one of the others is this same Tensor (`in` would compare entries)."""
    return any(tensor is other for other in others)


def once_differentiable(backward: Callable) -> Callable:
    """Decorate a `backward` that does not support second derivatives: taking one raises a RuntimeError."""

    @functools.wraps(backward)
    def once(ctx: FunctionCtx, *grad_outputs: Tensor | None) -> Tensor | tuple[Tensor | None, ...] | None:
        with leaf.no_grad():
            grads = backward(ctx, *grad_outputs)
        if not leaf.recording or not any(isinstance(g, Tensor) and g.requires_grad for g in grad_outputs):
            return grads
        if not isinstance(grads, tuple):
            return Refusal.apply(grads.detach().requires_grad_())
        return tuple([grad if grad is None else Refusal.apply(grad.detach().requires_grad_()) for grad in grads])

    return once


class Refusal(scalar.Function, name="Error"):
    """The identity without a derivative, applied to gradients from `once_differentiable`."""

    forward = staticmethod(lambda ctx, a: np.array(a))

    @staticmethod
    def backward(ctx: scalar.Function, grad_output: Value) -> Shares:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
