"""torch's own notation for what a call takes, `int n, *, torch.dtype dtype = None`, read and checked in torch's words.

`arguments` reads the annotations of an operation; here the signature is a text, for what makes tensors or draws
numbers: calls with many options, with several ways of calling, and with messages that quote the signatures.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes
from minigrad.legacy import typename
from minigrad.operations.arguments import is_int, missing, too_many
from minigrad.random import Generator, default_generator, demand_cpu, is_device
from minigrad.tensor import Tensor

OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)
OUT = "Tensor out = None"
FORMAT = "torch.memory_format memory_format = None"


class Argument(NamedTuple):
    """One argument of a signature, as `int steps` or `torch.dtype dtype = None`."""

    name: str
    kind: str
    required: bool
    default: Any
    nullable: bool  # None may be passed
    keyword_only: bool


class Form:
    """One way to call a function, in torch's notation: `int n, *, torch.dtype dtype = None`.

    A `?` after a type says that None may be passed; it does not appear in messages.
    """

    def __init__(self, function: str, text: str):
        self.function, self.text = function, f"({text.replace('?', '')})"
        self.arguments: list[Argument] = []
        keyword_only = False
        for piece in text.split(", ") if text else ():
            if piece == "*":
                keyword_only = True
                continue
            declared, _, default = piece.partition(" = ")
            kind, _, name = declared.rpartition(" ")
            value = ast.literal_eval(default) if default else None
            nullable = kind.endswith("?") or default == "None"
            self.arguments.append(Argument(name, kind.rstrip("?"), not default, value, nullable, keyword_only))
        self.least = sum(each.required for each in self.arguments)
        self.positional = [each for each in self.arguments if not each.keyword_only]
        self.takes_sizes = [each.kind for each in self.positional] == ["tuple of ints"]
        self.demanded = {each.name for each in self.arguments if each.keyword_only and each.required}

    def may_fit(self, args: tuple, kwargs: dict) -> bool:
        """False where a glance at the number of arguments is enough."""
        return self.demanded <= kwargs.keys() and (self.takes_sizes or len(args) <= len(self.positional))

    def bind(self, args: tuple, kwargs: dict) -> dict:
        """The values by name, converted. TypeError, in torch's words, if they do not fit."""
        if self.takes_sizes and args and is_int(args[0]):
            args = (args,)  # zeros(2, 3) is zeros((2, 3))
        if len(args) > len(self.positional):
            raise TypeError(too_many(self.function, self.least, len(self.positional), len(args)))
        values = {}
        for place, argument in enumerate(self.arguments):
            name = argument.name
            if place < len(args) and name in kwargs:
                raise TypeError(f"{self.function}() got multiple values for argument '{name}'")
            if place < len(args):
                values[name] = self.checked(argument, args[place], f" (position {place + 1})")
            elif name in kwargs:
                values[name] = self.checked(argument, kwargs[name], "")
            elif argument.required:
                names = [each.name for each in self.arguments[place:] if each.required and not each.keyword_only]
                raise TypeError(missing(self.function, names))
            else:
                values[name] = argument.default
        for name in kwargs:
            if name not in values:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{name}'")
        return values

    def checked(self, argument: Argument, value: Any, position: str) -> Any:
        """The value, if it is of the argument's kind."""
        if value is None and argument.nullable:
            return argument.default
        if KINDS[argument.kind](value):
            return value
        found = f"not {typename(value)}"
        if argument.kind == "tuple of ints" and isinstance(value, (tuple, list)):
            found = f"but found element of type {typename(value[0])} at pos 0"
        raise TypeError(f"{self.function}(): argument '{argument.name}'{position} must be {argument.kind}, {found}")


def accepts(*texts: str, method: bool = False) -> Callable[[Callable], Callable[..., Any]]:
    """Decorator: check a call against torch's signatures, and hand over the values by name.

    What concerns all functions alike is settled here: `out`, `layout`, `device`, `pin_memory` are refused or dropped,
    a dtype may be given as `int`, `float` or `bool`. With `method` the first argument is the tensor itself.
    TypeError, in torch's words, for a call that fits no signature.
    """

    def decorate(function: Callable) -> Callable[..., Any]:
        name = function.__name__
        signatures: list[Form] = []
        names = inspect.signature(function).parameters
        wanted = {**{each.rstrip("_"): each for each in names}, **{each: each for each in names}}  # `from` is `from_`

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not signatures:  # at the first call: to read all of them would slow the import down
                signatures.extend([Form(name, text) for text in texts])
            before, given = (args[:1], args[1:]) if method else ((), args)
            values = settled(name, matched(signatures, given, kwargs))
            return function(*before, **{wanted[key]: value for key, value in values.items() if key in wanted})

        return call

    return decorate


def matched(signatures: list[Form], args: tuple, kwargs: dict) -> dict:
    """The values as the first signature that fits takes them. TypeError, in torch's words, if none does."""
    if len(signatures) == 1:
        return signatures[0].bind(args, kwargs)
    for signature in signatures:
        if signature.may_fit(args, kwargs):
            with contextlib.suppress(TypeError):
                return signature.bind(args, kwargs)
    count = len(args) + len(kwargs)
    plausible = [each for each in signatures if each.least <= count <= len(each.arguments)]
    if len(plausible) == 1:
        plausible[0].bind(args, kwargs)  # says what is wrong
    # torch lists keywords from the last to the first, and leaves a comma behind if there is nothing else
    given = [typename(each) for each in args] + [f"{key}={typename(kwargs[key])}" for key in reversed(kwargs)]
    comma = ", " if kwargs and not args else ""
    raise TypeError(
        f"{signatures[0].function}() received an invalid combination of arguments - got "
        f"({', '.join(given)}{comma}), but expected one of:\n"
        + "".join([f" * {signature.text}\n" for signature in signatures])
    )


def settled(function: str, values: dict) -> dict:
    """The values with sizes, numbers and dtypes as Python and minigrad have them; what minigrad lacks is refused."""
    demand_cpu(function, values.get("device"))
    if values.get("pin_memory"):
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
            "available on this system."
        )
    if values.get("out") is not None:
        raise NotImplementedError(f"minigrad has no out=: write t = torch.{function}(...) instead")
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
            raise TypeError(f'{error}"type must be tuple of ints,but got {typename(each)}"') from None
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


def is_constant(value: Any) -> bool:
    """True for a tensor without axes that needs no gradient: torch takes it where a number is asked for."""
    return isinstance(value, Tensor) and value.ndim == 0 and not value.requires_grad


NUMBERS = (bool, int, float, complex, np.number, np.bool_)
FORMATS = ("torch.preserve_format", "torch.contiguous_format")

KINDS: dict[str, Callable[[Any], bool]] = {
    "Number": lambda value: isinstance(value, NUMBERS) or is_constant(value),
    "Tensor": lambda value: isinstance(value, Tensor),
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: isinstance(value, (bool, int, float, np.integer, np.floating)) or is_constant(value),
    "int": is_int,
    "object": lambda value: True,
    "torch.Generator": lambda value: isinstance(value, Generator),
    "torch.device": is_device,
    "torch.dtype": lambda value: isinstance(value, dtypes.dtype) or any(value is each for each in NUMBERS[:4]),
    "torch.layout": lambda value: str(value) == "torch.strided",
    "torch.memory_format": lambda value: str(value) in FORMATS,
    "tuple of ints": lambda value: isinstance(value, (tuple, list)) and (not value or is_int(value[0])),
}
