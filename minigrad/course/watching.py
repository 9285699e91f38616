"""Watch a program while it runs: where each tensor was made, changed, freed or cut off, by line of that program.

The engine is not changed for this. In a `watch()` block a few of its functions, which it looks up in their modules at
each call, note what they were called for, then do what they always do. The fast path, which avoids them, is off.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import sys
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from minigrad import leaf, scalar
from minigrad.autograd import function
from minigrad.compat import checks
from minigrad.compat.tensor_protocols import TensorBase
from minigrad.course.places import Location, is_program, place_of, program_frame
from minigrad.optim import Optimizer
from minigrad.runtime import array_ops, fastpath, inplace, passes, record, state
from minigrad.tensor import Tensor

MANY = 1000  # changes of one memory that are kept
TENSOR: Any = importlib.import_module("minigrad.tensor")  # `minigrad.tensor` itself is the function


@dataclasses.dataclass(eq=False)
class Story:
    """What is known about one tensor. `how` names the engine's functions that made it, the one called first first."""

    place: Location | None = None
    how: tuple[str, ...] = ()
    inputs: tuple[Use, ...] = ()
    recorded: bool = True  # whether operations were recorded then
    kind: str = "f"  # numpy's letter for its dtype
    shape: tuple[int, ...] = ()
    inner: bool = False  # True if the engine made more in the same call: this is not what the call returned
    through: bool = False  # True if an operation that was recorded had made it when it was used
    flags: list[tuple[Location | None, str]] = dataclasses.field(default_factory=list)  # where it lost requires_grad
    ref: Any = None  # a weak reference to the tensor


