"""What counts: the rules of a course applied to records, and the file in which an instructor writes them."""

import textwrap
from datetime import UTC, datetime, timedelta

import pytest
from submissions import CHAPTER, graded_record
from typer.testing import CliRunner

from minigrad_course.cli import app, usage
from minigrad_course.grading.book import coursefile
from minigrad_course.grading.book.gradebook import Ruling
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.collect.trees import from_zip
from minigrad_course.grading.lms import gradescope, moodle, nbgrader
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import UNKNOWN, When
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records import standings
from minigrad_course.grading.records.record import BadCourse, Course, Record
from minigrad_course.grading.report import views

NAME, SECOND = CHAPTER.name, "02_upstream_gradients"
FULL = sum(map(CHAPTER.points, CHAPTER.checks))
DUE = datetime(2026, 11, 2, 12, tzinfo=UTC)
DEADLINE = "[exercises.01]\ndeadline = 2026-11-02T12:00:00Z\n"


def course(tmp_path, text):
    path = tmp_path / "course.toml"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return coursefile.read(path)


def test_the_rules_in_the_help_can_be_read(tmp_path):
    rules = course(tmp_path, usage.RULES)
    assert rules.attempts == "last" and rules.marks[0].student == "bob"
    shown = CliRunner().invoke(app, ["grade", "--help"], terminal_width=200).output
    assert textwrap.indent(usage.RULES, "  ") in shown


def ruled(rules, *records, when=UNKNOWN, person=None):
    whens = when if isinstance(when, list) else [when] * len(records)
    return Ruling.on(rules, "ada", person).records(list(records), whens, rules.exercises)


def late(rules, **after):
    """What one perfect submission is worth, handed in so long after the deadline, and what is said about it."""
    (made,) = ruled(rules, graded_record(), when=When(DUE + timedelta(**after), source="the test"))
    return made.points, " ".join(made.said)


# --- what is assigned ----------------------------------------------------------------------------


def test_without_rules_everything_counts_and_nothing_is_said():
    made = ruled(Course(), graded_record(), graded_record("in/2", exercise=SECOND))
    assert [(each.counts, each.said, each.points) for each in made] == [(True, (), FULL)] * 2


def test_points_are_out_of_what_was_assigned_also_for_who_handed_in_nothing():
    rules = Course().only([NAME, SECOND])
    (one, missing), both = ruled(rules, graded_record()), ruled(rules)
    assert one.counts and missing.missing and missing.exercise == SECOND and missing.points == 0
    assert [each.possible for each in both] == [FULL, rules.possible(SECOND)] == [one.possible, missing.possible]
    assert both[0].said == (f"{NAME}: not handed in.",)


def test_another_chapter_is_said_and_does_not_count():
    wrong, missing = ruled(Course().only([SECOND]), graded_record())
    assert not wrong.counts and wrong.said == (f"{NAME} is not assigned, so it does not count.",)
    assert missing.said == (f"{SECOND}: not handed in.",)
    assert [each.exercise for each in standings.counted([wrong, missing])] == [SECOND]


def test_what_could_not_be_read_was_handed_in_and_is_worth_nothing():
    broken = Record("in/1", "ada", NAME, error="no file")
    (made,) = ruled(Course().only([NAME]), broken)
    assert made.place and not made.is_judged and (made.points, made.possible) == (0, FULL)
    nameless = Record("in/1", "ada", error="no file")
    assert ruled(Course().only([NAME]), nameless) == [made]
    _, *missing = ruled(Course().only([NAME, SECOND]), nameless)
    whys = [f"{name}: nothing that could be graded was handed in." for name in (NAME, SECOND)]
    assert [each.said for each in missing] == [(why,) for why in whys]


def test_parts_left_out_are_worth_nothing_and_a_weight_is_in_the_total_alone(tmp_path):
    rules = course(tmp_path, '[exercises.1]\nweight = 2\nwithout = ["mul", "pow"]')
    (made,) = ruled(rules, graded_record())
    left = FULL - CHAPTER.points("mul") - CHAPTER.points("pow")
    assert (made.points, made.possible, made.weight) == (left, left, 2) and rules.possible(NAME) == 2 * left
    text = views.as_csv([("ada", [made])])
    assert text.splitlines()[1].startswith(f"ada,{2 * left},{2 * left},{left},") and ":mul" not in text


