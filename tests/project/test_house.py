"""Nothing goes in circles, and no module sets what is another's; `docs/house.py` counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs_scripts import script

ROOT = Path(__file__).parents[2]
house = script("house")


@pytest.fixture(scope="module")
def figures() -> list:
    """Counted in a test: a module is imported by every worker."""
    return [*house.figures()]


def test_what_may_fail_is_at_most_its_limit(figures: list) -> None:
    limited = [figure for figure in figures if figure.limit is not None]
    assert len(limited) >= 3 and [figure for figure in limited if not 0 <= figure.count <= figure.limit] == []


@pytest.mark.parametrize("page", ["docs/maintaining/engine.md", "docs/engine.md", "docs/engine/chapters.md"])
def test_the_pages_say_how_long_the_chapters_are(figures: list, page: str) -> None:
    together = sum(figure.count for figure in figures if figure.what.startswith("lines of code in"))
    assert about(together, " ".join((ROOT / page).read_text(encoding="utf-8").split()))


def about(lines: int, text: str) -> bool:
    """Whether a text says so many lines of code, to within ten."""
    return any(abs(lines - int(said)) <= 10 for said in re.findall(r"about (\d+) lines of code", text))


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("01_scalar_backward", "scalar"),
        ("02_upstream_gradients", "upstream"),
        ("03_jacobian_sums", "jacobian"),
        ("04_leaves", "leaf"),
    ],
)
def test_the_exercises_say_how_long_their_chapter_is_and_what_is_in_it(name: str, module: str) -> None:
    text = (ROOT / "solutions" / "source" / f"{name}.md").read_text(encoding="utf-8").rpartition('{"id": "end"}')[2]
    code = (ROOT / "minigrad" / f"{module}.py").read_text(encoding="utf-8")
    assert about(house.lines_of_code(code), text.partition(f"`minigrad/{module}.py`, ")[2])
    named = re.search(r"Look for (.+?)[.:]", text)
    for each in re.findall(r"`(\w+)`", named[1] if named else ""):
        assert re.search(rf"^(?:class|def) {each}\b", code, re.MULTILINE), each


MODULE = '''"""A module."""

# a comment
x = (
    1,  # one
)


def f():
    """Documentation,
    of two lines."""
    return "no documentation"
'''


def test_what_a_line_of_code_is() -> None:
    assert house.lines_of_code(MODULE) == 5
    assert house.lines_of_code('"""Nothing else."""\n') == 0
