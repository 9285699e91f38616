"""Which hints a student has seen, which solutions were refused, which repairs failed, and which diagnosis was chosen.

All of it per exercise folder.

This is kept in a small file of the user's, outside the exercises, shared by notebook and terminal. It does not record
what is solved, which is read from the notebooks each time. Without the file, it is as if nobody had asked.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import platformdirs

_unwritten: dict[str, Any] = {}  # what the file would hold if it could be written


def place() -> Path:
    """The path of the file on this system."""
    return platformdirs.user_state_path("minigrad", appauthor=False) / "asked.json"


def times(folder: Path, what: str, part: str) -> int:
    """How often a part's `what` ("hint", "solution") was asked for."""
    count = entry(everything(), folder, what).get(part, 0)
    return count if isinstance(count, int) else 0


def note(folder: Path, what: str, part: str, count: int) -> None:
    """Remember that count. If the file cannot be written, it is remembered only while this process lives."""
    data = everything()
    entry(data, folder, what)[part] = count
    try:
        place().parent.mkdir(parents=True, exist_ok=True)
        place().write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        _unwritten.clear()
    except OSError:
        _unwritten.update(data)


def everything() -> dict[str, Any]:
    """The contents of the file; empty if it cannot be read."""
    if _unwritten:
        return dict(_unwritten)
    try:
        data = json.loads(place().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def entry(data: dict[str, Any], folder: Path, what: str) -> dict[str, Any]:
    """The counts of a folder, created if there are none."""
    counts: Any = data
    for key in (str(folder.resolve()), what):
        if not isinstance(counts.get(key), dict):
            counts[key] = {}
        counts = counts[key]
    return counts
