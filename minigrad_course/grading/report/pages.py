"""A grading as HTML: a page for each student, and one for the class.

Everything on them is escaped, and a policy in each page keeps a browser from fetching anything, and from running
anything but what sorts the class. A student's page holds that student's data alone.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from minigrad_course.checks.verdicts import NOISE, with_code
from minigrad_course.grading.people.names import is_about_layout, number_of, person
from minigrad_course.grading.people.times import Times
from minigrad_course.grading.records.alike import Ring, Same
from minigrad_course.grading.records.record import LONGEST_TEXT, PRINTS, PartRecord, Record, number, plain
from minigrad_course.grading.records.standings import counted, file_name
from minigrad_course.grading.report import printed
from minigrad_course.grading.report.histogram import histogram
from minigrad_course.grading.report.report import MARKS
from minigrad_course.grading.report.views import FOLDER, begin, notes
from minigrad_course.parts import Chapter, chapter_named, chapters

MOST_REMARKS = 500  # of a kind on the class page; all of them are in grades.csv
MOST_NAMES = 30  # of those who have not passed a part
FIRST = 5  # remarks of a kind that are not folded
LEAST_STUDENTS = 10  # of a histogram: it says nothing about fewer
FIRST_ROWS = 8  # of a table that are not folded
URGENT = {
    "fault": "The grading failed here, not the student: run the command again",
    "nobody": "Nobody's: it counts for no student",
    "doubt": "Whose is it?",
    "broken": "Handed in, but could not be graded: ask for the notebook as JupyterLab saves it",
    "many": "Many attempts at one exercise",
    "noticed": "Worth a look",
    "prints": "Right but for a forgotten print: a person may give the points",
}
ASIDE = {"ruled": "By the rules of the course", "skipped": "Left out"}


def shown(value: Any) -> Any:
    """A value as shown on a page, without control characters."""
    return plain(value, LONGEST_TEXT, kept="\n\t") if type(value) is str else value


def numbered(exercise: str) -> str:
    """The number of an exercise."""
    chapter = chapter_named(exercise)
    return str(chapter.number) if chapter else exercise


def named(names: Iterable[str]) -> str:
    """Exercises by their numbers, such as "exercises 1 and 2"."""
    *some, last = map(numbered, names)
    return f"exercises {', '.join(some)} and {last}" if some else f"exercise {last}"


SHARES = {"all": "all", "most": "≥ 75 %", "half": "≥ 50 %", "few": "< 50 %", "none": "none"}


def share(part: float, whole: float) -> str:
    """A word for how much of it that is."""
    if part >= whole:
        return "all"
    return "most" if part >= 0.75 * whole else "half" if part >= 0.5 * whole else "few" if part > 0 else "none"


TEMPLATES = Path(__file__).parent / "templates"
SORT = (TEMPLATES / "sort.js").read_text(encoding="utf-8")

PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("minigrad_course.grading.report"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    finalize=shown,
    trim_blocks=True,
    lstrip_blocks=True,
)


PAGES.filters |= {
    "number": number,
    "person": person,
    "coded": lambda sentence: Markup(with_code(shown(sentence))),
    "coloured": lambda text: Markup(printed.coloured(shown(text))),
}
PAGES.globals |= {
    "number_of": number_of,
    "share": share,
    "SHARES": SHARES,
    "marks": MARKS,
    "FIRST": FIRST,
    "FIRST_ROWS": FIRST_ROWS,
    "named": named,
    "letters": Markup(base64.b64encode((TEMPLATES / "text.woff2").read_bytes()).decode()),
    "sort": Markup(SORT),
    "sort_hash": base64.b64encode(hashlib.sha256(SORT.encode()).digest()).decode(),
}
STUDENT, CLASS = map(PAGES.get_template, ("student.html.j2", "class.html.j2"))  # compiled while others judge


# --- a student -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Check:
    """A check on a student's page. `why` is what it came to, in a sentence; `lines` are what was printed, if wrong.

    `first` says what is to be done before. `stopped` is the error, where `why` is about the mistake behind it. `code`
    is the answer, with numbers of its lines where an error names one.
    """

    part: PartRecord
    first: str
    why: str
    stopped: str
    hint: str
    code: printed.Code | None
    program: Markup
    target: str
    lines: printed.Printed | None = None
    unfolded: bool = False


@dataclasses.dataclass(frozen=True)
class Exercise:
    """A record on a student's page, with a title."""

    record: Record
    title: str
    anchor: str
    checks: list[Check]

    @property
    def passed(self) -> bool:
        """True if there is nothing more to say about it than that everything passed."""
        return self.record.passed and not any(check.part.by_hand for check in self.checks)

    @property
    def all_open(self) -> bool:
        """True if all parts are open, and there is nothing more to say."""
        return bool(self.checks) and all(item.part.word == "open" and not item.part.by_hand for item in self.checks)

    @property
    def summary(self) -> str:
        """How many parts passed, are wrong and are open."""
        return summary([self.record])


def summary(records: Sequence[Record]) -> str:
    """How many parts passed, are wrong and are open, of what was judged; and how many exercises were not."""
    parts = [part for record in records if record.is_judged for part in record.parts]
    count = Counter(part.word for part in parts)
    some = [f"{count[word]} {word}" for word in ("wrong", "open") if count[word]]
    said = ", ".join([f"{count['passed']} of {number_of(len(parts), 'part')} passed", *some] if parts else [])
    missing, spoilt = sum(record.missing for record in records), sum(bool(record.obstacle) for record in records)
    without = f"{number_of(missing, 'exercise')} not handed in" if missing else ""
    unread = f"{number_of(spoilt, 'exercise')} could not be graded" if spoilt else ""
    return ". ".join(filter(None, (said, unread, without)))


def student_page(student: str, records: list[Record], doubts: Sequence[str] = ()) -> str:
    """The text of a student's page. `doubts` say what may be that student's, and nobody knows."""
    counts, records = counted(records), sorted(records, key=lambda item: item.exercise or "")
    spoilt = sum(record.is_of_none for record in records) if all(count.missing for count in counts) else 0
    # where nothing could be graded, what stands for an exercise would only say so again
    told = [
        record for record in records if not (record.skipped or (spoilt and record.missing and len(notes(record)) <= 1))
    ]
    exercises = [exercise(record, place) for place, record in enumerate(told, start=1)]
    return STUDENT.render(
        student=student,
        exercises=exercises,
        assigned=[count.exercise for count in counts],
        begin=begin(records),
        skipped=[f"{record.place}: {record.skipped}" for record in records if record.skipped],
        nothing=all(record.missing for record in records),
        points=sum(count.weight * count.points for count in counts),
        possible=sum(count.weight * count.possible for count in counts),
        summary=f"{number_of(spoilt, 'file')} could not be graded" if spoilt else summary(counts),
        passed=bool(counts) and all(record.passed for record in records if record.counts and not record.skipped),
        doubts=doubts,
        under=under,
        seeds=sorted({record.seed for record in records if record.seed is not None}),
        days=sorted({record.day for record in records if record.day}),
    )


def under(exercise: str | None, sentence: str) -> str:
    """A sentence on an exercise, as it stands under the heading that names it."""
    rest = sentence.removeprefix(f"{exercise}: ")
    return sentence if rest == sentence else rest[:1].upper() + rest[1:]


def exercise(record: Record, place: int) -> Exercise:
    """A record as the page shows it; of what was not handed in, only the parts that a person has said something on."""
    chapter = chapter_named(record.exercise or "")
    parts = [part for part in record.parts if record.is_judged or part.by_hand]
    name = printed.title(chapter) if chapter else record.exercise or record.place
    return Exercise(record, name, f"e{place}", [check(chapter, part, record) for part in parts])


def check(chapter: Chapter | None, part: PartRecord, record: Record) -> Check:
    """The result of a check, as the page shows it."""
    exercise = chapter.name if chapter else ""
    target = printed.target(exercise, part.part)
    first = record.first(part)
    if first:  # what is wrong in another part shows here in lines that are right
        part = dataclasses.replace(part, what="", error="", text="")
    lines = printed.compared(part.text, part.reference, target) if part.word == "wrong" and part.text.strip() else None
    noise = f"{NOISE} " if part.what.startswith(NOISE) else ""
    why = part.what.removeprefix(noise)
    stopped, mistake = "", printed.explanations().get((exercise, part.part, part.mistake or ""))
    if mistake and part.mistake != PRINTS:
        why, stopped = f"This is what you get when {mistake}.", f"Yours stopped: {part.error}" if part.error else ""
    elif lines and lines.what and why.startswith(lines.what):  # the lines stand below
        why = f"{lines.what[0].upper()}{lines.what[1:]}."
    answer = record.answers.get(part.part, "") if part.word != "open" else ""
    code = printed.code(shown(answer), part.error) if answer else None
    # a mistake that is named and an error that says what to do are hints; the part's own knows nothing of them
    hint = (
        ""
        if part.passed or mistake or printed.says_what_to_do(part.error)
        else printed.hints().get((exercise, part.part), "")
    )
    unfolded = part.word == "wrong" and part.part != record.last
    run = Markup(printed.program(exercise, part.part))
    return Check(part, first, noise + why, stopped, hint, code, run, target, lines, unfolded)


