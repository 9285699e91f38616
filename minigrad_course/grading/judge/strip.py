"""The engine that a check runs on: without the parts in question, and with the derivatives that the check needs.

This is trusted code. It reads the engine's files as text and takes definitions out of that text,
so that the process which runs a submission never loads our own version of the part in question. The engine's door,
`minigrad.parts`, swaps what is there; this is about what must not be there at all, so it works on text.

Nor a twin of it: `addcmul` could differentiate a product for those who cannot. So only those operations keep their
derivative that the check's program itself needs, and each of these asks who wants it.

To parse and compile the engine is a fifth of what a grading does before the first notebook. So what comes out the same
as long as a text does is remembered, in a file beside Python's own compiled ones.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.util
import marshal
import os
import re
import sys
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeVar

import minigrad
from minigrad.passing import batches, fastpath
from minigrad_course.checks.modules import engine_files
from minigrad_course.checks.reference import SECONDS, solutions
from minigrad_course.checks.twins import twins
from minigrad_course.parts import Chapter, chapters
from minigrad_course.programs import cells, draws, problems, program

PACKAGE = program.__name__.rpartition(".")[0]  # of the course's modules beside the engine; there it is empty
# The fast path repeats the lines of parts, and nothing generated is to run where they are checked.
NO_BATCHES = "of_rows = lambda *given: None\ncodes = lambda places: []\n"  # nor the rules of one walk for many rows
NO_FAST_PATH = "import contextlib\n\n\ndef off():\n    return contextlib.nullcontext()\n"
REPLACED = {fastpath.__name__: NO_FAST_PATH, batches.__name__: NO_BATCHES}
# parts of these kinds are new to the engine, so there may be nothing to leave out
NEW_KINDS = frozenset({"operation", "program"})
TWIN = "twin"  # the kind of what does the same as a part
PACKAGE_FILE = "__init__"
WORD = re.compile(r"\w+")
# the base of all operations, and that of a program's own ones
NO_OPERATIONS = frozenset({"minigrad.graph.nodes.Operation", "minigrad.autograd.function.Function"})
RULES = BACKWARD, DERIVATIVE = "backward", "derivative"  # what a class of operations declares
NO_GRADIENTS = "(None,) * len({}.edges)"
NUMBERS = "take_place"  # the function of `record` that numbers a node
Span = tuple[int, int, int, int]  # of a text: the line and byte where it begins, and where it ends

# --- what is remembered ---------------------------------------------------------------------------

HERE = Path(__file__).parent
Made = TypeVar("Made", bound=Callable[..., Any])
MOST = 5_000  # results in the file: those of every part are a fifth of that
known: dict[bytes, Any] = {}  # by function and arguments
made: set[bytes] = set()  # those that no file had


def remembered(function: Made) -> Made:
    """Make a function of texts look for its result in memory, then in the file; results are plain data."""

    @functools.wraps(function)
    def found(*arguments: Any) -> Any:
        key = hashlib.sha256(marshal.dumps((function.__qualname__, arguments), 0)).digest()
        if key not in known:
            known.update({item: result for item, result in kept_before().items() if item not in known})
        if key not in known:
            known[key] = function(*arguments)
            made.add(key)
        return known[key]

    return found  # type: ignore[return-value]


@functools.cache
def kept_before() -> dict[bytes, Any]:
    """What earlier processes have left; nothing if there is no file, or none that can be read."""
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        output: dict[bytes, Any] = marshal.loads(kept_in().read_bytes())
        return output
    return {}


@functools.cache
def kept_in() -> Path:
    """Where the results are: another file for each version of Python, engine, grader, checks and parts."""
    grader, course = [*HERE.glob("*.py"), *HERE.glob("sandbox/*.py")], HERE.parents[1]
    asked = [*course.glob("checks/*.py"), *course.glob("parts/**/*.py")]
    texts = (*engine_files(Path(minigrad.__file__).parent), *sorted(grader), *sorted(asked))
    versions = [(str(text), status.st_mtime_ns, status.st_size) for text in texts for status in [text.stat()]]
    digest = hashlib.sha256(repr((sys.version, versions)).encode()).hexdigest()[:20]
    return Path(importlib.util.cache_from_source(str(HERE / "engine.py"), optimization=digest))


def keep() -> None:
    """Leave what this process has made for those to come."""
    if not made or len(known) > MOST or sys.dont_write_bytecode:
        return
    made.clear()
    part = kept_in().with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # where nothing can be written, the next process makes it again
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(marshal.dumps(known))
        for old in part.parent.glob("engine.*.pyc"):
            old.unlink(missing_ok=True)
        os.replace(part, kept_in())


# An engine of one's own runs where there is no other: nothing to differentiate with, and no text or code of one.
BARE = {
    "minigrad.__init__": "",
    "minigrad.parts": "import contextlib\n\n\ndef replace(*_, **__):\n    return contextlib.nullcontext()\n",
}

# --- a check's engine -----------------------------------------------------------------------------


@functools.cache
def engine() -> tuple[Mapping[str, str], frozenset[str]]:
    """The modules that a job's engine is made of, and the names of those that no check takes anything out of."""
    sources = engine_sources(Path(minigrad.__file__).parent) | REPLACED | beside_the_engine()
    parts = [part for chapter in chapters() for check in chapter.checks for part in left_out(chapter, check)]
    return sources, untouched(sources, parts)


