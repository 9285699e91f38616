"""Judging in the form of nbval's items: one item for each check of the pristine exercise.

nbval runs a cell, collects its output and compares it with the stored one. Here the stored output is what torch
prints with fresh numbers, the cell is ours, and instead of a kernel the sandbox runs it. The rest is nbval's own.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from minigrad.course import submitted
from minigrad.course.verdicts import explained
from minigrad.grading import assemble
from minigrad.grading.judge import Judge, Result, plain

JUDGE = pytest.StashKey[Judge]()
LONGEST_TEXT = 100_000  # characters of a check's output that nbval is shown


def judge_of(config: pytest.Config) -> Judge:
    """The judge of this session, started when it is first needed."""
    if JUDGE not in config.stash:
        config.stash[JUDGE] = Judge(config.getoption("minigrad_seed", None))
    return config.stash[JUDGE]


class SandboxKernel:
    """What nbval takes for a running kernel: it runs a check cell in the sandbox."""

    def __init__(self, judge: Judge, submission: assemble.Submission):
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
        check = assemble.check_name(text)
        assert check is not None
        started = time.perf_counter()
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

    def put(self, header: dict[str, str], kind: str, **content: Any) -> None:
        self.messages.put({"parent_header": header, "msg_type": kind, "content": content})

    def await_reply(self, message: str, timeout: float | None = None) -> None:
        """The reply is there: `execute_cell_input` waited for it, within the sandbox's limits."""

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        return self.messages.get_nowait()

    def await_idle(self, *_: Any) -> None:
        """It is idle."""

    def is_alive(self) -> bool:
        return True

    def interrupt(self) -> None:
        """The sandbox keeps its own time."""

    def stop(self) -> None:
        """The judge's sandbox goes on to serve the next file."""


class SubmissionFile(IPyNbFile):
    """A submission, assembled into the pristine exercise."""

    submission: assemble.Submission | None = None
    content: bytes | None = None  # the file's content, if it has already been read

    def collect(self) -> Iterator[pytest.Item]:
        """One item per check; one failing item for a file that cannot be graded, or that was tampered with."""
        try:
            if self.path.suffix != ".ipynb":
                raise submitted.Unreadable("a notebook's name must end in .ipynb, in lower case: rename it.")
            content = submitted.content_of(self.path) if self.content is None else self.content
            self.submission = assemble.submission_of(self.path, content)
        except submitted.Unreadable as error:
            yield Complaint.from_parent(self, name="file", sentence=str(error))
            return
        number = 0
        for cell in assemble.exercise(self.submission.chapter.name).cells:
            if cell.cell_type != "code":
                continue
            if "check" in cell.metadata.get("minigrad", {}):
                own = nbformat.NotebookNode(cell)  # with separate outputs
                options = {"check": True, "skip": False, "check_exception": False}
                yield CheckCell.from_parent(self, name=f"Cell {number}", cell_num=number, cell=own, options=options)
            number += 1
        for count, notice in enumerate(self.submission.notices, start=1):
            yield Complaint.from_parent(self, name=f"notice {count}", sentence=notice)

    def setup(self) -> None:
        if self.submission is not None:
            self.kernel = SandboxKernel(judge_of(self.config), self.submission)
            self.setup_sanitize_files()


class CheckCell(IPyNbCell):
    """A check of the pristine exercise, with torch's text as its stored output."""

    result: Result | None = None
    seconds = 0.0

    def runtest(self) -> None:
        submission, check = self.parent.submission, assemble.check_name(self.cell.source)
        wanted = judge_of(self.config).reference(submission.chapter, check or "")
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
        result = self.parent.kernel.last
        if result.difference is None:
            return True
        printed, wanted = result.difference.shown
        self.comparison_traceback = [
            f"{result.difference.what}:",
            f"  yours: {plain(printed)}",
            f"  torch: {plain(wanted)}",
        ]
        if result.mistake:
            self.comparison_traceback.append(explained(result.mistake, result.tried))
        return False


class Complaint(pytest.Item):
    """Something about the file itself that a person has to know; it fails with one line."""

    def __init__(self, *, sentence: str, **kwargs: Any):
        super().__init__(**kwargs)
        self.sentence = sentence

    def runtest(self) -> None:
        raise submitted.Unreadable(self.sentence)

    def repr_failure(self, excinfo: Any, style: Any = None) -> str:
        return f"{plain(self.path.name)}: {plain(self.sentence)}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name}::{self.name}"
