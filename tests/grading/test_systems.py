"""What each system says: whose it is, when it came, and where the marks go; and that nobody brings a time along."""

import ast
import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from layouts import CLASSES, FORMS, GRADESCOPE, NAME, as_folder, as_zip, owned, said, strays, students
from submissions import CHAPTER, graded_record, only, run_marks, solution
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.cli.instructor import marks as marks_command
from minigrad_course.grading import lms as systems
from minigrad_course.grading.book import coursefile
from minigrad_course.grading.book.gradebook import Ruling
from minigrad_course.grading.collect.intake import handed_in
from minigrad_course.grading.lms import SYSTEMS, brightspace, roster
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.lms.roster import BadRoster, Roster
from minigrad_course.grading.people.names import UNKNOWN, When
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records.record import Course
from minigrad_course.grading.report import pages

BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
EARLY = "2026-01-01 00:00:00.000000 UTC"
TRUE = datetime(2026, 11, 20, 12, tzinfo=UTC)
FULL = sum(map(CHAPTER.points, CHAPTER.checks))


def whens(path):
    return {each.student: each.when for each in handed_in([path]).found if said(each) is None}


def old_zip(members, at=(2026, 1, 1, 0, 0, 0)):
    """A zip whose members say that they are old."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, at), content)
    return file.getvalue()


# --- nobody brings a time along ------------------------------------------------------------------

LISTED = f"submission_9:\n  :created_at: {EARLY}\n  :submitters:\n  - :name: mallory\n"
MOODLE = "{}_17_assignsubmission_file_"
# where mallory's work lies, where that of two others lies beside it, and what is planted
PLANTED = {
    "a plain folder": (f"mallory/{NAME}.ipynb", "{}/x.ipynb", ["mallory/timestamp.txt"]),
    "as nbgrader has it": (f"mallory/{NAME}/{NAME}.ipynb", "{}/x.ipynb", [f"mallory/{NAME}/timestamp.txt"]),
    "deeper": ("mallory/a/b/x.ipynb", "{}/x.ipynb", ["mallory/a/b/timestamp.txt", "mallory/a/timestamp.txt"]),
    "a wrapper": ("all/mallory/x.ipynb", "all/{}/x.ipynb", ["all/mallory/timestamp.txt"]),
    "a week": (f"week1/mallory/{NAME}/x.ipynb", "week1/{}/x.ipynb", [f"week1/mallory/{NAME}/timestamp.txt"]),
    "Moodle": (
        f"{MOODLE.format('mallory')}/x.ipynb",
        f"{MOODLE}/x.ipynb",
        [f"{MOODLE.format('mallory')}/timestamp.txt"],
    ),
    "Gradescope's list": ("mallory/submission_9/x.ipynb", "{}/x.ipynb", ["mallory/submission_metadata.yml"]),
    "Canvas's name": ("mallory/mallory_1_2_x.ipynb", "{}/x.ipynb", []),
    "Brightspace's name": ("mallory/1-2 - mallory - Jan 1, 2026 100 AM/x.ipynb", "{}/x.ipynb", []),
    "Blackboard's name": ("mallory/x_mallory_attempt_2026-01-01-00-00-00_x.ipynb", "{}/x.ipynb", []),
    "ILIAS's name": ("mallory/Abgaben/M_M_mallory_1/x.ipynb", "{}/x.ipynb", []),
    "GitHub Classroom's name": ("mallory/x-submissions/x-mallory/x.ipynb", "{}/x.ipynb", []),
    "a clone": (f"mallory/exercises/{NAME}.ipynb", "{}/x.ipynb", ["mallory/.git/HEAD"]),
    "many exercises": (
        f"mallory/{NAME}/{NAME}.ipynb",
        f"{{}}/{NAME}/x.ipynb",
        [f"mallory/{each}/timestamp.txt" for each in (NAME, "02_upstream_gradients", "a", "b", "c", "d")],
    ),
    "a file called as Canvas does": ("mallory_1_2_x.ipynb", "{}.ipynb", []),
    "as Blackboard does": ("x_mallory_attempt_2026-01-01-00-00-00_x.ipynb", "{}.ipynb", []),
    "as Brightspace does": ("1-2 - mallory - Jan 1, 2026 100 AM - x.ipynb", "{}.ipynb", []),
    "a folder called as Brightspace does": ("1-2 - mallory - Jan 1, 2026 100 AM/x.ipynb", "{}/x.ipynb", []),
}


def test_what_a_student_brings_along_says_nothing(tmp_path):
    texts, differs = {"submission_metadata.yml": LISTED, "timestamp.txt": EARLY, "HEAD": "ref"}, {}
    for count, (name, (work, others, planted)) in enumerate(PLANTED.items()):
        files = [(each, texts[each.rpartition("/")[2]]) for each in planted]
        places = [work, *(others.format(each) for each in ("ada", "bob")), *files]
        root = as_folder(tmp_path / str(count) / "hw", places)
        for path in root.rglob("*"):
            os.utime(path, (TRUE.timestamp(), TRUE.timestamp()))
        for named in ([root], sorted(root.iterdir())):  # the class, and one by one
            found = [each.when for each in handed_in(named).found if said(each) is None]
            if found != [When(TRUE, source="the file's own time")] * 3:
                differs[name, len(named)] = found
    assert differs == {}


ZIPS = ("{}.zip", "{}/work.zip", f"{{}}/{NAME}/work.zip", MOODLE + "/work.zip", "{}_1_2_work.zip")


def test_nor_does_anything_in_a_zip_of_one_s_own(tmp_path):
    differs, now = {}, datetime.now().year
    for count, case in enumerate(product(ZIPS, (f"{NAME}/", "", "a/b/"), (EARLY, ""))):
        around, inside, stamp = case
        content = old_zip({f"{inside}{NAME}.ipynb": "x", f"{inside}timestamp.txt": stamp})
        named = [around.format(each).replace("_17_", f"_{at}_") for at, each in enumerate(("mallory", "bob"))]
        places = [(each, content) for each in named]
        root = as_folder(tmp_path / str(count) / "hw", places)
        for path in root.rglob("*.zip"):
            os.utime(path, (TRUE.timestamp(), TRUE.timestamp()))
        by_canvas = "_1_2_" in around
        wanted = When(TRUE, source="the file's own time")
        if by_canvas:
            wanted = When(late=False, source="Canvas's mark in the name")
        found = whens(root)["mallory"]
        outer = as_zip(tmp_path / str(count) / "all", places)
        # the time of the student's zip in the system's, not of what is in it
        if found != wanted or not (by_canvas or whens(outer)["mallory"].at.year >= now):
            differs[case] = found
    assert differs == {}


@pytest.mark.parametrize("name", ["Canvas", "Blackboard", "Brightspace", "Brightspace, flat"])
def test_what_is_named_one_by_one_has_the_times_of_its_system(tmp_path, name):
    root, places, _ = CLASSES[name]
    folder = as_folder(tmp_path / root, places)
    whole = {each.place: each.when for each in handed_in([folder]).found if said(each) is None}
    single = [path for path in sorted(folder.iterdir()) if path.suffix not in (".html", ".txt", ".zip")]
    found = {each.place: each.when for each in handed_in(single).found if said(each) is None}
    assert found == {place: when for place, when in whole.items() if place in found} and len(found) >= 2
    assert name.partition(",")[0] in " ".join({each.source for each in found.values()})


def test_a_late_mark_of_canvas_and_gradescope_s_time_stay_what_they_are(tmp_path):
    work = old_zip({f"{NAME}.ipynb": "x", "timestamp.txt": EARLY, "a_1_2_x.ipynb": "x"})
    taken = whens(as_folder(tmp_path / "canvas", [("mallory_LATE_1_2_work.zip", work), f"bob_3_4_{NAME}.ipynb"]))
    assert taken["mallory"] == When(late=True, source="Canvas's mark in the name")
    places = [
        ("submission_metadata.yml", GRADESCOPE),
        f"submission_11/deep/{NAME}.ipynb",
        ("submission_11/deep/timestamp.txt", EARLY),
        ("submission_11/timestamp.txt", EARLY),
        (f"submission_11/{NAME}/timestamp.txt", EARLY),
        f"submission_12/{NAME}.ipynb",
    ]
    taken = whens(as_folder(tmp_path / "assignment_1_export", places))
    assert taken["Ada Lovelace"] == When(datetime(2025, 10, 1, 12, tzinfo=UTC), source="Gradescope's file")


def nbgraders(*students, more=()):
    stamped = [
        each
        for student in students
        for each in (f"{student}/{NAME}/{NAME}.ipynb", (f"{student}/{NAME}/timestamp.txt", EARLY))
    ]
    return [*stamped, *more]


def test_nbgrader_s_file_is_believed_where_the_tree_is_nbgrader_s(tmp_path):
    january = When(datetime(2026, 1, 1, tzinfo=UTC), source="nbgrader's timestamp.txt")
    for form in FORMS.values():
        root = form(tmp_path / "class", nbgraders("ada", "bob", more=[f"cyd/{NAME}/{NAME}.ipynb"]))
        found = whens(root)
        assert found["ada"] == found["bob"] == january and "time" in found["cyd"].source
    alone = as_folder(tmp_path / "plain" / "submitted", nbgraders("ada"))
    assert whens(alone)["ada"].source == whens(alone / "ada")["ada"].source == "the file's own time"
    alone = as_folder(tmp_path / "course" / "submitted", nbgraders("ada"))
    (tmp_path / "course" / "nbgrader_config.py").touch()
    assert whens(alone)["ada"] == whens(alone / "ada")["ada"] == whens(tmp_path / "course")["ada"] == january


def test_a_file_of_nbgrader_s_that_says_nothing_is_no_way_out(tmp_path):
    root = as_folder(tmp_path / "class", nbgraders("ada", "bob", "cyd"))
    for stamp in ("", "yesterday", "2026-11-04 15:58:23", "x" * 10_000):
        (root / "ada" / NAME / "timestamp.txt").write_text(stamp)
        found = whens(root)["ada"]
        assert found.source == "the file's own time" and found.at, stamp


def test_clones_that_an_instructor_made_have_no_time(tmp_path):
    root = as_folder(
        tmp_path / "class",
        [each for who in ("ada", "bob") for each in (f"{who}/exercises/{NAME}.ipynb", f"{who}/.git/HEAD")],
    )
    assert set(whens(root).values()) == {UNKNOWN}


# --- whose it is, and when -----------------------------------------------------------------------

TIMES = {
    "Brightspace": {datetime(2026, 11, 27, 21, 5), datetime(2026, 11, 28, 11, 5), datetime(2026, 11, 27, 11, 30)},
    "Brightspace, flat": {datetime(2026, 11, 27, 21, 5), datetime(2026, 11, 27, 11, 30)},
    "Blackboard": {datetime(2026, 11, 27, 21, 5, 11), datetime(2026, 11, 28, 9)},
}


@BOTH
@pytest.mark.parametrize("name", TIMES)
def test_names_say_when(tmp_path, form, name):
    root, places, _ = CLASSES[name]
    found = handed_in([form(tmp_path / root, places)]).found
    assert {each.when.at for each in found} == TIMES[name]
    assert {each.when.source for each in found} == {name.partition(",")[0]}


@BOTH
def test_ilias_marks_what_was_late(tmp_path, form):
    root, places, _ = CLASSES["ILIAS"]
    found = whens(form(tmp_path / root, places))
    assert {who: each.late for who, each in found.items()} == {"Mira Okafor": False, "Bo Li": True}


PEOPLE = Roster(
    (
        Person("1", "Mira Okafor", "mira@x.edu", "Mira Okafor", ("mokafor",), last_first="Okafor, Mira"),
        Person("2", "Bo Li", "bo@x.edu", "Bo Li", ("bli99",), last_first="Li, Bo"),
        Person("3", "Jörg Groß", "jg@x.edu", "Jörg Groß", (), last_first="Groß, Jörg"),
    )
)
ON_THE_LIST = {
    "Brightspace": [f"9-1 - {each} - Nov 27, 2026 905 PM/x.ipynb" for each in ("Mira Okafor", "Bo Li", "Jörg Groß")],
    "Blackboard": [f"Ex_1_{each}_attempt_2026-11-27-21-05-11_x.ipynb" for each in ("mokafor", "bli99", "jg")],
    "ILIAS": [f"Abgaben/{each}/x.ipynb" for each in ("Okafor_Mira_mokafor_7", "Li_Bo_blx_8", "Gross_Joerg_gross1_9")],
    "one that nobody knows": [f"sub~{each}~final.ipynb" for each in ("Okafor, Mira", "bli99 2", "Jörg Groß")],
    "and its folders": [f"2026 {each} #4/x.ipynb" for each in ("mokafor", "bo@x.edu", "groß jörg")],
}


@BOTH
@pytest.mark.parametrize("places", ON_THE_LIST.values(), ids=ON_THE_LIST)
def test_whoever_is_on_the_list_is_found(tmp_path, form, places):
    taken = handed_in([form(tmp_path / "export", places)], PEOPLE)
    assert students(taken) == ["Bo Li", "Jörg Groß", "Mira Okafor"] and not strays(taken)
    by_guess = places[0].startswith(("sub~", "2026"))
    assert len(taken.remarks) == by_guess and all("by what stands in the names" in each for each in taken.remarks)


def test_a_name_with_two_people_in_it_is_nobody_s(tmp_path):
    taken = handed_in([as_folder(tmp_path / "export", ["x-Mira Okafor-Bo Li.ipynb", "x-Jörg Groß-1.ipynb"])], PEOPLE)
    assert students(taken) == ["Jörg Groß"]
    assert strays(taken) == {
        "x-Mira Okafor-Bo Li.ipynb": "it belongs to nobody: x-Mira Okafor-Bo Li could be Mira Okafor or Bo Li."
    }


@BOTH
@pytest.mark.parametrize(
    "places", [["Ann.ipynb", "Ben.ipynb", "Cy.ipynb"], [f"{each}_71_2_x.ipynb" for each in ("Ann", "Ben", "Cy")]]
)
def test_a_list_that_fits_nothing_is_said_with_an_example(tmp_path, form, places):
    taken = handed_in([form(tmp_path / "export", places)], PEOPLE)
    (row,) = taken.found
    assert said(row) == "it belongs to nobody: none of the 3 names in it is on the roster, for example Ann."
    (row,) = handed_in([form(tmp_path / "one", places[:1])], PEOPLE).found
    assert said(row) == "it belongs to nobody: the name in it, Ann, is not on the roster."


def test_a_person_stays_the_same_from_week_to_week(tmp_path):
    for week, folder in enumerate(("Nov 27, 2026 905 PM", "Dec 4, 2026 1200 PM"), start=1):
        places = [f"9-{week} - Mira Okafor - {folder}/x.ipynb", f"8-{week} - Bo Li - {folder}/x.ipynb"]
        assert students(handed_in([as_folder(tmp_path / f"week{week}", places)])) == ["Bo Li", "Mira Okafor"]


def test_what_a_student_calls_a_file_is_not_what_blackboard_says(tmp_path):
    name = "Ex 1_mallory_attempt_2026-11-27-21-05-11_z_victim_attempt_2026-01-01-00-00-00_x.ipynb"
    taken = handed_in([as_folder(tmp_path / "week1", [name, "Ex 1_victim_attempt_2026-11-27-20-00-00_x.ipynb"])])
    assert owned(taken)["mallory"] == [name] and len(owned(taken)["victim"]) == 1
    assert {each.when.at.month for each in taken.found} == {11}


def test_whoever_sends_only_a_text_to_blackboard_has_a_row(tmp_path):
    root, places, _ = CLASSES["Blackboard"]
    only = ("Exercise 1_cyd_attempt_2026-11-28-10-00-00.txt", "Name: Cyd (cyd)\n")
    taken = handed_in([as_folder(tmp_path / root, [*places, only])])
    assert students(taken) == ["Bo Li", "Cyd", "Mira Okafor"] and len(taken.found) == 3
    assert said(next(each for each in taken.found if each.student == "Cyd")).startswith(
        "this is a text, not a notebook"
    )


def test_brightspace_s_times():
    times = {
        "Nov 27, 2026 905 PM": datetime(2026, 11, 27, 21, 5),
        "November 7, 2026 12:05 AM": datetime(2026, 11, 7, 0, 5),
        "27 November, 2026 2105": datetime(2026, 11, 27, 21, 5),
        "27 novembre 2026 2105": None,
        "Nov 31, 2026 905 PM": None,
    }
    assert {text: brightspace.from_brightspace(text) for text in times} == times


def test_a_time_that_cannot_be_read_is_said_to_be_so(tmp_path):
    found = whens(
        as_folder(
            tmp_path / "hw",
            [f"{at}-1 - {each} - 27 novembre 2026 2105/x.ipynb" for at, each in enumerate(("Ada", "Bo"))],
        )
    )
    assert found["Ada"].sentence == "Brightspace has no time that can be read."


# --- lists ---------------------------------------------------------------------------------------


def listed(tmp_path, text):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    return roster.read(path)


GERMAN = (
    "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
    "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar\r\n"
    'Teilnehmer/in8101,Ada Lovelace,ada@x.org,Zur Bewertung,,"50,00",Ja,"Montag, 2. November 2026, 15:58",-,\r\n'
    'Teilnehmer/in8102,Zoë Neil,zoe@x.org,,"8,50","50,00",Ja,-,"Montag, 2. November 2026, 15:58",\r\n'
    'Teilnehmer/in8103,Stranger,s@x.org,,"7,50","50,00",Ja,-,-,\r\n'
)
FRENCH = re.sub("Teilnehmer/in", "Participant·e ", GERMAN).replace(
    GERMAN.partition("\r\n")[0], "Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,A,B,C,D"
)


def test_moodle_s_worksheet_is_a_list_in_any_language(tmp_path):
    for text in (GERMAN, FRENCH):
        people = listed(tmp_path, text).people
        assert [(each.name, each.email, each.participant, each.id) for each in people] == [
            ("Ada Lovelace", "ada@x.org", "8101", ""),
            ("Zoë Neil", "zoe@x.org", "8102", ""),
            ("Stranger", "s@x.org", "8103", ""),
        ]


def test_an_ordinary_list_is_not_taken_for_a_worksheet(tmp_path):
    (ada, _) = listed(tmp_path, "id,name,email,group\nstudent1,Ada,a@x.org,7\nstudent2,Bo,b@x.org,7\n").people
    assert (ada.id, ada.name, ada.participant) == ("student1", "Ada", "")


ROLES = (
    "First Name,Last Name,SID,Email,Role,Sections\nAda,L,1,a@x.edu,Student,\nGrace,H,2,g@x.edu,Instructor,\n"
    "Tim,T,3,t@x.edu,TA,\n"
)


def test_whoever_has_another_role_than_a_student_s_is_no_student(tmp_path):
    found = listed(tmp_path, ROLES)
    assert [each.student for each in found.people] == ["Ada L"] and found.left_out == ("Grace H", "Tim T")
    both = listed(tmp_path, "name,role\nAda,\nBo,Student; Teaching Assistant\nCyd,Something\nDan,Teaching Assistant\n")
    assert [each.student for each in both.people] == ["Ada", "Bo", "Cyd"]
    with pytest.raises(BadRoster, match="everybody's role is another than a student's"):
        listed(tmp_path, "name,role\nGrace,Teacher\n")


@pytest.mark.usefixtures("in_this_process")
def test_the_grading_says_who_is_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class.csv").write_text(ROLES)
    as_folder(tmp_path / "in", ["a@x.edu.ipynb"])  # which no one can open: nothing is to be judged for that
    result = CliRunner().invoke(app, ["grade", "in", "--roster", "class.csv"], env={"COLUMNS": "200"})
    assert result.exit_code == 1 and "so left out: Grace H, Tim T." in result.output
    assert "Grace" not in (tmp_path / "grades" / "grades.csv").read_text(encoding="utf-8-sig")


def test_github_classroom_s_identifier_counts(tmp_path):
    text = (
        '"identifier","github_username","github_id","name"\n"mira@x.edu","mokafor","1",""\n"s2","","",""\n'
        '"li 3","bli","7","Bo"\n'
    )
    people = listed(tmp_path, text).people
    assert [(each.id, each.student, each.participant) for each in people] == [
        ("mira@x.edu", "mira@x.edu", ""),
        ("s2", "s2", ""),
        ("li 3", "Bo", ""),
    ]
    taken = handed_in(
        [as_folder(tmp_path / "hw-submissions", ["hw-mokafor/x.ipynb", "hw-bli/x.ipynb"])], Roster(people)
    )
    assert students(taken) == ["Bo", "mira@x.edu"]


# --- the page says it ----------------------------------------------------------------------------


@pytest.mark.usefixtures("in_this_process")
def test_both_pages_say_when_and_who_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.dumps(only(solution(), "mul"))
    places = [
        (f"9-1 - Mira Okafor - Nov 27, 2026 905 PM/{NAME}.ipynb", notebook),
        (f"8-1 - Bo Li - 27 novembre 2026 2105/{NAME}.ipynb", notebook),
    ]
    as_folder(tmp_path / "week1", places)
    as_folder(tmp_path / "week2", [(f"bob_LATE_1_2_{NAME}.ipynb", notebook)])
    as_folder(tmp_path / "week3", [("ada.ipynb", notebook), ("cyd.ipynb", b"no")])
    (tmp_path / "course.toml").write_text('timezone = "UTC"\n')
    result = CliRunner().invoke(
        app, ["grade", "week1", "week2", "week3", "--course", "course.toml"], env={"COLUMNS": "200"}
    )
    assert result.exit_code == 1, result.output
    whole = (tmp_path / "grades" / "class.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr><td><a [^>]*>([^<]*)</a></td><td>1</td><td>([^<]*)</td><td>([^<]*)</td></tr>", whole)
    now = datetime.now().year
    assert ("Mira Okafor", "2026-11-27 21:05 UTC", "Brightspace") in rows and (
        "Bo Li",
        "time not known",
        "Brightspace",
    ) in rows
    assert ("bob", "late", "Canvas&#39;s mark in the name") in rows and len(rows) == 5
    assert "Brightspace, 2 files" in whole and "Who says so: " in whole and "may be that of a download" in whole
    for student, sentence in {
        "Mira Okafor": "Handed in 2026-11-27 21:05 UTC, by Brightspace.",
        "Bo Li": "Brightspace has no time that can be read.",
        "bob": "Handed in late, by Canvas&#39;s mark in the name, which has no time.",
        "ada": f"Handed in {now}",
    }.items():
        (page,) = (tmp_path / "grades" / "students").glob(f"{pages.file_name(student)}")
        assert sentence in page.read_text(encoding="utf-8")


def test_a_penalty_says_who_dated_it_and_so_does_none(tmp_path):
    rules = Course(exercises={NAME: coursefile.Assigned(deadline=TRUE)}, per_day=10)
    for when, points in ((When(TRUE + timedelta(days=1), source="Brightspace"), FULL * 0.9), (UNKNOWN, FULL)):
        (made,) = Ruling.on(rules, "ada").records([graded_record("in/x", seed=5)], [when], [NAME])
        assert made.when == when and made.points == round(points, 2) and len(made.said) == 1
        assert made.when.sentence in pages.student_page("ada", [made])


# --- marks ---------------------------------------------------------------------------------------


TITLE = "01 Scalar Backward"
EXPORT = (
    f"OrgDefinedId,Username,Last Name,First Name,Essay Points Grade <Numeric MaxPoints:90>,"
    f"{TITLE} Points Grade <Numeric MaxPoints:7.5 Weight:10 Category:Homework>,Calculated Final Grade Numerator,"
    "End-of-Line Indicator\r\n#0042,#mokafor,Okafor,Mira,1,,0,#\r\n#0043,#bli,Li,Bo,,3,0,#\r\n"
    "#0044,#cyd,Cyd,Cyd,,,0,#\r\n"
)


def read_by_brightspace(path):
    """What D2L's import makes of a file: the points of one grade item by the username."""
    head, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    assert head[0] == "OrgDefinedId" and head[1] == "Username" and head[-1] == "End-of-Line Indicator"
    (item,) = head[2:-1]
    assert re.match(r".+ Points Grade\b", item) and {row[-1] for row in rows} == {"#"}
    return {row[1].lstrip("#"): float(row[2]) for row in rows}


