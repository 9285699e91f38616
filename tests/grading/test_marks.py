"""Where marks go: every file is read back by the rules of the system that it is for."""

import csv
import io
import json
import re
import zipfile

import pytest
from submissions import CHAPTER, graded_record, run_marks

from minigrad_course.grading.book import coursefile
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.lms import marks, roster, sheets
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records.record import BadCourse, Course, Mark, Record
from minigrad_course.grading.records.standings import ALL, Standing

NAME = CHAPTER.name
FULL = sum(map(CHAPTER.points, CHAPTER.checks))
WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
    'Last modified (grade),Feedback comments\r\n"Participant 11",Ada Lovelace,ada@x.org,Submitted,,50.00,Yes,'
    '"Monday, 2 November 2026, 3:58 PM",-,kept\r\n"Participant 12","O_Neil, Zoë",zoe@x.org,,7,50.00,Yes,-,-,\r\n'
    "Participant 13,Eve,eve@x.org,,3,50.00,No,-,-,\r\nParticipant 14,Stranger,s@x.org,,9,50.00,Yes,-,-,\r\n"
)
GRADEBOOK = (
    "Student,ID,SIS Login ID,Section,Essay (90),01 Scalar Backward (91),Final Score\r\n"
    "    Points Possible,,,,20.0,10.0,(read only)\r\n"
    '"Lovelace, Ada",501,adal,A,18,,77\r\n"Neil, Zoë",502,zoe,A,,3,\r\n"Student, Test",599,xyz,A,,,\r\n'
)


def table(path):
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


# --- Moodle --------------------------------------------------------------------------------------

MOODLE = {
    "Ada Lovelace": f"in/Ada Lovelace_11_assignsubmission_file/{NAME}.ipynb",
    "Zoë O_Neil": f"in/Zoë O_Neil_12_assignsubmission_file/{NAME}.ipynb",
    "Bob": f"in/Bob_15_assignsubmission_file/{NAME}.ipynb",
}


def moodle_s_owner(member):
    """What Moodle makes of a member of the zip: the participant's number, the plugin, and the file's name."""
    steps = member.split("/")
    while steps:
        pieces = steps.pop(0).split("_", 4)
        if len(pieces) >= 4 and pieces[1].isdecimal():
            return int(pieces[1]), pieces[2], pieces[3], "/".join([*pieces[4:], *steps])
    return None


@pytest.mark.parametrize("marked", [False, True])
def test_moodle_s_worksheet_comes_back_with_grades_out_of_its_maximum(grades, tmp_path, marked):
    rules = Course(marks=(Mark("Ada Lovelace", NAME, "mul", 0, "Why <this>?"),))
    folder = grades(MOODLE, course=rules)
    sheet = tmp_path / "Grades-CS101.csv"
    sheet.write_bytes(WORKSHEET.encode("utf-8-sig" if marked else "utf-8"))
    status, text = run_marks("moodle", sheet)
    assert status == 0 and sheet.read_bytes().decode("utf-8-sig") == WORKSHEET
    written = folder / "moodle" / "Grades-CS101.csv"
    assert written.read_bytes().startswith(b"\xef\xbb\xbf") == marked
    before, after = list(csv.DictReader(io.StringIO(WORKSHEET, newline=""))), table(written)
    changed = {"Grade", "Feedback comments"}
    assert [{k: v for k, v in row.items() if k not in changed} for row in after] == [
        {k: v for k, v in row.items() if k not in changed} for row in before
    ]
    ada = round((FULL - 1) / FULL * 50, 2)
    assert [float(row["Grade"]) for row in after] == [ada, 50, 3, 9]
    assert after[0]["Feedback comments"] == "mul: 0 of 1 by hand instead of 1: Why &lt;this&gt;?"
    assert "Eve has no grade here." in text and "Stranger has no grade here." in text
    assert "Graded, but not in " in text and "Grades-CS101.csv: Bob." in text
    found = {moodle_s_owner(name): page for name, page in members(folder / "moodle" / "feedback.zip").items()}
    assert found == {
        (11, "assignsubmission", "file", f"/{NAME}.html".lstrip("/")): "the page of Ada Lovelace",
        (12, "assignsubmission", "file", f"/{NAME}.html".lstrip("/")): "the page of Zoë O_Neil",
    }


