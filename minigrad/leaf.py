"""Chapter 4: who keeps a gradient.

A leaf is a tensor that no recorded operation made: it has no `grad_fn`. Only a leaf that requires grad keeps what
the walk brings it, in `.grad`, and it *adds*: a second backward adds to the first, until you set `.grad` to None.
Another tensor keeps its gradient only if you ask: `retain_grad`. (Hooks, which see it pass, are in `runtime.hooks`.)

A leaf that requires grad cannot be changed in place: the graph would have no record of its old value. Other
tensors can, and every change is counted, because a node may have saved the old value for its backward. Changing a
view changes its base: the base is then the result of `CopySlices`, which sends on the gradient of what was
overwritten to the new values only. Under `no_grad` nothing is recorded, and a leaf may be changed.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import scalar
from minigrad.compat import checks, messages
from minigrad.compat.context_decorator import Block, within
from minigrad.compat.messages import warn
from minigrad.runtime import array_ops, hooks
from minigrad.scalar import Function
from minigrad.tensor import Tensor, constant

recording = True  # whether operations make nodes
anomalies = False  # whether every node is watched (`autograd.detect_anomaly`)
ordinary = False  # during a pass: that it records nothing, is for every leaf, and is not watched
asked: Any = None  # what the running pass is for (`hooks.CapturePass`), when it is not for every leaf

# --- whether operations are recorded -------------------------------------------------------------


class set_grad_enabled:
    """Switch recording on or off at once; as a context manager or a decorator, for a while."""

    def __init__(self, mode: bool):
        checks.demand_bool("set_grad_enabled(): argument 'enabled' (position 1)", mode)
        self.mode, self.before = mode, recording
        _switch(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        _switch(self.before)

    def __call__(self, function: Callable) -> Callable:
        _switch(self.before)  # as a decorator it changes nothing until the function runs
        return within(lambda: set_grad_enabled(self.mode), function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class no_grad(Block):
    """Nothing in the block, or in the decorated function, is recorded: results are leaves that need no gradient."""

    before = True

    def __enter__(self) -> None:
        global recording
        self.before, recording = recording, False

    def __exit__(self, *error: Any) -> None:
        _switch(self.before)


class enable_grad(Block):
    """Recording goes on in the block, even inside `no_grad`."""

    before = True

    def __enter__(self) -> None:
        self.before = recording
        _switch(True)

    def __exit__(self, *error: Any) -> None:
        _switch(self.before)


def _switch(mode: bool) -> None:
    global recording
    recording = bool(mode)


def is_grad_enabled() -> bool:
    """True where operations are recorded."""
    return recording


# --- gradients -----------------------------------------------------------------------------------


def is_leaf(tensor: Tensor) -> bool:
    """True unless a recorded operation made the tensor."""
    return tensor.grad_fn is None


def detach(tensor: Tensor) -> Tensor:
    """The same memory, outside the graph: a constant. Changes of either are counted for both."""
    alias = Tensor._of(tensor._memory().view())
    alias._counter = counter(tensor)
    return alias


def receive(tensor: Tensor, total: Any) -> None:
    """The end of the walk for a tensor: hooks see what arrived, then the leaf accumulates it, if it is asked for."""
    if tensor._hooks is not None or asked is not None:
        total, go_on = hooks.arrive(tensor, total)
        if not go_on:
            return
    if tensor._requires_grad and total is not None:  # the flag may have gone off after the graph was made
        if tensor._grad is not None:
            checks.demand_room(tensor._grad, total)
        accumulate(tensor, total if isinstance(total, Tensor) else constant(total))
    if tensor._hooks is not None:
        hooks.received(tensor, total)


def accumulate(tensor: Tensor, grad: Tensor) -> None:
    """Add `grad`, of the leaf's shape, to what the leaf already keeps.

    The same `.grad` tensor is changed in place, so a name you gave it earlier sees the sum. Under `create_graph` the
    sum is a new tensor, with a graph of its own. Otherwise `grad` is handed over: nobody else holds it.
    """
    kept = tensor._grad
    if recording:
        tensor._grad = Copy.apply(Tensor._of(np.zeros_like(grad._array)), grad) if kept is None else kept + grad
    elif kept is None:
        array = grad._array
        if type(array) is np.ndarray:  # a number is nobody's memory
            grad._array = array.copy()  # leaves may share an array
        tensor._grad = grad
    else:
        kept._array += grad._array
        counter(kept)[0] += 1


def retain_grad(tensor: Tensor) -> None:
    """Let a non-leaf keep its gradient in `.grad`, as a leaf does. RuntimeError for a constant."""
    if not tensor.requires_grad:
        raise RuntimeError(messages.RETAIN_CONSTANT)
    if not tensor.is_leaf:
        hooks.keep(tensor)


def retains_grad(tensor: Tensor) -> bool:
    """True for a non-leaf that was asked to retain its gradient."""
    place = current_source(tensor)
    return place is not None and place._hooks is not None and any(k() is tensor for k in place._hooks.keepers)


def grad(tensor: Tensor) -> Tensor | None:
    """What the tensor keeps. A UserWarning where nothing will ever arrive: on a non-leaf."""
    if tensor._grad is None and not tensor.is_leaf and not retains_grad(tensor):
        warn(messages.NON_LEAF_GRAD)
    return tensor._grad


def free(node: Any, retain_graph: bool) -> None:
    """What a node does after its backward: it drops what it saved, and so refuses a second time.

    A node that saved nothing has nothing to free, and works any number of times.
    """
    if node.saved and not retain_graph:
        node.saved = None


# --- changes in place ----------------------------------------------------------------------------


def counter(tensor: Tensor) -> list[int]:
    """How often the tensor's memory was changed in place: one number, shared by all who share the memory."""
    if tensor._counter is None:
        tensor._counter = [0]
    return tensor._counter


