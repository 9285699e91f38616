"""What an operation takes: torch's spellings of its arguments, and torch's words where one does not fit.

An operation is a plain function whose annotations say what its arguments are: `Tensor`, `int`, `Ints`, `Tensors`.
`define("transpose", transpose)` makes it `Tensor.transpose` and `torch.transpose`. Both check and convert what they
are given before the operation runs: `axis=` is `dim=`, `x.view(2, 3)` is `x.view((2, 3))`, and an int may be a number
of numpy or a tensor without axes.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from minigrad.compat import checks, dtypes, messages
from minigrad.compat.typenames import name_of_type
from minigrad.compat.unsupported import Absent
from minigrad.ops import functions, lazy
from minigrad.ops.forms import fitting, is_int, missing, too_many
from minigrad.runtime import inplace
from minigrad.tensor import Tensor

Ints = Sequence[int]
Dim = Any  # an int or several
Tensors = Sequence[Tensor]

SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}


class Misfit(TypeError):
    """An argument that is not what the operation takes, or several that do not belong together; the text says why."""


def define(
    name: str,
    operation: Callable,
    *,
    function: bool = True,
    method: bool = True,
    in_place: bool = False,
) -> None:
    """Make `operation` the function `torch.<name>` and the method `Tensor.<name>`, both with checked arguments.

    With `in_place` there is also `Tensor.<name>_`, which writes the result into the tensor's memory. Where torch knows
    several ways to call it, they stand in `overloads`. ValueError if the name is taken.
    """
    if (function and functions.made(name)) or (method and not is_free(name)):
        raise ValueError(f"Tensor.{name} exists already")
    if function:
        functions[name] = taking(name, operation)
    if method:
        setattr(Tensor, name, taking(name, operation, bound=True))
    if in_place:
        setattr(Tensor, name + "_", taking(name + "_", operation, bound=True, change=True))


def define_property(name: str, value: Callable) -> None:
    """Make `value(tensor)` the attribute `Tensor.<name>`, which cannot be assigned. ValueError if the name is taken."""
    if not is_free(name):
        raise ValueError(f"Tensor.{name} exists already")
    setattr(Tensor, name, checks.read_only(name, property(value)))


def is_free(name: str) -> bool:
    """True if Tensor has nothing of this name, or only what stands for it until it is there."""
    return isinstance(vars(Tensor).get(name), (NoneType, Absent, lazy.Method))


def taking(name: str, operation: Callable, *, bound: bool = False, change: bool = False) -> Callable:
    """`operation` with its arguments checked, converted and put in order; `bound` as a method of the first of them.

    With `change`, the result is written into the first argument. TypeError, in torch's words, for a wrong argument.
    """
    signature: Signature | None = None
    code: Any = getattr(operation, "__code__", None)
    is_short = not change and code is not None and code.co_argcount - len(operation.__defaults__ or ()) == 1
    is_short = is_short and operation.__annotations__.get(code.co_varnames[0]) == "Tensor"

    def call(*given: Any, **named: Any) -> Any:
        nonlocal signature
        if is_short and not named and len(given) == 1 and type(given[0]) is Tensor:
            return operation(given[0])  # x.relu(), x.sum(): nothing to check
        if signature is None:  # at the first call: to read all of them would slow the import down
            signature = Signature(name, operation, bound)
        values, settings = signature.bind(given, named)
        try:
            if change:
                return inplace.change(values[0], operation, *values[1:], **settings)
            return operation(*values, **settings)
        except Misfit as misfit:  # each of them fits, all together do not
            text = str(misfit)
        return signature.otherwise(given, named, text)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = operation.__doc__
    if change:
        call.__doc__ = f"Like `{name[:-1]}`, and the result takes the place of the tensor's own values."
    return call


class Signature:
    """What an operation takes, read from its annotations."""

    def __init__(self, name: str, operation: Callable, bound: bool):
        self.name, self.bound = name, bound
        parameters = [*inspect.signature(operation).parameters.values()]
        parameters = [each for each in parameters if each.kind is not each.VAR_POSITIONAL]
        self.places = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        self.checks = {each.name: CHECKS.get(each.annotation, _anything) for each in parameters}
        self.in_order = [self.checks[each.name] for each in self.places]
        self.required = sum([each.default is each.empty for each in self.places])
        # x.view(2, 3): one argument in two. From how many on: x.squeeze(1) is about one axis, x.view(1) about a shape
        kind = self.places[1].annotation if bound and len(self.places) > 1 else ""
        self.packs = 2 if kind.startswith("Ints") else 3 if kind == "Dim" and len(self.places) == 2 else math.inf
        self.known: set[tuple] = set()  # with how many positional arguments, and which names, calls were right

    def bind(self, given: tuple, named: dict) -> tuple[Sequence, dict]:
        """The positional and the named values as the operation wants them. TypeError, in torch's words."""
        name, places, by_name, bound = self.name, self.places, self.checks, self.bound
        if len(given) >= self.packs and is_int(given[1]):
            given = (given[0], given[1:])
        if named:
            named = {key if key in by_name else _spelled(key, by_name): value for key, value in named.items()}
        if len(given) < self.required or len(given) > len(places) or named:
            text = _incomplete(name, places, by_name, given, named, bound)
            if text:
                return self.otherwise(given, named, text)
            if named and (len(given), *named) not in self.known:
                self.demand_form(given, named)
        try:
            values = [check(value) for check, value in zip(self.in_order, given, strict=False)]
            settings = {key: by_name[key](value) for key, value in named.items()}
        except Misfit:
            text = _misfit(name, places, by_name, given, named, bound)
            if "failed to unpack" in text:
                raise TypeError(text) from None
            return self.otherwise(given, named, text)
        return self.in_places(values, settings), settings

    def in_places(self, values: list, settings: dict) -> list:
        """The positional values, and behind them those of `settings` that have a place: they are taken out there."""
        for each in self.places[len(values) :]:
            if not settings:
                break
            values.append(settings.pop(each.name, each.default))
        return values

    def demand_form(self, given: tuple, named: dict) -> None:
        """TypeError, in torch's words, if torch knows several forms of the call, and none of them has these names."""
        from minigrad.ops import overloads  # here, as most programs never need it

        forms, behind = overloads.forms_of(self.name, self.bound), given[self.bound :]
        if forms and not any(each.takes(len(behind), {*named}) for each in forms):
            fitting(forms, behind, named)
        self.known.add((len(given), *named))

    def otherwise(self, given: tuple, named: dict, text: str) -> tuple[Sequence, dict]:
        """The values of a call that fits a form of old. TypeError for any other: what torch says, or else `text`."""
        from minigrad.ops import overloads  # here, as most programs never need it

        forms, behind = overloads.forms_of(self.name, self.bound), given[self.bound :]
        if not forms:
            raise TypeError(text)
        try:
            form, settings = fitting(forms, behind, named)
        except TypeError as error:
            raise error from None
        if not form.deprecated:
            raise TypeError(text)
        overloads.warn_of(form, forms)
        settings = {key: self.checks[key](value) for key, value in settings.items() if key in self.checks}
        return self.in_places([*given[: self.bound]], settings), settings


