"""Which names does an answer use from outside its own cell?

In a notebook a cell can use whatever other cells have left behind, but a grading runs only the first cell and the
answers, in a new process. So a check can pass here and fail there. This module finds out in advance: it reads the
cells, and if other cells did more than define things, it runs the check the way a grading does.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import dis
import functools
import json
import os
import subprocess
import sys
import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import minigrad
from minigrad_course.parts import Chapter
from minigrad_course.programs import cells
from minigrad_course.programs.program import Answers, Place, run_with
from minigrad_course.texts import source

LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
STORES = ("STORE_NAME", "STORE_GLOBAL")
OF_MODULES = {"__name__", "__class__", "__annotations__", "__conditional_annotations__"}
OF_NOTEBOOKS = {"display", "get_ipython", "__IPYTHON__"}  # IPython adds these to the builtins
# Modules of Python's library that a grading does not load before it confines itself; afterwards it cannot.
NOT_LOADED = """
    aifc antigravity asynchat asyncio asyncore audioop cgi cgitb chunk compileall configparser crypt curses
    dbm distutils ensurepip filecmp ftplib http idlelib imaplib imghdr imp lib2to3 mailbox mailcap
    mimetypes modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt nturl2path optparse ossaudiodev
    pickletools pipes plistlib poplib pty pyclbr pydoc_data pyexpat smtpd smtplib
    sndhdr socketserver spwd sqlite3 ssl sunau syslog tabnanny tarfile telnetlib this tkinter tty turtle
    turtledemo uu venv wave webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
    concurrent.futures.process concurrent.futures.thread ctypes.util email.mime email.parser email.policy html.parser
    json.tool logging.config logging.handlers unittest.mock urllib.error urllib.request urllib.response
    urllib.robotparser
"""
MISSING = frozenset([*NOT_LOADED.split(), "minigrad.parts"])  # the last is for what runs answers, and not for them
AT_HAND = sys.stdlib_module_names - MISSING | {"numpy", "minigrad", "torch"}  # for a grading
# As the grader says it, whose worker imports nothing of ours.
REFUSED = "cannot be imported when graded; only numpy, minigrad and common modules of the standard library can"
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass)

STATEMENT_SECONDS = 1.0  # as in a grading
REHEARSAL_SECONDS = 15.0
# Run with -P: files next to the notebook are not there in a grading either.
REHEARSAL = """
import json, sys
job = json.load(sys.stdin)
sys.path.append(job["folder"])
answered, sys.stdout = sys.stdout, sys.stderr
from minigrad_course.checks import names; from minigrad_course.programs import torch_shim
torch_shim.install()
json.dump(names.graded(job), answered)
"""


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement of a cell: the names it binds, those it takes from outside itself, and the modules it imports."""

    binds: frozenset[str]
    takes: frozenset[str]
    imports: frozenset[str]
    constants: frozenset[str]


