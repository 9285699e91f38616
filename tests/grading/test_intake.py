"""What is found in folders and zips: whose it is, what is refused, and that nothing is followed or unpacked."""

import os
import stat
import zipfile
from pathlib import Path

import pytest
from submissions import CHAPTER

from minigrad.course.submitted import LARGEST, Unreadable
from minigrad.grading import intake

NAME = CHAPTER.name


def put(root, *places, content=b"x"):
    for place in places:
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(content)
    return root


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def owners(path):
    found, _ = intake.handed_in([path])
    return sorted((each.student, each.assignment) for each in found)


def refusals(found):
    said = {}
    for each in found:
        try:
            each.read()
        except Unreadable as error:
            said[each.place] = str(error)
    return said


def left_out(found):
    """The folders that are not graded, and why."""
    said = {}
    for each in found:
        try:
            each.read()
        except intake.NotGraded as error:
            said[each.place] = str(error)
        except Unreadable:
            pass
    return said


LAYOUTS = {
    "nbgrader": (
        [f"ada/{NAME}/{NAME}.ipynb", f"bob/{NAME}/{NAME}.ipynb", f"bob/{NAME}/.ipynb_checkpoints/x.ipynb"],
        [("ada", NAME), ("bob", NAME)],
    ),
    "another name for the assignment": (
        ["ada/week1/a.ipynb", "bob/week1/b.ipynb"],
        [("ada", ""), ("bob", "")],
    ),
    "flat": (["ada.ipynb", "bob.ipynb"], [("ada", ""), ("bob", "")]),
    "flat, with the exercise's name": (
        [f"lovelaceada_12_345_{NAME}-1.ipynb", f"bob {NAME} (2).ipynb"],
        [("bob", ""), ("lovelaceada_12_345", "")],
    ),
    "flat, one folder down": (["class/ada.ipynb", "class/bob.ipynb"], [("ada", ""), ("bob", "")]),
    "Moodle": (
        [f"Ada L_17_assignsubmission_file_/{NAME}.ipynb", f"out/Bob_18_assignsubmission_file_/{NAME}.ipynb"],
        [("Ada L_17", ""), ("Bob_18", "")],
    ),
    "one folder each": ([f"ada/{NAME}.ipynb", "bob/mine.ipynb"], [("ada", ""), ("bob", "")]),
}


CLONE = (f"exercises/{NAME}.ipynb", "lessons/00.ipynb", "lessons/01.ipynb", "solutions/x.ipynb")
LEFT_OUT = {
    "lessons": "2 notebooks in it were not graded: lessons hold no answers.",
    "solutions": "1 notebook in it was not graded: solutions are not the student's own work.",
}
BACKUP = f"exercises/backups/{NAME}-1.ipynb"
CLONES = {
    "each in a folder": (["ada", "bob"], ["ada", "bob"]),
    "each in a folder of its own name": (["ada/backward", "bob/course-main"], ["ada", "bob"]),
    "a folder for all": (["class/ada/backward", "class/bob"], ["ada", "bob"]),
    "handed in for an exercise": ([f"ada/{NAME}", f"bob/{NAME}/clone"], ["ada", "bob"]),
    "Moodle": (["Ada_17_assignsubmission_file_/x", "out/Bob_18_assignsubmission_file_"], ["Ada_17", "Bob_18"]),
    "one alone": (["ada/backward"], ["ada"]),
}


@pytest.mark.parametrize(("roots", "students"), CLONES.values(), ids=CLONES)
def test_of_a_clone_only_the_exercises_are_graded(tmp_path, roots, students):
    places = [f"{root}/{inside}" for root in roots for inside in (*CLONE, BACKUP, ".ipynb_checkpoints/x.ipynb")]
    folder = put(tmp_path / "submitted", *places)
    for path in (folder, zipped(tmp_path / "all.zip", dict.fromkeys(places, "x"))):
        found, _ = intake.handed_in([path])
        graded = [each for each in found if each.place not in left_out(found)]
        assert sorted(each.place for each in graded) == sorted(f"{path}/{root}/{CLONE[0]}" for root in roots)
        assert sorted(each.student for each in graded) == students
        assert sorted({each.student for each in found}) == students
        for root in roots:
            for name, sentence in LEFT_OUT.items():
                assert left_out(found)[f"{path}/{root}/{name}"] == sentence


