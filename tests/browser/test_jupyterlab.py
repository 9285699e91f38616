"""The course in a real JupyterLab: worth reading before it is run, whole afterwards, answers judged, explorers alive.

One notebook of a kind: that every cell runs and what it prints is the builder's to check, that every explorer moves is
tried on the pages of the site, and pictures, headings and goals of the others are compared as data. One file, because
JupyterLab takes longer to load than all that is done in it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from served import Running

from minigrad_course.learner.home import page as first_page
from minigrad_course.notebooks import renewal
from minigrad_course.pictures.shown import MIME
from minigrad_course.texts.source import notebooks_folder
from minigrad_course.texts.tries import tries_in

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from explored import EXPLORERS, PREDICTED, fits, predict, press, slider
from notebook import CLOSE, OPEN, PANEL, Lab, Look, Notebook
from playwright.sync_api import Locator, expect

expect.set_options(timeout=60_000)

WHOLE = "01_scalar_backward"  # it has walks, questions and a playground, and runs in seconds
# What a reader must never see: objects and widgets as Python prints them, and what JupyterLab says instead of a widget.
RAW = re.compile(
    r"object at 0x|\b(VBox|HBox|HTML|Slider|Stepper|Screen|Bar)\(|Error displaying|Loading widget|disabled"
)


@dataclass
class Visit:
    """A lesson that was opened, looked at, played with, and run: opening it anew and a kernel take longer than that."""

    notebook: Notebook
    stored: list[dict]
    trusted: bool
    before: Look
    wrong_before: str  # what axe said
    colours: list[str]  # of an explorer, in the dark theme and in the light one
    cut_off: list[str]  # explorers that did not fit
    cell_kept: bool  # while arrow keys moved an explorer
    ran: list[str]  # the cells
    after: Look


@pytest.fixture(scope="class")
def visit(jupyterlab: Lab) -> Iterator[Visit]:
    name = f"lessons/{WHOLE}.ipynb"
    stored = json.loads((notebooks_folder() / name).read_text(encoding="utf-8"))["cells"]
    for cell in stored:  # as a copy comes: what answers a prediction is not there yet
        if "answers" in cell["metadata"].get("minigrad", {}):
            cell["outputs"] = []
    notebook = jupyterlab.open(name)
    trusted = any(cell["trusted"] for cell in notebook.cells() if cell["code"] and cell["count"])
    before, wrong = notebook.look(), notebook.violations()
    for cell, move in EXPLORERS[WHOLE].items():
        move(root_of(notebook, cell))
    colours, cut_off = [], []
    for theme in ("Dark", "Light"):
        notebook.theme(theme)
        colours.append(root_of(notebook, "race").evaluate("root => getComputedStyle(root).color"))
        cut_off += [cell for cell in EXPLORERS[WHOLE] if not fits(root_of(notebook, cell))]
    kept = keeps_its_cell(notebook)
    predict(root_of(notebook, PREDICTED[1]))
    ran = [cell["id"] for cell in notebook.cells() if cell["code"]]
    notebook.run_all()
    visit = Visit(notebook, stored, trusted, before, wrong, colours, cut_off, kept, ran, notebook.look())
    yield visit
    visit.notebook.close()


ACTIVE = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"


def root_of(notebook: Notebook, cell: str) -> Locator:
    root = notebook.output(cell).locator(".mg")
    root.scroll_into_view_if_needed()
    return root


def keeps_its_cell(notebook: Notebook) -> bool:
    """Whether the same cell is active after arrow keys were pressed in an explorer."""
    bar = root_of(notebook, "race").locator("input[type=range]").first
    bar.focus()
    before = notebook.page.evaluate(ACTIVE)
    press(bar, "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp")
    return notebook.page.evaluate(ACTIVE) == before


def pictures_of(cell: dict) -> int:
    """How many pictures that nobody moves stand under a cell."""
    return sum(output.get("data", {}).get(MIME, {}).get("view") == "picture" for output in cell.get("outputs", []))


def box(output: Locator, name: str) -> Locator:
    return output.get_by_role("textbox", name=name, exact=True)


class TestLesson:
    """Of one lesson, which is closed when the last of these has looked at it."""

    def test_before_anything_is_run_every_output_and_picture_is_there(self, visit: Visit) -> None:
        assert not visit.trusted  # so this is what somebody sees who has just fetched the course
        stored = visit.stored
        assert [bool(shown) for shown in visit.before.cells] == [bool(cell.get("outputs")) for cell in stored]
        assert len(visit.before.pictures) == sum(map(pictures_of, stored))
        assert not [shown for shown in visit.before.cells if RAW.search(shown)]

    def test_every_picture_has_words_and_a_size_and_fits(self, visit: Visit) -> None:
        for picture in [*visit.before.pictures, *visit.after.pictures]:
            assert len(picture["alt"]) > 20
            assert picture["width"] > 50 and picture["height"] > 30
            assert picture["fits"]

    def test_cells_run_without_an_error_and_the_console_stays_empty(self, visit: Visit) -> None:
        code = [cell for cell in visit.notebook.cells() if cell["id"] in visit.ran]
        assert [cell["id"] for cell in code if not cell["count"]] == []
        assert [error for cell in code for error in cell["errors"]] == []
        assert not [shown for shown in visit.after.cells if RAW.search(shown)]
        assert visit.notebook.console == []

    def test_nothing_is_fetched_from_elsewhere(self, visit: Visit) -> None:
        assert visit.notebook.elsewhere == []

    def test_nothing_hinders_a_reader_on_level_a_or_aa(self, visit: Visit) -> None:
        """In the light theme before anything was run, in the dark one afterwards."""
        assert visit.wrong_before == ""
        visit.notebook.theme("Dark")
        wrong = visit.notebook.violations()
        visit.notebook.theme("Light")
        assert wrong == ""

    def test_another_function_is_walked_with_the_keyboard_alone(self, visit: Visit) -> None:
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

    def test_a_typing_error_is_a_sentence_and_the_next_function_is_drawn(self, visit: Visit) -> None:
        output = visit.notebook.output("playground")
        run = output.get_by_role("button", name="Run")
        visit.notebook.tell("from minigrad_course.explorers import playing; playing.SECONDS = 0.5")
        for text, sentence in (
            ("a * (b", "✗ Line 1, place 5: '(' was never closed."),
            ("a * q", "✗ Line 1, `a * q`: NameError: name 'q' is not defined. The names here are a, b, c and torch."),
            ("while True: pass\na", "✗ It did not end within 0.5 seconds."),
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

    def test_explorers_move_although_nothing_was_run_follow_the_theme_and_keep_their_arrow_keys(
        self, visit: Visit
    ) -> None:
        assert visit.colours == ["rgb(232, 236, 241)", "rgb(27, 31, 36)"]
        assert visit.cut_off == [] and visit.cell_kept

    def test_a_choice_is_saved_and_found_again_and_explorers_are_alive_then(
        self, visit: Visit, jupyterlab: Lab, lab: Running
    ) -> None:
        """Made before it was trusted: through a run of its cell, saved or not, and when it is opened again."""
        lesson, cell = PREDICTED
        assert lesson == WHOLE
        path = f"lessons/{lesson}.ipynb"
        saved = lab.folder / "course" / path
        notebook = visit.notebook
        for change in ("it was run", "saved", "run anew"):
            if change == "saved":
                notebook.page.evaluate(SAVE)
            elif change == "run anew":
                before = notebook.output(cell).locator(".mg").element_handle()
                notebook.run(cell)
                assert before is not None
                notebook.page.wait_for_function("node => !node.isConnected", arg=before)
            expect(root_of(notebook, cell)).to_contain_text("✓ Right.")
            expect(root_of(notebook, cell).get_by_role("button", name="wrong: 42")).to_be_visible()
        notebook.close()
        assert tries_in(saved)["product"] == (["42", "99"], "99")
        notebook = visit.notebook = jupyterlab.open(path, runs=False)
        expect(root_of(notebook, cell)).to_contain_text("✓ Right.")
        root = root_of(notebook, "backward-picture")
        press(slider(root), "End")
        expect(root).to_contain_text("a keeps 4 in .grad.")


# --- exercises ---------------------------------------------------------------------------------

# Of the others, and of solutions, the goals and the headings are compared as data.
NAMES = ["exercises/01_scalar_backward.ipynb"]


def cells_of(name: str) -> dict[str, dict]:
    """The cells of a notebook as the course has it, by id."""
    cells = json.loads((notebooks_folder() / name).read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: cell for cell in cells}


@pytest.fixture(scope="module", params=NAMES)
def opened(request: pytest.FixtureRequest, jupyterlab: Lab) -> Iterator[tuple[str, Notebook]]:
    notebook = jupyterlab.open(request.param, runs=False)
    yield request.param, notebook
    notebook.close()


def test_what_torch_prints_is_under_each_check_before_the_first_run(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    shown = dict(zip(notebook.places, notebook.look().cells, strict=True))
    checks = [each for each, cell in cells_of(name).items() if "".join(cell["source"]).startswith("%%check")]
    assert checks
    mark = "The target: torch's output." if name.startswith("exercises") else "✓"
    assert [check for check in checks if mark not in shown[check] or len(shown[check].splitlines()) < 2] == []
    assert notebook.console == [] and notebook.elsewhere == []


def test_its_tab_says_what_it_is_and_the_file_keeps_its_name(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    folder, number, rest = re.fullmatch(r"(\w+)s/0(\d)_(\w+)\.ipynb", name).groups()
    assert notebook.tab() == f"{folder.capitalize()} {number} · {rest.replace('_', ' ')}"
    context = "() => window.jupyterapp.shell.currentWidget.context"
    assert notebook.page.evaluate(f"{context}.path").endswith(name)
    assert not notebook.page.evaluate(f"{context}.model.dirty")  # its kernel has said nothing new


LONGEST_LINE = """panel => Math.max(
  ...[...document.querySelectorAll(`${panel} .jp-RenderedMarkdown :is(p, li)`)].map(each => {
  const lines = {}, texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), letter = document.createRange();
  for (let node; (node = texts.nextNode());) {
    if (node.parentElement.closest("mjx-container, table")) continue;
    for (let at = 0; at < node.length; at++) {
      letter.setStart(node, at), letter.setEnd(node, at + 1);
      const line = Math.round(letter.getBoundingClientRect().bottom / 8);  // code in a line is a little lower
      lines[line] = (lines[line] ?? "") + node.data[at];
    } }
  return Math.max(0, ...Object.values(lines).map(line => line.trim().length)); }))"""


def test_no_line_of_text_is_too_long_to_read(opened: tuple[str, Notebook]) -> None:
    _, notebook = opened
    assert 40 < notebook.page.evaluate(LONGEST_LINE, PANEL) <= 75


def test_the_first_page_shows_what_was_saved_and_leads_to_the_next_part(jupyterlab: Lab, lab: Running) -> None:
    """`minigrad lab` has shown it, and its cell runs by itself: at first, and when one comes back to it."""
    page = lab.folder / "course" / "home.ipynb"
    home = jupyterlab.open("home.ipynb")
    assert home.tab() == "Your course"
    shown = home.output("progress")
    expect(shown).to_contain_text("0 of 61 passed, 61 open.")
    expect(home.cell("progress").locator(".jp-Cell-inputWrapper")).to_be_hidden()
    assert home.violations() == ""
    exercise = lab.folder / "course" / "exercises" / "01_scalar_backward.ipynb"
    given = exercise.read_bytes()
    try:
        link = shown.get_by_role("link", name="Next: record")
        expect(link).to_have_attribute("href", re.compile("#cell-id=about-record$"))
        link.click()
        home.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget?.context?.path.startsWith('exercises')"
        )
        home.idle()
        expect(home.panel.get_by_role("heading", name="1. The record")).to_be_visible()
        shutil.copy(lab.folder / "course" / "solutions" / exercise.name, exercise)
        home.page.evaluate(CLOSE, True)  # the page behind it comes to the front, and is run
        home.page.evaluate(OPEN, ["home.ipynb", ""])
        expect(shown).to_contain_text("10 of 61 passed, 51 open.")
        expect(shown).not_to_contain_text("already loaded")
        expect(shown.get_by_role("link", name="Next: seed_rule")).to_be_visible()
        home.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    finally:
        exercise.write_bytes(given)
    assert "10 of 61 passed" in page.read_text(encoding="utf-8")
    assert [said for said in home.console if "debugger" not in said] == []  # its kernel was stopped under it
    home.close()


def test_a_page_of_this_name_elsewhere_runs_nothing(jupyterlab: Lab, lab: Running) -> None:
    other = lab.folder / "course" / "other" / "home.ipynb"
    other.parent.mkdir()
    other.write_bytes(renewal.text_of(first_page()))
    notebook = jupyterlab.open("other/home.ipynb")
    expect(notebook.output("progress")).to_contain_text("If it does not, click on this cell")
    expect(notebook.cell("progress").locator(".jp-Cell-inputWrapper")).to_be_visible()
    notebook.close()


def test_a_wrong_answer_is_told_its_mistake_and_the_right_one_passes(jupyterlab: Lab, lab: Running) -> None:
    """And in the dark theme nothing hinders a reader either: neither a goal, nor a mistake, nor what is passed."""
    right = "".join(cells_of("solutions/01_scalar_backward.ipynb")["mul"]["source"])
    wrong = re.sub(r"return grad_output \* b, .*", "return b, a", right)
    assert wrong != right
    course = lab.folder / "course"
    shutil.copytree(course / "exercises", course / "attempt")  # other tests look at the exercises as they were
    notebook = jupyterlab.open("attempt/01_scalar_backward.ipynb")
    verdict = notebook.output("check-mul")
    expect(notebook.cell("check-mul").locator(".cm-content")).to_be_hidden()  # folded
    expect(notebook.cell("check-mul").locator(".jp-Placeholder-content")).to_contain_text("%%check mul")
    notebook.run("setup")
    notebook.run("check-mul")
    expect(verdict).to_contain_text("… mul:")
    expect(verdict.get_by_role("columnheader")).to_have_text(["torch"])  # the target is still there
    notebook.write("mul", wrong)
    notebook.run("check-mul")
    expect(verdict).to_contain_text("✗ mul: not what torch prints")
    expect(verdict).to_contain_text("This is what you get when you return the local derivatives alone")
    expect(verdict.get_by_role("columnheader")).to_have_text(["yours", "torch"])
    notebook.cell("check-mul").locator(".jp-Placeholder-content").click()  # one click opens it
    expect(notebook.cell("check-mul").locator(".cm-content")).to_be_visible()
    notebook.write("mul", right)
    notebook.run("check-mul")
    expect(verdict).to_contain_text("✓ mul, part 2 of 10: it prints what torch prints. After it comes pow.")
    expect(verdict).not_to_contain_text("✗")
    progress = notebook.try_out("%progress .")
    expect(progress.get_by_role("row").nth(1)).to_have_text("1 scalar backward: 1 of 10 passed, 9 open.")
    expect(progress.get_by_role("row").nth(3)).to_have_text(re.compile(r"\s*mul\s*✓\spassed"))
    expect(progress).to_contain_text("Next: record, about")

    repair = notebook.output("check-repair")
    notebook.run("repair")
    notebook.run("check-repair")
    expect(repair).to_contain_text("Choose a diagnosis above it.")
    notebook.output("diagnose-repair").get_by_role("button").first.click()  # which is saved with the notebook
    expect(notebook.output("diagnose-repair")).to_contain_text("✗")
    notebook.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    notebook.run("check-repair")
    expect(repair).to_contain_text("This is what you get when")
    notebook.theme("Dark")
    assert notebook.violations() == ""
    notebook.theme("Light")
    assert notebook.console == []
    notebook.close()


def test_a_notebook_that_cannot_be_written_takes_a_choice_all_the_same(jupyterlab: Lab, lab: Running) -> None:
    saved = lab.folder / "course" / "lessons" / "02_upstream_gradients.ipynb"
    saved.chmod(0o444)
    try:
        notebook = jupyterlab.open(f"lessons/{saved.name}", runs=False)
        root = root_of(notebook, "ask-weights")
        root.get_by_role("button").first.click()
        expect(root).to_contain_text("✗ This adds up the weights")
        assert notebook.console == []
        notebook.close()
    finally:
        saved.chmod(0o644)
