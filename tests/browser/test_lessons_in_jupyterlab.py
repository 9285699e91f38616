"""Every lesson in a real JupyterLab: worth reading before it is run, whole afterwards, its explorers alive.

That each cell of each lesson runs, and what it prints then, is the builder's to check. Here it is how it looks: two
lessons are run whole, of two more what their playgrounds need, and the others are looked at.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from minigrad.course.pictures.shown import MIME
from minigrad.course.source import notebooks_folder

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from notebook import Lab, Look, Notebook
from playwright.sync_api import Locator, expect

expect.set_options(timeout=60_000)

LESSONS = sorted(path.stem for path in (notebooks_folder() / "lessons").glob("*.ipynb"))
WHOLE = ("01_scalar_backward", "05_train_a_network")
PLAYED = ("03_jacobian_sums", "04_leaves")
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
    ran: list[str]  # the cells
    after: Look


@pytest.fixture(scope="module", params=LESSONS)
def visit(request: pytest.FixtureRequest, jupyterlab: Lab) -> Iterator[Visit]:
    name = f"lessons/{request.param}.ipynb"
    stored = json.loads((notebooks_folder() / name).read_text(encoding="utf-8"))["cells"]
    for cell in stored:  # as a copy comes: what answers a prediction is not there yet
        if "answers" in cell["metadata"].get("minigrad", {}):
            cell["outputs"] = []
    notebook = jupyterlab.open(name, runs=request.param in WHOLE + PLAYED)
    trusted = any(cell["trusted"] for cell in notebook.cells() if cell["code"] and cell["count"])
    before, wrong = notebook.look(), notebook.violations()
    ran = [cell["id"] for cell in notebook.cells() if cell["code"]]
    if request.param in WHOLE:
        notebook.run_all()
    else:
        ran = [ran[0], "playground"] if request.param in PLAYED else []
        notebook.run_cells(*ran)
    yield Visit(notebook, stored, trusted, before, wrong, ran, notebook.look())
    notebook.close()


def pictures_of(cell: dict) -> int:
    """How many pictures that nobody moves stand under a cell."""
    return sum(output.get("data", {}).get(MIME, {}).get("view") == "picture" for output in cell.get("outputs", []))


def of_lesson(name: str) -> Callable:
    """Mark a test of one lesson only."""
    return pytest.mark.parametrize("visit", [name], indirect=True)


def test_before_anything_is_run_every_output_and_picture_is_there(visit: Visit) -> None:
    assert not visit.trusted  # so this is what somebody sees who has just fetched the course
    stored = visit.stored
    assert [bool(shown) for shown in visit.before.cells] == [bool(cell.get("outputs")) for cell in stored]
    assert len(visit.before.pictures) == sum(map(pictures_of, stored))
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


def test_cells_run_without_an_error_and_the_console_stays_empty(visit: Visit) -> None:
    code = [cell for cell in visit.notebook.cells() if cell["id"] in visit.ran]
    assert [cell["id"] for cell in code if not cell["count"]] == []
    assert [error for cell in code for error in cell["errors"]] == []
    assert not [shown for shown in visit.after.cells if RAW.search(shown)]
    assert visit.notebook.console == []


def test_nothing_is_fetched_from_elsewhere(visit: Visit) -> None:
    assert visit.notebook.elsewhere == []


def test_nothing_hinders_a_reader_on_level_a_or_aa(visit: Visit) -> None:
    """In the light theme before anything was run, in the dark one afterwards."""
    assert visit.wrong_before == ""
    visit.notebook.theme("Dark")
    wrong = visit.notebook.violations()
    visit.notebook.theme("Light")
    assert wrong == ""


# --- playgrounds ---------------------------------------------------------------------------------


class Moving:
    """The output of an explorer, whose text and picture have to change at every move."""

    def __init__(self, output: Locator):
        self.output = output
        self.seen = {self.picture()}

    def picture(self) -> str:
        return self.output.locator("svg").first.inner_html()

    def shows(self, text: str | re.Pattern[str]) -> None:
        """It says so, where a screen reader listens, and has a picture that was not there before."""
        expect(self.output.locator("[aria-live=polite]").first).to_contain_text(text)
        assert self.picture() not in self.seen
        self.seen.add(self.picture())


def box(output: Locator, name: str) -> Locator:
    return output.get_by_role("textbox", name=name, exact=True)


@of_lesson("01_scalar_backward")
def test_another_function_is_walked_with_the_keyboard_alone(visit: Visit) -> None:
    output = visit.notebook.output("playground")
    page = visit.notebook.page
    box(output, "Function").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("h = a * 3\nh * (h + b)")
    page.keyboard.press("Tab")
    expect(output).to_contain_text("a = 2 keeps 45 in .grad")
    expect(box(output, "a")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("-1")
    page.keyboard.press("Enter")
    expect(output).to_contain_text("a = −1 keeps −9 in .grad")
    steps = output.locator(".mg").get_by_role("slider", name="Step", exact=True)
    steps.focus()
    steps.press("End")
    expect(output.locator(".mg [aria-live=polite]")).to_contain_text("a keeps −9 in .grad.")


@of_lesson("01_scalar_backward")
def test_a_typing_error_is_a_sentence_and_the_next_function_is_drawn(visit: Visit) -> None:
    output = visit.notebook.output("playground")
    run = output.get_by_role("button", name="Run")
    for text, sentence in (
        ("a * (b", "✗ Line 1, place 5: '(' was never closed."),
        ("a * q", "✗ Line 1, `a * q`: NameError: name 'q' is not defined. The names here are a, b, c and torch."),
        ("while True: pass\na", "✗ It did not end within 5 seconds."),
    ):
        box(output, "Function").fill(text)
        run.click()
        expect(output.locator("[aria-live=polite]").first).to_contain_text(sentence)
        expect(output).to_contain_text("The picture is still that of what could be drawn before.")
    assert visit.notebook.console == []
    box(output, "a").fill("2")
    box(output, "Function").fill("a * a")
    run.click()
    expect(output).to_contain_text("a = 2 keeps 4 in .grad")
    expect(output).not_to_contain_text("✗")


@of_lesson("03_jacobian_sums")
def test_the_slices_of_another_function_are_drawn(visit: Visit) -> None:
    output = visit.notebook.output("playground")
    box(output, "Function").fill("b * b")
    output.get_by_role("button", name="Run").click()
    expect(output).to_contain_text("they add up to b.grad = [[2, 40, 600], [16, 200, 2400]]")
    expect(output.locator(".mg-slice")).to_have_count(6)


@of_lesson("04_leaves")
def test_a_program_of_ones_own_fills_the_table(visit: Visit) -> None:
    output = visit.notebook.output("playground")
    box(output, "Program").fill("x = torch.ones(2)\nx.backward()")
    output.get_by_role("button", name="Run").click()
    expect(output.get_by_role("table")).to_contain_text("Line 2 stopped with RuntimeError")


@of_lesson("05_train_a_network")
def test_a_network_is_trained_anew_for_each_rate(visit: Visit) -> None:
    output = visit.notebook.output("playground")
    drawn = Moving(output)
    box(output, "rate").fill("0.001")
    box(output, "rate").press("Enter")
    drawn.shows(re.compile(r"loss goes from (0\.6\d+) at 0 to 0\.6\d+ at"))
