"""`memory`: tensors as names on strips of memory, the version that counts changes, and the padlocks of the nodes."""

from __future__ import annotations

import dataclasses
import textwrap
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, NotRequired, TypedDict

import numpy as np

import minigrad
from minigrad import leaf, parts
from minigrad.graph.nodes import Node
from minigrad.scalar import Function
from minigrad.tensor import Tensor
from minigrad_course.chapters.attempt import first_sentence
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.shown import Shown
from minigrad_course.programs.program import compiled

CELL, HIGH, ACROSS, WIDE = 56, 32, 400, 980  # pixels of the still picture


class Named(TypedDict):
    """A name on a strip, and the numbers that it names, by their places."""

    name: str
    at: list[int]


class Count(TypedDict):
    """A version, and the names of the tensors that share it."""

    version: int
    names: list[str]


class LockData(TypedDict):
    """A lock as JSON."""

    node: str
    name: str
    at: list[int]
    state: str
    say: str


class Strip(TypedDict):
    """One memory."""

    number: int
    cells: list[str]
    changed: list[int]
    names: list[Named]
    counts: list[Count]
    uncounted: list[str]
    locks: list[LockData]


class Frame(TypedDict):
    """What is to be seen after a line: everything with a name or a lock on it."""

    strips: list[Strip]
    line: int
    say: str
    end: NotRequired[dict[str, str]]


MARKS = {"right": "✓", "wrong": "✗", "refused": "!"}


BEGIN = "x = torch.tensor([1., 2., 3.], requires_grad=True)\ny = x * 2\n"
SAVED, END = BEGIN + "z = y ** 2\n", "\nz.sum().backward()"
PROGRAMS = {
    "y += 1, then saved": BEGIN + "y += 1\nz = y ** 2" + END,
    "saved, then y += 1": SAVED + "y += 1" + END,
    "saved, then y = y + 1": SAVED + "y = y + 1" + END,
    "another part of y": BEGIN + "last = y[2:]\nz = last ** 2\ny[0] = 0" + END,
    "y.detach()": SAVED + "d = y.detach()\nd += 1" + END,
    "y.data": SAVED + "d = y.data\nd += 1" + END,
    "y.detach().numpy()": SAVED + "n = y.detach().numpy()\nn += 1" + END,
}


def memory(programs: Mapping[str, str] = PROGRAMS) -> Memory:
    """Run programs of plain torch on minigrad, line by line, and show what lies where after each line.

    `programs`: the name of a choice -> lines of torch, the last of which calls backward; without them, seven about
    one `y` that is changed. ValueError if a line before the last one fails.
    """
    return Memory([Run(name, [line for line in text.splitlines() if line.strip()]) for name, text in programs.items()])


@dataclasses.dataclass
class Lock:
    """What a node keeps of a tensor: its place in memory, and its version and numbers at that time."""

    node: Function
    slot: int
    array: np.ndarray
    version: int
    then: np.ndarray
    name: str

    @property
    def saved(self) -> tuple[object, ...]:
        """What the node keeps."""
        return self.node.saved or ()

    @property
    def now(self) -> int:
        """The current version of the saved tensor."""
        return leaf.version(self.saved[self.slot])

    @property
    def state(self) -> str:
        """What backward would find: "kept"; "caught", a new version; "slipped", new numbers under the old version."""
        if self.now != self.version:
            return "caught"
        return "kept" if np.array_equal(self.array, self.then) else "slipped"

    def data(self) -> LockData:
        """As JSON."""
        return {
            "node": self.node.name(),
            "name": self.name,
            "at": places(self.array),
            "state": self.state,
            "say": self.says,
        }

    @property
    def says(self) -> str:
        """What the node would say of it."""
        head = f"{self.node.name()} saved {self.name} at version {self.version}"
        if self.state == "kept":
            return f"{head}."
        if self.state == "caught":
            return f"{head}. Now it is {self.now}, so backward will refuse."
        return f"{head}, as {canvas.said(self.then)}. Still version {self.now}, so nobody will notice."


class Made(parts.Listener):
    """The nodes that were made meanwhile, unless they are gone again."""

    def __init__(self) -> None:
        self.nodes: list[weakref.ref[Any]] = []  # of those that may save something

    def node_made(self, node: Node, inputs: tuple[object, ...], results: tuple[Tensor, ...]) -> None:
        self.nodes.append(weakref.ref(node))


