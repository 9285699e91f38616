"""A cell outside of a notebook: what it may hold, how it ends, and that one statement costs no other."""

import time

import pytest

from minigrad_course.programs.cells import MOST_OVERDUE, run_cell

CELLS = {
    "not Python": ("def f(:", "The cell is not Python: invalid syntax, line 1, `def f(:`."),
    "an error": ("x = 1 / 0", "The cell stopped in line 1 with ZeroDivisionError: division by zero."),
    "a slip": (
        "def f(grad):\n    return gard\nf(1)",
        "The cell stopped in line 2 with NameError: name 'gard' is not defined. Did you mean `grad`?",
    ),
    "an error in a function": (
        "def f():\n    return 1 / 0\n\nf()",
        "The cell stopped in line 2 with ZeroDivisionError",
    ),
    "exit": ("import sys; sys.exit(3)", "The cell stopped in line 1 with SystemExit: 3."),
    "no end": ("while True: pass", "The cell did not end within 0.5 seconds: it was still in line 1."),
    "a flood": ("while True: print('x' * 10000)", "The cell printed more than 1,000,000 characters."),
    "a NUL": ("x = '\0'", "The cell is not Python: source code string cannot contain null bytes"),
    "half a character": ("x = '\ud800'", "The cell is not Python: UnicodeEncodeError"),
    "notebook commands": ("%timeit x\n!ls\nx = 1", None),
    "a command in a block": ("if True:\n    %time\n    x = 1", None),
    "a block of one command": ("if True:\n    %time\nfiles = !ls\n?help\nmin??", None),
    "a rest that runs": ("\nimport no_such_module\nx = 1\nx.y", "The cell stopped in line 2 with ModuleNotFoundError"),
    "from the future": ("from __future__ import annotations\ndef f(x: No) -> Such: pass", None),
    "a loop that awaits nobody": (
        "import asyncio\nawait asyncio.sleep(1)",
        "The cell stopped in line 2 with RuntimeError",
    ),
    "a command nobody knows": ("%" * 300 + "\n(", "The cell is not Python"),
}


@pytest.mark.parametrize(("source", "sentence"), CELLS.values(), ids=CELLS.keys())
def test_a_cell(source, sentence):
    found = run_cell(source, {"__name__": "__main__"}, seconds=0.5)
    assert found is None if sentence is None else found.startswith(sentence)


REACHED = {
    "a line that goes on with %": "x = (17\n% 5)\nassert x == 2",
    "the same beside commands": "%matplotlib inline\nx = (17\n     % 5)\n!ls\nassert x == 2",
    "text that looks like commands": "%time\nx = '''\n%time\n!ls\n'''\nassert '%time' in x",
    "a cell command": "%%time\nx = 2",
    "an await": "async def f(): return 3\nx = await f()\nassert x == 3",
    "an await of the loop": "import asyncio\nawait asyncio.sleep(0)",
    "an async loop": "async def g():\n    yield 1\nasync for x in g(): pass\nassert x == 1",
    "an await that fails": "import asyncio\nawait asyncio.sleep(5)",
    "a statement that hangs": "while True: pass",
    "one that hangs and catches": "while True:\n    try:\n        while True: pass\n    except Exception: pass",
    "one that sleeps": "import time\ntime.sleep(100)",
    "an experiment": "import time\nstart = time.process_time()\nwhile time.process_time() < start + 1: pass",
}


@pytest.mark.parametrize("source", REACHED.values(), ids=REACHED.keys())
def test_what_stands_below_is_reached(source):
    namespace = {"__name__": "__main__"}
    run_cell(f"{source}\nreached = True", namespace, seconds=0.2)
    assert namespace.get("reached")


def test_a_cell_that_hangs_again_and_again_is_given_up():
    started = time.monotonic()
    late = f"The cell did not end within 0.1 seconds: it was still in line {MOST_OVERDUE}."
    assert run_cell("while True: pass\n" * 50, {}, seconds=0.1) == late
    assert time.monotonic() - started < 0.1 * 10 * MOST_OVERDUE
