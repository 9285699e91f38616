"""What is found in folders and zips: whose it is, what is refused, and that nothing is followed or unpacked."""

import itertools
import os
import stat
import zipfile
from pathlib import Path

import pytest
from layouts import FORMS, as_folder, as_zip, is_left_out, owned, said, students, zip_bytes
from submissions import CHAPTER, exercise, saved, solution

from minigrad_course.grading.collect import intake
from minigrad_course.texts.submitted import LARGEST

NAME = CHAPTER.name


def put(root, *places, content=b"x"):
    for place in places:
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(content)
    return root


def zipped(path, members):
    path.write_bytes(zip_bytes(members))
    return path


def refusals(found):
    return {each.place: said(each) for each in found if said(each) is not None}


def left_out(found):
    """What is not graded, and why."""
    return {each.place: said(each) for each in found if is_left_out(each)}


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
    "Moodle": (["Ada_17_assignsubmission_file_/x", "out/Bob_18_assignsubmission_file_"], ["Ada", "Bob"]),
    "one alone": (["ada/backward"], ["ada"]),
}


@pytest.mark.parametrize(("roots", "students"), CLONES.values(), ids=CLONES)
def test_of_a_clone_only_the_exercises_are_graded(tmp_path, roots, students):
    places = [f"{root}/{inside}" for root in roots for inside in (*CLONE, BACKUP, ".ipynb_checkpoints/x.ipynb")]
    folder = put(tmp_path / "submitted", *places)
    for path in (folder, zipped(tmp_path / "all.zip", dict.fromkeys(places, "x"))):
        found = intake.handed_in([path]).found
        graded = [each for each in found if each.place not in left_out(found)]
        assert sorted(each.place for each in graded) == sorted(f"{path}/{root}/{CLONE[0]}" for root in roots)
        assert sorted(each.student for each in graded) == students
        assert sorted({each.student for each in found}) == students
        for root in roots:
            for name, sentence in LEFT_OUT.items():
                assert left_out(found)[f"{path}/{root}/{name}"] == sentence


@pytest.mark.parametrize("roots", [roots for roots, _ in CLONES.values()], ids=CLONES)
def test_in_a_clone_the_copy_that_was_worked_in_counts(tmp_path, roots):
    mine = f"minigrad-course/{CLONE[0]}"
    folder = put(tmp_path / "submitted", *(f"{root}/{inside}" for root in roots for inside in (*CLONE, mine)))
    for root in roots:
        (folder / root / mine).write_text("{}")
    found = intake.handed_in([folder]).found
    graded = [each.place for each in found if each.place not in left_out(found)]
    assert sorted(graded) == sorted(f"{folder}/{root}/{mine}" for root in roots)


# what lies there, which of it is named, and for each that is found the student and the assignment
WHOSE = {
    "a clone": ([f"ada/{each}" for each in (*CLONE, f"exercises/{NAME}-2.ipynb", BACKUP)], "ada", 5 * [("ada", "")]),
    "lessons beside students": (
        ["lessons/x.ipynb", "ada/mine.ipynb", "bob/week1/mine.ipynb"],
        "",
        [("", ""), ("ada", ""), ("bob", "")],
    ),
    "notes in a clone": (
        [f"ada/x/exercises/{NAME}.ipynb", "ada/x/notes/try.ipynb", f"bob/x/exercises/{NAME}.ipynb"],
        "",
        [("ada", ""), ("ada", ""), ("bob", "")],
    ),
    "a class in exercises": (["exercises/ada.ipynb", "exercises/bob.ipynb"], "", [("ada", ""), ("bob", "")]),
    "one's own folder": ([f"ada/{NAME}/{NAME}.ipynb", f"bob/{NAME}/{NAME}.ipynb"], "ada", [("ada", NAME)]),
    "the first page of a copy": (
        [f"{each}/{inside}.ipynb" for each in ("ada", "bob") for inside in (f"exercises/{NAME}", "home")],
        "",
        [("ada", ""), ("bob", "")],
    ),
    "a file as nbgrader has it": ([f"ada/{NAME}/{NAME}.ipynb"], f"ada/{NAME}/{NAME}.ipynb", [("ada", "")]),
    "a file by its name": (["bob.ipynb"], "bob.ipynb", [("bob", "")]),
}


