"""`minigrad run`: a script that says `import torch`, as it stands, on minigrad.

What the script sees is what `python FILE.py` would show it: its own `__main__`, its arguments, its folder first on
`sys.path`. What the reader sees is the same too: the script's traceback, warnings and exit status.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Annotated

import typer

from minigrad.course import torch_shim

STDIN = "-"
OURS = {__file__, torch_shim.__file__}


class NotAScript(Exception):
    """There is nothing to run; the text is the sentence to show."""


def run(
    file: Annotated[
        str, typer.Argument(metavar="FILE.py", help="The script; - or nothing reads standard input.")
    ] = STDIN,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS...", help="The script's own arguments.", show_default=False)
    ] = None,
) -> None:
    """Run a script that says `import torch` on minigrad. torch need not be installed."""
    try:
        code = script(file)
    except NotAScript as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    torch_shim.install()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # as for any script
    raise typer.Exit(execute(code, file, [file, *(arguments or [])]))


def script(file: str) -> CodeType:
    """The compiled script. NotAScript if it cannot be read, or is not Python."""
    name = "<stdin>" if file == STDIN else file
    path = name if file == STDIN else os.path.join(os.getcwd(), file)  # as Python names it in a traceback
    if name.lower().endswith(".ipynb"):
        raise NotAScript(f"{name} is a notebook; this takes a Python file.")
    try:
        source = typed() if file == STDIN else Path(file).read_bytes()
    except OSError as error:
        raise NotAScript(f"{name} cannot be read: {error.strerror or error}.") from None
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise NotAScript(f"{name} is not Python ({where}{error.msg}).") from None
    except (ValueError, RecursionError, MemoryError) as error:  # zero bytes; nested too deeply
        raise NotAScript(f"{name} is not Python ({error or type(error).__name__}).") from None


def typed() -> bytes:
    """All of standard input."""
    if sys.stdin is None:
        raise NotAScript("There is no standard input to read a script from.")
    if sys.stdin.isatty():
        typer.echo(f"Type a script; Ctrl-{'Z and Enter' if os.name == 'nt' else 'D'} ends it.", err=True)
    return sys.stdin.buffer.read()


def execute(code: CodeType, file: str, arguments: list[str]) -> int:
    """Run a compiled script as `__main__`; the exit status. SystemExit goes through."""
    main = ModuleType("__main__")
    main.__file__ = code.co_filename
    sys.modules["__main__"] = main
    sys.argv = arguments
    if not sys.flags.safe_path:
        del sys.path[0]  # where Python found this command
    sys.path.insert(0, "" if file == STDIN else os.path.dirname(os.path.realpath(file)))
    try:
        exec(code, vars(main))
    except SystemExit:
        raise
    except KeyboardInterrupt:
        return 130
    except BaseException as error:
        for each in chain(error):
            each.__traceback__ = without_ours(each.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those it was raised from or while handling."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__]


def without_ours(entry: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this command and of the stand-in; those of the engine stay."""
    kept = []
    while entry is not None:
        if entry.tb_frame.f_code.co_filename not in OURS:
            kept.append(entry)
        entry = entry.tb_next
    below = None
    for each in reversed(kept):
        each.tb_next = below
        below = each
    return below
