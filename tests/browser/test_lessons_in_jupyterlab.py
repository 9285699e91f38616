"""Every lesson in a real JupyterLab: worth reading before it is run, whole afterwards, its explorers alive."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from served import Running

from minigrad.course.source import notebooks_folder

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from notebook import Look, Notebook
from playwright.sync_api import BrowserContext, Locator, expect

expect.set_options(timeout=60_000)

LESSONS = sorted(path.stem for path in (notebooks_folder() / "lessons").glob("*.ipynb"))
# What a reader must never see: objects and widgets as Python prints them, and what JupyterLab says instead of a widget.
RAW = re.compile(
    r"object at 0x|\b(VBox|HBox|HTML|Slider|Stepper|Screen|Bar)\(|Error displaying|Loading widget|disabled"
)


@dataclass
class Visit:
    """A lesson that was opened, looked at, and run."""

    notebook: Notebook
    stored: list[dict]
    trusted: bool
    before: Look
    wrong_before: str  # what axe said
    after: Look


@pytest.fixture(scope="module", params=LESSONS)
def visit(request: pytest.FixtureRequest, browser: BrowserContext, lab: Running) -> Iterator[Visit]:
    name = f"lessons/{request.param}.ipynb"
    stored = json.loads((notebooks_folder() / name).read_text(encoding="utf-8"))["cells"]
    notebook = Notebook(browser, lab, name)
    trusted = any(cell["trusted"] for cell in notebook.cells() if cell["code"] and cell["count"])
    before, wrong = notebook.look(), notebook.violations()
    notebook.run_all()
    yield Visit(notebook, stored, trusted, before, wrong, notebook.look())
    notebook.close()


def html_of(cell: dict) -> str:
    return "".join("".join(output.get("data", {}).get("text/html", "")) for output in cell.get("outputs", []))


def of_lesson(name: str) -> Callable:
    """Mark a test of one lesson only."""
    return pytest.mark.parametrize("visit", [name], indirect=True)


def test_before_anything_is_run_every_output_and_picture_is_there(visit: Visit) -> None:
    assert not visit.trusted  # so this is what somebody sees who has just fetched the course
    stored = visit.stored
    assert [bool(shown) for shown in visit.before.cells] == [bool(cell.get("outputs")) for cell in stored]
    assert len(visit.before.pictures) == sum(html_of(cell).count("<img ") for cell in stored)
    assert not [shown for shown in visit.before.cells if RAW.search(shown)]


def test_every_picture_has_words_and_a_size_and_fits(visit: Visit) -> None:
    for picture in [*visit.before.pictures, *visit.after.pictures]:
        assert len(picture["alt"]) > 20
        assert picture["width"] > 50 and picture["height"] > 30
        assert picture["fits"]


def test_headings_are_in_order(visit: Visit) -> None:
    levels = visit.before.headings
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


def test_all_cells_run_without_an_error_and_the_console_stays_empty(visit: Visit) -> None:
    code = [cell for cell in visit.notebook.cells() if cell["code"]]
    assert [cell["id"] for cell in code if not cell["count"]] == []
    assert [error for cell in code for error in cell["errors"]] == []
    assert not [shown for shown in visit.after.cells if RAW.search(shown)]
    assert visit.notebook.console == []


def test_nothing_is_fetched_from_elsewhere(visit: Visit) -> None:
    assert visit.notebook.elsewhere == []


def test_nothing_hinders_a_reader_on_level_a_or_aa(visit: Visit) -> None:
    assert visit.wrong_before == ""
    for theme in ("Dark", "Light"):
        visit.notebook.theme(theme)
        assert visit.notebook.violations() == "", theme


# --- explorers -----------------------------------------------------------------------------------


class Moving:
    """The output of an explorer, whose text and picture have to change at every move."""

    def __init__(self, output: Locator):
        self.output = output
        self.seen = {self.picture()}

    def picture(self) -> str:
        return self.output.locator("img").first.get_attribute("src") or ""

    def shows(self, text: str | re.Pattern[str]) -> None:
        """It says so, where a screen reader listens, and has a picture that was not there before."""
        expect(self.output.locator("[aria-live=polite]").first).to_contain_text(text)
        assert self.picture() not in self.seen
        self.seen.add(self.picture())


def drag(slider: Locator, share: float) -> None:
    """Pull the handle of a slider with the mouse to this share of its way."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    low, high, value = (float(slider.evaluate(f"it => it.{name}")) for name in ("min", "max", "value"))
    assert box is not None
    mouse, middle, handle = slider.page.mouse, box["y"] + box["height"] / 2, 16  # pixels
    way = box["width"] - handle
    mouse.move(box["x"] + handle / 2 + way * (value - low) / (high - low), middle)
    mouse.down()
    mouse.move(box["x"] + handle / 2 + way * share, middle, steps=8)
    mouse.up()


