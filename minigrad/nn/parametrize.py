"""`torch.nn.utils.parametrize`: a parameter or buffer of a module as a function of another one, which is trained.
The module gets a class of its own, in which the name is a property that computes the value.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from minigrad import leaf
from minigrad.nn.modules import Module, ModuleDict, ModuleList
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

__all__ = ["ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations"]
__all__ += ["type_before_parametrizations"]

_cached: dict[tuple[int, str], Tensor] | None = None  # what has been computed in the block of `cached`


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """In the `with` block, each parametrized tensor is computed once."""
    global _cached
    before, _cached = _cached, {} if _cached is None else _cached
    try:
        yield
    finally:
        _cached = before


class ParametrizationList(ModuleList, home="torch.nn.utils.parametrize"):
    """The functions that make one tensor, in their order, and what the first of them starts from: `original`, or, where
    their `right_inverse` gives several tensors, `original0`, `original1`, …. ValueError if they do not give a tensor of
    the same shape and dtype, unless `unsafe`.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe, new, shape, dtype = unsafe, original, original.shape, original.dtype
        with leaf.no_grad():
            for module in reversed([*self]):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            must = "must return a Tensor or a Sequence of tensors (list, tuple...)."
            raise ValueError(f"'right_inverse' {must} Got {type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if new.dtype is not dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            _set(original, new)
            _register(self, "original", original)
        else:
            for index, part in enumerate(new):
                kept = Parameter(part, original.requires_grad) if isinstance(original, Parameter) else part
                _register(self, f"original{index}", kept.requires_grad_(original.requires_grad))
        if unsafe:
            return
        value = self()
        if not isinstance(value, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
        for what, before in (("dtype", dtype), ("shape", shape)):
            now = getattr(value, what)
            if now != before:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {what}: {before}\nparametrized {what}: {now}"
                )

    def originals(self) -> list[Tensor]:
        """What the first function starts from."""
        names = ["original"] if self.is_tensor else [f"original{index}" for index in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def right_inverse(self, value: Any) -> None:
        """Start from what gives this value, by the functions' own `right_inverse`. RuntimeError if one has none."""
        with leaf.no_grad():
            for module in reversed([*self]):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor and not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            parts = [value] if self.is_tensor else [*value]
            for original, part in zip(self.originals(), parts, strict=True):
                if part.dtype is not original.dtype:
                    while_ = f"while `original` has dtype {original.dtype}"
                    raise ValueError(f"The tensor returned by `right_inverse` has dtype {part.dtype} {while_}")
                _set(original, part)

    def forward(self) -> Any:
        first, *others = self
        value = first(*self.originals())
        for module in others:
            value = module(value)
        return value


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """From now on the tensor of this name is `parametrization` of what it was, and that is trained. ValueError for a
    name that is not there, and, unless `unsafe`, for another shape or dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        row = module.parametrizations[tensor_name]
        if not unsafe:
            before = getattr(module, tensor_name)
            after = parametrization(before)
            if not isinstance(after, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
            for what in ("dtype", "shape"):
                was, now = getattr(before, what), getattr(after, what)
                if was != now:
                    raise ValueError(
                        f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` "
                        f"flag is enabled.\nmodule.{tensor_name}.{what}: {was}\n"
                        f"parametrization(module.{tensor_name}).{what}: {now}"
                    )
        row.append(parametrization)
        row.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        lacks = f"does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        raise ValueError(f"Module '{module}' {lacks}")
    row = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        kind = type(module)
        module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), {"__module__": kind.__module__})
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, property(lambda self: _value(self, tensor_name), _assigned(tensor_name)))
    module.parametrizations[tensor_name] = row
    return module


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """The tensor is itself again, with the value that it has now; without `leave_parametrized`, with the original's.
    ValueError for one that is not parametrized.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    row = module.parametrizations[tensor_name]
    if row.is_tensor:
        original = row.original
        if leave_parametrized:
            with leaf.no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        one = "a tensor that is parametrized in terms of a sequence of tensors."
        raise ValueError(f"Cannot leave unparametrized (`leave_parametrized=False`) {one}")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """True if something in the module, or the tensor of this name, is parametrized."""
    rows = getattr(module, "parametrizations", None)
    if not isinstance(rows, ModuleDict):
        return False
    return len(rows) > 0 if tensor_name is None else tensor_name in rows


def type_before_parametrizations(module: Module) -> type:
    """The class that the module was made with."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def _value(module: Module, name: str) -> Tensor:
    """What the module's property gives."""
    row, key = module.parametrizations[name], (id(module), name)
    if _cached is None:
        return row()
    if key not in _cached:
        _cached[key] = row()
    return _cached[key]


def _assigned(name: str) -> Any:
    def assign(module: Module, value: Tensor) -> None:
        module.parametrizations[name].right_inverse(value)

    return assign


def _set(tensor: Tensor, value: Tensor) -> None:
    """Give a tensor other memory; it stays the same object, which an optimizer may hold."""
    if tensor is not value:
        tensor.data = value.detach()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)
