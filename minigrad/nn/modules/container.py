"""Modules that hold other modules: in a chain, in a list, in a dict.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#containers
"""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from minigrad.nn.modules.module import Module, indented


class _Numbered(Module):
    """Modules named "0", "1", …: the base of Sequential and ModuleList."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: int | slice) -> Any:
        kind: Any = type(self)
        return kind([*self][index]) if isinstance(index, slice) else getattr(self, self._name_at(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._name_at(index), value)

    def __delitem__(self, index: int | slice) -> None:
        for name in [*self._modules][index] if isinstance(index, slice) else [self._name_at(index)]:
            del self._modules[name]
        self._modules = {str(place): module for place, module in enumerate(self)}

    def __iadd__(self, values: Iterable[Any]) -> Any:
        return self.extend(values)

    def _name_at(self, index: Any) -> str:
        """The name of an entry. IndexError, in torch's words, if out of range."""
        index, names = operator.index(index), [*self._modules]
        if not -len(names) <= index < len(names):
            raise IndexError(f"index {index} is out of range")
        return names[index]

    def append(self, module: Any) -> Any:
        """Add a module at the end. TypeError for anything else."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add entries at the end. TypeError if they cannot be iterated."""
        if not isinstance(values, Iterable):
            found = type(values).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {found}")
        for value in [*values]:
            self.append(value)
        return self


class Sequential(_Numbered):
    """Modules in a chain: each gets what the previous one returned. TypeError for anything but a module. A slice
    of it is a Sequential of the same modules.
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
            return type(self)(OrderedDict([*self._modules.items()][index]))
        return super().__getitem__(index)


class ModuleList(_Numbered):
    """A list of modules whose parameters are registered. It computes nothing: the module around it does."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __repr__(self) -> str:
        lines, first = [], 0
        for text, equal in itertools.groupby([repr(module) for module in self]):
            count = len([*equal])
            place = f"({first}): " if count == 1 else f"({first}-{first + count - 1}): {count} x "
            lines.append(indented(place + text))
            first += count
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)" if lines else f"{self._get_name()}()"


def _of_the_dict(name: str, text: str = "") -> Any:
    """A dict method of the modules inside."""

    def method(self: Any, *args: Any) -> Any:
        return getattr(self._modules, name)(*args)

    method.__name__, method.__qualname__, method.__doc__ = name, f"ModuleDict.{name}", text
    return method


class ModuleDict(Module):
    """Modules under your own names, whose parameters are registered. It computes nothing itself."""

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
    clear = _of_the_dict("clear", "Remove everything.")
    pop = _of_the_dict("pop", "Remove one module. KeyError if there is none with that name.")

    def update(self, modules: Any) -> None:
        """Add modules from a mapping, or from pairs of name and module. TypeError if it cannot be iterated."""
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module
