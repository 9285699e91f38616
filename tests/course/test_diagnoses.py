"""Programs to debug: a check names no fault before somebody has said what is wrong, or has tried twice."""

import itertools
import json

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import minigrad
from minigrad_course import explorers, parts
from minigrad_course.checks import patience
from minigrad_course.explorers.prediction import bare
from minigrad_course.notebooks import renewal
from minigrad_course.pictures.shown import MIME
from minigrad_course.predictions import diagnoses
from minigrad_course.predictions.hunts import questions
from minigrad_course.texts import source, tries

CELLS = {name: source.read("solutions", name).cells for name in source.names("solutions")}
STUBS = {cell.part: cell.stub for cells in CELLS.values() for cell in cells if cell.stub}
WITHOUT_CHOICES = {cell.part for cell in CELLS["06_your_own_engine"] if cell.stub}
SOLUTIONS = {cell.part: cell.source for cells in CELLS.values() for cell in cells if cell.role == "answer"}
SETUPS = {name: next(cell.source for cell in cells if cell.role == "setup") for name, cells in CELLS.items()}


def explanations(part):
    """The words of the mistakes of a part."""
    return [mistake.explanation for mistake in parts.chapter_of(part).part(part).mistakes]


# --- the questions -------------------------------------------------------------------------------


def test_every_program_to_debug_has_a_question_right_above_it():
    """But `roots`, whose text says what is wrong: there the repair is the riddle. Chapter 6 gives no choices."""
    assert patience.programs().keys() == questions.keys() == STUBS.keys() - {"roots"} - WITHOUT_CHOICES
    for cells in CELLS.values():
        for above, below in itertools.pairwise(cells):
            if above.role == "diagnosis":
                assert (below.role, below.part) == ("answer", above.part)
    for part in questions:
        with_text = [cell.part for cells in CELLS.values() for cell in cells if cell.role == "diagnosis"]
        assert with_text.count(part) == 1


@pytest.mark.parametrize("part", questions)
def test_torch_and_minigrad_decide_alike_which_choice_is_right(part):
    question = questions[part]
    assert 2 <= len(question.choices) <= 4 and "?" in question.text
    assert all(25 < len(say) < 260 for say in question.choices.values())
    told = [
        explorers.predict("?", question.choices, lambda e=engine: question.truth(e)) for engine in (torch, minigrad)
    ]
    assert told[0].right == told[1].right == diagnoses.diagnose(part).right


@pytest.mark.parametrize("part", questions)
def test_a_wrong_choice_names_neither_the_right_one_nor_a_mistake(part):
    question = questions[part]
    right = list(question.choices)[diagnoses.diagnose(part).right]
    for choice, say in question.choices.items():
        if choice != right:
            assert bare(right) not in bare(say)
            assert not any(bare(explanation) in bare(say) for explanation in explanations(part))


def test_the_right_choices_are_not_all_in_one_place():
    places = [diagnoses.diagnose(part).right for part in questions]
    assert max(places.count(place) for place in set(places)) <= len(places) / 2


def test_a_program_that_nobody_knows_is_a_sentence():
    with pytest.raises(ValueError, match="No program to debug is called 'mul'"):
        diagnoses.diagnose("mul")


def test_the_exercise_asks_without_a_kernel_and_tells_nothing():
    notebook = json.loads((source.notebooks_folder() / "exercises" / "05_train_a_network.ipynb").read_bytes())
    asked = {}
    for cell in notebook["cells"]:
        if part := cell["metadata"].get("minigrad", {}).get("diagnoses"):
            (output,) = cell["outputs"]
            asked[part] = output["data"][MIME]
            assert "tried" not in asked[part] and "image/svg+xml" in output["data"]
    assert list(asked) == [part.name for part in parts.chapters()[4].parts if part.name != "train"]
    text = " ".join("".join(cell["source"]) for cell in notebook["cells"])
    assert "two faults" not in text
    assert not any(explanation in text for part in asked for explanation in explanations(part))


# --- in a notebook -------------------------------------------------------------------------------


class Notebook:
    """A shell that runs cells of one exercise, saved or not."""

    def __init__(self, chapter):
        self.shell = InteractiveShell.instance()
        self.run(SETUPS[chapter.name])

    def run(self, text):
        with capture_output() as seen:
            result = self.shell.run_cell(text)
        assert result.success, result.error_in_exec or result.error_before_exec
        return seen.stdout + "".join(each.data["text/plain"] for each in seen.outputs)

    def check(self, part):
        program = source.read("solutions", parts.chapter_of(part).name).programs()[part]
        return self.run(f"%%check {part}\n{program}")


@pytest.fixture
def notebook(monkeypatch, request):
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv(tries.NOTEBOOK, raising=False)
    yield Notebook(parts.chapter_of(request.param if hasattr(request, "param") else "zeroing"))
    InteractiveShell.clear_instance()


ASKS = "Choose a diagnosis above it."


def names_a_fault(text, part):
    return any(explanation in text for explanation in explanations(part))


