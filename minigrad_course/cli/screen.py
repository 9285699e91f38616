"""Where commands print: a terminal, on which long lines are wrapped, or a pipe, in which they stay as they are."""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

WIDEST = 100  # columns of a line
INDENT = re.compile(r"\s*(?:[^\w\s]\s+|\d+\s\s+)?")  # before a mark or a number, and after it
COMMAND = r"minigrad(?: [^\s.]\S*){1,2}(?: -\S+(?: \w\S*)?)*"
UNIT = re.compile(rf"(?:`[^`\n]*`\S*|{COMMAND}|\S+)\s*")  # a word, or code, which stays on one line
PLAIN = {"✓": "+", "✗": "x", "…": ".", "→": ">", "×": "x", "≈": "~"}  # else passed and wrong would look alike


def plainer(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(item, "?") for item in error.object[error.start : error.end]), error.end


codecs.register_error(plainer.__name__, plainer)


class Screen(Console):
    """A console for sentences, which may hold any character; nothing in them is markup."""

    def __init__(self, stderr: bool = False, **settings: Any):
        stream = sys.stderr if stderr else sys.stdout
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=plainer.__name__)  # a pipe's encoding may lack some of our characters
        super().__init__(file=stream, highlight=False, markup=False, emoji=False, **settings)

    @property
    def columns(self) -> int:
        """How wide a line of text may be."""
        return min(WIDEST, self.width)

    def fitted(self, text: str | Text) -> str | Text:
        """A text, wrapped if it is for a terminal."""
        return wrapped(text, self.columns) if self.file.isatty() else text

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print texts, wrapped where that is wanted, or anything else, such as a table, as rich does."""
        if all(isinstance(item, (str, Text)) for item in objects):
            settings["soft_wrap"] = True  # rich itself would wrap in pipes as well
            objects = tuple(map(self.fitted, objects))
        elif not self.is_terminal:  # a table is padded with blanks, which whoever reads a pipe would have to remove
            with self.capture() as held:
                super().print(*objects, **settings)
            objects = ("\n".join(line.rstrip() for line in held.get().rstrip("\n").split("\n")),)
            settings = {"soft_wrap": True}
        super().print(*objects, **settings)


def wrapped(text: str | Text, columns: int) -> Text:
    """A text with no line wider than that, if its words allow it. What continues a line begins below its first word."""
    whole = Text(text) if isinstance(text, str) else text
    return Text("\n").join(part for line in whole.split("\n", allow_blank=True) for part in parts(line, columns))


def parts(line: Text, columns: int) -> Iterator[Text]:
    """A line in as many as it takes."""
    indent = len(match[0]) if (match := INDENT.match(line.plain)) else 0
    offsets, column = [], indent
    for unit in UNIT.finditer(line.plain, indent):
        if column + cell_len(unit[0].rstrip()) > columns and column > indent:
            offsets.append(unit.start())
            column = indent
        column += cell_len(unit[0])
    for count, part in enumerate(line.divide(offsets)):
        if offsets:
            part.rstrip()
        yield Text(" " * indent).append_text(part) if count else part