# --- attempts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "wanted"), [("best", "in/1"), ("last", "in/2")])
def test_which_attempt_counts_is_a_rule_and_is_said(tmp_path, word, wanted):
    hours = [When(DUE + timedelta(hours=hour), source="x") for hour in (1, 3, 2)]
    found = ruled(
        course(tmp_path, f'attempts = "{word}"'),
        graded_record("in/1"),
        graded_record("in/2", passed=1),
        graded_record("in/3", passed=2),
        when=hours,
    )
    assert [each.place for each in found if each.counts] == [wanted]
    for each in found:
        assert each.said == (
            (f"Counts: the {word} of 3 attempts.",)
            if each.counts
            else (f"Does not count: {wanted} does, the {word} of 3 attempts.",)
        )


def test_the_last_attempt_is_by_the_order_of_grading_where_a_time_is_unknown(tmp_path):
    rules = course(tmp_path, 'attempts = "last"')
    found = ruled(rules, graded_record("in/1"), graded_record("in/2", passed=1), when=[When(DUE, source="x"), UNKNOWN])
    assert [each.counts for each in found] == [False, True]
    assert found[1].said == ("Counts: the last of 2 attempts, in the order of grading, because a time is not known.",)


def test_the_best_attempt_is_so_with_its_penalty(tmp_path):
    rules = course(tmp_path, f"{DEADLINE}[late]\nper_day = 50")
    whens = [When(DUE + timedelta(days=1), source="x"), When(DUE, source="x")]
    assert [
        each.counts for each in ruled(rules, graded_record("in/1"), graded_record("in/2", passed=8), when=whens)
    ] == [False, True]


# --- late ----------------------------------------------------------------------------------------


def test_each_day_begun_costs_until_it_costs_no_more(tmp_path):
    rules = course(tmp_path, f"{DEADLINE}[late]\nper_day = 10\nat_most = 25\ngrace = 5")
    assert late(rules, minutes=-1) == (FULL, "") and late(rules, minutes=5) == (FULL, "")
    points, said = late(rules, minutes=6)
    assert points == round(FULL * 0.9, 2) and "Late by 1 day: " in said and "by the test, due 2026-11-02 12:00" in said
    assert late(rules, days=1)[0] == round(FULL * 0.9, 2) and late(rules, days=1, seconds=1)[0] == round(FULL * 0.8, 2)
    assert late(rules, days=300)[0] == round(FULL * 0.75, 2)


def test_an_extension_is_for_its_student_and_its_exercise(tmp_path):
    text = (
        f'{DEADLINE}[late]\nper_day = 10\n[[extensions]]\nstudent = "%s"\nexercise = %s\nuntil = 2026-11-04T12:00:00Z'
    )
    mine, elses = course(tmp_path, text % ("ADA", 1)), course(tmp_path, text % ("bob", 1))
    assert late(mine, days=2) == (FULL, "In time because of the extension until 2026-11-04 12:00 UTC.")
    assert late(mine, days=3)[0] == round(FULL * 0.9, 2) and late(elses, days=2)[0] == round(FULL * 0.8, 2)
    assert late(course(tmp_path, text % ("ada", 2)), days=2)[0] == round(FULL * 0.8, 2)


def test_an_unknown_time_is_a_line_and_never_a_penalty(tmp_path):
    rules = course(tmp_path, f"{DEADLINE}[late]\nper_day = 10")
    (made,) = ruled(rules, graded_record())
    assert made.points == FULL and made.said[0].startswith("No penalty, because nothing says when it was handed in;")


def test_canvas_s_mark_is_one_day_and_gives_way_to_an_extension(tmp_path):
    text = f"{DEADLINE}[late]\nper_day = 10\n"
    marked, unmarked = When(late=True, source="Canvas's mark"), When(late=False, source="Canvas's mark")
    (made,), (other,) = (
        ruled(course(tmp_path, text), graded_record(), when=marked),
        ruled(course(tmp_path, text), graded_record(), when=unmarked),
    )
    assert made.points == round(FULL * 0.9, 2) and made.said == (
        "Late by Canvas's mark, which has no time: one day, −10 %.",
    )
    assert (other.points, other.said) == (FULL, ())
    more = text + '[[extensions]]\nstudent = "ada"\nuntil = 2026-11-04'
    (made,) = ruled(course(tmp_path, more), graded_record(), when=marked)
    assert made.points == FULL and "says late, but not how late" in made.said[0]