def test_whose_it_is_and_for_what(tmp_path):
    differs = {}
    for name, (places, named, wanted) in WHOSE.items():
        taken = intake.handed_in([put(tmp_path / name, *places) / named])
        found = sorted((each.student, each.assignment) for each in taken.found)
        if found != wanted:
            differs[name] = found
    assert differs == {}


def test_a_file_of_our_own_name_is_called_by_its_path(tmp_path):
    path = put(tmp_path, f"{NAME}.ipynb") / f"{NAME}.ipynb"
    assert [each.student for each in intake.handed_in([path]).found] == [str(path)]


def test_a_file_that_is_named_is_taken_wherever_it_lies(tmp_path):
    put(tmp_path, "Solutions/x.ipynb")
    assert not refusals(intake.handed_in([tmp_path / "Solutions" / "x.ipynb"]).found)
    assert not refusals(intake.handed_in([tmp_path / "Solutions"]).found)


def test_one_notebook_for_each_student_and_assignment(tmp_path):
    put(tmp_path, f"ada/{NAME}/{NAME}.ipynb", f"ada/{NAME}/draft.ipynb", f"bob/{NAME}/1.ipynb")
    put(tmp_path, f"bob/{NAME}/2.ipynb", content=b"y")
    (tmp_path / "eve" / NAME).mkdir(parents=True)
    taken = intake.handed_in([tmp_path])
    found = taken.found
    assert taken.many and [each.student for each in found] == ["ada", "ada", "bob", "eve"]
    assert found[0].place.endswith(f"ada/{NAME}/{NAME}.ipynb") and found[0].read() == b"x"
    assert left_out(found) == {
        found[1].place: f"not graded: {NAME}/draft.ipynb. {NAME}/{NAME}.ipynb counts, for its name and place."
    }
    said = list(refusals(found).values())[1:]
    assert said == [
        f"none of 2 notebooks was judged, because they differ, and none is called {NAME}.ipynb: {NAME}/1.ipynb, "
        f"{NAME}/2.ipynb. Delete all but one, or give that name to the one that counts.",
        "there is no notebook in the folder.",
    ]


def test_links_are_not_followed(tmp_path):
    secret = put(tmp_path / "secret", "key.ipynb", content=b"secret") / "key.ipynb"
    folder = put(tmp_path / "submitted", "honest.ipynb")
    (folder / "link.ipynb").symlink_to(secret)
    (folder / "dir").symlink_to(secret.parent)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.ipynb")
    found = intake.handed_in([folder]).found
    said = {place.rpartition("/")[2]: sentence for place, sentence in refusals(found).items()}
    assert said == {
        "link.ipynb": "this is a link to another file; submit the file itself.",
        "dir": "this is a link to a folder; submit the files themselves.",
        "loop": "this is a link to a folder; submit the files themselves.",
        "pipe.ipynb": "this is not a file; name a notebook in it.",
    }


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can list everything")
def test_a_folder_that_cannot_be_listed_is_one_refusal(tmp_path):
    put(tmp_path, f"ada/{NAME}/{NAME}.ipynb", "bob/closed/x.ipynb")
    (tmp_path / "bob" / "closed").chmod(0)
    try:
        found = intake.handed_in([tmp_path]).found
    finally:
        (tmp_path / "bob" / "closed").chmod(0o700)
    assert len(found) == 2 and "it cannot be listed" in refusals(found).popitem()[1]


def test_folders_without_end_are_one_refusal(tmp_path):
    deep = put(tmp_path / "submitted", "honest.ipynb")
    put(deep / Path(*["a"] * 500), "hidden.ipynb")
    archive = zipped(tmp_path / "all.zip", {"honest.ipynb": "x", "bob" + "/a" * 5000 + "/x.ipynb": "x"})
    for path in (deep, archive):
        found = intake.handed_in([path]).found
        (sentence,) = refusals(found).values()
        assert len(found) == 2 and "nested more than 8 deep" in sentence


UNSAFE = ["/etc/x.ipynb", "../../x.ipynb", "a/../../x.ipynb", "C:\\x.ipynb", "a\\..\\x.ipynb", "a\x1b[2J.ipynb"]


