"""The text of the notebooks: find it, read it, and make the pristine notebooks of it.

Lessons and solutions are written as MyST Markdown under `lessons/source` and `solutions/source`. An exercise has no
text of its own: it is the solution without the answers. The section of a part may also stand in the part's folder.
All checking uses these texts, never a built notebook, which in a clone is the file that a student writes into.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad_course import parts
from minigrad_course.parts import Chapter, chapter_named
from minigrad_course.texts.words import PLACEHOLDER, words

if TYPE_CHECKING:
    from nbformat import NotebookNode

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
PLACE = "# your code here"
KINDS = ("lessons", "exercises", "solutions")
SECTION = "section.md"  # in the folder of a part
TOGETHER = "together"  # tags the lines that a section adds to the last check
WRITE = "WRITE"  # marks what `minigrad new-part` leaves to its author
PART = re.compile(r"""^[ \t]*(?:@[ \t]*)?part[ \t]*\(\s*["']+(\w+)["']+\s*\)""", re.MULTILINE)
MODULE = re.compile(r"\s*%%engine\b")
CHECK = re.compile(r"%%check\s+(\w+)[^\n]*\n?")
HEAD = re.compile(r"\A---\n(.*\n)*?---\n")  # for editors that open a text as a notebook
MARK = re.compile(  # a fenced block, or a break between cells
    r"^(?:(?P<fence>```+)(?P<info>.*)\n(?P<body>(?:.*\n)*?)(?P=fence)[ \t]*|\+\+\+(?P<cut>.*))\n", re.MULTILINE
)
OPTION = re.compile(r":(\w+):(.*)\n")
ASK = re.compile(r"""^ask\(\s*["'](\w+)["']""", re.MULTILINE)
DIAGNOSE = re.compile(r"""^diagnose\(\s*["'](\w+)["']""", re.MULTILINE)


class BadSource(Exception):
    """A text that cannot become a notebook; the message says where and why."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """One cell of a text.

    role: "text", "setup" (imports that answers need), "answer", "check", "question" (a prediction), "diagnosis" (a
    question about a program to debug), "picture", or "code" (anything else that runs). `part` is the part an answer
    defines or a diagnosis is about, or the name of a check or a question. `stub` stands in for an answer in the
    exercise. `answers` is the question that the cell's output answers.
    """

    id: str
    role: str
    source: str
    part: str | None = None
    stub: str | None = None
    tags: tuple[str, ...] = ()
    answers: str | None = None

    @property
    def parts(self) -> list[str]:
        """The parts that an answer defines: several in an engine of one's own, each of whose checks is a part."""
        return names_in(self.part)

    @property
    def is_module(self) -> bool:
        """True for an answer that is a module, an engine of one's own."""
        return self.role == "answer" and is_module(self.source)

    @property
    def program(self) -> str:
        """What a check runs: its cell without the first line."""
        return CHECK.sub("", self.source, count=1)

    @property
    def given(self) -> str:
        """What an exercise has in place of an answer."""
        return self.stub or without_solution(self.source)


@dataclasses.dataclass(frozen=True)
class Block:
    """A cell as it stands in the text. `kind` is "text" or "code"."""

    kind: str
    source: str
    metadata: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Text:
    """A whole text. `kind` is "lessons" or "solutions", `name` the notebook's file name without its ending."""

    kind: str
    name: str
    cells: tuple[Cell, ...]

    @property
    def chapter(self) -> Chapter | None:
        return chapter_named(self.name)

    def answers(self) -> dict[str, Cell]:
        """The cell in which each part is answered, in order."""
        return {part: cell for cell in self.cells if cell.role == "answer" for part in cell.parts}

    def programs(self) -> dict[str, str]:
        """The program of every check, in order."""
        return {cell.part: cell.program for cell in self.cells if cell.role == "check" and cell.part}


def names_in(parts: str | None) -> list[str]:
    """The names of the parts that a cell answers, as they stand in its text and its metadata."""
    return (parts or "").split()


def is_module(source: str) -> bool:
    """True for the source of a cell that is a module."""
    return MODULE.match(source) is not None


# --- finding -------------------------------------------------------------------------------------


def notebooks_folder() -> Path:
    """Where lessons/, exercises/ and solutions/ are: inside an installed package, at the root of a clone."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "material"
    return installed if installed.is_dir() else package.parent


def is_clone() -> bool:
    """True if the notebooks are next to the package: the texts can be edited, and the notebooks rebuilt."""
    return notebooks_folder().name != "material"


def text_path(kind: str, name: str) -> Path:
    """The file that holds a text."""
    return notebooks_folder() / kind / "source" / f"{name}.md"


def section_path(chapter: Chapter, part: str) -> Path:
    """The file that holds the section of a part, if the part has a folder of its own."""
    return Path(parts.__file__).parent / chapter.folder / part / SECTION


def names(kind: str) -> list[str]:
    """The names of all texts of a kind; exercises have those of the solutions."""
    folder = notebooks_folder() / ("lessons" if kind == "lessons" else "solutions") / "source"
    return sorted(path.stem for path in folder.glob("*.md"))


# --- reading -------------------------------------------------------------------------------------


def read(kind: str, name: str) -> Text:
    """The text of a lesson or a solution. BadSource if it breaks a rule of the format."""
    chapter = chapter_named(name) if kind == "solutions" else None
    paths = {part.name: section_path(chapter, part.name) for part in chapter.parts} if chapter else {}
    own = {part: path for part, path in paths.items() if path.is_file()}
    for path in own.values():
        demand_finished(path)
        demand_finished(path.with_name("__init__.py"))
    sections = tuple((part, path.read_text(encoding="utf-8")) for part, path in own.items())
    return parsed(text_path(kind, name).read_text(encoding="utf-8"), kind, name, sections)


@functools.lru_cache(maxsize=32)
def parsed(text: str, kind: str, name: str, sections: tuple[tuple[str, str], ...] = ()) -> Text:
    """A text as cells. sections: the parts with a folder, and the texts there, which come after the part before."""
    where, chapter = f"{kind}/source/{name}.md", chapter_named(name) if kind == "solutions" else None
    cells = cells_in(text, where, chapter)
    for part, section in sections:
        assert chapter is not None
        put_section(cells, part, section, chapter)
    ids = [cell.id for cell in cells]
    for identifier in ids:
        if ids.count(identifier) > 1:
            raise BadSource(f"{where}: two cells have the id {identifier!r}")
    demand_marks(cells, where)
    return Text(kind, name, tuple(cells))


def cells_in(text: str, where: str, chapter: Chapter | None) -> list[Cell]:
    """The cells of a text."""
    cells: list[Cell] = []
    for result in blocks(text, where):
        if "stub" in result.metadata.get("tags", []):
            if not cells or cells[-1].role != "answer":
                raise BadSource(f"{where}: a stub does not follow an answer: {result.source[:60]!r}")
            cells[-1] = dataclasses.replace(cells[-1], stub=result.source)
        else:
            cells.append(cell_of(result, where, chapter))
    return cells


def demand_finished(path: Path) -> None:
    """BadSource if a file of a part has a line that is still to be written."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := re.search(rf"\b{WRITE}: ([^\"]+)", line):
            where = Path(*path.parts[-3:]).as_posix()
            raise BadSource(f"{where}, line {number} is still to be written: {match[1]}.")


def put_section(cells: list[Cell], part: str, text: str, chapter: Chapter) -> None:
    """Put the section of a part among the cells of its chapter, and its lines at the end of the last check."""
    where = f"{chapter.folder}/{part}/{SECTION}"
    section = cells_in(text, where, chapter)
    lines = [cell.source for cell in section if TOGETHER in cell.tags]
    if [cell.part for cell in section if cell.role in ("answer", "check")] != [part, part]:
        raise BadSource(f"{where}: it needs one cell with :part: {part}, and below it one with %%check {part}")
    if not lines:
        raise BadSource(f"{where}: no cell is tagged {TOGETHER}: it says how {chapter.together} uses {part}")
    checks = {cell.part: at for at, cell in enumerate(cells) if cell.role == "check"}
    if (last := checks.get(chapter.together)) is not None:
        cells[last] = dataclasses.replace(cells[last], source="\n\n".join([cells[last].source, *lines]))
    before = chapter.checks[: chapter.checks.index(part)]
    ends = [at + 1 for at, cell in enumerate(cells) if cell.role == "setup" or cell.part in before]
    at = max(ends, default=0)
    cells[at:at] = [cell for cell in section if TOGETHER not in cell.tags]


def demand_marks(cells: list[Cell], where: str) -> None:
    """BadSource unless the first code below each question is marked as its answer, and each mark has its question."""
    asked: set[str] = set()
    waiting = None
    for cell in cells:
        if waiting and cell.role != "text" and cell.answers != waiting:
            raise BadSource(
                f"{where}, cell {cell.id}: it comes after the question {waiting!r}: mark it :answers: {waiting}"
            )
        if cell.answers and cell.answers not in asked:
            raise BadSource(f"{where}, cell {cell.id}: nothing above it asks {cell.answers!r}")
        waiting = cell.part if cell.role == "question" else waiting if cell.role == "text" else None
        asked |= {cell.part} if cell.role == "question" and cell.part else set()
    if waiting:
        raise BadSource(f"{where}: no cell answers the question {waiting!r}")


def blocks(text: str, where: str) -> list[Block]:
    """The cells of MyST Markdown: fenced code, below it its options, and the text between, which `+++ {…}` begins."""
    results: list[Block] = []
    metadata: dict[str, Any] = {}
    since, text = 0, HEAD.sub("", f"{text}\n+++\n", count=1)
    for mark in MARK.finditer(text):
        if mark["cut"] is None and not mark["info"].startswith("{code-cell}"):
            continue  # part of the text around it
        if words := text[since : mark.start()].strip("\n"):
            results.append(Block("text", words, metadata))
        since, metadata = mark.end(), {}
        if mark["cut"] is None:
            code = mark["body"]
            while option := OPTION.match(code):
                code, metadata[option[1]] = code[option.end() :], option[2].strip()
            metadata["tags"] = metadata.get("tags", "").strip("[]").replace(",", " ").split()
            results.append(Block("code", code.removeprefix("\n").removesuffix("\n"), metadata))
            metadata = {}
        elif mark["cut"].strip():
            try:
                metadata = json.loads(mark["cut"])
            except ValueError:
                raise BadSource(f"{where}: this is not JSON: {mark[0].strip()[:60]!r}") from None
    return results


def cell_of(found: Block, where: str, chapter: Chapter | None) -> Cell:
    """One cell, with its role made out."""
    identity = found.metadata.get("id")
    if not identity:
        raise BadSource(f"{where}: a cell has no id: {found.source[:60]!r}")
    tags = tuple(found.metadata.get("tags", []))
    part, role = found.metadata.get("part"), "code"
    if found.kind == "text":
        text = words().filled(found.source, chapter) if chapter else found.source
        if left := PLACEHOLDER.search(text):
            raise BadSource(f"{where}, cell {identity}: there is no part for {left.group()}")
        return Cell(identity, "text", text, tags=tags)
    if check := CHECK.match(found.source):
        part, role = check.group(1), "check"
    elif question := ASK.search(found.source):
        part, role = question.group(1), "question"
    elif program := DIAGNOSE.match(found.source):
        part, role = program.group(1), "diagnosis"
    elif part:
        role = "answer"
    elif "setup" in tags or "picture" in tags:
        role = "setup" if "setup" in tags else "picture"
    if chapter and role in ("answer", "check", "diagnosis"):
        known = chapter.checks if role == "check" else [part.name for part in chapter.parts]
        for name in names_in(part) if role == "answer" else [part]:
            if name not in known:
                raise BadSource(f"{where}, cell {identity}: the chapter has no {role} named {name!r}")
    if role == "answer":
        marks = [line.strip() for line in found.source.splitlines() if line.strip() in (BEGIN, END)]
        if marks != [BEGIN, END] * (len(marks) // 2):
            raise BadSource(f"{where}, cell {identity}: {BEGIN} and {END} do not come in pairs")
    return Cell(identity, role, found.source, part, tags=tags, answers=found.metadata.get("answers"))


def without_solution(answer: str) -> str:
    """An answer without everything between the markers, leaving a place to write."""
    lines, inside = [], False
    for line in answer.splitlines():
        mark = line.strip()
        if mark == BEGIN:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [f"{indent}{PLACE}", f"{indent}raise NotImplementedError"]
        inside = (inside or mark == BEGIN) and mark != END
        if not inside and mark != END:
            lines.append(line)
    return "\n".join(lines)


def without_markers(answer: str) -> str:
    """An answer with the lines of the markers taken out."""
    return "\n".join(line for line in answer.splitlines() if line.strip() not in (BEGIN, END))


# --- pristine notebooks --------------------------------------------------------------------------


def notebook(kind: str, name: str) -> NotebookNode:
    """The pristine notebook of a kind, without outputs: cells, ids, metadata."""
    import nbformat  # here, because it takes a tenth of a second, and few make a notebook

    text = read("lessons" if kind == "lessons" else "solutions", name)
    made = nbformat.v4.new_notebook()
    made.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "minigrad": {"kind": kind, "name": name, "version": 1},
        }
    )
    made.cells = [notebook_cell(cell, kind, text.chapter) for cell in text.cells]
    return made


def notebook_cell(cell: Cell, kind: str, chapter: Chapter | None) -> NotebookNode:
    """A cell of a pristine notebook. Not made by nbformat's own functions, which look each cell up in its schema."""
    import nbformat

    if cell.role == "text":
        return nbformat.from_dict({"id": cell.id, "cell_type": "markdown", "metadata": {}, "source": cell.source})
    text = cell.source
    if cell.role == "answer":
        # Solutions keep the markers: nbgrader makes its release from them.
        text = text if kind == "solutions" else cell.given
    metadata: dict[str, object] = {"tags": list(cell.tags)} if cell.tags else {}
    if chapter and cell.role in ("answer", "check"):
        check = cell.role == "check"
        points = chapter.points(cell.part or "") if check else None
        metadata |= {
            "deletable": False,
            "minigrad": {"check": cell.part, "points": points} if check else {"part": cell.part},
            "nbgrader": nbgrader_fields(cell, points),
        }
        if check:
            metadata |= {"editable": False, "jupyter": {"source_hidden": True}}  # one click opens it
    if cell.role in ("question", "diagnosis"):
        metadata["minigrad"] = {"asks" if cell.role == "question" else "diagnoses": cell.part}
    elif cell.role == "picture":
        metadata["jupyter"] = {"source_hidden": True}
    elif cell.answers:
        metadata["minigrad"] = {"answers": cell.answers}
    code = {"id": cell.id, "cell_type": "code", "metadata": metadata, "source": text}
    return nbformat.from_dict(code | {"execution_count": None, "outputs": []})


def nbgrader_fields(cell: Cell, points: int | None) -> dict[str, object]:
    """What nbgrader needs to know of a cell: is it an answer to grade, or a test worth points?"""
    check = cell.role == "check"
    fields: dict[str, object] = {
        "grade": check,
        "grade_id": cell.id,
        "locked": check,
        "schema_version": 3,
        "solution": not check,
        "task": False,
    }
    return fields | ({"points": points} if check else {})
