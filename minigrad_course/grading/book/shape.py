"""The shape of an answer without names, comments and layout, to recognise copies."""

from __future__ import annotations

import ast
import hashlib
import warnings

PASSED_OVER = frozenset(("annotation", "returns", "ctx"))  # fields that do not change what an answer does
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
MOST_STEPS = 3_000  # of an answer that is compared: beyond, the time for it would grow too much


def definitions(text: str) -> list[str]:
    """The text of each class and function that an answer defines at its top, without its decorators."""
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = text.split("\n")
    kinds = (ast.ClassDef, ast.FunctionDef)
    return ["\n".join(lines[item.lineno - 1 : item.end_lineno]) for item in body if isinstance(item, kinds)]


def written(value: object) -> str:
    """A constant as a word."""
    try:
        return repr(value)[:40]
    except ValueError:  # Python writes no number of so many digits
        return hashlib.blake2b(hex(value).encode() if isinstance(value, int) else b"", digest_size=8).hexdigest()


def statements(text: str) -> dict[int, int]:
    """The statements of an answer, wherever they stand: a number for the shape of each, and its steps.

    A compound statement counts without what is in it, so that the order of lines and functions does not matter. {} if
    the answer is no Python.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    results: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            row = words(node)
            name = hashlib.blake2b("\0".join(row).encode("utf-8", "backslashreplace"), digest_size=8).digest()
            results[int.from_bytes(name)] = len(row)
    return results


def words(tree: ast.stmt) -> tuple[str, ...]:
    """The syntax tree of a statement as a row of words, without the statements in it, names, and annotations.

    Names become numbers in the order they come; attributes keep theirs.
    """
    results: list[str] = []
    # no recursion: a stranger wrote it
    waiting: list[tuple[ast.AST, dict[str, int]]] = [(tree, {})]
    while waiting and len(results) <= MOST_STEPS:
        node, numbers = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        if isinstance(node, ast.stmt) and node is not tree:
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
        results.append(word)
        for name in reversed(node._fields):
            if name not in PASSED_OVER:
                child = getattr(node, name, None)
                if isinstance(child, list):
                    waiting += [(item, numbers) for item in reversed(child) if isinstance(item, ast.AST)]
                elif isinstance(child, ast.AST):
                    waiting.append((child, numbers))
    return tuple(results[:MOST_STEPS])
