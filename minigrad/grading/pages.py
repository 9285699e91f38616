"""A grading as HTML: a page for each student, and one for the class.

Everything on them is escaped, and a policy in each page keeps a browser from running or fetching anything. A student's
page holds that student's data alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jinja2

from minigrad.course.parts import chapters
from minigrad.grading.judge import plain
from minigrad.grading.plots import Plot, mistakes_plot, success_plot, times_plot
from minigrad.grading.record import LONGEST_TEXT, Record
from minigrad.grading.report import MARKS
from minigrad.grading.similar import Pair
from minigrad.grading.views import by_student, counted

FOLDER = "students"


def shown(value: Any) -> Any:
    """What a template puts into a page: no control characters, whoever wrote them."""
    return plain(value, LONGEST_TEXT, kept="\n\t") if type(value) is str else value


PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("minigrad.grading"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    finalize=shown,
    trim_blocks=True,
    lstrip_blocks=True,
)


def file_name(student: str) -> str:
    """The name of a student's page: readable, harmless, and unlike everybody else's."""
    readable = re.sub(r"[^a-z0-9]+", "-", student.lower(), flags=re.ASCII).strip("-")[:40]
    return f"{readable or 'student'}-{hashlib.sha256(student.encode()).hexdigest()[:10]}.html"


def student_pages(
    records: Iterable[Record], whole: Callable[[str], Record | None], seed: int
) -> Iterator[tuple[str, str]]:
    """File name and text of each student's page; `whole` gives the record of a place with all its texts."""
    template = PAGES.get_template("student.html.j2")
    hints = first_hints()
    for student, mine in by_student(records).items():
        full = [whole(record.place) or record for record in mine]
        text = template.render(student=student, records=full, marks=MARKS, hints=hints, seed=seed)
        yield file_name(student), text


def first_hints() -> dict[tuple[str | None, str], str]:
    """The first hint of each part; the last check of a chapter has none."""
    hints: dict[tuple[str | None, str], str] = {}
    for chapter in chapters():
        hints |= {(chapter.name, check): "" for check in chapter.checks}
        hints |= {(chapter.name, part.name): part.hints[0] for part in chapter.parts if part.hints}
    return hints


@dataclasses.dataclass(frozen=True)
class Row:
    """A student in the table of the class."""

    name: str
    points: list[str]
    total: str


def class_page(records: list[Record], pairs: list[Pair], seed: int, unconfined: list[str]) -> str:
    """The text of the class page."""
    judged = [record for record in records if record.parts]
    known = [chapter.name for chapter in chapters()]
    exercises = [name for name in known if any(record.exercise == name for record in judged)]
    rows = []
    for student, mine in sorted(by_student(records).items()):
        best = {record.exercise: record for record in counted(mine)}
        points = [f"{best[name].points}/{best[name].possible}" if name in best else "–" for name in exercises]
        rows.append(Row(student, points, str(sum(record.points for record in best.values()))))
    mistakes = mistakes_of(judged)
    plots: list[Plot] = [success_plot(name, [each for each in judged if each.exercise == name]) for name in exercises]
    if mistakes:
        plots.append(mistakes_plot(mistakes))
    if judged:
        plots.append(times_plot(judged))
    return PAGES.get_template("class.html.j2").render(
        students=rows,
        count=sum(not record.skipped for record in records),
        broken=[record for record in records if record.error or record.fault],
        skipped=[record for record in records if record.skipped],
        noticed=[record for record in records if record.notices],
        unconfined=unconfined,
        plots=plots,
        mistakes=mistakes,
        pairs=pairs,
        links={row.name: f"{FOLDER}/{file_name(row.name)}" for row in rows},
        exercises=exercises,
        seed=seed,
    )


def mistakes_of(records: list[Record]) -> list[dict[str, Any]]:
    """The recognised mistakes, the commonest first."""
    counts = Counter(
        (record.exercise, part.part, part.mistake) for record in records for part in record.parts if part.mistake
    )
    explained: dict[tuple[str | None, str, str | None], str] = {
        (chapter.name, part.name, mistake.name): mistake.explanation
        for chapter in chapters()
        for part in chapter.parts
        for mistake in part.mistakes
    }
    return [
        {"exercise": key[0], "part": key[1], "name": key[2], "explanation": explained.get(key, key[2]), "times": times}
        for key, times in counts.most_common()
    ]
