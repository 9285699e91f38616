"""`@part`, `%%check` and `%hint` in a real IPython shell, and an untouched exercise in it."""

import html
import re
import textwrap

import matplotlib  # noqa: F401  (a cell that imports it first would take long, and be told so)
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from minigrad_course import parts
from minigrad_course.checks import hint_log, names, verdicts
from minigrad_course.learner import magics
from minigrad_course.programs import program
from minigrad_course.texts import source

CHAPTER = next(each for each in parts.chapters() if each.number == 1)
PROGRAMS = source.read("solutions", CHAPTER.name).programs()
SOLUTION = {cell.part: cell.source for cell in source.read("solutions", CHAPTER.name).cells if cell.role == "answer"}
SETUP = next(cell.source for cell in source.read("solutions", CHAPTER.name).cells if cell.role == "setup")


class Notebook:
    """A shell that runs cells and gives back what a person sees."""

    def __init__(self):
        self.shell = InteractiveShell.instance()  # `display` looks for this one
        self.run(SETUP)

    def run(self, source):
        """The cell's printed text and its displayed objects; its error, if any, in `self.error`."""
        with capture_output() as seen:
            result = self.shell.run_cell(source)
        self.error = result.error_in_exec or result.error_before_exec
        self.printed, self.shown = seen.stdout, seen.outputs
        self.all = seen.stdout + "".join(each.data["text/plain"] for each in seen.outputs)
        return self

    def check(self, name, program=None):
        return self.run(f"%%check {name}\n{PROGRAMS.get(name, '') if program is None else program}")


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(hint_log, "place", lambda: tmp_path / "state" / "asked.json")
    monkeypatch.setattr(hint_log, "_unwritten", {})
    yield Notebook()
    InteractiveShell.clear_instance()


def mul(backward):
    return f"""
@part("mul")
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, grad_output):
{textwrap.indent(textwrap.dedent(backward), " " * 8)}
"""


# --- an engine of one's own ----------------------------------------------------------------------

LADDER = source.read("solutions", "06_your_own_engine")
TYPED = LADDER.answers()["my_scalar"].source


def test_an_engine_of_ones_own(notebook):
    rung = LADDER.programs()["my_scalar"]
    notebook.run(TYPED).check("my_scalar", rung)
    assert notebook.error is None
    (verdict,) = notebook.shown
    said = "✓ my_scalar, part 1 of 9: it prints what torch prints. After it comes my_upstream."
    assert verdict.data["text/plain"] == said and "One thing" not in notebook.printed
    assert notebook.run("print(engine.tensor(2.0).tolist())").printed == "2.0\n"
    assert "subtract_in_place" not in notebook.shell.user_ns  # it is a module, and leaves no other name behind
    wrong = TYPED.replace("else each.grad.data + grad", "else grad")
    assert "a leaf forgets what it had" in notebook.run(wrong).check("my_scalar", rung).all


def test_an_engine_that_stops_with_an_error_is_not_used(notebook):
    rung = LADDER.programs()["my_scalar"]
    notebook.run(TYPED).run(f"{TYPED}\n1 / 0\n")
    assert isinstance(notebook.error, ZeroDivisionError)
    assert "The cell of my_scalar stopped with an error" in notebook.check("my_scalar", rung).all
    assert "needs" not in notebook.run(TYPED).check("my_scalar", rung).all and "✓" in notebook.all
    assert "imports torch, line 2" in notebook.run("%%engine\nimport torch\n").all


def test_an_empty_engine_is_still_to_be_written(notebook):
    given = LADDER.answers()["my_scalar"].given
    said = notebook.run(given).check("my_leaves", LADDER.programs()["my_leaves"]).all
    assert "… my_leaves: Your engine is still to be written." in said


# --- checks --------------------------------------------------------------------------------------


def test_a_right_answer(notebook):
    notebook.run(SOLUTION["mul"]).check("mul")
    assert notebook.error is None
    assert notebook.printed.startswith("tensor(") and "✓" not in notebook.printed
    (verdict,) = notebook.shown
    assert verdict.data["text/plain"] == "✓ mul, part 2 of 10: it prints what torch prints. After it comes pow."
    assert "✓ mul" in verdict.data["text/html"]


