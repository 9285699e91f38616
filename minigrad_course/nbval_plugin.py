"""The pytest plugin of the course: `pytest --nbval` on an exercise judges it, instead of running it in a kernel.

Where there is an exercise, nothing runs unconfined. A `conftest.py` or settings of pytest's beside it are refused: they
would work with the grader's rights. A notebook of another kind is refused as by `minigrad grade`, and other files are
left out. Without any exercise nbval runs what it finds, unconfined; the last line of a session says so.

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
WAYS = ("judged", "refused", "left out", "nbval", "python")
GRADING = pytest.StashKey[bool]()
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
    from minigrad_course.texts import source

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
    """Refuse what would run beside an exercise before it does: pytest's settings there, and a conftest.py.

    A conftest.py counts beside or above it, and anywhere in the named folder.
    """
    options = early_config.known_args_namespace
    if not (getattr(options, "nbval", False) or getattr(options, "nbval_lax", False)):
        return
    refuse_settings(early_config)
    if options.noconftest:
        return
    top = early_config.invocation_params.dir
    highest = Path(os.path.abspath(top / options.confcutdir)) if options.confcutdir else None
    never = early_config.getini("norecursedirs")
    for named in named_paths(early_config):
        folder = named if named.is_dir() else named.parent
        above = [item for item in (folder, *folder.parents) if highest is None or item not in highest.parents]
        conftests = [item / "conftest.py" for item in above if (item / "conftest.py").is_file()]
        if named.is_dir():
            conftests += [path for path in files_in(named, never) if path.name == "conftest.py"]
        if conftests and any(map(is_ours, files_in(named, never))):
            from minigrad_course.grading.records.record import plain

            raise pytest.UsageError(
                f"{plain(os.path.relpath(conftests[0], top))} would run here unconfined, with your rights, before the "
                "exercises are judged. Judge them with `minigrad grade FILE`, add --noconftest, or move the notebooks "
                "to a folder without it."
            )


def refuse_settings(config: pytest.Config) -> None:
    """Refuse settings that pytest found in the folder of an exercise; in those above they are the grader's own."""
    if config.known_args_namespace.inifilename or config.inipath is None:
        return
    if config.inipath.name == "pyproject.toml" and b"pytest" not in config.inipath.read_bytes():
        return  # pytest takes such a file for the top of a project, and nothing from it
    never = config.getini("norecursedirs")
    for named in named_paths(config):
        folder = named if named.is_dir() else named.parent
        if folder in (config.inipath.parent, *config.inipath.parents) and any(map(is_ours, files_in(named, never))):
            from minigrad_course.grading.records.record import plain

            settings = plain(os.path.relpath(config.inipath, config.invocation_params.dir))
            raise pytest.UsageError(
                f"{settings} would tell pytest here what to do, with your rights. Judge the exercises with `minigrad "
                "grade FILE`, or name settings of your own with -c."
            )


def has_an_exercise(config: pytest.Config) -> bool:
    """True if there is an exercise of ours in what pytest was told to collect from; found out once."""
    if GRADING not in config.stash:
        never = config.getini("norecursedirs")
        config.stash[GRADING] = any(is_ours(path) for named in named_paths(config) for path in files_in(named, never))
    return config.stash[GRADING]


def named_paths(config: pytest.Config) -> list[Path]:
    """What pytest was told to collect from, as far as it is there."""
    top = config.invocation_params.dir
    named = config.known_args_namespace.file_or_dir
    if not named and top == config.rootpath:
        named = [path for pattern in config.getini("testpaths") for path in top.glob(pattern)]
    paths = [Path(os.path.abspath(top / str(item).partition("::")[0])) for item in named or [top]]
    return [path for path in paths if os.path.lexists(path)]


