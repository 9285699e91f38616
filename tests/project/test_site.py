"""The site: it is built without a warning, every link in it leads somewhere, and a browser shows it without the net."""

from __future__ import annotations

import functools
import html
import http.server
import importlib.util
import re
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
import torch
from docs_scripts import script

import minigrad
from minigrad import autograd, nn, optim
from minigrad_course.texts import source

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NEEDED = ("myst_nb", "sphinx", "furo")

needs_sphinx = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, NEEDED)), reason="Sphinx is not installed: pip install -e '.[site]'"
)


addresses = script("addresses")
formulas = script("formulas")
reading = script("reading")
links = script("links")
names = script("names")


@needs_sphinx
def test_every_link_and_picture_inside_the_site_leads_somewhere(site: Path) -> None:
    found = links.look(site)
    assert found.dead == []
    assert found.inside > 1000
    assert {urlsplit(each).netloc for each in found.outside} <= {"docs.pytorch.org", "github.com"}  # of changes


@needs_sphinx
def test_every_lesson_every_exercise_and_every_chapter_of_the_engine_is_there(site: Path) -> None:
    home = (site / "docs" / "index.html").read_text(encoding="utf-8")
    for kind in ("lessons", "exercises"):
        pages = {path.stem for path in (site / kind).glob("*.html")}
        assert pages == set(source.names(kind))
        assert [name for name in pages if f"{kind}/{name}.html" not in home] == []
    page = (site / "docs" / "engine" / "chapters.html").read_text(encoding="utf-8")
    for name in ("scalar.Function", "upstream.sum_to_shape", "jacobian.gradcheck", "leaf.no_grad", "tensor.Tensor"):
        assert f'id="minigrad.{name}"' in page
    assert "|a - n|" in page  # a docstring is not read as markup


@pytest.fixture(scope="module")
def rooms(site: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in (site / "docs" / "engine").glob("*.html")}


SPACES = [minigrad, minigrad.Tensor, autograd, autograd.functional, nn, nn.functional, optim, optim.lr_scheduler]


@needs_sphinx
def test_every_public_name_has_one_entry(rooms: dict[str, str]) -> None:
    ids = Counter(found for text in rooms.values() for found in re.findall(r' id="(minigrad[.\w]+)"', text))
    for space in SPACES:
        own = "minigrad.Tensor" if space is minigrad.Tensor else space.__name__
        theirs = functools.reduce(getattr, own.split(".")[1:], torch)
        named = getattr(space, "__all__", None) or dir(space)
        public = [name for name in named if not name.startswith("_") and hasattr(theirs, name) and is_here(space, name)]
        assert len(public) > 4 and [name for name in public if ids[f"{own}.{name}"] != 1] == [], own


def is_here(space: Any, name: str) -> bool:
    """True for what is no module, no type for annotations, and no name of torch that raises."""
    try:
        value = getattr(space, name)
    except AttributeError:
        return False
    lent = getattr(value, "__module__", "") in ("typing", "collections", "__future__")
    return not isinstance(value, ModuleType) and not lent and not (name == "Optimizer" and space is not optim)


@needs_sphinx
def test_an_entry_has_formula_shapes_example_and_lines_of_source(site: Path, rooms: dict[str, str]) -> None:
    for room, name, formula, shapes, example, line in (
        ("functions", "exp", "ea:dda=ea.", "[2, 3]", "grad_fn=<ExpBackward0>", "class Exp("),
        ("arithmetic", "add", "a+b:dda=1,ddb=1.", "[3]", "grad_fn=<AddBackward0>", "def add("),
        ("matrices", "mm", "dLdA=GBT", "[2, 2]", "grad_fn=<MmBackward0>", "def mm("),
        ("layers", "nn.Linear", "x@weightᵀ+bias", "[2, 3]", "grad_fn=<AddmmBackward0>", "class Linear("),
        ("network_functions", "nn.functional.silu", "sigmoid(input)", "", "0.7311", "def silu("),
    ):
        entry = rooms[room].split(f'id="minigrad.{name}"')[1].split("</dl>")[0]
        text = html.unescape(re.sub(r"<[^>]+>", "", entry))
        assert formula in re.sub(r"\s", "", text) and shapes in text and example in text, name
        place, number = re.search(r'href="../../(_modules/[^"]+)#L-(\d+)"', entry).groups()  # type: ignore[union-attr]
        source = (ROOT / place.removeprefix("_modules/")).with_suffix(".py").read_text(encoding="utf-8")
        assert line in source.splitlines()[int(number) - 1], name


