"""Taking the answers out of a submission: what is found, what is noticed, and what cannot be read."""

import contextlib
import itertools
import json
import os
import pickle
import random

import pytest
from submissions import CHAPTER, EXERCISE, SOLUTION, cell

from minigrad_course.grading.judge.judge import MOST_IDS, read_submission
from minigrad_course.texts import source, submitted
from minigrad_course.texts.submitted import Unreadable


@pytest.fixture
def exercise():
    return pickle.loads(pickle.dumps(EXERCISE))  # a deep copy, in a fifth of the time


@pytest.fixture
def save(tmp_path):
    """Write a notebook, or bytes, and read it as a submission."""

    def save(content):
        path = tmp_path / "submission.ipynb"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return read_submission(path)

    return save


def code(text, **fields):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text, **fields}


# --- what is found -------------------------------------------------------------------------------


def test_all_answers_are_found_and_there_is_nothing_to_notice(save):
    found = save(SOLUTION)
    assert found.chapter is CHAPTER and found.notices == ()
    assert list(found.answers) == [part.name for part in CHAPTER.parts]
    assert found.answers["mul"] == cell(SOLUTION, "mul")["source"]


def test_without_ids_answers_are_found_by_their_part(save, exercise):
    for each in exercise["cells"]:
        del each["id"]
    exercise["nbformat_minor"] = 4
    random.Random(1).shuffle(exercise["cells"])
    found = save(exercise)
    assert len(found.answers) == len(CHAPTER.parts) and found.notices == ()


def test_which_cell_answers(save, exercise):
    """The one that names the part, wherever it is and in whatever form; else the one that is there for it."""
    cell(exercise, "mul")["source"] = "# below"
    better = ["@part('mul')\n", "class Better: pass"]
    exercise["cells"].append(code(better, id="new"))
    cell(exercise, "pow")["source"] = "class Pow: pass"
    exercise["cells"].append(code('# @part("div")\nclass Old: pass', id="old"))
    exercise["cells"].insert(0, code("import os", id="extra"))
    for kind in ("markdown", "raw"):
        exercise["cells"].append({"cell_type": kind, "metadata": {}, "source": '@part("div")', "id": kind})
    for each in exercise["cells"]:
        if each["cell_type"] == "code" and each["id"].startswith("check-"):
            each["source"] += "\nprint('mine')"
    answers = save(exercise).answers
    wanted = {part.name: cell(EXERCISE, part.name)["source"] for part in CHAPTER.parts}
    assert answers == wanted | {"mul": "".join(better), "pow": "class Pow: pass"}


def test_the_chapter_is_known_by_its_parts_if_the_metadata_are_gone(save, exercise):
    del exercise["metadata"]["minigrad"]
    found = save(exercise)
    assert found.chapter is CHAPTER
    assert found.notices == (
        ("it does not say which exercise it is, as some programs remove that; by its parts, 01_scalar_backward."),
    )


# --- what a person should know of ----------------------------------------------------------------

CHECK, OURS = "the check of mul", "ours was run."
BARE = "the check of mul has other metadata than in the exercise, as some programs remove it; ours was run."
LAST = "2 cells answer mul; the last one that was edited is judged."
MINE = code('@part("mul")\nclass Mine(Function):\n    pass', id="mine")
# what is done to the exercise, by the ids of its cells, and what is said of it
NOTICES = {
    "an edited check": (
        lambda cells: cells["check-mul"].update(source=f"{cell(EXERCISE, 'check-mul')['source']}\nprint('x')"),
        f"{CHECK} is not the one in the exercise; {OURS}",
    ),
    "a deleted check": (lambda cells: cells.pop("check-mul"), f"{CHECK} is not there; {OURS}"),
    "a copied check": (
        lambda cells: cells.update(copy=cells["check-mul"] | {"id": "copy"}),
        f"there are 2 checks of mul; {OURS}",
    ),
    "a copied answer": (
        lambda cells: cells.update(copy=cells["mul"] | {"id": "copy"}),
        "2 cells answer mul; the one in its own place is judged.",
    ),
    "a doubled id": (lambda cells: cells["title"].update(id="end"), "2 cells have the id 'end'."),
    "points": (lambda cells: cells["check-mul"]["metadata"]["minigrad"].update(points=100), BARE),
    "nbgrader's points": (lambda cells: cells["check-mul"]["metadata"]["nbgrader"].update(points=100), BARE),
    "no metadata": (lambda cells: cells["check-mul"].update(metadata={}), BARE),
    "an answer below a stub": (lambda cells: cells.update(mine=MINE), LAST),
    "two new cells": (
        lambda cells: cells.update(mul=MINE | {"id": "other", "source": "@part('mul')"}, mine=MINE),
        LAST,
    ),
    "all ids the same": (
        lambda cells: [each.update(id="same") for each in cells.values()],
        f"{len(EXERCISE['cells'])} cells have the id 'same'.",
    ),
}


