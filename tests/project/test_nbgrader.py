"""nbgrader itself releases, collects and grades our notebooks: full marks for answers, nothing for none."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.notebooks import builder
from minigrad_course.parts import Chapter, chapters
from minigrad_course.texts import source

ROOT = Path(__file__).parents[2]
FIRST = chapters()[0]  # whose parts are operations, and a program to repair
CONFIG = ROOT / "classroom" / "nbgrader_config.py"
SCRIPT = str(Path(__file__).with_name("nbgrader_commands.py"))
TEXT = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^nbgrader (.+?)(?:\s{3}.*)?$", TEXT, re.M)
OF_STUDENTS = ("list", "fetch_assignment", "submit", "fetch_feedback")

needs_nbgrader = pytest.mark.skipif(
    not importlib.util.find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[test]'"
)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """An instructor's folder, with an exchange beside it."""
    folder = tmp_path / "course"
    folder.mkdir()
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    return folder


@contextlib.contextmanager
def nbgrader(course: Path) -> Iterator[Callable[[Sequence[Sequence[str]]], None]]:
    """What runs commands of nbgrader, each with its folder before it, with nobody's settings but ours."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic
    ours = {"HOME": str(course.parent), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": path}
    foreign = ("JUPYTER_", "IPYTHON", "NBGRADER")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | ours
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen([sys.executable, SCRIPT], cwd=course, env=environment, text=True, **streams) as process:

        def run(commands: Sequence[Sequence[str]]) -> None:
            assert process.stdin and process.stdout
            print(json.dumps(commands), file=process.stdin, flush=True)
            said: list[str] = []
            for line in iter(process.stdout.readline, "\0\n"):
                assert line, "".join(said)[-4000:]
                said.append(line)

        yield run
        assert process.stdin
        process.stdin.close()


def built(kind: str, chapter: Chapter) -> Path:
    return ROOT / kind / f"{chapter.name}.ipynb"


def hand_in(course: Path, student: str, notebook: Path) -> None:
    place = course / "submitted" / student / notebook.stem
    place.mkdir(parents=True)
    shutil.copy(notebook, place)


def prepare(course: Path, chapter: Chapter) -> None:
    """The exercise is the instructor's version, too."""
    place = course / "source" / chapter.name
    place.mkdir(parents=True)
    shutil.copy(built("exercises", chapter), place)


def configure(course: Path, folder: Path) -> None:
    """The settings that we hand out, with another exchange."""
    text, count = re.subn(
        r'(?m)^c\.Exchange\.root = "[^"]+"',
        f'c.Exchange.root = "{(course.parent / "exchange").as_posix()}"',
        CONFIG.read_text(),
    )
    assert count == 1
    (folder / "nbgrader_config.py").write_text(text)


def solve(notebook: Path, chapter: Chapter) -> int:
    """Write the answers of the solution into what nbgrader gave to a student; how many."""
    answers = {cell["id"]: cell for cell in read(built("solutions", chapter))["cells"]}
    given = read(notebook)
    written = 0
    for cell in given["cells"]:
        if "part" in cell["metadata"].get("minigrad", {}):
            assert cell["source"] != answers[cell["id"]]["source"]
            cell["source"] = answers[cell["id"]]["source"]
            written += 1
    notebook.write_text(json.dumps(given), encoding="utf-8")
    return written


def read(notebook: Path) -> dict[str, Any]:
    return json.loads(notebook.read_text(encoding="utf-8"))


def most(chapter: Chapter) -> int:
    return sum(chapter.points(check) for check in chapter.checks)


