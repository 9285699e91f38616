"""Who may have something differentiated: nothing but the engine stands between a derivative and the program."""

import functools
import pkgutil
import sys
import types
from pathlib import Path

import pytest

import minigrad
from minigrad_course.grading.judge import job
from minigrad_course.grading.judge.sandbox.lending import APPLIES, CALLS_BACKWARD, PASS, Lending, by_identity
from minigrad_course.grading.judge.strip import NO_OPERATIONS, NUMBERS, engine_sources, with_questions

ENGINE = '''
class Function:
    def vjp(self, g):
        return self.backward(self, g)

    @classmethod
    def apply(cls, *inputs):
        return made(cls)


class Double(Function):
    edges = [None]
    node = None

    @staticmethod
    def backward(ctx, g):
        """Twice."""
        return [2 * g]


class Half(Function):
    derivative = staticmethod(lambda g: g / 2)


def made(operation):
    node = operation()
    take_place(node)
    return node


def take_place(node):
    node.number = 1


def backpropagate(node, g):
    return node(g) if callable(node) else node.vjp(g)


def call(function, *args):
    return function(*args)
'''
NOTHING = (None,)


@pytest.fixture
def engine():
    """An engine whose derivatives ask, and who they ask."""
    code = with_questions(ENGINE, "minigrad/scalar.py")
    lending = Lending(by_identity([code]))
    module = types.ModuleType("minigrad.scalar")
    vars(module).update(lending.names)
    exec(code, vars(module))
    module.lending = lending
    return module


def run(engine, program, answers=(), **names):
    """What a program leaves as `found`, while nothing is lent to others; `names` are what it finds."""
    code = compile(program, "<program>", "exec")
    names = {"engine": engine, **names}
    with engine.lending.only_for(code, answers):
        exec(code, names)
    return names["found"]


def test_the_names_by_which_the_engine_is_known_are_its_own():
    names = [f"{minigrad.__name__}.{name}" for name in (*job.CHAPTERS, *job.BESIDE)]
    assert [name for name in names if name not in sys.modules] == []
    codes = by_identity(
        compile(text, name, "exec") for name, text in engine_sources(Path(minigrad.__file__).parent).items()
    )
    functions = {code.co_qualname for code in codes.values()}
    assert {CALLS_BACKWARD, PASS, APPLIES, NUMBERS} - functions == set()
    assert [name for name in NO_OPERATIONS if not callable(pkgutil.resolve_name(name))] == []


def test_the_text_keeps_its_lines():
    code = with_questions(ENGINE, "minigrad/scalar.py")
    plain = compile(ENGINE, "minigrad/scalar.py", "exec")
    lines = [{line for _, _, line in each.co_lines() if line} for each in (plain, code)]
    assert lines[0] == lines[1]


def test_a_module_without_derivatives_stays_as_it_is():
    text = "def forward(a):\n    return a\n"
    assert with_questions(text, "m.py") == compile(text, "m.py", "exec")


def test_outside_of_a_check_everybody_may():
    code = with_questions(ENGINE, "minigrad/scalar.py")
    module = types.ModuleType("engine")
    vars(module).update(Lending({}).names)
    exec(code, vars(module))
    assert module.Double().vjp(3) == [6] and module.Half.derivative(3) == 1.5


def test_the_program_may(engine):
    assert run(engine, "found = engine.backpropagate(engine.Double.apply(), 3)") == [6]
    assert run(engine, "def inner():\n    return engine.backpropagate(engine.Double.apply(), 3)\nfound = inner()") == [
        6
    ]
    assert run(engine, "found = engine.Half.derivative(3)") == 1.5


def test_an_answer_may_not(engine):
    asks = {
        "a pass": lambda: engine.backpropagate(node, 3),
        "a node": lambda: node.vjp(3),
        "a rule": lambda: engine.Double.backward(node, 3),
        "a rule through the engine": lambda: engine.call(engine.Double.backward, node, 3),
        "a derivative": lambda: (engine.Half.derivative(3),),
    }
    for name, answer in asks.items():
        node = run(engine, "found = engine.Double.apply()")
        assert run(engine, "found = answer()", answer=answer) == NOTHING, name


def test_a_node_that_an_answer_made_has_no_derivative(engine):
    make = engine.Double.apply
    assert run(engine, "found = engine.backpropagate(make(), 3)", make=lambda: make()) == NOTHING
    assert run(engine, "found = engine.backpropagate(engine.call(make), 3)", make=lambda: make()) == NOTHING


def test_a_node_made_in_backward_belongs_to_the_pass(engine):
    """As where a pass is recorded; the next pass of the program goes through it."""

    class Own(engine.Function):
        @staticmethod
        def backward(ctx, g):
            return engine.Double.apply()

    program = "node = engine.backpropagate(Own.apply(), 1)\nfound = engine.backpropagate(node, 3)"
    assert run(engine, program, [Own], Own=Own) == [6]


def test_a_pass_within_a_pass_gives_nothing(engine):
    """A hook can be a function of the engine: then no frame of the answer is there."""
    program = "hook = partial(engine.backpropagate, engine.Double.apply())\nfound = engine.backpropagate(hook, 3)"
    assert run(engine, program, partial=functools.partial) == NOTHING


def test_an_answer_has_no_rule_of_the_engine(engine):
    class Inherits(engine.Double):
        pass

    class Passes(engine.Function):
        apply = engine.Double.apply

    class Meta(type):
        def __getattribute__(cls, name):
            return engine.Double.apply if name == "apply" else super().__getattribute__(name)

    class Chooses(engine.Function, metaclass=Meta):
        pass

    class Static(engine.Function):
        apply = staticmethod(engine.Double.apply)

    for answer in (Inherits, Passes, Chooses, Static):
        assert run(engine, "found = engine.backpropagate(answer.apply(), 3)", [answer], answer=answer) == NOTHING, (
            answer
        )

    class Poses(engine.Function):
        node = engine.Double

    assert run(engine, "found = engine.backpropagate(engine.Double.apply(), 3)", [Poses]) == NOTHING


def test_an_answer_may_have_an_apply_of_its_own(engine):
    class Tells(engine.Function):
        @classmethod
        def apply(cls, *inputs):
            return super().apply(*inputs)

        @staticmethod
        def backward(ctx, g):
            return [g]

    program = "found = engine.backpropagate(Tells.apply(), 1) + engine.backpropagate(engine.Double.apply(), 3)"
    assert run(engine, program, [Tells], Tells=Tells) == [1, 6]


@pytest.mark.parametrize("name", ["minigrad/scalar.py", "<program>"])
def test_a_name_proves_nothing(engine, name):
    names = {"engine": engine, "node": run(engine, "found = engine.Double.apply()"), "__name__": "minigrad.scalar"}
    code = compile("def answer():\n    return engine.backpropagate(node, 3)", name, "exec")
    exec(code, names)
    assert run(engine, "found = answer()", answer=names["answer"]) == NOTHING


def test_afterwards_everybody_may_again(engine):
    with pytest.raises(ZeroDivisionError):
        run(engine, "1 / 0")
    assert engine.Double().vjp(3) == [6]
