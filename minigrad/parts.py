"""The one door into the engine for whoever swaps or watches a part of it.

`replace` puts something in place of a part until it is undone. `observe` tells a listener what happens in graphs and
passes. `count` counts the calls of parts. Nothing else may set an attribute of the engine from outside.

Nothing in the engine knows this module, and no line of it asks whether somebody watches: while nothing is replaced or
observed, every attribute is the engine's own object. What is watched, or repeated by the fast path, goes through the
general methods meanwhile. All of it holds for all threads.

A part can be swapped if it is looked up in its module when it is called: the chapters' classes and functions are, and
so is whatever is written `module.name`.

>>> import minigrad as torch
>>> def ours(leaf, grad):
...     leaf._grad = grad * 100
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> with replace("leaf.accumulate", ours):
...     x.sum().backward()
>>> x.grad
tensor([100., 100.])
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import inspect
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, ClassVar, TypeAlias, TypeGuard

from minigrad import ops
from minigrad.compat.unsupported import Absent
from minigrad.graph import hooks, nodes, state
from minigrad.ops import lazy
from minigrad.passing import fastpath, passes
from minigrad.tensor import Tensor, Value

ROOT = __name__.rpartition(".")[0]

# Where a part is: "scalar.Mul" in the engine's modules, "hypot" for an operation (the method and the function of that
# name), or a class with the name of its attribute.
Place: TypeAlias = str | tuple[type, str]

# The fast path looks the chapters' parts up as everybody does, but it repeats the lines of these. It may repeat those
# of any other module too, and those of the methods of operations.
CHAPTERS = ("scalar", "upstream", "jacobian", "leaf")
CHANGES = ("leaf.change", "leaf.write", "leaf.take_over", "leaf.counter", "leaf.count_change")
REPEATED = ("scalar.apply", "leaf.free", *CHANGES)


# --- what is in a place --------------------------------------------------------------------------


class _Missing:
    """Where nothing is stored, because the name is inherited or new."""


MISSING = _Missing()


@dataclasses.dataclass(eq=False)
class Layer:
    """What somebody put into a slot: a value, or a wrapper around the value."""

    content: Any


class Slot:
    """An attribute (of a dict: an entry) that is replaced or observed, and what was there: put back with the last."""

    known: ClassVar[dict[tuple[int, str], Slot]] = {}

    def __init__(self, owner: Any, name: str):
        self.owner, self.name = owner, name
        self.first = self.stored()
        self.values: list[Layer] = []
        self.wrappers: list[Layer] = []

    @classmethod
    def of(cls, owner: Any, name: str) -> Slot:
        """The slot for a name of an owner."""
        return cls.known.setdefault((id(owner), name), cls(owner, name))

    def stored(self) -> object:
        """What is there now, as it is stored: a classmethod, not its bound form."""
        if self.name in ("__name__", "__qualname__"):  # of a class they are not in its dict
            return getattr(self.owner, self.name)
        inside = self.owner if isinstance(self.owner, dict) else vars(self.owner)
        return inside.get(self.name, MISSING)

    def put(self, value: object) -> None:
        """Store a value as it is."""
        if isinstance(self.owner, dict):
            if value is MISSING:
                self.owner.pop(self.name, None)
            else:
                self.owner[self.name] = value
        elif value is not MISSING:
            setattr(self.owner, self.name, value)
        elif self.name in vars(self.owner):
            delattr(self.owner, self.name)

    def settle(self) -> None:
        """Put in place what is due: the newest value, or what was there first, in all its wrappers."""
        value = self.values[-1].content if self.values else self.first
        if self.wrappers and value is MISSING:
            value = next(vars(above)[self.name] for above in self.owner.__mro__[1:] if self.name in vars(above))
        for layer in self.wrappers:
            value = _wrapped(value, layer.content)
        self.put(value)
        if not self.values and not self.wrappers:
            del self.known[id(self.owner), self.name]


def _wrapped(stored: Any, around: Callable[[Callable], Callable]) -> Any:
    """What `around` makes of a function; a static or class method stays one."""
    if isinstance(stored, staticmethod | classmethod):
        return type(stored)(_wrapped(stored.__func__, around))
    return functools.wraps(stored, updated=())(around(stored))


class General:
    """The general methods, which are used as long as somebody needs them: the fast path is off."""

    def __init__(self) -> None:
        self.users = 0
        self.end = contextlib.ExitStack()

    def __enter__(self) -> None:
        if not self.users:
            self.end.enter_context(fastpath.off())
        self.users += 1

    def __exit__(self, *error: object) -> None:
        self.users -= 1
        if not self.users:
            self.end.close()


general = General()


class Change:
    """What was put into the engine, until `undo`, which a `with` block calls at its end."""

    _lock = threading.RLock()

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Change:
        return self

    def __exit__(self, *error: object) -> None:
        self.undo()

    def undo(self) -> None:
        """Take it out again, whatever else was put there meanwhile; a second call does nothing."""
        with self._lock:
            self._stack.close()

    def add(self, owner: Any, name: str, value: object = MISSING, around: Callable | None = None) -> None:
        """Put a value into a slot, or a wrapper around what it holds."""
        with self._lock:
            slot = Slot.of(owner, name)
            layers, layer = (slot.wrappers, Layer(around)) if around else (slot.values, Layer(value))
            layers.append(layer)
            self._stack.callback(self._remove, slot, layers, layer)
            slot.settle()

    @staticmethod
    def _remove(slot: Slot, layers: list[Layer], layer: Layer) -> None:
        layers.remove(layer)
        slot.settle()

    def go_general(self) -> None:
        """Keep the fast path off as long as the change lasts."""
        with self._lock:
            self._stack.enter_context(general)


# --- replacing -----------------------------------------------------------------------------------


def replace(place: Place, value: Any, *, node: str = "", missing_ok: bool = False) -> Change:
    """Put `value` in place of a part: at once, until `undo()` or the end of the `with` block.

    `place` is "scalar.Mul", "scalar.Mul.backward" or "leaf.accumulate": the path of a class, method or function in the
    engine. A name alone, as "hypot", is an operation: `Tensor.hypot` and `torch.hypot` apply `value`, a Function or a
    plain function. `(owner, "name")` is an attribute of a class that the engine has no path for.

    Replacements nest, and may be undone in any order: the newest is in place, and the last to go leaves what was there.
    The nodes of a Function take the name `node`, or else that of the operation whose place it takes. LookupError for a
    part that the engine does not have, unless `missing_ok`: then it has one for as long.
    """
    change = Change()
    with contextlib.ExitStack() as undo:
        undo.enter_context(change)
        if isinstance(place, str) and "." not in place:
            _replace_operation(change, place, value, missing_ok)
            before: Any = None
        else:
            owner, name = _found(place, missing_ok)
            before = inspect.getattr_static(owner, name, None)
            if is_repeated(place):
                change.go_general()
            change.add(owner, name, value)
        if _is_operation(value):
            name = node or (before.node.__name__ if _is_operation(before) else "")
            for item in ("__name__", "__qualname__") if name else ():
                change.add(value.node, item, name)
        undo.pop_all()
    return change


def is_repeated(place: Place) -> bool:
    """True if the fast path may repeat the lines of a part, so that it is off while the part is replaced."""
    if isinstance(place, str) and "." not in place:
        return False  # an operation is called as everybody calls it
    owner, name = _found(place, missing_ok=True)
    module = owner.__name__.removeprefix(f"{ROOT}.")
    return module not in CHAPTERS or f"{module}.{name}" in REPEATED


def _replace_operation(change: Change, name: str, value: Callable, missing_ok: bool) -> None:
    """Replace a method of Tensor and a function of `torch.`, or the one of them that there is."""
    is_function = name in ops.functions
    if is_function:
        ops.functions[name]  # loads its module
    method = vars(Tensor).get(name)
    if isinstance(method, lazy.Method):
        getattr(Tensor, name)  # the same
    is_method = method is not None and not isinstance(method, Absent)
    if not (is_function or is_method or missing_ok):
        raise _unknown(name, name, (*ops.functions.names(), *vars(Tensor)))
    call = ops.call_of(name, value)
    if is_function or not is_method:
        change.add(ops.functions, name, call)
    if is_method or not is_function:
        change.add(Tensor, name, call)


def _is_operation(value: object) -> TypeGuard[type[nodes.Operation]]:
    return isinstance(value, type) and issubclass(value, nodes.Operation)


def _found(place: Place, missing_ok: bool = False) -> tuple[Any, str]:
    """The module or class that has a part, and the part's name in it. LookupError if there is no such part."""
    owner, name = _owner(place) if isinstance(place, str) else place
    if not (missing_ok or hasattr(owner, name)):
        raise _unknown(place, name, vars(owner))
    return owner, name


