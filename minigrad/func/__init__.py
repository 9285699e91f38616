"""torch.func: what turns functions of tensors into their derivatives, or into functions of a batch. `vmap` is a loop,
and `jacfwd` computes as `jacrev` does, by one backward pass per entry. Results have a graph where an argument has one.
Mirrors https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad import jacobian as chapter
from minigrad.autograd import functional
from minigrad.compat import unsupported
from minigrad.ops import functions
from minigrad.recording import modes
from minigrad.tensor import Tensor


def _turned(text: str, derive: Callable[[Callable, tuple, bool], Any]) -> Callable:
    def turn(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
        def derived(*args: Any, **kwargs: object) -> Any:
            places = [item % len(args) for item in ((argnums,) if isinstance(argnums, int) else argnums)]
            x = tuple([args[place] for place in places])

            def alone(*given: Tensor) -> object:
                every = dict(enumerate(args)) | dict(zip(places, given, strict=True))
                result, aux[:] = _with_aux(func(*every.values(), **kwargs), has_aux)
                return result

            aux: list = []
            results = derive(alone, x, any(item.requires_grad for item in x))
            if isinstance(argnums, int):
                results = tuple([item[0] for item in results]) if isinstance(results[0], tuple) else results[0]
            return (results, *aux) if has_aux else results

        return derived

    turn.__doc__ = f"""The {text}, by the arguments that `argnums` names, a number or several. With
    `has_aux` the function gives a pair, of which the second is only handed on."""
    return turn


def _with_aux(value: Any, has_aux: bool) -> tuple[Any, list]:
    """What a function gave, and in a list what it gave beside that, cut from its graph."""
    if not has_aux:
        return value, []
    result, aux = value
    return result, [aux.detach() if isinstance(aux, Tensor) else aux]


grad = _turned("gradient of a function", lambda func, x, keeps: functional.vjp(func, x, None, keeps)[1])
jacrev = jacfwd = _turned("Jacobian of a function, of the result's shape and the argument's", functional.jacobian)


def hessian(func: Callable, argnums: int | tuple[int, ...] = 0) -> Callable:
    """The Jacobian of the Jacobian of a function."""
    return jacfwd(jacrev(func, argnums), argnums)


def vjp(func: Callable, *primals: Tensor, has_aux: bool = False) -> tuple:
    """func(*primals), and a function of v, of the result's shape, that gives vᵀJ for each of the primals."""
    keeps = any(primal.requires_grad for primal in primals)
    with modes.enable_grad():
        x = functional.prepared(primals, keeps, True)
        result, aux = _with_aux(func(*x), has_aux)

    def product(v: Tensor | tuple[Tensor, ...]) -> tuple:
        return functional.finished(chapter.vjp(result, x, v, keeps), keeps, True)

    return functional.finished(result, keeps, True), product, *aux


def jvp(func: Callable, primals: tuple, tangents: tuple, *, has_aux: bool = False) -> tuple:
    """func(*primals), and J v for the tangents v, by two backward passes."""
    aux: list = []

    def alone(*args: Tensor) -> object:
        result, aux[:] = _with_aux(func(*args), has_aux)
        return result

    return *functional.jvp(alone, primals, tangents, any(primal.requires_grad for primal in primals)), *aux


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: object = None, kwargs: dict | None = None
) -> Any:
    """What a module makes of `args`, with these tensors for the parameters and buffers at their paths."""
    before = []
    for part in chapter.as_tuple(parameter_and_buffer_dicts):
        for (path, _, name), tensor in [(path.rpartition("."), tensor) for path, tensor in part.items()]:
            inside = module.get_submodule(path)
            for registry in [item for item in (inside._parameters, inside._buffers) if name in item]:
                before.append((registry, name, registry[name]))
                registry[name] = tensor
    try:
        return module(*(() if args is None else chapter.as_tuple(args)), **(kwargs or {}))
    finally:
        for registry, name, tensor in reversed(before):
            registry[name] = tensor


def vmap(func: Callable, in_dims: int | Sequence[int | None] = 0, out_dims: int = 0) -> Callable:
    """A function of batches: func of each entry along the axes in_dims (None: the argument is for all), stacked."""

    def mapped(*args: Any, **kwargs: object) -> Any:
        axes = in_dims if isinstance(in_dims, (tuple, list)) else [in_dims] * len(args)
        parts: list = [[arg] if axis is None else arg.unbind(axis) for arg, axis in zip(args, axes, strict=True)]
        size = max(map(len, parts))
        rows = [func(*pair, **kwargs) for pair in zip(*[part * (size // len(part)) for part in parts], strict=True)]
        if not isinstance(rows[0], tuple):
            return functions["stack"](rows, out_dims)
        return tuple([functions["stack"](list(pair), out_dims) for pair in zip(*rows, strict=True)])

    return mapped


__getattr__ = unsupported.lacking(__name__)
