"""Ask both engines what an operation gives: the result, its node, and its first and second derivatives."""

import re
import types
from typing import Any

from engines import assert_alike

NUMBERS = "nan, inf = float('nan'), float('inf')"
LEAVES = {
    "x": "[[1., -2., .5], [.25, 3., 2.]]",
    "y": "[[2., 1., .5], [1., 3., -1.]]",
    "p": "[[.2, .5, .75], [.9, .1, .3]]",  # in the domain of every function
    "v": "[3., -1., 2.]",
    "o": "[0., 1., 0., 2.]",  # zeros and ties
    "e": "[nan, inf, -inf, 1., 0., -1.]",
    "z": "2.",
    "w": "[[1., -2., .5], [.25, 3., 2.]], dtype=torch.float64",
    "d": "[1.5, -2.5, .25], dtype=torch.float64",
}
CONSTANTS = {
    "i": "[[1, 2, 3], [4, 5, 6]]",
    "n": "[-3, 0, 4]",
    "u": "[1, 0, 3], dtype=torch.uint8",
    "b": "[True, False, True]",
    "m": "[[True, False, True], [False, True, True]]",
}
MADE = [
    NUMBERS,
    *[f"{name} = torch.tensor({text}, requires_grad=True)" for name, text in LEAVES.items()],
    *[f"{name} = torch.tensor({text})" for name, text in CONSTANTS.items()],
]
SETUP = ["; ".join(MADE)]  # one line: what is printed and warned is gathered line by line


def assert_told_alike(expression: str) -> str:
    """Both engines say the same about an expression of the names above: see `told`."""
    leaves = [name for name in LEAVES if re.search(rf"\b{name}\b", expression)]
    return assert_alike([*SETUP, f"told(torch, {', '.join([expression, *leaves])})"], {"told": told})


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
