"""What `%load_ext minigrad.course` brings into a notebook: `@part`, `%%check` and `%hint`."""

from __future__ import annotations

import os
import sys
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from minigrad.course import parts
from minigrad.course.checks import judge
from minigrad.course.program import Answers
from minigrad.course.reference import NoReference


class CheckFailed(Exception):
    """A failed check, for programs that score by exceptions; shown as one line."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@magics_class
class CourseMagics(Magics):
    """The answers handed over in this notebook, and the commands that use them."""

    def __init__(self, shell: Any):
        super().__init__(shell)
        self.answers = Answers()
        self.hints_shown: dict[str, int] = {}

    def part(self, name: str) -> Any:
        """The decorator `@part("mul")` of the notebook: hand over the class or function below it."""
        if not isinstance(name, str):  # written as `@part`, without a name
            print('Write the name of the part: @part("mul")')
            return name
        if not is_part(name):
            print(f"No part is called {name!r}. {all_parts()}")
        return self.answers.part(name)

    @cell_magic
    def check(self, line: str, cell: str) -> None:
        """`%%check mul`: run the cell with your `mul`, and compare what it prints with torch."""
        name = line.strip()
        failure = self.failure(name, cell)
        if failure and os.environ.get("NBGRADER_EXECUTION"):
            raise CheckFailed(failure)  # nbgrader scores by exceptions

    def failure(self, name: str, cell: str) -> str | None:
        """Run a check and show what came of it; one line if it did not pass."""
        chapter = parts.chapter_of(name)
        if chapter is None:
            return said(f"No check is called {name!r}. {all_parts()}")
        try:
            verdict = judge(chapter, name, cell, self.answers)
        except NoReference as error:
            return said(f"torch itself does not run this cell to its end, so there is nothing to compare with. {error}")
        except KeyboardInterrupt:
            return said(f"{name}: interrupted.")
        print(verdict.text, end="")
        sys.stdout.flush()  # the text first, then what is said about it
        display(verdict)
        return None if verdict.state == "passed" else verdict.headline

    @line_magic
    def hint(self, line: str) -> None:
        """`%hint mul`: the next hint for a part."""
        name = line.strip()
        if not is_part(name):
            print(f"No part is called {name!r}. {all_parts()}")
            return
        chapter = parts.chapter_of(name)
        assert chapter is not None
        hints = chapter.part(name).hints
        shown = self.hints_shown.get(name, 0)
        if shown >= len(hints):
            print(f"That was the last hint. Our answer is in solutions/{chapter.name}.ipynb. From the start:")
            shown = 0
        print(f"Hint {shown + 1} of {len(hints)}: {hints[shown]}")
        self.hints_shown[name] = shown + 1


def said(sentence: str) -> str:
    """Print a sentence, and hand it back."""
    print(sentence)
    return sentence


def is_part(name: str) -> bool:
    """True for the name of a part; the last check of a chapter is none."""
    chapter = parts.chapter_of(name)
    return chapter is not None and name != chapter.together


def all_parts() -> str:
    """A sentence that lists the parts."""
    names = [part.name for chapter in parts.chapters() for part in chapter.parts]
    return f"The parts are {', '.join(names)}."


def load(shell: Any) -> None:
    """Add the commands to a shell, and the name `part` to the notebook."""
    magics = CourseMagics(shell)
    shell.register_magics(magics)
    shell.user_ns["part"] = magics.part
