"""torch.nn where a text does not tell: copies, first values bit for bit, dropout, the short form of a gradient."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from engines import ENGINES, each_of

import minigrad
from minigrad.ops import softmax


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_of_a_module_has_memory_of_its_own_and_keeps_what_is_tied(way: str) -> None:
    net = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    again = copy.deepcopy(net) if way == "deepcopy" else pickle.loads(pickle.dumps(net))
    assert again[1].weight is again[0].weight
    with minigrad.no_grad():
        again[0].weight.fill_(0)
    assert net[0].weight.abs().sum().item() > 0
    assert repr(again) == repr(net)


@each_of(dtype=["float32", "float64"], sizes=[(1, 1), (3, 2), (7, 5), (40, 30)], bias=[True, False])
def test_the_first_values_of_linear_are_torchs_bit_for_bit(dtype: str, sizes: tuple[int, int], bias: bool) -> None:
    for seed in (0, 1, 2**40):
        layers = []
        for engine in ENGINES:
            engine.manual_seed(seed)
            layer = engine.nn.Linear(*sizes, bias=bias, dtype=getattr(engine, dtype))
            layers.append([each.detach().numpy() for each in (*layer.parameters(), engine.rand(3))])
        for theirs, ours in zip(*layers, strict=True):
            assert theirs.dtype == ours.dtype
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("rate", [0.3, 0.5, 0.9])
def test_dropout_keeps_what_the_rule_of_the_generator_says(rate: float) -> None:
    """Two words for each entry make a float64 number, which is kept below 1 - p: so torch draws on most processors."""
    minigrad.manual_seed(5)
    x = minigrad.arange(1.0, 31.0).reshape(5, 6).requires_grad_()
    y = minigrad.nn.Dropout(rate)(x)
    drawn = minigrad.Generator().manual_seed(5)
    kept = minigrad.rand(5, 6, dtype=minigrad.float64, generator=drawn) < 1 - rate
    expected = kept.float() * minigrad.tensor(1 / (1 - rate))
    assert (y == x * expected).all()
    y.sum().backward()
    assert (x.grad == expected).all()


def test_dropout_in_both_engines_scales_what_it_keeps() -> None:
    for engine in ENGINES:
        engine.manual_seed(0)
        x = engine.ones(1000, requires_grad=True)
        y = engine.nn.functional.dropout(x, 0.25)
        assert set(y.tolist()) == {0.0, engine.tensor(1 / 0.75).item()}
        assert 650 < (y > 0).sum().item() < 850
        y.sum().backward()
        assert engine.equal(x.grad, y.detach())
        assert y.grad_fn.name() == "MulBackward0"


def test_the_short_form_of_a_gradient_is_the_whole_one_to_the_last_bit() -> None:
    x = minigrad.randn(50, 10, requires_grad=True)
    classes = minigrad.randint(0, 10, (50,))
    grads = []
    for watched in (False, True):
        loss = minigrad.nn.functional.cross_entropy(x, classes)
        if watched:
            loss.grad_fn.register_hook(lambda *_: None)
        (loss * 3).backward()
        grads.append(x.grad.numpy())
        x.grad = None
    assert (grads[0] == grads[1]).all()
    picked = softmax.SparseGrad(np.array([1, 6]), np.float32(2), (2, 4), np.dtype(np.float32))
    whole = np.array([[0, 2, 0, 0], [0, 0, 2, 0]], np.float32)
    assert (np.asarray(picked) == whole).all()
    assert (0 + picked == whole).all()
    assert (whole + picked == 2 * whole).all()
