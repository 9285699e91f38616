"""Does something to be seen tell the answer of a prediction before it is asked for? In notebooks and on pages."""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import Any

from minigrad_course.explorers.prediction import bare
from minigrad_course.predictions import questions
from minigrad_course.texts import source
from minigrad_course.texts.saving import MIME

# What is met on the way down: ("seen", text), ("asks", name, its own text), ("answers", name).
Met = tuple[str, ...]
SAYS_NOTHING = 8  # characters: a shorter line is a number or a word that may stand anywhere
# What an answering cell prints beside its answer, and has been shown before on purpose: the first hook prints v.
KNOWN = {"hook_order": ("tensor([1.,10.,100.])",)}


@functools.cache
def built(lesson: str) -> str:
    """A lesson's notebook as the repository holds it, with all outputs."""
    return (source.notebooks_folder() / "lessons" / f"{lesson}.ipynb").read_text(encoding="utf-8")


@functools.cache
def stored() -> dict[str, dict[str, Any]]:
    """The data of every question, as the lessons store them."""
    return {each[MIME]["id"]: each[MIME] for each in asked()}


def stills() -> list[str]:
    """The still picture of every question, as the lessons store it."""
    return ["".join(each["image/svg+xml"]) for each in asked()]


def asked() -> list[dict[str, Any]]:
    """The outputs of all cells that ask, by type."""
    lessons = [json.loads(built(name)) for name in source.names("lessons")]
    outputs = [out for lesson in lessons for cell in lesson["cells"] for out in cell.get("outputs", [])]
    return [out["data"] for out in outputs if out.get("data", {}).get(MIME, {}).get("view") == "predict"]


@functools.cache
def answers(name: str) -> list[str]:
    """What tells the answer to a question: lines that its cells print, whole and one by one, bare."""
    told: list[str] = []
    for cell in json.loads(built(questions()[name].lesson))["cells"]:
        if noted(cell).get("answers") == name:
            texts = ["".join(out["text"] if "text" in out else out["data"]["text/plain"]) for out in cell["outputs"]]
            told += [bare("".join(texts)), *(bare(line) for text in texts for line in text.splitlines())]
    assert told, name
    return [line for line in told if len(line) > SAYS_NOTHING and line not in KNOWN.get(name, ())]


def noted(cell: dict[str, Any]) -> dict[str, str]:
    return cell["metadata"].get("minigrad", {})


def leaks(way_down: Iterable[Met]) -> list[tuple[str, str]]:
    """(question, what tells): above a question, or between it and its answer; and what it says itself too soon."""
    found, above, answered, waiting = [], "", set(), ""
    for kind, name, *own in way_down:
        says = [bare(say) for say in questions()[name].choices.values()] if kind != "seen" else []
        if kind == "seen":
            above += f"\n{bare(name)}"
        elif kind == "asks":
            waiting = bare(" ".join(own))  # its own choices do not tell, but those of an earlier question may
            found += [(name, say) for say in says if say in waiting]
        elif name not in answered:
            answered.add(name)
            found += [(name, line) for line in [*answers(name), *says] if line in above]
            above += f"\n{waiting}"
    return found


def in_notebook(notebook: dict[str, Any]) -> Iterator[Met]:
    """The way down a notebook, as a viewer shows it that may know our type or not."""
    for cell in notebook["cells"]:
        texts = ["".join(cell["source"])]
        for out in cell.get("outputs", []):
            texts += ["".join(out["text"])] if "text" in out else shown(out.get("data", {}))
        if name := noted(cell).get("asks"):
            yield "asks", name, *texts
        else:
            if name := noted(cell).get("answers"):
                yield "answers", name
            yield "seen", "\n".join(texts)


def shown(data: dict[str, Any]) -> list[str]:
    """What a viewer may show of an output, in words, without the letters of pictures."""
    texts = ["".join(text) for kind, text in data.items() if kind != MIME]
    plain = [re.sub(r"<style>.*?</style>|data:[^\"]*|<(?!img)[^>]*>", " ", text, flags=re.DOTALL) for text in texts]
    return [*map(html.unescape, plain), str(data.get(MIME, {}).get("alt", ""))]


class Page(HTMLParser):
    """The way down a page of the site before a script runs and anything is revealed."""

    def __init__(self, text: str):
        super().__init__()
        self.met: list[Met] = []
        self.inside: list[str] = []  # script, style and details that are open
        self.asked = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "details":
            assert "open" not in dict(attributes)
            if self.asked:
                self.met.append(("answers", self.asked))
        if tag in ("script", "style", "details", "summary") or (tag == "svg" and self.met[-1][0] == "asks"):
            self.inside.append(tag)
        self.see(" ".join(value or "" for name, value in attributes if name in ("alt", "title", "aria-label")))

    def handle_endtag(self, tag: str) -> None:
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, text: str) -> None:
        if self.inside[-1:] == ["script"] and "details" not in self.inside:
            data = json.loads(text) if text.startswith("{") else {}
            if data.get("view") == "predict":
                self.asked = data["id"]
                self.met.append(("asks", self.asked, ""))
        if self.inside[-1:] == ["svg"]:
            self.met[-1] = (*self.met[-1], text)
        self.see(text)

    def see(self, text: str) -> None:
        if text.strip() and (not self.inside or self.inside[-1] == "summary"):
            before = self.met.pop()[1] if self.met and self.met[-1][0] == "seen" else ""  # code is cut into pieces
            self.met.append(("seen", before + text))