def test_a_known_mistake_is_named(notebook):
    notebook.run(mul("a, b = ctx.saved_tensors\nreturn b, a")).check("mul")
    assert notebook.error is None
    text = notebook.shown[0].data["text/plain"].splitlines()
    assert text[0].startswith("✗ mul: not what torch prints; line 2: the numbers differ.")
    assert text[1].strip().startswith("yours: tensor(") and text[2].strip().startswith("torch: tensor(")
    assert text[3].strip() == (
        "This is what you get when you return the local derivatives alone and forget the upstream gradient."
    )


def test_a_check_that_there_is_not(notebook):
    for name in ("nosuch", "", "mul pow", "Mul", "\"mul'"):
        notebook.check(name, "print(1)")
        assert notebook.error is None, name
        assert (
            notebook.printed.startswith("No check is called ") and "The parts are record, mul, pow" in notebook.printed
        )


def test_a_check_that_torch_does_not_run(notebook):
    notebook.run(SOLUTION["mul"]).check("mul", "torch.nosuch()")
    assert notebook.error is None
    assert "torch itself cannot finish this cell, so there is nothing to compare with." in notebook.all


def test_the_last_check_takes_all_parts(notebook):
    for answer in SOLUTION.values():
        notebook.run(answer)
    assert notebook.check("chapter1").all.endswith(
        "✓ chapter1, part 10 of 10: it prints what torch prints. That was the last check of this exercise."
    )
    assert "One thing" not in notebook.printed  # our answers take nothing from elsewhere
    notebook.run(mul("return grad_output, grad_output")).check("chapter1")
    assert "The checks above test the parts one by one" in notebook.all


def test_the_html_is_escaped(notebook):
    evil = "<script>alert(1)</script> & <img src=x onerror=alert(2)>"
    notebook.run(f"@part('repair')\ndef rectangle(torch, a, b): print({evil!r})").check("repair")
    shown = notebook.shown[0].data
    assert html.escape(evil) in shown["text/html"]
    assert "<script" not in shown["text/html"] and "<img" not in shown["text/html"]
    assert evil in shown["text/plain"]
    assert "<strong>✗ repair:</strong>" in shown["text/html"]
    notebook.run(f"@part('repair')\ndef rectangle(torch, a, b): raise ValueError({evil!r})").check("repair")
    assert html.escape(evil) in notebook.shown[0].data["text/html"]


EVIL = {
    "returns strings": mul("return 'a', 'b'"),
    "returns None": mul("return None"),
    "returns three": mul("return 1, 2, 3"),
    "returns other shapes": mul("import numpy as np\nreturn np.ones((2, 3)), np.ones(7)"),
    "returns objects": mul("import numpy as np\nreturn np.array([{}], object), np.array('x')"),
    "returns itself": mul("return ctx, ctx"),
    "raises": mul("raise ValueError('<b>no</b>\\nsecond line')"),
    "raises beside Exception": mul("class Own(BaseException): pass\nraise Own"),
    "exits": mul("raise SystemExit"),
    "asks": mul("input('?')"),
    "prints": mul("print('\\x1b[31m' + 'x' * 100000)\nreturn 1, 2"),
    "prints without end": mul("while True: print('x' * 10000)"),
    "never ends and catches": mul("while True:\n    try:\n        while True: pass\n    except Exception: pass"),
    "calls itself": mul("return Mul.backward(ctx, grad_output)"),
    "deletes what it runs on": mul("del scalar.Mul\nreturn 1, 2"),
    "a number": "part('mul')(5)",
    "an empty class": "@part('mul')\nclass Mul(Function): pass",
    "counts its arguments otherwise": "@part('mul')\nclass Mul(Function):\n    def forward(self): return 5",
    "forward returns None": "@part('mul')\nclass Mul(Function):\n    @staticmethod\n    def forward(ctx, a, b): pass",
    "no node": "@part('mul')\nclass Mul(Function):\n    node = None",
}
# After these it is checked that the engine is whole: they end in the middle of something, or change it.
UNDOING = ("raises beside Exception", "never ends and catches", "calls itself", "deletes what it runs on", "no node")


def test_a_check_never_raises(notebook, monkeypatch):
    monkeypatch.setattr(verdicts, "SECONDS", 0.2)
    for name, answer in EVIL.items():
        assert notebook.run(answer).error is None, name
        notebook.check("mul")
        assert notebook.error is None and len(notebook.shown) == 1, name
        text = notebook.shown[0].data["text/plain"]
        assert text.startswith(("✗ mul: ", "… mul: ")) and len(text) < 2000, name
        if name in UNDOING:
            passed = "✓ mul, part 2 of 10: it prints what torch prints. After it comes pow."
            assert notebook.run(SOLUTION["mul"]).check("mul").all.endswith(passed), name


