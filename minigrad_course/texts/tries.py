"""The predictions a reader has made, read from saved notebooks.

A view stores each choice in its output. This module needs no view and no widget, so that commands start quickly.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from minigrad_course.texts.saving import MIME
from minigrad_course.texts.submitted import Unreadable, code_cells, content_of, loaded

NOTEBOOK = "JPY_SESSION_NAME"  # where Jupyter's server gives a kernel its notebook's file name


def tries_before(name: str) -> list[str]:
    """The choices made for a prediction in the running notebook, as last saved, in order."""
    notebook = os.environ.get(NOTEBOOK, "")
    return tries_in(Path(notebook)).get(name, ([], ""))[0] if notebook else []


def tries_in(path: Path) -> dict[str, tuple[list[str], str]]:
    """For each prediction in a saved notebook, the choices in order and the right one.

    A file that cannot be read gives nothing, and a damaged prediction is left out.
    """
    try:
        cells = code_cells(loaded(content_of(path)))
    except Unreadable:
        return {}
    results: dict[str, tuple[list[str], str]] = {}
    for cell in cells:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            with contextlib.suppress(AttributeError, IndexError, KeyError, TypeError):
                data = output["data"][MIME]
                texts = [choice["text"] for choice in data["choices"]]
                tried = [text for text in data.get("tried", []) if text in texts]
                results[data["id"]] = (tried, texts[data["right"]])
    return results
