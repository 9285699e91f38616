"""An error of a program with everything that was seen before it, and the form in which it is explained."""

from __future__ import annotations

import ast
import dataclasses
import re
import shutil
import textwrap
from types import FrameType
from typing import Any

from minigrad.course.naming import LONG, Naming
from minigrad.course.places import Location, Sources, is_program, place_of
from minigrad.course.stories import Watch
from minigrad.tensor import Tensor

INDEX = re.compile(r"\[\d+\]")
WIDTH = 80  # or that of the terminal, if it is narrower


@dataclasses.dataclass
class Explanation:
    """A sentence, the lines of the program that it is about with what each did, and what to do."""

    headline: str
    steps: list[tuple[Location | None, str]]
    advice: list[str]

    def lines(self, sources: Sources, main: str) -> list[tuple[str, str]]:
        """The explanation as lines, each with its style; `main` is the file whose name goes without saying."""
        rows: list[tuple[str, str, str]] = []
        for place, role in self.steps:
            if place and rows and rows[-1][0] == where(place, main):  # one sentence for what a line did in turn
                rows[-1] = (*rows[-1][:2], f"{rows[-1][2].removesuffix('.')}; then {role}")
            elif place:
                rows.append((where(place, main), sources.line(place), role))
        left, columns = max([len(each[0]) for each in rows], default=0), width()
        headline = self.headline[0].upper() + self.headline[1:]
        lines = [*[(line, "bold") for line in wrapped(headline, columns)], ("", "")]
        for name, code, role in rows:
            lines.append((f"  {name:{left}}  {code}".rstrip(), "cyan"))
            indent = " " * (left + 6)
            lines += [(line, "") for line in wrapped(role, columns, indent, indent)]
        lines += [("", ""), ("What to do:", "bold")] if self.advice else []
        for each in self.advice:
            lines += [(line, "") for line in wrapped(each, columns, "  - ", "    ")]
        return lines

    def text(self, sources: Sources, main: str) -> str:
        """The same as plain text."""
        return "".join(f"{line}\n" for line, _ in self.lines(sources, main))


def width() -> int:
    """How wide a text may be."""
    return min(WIDTH, shutil.get_terminal_size().columns)


def wrapped(text: str, columns: int, first: str = "", later: str = "") -> list[str]:
    """A text in lines; code between backticks stays on one, so that it can be copied, and so does `line 3`."""
    whole = re.sub(r"`[^`]*`|\bline \d", lambda code: code[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    lines = textwrap.wrap(whole, columns, initial_indent=first, subsequent_indent=later, break_long_words=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def where(place: Location, main: str) -> str:
    """`line 3`, or `helpers.py, line 3` for another file than the program's own."""
    name = f"line {place.line}"
    return name if place.file == main else f"{place.file.rpartition('/')[2]}, {name}"


class Case:
    """An error, what was seen before it, and how to speak of the tensors in it."""

    def __init__(self, error: BaseException | None, seen: Watch, sources: Sources, namespace: dict[str, Any]):
        self.error, self.seen, self.sources = error, seen, sources
        self.frames: list[FrameType] = []
        self.here: Location | None = None
        entry = error.__traceback__ if error else None
        scopes: list[dict[str, Any]] = []
        while entry is not None:
            frame = entry.tb_frame
            if is_program(frame.f_code.co_filename):
                self.here = place_of(frame)
                if self.here:
                    self.here = dataclasses.replace(self.here, at=entry.tb_lasti, line=entry.tb_lineno)
                scopes.insert(0, frame.f_locals)
            else:
                self.frames.append(frame)
            entry = entry.tb_next
        self.naming = Naming(seen, sources, [*scopes, namespace])

    def local(self, function: str, name: str) -> Any:
        """A local variable of the engine's innermost function of that name in the traceback."""
        found = [frame for frame in self.frames if frame.f_code.co_name == function]
        return found[-1].f_locals.get(name) if found else None

    def name(self, tensor: Tensor) -> str:
        return self.naming.name(self.seen.story(tensor))

    def written(self, tensor: Tensor, call: str) -> str:
        """Code that calls a method of a tensor: by its name, else of what made it; the call alone if that is long."""
        story = self.seen.story(tensor)
        owner: Any = ast.Name(code(self.naming.name(story), ""))
        if not (owner.id and self.naming.is_bound(story)):
            owner = None if story.inner else self.sources.expression(story.place)
        said = self.sources.said(ast.Attribute(owner, call)) if isinstance(owner, ast.expr) else ""
        return f"`{said}`" if 0 < len(said) <= LONG + len(call) else f"`.{call}`"

    def made(self, tensor: Tensor, text: str = "makes {}.") -> tuple[Location | None, str]:
        """The step in which a tensor is made."""
        story = self.seen.story(tensor)
        return story.place, text.format(self.naming.there(story))


def line_of(step: tuple[Location | None, str]) -> int:
    """To sort steps that no order is known of."""
    return step[0].line if step[0] else 0


def code(name: str, otherwise: str) -> str:
    """A name to write in code: what stands between the backticks, if it is a name."""
    inner = name.removeprefix("`").partition("`")[0]
    plain = INDEX.sub("", inner).replace(".", "").replace("_", "")
    return inner if plain.isalnum() and name.startswith("`") else otherwise
