"""The pytest plugin of the course: `pytest --nbval` on an exercise judges it, instead of running it in a kernel.

A module of its own at the top, because pytest loads it in every session: it imports nothing until a notebook of ours
comes along.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --minigrad-seed."""
    parser.getgroup("minigrad", "grading of the course's exercises").addoption(
        "--minigrad-seed",
        dest="minigrad_seed",
        type=int,
        default=None,
        help="The seed of the numbers in the checks; drawn if not given.",
    )


def asked_for(config: pytest.Config) -> bool:
    return bool(config.getoption("nbval", False) or config.getoption("nbval_lax", False))


def is_exercise(path: Path) -> bool:
    """True for a notebook that says it is an exercise of the course, or has a check of it."""
    if path.suffix != ".ipynb":
        return False
    try:
        text = path.read_text(encoding="utf-8")
        if "minigrad" not in text:
            return False
        notebook = json.loads(text)
        kind = notebook["metadata"].get("minigrad", {}).get("kind")
        if kind is not None:
            return kind in ("exercises", "solutions")
        return "%load_ext minigrad.course" in text and "@part(" in text
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return False  # nbval says what is wrong with it


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    """Take our exercises over from nbval's own collector."""
    collectors = yield
    if asked_for(parent.config) and is_exercise(file_path):
        from nbval.plugin import IPyNbFile

        from minigrad.grading.nbval import SubmissionFile

        others = [each for each in collectors if type(each) is not IPyNbFile]
        return [*others, SubmissionFile.from_parent(parent, path=file_path)]
    return collectors


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With xdist, keep the checks of one notebook in one worker."""
    if asked_for(config) and config.getoption("numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadscope"


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes of the sandbox, if any were started."""
    import sys

    grading = sys.modules.get("minigrad.grading.nbval")
    if grading and grading.JUDGE in config.stash:
        config.stash[grading.JUDGE].sandbox.close()
