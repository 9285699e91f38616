"""Judging in the form of nbval's items: one item for each check of the pristine exercise.

nbval runs a cell, collects its output and compares it with the stored one. Here the stored output is what torch
prints with fresh numbers, the cell is ours, and instead of a kernel the sandbox runs it. The rest is nbval's own, but
for the texts: an item is called like its check, and a failure is the verdict of that check.

Starting pytest costs more than judging a submission. So a process starts it once, as pytest-xdist's workers do, and
hands it one submission after the other: `Session`, which reads no settings, no conftest and no plugin but nbval's and
ours.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import queue
import tempfile
import textwrap
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from _pytest._code import code as representation  # no public class keeps its first line apart, and survives xdist
from _pytest.config import _prepareconfig  # pytest has no public name for a session that is not run at once

from minigrad_course.checks.reference import standing_in
from minigrad_course.checks.verdicts import HINT_IN_TERMINAL
from minigrad_course.grading.judge.judge import (
    Early,
    Judge,
    Result,
    Submission,
    check_name,
    pristine_exercise,
    submission_of,
)
from minigrad_course.grading.records.record import (
    PRINTS,
    PartRecord,
    Record,
    Settings,
    Task,
    exercises_called,
    kept,
    plain,
)
from minigrad_course.parts import chapter_named
from minigrad_course.programs import process
from minigrad_course.texts import submitted


class Unused:
    """Stands for a class that nobody uses."""

    def __init__(self, *_: Any):
        """Whatever it gets."""


# what judging asks neither nbval nor nbformat for: kernels, coverage, and what is wrong with a notebook
NOT_FOR_JUDGING: dict[str, dict[str, Any]] = {
    "nbval.kernel": {"RunningKernel": Unused, "CURRENT_ENV_KERNEL_NAME": ""},
    "nbval.cover": {"setup_coverage": None, "teardown_coverage": None},
    "jsonschema": {"Draft4Validator": Unused},
    "jsonschema.exceptions": {"ErrorTree": Unused, "ValidationError": ValueError},
}
# in a process of our own they take a third of the time; elsewhere others may need the whole of them
with standing_in(NOT_FOR_JUDGING if process.own else {}):
    import nbformat
    from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

JUDGE = pytest.StashKey[Judge]()
LONGEST_TEXT = 100_000  # characters of a check's output that nbval is shown
LONGEST_LINE = 1000  # characters of a line of a verdict
NOT_NEEDED = ("cacheprovider", "logging", "faulthandler", "unraisableexception", "threadexception")
ANY_NAME = Path(os.sep, "submission.ipynb")  # nothing is opened under it, and no stranger chooses it
WIDTH = 80  # of a verdict's sentences; pytest takes the same where there is no terminal


def judge_of(config: pytest.Config) -> Judge:
    """The judge of this session, started when it is first needed."""
    if JUDGE not in config.stash:
        config.stash[JUDGE] = Judge(config.getoption("minigrad_seed", None))
    return config.stash[JUDGE]


class SandboxKernel:
    """What nbval takes for a running kernel: it runs a check cell in the sandbox."""

    def __init__(self, judge: Judge, submission: Submission):
        self.judge = judge
        self.submission = submission
        self.last: Result | None = None
        self.results: dict[str, Result] = {}  # by check, of those that ran
        self.seconds = 0.0  # that the checks took so far
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.count = 0

    def execute_cell_input(self, text: str, allow_stdin: bool | None = None) -> str:
        """Run the check, and put what it printed in the queue, as a kernel would."""
        self.count += 1
        header = {"msg_id": str(self.count)}
        check = check_name(text)
        assert check is not None
        early = self.submission.early.get(check)
        started = time.perf_counter() - (early.seconds if early else 0.0)
        in_time = self.seconds < self.judge.submission_seconds
        if in_time:
            self.last = self.judge.result(self.submission, check, self.results)
        else:
            self.last = self.judge.not_run(self.submission, check)
        self.results[check] = self.last
        self.seconds += time.perf_counter() - started
        # nbval would act on control characters such as "\r", and then look at another text than was judged
        self.put(header, "stream", name="stdout", text=plain(self.last.text, LONGEST_TEXT, kept="\n"))
        if self.last.problem:
            sentence = self.last.what
            self.put(header, "error", ename=self.last.word, evalue=sentence, traceback=[sentence])
        self.put(header, "status", execution_state="idle")
        return header["msg_id"]

    def put(self, header: dict[str, str], kind: str, **content: object) -> None:
        self.messages.put({"parent_header": header, "msg_type": kind, "content": content})

    def await_reply(self, message: str, timeout: float | None = None) -> None:
        """The reply is there: `execute_cell_input` waited for it, within the sandbox's limits."""

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        return self.messages.get_nowait()

    def await_idle(self, *_: object) -> object:
        """It is idle."""

    def is_alive(self) -> bool:
        return True

    def interrupt(self) -> None:
        """The sandbox keeps its own time."""

    def stop(self) -> None:
        """The judge's sandbox goes on to serve the next file."""


