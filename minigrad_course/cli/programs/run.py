"""`minigrad run`: run a script that says `import torch`, unchanged, on minigrad.

The script sees what `python FILE.py` would show it: its own `__main__`, its arguments, its folder first on `sys.path`.
The reader sees the same as well: the script's traceback, warnings and exit status. torch's engine has no frames in a
traceback, so minigrad's are folded into one line.
"""

from __future__ import annotations

import dataclasses
import io
import os
import random
import runpy
import signal
import sys
import tokenize
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Annotated

import numpy as np
import typer

import minigrad
from minigrad_course.cli.ending import INTERRUPTED, USAGE, WRONG, say
from minigrad_course.explain.reading import program_in
from minigrad_course.programs import process, torch_shim
from minigrad_course.programs.program import quotable

STDIN = "-"
NOTEBOOK = ".ipynb"
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # what is below them is Python
TAKEN = "It looks like a text copied from a page: minigrad explain takes it as it is."
PASTED = "Read as copied from a page: without prompts, fences, output and indentation. Lines keep their numbers."
OURS = {__file__, torch_shim.__file__, "<frozen runpy>"}
ENGINE = (os.path.dirname(minigrad.__file__) + os.sep, "<fastpath: ")


class NotAScript(Exception):
    """There is nothing to run; the message is the sentence to show, and `said` is what Python says, if anything."""

    said = ""


@dataclasses.dataclass(frozen=True)
class Script:
    """What to run: `begin` gets the namespace of `__main__`; `path` is the `__file__` there, if it has one."""

    begin: Callable[[dict[str, object]], object]
    arguments: list[str]
    folder: str  # first on sys.path
    path: str | None = None
    text: str = ""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a script ended."""

    status: int
    error: BaseException | None = None


File = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE.py", help="The script, or a notebook; - or nothing reads standard input.", show_default=False
    ),
]
Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGS", help="The script's own arguments.", show_default=False)
]
Code = Annotated[str | None, typer.Option("-c", metavar="CODE", help="Run this text instead of a file.")]
Module = Annotated[str | None, typer.Option("-m", metavar="MODULE", help="Run this module instead.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="First seed torch, numpy and random.")]


def run(
    file: File = None,
    arguments: Arguments = None,
    code: Code = None,
    module: Module = None,
    seed: Seed = None,
    frames: Annotated[bool, typer.Option("--frames", help="Show minigrad's own frames in a traceback.")] = False,
) -> None:
    """Run a script that says `import torch` on minigrad. torch does not have to be installed."""
    raise typer.Exit(execute(prepared(file, arguments, code, module, seed), frames).status)


def prepared(file: File, arguments: Arguments, code: Code, module: Module, seed: Seed, pasted: bool = False) -> Script:
    """What the arguments ask for, and everything in place for it. Ends the command if it cannot be run.

    pasted: whether a text with prompts and the like, as pages show programs, will do.
    """
    try:
        chosen = choice(file, code, module, arguments or [], pasted)
    except NotAScript as error:
        sys.stderr.write(error.said) if error.said else say(str(error))
        raise typer.Exit(WRONG if error.said else USAGE) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    process.at_end(torch_shim.install(aside=True))
    process.host(chosen.folder or os.getcwd(), [sys.modules[name] for name in torch_shim.MODULES])
    if seed is not None:
        begin_with(seed)
    process.choose("SIGTERM", signal.SIG_DFL)  # as for any script
    return chosen


def choice(file: str | None, code: str | None, module: str | None, rest: list[str], pasted: bool = False) -> Script:
    """What the arguments ask for. NotAScript if it cannot be run, or if they ask for two things."""
    if code is not None and module is not None:
        raise NotAScript("-c and -m both say what to run; give one of them.")
    given = rest if file is None else [file, *rest]
    if code is not None:
        program, text = compiled(code, "<string>", "The text after -c", pasted)
        return Script(lambda names: exec(program, names), ["-c", *given], "", text=text)
    if module is not None:
        return Script(lambda _: module_named(module), ["-m", *given], os.getcwd())
    file = file or STDIN
    folder = "" if file == STDIN else os.path.dirname(os.path.realpath(file))
    if file.lower().endswith(NOTEBOOK):
        return notebook(file, rest, folder)
    program, text = script(file, pasted)
    return Script(lambda names: exec(program, names), [file, *rest], folder, program.co_filename, text)


def module_named(name: str) -> None:
    """Run a module as `__main__`, as `python -m` does."""
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except ImportError as error:
        if error.__traceback__ is not None and error.name in (None, name.partition(".")[0], name):
            last = [entry for entry, _ in traceback.walk_tb(error.__traceback__)][-1]
            if last.f_code.co_filename == "<frozen runpy>":
                say(f"{error}.")
                sys.exit(USAGE)
        raise


def begin_with(seed: int) -> None:
    """Seed everything that an ordinary program draws from."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    minigrad.manual_seed(seed)


