"""The site: it is built without a warning, every link in it leads somewhere, and a browser shows it without the net."""

from __future__ import annotations

import functools
import http.server
import importlib
import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from docs_scripts import script

from minigrad import autograd, nn, optim
from minigrad.course import source

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NEEDED = ("myst_nb", "sphinx", "furo")

needs_sphinx = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, NEEDED)), reason="Sphinx is not installed: pip install -e '.[site]'"
)


links = script("links")
names = script("names")


@needs_sphinx
def test_every_link_and_picture_inside_the_site_leads_somewhere(site: Path) -> None:
    found = links.look(site)
    assert found.dead == []
    assert found.inside > 1000
    assert {urlsplit(each).netloc for each in found.outside} <= {"docs.pytorch.org"}


@needs_sphinx
def test_every_lesson_and_every_exercise_is_a_page(site: Path) -> None:
    for kind in ("lessons", "exercises"):
        pages = {path.stem for path in (site / kind).glob("*.html")}
        assert pages == set(source.names(kind))
        home = (site / "docs" / "index.html").read_text(encoding="utf-8")
        assert [name for name in pages if f"{kind}/{name}.html" not in home] == []


@needs_sphinx
def test_the_engine_s_docstrings_are_there_word_by_word(site: Path) -> None:
    page = (site / "docs" / "engine.html").read_text(encoding="utf-8")
    for name in ("scalar.Function", "upstream.sum_to_shape", "jacobian.gradcheck", "leaf.no_grad", "tensor.Tensor"):
        assert f'id="minigrad.{name}"' in page
    assert "|a - n|" in page  # not read as markup


@needs_sphinx
@pytest.mark.parametrize("module", [autograd, autograd.functional, nn, nn.functional, optim, optim.lr_scheduler])
def test_every_public_name_of_the_breadth_has_its_entry(site: Path, module: ModuleType) -> None:
    page = (site / "docs" / "engine.html").read_text(encoding="utf-8")
    named = getattr(module, "__all__", None)
    public = [
        name
        for name, value in vars(module).items()
        if (name in named if named else is_at_home(value, module) and hasattr(torch_s(module), name))
        and not isinstance(value, ModuleType)
    ]
    assert len(public) > 4
    assert [name for name in public if f'id="{module.__name__}.{name}"' not in page] == []


def is_at_home(value: object, module: ModuleType) -> bool:
    """True for what is defined in that module."""
    return getattr(value, "__module__", None) in (module.__name__, torch_s(module).__name__)


def torch_s(module: ModuleType) -> ModuleType:
    """torch's module of that name."""
    return importlib.import_module(module.__name__.replace("minigrad", "torch"))


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
    def log_message(self, format: str, *args: object) -> None:
        pass


# --- the scripts of docs/, without Sphinx ----------------------------------------------------------


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


def test_the_index_of_names_is_up_to_date() -> None:
    assert names.PAGE.read_text(encoding="utf-8") == names.page(), "Run: make build"


def test_every_part_and_every_mistake_is_in_the_index() -> None:
    lines = names.PAGE.read_text(encoding="utf-8").splitlines()
    for chapter in names.chapters():
        for part in chapter.parts:
            assert any(line.startswith(f"| `{part.name}` |") for line in lines)
            for each in part.mistakes:
                assert any(line.startswith(f"| `{part.name}` | {each.name} | ") for line in lines)


def test_every_misconception_is_in_the_index_and_every_place_of_it_in_its_row() -> None:
    text = names.PAGE.read_text(encoding="utf-8")
    known = names.rows()
    assert len(known) == 40
    for number, (about, places) in known.items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| {number} | {about}")]
        assert all(f"`{name}`" in line for _, _, name in places)
