"""The pytest plugin of the course: `pytest --nbval` on an exercise judges it, instead of running it in a kernel.

A module of its own at the top, because pytest loads it in every session: it imports nothing until a notebook of ours
comes along.
"""

from __future__ import annotations

import json
import secrets
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
    """True if pytest was called with --nbval or --nbval-lax."""
    return bool(config.getoption("nbval", False) or config.getoption("nbval_lax", False))


def is_ours(path: Path) -> bool:
    """True for a notebook that says it is an exercise of the course, or has answers in it.

    True as well for a file that no JSON can be read from: nbval would end the session over it, and with it the
    grading of all the other files.
    """
    if path.suffix != ".ipynb":
        return False
    if not path.is_file():
        return True  # a pipe or a device would be read for ever
    try:
        content = path.read_bytes()
        notebook = json.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return True
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        return True
    metadata = notebook.get("metadata")
    ours = metadata.get("minigrad") if isinstance(metadata, dict) else None
    kind = ours.get("kind") if isinstance(ours, dict) else None
    if kind in ("exercises", "solutions"):
        return True
    cells = notebook.get("cells")
    sources = [cell.get("source") for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []
    texts = ["".join(map(str, each)) if isinstance(each, list) else str(each) for each in sources]
    if not any("%%check" in text or "@part(" in text for text in texts):
        return False
    from minigrad.course import source

    # a lesson may show a check; one that somebody has changed is not run in a kernel
    name = ours.get("name") if isinstance(ours, dict) else None
    lesson = source.notebook("lessons", name).cells if name in source.names("lessons") else []
    return texts != [cell.source for cell in lesson]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    """Take our exercises over from nbval's own collector."""
    collectors = yield
    if asked_for(parent.config) and is_ours(file_path):
        from nbval.plugin import IPyNbFile

        from minigrad.grading.nbval import SubmissionFile

        others = [each for each in collectors if type(each) is not IPyNbFile]
        return [*others, SubmissionFile.from_parent(parent, path=file_path)]
    return collectors


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Draw one seed for the whole session; with xdist, keep the checks of one notebook in one worker."""
    if not asked_for(config):
        return
    if config.option.minigrad_seed is None:
        config.option.minigrad_seed = secrets.randbelow(1_000_000_000)
    if config.getoption("numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadscope"


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which numbers the exercises are judged with."""
    seed = config.getoption("minigrad_seed", None)
    return f"minigrad: exercises are judged with --minigrad-seed {seed}" if asked_for(config) else None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes of the sandbox, if any were started."""
    import sys

    grading = sys.modules.get("minigrad.grading.nbval")
    if grading and grading.JUDGE in config.stash:
        config.stash[grading.JUDGE].sandbox.close()
