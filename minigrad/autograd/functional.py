"""`torch.autograd.functional`: Jacobians and their products for a function, thin over `minigrad.jacobian`.

What is here is the form: tuples in and out, inputs that are cut from the caller's graph (or, with `create_graph`, not),
and torch's words for what does not fit. The mathematics is one call each.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad import jacobian as chapter
from minigrad.runtime import grad_mode
from minigrad.tensor import Tensor

# --- products with the Jacobian ------------------------------------------------------------------


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """(func(inputs), vᵀJ); v has the shape of the outputs, vᵀJ that of the inputs.

    >>> import minigrad as torch
    >>> vjp(lambda t: t * t, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with grad_mode.enable_grad():
        call = Call("vjp", inputs, create_graph)
        call.run(func, strict)
        weights = call.weights(v, call.outputs, call.outputs_are_tuple)
        if weights is None and (len(call.outputs) != 1 or call.outputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
        if strict:
            demand_used(chapter.pull(call.outputs, call.inputs, weights, create_graph), "back", create_graph)
        product = chapter.vjp(call.outputs, call.inputs, weights, create_graph)
    return call.value(), finished(product, create_graph, call.inputs_are_tuple)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """(func(inputs), J v); v has the shape of the inputs, J v that of the outputs.

    >>> import minigrad as torch
    >>> jvp(lambda t: t * t, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with grad_mode.enable_grad():
        call = Call("jvp", inputs, create_graph)
        direction = call.direction(v)
        call.run(func, strict)
        if strict:
            u = chapter.placeholder(call.outputs)
            slopes = chapter.pull(call.outputs, call.inputs, u, create_graph=True)
            demand_grad(slopes, "grad_inputs")
            demand_used(chapter.pull(slopes, u, direction, create_graph), "back_trick", create_graph)
        product = chapter.jvp(call.y, call.x, call.as_x(direction), create_graph)
    return call.value(), finished(product, create_graph, call.outputs_are_tuple)


# --- the Jacobian --------------------------------------------------------------------------------


def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of func: for each output and input a tensor of the output's shape followed by the input's.

    A tuple of inputs gives a tuple of them, a tuple of outputs another around it. `vectorize` and `strategy` say how
    torch shall compute; here they change nothing: it is one backward pass per entry.

    >>> import minigrad as torch
    >>> jacobian(lambda t: torch.stack([t[0] * t[1], t[1], 3 * t[0]]), torch.tensor([2., 5.]))
    tensor([[5., 2.],
            [0., 1.],
            [3., 0.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        demand_forward_mode(create_graph, strict, vectorize)
    with grad_mode.enable_grad():
        call = Call("jacobian", inputs, create_graph)
        call.run(func, strict)
        if strict:
            demand_dependence(call.outputs, call.inputs, create_graph, vectorize)
        blocks = chapter.jacobian(call.outputs, call.inputs, create_graph)
    return finished(blocks, create_graph, call.outputs_are_tuple, call.inputs_are_tuple)


# --- second derivatives --------------------------------------------------------------------------


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of func, which returns one number: for each two inputs a tensor of their shapes joined.

    A tuple of inputs gives a tuple of tuples. RuntimeError if func returns more than one number.

    >>> import minigrad as torch
    >>> hessian(lambda t: t[0] ** 2 * t[1], torch.tensor([1., 2.]))
    tensor([[4., 2.],
            [2., 0.]])
    """
    as_tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if outer_jacobian_strategy == "forward-mode":
        demand_forward_mode(create_graph, strict, vectorize)
        raise NotImplementedError("minigrad has no forward mode: leave outer_jacobian_strategy out")
    with grad_mode.enable_grad():
        call = Call("hessian", inputs, create_graph)
        call.run(func, strict)
        call.demand_one_number()
        if strict:
            gradient = chapter.vjp(call.outputs, call.inputs, create_graph=True)
            demand_grad(gradient, "jacobian")
            demand_dependence(gradient, call.inputs, create_graph, vectorize)
        blocks = chapter.hessian(call.y, call.x, create_graph)
    return finished(blocks, create_graph, call.inputs_are_tuple, call.inputs_are_tuple)


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """(func(inputs), vᵀH) for a function that returns one number; v has the shape of the inputs.

    >>> import minigrad as torch
    >>> vhp(lambda t: t[0] ** 2 * t[1], torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor(2.), tensor([24.,  2.]))
    """
    with grad_mode.enable_grad():
        call = Call("vhp", inputs, create_graph)
        direction = call.direction(v)
        call.run(func, strict)
        call.demand_one_number()
        if strict:
            gradient = chapter.pull(call.outputs, call.inputs, None, create_graph=True)
            demand_grad(gradient, "jacobian")
            demand_used(chapter.pull(gradient, call.inputs, direction, create_graph), "double_back", create_graph)
        gradient = chapter.vjp(call.outputs, call.inputs, create_graph=True)
        product = chapter.vjp(gradient, call.inputs, direction, create_graph)
    return call.value(), finished(product, create_graph, call.inputs_are_tuple)


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """(func(inputs), H v) for a function that returns one number; v has the shape of the inputs.

    >>> import minigrad as torch
    >>> hvp(lambda t: t[0] ** 2 * t[1], torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor(2.), tensor([24.,  2.]))
    """
    with grad_mode.enable_grad():
        call = Call("hvp", inputs, create_graph)
        direction = call.direction(v)
        call.run(func, strict)
        call.demand_one_number()
        if strict:
            u = chapter.placeholder(call.inputs)
            gradient = chapter.pull(call.outputs, call.inputs, None, create_graph=True)
            demand_grad(gradient, "jacobian")
            slopes = chapter.pull(gradient, call.inputs, u, create_graph=True)
            demand_used(chapter.pull(slopes, u, direction, create_graph), "double_back_trick", create_graph)
        gradient = chapter.vjp(call.outputs, call.inputs, create_graph=True)
        product = chapter.jvp(gradient, call.inputs, direction, create_graph)
    return call.value(), finished(product, create_graph, call.inputs_are_tuple)


# --- the form ------------------------------------------------------------------------------------


class Call:
    """One call of the program's function, with its inputs made ready and its outputs looked at."""

    outputs: tuple
    outputs_are_tuple: bool

    def __init__(self, who: str, inputs: Any, create_graph: bool):
        self.who, self.create_graph = who, create_graph
        tensors, self.inputs_are_tuple = as_tensors(inputs, "inputs", who)
        self.inputs = prepared(tensors, create_graph, needs_grad=True)

    def run(self, func: Callable, strict: bool) -> None:
        """Call the function. TypeError unless it returns Tensors; RuntimeError if strict and they have no graph."""
        found = func(*self.inputs)
        self.outputs, self.outputs_are_tuple = as_tensors(found, "outputs of the user-provided function", self.who)
        if strict:
            demand_grad(self.outputs, "outputs")

    @property
    def x(self) -> Any:
        """The inputs in the form that the caller gave them: a Tensor, or a tuple."""
        return self.as_x(self.inputs)

    @property
    def y(self) -> Any:
        """The outputs in the form that the function gave them: a Tensor, or a tuple."""
        return self.outputs if self.outputs_are_tuple else self.outputs[0]

    def as_x(self, values: tuple | None) -> Any:
        """Values, one for each input, in the form of the inputs."""
        return values if values is None or self.inputs_are_tuple else values[0]

    def direction(self, v: Any) -> tuple | None:
        """v as a tuple that fits the inputs. RuntimeError if it does not, or is missing for several numbers."""
        if v is None and (len(self.inputs) != 1 or self.inputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                "single element."
            )
        return self.weights(v, self.inputs, self.inputs_are_tuple)

    def weights(self, v: Any, beside: tuple, are_tuple: bool) -> tuple | None:
        """v as a tuple of Tensors with the shapes of those beside it; None where there is no v."""
        if v is None:
            return None
        found = prepared(as_tensors(v, "v", self.who)[0], self.create_graph, needs_grad=False)
        if len(found) != len(beside):
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(beside)} but got {len(found)}."
                if are_tuple
                else "The given v should contain a single Tensor."
            )
        for index, (have, want) in enumerate(zip(found, beside, strict=True)):
            if have.shape != want.shape:
                entry = f"Entry {index} in " if are_tuple else ""
                raise RuntimeError(f"{entry}v has invalid size: should be {want.shape} but got {have.shape}.")
        return found

    def demand_one_number(self) -> None:
        """RuntimeError unless the function returned one Tensor with one entry."""
        if self.outputs_are_tuple:
            raise RuntimeError(f"The function given to {self.who} should return a single Tensor")
        if self.outputs[0].numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {self.who} should contain a single element"
            )

    def value(self) -> Any:
        """What the function returned, as the caller gets it."""
        return finished(self.outputs, self.create_graph, self.outputs_are_tuple)


