"""A grading from end to end, without the command around it: what is judged, kept and shown, and what is not."""

import functools

import pytest

from minigrad_course.grading import grade
from minigrad_course.grading.book import gradebook
from minigrad_course.grading.book.gradebook import Gradebook
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.grade import Alone
from minigrad_course.grading.records.record import NOBODY, HandedIn, Intake, Record, Settings
from minigrad_course.grading.report import files
from minigrad_course.parts import chapters
from minigrad_course.texts.submitted import Unreadable

SETTINGS = Settings(5)


def handed(**contents):
    return [
        HandedIn(f"in/{name}.ipynb", name, "", functools.partial(bytes, content, "utf-8"))
        for name, content in contents.items()
    ]


def unreadable(name):
    def read():
        raise Unreadable("it is a link.")

    return HandedIn(name, name, "", read)


@functools.cache
def alone():
    """Who judges, once for all tests: one that was closed can be used again."""
    return Alone(SETTINGS)


def judged(found, store, again=False, hire=alone):
    """Grade; the book, and what it heard of."""
    book, heard = Gradebook(found, SETTINGS, store), []
    grade.judge(book, lambda few: hire(), again, heard.append)
    return book, [record and record.place for record in heard]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "grades.sqlite") as store:
        yield store


def test_only_what_has_changed_is_judged_again(store):
    assert judged(handed(a="1", b="2"), store)[1] == ["in/a.ipynb", "in/b.ipynb"]
    book, heard = judged(handed(a="1", b="3"), store)
    assert heard == [None, "in/b.ipynb"] and book.unchanged == 1
    assert judged(handed(a="1", b="3"), store, again=True)[1] == ["in/a.ipynb", "in/b.ipynb"]
    assert [record.place for record in book.records()] == ["in/a.ipynb", "in/b.ipynb"]


@pytest.mark.parametrize("kept", [True, False])
def test_everybody_s_points_are_out_of_what_anybody_handed_in(kept, store):
    names = [each.name for each in chapters()[:3]]
    found = [
        HandedIn(f"in/{student}/{name}.ipynb", student, "", lambda: b"cut off")
        for student, name in zip(("ada", "bob", NOBODY), names, strict=True)
    ]
    store.take_in(Intake(found, True, [], {}, {}))
    book, _ = judged(found, store if kept else None)
    assert book.assigned == names[:2]  # nobody's work assigns nothing
    worth = [sum(map(each.points, each.checks)) for each in chapters()[:2]]
    whole = {student: [(each.missing, each.possible) for each in mine] for student, mine in book.students()}
    assert whole == {"ada": [(False, worth[0]), (True, worth[1])], "bob": [(False, worth[1]), (True, worth[0])]}
    assert [each.possible for each in book.alone(book.records())] == [*worth, 0]


def test_students_are_in_the_order_of_people_not_of_bytes():
    names = ["ada", "Ärik", "bob_2", "Bob_10", "Ines Müller", "Ørsted", "Zoë"]
    book, _ = judged([unreadable(name) for name in [NOBODY, *sorted(names)]], None)
    assert [student for student, _ in book.students()] == names
    assert [record.student for record in book.records_by_student()] == [*names, NOBODY]


def test_what_cannot_be_read_is_kept_and_costs_no_worker(store):
    found = [unreadable("link")]
    book, heard = judged(found, store, hire=pytest.fail)
    assert heard == ["link"] and book.record("link").error == "it is a link."
    assert judged(found, store, hire=pytest.fail)[1] == [None]


def test_a_record_of_what_has_changed_since_is_not_shown(store):
    """After a Ctrl-C the store still has the old one."""
    judged(handed(a="1", b="2"), store)

    def pressed(few):
        raise KeyboardInterrupt

    book = Gradebook(handed(a="1", b="3"), SETTINGS, store)
    with pytest.raises(KeyboardInterrupt):
        grade.judge(book, pressed, False, lambda record: None)
    assert [record.place for record in book.records()] == ["in/a.ipynb"]


def test_a_fault_of_ours_is_shown_and_never_kept(store):
    (only,) = handed(a="1")
    book = Gradebook([only], SETTINGS, store)
    book.keys[only.place] = "key", "content"
    book.keep(Record(only.place, "a", fault="ours"))
    assert book.record(only.place).fault == "ours" and store.record(only.place) is None
    assert judged([only], store)[1] == [only.place]  # the next run tries again


def test_a_view_is_written_as_a_whole_also_to_a_device(tmp_path):
    path = tmp_path / "x.csv"
    files.write(path, "a\r\n\ud800")
    assert path.read_bytes() == b"a\r\n\\ud800" and list(tmp_path.iterdir()) == [path]
    files.write(type(path)("/dev/null"), "x")


def test_the_views_that_are_asked_for_are_written_and_no_others(tmp_path):
    book, _ = judged(handed(a="1"), None)
    grade.write_views(book, tmp_path, ["csv", "junit"], [])
    assert sorted(path.name for path in tmp_path.iterdir()) == [grade.LOCK, "grades.csv", "junit.xml"]


def test_a_students_page_has_no_other_students_data(tmp_path):
    book, _ = judged(handed(ada="1", bob="2"), None)
    grade.write_views(book, tmp_path, ["html"], [])
    pages = {path.name.partition("-")[0]: path.read_text() for path in (tmp_path / "students").iterdir()}
    assert pages.keys() == {"ada", "bob"}
    assert "bob" not in pages["ada"] and "ada" not in pages["bob"]


def test_a_summary_counts_what_was_left_out_for_nothing():
    summary = gradebook.Summary()
    for record in (Record("a", "ada", skipped="lessons"), Record("b", "bob", error="unread")):
        summary.add(record)
    assert (summary.records, summary.skipped, summary.good, summary.status) == (2, 1, 0, 1)
    summary.add(Record("c", "eve", fault="ours"))
    assert summary.faults == ["c"] and summary.status == 3
