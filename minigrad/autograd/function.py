"""`autograd.Function`: an operation that the program defines itself, with Tensors on both sides.

The engine's own operations (`minigrad.scalar.Function`) work on arrays; a program's Function works on Tensors, and its
`ctx` takes any attribute. So there are two objects for one application: the *node* that the walk sees, and the
*context* that the program sees, as `ctx` and later as `grad_fn`. `ctx.shape = …` can then mean what the program means.
Results hold the context, the context holds the node, and the node looks back without holding: no cycle.

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
from minigrad.compat import checks, messages
from minigrad.compat.messages import warn
from minigrad.runtime import nodes
from minigrad.tensor import Tensor


class FunctionCtx:
    """What `forward` and `backward` share."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs, results or None for `backward`: freed by it, and guarded against changes in place."""
        self.to_save: tuple | None = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """For `jvp`, which nothing calls: there is no forward mode."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs `forward` has changed in place. They have to be among the results."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which results have no gradient. `backward` still takes an argument for each: zeros."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (True, the default) or None for a result that nobody used."""
        if not isinstance(value, bool):  # got () is torch's own
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)"
            )
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
        """What was saved; empty while `forward` runs. RuntimeError once it is freed, or changed in place since."""
        return () if self._node is None else self._node.unpacked()

    @property
    def saved_variables(self) -> tuple:
        """The name of old for `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def next_functions(self) -> tuple:
        """For each Tensor among the inputs the pair (node, which of its results); (None, 0) for a constant."""
        return () if self._node is None else self._node.next_functions

    def name(self) -> str:
        """The node's name, as `SquareBackward`."""
        return type(self).__name__

    def _place(self) -> Any:
        return self._node

    def __dir__(self) -> list[str]:
        own = {"_node", *vars(nodes.Node)}.difference(nodes.PUBLIC, dir(object))  # the engine's, and other nodes'
        return [name for name in object.__dir__(self) if name not in own or name in vars(type(self))]


for _name in ("saved_tensors", "next_functions"):
    setattr(Context, _name, checks.read_only(_name, vars(Context)[_name], "torch._C._FunctionBase"))


class Function(FunctionCtx):
    """An operation with its derivative, for a program to subclass and `apply`.

    `forward(ctx, *args)`, or `forward(*args)` and `setup_context(ctx, inputs, output)`, computes the results; it runs
    without recording. `backward(ctx, *grads)` gets dL/d(result) for every result and returns dL/d(input) for every
    input, None for what has none: the upstream gradient times the local derivative. It is recorded under
    `create_graph`, so that a second derivative comes from the same lines.

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

    def __init__(self, *args: Any, **kwargs: Any):
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
        )

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
        """What `forward` would do with `ctx`, if forward takes none."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """dL/d(input) for every input, from dL/d(result) for every result."""
        raise NotImplementedError(messages.NO_BACKWARD)

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Torch's forward mode calls it; minigrad has no forward mode."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """`torch.vmap` calls it; minigrad has no vmap."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def derivative(cls) -> Callable:
        """The program's `backward`, or `vjp`, which is another name for it. RuntimeError if it wrote both."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`; record a node if a gradient is wanted.

        Only Tensors among the arguments have an edge in the graph. Results are one object or a tuple; those that are
        not Tensors are handed back as they are.
        """
        separate = cls.setup_context is not Function.setup_context
        if separate:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            args = in_order(cls.forward, args, kwargs, 0 if separate else 1)
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


def in_order(forward: Callable, args: tuple, kwargs: dict, first: int) -> tuple:
    """Arguments given by name in their places, where `backward` answers for them. TypeError for wrong ones."""
    parameters = [*inspect.signature(forward).parameters.values()][first:]
    names = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    last = max([names.index(name) for name in kwargs])
    for position, name in enumerate(names[len(args) : last + 1], len(args)):
        if name not in kwargs:
            raise TypeError(f"forward() missing required argument: '{name}' (position {position})")
    return (*args, *[kwargs[name] for name in names[len(args) : last + 1]])


def once_differentiable(backward: Callable) -> Callable:
    """Decorate a `backward` that is not written for second derivatives: asking for one is a RuntimeError."""

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
    """The identity, without a derivative: what a gradient of `once_differentiable` went through."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return np.array(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