@needs_sphinx
def test_a_page_of_the_reference_has_a_length_to_read_names_nothing_twice_and_shows_no_address(
    rooms: dict[str, str],
) -> None:
    for name, text in rooms.items():
        contents = re.findall(r'<li><a class="reference internal" href="#minigrad\.[^"]+"><code.*?</code>', text)
        shown = [re.sub(r"<[^>]+>", "", each) for each in contents]
        assert len(shown) == len(set(shown)), name
    assert "autograd.grad()" in re.sub(r"<[^>]+>", "", rooms["gradients"])
    words = {name: re.sub(r"<[^>]+>", " ", text.split("<article")[1]).split() for name, text in rooms.items()}
    assert {name: len(each) for name, each in words.items() if len(each) > 5000} == {}
    assert [name for name, each in words.items() if " at 0x" in " ".join(each)] == []


@needs_sphinx
def test_without_an_address_no_page_mentions_one(site: Path) -> None:
    page = (site / "lessons" / "01_scalar_backward.html").read_text(encoding="utf-8")
    assert "page-links" not in page and "og:image" not in page and "og:title" in page
    assert not (site / "sitemap.xml").exists()


def test_with_an_address_every_link_leads_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "REPOSITORY", "Ada/course")
    assert addresses.site() == "https://ada.github.io/course/"
    for path in (*ROOT.glob("lessons/*.ipynb"), *ROOT.glob("exercises/*.ipynb"), ROOT / "CONTRIBUTING.md"):
        found = addresses.links(path.relative_to(ROOT).as_posix())
        assert len(found) == (3 if path.suffix == ".ipynb" else 1)
        shown = [
            unquote(each).partition("=lab/tree/")[2] or each.partition("/blob/main/")[2] for each in found.values()
        ]
        assert [each for each in shown if not (ROOT / each).is_file()] == []
    map_of_it = ElementTree.fromstring(addresses.sitemap(["docs/index", "lessons/a b"]).encode())
    assert [each.text for each in map_of_it.iter() if each.tag.endswith("loc")] == [
        "https://ada.github.io/course/docs/index.html",
        "https://ada.github.io/course/lessons/a%20b.html",
    ]


