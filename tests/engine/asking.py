"""What a result is asked: its values, memory, graph, and first and second derivatives."""

import types
from collections.abc import Callable
from typing import Any


def told(torch: types.ModuleType, result: Any, *leaves: Any) -> None:
    """Print a result (or several), its node and edges, and its derivatives by the leaves, each weighted unevenly.

    Second derivatives are those of the first ones, where these depend on a leaf at all: that is printed as well.
    """
    parts = result if isinstance(result, tuple) else (result,)
    print(result, [(each.dtype, each.shape, each.requires_grad) for each in parts])
    recorded = [each for each in parts if each.grad_fn is not None]
    if not recorded:
        return
    result = recorded[0]
    print(result.grad_fn.name(), [(node and node.name(), index) for node, index in result.grad_fn.next_functions])
    for first in derivatives(torch, result, leaves):
        print(shown(first), first is not None and first.requires_grad)
        if first is not None and first.requires_grad:
            print(*[shown(second) for second in derivatives(torch, first, leaves)], sep="\n")


def derivatives(torch: types.ModuleType, result: Any, leaves: tuple) -> tuple:
    """The upstream gradient 1/2, 1, 3/2, … pulled back to the leaves."""
    weights = (torch.arange(result.numel(), dtype=result.dtype) + 1).reshape(result.shape) / 2
    return torch.autograd.grad(result, leaves, weights, create_graph=True, allow_unused=True)


def shown(tensor: Any) -> str:
    """The numbers of a tensor without its node: under create_graph the names of nodes are the engine's own."""
    return "None" if tensor is None else str(tensor.detach() + 0)


def look(torch: types.ModuleType, value: Any, *leaves: Any) -> None:
    """Print a value, and of tensors how they lie in memory, all the nodes behind them and the derivatives."""
    parts = value if isinstance(value, tuple) else (value,)
    for each in parts:
        if hasattr(each, "grad_fn"):
            lies = [step for step, size in zip(each.stride(), each.shape, strict=True) if size > 1 and each.numel()]
            print(lies, each._version, each._base is not None, graph(each.grad_fn))
    if all(hasattr(each, "grad_fn") for each in parts):
        told(torch, value, *leaves)
    else:
        print(value)


def graph(node: Any) -> str:
    """The nodes behind a node, as nested calls; `*` is a leaf."""
    if node is None:
        return "None"
    name = node.name().removeprefix("torch::autograd::")
    if name == "AccumulateGrad":
        return "*"
    edges = [graph(source) + (f"[{index}]" if index else "") for source, index in node.next_functions]
    return f"{name}({', '.join(edges)})"


def kind(call: Callable) -> None:
    """Print the kind of the error that a call raises: where the engines use words of their own, or there are many."""
    try:
        call()
    except Exception as error:
        print(type(error).__name__, bool(str(error)))
