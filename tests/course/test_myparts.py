"""`%myparts`: the parts that pass stand in the engine, the others stay ours with a reason, and training stays right."""

import json

import nbformat
import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import minigrad
from minigrad_course import parts
from minigrad_course.checks import myparts
from minigrad_course.notebooks import builder
from minigrad_course.programs.program import Place
from minigrad_course.texts import folders, source

ENGINE = [
    (chapter, part)
    for chapter in parts.chapters()
    for part in chapter.parts
    if part.place.kind in ("engine", "operation")
]
NAMES = [part.name for _, part in ENGINE]
CHAPTERS = [chapter for chapter in parts.chapters() if any(each is chapter for each, _ in ENGINE)]
FIRST = CHAPTERS[0]


@pytest.fixture
def mine():
    held = myparts.MyParts()
    yield held
    held.off()


@pytest.fixture
def solved(tmp_path):
    """A folder with all exercises solved, which `edit` can spoil."""
    write(tmp_path, "solutions")
    return tmp_path


def write(folder, kind):
    """Put the notebooks of all chapters into a folder."""
    for chapter in parts.chapters():
        (folder / f"{chapter.name}.ipynb").write_text(json.dumps(source.notebook(kind, chapter.name)))


def edit(folder, part, text):
    """Write another answer into the cell of a part of chapter 1."""
    path = folder / f"{FIRST.name}.ipynb"
    notebook = nbformat.read(path, 4)
    (cell,) = [each for each in notebook.cells if each.metadata.get("minigrad", {}).get("part") == part]
    cell.source = text(cell.source) if callable(text) else text
    nbformat.write(notebook, path)


def row(table, name):
    return next(each for each in table.rows if each.part.name == name)


def losses(torch, steps=100):
    """Training on two spirals, in double precision."""
    torch.manual_seed(0)
    nn, turn = torch.nn, np.linspace(0.5, 3.2, 60)[:, None]
    arm = turn / 3.2 * np.hstack([np.cos(2 * turn), np.sin(2 * turn)])
    x, y = torch.tensor(np.vstack([arm, -arm])), torch.tensor(np.repeat([[0.0], [1.0]], 60, axis=0))
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        penalty = sum((each**2).mean() for each in model.parameters()) / 10_000  # by `**`, mean and `/`
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y) + penalty
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


# --- solved exercises ----------------------------------------------------------------------------


def test_with_solved_exercises_all_parts_are_yours_and_training_lies_on_the_curve_of_torch(mine, solved):
    counted = "\nMul.calls = 0\nplain = Mul.backward\n\n\ndef backward(ctx, grad_output):\n    Mul.calls += 1\n"
    counted += "    return plain(ctx, grad_output)\n\n\nMul.backward = staticmethod(backward)\n"
    edit(solved, "mul", lambda text: text + counted)
    before = {part.name: vars_of(part.place).get(part.place.attribute) for _, part in ENGINE}
    table = mine.use(solved)
    assert [each.part.name for each in table.rows] == NAMES
    assert all(each.yours for each in table.rows), repr(table)
    assert repr(table).startswith(f"All {len(NAMES)} parts of the engine are yours.")
    for _, part in ENGINE:
        assert vars_of(part.place)[part.place.attribute] is not before[part.name]
    ours, theirs = losses(minigrad), losses(torch)
    assert theirs[-1] < 0.2 < 0.5 < theirs[0]
    assert max(abs(one - other) for one, other in zip(ours, theirs, strict=True)) < 1e-5
    answer, x = row(table, "mul").answer, minigrad.tensor(2.0, requires_grad=True)
    calls = answer.calls
    (x * x).backward()
    assert answer.calls == calls + 1  # it is your code that runs
    mine.off()
    (x * x).backward()
    assert answer.calls == calls + 1
    assert before == {part.name: vars_of(part.place).get(part.place.attribute) for _, part in ENGINE}


def vars_of(place: Place):
    """Where a part stands: in its module, or among the registered operations, which are loaded when asked for."""
    import sys

    if place.kind == "engine":
        return vars(sys.modules[place.module])
    getattr(minigrad, place.attribute)
    return minigrad.ops.functions


# --- what stays ours -----------------------------------------------------------------------------


