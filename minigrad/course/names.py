"""What does an answer take from outside itself?

A notebook finds what any cell has left behind; a grading runs only the first cell and the answers, in a process of its
own. So a check can pass where a grading will not, and this module tells beforehand: by reading the cells, and where
others have run that did more than define something, by running the check as a grading does.
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
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import minigrad
from minigrad.course import cells
from minigrad.course.program import Answers, Place, run_with

LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
STORES = ("STORE_NAME", "STORE_GLOBAL")
OF_MODULES = {"__name__", "__class__", "__annotations__", "__conditional_annotations__"}
OF_NOTEBOOKS = {"display", "get_ipython", "__IPYTHON__"}  # which IPython puts among what is built in
# Of Python's library, what a grading does not load before it shuts itself off: it cannot do so later.
NOT_LOADED = """
    aifc antigravity asynchat asyncio asyncore audioop cgi cgitb chunk compileall configparser crypt curses
    dbm distutils ensurepip filecmp fileinput ftplib http idlelib imaplib imghdr imp lib2to3 mailbox mailcap
    mimetypes modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt nturl2path optparse ossaudiodev
    pickletools pipes plistlib poplib pty pyclbr pydoc_data pyexpat readline rlcompleter runpy smtpd smtplib
    sndhdr socketserver spwd sqlite3 ssl sunau syslog tabnanny tarfile telnetlib this tkinter tty turtle
    turtledemo uu venv wave webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
    concurrent.futures.process concurrent.futures.thread logging.handlers unittest.mock urllib.request
"""
MISSING = frozenset(NOT_LOADED.split())
AT_HAND = sys.stdlib_module_names - MISSING | {"numpy", "minigrad", "torch"}  # for a grading
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass)

STATEMENT_SECONDS = 1.0  # as in a grading
REHEARSAL_SECONDS = 15.0
# Run with -P: a file beside the notebook is not there in a grading either.
REHEARSAL = """
import json, sys
job = json.load(sys.stdin)
sys.path.append(job["folder"])
answered, sys.stdout = sys.stdout, sys.stderr
from minigrad.course import names, torch_shim
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
    found, flags = [], 0
    for each in parsed(text):
        flags |= cells.future_flags(each)
        try:
            code = cells.compiled(each, "<names>", flags)
        except (SyntaxError, ValueError, RecursionError):
            continue
        made = statement(code, is_tried=isinstance(each, ast.Try))
        found.append(dataclasses.replace(made, binds=made.binds | starred(each)))
    return tuple(found)


def starred(each: ast.stmt) -> frozenset[str]:
    """The names that a `from … import *` binds, if the module is here."""
    if not (isinstance(each, ast.ImportFrom) and each.names[0].name == "*"):
        return frozenset()
    module = sys.modules.get(each.module or "")
    return frozenset(getattr(module, "__all__", vars(module)) if module else ())


def statement(code: types.CodeType, is_tried: bool) -> Statement:
    """What the code of a statement binds and takes. An import that is tried may fail."""
    takes: set[str] = set()
    imports: set[str] = set()
    for each in nested(code):
        own = bound(each) if each is not code else set()  # the names of a class are found inside it first
        takes |= {step.argval for step in dis.get_instructions(each) if step.opname in LOADS} - own
        module = ""
        for step in dis.get_instructions(each):
            if step.opname == "IMPORT_NAME":
                module = step.argval
                imports.add(module)
            elif step.opname == "IMPORT_FROM":  # it may be a module of that package
                imports.add(f"{module}.{step.argval}")
    constants = {each for each in code.co_consts if isinstance(each, str)}
    return Statement(
        frozenset(bound(code)), frozenset(takes), frozenset(() if is_tried else imports), frozenset(constants)
    )


def bound(code: types.CodeType) -> set[str]:
    """The names that a module's or a class's code binds."""
    return {step.argval for step in dis.get_instructions(code) if step.opname in STORES}


def nested(code: types.CodeType) -> list[types.CodeType]:
    """A code object and all that stand inside it."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return [code, *(deeper for each in inner for deeper in nested(each))]


def parsed(text: str) -> list[ast.stmt]:
    """The statements of a cell, its notebook commands taken out; none if it is not Python."""
    try:
        return cells.parsed(text)[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def may_matter(text: str, setup: Iterable[str]) -> bool:
    """True for a cell that may change what is there: more than definitions, or one of a name that is there already."""
    given = known().union(*(each.binds for first in setup for each in statements(first)))
    defines = text == cells.without_magics(text) and all(map(is_definition, parsed(text)))
    return not defines or any(each.binds & given for each in statements(text))


def is_definition(each: ast.stmt) -> bool:
    """True for an import, a function, a class, or a text that stands alone."""
    return isinstance(each, DEFINITIONS) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))


def needed(part: str, cell: str, others: Iterable[str]) -> tuple[set[str], set[str]]:
    """The names that the answer in a cell takes from outside this cell and the others, and the modules it imports.

    Followed from the statement that hands the part over, through whatever it uses: other statements may fail in a
    grading, and cost nothing.
    """
    own = statements(cell)
    every = [*(each for text in others for each in statements(text)), *own]
    waiting = [each for each in own if part in each.constants and "part" in each.takes] or list(own)
    reached = set(waiting)
    missing: set[str] = set()
    while waiting:
        for name in waiting.pop().takes:
            sources = [each for each in every if name in each.binds]
            if not sources and name not in known():
                missing.add(name)
            waiting += [each for each in sources if each not in reached]
            reached.update(sources)
    return missing, set().union(*(each.imports for each in reached))


def known() -> set[str]:
    """The names that are there in a grading before any cell has run."""
    return set(vars(builtins)) - OF_NOTEBOOKS | OF_MODULES | {"part"}


def missing_sentences(part: str, cell: str, others: Iterable[str]) -> list[str]:
    """A sentence for each name and each module that an answer uses, and that a grading does not have."""
    names, modules = needed(part, cell, others)
    return [missing_name(name, part) for name in sorted(names)] + [
        f"One thing: the cell of {part} imports {name}, and a grading has only numpy and what is common of Python's "
        "library."
        for name in sorted({lacking(module) for module in modules} - {""})
    ]


def lacking(module: str) -> str:
    """The part of a module's dotted name that a grading lacks; "" if it lacks nothing."""
    top = module.partition(".")[0]
    return module if module in MISSING else top if top and top not in AT_HAND else ""


def missing_name(name: str, part: str) -> str:
    """A sentence about a name that the answer to a part uses."""
    if name in OF_NOTEBOOKS:
        return f"One thing: {name} belongs to notebooks, and a grading is none. Do without it in the cell of {part}."
    return (
        f"One thing: {name} is defined in another cell, and a grading runs only the first cell as it was given and "
        f"the answers down to this check. Define or import it in the cell of {part}."
    )


def graded(job: dict[str, Any]) -> dict[str, str]:
    """What a check prints after some cells, and why it did not end, if it did not; in a process of its own."""
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
    """What `graded` gives for a job in a fresh process; None if that cannot be found out."""
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
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return found if isinstance(found, dict) else None
