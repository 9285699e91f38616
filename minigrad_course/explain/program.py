"""The text of a program: where its expressions are, and how a changed text is made of it."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

Node = Any  # of an AST; each has its Program as `program`
Kinds = type[ast.AST] | tuple[type[ast.AST], ...]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Edit(NamedTuple):
    """A changed text of one file of the program."""

    path: str
    text: str


class Program:
    """One file of a program.

    cells: (first line, name) of each cell of a notebook; main: False for another module of the program.
    """

    def __init__(self, path: str, text: str, name: str = "", cells: Iterable[tuple[int, str]] = ()):
        self.path, self.text, self.name, self.cells = path, text, name, list(cells)
        self.raw = text.encode()
        self.tree = ast.parse(text)
        self.starts = [0]
        for line in self.raw.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.starts[-1] = len(self.raw)
        self.up: dict[Node, Node] = {}
        self.exact: dict[tuple[int | None, ...], Node] = {}
        self.statements: list[ast.stmt] = []
        self.nodes: list[Node] = []
        for node in ast.walk(self.tree):
            for below in ast.iter_child_nodes(node):
                self.up[below] = node
            node.program = self  # type: ignore[attr-defined]
            self.nodes.append(node)
            if isinstance(node, ast.stmt):
                self.statements.append(node)
            if isinstance(node, ast.expr):
                self.exact[node.lineno, node.end_lineno, node.col_offset, node.end_col_offset] = node
        for one in self.statements:
            self.exact.setdefault((one.lineno, one.end_lineno, one.col_offset, one.end_col_offset), one)

    def at_line(self, line: int) -> str:
        """How a line is called: `line 3`, `line 2 of cell 4`, `line 3 of helpers.py`."""
        for first, name in reversed(self.cells):
            if line >= first:
                return f"line {line - first + 1} of {name}"
        return f"line {line} of {self.name}" if self.name else f"line {line}"

    def line_in(self, line: int) -> int:
        """The number of a line in its cell."""
        return next((line - first + 1 for first, _ in reversed(self.cells) if line >= first), line)

    def stmt_line(self, line: int) -> Node:
        """The innermost statement of a line."""
        best: Node = None
        for one in self.statements:
            inside = one.lineno <= line <= (one.end_lineno or 0)
            if (
                inside
                and not isinstance(one, (ast.FunctionDef, ast.ClassDef))
                and (not best or one.lineno >= best.lineno)
            ):
                best = one
        return best


# --- nodes ---------------------------------------------------------------------------------------


def span(node: Node) -> tuple[int, int]:
    """The bytes of a node."""
    starts = node.program.starts
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def source(node: Node) -> str:
    """The text of a node, in one line."""
    begin, end = span(node)
    return " ".join(node.program.raw[begin:end].decode().split())


def exact_source(node: Node) -> str:
    """The text of a node as it is."""
    begin, end = span(node)
    return str(node.program.raw[begin:end].decode())


def statement(node: Node) -> Node:
    """The statement that a node is in."""
    while node is not None and not isinstance(node, ast.stmt):
        node = node.program.up.get(node)
    return node


def enclosing(node: Node, kinds: Kinds, stop: Kinds = FUNCTIONS) -> Node:
    """The nearest node of some kinds around one, up to a function or a lambda."""
    node = node.program.up.get(node) if node is not None else None
    while node is not None and not isinstance(node, kinds):
        if isinstance(node, stop):
            return None
        node = node.program.up.get(node)
    return node


def function_of(node: Node) -> Node:
    """The function that a node is in, or None."""
    return enclosing(node, (ast.FunctionDef, ast.AsyncFunctionDef), stop=())


def loop_of(node: Node) -> Node:
    """The outermost loop around a node, in its function."""
    result, outer = None, node
    while outer is not None:
        outer = enclosing(outer, (ast.For, ast.While))
        result = outer or result
    return result


def call_name(node: Node) -> str:
    """`f` of a call of `f(…)` or `x.f(…)`."""
    func = getattr(node, "func", None)
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def names_in(node: Node) -> set[str]:
    """The names in an expression."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def paths_in(node: Node) -> set[str]:
    """The names and attributes in an expression, as they are written."""
    return {source(one) for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))}


