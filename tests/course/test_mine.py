"""The engine of a student as a package: it needs nothing of ours, their lines run in it, and torch agrees with it."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch

import minigrad
from minigrad_course import parts
from minigrad_course.chapters import train_spirals
from minigrad_course.checks import modules, myparts
from minigrad_course.learner import mine
from minigrad_course.learner.mine import NAME, README, SCRIPT, Engine, Taken
from minigrad_course.texts import source

CHAPTERS = parts.chapters()
PARTS = [part for chapter in CHAPTERS for part in myparts.engine_parts(chapter)]
REPLACED = {"accumulate"}  # a later part stands in its place
# What a training and its gradient check do not call, and why. Everything else runs: the training is there to show that.
NOT_IN_TRAINING = {
    "jvp": "a loss needs vᵀJ, never Jw",
    "hessian": "the steps follow first derivatives",
    "retain_grad": "only leaves are updated, so no result keeps its gradient",
    "copy_slices": "nothing is assigned into a tensor",
}
SECONDS = 120
SUM = "arrived[target] + share if target in arrived else share"

# The gradients of the script's network, by the package, where neither minigrad nor torch can be imported; or by torch.
GRADIENTS = """
network = script.Network(engine)
losses = []
for _ in range(3):  # gradients accumulate
    loss = network.loss(*script.spirals(engine)) + network.cost()
    loss.backward()
    losses.append(loss.item())
found = [losses, [each.grad.tolist() for each in network.parameters()]]
"""
COMPARE = f"""
import sys
sys.modules["minigrad"] = sys.modules["torch"] = None
import json, train_spirals as script, {NAME} as engine
{GRADIENTS}
print(json.dumps(found))
"""
TRAIN = f"""
import sys, runpy
sys.modules["minigrad"] = None
runpy.run_path("{SCRIPT}", run_name="__main__")
others = {{"torch", "scipy", "matplotlib", "IPython", "nbformat", "rich", "typer"}} & sys.modules.keys()
print("beside numpy:", sorted(others))
"""
# One step: whose lines run, and whether they are right, can be seen from that.
ONE_STEP = f"""
import sys
sys.modules["minigrad"] = None
import {SCRIPT.removesuffix(".py")} as script
script.STEPS = 0
script.main()
"""


def notebooks(folder: Path, kind: str) -> Path:
    """All exercises in a folder, as they are given or solved."""
    folder.mkdir(parents=True)
    for chapter in CHAPTERS:
        (folder / f"{chapter.name}.ipynb").write_text(json.dumps(source.notebook(kind, chapter.name)))
    return folder


def edit(folder: Path, part: str, text: str | Callable[[str], str]) -> None:
    """Write another answer into the cell of a part."""
    chapter = parts.chapter_of(part)
    assert chapter
    path = folder / f"{chapter.name}.ipynb"
    notebook = nbformat.read(path, 4)
    (cell,) = [each for each in notebook.cells if each.metadata.get("minigrad", {}).get("part") == part]
    cell.source = text(cell.source) if callable(text) else text
    nbformat.write(notebook, path)


def made(folder: Path) -> Engine:
    return mine.engine(list(myparts.engine_outcomes(folder)), folder)


def written(engine: Engine, folder: Path) -> Path:
    mine.write(folder, engine.files)
    return folder


def run(folder: Path, program: str) -> str:
    """What a program prints that runs in a folder, where nothing of ours can be imported."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@functools.cache
def gradients_of_torch() -> tuple[list, list]:
    namespace: dict[str, Any] = {"script": train_spirals, "engine": torch}
    exec(GRADIENTS, namespace)
    return namespace["found"]


def demand_torchs_gradients(folder: Path) -> None:
    losses, grads = json.loads(run(folder, COMPARE))
    wanted_losses, wanted = gradients_of_torch()
    assert losses == pytest.approx(wanted_losses, rel=1e-10)
    for one, other in zip(grads, wanted, strict=True):
        assert flat(one) == pytest.approx(flat(other), rel=1e-8, abs=1e-12)


def flat(found: list) -> list[float]:
    return [value for each in found for value in (flat(each) if isinstance(each, list) else [each])]


def demand_trained(printed: str) -> None:
    """Trained: the loss falls, every point is on its side, differences agree, and nothing else was imported."""
    rows = re.findall(r"step +(\d+) +loss (\S+) +(\d+)% right", printed)
    assert [int(step) for step, *_ in rows] == list(range(0, 301, 50))
    losses = [float(loss) for _, loss, _ in rows]
    assert losses[0] > 0.6 and losses[-1] < 0.05 and rows[-1][2] == "100"
    assert "Gradients and differences agree: True." in printed
    assert "beside numpy: []" in printed


