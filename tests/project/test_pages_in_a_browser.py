"""Every kind of page in a browser: light and dark, wide and on a phone, its weight, what it remembers of a reader."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")

from axe_playwright_python.sync_playwright import Axe
from docs_scripts import script
from playwright.sync_api import BrowserContext, Page, expect
from test_site import Served

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("myst_nb", "sphinx", "furo"))),
    reason="Sphinx is not installed: pip install -e '.[site]'",
)

weigh = script("weigh")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# One of each kind; lessons are looked at with their explorers.
KINDS = ("docs/index", "exercises/03_jacobian_sums", "docs/engine/schedules", "search", "_modules/minigrad/leaf")
WIDE = ("docs/index",)
LESSON = "lessons/01_scalar_backward"
# Large light areas behind something of the article.
SLABS = """() => [...document.querySelectorAll("article *")].filter((each) => {
  const [red, green, blue, alpha = 1] = getComputedStyle(each).backgroundColor.match(/[\\d.]+/g).map(Number);
  const box = each.getBoundingClientRect();
  return alpha > 0.3 && red + green + blue > 450 && box.width * box.height > 4000;
}).map((each) => each.outerHTML.slice(0, 80))"""
# How many characters a full line of a paragraph has, at most; a legend of an explorer is none.
LINES = """() => Math.max(...[...document.querySelectorAll("article p:not(td p, .mg-page p)")].map((each) => {
  const range = document.createRange();
  let most = 0, top = -1, count = 0;
  for (const walker = document.createTreeWalker(each, NodeFilter.SHOW_TEXT); walker.nextNode(); )
    for (let at = 0; at < walker.currentNode.length; at++) {
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const [box] = range.getClientRects();
      if (!box) continue;
      count = Math.abs(box.bottom - top) < 9 ? count + 1 : 1;
      top = box.bottom;
      most = Math.max(most, count);
    }
  return most;
}))"""


# How many lines of code go on below, and how many of them begin there no further right than above.
# A letter of code has 7 pixels at least.
HANGING = """() => [...document.querySelectorAll(".ln")].map((each) => {
  const texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT, (one) =>
    one.parentElement.closest(".linenos") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const range = document.createRange();
  range.setStart(texts.nextNode(), 0);
  const {left, top} = range.getBoundingClientRect();
  const indent = parseFloat(each.style.getPropertyValue("--in") || 0) * 7;
  range.setEnd(each, each.childNodes.length);
  const below = [...range.getClientRects()].filter((box) => box.width > 1 && box.top > top + 9);
  return [below.length > 0, below.some((box) => box.left <= left + indent)];
}).reduce(([long, wrong], [more, worse]) => [long + more, wrong + worse], [0, 0])"""

# Keyword arguments whose value has gone to the line below.
TORN = """() => [...document.querySelectorAll(".ln .o")].filter((each) => {
  const next = each.nextSibling instanceof Element && each.nextSibling.getClientRects()[0];
  const tight = each.textContent === "=" && each.previousSibling instanceof Element;
  return tight && next && next.top > each.getBoundingClientRect().top + 9;
}).map((each) => each.parentElement.textContent)"""


@pytest.fixture(scope="module")
def page(browser: BrowserContext) -> Iterator[Page]:
    page = browser.new_page()
    page.set_default_timeout(20_000)
    yield page
    page.close()


def show(page: Page, site: Path, name: str, scheme: str = "light", width: int = 1440, motion: str = "reduce") -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion=motion)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site / f"{name}.html").as_uri(), wait_until="load")


@pytest.mark.parametrize(
    ("name", "scheme", "width"), [(name, "dark", 390) for name in KINDS] + [(name, "light", 1440) for name in WIDE]
)
def test_a_page_fits_hinders_nobody_and_has_no_slabs(
    site: Path, page: Page, name: str, scheme: str, width: int
) -> None:
    show(page, site, name, scheme, width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("input[name=q]").count() == 1
    options = {"resultTypes": ["violations"], "runOnly": LEVELS, "preload": False}
    found = Axe().run(page, options=options).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    if scheme == "dark":
        assert page.evaluate(SLABS) == []


@pytest.mark.parametrize("name", ["docs/index", LESSON, "_modules/minigrad/leaf"])
def test_nothing_sticks_out_between_a_phone_and_a_wide_window(site: Path, page: Page, name: str) -> None:
    show(page, site, name, width=390)
    long, wrong = page.evaluate(HANGING)
    assert wrong == 0 and (long > 20 or name == "docs/index")
    assert page.evaluate(TORN) == []
    toggle = page.locator(".theme-toggle-header button, .theme-toggle").first.bounding_box()
    assert toggle and min(toggle["width"], toggle["height"]) >= 40
    for width in (320, 768, 800, 1024, 1100, 1330):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", [LESSON, "INSTRUCTORS"])
def test_a_line_has_about_75_characters_and_a_slab_is_found(site: Path, page: Page, name: str) -> None:
    show(page, site, name, "dark")
    assert page.evaluate(SLABS) == []
    page.evaluate("document.querySelector('article h1').style.background = '#eee'")
    assert len(page.evaluate(SLABS)) == 1
    assert 60 <= page.evaluate(LINES) <= 80


def test_a_reader_chooses_the_theme_and_the_pictures_follow(site: Path, page: Page) -> None:
    show(page, site, LESSON, "light")
    other = "dark"
    before = page.locator("body").evaluate("body => getComputedStyle(body).getPropertyValue('--mg-ink')")
    for _ in range(3):
        if page.locator("body").get_attribute("data-theme") != other:
            page.locator(".theme-toggle-content button").click()
    expect(page.locator("body")).to_have_attribute("data-theme", other)
    after = page.locator("body").evaluate("body => getComputedStyle(body).getPropertyValue('--mg-ink')")
    assert (before, after) == ("#1b1f24", "#e8ecf1")
    page.evaluate("localStorage.clear()")


def test_the_first_page_remembers_what_was_done_until_it_is_told_to_forget(site: Path, page: Page) -> None:
    show(page, site, "docs/index")
    expect(page.locator(".forget")).to_be_hidden()
    expect(page.locator("ol.map > li")).to_have_count(7)
    expect(page.locator("[data-continue]")).to_have_text("Start here")
    show(page, site, LESSON)
    mark = page.locator(".sidebar-tree .current-page .mark")
    expect(mark).to_have_text("0/5")
    page.get_by_role("group", name="Prediction").first.get_by_role("button").first.click()
    expect(mark).to_have_text("1/5")
    page.locator("summary", has_text="Reveal").first.click()
    expect(page.locator(".progress p")).to_have_text(re.compile(r"1 of \d\d predictions answered"))
    page.locator(".related-pages").scroll_into_view_if_needed()
    page.wait_for_function("localStorage.getItem('minigrad pages').includes('read')")
    show(page, site, LESSON)
    expect(page.locator("details.hide[open]")).to_have_count(1)
    show(page, site, "docs/index")
    chapter = page.locator("ol.map > li").nth(1)
    expect(chapter.locator(".said")).to_have_text("1 of 5 predictions answered, lesson read")
    expect(page.locator("[data-continue]")).to_have_text("Go on with lesson 1")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Forget my progress").click()
    expect(page.locator(".forget")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget my progress").click()
    expect(page.locator(".forget")).to_be_hidden()
    expect(chapter.locator(".said")).to_be_empty()
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('minigrad'))") == []


def test_the_walk_of_the_first_page_plays_by_itself_or_shows_its_end(site: Path, page: Page) -> None:
    count = page.locator(".opening .mg-count")
    show(page, site, "docs/index", motion="reduce")
    expect(count).to_have_text("7 / 7")
    expect(page.locator(".opening").get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".opening .mg-say")).to_have_attribute("aria-live", "off")
    show(page, site, "docs/index", motion="no-preference")
    expect(page.locator(".opening").get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".opening .mg-say")).to_have_attribute("aria-live", "off")
    expect(count).to_have_text("2 / 7")
    page.locator(".opening").get_by_role("button", name="Pause").click()
    expect(page.locator(".opening .mg-say")).to_have_attribute("aria-live", "polite")
    show(page, site, "docs/index", motion="no-preference")
    page.locator(".opening").get_by_role("button", name="Next").click()  # before it has begun by itself
    page.wait_for_timeout(1500)
    expect(count).to_have_text("1 / 7")


def test_a_search_forgives_a_slip_and_leads_to_the_section_that_says_it(site: Path, page: Page) -> None:
    """Also on pages that are opened from a disk."""
    results = page.locator("#search-results")
    groups, hits = results.locator("h2"), results.locator("li > a")
    show(page, site, "docs/index")
    page.locator("input[name=q]").fill("retain graph eror")
    page.keyboard.press("Enter")
    expect(results.get_by_role("status")).to_have_text("Showing results for retain graph error.")
    expect(hits.first).to_contain_text("Trying to backward through the graph a second time")
    ways = []
    for way in ("in-place", "inplace", "in+place"):
        page.goto(f"{(site / 'search.html').as_uri()}?q={way}")
        expect(hits.first).to_have_text(re.compile("modified by an inplace operation"))
        expect(groups.last).not_to_have_text("Questions and lessons")
        ways.append(hits.all_inner_texts())
    assert ways[0] == ways[1] == ways[2] and "implicitly created" not in " ".join(ways[0])
    expect(results.locator(".context mark").first).to_have_text("in place")
    page.goto(f"{(site / 'search.html').as_uri()}?q=accumulate")
    hits.get_by_text("Lesson 1: what backward() does to a number › A second call").first.click()
    expect(page.locator("#a-second-call > h2")).to_be_in_viewport()
    page.goto(f"{(site / 'search.html').as_uri()}?q=xyzzyq")
    expect(results.get_by_role("status")).to_contain_text("Nothing here says xyzzyq. Try")
    expect(results.locator("a")).to_have_count(3)
    results.locator("a").first.click()
    expect(hits.first).to_have_text("Why is my .grad None?")
    page.goto(f"{(site / 'search.html').as_uri()}?q=einsum")
    hits.get_by_text("minigrad.einsum", exact=True).click()
    expect(page.locator("dt[id='minigrad.einsum']")).to_be_in_viewport()
    for word in ("grading", "grade"):
        page.goto(f"{(site / 'search.html').as_uri()}?q={word}")
        expect(hits.first).to_contain_text("For instructors")
        assert all("gradient" not in each.lower() for each in results.locator(".context mark").all_inner_texts())
    page.goto(f"{(site / 'search.html').as_uri()}?q=retain_grad")
    expect(hits.first).to_have_text("minigrad.Tensor.retain_grad")


def test_the_keyboard_unfolds_the_map_and_reveal_is_called_so(site: Path, page: Page) -> None:
    show(page, site, LESSON)
    expect(page.locator("summary").first).to_have_accessible_name("Reveal")
    box = page.get_by_role("switch", name="Toggle navigation of The engine")
    box.focus()
    inside = page.locator(".sidebar-tree").get_by_role("link", name="Gradients", exact=True)
    expect(inside).to_be_hidden()
    page.keyboard.press("Space")
    expect(inside).to_be_visible()


def test_code_can_be_copied_and_of_a_terminal_only_what_was_typed(site: Path, browser: BrowserContext) -> None:
    browser.grant_permissions(["clipboard-read", "clipboard-write"])
    page = browser.new_page()
    with Served(site) as address:
        page.goto(f"{address}/docs/questions/grad-is-none.html")
        program = page.locator(".highlight-python").first
        program.hover()
        program.get_by_role("button", name="Copy").click()
        expect(program.locator("button.success")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
    page.close()
    assert copied.startswith("import torch\n\nx = torch.tensor([1.0") and copied.endswith("print(x.grad)")


@pytest.mark.parametrize("width", [1280, 390])
def test_ctrl_k_leads_to_the_search_box_wherever_it_is(site: Path, page: Page, width: int) -> None:
    show(page, site, LESSON, width=width)
    page.keyboard.press("Control+k")
    expect(page.locator("input[name=q]")).to_be_focused()
    if width == 390:
        page.keyboard.type("einsum")
        page.keyboard.press("Enter")
        expect(page.locator("#search-results").get_by_text("minigrad.einsum", exact=True)).to_be_visible()


def test_a_link_to_a_section_stays_there_while_the_explorers_above_are_drawn(site: Path, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{(site / 'lessons/04_leaves.html').as_uri()}#recap")
    expect(page.locator("article .mg-page .mg-say").last).to_be_attached()
    heading = page.locator("#recap > h2").element_handle()
    # not after some milliseconds: a busy machine draws and scrolls later
    in_place = "each => { const y = each.getBoundingClientRect().y; return 0 < y && y < 110; }"
    page.wait_for_function(in_place, arg=heading)


def test_the_keyboard_opens_and_closes_a_menu_and_never_walks_through_a_closed_one(site: Path, page: Page) -> None:
    show(page, site, LESSON, width=390)
    drawers = page.locator(".sidebar-drawer, .toc-drawer")
    for name in ("Skip to content", "Course"):
        page.keyboard.press("Tab")
        assert page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()") == name
    page.keyboard.press("Space")
    expect(drawers.first.get_by_role("link", name="Start here")).to_be_visible()
    page.keyboard.press("Escape")
    for drawer in drawers.all():
        expect(drawer).to_have_css("visibility", "hidden")
    page.get_by_role("button", name="On this page").first.click()
    expect(drawers.last).to_have_css("visibility", "visible")


@pytest.mark.parametrize("place", ["nowhere/at/all", "minigrad/lessons/gone.html"])
def test_a_page_that_is_not_there_leads_back_from_any_depth(site: Path, page: Page, place: str) -> None:
    with Served(site) as address:
        page.goto(f"{address}/{place}")
        expect(page.locator("input[name=q]")).to_have_css("border-radius", "8px")
        page.get_by_role("link", name="Begin at the first page").click()
        expect(page).to_have_url(f"{address}/{'minigrad/' * place.startswith('minigrad')}docs/index.html")
        expect(page.get_by_role("heading", name="What does backward() do?")).to_be_visible()


def test_the_ways_to_run_a_page_take_one_line_on_a_phone(
    site: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = script("addresses")
    monkeypatch.setattr(addresses, "REPOSITORY", "Ada/course")
    show(page, site, LESSON, width=390)
    links = "".join(f"<a href='{where}'>{name}</a>" for name, where in addresses.links(f"{LESSON}.ipynb").items())
    page.locator("article h1").evaluate(
        "(title, links) => title.insertAdjacentHTML('afterend', `<p class='page-links'>${links}</p>`)", links
    )
    tops = page.locator(".page-links a").evaluate_all("all => all.map(each => each.getBoundingClientRect().top)")
    assert len(tops) == 3 and len(set(tops)) == 1


def test_a_page_is_light_and_stands_still(site: Path, browser: BrowserContext) -> None:
    assert browser.browser is not None
    with Served(site) as address:
        for name in ("docs/index", "lessons/05_train_a_network"):
            found = weigh.weigh(browser.browser, address, f"{name}.html", site)
            assert 20 < found.packed <= 300, found
            assert found.shift < 0.1, found
