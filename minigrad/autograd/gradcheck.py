"""`torch.autograd.gradcheck`: do gradients match finite differences? A thin wrapper for `minigrad.jacobian.gradcheck`.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad import jacobian as chapter
from minigrad.compat.messages import warn
from minigrad.jacobian import GradcheckError, TensorOrTensors
from minigrad.ops.creation import drawing
from minigrad.passing import gradients as passes
from minigrad.tensor import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(
    func: Callable,
    inputs: TensorOrTensors,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """True if the gradients of func with respect to the inputs that require grad match central differences: |analytic -
    numeric| ≤ atol + rtol · |numeric|. Else GradcheckError, or False without `raise_exception`. ValueError if no input
    requires grad; a warning for inputs that are not float64. NotImplementedError for checks of forward mode, batched
    gradients and `nondet_tol`, and without the check of backward. The last four arguments have no effect.
    """
    others = check_forward_ad, check_batched_grad, check_batched_forward_grad, nondet_tol
    if any(others) or not check_backward_ad:
        raise NotImplementedError("minigrad's gradcheck checks backward once, one gradient at a time, nothing else")
    tensors = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    checked = [(index, t) for index, t in enumerate(tensors) if isinstance(t, Tensor) and t.requires_grad]
    for index, tensor in checked:
        if tensor._array.dtype != np.float64:
            what = "double precision floating point or complex"
            fails = f"This check will likely fail if all the inputs are not of {what}. "
            warn(f"Input #{index} requires gradient and is not a {what}. {fails}")
    if not checked:
        result = "but none of them have requires_grad=True."
        raise ValueError(f"gradcheck expects at least one input tensor to require gradient, {result}")
    try:
        chapter.gradcheck(func, tensors, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable,
    inputs: TensorOrTensors,
    grad_outputs: TensorOrTensors | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """`gradcheck` for the gradients of func; `grad_outputs`, of the outputs' shapes, or drawn between -1 and 1."""
    tensors = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        outputs = [item for item in chapter.as_tuple(func(*tensors)) if item.requires_grad]
        zeros = [chapter.zeros(output.shape, output) for output in outputs]
        upstream = tuple([drawing.uniform_(zero, -1, 1).requires_grad_() for zero in zeros])
    else:
        upstream = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)

    def gradients(*args: object) -> tuple:
        x, v = args[: len(tensors)], args[len(tensors) :]
        outputs = [item for item in chapter.as_tuple(func(*x)) if item.requires_grad]
        wanted = [item for item in x if isinstance(item, Tensor) and item.requires_grad]
        result = passes.grad(outputs, wanted, v, create_graph=True, allow_unused=True)
        return tuple([item for item in result if item is not None])

    return gradcheck(
        gradients,
        tensors + upstream,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )
