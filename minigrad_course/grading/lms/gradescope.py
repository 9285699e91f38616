"""Gradescope: `submission_123/` and `submission_metadata.yml`, which says who submitted what, and when."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.people.names import Said, When, unmistakable
from minigrad_course.grading.people.times import from_iso
from minigrad_course.grading.records.record import Record
from minigrad_course.grading.records.standings import Standing
from minigrad_course.texts.submitted import Unreadable

METADATA = "submission_metadata.yml"  # where the owners are listed
NAME = re.compile(r"submission_\d+")


class Gradescope(System):
    """Gradescope.

    Names and the list as its «Export Submissions» makes them. Results from
    https://gradescope-autograders.readthedocs.io/en/latest/specs/, «Output format»; only those of a student's latest
    upload are shown. Its roster has the columns First Name, Last Name, SID, Email and Role.
    """

    name = "Gradescope"
    mark = re.compile(r"submission_\d")
    lasting = True
    owners_file = METADATA
    takes_results = True

    def said(self, entry: Entry) -> Said | None:
        """Only a number, below a folder: the list beside it says more."""
        return Said(entry.text, "", self.name) if entry.parent and NAME.fullmatch(entry.text) else None

    def owners(self, entry: Entry) -> list[Said]:
        """Those whom the list names."""
        return (submitters(entry.parent).get(entry.name) if entry.parent else None) or [entry.said]

    def used(self, top: Entry) -> bool:
        """True if the list can be read."""
        return bool(submitters(top))

    def absent(self, top: Entry) -> list[str]:
        """What the list names that is not there."""
        here = {child.name for child in top.children}
        return [name for name in submitters(top) if NAME.fullmatch(name) and name not in here]

    def when(self, entry: Entry, owner: Entry, leaf: Entry) -> When | None:
        """The time in the list."""
        if entry.said.system != self.name or not entry.parent:
            return None
        at = created(entry.parent).get(entry.name)
        return When(from_gradescope(at), source="Gradescope's file") if at else None

    def results(self, standings: Sequence[Standing], exercise: str) -> dict[str, str]:
        """`results.json` of each submission, in a folder that is called as Gradescope calls it."""
        result = {}
        for standing in standings:
            if records := [item for item in standing.of(exercise) if not item.missing]:
                numbers = re.findall(r"(?:^|/)(submission_\d+)(?:/|$)", records[0].place)
                result[f"{numbers[0] if numbers else standing.word}/results.json"] = results_of(records)
        return result


def results_of(records: Sequence[Record]) -> str:
    """`results.json` of a submission: each part, and the total, which comes before the sum and knows of penalties."""
    tests = [
        {
            "name": f"{record.exercise}: {part.part}",
            "score": round(record.weight * part.points, 2),
            "max_score": round(record.weight * part.possible, 2),
            "status": "passed" if part.passed else "failed",
            "output": " ".join(filter(None, (record.first(part) or part.what, part.by_hand))),
            "visibility": "visible",
        }
        for record in records
        for part in record.parts
    ]
    data = {
        "score": round(sum(record.weight * record.points for record in records), 2),
        "output": " ".join(sentence for record in records for sentence in (*record.notices, *record.said)),
        "tests": tests,
    }
    return json.dumps(data, indent=2) + "\n"


def from_gradescope(text: str) -> datetime | None:
    """The time in the list, such as `2026-11-02 12:00:00.000000000 Z`."""
    return from_iso(text)


# --- the list ------------------------------------------------------------------------------------


def metadata(top: Entry) -> str:
    """The list in a folder; "" where there is none."""
    if METADATA not in top.looked_into:
        file = next((child for child in top.children if child.kind == "file" and child.name == METADATA), None)
        try:
            top.looked_into[METADATA] = file.read().decode("utf-8") if file else ""
        except (Unreadable, UnicodeError):
            top.looked_into[METADATA] = ""
    result: str = top.looked_into[METADATA]
    return result


def submitters(top: Entry) -> dict[str, list[Said]]:
    """Whose each submission in a folder is, by the list in it; none if it is not YAML."""
    if "submitters" not in top.looked_into:
        people = people_in(metadata(top)) if metadata(top) else {}
        top.looked_into["submitters"] = {
            folder: [said for fact in facts if (said := submitter(fact))] for folder, facts in people.items()
        }
    result: dict[str, list[Said]] = top.looked_into["submitters"]
    return result


def created(top: Entry) -> dict[str, str]:
    """When each submission in a folder was made, as the list in it has it."""
    if "created" not in top.looked_into:
        top.looked_into["created"] = times_in(metadata(top)) if metadata(top) else {}
    result: dict[str, str] = top.looked_into["created"]
    return result


def submitter(facts: Mapping[str, str]) -> Said | None:
    """Who handed it in, by name, with whatever distinguishes people of the same name."""
    name, email, number = (unmistakable(facts.get(key, "")) for key in (":name", ":email", ":sid"))
    name = name or email or number
    return Said(name, number or email, "Gradescope") if name else None


def people_in(text: str) -> dict[str, list[dict[str, str]]]:
    """The facts (":name", ":email", ":sid") about everybody in each submission; none if the text is not YAML.

    The text is only scanned; no objects are built from it, since a stranger may have written it.
    """
    result: dict[str, dict[str, dict[str, str]]] = {}
    try:
        for steps, value in scalars(text):
            if len(steps) == 4 and steps[1] == ":submitters":
                result.setdefault(steps[0], {}).setdefault(steps[2], {})[steps[3]] = value
    except ValueError:
        return {}
    return {folder: list(people.values()) for folder, people in result.items()}


def times_in(text: str) -> dict[str, str]:
    """When each submission was made, as the text has it; none if it is not YAML."""
    try:
        return {steps[0]: value for steps, value in scalars(text) if len(steps) == 2 and steps[1] == ":created_at"}
    except ValueError:
        return {}


def scalars(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each text in a YAML file, with the keys and the counts that lead to it. ValueError if it is not YAML."""
    import yaml  # type: ignore[import-untyped]  # here, because it takes a while, and few need it

    try:
        yield from scanned(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error


def scanned(events: Iterable[Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each text in the events of a YAML parser."""
    import yaml

    # of each mapping around it the key, None before that is read; of a list the count
    steps: list[str | int | None] = []
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            steps.append(0 if isinstance(event, yaml.SequenceStartEvent) else None)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            steps.pop()
        elif not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            continue
        value = getattr(event, "value", "")
        if steps and steps[-1] is None:
            steps[-1] = value
        elif steps:
            yield tuple(map(str, steps)), value
            steps[-1] = steps[-1] + 1 if isinstance(steps[-1], int) else None
