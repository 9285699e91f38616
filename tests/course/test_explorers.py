"""Playgrounds answer to every control, and store a picture and its text, nothing else."""

import contextlib
import io
import json
import threading
import xml.etree.ElementTree as ElementTree

import ipywidgets
import nbformat
import pytest
import torch
from jupyter_server.services.contents.filemanager import FileContentsManager

from minigrad_course import explorers
from minigrad_course.explorers import playing
from minigrad_course.notebooks import builder
from minigrad_course.pictures import curve, leaf_table, leaves, shown
from minigrad_course.pictures.screen import Screen
from minigrad_course.texts import saving

A = [[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]]
LEAVES = "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()"


def inside(widget):
    """The widget and everything in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from inside(child)


def found(widget, kind):
    return [each for each in inside(widget) if isinstance(each, kind)]


def named(widget, description):
    return next(each for each in inside(widget) if getattr(each, "description", None) == description)


# --- playground ----------------------------------------------------------------------------------

WEIGHED = {"x": [1, 1], "A": A, "v": [1, 10, 100]}


def descent(rate):
    losses = [1.0]
    for _ in range(5):
        losses.append(losses[-1] * (1 - rate))
    return curve(losses)


PLAYGROUNDS = {
    "walk": lambda: explorers.playground(explorers.walk, "g = a * b\ng + c", a=2, b=4, c=6),
    "weights": lambda: explorers.playground(explorers.weights, "A @ x", **WEIGHED),
    "slices": lambda: explorers.playground(explorers.slices, "x * x", x=[1, 3], v=[1, 10]),
    "leaf_table": lambda: explorers.playground(leaf_table, LEAVES),
    "curve": lambda: explorers.playground(descent, rate=0.5),
}


@pytest.mark.parametrize("name", PLAYGROUNDS)
def test_a_playground_is_the_explorer_without_a_kernel_and_says_what_is_missing(name):
    ground = PLAYGROUNDS[name]()
    stored = ground._repr_mimebundle_(include=None, exclude=None)
    assert saving.WIDGET in stored
    alone = playing.forms_of(ground.first)
    assert set(stored) == {saving.WIDGET, *alone}
    assert stored["text/plain"] == f"{alone['text/plain']}\n{playing.NOTE}"
    if shown.MIME in stored:
        picture = ElementTree.fromstring(stored["image/svg+xml"])
        lines = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
        before = [
            each.text for each in ElementTree.fromstring(alone["image/svg+xml"]).iter() if each.tag[-4:] == "text"
        ]
        assert lines[: len(before)] == before and " ".join(lines[len(before) :]) == playing.NOTE
        if name == "curve":
            assert "running kernel" in stored[shown.MIME]["narrow"] and "note" not in stored[shown.MIME]
        else:
            assert stored[shown.MIME] == {**alone[shown.MIME], "note": playing.NOTE}
    else:
        assert stored["text/html"] == f"{alone['text/html']}<p><em>{playing.NOTE}</em></p>"


@pytest.mark.parametrize("name", PLAYGROUNDS)
def test_every_control_of_a_playground_has_a_name_and_prints_nothing(name, capsys):
    widget = PLAYGROUNDS[name]().widget()
    controls = found(widget, (ipywidgets.Text, ipywidgets.Textarea, ipywidgets.Button))
    assert controls and all(each.description and each.tooltip for each in controls)
    for each in found(widget, ipywidgets.Button):
        each.click()
    for each in found(widget, (ipywidgets.Text, ipywidgets.Textarea)):
        each.value = each.value + "("
    assert capsys.readouterr() == ("", "")
    (said,) = found(widget, Screen)
    assert "✗" in said.value or "not Python" in said.value


def drawn_in(widget):
    """What stands in a playground's output."""
    (place,) = found(widget, ipywidgets.Output)
    (only,) = place.outputs
    return only["data"]


