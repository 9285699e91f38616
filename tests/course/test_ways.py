"""The table of ways out of the graph: each entry is what torch does, asked here in another way."""

from __future__ import annotations

import pytest
import torch

from minigrad_course.pictures import ways_table

CAN_RECORD = {"net(x)", "net.eval()(x)", "net.requires_grad_(False)(x)"}
TABLE = ways_table(torch)
ROWS = {row[0]: dict(zip(TABLE.columns[1:], row[1:], strict=True)) for row in TABLE.rows}


class Net(torch.nn.Module):
    """A layer and a dropout by hand, with weights that can be counted."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(64))

    def forward(self, x):
        return torch.nn.functional.dropout(x * self.weight, 0.5, self.training)


def run(way):
    """y by this way, with its net and its x."""
    net, x = Net(), torch.ones(64, requires_grad=True)
    names = {"net": net, "x": x, "torch": torch}
    block, _, expression = way.rpartition(": ")
    if not block:
        return eval(way, names), net, x
    with getattr(torch, block.removesuffix("()"))():
        return eval(expression, names), net, x


def word(gradient):
    return "None" if gradient is None else "filled"


@pytest.mark.parametrize("way", ROWS)
def test_a_row_says_what_torch_does(way):
    row = ROWS[way]
    y, net, x = run(way)
    assert row["recorded"] == ("yes" if way in CAN_RECORD else "no") == ("no" if y.is_leaf else "yes")
    assert row["dropout drops"] == ("yes" if (y == 0).any() else "no")
    if y.requires_grad:
        y.sum().backward()
    assert (row["weight.grad"], row["x.grad"]) == (word(net.weight.grad), word(x.grad))
    y, _, _ = run(way)
    later = torch.tensor(2.0, requires_grad=True)
    if row["usable in a later graph"] == "yes":
        (y * later).sum().backward()
        assert later.grad == y.sum()
    else:
        assert row["usable in a later graph"] == "y + s; not y * s"
        (y + later).sum().backward()
        assert later.grad == y.numel()
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            (y * later).sum()


def test_no_two_ways_are_the_same():
    different = {tuple(row.values()) for way, row in ROWS.items() if "requires_grad_()" not in way}
    assert len(different) == len(ROWS) - 2  # on these questions `detach` is as `no_grad`
    assert ROWS["net(x).detach().requires_grad_()"] == ROWS["net(x).detach()"]
