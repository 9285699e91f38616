"""Many entries are computed block by block, and a gradient that nobody else holds is not copied: it does not show."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import minigrad
from minigrad.arithmetic import numerics, special, summing
from minigrad.arithmetic.blocks import MANY, chosen
from minigrad.graph import owning
from minigrad.ops import ordering

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, -1e-42, 1e30, -1e30, 0.5, -0.5, 1.0, -1.0, 25.0, -25.0]

OF_ONE = """
exp log sqrt rsqrt reciprocal sin cos tan tanh sigmoid expm1 log1p atan abs sign neg square relu
nn.functional.silu nn.functional.elu nn.functional.leaky_relu nn.functional.softplus
nn.functional.mish nn.functional.hardtanh nn.functional.logsigmoid
"""
OF_TWO = """
where maximum nn.functional.huber_loss nn.functional.smooth_l1_loss nn.functional.mse_loss
"""


def function_of(name: str) -> Callable[..., Any]:
    """The function of minigrad; a loss gives that of each entry."""
    found: Any = minigrad
    for part in name.split("."):
        found = getattr(found, part)
    if name.endswith("loss"):
        return lambda a, b: found(a, b, reduction="none")
    return (lambda a, b: found(a > b, a, b)) if name == "where" else found


def computed(function: Callable[..., Any], arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The result, and the gradients for an upstream gradient that is not the same everywhere."""
    inputs = [minigrad.tensor(item, requires_grad=True) for item in arrays]
    result = function(*inputs)
    result.backward(minigrad.tensor(arrays[-1][::-1].copy()))
    return [result.detach().numpy(), *[item.grad.numpy() for item in inputs]]


@pytest.mark.parametrize("name", [*OF_ONE.split(), *OF_TWO.split()])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_entries_are_computed_as_few(name: str, dtype: type) -> None:
    random = np.random.default_rng(0)
    few = random.standard_normal((2, 1000)).astype(dtype)
    few[:, : len(SPECIAL)] = SPECIAL
    few[1] = random.permutation(few[1])
    arrays = [*few[: 1 if name in OF_ONE.split() else 2]]
    times = MANY // 1000 + 2
    expected = computed(function_of(name), arrays)
    found = computed(function_of(name), [np.tile(item, times) for item in arrays])
    for one, other in zip(found, expected, strict=True):
        assert without_nan(one).tobytes() == np.tile(without_nan(other), times).tobytes()


def without_nan(a: np.ndarray) -> np.ndarray:
    """The same with one nan: its sign depends on the order of a product."""
    return np.where(np.isnan(a), np.nan, a)