def script(file: str, pasted: bool = False) -> tuple[CodeType, str]:
    """The script compiled, and its text. NotAScript if it cannot be read or is not Python."""
    name = "<stdin>" if file == STDIN else file
    path = name if file == STDIN else os.path.join(os.getcwd(), file)  # as Python names it in a traceback
    return compiled(typed() if file == STDIN else read(file), path, name, pasted)


def read(file: str) -> bytes:
    """What a file holds. NotAScript if it cannot be read."""
    if os.path.isdir(file):
        raise NotAScript(f"{file} is a folder; this command takes a Python file.")
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise NotAScript(f"There is no file {file}.") from None
    except OSError as error:
        raise NotAScript(f"{file} cannot be read: {error.strerror or error}.") from None


def notebook(file: str, rest: list[str], folder: str) -> Script:
    """The code cells of a notebook in their order, without magics; in a traceback each is a file of its own."""
    from minigrad_course.programs.cells import parsed, without_magics
    from minigrad_course.texts.submitted import Unreadable, code_cells, loaded

    def python(cell: str) -> str:
        try:
            return parsed(cell)[1]
        except SyntaxError:
            return without_magics(cell)

    path = os.path.join(os.getcwd(), file)
    try:
        cells = [cell["source"] for cell in code_cells(loaded(read(file)))]
    except Unreadable as error:
        raise NotAScript(f"{file}: {error}") from None
    texts = {f"{path}/cell {count}": python(cell) for count, cell in enumerate(cells, 1) if not is_foreign(cell)}
    programs = [compiled(text, name, f"{file}, {name.rpartition('/')[2]},")[0] for name, text in texts.items()]
    for name, text in texts.items():
        quotable(text, name)

    def begin(names: dict[str, object]) -> None:
        for program in programs:
            exec(program, names)

    return Script(begin, [file, *rest], folder, path, "\n".join(texts.values()))


def is_foreign(cell: str) -> bool:
    """True for a cell that a magic hands to another program, such as %%bash."""
    first = cell.lstrip().partition("\n")[0].split()
    return bool(first) and first[0].startswith("%%") and first[0] not in PYTHON_MAGICS


def compiled(source: str | bytes, path: str, name: str, pasted: bool = False) -> tuple[CodeType, str]:
    """A program as code and as text. NotAScript if it is not Python, nor a text with prompts that is `pasted`."""
    try:
        return compile(source, path, "exec", dont_inherit=True), text_of(source)
    except SyntaxError as error:
        text = program_in(source if isinstance(source, str) else source.decode(errors="replace"))
        if text and pasted:
            say(PASTED)
            quotable(text, path)  # else a traceback would show the lines with their prompts
            return compile(text, path, "exec", dont_inherit=True), text
        where = f"line {error.lineno}: " if error.lineno else ""
        taken = [TAKEN] if text else []
        refused = NotAScript(" ".join([f"{name} is not Python ({where}{error.msg}).", *taken]))
        refused.said = "".join([*traceback.format_exception_only(error), *(f"{item}\n" for item in taken)])
        raise refused from None
    except (ValueError, RecursionError, MemoryError) as error:  # zero bytes; nested too deeply
        raise NotAScript(f"{name} is not Python ({error or type(error).__name__}).") from None


