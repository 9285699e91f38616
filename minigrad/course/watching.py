"""Watch a program while it runs: where each tensor was made, changed, freed or cut off, by line of that program.

The engine is not changed for this. In a `watch()` block a few of its functions, which it looks up in their modules at
each call, note what they were called for, then do what they always do. The fast path, which avoids them, is off.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.autograd import function
from minigrad.compat import checks
from minigrad.compat.tensor_protocols import TensorBase
from minigrad.course.places import place_of, program_frame
from minigrad.course.stories import Broken, Memory, Pass, Watch, not_finite
from minigrad.nn import Module
from minigrad.optim import Optimizer
from minigrad.runtime import array_ops, fastpath, hooks, inplace, passes, record, state
from minigrad.tensor import Tensor

TENSOR: Any = importlib.import_module("minigrad.tensor")  # `minigrad.tensor` itself is the function


@contextlib.contextmanager
def watch() -> Iterator[Watch]:
    """Watch everything that runs in the block, and the passes that it starts."""
    seen = Watch()
    with contextlib.ExitStack() as undo:
        undo.enter_context(fastpath.off())
        for owner, name, replace in _SEAMS:
            stored = vars(owner)[name]
            setattr(owner, name, replace(seen, stored))
            undo.callback(setattr, owner, name, stored)
        Watch.active = seen
        undo.callback(setattr, Watch, "active", None)
        yield seen


def _constant(seen: Watch, stored: Any) -> Any:
    def constant(array: Any) -> Tensor:
        made: Tensor = stored(array)
        seen.made(made, sys._getframe(1))
        return made

    return constant


def _of(seen: Watch, stored: Any) -> Any:
    def of(cls: Any, array: Any, requires_grad: bool = False) -> Any:
        made = stored.__func__(cls, array, requires_grad)
        seen.made(made, sys._getframe(1))
        return made

    return classmethod(of)


def _apply(seen: Watch, stored: Callable) -> Callable:
    def apply(operation: Any, inputs: tuple, settings: dict) -> Any:
        result = stored(operation, inputs, settings)
        if not state.running:
            seen.applied(operation, inputs, result)
        return result

    return apply


def _take_place(seen: Watch, stored: Callable) -> Callable:
    def take_place(node: Any, shape: Any, dtype: Any) -> None:
        stored(node, shape, dtype)
        seen.nodes[node] = (place_of(sys._getframe(1)), None)

    return take_place


def _rebase(seen: Watch, stored: Callable) -> Callable:
    def rebase(tensor: Tensor, node: Any) -> None:
        stored(tensor, node)
        seen.nodes[node] = (place_of(sys._getframe(1)), seen.story(tensor))

    return rebase


def _counter(seen: Watch, stored: Callable) -> Callable:
    def counter(tensor: Tensor) -> list[int]:
        if tensor._counter is None:
            tensor._counter = Memory([0])
            tensor._counter.changes = []
        return tensor._counter

    return counter


def _walk(seen: Watch, stored: Callable) -> Callable:
    def walk(root: Any, *given: Any, **named: Any) -> dict:
        number = getattr(root, "number", None)
        seen.passes.append(Pass(place_of(sys._getframe(1)), next(state.numbers), number))
        seen.root = None if number is None else seen.nodes.get(root, (None, None))[1]
        frame = program_frame(sys._getframe(1))[0]
        seen.inside = {} if frame is None or frame.f_code.co_name == "<module>" else {**frame.f_locals}
        return stored(root, *given, **named)

    return walk


def _visit(seen: Watch, stored: Callable) -> Callable:
    def visit(node: Any, grad_output: Any, retain_graph: bool) -> list:
        shares = stored(node, grad_output, retain_graph)
        if seen.broken is None and (what := not_finite(shares)) and not not_finite(grad_output):
            root = seen.root.ref() if seen.root else None
            if root is None or not not_finite(root):
                array = np.asarray(getattr(grad_output, "_array", grad_output))
                bad = [
                    ~np.isfinite(each) for each in (getattr(one, "_array", one) for one in shares if not_finite(one))
                ]
                masked = all(each.shape == array.shape and not array[each].any() for each in bad)
                seen.broken = Broken(seen.nodes.get(node, (None, None))[0], node.name(), what, masked)
        return shares

    return visit


def _free(seen: Watch, stored: Callable) -> Callable:
    def free(node: Any, retain_graph: bool) -> None:
        held = node.saved
        stored(node, retain_graph)
        if held and not retain_graph and seen.passes:
            seen.freed[node] = seen.passes[-1]
            if type(held) is tuple:
                seen.held[node] = [leaf.counter(each) for each in held if hasattr(each, "_counter")]

    return free


def _receive(seen: Watch, stored: Callable) -> Callable:
    def receive(tensor: Tensor, total: Any) -> None:
        kept, known = tensor._grad, seen.leaf(tensor)
        added = known.added if kept is not None and kept._array.any() else 0
        stored(tensor, total)
        known.added, known.spent = added + 1, min(known.spent, added)
        known.flat = total is not None and not np.any(getattr(total, "_array", total))

    return receive


def _grad(seen: Watch, stored: Any) -> Any:
    def grad(self: Tensor) -> Tensor | None:
        found = stored.fget(self)
        if found is None:
            place = place_of(sys._getframe(1))
            known = seen.missing
            seen.missing = place, self, known[2] if known and known[1] is self else place
        return found

    return property(grad, stored.fset, stored.fdel, stored.__doc__)


def _warn(seen: Watch, stored: Callable) -> Callable:
    def warn(text: str, category: type[Warning] = UserWarning) -> None:
        subject = sys._getframe(1).f_locals.get("self")
        if isinstance(subject, Tensor):
            seen.warned.append((place_of(sys._getframe(1)), subject))
        stored(text, category)

    return warn


def _keep(seen: Watch, stored: Callable) -> Callable:
    def keep(node: Any, ctx: Any, results: tuple) -> None:
        stored(node, ctx, results)
        seen.nodes[node] = (place_of(sys._getframe(1)), None)

    return keep


def _number(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def number(self: Tensor, *given: Any, **named: Any) -> Any:
        if not state.running:
            story = seen.story(self)
            cut = [use.story for use in story.inputs if use.required]  # as in `x.detach().numpy()`
            if self.requires_grad or cut:
                seen.numbers.append((place_of(sys._getframe(1)), story if self.requires_grad else cut[0]))
        return stored(self, *given, **named)

    return number


def _flag(seen: Watch, stored: Callable) -> Callable:
    def set_requires_grad(tensor: Tensor, flag: bool) -> None:
        required = tensor.requires_grad
        stored(tensor, flag)
        if required and not flag:
            seen.story(tensor).flags.append((place_of(sys._getframe(1)), "requires_grad"))

    return set_requires_grad


def _detach_(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def detach_(self: Tensor) -> Tensor:
        required, result = self.requires_grad, stored(self)
        if required:
            seen.story(self).flags.append((place_of(sys._getframe(1)), "detach_"))
        return result

    return detach_


def _made(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def made(self: Optimizer, *given: Any, **named: Any) -> None:
        stored(self, *given, **named)
        place = place_of(sys._getframe(1))
        for each in in_groups(self):
            seen.leaf(each).held = True
        if place is not None and type(self).step is Optimizer.step:  # a program's own step is not seen
            seen.idle[id(self)] = place

    return made


def _step(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def step(self: Optimizer, *given: Any, **named: Any) -> Any:
        seen.idle.pop(id(self), None)
        result = stored(self, *given, **named)
        for each in in_groups(self):
            known = seen.leaf(each)
            added = seen.sum_of(each)
            known.held, known.used, known.again = True, max(known.used, added), known.again or 0 < known.spent < added
            known.spent = added
        place = place_of(sys._getframe(1))
        if place is not None:
            key = place.file, place.line
            found = any(each._grad is not None for each in in_groups(self))
            seen.steps[key] = place, found or seen.steps.get(key, (place, False))[1]
        return result

    return step


def _zero_grad(seen: Watch, stored: Callable) -> Callable:
    @functools.wraps(stored)
    def zero_grad(self: Any, *given: Any, **named: Any) -> None:
        stored(self, *given, **named)
        place = place_of(sys._getframe(1))
        if place is not None:
            seen.clears.add((place.file, place.line))
            for each in in_groups(self) if isinstance(self, Optimizer) else self.parameters():
                seen.leaf(each).cleared.add((place.file, place.line))

    return zero_grad


def in_groups(optimizer: Optimizer) -> list[Tensor]:
    """The tensors that an optimizer changes."""
    return [each for group in optimizer.param_groups for each in group["params"]]


_SEAMS: tuple[tuple[Any, str, Callable], ...] = (
    (Tensor, "_of", _of),
    (Tensor, "grad", _grad),
    (Optimizer, "__init__", _made),
    (Optimizer, "step", _step),
    (Optimizer, "zero_grad", _zero_grad),
    (Module, "zero_grad", _zero_grad),
    (Tensor, "detach_", _detach_),
    (TensorBase, "item", _number),
    (TensorBase, "tolist", _number),
    (Tensor, "__float__", _number),
    (Tensor, "numpy", _number),
    (function.Node, "keep", _keep),
    (checks, "set_requires_grad", _flag),
    (hooks, "visit", _visit),
    (inplace, "rebase", _rebase),
    (leaf, "counter", _counter),
    (leaf, "free", _free),
    (leaf, "receive", _receive),
    (passes, "walk", _walk),
    (record, "take_place", _take_place),
    (scalar, "apply", _apply),
    (TENSOR, "warn", _warn),
    (array_ops, "constant", _constant),
)
