"""What may be done to a tensor: assigning `.grad`, `.requires_grad`, `.data`, leaving the graph, changing in place.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from minigrad import leaf, scalar, upstream
from minigrad.compat import dtypes, messages, typenames
from minigrad.compat.messages import warn
from minigrad.runtime import array_ops
from minigrad.tensor import Tensor


def demand_gradient(tensor: Tensor, value: Any) -> None:
    """TypeError or RuntimeError for what cannot be the tensor's `.grad`: it is a tensor of its shape and dtype."""
    if not isinstance(value, Tensor):
        raise TypeError(messages.GRAD_TYPE.format(type(value).__name__))
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.dtype is not tensor.dtype:
        raise RuntimeError(messages.GRAD_DTYPE.format(value.dtype.cpp_name, tensor.dtype.scalar_type))
    if value.shape != tensor.shape:
        raise RuntimeError(messages.GRAD_SHAPE.format(list(value.shape), list(tensor.shape)))


def set_requires_grad(tensor: Tensor, flag: bool) -> None:
    """Set the flag of a leaf. RuntimeError on a non-leaf, or where the dtype has no gradients."""
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not tensor.is_leaf:
        raise RuntimeError(messages.FLAG if flag else messages.FLAG_HINT)
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    tensor._requires_grad = flag


def requires_grad_(tensor: Tensor, flag: bool = True) -> Tensor:
    """The method form, with torch's own texts: silent for True on a non-leaf."""
    demand_bool("requires_grad_(): argument 'requires_grad' (position 1)", flag)
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if not flag or tensor.is_leaf:
        set_requires_grad(tensor, flag)
    return tensor


def demand_bool(argument: str, flag: Any) -> None:
    """TypeError, in torch's words, for a flag that is no bool; `argument` begins its text."""
    if not isinstance(flag, bool):
        raise TypeError(f"{argument} must be bool, not {typenames.name_of_type(flag)}")


def demand_flags(*flags: Any) -> None:
    """TypeError, in torch's words, for a flag of a pass that is neither None nor a number without fraction."""
    for flag in flags:
        if flag is not None and not hasattr(flag, "__index__"):
            raise TypeError(f"'{typenames.name_of_type(flag)}' object cannot be interpreted as an integer")


def demand_pass(output: Tensor, gradient: Any, retain_graph: Any, create_graph: Any, inputs: Any) -> Any:
    """The inputs of `output.backward(…, inputs)`, as a tuple. TypeError or RuntimeError for what cannot be one."""
    demand_flags(retain_graph, create_graph)
    if inputs is None:
        return None
    from minigrad.runtime import passes  # here, because it builds on this

    found = passes.inputs_of(inputs, "backward")
    passes.demand_tensors(found, (output,), passes.gradients_of(gradient, (output,)))
    return found


def demand_room(kept: Tensor, total: Any) -> None:
    """RuntimeError, in torch's words, for a gradient that cannot be added to what a leaf keeps: its shape changed."""
    shape = kept._array.shape
    if shape != total.shape:
        upstream.demand_broadcast((kept._array, array_ops.raw(total)))
        found = np.broadcast_shapes(shape, total.shape)
        if found != shape:
            raise RuntimeError(messages.CHANGED_SHAPE.format(list(shape), list(found)))


def set_data(tensor: Tensor, value: Any) -> None:
    """Assign `.data`: the tensor takes over the memory of `value`, and stays where it is in the graph."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if tensor.requires_grad and not value.dtype.is_floating_point:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    tensor._array, tensor._view = value._memory().view(), None


detached: dict[int, tuple[weakref.ref, weakref.ref]] = {}  # by id: tensors that `detach_` cut, and what made them


def demand_attached(node: Any) -> None:
    """RuntimeError, in torch's words, if `detach_` has cut a tensor from the graph since the node saved it."""
    for each in node.saved:
        cut = detached.get(id(each))
        if cut is not None and cut[0]() is each:
            made_by = cut[1]()
            if made_by is not None and any(target is made_by for target in node.edges):
                raise RuntimeError(messages.DETACHED)


def detach_(tensor: Tensor) -> Tensor:
    """Cut the tensor itself from the graph. RuntimeError for a view: its base would stay inside."""
    if tensor._view is not None:
        raise RuntimeError(messages.DETACH_VIEW)
    if tensor._made_by is not None:
        key = id(tensor)
        detached[key] = weakref.ref(tensor, lambda _: detached.pop(key, None)), weakref.ref(tensor._made_by)
    tensor._made_by, tensor._requires_grad = None, False
    return tensor


# --- changes in place ----------------------------------------------------------------------------


def demand_changeable(tensor: Tensor, *inputs: Any, overlaps: bool = False, reads_first: bool = False) -> None:
    """RuntimeError, in torch's words, where the tensor cannot be changed in place.

    With `overlaps`, several of its entries may lie in one place of memory; with `reads_first`, inputs may lie there.
    """
    given = [each for each in inputs if isinstance(each, Tensor)]
    if leaf.recording and (tensor.requires_grad or any(each.requires_grad for each in given)):
        if tensor._view and tensor._view.origin:
            raise RuntimeError(refusal(tensor, "is being"))
        above: Any = tensor
        while above is not None:
            if above._requires_grad and above._made_by is None:
                subject = "a leaf Variable" if tensor._view is None else "a view of a leaf Variable"
                raise RuntimeError(messages.CHANGED_LEAF.format(subject))
            above = above._view and above._view.above
    array = tensor._memory()
    if not overlaps and expanded(array):
        raise RuntimeError(messages.SHARED_MEMORY.format("more than one element of the written-to tensor refers"))
    for each in given if not reads_first else ():
        if _overlap(array, each._memory()):
            raise RuntimeError(messages.SHARED_MEMORY.format(OVERLAP))
        if _entangled(array, each._memory()):
            raise RuntimeError(messages.ENTANGLED)