def counts(printed: str) -> dict[str, int]:
    """How often each part ran."""
    (line,) = re.findall(r"How often your parts ran: (.*)\.", printed)
    return {name: int(count.replace(",", "")) for name, count in re.findall(r"(\w+) ([\d,]*\d)", line)}


def ours(text: str) -> str:
    """A module of the package as it would be without anybody's answers."""
    return mine.in_its_name(text)


# --- full marks ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Engine, Path]:
    """The package of somebody with full marks, with our solutions as answers; not to be changed."""
    folder = tmp_path_factory.mktemp("solved")
    engine = made(notebooks(folder / "exercises", "solutions"))
    return engine, written(engine, folder / "my-engine")


def test_with_full_marks_every_part_is_in_its_place(solved: tuple[Engine, Path]) -> None:
    engine, folder = solved
    places = mine.lines_of(engine.files)
    assert set(places) == {part.name for part in PARTS} - REPLACED
    assert all(row.yours for row in engine.table.rows), repr(engine.table)
    for row in engine.table.rows:
        if row.part.name in REPLACED:
            continue
        path, first, last = places[row.part.name]
        text = (folder / path).read_text(encoding="utf-8").split("\n")
        assert text[first - 2] == modules.BEGIN.format(row.part.name)
        assert re.search(rf"^(class|def) {modules.target(row.part.place)}\b", "\n".join(text[first - 1 : last]), re.M)


def test_with_full_marks_all_checks_pass_together(solved: tuple[Engine, Path]) -> None:
    """The answers are written on the given stubs, so no stub is in the way of another part's check."""
    assert solved[0].apart == {}


def test_the_parts_of_somebody_with_full_marks_run_in_the_training(solved: tuple[Engine, Path]) -> None:
    printed = run(solved[1], TRAIN)
    demand_trained(printed)
    ran = counts(printed)
    assert set(ran) == {part.name for part in PARTS} - REPLACED - NOT_IN_TRAINING.keys()
    assert ran["record"] > sum(ran[part] for part in ("mul", "pow", "div", "sum", "mean", "matmul", "mv", "index"))
    assert all(ran[part] >= 300 for part in ("mul", "pow", "div", "sum", "mean", "matmul", "mv", "index", "broadcast"))
    assert f"Not needed here: {', '.join(part.name for part in PARTS if part.name in NOT_IN_TRAINING)}." in printed


def test_its_gradients_are_those_of_torch(solved: tuple[Engine, Path]) -> None:
    demand_torchs_gradients(solved[1])


def test_it_prints_like_torch(solved: tuple[Engine, Path]) -> None:
    program = f"""
import sys
sys.modules["minigrad"] = None
import {NAME} as torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x * x, x @ x, (x / 3).mean(), x.hypot(x), x.logsumexp(dim=0), x ** 2, type(x))
(x * x).sum().backward()
print(x.grad)
y = x.sum() * 2
y.backward()
try:
    (x * x).backward()
    print("no error")
except RuntimeError as error:
    print(error)
try:
    torch.no_such_name
except AttributeError as error:
    print(error)
"""
    assert run(solved[1], program) == (
        "tensor([1., 4.], grad_fn=<MulBackward0>) tensor(5., grad_fn=<DotBackward0>) "
        "tensor(0.5000, grad_fn=<MeanBackward0>) tensor([1.4142, 2.8284], grad_fn=<HypotBackward0>) "
        "tensor(2.3133, grad_fn=<LogsumexpBackward0>) tensor([1., 4.], grad_fn=<PowBackward0>) "
        "<class 'torch.Tensor'>\n"
        "tensor([2., 4.])\n"
        "grad can be implicitly created only for scalar outputs\n"
        f"{NAME} has no 'no_such_name' (torch may have it)\n"
    )


def test_only_the_engine_comes_along_and_it_speaks_of_itself(solved: tuple[Engine, Path]) -> None:
    engine, folder = solved
    assert (folder / NAME / "recording" / "record.py").is_file() and (folder / "LICENSE").is_file()
    assert not [path for path in engine.files if any(each in path for each in ("course", "grading", "commands"))]
    for path, text in engine.files.items():
        assert path in (README, "LICENSE") or not re.search(r"\bminigrad\b", text), path