def as_tensors(value: Any, what: str, who: str) -> tuple[tuple, bool]:
    """A Tensor or a tuple of Tensors as a tuple, and whether it was one. TypeError for anything else."""
    is_tuple = isinstance(value, tuple)
    found = value if is_tuple else (value,)
    for index, each in enumerate(found):
        if not isinstance(each, Tensor):
            which = f"value at index {index}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {who} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(each)}."
            )
    return found, is_tuple


def prepared(tensors: tuple, create_graph: bool, needs_grad: bool) -> tuple:
    """New Tensors on the same memory: with `create_graph` in the caller's graph, else leaves."""
    return tuple(
        [
            each.view_as(each) if create_graph and each.requires_grad else each.detach().requires_grad_(needs_grad)
            for each in tensors
        ]
    )


def finished(value: Any, create_graph: bool, *are_tuples: bool) -> Any:
    """Nested tuples as the caller gets them: without a graph unless asked for, without the tuples of one."""
    if isinstance(value, Tensor):
        return value if create_graph else value.detach()
    is_tuple, *inner = are_tuples
    found = tuple([finished(each, create_graph, *inner) for each in value])
    return found if is_tuple else found[0]


# --- what strict refuses -------------------------------------------------------------------------

NOT_STRICT = "This is not allowed in strict mode."


