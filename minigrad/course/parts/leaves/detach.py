"""The part `detach`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("detach")


@mistake("a copy", "the numbers are copied: a change of the detached tensor does not reach the original")
def a_copy(tensor: Any) -> Any:
    return tensor.data.clone()


@mistake(
    "as data",
    "the count of changes is not shared, as with `.data`: a change of a saved value goes unnoticed, and the gradient "
    "is silently wrong",
)
def as_data(tensor: Any) -> Any:
    return tensor.data


@mistake(
    "no list yet",
    "`tensor._counter` is taken while it is still None: the two then make lists of their own, and a change through one "
    "goes unnoticed by the other; `leaf.counter(tensor)` makes the list first",
)
def no_list_yet(tensor: Any) -> Any:
    constant = tensor.data
    constant._counter = tensor._counter
    return constant


@mistake("a clone", "a clone is given back: it has memory of its own, and it is still in the graph")
def a_clone(tensor: Any) -> Any:
    return tensor.clone()


@mistake("the tensor itself", "the tensor itself is given back: it is still in the graph")
def the_tensor_itself(tensor: Any) -> Any:
    return tensor


@mistake("cuts the original", "the tensor itself is cut from the graph; it has to stay as it is")
def cuts_the_original(tensor: Any) -> Any:
    return tensor.detach_()


part = Part(
    Place("detach", "engine", "detach", "minigrad.leaf"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "Begin with `tensor.data`. What does it not share with the tensor?",
        "Put the tensor's list into the new one's `_counter`, and return the new one.",
        "`constant._counter = leaf.counter(tensor)`, where `constant` is `tensor.data`.",
    ),
    mistakes=tuple(mistake),
)