def _owner(place: str) -> tuple[Any, str]:
    """What has a part, although maybe not this one. LookupError if there is no such module or class."""
    *steps, name = place.removeprefix(f"{ROOT}.").split(".")
    owner: Any = importlib.import_module(ROOT)
    for step in steps:
        inner = _module_in(owner, step) if hasattr(owner, "__path__") else None
        if inner is None and not hasattr(owner, step):
            raise _unknown(place, step, vars(owner))
        owner = getattr(owner, step) if inner is None else inner
    return owner, name


def _module_in(package: ModuleType, name: str) -> ModuleType | None:
    path = f"{package.__name__}.{name}"
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        return None


def _unknown(place: Place, name: str, names: Iterable[str]) -> LookupError:
    """The error for a part that is not there: `name` is not among `names`."""
    import difflib  # here, because nothing else needs it

    path = place if isinstance(place, str) else f"{place[0].__name__}.{place[1]}"
    close = difflib.get_close_matches(name, names, 1)
    return LookupError(f"The engine has no part {path!r}.{f' Did you mean {close[0]}?' if close else ''}")


# --- observing -----------------------------------------------------------------------------------


class Listener:
    """What `observe` tells. Override what you want to hear: the rest is not watched."""

    def node_made(self, node: nodes.Node, inputs: tuple, results: tuple) -> None:
        """A node is in the graph. `inputs` are what its operation was applied to, `results` the Tensors that it made;
        both are empty for a node that stands for a changed base, or for a view that was taken again.
        """

    def tensor_changed(self, tensor: Tensor) -> None:
        """The memory of a tensor was changed in place, and its version counted."""

    def pass_begins(self, roots: tuple) -> None:
        """A backward pass begins at these nodes, or leaves."""

    def node_visited(self, node: nodes.Node, grad_inputs: tuple, grad_outputs: tuple) -> None:
        """A node has run: the gradients that it sends on, one for each input, and those that had arrived, one for each
        result; Tensors, or None. Hooks have seen the first, and not yet the second.
        """

    def gradient_received(self, leaf: Tensor, grad: Tensor) -> None:
        """The sum of all that a pass sends to a leaf is there; hooks have not seen it, and `leaf.grad` is still the
        earlier one.
        """

    def node_freed(self, node: nodes.Node) -> None:
        """A node has dropped what it had saved."""

    def pass_ends(self, roots: tuple) -> None:
        """The pass is over, maybe with an error."""


