"""The reference of the engine: an entry for each public name, made from its docstring and from an example that is run.

A page in docs/engine/ says `<!-- room: NAME -->`, and the entries of that room take the place of this line; after
`first:` stand the names with which it begins. A name stands in the room of the module that defines it. Its formula
comes from its docstring and from that of the node which the example makes, the shapes from the example's tensors, the
lines of source from the code that runs.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import importlib
import inspect
import io
import re
import textwrap
import tomllib
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

import minigrad

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"<!-- room: (\w+)(?: first: ([\w ]+))? -->")
CODE = re.compile(r"(`[^`]+`|(?<!\*)\*\w+\*(?!\*))")  # and *emphasis*
MARKUP = re.compile(r"([*_|\\$<>\[\]#~{}])")
NAMED = tomllib.loads((ROOT / "docs" / "engine" / "examples.toml").read_text(encoding="utf-8"))
SETUP: str = NAMED["setup"].lstrip()

# The namespaces of torch that the engine has, and the room of what they hold; "" leaves it to the defining module.
SPACES = {
    "minigrad": "",
    "minigrad.Tensor": "tensor",
    "minigrad.linalg": "matrices",
    "minigrad.autograd": "gradients",
    "minigrad.autograd.functional": "gradients",
    "minigrad.autograd.graph": "graph",
    "minigrad.func": "gradients",
    "minigrad.nn": "layers",
    "minigrad.nn.functional": "network_functions",
    "minigrad.nn.init": "network_helpers",
    "minigrad.nn.utils": "network_helpers",
    "minigrad.optim": "optimizers",
    "minigrad.optim.lr_scheduler": "schedules",
    "minigrad.utils.data": "data",
}
ROOMS = {
    "creation": "ops.creation random",
    "arithmetic": "ops.pointwise ops.ternary ops.where_clamp",
    "functions": "ops.elementary",
    "comparison": "ops.comparison",
    "reduction": "ops.reduction ops.norms ops.softmax ops.statistics",
    "ordering": "ops.ordering",
    "matrices": "ops.linalg ops.matrices ops.einsum ops.diagonals",
    "shapes": "ops.shaping ops.permuting ops.slicing ops.joining",
    "indexing": "ops.gathering ops.indexing",
    "tensor": "ops.memory",
    "gradients": "leaf recording.modes autograd func",
    "settings": "",  # whatever is left
}
HOME = {f"minigrad.{module}": room for room, modules in ROOMS.items() for module in modules.split()}


@dataclass
class Entry:
    """A public name: where it is, what it calls, and the other names of the same thing."""

    space: str
    name: str
    value: Any
    also: list[str] = field(default_factory=list)

    @property
    def full(self) -> str:
        return f"{self.space}.{self.name}"

    @property
    def room(self) -> str:
        """The page it stands on."""
        module = getattr(operation(self.value), "__module__", "") or ""
        tail = [HOME[part] for part in beginnings(module) if part in HOME]
        return SPACES[self.space] or (tail[0] if tail else "settings")


def beginnings(module: str) -> Iterator[str]:
    """A module, the package around it, and so on."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def operation(value: Any) -> Any:
    """What a checked function calls in the end: the function with the docstring and the formula."""
    if isinstance(value, property):
        value = value.fget
    value = getattr(value, "__func__", value)
    return inspect.unwrap(value) if getattr(value, "__module__", "") == "minigrad.ops.registry" else value