def test_an_answer_without_an_end_runs_once_for_its_check(notebook, monkeypatch):
    limits, run_with = [], program.run_with
    monkeypatch.setattr(verdicts, "SECONDS", 0.2)
    monkeypatch.setattr(program, "run_with", lambda *given, **rest: limits.append(rest) or run_with(*given, **rest))
    notebook.run(mul("while True: pass")).check("mul")
    assert "did not end within 0.2 seconds" in notebook.all and limits == [{"seconds": 0.2}]


def test_an_interrupt_is_one_line(notebook):
    notebook.run(mul("raise KeyboardInterrupt")).check("mul")
    assert notebook.error is None and notebook.printed == "mul: interrupted.\n"


# --- parts and hints -----------------------------------------------------------------------------


def test_part_hands_back_what_it_got_whatever_its_name(notebook):
    for part, told in {
        "@part('accumulate')": "",
        "@part": 'Write the name of the part: @part("mul")\n',
        "@part('nosuch')": "No part is called 'nosuch'. The parts are record, mul",
    }.items():
        printed = notebook.run(f"{part}\ndef f(): return 5\nprint(f())").printed
        assert notebook.error is None and printed.startswith(told) and printed.endswith("5\n"), part


def test_hints_come_one_by_one_and_start_again(notebook):
    hints = CHAPTER.part("pow").hints
    for name, (count, hint) in zip(("'pow'", "`POW`"), enumerate(hints, start=1), strict=True):
        assert notebook.run(f"%hint {name}").all == f"Hint {count} of {len(hints)}: {hint}"
    again = notebook.run("%hint pow").all
    assert again.startswith("That was the last hint. Our answer: solutions/01_scalar_backward.ipynb.")
    assert f"Hint 1 of {len(hints)}: {hints[0]}" in again
    (shown,) = notebook.run("%hint detach").shown  # its code is set as code
    assert shown.data["text/plain"] == "Hint 1 of 3: Start with `tensor.data`. What does it not share with the tensor?"
    assert "Start with <code>tensor.data</code>." in shown.data["text/html"]


def test_a_hint_without_a_name_is_for_the_part_that_was_checked_last(notebook):
    notebook.check("pow")
    assert notebook.run("%hint").all == f"Hint 1 of 2: {CHAPTER.part('pow').hints[0]}"
    notebook.check("chapter1", "print(1)")  # which has no hints
    assert notebook.run("%hint").all.startswith("Hint 2 of 2: ")


def test_a_hint_that_there_is_not(notebook):
    for name in ("", "nosuch", "chapter1"):
        notebook.run(f"%hint {name}")
        assert notebook.error is None, name
        assert notebook.printed.startswith("No part is called " if name else "Name a part: ")
        assert "mul, pow, div" in notebook.printed, name


# --- what a notebook finds and a grading does not ------------------------------------------------

HELPED = mul("a, b = ctx.saved_tensors\nreturn times(grad_output, b), times(grad_output, a)")
TIMES = "def times(a, b): return a * b"


def inside(line, before=""):
    """The solution of mul with a line more at the top of its class."""
    return f"{before}\n" + SOLUTION["mul"].replace("class Mul(Function):", f"class Mul(Function):\n    {line}")


# what another cell holds, the answer that takes something from it, and the name that is missing in a grading
ELSEWHERE = {
    "helper": (TIMES, HELPED, "times"),
    "import": ("import math", inside("half = math.pi / 2"), "math"),
    "helper of a helper": (TIMES, f"def twice(a, b): return times(a, b)\n{HELPED.replace('times', 'twice')}", "times"),
    "class attribute": ("TABLE = {}", inside("table = TABLE"), "TABLE"),
    "base class": ("class Base: pass", SOLUTION["mul"].replace("(Function)", "(Function, Base)"), "Base"),
    "default": ("COUNT = 3", inside("def rest(self, count=COUNT): pass"), "COUNT"),
    "annotation": ("class Count: pass", inside("def rest(self, count: Count): pass"), "Count"),
    "decorator": ("def same(f): return f", SOLUTION["mul"].replace("class Mul", "@same\nclass Mul"), "same"),
    "value": ("COUNT = 3", inside("count = LIMIT", before="LIMIT = [COUNT for _ in range(2)]"), "COUNT"),
    "answer": (SOLUTION["mul"].replace('@part("mul")', ""), 'part("mul")(Mul)', "Mul"),
    "later answer": (f"{TIMES}\n{SOLUTION['pow']}", HELPED, "times"),
    "of notebooks": ("", inside("shown = display"), "display"),
}


