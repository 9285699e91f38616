"""The operation that docs/maintaining/engine.md adds is, as it stands there, an operation like any other."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from engines import said

import minigrad
from minigrad.ops import unregister
from minigrad.passing import fastpath
from minigrad.scalar import Function
from minigrad_course.programs.compare import alike

TEXT = (Path(__file__).parents[2] / "docs" / "maintaining" / "engine.md").read_text(encoding="utf-8")
(CUBE,) = re.findall(r"\n( +class Cube\(Function\):\n.*?\n +register\([^\n]*\n)", TEXT, re.DOTALL)
LINES = [
    "x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)",
    "cube(x).detach()",
    "cube(x) @ torch.tensor([1.0, 10.0, 100.0])",
    "(cube(x) @ torch.tensor([1.0, 10.0, 100.0])).backward(), x.grad",
    "(slope,) = torch.autograd.grad(cube(x).sum(), x, create_graph=True)",
    "torch.autograd.grad(slope.sum(), x)",
    "torch.autograd.gradcheck(cube, torch.tensor([[0.5, -1.5]], dtype=torch.float64, requires_grad=True))",
    "y = x * 1",
    "z = cube(y)",
    "y += 1",
    "z.sum().backward()",
    "z = cube(x).sum()",
    "z.backward(), z.backward()",
    "with torch.no_grad(): print(cube(x).requires_grad)",
    "cube(torch.tensor(2.0, dtype=torch.float16)), cube(torch.zeros(0, 3)).shape",
]


def added() -> Callable:
    """Run the lines."""
    names: dict[str, object] = {"Function": Function, "register": minigrad.register}
    exec(textwrap.dedent(CUBE), names)
    return names["Cube"].apply  # type: ignore[attr-defined]


@pytest.fixture(params=[True, False], ids=["fast path", "general"])
def cube(request: pytest.FixtureRequest) -> Iterator[Callable]:
    """The operation in minigrad, with the fast path and without it."""
    before = fastpath.switch(request.param)
    yield added()
    unregister("cube")
    fastpath.switch(True if before is None else before)


def test_it_computes_what_torch_computes(cube: Callable) -> None:
    ours = said(LINES, minigrad, {"cube": cube})
    assert alike(said(LINES, torch, {"cube": lambda x: x**3}), ours), ours


def test_it_is_a_function_and_a_method_with_a_node_and_a_signature(cube: Callable) -> None:
    x = minigrad.tensor([2.0, -1.0], requires_grad=True)
    assert repr(x.cube()) == repr(minigrad.cube(x)) == "tensor([ 8., -1.], grad_fn=<CubeBackward0>)"
    with pytest.raises(TypeError, match=r"cube\(\)"):
        minigrad.cube("x")
    with pytest.raises(ValueError, match="exists already"):
        added()
    assert minigrad.cube.__doc__ == "The cube of each entry. Shapes: any; dtype: kept."


def test_afterwards_it_is_gone() -> None:
    assert not hasattr(minigrad.Tensor, "cube") and not hasattr(minigrad, "cube")
