"""Tampered files earn nothing, break nothing, are not changed, and get a reason in one line."""

import copy
import hashlib
import os
import tracemalloc

import pytest
from submissions import CHAPTER, EXERCISE, SOLUTION, cell, saved

from minigrad_course.grading.judge.judge import read_submission
from minigrad_course.grading.records.record import plain
from minigrad_course.texts import submitted


def digest(folder):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


# --- the untouched exercise, made to look as if it had been solved, or to break the reader ---------


def checks(notebook):
    return [cell(notebook, f"check-{check}") for check in CHAPTER.checks]


def answers(notebook):
    return [cell(notebook, part.name) for part in CHAPTER.parts]


def skipped_checks_with_other_points(notebook):
    for each in checks(notebook):
        each["metadata"]["tags"] = ["nbval-skip", "skip-execution", "raises-exception", "nbval-ignore-output"]
        each["metadata"]["minigrad"]["points"] = each["metadata"]["nbgrader"]["points"] = 10**6
        each["source"] = "# NBVAL_SKIP\n# NBVAL_IGNORE_OUTPUT\n" + each["source"]
    for each in answers(notebook):
        each["metadata"]["nbgrader"] |= {"grade": True, "points": 1000, "solution": False}


def swapped_ids_and_metadata(notebook):
    for check, answer in zip(checks(notebook), answers(notebook), strict=False):
        check["id"], answer["id"] = answer["id"], check["id"]
    for check, answer in zip(checks(notebook)[::2], answers(notebook)[::2], strict=False):
        check["metadata"], answer["metadata"] = answer["metadata"], check["metadata"]


def one_id_for_all_and_doubled(notebook):
    for each in notebook["cells"]:
        each["id"] = "mul"
    notebook["cells"] += copy.deepcopy(notebook["cells"]) * 3


def checks_as_answers(notebook):
    for check, part in zip(checks(notebook), CHAPTER.parts, strict=False):
        check["source"] = f'@part("{part.name}")\n{check["source"]}'
        check["id"] = part.name


def solved_elsewhere(notebook):
    """Right answers stand where none is looked for: markdown, raw cells, outputs, metadata."""
    right = cell(SOLUTION, "mul")["source"]
    kinds = ("markdown", "raw", "heading")
    more = [{"cell_type": kind, "id": "mul", "metadata": {}, "source": right} for kind in kinds]
    notebook["cells"] = [*more, *notebook["cells"]]
    notebook["metadata"]["mul"] = right
    notebook["metadata"]["minigrad"] = {"kind": "solutions", "name": f"../{CHAPTER.name}", "version": 10**9}
    cell(notebook, "check-mul")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": right}]


def strange_names(notebook):
    for count, each in enumerate(notebook["cells"]):
        each["id"] = ["\ud800", "\0", "../" * 1000, "<b>", "=1+1", 5, None, [], {"a": 1}][count % 9]
    notebook["cells"][5]["execution_count"] = float("nan")
    notebook["metadata"]["x"] = [float("inf"), 1e308, -0.0, 10**300]
    notebook["worksheets"] = [{"cells": copy.deepcopy(notebook["cells"])}]
    notebook["metadata"]["authors"] = [{"name": "</script><script>alert(1)</script>"}]


def much_of_everything(notebook):
    extra = {"cell_type": "code", "metadata": {}, "outputs": [], "source": '@part("mul")\nclass Mul: pass'}
    notebook["cells"] += [dict(extra, id=f"x{n}") for n in range(5_000)]
    cell(notebook, "mul")["source"] = " \t" * 500_000 + "part(" + "\n" * 500_000 + "'" * 500_000
    cell(notebook, "pow")["source"] = "part('pow'\n" * 200_000


CHANGES = (
    *(skipped_checks_with_other_points, swapped_ids_and_metadata, one_id_for_all_and_doubled, checks_as_answers),
    *(solved_elsewhere, strange_names, much_of_everything),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_exercise_that_was_tampered_with_earns_nothing(judge, tmp_path, change):
    notebook = copy.deepcopy(EXERCISE)
    change(notebook)
    path = saved(notebook, tmp_path / "tampered.ipynb")
    before = digest(tmp_path)
    submission = read_submission(path)
    results = [judge.result(submission, check) for check in ("mul", "pow", CHAPTER.together)]
    assert sum(each.points for each in results) == 0
    assert [each.possible for each in results] == [CHAPTER.points(each.check) for each in results]
    for line in [each.what for each in results] + [plain(each) for each in submission.notices]:
        assert line and line.isprintable() and len(line) < 1000
    assert len(submission.notices) < 30
    assert digest(tmp_path) == before


# --- files that cannot be read --------------------------------------------------------------------

PIECES = "more lists than any notebook"
UNREADABLE = {  # functions: they are large
    "20 MB of brackets": (lambda: b"[" * 20_000_000, PIECES),
    "20 MB of escapes": (lambda: b'{"nbformat": "' + b"\\u0041" * 3_000_000 + b'"}', "format"),
    "20 MB of cells": (lambda: b'{"nbformat": 4, "cells": [' + b'{"source":""},' * 1_400_000 + b"{}]}", PIECES),
}


def test_a_large_file_that_cannot_be_read_ends_in_a_sentence(tmp_path):
    path = tmp_path / "broken.ipynb"
    for made, words in UNREADABLE.values():
        path.write_bytes(made())
        with pytest.raises(submitted.Unreadable, match=words) as refused:
            read_submission(path)
        assert str(refused.value).isprintable() and len(str(refused.value)) < 300


def test_what_reading_takes_is_bounded(tmp_path):
    """A file that becomes as many lists as it may; it ends in a sentence, too."""
    path = tmp_path / "large.ipynb"
    path.write_bytes(b'{"nbformat": 4, "cells": [' + b"[]," * 999_990 + b"[]]}")
    tracemalloc.start()
    with pytest.raises(submitted.Unreadable, match="cell 1 has no source"):
        read_submission(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200_000_000


NAMES = ["=cmd|' !A0.ipynb", "<script>alert(1)<", "-rf", "a\nb\r\x1b[2J", "\udcff\udcfe", "a::b[1]", "ü" * 100, "%s{0}"]


def test_names_of_files(judge, tmp_path):
    for name in NAMES:
        path = saved(SOLUTION, tmp_path / os.fsdecode(os.fsencode(f"{name}.ipynb")))
        submission = read_submission(path)
        assert judge.result(submission, "mul").passed, name
        assert plain(str(submission.path)).isprintable(), name