class SubmissionFile(IPyNbFile):
    """A submission, assembled into the pristine exercise."""

    submission: Submission | None = None
    content: bytes | None = None  # the file's content, if it has already been read
    place = ""  # where it was handed in, if not at its path

    def collect(self) -> Iterator[pytest.Item]:
        """One item per check; one failing item for a file that cannot be graded, or that was tampered with."""
        try:
            if self.path.suffix != ".ipynb":
                raise submitted.Unreadable("a notebook's name must end in .ipynb, in lower case: rename it.")
            content = submitted.content_of(self.path) if self.content is None else self.content
            self.submission = submission_of(self.path, content)
        except submitted.Unreadable as error:
            yield Complaint.from_parent(self, name="file", sentence=str(error))
            return
        name = self.submission.chapter.name
        for number, cell in enumerate(cell for cell in pristine_exercise(name).cells if cell.cell_type == "code"):
            if check := cell.metadata.get("minigrad", {}).get("check"):
                own = nbformat.NotebookNode(cell)  # with separate outputs
                options = {"check": True, "skip": False, "check_exception": False}
                yield CheckCell.from_parent(self, name=check, cell_num=number, cell=own, options=options)
        notices = [*misnamed(self.place or self.path.name, name), *self.submission.notices]
        for count, notice in enumerate(notices, start=1):
            yield Complaint.from_parent(self, name=f"notice {count}", sentence=notice)

    def setup(self) -> None:
        if self.submission is not None:
            self.kernel = SandboxKernel(judge_of(self.config), self.submission)
            self.setup_sanitize_files()


def misnamed(place: str, name: str) -> list[str]:
    """A notice if the name of a file is that of another exercise than the one in it."""
    others = exercises_called(place)
    if not others or name in others:
        return []
    return [f"the file is called {others[0]} but contains {name}; it was judged as {name}."]