# --- the class -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Row:
    """A student in the table of the class, with the record that counts of each exercise."""

    name: str
    counted: dict[str, Record]
    spoilt: bool = False  # something could not be graded, and nobody knows which exercise it was to be

    @property
    def missing(self) -> str:
        """What was not handed in, in words, or that all of it could not be graded; "" if everything was handed in."""
        names = [numbered(name) for name, record in sorted(self.counted.items()) if record.missing]
        if self.spoilt and len(names) == len(self.counted):
            return "not gradable"
        some = f"{', '.join(names)} not" if len(names) < len(self.counted) else "nothing"
        return f"{some} handed in" if names else ""

    def notes(self, exercise: str) -> str:
        """What a person should know about the points of an exercise, in words."""
        record = self.counted.get(exercise)
        known = {
            "not gradable": record and record.obstacle,
            "late": record and record.deducted,
            "by hand": record and any(part.judged is not None for part in record.parts),
        }
        return ", ".join(word for word, is_so in known.items() if is_so)

    @property
    def points(self) -> float:
        return sum(item.weight * item.points for item in self.counted.values())

    @property
    def passed(self) -> bool:
        """True if every part of everything that is assigned has passed."""
        return bool(self.counted) and all(part.passed for record in self.counted.values() for part in record.parts)

    @property
    def stuck(self) -> tuple[str, str]:
        """The part to begin with, behind its word, else what could not be graded, of what was handed in."""
        if first := begin(self.counted.values()):
            return first[1].word, f"{numbered(first[0].exercise or '')}: {first[1].part}"
        spoilt = [name for name, record in sorted(self.counted.items()) if record.obstacle and not record.missing]
        return "", f"{named(spoilt[:1])} not gradable" if spoilt else ""

    @property
    def left(self) -> list[str]:
        """The parts that are left after that one, but for those that run all together; of other exercises by number."""
        record, first = begin(self.counted.values()) or (None, None)
        result = []
        for name, each in sorted(self.counted.items()):
            some = [part.part for part in each.left if part is not first and part.part != each.last]
            result += [part if each is record else f"{numbered(name)}: {part}" for part in some if each.is_judged]
        return result

    @property
    def reached(self) -> int:
        """How far a student has come: a number that grows with the place of the part to begin with."""
        if first := begin(self.counted.values()):
            chapter = chapter_named(first[0].exercise or "")
            return 100 * (chapter.number if chapter else 0) + first[0].parts.index(first[1])
        return 10_000 if self.passed else 0


@dataclasses.dataclass
class Results:
    """The results of a part in the class, and the first of those who have not passed it, by word."""

    count: Counter[str] = dataclasses.field(default_factory=Counter)
    names: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    @property
    def all(self) -> bool:
        """True if everybody has passed it."""
        return self.count["passed"] == self.count.total()

    def add(self, student: str, word: str) -> None:
        """Count a student's result."""
        self.count[word] += 1
        names = self.names.setdefault(word, [])
        if word != "passed" and len(names) < MOST_NAMES:
            names.append(student)


def by_hand(record: Record) -> list[str]:
    """What a person has decided on parts, in sentences."""
    return [f"{part.part}: {part.by_hand}" for part in record.parts if part.by_hand]


