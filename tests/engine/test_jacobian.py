"""The third chapter: shapes, what it leaves as it was, and that its parts are used."""

import pytest

import minigrad
from minigrad import jacobian, leaf, parts
from minigrad.passing import batches


def leaf_of(*values: float) -> minigrad.Tensor:
    return minigrad.tensor([*values], requires_grad=True)


def test_shapes() -> None:
    x = minigrad.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    s = minigrad.tensor(2.0, requires_grad=True)
    y = (x * s).sum(1)
    assert jacobian.jacobian(y, x).shape == (2, 2, 3)
    assert jacobian.jacobian(y, s).shape == (2,)
    assert jacobian.jacobian(y.sum(), x).shape == (2, 3)
    assert [each.shape for each in jacobian.jacobian(y, (x, s))] == [(2, 2, 3), (2,)]
    assert [[each.shape for each in row] for row in jacobian.jacobian((y, y.sum()), (x, s))] == [
        [(2, 2, 3), (2,)],
        [(2, 3), ()],
    ]
    assert jacobian.hessian((y * y).sum(), x).shape == (2, 3, 2, 3)
    assert [[each.shape for each in row] for row in jacobian.hessian((y * y).sum(), (x, s))] == [
        [(2, 3, 2, 3), (2, 3)],
        [(2, 3), ()],
    ]
    assert jacobian.numeric_jacobian(lambda t: t.sum(1), x).shape == (2, 2, 3)
    assert jacobian.numeric_jacobian(lambda t: t * 2, s.detach()).shape == ()
    assert jacobian.weighted_sum(jacobian.jacobian(y, x), minigrad.ones(2)).shape == (2, 3)


def test_the_graph_is_kept_and_gradients_are_not() -> None:
    x = leaf_of(1.0, 2.0)
    y = x * x
    for _ in range(2):
        assert jacobian.jacobian(y, x).tolist() == [[2, 0], [0, 4]]
    assert x.grad is None and not jacobian.jacobian(y, x).requires_grad
    assert jacobian.jacobian(y, x, create_graph=True).requires_grad


def test_numeric_jacobian_puts_the_memory_back() -> None:
    x = leaf_of(1.0, 2.0)
    jacobian.numeric_jacobian(lambda t: t * t, x)
    assert x.tolist() == [1, 2] and x._version == 0


def test_no_part_of_the_chapter_is_held_by_another_name() -> None:
    """What torch's names reach follows what was replaced; the parts of exercises are asked in `test_graph.py`."""
    functional, gradcheck = minigrad.autograd.functional, minigrad.autograd.gradcheck
    x = minigrad.tensor([1.0, 2.0], dtype=minigrad.float64, requires_grad=True)
    uses = {
        "vjp": lambda: functional.vjp(lambda t: t.sum(), x),
        "jacobian": lambda: functional.jacobian(lambda t: t * t, x),
        "gradcheck": lambda: gradcheck(lambda t: t * t, x),
    }

    class Reached(Exception):
        pass

    def refuse(*args, **kwargs):
        raise Reached

    for name, use in uses.items():
        use()
        with parts.replace(f"jacobian.{name}", refuse), pytest.raises(Reached):
            use()


def test_recording_is_left_as_it_was() -> None:
    x = leaf_of(1.0, 2.0)
    with leaf.no_grad():
        minigrad.autograd.functional.hessian(lambda t: (t * t).sum(), x)
        assert not leaf.recording
        with pytest.raises(RuntimeError):
            minigrad.autograd.functional.hessian(lambda t: t * t, x)
        assert not leaf.recording


def test_the_rows_go_through_the_graph_together_unless_somebody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    functional, seen = minigrad.autograd.functional, []
    x = minigrad.tensor([0.5, -1.0, 2.0])

    class Own(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return t * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append("backward")
            return grad * 2

    def hooked(t: minigrad.Tensor) -> minigrad.Tensor:
        y = t * 2
        y.register_hook(lambda grad: seen.append("hook"))
        return y.tanh()

    def count(function) -> tuple[int, int]:
        seen.clear()
        monkeypatch.setattr(batches, "_walked", lambda *given, walk=walk: (seen.append("walk"), walk(*given))[1])
        found, expected = (
            functional.jacobian(function, x),
            jacobian.jacobian(function(t := x.clone().requires_grad_()), t),
        )
        assert minigrad.allclose(found, expected)
        return seen.count("walk"), seen.count("hook") + seen.count("backward")

    walk = batches._walked
    assert count(lambda t: (t * 2).tanh()) == (1, 0)
    assert count(hooked) == count(lambda t: Own.apply(t).tanh()) == (0, 6)
    with parts.replace("jacobian.slices", lambda *given, ours=jacobian.slices: (seen.append("hook"), ours(*given))[1]):
        assert count(lambda t: t.tanh()) == (0, 2)
    monkeypatch.setattr(functional, "ROWS", 2)
    assert count(lambda t: (t * 2).tanh()) == (2, 0)