@dataclasses.dataclass(frozen=True, eq=False)
class Use:
    """A tensor as an operation found it: its story, and whether it required grad then."""

    story: Story
    required: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf that a pass has reached, and how many have added to its `.grad` since that was last cleared."""

    ref: Any  # a weak reference
    added: int


@dataclasses.dataclass(frozen=True, eq=False)
class Change:
    """A change in place, which made `version` of the memory; through the tensor of `story`, a view of `base` if any."""

    version: int
    place: Location | None
    how: tuple[str, ...]
    story: Story | None
    base: Story | None
    inputs: tuple[Use, ...]
    recorded: bool
    number: int  # between those of the nodes made before and after it


class Memory(list):
    """A version counter that remembers who turned it."""

    changes: list[Change]

    def __setitem__(self, index: Any, version: Any) -> None:
        super().__setitem__(index, version)
        watch = Watch.active
        if watch is not None:
            watch.changed(self, version)


@dataclasses.dataclass(frozen=True, eq=False)
class Pass:
    """A backward pass: where it was started, and a number between those of the nodes made before and after it."""

    place: Location | None
    number: int
    root: Any  # the number of the node that it starts from


class Watch:
    """Everything noted in one block."""

    active: Watch | None = None

    def __init__(self) -> None:
        self.stories: dict[int, Story] = {}
        self.nodes: weakref.WeakKeyDictionary[Any, tuple[Location | None, Story | None]] = weakref.WeakKeyDictionary()
        self.freed: weakref.WeakKeyDictionary[Any, Pass] = weakref.WeakKeyDictionary()
        # of a node that was freed: the version counters of what it had kept
        self.held: weakref.WeakKeyDictionary[Any, list] = weakref.WeakKeyDictionary()
        self.passes: list[Pass] = []
        self.missing: tuple[Location | None, Tensor] | None = None  # the last `.grad` that was None
        self.warned: list[tuple[Location | None, Tensor]] = []  # non-leaves whose `.grad` was asked for
        self.latest: tuple[FrameType | None, Story] = None, Story()  # the engine's outermost frame; what it made last
        self.numbers: list[tuple[Location | None, Story]] = []  # where numbers were taken out of a graph
        self.leaves: dict[int, Leaf] = {}  # those that a pass reached
        # by file and line: where a step was called, and whether its optimizer has ever found a gradient there
        self.steps: dict[tuple[str, int], tuple[Location, bool]] = {}
        self.idle: dict[int, Location] = {}  # by id: where the optimizers were made that have taken no step
        self.root: Story | None = None  # of what the last pass started from

    def story(self, tensor: Tensor) -> Story:
        """The story of a tensor, empty if it was not seen being made."""
        found = self.stories.get(id(tensor))
        if found is None or found.ref() is not tensor:
            found = Story(shape=tuple(tensor._array.shape), kind=tensor._array.dtype.kind)
            self.note(tensor, found)
        return found

    def was_reached(self, tensor: Tensor) -> bool:
        """True if a pass has come to the leaf."""
        found = self.leaves.get(id(tensor))
        return found is not None and found.ref() is tensor

    def sum_of(self, tensor: Tensor) -> int:
        """How many passes have added to what is in the `.grad` of the leaf."""
        return self.leaves[id(tensor)].added if tensor._grad is not None and self.was_reached(tensor) else 0

    def note(self, tensor: Tensor, story: Story) -> None:
        """Remember the story of a tensor for as long as the tensor is there."""
        key, stories = id(tensor), self.stories

        def forget(gone: Any) -> None:
            if key in stories and stories[key].ref is gone:
                del stories[key]

        story.ref = weakref.ref(tensor, forget)
        stories[key] = story

    def used(self, values: Any) -> tuple[Use, ...]:
        """The tensors among some values, and in lists of them."""
        found: list[Use] = []
        for each in values:
            for one in each if isinstance(each, (list, tuple)) else (each,):
                if isinstance(one, Tensor):
                    story, required = self.story(one), bool(one.requires_grad)
                    story.through = story.through or (required and not one.is_leaf)
                    found.append(Use(story, required))
        return tuple(found)

    def call(
        self, frame: FrameType, entry: FrameType | None
    ) -> tuple[Location | None, tuple[str, ...], tuple[Use, ...]]:
        """Where the program called the engine, through which functions from `entry` on, and with which tensors."""
        how: list[str] = []
        above: FrameType | None = frame
        while above is not None and not is_program(above.f_code.co_filename):
            how.append(above.f_code.co_name)
            above = above.f_back
        place = place_of(above)
        given: list = []
        if entry is not None:
            code = entry.f_code
            count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
            names = code.co_varnames[:count]
            values = [entry.f_locals.get(name) for name in names]
            for each in values:
                given += [*each.values()] if type(each) is dict else [each]
        return place, tuple(reversed(how)), self.used(given)

    def made(self, tensor: Tensor, frame: FrameType) -> None:
        """A tensor was made."""
        if state.running or not isinstance(tensor, Tensor):
            return
        _, entry = program_frame(frame)
        place, how, inputs = self.call(frame, entry)
        before, last = self.latest
        last.inner = last.inner or (before is entry and last.place == place)
        story = Story(place, how, inputs, leaf.recording, tensor._array.dtype.kind, tuple(tensor._array.shape))
        self.note(tensor, story)
        self.latest = entry, story

    def applied(self, operation: Any, inputs: tuple, result: Any) -> None:
        """An operation was applied: now its inputs are known exactly."""
        uses = self.used(inputs)
        for each in result if type(result) is tuple else (result,):
            story = self.story(each)
            if all(
                use.story is not story for use in uses
            ):  # else it was changed in place, which is noted with its memory
                story.inputs = uses
            place = each._made_by
            node = getattr(place, "edges", (None,))[0] if type(place).__name__ == "Output" else place
            if node is not None:
                self.nodes[node] = (self.nodes.get(node, (story.place, None))[0], story)

    def changed(self, memory: Memory, version: int) -> None:
        """A memory was changed in place."""
        if state.running:
            return
        frame: FrameType | None = sys._getframe(2)
        place, how, inputs = self.call(sys._getframe(2), program_frame(frame)[1])
        story = base = None
        while frame is not None and story is None and not is_program(frame.f_code.co_filename):
            for name in ("tensor", "self", "row", "each", "input"):
                value = frame.f_locals.get(name)
                if isinstance(value, Tensor) and value._counter is memory:
                    story = self.story(value)
                    base = self.story(value._view.base) if value._view else None
                    break
            frame = frame.f_back
        if len(memory.changes) < MANY:
            number = next(state.numbers)
            memory.changes.append(Change(version, place, how, story, base, inputs, leaf.recording, number))


@contextlib.contextmanager
def watch() -> Iterator[Watch]:
    """Watch everything that runs in the block, and the passes that it starts."""
    seen = Watch()
    with contextlib.ExitStack() as undo:
        undo.enter_context(fastpath.off())
        for owner, name, replace in _SEAMS:
            stored = vars(owner)[name]
            setattr(owner, name, replace(seen, stored))
            undo.callback(setattr, owner, name, stored)
        Watch.active = seen
        undo.callback(setattr, Watch, "active", None)
        yield seen


def _constant(seen: Watch, stored: Any) -> Any:
    def constant(array: Any) -> Tensor:
        made: Tensor = stored(array)
        seen.made(made, sys._getframe(1))
        return made

    return constant


def _of(seen: Watch, stored: Any) -> Any:
    def of(cls: Any, array: Any, requires_grad: bool = False) -> Any:
        made = stored.__func__(cls, array, requires_grad)
        seen.made(made, sys._getframe(1))
        return made

    return classmethod(of)


def _apply(seen: Watch, stored: Callable) -> Callable:
    def apply(operation: Any, inputs: tuple, settings: dict) -> Any:
        result = stored(operation, inputs, settings)
        if not state.running:
            seen.applied(operation, inputs, result)
        return result

    return apply


def _take_place(seen: Watch, stored: Callable) -> Callable:
    def take_place(node: Any, shape: Any, dtype: Any) -> None:
        stored(node, shape, dtype)
        seen.nodes[node] = (place_of(sys._getframe(1)), None)

    return take_place


def _rebase(seen: Watch, stored: Callable) -> Callable:
    def rebase(tensor: Tensor, node: Any) -> None:
        stored(tensor, node)
        seen.nodes[node] = (place_of(sys._getframe(1)), seen.story(tensor))

    return rebase


def _counter(seen: Watch, stored: Callable) -> Callable:
    def counter(tensor: Tensor) -> list[int]:
        if tensor._counter is None:
            tensor._counter = Memory([0])
            tensor._counter.changes = []
        return tensor._counter

    return counter


def _walk(seen: Watch, stored: Callable) -> Callable:
    def walk(root: Any, *given: Any, **named: Any) -> dict:
        number = getattr(root, "number", None)
        seen.passes.append(Pass(place_of(sys._getframe(1)), next(state.numbers), number))
        seen.root = None if number is None else seen.nodes.get(root, (None, None))[1]
        return stored(root, *given, **named)

    return walk


def _free(seen: Watch, stored: Callable) -> Callable:
    def free(node: Any, retain_graph: bool) -> None:
        held = node.saved
        stored(node, retain_graph)
        if held and not retain_graph and seen.passes:
            seen.freed[node] = seen.passes[-1]
            if type(held) is tuple:
                seen.held[node] = [leaf.counter(each) for each in held if hasattr(each, "_counter")]

    return free


def _receive(seen: Watch, stored: Callable) -> Callable:
    def receive(tensor: Tensor, total: Any) -> None:
        kept, known = tensor._grad, seen.leaves.get(id(tensor))
        added = known.added if known and known.ref() is tensor and kept is not None and kept._array.any() else 0
        stored(tensor, total)
        seen.leaves[id(tensor)] = Leaf(weakref.ref(tensor), added + 1)

    return receive


def _grad(seen: Watch, stored: Any) -> Any:
    def grad(self: Tensor) -> Tensor | None:
        found = stored.fget(self)
        if found is None:
            place = place_of(sys._getframe(1))
            seen.missing = place, self
        return found

    return property(grad, stored.fset, stored.fdel, stored.__doc__)


def _warn(seen: Watch, stored: Callable) -> Callable:
    def warn(text: str, category: type[Warning] = UserWarning) -> None:
        subject = sys._getframe(1).f_locals.get("self")
        if isinstance(subject, Tensor):
            seen.warned.append((place_of(sys._getframe(1)), subject))
        stored(text, category)

    return warn


def _keep(seen: Watch, stored: Callable) -> Callable:
    def keep(node: Any, ctx: Any, results: tuple) -> None:
        stored(node, ctx, results)
        seen.nodes[node] = (place_of(sys._getframe(1)), None)

    return keep


def _number(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def number(self: Tensor, *given: Any, **named: Any) -> Any:
        if not state.running:
            story = seen.story(self)
            cut = [use.story for use in story.inputs if use.required]  # as in `x.detach().numpy()`
            if self.requires_grad or cut:
                seen.numbers.append((place_of(sys._getframe(1)), story if self.requires_grad else cut[0]))
        return stored(self, *given, **named)

    return number


def _flag(seen: Watch, stored: Callable) -> Callable:
    def set_requires_grad(tensor: Tensor, flag: bool) -> None:
        required = tensor.requires_grad
        stored(tensor, flag)
        if required and not flag:
            seen.story(tensor).flags.append((place_of(sys._getframe(1)), "requires_grad"))

    return set_requires_grad


def _detach_(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def detach_(self: Tensor) -> Tensor:
        required, result = self.requires_grad, stored(self)
        if required:
            seen.story(self).flags.append((place_of(sys._getframe(1)), "detach_"))
        return result

    return detach_


def _made(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def made(self: Optimizer, *given: Any, **named: Any) -> None:
        stored(self, *given, **named)
        place = place_of(sys._getframe(1))
        if place is not None and type(self).step is Optimizer.step:  # a program's own step is not seen
            seen.idle[id(self)] = place

    return made


def _step(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def step(self: Optimizer, *given: Any, **named: Any) -> Any:
        seen.idle.pop(id(self), None)
        result = stored(self, *given, **named)
        place = place_of(sys._getframe(1))
        if place is not None:
            key = place.file, place.line
            grads = [each._grad for group in self.param_groups for each in group["params"]]
            found = any(each is not None for each in grads)
            seen.steps[key] = place, found or seen.steps.get(key, (place, False))[1]
        return result

    return step


_SEAMS: tuple[tuple[Any, str, Callable], ...] = (
    (Tensor, "_of", _of),
    (Tensor, "grad", _grad),
    (Optimizer, "__init__", _made),
    (Optimizer, "step", _step),
    (Tensor, "detach_", _detach_),
    (TensorBase, "item", _number),
    (TensorBase, "tolist", _number),
    (Tensor, "__float__", _number),
    (Tensor, "numpy", _number),
    (function.Node, "keep", _keep),
    (checks, "set_requires_grad", _flag),
    (inplace, "rebase", _rebase),
    (leaf, "counter", _counter),
    (leaf, "free", _free),
    (leaf, "receive", _receive),
    (passes, "walk", _walk),
    (record, "take_place", _take_place),
    (scalar, "apply", _apply),
    (TENSOR, "warn", _warn),
    (array_ops, "constant", _constant),
)
