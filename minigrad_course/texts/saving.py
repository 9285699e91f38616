"""A saved notebook keeps the picture and the text of a widget: without a kernel, nothing more can be shown.

The builder uses it for the course's own notebooks, and JupyterLab, started by `minigrad lab`, for the reader's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode


WIDGET = "application/vnd.jupyter.widget-view+json"
MIME = "application/vnd.minigrad.explorer+json"  # of an explorer that needs no kernel


def drop_widgets(notebook: NotebookNode) -> list[str]:
    """Drop every widget that also has a still form; returns the ids of cells with a widget that has none."""
    left = []
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if WIDGET in data and ("text/html" in data or "image/svg+xml" in data):
                del data[WIDGET]
            elif WIDGET in data:
                left.append(cell.get("id", ""))
    return left


def before_saving(model: dict[str, Any], **_: object) -> None:
    """Called by Jupyter's contents manager with everything that it is about to save."""
    if model.get("type") == "notebook":
        drop_widgets(model["content"])
