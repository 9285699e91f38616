"""Explorers show what torch computes, answer to every control, and store a picture and its text, nothing else."""

import json
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree

import ipywidgets
import nbformat
import pytest
import torch
import traitlets
from jupyter_server.services.contents.filemanager import FileContentsManager

import minigrad
from minigrad.course import builder, explorers, saving
from minigrad.course.explorers import slicing, walking, weights
from minigrad.course.explorers.controls import Screen, Slider, Stepper
from minigrad.course.pictures import canvas

A = [[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]]
LEAVES = "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()"


def product(x):
    return minigrad.tensor(A) @ x


def diamond(x):
    h = x * 3
    return h * (h + 1)


def formula(a, b, c, d, e):
    return a * b + c * d**2 / e


def all_explorers():
    return {
        "walk": explorers.walk(diamond, x=2),
        "upstream": explorers.upstream(product, [1, 1], [1, 10, 100]),
        "slices": explorers.slices(lambda X: X @ minigrad.tensor(A), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        "leaves": explorers.leaves(LEAVES),
        "predict": explorers.predict("What is 2 + 3?", ["5", "6"], lambda: 2 + 3),
    }


NAMES = list(all_explorers())


def inside(widget):
    """The widget and everything in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from inside(child)


def found(widget, kind):
    return [each for each in inside(widget) if isinstance(each, kind)]


def named(widget, description):
    return next(each for each in inside(widget) if getattr(each, "description", None) == description)


# --- every explorer ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_without_a_kernel_there_is_html_and_text(name):
    explorer = all_explorers()[name]
    shown = explorer._repr_mimebundle_(include=None, exclude=None)
    assert set(shown) == {saving.WIDGET, "text/html", "text/plain"}
    ElementTree.fromstring(f"<div>{re.sub('<img([^>]*)>', '<img/>', shown['text/html'])}</div>")
    assert "Run this cell" in shown["text/html"]
    assert shown["text/plain"] == repr(explorer)
    for text in (shown["text/html"], shown["text/plain"]):
        assert not re.search(r"object at 0x|Widget|VBox|HTML\(", text)


@pytest.mark.parametrize("name", NAMES)
def test_every_control_has_words_and_can_be_reached_with_the_keyboard(name):
    widget = all_explorers()[name].widget()
    controls = [each for each in inside(widget) if not isinstance(each, (ipywidgets.Box, ipywidgets.HTML, Screen))]
    assert controls
    for control in controls:
        assert control.description, control
        assert getattr(control, "tooltip", None), control
        assert control.tabbable is not False


@pytest.mark.parametrize("name", NAMES)
def test_what_changes_is_shown_where_screen_readers_listen(name):
    widget = all_explorers()[name].widget()
    still = [each.value for each in found(widget, ipywidgets.HTML)]
    for each in found(widget, ipywidgets.Button):
        each.click()
    assert [each.value for each in found(widget, ipywidgets.HTML)] == still
    assert any(each.value for each in found(widget, Screen))


@pytest.mark.parametrize("name", NAMES)
def test_controls_print_nothing(name, capsys):
    widget = all_explorers()[name].widget()
    for each in inside(widget):
        if isinstance(each, Slider):
            each.value = each.min
            each.value = each.max
        elif isinstance(each, ipywidgets.Button):
            each.click()
        elif isinstance(each, ipywidgets.ToggleButtons):
            each.index = len(each.options) - 1
        elif isinstance(each, ipywidgets.Checkbox):
            each.value = not each.value
    assert capsys.readouterr() == ("", "")
    assert not found(widget, ipywidgets.Output)


def test_a_slider_stays_within_its_limits_and_a_stepper_on_whole_numbers():
    slider = Slider(min=-2, max=2, value=5)
    assert slider.value == 2.0
    slider.value = -7.5
    assert slider.value == -2.0
    slider.min = -1
    assert slider.value == -1.0
    stepper = Stepper(max=3, value=3)
    stepper.max = 1
    stepper.value += 4
    assert stepper.value == 1 and isinstance(stepper.value, int)
    with pytest.raises(traitlets.TraitError):
        stepper.value = 0.5


# --- walk ----------------------------------------------------------------------------------------


def test_the_walk_ends_with_the_gradients_of_torch():
    values = {"a": 2, "b": 4, "c": 6, "d": 8, "e": 10}
    leaves = {name: torch.tensor(float(value), requires_grad=True) for name, value in values.items()}
    formula(**leaves).backward()
    walk = explorers.walk(formula, **values)
    told = " ".join(walking.step(walk.trace, number).sentence for number in range(len(walk.nodes) + 1))
    for name, leaf in leaves.items():
        assert f"{name} keeps {canvas.number(leaf.grad.item())} in .grad." in told


def test_a_node_waits_for_all_of_its_users():
    trace = explorers.walk(diamond, x=2).trace
    assert walking.step(trace, 0).sentence == "The walk starts at the end: f = 42 gets the upstream gradient 1."
    assert "× (6) has 7 so far, and waits for its other users." in walking.step(trace, 1).sentence
    assert "All users of × (6) have sent their shares: together 13." in walking.step(trace, 2).sentence
    assert walking.step(trace, 3).sentence == (
        "Step 3 of 3. × (6) has the upstream gradient 13. It sends 39 to x. x keeps 39 in .grad."
    )


@pytest.mark.parametrize("number", [-1, 4])
def test_there_are_no_steps_beyond_the_walk(number):
    with pytest.raises(ValueError, match="The walk has 3 steps"):
        walking.step(explorers.walk(diamond, x=2).trace, number)


def test_a_walk_of_vectors_begins_with_its_upstream_gradient():
    trace = explorers.walk(product, result="y", upstream=[1, 10, 100], x=[1, 1]).trace
    assert "y = [3, 3, 5] gets the upstream gradient [1, 10, 100]" in walking.step(trace, 0).sentence
    assert "x keeps [401, 132] in .grad." in walking.step(trace, 1).sentence


def test_buttons_and_slider_move_the_walk_together():
    widget = explorers.walk(diamond, x=2).widget()
    back, forth, slider = named(widget, "Back"), named(widget, "Next"), named(widget, "Step")
    (shown,) = found(widget, Screen)
    seen = [shown.value]
    assert back.disabled and not forth.disabled
    for number in (1, 2, 3):
        forth.click()
        assert slider.value == number
        seen.append(shown.value)
    assert forth.disabled and not back.disabled
    assert len(set(seen)) == 4  # text and picture are others at each step
    back.click()
    assert (slider.value, shown.value) == (2, seen[2])
    slider.value = 0
    assert shown.value == seen[0]


def test_the_picture_of_a_step_keeps_everything_in_its_place():
    trace = explorers.walk(diamond, x=2).trace
    sizes = {
        tuple(re.search(rb'width="([\d.]+)pt" height|viewBox="([^"]+)"', walking.step(trace, n).shown[0].svg).groups())
        for n in range(4)
    }
    assert len(sizes) == 1


# --- upstream ------------------------------------------------------------------------------------


@pytest.mark.parametrize("v", [[1.0, 10.0, 100.0], [0.0, -2.0, 1.0], [0.5, 0.0, 0.0]])
def test_the_weighted_sum_is_what_backward_brings(v):
    x = torch.ones(2, requires_grad=True)
    (torch.tensor(A) @ x).backward(torch.tensor(v))
    view = explorers.upstream(product, [1, 1], [1, 10, 100]).view(v)
    total = f"[{', '.join(canvas.number(value) for value in x.grad.tolist())}]"
    assert view.sentence.endswith(f" = {total}")
    assert f"x.grad = {total}." in view.shown[0].alt


def test_the_sentence_writes_the_sum_out():
    explorer = explorers.upstream(product, [1, 1], [1, 10, 100])
    assert explorer.still().sentence == "x.grad = 1·[1, 2] + 10·[0, 3] + 100·[4, 1] = [401, 132]"
    assert explorer.view([0, -2, 1]).sentence == "x.grad = 0·[1, 2] + (−2)·[0, 3] + 1·[4, 1] = [4, −5]"


def test_a_slider_changes_the_sum_and_the_picture():
    widget = explorers.upstream(product, [1, 1], [1, 10, 100]).widget()
    (shown,) = found(widget, Screen)
    before = shown.value
    named(widget, "v[2]").value = 0
    assert "= [1, 32]" in shown.value and "= [401, 132]" in before
    assert shown.value.split("base64,")[1] != before.split("base64,")[1]


def test_a_result_with_too_many_entries_is_a_sentence():
    with pytest.raises(ValueError, match="has 13 entries"):
        explorers.upstream(lambda x: x * 2, [1.0] * 13, [1.0] * 13)
    with pytest.raises(ValueError, match="v has the shape"):
        explorers.upstream(product, [1, 1], [1, 10])


def test_a_scalar_result_has_one_slider():
    explorer = explorers.upstream(lambda x: (x * x).sum(), [1, 3], 2)
    assert explorer.still().sentence == "x.grad = 2·[2, 6] = [4, 12]"
    assert [each.description for each in found(explorer.widget(), Slider)] == ["v"]
    assert weights.factor(-1.5) == "(−1.5)"


# --- slices --------------------------------------------------------------------------------------


def test_wrong_cells_are_those_where_the_guess_differs():
    J = torch.autograd.functional.jacobian(lambda x: torch.tensor(A) @ x, torch.ones(2)).numpy()
    assert explorers.wrong_cells(A, J) == []
    assert explorers.wrong_cells([[1, 2], [3, 0], [4, 1]], J) == [(1, 0), (1, 1)]
    with pytest.raises(ValueError, match=r"the shape \[2, 3\]; the shape \[3, 2\] is needed"):
        explorers.wrong_cells([[1, 0, 4], [2, 3, 1]], J)


def test_a_slice_says_what_its_entry_depends_on():
    explorer = all_explorers()["slices"]
    assert explorer.view((1, 0)).sentence == ("y[1, 0] depends on 2 of the 6 entries of x: 1 at [1, 0], 4 at [1, 2].")
    hidden = explorer.view((1, 0), hidden=True)
    assert "Fill in its slice" in hidden.sentence and "4 at" not in hidden.text


def test_a_jacobian_with_too_many_entries_is_a_sentence():
    with pytest.raises(ValueError, match=r"x the shape \[7, 7\]: the explorer shows at most 36"):
        explorers.slices(lambda x: x.sum(), [[1.0] * 7] * 7)


def test_a_hidden_slice_does_not_give_itself_away():
    J, _ = slicing.jacobians.jacobian_of(product, [1, 1])
    one, other = (slicing.jacobians.slices(each, hidden=True, outputs=1) for each in (J, J[::-1] * 0))
    assert one.svg == other.svg


def test_wrong_numbers_are_marked_and_named():
    explorer = all_explorers()["slices"]
    widget = explorer.widget()
    fields, check = found(widget, ipywidgets.FloatText), named(widget, "Check my slice")
    answer = found(widget, Screen)[-1]
    for field, value in zip(fields, [1, 0, 4, 0, 0, 0], strict=True):
        field.value = value
    check.click()
    assert "✓ Every entry of the slice of y[0, 0] is right." in answer.value
    fields[2].value = 3
    check.click()
    assert "✗ One entry is wrong. y[0, 0] changes by 4 for each step of x[0, 2], and you have 3." in answer.value
    assert "Wrong at [0, 2]" in answer.value
    named(widget, "Entry").value = (0, 1)
    assert answer.value == "" and "y[0, 1] depends" in found(widget, Screen)[0].value


# --- leaves --------------------------------------------------------------------------------------


def test_the_inspector_follows_the_program_line_by_line():
    widget = explorers.leaves(LEAVES).widget()
    (shown,) = found(widget, Screen)
    assert "After line 3" in shown.value and "tensor([2., 2.])" in shown.value
    slider = named(widget, "After step")
    slider.value = 1
    assert "After line 1" in shown.value and "MulBackward0" not in shown.value
    slider.value = 0
    assert "Nothing has run yet." in shown.value


def test_an_edited_program_runs_and_its_errors_are_sentences():
    widget = explorers.leaves(LEAVES).widget()
    (shown,) = found(widget, Screen)
    named(widget, "Program").value = "x = torch.ones(2)\ny = x * 2\ny.retain_grad()\nz = y"
    assert "Line 3 stopped with RuntimeError: can&#x27;t retain_grad on Tensor" in shown.value
    assert named(widget, "After step").max == 3
    named(widget, "Program").value = "x = ("
    assert "Line 1 is not Python" in shown.value and named(widget, "After step").max == 0
    named(widget, "Program").value = LEAVES
    assert "After line 3" in shown.value
    named(widget, "Run").click()
    assert "After line 3" in shown.value


# --- predict -------------------------------------------------------------------------------------


def test_the_answer_is_given_in_words():
    prediction = explorers.predict(
        "What is x.grad?",
        ["tensor([111., 111.])", "tensor([401., 132.])", "an error"],
        lambda: torch.tensor([401.0, 132]),
    )
    widget = prediction.widget()
    answer = found(widget, Screen)[-1]
    assert answer.value == ""
    named(widget, "an error").click()
    assert "✗ You said an error. It is tensor([401., 132.])" in answer.value
    named(widget, "tensor([401., 132.])").click()
    assert "✓ Right: it is tensor([401., 132.])" in answer.value


def test_the_stored_form_does_not_tell():
    right, wrong = (explorers.predict("2 + 3 or 2 * 3?", ["5", "6"], lambda n=n: n) for n in (5, 6))
    for mime in ("text/html", "text/plain"):
        assert right._repr_mimebundle_()[mime] == wrong._repr_mimebundle_()[mime]


def test_an_error_may_be_the_truth():
    options = ["1", "RuntimeError: grad can be implicitly created only for scalar outputs"]
    prediction = explorers.predict("?", options, lambda: torch.ones(2, requires_grad=True).mul(2).backward())
    assert prediction.right == 1


def test_long_tensors_are_compared_with_white_space_collapsed():
    prediction = explorers.predict("?", ["tensor([[1., 2.], [0., 3.], [4., 1.]])", "None"], lambda: torch.tensor(A))
    assert prediction.right == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [(["3", "4"], "None of the options says what is true, which is 5"), (["5", " 5"], "Several options say")],
)
def test_a_question_with_none_or_several_right_options_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        explorers.predict("2 + 3?", options, lambda: 5)


def test_the_truth_is_silent(capsys):
    def loud():
        print("secret")
        warnings.warn("secret", stacklevel=1)
        return 5

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explorers.predict("2 + 3?", ["5", "6"], loud)
    assert capsys.readouterr() == ("", "")


# --- in a notebook -------------------------------------------------------------------------------

CELLS = [
    "import minigrad\nfrom minigrad.course.explorers import leaves, predict, slices, upstream, walk",
    "walk(lambda x: x * 3 * x, x=2)",
    "upstream(lambda x: x * x, [1.0, 3.0], [1, 10])",
    "slices(lambda x: x * x, [1.0, 3.0])",
    "leaves('x = torch.ones(2, requires_grad=True)')",
    "predict('2 + 3?', ['5', '6'], lambda: 5)",
]


def ready(cells=CELLS):
    """A notebook with these cells, executed and made ready to be stored."""
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    made.cells = [nbformat.v4.new_code_cell(cell, id=f"cell-{number}") for number, cell in enumerate(cells)]
    builder.execute(made, "a test")
    builder.tidy(made)
    builder.demand_still_forms(made, "a test")
    return made


@pytest.fixture(scope="module")
def notebook():
    return ready()


def test_a_stored_notebook_holds_pictures_and_text_and_no_widgets(notebook):
    assert "widgets" not in notebook.metadata
    for cell in notebook.cells[1:]:
        (output,) = cell.outputs
        assert output.output_type == "execute_result"
        assert set(output.data) == {"text/html", "text/plain"}
    assert notebook.cells[0].outputs == []


def test_it_is_the_same_each_time(notebook):
    again = ready(CELLS[:3])
    assert json.dumps(again.cells) == json.dumps(notebook.cells[:3])


def test_nbval_finds_it_as_it_was_stored(notebook, tmp_path):
    path = tmp_path / "explorers.ipynb"
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"{len(CELLS)} passed" in done.stdout


def test_a_bare_widget_cannot_be_stored():
    with pytest.raises(builder.Refused, match="a widget without a still form"):
        ready(["import ipywidgets\nipywidgets.IntSlider()"])


def test_what_a_reader_saves_keeps_the_still_form(tmp_path):
    manager = FileContentsManager(root_dir=str(tmp_path), pre_save_hook="minigrad.course.saving.before_saving")
    shown = all_explorers()["predict"]._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=shown)
    bare = nbformat.v4.new_output("display_data", data={saving.WIDGET: {"model_id": "1"}})
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=[output, bare])])
    manager.save({"type": "notebook", "format": "json", "content": content}, "reader.ipynb")
    manager.save({"type": "file", "format": "text", "content": "text"}, "notes.txt")
    (cell,) = json.loads((tmp_path / "reader.ipynb").read_text())["cells"]
    assert [set(each["data"]) for each in cell["outputs"]] == [{"text/html", "text/plain"}, {saving.WIDGET}]
    assert (tmp_path / "notes.txt").read_text() == "text"
