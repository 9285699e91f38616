"""Ask both engines what an expression gives: values, memory, the whole graph, first and second derivatives.

The names are leaves of several shapes: `x` (3, 4), `b` (2, 3, 4), `q` (3, 1, 4), `v` (4), `w` (3), `s` without axes;
and constants: a mask `m` (3, 4), an index `i` (1, 4), zeros `c` (3, 4).
"""

import re
import types
from typing import Any

from derivatives import told
from engines import assert_alike

LEAVES = {
    "x": "[[1., -2., 3., .5], [5., 6., -7., 8.], [.25, 10., 11., -12.]]",
    "b": "[[[0, 1, 2, 3], [4, -5, 6, 7], [8, 9, 1, 2]], [[3, 2, 1, 0], [7, 6, 5, 4], [9, 0, 2, 3.5]]]",
    "q": "[[[1., 2., 3., 4.]], [[-5., 6., 7., 8.]], [[9., 1., .5, 2.]]]",
    "v": "[1., 2., -3., 4.]",
    "w": "[2., -1., .5]",
    "s": "3.",
}
CONSTANTS = {
    "m": "[[True, False, True, False], [False, False, True, True], [True, True, False, False]]",
    "i": "[[0, 1, 2, 0]]",
    "c": "[[0., 0., 0., 0.], [0., 0., 0., 0.], [0., 0., 0., 0.]]",
}
MADE = [
    *[f"{name} = torch.tensor({text}, requires_grad=True)" for name, text in LEAVES.items()],
    *[f"{name} = torch.tensor({text})" for name, text in CONSTANTS.items()],
]
SETUP = ["; ".join(MADE)]  # one line: what is printed and warned is gathered line by line


def assert_traced_alike(expression: str) -> str:
    """Both engines say the same about an expression of the names above: see `look`."""
    leaves = [name for name in LEAVES if re.search(rf"\b{name}\b", expression)]
    return assert_alike([*SETUP, f"look(torch, {', '.join([expression, *leaves])})"], {"look": look})


def assert_changed_alike(statement: str) -> str:
    """Both engines say the same of `y = x * 1` and of `c` after a statement that changes one of them."""
    return assert_alike([*SETUP, "y = x * 1", statement, "look(torch, (y, c), x, v, w, s)"], {"look": look})


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


def listed(text: str) -> list[str]:
    """The expressions of a text, which stand between semicolons or on lines of their own."""
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]