def test_who_handed_in_nothing_of_what_was_assigned_gets_0_in_moodle(grades, tmp_path):
    people = [
        Person(name="Ada Lovelace", student="Ada Lovelace"),
        Person(name="Stranger", email="S@x.org", student="S"),
    ]
    folder = grades({"Ada Lovelace": MOODLE["Ada Lovelace"]}, people, Course().only([NAME]))
    (tmp_path / "w.csv").write_text(WORKSHEET)
    run_marks("moodle", "w.csv")
    assert [row["Grade"] for row in table(folder / "moodle" / "w.csv")] == ["50", "7", "3", "0"]


def test_of_a_file_that_could_not_be_opened_both_sides_hear(grades, tmp_path):
    why = "this is not a notebook that can be opened."
    folder = grades(MOODLE)
    with Store(folder / "grades.sqlite") as store:
        store.keep(Record(MOODLE["Zoë O_Neil"], "Zoë O_Neil", NAME, error=why), "key", "content")
    (tmp_path / "w.csv").write_text(WORKSHEET)
    _, text = run_marks("moodle", "w.csv")
    assert "Marked without a file that could not be graded: Zoë O_Neil. The notes in grades say why.\n" in text
    after = table(folder / "moodle" / "w.csv")
    assert [row["Grade"] for row in after[:2]] == ["50", "0"]
    assert [row["Feedback comments"] for row in after[:2]] == ["kept", f"T{why[1:]}"]
    both = [Record("x", "Zoë", error=why), graded_record("y", "Zoë", 1)]
    assert Standing("Zoë", both).unopened(NAME) == []  # another file counts
    assert Standing("Zoë", both[:1]).unopened(NAME) == Standing("Zoë", both[:1]).unopened(ALL) != []


def test_moodle_s_worksheet_without_names_is_filled_by_number(grades, tmp_path):
    folder = grades({"Participant 11": f"in/Participant_11_assignsubmission_file/{NAME}.ipynb"}, passed=0)
    (tmp_path / "w.csv").write_text(
        "Identifier,Status,Grade,Last modified (grade)\r\nParticipant 11,,,-\r\nParticipant 110,,,-\r\n"
    )
    status, text = run_marks("moodle", "w.csv")
    assert status == 0 and [row["Grade"] for row in table(folder / "moodle" / "w.csv")] == ["0", ""]
    assert "Participant 110 has no grade here." in text


# --- Canvas --------------------------------------------------------------------------------------

CANVAS = {"lovelaceada": f"in/lovelaceada_LATE_501_7001_{NAME}-1.ipynb", "neilzo": "in/neilzo_502_7002_x.ipynb"}
IDS = {"Canvas 501": "lovelaceada", "Canvas 502": "neilzo"}


def read_by_canvas(path):
    """What Canvas's importer makes of a file: assignments with points possible, and the grades by the student's id."""
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    head = rows[0]
    assert "Student" in head[0] and "ID" in head[1] and re.match(r"SIS\s+Login\s+ID", head[2]) and "Section" in head[3]
    (title,) = [int(re.search(r"\((\d+)\)$", each)[1]) for each in head[4:]]
    possible, grades = None, {}
    for row in rows[1:]:
        assert len(row) == len(head)
        if "Points Possible" in row[0]:
            possible = row[4]
        else:
            grades[int(row[1])] = row[4]
    return title, possible, grades


def test_canvas_s_gradebook_comes_back_with_one_column_out_of_its_points(grades, tmp_path):
    folder = grades(CANVAS, known=IDS)
    (tmp_path / "book.csv").write_text(GRADEBOOK.replace(",3,\r\n", ",EX,\r\n"), encoding="utf-8")
    status, text = run_marks("canvas", "book.csv")
    assert status == 0, text
    assert read_by_canvas(folder / "canvas" / "book.csv") == (91, "10.0", {501: "10", 502: "EX"})
    found = members(folder / "canvas" / "feedback.zip")
    numbers = {tuple([each for each in name.split("_") if each.isdecimal()][:2]): page for name, page in found.items()}
    assert numbers == {("501", "7001"): "the page of lovelaceada", ("502", "7002"): "the page of neilzo"}


def test_canvas_s_column_is_named_where_none_is_called_like_the_exercise(grades, tmp_path):
    folder = grades(CANVAS, known=IDS)
    (tmp_path / "book.csv").write_text(GRADEBOOK.replace("01 Scalar Backward", "Homework"), encoding="utf-8")
    status, text = run_marks("canvas", "book.csv")
    assert status == 2 and f"no assignment is called {NAME}; name one with --column." in text
    assert "'Essay (90)', 'Homework (91)'." in text and not (folder / "canvas").exists()
    for column in ("homework", "Homework (91)", "91"):
        assert run_marks("canvas", "book.csv", "--column", column)[0] == 0
        assert read_by_canvas(folder / "canvas" / "book.csv")[2][501] == "10"


