"""Running a program with somebody's answers: what is swapped, what is bounded, what is said, what stays behind."""

import contextlib
import dataclasses
import io
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest
import torch

import minigrad
from minigrad import leaf, scalar
from minigrad.compat import versions
from minigrad.ops import lazy
from minigrad_course import parts
from minigrad_course.checks.reference import reference
from minigrad_course.programs import program
from minigrad_course.programs.cells import run_cell
from minigrad_course.programs.program import Answers, Place, Run, run, run_with
from minigrad_course.texts import source

lazy.load()  # so that no test finds names that another has loaded

MUL = Place("mul", "engine", "Mul", "minigrad.scalar", node="MulBackward0")
ORDER = Place("order", "engine", "topological_order", "minigrad.scalar")
HYPOT = Place("hypot", "operation", "hypot", node="HypotBackward0")
TASK = Place("task", "program", "task")


class Product(scalar.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


class Root(scalar.Function):
    @staticmethod
    def forward(ctx, a, b):
        return (a * a + b * b) ** 0.5


def answered(body, text="task()", **limits):
    """Run a program that calls a function with this body, as an answer cell would define it."""
    answers = Answers()
    code = "@part('task')\ndef task():\n" + textwrap.indent(textwrap.dedent(body), "    ")
    assert run_cell(code, {"__name__": "__main__", "part": answers.part}) is None
    return run_with(text, minigrad, 1, [TASK], answers, **limits)


def state():
    """Everything that a run could leave changed."""
    return (
        vars(scalar).copy(),
        vars(leaf).copy(),
        vars(minigrad.Tensor).copy(),
        dict(minigrad.functions),
        sys.stdout,
        sys.getrecursionlimit(),
        warnings.filters[:],
        signal.getsignal(signal.SIGALRM),
        [signal.getitimer(each)[0] > 0 for each in (signal.ITIMER_REAL, signal.ITIMER_PROF)],
        random.getstate(),
        Product.node.__name__,
    )


@pytest.fixture(autouse=True)
def unchanged():
    before = state()
    yield
    assert state() == before


# --- swapping ------------------------------------------------------------------------------------


def test_while_it_runs_every_name_leads_to_the_answer():
    ours = scalar.Mul
    text = """
from minigrad import scalar
print(scalar.Mul is Product, scalar.Mul.__name__)
x = torch.tensor(2.0, requires_grad=True)
print(x * x)
"""
    found = run(text.replace("Product", "None"), minigrad, 1)
    assert "MulBackward0" in found.text
    with program.attached(minigrad, [MUL], {"mul": Product}) as names:
        assert scalar.Mul is Product and names == {}
        found = run(text, minigrad, 1, {"Product": Product})
    assert found == Run("True Product\ntensor(4., grad_fn=<MulBackward0>)\n")
    assert scalar.Mul is ours


def test_everything_is_as_before_after_an_error():
    before, ours = scalar.Mul, minigrad.functions["hypot"]
    with pytest.raises(ZeroDivisionError), program.attached(minigrad, [MUL, HYPOT], {"mul": Product, "hypot": Root}):
        assert scalar.Mul is Product and minigrad.functions["hypot"] is not ours
        raise ZeroDivisionError
    assert scalar.Mul is before and minigrad.functions["hypot"] is ours


def test_an_answer_that_cannot_be_used_takes_the_earlier_ones_out_again():
    found = run_with("print(1)", minigrad, 1, [MUL, HYPOT], {"mul": Product, "hypot": 5})
    assert found.text == "" and found.problem.kind == "answer"


def test_an_operation_is_registered_and_taken_back():
    ours = minigrad.functions["hypot"], vars(minigrad.Tensor)["hypot"]
    text = "print(torch.hypot(torch.tensor(3.), torch.tensor(4.)), torch.tensor(3., requires_grad=True).hypot(4.))"
    printed = "tensor(5.) tensor(5., grad_fn=<HypotBackward0>)\n"  # whatever its class is called
    assert run_with(text, minigrad, 1, [HYPOT], {"hypot": Root}) == Run(printed)
    assert (minigrad.functions["hypot"], vars(minigrad.Tensor)["hypot"]) == ours


def test_the_program_records_although_the_cell_of_an_answer_has_stopped_recording():
    text = "print(torch.tensor(3., requires_grad=True) * 2)"
    with minigrad.no_grad():
        assert run_with(text, minigrad, 1, [ORDER], {"order": list}) == Run("tensor(6., grad_fn=<MulBackward0>)\n")
        assert not leaf.recording


def test_an_operation_that_the_student_registered_steps_aside_and_comes_back():
    text = "print(torch.hypot(torch.tensor(3.), torch.tensor(4.)))"
    minigrad.register("hypot", lambda a, b: a)
    theirs = minigrad.functions["hypot"], minigrad.Tensor.hypot
    try:
        for _ in range(3):
            assert run_with(text, minigrad, 1, [HYPOT], {"hypot": Root}) == Run("tensor(5.)\n")
            assert (minigrad.functions["hypot"], minigrad.Tensor.hypot) == theirs
    finally:
        minigrad.ops.unregister("hypot")


def test_a_run_has_a_namespace_of_its_own_with_the_part_the_seed_and_torch():
    assert answered("return 5", "print(task())") == Run("5\n")
    assert run("left = seed; print(seed, torch.tensor(1.))", minigrad, 17) == Run("17 tensor(1.)\n")
    assert run("left", minigrad, 1).problem.message == (
        "Line 2 of the check, `left`, stopped with NameError: name 'left' is not defined."
    )


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("try:\n    while True: pass\nexcept Exception:\n    pass", "`task`, line 5 of its cell, `while True: pass`"),
        (
            "class Slow(Exception):\n    def __str__(self):\n        while True: pass\nraise Slow",
            "`task`, line 6 of its cell, `while True: pass`",
        ),
    ],
    ids=["in a try", "while the error is put into words"],
)
def test_what_does_not_end_is_stopped(body, place):
    found = answered(f"print('so far')\n{body}", seconds=0.2)
    assert found.text == "so far\n"
    assert (found.problem.kind, found.problem.message) == (
        "time",
        f"It did not end within 0.2 seconds: it was still in {place}.",
    )


