"""The student's commands on real notebooks, and what every command promises of its help and its exit status."""

from __future__ import annotations

import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from typer.testing import CliRunner

import minigrad
from minigrad.commands import SUBCOMMANDS, app, lab
from minigrad.course import folders, hint_log, parts, patience, renewal, source
from minigrad.course.saving import MIME
from minigrad.grading import assemble

CHAPTERS = parts.chapters()
FIRST = CHAPTERS[0]
NOTEBOOK = f"{FIRST.name}.ipynb"
STUDENTS = ("start", "status", "check", "hint", "diagnose", "solution", "reset", "watch", "mine")
TOTAL = sum(len(chapter.checks) for chapter in CHAPTERS)
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
    assert run("start", str(folder)).count(": new.") == sum(len(source.names(kind)) for kind in source.KINDS)
    return folder


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


def solve(course: Path) -> None:
    """Every exercise solved."""
    for chapter in CHAPTERS:
        shutil.copy(course / "solutions" / f"{chapter.name}.ipynb", course / "exercises")


WRONG = ours("mul").replace("grad_output * b, grad_output * a", "b, a")


# --- status --------------------------------------------------------------------------------------


def test_status_of_a_fresh_start(course: Path) -> None:
    printed = run("status")
    assert f"Exercises: {course / 'exercises'}\n" in printed
    assert f"0 of {TOTAL} done, {TOTAL} open." in printed
    first = FIRST.parts[0]
    assert f"Next: {first.name}, about {first.minutes} minutes, in exercises/{NOTEBOOK}." in printed
    for chapter in CHAPTERS:
        assert all(re.search(rf"\b{check} +… open", printed) for check in chapter.checks)


def test_status_of_what_is_done_and_wrong(course: Path) -> None:
    write(course, "record")
    write(course, "mul")
    write(course, "pow", "this is no Python")
    write(course, "div", "")
    printed = run("status", status=1)
    assert re.search(r"1 scalar backward \(2 of \d+\) +record +✓ done", printed)
    assert re.search(r"mul +✓ done", printed)
    assert re.search(r"pow +✗ wrong +The cell is not Python: invalid syntax, line 1", printed)
    assert re.search(r"div +… open +No cell defines it below @part", printed)
    assert f"2 of {TOTAL} done, 1 wrong, {TOTAL - 3} open." in printed
    assert f"Next: pow, which is wrong: read what its check says, in exercises/{NOTEBOOK}." in printed


