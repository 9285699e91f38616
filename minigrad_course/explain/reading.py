"""The program that is to be explained: a file, a module, a text, standard input, a page's text, or a notebook."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import sys
import textwrap
from pathlib import Path

FENCE = re.compile(r"\s*(?:```|~~~)")
PROMPT = re.compile(r"\s*(?:>>>|In \[\d*\]:)(?: |$)")
CONTINUED = re.compile(r"\s*(?:\.\.\.:?)(?: |$)")
SPACE = "\N{NO-BREAK SPACE}"  # what pages put in place of blanks
MAGIC = re.compile(r"\s*[%!?]|.*[^#'\"]\?\s*$|\s*\w[\w, ]*=\s*[%!]")  # a line that only IPython reads


class NoProgram(Exception):
    """There is nothing to run, for a reason that is said in a sentence."""


@dataclasses.dataclass
class Source:
    """A program: where it is, its text, and how it is started.

    path: the name that its code is compiled under; folder: what it imports from; cells: (first line, name) of each
    cell of a notebook; names: what its module has besides, as `__file__`; pasted: it was read as copied from a page.
    """

    path: str
    text: str
    folder: str
    argv: list[str]
    names: dict[str, object] = dataclasses.field(default_factory=dict)
    cells: list[tuple[int, str]] = dataclasses.field(default_factory=list)
    pasted: bool = False


def chosen(file: str | None, arguments: list[str], code: str | None = None, module: str | None = None) -> Source:
    """The program that the arguments of a command name. NoProgram if there is none."""
    given = arguments if file is None else [file, *arguments]
    if code is not None:
        return from_text(code, given)
    if module is not None:
        return from_module(module, given)
    if file in (None, "-"):
        return from_text(sys.stdin.read(), arguments, "-")
    assert file is not None
    return from_file(file, arguments)


def from_file(name: str, arguments: list[str]) -> Source:
    """A file of Python, a text copied from a page, or a notebook."""
    path = Path(name)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise NoProgram(f"There is no file {name}.") from None
    except OSError as error:
        raise NoProgram(f"{name} cannot be read: {error.strerror}.") from None
    full = str(path.resolve())
    if path.suffix == ".ipynb":
        text, cells = notebook(raw, name)
        return Source(full, text, str(path.resolve().parent), [name, *arguments], {"__file__": name}, cells)
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise NoProgram(f"{name} is not a text in UTF-8.") from None
    text, pasted = as_program(text)
    folder = str(path.resolve().parent)
    return Source(full, text, folder, [name, *arguments], {"__file__": name}, pasted=pasted)


def from_text(text: str, arguments: list[str], argv0: str = "-c") -> Source:
    """The text of `-c`, or of standard input."""
    text, pasted = as_program(text)
    return Source("<string>" if argv0 == "-c" else "<stdin>", text, os.getcwd(), [argv0, *arguments], pasted=pasted)


def from_module(name: str, arguments: list[str]) -> Source:
    """A module, as `python -m` runs it."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise NoProgram(f"There is no module {name}.")
    text = Path(spec.origin).read_text(encoding="utf-8-sig")
    names = {"__file__": spec.origin, "__package__": name.rpartition(".")[0], "__spec__": spec}
    return Source(spec.origin, text, os.getcwd(), [spec.origin, *arguments], names)


def notebook(raw: bytes, name: str) -> tuple[str, list[tuple[int, str]]]:
    """The code cells of a notebook, one after the other, without magics; and where each begins."""
    try:
        cells = json.loads(raw)["cells"]
    except (ValueError, KeyError, TypeError):
        raise NoProgram(f"{name} is not a notebook.") from None
    texts = ["".join(cell.get("source", "")) for cell in cells if cell.get("cell_type") == "code"]
    return joined(texts)


def joined(texts: list[str]) -> tuple[str, list[tuple[int, str]]]:
    """The texts of cells as one program: (text, [(first line, `cell 1`), …])."""
    lines: list[str] = []
    starts: list[tuple[int, str]] = []
    for number, text in enumerate(texts, start=1):
        starts.append((len(lines) + 1, f"cell {number}"))
        lines += without_magics(text) or [""]
    return "\n".join(lines) + "\n", starts


def without_magics(text: str) -> list[str]:
    """The lines of a cell, with `pass` for a line that only IPython reads, and nothing for a cell of another kind."""
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%"):
        kept = first.split()[0] in ("%%time", "%%timeit", "%%capture", "%%explain")
        return [("" if line is first else line) if kept else "" for line in lines]
    try:
        compile(text, "<cell>", "exec", dont_inherit=True)
        return lines
    except (SyntaxError, ValueError):
        blank = [len(line) - len(line.lstrip()) for line in lines]
        return [" " * blank[k] + "pass" if MAGIC.match(line) else line for k, line in enumerate(lines)]


def as_program(text: str) -> tuple[str, bool]:
    """The text itself if it is Python, else what a page has made of it; and whether it was a page's."""
    try:
        compile(text, "<program>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        result = program_in(text)
        if result is not None:
            return result, True
    return text, False


def program_in(text: str) -> str | None:
    """The text as Python, or None if it is not Python in this way either.

    Each line keeps its number, so what is said about line 3 is true of the text as well.
    """
    lines = fenced(text.replace(SPACE, " ").splitlines())
    lines = textwrap.dedent("\n".join(prompted(lines))).split("\n")
    program = "\n".join(lines) + "\n"
    try:
        compile(program, "<pasted>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return program if program.strip() else None


def fenced(lines: list[str]) -> list[str]:
    """The lines between fences, with the others empty; all of them where there is no fence."""
    fences = [bool(FENCE.match(line)) for line in lines]
    inside, kept = not any(fences), []
    for line, fence in zip(lines, fences, strict=True):
        inside = inside != fence
        kept.append(line if inside and not fence else "")
    return kept


def prompted(lines: list[str]) -> list[str]:
    """What was typed after prompts, with what was printed left out; all lines where there is no prompt."""
    if not any(PROMPT.match(line) for line in lines):
        return lines
    kept, typed = [], False
    for line in lines:
        result = PROMPT.match(line) or (CONTINUED.match(line) if typed else None)
        typed = bool(result)
        kept.append(line[result.end() :] if result else "")
    return kept
