"""Whole Jacobians: the third chapter, `autograd.functional` and `gradcheck` give what torch gives."""

import pytest
from engines import assert_alike, each_of

import minigrad
from minigrad import jacobian, leaf, parts

SETUP = [
    "AF = torch.autograd.functional; G = torch.autograd.gradcheck; GG = torch.autograd.gradgradcheck",
    "A = torch.tensor([[1., 2.], [0., 3.], [4., 1.]]); x = torch.tensor([1., 2.]); u = torch.tensor([3.])",
    "def double(*values): return torch.tensor(values, dtype=torch.float64, requires_grad=True)",
    "w = torch.tensor([2., 3.], requires_grad=True); d = double(1., 2.)",
    "def f(t): return torch.stack([t[0] * t[1], t[1] ** 2, 5 * t[0]])",
    "def g(t): return (t**3).sum() + t[0] * t[1]",
    "def h(s, t): return (s**2).sum() * t.sum() ** 2",
]
MATRIX = "torch.tensor([[1., 2., 3.], [4., 5., 6.]])"

FUNCTIONAL = [
    # the Jacobian
    "AF.jacobian(f, x)",
    "AF.jacobian(lambda t: t * 2, torch.tensor(3.)), AF.jacobian(f, w).requires_grad",
    f"AF.jacobian(lambda t: t.sum(dim=1) * t[0, 0], {MATRIX})",
    "AF.jacobian(torch.sum, x), AF.jacobian(lambda t: t.sum().reshape(1, 1), x)",
    "AF.jacobian(lambda s, t: s.sum() * t**2, (x, u))",
    "AF.jacobian(lambda s, t: s * 2, (x, u))",
    "AF.jacobian(lambda t: (t * t, t.sum()), x)",
    "AF.jacobian(lambda t: (t * t,), (x,))",
    "AF.jacobian(lambda s, t: (s * t, s.sum()), (x, u))",
    "AF.jacobian(lambda t: torch.ones(3), x)",
    "AF.jacobian(lambda t: t.detach() * 2, x)",
    "AF.jacobian(lambda t: w * t, x), w.grad",
    "with torch.no_grad(): print(AF.jacobian(f, x))",
    "AF.jacobian(f, x, vectorize=True), AF.jacobian(lambda s, t: (s * t, s.sum()), (x, u), vectorize=True)",
    "AF.jacobian(f, x, strict=True)",
    "AF.jacobian(lambda t: torch.ones(2), x, strict=True)",
    "AF.jacobian(lambda t: (t * 2, t.detach()), x, strict=True)",
    "AF.jacobian(lambda s, t: s * 2, (x, u), strict=True)",
    "AF.jacobian(lambda s, t: (s * t, t * 2), (x, u), strict=True)",
    "AF.jacobian(lambda t: t * 2, x, strict=True, create_graph=True)",
    "AF.jacobian(lambda t: t * 2, w, strict=True, create_graph=True)",
    "AF.jacobian(lambda t: t * t, w, strict=True, create_graph=True)",
    "AF.jacobian(lambda t: t * 2, [1., 2.])",
    "AF.jacobian(lambda t: t * 2, (x, 1.))",
    "AF.jacobian(lambda t: 3., x)",
    "AF.jacobian(lambda t: (t, None), x)",
    "AF.jacobian(lambda t: [t], x)",
    "AF.jacobian(lambda t: t, torch.tensor([1, 2]))",
    "AF.jacobian(lambda t: t[:0], x)",
    "AF.jacobian(lambda t: t.sum(), x[:0]), AF.jacobian(lambda t: x * t.sum(), x[:0]).shape",
    "AF.jacobian(lambda t: t**3, w, create_graph=True)",
    "J = AF.jacobian(lambda t: t**3, w, create_graph=True); J.sum().backward(); print(w.grad)",
    # products with it
    "AF.vjp(f, x, torch.tensor([1., 10., 100.]))",
    "AF.vjp(lambda t: (t * t).sum(), x), AF.vjp(lambda t: t.sum().reshape(1), (x,))",
    "AF.vjp(lambda s, t: (s * t, s.sum()), (x, u), (x, torch.tensor(10.)))",
    "AF.vjp(lambda s, t: s * t, (x, u), x)",
    "AF.vjp(lambda t: torch.ones(2), x, x)",
    "AF.vjp(f, w, torch.tensor([1., 10., 100.]), create_graph=True)",
    "AF.vjp(f, x)",
    "AF.vjp(lambda t: (t.sum(), t.sum()), x)",
    "AF.vjp(f, x, x)",
    "AF.vjp(f, x, (x, x))",
    "AF.vjp(lambda t: (t, t), x, x)",
    "AF.vjp(lambda t: (t, t), x, (x, u))",
    "AF.vjp(f, x, [1., 2., 3.])",
    "with torch.no_grad(): print(AF.vjp(f, x, torch.tensor([1., 10., 100.])))",
    "AF.jvp(f, x, torch.tensor([1., 10.]))",
    "AF.jvp(lambda t: t**3, torch.tensor(2.)), AF.jvp(lambda t: (t, t * 2), u, u)",
    "AF.jvp(lambda s, t: s * t, (x, u), (x, u))",
    "AF.jvp(lambda s, t: (s * t, s.sum()), (x, u), (x, u))",
    "AF.jvp(lambda t: torch.ones(2), x, x)",
    "AF.jvp(lambda t: t * t, w, x, create_graph=True)",
    "AF.jvp(f, x)",
    "AF.jvp(f, x, torch.ones(3))",
    "AF.jvp(lambda s, t: s * t, (x, u), (x, x))",
    "AF.jvp(lambda s, t: s * t, (x, u), x)",
    "AF.jvp(f, x, (x, x))",
    "AF.jvp(lambda t: 3., x, x)",
    # second derivatives
    "AF.hessian(g, x), AF.hessian(g, (x,))",
    "AF.hessian(lambda t: (t * 3).sum(), x)",
    "AF.hessian(lambda t: t.sum().reshape(1, 1) ** 2, x)",
    "AF.hessian(h, (x, u))",
    "AF.hessian(lambda s, t: (s**2).sum(), (x, u))",
    "AF.hessian(g, w, create_graph=True)",
    "AF.hessian(g, w).requires_grad",
    "AF.hessian(g, x, vectorize=True)",
    "AF.hessian(lambda t: t * 2, x)",
    "AF.hessian(lambda t: (t.sum(), t.sum()), x)",
    "AF.hessian(lambda t: 3., x)",
    "AF.hessian(g, [1., 2.])",
    "AF.vhp(g, x, x), AF.hvp(g, x, x)",
    "AF.vhp(lambda t: t**3, torch.tensor(2.)), AF.hvp(lambda t: t**3, torch.tensor(2.))",
    "AF.vhp(h, (x, u), (x, u)), AF.hvp(h, (x, u), (x, u))",
    "AF.vhp(lambda t: (t * 3).sum(), x, x), AF.hvp(lambda t: (t * 3).sum(), x, x)",
    "AF.vhp(lambda s, t: (s**2).sum(), (x, u), (x, u)), AF.hvp(lambda s, t: (s**2).sum(), (x, u), (x, u))",
    "AF.vhp(g, w, x, create_graph=True)",
    "AF.hvp(g, w, x, create_graph=True)",
    *[
        line.format(name)
        for name in ("vhp", "hvp")
        for line in (
            "AF.{}(g, x)",
            "AF.{}(g, x, torch.ones(3))",
            "AF.{}(lambda t: t * 2, x, x)",
            "AF.{}(lambda t: (t.sum(),), x, x)",
            "AF.{}(lambda t: 3., x, x)",
        )
    ],
]
GRADCHECK = [
    "G(lambda t: t.exp() * t, d)",
    "G(lambda t: t.exp() * t, [d]), G(lambda t, n: t * n, (d, 3))",
    "G(lambda t: (t * 2, t.prod()), d), G(lambda t: t[0] * t[1], d)",
    "G(lambda t: t * t, d[0].detach().requires_grad_()), G(lambda s, t: s * t, (d, double(3., 4.)))",
    "G(lambda s, t: s @ t, (double(1., 2., 0., 3., 4., 1.).detach().reshape(3, 2).requires_grad_(), d))",
    "G(lambda t: t * 2, x.requires_grad_())",
    "G(lambda s, t: s * t, (d, x.requires_grad_()), raise_exception=False)",
    "G(lambda t: t * t.detach(), d)",
    "G(lambda t: t * t.detach(), d, raise_exception=False)",
    "G(lambda t: (t * 2, t * t.detach()), d)",
    "G(lambda t: (t.detach() * 3, t * t.detach()), d)",
    "G(lambda s, t: s * t.detach() * t, (d, double(3., 4.)))",
    "G(lambda t: torch.stack([t[0], t.detach()[0] * t[1], t[1]]), d)",
    "G(lambda t: t.detach(), d)",
    "G(lambda t: torch.ones(2), d)",
    "G(lambda t: t * 2, x)",
    "G(lambda t: t * d, d)",
    "G(torch.sum, d, eps=1e-3), G(lambda t: t**3, d, eps=0.1, atol=0.1)",
    "G(lambda t: t**3, d, eps=0.1, raise_exception=False)",
    "G(lambda t: t**3, d, eps=0.1, rtol=0.1)",
    "G(lambda t: t * 2, d.detach())",
    "G(lambda t: t.abs(), double(0.))",
    "G(lambda t: t / 0, d)",
    "G(lambda t: t.sqrt(), double(0.))",
    "G(lambda t: (_ for _ in ()).throw(ValueError('mine')), d, raise_exception=False)",
    "G(lambda t: t * 2, d, fast_mode=True), G(lambda t: t * 2, d, check_undefined_grad=False)",
    "GG(lambda t: t**3, d), GG(lambda s, t: (s * t, s.exp()), (d, double(3., 4.)))",
    "GG(lambda t: t**3, d, double(1., 2.)), GG(lambda t: t**2 * t.detach(), d, raise_exception=False)",
    "GG(lambda t: t**2 * t.detach(), d, double(1., 2.))",
    "torch.manual_seed(0); GG(lambda t: t**2 * t.detach(), d)",
    "torch.manual_seed(0); print(GG(lambda t: t**3, d), torch.rand(2))",
    "GG(lambda t: t**3, d, check_fwd_over_rev=False), GG(lambda t: t * 2, d.detach())",
    "print(G(lambda t: t * t, d), d.grad, d, d._version)",
    "G(lambda t: t * t, double()), G(lambda t: t[:0], d), G(lambda s, t: (s.sum() + t, s), (double(), d))",
]
WRONG = """
def made(forward, backward):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("MyF", (torch.autograd.Function,), body)
"""
WRONG_FUNCTIONS = [
    # 2t, whatever arrives: right for ones only, and for one number it takes an upstream gradient of zero to see it
    "G(made(lambda ctx, t: t * 2, lambda ctx, g: g * 0 + 2).apply, d)",
    "G(made(lambda ctx, t: t * 2, lambda ctx, g: g * 0 + 2).apply, double(1.))",
    "G(made(lambda ctx, t: t * 2, lambda ctx, g: g * 3).apply, d)",
    "G(made(lambda ctx, t: t * 2, lambda ctx, g: None).apply, d)",
    "G(made(lambda ctx, t: t * 2, lambda ctx, g: torch.ones(3)).apply, d)",
    "type(torch.autograd.gradcheck).__name__",
]


