"""Modules that hold others, in a chain, in a list, in a dict; and a list and a dict of parameters.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#containers
"""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self, SupportsIndex

from minigrad.compat.typenames import typename
from minigrad.nn.modules.module import Module, indented
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor


class _Holding(Module):
    """Entries by name in one of the registries of a Module: the base of all lists and dicts."""

    _held, _adds = "_modules", "extend"  # the registry, and the method that fills it

    def _start(self, given: dict[str, object]) -> None:
        super().__init__()
        for name, entries in given.items():
            if name != "self" and entries is not None:
                getattr(self, self._adds)(entries)

    def __len__(self) -> int:
        return len(self.__dict__[self._held])

    def _put(self, name: str, value: Any) -> None:
        """Make a value the entry of this name."""
        self.add_module(name, value)


class _Parameters(_Holding):
    """A list or dict of parameters, which computes nothing: tensors become parameters."""

    _held = "_parameters"
    kind: Any = operator.attrgetter("dtype")  # what the repr shows of a parameter

    def _put(self, name: str, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise NotImplementedError(f"minigrad's {self._get_name()} holds tensors, no {type(value).__name__}")
        setattr(self, name, value if isinstance(value, Parameter) else Parameter(value))

    def extra_repr(self) -> str:
        rows = [(name, self.kind(item), "x".join(map(str, item.shape))) for name, item in self._parameters.items()]
        return "\n".join([f"  ({name}): Parameter containing: [{kind} of size {size}]" for name, kind, size in rows])


class _Numbered(_Holding):
    """Entries named "0", "1", …: the base of Sequential and the lists."""

    def __iter__(self) -> Iterator:
        return iter(self.__dict__[self._held].values())

    def __getitem__(self, index: int | slice) -> Any:
        kind: Any = type(self)
        return kind([*self][index]) if isinstance(index, slice) else getattr(self, self._name_at(index))

    def __setitem__(self, index: int, value: object) -> None:
        self._put(self._name_at(index), value)

    def __delitem__(self, index: int | slice) -> None:
        for name in [*self._modules][index] if isinstance(index, slice) else [self._name_at(index)]:
            del self._modules[name]
        self._modules = {str(place): module for place, module in enumerate(self)}

    def __iadd__(self, values: Iterable) -> Self:
        return self.extend(values)

    def _name_at(self, index: SupportsIndex) -> str:
        """The name of an entry. IndexError, in torch's words, if out of range."""
        index, names = operator.index(index), [*self.__dict__[self._held]]
        if not -len(names) <= index < len(names):
            raise IndexError(f"index {index} is out of range")
        return names[index]

    def append(self, module: object) -> Self:
        """Add an entry at the end. TypeError for anything that does not belong there."""
        self._put(str(len(self)), module)
        return self

    def extend(self, values: Iterable) -> Self:
        """Add entries at the end. TypeError if they cannot be iterated."""
        if not isinstance(values, Iterable):
            result = type(values).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {result}")
        for value in [*values]:
            self.append(value)
        return self


class _Modules(_Numbered):
    """What numbered modules can do besides."""

    def pop(self, key: int | slice) -> Any:
        """Remove a module, or those of a slice, and return it. IndexError if out of range."""
        value = self[key]
        del self[key]
        return value


class Sequential(_Modules):
    """Modules in a chain: each gets what the previous one returned. TypeError for anything but a module."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name) if isinstance(name, int) else name, module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __add__(self, other: Any) -> Sequential:
        return Sequential().extend(self).extend(self._chain(other))

    def __iadd__(self, other: Any) -> Self:
        return self.extend([*self._chain(other)])

    def __mul__(self, other: int) -> Sequential:
        return Sequential().extend([*self] * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        return self.extend([*self] * (self._times(other) - 1))

    def _chain(self, other: Any) -> Sequential:
        """The other operand of a sum. ValueError unless it is a Sequential."""
        if not isinstance(other, Sequential):
            of_class = f"Sequential class, but {type(other)} is given."
            raise ValueError(f"add operator supports only objects of {of_class}")
        return other

    def _times(self, other: Any) -> int:
        """How often the modules are to be repeated. TypeError or ValueError for anything but a positive int."""
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at an index. IndexError if out of range, AssertionError for no module."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        index += count if index < 0 else 0
        modules = [*self]
        for place, item in enumerate([*modules[:index], module, *modules[index:]]):
            self._modules[str(place)] = item
        return self

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict([*self._modules.items()][index]))
        return super().__getitem__(index)


class ModuleList(_Modules):
    """A list of modules whose parameters are registered. It computes nothing: the module around it does."""

    def __init__(self, modules: Iterable | None = None) -> None:
        self._start(locals())

    def __add__(self, other: Iterable) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at an index."""
        modules = [*self]
        modules.insert(index, module)
        for place, item in enumerate(modules):
            self._modules[str(place)] = item

    def __repr__(self) -> str:
        lines, first = [], 0
        for text, equal in itertools.groupby([repr(module) for module in self]):
            count = len([*equal])
            place = f"({first}): " if count == 1 else f"({first}-{first + count - 1}): {count} x "
            lines.append(indented(place + text))
            first += count
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)" if lines else f"{self._get_name()}()"


class ParameterList(_Parameters, _Numbered):
    """A list of parameters, which are registered; an added tensor becomes one. NotImplementedError for other things."""

    def __init__(self, values: Iterable | None = None) -> None:
        self._start(locals())


def _of_the_dict(name: str, text: str = "") -> Callable:
    """A dict method of the entries inside."""

    def method(self: Module, *args: object) -> object:
        return getattr(self.__dict__[self._held], name)(*args)

    method.__name__, method.__qualname__, method.__doc__ = name, f"ModuleDict.{name}", text
    return method


class _Named(_Holding):
    """Entries under names of your own: the base of the dicts."""

    _adds = "update"

    def __setitem__(self, key: str, value: object) -> None:
        self._put(key, value)

    __getitem__ = _of_the_dict("__getitem__")
    __delitem__ = _of_the_dict("__delitem__")
    __iter__ = _of_the_dict("__iter__")
    __contains__ = _of_the_dict("__contains__")
    keys = _of_the_dict("keys", "The names.")
    values = _of_the_dict("values", "The entries.")
    items = _of_the_dict("items", "The names with their entries.")
    clear = _of_the_dict("clear", "Remove everything.")
    pop = _of_the_dict("pop", "Remove one entry. KeyError if there is none with that name.")

    def update(self, modules: Any) -> None:
        """Add entries from a mapping, or from pairs of name and entry. TypeError if it cannot be iterated."""
        for key, value in modules.items() if isinstance(modules, (Mapping, _Named)) else modules:
            self[key] = value


class ModuleDict(_Named):
    """Modules under your own names, whose parameters are registered. It computes nothing itself."""

    def __init__(self, modules: Iterable | None = None) -> None:
        self._start(locals())


class ParameterDict(_Parameters, _Named):
    """Parameters under your own names, which are registered; those of a plain dict come in alphabetical order."""

    kind = staticmethod(typename)
    get = _of_the_dict("get", "One parameter, or None, or what is given instead, if there is none with that name.")

    def __init__(self, parameters: Mapping[str, Tensor] | Iterable | None = None) -> None:
        self._start(locals())

    def update(self, parameters: Any) -> None:
        """Add parameters from a mapping, or from pairs of name and tensor. NotImplementedError for other values."""
        super().update(sorted(parameters.items()) if type(parameters) is dict else parameters)
