"""Chapter 2: what changes when the result is not a single number.

`backward()` needs to know dL/dy, the upstream gradient of the tensor y it is called on. For one element the answer
is 1 and torch supplies it. For more elements there is no answer to guess: you pass `gradient`, a tensor of y's
shape, or reduce y to one element first. That is the seed rule, and with it `y.backward(v)` fills x.grad with vᵀJ.

Broadcasting is copying, and the gradient of a copied value is the sum over its copies: `sum_to_shape`. It is applied
in one place, `fit`, to whatever an operation's `backward` returns; so the operations need not know about it.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import errstate, messages, summing
from minigrad.compat.messages import warn_once
from minigrad.runtime import array_ops, hooks
from minigrad.scalar import Function
from minigrad.tensor import Tensor, constant

# --- the seed rule -------------------------------------------------------------------------------


def backward(
    output: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> None:
    """Fill the `.grad` of every leaf below `output` with vᵀJ, where v is `gradient`.

    `gradient` has the shape of `output`, any real dtype (it is cast), and may be left out when output has one
    element: then v = 1. With `inputs`, only these tensors keep what reaches them. TypeError if `gradient` is not a
    tensor, RuntimeError if its shape differs, if it is missing for several elements, or if nothing below requires
    grad.
    """
    if gradient is not None and not isinstance(gradient, Tensor):
        gradients = tuple(gradient)
        if not gradients:
            raise RuntimeError("got 1 tensors and 0 gradients")
        gradient = gradients[0]
    seed = seed_for(output, gradient, 0, create_graph)
    if seed is None:
        raise RuntimeError(messages.NO_GRAPH.format(0))
    walk(leaf.place_of(output), seed, retain_graph, create_graph, inputs)


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
    places = [leaf.place_of(output) for output in outputs]
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
        asked = hooks.CapturePass(root, [leaf.place_of(each) for each in inputs], keeps)
    if create_graph and keeps:
        warn_once(messages.CREATE_GRAPH)
    token = errstate.STATE.set(errstate.IGNORE)
    before = leaf.recording, leaf.asked, leaf.ordinary
    leaf.recording, leaf.asked = create_graph, asked
    leaf.ordinary = asked is None and not create_graph and not leaf.anomalies
    try:
        scalar.backpropagate(root, seed, create_graph if retain_graph is None else bool(retain_graph))
    finally:
        leaf.recording, leaf.asked, leaf.ordinary = before
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
    seed = seed_rule(output, gradient, place)
    if output._made_by is None and not output._requires_grad and leaf.place_of(output) is output:
        return None  # a constant, or a view taken without a record
    if type(seed) is Tensor and seed._array.dtype is output._array.dtype and not create_graph:
        return seed._array
    seed = array_ops.cast(seed, output._array.dtype)
    return seed if create_graph else array_ops.raw(seed)


def seed_rule(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    """dL/d(output): `gradient`, or 1 if there is none. RuntimeError for a wrong shape, or several elements and none."""
    if gradient is None:
        array = output._array
        if array.size != 1:
            raise RuntimeError(messages.IMPLICIT_SEED)
        return constant(np.ones(array.shape, array.dtype) if array.ndim else array.dtype.type(1))
    if gradient._array.shape != output._array.shape:
        raise RuntimeError(messages.SEED_SHAPE.format(place, gradient.shape, output.shape))
    return gradient


class Roots:
    """Where a pass from several outputs starts: it hands each its own seed."""

    number = math.inf
    nothing = None

    def __init__(self, edges: list):
        self.edges = edges

    def pullback(self, seeds: list, retain_graph: bool = False) -> list:
        """The seeds, one for each output."""
        return seeds


# --- broadcasting --------------------------------------------------------------------------------


def sum_to_shape(grad: Any, shape: Sequence[int]) -> Any:
    """Sum `grad` over the axes along which a value of `shape` was copied; the result has `shape`."""
    have = grad.shape
    if have[1:] == shape and len(have) == 2 and type(grad) is np.ndarray:
        return ones(have[0], grad.dtype).dot(grad)  # one row for all: faster than a sum
    if have == tuple(shape):
        return grad
    if not shape:
        return grad.sum()
    new = len(have) - len(shape)
    stretched = [new + axis for axis, size in enumerate(shape) if size == 1 and have[new + axis] != 1]
    total = grad.sum(axis=(*range(new), *stretched), keepdims=True)
    return total.reshape(tuple(shape)) if new else total


@functools.lru_cache(maxsize=8)
def ones(count: int, dtype: np.dtype) -> np.ndarray:
    """A vector of ones, to be read only."""
    return np.ones(count, dtype)


def comes_from(shape: Sequence[int], larger: Sequence[int]) -> bool:
    """True if broadcasting can make a value of the `larger` shape from one of `shape`."""
    new = len(larger) - len(shape)
    return new >= 0 and all(have in (1, want) for want, have in zip(larger[new:], shape, strict=True))


def demand_broadcast(values: Sequence[Any]) -> None:
    """RuntimeError, in torch's words, if two arrays have shapes that cannot be broadcast to one."""
    shapes = [value.shape for value in values if isinstance(value, (np.ndarray, np.generic))]
    if len(shapes) != 2:
        return
    ndim = max(map(len, shapes))
    a, b = ((1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes)
    for axis in reversed(range(ndim)):
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            raise RuntimeError(messages.SIZES.format(a[axis], b[axis], axis))


def fit(grad: Any, wish: Any, node: Any, index: int) -> Any:
    """What `node` returned for input `index`, summed and cast to the shape and dtype that the input wishes."""
    shape = wish.shape
    if type(grad) is not np.ndarray or grad.dtype is not wish.dtype:
        grad = array_ops.cast(grad, wish.dtype)
    if grad.shape[1:] != shape and not comes_from(shape, grad.shape):  # one row for all: the frequent case
        raise RuntimeError(messages.WRONG_SHAPE.format(node.name(), index, list(grad.shape), list(shape)))
    return sum_to_shape(grad, shape)


# --- reductions ----------------------------------------------------------------------------------


class Sum(Function):
    """Σ aᵢ over all entries: each entry gets the upstream gradient, unchanged."""

    __slots__ = ("input_shape",)
    exact = True

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return summing.total(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.expand(grad_output, ctx.input_shape)


class Mean(Function):
    """Σ aᵢ / n over all n entries: each entry gets the upstream gradient divided by n."""

    __slots__ = ("input_shape",)
    exact = True

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return summing.average(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.spread(grad_output, ctx.input_shape, max(math.prod(ctx.input_shape), 1))


# --- products ------------------------------------------------------------------------------------


class Dot(Function):
    """Σ aᵢbᵢ of two vectors (n): d/da = b, d/db = a, each times the upstream number."""

    __slots__ = ()
    promotes = False
    saves = ("self", "tensor")

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a @ b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output * b if needs_a else None, grad_output * a if needs_b else None


class Mv(Dot):
    """A (n×k) @ x (k): dL/dA is the outer product of the upstream gradient g (n) and x, dL/dx = Aᵀ g."""

    __slots__ = ()
    saves = ("self", "vec")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        needs_a, needs_x = ctx.needs_input_grad
        return (
            grad_output[:, None] * x[None, :] if needs_a else None,
            a.T @ grad_output if needs_x else None,
        )


class Mm(Dot):
    """A (n×k) @ B (k×m): dL/dA = G Bᵀ, dL/dB = Aᵀ G, for the upstream gradient G (n×m)."""

    __slots__ = ()
    exact = True
    saves = ("self", "mat2")

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return product(a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return product(grad_output, b.T) if needs_a else None, product(a.T, grad_output) if needs_b else None


def product(a: Any, b: Any) -> Any:
    """a @ b of two matrices. An outer product is only multiplied, as in torch: numpy adds 0, which turns -0 to 0."""
    if len(b) == 1 and len(a) > 1 and b.shape[1] > 1:
        return a * b
    return a.dot(b) if type(a) is np.ndarray else a @ b  # of two matrices the same, and quicker


# --- parts that share memory ---------------------------------------------------------------------


class ViewFunction(Function):
    """An operation whose result is not new: it shows memory of its input in another form."""

    __slots__ = ()

    @classmethod
    def apply(cls, a: Tensor, **settings: Any) -> Any:
        a._memory()
        view = super().apply(a, **settings)
        leaf.note_view(view, a, cls, settings)
        return view


def put_back(grad: Any, shape: Sequence[int], index: Any) -> Any:
    """Zeros of `shape`, with the entries of the array `grad` added where `index` points: a[index] taken back.

    An entry that the index names several times gets the sum of what belongs to it.
    """
    result = np.zeros(shape, grad.dtype)
    np.add.at(result, index, grad)
    return result


class Expand(ViewFunction):
    """Copies of a along new axes, or along axes of size 1, without memory of their own: their gradients add up."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...]) -> Any:
        if a.shape == tuple(shape):
            return a.view()
        return np.lib.stride_tricks.as_strided(a, shape, np.broadcast_to(a, shape).strides)  # it can be written

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output  # summed over the copies where it leaves the node, by `fit`
