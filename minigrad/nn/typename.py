"""How errors name the type of a value, in modules, functions and optimizers.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.typename.html
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import typenames
from minigrad.tensor import Tensor

# Where torch keeps what minigrad defines elsewhere.
HOMES = (("minigrad.ops", "torch._VariableFunctionsClass"), ("minigrad.nn.losses", "torch.nn.functional"))


def typename(value: Any) -> str:
    """The type of a value as torch's errors name it; a class or a function is named itself."""
    if isinstance(value, Tensor):
        return value.dtype.tensor_type
    if typenames.is_foreign(value):
        return typenames.FOREIGN
    named = value if hasattr(value, "__qualname__") else type(value)
    module, name = named.__module__ or "", named.__qualname__
    for ours, theirs in HOMES:
        if module.startswith(ours):
            module = theirs
    if module.startswith("minigrad."):
        module = "torch" + module.removeprefix("minigrad")
    return name if module in ("", "builtins") else f"{module}.{name}"


def demand_kernel(kernel: str, *tensors: Tensor) -> None:
    """NotImplementedError, in torch's words, if all tensors hold integers or bools."""
    if "f" not in [each._array.dtype.kind for each in tensors]:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{tensors[0].dtype.scalar_type}'")


def demand_tensor(function: str, value: Any, argument: str = "input", position: int = 1) -> None:
    """TypeError, in torch's words, unless the argument of a function is a Tensor."""
    if not isinstance(value, Tensor):
        found = typenames.name_of_type(value)
        raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {found}")
