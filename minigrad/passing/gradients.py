"""One pass through the graph, from several outputs at once: `backward` stores what arrives, `grad` returns it.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html and
https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat.messages import warn
from minigrad.graph import array_ops, nodes
from minigrad.passing import batched as batched_tensors
from minigrad.passing import batches, passes
from minigrad.tensor import Tensor


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add vᵀJ to the `.grad` of every leaf below the tensors; v is one gradient for each, of its shape. `tensors` is a
    Tensor or a sequence of them; so is `grad_tensors`, where None means the implicit 1. With `inputs`, only these keep
    what reaches them. RuntimeError or TypeError for gradients that do not fit.
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        grad_tensors = grad_variables
    keepers = None if inputs is None else passes.inputs_of(inputs, "backward")
    outputs = outputs_of(tensors)
    if outputs:
        passes.backward(outputs, passes.gradients_of(grad_tensors, outputs), retain_graph, create_graph, keepers)


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
    """vᵀJ for each of the inputs, as a tuple; for a dict of inputs, as a dict. No `.grad` changes. `outputs`, `inputs`
    and `grad_outputs` (v, of the outputs' shapes) are Tensors or sequences of them. An input that the outputs do not
    depend on raises a RuntimeError, or gives None with `allow_unused`, or zeros with `materialize_grads`. With
    `is_grads_batched` each v has one more axis, in front, and so does each result. `only_inputs` has no effect.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    roots, wanted = outputs_of(outputs), passes.inputs_of(inputs, "grad")
    gradients = passes.gradients_of(grad_outputs, roots)
    ask = batched if is_grads_batched else one_pass
    result = ask(roots, wanted, gradients, retain_graph, create_graph)
    for index, each in enumerate(result):
        if each is None and not (materialize_grads or allow_unused):
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if each is None and materialize_grads:
            result[index] = Tensor._of(np.zeros_like(wanted[index]._array), create_graph)
    return dict(zip(inputs, result, strict=True)) if isinstance(inputs, dict) else tuple(result)


def one_pass(
    outputs: tuple, inputs: tuple, gradients: tuple, retain_graph: bool | None, create_graph: bool
) -> list[Tensor | None]:
    """The gradient that arrives at each input; None where nothing does."""
    reading = passes.CapturePass(inputs, keeps=False)
    passes.backward(outputs, gradients, retain_graph, create_graph, reading)
    arrived = [reading.found.get(value._place()) for value in inputs]
    return [item if item is None or isinstance(item, Tensor) else Tensor._of(item) for item in arrived]


def batched(
    outputs: tuple, inputs: tuple, gradients: tuple, retain_graph: bool | None, create_graph: bool
) -> list[Tensor | None]:
    """The gradients for each entry along the first axis of the upstream gradients: all in one walk, else one by one."""
    if not all(isinstance(gradient, Tensor) and gradient.ndim for gradient in gradients):
        raise ValueError("with is_grads_batched each of grad_outputs must be a Tensor with one more axis, in front")
    found = at_once(outputs, inputs, gradients, create_graph)
    if found is not None:
        reading = passes.CapturePass(inputs, keeps=False)
        reading.begin(passes.Roots([output._place() for output in outputs]))
        for node in [item for item in reading.passed if isinstance(item, scalar.Function)]:
            leaf.free(node, create_graph if retain_graph is None else bool(retain_graph))
        return found
    rows, last = [], len(gradients[0]) - 1
    for row, v in enumerate(zip(*gradients, strict=True)):
        rows.append(one_pass(outputs, inputs, v, True if row < last else retain_graph, create_graph))
    return [None if column[0] is None else array_ops.stack(column, 0) for column in zip(*rows, strict=True)]


def at_once(outputs: tuple, inputs: tuple, gradients: tuple, create_graph: bool) -> list[Tensor | None] | None:
    """The same in one walk, which keeps the graph; None where that would go around something, or something is wrong."""
    pairs = [*zip(outputs, gradients, strict=False)]
    fit = all(v._array.shape[1:] == y._array.shape and v._array.dtype == y._array.dtype for y, v in pairs)
    known = all(isinstance(value, Tensor) and value.requires_grad for value in (*inputs, *outputs))
    if not (fit and known and len(pairs) == len(outputs) and len({len(v) for v in gradients}) == 1):
        return None
    if nodes.prepare is None or batched_tensors.running:
        return None
    if len(outputs) == 1 and not create_graph:
        arrays = batches.of_rows(outputs[0], inputs, gradients[0]._array)
        if arrays is not None:
            return [item if item is None else Tensor._of(item) for item in arrays]

    def walk() -> list[Tensor | None]:
        batched_tensors.demand_simple(outputs)
        with batched_tensors.Batch(len(gradients[0])) as batch:
            seeds = tuple([batch.entry(v) for v in gradients])
            found = one_pass(outputs, inputs, seeds, True, True)
            return [item if item is None else batch.whole(item) for item in found]

    wholes = batched_tensors.attempted(walk)
    if wholes is None or create_graph:
        return wholes
    return [item if item is None else item.detach() for item in wholes]


def outputs_of(tensors: Any) -> tuple:
    """The outputs as a tuple. AssertionError, as in torch, for what is not a Tensor."""
    outputs = (tensors,) if isinstance(tensors, (Tensor, nodes.GradientEdge)) else tuple(tensors)
    outputs = tuple([item.stand_in() if isinstance(item, nodes.GradientEdge) else item for item in outputs])
    if not all(isinstance(output, Tensor) for output in outputs):
        raise AssertionError("Expected output to be a torch.Tensor")
    return outputs
