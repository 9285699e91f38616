"""What pictures write: numbers as briefly as a reader wants them, arrays as lines or in words."""

from __future__ import annotations

from typing import Any

import numpy as np


def number(value: Any) -> str:
    """A number as briefly as four digits allow."""
    return "" if value is None else f"{float(value) + 0.0:.4g}".replace("-", "−")  # + 0.0: no minus before a zero


def numbers(values: Any) -> str:
    """A number, or the numbers of an array in brackets."""
    array = np.asarray(values)
    return number(array) if array.ndim == 0 else f"[{', '.join(numbers(item) for item in array)}]"


def shape_text(shape: Any) -> str:
    """A shape as the course writes it: `[2, 3]`."""
    return f"[{', '.join(map(str, shape))}]"


def said(values: Any, limit: int = 16) -> str:
    """An array in words: its numbers if there are few of them, else its shape."""
    array = np.asarray(values)
    return numbers(array) if array.size <= limit else f"numbers of shape {shape_text(array.shape)}"


def rows(values: Any, columns: int = 5, limit: int = 4) -> list[str]:
    """An array as a few short lines; nothing if it is too large for that."""
    array = np.asarray(values)
    if array.ndim < 2:
        return [numbers(array)] if array.size <= columns else []
    if array.ndim > 2 or array.shape[0] > limit or array.shape[1] > columns:
        return []
    return [numbers(item) for item in array]
