"""Operations on all entries of a batch at once, for `vmap` and for walks that are recorded: a `Batched` is a Tensor
that stands for one entry, and holds all of them in one tensor with an axis more in front.

What an operation makes of such tensors, its rule says: the operation itself with other settings, where its axes are
counted from the front, or other operations. Without a rule it is asked for each entry, and the results are stacked. The
tensor with all entries is an ordinary one, and so the graph is too. Nobody may look at a Batched's values: whoever
tries stops the batch with `Unbatchable`, and then everything runs again for each entry alone.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from minigrad import scalar
from minigrad.graph import nodes, state
from minigrad.tensor import Tensor


class Unbatchable(BaseException):
    """Something wants to know more than the shape and dtype of an entry. No program catches it by accident."""


def _refuse(*_: object, **__: object) -> NoReturn:
    raise Unbatchable


class Form:
    """What everybody may know of an entry's array. It counts as stored row by row."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype):
        self.shape, self.dtype = shape, dtype

    c_contiguous, f_contiguous = True, False

    @property
    def ndim(self) -> int:
        """How many axes an entry has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many numbers an entry has."""
        return math.prod(self.shape)

    @property
    def flags(self) -> Form:
        """Whether it is stored row by row."""
        return self

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        steps = [self.dtype.itemsize]
        for size in reversed(self.shape[1:]):
            steps.append(steps[-1] * size)
        return tuple(reversed(steps)) if self.shape else ()

    __getattr__ = __getitem__ = __setitem__ = __iter__ = __bool__ = __array__ = __array_ufunc__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class _Refusing:
    """Stands for what only an ordinary tensor has: how it shares memory."""

    __slots__ = ()
    __getattr__ = _refuse


class Batched(Tensor):
    """An entry of a batch. It has no slots of its own, so that it can become an ordinary tensor in the end."""

    __slots__ = ()
    __module__, __qualname__ = "torch", "Tensor"

    whole: Tensor  # all entries
    batch: Batch
    form: Form

    _array = property(lambda self: self.form, _refuse)
    _view = property(lambda self: _Refusing(), _refuse)  # so the fast path leaves it to the general one
    _made_by = _requires_grad = _counter = _grad = _hooks = property(_refuse, _refuse)

    @property
    def requires_grad(self) -> bool:
        """Whether the tensor of all entries does."""
        return self.whole.requires_grad

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        _refuse()

    def _memory(self) -> Any:
        return self.form

    def _source(self) -> Any:
        return self.whole._source()

    def _place(self) -> Any:
        return self.whole._place()

    def detach(self) -> Tensor:
        """The same entry outside the graph."""
        return self.batch.entry(self.whole.detach())


class Batch:
    """The entries that run at once. It counts as running in a `with` block."""

    def __init__(self, size: int):
        self.size, self.depth = size, 0
        self.entries: list[weakref.ref[Batched]] = []

    def __enter__(self) -> Batch:
        self.before = state.batched, state.before_change
        self.depth = len(running) + 1
        running.append(self)
        state.batched, state.before_change = applied, _refuse
        return self

    def __exit__(self, *error: object) -> None:
        running.pop()
        state.batched, state.before_change = self.before
        for each in [item() for item in self.entries]:
            if each is not None:  # the program keeps it: from now on it is all entries
                _end(each)

    def entry(self, whole: Tensor) -> Batched:
        """The tensor (size, …) as an entry (…) of the batch; the innermost batch is always the outermost shell."""
        if type(whole) is Batched and whole.batch.depth > self.depth:
            return whole.batch.entry(self.entry(whole.whole.movedim(1, 0)))
        result = object.__new__(Batched)
        array = whole._array
        result.whole, result.batch, result.form = whole, self, Form(array.shape[1:], array.dtype)
        self.entries.append(weakref.ref(result))
        return result

    def whole(self, value: Tensor) -> Tensor:
        """All entries of a tensor, which is the same for all unless it is an entry of this batch."""
        if type(value) is Batched:
            if value.batch is self:
                return value.whole
            if value.batch.depth > self.depth:
                return value.batch.entry(self.whole(value.whole).movedim(0, 1))
        return value.expand((self.size, *value.shape))


running: list[Batch] = []  # the innermost last


def _end(entry: Any) -> None:
    """Make an entry an ordinary tensor: the same memory and place in the graph as all entries."""
    whole = entry.whole
    entry.__dict__.clear()
    if type(whole) is Batched:
        entry.__dict__.update(whole.__dict__)
        whole.batch.entries.append(weakref.ref(entry))
        return
    entry.__class__ = Tensor
    for slot in ("_array", "_requires_grad", "_made_by", "_view", "_counter", "_grad", "_hooks"):
        setattr(entry, slot, getattr(whole, slot))


def variable(value: Tensor, make: Callable[[Tensor], Tensor], batches: Sequence[Batch]) -> Tensor:
    """An argument as a variable that `make` makes: one for each entry of all batches that run."""
    if not batches:
        return make(value)
    return batches[-1].entry(variable(batches[-1].whole(value), make, batches[:-1]))


def batch_of(values: Sequence) -> Batch | None:
    """The innermost batch of which one of the values is an entry."""
    result: Batch | None = None
    for item in values:
        if type(item) is Batched and (result is None or item.batch.depth > result.depth):
            result = item.batch
    return result


# --- what an operation makes of entries ----------------------------------------------------------


class Call(NamedTuple):
    """An operation on inputs, of which one at least is an entry of a batch."""

    operation: Any
    batch: Batch
    values: list  # all entries of an input; an input that is the same for all as it is
    flags: list[bool]  # which of them are entries
    settings: dict


Rule: TypeAlias = Callable[[Call], Any]  # all entries of the result; of several results a tuple


def applied(operation: Any, inputs: tuple, settings: dict) -> Any:
    """What an operation makes of entries of a batch; None if none of its inputs is one."""
    batch = batch_of(inputs)
    if batch is None:
        return None
    flags = [type(item) is Batched and item.batch is batch for item in inputs]
    values = [item.whole if flag else item for item, flag in zip(inputs, flags, strict=True)]
    rule_of: Any = getattr(Tensor, "_rule_of")  # noqa: B009  (`ops.batch_rules`, loaded when it is first used)
    result = rule_of(operation)(Call(operation, batch, values, flags, settings))
    return tuple(map(batch.entry, result)) if isinstance(result, tuple) else batch.entry(result)


def each_alone(call: Call) -> Any:
    """The rule of an operation that has no other: once for each entry."""
    if not call.operation.__module__.startswith("minigrad."):
        raise Unbatchable
    results = []
    for row in range(call.batch.size):
        given = [item.select(0, row) if flag else item for item, flag in zip(call.values, call.flags, strict=True)]
        results.append(call.operation.apply(*given, **call.settings))
    if not isinstance(results[0], tuple):
        return Tensor._stack(results, 0)
    return tuple([Tensor._stack(column, 0) for column in zip(*results, strict=True)])


def attempted(compute: Callable[[], Any]) -> Any:
    """What is computed on all entries at once; None where each has to run alone: then a batch around it stops too."""
    try:
        return compute()
    except (Exception, Unbatchable):
        if running:
            raise Unbatchable from None
        return None


# --- a walk --------------------------------------------------------------------------------------


def demand_simple(outputs: Sequence[Tensor]) -> None:
    """Unbatchable where a hook or a program's Function would see what arrives below the outputs."""
    for output in outputs:
        for place in scalar.topological_order(output._place()):
            if place._hooks is not None:
                raise Unbatchable
            if isinstance(place, nodes.Operation) and not type(place).backward.__module__.startswith("minigrad."):
                raise Unbatchable
