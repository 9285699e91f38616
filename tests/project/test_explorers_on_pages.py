"""Explorers on the site, opened from a disk: in both themes, on a phone, with the keyboard alone."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from axe_playwright_python.sync_playwright import Axe
from explored import EXPLORERS, fits
from playwright.sync_api import BrowserContext, Locator, Page, expect

from minigrad_course.notebooks import pages

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("myst_nb", "sphinx", "furo"))),
    reason="Sphinx is not installed: pip install -e '.[site]'",
)

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# How many controls an explorer has, and how often one of them gets the focus.
CONTROLS = "root => root.querySelectorAll('button, input, [tabindex]').length"
LISTEN = """root => { document.activeElement.blur(); window.focused = 0;
  root.addEventListener("focusin", () => { window.focused += 1; }); }"""
DRAWN = "() => !document.querySelector('.mg-page > script')"
REVEAL = "() => document.querySelectorAll('details').forEach(each => { each.open = true; })"
# ink, soft, leaf, flow and done, without and with a dark theme
INKS = {
    False: {"rgb(27, 31, 36)", "rgb(87, 96, 106)", "rgb(11, 98, 166)", "rgb(168, 67, 0)", "rgb(26, 110, 80)"},
    True: {"rgb(232, 236, 241)", "rgb(169, 178, 188)", "rgb(108, 184, 242)", "rgb(255, 163, 92)", "rgb(95, 207, 159)"},
}
# Of each picture its words, what may not be in it, the colours of its texts, and what lies between it and the article,
# if it has a colour of its own; what is revealed has a frame of the theme.
PICTURES = """all => all.map((picture) => {
  const slabs = [];
  for (let node = picture; !node.matches("article"); node = node.parentElement) {
    const own = getComputedStyle(node).backgroundColor !== "rgba(0, 0, 0, 0)";
    if (own && !node.matches("details")) slabs.push(node.className);
  }
  const inks = [...picture.querySelectorAll("text")].map((each) => getComputedStyle(each).fill);
  return [picture.ariaLabel, picture.querySelectorAll("title, style").length, [...new Set(inks)], slabs];
})"""
INSIDE = "root => root.contains(document.activeElement)"


# On a phone everything is moved; in a wide window the widest lesson is only looked at. Lesson 0 has only a walk.
PHONES = [(lesson, "dark", 390) for lesson in EXPLORERS if lesson != "00_start_here"]
WINDOWS = [("02_upstream_gradients", "light", 1280)]


@dataclasses.dataclass
class Seen:
    """A lesson in a browser, opened once for all tests that look at it."""

    page: Page
    wrong: list[str]  # what the console said, and what was asked of the net
    dark: bool
    roots: dict[str, Locator]  # the explorers by cell, in the order of the page; those that answer are revealed
    moves: dict[str, Callable[[Locator], None]]


@pytest.fixture(scope="module")
def page(browser: BrowserContext) -> Page:
    """A window: opening one takes as long as loading a page."""
    page = browser.new_page()
    page.set_default_timeout(20_000)
    return page


@pytest.fixture(scope="module", params=[*PHONES, *WINDOWS], ids=lambda each: f"{each[0]}-{each[1]}")
def seen(request: pytest.FixtureRequest, site: Path, page: Page) -> Iterator[Seen]:
    lesson, scheme, width = request.param
    wrong: list[str] = []
    listeners = {
        "console": lambda each: wrong.append(each.text) if each.type in ("error", "warning") else None,
        "pageerror": lambda error: wrong.append(str(error)),
        "request": lambda each: wrong.append(each.url) if not each.url.startswith(("file:", "data:")) else None,
    }
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site / "lessons" / f"{lesson}.html").as_uri(), wait_until="load")
    page.wait_for_function(DRAWN)
    page.evaluate(REVEAL)
    roots = page.locator(".mg-page .mg[aria-label^=Explorer]")
    expect(roots).to_have_count(len(EXPLORERS[lesson]))
    found = {cell: roots.nth(number) for number, cell in enumerate(EXPLORERS[lesson])}
    yield Seen(page, wrong, scheme == "dark", found, EXPLORERS[lesson])
    for event, listener in listeners.items():
        page.remove_listener(event, listener)


def on_phones(test: Callable) -> Callable:
    """Mark a test for which one of the two ways to see a lesson will do."""
    return pytest.mark.parametrize("seen", PHONES, indirect=True, ids=[lesson for lesson, *_ in PHONES])(test)


def test_pictures_are_drawn_in_the_colours_of_the_page(seen: Seen) -> None:
    page = seen.page
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == seen.dark
    pictures = page.locator(".mg-page svg.mg-still")
    expect(pictures.first).to_be_visible()
    for words, hidden, inks, slabs in pictures.evaluate_all(PICTURES):
        assert len(words) > 40 and hidden == 0 and slabs == [], words
        assert inks and set(inks) <= INKS[seen.dark], words
    assert seen.wrong == []


@on_phones
def test_tab_reaches_every_control(seen: Seen) -> None:
    for cell, root in seen.roots.items():
        root.evaluate(LISTEN)
        root.locator("button, input, [tabindex]").first.focus()
        count = root.evaluate(CONTROLS)
        for _ in range(count):
            seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("focused") == count and not root.evaluate(INSIDE), cell


@on_phones
def test_every_explorer_moves(seen: Seen) -> None:
    for cell, root in seen.roots.items():
        root.scroll_into_view_if_needed()
        seen.moves[cell](root)


FARTHEST = """async root => {
  const steps = root.querySelector("input[type=range]");
  let right = 0;
  for (let at = 0; at <= Number(steps.max); at++) {
    steps.value = at;
    steps.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    for (const each of root.querySelectorAll(".mg-sums *")) right = Math.max(right, each.getBoundingClientRect().right);
  }
  return right;
}"""


@on_phones
def test_the_sums_of_every_step_stay_on_the_page(seen: Seen) -> None:
    for cell, root in seen.roots.items():
        if root.locator("input[type=range]").count():
            assert root.evaluate(FARTHEST) <= 390, cell


def test_it_fits_and_hinders_nobody(seen: Seen) -> None:
    """On a phone after everything was moved. Colours are those of lesson 2 in every lesson: see the test above."""
    assert [cell for cell, root in seen.roots.items() if not fits(root)] == []
    assert seen.wrong == []
    seen.page.evaluate("scrollTo(0, 0)")  # else the head of a phone may lie on half a button, which says nothing
    # Without a preload: axe would ask for the style sheets anew, which a disk refuses.
    colours = {"color-contrast": {"enabled": "reduce" in seen.roots}}
    options = {"resultTypes": ["violations"], "runOnly": LEVELS, "preload": False, "rules": colours}
    found = Axe().run(seen.page, context={"include": [[".mg-page"]]}, options=options)
    assert not found.violations_count, found.generate_report()


def test_without_a_script_there_is_the_picture(site: Path, browser: BrowserContext) -> None:
    assert browser.browser is not None
    with browser.browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site / "lessons" / "02_upstream_gradients.html").as_uri())
        box = page.locator(".mg-page svg").first.bounding_box()
        assert box and box["width"] > 200 and box["height"] > 100


HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="40"
  onload="window.ran = 1"><title>t</title><style>body { display: none }</style><script>window.ran = 1</script>
  <image href="https://example.org/a.png" width="9" height="9"/><use xlink:href="https://example.org/b.svg#c"/>
  <foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://example.org/d"/>
  </foreignObject><a href="javascript:window.ran = 1"><text x="1" y="1">gone</text></a>
  <g onclick="window.ran = 1"><rect width="9" height="9" fill="url(https://example.org/e)" style="fill: red"/>
  <text x="3" y="20" fill="var(--ink)" onmouseover="window.ran = 1">kept &lt;b&gt;</text></g></svg>"""


