"""The engine of a student in one file: it stands alone, torch agrees with it, and nothing of theirs is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from test_mine import notebooks
from typer.testing import CliRunner

import minigrad
from minigrad_course.checks.exercise import Outcome
from minigrad_course.cli import app
from minigrad_course.learner import mine, small
from minigrad_course.learner.one_file.programs import PROGRAMS
from minigrad_course.programs import program

PROGRAMS_OF_TORCH = Path(__file__).parents[1] / "conformance" / "programs"
SECOND = """
numbers = [[1.0, 2.0, -1.0], [0.5, 3.0, 1.5]], [2.0, -0.5, 1.0], [[3.0], [-1.0]]
a, b, c = [torch.tensor(each, requires_grad=True) for each in numbers]
for y in (
    ((a + b) * c / (b * b + 2)).sum(),
    ((a @ a.T).tanh() ** 2).mean(),
    (a @ b).sigmoid().sum(),
    (b @ b) ** 3,
    (a.sum(1) * a.mean(dim=1)).sum() + a.sum(dim=0, keepdim=True)[0, 1],
    (a[:, 1:] ** 2).sum() + (a[[0, 0, 1]] * b).sum(),
    torch.log(b * b + 1).sum() / (1 - b).relu().sum(),
    b.hypot(b * b).sum(),
    torch.stack([b, b * b]).reshape(6)[1:4].sum() ** 3,
):
    slopes = torch.autograd.grad(y, [a, b, c], create_graph=True, allow_unused=True)
    total = sum((each * each).sum() for each in slopes if each is not None)
    second = torch.autograd.grad(total, [a, b, c], allow_unused=True)
    print([each is not None and [round(number, 3) for number in each.reshape(-1).tolist()] for each in second])
"""
MEMORY = """
x = torch.tensor([1.1, 2.2], dtype=torch.float64, requires_grad=True)
(x[[0, 0]] * torch.tensor([1 / 3, 2 / 3], dtype=torch.float64)).sum().backward()
print([f"{number:.12f}" for number in x.grad.tolist()])
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
square = y * y
with torch.no_grad():
    square.backward(torch.tensor([1.0, 10.0]))
constant = torch.zeros(2)
part = constant[:1]
part += w[0]
constant.backward(torch.tensor([5.0, 7.0]))
print(w.grad, constant)
constant = torch.zeros(2)
product = w * constant
constant.view(1, 2).add_(1)
try:
    product.sum().backward()
except RuntimeError as error:
    print(error)
buffer = w * 2
buffer.zero_()
buffer[0] = w[1]
(buffer * buffer + buffer).sum().backward()
print(w.grad)
for path in (x, x.detach()):
    try:
        print(torch.autograd.gradcheck(lambda x: x[:1] * path.sum(), x))
    except RuntimeError:
        print("backward is wrong")
"""
MAIN = "import json, sys\nsys.modules['minigrad'] = sys.modules['torch'] = None\nimport my_engine as torch\n"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Outcome], Path]:
    folder = notebooks(tmp_path_factory.mktemp("solved") / "exercises", "solutions")
    return list(small.small_outcomes(folder)), folder


@pytest.fixture(scope="module")
def made(solved: tuple[list[Outcome], Path]) -> small.Small:
    return small.engine(*solved)


def test_every_part_that_belongs_to_an_engine_is_the_learners(made: small.Small) -> None:
    assert {row.part.name for row in made.table.rows if not row.yours} == set()
    assert len(made.table.rows) == 30
    for row in made.table.rows:
        assert (f"# yours: {row.part.name}\n" in made.text) is not row.why, row.part.name
    assert f"{made.yours} of {made.lines} lines of code are yours" in made.text
    assert made.lines - made.yours <= 265, "the glue has grown"
    assert "- not in this file, since only the large engine calls them: logsumexp, copy_slices\n" in made.text


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_print_what_torch_prints(made: small.Small, name: str) -> None:
    """Also with our own lines, which say what a learner's have to print."""
    expected = program.run(PROGRAMS[name], torch, 0).text
    assert expected.count("\n") > 4
    assert small.printed(made.text)[name] == expected
    assert small.printed(small.text_of({}))[name] == expected
    assert program.run(PROGRAMS[name], minigrad, 0).text == expected


