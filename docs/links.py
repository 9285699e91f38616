"""Follow every internal link and image of a built site, and list the external ones.

    python docs/links.py build/site [--outside]

Nothing is fetched.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the anchors in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser for each tag."""
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value is not None:
                self.targets.append(value)


@dataclass
class Found:
    """The number of good internal links, the dead links, and the external ones."""

    pages: int = 0
    inside: int = 0
    dead: list[str] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)


@functools.cache
def read(path: Path) -> Page:
    """A page, parsed once."""
    return Page(path.read_text(encoding="utf-8"))


def look(site: Path) -> Found:
    """Follow the links of all pages."""
    found = Found()
    for path in pages(site):
        found.pages += 1
        for target in read(path).targets:
            parts = urlsplit(target)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                found.outside.add(target)
            elif leads_somewhere(path, unquote(parts.path), unquote(parts.fragment)):
                found.inside += 1
            else:
                found.dead.append(f"{path.relative_to(site).as_posix()}: {target}")
    return found


def pages(site: Path) -> Iterator[Path]:
    """The pages of a site, without the theme's own files."""
    yield from (path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts)


def leads_somewhere(page: Path, target: str, place: str) -> bool:
    """True if the file exists and, in a page, the anchor."""
    path = (page.parent / target).resolve() if target else page.resolve()
    if path.suffix != ".html" or not path.is_file():
        return path.is_file()
    return place in read(path).places


def main() -> int:
    """Print what was found; the exit status is 1 if a link is dead."""
    parser = argparse.ArgumentParser(description="Follow the links of a built site.")
    parser.add_argument("site", type=Path)
    parser.add_argument("--outside", action="store_true", help="list the links that lead elsewhere")
    options = parser.parse_args()
    if not (options.site / "index.html").is_file():
        print(f"There is no site in {options.site}. Run: make site")
        return 2
    found = look(options.site)
    for each in found.dead:
        print(f"dead: {each}")
    for each in sorted(found.outside) if options.outside else ():
        print(each)
    print(
        f"{found.pages} pages, {found.inside} links that lead somewhere, {len(found.dead)} dead, "
        f"{len(found.outside)} to other sites (not fetched)."
    )
    return 1 if found.dead else 0


if __name__ == "__main__":
    raise SystemExit(main())
