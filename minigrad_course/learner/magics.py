"""What `%load_ext minigrad_course` adds to a notebook: `@part`, `%%check`, `%hint`, `%myparts`, …"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import os
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from minigrad_course import parts
from minigrad_course.checks import hint_log, names, patience, reference, repairs
from minigrad_course.checks.hints import next_hint
from minigrad_course.checks.myparts import MyParts
from minigrad_course.checks.verdicts import SEED, Here, Verdict, judge, with_code
from minigrad_course.learner.progress import standing
from minigrad_course.predictions import diagnoses
from minigrad_course.programs import cells, compare, process, program
from minigrad_course.programs.problems import Problem
from minigrad_course.programs.program import Answers
from minigrad_course.texts import source
from minigrad_course.texts.folders import exercises_folder
from minigrad_course.texts.submitted import Unreadable, as_given, found_answers, language_in
from minigrad_course.texts.tries import NOTEBOOK

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

LINES = 40  # shown of an output in which an answer prints
LONG_SECONDS = 1.0  # for an answer cell: a grading stops its statements at about this time
TORCH_SECONDS = 20.0  # how long a cell waits for torch; nbgrader's default limit for a cell is 30


class CheckFailed(Exception):
    """A failed check, for programs that score by exceptions; shown as one line."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@magics_class
