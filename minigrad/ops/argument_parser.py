"""The arguments of a call, in torch's own notation, and torch's messages if they do not fit. A `Form` is one way to
call a function: `Tensor input, int dim, *, torch.dtype dtype = None`. An operation's form is read from its annotations
(`registry.define`); functions that make tensors or draw numbers have theirs as text (`accepts`). If torch accepts
several forms, ours accepts all of them; their texts (`overloads`) are quoted in the error if none fits.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.compat import dtypes, messages
from minigrad.compat.device import demand_cpu, is_device
from minigrad.compat.typenames import described, name_of_type
from minigrad.ops import overloads
from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, is_operand

Number = int | float | bool
Ints = Sequence[int]
Axes = int | Ints
Dtype = dtypes.dtype
Dim = Any  # an int or several
Tensors = Sequence[Tensor]

SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
NUMBERS_AS_TENSORS = {"add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide", "floor_divide"}
REQUIRED: Any = object()


class Misfit(TypeError):
    """An argument that the operation does not accept, or several that do not go together; the message says why."""


class Unpacked(TypeError):
    """An entry of a sequence that does not fit: torch then tries no other form."""


def is_int(value: Any) -> bool:
    """True for anything torch accepts as an int: an int, a numpy int, a tensor that holds one; not a bool."""
    if value.__class__ is int:
        return True
    if isinstance(value, Tensor):
        return value.ndim == 0 and value.dtype.kind == dtypes.INTEGER
    return not isinstance(value, bool) and hasattr(type(value), "__index__") and not getattr(value, "ndim", 0)


def _kind(name: str, fits: Callable[[Any], bool], plainly: Callable = lambda value: value) -> Callable[[Any], Any]:
    """A converter: accepts a value that `fits`, and returns it in the operation's form with `plainly`."""

    def check(value: Any) -> Any:
        if fits(value):
            return plainly(value)
        raise Misfit(f"must be {name}, not {name_of_type(value)}")

    return check


def _is_number(value: Any) -> bool:
    """True for a number of Python or numpy, and for a tensor without axes that needs no gradient."""
    if isinstance(value, Tensor):
        return value.ndim == 0 and not value.requires_grad
    return isinstance(value, (*dtypes.NUMBERS, complex))