class CheckCell(IPyNbCell):
    """A check of the pristine exercise, with torch's text as its stored output."""

    result: Result | None = None
    seconds = 0.0

    def runtest(self) -> None:
        submission, check = self.parent.submission, self.name
        wanted = judge_of(self.config).reference(submission.chapter, check)
        self.cell.execution_count = self.cell_num  # nbval refuses outputs of a cell that has none
        self.cell.outputs = [nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": wanted})]
        before = self.parent.kernel.seconds
        try:
            super().runtest()
        finally:
            self.result = self.parent.kernel.last
            self.seconds = self.parent.kernel.seconds - before

    def compare_outputs(self, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        """The course's rule instead of nbval's: white space, and the last digit of a float, may differ."""
        self.comparison_traceback: list[str] = []
        return bool(self.parent.kernel.last.passed)

    def repr_failure(self, excinfo: Any) -> Any:
        """The verdict of the check, as `minigrad check` gives it."""
        if isinstance(excinfo.value, NbCellError) and self.result:
            return failure(self, *verdict_lines(self.result))
        error = f"{type(excinfo.value).__name__}: {excinfo.value}"
        return failure(self, f"{self.name}: the grading itself failed; run the command again. {plain(error)}")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.nodeid}: {self.name}"


def verdict_lines(result: Result) -> list[str]:
    """The verdict on a check that did not pass, line by line, safe to print."""
    problem = result.problem
    if problem:
        problem = dataclasses.replace(problem, message=plain(problem.message))
    verdict = dataclasses.replace(result.verdict, problem=problem, untouched=())  # which the problem says
    sentences = textwrap.wrap(verdict.advice_with(HINT_IN_TERMINAL), WIDTH - 3, break_long_words=False)
    pairs = [f"{label}: {text}" for label, text in verdict.lines()]
    return [plain(line, LONGEST_LINE) for line in (verdict.sentence, *(f"   {line}" for line in [*pairs, *sentences]))]


def failure(item: pytest.Item, headline: str, *lines: str) -> Any:
    """What pytest shows of a failure: all lines in its section, and the headline wherever there is room for one."""
    text = "".join(f"{line}\n" for line in (headline, *lines))
    entry = representation.ReprEntryNative([text])
    traceback = representation.ReprTraceback([entry], None, style="native")
    return representation.ReprExceptionInfo(traceback, representation.ReprFileLocation(str(item.path), 1, headline))


class Complaint(pytest.Item):
    """Something about the file itself that a person has to know; it fails with one line."""

    def __init__(self, *, sentence: str, **kwargs: Any):
        super().__init__(**kwargs)
        self.sentence = sentence

    def runtest(self) -> None:
        raise submitted.Unreadable(self.sentence)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return failure(self, f"{plain(self.path.name)}: {plain(self.sentence)}")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.nodeid if self.parent else ''}: {self.name}"


class OtherFile(pytest.File):
    """A file that is no notebook, among exercises: it would run with the grader's rights, and is left out."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item, which is skipped."""
        yield LeftOut.from_parent(self, name="file")


class LeftOut(pytest.Item):
    """Stands for a file that is not run, and says why."""

    def runtest(self) -> None:
        pytest.skip("it would run unconfined beside the exercises; run it apart from them")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.nodeid if self.parent else ''}: {self.name}"


# --- one session for many submissions -------------------------------------------------------------


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
        self.judge.close()

    def early(self, task: Task) -> dict[str, Early]:
        """What of a task runs before its references are there, by check; {} if it is for `record` to say why not."""
        self.judge.seed = self.settings.seed if task.seed is None else task.seed
        try:
            submission = submission_of(ANY_NAME, task.content)
            if self.settings.require_sandbox and self.judge.sandbox.unconfined:
                return {}
            self.judge.prepare(submission.chapter)
            return self.judge.run_early(submission)
        except Exception:  # as in `record`, which meets it again and has a place for its sentence
            return {}

    def record(
        self,
        task: Task,
        references: Mapping[tuple[str, str], str] = MappingProxyType({}),
        early: Mapping[str, Early] = MappingProxyType({}),
    ) -> Record:
        """Judge one submission. Nothing in it can raise here; a fault of ours becomes part of the record.

        `references`: what torch prints with the numbers of this task, as far as another process has recorded it.
        `early`: what has run already.
        """
        started = time.perf_counter() - sum(run.seconds for run in early.values())
        self.judge.seed = self.settings.seed if task.seed is None else task.seed
        self.judge.know(references)
        record = Record(task.place, task.student, exercise=task.exercise or None)
        try:
            with process.kept():  # pytest sets a variable for each of its tests, as may a pytest that calls us
                judged = self.judged(task, record, early)
            return dataclasses.replace(judged, seconds=time.perf_counter() - started)
        except Exception as error:  # one submission must not cost the others their grades
            return dataclasses.replace(
                record, fault=kept(str(error) if isinstance(error, Fault) else f"{type(error).__name__}: {error}")
            )

    def judged(self, task: Task, record: Record, early: Mapping[str, Early]) -> Record:
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
        submission.early.update(early)
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