def test_the_readme_says_which_lines_are_whose(solved: tuple[Engine, Path]) -> None:
    engine, folder = solved
    text = (folder / README).read_text(encoding="utf-8")
    for part, (path, first, last) in mine.lines_of(engine.files).items():
        assert re.search(rf"^\| \d \| `{part}` \| `{path}` \| {first}–{last} \| yours \|$", text, re.M)
    assert "| yours, but accumulate_again of chapter 4 replaces it |" in text
    assert f"behaves like torch. All {len(PARTS)} parts of the engine are yours. " in text
    lines = sum(last - first + 1 for _, first, last in mine.lines_of(engine.files).values())
    assert f"You wrote {lines:,} of " in text
    every = sum(file.read_text(encoding="utf-8").count("\n") for file in folder.glob(f"{NAME}/**/*.py"))
    assert f"The package has {every:,} lines in " in text and f" yours are {lines:,}, {lines / every:.1%}." in text
    for chapter in CHAPTERS:
        for part in chapter.parts:
            assert f"`{part.name}`" in text or part.place.kind == "module"  # which is another engine
    assert "## What does not work together" not in text


def test_what_fails_only_together_is_laid_at_the_door_of_a_part(tmp_path: Path) -> None:
    """A walk that starts its sums from 0 works everywhere; a product for arrays alone spoils second derivatives."""
    exercises = notebooks(tmp_path / "exercises", "solutions")
    edit(exercises, "walk", lambda text: text.replace(SUM, "arrived.get(target, 0) + share"))
    right, wrong = "grad_output * b, grad_output * a", "np.asarray(grad_output) * b, np.asarray(grad_output) * a"
    edit(exercises, "mul", lambda text: text.replace(right, wrong))
    engine = made(exercises)
    assert all(row.yours for row in engine.table.rows), repr(engine.table)
    assert {"slices", "jvp"} <= engine.apart.keys()
    for check, why in engine.apart.items():
        assert why.endswith(". With our `mul` in place of yours it passes, so look at your `mul`")
        assert f"- `{check}`: {why}.\n" in engine.files[README]
    held = myparts.MyParts()
    try:
        table = held.use(exercises)
    finally:
        held.off()
    assert set(table.apart) == engine.apart.keys()
    assert f"Together they do not pass {', '.join(table.apart)}: minigrad mine says" in repr(table)


# --- less ----------------------------------------------------------------------------------------


def test_with_nothing_answered_it_is_our_engine(tmp_path: Path) -> None:
    engine = made(notebooks(tmp_path / "exercises", "exercises"))
    package = Path(minigrad.__file__).parent
    for file in modules.engine_files(package):
        path, text = file.relative_to(package).as_posix(), ours(file.read_text(encoding="utf-8"))
        added = "\n# where your parts are\nYOURS: dict[str, str] = {}\n" if path == "__init__.py" else ""
        assert engine.files[f"{NAME}/{path}"] == text + added
    assert not any(row.yours for row in engine.table.rows)
    assert f"behaves like torch. None of the engine's {len(PARTS)} parts is yours yet" in engine.files[README]
    assert engine.files[README].count(f"| ours ({myparts.OPEN}) |") == len(PARTS)
    folder = written(engine, tmp_path / "my-engine")
    assert "None of your parts ran." in run(folder, ONE_STEP)


HELPFUL = """
from functools import reduce as saved  # a name that the module has already
import numpy as np

SCALE = [1.0]


def fit(g, b):  # so has this one been taken
    return np.multiply(g, b) * SCALE[0]


def both(g, a, b):
    return fit(g, b), fit(g, a)


@part("mul")
class Product(Function):
    # my first operation

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return saved(lambda x, y: x * y, [a, b])

    @staticmethod
    def backward(ctx, grad_output):
        return both(grad_output, *ctx.saved_tensors)


print(Product)
"""


