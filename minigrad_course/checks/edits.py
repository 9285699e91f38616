"""The fourth way to recognise a mistake: change one place of an answer's own text, and see whether it is right then.

The others compare what an answer comes to. This one needs no list of mistakes: an operator, a number, a name, a call or
a line too many or too few is wrong if the answer passes with another, and nothing is said that was not tried. What is
put in its place is kept to ourselves, unless it is how a program was given.

First what has changed in a program that was given is undone, then each difference to our own answer, then one place
after the other is changed.
"""

from __future__ import annotations

import ast
import copy
import difflib
import inspect
import io
import itertools
import linecache
import time
import tokenize
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import TypeAlias

from minigrad_course.checks.deviations import several, unwritten
from minigrad_course.parts import Edit, Mistake
from minigrad_course.programs import cells
from minigrad_course.programs.program import Answers
from minigrad_course.texts import source, words

SECONDS = 1.5  # of processor time for the tries of an answer
LONGEST = 70  # characters of a place that a sentence quotes
LONGEST_CELL = 20_000  # characters of an answer; to compare longer ones takes too long
ALIKE = 0.6  # two lines of which one was made from the other
MOST_OF = 0.6  # a line of which more is wrong is wrong as a whole
MOST_HUNKS = 6  # differences to another text that are tried two by two
NUMBERS = (0, 1, 2, -1, 0.5)
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Div),
    ast.Mult: (ast.Div, ast.Add, ast.MatMult, ast.Pow),
    ast.Div: (ast.Mult, ast.Sub),
    ast.FloorDiv: (ast.Div,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}

NOT_CHANGED = (ast.Import, ast.ImportFrom, ast.FunctionDef)
BESIDE = ("+", "-", "*", "/", "//", "@", "**", "%", ",", ".", "and", "or", "not", "=", "<", "<=", ">", ">=", "==", "!=")

Slot: TypeAlias = tuple[ast.AST, str, int | None]  # a node, the name of a field, and where in its list
Try: TypeAlias = Callable[[str], bool]  # whether a text, in the place of the answer's, is right


def cell_of(answer: object) -> str:
    """The text of the cell that an answer comes from, as Python; "" if it is not known."""
    function = function_of(answer)
    text = "".join(linecache.getlines(function.__code__.co_filename)) if function else ""
    try:
        return cells.parsed(text)[1] if text.strip() and len(text) < LONGEST_CELL else ""
    except (SyntaxError, ValueError, RecursionError):
        return ""


def function_of(answer: object) -> FunctionType | None:
    """A function itself, or the first one that a class or a module defines; what it only holds has another text."""
    whole = inspect.unwrap(answer) if callable(answer) else answer
    inside = vars(whole).values() if isinstance(whole, type | ModuleType) else [whole]
    functions = [
        each for each in (getattr(item, "__func__", item) for item in inside) if isinstance(each, FunctionType)
    ]
    if isinstance(whole, type):
        functions = [each for each in functions if each.__qualname__.startswith(f"{whole.__qualname__}.")]
    if isinstance(whole, ModuleType):
        functions = [each for each in functions if each.__globals__ is vars(whole)]
    return next(iter(functions), None)


def answer_of(text: str, answer: object, part: str) -> object:
    """The answer that another text gives, with the names around the first one; None if it gives none."""
    if isinstance(answer, ModuleType):
        module, failure = cells.module_of(text, SECONDS)
        return None if failure else module
    function, answers = function_of(answer), Answers()
    around = function.__globals__ if function else {}
    cells.run_cell(text, {**around, "part": answers.part}, SECONDS)
    return answers.get(part)


def texts_of(chapter: str, part: str) -> tuple[str, str]:
    """What a program begins as, "" for anything else, and our own answer."""
    cell = source.read("solutions", chapter).answers()[part]
    return "" if cell.is_module else cell.stub or "", cells.parsed(cell.source)[1]


