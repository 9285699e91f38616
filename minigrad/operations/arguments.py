"""What an operation takes: torch's spellings of its arguments, and torch's words where one does not fit.

An operation is a plain function whose annotations say what its arguments are: `Tensor`, `int`, `Ints`, `Tensors`.
`define("transpose", transpose)` makes it `Tensor.transpose` and `torch.transpose`. Both check and convert what they
are given before the operation runs: `axis=` is `dim=`, `x.view(2, 3)` is `x.view((2, 3))`, and an int may be a number
of numpy or a tensor without axes.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

from minigrad import dtypes, leaf
from minigrad.legacy import described, typename
from minigrad.operations import functions
from minigrad.tensor import Tensor

Ints = Sequence[int]
Dim = Any  # an int or several
Tensors = Sequence[Tensor]

SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}


class Misfit(Exception):
    """An argument that is not what the operation takes; the text says why."""


def define(
    name: str,
    operation: Callable,
    *,
    function: bool = True,
    method: bool = True,
    in_place: bool = False,
    forms: Sequence[str] = (),
) -> None:
    """Make `operation` the function `torch.<name>` and the method `Tensor.<name>`, both with checked arguments.

    With `in_place` there is also `Tensor.<name>_`, which writes the result into the tensor's memory. `forms` are the
    signatures that torch lists, without the tensor itself, where it has several. ValueError if the name is taken.
    """
    if (function and name in functions) or (method and name in vars(Tensor)):
        raise ValueError(f"Tensor.{name} exists already")
    if function:
        with_input = [f"Tensor input, {each}" if each else "Tensor input" for each in forms]
        functions[name] = taking(name, operation, forms=with_input)
    if method:
        setattr(Tensor, name, taking(name, operation, bound=True, forms=forms))
    if in_place:
        setattr(Tensor, name + "_", taking(name + "_", operation, bound=True, change=True, forms=forms))


def define_property(name: str, value: Callable) -> None:
    """Make `value(tensor)` the attribute `Tensor.<name>`, which cannot be assigned. ValueError if the name is taken."""
    if name in vars(Tensor):
        raise ValueError(f"Tensor.{name} exists already")
    setattr(Tensor, name, property(value))


def taking(
    name: str, operation: Callable, *, bound: bool = False, change: bool = False, forms: Sequence[str] = ()
) -> Callable:
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
            signature = Signature(name, operation, bound, forms)
        values, settings = signature.bind(given, named)
        return leaf.change(values[0], operation, *values[1:], **settings) if change else operation(*values, **settings)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = operation.__doc__
    if change:
        call.__doc__ = f"Like `{name[:-1]}`, and the result takes the place of the tensor's own values."
    return call


class Signature:
    """What an operation takes, read from its annotations."""

    def __init__(self, name: str, operation: Callable, bound: bool, forms: Sequence[str]):
        self.name, self.bound, self.forms = name, bound, forms
        parameters = [*inspect.signature(operation).parameters.values()]
        self.places = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        self.checks = {each.name: CHECKS.get(each.annotation, _anything) for each in parameters}
        self.in_order = [self.checks[each.name] for each in self.places]
        self.required = sum([each.default is each.empty for each in self.places])
        # x.view(2, 3): one argument in two
        self.packs = bound and len(self.places) > 1 and self.places[1].annotation.startswith("Ints")

    def bind(self, given: tuple, named: dict) -> tuple[Sequence, dict]:
        """The positional and the named values as the operation wants them. TypeError, in torch's words."""
        name, places, checks, bound = self.name, self.places, self.checks, self.bound
        if self.packs and len(given) > 1 and is_int(given[1]):
            given = (given[0], given[1:])
        if named:
            named = {key if key in checks else _spelled(key, checks): value for key, value in named.items()}
        if len(given) < self.required or len(given) > len(places) or named:
            text = _incomplete(name, places, checks, given, named, bound)
            if text:
                raise TypeError(_no_form(name, self.forms, given[bound:], named) if self.forms else text)
        try:
            values = [check(value) for check, value in zip(self.in_order, given, strict=False)]
            settings = {key: checks[key](value) for key, value in named.items()}
        except Misfit:
            text = _misfit(name, places, checks, given, named, bound)
            if self.forms and "failed to unpack" not in text:
                text = _no_form(name, self.forms, given[bound:], named)
            raise TypeError(text) from None
        for each in places[len(values) :]:  # what was named, in its place
            if not settings:
                break
            values.append(settings.pop(each.name, each.default))
        return values, settings


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


