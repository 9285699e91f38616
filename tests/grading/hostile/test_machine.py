"""What a confined process may do on this machine, with each layer missing in turn; and the report that says so."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import minigrad_program_text as job
import pytest

from minigrad_course.grading.judge.sandbox import Sandbox, confine
from minigrad_course.grading.judge.sandbox.confine import sentences
from minigrad_course.grading.records.record import Limits

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
whole = pytest.mark.skipif(
    sys.platform != "linux" or confine.missing() != [] or confine.landlock.version() < 6,
    reason="this system lacks a layer, so none can be taken off",
)
CALLS = {sentences.NO_CALLS}
FREE = {
    sentences.CAN_SEE,
    sentences.CAN_READ,
    sentences.CAN_WRITE,
    sentences.CAN_CONNECT,
    sentences.CAN_START,
    sentences.CAN_SIGNAL,
}
WITHOUT = {
    # what is open if only this layer is missing
    "limits": {sentences.CAN_GROW},
    "view": {sentences.CAN_SEE},
    "user": set(),
    "files": set(),  # without rules for paths, the filter refuses all calls that take one
    "calls": CALLS | {sentences.CAN_CONNECT},
}


def unconfined(layers, fork=True):
    with Sandbox({"minigrad.__init__": ""}, job.TEXT, Limits(), fork=fork, layers=layers) as sandbox:
        said = set(sandbox.unconfined)
        assert sandbox.run({"say": "hello"}).text == "hello"  # and it still works
        assert set(sandbox.unconfined) == said
    return said


@whole
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "once"])
def test_nothing_is_open_with_all_layers(fork):
    assert unconfined(confine.LAYERS, fork) == set()


@whole
@pytest.mark.parametrize("layer", confine.LAYERS)
def test_a_layer_that_is_missing_is_reported_with_what_it_leaves_open(layer):
    layers = [each for each in confine.LAYERS if each != layer]
    root = {sentences.STILL_ROOT} if ROOT and layer == "user" else set()
    assert unconfined(layers) == WITHOUT[layer] | root


def test_an_unconfined_process_finds_everything_open():
    """So the attempts are able to succeed."""
    script = f"import json, sys; sys.path.insert(0, {str(Path(confine.__file__).parents[1])!r}); import confine; "
    done = subprocess.run(
        [sys.executable, "-I", "-c", script + "print(json.dumps(confine.possible()))"], capture_output=True, text=True
    )
    expected = FREE | {sentences.CAN_GROW} | ({sentences.STILL_ROOT} if ROOT else set())
    if sys.platform != "linux":
        expected &= set(json.loads(done.stdout)) | {sentences.CAN_READ, sentences.CAN_CONNECT}
    assert set(json.loads(done.stdout)) == expected


UNPRIVILEGED = """
import json, os, sys
from minigrad_course.grading.judge.judge import Judge
from minigrad_course.grading.judge.judge import read_submission
from pathlib import Path
assert os.geteuid() != 0
class Listening(Judge):
    def run_cells(self, *given, **named):
        run = super().run_cells(*given, **named)
        self.heard += run.text  # with an answer's own lines, which no page shows
        return run
with Listening(seed=1) as judge:
    print(judge.sandbox.unconfined)
    chapter, reference, *paths = sys.argv[1:]
    judge.know({(chapter, "mul"): reference})  # what ours prints: nobody needs torch then
    for path in paths:
        judge.heard = ""
        result = judge.result(read_submission(Path(path)), "mul")
        print(result.passed, judge.heard.count("a secret of the room"), sep=" ")
"""


@whole
@pytest.mark.skipif(shutil.which("unshare") is None, reason="the system has no unshare")
def test_an_instructor_without_privileges(room, tmp_path):
    """In a user namespace without any rights, where changing the user is neither needed nor possible."""
    from answers import READS, WRITES
    from luck import right
    from submissions import CHAPTER, saved, solution

    if subprocess.run(
        ["unshare", "--user", "--map-user=1000", "--map-group=1000", "true"], capture_output=True
    ).returncode:
        pytest.skip("this system lets nobody make a user namespace")
    attacks = [READS["files"], READS["the judge's memory and environment"], WRITES["files"]]
    paths = [saved(solution(), tmp_path / "honest.ipynb")] + [
        saved(solution(mul=room.filled(attack.answer)), tmp_path / f"{count}.ipynb")
        for count, attack in enumerate(attacks)
    ]
    command = [
        "unshare",
        "--user",
        "--map-user=1000",
        "--map-group=1000",
        sys.executable,
        "-c",
        UNPRIVILEGED,
        CHAPTER.name,
        right("mul", 1),
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines() == ["[]", "True 0", "False 0", "False 0", "False 0"], done.stderr
    assert room.changes() == []
