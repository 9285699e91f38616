"""A run of the tests ends by itself: when a worker dies, when a test is stuck, when everything takes too long."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import processes
import psutil
import pytest

ROOT = Path(__file__).parents[2]
OPTIONS = dict(re.findall(r"^(WORKERS|TIMEOUT) +:= (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))

# Two workers: one that dies, is stuck or is stopped, and one beside it.
TWO = re.sub(r"-n \d+", "-n 2", OPTIONS["WORKERS"])

# Those that the options name: to load all that are installed takes longer than what is tried here.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PLUGINS = ["-p", "xdist.plugin", "-p", "pytest_timeout"]
LIMIT = [sys.executable, str(ROOT / "tests" / "limit.py")]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="ends processes by signals")

BEGIN = """
import itertools, os, pathlib, signal, subprocess, sys, time

import pytest

HERE = pathlib.Path(__file__).parent

def kill(number):
    (HERE / "died").touch()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)

def test_first():
    pass

"""
BUSY = "import time\n\ndef test_busy():\n    time.sleep(250)\n"

KILLED = """
def test_dies():
    subprocess.Popen(["sleep", "241"], start_new_session=True)
    if not os.fork():
        time.sleep(242)
    kill(signal.SIGPIPE)

def test_next():
    pass
"""
EXITS = """
def test_dies():
    (HERE / "died").touch()
    os._exit(0)
"""
BETWEEN = """
class Dies:
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self):
        kill(signal.SIGTERM)

def test_last(request):
    request.config.pluginmanager.register(Dies())
"""
COLLECTS = """
if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
    kill(signal.SIGSEGV)
"""
# the file in which a worker dies, what the others do meanwhile, and what the run says of it
DEATHS = {
    "killed": (KILLED, BUSY, "was killed by SIGPIPE while it ran tests/test_a.py::test_dies"),
    "exits": (EXITS, "", "ended with status 0 while it ran tests/test_a.py::test_dies"),
    "between": (BETWEEN, "", "between two tests, the last of which was tests/test_a.py::test_last"),
    "collects": (COLLECTS, "", "was killed by SIGSEGV before its first test"),
}


def pytest_in(folder: Path, options: str, **files: str) -> list[str]:
    """The command that runs some files of tests with the project's own settings and conftest."""
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in ("conftest", "lost_workers", "preloaded", "processes"):
        shutil.copy(ROOT / "tests" / f"{name}.py", folder / "tests")
    for name, text in files.items():
        (folder / "tests" / f"test_{name}.py").write_text(BEGIN + text, encoding="utf-8")
    return [sys.executable, "-m", "pytest", "-q", *PLUGINS, *options.split()]


def run(folder: Path, command: list[str]) -> tuple[subprocess.CompletedProcess[str], float]:
    """The ended run, and the time at which it had ended."""
    hidden = ("PYTEST_", "PYTHONDONTWRITEBYTECODE", "COLUMNS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)} | ALONE
    try:
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
        )
    except subprocess.TimeoutExpired as expired:
        pytest.fail(f"it did not end, and printed\n{(expired.stdout or b'').decode()}")
    return ended, time.time()


def left(folder: Path) -> list[str]:
    """The commands that still run in a folder: whatever a run starts begins in its own."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.cwd() == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(processes.command_of(process))
    return found


@pytest.mark.parametrize("name", DEATHS)
def test_a_worker_that_dies_ends_the_run_with_the_name_of_its_test(name: str, tmp_path: Path) -> None:
    dies, others, said = DEATHS[name]
    command = pytest_in(tmp_path, f"{TWO} {OPTIONS['TIMEOUT']}", a=dies, b=others, c=others, d="")
    ended, when = run(tmp_path, command)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert said in ended.stdout
    assert when - (tmp_path / "tests" / "died").stat().st_mtime < 60
    assert left(tmp_path) == []
    if "while it ran" in said:
        assert re.search(r"FAILED tests/test_a.py::test_dies - worker 'gw\d' crashed while running", ended.stdout)


# One call into C, which keeps the interpreter's lock: neither a signal handler nor a thread of Python can run.
STUCK = """
def test_is_stuck():
    sum(itertools.repeat(0))