class CourseMagics(Magics):
    """The answers defined in this notebook with `@part`, and the commands that use them."""

    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell):
        super().__init__(shell)
        self.answers = Answers()
        self.cells: dict[str, str] = {}  # the source of the cell that defined each part
        self.seen: dict[str, str] = {}  # the source of each cell with a @part, by the cell's id
        self.running = ""  # the source of the running cell
        self.began = time.perf_counter()  # when it started
        self.handed: set[str] = set()  # the parts it has defined
        self.took: dict[str, float] = {}  # how long each part's cell took
        self.ran: set[str] = set()  # the sources of all cells but checks
        self.broken: set[str] = set()  # parts whose cell stopped with an error
        self.checked = ""  # the part that was checked last
        self.patience = patience.Patience()
        self.language = language_in(Path(os.environ.get(NOTEBOOK, "")))
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
        """Remember the running cell, because a decorator cannot see the cell it is in."""
        self.running = info.raw_cell or ""
        self.handed.clear()
        if info.cell_id and (source.PART.search(self.running) or source.is_module(self.running)):
            self.seen[info.cell_id] = self.running
        if not source.CHECK.match(self.running):
            self.ran.add(self.running)
            with contextlib.suppress(KeyboardInterrupt):
                reference.await_torch(TORCH_SECONDS)  # a check waits itself, and ends when it is interrupted
        self.began = time.perf_counter()

    def after_cell(self, result: Any) -> None:
        """Forget a part whose cell has just failed: its earlier version is not what the cell says now."""
        self.took.update(dict.fromkeys(self.handed, time.perf_counter() - self.began))
        texts = source.PART.findall(self.running)
        self.broken.difference_update(texts)
        if not result.success and not source.CHECK.match(self.running):
            self.broken.update(texts)
            for name in texts:
                self.answers.pop(name, None)

    @cell_magic
    def check(self, line: str, cell: str) -> None:
        """`%%check mul`: run the cell with your `mul`, and compare what it prints with torch."""
        name = line.strip()
        failure = self.failure(name, cell)
        if failure and os.environ.get("NBGRADER_EXECUTION"):
            raise CheckFailed(failure)  # nbgrader scores by exceptions

    @cell_magic
    def engine(self, line: str, cell: str) -> None:
        """`%%engine`: the cell is a module, your own engine. The checks get it as `torch`, other cells as `engine`."""
        names = [item.name for item in engine_parts()]
        self.broken.update(names)  # until it has run to its end
        for name in names:
            self.answers.pop(name, None)
        self.cells |= dict.fromkeys(names, self.running)
        self.handed.update(names)
        if failure := cells.imported(f"\n{cell}"):
            print(failure)
            return
        module = types.ModuleType("my_engine")
        module.__name__ = "__main__"
        exec(program.compiled(f"\n{cell}", f"<your engine {len(self.ran)}>"), vars(module))
        self.broken.difference_update(names)
        self.answers.update(dict.fromkeys(names, module))
        self.shell.user_ns["engine"] = module

    @cell_magic
    def explain(self, line: str, cell: str) -> None:
        """`%%explain`: run the cell, then say what autograd did wrong in it, with changes that were tried on torch."""
        from minigrad_course.explain.notebook import explained, history

        cells = history(self.shell, cell)
        self.shell.run_cell(cell)
        with contextlib.suppress(KeyboardInterrupt):
            for item in explained(cells):
                print(item)

    def failure(self, name: str, cell: str) -> str | None:
        """Run a check and show the verdict; returns one line if it did not pass."""
        chapter = parts.chapter_of(name)
        if chapter is None:
            return said(f"No check is called {name!r}. {all_parts()}")
        if is_part(name):
            self.checked = name
        try:
            with no_stderr():
                reference.await_torch()
                with process.kept():
                    verdict = self.verdict(chapter, name, cell)
                    if not verdict.wanted:  # the target stays to be seen, whatever kept the check from running
                        wanted = reference.reference(chapter, name, cell, SEED)
                        verdict = dataclasses.replace(verdict, wanted=wanted)
        except reference.NoReference as error:
            return said(f"torch itself cannot finish this cell, so there is nothing to compare with. {error}")
        except KeyboardInterrupt:
            return said(f"{name}: interrupted.")
        if verdict.noisy or verdict.state == "passed":  # else it stands in the verdict, beside the target
            print(shortened(verdict.text) if verdict.noisy else verdict.text, end="")
            sys.stdout.flush()  # first the output, then the verdict
        display({"text/plain": verdict.plain(), "text/html": verdict._repr_html_()}, raw=True)
        if verdict.state != "passed":
            for sentence in names.refused_imports(chapter, name, self.cells) if verdict.state == "wrong" else ():
                print(sentence)
            return verdict.headline
        with contextlib.suppress(KeyboardInterrupt):
            for sentence in self.unlike_a_grading(chapter, cell, verdict):
                print(sentence)
        return None

    def verdict(self, chapter: parts.Chapter, name: str, cell: str) -> Verdict:
        """What a check comes to with the answers handed over."""
        broken = next((part.name for part in chapter.places(name) if part.name in self.broken), None)
        sentence = f"The cell of {broken} stopped with an error: fix it and run it again."
        problem = Problem("cell", sentence) if broken else None
        untouched = () if problem else as_given(chapter.name, self.cells)
        here = Here(chapter, name, cell, self.answers, problem=problem, untouched=untouched, language=self.language)
        answer = self.cells.get(name, "")
        return repairs.held_back(judge(here), here, answer, functools.partial(self.patience.asks, name, answer))

    def unlike_a_grading(self, chapter: parts.Chapter, program: str, verdict: Verdict) -> Iterator[str]:
        """A sentence for each reason why an answer that has just passed here may fail when graded."""
        setup, before = names.graded_cells(chapter, verdict.check, self.cells)
        places = [place.name for place in chapter.places(verdict.check)]
        alone = {part.name for part in engine_parts()}  # in a module no other cell defines anything
        results = any(name in alone for name in places)
        ran = [{"id": item, "source": text} for item, text in self.seen.items()]
        seen = found_answers(source.notebook("exercises", chapter.name), ran, {})
        for name in places:
            if seen.get(name, self.cells.get(name)) != self.cells.get(name):
                yield (
                    f"One thing: two cells answer {name}, and a grading judges the one in its own place, not the "
                    "one that ran last: keep only one."
                )
            others = [] if name in alone else [*setup, *before.values()]
            for sentence in names.missing_sentences(name, self.cells.get(name, ""), others):
                results = True
                yield sentence
        for name in places:
            if self.took.get(name, 0.0) > LONG_SECONDS:
                yield (
                    f"One thing: the cell of {name} took {self.took[name]:.1f} s, and a grading stops a statement of "
                    "an answer cell after about a second: move your experiment to another cell."
                )
        unknown = self.ran - {*before.values(), *pristine(chapter)}
        if not results and any(names.may_matter(text, setup) for text in unknown):
            yield from self.rehearsal(chapter, program, verdict)

    def rehearsal(self, chapter: parts.Chapter, program: str, verdict: Verdict) -> Iterator[str]:
        """A sentence, if the check fails when only the first cell and the answers have run."""
        setup, before = names.graded_cells(chapter, verdict.check, self.cells)
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
                "One thing: a grading runs only the original first cell and the answers down to this check, and "
                f"there {verdict.check} fails: {why} Put everything the answer needs in its own cell."
            )

    @line_magic
    def hint(self, line: str) -> None:
        """`%hint mul`: the next hint for a part; `%hint` alone: for the one that was checked last."""
        name = line.strip().strip("'\"`").lower() or self.checked
        if not is_part(name):
            print(f"No part is called {name!r}. {all_parts()}" if name else f"Name a part: %hint mul. {all_parts()}")
            return
        chapter = parts.chapter_of(name)
        assert chapter is not None
        answer, folder = f"solutions/{chapter.name}.ipynb", exercises_folder()
        text, shown = next_hint(chapter.part(name), hint_log.times(folder, "hint", name), answer, self.language)
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
            with process.kept():
                table = self.mine.use(folder)
            display(table)
        except KeyboardInterrupt:
            self.mine.off()
            print("%myparts: interrupted. All parts are ours.")

    @line_magic
    def myengine(self, line: str) -> None:
        """`%myengine`: write your engine as one file, next to your exercises; `%myengine FILE`: somewhere else."""
        from minigrad_course.learner import mine, small  # nbformat, which checks notebooks, takes long to import

        folder = folder_named("", "%myengine")
        if folder is None:
            return
        file = Path(line.strip().strip("'\"") or folder.parent / small.FILE).absolute()
        try:
            with process.kept():
                small.written_before(file)
                made = small.engine([*small.small_outcomes(folder)], folder, file.name)
                changed = small.write(file, made.text)
                sentences = [*small.said_of(made)]
            display(made.table)
            print(mine.said_of_writing(file, changed), *sentences, sep="\n")
        except (mine.Taken, Unreadable) as error:
            print(error)
        except OSError as error:
            print(f"{error.filename or file} cannot be read or written: {error.strerror or error}.")
        except KeyboardInterrupt:
            print("%myengine: interrupted. Nothing was written.")

    @line_magic
    def progress(self, line: str) -> None:
        """`%progress`: which parts of your exercises are done, as they were last saved."""
        folder = folder_named(line.strip().strip("'\""), "%progress")
        if folder is None:
            return
        try:
            with process.kept():
                results = standing(folder)
            display(results)
            print("This counts saved work only: save the notebook (Ctrl+S) to include what you have just done.")
        except KeyboardInterrupt:
            print("%progress: interrupted.")


