"""`vmap`: a function of one entry, for a batch. Like torch, it runs the function once, on all entries together: see
`passing.batched`. Where that cannot be, the function runs once for each entry, and the results are stacked: if there
are random numbers or changes in place, or if something looks at values; a Function with a rule of its own then runs
once, for all entries. What torch forbids is refused here as well: what depends on an entry is a `Row`, a Tensor whose
values nobody may look at; at the end it is a plain one.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

from __future__ import annotations

import collections
import contextlib
import functools
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from minigrad import leaf, random
from minigrad.autograd import trees
from minigrad.compat import dtypes, messages, pickling
from minigrad.func.entries import Again, Entries
from minigrad.graph import freeing, nodes, state
from minigrad.ops import functions, registry
from minigrad.ops.subclasses import PLAIN
from minigrad.passing import batched
from minigrad.tensor import Tensor

_sizes: list[int] = []  # of the batches that run, the innermost last
_running: list[_Batch] = []  # these batches
VmapInfo = collections.namedtuple("VmapInfo", ["batch_size", "randomness"])
VmapInfo.__module__ = "torch._functorch.autograd_function"
_rows: list[weakref.ref] = []  # every Row


class Row(Tensor):
    """A tensor that depends on the entry of a batch."""

    __module__, __qualname__ = "torch", "Tensor"

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if isinstance(value, Tensor):
            return marked(value)
        if name in REFUSED and _sizes:
            return functools.partial(_refuse, REFUSED[name])
        return value if name.startswith("_") or not isinstance(value, MethodType) else marking(value)


def marked(result: Any) -> Any:
    """The result of an operation on a Row; its tensors are Rows."""
    if type(result) is Tensor:
        result.__class__ = Row
        _rows.append(weakref.ref(result))
    elif isinstance(result, (tuple, list)):
        for item in result:
            marked(item)
    return result


def marking(operation: Callable) -> Callable:
    """An operation whose results are Rows."""

    @functools.wraps(operation)
    def call(*args: Any, **kwargs: Any) -> Any:
        return marked(operation(*args, **kwargs))

    return call


def kept(result: Any, given: Iterable) -> Any:
    """What `registry.call_of` does with a result: a Row, if one was given."""
    several = [item for one in given for item in (one if isinstance(one, (tuple, list)) else (one,))]
    return marked(result) if any(type(item) is Row for item in several) else result


def _refuse(text: str, *args: object, **kwargs: object) -> NoReturn:
    raise RuntimeError(text)


REFUSED = {
    "item": messages.VMAP_ITEM,
    "_number": messages.VMAP_ITEM,
    "tolist": messages.VMAP_DATA,
    "numpy": messages.VMAP_DATA,
    "nonzero": messages.VMAP_NONZERO,
    "requires_grad_": messages.VMAP_REQUIRES_GRAD,
    "backward": messages.VMAP_BACKWARD,
}
for _name in dir(Tensor):
    if _name.startswith("__") and isinstance(vars(Tensor).get(_name), FunctionType) and _name not in PLAIN:
        setattr(Row, _name, marking(vars(Tensor)[_name]))


def _truth(self: Tensor) -> bool:
    return _refuse(messages.VMAP_BRANCH) if _sizes else Tensor.__bool__(self)


def _get(self: Tensor, index: Any) -> Tensor:
    if _sizes and isinstance(index, Row) and index.dtype is dtypes.bool_:
        _refuse(messages.VMAP_MASK)
    return marked(Tensor.__getitem__(self, index))


def _float(self: Tensor) -> float:
    return _refuse(messages.VMAP_ITEM) if _sizes else Tensor.__float__(self)


Row.__bool__, Row.__float__, Row.__getitem__ = _truth, _float, _get  # type: ignore[method-assign, assignment]


class _Memory:
    """What a tensor, the same for all entries, was before the first of them changed it."""

    def __init__(self, base: Tensor, owner: np.ndarray):
        self.base, self.owner, self.values, self.made_by = base, owner, owner.copy(), base._made_by
        self.counter = leaf.counter(base)
        self.version = self.counter[0]

    def put_back(self) -> None:
        """Let the next entry find what the first one found."""
        np.copyto(self.owner, self.values)
        self.base._made_by, self.counter[0] = self.made_by, self.version


def before_change(tensor: Tensor, given: list, operation: Any) -> None:
    """What happens before a change in place: it is refused, or noted by all batches, as each entry is to find what the
    first one found.
    """
    demand_batched(tensor, given, operation)
    for batch in _running if type(tensor) is not Row else ():
        batch.note(tensor)


def demand_batched(tensor: Tensor, given: list, operation: Any) -> None:
    """RuntimeError, in torch's words, if a tensor that is the same for all entries would get values of one."""
    if type(tensor) is not Row and any(type(item) is Row for item in given):
        name = getattr(operation, "__name__", "")
        if name == "batch_norm":
            raise RuntimeError(messages.VMAP_BATCH_NORM)
        if name in ("add", "sub"):
            shape = list(tensor.shape)
            raise RuntimeError(f"output with shape {shape} doesn't match the broadcast shape {[_sizes[-1], *shape]}")
        raise RuntimeError(messages.VMAP_IN_PLACE)