@dataclasses.dataclass
class Class:
    """What the class page says, gathered student by student: numbers, and of the remarks the first ones.

    `assigned` are the exercises that everybody's points are out of.
    """

    assigned: list[str] = dataclasses.field(default_factory=list)
    rows: list[Row] = dataclasses.field(default_factory=list)
    submissions: int = 0
    remarks: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    count: Counter[str] = dataclasses.field(default_factory=Counter)  # of each kind of remark
    results: dict[str, dict[str, Results]] = dataclasses.field(default_factory=dict)  # by exercise and part
    mistakes: dict[tuple[str, str, str], list[str]] = dataclasses.field(default_factory=dict)  # whose they are
    times: Times = dataclasses.field(default_factory=Times)
    days: set[str] = dataclasses.field(default_factory=set)
    seeds: set[int] = dataclasses.field(default_factory=set)

    def add(self, student: str, records: list[Record]) -> None:
        """Take in a student with all records."""
        best = {record.exercise or "": dataclasses.replace(record, answers={}) for record in counted(records)}
        self.rows.append(Row(student, best, any(record.is_of_none for record in records)))
        for record in [record for record in records if not record.missing]:
            self.submissions += not record.skipped
            self.times.rows += [] if record.skipped else [(student, record.exercise or "", record.when)]
            said = {"fault": record.fault, "broken": record.error, "skipped": record.skipped, "many": record.many}
            for kind, sentence in said.items():
                self.remark(kind, record.place, *filter(None, [sentence]))
            self.remark("noticed", record.place, *record.notices)
            self.remark("ruled", record.place, *record.said, *by_hand(record))
            self.days |= {record.day} - {""}
            self.seeds |= {record.seed} if record.seed is not None else set()
        for name, record in best.items():
            self.remark("prints", record.place, *[part.part for part in record.parts if part.mistake == PRINTS])
            for part in record.parts if record.is_judged else ():
                self.results.setdefault(name, {}).setdefault(part.part, Results()).add(student, part.word)
                mistake = part.mistake or printed.stop(part.error)
                if mistake and part.part != record.last:
                    self.mistakes.setdefault((name, part.part, mistake), []).append(student)

    def remark(self, kind: str, place: str, *sentences: str) -> None:
        """Record remarks on a place."""
        kept = self.remarks.setdefault(kind, [])
        self.count[kind] += bool(sentences)
        kept += [f"{place}: {sentence}" for sentence in sentences if len(kept) < MOST_REMARKS]

    def possible(self, exercise: str) -> int:
        """The points of an exercise."""
        return max((row.counted[exercise].possible for row in self.rows if exercise in row.counted), default=0)

    @property
    def total(self) -> float:
        """The points of everything that is assigned, with weights: the same for everybody."""
        return max((sum(item.weight * item.possible for item in row.counted.values()) for row in self.rows), default=0)

    def handed_in(self, exercise: str) -> int:
        """How many students handed in something for an exercise."""
        return sum(exercise in row.counted and not row.counted[exercise].missing for row in self.rows)


def class_page(
    whole: Class,
    rings: list[Ring],
    same: list[Same],
    unconfined: list[str],
    remarks: Sequence[str] = (),
    left_out: int = 0,
) -> str:
    """The text of the class page. `left_out` counts the submissions that were too many to be compared."""
    for sentence in remarks:
        kind = "layout" if is_about_layout(sentence) else "doubt"
        whole.count[kind] += 1
        whole.remarks.setdefault(kind, []).append(sentence)
    exercises = [chapter for chapter in chapters() if chapter.name in whole.assigned]
    points, possible = [row.points for row in whole.rows], whole.total
    graded = named(item.name for item in exercises).capitalize() if exercises else "The class"
    return CLASS.render(
        whole=whole,
        heading=f"{graded}: {number_of(len(points), 'student')}",
        exercises=exercises,
        title=printed.title,
        possible=possible,
        everything=sum(row.passed for row in whole.rows),
        middles={"mean": statistics.fmean, "median": statistics.median},
        points=points,
        points_of={
            item.name: [row.counted[item.name].points for row in whole.rows if item.name in row.counted]
            for item in exercises
        },
        chart=histogram(points, possible) if len(points) >= LEAST_STUDENTS and possible else None,
        numbered=numbered,
        mistakes=explained(whole.mistakes, whole.results),
        urgent=[(kind, text, whole.remarks[kind]) for kind, text in URGENT.items() if whole.remarks.get(kind)],
        aside=[(kind, text, whole.remarks[kind]) for kind, text in ASIDE.items() if whole.remarks.get(kind)],
        layout=whole.remarks.get("layout", []),
        unconfined=unconfined,
        rings=rings,
        left_out=left_out,
        same=same,
        link=lambda student: f"{FOLDER}/{file_name(student)}",
    )


def explained(
    mistakes: dict[tuple[str, str, str], list[str]], results: Mapping[str, Iterable[str]]
) -> list[dict[str, object]]:
    """The recognised mistakes, the commonest first, in words; those of one student only where there are no others."""
    turns = {(name, part): turn for name, parts in results.items() for turn, part in enumerate(parts)}
    result = sorted(mistakes.items(), key=lambda item: (-len(item[1]), item[0][0], turns.get(item[0][:2], 0), item[0]))
    result = [item for item in result if len(item[1]) > 1] or result
    return [
        {
            "exercise": key[0],
            "part": key[1],
            "explanation": printed.explanations().get(key, key[2]),
            "students": students,
        }
        for key, students in result
    ]
