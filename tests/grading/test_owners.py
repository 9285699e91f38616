"""Whose is what: every layout we know, as a folder and as a zip; and that nobody loses, steals or merges marks."""

import os
import random
import unicodedata
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from layouts import (
    CLASSES,
    FORMS,
    GRADESCOPE,
    NAME,
    SECOND,
    as_folder,
    contents,
    is_left_out,
    owned,
    said,
    strays,
    students,
    zip_bytes,
)
from test_systems import PLANTED

from minigrad_course.grading.collect import owners, trees
from minigrad_course.grading.collect.intake import handed_in
from minigrad_course.grading.lms import SYSTEMS
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import possible
from minigrad_course.grading.people.people import Person

INSTRUCTORS = (Path(__file__).parents[2] / "INSTRUCTORS.md").read_text(encoding="utf-8")
BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def test_an_ordinary_class_has_its_students_and_no_remarks(tmp_path):
    differs = {}
    for name, (root, places, wanted) in CLASSES.items():
        for form, made in FORMS.items():
            taken = handed_in([made(tmp_path / name / form / root, places)])
            found = students(taken), sorted(owned(taken)), taken.remarks, strays(taken)  # each has something judged
            if found != (wanted, wanted, [], {}):
                differs[name, form] = found
    assert differs == {}


# --- attacks -------------------------------------------------------------------------------------

# what mallory puts into his own folder to be taken for somebody else, or to make somebody else's work his
INSIDE = {
    "a folder with the name": "victim/x.ipynb",
    "as nbgrader has it": f"victim/{NAME}/{NAME}.ipynb",
    "an exercise with a folder in it": f"{NAME}/victim/{NAME}.ipynb",
    "as Moodle has it": "victim_12345_assignsubmission_file_/x.ipynb",
    "as Moodle's flat zip has it": "victim_12345_assignsubmission_file_x.ipynb",
    "as Canvas has it": "victim_12345_678901_x.ipynb",
    "as Brightspace has it": "145101-221904 - victim - Nov 27, 2026 905 PM/x.ipynb",
    "as Blackboard has it": "Exercise 1_victim_attempt_2026-11-27-21-05-11_x.ipynb",
    "as ILIAS has it": "Abgaben/Okafor_victim_victim_4711/x.ipynb",
    "as Gradescope has it": f"assignment_1_export/submission_12/{NAME}.ipynb",
    "as GitHub Classroom has it": f"backward-submissions/backward-victim/{NAME}.ipynb",
    "a clone": f"victim/exercises/{NAME}.ipynb",
    "a wrapper": "submitted/victim/x.ipynb",
    "a week": "week1/victim/x.ipynb",
    "a section": "section-A/victim/x.ipynb",
    "a zip": "victim.zip",
    "a zip, deeper": "submissions/victim.zip",
    "a file": "victim.ipynb",
    "a backup": f"{NAME}/backup/victim/{NAME}.ipynb",
}
AROUND = {
    "plain": ("cs101", "mallory", "victim", "ada"),
    "wrapped": ("export", "all/submissions/mallory", "all/submissions/victim", "all/submissions/ada"),
    "exercises first": ("cs101", f"{NAME}/mallory", f"{NAME}/victim", f"{NAME}/ada"),
    "weeks": ("cs101", "week2/mallory", "week1/victim", "week1/ada"),
    "Moodle": ("cs101", *(f"{each}_{len(each)}_assignsubmission_file_" for each in ("mallory", "victim", "ada"))),
    "GitHub Classroom": ("b-submissions", "b-mallory", "b-victim", "b-ada"),
}


# what else lies there, and below what; both times a folder with another name, and once in a zip
DEPTHS = {
    "once": (1, "", FORMS),
    "with another name beside it": (2, "deep/", ["folder"]),
    "two down": (2, "friend/deep/", ["zip"]),
}


@pytest.mark.parametrize(("times", "below", "forms"), DEPTHS.values(), ids=DEPTHS)
def test_nothing_in_a_folder_makes_it_another_one_s(tmp_path, times, below, forms):
    differs = {}
    for count, (form, (layout, around), (name, inside)) in enumerate(product(forms, AROUND.items(), INSIDE.items())):
        root, mallory, victim, ada = around
        places = [f"{mallory}/{below}{inside}", f"{victim}/{NAME}.ipynb", f"{ada}/{NAME}.ipynb"]
        if times == 2:
            places.append(f"{mallory}/{below}{inside.replace('victim', 'other').replace('12', '13')}")
        places.append((f"{mallory}/{below}submission_metadata.yml", GRADESCOPE.replace("Bob", "victim")))
        taken = handed_in([FORMS[form](tmp_path / str(count) / root, places)])
        mine = owned(taken)
        found = students(taken), mine["victim"], mine["ada"]
        if found != (["ada", "mallory", "victim"], [f"{victim}/{NAME}.ipynb"], [f"{ada}/{NAME}.ipynb"]):
            differs[form, layout, name] = found
    assert differs == {}


