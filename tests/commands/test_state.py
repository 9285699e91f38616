"""Nothing stays changed in a process that calls us: each command, each magic, and a grading, before and after."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import compiled
import pytest

from minigrad_course.texts import source

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals, limits and masks are POSIX's")

SECONDS = 600


def called(folder: Path, *names: str) -> dict[str, list[str]]:
    """What is left behind by the calls of state.py, in a clone in which `new-part` may write."""
    clone, work = folder / "clone", folder / "work"
    compiled.copy(clone)
    for kind in source.KINDS:
        shutil.copytree(source.notebooks_folder() / kind, clone / kind)
    shutil.copy(source.notebooks_folder() / "LICENSE", clone)
    shutil.copytree(clone / "exercises", work / "exercises", ignore=shutil.ignore_patterns("source"))
    state = {"HOME": str(folder), "XDG_STATE_HOME": str(folder), "PYTHONPATH": str(clone), "COLUMNS": "120"}
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", str(Path(__file__).with_name("state.py")), str(work), *names],
        cwd=work,
        env=os.environ | state,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, list[str]] = json.loads(ended.stdout[ended.stdout.rindex("\x1e") + 1 :])
    return found


@pytest.mark.timeout(SECONDS + 20)
def test_what_belongs_to_a_process_is_as_before_after_every_command_magic_and_grading(tmp_path: Path) -> None:
    """Also after an error and a Ctrl-C, with torch imported and without, and whatever a script changes meanwhile."""
    assert called(tmp_path) == {}
