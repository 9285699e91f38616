"""The engine as text: its files, and answers inserted into them in place of ours.

This is how `minigrad mine` writes an engine that its owner can read. (To swap a part of a running engine, there is
`minigrad.parts`.) An answer comes from a notebook cell. It takes along the helpers and imports that it needs, and
nothing else from the cell. A helper whose name means something else in the module gets another one.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import io
import re
import symtable
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from minigrad_course.programs import cells
from minigrad_course.programs.program import Place

NOT_ENGINE = frozenset({"__main__", "course", "runtime"})  # a door to what is installed beside it, and old names
COMMENT = re.compile(r"\s+#")  # a line that belongs to the lines above it
BEGIN, END, IMPORTS = "# yours: {}", "# end of {}", "# for the parts that are yours"


def engine_files(folder: Path) -> Iterator[Path]:
    """The modules of the engine in the folder of its package, sorted."""
    for file in sorted(folder.rglob("*.py")):
        inside = file.relative_to(folder).with_suffix("").parts
        if inside[0] not in NOT_ENGINE and all(step.isidentifier() for step in inside):
            yield file


# --- what a cell holds ---------------------------------------------------------------------------


class Lost(Exception):
    """An answer that cannot be extracted from its cell; the message is the reason."""


@dataclasses.dataclass(frozen=True)
class Piece:
    """A statement of a cell, with the comments above it.

    origin: what an import binds, as "numpy" or "minigrad.scalar.Function". part, name: of the answer that it hands
    over.
    """

    text: str
    binds: frozenset[str]
    needs: frozenset[str]
    origin: str = ""
    part: str = ""
    name: str = ""


def pieces(text: str) -> list[Piece]:
    """The statements of a cell; none if it is not Python."""
    try:
        statements, text = cells.parsed(re.sub("\r\n?", "\n", text))
        return list(_pieces(statements, text))
    except (SyntaxError, ValueError, RecursionError):
        return []


def _pieces(statements: Sequence[ast.stmt], text: str) -> Iterator[Piece]:
    lines, above = text.split("\n"), 0
    for index, statement in enumerate(statements):
        first, last = first_line(statement), statement.end_lineno or 0
        while last < len(lines) and COMMENT.match(lines[last]):
            last += 1
        follows = statements[index + 1].lineno if index + 1 < len(statements) else last + 1
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from _imports(statement)
        elif first <= above or follows == last:  # it shares a line with another
            yield _piece(ast.get_source_segment(text, statement) or "")
        else:
            part, given = handed_over(statement)
            kept = [line for number, line in enumerate(lines, 1) if above < number <= last and number not in given]
            yield _piece("\n".join(kept).strip("\n"), part, getattr(statement, "name", ""))
        above = last


def _piece(text: str, part: str = "", name: str = "") -> Piece:
    table = symtable.symtable(text, "<answer>", "exec")
    symbols = table.get_symbols()
    binds = frozenset(symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported())
    return Piece(text, binds, frozenset(_needs(table)), part=part, name=name if part else "")


def _needs(table: symtable.SymbolTable) -> Iterator[str]:
    """The global names that a text looks up."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() if table.get_type() == "module" else symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _needs(child)


def _imports(statement: ast.Import | ast.ImportFrom) -> Iterator[Piece]:
    """A piece for each name that is imported; `from __future__` and `*` give none."""
    module = getattr(statement, "module", None)
    for name in statement.names:
        if module == "__future__" or name.name == "*":
            continue
        text = f"from {module} import {name.name}" if module else f"import {name.name}"
        if not module and not name.asname and "." in name.name:  # it binds the name of the package
            yield _piece(text)
            continue
        bound = name.asname or name.name
        yield Piece(text, frozenset({bound}), frozenset(), origin=f"{module}.{name.name}" if module else name.name)


def first_line(statement: ast.stmt) -> int:
    """The line in which a statement begins, decorators and all."""
    return min([statement.lineno, *[item.lineno for item in getattr(statement, "decorator_list", ())]])


def handed_over(statement: ast.stmt) -> tuple[str, set[int]]:
    """The part that a class or function hands over, and the lines of the `@part` that says so; "" if it does not."""
    for item in getattr(statement, "decorator_list", ()):
        match item:
            case ast.Call(func=ast.Name(id="part"), args=[ast.Constant(value=str(name))]):
                return name, set(range(item.lineno, (item.end_lineno or 0) + 1))
    return "", set()


@dataclasses.dataclass(frozen=True)
class Answer:
    """An answer, and the imports and helpers that it needs from its notebook, in the order of their cells."""

    part: str
    place: Place
    piece: Piece
    needed: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """What it is called in the engine."""
        return target(self.place)


def target(place: Place) -> str:
    """What a part is called in its module: the class of a node has the node's name."""
    return re.sub(r"Backward\d+$", "", place.node) if place.node else place.attribute


