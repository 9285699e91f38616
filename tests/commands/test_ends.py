"""Whatever happens to a command it ends in a sentence: Ctrl-C, SIGTERM, a closed pipe, no permission, an old locale."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

import minigrad
from minigrad_course import parts
from minigrad_course.cli import SUBCOMMANDS, app
from minigrad_course.texts import source

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, pipes and modes are POSIX's")

SECONDS = 120
NOTEBOOK = f"{parts.chapters()[0].name}.ipynb"
COMMAND = [sys.executable, "-P", "-m", "minigrad_course"]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The exercises in a folder, with nothing written in them."""
    folder = tmp_path / "course"
    shutil.copytree(source.notebooks_folder() / "exercises", folder / "exercises")
    return folder


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The variables of somebody whose home is that folder, and who has this minigrad."""
    package = str(Path(minigrad.__file__).parents[1])
    return os.environ | {"HOME": str(folder), "XDG_STATE_HOME": str(folder), "PYTHONPATH": package} | more


def run(course: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command, called in the course; it has to end without a traceback."""
    ended = subprocess.run(
        [*COMMAND, *arguments],
        cwd=course,
        env=environment(course, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        text=True,
        errors="surrogateescape",
    )
    assert "Traceback" not in ended.stdout + ended.stderr, ended.stderr
    return ended


# --- signals -------------------------------------------------------------------------------------


def children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def kernels(process: psutil.Process) -> bool:
    """True once the command runs a notebook."""
    return any("ipykernel" in line_of(each) for each in children(process))


def line_of(process: psutil.Process) -> str:
    """The command line of a process; "" if it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def signalled(
    course: Path, number: int, when: Callable[[psutil.Process], bool], *arguments: str, **more: str
) -> tuple[int, str]:
    """How a command ends that gets a signal when something is so: its status, and all it printed. Nothing is left."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=course,
        env=environment(course, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seen = psutil.Process(process.pid)
    deadline = time.monotonic() + SECONDS
    while not when(seen):
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.1)
    started = children(seen)
    process.send_signal(number)
    printed, _ = process.communicate(timeout=SECONDS)
    gone, left = psutil.wait_procs(started, timeout=10)
    assert left == [] and len(gone) == len(started)
    assert "Traceback" not in printed, printed
    return process.returncode, printed


def test_a_build_that_is_ended_says_so_and_leaves_no_kernel(course: Path) -> None:
    status, printed = signalled(course, signal.SIGTERM, kernels, "build", "--check", "solutions/01")
    assert status == 130 and printed.startswith("Interrupted. Each notebook is either unchanged"), printed
    assert 130 in SUBCOMMANDS["build"].statuses


def test_a_comparison_that_is_ended_leaves_no_script(course: Path) -> None:
    """On neither engine: it is ended once both have begun."""
    begun = f"open({str(course / 'begun-')!r} + str(os.getpid()), 'w').close()"
    (course / "script.py").write_text(f"import os, time\n{begun}\ntime.sleep(600)\n")
    both = lambda _: len([*course.glob("begun-*")]) == 2  # noqa: E731
    assert signalled(course, signal.SIGTERM, both, "compare", "--no-seed", "script.py") == (130, "Interrupted.\n")


CALLED = """
import signal, time, weakref
import minigrad_course.cli, minigrad_course.command

def command():
    {}

minigrad_course.cli.main = command
minigrad_course.command.main()
"""
IN_A_CALLBACK = """thing = type("Thing", (), {})()
    there = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    time.sleep(60)"""
# A dataclass or a named tuple is made by it, while modules are imported.
IN_AN_EXEC_OF_TEXT = 'exec("signal.raise_signal(signal.SIGINT)")'


@pytest.mark.parametrize("place", [IN_A_CALLBACK, IN_AN_EXEC_OF_TEXT], ids=["callback", "exec"])
def test_ctrl_c_ends_with_its_status_also_where_python_drops_it_or_dies_of_it(course: Path, place: str) -> None:
    (course / "called.py").write_text(CALLED.format(place))
    command = [sys.executable, "-m", "called"]
    ended = subprocess.run(
        command, cwd=course, env=environment(course), capture_output=True, timeout=SECONDS, check=False, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "Interrupted.\n")


def test_a_script_keeps_the_system_s_own_sigterm(course: Path) -> None:
    (course / "script.py").write_text("open('begun', 'w').close()\nimport time\ntime.sleep(600)\n")
    begun = course / "begun"
    assert signalled(course, signal.SIGTERM, lambda _: begun.exists(), "run", "script.py") == (-signal.SIGTERM, "")


# --- pipes, locales, permissions -----------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["hint", "mul"]], ids=" ".join)
def test_a_reader_that_has_seen_enough_is_no_error(course: Path, arguments: list[str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=course, env=environment(course), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.wait(SECONDS)
    process.stderr.close()
    assert not errors or (errors.startswith("Exercises: ") and errors.count("\n") == 1), errors


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_a_locale_that_knows_ascii_only(course: Path) -> None:
    ended = run(course, "check", "mul", **ASCII)
    assert ended.returncode == 1 and ". mul: `Mul.backward` is still to be written." in ended.stdout, ended.stderr
    ended = run(course, "start", "../nö", **ASCII)
    assert ended.returncode == 0 and " notebooks copied to " in ended.stdout, ended.stderr


def test_what_may_not_be_read_or_written_is_a_sentence(course: Path) -> None:
    exercise = course / "exercises" / NOTEBOOK
    exercise.chmod(0)
    if os.access(exercise, os.R_OK):
        pytest.skip("nothing is forbidden to root")
    assert "ermission denied" in " ".join(run(course, "status").stdout.split())
    assert run(course, "check", "mul").returncode == 3
    assert run(course, "reset", "mul").returncode == 3
    assert run(course, "grade", str(exercise)).returncode == 2
    exercise.chmod(0o400)
    (course / "FILE.py").write_text("")
    (course / "FILE.py").chmod(0)
    assert run(course, "run", "FILE.py").returncode == run(course, "compare", "FILE.py").returncode == 2
    course.chmod(0o500)
    try:
        assert run(course, "start", "mine").returncode == 3
        assert run(course, "lab", "mine", "--no-browser").returncode == 3
        assert run(course, "grade", "exercises", "--to", "grades").returncode == 2
        assert run(course, "hint", "mul").returncode == 0
    finally:
        course.chmod(0o700)


# --- statuses ------------------------------------------------------------------------------------


# As far as test_student, which knows the others, does not call them.
STATUSES = {"run none.py": 2, "build --nothing": 2, "lab --port x": 2, "lab ../file/mine": 3, "grade same.py": 2}


def test_the_statuses_of_the_help_are_those_that_occur(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (course / "same.py").write_text("print(1)\n")
    (course.parent / "file").write_text("")
    monkeypatch.chdir(course)
    for typed, status in STATUSES.items():
        done = CliRunner().invoke(app, typed.split(), env=environment(course))
        assert done.exit_code == status and status in SUBCOMMANDS[typed.split()[0]].statuses, typed
        assert len(done.output.strip()) > 20, typed  # each says something


def test_where_nothing_can_be_printed_no_traceback_is(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"{shlex.quote(sys.executable)} -m minigrad --version >&-"
    done = subprocess.run(["sh", "-c", line], cwd=course, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "" and "Traceback" not in done.stderr, done.stderr
    monkeypatch.chdir(course)
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it where that is closed
    for command in ("doctor", "status"):
        with pytest.raises(SystemExit) as ended:
            app([command], prog_name="minigrad")
        assert ended.value.code in SUBCOMMANDS[command].statuses