def test_a_student_s_own_clone_is_that_student_s(tmp_path):
    folder = put(tmp_path / "ada", *CLONE, "exercises/02_upstream_gradients.ipynb", BACKUP)
    found, _ = intake.handed_in([folder])
    assert {each.student for each in found} == {"ada"} and len(found) == 5 and len(left_out(found)) == 3


def test_a_folder_of_lessons_beside_the_students_takes_nobody_s_name(tmp_path):
    put(tmp_path, "lessons/x.ipynb", "ada/mine.ipynb", "bob/week1/mine.ipynb")
    found, _ = intake.handed_in([tmp_path])
    assert [each.student for each in found] == ["ada", "bob", tmp_path.name]


def test_what_else_lies_in_a_clone_belongs_to_its_student(tmp_path):
    put(tmp_path, f"ada/x/exercises/{NAME}.ipynb", "ada/x/notes/try.ipynb", f"bob/x/exercises/{NAME}.ipynb")
    assert owners(tmp_path) == [("ada", ""), ("ada", ""), ("bob", "")]


def test_a_folder_called_exercises_may_hold_a_class(tmp_path):
    assert owners(put(tmp_path, "exercises/ada.ipynb", "exercises/bob.ipynb")) == [("ada", ""), ("bob", "")]


def test_a_file_that_is_named_is_taken_wherever_it_lies(tmp_path):
    put(tmp_path, "Solutions/x.ipynb")
    assert not refusals(intake.handed_in([tmp_path / "Solutions" / "x.ipynb"])[0])
    assert not refusals(intake.handed_in([tmp_path / "Solutions"])[0])


@pytest.mark.parametrize(("places", "wanted"), LAYOUTS.values(), ids=LAYOUTS)
def test_whose_it_is(tmp_path, places, wanted):
    assert owners(put(tmp_path / "submitted", *places)) == wanted
    assert owners(zipped(tmp_path / "all.zip", dict.fromkeys(places, "x"))) == wanted


def test_a_students_own_folder(tmp_path):
    put(tmp_path / "submitted", f"ada/{NAME}/{NAME}.ipynb", f"bob/{NAME}/{NAME}.ipynb")
    assert owners(tmp_path / "submitted" / "ada") == [("ada", NAME)]


def test_one_notebook_for_each_student_and_assignment(tmp_path):
    put(tmp_path, f"ada/{NAME}/{NAME}.ipynb", f"ada/{NAME}/draft.ipynb", f"bob/{NAME}/1.ipynb", f"bob/{NAME}/2.ipynb")
    (tmp_path / "eve" / NAME).mkdir(parents=True)
    found, many = intake.handed_in([tmp_path])
    assert many and [each.student for each in found] == ["ada", "bob", "eve"]
    assert found[0].place.endswith(f"ada/{NAME}/{NAME}.ipynb") and found[0].read() == b"x"
    said = list(refusals(found).values())
    assert said == [
        f"2 notebooks were handed in, and none is called {NAME}.ipynb.",
        "there is no notebook in the folder.",
    ]


def test_links_are_not_followed(tmp_path):
    secret = put(tmp_path / "secret", "key.ipynb", content=b"secret") / "key.ipynb"
    folder = put(tmp_path / "submitted", "honest.ipynb")
    (folder / "link.ipynb").symlink_to(secret)
    (folder / "dir").symlink_to(secret.parent)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.ipynb")
    found, _ = intake.handed_in([folder])
    said = {place.rpartition("/")[2]: sentence for place, sentence in refusals(found).items()}
    assert said == {
        "link.ipynb": "this is a link to another file; hand in the file itself.",
        "dir": "this is a link to a folder; hand in the files themselves.",
        "loop": "this is a link to a folder; hand in the files themselves.",
        "pipe.ipynb": "this is not a file; name a notebook in it.",
    }


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can list everything")
def test_a_folder_that_cannot_be_listed_is_one_refusal(tmp_path):
    put(tmp_path, f"ada/{NAME}/{NAME}.ipynb", "bob/closed/x.ipynb")
    (tmp_path / "bob" / "closed").chmod(0)
    try:
        found, _ = intake.handed_in([tmp_path])
    finally:
        (tmp_path / "bob" / "closed").chmod(0o700)
    assert len(found) == 2 and "it cannot be listed" in refusals(found).popitem()[1]


