"""`torch.autograd.functional`: Jacobians and their products for a function, thin wrappers for `minigrad.jacobian`.
Here are tuples in and out, inputs cut from the caller's graph (unless `create_graph`), and torch's messages.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import jacobian as chapter
from minigrad.graph import nodes
from minigrad.jacobian import TensorOrTensors
from minigrad.passing import batches
from minigrad.recording import modes
from minigrad.tensor import Tensor


# --- products ------------------------------------------------------------------------------------
def vjp(
    func: Callable,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple:
    """(func(inputs), vᵀJ); v has the shape of the outputs, vᵀJ that of the inputs."""
    with modes.enable_grad():
        call = Call("vjp", func, inputs, create_graph, strict)
        product = chapter.vjp(call.outputs, call.inputs, call.fitting(v, to_outputs=True), create_graph)
    return call.value(), finished(product, create_graph, call.inputs_are_tuple)


def jvp(
    func: Callable,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple:
    """(func(inputs), J v); v has the shape of the inputs, J v that of the outputs."""
    with modes.enable_grad():
        call = Call("jvp", func, inputs, create_graph, strict)
        v = call.fitting(v)
        product = chapter.jvp(call.y, call.x, v if v is None or call.inputs_are_tuple else v[0], create_graph)
    return call.value(), finished(product, create_graph, call.outputs_are_tuple)


def vhp(
    func: Callable,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple:
    """(func(inputs), vᵀH) for a function that returns one number; v has the shape of the inputs."""
    return product_with_hessian("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Callable,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple:
    """(func(inputs), H v) for a function that returns one number; v has the shape of the inputs."""
    return product_with_hessian("hvp", func, inputs, v, create_graph, strict)


def product_with_hessian(
    who: str, func: Callable, inputs: TensorOrTensors, v: TensorOrTensors | None, create_graph: bool, strict: bool
) -> tuple:
    """Shared by `vhp` and `hvp`, which are the vjp and the jvp of the gradient."""
    with modes.enable_grad():
        call = Call(who, func, inputs, create_graph, strict)
        call.demand_one_number()
        direction, gradient = call.fitting(v), chapter.vjp(call.outputs, call.inputs, create_graph=True)
        multiply = chapter.vjp if who == "vhp" else chapter.jvp
        product = multiply(gradient, call.inputs, direction, create_graph)
    return call.value(), finished(product, create_graph, call.inputs_are_tuple)


# --- whole matrices ------------------------------------------------------------------------------
def jacobian(
    func: Callable,
    inputs: TensorOrTensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Tensor | tuple:
    """The Jacobian of func: for each output and input, a tensor with the output's shape followed by the input's. A
    tuple of inputs gives a tuple of them, a tuple of outputs another around it. RuntimeError with `strict` for an
    output that does not depend on an input. `vectorize` and `strategy` have no effect: all rows go through the graph at
    once, except where hooks watch it or `create_graph` records it; then it takes one backward pass per entry.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode" and not vectorize:
        which = "forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
        raise NotImplementedError(f"Computing Jacobian using {which}")
    with modes.enable_grad():
        call = Call("jacobian", func, inputs, create_graph)
        if strict:
            demand_dependence(call.outputs, call.inputs, create_graph)
        blocks: Any = None if create_graph else together(call.outputs, call.inputs)
        if blocks is None:
            blocks = chapter.jacobian(call.outputs, call.inputs, create_graph)
    return finished(blocks, create_graph, call.outputs_are_tuple, call.inputs_are_tuple)


