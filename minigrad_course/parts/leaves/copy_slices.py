"""The part `copy_slices`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("copy_slices")
Shares = list[np.ndarray | None]
Inner = Callable[[np.ndarray], Shares]


@mistake(
    "the old keeps it",
    "the overwritten entries keep their gradient, as if they still contributed to the result: `part[...] = old` "
    "writes into `whole`, but `part = old` only rebinds a name",
)
def old_keeps_it(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    _old, *written = inner(part.copy())
    return [whole, *written]


@mistake(
    "no copy",
    "you give `inner` `part` itself: it passes the same memory on to what was written, and the next line overwrites it",
)
def no_copy(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    old, *written = inner(part)
    part[...] = old
    return [whole, *written]


@mistake(
    "place for whole",
    "you mix up the changed place and the whole: what goes to the old tensor has the shape of `whole`; and a single "
    "entry has no axis to slice, so write `part[...]`, not `part[:]`",
)
def place_for_whole(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    return inner(part.copy())


@mistake("all gone", "entries that were not overwritten lose their gradient as well")
def all_gone(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    _old, *written = inner(part.copy())
    whole[...] = 0
    return [whole, *written]


@mistake("always 0", "the old entries get 0 even where they were multiplied, not overwritten")
def always_zero(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    _old, *written = inner(part.copy())
    part[...] = 0
    return [whole, *written]


@mistake("nothing for the value", "what was written gets no gradient")
def nothing_for_the_value(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    old, *written = inner(part.copy())
    part[...] = old
    return [whole, *[None for _ in written]]


@mistake("inner of the whole", "you give `inner` all of `whole`; it needs the upstream gradient of the changed place")
def inner_of_the_whole(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    old, *written = inner(whole.copy())
    part[...] = old
    return [whole, *written]


@mistake("added", "you add `old` to what is there; replace it: `part[...] = old`")
def added(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    old, *written = inner(part.copy())
    part[...] += old
    return [whole, *written]


@mistake("changed places", "the list is in the wrong order: the gradient of the tensor before the change comes first")
def changed_places(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    old, *written = inner(part.copy())
    part[...] = old
    return [*written, whole]


@mistake(
    "a list in the list", "`written` is a list: `[whole, *written]` puts its entries into the list that you return"
)
def a_list_in_the_list(whole: np.ndarray, part: np.ndarray, inner: Inner) -> list[np.ndarray | Shares]:
    old, *written = inner(part.copy())
    part[...] = old
    return [whole, written]


@mistake("written for old", "you write what goes to `value` into `part`: that is the place of the old entries")
def written_for_old(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    _, *written = inner(part.copy())
    part[...] = written[0]
    return [whole, *written]


@mistake("called twice", "you call `inner` twice: it is a backward, and what it has saved is gone after the first")
def called_twice(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    part[...] = inner(part.copy())[0]
    return [whole, *inner(part.copy())[1:]]


@mistake(
    "emptied first", "you clear the place before you call `inner`, which then gets zeros: call it first, with a copy"
)
def emptied_first(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    part[...] = 0
    old, *written = inner(part.copy())
    part[...] = old
    return [whole, *written]


@mistake("whole alone", "you return `whole` alone: return a list, followed by the gradients for what was written")
def whole_alone(whole: np.ndarray, part: np.ndarray, inner: Inner) -> np.ndarray:
    old, *_written = inner(part.copy())
    part[...] = old
    return whole


@mistake(
    "no copy, then 0",
    "you give `inner` `part` itself, and what was written may be the same memory: the 0 you put there arrives there, "
    "too; and the old entries get 0 even where they were multiplied: write `old` into `part`",
)
def no_copy_then_0(whole: np.ndarray, part: np.ndarray, inner: Inner) -> Shares:
    _old, *written = inner(part)
    part[...] = 0
    return [whole, *written]


part = Part(
    Place("copy_slices", "engine", "copy_slices", "minigrad.leaf"),
    points=3,
    minutes=10,
    difficulty=3,
    hints=(
        "First ask `inner` what the change does to the gradient at the changed place. "
        "Who else uses the memory of `part`?",
        "`old, *written = inner(part.copy())`. Now `old` belongs where `part` is.",
        "`part[...] = old` writes it into `whole`. Return `[whole, *written]`.",
    ),
    mistakes=tuple(mistake),
    probe="""
def split(name, inner, place):
    whole = np.array([[1.0, 2.0], [3.0, 4.0]])
    tell(lambda: torch.leaf.copy_slices(whole, whole[place], inner), f"the list, where entries {name}| ")
    tell(lambda: whole, f"`whole`, where entries {name}| ")

for name, inner in (
    ("were overwritten", lambda grad: [np.zeros_like(grad), grad]),
    ("were multiplied", lambda grad: [grad * 10, grad * 7]),
    ("were multiplied by a constant", lambda grad: [grad * 10, None]),
    ("were changed by nothing that wants a gradient", lambda grad: [grad * 10]),
):
    for place in (np.s_[0], np.s_[:, 1:], np.s_[...]):
        split(name, inner, place)
""",
)