@each_of(line=FUNCTIONAL)
def test_functional(line: str) -> None:
    assert_alike([*SETUP, line])


@each_of(line=GRADCHECK)
def test_gradcheck(line: str) -> None:
    assert_alike([*SETUP, line])


@each_of(line=WRONG_FUNCTIONS)
def test_gradcheck_finds_what_is_wrong_with_a_function(line: str) -> None:
    assert_alike([*SETUP, WRONG, line])


def test_gradcheck_says_what_it_does_not_check() -> None:
    x = minigrad.tensor([1.0], requires_grad=True)
    for other in ("check_forward_ad", "check_batched_grad", "check_batched_forward_grad", "nondet_tol"):
        with pytest.raises(NotImplementedError, match="one gradient at a time"):
            minigrad.autograd.gradcheck(lambda t: t * t, x, **{other: True})


# --- the chapter itself ---------------------------------------------------------------------------


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
    """What a program reaches through torch's names follows a part that was replaced."""
    functional, gradcheck = minigrad.autograd.functional, minigrad.autograd.gradcheck
    x = minigrad.tensor([1.0, 2.0], dtype=minigrad.float64, requires_grad=True)
    uses = {
        "vjp": lambda: functional.vjp(lambda t: t.sum(), x),
        "jvp": lambda: functional.jvp(lambda t: t * t, x, x),
        "slices": lambda: functional.jacobian(lambda t: t * t, x),
        "jacobian": lambda: functional.jacobian(lambda t: t * t, x),
        "hessian": lambda: functional.hessian(lambda t: (t * t).sum(), x),
        "gradcheck": lambda: gradcheck(lambda t: t * t, x),
        "numeric_jacobian": lambda: gradcheck(lambda t: t * t, x),
        "agree": lambda: gradcheck(lambda t: t * t, x),
    }

    class Reached(Exception):
        pass

    def refuse(*args, **kwargs):
        raise Reached

    for name, use in uses.items():
        use()
        with parts.replace(f"jacobian.{name}", refuse), pytest.raises(Reached):
            use()


def test_the_strategy_changes_nothing() -> None:
    x = minigrad.tensor([1.0, 2.0])
    found = minigrad.autograd.functional.jacobian(lambda t: t * t.sum(), x, vectorize=True, strategy="forward-mode")
    assert found.tolist() == [[4, 1], [2, 5]]
    with pytest.raises(NotImplementedError, match="no forward mode"):
        minigrad.autograd.functional.hessian(lambda t: t.prod(), x, outer_jacobian_strategy="forward-mode")


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp", "hessian"])
def test_only_the_jacobian_may_be_strict(name: str) -> None:
    x = minigrad.tensor([1.0, 2.0])
    with pytest.raises(NotImplementedError, match=f"minigrad's {name} has no strict=True"):
        getattr(minigrad.autograd.functional, name)(lambda t: (t * t).sum(), x, strict=True)


def test_recording_is_left_as_it_was() -> None:
    x = leaf_of(1.0, 2.0)
    with leaf.no_grad():
        minigrad.autograd.functional.hessian(lambda t: (t * t).sum(), x)
        assert not leaf.recording
        with pytest.raises(RuntimeError):
            minigrad.autograd.functional.hessian(lambda t: t * t, x)
        assert not leaf.recording