def test_unsafe_names_in_a_zip_are_refused_and_the_others_read(tmp_path):
    """In the system's zip and in a student's: nothing is unpacked, and the refusal is that student's."""
    for count, name in enumerate(UNSAFE):
        path = zipped(tmp_path / f"{count}.zip", {"ada.ipynb": "good", name: "evil", "bob.ipynb": "good"})
        found = intake.handed_in([path]).found
        (sentence,) = refusals(found).values()
        assert sentence.startswith("its name in the zip")
        assert [each.student for each in found][:2] == ["ada", "bob"] and found[0].read() == b"good"
        assert all(each.place.isprintable() for each in found)
        inner = [("ada.zip", zip_bytes({name: "evil"})), "bob/x.ipynb"]
        taken = intake.handed_in([as_folder(tmp_path / "courses" / str(count), inner)])
        assert students(taken) == ["ada", "bob"] and list(owned(taken)) == ["bob"]
        assert all(each.place.isprintable() for each in taken.found)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*(f"{n}.zip" for n in range(len(UNSAFE))), "courses"]


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
    found = intake.handed_in([path]).found
    assert len(found) == 4  # one of what is there twice
    said = {place.rpartition("/")[2]: text for place, text in refusals(found).items()}
    assert said["link.ipynb"] == "it is a link or a device, not a file."
    assert said["bomb.ipynb"].startswith("the file is larger than 20 MB")
    assert said["twice.ipynb"] == "the zip has several members with this name."
    assert said["stored.ipynb"].startswith("it cannot be read from the zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_in_a_zip_costs_only_what_it_hit(tmp_path, method):
    path = tmp_path / "week1.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("ada.ipynb", "x" * 500)
        archive.writestr("bob.ipynb", "y" * 500)
        size = archive.infolist()[0].compress_size
    whole = path.read_bytes()
    for at in range(39, 39 + size):  # in the content of the first
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        found = intake.handed_in([path]).found
        assert said(found[1]) is None and [each.student for each in found] == ["ada", "bob"]
        said(found[0])  # a sentence or a content, never another error


def test_nothing_to_grade_is_a_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "no.zip").write_bytes(b"PK")
    (tmp_path / "text.zip").write_bytes(b"hello")
    (tmp_path / "nothing.zip").write_bytes(b"")
    put(tmp_path, "ada.ipynb")
    sentences = {"empty": "no notebook", "no.zip": "damaged", "text.zip": "not a zip", "nothing.zip": "an empty file"}
    for name, sentence in sentences.items():
        with pytest.raises(intake.BadIntake, match=f"{name}: .*{sentence}"):
            intake.handed_in([tmp_path / name])
    for name in ("gone.zip", "no/such/folder", "ada.ipynb/below", "week\0.zip"):
        with pytest.raises(intake.BadIntake, match="there is no such file or folder, so nothing was graded"):
            intake.handed_in([tmp_path / "ada.ipynb", tmp_path / name])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can read everything")
def test_what_may_not_be_read_says_so(tmp_path):
    (tmp_path / "week1.zip").write_bytes(b"PK")
    (tmp_path / "week1.zip").chmod(0)
    with pytest.raises(intake.BadIntake, match="Permission denied"):
        intake.handed_in([tmp_path / "week1.zip"])


def test_files_keep_their_order_and_a_file_named_twice_is_two(tmp_path):
    put(tmp_path, "b.ipynb", "a.ipynb")
    taken = intake.handed_in([tmp_path / "b.ipynb", tmp_path / "a.ipynb", tmp_path / "b.ipynb"])
    found = taken.found
    assert not taken.many and not taken.remarks and [each.student for each in found] == ["b", "a", "b"]
    assert len({each.place for each in found}) == 3


def test_names_that_are_not_utf8_can_be_stored(tmp_path):
    put(tmp_path, os.fsdecode(b"\xff\xfe.ipynb"), "ada.ipynb")
    _, only = intake.handed_in([tmp_path]).found
    assert only.student == "\\udcff\\udcfe" and only.read() == b"x"


# --- what is no notebook -------------------------------------------------------------------------

