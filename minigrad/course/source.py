"""The text of the notebooks: find it, read it, and make the pristine notebooks of it.

Lessons and solutions are written as MyST Markdown under `lessons/source` and `solutions/source`. An exercise has no
text of its own: it is the solution without the answers. Everything that judges reads these texts, never a built
notebook, which in a clone is the file that a student writes into.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path
from typing import Any

import nbformat

from minigrad.course.parts import Chapter, chapter_named

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
PLACE = "# your code here"
KINDS = ("lessons", "exercises", "solutions")
PART = re.compile(r"""^[ \t]*(?:@[ \t]*)?part[ \t]*\(\s*["']+(\w+)["']+\s*\)""", re.MULTILINE)
CHECK = re.compile(r"%%check\s+(\w+)[^\n]*\n?")


class BadSource(Exception):
    """A text that no notebook can be made of; the message says where and why."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """One cell of a text.

    role: "text", "setup" (imports that answers need), "answer", "check", or "code" (anything else that runs).
    `part` is the part an answer defines, or the name of a check. `stub` stands in for an answer in the exercise.
    """

    id: str
    role: str
    source: str
    part: str | None = None
    stub: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """What a check runs: its cell without the first line."""
        return CHECK.sub("", self.source, count=1)


@dataclasses.dataclass(frozen=True)
class Text:
    """A whole text. `kind` is "lessons" or "solutions", `name` the notebook's file name without its ending."""

    kind: str
    name: str
    cells: tuple[Cell, ...]

    @property
    def chapter(self) -> Chapter | None:
        return chapter_named(self.name)

    def programs(self) -> dict[str, str]:
        """The program of every check, in order."""
        return {cell.part: cell.program for cell in self.cells if cell.role == "check" and cell.part}


# --- finding -------------------------------------------------------------------------------------


def notebooks_folder() -> Path:
    """Where lessons/, exercises/ and solutions/ are: inside an installed package, at the root of a clone."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "notebooks"
    return installed if installed.is_dir() else package.parent


def is_clone() -> bool:
    """True where the notebooks lie beside the package: the texts can be edited, and the notebooks rebuilt."""
    return notebooks_folder().name != "notebooks"


def text_path(kind: str, name: str) -> Path:
    """The file that holds a text."""
    return notebooks_folder() / kind / "source" / f"{name}.md"


def names(kind: str) -> list[str]:
    """The names of all texts of a kind; exercises have those of the solutions."""
    folder = notebooks_folder() / ("lessons" if kind == "lessons" else "solutions") / "source"
    return sorted(path.stem for path in folder.glob("*.md"))


# --- reading -------------------------------------------------------------------------------------


def read(kind: str, name: str) -> Text:
    """The text of a lesson or a solution. BadSource if it breaks a rule of the format."""
    return parsed(text_path(kind, name).read_text(encoding="utf-8"), kind, name)


@functools.lru_cache(maxsize=32)
def parsed(text: str, kind: str, name: str) -> Text:
    """A text as cells."""
    import jupytext

    notebook = jupytext.reads(text, fmt="md:myst")
    chapter = chapter_named(name) if kind == "solutions" else None
    cells: list[Cell] = []
    for found in notebook.cells:
        if "stub" in found.metadata.get("tags", []):
            if not cells or cells[-1].role != "answer":
                raise BadSource(f"{kind}/source/{name}.md: a stub does not follow an answer: {found.source[:60]!r}")
            cells[-1] = dataclasses.replace(cells[-1], stub=found.source)
        else:
            cells.append(cell_of(found, f"{kind}/source/{name}.md", chapter))
    ids = [cell.id for cell in cells]
    for each in ids:
        if ids.count(each) > 1:
            raise BadSource(f"{kind}/source/{name}.md: two cells have the id {each!r}")
    return Text(kind, name, tuple(cells))


def cell_of(found: Any, where: str, chapter: Chapter | None) -> Cell:
    """One cell, with its role made out."""
    identity = found.metadata.get("id")
    if not identity:
        raise BadSource(f"{where}: a cell has no id: {found.source[:60]!r}")
    tags = tuple(found.metadata.get("tags", []))
    part, role = found.metadata.get("part"), "code"
    if found.cell_type == "markdown":
        text = found.source
        for each in chapter.parts if chapter else ():
            text = text.replace(f"{{{{ {each.name} }}}}", each.facts)
        if left := re.search(r"\{\{ \w+ \}\}", text):
            raise BadSource(f"{where}, cell {identity}: there is no part for {left.group()}")
        return Cell(identity, "text", text, tags=tags)
    if check := CHECK.match(found.source):
        part, role = check.group(1), "check"
    elif part:
        role = "answer"
    elif "setup" in tags:
        role = "setup"
    if chapter and role in ("answer", "check"):
        known = chapter.checks if role == "check" else [each.name for each in chapter.parts]
        if part not in known:
            raise BadSource(f"{where}, cell {identity}: the chapter has no {role} named {part!r}")
    if role == "answer":
        marks = [line.strip() for line in found.source.splitlines() if line.strip() in (BEGIN, END)]
        if marks != [BEGIN, END] * (len(marks) // 2):
            raise BadSource(f"{where}, cell {identity}: {BEGIN} and {END} do not come in pairs")
    return Cell(identity, role, found.source, part, tags=tags)


def without_solution(answer: str) -> str:
    """An answer with what stands between the markers taken out, and a place to write left."""
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


def notebook(kind: str, name: str) -> Any:
    """The pristine notebook of a kind, without outputs: cells, ids, metadata."""
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


def notebook_cell(cell: Cell, kind: str, chapter: Chapter | None) -> Any:
    """A cell of a pristine notebook."""
    if cell.role == "text":
        return nbformat.v4.new_markdown_cell(cell.source, id=cell.id)
    text = cell.source
    if cell.role == "answer":
        # Solutions keep the markers: nbgrader makes its release from them.
        text = text if kind == "solutions" else cell.stub or without_solution(text)
    metadata: dict[str, Any] = {"tags": list(cell.tags)} if cell.tags else {}
    if chapter and cell.role in ("answer", "check"):
        check = cell.role == "check"
        points = chapter.points(cell.part or "") if check else None
        metadata |= {
            "deletable": False,
            "minigrad": {"check": cell.part, "points": points} if check else {"part": cell.part},
            "nbgrader": nbgrader_fields(cell, points),
        }
        if check:
            metadata["editable"] = False
    return nbformat.v4.new_code_cell(text, id=cell.id, metadata=metadata)


def nbgrader_fields(cell: Cell, points: int | None) -> dict[str, Any]:
    """What nbgrader needs to know of a cell: is it an answer to grade, or a test worth points?"""
    check = cell.role == "check"
    fields: dict[str, Any] = {
        "grade": check,
        "grade_id": cell.id,
        "locked": check,
        "schema_version": 3,
        "solution": not check,
        "task": False,
    }
    return fields | ({"points": points} if check else {})
