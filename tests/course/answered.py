"""Our own answers with something changed in them, and the verdict on it, as the check in a notebook says it.

A change is a text: BEFORE -> AFTER, for what is written in our answer. A text without an arrow is the lines that stand
in place of ours; two of them are separated by `---` in a line.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Sequence

from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.parts import Chapter
from minigrad_course.programs import cells, program
from minigrad_course.texts import source

ARROW = " -> "
BODY = re.compile(r"^( *)### BEGIN SOLUTION\n.*?^ *### END SOLUTION\n?", re.DOTALL | re.MULTILINE)


@functools.cache
def cells_of(chapter: str) -> list[source.Cell]:
    return source.read("solutions", chapter).cells


def chapter_of(part: str) -> Chapter:
    chapter = parts.chapter_of(part)
    assert chapter
    return chapter


def answer_cell(part: str) -> source.Cell:
    """The cell with our answer to a part."""
    return next(each for each in cells_of(chapter_of(part).name) if each.role == "answer" and part in each.parts)


def check_of(part: str) -> str:
    """The program of a part's check."""
    return source.read("solutions", chapter_of(part).name).programs()[part]


def changed(text: str, *changes: str) -> str:
    """A text with some of its words replaced."""
    for change in changes:
        before, after = change.split(ARROW)
        assert before in text, f"{before!r} is not in\n{text}"
        text = text.replace(before, after)
    return text


def written(part: str, answer: str | Sequence[str]) -> str:
    """The source of an answer's cell: our own with other lines in it, or with some of its words replaced."""
    text = answer_cell(part).source
    if not isinstance(answer, str):
        return changed(text, *answer)
    if ARROW in answer:
        return changed(text, answer)
    bodies = iter(answer.split("\n---\n"))
    made = BODY.sub(lambda found: textwrap.indent(next(bodies), found[1]) + "\n", text)
    assert made != text and next(bodies, None) is None
    return made


def handed_over(part: str, text: str, **names: object) -> program.Answers:
    """What the first cell of a chapter and this cell hand over, in which these names exist too."""
    answers = program.Answers()
    namespace = {"__name__": "__main__", "part": answers.part, **names}
    setup = [each.source for each in cells_of(chapter_of(part).name) if each.role == "setup"]
    for cell in [*setup, text]:
        if source.is_module(cell):
            module, failure = cells.module_of(cell)
            answers.update(dict.fromkeys(answer_cell(part).parts, module))
        else:
            failure = cells.run_cell(cell, namespace)
        assert failure is None, cell
    return answers


def judged(part: str, text: str, *seed: int) -> verdicts.Verdict:
    """What the check in a notebook says about the cell of an answer."""
    return verdicts.judge(verdicts.Here(chapter_of(part), part, check_of(part), handed_over(part, text), *seed))
