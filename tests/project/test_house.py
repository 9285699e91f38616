"""The engine gets no larger, and no more of it goes in circles; `docs/house.py` counts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("house", ROOT / "docs" / "house.py")
assert spec and spec.loader
house = importlib.util.module_from_spec(spec)
__import__("sys").modules["house"] = house  # dataclasses look their module up
spec.loader.exec_module(house)


@pytest.mark.parametrize("figure", list(house.figures()), ids=lambda figure: figure.what)
def test_nothing_grows(figure) -> None:
    assert 0 <= figure.count <= figure.limit


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_pages_say_how_long_the_chapters_are(page: str) -> None:
    together = sum(figure.count for figure in house.figures() if figure.what.startswith("lines of code in"))
    assert f"{together} lines of code" in " ".join((ROOT / page).read_text(encoding="utf-8").split())


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