def version(value: Any) -> int:
    """How often the memory of a tensor has been changed in place; 0 for what is no tensor."""
    return value._counter[0] if isinstance(value, Tensor) and value._counter is not None else 0


def versions(values: tuple) -> tuple[int, ...]:
    """The version of each value."""
    found = []
    for each in values:
        found.append(each._counter[0] if isinstance(each, Tensor) and each._counter else 0)
    return tuple(found)


def expected_versions(node: Any) -> tuple[int, ...]:
    """The versions that the values had when `node` saved them, one for each of `node.saved`."""
    return node.versions or (0,) * len(node.saved)


def check_versions(node: Any) -> None:
    """RuntimeError if a value that `node` saved has been changed in place since."""
    expected, found = expected_versions(node), versions(node.saved)
    if found != expected:
        raise checks.changed_since(node, *[place for place, now in enumerate(found) if now != expected[place]])


class View:
    """How a tensor lies in another one's memory: the base, and the steps that cut the view out of it."""

    __slots__ = ("base", "above", "steps", "origin", "seen", "layout")

    def __init__(self, base: Tensor, above: Tensor, steps: tuple, origin: str):
        self.base, self.above, self.steps = base, above, steps
        array = base._memory()
        self.layout = above._view.layout if above._view else (array.shape, array.strides)  # of the base, for the steps
        self.origin = origin  # why a change in place cannot be recorded: a key of `messages.ORIGINS`, or ""
        self.seen = version(base)  # at which version the view's source was right


def note_view(view: Tensor, tensor: Tensor, operation: type[Function], settings: dict, origin: str = "") -> None:
    """Remember that `view` shares the memory of `tensor`, and its count of changes."""
    view._counter = counter(tensor)
    above = tensor._view
    base, steps, inherited = (above.base, above.steps, above.origin) if above else (tensor, (), "")
    origin = origin or inherited or ("" if recording else "no_grad")
    view._view = View(base, tensor, (*steps, (operation, settings)), origin)


def steps_to(view: View) -> tuple:
    """The steps from the base as it is now; if its shape was changed in place since, the first one undoes that."""
    array = view.base._array
    if (array.shape, array.strides) == view.layout:
        return view.steps
    return (view.base._rearranged, {"layout": view.layout}), *view.steps


def cut(value: Any, steps: tuple) -> Any:
    """The part of an array or Tensor that the steps lead to, sharing its memory."""
    for operation, settings in steps:
        if isinstance(value, Tensor):
            value = operation.apply(value, **settings)
        else:
            value = operation.forward(object.__new__(operation.node), value, **settings)
    return value


class AsStrided(Function):
    """What a view becomes when its memory was changed: cut anew from its base, as the base is now."""

    __slots__ = ("steps", "axes")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if ctx.edges[0] is None:
            return None
        base = ctx.edges[0]._array if isinstance(ctx.edges[0], Tensor) else ctx.edges[0]
        stand_in = Tensor._of(array_ops.laid_out(np.zeros(base.shape, base.dtype), ctx.axes), requires_grad=True)
        with enable_grad():
            node = cut(stand_in, ctx.steps)._made_by
        while node is not stand_in:
            (grad_output,), (node,) = node.shares(grad_output), node.edges
        return grad_output


def current_source(tensor: Tensor) -> Any:
    """The node that made the tensor; for a view whose memory changed since, a new one that cuts it from its base."""
    view = tensor._view
    if view is None or view.seen == version(tensor):
        return tensor._made_by
    base = view.base
    target = base._made_by or (base if base._requires_grad else None)
    if target is not None or tensor._made_by is not None:  # of a base without a gradient: it ends there
        if view.origin:
            raise RuntimeError(checks.refusal(tensor, "its base or another view of its base has been"))
        node: Any = object.__new__(AsStrided.node)
        adopt(node, (target,), tensor._array)
        node.steps, node.axes = steps_to(view), array_ops.axes_in_memory(base._array)
        hooks.move_keepers(tensor, tensor._made_by, node)
        tensor._made_by = node
    view.seen = version(tensor)
    return tensor._made_by