def space_of(name: str) -> Any:
    """A namespace: a module, or the class Tensor."""
    found: Any = minigrad
    for part in name.split(".")[1:]:
        with contextlib.suppress(ImportError):
            importlib.import_module(f"{found.__name__}.{part}") if isinstance(found, types.ModuleType) else None
        found = getattr(found, part)
    return found


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Every public name that torch has too. Names of the same thing share an entry: in one namespace, and in linalg."""
    found: list[Entry] = []
    torch_s: dict[int, Entry] = {}
    for space in SPACES:
        known: dict[int, Entry] = torch_s if space in ("minigrad", "minigrad.linalg") else {}
        for name, value in public(space):
            base = name.removesuffix("_")
            if name != base and base in dict(public(space)):
                continue  # in place: with its base
            if space == "minigrad.Tensor" and isinstance(dict(public("minigrad")).get(base), types.FunctionType):
                continue  # with the function
            same = known.get(id(operation(value)))
            if same and not isinstance(value, type | minigrad.dtype):
                same.also.append(f"{space}.{name}".removeprefix(f"{same.space}."))
            else:
                known[id(operation(value))] = Entry(space, name, value)
                found.append(known[id(operation(value))])
    return tuple(found)


@functools.cache
def public(space: str) -> tuple[tuple[str, Any], ...]:
    """The names of a namespace that torch has as well, with their values; no modules, nothing that is absent."""
    ours, theirs = space_of(space), functools.reduce(getattr, space.split(".")[1:], torch)
    listed = getattr(ours, "__all__", None)
    found = []
    for name in sorted(listed or dir(ours)):
        if name.startswith("_") or not hasattr(theirs, name):
            continue
        with contextlib.suppress(AttributeError):
            value = getattr(ours, name)
            foreign = getattr(value, "__module__", "") in ("typing", "__future__", "collections", "collections.abc")
            foreign |= space.startswith("minigrad.optim.") and name == "Optimizer"
            if not isinstance(value, types.ModuleType) and not foreign:
                found.append((name, value))
    return tuple(found)


def names() -> set[str]:
    """Every name that has its place in the reference, in full."""
    found = set()
    for each in entries():
        found.add(each.full)
        found.update(f"{each.space}.{other}" for other in each.also)
    return found


# --- an entry as text ---------------------------------------------------------------------------------


def filled(text: str) -> str:
    """The text of a page, with the entries of its room."""
    return MARK.sub(lambda found: room(found[1], tuple((found[2] or "").split())), text)


def prepare() -> None:
    """Run the examples of all pages."""
    for page in (ROOT / "docs" / "engine").glob("*.md"):
        filled(page.read_text(encoding="utf-8"))


@functools.cache
def room(name: str, first: Sequence[str] = ()) -> str:
    """All entries of a room, those `first` before the others, plain values in one table at the end."""
    order = {each: place for place, each in enumerate(first)}
    here = sorted((each for each in entries() if each.room == name), key=lambda each: order.get(each.name, len(order)))
    if not here:
        raise ValueError(f"There is no room {name!r} in the reference.")
    plain = [each for each in here if not callable(each.value) and not isinstance(each.value, property)]
    dtypes = [each for each in here if isinstance(each.value, type) and each.value.__name__.endswith("Tensor")]
    small = [each for each in here if each in plain or (each in dtypes and each.name != "Tensor")]
    text = f"In the examples:\n\n```python\n{SETUP}```\n\n"
    text += "\n\n".join(written(each) for each in here if each not in small)
    return text + (table(small) if small else "")


def table(found: list[Entry]) -> str:
    """Constants, dtypes and the like."""
    rows = [
        f'| <span id="{each.full}"></span>' + ", ".join(f"`{name}`" for name in [each.name, *each.also]) + " | "
        f"{escaped(summary(each.value))} |"
        for each in found
    ]
    return "\n\n## Values\n\n| name | what it is |\n|---|---|\n" + "\n".join(rows) + "\n"


def summary(value: Any) -> str:
    """A value in a line; of one that shows its address instead, what its class says."""
    if isinstance(value, type) or " at 0x" in repr(value):
        kind = value if isinstance(value, type) else type(value)
        return (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ") or f"The class `{kind.__name__}`."
    return f"`{value!r}`"


def written(entry: Entry) -> str:
    """The entry of a name, as MyST Markdown."""
    kind = "function"
    if isinstance(entry.value, type):
        kind = "class"
    elif entry.space == "minigrad.Tensor":
        kind = "attribute" if isinstance(entry.value, property) or not callable(entry.value) else "method"
    module, name = (
        ("minigrad", f"Tensor.{entry.name}") if entry.space == "minigrad.Tensor" else (entry.space, entry.name)
    )
    code, outcome = example(entry)
    parts = [described(entry.value)]
    if (
        outcome.node
        and (formula := inspect.getdoc(outcome.node))
        and formula not in (inspect.getdoc(entry.value) or "")
    ):
        place = link(outcome.node)
        parts.append(f"*Backward* ({place}): {marked_up(formula.split(chr(10) + chr(10))[0])}")
    if outcome.shapes:
        parts.append(f"*Shapes*: {outcome.shapes}")
    if code:
        parts.append(f"```pycon\n{code}\n```")
    if others := other_names(entry):
        parts.append(others)
    arguments = signature(entry.value, kind == "method")
    body = "\n\n".join(part for part in parts if part)
    return f"````{{py:{kind}}} {name}{arguments}\n:module: {module}\n\n{body}\n````"


def described(value: Any) -> str:
    """A docstring as Markdown, without its examples, which are run below."""
    lines = (inspect.getdoc(value) or inspect.getdoc(operation(value)) or "").splitlines()
    kept: list[str] = []
    shown = False
    for line in lines:
        shown = bool(line.strip()) and (shown or line.lstrip().startswith(">>>"))
        if not shown:
            kept.append(line)
    first, *others = "\n".join(kept).strip().split("\n\n", 1)
    return "\n\n".join([marked_up(first), *map(escaped, others)])


def marked_up(paragraph: str) -> str:
    """A paragraph of a docstring as Markdown, with its formulas in TeX."""
    import formulas

    pieces = formulas.typeset(" ".join(paragraph.split("\n")))
    if len(pieces) == 1:
        return escaped(paragraph)
    return "".join(f"${piece}$" if number % 2 else escaped(piece) for number, piece in enumerate(pieces))


def escaped(text: str) -> str:
    """Plain text with `names` between backticks: nothing else but *emphasis* is markup."""
    pieces = CODE.split(text)
    pieces[::2] = [MARKUP.sub(r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


def other_names(entry: Entry) -> str:
    """A line with the other ways to call it: aliases, the method, the change in place."""
    methods = dict(public("minigrad.Tensor"))
    said = [f'<span id="{entry.space}.{name}"></span>`{name}`' for name in entry.also]
    changing = []
    for name in [entry.name, *entry.also] if entry.space in ("minigrad", "minigrad.Tensor") else []:
        if entry.space == "minigrad" and name in methods and isinstance(entry.value, types.FunctionType):
            said.append(f'<span id="minigrad.Tensor.{name}"></span>`Tensor.{name}`')
        if f"{name}_" in methods:
            changing.append(f'<span id="minigrad.Tensor.{name}_"></span>`Tensor.{name}_`')
    own = {name for name, _ in public(entry.space)}
    for name in [entry.name, *entry.also] if entry.space != "minigrad.Tensor" else []:
        if f"{name}_" in own:
            changing.append(f'<span id="{entry.space}.{name}_"></span>`{name}_`')
    lines = (("*Also*", said), ("*In place*", changing))
    return " · ".join(f"{head} {', '.join(each)}" for head, each in lines if each)


def signature(value: Any, bound: bool = False) -> str:
    """The arguments, without their types; of a method without the tensor itself."""
    if isinstance(value, property) or not callable(value):
        return ""
    try:
        found = inspect.signature(operation(value))
    except (TypeError, ValueError):
        return "()"
    shown = []
    for number, each in enumerate(found.parameters.values()):
        if each.name in ("self", "cls") or (bound and number == 0):
            continue
        default = each.default
        if type(default) is object or (default is not each.empty and " at 0x" in repr(default)):
            default = Unsaid
        shown.append(each.replace(annotation=each.empty, default=default))
    with contextlib.suppress(ValueError):
        return str(found.replace(parameters=shown, return_annotation=found.empty))
    return "()"


class _Unsaid:
    """A default that is not a value, only a sign that nothing was given."""

    def __repr__(self) -> str:
        return "…"


Unsaid = _Unsaid()


# --- examples -----------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What running an example has shown."""

    node: type | None = None
    shapes: str = ""