def test_nor_if_the_students_are_named_one_by_one(tmp_path):
    differs = {}
    for count, (name, inside) in enumerate(INSIDE.items()):
        folder, other = tmp_path / str(count), inside.replace("victim", "other").replace("12", "13")
        as_folder(folder, [f"mallory/{inside}", f"mallory/{other}", f"victim/{NAME}.ipynb", f"ada/{NAME}.ipynb"])
        taken = handed_in([folder / each for each in ("ada", "mallory", "victim")])
        found = students(taken), owned(taken)["victim"]
        if found != (["ada", "mallory", "victim"], [f"{NAME}.ipynb"]):
            differs[name] = found
    assert differs == {}


def test_one_alone_in_a_week_s_zip_is_no_class(tmp_path):
    first = FORMS["zip"](tmp_path / "week1", ["ada/x.ipynb", "victim/x.ipynb"])
    second = FORMS["zip"](tmp_path / "week2", ["mallory/victim/x.ipynb", "mallory/ada/x.ipynb"])
    taken = handed_in([first, second])
    assert students(taken) == ["ada", "mallory", "victim"] and len(owned(taken)["victim"]) == 1


def test_a_class_with_a_stray_exercise_stays_a_class(tmp_path):
    taken = handed_in([as_folder(tmp_path / "course", ["ada/x.ipynb", "bob/x.ipynb", f"{NAME}.ipynb"])])
    assert sorted(owned(taken)) == ["ada", "bob"]
    assert (
        strays(taken) == {f"{NAME}.ipynb": "it belongs to nobody: its name is not a student's."} and not taken.remarks
    )


MOODLE = "_assignsubmission_file_"
FORGED = f"Ada Lovelace_11{MOODLE}M"  # a display name
NUMBERED = Roster(
    (
        Person("1", "Ada Lovelace", student="Ada Lovelace", participant="11"),
        Person("2", FORGED, student="Mallory", participant="13"),
    )
)


@BOTH
@pytest.mark.parametrize("end", [MOODLE, MOODLE[:-1]])
def test_a_display_name_as_moodle_writes_folders_takes_nobody_s_place(tmp_path, form, end):
    places = [f"Ada Lovelace_11{end}/x.ipynb", f"{FORGED}_13{end}/x.ipynb", f"Bob_12{end}/x.ipynb"]
    taken = handed_in([form(tmp_path / "hw", places)])
    assert owned(taken) == {"Ada Lovelace": [places[0]], FORGED: [places[1]], "Bob": [places[2]]}
    (remark,) = taken.remarks
    assert FORGED in remark and "more than once" in remark
    taken = handed_in([form(tmp_path / "hw2", places)], NUMBERED)
    assert owned(taken) == {"Ada Lovelace": [places[0]], "Mallory": [places[1]]}


@BOTH
@pytest.mark.parametrize("ending", [".ipynb", ".zip"])
def test_nor_one_as_moodle_writes_files(tmp_path, form, ending):
    places = [f"{each}{MOODLE}x{ending}" for each in ("Ada Lovelace_11", f"{FORGED}_13", "Bob_12")]
    taken = handed_in([form(tmp_path / "hw", places)])
    assert students(taken) == ["Ada Lovelace", f"{FORGED}_13{MOODLE}x", "Bob"] and len(owned(taken)) == 3
    assert len(taken.remarks) == 1 and FORGED in taken.remarks[0]
    taken = handed_in([form(tmp_path / "hw2", places)], NUMBERED)
    assert list(owned(taken)) == ["Ada Lovelace"] and any(FORGED in each for each in taken.remarks)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("around", ["group1/", "group1/ada/", "group1/y/"])
def test_groups_in_groups_are_not_looked_into_without_end(tmp_path, monkeypatch, around, alone):
    inner, level = [f"{around}ada/x.ipynb", f"{around}bob/x.ipynb"], around * (3 if around == "group1/" else 2)
    for _ in range(3):
        files = dict(contents(inner))
        inner = [(f"{level}group1.zip", zip_bytes(files)), f"{level}group2/x.ipynb"]
    calls, people_below = [], owners.people_below
    monkeypatch.setattr(owners, "people_below", lambda *some: calls.append(1) or people_below(*some))
    places = [(f"mallory/{place}", content) for place, content in contents(inner)]
    taken = handed_in([as_folder(tmp_path / "course", [*places, *([] if alone else ["victim/x.ipynb"])])])
    assert len(calls) < 60
    assert alone or students(taken) == ["mallory", "victim"]


