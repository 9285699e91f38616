"""The part `check_versions`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.compat import checks
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("check_versions")


@mistake("never", "no error is raised: the gradient is computed with the changed value, and is wrong")
def never(node: Any) -> None:
    pass


@mistake(
    "any change",
    "any change is an error, even one before the value was saved; compare with the version at that time",
)
def any_change(node: Any) -> None:
    for place, value in enumerate(node.saved):
        if leaf.version(value):
            raise checks.changed_since(node, place)


@mistake("empties it", "you take away what the node saved: a second pass with `retain_graph=True` still needs it")
def empties_it(node: Any) -> None:
    for place, value in enumerate(node.saved):
        if leaf.version(value) != leaf.expected_versions(node)[place]:
            raise checks.changed_since(node, place)
    node.saved = ()


@mistake("first only", "you check only the first saved value")
def first_only(node: Any) -> None:
    if leaf.version(node.saved[0]) != leaf.expected_versions(node)[0]:
        raise checks.changed_since(node, 0)


@mistake("only if all", "you raise the error only if every saved value has changed, and one is enough")
def only_if_all(node: Any) -> None:
    versions = [leaf.version(value) for value in node.saved]
    if versions and all(one != other for one, other in zip(versions, leaf.expected_versions(node), strict=True)):
        raise checks.changed_since(node, 0)


@mistake("last only", "you check only the last saved value")
def last_only(node: Any) -> None:
    if leaf.version(node.saved[-1]) != leaf.expected_versions(node)[-1]:
        raise checks.changed_since(node, len(node.saved) - 1)


@mistake("always place 0", "the error always names the value at place 0: name the one at `place`, which was changed")
def always_the_first(node: Any) -> None:
    for value, expected in zip(node.saved, leaf.expected_versions(node), strict=True):
        if leaf.version(value) != expected:
            raise checks.changed_since(node, 0)


@mistake(
    "never equal",
    "every node is an error: values of two types, such as a number and a list, or a list and a tuple, are never equal; "
    "compare two numbers, those of the same place",
)
def never_equal(node: Any) -> None:
    versions: Any = [leaf.version(value) for value in node.saved]
    if versions != tuple(leaf.expected_versions(node)):
        raise checks.changed_since(node, 0)


@mistake("upside down", "you raise the error when a version is as expected; raise it when it differs")
def upside_down(node: Any) -> None:
    for place, expected in enumerate(leaf.expected_versions(node)):
        if leaf.version(node.saved[place]) == expected:
            raise checks.changed_since(node, place)


@mistake(
    "never equal, one by one",
    "every saved value is an error: it is compared with what it can never equal, such as the list of all versions; "
    "compare `leaf.version(…)` with the expected version of the same place",
)
def never_equal_one_by_one(node: Any) -> None:
    for place in range(len(node.saved)):
        raise checks.changed_since(node, place)


@mistake(
    "version of the tuple",
    "`leaf.version` wants one value, such as `node.saved[place]`; you give it all of `node.saved`, a tuple",
)
def version_of_the_tuple(node: Any) -> None:
    for place, expected in enumerate(leaf.expected_versions(node)):
        if leaf.version(node.saved) != expected:
            raise checks.changed_since(node, place)


@mistake(
    "value for place",
    "`checks.changed_since` wants the place of the value, a number, and you give it the value itself: `enumerate` "
    "counts the places",
)
def value_for_place(node: Any) -> None:
    for value, expected in zip(node.saved, leaf.expected_versions(node), strict=True):
        if leaf.version(value) != expected:
            raise checks.changed_since(node, value)


@mistake(
    "value for place, never equal",
    "a number is compared with the list of all versions, which is never equal; and `checks.changed_since` wants the "
    "place of the value, not the value: `enumerate` counts the places",
)
def value_for_place_never_equal(node: Any) -> None:
    for value in node.saved:
        raise checks.changed_since(node, value)


part = Part(
    Place("check_versions", "engine", "check_versions", "minigrad.leaf"),
    points=3,
    minutes=8,
    difficulty=2,
    hints=(
        "Loop over the saved values and their expected versions together; you need the place as well.",
        "`for place, expected in enumerate(leaf.expected_versions(node)):` and then compare with "
        "`leaf.version(node.saved[place])`.",
        "If the two differ: `raise checks.changed_since(node, place)`.",
    ),
    mistakes=tuple(mistake),
    probe="""
x, w = leaves([1.0, 2.0], [3.0, 4.0])
for first, second in ((0, 0), (1, 0), (0, 1), (2, 3)):
    for early in (0, 1):
        factors = [x * 2, w * 3]
        for _ in range(early):
            factors[0] += 1
            factors[1] += 1
        product = factors[0] * factors[1]
        for each, times in zip(factors, (first, second)):
            for _ in range(times):
                each += 1
        told = f"`check_versions` for a product, its factors changed {first} and {second} times since| "
        tell(lambda: torch.leaf.check_versions(product.grad_fn), told)
y = x.exp()
tell(lambda: torch.leaf.check_versions(y.grad_fn), "`check_versions` for `x.exp()`| ")
y += 1
tell(lambda: torch.leaf.check_versions((x + 1).grad_fn), "`check_versions` for a sum, which saves nothing| ")
""",
)
