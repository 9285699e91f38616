"""What is known about the tensors of a program that is watched: how each was made, used and changed, by its lines."""

from __future__ import annotations

import dataclasses
import sys
import weakref
from types import FrameType
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.course.places import Location, is_program, place_of, program_frame
from minigrad.runtime import state
from minigrad.tensor import Tensor

MANY = 1000  # changes of one memory that are kept
# What takes two tensors of which one belongs to the other, element by element.
PAIRED = {"_minus", "sub", "subtract", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}


# What a loss must not be given: a probability.
LOSSES = {"cross_entropy": "softmax", "binary_cross_entropy_with_logits": "sigmoid", "nll_loss": "softmax"}


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


@dataclasses.dataclass(eq=False)
class Leaf:
    """What passes and optimizers have done with a leaf."""

    ref: Any  # a weak reference
    added: int = 0  # passes that have added to its `.grad` since that was last cleared
    flat: bool = False  # whether the last of them brought nothing but zeros
    held: bool = False  # whether an optimizer was made for it
    used: int = 0  # the most passes that had added to its `.grad` when its optimizer took a step
    spent: int = 0  # of the passes that have added, those before the last step of its optimizer
    again: bool = False  # whether a step has found the gradient of a pass that an earlier step had used
    cleared: set[tuple[str, int]] = dataclasses.field(default_factory=set)  # by file and line: the zero_grad() for it


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


@dataclasses.dataclass(frozen=True, eq=False)
class Broken:
    """Where the first nan or inf (`what`) among gradients was made of finite ones: the node's name, and its line."""

    place: Location | None
    label: str
    what: str
    masked: bool  # whether only gradients that are 0 became it


@dataclasses.dataclass(frozen=True, eq=False)
class First:
    """Where an operation made the first nan of numbers that are none, or the first inf of finite ones."""

    place: Location | None
    after: int  # the passes that had been started then
    operation: str
    of: str  # what its inputs held, as `not_finite` says it


def operation_of(story: Story) -> str:
    """The operation that a tensor with a graph comes from, as "sigmoid"; "" for none."""
    tensor = story.ref() if story.ref else None
    return tensor.grad_fn.name().lower().removesuffix("backward0") if tensor is not None and tensor.grad_fn else ""


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
        # the last `.grad` that was None: where it was read, of which tensor, and where it was read first
        self.missing: tuple[Location | None, Tensor, Location | None] | None = None
        self.warned: list[tuple[Location | None, Tensor]] = []  # non-leaves whose `.grad` was asked for
        self.latest: tuple[FrameType | None, Story] = None, Story()  # the engine's outermost frame; what it made last
        self.numbers: list[tuple[Location | None, Story]] = []  # where numbers were taken out of a graph
        self.leaves: dict[int, Leaf] = {}  # those that a pass reached, or that an optimizer has
        self.clears: set[tuple[str, int]] = set()  # by file and line: each zero_grad() that was called
        # by file and line: where a step was called, and whether its optimizer has ever found a gradient there
        self.steps: dict[tuple[str, int], tuple[Location, bool]] = {}
        self.idle: dict[int, Location] = {}  # by id: where the optimizers were made that have taken no step
        self.broken: Broken | None = None
        self.first: dict[str, First] = {}
        self.spread: tuple[Location | None, list[Story]] | None = None  # where a column met a row, and both
        # where a loss was given what it takes itself, or takes no such thing: which loss, and that result
        self.softened: tuple[Location | None, str, Story] | None = None
        self.inside: dict[str, Any] = {}  # the variables of the function that started the last pass
        self.root: Story | None = None  # of what the last pass started from

    def story(self, tensor: Tensor) -> Story:
        """The story of a tensor, empty if it was not seen being made."""
        found = self.stories.get(id(tensor))
        if found is None or found.ref() is not tensor:
            found = Story(shape=tuple(tensor._array.shape), kind=tensor._array.dtype.kind)
            self.note(tensor, found)
        return found

    def leaf(self, tensor: Tensor) -> Leaf:
        """What is known about a leaf; new if nothing was."""
        found = self.leaves.get(id(tensor))
        if found is None or found.ref() is not tensor:
            found = self.leaves[id(tensor)] = Leaf(weakref.ref(tensor))
        return found

    def was_reached(self, tensor: Tensor) -> bool:
        """True if a pass has come to the leaf."""
        return self.leaf(tensor).added > 0

    def sum_of(self, tensor: Tensor) -> int:
        """How many passes have added to what is in the `.grad` of the leaf."""
        return self.leaf(tensor).added if tensor._grad is not None else 0

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
        if self.spread is None and PAIRED.intersection(how):
            pair = [use.story for use in inputs]
            column = [each for each in pair if len(each.shape) == 2 and each.shape[1] == 1 < each.shape[0]]
            if len(pair) == 2 and column and any(each.shape == column[0].shape[:1] for each in pair):
                self.spread = place, sorted(pair, key=lambda each: -len(each.shape))
        if self.softened is None and (loss := next((each for each in how if each in LOSSES), "")):
            soft = [use.story for use in inputs if LOSSES[loss] in (*use.story.how, operation_of(use.story))]
            self.softened = (place, loss, soft[0]) if soft else None
        before, last = self.latest
        last.inner = last.inner or (before is entry and last.place == place)
        story = Story(place, how, inputs, leaf.recording, tensor._array.dtype.kind, tuple(tensor._array.shape))
        self.note(tensor, story)
        self.latest = entry, story

    def applied(self, operation: Any, inputs: tuple, result: Any) -> None:
        """An operation was applied: now its inputs are known exactly."""
        uses = self.used(inputs)
        what = not_finite(result)
        if what and what not in self.first and (held := not_finite(inputs)) not in ("nan", what):
            self.first[what] = First(place_of(sys._getframe(1)), len(self.passes), operation.__name__, held)
        for each in result if type(result) is tuple else (result,):
            story = self.story(each)
            if all(use.story is not story for use in uses):  # else it was changed in place, noted with its memory
                story.inputs = *uses, *(use for use in story.inputs if use.story.kind != "f")  # an index among them
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


def not_finite(value: Any) -> str:
    """Of an array, a Tensor, or several: "nan" if they hold it; "inf" if they hold that; else nothing."""
    if isinstance(value, (tuple, list)):
        return max(map(not_finite, value), default="")
    array = np.asarray(getattr(value, "_array", value))
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return ""
    return "nan" if np.isnan(array).any() else "inf"
