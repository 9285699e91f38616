"""`minigrad compare`: run one torch script on both engines and find where they first differ.

It compares the printed lines, how the script ended, and its warnings. A memory address says nothing about an engine,
so any two `at 0x7f…` count as equal; for a warning only the first sentence counts, not where it was raised. Nor does a
rounding in float32, shown by `loss.item()` in digits that a float32 does not have: it is named, and agrees.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.machinery import PathFinder
from typing import IO, Annotated, NoReturn

import typer
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from minigrad_course.cli.ending import INTERRUPTED, USAGE, stop
from minigrad_course.cli.programs import run as running
from minigrad_course.cli.screen import Screen
from minigrad_course.programs import compare as judgement
from minigrad_course.programs import process
from minigrad_course.programs.process import uninterrupted

ENGINES = ("torch", "minigrad")
NORMAL = "ended normally"
LABEL = "  {:8} | "
OUTPUT_LIMIT = 10_000_000  # bytes a script may print
POLL = 0.02  # seconds between two looks at the processes
SHOWN = 200  # lines; from a longer output, only those around the first difference are shown
AROUND = 20

GROWN = (
    "From line {} on, some lines above it differ by a rounding in float32 (≈). A program that goes on from its own "
    "numbers can make such a rounding grow: compare fewer steps, or print fewer digits and add --tolerance."
)

ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+", re.IGNORECASE)
WARNING = re.compile(r"^.*:\d+: (\w*Warning): (.*)$", re.MULTILINE)
NATIVE = " (Triggered internally at "  # torch adds the file and line of its C++ source
LACKS = re.compile(r"minigrad(?:'s \w+)? has no .*|\w+ needs torch itself.*")  # what torch has and minigrad has not
TRACEBACK = "Traceback (most recent call last):\n"
# Runs a script as `python FILE.py`, `python -m MODULE` and `python -` do, once torch, numpy and random are seeded.
SEEDED = """
import os, random, runpy, sys
import numpy, torch
seed, place, *given = sys.argv[1:]
random.seed(int(seed)), numpy.random.seed(int(seed) % 2**32), torch.manual_seed(int(seed))
sys.argv[:] = [place, *given[place == "-m":]]
sys.path.insert(0, os.path.dirname(os.path.realpath(place)))
if place == "-m":
    runpy.run_module(given[0], run_name="__main__", alter_sys=True)
elif place == "-":
    exec(compile(sys.stdin.buffer.read(), "<stdin>", "exec"), {"__name__": "__main__"})
else:
    runpy.run_path(place, run_name="__main__")
"""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a script did on one engine: everything that is compared.

    ended: how it ended, "" for normally; stopped: why it was stopped early, if it was.
    """

    engine: str
    printed: str
    ended: str
    warnings: tuple[str, ...]
    stopped: str = ""

    @property
    def end(self) -> str:
        """How it ended, as a phrase."""
        return self.stopped or self.ended or NORMAL


@dataclasses.dataclass(frozen=True)
class Parting:
    """The first difference between two outcomes: its description, and what each engine has there (None for nothing)."""

    what: str
    torch: str | None
    minigrad: str | None
    line: int = 0  # of the output; 0 if it is not there


def compare(
    file: running.File = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- ARGS", help="The script's own arguments, after --.", show_default=False),
    ] = None,
    code: running.Code = None,
    module: running.Module = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit for each engine.")] = 60,
    tolerance: Annotated[
        bool,
        typer.Option(
            "--tolerance",
            help="Ignore spacing, and a difference of one in the last digit of numbers with four or more decimals.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Both engines, numpy and random begin with this seed.")] = 0,
    unseeded: Annotated[bool, typer.Option("--no-seed", help="Leave seeds to the script.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colours.")] = False,
) -> None:
    """Run a script on torch and on minigrad and compare the two. The exit status is 0 only if they agree.

    Digits that a float32 does not have, as `loss.item()` shows them, are named, and are no difference.

    A script that reads standard input finds it empty.
    """
    process.choose("SIGPIPE", signal.SIG_DFL)  # whoever reads no further ends it, and no status says "differ"
    console = Screen(color_system=None if plain else "auto")
    try:
        given, text = asked(running.choice(file, code, module, arguments or []), module)
    except running.NotAScript as error:
        refuse(str(error))
    if importlib.util.find_spec("torch") is None:
        refuse("torch is not installed here, so there is nothing to compare with. To run the script: minigrad run")
    commands = {
        "torch": [sys.executable, *([] if unseeded else ["-P", "-c", SEEDED, str(seed)]), *given],
        # -P: the current folder may hold files with the names of our modules.
        "minigrad": [
            sys.executable,
            "-P",
            "-m",
            "minigrad_course",
            "run",
            *([] if unseeded else ["--seed", str(seed)]),
            *given,
        ],
    }
    try:
        theirs, ours = outcomes(commands, timeout, text)
    except KeyboardInterrupt:
        stop("Interrupted.", INTERRUPTED)
    if theirs.stopped and ours.stopped:
        said = f"Neither engine finished: torch {theirs.stopped}, minigrad {ours.stopped}."
        refuse(f"{said} {shared(theirs, ours, tolerance)}")
    result = parting(theirs, ours, tolerance)
    lacks = LACKS.search(ours.ended)
    if result and lacks and result.minigrad in (None, ours.end):  # up to there they agree
        refuse(f"They cannot be compared: {lacks[0]}.")
    if not unseeded:
        console.print(Text(f"Random numbers begin with seed {seed} (--seed N, --no-seed).", "dim"))
    show(theirs, ours, result, tolerance, console)
    raise typer.Exit(0 if result is None else 1)