NOTEBOOK = '{"cells": [], "nbformat": 4}'
INSTEAD = {
    "a PDF": ("report.pdf", b"%PDF-1.7", "this is a PDF, not a notebook"),
    "a PDF by another name": ("report", b"%PDF-1.7", "this is a PDF, not a notebook"),
    "a program": (f"{NAME}.py", b"print(1)", "this is a Python program, not a notebook"),
    "a notebook that is called a text": (f"{NAME}.ipynb.txt", NOTEBOOK, "this is a notebook under another name"),
    "a notebook that is called JSON": (f"{NAME}.json", NOTEBOOK, "this is a notebook under another name"),
    "JSON": ("x.json", b"[1]", "this is JSON, not a notebook"),
    "an empty file": ("x.txt", b"", "this is an empty file"),
    "an archive": ("x.7z", b"7z\xbc\xaf", "this is an archive, but not a zip"),
    "a damaged zip": ("work.zip", b"PK", "the zip is damaged"),
    "a zip by its name": ("work.zip", b"x", "this is not a zip"),
    "an empty folder": ("nothing/", b"", "there is no notebook in the folder"),
}


AROUND = ("{}/", "{}/" + NAME + "/", NAME + "/{}/", "{}_17_assignsubmission_file_/", "{}_17_1_")


def test_who_hands_in_something_else_has_a_row_that_says_so(tmp_path):
    differs = {}
    for count, (form, around, what) in enumerate(itertools.product(FORMS, AROUND, INSTEAD)):
        name, content, sentence = INSTEAD[what]
        if around.endswith("_17_1_") and name == "nothing/":
            continue  # Canvas makes no folders
        other = f"{around.format('bob').replace('17', '18')}{NAME}.ipynb"
        places = [other, (around.format("ada") + name, content)]
        taken = intake.handed_in([FORMS[form](tmp_path / str(count) / "course", places)])
        (row,) = [each for each in taken.found if each.student == "ada"]
        found = said(row)[: len(sentence)], is_left_out(row), taken.remarks, row.assignment
        if found != (sentence, False, [], NAME if NAME in around else ""):
            differs[form, around, what] = found
    assert differs == {}


def test_a_folder_of_python_programs_is_a_slip_and_no_student(tmp_path):
    programs = put(tmp_path / "p", "a.py", "b.py", "__pycache__/a.pyc")
    more = put(tmp_path / "more" / "q", "c.py")
    for paths in ([programs], [programs, more]):
        with pytest.raises(intake.BadIntake, match=r"only Python programs.*nothing was graded"):
            intake.handed_in(paths, roots={"week1": tmp_path / "week1"})
    for taken in (
        intake.handed_in([programs], roots={"p": programs}),  # graded before, so its row stays
        intake.handed_in([put(tmp_path / "q", "a.py", f"{NAME}.py")]),  # meant as an answer
    ):
        assert any(each.student for each in taken.found)


def test_what_lies_beside_a_notebook_is_one_line(tmp_path):
    files = [f"ada/{count}.pdf" for count in range(9)]
    places = [f"ada/{NAME}.ipynb", "ada/x/y.py", ("ada/bad.zip", b"PK"), "ada/README.md", "ada/.hidden", *files]
    taken = intake.handed_in(
        [as_folder(tmp_path / "course", [*places, f"bob/exercises/{NAME}.ipynb", "bob/minigrad/a.py"])]
    )
    assert owned(taken) == {"ada": [f"ada/{NAME}.ipynb"], "bob": [f"bob/exercises/{NAME}.ipynb"]}
    (line,) = [each for each in taken.found if is_left_out(each)]
    assert line.student == "ada" and "0.pdf, 1.pdf" in said(line) and "and 6 more" in said(line)


def test_an_assignment_without_a_notebook_has_a_row_of_its_own(tmp_path):
    second = "02_upstream_gradients"
    places = [f"ada/{NAME}/{NAME}.ipynb", (f"ada/{second}/work.py", b"pass"), f"bob/{second}/{second}.ipynb"]
    found = intake.handed_in([as_folder(tmp_path / "course", places)]).found
    assert [(each.student, each.assignment) for each in found] == [("ada", NAME), ("ada", second), ("bob", second)]
    assert said(found[1]).startswith("this is a Python program")


@pytest.mark.parametrize("copy", ["backup", "old", "deep/er", f"backup/{NAME}", "old 2/x"])
@pytest.mark.parametrize("around", ["ada/", f"ada/{NAME}/"])
def test_a_copy_does_not_spoil_the_honest_one(tmp_path, around, copy):
    places = [(f"{around}{NAME}.ipynb", "mine"), (f"{around}{copy}/{NAME}.ipynb", "copy"), "bob/x.ipynb"]
    taken = intake.handed_in([as_folder(tmp_path / "course", places)])
    mine, left = [each for each in taken.found if each.student == "ada"]
    assert mine.read() == b"mine" and is_left_out(left) and copy in said(left) and not taken.remarks


