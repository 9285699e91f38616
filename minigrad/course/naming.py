"""How to speak of a tensor of somebody's program: by a name that stands for it, or by the expression that made it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from minigrad.course.places import Location, Sources
from minigrad.course.stories import Story, Watch
from minigrad.nn import Module, Parameter
from minigrad.tensor import Tensor

LONG = 50  # characters of an expression that are shown
MANY = 1000  # entries of a list that are looked at


class Naming:
    """Names in the scopes of a program, the innermost scope first."""

    def __init__(self, seen: Watch, sources: Sources, scopes: list[dict[str, Any]]):
        self.seen, self.sources, self.scopes = seen, sources, scopes

    def name(self, story: Story) -> str:
        """`y` if the name stands for this tensor; `y` of line 3 if it did; else the expression that made it."""
        tensor = story.ref() if story.ref else None
        bound = [] if tensor is None else [*self.bound(tensor)]
        place = story.place
        target = self.target(story)
        if bound:
            return f"`{target if target in bound else bound[0]}`"
        if place is None:
            return "a tensor"
        if target:
            return f"`{target}` of {self.sources.at(place)}"
        expression = self.sources.expression(place)
        if expression is None:
            return f"a tensor of {self.sources.at(place)}"
        made = f"`{shortened(expression)}`"
        return f"a tensor inside {made}" if story.inner else made

    def is_bound(self, story: Story) -> bool:
        """True if a name stands for the tensor."""
        tensor = story.ref() if story.ref else None
        return tensor is not None and any(self.bound(tensor))

    def there(self, story: Story) -> str:
        """The name on the line that makes the tensor, where it needs no line."""
        target, name = self.target(story), self.name(story)
        if not target or name.startswith((f"`{target}[", f"`{target}.")):  # the line names what holds the tensor
            return name
        called = self.is_bound(story) and name != f"`{target}`"
        return f"{name} (here called `{target}`)" if called else f"`{target}`"

    def target(self, story: Story) -> str:
        """The name that the line which made the tensor gave to it; "" if it gave none."""
        return self.sources.target(story.place) if story.place and not story.inner else ""

    def owner(self, story: Story) -> Story:
        """The story of the tensor whose memory it shows, if only that one has a name; else its own."""
        tensor = story.ref() if story.ref else None
        if tensor is None or tensor._view is None or any(self.bound(tensor)):
            return story
        base = tensor._view.base
        return self.seen.story(base) if any(self.bound(base)) else story

    def value(self, name: str) -> Any:
        """What a name with dots stands for, as far as it can be known now; None else."""
        first, *inner = name.split(".")
        found = next((scope[first] for scope in self.scopes if first in scope), None)
        for each in inner:
            found = getattr(found, each, None)
        return found

    def holder(self, name: str) -> tuple[str, Any]:
        """Of `state[0]` the name `state` and the list or tuple of tensors that it stands for; else None for it."""
        base, _, index = name.rpartition("[")
        held = self.value(base)
        tensors = isinstance(held, (list, tuple)) and index and all(isinstance(each, Tensor) for each in held)
        return base, held if tensors else None

    def operand(self, story: Story, place: Location) -> str:
        """What the expression of a place calls a tensor that it uses; "" if that cannot be told."""
        tensor = story.ref() if story.ref else None
        known = {self.target(story), *(self.bound(tensor) if tensor is not None else ())}
        called = {ast.unparse(each): sure for each, sure in operands(self.sources.expression(place))}
        possible = [each for each, sure in called.items() if sure and self.may_be(each, story)]
        return next((each for each in called if each in known), possible[0] if len(possible) == 1 else "")

    def may_be(self, name: str, story: Story) -> bool:
        """False if a name, perhaps of a function that has ended, stands for what another line has made."""
        base, entry, _ = name.partition("[")
        value = self.value(base)
        if entry:  # it is assigned to: that a list takes
            return isinstance(value, list)
        return value is None or (isinstance(value, Tensor) and self.seen.story(value).place == story.place)

    def bound(self, tensor: Tensor) -> Iterator[str]:
        """Every name that stands for a tensor: of variables first, then of what is in objects."""
        parameters = isinstance(tensor, Parameter)  # a loop over them gives them names that tell nothing
        for of_objects in (parameters, not parameters):
            for scope in self.scopes:
                for name, value in [*scope.items()]:
                    found = inside(name, value) if of_objects else [(name, value)]
                    yield from (full for full, each in found if each is tensor and not name.startswith("__"))


def inside(name: str, value: Any, deeper: int = 2) -> Iterator[tuple[str, Tensor]]:
    """The tensors that an object holds, under the names that a program would use."""
    for full, each in parts(name, value):
        if isinstance(each, Tensor):
            yield full, each
        elif deeper and (isinstance(each, (Module, list, tuple, dict)) or type(each).__module__ == "__main__"):
            yield from inside(full, each, deeper - 1)


def operands(node: ast.AST | None, sure: bool = True) -> Iterator[tuple[ast.expr, bool]]:
    """The names that an expression is computed from; with each if it can be nothing but a value, as no module can."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and all(
        isinstance(each, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context))
        for each in ast.walk(node)
    ):
        yield node, sure
    elif isinstance(node, ast.Call):
        yield from operands(getattr(node.func, "value", None), sure=False)
        for each in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from operands(each)
    elif node is not None:
        for inner in ast.iter_child_nodes(node):
            yield from operands(inner, sure)


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds at once; of a module, what it and its layers have registered or keep otherwise."""
    if isinstance(value, Module):
        yield from ((dotted(name, inner), each) for inner, each in [*value.named_parameters(), *value.named_buffers()])
        for inner, layer in value.named_modules():
            yield from parts_of_object(dotted(name, inner), layer)
    elif isinstance(value, (list, tuple)) and not isinstance(next(iter(value), None), (int, float)):  # no data
        yield from ((f"{name}[{index}]", each) for index, each in enumerate(value[:MANY]))
    elif isinstance(value, dict):
        yield from ((f"{name}[{key!r}]", each) for key, each in [*value.items()][:MANY] if isinstance(key, (str, int)))
    elif not isinstance(value, (ModuleType, type, Tensor, FunctionType)) and hasattr(value, "__dict__"):
        yield from parts_of_object(name, value)


def parts_of_object(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object."""
    yield from ((f"{name}.{inner}", each) for inner, each in [*vars(value).items()] if not inner.startswith("_"))