def asked(chosen: running.Script, module: str | None) -> tuple[list[str], bytes]:
    """What follows `python` to run a script or a module, and what its standard input holds: the text, if it is no file.

    NotAScript if there is no such module.
    """
    rest = chosen.arguments[1:]
    if module is not None:
        if PathFinder.find_spec(module.partition(".")[0], [os.getcwd(), *sys.path]) is None:
            raise running.NotAScript(f"No module named {module}.")
        return ["-m", module, *rest], b""
    if os.path.isfile(chosen.path or "") and not str(chosen.path).lower().endswith(running.NOTEBOOK):
        return [os.path.abspath(chosen.path or ""), *rest], b""
    return [running.STDIN, *rest], chosen.text.encode()


def refuse(sentence: str) -> NoReturn:
    """End the command with a sentence and the status for "cannot be compared"."""
    stop(sentence, USAGE)


# --- running -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Running:
    """A script running on one engine; its output goes to files, so that no amount of output can block it."""

    engine: str
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    errors: IO[bytes]
    stopped: str = ""

    def stop(self, why: str) -> None:
        """Kill it and everything it has started."""
        self.stopped = why
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait()

    def outcome(self) -> Outcome:
        """The outcome, once it has ended."""
        printed, errors = (text_of(file) for file in (self.output, self.errors))
        ended = "" if self.stopped else ending(self.process.returncode, errors)
        return Outcome(self.engine, printed, ended, warnings_in(errors), self.stopped)


def outcomes(commands: dict[str, list[str]], seconds: float, text: bytes = b"") -> list[Outcome]:
    """Run the commands in parallel, each in its own process with that text, and nothing more, as standard input."""
    environment = {"PYTHONHASHSEED": "0", **os.environ, "PYTHONIOENCODING": "utf-8", "PYTHON_COLORS": "0"}
    with contextlib.ExitStack() as files:
        runs: list[Running] = []
        try:
            for engine, command in commands.items():
                typed, output, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
                typed.write(text)
                typed.seek(0)
                with uninterrupted():  # otherwise a script could be running without being in the list
                    process = subprocess.Popen(
                        command,
                        stdin=typed,
                        stdout=output,
                        stderr=errors,
                        env=environment,
                        start_new_session=True,  # so that its own children can be killed along with it
                    )
                    runs.append(Running(engine, process, output, errors))
            deadline = time.monotonic() + seconds
            while busy := [run for run in runs if run.process.poll() is None]:
                for run in busy:
                    if time.monotonic() > deadline:
                        run.stop(f"did not end within {seconds:g} seconds")
                    elif size(run.output) + size(run.errors) > OUTPUT_LIMIT:
                        run.stop(f"printed more than {OUTPUT_LIMIT:,} bytes")
                time.sleep(POLL)
        finally:
            for run in runs:
                if run.process.poll() is None:
                    run.stop("was interrupted")
        return [run.outcome() for run in runs]


def size(file: IO[bytes]) -> int:
    """How many bytes a file holds so far."""
    return os.fstat(file.fileno()).st_size


def text_of(file: IO[bytes]) -> str:
    """What was written to a file, up to the limit, without addresses."""
    file.seek(0)
    text = file.read(OUTPUT_LIMIT).decode("utf-8", "replace").replace("\r\n", "\n")
    return ADDRESS.sub("0x…", text)