def demand_tensors(values: Any) -> Tensors:
    """The values as a sequence of Tensors. TypeError, in torch's words, where one is something else."""
    try:
        return _tensors(values)
    except Misfit as misfit:
        raise TypeError(str(misfit)) from None


def ints_of(values: Any, argument: str) -> tuple[int, ...]:
    """The values as a tuple of ints. TypeError, in torch's words, where they are none; `argument` begins its text."""
    try:
        return _ints(values)
    except Misfit as misfit:
        raise TypeError(f"{argument} {misfit}") from None


def int_of(value: Any, argument: str) -> int:
    """The value as an int. TypeError, in torch's words, if it is none; `argument` begins its text."""
    try:
        return _int(value)
    except Misfit as misfit:
        raise TypeError(f"{argument} {misfit}") from None


def _spelled(key: str, known: dict) -> str:
    """The name of an argument where torch knows the one given as another spelling of it."""
    return SPELLINGS[key] if SPELLINGS.get(key) in known else key


# --- the words -----------------------------------------------------------------------------------


def _incomplete(name: str, places: list, by_name: dict, given: tuple, named: dict, bound: bool) -> str:
    """What to say of too few or too many arguments, or of one that has another name; nothing where all is well."""
    if bound and len(by_name) == 1 and (named or len(given) > 1):
        return messages.takes_nothing(name, given[1:], named)
    most = len(places) - bound
    least = sum([each.default is each.empty for each in places]) - bound
    if len(given) > len(places):
        return too_many(name, least, most, len(given) - bound)
    lacking = [each.name for each in places[len(given) :] if each.default is each.empty and each.name not in named]
    if lacking:
        return missing(name, lacking)
    for key in named:
        if key not in by_name:
            if key == "out" and not bound:
                raise NotImplementedError(messages.NO_OUT.format(name))
            return f"{name}() got an unexpected keyword argument '{key}'"
        if key in [each.name for each in places[: len(given)]]:
            return f"{name}() got multiple values for argument '{key}'"
    return ""


