"""The pages of a grading in a real browser: readable in both colour schemes, on a narrow screen, and without eyes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from minigrad_course.grading.records.alike import Alike, Pair, Ring, Same
from minigrad_course.grading.records.record import PartRecord, Record
from minigrad_course.grading.report import pages
from minigrad_course.parts import chapters

pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install -e '.[test]'")
from axe_playwright_python.sync_playwright import Axe
from notebook import LEVELS

CHAPTER = chapters()[0]
NAME = "a-student-with-a-name-as-long-as-no-other-" * 3
LONG = "x = " + " + ".join(["a_long_name"] * 30)


@pytest.fixture(scope="module", params=["class", "student"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with everything that can be on it."""
    part, mistake = CHAPTER.parts[0], CHAPTER.parts[0].mistakes[0]
    words = [("passed", None), ("wrong", mistake.name), ("open", None)]
    parts = tuple(
        PartRecord(each.name, word, 0, 1, f"`{LONG}` stopped.", found, text=LONG, reference=LONG)
        for each, (word, found) in zip(CHAPTER.parts, words, strict=False)
    )
    place = f"submitted/{NAME}/{CHAPTER.name}.ipynb"
    records = [
        Record(place, NAME, CHAPTER.name, notices=("a notice",), parts=parts, answers={part.name: LONG}, seconds=0.1),
        Record(f"{place}/2", NAME, error="this is not a notebook."),
        Record(f"{place}/3", NAME, skipped="lessons hold no answers."),
    ]
    whole = pages.Class([CHAPTER.name])
    whole.add(NAME, records)
    for number in range(pages.LEAST_STUDENTS):
        whole.add(f"student_{number}", [Record(f"{number}", NAME, CHAPTER.name, parts=parts)])
    text = {
        "class": lambda: pages.class_page(
            whole,
            [Ring((NAME, "bob"), (Pair(NAME, "bob", (Alike(CHAPTER.name, part.name, 3, (LONG, LONG)),), 20.0),))],
            [Same(NAME, CHAPTER.name, (part.name,))],
            ["Files can be read."],
            [f"`{LONG}` is taken for a student: a class list settles it."],
        ),
        "student": lambda: pages.student_page(NAME, records),
    }[request.param]()
    made = tmp_path_factory.mktemp("pages") / "page.html"
    made.write_text(text, encoding="utf-8")
    return made


def opened(browser: BrowserContext, path: Path, scheme: str) -> Page:
    page = browser.new_page()
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut_off(browser: BrowserContext, path: Path, scheme: str) -> None:
    page = opened(browser, path, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    found = Axe().run(page, options={"resultTypes": ["violations"], "runOnly": LEVELS})
    assert not found.violations_count, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    long = page.locator("pre:not(.lines)", has_text="a_long_name")  # code keeps its lines, and is scrolled in its box
    sizes = long.evaluate_all("found => found.map(each => [each.scrollWidth, each.clientWidth, each.clientHeight])")
    assert sizes and all(whole > 1000 and shown < 390 and height < 60 for whole, shown, height in sizes)
    page.close()


def test_rows_have_one_line_and_names_of_parts_are_whole(browser: BrowserContext, tmp_path: Path) -> None:
    """On a phone, where the last column lies outside; and beside mistakes, in a wide window."""
    whole = pages.Class([each.name for each in chapters()])
    for name in ("ada", "Ines Müller"):
        first, *others = [
            Record(
                f"{each.name}", name, each.name, parts=tuple(PartRecord(part, "wrong", 0, 1) for part in each.checks)
            )
            for each in chapters()
        ]
        whole.add(name, [first, *(dataclasses.replace(each, place="") for each in others)])
    whole.add("bob", [dataclasses.replace(each, place="") for each in (first, *others)])
    for chapter in chapters():
        for part in chapter.parts:
            whole.mistakes |= {(chapter.name, part.name, each.name): ["ada", "bob"] for each in part.mistakes[:1]}
    path = tmp_path / "class.html"
    path.write_text(pages.class_page(whole, [], [], []), encoding="utf-8")
    page = opened(browser, path, "light")
    heights = "found => found.map(each => each.getBoundingClientRect().height)"
    assert max(page.locator(".students tbody tr").evaluate_all(heights)) < 40
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    parts = page.locator(".mistakes strong")
    broken = "found => found.filter(each => (range.selectNodeContents(each), range.getClientRects().length > 1)).length"
    page.evaluate("window.range = document.createRange()")
    assert parts.count() > 30 and parts.evaluate_all(broken) == 0
    page.close()


def test_the_pages_follow_the_colours_of_the_system(browser: BrowserContext, path: Path) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = opened(browser, path, scheme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert grounds[0] == "rgb(255, 255, 255)" and grounds[0] != grounds[1]


def test_the_class_is_sorted_by_a_heading(browser: BrowserContext, tmp_path: Path) -> None:
    """Upwards, downwards, as it was; with the keyboard, too, and numbers as numbers."""
    whole = pages.Class([CHAPTER.name])
    for name, points in {"bob": 10, "Zoë": 9, "ada": 0, "eve": 9.5}.items():
        part = PartRecord(CHAPTER.checks[0], "passed" if points else "open", points, 10)
        whole.add(name, [Record(name, name, CHAPTER.name, parts=(part,))])
    path = tmp_path / "class.html"
    path.write_text(pages.class_page(whole, [], [], []), encoding="utf-8")
    page = opened(browser, path, "light")
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    names = page.locator(".students tbody th")
    total, student = (page.get_by_role("button", name=each) for each in ("total", "student"))
    before, upwards = ["bob", "Zoë", "ada", "eve"], ["ada", "Zoë", "eve", "bob"]
    assert names.all_inner_texts() == before
    for wanted, order in ((upwards, "ascending"), (upwards[::-1], "descending"), (before, None)):
        total.press("Enter")
        assert names.all_inner_texts() == wanted
        assert page.locator("th", has=total).get_attribute("aria-sort") == order
    student.press("Space")
    assert names.all_inner_texts() == ["ada", "bob", "eve", "Zoë"] and page.locator("[aria-sort]").count() == 1
    mark = "getComputedStyle(document.querySelector('.students button'), '::before').content"
    assert "↑" in page.evaluate(mark) and "↕" in page.evaluate(mark.replace(".students", ".students th + th"))
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'document.title = 1'}))")
    assert page.title() == "Exercise 1: 4 students" and len(errors) == 1  # only that script is refused
    page.close()
