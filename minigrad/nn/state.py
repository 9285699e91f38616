"""Loading a state into a module: which keys are missing, which are unexpected, which tensors do not fit.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from minigrad import leaf
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

EXTRA = "_extra_state"  # the key of what `get_extra_state` answers


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What did not match; prints as a sentence if everything did."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


def load(module: Any, given: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Copy the entries of `given` into the tensors of a module and of all below it, or `assign` them.

    TypeError if `given` is no mapping, RuntimeError if something does not fit.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    for path, each in module.named_modules(remove_duplicate=False):
        prefix = f"{path}." if path else ""
        own = each._state()
        for name, tensor in own.items():
            if prefix + name not in given:
                missing.append(prefix + name)
            elif error := _load_one(each, name, tensor, prefix + name, given[prefix + name], assign):
                errors.append(error)
        if each._has_extra_state("set_extra_state"):
            if prefix + EXTRA in given:
                each.set_extra_state(given[prefix + EXTRA])
            else:
                missing.append(prefix + EXTRA)
        elif prefix + EXTRA in given:
            unexpected.append(prefix + EXTRA)
        for key in given:
            first, dot, _ = key.removeprefix(prefix).partition(".")
            known = key == prefix + EXTRA or first in (each._modules if dot else own)
            if key.startswith(prefix) and not known:
                unexpected.append(key)
    for keys, kind in ((unexpected, "Unexpected"), (missing, "Missing")):
        if strict and keys:
            quoted = ", ".join([f'"{key}"' for key in keys])
            errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
    if errors:
        listed = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{listed}")
    return _IncompatibleKeys(missing, unexpected)


def _load_one(module: Any, name: str, tensor: Tensor, key: str, value: Any, assign: bool) -> str:
    """Load one tensor; what does not fit is the answer, else it is empty."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
    if tensor.shape == () and value.shape == (1,):
        value = value[0]  # the form of very old checkpoints
    if value.shape != tensor.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current "
            f"model is {tensor.shape}."
        )
    with leaf.no_grad():
        if not assign:
            tensor.copy_(value)
        elif isinstance(tensor, Parameter) and not isinstance(value, Parameter):
            setattr(module, name, Parameter(value, tensor.requires_grad))
        else:
            setattr(module, name, value.requires_grad_(tensor.requires_grad))
    return ""
