"""How an operation becomes a method of Tensor and a function of `torch.`.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any

from minigrad.compat.unsupported import Absent
from minigrad.ops import argument_parser, functions, lazy
from minigrad.passing import inplace
from minigrad.tensor import Tensor

keep_class: Callable | None = None


def set_keep_class(function: Callable) -> None:
    """Set what keeps the class of results, once a program has derived a class from Tensor."""
    global keep_class
    keep_class = function


def define(
    name: str, operation: Callable, *, function: bool = True, method: bool = True, in_place: Any = False
) -> None:
    """Make `operation` the function `torch.<name>` and the method `Tensor.<name>`, both with checked arguments. With
    `in_place` there is also `Tensor.<name>_`, which writes the result into the tensor's memory, or does what is given
    instead. ValueError if the name is taken.
    """
    if (function and functions.made(name)) or (method and not is_free(name)):
        raise ValueError(f"Tensor.{name} exists already")
    if function:
        functions[name] = taking(name, operation)
    if method:
        setattr(Tensor, name, taking(name, operation, bound=True))
    if in_place:
        change = inplace.change if in_place is True else in_place
        setattr(Tensor, name + "_", taking(name + "_", operation, bound=True, change=change))


def define_all(namespace: dict[str, Any], names: str, **options: Any) -> None:
    """`define` several names, as in "mul multiply=mul": an operation under its own name, and under an alias."""
    for each in names.split():
        name, _, operation = each.partition("=")
        define(name, namespace[operation or name], **options)


def define_property(name: str, value: Callable) -> None:
    """Make `value(tensor)` the attribute `Tensor.<name>`, which cannot be assigned. ValueError if the name is taken."""
    if not is_free(name):
        raise ValueError(f"Tensor.{name} exists already")
    setattr(Tensor, name, property(value))


def is_free(name: str) -> bool:
    """True if Tensor has nothing of this name, or only a placeholder."""
    return isinstance(vars(Tensor).get(name), (NoneType, Absent, lazy.Method))


def taking(name: str, operation: Callable, *, bound: bool = False, change: Callable | None = None) -> Callable:
    """`operation` with its arguments checked and in order; TypeError, in torch's words, for a wrong one."""
    form: argument_parser.Form | None = None
    done = (lambda tensor, *values, **settings: change(tensor, operation, *values, **settings)) if change else operation
    code: Any = getattr(operation, "__code__", None)
    is_short = not change and code is not None and code.co_argcount - len(operation.__defaults__ or ()) == 1
    is_short = is_short and operation.__annotations__.get(code.co_varnames[0]) == "Tensor"

    def call(*given: Any, **named: Any) -> Any:
        nonlocal form
        if is_short and not named and len(given) == 1 and type(given[0]) is Tensor:
            return operation(given[0])  # x.relu(), x.sum(): nothing to check
        if form is None:  # at the first call: reading all of them would slow down the import
            form = argument_parser.Form.of(name, operation, bound)
        itself, behind = given[:bound], given[bound:]
        try:
            values, settings = form.bind(behind, named)
            result = done(*itself, *values, **settings)
            return result if keep_class is None else keep_class(result, given)
        except argument_parser.Misfit as error:  # one argument does not fit, or they do not fit together
            text = str(error)
        values, settings = argument_parser.of_old(form, behind, text)
        return done(*itself, *values, **settings)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = operation.__doc__
    if change:
        call.__doc__ = f"Like `{name[:-1]}`, and the result takes the place of the tensor's own values."
    return call
