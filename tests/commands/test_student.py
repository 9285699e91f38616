"""The student's commands on real notebooks, and what every command promises of its help and its exit status."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import preloaded
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import CapturedIO, capture_output
from typer.testing import CliRunner

import minigrad
from minigrad_course import parts
from minigrad_course.checks import exercise as exercise_of
from minigrad_course.checks import hint_log, names, patience
from minigrad_course.cli import PANELS, SUBCOMMANDS, app
from minigrad_course.cli.learner import lab, student
from minigrad_course.cli.screen import WIDEST, Screen, wrapped
from minigrad_course.cli.usage import EXAMPLES
from minigrad_course.grading.judge.judge import read_submission
from minigrad_course.learner import progress
from minigrad_course.notebooks import renewal
from minigrad_course.texts import folders, source
from minigrad_course.texts.saving import MIME

CHAPTERS = parts.chapters()
FIRST = CHAPTERS[0]
NOTEBOOK = f"{FIRST.name}.ipynb"
STUDENTS = ("start", "status", "check", "hint", "diagnose", "solution", "reset", "watch", "mine")
TOTAL = sum(len(chapter.checks) for chapter in CHAPTERS)
FILES = 1 + sum(len(source.names(kind)) for kind in source.KINDS)  # and the first page
SECONDS = 60


def run(*arguments: str, answer: str = "", status: int = 0) -> str:
    """Call the command; what it printed. It has to end with that status, and never with a traceback."""
    result = CliRunner().invoke(app, arguments, input=answer, prog_name="minigrad")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.output
    return result.output


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course as `minigrad start` gives it out; not to be changed."""
    folder = tmp_path_factory.mktemp("given") / "course"
    assert run("start", str(folder)).startswith(f"{FILES} notebooks copied to {folder}.\nTo work there: cd ")
    return folder


