"""One pytest session that judges many submissions, each as nbval's items.

Starting pytest costs more than judging a submission. So a process starts it once, as pytest-xdist's workers do, and
hands it one submission after the other. It reads no settings, no conftest and no plugin but nbval's and ours.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from _pytest.config import _prepareconfig  # pytest has no public name for a session that is not run at once

from minigrad_course.grading.judge.judge import Judge, Result
from minigrad_course.grading.judge.nbval import JUDGE, CheckCell, Complaint, SubmissionFile
from minigrad_course.grading.records.record import PRINTS, PartRecord, Record, kept, plain
from minigrad_course.grading.records.work import Settings, Task
from minigrad_course.parts import chapter_named
from minigrad_course.programs import process

NOT_NEEDED = ("cacheprovider", "logging", "faulthandler", "unraisableexception", "threadexception")
ANY_NAME = Path(os.sep, "submission.ipynb")  # nothing is opened under it, and no stranger chooses it


class Fault(Exception):
    """The grading itself went wrong; the message says how."""


class Session:
    """Judges submissions one after the other; a context manager, because it keeps the sandbox's processes."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.judge = Judge(settings.seed, settings.limits, settings.submission_seconds)
        self.judge.sandbox.begin()
        try:
            with quiet_pytest(settings.seed) as arguments:
                self.config = _prepareconfig(arguments, plugins=[self])
                self.config.stash[JUDGE] = self.judge
                self.session = pytest.Session.from_config(self.config)
                self.config._do_configure()
                # it would keep every report until the end
                self.config.pluginmanager.unregister(name="terminalreporter")
                self.config.hook.pytest_sessionstart(session=self.session)
        except BaseException:  # Ctrl-C, for instance
            self.close()
            raise
        self.fault = ""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes of the sandbox."""
        self.judge.sandbox.close()

    def record(self, task: Task, references: Mapping[tuple[str, str], str] = MappingProxyType({})) -> Record:
        """Judge one submission. Nothing in it can raise here; a fault of ours becomes part of the record.

        `references`: what torch prints with the numbers of this task, as far as another process has recorded it.
        """
        started = time.perf_counter()
        self.judge.seed = self.settings.seed if task.seed is None else task.seed
        self.judge.know(references)
        record = Record(task.place, task.student, exercise=task.exercise or None)
        try:
            with process.kept():  # pytest sets a variable for each of its tests, as may a pytest that calls us
                judged = self.judged(task, record)
            return dataclasses.replace(judged, seconds=time.perf_counter() - started)
        except Exception as error:  # one submission must not cost the others their grades
            return dataclasses.replace(
                record, fault=kept(str(error) if isinstance(error, Fault) else f"{type(error).__name__}: {error}")
            )

    def judged(self, task: Task, record: Record) -> Record:
        """The record of a submission, from nbval's items."""
        collector = SubmissionFile.from_parent(self.session, path=ANY_NAME)
        collector.content, collector.place = task.content, task.place
        items = list(collector.collect())
        submission = collector.submission
        if submission is None:
            return dataclasses.replace(record, error=kept(items[0].sentence))
        name = submission.chapter.name
        if task.assignment and task.assignment != name and chapter_named(task.assignment):
            sentence = f"this is {name}, but it was handed in as {task.assignment}."
            return dataclasses.replace(record, error=sentence)
        unconfined = tuple(self.judge.sandbox.unconfined)
        if unconfined and self.settings.require_sandbox:
            raise Fault(f"the machine that would judge it does not confine everything: {' '.join(unconfined)}")
        self.judge.submission_seconds = min(task.seconds, self.settings.submission_seconds)
        self.judge.prepare(submission.chapter)  # the engines are loaded while torch is
        self.fault = ""
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if self.fault:
            raise Fault(self.fault)
        checks = [item for item in items if isinstance(item, CheckCell)]
        notices = [kept(item.sentence) for item in items if isinstance(item, Complaint)]
        answers = {part: kept(text) for part, text in submission.answers.items()}
        return dataclasses.replace(
            record,
            exercise=name,
            notices=tuple(notices),
            parts=tuple(part_record(item.result, item.seconds) for item in checks if item.result),
            answers=answers,
            unconfined=unconfined,
            seed=self.judge.seed,
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        """Demand that nbval's item and our result say the same."""
        outcome = yield
        if call.when == "call" and isinstance(item, CheckCell):
            if item.result is None or item.result.passed != outcome.passed:
                self.fault = f"{item.name}: {outcome.longreprtext}"
        elif outcome.failed and not isinstance(item, Complaint):
            self.fault = outcome.longreprtext
        return outcome


def part_record(result: Result, seconds: float) -> PartRecord:
    """A result as plain data."""
    mistake = PRINTS if result.prints == "only" else result.mistake.name if result.mistake else None
    return PartRecord(
        part=result.check,
        word=result.word,
        points=result.points,
        possible=result.possible,
        what=result.what,
        mistake=mistake if result.word == "wrong" else None,
        error=plain(result.problem.message) if result.problem and result.word == "wrong" else "",
        text=kept(result.text),
        reference=kept(result.reference),
        seconds=seconds,
    )


@contextlib.contextmanager
def quiet_pytest(seed: int) -> Iterator[list[str]]:
    """A pytest that reads no settings and no plugins but nbval's and ours, and prints nothing."""
    with process.kept(), tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        for name in [name for name in os.environ if name.startswith("PYTEST_")]:
            del os.environ[name]
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        settings = Path(folder, "pytest.ini")
        settings.write_text("[pytest]\n")
        yield [
            # no rewriting: its import hook is not made for threads, and torch may be imported in one
            *("-c", str(settings), "--rootdir", folder, "--noconftest", "--capture=no", "--assert=plain"),
            *(word for name in NOT_NEEDED for word in ("-p", f"no:{name}")),
            *("-p", "nbval.plugin", "-p", "minigrad_course.nbval_plugin", "--nbval", "--color=no"),
            f"--minigrad-seed={seed}",
        ]
