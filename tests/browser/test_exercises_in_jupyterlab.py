"""Exercises and solutions in a real JupyterLab: goals before the first run, mistakes named, the right answer passed."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Iterator

import pytest
from served import Running

from minigrad.course.source import notebooks_folder

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from notebook import Notebook
from playwright.sync_api import BrowserContext, expect

expect.set_options(timeout=60_000)

FOLDERS = ("exercises", "solutions")
NAMES = [
    f"{folder}/{path.name}" for folder in FOLDERS for path in sorted((notebooks_folder() / folder).glob("*.ipynb"))
]


def cells_of(name: str) -> dict[str, dict]:
    """The cells of a notebook as the course has it, by id."""
    cells = json.loads((notebooks_folder() / name).read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: cell for cell in cells}


@pytest.fixture(scope="module", params=NAMES)
def opened(request: pytest.FixtureRequest, browser: BrowserContext, lab: Running) -> Iterator[tuple[str, Notebook]]:
    notebook = Notebook(browser, lab, request.param)
    yield request.param, notebook
    notebook.close()


def test_what_torch_prints_is_under_each_check_before_the_first_run(opened: tuple[str, Notebook]) -> None:
    name, notebook = opened
    shown = dict(zip(notebook.places, notebook.look().cells, strict=True))
    checks = [each for each, cell in cells_of(name).items() if "".join(cell["source"]).startswith("%%check")]
    assert checks
    mark = "The goal: this is what torch prints." if name.startswith("exercises") else "✓"
    assert [check for check in checks if mark not in shown[check] or len(shown[check].splitlines()) < 2] == []
    assert notebook.console == [] and notebook.elsewhere == []


def test_headings_are_in_order_and_nothing_hinders_a_reader(opened: tuple[str, Notebook]) -> None:
    _, notebook = opened
    levels = notebook.look().headings
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
    for theme in ("Dark", "Light"):
        notebook.theme(theme)
        assert notebook.violations() == "", theme


def test_a_wrong_answer_is_told_its_mistake_and_the_right_one_passes(browser: BrowserContext, lab: Running) -> None:
    right = "".join(cells_of("solutions/01_scalar_backward.ipynb")["mul"]["source"])
    wrong = re.sub(r"return grad_output \* b, .*", "return b, a", right)
    assert wrong != right
    course = lab.folder / "course"
    shutil.copytree(course / "exercises", course / "attempt")  # other tests look at the exercises as they were
    notebook = Notebook(browser, lab, "attempt/01_scalar_backward.ipynb")
    verdict = notebook.output("check-mul")
    notebook.run("setup")
    notebook.run("check-mul")
    expect(verdict).to_contain_text("… mul:")
    expect(verdict).not_to_contain_text("The goal")
    notebook.write("mul", wrong)
    notebook.run("check-mul")
    expect(verdict).to_contain_text("✗ mul: not what torch prints")
    expect(verdict).to_contain_text("This is what you get when the local derivatives are returned alone")
    for theme in ("Dark", "Light"):
        notebook.theme(theme)
        assert notebook.violations() == "", theme
    notebook.write("mul", right)
    notebook.run("check-mul")
    expect(verdict).to_contain_text("✓ mul: it prints what torch prints.")
    expect(verdict).not_to_contain_text("✗")
    progress = notebook.try_out("%progress .")
    expect(progress.get_by_role("row").nth(1)).to_have_text(
        re.compile(r"1 scalar backward \(1 of \d+\)\s*mul\s*✓ done")
    )
    expect(progress).to_contain_text("Next: pow, about")
    assert notebook.violations() == ""
    assert notebook.console == []
    notebook.close()