def test_what_was_done_to_an_exercise_is_noticed(save):
    differs = {}
    for name, (change, notice) in NOTICES.items():
        cells = {each["id"]: pickle.loads(pickle.dumps(each)) for each in EXERCISE["cells"]}
        change(cells)
        found = save(EXERCISE | {"cells": list(cells.values())})
        wanted = (MINE if notice == LAST else cell(EXERCISE, "mul"))["source"]
        if found.notices != (notice,) or found.answers["mul"] != wanted or len(found.answers) != len(CHAPTER.parts):
            differs[name] = found.notices, found.answers
    assert differs == {}


def test_notices_are_not_endless(save, exercise):
    exercise["cells"] += [code("", id=f"{'x' * 1000}{count // 2}") for count in range(2000)]
    found = save(exercise)
    assert len(found.notices) == MOST_IDS + 1 and found.notices[-1] == "995 more ids belong to several cells."
    assert all(len(each) < 200 for each in found.notices)


# --- what cannot be read -------------------------------------------------------------------------

NO_JSON = submitted.NO_JSON
BYTES = {
    "empty": (b"", NO_JSON),
    "half a notebook": (json.dumps(EXERCISE).encode()[:5000], NO_JSON),
    "UTF-16": (json.dumps(EXERCISE).encode("utf-16"), NO_JSON),
    "a deep object": (b'{"nbformat": 4, "cells": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001, NO_JSON),
    "a number of 100,000 digits": (b'{"nbformat": ' + b"4" * 100_000 + b"}", NO_JSON),
    "a list": (b"[]", "this is not a notebook."),
    "null": (b"null", "this is not a notebook."),
    "an object": (b"{}", "this is not a notebook."),
    "no cells": (b'{"nbformat": 4}', "the notebook is damaged: it has no list of cells."),
    "metadata that are none": (
        b'{"nbformat": 4, "cells": [], "metadata": 5}',
        "the notebook is damaged: it has no list of cells.",
    ),
    "a cell that is none": (b'{"nbformat": 4, "cells": [5]}', "the notebook is damaged: cell 1 has no source."),
    "no source": (b'{"nbformat": 4, "cells": [{}]}', "the notebook is damaged: cell 1 has no source."),
    "a source of numbers": (
        b'{"nbformat": 4, "cells": [{"source": ""}, {"source": [1]}]}',
        "the notebook is damaged: cell 2 has no source.",
    ),
    "not ours": (
        b'{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": "x"}]}',
        "this is not one of the course's exercises.",
    ),
    "a lesson": (
        json.dumps(
            {"nbformat": 4, "cells": [], "metadata": {"minigrad": {"kind": "lessons", "name": CHAPTER.name}}}
        ).encode(),
        "this is a lesson, not an exercise.",
    ),
    "nothing in it": (b'{"nbformat": 4, "cells": []}', "this is not one of the course's exercises."),
}


def refusal(save, content):
    """Why something cannot be read; empty if it can."""
    try:
        save(content)
    except Unreadable as refused:
        return str(refused)
    return ""


def test_unreadable(save):
    said = {name: refusal(save, content) for name, (content, _) in BYTES.items()}
    assert said == {name: sentence for name, (_, sentence) in BYTES.items()}


def test_another_format(save):
    for version in (3, 2, 5, -1, 10**50, 1e400, "4", None, [[]] * 9, {"a": 1}, float("nan")):
        said = refusal(save, EXERCISE | {"nbformat": version})
        assert said.startswith("the notebook is in an old or unknown format ("), version
        assert said.endswith("open it in JupyterLab and save it, which makes it nbformat 4."), version
        assert "\n" not in said and len(said) < 200, version


def test_too_large(save, exercise, monkeypatch):
    monkeypatch.setattr(submitted, "LARGEST", 1_000_000)
    cell(exercise, "mul")["outputs"] = ["x" * 1_000_000]
    with pytest.raises(Unreadable) as refused:
        save(exercise)
    assert str(refused.value) == "the file is larger than 1 MB; clear its outputs and save it again."


LINK = "this is a link to another file; submit the file itself."


def test_files_that_are_none(tmp_path):
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "dangling.ipynb").symlink_to(tmp_path / "nothing")
    (tmp_path / "circle.ipynb").symlink_to(tmp_path / "circle.ipynb")
    (tmp_path / "device.ipynb").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.ipynb")
    sentences = {
        "folder": "this is not a file; name a notebook in it.",
        "device": LINK,
        "pipe": "this is not a file; name a notebook in it.",
        "dangling": LINK,
        "circle": LINK,
        "missing": "there is no such file.",
        "null\0byte": "there is no such file.",
        "x" * 5000: "the file cannot be read: File name too long.",
    }
    for name, sentence in sentences.items():
        with pytest.raises(Unreadable) as refused:
            read_submission(tmp_path / f"{name}.ipynb")
        assert str(refused.value) == sentence, name