def example(entry: Entry) -> tuple[str, Outcome]:
    """The example of a name with what it prints, and what was learned by running it."""
    lines = chosen(entry)
    # Its own copy: examples change tensors. And its own random numbers.
    values: dict[str, Any] = {}
    exec(SETUP, values)
    minigrad.manual_seed(0)
    shown: list[str] = []
    outcome = Outcome()
    for line in lines:
        tree = ast.parse(line)
        shown.append(textwrap.indent(line, "... ").replace("... ", ">>> ", 1))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if isinstance(tree.body[-1], ast.Expr):
                call = tree.body[-1].value
                before = shapes_of_arguments(call, values) if line is lines[-1] else []
                result = eval(compile(ast.Expression(call), "<example>", "eval"), values)
                if result is not None:
                    print(repr(result))
                outcome = learned(before, result) if line is lines[-1] else outcome
            else:
                exec(compile(tree, "<example>", "exec"), values)
        if printed.getvalue():
            shown.append(printed.getvalue().rstrip("\n"))
    return "\n".join(shown), outcome


def chosen(entry: Entry) -> list[str]:
    """The lines of an example: the one written for this name, else the docstring's, else the plain call."""
    given = NAMED.get(entry.space.removeprefix("minigrad").removeprefix(".") or "torch", {}).get(entry.name)
    if given is not None:
        return given.split("; ") if given else []
    lines = (inspect.getdoc(entry.value) or "").splitlines()
    told = [line.strip().removeprefix(">>> ") for line in lines if line.strip().startswith(">>> ")]
    if told and not any(line.strip().startswith("... ") for line in lines):
        name, prefix = entry.name, entry.space.replace("minigrad", "torch", 1)
        own = entry.value.__doc__ and re.search(r"`(\w+)` as a module", entry.value.__doc__)
        if not own:
            return [re.sub(rf"(?<![\w.]){name}\(", f"{prefix}.{name}(", line) for line in told]
    if entry.space == "minigrad.Tensor":
        return [f"x.{entry.name}" if isinstance(entry.value, property) else f"x.{entry.name}()"]
    prefix = entry.space.replace("minigrad", "torch", 1)
    if isinstance(entry.value, type) and entry.space == "minigrad.nn":
        return [f"{prefix}.{entry.name}()(x)"]
    return [f"{prefix}.{entry.name}(x)"]