def recognised(part: str, text: str, given: str, ours: str, is_right: Try) -> Mistake | None:
    """The one place, or two, in which an answer differs from one that is right; None if none is found.

    `text` is the answer's cell, `given` what it began as, if that is a program, else "", `ours` our own answer.
    """
    try:
        tree = ast.parse(text)
        given, ours, text = [ast.unparse(ast.parse(each)) for each in (given, ours, text)]
    except (SyntaxError, ValueError, RecursionError):
        return None
    ends = time.process_time() + SECONDS

    def is_tried(changed: str) -> bool:
        return changed != text and time.process_time() < ends and is_right(changed)

    undone = [(hunk, named(part, "undone", hunk)) for hunk in hunks(text, given)] if given else []
    lacking = [(hunk, named(part, kind_of(hunk), hunk)) for hunk in hunks(text, ours)]
    for some in (undone, lacking):
        for hunk, mistake in some:
            if mistake and is_tried(applied(text, hunk)):
                return mistake
    for mistake, changed in changes(part, tree):
        if is_tried(changed):
            return mistake
    for some in (undone, lacking):
        for (one, its), (other, others) in itertools.combinations(some[:MOST_HUNKS], 2):
            if its and others and is_tried(applied(text, one, other)):
                return several([its, others]) if its != others else its
    return None


# --- differences to another text -----------------------------------------------------------------

Hunk: TypeAlias = tuple[int, int, tuple[str, ...], tuple[str, ...], str]  # lines, ours and theirs, the line above


def hunks(text: str, other: str) -> list[Hunk]:
    """Where the lines of two texts differ: line by line where as many stand against each other."""
    ours, theirs = text.split("\n"), other.split("\n")
    results: list[Hunk] = []
    for kind, start, end, first, last in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        above = ours[start - 1].strip() if start else ""
        if kind == "replace" and end - start == last - first:
            pairs = zip(range(start, end), theirs[first:last], strict=True)
            results += [(place, place + 1, (ours[place],), (line,), above) for place, line in pairs]
        elif kind != "equal":
            results += apart(ours, theirs, (start, end), (first, last))
    return results


def apart(ours: list[str], theirs: list[str], mine: tuple[int, int], other: tuple[int, int]) -> Iterator[Hunk]:
    """A block of lines against another of other length: each line against the most similar one, others on their own."""
    start, first = mine[0], other[0]

    def without(end: int, last: int) -> Iterator[Hunk]:
        if start < end or first < last:
            yield (
                start,
                end,
                tuple(ours[start:end]),
                tuple(theirs[first:last]),
                ours[start - 1].strip() if start else "",
            )

    for place in range(*mine):
        ratios = {line: likeness(ours[place], theirs[line]) for line in range(first, other[1])}
        best = max(ratios, key=lambda line: ratios[line], default=None)
        if best is not None and ratios[best] > ALIKE:
            yield from without(place, best)
            if ours[place] != theirs[best]:
                yield place, place + 1, (ours[place],), (theirs[best],), ours[place - 1].strip() if place else ""
            start, first = place + 1, best + 1
    yield from without(mine[1], other[1])