def test_with_some_wrong_answers_ours_stay_and_the_others_run(tmp_path: Path) -> None:
    exercises = notebooks(tmp_path / "exercises", "solutions")
    given = notebooks(tmp_path / "given", "exercises")
    (given / f"{CHAPTERS[3].name}.ipynb").replace(exercises / f"{CHAPTERS[3].name}.ipynb")  # chapter 4: not begun
    (exercises / f"{CHAPTERS[2].name}.ipynb").unlink()
    edit(exercises, "mul", HELPFUL)
    edit(exercises, "pow", lambda text: text.replace("n * a **", "3.25 * a **"))
    edit(exercises, "div", "this is no Python")
    edit(exercises, "mean", lambda text: text.replace("/ np.prod", "* np.prod"))
    edit(exercises, "sum", lambda text: text.replace("return grad", "if 1:\n            return grad"))
    edit(exercises, "order", lambda text: text.replace('@part("order")\n', "") + "\n\npart('order')(topological_order)")
    edit(exercises, "index", lambda text: f"THERE = 'minigrad' in __import__('sys').modules\nassert THERE\n{text}")
    edit(
        exercises,
        "broadcast",
        lambda text: "import minigrad_course\n" + text.replace("    while", "    minigrad_course\n    while"),
    )
    engine = made(exercises)
    whys = {row.part.name: "" if row.yours else row.why for row in engine.table.rows}
    assert [part for part, why in whys.items() if not why and part in ("mul", "sum", "index", "walk", "matmul")]
    assert whys["pow"].startswith("wrong: ") and whys["mean"].startswith("wrong: ")
    assert whys["div"] == "wrong: see minigrad check div"
    assert whys["order"] == 'its cell has no class or function directly below @part("order")'
    assert whys["broadcast"].startswith("it passes in your notebook, but not in this file: ")
    assert "there is no such file. To get it: " in whys["jvp"] and whys["free"] == myparts.OPEN
    places = mine.lines_of(engine.files)
    assert sorted(places) == sorted(
        ["record", "mul", "walk", "accumulate", "hypot", "seed_rule", "sum", "matmul", "index", "logsumexp"]
    )

    folder = written(engine, tmp_path / "my-engine")
    path, first, last = places["mul"]
    text = "\n".join((folder / path).read_text(encoding="utf-8").split("\n")[first - 1 : last])
    assert "class Mul(Function):\n    # my first operation" in text and "print" not in text
    readme = (folder / README).read_text(encoding="utf-8")
    assert "| ours (wrong: see minigrad check div) |" in readme
    assert f"| `free` | `{NAME}/leaf.py` |  | ours ({myparts.OPEN}) |" in readme
    printed = run(folder, ONE_STEP)
    assert "Gradients and differences agree: True." in printed
    assert set(counts(printed)) == set(places)
    demand_torchs_gradients(folder)


# --- the folder ----------------------------------------------------------------------------------


FILES = {"a.py": "one\n", "inside/b.py": "two\n"}


def test_it_is_renewed_where_nobody_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    mine.write(folder, FILES)
    (folder / "__pycache__").mkdir()
    (folder / "own.txt").write_text("mine")
    (folder / "a.py").unlink()
    mine.write(folder, FILES | {"a.py": "three\n"})
    assert (folder / "a.py").read_text() == "three\n"
    mine.write(folder, {"c.py": "four\n"})
    assert not (folder / "a.py").exists() and not (folder / "inside" / "b.py").exists()
    assert (folder / "own.txt").read_text() == "mine" and (folder / "c.py").read_text() == "four\n"


@pytest.mark.parametrize("name", FILES)
def test_what_somebody_edited_is_never_lost(tmp_path: Path, name: str) -> None:
    mine.write(tmp_path, FILES)
    (tmp_path / name).write_text("edited")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for files in (FILES, dict.fromkeys(FILES, "new"), {}):
        with pytest.raises(Taken, match=f"{name} was edited. Nothing was written"):
            mine.write(tmp_path, files)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("note", [None, "a file in the way", "{", "[]", '{"a.py": 3}', '{"a.py": null}'])
def test_a_folder_that_holds_anything_else_is_refused(tmp_path: Path, note: str | None) -> None:
    if note == "a file in the way":
        mine.write(tmp_path, {"inside/b.py": "two\n"})
    elif note:
        (tmp_path / mine.WRITTEN).write_text(note)
    (tmp_path / "a.py").write_text("mine")
    with pytest.raises(Taken):
        mine.write(tmp_path, FILES)
    assert (tmp_path / "a.py").read_text() == "mine"


def test_a_write_that_was_cut_short_is_finished_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.write(tmp_path, FILES)
    new = {path: f"{text}more\n" for path, text in FILES.items()}
    replace = mine.renewal.replace

    def failing(path: Path, content: bytes) -> None:
        if path.name == "b.py":
            raise KeyboardInterrupt
        replace(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(mine.renewal, "replace", failing)
        with pytest.raises(KeyboardInterrupt):
            mine.write(tmp_path, new)
    assert (tmp_path / "a.py").read_text() == new["a.py"] and (tmp_path / "inside/b.py").read_text() == "two\n"
    mine.write(tmp_path, new)
    assert {path: (tmp_path / path).read_text() for path in new} == new
