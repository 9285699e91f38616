"""Places in a program that somebody wrote: which line and expression called the engine, and what stands there."""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
import os
import sysconfig
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any

import numpy as np

import minigrad

_ENGINE = os.path.dirname(minigrad.__file__) + os.sep
_LIBRARIES = tuple(
    {os.path.join(sysconfig.get_path(each), "") for each in ("stdlib", "platstdlib", "purelib", "platlib")}
)


@functools.cache
def is_program(filename: str) -> bool:
    """True for a file that the reader wrote: not the engine's, not a library's."""
    if filename.startswith((_ENGINE, "<fastpath: ", "<frozen ", "<__array_function__", os.path.dirname(np.__file__))):
        return False
    return not filename.startswith(_LIBRARIES)


@dataclasses.dataclass(frozen=True)
class Location:
    """A place in the program: an instruction of some code; `caller` is where the function it is in was called."""

    code: CodeType
    at: int
    line: int
    caller: Location | None = None

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        """The function that the line is in; "" at the top of a file, and for a lambda or the like."""
        return "" if self.code.co_name.startswith("<") else self.code.co_name

    @functools.cached_property
    def span(self) -> tuple[int, int, int, int] | None:
        """First and last line and column of the expression, as in `ast`; None if Python does not know."""
        found = [*self.code.co_positions()][self.at // 2] if self.at >= 0 else (None,) * 4
        first, last, start, end = found
        if first is None or last is None or start is None or end is None:
            return None
        return first, last, start, end


def program_frame(frame: FrameType | None) -> tuple[FrameType | None, FrameType | None]:
    """The frame of the program that called the engine, and the engine's outermost frame below it."""
    below = None
    while frame is not None and not is_program(frame.f_code.co_filename):
        below, frame = frame, frame.f_back
    return frame, below


def place_of(frame: FrameType | None) -> Location | None:
    """The place of the program at which this frame, or the one that called it, stands."""
    frame, _ = program_frame(frame)
    if frame is None:
        return None
    above = None
    if frame.f_code.co_name != "<module>":
        caller, _ = program_frame(frame.f_back)
        above = caller and Location(caller.f_code, caller.f_lasti, caller.f_lineno)
    return Location(frame.f_code, frame.f_lasti, frame.f_lineno, above)


# --- the program's text --------------------------------------------------------------------------


class Sources:
    """The texts of the program's files: given, for what is in no file, or read."""

    def __init__(self, texts: Mapping[str, str] | None = None):
        self.texts = dict(texts or {})

    @functools.cached_property
    def trees(self) -> dict[str, list[ast.AST]]:
        return {}

    def text(self, file: str) -> str:
        """The text of a file; "" if there is none."""
        if file not in self.texts:
            self.texts[file] = "".join(linecache.getlines(file))
        return self.texts[file]

    def line(self, place: Location) -> str:
        """The line of a place, without its indentation."""
        lines = self.text(place.file).splitlines()
        return lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""

    def at(self, place: Location, word: str = "line") -> str:
        """`line 3`, or `line 3 of helpers.py` for another file than the program's own, which was given first."""
        return self.at_line(place.file, place.line, word)

    def at_line(self, file: str, line: int, word: str = "line") -> str:
        """The same for a line of a file."""
        own = file == next(iter(self.texts), file)
        return f"{word} {line}" if own else f"{word} {line} of {file.rpartition('/')[2]}"

    def nodes(self, file: str) -> list[ast.AST]:
        """Everything in the file's syntax tree that has a place."""
        if file not in self.trees:
            try:
                tree = ast.parse(self.text(file))
            except (SyntaxError, ValueError):
                self.trees[file] = []
            else:
                self.trees[file] = [each for each in ast.walk(tree) if hasattr(each, "lineno")]
        return self.trees[file]

    def expression(self, place: Location | None) -> ast.AST | None:
        """The piece of the program that the place's instruction stands for."""
        if place is None or place.span is None:
            return None
        same = [each for each in self.nodes(place.file) if span(each) == place.span]
        return next((each for each in same if not isinstance(each, ast.Expr)), same[0] if same else None)

    def statement(self, place: Location | None) -> ast.stmt | None:
        """The smallest statement around the place."""
        if place is None or place.span is None:
            return None
        first, last, start, end = place.span
        around = [
            each
            for each in self.nodes(place.file)
            if isinstance(each, ast.stmt) and within((first, start), (last, end), span(each))
        ]
        return min(around, key=lambda each: (each.end_lineno or 0) - each.lineno) if around else None

    def begins(self, place: Location, other: Location | None, name: str) -> Location | None:
        """Where the statement begins that holds a place, in the function or turn of a loop that holds another one too.

        None if `name` is given its value between that line and the place, so that it cannot be read there.
        """
        around = [each for each in self.nodes(place.file) if isinstance(each, ast.stmt) and reaches(each, place.line)]
        functions = [each for each in around if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
        turns = [each for each in around if isinstance(each, (ast.For, ast.While))]
        if other and other.file == place.file:
            turns = [each for each in turns if reaches(each, other.line)]
        block = max([*functions, *turns], key=lambda each: each.lineno, default=None)  # the innermost begins last
        first = next(each for each in around if block is None or each.lineno > block.lineno)
        between = (each for each in ast.walk(first) if isinstance(each, ast.Assign) and each.lineno < place.line)
        targets = (each for statement in between for target in statement.targets for each in ast.walk(target))
        given = {ast.unparse(each) for each in targets if isinstance(each, ast.expr)}
        return None if name in given else dataclasses.replace(place, line=first.lineno)

    def said(self, node: ast.AST | None) -> str:
        """A piece of the program as text, on one line."""
        return "" if node is None else ast.unparse(node)

    def target(self, place: Location | None) -> str:
        """The name that the place's statement gives to the value of the place's expression; "" if it gives none."""
        statement = self.statement(place)
        value = getattr(statement, "value", None)
        if place and isinstance(statement, ast.Assign) and len(statement.targets) == 1 and value is not None:
            (target,) = statement.targets
            if span(value) == place.span and isinstance(target, (ast.Name, ast.Attribute)):
                return ast.unparse(target)
        return ""


def span(node: Any) -> tuple[int, int, int, int]:
    """First and last line, first and last column."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def reaches(node: Any, line: int) -> bool:
    """True if the line lies in the span of a piece of the program."""
    return node.lineno <= line <= node.end_lineno


def within(start: tuple[int, int], end: tuple[int, int], outer: tuple[int, int, int, int]) -> bool:
    """True if the outer span holds everything from start to end."""
    return (outer[0], outer[2]) <= start and end <= (outer[1], outer[3])
