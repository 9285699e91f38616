"""The first page of a learner's folder: how far they have come, the next open part, and every notebook, one click away.

`minigrad lab` opens it, and its progress is fresh whenever it is looked at: our extension of JupyterLab runs its cell.
"""

from __future__ import annotations

from typing import Any

import nbformat.v4 as notebooks

from minigrad_course.learner.progress import named
from minigrad_course.notebooks import renewal
from minigrad_course.parts import chapters
from minigrad_course.texts import source

RUNS = "%load_ext minigrad_course\n%progress"  # the extension runs a cell that says exactly this
START = """\
# Your course on `backward()`

You rebuild a small autograd engine, piece by piece, and PyTorch checks each piece.

New here? Begin with **[the first lesson](lessons/00_start_here.ipynb)**. Otherwise go on where you stopped:"""
WAITING = "Your progress appears here. If it does not, click on this cell and press Shift+Enter."
END = """\
The progress above counts what you have saved (Ctrl+S). In a terminal (File, New, Terminal) `minigrad status` shows the
same, `minigrad check mul` checks a part, and `minigrad doctor` tells you what is missing if something does not work.

When torch says something you cannot place, or a program of yours does not learn: `minigrad explain program.py` runs it
on your torch and names the lines. In a notebook, write `%%explain` above a cell, after `%load_ext minigrad_course`."""


def page() -> Any:
    """The page as a notebook; it is the same for everybody."""
    waiting = notebooks.new_output("display_data", {"text/plain": WAITING, "text/html": f"<p>{WAITING}</p>"})
    hidden = {"jupyter": {"source_hidden": True}}
    cells = [
        notebooks.new_markdown_cell(START, id="start"),
        notebooks.new_code_cell(RUNS, id="progress", outputs=[waiting], metadata=hidden),
        notebooks.new_markdown_cell(contents(), id="contents"),
    ]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "minigrad": {"kind": "home", "version": 1}}
    return renewal.for_kernel_here(notebooks.new_notebook(cells=cells, metadata=metadata))


def contents() -> str:
    """Every notebook, a chapter a line."""
    lines = ["## All chapters", "", "| chapter | read | write | compare | minutes to write |", "|---|---|---|---|---|"]
    first, *_ = source.names("lessons")
    lines.append(f"| 0 start here | [lesson](lessons/{first}.ipynb) | | | |")
    for chapter in chapters():
        links = (f"[{kind[:-1]}]({kind}/{chapter.name}.ipynb)" for kind in source.KINDS)
        lines.append(f"| {named(chapter)} | {' | '.join(links)} | {sum(part.minutes for part in chapter.parts)} |")
    return "\n".join([*lines, "", END])


def is_ours(notebook: Any) -> bool:
    """True if nobody has changed what the page says."""
    return [cell.source for cell in notebook.cells] == [cell.source for cell in page().cells]