def test_what_lies_in_a_student_s_zips_is_not_opened_for_a_remark(tmp_path, monkeypatch):
    as_folder(tmp_path / "course", ["mallory/ada.zip", "victim/week1/ada.zip"])
    monkeypatch.setattr(trees, "opened", None)
    claims, _ = owners.owners([trees.tree(tmp_path / "course", "cs101")], [])
    assert sorted(each.student for each in claims) == ["mallory", "victim"]


# --- names ---------------------------------------------------------------------------------------


def test_two_assignments_are_of_one_student(tmp_path):
    for name, number in {"week1": 1, "week2": 2}.items():
        places = [f"Zoë_{number}1_assignsubmission_file_/x.ipynb", f"Ada Li_{number}2_assignsubmission_file_/x.ipynb"]
        spelled = [unicodedata.normalize("NFC", each) for each in places]
        FORMS["zip"](tmp_path / name, spelled)
    taken = handed_in([tmp_path / "week1.zip", tmp_path / "week2.zip"])
    assert {student: len(places) for student, places in owned(taken).items()} == {"Ada Li": 2, "Zoë": 2}
    assert not taken.remarks


def test_late_work_in_canvas_is_the_same_student_s(tmp_path):
    FORMS["zip"](tmp_path / "week1", ["liada_5_1_x.ipynb", "bob_6_2_x.ipynb"])
    FORMS["zip"](tmp_path / "week2", ["liada_LATE_5_3_x-1.ipynb", "bob_6_4_x.ipynb"])
    taken = handed_in([tmp_path / "week1.zip", tmp_path / "week2.zip"])
    assert students(taken) == ["bob", "liada"] and not taken.remarks


ADA = Person("1", "Ada Lovelace", "ada@example.edu", "Ada Lovelace", ("lovelace1",), "501", "Lovelace, Ada")
BOB = Person("2", "Bob", "bob@example.edu", "Bob", (), "502")
ROSTER = Roster((ADA, BOB))
ROT_BOB = Roster((*ROSTER.people, Person("3", "Rot-Bob", student="Rot-Bob")))  # the whole name before a part of it


def moodle(*names, end=f"{MOODLE}/x.ipynb"):
    return [f"{name}_{number}{end}" for number, name in enumerate(names, start=1)]


def listed(text):
    """Gradescope's export with this list in it."""
    return [("submission_metadata.yml", text), f"submission_11/{NAME}.ipynb", f"submission_12/{NAME}.ipynb"]