def demand_grad(tensors: tuple, stage: str) -> None:
    """RuntimeError, in torch's words, unless each of the tensors depends on the inputs."""
    for index, each in enumerate(tensors):
        if each is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {index}. {NOT_STRICT}"
            )
        if each.requires_grad:
            continue
        if stage == "jacobian":
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                f"input {index} is independent of the input. {NOT_STRICT} You should ensure that your function is "
                "twice differentiable and that the jacobian depends on the inputs (this would be violated by a "
                "linear function for example)."
            )
        if stage == "grad_inputs":
            raise RuntimeError(
                f"The gradient with respect to input {index} is independent of the inputs of the user-provided "
                f"function. {NOT_STRICT}"
            )
        raise RuntimeError(
            f"Output {index} of the user-provided function does not require gradients. The outputs must be computed in "
            "a differentiable manner from the input when running in strict mode."
        )


def demand_used(grads: tuple, stage: str, create_graph: bool) -> None:
    """RuntimeError, in torch's words, where a product does not depend on what it should."""
    missing = {
        "back": "The output of the user-provided function is independent of input {}. " + NOT_STRICT,
        "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when "
        "using the double backward trick to compute forward mode gradients. " + NOT_STRICT,
        "double_back": "The jacobian of the user-provided function is independent of input {}. " + NOT_STRICT,
        "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the "
        "grad_jacobian. This is not allowed in strict mode as it prevents from using the double backward trick to "
        "replace forward mode AD.",
    }
    for index, each in enumerate(grads):
        if each is None:
            raise RuntimeError(missing[stage].format(index))
        if create_graph and not each.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}. This is not allowed in "
                "strict mode when create_graph=True."
            )


def demand_dependence(outputs: tuple, inputs: tuple, create_graph: bool, vectorize: bool) -> None:
    """RuntimeError, in torch's words, unless every output depends on every input."""
    if vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )
    for i, output in enumerate(outputs):
        for j, grad in enumerate(chapter.pull((output,), inputs, (chapter.zeros(output.shape, output),), create_graph)):
            if grad is None:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input {j}. {NOT_STRICT}"
                )
            if create_graph and not grad.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                    "strict mode when create_graph=True."
                )


def demand_forward_mode(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """What torch refuses together with the strategy "forward-mode"."""
    if create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
