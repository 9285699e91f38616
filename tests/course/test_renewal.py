"""Renewing a notebook: what the student wrote stays, what is ours is new, and doing it again changes nothing."""

from __future__ import annotations

import copy
import os

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad_course import parts
from minigrad_course.notebooks import renewal
from minigrad_course.texts import source
from minigrad_course.texts.submitted import Unreadable

CHAPTER = next(each for each in parts.chapters() if each.number == 1)
NEW = renewal.pristine("exercises", CHAPTER.name)
PARTS = [part.name for part in CHAPTER.parts]


def cell_of(notebook, part=None, check=None):
    """The course's cell of a part, or of a check."""
    role, name = ("part", part) if part else ("check", check)
    (found,) = [each for each in notebook.cells if renewal.ours(each).get(role) == name]
    return found


def texts(notebook):
    return [cell["source"] for cell in notebook["cells"]]


def older(edit):
    """The course's notebook as an older version had it: `edit` changes it, and the digests fit."""
    notebook = copy.deepcopy(NEW)
    edit(notebook)
    for cell in notebook.cells:
        cell.metadata["minigrad"]["given"] = renewal.digest(cell.source)
    return notebook


@pytest.fixture
def old():
    return copy.deepcopy(NEW)


# --- nothing to do -------------------------------------------------------------------------------


def test_an_untouched_notebook_is_up_to_date(old):
    assert renewal.renewed(NEW, old) == NEW


def test_answers_outputs_and_own_cells_stay(old):
    cell_of(old, part="mul").source = '@part("mul")\nclass Mul(Function): ...'
    output = nbformat.v4.new_output("stream", name="stdout", text="mine")
    cell_of(old, check="mul").outputs = [output]
    at = old.cells.index(cell_of(old, part="pow"))
    old.cells.insert(at, nbformat.v4.new_code_cell("own = 1"))
    old.cells.insert(0, nbformat.v4.new_markdown_cell("my notes"))
    old.cells.append(nbformat.v4.new_raw_cell("the end"))
    old.metadata["kernelspec"] = {"name": "mine", "display_name": "mine"}
    assert renewal.renewed(NEW, copy.deepcopy(old)) == old


# --- a newer version -----------------------------------------------------------------------------


def test_what_the_course_changed_is_new_and_what_the_student_wrote_stays():
    def edit(notebook):
        notebook.cells[0].source = "the old first words"
        cell_of(notebook, part="mul").source += "\n# an older stub"
        cell_of(notebook, part="pow").source += "\n# an older stub"
        cell_of(notebook, check="mul").source += "\n# an older check"
        notebook.cells.insert(3, nbformat.v4.new_markdown_cell("given up since", metadata={"minigrad": {}}))

    old = older(edit)
    cell_of(old, part="pow").source = '@part("pow")\ndef pow(): "mine"'
    old.cells.insert(4, nbformat.v4.new_markdown_cell("mine"))
    made = renewal.renewed(NEW, old)
    wanted = copy.deepcopy(NEW)
    cell_of(wanted, part="pow").source = '@part("pow")\ndef pow(): "mine"'
    assert texts(made) == [*texts(wanted)[:3], "mine", *texts(wanted)[3:]]
    assert cell_of(made, check="mul").outputs == cell_of(NEW, check="mul").outputs


def test_an_edited_text_stays_until_the_course_changes_it(old):
    old.cells[0].source += "\nmy remark"
    assert renewal.renewed(NEW, copy.deepcopy(old)).cells[0].source == old.cells[0].source
    old.cells[0].metadata["minigrad"]["given"] = renewal.digest("an older text")
    assert renewal.renewed(NEW, old).cells[0].source == NEW.cells[0].source


def test_a_check_is_always_ours(old):
    cell_of(old, check="mul").source = "%%check mul\nprint(1)"
    assert renewal.renewed(NEW, old) == NEW


# --- notebooks that went through other hands -----------------------------------------------------


def stripped(notebook):
    """The notebook as an editor leaves it that knows neither ids nor metadata."""
    for cell in notebook.cells:
        del cell["id"]
        cell["metadata"] = nbformat.from_dict({})
    notebook["nbformat_minor"] = 4
    return notebook


def test_two_cells_with_one_id_become_two(old):
    old.cells.append(copy.deepcopy(cell_of(old, part="mul")))
    old.cells[-1].source = "another text"
    made = renewal.renewed(NEW, old)
    assert "another text" in texts(made)
    nbformat.validate(made)
    assert len({cell["id"] for cell in made.cells}) == len(made.cells)


