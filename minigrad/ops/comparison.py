"""Questions about numbers: comparisons, logic, nan and infinity. The answers are bools without a graph.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.graph import array_ops
from minigrad.ops.operands import Number, common_dtype, demand_one_shape, demand_one_tensor, no_kernel
from minigrad.ops.registry import define_all
from minigrad.passing import inplace
from minigrad.recording import record
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Question(Function):
    """A function of arrays whose result is not floating, and so has no derivative and no node."""

    @classmethod
    def apply(cls, *inputs: Any, **settings: Any) -> Any:
        """Apply it without recording, and without looking up views: bools have no gradient."""
        return array_ops.constant(record.forward(cls.node(), record.values(inputs), settings))

    forward = staticmethod(lambda ctx, *operands, ask=None: ask(*operands))


def _comparison(ask: Callable, sign: str) -> Callable[[Tensor, Any], Tensor]:
    def compare(input: Tensor, other: Tensor | Number) -> Tensor:
        return Question.apply(input, other, ask=ask if isinstance(other, Tensor) else asked)

    def asked(a: Any, b: Any) -> Any:
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


eq, ne = _comparison(np.equal, "=="), _comparison(np.not_equal, "!=")
lt, le = _comparison(np.less, "<"), _comparison(np.less_equal, "<=")
gt, ge = _comparison(np.greater, ">"), _comparison(np.greater_equal, ">=")
isnan, isinf = _of_one(np.isnan, "Is it not a number"), _of_one(np.isinf, "Is it infinite, of either sign")
isfinite, logical_not = _of_one(np.isfinite, "Is it neither infinite nor nan"), _of_one(np.logical_not, "Is it 0")
logical_and, logical_or = _logic(np.logical_and, "and"), _logic(np.logical_or, "or")
logical_xor = _logic(np.logical_xor, "or, but not both,")
bitwise_and = _bits(np.bitwise_and, "bitwise_and", "&")
bitwise_or = _bits(np.bitwise_or, "bitwise_or", "|")
bitwise_xor = _bits(np.bitwise_xor, "bitwise_xor", "^")
bitwise_left_shift = _bits(np.left_shift, "bitwise_left_shift", "<<", "lshift_cpu")
bitwise_right_shift = _bits(np.right_shift, "bitwise_right_shift", ">>", "rshift_cpu")


def equal(input: Tensor, other: Tensor) -> bool:
    """True if both have the same shape and the same entries; nan equals nothing."""
    return input.shape == other.shape and bool(np.all(input._array == other._array))


def isclose(input: Tensor, other: Tensor, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = False) -> Any:
    """|input - other| ≤ atol + rtol · |other|, entry by entry: bools. RuntimeError for two dtypes."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.scalar_type} did not match {other.dtype.scalar_type}")

    return Question.apply(input, other, ask=lambda a, b: np.isclose(a, b, rtol, atol, equal_nan))


def allclose(input: Tensor, other: Tensor, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = False) -> bool:
    """True if all entries of the two are close, as `isclose` has it."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


def _of_all(answer: Callable, text: str) -> Callable[[Tensor], bool]:
    def question(input: Tensor) -> bool:
        return answer(input)

    question.__doc__ = f"""{text}."""
    return question


is_floating_point = _of_all(lambda input: input.dtype.is_floating_point, "True if the dtype is a floating one")
is_signed = _of_all(lambda input: input.dtype.is_signed, "True if the dtype has numbers below 0")
is_complex = _of_all(lambda input: False, "False: there are no complex numbers here")
is_nonzero = _of_all(bool, "The one entry as a bool. RuntimeError for any other number of entries")


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


COMPARISONS = "eq ne not_equal=ne lt less=lt le less_equal=le gt greater=gt ge greater_equal=ge equal isclose allclose"
define_all(globals(), COMPARISONS)
define_all(globals(), "isnan isinf isfinite is_floating_point is_signed is_complex is_nonzero")


def _unrecorded(tensor: Tensor, operation: Callable, *values: Any) -> Tensor:
    """What `logical_and_` and the like do: torch does not differentiate them, and lets them change even a leaf."""
    with leaf.no_grad():
        return inplace.change(tensor, operation, *values)


define_all(globals(), "logical_and logical_or logical_xor logical_not", in_place=_unrecorded)
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift bitwise_not"
define_all(globals(), BITS, in_place=True)
