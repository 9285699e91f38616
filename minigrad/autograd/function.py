"""`autograd.Function`: an operation defined by the program, with Tensors on both sides.

The engine's own operations (`minigrad.scalar.Function`) work on arrays; a program's Function works on Tensors, and its
`ctx` accepts any attribute. So there are two objects for one application: the *node* that the walk sees, and the
*context* that the program sees, as `ctx` and later as `grad_fn`. So `ctx.shape = …` means what the program wants.
Results hold the context, the context holds the node, and the node refers back weakly, so there is no cycle.
Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#extending-autograd
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.autograd.application import Node, hand_over
from minigrad.compat import messages
from minigrad.compat.messages import warn
from minigrad.runtime import nodes
from minigrad.tensor import Tensor


class FunctionCtx:
    """The `ctx` that `forward` and `backward` share."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs, results or None for `backward`, which frees them; they are guarded against changes in place."""
        self.to_save: tuple | None = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Does nothing: it is for `jvp`, and there is no forward mode."""
        self.saved_for_forward = tensors

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
        self.needs_input_grad = tuple([isinstance(each, Tensor) and each.requires_grad for each in args])
        self.to_save = None
        self.dirty_tensors = self.non_differentiable = ()
        self.materialize_grads = True

    @property
    def saved_tensors(self) -> tuple:
        """The saved values; empty while `forward` runs. RuntimeError if they were freed, or changed in place since."""
        return () if self._node is None else self._node.unpacked()

    @property
    def saved_variables(self) -> tuple:
        """The old name of `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def next_functions(self) -> tuple:
        """The pair (node, which of its results) for each Tensor among the inputs; (None, 0) for a constant."""
        return () if self._node is None else self._node.next_functions

    def name(self) -> str:
        """The node's name, as `SquareBackward`."""
        return type(self).__name__

    def _place(self) -> Any:
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

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        body = {"__module__": "torch.autograd.function", "_forward_cls": cls}
        cls._context = type(f"{cls.__name__}Backward", (Context,), body)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
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
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Set up `ctx`, for a `forward` that does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """dL/d(input) for every input, from dL/d(result) for every result."""
        raise NotImplementedError(messages.NO_BACKWARD)

    vjp = backward

    @classmethod
    def derivative(cls) -> Callable:
        """The program's `backward`, or `vjp`, its other name."""
        return cls.backward if cls.vjp is Function.vjp else cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`; record a node if a gradient is wanted. Only Tensors among the arguments have an edge in the
        graph. The result is one object or a tuple; entries that are not Tensors are returned unchanged.
        """
        separate = cls.setup_context is not Function.setup_context
        if separate or kwargs:  # `backward` returns gradients in the order of the arguments
            bound = inspect.signature(cls.forward).bind(*args if separate else (None, *args), **kwargs)
            if separate:
                bound.apply_defaults()
            if bound.kwargs:
                raise TypeError(f"minigrad's apply() passes these by position only: {', '.join(bound.kwargs)}")
            args = bound.args if separate else bound.args[1:]
        ctx = cls._context(args)
        tensors = [each for each in args if isinstance(each, Tensor)]
        edges = [each._place() if leaf.recording and each.requires_grad else None for each in tensors]
        wanted = any(target is not None for target in edges)
        with leaf.no_grad():
            if separate:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
            results = output if isinstance(output, tuple) else (output,)
            node = Node(ctx, args, edges, results) if wanted else None
            handed = hand_over(ctx, node, tensors, results)
            if node is not None:
                node.keep(ctx, results)
        return handed if isinstance(output, tuple) else handed[0]


def once_differentiable(backward: Callable) -> Callable:
    """Decorate a `backward` that does not support second derivatives: taking one raises a RuntimeError."""

    @functools.wraps(backward)
    def once(ctx: Any, *grad_outputs: Any) -> Any:
        with leaf.no_grad():
            grads = backward(ctx, *grad_outputs)
        if not leaf.recording or not any(isinstance(g, Tensor) and g.requires_grad for g in grad_outputs):
            return grads
        if not isinstance(grads, tuple):
            return Refusal.apply(grads.detach().requires_grad_())
        return tuple([each if each is None else Refusal.apply(each.detach().requires_grad_()) for each in grads])

    return once


class Refusal(scalar.Function, name="Error"):
    """The identity without a derivative, applied to gradients from `once_differentiable`."""

    forward = staticmethod(lambda ctx, a: np.array(a))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
