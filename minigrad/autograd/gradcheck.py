"""`torch.autograd.gradcheck`: do gradients match finite differences? A thin wrapper for `minigrad.jacobian.gradcheck`.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import jacobian as chapter
from minigrad.compat.messages import warn
from minigrad.compat.pickling import spelled
from minigrad.jacobian import GradcheckError
from minigrad.ops.creation import drawing
from minigrad.passing import gradients as passes
from minigrad.tensor import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


@spelled(
    "func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_forward_ad=False, "
    "check_backward_ad=True, check_batched_grad=False, check_batched_forward_grad=False, check_undefined_grad=True, "
    "check_grad_dtypes=False, fast_mode=False, masked=None"
)
def gradcheck(given: Any) -> bool:
    """True if the gradients of func with respect to the inputs that require grad match central differences: |analytic -
    numeric| ≤ atol + rtol · |numeric|. Else GradcheckError, or False without `raise_exception`. ValueError if no input
    requires grad; a warning for inputs that are not float64. NotImplementedError for checks of forward mode, batched
    gradients and `nondet_tol`, and without the check of backward. The last four arguments have no effect.
    """
    others = given.check_forward_ad, given.check_batched_grad, given.check_batched_forward_grad, given.nondet_tol
    if any(others) or not given.check_backward_ad:
        raise NotImplementedError("minigrad's gradcheck checks backward once, one gradient at a time, nothing else")
    tensors = tuple(given.inputs) if isinstance(given.inputs, (tuple, list)) else (given.inputs,)
    checked = [(index, t) for index, t in enumerate(tensors) if isinstance(t, Tensor) and t.requires_grad]
    for index, tensor in checked:
        if tensor._array.dtype != np.float64:
            what = "double precision floating point or complex"
            fails = f"This check will likely fail if all the inputs are not of {what}. "
            warn(f"Input #{index} requires gradient and is not a {what}. {fails}")
    if not checked:
        found = "but none of them have requires_grad=True."
        raise ValueError(f"gradcheck expects at least one input tensor to require gradient, {found}")
    try:
        chapter.gradcheck(given.func, tensors, given.eps, given.atol, given.rtol)
    except GradcheckError:
        if given.raise_exception:
            raise
        return False
    return True


@spelled(
    "func, inputs, grad_outputs=None, *, gen_non_contig_grad_outputs=False, check_fwd_over_rev=False, "
    "check_rev_over_rev=True, **settings"
)
def gradgradcheck(given: Any) -> bool:
    """`gradcheck` for the gradients of func; `grad_outputs`, of the outputs' shapes, or drawn between -1 and 1."""
    func, grad_outputs, settings = given.func, given.grad_outputs, given.settings
    tensors = tuple(given.inputs) if isinstance(given.inputs, (tuple, list)) else (given.inputs,)
    if grad_outputs is None:
        outputs = [each for each in chapter.as_tuple(func(*tensors)) if each.requires_grad]
        zeros = [chapter.zeros(each.shape, each) for each in outputs]
        upstream = tuple([drawing.uniform_(each, -1, 1).requires_grad_() for each in zeros])
    else:
        upstream = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)

    def gradients(*args: Any) -> tuple:
        x, v = args[: len(tensors)], args[len(tensors) :]
        outputs = [each for each in chapter.as_tuple(func(*x)) if each.requires_grad]
        wanted = [each for each in x if isinstance(each, Tensor) and each.requires_grad]
        found = passes.grad(outputs, wanted, v, create_graph=True, allow_unused=True)
        return tuple([each for each in found if each is not None])

    settings |= {"check_forward_ad": given.check_fwd_over_rev, "check_backward_ad": given.check_rev_over_rev}
    return gradcheck(gradients, tensors + upstream, **settings)
