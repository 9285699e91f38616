"""The builder: what it refuses, and notebooks that come out the same every time."""

import json
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from minigrad_course import parts
from minigrad_course.cli.author.build import made as run_command
from minigrad_course.cli.screen import Screen
from minigrad_course.notebooks import builder, kernels
from minigrad_course.pictures.shown import MIME
from minigrad_course.texts import source

CHAPTER = next(each for each in parts.chapters() if each.number == 1)
NAME = CHAPTER.name


@pytest.fixture(scope="module")
def built():
    """The exercise and the solution as the repository has them, which `minigrad build --check` builds and compares."""
    paths = {kind: source.notebooks_folder() / kind / f"{NAME}.ipynb" for kind in ("exercises", "solutions")}
    return {kind: builder.Built(path, path.read_bytes()) for kind, path in paths.items()}


def notebook(made):
    return nbformat.reads(made.content.decode(), as_version=4)


def checks_of(made):
    return [cell for cell in notebook(made).cells if cell.metadata.get("minigrad", {}).get("check")]


# --- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["exercises", "solutions"])
def test_a_notebook_is_valid_and_in_order(built, kind):
    made = notebook(built[kind])
    nbformat.validate(made)
    assert (made.nbformat, made.nbformat_minor) >= (4, 5)
    raw = json.loads(built[kind].content)  # nbformat would rename doubled ids
    ids = [cell["id"] for cell in raw["cells"]]
    assert len(set(ids)) == len(ids)
    counts = [cell["execution_count"] for cell in raw["cells"] if cell["cell_type"] == "code"]
    assert counts == (list(range(1, len(counts) + 1)) if kind == "solutions" else [None] * len(counts))
    assert built[kind].content.endswith(b"}\n")


@pytest.mark.parametrize("kind", ["exercises", "solutions"])
def test_nothing_of_this_machine_is_in_it(built, kind):
    text = built[kind].content.decode()
    assert "widgets" not in notebook(built[kind]).metadata
    assert str(Path.home()) + os.sep not in text and str(Path.cwd()) not in text and "site-packages" not in text
    assert not re.search(r"0x[0-9a-f]{6,}|/tmp/|ipykernel_\d|\x1b\[", text)
    assert not re.search(r'"(?:iopub|shell)\.', text)


def test_under_the_checks_of_an_exercise_stand_goals_and_no_tick(built):
    cells = checks_of(built["exercises"])
    assert [cell.metadata.minigrad.check for cell in cells] == CHAPTER.checks
    for cell in cells:
        note, goal = cell.outputs
        assert "The target: torch's output." in note.data["text/plain"]
        assert goal.name == "stdout" and "tensor(" in goal.text
    assert "✓" not in built["exercises"].content.decode()
    others = [cell for cell in notebook(built["exercises"]).cells if cell.cell_type == "code" and cell not in cells]
    assert [cell.id for cell in others if cell.outputs] == ["picture-order", "diagnose-repair"]


def test_a_solution_prints_the_same_and_passes(built):
    for ours, theirs in zip(checks_of(built["exercises"]), checks_of(built["solutions"]), strict=True):
        stream, verdict = theirs.outputs
        assert stream.text == ours.outputs[1].text
        assert verdict.data["text/plain"].startswith("✓")


@pytest.mark.parametrize(("also", "stale"), [({}, False), ({"start": 3}, True)])
def test_what_was_measured_stays_as_long_as_all_else_is_the_same(tmp_path, monkeypatch, also, stale):
    def lesson(**data):
        shown = {MIME: {"view": "training", **data}, "text/plain": "A training."}
        output = nbformat.v4.new_output("execute_result", data=shown, execution_count=1)
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", id="it", outputs=[output])])

    monkeypatch.setattr(source, "notebooks_folder", lambda: tmp_path)
    first = builder.finished("lessons", "x", lesson(measured=[1e-16]))
    assert first.stale
    first.path.parent.mkdir()
    first.path.write_bytes(first.content)
    assert builder.finished("lessons", "x", lesson(measured=[3e-16], **also)).stale == stale
    first.path.write_text("{")
    assert builder.finished("lessons", "x", lesson(measured=[1e-16])).content == first.content