def ending(status: int, errors: str) -> str:
    """How a script ended: the error of its last traceback, or the exit status; "" for normally."""
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    _, traceback, last = errors.rpartition(TRACEBACK)
    if status == 1 and traceback:
        lines = last.splitlines()
        # The frames are indented; the error and the rest of its message follow them.
        frames = itertools.takewhile(lambda line: line.startswith(" "), lines)
        return "\n".join(lines[len(list(frames)) :]).split("\nException raised from ")[0]
    return f"exit status {status}" if status else ""


def warnings_in(errors: str) -> tuple[str, ...]:
    """Category and first sentence of each warning."""
    results = WARNING.findall(errors)
    return tuple(f"{category}: {text.split(NATIVE)[0].split('. ')[0].rstrip('.')}" for category, text in results)


# --- comparing -----------------------------------------------------------------------------------


def parting(theirs: Outcome, ours: Outcome, tolerant: bool) -> Parting | None:
    """Where the outcomes differ first: in a line printed, in how they ended, or in a warning; None if nowhere."""
    if not same(theirs.printed, ours.printed, tolerant):
        for line, (one, other) in enumerate(pairs(theirs, ours), start=1):
            if not same(one, other, tolerant):
                return Parting(f"Line {line} is the first to differ", one, other, line)
    if ends_differ(theirs, ours, tolerant):
        return Parting("They print the same but end differently", theirs.end, ours.end)
    for count, (one, other) in enumerate(itertools.zip_longest(theirs.warnings, ours.warnings), start=1):
        if one != other:
            return Parting(f"They print the same and end alike, but warning {count} differs", one, other)
    return None


def ends_differ(theirs: Outcome, ours: Outcome, tolerant: bool) -> bool:
    """True if only one was stopped, or the two ended in different ways."""
    return theirs.stopped != ours.stopped or not same(theirs.ended, ours.ended, tolerant)


def pairs(theirs: Outcome, ours: Outcome) -> list[tuple[str | None, str | None]]:
    """The lines of both outputs in pairs; None where one has run out. Lines keep their ends until they are shown."""
    one, other = (item.printed.splitlines(keepends=True) for item in (theirs, ours))
    return list(itertools.zip_longest(one, other))


def shared(theirs: Outcome, ours: Outcome, tolerant: bool) -> str:
    """A sentence about what two outcomes had both printed when they were stopped."""
    both = [(one, other) for one, other in pairs(theirs, ours) if (one or "")[-1:] == (other or "")[-1:] == "\n"]
    if not both:
        return "They had printed no line that could be compared."
    parted = next((line for line, item in enumerate(both, start=1) if not same(*item, tolerant)), 0)
    if parted:
        one, other = map(shown, both[parted - 1])
        return f"Line {parted} is the first to differ: torch has {one}, minigrad has {other}."
    return f"The {counted(len(both), 'line')} that both had printed agree{'s' if len(both) == 1 else ''}."


def same(one: str | None, other: str | None, tolerant: bool) -> bool:
    """True if equal, up to a rounding in float32; or equal by the course's rule: see programs/compare.py."""
    if one == other:
        return True
    texts = one or "", other or ""
    if tolerant:
        return judgement.alike_but_for(near, *map(judgement.squeezed, texts))
    return judgement.alike_but_for(judgement.rounded, *texts)


def near(number: str, reference: str) -> bool:
    """The rule for numbers with `--tolerance`."""
    return judgement.close(number, reference) or judgement.rounded(number, reference)


def roundings(theirs: Outcome, ours: Outcome) -> Iterator[tuple[int, str, str]]:
    """Each line that differs by a rounding in float32, with the first such pair of numbers in it."""
    for line, (one, other) in enumerate(pairs(theirs, ours), start=1):
        if one != other:
            both = judgement.numbers(one or "", other or "")
            yield from itertools.islice(
                ((line, *item) for item in both if item[0] != item[1] and judgement.rounded(*item)), 1
            )


# --- showing -------------------------------------------------------------------------------------


