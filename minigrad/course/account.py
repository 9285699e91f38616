"""What a program that ended well did: its backward passes, and its leaves with their gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import Any

import numpy as np

from minigrad.course.case import Case, width, wrapped
from minigrad.course.cuts import NEW
from minigrad.course.naming import attributes, counted
from minigrad.nn import Module
from minigrad.tensor import Tensor

LONG = 60  # characters of a gradient that are shown
SHOWN = 4  # leaves that are named together
ADDED = (
    "{} passes have added to the .grad of {}, and nothing cleared it in between. For the gradient of one pass alone, "
    "call `zero_grad()`, or set `.grad = None`, before each backward()."
)
CLEARS_OTHERS = (
    "{} passes have added to the .grad of {}, and nothing cleared it in between. Line {} calls `{}`: either it clears "
    "other tensors, those that were there when its optimizer was made, or it does not run before each backward()."
)
CUTS = "Here a graph ends, and a pass goes no further back: {}."
NUMBERS = {"item", "tolist", "numpy"}  # of a tensor: what is made of them has no graph
MAKERS = NEW | {"Tensor", "FloatTensor"}
NOTHING = "No error, and no backward pass: nothing asked for a gradient."


def account(case: Case, namespace: dict[str, Any]) -> str:
    """What a program without an error did: how many passes, and the leaves with their gradients."""
    passes = len(case.seen.passes)
    lines = [f"No error: {counted(passes, 'backward pass', 'backward passes')}." if passes else NOTHING]
    sums: dict[int, list[str]] = {}
    clearing = calls(case, {"zero_grad"})[-1:]
    unreached = False
    for name, tensor in leaves(namespace):
        told = f"`{name}`, shape {list(tensor.shape)}" if tensor.ndim else f"`{name}`"
        grad, added = tensor._grad, case.seen.sum_of(tensor)
        if added > 1:
            sums.setdefault(added, []).append(f"`{name}`")
        if grad is not None:
            value = " ".join(str(grad).split())
            largest = f"filled; the largest entry is {float(np.abs(grad._array).max(initial=0)):.3g} in size"
            lines.append(f"  {told}: .grad is {value if len(value) < LONG else largest}.")
        elif case.seen.was_reached(tensor):
            lines.append(f"  {told}: .grad is None again; a pass had filled it.")
        else:
            unreached = unreached or bool(passes)
            lines.append(f"  {told}: .grad is None{', no pass has reached it' if passes else ''}.")
    for added, names in sums.items():
        which = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
        said = ADDED.format(added, which)
        for call in clearing:
            said = CLEARS_OTHERS.format(added, which, call.lineno, ast.unparse(call))
        lines += wrapped(said, width())
    if unreached and (found := graph_ends(case)):
        places = "; ".join(f"line {each.lineno}, `{ast.unparse(each)}`" for each in found[:SHOWN])
        lines += wrapped(CUTS.format(places), width())
    return "\n".join(lines) + "\n"


def leaves(namespace: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The leaves that require grad among the names of a program, and in its modules."""
    told: set[int] = set()
    for name, value in [*namespace.items()]:
        found = [(name, value)] if isinstance(value, Tensor) else []
        if isinstance(value, Module):
            found = [(f"{name}.{inner}", each) for inner, each in value.named_parameters()]
        for full, each in found:
            if each.requires_grad and each.is_leaf and id(each) not in told and not full.startswith("_"):
                told.add(id(each))
                yield full, each


def calls(case: Case, names: Set[str]) -> list[ast.Call]:
    """The calls of methods and functions with these names in the program, from the top."""
    nodes = [node for file in case.sources.texts for node in case.sources.nodes(file)]
    found = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    ]
    return sorted(found, key=lambda each: each.lineno)


def graph_ends(case: Case) -> list[ast.Call]:
    """The calls that leave the graph for good: a detached value, or a new tensor of another one's numbers.

    Not those inside a print, nor a detach whose numbers are all that is wanted.
    """
    aside = {
        id(inner)
        for file in case.sources.texts
        for node in case.sources.nodes(file)
        if isinstance(node, ast.Call)
        and (ast.unparse(node.func) == "print" or getattr(node.func, "attr", "") in NUMBERS)
        for inner in ast.walk(node)
        if inner is not node
    }
    made = [each for each in calls(case, MAKERS) if attributes(each) & NUMBERS]
    found = [each for each in [*made, *calls(case, {"detach"})] if id(each) not in aside]
    return sorted(found, key=lambda each: each.lineno)