@pytest.mark.skipif(os.name == "nt", reason="Windows quotes in its own way")
def test_a_folder_in_a_command_can_be_typed_as_it_stands(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "it's a course"
    told = run("start", str(folder)).splitlines()[1]
    assert shlex.split(told.removeprefix("To work there: ")) == ["cd", str(folder)]
    whole = exercise(folder).read_bytes()
    exercise(folder).unlink()
    told = run("check", "mul", "-f", str(folder), status=3).rpartition("To get it: ")[2].rstrip()
    assert shlex.split(told) == ["minigrad", "start", str(folder)]
    assert run("check", "1", "-f", str(folder), status=3).splitlines()[1].endswith(told)
    monkeypatch.chdir(folder)
    assert run("check", f"exercises/{NOTEBOOK}", status=3).splitlines()[0].endswith(told)
    exercise(folder).write_bytes(whole[:99])
    assert run("check", "mul", status=3).rstrip().endswith(f"Move it away, and then {told}")


@pytest.fixture
def course(given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's own folder, and the student in it. What they were shown is kept in there too."""
    folder = tmp_path / "course"
    shutil.copytree(given, folder)
    monkeypatch.setattr(hint_log, "place", lambda: tmp_path / "state" / "asked.json")
    monkeypatch.setattr(hint_log, "_unwritten", {})
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(folder)
    return folder


def exercise(course: Path) -> Path:
    return course / "exercises" / NOTEBOOK


def write(course: Path, part: str, text: str | None = None) -> None:
    """Write an answer into the exercise of chapter 1: `text`, else ours."""
    notebook = renewal.read(exercise(course))
    (cell,) = [each for each in notebook.cells if renewal.ours(each).get("part") == part]
    cell.source = ours(part) if text is None else text
    exercise(course).write_bytes(renewal.text_of(notebook))


def ours(part: str) -> str:
    cells = source.read("solutions", FIRST.name).cells
    return source.without_markers(next(each.source for each in cells if each.role == "answer" and each.part == part))


def in_a_notebook(*cells: str) -> CapturedIO:
    """What a shell shows that has loaded the extension and runs these cells."""
    shell = InteractiveShell.instance()  # before `capture_output`, which looks for it
    try:
        with capture_output() as seen:
            for cell in ("%load_ext minigrad_course", *cells):
                shell.run_cell(cell)
    finally:
        InteractiveShell.clear_instance()
    return seen


def solve(course: Path) -> None:
    """Every exercise solved."""
    for chapter in CHAPTERS:
        shutil.copy(course / "solutions" / f"{chapter.name}.ipynb", course / "exercises")


WRONG = ours("mul").replace("grad_output * b, grad_output * a", "b, a")


# --- status --------------------------------------------------------------------------------------


def test_status_of_a_fresh_start(course: Path) -> None:
    printed = run("status")
    assert "Exercises" not in printed  # the student stands in them
    assert f"0 of {TOTAL} passed, {TOTAL} open." in printed
    first = FIRST.parts[0]
    assert f"Next: {first.name}, about {first.minutes} minutes, in exercises/{NOTEBOOK}." in printed
    for chapter in CHAPTERS:  # one line each, as nothing is begun
        count = len(chapter.checks)
        assert re.search(rf"^{chapter.number} .* 0 of {count} passed, {count} open$", printed, re.M)


def test_status_of_what_is_done_and_wrong(course: Path) -> None:
    write(course, "record")
    write(course, "mul")
    write(course, "pow", "this is no Python")
    write(course, "div", "")
    printed = run("status", status=1)
    assert re.search(r"^1 scalar backward .* 2 of 10 passed, 1 wrong, 7 open$", printed, re.M)
    assert "  ✗ pow: The cell is not Python: invalid syntax, line 1, `this is no Python`\n" in printed
    lost = '  … div: No cell defines it below @part("div"). To get the original back: minigrad reset div\n'
    assert lost in printed
    assert "  ✓ record, mul\n" in printed
    assert "  … order, walk, accumulate, hypot, repair, chapter1\n" in printed
    assert f"2 of {TOTAL} passed, 1 wrong, {TOTAL - 3} open." in printed
    assert f"Next: pow, which is wrong: read what its check says, in exercises/{NOTEBOOK}." in printed


def test_a_mistyped_name_in_a_cell_and_a_lost_line_above_it_are_noticed(course: Path) -> None:
    write(course, "mul", ours("mul").replace('@part("mul")', ""))
    printed = run("check", "mul", status=1)
    assert printed == '… mul: No cell defines it below @part("mul"). Put that line back on top of the cell.\n'
    write(course, "accumulate", ours("accumulate").replace('"accumulate"', '"accumlate"'))
    meant = 'No cell defines it below @part("accumulate"). A cell has @part("accumlate"): did you mean accumulate?'
    assert f"… accumulate: {meant}\n" in run("check", "accumulate", status=1)
    write(course, "accumulate", "")  # no slip for another part
    assert "did you mean" not in run("check", "accumulate", status=1)


def test_of_two_answers_it_is_said_which_one_counts(course: Path) -> None:
    write(course, "mul")
    notebook = renewal.read(exercise(course))
    at = next(at for at, cell in enumerate(notebook.cells) if renewal.ours(cell).get("part") == "mul")
    notebook.cells.insert(at + 1, nbformat.v4.new_code_cell(WRONG))
    exercise(course).write_bytes(renewal.text_of(notebook))
    told = "2 cells answer mul; the one in its own place is judged. Keep only one"
    assert run("check", "mul").splitlines()[1] == f"   {told}."
    assert f"✓ mul, part 2 of 10: it prints what torch prints.\n   {told}.\n" in run("check", "1", status=1)
    assert f"  ✓ mul: {told}\n" in run("status")
    assert told in progress.standing(exercise(course).parent)._repr_html_()


def test_a_cell_that_is_gone_comes_back_as_the_check_says(course: Path) -> None:
    write(course, "mul")
    notebook = renewal.read(exercise(course))
    notebook.cells = [cell for cell in notebook.cells if '@part("div")' not in cell.source]
    exercise(course).write_bytes(renewal.text_of(notebook))
    said = f'No cell defines it below @part("div"). To get the original back: minigrad start {course}\n'
    assert f"… div: {said}" in run("check", "div", status=1)
    run("start", str(course))
    assert "… div: `Div.backward` is still to be written" in run("check", "div", status=1)
    assert "✓ mul" in run("check", "mul")


def test_status_fits_one_screen_however_much_is_wrong(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for chapter in CHAPTERS:
        path = course / "exercises" / f"{chapter.name}.ipynb"
        notebook = renewal.read(path)
        answers = [cell for cell in notebook.cells if "@part(" in cell.source]
        for number, cell in enumerate(answers):
            cell.source = f"this is no Python {'at all ' * 20}" if number % 3 else cell.source
        path.write_bytes(renewal.text_of(notebook))
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("status", status=1).splitlines()
    assert len(lines) <= 30 and all(len(line.rstrip()) <= 80 for line in lines)
    monkeypatch.setenv("COLUMNS", "28")  # so narrow that it needs more, but breaks no word
    printed = run("status", status=1)
    assert all(len(line.rstrip()) <= 28 for line in printed.splitlines() if ".ipynb" not in line)
    assert {*FIRST.checks, "Python", "invalid"} <= {*re.findall(r"\w+", printed)}
    monkeypatch.setenv("COLUMNS", "200")
    shutil.copy(course / "solutions" / NOTEBOOK, course / "exercises")
    overwrites = ours("accumulate").partition("def ")[0] + "def f(tensor, grad):\n    tensor.grad = grad\n"
    write(course, "accumulate", overwrites)
    reason = "the second backward overwrites `.grad` instead of adding to it"
    assert f"  ✗ accumulate: {reason}\n" in run("status", status=1)  # where its line has room


def test_status_of_files_that_cannot_be_read(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise(course).write_text('{"cells": [')
    printed = run("status", status=3)
    assert (
        "10 not judged" in printed
        and printed.count("this is not a notebook") == 1
        and "this is not a notebook" in printed
    )
    folder = exercise(course).parent
    (folder / "backups").mkdir()
    (folder / "backups" / f"{FIRST.name}.2026-01-01_00-00-00.ipynb").write_text("{}")
    monkeypatch.delenv("COLUMNS")
    assert f"{folder}/backups/{FIRST.name}.2026-01-01_00-00-00.ipynb\n" in run("status", status=3)  # on one line
    monkeypatch.setenv("COLUMNS", "200")
    kept = f"an earlier version: {folder}/backups/{FIRST.name}.2026-01-01_00-00-00.ipynb"
    told = f"Move it away, and then minigrad start {course}; {kept}"
    assert told in run("check", "mul", status=3) and told in run("reset", "mul", "-y", status=3)
    exercise(course).unlink()
    told = f"there is no such file. To get it: minigrad start {course}; {kept}"
    assert told in run("check", "1", status=3) and told in run("reset", "mul", "-y", status=3)
    printed = run("status", status=3)
    assert "there is no such file" in printed and f"Next: exercises/{NOTEBOOK}, which is missing." in printed
    run("start", str(course))
    assert exercise(course).is_file()


def test_the_notebook_shows_the_same(course: Path) -> None:
    write(course, "mul")
    write(course, "pow", "1 / 0")
    seen = in_a_notebook("%progress", "%progress nowhere")
    (shown,) = seen.outputs
    summary = f"1 of {TOTAL} passed, 1 wrong, {TOTAL - 2} open."
    assert summary in shown.data["text/plain"] and summary in shown.data["text/html"]
    assert 'value="1" max=' in shown.data["text/html"]
    rows = 1 + len(CHAPTERS) + len(FIRST.checks)  # the head, one for each chapter, and those of the next
    assert shown.data["text/html"].count("<tr>") == rows
    assert "save the notebook" in seen.stdout
    assert "There is no folder nowhere" in seen.stdout


# --- check ---------------------------------------------------------------------------------------


def test_check_says_what_the_notebook_says(course: Path) -> None:
    write(course, "mul", WRONG)
    printed = run("check", "mul", status=1)
    mistake = FIRST.part("mul").mistakes[0]
    first, *lines = printed.splitlines()
    assert first == "✗ mul: not what torch prints; line 2: the numbers differ."
    assert [line[:17] for line in lines[:3]] == ["   both:  tensor(", "   yours: tensor(", "   torch: tensor("]
    assert lines[3:] == [
        f"   This is what you get when {mistake.explanation}.",
        "   For a hint, run minigrad hint mul.",
        "   All lines: minigrad check mul --all",
    ]
    write(course, "mul")
    passed = "✓ mul, part 2 of 10: it prints what torch prints."
    first, then = run("check", "mul").splitlines()
    assert first == passed and then.startswith("   Next: record, about ") and then.strip() in run("status")
    write(course, "record")
    first, then = run("check", "mul").splitlines()
    assert first == passed and then.startswith("   Next: pow, about ")
    write(course, "pow", WRONG.replace('"mul"', '"pow"'))  # what is wrong comes before what is open
    leads = f"Next: pow, which is wrong: read what its check says, in exercises/{NOTEBOOK}."
    assert run("check", "MUL").splitlines() == [passed, f"   {leads}"]
    assert run("check", "1", status=1).endswith(f"{leads}\n")
    solve(course)
    assert run("check", "mul").splitlines() == [passed, "   Next: minigrad check 2."]
    assert run("check", f"exercises/{NOTEBOOK}").splitlines() == [
        f"✓ {', '.join(FIRST.checks)}: passed.",
        f"Chapter 1: {len(FIRST.checks)} of {len(FIRST.checks)} passed. Next: minigrad check 2.",
    ]
    printed = run("check", "1", "2")  # only the last leads on
    assert printed.count("Next: ") == 1 and printed.endswith("Next: minigrad check 3.\n")
    one = progress.Standing((exercise_of.Outcome(FIRST, "record", "passed", ""),))
    assert one.next == "Next: minigrad check 1, for the rest of the chapter."
    assert f"{TOTAL} of {TOTAL} passed." in (done := run("status"))
    assert "Everything has passed. Next: minigrad mine makes an engine of your parts." in done


def test_check_says_what_a_grading_will_not_import_under_a_pass_and_under_an_error(course: Path) -> None:
    imports = "import urllib.request, json\n"
    note = f"   One thing: 'urllib.request' {names.REFUSED}. The cell of mul needs it."
    for answer, status in (ours("mul"), 0), (WRONG, 1):
        needing = answer.replace(
            "        return a * b", "        urllib.request.Request, json.loads\n        return a * b"
        )
        write(course, "mul", imports + needing)
        assert note in run("check", "mul", status=status).splitlines()
        assert note in run("check", "1", status=1).splitlines()
    write(course, "mul", imports + ours("mul"))  # nothing of the answer needs it
    assert "One thing" not in run("check", "mul")


def test_check_shows_every_line_if_asked(course: Path) -> None:
    write(course, "mul", WRONG)
    printed = run("check", "mul", "--all", status=1)
    assert re.findall(r"^   (\w+):", printed, re.M) == ["both", "yours", "torch"] * 3 + ["yours", "torch"]
    assert "--all" not in printed
    write(course, "mul", ours("mul").replace("        return a * b", "        print('here')\n        return a * b"))
    assert "here" not in (printed := run("check", "mul", status=1)) and "minigrad check mul --all" in printed
    assert "With what your answer prints:\n   here\n" in run("check", "mul", "--all", status=1)
    write(course, "mul")
    assert re.findall(r"^   (\w+):", run("check", "mul", "--all"), re.M) == [*["both"] * 7, "Next"]


def test_a_terminal_names_no_fault_before_a_diagnosis(course: Path) -> None:
    """It reads the choice in the notebook, and remembers from one command to the next which repairs have failed."""
    chapter = parts.chapter_of("zeroing")
    assert chapter is not None
    path = course / "exercises" / f"{chapter.name}.ipynb"
    given, name = renewal.read(path), patience.identity("zeroing")
    (cell,) = [each for each in given.cells if renewal.ours(each).get("part") == "zeroing"]
    stub, asks = cell.source, "Choose a diagnosis with minigrad diagnose zeroing, or in the notebook."

    def check(text: str) -> str:
        cell.source = text
        path.write_bytes(renewal.text_of(given))
        return run("check", "zeroing", status=1)

    fault = "nothing clears `.grad` in the loop"
    first = stub.replace("optimizer.step()", "loss.grad = None\n        optimizer.step()")
    for text in (stub, stub, first, first.replace("optimizer.step()", "optimizer.step() "), stub):
        assert asks in check(text)
    check(first)
    assert fault not in run("check", "5", status=1)
    assert "the step has nothing to do" in check(stub.replace("loss.backward()", "loss.backward(); w.grad.zero_()"))
    assert fault in check(stub)
    hint_log.place().unlink()
    assert asks in check(stub)
    for each in given.cells:
        for output in each.get("outputs", []):
            data = output.get("data", {}).get(MIME, {})
            if data.get("id") == name:
                data["tried"] = [data["choices"][0]["text"]]
    assert fault in check(stub)


def test_an_answer_that_ends_the_process_is_wrong_and_silences_nothing(course: Path) -> None:
    write(course, "mul", f"import os\nos._exit(0)\n{WRONG}")
    assert "SystemExit: os._exit(0)" in run("check", "mul", status=1)
    write(course, "mul", WRONG.replace("b, a", "__import__('os')._exit(0)"))
    assert "SystemExit: os._exit(0)" in (whole := run("check", "1", status=1))
    assert "9 open. Next: mul, which is wrong" in whole


def test_check_of_a_chapter_ends_with_what_it_comes_to_and_what_is_next(course: Path) -> None:
    write(course, "record")
    write(course, "mul", WRONG)
    lines = run("check", "1", status=1).splitlines()
    assert lines[:2] == ["✓ record: passed.", "✗ mul: not what torch prints; line 2: the numbers differ."]
    assert lines[-3] == f"… {', '.join(FIRST.checks[2:])}: open."
    assert lines[-2] == "For a hint, run minigrad hint mul. All lines: minigrad check mul --all"
    assert "\n".join(lines).count("For a hint") == 1
    write(course, "record", "no Python")
    assert run("check", "1", status=1).splitlines()[-2] == lines[-2]  # nothing was printed for record
    write(course, "record")
    write(course, "pow", WRONG.replace('"mul"', '"pow"'))
    assert run("check", "1", status=1).splitlines()[-2] == lines[-2]
    what = (
        f"1 of 10 passed, 1 wrong, 8 open. Next: mul, which is wrong: read what its check says, in exercises/{NOTEBOOK}"
    )
    assert lines[-1] == f"Chapter 1: {what}."


def test_check_of_all_parts_together_names_the_cell_that_fails(course: Path) -> None:
    solve(course)
    write(course, "pow", "1 / 0")
    printed = run("check", FIRST.together, status=1)
    assert (
        f"✗ {FIRST.together}: It needs your part `pow`, whose cell stopped in line 1 with ZeroDivisionError" in printed
    )


# --- which folder --------------------------------------------------------------------------------


def test_which_folder_is_read(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = course / "exercises"
    for inside in (course, wanted, course / "lessons", course / "solutions"):
        monkeypatch.chdir(inside)
        assert folders.exercises_folder() == wanted
    monkeypatch.chdir(course.parent)
    assert folders.exercises_folder() == folders.of_the_course()
    assert run("status").startswith(f"Exercises: {wanted}\n")  # the only one right below
    shutil.copytree(course, course.parent / "other")
    for command in (["hint", "mul"], ["status"], ["check", "1"], ["mine"]):
        said = f"There is no course in this folder. Yours: cd {course} or cd {course.parent / 'other'}\n"
        assert run(*command, status=2) == said
    shutil.rmtree(course.parent / "other")
    assert f"Exercises: {Path('course/exercises')}\n" in run("hint", "mul", "-f", "course")
    assert folders.exercises_folder("course") == Path("course/exercises")
    course.rename(course.parent / "minigrad-course")
    assert folders.exercises_folder() == course.parent / "minigrad-course" / "exercises"


def test_what_a_folder_was_named_for_is_named_again(course: Path) -> None:
    write(course, "mul", WRONG)
    folder = f"-f {course}"
    assert run("check", "mul", "-f", str(course), status=1).count(folder) == 2
    assert f"minigrad diagnose losses NUMBER {folder}" in run("diagnose", "losses", "-f", str(course))
    one_by_one = f"minigrad check 1 {folder} tests the parts one by one: start with the first one that fails."
    assert one_by_one in run("check", "chapter1", "-f", str(course), status=1)
    assert f"0 of {TOTAL} passed" in run("status", "-f", str(course.parent), status=1)  # which holds a course


def test_a_folder_without_exercises_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("nowhere", "~nobody-of-this-name/x", "x" * 5000, "."):
        for command in (["status"], ["check", "mul"], ["hint", "mul"], ["reset", "mul"], ["watch"], ["mine"]):
            assert "There " in run(*command, "--folder", folder, status=2), (folder, command)


def test_lab_opens_the_folder_one_is_in(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course / "exercises")
    assert lab.workplace(None) == course
    monkeypatch.chdir(course.parent)
    monkeypatch.setattr(lab, "notebooks_folder", lambda: course)
    assert lab.workplace(course) == course  # the course itself: nothing is copied


# --- hint and solution ---------------------------------------------------------------------------


def test_hints_come_one_by_one(course: Path) -> None:
    hints = FIRST.part("mul").hints
    for count, hint in enumerate(hints, start=1):
        assert f"Hint {count} of {len(hints)}: {hint}\n" in run("hint", "mul")
    assert "That was the last hint. Our answer: minigrad solution mul." in (again := run("hint", "mul"))
    assert f"Hint 1 of {len(hints)}: {hints[0]}" in again
    write(course, "record")
    write(course, "mul")
    assert "Chapter 1: next is pow.\nHint 1 of " in run("hint", "1")
    hint_log.note(exercise(course).parent, "hint", "pow", 0)
    other = FIRST.part("pow").hints
    assert f"Hint 1 of {len(other)}: {other[0]}" in run("hint", "pow")


def test_a_memory_that_is_spoilt_begins_again_and_one_that_cannot_be_written_does_no_harm(course: Path) -> None:
    run("hint", "mul")
    for text in ("", "{", "[]", '{"FOLDER": 3}', '{"FOLDER": {"hint": {"mul": "x"}}}'):
        hint_log.place().write_text(text.replace("FOLDER", str(course / "exercises")))
        assert "Hint 1 of" in run("hint", "mul"), text
        assert "Hint 2 of" in run("hint", "mul"), text
    shutil.rmtree(hint_log.place().parent)
    hint_log.place().parent.write_text("a file where the folder should be")
    assert "Hint 1 of" in run("hint", "pow")
    assert "Hint 2 of" in run("hint", "pow")  # as long as the process lives


def test_notebook_and_terminal_share_what_was_shown(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Hint 1 of" in run("hint", "mul")
    monkeypatch.chdir(course / "exercises")  # where JupyterLab starts the kernel of an exercise
    assert "Hint 2 of" in in_a_notebook("%hint mul").outputs[-1].data["text/plain"]
    assert "Hint 3 of" in run("hint", "mul")


def test_a_solution_is_shown_when_one_asks_twice_or_has_had_the_last_hint_or_has_one(course: Path) -> None:
    assert "mul does not pass yet." in (refused := run("solution", "mul", status=1))
    assert "grad_output * b" not in refused
    assert ours("mul") in run("solution", "mul")
    assert "does not pass yet" in run("solution", "pow", status=1)
    for _ in FIRST.part("div").hints:
        run("hint", "div")
    assert ours("div") in run("solution", "div")
    write(course, "accumulate")
    assert ours("accumulate") in run("solution", "accumulate")


# --- reset ---------------------------------------------------------------------------------------


def backups(course: Path) -> list[bytes]:
    return [each.read_bytes() for each in sorted((course / "exercises").glob("backups/*"))]


def test_reset_asks_and_keeps_a_backup(course: Path) -> None:
    fresh = exercise(course).read_bytes()
    assert "mul is unchanged: nothing to reset." in run("reset", "mul")
    write(course, "mul")
    written = exercise(course).read_bytes()
    for answer in ("n\n", ""):
        assert "Nothing was changed." in run("reset", "mul", answer=answer, status=1)
        assert (exercise(course).read_bytes(), backups(course)) == (written, [])
    run("reset", "mul", answer="y\n")
    assert (exercise(course).read_bytes(), backups(course)) == (fresh, [written])
    write(course, "mul")
    run("reset", "mul", "--yes")
    assert (exercise(course).read_bytes(), backups(course)) == (fresh, [written, written])


def test_reset_of_what_cannot_be_reset(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = renewal.read(exercise(course))
    notebook.cells = [cell for cell in notebook.cells if renewal.ours(cell).get("part") != "mul"]
    exercise(course).write_bytes(renewal.text_of(notebook))
    assert "No cell of" in run("reset", "mul", "--yes", status=3)
    exercise(course).write_text("{")
    assert "this is not a notebook" in run("reset", "mul", "--yes", status=3)
    monkeypatch.setattr(source, "is_clone", lambda: False)  # as in an installed package
    assert "minigrad start FOLDER" in run("reset", "mul", "-f", str(source.notebooks_folder()), status=2)


# --- start ---------------------------------------------------------------------------------------


def test_start_renews_and_keeps_what_was_written(course: Path) -> None:
    write(course, "mul")
    unchanged = {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}
    exercise(course).with_name("02_upstream_gradients.ipynb").unlink()
    lab.copy_notebooks(source.notebooks_folder(), course)  # without our notes
    assert run("start", str(course)).splitlines()[0] == f"{FILES} notebooks up to date."
    assert unchanged == {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}
    lesson = course / "lessons" / NOTEBOOK
    for path in (exercise(course), lesson):
        notebook = renewal.read(path)
        notebook.cells[0].source = "an older text"
        notebook.cells[0].metadata["minigrad"]["given"] = renewal.digest("an older text")
        if path != lesson:
            notebook.cells.insert(1, nbformat.v4.new_markdown_cell("my notes"))
        path.write_bytes(renewal.text_of(notebook))
    before = exercise(course).read_bytes()
    printed = run("start", ".")
    assert f"lessons/{NOTEBOOK}: updated. The old version: " in printed.replace(os.sep, "/")  # nothing of theirs in it
    line = next(each for each in printed.splitlines() if each.startswith(f"exercises/{NOTEBOOK}"))
    assert "updated, and your work is kept. The old version: exercises/backups/" in line.replace(os.sep, "/")
    assert backups(course) == [before]
    texts = [cell["source"] for cell in renewal.read(exercise(course)).cells]
    assert texts[:2] == [renewal.pristine("exercises", FIRST.name).cells[0].source, "my notes"]
    assert "✓ mul" in run("check", "mul")
    assert "renewed" not in run("start", ".")


def test_start_refuses_what_is_no_folder_of_ones_own(tmp_path: Path) -> None:
    assert "is the course itself" in run("start", str(source.notebooks_folder()), status=2)
    (tmp_path / "file").write_text("mine")
    assert "is a file" in run("start", str(tmp_path / "file"), status=2)
    assert run("start", str(tmp_path / "file" / "deeper"), status=3).count("\n") == 1
    assert (tmp_path / "file").read_text() == "mine"
    assert "holds other files. Name a new folder, or add --yes" in run("start", str(tmp_path), status=2)
    assert "holds other files. Name a new folder, or add --yes" in run("lab", str(tmp_path), status=2)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_grading_has_nothing_to_say_against_what_start_makes(course: Path) -> None:
    for chapter in CHAPTERS:
        read = read_submission(course / "exercises" / f"{chapter.name}.ipynb")
        assert (read.chapter, read.notices) == (chapter, ())
        assert set(read.answers) == {part.name for part in chapter.parts}


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the folder")
def test_a_folder_that_is_gone(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = course / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "no longer exists" in run("start", "mine", status=2)
    assert "no longer exists" in run("lab", "mine", status=2)
    assert "no longer exists" in run("hint", "mul", status=2)


def test_start_leaves_a_first_page_alone_that_somebody_has_changed(course: Path) -> None:
    page = course / "home.ipynb"
    notebook = renewal.read(page)
    notebook.cells[1].outputs = []  # as a run does
    page.write_bytes(renewal.text_of(notebook))
    assert f"{FILES} notebooks up to date." in run("start", ".")
    notebook.cells.append(nbformat.v4.new_markdown_cell("mine"))
    page.write_bytes(renewal.text_of(notebook))
    assert "home.ipynb: left unchanged. For a new one, move it away" in run("start", ".")
    assert "mine" in page.read_text()
    page.write_text("{")
    assert "home.ipynb: left unchanged: this is not a notebook" in run("start", ".", status=3)


def test_the_first_page_leads_to_every_notebook_and_each_check_has_its_place(course: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", "".join(cell.source for cell in renewal.read(course / "home.ipynb").cells))
    assert {*links} == {str(path.relative_to(course)) for path in course.glob("*/*.ipynb")}
    ways = re.findall(r'href="([^"#]+)#cell-id=([^"]+)"', progress.standing(course / "exercises")._repr_html_())
    assert ways and {way for way, _ in ways} == {f"exercises/{NOTEBOOK}"}
    everything = progress.Standing(
        tuple(exercise_of.Outcome(chapter, check, "wrong", "?") for chapter in CHAPTERS for check in chapter.checks),
        folder=course / "exercises",
    )
    ways = re.findall(r'href="([^"#]+)#cell-id=([^"]+)"', everything._repr_html_())
    assert len(ways) == 1 + TOTAL
    for way, place in ways:
        assert place in [cell.id for cell in renewal.read(course / way).cells]


# --- watch ---------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_watch_judges_each_save_until_ctrl_c(course: Path) -> None:
    process = subprocess.Popen(
        [preloaded.python(), "-m", "minigrad_course", "watch", "mul", NOTEBOOK, "--folder", "exercises"],
        env={**os.environ, "PYTHONPATH": str(Path(minigrad.__file__).parents[1]), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda pipe: [lines.put(line) for line in pipe], args=[process.stdout], daemon=True).start()

    def until(text: str) -> str:
        printed = ""
        while text not in printed:
            printed += lines.get(timeout=SECONDS)
        return printed

    try:
        assert f"0 of {len(FIRST.checks)} passed" in until("Watching.")
        write(course, "mul")
        assert "✓ mul" in until(f"1 of {len(FIRST.checks)} passed")
        whole = exercise(course).read_bytes()
        exercise(course).write_bytes(whole[: len(whole) // 2])
        assert "mul" not in until("this is not a notebook")
        exercise(course).write_bytes(whole)
        assert "✓" not in until(f"1 of {len(FIRST.checks)} passed")  # nothing new
        write(course, "mul", WRONG)
        assert "✗ mul" in (shown := until("1 wrong"))
        assert "minigrad check mul --all -f exercises" in shown
        whole = exercise(course).read_bytes()
        exercise(course).rename(course / "away.ipynb")
        assert "01_scalar_backward.ipynb: there is no such file. To get it: minigrad start" in until("there is no such")
        exercise(course).write_bytes(whole)
        assert "All lines" not in until("1 wrong")  # of what was said before
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
        assert "Traceback" not in "".join(lines.queue)
    finally:
        process.kill()
        process.communicate()


# --- mine ----------------------------------------------------------------------------------------


def edited(path: Path, do: Callable[[], str]) -> str:
    """What comes of a call while somebody has other words in a file, which they keep."""
    before = path.read_text()
    path.write_text("my own words")
    told = do()
    assert path.read_text() == "my own words"
    path.write_text(before)
    return told


def test_mine_writes_beside_the_exercises_and_renews_it(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course / "exercises")
    none = r"None of the engine's \d+ parts is yours yet; all are ours\. Begin with {}, in exercises/\S+: once "
    none += r"its check passes, it is yours\.\n{}"
    printed = run("mine", str(course / "other"), "-f", str(course))
    size = r"The package has \d\d,\d{3} lines in \d+ files, of which yours are 0, 0\.0%\."
    assert re.match(none.format("record", rf"Written: .*/other\n{size}\nTo train with it:\n"), printed)
    assert (course / "other" / "README.md").is_file()
    write(course, "mul", WRONG)
    printed = run("mine", "-f", ".")
    assert re.match(none.format("mul", r"chapter 1\n  ours: mul \(wrong: see minigrad check mul\)\n"), printed)
    assert f"Written: {course / 'my-engine'}\n" in printed
    readme = course / "my-engine" / "README.md"
    assert f"{readme} was edited. Nothing was written" in edited(readme, lambda: run("mine", status=2))
    scalar = course / "my-engine" / "myengine" / "scalar.py"
    assert "# yours: mul" not in scalar.read_text()
    write(course, "mul")
    assert re.search(r"^1 of the engine's \d+ parts is yours", run("mine"), re.M)
    assert "# yours: mul" in scalar.read_text()


# --- diagnose ------------------------------------------------------------------------------------


def test_a_terminal_can_diagnose_and_leaves_the_notebook_alone(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (hunts,) = (course / "exercises").glob("05_*.ipynb")
    before, fault = hunts.read_bytes(), "nothing clears `.grad`"
    printed = run("check", "zeroing", status=1)
    assert "Choose a diagnosis with minigrad diagnose zeroing, or in the notebook." in printed and fault not in printed
    printed = run("diagnose", "zeroing")
    assert "Why does the loss of `fit_line` swing?" in printed and "you chose this" not in printed
    assert "What it prints: minigrad check zeroing\n" in printed
    assert re.findall(r"^  (\d)  ", printed, re.M) == ["1", "2", "3"]
    assert fault not in run("check", "zeroing", status=1)
    assert "✗ The learning rate is too large" in run("diagnose", "zeroing", "1", status=1)
    assert "The learning rate is too large (you chose this)" in run("diagnose", "zeroing")
    assert fault in run("check", "zeroing", status=1)
    assert "✓ Each step also follows" in run("diagnose", "zeroing", "2")
    monkeypatch.setattr(Screen, "is_terminal", True)
    monkeypatch.setattr(
        "minigrad_course.cli.learner.diagnose.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    )
    printed = run("diagnose", "zeroing", answer="9\n1\n2\n")  # until it is right
    assert printed.count("Your choice, 1 to 3") == 3 and printed.index("✗ The") < printed.index("✓ Each step also")
    assert run("diagnose", "zeroing", "1", answer="\n", status=1).endswith(
        "another: minigrad diagnose zeroing NUMBER\n"
    )
    assert hunts.read_bytes() == before
    assert "choose a number from 1 to 3" in run("diagnose", "zeroing", "0", status=2)
    assert "mul is not a program to debug. The programs are repair, " in run("diagnose", "mul", status=2)


# --- what every command promises -----------------------------------------------------------------


def test_the_help_lists_every_command_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    told = run("--help")
    printed = [" ".join(line.split()) for line in told.splitlines()]
    for name, command in SUBCOMMANDS.items():
        assert f"{name} {command.line}" in printed
    assert not re.search(r"[│─╭╯]| $", told, re.M) and {*PANELS} <= {*told.splitlines()}
    assert sorted(name for panel in PANELS.values() for name in panel) == sorted(SUBCOMMANDS)
    assert set(SUBCOMMANDS) >= {*STUDENTS, "lab", "run", "compare", "grade"}


def test_the_examples_in_the_help_are_commands_that_there_are() -> None:
    for name, examples in EXAMPLES.items():
        told = run(name, "--help")
        assert "<=" not in told and ">=" not in told, name  # ranges, which would leave no room for words
        for typed in examples:
            assert f"  minigrad {typed}  " in told
            assert typed.split()[0] == name
            ours = typed.partition(".py ")[0] if name == "run" else typed  # what comes after a script is the script's
            assert [word for word in ours.split() if word.startswith("-") and word not in told] == [], typed


def test_help_and_version_have_several_names(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = re.escape(importlib.metadata.version("torch"))
    for typed in ("--version", "-V", "version"):
        assert re.fullmatch(rf"minigrad \d+\.\d+\.\d+ \(torch {torch}, Python 3\.\d+\.\d+\)\n", run(typed))
    assert run("help") == run("--help") == run("-h") and run("help", "check") == run("check", "-h")
    monkeypatch.setenv("COLUMNS", "60")  # an example that is too long for a line has its words below
    assert "\n  minigrad explain train.py\n      an error, told by your lines\n" in run("explain", "--help")
    for columns in (60, 140):
        done = CliRunner().invoke(app, ["grade", "--help"], env={"COLUMNS": str(columns), "FORCE_COLOR": "1"})
        widths = [len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in done.stdout.splitlines()]
        assert "╭" in done.stdout and max(widths) == min(columns, WIDEST)


def test_every_command_has_help_that_tells_its_exit_statuses() -> None:
    for name, command in SUBCOMMANDS.items():
        told = run(name, "--help")
        assert not re.search(r"[│─╭╯]| $|\n\n$", told, re.M) and "\nOptions\n  " in told, name  # this is no terminal
        printed = " ".join(told.split())
        assert printed.startswith(f"Usage: minigrad {name} ")
        assert [each for each in command.statuses.items() if "{} {}".format(*each) not in printed] == [], name


def interrupting(course: Path) -> None:
    write(course, "mul", "raise KeyboardInterrupt")


def damaged(course: Path) -> None:
    exercise(course).write_text("{")


def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)


ENDS = [
    ("start", ["../mine"], None, 0),
    ("start", ["mine"], None, 2),  # a course in the course
    ("lab", ["mine", "--no-browser"], None, 2),
    ("start", ["exercises/" + NOTEBOOK], None, 2),
    ("start", ["."], damaged, 3),
    ("status", [], None, 0),
    ("status", [], lambda course: write(course, "mul", WRONG), 1),
    ("status", ["-f", "nowhere"], None, 2),
    ("status", [], damaged, 3),
    ("status", [], interrupting, 130),
    ("check", ["mul"], write, 0),
    ("check", ["mul"], None, 1),
    ("check", ["nothing"], None, 2),
    ("check", ["mul"], damaged, 3),
    ("check", ["mul"], interrupting, 130),
    ("hint", ["mul"], None, 0),
    ("hint", [FIRST.together], None, 2),
    ("hint", ["1"], None, 0),
    ("hint", ["9"], None, 2),
    ("diagnose", ["zeroing"], None, 0),
    ("diagnose", ["zeroing", "1"], None, 1),
    ("diagnose", ["mul"], None, 2),
    ("diagnose", ["zeroing"], without_torch, 3),
    ("solution", ["mul"], write, 0),
    ("solution", ["mul"], None, 1),
    ("solution", ["nothing"], None, 2),
    ("solution", ["mul"], without_torch, 3),
    ("solution", ["mul"], interrupting, 130),
    ("reset", ["mul"], None, 0),
    ("reset", ["mul"], lambda course: write(course, "mul"), 1),
    ("reset", ["nothing"], None, 2),
    ("reset", ["mul"], damaged, 3),
    ("watch", ["mul"], interrupting, 0),
    ("watch", ["nothing"], None, 2),
    ("watch", [], without_torch, 3),
    ("mine", [], write, 0),
    ("mine", ["exercises"], None, 2),
    ("mine", [], damaged, 3),
    ("mine", [], interrupting, 130),
]


@pytest.mark.parametrize(("name", "arguments", "prepare", "status"), ENDS)
def test_how_each_command_ends(
    course: Path, monkeypatch: pytest.MonkeyPatch, name: str, arguments: list[str], prepare: object, status: int
) -> None:
    if prepare is without_torch:
        without_torch(monkeypatch)
    elif prepare is write:
        write(course, "mul")
    elif callable(prepare):
        prepare(course)
    run(name, *arguments, status=status)


def test_the_statuses_in_the_help_are_those_that_occur() -> None:
    for name in STUDENTS:
        occurring = {status for each, *_, status in ENDS if each == name}
        told = set(SUBCOMMANDS[name].statuses)
        assert told - occurring == ({1, 130} if name == "start" else set()) and occurring <= told, name


def test_whatever_is_typed_for_a_name_ends_in_a_sentence(course: Path) -> None:
    for typed in ("", " ", "mull", "../x", "a/b.ipynb", "--", "é😀", "\udcff", "x" * 5000, "9"):
        for name in ("check", "hint", "solution", "reset", "watch"):
            run(name, "--", typed, status=2)


SYSTEMS = "moodle, gradescope, brightspace, blackboard, canvas"
WRONG_USAGE = {
    "nothing": "There is no command 'nothing'. minigrad --help lists the commands.",
    "check": "minigrad check needs a NAME. The chapters and their parts are",
    "check 9": "There is no chapter 9. Choose one of 1 (scalar backward), 2 (",
    "hint 9": "There is no chapter 9. Choose one of 1 (scalar backward), 2 (",
    "check scalar": "Nothing is called 'scalar'. Did you mean 1, the chapter scalar backward?",
    "hint chapter1": "chapter1 checks all parts of chapter 1 together. Name one of them: record, mul, ",
    "grade none.ipynb --out x": "There is no option '--out'. Did you mean --to?",
    "grade . --roster none.csv": "There is no file none.csv.",
    "solution 1": "1 is a chapter. Name one of its parts: record, mul, ",
    "new-part": "minigrad new-part needs an OPERATION, as in: minigrad new-part tanh --chapter 1 --replace",
    "diagnose": "minigrad diagnose needs a PROGRAM. The programs are repair, ",
    "hint mul more": "minigrad hint takes no argument 'more'.",
    "status --nothing": "There is no option '--nothing'. minigrad status --help lists them.",
    "status --foldr x": "There is no option '--foldr'. Did you mean --folder?",
    "run -m": "-m needs something after it. minigrad run --help says more.",
    "explain --seed 1 -c": "-c needs something after it. minigrad explain --help says more.",
    "status -f": "-f needs something after it.",
    "--nothing": "There is no option '--nothing'. minigrad --help lists them.",
    "diagnose zeroing x": "NUMBER must be a whole number, not 'x'.",
    "compare x.py --timeout 0": "--timeout must be at least 0.1, not '0'.",
    "compare x.py --timeout x": "--timeout must be a number, not 'x'.",
    "marks mooodle": f"'mooodle' is not one of {SYSTEMS}. Did you mean moodle?",
    "marks zorro": f"'zorro' is not one of {SYSTEMS}. minigrad marks --help",
    "new-part tanh": "minigrad new-part needs a --chapter, as in: minigrad new-part tanh --chapter 1",
    "check zorro": "Nothing is called 'zorro'. The chapters and their parts are",
    "check nope": "Nothing is called 'nope'. The chapters and their parts are",
}


def test_wrong_usage_is_one_plain_sentence() -> None:
    told = {typed: run(*typed.split(), status=2) for typed in WRONG_USAGE}
    assert {typed: said for typed, said in told.items() if not said.startswith(WRONG_USAGE[typed])} == {}


SLIPS = {
    "check mull": "mul",
    "hint MUL": "mul",
    "check acumulate": "accumulate",
    "check dvi": "div",
    "watch scalar_backwards": "01_scalar_backward",
    "chek mul": "minigrad check",
    "Status": "minigrad status",
    "solutoin mul": "minigrad solution",
}


def test_a_typing_error_is_recognised_and_what_is_like_nothing_is_told_what_there_is(course: Path) -> None:
    told = {typed: run(*typed.split(), status=2) for typed in SLIPS}
    assert {typed: said for typed, said in told.items() if f"Did you mean {SLIPS[typed]}?" not in said} == {}
    known = run("check", "qqqq", status=2)
    assert all(f"  {chapter.number}: {', '.join(chapter.checks)}\n" in known for chapter in CHAPTERS)
    assert len(run("check", "q" * 5000, status=2)) < 1500
    for typed in (["hint"], ["solution", "qqqq"]):  # which take parts only
        assert f"  1: {', '.join(part.name for part in FIRST.parts)}\n" in run(*typed, status=2)


def test_a_chapter_has_the_names_that_are_shown() -> None:
    for name in ("scalar backward", "scalar_backward", "Scalar_Backward", NOTEBOOK, "01_scalar_backward", "01", "1"):
        assert student.checks_called(name) == (FIRST, FIRST.checks)


# --- colour --------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")
def test_a_terminal_has_colours_and_lines_that_fit(course: Path) -> None:
    import pty

    write(course, "mul", WRONG)
    ours, theirs = pty.openpty()
    variables = {"TERM": "xterm-256color", "COLUMNS": "60", "PYTHONPATH": str(Path(minigrad.__file__).parents[1])}
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    process = subprocess.Popen(
        [preloaded.python(), "-m", "minigrad_course", "check", "mul"],
        env=environment | variables,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    printed = b""
    with contextlib.suppress(OSError):  # Linux says so when the other side is closed
        while part := os.read(ours, 65536):
            printed += part
    os.close(ours)
    assert process.wait(SECONDS) == 1
    verdict = printed.decode().partition("✗")
    colours = re.findall(r"\x1b\[(?:\d;)?3[0-9]m", verdict[0][-10:] + verdict[2].partition("All lines")[0])
    assert colours
    said = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", "".join(verdict[1:])).splitlines()
    assert said[0] == "✗ mul: not what torch prints; line 2: the numbers differ."
    assert "   This is what you get when you return the local" in said and max(map(len, said)) <= 60


def test_a_long_line_is_continued_below_its_first_word_and_a_command_stays_whole() -> None:
    text = f"✗ mul: {'word ' * 12}, minigrad hint mul --folder x, or `one two three`.\n{'x' * 50}"
    first, *others = wrapped(text, 40).plain.splitlines()
    assert first.startswith("✗ mul: word") and others.pop() == "x" * 50
    assert all(line.startswith("  ") and line == line.rstrip() and len(line) <= 40 for line in others)
    assert any("minigrad hint mul --folder x" in line for line in others) and "one two three" in others[-1]
