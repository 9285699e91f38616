"""Build the three folders of notebooks from their texts, byte for byte the same each time.

Lessons and solutions are executed and keep their output. Below each check is what torch prints: the builder runs
the check's program under torch, and refuses a solution that prints anything else. An exercise is the solution without
its answers, and under each check the target.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

import minigrad
from minigrad_course.checks.reference import NoReference, reference, solutions
from minigrad_course.checks.verdicts import SEED
from minigrad_course.notebooks import kernels
from minigrad_course.predictions.diagnoses import diagnose
from minigrad_course.programs import program
from minigrad_course.programs.compare import difference
from minigrad_course.texts import saving, source
from minigrad_course.texts.tries import NOTEBOOK
from minigrad_course.texts.words import ENGLISH

if TYPE_CHECKING:
    from nbformat import NotebookNode

CELL_SECONDS = 120
UNCOLLECTED = "__import__('gc').disable()"  # Python looks for garbage for a sixth of the time of a notebook, in vain


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
    (built,) = build_all([(kind, name)])
    return built


def begun(manager: type | None, kind: str, name: str) -> NotebookNode:
    """A notebook built from its text, and executed if it needs to be. Refused if a cell fails."""
    notebook = source.notebook(kind, name)
    if kind != "exercises":
        execute(notebook, f"{kind}/source/{name}.md", manager)
    return notebook


def finished(kind: str, name: str, notebook: NotebookNode) -> Built:
    """The bytes of a notebook that was begun. Refused if its checks do not print what torch prints."""
    if kind == "exercises":
        set_goals(notebook, name)
        demand_use(name)
        set_shown(notebook)
    else:
        tidy(notebook)
        demand_still_forms(notebook, f"{kind}/source/{name}.md")
        if kind == "solutions":
            demand_references(notebook, name)
    code_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    # An exercise has no counts, because nobody has run it yet. Elsewhere nbval needs them with outputs.
    for count, cell in enumerate(code_cells if kind != "exercises" else [], start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    nbformat.validate(notebook)
    path = source.notebooks_folder() / kind / f"{name}.ipynb"
    keep_measured(notebook, path)
    return Built(path, (nbformat.writes(notebook) + "\n").encode())


def every() -> list[tuple[str, str]]:
    """All notebooks of the course by kind and name, in order."""
    return [(kind, name) for kind in source.KINDS for name in source.names(kind)]


def called(typed: str) -> list[tuple[str, str]]:
    """The notebooks that somebody means by `exercises/01`, `01` or a whole path; none if there are none."""
    *_, kind, name = ("", *typed.removesuffix(".ipynb").removesuffix("…").split("/"))
    return [item for item in every() if item[1].startswith(name) and kind in ("", ".", item[0])] if name else []


def build_all(jobs: list[tuple[str, str]]) -> Iterator[Built]:
    """Some notebooks, in order. As many are executed at a time as there are processors."""
    several = sum(kind != "exercises" for kind, _ in jobs) > 1
    # each thread waits for a kernel, which is a separate process
    with (
        tempfile.TemporaryDirectory() as folder,
        # for one notebook, to import only what it needs is quicker
        kernels.manager(kernel_environment(folder)) if several else contextlib.nullcontext() as manager,
        ThreadPoolExecutor(os.cpu_count()) as threads,
    ):
        executed = threads.map(functools.partial(begun, manager), *zip(*jobs, strict=True))
        for (kind, name), notebook in zip(jobs, executed, strict=True):
            yield finished(kind, name, notebook)


def holds_answers(built: Built) -> bool:
    """True if somebody has written into the exercise that lies where `built` belongs."""
    if built.path.parent.name != "exercises" or not built.path.is_file():
        return False
    try:
        cells = json.loads(built.path.read_bytes())["cells"]
        results = {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}
    except (ValueError, KeyError, TypeError):
        return True  # not as we wrote it, so it is somebody's
    for cell in source.notebook("exercises", built.path.stem).cells:
        if "part" in cell.metadata.get("minigrad", {}) and cell.id in results:
            # An older stub also has the mark; a stub that is a complete program has none.
            marked = source.PLACE in cell.source
            if source.PLACE not in results[cell.id] if marked else results[cell.id] != cell.source:
                return True
    return False


# --- exercises -----------------------------------------------------------------------------------


def set_goals(notebook: NotebookNode, name: str) -> None:
    """Put under each check what torch prints, marked as the target: it is no verdict, and nobody's tick."""
    for cell, wanted in checks(notebook, name):
        note = f"*{ENGLISH.target}*"
        cell.outputs = [
            nbformat.v4.new_output("display_data", data={"text/markdown": note, "text/plain": note.strip("*")}),
            nbformat.v4.new_output("stream", name="stdout", text=wanted),
        ]


def set_shown(notebook: NotebookNode) -> None:
    """Put pictures, and the questions about programs to debug, under their cells: nobody needs a kernel for them."""
    for cell in notebook.cells:
        if part := cell.metadata.get("minigrad", {}).get("diagnoses"):
            shown = diagnose(part)
        elif "picture" in cell.metadata.get("tags", []):
            shown = last_value(cell.source)
        else:
            continue
        cell.outputs = [nbformat.v4.new_output("display_data", data=shown._repr_mimebundle_())]


def last_value(text: str) -> Any:
    """What the last line of a cell of ours gives."""
    *statements, last = ast.parse(text).body
    assert isinstance(last, ast.Expr)
    namespace: dict[str, object] = {}
    exec(compile(ast.Module(statements, []), "<picture>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<picture>", "eval"), namespace)


