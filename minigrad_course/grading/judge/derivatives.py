"""Find out which derivatives a check needs, so that no other operation can lend its own to an answer.

An answer to `mul` could hand its inputs to `addcmul`, `dot` or `exp(log a + log b)` and have the engine differentiate
those. Nothing inside the child could prevent that, because a submission shares the process with the engine. But what
is not there cannot be used. So our own program runs once in this process, with our own answers, and the child can
differentiate only what that run differentiates. Every operation can still compute.

Where a pass is recorded, a right `backward` may be written with any operation, and the next pass differentiates those:
all of them stay. There, and for what the program itself needs, a derivative asks who wants it (`sandbox/lending.py`).
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType, FunctionType
from typing import Any

import minigrad
from minigrad_course.checks.reference import SECONDS, solutions
from minigrad_course.grading.judge.strip import BACKWARD, RULES
from minigrad_course.parts import Chapter
from minigrad_course.programs import program


def needed(chapter: Chapter, check: str, text: str, seed: int) -> frozenset[str] | None:
    """The operations ("minigrad.scalar.Mul") that the program `text` of a check differentiates.

    It also lists which other functions of the engine run, each as "minigrad.graph.array_ops:expand".

    None means all of them, if that cannot be known in advance: the check uses a program of the student's
    own, or it differentiates the student's `backward` in turn.
    """
    places = chapter.places(check)
    if any(place.kind == "program" for place in places):
        return None
    results: set[str] = set()
    twice = False

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal twice
        if event != "call":  # of far more events it hears than it needs
            return
        code, module = frame.f_code, str(frame.f_globals.get("__name__"))
        if module.startswith(COURSE):
            return
        results.add(f"{module}:{code.co_qualname.partition('.')[0]}")
        name = code.co_qualname.rpartition(".")[0]
        if any(map(code.__eq__, rules_of(frame.f_globals.get(name)))):
            results.add(f"{module}.{name}")
        if code.co_name in (BACKWARD, "<lambda>") and code.co_argcount:
            ctx = frame.f_locals[code.co_varnames[0]]
            twice = twice or (isinstance(ctx, FUNCTION) and minigrad.leaf.recording and is_backward_of(code, ctx))

    ours = {place.name: solutions(chapter.name)[place.name] for place in places}
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        run = program.run_with(text, minigrad, seed, places, ours, seconds=SECONDS)
    finally:
        sys.setprofile(before)
    engine = {name for name in results if name.startswith(f"{minigrad.__name__}.")}
    return None if twice or run.problem else frozenset(engine)


def rules_of(operation: Any) -> list[CodeType]:
    """The code of what an operation itself declares as its derivative; of anything else there is none."""
    if not isinstance(operation, type):
        return []
    rules = [getattr(item, "__func__", item) for item in map(vars(operation).get, RULES)]
    return [rule.__code__ for rule in rules if isinstance(rule, FunctionType)]


def is_backward_of(code: CodeType, node: Any) -> bool:
    """Whether the code is that of the `backward` of an operation, given one of its nodes."""
    return getattr(node.backward, "__code__", None) is code


COURSE = program.__name__.rpartition(".")[0]  # what runs the check, and no part of the engine
FUNCTION = minigrad.scalar.Function