def test_it_stands_alone_and_learns_the_spirals(made: small.Small, tmp_path: Path) -> None:
    (tmp_path / "my_engine.py").write_text(made.text)
    script = (
        f"{MAIN}exec({PROGRAMS['training']!r})\nprint(sorted({{'torch', 'minigrad', 'scipy'}} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["0.0018", "['minigrad', 'torch']"]  # those that cannot be imported
    with small.loaded(made.text) as engine:
        assert small.spirals(engine) == small.spirals(minigrad) == 1


@pytest.mark.parametrize("text", [SECOND, MEMORY], ids=["second derivatives", "memory"])
def test_derivatives_are_torchs(made: small.Small, text: str) -> None:
    expected = program.run(text, torch, 0)
    assert expected.text != "" and not expected.problem
    with small.loaded(made.text) as engine:
        assert program.run(text, engine, 0) == expected


def test_it_prints_what_torch_prints_in_programs_that_nobody_wrote_for_it(made: small.Small) -> None:
    """27 of 83 when this was written: most of the others ask for dtypes, layers and more of torch's names."""
    same = 0
    with small.loaded(made.text) as engine:
        for file in sorted(PROGRAMS_OF_TORCH.rglob("*.py")):
            result = program.run(file.read_text().replace("import torch\n", ""), engine, 0)
            same += result.text == file.with_suffix(".out").read_text()
    assert same >= 27


def test_a_part_that_fails_only_in_one_file_is_ours_and_the_reason_is_said(
    solved: tuple[list[Outcome], Path], tmp_path: Path
) -> None:
    outcomes, _ = solved
    folder = notebooks(tmp_path / "exercises", "solutions")
    file = folder / "02_upstream_gradients.ipynb"
    file.write_text(
        file.read_text().replace(
            "result = np.zeros(shape, grad.dtype)",
            "from minigrad.graph import array_ops\\n    result = np.zeros(shape, grad.dtype)",
        )
    )
    file = folder / "01_scalar_backward.ipynb"
    file.write_text(
        file.read_text().replace(
            "return grad_output * b, grad_output * a", "return grad_output * b, grad_output * a + 0 * ctx.number"
        )
    )
    made = small.engine(outcomes, folder)
    ours = {row.part.name: row.why for row in made.table.rows if not row.yours}
    assert ours.keys() <= {"index", "mul"} and "index" in ours
    assert "imports something of minigrad" in ours["index"]
    assert small.printed(made.text) == small.printed(small.text_of({}))


def test_nothing_of_others_is_overwritten(made: small.Small, tmp_path: Path) -> None:
    file = tmp_path / "new" / "my_engine.py"
    assert small.write(file, made.text)
    assert not small.write(file, made.text)
    file.write_text(made.text.replace("grad_output * b", "grad_output * b * 1"))
    with pytest.raises(mine.Taken, match="was not written by this command, or was changed since"):
        small.write(file, made.text)
    with pytest.raises(mine.Taken, match="is a folder"):
        small.write(tmp_path, made.text)
    assert "grad_output * b * 1" in file.read_text()


def test_the_command_writes_it_and_says_what_it_can_do(tmp_path: Path) -> None:
    notebooks(tmp_path / "exercises", "solutions")
    file = tmp_path / "mine.py"
    result = CliRunner().invoke(app, ["mine", "--small", str(file), "--folder", str(tmp_path / "exercises")])
    assert result.exit_code == 0, result.output
    assert "All 30 parts of the engine are yours." in result.output
    assert "a small network gets 100% of the points right" in result.output
    assert "import mine as torch" in file.read_text()
    file.write_text("print('something else')\n")
    result = CliRunner().invoke(app, ["mine", "--small", str(file), "--folder", str(tmp_path / "exercises")])
    assert result.exit_code == 2 and "was not written by this command" in " ".join(result.output.split())
    assert file.read_text() == "print('something else')\n"


def test_unsolved_exercises_give_an_engine_of_ours(tmp_path: Path) -> None:
    folder = notebooks(tmp_path / "exercises", "exercises")
    made = small.engine(list(small.small_outcomes(folder)), folder)
    assert made.yours == 0
    assert "None of the engine's 30 parts is yours yet" in made.text
    assert small.printed(made.text) == small.printed(small.text_of({}))
    assert next(small.said_of(made)).startswith("0 of its")
