"""How an operation becomes a method of Tensor and a function of `torch.`: `register`, ours and a program's own.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import NoneType
from typing import Any, TypeVar, overload

from minigrad.compat import unsupported
from minigrad.ops import argument_parser
from minigrad.ops.lazy import Functions, Method, load
from minigrad.passing import inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor

functions = Functions()  # names in `torch.` that are not imported explicitly
REPLACEABLE = {"hypot", "logsumexp"}  # a program may register its own in place of ours, until it unregisters it
_ours: dict[str, tuple[Callable, object]] = {}  # by name: the replaced function and method
keep_class: Callable | None = None
Kept = TypeVar("Kept")  # an operation, which stays what it is


def set_keep_class(function: Callable | None) -> None:
    """Set what keeps the class of results, once a program has derived a class from Tensor."""
    global keep_class
    keep_class = function


@overload
def register(name: str, operation: None = None, **options: object) -> Callable[[Kept], Kept]: ...
@overload
def register(name: str, operation: Kept, **options: object) -> Kept: ...
def register(  # type: ignore[misc]  # it spells the options out
    name: str,
    operation: Any = None,
    *,
    alias: str = "",
    function: bool = True,
    method: bool = True,
    in_place: bool | Callable = False,
    in_place_function: bool = False,
    checked: bool = True,
) -> Any:
    """Make an operation the function `torch.<name>` and the method `Tensor.<name>`, and return it: as a call,
    `register("cube", Cube)`, or as a decorator, `@register("mul", alias="multiply", in_place=True)`.

    The operation is a Function, a plain function without annotations, or one with annotations. Only the last has its
    arguments checked, in torch's words; with `checked=False` it does that itself. `alias` is more names, in one string.
    With `in_place` there is also `Tensor.<name>_`, which writes the result into the tensor's memory, or does what is
    given instead; with `in_place_function` also `torch.<name>_`. ValueError if a name is taken; but ours of
    REPLACEABLE give way, until `unregister`.
    """
    if operation is None:
        return functools.partial(
            register,
            name,
            alias=alias,
            function=function,
            method=method,
            in_place=in_place,
            in_place_function=in_place_function,
            checked=checked,
        )
    for item in (name, *alias.split()):
        _make_room(item, function, method)
        if function:
            functions[item] = call_of(item, operation) if checked else operation
        if method:
            setattr(Tensor, item, call_of(item, operation, bound=True) if checked else operation)
        if in_place:
            change = inplace.change if in_place is True else in_place
            setattr(Tensor, f"{item}_", call_of(f"{item}_", operation, bound=True, change=change))
        if in_place_function:
            functions[f"{item}_"] = vars(Tensor)[f"{item}_"]
    return operation


def unregister(name: str) -> None:
    """Take back what `register` added."""
    del functions[name]
    delattr(Tensor, name)
    if name in _ours:
        functions[name], method = _ours.pop(name)
        setattr(Tensor, name, method)
    unsupported.mark(Tensor)


def register_property(name: str, value: Callable) -> None:
    """Make `value(tensor)` the attribute `Tensor.<name>`, which cannot be assigned. ValueError if the name is taken."""
    _make_room(name, False, True)
    setattr(Tensor, name, property(value))


def _make_room(name: str, function: bool, method: bool) -> None:
    """Set one of the REPLACEABLE aside. ValueError for any other name that is taken."""
    functions.load(name)  # does nothing while the module that has the name is loading: it is the one that asks
    held = vars(Tensor)[name] if name in vars(Tensor) else getattr(Tensor, name, None)
    if isinstance(held, Method):
        load(held.module)
        held = vars(Tensor)[name]
    if name in REPLACEABLE and functions.made(name) and name not in _ours:
        _ours[name] = functions[name], held
        del functions[name]
        delattr(Tensor, name)
        held = None
    free = isinstance(held, (NoneType, unsupported.Absent, Method))
    if (function and functions.made(name)) or (method and not free):
        raise ValueError(f"Tensor.{name} exists already")


def call_of(name: str, operation: Any, *, bound: bool = False, change: Callable | None = None) -> Callable:
    """The operation as a function, or with `bound` as a method, of this name. `change` gets it and the arguments."""
    if isinstance(operation, type) or not getattr(operation, "__annotations__", None):
        call = _with_any_arguments(name, operation, change)
    else:
        call = _with_its_arguments(name, operation, bound, change)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = operation.__doc__
    if not isinstance(operation, type):
        call.__wrapped__ = operation  # type: ignore[attr-defined]  # whose signature it has
    if change:
        call.__doc__ = f"Like `{name[:-1]}`, and the result takes the place of the tensor's own values."
    return call


def _with_any_arguments(name: str, operation: Any, change: Callable | None) -> Callable:
    """The operation with whatever it is given; the first argument may be called `input`."""
    is_node = isinstance(operation, type) and issubclass(operation, Function)

    def call(*inputs: object, **settings: object) -> object:
        if "input" in settings:
            inputs = (settings.pop("input"), *inputs)
        if "out" in settings and not change and name not in argument_parser.WITHOUT_OUT:
            return argument_parser.into(name, call, inputs, settings)
        if is_node and not (inputs and isinstance(inputs[0], Tensor)):
            given = type(inputs[0]).__name__ if inputs else "nothing"
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {given}")
        function = operation.apply if is_node else operation  # looked up now: the fast path gives it another one
        return change(inputs[0], function, *inputs[1:], **settings) if change else function(*inputs, **settings)

    return call


def _with_its_arguments(name: str, operation: Any, bound: bool, change: Callable | None) -> Callable:
    """The operation with its arguments checked and in order; TypeError, in torch's words, for a wrong one."""
    form: argument_parser.Form | None = None
    done = (lambda tensor, *values, **settings: change(tensor, operation, *values, **settings)) if change else operation
    code: Any = getattr(operation, "__code__", None)
    is_short = not change and code is not None and code.co_argcount - len(operation.__defaults__ or ()) == 1
    is_short = is_short and operation.__annotations__.get(code.co_varnames[0]) == "Tensor"

    def call(*args: object, **kwargs: object) -> object:
        nonlocal form
        if is_short and not kwargs and len(args) == 1 and type(args[0]) is Tensor:
            return operation(args[0])  # x.relu(), x.sum(): nothing to check
        if "out" in kwargs and not bound and name not in argument_parser.WITHOUT_OUT:
            return argument_parser.into(name, call, args, kwargs)
        if form is None:  # at the first call: reading all of them would slow down the import
            form = argument_parser.Form.of(name, operation, bound)
        itself, behind = args[:bound], args[bound:]
        try:
            values, settings = form.bind(behind, kwargs)
            result = done(*itself, *values, **settings)
            return result if keep_class is None else keep_class(result, args)
        except argument_parser.Misfit as error:  # one argument does not fit, or they do not fit together
            text = str(error)
        values, settings = argument_parser.of_old(form, behind, text)
        return done(*itself, *values, **settings)

    return call