def show(theirs: Outcome, ours: Outcome, found: Parting | None, tolerant: bool, console: Screen) -> None:
    """Print both outputs side by side, the first difference, and the verdict."""
    lines, alike = pairs(theirs, ours), dataclasses.replace(theirs, engine=ours.engine) == ours
    table = Table(box=None, expand=True, pad_edge=False)
    table.add_column("", width=2, no_wrap=True)
    table.add_column("", justify="right", style="dim", no_wrap=True)
    for engine in ("both",) if alike else (theirs.engine, ours.engine):
        table.add_column(engine, ratio=1, overflow="fold")
    parted = found.line if found else 0
    first, last = window(len(lines), parted)
    if first:
        table.add_row("", "…", f"({first} more lines)", style="dim")
    for count, (one, other) in enumerate(lines[first:last], start=first + 1):
        good = not 0 < parted <= count or same(one, other, tolerant)
        add_row(table, str(count), one, other, good, first=count == parted)
    if last < len(lines):
        table.add_row("", "…", f"({len(lines) - last} more lines)", style="dim")
    for count, (one, other) in enumerate(itertools.zip_longest(theirs.warnings, ours.warnings), start=1):
        add_row(table, f"warning {count}", one, other, one == other)
    add_row(table, "end", theirs.end, ours.end, not ends_differ(theirs, ours, tolerant))
    console.print(table)
    if found and found.line:
        console.print(Text("→ first to differ  ≠ differs  ≈ float32 rounding", "dim"))
    console.print()
    if found is None:
        console.print(Text(agreement(theirs, ours), "green"))
        return
    console.print(Text(f"{found.what}:", "bold red"))
    for line in close_up(found, console.columns):
        console.print(Text(line))
    if before := [line for line, _, _ in roundings(theirs, ours) if line < found.line]:
        console.print(GROWN.format(before[0]))
    for outcome, line_there in ((theirs, found.torch), (ours, found.minigrad)):
        if found.line and line_there is None and outcome.end != NORMAL:
            console.print(Text(f"{outcome.engine} printed nothing more: {visible(outcome.end)}"))


def add_row(table: Table, name: str, one: str | None, other: str | None, good: bool, first: bool = False) -> None:
    """Add a row with what both engines have, marked if it differs."""
    mark = "→" if first else "≠" if not good else "" if one == other else "≈"
    style = "" if good else "red"
    cells = (one, other)[: len(table.columns) - 2]  # a single one where the two are the same
    table.add_row(Text(mark, style), name, *(Text(shown(cell), style) for cell in cells))


def window(count: int, line: int) -> tuple[int, int]:
    """Which of `count` lines to show: all, or, if there are too many, those around `line`."""
    if count <= SHOWN:
        return 0, count
    first = max(0, min(line - 1 - AROUND, count - 2 * AROUND))
    return first, min(count, first + 2 * AROUND)


def shown(line: str | None) -> str:
    """A line made readable: "(nothing)" for a missing one, and no control characters."""
    if line is None:
        return "(nothing)"
    return visible(line.removesuffix("\n"))


def visible(text: str) -> str:
    """The text with every unprintable character, such as a tab, in Python's notation."""
    return "".join(item if item.isprintable() else ascii(item)[1:-1] for item in text)


def close_up(found: Parting, width: int) -> list[str]:
    """Both texts, cut to fit around the place where they first differ, and a caret below it."""
    texts = [shown(item) for item in (found.torch, found.minigrad)]
    if texts[0] == texts[1]:  # only one of the lines ends with a newline
        texts = [visible(item or "") for item in (found.torch, found.minigrad)]
    equal = zip(*texts, strict=False)
    at = next((count for count, (one, other) in enumerate(equal) if one != other), min(map(len, texts)))
    room = max(20, width - len(LABEL.format("")) - 3)  # two for ellipses, one for the caret
    start = max(0, at - room // 2) if max(map(len, texts)) > room else 0
    cut = "…" if start else ""
    lines = [
        LABEL.format(name) + cut + text[start : start + room] + ("…" if text[start + room :] else "")
        for name, text in zip(ENGINES, texts, strict=True)
    ]
    return [*lines, LABEL.format("") + " " * cell_len(cut + texts[0][start:at]) + "^"]


def agreement(theirs: Outcome, ours: Outcome) -> str:
    """The sentence for two outcomes that agree."""
    lines, warned = len(ours.printed.splitlines()), len(ours.warnings)
    said = f"{counted(lines, 'line')}, {counted(warned, 'warning')}"
    kind = theirs.ended.partition(":")[0].rpartition(".")[2]
    ended = f"{said}; both {'end with ' + kind if kind else 'end normally'}."
    if not (results := [*roundings(theirs, ours)]):
        return f"minigrad and torch agree: {ended}"
    line, one, other = results[0]
    which = (
        "Line {}" if len(results) == 1 else f"{len(results)} lines differ by no more than that; line {{}}, the first,"
    )
    return (
        f"minigrad and torch agree, up to rounding in float32: {ended} {which.format(line)} has {one} on torch and "
        f"{other} on minigrad."
    )


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
