"""What pages show of a check: code in colours, and what it printed, line by line, as `minigrad check` does."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import html
import keyword
import re
import warnings

from minigrad_course.checks.reference import program_of
from minigrad_course.grading.records.record import PRINTS
from minigrad_course.parts import Chapter, chapter_named, chapters
from minigrad_course.programs import columns
from minigrad_course.programs.cells import without_magics
from minigrad_course.programs.compare import alike, difference
from minigrad_course.texts import source

# A string that has no end runs to the end of its line or text, so a search is linear in whatever a stranger wrote.
TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)"
    r'|(?P<string>"""(?:(?!""").)*+(?:""")?|\'\'\'(?:(?!\'\'\').)*+(?:\'\'\')?'
    r'|"(?:\\.|[^"\\\n])*+"?|\'(?:\\.|[^\'\\\n])*+\'?)'
    rf"|\b(?P<word>{'|'.join(keyword.kwlist)})\b",
    re.DOTALL,
)
TOKENS = re.compile(r"[^\s,()\[\]]+|[,()\[\]]")  # of a line: a number or another word, or one sign between them
FIRST_LINES = 12  # that are not folded
TAGS = {"comment": "i", "string": "u", "word": "b"}  # short, because a page has thousands


def coloured(code: str) -> str:
    """Python code as HTML, in colours, without the lines that mark a solution.

    Pygments knows more, and takes thirty times as long: for a class, longer than all the rest of the pages.
    """
    lines = [line for line in code.splitlines(True) if line.strip() not in (source.BEGIN, source.END)]
    text = html.escape("".join(lines).rstrip(), quote=False)  # first, and once: that adds nothing that is a token
    return TOKEN.sub(in_colour, text)


def in_colour(found: re.Match[str]) -> str:
    """A token as HTML."""
    tag = TAGS[str(found.lastgroup)]
    return f"<{tag}>{found[0]}</{tag}>"


@dataclasses.dataclass(frozen=True)
class Code:
    """A student's code as a page shows it: as HTML, line by line; `at` is the line that an error names, 0 for none.

    `caret` is where Python stopped reading that line, "" where it read all of it.
    """

    lines: list[str]
    at: int = 0
    caret: str = ""


# as errors name it
LATE = r"did not end within \S{1,20} seconds: it was still in"
LINE = re.compile(rf"(?:The cell (?:stopped in|{LATE}|is not Python: .*?,)|(?:It {LATE} )?`[^`]*`,) line (\d{{1,6}})\b")

# what an error says of an answer, in the words of a known mistake; all of these are seen in many parts
STOPS = {
    re.compile(r"The cell is not Python"): "the cell is not Python",
    re.compile(r"(?:It|The cell) did not end|It was stopped after"): "it does not end",
    re.compile(r".*stopped (?:in line \d{1,6} )?with (\w{1,40})\b", re.DOTALL): r"it stops with `\1`",
}


def stop(error: str) -> str:
    """How an answer stopped, in the words of a known mistake; "" if it did not, or in no common way."""
    return next((match.expand(words) for kind, words in STOPS.items() if (match := kind.match(error))), "")


def says_what_to_do(error: str) -> bool:
    """True for an error that leaves nothing to hint at; one in a line of the check may leave its cause open."""
    return bool(error) and not (error.startswith("Line ") and not error.endswith("?"))


def code(answer: str, error: str) -> Code:
    """An answer, and in it the line that an error names. The error may be forged: it is worth no more than a mark."""
    result, lines = LINE.match(error), answer.split("\n")
    at = int(result[1]) if result else 0
    if not 1 <= at <= len(lines):
        return Code(coloured(answer).split("\n"))
    return Code([TOKEN.sub(in_colour, html.escape(line, quote=False)) for line in lines], at, caret(answer, at))