HOMEWORK = ["ada.ipynb", "bob.ipynb"]
HANDED_IN = GRADESCOPE.replace("submission_11", HOMEWORK[0]).replace("submission_12", HOMEWORK[1])
ANYTHING = "    ? [a, b]\n    : &x {c: [d]}\n    e: *x\n    :submitters:\n    - :name: Mallory\n"
BROKEN = (" ", "- 1", "a: [", "a: *b", "&a a: *a", "submission_11: 3", "\0", "x: " + "[" * 5000, "- " * 2000)
SECTIONS = [f"section-{each}/x.ipynb" for each in ("A/ada", "A/bob", "B/ada", "B/cyd")]
BLIND = [f"Group A-Participant_501{MOODLE}/x.ipynb", f"Rot-Participant_502{MOODLE}/x.ipynb"]
GROUPS = moodle("Group A-Ada Lovelace", "Team 1-Bob")
FLAT_GROUPS = moodle("Section-B-Ada Lovelace", "7-Bob", end=f"{MOODLE}x.ipynb")
ROT = moodle("Rot-Ada Lovelace", "Rot-Bob")  # nobody can tell
TAKEN = "taken as a group's"
NUMBERS, GROUP = ["submission_11", "submission_12"], ["group1", "group2", "group3"]
BOTH_OF_THEM, LI = ["Ada Lovelace", "Bob"], ["Ada Li (1)", "Ada Li (2)"]
# what lies there, with which list, who the students are found to be, and words of each remark
PLACED = {
    "an exercise beside files": ([*HOMEWORK, f"{NAME}.ipynb"], None, ["ada", "bob"], []),
    "a victim's exercise": ([*HOMEWORK, f"victim_{NAME}.ipynb"], None, ["ada", "bob", "victim"], []),
    "a file called as a week": ([*HOMEWORK, "week1.ipynb"], None, ["ada", "bob"], []),
    "a folder of exercises": ([*HOMEWORK, "exercises/01.ipynb"], None, ["ada", "bob", "exercises"], ["taken as one"]),
    "two of one name in Moodle": (moodle("Ada Li", "Ada Li"), None, LI, ["Ada Li (1), Ada Li (2)"]),
    "in Moodle's files": (moodle("Ada Li", "Ada Li", end=f"{MOODLE}x.ipynb"), None, LI, ["Ada Li (1), Ada Li (2)"]),
    "in Canvas": (["Ada Li_1_77_x.ipynb", "Ada Li_LATE_2_78_x.ipynb"], None, LI, ["Ada Li (1), Ada Li (2)"]),
    "sections": (SECTIONS, None, ["ada (section-A)", "ada (section-B)", "bob", "cyd"], ["section", "section"]),
    "groups": (["group1/x.ipynb", "group2/x.ipynb", "group3/a/x.ipynb"], None, GROUP, ["group"]),
    "a file called as Canvas does": ([*HOMEWORK, "ada_1_2_x.ipynb"], None, ["ada", "bob"], ["ada"]),
    "as Moodle does": ([*HOMEWORK, f"ada_1{MOODLE}x.ipynb"], None, ["ada", "bob"], ["ada"]),
    "a capital": ([*HOMEWORK, "Ada/x.ipynb"], None, ["Ada", "ada", "bob"], []),
    "a list that somebody hands in": ([("submission_metadata.yml", HANDED_IN), *HOMEWORK], None, ["ada", "bob"], []),
    "anything in a list": (listed(GRADESCOPE.replace("    odd: 1\n", ANYTHING)), None, BOTH_OF_THEM, []),
    **{f"a list {each[:9]!r}": (listed(each), None, NUMBERS, ["names no owner"]) for each in BROKEN},
    "groups in front of names": (GROUPS, None, BOTH_OF_THEM, [TAKEN]),
    "in front of files": (FLAT_GROUPS, None, BOTH_OF_THEM, [TAKEN]),
    "words of their own": (moodle("Lab group-Ada Lovelace", "Bob"), None, BOTH_OF_THEM, [TAKEN]),
    "groups and a list": (GROUPS, ROSTER, BOTH_OF_THEM, []),
    "files of groups and a list": (FLAT_GROUPS, ROSTER, BOTH_OF_THEM, []),
    "a hyphen": (moodle("Anne-Marie Li", "Group A-Ann-Sophie Wu"), None, ["Ann-Sophie Wu", "Anne-Marie Li"], [TAKEN]),
    "what nobody can tell": (ROT, None, ["Rot-Ada Lovelace", "Rot-Bob"], ["part of, and not a group in front of"]),
    "a list can": (ROT, ROSTER, BOTH_OF_THEM, ["the beginning is taken as a group's"]),
    "a whole name": (ROT, ROT_BOB, ["Ada Lovelace", "Rot-Bob"], [TAKEN]),
    "groups without names": (BLIND, None, ["Participant 501", "Participant 502"], []),
    "and a list": (BLIND, ROSTER, BOTH_OF_THEM, []),
    "a guess that a list settles": (["red/Ada Lovelace/x.ipynb", "red/bob/x.ipynb"], ROSTER, BOTH_OF_THEM, ["around"]),
    "two names of one": (["ada/x.ipynb", "lovelace1/y.ipynb", "bob/x.ipynb"], ROSTER, BOTH_OF_THEM, ["lovelace1"]),
    "Canvas's names on a list": (["lovelaceada_9_10_x.ipynb", "bob_LATE_8_11_x.ipynb"], ROSTER, BOTH_OF_THEM, []),
    "Moodle's": ([f"Participant_{each}{MOODLE}/x.ipynb" for each in (501, 502)], ROSTER, BOTH_OF_THEM, []),
}


def test_who_is_found_and_what_is_said_of_it(tmp_path):
    differs = {}
    for count, (form, (name, (places, roster, wanted, words))) in enumerate(product(FORMS, PLACED.items())):
        taken = handed_in([FORMS[form](tmp_path / str(count) / "course", places)], roster)
        said = len(taken.remarks) == len(words) and all(map(str.__contains__, taken.remarks, words))
        if students(taken) != wanted or not said:
            differs[form, name] = students(taken), taken.remarks
    assert differs == {}, "\n".join(f"{key} {value}" for key, value in differs.items())