def files_in(named: Path, never: Iterable[str]) -> Iterator[Path]:
    """A file itself; of a folder all files in it, but for the folders that pytest leaves out too."""
    if not named.is_dir():
        yield named
        return
    seen = set()
    for folder, folders, files in os.walk(named, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = [] if real in seen else [item for item in folders if is_looked_into(Path(folder, item), never)]
        seen.add(real)
        yield from (Path(folder, file) for file in sorted(files))


def is_looked_into(folder: Path, never: Iterable[str]) -> bool:
    """False for a folder that pytest leaves out: a virtual environment, or one with such a name."""
    return not (folder / "pyvenv.cfg").is_file() and not any(fnmatch.fnmatch(folder.name, item) for item in never)


# --- collecting ----------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what holds nothing to grade in a student's copy, some folders and its first page, unless named."""
    if not asked_for(config) or not has_an_exercise(config):
        return None
    from minigrad_course.grading.collect.trees import ASIDE, HOME
    from minigrad_course.texts.folders import FIRST_PAGE

    if collection_path.name == FIRST_PAGE:
        aside = collection_path.with_name(HOME).is_dir()
    else:
        aside = collection_path.name.lower() in ASIDE and collection_path.is_dir()
    is_named = any(collection_path in (path, *path.parents) for path in named_paths(config))
    return True if aside and not is_named else None


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Beside an exercise a folder is a folder, and no package: pytest would import its `__init__.py`."""
    if asked_for(parent.config) and has_an_exercise(parent.config):
        return pytest.Dir.from_parent(parent, path=path)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    """Take notebooks over from nbval's own collector; beside an exercise, nothing else is run either."""
    collectors = yield
    if not asked_for(parent.config) or not (collectors or is_ours(file_path)) or not has_an_exercise(parent.config):
        return collectors
    from minigrad_course.grading.judge.nbval import OtherFile, SubmissionFile

    kind = SubmissionFile if file_path.suffix.lower() == ".ipynb" else OtherFile
    return [kind.from_parent(parent, path=file_path)]


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
    grading = sys.modules.get("minigrad_course.grading.judge.nbval")
    if grading and grading.JUDGE in config.stash:
        config.stash[grading.JUDGE].sandbox.close()


# --- the last line -------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Note on the report of an item how its file was run, and what it earned; a worker of xdist sends that along."""
    report = yield
    if asked_for(item.config) and item.parent is not None:
        report.minigrad = {"way": way_of(item), "file": item.parent.nodeid} | earned(item, call)
    return report


def way_of(item: pytest.Item) -> str:
    """How an item is run: "judged" in the sandbox, "refused" as it cannot be read, by "nbval", by "python", or not."""
    grading = sys.modules.get("minigrad_course.grading.judge.nbval")
    if grading and isinstance(item, grading.CheckCell):
        return "judged"
    if grading and isinstance(item, grading.LeftOut):
        return "left out"
    if grading and isinstance(item, grading.Complaint):
        return "refused" if item.name == "file" else "noted"
    nbval = sys.modules.get("nbval.plugin")
    return "nbval" if nbval and isinstance(item, nbval.IPyNbCell) else "python"


def earned(item: pytest.Item, call: pytest.CallInfo[None]) -> dict[str, Any]:
    """The result of a check that has run, or a complaint about its file, as plain data."""
    way = way_of(item)
    if call.when != "call" or way not in ("judged", "refused", "noted"):
        return {}
    from minigrad_course.grading.judge.nbval import JUDGE, verdict_lines

    if way != "judged":
        return {"sentence": item.sentence}
    result, chapter = item.result, item.parent.submission.chapter
    if result is None:
        return {}
    return {
        "check": item.name,
        "word": result.word,
        "points": result.points,
        "possible": result.possible,
        "checks": len(chapter.checks),
        "sentence": "" if result.passed else verdict_lines(result)[0],
        "unconfined": item.config.stash[JUDGE].sandbox.unconfined,
    }


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """A check with something still to be written is open: it is counted apart, and the session fails all the same."""
    if getattr(report, "minigrad", {}).get("word") == "open":
        return "open", "o", ("OPEN", {"blue": True})
    return None


class Tally:
    """Which files were run in which way, and what they earned."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.files: dict[str, dict[str, None]] = {way: {} for way in WAYS}
        self.checks: dict[str, dict[str, dict[str, Any]]] = {}  # by file and check
        self.sentences: dict[str, dict[str, None]] = {}  # about a file, for a person to read
        self.unconfined: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a file; as judged only once a check of it has run."""
        results = getattr(report, "minigrad", {})
        way, name = results.get("way"), results.get("file", "")
        if way in self.files and (way != "judged" or report.when == "call"):
            self.files[way][name] = None
        if "check" in results:
            self.checks.setdefault(name, {})[results["check"]] = results
            self.unconfined.update(dict.fromkeys(results["unconfined"]))
        elif "sentence" in results:
            self.sentences.setdefault(name, {})[results["sentence"]] = None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """With -v or -ra, say what each open check waits for."""
        some = [found for checks in self.checks.values() for found in checks.values() if found["word"] == "open"]
        if some and (self.config.option.verbose > 0 or {"a", "A"} & set(self.config.option.reportchars)):
            terminalreporter.write_sep("=", "OPEN")
            for results in some:
                terminalreporter.write_line(f"{self.shown(results['file'])}: {results['sentence']}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Any:
        """Say it below everything else."""
        result = yield
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal and any(self.files[way] for way in WAYS if way != "python"):
            terminal.ensure_newline()
            for line in (*self.points(), self.sentence()):
                terminal.write_line(line)
        return result

    def points(self) -> Iterator[str]:
        """A line for each file: its points, and which checks have not passed; or why there are none."""
        from minigrad_course.grading.records.record import plain

        for name in sorted(self.checks.keys() | self.sentences):
            checks = self.checks.get(name, {})
            if checks:
                yield f"{self.shown(name)}: {in_points(list(checks.values()))}"
            for sentence in self.sentences.get(name, {}):
                yield f"{self.shown(name)}: {'' if checks else 'not graded: '}{plain(sentence)}"

    def shown(self, name: str) -> str:
        """The name of a file, as it is named from here."""
        from minigrad_course.grading.records.record import plain

        return plain(self.config.cwd_relative_nodeid(name))

    def sentence(self) -> str:
        """How many notebooks were judged in the sandbox, and which were not."""
        parts = [f"{notebooks(self.files['judged'])} judged in the sandbox"]
        if results := self.files["refused"]:
            parts.append(f"{notebooks(results)} refused: {listed(results)}")
        if results := self.files["left out"]:
            parts.append(f"{others(results)} left out: {listed(results)}")
        if results := self.files["nbval"]:
            parts.append(f"{notebooks(results)} run by nbval itself, unconfined and ungraded: {listed(results)}")
        if results := self.files["python"]:
            parts.append(f"{others(results)} run by pytest, unconfined: {listed(results)}")
        sentences = [f"Not confined on this machine: {sentence}" for sentence in self.unconfined]
        return " ".join([f"minigrad: {'; '.join(parts)}.", *sentences])


def in_points(checks: list[dict[str, Any]]) -> str:
    """The points for some checks of one file, and those that have not passed, as a sentence or two."""
    points, possible = (sum(found[key] for found in checks) for key in ("points", "possible"))
    whole = checks[0]["checks"]
    only = "" if len(checks) == whole else f", in {len(checks)} of its {whole} checks"
    left = []
    for word in ("wrong", "open"):
        names = [found["check"] for found in checks if found["word"] == word]
        left += [f" {word.capitalize()}: {'all' if len(names) == whole else ', '.join(names)}."] if names else []
    return f"{points} of {possible} point{'s' * (possible != 1)}{only}.{''.join(left)}"


def others(found: dict[str, None]) -> str:
    """1 other file, 2 other files."""
    return f"{len(found)} other file{'s' * (len(found) != 1)}"


def notebooks(found: dict[str, None]) -> str:
    """1 notebook, 2 notebooks."""
    return f"{len(found)} notebook{'s' * (len(found) != 1)}"


def listed(found: dict[str, None]) -> str:
    """Some names, safe to print."""
    from minigrad_course.grading.records.record import plain

    names = [plain(name, 60) for name in list(found)[:MOST_NAMES]]
    more = len(found) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