ROWS = {
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "layer_norm": lambda x: minigrad.nn.functional.layer_norm(x, x.shape[-1:], x.detach()[0] * 2, x.detach()[1]),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_rows_are_computed_as_few(name: str, dtype: type) -> None:
    few = np.random.default_rng(0).standard_normal((40, 50)).astype(dtype)
    times = MANY // few.size + 2
    expected = computed(ROWS[name], [few])
    upstream = few[::-1].copy()
    whole = minigrad.tensor(np.tile(few, (times, 1)), requires_grad=True)
    result = ROWS[name](whole)
    result.backward(minigrad.tensor(np.tile(upstream, (times, 1))))
    for one, other in zip((result.detach().numpy(), whole.grad.numpy()), expected, strict=True):
        assert one.tobytes() == np.tile(other, (times, 1)).tobytes()


def test_the_variance_of_many_is_torchs() -> None:
    entries = np.random.default_rng(0).standard_normal(MANY + 5).astype(np.float32) + 100
    for name in ("var", "std"):
        found = []
        for engine in (minigrad, torch):
            x = engine.tensor(entries, requires_grad=True)
            getattr(x, name)(0, keepdim=True).backward()
            found.append([getattr(x.detach(), name)().item(), x.grad.numpy()])
        assert found[0][0] == found[1][0]
        np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_choice_by_bits_is_that_of_where(dtype: type) -> None:
    random = np.random.default_rng(0)
    with np.errstate(over="ignore"):
        a = np.resize(SPECIAL, 2000).astype(dtype)
    b = random.standard_normal(2000).astype(dtype)
    for mask in (a > 0, np.broadcast_to(True, 2000), (b > 0).reshape(40, 50).T):
        shaped = [item.reshape(mask.shape) for item in (a, b)]
        for one in (shaped[0], 0, -0.0, 1.5, np.inf, dtype(0.1), np.broadcast_to(dtype(2), mask.shape)):
            for pair in ((shaped[1], one), (one, shaped[1])):
                assert chosen(mask, *pair).tobytes() == np.where(mask, *pair).tobytes()
    assert chosen(a > 0, 1, 2).dtype == np.where(a > 0, 1, 2).dtype


@pytest.mark.parametrize(("dtype", "units"), [(np.float32, 0.62), (np.float64, 2)])
def test_erf_is_as_close_as_torchs(dtype: type, units: float) -> None:
    entries = np.concatenate([np.linspace(-6.5, 6.5, 20001), np.logspace(-40, 0, 1001), SPECIAL]).astype(dtype)
    with np.errstate(all="ignore"):
        found = special.erf(entries)
    expected = np.array([math.erf(entry) for entry in entries.tolist()])
    assert np.array_equal(np.isnan(found), np.isnan(entries))
    known = ~np.isnan(entries)
    unit = np.spacing(np.maximum(abs(expected), np.finfo(dtype).tiny).astype(dtype))
    assert (abs(found - expected) / unit)[known].max() <= units
    assert np.array_equal(np.signbit(found), np.signbit(entries))


def test_gelu_of_many_is_as_close_as_torchs() -> None:
    entries = np.linspace(-8, 8, MANY + 1, dtype=np.float32)
    off = []
    for engine in (minigrad, torch):
        x = engine.tensor(entries, requires_grad=True)
        y = engine.nn.functional.gelu(x)
        y.sum().backward()
        wide = torch.tensor(entries, dtype=torch.float64, requires_grad=True)
        exact = torch.nn.functional.gelu(wide)
        exact.sum().backward()
        pairs = [(y.detach(), exact.detach()), (x.grad, wide.grad)]
        off.append([abs(np.asarray(found.numpy(), float) - right.numpy()).max() for found, right in pairs])
    assert off[0][0] <= off[1][0] and off[0][1] <= off[1][1]


def test_a_gelu_of_many_can_be_walked_twice() -> None:
    entries = np.linspace(-3, 3, MANY, dtype=np.float32)
    x = minigrad.tensor(entries, requires_grad=True)
    y = minigrad.nn.functional.gelu(x).sum()
    y.backward(retain_graph=True)
    once = x.grad.numpy().copy()
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * once, rtol=1e-6)


def test_places_found_by_partition_are_those_of_a_sort() -> None:
    random = np.random.default_rng(0)
    for shape in ((ordering.LONG + 1,), (2, ordering.LONG), (ordering.LONG, 2)):
        ties = np.round(random.standard_normal(shape) * 3)
        unknown = np.where(random.random(shape) < 0.02, np.nan, ties)
        mostly = np.where(random.random(shape) < 0.6, np.nan, ties)
        for a in (random.standard_normal(shape).astype(np.float32), ties.astype(np.int64), ties, unknown, mostly):
            axis, k = int(np.argmax(shape)), 7
            for largest in (True, False):
                expected = ordering.in_order(a, axis, largest).take(range(k), axis)
                assert np.array_equal(ordering.largest_places(a, axis, k, largest), expected)
            expected = a.argsort(axis=axis, kind="stable").take([k], axis)
            assert np.array_equal(ordering.nth_place(a, axis, k), expected)


def test_adding_at_an_index_is_that_of_numpy() -> None:
    random = np.random.default_rng(0)
    for shape in ((5,), (5, 3), (5, 300), (300, 5), (4, 5, 70)):
        full = [random.integers(0, size, (6, 7)) for size in shape]
        chosen_places: list[Any] = [tuple(full), tuple(item - 2 for item in full), random.random(shape) > 0.5]
        for axis, size in enumerate(shape):
            places = random.integers(-size * (axis % 2), size, 40)
            chosen_places += [(slice(None),) * axis + (item,) for item in (places, places.reshape(4, 10))]
        for index in [*chosen_places, random.integers(0, shape[0], 40)]:
            expected = random.standard_normal(shape).astype(np.float32)
            found, values = expected.copy(), random.standard_normal(expected[index].shape).astype(np.float32)
            np.add.at(expected, index, values)
            summing.add_at(found, index, values)
            assert found.tobytes() == expected.tobytes()
    with pytest.raises(IndexError):
        summing.add_at(np.zeros((5, 300)), np.array([5]), np.zeros((1, 300)))