@pytest.mark.parametrize(("elsewhere", "answer", "name"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_name_from_another_cell_is_pointed_out_below_the_tick(notebook, elsewhere, answer, name):
    notebook.run(elsewhere).run(answer).check("mul")
    assert "✓ mul" in notebook.all
    where = "exists only in notebooks" if name == "display" else "is defined in another cell, but a grading runs only"
    assert (
        [line for line in notebook.printed.splitlines() if line.startswith("One thing: ")]
        == [line for line in notebook.printed.splitlines() if line.startswith(f"One thing: {name} {where}")]
        != []
    )


FINE = {
    "in the cell of the answer": f"{TIMES}\n{HELPED}",
    "a star": f"from operator import *\n{HELPED.replace('times', 'mul')}",
    "torch": inside("torch = torch", before="import torch"),
    "what may fail": inside("pass", before="try:\n    import nosuch\nexcept ImportError:\n    nosuch = None"),
    "an experiment below": SOLUTION["mul"] + "\nprint(np.ones(2), [each for each in range(3)])",
    "commands": f"%precision 3\n{SOLUTION['mul']}\n!true",
    "itself": inside("def rest(self): return Mul, __class__, __name__, minigrad, len"),
    "a package that nothing needs": inside("pass", before="import matplotlib"),
}


def test_nothing_is_said_of_what_a_grading_has_too(notebook):
    for name, answer in FINE.items():
        notebook.run(answer).check("mul")
        assert "✓ mul" in notebook.all and "One thing" not in notebook.printed, name
    notebook.run(f"def twice(a): return np.multiply(a, 2)\n{SOLUTION['mul']}")  # an earlier answer's cell
    notebook.run("two = twice(1)\n" + SOLUTION["pow"]).check("pow")
    assert "✓ pow" in notebook.all and "One thing" not in notebook.printed


# a line, and the module that a grading does not import
REFUSED = {
    "import matplotlib": "matplotlib",
    "import unittest.mock": "unittest.mock",
    "from unittest import mock": "unittest.mock",
    "from unittest.mock import patch": "unittest.mock",
    "from email.mime import text": "email.mime",
    "from minigrad import parts": "minigrad.parts",
}


def test_a_module_that_a_grading_has_not_is_named_where_an_answer_needs_it(notebook):
    for line, module in REFUSED.items():
        needed = inside(f"drawing = {line.split()[-1].partition('.')[0]}", before=line)
        for answer in (needed, needed.replace("a * b", "a + b")):  # an answer that is wrong imports it too
            notebook.run(answer).check("mul")
            assert f"One thing: {module!r} {names.REFUSED}. The cell of mul needs it." in notebook.printed, line


def test_a_name_that_an_older_form_of_the_cell_left_behind(notebook):
    notebook.run(f"{TIMES}\n{HELPED}").run(HELPED).check("mul")
    assert "✓ mul" in notebook.all and "One thing: times is defined in another cell" in notebook.printed


PATCHES = {
    "the engine": ("Function.times = staticmethod(np.multiply)", "Function.times"),
    "a module": ("np.times = np.multiply", "np.times"),
    "builtins": ("import builtins\nbuiltins.times = np.multiply", "times"),
    "a shadowed name": ("def divmod(a, b): return a * b", "divmod"),
}


@pytest.mark.parametrize(("patch", "times"), PATCHES.values(), ids=PATCHES)
def test_what_another_cell_has_changed_is_found_by_running_the_check_without_it(notebook, patch, times):
    import builtins

    import numpy

    import minigrad

    notebook.run(patch).run(HELPED.replace("times", times)).check("mul")
    for owner in (minigrad.scalar.Function, numpy, builtins):
        if "times" in vars(owner):
            delattr(owner, "times")
    assert "✓ mul" in notebook.all
    assert "One thing: a grading runs only the original first cell and the answers down" in notebook.printed
    assert "and there mul fails: " in notebook.printed


def test_an_answer_cell_that_takes_long_is_pointed_out_until_it_does_not(notebook, monkeypatch):
    monkeypatch.setattr(magics, "LONG_SECONDS", 0.2)
    notebook.run("import time; time.sleep(0.3)\n" + SOLUTION["mul"]).check("mul")
    assert "✓ mul" in notebook.all
    assert re.search(
        r"^One thing: the cell of mul took 0\.[3-9] s, and a grading stops a statement of an answer cell after about a "
        r"second: move your experiment to another cell\.$",
        notebook.printed,
        re.M,
    )
    notebook.run("import time; time.sleep(0.3)").run(SOLUTION["mul"]).check("mul")
    assert "✓ mul" in notebook.all and "One thing" not in notebook.printed


def test_an_answer_that_prints_errors_keeps_its_points_under_nbgrader(notebook, monkeypatch):
    """nbgrader gives nothing for a cell that wrote to stderr."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    body = (
        "import sys\na, b = ctx.saved_tensors\nprint('aside', file=sys.stderr)\nreturn grad_output * b, grad_output * a"
    )
    with capture_output() as seen:
        notebook.shell.run_cell(mul(body))
        notebook.shell.run_cell(f"%%check mul\n{PROGRAMS['mul']}")
    assert seen.stderr == "" and "aside" in seen.stdout and "✓ mul" in seen.outputs[0].data["text/plain"]


def test_of_two_answers_the_one_in_its_own_place_is_graded(notebook):
    """The notebook runs whatever ran last."""
    (given,) = [
        cell.id
        for cell in source.notebook("exercises", CHAPTER.name).cells
        if cell.metadata.get("minigrad", {}).get("part") == "mul"
    ]
    wrong = mul("a, b = ctx.saved_tensors\nreturn grad_output * a, grad_output * b")
    notebook.shell.run_cell(wrong, cell_id=given)
    notebook.shell.run_cell(SOLUTION["mul"], cell_id="mine")
    told = "One thing: two cells answer mul, and a grading judges the one in its own place"
    assert told in notebook.check("mul").printed
    notebook.shell.run_cell(SOLUTION["mul"], cell_id=given)  # they say the same now
    assert "✓ mul" in notebook.check("mul").all and "One thing" not in notebook.printed


@pytest.mark.parametrize("failing", ["1 / 0", "this is no Python"])
def test_a_cell_that_fails_takes_its_part_back(notebook, failing):
    notebook.run(SOLUTION["mul"]).check("mul")
    assert "✓ mul" in notebook.all
    notebook.run(SOLUTION["mul"] + f"\n{failing}")
    assert notebook.error is not None
    stopped = "✗ mul: The cell of mul stopped with an error: fix it and run it again."
    assert notebook.check("mul").all.startswith(stopped)
    assert notebook.check("pow").printed.startswith("`pow`") or "pow" in notebook.all  # another part is untouched
    notebook.run(SOLUTION["mul"]).check("mul")
    assert "✓ mul" in notebook.all


def test_an_answer_that_prints_a_thousand_lines_is_shown_in_short(notebook):
    loud = SOLUTION["order"].replace("        for target", "        print('looking')\n        for target")
    notebook.run(loud).check("order")
    assert "✗ order: your answer prints." in notebook.all
    assert notebook.printed.count("looking") <= magics.LINES and " more lines." in notebook.printed
    lines = "x\n" * magics.LINES
    assert magics.shortened(lines) == lines
    assert magics.shortened(lines + "x\nx\n") == f"{lines}… and 2 more lines.\n"


LOOK = "a, b = ctx.saved_tensors\nprint(a, end=' ')\n"
EINSUM = "a, b = ctx.saved_tensors\nreturn torch.einsum(',->', minigrad.tensor(1.0), minigrad.tensor(2.0)), a"
TWICE = "a, b = ctx.saved_tensors\nif abs(grad_output) < 1: return grad_output * b, grad_output * a\nreturn b, a"
RECURSIVE = """
def visit(node, listed):
    listed[node] = True
    for target in node.edges:
        if target is not None and target not in listed:
            visit(target, listed)
    return list(listed)

@part("order")
def topological_order(root):
    return visit(root, {})
"""
RETURN = "Does backward end with a return that gives one gradient for each input"
# an answer, the check that it is for, and what the verdict says
SAID = [
    (mul("raise NotImplementedError"), "mul", "… mul: `Mul.backward` is still to be written."),
    (mul("return grad_output * 0.7, a"), "mul", "NameError: name 'a' is not defined"),
    (mul("return grad_output * 0.7, grad_output * 2.1"), "mul", "Two places make the difference, and all else"),
    (mul(TWICE), "mul", "This looks like a known mistake:"),  # which the numbers of the check hide, and small ones show
    (mul("a, b = ctx.saved_tensors\nb, a"), "mul", RETURN),
    (mul("a, b = ctx.saved_tensors\nreturn [grad_output * b, grad_output * a]"), "mul", RETURN),
    ('@part("order")\ndef order(root): sorted([root], key=id)', "order", "Does your part end with a return?"),
    (mul("return grad_output * nosuch, a"), "mul", "Is it misspelt? What an answer uses has to be in its own cell"),
    (mul("return grad_ouput, a"), "mul", "'grad_ouput' is not defined. Did you mean `grad_output`?"),
    (mul("return ctx.saved_tensor"), "mul", "has no attribute 'saved_tensor'. Did you mean `saved_tensors`?"),
    (mul("return grad_output * b, grad_output * a"), "mul", "Only `forward` knows `b`: save it there"),
    (mul(EINSUM), "mul", "write `minigrad` for `torch`"),
    (mul(f"import torch\n{EINSUM}"), "mul", "torch's and cannot use minigrad's tensors"),
    (mul(f"{LOOK}return grad_output * b, grad_output * a"), "mul", "✗ mul: your answer prints. Remove the print: "),
    (mul(f"{LOOK}return b, a"), "mul", "Its lines are left out here. This is what you get when"),
    (mul(f"{LOOK}return b"), "mul", "one gradient for each input"),
    (
        SOLUTION["repair"].replace("    diagonal =", "    print('so far')\n    diagonal ="),
        "repair",
        "✗ repair: it prints more than it should; line 2 is one too many.",
    ),
    (RECURSIVE, "order", "torch: x gets tensor("),  # a line that differs, although it stops later with a RecursionError
    (RECURSIVE, "order", "you list a node when the search enters it"),
    *((f"@part('order')\ndef order(root): return {each}", "order", "✗ order") for each in ("[root, root]", "'abc'")),
]


def test_a_verdict_says_what_helps(notebook):
    said = [(notebook.run(answer).check(part).all, wanted) for answer, part, wanted in SAID]
    assert [(text, wanted) for text, wanted in said if wanted not in text] == []


def test_a_runtime_error_with_other_words_is_no_known_mistake(notebook):
    """Gradients that come out transposed stop the matrix product with a RuntimeError, too."""
    program = (
        "a, b = [torch.ones(n, n + 1, requires_grad=True) for n in (2, 3)]\n(a @ b).sum().backward()\nprint(a.grad)"
    )
    answer = mul("raise RuntimeError('of my own')").replace("mul", "matmul").replace("a * b", "a @ b")
    notebook.run(answer).check("matmul", program)
    assert "stopped with RuntimeError: of my own" in notebook.all and "For a hint, run" in notebook.all


# --- the extension -------------------------------------------------------------------------------


def test_loading_twice_and_reloading(notebook):
    notebook.run(SOLUTION["mul"]).run("%load_ext minigrad_course")
    assert "✓" in notebook.check("mul").all  # what was handed over is still there
    assert notebook.run("%reload_ext minigrad_course").error is None
    notebook.run(SOLUTION["mul"]).check("mul")
    assert "✓" in notebook.all


def test_nbgrader_scores_by_exceptions(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    notebook.run(TIMES).run(HELPED).check("mul")  # which costs no points, but is said
    assert notebook.error is None and "One thing: times is defined in another cell" in notebook.printed
    for name, answer in {
        "wrong": mul("return 1, 2"),
        "unfinished": mul("raise NotImplementedError"),
        "evil": mul("raise SystemExit"),
    }.items():
        notebook.run(answer).check("mul")
        assert type(notebook.error).__name__ == "CheckFailed", name
        assert len(notebook.error._render_traceback_()) == 1
        assert "\n" not in notebook.error._render_traceback_()[0]
    # nor does a check that could not be made count
    assert type(notebook.check("nosuch", "print(1)").error).__name__ == "CheckFailed"
    assert type(notebook.run(SOLUTION["mul"]).check("mul", "torch.nosuch()").error).__name__ == "CheckFailed"


# --- a whole exercise ----------------------------------------------------------------------------


def test_run_all_on_the_untouched_exercise_reaches_the_end(notebook):
    """That the cells and checks of every exercise run untouched, test_parts shows."""
    name, checked = source.names("exercises")[0], []
    for cell in source.notebook("exercises", name).cells:
        if cell.cell_type == "code":
            assert notebook.run(cell.source).error is None, cell.id
            if check := cell.metadata.get("minigrad", {}).get("check"):
                assert notebook.shown[-1].data["text/plain"].startswith(("…", "✗")), cell.id
                checked.append(check)
    assert checked == parts.chapter_named(name).checks