def checks(notebook: NotebookNode, name: str) -> Iterator[tuple[NotebookNode, str]]:
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


def demand_references(notebook: NotebookNode, name: str) -> None:
    """Refused unless every check of the solution printed what torch prints."""
    for cell, wanted in checks(notebook, name):
        check = cell.metadata["minigrad"]["check"]
        printed = "".join(out.text for out in cell.outputs if out.output_type == "stream")
        result = difference(printed, wanted)
        if result or not any("✓" in str(out.get("data", {})) for out in cell.outputs):
            detail = f"{result.what}; solution: {result.printed!r}; torch: {result.reference!r}" if result else printed
            raise Refused(f"solutions/source/{name}.md, check {check}: not what torch prints: {detail}")
        for out in cell.outputs:
            if out.output_type == "stream":
                out.text = wanted  # to the last digit


def demand_use(name: str) -> None:
    """Refused if the last check of a chapter passes although a part is not written yet."""
    text = source.read("solutions", name)
    assert text.chapter is not None
    last, programs = text.chapter.together, text.programs()
    if last not in programs:
        return
    run = functools.partial(program.run_with, programs[last], minigrad, SEED, text.chapter.places(last))
    ours, stubs = solutions(name), solutions(name, solved=False)
    wanted = run(ours).text
    for cell in [cell for cell in text.cells if cell.role == "answer"]:
        result = run(ours | {part: stubs[part] for part in cell.parts})
        if not result.problem and not difference(result.text, wanted):
            raise Refused(f"solutions/source/{name}.md, check {last}: it passes without {cell.part}; let it use that")


def execute(notebook: NotebookNode, where: str, manager: type | None = None) -> None:
    """Run all cells in a fresh kernel, in an empty folder next to untouched exercises. Refused if one of them fails."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from minigrad_course.notebooks import transport

    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            kernel_manager_class=manager or transport.Manager,
            record_timing=False,
            extra_arguments=["--IPKernelApp.log_level=40", f"--IPKernelApp.exec_lines={UNCOLLECTED}"],
            resources={"metadata": {"path": beside_exercises(folder)}},
        )
        try:
            # a kernel's messages at shutdown are useless
            client.execute(env=kernel_environment(folder), stderr=subprocess.DEVNULL)
        except CellExecutionError as error:
            raise Refused(f"{where}: a cell failed with {error.ename}: {error.evalue}") from None
        except (CellTimeoutError, DeadKernelError) as error:
            raise Refused(f"{where}: {error}") from None


def beside_exercises(folder: str) -> str:
    """An empty folder `lessons` next to untouched exercises: nobody's own answers may enter a build."""
    lessons, exercises = Path(folder, "lessons"), Path(folder, "exercises")
    for item in (lessons, exercises):
        item.mkdir()
    for name in source.names("exercises"):
        nbformat.write(source.notebook("exercises", name), exercises / f"{name}.ipynb")
    return str(lessons)


def kernel_environment(folder: str) -> dict[str, str]:
    """The environment of the kernel: this Python's packages, nobody's settings, no colours."""
    environment = dict(os.environ, IPYTHONDIR=folder, MPLCONFIGDIR=folder, NO_COLOR="1")
    for name in ("NBGRADER_EXECUTION", NOTEBOOK):  # the latter would include a reader's predictions
        environment.pop(name, None)
    # The kernel imports the minigrad that builds, even if that one is not installed.
    here = str(Path(__file__).resolve().parent.parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join([here, *filter(None, [environment.get("PYTHONPATH")])])
    return environment


def demand_still_forms(notebook: NotebookNode, where: str) -> None:
    """Drop the widgets. Refused if one has no HTML form: it would be shown as an error, or as its Python form."""
    for cell in saving.drop_widgets(notebook):
        raise Refused(f"{where}, cell {cell}: a widget without a still form. Show an explorer instead.")


def keep_measured(notebook: NotebookNode, path: Path) -> None:
    """What an explorer measured is another number on each kind of processor: where all else is as stored, it stays."""
    from minigrad_course.pictures.shown import MEASURED  # imports matplotlib

    try:
        stored = {cell["id"]: cell["outputs"] for cell in json.loads(path.read_bytes())["cells"] if "outputs" in cell}
    except (OSError, ValueError, KeyError, TypeError):
        return  # there is no notebook yet, or it is not ours
    for cell in notebook.cells:
        for output, before in zip(cell.get("outputs", []), stored.get(cell.id, []), strict=False):
            now, then = (item.get("data", {}).get(saving.MIME, {}) for item in (output, before))
            if MEASURED in now and {**now, MEASURED: None} == {**then, MEASURED: None}:
                now[MEASURED] = then.get(MEASURED, now[MEASURED])
                if "image/svg+xml" in before["data"]:  # it may be drawn from them
                    output["data"]["image/svg+xml"] = before["data"]["image/svg+xml"]


def tidy(notebook: NotebookNode) -> None:
    """Keep what is the same on every machine: joined streams, no transient fields, no widget state."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = nbformat.from_dict({"name": "python"})
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.metadata.pop("execution", None)
        joined: list[NotebookNode] = []
        for output in cell.outputs:
            output.pop("transient", None)
            same = joined and output.output_type == "stream" == joined[-1].output_type
            if same and output.name == joined[-1].name:
                joined[-1].text += output.text
            else:
                joined.append(output)
        cell.outputs = joined
