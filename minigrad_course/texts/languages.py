"""Exercises in another language: put its texts into a notebook, and find what a translation has lost.

`translations/CODE/` holds `words.toml` (see `words`), and for a chapter NAME.md, its text cells by their ids, and
NAME.toml, the hints and mistakes of its parts. What is not there stays English; code cells are shared.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad_course.parts import Chapter, Part, chapter_named
from minigrad_course.texts import source
from minigrad_course.texts.words import ENGLISH, FOLDER, PLACEHOLDER, languages, words

if TYPE_CHECKING:
    from nbformat import NotebookNode

FENCED = re.compile(r"^```.*?^```", re.M | re.S)
IN_WORDS = re.compile(r"\\text\{[^}]*\}")  # the part of a formula that is translated
# What a translation has to keep, and what to call it.
KEPT = {
    "placeholder": PLACEHOLDER,
    "formula": re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.S),
    "code": re.compile(r"`[^`\n]+`"),
    "link": re.compile(r"\]\([^)]+\)"),
}


def translate(notebook: NotebookNode, language: str) -> None:
    """Put the texts of a language into an exercise or a solution, and note there which language it is."""
    noted = notebook.metadata["minigrad"]
    chapter = chapter_named(noted["name"])
    if not language or noted["kind"] == "lessons" or chapter is None or not (result := texts(language, chapter.name)):
        return
    noted["language"] = language
    said = words(language)
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.id in result:
            cell.source = said.filled(result[cell.id], chapter)
        for output in cell.get("outputs", []):
            for kind, text in output.get("data", {}).items():
                if isinstance(text, str) and text.strip("*") == ENGLISH.target:
                    output["data"][kind] = text.replace(ENGLISH.target, said.target)


@functools.cache
def texts(language: str, name: str) -> dict[str, str]:
    """The translated texts of a chapter by the ids of their cells, with placeholders. BadSource for a code cell."""
    path = FOLDER / language / f"{name}.md"
    return texts_of(path, f"{language}/{path.name}") if path.is_file() else {}


def texts_of(path: Path, where: str = "") -> dict[str, str]:
    """The text cells of a file by id. With `where`, BadSource for any other cell."""
    cells = source.blocks(path.read_text(encoding="utf-8"), where or path.name)
    for cell in cells:
        if where and (cell.kind != "text" or not cell.metadata.get("id")):
            raise source.BadSource(
                f"{where}: only texts with an id are translated, and this is none: {cell.source[:60]!r}"
            )
    return {cell.metadata["id"]: cell.source for cell in cells if cell.kind == "text"}


def english(chapter: Chapter) -> dict[str, str]:
    """The English texts of a chapter by the ids of their cells, with placeholders."""
    paths = [
        source.text_path("solutions", chapter.name),
        *(source.section_path(chapter, part.name) for part in chapter.parts),
    ]
    return {name: text for path in paths if path.is_file() for name, text in texts_of(path).items()}


# --- checking ------------------------------------------------------------------------------------


def demand_translations() -> None:
    """BadSource, with a line for each thing that is wrong with a translation."""
    if results := [f"translations/{problem}" for language in languages() for problem in problems(language)]:
        raise source.BadSource("\n".join(results))


def problems(language: str) -> Iterator[str]:
    """What is wrong with a translation."""
    for path in sorted((FOLDER / language).iterdir()):
        chapter = chapter_named(path.stem)
        where = f"{language}/{path.name}"
        if path.name == "words.toml":
            yield from wrong_words(tomllib.loads(path.read_text(encoding="utf-8")), where)
        elif chapter and path.suffix == ".md":
            ours = english(chapter)
            for name, text in texts(language, chapter.name).items():
                if name not in ours:
                    yield f"{where}, cell {name}: the exercise has no text of this name"
                yield from lost(ours.get(name, text), text, f"{where}, cell {name}")
        elif chapter and path.suffix == ".toml":
            parts = {part.name: part for part in chapter.parts}
            for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
                if name not in parts:
                    yield f"{where}: the chapter has no part {name}"
                else:
                    yield from wrong_part(parts[name], entry, f"{where}, {name}")
        else:
            yield f"{where}: no chapter has this name"


def wrong_words(entry: dict[str, Any], where: str) -> Iterator[str]:
    """What is wrong with the words of a language: unknown ones, and fields that were lost."""
    ours = dataclasses.asdict(ENGLISH)
    for name, text in entry.items():
        if not isinstance(text, str) or name not in ours:
            yield f"{where}: there is no text called {name}"
        elif fields(text) != fields(ours[name]):
            yield f"{where}, {name}: the fields in braces are {', '.join(fields(ours[name])) or 'none'}"


def fields(text: str) -> list[str]:
    """The fields of a format."""
    return sorted(field for _, field, _, _ in string.Formatter().parse(text) if field)


def wrong_part(part: Part, entry: dict[str, Any], where: str) -> Iterator[str]:
    """What is wrong with the translated hints and mistakes of a part."""
    hints, known = entry.get("hints", part.hints), {mistake.name: mistake.explanation for mistake in part.mistakes}
    if len(hints) != len(part.hints):
        yield f"{where}: there are {len(part.hints)} hints, and {len(hints)} here"
    for number, (ours, hint) in enumerate(zip(part.hints, hints, strict=False), 1):
        yield from lost(ours, hint, f"{where}, hint {number}")
    for name, explanation in entry.get("mistakes", {}).items():
        if name not in known:
            yield f"{where}: there is no mistake called {name!r}"
        yield from lost(known.get(name, explanation), explanation, f"{where}, mistake {name!r}")
    for name in entry.keys() - {"hints", "mistakes"}:
        yield f"{where}: {name} is neither hints nor mistakes"


def lost(ours: str, theirs: str, where: str) -> Iterator[str]:
    """What a text has in one language only, of what has to be the same in both."""
    wanted, result = kept(ours), kept(theirs)
    for item in sorted(wanted - result):
        yield f"{where}: the {item[0]} {item[1]} is missing"
    for item in sorted(result - wanted):
        yield f"{where}: the {item[0]} {item[1]} is not in the English text"


def kept(text: str) -> set[tuple[str, str]]:
    """What a translation has to keep of a text."""
    plain = FENCED.sub("", text)
    results = {("block", block) for block in FENCED.findall(text)}
    for what, pattern in KEPT.items():
        results |= {(what, IN_WORDS.sub("", text)) for text in pattern.findall(plain)}
    return results
