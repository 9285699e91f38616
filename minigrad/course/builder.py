"""Make the three folders of notebooks from their texts, byte for byte the same each time.

Lessons and solutions are executed and keep what they print. Under a check stands what torch prints: the builder runs
the check's program under torch, and refuses a solution that prints anything else. An exercise is the solution without
its answers, and under each check the goal.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat

from minigrad.course import saving, source
from minigrad.course.compare import difference
from minigrad.course.reference import NoReference, reference
from minigrad.course.verdicts import SEED

CELL_SECONDS = 120


class Refused(Exception):
    """A text that cannot be built; the message says which cell, and why."""


@dataclasses.dataclass(frozen=True)
class Built:
    """One notebook: where it belongs and its bytes."""

    path: Path
    content: bytes

    @property
    def stale(self) -> bool:
        """True if the file is missing or differs in any byte."""
        return not self.path.is_file() or self.path.read_bytes() != self.content


def build(kind: str, name: str) -> Built:
    """One notebook of a kind. Refused if a cell fails, or a check's solution does not print what torch prints."""
    return finished(kind, name, begun(kind, name))


def begun(kind: str, name: str) -> Any:
    """A notebook from its text, executed if it is to be. Refused if a cell fails."""
    notebook = source.notebook(kind, name)
    if kind != "exercises":
        execute(notebook, f"{kind}/source/{name}.md")
    return notebook


