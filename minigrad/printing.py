"""The text form of a tensor: what `print(t)` and `repr(t)` show in torch 2.13, to the letter.

A text has three pieces: `tensor(`, the entries in brackets, and notes such as
`dtype=torch.float64`. Three questions decide what it looks like:

1. Which entries are shown? All of them, or the corners of a large tensor (`_shown_entries`).
2. How is one entry written? One format, chosen from the shown entries, serves them all (`_column`).
3. Where do lines break? Rows break by entries (`_row`), notes move to a new line (`_add_notes`).

The module reads numpy arrays and knows nothing of tensors or graphs.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html
"""

import math
import types
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np

from minigrad import dtypes

PREFIX = "tensor("

# Scientific notation begins above these values, or below the last one. None of them is included.
LARGEST_RATIO = 1000.0
LARGEST_FIXED = 1e8
SMALLEST_FIXED = 1e-4

# The torch name of every dtype that can be printed. Looked up by dtype: `dtype.name` is slow.
_DTYPE_NAMES = {
    np.dtype(name): f"torch.{name}"
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    )
}

# A reader recognises these from the entries, so they are named only where there are no entries.
# The default floating dtype is not named at all.
_UNNAMED = {np.dtype("int64"), np.dtype("bool")}


# The choices that `set_printoptions` changes, which says what they are, with torch's defaults.
_DEFAULT: dict[str, Any] = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
_PROFILES = {
    "default": _DEFAULT,
    "short": {**_DEFAULT, "precision": 2, "edgeitems": 2},
    "full": {**_DEFAULT, "threshold": math.inf},
}