def test_what_fires_while_a_limit_is_left_changes_nothing(monkeypatch):
    """Where the machine is busy, one clock runs out while the block is left because of the other."""
    before, setitimer = [signal.getsignal(each) for each in (signal.SIGPROF, signal.SIGALRM)], signal.setitimer

    def late(timer, seconds, *more):
        if not seconds:  # the limit is being left: until both have fired
            until = time.monotonic() + 0.5
            while time.monotonic() < until:
                pass
        return setitimer(timer, seconds, *more)

    monkeypatch.setattr(signal, "setitimer", late)
    with pytest.raises(program.OutOfTime) as late_by, program.time_limit(0.1, 1):
        while True:
            pass
    assert [signal.getsignal(each) for each in (signal.SIGPROF, signal.SIGALRM)] == before
    assert late_by.traceback[0].lineno == late_by.traceback[0].frame.code.firstlineno + 13


def test_a_clock_that_fires_while_the_other_is_being_heard_says_nothing():
    with program.time_limit(100):
        with pytest.raises(program.OutOfTime):
            signal.raise_signal(signal.SIGPROF)
        signal.raise_signal(signal.SIGALRM)
        until = time.process_time() + program.LEAVING
        while time.process_time() < until:
            pass
        with pytest.raises(program.OutOfTime):
            signal.raise_signal(signal.SIGALRM)


def test_output_is_bounded():
    for body in ("while True: print('x' * 100)", "try:\n    print('x' * 1001)\nexcept:\n    pass"):
        found = answered(body, output_limit=1000)
        assert len(found.text) <= 1000
        assert (found.problem.kind, found.problem.message) == ("output", "It printed more than 1,000 characters.")
    found = answered("print('x' * 999)", output_limit=1000)
    assert (found.text, found.problem) == ("x" * 999 + "\n", None)


def test_depth_is_bounded_alike_wherever_it_runs():
    text = "def deep(n): return n and deep(n - 1)\ndeep({})\nprint('done')"
    assert run(text.format(900), minigrad, 1).text == "done\n"
    assert "RecursionError" in run(text.format(1100), minigrad, 1).problem.message

    def further_down(calls):
        return further_down(calls - 1) if calls else run(text.format(900), minigrad, 1)

    assert further_down(300).text == "done\n"
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    try:
        assert "RecursionError" in run(text.format(1100), minigrad, 1).problem.message
    finally:
        sys.setrecursionlimit(before)


def test_somebody_elses_timer_goes_on():
    before = signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        answered("import time; time.sleep(0.05)", seconds=1.0)
        assert 90 < signal.getitimer(signal.ITIMER_REAL)[0] < 99.96
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)


def test_an_interrupt_is_the_persons_own():
    with pytest.raises(KeyboardInterrupt):
        answered("raise KeyboardInterrupt")


# --- sentences -----------------------------------------------------------------------------------


