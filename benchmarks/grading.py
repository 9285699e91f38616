"""Time the grader beside nbgrader and plain nbval, on the same honest submissions, in one run.

    python benchmarks/grading.py --nbgrader VENV/bin/nbgrader --markdown

nbgrader wants an environment of its own (`python -m venv VENV; VENV/bin/pip install nbgrader`); its kernels run in this
one. nbgrader and nbval are timed as commands, from start to end. So is the grader; and as its start does not grow with
the class, its rate once it is warm stands beside it, with the store and everything that a class needs.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from rich.console import Console
from rich.table import Table
from run import facts_of_machine

from minigrad_course.grading.book.gradebook import STORE, Gradebook
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.collect.intake import handed_in
from minigrad_course.grading.grade import Crew, judge
from minigrad_course.grading.judge.nbval import Session
from minigrad_course.grading.records.record import Settings, Task
from minigrad_course.grading.workers.pool import Local
from minigrad_course.parts import Chapter, chapters
from minigrad_course.texts import source

ROOT = Path(__file__).parents[1]
SEED = 5
HERE = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}  # else ours is compiled anew
ENVIRONMENT = HERE | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Measured:
    """How long a tool took for how many submissions."""

    tool: str
    seconds: float
    count: int

    @property
    def each(self) -> float:
        return self.seconds / self.count


class Failed(Exception):
    """A tool did not do its work; the text says what it said."""


def submissions(folder: Path, chapter: Chapter, count: int) -> Path:
    """Honest submissions in nbgrader's layout, each with a remark and a helper of its own in every answer."""
    built = source.notebooks_folder() / "solutions" / f"{chapter.name}.ipynb"
    solved = nbformat.read(built, as_version=4)
    submitted = folder / "submitted"
    for number in range(count):
        mine = copy.deepcopy(solved)
        mine.metadata["minigrad"]["kind"] = "exercises"
        for cell in mine.cells:
            if "part" in cell.metadata.get("minigrad", {}):
                cell.source = f"# student {number}\n{cell.source}\n\n\ndef helper{number}():\n    return {number}"
        place = submitted / f"student{number:02}" / chapter.name
        place.mkdir(parents=True)
        nbformat.write(mine, place / f"{chapter.name}.ipynb")
    return submitted


def timed(tool: str, count: int, command: list[str], cwd: Path, environment: dict[str, str]) -> Measured:
    """Run a command that has to succeed."""
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise Failed(f"{tool}: exit status {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return Measured(tool, seconds, count)


# --- the tools -----------------------------------------------------------------------------------


def nbgrader(program: str, folder: Path, chapter: Chapter, submitted: Path, count: int) -> Measured:
    """`nbgrader autograde` on all submissions, after the instructor's version was made from the solution."""
    course = folder / "course"
    place = course / "source" / chapter.name
    place.mkdir(parents=True)
    built = source.notebooks_folder() / "solutions" / f"{chapter.name}.ipynb"
    (place / built.name).write_bytes(built.read_bytes())
    kernel = folder / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    path = os.pathsep.join((str(Path(program).parent), os.environ["PATH"]))  # it calls programs of its environment
    environment = ENVIRONMENT | {"JUPYTER_PATH": str(folder / "jupyter"), "HOME": str(folder), "PATH": path}
    timed("nbgrader generate_assignment", 1, [program, "generate_assignment", chapter.name], course, environment)
    (course / "submitted").symlink_to(submitted)
    measured = timed("nbgrader autograde", count, [program, "autograde", chapter.name], course, environment)
    timed("nbgrader export", 1, [program, "export"], course, environment)
    lines = (course / "grades.csv").read_text().splitlines()
    score, most = (lines[0].split(",").index(name) for name in ("score", "max_score"))
    full = [line for line in lines[1:] if (cells := line.split(","))[score] == cells[most] != "0"]
    if len(full) != count:
        raise Failed(f"nbgrader gave full marks to {len(full)} of {count}.")
    return measured


def plain_nbval(folder: Path, submitted: Path, count: int) -> Measured:
    """`pytest --nbval -n 2` on the files as they are, without this project's plugin."""
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "-n", "2", "--dist", "loadfile"]
    command += ["-p", "no:cacheprovider", "-p", "no:minigrad", "-c", os.devnull, "--rootdir", str(folder)]
    return timed("pytest --nbval -n 2", count, [*command, str(submitted)], folder, ENVIRONMENT)


def whole_command(folder: Path, submitted: Path, count: int, workers: int) -> Measured:
    """`minigrad grade`, from start to end, with every view."""
    command = [
        sys.executable,
        "-m",
        "minigrad_course",
        "grade",
        str(submitted),
        "--to",
        str(folder / f"grades{workers}"),
    ]
    command += ["--workers", str(workers), "--seed", str(SEED), "--require-sandbox"]
    return timed(f"minigrad grade, {named(workers)}, whole command", count, command, folder, ENVIRONMENT)


