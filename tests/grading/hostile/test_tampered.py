"""Tampered files earn nothing, break nothing, are not changed, and get a reason in one line."""

import copy
import hashlib
import os
import tracemalloc

import pytest
from judges import sample
from submissions import CHAPTER, EXERCISE, SOLUTION, saved
from tampered import AS_MANY_LISTS_AS_ALLOWED, TAMPERED, UNREADABLE

from minigrad_course.grading.judge.judge import read_submission
from minigrad_course.grading.records.record import plain
from minigrad_course.texts import submitted


def digest(folder):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


CHANGES = sample({"tampered": TAMPERED})


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_an_exercise_that_was_tampered_with_earns_nothing(judge, tmp_path, change):
    notebook = copy.deepcopy(EXERCISE)
    change(notebook)
    path = saved(notebook, tmp_path / "tampered.ipynb")
    before = digest(tmp_path)
    submission = read_submission(path)
    results = [judge.result(submission, check) for check in CHAPTER.checks]
    assert sum(each.points for each in results) == 0
    assert [each.possible for each in results] == [CHAPTER.points(check) for check in CHAPTER.checks]
    for line in [each.what for each in results] + [plain(each) for each in submission.notices]:
        assert line and line.isprintable() and len(line) < 1000
    assert len(submission.notices) < 30
    assert digest(tmp_path) == before


@pytest.mark.parametrize(("made", "words"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_file_that_cannot_be_read_ends_in_a_sentence(tmp_path, made, words):
    path = tmp_path / "broken.ipynb"
    path.write_bytes(made())
    with pytest.raises(submitted.Unreadable, match=words) as refused:
        read_submission(path)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 300


def test_what_reading_takes_is_bounded(tmp_path):
    """A file that becomes as many objects as it may; it ends in a sentence, too."""
    path = tmp_path / "large.ipynb"
    content, words = AS_MANY_LISTS_AS_ALLOWED
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(submitted.Unreadable, match=words) as refused:
        read_submission(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200_000_000
    assert str(refused.value).isprintable() and len(str(refused.value)) < 300


def test_links_are_not_followed(tmp_path):
    """Neither to our solution nor to what somebody else handed in."""
    other = saved(SOLUTION, tmp_path / "other.ipynb")
    (tmp_path / "hostile.ipynb").symlink_to(other)
    with pytest.raises(submitted.Unreadable, match="link"):
        read_submission(tmp_path / "hostile.ipynb")


NAMES = ["=cmd|' !A0.ipynb", "<script>alert(1)<", "-rf", "a\nb\r\x1b[2J", "\udcff\udcfe", "a::b[1]", "ü" * 100, "%s{0}"]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_files(judge, tmp_path, name):
    path = saved(SOLUTION, tmp_path / os.fsdecode(os.fsencode(f"{name}.ipynb")))
    submission = read_submission(path)
    assert judge.result(submission, "mul").passed
    assert plain(str(submission.path)).isprintable()
