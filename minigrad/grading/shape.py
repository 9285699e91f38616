"""The shape of an answer without names, comments and layout, to recognise copies."""

from __future__ import annotations

import ast
import hashlib
import warnings

LEAST_STEPS = 40  # of the syntax tree: below, everybody writes the same
PASSED_OVER = frozenset(("annotation", "returns", "ctx"))  # fields that do not change what an answer does
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
MOST_STEPS = 3_000  # of an answer that is compared: beyond, the time for it would grow too much


def shape(text: str) -> str:
    """A short name for the shape of an answer, the same for two that differ in names and layout only.

    "" for an answer of a few steps.
    """
    row = steps(text)
    if len(row) < LEAST_STEPS:
        return ""
    return hashlib.blake2b("\0".join(row).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()


def definitions(text: str) -> list[str]:
    """The text of each class and function that an answer defines at its top, without its decorators."""
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = text.split("\n")
    kinds = (ast.ClassDef, ast.FunctionDef)
    return ["\n".join(lines[each.lineno - 1 : each.end_lineno]) for each in body if isinstance(each, kinds)]


def written(value: object) -> str:
    """A constant as a word."""
    try:
        return repr(value)[:40]
    except ValueError:  # Python writes no number of so many digits
        return hashlib.blake2b(hex(value).encode() if isinstance(value, int) else b"", digest_size=8).hexdigest()


def steps(text: str) -> tuple[str, ...]:
    """The syntax tree of an answer as a row of words, without names, documentation and annotations; () if it has none.

    Names that the answer chose become numbers in the order they come, in each function anew; attributes keep theirs.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: list[str] = []
    # no recursion: a stranger wrote it
    waiting: list[tuple[ast.AST, dict[str, int]]] = [(tree, {})]
    while waiting and len(found) <= MOST_STEPS:
        node, numbers = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        word = type(node).__name__
        if isinstance(node, ast.Name):
            word += str(numbers.setdefault(node.id, len(numbers)))
        elif isinstance(node, ast.arg):
            word += str(numbers.setdefault(node.arg, len(numbers)))
        elif isinstance(node, ast.Attribute):
            word += node.attr
        elif isinstance(node, ast.Constant):
            word += written(node.value)
        elif isinstance(node, FUNCTIONS):
            numbers = {}
        found.append(word)
        for name in reversed(node._fields):
            if name not in PASSED_OVER:
                child = getattr(node, name, None)
                if isinstance(child, list):
                    waiting += [(each, numbers) for each in reversed(child) if isinstance(each, ast.AST)]
                elif isinstance(child, ast.AST):
                    waiting.append((child, numbers))
    return tuple(found[:MOST_STEPS])