def _spelled(key: str, known: dict) -> str:
    """The name of an argument where torch knows the one given as another spelling of it."""
    return SPELLINGS[key] if SPELLINGS.get(key) in known else key


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


def _incomplete(name: str, places: list, checks: dict, given: tuple, named: dict, bound: bool) -> str:
    """What to say of too few or too many arguments, or of one that has another name; nothing where all is well."""
    most = len(places) - bound
    least = sum([each.default is each.empty for each in places]) - bound
    if len(given) > len(places):
        return too_many(name, least, most, len(given) - bound)
    lacking = [each.name for each in places[len(given) :] if each.default is each.empty and each.name not in named]
    if lacking:
        return missing(name, lacking)
    for key in named:
        if key not in checks:
            return f"{name}() got an unexpected keyword argument '{key}'"
        if key in [each.name for each in places[: len(given)]]:
            return f"{name}() got multiple values for argument '{key}'"
    return ""


def _misfit(name: str, places: list, checks: dict, given: tuple, named: dict, bound: bool) -> str:
    """Which of the arguments does not fit, and why."""
    numbered = [(each.name, value, f" (position {i + 1 - bound})") for i, (each, value) in _beside(places, given)]
    for key, value, position in [*numbered, *[(key, value, "") for key, value in named.items()]]:
        try:
            checks[key](value)
        except Misfit as misfit:
            text = str(misfit)
            if text.startswith("expected"):
                return text
            return f"{name}(): argument '{key}'{'' if text.startswith('failed') else position} {text}"
    raise AssertionError("every argument fits")


def _no_form(name: str, forms: Sequence[str], given: tuple, named: dict) -> str:
    """What torch says where none of several signatures fits: all of them, and what does not fit in each."""
    values = [("", each) for each in given] + [(f"{key}=", each) for key, each in named.items()]
    kinds = ", ".join([prefix + typename(each) for prefix, each in values])
    lines = [f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:"]
    for form in forms:
        lines.append(f" * ({form})")
        wanted = form.split(", ")
        if len(wanted) == len(values):  # "" is one too: nothing at all, and that does not fit
            marks = ", ".join(
                [_marked(prefix, each, want) for (prefix, each), want in zip(values, wanted, strict=True)]
            )
            lines.append(f"      didn't match because some of the arguments have invalid types: ({marks})")
    return "\n".join([*lines, ""])


def _marked(prefix: str, value: Any, want: str) -> str:
    """The kind of a value, between exclamation marks where it is not the one that `want` begins with."""
    kind = described(value)
    try:
        fits = bool(want)
        WANTED.get(want.rsplit(" ", 1)[0], _anything)(value)
    except Misfit:
        fits = False
    return f"{prefix}{kind}" if fits else f"!{prefix}{kind}!"


def _beside(places: list, given: tuple) -> list:
    return list(enumerate(zip(places, given, strict=False)))


# --- the checks: each gives back the value as the operation wants it, or raises Misfit ------------


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


def _anything(value: Any) -> Any:
    return value


def _tensor(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    raise Misfit(f"must be Tensor, not {typename(value)}")


def _tensor_or_none(value: Any) -> Tensor | None:
    return None if value is None else _tensor(value)


def _int(value: Any) -> int:
    if value.__class__ is int:
        return value
    if is_int(value):
        return operator.index(value)
    raise Misfit(f"must be int, not {typename(value)}")


def _int_or_none(value: Any) -> int | None:
    return None if value is None else _int(value)


def _ints(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of ints, not {typename(value)}")
    for place, each in enumerate(value):
        if each.__class__ is not int and not is_int(each) and not (place and isinstance(each, bool)):
            kind = typename(each)
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
    raise Misfit(f"must be torch.dtype, not {typename(value)}")


def _number(value: Any) -> Any:
    if isinstance(value, dtypes.NUMBERS):
        return value
    raise Misfit(f"must be Number, not {typename(value)}")


def _int_or_ints(value: Any) -> tuple[int, ...]:
    return (_int(value),) if is_int(value) else _ints(value)


def _dim(value: Any) -> int | tuple[int, ...]:
    return _int(value) if is_int(value) else _ints(value)


def _tensors(value: Any) -> Sequence[Tensor]:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of Tensors, not {typename(value)}")
    for place, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise Misfit(f"expected Tensor as element {place} in argument 0, but got {typename(each)}")
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
}
WANTED: dict[str, Callable] = {  # the same, as torch writes it
    "Tensor": _tensor,
    "int": _int,
    "tuple of ints": _ints,
    "torch.dtype": _dtype,
    "Number": _number,
}