def finished(kind: str, name: str, notebook: Any) -> Built:
    """The bytes of a notebook that was begun. Refused if its checks do not print what torch prints."""
    if kind == "exercises":
        set_goals(notebook, name)
    else:
        tidy(notebook)
        demand_still_forms(notebook, f"{kind}/source/{name}.md")
        if kind == "solutions":
            demand_references(notebook, name)
    code_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    # An exercise has no counts, because nobody has run it yet. Elsewhere nbval wants them beside outputs.
    for count, cell in enumerate(code_cells if kind != "exercises" else [], start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    nbformat.validate(notebook)
    path = source.notebooks_folder() / kind / f"{name}.ipynb"
    return Built(path, (nbformat.writes(notebook) + "\n").encode())


def build_all() -> Iterator[Built]:
    """Every notebook of the course, in order. As many are executed at a time as there are processors."""
    jobs = [(kind, name) for kind in source.KINDS for name in source.names(kind)]
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # each waits for a kernel, which is a process of its own
        for (kind, name), notebook in zip(jobs, threads.map(begun, *zip(*jobs, strict=True)), strict=True):
            yield finished(kind, name, notebook)


def holds_answers(built: Built) -> bool:
    """True if somebody has written into the exercise that lies where `built` belongs."""
    if built.path.parent.name != "exercises" or not built.path.is_file():
        return False
    try:
        cells = json.loads(built.path.read_bytes())["cells"]
        found = {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}
    except (ValueError, KeyError, TypeError):
        return True  # not as we wrote it, so it is somebody's
    for cell in source.notebook("exercises", built.path.stem).cells:
        if "part" in cell.metadata.get("minigrad", {}) and cell.id in found:
            # An older stub has the mark as well; a stub that is a program of its own has none.
            marked = source.PLACE in cell.source
            if source.PLACE not in found[cell.id] if marked else found[cell.id] != cell.source:
                return True
    return False


def how_many() -> int:
    """The number of notebooks that `build_all` makes."""
    return sum(len(source.names(kind)) for kind in source.KINDS)


# --- exercises -----------------------------------------------------------------------------------


def set_goals(notebook: Any, name: str) -> None:
    """Put under each check what torch prints, marked as the goal: it is no verdict, and nobody's tick."""
    for cell, wanted in checks(notebook, name):
        note = "*The goal: this is what torch prints. Your own run replaces it.*"
        cell.outputs = [
            nbformat.v4.new_output("display_data", data={"text/markdown": note, "text/plain": note.strip("*")}),
            nbformat.v4.new_output("stream", name="stdout", text=wanted),
        ]


def checks(notebook: Any, name: str) -> Iterator[tuple[Any, str]]:
    """Every check cell with what torch prints for it."""
    text = source.read("solutions", name)
    assert text.chapter is not None
    programs = text.programs()
    for cell in notebook.cells:
        check = cell.metadata.get("minigrad", {}).get("check")
        if check is None:
            continue
        try:
            yield cell, reference(text.chapter, check, programs[check], SEED)
        except NoReference as error:
            raise Refused(f"solutions/source/{name}.md, check {check}: torch does not run it. {error}") from None


# --- lessons and solutions -----------------------------------------------------------------------


def demand_references(notebook: Any, name: str) -> None:
    """Refused unless every check of the solution printed what torch prints."""
    for cell, wanted in checks(notebook, name):
        check = cell.metadata["minigrad"]["check"]
        printed = "".join(out.text for out in cell.outputs if out.output_type == "stream")
        found = difference(printed, wanted)
        if found or not any("✓" in str(out.get("data", {})) for out in cell.outputs):
            detail = f"{found.what}; solution: {found.printed!r}; torch: {found.reference!r}" if found else printed
            raise Refused(f"solutions/source/{name}.md, check {check}: not what torch prints: {detail}")
        for out in cell.outputs:
            if out.output_type == "stream":
                out.text = wanted  # to the last digit


def execute(notebook: Any, where: str) -> None:
    """Run all cells in a fresh kernel, in an empty folder beside untouched exercises. Refused if one of them fails."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            record_timing=False,
            extra_arguments=["--IPKernelApp.log_level=40"],
            resources={"metadata": {"path": beside_exercises(folder)}},
        )
        try:
            # what a kernel says at its own end is of no use to anybody
            client.execute(env=kernel_environment(folder), stderr=subprocess.DEVNULL)
        except CellExecutionError as error:
            raise Refused(f"{where}: a cell failed with {error.ename}: {error.evalue}") from None
        except (CellTimeoutError, DeadKernelError) as error:
            raise Refused(f"{where}: {error}") from None


def beside_exercises(folder: str) -> str:
    """An empty folder `lessons` with untouched exercises beside it: what somebody has written must not be built in."""
    lessons, exercises = Path(folder, "lessons"), Path(folder, "exercises")
    for each in (lessons, exercises):
        each.mkdir()
    for name in source.names("exercises"):
        nbformat.write(source.notebook("exercises", name), exercises / f"{name}.ipynb")
    return str(lessons)


def kernel_environment(folder: str) -> dict[str, str]:
    """The environment of the kernel: this Python's packages, nobody's settings, no colours."""
    environment = dict(os.environ, IPYTHONDIR=folder, MPLCONFIGDIR=folder, NO_COLOR="1")
    environment.pop("NBGRADER_EXECUTION", None)
    # The kernel imports the minigrad that builds, also where that one is not installed.
    here = str(Path(__file__).resolve().parent.parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join([here, *filter(None, [environment.get("PYTHONPATH")])])
    return environment


def demand_still_forms(notebook: Any, where: str) -> None:
    """Drop the widgets. Refused if one has no HTML form: it would be shown as an error, or as its Python form."""
    for cell in saving.drop_widgets(notebook):
        raise Refused(f"{where}, cell {cell}: a widget without a still form. Show an explorer instead.")


def tidy(notebook: Any) -> None:
    """Keep what is the same on every machine: joined streams, no transient fields, no widget state."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = nbformat.from_dict({"name": "python"})
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.metadata.pop("execution", None)
        joined: list[Any] = []
        for output in cell.outputs:
            output.pop("transient", None)
            same = joined and output.output_type == "stream" == joined[-1].output_type
            if same and output.name == joined[-1].name:
                joined[-1].text += output.text
            else:
                joined.append(output)
        cell.outputs = joined
