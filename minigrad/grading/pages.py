"""A grading as HTML: a page for each student, and one for the class.

Everything on them is escaped, and a policy in each page keeps a browser from running or fetching anything. A student's
page holds that student's data alone.
"""

from __future__ import annotations

import dataclasses
import functools
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

import jinja2
from markupsafe import Markup

from minigrad.course.parts import chapters
from minigrad.course.verdicts import with_code
from minigrad.grading.entries import number_of
from minigrad.grading.judge import plain
from minigrad.grading.plots import Plot, mistakes_plot, points_plot, success_plot, times_plot
from minigrad.grading.record import LONGEST_TEXT, Record, number
from minigrad.grading.report import MARKS
from minigrad.grading.similar import Ring, Same
from minigrad.grading.views import FOLDER, counted, file_name

MOST_REMARKS = 500  # of a kind on the class page; all of them are in grades.csv
REMARKS = {
    "nobody": "Belongs to nobody",
    "broken": "Could not be graded",
    "skipped": "Left out",
    "ruled": "By the rules of the course",
    "noticed": "Notices",
}


def shown(value: Any) -> Any:
    """A value as shown on a page, without control characters."""
    return plain(value, LONGEST_TEXT, kept="\n\t") if type(value) is str else value


PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("minigrad.grading"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    finalize=shown,
    trim_blocks=True,
    lstrip_blocks=True,
)


PAGES.filters["number"] = number
PAGES.filters["coded"] = lambda sentence: Markup(with_code(shown(sentence)))


def student_page(student: str, records: list[Record], doubts: Sequence[str] = ()) -> str:
    """The text of a student's page. `doubts` say what may be that student's, and nobody knows."""
    return PAGES.get_template("student.html.j2").render(
        student=student, records=records, doubts=doubts, marks=MARKS, hints=first_hints()
    )


@functools.cache
def first_hints() -> dict[tuple[str | None, str], str]:
    """The first hint of each part; the last check of a chapter has none."""
    hints: dict[tuple[str | None, str], str] = {}
    for chapter in chapters():
        hints |= {(chapter.name, check): "" for check in chapter.checks}
        hints |= {(chapter.name, part.name): part.hints[0] for part in chapter.parts if part.hints}
    return hints


@dataclasses.dataclass(frozen=True)
class Row:
    """A student in the table of the class: points and possible points by exercise."""

    name: str
    counted: dict[str, Record]
    missing: str  # shown for an exercise that was not handed in

    def shown(self, exercise: str) -> str:
        """The points of an exercise, and what a person should know about them."""
        record = self.counted.get(exercise)
        if record is None:
            return self.missing
        known = {
            "missing": record.missing,
            "late": record.deducted,
            "by hand": any(part.judged is not None for part in record.parts),
        }
        return ", ".join(
            [f"{number(record.points)}/{record.possible}", *(word for word, is_so in known.items() if is_so)]
        )

    @property
    def points(self) -> float:
        return sum(each.weight * each.points for each in self.counted.values())

    @property
    def possible(self) -> float:
        return sum(each.weight * each.possible for each in self.counted.values())

    @property
    def total(self) -> str:
        return number(self.points)


def by_hand(record: Record) -> list[str]:
    """What a person has decided on parts, in sentences."""
    return [f"{part.part}: {part.by_hand}" for part in record.parts if part.by_hand]


def middles(found: Sequence[float]) -> str:
    """The mean and the median of some points."""
    return f"{number(statistics.fmean(found))} / {number(statistics.median(found))}" if found else "–"