def warm(folder: Path, submitted: Path, workers: int, rounds: int, notes: list[str]) -> Measured:
    """The rate of the same grading once the workers are warm: intake, judging, confinement and store.

    A note says how much memory a worker takes then, measured in a turn of its own.
    """
    settings = Settings(SEED, require_sandbox=True)
    found = handed_in([submitted]).found
    crew = Local(settings, workers)
    lasting = Lasting(crew)
    seconds = []
    try:
        with Store(folder / f"warm{workers}-{STORE}") as store:
            for turn in range(rounds + 2):  # two turns to warm up
                book = Gradebook(found, settings, store)
                begun = time.perf_counter()
                judge(book, lambda few: lasting, True, lambda record: None)
                if turn > 1:
                    seconds.append(time.perf_counter() - begun)
            with watched_memory() as taken:
                judge(Gradebook(found, settings, store), lambda few: lasting, True, lambda record: None)
            own, every = (max(sums, default=0) / workers / 1e6 for sums in zip(*taken, strict=True))
            notes.append(
                f"With {named(workers)} each takes {own:.0f} MB (PSS), and {every:.0f} MB with its sandbox's processes."
            )
            if not all(record.passed for record in book.records()):
                raise Failed("the grader did not give full marks to honest submissions.")
    finally:
        crew.close()
    return Measured(f"minigrad grade, {named(workers)}, warm", statistics.median(seconds), len(found))


@contextlib.contextmanager
def watched_memory() -> Iterator[list[tuple[int, int]]]:
    """The bytes that the workers take together, without and with all that they started, looked at again and again."""
    taken: list[tuple[int, int]] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            workers = [psutil.Process(each.pid) for each in multiprocessing.active_children() if each.pid]
            with contextlib.suppress(psutil.NoSuchProcess):
                below = [process for worker in workers for process in worker.children(recursive=True)]
                own = sum(map(proportional_bytes, workers))
                taken.append((own, own + sum(map(proportional_bytes, below))))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield taken
    finally:
        over.set()
        thread.join()


def proportional_bytes(process: psutil.Process) -> int:
    """The memory of a process; of what several share, each has its part."""
    with contextlib.suppress(OSError):  # it has ended
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return 0


def named(workers: int) -> str:
    """1 worker, 2 workers."""
    return f"{workers} worker{'s' * (workers > 1)}"


class Lasting:
    """A crew that several gradings use."""

    def __init__(self, crew: Crew):
        self.width = crew.width
        self.submit, self.begin = crew.submit, crew.begin

    def close(self) -> None:
        """It goes on."""


def single(submitted: Path, turns: int) -> Measured:
    """One submission in a warm session."""
    path = next(submitted.rglob("*.ipynb"))
    task = Task("one", "one", "", path.read_bytes())
    with Session(Settings(SEED, require_sandbox=True)) as session:
        seconds = [session.record(task).seconds for _ in range(turns + 3)][3:]
    return Measured("one submission, warm", statistics.median(seconds), 1)


# --- the report ----------------------------------------------------------------------------------


def rows_of(measured: list[Measured]) -> list[list[str]]:
    """Tool, seconds per submission, submissions per second, and the multiples of both peers."""
    peers = [next((each for each in measured if each.tool.startswith(name)), None) for name in ("nbgrader", "pytest")]
    return [
        [
            each.tool,
            f"{each.each * 1000:,.0f} ms",
            f"{1 / each.each:.{1 if each.each < 1 else 2}f}",
            *(f"{peer.each / each.each:.1f} ×" if peer else "—" for peer in peers),
        ]
        for each in measured
    ]


HEAD = ["grader", "per submission", "per second", "nbgrader's rate", "nbval's rate"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the grader beside nbgrader and nbval.")
    parser.add_argument(
        "--chapter", type=int, default=2, help="the exercise; the first one if there is no such chapter"
    )
    parser.add_argument("--count", type=int, default=20, help="how many submissions")
    parser.add_argument("--rounds", type=int, default=5, help="how often the warm grader judges all of them")
    parser.add_argument("--nbgrader", help="the nbgrader program; without it nbgrader is left out")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    chapter = next((each for each in chapters() if each.number == options.chapter), chapters()[0])
    measured, notes, before = [], [], os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        submitted = submissions(folder, chapter, options.count)
        tools: list[Callable[[], Measured]] = [lambda: plain_nbval(folder, submitted, options.count)]
        if options.nbgrader:
            program = str(Path(options.nbgrader).absolute())
            tools.insert(0, lambda: nbgrader(program, folder, chapter, submitted, options.count))
        # as nbgrader and nbval, not the first of this installation, which compiles and keeps what it compiled
        whole_command(folder, submitted, options.count, 1)
        shutil.rmtree(folder / "grades1")
        for workers in (1, 2):
            tools.append(lambda workers=workers: whole_command(folder, submitted, options.count, workers))
            tools.append(lambda workers=workers: warm(folder, submitted, workers, options.rounds, notes))
        tools.append(lambda: single(submitted, 4 * options.rounds))
        for tool in tools:
            try:
                measured.append(tool())
            except Failed as reason:
                notes.append(str(reason))
    said = [
        f"{options.count} honest submissions of {chapter.name}, {len(chapter.checks)} checks each, all confined. "
        f"{facts_of_machine()}. Load of the machine before and after: {before:.1f}, {os.getloadavg()[0]:.1f}.",
        *notes,
    ]
    rows = rows_of(measured)
    if options.markdown:
        lines = [HEAD, ["---", *("---:" for _ in HEAD[1:])], *rows]
        print("\n".join(f"| {' | '.join(line)} |" for line in lines), *said, sep="\n\n")
        return
    table = Table(*HEAD)
    for row in rows:
        table.add_row(*row)
    console = Console()
    console.print(table)
    for sentence in said:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
