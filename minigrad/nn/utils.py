"""Clipping gradients, and parameters as one vector.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterable
from typing import Any

from minigrad import leaf
from minigrad.compat import unsupported
from minigrad.compat.messages import warn
from minigrad.ops import creation, functions
from minigrad.tensor import Tensor


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients to a common norm ≤ `max_norm`, in place; returns the norm before. RuntimeError if asked."""
    given = [parameters] if isinstance(parameters, Tensor) else [*parameters]
    if not given and isinstance(parameters, types.GeneratorType):
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    norm_type, grads = float(norm_type), _grads(given)
    if not grads:
        return creation.tensor(0.0)
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(given, max_norm, total, foreach)
    return total


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of the norms of several tensors; 0 without any. RuntimeError, if asked, where it is nan or infinite."""
    tensors, norm_type = [tensors] if isinstance(tensors, Tensor) else [*tensors], float(norm_type)
    if not tensors:
        return creation.tensor(0.0)
    with leaf.no_grad():
        total = functions["stack"]([tensor.norm(norm_type) for tensor in tensors]).norm(norm_type)
    if error_if_nonfinite and bool(total.isnan() | total.isinf()):
        how = "this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        total_norm = f"The total norm of order {norm_type} for gradients from `parameters`"
        raise RuntimeError(f"{total_norm} is non-finite, so it cannot be clipped. To disable {how}")
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients by max_norm / total_norm, in place, where that is less than 1."""
    with leaf.no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for grad in _grads(parameters):
            grad.mul_(factor)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Limit every entry of the gradients to ±clip_value, in place."""
    limit = float(clip_value)
    with leaf.no_grad():
        for grad in _grads(parameters):
            grad.clamp_(min=-limit).clamp_(max=limit)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, row by row, as one vector."""
    return functions["cat"]([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the entries of a vector, whose memory they then share. RuntimeError if it is too short."""
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view(parameter.shape).data
        start = end


def _grads(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """The existing gradients of one tensor or several."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


def __getattr__(name: str) -> Any:
    if name == "parametrize":  # loaded on first use; it needs the modules
        return importlib.import_module("minigrad.nn.parametrize")
    return unsupported.refuse(__name__, name)
