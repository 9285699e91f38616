"""What `minigrad grade` does: find the work, have it judged, show the results and keep them."""

from __future__ import annotations

import contextlib
import importlib
import sqlite3
import sys
import threading
from collections.abc import Callable, Container, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from minigrad_course.checks.reference import begin_to_import_torch
from minigrad_course.cli.ending import say as complain
from minigrad_course.cli.screen import Screen
from minigrad_course.grading.book.gradebook import STORE, Gradebook, Summary
from minigrad_course.grading.book.store import BadStore, Store
from minigrad_course.grading.collect.intake import BadIntake, handed_in, is_tree
from minigrad_course.grading.grade import Alone, Crew, SpentSeed, judge, write_views
from minigrad_course.grading.lms.roster import BadRoster, Roster
from minigrad_course.grading.lms.roster import read as read_roster
from minigrad_course.grading.people.names import is_about_layout, listed, number_of
from minigrad_course.grading.records.record import (
    GRADES,
    NOBODY,
    VIEWS,
    BadCourse,
    Course,
    Intake,
    Record,
    Settings,
    plain,
)
from minigrad_course.grading.report.files import write
from minigrad_course.grading.report.report import MOST_ROWS, show, show_class
from minigrad_course.grading.workers.cluster import Cluster, NoCluster
from minigrad_course.grading.workers.pool import Local
from minigrad_course.texts.submitted import Unreadable

PAGES = "minigrad_course.grading.report.pages"  # takes a while to import
STDOUT = Path("-")
TABLES = (".csv", ".toml")  # of files beside the work
LONGEST = 1000  # characters of a sentence


class Refused(Exception):
    """The grading cannot start; the message says why and what to do."""


def graded(
    paths: list[Path],
    to: Path | None,
    settings: Settings,
    *,
    asked: bool,
    views: Sequence[str],
    json_file: Path | None,
    roster_file: Path | None,
    course_file: Path | None,
    exercises: Sequence[str],
    again: bool,
    workers: int | None,
    dask: str | None,
) -> int:
    """Grade, and return the exit status. `asked`: the seed of the settings was asked for. The rest as in the help."""
    console = Screen(stderr=json_file == STDOUT)
    try:
        for view in views:
            if view not in VIEWS:
                raise Refused(f"--write {view}: the views are {', '.join(VIEWS)}.")
        if json_file and is_notebook(json_file, paths):
            raise Refused(f"--json {json_file}: that is a notebook, and grading never writes into one.")
        if json_file and json_file != STDOUT and not json_file.absolute().parent.is_dir():
            raise Refused(f"--json {json_file}: there is no folder {json_file.parent}.")
        if tables := [path for path in paths if path.suffix.lower() in TABLES and path.is_file()]:
            raise Refused(f"{tables[0]} is nobody's work. A class list goes behind --roster, rules behind --course.")
        folder = to or (Path(GRADES) if any(map(is_tree, paths)) else None)
        roster = read_roster(roster_file) if roster_file else None
        if roster and roster.left_out:
            say(console, f"Not students by their role on the class list, so left out: {listed(roster.left_out)}.")
        change = rules(course_file, exercises) if course_file or exercises else None
        with contextlib.ExitStack() as stack:
            store = stack.enter_context(opened(folder, paths)) if folder and (folder / STORE).exists() else None
            roots = store.roots() if store else {}
            # a new list decides whose everything is, including what was graded earlier
            earlier = [path for path in roots.values() if path.exists()] if roster else []
            ids = store.ids() if store else {}
            intake = handed_in([*paths, *earlier], roster or (store.roster if store else None), roots, ids)
            demand_a_notebook(intake, roots)
            if folder and not store:
                store = stack.enter_context(opened(folder, paths))
            course = settled(change, course_file, intake, store, roster) if change else None
            if store and roster:
                store.roster = roster
            if store and course:
                store.course = course
            kept = store.course if store else Course()
            if course or kept != Course():
                say(console, (course or kept).sentence)
            if earlier:
                say(console, f"The class list now also applies to what was graded earlier: {', '.join(roots)}.")
            remarks = taken_in(intake, store, console)
            book = Gradebook(intake.found, settings, store, asked=asked, course=course)
            hire = hiring(settings, book, workers, dask, console)
            interrupted = run(book, console, intake.many, again, hire)
            summary = book.summary()
            finish(book, summary, console, folder, views or tuple(VIEWS), json_file, remarks)
            return 130 if interrupted else max(summary.status, int(book.lacks_somebody))
    except (Refused, BadIntake, BadRoster, BadCourse, BadStore, NoCluster, SpentSeed) as error:
        complain(plain(str(error), LONGEST))
        return 2
    except sqlite3.Error as error:
        complain(f"The grades cannot be stored: {error}. Everything stored before is safe; run the command again.")
        return 3