def test_another_function_is_drawn_with_the_numbers_of_torch():
    widget = PLAYGROUNDS["weights"]().widget()
    named(widget, "v").value = "[1, 2]"
    assert "✗ v has the shape [2], and the result [3]" in found(widget, Screen)[0].value
    assert "still that of what could be drawn before" in found(widget, Screen)[0].value
    before = drawn_in(widget)
    named(widget, "Function").value = "(A @ x)[:2] ** 3"
    x = torch.ones(2, requires_grad=True)
    ((torch.tensor(A) @ x)[:2] ** 3).backward(torch.tensor([1.0, 2.0]))
    data = drawn_in(widget)[shown.MIME]
    assert drawn_in(widget) != before and "note" not in data
    columns = zip(*[[w * each for each in row] for w, row in zip(data["v"], data["J"], strict=True)], strict=True)
    assert [sum(column) for column in columns] == x.grad.tolist()
    assert "= [27, 108]" not in found(widget, Screen)[0].value and "81" in found(widget, Screen)[0].value


def test_a_walk_goes_through_what_was_typed_and_names_its_results():
    ground = PLAYGROUNDS["walk"]()
    walk = ground.shown("h = a * 3\n(h * (h + 1)).exp().log()", {"a": "2"})
    assert "a = 2 keeps 39 in .grad" in repr(walk)
    assert {box["name"] for box in walk.data()["boxes"]} >= {"a", "h", "f"}


def test_a_training_runs_anew_for_each_rate():
    widget = PLAYGROUNDS["curve"]().widget()
    named(widget, "rate").value = "2.5"
    (said,) = found(widget, Screen)
    assert "loss goes from 1 at 0 to −7.594 at 5" in said.value
    named(widget, "rate").value = "1e308"
    assert "loss goes from 1 at 0" not in said.value