@pytest.mark.parametrize(("notebook", "part"), [(part, part) for part in questions], indirect=["notebook"])
def test_an_untouched_program_is_asked_about_and_not_named(notebook, part):
    notebook.run(STUBS[part])
    for _ in range(2):  # however often
        text = notebook.check(part)
        assert f"… {part}: " in text and ASKS in text
        assert not names_a_fault(text, part)
    notebook.run(SOLUTIONS[part])
    assert f"✓ {part}" in notebook.check(part)


def test_after_two_repairs_that_do_nothing_the_fault_is_named(notebook):
    first = STUBS["zeroing"].replace("optimizer.step()", "loss.grad = None\n        optimizer.step()")
    second = STUBS["zeroing"].replace("for _ in", "w.grad = None\n    for _ in")
    notebook.run(STUBS["zeroing"])
    assert f"What is wrong with the program? {ASKS}" in notebook.check("zeroing")
    notebook.run(first)
    assert f"it still does what it did. What is wrong with it? {ASKS}" in notebook.check("zeroing")
    notebook.run(first.replace("optimizer.step()", "optimizer.step() "))  # the same
    assert ASKS in notebook.check("zeroing")
    notebook.run(second)
    text = notebook.check("zeroing")
    assert ASKS not in text and "nothing clears `.grad` in the loop" in text


NEW_MISTAKES = [  # part, what of its stub is replaced and by what, what is said at once, diagnosis or not
    ("repair", "torch.tensor(square.item() ** 0.5, requires_grad=True)", "square**0.5", "one of two faults is left"),
    ("repair", "    square =", "    a.grad = b.grad = None\n    square =", "one of two faults is repaired"),
    ("losses", '    print("fit ", w.grad)', '    print("fit ", w.grad)\n    w.grad = None', "not before the last call"),
    ("losses", "(fit + size).backward(torch.tensor(importance))", "(fit + importance * size).backward()", "one of two"),
    ("descend", "w = w - lr * w.grad", "w -= lr * w.grad", "outside `no_grad`"),
    ("zeroing", "optimizer.step()", "optimizer.zero_grad()\n        optimizer.step()", "the step has nothing to do"),
    ("recurrent", "loss.backward()", "loss.backward(retain_graph=True)", "you retain the graph"),
    ("masked", "torch.log(w * x)", "torch.log(w * x + 1e-8)", "you add a small number under the logarithm"),
    ("scaled", "SGD([w]", "SGD([w.detach().requires_grad_()]", "the optimizer has another leaf than w"),
    ("column", "lr=0.1", "lr=0.01", "you change the learning rate"),
    ("penalty", "2 * penalty", "200 * penalty", "you change the factor"),
]
NOTHING_NEW = [
    ("accuracy", "guess = (probability > 0.5).float()", "guess = (probability > 0.5).float().requires_grad_(True)"),
    ("shifted", "b * h", "b * h.clone()"),
    ("penalty", ".item()", ".detach()"),
    ("column", "prediction - y", "prediction - y.T"),
]


def repaired(part, old, new):
    assert STUBS[part].count(old) == 1
    return STUBS[part].replace(old, new)


@pytest.mark.parametrize("notebook", ["repair"], indirect=True)
def test_a_new_mistake_is_named_before_any_diagnosis_and_a_change_that_changes_nothing_is_called_that(notebook):
    """The latter come first: of a program that has been repaired in vain twice, the fault is named."""
    same, unlike = "it still does what it did", {}
    for part, old, new, said in [*((*each, same) for each in NOTHING_NEW), *NEW_MISTAKES]:
        notebook.run(SETUPS[parts.chapter_of(part).name])
        notebook.run(repaired(part, old, new))
        text = notebook.check(part)
        if said not in text or (ASKS in text) != (said == same) or (said == same and names_a_fault(text, part)):
            unlike[part, new] = text
    assert unlike == {}


def test_what_is_neither_the_given_fault_nor_a_known_one_is_called_that(notebook):
    notebook.run(repaired("zeroing", "lr=0.05", "lr=0.03"))
    text = notebook.check("zeroing")
    assert "The program does something else now, but not yet what it should." in text and ASKS in text


@pytest.mark.parametrize("choice", [0, 1, 2])
def test_a_choice_of_any_kind_opens_the_verdict(notebook, monkeypatch, tmp_path, choice):
    made = renewal.pristine("exercises", "05_train_a_network")
    path = tmp_path / "05_train_a_network.ipynb"
    path.write_bytes(renewal.text_of(made))
    monkeypatch.setenv(tries.NOTEBOOK, str(path))
    notebook.run(STUBS["zeroing"])
    assert ASKS in notebook.check("zeroing")
    for cell in made["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {}).get(MIME, {})
            if data.get("id") == patience.identity("zeroing"):
                data["tried"] = [data["choices"][choice]["text"]]
    path.write_bytes(renewal.text_of(made))
    text = notebook.check("zeroing")
    assert ASKS not in text and "nothing clears `.grad` in the loop" in text
    notebook.run(STUBS["column"])  # another program has a question of its own
    assert ASKS in notebook.check("column")


def test_the_cell_of_a_question_runs_in_a_notebook(notebook):
    assert "Why does the loss of fit_line swing? Choices: " in notebook.run('diagnose("zeroing")')