def test_other_surroundings_build_the_same_bytes(built, tmp_path, monkeypatch):
    """The kernel is a fresh process each time, and takes these on."""
    other = {"PYTHONHASHSEED": "7", "COLUMNS": "200", "FORCE_COLOR": "1", "TZ": "Asia/Tokyo"}
    for name, value in other.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    # Of the two it shows more: what torch prints, and verdicts.
    assert builder.build("solutions", NAME).content == built["solutions"].content


def test_kernels_of_one_process_are_as_separate_as_others(tmp_path, monkeypatch):
    """Each has its own surroundings and children, whatever another did, and it is noticed when one dies."""
    monkeypatch.setattr(kernels, "LOADED", ("ipykernel.kernelapp",))
    cells = [
        "import builtins, json, os, sys, subprocess",
        "assert not hasattr(builtins, 'left') and 'left' not in os.environ; builtins.left = os.environ['left'] = '1'",
        "print(os.getpid() == os.getsid(0), os.environ['IPYTHONDIR'] in os.getcwd(), 'minigrad' in sys.modules)",
        "print(subprocess.run([sys.executable, '-S', '-c', 'raise SystemExit(3)']).returncode)",
    ]
    with kernels.manager(builder.kernel_environment(str(tmp_path))) as manager:
        for _ in range(2):
            made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
            builder.execute(made, "a test", manager)
            assert "".join(cell.outputs[0].text for cell in made.cells[2:]) == "True True False\n3\n"
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os; os.kill(os.getpid(), 9)")])
        with pytest.raises(builder.Refused, match="a test: Kernel died"):
            builder.execute(made, "a test", manager)
        made.cells[0].source = "import os; os.kill(os.getppid(), 9)"
        builder.execute(made, "a test", manager)  # it goes on itself
        for _ in range(2):
            with pytest.raises(builder.Refused, match="a test: the process that starts the kernels has ended; run"):
                builder.execute(made, "a test", manager)


# --- what is refused -----------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A copy of the notebooks that a test may change."""
    for kind in source.KINDS:
        folder = source.notebooks_folder() / kind
        shutil.copytree(folder, tmp_path / kind)
    monkeypatch.setattr(source, "notebooks_folder", lambda: tmp_path)
    builder_caches()
    yield tmp_path
    builder_caches()


def builder_caches():
    from minigrad_course.checks import reference

    reference.solutions.cache_clear()


def edit(clone, before, after):
    path = clone / "solutions" / "source" / f"{NAME}.md"
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")


def only(text, *ids):
    """The text with these cells only, so that a refusal needs no whole notebook."""
    head, *cells = re.split(r"(?m)^(?=```\{code-cell\}|\+\+\+ )", text)
    return head + "".join(cell for cell in cells if any(f":id: {each}\n" in cell for each in ids))


def shorten(clone, *ids):
    path = clone / "solutions" / "source" / f"{NAME}.md"
    path.write_text(only(path.read_text(encoding="utf-8"), *ids), encoding="utf-8")


def alone(clone):
    """Leave one chapter, and no lesson: the others would be built meanwhile."""
    shutil.rmtree(clone / "lessons" / "source")
    for path in (clone / "solutions" / "source").iterdir():
        if path.stem != NAME:
            path.unlink()


def check_of_mul(built):
    """The solution, and its check of `mul`."""
    made = notebook(built["solutions"])
    return made, next(cell for cell, _ in builder.checks(made, NAME) if cell.metadata.minigrad.check == "mul")


def test_a_solution_that_prints_otherwise(built):
    made, check = check_of_mul(built)
    wanted = check.outputs[0].text.splitlines()[-1]
    check.outputs[0].text = check.outputs[0].text.replace(wanted, "tensor(99.)")
    with pytest.raises(builder.Refused) as refused:
        builder.demand_references(made, NAME)
    assert str(refused.value).startswith(f"solutions/source/{NAME}.md, check mul: not what torch prints: line ")
    assert str(refused.value).endswith(f": the numbers differ; solution: 'tensor(99.)'; torch: {wanted!r}")


def test_a_solution_that_prints_everything_and_does_not_pass(built):
    """As when it stops with an error after its last line."""
    made, check = check_of_mul(built)
    check.outputs.pop()
    with pytest.raises(builder.Refused, match="check mul: not what torch prints"):
        builder.demand_references(made, NAME)


