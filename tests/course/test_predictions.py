"""Predictions: each has one right choice, which torch decides, and nothing tells it before it is asked for."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import re
import warnings
import xml.etree.ElementTree as ElementTree

import nbformat
import pytest
import torch
from telling import built, in_notebook, leaks, stored

import minigrad
from minigrad_course import explorers, predictions
from minigrad_course.cli.learner import lab, start
from minigrad_course.explorers.prediction import bare
from minigrad_course.learner import progress
from minigrad_course.notebooks import renewal
from minigrad_course.predictions import Lesson, ask, questions
from minigrad_course.texts import source, tries
from minigrad_course.texts.saving import MIME
from minigrad_course.texts.source import BadSource

LESSONS = source.names("lessons")
CHOICES = {"5": "Right, because.", "6": "That is `2 * 3`.", "an error": "Nothing is wrong with it."}


def asked(truth=lambda: 2 + 3, name="sum"):
    return explorers.predict("What is `2 + 3`?", CHOICES, truth, name)


# --- one question --------------------------------------------------------------------------------


SCALAR = "RuntimeError: grad can be implicitly created only for scalar outputs"


def test_the_right_choice_is_the_one_that_is_computed():
    assert [asked(lambda n=n: n).right for n in (5, 6)] == [0, 1]
    assert [choice["say"] for choice in asked().data()["choices"]] == list(CHOICES.values())
    # Marks of code and white space do not count, and an error may be the truth.
    rows = {"`tensor([ 1., 10.])`": "", "None": ""}
    assert explorers.predict("?", rows, lambda: torch.tensor([1.0, 10.0])).right == 0
    fails = torch.ones(2, requires_grad=True).mul(2).backward
    assert explorers.predict("?", {"1": "", SCALAR: ""}, fails).right == 1


def test_a_question_with_none_or_several_right_choices_or_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="None of the choices says what is true, which is 5"):
        explorers.predict("2 + 3?", {"3": "", "4": ""}, lambda: 5)
    with pytest.raises(ValueError, match="Several choices say"):
        explorers.predict("2 + 3?", {"5": "", "`5`": ""}, lambda: 5)
    with pytest.raises(ValueError, match="No question is called 'nothing'"):
        ask("nothing")


def test_the_truth_is_silent(capsys):
    def loud():
        print("secret")
        warnings.warn("secret", stacklevel=1)
        return 5

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked(loud)
    assert capsys.readouterr() == ("", "")


def test_what_is_shown_without_a_view_does_not_tell():
    right, wrong = (asked(lambda n=n: n)._repr_mimebundle_() for n in (5, 6))
    for kind in ("image/svg+xml", "text/plain"):
        assert right[kind] == wrong[kind]
        assert not any(bare(say) in bare(right[kind]) for say in CHOICES.values())
    assert right[MIME]["alt"] == wrong[MIME]["alt"] == "Your prediction: What is 2 + 3? Choices: 5; 6; an error."


def test_the_still_picture_has_every_word_and_cuts_none_off():
    long = " ".join(["`word`"] * 60)
    picture = explorers.predict(long, {long: "", "5": ""}, lambda: 5).still()
    root = ElementTree.fromstring(picture)
    lines = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert " ".join(each.text for each in lines).split() == ["word"] * 120 + ["5"]
    assert all(float(each.get("y")) < float(root.get("height")) for each in lines)
    assert max(len(each.text) for each in lines) < 90


# --- the questions of the course -----------------------------------------------------------------


def test_a_question_has_two_to_four_choices_and_each_says_something():
    for name in questions():
        question = questions()[name]
        assert 2 <= len(question.choices) <= 4 and "?" in question.text, name
        assert all(25 < len(say) < 260 for say in question.choices.values()), name


SELF_CONTAINED = [name for name, each in questions().items() if len(inspect.signature(each.truth).parameters) == 1]


def test_minigrad_answers_as_torch_does():
    for name in SELF_CONTAINED:
        question = questions()[name]
        told = [
            explorers.predict("?", question.choices, lambda q=question, e=engine: q.truth(e))
            for engine in (torch, minigrad)
        ]
        assert told[0].right == told[1].right == ask(name).right, name


def test_a_wrong_choice_does_not_say_the_right_one():
    """As far as a text can tell: the right choice does not stand in what is said to a wrong one."""
    for name in questions():
        question = questions()[name]
        right = list(question.choices)[stored()[name]["right"]]
        for choice, say in question.choices.items():
            if choice != right and len(bare(right)) > 3:
                assert bare(right) not in bare(say), (name, right, say)


def test_two_questions_of_one_name_are_refused(monkeypatch):
    again = Lesson("02_upstream_gradients")
    again["product"] = questions()["product"]
    monkeypatch.setattr("minigrad_course.predictions.upstream_gradients.lesson", again)
    with pytest.raises(ValueError, match="same name: product"):
        predictions.questions.__wrapped__()


# --- in the lessons ------------------------------------------------------------------------------


def test_every_question_is_asked_once_in_its_lesson():
    cells = {name: source.read("lessons", name).cells for name in LESSONS}
    found = [(cell.part, name) for name in LESSONS for cell in cells[name] if cell.role == "question"]
    assert sorted(found) == sorted((each.name, each.lesson) for each in questions().values())
    assert stored().keys() == questions().keys()


def test_no_text_asks_for_a_prediction_by_itself():
    """A question in a text has its answer under it. As a cell it waits."""
    for kind in source.KINDS:
        for name in source.names(kind):
            for cell in source.notebook(kind, name).cells:
                assert cell.cell_type == "code" or not re.search(r"\bpredict:", cell.source, re.IGNORECASE), cell.id


TEXT = '---\nkernelspec:\n  display_name: Python 3\n  name: python3\n---\n\n+++ {"id": "a"}\n\n# A lesson\n\n'
QUESTION = '```{code-cell} ipython3\n:id: q\nask("product")\n```\n\n'
ANSWER = "```{code-cell} ipython3\n:id: r\n:answers: product\n1 + 1\n```\n\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (QUESTION + ANSWER, None),
        (QUESTION + ANSWER.replace(":answers: product\n", ""), "mark it :answers: product"),
        (QUESTION + ANSWER.replace("s: product", "s: square"), "mark it :answers: product"),
        (QUESTION, "no cell answers the question 'product'"),
        (ANSWER + QUESTION + ANSWER.replace(": r", ": s"), "nothing above it asks 'product'"),
    ],
)
def test_a_question_without_a_mark_and_a_mark_without_a_question_are_refused(text, sentence):
    with pytest.raises(BadSource, match=sentence) if sentence else contextlib.nullcontext():
        cells = source.parsed(TEXT + text, "lessons", "x").cells
        wanted = [("question", "product", None), ("code", None, "product")]
        assert [(cell.role, cell.part, cell.answers) for cell in cells[1:]] == wanted


# --- nothing tells it before ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """What `minigrad lab`, in a clone or from a wheel, and `minigrad start` write: lessons by the name of the way."""
    of_lab, of_start = tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("start")
    lab.copy_notebooks(source.notebooks_folder(), of_lab)
    for name in LESSONS:
        start.brought(of_start / "lessons" / f"{name}.ipynb", renewal.pristine("lessons", name))
    return {"lab": of_lab / "lessons", "start": of_start / "lessons"}


def test_a_copy_does_not_tell_before_it_asks(copies):
    for way, name in itertools.product(("lab", "start"), LESSONS):
        copy = json.loads((copies[way] / f"{name}.ipynb").read_text(encoding="utf-8"))
        assert leaks(in_notebook(copy)) == [], (way, name)
        for cell in copy["cells"]:
            assert "answers" not in cell["metadata"].get("minigrad", {}) or cell["outputs"] == []
        nbformat.validate(nbformat.from_dict(copy))


def test_a_notebook_that_tells_is_found():
    told = json.loads(built("01_scalar_backward"))
    (place,) = [n for n, cell in enumerate(told["cells"]) if cell["id"] == "ask-product"]
    text = {"cell_type": "markdown", "metadata": {}, "source": "You will get `(tensor(99.), tensor(42.))`."}
    for at in (0, place + 1):
        before = told | {"cells": [*told["cells"][:at], text, *told["cells"][at:]]}
        found = leaks(in_notebook(before))
        assert found == 2 * [("product", "(tensor(99.),tensor(42.))")]  # as a whole, and its only line
    choices = questions()["product"].choices
    told["cells"][place]["outputs"][0]["data"]["text/plain"] = list(choices.values())
    assert len(leaks(in_notebook(told))) == len(choices)


# --- what was chosen -----------------------------------------------------------------------------


def with_tries(path, **tried):
    """Write choices into the lesson at `path`, as the view stores them."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {}).get(MIME, {})
            if data.get("id") in tried:
                data["tried"] = tried[data["id"]]
    path.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture
def course(tmp_path):
    lab.copy_notebooks(source.notebooks_folder(), tmp_path)
    return tmp_path


def test_predictions_are_counted_in_the_saved_lessons(course):
    assert progress.Standing((), progress.predictions_beside(course / "exercises")).predicted == (
        f"Predictions in the lessons: 0 of {len(questions())}."
    )
    tries = {"product": ["42", "99"], "square": ["`tensor(0.)`"], "order": ["no choice"]}
    with_tries(course / "lessons" / "01_scalar_backward.ipynb", **tries)
    with_tries(course / "lessons" / "02_upstream_gradients.ipynb", root=["0"])
    (course / "lessons" / "03_jacobian_sums.ipynb").write_text("{", encoding="utf-8")
    (course / "lessons" / "04_leaves.ipynb").unlink()
    assert progress.predictions_beside(course / "nowhere" / "exercises") == () and "redict" not in repr(
        progress.Standing(())
    )
    made = progress.predictions_beside(course / "exercises")
    assert [(each.lesson[:2], each.made, each.right) for each in made] == [
        ("01", 2, 1),
        ("02", 1, 0),
        ("03", 0, 0),
        ("05", 0, 0),
        ("06", 0, 0),
    ]
    asked_in_1, asked_in_2 = (each.asked for each in made[:2])
    standing = progress.Standing((), made)
    assert standing.predicted == (
        f"Predictions: lesson 1: 2 of {asked_in_1}, 1 right on the first try; "
        f"lesson 2: 1 of {asked_in_2}, 0 right on the first try."
    )
    for text in (repr(standing), standing._repr_html_()):
        assert standing.predicted in " ".join(text.split())