def test_moodle_s_worksheet_says_when(tmp_path):
    rules = course(tmp_path, f'timezone = "UTC"\n{DEADLINE}[late]\nper_day = 10')
    ada = Person(name="Ada", student="Ada", participant="7", handed_in="Tuesday, 3 November 2026, 11:00 AM")
    mine = graded_record("in/Ada_7_assignsubmission_file/a.ipynb")
    (made,) = ruled(rules, mine, when=When(DUE, source="the file's own time"), person=ada)
    assert made.points == round(FULL * 0.9, 2) and "by Moodle's worksheet" in made.said[0]
    (other,) = ruled(
        rules, graded_record("in/Ada_8_assignsubmission_file/a.ipynb"), when=When(DUE, source="x"), person=ada
    )
    assert other.points == FULL


# --- by hand -------------------------------------------------------------------------------------

HAND = '[[marks]]\nstudent = "ada"\npart = "mul"\npoints = 0.5\ncomment = "Half of it."\n'


def test_points_and_comments_by_hand_are_marked_everywhere(tmp_path):
    rules = course(tmp_path, HAND + '[[marks]]\nstudent = "ada"\nexercise = 1\ncomment = "Well done."')
    (made,) = ruled(rules, graded_record())
    part = next(each for each in made.parts if each.part == "mul")
    assert (part.points, part.judged, part.comment) == (0.5, 1, "Half of it.") and made.points == FULL - 0.5
    assert "Well done." in made.said
    text, data = views.as_csv([("ada", [made])]), views.student_data("ada", [made])
    assert "mul: 0.5 of 1 by hand instead of 1: Half of it." in text and f"ada,{FULL - 0.5},{FULL}," in text
    found = next(each for each in data["exercises"][0]["parts"] if each["part"] == "mul")
    assert found["by_hand"] and (found["points"], found["judged"], found["comment"]) == (0.5, 1, "Half of it.")


def test_a_mark_by_hand_counts_without_a_submission_and_is_nobody_else_s(tmp_path):
    rules = course(tmp_path, "[exercises.1]\n" + HAND)
    (missing,) = ruled(rules)
    assert missing.points == 0.5 and missing.missing
    assert Ruling.on(rules, "bob").records([graded_record()], [UNKNOWN], ())[0].points == FULL


# --- the file ------------------------------------------------------------------------------------

EVERYTHING = """
    attempts = "last"
    timezone = "Europe/Berlin"
    late = { per_day = 10, at_most = 50, grace = 10 }
    [exercises.01]
    weight = 1.5
    deadline = 2026-11-02
    without = ["pow"]
    [exercises."02_upstream_gradients"]
    deadline = 2026-11-09 18:00:00
    [[extensions]]
    student = "ada"
    exercise = "01"
    until = 2026-11-04 18:00:00+01:00
    [[marks]]
    student = 4711
    part = "mul"
    points = 1
"""


def test_the_rules_survive_the_store(tmp_path):
    rules = course(tmp_path, EVERYTHING)
    assert Course.of(rules.data()) == rules and rules.marks[0].student == "4711"
    assert rules.exercises[NAME].deadline == datetime(2026, 11, 2, 23, 59, 59)
    with Store(tmp_path / "grades.sqlite") as store:
        assert store.course == Course()
        store.course = rules
    with Store(tmp_path / "grades.sqlite") as store:
        assert store.course == rules


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("attempts = 'first'", 'line 1, attempts: \'first\' is no rule; write "best" or "last".'),
        ("\nlate_penalty = 10", "line 2, late_penalty: nothing is called so here; there are attempts, timezone, late,"),
        ("[late]\nper_dya = 10", "line 2, late.per_dya: nothing is called so here; did you mean per_day?"),
        ("[late]\nper_day = 110", "line 2, late.per_day: 110 is not a number from 0 to 100 (percent for each day)."),
        ("[late]\nper_day = true", "True is not a number"),
        ("late = 5", "line 1, late: 5 is not what belongs here; write a table with per_day, at_most, grace."),
        ("timezone = 'Berlin'", "line 1, timezone: 'Berlin' is not known here; write a name such as"),
        ("timezone = '../etc/passwd'", "is not known here"),
        ("[exercises.1]\n[exercises.01]", "01_scalar_backward is there twice; keep one."),
        ("[exercises.77]", "line 1, exercises.77: '77' is no exercise; "),
        ("[exercises.scalar_backwards]", "did you mean 01_scalar_backward?"),
        (
            "[exercises.1]\ndeadline = '2.11.2026'",
            "line 2, exercises.1.deadline: '2.11.2026' is no date; write 2026-11-02",
        ),
        ("[exercises.1]\ndeadline = 18:00:00", "'18:00:00' is no date"),
        (
            "[exercises.1]\nwithout = ['mull']",
            "line 2, exercises.1.without: 'mull' is no part of 01_scalar_backward; did you mean mul?",
        ),
        ("[exercises.1]\nwithout = 'mul'", 'write a list such as ["mul", "pow"].'),
        (f"[exercises.1]\nwithout = {CHAPTER.checks}", "nothing is left of 01_scalar_backward; leave its table out"),
        ("[[extensions]]\nstudent = 'a'", "line 1, extensions.1: until is missing; add it."),
        (
            "[[marks]]\nstudent = 'a'\npart = 'mul'\npoints = 1\n\n[[marks]]\nstudent = 'a'\npart = 'mul'\npoints = 9",
            "line 9, marks.2.points: 9 is not a number from 0 to 1 (points of mul).",
        ),
        ("[[marks]]\nstudent = 'a'\npart = 'mul'", "it gives nothing; add points, a comment, or both."),
        ("[[marks]]\nstudent = 'a'\nexercise = 1\npoints = 3", "points belong to a part; add part."),
        ("[[marks]]\nstudent = 'a'\ncomment = 'x'", "nothing says what it is about; add exercise or part."),
        (
            "[[marks]]\nstudent = 'a'\nexercise = 2\npart = 'mul'\npoints = 1",
            "'mul' is no part of 02_upstream_gradients",
        ),
        ("[marks]\nstudent = 'a'", "write tables, each below a line [[marks]]."),
        ("a = [", "is not TOML: "),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(tmp_path, text, sentence):
    with pytest.raises(BadCourse) as error:
        course(tmp_path, text)
    assert sentence in str(error.value) and str(error.value).startswith(str(tmp_path / "course.toml"))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * 2_000_000, None])