@dataclasses.dataclass
class Class:
    """What the class page says, gathered student by student: numbers, and of the remarks the first ones.

    `listed`: there is a class list, so missing work counts as 0.
    """

    listed: bool = False
    assigned: list[str] = dataclasses.field(default_factory=list)
    rows: list[Row] = dataclasses.field(default_factory=list)
    submissions: int = 0
    remarks: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    count: Counter[str] = dataclasses.field(default_factory=Counter)  # of each kind of remark
    words: dict[str, dict[str, Counter[str]]] = dataclasses.field(default_factory=dict)  # by exercise and part
    mistakes: Counter[tuple[str, str, str]] = dataclasses.field(default_factory=Counter)
    seconds: list[float] = dataclasses.field(default_factory=list)

    def add(self, student: str, records: list[Record]) -> None:
        """Take in a student with all records."""
        best = {record.exercise or "": dataclasses.replace(record, answers={}) for record in counted(records)}
        records = [each for each in records if not each.missing]
        missing = ("0" if records else "0, missing") if self.listed else "–"
        self.rows.append(Row(student, best, missing))
        for record in records:
            self.submissions += not record.skipped
            self.remark("broken", record.place, *filter(None, [record.error, record.fault]))
            self.remark("skipped", record.place, *filter(None, [record.skipped]))
            self.remark("noticed", record.place, *record.notices)
            self.remark("ruled", record.place, *record.said, *by_hand(record))
            if not record.parts or not record.exercise or not record.counts:
                continue
            self.seconds.append(record.seconds)
            words = self.words.setdefault(record.exercise, {})
            for part in record.parts:
                words.setdefault(part.part, Counter())[part.word] += 1
                if part.mistake:
                    self.mistakes[record.exercise, part.part, part.mistake] += 1

    def middle(self, exercise: str) -> str:
        """The mean and the median of an exercise, of those who have points for it or lost them."""
        return middles([row.counted[exercise].points for row in self.rows if exercise in row.counted])

    @property
    def middle_of_all(self) -> str:
        """The mean and the median of all points."""
        return middles([row.points for row in self.rows])

    def remark(self, kind: str, place: str, *sentences: str) -> None:
        """Record remarks on a place."""
        kept = self.remarks.setdefault(kind, [])
        self.count[kind] += bool(sentences)
        kept += [f"{place}: {sentence}" for sentence in sentences if len(kept) < MOST_REMARKS]


def class_page(
    whole: Class,
    rings: list[Ring],
    same: list[Same],
    unconfined: list[str],
    remarks: Sequence[str] = (),
    left_out: int = 0,
) -> str:
    """The text of the class page. `left_out` counts the submissions that were too many to be compared."""
    exercises = [chapter.name for chapter in chapters() if chapter.name in {*whole.words, *whole.assigned}]
    mistakes = explained(whole.mistakes)
    possible = max((row.possible for row in whole.rows), default=0)
    plots: list[Plot] = (
        [points_plot([row.points for row in whole.rows], possible)] if len(whole.rows) > 1 and possible else []
    )
    plots += [success_plot(name, whole.words[name]) for name in exercises if name in whole.words]
    if mistakes:
        plots.append(mistakes_plot(mistakes))
    if whole.seconds:
        plots.append(times_plot(whole.seconds))
    return PAGES.get_template("class.html.j2").render(
        whole=whole,
        remarks=[(kind, title, whole.remarks.get(kind, [])) for kind, title in REMARKS.items()],
        unconfined=unconfined,
        whose=remarks,
        number_of=number_of,
        plots=plots,
        mistakes=mistakes,
        rings=rings,
        left_out=left_out,
        same=same,
        link=lambda student: f"{FOLDER}/{file_name(student)}",
        exercises=exercises,
    )


def explained(mistakes: Counter[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """The recognised mistakes, the commonest first, in words."""
    explanations = {
        (chapter.name, part.name, mistake.name): mistake.explanation
        for chapter in chapters()
        for part in chapter.parts
        for mistake in part.mistakes
    }
    return [
        {
            "exercise": key[0],
            "part": key[1],
            "name": key[2],
            "explanation": explanations.get(key, key[2]),
            "times": times,
        }
        for key, times in mistakes.most_common()
    ]
