"""The pytest plugin of the course: `pytest --nbval` on an exercise judges it, instead of running it in a kernel.

What it cannot judge nbval runs, unconfined; the last line of a session says of which notebooks that is true. Somebody
else's `conftest.py` beside an exercise is refused: it would run with the grader's rights, and could judge itself.

A module of its own at the top, because pytest loads it in every session: it imports nothing until a notebook of ours
comes along.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

LARGEST_SEED = 2**32 - 1  # that `minigrad grade` takes, too
MOST_NAMES = 5  # of notebooks that the last line names


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --minigrad-seed."""
    parser.getgroup("minigrad", "grading of the course's exercises").addoption(
        "--minigrad-seed",
        dest="minigrad_seed",
        type=seed,
        default=None,
        help="The seed of the numbers in the checks; drawn if not given.",
    )


def seed(text: str) -> int:
    """A seed from the command line."""
    try:
        if 0 <= (number := int(text)) <= LARGEST_SEED:
            return number
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"a seed is a whole number from 0 to {LARGEST_SEED}")


def asked_for(config: pytest.Config) -> bool:
    """True if pytest was called with --nbval or --nbval-lax."""
    return bool(config.getoption("nbval", False) or config.getoption("nbval_lax", False))


def is_ours(path: Path) -> bool:
    """True for a notebook that says it is an exercise of the course, or has answers in it.

    True as well for a file that no JSON can be read from: nbval would end the session over it, and with it the
    grading of all the other files.
    """
    if path.suffix.lower() != ".ipynb":
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
    texts = list(sources(notebook))
    if not any("%%check" in text or "@part(" in text for text in texts):
        return False
    from minigrad.course import source

    # a lesson may show a check; one that somebody has changed is not run in a kernel
    name = ours.get("name") if isinstance(ours, dict) else None
    lesson = source.notebook("lessons", name).cells if name in source.names("lessons") else []
    return texts != [cell.source for cell in lesson]


def sources(notebook: dict[str, Any]) -> Iterator[str]:
    """The text of every cell, of whatever kind; an old notebook has them in sheets."""
    sheets = notebook.get("worksheets")
    for sheet in [notebook, *(sheets if isinstance(sheets, list) else [])]:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in cells if isinstance(cells, list) else []:
            if isinstance(cell, dict):
                text = cell.get("source", cell.get("input"))
                yield "".join(map(str, text)) if isinstance(text, list) else str(text)


# --- what would run beside the judge -------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Refuse a conftest.py beside or above an exercise, or elsewhere in the named folder, before it is run."""
    options = early_config.known_args_namespace
    if options.noconftest or not (getattr(options, "nbval", False) or getattr(options, "nbval_lax", False)):
        return
    top = early_config.invocation_params.dir
    highest = Path(os.path.abspath(top / options.confcutdir)) if options.confcutdir else None
    never = early_config.getini("norecursedirs")
    for named in named_paths(early_config):
        folder = named if named.is_dir() else named.parent
        above = [each for each in (folder, *folder.parents) if highest is None or each not in highest.parents]
        conftests = [each / "conftest.py" for each in above if (each / "conftest.py").is_file()]
        if named.is_dir():
            conftests += [path for path in files_in(named, never) if path.name == "conftest.py"]
        if conftests and any(map(is_ours, files_in(named, never))):
            from minigrad.grading.judge import plain

            raise pytest.UsageError(
                f"{plain(os.path.relpath(conftests[0], top))} would run here unconfined, with your rights, before the "
                "exercises are judged. Judge them with `minigrad grade FILE`, add --noconftest, or move the notebooks "
                "to a folder without it."
            )


def named_paths(config: pytest.Config) -> list[Path]:
    """What pytest was told to collect from, as far as it is there."""
    top = config.invocation_params.dir
    named = config.known_args_namespace.file_or_dir
    if not named and top == config.rootpath:
        named = [path for pattern in config.getini("testpaths") for path in top.glob(pattern)]
    paths = [Path(os.path.abspath(top / str(each).partition("::")[0])) for each in named or [top]]
    return [path for path in paths if os.path.lexists(path)]


