"""One pass through the graph, from several outputs at once: `backward` stores what arrives, `grad` gives it back.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html and
https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import checks
from minigrad.compat.messages import warn
from minigrad.runtime import array_ops, passes
from minigrad.tensor import Size, Tensor


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add vᵀJ to the `.grad` of every leaf below the tensors; v is one gradient for each, of its shape.

    `tensors` is a Tensor or a sequence of them; so is `grad_tensors`, where None stands for the implicit 1. With
    `inputs`, only these keep what reaches them. RuntimeError or TypeError for gradients that do not fit.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward([x * 3, x.sum()], [torch.tensor([1., 10.]), None])
    >>> x.grad
    tensor([ 4., 31.])
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    keepers = None if inputs is None else passes.inputs_of(inputs, "backward")
    outputs = outputs_of(tensors)
    gradients = passes.gradients_of(grad_tensors, outputs)
    if keepers is not None:
        passes.demand_tensors(keepers, outputs, gradients)
    checks.demand_flags(retain_graph, create_graph)
    if outputs:
        passes.run(outputs, gradients, retain_graph, create_graph, keepers, keeps=True)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """vᵀJ for each of the inputs, as a tuple (or a dict, for a dict of inputs); no `.grad` is touched.

    `outputs`, `inputs` and `grad_outputs` (v, of the outputs' shapes) are Tensors or sequences of them. An input that
    the outputs do not depend on is a RuntimeError, or gives None with `allow_unused`, or zeros with
    `materialize_grads`. With `is_grads_batched` each v has one more axis, in front, and so has each result.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.grad(x * x, x, torch.tensor([1., 10.]))
    (tensor([ 2., 40.]),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    roots = outputs_of(outputs)
    wanted = passes.inputs_of(inputs, "grad")
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
        )
    gradients = passes.gradients_of(grad_outputs, roots)
    checks.demand_flags(retain_graph, create_graph, allow_unused)
    if is_grads_batched:
        found = batched(roots, wanted, gradients, retain_graph, create_graph)
    else:
        found = one_pass(roots, wanted, gradients, retain_graph, create_graph)
    for index, each in enumerate(found):
        if each is None and not (materialize_grads if allow_unused is None else allow_unused):
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
    if materialize_grads:
        given = (inputs,) if passes.is_edge(inputs) else inputs if isinstance(inputs, (tuple, list)) else ()
        if any(g is None and passes.is_edge(each) for each, g in zip(given, found, strict=False)):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        found = [zeros_for(tensor, create_graph) if g is None else g for tensor, g in zip(wanted, found, strict=True)]
    return dict(zip(inputs, found, strict=True)) if isinstance(inputs, dict) else tuple(found)


def one_pass(
    outputs: tuple, inputs: tuple, gradients: tuple, retain_graph: bool | None, create_graph: bool
) -> list[Tensor | None]:
    """What arrives at each input; None where nothing does."""
    passes.demand_tensors(inputs, outputs, gradients)
    if not all(each.requires_grad for each in inputs):
        passes.complain(outputs, gradients)
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    found = passes.run(outputs, gradients, retain_graph, create_graph, inputs, keeps=False)
    arrived = [found.get(each._place()) for each in inputs]
    return [each if each is None or isinstance(each, Tensor) else Tensor._of(each) for each in arrived]


def batched(
    outputs: tuple, inputs: tuple, gradients: tuple, retain_graph: bool | None, create_graph: bool
) -> list[Tensor | None]:
    """`one_pass` for each entry along the first axis of the gradients, the results side by side."""
    for index, (output, gradient) in enumerate(zip(outputs, gradients, strict=False)):
        if not isinstance(gradient, Tensor):
            passes.seed_for(output, gradient, index)  # what is wrong with it, if it is not None
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
        first = gradient[0]
        if first.shape != output.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{index}] has a shape of {Size(first.shape[1:])} and "
                f"output[{index}] has a shape of {output.shape}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )
    sizes = [len(each) for each in gradients]
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    rows = []
    for row in range(sizes[0]):
        keeps_graph = True if row < sizes[0] - 1 else retain_graph
        v = tuple([each[row] for each in gradients])
        rows.append(one_pass(outputs, inputs, v, keeps_graph, create_graph))
    return [None if column[0] is None else array_ops.stack(column, 0) for column in zip(*rows, strict=True)]


def outputs_of(tensors: Any) -> tuple:
    """The outputs as a tuple. AssertionError, as in torch, for what is not a Tensor."""
    outputs = passes.at_edges((tensors,) if isinstance(tensors, Tensor) or passes.is_edge(tensors) else tensors)
    if not all(isinstance(each, Tensor) for each in outputs):
        raise AssertionError("Expected output to be a torch.Tensor")
    return outputs


def zeros_for(tensor: Tensor, requires_grad: bool) -> Tensor:
    """The gradient of an input that was not used."""
    return Tensor._of(np.zeros(tensor._array.shape, tensor._array.dtype), requires_grad)