def observe(listener: object) -> Change:
    """Tell a listener, in its methods with the names of those of `Listener`, what happens in graphs and passes: from
    now on, until `undo()` or the end of the `with` block. What these methods compute is observed as well, and an error
    in one of them stops the program. TypeError for a listener that has none of them.
    """
    silent = [getattr(Listener, event) for event in WATCHED]
    heard = {event: getattr(listener, event, None) for event in WATCHED}
    heard = {event: tell for event, tell in heard.items() if tell and getattr(tell, "__func__", tell) not in silent}
    if not heard:
        raise TypeError(f"{type(listener).__name__} has no method for an event: {', '.join(WATCHED)}")
    change = Change()
    with contextlib.ExitStack() as undo:
        undo.enter_context(change)
        change.go_general()
        for event, tell in heard.items():
            for place, around in WATCHED[event]:
                change.add(*_found(place), around=functools.partial(around, tell))
        undo.pop_all()
    return change


@contextlib.contextmanager
def count(places: Mapping[str, Place]) -> Iterator[Counter[str]]:
    """Count in the block how often functions and methods are called, each under the name that it has in `places`.
    LookupError for one that the engine does not have, TypeError for a class.
    """
    calls: Counter[str] = Counter()

    def counted(part: str, function: Callable) -> Callable:
        def call(*args: object, **kwargs: object) -> object:
            calls[part] += 1
            return function(*args, **kwargs)

        return call

    with Change() as change:
        change.go_general()
        for part, place in places.items():
            owner, name = _found(place)
            if isinstance(getattr(owner, name), type):
                raise TypeError(f"{name} is a class: count the calls of one of its methods")
            change.add(owner, name, around=functools.partial(counted, part))
        yield calls