# what is joined, and what the remark has to name
JOINS = {
    "accents": (["Zoe\u0308/a.ipynb", "Zo\u00eb/b.ipynb", "ada/x.ipynb"], "Zo\u00eb"),
    "accents of files": (["Zoe\u0308.ipynb", "Zo\u00eb.ipynb", "ada.ipynb"], "Zo\u00eb"),
    "accents in two weeks": (["week1/Zoe\u0308/a.ipynb", "week2/Zo\u00eb/b.ipynb", "week2/ada/x.ipynb"], "Zo\u00eb"),
    "a folder and a zip": (["ada/x.ipynb", "ada.zip", "bob/x.ipynb"], "ada"),
    "a folder and a file": (["ada/x.ipynb", "ada.ipynb", "bob/x.ipynb"], "ada"),
    "several in a folder": (["red/ada/x.ipynb", "red/bob/x.ipynb", "blue/cyd/x.ipynb"], "red"),
    "several files in a folder": (["red/ada.ipynb", "red/bob.ipynb", "blue/cyd.ipynb"], "red"),
    "a folder alone": ([f"ada/{NAME}.ipynb"], "ada"),
    "folders in each other": ([f"physics/ada/{NAME}.ipynb"], "physics"),
    "a file alone": (["ada.ipynb"], "ada"),
    "one Moodle folder in a folder that may be a student's": (
        ["mallory/ada_1_assignsubmission_file_/x.ipynb"],
        "mallory",
    ),
    "nobody's name": ([f"week1/{NAME}.ipynb", f"week2/{NAME}.ipynb"], "submitted"),
}


def test_every_join_and_every_guess_is_said(tmp_path):
    unsaid = {}
    for count, ((way, (places, name)), form) in enumerate(product(JOINS.items(), FORMS)):
        taken = handed_in([FORMS[form](tmp_path / str(count) / "submitted", places)])
        said = any(name in each and "--roster" in each for each in taken.remarks)
        if not said or (name not in students(taken) and name != "submitted"):
            unsaid[way, form] = students(taken), taken.remarks
    assert unsaid == {}


@pytest.mark.parametrize("inside", ["ada_1_assignsubmission_file_/x.ipynb", "ada_1_2_x.ipynb"])
def test_a_named_folder_with_one_name_of_a_system_is_a_guess(tmp_path, inside):
    taken = handed_in([as_folder(tmp_path / "mallory", [inside])])
    assert students(taken) == ["ada"] and "mallory" in taken.remarks[0] and "--roster" in taken.remarks[0]


def test_files_of_one_name_from_two_folders_are_joined_with_a_remark(tmp_path):
    as_folder(tmp_path, ["a/homework.ipynb", "b/homework.ipynb"])
    taken = handed_in([tmp_path / "a" / "homework.ipynb", tmp_path / "b" / "homework.ipynb"])
    assert students(taken) == ["homework"] and len(taken.remarks) == 1


def test_a_named_folder_is_a_person_unless_it_names_several(tmp_path):
    as_folder(tmp_path, ["ada/homework/final/x.ipynb", "bob/homework/final/x.ipynb"])
    taken = handed_in([tmp_path / "ada", tmp_path / "bob"])
    assert students(taken) == ["ada", "bob"] and not taken.remarks
    assert students(handed_in([tmp_path / "ada"])) == ["ada"]


def test_a_class_named_beside_a_file_is_a_guess(tmp_path):
    as_folder(tmp_path, ["cs101/ada/x.ipynb", "cs101/bob/x.ipynb", "cyd.ipynb"])
    taken = handed_in([tmp_path / "cs101", tmp_path / "cyd.ipynb"])
    assert students(taken) == ["ada", "bob", "cyd"] and "cs101" in taken.remarks[0]
    as_folder(tmp_path, ["week1/mallory/ada/x.ipynb", "week1/mallory/bob/x.ipynb"])
    assert students(handed_in([tmp_path / "week1", tmp_path / "cyd.ipynb"])) == ["cyd", "mallory"]


def test_gradescope_without_its_list_and_with_groups(tmp_path):
    places = [f"submission_11/{NAME}.ipynb", f"submission_12/{NAME}.ipynb"]
    taken = handed_in([as_folder(tmp_path / "assignment_1_export", places)])
    assert students(taken) == ["submission_11", "submission_12"] and taken.remarks
    group = GRADESCOPE + "  - :name: Cyd\n    :email: cyd@example.edu\n"
    taken = handed_in([as_folder(tmp_path / "assignment_2_export", [*places, ("submission_metadata.yml", group)])])
    assert students(taken) == ["Ada Lovelace", "Bob", "Cyd"]
    assert len({each.place for each in taken.found}) == 3 and "submission_12" in taken.remarks[0]


