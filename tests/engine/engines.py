"""Run the lines of a program on an engine and write down all that they print, raise and warn.

An error ends its line, not the program: it is printed, and the next line runs. So one program can ask many questions.
"""

import ast
import contextlib
import functools
import io
import itertools
import json
import re
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterable

import preloaded
import pytest
import torch

import minigrad
from minigrad_course.programs.compare import alike, difference

ENGINES = [torch, minigrad]
NATIVE = " (Triggered internally at "  # torch adds the file and line of its C++ source
OTHERWISE = """
received an invalid combination of arguments
failed to unpack the object
takes no arguments
cdist only supports at least 2D tensors
quantile() interpolation must be one of
movedim: Invalid source or destination dims
movedim: repeated dim
unflatten: sizes must be non-empty
`shifts` required
number of steps must be non-negative
must be greater or equal to 0, got
unsupported range
invalid size, possible overflow
expected TensorOptions
takes no keyword arguments
dtype must be a type, str, or dtype object
linalg.solve: Expected A and B to have the same dtype
can't allocate memory
Storage size calculation overflowed
INDICES element is out of DATA bounds
self indexing axis dim should be positive
tried to access index
tried to take from an empty tensor
invalid subscript given at index
must specify the equation string
both inputs should have same dtype
addmv input tensors must have the same dtype
expected scalar type
Input dtypes must be the same
not implemented for 'Half'
repeat_interleave only accept 1D vector
repeats has to be Long or Int
repeats can not be negative
Expected bias to be a vector of size
"""  # errors of torch that minigrad says in words of its own

# What is said of a device that is not there: by minigrad, as by torch built for the CPU alone, and by torch built for
# CUDA. The latter also makes a `torch.device` of a number.
WITHOUT_CUDA = ("Torch not compiled with CUDA enabled", "Cannot access accelerator device", "pin_memory=True requires")
WITH_CUDA = ("Found no NVIDIA driver on your system", "CUDA driver version is insufficient", "cuda:")
THROWN = r"the \(type, exc, tb\) signature of throw\(\) is deprecated"  # torch itself calls it so

torch.set_num_threads(1)


def each_of(**columns: Iterable) -> Callable[[Callable], Callable[[], None]]:
    """Let a test of a row be one test of all of them, which names every row that fails.

    As tests of their own, thousands of rows would take longer to hand out and to report than to run.
    """
    rows = [dict(zip(columns, values, strict=True)) for values in itertools.product(*map(list, columns.values()))]
    assert rows, columns

    def one_test(test: Callable) -> Callable[[], None]:
        def of_all() -> None:
            failed = []
            for row in rows:
                try:
                    test(**row)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"{row}:\n{type(error).__name__}: {error}")
            assert not failed, "\n\n".join([f"{len(failed)} of {len(rows)} rows fail", *failed])

        of_all.__name__, of_all.__doc__, of_all.__module__ = test.__name__, test.__doc__, test.__module__
        return of_all

    return one_test


def said(lines: list[str], engine: types.ModuleType, names: dict | None = None) -> str:
    """What the lines print on an engine; an error or a warning becomes a line of its own.

    A line that is an expression prints its value, as in an interactive session, unless that is None.
    """
    return "".join(said_by_each(lines, engine, names))


def said_by_each(lines: list[str], engine: types.ModuleType, names: dict | None = None) -> list[str]:
    """The same, as a text for each of the lines."""
    namespace = {"torch": engine, **(names or {})}
    texts = []
    for line in lines:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ResourceWarning)  # of any file that the collector finds just now
            warnings.filterwarnings("ignore", THROWN, DeprecationWarning, r"torch\.")
            try:
                run_line(line, namespace)
            except Exception as error:
                print(f"{type(error).__name__}: {error}")
            for each in caught:
                print(f"{each.category.__name__}: {str(each.message).split(NATIVE)[0]}")
        texts.append(printed.getvalue())
    return texts


def run_line(line: str, namespace: dict) -> None:
    """Execute one line; print the value of an expression."""
    code, is_expression = compiled(line)
    value = eval(code, namespace)
    if is_expression and value is not None:
        print(value)


@functools.lru_cache(maxsize=10_000)  # each line runs on both engines, and some in hundreds of programs
def compiled(line: str) -> tuple[types.CodeType, bool]:
    """A line to run, and whether it is an expression."""
    body = ast.parse(line).body
    is_expression = len(body) == 1 and isinstance(body[0], ast.Expr)
    return compile(line, "<line>", "eval" if is_expression else "exec"), is_expression


FORKS = """
import json, os, sys, traceback
{imports}
texts = []
for program in json.load(sys.stdin):
    out, into = os.pipe()
    if not os.fork():
        os.dup2(into, 1)
        os.dup2(into, 2)
        try:
            exec(compile(program, "<program>", "exec"), {{"__name__": "__main__"}})
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as said:
        texts.append(said.read())
    os.wait()
json.dump(texts, sys.stdout)
"""


def printed_by_fresh(programs: list[str], imports: str) -> list[str]:
    """What each program prints, errors as well, in a process that has done these imports and nothing else.

    All are forked from one, because to import torch takes longer than they do.
    """
    python = preloaded.python() if "torch" in imports else sys.executable
    command = [python, "-c", FORKS.format(imports=imports)]
    ended = subprocess.run(command, input=json.dumps(programs), capture_output=True, text=True, timeout=120, check=True)
    return json.loads(ended.stdout)


def names_one(text: str, others: tuple[str, ...]) -> bool:
    """True if one of the other texts is part of the text."""
    return any(each in text for each in others)


def assert_alike(lines: list[str], names: dict | None = None) -> str:
    """Both engines say the same; the text is given back. Otherwise the failure shows the program and both texts. An
    error that minigrad says OTHERWISE is one in both, and the words for an absent device are those of the build.
    """
    told = [said_by_each(lines, engine, names) for engine in ENGINES]
    for place, text in enumerate(told[0]):
        if "Error: " in text and any(each in text for each in OTHERWISE.strip().splitlines()):
            for each in told:
                each[place] = "Error: \n" * len(re.findall(r"^\w+Error: .*\w", each[place], re.M))
    for place, (text, our_text) in enumerate(zip(*told, strict=True)):
        if names_one(text, WITH_CUDA) and names_one(our_text, WITHOUT_CUDA):
            told[0][place] = our_text
    theirs, ours = map("".join, told)
    if not alike(ours, theirs):
        found = difference(ours, theirs)
        raise AssertionError(
            "\n".join(["the engines differ:", str(found), *lines, "--- torch", theirs, "--- minigrad", ours])
        )
    return theirs
