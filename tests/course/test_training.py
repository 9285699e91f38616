"""The explorer of training and the progress bar: right numbers, controls that do something, a still form that stays."""

import numpy as np
import pytest

from minigrad.course.explorers import training
from minigrad.course.explorers.controls import Screen, Stepper
from minigrad.course.progress_bar import Bar, progress_bar

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0], [4.0, 0.0]])
LABELS = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])


@pytest.fixture
def explorer():
    """After n steps, what lies right of n is class 1."""
    calls = []

    def trained(count):
        calls.append(count)
        return lambda plane: plane[:, :1] - count

    made = training(trained, range(0, 5), POINTS, LABELS, start=2)
    made.calls = calls
    return made


@pytest.mark.parametrize(("count", "wrong"), [(0, 1), (1, 0), (2, 1), (4, 3)])
def test_the_points_on_the_wrong_side_are_counted(explorer, count, wrong):
    view = explorer.view(count)
    steps = "1 step" if count == 1 else f"{count} steps"
    assert view.sentence == f"After {steps}, {wrong} of 5 points lie on the wrong side."
    assert view.sentence in view.shown[0].alt


def test_each_training_is_run_once_and_when_its_turn_comes(explorer):
    assert explorer.calls == []
    explorer.widget()
    repr(explorer)
    assert explorer.calls == [2]


def test_the_slider_moves_the_view(explorer, capsys):
    slider, shown = explorer.widget().children
    assert isinstance(slider, Stepper) and isinstance(shown, Screen)
    assert slider.description == "Steps" and slider.tooltip
    assert "After 2 steps, 1 of 5" in shown.value
    assert slider.texts[4] == "4"
    slider.value = 4
    assert "After 4 steps, 3 of 5" in shown.value
    assert capsys.readouterr() == ("", "")


def test_without_a_kernel_there_is_a_picture_with_words(explorer):
    still = explorer._repr_mimebundle_()
    assert "<img alt=" in still["text/html"] and "After 2 steps" in still["text/html"]
    assert still["text/plain"].startswith("After 2 steps, 1 of 5 points lie on the wrong side.")


def test_progress_gives_every_item_and_fills_its_bar(monkeypatch):
    bars = []
    monkeypatch.setattr("minigrad.course.progress_bar.display", bars.append)
    seen = [(item, bars[0].value) for item in progress_bar(range(10, 13), "images")]
    assert seen == [(10, 0), (11, 1), (12, 2)]
    assert (bars[0].value, bars[0].max, bars[0].bar_style) == (3, 3, "success")


def test_what_is_stored_of_a_bar_does_not_depend_on_how_far_it_is():
    bar = Bar(max=200, description="steps")
    before = bar._repr_mimebundle_()
    bar.value = 77
    after = bar._repr_mimebundle_()
    assert before["text/plain"] == after["text/plain"] == before["text/html"] == after["text/html"] == "steps: 200"