def test_brightspace_s_grades_come_back_as_its_import_reads_them(grades, tmp_path):
    folder = grades({"Mira Okafor": "in/m.ipynb", "Bo Li": "in/b.ipynb"})
    for text in (EXPORT, EXPORT.replace(",End-of-Line Indicator", "").replace(",#\r", "\r")):
        (tmp_path / "export.csv").write_text(text)
        status, said = run_marks("brightspace", "export.csv")
        assert status == 0 and "Cyd Cyd has no grade here." in said
        assert read_by_brightspace(folder / "brightspace" / "export.csv") == {"mokafor": 7.5, "bli": 7.5}
    (tmp_path / "export.csv").write_text(EXPORT.replace(TITLE, "Homework"))
    assert run_marks("brightspace", "export.csv", "--column", "homework")[0] == 0
    status, said = run_marks("brightspace", "export.csv")
    assert status == 2 and "'Essay Points Grade <Numeric MaxPoints:90>'" in said
    (tmp_path / "bad.csv").write_text("Email,x\r\na@x.edu,\r\n")
    assert "has no column OrgDefinedId or Username" in run_marks("brightspace", "bad.csv")[1]


CENTER = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"\t'
    f'"{TITLE} [Total Pts: 8 Score] |901"\t"Essay [Total Pts: 90 Score] |902"\r\n'
    '"Okafor"\t"M."\t"mokafor"\t""\t"x"\t"Yes"\t""\t"5"\r\n"Li"\t"Bo"\t"bli"\t""\t"x"\t"Yes"\t"3"\t""\r\n"X"\t"Y"\t"xy"\t""\t""\t""\t""\t""\r\n'
)