@functools.lru_cache(maxsize=256)
def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a cell; none if it is not Python."""
    result, flags = [], 0
    for item in parsed(text):
        flags |= cells.future_flags(item)
        try:
            code = cells.compiled(item, "<names>", flags)
        except (SyntaxError, ValueError, RecursionError):
            continue
        made = statement(code, is_tried=isinstance(item, ast.Try))
        result.append(dataclasses.replace(made, binds=made.binds | starred(item)))
    return tuple(result)


def starred(stmt: ast.stmt) -> frozenset[str]:
    """The names that a `from … import *` binds, if the module can be found."""
    if not (isinstance(stmt, ast.ImportFrom) and stmt.names[0].name == "*"):
        return frozenset()
    module = sys.modules.get(stmt.module or "")
    return frozenset(getattr(module, "__all__", vars(module)) if module else ())


def statement(code: types.CodeType, is_tried: bool) -> Statement:
    """The names that a statement binds and uses. An import inside `try` may fail."""
    takes: set[str] = set()
    imports: set[str] = set()
    for item in nested(code):
        own = bound(item) if item is not code else set()  # inside a class, its own names come first
        takes |= {step.argval for step in dis.get_instructions(item) if step.opname in LOADS} - own
        module = ""
        for step in dis.get_instructions(item):
            if step.opname == "IMPORT_NAME":
                module = step.argval
                imports.add(module)
            elif step.opname == "IMPORT_FROM":  # it may be a submodule
                imports.add(f"{module}.{step.argval}")
    constants = {const for const in code.co_consts if isinstance(const, str)}
    return Statement(
        frozenset(bound(code)), frozenset(takes), frozenset(() if is_tried else imports), frozenset(constants)
    )


def bound(code: types.CodeType) -> set[str]:
    """The names that a module's or a class's code binds."""
    return {step.argval for step in dis.get_instructions(code) if step.opname in STORES}


def nested(code: types.CodeType) -> list[types.CodeType]:
    """A code object and all code objects inside it."""
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return [code, *(deeper for item in inner for deeper in nested(item))]


def parsed(text: str) -> list[ast.stmt]:
    """The statements of a cell without its notebook commands; none if it is not Python."""
    try:
        return cells.parsed(text)[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def may_matter(text: str, setup: Iterable[str]) -> bool:
    """True for a cell with an effect: it does more than define things, or redefines a name of the setup."""
    given = known().union(*(item.binds for first in setup for item in statements(first)))
    defines = text == cells.without_magics(text) and all(map(is_definition, parsed(text)))
    return not defines or any(item.binds & given for item in statements(text))


def is_definition(stmt: ast.stmt) -> bool:
    """True for an import, a function, a class, or a bare string."""
    return isinstance(stmt, DEFINITIONS) or (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant))


def needed(part: str, cell: str, others: Iterable[str]) -> tuple[set[str], set[str]]:
    """The names that an answer uses but neither its cell nor the others define, and the modules it imports.

    This starts at the statement that defines the part and follows everything it uses. Other statements may fail in a
    grading without cost.
    """
    own = statements(cell)
    every = [*(item for text in others for item in statements(text)), *own]
    waiting = [item for item in own if part in item.constants and "part" in item.takes] or list(own)
    reached = set(waiting)
    missing: set[str] = set()
    while waiting:
        for name in waiting.pop().takes:
            sources = [item for item in every if name in item.binds]
            if not sources and name not in known():
                missing.add(name)
            waiting += [item for item in sources if item not in reached]
            reached.update(sources)
    return missing, set().union(*(item.imports for item in reached))


def known() -> set[str]:
    """The names that exist in a grading before any cell has run."""
    return set(vars(builtins)) - OF_NOTEBOOKS | OF_MODULES | {"part"}


def missing_sentences(part: str, cell: str, others: Iterable[str]) -> list[str]:
    """A sentence for each name or module that an answer uses but a grading does not have."""
    names, modules = needed(part, cell, others)
    return [missing_name(name, part) for name in sorted(names)] + missing_modules(modules, part)


def missing_modules(modules: Iterable[str], part: str) -> list[str]:
    """A sentence for each module, of those that the answer to a part imports, that a grading does not have."""
    missing = sorted({lacking(module) for module in modules} - {""})
    return [f"One thing: {name!r} {REFUSED}. The cell of {part} needs it." for name in missing]


def refused_imports(chapter: Chapter, check: str, answers: Mapping[str, str]) -> list[str]:
    """A sentence for each module that the answers to a check import and a grading refuses. `answers`: their cells."""
    setup, before = graded_cells(chapter, check, answers)
    others = [*setup, *before.values()]
    names = [place.name for place in chapter.places(check) if place.name in before]
    return [module for name in names for module in missing_modules(needed(name, before[name], others)[1], name)]


def graded_cells(chapter: Chapter, check: str, answers: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The cells that a grading runs for a check: our first cell, and the answers down to the check, by part."""
    setup: list[str] = []
    before: dict[str, str] = {}
    for cell in source.read("solutions", chapter.name).cells:
        if cell.role == "setup":
            setup.append(cells.without_magics(cell.source))
        elif cell.role == "answer":
            before |= {part: answers[part] for part in cell.parts if part in answers}
        elif cell.role == "check" and cell.part == check:
            break
    return setup, before


def lacking(module: str) -> str:
    """The prefix of a module's dotted name that a grading lacks; "" if it lacks nothing."""
    names = module.split(".")
    if not names[0] or names[0] not in AT_HAND:
        return names[0]
    return next((each for count in range(2, len(names) + 1) if (each := ".".join(names[:count])) in MISSING), "")


def missing_name(name: str, part: str) -> str:
    """A sentence about a missing name that the answer to a part uses."""
    if name in OF_NOTEBOOKS:
        return f"One thing: {name} exists only in notebooks, not in a grading. Do without it in the cell of {part}."
    return (
        f"One thing: {name} is defined in another cell, but a grading runs only the original first cell and the "
        f"answers down to this check. Define or import it in the cell of {part}."
    )


def graded(job: dict[str, Any]) -> dict[str, str]:
    """What a check prints after some cells have run, and why it did not finish, if so; called in a new process."""
    places = [Place(**fields) for fields in job["places"]]
    answers = Answers()
    namespace = {"__name__": "__main__", "part": answers.part}
    failures = {}
    for cell in job["cells"]:
        failure = cells.run_cell(cell["source"], namespace, STATEMENT_SECONDS)
        if failure:
            failures[cell["part"]] = failure
    for place in places:
        if place.name not in answers and place.name in failures:
            return {"text": "", "why": f"{place.name}: {failures[place.name]}"}
    run = run_with(job["program"], minigrad, job["seed"], places, answers)
    return {"text": run.text, "why": run.problem.message if run.problem else ""}


def rehearsed(job: dict[str, Any]) -> dict[str, str] | None:
    """The result of `graded` for a job, in a fresh process; None if that fails."""
    folder = str(Path(minigrad.__file__).parent.parent)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", REHEARSAL],
            input=json.dumps(job | {"folder": folder}),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8",
            timeout=REHEARSAL_SECONDS,
            check=False,
        )
        result = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return result if isinstance(result, dict) else None