def test_the_card_has_the_size_that_is_told() -> None:
    head = (DOCS / "theme" / "static" / "card.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:]) == (1200, 630)


@needs_sphinx
def test_a_browser_shows_lesson_2_without_an_error_and_without_the_net(site: Path, browser: BrowserContext) -> None:
    with Served(site) as address:
        page = browser.new_page()
        wrong: list[str] = []
        page.on("console", lambda each: wrong.append(f"{each.text} {each.location}") if each.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if abroad(request.url, address) else None)
        page.goto(f"{address}/index.html")
        page.wait_for_url("**/docs/index.html")
        page.goto(f"{address}/lessons/02_upstream_gradients.html", wait_until="load")
        figure = page.locator("svg[aria-label^='The Jacobian of y, shape [3], with respect to x']").first
        figure.scroll_into_view_if_needed()
        box = figure.bounding_box()
        assert box and box["width"] > 200 and box["height"] > 100
        assert page.locator("math").first.bounding_box()
        page.close()
    assert wrong == []


def abroad(address: str, home: str) -> bool:
    """True for what does not come from the site itself."""
    return not address.startswith((f"{home}/", "data:"))


class Served:
    """A folder on a port of its own, and its address."""

    def __init__(self, folder: Path) -> None:
        handler = functools.partial(Silent, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Silent(http.server.SimpleHTTPRequestHandler):
    """As on GitHub Pages: 404.html wherever nothing is, and the whole site below /minigrad/ too."""

    def translate_path(self, path: str) -> str:
        found = Path(super().translate_path(path.removeprefix("/minigrad")))
        return str(found if found.exists() else Path(self.directory, "404.html"))

    def log_message(self, format: str, *args: object) -> None:
        pass


# --- the scripts of docs/, without Sphinx ----------------------------------------------------------


def test_a_formula_is_set_if_all_of_it_is_understood_and_else_stays_text() -> None:
    assert formulas.typeset("√a, exact: d/da = -1/(2√a) for a > 0.") == (
        *("", r"\sqrt{a}", ", exact: "),
        *(r"\frac{d}{da} = -\frac{1}{2 \, \sqrt{a}}", " for a > 0."),
    )
    for text in ("A word: d/da = sign aᵢ · 2.", "dL/dB = A⁻ᵀ G", "No slope 1/a."):
        assert formulas.typeset(text) == (text,)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "index.html").write_text('<p id="here"></p><a href="sub/b.html#there">b</a><img src="p.png">')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.html").write_text(
        '<h1 id="there"></h1><a href="../index.html#here"></a>'
        '<a href="https://example.org/x">x</a><a href="#nowhere"></a>'
    )
    yield tmp_path


def test_dead_links_are_found_and_none_is_followed_outside(small: Path) -> None:
    found = links.look(small)
    assert found.dead == ["index.html: p.png", "sub/b.html: #nowhere"]
    assert (found.pages, found.inside, found.outside) == (2, 2, {"https://example.org/x"})


def test_the_index_of_names_is_up_to_date_and_has_every_mistake_and_every_misconception() -> None:
    text = names.PAGE.read_text(encoding="utf-8")
    assert text == names.page(), "Run: make build"
    lines = text.splitlines()
    told = [
        f"- *{each.name}*: {each.explanation}" for chap in names.chapters() for p in chap.parts for each in p.mistakes
    ]
    assert [each for each in told if each not in lines] == []
    assert len(names.rows()) == 40
    for number, (about, places) in names.rows().items():
        (line,) = [line for line in lines if line.startswith(f"{number}. {about}: ")]
        assert all(f"`{name}`" in line for _, _, name in places)


@needs_sphinx
def test_a_page_asks_for_nothing_that_it_cannot_do(site: Path) -> None:
    start = (site / "lessons" / "00_start_here.html").read_text(encoding="utf-8")
    exercise = (site / "exercises" / "01_scalar_backward.html").read_text(encoding="utf-8")
    assert "Shift+Enter" not in start and "has been run for you" in start
    assert "Here you can read the exercise." in exercise and "see yours beside" not in exercise
    assert exercise.count("The target: torch") == exercise.count(">The check<")
    assert exercise.count(">The check<") == len(source.read("solutions", "01_scalar_backward").programs())
    lesson = (site / "lessons" / "01_scalar_backward.html").read_text(encoding="utf-8")
    assert len(re.findall(r"⏟</mo>\s*</munder>\s*<mtext>\w+</mtext>\s*</munder>", lesson)) == 3  # words under braces
    with pytest.raises(reading.Unfound):
        reading.for_a_reader("lessons/00_start_here", '{"cells": []}')
    assert "There is no page here" in (site / "404.html").read_text(encoding="utf-8")
    texts = (site / "_static" / "texts.js").read_text(encoding="utf-8")
    assert "retains_grad" in texts and "is_leafrequires_grad" not in texts  # each cell is a word
    assert "line 4 y = torch.sigmoid(x) line 5 y += 1 line 6" in texts
    assert "(tensor(99.), tensor(42.))" not in texts  # what waits to be revealed