def hessian(
    func: Callable,
    inputs: TensorOrTensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Tensor | tuple:
    """The Hessian of func, which returns one number: for each pair of inputs, a tensor with both shapes joined.
    RuntimeError for more numbers, NotImplementedError for `strict` and torch's other `outer_jacobian_strategy`.
    """
    if outer_jacobian_strategy != "reverse-mode":
        raise NotImplementedError("minigrad has no forward mode: leave outer_jacobian_strategy out")
    with modes.enable_grad():
        call = Call("hessian", func, inputs, create_graph, strict)
        call.demand_one_number()
        if create_graph or not is_ours():
            blocks: Any = chapter.hessian(call.outputs[0], call.x, create_graph)
        else:
            gradient: Any = chapter.vjp(call.outputs[0], call.inputs, create_graph=True)
            blocks = together(gradient, call.inputs)
            if blocks is None:
                blocks = chapter.jacobian(gradient, call.inputs)
    return finished(blocks, create_graph, call.inputs_are_tuple, call.inputs_are_tuple)


PARTS = [(chapter, name) for name in ("jacobian", "slices", "vjp", "pull", "hessian")]
OURS = batches.codes(PARTS)
ROWS = 1024  # of a Jacobian, which go through the graph at once


def is_ours() -> bool:
    """Whether the fast path is on, and nobody has replaced a part of chapter 3."""
    return nodes.prepare is not None and batches.codes(PARTS) == OURS


def together(outputs: tuple, inputs: tuple) -> tuple | None:
    """The same as chapter 3's `jacobian`, all rows in one walk instead of one each; None where that is not possible."""
    if not is_ours() or not all(y.numel() for y in outputs):
        return None
    whole = []
    for y in outputs:
        count, blocks = y.numel(), []
        for rows in seeds(y) if y.requires_grad else ():
            found = batches.of_rows(y, inputs, rows)
            if found is None:
                return None
            blocks.append(
                [
                    np.zeros((len(rows), *x.shape), x._array.dtype) if J is None else J
                    for J, x in zip(found, inputs, strict=True)
                ]
            )
        columns = (
            zip(*blocks, strict=True) if blocks else [[np.zeros((count, *x.shape), y._array.dtype)] for x in inputs]
        )
        shapes = [(*y.shape, *x.shape) for x in inputs]
        whole.append(
            tuple(
                [Tensor._of(np.concatenate(parts).reshape(shape)) for parts, shape in zip(columns, shapes, strict=True)]
            )
        )
    return tuple(whole)


def seeds(y: Tensor) -> Iterator[np.ndarray]:
    """The upstream gradients of all rows of y's Jacobian, at most ROWS at once: (rows, *shape), 1 at one entry each."""
    count = y.numel()
    for start in range(0, count, ROWS):
        rows = min(ROWS, count - start)
        yield np.eye(rows, count, start, y._array.dtype).reshape(rows, *y.shape)


# --- the form ------------------------------------------------------------------------------------
class Call:
    """A call of the program's function. TypeError for what is no Tensor, NotImplementedError for `strict`."""

    def __init__(self, who: str, func: Callable, inputs: TensorOrTensors, create_graph: bool, strict: bool = False):
        if strict:
            raise NotImplementedError(f"minigrad's {who} has no strict=True; jacobian has it")
        self.who, self.create_graph = who, create_graph
        tensors, self.inputs_are_tuple = as_tensors(inputs, "inputs", who)
        self.inputs = prepared(tensors, create_graph, needs_grad=True)
        result = func(*self.inputs)
        self.outputs, self.outputs_are_tuple = as_tensors(result, "outputs of the user-provided function", who)
        self.x = self.inputs if self.inputs_are_tuple else self.inputs[0]
        self.y = self.outputs if self.outputs_are_tuple else self.outputs[0]

    def fitting(self, v: TensorOrTensors | None, to_outputs: bool = False) -> tuple | None:
        """v as a tuple of the inputs' or outputs' shapes; None is 1, for one number. RuntimeError if it misfits."""
        beside, are_tuple, what = self.inputs, self.inputs_are_tuple, "input to the user-provided function is"
        if to_outputs:
            beside, are_tuple, what = self.outputs, self.outputs_are_tuple, "user-provided function returns"
        if v is None:
            if len(beside) != 1 or beside[0].numel() != 1:
                only = f"the {what} a single Tensor with a single element."
                raise RuntimeError(f"The vector v can only be None if {only}")
            return None
        result = prepared(as_tensors(v, "v", self.who)[0], self.create_graph, needs_grad=False)
        if len(result) != len(beside):
            lengths = f"v is a tuple of invalid length: should be {len(beside)} but got {len(result)}."
            raise RuntimeError(lengths if are_tuple else "The given v should contain a single Tensor.")
        for index, (have, want) in enumerate(zip(result, beside, strict=True)):
            if have.shape != want.shape:
                entry = f"Entry {index} in " if are_tuple else ""
                raise RuntimeError(f"{entry}v has invalid size: should be {want.shape} but got {have.shape}.")
        return result

    def demand_one_number(self) -> None:
        """RuntimeError unless the function returned one Tensor with one entry."""
        if self.outputs_are_tuple:
            raise RuntimeError(f"The function given to {self.who} should return a single Tensor")
        if self.outputs[0].numel() != 1:
            returned = f"The Tensor returned by the function given to {self.who}"
            raise RuntimeError(f"{returned} should contain a single element")

    def value(self) -> TensorOrTensors:
        """What the function returned, in the caller's form."""
        return finished(self.outputs, self.create_graph, self.outputs_are_tuple)


def as_tensors(value: object, what: str, who: str) -> tuple[tuple, bool]:
    """A Tensor or a tuple of Tensors as a tuple, and whether it was one. TypeError for anything else."""
    is_tuple = isinstance(value, tuple)
    result = value if isinstance(value, tuple) else (value,)
    for index, each in enumerate(result):
        if not isinstance(each, Tensor):
            which = f"value at index {index}" if is_tuple else f"given {what}"
            expected = f"must be either a Tensor or a tuple of Tensors but the {which} has type {type(each)}."
            raise TypeError(f"The {what} given to {who} {expected}")
    return result, is_tuple


def prepared(tensors: tuple, create_graph: bool, needs_grad: bool) -> tuple:
    """New Tensors on the same memory: in the caller's graph with `create_graph`, else leaves."""
    keeps_graph = [create_graph and tensor.requires_grad for tensor in tensors]
    pairs = zip(tensors, keeps_graph, strict=True)
    return tuple([t.view_as(t) if keeps else t.detach().requires_grad_(needs_grad) for t, keeps in pairs])


def finished(value: Any, create_graph: bool, *are_tuples: bool) -> Any:
    """Nested tuples in the caller's form: without a graph unless requested, and without tuples of one."""
    if isinstance(value, Tensor):
        return value if create_graph else value.detach()
    is_tuple, *inner = are_tuples
    result = tuple([finished(item, create_graph, *inner) for item in value])
    return result if is_tuple else result[0]


def demand_dependence(outputs: tuple, inputs: tuple, create_graph: bool) -> None:
    """RuntimeError, in torch's words, unless every output depends on every input."""
    for i, output in enumerate(outputs):
        if not output.requires_grad:
            must = "The outputs must be computed in a differentiable manner from the input when running in strict mode."
            raise RuntimeError(f"Output {i} of the user-provided function does not require gradients. {must}")
        for j, grad in enumerate(chapter.pull((output,), inputs, (chapter.zeros(output.shape, output),), create_graph)):
            if grad is None:
                result, when = f"Output {i} of the user-provided function is independent of input {j}", ""
            elif create_graph and not grad.requires_grad:
                result = f"The jacobian of the user-provided function is independent of input {i}"
                when = " when create_graph=True"
            else:
                continue
            raise RuntimeError(f"{result}. This is not allowed in strict mode{when}.")