class Run:
    """A program that has run: a frame before the first line, and one after each."""

    def __init__(self, name: str, lines: list[str]):
        self.name, self.lines = name, lines
        self.start()
        self.frames: list[Frame] = [{"strips": self.shown({}), "line": -1, "say": "Nothing has run yet."}]
        for number, line in enumerate(lines[:-1]):
            before = self.values()
            if failed := self.step(line):
                raise ValueError(f"{name}, line {number + 1}: {failed}")
            strips = self.shown(before)
            say = told(self.frames[-1]["strips"], strips)
            self.frames.append({"strips": strips, "line": number, "say": say})
        self.problem = problem(lines[-1], self.namespace)
        self.grads = self.gradients()
        self.right = self.grads if self.problem else self.undisturbed()
        if not self.problem:
            self.locks.clear()
        self.frames.append(
            {"strips": self.shown(self.values()), "line": len(lines) - 1, "say": self.says, "end": self.end}
        )

    def start(self) -> None:
        """Nothing has run."""
        self.namespace: dict[str, Any] = {"__name__": "__main__", "torch": minigrad}
        self.locks: dict[tuple[Function, int], Lock] = {}
        self.owners: list[np.ndarray] = []  # kept, so that no number of one is used again

    def step(self, line: str) -> str | None:
        """Run a line, and note what the nodes of the graph save in it; a sentence if it fails."""
        made = Made()
        with parts.observe(made):
            failed = problem(line, self.namespace)
        for node in filter(None, [node() for node in made.nodes]):
            saved = node.saved or ()
            for slot, version in enumerate(leaf.expected_versions(node) if saved else ()):
                kept = getattr(saved[slot], "tensor", saved[slot])
                if isinstance(kept, Tensor):
                    array = kept._memory()
                    same = [name for name, item in self.tensors().items() if lies(item) == lies(kept)]
                    lock = Lock(node, slot, array, version, array.copy(), [*same, "a tensor"][0])
                    self.locks[node, slot] = lock
        return failed

    def tensors(self) -> dict[str, Tensor]:
        """All tensors that have a name."""
        return {name: item for name, item in self.namespace.items() if isinstance(item, Tensor)}

    def gradients(self) -> dict[str, np.ndarray]:
        """What the leaves that require grad keep."""
        result = {name: item for name, item in self.tensors().items() if item.is_leaf and item.requires_grad}
        return {name: item.grad._array.copy() for name, item in result.items() if item.grad is not None}

    def undisturbed(self) -> dict[str, np.ndarray]:
        """The gradients of the same program if every node had kept a copy of the numbers that it saved."""
        again = object.__new__(Run)
        again.start()
        for line in self.lines[:-1]:
            again.step(line)
        for lock in again.locks.values():
            saved = list(lock.saved)
            saved[lock.slot] = Tensor._of(lock.then)
            lock.node.saved = tuple(saved)
        problem(self.lines[-1], again.namespace)
        return again.gradients()

    # What is shown

    def values(self) -> dict[int, np.ndarray]:
        """The numbers of each memory, by its number."""
        return {number: owner.ravel(order="K").copy() for number, owner in enumerate(self.owners)}

    def shown(self, before: dict[int, np.ndarray]) -> list[Strip]:
        """All strips with a name or a lock on them, with what has changed since."""
        named = {name: item for name, item in self.namespace.items() if isinstance(item, (Tensor, np.ndarray))}
        names: dict[int, list[tuple[str, Tensor | np.ndarray]]] = {}
        for name, each in named.items():
            names.setdefault(self.number(each), []).append((name, each))
        locks: dict[int, list[Lock]] = {}
        for lock in self.locks.values():
            locks.setdefault(self.number(lock.array), []).append(lock)
        return [
            self.strip(item, names.get(item, []), locks.get(item, []), before) for item in sorted({**names, **locks})
        ]

    def number(self, value: Tensor | np.ndarray) -> int:
        """The number of the memory in which an array or tensor lies."""
        owner = owner_of(value)
        for number, each in enumerate(self.owners):
            if each is owner:
                return number
        self.owners.append(owner)
        return len(self.owners) - 1

    def strip(
        self,
        number: int,
        named: list[tuple[str, Tensor | np.ndarray]],
        locks: list[Lock],
        before: dict[int, np.ndarray],
    ) -> Strip:
        """One memory: its numbers, the names on it, one count for all who share it, and the locks."""
        numbers = self.owners[number].ravel(order="K")
        changed = np.flatnonzero(before.get(number, numbers) != numbers)
        counts: dict[int, Count] = {}
        names: list[Named] = []
        for name, each in named:
            names.append({"name": name, "at": places(each)})
            if isinstance(each, Tensor):
                counts.setdefault(id(leaf.counter(each)), {"version": each._version, "names": []})["names"].append(name)
        return {
            "number": number,
            "cells": [canvas.number(number) for number in numbers],
            "changed": [int(item) for item in changed],
            "names": names,
            "counts": list(counts.values()),
            "uncounted": [name for name, item in named if not isinstance(item, Tensor)],
            "locks": [lock.data() for lock in locks],
        }

    # How it ends

    @property
    def end(self) -> dict[str, str]:
        """Refused, right or wrong, and what there is to see of it."""
        if self.problem:
            return {"kind": "refused", "say": self.problem}
        got = written(self.grads)
        if written(self.right) == got:
            return {"kind": "right", "say": f"{got}, and that is right."}
        return {"kind": "wrong", "say": f"{got}, and nobody complains. Right is {written(self.right)}."}

    @property
    def says(self) -> str:
        """The last line in words."""
        if self.problem:
            return "backward() compares the versions, and refuses."
        return "backward() compares the versions, finds nothing, and drops what the nodes saved."


