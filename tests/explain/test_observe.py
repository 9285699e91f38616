"""The observer disturbs nothing, forgets what no longer matters, and leaves no trace."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from minigrad_course.explain.observing.observe import KEPT, PASSES, Observer
from minigrad_course.explain.observing.places import Frames


def watch() -> Observer:
    """An observer for which this file is the program."""
    return Observer(Frames({__file__}))


def trained() -> list[float]:
    """Losses of a net with layers of several kinds, dropout, and a closure."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Dropout(0.3), nn.Flatten(), nn.Linear(48, 2)
    )
    first, second = torch.optim.Adam(net.parameters(), 0.01), torch.optim.LBFGS(net[-1].parameters(), max_iter=3)
    x, y, losses = torch.randn(4, 1, 6, 6), torch.tensor([0, 1, 0, 1]), []

    def closure() -> Any:
        second.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        return loss

    for turn in range(12):
        first.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        first.step()
        losses.append(loss.item())
        if turn % 4 == 0:
            losses.append(second.step(closure).item())
    return [*losses, torch.rand(1).item()]


def test_numbers_are_the_same_to_the_last_bit_and_nothing_stays_replaced() -> None:
    replaced = [torch.optim.Optimizer.__init__, torch.optim.Optimizer.zero_grad, nn.Module.zero_grad]
    replaced += [torch.autograd.backward, nn.Parameter.__new__, torch.autograd.function.BackwardCFunction.apply]
    alone = trained()
    with watch() as seen:
        watched = trained()
    assert watched == alone and seen.passes.count > 12
    assert replaced[:3] == [torch.optim.Optimizer.__init__, torch.optim.Optimizer.zero_grad, nn.Module.zero_grad]
    assert replaced[3:5] == [torch.autograd.backward, nn.Parameter.__new__]
    assert torch._C._len_torch_function_stack() == 0


def test_where_looking_would_raise_it_lets_go() -> None:
    with watch():
        base = torch.ones(3, requires_grad=True) * 1
        with torch.no_grad():
            view = base[:2]
        base.add_(1)
        with torch.no_grad():
            view.add_(1)
            view.mul_(2)
        assert view.tolist() == [6.0, 6.0]
        w = torch.tensor(3.0, requires_grad=True)
        slope = torch.func.grad(lambda x: w * x**2)(torch.tensor(2.0))
        slope.backward()
        assert w.grad is not None and w.grad.item() == 4.0
        rows = torch.func.vmap(torch.func.jacrev(lambda x: x.sin() * w))(torch.ones(2, 3))
        assert rows.shape == (2, 3, 3)
        with torch.inference_mode():
            assert (torch.ones(2) * 2).sum().item() == 4.0


def test_after_a_step_that_fails_it_goes_on_watching() -> None:
    class Fails(torch.optim.SGD):
        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            raise RuntimeError("no")

    with watch() as seen:
        w = torch.ones(1, requires_grad=True)
        optimizer = Fails([w], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (w * 2).sum().backward()
            with pytest.raises(RuntimeError, match="no"):
                optimizer.step()
    assert seen.passes.count == 3
    assert [event.info["reached"][0].now is None and event.info["loss"] for event in seen.passes] == [2.0] * 3


def test_what_came_long_ago_is_forgotten() -> None:
    with watch() as seen:
        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1e-4)
        state = torch.zeros(2)
        for _ in range(1500):
            optimizer.zero_grad()
            state = (state * 0.5 + w).detach()
            loss = ((w - state) ** 2).sum()
            loss.backward()
            optimizer.step()
    assert seen.passes.count == 1500 and len([*seen.passes]) == 2 * PASSES
    assert seen.log.count > 2 * KEPT >= len([*seen.log])
    assert len(seen.records) < 50
    made, depth = seen.record(state).made, 0
    while made is not None and made.ins:
        made, depth = next((one.made for one in made.ins if one.made is not None), None), depth + 1
    assert depth < 2 * KEPT  # the chain of what a state was made of ends