@contextlib.contextmanager
def nobody():
    """Without the rights of the superuser, to whom no mode forbids anything."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


def test_permission_denied(save, tmp_path):
    save(SOLUTION)
    (tmp_path / "submission.ipynb").chmod(0)
    with nobody(), pytest.raises(Unreadable) as refused:
        read_submission(tmp_path / "submission.ipynb")
    assert str(refused.value) == "the file cannot be read: Permission denied."


# --- strange content that is read all the same ---------------------------------------------------


def test_lone_surrogates_and_control_characters(save, exercise):
    cell(exercise, "mul")["source"] += "\n# \ud800 \0 \x1b[31m"
    cell(exercise, "title")["id"] = cell(exercise, "end")["id"] = "\ud800\x1b[31m"
    found = save(exercise)
    assert "\ud800" in found.answers["mul"]
    assert found.notices == ("2 cells have the id '\\ud800\\x1b[31m'.",)


def test_of_doubled_keys_the_last_counts(save):
    text = json.dumps(EXERCISE)
    assert save(f'{{"cells": 5, "metadata": 7, {text[1:]}'.encode()).notices == ()
    with pytest.raises(Unreadable):
        save(f'{text[:-1]}, "cells": 5}}'.encode())


STRANGE = [None, 5, "x", [], {}, [5], {"x": 5}, 1e308, True]


FIELDS = ["metadata", "id", "outputs", "execution_count", "cell_type"]


def test_fields_of_wrong_types(save):
    every, differs = {part.name for part in CHAPTER.parts}, {}
    for field, value in itertools.product(FIELDS, STRANGE):
        cells = [each | {field: value} for each in EXERCISE["cells"]]
        try:
            found = save(EXERCISE | {"cells": cells}).answers.keys()
        except Unreadable as refused:
            if "\n" in str(refused):
                differs[field, str(value)] = str(refused)
        else:
            if found != (every if field != "cell_type" else set()):
                differs[field, str(value)] = found
    assert differs == {}


def test_notebook_metadata_of_wrong_types(save):
    for value in STRANGE:
        for ours in (value, {"kind": value, "name": value}, {"kind": "exercises", "name": value}):
            metadata = EXERCISE["metadata"] | {"minigrad": ours}
            assert save(EXERCISE | {"metadata": metadata}).chapter is CHAPTER, ours


# --- honest habits -------------------------------------------------------------------------------


def test_a_check_of_ones_own_and_what_tools_add_are_nobodys_business(save, exercise):
    exercise["cells"].append(code("%%check mul\nprint(torch.tensor(2.0) * 3)", id="mine"))
    for each in exercise["cells"]:
        if "nbgrader" in each["metadata"]:
            each["metadata"]["nbgrader"] |= {"checksum": "0123", "cell_type": "code"}
    assert save(exercise).notices == ()


@pytest.mark.parametrize(
    "line", ['@ part ("mul")', "@part( 'mul' )", '@part("""mul""")', 'part("mul")(Mul)', '  @part("mul")']
)
def test_a_part_is_found_however_it_is_handed_over(line):
    assert source.PART.findall(f"import math\n{line}\n") == ["mul"]