def test_folders_without_end_are_one_refusal(tmp_path):
    deep = put(tmp_path / "submitted", "honest.ipynb")
    put(deep / Path(*["a"] * 500), "hidden.ipynb")
    found, _ = intake.handed_in([deep])
    (sentence,) = refusals(found).values()
    assert len(found) == 2 and sentence.startswith("more than 8 folders lie in each other")


UNSAFE = ["/etc/x.ipynb", "../../x.ipynb", "a/../../x.ipynb", "C:\\x.ipynb", "a\\..\\x.ipynb", "a\x1b[2J.ipynb"]


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_names_in_a_zip_are_refused_and_the_others_read(tmp_path, name):
    path = zipped(tmp_path / "all.zip", {"ada.ipynb": "good", name: "evil", "bob.ipynb": "good"})
    found, _ = intake.handed_in([path])
    (sentence,) = refusals(found).values()
    assert sentence.startswith("its name in the zip")
    assert [each.student for each in found][:2] == ["ada", "bob"] and found[0].read() == b"good"
    assert all(each.place.isprintable() for each in found)
    assert sorted(tmp_path.iterdir()) == [path]  # nothing was unpacked


def test_a_link_a_bomb_a_double_and_damage_in_a_zip(tmp_path):
    path = tmp_path / "all.zip"
    link = zipfile.ZipInfo("link.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.warns(UserWarning), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bomb.ipynb", bytes(LARGEST + 1))
        archive.writestr("twice.ipynb", "1")
        archive.writestr("twice.ipynb", "2")
        archive.writestr("stored.ipynb", "PLAIN", zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"PLAIN", b"BLANK"))
    said = {place.rpartition("/")[2]: text for place, text in refusals(intake.handed_in([path])[0]).items()}
    assert said["link.ipynb"] == "it is a link or a device, not a file."
    assert said["bomb.ipynb"].startswith("the file is larger than 20 MB")
    assert said["twice.ipynb"] == "the zip has several members of this name."
    assert said["stored.ipynb"].startswith("it cannot be read from the zip")


def test_nothing_to_grade_is_a_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "no.zip").write_bytes(b"PK")
    for name, sentence in {"empty": "no notebook", "no.zip": "not a zip", "gone.zip": "cannot be read"}.items():
        with pytest.raises(intake.BadIntake, match=sentence):
            intake.handed_in([tmp_path / name])


def test_files_keep_their_order_and_a_file_named_twice_is_two(tmp_path):
    put(tmp_path, "b.ipynb", "a.ipynb")
    found, many = intake.handed_in([tmp_path / "b.ipynb", tmp_path / "a.ipynb", tmp_path / "b.ipynb"])
    assert not many and [each.student for each in found] == ["b", "a", "b"]
    assert len({each.place for each in found}) == 3


def test_whose_a_single_file_is(tmp_path):
    own = put(tmp_path, f"ada/{NAME}/{NAME}.ipynb", f"{NAME}.ipynb", "bob.ipynb")
    paths = [own / "ada" / NAME / f"{NAME}.ipynb", own / f"{NAME}.ipynb", own / "bob.ipynb"]
    found, _ = intake.handed_in(paths)
    assert [each.student for each in found] == ["ada", str(paths[1]), "bob"]


def test_names_that_are_not_utf8_can_be_stored(tmp_path):
    put(tmp_path, os.fsdecode(b"\xff\xfe.ipynb"))
    (only,), _ = intake.handed_in([tmp_path])
    assert only.student == "\\udcff\\udcfe" and only.read() == b"x"
