"""A cause that was found: what is said of it, and the edits that are to be tried."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import Edit, parses
from minigrad_course.explain.trials.trial import Promise

Make = Callable[[], "Edit | None"]
Remedy = tuple[str, Make, Promise]

RUNS: Promise = {"kind": "runs"}
FALLS: Promise = {"kind": "falls"}
FINITE: Promise = {"kind": "finite"}


def grad(names: Iterable[str | None] = (), every: bool = False) -> Promise:
    """The promise that some leaves get gradients that are not zero."""
    promise: Promise = {"kind": "grad", "names": [name for name in names if name]}
    return {**promise, "every": True} if every else promise


def moves(names: Iterable[str | None]) -> Promise:
    """The promise that the steps change some leaves."""
    return {"kind": "moves", "names": [name for name in names if name]}


@dataclasses.dataclass
class Finding:
    """One cause: its name, its sentences, and remedies as (title, edit, promise).

    likely: it fits what was seen, and something else may be the cause; only_with_advice: nothing is said of it
    unless an edit keeps its promise.
    """

    cause: str
    says: list[str]
    remedies: list[tuple[str, Edit, Promise]]
    likely: bool = False
    only_with_advice: bool = False

    def as_json(self, folder: str) -> dict[str, Any]:
        """The finding with paths from a folder on."""
        remedies = []
        for title, edit, promise in self.remedies:
            inside = edit.path.startswith(folder + os.sep)
            path = os.path.relpath(edit.path, folder) if inside else edit.path
            remedies.append([title, path, edit.text, promise])
        return {**dataclasses.asdict(self), "remedies": remedies}


def from_json(told: dict[str, Any], folder: str) -> Finding:
    """The finding with paths in a folder."""
    remedies = []
    for title, path, text, promise in told["remedies"]:
        full = path if path.startswith("<") else os.path.join(folder, path)
        remedies.append((title, Edit(full, text), promise))
    return Finding(told["cause"], told["says"], remedies, told["likely"], told["only_with_advice"])


class Cause:
    """A kind of cause: `find` looks at a story, and gives a Finding for each that is there."""

    silent = False  # looked for in programs that end without an error
    explained_by: frozenset[str] = frozenset()  # causes that explain what this one would say too

    def find(self, story: Story) -> Iterator[Finding]:
        raise NotImplementedError

    def finding(
        self, says: list[str], remedies: Iterable[Remedy] = (), likely: bool = False, only_with_advice: bool = False
    ) -> Finding:
        """A finding with those edits that can be made, each once."""
        done: list[tuple[str, Edit, Promise]] = []
        texts = set()
        for title, make, promise in remedies:
            try:
                edit = make()
            except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError):
                continue
            if edit is None or not parses(edit) or (edit.text, str(promise)) in texts:
                continue
            texts.add((edit.text, str(promise)))
            done.append((title, edit, promise))
        return Finding(type(self).__name__, says, done, likely, only_with_advice)
