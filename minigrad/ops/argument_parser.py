"""What a call takes, in torch's own notation, and torch's words where the arguments do not fit.

A `Form` is one way to call a function: `Tensor input, int dim, *, torch.dtype dtype = None`. An operation's is read
from its annotations (`registry.define`), that of what makes tensors or draws numbers from a text (`accepts`). What
torch lets call in several ways takes what all mean together; the texts (`overloads`) are quoted where none fits.

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
from minigrad.ops.overloads import FORMS
from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, is_operand

Number = int | float | bool
Ints = Sequence[int]
Dim = Any  # an int or several
Tensors = Sequence[Tensor]

SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
NUMBERS_AS_TENSORS = {"add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide", "floor_divide"}
REQUIRED: Any = object()


class Misfit(TypeError):
    """An argument that is not what the operation takes, or several that do not belong together; the text says why."""


class Unpacked(TypeError):
    """An entry of a sequence that does not fit: torch looks for no other way to call then."""


def is_int(value: Any) -> bool:
    """True for what torch takes as an int: an int, one of numpy, a tensor that holds one; not a bool."""
    if value.__class__ is int:
        return True
    if isinstance(value, Tensor):
        return value.ndim == 0 and value.dtype.kind == dtypes.INTEGER
    return not isinstance(value, bool) and hasattr(type(value), "__index__") and not getattr(value, "ndim", 0)


def _kind(name: str, fits: Callable[[Any], bool], plainly: Callable = lambda value: value) -> Callable[[Any], Any]:
    """What lets a value pass that `fits`, `plainly` as the operation wants it."""

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
    """A number of Python, of numpy, or a tensor without axes, as one of Python."""
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
        why = f"type must be tuple of ints,but got {name_of_type(each)}"
        if is_int(each) or (place and isinstance(each, bool)):
            if abs(operator.index(each)) < 2**63:
                continue
            why = "Overflow when unpacking long long"
        elif not place:
            raise Misfit(f"must be tuple of ints, but found element of type {name_of_type(each)} at pos 0")
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
    "int | Ints": lambda value: (_int(value),) if is_int(value) else _ints(value),
    "bool | int | Ints": lambda value: value if isinstance(value, bool) else KINDS["int | Ints"](value),
    "Dim": _dim,
    "tuple of Tensors": _tensors,
    "Tensors": _tensors,
    "torch.dtype": _kind("torch.dtype", _is_dtype, _dtype),
    "dtypes.dtype": _kind("torch.dtype", _is_dtype, _dtype),
    "torch.Generator": _kind("torch.Generator", lambda value: isinstance(value, Generator)),
    "torch.device": _kind("torch.device", is_device),
    "torch.layout": _kind("torch.layout", lambda value: str(value) == "torch.strided"),
    "torch.memory_format": _kind("torch.memory_format", lambda value: str(value) in FORMATS),
}


def ints_of(value: Any, argument: str) -> tuple[int, ...]:
    """The value as a tuple of ints. TypeError, in torch's words, where they are none; `argument` begins its text."""
    try:
        return _ints(value)
    except (Misfit, Unpacked) as error:
        raise TypeError(f"{argument} {error}") from None


def demand_tensors(values: Any) -> Tensors:
    """The values as a sequence of Tensors. TypeError, in torch's words, where one is something else."""
    try:
        return _tensors(values)
    except Misfit as error:
        raise TypeError(str(error)) from None


class Argument(NamedTuple):
    """One argument of a form; `none` is what None stands for, REQUIRED if None is not taken."""

    name: str
    check: Callable[[Any], Any]
    default: Any
    none: Any
    keyword_only: bool