own = st.tuples(st.just("own"), st.integers(0, 30), st.sampled_from(["code", "markdown"]))
answer = st.tuples(st.just("answer"), st.sampled_from(PARTS), st.sampled_from(["pass", "return 1", "x = 2"]))
gone = st.tuples(st.just("gone"), st.integers(0, 30), st.just(""))
move = st.tuples(st.just("move"), st.integers(0, 30), st.just(""))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(st.one_of(own, answer, gone, move), max_size=8), st.booleans())
def test_nothing_written_is_lost_whatever_was_done(steps, strip):
    notebook, mine, answers = copy.deepcopy(NEW), [], {}
    for count, (what, where, how) in enumerate(steps):
        if what == "own":
            mine.append(f"own {count}")
            make = nbformat.v4.new_code_cell if how == "code" else nbformat.v4.new_markdown_cell
            notebook.cells.insert(where, make(mine[-1]))
        elif what == "answer":
            answers[where] = f'@part("{where}")\ndef answer():\n    {how}'
            notebook.cells = [cell for cell in notebook.cells if f'@part("{where}")' not in cell.source]
            notebook.cells.append(nbformat.v4.new_code_cell(answers[where]))
        elif where < len(notebook.cells) and notebook.cells[where].source not in [*mine, *answers.values()]:
            cell = notebook.cells.pop(where)
            if what == "move":
                notebook.cells.append(cell)
    made = renewal.renewed(NEW, stripped(notebook) if strip else notebook)
    assert {part: cell_of(made, part=part).source for part in answers} == answers
    assert sorted(text for text in texts(made) if text.startswith("own ")) == sorted(mine)
    given = [cell for cell in made.cells if cell.source not in mine]
    assert [cell["id"] for cell in given] == [cell["id"] for cell in NEW.cells]
    nbformat.validate(made)
    assert renewal.renewed(NEW, copy.deepcopy(made)) == made


# --- one answer ----------------------------------------------------------------------------------


def test_one_answer_goes_back_and_the_goal_with_it(old):
    cell_of(old, part="mul").source = '@part("mul")\ndef mul(): ...'
    cell_of(old, check="mul").outputs = []
    cell_of(old, part="pow").source = '@part("pow")\ndef pow(): ...'
    assert renewal.without_answer(old, NEW, "mul")
    assert cell_of(old, part="mul") == cell_of(NEW, part="mul")
    assert cell_of(old, check="mul") == cell_of(NEW, check="mul")
    assert "def pow" in cell_of(old, part="pow").source
    old.cells = []
    assert not renewal.without_answer(old, NEW, "mul")


# --- files ---------------------------------------------------------------------------------------


def test_a_backup_never_takes_the_place_of_another(tmp_path):
    path = tmp_path / "mine.ipynb"
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        assert renewal.backed_up(path).read_bytes() == content
    kept = sorted((tmp_path / "backups").iterdir())
    assert sorted(each.read_bytes() for each in kept) == [b"one", b"three", b"two"]
    assert all(each.name.startswith("mine.2") and each.suffix == ".ipynb" for each in kept)


@pytest.mark.skipif(os.name == "nt", reason="links and modes are POSIX's")
def test_a_file_is_replaced_in_place(tmp_path):
    real, link = tmp_path / "real.ipynb", tmp_path / "link.ipynb"
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    renewal.replace(link, b"after")
    assert (link.is_symlink(), real.read_bytes(), real.stat().st_mode & 0o777) == (True, b"after", 0o640)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.ipynb", "real.ipynb"]
    with pytest.raises(OSError):
        renewal.replace(tmp_path / "missing" / "file", b"after")


def test_a_written_notebook_reads_back(tmp_path, old):
    path = tmp_path / "mine.ipynb"
    path.write_bytes(renewal.text_of(old))
    assert texts(renewal.read(path)) == texts(old)
    assert path.read_bytes() == renewal.text_of(renewal.read(path))


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"nbformat": 4, "cells": [{}]}', '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ""}]}'],
)
def test_a_damaged_notebook_is_a_sentence(tmp_path, text):
    path = tmp_path / "mine.ipynb"
    path.write_text(text)
    with pytest.raises(Unreadable, match="notebook"):
        renewal.text_of(renewal.read(path))


def test_every_notebook_of_the_course_can_be_given_out():
    for kind in ("lessons", "solutions"):
        for name in source.names(kind):
            notebook = renewal.pristine(kind, name)
            assert all(renewal.is_as_given(cell) for cell in notebook.cells)
            assert renewal.renewed(notebook, copy.deepcopy(notebook)) == notebook


# --- an exercise of the clone --------------------------------------------------------------------


def answered(notebook):
    cell_of(notebook, part="mul").source = '@part("mul")\nclass Mul(Function): ...'


def was_run(notebook):
    cell_of(notebook, check="mul").execution_count = 1


def cleared(notebook):
    cell_of(notebook, check="mul").outputs = []


def with_a_cell(notebook):
    notebook.cells.append(nbformat.v4.new_code_cell("own = 1"))


@pytest.mark.parametrize("change", [None, answered, was_run, cleared, with_a_cell])
def test_only_an_exercise_as_it_was_built_is_copied(tmp_path, monkeypatch, change):
    path = tmp_path / "exercises" / f"{CHAPTER.name}.ipynb"
    path.parent.mkdir()
    notebook = nbformat.read(source.notebooks_folder() / "exercises" / path.name, 4)
    if change:
        change(notebook)
    path.write_bytes(renewal.text_of(notebook))
    assert renewal.is_as_built(path) == (change is None)
    folder = source.notebooks_folder()
    monkeypatch.setattr(renewal.source, "notebooks_folder", lambda: tmp_path)
    monkeypatch.setattr(renewal.source, "text_path", lambda kind, name: folder / kind / "source" / f"{name}.md")
    assert renewal.pristine("exercises", CHAPTER.name) == NEW