def shapes_of_arguments(call: ast.expr, values: dict[str, Any]) -> list[str]:
    """The shapes of the tensors that a call gets."""
    if not isinstance(call, ast.Call):
        return []
    places: list[ast.expr] = [*call.args, *(each.value for each in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        places.insert(0, call.func.value)
    found: list[str] = []
    for place in places:
        if any(isinstance(each, ast.Call | ast.Lambda) for each in ast.walk(place)):
            continue
        with contextlib.suppress(Exception):
            found += shapes(eval(compile(ast.Expression(copy.deepcopy(place)), "<example>", "eval"), values))
    return found


def shapes(value: Any) -> list[str]:
    """The shape of a tensor, or those of several."""
    if isinstance(value, minigrad.Tensor):
        return [f"`{list(value.shape)}`"]
    if isinstance(value, tuple | list):
        return [text for each in value for text in shapes(each)]
    return []


def learned(before: list[str], result: Any) -> Outcome:
    """The node that made a result, and the shapes before and after."""
    first = result[0] if isinstance(result, tuple) and result else result
    node = type(first.grad_fn) if isinstance(first, minigrad.Tensor) and first.grad_fn is not None else None
    kind = type(result).__name__
    named = [f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"] if result is not None and before else []
    after = shapes(result) or named
    said = " → ".join(filter(None, [", ".join(before), ", ".join(after)])) if before or shapes(result) else ""
    return Outcome(node, said)


# --- where the source is ------------------------------------------------------------------------------


def link(node: type) -> str:
    """A node's name, as a link to the lines of its derivative."""
    found = place(node)
    name = f'<code class="literal">{node.__name__}</code>'
    return f'<a class="reference" href="{address(*found)}">{name}</a>' if found else name


def address(path: Path, first: int, last: int) -> str:
    """A page of source, seen from docs/engine/."""
    return f"../../_modules/{path.relative_to(ROOT).with_suffix('').as_posix()}.html#L-{first}"


def place(value: Any) -> tuple[Path, int, int] | None:
    """The file that defines something, and its first and last line; None for what is not written in the engine."""
    value = operation(value)
    if isinstance(value, type):
        return next(filter(None, map(place_of_class, value.__mro__)), None)
    code = getattr(value, "__code__", None)
    if code is None or not code.co_filename.startswith(str(ROOT / "minigrad")):
        return place_by_name(getattr(value, "__name__", ""), getattr(value, "__module__", "") or "")
    nodes = [cell.cell_contents for cell in getattr(value, "__closure__", None) or () if is_node(cell.cell_contents)]
    if nodes and value.__qualname__.endswith("<locals>.function"):
        return place(nodes[0])  # of one number: the class says it
    first = code.co_firstlineno
    return Path(code.co_filename), *functions(Path(code.co_filename)).get(first, (first, first))


def is_node(value: Any) -> bool:
    """True for an operation's class."""
    return isinstance(value, type) and hasattr(value, "backward")


def place_of_class(kind: type) -> tuple[Path, int, int] | None:
    """Where a class of the engine is written, also one that calls itself torch's."""
    codes = [
        code
        for member in vars(kind).values()
        if (code := getattr(getattr(member, "__func__", member), "__code__", None))
        and code.co_filename.startswith(str(ROOT / "minigrad"))
    ]
    for path in {Path(code.co_filename): None for code in codes}:
        if kind.__name__ in (known := classes(path)):
            return path, *known[kind.__name__]
    for path in engine() if kind.__module__.startswith(("minigrad", "torch")) else ():
        if kind.__name__ in classes(path):
            return path, *classes(path)[kind.__name__]
    return None


def place_by_name(name: str, module: str) -> tuple[Path, int, int] | None:
    """Where a function is defined that was made anew since, preferably in its module or beside it."""
    beside = Path(*module.replace("torch", "minigrad", 1).split("."))
    found = []
    for path in engine():
        for each in tree(path).body:
            if isinstance(each, ast.FunctionDef) and each.name == name:
                own = path.relative_to(ROOT).with_suffix("")
                near = 2 if own == beside else 1 if own.parent in (beside.parent, beside) else 0
                found.append((near, path, each.lineno, each.end_lineno or each.lineno))
    return max(found)[1:] if found else None


@functools.cache
def engine() -> tuple[Path, ...]:
    """The files of the engine."""
    files = sorted((ROOT / "minigrad").rglob("*.py"))
    return tuple(path for path in files if not {"course", "grading", "commands"} & set(path.parts))


@functools.cache
def tree(path: Path) -> ast.Module:
    """A file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def classes(path: Path) -> dict[str, tuple[int, int]]:
    """The classes of a file, with their lines."""
    found = [each for each in ast.walk(tree(path)) if isinstance(each, ast.ClassDef)]
    return {each.name: (each.lineno, each.end_lineno or each.lineno) for each in found}


@functools.cache
def functions(path: Path) -> dict[int, tuple[int, int]]:
    """The first and last line of each function of a file, by the line of its first decorator, as its code has it."""
    found: dict[int, tuple[int, int]] = {}
    for each in ast.walk(tree(path)):
        if isinstance(each, (ast.FunctionDef, ast.Lambda)):
            above = [decorator.lineno for decorator in getattr(each, "decorator_list", [])]
            first, last = min([each.lineno, *above]), each.end_lineno or each.lineno
            found[first] = each.lineno, max(found.get(first, (0, 0))[1], last)
    return found


if __name__ == "__main__":
    for each in entries():
        print(each.room, each.full, *each.also)
