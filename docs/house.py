"""The house in figures: `python docs/house.py`.

Numbers advise. Only three of them may fail a test, and all have to be 0: files in circles of imports, attributes of a
module that another module sets, and those that the course sets by name. That each room imports only those below it is
checked by `lint-imports`.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import grimp
import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("minigrad", "minigrad_course")
CHAPTERS = ("scalar", "upstream", "jacobian", "leaf", "tensor")
NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
FULLEST = 5  # rooms that are shown


@dataclasses.dataclass(frozen=True)
class Figure:
    """Something counted, and its limit, if it has one."""

    what: str
    count: int
    limit: int | None = None


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


@functools.cache
def files() -> dict[Path, str]:
    """Every module and its text."""
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {path: path.read_text(encoding="utf-8") for path in paths}


LATE_IMPORT = re.compile(r"import_module\(\"([\w.]+)\"\)")


@functools.cache
def circles() -> list[list[str]]:
    """The import cycles: groups of modules that import each other, be it with `importlib.import_module`."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    ties = nx.DiGraph((one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one))
    for path, text in files().items():
        one = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        ties.add_edges_from((one, other) for other in LATE_IMPORT.findall(text) if other in graph.modules)
    return sorted(sorted(group) for group in nx.strongly_connected_components(ties) if len(group) > 1)


@functools.cache
def set_from_outside() -> list[str]:
    """Assignments to an attribute of another module, each as "FILE:LINE module.attribute"."""
    return [each for path, text in files().items() for each in _set_in(path, text)]


def _set_in(path: Path, text: str) -> Iterator[str]:
    tree = ast.parse(text)
    modules = dict(_modules(tree))
    for node in ast.walk(tree):
        goals = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        )
        for goal in (one for each in goals for one in (each.elts if isinstance(each, ast.Tuple) else [each])):
            if isinstance(goal, ast.Attribute) and isinstance(goal.value, ast.Name) and goal.value.id in modules:
                name = f"{modules[goal.value.id]}.{goal.attr}"
                if not name.startswith("minigrad.graph.state.") and name != "minigrad.leaf.recording":  # its switches
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {name}"


# Nothing of the engine's is set here: names of `sys`, what torch has, and a tensor's `grad`. The last one is the
# judge's guard, which puts back what an answer has set without asking at the engine's door.
SET_BY_NAME = (
    "minigrad_course/programs/process.py sys",
    "minigrad_course/explain/observing/observe.py owner",
    "minigrad_course/parts/scalar_backward/mul.py a",
    "minigrad_course/parts/leaves/retain_grad.py tensor",
    "minigrad_course/grading/judge/job.py self.owner",
)


PATCHES = re.compile(r"(.*\.)?(setattr|delattr|patch|patch\.object|fastpath\.(switch|off))")


@functools.cache
def set_by_name() -> list[str]:
    """Calls of `setattr` and the like in the course, each as "FILE owner": the engine has a door (`minigrad.parts`).

    A module may set attributes of its own classes.
    """
    found = []
    course = {path: text for path, text in files().items() if path.is_relative_to(ROOT / "minigrad_course")}
    for path, text in course.items():
        tree = ast.parse(text)
        own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and PATCHES.fullmatch(ast.unparse(node.func)):
                owner = ast.unparse(node.args[0]) if node.args else ""
                if owner not in own:
                    found.append(f"{path.relative_to(ROOT).as_posix()} {owner}")
    return [each for each in found if each not in SET_BY_NAME]


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names by which a module knows others of ours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if ROOT.joinpath(*name.split(".")).with_suffix(".py") in files():
                    yield alias.asname or alias.name, name


def figures() -> Iterator[Figure]:
    """All figures."""
    yield Figure("files in circles of imports", sum(map(len, circles())), 0)
    yield Figure("attributes of a module that another one sets", len(set_from_outside()), 0)
    yield Figure("attributes that the course sets by name", len(set_by_name()), 0)
    for name in CHAPTERS:
        text = files()[ROOT / "minigrad" / f"{name}.py"]
        yield Figure(f"lines of code in {name}.py", lines_of_code(text))
    for package in PACKAGES:
        lines = sum(len(text.splitlines()) for path, text in files().items() if path.is_relative_to(ROOT / package))
        yield Figure(f"lines of {package}/", lines)
    for room, count in collections.Counter(path.parent for path in files()).most_common(FULLEST):
        yield Figure(f"modules in {room.relative_to(ROOT)}/", count)


def main() -> int:
    """Print the figures; 1 if one is above its limit."""
    found = list(figures())
    for each in found:
        limit = "" if each.limit is None else f"  at most {each.limit}"
        print(f"{each.what:48}{each.count:7,}{limit}")
    for group in circles():
        print("circle:", ", ".join(group))
    for each in set_from_outside():
        print("set from outside:", each)
    for each in set_by_name():
        print("set by name:", each)
    return int(any(each.limit is not None and each.count > each.limit for each in found))


if __name__ == "__main__":
    sys.exit(main())