def test_of_several_that_are_alike_none_counts(tmp_path):
    places = [f"ada/a/{NAME}.ipynb", (f"ada/b/{NAME}.ipynb", "y"), "bob/x.ipynb"]
    row = intake.handed_in([as_folder(tmp_path / "course", places)]).found[0]
    assert said(row) == (
        f"none of 2 notebooks was judged, because they differ, and several are called {NAME}.ipynb: a/{NAME}.ipynb, "
        f"b/{NAME}.ipynb. Delete all but one."
    )


def test_of_several_with_the_same_answers_one_is_judged(tmp_path):
    saved(solution(), tmp_path / "one")
    notebook = solution()
    notebook["cells"][1]["outputs"], notebook["metadata"]["kernelspec"] = [], {"name": "mine"}
    saved(notebook, tmp_path / "again")
    saved(exercise(), tmp_path / "other")
    one, again, other = ((tmp_path / each).read_bytes() for each in ("one", "again", "other"))
    assert one != again
    for second, judged in ((one, 1), (again, 1), (other, 0)):
        places = [(f"ada/{NAME}/a.ipynb", one), (f"ada/{NAME}/b.ipynb", second), "bob/x.ipynb"]
        taken = intake.handed_in([as_folder(tmp_path / "course", places)])
        assert len(owned(taken).get("ada", ())) == judged
        assert len([each for each in taken.found if each.student == "ada"]) == 1 + judged


def test_what_systems_put_beside_the_work_is_no_work(tmp_path):
    places = [f"{each}/{NAME}/{name}" for each in ("ada", "bob") for name in (f"{NAME}.ipynb", "timestamp.txt")]
    places += [f"cyd/{NAME}/timestamp.txt", "ada/Thumbs.db", "bob/desktop.ini"]
    for form in FORMS.values():
        taken = intake.handed_in([form(tmp_path / "submitted", places)])
        assert {each.student: said(each) for each in taken.found} == {
            "ada": None,
            "bob": None,
            "cyd": "there is no notebook in the folder.",
        }
        assert len(taken.found) == 3 and not taken.remarks


# --- zips in zips --------------------------------------------------------------------------------


def test_zips_lie_three_deep_in_each_other_and_no_deeper(tmp_path):
    content = zip_bytes({f"{NAME}.ipynb": "x"})
    for depth in range(1, 6):
        path = as_zip(tmp_path / f"week{depth}", [("ada/work.zip", content), "bob/x.ipynb"])
        found = {each.student: each for each in intake.handed_in([path]).found}
        assert (said(found["ada"]) is None) == (depth <= 3)
        content = zip_bytes({"inner.zip": content})
    assert "nested more than 3 deep" in said(found["ada"]) and len(list(tmp_path.iterdir())) == 5


def test_a_bomb_in_a_zip_is_one_refusal(tmp_path):
    bomb = zip_bytes({"bomb": bytes(LARGEST + 1)})
    taken = intake.handed_in(
        [as_zip(tmp_path / "week1", [("ada.zip", bytes(LARGEST + 1)), ("bob.zip", bomb), "cyd.zip"])]
    )
    assert students(taken) == ["ada", "bob", "cyd"] and list(owned(taken)) == ["cyd"]


def test_many_zips_of_one_student_are_not_all_opened(tmp_path):
    places = [(f"ada/{count}.zip", zip_bytes({f"n{count}.ipynb": "x"})) for count in range(60)]
    taken = intake.handed_in([as_folder(tmp_path / "course", [*places, "bob/x.ipynb"])])
    assert len(owned(taken)["ada"]) == 20 and owned(taken)["bob"] == ["bob/x.ipynb"]
    assert any(is_left_out(each) and ".zip" in said(each) for each in taken.found)


@pytest.mark.parametrize("inside", ["try", "deep/er/"])
def test_of_very_many_notebooks_only_some_are_judged(tmp_path, inside):
    many = zip_bytes({f"{inside}{count}.ipynb": "x" for count in range(300)})
    places = [("ada/a.zip", many), f"ada/{NAME}.ipynb", *(f"bob/{count}.ipynb" for count in range(20))]
    taken = intake.handed_in([as_folder(tmp_path / "course", places)])
    assert len(owned(taken)["ada"]) == 20 == len(owned(taken)["bob"]) and f"ada/{NAME}.ipynb" in owned(taken)["ada"]
    (row,) = filter(is_left_out, taken.found)
    assert said(row).startswith("more than 20 notebooks") and "281" in said(row) and row.student == "ada"


