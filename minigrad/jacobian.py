"""Chapter 3: the whole Jacobian.

Let y, of shape S, be computed from x, of shape T. Each entry of y has a derivative with respect to each entry of x.
Together they form the Jacobian J, of shape S + T. J[i] = dy[i]/dx is a slice of it, of x's shape.

`y.backward(v)` never builds J. It computes vᵀJ: the sum of the slices, each weighted with its entry of v
(`weighted_sum`). To see J itself, compute one slice at a time: a v that is 1 at one entry and 0 elsewhere gives just
that slice (`jacobian`). So J costs one backward pass per entry of y, and vᵀJ costs one.

The other product, J w, is the slope of y in the direction w. vᵀJ is linear in v, so its derivative with respect to v,
weighted with w, is J w: two backward passes (`jvp`). And if y is one number, dy/dx is a function of x like any other,
and its Jacobian is the Hessian. You can check all of this: move one entry of x a little and look (`gradcheck`).

x may be a tuple of tensors; then the result is a tuple with one entry for each. The same goes for y, and then for v.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from minigrad import ops
from minigrad.passing import gradients
from minigrad.tensor import Tensor

TensorOrTensors: TypeAlias = Tensor | tuple[Tensor, ...]


class GradcheckError(RuntimeError):
    """A gradient does not match the differences of the function's values."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


# --- from backward passes ------------------------------------------------------------------------


def pull(y: tuple, x: tuple, v: tuple | None, create_graph: bool = False) -> tuple:
    """vᵀJ for each tensor of x, in one backward pass; None for one that no y depends on. The graph is kept."""
    v = v or (None,) * len(y)
    pairs = [(item, w) for item, w in zip(y, v, strict=True) if item is not None and item.requires_grad]
    if not pairs:
        return (None,) * len(x)
    outputs, weights = zip(*pairs, strict=True)
    return gradients.grad(outputs, x, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)


def vjp(y: TensorOrTensors, x: TensorOrTensors, v: Any = None, create_graph: bool = False) -> Any:
    """vᵀJ, of x's shape: Σᵢ v[i] · dy[i]/dx. One backward pass, zeros where y does not depend on x.

    v has the shape of y; without it y must be one number, and v is 1.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 1.], requires_grad=True)
    >>> vjp(torch.tensor([[1., 2.], [0., 3.], [4., 1.]]) @ x, x, torch.tensor([1., 10., 100.]))
    tensor([401., 132.])
    """
    result = pull(as_tuple(y), as_tuple(x), None if v is None else as_tuple(v), create_graph)
    grads = [zeros(of.shape, of) if grad is None else grad for of, grad in zip(as_tuple(x), result, strict=True)]
    return tuple(grads) if isinstance(x, tuple) else grads[0]


def slices(y: Tensor, x: TensorOrTensors, create_graph: bool = False) -> list:
    """dy[i]/dx for each entry of y, row by row: vᵀJ for the v that is 1 at this entry and 0 elsewhere.

    >>> import minigrad as torch
    >>> x = torch.tensor([2., 5.], requires_grad=True)
    >>> slices(torch.stack([x[0] * x[1], x[0] + 3 * x[1]]), x)
    [tensor([5., 2.]), tensor([1., 3.])]
    """
    result = []
    for i in entries(y):
        v = zeros(y.shape, y)
        v[i] = 1
        result.append(vjp(y, x, v, create_graph))
    return result


def jacobian(y: TensorOrTensors, x: TensorOrTensors, create_graph: bool = False) -> Tensor | tuple:
    """J, of shape S + T, slice by slice: J[i] = dy[i]/dx. One backward pass per entry of y.

    >>> import minigrad as torch
    >>> x = torch.tensor([2., 5.], requires_grad=True)
    >>> jacobian(torch.stack([x[0] * x[1], x[0] + 3 * x[1], x[1] ** 2]), x)
    tensor([[ 5.,  2.],
            [ 1.,  3.],
            [ 0., 10.]])
    """
    if isinstance(y, tuple):
        return tuple([jacobian(item, x, create_graph) for item in y])
    result = slices(y, as_tuple(x), create_graph)  # each a tuple, with one for each tensor of x
    stack = ops.functions["stack"]
    whole = [stack([item[k] for item in result]).reshape((*y.shape, *of.shape)) for k, of in enumerate(as_tuple(x))]
    return tuple(whole) if isinstance(x, tuple) else whole[0]


def weighted_sum(J: Tensor, v: Tensor) -> Tensor:
    """Σᵢ v[i] · J[i]: the slices of J, of shape S + T, weighted with v, of shape S, and added up to shape T.

    `y.backward(v)` computes this without building J. A v of ones gives the plain sum of the slices.

    >>> import minigrad as torch
    >>> weighted_sum(torch.tensor([[1., 2.], [0., 3.], [4., 1.]]), torch.tensor([1., 10., 100.]))
    tensor([401., 132.])
    """
    total = zeros(J.shape[v.ndim :], J)
    for i in entries(v):
        total = total + v[i] * J[i]
    return total


