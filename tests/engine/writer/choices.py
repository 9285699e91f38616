"""The small things a line is made of: numbers, shapes, dtypes, axes, written as Python."""

import torch

from writer.sheet import Sheet

SHAPES = [
    *[(2,), (3,), (2, 3), (), (1,), (3, 2), (2, 2), (1, 3), (2, 1), (2, 1, 3), (2, 2, 2), (0,), (3, 1, 2)],
    *[(2,), (3,), (2, 3), (), (3, 2), (2, 2), (3, 3)],
]
QUARTERS = [1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 1.5, 0.0, -0.5, 0.25, 2.5, -1.5, -3.0, 1.25, -0.75, 4.0]
NUMBERS = ["2", "3", "0.5", "-1", "1.5", "-2.0", "4", "0", "True", "0.25"]
EXPONENTS = ["2", "3", "1", "0", "-1", "0.5", "2.0", "1.5", "-2", "-0.5"]
DTYPES = ["torch.float32", "torch.float64", "torch.int64", "torch.bool"]


def literal(sheet: Sheet, shape: tuple[int, ...], numbers: list = QUARTERS) -> str:
    """Nested lists of numbers."""
    if not shape:
        return repr(sheet.one_of(numbers))
    return "[" + ", ".join(literal(sheet, shape[1:], numbers) for _ in range(shape[0])) + "]"


def repeats(value: torch.Tensor) -> bool:
    """True if several entries of a tensor lie in one place of memory, as after expand."""
    return any(step == 0 and size > 1 for step, size in zip(value.stride(), value.shape, strict=True))


def tensor_of(sheet: Sheet, shape: tuple[int, ...]) -> str:
    """A constant of a shape, in one expression."""
    if 0 in shape or len(shape) > 2:
        return f"torch.full({shape}, {sheet.one_of(QUARTERS)})"
    return f"torch.tensor({literal(sheet, shape)})"


def dtype_keyword(sheet: Sheet) -> str:
    """Nothing, or a dtype as the last argument."""
    return sheet.one_of(["", "", "", *(f", dtype={each}" for each in DTYPES)])


def axis(sheet: Sheet, ndim: int) -> int:
    """An axis that exists, counted from either end; once in sixteen times one that does not."""
    if sheet.chance(16):
        return sheet.one_of([ndim, -ndim - 1, 5])
    return sheet.one_of([*range(ndim), *range(-ndim, 0)]) if ndim else sheet.one_of([0, -1])


def axes(sheet: Sheet, ndim: int) -> str:
    """One axis or a tuple of them."""
    if ndim > 1 and sheet.chance(4):
        return str(tuple(sheet.one_of([[0, 1], [-1, 0], [ndim - 1], [*range(ndim)]])))
    return str(axis(sheet, ndim))


def broadcastable(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """True if two shapes go together elementwise."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def partner(sheet: Sheet, name: str) -> str:
    """A tensor that goes together with another one elementwise; once in a while any tensor."""
    shape = sheet.value(name).shape
    fits = None if sheet.chance(10) else lambda other: broadcastable(shape, other.shape)
    return sheet.named(fits) or name