# what an operation on vectors becomes for a batch of them
OF_BATCH = {"SumBackward0": "SumBackward1", "MeanBackward0": "MeanBackward1", "DotBackward0": "MvBackward0"}

# --- the transformation --------------------------------------------------------------------------


def vmap(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Callable:
    """A function of batches: func of each entry along the axes in_dims (None: the argument is for all), stacked along
    out_dims. Both are a number, or have the form of the arguments and of the result. Random numbers are an error, or
    the "same" for all entries, or "different". `chunk_size` has no effect. ValueError for forms and sizes that do not
    fit, RuntimeError for a function that needs to know values.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = getattr(func, "__name__", repr(func))

    def mapped(*args: Any, **kwargs: Any) -> Any:
        axes = _axes(name, in_dims, args)
        given = [*zip(trees.leaves(args), axes, strict=True)]
        sizes = [item.shape[axis] for item, axis in given if axis is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if {*sizes} != {sizes[0]}:
            got = f"dimension, got sizes {sizes} for the mapped dimension"
            raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped {got}")
        together = _at_once(func, args, kwargs, given, sizes[0], out_dims) if randomness == "error" else None
        if together is not None:
            return together[0]

        def call(row: int) -> Any:
            inside = [item if axis is None else _entry(item, axis, row) for item, axis in given]
            return func(*trees.filled(args, iter(inside)), **kwargs)

        with _Batch(sizes[0], randomness) as batch:
            return _stacked(name, batch.run(call), out_dims)

    return mapped


def _at_once(func: Callable, args: tuple, kwargs: dict, given: list, size: int, out_dims: Any) -> tuple | None:
    """What the function makes of all entries at once, in a tuple; None where it has to run for each alone."""
    if _sizes or nodes.prepare is None or not size:
        return None
    before = random.refused
    state.transforms += 1
    random.refuse(messages.VMAP_RANDOM)

    def run() -> tuple:
        with batched.Batch(size) as batch:
            return (_run(batch, func, args, kwargs, given, out_dims),)

    try:
        return batched.attempted(run)
    finally:
        state.transforms -= 1
        random.refuse(before)


def _run(batch: batched.Batch, func: Callable, args: tuple, kwargs: dict, given: list, out_dims: Any) -> Any:
    """The same, while the batch runs: when it ends, only the program may still have entries."""
    wholes = [item if axis is None else batch.entry(item.movedim(axis, 0) if axis else item) for item, axis in given]
    result = func(*trees.filled(args, iter(wholes)), **kwargs)
    axes = _axes_of_result(result, out_dims)
    if axes is None:
        raise batched.Unbatchable
    pairs = zip(trees.leaves(result), axes, strict=True)
    return trees.filled(result, iter([_moved(batch, item, axis) for item, axis in pairs]))


def _moved(batch: batched.Batch, value: Any, axis: int | None) -> Tensor:
    """All entries of a result along an axis; for None the one that they all have."""
    is_entry = type(value) is batched.Batched and value.batch is batch
    if not isinstance(value, Tensor) or (axis is None and is_entry):
        raise batched.Unbatchable
    if axis is None:
        return value
    whole = batch.whole(value)
    return whole.movedim(0, axis) if axis else whole


class _Batch:
    """What holds while the entries of a batch run."""

    def __init__(self, size: int, randomness: str):
        self.size, self.randomness = size, randomness
        self.first: dict[int, _Memory] = {}  # what the first entry has changed, by the address of the array
        self.common: dict[int, _Memory] = {}  # what another one has changed as well, so it belongs to no entry

    def __enter__(self) -> _Batch:
        self.before = registry.keep_class, random.refused, state.before_change, state.kept, state.of_batch
        _sizes.append(self.size)
        _running.append(self)
        state.transforms += 1
        self.transforms = state.transforms
        registry.set_keep_class(kept)
        random.refuse(messages.VMAP_RANDOM if self.randomness == "error" else "")
        state.before_change, state.kept, state.of_batch = before_change, kept, of_function
        self.start = random.default_generator.get_state() if self.randomness == "same" else None
        return self

    def next(self) -> None:
        """Another entry begins."""
        for each in self.common.values():
            each.put_back()
        if self.start is not None:
            random.default_generator.set_state(self.start)

    def note(self, tensor: Tensor) -> None:
        """A tensor that is no entry is about to change. An entry that may have read what an earlier one left of it
        begins again.
        """
        base = tensor._view.base if tensor._view else tensor
        owner = pickling.owner_of(base._memory())
        if self.entries.current == 0:
            if id(owner) not in self.first:
                self.first[id(owner)] = _Memory(base, owner)
        elif id(owner) in self.first and id(owner) not in self.common:
            self.common[id(owner)] = self.first[id(owner)]
            if not self.entries.met:
                raise Again(self.entries)

    def __exit__(self, *error: object) -> None:
        _sizes.pop()
        _running.pop()
        state.transforms -= 1
        self._put_back()
        if not _sizes:
            for each in [item() for item in _rows]:
                if each is not None:
                    each.__class__ = Tensor
                    vars(each).pop("_whole", None)
            _rows.clear()

    def _put_back(self) -> None:
        registry.set_keep_class(self.before[0])
        random.refuse(self.before[1])
        state.before_change, state.kept, state.of_batch = self.before[2:]

    def run(self, call: Callable) -> list:
        """The results of all entries."""
        self.entries = Entries(self.size, call, self.next, _now, _switch)
        return self.entries.run()

    @contextlib.contextmanager
    def outside(self) -> Iterator[None]:
        """In the block it is as if this batch, the innermost, did not run."""
        inside = _now()
        state.transforms = self.transforms - 1
        _sizes.pop()
        _running.pop()
        self._put_back()
        try:
            yield
        finally:
            _switch(inside)


def _now() -> tuple:
    """What one entry may have set, and another one must not find."""
    hooks = state.before_change, state.kept, state.of_batch, state.tangent
    return leaf.recording, state.transforms, registry.keep_class, random.refused, hooks, [*_sizes], [*_running]


def _switch(now: tuple) -> None:
    leaf.recording, state.transforms, keep_class, refused, hooks, _sizes[:], _running[:] = now
    registry.set_keep_class(keep_class)
    random.refuse(refused)
    state.before_change, state.kept, state.of_batch, state.tangent = hooks


# --- a Function's own rule ------------------------------------------------------------------------


def _entry(whole: Tensor, axis: int, row: int, result: bool = False) -> Any:
    """One entry of a tensor, which knows what it is of, and whether that is the result of a rule."""
    entry = marked(whole.select(axis, row))
    if type(entry) is Row:
        entry._whole = whole, axis, row if result else None
    return entry


def of_function(operation: Any, args: tuple) -> tuple[Any, bool]:
    """What a Function's own `vmap` makes of the arguments in all entries, for this one; NotImplemented where the
    arguments do not depend on the entry. And whether that is all: where a gradient is taken within the entry, its
    node is still to be made. RuntimeError for a rule that returns something else than it should.
    """
    if not any(type(item) is Row for item in trees.leaves(args)):
        return NotImplemented, False
    batch = _running[-1]
    if state.transforms > batch.transforms:
        with leaf.no_grad():
            output = _of_all(batch, operation, trees.mapped(_without_graph, args))
            return trees.mapped(_without_graph, output), False
    return _of_all(batch, operation, args), True


def _without_graph(item: Any) -> Any:
    """A tensor on the same memory without its graph; in a batch still an entry of what it was one of."""
    if not isinstance(item, Tensor):
        return item
    result = leaf.detach(item)
    if type(item) is Row:
        marked(result)
        vars(result).update(vars(item))
    return result


def _of_all(batch: _Batch, operation: Any, args: tuple) -> Any:

    def rule(given: list) -> list:
        pairs = [_together(column) for column in zip(*[trees.leaves(item) for item in given], strict=True)]
        with batch.outside():
            whole = [functions["stack"](value) if type(value) is _Several else value for value, _ in pairs]
            in_dims = trees.filled(args, iter([axis for _, axis in pairs]))
            info = VmapInfo(batch.size, batch.randomness)
            output, axes = _checked(operation.vmap(info, in_dims, *trees.filled(args, iter(whole))))
        flat = trees.leaves(output)
        return [
            trees.filled(output, iter([_part(item, axis, row) for item, axis in zip(flat, axes, strict=True)]))
            for row in range(batch.size)
        ]

    return batch.entries.meet(args, rule)


class _Several(list):
    """The entries of an argument that have no common tensor yet."""


def _together(column: tuple) -> tuple:
    """What the entries have of one argument, and along which axis they lie in it."""
    first = column[0]
    if type(first) is not Row:
        return first, None
    places = [vars(item).get("_whole") for item in column]
    if places[0] is not None and all(place and place[0] is places[0][0] for place in places):
        return places[0][:2]
    return _Several(column), 0


def _checked(returned: Any) -> tuple[Any, list]:
    """The output of a rule, and the axis of each tensor in it."""
    both = "an output and out_dims with pytree structure compatible with the output."
    start = f"Expected the vmap staticmethod to have two returns, {both} Got"
    if not isinstance(returned, tuple):
        raise RuntimeError(f"{start} a {type(returned)} instead")
    if len(returned) != 2:
        raise RuntimeError(f"{start} {len(returned)} returns instead")
    output, out_dims = returned
    axes = _spread(out_dims, output)
    if axes is None:
        which = f"incompatible (output, out_dims) tuple. Expected out_dims={out_dims} to be compatible with the"
        forms = f"out_dims has structure {trees.spec(out_dims)} but output has structure {trees.spec(output)}."
        more = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
        start = "The autograd.Function's vmap staticmethod returned an"
        raise RuntimeError(f"{start} {which} structure of `output`. {forms} {more}")
    return output, axes


def _part(item: Any, axis: int | None, row: int) -> Any:
    """An entry of a rule's output."""
    return _entry(item, axis, row, True) if isinstance(item, Tensor) and axis is not None else item


def _axes(name: str, in_dims: Any, args: tuple) -> list:
    """The axis of each tensor among the arguments; None for one that is for all entries."""
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        which = f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        raise ValueError(f"{start}expected `in_dims` to be int or a {which}")
    if not args:
        forgot = "Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs."
        raise ValueError(f"vmap({name})(<inputs>): got no inputs. {forgot} The latter is unsupported.")
    axes = _spread(in_dims, args)
    if axes is None:
        both = f"in_dims has structure {trees.spec(in_dims)} but inputs has structure {trees.spec(args)}."
        raise ValueError(f"{start}in_dims is not compatible with the structure of `inputs`. {both}")
    for place, (arg, axis) in enumerate(zip(trees.leaves(args), axes, strict=True)):
        if axis is None:
            continue
        if not isinstance(axis, int):
            must = "an input but in_dim must be either an integer dimension or None."
            raise ValueError(f"{start}Got in_dim={axis} for {must}")
        if not isinstance(arg, Tensor):
            cannot = "We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            raise ValueError(f"{start}Got in_dim={axis} for an input but the input is of type {type(arg)}. {cannot}")
        if not -arg.ndim <= axis < arg.ndim:
            satisfy = f"dimensionality {arg.ndim} so expected in_dim to satisfy -{arg.ndim} <= in_dim < {arg.ndim}."
            raise ValueError(f"{start}Got in_dim={axis} for some input, but that input is a Tensor of {satisfy}")
        axes[place] = axis % arg.ndim
    return axes


def _spread(dims: Any, tree: Any) -> list | None:
    """`dims` for each leaf of a tree: one number counts for all that is below it. None if it does not fit."""
    if dims is None or isinstance(dims, int) or not isinstance(tree, (tuple, list, dict)):
        return None if isinstance(dims, (tuple, list, dict)) else [dims] * len(trees.leaves(tree))
    if type(dims) is not type(tree) or len(dims) != len(tree):
        return None
    if isinstance(dims, dict) and isinstance(tree, dict):
        if dims.keys() != tree.keys():
            return None
        pairs = [(dims[key], tree[key]) for key in tree]
    else:
        pairs = [*zip(dims, tree, strict=True)]
    found = [_spread(*pair) for pair in pairs]
    return None if None in found else [axis for part in found for axis in part or ()]


def _stacked(name: str, results: list, out_dims: Any) -> Any:
    """The results of all entries as one of their form."""
    first = results[0]
    axes = _axes_of_result(first, out_dims)
    if axes is None:
        both = f"out_dims has structure {trees.spec(out_dims)} but outputs has structure {trees.spec(first)}."
        start = f"vmap({name}, ..., out_dims={out_dims})(<inputs>)"
        raise ValueError(f"{start}: out_dims is not compatible with the structure of `outputs`. {both}")
    columns = zip(*[trees.leaves(item) for item in results], strict=True)
    return trees.filled(first, iter([_one(name, [*rows], axis) for rows, axis in zip(columns, axes, strict=True)]))


def _axes_of_result(result: Any, out_dims: Any) -> list | None:
    """The axis of each tensor in a result; None if the forms do not fit."""
    axes = _spread(out_dims, result)
    return [*out_dims] if axes is None and _is_for_one(out_dims, result) else axes


def _is_for_one(out_dims: Any, result: Any) -> bool:
    return isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(result, Tensor)


def _one(name: str, rows: list, axis: int | None) -> Any:
    """The values of all entries in one tensor."""
    if axis is None:
        if type(rows[0]) is Row:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return rows[0]
    if not isinstance(rows[0], Tensor):
        meant = "Did you mean to set out_dims= to None for output?"
        raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(rows[0])}. {meant}")
    places = [vars(item).get("_whole", (None, 0, None)) for item in rows]
    if all(place[0] is places[0][0] and place[2] == row for row, place in enumerate(places)):
        whole, along, _ = places[0]  # the result of a rule, as it is
        return whole if along == axis else whole.movedim(along, axis)
    if all(item is rows[0] for item in rows):  # one for all entries
        return rows[0].expand((len(rows), *rows[0].shape)).movedim(0, axis)
    result = functions["stack"](rows, axis)
    source = rows[0].grad_fn
    if isinstance(source, nodes.Operation) and type(result.grad_fn).__name__ == "StackBackward0":
        name = type(source).__name__
        _name_like(result.grad_fn, OF_BATCH.get(name, name))
    return result


def _name_like(node: nodes.Operation, name: str) -> None:
    """Give the node that puts the entries together the name of the one that they all come from, as in torch."""
    kind = freeing.class_of(node)
    watched = type(node) is not kind
    node.__class__ = _named(kind, name)
    if watched:
        freeing.free_in_loop(node)


@functools.cache
def _named(kind: type, name: str) -> type:
    """A class of nodes under another name."""
    return type(name, (kind,), {"__module__": "builtins", "__slots__": ()})
