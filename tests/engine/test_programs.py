"""The writer of random programs finds what it is there to find.

The programs themselves run in `test_programs_of_….py`, one file per topic.
"""

import pytest
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