def test_of_a_picture_only_shapes_and_texts_come_into_the_page(tmp_path: Path, browser: BrowserContext) -> None:
    data = {"format": 1, "view": "picture", "alt": "Words.", "narrow": HOSTILE}
    file = tmp_path / "page.html"
    still = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40"></svg>'
    (tmp_path / "views.js").write_text(pages.script(), encoding="utf-8")
    script = '<script src="views.js"></script>'
    file.write_text(f"<!doctype html><html><body>{pages.block(data, still)}{script}</body></html>", encoding="utf-8")
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    page.set_viewport_size({"width": 390, "height": 600})
    page.goto(file.as_uri())
    drawn = page.locator("svg.mg-still")
    expect(drawn.locator("text")).to_have_text("kept <b>")
    drawn.locator("text").hover()
    drawn.locator("g").click()
    names = drawn.evaluate("svg => [...svg.querySelectorAll('*')].map(each => each.localName)")
    assert names == ["g", "rect", "text"]
    left = drawn.evaluate(
        "svg => [...svg.querySelectorAll('*')].flatMap(each => [...each.attributes].map(a => a.name))"
    )
    assert left == ["width", "height", "x", "y", "fill"]
    assert page.evaluate("window.ran") is None and drawn.get_attribute("aria-label") == "Words."
    assert all(each.startswith("file:") for each in asked)
    page.close()