def test_untouched_exercises_leave_every_part_to_us(mine, tmp_path):
    write(tmp_path, "exercises")
    table = mine.use(tmp_path)
    assert [(each.yours, each.why) for each in table.rows] == [(False, myparts.OPEN)] * len(NAMES)
    assert minigrad.scalar.Mul.__module__ == "minigrad.scalar"


def test_a_wrong_part_is_refused_with_its_reason(mine, solved):
    edit(solved, "mul", lambda text: text.replace("grad_output * b, grad_output * a", "b, a"))
    edit(solved, "pow", lambda text: text.replace("n * a **", "3.25 * a **"))
    edit(solved, "div", "this is no Python")
    edit(solved, "order", "1 / 0")
    edit(solved, "walk", source.notebook("exercises", FIRST.name).cells[0].source)
    table = mine.use(solved)
    for part in ("mul", "pow", "div", "order"):
        assert (row(table, part).yours, row(table, part).why) == (False, f"wrong: see minigrad check {part}")
    assert repr(table).count("chapter 1\n") == 1
    assert not row(table, "walk").yours
    assert row(table, "hypot").yours
    shown = table._repr_html_()
    assert "wrong: see minigrad check mul" in shown and "<caption " in shown
    x = minigrad.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad.item() == 6


def test_files_that_cannot_be_read(mine, solved):
    (solved / f"{FIRST.name}.ipynb").write_text("{", encoding="utf-8")
    table = mine.use(solved)
    assert row(table, "mul").why.startswith(f"{FIRST.name}.ipynb: this is not a notebook that can be opened.")
    (solved / f"{FIRST.name}.ipynb").unlink()
    assert row(mine.use(solved), "mul").why.startswith(f"{FIRST.name}.ipynb: there is no such file. To get it: ")


def test_of_two_parts_in_one_place_the_later_wins(mine, solved, monkeypatch):
    import dataclasses

    part = FIRST.part("mul")
    later = dataclasses.replace(FIRST, number=9, parts=(part,))
    monkeypatch.setattr(myparts, "chapters", lambda: (FIRST, later))
    table = mine.use(solved)
    first, second = [each for each in table.rows if each.part is part]
    assert first.yours and first.why == "mul of chapter 9 replaces it"
    assert second.yours and not second.why
    assert minigrad.scalar.Mul is second.answer


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def shell():
    made = InteractiveShell.instance()
    made.run_cell("%load_ext minigrad_course")
    yield made
    with capture_output():
        made.run_cell("%myparts off")
    InteractiveShell.clear_instance()


def said(shell, line):
    with capture_output() as seen:
        result = shell.run_cell(line)
    assert result.success
    return seen.stdout + "".join(each.data["text/plain"] for each in seen.outputs)


def test_the_command(shell, solved, monkeypatch):
    assert said(shell, f"%myparts {solved}").startswith(f"All {len(NAMES)} parts of the engine are yours.")
    assert minigrad.scalar.Mul.__module__ == "__main__"
    assert said(shell, "%myparts off") == "All parts are ours again.\n"
    assert minigrad.scalar.Mul.__module__ == "minigrad.scalar"
    assert "There is no folder nowhere" in said(shell, "%myparts nowhere")


def test_the_exercises_beside_the_lesson_are_read(solved, monkeypatch):
    beside = solved / "course" / "exercises"
    beside.mkdir(parents=True)
    (solved / "course" / "lessons").mkdir()
    monkeypatch.chdir(solved / "course" / "lessons")
    assert folders.exercises_folder() == folders.of_the_course()  # there are none beside it
    (solved / f"{FIRST.name}.ipynb").rename(beside / f"{FIRST.name}.ipynb")
    assert folders.exercises_folder() == beside
    monkeypatch.chdir(beside)
    assert folders.exercises_folder() == beside
    assert folders.exercises_folder("~/mine").name == "mine"


def test_what_is_built_holds_nobodys_parts(tmp_path):
    folder = builder.beside_exercises(str(tmp_path))
    assert folder == str(tmp_path / "lessons")
    kept = sorted(path.stem for path in (tmp_path / "exercises").iterdir())
    assert kept == source.names("exercises")