class Memory(Shown):
    """Some programs, each line by line."""

    view = "memory"

    def __init__(self, runs: list[Run]):
        self.runs = runs

    def data(self) -> dict[str, object]:
        return {"programs": [{"name": run.name, "lines": run.lines, "frames": run.frames} for run in self.runs]}

    def words(self) -> str:
        said = [
            run.end["say"].split(": [")[0].rstrip(".") for run in self.runs
        ]  # which tensor it was is in the picture
        ends = [f"- {run.name}: {end}." for run, end in zip(self.runs, said, strict=True)]
        return "\n".join(["What lies in which memory while programs run, and how backward ends.", *ends])

    def still(self) -> str:
        """Each program before its last line: the memory that a node has locked, and how it ends."""
        ends = [textwrap.wrap(f"{MARKS[run.end['kind']]} {run.end['say']}", 108) for run in self.runs]
        highs = [44 + 18 * len(run.lines) + 18 * len(end) + 22 for run, end in zip(self.runs, ends, strict=True)]
        sheet = svg.Sheet(WIDE, sum(highs), self.words())
        top = 0
        for run, end, high in zip(self.runs, ends, highs, strict=True):
            with sheet.moved(0, top):
                draw(sheet, run, end)
            top += high
        return str(sheet)


def draw(sheet: svg.Sheet, run: Run, end: list[str]) -> None:
    """A program before its last line, and how it ends."""
    sheet.text(0, 18, run.name, 15, text_anchor="start", font_weight=600)
    for number, line in enumerate(run.lines):
        sheet.text(0, 42 + 18 * number, line, 12.5, "soft", text_anchor="start", font_family=svg.MONO)
    (strip,) = [item for item in run.frames[-2]["strips"] if item["locks"]][:1] or run.frames[-2]["strips"][-1:]
    with sheet.moved(ACROSS, 30):
        draw_strip(sheet, strip)
    colour = {"right": "done", "wrong": "flow", "refused": "leaf"}[run.end["kind"]]
    for number, line in enumerate(end):
        down = 46 + 18 * (len(run.lines) + number)
        sheet.text(0, down, line, 13, colour, text_anchor="start", font_weight=600)


def draw_strip(sheet: svg.Sheet, strip: Strip) -> None:
    """A strip of memory: the names above its cells, counts and locks below."""
    names = ", ".join(item["name"] for item in strip["names"]) or "no name"
    sheet.text(0, 12, names, 13, text_anchor="start", font_family=svg.MONO, font_weight=600)
    for place, text in enumerate(strip["cells"]):
        colour = "flow" if place in strip["changed"] else "line"
        sheet.rectangle(place * CELL + 1, 18, CELL - 2, HIGH - 8, fill="panel", stroke=colour, rx=4)
        sheet.text((place + 0.5) * CELL, 35, text, 13)
    counts = ", ".join(f"version {item['version']} of {joined(item['names'])}" for item in strip["counts"])
    for number, text in enumerate(filter(None, [counts, *(item["say"] for item in strip["locks"])])):
        sheet.text(0, 60 + 18 * number, text, 12.5, "soft" if text is counts else "ink", text_anchor="start")


