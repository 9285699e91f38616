"""The parts of the course: what each asks for, where it belongs, its hints and its named mistakes.

One folder per chapter gives a `Chapter`, one file in it a `Part`; so does a folder in it, which holds the text of its
section as well. What stands here is never sent to a grader's child.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
import types
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from minigrad.scalar import Function
from minigrad.tensor import Value
from minigrad_course.programs.program import Place

Shares: TypeAlias = Sequence[Value | None]  # one for each input; None where no gradient is wanted
Answer = TypeVar("Answer", bound=Callable[..., object])  # a class or a function


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A plausible wrong version of a part.

    `explanation` completes the sentence "This is what you get when …". `answer` is the wrong class or function.
    """

    part: str
    name: str
    explanation: str
    answer: Callable[..., object]


@dataclasses.dataclass(frozen=True)
class Deviation(Mistake):
    """What the numbers of an answer have to do with the right ones, where no known mistake gives the same.

    `said` is a field of `Words`, which `fields` fills; `label` says of which value, as the part's probe does. Nobody
    has written its answer down.
    """

    said: str = ""
    label: str = ""
    fields: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class Edit(Deviation):
    """The place of an answer's text with which it is wrong: `label` is the place, `fields` has the line around it."""


@dataclasses.dataclass(frozen=True)
class Several(Mistake):
    """Mistakes that an answer makes at once."""

    mistakes: tuple[Mistake, ...] = ()


@dataclasses.dataclass(frozen=True)
class Part:
    """One named piece that an exercise asks for. `minutes` are for a first try; `difficulty` runs from 1 to 3.

    `probe` is a program that tries an answer on small inputs, value by value (`minigrad_course.checks.probes`).
    """

    place: Place
    points: int
    minutes: int
    difficulty: int
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()
    probe: str = ""

    @property
    def name(self) -> str:
        return self.place.name


@dataclasses.dataclass(frozen=True)
class Chapter:
    """The parts of one exercise. `name` is the notebooks' file name without its ending."""

    number: int
    name: str
    parts: tuple[Part, ...]
    together_points: int  # for the last check, in which all the parts work together

    @property
    def folder(self) -> str:
        """The name of the folder that holds its parts."""
        return self.name.partition("_")[2]

    @property
    def together(self) -> str:
        """The name of the last check."""
        return f"chapter{self.number}"

    def places(self, check: str) -> list[Place]:
        """The places of the parts that a check exercises."""
        return [part.place for part in self.parts if check in (part.name, self.together)]

    def points(self, check: str) -> int:
        return self.together_points if check == self.together else self.part(check).points

    def answered(self, check: str, answer: object) -> dict[str, object]:
        """An answer to a part, by the names of all parts that it answers: an engine of one's own answers several."""
        is_module = self.part(check).place.kind == "module"
        same = [part.name for part in self.parts if is_module and part.place.kind == "module"]
        return dict.fromkeys(same or [check], answer)

    def part(self, name: str) -> Part:
        return next(part for part in self.parts if part.name == name)

    @property
    def checks(self) -> list[str]:
        return [part.name for part in self.parts] + [self.together]


class Mistakes(list[Mistake]):
    """The mistakes of a part, collected by a decorator."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self.part = part

    def __call__(self, name: str, explanation: str) -> Callable[[Answer], Answer]:
        def collect(answer: Answer) -> Answer:
            self.append(Mistake(self.part, name, explanation, answer))
            return answer

        return collect

    def backward(
        self, base: type[Function], name: str, explanation: str, shares: Callable[..., Value | Shares | None]
    ) -> None:
        """A mistake in the derivative alone: `shares(grad_output, *known)` are what backward returns.

        Known is what was saved, unless the base has a method `known` that says otherwise.
        """
        known = getattr(base, "known", lambda ctx: ctx.saved_tensors)

        def backward(ctx: Function, grad_output: Value) -> Value | Shares | None:
            return shares(grad_output, *known(ctx))

        self(name, explanation)(type(base.__name__, (base,), {"backward": staticmethod(backward)}))


@functools.cache
def chapters() -> tuple[Chapter, ...]:
    """All chapters, in order: every folder of this package gives one."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return tuple(sorted(map(with_folders, modules), key=lambda chapter: chapter.number))


def with_folders(module: types.ModuleType) -> Chapter:
    """The chapter of a module. A part in a folder of its own need not be listed: then it comes last."""
    folders = [item.name for item in pkgutil.iter_modules(module.__path__) if item.ispkg]
    results = [importlib.import_module(f"{module.__name__}.{name}").part for name in folders]
    chapter: Chapter = module.chapter
    return dataclasses.replace(
        chapter, parts=(*chapter.parts, *[item for item in results if item not in chapter.parts])
    )


def chapter_named(name: str) -> Chapter | None:
    return next((chapter for chapter in chapters() if chapter.name == name), None)


def chapter_of(check: str) -> Chapter | None:
    """The chapter that has this check, or part."""
    return next((chapter for chapter in chapters() if check in chapter.checks), None)
