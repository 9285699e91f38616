"""Run a notebook cell outside a notebook: statement by statement, without magics, within a time limit.

The notebook's commands use it for our own solutions and for a student's saved work, and the grader's confined child
for a submission. So it needs only the standard library and `program` next to it.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import inspect
import linecache
import re
import traceback
from collections.abc import Coroutine
from types import CodeType, ModuleType

from minigrad_course.programs.problems import LIMITS, OutOfTime, TooMuchOutput, meant, named, shortened
from minigrad_course.programs.program import OUTPUT_LIMIT, Bounded, quotable, time_limit

MOST_OVERDUE = 3  # statements of a cell that may time out before the cell is abandoned
QUOTED = 60  # characters of a line that is not Python
MOST_COMMANDS = 200  # notebook commands removed from a cell one by one


def run_cell(source: str, namespace: dict[str, object], seconds: float | None = None) -> str | None:
    """Run one cell, for `seconds` at most; returns a sentence if it failed. Its output is dropped.

    A statement that fails or takes too long does not stop the others: there is no notebook and nothing to plot with
    where a submission is judged, and an experiment may come before an answer. What follows gets `seconds` of its own.
    """
    name = f"<answer {len(linecache.cache)}>"
    late = f"The cell did not end within {seconds or 0:g} seconds"
    failure: str | None = None
    flags = 0
    try:
        statements, source = parsed(source)
        quotable(source, name)
        left = iter(statements)
        with contextlib.redirect_stdout(Bounded(OUTPUT_LIMIT)):
            for _ in range(MOST_OVERDUE):
                try:
                    with time_limit(seconds):  # for all that are left; it restarts after one that took too long
                        for statement in left:
                            flags |= future_flags(statement)
                            problem = failed(compiled(statement, name, flags), namespace, statement.lineno)
                            failure = failure or problem  # the first is the reason for the others
                    return failure
                except OutOfTime as error:
                    at = line_in(error, name)
                    sentence = f"{late}: it was still in line {at}." if at else f"{late}."
                    failure = failure or sentence
        return sentence
    except TooMuchOutput:
        return f"The cell printed more than {OUTPUT_LIMIT:,} characters."
    except SyntaxError as error:
        line = f", `{shortened(error.text.strip(), QUOTED)}`" if error.text and error.text.strip() else ""
        return f"The cell is not Python: {error.msg}, line {error.lineno}{line}."
    except (ValueError, RecursionError, MemoryError) as error:
        return f"The cell is not Python: {named(error)}."


def module_of(source: str, seconds: float | None = None) -> tuple[ModuleType, str | None]:
    """The module whose text is a cell, an engine of one's own, and a sentence if it failed: as in `run_cell`."""
    module = ModuleType("my_engine")
    module.__name__ = "__main__"  # as the namespace of all other answers
    failure = run_cell(source, vars(module), seconds)
    return module, failure or imported(source)


OTHERS = ("torch", "minigrad", "minigrad_course")  # what differentiates without an engine of one's own


def imported(source: str) -> str | None:
    """A sentence if an engine of one's own imports another one. It is for honest people: a grading has no other."""
    for statement in parsed(source)[0]:
        for node in ast.walk(statement):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            for name in modules:
                if name.partition(".")[0] in OTHERS:
                    return f"The cell imports {name}, line {node.lineno}: your engine has to do with numpy alone."
    return None


def needed(part: str, failure: str) -> str:
    """The sentence of a failed cell, for a check of several parts together."""
    return f"It needs your part `{part}`, whose cell{failure.removeprefix('The cell')}"


def compiled(statement: ast.stmt, name: str, flags: int) -> CodeType:
    """Compile one statement, which may use `await`, as in a notebook."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(ast.Module([statement], []), name, "exec", flags, dont_inherit=True)


def failed(code: CodeType, namespace: dict[str, object], line: int) -> str | None:
    """Run one statement, which begins in a line of its cell; returns a sentence if it failed. Limits pass through."""
    try:
        result = eval(code, namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            awaited(result)
    except LIMITS:
        raise
    except BaseException as error:
        at = line_in(error, code.co_filename) or line
        return f"The cell stopped in line {at} with {named(error)}.{meant(error)}"
    return None


def line_in(error: BaseException, file: str) -> int:
    """The innermost line of a cell that an error came through; 0 for none."""
    own = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return own[-1] if own else 0


def awaited(coroutine: Coroutine[object, None, object]) -> None:
    """Run a coroutine to its end. Submissions run without an event loop; code that needs one raises its own error."""
    with contextlib.suppress(StopIteration):
        while True:
            coroutine.send(None)


def future_flags(statement: ast.stmt) -> int:
    """The compiler flags that a `from __future__ import` sets for the statements below it."""
    if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
        return 0
    flags = 0
    for alias in statement.names:
        flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return flags


# --- magics --------------------------------------------------------------------------------------

# a line with a notebook command: `%timeit …`, `!ls`, `?help`, `help?`, `files = !ls`
COMMAND = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*|\w[\w, \t]*=[ \t]*[%!].*)$", re.MULTILINE)


def parsed(source: str) -> tuple[list[ast.stmt], str]:
    """The statements of a cell, and its source as Python. SyntaxError if it is not Python.

    A line that looks like a command may continue an expression, as in `(a⏎% b)`. So a line counts as a command only
    if Python fails at it.
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
    """The source with every line that looks like a command replaced by `pass`, so that blocks stay valid."""
    return COMMAND.sub(r"\1pass", source)