@pytest.mark.parametrize(
    ("text", "values", "sentence"),
    [
        ("a * q", {}, "Line 1, `a * q`: NameError: name 'q' is not defined. The names here are a, b, c and torch."),
        ("g = a\nb * (", {}, "Line 2, place 5: '(' was never closed."),
        ("a * b\nc.foo", {}, "Line 2, `c.foo`: AttributeError: 'Tensor' object has no attribute 'foo'."),
        ("g = a * b", {}, "The last line has to be an expression: it is what the function gives."),
        (
            "import os\na",
            {},
            "Line 1, `import os`: ImportError: __import__ not found. The names here are a, b, c and torch.",
        ),
        (
            "open('x')",
            {},
            "Line 1, `open('x')`: NameError: name 'open' is not defined. The names here are a, b, c and torch.",
        ),
        ("torch.ones(300000, 300000) * a", {}, "It would take more than 1 GB of memory."),
        ("a * b", {"a": "[1, 2]"}, "The result has the shape [2]. A walk needs one number: add .sum(), for example."),
        ("a * b", {"a": "two"}, "a: `two` is no number, and no list of numbers of equal rows. Write 2, or [1, 2, 3]."),
        ("a * b", {"a": "[[1], [2, 3]]"}, "a: `[[1], [2, 3]]` is no number"),
        ("a * b", {"a": "[True]"}, "a: `[True]` is no number"),
        ("a * b", {"a": "[1] * 40"}, "a: `[1] * 40` is no number"),
        ("a * b", {"a": str([1] * 40)}, "a has 40 numbers; here it may have 1 to 36."),
        ("a * b", {"a": "1e60"}, "a has a number that is too large for float32."),
        ("a" * 401, {}, "The text has 401 characters; 400 are the most that is run here."),
        ("x = a\nfor n in [1] * 30: x = x * 2\nx", {}, "The graph has 31 boxes; 24 are the most that is drawn here."),
        ("a\x00", {}, "source code string cannot contain null bytes."),
        ("3", {}, "it returned int."),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence_that_says_where(text, values, sentence):
    ground = PLAYGROUNDS["walk"]()
    with pytest.raises(playing.Unclear) as caught:
        ground.shown(text, {**ground.values, **values})
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value) and "Traceback" not in str(caught.value)


@pytest.mark.parametrize(("name", "aside"), [("walk", True), ("leaf_table", False), ("leaf_table", True)])
def test_what_does_not_end_is_stopped(monkeypatch, name, aside):
    monkeypatch.setattr(playing, "SECONDS", 0.3)
    monkeypatch.setattr(leaves, "SECONDS", 0.3)
    ground = PLAYGROUNDS[name]()
    told = []

    def run():
        try:
            told.append(repr(ground.shown("while True: pass\na", ground.values)))
        except playing.Unclear as problem:
            told.append(str(problem))

    if aside:  # as JupyterLab answers a widget
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
    else:
        run()
    assert "did not end" in told[0] and "0.3 seconds" in told[0]
    assert "keeps" in repr(PLAYGROUNDS["walk"]().first)  # nothing is left of it


def test_numbers_that_are_not_finite_reach_no_page():
    ground = PLAYGROUNDS["weights"]()
    for text in ("A @ x / 0", "(A @ x * 0).log()"):
        with pytest.raises(playing.Unclear, match="infinite or nan"):
            ground.shown(text, ground.values)


# --- in a notebook -------------------------------------------------------------------------------

CELLS = [
    "import minigrad\nfrom minigrad_course.explorers import leaves, predict, race, slices, walk, weights",
    "walk(lambda x: x * 3 * x, x=2)",
    "race({'x * 3 * x': lambda x: x * 3 * x}, x=2)",
    "weights(lambda x: x * x, [1.0, 3.0], [1, 10])",
    "slices(lambda x: x * x, [1.0, 3.0])",
    "leaves()",
    "predict('2 + 3?', {'5': 'Right.', '6': 'That is 2 * 3.'}, lambda: 5)",
    "from minigrad_course.explorers import playground\nplayground(walk, 'a * b', a=2, b=3)",
    "from minigrad_course.pictures import leaf_table\nplayground(leaf_table, 'x = torch.ones(2)')",
]


@pytest.fixture(scope="module")
def notebook():
    """A notebook with these cells, executed and made ready to be stored."""
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    made.cells = [nbformat.v4.new_code_cell(cell, id=f"cell-{number}") for number, cell in enumerate(CELLS)]
    builder.execute(made, "a test")
    builder.tidy(made)
    builder.demand_still_forms(made, "a test")
    return made


def test_a_stored_notebook_holds_pictures_and_text_and_no_widgets(notebook):
    assert "widgets" not in notebook.metadata
    for cell in notebook.cells[1:]:
        (output,) = cell.outputs
        assert output.output_type == "execute_result"
        assert set(output.data) in ({"text/html", "text/plain"}, {shown.MIME, "image/svg+xml", "text/plain"})
    assert notebook.cells[0].outputs == []


def test_nbval_finds_it_as_it_was_stored(notebook, tmp_path):
    path = tmp_path / "explorers.ipynb"
    nbformat.write(notebook, path)
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.chdir(tmp_path):
        status = pytest.main(["-q", "--color=no", "-p", "no:cacheprovider", "--nbval", str(path)])
    assert status == 0 and f"{len(CELLS)} passed" in printed.getvalue(), printed.getvalue()


def test_a_bare_widget_cannot_be_stored():
    output = nbformat.v4.new_output(
        "display_data", data={saving.WIDGET: {"model_id": "1"}, "text/plain": "IntSlider()"}
    )
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", id="it", outputs=[output])])
    with pytest.raises(builder.Refused, match="a test, cell it: a widget without a still form"):
        builder.demand_still_forms(made, "a test")


def test_what_a_reader_saves_keeps_the_still_form(tmp_path):
    manager = FileContentsManager(root_dir=str(tmp_path), pre_save_hook="minigrad_course.texts.saving.before_saving")
    forms = [each._repr_mimebundle_() for each in (PLAYGROUNDS["leaf_table"](), PLAYGROUNDS["walk"]())]
    forms.append({saving.WIDGET: {"model_id": "1"}})
    outputs = [nbformat.v4.new_output("display_data", data=each) for each in forms]
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)])
    manager.save({"type": "notebook", "format": "json", "content": content}, "reader.ipynb")
    manager.save({"type": "file", "format": "text", "content": "text"}, "notes.txt")
    (cell,) = json.loads((tmp_path / "reader.ipynb").read_text())["cells"]
    assert [set(each["data"]) for each in cell["outputs"]] == [
        {"text/html", "text/plain"},
        {shown.MIME, "image/svg+xml", "text/plain"},
        {saving.WIDGET},
    ]
    assert (tmp_path / "notes.txt").read_text() == "text"
