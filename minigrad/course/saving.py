"""A notebook that is saved keeps the picture and the text of a widget: without its kernel nobody could show more.

The builder uses it for the course's own notebooks, and JupyterLab, started by `minigrad lab`, for the reader's.
"""

from __future__ import annotations

from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"


def drop_widgets(notebook: Any) -> list[str]:
    """Drop every widget that has an HTML form beside it; give back the ids of cells with one that has none."""
    left = []
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if WIDGET in data and "text/html" in data:
                del data[WIDGET]
            elif WIDGET in data:
                left.append(cell.get("id", ""))
    return left


def before_saving(model: dict[str, Any], **_: Any) -> None:
    """What Jupyter's contents manager calls with everything that it is about to save."""
    if model.get("type") == "notebook":
        drop_widgets(model["content"])
