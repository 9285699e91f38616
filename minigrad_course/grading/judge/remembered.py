"""What comes out the same as long as a text does, kept in a file beside Python's own compiled ones.

To parse and compile the engine is a fifth of what a grading does before the first notebook.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import minigrad
from minigrad_course.checks.modules import engine_files

Function = TypeVar("Function", bound=Callable[..., Any])

HERE = Path(__file__).parent
MOST = 5_000  # results in the file: those of every part are a fifth of that
results: dict[bytes, Any] = {}  # by function and arguments
made: set[bytes] = set()  # those that no file had


def remembered(function: Function) -> Function:
    """Make a function of texts look for its result in memory, then in the file; results are plain data."""

    @functools.wraps(function)
    def found(*arguments: Any) -> Any:
        key = hashlib.sha256(marshal.dumps((function.__qualname__, arguments), 0)).digest()
        if key not in results:
            results.update({item: result for item, result in kept().items() if item not in results})
        if key not in results:
            results[key] = function(*arguments)
            made.add(key)
        return results[key]

    return found  # type: ignore[return-value]


@functools.cache
def kept() -> dict[bytes, Any]:
    """What earlier processes have left; nothing if there is no file, or none that can be read."""
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        output: dict[bytes, Any] = marshal.loads(file().read_bytes())
        return output
    return {}


@functools.cache
def file() -> Path:
    """Where the results are: another file for each version of Python, engine, grader, checks and parts."""
    grader, course = [*HERE.glob("*.py"), *HERE.glob("sandbox/*.py")], HERE.parents[1]
    asked = [*course.glob("checks/*.py"), *course.glob("parts/**/*.py")]
    texts = (*engine_files(Path(minigrad.__file__).parent), *sorted(grader), *sorted(asked))
    versions = [(str(text), status.st_mtime_ns, status.st_size) for text in texts for status in [text.stat()]]
    digest = hashlib.sha256(repr((sys.version, versions)).encode()).hexdigest()[:20]
    return Path(importlib.util.cache_from_source(str(HERE / "engine.py"), optimization=digest))


def keep() -> None:
    """Leave what this process has made for those to come."""
    if not made or len(results) > MOST or sys.dont_write_bytecode:
        return
    made.clear()
    part = file().with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # where nothing can be written, the next process makes it again
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(marshal.dumps(results))
        for old in part.parent.glob("engine.*.pyc"):
            old.unlink(missing_ok=True)
        os.replace(part, file())
