"""What `%load_ext minigrad.course` brings into a notebook: `@part`, `%%check`, `%hint`, `%myparts` and `%progress`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from minigrad.course import asked, names, parts, source
from minigrad.course.checks import judge, with_code
from minigrad.course.folders import exercises_folder
from minigrad.course.hints import next_hint
from minigrad.course.myparts import MyParts
from minigrad.course.program import Answers, without_magics
from minigrad.course.reference import NoReference
from minigrad.course.standing import standing


class CheckFailed(Exception):
    """A failed check, for programs that score by exceptions; shown as one line."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@magics_class
class CourseMagics(Magics):
    """The answers handed over in this notebook, and the commands that use them."""

    shell: Any

    def __init__(self, shell: Any):
        super().__init__(shell)
        self.answers = Answers()
        self.cells: dict[str, str] = {}  # the source of the cell that handed a part over
        self.running = ""  # the source of the cell that runs
        self.broken: set[str] = set()  # parts whose cell has stopped with an error
        self.mine = MyParts()

    def part(self, name: str) -> Any:
        """The decorator `@part("mul")` of the notebook: hand over the class or function below it."""
        if not isinstance(name, str):  # written as `@part`, without a name
            print('Write the name of the part: @part("mul")')
            return name
        if not is_part(name):
            print(f"No part is called {name!r}. {all_parts()}")
        self.cells[name] = self.running
        return self.answers.part(name)

    def before_cell(self, info: Any) -> None:
        """Remember what runs, because a decorator cannot see the cell it stands in."""
        self.running = info.raw_cell or ""

    def after_cell(self, result: Any) -> None:
        """Forget a part whose cell has just failed: what it handed over earlier is not what stands there now."""
        found = source.PART.findall(self.running)
        self.broken.difference_update(found)
        if not result.success and not source.CHECK.match(self.running):
            self.broken.update(found)
            for name in found:
                self.answers.pop(name, None)

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
        for part in chapter.places(name):
            if part.name in self.broken:
                return said(f"The cell of {part.name} stopped with an error: mend it and run it again.")
        try:
            verdict = judge(chapter, name, cell, self.answers)
        except NoReference as error:
            return said(f"torch itself does not run this cell to its end, so there is nothing to compare with. {error}")
        except KeyboardInterrupt:
            return said(f"{name}: interrupted.")
        print(verdict.text, end="")
        sys.stdout.flush()  # the text first, then what is said about it
        display(verdict)
        if verdict.state == "passed":
            for sentence in self.elsewhere(chapter, name):
                print(sentence)
        return None if verdict.state == "passed" else verdict.headline

    def elsewhere(self, chapter: parts.Chapter, check: str) -> list[str]:
        """A sentence for each name that an answer takes from a cell which a grading does not run."""
        cells = [cell.source for cell in source.read("solutions", chapter.name).cells if cell.role == "setup"]
        known = names.defined("\n".join(map(without_magics, [*cells, *self.cells.values()]))) | {"part"}
        return [
            f"One thing: {missing} is defined in another cell, and a grading runs only the first cell and the answers. "
            f"Define or import it in the cell of {place.name}."
            for place in chapter.places(check)
            for missing in sorted(names.used(self.answers[place.name], known))
        ]

    @line_magic
    def hint(self, line: str) -> None:
        """`%hint mul`: the next hint for a part."""
        name = line.strip().strip("'\"`").lower()
        if not is_part(name):
            print(f"No part is called {name!r}. {all_parts()}" if name else f"Name a part: %hint mul. {all_parts()}")
            return
        chapter = parts.chapter_of(name)
        assert chapter is not None
        answer = f"Our answer is in solutions/{chapter.name}.ipynb."
        folder = exercises_folder()
        text, shown = next_hint(chapter.part(name), asked.times(folder, "hint", name), answer)
        asked.note(folder, "hint", name, shown)
        display({"text/plain": text, "text/html": with_code(text).replace("\n", "<br>")}, raw=True)

    @line_magic
    def myparts(self, line: str) -> None:
        """`%myparts`: put the parts of your exercises into the engine, until `%myparts off`."""
        named = line.strip().strip("'\"")
        if named.lower() == "off":
            self.mine.off()
            print("All parts are ours again.")
            return
        folder = folder_named(named, "%myparts")
        if folder is None:
            return
        try:
            display(self.mine.use(folder))
        except KeyboardInterrupt:
            self.mine.off()
            print("%myparts: interrupted. All parts are ours.")

    @line_magic
    def progress(self, line: str) -> None:
        """`%progress`: which parts of your exercises are done, as they were last saved."""
        folder = folder_named(line.strip().strip("'\""), "%progress")
        if folder is None:
            return
        try:
            display(standing(folder))
            print("Read from the saved files: save the notebook (Ctrl+S) to count what you have just done.")
        except KeyboardInterrupt:
            print("%progress: interrupted.")


def folder_named(named: str, command: str) -> Path | None:
    """The folder of exercises that a command is to read; None, after a sentence, if there is no such folder."""
    folder = exercises_folder(named)
    if folder.is_dir():
        return folder
    print(f"There is no folder {named or folder.name}: name the one your exercises are in, {command} FOLDER.")
    return None


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
    known = [part.name for chapter in parts.chapters() for part in chapter.parts]
    return f"The parts are {', '.join(known)}."


def load(shell: Any) -> None:
    """Add the commands to a shell, and the name `part` to the notebook."""
    magics = CourseMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics.before_cell)
    shell.events.register("post_run_cell", magics.after_cell)
    shell.user_ns["part"] = magics.part