@pytest.mark.parametrize(("encoding", "separator"), [("utf-16", "\t"), ("utf-8-sig", ","), ("utf-8", ",")])
def test_blackboard_s_grades_come_back_as_they_were_downloaded(grades, tmp_path, encoding, separator):
    folder = grades({"Mira Okafor": "in/m.ipynb", "Bo Li": "in/b.ipynb"}, known={"Blackboard mokafor": "Mira Okafor"})
    (tmp_path / "gc.xls").write_bytes(CENTER.replace("\t", separator).encode(encoding))
    status, said = run_marks("blackboard", "gc.xls")
    assert status == 0 and "Y X has no grade here." in said
    text = (folder / "blackboard" / "gc.xls").read_bytes().decode(encoding)
    head, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    assert head == ["Last Name", "First Name", "Username", "Student ID", f"{TITLE} [Total Pts: 8 Score] |901"]
    assert {row[2]: row[4] for row in rows} == {"mokafor": "8", "bli": "8"}
    assert run_marks("blackboard", "gc.xls", "--column", "902")[0] == 0
    (tmp_path / "gc.xls").write_text("Last Name,Student ID\nx,1\n")
    assert "has no column Username" in run_marks("blackboard", "gc.xls")[1]


@pytest.mark.parametrize("name", ["ilias", "nbgrader", "github_classroom"])
def test_where_no_way_back_is_documented_it_says_so(grades, name):
    grades({"Mira Okafor": "in/m.ipynb"})
    status, said = run_marks(name, "none.csv")
    assert status == 2 and "documents no file that takes marks: enter them there by hand, from grades.csv." in said