@needs_nbgrader
@pytest.mark.timeout(900)
@pytest.mark.skipif(os.name == "nt", reason="nbgrader's exchange is not made for Windows")
def test_a_class_from_release_to_grades_with_the_commands_of_the_instructors_page(course: Path) -> None:
    prepare(course, FIRST)
    student = course.parent / "student"
    student.mkdir()
    for folder in (course, student):
        configure(course, folder)
    commands = [command.split() for command in COMMANDS]
    names = [name for name, *_ in commands]
    assert names.index("release_assignment") < names.index("fetch_assignment") < names.index("submit")
    assert names.index("submit") < names.index("collect") < names.index("autograde") < names.index("export")
    placed = [(str(student if name in OF_STUDENTS else course), name, *more) for name, *more in commands]
    submit, autograde = names.index("submit"), names.index("autograde")
    (course / "source" / "own").mkdir()
    shutil.copy(built("solutions", FIRST), course / "source" / "own")
    with nbgrader(course) as run:
        run([*placed[:submit], (str(course), "generate_assignment", "own")])
        demand_nothing_given_away(read(course / "release" / "own" / f"{FIRST.name}.ipynb"))
        released = course / "release" / FIRST.name / f"{FIRST.name}.ipynb"
        demand_alike(read(released), read(built("exercises", FIRST)))
        assert solve(student / FIRST.name / f"{FIRST.name}.ipynb", FIRST) == len(FIRST.parts)
        run(placed[submit:autograde])
        hand_in(course, "untouched", released)
        skip_every_other_check(course / "submitted" / "untouched" / FIRST.name / released.name)
        run(placed[autograde:])
    with (course / "grades.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == FIRST.name]
    scores = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in rows}
    assert scores.pop("untouched") == (0, most(FIRST))  # neither a check that fails nor one that is skipped earns any
    assert list(scores.values()) == [(most(FIRST), most(FIRST))]
    pages = list(course.glob(f"feedback/*/{FIRST.name}/*.html"))
    assert len(pages) == len(rows)
    # our own grader reads the same folder, and comes to the same points
    with contextlib.chdir(course):
        assert CliRunner().invoke(app, ["grade", "submitted/", "--workers", "1"]).exit_code == 1
    with (course / "grades" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        ours = {row["student"]: float(row["points"]) for row in csv.DictReader(file)}
    assert ours == {row["student_id"]: float(row["score"]) for row in rows}


def skip_every_other_check(notebook: Path) -> None:
    """Tag them so that nbclient would not run them."""
    given = read(notebook)
    for cell in [each for each in given["cells"] if "check" in each["metadata"].get("minigrad", {})][::2]:
        cell["metadata"]["tags"] = ["skip-execution"]
    notebook.write_text(json.dumps(given), encoding="utf-8")


def demand_alike(released: dict[str, Any], ours: dict[str, Any]) -> None:
    """A student finds what we wrote: ids, sources, outputs and metadata; nbgrader adds a checksum and a type."""
    assert released["metadata"]["minigrad"] == ours["metadata"]["minigrad"]
    assert [cell["id"] for cell in released["cells"]] == [cell["id"] for cell in ours["cells"]]
    for found, wanted in zip(released["cells"], ours["cells"], strict=True):
        if "nbgrader" in wanted["metadata"]:
            assert len(found["metadata"]["nbgrader"].pop("checksum")) == 32
            assert found["metadata"]["nbgrader"].pop("cell_type") == "code"
        if "points" in wanted["metadata"].get("nbgrader", {}):
            assert "The target: " in str(wanted["outputs"])
        assert found == wanted


def demand_nothing_given_away(released: dict[str, Any]) -> None:
    """An assignment of the instructor's own is treated as ever, and so is a solution of ours in its place."""
    code = [cell for cell in released["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in code)
    assert "SOLUTION" not in json.dumps(released) and "YOUR CODE HERE" in json.dumps(released)


SLOW_TORCH = """
import pathlib, sys, time
time.sleep(22)
sys.path.remove(str(pathlib.Path(__file__).parent.parent))
del sys.modules["torch"]
import torch
"""


def test_a_slow_import_of_torch_costs_no_more_than_the_check_that_nbgrader_interrupts(tmp_path: Path) -> None:
    """With nbgrader's way of ending a cell, after 7 seconds instead of 30."""
    from nbclient import NotebookClient

    lost = [FIRST.checks[0]]
    fake = tmp_path / "slow" / "torch"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text(SLOW_TORCH)
    environment = builder.kernel_environment(str(tmp_path)) | {"NBGRADER_EXECUTION": "autograde"}
    environment["PYTHONPATH"] = f"{fake.parent}{os.pathsep}{environment['PYTHONPATH']}"
    notebook = source.notebook("solutions", FIRST.name)
    error = {"ename": "CellTimeoutError", "evalue": "", "traceback": ["No reply from kernel before timeout"]}
    client = NotebookClient(
        notebook,
        timeout=7,
        interrupt_on_timeout=True,
        error_on_timeout=error,
        raise_on_iopub_timeout=True,
        allow_errors=True,
        kernel_name="python3",
    )
    replies: dict[str | None, str] = {}
    client.on_cell_executed = lambda cell, cell_index, execute_reply: replies.update(
        {cell.metadata.get("minigrad", {}).get("check"): execute_reply["content"]["status"]}
    )
    client.execute(env=environment)
    assert [name for name, status in replies.items() if name and status != "ok"] == lost
    assert {name for name in replies if name} == set(FIRST.checks)
    said = [str(cell.outputs) for cell in notebook.cells if cell.metadata.get("minigrad", {}).get("check") in lost]
    assert all(f"{name}: interrupted." in each for name, each in zip(lost, said, strict=True))