# --- words ---------------------------------------------------------------------------------------


def told(before: list[Strip], now: list[Strip]) -> str:
    """What a line has done, in words: new names, changes, and saved values."""
    old = {item["number"]: item for item in before}
    result: list[str] = []
    for strip in now:
        was = old.get(strip["number"]) or unseen(strip["number"])
        result += named_anew(strip, [item["name"] for item in was["names"]], old)
        if strip["changed"]:
            result.append(changed(strip, was))
        result += [f"{item['node']} saves {item['name']}." for item in strip["locks"][len(was["locks"]) :]]
        for lock, earlier in zip(strip["locks"], was["locks"], strict=False):
            if lock["state"] != earlier["state"]:
                result.append(lock["say"])
    return " ".join(result) or "No memory changes."


def unseen(number: int) -> Strip:
    """A memory that was not there before."""
    return {"number": number, "cells": [], "changed": [], "names": [], "counts": [], "uncounted": [], "locks": []}


def named_anew(strip: Strip, before: list[str], old: dict[int, Strip]) -> Iterator[str]:
    """A sentence for each name that is new on a strip."""
    for name in [item["name"] for item in strip["names"] if item["name"] not in before]:
        others = joined([item["name"] for item in strip["names"] if item["name"] in before])
        sharing = [item["names"] for item in strip["counts"] if name in item["names"]]
        moved = any(item["name"] == name for was in old.values() for item in was["names"])
        if moved:
            yield f"{name} is the name of new memory now. The old memory stays as it was."
        elif not others:
            yield f"{name} has memory of its own."
        elif not sharing:
            yield f"{name} shares the memory of {others}. It is a numpy array, and counts nothing."
        elif len(sharing[0]) > 1:
            yield f"{name} shares the memory of {others}, and the count."
        else:
            yield f"{name} shares the memory of {others}, but has a count of its own."


def changed(strip: Strip, was: Strip) -> str:
    """A change of numbers, and which versions went on."""
    then = {name: item["version"] for item in was["counts"] for name in item["names"]}
    told_of = []
    for item in strip["counts"]:
        first, version = then.get(item["names"][0], 0), item["version"]
        went = f"goes from {first} to {version}" if version != first else f"stays {version}"
        told_of.append(f"the version of {joined(item['names'])} {went}")
    return f"The numbers change; {', '.join(told_of)}."


def joined(names: list[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def written(grads: dict[str, np.ndarray]) -> str:
    """Gradients with their names."""
    return ", ".join(f"{name}.grad = {canvas.said(value)}" for name, value in grads.items())


def problem(line: str, namespace: dict[str, object]) -> str | None:
    """Run a line; the name and the first sentence of its error, if it fails."""
    try:
        exec(compiled(line, "<program>"), namespace)
    except Exception as error:
        return first_sentence(error)
    return None


# --- where things lie ----------------------------------------------------------------------------


def array_of(value: Tensor | np.ndarray) -> np.ndarray:
    """The array of a tensor, or the array itself."""
    return value if isinstance(value, np.ndarray) else value._memory()


def owner_of(value: Tensor | np.ndarray) -> np.ndarray:
    """The array that owns the memory of an array or tensor."""
    array: np.ndarray = array_of(value)
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def lies(value: Tensor | np.ndarray) -> tuple[int, list[int]]:
    """Where an array or tensor lies: equal for two that are the same part of the same memory."""
    return id(owner_of(value)), places(value)


def places(value: Tensor | np.ndarray) -> list[int]:
    """The first place of an array or tensor in its memory, and the one after its last."""
    array, owner = array_of(value), owner_of(value)
    low, high = np.lib.array_utils.byte_bounds(array)
    start, _ = np.lib.array_utils.byte_bounds(owner)
    return [(low - start) // owner.itemsize, (high - start) // owner.itemsize]