def _misfit(name: str, places: list, by_name: dict, given: tuple, named: dict, bound: bool) -> str:
    """Which of the arguments does not fit, and why."""
    numbered = [(each.name, value, f" (position {i + 1 - bound})") for i, (each, value) in _beside(places, given)]
    for key, value, position in [*numbered, *[(key, value, "") for key, value in named.items()]]:
        try:
            by_name[key](value)
        except Misfit as misfit:
            text = str(misfit)
            if text.startswith("expected"):
                return text
            return f"{name}(): argument '{key}'{'' if text.startswith('failed') else position} {text}"
    raise AssertionError("every argument fits")


def _beside(places: list, given: tuple) -> list:
    return list(enumerate(zip(places, given, strict=False)))


# --- the checks: each gives back the value as the operation wants it, or raises Misfit ------------


def _anything(value: Any) -> Any:
    return value


def _tensor(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    raise Misfit(f"must be Tensor, not {name_of_type(value)}")


def _tensor_or_none(value: Any) -> Tensor | None:
    return None if value is None else _tensor(value)


def _int(value: Any) -> int:
    if value.__class__ is int:
        return value
    if is_int(value):
        return operator.index(value)
    raise Misfit(f"must be int, not {name_of_type(value)}")


def _int_or_none(value: Any) -> int | None:
    return None if value is None else _int(value)


def _ints(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of ints, not {name_of_type(value)}")
    for place, each in enumerate(value):
        if each.__class__ is not int and not is_int(each) and not (place and isinstance(each, bool)):
            kind = name_of_type(each)
            if not place:
                raise Misfit(f"must be tuple of ints, but found element of type {kind} at pos 0")
            raise Misfit(
                f'failed to unpack the object at pos {place + 1} with error "type must be tuple of ints,but got {kind}"'
            )
    return tuple([each if each.__class__ is int else operator.index(each) for each in value])


def _ints_or_dtype(value: Any) -> Any:
    return value if isinstance(value, dtypes.dtype) else _ints(value)


def _dtype(value: Any) -> dtypes.dtype:
    if isinstance(value, dtypes.dtype):
        return value
    raise Misfit(f"must be torch.dtype, not {name_of_type(value)}")


def _dtype_or_none(value: Any) -> dtypes.dtype | None:
    if value is None or isinstance(value, dtypes.dtype):
        return value
    if isinstance(value, type) and value in dtypes.OF_PYTHON:
        return dtypes.OF_PYTHON[value]
    raise Misfit(f"must be torch.dtype, not {name_of_type(value)}")


def _int_or_ints(value: Any) -> tuple[int, ...]:
    return (_int(value),) if is_int(value) else _ints(value)


def _dim(value: Any) -> int | tuple[int, ...]:
    return _int(value) if is_int(value) else _ints(value)


def _tensors(value: Any) -> Sequence[Tensor]:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of Tensors, not {name_of_type(value)}")
    for place, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise Misfit(f"expected Tensor as element {place} in argument 0, but got {name_of_type(each)}")
    return value


CHECKS: dict[str, Callable] = {
    "Tensor": _tensor,
    "Tensor | None": _tensor_or_none,
    "int": _int,
    "int | None": _int_or_none,
    "Ints": _ints,
    "Ints | dtypes.dtype": _ints_or_dtype,
    "int | Ints": _int_or_ints,
    "Dim": _dim,
    "Tensors": _tensors,
    "dtypes.dtype | None": _dtype_or_none,
}
