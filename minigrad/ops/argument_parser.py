"""The arguments of a call, in torch's own notation, and torch's messages if they do not fit. A `Form` is one way to
call a function: `Tensor input, int dim, *, torch.dtype dtype = None`. An operation's form is read from its annotations
(`registry.register`), for all of torch's; functions that make tensors or draw numbers have theirs as text (`accepts`).
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes, messages
from minigrad.compat.device import demand_cpu, is_device
from minigrad.compat.typenames import name_of_type
from minigrad.graph import state
from minigrad.ops import return_types
from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, is_operand

Number = int | float | bool
Ints = Sequence[int]
Axes = int | Ints
Dtype = dtypes.dtype
Dim = int | Ints | None
Tensors = Sequence[Tensor]

LEAST, MOST = -(2**63), 2**63 - 1  # of int64
SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
OLD = {"add": "alpha", "sub": "alpha", "addcmul": "value", "addcdiv": "value"}  # once the number came first
REQUIRED = object()


class Misfit(TypeError):
    """An argument that the operation does not accept, or several that do not go together; the message says why."""


def is_int(value: object) -> bool:
    """True for anything torch accepts as an int: an int, a numpy int, a tensor that holds one; not a bool."""
    if value.__class__ is int:
        return True
    if isinstance(value, Tensor):
        return value.ndim == 0 and value.dtype.kind == dtypes.INTEGER
    return not isinstance(value, bool) and hasattr(type(value), "__index__") and not getattr(value, "ndim", 0)


def _kind(name: str, fits: Callable[[Any], bool], plainly: Callable = lambda value: value) -> Callable:
    """A converter: accepts a value that `fits`, and returns it in the operation's form with `plainly`."""

    def check(value: object) -> object:
        if fits(value):
            return plainly(value)
        raise Misfit(f"must be {name}, not {name_of_type(value)}")

    return check


def _is_number(value: object) -> bool:
    """True for a number of Python or numpy, and for a tensor without axes that needs no gradient."""
    if isinstance(value, Tensor):
        return value.ndim == 0 and not value.requires_grad
    return isinstance(value, (*dtypes.NUMBERS, complex))


def number(value: Any) -> bool | int | float:
    """A number from Python, numpy or a tensor without axes, as a Python number."""
    result = value.item() if isinstance(value, Tensor) else value
    if isinstance(result, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    return (
        result if isinstance(result, bool) else int(result) if isinstance(result, (int, np.integer)) else float(result)
    )


def _int(value: Any) -> int:
    result = operator.index(value)
    if not LEAST <= result <= MOST:
        raise ValueError("Overflow when unpacking long long")
    return result


def _dtype(value: Any) -> dtypes.dtype:
    if value is complex:
        raise NotImplementedError("minigrad has no complex numbers")
    return dtypes.OF_PYTHON.get(value, value)


def _ints(value: object) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of ints, not {name_of_type(value)}")
    for place, each in enumerate(value):
        if not is_int(each) and not (place and isinstance(each, bool)):
            raise Misfit(f"must be tuple of ints, but found element of type {name_of_type(each)} at pos {place}")
    return tuple([_int(item) for item in value])


def _tensors(value: object) -> Tensors:
    if not isinstance(value, (tuple, list)):
        raise Misfit(f"must be tuple of Tensors, not {name_of_type(value)}")
    for place, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise Misfit(f"expected Tensor as element {place} in argument 0, but got {name_of_type(each)}")
    return value


def _dim(value: object) -> int | tuple[int, ...]:
    return _int(value) if is_int(value) else _ints(value)


def _is_dtype(value: object) -> bool:
    return isinstance(value, dtypes.dtype) or any(value is item for item in (bool, int, float, complex))


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
    "torch.layout": _kind("torch.layout", lambda value: str(value) == "torch.strided"),
    "torch.memory_format": _kind("torch.memory_format", lambda value: str(value) in FORMATS),
}


# The checks that let values of one type through as they are (integers of 64 bits).
PLAIN = {KINDS["Tensor"]: Tensor, KINDS["Tensor | Number"]: Tensor, KINDS["bool"]: bool, KINDS["float"]: float}
PLAIN |= {KINDS["str"]: str, KINDS["int"]: int, KINDS["Dim"]: int}