_options = types.SimpleNamespace(**_DEFAULT)


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: Literal["default", "short", "full"] | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors are printed from now on.

    An argument that is None leaves its option alone, with one exception that torch has too:
    `sci_mode` is set by every call, so a call without it goes back to None. A profile sets the
    other four options first; the arguments beside it then override single ones. A profile that
    torch does not know changes nothing.

    Args:
        precision: digits after the point of a float (default 4).
        threshold: number of entries above which only the corners are shown (default 1000).
        edgeitems: entries shown at each end of an axis that is cut (default 3). With 0 a large
            tensor is `tensor([...], size=(12,))`.
        linewidth: columns of a line (default 80).
        profile: "default", "short" (precision 2, edgeitems 2) or "full" (no threshold).
        sci_mode: True forces scientific notation, False forbids it, None lets the entries decide.

    Raises:
        ValueError: if `edgeitems` is negative. (torch takes it, and fails when it prints.)
    """
    if edgeitems is not None and edgeitems < 0:
        raise ValueError(f"set_printoptions: edgeitems must be 0 or more, not {edgeitems}")
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changes = dict(_PROFILES[profile]) if profile in _PROFILES else {}
    changes |= {name: value for name, value in given.items() if value is not None}
    changes["sci_mode"] = sci_mode
    for name, value in changes.items():
        setattr(_options, name, value)


def get_printoptions() -> dict[str, Any]:
    """Return a copy of the options as a dict, so `set_printoptions(**saved)` brings them back."""
    return dict(vars(_options))


def tensor_text(
    array: np.ndarray,
    *,
    requires_grad: bool = False,
    grad_fn: str | None = None,
    parameter: bool = False,
) -> str:
    """Return the text that torch prints for a tensor with these entries.

    Only the entries that are shown are read, so a large tensor is printed as fast as its corners.

    Args:
        array: the entries, of any shape. Its dtype is bool, an integer of 8 to 64 bits, float16,
            float32 or float64.
        requires_grad: add `requires_grad=True`. A `grad_fn` takes its place.
        grad_fn: class name of the node that made the tensor, such as "MulBackward0".
        parameter: put `Parameter containing:` on a line before the text.

    Raises:
        TypeError: if torch has no such dtype, or minigrad does not print it (complex numbers).

    Examples:
        >>> print(tensor_text(np.array([[1.0, -2.5]], dtype="float32"), grad_fn="MulBackward0"))
        tensor([[ 1.0000, -2.5000]], grad_fn=<MulBackward0>)
    """
    if array.dtype not in _DTYPE_NAMES:
        raise TypeError(
            f"cannot print an array of dtype {array.dtype.str!r}; "
            "convert it to bool, an integer, float16, float32 or float64 first"
        )
    text = PREFIX + (_entries_text(array) if array.size else "[]")
    notes = [*_array_notes(array), *_graph_notes(requires_grad, grad_fn)]
    text = _add_notes(text, notes) + ")"
    return f"Parameter containing:\n{text}" if parameter else text


# Which entries are shown


_Axis = tuple[int, bool]  # as it is shown: so many entries; whether it is cut, with a mark in the middle for the rest


def _shown_axes(array: np.ndarray) -> list[_Axis]:
    """Say for every axis how much of it is shown."""
    both_ends = 2 * _options.edgeitems
    large = array.size > _options.threshold
    return [(both_ends, True) if large and length > both_ends else (length, False) for length in array.shape]


def _shown_entries(array: np.ndarray, axes: Sequence[_Axis]) -> list[Any]:
    """Return the shown entries as Python numbers, in the order of the text."""
    if any(cut for _, cut in axes):
        # One indexing for all axes: cutting axis by axis would copy most of a wide array.
        indices = [
            [*range(shown // 2), *range(length - shown // 2, length)] if cut else range(length)
            for (shown, cut), length in zip(axes, array.shape, strict=True)
        ]
        array = array[np.ix_(*indices)]
    # tolist() also turns float16 and float32 into doubles, which is where torch compares them.
    return array.ravel().tolist()


# How an entry is written


def _column(entries: list[Any], is_float: bool) -> tuple[list[str], int]:
    """Write all entries in one format, padded on the left to one width, and give that width.

    A zero, nan or infinity may stick out: it does not widen the column.
    """
    if is_float:
        texts, width = _float_texts(entries)
    else:
        texts = [str(entry) for entry in entries]
        width = max(map(len, texts))
    return [text.rjust(width) for text in texts], width


def _float_texts(entries: list[float]) -> tuple[list[str], int]:
    """Write floats in one format, not padded yet, and give the width of their column.

    Zeros, nan and infinities have no say, neither in the format nor in the width.
    """
    has_say = [entry != 0 and math.isfinite(entry) for entry in entries]
    deciding = [entry for entry, says in zip(entries, has_say, strict=True) if says]
    if _is_scientific(deciding):
        texts = [f"{entry:.{_options.precision}e}" for entry in entries]
    elif all(entry.is_integer() for entry in deciding):
        # The dot tells a float from an integer. nan and inf need none.
        texts = [f"{entry:.0f}" + "." * math.isfinite(entry) for entry in entries]
    else:
        texts = [f"{entry:.{_options.precision}f}" for entry in entries]
    widths = [len(text) for text, says in zip(texts, has_say, strict=True) if says]
    return texts, max(widths, default=1)


def _is_scientific(deciding: list[float]) -> bool:
    """Say whether these entries, none of them zero, are written like 1.0000e-05."""
    if not deciding:
        return False
    if _options.sci_mode is not None:
        return bool(_options.sci_mode)
    sizes = [abs(entry) for entry in deciding]
    smallest, largest = min(sizes), max(sizes)
    return largest / smallest > LARGEST_RATIO or largest > LARGEST_FIXED or smallest < SMALLEST_FIXED


# Where lines break


def _entries_text(array: np.ndarray) -> str:
    """Write the entries of an array that is not empty: one bare entry, or rows in brackets."""
    axes = _shown_axes(array)
    if axes and not axes[0][0]:
        return "[...]"
    texts, width = _column(_shown_entries(array, axes), array.dtype.kind == "f")
    return _block(iter(texts), axes, len(PREFIX), width) if axes else texts[0]


def _block(texts: Iterator[str], axes: Sequence[_Axis], column: int, width: int) -> str:
    """Write the next block of `texts`, with the shape `axes`; its bracket stands at `column`.

    `width` is that of the column of entries, which decides how many fit on a line.
    """
    (shown, cut), *inner = axes
    if not inner:
        return _row(list(islice(texts, shown)), cut, column, width)
    parts = [_block(texts, inner, column + 1, width) for _ in range(shown)]
    if cut:
        parts.insert(shown // 2, "...")
    separator = "," + "\n" * len(inner) + " " * (column + 1)
    return "[" + separator.join(parts) + "]"


def _row(texts: list[str], cut: bool, column: int, width: int) -> str:
    """Write one row, as many entries on a line as fit, and at least one."""
    if cut:
        # With a space of its own, and counted as an entry whatever its length.
        texts.insert(len(texts) // 2, " ...")
    per_line = max(1, int((_options.linewidth - column) // (width + len(", "))))
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (column + 1)).join(lines) + "]"


# The notes behind the entries


def _array_notes(array: np.ndarray) -> list[str]:
    """Name what the entries do not tell: the size of an empty tensor, an unusual dtype."""
    empty = array.size == 0
    notes = []
    if (empty and array.ndim != 1) or (not empty and not _options.edgeitems):
        notes.append(f"size={array.shape}")
    if array.dtype != dtypes.default().numpy and (empty or array.dtype not in _UNNAMED):
        notes.append(f"dtype={_DTYPE_NAMES[array.dtype]}")
    return notes


def _graph_notes(requires_grad: bool, grad_fn: str | None) -> list[str]:
    """Name the node that made the tensor, or else say that a gradient is wanted."""
    if grad_fn is not None:
        return [f"grad_fn=<{grad_fn}>"]
    return ["requires_grad=True"] if requires_grad else []


def _add_notes(text: str, notes: Sequence[str]) -> str:
    """Append notes to `text`. One that would pass the line width goes below, under the entries."""
    last_line = len(text) - (text.rfind("\n") + 1)
    column = last_line + len(", ")
    for note in notes:
        if column + len(note) + len(", ") > _options.linewidth:
            text += ",\n" + " " * len(PREFIX) + note
            column = len(PREFIX) + len(note)
        else:
            text += ", " + note
            column += len(note) + len(", ")
    return text