@pytest.mark.parametrize("other", ["ada\u00a0", " ada", "ada ", "ada\u200b", "\u2003ada"])
@pytest.mark.parametrize("week", ["", "week2/"])
def test_names_that_only_look_alike_are_two_students_and_shown_apart(tmp_path, other, week):
    places = [f"ada/{NAME}.ipynb", f"{week}{other}/{NAME}.ipynb", f"bob/{NAME}.ipynb"]
    if week:
        places = [f"week1/{places[0]}", places[1], f"week1/{places[2]}"]
    taken = handed_in([as_folder(tmp_path / "course", places)])
    assert owned(taken) == {"ada": [places[0]], f"ada ({other!r})": [places[1]], "bob": [places[2]]}
    assert len(taken.remarks) == 1 and repr(other) in taken.remarks[0]


@pytest.mark.parametrize("names", [("A\u030ada", "\u00c5da"), ("ada", "ada.zip"), ("ada", "ada\u00a0")])
@pytest.mark.parametrize(
    "roster", [None, Roster((Person("1", "Ada", student="Ada"), Person("2", "\u00c5da", student="\u00c5da")))]
)
def test_what_is_joined_costs_nobody_a_notebook(tmp_path, names, roster):
    places = [name if name.endswith(".zip") else f"{name}/{NAME}.ipynb" for name in names]
    taken = handed_in([as_folder(tmp_path / "course", [*places, "bob/x.ipynb"])], roster)
    work = [each for each in taken.found if each.student not in ("bob", "")]
    assert len(work) == 2 and not any(map(said, work)) and taken.remarks


def test_bytes_that_are_spelled_out_are_no_name_that_spells_them(tmp_path):
    names = [os.fsdecode(b"J\xf6rg"), "J\\udcf6rg", "J\\\\udcf6rg", os.fsdecode(b"J\\\xf6rg")]
    as_folder(tmp_path, [f"course/{each}/{NAME}.ipynb" for each in names])
    as_folder(tmp_path, [f"{each}.ipynb" for each in names])
    for paths in ([tmp_path / "course"], [tmp_path / "course" / each for each in names]):
        taken = handed_in(paths)
        assert len(students(taken)) == len(names) == len({each.place for each in taken.found})
        assert all(len(each) == 1 for each in owned(taken).values()) and len(owned(taken)) == 4
    assert len(students(handed_in([tmp_path / f"{each}.ipynb" for each in names]))) == 4
    roots = {"course": (tmp_path / "course").resolve()}
    for each in names:
        taken = handed_in([tmp_path / "course" / each], roots=roots)
        assert len(taken.found) == 1 and taken.found[0].student in students(handed_in([tmp_path / "course"]))


def test_whose_gradescope_s_list_says_it_is_is_said_of_what_is_missing_and_of_strays(tmp_path):
    ada = [("submission_metadata.yml", GRADESCOPE), f"submission_11/{NAME}.ipynb"]
    for roster in (None, ROSTER):
        taken = handed_in([as_folder(tmp_path / "assignment_1_export", ada)], roster)
        rows = {each.student: said(each) for each in taken.found}
        assert rows.keys() == {"Ada Lovelace", "Bob"} and "it is not in the export" in rows["Bob"]
    places = [*ada, "submission_12/x.ipynb", "submission_13/x.ipynb"]
    stranger = Roster((ADA, Person("9", "Bo", student="Bo")))
    taken = handed_in([as_folder(tmp_path / "assignment_2_export", places)], stranger)
    assert strays(taken) == {
        "submission_12": "it belongs to nobody: Bob (124) is not on the roster.",
        "submission_13": "it belongs to nobody: submission_metadata.yml names no owner.",
    }
    assert not any(map(possible, strays(taken).values()))  # nothing of Bob's stands on the page of Bo


INSIDE_ALONE = {
    "a classmate's folder": [f"Ada Lovelace/{NAME}.ipynb"],
    "two of them": [f"Ada Lovelace/{NAME}.ipynb", f"Cyd/{NAME}.ipynb"],
    "files": ["Ada Lovelace.ipynb", "Cyd.ipynb"],
    "Canvas": ["ada_1_2_x.ipynb"],
    "Moodle": ["Ada_1_assignsubmission_file_/x.ipynb", "Cyd_2_assignsubmission_file_/x.ipynb"],
    "Gradescope": [("submission_metadata.yml", GRADESCOPE), "submission_11/x.ipynb", "submission_12/x.ipynb"],
    "in a folder": ["week1/Ada Lovelace/x.ipynb", "week1/Cyd/x.ipynb"],
}