def beside_the_engine() -> dict[str, str]:
    """The modules of the course that a job needs, by name; their package is empty."""
    sent = (draws, problems, program, cells)
    return {f"{item}.{PACKAGE_FILE}": "" for item in (PACKAGE.partition(".")[0], PACKAGE)} | {
        module.__name__: text_of(module) for module in sent
    }


def text_of(module: Any) -> str:
    """The source of a module of ours."""
    return Path(module.__file__).read_text(encoding="utf-8")


def places_of(chapter: Chapter, check: str) -> list[dict[str, Any]]:
    """The places of a check's answers, as plain data."""
    return [dict(vars(place)) for place in chapter.places(check)]


@remembered
def twins_of(name: str, check: str) -> tuple[str, ...]:
    """What in the engine does the same as the part of a check."""
    return twins(name, check)


def left_out(chapter: Chapter, check: str) -> list[dict[str, Any]]:
    """What a check's engine lacks: its parts, and everything that does the same."""
    split = [twin.split(":") for twin in twins_of(chapter.name, check)]
    there = [place for place in places_of(chapter, check) if place["kind"] != "module"]
    return there + [{"kind": TWIN, "module": module, "attribute": name} for module, name in split]


# --- its text -------------------------------------------------------------------------------------


def engine_sources(package_folder: str | Path) -> dict[str, str]:
    """Read every module of the engine: dotted name -> source text, sorted by name.

    A package stands under its own name (`minigrad.nn`). Only a package with no module in it
    stands under `name.__init__`: nothing else would tell it from a plain module.
    Raises ValueError if the folder holds no package.
    """
    folder = Path(package_folder)
    if not (folder / f"{PACKAGE_FILE}.py").is_file():
        raise ValueError(f"{folder} is not a Python package: it has no {PACKAGE_FILE}.py.")
    results: dict[str, str] = {}
    for file in engine_files(folder):
        inside = file.relative_to(folder).with_suffix("").parts
        results[".".join((folder.name, *inside))] = file.read_text(encoding="utf-8")
    sources: dict[str, str] = {}
    for name, text in results.items():
        package = name.removesuffix(f".{PACKAGE_FILE}")
        alone = package != name and not any(other.startswith(f"{package}.") for other in results if other != name)
        sources[name if alone else package] = text
    return sources


