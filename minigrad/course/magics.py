"""What `%load_ext minigrad.course` brings into a notebook: `@part`, `%%check`, `%hint`, `%myparts` and `%progress`."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from minigrad.course import compare, hint_log, names, parts, reference, source
from minigrad.course.cells import without_magics
from minigrad.course.folders import exercises_folder
from minigrad.course.hints import next_hint
from minigrad.course.myparts import MyParts
from minigrad.course.program import Answers
from minigrad.course.progress import standing
from minigrad.course.verdicts import SEED, Verdict, judge, with_code

LONG_SECONDS = 1.0  # for an answer cell: a grading stops its statements at about that
TORCH_SECONDS = 20.0  # that a cell waits for torch; nbgrader gives a cell 30, unless it is told otherwise


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
        self.began = time.perf_counter()  # when it did
        self.handed: set[str] = set()  # the parts it has handed over
        self.took: dict[str, float] = {}  # how long the cell of each part took
        self.ran: set[str] = set()  # the sources of all cells but checks
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
        self.handed.add(name)
        return self.answers.part(name)

    def before_cell(self, info: Any) -> None:
        """Remember what runs, because a decorator cannot see the cell it stands in."""
        self.running = info.raw_cell or ""
        self.handed.clear()
        if not source.CHECK.match(self.running):
            self.ran.add(self.running)
            with contextlib.suppress(KeyboardInterrupt):
                reference.await_torch(TORCH_SECONDS)  # a check waits itself, and ends when it is interrupted
        self.began = time.perf_counter()

    def after_cell(self, result: Any) -> None:
        """Forget a part whose cell has just failed: what it handed over earlier is not what stands there now."""
        self.took.update(dict.fromkeys(self.handed, time.perf_counter() - self.began))
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
            with no_stderr():
                reference.await_torch()
                verdict = judge(chapter, name, cell, self.answers)
        except reference.NoReference as error:
            return said(f"torch itself does not run this cell to its end, so there is nothing to compare with. {error}")
        except KeyboardInterrupt:
            return said(f"{name}: interrupted.")
        print(verdict.text, end="")
        sys.stdout.flush()  # the text first, then what is said about it
        display(verdict)
        if verdict.state != "passed":
            return verdict.headline
        with contextlib.suppress(KeyboardInterrupt):
            for sentence in self.unlike_a_grading(chapter, cell, verdict):
                print(sentence)
        return None

    def unlike_a_grading(self, chapter: parts.Chapter, program: str, verdict: Verdict) -> Iterator[str]:
        """A sentence for each reason why a grading may refuse what has just passed here."""
        setup, before = self.graded_cells(chapter, verdict.check)
        places = [place.name for place in chapter.places(verdict.check)]
        found = False
        for name in places:
            for sentence in names.missing_sentences(name, self.cells.get(name, ""), [*setup, *before.values()]):
                found = True
                yield sentence
        for name in places:
            if self.took.get(name, 0.0) > LONG_SECONDS:
                yield (
                    f"One thing: the cell of {name} took {self.took[name]:.1f} s, and a grading stops a statement of "
                    "an answer cell after about a second: move the experiment to a cell of its own."
                )
        others = self.ran - {*before.values(), *pristine(chapter)}
        if not found and any(names.may_matter(text, setup) for text in others):
            yield from self.rehearsal(chapter, program, verdict)

    def rehearsal(self, chapter: parts.Chapter, program: str, verdict: Verdict) -> Iterator[str]:
        """A sentence, if the check does not come to the same after the first cell and the answers alone."""
        setup, before = self.graded_cells(chapter, verdict.check)
        cells = [{"source": text, "part": None} for text in setup]
        cells += [{"source": text, "part": name} for name, text in before.items()]
        places = [dataclasses.asdict(place) for place in chapter.places(verdict.check)]
        again = names.rehearsed({"cells": cells, "places": places, "program": program, "seed": SEED})
        if again is None:
            return
        differs = compare.difference(again["text"], verdict.text)
        why = again["why"] or (f"it prints something else; {differs.what}." if differs else "")
        if why:
            yield (
                "One thing: a grading runs only the first cell as it was given and the answers down to this check, "
                f"and so {verdict.check} does not pass: {why} Do in the answer's own cell what it needs."
            )

    def graded_cells(self, chapter: parts.Chapter, check: str) -> tuple[list[str], dict[str, str]]:
        """What a grading of a check runs: our first cell, and the cells of the parts down to the check, by part."""
        setup: list[str] = []
        before: dict[str, str] = {}
        for cell in source.read("solutions", chapter.name).cells:
            if cell.role == "setup":
                setup.append(without_magics(cell.source))
            elif cell.role == "answer" and cell.part in self.cells:
                before[cell.part] = self.cells[cell.part]
            elif cell.role == "check" and cell.part == check:
                break
        return setup, before

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
        text, shown = next_hint(chapter.part(name), hint_log.times(folder, "hint", name), answer)
        hint_log.note(folder, "hint", name, shown)
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


@contextlib.contextmanager
def no_stderr() -> Iterator[None]:
    """Print errors on the standard output: nbgrader gives no points to a cell with anything on the other one."""
    if not os.environ.get("NBGRADER_EXECUTION"):
        yield
        return
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            yield
    finally:
        print(errors.getvalue(), end="")


def pristine(chapter: parts.Chapter) -> set[str]:
    """The sources of the cells that we wrote for an exercise."""
    return {cell.source for cell in source.notebook("exercises", chapter.name).cells}


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
    if os.environ.get("NBGRADER_EXECUTION"):
        # nbgrader interrupts a cell that takes too long, which the first import of torch may do
        reference.begin_to_import_torch()
        with contextlib.suppress(KeyboardInterrupt):
            reference.await_torch(TORCH_SECONDS)