@BOTH
@pytest.mark.parametrize("inside", INSIDE_ALONE.values(), ids=INSIDE_ALONE)
def test_what_lies_in_one_s_own_zip_names_nobody_else_without_a_line(tmp_path, form, inside):
    root = form(tmp_path / "Mallory", inside)
    taken = handed_in([root])
    assert students(taken) == ["Mallory"] or any(each.startswith(str(root)) for each in taken.remarks)
    assert len(taken.remarks) == 1 and "--roster" in taken.remarks[0]
    listed_too = Roster((*ROSTER.people, Person("3", "Mallory", student="Mallory")))
    assert students(handed_in([root], listed_too)) == ["Mallory"]
    taken = handed_in(
        [root], Roster((*ROSTER.people, Person("3", "Zoë", student="Zoë"), Person("4", "Li", student="Li")))
    )
    assert not students(taken) or "not on the roster" in taken.remarks[0]


def test_an_id_that_was_seen_before_says_more_than_a_name(tmp_path):
    first = handed_in([as_folder(tmp_path / "week1", ["liada_5_1_x.ipynb", "bob_6_2_x.ipynb"])])
    assert first.ids == {"Canvas 5": "liada", "Canvas 6": "bob"}
    again = handed_in([tmp_path / "week1"], known=first.ids)
    assert students(again) == ["bob", "liada"] and not again.remarks
    places = ["wuada_5_3_x.ipynb", "bob_7_4_x.ipynb", "zoe_8_5_x.ipynb"]
    taken = handed_in([as_folder(tmp_path / "week2", places)], known=first.ids)
    assert owned(taken) == {"liada": [places[0]], "bob (7)": [places[1]], "zoe": [places[2]]}
    renamed, other = taken.remarks
    assert "wuada_5_3_x.ipynb: the id belongs to liada" in renamed and "so this is bob (7)" in other
    assert taken.ids == {"Canvas 5": "liada", "Canvas 7": "bob (7)", "Canvas 8": "zoe"}
    gradescope = GRADESCOPE.replace("Bob", "bob").replace("Ada Lovelace", "liada")  # whose ids are others
    places = [("submission_metadata.yml", gradescope), "submission_11/x.ipynb", "submission_12/x.ipynb"]
    taken = handed_in([as_folder(tmp_path / "assignment_1_export", places)], known=first.ids)
    assert students(taken) == ["bob", "liada"] and not taken.remarks


def test_every_system_has_its_layout_its_planted_time_its_attack_and_its_rows_for_instructors():
    tables = {"CLASSES": CLASSES, "PLANTED": PLANTED, "INSIDE": INSIDE, "INSTRUCTORS.md": [INSTRUCTORS]}
    lacks = [
        (system.name, table)
        for system in SYSTEMS
        for table, keys in tables.items()
        if not any(system.name.casefold() in key.casefold() for key in keys)
    ]
    assert lacks == []


def test_ids_are_kept_where_a_system_gives_them_for_good(tmp_path):
    found = {
        key.partition(" ")[0]
        for name, (root, places, _) in CLASSES.items()
        for key in handed_in([as_folder(tmp_path / name / root, places)]).ids
    }
    assert found == {"Blackboard", "Canvas", "Gradescope", "ILIAS"}


# --- random classes ------------------------------------------------------------------------------

NAMES = ["ada", "Bob Builder", "cyd", "d'Arc", "Émile", "frida-k", "u1234", "77001"]
WRAPPERS = ["export", "all", "submissions", "week1", NAME, "Assignment 3", "cs-class-of-25"]
BELOW = ["homework", "final", "backup", "src", "week1", NAME, SECOND, "victim", *NAMES]
FILES = [
    f"{NAME}.ipynb",
    "x.ipynb",
    "notes.pdf",
    "victim.ipynb",
    "ada_1_2_x.ipynb",
    "Ada_1_assignsubmission_file_x.ipynb",
]


@settings(max_examples=60, deadline=None)
@given(some.randoms(use_true_random=False), some.integers(2, 6), some.integers(0, 3))
def test_whatever_lies_in_them_the_students_are_the_students(tmp_path_factory, dice, count, depth):
    names = dice.sample(NAMES, count)
    wrapper = "/".join(dice.choice(WRAPPERS) for _ in range(depth))
    places = [f"{wrapper}/{name}/{below(dice)}" for name in names for _ in range(dice.randint(1, 4))]
    taken = handed_in([as_folder(tmp_path_factory.mktemp("class") / "root", [each.strip("/") for each in places])])
    assert students(taken) == sorted(names)
    for each in taken.found:
        inside = each.place.removeprefix(each.root + "/").removeprefix(f"{wrapper}/")
        assert inside.split("/")[0] == each.student