# what an answer does, the kind of problem that it is, and the end of the sentence
SENTENCES = {
    "raise NotImplementedError": ("unfinished", "`task` is still to be written."),
    "value = 1\nreturn value / 0": (
        "program",
        "`task`, line 4 of its cell, `return value / 0`, stopped with ZeroDivisionError: division by zero.",
    ),
    "def helper(x):\n    return x.nothing\nhelper(1)": (
        "program",
        "line 4 of its cell, `return x.nothing`, stopped with AttributeError: 'int' object has no attribute 'nothing'.",
    ),
    "import minigrad\nminigrad.tensor(1.).backward()": (
        "program",
        "`task`, line 4 of its cell, `minigrad.tensor(1.).backward()`, stopped with RuntimeError: element 0 of "
        "tensors does not require grad and does not have a grad_fn.",
    ),
    "raise ValueError('one\\ntwo')": ("program", "stopped with ValueError: one."),
    "raise SystemExit(0)": ("program", "stopped with SystemExit: 0."),
    "class Own(BaseException): pass\nraise Own('x')": ("program", "stopped with Own: x."),
    "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute": ("program", "stopped with Mute."),
    "class Mute(Exception):\n    def __str__(self): raise SystemExit\nraise Mute": ("program", "stopped with Mute."),
}


def test_a_problem_is_told_in_a_sentence():
    found = {body: answered(body).problem for body in SENTENCES}
    told = {body: (each.kind, each.message[-len(SENTENCES[body][1]) :]) for body, each in found.items()}
    assert told == SENTENCES
    long = answered("raise ValueError('x' * 1_000_000)" + "  # " + "y" * 10_000).problem
    assert len(long.message) < 1000
    line = answered("return 5", "x = 1\ntask().nothing  # no `name`").problem.message
    assert line.startswith("Line 3 of the check, `task().nothing`, stopped with AttributeError: 'int'")
    missing = run_with("", minigrad, 1, [MUL], {}).problem
    assert (missing.kind, missing.message) == ("missing", "Run the cell that defines `mul` first.")
    half = "x = torch.tensor(3.0, requires_grad=True); torch.hypot(x, x).backward()"
    problem = run_with(half, minigrad, 1, [HYPOT], {"hypot": Root}).problem
    assert (problem.kind, problem.message) == ("unfinished", "Your class has no `backward` yet.")


class Hostile(type):
    """Classes that object to being asked."""

    def __getattribute__(cls, name):
        if name == "node":
            raise RuntimeError("no")
        return type.__getattribute__(cls, name)


UNUSABLE = {
    "a number": 5,
    "None": None,
    "a function": lambda ctx, a, b: a,
    "another class": int,
    "an object": Product(),
    "a class without a node": type("Odd", (scalar.Function,), {"node": None}),
    "a class that objects": Hostile("Odd", (scalar.Function,), {}),
}


def test_what_cannot_take_the_place_of_a_class_or_a_function():
    for name, answer in UNUSABLE.items():
        problem = run_with("print(1)", minigrad, 1, [MUL], {"mul": answer}).problem
        assert problem.kind == "answer" and problem.message, name
    problem = run_with("print(1)", minigrad, 1, [ORDER], {"order": [1]}).problem
    assert problem.message == "`order` must be a function; what you defined is not one."


# --- nothing stays behind ------------------------------------------------------------------------


SETTINGS = [
    "import warnings; warnings.simplefilter('error')",
    "import sys; sys.setrecursionlimit(77777)",
    "import sys; sys.stdout = None",
    "1 / 0",
    "raise SystemExit",
    "x = torch.tensor(1.0) / 0",
]


def test_settings_are_put_back_and_print_goes_into_the_text_only(recwarn):
    before, heard = state(), io.StringIO()
    with contextlib.redirect_stdout(heard):
        assert run("print('in'); import sys; sys.stdout.write('side')", minigrad, 1).text == "in\nside"
    assert heard.getvalue() == ""
    for text in SETTINGS:
        run(text, minigrad, 1, seconds=5.0)
        assert state() == before and np.geterr()["divide"] == "warn", text


def test_a_warning_is_not_shown_and_a_program_may_record_it():
    text = """
import warnings
warnings.warn("unheard")
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    warnings.warn("heard")
print(heard[0].message)
"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(text, minigrad, 1) == Run("heard\n")


def test_the_reference_leaves_torch_as_it_was():
    (chapter,) = [each for each in parts.chapters() if each.number == 1]
    text = """
