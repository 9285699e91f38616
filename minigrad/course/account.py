"""What a program that ended well did: its backward passes, and its leaves with their gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np

from minigrad.course.case import Case, width, wrapped
from minigrad.course.cuts import cut_before
from minigrad.course.naming import counted, dotted
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
IDLE = (
    "Line {} calls `{}` after backward() and before `{}` on line {}: the step finds no gradient, and changes nothing. "
    "Clear before backward(), or after the step."
)
CUTS = "Here a graph ends, and a pass goes no further back: {}."
NOTHING = "No error, and no backward pass: nothing asked for a gradient."


def account(case: Case, namespace: dict[str, Any]) -> str:
    """What a program without an error did: how many passes, and the leaves with their gradients."""
    passes = len(case.seen.passes)
    lines = [f"No error: {counted(passes, 'backward pass', 'backward passes')}." if passes else NOTHING]
    sums: dict[int, list[str]] = {}
    clearing = calls(case, {"zero_grad"})[-1:]
    cleared, ends = False, list[str]()
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
            cleared = True
            lines.append(f"  {told}: .grad is None again; a pass had filled it.")
        else:
            if passes and (lost := cut_before(case, case.seen.story(tensor))) and lost[1]:
                ends.append(f"line {lost[1].line}, `{case.sources.said(case.sources.expression(lost[1]))}`")
            lines.append(f"  {told}: .grad is None{', no pass has reached it' if passes else ''}.")
    for added, names in sums.items():
        which = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
        said = ADDED.format(added, which)
        for call in clearing:
            said = CLEARS_OTHERS.format(added, which, call.lineno, ast.unparse(call))
        lines += wrapped(said, width())
    if cleared and (order := idle_step(case)):
        _, clear, step = order
        lines += wrapped(IDLE.format(clear.lineno, ast.unparse(clear), ast.unparse(step), step.lineno), width())
    if ends:
        lines += wrapped(CUTS.format("; ".join([*dict.fromkeys(ends)][:SHOWN])), width())
    return "\n".join(lines) + "\n"


def leaves(namespace: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The leaves that require grad among the names of a program, and in its modules."""
    told: set[int] = set()
    for name, value in [*namespace.items()]:
        found = [(name, value)] if isinstance(value, Tensor) else []
        if isinstance(value, Module):
            found = [(dotted(name, inner), each) for inner, each in value.named_parameters()]
        for full, each in found:
            if each.requires_grad and each.is_leaf and id(each) not in told and not full.startswith("_"):
                told.add(id(each))
                yield full, each


def calls(case: Case, names: Set[str], files: Iterable[str] = ()) -> list[ast.Call]:
    """The calls of methods and functions with these names in some files of the program (default: all), from the top."""
    nodes = [node for file in files or case.sources.texts for node in case.sources.nodes(file)]
    found = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    ]
    return sorted(found, key=lambda each: each.lineno)


def idle_step(case: Case) -> tuple[ast.Call, ...]:
    """A pass, a call that clears its gradients, and a step that needed them, in this order; () if there is none."""
    for file in case.sources.texts:
        turn = calls(case, {"backward", "zero_grad", "step"}, [file])
        for each in zip(turn, turn[1:], turn[2:], strict=False):
            if [getattr(call.func, "attr", "") for call in each] == ["backward", "zero_grad", "step"]:
                return each
    return ()