# --- whose array a gradient is -------------------------------------------------------------------

SIDE = 128  # a matrix of this side is large enough to be lent


def writing(engine: Any) -> Callable[..., Any]:
    """A Function whose backward writes to what arrives."""

    class Writing(engine.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            grad *= 0
            return grad + 1

    return Writing.apply


def shared(engine: Any, a: Any, b: Any) -> None:
    ((a + b) * 3).sum().backward()


def of_a_function(engine: Any, a: Any, b: Any) -> None:
    ((a + writing(engine)(b)) * 3).sum().backward()


def of_a_hook(engine: Any, a: Any, b: Any) -> None:
    between = b * 1
    between.register_hook(lambda grad: grad.mul_(0))
    ((a + between) * 3).sum().backward()


def of_a_hook_of_a_leaf(engine: Any, a: Any, b: Any) -> None:
    a.register_post_accumulate_grad_hook(lambda leaf: [leaf.grad.mul_(0)].clear())
    ((a + b) * 3).sum().backward()


def of_a_hook_of_a_node(engine: Any, a: Any, b: Any) -> None:
    between = b * 1
    between.grad_fn.register_prehook(lambda grads: (grads[0].mul_(0),))
    ((a + between) * 3).sum().backward()


def given(engine: Any, a: Any, b: Any) -> None:
    upstream = engine.ones(SIDE, SIDE)
    (a + b).backward(upstream)
    upstream.mul_(0)


def twice(engine: Any, a: Any, b: Any) -> None:
    for _ in range(2):
        (a * b + a).backward(engine.ones(SIDE, SIDE))
    a.grad.mul_(2)


def of_a_layer(engine: Any, a: Any, b: Any) -> None:
    engine.nn.functional.linear(a, b, b[0]).sum().backward()
    engine.nn.functional.linear(b, a).sum().backward()


PROGRAMS = [of_a_layer, shared, of_a_function, of_a_hook, of_a_hook_of_a_leaf, of_a_hook_of_a_node, given, twice]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_no_two_gradients_share_an_array(program: Callable[..., None]) -> None:
    found = []
    for engine in (minigrad, torch):
        leaves = [engine.ones(SIDE, SIDE).mul_(factor).requires_grad_() for factor in (2, 5)]
        program(engine, *leaves)
        found.append([leaf.grad.unique().tolist() for leaf in leaves])
        if engine is minigrad:
            assert not np.shares_memory(*[leaf.grad.numpy() for leaf in leaves])
    assert found[0] == found[1]


def test_an_array_that_nobody_else_holds_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    x = minigrad.ones(SIDE, SIDE, requires_grad=True)
    seen = []
    monkeypatch.setattr(
        owning, "own", lambda grad, like, own=owning.own: (seen.append(id(grad._array)), own(grad, like))
    )
    x.neg().sum().backward()
    weight = minigrad.ones(SIDE, SIDE, requires_grad=True)
    minigrad.nn.functional.linear(minigrad.ones(2, SIDE), weight, minigrad.ones(SIDE)).sum().backward()
    assert seen == [id(x.grad._array), id(weight.grad._array)]
    assert weight.grad._array.flags.c_contiguous


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_factor_of_many_counts_as_one_of_few(dtype: type) -> None:
    a, c = np.random.default_rng(0).standard_normal((2, 1000)).astype(dtype)
    times = MANY // 1000 + 1
    for given in ((a, 0.1, c), (a, c, 0.1), (a, c, a), (a, dtype(0.1), c)):
        expected = np.tile(numerics.multiply_add(*given, a.dtype), times)
        many = [np.tile(item, times) if isinstance(item, np.ndarray) else item for item in given]
        assert numerics.multiply_add(*many, a.dtype).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("name", "settings"), [("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {})])
def test_an_optimizer_steps_with_many_as_with_few(name: str, settings: dict) -> None:
    start, *grads = np.random.default_rng(0).standard_normal((4, 1000)).astype(np.float32)
    found = []
    for times in (1, MANY // 1000 + 1):
        parameter = minigrad.tensor(np.tile(start, times), requires_grad=True)
        optimizer = getattr(minigrad.optim, name)([parameter], lr=0.03, **settings)
        for grad in grads:
            parameter.grad = minigrad.tensor(np.tile(grad, times))
            optimizer.step()
        found.append(parameter.detach().numpy())
    assert found[1].tobytes() == np.tile(found[0], times).tobytes()
