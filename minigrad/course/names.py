"""Which names does an answer take from outside itself?

A notebook finds a name in any cell that has run; a grading runs only the setup and the answers. So a check can pass
where a grading will not, and this module tells beforehand.
"""

from __future__ import annotations

import ast
import builtins
import dis
import types
from typing import Any


def defined(text: str) -> set[str]:
    """The names that a text binds at its top level, by whatever statement; none if it is not Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    code = compile(tree, "<names>", "exec")
    return {step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_NAME", "STORE_GLOBAL")}


def used(answer: Any, known: set[str]) -> set[str]:
    """The global names in the code of a class or function that are neither known, nor built in, nor its own."""
    own = {getattr(answer, "__name__", "")}
    loaded = {
        step.argval
        for code in codes(answer)
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return loaded - known - own - set(vars(builtins)) - {"__name__", "__class__"}


def codes(value: Any) -> list[types.CodeType]:
    """The code of a function, or of a class's own methods, with what is nested in it."""
    if isinstance(value, types.FunctionType):
        return nested(value.__code__)
    if isinstance(value, staticmethod | classmethod):
        return codes(value.__func__)
    if isinstance(value, type):
        return [code for each in vars(value).values() if not isinstance(each, type) for code in codes(each)]
    return []


def nested(code: types.CodeType) -> list[types.CodeType]:
    """A code object and all that stand inside it."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return [code, *(deeper for each in inner for deeper in nested(each))]