def files_in(named: Path, never: Iterable[str]) -> Iterator[Path]:
    """A file itself; of a folder all files in it, but for the folders that pytest leaves out too."""
    if not named.is_dir():
        yield named
        return
    seen = set()
    for folder, folders, files in os.walk(named, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = [] if real in seen else [each for each in folders if is_looked_into(Path(folder, each), never)]
        seen.add(real)
        yield from (Path(folder, each) for each in sorted(files))


def is_looked_into(folder: Path, never: Iterable[str]) -> bool:
    """False for a folder that pytest leaves out: a virtual environment, or one with such a name."""
    return not (folder / "pyvenv.cfg").is_file() and not any(fnmatch.fnmatch(folder.name, each) for each in never)


# --- collecting ----------------------------------------------------------------------------------


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


def pytest_configure(config: pytest.Config) -> None:
    """Count what is judged and what is not, where the terminal is."""
    if asked_for(config) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(config), "minigrad_tally")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which numbers the exercises are judged with."""
    seed = config.getoption("minigrad_seed", None)
    return f"minigrad: exercises are judged with --minigrad-seed {seed}" if asked_for(config) else None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes of the sandbox, if any were started."""
    grading = sys.modules.get("minigrad.grading.nbval")
    if grading and grading.JUDGE in config.stash:
        config.stash[grading.JUDGE].sandbox.close()


# --- the last line -------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Note on the report of an item how its file was run; a worker of xdist sends that along."""
    report = yield
    if asked_for(item.config) and item.parent is not None:
        report.minigrad = [way_of(item), item.parent.nodeid]
    return report


def way_of(item: pytest.Item) -> str:
    """How an item is run: "judged" in the sandbox, "refused" as it cannot be read, by "nbval", or by "python"."""
    grading = sys.modules.get("minigrad.grading.nbval")
    if grading and isinstance(item, grading.CheckCell):
        return "judged"
    if grading and isinstance(item, grading.Complaint):
        return "refused" if item.name == "file" else ""
    nbval = sys.modules.get("nbval.plugin")
    return "nbval" if nbval and isinstance(item, nbval.IPyNbCell) else "python"


class Tally:
    """Which files were run in which way."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.files: dict[str, dict[str, None]] = {way: {} for way in ("judged", "refused", "nbval", "python")}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a file; as judged only once a check of it has run."""
        way, name = getattr(report, "minigrad", ("", ""))
        if way in self.files and (way != "judged" or report.when == "call"):
            self.files[way][name] = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Any:
        """Say it below everything else."""
        result = yield
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal and any(self.files[way] for way in ("judged", "refused", "nbval")):
            terminal.ensure_newline()
            terminal.write_line(self.sentence())
        return result

    def sentence(self) -> str:
        """How many notebooks were judged in the sandbox, and which were not."""
        parts = [f"{notebooks(self.files['judged'])} judged in the sandbox"]
        if found := self.files["refused"]:
            parts.append(f"{notebooks(found)} refused: {listed(found)}")
        if found := self.files["nbval"]:
            parts.append(f"{notebooks(found)} run by nbval itself, unconfined and ungraded: {listed(found)}")
        if found := self.files["python"]:
            parts.append(f"{len(found)} other file{'s' * (len(found) != 1)} run by pytest, unconfined: {listed(found)}")
        return f"minigrad: {'; '.join(parts)}."


def notebooks(found: dict[str, None]) -> str:
    """1 notebook, 2 notebooks."""
    return f"{len(found)} notebook{'s' * (len(found) != 1)}"


def listed(found: dict[str, None]) -> str:
    """Some names, safe to print."""
    from minigrad.grading.judge import plain

    names = [plain(name, 60) for name in list(found)[:MOST_NAMES]]
    more = len(found) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
