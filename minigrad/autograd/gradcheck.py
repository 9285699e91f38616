"""`torch.autograd.gradcheck`: whether gradients are what differences say, thin over `minigrad.jacobian.gradcheck`.

What is here is torch's form, and the questions beside the main one: are the inputs fit for it, does a second
backward give the same?

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import jacobian as chapter
from minigrad.compat.messages import warn
from minigrad.jacobian import GradcheckError
from minigrad.ops import random_inplace
from minigrad.runtime import gradients as passes
from minigrad.tensor import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

NOT_DETERMINISTIC = """

NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `nondet_tol=<tol>` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `gradcheck_nondet_tol=<tol>`.
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `gradcheck_nondet_tol=<tol>`
"""


def gradcheck(
    func: Callable,
    inputs: Any,
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
    """True if the gradients of func by the inputs that require grad are those of central differences.

    GradcheckError, or False without `raise_exception`, if not: |analytic - numeric| ≤ atol + rtol · |numeric| is asked
    of every entry. ValueError if no input requires grad; a warning for inputs that are not float64. `fast_mode` does
    the whole check here. NotImplementedError for the checks of forward mode and of batched gradients, and without
    the check of backward.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
    >>> gradcheck(lambda t: t * t, x)
    True
    >>> gradcheck(lambda t: t * t.detach(), x, raise_exception=False)
    False
    """
    if check_forward_ad or check_batched_grad or check_batched_forward_grad or not check_backward_ad:
        raise NotImplementedError("minigrad's gradcheck checks backward, one gradient at a time, and nothing else")
    tensors = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    demand_inputs(tensors)
    try:
        demand_the_same_again(func, tensors, nondet_tol)
        chapter.gradcheck(func, tensors, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Any = None,
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
    """`gradcheck` of the gradients of func: whether second derivatives are right.

    `grad_outputs`, of the outputs' shapes, are drawn between -1 and 1 if there are none. The rest is as in
    `gradcheck`.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
    >>> gradgradcheck(lambda t: t * t * t, x)
    True
    """
    tensors = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        outputs = [each for each in chapter.as_tuple(func(*tensors)) if each.requires_grad]
        upstream = tuple([drawn(each) for each in outputs])
    else:
        upstream = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)

    def gradients(*args: Any) -> tuple:
        given, v = args[: len(tensors)], args[len(tensors) :]
        outputs = [each for each in chapter.as_tuple(func(*given)) if each.requires_grad]
        wanted = [each for each in given if isinstance(each, Tensor) and each.requires_grad]
        found = passes.grad(outputs, wanted, v, create_graph=True, allow_unused=True)
        return tuple([each for each in found if each is not None])

    return gradcheck(
        gradients,
        tensors + upstream,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def demand_inputs(tensors: tuple) -> None:
    """A warning for each input that is not float64; ValueError if none requires grad, RuntimeError for overlaps."""
    checked = [(index, t) for index, t in enumerate(tensors) if isinstance(t, Tensor) and t.requires_grad]
    for index, tensor in checked:
        if tensor._array.dtype != np.float64:
            warn(
                f"Input #{index} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        if any(step == 0 and size > 1 for step, size in zip(tensor._array.strides, tensor.shape, strict=True)):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck."
            )
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def demand_the_same_again(func: Callable, tensors: tuple, tolerance: float) -> None:
    """GradcheckError if two backward passes with the same upstream gradient bring different gradients."""
    x = tuple([each for each in tensors if isinstance(each, Tensor) and each.requires_grad])
    for y in chapter.as_tuple(func(*tensors)):
        if not y.requires_grad or not y.numel():
            continue
        for first, second in zip(chapter.jacobian(y, x), chapter.jacobian(y, x), strict=True):
            with np.errstate(invalid="ignore"):  # inf twice is no difference
                differences = np.abs(first._array - second._array)
            if (differences > tolerance).any():
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient."
                    f"The tolerance for nondeterminism was {tolerance}.{NOT_DETERMINISTIC}"
                )


def drawn(output: Tensor) -> Tensor:
    """An upstream gradient for `output`: numbers between -1 and 1 from the default generator."""
    v = chapter.zeros(output.shape, output)
    random_inplace.uniform_(v, -1, 1)
    return v.requires_grad_()
