"""Two operands of any dtype meet as in torch: every pair of dtypes, tensors with axes, without, and Python numbers."""

import itertools

import pytest
import torch
from engines import assert_alike

import minigrad
from minigrad import dtypes

NAMES = [each.name for each in dtypes.ALL]
SIGNS = ["+", "-", "*", "/", "**", "==", "<"]
NUMBERS = ["True", "3", "2.5"]


def tensors(name: str) -> list[str]:
    """A tensor with axes and one without, of the dtype."""
    return [f"torch.tensor([1, 2, 0], dtype=torch.{name})", f"torch.tensor(2, dtype=torch.{name})"]


@pytest.mark.parametrize("sign", SIGNS)
def test_every_pair_of_tensors(sign: str) -> None:
    everything = [tensor for name in NAMES for tensor in tensors(name)]
    assert_alike([show(f"{a} {sign} {b}") for a, b in itertools.product(everything, everything)])


@pytest.mark.parametrize("sign", SIGNS)
def test_every_tensor_beside_a_number(sign: str) -> None:
    pairs = itertools.product([tensor for name in NAMES for tensor in tensors(name)], NUMBERS)
    assert_alike([show(expression) for a, n in pairs for expression in (f"{a} {sign} {n}", f"{n} {sign} {a}")])


@pytest.mark.parametrize(
    "call", ["{}.sum()", "{}.mean()", "-{}", "{} @ {}", "{}.T", "{}.item()", "{}.requires_grad_()"]
)
def test_every_dtype_alone(call: str) -> None:
    matrices = [f"torch.tensor([[1, 2], [0, 1]], dtype=torch.{name})" for name in NAMES]
    assert_alike([call.replace("{}", matrix) for matrix in matrices])


def show(expression: str) -> str:
    """A line that prints the value and, where the value does not tell, its dtype."""
    return f"r = {expression}; print(r, r.dtype)"


def test_the_names_of_old_are_the_same_dtypes() -> None:
    for name in ("half", "float", "double", "short", "int", "long", "bool"):
        assert str(getattr(minigrad, name)) == str(getattr(torch, name))


def test_constructors_of_old_give_their_dtype() -> None:
    lines = [f"torch.{kind}Tensor({data})" for kind in ("Float", "Double", "Long") for data in ("[1, 2]", "[[3], [4]]")]
    assert_alike([show(line) for line in [*lines, "torch.Tensor([1, 2])"]])