def test_a_cell_that_runs_again_finds_what_was_chosen(course, monkeypatch):
    path = course / "lessons" / "01_scalar_backward.ipynb"
    with_tries(path, product=["42", "no choice"])
    assert "tried" not in ask("product").data()
    monkeypatch.setenv(tries.NOTEBOOK, str(path))
    assert ask("product").data()["tried"] == ["42"]
    assert "tried" not in ask("square").data()
    monkeypatch.setenv(tries.NOTEBOOK, str(course / "nowhere.ipynb"))
    assert "tried" not in ask("product").data()


@pytest.mark.parametrize("data", [None, 3, {}, {"id": [], "choices": [], "right": 0}, {"id": "a", "choices": 3}])
def test_damaged_data_are_no_choice(tmp_path, data):
    output = {"output_type": "display_data", "metadata": {}, "data": {MIME: data}}
    cell = {"cell_type": "code", "id": "a", "source": "", "metadata": {}, "execution_count": 1, "outputs": [output, 3]}
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert tries.tries_in(path) == {}


def test_a_renewal_keeps_choices_and_what_was_run(course):
    path = course / "lessons" / "01_scalar_backward.ipynb"
    with_tries(path, product=["42"])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    (cell,) = [each for each in notebook["cells"] if each["id"] == "first-backward"]
    cell |= {"outputs": [{"output_type": "stream", "name": "stdout", "text": "mine"}], "execution_count": 3}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    start.brought(path, renewal.pristine("lessons", "01_scalar_backward"))
    assert tries.tries_in(path)["product"] == (["42"], "99")
    (cell,) = [each for each in renewal.read(path)["cells"] if each["id"] == "first-backward"]
    assert "".join(cell["outputs"][0]["text"]) == "mine"
