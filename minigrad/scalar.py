"""Floor 1: the chain rule on a graph.

Every operation is a `Function` with two halves. `forward` computes the result and saves what the other half will
need. `backward` receives the upstream gradient dL/d(result) and returns dL/d(input) for each input: the upstream
gradient times the local derivative. Applying a Function makes a *node*, which points at the nodes (or leaves) that
made its inputs. Those pointers are the graph.

`backpropagate` walks the graph from the end. A node may have several users, and each sends it a share; the rule
is to visit it once, after all of them, with the sum of the shares. A node is always created after the nodes it
uses, so "newest first" is such an order: no recursion, however deep the graph.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.tensor import Tensor

_numbers = itertools.count(1)


class Function:
    """An operation with its derivative. Subclasses give static `forward(ctx, *inputs)` and `backward(ctx, grad)`.

    Both halves work on numpy arrays (and plain Python numbers where the program wrote a number). `ctx` is the node
    of this application: it carries what is saved from one half to the other.
    """

    __slots__ = ("edges", "needs_input_grad", "saved", "number", "shape", "dtype", "__weakref__")
    node: type[Function]
    promotes = True  # inputs meet in one dtype before `forward`

    edges: tuple  # for each input: the node that made it, the leaf itself, or None (no gradient wanted)
    needs_input_grad: tuple[bool, ...]
    saved: tuple | None
    number: int  # creation number: newer nodes have larger ones
    shape: tuple[int, ...]
    dtype: dtypes.dtype

    def __init_subclass__(cls, *, name: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "node" in cls.__dict__:
            return
        name = name or f"{cls.__name__}Backward0"
        cls.node = type(name, (cls,), {"__slots__": (), "__module__": "builtins", "node": None})

    def __init__(self) -> None:
        self.saved = ()

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:
        """The result of the operation on arrays."""
        raise NotImplementedError("a Function needs a static method forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """dL/d(input) for every input, from grad_output = dL/d(result), of the result's shape."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function "
            "to use it with backward mode AD."
        )

    @classmethod
    def apply(cls, *inputs: Any, **settings: Any) -> Tensor:
        """Run `forward` on the inputs (Tensors and numbers); record a node if a gradient is wanted.

        `settings` are handed to `forward` as they are: they have no gradient, and no edge in the graph.
        """
        needs = tuple([isinstance(each, Tensor) and each.requires_grad for each in inputs])
        values = [each._array if isinstance(each, Tensor) else each for each in inputs]
        ctx = cls.node()
        ctx.needs_input_grad = needs
        try:
            with np.errstate(all="ignore"):  # torch does not warn about 1/0 or overflow
                output = cls.forward(ctx, *(dtypes.promoted(values) if cls.promotes else values), **settings)
        except ValueError:
            upstream.demand_broadcast(values)  # if the shapes are the reason, say so in torch's words
            raise
        result = Tensor._of(np.asarray(output))
        if any(needs) and result.dtype.is_floating_point:
            ctx.edges = tuple(
                [(each.grad_fn or each) if need else None for each, need in zip(inputs, needs, strict=True)]
            )
            ctx.number = next(_numbers)
            ctx.shape, ctx.dtype = result._array.shape, result.dtype
            result.grad_fn = ctx
        return result

    def save_for_backward(self, *values: Any) -> None:
        """Keep arrays (or numbers) for `backward`. They are freed by it, and guarded against changes in place."""
        self.saved = values

    @property
    def saved_tensors(self) -> tuple:
        """What `save_for_backward` kept. RuntimeError once it is freed, or changed in place since."""
        saved = self.kept()
        leaf.check_versions(self)
        return saved

    def kept(self) -> tuple:
        """The saved values as they are. RuntimeError, in torch's words, once they are freed."""
        if self.saved is None:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors "
                "after they have already been freed). Saved intermediate values of the graph are freed "
                "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
                "backward through the graph a second time or if you need to access saved tensors after "
                "calling backward."
            )
        return self.saved

    def pullback(self, grad_output: np.ndarray, retain_graph: bool = False) -> list:
        """dL/d(input) for each input, of that input's shape and dtype; frees the saved values on the way.

        None stands where no gradient is wanted, or the operation gives none. RuntimeError if `backward` returns
        another number of gradients than there are inputs, or one whose shape cannot belong to its input.
        """
        self.kept()  # a node whose `backward` never asks for them refuses a second time as well
        grads = self.backward(self, grad_output)
        if not isinstance(grads, tuple):
            grads = (grads,)
        while len(grads) > len(self.edges) and grads[-1] is None:
            grads = grads[:-1]  # as in torch: None may stand for a setting, which has no edge
        if len(grads) != len(self.edges):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {len(self.edges)}, got {len(grads)})"
            )
        if self.saved and not retain_graph:
            self.saved = None
        return [
            None if target is None or grad is None else upstream.fit(grad, target, self, index)
            for index, (target, grad) in enumerate(zip(self.edges, grads, strict=True))
        ]

    @property
    def next_functions(self) -> tuple:
        """torch's view of the edges: one pair (node, 0) per input, (None, 0) for a constant."""
        return tuple([(leaf.AccumulateGrad(each) if isinstance(each, Tensor) else each, 0) for each in self.edges])

    def name(self) -> str:
        """The node's name, as `MulBackward0`."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


# --- the walk ------------------------------------------------------------------------------------


def topological_order(root: Any) -> list:
    """Every node and leaf that `root` reaches, each after all of its users.

    A node is created after what it uses, so the order is "newest first", and the leaves come last.
    """
    found, waiting = {root: None}, [root]  # a dict, so that the leaves too come in the same order each time
    while waiting:
        for target in waiting.pop().edges:
            if target is not None and target not in found:
                found[target] = None
                waiting.append(target)
    return sorted(found, key=lambda each: each.number, reverse=True)


def backpropagate(root: Any, grad_output: np.ndarray, retain_graph: bool = False) -> None:
    """Send `grad_output` = dL/d(root) down the graph; every leaf accumulates what reaches it.

    A node is visited once, after all its users, with the sum of what they sent: dL/dn = Σ_users dL/du · du/dn.
    """
    arrived = {root: grad_output}
    for node in topological_order(root):
        if node not in arrived:
            continue  # its users had no gradient for it
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.accumulate(node, Tensor._of(total))
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph), strict=True):
            if share is not None:
                arrived[target] = arrived[target] + share if target in arrived else share


# --- the operations ------------------------------------------------------------------------------


class Add(Function):
    """a + b: d/da = 1, d/db = 1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return a + b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output, grad_output


