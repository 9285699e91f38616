"""The name that torch's messages give to a value's type.
Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from typing import Any

HEAP_TYPE = 1 << 9  # the bit in a type's flags that says a program defined it
OF_TORCH = {name: f"torch.{name}" for name in ("Size", "device", "dtype", "layout", "tensortype")}
OF_TORCH |= {"Generator": "torch._C.Generator", "MemoryFormat": "torch.memory_format"}


FOREIGN = "torch's own Tensor (minigrad.tensor(x) makes minigrad's of its numbers)"


def is_foreign(value: Any) -> bool:
    """True for a tensor of torch itself."""
    kind = type(value)
    return kind.__module__.startswith("torch") and hasattr(kind, "data_ptr") and not hasattr(kind, "_made_by")


def refuse_foreign(value: Any) -> bool:
    """False for what cannot stand beside a Tensor. It is said in a sentence of torch's tensors and complex numbers."""
    if is_foreign(value):
        raise TypeError(f"minigrad's Tensor cannot work with {FOREIGN}")
    if isinstance(value, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    return False


def bare_name(value: Any) -> str:
    """The name of a value's type without its module."""
    return FOREIGN if is_foreign(value) else type(value).__name__


def name_of_type(value: Any) -> str:
    """The name of a value's type in torch's own messages, which is the interpreter's. A program's types have their bare
    name, types written in C include the module: `numpy.ndarray`, `torch.dtype`.
    """
    kind = type(value)
    if is_foreign(value):
        return FOREIGN
    name, home = kind.__name__, kind.__module__
    if home.partition(".")[0] in ("minigrad", "torch"):
        return OF_TORCH.get(name, name)
    return name if kind.__flags__ & HEAP_TYPE or home == "builtins" else f"{home}.{name}"


def described(value: Any) -> str:
    """A value's type as torch writes it: `list of [int, int]`."""
    name = name_of_type(value)
    if not isinstance(value, (list, tuple)):
        return name
    inner = ", ".join(name_of_type(each) for each in value)
    return f"{name} of [{inner}]" if isinstance(value, list) else f"{name} of ({inner})"


def demand_bool(argument: str, flag: Any) -> None:
    """TypeError, in torch's words, for a flag that is not a bool; `argument` starts the message."""
    if not isinstance(flag, bool):
        raise TypeError(f"{argument} must be bool, not {name_of_type(flag)}")
