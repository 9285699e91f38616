"""The name that torch's messages give to a value's type, and errors for values of the wrong one.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.typename.html
"""

from __future__ import annotations

from typing import Any

HEAP_TYPE = 1 << 9  # the bit in a type's flags that says a program defined it
OF_TORCH = {name: f"torch.{name}" for name in ("Size", "device", "dtype", "layout", "tensortype")}
OF_TORCH |= {"Generator": "torch._C.Generator", "MemoryFormat": "torch.memory_format"}
# Where torch keeps what minigrad defines elsewhere.
HOMES = (("minigrad.ops", "torch._VariableFunctionsClass"), ("minigrad.nn.losses", "torch.nn.functional"))

FOREIGN = "torch's own Tensor (minigrad.tensor(x) makes minigrad's of its numbers)"


def is_foreign(value: object) -> bool:
    """True for a tensor of torch itself."""
    kind = type(value)
    return kind.__module__.startswith("torch") and hasattr(kind, "data_ptr") and not is_tensor(value)


def refuse_foreign(value: object) -> bool:
    """False for what cannot stand beside a Tensor. It is said in a sentence of torch's tensors and complex numbers."""
    if is_foreign(value):
        raise TypeError(f"minigrad's Tensor cannot work with {FOREIGN}")
    if isinstance(value, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    return False


def bare_name(value: object) -> str:
    """The name of a value's type without its module."""
    return FOREIGN if is_foreign(value) else type(value).__name__


def name_of_type(value: object) -> str:
    """A type's name in torch's own messages: bare for a program's types, with the module for C's: `numpy.ndarray`."""
    kind = type(value)
    if is_foreign(value):
        return FOREIGN
    name, home = kind.__name__, kind.__module__
    if home.partition(".")[0] in ("minigrad", "torch"):
        return OF_TORCH.get(name, name)
    return name if kind.__flags__ & HEAP_TYPE or home == "builtins" else f"{home}.{name}"


def demand_bool(argument: str, flag: object) -> None:
    """TypeError, in torch's words, for a flag that is not a bool; `argument` starts the message."""
    if not isinstance(flag, bool):
        raise TypeError(f"{argument} must be bool, not {name_of_type(flag)}")


def typename(value: Any) -> str:
    """The type of a value in the errors of modules and optimizers; a class or a function is named itself."""
    if is_tensor(value):
        return value.dtype.tensor_type
    if is_foreign(value):
        return FOREIGN
    named = value if hasattr(value, "__qualname__") else type(value)
    module, name = named.__module__ or "", named.__qualname__
    module = next((theirs for ours, theirs in HOMES if module.startswith(ours)), module)
    if module.startswith("minigrad."):
        module = "torch" + module.removeprefix("minigrad")
    return name if module in ("", "builtins") else f"{module}.{name}"


def is_tensor(value: object) -> bool:
    """True for a Tensor of minigrad."""
    return hasattr(type(value), "_made_by")


def demand_tensor(function: str, value: object, argument: str = "input", position: int = 1) -> None:
    """TypeError, in torch's words, unless the argument of a function is a Tensor."""
    if not is_tensor(value):
        result = name_of_type(value)
        raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {result}")


def demand_kernel(kernel: str, *dtypes: Any) -> None:
    """NotImplementedError, in torch's words, if all dtypes are those of integers or bools."""
    if not any(dtype.is_floating_point for dtype in dtypes):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes[0].scalar_type}'")
