"""What else in the engine does the same as a part, read from the engine's own text.

An answer could call it instead of doing its work, so it is not there while the part is checked: in the notebook as in
a grading.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import minigrad
from minigrad_course.checks.modules import engine_files, target
from minigrad_course.parts import Chapter, chapter_named
from minigrad_course.programs.program import Place

HELPERS = "minigrad.graph.array_ops"  # the functions that are there for `backward`
UNWRAP = "raw"  # one of them, which does no work: it gives the array of a value
DIFFERENCES = "minigrad.jacobian", "numeric_jacobian"  # of any function; `gradcheck` quotes what it finds
LEAVES = "__exit__"


@functools.cache
def twins(name: str, check: str) -> tuple[str, ...]:
    """What does the same as the part of a check, as "minigrad.graph.array_ops:expand" or "minigrad.m:Class.method".

    Of an operation: the engine's own, if the part is not in its place, and the helpers to which our `backward` leaves
    its work. Of a block: the way in which another block puts back the same. And derivatives from differences, unless
    they are a subject of the chapter.
    """
    chapter = chapter_named(name)
    assert chapter is not None
    places = [] if check == chapter.together else chapter.places(check)
    results = [twin for place in places for twin in (*_of_operation(place), *_of_block(place))]
    if not _about_differences(chapter, check):
        results.append(":".join(DIFFERENCES))
    return tuple(dict.fromkeys(results))


def _about_differences(chapter: Chapter, check: str) -> bool:
    """True in the chapter that has them as a part, except where a derivative is asked for."""
    there = any((part.place.module, part.place.attribute) == DIFFERENCES for part in chapter.parts)
    return there and not all(place.node for place in chapter.places(check))


def _of_operation(place: Place) -> Iterator[str]:
    name = target(place)
    for module, body in _modules(f"class {name}(") if place.node else ():
        for operation in _named(body, name):
            if place.kind == "operation":
                yield from [f"{module}:{name}.{item.name}" for item in _passes(operation.body)]
                yield from [f"{module}:{item.name}" for item in _named(body, place.attribute)]
            used = {UNWRAP} | {helper for helper, _ in _calls(_named(operation.body, "forward"))}
            # what is handed something to work on, and not what is asked for zeros of a shape
            left = [
                helper
                for helper, call in _calls(_named(operation.body, "backward"))
                if call.args and isinstance(call.args[0], ast.Name) and helper not in used
            ]
            yield from [f"{HELPERS}:{item}" for item in sorted(_alike(left, used))]


def _passes(body: Iterable[ast.AST]) -> list[Any]:
    return [*_named(body, "forward"), *_named(body, "backward")]


def _calls(functions: Iterable[ast.AST]) -> Iterator[tuple[str, ast.Call]]:
    """The helpers that functions of other modules call, and the calls."""
    module = HELPERS.rpartition(".")[2]
    for item in [node for function in functions for node in ast.walk(function)]:
        match item:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if owner == module:
                yield name, item


def _alike(names: Sequence[str], used: set[str]) -> list[str]:
    """Helpers, and those that call them or that they call, but for what `forward` uses."""
    words = {
        item.name: {node.id for node in ast.walk(item) if isinstance(node, ast.Name)}
        for item in _parsed(dict(_texts())[HELPERS])
        if isinstance(item, ast.FunctionDef)
    }
    results = [name for name in names if name in words]
    for name in results:  # it grows while we loop over it
        near = [other for other in words if other in words[name] or name in words[other]]
        results += [other for other in near if other not in results and other not in used]
    return results


def _of_block(place: Place) -> Iterator[str]:
    own = [item for name, body in _modules(f"class {place.attribute}(") for item in _named(body, place.attribute)]
    put_back = _written(_named(own[0].body, LEAVES)) if own else set()
    for module, body in _modules(f"def {LEAVES}(") if put_back else ():
        for other in [item for item in body if isinstance(item, ast.ClassDef) and item.name != place.attribute]:
            if _written(_named(other.body, LEAVES)) & put_back:
                yield f"{module}:{other.name}.{LEAVES}"


def _written(functions: Iterable[ast.AST]) -> set[str]:
    """The names that functions write, and the attributes of other things than the object."""
    results: set[str] = set()
    for item in [node for function in functions for node in ast.walk(function)]:
        match item:
            case ast.Name(id=name, ctx=ast.Store()):
                results.add(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Store()) if owner != "self":
                results.add(name)
    return results


def _named(body: Iterable[ast.AST], name: str) -> list[Any]:
    """The classes and functions of a name."""
    return [item for item in body if isinstance(item, ast.ClassDef | ast.FunctionDef) and item.name == name]


def _modules(words: str) -> list[tuple[str, list[ast.stmt]]]:
    """The engine's modules in whose text these words stand, parsed."""
    return [(name, _parsed(text)) for name, text in _texts() if words in text]


@functools.cache
def _texts() -> list[tuple[str, str]]:
    folder = Path(minigrad.__file__).parent
    steps = [(file, file.relative_to(folder).with_suffix("").parts) for file in engine_files(folder)]
    named = [(".".join((folder.name, *inside)).removesuffix(".__init__"), file) for file, inside in steps]
    return [(name, file.read_text(encoding="utf-8")) for name, file in named]


@functools.cache
def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body