def below(dice: random.Random) -> str:
    return "/".join([*(dice.choice(BELOW) for _ in range(dice.randint(0, 3))), dice.choice(FILES)])


# --- with a roster -------------------------------------------------------------------------------

WAYS = ["1", "ada", "ADA@example.edu", "ada lovelace", "Lovelace, Ada", "Ada_Lovelace", "lovelace1", "lovelaceada"]


@pytest.mark.parametrize("name", WAYS)
def test_a_roster_knows_its_people_by_every_name(tmp_path, name):
    for places in ([f"{name}/x.ipynb", "bob/x.ipynb"], [f"{name}.ipynb", "2.ipynb"], [f"week1/{name}/y/x.ipynb"]):
        root = as_folder(tmp_path / str(len(places[0])) / "hw", places)
        assert "Ada Lovelace" in students(handed_in([root], ROSTER))


@BOTH
@pytest.mark.parametrize(
    "inside", ["ada/x.ipynb", "ada.ipynb", "Ada Lovelace_1_assignsubmission_file_/x.ipynb", "ada.zip"]
)
def test_who_is_not_on_the_roster_can_give_nobody_anything(tmp_path, form, inside):
    taken = handed_in([form(tmp_path / "hw", [f"mallory/{inside}", "bob/x.ipynb", "stray.pdf"])], ROSTER)
    assert students(taken) == ["Bob"] and list(owned(taken)) == ["Bob"]
    nobody = [each for each in taken.found if not each.student]
    assert len(nobody) == 2 and all(map(is_left_out, nobody)) and "on the roster" in said(nobody[0])
    assert {each.partition("/")[0].partition(".")[0] for each in strays(taken)} == {"mallory", "stray"}
    assert not taken.remarks  # it is said once


def test_nor_if_folders_are_named_one_by_one(tmp_path):
    as_folder(tmp_path, ["mallory/ada/x.ipynb", "bob/x.ipynb"])
    taken = handed_in([tmp_path / "mallory", tmp_path / "bob"], ROSTER)
    assert students(taken) == ["Bob"] and [each.student for each in taken.found if "mallory" in each.place] == [""]


def test_what_could_be_two_people_s_is_nobody_s(tmp_path):
    twins = Roster((Person("1", "Ada", "ada@a.edu", "Ada (1)"), Person("2", "Ada", "ada@b.edu", "Ada (2)"), BOB))
    taken = handed_in([as_folder(tmp_path / "hw", ["ada/x.ipynb", "1/x.ipynb", "bob/x.ipynb"])], twins)
    assert students(taken) == ["Ada (1)", "Bob"] and owned(taken)["Ada (1)"] == ["1/x.ipynb"]
    (why,) = strays(taken).values()
    assert why == "it belongs to nobody: ada could be Ada (1) or Ada (2)." and possible(why) == ["Ada (1)", "Ada (2)"]


def test_who_only_calls_himself_so_gets_nothing(tmp_path):
    places = ["Ada Lovelace_501_assignsubmission_file_/x.ipynb", "Ada Lovelace_666_assignsubmission_file_/x.ipynb"]
    taken = handed_in([as_folder(tmp_path / "hw", places)], ROSTER)
    (why,) = strays(taken).values()
    assert owned(taken) == {"Ada Lovelace": [places[0]]} and possible(why) == ["Ada Lovelace"] and not taken.remarks
    places = ["Ada Lovelace_502_assignsubmission_file_/x.ipynb"]  # Bob's number
    taken = handed_in([as_folder(tmp_path / "hw2", places)], ROSTER)
    (why,) = strays(taken).values()
    assert owned(taken) == {} and possible(why) == ["Ada Lovelace", "Bob"]
    places = ["Ada Lovelace_7_assignsubmission_file_/x.ipynb", "Ada Lovelace_8_assignsubmission_file_/x.ipynb"]
    assert owned(handed_in([as_folder(tmp_path / "hw3", places)], ROSTER)) == {}


def test_a_file_by_itself_is_looked_up_too(tmp_path):
    as_folder(tmp_path, ["ada.ipynb", "who.ipynb"])
    taken = handed_in([tmp_path / "ada.ipynb", tmp_path / "who.ipynb"], ROSTER)
    assert [each.student for each in taken.found] == ["Ada Lovelace", ""] and "on the roster" in said(taken.found[1])