def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path, content):
    path = tmp_path / "course.toml"
    if content:
        path.write_bytes(content)
    with pytest.raises(BadCourse, match=r"UTF-8|larger than 1 MB|cannot be read|There is no file"):
        coursefile.read(path)


def test_students_are_those_of_the_class(tmp_path):
    text = '[[marks]]\nstudent = "%s"\nexercise = 1\ncomment = "x"'
    wei, other = Person("s1", "Wei Wang", "w@x.org", "Wei Wang (s1)"), Person("s2", "Wei Wang", "", "Wei Wang (s2)")
    people = Roster((wei, other, Person("s3", "Ada Lovelace", "", "Ada Lovelace")))

    def meant(name, roster=people, students=()):
        return coursefile.with_people(course(tmp_path, text % name), "c", roster, students).people()

    assert meant("S2") == ["Wei Wang (s2)"] and meant("w@x.org") == ["Wei Wang (s1)"]
    assert meant("lovelace ada") == ["Ada Lovelace"] and meant("ADA", None, ["ada", ""]) == ["ada"]
    with pytest.raises(BadCourse, match=r"'Wei Wang' may be Wei Wang \(s1\) and Wei Wang \(s2\); write the id"):
        meant("Wei Wang")
    with pytest.raises(BadCourse, match=r"nobody in the class is 'Ada Lovelase'; did you mean Ada Lovelace\?"):
        meant("Ada Lovelase")


def test_exercises_are_meant_by_number_or_name():
    assert coursefile.exercises_meant(["01", "1", NAME, "scalar_backward", f"{NAME}.ipynb", "2"]) == [NAME, SECOND]
    with pytest.raises(BadCourse, match=r"--exercise 9999: no exercise; there are 01_"):
        coursefile.exercises_meant(["9999"])


# --- when it was handed in -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (moodle.from_moodle, "-"),
        (moodle.from_moodle, "31 February 2026, 3:00"),
        (moodle.from_moodle, "Montag, 2. November 2026, 15:58"),
        (gradescope.from_gradescope, "yesterday"),
        (lambda text: nbgrader.from_nbgrader(text.encode()), "2026-11-04 15:58:23 Nowhere/Land"),
        (lambda text: nbgrader.from_nbgrader(text.encode()), "\0 \0 \0"),
    ],
)
def test_what_is_no_time_is_unknown(read, text):
    assert read(text) is None


def test_moodle_s_times_are_those_of_a_clock_with_twelve_hours_or_more():
    wanted = datetime(2026, 11, 2, 15, 58)
    assert {moodle.from_moodle(f"Monday, 2 November 2026, {each}") for each in ("3:58 PM", "15:58")} == {wanted}
    assert moodle.from_moodle("2 November 2026, 12:01 AM").hour == 0 and from_zip((1980, 1, 1, 0, 0, 0)) is None
