"""The name that torch's messages give to a value's type.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import dtypes


def described(value: Any, shortly: bool = False) -> str:
    """A value's type as torch writes it: `list of [int, int]`, or shortly `list`."""
    if isinstance(value, dtypes.dtype):
        return "torch.dtype"
    if shortly or not isinstance(value, (list, tuple)):
        return name_of_type(value)
    inner = ", ".join(name_of_type(each) for each in value)
    name = described(value, shortly=True)
    return f"{name} of [{inner}]" if isinstance(value, list) else f"{name} of ({inner})"


HEAP_TYPE = 1 << 9  # the bit in a type's flags that says a program defined it
OF_TORCH = {name: f"torch.{name}" for name in ("Size", "device", "dtype", "layout", "tensortype")}
OF_TORCH |= {"Generator": "torch._C.Generator", "MemoryFormat": "torch.memory_format"}


def name_of_type(value: Any) -> str:
    """The name that torch's own messages give to a value's type, the one that the interpreter has for it.

    What a program defines has its bare name, what is written in C the module's too: `numpy.ndarray`, `torch.dtype`.
    (`nn.typename` is the Python function of that name, which says `torch.FloatTensor` for a tensor.)

    >>> import numpy as np
    >>> import minigrad as torch
    >>> name_of_type(3), name_of_type(np.zeros(2)), name_of_type(torch.ones(1)), name_of_type(torch.int64)
    ('int', 'numpy.ndarray', 'Tensor', 'torch.dtype')
    """
    kind = type(value)
    name, home = kind.__name__, kind.__module__
    if home.partition(".")[0] in ("minigrad", "torch"):
        return OF_TORCH.get(name, name)
    return name if kind.__flags__ & HEAP_TYPE or home == "builtins" else f"{home}.{name}"


def demand_bool(argument: str, flag: Any) -> None:
    """TypeError, in torch's words, for a flag that is no bool; `argument` begins its text."""
    if not isinstance(flag, bool):
        raise TypeError(f"{argument} must be bool, not {name_of_type(flag)}")