"""


@pytest.mark.parametrize("workers", [TWO, ""], ids=["workers", "alone"])
def test_a_test_stuck_in_c_ends_with_its_name(workers: str, tmp_path: Path) -> None:
    assert "--timeout 300 -o faulthandler_timeout=930" in OPTIONS["TIMEOUT"]
    soon = OPTIONS["TIMEOUT"].replace("300", "2").replace("930", "4")
    ended, _ = run(tmp_path, pytest_in(tmp_path, f"{workers} {soon}", a=STUCK))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "test_is_stuck" in ended.stdout + ended.stderr
    if workers:
        assert "ended with status 1 while it ran tests/test_a.py::test_is_stuck" in ended.stdout


HANGS = """
def test_hangs():
    subprocess.Popen(["sleep", "245"], start_new_session=True, env={"PATH": os.environ["PATH"]})
    (HERE / "died").touch()
    time.sleep(246)
"""


@pytest.mark.parametrize("workers", [TWO, ""], ids=["workers", "alone"])
def test_a_run_that_is_stopped_says_which_tests_ran_and_leaves_nothing(workers: str, tmp_path: Path) -> None:
    """Stopped once the test runs, however slow this machine is; the limit stops it in the same way."""
    command = pytest_in(tmp_path, f"{workers} {OPTIONS['TIMEOUT']}", a=HANGS)
    (tmp_path / "Makefile").write_text(f"all:\n\t@{' '.join(command)}\n")
    with subprocess.Popen(
        [*LIMIT, "4", "make"],
        cwd=tmp_path,
        env=os.environ | ALONE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as runner:
        deadline = time.monotonic() + 200
        while not (tmp_path / "tests" / "died").exists() and runner.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
        assert len(left(tmp_path)) >= 4  # make, pytest, and two of the test
        time.sleep(1.5)  # a process with an environment of its own is looked for once a second
        runner.terminate()
        stdout, stderr = runner.communicate(timeout=90)
    assert runner.returncode == 128 + signal.SIGTERM, stdout + stderr
    assert "Running were:\n    " + " ".join(command)[:199] in stderr
    assert "Stopped from outside while these ran: tests/test_a.py::test_hangs" in stdout
    assert left(tmp_path) == []


def test_the_limit_stops_what_make_is_running_and_says_what_it_was(tmp_path: Path) -> None:
    lines = ["all: one other", "one:", "\t@sleep 243; true", "other:", "\t@sleep 247"]
    (tmp_path / "Makefile").write_text("\n".join([*lines, ""]))
    ended, _ = run(tmp_path, [*LIMIT, "0.1", "make", "--jobs=2", "--output-sync=target"])
    assert ended.returncode == 124, ended.stdout + ended.stderr
    assert "they had not ended after 0.1 minutes" in ended.stderr
    assert "    sleep 243" in ended.stderr and "    sleep 247" in ended.stderr
    assert "make test LIMIT=" in ended.stderr
    assert left(tmp_path) == []


@pytest.mark.parametrize(("script", "status"), [("exit 3", 3), ("kill -9 $$", 137), ("sleep 248 & exit 0", 0)])
def test_what_ends_in_time_keeps_its_status_and_leaves_nothing(script: str, status: int, tmp_path: Path) -> None:
    ended, _ = run(tmp_path, [*LIMIT, "1", "sh", "-c", script])
    assert ended.returncode == status
    assert ("ended now:\n    sleep 248" in ended.stderr) == ("248" in script)
    assert left(tmp_path) == []


def test_make_test_has_the_limit_and_every_run_in_it_the_options() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^LIMIT +:= \d+$", makefile, re.M)
    assert "tests/limit.py $(LIMIT) $(AGAIN) .test\n" in makefile
    (main,) = re.findall(r"-m pytest -q (.*) --durations", makefile)
    assert main == "$(WORKERS) $(TIMEOUT)"