def test_a_sheet_of_strangers_is_not_written(grades, tmp_path):
    folder = grades(MOODLE)
    (tmp_path / "w.csv").write_text(re.sub("Lovelace|O_Neil|1[12]", "Else", WORKSHEET))
    status, text = run_marks("moodle", "w.csv")
    assert status == 2 and "Nothing was written. Graded, but not in w.csv: Ada Lovelace, " in text
    assert (
        text.endswith("grade once more with the class list: --roster FILE.csv.\n") and not (folder / "moodle").exists()
    )


def test_a_row_that_could_be_two_is_left_alone(grades, tmp_path):
    people = [Person(f"s{each}", "Wei Wang", "", f"Wei Wang (s{each})") for each in (1, 2)]
    folder = grades({each.student: f"in/{each.id}/{NAME}.ipynb" for each in people}, people)
    (tmp_path / "book.csv").write_text(GRADEBOOK.replace("Lovelace, Ada", "Wang, Wei"), encoding="utf-8")
    _, text = run_marks("canvas", "book.csv")
    assert 501 not in read_by_canvas(folder / "canvas" / "book.csv")[2]  # an empty cell would take a grade away
    assert (
        "Wei Wang may be Wei Wang (s1) or Wei Wang (s2), so nothing was entered" in text and "No feedback.zip" in text
    )


# --- Gradescope ----------------------------------------------------------------------------------


def test_gradescope_s_results_add_up(grades):
    rules = Course(per_day=10, marks=(Mark("Ada", NAME, "mul", 0.5, "Half."),))
    folder = grades({"Ada": f"in/submission_7/{NAME}.ipynb"}, course=rules)
    assert run_marks("gradescope")[0] == 0
    data = json.loads((folder / "gradescope" / "submission_7" / "results.json").read_text())
    assert data["score"] == sum(each["score"] for each in data["tests"]) == FULL - 0.5
    assert sum(each["max_score"] for each in data["tests"]) == FULL
    assert {each["status"] for each in data["tests"]} == {"passed"} and data["output"] == ""
    assert {"name", "score", "max_score", "status", "output", "visibility"} == set(data["tests"][0])
    assert "0.5 of 1 by hand instead of 1: Half." in data["tests"][1]["output"]


# --- what cannot be filled -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["moodle"], "moodle needs the assignment's grading worksheet: minigrad marks moodle FILE.csv."),
        (["moodle", "none.csv"], "There is no file none.csv."),
        (["gradescope", "book.csv"], "and fills no book.csv: leave it out."),
        (
            ["moodle", "book.csv"],
            "book.csv has no columns Identifier and Grade, so it is not Moodle's grading worksheet;",
        ),
        (["canvas", "w.csv"], "w.csv has no columns Student, ID and Section; export the gradebook from Canvas again."),
        (["canvas", "junk.csv"], "junk.csv: no column in its first line says who a row is about"),
        (["canvas", "binary.csv"], "binary.csv"),
        (["canvas", "book.csv", "--exercise", "9999"], "--exercise 9999: no exercise;"),
        (["gradescope", "--exercise", "3"], "Nobody has handed in 03_jacobian_sums, so nothing was written."),
        (["gradescope", "--grades", "elsewhere"], "elsewhere holds no grades; run minigrad grade first"),
        (["sakai"], "sakai"),
    ],
)
def test_what_cannot_be_filled_is_a_sentence(grades, tmp_path, arguments, sentence):
    grades(CANVAS)
    (tmp_path / "book.csv").write_text(GRADEBOOK, encoding="utf-8")
    (tmp_path / "w.csv").write_text(WORKSHEET, encoding="utf-8")
    (tmp_path / "junk.csv").write_text("a,b\n1,2\n")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\xd8\x00" * 9)
    status, text = run_marks(*arguments)
    assert status == 2 and sentence in " ".join(text.split()) and "Traceback" not in text


def test_what_is_larger_than_such_files_are_is_refused_as_a_whole(tmp_path, monkeypatch):
    file = tmp_path / "large"
    file.write_text("id,name\n" + "1,Ada\n" * 50)
    for module, read in (
        (roster, roster.read),
        (coursefile, coursefile.read),
        (marks, lambda path: marks.sheet(path, "Canvas")),
    ):
        monkeypatch.setattr(module, "LARGEST", 100)
        with pytest.raises((roster.BadRoster, BadCourse, sheets.BadSheet), match=r"large is larger than .* not a"):
            read(file)