def demand_a_notebook(intake: Intake, known: Container[str]) -> None:
    """Refused if nothing in what was named can be a notebook: that is a slip, not a student.

    known: the folders and zips that have been graded before; there it is a student's.
    """
    if any(item.root in known or item.place.endswith(".ipynb") for item in intake.found):
        return
    said = []
    for item in intake.found:
        try:
            item.read()
            return
        except Unreadable as error:
            said.append(f"{item.place}: {error}")
    more = f" And {len(said) - MOST_ROWS} more." if len(said) > MOST_ROWS else ""
    raise Refused(f"{' '.join(said[:MOST_ROWS])}{more}")


def rules(file: Path | None, exercises: Sequence[str]) -> Callable[[Course], Course]:
    """What changes the rules that are kept: a new file, the exercises that are assigned, or both."""
    from minigrad_course.grading.book import coursefile  # here, because few need it

    read = coursefile.read(file) if file else None
    names = coursefile.exercises_meant(exercise for exercise in exercises if exercise != "all")

    def change(kept: Course) -> Course:
        return (read or kept).only(names) if exercises else read or kept

    return change


def settled(
    change: Callable[[Course], Course], file: Path | None, intake: Intake, store: Store | None, roster: Roster | None
) -> Course:
    """The rules from now on, with the students that they name under the names of the class."""
    course = change(store.course if store else Course())
    if not file:
        return course
    from minigrad_course.grading.book import coursefile

    students = [item.student for item in intake.found] + [student for _, student in (store.places() if store else ())]
    return coursefile.with_people(course, str(file), roster or (store.roster if store else None), students)


def taken_in(intake: Intake, store: Store | None, console: Console) -> list[str]:
    """Record in the store what was handed in, and print the remarks on it; returns all remarks on the class."""
    for sentence in intake.remarks[:MOST_ROWS]:
        say(console, sentence, "" if is_about_layout(sentence) else "bold yellow")
    if len(intake.remarks) > MOST_ROWS:
        say(console, f"… and {len(intake.remarks) - MOST_ROWS} more; all are on the class page.", "bold yellow")
    if store is None:
        return intake.remarks
    if not store.roster:
        say_who_is_taken_for_whom(intake, store, console)
    gone = store.take_in(intake)
    strangers = [item for item in gone if store.roster and is_there(item, intake)]
    gone = [item for item in gone if item not in strangers]
    if strangers:
        which = listed(strangers, most=1)
        say(console, f"Graded earlier, but nobody's on the class list, so no longer counted: {which}.")
    if gone:
        which = listed(gone, most=1)
        it = "it" if len(gone) == 1 else "them"
        text = f"Graded earlier but no longer there, so no longer counted: {which}. Put {it} back to count {it} again."
        say(console, text)
    return store.remarks()


def is_there(place: str, intake: Intake) -> bool:
    """True if a place is in a folder that was named, whoever it belongs to."""
    roots = [(f"{root.shown.rstrip('/')}/", root.path) for root in intake.roots.values()]
    return any((path / place[len(shown) :]).exists() for shown, path in roots if place.startswith(shown))


def say_who_is_taken_for_whom(intake: Intake, store: Store, console: Console) -> None:
    """Say which students from another folder are taken to be students graded before, by name alone."""
    new = {item.student for item in intake.found if item.root not in store.roots()} - {NOBODY}
    before = {student for _, student in store.places()} - {NOBODY}
    if not new or not before:
        return
    both, others = len(new & before), sorted(new - before)
    them = (
        "1 student has the same name as one graded before, and is taken to be the same."
        if both == 1
        else f"{both} students have the same names as students graded before, and are taken to be the same."
    )
    said = [them] if both else []
    said += [f"Not graded before: {', '.join(others[:MOST_ROWS])}."] if others else []
    said = ["There is no class list, so students are known by their names.", *said, "If that is wrong, add --roster."]
    say(console, " ".join(said), "bold yellow")


