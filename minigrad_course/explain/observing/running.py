"""Run a program under the observer, in this process, as `python` would."""

from __future__ import annotations

import contextlib
import dataclasses
import linecache
import os
import random
import sys
import time
import traceback
import types
from pathlib import Path
from types import CodeType
from typing import Any

import torch

from minigrad_course.explain.observing.effects import Effects, Hook
from minigrad_course.explain.observing.observe import Enough, Observer
from minigrad_course.explain.observing.places import Frames
from minigrad_course.explain.observing.story import Ended, Story
from minigrad_course.explain.program import Program
from minigrad_course.explain.reading import Source

OURS = os.sep + os.path.join("minigrad_course", "explain") + os.sep


@dataclasses.dataclass
class Run:
    """A program that has run: its story, its exit status, what it did besides, and an error of observing it."""

    story: Story | None
    status: int
    effects: Effects
    broken: str = ""


def seeds(given: int | None = None) -> dict[str, int]:
    """The seeds of a first run, so that others can begin in the same way; chosen anew if none is given."""
    if given is not None:
        return {"torch": given, "python": given % 2**32}
    chosen = int.from_bytes(os.urandom(4), "little")
    return {"torch": torch.initial_seed() & 0x7FFFFFFFFFFFFFFF, "python": chosen}


def seed(chosen: dict[str, int]) -> None:
    """Begin with these seeds."""
    torch.manual_seed(chosen["torch"])
    random.seed(chosen["python"])
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(chosen["python"])


def run(
    source: Source,
    chosen: dict[str, int],
    deep: int | None = None,
    most: int | None = None,
    inside: str | None = None,
    quiet: bool = False,
) -> Run:
    """Run a program. Its output and its traceback go where they always go, unless quiet.

    deep: the pass from which each node is looked at; most: how many passes it may start; inside: the folder outside of
    which it may change nothing.
    """
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # compiled code would not be seen: it runs eagerly
    frames = Frames({source.path}, source.folder)
    effects = Effects(frames.files, source.folder, inside)
    seen = Observer(frames, deep, most)
    sys.argv = [*source.argv]
    sys.path.insert(0, source.folder)
    linecache.cache[source.path] = (len(source.text), None, source.text.splitlines(keepends=True), source.path)
    main = types.ModuleType("__main__")
    main.__dict__.update(source.names)
    main.__dict__["__builtins__"] = __builtins__
    kept = sys.modules["__main__"]
    sys.modules["__main__"] = main  # pickle looks classes up there
    seed(chosen)
    error: BaseException | None = None
    status, began = 0, (time.perf_counter(), time.process_time())
    Hook.watch(effects)
    try:
        code = compiled(source)
        with seen:
            exec(code, main.__dict__)
    except Enough:
        pass
    except SystemExit as left:  # it may have caught its error
        status = exit_status(left, quiet)
        error = left.__context__ if status else None
    except KeyboardInterrupt as stopped:
        error, status = stopped, 130
    except BaseException as raised:
        error, status = raised, 1
        if not quiet:
            show(raised, source)
    finally:
        Hook.watch(None)
        took = min(time.perf_counter() - began[0], time.process_time() - began[1])  # a busy computer takes longer
        sys.modules["__main__"] = kept
    with contextlib.suppress(OSError, ValueError, AttributeError):  # a program may have closed it, or taken it away
        sys.stdout.flush()
    if isinstance(error, SyntaxError) and not seen.closed:  # it never began
        return Run(None, status, effects)
    try:
        programs = texts(source, frames, error)
        return Run(Story(programs, seen, ended(error, programs, main.__dict__, took)), status, effects)
    except Exception:
        return Run(None, status, effects, traceback.format_exc())


def exit_status(left: SystemExit, quiet: bool) -> int:
    """The status that a SystemExit asks for; a text is printed."""
    if left.code is None or isinstance(left.code, int):
        return left.code or 0
    if not quiet:
        print(left.code, file=sys.stderr)
    return 1


def texts(source: Source, frames: Frames, error: BaseException | None) -> dict[str, Program]:
    """The program's files that were seen."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        frames.kind(trace.tb_frame.f_code)
        trace = trace.tb_next
    results = {source.path: Program(source.path, source.text, cells=source.cells)}
    for path in sorted(frames.files - {source.path}):
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
            results[path] = Program(path, text, os.path.relpath(path, source.folder))
        except (OSError, ValueError, SyntaxError):
            pass
    return results


def ended(error: BaseException | None, programs: dict[str, Program], names: dict[str, object], took: float) -> Ended:
    """Where a program ended, with what its frames knew."""
    frames, path, line = [names], "", 0
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in programs:
            path, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
            frames.insert(0, dict(trace.tb_frame.f_locals))
        trace = trace.tb_next
    return Ended(error, path, line, frames, took)


def compiled(source: Source) -> CodeType:
    """The code of a program. A SyntaxError of a notebook names the cell and the line in it."""
    try:
        return compile(source.text, source.path, "exec", dont_inherit=True)
    except SyntaxError as error:
        error.__traceback__ = None
        if source.cells and error.lineno is not None:
            error.filename, error.lineno = in_cell(source, error.lineno)
        raise


def in_cell(source: Source, line: int) -> tuple[str, int]:
    """(the name of the file and the cell, the line in the cell)."""
    first, name = next((cell for cell in reversed(source.cells) if line >= cell[0]), (1, ""))
    return f"{source.path}/{name}" if name else source.path, line - first + 1


def show(error: BaseException, source: Source) -> None:
    """Print the traceback as it would be without an observer."""
    if isinstance(error, SyntaxError) and error.__traceback__ is not None:
        frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
        if all(OURS in name for name in frames):  # of the program itself
            print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)
            return
    shown = traceback.TracebackException.from_exception(error)
    todo: list[Any] = [shown]
    while todo:
        one = todo.pop()
        one.stack = plain(one.stack, source)
        todo += [item for item in (one.__cause__, one.__context__, *(one.exceptions or ())) if item is not None]
    print("".join(shown.format()), end="", file=sys.stderr)


def plain(stack: traceback.StackSummary, source: Source) -> traceback.StackSummary:
    """A stack without the frames of the observer, and without those that led torch to it."""
    kept: list[traceback.FrameSummary] = []
    for frame in stack:
        if OURS in frame.filename:
            if kept and kept[-1].filename.endswith(os.path.join("torch", "overrides.py")):
                kept.pop()
                if kept:  # the function of torch that asked for the mode; it follows again
                    kept.pop()
            continue
        if source.cells and frame.filename == source.path and frame.lineno is not None:
            name, line = in_cell(source, frame.lineno)
            frame = traceback.FrameSummary(name, line, frame.name, lookup_line=False, line=frame.line)
        kept.append(frame)
    return traceback.StackSummary.from_list(kept)