def text_of(source: str | bytes) -> str:
    """A program's text, in the encoding that it names."""
    if isinstance(source, str):
        return source
    return io.TextIOWrapper(io.BytesIO(source), tokenize.detect_encoding(io.BytesIO(source).readline)[0]).read()


def typed() -> bytes:
    """Everything on standard input."""
    if sys.stdin is None:
        raise NotAScript("There is no standard input to read a script from.")
    if sys.stdin.isatty():
        say(f"Type a script; end it with Ctrl-{'Z and Enter' if os.name == 'nt' else 'D'}.")
    return sys.stdin.buffer.read()


def execute(chosen: Script, frames: bool, names: dict[str, object] | None = None) -> Ended:
    """Run a script as `__main__`; `names` gets a copy of its namespace at the end. SystemExit passes through.

    frames: whether a traceback shows the engine's frames.
    """
    main = ModuleType("__main__")
    if chosen.path is not None:
        main.__file__ = chosen.path
    sys.modules["__main__"] = main
    sys.argv = chosen.arguments
    if process.own and not sys.flags.safe_path:
        del sys.path[0]  # where Python found this command
    sys.path.insert(0, chosen.folder)
    usual = sys.excepthook
    try:
        chosen.begin(vars(main))
    except SystemExit:
        raise
    except KeyboardInterrupt:
        say("Interrupted.")
        return Ended(INTERRUPTED)
    except BaseException as error:
        for item in chain(error):
            item.__traceback__ = without_ours(item.__traceback__)
        if frames or sys.excepthook is not usual:
            sys.excepthook(type(error), error, error.__traceback__)
        else:
            sys.stderr.write("".join(folded(error, " (minigrad run --frames shows them)" * (names is None)).format()))
        return Ended(WRONG, error)
    finally:
        if names is not None:
            names.update(vars(main))
    return Ended(0)


class FoldedFrames(traceback.StackSummary):
    """The frames of a traceback, of which those in the engine are counted and not shown."""

    how = ""  # to see them

    def format(self) -> list[str]:
        """A text for each frame, and for those of the engine that follow one another."""
        shown: list[str] = []
        own = traceback.StackSummary()
        inside = 0
        for frame in [*self, None]:
            if frame is not None and (frame.filename.startswith(ENGINE) or (inside and is_library(frame.filename))):
                if not inside:
                    shown += own.format()
                    own = traceback.StackSummary()
                inside += 1
                continue
            if inside:
                count = "1 frame" if inside == 1 else f"{inside} frames"
                shown.append(f"  … {count} in minigrad{self.how}\n")
                inside = 0
            if frame is not None:
                own.append(frame)
        return shown + own.format()


def is_library(filename: str) -> bool:
    """True for numpy and what Python itself consists of: below the engine they are its business."""
    return filename.startswith((os.path.dirname(np.__file__) + os.sep, "<frozen ", "<__array_function__"))


def folded(error: BaseException, how: str) -> traceback.TracebackException:
    """An error and those it comes from, as Python shows them, the engine's frames folded; `how` to see them."""
    told = traceback.TracebackException.from_exception(error, compact=True)
    waiting: list[traceback.TracebackException | None] = [told]
    while waiting:
        each = waiting.pop()
        if each is not None:
            each.stack = FoldedFrames(each.stack)
            each.stack.how = how
            waiting += [each.__cause__, each.__context__, *(each.exceptions or ())]
    return told


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, then each error it was raised from or while handling."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__]


def without_ours(entry: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this command and of the torch shim; the engine's frames stay."""
    kept = []
    while entry is not None:
        if entry.tb_frame.f_code.co_filename not in OURS:
            kept.append(entry)
        entry = entry.tb_next
    below = None
    for item in reversed(kept):
        item.tb_next = below
        below = item
    return below
