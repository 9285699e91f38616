"""The README is walked: each of its commands is run, in its order, in a fresh clone with an environment of its own.

`make lab`, the first of them, makes that virtual environment and installs minigrad, as for a reader. Only the packages
of others are lent by the environment of the tests (`lender`), so nothing is downloaded and the walk takes half a
minute. That they can be installed from nothing is what `.ci/run` tries on a bare clone: it calls `make test`, which
makes `.venv` by the same rules before any test runs.

A few commands take long, and other tests run what they run. They are walked in a short form, and as they stand with
MINIGRAD_LONG_WALK=1 in the environment; all but `make test`, which would walk again.

A block of the README names its kind: `sh` holds commands, `console` commands and what they print, `bat` the commands
for Windows, `text` and `python` none. In `console` a `…` stands for whatever is left out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import compiled
import nbformat
import preloaded
import pytest
from served import environment_in, fetch, started
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.texts import source

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")  # walked after it
KINDS = ("bat", "console", "python", "sh", "text")
PROGRAMS = ("make", "minigrad", "pip", "py", "pytest", "python")
ANSWER = "return "  # how an answer to the first part of exercise 1 begins
COPY = "minigrad-course"
EXERCISE = f"{COPY}/exercises/01_scalar_backward.ipynb"
GRADING = "python benchmarks/grading.py --nbgrader VENV/bin/nbgrader --markdown"
LONG = bool(os.environ.get("MINIGRAD_LONG_WALK"))
SECONDS = 900 if LONG else 240

pytestmark = pytest.mark.skipif(os.name == "nt", reason="walks with make, a shell and SIGINT")


# --- reading -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Step:
    """A command as the README has it, and what it prints there, if it says so."""

    command: str
    shown: str = ""


FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.M)
INLINE = re.compile(r"`([^`\n]+)`")


def steps(text: str) -> Iterator[Step]:
    """The commands of a text in its order; within a line of text only those that were not met before."""
    met: set[str] = set()
    at = 0
    for block in [*FENCE.finditer(text), None]:
        for code in INLINE.findall(text[at : block.start() if block else len(text)]):
            if code.startswith(ANSWER) or (code.split()[0] in PROGRAMS and code not in met):
                met.add(code)
                yield Step(code)
        if block:
            found = list(in_block(*block.groups()))
            met.update(step.command for step in found)
            yield from found
            at = block.end()


def in_block(kind: str, content: str) -> Iterator[Step]:
    """The commands of a block."""
    if kind in ("sh", "bat"):
        for line in content.splitlines():
            if command := re.split(r"(?:^| )#", line)[0].strip():
                yield Step(command)
    if kind == "console":
        for session in re.split(r"^\$ ", content, flags=re.M)[1:]:
            command, _, shown = session.partition("\n")
            yield Step(command, shown)


def test_every_block_says_what_it_holds() -> None:
    assert [kind for kind, _ in FENCE.findall(README) if kind not in KINDS] == []


def test_the_walk_knows_every_command() -> None:
    assert [step.command for step in steps(README + BENCHMARKS)] == [command for command, _ in WALK]


def test_commands_are_found_wherever_they_stand() -> None:
    text = "`make x` and `x.py`:\n```sh\n# first\nmake y   # second\n```\n`make y`, `make x`\n"
    text += "```console\n$ make z\none\n$ make y\n```\n```text\nmake no\n```\n"
    assert list(steps(text)) == [Step("make x"), Step("make y"), Step("make z", "one\n"), Step("make y")]


# --- walking -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Clone:
    """A clone, and the variables of a reader who has never run anything in it."""

    folder: Path
    environment: dict[str, str]

    def run(self, command: str, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
        """A command, as a shell in the clone runs it."""
        return subprocess.run(
            ["bash", "-c", f"{command}\nexit $?"],  # two lines, so that bash stays: completion asks for the shell
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def write(self, answer: str, notebook_path: str = EXERCISE) -> None:
        """Write an answer to `mul` into an exercise: ours, with another last line."""
        cells = source.read("solutions", Path(EXERCISE).stem).cells
        ours = source.without_markers(next(each.source for each in cells if each.part == "mul"))
        path = self.folder / notebook_path
        notebook = nbformat.read(path, 4)
        (cell,) = [each for each in notebook.cells if each.metadata.get("minigrad", {}).get("part") == "mul"]
        cell.source = re.sub(r"return grad_output.*", answer, ours)
        nbformat.write(notebook, path)


Trial = Callable[[Clone, str], str]  # tries a command, and gives what it printed


def ends(status: int = 0, as_: str = "", after: Callable[[Clone], None] | None = None) -> Trial:
    """Runs it to its end. as_: what is run in its place; after: what has to be done first."""

    def trial(clone: Clone, command: str) -> str:
        if after:
            after(clone)
        ended = clone.run(as_ or command)
        assert "Traceback (most recent" not in ended.stdout + ended.stderr, ended.stderr
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout

    return trial


def at_hand(status: int = 0, as_: str = "") -> Trial:
    """Runs a command of minigrad to its end in this process, where torch is imported already."""

    def trial(clone: Clone, command: str) -> str:
        with contextlib.chdir(clone.folder):
            ended = CliRunner().invoke(app, shlex.split(as_ or command)[1:], env=clone.environment)
        assert ended.exit_code == status, ended.output
        return ended.stdout

    return ends(status, as_) if LONG else trial


def preloads(after: Callable[[Clone], None]) -> Trial:
    """Runs a command of minigrad in a process that has imported torch already."""

    def trial(clone: Clone, command: str) -> str:
        short = f"{preloaded.python()} -m minigrad_course {command.removeprefix('minigrad ')}"
        return ends(as_="" if LONG else short, after=after)(clone, command)

    return trial


def at_length(short: Trial, status: int = 0) -> Trial:
    """Takes long: tried in a short form, but in a long walk as it stands."""
    return ends(status) if LONG else short


def serves(folder: str = ".") -> Trial:
    """Starts it, fetches the address that it prints, and ends it with Ctrl-C."""

    def trial(clone: Clone, command: str) -> str:
        environment, place = clone.environment, clone.folder / folder
        with started(["bash", "-c", f"exec {command}"], environment, place, SECONDS) as server:
            assert b"JupyterLab" in fetch(server.address)
            status, _ = server.interrupt()
        # make itself ends by the signal.
        assert status in (0, -signal.SIGINT, 128 + signal.SIGINT, 2), server.later
        return server.printed

    return trial


def planned(clone: Clone, command: str) -> str:
    """Not run, because it is what runs this, or takes minutes: make says what it would do, and each of it is there."""
    plan = clone.run(f"{command} --dry-run")
    assert plan.returncode == 0, plan.stderr
    programs = {line.split()[0] for line in plan.stdout.splitlines() if line.startswith(".venv/bin/")}
    assert ".venv/bin/python" in programs
    for program in programs:
        name = Path(program).name
        lent = shutil.which(name, path=os.path.dirname(sys.executable))
        assert (clone.folder / program).exists() or lent, f"{command} calls {program}"
    return ""


def known(clone: Clone, command: str) -> str:
    """Not run, because other tests run it: the help of minigrad has such a command, with these options."""
    name, *rest = command.split("minigrad ", 1)[1].split()
    told = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
    assert told.exit_code == 0
    assert [word for word in rest if word.startswith("--") and word not in told.output] == []
    return ""


def as_make_does(clone: Clone, command: str) -> str:
    """Not run, because `make lab` has done the same."""
    _, _, arguments = re.sub("-c ", "--constraint ", command.replace("-e ", "--editable ").replace('"', "'")).partition(
        " -m "
    )
    rules = (clone.folder / "Makefile").read_text(encoding="utf-8").replace("$(PIP)", "pip").replace("$(VENV)/", "")
    assert arguments.replace("pip install", "pip install --quiet") in rules
    return ""


def said(clone: Clone, command: str) -> str:
    """No command of its own, but an answer: written into the exercise."""
    clone.write(command)
    return ""


def a_script(clone: Clone) -> None:
    """A torch script: the example of the README."""
    (program,) = re.findall(r"```python\n(.*?)```", README, re.S)
    (clone.folder / "FILE.py").write_text(program.replace("minigrad as torch", "torch"), encoding="utf-8")


def a_program(clone: Clone) -> None:
    """The program that the README explains."""
    (program,) = re.findall(r"^\$ cat program\.py\n(.*?)^\$", README, re.S | re.M)
    (clone.folder / "program.py").write_text(program, encoding="utf-8")


def explains(clone: Clone, command: str) -> str:
    """It fails on purpose: the traceback is on the error stream, which the README leaves out."""
    ended = clone.run(f"{preloaded.python()} -m minigrad_course {command.removeprefix('minigrad ')}")
    assert ended.returncode == 1
    assert "modified by an inplace operation" in ended.stderr
    return ended.stdout


def a_class(clone: Clone) -> None:
    """Three students, two of them with our solution, one of those with a mistake; in a folder and in a zip."""
    for student, kind in [("ada", "exercises"), ("bob", "solutions"), ("cleo", "solutions")]:
        folder = clone.folder / "submitted" / student
        folder.mkdir(parents=True)
        shutil.copy(clone.folder / COPY / kind / Path(EXERCISE).name, folder)
    clone.write("return b, a", f"submitted/cleo/{Path(EXERCISE).name}")
    shutil.make_archive(str(clone.folder / "export"), "zip", clone.folder / "submitted")


# What Windows writes with backslashes. The environment is there since `make lab`, which calls the same three.
ON_WINDOWS: list[tuple[str, Trial]] = [
    (r"py -m venv .venv", ends(as_=".venv/bin/python -m venv --help")),
    (r".venv\Scripts\python -m pip install -c constraints.txt torch==2.13.0", as_make_does),
    (r'.venv\Scripts\python -m pip install -c constraints.txt -e ".[grade]"', as_make_does),
    (r".venv\Scripts\minigrad lab", known),
]

WALK: list[tuple[str, Trial]] = [
    ("minigrad explain", known),
    ("make lab", serves()),
    *ON_WINDOWS,
    ("make site", at_length(planned)),  # another test builds the site
    ("return b, a", said),
    ("minigrad check mul", at_hand(1)),
    ("return grad_output * b, grad_output * a", said),
    ("minigrad hint mul", at_hand()),
    ("minigrad solution mul", at_length(known)),  # it has tests of its own
    (f"pytest --nbval {EXERCISE}", ends(1)),
    ("pytest --nbval submitted/", ends(1, after=a_class)),
    ("minigrad grade", known),
    ("minigrad mine", at_length(known)),  # it has tests of its own
    ("cat program.py", ends(after=a_program)),
    ("minigrad explain program.py", explains),
    ("minigrad --help", at_hand()),
    ("minigrad start my-course", at_hand()),
    ("minigrad status", at_hand()),
    ("minigrad compare FILE.py", preloads(after=a_script)),
    ("minigrad doctor", at_hand()),
    ("minigrad grade submitted/", at_length(known, 1)),  # test_class grades a class, and a zip of it
    ("minigrad grade export.zip --to week1", at_length(known, 1)),
    ("minigrad marks moodle worksheet.csv --exercise 1", at_length(known, 1)),  # test_marks reads back what it writes
    ("make test", planned),
    ("make", ends()),
    (GRADING, ends(as_="python benchmarks/grading.py --help")),  # it wants a second environment with nbgrader
    ("python benchmarks/operations.py", ends(as_="python benchmarks/operations.py --help")),
    ("python benchmarks/workloads.py", ends(as_="python benchmarks/workloads.py --help")),
    ("python benchmarks/starting.py", ends(as_="python benchmarks/starting.py --help")),
    ("python benchmarks/run.py", at_length(ends(as_="python benchmarks/run.py --help"))),
    # pip says nothing if there is that extra.
    ("pip install -e '.[bench]'", ends(as_="test -z \"$(pip install -q --no-deps --dry-run -e '.[bench]' 2>&1)\"")),
]


def shows(shown: str, printed: str) -> bool:
    """True if something was printed as the README shows it, wrapped as on a terminal.

    Ports and seeds vary, and `…` stands for anything.
    """
    lines = []
    for line in filter(None, map(str.strip, shown.splitlines())):
        pattern = re.escape(line).replace("…", ".*").replace(r"\ ", r"\s+")
        pattern = re.sub(r"(?<=127\\.0\\.0\\.1:)\d+|(?<=seed\\s\+)\d+", r"\\d+", pattern)
        lines.append(r"(?:.*\n)*\s*" if line == "…" else pattern + r"\s+")
    return re.fullmatch(r"\s*" + "".join(lines), printed) is not None


def test_what_is_left_out_or_varies_may_be_anything() -> None:
    assert shows("a\n…\nseed 12, 3\n", "a\nb\nc\nseed 7, 3\n")
    assert shows("one … four\n", "one two three four  \n")
    assert not shows("a\nseed 12, 3\n", "a\nseed 12, 4\n")
    assert not shows("a\n", "a\nb\n")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone of what git would publish, uncommitted changes too."""
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True, timeout=120)
    for name in changed("--modified", "--others"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name in changed("--deleted"):
        (folder / name).unlink(missing_ok=True)
    compiled.lend(folder)
    environment = environment_in(tmp_path / "home")
    del environment["PYTHONPATH"]
    environment.pop("VIRTUAL_ENV", None)
    environment |= {
        "PATH": os.pathsep.join([str(folder / ".venv" / "bin"), environment["PATH"]]),
        "PYTHON": str(lender(tmp_path / "python")),
        "COLUMNS": "80",
        "SHELL": "/bin/bash",
        # Nothing is downloaded: what is missing ends the walk.
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # for pip, whatever it is set to means: no isolation
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    return Clone(folder, environment)


def changed(*options: str) -> list[str]:
    """The files of the work tree that differ from the last commit in some way, and are not ignored."""
    command = ["git", "ls-files", "-z", "--exclude-standard", *options]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60).stdout.decode()
    return [name for name in listed.split("\0") if name and ("--deleted" in options or (ROOT / name).is_file())]


def lender(path: Path) -> Path:
    """A Python that lends each virtual environment it makes the packages that the tests run with.

    They come after the environment's own, so that minigrad is the one installed there. pip is one of them: to install
    it takes longer than all the rest.
    """
    packages = sysconfig.get_path("purelib")
    share = Path(sys.prefix) / "share" / "jupyter"
    path.write_text(
        "#!/bin/sh\n"
        f'test "$1 $2" = "-m venv" || exec "{sys.executable}" "$@"\n'
        f'"{sys.executable}" "$@" --without-pip || exit\n'
        'site=$("$3/bin/python" -c "import sysconfig; print(sysconfig.get_path(\'purelib\'))")\n'
        f'echo "{packages}" > "$site/lent.pth"\n'
        f'mkdir -p "$3/share" && ln -s "{share}" "$3/share/jupyter"\n'
        "for name in pip pytest; do\n"
        'printf "#!/bin/sh\nexec \\"\\${0%%/*}/python\\" -m $name \\"\\$@\\"\n" > "$3/bin/$name"\n'
        'chmod +x "$3/bin/$name"\n'
        "done\n"
    )
    path.chmod(0o755)
    return path


@pytest.mark.timeout(3600 if LONG else 900)
def test_every_command_of_the_readme_does_what_it_says(clone: Clone) -> None:
    trials = iter(WALK)
    for step in steps(README + BENCHMARKS):
        command, trial = next(trials)
        assert command == step.command
        printed = trial(clone, command)
        assert not step.shown or shows(step.shown, printed), f"{command} printed:\n{printed}"