def shortened(expression: Any) -> str:
    """An expression as text; of a long one only the outermost operation, with dots for what it is applied to."""
    if len(whole := ast.unparse(expression)) <= LONG:
        return whole
    made, inside = copy.copy(expression), ast.Name("(…)")
    if isinstance(made, ast.Call):
        made.args, made.keywords, made.func = [ast.Name("…")] * bool(made.args), [], copy.copy(made.func)
    owner = getattr(made, "func", made)
    if isinstance(owner, (ast.Attribute, ast.Subscript)) and len(ast.unparse(made)) > LONG:
        owner.value = inside
    if isinstance(made, ast.BinOp):
        longest = max(("left", "right"), key=lambda side: len(ast.unparse(getattr(made, side))))
        setattr(made, longest, inside)
    text = ast.unparse(made)
    return text if len(text) <= LONG else text[: LONG - 1] + "…"


def dotted(name: str, inner: str) -> str:
    """What `inner` of a module is called in a program: a layer that has a number stands in brackets."""
    return name + "".join(f"[{each}]" if each.isdecimal() else f".{each}" for each in inner.split(".") if each)


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 element`, `3 elements`."""
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def attributes(node: ast.AST | None) -> set[str]:
    """The names of all attributes and functions in a piece of a program."""
    names = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)} if node else set()
    return names | ({each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node else set())


def holders(statement: Any) -> set[str]:
    """The names of the variables that a statement assigns to, or appends to."""
    if isinstance(statement, ast.Assign):
        return {each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    if isinstance(statement, ast.AugAssign):
        return {statement.target.id} if isinstance(statement.target, ast.Name) else set()
    call = getattr(statement, "value", None)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return {call.func.value.id} if call.func.attr in ("append", "extend", "insert") else set()
    return set()


def asked_with(asks: ast.AST | None) -> tuple[ast.expr | None, ast.expr | None]:
    """What a pass starts from and the gradient it is given, as the program writes them; None if it cannot be seen."""
    if not isinstance(asks, ast.Call):
        return None, None
    owner = getattr(asks.func, "value", None)
    if last_word(asks.func) == "grad":
        found = asks.args[:1], asks.args[2:3]
    elif last_word(owner) == "autograd":
        found = asks.args[:1], asks.args[1:2]
    else:
        found = [owner] if isinstance(owner, ast.expr) else [], asks.args[:1]
    words = {each.arg: each.value for each in asks.keywords}
    starts = [words[each] for each in ("outputs", "tensors") if each in words]
    given = [words[each] for each in ("gradient", "grad_outputs", "grad_tensors") if each in words]
    return alone([*starts, *found[0]]), alone([*given, *found[1]])


def alone(found: list[ast.expr]) -> ast.expr | None:
    """The first of some expressions, or the only one in that if it is a list; None if there is none, or several."""
    for each in found:
        inside = each.elts if isinstance(each, (ast.List, ast.Tuple)) else [each]
        return inside[0] if len(inside) == 1 and not isinstance(inside[0], ast.Starred) else None
    return None


def last_word(name: ast.AST | None) -> str:
    """The last word of a name with dots."""
    return getattr(name, "attr", getattr(name, "id", ""))