def opened(folder: Path, paths: list[Path]) -> Store:
    """The store in a folder. Refused if the grades would end up among the submissions."""
    for path in paths:
        if path.is_dir() and folder.resolve().is_relative_to(path.resolve()):
            raise Refused(f"{folder} is inside {path}, among the submissions; name another folder with --to.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"{folder} cannot be made: {error.strerror or error}.") from None
    return Store(folder / STORE)


def hiring(
    settings: Settings, book: Gradebook, workers: int | None, dask: str | None, console: Console
) -> Callable[[bool], Crew]:
    """Choose who judges: a cluster, worker processes, or, for a few submissions, this process."""

    def hire(few: bool) -> Crew:
        begin_to_import_torch(for_references=True)
        if dask:
            crew: Crew = Cluster(settings, dask)
        elif few:
            crew = Alone(settings)
        else:
            from minigrad_course.grading.workers.machine import workers_here  # not needed for a single file

            most, fewer = (workers, "") if workers else workers_here(len(book.handed_in))
            if fewer and len(book.handed_in) > most:
                say(console, fewer)
            crew = Local(settings, min(most, len(book.handed_in)))
        if settings.require_sandbox:
            try:
                demand_sandbox(crew)
            except BaseException:
                crew.close()
                raise
        return crew

    return hire


def demand_sandbox(crew: Crew) -> None:
    """Refused unless everything is confined where the work would be judged."""
    try:
        unconfined = crew.unconfined()
    except RuntimeError as error:
        raise Refused(f"--require-sandbox: {error}") from None
    if unconfined:
        raise Refused(f"--require-sandbox: this machine does not confine everything. {' '.join(unconfined)}")


# --- the run -------------------------------------------------------------------------------------


class Rate(TextColumn):
    """Submissions per second, once it is known."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "", style="progress.data.speed")


def run(book: Gradebook, console: Console, many: bool, again: bool, hire: Callable[[bool], Crew]) -> bool:
    """Judge and show the results; True if Ctrl-C ended it."""
    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    hidden = not console.is_terminal or len(book.handed_in) < 2
    interrupted = False
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        bar = progress.add_task("", total=len(book.handed_in))

        pages = threading.Thread(target=importlib.import_module, args=(PAGES,), daemon=True)

        def done(record: Record | None) -> None:
            progress.advance(bar)
            if record and many and book.store and not pages.ident:
                pages.start()  # torch is loaded by now, and this process is waiting for the workers
            if record and not many:
                show_in_turn(*book.alone([record]))

        shown: dict[str, Record | None] = dict.fromkeys(item.place for item in book.handed_in)

        def show_in_turn(record: Record) -> None:
            """Show files in the order you named them, each as soon as those before it are shown."""
            shown[record.place] = record
            for place, ready in list(shown.items()):
                if ready is None:
                    return
                show(ready, console)
                del shown[place]

        try:
            judge(book, hire, again, done)
        except KeyboardInterrupt:
            interrupted = True
        if not many:  # results that were kept already, and those finished before a Ctrl-C
            for place in shown:
                for record in book.alone([book.record(place)]):
                    show(record, console)
    if many:
        show_class(book.records_by_student(), console)
    return interrupted


def finish(
    book: Gradebook,
    summary: Summary,
    console: Console,
    folder: Path | None,
    views: Sequence[str],
    json_file: Path | None,
    remarks: list[str],
) -> None:
    """Print the result, and write the requested files."""
    from minigrad_course.grading.report.views import as_json

    seed = book.settings.seed
    left = len(book.handed_in) - summary.records
    files = len(book.handed_in) - summary.skipped
    if files > 1 and not left:
        say(console, f"{summary.good} of {files} files {'passes' if summary.good == 1 else 'pass'}.")
    if left:
        are = "is" if left == 1 else "are"
        say(console, f"Interrupted: {left} of {len(book.handed_in)} {are} not judged yet; {again_sentence(folder)}")
        if folder:
            say(console, f"The files in {folder} are unchanged.")
    elif book.unchanged:
        they = "it was" if book.unchanged == 1 else "they were"
        say(console, f"{book.unchanged} had not changed since {they} judged; --again regrades everything.")
    for place in summary.faults:
        say(console, f"The grading itself failed on {place}; run the command again.")
    if seed in summary.seeds:
        apart = " --to ANOTHER_FOLDER" if folder else ""
        say(console, f"Numbers drawn with seed {seed}; --seed {seed}{apart} repeats this grading.")
    for sentence in summary.unconfined:
        say(console, f"Not confined on this machine: {sentence}")
    try:
        if json_file:
            text = as_json(book.records(), summary.unconfined, remarks)
            sys.stdout.writelines(text) if json_file == STDOUT else write(json_file, text)
        if folder and book.store and not left:
            book.store.spend({seed, *summary.seeds})
            written = write_views(book, folder, views, remarks)
            say_the_rest(book, console)
            say(console, f"Written: {', '.join(map(str, written)) or 'nothing'}.")
    except OSError as error:
        rest = f" The files in {folder} are as they were before." if folder and not left else ""
        why = error.strerror or error
        raise Refused(f"{error.filename or folder} cannot be written: {why}.{rest}") from None


def say_the_rest(book: Gradebook, console: Console) -> None:
    """Say who else is in the grades besides those graded now."""
    everybody = {student for _, student in book.places()} - {NOBODY}
    if earlier := len(everybody - {item.student for item in book.handed_in}):
        were = "was" if earlier == 1 else "were"
        say(console, f"The grades also hold {number_of(earlier, 'student')} who {were} graded earlier.")
    if missing := book.missing():
        shown = ", ".join(missing[:MOST_ROWS]) + (", …" if len(missing) > MOST_ROWS else "")
        say(console, f"On the class list, but handed nothing in: {shown}. They get 0 points.")


def again_sentence(folder: Path | None) -> str:
    """What to do after a Ctrl-C."""
    return "run the same command again to continue." if folder else "nothing was kept."


def say(console: Console, sentence: str, style: str = "") -> None:
    """Print a sentence; a file name in it shows no control characters."""
    console.print(plain(sentence, LONGEST), style=style)


def is_notebook(path: Path, files: list[Path]) -> bool:
    """True if `path` leads to a notebook, under whatever name."""
    if any(item.suffix.lower() == ".ipynb" for item in (path, path.resolve())):
        return True
    return path.exists() and any(file.exists() and file.samefile(path) for file in files)