def place_of(tensor: Tensor) -> Any:
    """Where in the graph the gradient of a tensor arrives: at what made it, or at the leaf itself."""
    made_by = tensor._made_by if tensor._view is None else current_source(tensor)
    return tensor if made_by is None else made_by


def adopt(node: Any, edges: tuple, like: np.ndarray) -> None:
    """Fill in a node that was made by hand, for a result of the shape and dtype of `like`."""
    node.edges, node.saved, node.versions, node._hooks = edges, (), None, None
    node.needs_input_grad = tuple([target is not None for target in edges])
    node.number = next(scalar._numbers)
    node.shape, node.dtype = like.shape, like.dtype


class CopySlices(Function, name="CopySlices"):
    """A base after one of its views was changed by the node `inner`.

    The upstream gradient of the changed part goes through `inner`; the rest passes on to the old base unchanged.
    """

    __slots__ = ("inner", "steps", "axes")
    inner: Function
    steps: tuple  # from the base to the part
    axes: tuple[int, ...] | None  # of the base's memory

    def shares(self, grad_output: Any, retain_graph: bool = False) -> list:
        self.kept()
        whole = array_ops.laid_out(grad_output, self.axes)

        def inner(grad: Any) -> list:
            old, *written = self.inner.shares(grad, retain_graph)
            return [0 if old is None else old, *written]

        base, *written = copy_slices(whole, cut(whole, self.steps), inner)
        free(self, retain_graph)
        return [base if self.edges[0] is not None else None, *written]

    def name(self) -> str:
        return "torch::autograd::CopySlices"


def copy_slices(whole: Any, part: Any, inner: Callable) -> list:
    """Split the upstream gradient of a base of which a part was changed: [to the base before, *to what was written].

    `whole` is a copy of that gradient, `part` the changed entries in it, sharing its memory. `inner(grad)` gives the
    shares of the change itself: the first for the entries as they were, the others for what was written.
    """
    old, *written = inner(array_ops.copy(part))
    part[...] = old
    return [whole, *written]


def change(tensor: Tensor, operation: Callable, *inputs: Any, **settings: Any) -> Tensor:
    """Write what `operation` makes of the tensor into its memory, and record that. `x.mul_(y)` is this with Mul.

    RuntimeError where a leaf that requires grad would change, or where shape or dtype of the result do not fit.
    """
    overlaps, reads_first = getattr(operation, "overlaps", False), getattr(operation, "reads_first", False)
    checks.demand_changeable(tensor, *inputs, overlaps=overlaps, reads_first=reads_first)
    memory = tensor._memory()
    old = tensor
    if recording:
        old = Tensor._of(memory.view())
        old._made_by, old._requires_grad = current_source(tensor), tensor._requires_grad
    result = operation(old, *inputs, **settings)
    if result._array.shape != memory.shape:
        raise RuntimeError(messages.CHANGED_SHAPE.format(list(memory.shape), list(result._array.shape)))
    if result._array.dtype is not memory.dtype and result.dtype.kind > tensor.dtype.kind:
        raise RuntimeError(messages.CHANGED_DTYPE.format(result.dtype.scalar_type, tensor.dtype.scalar_type))
    node = result._made_by
    if node is not None and any(each is old for each in node.saved):
        old._array = memory.copy()  # the node keeps the value from before
    checks.write(memory, result._array)
    counter(tensor)[0] += 1
    if node is not None:
        for each in node.saved:
            if isinstance(each, scalar.SavedOutput):  # the node's result is now this tensor
                each._array, each._counter = memory, tensor._counter
                node.versions = versions(node.saved)
        rebase(tensor, node)
    return tensor


def rebase(tensor: Tensor, node: Function) -> None:
    """The tensor is now the result of `node`; if it is a view, its base is the result of CopySlices."""
    if tensor._view is None:
        hooks.move_keepers(tensor, tensor._made_by, node)
        tensor._made_by = node
        return
    base = tensor._view.base
    slices: Any = object.__new__(CopySlices.node)
    adopt(slices, (current_source(base), *node.edges[1:]), base._array)
    slices.inner, slices.steps, slices.axes = node, steps_to(tensor._view), array_ops.axes_in_memory(base._array)
    slices.saved = (node,)  # so that it is freed, as a node that has saved something
    hooks.move_keepers(base, base._made_by, slices)
    base._made_by = slices


class Copy(Function, name="CopyBackwards"):
    """What `x.copy_(y)` makes of x: y, and nothing of x."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, old: Any, value: Any) -> Any:
        return np.array(np.broadcast_to(value, old.shape), old.dtype)

    promotes = False

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.zeros(ctx.shape, ctx.dtype, grad_output) if ctx.needs_input_grad[0] else None, grad_output

    def name(self) -> str:
        return "torch::autograd::CopyBackwards"