class Sub(Function):
    """a - b: d/da = 1, d/db = -1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return a - b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output, -grad_output


class Rsub(Function, name="RsubBackward1"):
    """number - a: d/da = -1. torch gives this order a node of its own, with one edge."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, number: Any) -> Any:
        return number - a

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return -grad_output


class Neg(Function):
    """-a: d/da = -1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return -a

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return -grad_output


class Mul(Function):
    """a * b: d/da = b, d/db = a."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a * b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output * b if needs_a else None, grad_output * a if needs_b else None


class Div(Function):
    """a / b: d/da = 1/b, d/db = -a/b²."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_b = ctx.needs_input_grad[1]
        ctx.save_for_backward(a if needs_b else None, b)
        return a / b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output / b if needs_a else None, -grad_output * (a / b / b) if needs_b else None


class Reciprocal(Function):
    """1 / a: d/da = -1/a² = -result². The result is saved, not the input."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        result = 1 / a
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (result,) = ctx.saved_tensors
        return -grad_output * (result * result)


class Pow(Function):
    """a ** n for a number n: d/da = n · a^(n-1), and 0 for n = 0, even at a = 0."""

    __slots__ = ("exponent",)

    @staticmethod
    def forward(ctx: Any, a: Any, exponent: Any) -> Any:
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return power(a, exponent)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        n = ctx.exponent
        return grad_output * (n * power(a, n - 1)) if n else np.zeros_like(a)


class PowTensor(Function, name="PowBackward1"):
    """a ** b for two tensors: d/da = b · a^(b-1), d/db = a^b · log a. 0 ** 0 has both derivatives 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        result = power(a, b)
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, result = ctx.saved_tensors
        return (
            np.where(b == 0, 0, grad_output * (b * a ** (b - 1))),
            grad_output * np.where((a == 0) & (b >= 0), 0, result * np.log(a)),
        )


class PowOfNumber(Function, name="PowBackward2"):
    """base ** b for a number `base`: d/db = base^b · log base."""

    __slots__ = ("base",)

    @staticmethod
    def forward(ctx: Any, b: Any, base: Any) -> Any:
        result = power(np.asarray(base, b.dtype), b)
        ctx.save_for_backward(b, result)
        ctx.base = base
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        b, result = ctx.saved_tensors
        if ctx.base == 0:
            return grad_output * np.where(b >= 0, 0, result * np.log(np.asarray(0.0, b.dtype)))
        return grad_output * (result * np.log(np.asarray(ctx.base, b.dtype)))


def power(a: Any, n: Any) -> Any:
    """a ** n for a number or an array n.

    A number goes by the short cuts torch takes (products, a square root, quotients), so that the last bit agrees.
    A negative power of an integer is 0, but for 1 and -1.
    """
    if isinstance(n, np.ndarray):
        if n.dtype.kind == "i" and (n < 0).any():
            odd = n % 2 == 1
            return np.where(n >= 0, a ** abs(n), np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0)))
        return a**n
    if isinstance(n, bool):  # numpy would make small integers of bools
        return a.copy() if n else np.ones_like(a)
    if n == 2:
        return a * a
    if n == 3:
        return a * a * a
    if n == 0.5:
        return np.sqrt(a)
    if n == -0.5 and a.dtype.kind == "f":
        return 1 / np.sqrt(a)
    if n in (-1, -2) and a.dtype.kind == "f":
        return 1 / a if n == -1 else 1 / (a * a)
    return a**n


# The walk hands over to the later floors, which build on Function.
from minigrad import leaf, upstream  # noqa: E402