def answer_in(part: str, place: Place, sources: Mapping[str, str], setup: str) -> Answer:
    """The answer to a part. Lost if its cell does not say with `@part` which it is.

    sources: for each part of the notebook the cell that answers it. setup: the cell that all of them may use. A name
    is looked for in the own cell first, then in the setup, then in the other answers.
    """
    own = pieces(sources[part])
    handed = [piece for piece in own if piece.part == part]
    if not handed:
        raise Lost(f'its cell has no class or function directly below @part("{part}")')
    others = [piece for name, text in sources.items() if name != part for piece in pieces(text)]
    known = [others, pieces(setup), [piece for piece in own if piece not in handed]]
    wanted, result = set(handed[-1].needs), {handed[-1]}
    done: set[str] = set(handed[-1].binds)
    while wanted - done:
        name = min(wanted - done)
        done.add(name)
        for group in reversed(known):
            binding = [piece for piece in group if name in piece.binds]
            result.update(binding)
            wanted.update(*[piece.needs for piece in binding])
            if binding:
                break
    needed = dict.fromkeys(piece for group in known for piece in group if piece in result)
    return Answer(part, place, handed[-1], tuple(needed))


# --- a module ------------------------------------------------------------------------------------


class Module:
    """A module of the engine, into which answers are put. name: as "minigrad.scalar"."""

    def __init__(self, name: str, text: str):
        self.name, self.lines = name, text.split("\n")
        self.body = ast.parse(text).body
        self.origins: dict[str, str] = {}  # what the module's names refer to
        for statement in self.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self.origins.update({bind: piece.origin for piece in _imports(statement) for bind in piece.binds})
        for symbol in symtable.symtable(text, name, "exec").get_symbols():
            self.origins.setdefault(symbol.get_name(), f"{name}.{symbol.get_name()}")
        words = [token.string for token in tokens(text) if token.type == tokenize.NAME]
        self.taken = {*self.origins, *words, *dir(builtins)}
        self.imports: list[str] = []
        self.there: dict[Piece, dict[str, str]] = {}  # inserted helpers, and their names
        self.edits: list[tuple[int, int, str]] = []

    def put(self, answers: Sequence[Answer]) -> None:
        """Put answers in place of the definitions with their names, or at the end if there are none."""
        parts = {answer.part: answer.name for answer in answers}
        self.taken.update(parts.values())
        for answer in answers:
            names, texts = {answer.piece.name: answer.name}, []
            for piece in answer.needed:
                if piece.part in parts:
                    names[piece.name] = parts[piece.part]
                elif piece.origin:
                    names.update({bind: self.imported(bind, piece) for bind in piece.binds})
                elif piece in self.there:
                    names.update(self.there[piece])
                else:
                    names.update({bind: self.free(bind) for bind in sorted(piece.binds) if bind not in names})
                    self.there[piece] = {bind: names[bind] for bind in piece.binds}
                    texts.append(piece.text)
            written = [renamed(text, names) for text in [*texts, answer.piece.text]]
            head, tail = BEGIN.format(answer.part), END.format(answer.part)
            first, last = self.span(answer.name)
            gap = "" if first < last else "\n\n"
            self.edits.append((first, last, gap + "\n".join([head, "\n\n\n".join(written), tail])))

    def span(self, name: str) -> tuple[int, int]:
        """The lines in which a name is defined, counted from 0, the second not among them; the end if it is not."""
        for item in self.body:
            if isinstance(item, ast.ClassDef | ast.FunctionDef) and item.name == name:
                return first_line(item) - 1, item.end_lineno or 0
        return len(self.lines), len(self.lines)

    def imported(self, name: str, piece: Piece) -> str:
        """The module's name for what a piece imports; adds the import if necessary."""
        if self.origins.get(name) == piece.origin:
            return name
        for there, origin in self.origins.items():
            if origin == piece.origin:
                return there
        new = self.free(name)
        self.origins[new] = piece.origin
        self.imports.append(piece.text if new == piece.text.split()[-1] else f"{piece.text} as {new}")
        return new

    def free(self, name: str) -> str:
        """The name, or one like it if it means something else here already."""
        candidate, count = name, 1
        while candidate in self.taken:
            candidate, count = f"my_{name}{count if count > 1 else ''}", count + 1
        self.taken.add(candidate)
        return candidate

    @property
    def text(self) -> str:
        """The module as it is now."""
        lines = list(self.lines)
        for first, last, text in sorted(self.edits, reverse=True):
            lines[first:last] = text.split("\n")
        if self.imports:
            ends = [item.end_lineno or 0 for item in self.body if isinstance(item, ast.Import | ast.ImportFrom)]
            result = sorted(self.imports, key=lambda text: (text.startswith("from"), text))
            lines[ends[-1] : ends[-1]] = ["", IMPORTS, *result]
        return "\n".join(lines).rstrip("\n") + "\n"


def tokens(text: str) -> list[tokenize.TokenInfo]:
    """The tokens of a Python text."""
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with names replaced, except after a dot and as argument names in calls."""
    changed = {old: new for old, new in names.items() if old != new}
    if not changed:
        return text
    lines = text.split("\n")
    result = tokens(text)
    for index in range(len(result) - 1, -1, -1):
        token = result[index]
        if token.type != tokenize.NAME or token.string not in changed:
            continue
        before, after = result[index - 1].string if index else "", result[index + 1].string
        if before == "." or (before in ("(", ",") and after == "="):
            continue
        row, column = token.start
        line = lines[row - 1]
        lines[row - 1] = line[:column] + changed[token.string] + line[token.end[1] :]
    return "\n".join(lines)
