"""`minigrad grade`: judge exercise notebooks through nbval's items, and show a table for each."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from rich.console import Console
from rich.progress import Progress

from minigrad.grading.judge import drawn_seed
from minigrad.grading.nbval import CheckCell, Complaint, SubmissionFile, judge_of
from minigrad.grading.report import FileReport, as_data, show


def grade(
    files: Annotated[list[Path], typer.Argument(metavar="NOTEBOOK...", help="Completed exercise notebooks.")],
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the results to this file.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed of the numbers; drawn if not given.")] = None,
) -> None:
    """Judge exercise notebooks. The exit status is 0 only if everything passes."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe may not know all our characters
    console = Console(file=sys.stdout)  # the real one: pytest's own output is thrown away
    if json_file and is_notebook(json_file, files):
        say(console, f"--json {json_file}: that is a notebook, and grading never writes into one.")
        raise typer.Exit(2)
    session = GradingSession(files, console)
    seed = drawn_seed() if seed is None else seed
    with quiet_pytest(seed) as arguments:
        status = pytest.main(arguments, plugins=[session])
    if status == pytest.ExitCode.INTERRUPTED:
        say(console, "Interrupted.")
        raise typer.Exit(130)
    if session.fault or status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        say(console, f"The grading itself failed: {session.fault or status!r}.")
        raise typer.Exit(3)
    if len(files) > 1:
        good = sum(report.passed for report in session.reports)
        say(console, f"{good} of {len(files)} files pass.")
    if any(report.results for report in session.reports):
        say(console, f"Numbers drawn with seed {seed}; --seed {seed} repeats this grading.")
    for sentence in session.unconfined:
        say(console, f"Not confined on this machine: {sentence}")
    if json_file:
        data = as_data(session.reports, seed, session.unconfined)
        try:
            json_file.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            say(console, f"{json_file} cannot be written: {error.strerror or error}.")
            raise typer.Exit(2) from None
    raise typer.Exit(0 if all(report.passed for report in session.reports) else 1)


def say(console: Console, sentence: str) -> None:
    """Print a sentence as it is, in one line however narrow the terminal."""
    console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def is_notebook(path: Path, files: list[Path]) -> bool:
    """True if writing to `path` would write into a notebook, whatever name it goes by."""
    if any(each.suffix.lower() == ".ipynb" for each in (path, path.resolve())):
        return True
    return path.exists() and any(file.exists() and file.samefile(path) for file in files)


@contextlib.contextmanager
def quiet_pytest(seed: int) -> Iterator[list[str]]:
    """A pytest that reads no settings and no plugins but nbval's and ours, and prints nothing."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("PYTEST_")}
    for name in kept:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            settings = Path(folder, "pytest.ini")
            settings.write_text("[pytest]\n")
            yield [
                *("-c", str(settings), "--rootdir", folder, "--noconftest", "-p", "no:cacheprovider"),
                *("-p", "nbval.plugin", "-p", "minigrad_nbval", "--nbval", "--color=no"),
                f"--minigrad-seed={seed}",
            ]
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update(kept)


class GradingSession:
    """A pytest plugin: collects the files as they were named, and shows each as soon as it is judged."""

    def __init__(self, files: list[Path], console: Console):
        self.reports = [FileReport(path) for path in files]
        self.console = console
        self.unconfined: list[str] = []
        self.fault: str | None = None
        self.progress = Progress(console=console, transient=True, disable=not console.is_terminal or len(files) < 2)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Make the items here: pytest would read meaning into names such as `a::b.ipynb`."""
        session.items = []
        for report in self.reports:
            collector = SubmissionFile.from_parent(session, path=report.path.absolute())
            items = list(collector.collect())
            if collector.submission:
                report.name = collector.submission.chapter.name
            for item in items:
                item.stash[REPORT] = report
                item.stash[LAST] = item is items[-1]
            session.items += items
        session.testscollected = len(session.items)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        self.progress.start()
        self.progress.add_task("grading", total=len(session.items))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        """Note what nbval's item came to."""
        outcome = yield
        report = item.stash[REPORT]
        if call.when == "call" and isinstance(item, Complaint):
            if item.name == "file":
                report.error = item.sentence
            else:
                report.notices.append(item.sentence)
        elif call.when == "call" and isinstance(item, CheckCell):
            if item.result is None or item.result.passed != outcome.passed:
                self.fault = f"{item.name} of {report.path}: {outcome.longreprtext}"
            else:
                report.results.append(item.result)
        elif outcome.failed:
            self.fault = outcome.longreprtext
        if call.when == "teardown":
            self.progress.advance(self.progress.task_ids[0])
            if item.stash[LAST]:
                show(report, self.console)
        return outcome

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.progress.stop()
        if any(report.results for report in self.reports):
            self.unconfined = judge_of(session.config).sandbox.unconfined

    def pytest_internalerror(self, excrepr: Any) -> None:
        self.fault = str(excrepr).splitlines()[-1]


REPORT = pytest.StashKey[FileReport]()
LAST = pytest.StashKey[bool]()