@pytest.mark.parametrize("columns", [28, 40, 60])
def test_status_in_a_narrow_terminal_breaks_no_word(
    course: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    write(course, "pow", "this is no Python")
    monkeypatch.setenv("COLUMNS", str(columns))
    printed = run("status", status=1)
    table = printed.partition("\n")[2]  # below the name of the folder, which may be long
    assert all(len(line.rstrip()) <= columns for line in table.splitlines() if NOTEBOOK not in line)
    for chapter in CHAPTERS:
        assert all(re.search(rf"^  (…|✗) \w+ +{check} *$", printed, re.M) for check in chapter.checks)
    assert "  ✗ wrong  pow\n    The cell is not" in printed


def test_status_when_all_is_done(course: Path) -> None:
    solve(course)
    printed = run("status")
    assert f"{TOTAL} of {TOTAL} done." in printed and "Everything is done." in printed


def test_status_of_files_that_cannot_be_read(course: Path) -> None:
    exercise(course).write_text('{"cells": [')
    printed = run("status", status=3)
    assert "? unknown" in printed and "this is not a notebook" in printed
    exercise(course).unlink()
    assert "there is no such file" in run("status")


def test_the_notebook_shows_the_same(course: Path) -> None:
    write(course, "mul")
    write(course, "pow", "1 / 0")
    shell = InteractiveShell.instance()
    try:
        with capture_output() as seen:
            shell.run_cell("%load_ext minigrad.course")
            shell.run_cell("%progress")
            shell.run_cell("%progress nowhere")
    finally:
        InteractiveShell.clear_instance()
    (shown,) = seen.outputs
    summary = re.search(r"1 of \d+ done, .*", run("status", status=1))[0]
    assert summary in shown.data["text/plain"] and summary in shown.data["text/html"]
    assert 'value="1" max=' in shown.data["text/html"]
    rows = len(FIRST.checks) + len(CHAPTERS)  # the head, those of the first chapter, and one for each of the others
    assert shown.data["text/html"].count("<tr>") == rows
    assert "save the notebook" in seen.stdout
    assert "There is no folder nowhere" in seen.stdout


# --- check ---------------------------------------------------------------------------------------


def test_check_says_what_the_notebook_says(course: Path) -> None:
    write(course, "mul", WRONG)
    printed = run("check", "mul", status=1)
    mistake = FIRST.part("mul").mistakes[0]
    assert "✗ mul: not what torch prints; line 2: the numbers differ.\n   yours: tensor(" in printed
    assert f"   This is what you get when {mistake.explanation}.\n" in printed
    write(course, "mul")
    printed = run("check", "mul").splitlines()
    assert printed[1].startswith("tensor(") and printed[-1] == "✓ mul, 2 of 10: it prints what torch prints. Next: pow."


def test_check_names_the_command_for_a_hint(course: Path) -> None:
    write(course, "mul", WRONG.replace("b, a", "b + 1.5, a"))
    assert "For a hint, run minigrad hint mul." in run("check", "mul", status=1)


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
    assert fault not in run("status", status=1)
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


@pytest.mark.parametrize("name", [str(FIRST.number), FIRST.name, f"exercises/{NOTEBOOK}"])
def test_check_takes_a_whole_chapter(course: Path, name: str) -> None:
    solve(course)
    printed = run("check", name)
    following = [f"Next: {check}." for check in FIRST.checks[1:]] + ["That was the last check of this exercise."]
    assert [line for line in printed.splitlines() if "✓" in line] == [
        f"✓ {check}, {place} of 10: it prints what {'it should' if is_repair(check) else 'torch prints'}. {then}"
        for place, (check, then) in enumerate(zip(FIRST.checks, following, strict=True), start=1)
    ]


def is_repair(check: str) -> bool:
    return check != FIRST.together and FIRST.part(check).place.kind == "program"


def test_check_of_all_parts_together_names_the_cell_that_fails(course: Path) -> None:
    solve(course)
    write(course, "pow", "1 / 0")
    printed = run("check", FIRST.together, status=1)
    assert f"✗ {FIRST.together}: the cell of pow: The cell stopped with ZeroDivisionError" in printed


def test_a_bug_that_nobody_has_looked_for_is_not_told(course: Path) -> None:
    for chapter in CHAPTERS:
        hunts = [part for part in chapter.parts if part.place.kind == "program" and part.mistakes]
        printed = run("check", str(chapter.number), status=1)
        for part in hunts:
            assert part.mistakes[0].explanation not in printed


def test_a_name_from_a_cell_that_does_not_count_is_missing(course: Path) -> None:
    write(course, "mul", ours("mul").replace("return a * b", "return helper(a, b)"))
    notebook = renewal.read(exercise(course))
    notebook.cells.insert(1, nbformat.v4.new_code_cell("def helper(a, b): return a * b"))
    exercise(course).write_bytes(renewal.text_of(notebook))
    assert "NameError: name 'helper' is not defined" in run("check", "mul", status=1)


# --- which folder --------------------------------------------------------------------------------


def test_which_folder_is_read(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = course / "exercises"
    for inside in (course, wanted, course / "lessons", course / "solutions"):
        monkeypatch.chdir(inside)
        assert folders.exercises_folder() == wanted
    monkeypatch.chdir(course.parent)
    assert folders.exercises_folder() == folders.of_the_course()
    assert folders.exercises_folder("course") == Path("course/exercises")
    course.rename(course.parent / "minigrad-course")
    assert folders.exercises_folder() == course.parent / "minigrad-course" / "exercises"


@pytest.mark.parametrize("folder", ["nowhere", "~nobody-of-this-name/x", "x" * 5000, "lessons/..", "."])
def test_a_folder_without_exercises_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["status"], ["check", "mul"], ["hint", "mul"], ["reset", "mul"], ["watch"], ["mine"]):
        assert "There " in run(*command, "--folder", folder, status=2)


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
    other = FIRST.part("pow").hints
    assert f"Hint 1 of {len(other)}: {other[0]}" in run("hint", "pow")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"FOLDER": 3}', '{"FOLDER": {"hint": {"mul": "x"}}}'])
