"""What ordinary programs met once: values at the edge of a dtype, and one error where there were two."""

import traceback

import numpy as np
import pytest
import torch
from engines import assert_alike, each_of

import minigrad

SETUP = [
    "u, s = torch.tensor([7, 8], dtype=torch.uint8), torch.tensor([1, 100], dtype=torch.int8)",
    "h = torch.tensor([300.] * 40, dtype=torch.float16)",
    "wide = h * torch.arange(40).to(torch.float16) / 10",
    "F = torch.nn.functional",
    "nan = float('nan')",
]


@each_of(
    lines=[
        "u * -1; u + 300; u - 9; -1 * u; u // -2; 300 + u; u % 5; u.add(300); s * 3; s + 200; s - 300; s << 1",
        "u < 300; u == -1; s > 1000; s != 300; torch.maximum(s, s); u & 300; torch.where(u > 7, u, -2)",
        "s.clamp(max=1000); s.clamp(min=-1000); s.clamp(1, 50); s.clamp_min(1000); s.clamp_max(-1000)",
        "u.clamp(max=300); u >= 263; u <= -1; u.eq(263)",
        "s.add_(300); s; u.mul_(-1); u; s.fill_(300)",
        "h.norm(); F.normalize(h, dim=0); F.layer_norm(wide, (40,)); F.cosine_similarity(h, h, dim=0); h.norm(3)",
        "torch.unique(torch.tensor([nan, 1., nan, 1.]), return_counts=True); torch.tensor([nan, nan]).unique()",
        "torch.cross(torch.tensor([1., 2., 3.]), torch.tensor([1, 2, 3]), dim=0)",
        "torch.optim.Optimizer([torch.nn.Parameter(torch.ones(1))], {}).step()",
        "torch.__version__.split('+')[0]; tuple(map(int, torch.__version__.split('+')[0].split('.')))",
    ]
)
def test_values_are_torch_s(lines: str) -> None:
    assert_alike([*SETUP, *lines.split("; ")])


@each_of(
    size=[1, 3, 7, 8, 31, 32, 63, 64, 65, 100, 255, 256, 257, 511, 512, 700, 3000, 16384], dtype=["float32", "float64"]
)
def test_a_mean_is_the_sum_divided_to_the_last_bit(size: int, dtype: str) -> None:
    numbers = np.random.default_rng(size).standard_normal(size).astype(dtype) * 100
    theirs, ours = torch.tensor(numbers), minigrad.tensor(numbers)
    assert ours.mean().item() == theirs.mean().item() == (ours.sum() / size).item() == ours.mean(0).item()
    assert ours.sum().item() == theirs.sum().item()


@each_of(
    expression="""x ** 3; x ** 0.5; F.binary_cross_entropy_with_logits(x, t); F.gelu(x); F.elu(x - 1)
    F.layer_norm(x, (2,))
    torch.std_mean(x)[0]; torch.var_mean(x)[1]; F.softplus(x); F.softmax(x, 0)
    F.binary_cross_entropy_with_logits(x, t, pos_weight=t); F.binary_cross_entropy_with_logits(x, t, reduction='sum')
    F.binary_cross_entropy_with_logits(x, t, weight=t)""".replace("\n", ";").split(";")
)
def test_a_gradient_of_a_gradient_has_torch_s_node(expression: str) -> None:
    assert_alike(
        [
            "F = torch.nn.functional",
            "x, t = torch.tensor([0.5, 1.5], requires_grad=True), torch.tensor([0.25, 0.75])",
            f"y = ({expression.strip()})",
            "g = torch.autograd.grad(y.sum(), x, create_graph=True)[0]",
            "g; g.sum().requires_grad and torch.autograd.grad((g * g).sum(), x)",
        ]
    )


@pytest.mark.parametrize(
    "expression",
    [
        "zeros(3) + zeros(4)",
        "zeros(3).add_(zeros(4))",
        "where(zeros(3) > 0, zeros(2), zeros(3))",
        "maximum(zeros(3), zeros(4))",
        "zeros(2, 3) @ zeros(2, 3)",
    ],
)
def test_shapes_that_do_not_meet_are_one_error(expression: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        eval(expression, vars(minigrad) | {name: getattr(minigrad, name) for name in ("maximum", "where")})
    text = "".join(traceback.format_exception(caught.value))
    assert "During handling" not in text and "ValueError" not in text


FOREIGN = torch.ones(2)


@each_of(
    use={
        "operator": lambda x: x + FOREIGN,
        "reflected": lambda x: FOREIGN * x,
        "matmul": lambda x: x @ FOREIGN,
        "function": lambda x: minigrad.exp(FOREIGN),
        "several": lambda x: minigrad.stack([x, FOREIGN]),
        "gradient": lambda x: (x * 1).backward(FOREIGN),
        "layer": lambda x: minigrad.nn.Linear(2, 1)(FOREIGN),
        "loss": lambda x: minigrad.nn.functional.mse_loss(x, FOREIGN),
        "parameter": lambda x: minigrad.nn.Parameter(FOREIGN),
        "optimizer": lambda x: minigrad.optim.SGD([torch.nn.Parameter(FOREIGN)], lr=0.1),
        "index": lambda x: x[torch.tensor([0])],
        "assigned": lambda x: minigrad.zeros(2).__setitem__(0, FOREIGN[0]),
    }.items()
)
def test_a_tensor_of_torch_itself_is_told_what_to_do(use: tuple) -> None:
    with pytest.raises((TypeError, IndexError), match=r"torch's own Tensor \(minigrad.tensor\(x\) makes minigrad's of"):
        use[1](minigrad.ones(2, requires_grad=True))


def test_its_numbers_can_be_copied() -> None:
    copied = minigrad.tensor(FOREIGN * 2)
    assert type(copied) is minigrad.Tensor and copied.tolist() == [2, 2] and not copied.requires_grad
    assert minigrad.tensor(torch.ones(2, dtype=torch.float64)).dtype is minigrad.float64


@each_of(expression=["x * 1j", "1j * x", "x + 1j", "x / 2j", "x ** 1j", "minigrad.tensor([1j])"])
def test_complex_numbers_are_not_there(expression: str) -> None:
    with pytest.raises(NotImplementedError, match="minigrad has no complex numbers"):
        eval(expression, {"x": minigrad.ones(2), "minigrad": minigrad})
