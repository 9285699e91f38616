"""One way to call a function, in torch's own notation, and torch's words for a call that fits none of several ways.

`int n, *, torch.dtype dtype = None` is such a way; `|deprecated` behind it marks one that torch still takes, with a
warning. `signatures` calls what makes tensors through these texts; `overloads` has those of operations.

Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import ast
import contextlib
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.typenames import described, name_of_type
from minigrad.random import Generator, is_device
from minigrad.tensor import Tensor


class Argument:
    """One argument of a form, as `int steps` or `torch.dtype dtype = None`; None may be passed if it is nullable."""

    def __init__(self, name: str, kind: str, required: bool, default: Any, nullable: bool, keyword_only: bool):
        self.name, self.kind, self.required, self.default = name, kind, required, default
        self.nullable, self.keyword_only = nullable, keyword_only


class Form:
    """One way to call a function, in torch's notation: `int n, *, torch.dtype dtype = None`.

    A `?` after a type says that None may be passed; it does not appear in messages.
    """

    def __init__(self, function: str, text: str):
        text, mark, _ = text.partition("|deprecated")
        self.deprecated = bool(mark)
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
        self.takes_numbers = function.rstrip("_") in NUMBERS_AS_TENSORS

    def may_fit(self, args: tuple, kwargs: dict) -> bool:
        """False where a glance at the number of arguments is enough."""
        return self.demanded <= kwargs.keys() and (self.takes_sizes or len(args) <= len(self.positional))

    def takes(self, count: int, names: set[str]) -> bool:
        """True if the number of positional arguments and the names of the others are those of the form."""
        if count > len(self.positional):
            return self.takes_sizes and not names
        behind = self.arguments[count:]
        return {each.name for each in behind if each.required} <= names <= {each.name for each in behind}

    def bind(self, args: tuple, kwargs: dict) -> dict:
        """The values by name. TypeError, in torch's words, if they do not fit."""
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
        if KINDS[argument.kind](value) or (self.takes_numbers and argument.kind == "Tensor" and is_number(value)):
            return value
        if argument.kind == "tuple of ints" and argument.name == "dim" and is_int(value):
            return value
        found = f"not {name_of_type(value)}"
        if argument.kind == "tuple of ints" and isinstance(value, (tuple, list)):
            found = f"but found element of type {name_of_type(value[0])} at pos 0"
        raise TypeError(f"{self.function}(): argument '{argument.name}'{position} must be {argument.kind}, {found}")


def fitting(forms: Sequence[Form], args: tuple, kwargs: dict) -> tuple[Form, dict]:
    """The first form that takes the call, and the values by name. TypeError, in torch's words, if none does."""
    if len(forms) == 1:
        return forms[0], forms[0].bind(args, kwargs)
    for form in forms:
        if form.may_fit(args, kwargs):
            with contextlib.suppress(TypeError):
                return form, form.bind(args, kwargs)
    shown = [each for each in forms if not each.deprecated]
    count = len(args) + len(kwargs)
    plausible = [each for each in shown if each.least <= count <= len(each.arguments)]
    if len(plausible) == 1:
        plausible[0].bind(args, kwargs)  # says what is wrong
    raise TypeError(no_form(shown, args, kwargs))


# --- the words -----------------------------------------------------------------------------------


def too_many(name: str, least: int, most: int, have: int) -> str:
    """What to say of more positional arguments than there are places."""
    count = f"{most}" if least == most else f"from {least} to {most}"
    plural, were = "" if count == "1" else "s", "was" if have == 1 else "were"
    return f"{name}() takes {count} positional argument{plural} but {have} {were} given"


def missing(name: str, lacking: Sequence[str]) -> str:
    """What to say of arguments that have no default and were not given."""
    plural = "s" if len(lacking) == 1 else ""  # torch has it this way round
    names = ", ".join([f'"{each}"' for each in lacking])
    return f"{name}() missing {len(lacking)} required positional argument{plural}: {names}"