def test_moodle_s_rows_that_will_be_skipped_are_named_and_numbers_have_a_point(grades, tmp_path):
    places = {
        each: f"in/{each}_{at}_assignsubmission_file/{NAME}.ipynb"
        for each, at in (("Ada Lovelace", 8101), ("Zoë Neil", 8102))
    }
    folder = grades(places, passed=3)
    (tmp_path / "w.csv").write_text(GERMAN, encoding="utf-8")
    status, said = run_marks("moodle", "w.csv")
    assert status == 0, said
    rows = list(csv.reader(io.StringIO((folder / "moodle" / "w.csv").read_text(encoding="utf-8"), newline="")))
    mine = f"{round(sum(map(CHAPTER.points, CHAPTER.checks[:3])) / FULL * 50, 2):g}"
    assert [row[4] for row in rows[1:]] == [mine, mine, "7.5"] and [row[5] for row in rows[1:]] == ["50,00"] * 3
    assert (
        "Zoë Neil: there is a grade already, and Moodle, which cannot read when it was given (Montag, 2. November"
        in said
    )
    assert "Ada Lovelace: there is" not in said and "changed there after this worksheet was downloaded" in said
    (tmp_path / "w.csv").write_text(GERMAN.replace(",Ja,", ",Nein,", 1), encoding="utf-8")
    assert (
        "Ada Lovelace: Moodle says that the grade cannot be changed, and would skip it"
        in run_marks("moodle", "w.csv")[1]
    )
    (tmp_path / "w.csv").write_text("Identifier,Full name,Grade\r\nParticipant 8101,Ada Lovelace,\r\n")
    assert "has no column Last modified (grade)" in run_marks("moodle", "w.csv")[1]