def accepted(kind: str, value: object, argument: str = "") -> Any:
    """The value as one of the KINDS. TypeError, in torch's words, if it does not fit; `argument` starts it."""
    try:
        return KINDS[kind](value)
    except Misfit as error:
        raise TypeError(f"{argument}{error}") from None


class Argument(NamedTuple):
    """One argument of a form; `none` is the value that None means, or REQUIRED if None is not accepted."""

    name: str
    check: Callable
    default: object
    none: object
    keyword_only: bool


class Form:
    """One way to call a function or, if `bound`, a method (without the tensor itself)."""

    def __init__(self, function: str, arguments: list[Argument], text: str = "", bound: bool = False, packs: int = 0):
        self.function, self.arguments, self.bound = function, arguments, bound
        self.text = f"({text.replace('?', '')})"
        self.positional = [argument for argument in arguments if not argument.keyword_only]
        self.required = [place for place, argument in enumerate(arguments) if argument.default is REQUIRED]
        self.least = len(self.required)
        self.packs = packs or math.inf  # from how many ints on they are one argument: x.view(2, 3)
        self.defaults = {argument.name: argument.default for argument in [*self.positional, *arguments]}
        self.plain = [PLAIN.get(argument.check) for argument in self.positional]
        self.is_ints = bound and packs == 1 and len(arguments) == 1
        self.places = {argument.name: place for place, argument in enumerate(arguments)}

    @classmethod
    def read(cls, function: str, text: str) -> Form:
        """Parse a form: `int n, *, torch.dtype? dtype = None`."""
        arguments: list[Argument] = []
        before, _, behind = text.partition("*")
        for part, keyword_only in (before, False), (behind, True):
            for piece in filter(None, part.split(", ")):
                declared, _, value = piece.partition(" = ")
                kind, _, name = declared.rpartition(" ")
                default = ast.literal_eval(value) if value else REQUIRED
                kind, optional = kind.rstrip("?"), kind.endswith("?")
                none = default if default is None or (optional and value) else None if optional else REQUIRED
                arguments.append(Argument(name, KINDS.get(kind, lambda value: value), default, none, keyword_only))
        only = [argument for argument in arguments if not argument.keyword_only]
        return cls(function, arguments, text, packs=len(only) == 1 and only[0].check is _ints)

    @classmethod
    def of(cls, name: str, operation: Callable, bound: bool) -> Form:
        """The form given by the annotations of an operation."""
        parameters = [*inspect.signature(operation).parameters.values()][bound:]
        arguments, kinds = [], []
        for parameter in parameters:
            if parameter.kind is not parameter.VAR_POSITIONAL:
                kind, optional, _ = str(parameter.annotation).partition(" | None")
                default, none = (
                    REQUIRED if parameter.default is parameter.empty else parameter.default,
                    None if optional else REQUIRED,
                )
                check = KINDS.get(kind, lambda value: value)
                keyword_only = parameter.kind is parameter.KEYWORD_ONLY
                arguments.append(
                    Argument(parameter.name, check, default, none if kind in KINDS else None, keyword_only)
                )
                kinds += [kind] if not keyword_only else []
        packs = (kinds[0].startswith("Ints") or 2 * (kinds == ["Dim"])) if bound and kinds else 0
        return cls(name, arguments, bound=bound, packs=int(packs))

    def bind(self, given: tuple, named: dict) -> tuple[list, dict]:
        """The values of all places up to the last that is filled, and those with names. Misfit, if they do not fit."""
        arguments, function = self.arguments, self.function
        if not named and self.is_ints and given:
            sizes = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
            size: Any
            for size in sizes:
                if size.__class__ is not int or not LEAST <= size <= MOST:
                    break
            else:
                return [tuple(sizes)], {}
        if not named and self.least <= len(given) <= len(self.plain) and self.packs is math.inf:
            for value, plain in zip(given, self.plain):  # noqa: B905  (there may be more arguments)
                if type(value) is not plain or (isinstance(value, int) and not LEAST <= value <= MOST):
                    break
            else:
                return [*given], {}
        if len(given) >= self.packs and is_int(given[0]):
            given = (given,)
        names, given_names = self.places, [*named]
        if named:
            named = {SPELLINGS[key] if SPELLINGS.get(key) in names else key: value for key, value in named.items()}
        if len(given) > len(self.positional):
            most = len(self.positional)
            count = f"{most}" if self.least == most else f"from {self.least} to {most}"
            plural, were = "" if count == "1" else "s", "was" if len(given) == 1 else "were"
            raise Misfit(f"{function}() takes {count} positional argument{plural} but {len(given)} {were} given")
        values = [self.checked(place, value, True) for place, value in enumerate(given)]
        settings: dict[str, Any] = {}
        taken = len(given)
        known = len([name for name in named if names.get(name, -1) >= taken]) == len(named)
        missing = [place for place in self.required if place >= taken and arguments[place].name not in named]
        if known and not missing:
            for place in sorted([names[name] for name in named]):
                name, _, _, _, keyword_only = arguments[place]
                value = self.checked(place, named[name], False)
                if keyword_only:
                    settings[name] = value
                else:
                    values += [argument.default for argument in arguments[len(values) : place]]
                    values.append(value)
            return values, settings
        self.refuse(taken, dict(named), given_names)

    def refuse(self, taken: int, rest: dict, given_names: list[str]) -> NoReturn:
        """Misfit for what is wrong with the arguments that were given by name, in torch's order, or left out."""
        for place, (name, _, default, _, _) in enumerate(self.arguments[taken:], taken):
            if name in rest:
                self.checked(place, rest.pop(name), False)
            elif default is REQUIRED:
                behind = [f'"{item.name}"' for item in self.positional[place:] if item.default is REQUIRED]
                plural = "s" if len(behind) == 1 else ""  # torch has it this way round
                words = f"missing {len(behind)} required positional argument{plural}: {', '.join(behind)}"
                raise Misfit(f"{self.function}() {words}")
        name = next(iter(rest))
        if name in self.places:
            raise Misfit(f"{self.function}() got multiple values for argument '{name}'")
        first = next((key for key in given_names if key not in self.places), name)  # torch knows no other spelling here
        raise Misfit(f"{self.function}() got an unexpected keyword argument '{first}'")

    def checked(self, place: int, value: object, counted: bool) -> Any:
        """The value converted for its argument. Misfit names the argument, with its position if it was `counted`."""
        name, check, _, none, _ = self.arguments[place]
        if value is None and none is not REQUIRED:
            return none
        try:
            return check(value)
        except Misfit as error:
            text = str(error)
        position = f" (position {place + 1})" if counted else ""
        raise Misfit(text if text.startswith("expected") else f"{self.function}(): argument '{name}'{position} {text}")

    def named(self, given: tuple, named: dict) -> dict:
        """All values by name, with defaults for missing ones. Misfit, in torch's words, if they do not fit."""
        values, settings = self.bind(given, named)
        return {**self.defaults, **dict(zip(self.defaults, values)), **settings}  # noqa: B905  (the first ones)


