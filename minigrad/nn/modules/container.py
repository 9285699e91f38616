"""Modules that hold other modules: in a chain, in a list, in a dict; and a list of parameters.

Mirrors https://docs.pytorch.org/docs/stable/nn.html#containers
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from minigrad.nn.modules.module import Module, indented
from minigrad.nn.parameter import Parameter
from minigrad.nn.typename import typename
from minigrad.tensor import Tensor


class _Numbered(Module):
    """Modules under the names "0", "1", …: what Sequential and ModuleList have in common."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._name_at(index)]:
            delattr(self, name)
        self._modules = {str(place): module for place, module in enumerate(self._modules.values())}

    def _name_at(self, index: int) -> str:
        return list(self._modules)[position(index, len(self))]

    def append(self, module: Module) -> Any:
        """Add a module at the end. TypeError for anything else."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take out what stands at an index, or at several."""
        taken = self[key]  # type: ignore[index]
        del self[key]
        return taken

    def _make_room(self, index: int) -> None:
        """Move the modules from `index` on by one place."""
        for place in range(len(self), index, -1):
            self._modules[str(place)] = self._modules[str(place - 1)]


class Sequential(_Numbered):
    """Modules in a chain: each gets what the one before returned.

    TypeError for an argument that is no module. A slice of it is a Sequential of the same modules.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name) if isinstance(name, int) else name, module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *_demand_sequential(other))

    def __iadd__(self, other: Sequential) -> Any:
        return self.extend(_demand_sequential(other))

    def __mul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {_class_text(self)} and {_class_text(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {_class_text(self)}")
        return Sequential(*[module for _ in range(times) for module in self])

    __rmul__ = __mul__

    def extend(self, sequential: Iterable[Module]) -> Any:
        """Add modules at the end."""
        for module in [*sequential]:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before the one at `index`. IndexError outside, AssertionError for what is no module."""
        if not isinstance(module, Module):
            raise AssertionError("module should be of type: <class 'torch.nn.modules.module.Module'>")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        place = index + len(self) if index < 0 else index
        self._make_room(place)
        self._modules[str(place)] = module
        return self


class ModuleList(_Numbered):
    """A list of modules whose parameters are found. It computes nothing: the module around it does."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._name_at(index)]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self, modules: Iterable[Module]) -> Any:
        return self.extend(modules)

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end. TypeError if they cannot be iterated."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in [*modules]:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        self._make_room(index)
        self._modules[str(index)] = module

    def __repr__(self) -> str:
        runs: list[list[Any]] = []  # first index, last index, text; equal neighbours share one
        for index, text in enumerate([repr(module) for module in self]):
            if runs and runs[-1][2] == text:
                runs[-1][1] = index
            else:
                runs.append([index, index, text])
        lines = [
            indented(f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}")
            for first, last, text in runs
        ]
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)" if lines else f"{self._get_name()}()"


def _of_the_dict(name: str, text: str = "") -> Any:
    """A method of dicts, as the dict of the modules inside has it."""

    def method(self: Any, *args: Any) -> Any:
        return getattr(self._modules, name)(*args)

    method.__name__, method.__qualname__, method.__doc__ = name, f"ModuleDict.{name}", text
    return method


class ModuleDict(Module):
    """Modules under names of your own, whose parameters are found. It computes nothing itself."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    __getitem__ = _of_the_dict("__getitem__")
    __delitem__ = _of_the_dict("__delitem__")
    __len__ = _of_the_dict("__len__")
    __iter__ = _of_the_dict("__iter__")
    __contains__ = _of_the_dict("__contains__")
    keys = _of_the_dict("keys", "The names.")
    values = _of_the_dict("values", "The modules.")
    items = _of_the_dict("items", "The names with their modules.")
    clear = _of_the_dict("clear", "Take out everything.")
    pop = _of_the_dict("pop", "Take out one module. KeyError if there is none of that name.")

    def update(self, modules: Any) -> None:
        """Add what a mapping, or pairs of a name and a module, hold. TypeError for anything else."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module


class ParameterList(Module):
    """A list of parameters that are found; a plain tensor becomes a Parameter."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[index] for index in range(self._size)])

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)([*self][index])
        return getattr(self, str(position(index, self._size)))

    def __setitem__(self, index: int, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(position(index, self._size)), value)

    def __iadd__(self, values: Iterable[Any]) -> Any:
        return self.extend(values)

    def append(self, value: Any) -> Any:
        """Add a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add parameters at the end. TypeError for a single tensor."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in [*values]:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        lines = []
        for index, value in enumerate(self):
            if isinstance(value, Tensor):
                size = "x".join([str(each) for each in value.shape])
                text = f"Parameter containing: [{value.dtype} of size {size}]"
            else:
                text = f"Object of type: {type(value).__name__}"
            lines.append(f"  ({index}): {text}")
        return "\n".join(lines)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


def position(index: Any, size: int) -> int:
    """An index as a non-negative one. IndexError, in torch's words, outside."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


def _demand_sequential(other: Any) -> list[Module]:
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {_class_text(other)} is given.")
    return [*other]


def _class_text(value: Any) -> str:
    """The class of a value as torch prints it."""
    return f"<class '{typename(type(value))}'>"
