"""Explorers in JupyterLab, in a lesson that was never run: in both themes, with the keyboard, after a reload."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from served import Running

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from explored import EXPLORERS, PREDICTED, fits, predict, press, slider, times_of_moves
from notebook import Lab, Notebook
from playwright.sync_api import BrowserContext, Locator, expect

from minigrad.course.tries import tries_in

expect.set_options(timeout=60_000)

MOST = 25  # milliseconds for a move
ACTIVE = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"


@pytest.fixture(scope="module", params=EXPLORERS)
def opened(request: pytest.FixtureRequest, jupyterlab: Lab) -> Iterator[tuple[str, Notebook]]:
    notebook = jupyterlab.open(f"lessons/{request.param}.ipynb")
    yield request.param, notebook
    notebook.close()


def root_of(notebook: Notebook, cell: str) -> Locator:
    root = notebook.output(cell).locator(".mg")
    root.scroll_into_view_if_needed()
    return root


def test_every_explorer_moves_although_nothing_was_run(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    assert not any(cell["trusted"] for cell in notebook.cells() if cell["code"] and cell["count"])
    for cell, move in EXPLORERS[name].items():
        move(root_of(notebook, cell))
    assert notebook.console == [] and notebook.elsewhere == []


def test_texts_change_with_the_theme_and_nothing_sticks_out(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    root = root_of(notebook, next(iter(EXPLORERS[name])))
    colours = []
    for theme in ("Dark", "Light"):
        notebook.theme(theme)
        colours.append(root.evaluate("root => getComputedStyle(root).color"))
        assert all(fits(root_of(notebook, cell)) for cell in EXPLORERS[name])
    assert colours == ["rgb(232, 236, 241)", "rgb(27, 31, 36)"]


def sliding(name: str, notebook: Notebook) -> list[Locator]:
    """The explorers of a lesson that have a slider."""
    roots = [root_of(notebook, cell) for cell in EXPLORERS[name]]
    return [root for root in roots if root.locator("input[type=range]").count()]


def test_arrow_keys_belong_to_the_slider(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    for root in sliding(name, notebook):
        bar = root.locator("input[type=range]").first
        bar.focus()
        before = notebook.page.evaluate(ACTIVE)
        press(bar, "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp")
        assert notebook.page.evaluate(ACTIVE) == before


def test_a_move_is_quicker_than_the_eye(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    for root in sliding(name, notebook):
        times = times_of_moves(root)
        assert times[len(times) // 2] < MOST, times  # a busy machine lets some of them wait


def test_it_is_there_again_after_saving_and_closing(jupyterlab: Lab) -> None:
    name = "01_scalar_backward"
    for number in range(2):
        notebook = jupyterlab.open(f"lessons/{name}.ipynb")
        root = root_of(notebook, "backward-picture")
        press(slider(root), "End")
        expect(root).to_contain_text("a keeps 4 in .grad.")
        if not number:
            notebook.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        notebook.close()


SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"


def test_a_choice_is_saved_and_found_again(browser: BrowserContext, jupyterlab: Lab, lab: Running) -> None:
    """Through a run of its cell, saved or not, and through a reload; in a notebook that was never trusted, too."""
    lesson, cell = PREDICTED
    path = f"lessons/{lesson}.ipynb"
    saved = lab.folder / "course" / path
    notebook = jupyterlab.open(path)
    predict(root_of(notebook, cell))
    assert notebook.violations() == ""
    for change in ("run anew", "saved", "run anew"):
        if change == "saved":
            notebook.page.evaluate(SAVE)
        else:
            before = notebook.output(cell).locator(".mg").element_handle()
            notebook.run(cell)
            assert before is not None
            notebook.page.wait_for_function("node => !node.isConnected", arg=before)
        expect(root_of(notebook, cell)).to_contain_text("✓ Right.")
        expect(root_of(notebook, cell).get_by_role("button", name="wrong: 42")).to_be_visible()
    notebook.close()
    assert tries_in(saved)["product"] == (["42", "99"], "99")
    reloaded = Lab(browser, lab)
    notebook = reloaded.open(path)
    expect(root_of(notebook, cell)).to_contain_text("✓ Right.")
    notebook.close()
    reloaded.close()


def test_a_notebook_that_cannot_be_written_takes_a_choice_all_the_same(jupyterlab: Lab, lab: Running) -> None:
    saved = lab.folder / "course" / "lessons" / "02_upstream_gradients.ipynb"
    saved.chmod(0o444)
    try:
        notebook = jupyterlab.open(f"lessons/{saved.name}")
        root = root_of(notebook, "ask-weights")
        root.get_by_role("button").first.click()
        expect(root).to_contain_text("✗ This adds up the weights")
        assert notebook.console == []
        notebook.close()
    finally:
        saved.chmod(0o644)


def test_what_is_too_new_is_a_sentence_and_the_picture(jupyterlab: Lab) -> None:
    notebook = jupyterlab.open("lessons/01_scalar_backward.ipynb")
    output = notebook.try_out(
        "from minigrad.course.pictures import shown\nshown.FORMAT = 2\nwalk = __import__('minigrad.course.explorers', "
        "fromlist=['walk']).walk\nwalk(lambda x: x * x, x=3)"
    )
    expect(output).to_contain_text("made by a newer minigrad than the one installed here")
    image = output.locator("img.mg-still")
    expect(image).to_have_attribute(
        "alt", "A walk through the graph of f = 9, forward and backward. x = 3 keeps 6 in .grad."
    )
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    notebook.close()