def fitting(forms: Sequence[Form], args: tuple, kwargs: dict) -> tuple[Form, dict]:
    """The first form that accepts the call, and the values by name. TypeError, in torch's words, if none does."""
    text = ""
    for form in forms:
        try:
            return form, form.named(args, kwargs)
        except Misfit as error:
            text = str(error)
    if len(forms) == 1:
        raise TypeError(text)
    count = len(args) + len(kwargs)
    plausible = [form for form in forms if form.least <= count <= len(form.arguments)]
    if len(plausible) == 1:
        fitting(plausible, args, kwargs)  # says what is wrong
    named = [f"{key}={name_of_type(kwargs[key])}" for key in reversed(kwargs)]  # torch begins with the last
    got = f"{', '.join([*map(name_of_type, args), *named])}{', ' if named and not args else ''}"
    expected = "".join([f" * {form.text}\n" for form in forms])
    start = f"{forms[0].function}() received an invalid combination of arguments - got ({got}), but expected one of:"
    raise TypeError(f"{start}\n{expected}")


def of_old(form: Form, given: tuple, text: str) -> tuple[list, dict]:
    """The values of a call in the deprecated order `add(x, alpha, y)`. TypeError, with the text, for any other."""
    word, place = OLD.get(form.function.rstrip("_"), ""), 0 if form.bound else 1
    if not word or len(given) != len(form.positional) + 1 or not _is_number(given[place]):
        raise TypeError(text)
    messages.warn_once(
        f"This overload of {form.function} is deprecated: write {word}=... after the tensors", subject="overload"
    )
    return form.bind((*given[:place], *given[place + 1 :]), {word: given[place]})