class Form:
    """One way to call a function or, if `bound`, a method: then without the tensor itself."""

    def __init__(self, function: str, arguments: list[Argument], text: str = "", bound: bool = False, packs: Any = 0):
        self.function, self.arguments, self.bound, self.deprecated = function, arguments, bound, "|" in text
        self.text = f"({text.partition('|')[0].replace('?', '')})"
        self.positional = [each for each in arguments if not each.keyword_only]
        self.least = sum([each.default is REQUIRED for each in arguments])
        self.packs = packs or math.inf  # from how many ints on they are one argument: x.view(2, 3)
        self.known: set[tuple] = set()  # with how many positional arguments, and which names, calls were right

    @classmethod
    def read(cls, function: str, text: str) -> Form:
        """The form of a text: `int n, *, torch.dtype? dtype = None`; `|deprecated` ends one of old."""
        arguments: list[Argument] = []
        keyword_only = False
        for piece in text.partition("|")[0].split(", ") if text else ():
            if piece == "*":
                keyword_only = True
                continue
            declared, _, value = piece.partition(" = ")
            kind, _, name = declared.rpartition(" ")
            default = ast.literal_eval(value) if value else REQUIRED
            none = None if kind.endswith("?") and not value else default if "?" in kind or default is None else REQUIRED
            kind = kind.rstrip("?")
            if kind == "tuple of ints" and name == "dim":
                check = _dim
            elif kind == "Tensor" and function.rstrip("_") in NUMBERS_AS_TENSORS:
                check = KINDS["Tensor | Number"]
            else:
                check = KINDS.get(kind, lambda value: value)
            arguments.append(Argument(name, check, default, none, keyword_only))
        only = [each for each in arguments if not each.keyword_only]
        return cls(function, arguments, text, packs=len(only) == 1 and only[0].check is _ints)

    @classmethod
    def of(cls, name: str, operation: Callable, bound: bool) -> Form:
        """The form that the annotations of an operation say."""
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

    def takes(self, count: int, names: set[str]) -> bool:
        """True if the number of positional arguments and the names of the others are those of the form."""
        if count > len(self.positional):
            return self.packs == 1 and not names
        behind = self.arguments[count:]
        return {each.name for each in behind if each.default is REQUIRED} <= names <= {each.name for each in behind}

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
        """The value as its argument wants it. Misfit says which argument it is; its position where it was `counted`."""
        name, check, _, none, _ = self.arguments[place]
        if value is None and none is not REQUIRED:
            return none
        try:
            return check(value)
        except Unpacked as error:
            raise Unpacked(f"{self.function}(): argument '{name}' {error}") from None
        except Misfit as error:
            text = str(error)
        position = f" (position {place + 1})" if counted else ""
        raise Misfit(text if text.startswith("expected") else f"{self.function}(): argument '{name}'{position} {text}")

    def named(self, given: tuple, named: dict) -> dict:
        """All values by name, those left out with their defaults. Misfit, in torch's words, if they do not fit."""
        values, settings = self.bind(given, named)
        found = {each.name: each.default for each in self.arguments}
        return found | {each.name: value for each, value in zip(self.positional, values, strict=False)} | settings


def fitting(forms: Sequence[Form], args: tuple, kwargs: dict) -> tuple[Form, dict]:
    """The first form that takes the call, and the values by name. TypeError, in torch's words, if none does."""
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
    names = [f"{key}={name_of_type(kwargs[key])}" for key in reversed(kwargs)]
    return _joined([name_of_type(each) for each in args], names)


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


def demand_form(form: Form, given: tuple, named: dict) -> None:
    """TypeError, in torch's words, if torch knows several forms of the call, and none of them has these names."""
    forms = forms_of(form.function, form.bound)
    names = {SPELLINGS.get(key, key) for key in named}
    if forms and not any(each.takes(len(given), names) for each in forms):
        fitting(forms, given, named)
    form.known.add((len(given), *named))


def of_old(form: Form, given: tuple, named: dict, text: str) -> tuple[list, dict]:
    """The values of a call that fits a form of old. TypeError for any other: what torch says, or else `text`."""
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
    """Decorator: check a call against torch's texts, and hand over the values by name, after that of a `method`.
    What it returns goes to `made`, with `requires_grad`. TypeError, in torch's words, for a call that fits no text.
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
def _texts() -> dict[str, list[str]]:
    """The forms of each function, as texts."""
    found: dict[str, list[str]] = {}
    forms: list[str] = []
    for line in FORMS.strip().splitlines():
        if line.startswith(" "):
            forms.append(line.strip())
        else:
            forms = []
            found.update(dict.fromkeys(line.split(), forms))
    return found


@functools.cache
def forms_of(name: str, bound: bool) -> Sequence[Form]:
    """How torch lets call the function `name`, or (`bound`) the method; nothing where there is one way only."""
    texts = _texts().get(name.removesuffix("_"), [])
    if bound:
        texts = [_of_method(each) for each in texts if "Tensor input" in each and "out_dtype" not in each]
    return [Form.read(name, each) for each in texts]


def _of_method(text: str) -> str:
    """The form of the method that belongs to one of a function: without the tensor itself, and without out=."""
    text, mark, _ = text.partition("|")
    pieces = [each for each in text.split(", ") if each != "Tensor input" and not each.endswith(" out = None")]
    return ", ".join(pieces[:-1] if pieces and pieces[-1] == "*" else pieces) + (mark and "|deprecated")