def test_canvas_s_read_only_columns_and_excused_students_are_named(grades, tmp_path):
    folder = grades({"Mira Okafor": "in/m.ipynb", "Bo Li": "in/b.ipynb"})
    book = (
        f"Student,ID,SIS Login ID,Section,{TITLE} (91)\r\n,,,,Manual Posting\r\n    Points Possible,,,,%s\r\n"
        '"Okafor, Mira",501,m,A,EX\r\n"Li, Bo",502,b,A,\r\n"Student, Test",599,xyz,A,\r\n'
    )
    (tmp_path / "book.csv").write_text(book % "10.0")
    status, said = run_marks("canvas", "book.csv")
    assert status == 0 and "Mira Okafor: excused in Canvas, so left as it was." in said
    rows = list(csv.reader(io.StringIO((folder / "canvas" / "book.csv").read_text(), newline="")))
    assert all(row[-1] for row in rows) and rows[-1] == ["Li, Bo", "502", "b", "A", "10"]
    (tmp_path / "book.csv").write_text(book % "10.0 (read only)")
    status, said = run_marks("canvas", "book.csv")
    assert status == 2 and f"{TITLE} (91) is read only: Canvas would pass it over." in said


# --- adding one ----------------------------------------------------------------------------------


SECTION = (Path(__file__).parents[2] / "docs" / "maintaining" / "grader.md").read_text(encoding="utf-8")
SECTION = SECTION.split("\n## Adding a system\n")[1].split("\n## ")[0]
(CAMPUS,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
EXAMPLE = re.search(r"`([^`]*@[^`]*)/`", SECTION)[1]
OTHER = EXAMPLE.replace(EXAMPLE.partition("@")[0], "bli99")


GRADE = """
from campus import Campus
from minigrad_course.grading import lms
lms.SYSTEMS.append(Campus())  # the line that a new system gets
from minigrad_course.cli import app
for words in ("grade week1 --seed 5 --workers 1", "marks campus marks.csv"):
    app(words.split(), standalone_mode=False)
"""


def test_with_its_one_module_a_class_is_graded_from_its_download_to_its_marks(tmp_path):
    """In a process of its own, where the list of systems is what it would be if the line was there."""
    (tmp_path / "campus.py").write_text(CAMPUS, encoding="utf-8")
    works = {EXAMPLE: only(solution(), "mul"), OTHER: only(solution(), "pow", "div")}
    as_folder(tmp_path / "week1", [(f"{name}/{NAME}.ipynb", json.dumps(work)) for name, work in works.items()])
    (tmp_path / "marks.csv").write_text("Login,Mark\nmokafor,\nbli99,\nnobody,3\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", GRADE], cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"}
    )
    assert "mokafor" in done.stdout and "nobody has no grade here." in done.stdout, done.stdout + done.stderr
    assert "2026-11-27 21:05" in (tmp_path / "grades" / "class.html").read_text(encoding="utf-8")
    with (tmp_path / "grades" / "campus" / "marks.csv").open(newline="") as file:
        filled = {row["Login"]: row["Mark"] for row in csv.DictReader(file)}
    assert filled == {"mokafor": f"{10 / FULL:.2f}", "bli99": f"{30 / FULL:.2f}", "nobody": "3"}


