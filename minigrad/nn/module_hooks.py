"""Hooks of a module: before and after its forward, and two nodes around it that see the gradients of its backward.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from minigrad import leaf
from minigrad.autograd.function import Function
from minigrad.compat.messages import warn
from minigrad.ops import creation
from minigrad.tensor import Tensor

DEPRECATED = "is deprecated and will be removed in future versions. This hook will be missing some"
INSTEAD = "Please use register_full_backward_hook to get the documented behavior."


def call(module: Any, args: tuple, kwargs: dict) -> object:
    """Call the forward of a module and its hooks; after an error those that want to be called always."""
    ran: set[int] = set()
    try:
        return _call(module, args, kwargs, ran)
    except Exception:
        for key, hook in module._forward_hooks.items():
            if key in module._forward_hooks_always_called and key not in ran:
                with contextlib.suppress(Exception):
                    hook(module, args, *[kwargs] * (key in module._forward_hooks_with_kwargs), None)
        raise


def _call(module: Any, args: tuple, kwargs: dict, ran: set[int]) -> object:
    for key, hook in [*module._forward_pre_hooks.items()]:
        if key in module._forward_pre_hooks_with_kwargs:
            answer = hook(module, args, kwargs)
            if answer is not None:
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    of = f"of (new_args, new_kwargs), but got {answer}."
                    raise RuntimeError(f"forward pre-hook must return None or a tuple {of}")
                args, kwargs = answer
        elif (answer := hook(module, args)) is not None:
            args = answer if isinstance(answer, tuple) else (answer,)
    full = module._is_full_backward_hook is not False
    watch = Watch(module) if module._backward_pre_hooks or (full and module._backward_hooks) else None
    result = module.forward(*(watch.inputs(args) if watch else args), **kwargs)
    for key, hook in [*module._forward_hooks.items()]:
        ran.add(key)
        answer = hook(module, args, *[kwargs] * (key in module._forward_hooks_with_kwargs), result)
        result = result if answer is None else answer
    if watch:
        result = watch.outputs(result)
    if module._backward_hooks and not full:
        _watch_last_node(module, args, result)
    return result


class BackwardHookFunction(Function):
    """The tensors themselves, at a node whose gradients pass through the hooks."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> tuple[Tensor, ...]:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


class Watch:
    """One call of a module whose backward is watched: its gradients go through `inputs` and `outputs`."""

    def __init__(self, module: Any):
        self.module = module
        self.hooks, self.pre_hooks = [*module._backward_hooks.values()], [*module._backward_pre_hooks.values()]
        self.arguments: list = []  # for each argument: None, or zeros for a tensor
        self.watched: list[int] | None = None  # the places of the tensors among them, if one requires grad
        self.grad_outputs: tuple | None = None

    def inputs(self, args: tuple) -> tuple:
        """The arguments; the tensors among them come from a node that shows their gradients to the hooks."""
        self.arguments = [creation.zeros_like(arg) if isinstance(arg, Tensor) else None for arg in args]
        self.watched, args = _behind(args, self._leave)
        return args

    def outputs(self, result: object) -> object:
        """What the module returned, from a node that the backward meets first."""
        if not isinstance(result, (Tensor, tuple)):
            should = "module output should be a Tensor or a tuple of Tensors"
            warn(f"For backward hooks to be called, {should} but received {type(result)}")
        results = result if isinstance(result, tuple) else (result,)
        places: list[int] | None = None
        places, results = _behind(results, lambda _, grads: self._enter(grads, places or [], len(results)))
        return results if isinstance(result, tuple) else results[0]

    def _enter(self, grads: tuple, places: list[int], size: int) -> tuple:
        """The gradients of the module's results are complete."""
        known = dict(zip(places, grads, strict=True))
        self.grad_outputs = tuple([known.get(place) for place in range(size)])
        for hook in self.pre_hooks:
            answer = hook(self.module, self.grad_outputs)
            if answer is not None:
                if len(answer) != size:
                    sizes = f"got {len(answer)}, but expected {size}"
                    raise RuntimeError(f"Backward pre hook returned an invalid number of grad_output, {sizes}")
                self.grad_outputs = answer
        shown: Any = self.grad_outputs
        if self.watched is None:
            warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.register_full_backward_hook for more details."
            )
            for hook in self.hooks:
                answer = hook(self.module, (None,) * len(self.arguments), shown)
                if answer is not None and not (isinstance(answer, tuple) and all(item is None for item in answer)):
                    always = "gradient should always return None or None for all gradients."
                    raise RuntimeError(f"Backward hook for Modules where no input requires {always}")
            self.grad_outputs = None
        return tuple([shown[place] for place in places])

    def _leave(self, grads: tuple, _: tuple) -> tuple | None:
        """The gradients of the module's arguments are complete."""
        if self.grad_outputs is None:
            return None  # the results got no gradient
        places = self.watched or []
        known = {place: grad for place, grad in zip(places, grads, strict=True) if grad is not None}
        inputs: tuple = tuple([known.get(place, item) for place, item in enumerate(self.arguments)])
        for hook in self.hooks:
            answer = hook(self.module, inputs, self.grad_outputs)
            if answer is not None and len(answer) != len(inputs):
                sizes = f"got {len(answer)}, but expected {len(inputs)}"
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {sizes}")
            inputs = inputs if answer is None else answer
        self.grad_outputs = None
        return tuple([inputs[place] if place in known else None for place in places])


def _behind(values: tuple, hook: Callable) -> tuple[list[int] | None, tuple]:
    """The places of the tensors, and the values with these replaced by a node's results; nothing, if none requires
    grad.
    """
    places = [place for place, item in enumerate(values) if isinstance(item, Tensor)]
    if not leaf.recording or not any(values[place].requires_grad for place in places):
        return None, values
    seen = BackwardHookFunction.apply(*[values[place] for place in places])
    next(item.grad_fn for item in seen if item.requires_grad).register_hook(hook)
    replaced = dict(zip(places, seen, strict=True))
    return places, tuple([replaced.get(place, item) for place, item in enumerate(values)])


def _watch_last_node(module: Any, args: tuple, result: Any) -> None:
    """`register_backward_hook`: the hooks are those of the node that made the result."""
    first = result
    while not isinstance(first, Tensor):
        parts = [item for item in first.values() if isinstance(item, Tensor)] if isinstance(first, dict) else first
        first = parts[0]
    node = first.grad_fn
    if node is None:
        return
    for hook in module._backward_hooks.values():
        node.register_hook(lambda grad_inputs, grad_outputs, hook=hook: hook(module, grad_inputs, grad_outputs))
    results = [item for item in (result if isinstance(result, tuple) else (result,)) if isinstance(item, Tensor)]
    came_from = {arg.grad_fn for arg in args if isinstance(arg, Tensor) and arg.grad_fn is not None}
    if len({item.grad_fn for item in results if item.grad_fn is not None}) > 1:
        when = "Using a non-full backward hook when outputs are generated by different autograd Nodes"
        warn(f"{when} {DEPRECATED} grad_output. {INSTEAD}", FutureWarning)
    elif came_from != {above for above, _ in node.next_functions}:
        when = "Using a non-full backward hook when the forward contains multiple autograd Nodes"
        warn(f"{when} {DEPRECATED} grad_input. {INSTEAD}", FutureWarning)
