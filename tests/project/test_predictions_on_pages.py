"""Predictions on the site: a page does not tell before it is asked, nor without a script, and choices stay."""

from __future__ import annotations

import html
import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")

from explored import PREDICTED, fits, predict
from playwright.sync_api import BrowserContext, Locator, Page, expect
from telling import Page as PageText
from telling import answers, leaks, stills

from minigrad_course.predictions import questions
from minigrad_course.texts import source

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("myst_nb", "sphinx", "furo"))),
    reason="Sphinx is not installed: pip install -e '.[site]'",
)
LESSON, CELL = PREDICTED


def text_of(site: Path, lesson: str) -> str:
    return (site / "lessons" / f"{lesson}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("lesson", source.names("lessons"))
def test_a_page_does_not_tell_before_it_is_asked(site: Path, lesson: str) -> None:
    met = PageText(text_of(site, lesson)).met
    asked = [each.name for each in questions().values() if each.lesson == lesson]
    assert [name for kind, name, *_ in met if kind == "asks"] == asked
    assert {name for kind, name in (each[:2] for each in met) if kind == "answers"} == set(asked)
    assert leaks(met) == []


def test_a_page_that_tells_is_found(site: Path) -> None:
    text = text_of(site, LESSON)
    line = max(answers("twice_round"), key=len)
    assert leaks(PageText(text.replace("<details", f"<p>{html.escape(line)}</p><details", 1)).met)
    assert leaks(PageText(text.replace("<details", "<p").replace("</details>", "</p>")).met) == []  # nothing answers
    with pytest.raises(AssertionError):
        PageText(text.replace("<details", "<details open", 1))


def opened(site: Path, page: Page) -> Locator:
    page.goto((site / "lessons" / f"{LESSON}.html").as_uri(), wait_until="load")
    return page.get_by_role("group", name="Prediction").first


def test_a_choice_is_judged_and_is_there_again(site: Path, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto((site / "lessons" / f"{LESSON}.html").as_uri())
    page.evaluate("() => localStorage.clear()")
    root = opened(site, page)
    predict(root)
    assert fits(root)
    expect(opened(site, page)).to_contain_text("✓ Right.")
    page.close()


def test_a_browser_that_keeps_nothing_does_no_harm(site: Path, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })")
    predict(opened(site, page))
    page.close()


def test_no_still_picture_is_cut_off(browser: BrowserContext) -> None:
    page = browser.new_page()
    page.set_content("".join(stills()))
    sticking_out = """all => all.filter(each => each.getBBox().x + each.getBBox().width
        > each.ownerSVGElement.viewBox.baseVal.width).map(each => each.textContent)"""
    assert page.locator("svg text").count() > 100
    assert page.locator("svg text").evaluate_all(sticking_out) == []
    page.close()


def test_an_answer_is_revealed_with_the_keyboard_also_without_scripts(site: Path, browser: BrowserContext) -> None:
    assert browser.browser is not None
    with browser.browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site / "lessons" / f"{LESSON}.html").as_uri())
        answer = page.get_by_text("(tensor(99.), tensor(42.))")
        expect(answer).to_be_hidden()
        page.locator("summary", has_text="Reveal").first.focus()
        page.keyboard.press("Enter")
        expect(answer).to_be_visible()