def number(value: Any) -> bool | int | float:
    """A number from Python, numpy or a tensor without axes, as a Python number."""
    found = value.item() if isinstance(value, Tensor) else value
    if isinstance(found, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    return found if isinstance(found, bool) else int(found) if isinstance(found, (int, np.integer)) else float(found)


def _int(value: Any) -> int:
    found = operator.index(value)
    if not -(2**63) <= found < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return found


def _dtype(value: Any) -> dtypes.dtype:
    if value is complex:
        raise NotImplementedError("minigrad has no complex numbers")
    return dtypes.OF_PYTHON.get(value, value)


def _ints(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of ints, not {name_of_type(value)}")
    for place, each in enumerate(value):
        if not is_int(each) and not (place and isinstance(each, bool)):
            kind = name_of_type(each)
            if not place:
                raise Misfit(f"must be tuple of ints, but found element of type {kind} at pos 0")
            why = f"type must be tuple of ints,but got {kind}"
        elif abs(operator.index(each)) >= 2**63:
            why = "Overflow when unpacking long long"
        else:
            continue
        raise Unpacked(f'failed to unpack the object at pos {place + 1} with error "{why}"')
    return tuple([operator.index(each) for each in value])


def _tensors(value: Any) -> Tensors:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of Tensors, not {name_of_type(value)}")
    for place, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise Misfit(f"expected Tensor as element {place} in argument 0, but got {name_of_type(each)}")
    return value


def _dim(value: Any) -> int | tuple[int, ...]:
    return _int(value) if is_int(value) else _ints(value)


def _is_dtype(value: Any) -> bool:
    return isinstance(value, dtypes.dtype) or any(value is each for each in (bool, int, float, complex))


FORMATS = ("torch.preserve_format", "torch.contiguous_format")
KINDS: dict[str, Callable] = {
    "Tensor": _kind("Tensor", lambda value: isinstance(value, Tensor)),
    "Tensor | Number": _kind("Tensor", is_operand, dtypes.plain),
    "Number": _kind("Number", _is_number, number),
    "int": _kind("int", is_int, _int),
    "bool": _kind("bool", lambda value: isinstance(value, bool)),
    "float": _kind("float", lambda v: _is_number(v) and not isinstance(v, complex), lambda v: float(number(v))),
    "str": _kind("str", lambda value: isinstance(value, str)),
    "tuple of ints": _ints,
    "Ints": _ints,
    "Ints | dtypes.dtype": lambda value: value if isinstance(value, dtypes.dtype) else _ints(value),
    "Axes": lambda value: (_int(value),) if is_int(value) else _ints(value),
    "bool | Axes": lambda value: value if isinstance(value, bool) else KINDS["Axes"](value),
    "Dim": _dim,
    "tuple of Tensors": _tensors,
    "Tensors": _tensors,
    "torch.dtype": _kind("torch.dtype", _is_dtype, _dtype),
    "Dtype": _kind("torch.dtype", _is_dtype, _dtype),
    "torch.Generator": _kind("torch.Generator", lambda value: isinstance(value, Generator)),
    "torch.device": _kind("torch.device", is_device),
    "torch.Storage": _kind("torch.Storage", lambda value: False),
    "torch.layout": _kind("torch.layout", lambda value: str(value) == "torch.strided"),
    "torch.memory_format": _kind("torch.memory_format", lambda value: str(value) in FORMATS),
}


def demand(check: Callable, value: Any, argument: str = "") -> Any:
    """The value converted by `check`. TypeError, in torch's words, if it does not fit; `argument` starts it."""
    try:
        return check(value)
    except (Misfit, Unpacked) as error:
        raise TypeError(f"{argument}{error}") from None


def ints_of(value: Any, argument: str) -> tuple[int, ...]:
    """The value as a tuple of ints. TypeError, in torch's words, if it is not one."""
    return demand(_ints, value, f"{argument} ")


def demand_tensors(values: Any) -> Tensors:
    """The values as a sequence of Tensors. TypeError, in torch's words, if one is something else."""
    return demand(_tensors, values)


class Argument(NamedTuple):
    """One argument of a form; `none` is the value that None means, or REQUIRED if None is not accepted."""

    name: str
    check: Callable[[Any], Any]
    default: Any
    none: Any
    keyword_only: bool


class Form:
    """One way to call a function or, if `bound`, a method (without the tensor itself)."""

    def __init__(self, function: str, arguments: list[Argument], text: str = "", bound: bool = False, packs: Any = 0):
        self.function, self.arguments, self.bound, self.deprecated = function, arguments, bound, text.startswith("old")
        self.text = f"({text.removeprefix('old, ').replace('?', '')})"
        self.positional = [each for each in arguments if not each.keyword_only]
        self.least = sum([each.default is REQUIRED for each in arguments])
        self.packs = packs or math.inf  # from how many ints on they are one argument: x.view(2, 3)

    @classmethod
    def read(cls, function: str, text: str) -> Form:
        """Parse a form: `int n, *, torch.dtype? dtype = None`; a deprecated one starts with `old`."""
        arguments: list[Argument] = []
        before, _, behind = text.removeprefix("old, ").partition("*")
        for part, keyword_only in (before, False), (behind, True):
            for piece in filter(None, part.split(", ")):
                declared, _, value = piece.partition(" = ")
                kind, _, name = declared.rpartition(" ")
                default = ast.literal_eval(value) if value else REQUIRED
                kind, optional = kind.rstrip("?"), kind.endswith("?")
                none = default if default is None or (optional and value) else None if optional else REQUIRED
                if kind == "Tensor" and function.rstrip("_") in NUMBERS_AS_TENSORS:
                    kind = "Tensor | Number"
                check = _dim if name == "dim" and kind == "tuple of ints" else KINDS.get(kind, lambda value: value)
                arguments.append(Argument(name, check, default, none, keyword_only))
        only = [each for each in arguments if not each.keyword_only]
        return cls(function, arguments, text, packs=len(only) == 1 and only[0].check is _ints)

    @classmethod
    def of(cls, name: str, operation: Callable, bound: bool) -> Form:
        """The form given by the annotations of an operation."""
        parameters = [*inspect.signature(operation).parameters.values()][bound:]
        arguments, kinds = [], []
        for each in parameters:
            if each.kind is not each.VAR_POSITIONAL:
                kind, optional, _ = str(each.annotation).partition(" | None")
                default, none = REQUIRED if each.default is each.empty else each.default, None if optional else REQUIRED
                check = KINDS.get(kind, lambda value: value)
                keyword_only = each.kind is each.KEYWORD_ONLY
                arguments.append(Argument(each.name, check, default, none if kind in KINDS else None, keyword_only))
                kinds += [kind] if not keyword_only else []
        packs = (kinds[0].startswith("Ints") or 2 * (kinds == ["Dim"])) if bound and kinds else 0
        return cls(name, arguments, bound=bound, packs=int(packs))

    def bind(self, given: tuple, named: dict) -> tuple[list, dict]:
        """The values of all places up to the last that is filled, and those with names. Misfit, if they do not fit."""
        arguments, function = self.arguments, self.function
        if len(given) >= self.packs and is_int(given[0]):
            given = (given,)
        names = [each.name for each in arguments] if named else []
        if named:
            named = {SPELLINGS[key] if SPELLINGS.get(key) in names else key: value for key, value in named.items()}
        if self.bound and not arguments and (given or named):
            raise Misfit(messages.takes_nothing(function, given, named))
        if len(given) > len(self.positional):
            most = len(self.positional)
            count = f"{most}" if self.least == most else f"from {self.least} to {most}"
            plural, were = "" if count == "1" else "s", "was" if len(given) == 1 else "were"
            raise Misfit(f"{function}() takes {count} positional argument{plural} but {len(given)} {were} given")
        values = [self.checked(place, value, True) for place, value in enumerate(given)]
        if len(given) == len(arguments) and not named:
            return values, {}
        settings, rest = {}, dict(named)
        for place, (name, _, default, _, keyword_only) in enumerate(arguments):
            if place < len(given):
                continue
            if name in rest:
                value = self.checked(place, rest.pop(name), False)
                if keyword_only:
                    settings[name] = value
                else:
                    values += [each.default for each in arguments[len(values) : place]]
                    values.append(value)
            elif default is REQUIRED:
                behind = [f'"{each.name}"' for each in self.positional[place:] if each.default is REQUIRED]
                plural = "s" if len(behind) == 1 else ""  # torch has it this way round
                words = f"missing {len(behind)} required positional argument{plural}: {', '.join(behind)}"
                raise Misfit(f"{function}() {words}")
        for name in rest:
            if name in names:
                raise Misfit(f"{function}() got multiple values for argument '{name}'")
            if name == "out" and not self.bound:
                raise NotImplementedError(messages.NO_OUT.format(function))
            raise Misfit(f"{function}() got an unexpected keyword argument '{name}'")
        return values, settings

    def checked(self, place: int, value: Any, counted: bool) -> Any:
        """The value converted for its argument. Misfit names the argument, with its position if it was `counted`."""
        name, check, _, none, _ = self.arguments[place]
        if value is None and none is not REQUIRED:
            return none
        try:
            return check(value)
        except (Misfit, Unpacked) as error:
            kind, text = type(error), str(error)
        position = f" (position {place + 1})" if counted and kind is Misfit else ""
        raise kind(text if text.startswith("expected") else f"{self.function}(): argument '{name}'{position} {text}")

    def named(self, given: tuple, named: dict) -> dict:
        """All values by name, with defaults for missing ones. Misfit, in torch's words, if they do not fit."""
        values, settings = self.bind(given, named)
        found = {each.name: each.default for each in self.arguments}
        return found | {each.name: value for each, value in zip(self.positional, values, strict=False)} | settings


def fitting(forms: Sequence[Form], args: tuple, kwargs: dict) -> tuple[Form, dict]:
    """The first form that accepts the call, and the values by name. TypeError, in torch's words, if none does."""
    text = ""
    for form in forms:
        try:
            return form, form.named(args, kwargs)
        except Misfit as error:
            text = str(error)
        except Unpacked as error:
            raise TypeError(str(error)) from None
    if len(forms) == 1:
        raise TypeError(text)
    shown = [each for each in forms if not each.deprecated]
    count = len(args) + len(kwargs)
    plausible = [each for each in shown if each.least <= count <= len(each.arguments)]
    if len(plausible) == 1:
        fitting(plausible, args, kwargs)  # says what is wrong
    raise TypeError(no_form(shown, args, kwargs))


def no_form(forms: Sequence[Form], args: tuple, kwargs: dict) -> str:
    """The message for a call that fits none of the forms: lists all of them and what does not fit."""
    count = len(args) + len(kwargs)
    named = [f"{key}={name_of_type(kwargs[key])}" for key in reversed(kwargs)]  # torch begins with the last
    got = _joined([name_of_type(each) for each in args], named)
    lines = []
    for form in forms:
        lines.append(f" * {form.text}")
        pieces = form.text[1:-1].split(", ")  # "*" is one of them, and "" too
        if len(pieces) != count:
            continue
        names = [each.rpartition(" ")[2] for each in pieces[len(args) :]]
        strange = [each for each in reversed(kwargs) if each not in names]
        if strange:
            reason = f"keywords were incorrect: {', '.join(strange)}"
        else:
            reason = f"arguments have invalid types: {_marked(pieces, args, kwargs)}"
        lines.append(f"      didn't match because some of the {reason}")
    start = f"{forms[0].function}() received an invalid combination of arguments - got "
    if len(forms) == 1:
        return f"{start}{got}, but expected {forms[0].text}"
    return "\n".join([f"{start}{got}, but expected one of:", *lines, ""])


def _marked(pieces: list[str], args: tuple, kwargs: dict) -> str:
    """The types of what was given, between exclamation marks where one is not word for word that of the form."""
    names = [each.rpartition(" ")[2] for each in pieces]
    given = [*[("", each) for each in args], *[(f"{name}=", kwargs[name]) for name in names[len(args) :]]]
    marked = []
    for piece, (prefix, value) in zip(pieces, given, strict=True):
        mark = "" if piece.rpartition(" ")[0] == name_of_type(value) else "!"
        marked.append(f"{mark}{prefix}{described(value)}{mark}")
    return _joined(marked[: len(args)], marked[len(args) :])


def _joined(positional: list[str], named: list[str]) -> str:
    """The text between the parentheses; torch leaves a trailing comma if there are only keywords."""
    return f"({', '.join([*positional, *named])}{', ' if named and not positional else ''})"


def of_old(form: Form, given: tuple, named: dict, text: str) -> tuple[list, dict]:
    """The values of a call in a deprecated form. TypeError for any other, with torch's message or else `text`."""
    forms = forms_of(form.function, form.bound)
    if not forms:
        raise TypeError(text)
    found, values = fitting(forms, given, named)
    if not found.deprecated:
        raise TypeError(text)
    better = [f"\n\t{form.function}{each.text}" for each in forms if not each.deprecated]
    messages.warn_once(
        f"This overload of {form.function} is deprecated:\n\t{form.function}{found.text}\n"
        f"Consider using one of the following signatures instead:{''.join(better)}",
        subject="overload",
    )
    names = {each.name for each in form.arguments}
    return form.bind((), {key: value for key, value in values.items() if key in names})


def accepts(*texts: str, method: bool = False, made: Callable | None = None) -> Callable:
    """Decorator: check a call against torch's forms, and pass the values by name, after the tensor of a `method`.
    The result goes to `made`, with `requires_grad`. TypeError, in torch's words, for a call that fits no form.
    """

    def decorate(function: Callable) -> Callable[..., Any]:
        name = function.__name__
        forms: list[Form] = []
        code: Any = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        wanted = {**{each.rstrip("_"): each for each in names}, **{each: each for each in names}}  # `from` is `from_`

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not forms:
                forms.extend([Form.read(name, text) for text in texts])
            values = fitting(forms, args[method:], kwargs)[1]
            demand_cpu(values.get("device"))
            if values.get("pin_memory"):
                raise RuntimeError(messages.PINNED)
            if values.get("out") is not None:
                raise NotImplementedError(messages.NO_OUT.format(name))
            values["generator"] = values.get("generator") or default_generator
            found = function(*args[:method], **{wanted[key]: each for key, each in values.items() if key in wanted})
            return made(found, values["requires_grad"]) if made else found

        return call

    return decorate


@functools.cache
def forms_of(name: str, bound: bool) -> Sequence[Form]:
    """torch's forms for the function `name`, or (`bound`) the method; none if there is only one way."""
    texts = overloads.texts().get(name.removesuffix("_"), [])
    if bound:
        texts = [_of_method(each) for each in texts if "Tensor input" in each]
    return [Form.read(name, each) for each in texts]


def _of_method(text: str) -> str:
    """The method's form for a function's form: without the tensor itself, and without out=."""
    pieces = [each for each in text.split(", ") if each != "Tensor input" and not each.endswith(" out = None")]
    return ", ".join(pieces[:-1] if pieces and pieces[-1] == "*" else pieces)