def named_slider(output: Locator, name: str) -> Locator:
    return output.get_by_role("slider", name=name, exact=True)


@of_lesson("01_scalar_backward")
def test_the_walk_takes_steps(visit: Visit) -> None:
    output = visit.notebook.output("backward-picture")
    walk = Moving(output)
    slider = named_slider(output, "Step")
    region = output.locator("[aria-live=polite]").element_handle()
    slider.focus()
    slider.press("ArrowRight")
    walk.shows("Step 1 of 5.")
    assert region.evaluate("it => it.isConnected")  # a screen reader speaks of what changes inside it, not of a new one
    output.get_by_role("button", name="Next").click()
    walk.shows("Step 2 of 5.")
    drag(slider, 1.0)
    walk.shows("Step 5 of 5.")
    expect(output.get_by_role("button", name="Next")).to_be_disabled()


@of_lesson("02_upstream_gradients")
def test_the_sliders_of_v_weigh_the_rows(visit: Visit) -> None:
    output = visit.notebook.output("explorer")
    weights = Moving(output)
    slider = named_slider(output, "v[1]")
    slider.focus()
    slider.press("ArrowRight")
    weights.shows("x.grad = 1·[1, 2] + 11·[0, 3] + 100·[4, 1] = [401, 135]")
    drag(named_slider(output, "v[2]"), 0.0)
    weights.shows("+ (−100)·[4, 1] = [−399, −65]")


@of_lesson("02_upstream_gradients")
def test_a_prediction_is_judged(visit: Visit) -> None:
    output = visit.notebook.output("predict-v")
    output.get_by_role("button", name="[401., 132.]").click()
    expect(output).to_contain_text("✓ Right: it is tensor([401., 132.])")
    wrong = output.get_by_role("button", name="[111., 111.]")
    wrong.focus()
    wrong.press("Enter")
    expect(output).to_contain_text("✗ You said tensor([111., 111.]).")


@of_lesson("03_jacobian_sums")
def test_a_slice_is_chosen_filled_in_and_judged(visit: Visit) -> None:
    output = visit.notebook.output("explorer")
    slices = Moving(output)
    entry = output.get_by_role("button", name="out[0, 1]")
    entry.focus()
    entry.press("Enter")
    slices.shows("out[0, 1] depends on 2 of the 6 entries of m: 3 at [0, 1], 2 at [0, 2].")
    output.get_by_role("checkbox", name="Show the numbers").click()
    slices.shows("On which of the 6 entries of m does out[0, 1] depend")
    for place, number in (("[0, 1]", "3"), ("[0, 2]", "5")):
        output.get_by_role("spinbutton", name=place).fill(number)
    check = output.get_by_role("button", name="Check my slice")
    check.click()
    expect(output).to_contain_text("✗ One entry is wrong.")
    output.get_by_role("spinbutton", name="[0, 2]").fill("2")
    output.get_by_role("spinbutton", name="[0, 2]").press("Tab")
    check.click()
    expect(output).to_contain_text("✓ Every entry of the slice of out[0, 1] is right.")


@of_lesson("04_leaves")
def test_the_leaf_inspector_runs_what_is_typed(visit: Visit) -> None:
    output = visit.notebook.output("explorer")
    table = output.get_by_role("table")
    before = table.inner_text()
    slider = named_slider(output, "After step")
    slider.focus()
    slider.press("Home")
    expect(table).not_to_contain_text(before.splitlines()[-1])
    output.get_by_role("textbox", name="Program").fill("w = torch.ones(2, requires_grad=True)\nz = w.exp()")
    output.get_by_role("button", name="Run").click()
    expect(table).to_contain_text("ExpBackward0")
    drag(slider, 0.0)
    expect(table).not_to_contain_text("ExpBackward0")


@of_lesson("05_train_a_network")
def test_the_boundary_bends_with_the_steps(visit: Visit) -> None:
    output = visit.notebook.output("training-explorer")
    boundary = Moving(output)
    slider = named_slider(output, "Steps")
    expect(slider).to_have_attribute("aria-valuetext", "40")
    slider.focus()
    slider.press("ArrowRight")
    boundary.shows("After 60 steps")
    drag(slider, 1.0)
    boundary.shows("After 160 steps, 0 of 120")