@contextlib.contextmanager
def no_stderr() -> Iterator[None]:
    """Print errors to standard output: nbgrader gives no points to a cell that writes to standard error."""
    if not os.environ.get("NBGRADER_EXECUTION"):
        yield
        return
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            yield
    finally:
        print(errors.getvalue(), end="")


def shortened(text: str) -> str:
    """The first lines of an output that an answer has filled with its own prints."""
    lines = text.splitlines(keepends=True)
    left = f"… and {len(lines) - LINES:,} more lines.\n" if len(lines) > LINES else ""
    return "".join(lines[:LINES]) + left


def pristine(chapter: parts.Chapter) -> set[str]:
    """The sources of the cells that we wrote in an exercise."""
    return {cell.source for cell in source.notebook("exercises", chapter.name).cells}


def folder_named(named: str, command: str) -> Path | None:
    """The exercise folder that a command reads; None, after printing a sentence, if it does not exist."""
    folder = exercises_folder(named)
    if folder.is_dir():
        return folder
    print(f"There is no folder {named or folder.name}. Name the folder with your exercises: {command} FOLDER")
    return None


def said(sentence: str) -> str:
    """Print a sentence and return it."""
    print(sentence)
    return sentence


def engine_parts() -> list[parts.Part]:
    """The parts that an engine of one's own answers."""
    return [part for chapter in parts.chapters() for part in chapter.parts if part.place.kind == "module"]


def is_part(name: str) -> bool:
    """True for the name of a part; the last check of a chapter is not a part."""
    chapter = parts.chapter_of(name)
    return chapter is not None and name != chapter.together


def all_parts() -> str:
    """A sentence that lists the parts."""
    known = [part.name for chapter in parts.chapters() for part in chapter.parts]
    return f"The parts are {', '.join(known)}."


def load(shell: InteractiveShell) -> None:
    """Add the commands to a shell, and the name `part` to the notebook."""
    magics = CourseMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics.before_cell)
    shell.events.register("post_run_cell", magics.after_cell)
    shell.user_ns |= {"part": magics.part, "diagnose": diagnoses.diagnose}
    if os.environ.get("NBGRADER_EXECUTION"):
        # nbgrader interrupts a cell that takes too long, as the first import of torch may
        reference.begin_to_import_torch()
        with contextlib.suppress(KeyboardInterrupt):
            reference.await_torch(TORCH_SECONDS)