def test_a_spoilt_memory_begins_again(course: Path, text: str) -> None:
    run("hint", "mul")
    hint_log.place().write_text(text.replace("FOLDER", str(course / "exercises")))
    assert "Hint 1 of" in run("hint", "mul")
    assert "Hint 2 of" in run("hint", "mul")


def test_a_memory_that_cannot_be_written_does_no_harm(course: Path) -> None:
    hint_log.place().parent.write_text("a file where the folder should be")
    assert "Hint 1 of" in run("hint", "mul")
    assert "Hint 2 of" in run("hint", "mul")  # as long as the process lives


def test_notebook_and_terminal_share_what_was_shown(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Hint 1 of" in run("hint", "mul")
    monkeypatch.chdir(course / "exercises")  # where JupyterLab starts the kernel of an exercise
    shell = InteractiveShell.instance()
    try:
        with capture_output() as seen:
            shell.run_cell("%load_ext minigrad.course")
            shell.run_cell("%hint mul")
    finally:
        InteractiveShell.clear_instance()
    assert "Hint 2 of" in seen.outputs[-1].data["text/plain"]
    assert "Hint 3 of" in run("hint", "mul")


def test_a_solution_is_shown_when_one_asks_twice(course: Path) -> None:
    assert "mul does not pass yet." in (refused := run("solution", "mul", status=1))
    assert "grad_output * b" not in refused
    assert ours("mul") in run("solution", "mul")
    assert "does not pass yet" in run("solution", "pow", status=1)


def test_a_solution_is_shown_to_those_who_have_one(course: Path) -> None:
    write(course, "mul")
    assert ours("mul") in run("solution", "mul")


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


def test_reset_leaves_the_other_answers(course: Path) -> None:
    solve(course)
    run("reset", "mul", "--yes")
    assert "… open" in run("status")
    assert "pow, 3 of 10: it prints what torch prints" in run("check", "pow")


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


def test_start_again_changes_nothing(course: Path) -> None:
    write(course, "mul")
    before = {path: path.read_bytes() for path in course.rglob("*.ipynb")}
    assert run("start", str(course)).count(": up to date.") == len(before)
    assert before == {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}


def test_start_renews_and_keeps_what_was_written(course: Path) -> None:
    write(course, "mul")
    notebook = renewal.read(exercise(course))
    notebook.cells[0].source = "an older text"
    notebook.cells[0].metadata["minigrad"]["given"] = renewal.digest("an older text")
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("my notes"))
    exercise(course).write_bytes(renewal.text_of(notebook))
    before = exercise(course).read_bytes()
    printed = run("start", ".")
    line = next(each for each in printed.splitlines() if each.startswith(f"exercises/{NOTEBOOK}"))
    assert "updated, and your work is kept. The old version: exercises/backups/" in line.replace(os.sep, "/")
    assert backups(course) == [before]
    texts = [cell["source"] for cell in renewal.read(exercise(course)).cells]
    assert texts[:2] == [renewal.pristine("exercises", FIRST.name).cells[0].source, "my notes"]
    assert "✓ mul" in run("check", "mul")
    assert "renewed" not in run("start", ".")


def test_start_has_nothing_to_say_of_what_nobody_edited(course: Path) -> None:
    shutil.rmtree(course)
    lab.copy_notebooks(source.notebooks_folder(), course)  # without our notes
    total = sum(len(source.names(kind)) for kind in source.KINDS)
    for _ in range(2):
        assert run("start", str(course)).count(": up to date.") == total
    assert not list(course.rglob("backups"))