def jvp(y: TensorOrTensors, x: TensorOrTensors, v: Any = None, create_graph: bool = False) -> Any:
    """J v, of y's shape: the slope of y when x moves along v, of x's shape. Two backward passes.

    uᵀJ is linear in u, so its derivative with respect to u, weighted with v, is J v, whatever u is.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 1.], requires_grad=True)
    >>> jvp(torch.tensor([[1., 2.], [0., 3.], [4., 1.]]) @ x, x, torch.tensor([1., 10.]))
    tensor([21., 30., 14.])
    """
    u = placeholder(y)
    gradient = vjp(y, x, u, create_graph=True)
    return vjp(gradient, u, v, create_graph)


def hessian(y: Tensor, x: TensorOrTensors, create_graph: bool = False) -> Tensor | tuple:
    """H, of shape T + T: the Jacobian of dy/dx. y must be one number.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> hessian(x[0] ** 2 * x[1] + x[1] ** 3, x)
    tensor([[ 4.,  2.],
            [ 2., 12.]])
    """
    return jacobian(vjp(y, x, create_graph=True), x, create_graph)


# --- from differences ----------------------------------------------------------------------------


def numeric_jacobian(function: Callable, x: Tensor, eps: float = 1e-6) -> Tensor:
    """J, of shape S + T, without any graph: (y(x + e) - y(x - e)) / 2eps, where e is eps at one entry of x.

    `function` takes x and returns y. While it runs, x's memory is changed one entry at a time.

    >>> import minigrad as torch
    >>> x = torch.tensor([2., 5.], dtype=torch.float64)
    >>> numeric_jacobian(lambda t: t * t.sum(), x)
    tensor([[ 9.0000,  2.0000],
            [ 5.0000, 12.0000]], dtype=torch.float64)
    """
    memory, y = x.data, function(x)
    J = zeros((*y.shape, *x.shape), y)
    for j in entries(x):
        middle = memory[j].clone()
        memory[j] = middle - eps
        below = function(x).detach().clone()  # y may share x's memory
        memory[j] = middle + eps
        above = function(x).detach().clone()
        memory[j] = middle
        J[(..., *j)] = (above - below) / (2 * eps)
    return J


def agree(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    """True if |a - n| ≤ atol + rtol · |n| for all entries; an infinity agrees with itself, nan with nothing."""
    return bool(np.isclose(analytic._array, numeric._array, rtol, atol).all())


def gradcheck(function: Callable, inputs: tuple, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3) -> None:
    """GradcheckError unless J from backward passes equals J from differences: |a - n| ≤ atol + rtol · |n| everywhere.

    `function` takes the inputs, tensors or not, and returns a tensor or a tuple. It checks the inputs that require
    grad, which should be float64. Finally, an upstream gradient of zeros must give zeros.
    """
    x = tuple([value for value in inputs if isinstance(value, Tensor) and value.requires_grad])
    results = as_tuple(function(*inputs))
    numeric = [
        [numeric_jacobian(of_one(function, inputs, item, k), item, eps) for k in range(len(results))] for item in x
    ]
    checked = [(k, y) for k, y in enumerate(results) if y.requires_grad]
    if not checked and any((J != 0).any() for of_x in numeric for J in of_x):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    for i, (k, y) in enumerate(checked):
        if not y.numel():
            continue
        for j, (analytic, of_x) in enumerate(zip(jacobian(y, x), numeric, strict=True)):
            a, n = (
                J.reshape((y.numel(), -1)).permute((1, 0)) for J in (analytic, of_x[k])
            )  # a row for each entry of x
            if not agree(a, n, atol, rtol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {i} with respect to input {j},\nnumerical:{n}\nanalytical:{a}\n"
                )
    outputs = tuple([y for _, y in checked])
    for grad in pull(outputs, x, tuple([zeros(y.shape, y) for y in outputs])):
        if grad is not None and (grad != 0).any():
            raise GradcheckError("backward not multiplied by grad_output")


def of_one(function: Callable, inputs: tuple, x: Tensor, k: int) -> Callable[[Tensor], Tensor]:
    """Result k of a function as a function of one of its inputs."""
    return lambda t: as_tuple(function(*[t if value is x else value for value in inputs]))[k]


# --- shapes --------------------------------------------------------------------------------------


def as_tuple(value: object) -> tuple:
    """A tuple unchanged; anything else as a tuple with one entry."""
    return value if isinstance(value, tuple) else (value,)


def entries(tensor: Tensor) -> Iterator[tuple[int, ...]]:
    """The index of each entry of a tensor, row by row; () for a tensor without axes."""
    return itertools.product(*[range(size) for size in tensor.shape])


def zeros(shape: Sequence[int], like: Tensor) -> Tensor:
    """Zeros in the dtype of another tensor, outside any graph."""
    return Tensor._of(np.zeros(shape, like._array.dtype))


def placeholder(like: TensorOrTensors) -> Any:
    """Zeros with the shape of a tensor, or of each tensor in a tuple, with respect to which you can differentiate.

    Anything linear in them has the same derivative everywhere, so their own values do not matter.
    """
    if isinstance(like, tuple):
        return tuple([placeholder(item) for item in like])
    return zeros(like.shape, like).requires_grad_()