def targets_of(node: Node) -> list[Node]:
    """What an assignment assigns to."""
    if isinstance(node, ast.Assign):
        return [*node.targets]
    return [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)) else []


def atom(node: Node) -> str:
    """The text of an expression, in brackets where a dot or an operator behind it needs them."""
    text = exact_source(node)
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)) else f"({text})"


# --- edits ---------------------------------------------------------------------------------------


def put(program: Program, *changes: tuple[int, int, str]) -> Edit:
    """Put texts in place of bytes: (begin, end, text)."""
    raw = program.raw
    for begin, end, text in sorted(changes, key=lambda item: (item[0], item[1]), reverse=True):
        raw = raw[:begin] + text.encode() + raw[end:]
    return Edit(program.path, raw.decode())


def replace(*pairs: tuple[Node, str]) -> Edit:
    """Put texts in place of nodes of one file."""
    return put(pairs[0][0].program, *((*span(node), text) for node, text in pairs))


def behind(node: Node, text: str) -> Edit:
    """`node` + text, as `.detach()`; brackets that are around it already are used."""
    begin, end = span(node)
    raw, text = node.program.raw, atom(node) + text
    opened = raw[begin - 1 : begin] == b"(" and raw[end : end + 1] == b")" and text.startswith("(")
    if opened and not re.search(rb"[\w\])]$", raw[: begin - 1]):
        return put(node.program, (begin - 1, end + 1, text))
    return replace((node, text))


def without_call(node: Node) -> Edit:
    """`x.detach()` as `x`."""
    around, text = node.program.up.get(node), exact_source(node.func.value)
    whole = isinstance(around, (ast.Assign, ast.Return, ast.keyword)) or (
        isinstance(around, ast.Call) and node in around.args
    )
    return replace((node, text if whole and "\n" not in text else atom(node.func.value)))


def alone(node: Node) -> bool:
    """True if nothing else is in the lines of a statement."""
    program, (begin, end) = node.program, span(node)
    before = program.raw[program.starts[node.lineno - 1] : begin].strip()
    return not before and not program.raw[end : program.starts[node.end_lineno]].split(b"#")[0].strip()


def before(node: Node, *texts: str) -> Edit:
    """Write statements before one."""
    program = node.program
    if not alone(node):
        begin, _ = span(node)
        return put(program, (begin, begin, "; ".join(texts) + "; "))
    start = program.starts[node.lineno - 1]
    return put(program, (start, start, "".join(" " * node.col_offset + text + "\n" for text in texts)))


def after(node: Node, *texts: str) -> Edit:
    """Write statements after one."""
    program = node.program
    if not alone(node):
        _, end = span(node)
        return put(program, (end, end, "; " + "; ".join(texts)))
    end = program.starts[node.end_lineno]
    gap = "" if program.raw[:end].endswith(b"\n") else "\n"
    return put(program, (end, end, gap + "".join(" " * node.col_offset + text + "\n" for text in texts)))


def block(node: Node, by: int = 0) -> str:
    """The lines of a statement, with another indentation."""
    program = node.program
    text = program.raw[program.starts[node.lineno - 1] : program.starts[node.end_lineno]].decode()
    text = text if text.endswith("\n") else text + "\n"
    lines = text.splitlines(keepends=True)
    if by >= 0:
        return "".join(" " * by + line for line in lines)
    return "".join(line[min(-by, len(line) - len(line.lstrip())) :] for line in lines)


def move(some: list[Node], where: Node, below: bool = False) -> Edit | None:
    """Move statements before or below another one of the same file."""
    if not some or any(not alone(one) or one.program is not where.program for one in some):
        return None
    program = where.program
    text = "".join(block(one, where.col_offset - one.col_offset) for one in some)
    at = program.starts[where.end_lineno] if below else program.starts[where.lineno - 1]
    if below and not program.raw[:at].endswith(b"\n"):
        text = "\n" + text
    cut = [(program.starts[one.lineno - 1], program.starts[one.end_lineno], "") for one in some]
    if any(begin < at < end for begin, end, _ in cut):
        return None
    return put(program, (at, at, text), *cut)


