"""torch's own notation for what a call takes, `int n, *, torch.dtype dtype = None`, read and checked in torch's words.

`arguments` reads the annotations of an operation; here the signature is a text, for what makes tensors or draws
numbers: calls with many options, with several ways of calling, and with messages that quote the signatures.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes, messages
from minigrad.compat.typenames import name_of_type
from minigrad.ops.forms import Form, fitting
from minigrad.random import default_generator, demand_cpu
from minigrad.tensor import Tensor

OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)
OUT = "Tensor out = None"
FORMAT = "torch.memory_format memory_format = None"


def accepts(*texts: str, method: bool = False) -> Callable[[Callable], Callable[..., Any]]:
    """Decorator: check a call against torch's signatures, and hand over the values by name.

    What concerns all functions alike is settled here: `out`, `layout`, `device`, `pin_memory` are refused or dropped,
    a dtype may be given as `int`, `float` or `bool`. With `method` the first argument is the tensor itself.
    TypeError, in torch's words, for a call that fits no signature.
    """

    def decorate(function: Callable) -> Callable[..., Any]:
        name = function.__name__
        signatures: list[Form] = []
        code: Any = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        wanted = {**{each.rstrip("_"): each for each in names}, **{each: each for each in names}}  # `from` is `from_`

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not signatures:  # at the first call: to read all of them would slow the import down
                signatures.extend([Form(name, text) for text in texts])
            before, given = (args[:1], args[1:]) if method else ((), args)
            values = settled(name, fitting(signatures, given, kwargs)[1])
            return function(*before, **{wanted[key]: value for key, value in values.items() if key in wanted})

        return call

    return decorate


def settled(function: str, values: dict) -> dict:
    """The values with sizes, numbers and dtypes as Python and minigrad have them; what minigrad lacks is refused."""
    demand_cpu(function, values.get("device"))
    if values.get("pin_memory"):
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
            "available on this system."
        )
    if values.get("out") is not None:
        raise NotImplementedError(messages.NO_OUT.format(function))
    result: dict[str, Any] = {}
    for name, value in values.items():
        if name == "size":
            result[name] = size_of(function, value)
        elif isinstance(value, type):  # for a dtype
            if value is complex:
                raise NotImplementedError("minigrad has no complex numbers")
            result[name] = {int: dtypes.int64, float: dtypes.float64, bool: dtypes.bool_}.get(value, value)
        else:
            result[name] = value
    result["generator"] = values.get("generator") or default_generator
    return result


def size_of(function: str, size: Sequence) -> tuple[int, ...]:
    """The sizes as Python integers. TypeError for one that is none, or is too large for 64 bits."""
    sizes = []
    for place, each in enumerate(size):
        error = f"{function}(): argument 'size' failed to unpack the object at pos {place + 1} with error "
        try:
            sizes.append(operator.index(each))
        except TypeError:
            raise TypeError(f'{error}"type must be tuple of ints,but got {name_of_type(each)}"') from None
        if abs(sizes[-1]) >= 2**63:
            raise TypeError(f'{error}"Overflow when unpacking long long"')
    return tuple(sizes)


def integer(value: Any) -> int:
    """An `int` argument as a Python integer. ValueError beyond 64 bits."""
    found = operator.index(value)
    if not -(2**63) <= found < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return found


def number(value: Any) -> bool | int | float:
    """A `Number` argument (a Python or numpy number, a tensor without axes) as a Python number."""
    if isinstance(value, Tensor):
        return value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)) and not isinstance(value, float):
        raise NotImplementedError("minigrad has no complex numbers")
    return float(value)
