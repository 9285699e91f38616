"""`minigrad grade` as people run it: what it prints, writes and returns, and what it leaves alone."""

import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from submissions import CHAPTER, exercise, only, rectangle, saved, solution
from typer.testing import CliRunner

import minigrad
from minigrad_course.cli import app
from minigrad_course.cli.usage import GROUPS
from minigrad_course.grading.workers import machine
from minigrad_course.texts import submitted

ROOT = Path(minigrad.__file__).parent.parent
SECOND = "02_upstream_gradients.ipynb"  # in it is another exercise
ODD = "a::b [1] ünï.ipynb"
MARKUP = "[bold red]x[bold] \x1b[2J.ipynb"


def grade(folder, *arguments, **environment):
    """Run the command in a folder; standard output as text."""
    done = subprocess.run(
        [sys.executable, "-m", "minigrad_course", "grade", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "150", "PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        timeout=250,
    )
    assert b"Traceback" not in done.stdout + done.stderr, done
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def snapshot(folder):
    """Every regular file of a folder: its bytes and when it was changed."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    """One grading of many files, with traps beside them."""
    folder = tmp_path_factory.mktemp("class")
    saved(solution(), folder / ODD)
    saved(exercise(), folder / "untouched.ipynb")
    evil = r"\x1b[2J\x1b]0;title\x07[bold red]x[/]"
    saved(only(solution(repair=rectangle(f"print('{evil}')")), "repair"), folder / MARKUP)
    (folder / "broken.ipynb").write_bytes(b"\x89PNG")
    (folder / "folder.ipynb").mkdir()
    (folder / "device.ipynb").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.ipynb")
    saved(only(solution(), "mul"), folder / SECOND)
    (folder / "conftest.py").write_text("import os\nos._exit(0)\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    (folder / "sitecustomize.py").write_text("import os\nos._exit(0)\n")
    return folder


FILES = (
    *("broken.ipynb", "untouched.ipynb", "folder.ipynb", "device.ipynb", "pipe.ipynb", SECOND),
    *(MARKUP, ODD),
)


@pytest.fixture(scope="module")
def graded(class_folder, tmp_path_factory):
    before, report = snapshot(class_folder), tmp_path_factory.mktemp("report") / "report.json"
    status, text, errors = grade(
        *(class_folder, *FILES, "--seed", "5", "--workers", "1", "--json", str(report)),
        PYTEST_ADDOPTS="--collect-only -p nosuch",
    )
    assert errors == "", errors
    assert snapshot(class_folder) == before  # nothing of a submission, nor beside it, is ever changed
    return status, text, json.loads(report.read_text(encoding="utf-8"))


def of(graded, name):
    return next(each for each in graded[2]["files"] if each["file"] == name)


def test_every_file_is_judged_whatever_stands_beside_it(graded):
    status, text, data = graded
    assert status == 1 and data["passed"] is False
    assert [each["file"] for each in data["files"]] == list(FILES)
    assert f"1 of {len(FILES)} files passes." in text
    found = of(graded, ODD)
    assert found["passed"] and [part["part"] for part in found["parts"]] == CHAPTER.checks and ODD in text


def test_an_untouched_exercise_has_ten_rows_and_no_marks(graded):
    found = of(graded, "untouched.ipynb")
    assert not found["passed"] and found["points"] == 0 and len(found["parts"]) == 10
    assert all(part["what"] and part["points"] == 0 for part in found["parts"])
    assert {part["result"] for part in found["parts"]} == {"open"} and not any(
        part["mistake"] for part in found["parts"]
    )
    for check in CHAPTER.checks:
        assert f"│ {check} " in graded[1]
    assert "`Mul.backward` is still to be written." in graded[1]


def test_what_cannot_be_graded_is_one_line(graded):
    sentences = {
        "broken.ipynb": submitted.NO_JSON,
        "folder.ipynb": "this is not a file; name a notebook in it.",
        "device.ipynb": "this is a link to another file; submit the file itself.",
        "pipe.ipynb": "this is not a file; name a notebook in it.",
    }
    for name, sentence in sentences.items():
        assert of(graded, name)["error"] == sentence
        assert f"{name}: {sentence}\n" in graded[1]


def test_what_is_called_like_another_exercise_is_judged_as_what_it_is(graded):
    found = of(graded, SECOND)
    sentence = "the file is called 02_upstream_gradients but contains 01_scalar_backward; "
    assert found["notices"] == [f"{sentence}it was judged as 01_scalar_backward."] and not found["passed"]
    assert (found["points"], found["exercise"]) == (1, CHAPTER.name) and f"{SECOND}: {sentence}" in graded[1]


def test_what_strangers_write_is_no_command_to_the_terminal(graded):
    _, text, _ = graded
    assert "\x1b" not in text and "\x07" not in text
    assert "[bold red]x[bold] \\x1b[2J.ipynb" in text
    (part,) = [part for part in of(graded, MARKUP)["parts"] if part["part"] == "repair"]
    assert part["result"] == "wrong" and "\\x1b[2J" in part["what"] and "[bold red]x[/]" in part["what"]


def test_the_report_says_what_judged(graded):
    data = graded[2]
    assert {each["seed"] for each in data["files"]} == {5, None}  # None where nothing ran
    assert data["versions"].keys() == {"minigrad-course", "torch", "numpy", "nbval"}
    assert data["versions"]["torch"] == importlib.metadata.version("torch")
    assert isinstance(data["unconfined"], list)
    assert "Numbers drawn with seed 5; --seed 5 repeats this grading." in graded[1]


def test_the_status_is_0_if_everything_passes_also_where_output_knows_ascii_only(
    graded, class_folder, tmp_path, monkeypatch
):
    report = tmp_path / "again.json"
    monkeypatch.chdir(class_folder)
    result = CliRunner(charset="ascii").invoke(app, ["grade", ODD, "--seed", "5", "--json", str(report)])
    assert (result.exit_code, result.stderr) == (0, "") and "22/22" in result.stdout and ODD not in result.stdout
    data = json.loads(report.read_text())
    assert data["passed"] is True and data["files"] == [of(graded, ODD)]  # the same seed repeats a grading


def test_the_results_can_go_to_standard_output(class_folder, monkeypatch):
    monkeypatch.chdir(class_folder)
    result = CliRunner().invoke(app, ["grade", "broken.ipynb", "--json", "-"])
    (found,) = json.loads(result.stdout)["files"]
    assert found["error"] == submitted.NO_JSON and f"broken.ipynb: {submitted.NO_JSON}" in result.stderr
    assert not (class_folder / "-").exists()


# --- what ends before anything is judged ---------------------------------------------------------


SLIPS = [
    ([], "needs a PATH"),
    (["p1.py", "p1.pdf", "--to", "to"], "a Python program"),
    (["p1.py", "p1.pdf", "--to", "to"], "a PDF"),
    (["x.ipynb", "list.csv"], "list.csv is nobody's work. A class list goes behind --roster, rules behind"),
    (["x.ipynb", "--json", "nowhere/x.json"], "--json nowhere/x.json: there is no folder nowhere."),
    *((["--seed", value, "x.ipynb"], "--seed") for value in ("-1", "x", "1.5")),
]


def test_a_slip_is_refused_before_anything_is_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved(exercise(), tmp_path / "x.ipynb")
    for name, content in {"list.csv": "id,name\n1,Ada\n", "p1.py": "print(1)", "p1.pdf": "%PDF-1.7"}.items():
        (tmp_path / name).write_text(content)
    differs = {}
    for arguments, sentence in SLIPS:
        result = CliRunner().invoke(app, ["grade", *arguments], env={"COLUMNS": "200"})
        if result.exit_code != 2 or sentence not in result.stderr or result.stdout:
            differs[" ".join(arguments)] = result.output
    assert differs == {} and not (tmp_path / "to").exists()


def test_the_report_never_goes_into_a_notebook(tmp_path):
    mine = saved(exercise(), tmp_path / "mine.ipynb")
    plain = saved(exercise(), tmp_path / "plain")
    (tmp_path / "link.json").symlink_to(mine)
    os.link(plain, tmp_path / "hard.json")
    before = snapshot(tmp_path)
    for target in ("mine.ipynb", "other.ipynb", "OTHER.IPYNB", "link.json", "hard.json", "plain"):
        result = CliRunner().invoke(app, ["grade", str(mine), str(plain), "--json", str(tmp_path / target)])
        assert result.exit_code == 2, target
        assert "that is a notebook, and grading never writes into one." in result.output
    assert snapshot(tmp_path) == before


def test_help_names_what_there_is():
    result = CliRunner().invoke(app, ["grade", "--help"], env={"COLUMNS": "120"})
    assert result.exit_code == 0
    groups = result.output.splitlines()
    assert {*GROUPS["grade"]} <= {*groups}
    assert all(option in result.output for options in GROUPS["grade"].values() for option in options)


def test_importing_the_grader_does_not_start_it():
    assert importlib.import_module("minigrad_course.grading.judge.judge").Judge(seed=1).sandbox._root is None


def test_memory_decides_where_it_is_short_and_a_container_s_limit_counts(tmp_path, monkeypatch):
    group = tmp_path / "groups" / "memory" / "job"
    group.mkdir(parents=True)
    own = tmp_path / "cgroup"
    own.write_text("4:memory:/job\n0::/\n")
    (group / "memory.stat").write_text("cache 9\ninactive_file 5\ntotal_inactive_file 100000000\n")
    (group / "memory.usage_in_bytes").write_text("500000000\n")
    monkeypatch.setattr(machine, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(machine, "OWN_GROUPS", own)
    monkeypatch.setattr(machine, "processors", lambda: 8)
    answers = {}
    for limit in ("1300000000", "600000000", str(2**63 - 4096)):
        (group / "memory.limit_in_bytes").write_text(f"{limit}\n")
        monkeypatch.setattr(machine.psutil, "virtual_memory", lambda: SimpleNamespace(available=64_000_000_000))
        answers[limit] = machine.workers_here(1000)
    three, one, all_of_them = answers.values()
    assert three[0] == 3 and one[0] == 1 and all_of_them == (8, "")
    assert [machine.workers_here(few)[0] for few in (1, 20, 180, 240)] == [4, 4, 6, 8]
    assert three[1].startswith("Memory is short: 0.9 GB are free, and a worker takes up to 0.3 GB. So 3 workers for 8")