def test_start_does_not_say_that_something_is_kept_where_nothing_was_written(course: Path) -> None:
    lesson = course / "lessons" / NOTEBOOK
    notebook = renewal.read(lesson)
    notebook.cells[0].source = "an older text"
    notebook.cells[0].metadata["minigrad"]["given"] = renewal.digest("an older text")
    lesson.write_bytes(renewal.text_of(notebook))
    assert f"lessons/{NOTEBOOK}: updated. The old version: " in run("start", str(course)).replace(os.sep, "/")


def test_start_leaves_a_damaged_file_alone(course: Path) -> None:
    exercise(course).write_text('{"cells": [')
    (course / "lessons" / NOTEBOOK).unlink()
    printed = run("start", str(course), status=3)
    assert f"exercises/{NOTEBOOK}: left unchanged: this is not a notebook" in printed.replace(os.sep, "/")
    assert f"lessons/{NOTEBOOK}: new." in printed.replace(os.sep, "/")
    assert exercise(course).read_text() == '{"cells": ['


def test_start_refuses_what_is_no_folder_of_ones_own(tmp_path: Path) -> None:
    assert "is the course itself" in run("start", str(source.notebooks_folder()), status=2)
    (tmp_path / "file").write_text("mine")
    assert "is a file" in run("start", str(tmp_path / "file"), status=2)
    assert "could not be written" in run("start", str(tmp_path / "file" / "deeper"), status=3)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_grading_has_nothing_to_say_against_what_start_makes(course: Path) -> None:
    for chapter in CHAPTERS:
        read = assemble.read(course / "exercises" / f"{chapter.name}.ipynb")
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
    assert f"Exercises: {folders.of_the_course()}" in run("hint", "mul")


