"""The moving picture of the README: its files are what the script writes, and readable where nothing moves."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from docs_scripts import script

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
walk = script("walk")


@pytest.mark.parametrize("form", walk.FORMS)
@pytest.mark.parametrize("theme", walk.THEMES)
def test_the_stored_picture_is_what_the_script_writes(theme: str, form: str) -> None:
    stored = (ROOT / "docs" / f"walk-{theme}{form}.svg").read_text(encoding="utf-8")
    assert walk.picture(theme, form) == stored
    assert len(stored) < 20_000
    assert ("animation" in stored) == ("-still" not in form)
    assert f'srcset="docs/walk-{theme}{form}.svg"' in README or f'src="docs/walk-{theme}{form}.svg"' in README
    assert re.findall(r"<script|href=|url\(|@import", stored) == []


def test_its_numbers_are_torch_s() -> None:
    leaves: dict[str, Any] = {name: torch.tensor(value, requires_grad=True) for name, value in walk.VALUES.items()}
    names = dict(leaves)
    exec(walk.SOURCE, {}, names)
    names["f"].backward()
    words = html.unescape(re.findall(r"<title>(.*?)</title>", walk.picture("light"))[0])
    assert f"graph of f = {names['f'].item():g}," in words
    for name, leaf in leaves.items():
        assert f"{name} = {leaf.item():g} keeps {leaf.grad.item():g} in .grad" in words
    assert words in html.unescape(README)


SEEN = """() => [...document.querySelectorAll("text")]
  .filter((each) => Number(getComputedStyle(each).opacity) > 0.5).map((each) => each.textContent)"""
AT = """(second) => document.getAnimations().forEach((each) => { each.pause(); each.currentTime = 1000 * second; })"""
SHARES = ["1 × 0.5 = 0.5", "1 × 15 = 15", "0.5 × 1 = 0.5", "0.5 × 1 = 0.5", "0.5 × 3 = 1.5", "0.5 × 4 = 2"]
ENDING = "As b is used twice, its shares are added: b.grad = 0.5 + 2 = 2.5."


# Labels of arrows that lie on an arrow: on one of its points, with a pixel around.
LYING = """() => {
  const arrows = [...document.querySelectorAll("path.edge")].map((each) =>
    [...Array(101).keys()].map((at) => each.getPointAtLength((at * each.getTotalLength()) / 100)));
  return [...document.querySelectorAll("g text.halo")].filter((each) => {
    const { x, y, width, height } = each.getBBox();
    return arrows.flat().some((at) => at.x > x - 1 && at.x < x + width + 1 && at.y > y && at.y < y + height);
  }).map((each) => each.textContent);
}"""


CUT = """() => [...document.querySelectorAll("text")].filter((each) => {
  const { x, width } = each.getBBox();
  return x < 0 || x + width > document.documentElement.viewBox.baseVal.width;
}).map((each) => each.textContent)"""


def seen(browser: BrowserContext, motion: str, seconds: list[float], name: str = "walk-dark") -> list[list[str]]:
    """The texts that can be seen at each of some moments; without any, those that are there when nothing moves."""
    page = browser.new_page()
    page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    page.goto((ROOT / "docs" / f"{name}.svg").as_uri())
    assert page.evaluate(LYING) == page.evaluate(CUT) == []
    found = []
    for second in seconds:
        page.evaluate(AT, second + walk.FIRST)
        found.append(page.evaluate(SEEN))
    if not seconds:
        assert page.evaluate("document.getAnimations().length") == 0
        found.append(page.evaluate(SEEN))
    page.close()
    return found


def test_it_goes_forward_then_backward_share_by_share(browser: BrowserContext) -> None:
    begin, forward, back, end = seen(browser, "no-preference", [0.6, 3.2, 4.8, 9.5])
    assert [each for each in begin if each in SHARES] == [each for each in forward if each in SHARES] == []
    assert "7.5" not in begin and "7.5" in forward
    assert [each for each in back if each in SHARES] == SHARES[:2]
    assert "grad 15" in back and "grad 2.5" not in back
    assert [each for each in end if each in SHARES] == SHARES
    assert ENDING in end
    (narrow,) = seen(browser, "no-preference", [9.5], "walk-light-narrow")
    assert [each for each in narrow if each in SHARES] == SHARES
    for texts in (begin, forward, back, end, narrow):
        assert sum(each.endswith(".") for each in texts) == 1  # one sentence at a time


def test_without_motion_it_shows_the_end(browser: BrowserContext) -> None:
    (still,) = seen(browser, "reduce", [])
    assert seen(browser, "no-preference", [], "walk-light-still") == [still]
    (narrow,) = seen(browser, "no-preference", [], "walk-dark-narrow-still")
    assert " ".join(narrow[-2:]) == ENDING and set(still) - {ENDING} <= set(narrow)
    assert [each for each in still if each in SHARES] == SHARES
    assert {"grad 1.5", "grad 2.5", "grad 15", ENDING} <= set(still)
    assert "grad 0.5" not in still and sum(each.endswith(".") for each in still) == 1
