"""What the search of the site looks through: the texts of all pages, section by section, and each name of the engine.

A script holds them, so that a page opened from a disk can search as well. What waits behind *Reveal* stays there.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bs4 import BeautifulSoup, Tag

UNSAID = ".headerlink, .page-links, .viewcode-link, details.hide"
# What says nothing, and the colours of programs, are gone before the page is parsed: they are most of its tags.
PICTURES = re.compile(r"<(svg|script|style)\b.*?</\1>", re.DOTALL)
PROGRAMS = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
COLOURS = re.compile(r"</?span\b[^>]*>")
BLOCKS = "caption, p, li, dt, dd, pre, div, h1, h2, h3, h4, h5, br, button, label, summary, tr, .mg-steps > li > *"
Section = tuple[str, str, str]  # its anchor, its heading, its text


def sections(body: str) -> tuple[list[Section], list[Section]]:
    """The sections of a page, and the entries of the reference on it."""
    plain = PROGRAMS.sub(lambda found: COLOURS.sub("", found[0]), PICTURES.sub("", body))
    page = BeautifulSoup(plain, "html.parser")
    for each in page.select(UNSAID):
        each.decompose()
    for each in reversed(page.find_all("mfrac")):  # those inside come first
        above, below = (part.get_text() for part in each.find_all(recursive=False))
        each.replace_with(f"{above}/{below}")
    for each in page.find_all("math"):
        each.replace_with("".join(each.get_text().split()))
    for each in page.select(BLOCKS):
        each.insert_after(" ")
    for each in page.select("td + td, th + td, th + th"):
        each.insert_before(" · ")
    names = [taken(entry) for entry in reversed(page.select("dl.py"))]
    found = [section(each) for each in reversed(page.find_all("section"))]
    return found[::-1], [each for each in names[::-1] if each[0]]


def taken(entry: Tag) -> Section:
    """An entry of the reference, taken out of its page."""
    head = entry.find("dt")
    anchor = str(head.get("id", "")) if isinstance(head, Tag) else ""
    entry.extract()
    return anchor, anchor, said(entry)


def section(found: Tag) -> Section:
    """A section without those inside it, which were taken out before."""
    heading = found.find(["h1", "h2", "h3", "h4", "h5"])
    title = said(heading.extract()) if isinstance(heading, Tag) else ""
    found.extract()
    return str(found.get("id", "")), title, said(found)


def said(part: Tag) -> str:
    """Its words; sentences come before programs."""
    for program in part.find_all("pre"):
        part.append(program.extract())
    return " ".join(part.get_text().split())


def script(pages: dict[str, tuple[str, str]]) -> str:
    """The script: for each page its title, its sections and its names. `pages`: title and HTML by name."""
    known: list[Any] = [[name, title, *sections(body)] for name, (title, body) in sorted(pages.items())]
    return f"window.TEXTS = {json.dumps(known, ensure_ascii=False, separators=(',', ':'))};\n"