WITHOUT_OUT = frozenset(
    [
        "allclose",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "bincount",
        "broadcast_tensors",
        "broadcast_to",
        "cdist",
        "chunk",
        "clone",
        "count_nonzero",
        "det",
        "detach",
        "diag_embed",
        "diagonal",
        "einsum",
        "equal",
        "flatten",
        "flip",
        "index_fill",
        "index_put",
        "is_complex",
        "is_floating_point",
        "is_nonzero",
        "is_signed",
        "isclose",
        "isfinite",
        "isinf",
        "isnan",
        "masked_fill",
        "meshgrid",
        "moveaxis",
        "movedim",
        "narrow",
        "numel",
        "permute",
        "positive",
        "ravel",
        "relu",
        "reshape",
        "roll",
        "rsub",
        "select",
        "slogdet",
        "split",
        "split_with_sizes",
        "squeeze",
        "swapaxes",
        "swapdims",
        "t",
        "tile",
        "trace",
        "transpose",
        "unbind",
        "unflatten",
        "unique",
        "unique_consecutive",
        "unsafe_chunk",
        "unsafe_split",
        "unsafe_split_with_sizes",
        "unsqueeze",
    ]
)


def into(name: str, call: Callable, args: tuple, kwargs: dict) -> Any:
    """The result of a call with `out=`, written into that tensor, or those. RuntimeError if one requires grad."""
    out = kwargs.pop("out")
    if out is None:
        return call(*args, **kwargs)
    for value in (*args, *kwargs.values(), *(out if isinstance(out, (tuple, list)) else (out,))):
        items = value if isinstance(value, (tuple, list)) else (value,)
        if leaf.recording and any(isinstance(item, Tensor) and item.requires_grad for item in items):
            but = "don't support automatic differentiation, but one of the arguments requires grad."
            raise RuntimeError(f"{name}(): functions with out=... arguments {but}")
    with leaf.no_grad():
        return written(name, out, call(*args, **kwargs))


def written(name: str, out: Any, result: Any, warns: bool = True) -> Any:
    """The tensor `out` with a result in it, in its own dtype; in the result's shape, and it `warns` if it had another
    one. Of several results several. TypeError or RuntimeError if they do not fit.
    """
    if isinstance(result, tuple):
        parts = [written(name, item, part) for item, part in zip(out, result, strict=True)]
        names = getattr(result, "names", None)
        return return_types.named(f"{type(result).__name__}_out", *names)(*parts) if names else tuple(parts)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {name_of_type(out)}")
    if result.dtype.kind > out.dtype.kind:
        kinds = f"{result.dtype.scalar_type} can't be cast to the desired output type {out.dtype.scalar_type}"
        raise RuntimeError(f"result type {kinds}")
    if out.shape != result.shape:
        if warns and out.numel():
            messages.warn(messages.RESIZED.format(list(out.shape), list(result.shape)))
        out._array = np.empty(result._array.shape, out._array.dtype)
    out._memory()[...] = result._array
    leaf.count_change(out)
    return out


def accepts(*texts: str, method: bool = False, made: Callable | None = None) -> Callable:
    """Decorator: check a call against torch's forms, and pass the values by name, after the tensor of a `method`.
    The result goes to `made`, with `requires_grad`. TypeError, in torch's words, for a call that fits no form.
    """

    def decorate(function: Callable) -> Callable:
        name = function.__name__
        forms: list[Form] = []
        code: Any = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        wanted = {**{name.rstrip("_"): name for name in names}, **{name: name for name in names}}  # `from` is `from_`

        @functools.wraps(function)
        def call(*args: object, **kwargs: object) -> object:
            if not forms:
                forms.extend([Form.read(name, text) for text in texts])
            values = fitting(forms, args[method:], kwargs)[1]
            demand_cpu(values.get("device"))
            if values.get("pin_memory"):
                raise RuntimeError(messages.PINNED)
            out = values.pop("out", None)
            values["generator"] = values.get("generator") or default_generator
            result = function(*args[:method], **{wanted[key]: item for key, item in values.items() if key in wanted})
            result = made(result, values["requires_grad"]) if made else result
            result = result if out is None else written(name, out, result, warns=False)
            return result if state.kept is None else state.kept(result, args)

        return call

    return decorate