torch.manual_seed(1); torch.rand(2); torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)
torch.set_printoptions(precision=2)
print(torch.tensor(1 / 3))
"""
    before = torch.get_rng_state(), torch.is_warn_always_enabled()
    assert reference(chapter, "mul", text, 1) == "tensor(0.33)\n"
    assert torch.equal(torch.get_rng_state(), before[0]) and torch.is_warn_always_enabled() == before[1]
    assert torch.get_default_dtype() is torch.float32 and torch.is_grad_enabled()
    assert str(torch.tensor(1 / 3)) == "tensor(0.3333)"


LIGHTLY = """
import sys
from minigrad_course import parts; from minigrad_course.texts import source
from minigrad_course.checks.reference import lightly, reference
heavy = {"torch._dynamo", "sympy"}
chapters = parts.chapters()
for chapter, check in [(chapters[0], "mul"), (chapters[1], "seed_rule"), (chapters[3], "is_leaf")]:
    reference(chapter, check, source.read("solutions", chapter.name).programs()[check], 0)
print(sorted(heavy & sys.modules.keys()))
import torch
print("_dynamo" in vars(torch), any("__dynamo_disable" in vars(each.__wrapped__)
      for each in vars(torch.optim.Optimizer).values() if hasattr(each, "__wrapped__")))
with lightly(torch):
    print(torch.compiler.is_compiling(), torch._dynamo.config.__name__)  # more than an optimizer asks for
torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).step()
print(torch._dynamo is sys.modules["torch._dynamo"], bool(torch._dynamo.__file__))
"""


def test_a_reference_needs_neither_torch_s_compiler_nor_its_symbols_and_leaves_no_stand_in():
    done = subprocess.run([sys.executable, "-c", LIGHTLY], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["[]", "False False", "False torch._dynamo.config", "True True"], done.stderr


BROKEN = """
from minigrad_course import parts; from minigrad_course.checks import reference
reference.reference(parts.chapters()[0], "mul", "print(torch.ones(1))", 0)
"""


def test_torch_is_imported_in_a_thread_and_says_why_it_cannot_be(tmp_path):
    (tmp_path / "torch.py").write_text(
        "import threading\nprint(threading.current_thread().name)\nraise OSError('the disc is broken')\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run([sys.executable, "-c", BROKEN], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1] == "OSError: the disc is broken"
    assert done.stdout.splitlines()[0] == "import torch"


LIGHT = """
import json, sys
from minigrad_course import parts
from minigrad_course.checks import reference
from minigrad_course.texts import source
reference.begin_to_import_torch(for_references=True)
found = {}
for chapter in parts.chapters():
    for check, text in source.read("solutions", chapter.name).programs().items():
        found[check] = reference.reference(chapter, check, text, 7)
print(json.dumps(found), "torch._prims" in sys.modules)
import torch
print(torch.export.Dim.__name__, (torch.empty(2, 3, device="meta") @ torch.empty(3, 2, device="meta")).shape)
"""


def test_a_reference_is_the_same_with_the_torch_that_is_imported_for_it_alone():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, timeout=120)
    found, rest = done.stdout.split("\n", 1)
    assert found.endswith(" False") and rest == "Dim torch.Size([2, 2])\n", done.stderr
    wanted = {
        check: reference(chapter, check, text, 7)
        for chapter in parts.chapters()
        for check, text in source.read("solutions", chapter.name).programs().items()
    }
    assert json.loads(found.removesuffix(" False")) == wanted


# --- as each version of torch ---------------------------------------------------------------------------

EACH = dataclasses.replace(TASK, torches=True)


def as_each(answer, text="task()\nprint('end')"):
    return run_with(text, minigrad, 1, [EACH], {"task": answer})


def test_a_program_runs_as_each_version_and_shows_the_lines_that_differ():
    before = versions.spoken, versions.said
    same = as_each(lambda: print("  the same"))
    assert same.text == "  the same\nend\n" and same.problem is None
    other = as_each(lambda: print("  2.13" if versions.spoken == "2.13" else "later", "\nthe same"))
    assert other.text == "torch 2.13: 2.13; torch 2.14 and 2.15: later\nthe same\nend\n"
    longer = as_each(lambda: versions.spoken == "2.15" and print("more"))
    assert longer.text == "torch 2.13 and 2.14: end; torch 2.15: more\ntorch 2.13 and 2.14: ; torch 2.15: end\n"
    assert (versions.spoken, versions.said) == before


def test_the_first_version_that_stops_ends_the_run():
    before = versions.spoken, versions.said
    asked = []

    def stops():
        asked.append(versions.spoken)
        if versions.spoken == "2.14":
            raise RuntimeError("not here")

    run = as_each(stops)
    assert run.problem is not None and "RuntimeError: not here" in run.problem.message
    assert asked == ["2.13", "2.14"]
    assert (versions.spoken, versions.said) == before


def test_beside_another_part_it_runs_once():
    asked = []
    answers = {"task": lambda: asked.append(versions.spoken), "mul": Product}
    assert run_with("task()", minigrad, 1, [EACH, MUL], answers).problem is None
    assert asked == [versions.spoken]