def likeness(one: str, other: str) -> float:
    """How much of two lines is the same, from 0 to 1."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def applied(text: str, *some: Hunk) -> str:
    """A text with some of its differences to another taken back."""
    lines = text.split("\n")
    for start, end, _, theirs, _ in sorted(some, reverse=True):
        lines[start:end] = theirs
    return "\n".join(lines)


def named(part: str, said: str, hunk: Hunk) -> Edit | None:
    """What is wrong in a difference to another text; None if that is too much to be one thing."""
    _, _, ours, theirs, above = hunk
    if len(ours) > 1 or len(theirs) > 1:
        return None
    line, other = "".join(ours).strip(), "".join(theirs).strip()
    is_undone = said == "undone"
    if not line:
        return edit(part, "taken_out" if is_undone else "no_line", other if is_undone else above)
    if not other:
        return edit(part, "line", line)
    if line == other:
        return edit(part, "place", line)
    if is_undone:
        return edit(part, said, line, other=other)
    if other.startswith("return ") and not line.startswith("return"):
        return edit(part, "no_return", line)
    mine, another = spans(line, other)
    if said in ("extra", "other") and not is_whole(mine):
        mine, said = covering(line, other) or mine.strip(", "), "other"
    if said in ("extra", "other") and len(mine) > MOST_OF * len(line):
        return edit(part, "statement", line)
    return edit(part, said, mine or line, line=line) if len(mine) <= LONGEST and len(another) <= LONGEST else None


def is_whole(span: str) -> bool:
    """True if a span is an operator, or an expression, perhaps with an operator before or behind it."""
    words = [token for token, _, _ in tokens(span)]
    some = [words, words[1:] if words[0] in BESIDE else words, words[:-1] if words[-1] in BESIDE else words]
    return any(not each or is_expression(" ".join(each)) for each in some)


def is_expression(text: str) -> bool:
    """True if a text is an expression of Python."""
    try:
        ast.parse(f"({text})", mode="eval")
    except SyntaxError:
        return False
    return True


def covering(line: str, other: str) -> str:
    """The smallest expression of a line in which all stands that is different in the other; "" if there is none."""
    ours, theirs = tokens(line), tokens(other)
    start, end = ends_of(ours, theirs)
    first = ours[start][1] if start < len(ours) else len(line)
    last = ours[len(ours) - 1 - end][2] if end < len(ours) else 0
    for text in (line, f"{line} pass", f"if True: pass\n{line} pass"):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        row = text.count("\n") + 1
        found = {
            node: (node.col_offset, node.end_col_offset or 0)
            for node in ast.walk(tree)
            if isinstance(node, ast.expr) and node.lineno == row
        }
        fit = [node for node, (begin, close) in found.items() if begin <= first <= last <= close]
        return ast.unparse(min(fit, key=lambda node: found[node][1] - found[node][0])) if fit else ""
    return ""


def kind_of(hunk: Hunk) -> str:
    """Whether a line has something too many, too few, or something else."""
    mine, another = spans("".join(hunk[2]).strip(), "".join(hunk[3]).strip())
    if not mine:
        return "lacks"
    return of_words(mine) if another else "extra"


def of_words(span: str) -> str:
    """What a place is: a number, an operator, or anything."""
    if span.rstrip("=") in BESIDE[:8] or span in BESIDE[11:]:
        return "operator"
    return "number" if span.replace(".", "", 1).isdigit() else "other"


def spans(line: str, other: str) -> tuple[str, str]:
    """Where two lines differ, without what they begin and end with, word for word."""
    ours, theirs = tokens(line), tokens(other)
    start, end = ends_of(ours, theirs)
    return between(line, ours[start : len(ours) - end]), between(other, theirs[start : len(theirs) - end])


def ends_of(ours: list[tuple[str, int, int]], theirs: list[tuple[str, int, int]]) -> tuple[int, int]:
    """How many tokens two lines begin with together, and how many they end with."""
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start][0] == theirs[start][0]:
        start += 1
    end = 0
    while end < min(len(ours), len(theirs)) - start and ours[-1 - end][0] == theirs[-1 - end][0]:
        end += 1
    return start, end


def between(line: str, some: list[tuple[str, int, int]]) -> str:
    """The text of neighbouring tokens."""
    return line[some[0][1] : some[-1][2]] if some else ""


def tokens(line: str) -> list[tuple[str, int, int]]:
    """The tokens of a line, with where they begin and end; as far as it can be read."""
    results = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            if token.string.strip():
                results.append((token.string, token.start[1], token.end[1]))
    except (tokenize.TokenError, IndentationError):
        pass
    return results


# --- one place after the other -------------------------------------------------------------------


def changes(part: str, tree: ast.Module) -> Iterator[tuple[Edit, str]]:
    """Each text with one place changed, and what that says; the likely ones first."""
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        for slot in slots(function):
            yield from of_slot(part, tree, function, slot)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        for slot in slots(function):
            yield from of_name(part, tree, function, slot)


def slots(root: ast.AST) -> Iterator[Slot]:
    """All places below a node, but for those in functions within it, which are looked at on their own."""
    for name, value in ast.iter_fields(root):
        for place, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST):
                yield root, name, place
                if not isinstance(node, ast.FunctionDef):
                    yield from slots(node)


def of_slot(part: str, tree: ast.Module, function: ast.FunctionDef, slot: Slot) -> Iterator[tuple[Edit, str]]:
    """The texts in which one place is changed."""
    node = at(slot)
    if isinstance(node, ast.stmt):
        yield from of_statement(part, tree, slot)
        return
    if not isinstance(node, ast.expr):
        return
    shown, line = ast.unparse(node), line_of(function, node)

    def put(said: str, another: ast.expr, quoted: str = shown) -> tuple[Edit, str]:
        return edit(part, said, quoted, line=line), with_put(tree, slot, another)

    match node:
        case ast.BinOp(left, op, right):
            for operator in OPERATORS.get(type(op), ()):
                yield put("operator", ast.BinOp(left, operator(), right), sign_in(shown, left, right))
            yield put("extra", left, shown.removeprefix(ast.unparse(left)).strip())
            yield put("extra", right, shown.removesuffix(ast.unparse(right)).strip())
            if isinstance(op, ast.MatMult | ast.Div | ast.Sub | ast.Pow):
                yield put("order", ast.BinOp(right, op, left))
        case ast.UnaryOp(op, operand):
            yield put("sign" if isinstance(op, ast.USub) else "extra", operand)
        case ast.Constant(bool(value)):
            yield put("other", ast.Constant(not value))
        case ast.Constant(int(value) | float(value)):
            for number in dict.fromkeys((value + 1, value - 1, *NUMBERS)):
                yield put("number", ast.Constant(number))
        case ast.Compare(left, [op], [right]):
            for comparison in COMPARISONS.get(type(op), ()):
                yield put("operator", ast.Compare(left, [comparison()], [right]), sign_in(shown, left, right))
        case ast.BoolOp(op, values):
            is_and = isinstance(op, ast.And)
            yield put("operator", ast.BoolOp(ast.Or() if is_and else ast.And(), values), "and" if is_and else "or")
            for value in values:
                rest = [each for each in values if each is not value]
                yield put("extra", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest), ast.unparse(value))
        case ast.IfExp(test, body, orelse):
            yield put("order", ast.IfExp(test, orelse, body))
            yield put("extra", body)
            yield put("extra", orelse)
        case ast.Call(func, args, keywords):
            if isinstance(func, ast.Attribute):
                yield put("extra", func.value, shown.removeprefix(ast.unparse(func.value)))
            for each in args[:3]:
                yield put("extra", each, ast.unparse(func))
            for place, keyword in enumerate(keywords):
                others = keywords[:place] + keywords[place + 1 :]
                yield put("extra", ast.Call(func, args, others), ast.unparse(keyword))
            for place in range(len(args)):
                yield put("extra", ast.Call(func, args[:place] + args[place + 1 :], keywords), ast.unparse(args[place]))
            if len(args) > 1:
                yield put("order", ast.Call(func, [args[1], args[0], *args[2:]], keywords))
        case ast.Attribute(value, _, ast.Load()):
            yield put("extra", value, shown.removeprefix(ast.unparse(value)))
        case ast.Subscript(value, _, ast.Load()):
            yield put("extra", value, shown.removeprefix(ast.unparse(value)))
        case ast.Tuple(values, ast.Load()) | ast.List(values, ast.Load()) if len(values) == 2:
            yield put("order", type(node)(values[::-1], ast.Load()))
    whole = isinstance(slot[0], ast.Return | ast.Tuple | ast.Assign | ast.Call)
    if whole and isinstance(node, ast.BinOp | ast.Call | ast.Name):
        yield put("sign", ast.UnaryOp(ast.USub(), node))


def of_name(part: str, tree: ast.Module, function: ast.FunctionDef, slot: Slot) -> Iterator[tuple[Edit, str]]:
    """The texts in which one name is another one of the function, or is transposed."""
    node = at(slot)
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    own = [each.arg for each in ast.walk(function) if isinstance(each, ast.arg)]
    own += [each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    if node.id in own:
        line = line_of(function, node)
        for name in dict.fromkeys(own):
            if name != node.id:
                yield edit(part, "name", node.id, line=line), with_put(tree, slot, ast.Name(name, ast.Load()))
        if isinstance(slot[0], ast.BinOp):
            turned = ast.Attribute(ast.Name(node.id, ast.Load()), "T", ast.Load())
            yield edit(part, "lacks", node.id, line=line), with_put(tree, slot, turned)


def of_statement(part: str, tree: ast.Module, slot: Slot) -> Iterator[tuple[Edit, str]]:
    """The texts in which one statement is left out, changes places with the next, or moves out of its loop."""
    parent, name, place = slot
    node, body = at(slot), getattr(parent, name)
    shown = ast.unparse(node).split("\n")[0]

    def put(said: str, statements: list[ast.stmt], quoted: str = shown) -> tuple[Edit, str]:
        return edit(part, said, quoted, line=shown), with_field(tree, parent, name, statements)

    if not isinstance(node, ast.stmt) or isinstance(node, NOT_CHANGED) or place is None:
        return
    yield put("line", body[:place] + body[place + 1 :] or [ast.Pass()])
    if place + 1 < len(body):
        yield put("place", [*body[:place], body[place + 1], node, *body[place + 2 :]])
    match node:
        case ast.AugAssign(target, op, value):
            for operator in OPERATORS.get(type(op), ()):
                another = ast.AugAssign(target, operator(), value)
                yield put("operator", [*body[:place], another, *body[place + 1 :]], sign_in(shown, target, value))
        case ast.Assign([(ast.Name() | ast.Attribute() | ast.Subscript()) as target], value):
            yield put("operator", [*body[:place], ast.AugAssign(target, ast.Add(), value), *body[place + 1 :]], "=")
        case ast.If(test, inside, []):
            yield put("line", [*body[:place], *inside, *body[place + 1 :]])
            turned = ast.If(ast.UnaryOp(ast.Not(), test), inside, [])
            yield put("other", [*body[:place], turned, *body[place + 1 :]])
        case ast.For() | ast.While():
            last = node.body[-1]
            moved = copy.copy(node)
            moved.body = node.body[:-1] or [ast.Pass()]
            yield (
                edit(part, "place", ast.unparse(last).split("\n")[0]),
                with_field(tree, parent, name, [*body[:place], moved, last, *body[place + 1 :]]),
            )


def sign_in(shown: str, left: ast.AST, right: ast.AST) -> str:
    """The operator between two expressions, as it is written; the whole where brackets stand around one of them."""
    return shown.removeprefix(ast.unparse(left)).removesuffix(ast.unparse(right)).strip()


def at(slot: Slot) -> ast.AST:
    """What stands in a place."""
    parent, name, place = slot
    value = getattr(parent, name)
    return value if place is None else value[place]


def with_put(tree: ast.Module, slot: Slot, another: ast.expr) -> str:
    """The text with something else in a place."""
    parent, name, place = slot
    before = getattr(parent, name)
    value = another if place is None else [*before[:place], another, *before[place + 1 :]]
    return with_field(tree, parent, name, value)


def with_field(tree: ast.Module, parent: ast.AST, name: str, value: object) -> str:
    """The text with another value of a field; the tree stays as it is."""
    before = getattr(parent, name)
    vars(parent)[name] = value
    try:
        return ast.unparse(tree)
    finally:
        vars(parent)[name] = before


def line_of(function: ast.FunctionDef, node: ast.AST) -> str:
    """The statement in which an expression stands, its first line."""
    inside = [
        each for each in ast.walk(function) if isinstance(each, ast.stmt) and any(one is node for one in ast.walk(each))
    ]
    return ast.unparse(inside[-1]).split("\n")[0]


def edit(part: str, said: str, shown: str, **fields: str) -> Edit:
    """An edit, with what it says in English."""
    cut = {name: around(value, shown) if name == "line" else shortened(value) for name, value in fields.items()}
    result = Edit(part, f"{said} {shown}".strip(), "", unwritten, said, shortened(shown), tuple(cut.items()))
    return Edit(part, result.name, words.explanation(result), unwritten, said, result.label, result.fields)


def around(line: str, shown: str) -> str:
    """A line as a sentence quotes it, with the place in it."""
    start = max(line.find(shown) + len(shown) + 10 - LONGEST, 0)
    return ("…" if start else "") + shortened(line[start:])


def shortened(text: str) -> str:
    """A piece of a text as a sentence quotes it."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
