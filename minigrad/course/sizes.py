"""Explain why two tensors do not fit together: in a product, or where shapes are broadcast."""

from __future__ import annotations

import math

from minigrad.course.case import Case, Explanation, code, line_of
from minigrad.course.places import Location
from minigrad.tensor import Tensor

# Functions of the engine, and what they call the two.
FACTORS = (
    ("linear", "input", "weight"),
    ("addmm", "mat1", "mat2"),
    ("mm", "input", "mat2"),
    ("matmul", "input", "other"),
)
OF_CLASSES = (("cross_entropy", "input", "target"), ("nll_loss", "input", "target"))
BINARY = (
    ("binary_cross_entropy", "input", "target"),
    ("binary_cross_entropy_with_logits", "input", "target"),
)
UNSURE = "Look at the lines that make the two: which shape did you want?"
Pair = tuple[str, Tensor, Tensor]


def pair(case: Case, places: tuple[tuple[str, str, str], ...]) -> Pair | None:
    """The first of these functions that the error came through, and the two tensors that it had."""
    for function, one, other in places:
        left, right = case.local(function, one), case.local(function, other)
        if isinstance(left, Tensor) and isinstance(right, Tensor):
            return function, left, right
    return None


def not_to_multiply(case: Case) -> Explanation | None:
    """`mat1 and mat2 shapes cannot be multiplied`, of a layer or of two matrices."""
    found = pair(case, FACTORS)
    if found is None:
        return None
    function, left, right = found
    return of_layer(case, left, right) if function == "linear" else of_matrices(case, left, right)


def of_layer(case: Case, given: Tensor, weight: Tensor) -> Explanation:
    """An input whose rows are not as long as those of a layer's weight."""
    name, layer, has = case.name(given), case.name(weight), given.shape[-1]
    gives, takes = weight.shape
    advice = [
        f"Let the layer take {has} numbers, `nn.Linear({has}, {gives})`, or let what comes before it give {takes}.",
    ]
    if math.prod(given.shape[1:]) == takes:
        advice.insert(0, f"Make one row of each entry of the batch first: {case.written(given, 'flatten(1)')}.")
    return Explanation(
        f"{name} has {has} numbers in each row, and {layer} takes rows of {takes}.",
        steps(case, given, weight, "multiplies the two."),
        advice,
    )


def of_matrices(case: Case, left: Tensor, right: Tensor) -> Explanation:
    """Two matrices of which the one has another number of columns than the other has rows."""
    one, other, fits = case.name(left), case.name(right), []
    short, last = code(one, ""), code(other, "")
    if short and last and left.shape[1] == right.shape[1]:
        fits.append(f"`{short} @ {last}.T`, of shape {[left.shape[0], right.shape[0]]}")
    if short and last and left.shape[0] == right.shape[0]:
        fits.append(f"`{short}.T @ {last}`, of shape {[left.shape[1], right.shape[1]]}")
    if short and last and left.shape[0] == right.shape[1]:
        fits.append(f"`{last} @ {short}`, of shape {[right.shape[0], left.shape[1]]}")
    return Explanation(
        f"{one} has {left.shape[1]} columns, and {other} has {right.shape[0]} rows: in a product each row of the one "
        "meets each column of the other, number by number, so the two have to be equal.",
        steps(case, left, right, "multiplies the two."),
        [f"What fits: {' or '.join(fits)}." if fits else UNSURE],
    )


def not_to_broadcast(case: Case) -> Explanation | None:
    """`The size of tensor a must match the size of tensor b`."""
    given = [each for each in case.local("apply", "inputs") or () if isinstance(each, Tensor)]
    if len(given) != 2:
        return None
    one, other = map(case.name, given)
    shapes = [list(each.shape) for each in given]
    pairs = zip(*(reversed(each) for each in shapes), strict=False)
    here, there = next((pair for pair in pairs if pair[0] != pair[1] and 1 not in pair), (0, 0))
    advice = []
    for name, short, long in ((one, shapes[0], shapes[1]), (other, shapes[1], shapes[0])):
        if len(short) == 1 and len(long) == 2 and short[0] == long[0] and (plain := code(name, "")):
            advice.append(f"`{plain}[:, None]`, of shape {[short[0], 1]}, has one number for each row of the other.")
    return Explanation(
        f"{one} has the shape {shapes[0]}, and {other} {shapes[1]}. Sizes are compared from the right: two have to be "
        f"equal, or one of them 1, and here {here} meets {there}.",
        steps(case, *given),
        advice or [UNSURE],
    )


def of_one_size(case: Case) -> Explanation | None:
    """A loss whose two inputs have to have one shape, or a target of classes with a dimension too many."""
    found = pair(case, BINARY + OF_CLASSES)
    if found is None:
        return None
    loss, scores, target = found
    name, labels = case.name(scores), case.name(target)
    have, want = list(scores.shape), list(target.shape)
    alike = (loss, "input", "target") in BINARY
    rule = "this loss compares them number by number" if alike else "a class is one number for each row"
    advice = [UNSURE]
    for one, shape, other in ((scores, have, want), (target, want, have if alike else have[:1])):
        if shape[1:] == [1] and shape[:1] == other:
            advice = [f"Leave out the dimension of size 1: {case.written(one, 'squeeze(1)')} has the shape {other}."]
    return Explanation(
        f"{name} has the shape {have}, and {labels} {want}: {rule}.",
        steps(case, scores, target),
        advice,
    )


def class_outside(case: Case) -> Explanation | None:
    """`Target … is out of bounds`: a class for which there is no score."""
    found = pair(case, OF_CLASSES)
    if found is None:
        return None
    _, scores, target = found
    name, labels = case.name(scores), case.name(target)
    classes, least, most = scores.shape[min(1, scores.ndim - 1)], int(target.min()), int(target.max())
    advice = [f"Let the last layer give {most + 1} scores, if there are that many classes."] if least >= 0 else []
    if most == classes and least >= 1:
        advice.insert(0, f"Count classes from 0: `{code(labels, '…')} - 1`.")
    return Explanation(
        f"{name} has scores for {classes} classes, 0 to {classes - 1}; {labels} holds numbers from {least} to {most}.",
        steps(case, scores, target),
        advice or ["Give each row the number of its class, from 0 on."],
    )


def steps(
    case: Case, one: Tensor, other: Tensor, together: str = "takes the two together."
) -> list[tuple[Location | None, str]]:
    """The steps in which two tensors are made, with their shapes, and the one in which they meet."""
    made = [case.made(each, f"makes {{}}, of shape {list(each.shape)}.") for each in (one, other)]
    return [*sorted((each for each in made if each[0]), key=line_of), (case.here, together)]
