"""Hooks of a module: before and after its forward, and two nodes around it that see the gradients of its backward.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat.messages import warn
from minigrad.graph import array_ops
from minigrad.ops import creation
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


def call(module: Any, args: tuple, kwargs: dict) -> object:
    """Call the forward of a module and its hooks."""
    for hook in [*module._forward_pre_hooks.values()]:
        answer = hook(module, args)
        if answer is not None:
            args = answer if isinstance(answer, tuple) else (answer,)
    watch = Watch(module) if module._backward_hooks else None
    result = module.forward(*(watch.inputs(args) if watch else args), **kwargs)
    for hook in [*module._forward_hooks.values()]:
        answer = hook(module, args, result)
        result = result if answer is None else answer
    return watch.outputs(result) if watch else result


class BackwardHookFunction(Function, name="BackwardHookFunctionBackward"):
    """Copies of tensors whose upstream gradients (None where nothing arrived) pass through `seen`."""

    promotes = False

    @staticmethod
    def forward(ctx: Function, *inputs: np.ndarray, seen: Callable) -> tuple[np.ndarray, ...]:
        ctx.seen = seen
        return tuple([np.array(value) for value in inputs])

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        tensors = [grad if isinstance(grad, Tensor) else Tensor._of(grad) for grad in grads]
        answers = ctx.seen([item if place in ctx.arrived else None for place, item in enumerate(tensors)])
        return tuple(answers) if leaf.recording else tuple([array_ops.raw(answer) for answer in answers])

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        """As for any node, but first note where something arrived."""
        self.arrived = set(grad_output)
        return super().vjp(grad_output, retain_graph)


class Watch:
    """One call of a module whose backward is watched: its gradients go through `inputs` and `outputs`."""

    def __init__(self, module: Any):
        self.module, self.hooks = module, [*module._backward_hooks.values()]
        self.arguments: list = []  # for each argument: None, or zeros for a tensor
        self.watched: list[int] = []  # the places of the arguments that require grad
        self.grad_outputs: tuple | None = None

    def inputs(self, args: tuple) -> tuple:
        """The arguments; those that require grad come from a node that shows their gradients to the hooks."""
        self.arguments = [creation.zeros_like(arg) if isinstance(arg, Tensor) else None for arg in args]
        self.watched, args = _behind(args, self._leave)
        return args

    def outputs(self, result: object) -> object:
        """What the module returned, from a node that the backward meets first."""
        results = result if isinstance(result, tuple) else (result,)
        places, results = _behind(results, lambda grads: self._enter(grads, places, len(results)))
        return results if isinstance(result, tuple) else results[0]

    def _enter(self, grads: list, places: list[int], size: int) -> list:
        """The gradients of the module's results are complete."""
        known = dict(zip(places, grads, strict=True))
        self.grad_outputs = tuple([known.get(place) for place in range(size)])
        if not self.watched:
            warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.register_full_backward_hook for more details."
            )
            for hook in self.hooks:
                hook(self.module, (None,) * len(self.arguments), self.grad_outputs)
        return grads

    def _leave(self, grads: list) -> list:
        """The gradients of the module's arguments are complete."""
        if self.grad_outputs is None:
            return grads  # the results got no gradient
        known = {place: grad for place, grad in zip(self.watched, grads, strict=True) if grad is not None}
        output: tuple = tuple([known.get(place, item) for place, item in enumerate(self.arguments)])
        for hook in self.hooks:
            answer = hook(self.module, output, self.grad_outputs)
            if answer is not None and len(answer) != len(output):
                sizes = f"got {len(answer)}, but expected {len(output)}"
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {sizes}")
            output = output if answer is None else answer
        self.grad_outputs = None
        return [output[place] for place in self.watched]


def _behind(values: tuple, seen: Callable) -> tuple[list[int], tuple]:
    """The positions of the tensors that require grad, and the values with these replaced by a node's results."""
    places = [place for place, item in enumerate(values) if isinstance(item, Tensor) and item.requires_grad]
    if not places or not leaf.recording:
        return [], values
    copies = BackwardHookFunction.apply(*[values[place] for place in places], seen=seen)
    replaced = dict(zip(places, copies, strict=True))
    return places, tuple([replaced.get(place, item) for place, item in enumerate(values)])