def without(sources: Mapping[str, str], parts: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Return the sources with each part's top-level class or function left out.

    A part says `module` ("minigrad.scalar") and `attribute` ("Mul"); `name` and `kind` serve the
    messages. Decorators and the comments directly above go as well. All other lines keep their number.
    For a TWIN, a function or a method, only the body goes: other modules may import the name.
    A part that the engine lacks raises ValueError, unless its kind is one of NEW_KINDS.
    """
    stripped = dict(sources)
    for part in parts:
        module, attribute = str(part["module"]), str(part["attribute"])
        key = module if module in stripped else f"{module}.{PACKAGE_FILE}"
        take = _hollowed if part.get("kind") == TWIN else _remove
        shorter = take(stripped[key], attribute, key) if key in stripped else None
        if shorter is not None:
            stripped[key] = shorter
        elif part.get("kind") not in NEW_KINDS:
            raise ValueError(
                f"The part {str(part.get('name', attribute))!r} is not in the engine: "
                f"{module} has no top-level class or function {attribute}."
            )
    return stripped


def without_derivatives(
    sources: Mapping[str, str], kept: Collection[str], helpers: Iterable[str] = ()
) -> dict[str, str]:
    """Return the sources with no derivative of any operation but those `kept` ("minigrad.scalar.Mul").

    All operations still compute. What is left of a `backward` gives no gradient, and raises nothing: an honest cell
    may try something out. All lines keep their number. Of the `helpers` ("minigrad.ops.softmax:_share"), which
    serve derivatives alone (see `derivative_helpers`), only those in `kept` stay.
    """
    stays: dict[str, set[str]] = {}
    goes: dict[str, set[str]] = {}
    for operation in NO_OPERATIONS.union(kept):
        module, _, name = operation.rpartition(".")
        stays.setdefault(module, set()).add(name)
    for helper in helpers:
        if helper.removesuffix(".forward") not in kept:
            module, name = helper.split(":")
            goes.setdefault(module, set()).add(name)
    results = {}
    for name, text in sources.items():
        module = name.removesuffix(f".{PACKAGE_FILE}")
        own = frozenset(goes.get(name, ())), frozenset(stays.get(module, ()))
        results[name] = _without_derivatives(text, *own)
    return results


def untouched(sources: Mapping[str, str], parts: Iterable[Mapping[str, object]]) -> frozenset[str]:
    """The modules that stay as they are, whichever of these parts and whichever derivatives are left out."""
    changed = {str(part["module"]) for part in parts} | {helper.split(":")[0] for helper in derivative_helpers(sources)}
    names = {name: name.removesuffix(f".{PACKAGE_FILE}") for name in sources}
    return frozenset(name for name, text in sources.items() if names[name] not in changed and not _derivatives(text))


def derivative_helpers(sources: Mapping[str, str]) -> frozenset[str]:
    """The functions of the engine that nothing but derivatives calls ("minigrad.ops.softmax:_share").

    Of an operation that only derivatives apply it is the way forward ("…:SoftmaxShare.forward"). A name counts
    wherever it occurs, even in a comment: one too few is safer.
    """
    return _derivative_helpers(tuple(sorted(sources.items())))


@remembered
def _derivative_helpers(modules: tuple[tuple[str, str], ...]) -> frozenset[str]:
    sources = dict(modules)
    words: Counter[str] = Counter()
    for text in sources.values():
        words.update(WORD.findall(text))
    inside: Counter[str] = Counter()
    classes: set[str] = set()
    bodies: dict[str, list[tuple[str, Counter[str]]]] = {}  # by name: where it is defined, and the words in it
    for module, text in sources.items():
        derivatives, lines = _derivatives(text), text.split("\n")
        for _, span, _ in derivatives:
            inside.update(WORD.findall(_text(lines, span)))
        for node in _parsed(text).body if derivatives else ():
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                classes |= {node.name} if isinstance(node, ast.ClassDef) else set()
                own = Counter(WORD.findall("\n".join(lines[node.lineno - 1 : node.end_lineno])))
                bodies.setdefault(node.name, []).append((module.removesuffix(f".{PACKAGE_FILE}"), own))
    results: set[str] = set()
    grown = True
    while grown:
        grown = False
        for name, defined in bodies.items():
            if name in results or not inside[name]:
                continue
            if words[name] == inside[name] + sum(own[name] for _, own in defined):
                results.add(name)
                grown = True
                for _, own in defined:
                    inside.update({word: count for word, count in own.items() if word != name})
    ends = {name: ".forward" if name in classes else "" for name in results}
    return frozenset(f"{module}:{name}{ends[name]}" for name in results for module, _ in bodies[name])


@functools.lru_cache(maxsize=1000)
def _parsed(source: str) -> ast.Module:
    """The syntax tree of a module of ours; nobody changes it."""
    return ast.parse(source)


@functools.lru_cache(maxsize=1000)
def _without_derivatives(source: str, helpers: frozenset[str], kept: frozenset[str]) -> str:
    """The source of one module without its `helpers`; of its operations those `kept` ("Mul") keep their derivative."""
    lines = source.split("\n")
    for attribute in helpers:  # one that is a part is gone already
        _hollow(lines, source, attribute)
    for operation, body, nothing in reversed(_derivatives(source)):  # from the end: earlier positions stay valid
        if operation not in kept:
            lines = _replaced(lines, body, nothing)
    return "\n".join(lines)


@remembered
def _derivatives(source: str) -> list[tuple[str, Span, str]]:
    """All derivatives in a module: the operation, where its text stands, and what would take its place.

    They are the `backward` and the `derivative` that a class declares: methods, or lambdas in `staticmethod`.
    """
    if not any(f"def {rule}" in source or f"{rule} = " in source for rule in RULES):
        return []
    results = []
    for operation, rule, nothing in _rules(_parsed(source)):
        if isinstance(rule, ast.Lambda):
            results.append((operation, _span(rule, rule), nothing))
        else:
            results.append((operation, _span(rule.body[0], rule.body[-1]), nothing))
    return sorted(results, key=lambda item: item[1])


def _rules(module: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda, str]]:
    """All derivatives in a module: the operation, the function, and what would take the place of its body."""
    for node in [item for item in module.body if isinstance(item, ast.ClassDef)]:  # to walk whole trees takes long
        for inner in node.body:
            match inner:
                case ast.FunctionDef(name, ast.arguments(args=[first, *_])) if name in RULES:
                    yield node.name, inner, f"return {NO_GRADIENTS.format(first.arg) if name == BACKWARD else None}"
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("staticmethod"), [ast.Lambda() as rule])):
                    if name == BACKWARD:  # backward = staticmethod(lambda ctx, grad_output: …)
                        yield node.name, rule, f"lambda ctx, *given: {NO_GRADIENTS.format('ctx')}"
                    elif name == DERIVATIVE:
                        yield node.name, rule, "lambda *given: None"


def with_questions(source: str, file: str) -> types.CodeType:
    """The code of a module of the engine, in which each derivative first asks whether it may be used.

    What it calls is in the sandbox (`lending.py`), as is what hears of each node that is made. The text stays as it is.
    """
    if not _derivatives(source) and f"def {NUMBERS}(" not in source:
        return compile(source, file, "exec", dont_inherit=True)
    tree = ast.parse(source, file)
    for _, rule, nothing in _rules(tree):
        if isinstance(rule, ast.FunctionDef):
            question = f"if not __lends__({rule.args.args[0].arg}):\n    {nothing}"
            rule.body.insert(0, _placed(question, rule.body[0]))
        else:
            head, _, tail = nothing.partition(": ")
            question = f"0 if __lends__({'ctx' if 'ctx' in head else ''}) else {tail}"
            asked = _placed(question, rule.body).value
            rule.body, asked.body = asked, rule.body
    for item in tree.body:
        if isinstance(item, ast.FunctionDef) and item.name == NUMBERS:
            item.body.append(_placed(f"__made__({item.args.args[0].arg})", item.body[-1]))
    return compile(tree, file, "exec", dont_inherit=True)


def _placed(text: str, at: ast.AST) -> Any:
    """A statement that stands where another one stands."""
    (statement,) = ast.parse(text).body
    for node in ast.walk(statement):
        ast.copy_location(node, at)
    return statement


def _span(first: ast.AST, last: ast.AST) -> Span:
    """Where the text from one node to another begins and ends: lines from 0, and bytes within them."""
    at: Any = first
    end: Any = last
    return at.lineno - 1, at.col_offset, end.end_lineno - 1, end.end_col_offset


def _text(lines: Sequence[str], span: Span) -> str:
    """What stands there."""
    start, left, end, right = span
    inside = [line.encode() for line in lines[start : end + 1]]
    inside[-1] = inside[-1][:right]
    inside[0] = inside[0][left:]
    return b"\n".join(inside).decode()


def _replaced(lines: Sequence[str], span: Span, text: str) -> list[str]:
    """The lines with `text` in that place, and as many of them as before."""
    start, left, end, right = span
    first, last = lines[start].encode()[:left].decode(), lines[end].encode()[right:].decode()
    if start == end:
        return [*lines[:start], first + text + last, *lines[end + 1 :]]
    return [*lines[:start], first + text, *[""] * (end - start - 1), last, *lines[end + 1 :]]


@remembered
def _remove(source: str, attribute: str, module: str) -> str | None:
    """Blank the definitions of `attribute`; None if there are none."""
    # the three ends of line that Python's parser counts; str.splitlines knows more
    lines = re.split(r"\r\n|\r|\n", source)
    body = ast.parse(source, filename=module).body
    removed = False
    for index, node in enumerate(body):
        if not _defines(node, attribute):
            continue
        # from the end of the statement before: a decorator can begin above its own expression
        start = _last_line(body, index - 1)
        end = _last_line(body, index)
        lines[start:end] = [""] * (end - start)
        removed = True
    if not removed:
        return None
    result = "\n".join(lines)
    if any(_defines(node, attribute) for node in ast.parse(result, filename=module).body):
        raise ValueError(f"{attribute} could not be taken out of {module}.")
    return result


@remembered
def _hollowed(source: str, attribute: str, module: str) -> str | None:
    """The source with a function, or a method "Class.method", emptied; None if there is none."""
    lines = source.split("\n")
    return "\n".join(lines) if _hollow(lines, source, attribute) else None


def _hollow(lines: list[str], source: str, attribute: str) -> bool:
    """Empty a function, or a method "Class.method", in the lines of its source; False if there is none."""
    body = _parsed(source).body
    *classes, name = attribute.split(".")
    for cls in classes:
        body = [inner for node in body if isinstance(node, ast.ClassDef) and node.name == cls for inner in node.body]
    results = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]
    for node in results:
        start, end = node.body[0].lineno - 1, node.body[-1].end_lineno or 0
        reason = f"{attribute} is not available while a part that does the same is checked"
        refusal = f"{' ' * node.body[0].col_offset}raise NotImplementedError({reason!r})"
        lines[start:end] = [refusal, *[""] * (end - start - 1)]
    return bool(results)


def _defines(node: ast.stmt, attribute: str) -> bool:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(node, kinds) and node.name == attribute


def _last_line(body: Sequence[ast.stmt], index: int) -> int:
    """The 1-based last line of statement `index`; 0 before the first statement."""
    return (body[index].end_lineno or 0) if index >= 0 else 0


# --- the derivatives that a check needs -----------------------------------------------------------

# An answer to `mul` could hand its inputs to `addcmul`, `dot` or `exp(log a + log b)` and have the engine differentiate
# those. Nothing inside the child could prevent that, because a submission shares the process with the engine. But what
# is not there cannot be used. So our own program runs once in this process, with our own answers, and the child can
# differentiate only what that run differentiates. Every operation can still compute. Where a pass is recorded, a right
# `backward` may be written with any operation, and the next pass differentiates those: all of them stay. There, and for
# what the program itself needs, a derivative asks who wants it (`sandbox/lending.py`).


def needed_derivatives(chapter: Chapter, check: str, text: str, seed: int) -> frozenset[str] | None:
    """The operations ("minigrad.scalar.Mul") that the program `text` of a check differentiates.

    It also lists which other functions of the engine run, each as "minigrad.graph.array_ops:expand".

    None means all of them, if that cannot be known in advance: the check uses a program of the student's
    own, or it differentiates the student's `backward` in turn.
    """
    places = chapter.places(check)
    if any(place.kind in ("program", "module") for place in places):
        return None
    results: set[str] = set()
    heard: dict[int, CodeType] = {}  # by identity: to compare code takes longer than to run it
    backwards: set[int] = set()
    twice = False

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal twice
        if event != "call":  # of far more events it hears than it needs
            return
        code = frame.f_code
        if id(code) not in heard:
            heard[id(code)] = code
            hear(code, frame.f_globals)
        if id(code) in backwards:
            ctx = frame.f_locals[code.co_varnames[0]]
            twice = twice or (
                isinstance(ctx, minigrad.scalar.Function) and minigrad.leaf.recording and is_backward_of(code, ctx)
            )

    def hear(code: CodeType, namespace: dict[str, Any]) -> None:
        module = str(namespace.get("__name__"))
        if module.startswith(PACKAGE):
            return
        results.add(f"{module}:{code.co_qualname.partition('.')[0]}")
        name = code.co_qualname.rpartition(".")[0]
        if any(map(code.__eq__, rules_of(namespace.get(name)))):
            results.add(f"{module}.{name}")
        if code.co_name in (BACKWARD, "<lambda>") and code.co_argcount:
            backwards.add(id(code))

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