def caret(answer: str, line: int) -> str:
    """A caret below the place in a line where Python cannot go on, behind as many blanks; "" if it can."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(without_magics(answer))
    except SyntaxError as error:
        if error.lineno == line and error.offset:
            before = answer.split("\n")[line - 1][: error.offset - 1]
            return re.sub(r"[^\t]", " ", before) + "^"
    except (ValueError, RecursionError, MemoryError):
        pass
    return ""


@functools.cache
def program(exercise: str, check: str) -> str:
    """The program of a check as HTML; "" for one that is not in the course any more."""
    chapter = chapter_named(exercise)
    return coloured(program_of(chapter, check)) if chapter and check in chapter.checks else ""


@functools.cache
def target(exercise: str, check: str) -> str:
    """A word for what a check wants to see: what torch prints, or, of a repaired program, what is right."""
    chapter = chapter_named(exercise)
    places = chapter.places(check) if chapter and check in chapter.checks else []
    return "right" if places and all(place.kind == "program" for place in places) else "torch"


@functools.cache
def title(chapter: Chapter) -> str:
    """The heading of an exercise, as its notebook has it."""
    return source.read("solutions", chapter.name).cells[0].source.splitlines()[0].lstrip("# ")


@functools.cache
def hints() -> dict[tuple[str, str], str]:
    """The first hint of each part; the last check of a chapter has none."""
    return {(chapter.name, part.name): part.hints[0] for chapter in chapters() for part in chapter.parts if part.hints}


@functools.cache
def explanations() -> dict[tuple[str, str, str], str]:
    """The sentences on all mistakes, by exercise, part and name."""
    prints = {(chapter.name, check, PRINTS): "the answer prints" for chapter in chapters() for check in chapter.checks}
    return prints | {
        (chapter.name, part.name, mistake.name): mistake.explanation
        for chapter in chapters()
        for part in chapter.parts
        for mistake in part.mistakes
    }


Pieces = list[tuple[str, bool]]  # of a line: texts, and whether each differs


@dataclasses.dataclass(frozen=True)
class Line:
    """A printed line: `who` printed it, "both" or one, and its text in pieces."""

    who: str
    pieces: Pieces


@dataclasses.dataclass(frozen=True)
class Printed:
    """What a check printed and what it should: lines alike `above` the first that differ, `lines`, and those `below`.

    `what` is one sentence on the first difference, "" where there is none. `left` is how many more lines there are.
    """

    what: str
    above: list[str]
    lines: list[Line]
    below: list[Line]
    left: int


def compared(text: str, reference: str, name: str) -> Printed:
    """The lines of two texts; those that are not alike one below the other. `name` is that of the reference."""
    result = difference(text, reference)
    above, rows, left = columns.of(text, reference, result)
    lines: list[Line] = []
    for one, other in rows:
        if one is not None and other is not None and alike(one, other):
            lines.append(Line("both", [(one, False)]))
            continue
        # where nothing stands beside a line, nothing in it differs
        ours, theirs = marked(one, other) if one and other else ([(one or "", False)], [(other or "", False)])
        lines += [Line("yours", ours)] if one is not None else []
        lines += [Line(name, theirs)] if other is not None else []
    # what belongs together stays together
    end = next((at for at in range(FIRST_LINES, len(lines)) if lines[at].who != name), len(lines))
    return Printed(result.what if result else "", [one or "" for one, _ in above], lines[:end], lines[end:], left)


def marked(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Two lines in pieces, each token that differs for itself: what is equal between two numbers stays unmarked."""
    ours, theirs = list(TOKENS.finditer(one)), list(TOKENS.finditer(other))
    kept = paired(ours, theirs)
    return cut(one, ours, {at for at, _ in kept}), cut(other, theirs, {at for _, at in kept})


def paired(ours: list[re.Match[str]], theirs: list[re.Match[str]]) -> list[tuple[int, int]]:
    """The places of the tokens that are alike: one by one, or, where a line has more of them, the longest runs."""
    if len(ours) == len(theirs):
        return [(at, at) for at, pair in enumerate(zip(ours, theirs, strict=True)) if alike(pair[0][0], pair[1][0])]
    # quadratic, but of lines that are cut to what a page shows
    runs = difflib.SequenceMatcher(None, [item[0] for item in ours], [item[0] for item in theirs], autojunk=False)
    return [(run.a + step, run.b + step) for run in runs.get_matching_blocks() for step in range(run.size)]


def cut(line: str, tokens: list[re.Match[str]], kept: set[int]) -> Pieces:
    """A line in pieces, those marked that are tokens and not kept; those that touch are one."""
    pieces: Pieces = []
    end = 0
    for token in (item for at, item in enumerate(tokens) if at not in kept):
        if pieces and token.start() == end:
            pieces[-1] = (pieces[-1][0] + token[0], True)
        else:
            pieces += [(line[end : token.start()], False), (token[0], True)]
        end = token.end()
    return [piece for piece in [*pieces, (line[end:], False)] if piece[0]]
