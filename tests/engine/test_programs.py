"""The writer of random programs finds what it is there to find; and every basic operation alone, without chance.

The programs themselves run in `test_programs_of_….py`, one file per topic.
"""

import pytest
import torch
from engines import assert_alike, each_of, run_line
from writer import campaign, graphs, values
from writer.sheet import Sheet

from minigrad import parts, scalar


def half_as_much(ctx, grad_output, right=scalar.Mul.backward):
    """A product whose first factor gets half of its gradient."""
    first, second = right(ctx, grad_output)
    return first if first is None else first * 0.5, second


MISTAKES = {
    "half as much": (values, "scalar.Mul.backward", staticmethod(half_as_much)),
    "changes in place that nobody counts": (graphs, "leaf.check_versions", lambda node: None),
}


@pytest.mark.parametrize(("topic", "place", "mistake"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_engine_is_found_in_a_short_program(topic, place, mistake, monkeypatch) -> None:
    monkeypatch.setattr(campaign, "PROGRAMS", 2000)
    with parts.replace(place, mistake), pytest.raises(AssertionError, match="the engines differ") as caught:
        campaign.run(topic)
    program = str(caught.value).split("--- torch")[0].splitlines()
    assert len(program) < 20


def test_what_hangs_on_rounding_is_neither_printed_nor_used() -> None:
    sheet = Sheet()
    sheet.assign("torch.tensor([1.0, 3.0])", "tensor", True)
    sheet.assign("t1.exp()", "exp")
    sheet.assign("t2.log()", "log")
    sheet.assign("t3 - t1", "sub", True)
    assert sheet.usable == ["t1", "t2", "t3"]
    assert sheet.lines[-2:] == ["t3", "t4 = t3 - t1"]


def test_an_error_does_not_end_a_program() -> None:
    sheet = Sheet()
    assert sheet.assign("torch.tensor([1, 2], requires_grad=True)", "tensor") is None
    sheet.assign("torch.tensor([1.0])", "tensor", True)
    assert sheet.lines == ["t1 = torch.tensor([1, 2], requires_grad=True)", "t2 = torch.tensor([1.0])", "t2"]
    assert sheet.used == {("tensor", "error"): 1, ("tensor", "plain"): 1}


def test_an_operation_that_no_program_uses_is_reported() -> None:
    with pytest.raises(AssertionError, match="exp with gradients"):
        campaign.demand_coverage(values, campaign.Counter({("log", "grad"): 50}), 500)


# Every operation alone: leaves a and m (2, 3), v (3,), w (2,), s (no axes). The upstream gradient is not uniform.
LEAVES = [
    "a = torch.tensor([[1., -2., 0.5], [3., 0., -1.5]], requires_grad=True)",
    "m = torch.tensor([[2., 0.5, 1.], [0.25, 4., 8.]], requires_grad=True)",
    "v = torch.tensor([2., -1., 4.], requires_grad=True)",
    "w = torch.tensor([-3., 0.5], requires_grad=True)",
    "s = torch.tensor(2., requires_grad=True)",
]
OPERATIONS = [
    *(f"{a} {sign} {b}" for sign in "+-*/" for a, b in ["am", "mv", "va", "as", "sa", ("a", "2"), ("3", "m")]),
    *("a / a", "1 / a", "m / m", "-a", "+a", "a * a", "a + a", "a - a", "s + s * s"),
    *(f"a ** {n}" for n in ("0", "1", "2", "3", "-1", "-2", "2.0", "0.5", "-0.5", "1.5")),
    *("m ** a", "a ** v", "a ** a", "m ** s", "s ** m", "2 ** a", "0.5 ** v", "0 ** m", "0 ** a", "1 ** a"),
    *("a.sum()", "a.sum(0)", "a.sum(1)", "a.sum(-1, keepdim=True)", "a.sum((0, 1))", "s.sum()", "s.sum(0)"),
    *("a.mean()", "a.mean(0)", "a.mean(1)", "a.mean(0, keepdim=True)", "a.mean((0, 1))", "s.mean()"),
    *("a.T", "a.T * m.T", "v[1]", "a[0]", "a[1, 2]", "a[-1, 0]", "a[0] * a[1]"),
    *("v @ v", "v @ m[0]", "a @ v", "w @ a", "a @ m.T", "a.T @ m", "a.T @ w", "m @ m.T @ w", "a[0] @ v"),
]


@each_of(expression=OPERATIONS)
def test_every_operation_alone(expression: str) -> None:
    names: dict = {"torch": torch}
    for line in [*LEAVES, f"r = {expression}"]:
        run_line(line, names)
    size = names["r"].numel()
    weights = (
        torch.tensor([1.0, 10.0, 100.0, -2.0, 0.5, 3.0, -1.0, 20.0, 4.0][:size]).reshape(names["r"].shape).tolist()
    )
    gradients = ["a.grad", "m.grad", "v.grad", "w.grad", "s.grad"]
    assert_alike([*LEAVES, f"r = {expression}", "r", f"r.backward(torch.tensor({weights}))", *gradients])
