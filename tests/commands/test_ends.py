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
from minigrad.commands import SUBCOMMANDS, app
from minigrad.course import parts, source

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, pipes and modes are POSIX's")

SECONDS = 120
NOTEBOOK = f"{parts.chapters()[0].name}.ipynb"
COMMAND = [sys.executable, "-P", "-m", "minigrad"]


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
        time.sleep(0.02)
    started = children(seen)
    process.send_signal(number)
    printed, _ = process.communicate(timeout=SECONDS)
    gone, left = psutil.wait_procs(started, timeout=10)
    assert left == [] and len(gone) == len(started)
    assert "Traceback" not in printed, printed
    return process.returncode, printed


def test_a_build_that_is_ended_says_so_and_leaves_no_kernel(course: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    package = Path(minigrad.__file__).parent
    shutil.copytree(package, clone / package.name)
    for kind in source.KINDS:
        shutil.copytree(source.notebooks_folder() / kind, clone / kind)
    shutil.rmtree(clone / "lessons" / "source")
    for path in (clone / "solutions" / "source").iterdir():
        if path.stem != Path(NOTEBOOK).stem:
            path.unlink()  # a kernel for each would run meanwhile
    status, printed = signalled(course, signal.SIGTERM, kernels, "build", "--check", PYTHONPATH=str(clone))
    assert (status, printed.startswith("Interrupted. Each notebook is either unchanged")) == (
        130,
        True,
    ), printed
    assert 130 in SUBCOMMANDS["build"].statuses


def test_a_comparison_that_is_ended_leaves_no_script(course: Path) -> None:
    """On neither engine: it is ended once both have begun."""
    begun = f"open({str(course / 'begun-')!r} + str(os.getpid()), 'w').close()"
    (course / "script.py").write_text(f"import os, time\n{begun}\ntime.sleep(600)\n")
    both = lambda _: len([*course.glob("begun-*")]) == 2  # noqa: E731
    assert signalled(course, signal.SIGTERM, both, "compare", "script.py") == (130, "Interrupted.\n")


def test_an_answer_that_does_not_end_can_be_interrupted(course: Path) -> None:
    import nbformat

    path = course / "exercises" / NOTEBOOK
    notebook = nbformat.read(path, 4)
    (cell,) = [each for each in notebook.cells if each.metadata.get("minigrad", {}).get("part") == "mul"]
    cell.source = '@part("mul")\nclass Mul(Function):\n    open("begun", "w").close()\n    while True:\n        pass\n'
    nbformat.write(notebook, path)
    status, printed = signalled(course, signal.SIGINT, lambda _: (course / "begun").exists(), "check", "mul")
    assert (status, printed.splitlines()[-1]) == (130, "Interrupted.")


CALLED = """
import signal, time, weakref
import minigrad.commands, minigrad_command

def command():
    {}

minigrad.commands.main = command
minigrad_command.main()
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


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["check", "1"]],
    ids=" ".join,
)
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


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check", "mul"], 1),
        (["start", "../nö"], 0),
    ],
    ids=str,
)
def test_a_locale_that_knows_ascii_only(course: Path, arguments: list[str], status: int) -> None:
    ended = run(course, *arguments, **ASCII)
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert (ended.stdout + ended.stderr).strip()


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


OURS = "import torch\nprint(torch.__name__)\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["compare", "same.py"], 0),
        (["compare", "ours.py"], 1),
        (["compare", "none.py"], 2),
        (["run", "none.py"], 2),
        (["build", "--nothing"], 2),
        (["lab", "--port", "x"], 2),
        (["lab", "../file/mine"], 3),
        (["grade", "--write", "pdf", "exercises"], 2),
        (["grade", "same.py"], 2),
        (["grade", f"exercises/{NOTEBOOK}"], 1),
    ],
    ids=str,
)
def test_the_statuses_of_the_help_are_those_that_occur(
    course: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int
) -> None:
    (course / "same.py").write_text("print(1)\n")
    (course / "ours.py").write_text(OURS)
    (course.parent / "file").write_text("")
    monkeypatch.chdir(course)
    ended = CliRunner().invoke(app, arguments, env=environment(course))
    assert ended.exit_code == status, ended.output
    assert status in SUBCOMMANDS[arguments[0]].statuses
    assert status == 0 or len(ended.output.strip()) > 20  # says something


@pytest.mark.skipif(os.name == "nt", reason="closes a stream in a shell")
@pytest.mark.parametrize("command", ["--version", "doctor", "status"])
def test_where_nothing_can_be_printed_no_traceback_is(command: str, course: Path) -> None:
    line = f"{shlex.quote(sys.executable)} -m minigrad {command} >&-"
    done = subprocess.run(["sh", "-c", line], cwd=course, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "" and "Traceback" not in done.stderr, done.stderr