# --- watch ---------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_watch_judges_each_save_until_ctrl_c(course: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "minigrad", "watch", NOTEBOOK, "--folder", "exercises"],
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
        assert f"0 of {len(FIRST.checks)} done" in until("Watching.")
        write(course, "mul")
        assert "✓ mul" in until(f"1 of {len(FIRST.checks)} done")
        whole = exercise(course).read_bytes()
        exercise(course).write_bytes(whole[: len(whole) // 2])
        assert "mul" not in until("this is not a notebook")
        exercise(course).write_bytes(whole)
        assert "✓" not in until(f"1 of {len(FIRST.checks)} done")  # nothing new
        write(course, "mul", WRONG)
        assert "✗ mul" in until("1 wrong")
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
        assert "Traceback" not in "".join(lines.queue)
    finally:
        process.kill()
        process.communicate()


# --- mine ----------------------------------------------------------------------------------------


def test_mine_writes_beside_the_exercises_and_renews_it(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course / "exercises")
    write(course, "mul", WRONG)
    printed = run("mine", "-f", ".")
    assert re.search(r"^0 of \d+ parts are yours", printed, re.M)
    assert f"chapter 1: ours: mul (wrong: {FIRST.part('mul').mistakes[0].explanation})" in printed
    assert f"Written: {course / 'my-engine'}\n" in printed
    scalar = course / "my-engine" / "myengine" / "scalar.py"
    assert "# yours: mul" not in scalar.read_text()
    write(course, "mul")
    assert re.search(r"^1 of \d+ parts are yours", run("mine"), re.M)
    assert "# yours: mul" in scalar.read_text()
    run("mine", str(course / "other"), "-f", str(course))
    assert (course / "other" / "README.md").read_bytes() == (course / "my-engine" / "README.md").read_bytes()
    solve(course)
    assert "Together" not in run("mine")
    assert "What does not work together" not in (course / "my-engine" / "README.md").read_text()


# --- diagnose ------------------------------------------------------------------------------------


def test_a_terminal_can_diagnose_and_leaves_the_notebook_alone(course: Path) -> None:
    (hunts,) = (course / "exercises").glob("05_*.ipynb")
    before, fault = hunts.read_bytes(), "nothing clears `.grad`"
    printed = run("check", "zeroing", status=1)
    assert "Choose a diagnosis with minigrad diagnose zeroing, or in the notebook." in printed and fault not in printed
    printed = run("diagnose", "zeroing")
    assert "Why does the loss of `fit_line` swing?" in printed and "you chose this" not in printed
    assert re.findall(r"^  (\d)  ", printed, re.M) == ["1", "2", "3"]
    assert fault not in run("check", "zeroing", status=1)
    assert "✗ The learning rate is too large" in run("diagnose", "zeroing", "1", status=1)
    assert "The learning rate is too large (you chose this)" in run("diagnose", "zeroing")
    assert fault in run("check", "zeroing", status=1)
    assert "✓ Each step also follows" in run("diagnose", "zeroing", "2")
    assert hunts.read_bytes() == before
    assert "choose a number from 1 to 3" in run("diagnose", "zeroing", "0", status=2)
    assert "mul is no program to debug. There are repair, " in run("diagnose", "mul", status=2)


def test_mine_leaves_alone_what_somebody_edited(course: Path) -> None:
    run("mine")
    readme = course / "my-engine" / "README.md"
    readme.write_text("my own words")
    assert f"{readme} was edited. Nothing was written" in run("mine", status=2)
    assert readme.read_text() == "my own words"
    assert "exercises holds files that this command did not write." in run("mine", "exercises", status=2)
    assert "is a file. Name a folder." in run("mine", f"exercises/{NOTEBOOK}", status=2)
    assert "cannot be read or written" in run("mine", "x" * 5000, status=3)


# --- what every command promises -----------------------------------------------------------------


def test_the_help_lists_every_command_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = [" ".join(line.strip("│ ").split()) for line in run("--help").splitlines()]
    for name, command in SUBCOMMANDS.items():
        assert f"{name} {command.line}" in printed
    assert set(SUBCOMMANDS) >= {*STUDENTS, "lab", "run", "compare", "grade"}


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_command_has_help_that_tells_its_exit_statuses(name: str) -> None:
    printed = " ".join(run(name, "--help").split())
    assert f"Usage: minigrad {name} " in printed
    for status, meaning in SUBCOMMANDS[name].statuses.items():
        assert f"{status} {meaning}" in printed


def interrupting(course: Path) -> None:
    write(course, "mul", "raise KeyboardInterrupt")


def damaged(course: Path) -> None:
    exercise(course).write_text("{")


def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)


ENDS = [
    ("start", ["mine"], None, 0),
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


@pytest.mark.parametrize("name", STUDENTS)
def test_the_statuses_in_the_help_are_those_that_occur(name: str) -> None:
    occurring = {status for each, *_, status in ENDS if each == name}
    told = set(SUBCOMMANDS[name].statuses)
    assert told - occurring == ({130} if name == "start" else set()) and occurring <= told


@pytest.mark.parametrize("name", ["check", "hint", "solution", "reset", "watch"])
@pytest.mark.parametrize("typed", ["", " ", "mull", "MUL", "../x", "a/b.ipynb", "--", "é😀", "\udcff", "x" * 5000, "9"])
def test_whatever_is_typed_for_a_name_ends_in_a_sentence(course: Path, name: str, typed: str) -> None:
    run(name, "--", typed, status=2)


@pytest.mark.parametrize("arguments", [["nothing"], ["check"], ["check", "mul", "more"], ["status", "--nothing"]])
def test_wrong_usage(arguments: list[str]) -> None:
    assert "Usage: minigrad" in run(*arguments, status=2)


def test_a_typing_error_is_recognised(course: Path) -> None:
    assert "Did you mean mul?" in run("check", "mull", status=2)


def test_the_shell_completes_commands_and_names() -> None:
    def completed(words: str) -> list[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(minigrad.__file__).parents[1]),
            "_MINIGRAD_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        command = [sys.executable, "-m", "minigrad"]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=True)
        return ended.stdout.split()

    assert completed("minigrad so") == ["solution"]
    names = [name for chapter in CHAPTERS for name in (*chapter.checks, chapter.name)]
    assert completed("minigrad check m") == [name for name in names if name.startswith("m")]


def test_output_that_knows_no_ticks_does_no_harm(course: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "minigrad", "check", "mul"],
        env={**os.environ, "PYTHONPATH": str(Path(minigrad.__file__).parents[1]), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 1 and "? mul: `Mul.backward` is still to be written." in ended.stdout
    assert "Traceback" not in ended.stderr
