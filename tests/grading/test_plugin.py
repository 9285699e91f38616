"""`pytest --nbval` with the course's plugin: exercises are judged, everything else is nbval's own.

Most sessions run here, inside the one of the tests, where pytest and torch are imported already.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import types
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from submissions import CHAPTER, cell, exercise, mul, only, ours, saved, solution
from typer.testing import CliRunner

import minigrad
from minigrad_course import nbval_plugin, parts
from minigrad_course.cli import app
from minigrad_course.texts import source
from minigrad_course.texts.submitted import NO_JSON

ROOT = Path(minigrad.__file__).parent.parent
INSTALLED = any(each.value == "minigrad_course.nbval_plugin" for each in entry_points(group="pytest11"))
CHECKS = CHAPTER.checks
pytestmark = pytest.mark.usefixtures("in_this_process")


OPTIONS = [
    *([] if INSTALLED else ["-p", "minigrad_course.nbval_plugin"]),
    "-rA",
    "--color=no",
    "-p",
    "no:cacheprovider",
]


def run(folder, *arguments):
    """Run pytest in a folder, inside this process; its status, its output and the outcome of each item."""
    printed, complained = io.StringIO(), io.StringIO()
    modules, path = dict(sys.modules), list(sys.path)
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
            status = pytest.main([*OPTIONS, *arguments])
    finally:
        sys.path[:] = path
        for name in sys.modules.keys() - modules.keys():  # a conftest or a test of that folder is not one of ours
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(folder)):
                del sys.modules[name]
    return outcomes(status, complained.getvalue() + printed.getvalue())


def run_apart(folder, *arguments):
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        timeout=250,
    )
    return outcomes(done.returncode, done.stderr.decode() + done.stdout.decode())


def outcomes(status, text):
    assert "INTERNALERROR" not in text and "plugin exception" not in text, text
    found = re.findall(r"^(PASSED|FAILED) (.*?)::(Cell \d+|file|notice \d+|\w+)", text, re.MULTILINE)
    opened = re.findall(r"^(.*?): … (\w+): `", text, re.MULTILINE)  # below OPEN
    return status, text, dict.fromkeys(opened, "OPEN") | {(name, item): outcome for outcome, name, item in found}


def write_other(path):
    """A notebook of another kind, with one right and one wrong output."""
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for count, (text, output) in enumerate({"print(6 * 7)": "42\n", "print(1)": "2\n"}.items(), start=1):
        outputs = [nbformat.v4.new_output("stream", name="stdout", text=output)]
        made.cells.append(nbformat.v4.new_code_cell(text, execution_count=count, outputs=outputs))
    nbformat.write(made, path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    saved(exercise(), folder / "exercise.ipynb")
    saved(solution(), folder / "solution.ipynb")
    saved(solution(mul=mul("return b, a")), folder / "mistake.ipynb")
    saved(solution(mul=mul("print('a\\rb\\b\\x1b[31m')\nraise ValueError('\\x1b[2J')")), folder / "control.ipynb")
    (folder / "broken.ipynb").write_text(json.dumps(exercise())[:1000])
    (folder / "old.ipynb").write_text(json.dumps(exercise() | {"nbformat": 3}))
    (folder / "array.ipynb").write_text("[]")
    write_other(folder / "other.ipynb")
    return folder


@pytest.fixture(scope="module")
def judged(folder):
    before = {path: path.read_bytes() for path in folder.glob("*")}
    found = run(folder, "--nbval", "--minigrad-seed=7", ".")
    assert {path: path.read_bytes() for path in folder.glob("*")} == before
    return found


def of(judged, name):
    return {item: outcome for (file, item), outcome in judged[2].items() if file == name}


def test_each_check_is_an_item_that_passes_fails_or_is_open(judged):
    assert of(judged, "exercise.ipynb") == dict.fromkeys(CHECKS, "OPEN")
    assert "exercise.ipynb: … mul: `Mul.backward` is still to be written.\n" in judged[1]
    assert of(judged, "solution.ipynb") == dict.fromkeys(CHECKS, "PASSED")
    found = of(judged, "mistake.ipynb")
    assert [item for item, outcome in found.items() if outcome == "FAILED"] == ["mul", "chapter1"]


def test_a_failure_is_the_verdict_of_its_check_and_nothing_else(judged):
    assert re.search(
        r"^_+ mistake\.ipynb: mul _+\n"
        r"✗ mul: not what torch prints; line 2: the numbers differ\.\n"
        r"   yours: tensor\(.*\n"
        r"   torch: tensor\(.*\n"
        r"   This is what you get when you return the local derivatives alone and forget\n"
        r"   the upstream gradient\.\n"
        r"_+ mistake\.ipynb: chapter1 _+\n",
        judged[1],
        re.MULTILINE,
    )
    assert "Notebook cell execution failed" not in judged[1] and "%%check" not in judged[1]


def test_control_characters_change_neither_the_verdict_nor_the_terminal(judged):
    assert of(judged, "control.ipynb")["mul"] == "FAILED"
    assert "\x1b[2J" not in judged[1] and "\\x1b[2J" in judged[1]


BROKEN = NO_JSON
OLD = (
    "the notebook is in an old or unknown format (nbformat 3); open it in JupyterLab and save it, which makes it "
    "nbformat 4."
)
OTHER = "this is not one of the course's exercises."


def test_a_file_that_is_none_of_ours_is_one_failing_item_with_one_line_and_the_others_go_on(judged):
    sentences = {"broken": BROKEN, "old": OLD, "array": "this is not a notebook.", "other": OTHER}
    for name, sentence in sentences.items():
        assert of(judged, f"{name}.ipynb") == {"file": "FAILED"}
        assert f"{name}.ipynb: {sentence}" in judged[1]


def test_other_notebooks_alone_are_nbvals_own(tmp_path):
    write_other(tmp_path / "other.ipynb")
    _, text, found = run(tmp_path, "--nbval", ".")
    assert found == {("other.ipynb", "Cell 0"): "PASSED", ("other.ipynb", "Cell 1"): "FAILED"}
    assert "assert reference_output == test_output failed" in text
    assert last_line(text) == (
        "minigrad: 0 notebooks judged in the sandbox; "
        "1 notebook run by nbval itself, unconfined and ungraded: other.ipynb."
    )


def test_the_outcomes_are_no_more_than_these(judged):
    status, text, found = judged
    assert status == 1
    assert len(found) == 4 * len(CHECKS) + 4
    count = {word: sum(each == word for each in found.values()) for word in ("FAILED", "PASSED", "OPEN")}
    assert "{FAILED} failed, {PASSED} passed, {OPEN} open in ".format(**count) in text


def last_line(text):
    return text.rstrip().splitlines()[-1]


def test_the_last_lines_say_the_points_and_what_was_judged_and_what_was_not(judged):
    assert judged[1].rstrip().splitlines()[-9:] == [
        "array.ipynb: not graded: this is not a notebook.",
        f"broken.ipynb: not graded: {BROKEN}",
        "control.ipynb: 18 of 22 points. Wrong: mul, chapter1.",
        "exercise.ipynb: 0 of 22 points. Open: all.",
        "mistake.ipynb: 18 of 22 points. Wrong: mul, chapter1.",
        f"old.ipynb: not graded: {OLD}",
        f"other.ipynb: not graded: {OTHER}",
        "solution.ipynb: 22 of 22 points.",
        "minigrad: 4 notebooks judged in the sandbox; "
        "4 notebooks refused: array.ipynb, broken.ipynb, old.ipynb, other.ipynb.",
    ]


def test_two_workers_and_a_lax_nbval(folder, tmp_path):
    """In a process of its own, as a user types it."""
    saved(exercise(record=ours("record"), mul=mul("return b, a")), tmp_path / "mixed.ipynb")
    shutil.copy(folder / "broken.ipynb", tmp_path)
    written = tmp_path / "junit.xml"
    some = [f"mixed.ipynb::{each}" for each in ("record", "mul", "pow")]
    status, text, found = run_apart(tmp_path, "--nbval-lax", "-n", "2", f"--junitxml={written}", *some, "broken.ipynb")
    assert status == 1 and "2 failed, 1 passed, 1 open" in text
    assert re.search(r"exercises are judged with --minigrad-seed \d+", text)
    assert found == {
        ("mixed.ipynb", "record"): "PASSED",
        ("mixed.ipynb", "mul"): "FAILED",
        ("mixed.ipynb", "pow"): "OPEN",
        ("broken.ipynb", "file"): "FAILED",
    }
    assert text.rstrip().splitlines()[-3:] == [
        f"broken.ipynb: not graded: {BROKEN}",
        "mixed.ipynb: 2 of 4 points, in 3 of its 10 checks. Wrong: mul. Open: pow.",
        "minigrad: 1 notebook judged in the sandbox; 1 notebook refused: broken.ipynb.",
    ]
    cases = {
        (case.get("classname"), case.get("name")): [fault.get("message") for fault in case]
        for case in ElementTree.parse(written).iter("testcase")
    }
    assert cases["mixed.ipynb", "record"] == []
    assert cases["mixed.ipynb", "pow"] == ["… pow: `Pow.backward` is still to be written."]
    assert cases["mixed.ipynb", "mul"] == ["✗ mul: not what torch prints; line 2: the numbers differ."]


def test_it_imports_nothing_heavy_until_it_is_needed(tmp_path):
    (tmp_path / "test_light.py").write_text(
        "import sys\n"
        "def test_light():\n"
        "    assert 'minigrad_course.nbval_plugin' in sys.modules\n"
        "    assert not {'minigrad', 'torch', 'numpy', 'minigrad_course.grading'} & sys.modules.keys()\n"
    )
    saved(exercise(), tmp_path / "exercise.ipynb")
    status, text, _ = run_apart(tmp_path, "-p", "no:nbval", "test_light.py", ".")
    assert status == 0 and "1 passed" in text


def test_a_submission_in_disguise_is_not_run_in_a_kernel_and_our_lessons_are_nbvals(tmp_path):
    notebook = exercise()
    notebook["metadata"] = {"minigrad": {"kind": "lessons", "name": "00_start_here"}}
    for each in notebook["cells"]:
        each["source"] = [each["source"]] if isinstance(each["source"], str) else each["source"]
    path = tmp_path / "disguised.ipynb"
    path.write_text(json.dumps(notebook).replace("@part", "\\u0040part"))
    assert nbval_plugin.is_ours(path)
    lessons = sorted((source.notebooks_folder() / "lessons").glob("*.ipynb"))
    assert len(lessons) >= 2 and not any(map(nbval_plugin.is_ours, lessons))


# --- what is not ours ----------------------------------------------------------------------------

PART = '@part("mul")\nclass Mul: pass'
# a file's name and its notebook: the cells with their kinds, its metadata and its format
FORGED = {
    "joined.ipynb": ([("code", "load = '%%che' 'ck mul'; hand = '@pa' 'rt'")], {}, 4),
    "lesson.ipynb": ([("code", "answer = 42")], {"minigrad": {"kind": "lessons", "name": "01_scalar_backward"}}, 4),
    "red\x1b[31m.ipynb": ([("code", "answer = 42")], {}, 4),
    "markdown.ipynb": ([("markdown", PART), ("code", "answer = 42")], {}, 4),
    "oldest.ipynb": ([("code", "answer = 42")], {"minigrad": {"kind": "exercises", "name": CHAPTER.name}}, 3),
}


def forge(path, cells, metadata, nbformat_number):
    key, rest = ("input", {"language": "python"}) if nbformat_number == 3 else ("source", {})
    made = [
        {"cell_type": kind, "metadata": {}, key if kind == "code" else "source": text}
        | (rest | {"outputs": []} if kind == "code" else {})
        | ({"execution_count": None} if kind == "code" and nbformat_number == 4 else {})
        for kind, text in cells
    ]
    body = {"cells": made} if nbformat_number == 4 else {"worksheets": [{"cells": made, "metadata": {}}]}
    path.write_text(json.dumps({"metadata": metadata, "nbformat": nbformat_number, "nbformat_minor": 0} | body))


RAN = "open({!r}, 'a').close()"  # leaves a file where it ran


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_beside_an_exercise_nothing_of_a_stranger_is_run_unconfined(tmp_path):
    student, ran = tmp_path / "submitted" / "eve", RAN.format(str(tmp_path / "ran"))
    (student / "lessons").mkdir(parents=True)
    for name, (cells, metadata, number) in FORGED.items():
        forge(student / name, [(kind, f"{text}\n{ran}") for kind, text in cells], metadata, number)
    shutil.copy(student / "joined.ipynb", student / "lessons")
    saved(exercise(), student / "LOUD.IPYNB")
    saved(solution(mul=f"{ran}\n{mul('return b, a', after=ran)}"), student / "own.ipynb")
    for name in ("__init__.py", "test_own.py", "own_test.py"):
        (student / name).write_text(f"{ran}\ndef test_own(): {ran}")
    status, text, _ = run(tmp_path, "--nbval", "submitted")
    assert not (tmp_path / "ran").exists()
    assert status == 1
    *_, own, last = text.rstrip().splitlines()
    assert own == "submitted/eve/red\\x1b[31m.ipynb: not graded: this is not one of the course's exercises."
    assert "submitted/eve/own.ipynb: 18 of 22 points. Wrong: mul, chapter1.\n" in text
    judged, refused, left_out = last.split("; ")
    assert judged == "minigrad: 1 notebook judged in the sandbox"
    assert refused.startswith("6 notebooks refused: ")
    assert left_out == "2 other files left out: submitted/eve/own_test.py, submitted/eve/test_own.py."
    assert "eve/LOUD.IPYNB: not graded: a notebook's name must end in .ipynb, in lower case: rename it." in text
    assert "eve/lessons" not in text  # as `minigrad grade` leaves them out


def test_a_strangers_settings_of_pytest_are_refused_and_the_graders_own_are_not(tmp_path):
    folder = tmp_path / "submitted" / "eve"
    folder.mkdir(parents=True)
    saved(exercise(), folder / "exercise.ipynb")
    written, collect = f"--junitxml={tmp_path / 'ran.xml'}", ("--nbval", "--collect-only", "-q")
    refused, said = ["submitted/eve", "submitted/eve/exercise.ipynb"], {}
    for name in ("pytest.ini", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"):
        section = {"pyproject.toml": "tool.pytest.ini_options", "setup.cfg": "tool:pytest"}.get(name, "pytest")
        value = f'["{written}"]' if name == ".pytest.toml" else f'"{written}"' if name.endswith(".toml") else written
        (folder / name).write_text(f"[{section}]\naddopts = {value}\n")
        for named in refused:
            status, text, _ = run(tmp_path, *collect, named)
            sentence = f"ERROR: {Path('submitted', 'eve', name)} would tell pytest here what to do, with your rights"
            said[name, named] = status == pytest.ExitCode.USAGE_ERROR and sentence in text
        del refused[1:]  # that a file is as bad as its folder, one of them shows
        if name != "setup.cfg":
            (folder / name).unlink()
    assert [each for each, right in said.items() if not right] == []
    for name in ("own.ini", "pytest.ini"):  # above the exercises they are the grader's own
        (tmp_path / name).write_text("[pytest]\n")
    for arguments in (["submitted"], ["-c", "own.ini", "submitted/eve"]):
        status, text, _ = run(tmp_path, *collect, *arguments)
        assert status == 0, text
    assert not (tmp_path / "ran.xml").exists()


def test_of_a_students_copy_the_exercises_are_collected(tmp_path):
    started = CliRunner().invoke(app, ["start", str(tmp_path / "copy")])
    assert started.exit_code == 0, started.output
    _, text, _ = run(tmp_path, "--nbval", "--collect-only", "-qq", "copy")
    found = set(re.findall(r"^copy/(.*?\.ipynb)", text, re.MULTILINE))
    assert found == {f"exercises/{each.name}.ipynb" for each in parts.chapters()}
    _, text, _ = run(tmp_path, "--nbval", "--collect-only", "-qq", f"copy/solutions/{CHAPTER.name}.ipynb")
    assert f"copy/solutions/{CHAPTER.name}.ipynb: {len(CHECKS)}" in text


# --- the same as `minigrad grade` ----------------------------------------------------------------

SUBMISSIONS = {
    "wrong.ipynb": lambda: with_mul("return b, a", pow='@part("pow")\nclass Pow(Function): pass'),
    "half.ipynb": lambda: only(exercise(mul=mul("return grad_output * b, grad_output * a"), div="1 +"), "mul", "div"),
    "prints.ipynb": lambda: with_mul("print(a)\nreturn grad_output * b, grad_output * a"),
    "skips.ipynb": lambda: only(tampered("# NBVAL_SKIP\n{}", tags=["nbval-skip", "raises-exception"]), "mul"),
    "02_upstream_gradients.ipynb": lambda: only(solution(), "mul"),  # which it is not
}


def with_mul(body, before="", **answers):
    """A submission with this answer to `mul`, and with some others."""
    return only(solution(mul=mul(body, before=before), **answers), "mul", *answers)


def tampered(text, **metadata):
    """The untouched exercise with other checks."""
    made = exercise()
    for check in CHAPTER.checks:
        found = cell(made, f"check-{check}")
        found["source"] = text.format("".join(found["source"]))
        found["metadata"] |= metadata
    return made


def test_the_same_is_passed_wrong_and_open_for_the_same_points_as_in_minigrad_grade(tmp_path):
    for name, made in SUBMISSIONS.items():
        saved(made(), tmp_path / name)
    (tmp_path / "broken.ipynb").write_text(json.dumps(exercise())[:1000])
    write_other(tmp_path / "other.ipynb")
    names = sorted(path.name for path in tmp_path.iterdir())
    status, text, _ = run(tmp_path, "--nbval", "--minigrad-seed=7", ".")
    said = {name: [] for name in names}
    for line in text.rstrip().splitlines()[-1 - len(names) * 4 : -1]:
        name, _, sentence = line.partition(": ")
        if name in said:
            said[name].append(sentence)
    with contextlib.chdir(tmp_path):
        graded = CliRunner().invoke(app, ["grade", *names, "--seed", "7", "--json", "-"])
    files = {each["file"]: each for each in json.loads(graded.stdout)["files"]}
    assert status == graded.exit_code == 1
    assert said == {name: as_said(files[name]) for name in names}


def as_said(graded):
    """What the last lines of pytest are to say of a file, by what `minigrad grade` found."""
    if graded["error"]:
        return [f"not graded: {graded['error']}"]
    parts = graded["parts"]
    words = {word: [each["part"] for each in parts if each["result"] == word] for word in ("wrong", "open")}
    left = [
        f" {word.capitalize()}: {'all' if len(names) == len(parts) else ', '.join(names)}."
        for word, names in words.items()
        if names
    ]
    return [f"{graded['points']:g} of {graded['possible']} points.{''.join(left)}", *graded["notices"]]


def test_the_last_line_stays_short():
    tally = nbval_plugin.Tally(None)
    tally.files["nbval"] = dict.fromkeys(f"{'long' * 50}{number}.ipynb" for number in range(1000))
    assert len(tally.sentence()) < 500 and tally.sentence().endswith("… and 995 more.")


def test_the_last_line_says_what_the_system_cannot_confine():
    tally = nbval_plugin.Tally(None)
    found = {"way": "judged", "file": "a.ipynb", "check": "mul", "unconfined": ["the network."]}
    for _ in range(2):
        tally.pytest_runtest_logreport(types.SimpleNamespace(when="call", minigrad=found))
    said = "minigrad: 1 notebook judged in the sandbox. Not confined on this machine: the network."
    assert tally.sentence() == said


CONFTEST = "print('conftest was here')\n"
# where the conftest lies, what is named, and what is said of it: None where it may run
CONFTESTS = [
    ("a/conftest.py", ["a/exercise.ipynb::Cell 2"], "a/conftest.py"),
    ("conftest.py", ["--rootdir=.", "--confcutdir=.", "a/exercise.ipynb"], "conftest.py"),
    ("a/b/c/conftest.py", ["--nbval-lax"], "a/b/c/conftest.py"),
    ("a/test_more/conftest.py", ["a"], "a/test_more/conftest.py"),
    ("a/conftest.py", ["--noconftest", "a"], None),
    ("other/conftest.py", ["other"], None),
    ("conftest.py", ["--rootdir=a", "--confcutdir=a", "a"], None),
    ("a/.venv/conftest.py", ["a"], None),
]


def test_a_conftest_beside_an_exercise_is_refused_before_it_runs(tmp_path):
    differs = {}
    for count, (place, arguments, named) in enumerate(CONFTESTS):
        folder = tmp_path / str(count)
        for each in ("a", "other", str(Path(place).parent)):
            (folder / each).mkdir(parents=True, exist_ok=True)
        saved(exercise(), folder / "a" / "exercise.ipynb")
        write_other(folder / "other" / "other.ipynb")
        (folder / place).write_text(CONFTEST)
        status, text, _ = run(folder, "--nbval", "--collect-only", "-q", "-s", "-n0", *arguments)
        ran, sentence = "conftest was here" in text, f"ERROR: {Path(str(named))} would run here unconfined"
        helped = "add --noconftest, or move the notebooks" in text
        found = status == pytest.ExitCode.USAGE_ERROR, sentence in text and helped, ran
        if found != (named is not None, named is not None, place == "other/conftest.py"):
            differs[place, *arguments] = text
    assert differs == {}


@pytest.mark.parametrize("seed", ["one", "9" * 5000])
def test_a_seed_out_of_range_ends_in_a_sentence(tmp_path, seed):
    status, text, _ = run(tmp_path, "--nbval", f"--minigrad-seed={seed}")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "argument --minigrad-seed: a seed is a whole number from 0 to 4294967295" in text
    assert "Traceback" not in text