def test_names_of_a_mac_s_zip_are_spelled_as_they_were(tmp_path):
    path = tmp_path / "week1.zip"
    path.write_bytes(zip_bytes({"Zo__/x.ipynb": "x", "ada/x.ipynb": "x"}).replace(b"Zo__", "Zo\u00eb".encode()))
    assert students(intake.handed_in([path])) == ["Zo\u00eb", "ada"]


# --- what was named ------------------------------------------------------------------------------


def test_one_that_is_empty_or_broken_does_not_refuse_the_others(tmp_path):
    as_folder(tmp_path, ["ada/x.ipynb", "bob/y.ipynb", "eve/", ("dan.zip", b"PK"), ("week1.zip", b"PK")])
    taken = intake.handed_in([tmp_path / each for each in ("ada", "bob", "eve", "dan.zip", "week1.zip")])
    rows = {each.place.rpartition("/")[2]: (each.student, said(each)) for each in taken.found}
    assert rows["eve"] == ("eve", "there is no notebook in the folder.")
    assert rows["dan.zip"] == ("dan", "the zip is damaged; get it again.")
    assert rows["week1.zip"] == ("", "the zip is damaged; get it again.")
    assert sorted(owned(taken)) == ["ada", "bob"]


def class_of(tmp_path):
    places = [f"submitted/ada/{NAME}/{NAME}.ipynb", "submitted/mallory/ada/x.ipynb", "submitted/mallory/eve/x.ipynb"]
    as_folder(tmp_path, [*places, "submitted/bob/x.ipynb", "submitted/notes.txt"])
    return {"submitted": (tmp_path / "submitted").resolve()}


@pytest.mark.parametrize("named", ["submitted", "submitted/", "submitted/mallory", "submitted/mallory/ada/x.ipynb"])
def test_what_lies_in_a_known_folder_is_called_and_owned_as_there(tmp_path, monkeypatch, named):
    roots = class_of(tmp_path)
    monkeypatch.chdir(tmp_path)
    whole = {each.place: each.student for each in intake.handed_in([Path("submitted")]).found}
    for path in (Path(named), tmp_path / named):
        taken = intake.handed_in([path], roots=roots)
        inside = {place: student for place, student in whole.items() if place.startswith(named.rstrip("/"))}
        assert {each.place: each.student for each in taken.found} == inside and inside
        assert {each.root for each in taken.found} == {"submitted"}
        assert taken.roots["submitted"].whole == (named.rstrip("/") == "submitted")
        assert all(map(taken.roots["submitted"].covers, inside))
        assert taken.roots["submitted"].covers("submitted/bob/x.ipynb") == taken.roots["submitted"].whole
        assert not taken.roots["submitted"].covers("submitted/mallory2/x.ipynb") or taken.roots["submitted"].whole


def test_remarks_are_on_what_was_named(tmp_path, monkeypatch):
    roots = class_of(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert not intake.handed_in([Path("submitted/ada")], roots=roots).remarks
    (remark,) = intake.handed_in([Path("submitted/mallory")], roots=roots).remarks
    assert "submitted/mallory" in remark
    whole = intake.handed_in([Path("submitted")], roots=roots)
    assert remark in whole.remarks and whole.roots["submitted"].remarks == whole.remarks


def test_a_name_that_is_taken_is_not_used_for_another_folder(tmp_path, monkeypatch):
    roots = class_of(tmp_path / "first")
    class_of(tmp_path / "second")
    monkeypatch.chdir(tmp_path / "second")
    taken = intake.handed_in([Path("submitted/")], roots=roots)
    shown = str((tmp_path / "second" / "submitted").resolve())
    assert {each.root for each in taken.found} == {shown} and taken.found[0].place.startswith(f"{shown}/")


def test_what_is_named_twice_in_a_folder_is_there_once(tmp_path):
    class_of(tmp_path)
    once = intake.handed_in([tmp_path / "submitted"]).found
    paths = [tmp_path / each for each in ("submitted/ada", "submitted", f"submitted/ada/{NAME}/{NAME}.ipynb")]
    assert sorted(each.place for each in intake.handed_in(paths).found) == sorted(each.place for each in once)
