"""`minigrad marks`: put the grades of a class into the files of the system that the work came from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from minigrad_course.cli.ending import RIGHT, USAGE, stop
from minigrad_course.cli.screen import Screen
from minigrad_course.grading import lms as systems
from minigrad_course.grading.book.coursefile import exercises_meant
from minigrad_course.grading.book.gradebook import STORE, Gradebook
from minigrad_course.grading.book.store import BadStore, Store
from minigrad_course.grading.lms import marks as files
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.lms.sheets import BadSheet
from minigrad_course.grading.people.given import likely
from minigrad_course.grading.people.names import listed
from minigrad_course.grading.records.record import BadCourse, Settings, plain
from minigrad_course.grading.records.standings import ALL, Standing, counted, file_name
from minigrad_course.grading.report.views import FOLDER

MOST = 20  # remarks that are printed
NO_PAGES = "No feedback.zip: there are no pages; minigrad grade writes them unless --write leaves them out."
NO_NAMES = (
    "No feedback.zip: it needs the names that the system gives to files when you download all submissions, and no "
    "graded file has such a name."
)


WORDS = {system.word: system for system in systems.SYSTEMS}
TAKING = [system for system in systems.SYSTEMS if system.sheet or system.takes_results]


def marks(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM",
            help=f"Where the marks go: {', '.join(item.word for item in TAKING)}.",
            show_default=False,
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE.csv",
            help="The worksheet or gradebook as you download it from the system; Gradescope needs none.",
        ),
    ] = None,
    grades: Annotated[
        Path, typer.Option("--grades", metavar="FOLDER", help="The folder that `minigrad grade` wrote.")
    ] = Path("grades"),
    exercise: Annotated[
        str,
        typer.Option(
            "--exercise",
            metavar="EXERCISE",
            help="Which exercise it is about, by number or name, or `all`. Default: the one that is graded.",
        ),
    ] = "",
    column: Annotated[
        str,
        typer.Option(
            "--column", metavar="TITLE", help="The assignment in a gradebook, if it is not called like the exercise."
        ),
    ] = "",
) -> None:
    """Put the grades of a class into the files of the system that the work came from.

    Nothing is graded and no file of yours is changed: everything is written to a folder in the grades.
    """
    try:
        target = WORDS.get(system)
        if target is None:
            known = [item.word for item in TAKING]
            near = likely(system, known)
            more = f"Did you mean {near}?" if near else "minigrad marks --help"
            raise BadSheet(f"{system!r} is not one of {', '.join(known)}. {more}")
        if target not in TAKING:
            target.refuse()
        if file is not None and not file.exists():
            raise BadSheet(f"There is no file {file}.")
        if file is not None and not target.sheet:
            raise BadSheet(f"{system} takes a file of results for each submission, and fills no {file}: leave it out.")
        if not (grades / STORE).exists():
            raise BadSheet(f"{grades} holds no grades; run minigrad grade first, or name the folder with --grades.")
        if target.sheet and file is None:
            raise BadSheet(f"{system} needs {target.sheet}: minigrad marks {system} FILE.csv.")
        with Store(grades / STORE) as store:
            standings = list(standings_in(Gradebook([], Settings(0), store), grades))
        which = meant(exercise, standings)
        written, remarks = made(target, file, standings, which, column, grades / system)
    except (BadSheet, BadStore, BadCourse) as error:
        stop(plain(str(error), 1000), USAGE)
    except OSError as error:
        stop(f"{error.filename or grades} cannot be read or written: {error.strerror or error}.", USAGE)
    if unopened := [standing.student for standing in standings if standing.unopened(which)]:
        remarks.append(
            f"Marked without a file that could not be graded: {listed(unopened)}. The notes in {grades} say why."
        )
    screen = Screen()
    for sentence in remarks[:MOST]:
        screen.print(plain(sentence, 1000))
    if len(remarks) > MOST:
        screen.print(f"… and {len(remarks) - MOST} more.")
    screen.print(f"{which}: {', '.join(map(str, written)) or 'nothing'} written.")
    raise typer.Exit(RIGHT)


def standings_in(book: Gradebook, folder: Path) -> Iterable[Standing]:
    """Every student of the class with what counts."""
    ids: dict[str, set[str]] = {}
    for key, student in book.store.ids().items() if book.store else ():
        ids.setdefault(student, set()).add(key)
    for student, records in book.students():
        numbers = set().union(*(systems.numbers(record.place) for record in records))
        page = folder / FOLDER / file_name(student)
        keys = frozenset(numbers | ids.get(student, set()))
        yield Standing(student, records, book.people.get(student), keys, page if page.exists() else None)


def meant(exercise: str, standings: Iterable[Standing]) -> str:
    """The exercise that was named, or the only one that counts."""
    if exercise == ALL:
        return ALL
    if exercise:
        named = exercises_meant([exercise])[0]
        if not any(standing.of(named) for standing in standings):
            raise BadSheet(f"Nobody has handed in {named}, so nothing was written.")
        return named
    result = sorted({item.exercise or "" for standing in standings for item in counted(standing.records)})
    if len(result) != 1:
        raise BadSheet(f"Which exercise is it about? Add --exercise with one of {', '.join([*result, ALL])}.")
    return result[0]


def made(
    system: System, file: Path | None, standings: list[Standing], exercise: str, column: str, folder: Path
) -> tuple[list[Path], list[str]]:
    """Write the files for a system; what was written, and what a person should know."""
    remarks: list[str] = []
    pages: dict[str, Path] = {}
    if file:
        sheet = system.fill(files.sheet(file, system.name), standings, exercise, column)
        pages = system.pages(sheet, standings, exercise)
        results, remarks = {file.name: sheet.text.encode(sheet.encoding, "backslashreplace")}, sheet.remarks
    else:
        results = {name: text.encode() for name, text in system.results(standings, exercise).items()}
    folder.mkdir(exist_ok=True)
    for old in [*folder.glob("*/results.json"), folder / "feedback.zip"]:
        old.unlink(missing_ok=True)  # of students who may be gone
    for name, content in results.items():
        (folder / name).parent.mkdir(exist_ok=True)
        part = folder / f"{name}.part"
        part.write_bytes(content)
        part.replace(folder / name)
    written = [folder / name for name in results] if file else [folder] if results else []
    if pages:
        (folder / "feedback.zip").write_bytes(files.zipped(pages))
        written.append(folder / "feedback.zip")
    elif file and system.takes_pages:
        remarks.append(NO_NAMES if any(standing.page for standing in standings) else NO_PAGES)
    return written, remarks
