"""`vmap`: a function of one entry, for a batch. Like torch, it runs the function once, on all entries together: see
`passing.batched`. Where that cannot be, the function runs once for each entry, and the results are stacked: if there
are random numbers or changes in place, or if something looks at values. What torch forbids then is refused here as
well: what depends on an entry is a `Row`, a Tensor whose values nobody may look at; at the end it is a plain one.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any, NoReturn

from minigrad import random
from minigrad.autograd import trees
from minigrad.compat import dtypes, messages
from minigrad.graph import freeing, nodes, state
from minigrad.ops import functions, registry
from minigrad.ops.subclasses import PLAIN
from minigrad.passing import batched
from minigrad.tensor import Tensor

_sizes: list[int] = []  # of the batches that run, the innermost last
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


def demand_batched(tensor: Tensor, given: list, operation: Any) -> None:
    """RuntimeError, in torch's words, if a tensor that is the same for all entries would get values of one."""
    if type(tensor) is not Row and any(type(item) is Row for item in given):
        if getattr(operation, "__name__", "") in ("add", "sub"):
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
        together = _together(func, args, kwargs, given, sizes[0], out_dims) if randomness == "error" else None
        if together is not None:
            return together[0]
        with _Batch(sizes[0], randomness) as batch:
            results = []
            for row in range(sizes[0]):
                batch.next()
                inside = [item if axis is None else marked(item.select(axis, row)) for item, axis in given]
                results.append(func(*trees.filled(args, iter(inside)), **kwargs))
            return _stacked(name, results, out_dims)

    return mapped


def _together(func: Callable, args: tuple, kwargs: dict, given: list, size: int, out_dims: Any) -> tuple | None:
    """What the function makes of all entries at once, in a tuple; None where it has to run for each alone."""
    if _sizes or nodes.prepare is None or not size:
        return None
    before = random.refused
    state.transforms += 1
    random.refuse(messages.VMAP_RANDOM)
    try:
        with batched.Batch(size) as batch:
            return (_run(batch, func, args, kwargs, given, out_dims),)
    except (Exception, batched.Unbatchable):
        if batched.running:
            raise batched.Unbatchable from None
        return None
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

    def __enter__(self) -> _Batch:
        self.before = registry.keep_class, random.refused, state.before_change, state.kept
        _sizes.append(self.size)
        state.transforms += 1
        registry.set_keep_class(kept)
        random.refuse(messages.VMAP_RANDOM if self.randomness == "error" else "")
        state.before_change, state.kept = demand_batched, kept
        self.start = random.default_generator.get_state() if self.randomness == "same" else None
        return self

    def next(self) -> None:
        """Another entry begins."""
        if self.start is not None:
            random.default_generator.set_state(self.start)

    def __exit__(self, *error: object) -> None:
        _sizes.pop()
        state.transforms -= 1
        registry.set_keep_class(self.before[0])
        random.refuse(self.before[1])
        state.before_change, state.kept = self.before[2:]
        if not _sizes:
            for each in [item() for item in _rows]:
                if each is not None:
                    each.__class__ = Tensor
            _rows.clear()


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
