"""Exercises and solutions in a real JupyterLab: goals before the first run, mistakes named, the right answer passed."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Iterator

import pytest
from served import Running

from minigrad.course import renewal
from minigrad.course.home import page as first_page
from minigrad.course.source import notebooks_folder

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from notebook import CLOSE, IDLE, OPEN, PANEL, Lab, Notebook
from playwright.sync_api import expect

expect.set_options(timeout=60_000)

# A solution has the text of its exercise, and what is under its checks looks the same in each: one will do.
NAMES = [f"exercises/{path.name}" for path in sorted((notebooks_folder() / "exercises").glob("*.ipynb"))]
NAMES.append(NAMES[0].replace("exercises", "solutions"))


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
    assert notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path").endswith(name)


def test_headings_are_in_order_and_nothing_hinders_a_reader(opened: tuple[str, Notebook]) -> None:
    _, notebook = opened
    levels = notebook.look().headings
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
    assert notebook.violations() == ""


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
    expect(shown).to_contain_text("0 of 50 passed, 50 open.")
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
        home.page.wait_for_function(IDLE)
        expect(home.panel.get_by_role("heading", name="1. The record")).to_be_visible()
        home.page.evaluate(CLOSE, True)
        shutil.copy(lab.folder / "course" / "solutions" / exercise.name, exercise)
        home.page.evaluate(OPEN, ["home.ipynb", ""])
        expect(shown).to_contain_text("10 of 50 passed, 40 open.")
        expect(shown.get_by_role("link", name="Next: seed_rule")).to_be_visible()
        home.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    finally:
        exercise.write_bytes(given)
    assert "10 of 50 passed" in page.read_text(encoding="utf-8")
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
    for theme in ("Dark", "Light"):
        notebook.theme(theme)
        assert notebook.violations() == "", theme
    notebook.cell("check-mul").locator(".jp-Placeholder-content").click()  # one click opens it
    expect(notebook.cell("check-mul").locator(".cm-content")).to_be_visible()
    notebook.write("mul", right)
    notebook.run("check-mul")
    expect(verdict).to_contain_text("✓ mul, 2 of 10: it prints what torch prints. Next: pow.")
    expect(verdict).not_to_contain_text("✗")
    progress = notebook.try_out("%progress .")
    expect(progress.get_by_role("row").nth(1)).to_have_text("1 scalar backward: 1 of 10 passed, 9 open.")
    expect(progress.get_by_role("row").nth(3)).to_have_text(re.compile(r"\s*mul\s*✓\spassed"))
    expect(progress).to_contain_text("Next: record, about")
    assert notebook.violations() == ""

    repair = notebook.output("check-repair")
    notebook.run("repair")
    notebook.run("check-repair")
    expect(repair).to_contain_text("Choose a diagnosis above it.")
    notebook.output("diagnose-repair").get_by_role("button").first.click()  # which is saved with the notebook
    expect(notebook.output("diagnose-repair")).to_contain_text("✗")
    notebook.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    notebook.run("check-repair")
    expect(repair).to_contain_text("This is what you get when")
    assert notebook.console == []
    notebook.theme("Light")
    notebook.close()
