"""Two operands of any dtype meet as in torch: every pair of dtypes, tensors with axes, without, and Python numbers."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from engines import ENGINES, assert_alike, each_of

import minigrad
from minigrad.compat import dtypes

NAMES = [each.name for each in dtypes.ALL]
SIGNS = ["+", "-", "*", "/", "**", "==", "<"]
NUMBERS = ["True", "3", "2.5"]


def tensors(name: str) -> list[str]:
    """A tensor with axes and one without, of the dtype."""
    return [f"torch.tensor([1, 2, 0], dtype=torch.{name})", f"torch.tensor(2, dtype=torch.{name})"]


@each_of(sign=SIGNS)
def test_every_pair_of_tensors(sign: str) -> None:
    everything = [tensor for name in NAMES for tensor in tensors(name)]
    assert_alike([show(f"{a} {sign} {b}") for a, b in itertools.product(everything, everything)])


@each_of(sign=SIGNS)
def test_every_tensor_beside_a_number(sign: str) -> None:
    pairs = itertools.product([tensor for name in NAMES for tensor in tensors(name)], NUMBERS)
    assert_alike([show(expression) for a, n in pairs for expression in (f"{a} {sign} {n}", f"{n} {sign} {a}")])


@each_of(call=["{}.sum()", "{}.mean()", "-{}", "{} @ {}", "{}.T", "{}.item()", "{}.requires_grad_()"])
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


# --- what a program asks about dtypes ------------------------------------------------------------

FLOATING = ["torch.float16", "torch.float32", "torch.float64"]
INTEGERS = ["torch.uint8", "torch.int8", "torch.int16", "torch.int32", "torch.int64"]


@pytest.mark.parametrize("name", FLOATING)
def test_finfo(name: str) -> None:
    fields = ["bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"]
    lines = [f"torch.finfo({name})", *[f"torch.finfo({name}).{each}" for each in fields]]
    assert_alike([*lines, f"torch.finfo({name}) == torch.finfo({name}), torch.finfo({name}) == torch.finfo()"])


@pytest.mark.parametrize("name", INTEGERS)
def test_iinfo(name: str) -> None:
    assert_alike([f"torch.iinfo({name})", *[f"torch.iinfo({name}).{each}" for each in ("bits", "max", "min", "dtype")]])


def test_infos_refuse_what_torch_refuses() -> None:
    assert_alike(
        """
        torch.finfo()
        torch.finfo(torch.int64)
        torch.finfo(torch.bool)
        torch.finfo(1)
        torch.finfo("float32")
        torch.finfo(dtype=torch.float64)
        torch.finfo(torch.float32, 1)
        torch.iinfo()
        torch.iinfo(torch.bool)
        torch.iinfo(torch.float32)
        torch.iinfo(1)
        type(torch.finfo()), type(torch.iinfo(torch.int8))
        """.strip().splitlines()
    )


def test_two_dtypes_asked_about() -> None:
    every = [f"torch.{each}" for each in NAMES]
    asked = [f"torch.promote_types({a}, {b})" for a, b in itertools.product(every, every)]
    assert_alike([*asked, *[f"torch.promote_types({each})" for each in ("float, torch.int32", "1, 2", "torch.int8")]])


def test_two_operands_asked_about() -> None:
    operands = [*NUMBERS, *[tensor for name in NAMES for tensor in tensors(name)]]
    asked = [f"torch.result_type({a}, {b})" for a, b in itertools.product(operands, operands)]
    assert_alike([*asked, "torch.result_type(tensor=torch.ones(1), other=2)"])


def test_constants() -> None:
    names = [*FLOATING, *INTEGERS, "torch.bool"]
    assert_alike(
        [
            "torch.inf, -torch.inf, torch.nan, torch.pi, torch.e, torch.newaxis",
            "torch.ones(3)[:, torch.newaxis]",
            *[f"{name}.{what}" for name in names for what in ("is_signed", "is_complex", "is_floating_point")],
            *[f"torch.zeros(1, dtype={name}).is_signed()" for name in names],
            "torch.is_complex(torch.ones(1)), torch.ones(1).is_complex(), torch.is_signed(torch.ones(1))",
            "torch.is_complex(1)",
        ]
    )


# --- the default dtype ---------------------------------------------------------------------------

MADE = [
    "torch.tensor([1., 2.5]), torch.tensor([1, 2]), torch.tensor([True]), torch.tensor(1.5), torch.tensor([])",
    "[torch.tensor([1., 2.5], dtype=each) for each in (torch.float16, torch.float32, torch.float64)]",
    "[torch.tensor([], dtype=each) for each in (torch.float16, torch.float32, torch.float64, torch.int64, torch.bool)]",
    "torch.zeros(2, 0), torch.zeros(0, 2, dtype=torch.float32), torch.zeros(2, 0, dtype=torch.float64)",
    "torch.zeros(2), torch.ones(2), torch.full((2,), 1.5), torch.eye(2), torch.arange(3.), torch.linspace(0, 1, 3)",
    "torch.rand(2).dtype, torch.randn(2).dtype, torch.normal(0., 1., (2,)).dtype, torch.randint(3, (2,)).dtype",
    "torch.Tensor([1, 2]), torch.Tensor(2).dtype, torch.Tensor([1]).type(), torch.autograd.Variable().dtype",
    "torch.FloatTensor([1.]), torch.DoubleTensor([1.]), torch.HalfTensor([1.]), torch.LongTensor([1])",
    "torch.tensor(np.float32(1.5)), torch.tensor(np.array([1.5])), torch.as_tensor([1.5])",
    "torch.ones(2, dtype=float), torch.ones(2).to(float), torch.ones(2).half(), torch.ones(2).double()",
    "torch.ones(2).type(), torch.ones(2).long().type(), torch.ones(2).bool().type(), torch.ones(2).half().type()",
]
MET = [
    "i = torch.tensor([1, 2]); f = torch.tensor([1., 2.], dtype=torch.float32)",
    "i * 1.5, i + 1, i / 2, f * 1.5, f + i, i / i, i ** 0.5, 2. ** i, i.float()",
    "i.sqrt(), i.exp(), i.sin(), i.log(), i.reciprocal(), i.true_divide(2)",
    "torch.where(i > 1, 1., 0.), i.clamp(min=1.5).dtype, torch.maximum(i, f).dtype, i.mean(dtype=torch.float32)",
    "x = torch.ones(2, requires_grad=True); y = (x * 2).sum(); y.backward()",
    "x, y, x.grad, x.detach(), torch.nn.Parameter(torch.ones(2))",
    "linear = torch.nn.Linear(2, 1); adam = torch.optim.Adam(linear.parameters())",
    "linear.weight.dtype, linear.bias.dtype, torch.nn.LayerNorm(2).weight, torch.nn.Embedding(2, 2).weight.dtype",
    "linear(torch.ones(1, 2)).sum().backward(); adam.step()",
    "adam.state[linear.weight]['step'], adam.state[linear.weight]['exp_avg'].dtype, linear.weight.grad",
    "torch.nn.functional.mse_loss(x, torch.zeros(2)), torch.nn.functional.softmax(torch.tensor([1., 2.]), 0)",
    "torch.bernoulli(torch.ones(2)), torch.std(torch.tensor([1., 2.])), torch.nn.utils.clip_grad_norm_([], 1.0)",
]


@pytest.fixture(params=["float16", "float32", "float64"])
def default(request: pytest.FixtureRequest) -> Iterator[None]:
    for engine in ENGINES:
        engine.set_default_dtype(getattr(engine, request.param))
        engine.manual_seed(0)
    yield
    for engine in ENGINES:
        engine.set_default_dtype(engine.float32)


@pytest.mark.usefixtures("default")
@pytest.mark.parametrize("line", MADE)
def test_the_default_dtype_has_no_name_in_print(line: str) -> None:
    assert "Error" not in assert_alike([line, "torch.get_default_dtype()"], {"np": np})


@pytest.mark.usefixtures("default")
def test_what_is_computed_from_python_floats_has_the_default_dtype() -> None:
    assert "Error" not in assert_alike(MET)


def test_what_is_no_default() -> None:
    names = ["torch.int64", "torch.bool", "'float64'", "float", "3", "None"]
    assert assert_alike([f"torch.set_default_dtype({name})" for name in names]).count("TypeError") == len(names)
    assert_alike(["torch.get_default_dtype()", "torch.float32.itemsize, torch.float16.is_floating_point"])