def no_form(forms: Sequence[Form], args: tuple, kwargs: dict) -> str:
    """What to say of a call that fits none of the forms: all of them, and what does not fit."""
    count = len(args) + len(kwargs)
    start = f"{forms[0].function}() received an invalid combination of arguments - got "
    if len(forms) == 1:
        pieces = forms[0].text[1:-1].split(", ")
        got = _marked(pieces, args, kwargs) if len(pieces) == count else _listed(args, kwargs)
        return f"{start}{got}, but expected {forms[0].text}"
    lines = [f"{start}{_listed(args, kwargs)}, but expected one of:"]
    for form in forms:
        lines.append(f" * {form.text}")
        pieces = form.text[1:-1].split(", ")  # "*" is one of them, and "" too
        if len(pieces) == count:
            names = [each.rpartition(" ")[2] for each in pieces[len(args) :]]
            strange = [each for each in reversed(kwargs) if each not in names]
            reason = f"keywords were incorrect: {', '.join(strange)}"
            if not strange:
                reason = f"arguments have invalid types: {_marked(pieces, args, kwargs)}"
            lines.append(f"      didn't match because some of the {reason}")
    return "\n".join([*lines, ""])


def _listed(args: tuple, kwargs: dict) -> str:
    """The types of what was given. torch lists keywords from the last to the first."""
    return _joined(
        [name_of_type(each) for each in args], [f"{key}={name_of_type(kwargs[key])}" for key in reversed(kwargs)]
    )


def _marked(pieces: list[str], args: tuple, kwargs: dict) -> str:
    """The same, between exclamation marks where a type is not word for word the one of the form."""
    names = [each.rpartition(" ")[2] for each in pieces]
    given = [*[("", each) for each in args], *[(f"{name}=", kwargs[name]) for name in names[len(args) :]]]
    marked = []
    for piece, (prefix, value) in zip(pieces, given, strict=True):
        mark = "" if piece.rpartition(" ")[0] == name_of_type(value) else "!"
        marked.append(f"{mark}{prefix}{described(value)}{mark}")
    return _joined(marked[: len(args)], marked[len(args) :])


def _joined(positional: list[str], named: list[str]) -> str:
    """What stands between the parentheses; torch leaves a comma behind if there are only keywords."""
    return f"({', '.join([*positional, *named])}{', ' if named and not positional else ''})"


# --- the kinds of arguments ----------------------------------------------------------------------


def is_int(value: Any) -> bool:
    """True for what torch takes as an int: an int, one of numpy, a tensor that holds one; not a bool."""
    if value.__class__ is int:
        return True
    if isinstance(value, Tensor):
        return value.ndim == 0 and value.dtype.kind == dtypes.INTEGER
    if isinstance(value, bool):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def is_constant(value: Any) -> bool:
    """True for a tensor without axes that needs no gradient: torch takes it where a number is asked for."""
    return isinstance(value, Tensor) and value.ndim == 0 and not value.requires_grad


def is_number(value: Any) -> bool:
    """True for a number of Python or numpy."""
    return isinstance(value, NUMBERS)


NUMBERS = (bool, int, float, complex, np.number, np.bool_)
FORMATS = ("torch.preserve_format", "torch.contiguous_format")
NUMBERS_AS_TENSORS = {"add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide", "floor_divide"}

KINDS: dict[str, Callable[[Any], bool]] = {
    "Number": lambda value: is_number(value) or is_constant(value),
    "Tensor": lambda value: isinstance(value, Tensor),
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: isinstance(value, (bool, int, float, np.integer, np.floating)) or is_constant(value),
    "int": is_int,
    "object": lambda value: True,
    "str": lambda value: isinstance(value, str),
    "torch.Generator": lambda value: isinstance(value, Generator),
    "torch.device": is_device,
    "torch.dtype": lambda value: isinstance(value, dtypes.dtype) or any(value is each for each in NUMBERS[:4]),
    "torch.layout": lambda value: str(value) == "torch.strided",
    "torch.memory_format": lambda value: str(value) in FORMATS,
    "tuple of ints": lambda value: isinstance(value, (tuple, list)) and (not value or is_int(value[0])),
    "tuple of Tensors": lambda value: isinstance(value, (tuple, list)),
}
