"""Questions about numbers: comparisons, logic, nan and infinity. The answers are bools without a graph.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes, inference
from minigrad.graph import array_ops, state
from minigrad.ops.operands import Number, common_dtype, demand_one_shape, demand_one_tensor, no_kernel
from minigrad.ops.registry import register
from minigrad.passing import inplace
from minigrad.recording import record
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Question(Function):
    """A function of arrays whose result is not floating, and so has no derivative and no node."""

    @classmethod
    def apply(cls, *inputs: Any, **settings: object) -> Tensor:
        """Apply it without recording, and without looking up views: bools have no gradient."""
        if state.batched is not None and (entry := state.batched(cls, inputs, settings)) is not None:
            return entry
        return array_ops.constant(record.forward(*record.begin(cls, inputs), settings))

    forward = staticmethod(lambda ctx, *operands, ask=None: ask(*operands))


def _comparison(ask: Callable, sign: str) -> Callable[[Tensor, Tensor | Number], Tensor]:
    def compare(input: Tensor, other: Tensor | Number) -> Tensor:
        return Question.apply(input, other, ask=ask if isinstance(other, Tensor) else asked)

    def asked(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return ask(*dtypes.wrapped([a, b]))

    compare.__doc__ = f"""input {sign} other, entry by entry: bools, of the shape in which the two meet."""
    return compare


def _logic(ask: Callable, text: str) -> Callable[[Tensor, Tensor], Tensor]:
    def combine(input: Tensor, other: Tensor) -> Tensor:
        return Question.apply(input, other, ask=ask)

    combine.__doc__ = f"""input {text} other, entry by entry, where every number but 0 is true: bools."""
    return combine


def _of_one(ask: Callable, text: str) -> Callable[[Tensor], Tensor]:
    def question(input: Tensor) -> Tensor:
        return Question.apply(input, ask=ask)

    question.__doc__ = f"""{text}, entry by entry: bools."""
    return question


def _bits(ask: Callable, name: str, sign: str, shift: str = "") -> Callable[..., Tensor]:
    def combine(input: Tensor | Number, other: Tensor | Number) -> Tensor:
        demand_one_tensor(name, input, other)
        demand_one_shape(input, other)
        common = common_dtype(input, other)
        if common.is_floating_point or (shift and common is dtypes.bool_):
            raise no_kernel(shift or f"{name}_cpu", common)
        # a number that the dtype has no room for is cut off, as in C
        return Question.apply(input, other, ask=lambda *both: ask(*[np.asarray(e).astype(common.numpy) for e in both]))

    combine.__doc__ = f"""input {sign} other, for the bits of integers. NotImplementedError for floats."""
    return combine


def _unrecorded(tensor: Tensor, operation: Callable, *values: object) -> Tensor:
    """What `logical_and_` and the like do: torch does not differentiate them, and lets them change even a leaf."""
    with leaf.no_grad():
        return inplace.change(tensor, operation, *values)


eq = register("eq", _comparison(np.equal, "=="))
ne = register("ne", _comparison(np.not_equal, "!="), alias="not_equal")
lt = register("lt", _comparison(np.less, "<"), alias="less")
le = register("le", _comparison(np.less_equal, "<="), alias="less_equal")
gt = register("gt", _comparison(np.greater, ">"), alias="greater")
ge = register("ge", _comparison(np.greater_equal, ">="), alias="greater_equal")
isnan = register("isnan", _of_one(np.isnan, "Is it not a number"))
isinf = register("isinf", _of_one(np.isinf, "Is it infinite, of either sign"))
isfinite = register("isfinite", _of_one(np.isfinite, "Is it neither infinite nor nan"))
logical_not = register("logical_not", _of_one(np.logical_not, "Is it 0"), in_place=_unrecorded)
logical_and = register("logical_and", _logic(np.logical_and, "and"), in_place=_unrecorded)
logical_or = register("logical_or", _logic(np.logical_or, "or"), in_place=_unrecorded)
logical_xor = register("logical_xor", _logic(np.logical_xor, "or, but not both,"), in_place=_unrecorded)
bitwise_and = register("bitwise_and", _bits(np.bitwise_and, "bitwise_and", "&"), in_place=True)
bitwise_or = register("bitwise_or", _bits(np.bitwise_or, "bitwise_or", "|"), in_place=True)
bitwise_xor = register("bitwise_xor", _bits(np.bitwise_xor, "bitwise_xor", "^"), in_place=True)
bitwise_left_shift = register(
    "bitwise_left_shift", _bits(np.left_shift, "bitwise_left_shift", "<<", "lshift_cpu"), in_place=True
)
bitwise_right_shift = register(
    "bitwise_right_shift", _bits(np.right_shift, "bitwise_right_shift", ">>", "rshift_cpu"), in_place=True
)


@register("equal")
def equal(input: Tensor, other: Tensor) -> bool:
    """True if both have the same shape and the same entries; nan equals nothing."""
    return input.shape == other.shape and bool(np.all(input._array == other._array))


@register("isclose")
def isclose(
    input: Tensor, other: Tensor, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = False
) -> Tensor:
    """|input - other| ≤ atol + rtol · |other|, entry by entry: bools. RuntimeError for two dtypes."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.scalar_type} did not match {other.dtype.scalar_type}")

    return Question.apply(input, other, ask=lambda a, b: np.isclose(a, b, rtol, atol, equal_nan))


@register("allclose")
def allclose(input: Tensor, other: Tensor, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = False) -> bool:
    """True if all entries of the two are close, as `isclose` has it."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


@register("is_inference")
def is_inference(input: Tensor) -> bool:
    """True for a tensor that was made in inference mode, or shares the memory of one."""
    return inference.is_inference(input)


@register("is_floating_point")
def is_floating_point(input: Tensor) -> bool:
    """True if the dtype is a floating one."""
    return input.dtype.is_floating_point


@register("is_signed")
def is_signed(input: Tensor) -> bool:
    """True if the dtype has numbers below 0."""
    return input.dtype.is_signed


@register("is_complex")
def is_complex(input: Tensor) -> bool:
    """False: there are no complex numbers here."""
    return False


@register("is_nonzero")
def is_nonzero(input: Tensor) -> bool:
    """The one entry as a bool. RuntimeError for any other number of entries."""
    return bool(input)


@register("bitwise_not", in_place=True)
def bitwise_not(input: Tensor) -> Tensor:
    """~input: the negated bool, or an integer with all bits flipped. NotImplementedError for floats."""
    if input.dtype.is_floating_point:
        raise no_kernel("bitwise_not_cpu", input.dtype)
    return Question.apply(input, ask=np.invert)


def invert(input: Tensor) -> Tensor:
    """`~input`, the operator. TypeError for floats."""
    if input.dtype.kind == dtypes.FLOATING:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(input)
