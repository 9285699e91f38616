"""`register`: the one way in which an operation becomes a method of Tensor and a function."""

from collections.abc import Iterator

import pytest

import minigrad
from minigrad.ops import functions, unregister
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Triple(Function):
    """Three times the input."""

    @staticmethod
    def forward(ctx, a):
        return 3 * a

    @staticmethod
    def backward(ctx, grad_output):
        return 3 * grad_output


def weighted(input: "Tensor", weight: "float" = 2.0) -> "Tensor":
    """The input times a number."""
    return input * weight


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test registers is gone afterwards."""
    before = dict(functions), dict(vars(Tensor))
    yield
    for name in functions.keys() - before[0].keys():
        dict.pop(functions, name)
    for name in vars(Tensor).keys() - before[1].keys():
        delattr(Tensor, name)
    minigrad.unsupported.mark(Tensor)


def test_a_class_becomes_a_function_and_a_method() -> None:
    assert minigrad.register("triple", Triple) is Triple
    x = minigrad.tensor(2.0, requires_grad=True)
    minigrad.triple(x).backward()
    x.triple().backward()
    assert x.grad.item() == 6 and minigrad.triple(input=x).item() == 6
    assert minigrad.triple.__doc__ == "Three times the input." and minigrad.triple.__name__ == "triple"
    with pytest.raises(TypeError, match=r"triple\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        minigrad.triple(2)
    with pytest.raises(ValueError, match=r"Tensor\.triple exists already"):
        minigrad.register("triple", Triple)
    unregister("triple")
    assert not hasattr(Tensor, "triple") and "triple" not in functions


def test_as_a_decorator_it_leaves_the_function_as_it_is() -> None:
    own = minigrad.register("weighted", alias="scaled_by", in_place=True, in_place_function=True)(weighted)
    assert own is weighted
    x = minigrad.tensor([1.0, 2.0])
    assert minigrad.weighted(x).tolist() == x.scaled_by().tolist() == [2, 4]
    assert x.weighted_(3.0) is x and minigrad.scaled_by_(x, 0.5) is x and x.tolist() == [1.5, 3]


def test_a_class_changes_a_tensor_in_place_as_well() -> None:
    minigrad.register("triple", Triple, in_place=True)
    minigrad.register("halved", lambda a: a / 2, in_place=True)
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    assert y.triple_() is y and y.halved_() is y and y.tolist() == [1.5, 3]
    y.sum().backward()
    assert x.grad.tolist() == [1.5, 1.5]


def test_annotations_are_checked_in_torch_s_words_and_only_they() -> None:
    minigrad.register("weighted", weighted)
    x = minigrad.ones(2)
    with pytest.raises(TypeError, match=r"weighted\(\): argument 'weight' \(position 2\) must be float, not str"):
        minigrad.weighted(x, "2")
    with pytest.raises(TypeError, match=r"weighted\(\) got an unexpected keyword argument 'wait'"):
        x.weighted(wait=1)
    minigrad.register("everything", lambda a, *others: (a, others))
    assert minigrad.everything(1, "2") == (1, ("2",))


def test_only_a_function_or_only_a_method() -> None:
    minigrad.register("weighted", weighted, method=False)
    assert not hasattr(Tensor, "weighted")
    minigrad.register("triple", Triple, function=False)
    assert "triple" not in functions and minigrad.ones(1).triple().tolist() == [3]


@pytest.mark.parametrize("name", ["mul", "shape", "item", "einsum", "softmax", "mro"])
def test_a_name_of_the_engine_is_taken(name: str) -> None:
    with pytest.raises(ValueError, match=f"Tensor.{name} exists already"):
        minigrad.register(name, Triple)
