"""Run a cell of a notebook outside of one: statement by statement, without magics, within its time.

The notebook's commands use it for our own solutions and for what a student has saved, and the grader's confined child
for a submission. It therefore needs nothing but the standard library and `program` beside it.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import inspect
import linecache
import re
from collections.abc import Coroutine
from typing import Any

from minigrad.course.program import LIMITS, OUTPUT_LIMIT, Bounded, OutOfTime, TooMuchOutput, named, quotable, time_limit

MOST_OVERDUE = 3  # statements of a cell that may take too long, before the cell is given up
MOST_COMMANDS = 200  # of a cell that are taken out one by one


def run_cell(source: str, namespace: dict, seconds: float | None = None) -> str | None:
    """Run one cell, for `seconds` at most; give back a sentence if it failed. What it prints is dropped.

    A statement that fails, or takes too long, does not keep the others from running: where a submission is judged
    there is nothing to draw figures with, and no notebook, and an experiment may stand above an answer. That is no
    reason to lose what stands below: it has `seconds` of its own.
    """
    name = f"<answer {len(linecache.cache)}>"
    late = f"The cell did not end within {seconds or 0:g} seconds."
    failure: str | None = None
    flags = 0
    try:
        statements, source = parsed(source)
        quotable(source, name)
        left = iter(statements)
        with contextlib.redirect_stdout(Bounded(OUTPUT_LIMIT)):
            for _ in range(MOST_OVERDUE):
                try:
                    with time_limit(seconds):  # of all that are left: it starts afresh behind one that took too long
                        for statement in left:
                            flags |= future_flags(statement)
                            problem = failed(compiled(statement, name, flags), namespace)
                            failure = failure or problem  # the first is the reason for the others
                    return failure
                except OutOfTime:
                    failure = failure or late
        return late
    except TooMuchOutput:
        return f"The cell printed more than {OUTPUT_LIMIT:,} characters."
    except SyntaxError as error:
        return f"The cell is not Python: {error.msg}, line {error.lineno}."
    except (ValueError, RecursionError, MemoryError) as error:
        return f"The cell is not Python: {named(error)}."


def compiled(statement: ast.stmt, name: str, flags: int) -> Any:
    """The code of one statement, which may await something, as in a notebook."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(ast.Module([statement], []), name, "exec", flags, dont_inherit=True)


def failed(code: Any, namespace: dict) -> str | None:
    """Run one statement; give back a sentence if it failed. The limits go through."""
    try:
        result = eval(code, namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            awaited(result)
    except LIMITS:
        raise
    except BaseException as error:
        return f"The cell stopped with {named(error)}."
    return None


def awaited(coroutine: Coroutine) -> None:
    """Run a coroutine to its end. There is no event loop where submissions run: what needs one raises its own error."""
    with contextlib.suppress(StopIteration):
        while True:
            coroutine.send(None)


def future_flags(statement: ast.stmt) -> int:
    """What a `from __future__ import` means for the statements below it."""
    if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
        return 0
    flags = 0
    for alias in statement.names:
        flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return flags


# --- magics --------------------------------------------------------------------------------------

# a line that is a notebook's command: `%timeit …`, `!ls`, `?help`, `help?`, `files = !ls`
COMMAND = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*|\w[\w, \t]*=[ \t]*[%!].*)$", re.MULTILINE)


def parsed(source: str) -> tuple[list[ast.stmt], str]:
    """The statements of a cell, and its source as Python. SyntaxError if it is not.

    A line that looks like a command may be the rest of an expression, as in `(a⏎% b)`. So a line is taken for a
    command only where Python stops at it.
    """
    text = source
    for _ in range(MOST_COMMANDS):
        try:
            return ast.parse(text).body, text
        except SyntaxError as error:
            lines = text.split("\n")
            place = (error.lineno or 0) - 1
            mended = without_magics(lines[place]) if 0 <= place < len(lines) else ""
            if not mended or mended == lines[place]:
                break
            lines[place] = mended
            text = "\n".join(lines)
    text = without_magics(source)
    return ast.parse(text).body, text


def without_magics(source: str) -> str:
    """The source with every line taken out that looks like a command; a block of nothing else stays a block."""
    return COMMAND.sub(r"\1pass", source)