# Each function here gets what tells of an event and a function of the engine, and gives what stands around the latter.


def _applied(tell: Callable, apply: Callable) -> Callable:
    def around(cls: type, *inputs: object, **settings: object) -> object:
        result = apply(cls, *inputs, **settings)
        _tell_made(tell, inputs, result if isinstance(result, tuple) else (result,))
        return result

    return around


def _handed_over(tell: Callable, hand_over: Callable) -> Callable:
    def around(ctx: object, node: nodes.Node | None, tensors: list, results: tuple) -> tuple:
        handed = hand_over(ctx, node, tensors, results)
        if node is not None:
            tell(node.owner, tuple(tensors), tuple([item for item in handed if isinstance(item, Tensor)]))
        return handed

    return around


def _tell_made(tell: Callable, inputs: tuple, results: tuple) -> None:
    """Tell of the node that made these results, if one did."""
    made = tuple([result for result in results if isinstance(result, Tensor)])
    place = next((item._made_by for item in made if item._made_by is not None), None)
    if place is not None:
        tell(place.owner, inputs, made)


def _adopted(tell: Callable, adopt: Callable) -> Callable:
    def around(node: nodes.Node, *details: object) -> None:
        adopt(node, *details)
        tell(node, (), ())

    return around


def _changed(tell: Callable, count_change: Callable) -> Callable:
    def around(tensor: Tensor) -> None:
        count_change(tensor)
        tell(tensor)

    return around


def _accumulated(tell: Callable, accumulate: Callable) -> Callable:
    def around(tensor: Tensor, grad: Tensor) -> object:
        kept = tensor._grad
        version = 0 if kept is None else kept._version
        result = accumulate(tensor, grad)
        if kept is not None and kept._version != version:
            tell(kept)
        return result

    return around


def _begun(tell: Callable, backpropagate: Callable) -> Callable:
    def around(root: nodes.Place | passes.Roots, *args: object, **kwargs: object) -> object:
        tell(_roots(root))
        return backpropagate(root, *args, **kwargs)

    return around


def _ended(tell: Callable, backpropagate: Callable) -> Callable:
    def around(root: nodes.Place | passes.Roots, *args: object, **kwargs: object) -> object:
        try:
            return backpropagate(root, *args, **kwargs)
        finally:
            tell(_roots(root))

    return around


def _roots(root: nodes.Place | passes.Roots) -> tuple:
    """Where a pass begins, as programs see it."""
    places = root.edges if isinstance(root, passes.Roots) else (root,)
    return tuple([place if isinstance(place, Tensor) else place.owner for place in places])


def _visited(tell: Callable, pullback: Callable) -> Callable:
    def around(node: nodes.Operation, grad_output: nodes.Upstream, retain_graph: bool = False) -> list:
        shares = pullback(node, grad_output, retain_graph)
        asked = state.watcher
        if asked is None or node in asked.passed:  # the walk comes by at others as well
            tell(node.owner, hooks.as_tensors(shares), hooks.arrived(node, grad_output))
        return shares

    return around


def _received(tell: Callable, receive: Callable) -> Callable:
    def around(tensor: Tensor, total: Value | None) -> object:
        asked = state.watcher
        if total is not None and (asked is None or asked.needs(tensor)):
            tell(tensor, *hooks.as_tensors([total]))
        return receive(tensor, total)

    return around


def _freed(tell: Callable, run: Callable) -> Callable:
    def around(node: nodes.Operation, *args: object, **kwargs: object) -> object:
        held = node.saved
        result = run(node, *args, **kwargs)
        if held and not node.saved:
            tell(node.owner)
        return result

    return around


WATCHED: dict[str, tuple[tuple[str, Callable], ...]] = {
    "node_made": (
        ("scalar.Function.apply", _applied),
        ("autograd.function.hand_over", _handed_over),  # of a program's own Functions
        ("passing.views.adopt", _adopted),
    ),
    "tensor_changed": (("leaf.count_change", _changed), ("leaf.accumulate", _accumulated)),
    "pass_begins": (("scalar.backpropagate", _begun),),
    "node_visited": (("scalar.Function.pullback", _visited),),
    "gradient_received": (("leaf.receive", _received),),
    "node_freed": (("leaf.free", _freed), ("autograd.function.Node.vjp", _freed)),
    "pass_ends": (("scalar.backpropagate", _ended),),
}