def drop(node: Node) -> Edit:
    """Leave a statement out."""
    program = node.program
    around = program.up.get(node)
    only = any(getattr(around, name, None) == [node] for name in ("body", "orelse", "finalbody"))
    if only or not alone(node):
        return replace((node, "pass"))
    return put(program, (program.starts[node.lineno - 1], program.starts[node.end_lineno], ""))


def under(some: list[Node], header: str) -> Edit | None:
    """Statements under a `with`."""
    if not some or not all(alone(one) for one in some):
        return None
    program = some[0].program
    begin, end = program.starts[some[0].lineno - 1], program.starts[some[-1].end_lineno]
    text = " " * some[0].col_offset + header + "\n" + "".join(block(one, 4) for one in some)
    return put(program, (begin, end, text))


def keyword(call: Node, **words: str) -> Edit:
    """Set or add keyword arguments of a call."""
    changes, new = [], []
    for name, value in words.items():
        old = next((one for one in call.keywords if one.arg == name), None)
        if old is not None:
            changes.append((*span(old.value), value))
        else:
            new.append(f"{name}={value}")
    if new:
        _, end = span(call)
        inner = call.program.raw[span(call.func)[1] : end - 1].decode().strip()
        gap = "" if inner.endswith(("(", ",")) else ", "
        changes.append((end - 1, end - 1, gap + ", ".join(new)))
    return put(call.program, *changes)


def without_keyword(call: Node, name: str) -> Edit:
    """A call without one of its keyword arguments."""
    program = call.program
    begin, end = span(next(one for one in call.keywords if one.arg == name))
    head = program.raw[:begin].rstrip()
    if head.endswith(b","):
        return put(program, (len(head) - 1, end, ""))
    rest = program.raw[end:]
    return put(program, (begin, end + len(rest) - len(rest.lstrip(b", ")), ""))


def shown(program: Program, new: str) -> list[str]:
    """The changed lines of a text: with - and their numbers in the old one, with + and their numbers in the new one."""
    old, lines, results = program.text.splitlines(), new.splitlines(), list[str]()
    last, grown = "", 0  # lines that were added to the cell so far
    same = 0  # lines at the start
    while same < min(len(old), len(lines)) and old[same] == lines[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(lines)) - same and old[-1 - tail] == lines[-1 - tail]:
        tail += 1
    inner, inner_new = old[same : len(old) - tail], lines[same : len(lines) - tail]
    ways = [differences(inner, inner_new), backwards(inner, inner_new)]
    for item in min(ways, key=lambda found: moved_heads(inner, found)):
        i, j, k, m = (number + same for number in item)
        cell = program.at_line(i + 1).partition(" of ")[2] if program.cells or program.name else ""
        if cell != last:
            results.append(f"      {cell}")
            last, grown = cell, 0
        shift = program.line_in(i + 1) - (i + 1)
        results += [f"    - {n + 1 + shift:3}  {old[n]}" for n in range(i, j)]
        results += [f"    + {n + 1 + shift + i - k + grown:3}  {lines[n]}" for n in range(k, m)]
        grown += (m - k) - (j - i)
    return [line.rstrip() for line in results]


def differences(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Where two texts differ: (first, last) of the old lines and of the new ones."""
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i, j, k, m) for tag, i, j, k, m in codes if tag != "equal"]


def backwards(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """The same, matched from the end."""
    a, b = len(old), len(new)
    return [(a - j, a - i, b - m, b - k) for i, j, k, m in reversed(differences(old[::-1], new[::-1]))]


def moved_heads(old: list[str], found: list[tuple[int, int, int, int]]) -> tuple[int, int]:
    """How many old lines that begin a block would be shown as changed: a reader sees the other lines move."""
    lines = [line for i, j, _, _ in found for line in old[i:j]]
    return sum(line.rstrip().endswith(":") for line in lines), len(lines)


def parses(edit: Edit | None) -> bool:
    """True for an edit whose text is Python."""
    if edit is None:
        return False
    try:
        ast.parse(edit.text)
    except (SyntaxError, ValueError):
        return False
    return True


def all_of(programs: Iterable[Program], kind: Kinds) -> list[Any]:
    """The nodes of a kind in some files, from the top."""
    results = [node for program in programs for node in program.nodes if isinstance(node, kind)]
    return results
