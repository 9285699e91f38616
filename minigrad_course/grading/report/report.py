"""The result of a grading for the terminal: a table per file, or one for a class."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from minigrad_course.grading.people.names import number_of
from minigrad_course.grading.records.record import Record, number, plain

STYLES = {"passed": "green", "wrong": "red", "open": "blue"}
MARKS = {"passed": "✓ passed", "wrong": "✗ wrong", "open": "… open"}
MOST_ROWS = 40  # of a class that are printed; all of them are in the files


def show(record: Record, console: Console) -> None:
    """Print one file's table, or the line that says why there is none."""
    place = plain(record.place)
    if error := record.obstacle:
        console.print(Text(f"{place}: {plain(error)}", style="red"))
        return
    table = Table(title=Text(place), title_justify="left", title_style="bold", expand=False)
    table.add_column("part", no_wrap=True)
    table.add_column("result", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("what differed", overflow="fold")
    for part in record.parts:
        table.add_row(
            part.part,
            Text(MARKS[part.word], style=STYLES[part.word]),
            f"{number(part.points)}/{part.possible}",
            Text(" ".join(filter(None, (record.first(part) or part.what, plain(part.by_hand))))),
        )
    table.add_section()
    if record.deducted:
        table.add_row("late", "", f"−{number(record.deducted)}", "")
    table.add_row("total", "", f"{number(record.points)}/{record.possible}", "")
    console.print(table)
    for sentence in record.said:
        console.print(Text(f"{place}: {plain(sentence)}", style="yellow"))
    for notice in filter(None, (record.many, *record.notices)):
        console.print(Text(f"{place}: {plain(notice)}", style="bold yellow"))


def left(record: Record) -> list[Text]:
    """The names of the parts that are wrong, and of those that are open, each behind its mark."""
    names = {word: ", ".join(part.part for part in record.parts if part.word == word) for word in ("wrong", "open")}
    return [Text.assemble((MARKS[word][0], STYLES[word]), " ", names[word]) for word in names if names[word]]


def show_class(records: Iterable[Record], console: Console) -> None:
    """Print a class: a row for each submission, and what could not be graded below."""
    table = Table(expand=False)
    table.add_column("student", overflow="fold")
    table.add_column("exercise", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("not passed", overflow="fold")
    rows, urgent, remarks = 0, [], []
    for record in records:
        place = plain(record.place)
        said = [f"{place}: {plain(item)}" for item in (record.obstacle, *record.notices) if item]
        remarks += [f"{place}: {plain(item)}" for item in record.said]
        urgent += [f"{place}: {record.many}"] if record.many else []
        if record.notices or not record.student:  # a person has to look at it
            urgent += said
        else:
            remarks += said
        rows += not record.skipped
        if not record.skipped and rows <= MOST_ROWS:
            lines = [Text("" if record.missing else "not graded: see below")] if record.obstacle else left(record)
            by_hand = ", ".join(part.part for part in record.parts if part.by_hand)
            lines += [Text(f"by hand: {by_hand}")] if by_hand else []
            points = f"{number(record.points)}/{record.possible}" if record.parts else "–"
            points = points if record.counts else f"({points})"
            table.add_row(
                Text(plain(record.student)),
                Text(plain(record.exercise or "")),
                points,
                Text("\n").join(filter(None, lines)),
            )
    console.print(table)
    if rows > MOST_ROWS:
        console.print(f"… and {rows - MOST_ROWS} more.", highlight=False)
    for some, style in ((urgent, "bold yellow"), (remarks, "yellow")):
        for line in some[:MOST_ROWS]:
            console.print(Text(line, style=style))
        if len(some) > MOST_ROWS:
            console.print(f"… and {number_of(len(some) - MOST_ROWS, 'more remark')}.", style=style, highlight=False)
