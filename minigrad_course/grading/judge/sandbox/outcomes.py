"""A job's limits, and its outcome: an answer that may be forged is read here as text, with bounds."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minigrad_course.grading.judge.sandbox.links import without_paths
from minigrad_course.grading.records.record import Limits

# what a job may answer as its problem
ANSWERED_PROBLEMS = frozenset(
    {"missing", "unfinished", "answer", "cell", "program", "time", "output", "memory", "died", "objection"}
)
LONGEST_MESSAGE = 2_000  # characters


@dataclass(frozen=True)
class Outcome:
    """The outcome of one job.

    `text` is what the program printed before it ended. `problem` is None, or what went wrong:
    "missing", "unfinished", "answer", "cell", "program" and "objection" as the job itself found it, "time",
    "output" and "memory" for a limit, "died" for a process that gave no proper answer. `message`
    then says it in a sentence. `quiet` is the text without what answers printed, None if they printed nothing or a lot.
    All texts and a job's own messages come from code nobody has read.
    """

    text: str
    problem: str | None = None
    message: str = ""
    quiet: str | None = None


@dataclass
class End:
    """How a conversation ended.

    `kind`: "answer" (then `body` has it), "time", "closed" (no more data), "flood" (too much).
    `status`: how the process ended, or None if nobody knows.
    """

    kind: str
    body: bytes | None = None
    status: dict[str, Any] | None = None

    def outcome(self, limits: Limits) -> Outcome:
        """Say what that means for the job."""
        if self.kind == "answer":
            return parse(self.body, limits)
        if self.kind == "time":
            return Outcome("", "time", f"It was stopped after {limits.seconds:g} seconds.")
        if self.kind == "flood":
            bound = longest_answer(limits)
            return Outcome("", "output", f"It answered with more than {bound:,} bytes.")
        return explain(self.status, limits)


def explain(status: Mapping[str, Any] | None, limits: Limits) -> Outcome:
    """Say why a process ended without an answer."""
    if status is None:
        return Outcome("", "died", "It ended together with the process that watched it.")
    if status["killed"]:
        return Outcome("", "died", "It closed its connection to the grader.")
    if not status["signal"]:
        code = status["code"]
        message = f"The process ended before the program was finished (exit code {code})."
        return Outcome("", "died", message)
    try:
        name = signal.Signals(status["signal"]).name
    except ValueError:
        name = f"signal {status['signal']}"
    used_up = name == "SIGKILL" and status["processor"] >= limits.cpu_seconds
    if name == "SIGXCPU" or used_up:
        message = f"It was stopped after {limits.cpu_seconds:g} seconds of processor time: does a loop never end?"
        return Outcome("", "time", message)
    return Outcome("", "died", f"The process crashed ({name}).")


def parse(body: bytes | None, limits: Limits) -> Outcome:
    """Read an answer that may be forged: every field must have its type, all else is "died"."""
    fields = as_object(body)
    improper = Outcome("", "died", "It gave no valid answer.")
    if fields is None or fields.keys() - {"quiet"} != {"text", "problem"}:
        return improper
    text, problem, quiet = fields["text"], fields["problem"], fields.get("quiet")
    if not isinstance(text, str) or not isinstance(quiet, str | None) or len(quiet or "") > limits.output_bytes:
        return improper
    quiet = None if quiet is None else without_paths(plain(quiet))
    text = without_paths(plain(text))
    if len(text.encode("utf-8")) > limits.output_bytes:
        text = text.encode("utf-8")[: limits.output_bytes].decode("utf-8", "ignore")
        return Outcome(text, "output", f"It printed more than {limits.output_bytes:,} bytes.")
    if problem is None:
        return Outcome(text, quiet=quiet)
    if not isinstance(problem, dict) or problem.keys() != {"kind", "message"}:
        return improper
    kind, message = problem["kind"], problem["message"]
    if not isinstance(kind, str) or kind not in ANSWERED_PROBLEMS or not isinstance(message, str):
        return improper
    return Outcome(text, kind, without_paths(plain(message))[:LONGEST_MESSAGE], quiet)


def plain(text: str) -> str:
    """Replace what cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def as_object(body: bytes | None) -> dict[str, Any] | None:
    """Parse JSON that should be an object; None for everything else."""
    try:
        value = json.loads(body or b"")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def longest_answer(limits: Limits) -> int:
    """Bytes of JSON: one byte of text may take six (a control character does)."""
    return 6 * limits.output_bytes + 100_000
