"""What pictures write: numbers as briefly as a reader wants them, arrays as lines or in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike


def number(value: float | np.ndarray | None) -> str:
    """A number as briefly as four digits allow."""
    return "" if value is None else f"{float(value) + 0.0:.4g}".replace("-", "−")  # + 0.0: no minus before a zero


def numbers(values: ArrayLike) -> str:
    """A number, or the numbers of an array in brackets."""
    array = np.asarray(values)
    return number(array) if array.ndim == 0 else f"[{', '.join(numbers(item) for item in array)}]"


def shape_text(shape: Iterable[int]) -> str:
    """A shape as the course writes it: `[2, 3]`."""
    return f"[{', '.join(map(str, shape))}]"


def said(values: ArrayLike, limit: int = 16) -> str:
    """An array in words: its numbers if there are few of them, else its shape."""
    array = np.asarray(values)
    return numbers(array) if array.size <= limit else f"numbers of shape {shape_text(array.shape)}"


def rows(values: ArrayLike, columns: int = 5, limit: int = 4) -> list[str]:
    """An array as a few short lines; nothing if it is too large for that."""
    array = np.asarray(values)
    if array.ndim < 2:
        return [numbers(array)] if array.size <= columns else []
    if array.ndim > 2 or array.shape[0] > limit or array.shape[1] > columns:
        return []
    return [numbers(item) for item in array]