def test_no_module_but_its_own_knows_a_system_by_name():
    own = {Path(sys.modules[type(each).__module__].__file__) for each in SYSTEMS}
    names, grading = {each.name for each in SYSTEMS}, Path(systems.__file__).parents[1]
    rooms = [grading / each for each in ("collect", "lms", "book", "report", "records", "people")]
    paths = [path for room in (*rooms, Path(marks_command.__file__).parent) for path in room.rglob("*.py")]
    known = []
    for path in sorted({*paths} - own - {Path(systems.__file__)}):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in names:
                known.append(f"{path.name}:{node.lineno} {node.value}")
            elif isinstance(node, ast.ImportFrom) and grading.joinpath(*str(node.module).split(".")[2:]) in {
                each.with_suffix("") for each in own
            }:
                known.append(f"{path.name}:{node.lineno} {node.module}")
    assert len(own) == len(SYSTEMS) and len(paths) > 30 and known == []


def test_every_system_says_what_its_formats_were_taken_from():
    for each in SYSTEMS:
        text = " ".join((type(each).__doc__ or "").split())
        assert re.search(r"\b(From|from|Names|as programs)\b", text) and len(text) > 80
        assert System in type(each).__mro__ and each.word.isidentifier()
        assert (each.mark is None) == (type(each).said is System.said)  # who makes names is found by them
    assert len({each.name for each in SYSTEMS}) == len(SYSTEMS)