def guard(result: Tensor, *tensors: Tensor | None) -> Tensor:
    """The result, whose node keeps these tensors as well: to change one in place before its backward is an error."""
    node = result._made_by
    if node is not None:
        node.saved = (*node.saved, *tensors)
        found = leaf.versions(node.saved)
        node.versions = found if any(found) else None
    return result


class Overlapping:
    """An operation that may change, in place, a tensor of which several entries lie in one place of memory."""

    overlaps, reads_first = True, False

    def __init__(self, operation: Any):
        self.operation = operation

    def __call__(self, *inputs: Any, **settings: Any) -> Tensor:
        return self.operation(*inputs, **settings)


class ReadingFirst(Overlapping):
    """An operation that has read its input when it begins to write, and so may take it from the same memory."""

    overlaps, reads_first = False, True


def expanded(array: np.ndarray) -> bool:
    """True if several entries lie in one place of memory."""
    steps = zip(array.strides, array.shape, strict=True)
    return 0 in array.strides and array.size > 0 and any(step == 0 < size - 1 for step, size in steps)


def write(memory: np.ndarray, values: np.ndarray) -> None:
    """Put the values into memory; where several entries lie in one place, those that are new there."""
    if not expanded(memory):
        memory[...] = values
        return
    new = ~((values == memory) | ((values != values) & (memory != memory)))
    memory[new] = values[new]


def allow_expanded(tensor: Tensor, operation: str, example: str) -> None:
    """A UserWarning where an operation changes, in place, some entries of an expanded tensor, and so their copies."""
    if expanded(tensor._memory()):
        warn(messages.EXPANDED.format(operation, example))


OVERLAP = "some elements of the input tensor and the written-to tensor refer"


def changed_since(node: Any, *places: int) -> RuntimeError:
    """The error for saved values of `node` that were changed in place since; `places` count in `node.saved`."""
    roles = node.roles()
    place = min(places, key=lambda each: (roles[each] == "result", roles[each]))  # torch names one, in this order
    saved = node.saved[place]
    made_by, index = (node, saved.index) if isinstance(saved, scalar.SavedOutput) else (saved.grad_fn, saved.output_nr)
    which = f", which is output {index} of {label(made_by)}," if made_by else ""
    dtype, shape = dtypes.of_array(saved._array), list(saved._array.shape)
    kind = "CPUBoolType" if dtype is dtypes.bool_ else dtype.tensor_type
    expected = leaf.expected_versions(node)[place]
    hint = messages.CHANGED_HINT_OF_ANOMALY if leaf.anomalies else messages.CHANGED_HINT
    return RuntimeError(messages.CHANGED_SINCE.format(kind, shape, which, leaf.version(saved), expected, hint))


def refusal(view: Tensor, changed: str) -> str:
    """Why a change in place around a view of this origin is refused."""
    origin, made_by = view._view.origin, view._made_by
    made_by = made_by.node if isinstance(made_by, scalar.Output) else made_by
    which = f"Output {view.output_nr} of {label(made_by)} is a view" if made_by else "A view was"
    if origin == "no_grad" or not made_by:
        which += f"{' of a view which was' if made_by else ''} created in no_grad mode"
        return f"{which} and {changed} modified inplace with grad mode enabled. {messages.ORIGINS[origin]}"
    return f"{which} and {changed} modified inplace. {messages.ORIGINS[origin]}"


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """True if two arrays without gaps share some of their memory, unless they are the same."""
    if a.base is None is b.base:
        return False
    (low_a, high_a), (low_b, high_b) = (np.lib.array_utils.byte_bounds(each) for each in (a, b))
    if high_a - low_a != a.nbytes or high_b - low_b != b.nbytes:
        return False  # with gaps between the entries, torch does not look
    same = (low_a, high_a) == (low_b, high_b) and a.strides == b.strides
    return not same and low_a < high_b and low_b < high_a


def _entangled(a: np.ndarray, b: np.ndarray) -> bool:
    """True if a change of a, entry by entry, would change entries of b that are read later."""
    if a.base is None is b.base or not np.may_share_memory(a, b) or not np.shares_memory(a, b):
        return False
    try:
        b = np.broadcast_to(b, a.shape)
    except ValueError:
        return False  # the shapes do not meet, which is said elsewhere
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return a.ctypes.data != b.ctypes.data or any(size > 1 and one != other for size, one, other in steps)


def label(node: Any) -> str:
    """A node's name as torch's errors have it: `Exp` for ExpBackward0, `Sum1` for SumBackward1."""
    name, backward, number = node.name().rpartition("Backward")
    return name + number.removesuffix("0") if backward and number in ("", "0", "1", "2", "3", "4") else node.name()


# --- attributes that cannot be assigned ----------------------------------------------------------


def read_only(name: str, value: property, owner: str = "torch._C.TensorBase") -> property:
    """The property, with torch's AttributeError for who assigns or deletes it."""

    def refuse(self: Any, *value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of '{owner}' objects is not writable")

    return value.setter(refuse).deleter(refuse)


for _name, _value in [*vars(Tensor).items()]:
    if isinstance(_value, property) and _value.fset is None:
        setattr(Tensor, _name, read_only(_name, _value))
