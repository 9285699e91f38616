"""Hooks of a module: before and after its forward, and two nodes around it that see the gradients of its backward.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat.messages import warn
from minigrad.ops import creation
from minigrad.runtime import array_ops
from minigrad.runtime.hooks import RemovableHandle
from minigrad.scalar import Function
from minigrad.tensor import Tensor

REGISTRIES = (
    *("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks"),
    *("_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs"),
)


def register(hooks: OrderedDict, hook: Any, prepend: bool) -> RemovableHandle:
    """Put a hook after the others of a registry, or before them."""
    handle = RemovableHandle(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def call(module: Any, args: tuple, kwargs: dict) -> Any:
    """Call the forward of a module and its hooks."""
    for key, hook in [*module._forward_pre_hooks.items()]:
        with_kwargs = key in module._forward_pre_hooks_with_kwargs
        answer = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if answer is None:
            continue
        if not with_kwargs:
            args = answer if isinstance(answer, tuple) else (answer,)
        elif isinstance(answer, tuple) and len(answer) == 2:
            args, kwargs = answer
        else:
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
            )
    watch = Watch(module) if module._backward_hooks or module._backward_pre_hooks else None
    result = module.forward(*(watch.inputs(args) if watch else args), **kwargs)
    for key, hook in [*module._forward_hooks.items()]:
        with_kwargs = key in module._forward_hooks_with_kwargs
        answer = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if answer is None else answer
    return watch.outputs(result) if watch else result


class BackwardHookFunction(Function, name="BackwardHookFunctionBackward"):
    """Copies of tensors. Their upstream gradients, None where nothing arrived, pass through `seen`."""

    __slots__ = ("seen", "arrived")
    promotes = False

    @staticmethod
    def forward(ctx: Any, *inputs: Any, seen: Callable) -> Any:  # type: ignore[override]
        ctx.seen = seen
        return tuple([np.array(each) for each in inputs])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        tensors = [each if isinstance(each, Tensor) else Tensor._of(each) for each in grads]
        answers = ctx.seen([each if place in ctx.arrived else None for place, each in enumerate(tensors)])
        for grad, answer in zip(grads, answers, strict=True):
            if answer is not None and answer.shape != grad.shape:
                raise RuntimeError("hook 'hook' has changed the size of value")
        return tuple(answers) if leaf.recording else tuple([array_ops.raw(each) for each in answers])

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        """As for any node; before that, note where something arrived."""
        self.arrived = set(grad_output)
        return super().vjp(grad_output, retain_graph)


class Watch:
    """One call of a module, whose backward is watched: what flows back goes through `inputs` and `outputs`."""

    def __init__(self, module: Any):
        self.module = module
        self.hooks = [*module._backward_hooks.values()]
        self.before = [*module._backward_pre_hooks.values()]
        self.arguments: list = []  # for each argument: None, or zeros for a tensor
        self.watched: list[int] | None = None  # the places of the arguments that require grad
        self.grad_outputs: tuple | None = None

    def inputs(self, args: tuple) -> tuple:
        """The arguments, those that require grad behind a node that shows their gradients to the hooks."""
        self.arguments = [creation.zeros_like(each) if isinstance(each, Tensor) else None for each in args]
        self.watched, args = _behind(args, self._leave)
        return args

    def outputs(self, result: Any) -> Any:
        """What the module returned, behind a node that the backward meets first."""
        results = result if isinstance(result, tuple) else (result,)
        places, results = _behind(results, lambda grads: self._enter(grads, places or [], len(results)))
        return results if isinstance(result, tuple) else results[0]

    def _enter(self, grads: list, places: list[int], size: int) -> list:
        """The gradients of the module's results are complete."""
        known = dict(zip(places, grads, strict=True))
        found: tuple = tuple([known.get(place) for place in range(size)])
        for hook in self.before:
            answer = hook(self.module, found)
            if answer is not None:
                if len(answer) != size:
                    raise RuntimeError(
                        f"Backward pre hook returned an invalid number of grad_output, got {len(answer)}, but expected "
                        f"{size}"
                    )
                found = answer
        if self.watched is None:
            self._without_inputs(found)
        else:
            self.grad_outputs = found
        return [found[place] for place in places]

    def _without_inputs(self, grad_outputs: tuple) -> None:
        """No argument requires grad, so the hooks are called here."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details."
        )
        for hook in self.hooks:
            answer = hook(self.module, (None,) * len(self.arguments), grad_outputs)
            if answer is not None and not (isinstance(answer, tuple) and all(each is None for each in answer)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )

    def _leave(self, grads: list) -> list:
        """The gradients of the module's arguments are complete."""
        if self.grad_outputs is None or self.watched is None:
            return grads  # the results got no gradient
        found: Any = list(self.arguments)
        for place, grad in zip(self.watched, grads, strict=True):
            found[place] = found[place] if grad is None else grad
        found = tuple(found)
        for hook in self.hooks:
            answer = hook(self.module, found, self.grad_outputs)
            if answer is not None:
                if len(answer) != len(found):
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(answer)}, but expected "
                        f"{len(found)}"
                    )
                found = answer
        self.grad_outputs = None
        return [found[place] for place in self.watched]


def _behind(values: tuple, seen: Callable) -> tuple[list[int] | None, tuple]:
    """The places of the tensors that require grad, and the values with these behind a node; None if there are none."""
    places = [place for place, each in enumerate(values) if isinstance(each, Tensor) and each.requires_grad]
    if not places or not leaf.recording:
        return None, values
    copies = BackwardHookFunction.apply(*[values[place] for place in places], seen=seen)
    replaced = dict(zip(places, copies, strict=True))
    return places, tuple([replaced.get(place, each) for place, each in enumerate(values)])
