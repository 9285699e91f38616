"""The size of the engine, in figures that may only fall, and its import cycles.

    python docs/house.py

ends with status 1 if a figure is above its limit. A line of code holds something of the program: documentation,
comments and empty lines do not count. An import inside a function ties two modules like one at the top.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import grimp
import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minigrad"
ABOVE_THE_ENGINE = ("course", "grading", "commands")
NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)

# Lower a limit when its figure falls.
CODE = {"scalar": 113, "upstream": 99, "jacobian": 96, "leaf": 71, "tensor": 108}
FILES = 8
LINES = 17_500
LONGEST = 450
IN_CIRCLES = 0


@dataclasses.dataclass(frozen=True)
class Figure:
    """Something counted, and its limit."""

    what: str
    count: int
    limit: int


def lines_of_code(text: str) -> int:
    """How many lines of a module hold more than documentation and comments."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            found.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(found)


def physical_lines(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


@functools.cache
def circles() -> list[list[str]]:
    """The package's import cycles: groups of modules that import each other."""
    graph = grimp.build_graph("minigrad", exclude_type_checking_imports=True)
    ties = nx.DiGraph((one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one))
    return sorted(sorted(group) for group in nx.strongly_connected_components(ties) if len(group) > 1)


def figures() -> Iterator[Figure]:
    """All figures."""
    for name, limit in CODE.items():
        text = (PACKAGE / f"{name}.py").read_text(encoding="utf-8")
        yield Figure(f"lines of code in {name}.py", lines_of_code(text), limit)
    yield Figure("python files directly in minigrad/", len(list(PACKAGE.glob("*.py"))), FILES)
    files = sorted(PACKAGE.rglob("*.py"))
    engine = [each for each in files if each.relative_to(PACKAGE).parts[0] not in ABOVE_THE_ENGINE]
    yield Figure("lines of the engine", sum(map(physical_lines, engine)), LINES)
    longest = max(files, key=physical_lines)
    yield Figure(f"lines of the longest file, {longest.relative_to(ROOT)}", physical_lines(longest), LONGEST)
    yield Figure("files in circles of imports", sum(map(len, circles())), IN_CIRCLES)


def main() -> int:
    """Print the figures; 1 if one is above its limit."""
    found = list(figures())
    for each in found:
        print(f"{each.what:72}{each.count:7,}  at most {each.limit:6,}{' <- more' * (each.count > each.limit)}")
    for group in circles():
        print("circle:", ", ".join(name.removeprefix("minigrad.") for name in group))
    return int(any(each.count > each.limit for each in found))


if __name__ == "__main__":
    sys.exit(main())