def test_a_check_that_torch_does_not_run(clone):
    edit(clone, "%%check mul\n", "%%check mul\ntorch.nosuch\n")
    shorten(clone, "setup", "mul", "check-mul")
    with pytest.raises(
        builder.Refused, match=r"check mul: torch does not run it\. Line 2 of the check, `torch\.nosuch`"
    ):
        builder.build("exercises", NAME)


def test_a_last_check_that_passes_without_a_part(clone):
    edit(clone, "g = -torch.hypot(a, b) * c * b.hypot(a * 2)\n", "g = -a * b * c\n")
    with pytest.raises(builder.Refused, match="check chapter1: it passes without hypot; let it use that"):
        builder.demand_use(NAME)


def test_a_notebook_is_meant_by_its_number_its_path_or_its_start():
    one = [("exercises", NAME)]
    typed = ("exercises/01", f"exercises/{NAME}.ipynb", f"./exercises/{NAME}", "exercises/01_sc")
    assert [builder.called(each) for each in typed] == [one] * 4
    assert builder.called("01") == [(kind, NAME) for kind in source.KINDS]
    assert builder.called("99") == builder.called("exercises/") == builder.called("scalar") == []


def test_a_cell_that_fails_is_a_sentence_of_the_command(clone, capsys):
    edit(clone, "import minigrad\n", "import minigrad\n1 / 0\n")
    shorten(clone, "setup")
    alone(clone)
    assert run_command(False, False, Screen(width=200)) == 1
    said = capsys.readouterr().out
    assert f"solutions/source/{NAME}.md: a cell failed with ZeroDivisionError: division by zero" in said
    assert "Traceback" not in said


def test_the_command_says_what_is_stale_and_writes_nothing_then(clone, capsys, monkeypatch):
    alone(clone)
    monkeypatch.setattr(source, "KINDS", ("exercises",))  # the one that needs no kernel
    path = clone / "exercises" / f"{NAME}.ipynb"
    right = path.read_bytes()
    path.write_bytes(right + b"\n")
    assert run_command(True, False, Screen(width=200)) == 1
    assert f"stale: exercises/{NAME}.ipynb" in capsys.readouterr().out
    assert path.read_bytes() == right + b"\n"
    path.unlink()
    assert run_command(False, False, Screen(width=200)) == 0
    assert path.read_bytes() == right
    assert run_command(True, False, Screen(width=200)) == 0


def test_an_exercise_that_holds_answers_is_never_overwritten(clone, capsys, monkeypatch):
    alone(clone)
    monkeypatch.setattr(source, "KINDS", ("exercises",))
    path = clone / "exercises" / f"{NAME}.ipynb"
    theirs = nbformat.read(path, as_version=4)
    answer = next(cell for cell in theirs.cells if cell.id == "mul")
    answer.source = answer.source.replace("# your code here", "return grad_output * b, grad_output * a")
    nbformat.write(theirs, path)
    written = path.read_bytes()
    for check in (False, True):
        assert run_command(check, False, Screen(width=200)) == (1 if check else 0)
        assert f"exercises/{NAME}.ipynb holds answers and was not overwritten" in capsys.readouterr().out
        assert path.read_bytes() == written
    assert run_command(False, True, Screen(width=200)) == 0
    assert path.read_bytes() != written


@pytest.mark.parametrize("change", ["repair", "text", "nothing of ours"])
def test_what_counts_as_an_answer(clone, change):
    path = clone / "exercises" / f"{NAME}.ipynb"
    built = builder.Built(path, path.read_bytes())
    assert not builder.holds_answers(built)
    theirs = nbformat.read(path, as_version=4)
    if change == "repair":
        next(cell for cell in theirs.cells if cell.id == "repair").source += "\n    print(1)"
        theirs.cells[0].source += " "
    elif change == "text":
        theirs.cells[0].source += "An outdated sentence."
        next(cell for cell in theirs.cells if cell.id == "mul").source += "  # an older stub"
    nbformat.write(theirs, path)
    if change == "nothing of ours":
        path.write_text("{}")
    assert builder.holds_answers(built) == (change != "text")
