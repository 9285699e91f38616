"""torch.linalg on both engines: values, nodes, first and second derivatives, stacks of matrices, refusals."""

import numpy as np
import pytest
from engines import ENGINES, assert_alike, each_of
from hypothesis import given, settings
from hypothesis import strategies as st
from test_nn import numbers_alike

# of two engines the signs of eigenvectors and singular vectors may differ: these results do not depend on them
CALLS = [
    "torch.linalg.inv({})",
    "torch.inverse({})",
    "{}.inverse()",
    "torch.linalg.det({})",
    "{}.det()",
    "torch.linalg.slogdet({}).logabsdet",
    "torch.slogdet({})[1]",
    "torch.linalg.solve({}, {} ** 2)",
    "torch.linalg.solve({}, {}[..., 0])",
    "torch.linalg.solve({}, torch.arange(3.).double())",
    "torch.linalg.cholesky({} @ {}.mT + 1)",
    "torch.linalg.qr({}).R",
    "torch.linalg.qr({}).Q",
    "torch.linalg.qr({}[..., :2])[0]",
    "torch.linalg.eigh({} @ {}.mT)[0]",
    "torch.linalg.eigh({} @ {}.mT).eigenvectors ** 2",
    "torch.linalg.svd({}).S",
    "torch.linalg.svd({}).U ** 2",
    "torch.linalg.svd({}, full_matrices=False).Vh ** 2",
    "torch.linalg.svd({}[..., :2], False)[0] ** 2",
    "torch.linalg.svd({}[..., :2, :], False)[2] ** 2",
]


def of(call: str, matrix: str) -> str:
    return call.replace("{}", matrix)


@each_of(call=CALLS, matrix=["s", "torch.stack([s, s.mT @ s])"])
def test_first_and_second_derivatives(call: str, matrix: str) -> None:
    numbers_alike(of(call, matrix))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.sampled_from(CALLS), st.integers(1, 2**30))
def test_matrices_drawn_at_random(call: str, seed: int) -> None:
    found = []
    matrix = np.random.default_rng(seed).normal(size=(2, 3, 3)) + 3 * np.eye(3)
    for engine in ENGINES:
        s = engine.tensor(matrix, requires_grad=True)  # type: ignore[attr-defined]
        value = eval(of(call, "s"), {"torch": engine, "s": s})
        if value.requires_grad:
            value.cos().sum().backward()
        found.append([value.detach().numpy(), 0 if s.grad is None else s.grad.numpy()])
    for own, other in zip(*found, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-7, atol=1e-9)


SETUP = ["L = torch.linalg", "a = torch.tensor([[2., 1.], [0.5, 3.]], requires_grad=True); i = torch.ones(2, 2).long()"]
PRINTED = [
    "L.inv(a), L.det(a), L.slogdet(a), L.solve(a, a[0]), L.cholesky(a @ a.T)",
    "L.qr(torch.eye(2)), L.eigh(torch.diag(torch.tensor([1., 2.])))[0], L.svd(a).S",
    "type(L.svd(a)), len(L.svd(a))",
    "L.slogdet(-torch.eye(3)), L.slogdet(torch.zeros(2, 2)), L.det(torch.zeros(0, 0)), L.inv(torch.zeros(0, 2, 2))",
    "L.svd(torch.ones(2, 3))[2].shape, L.svd(torch.ones(2, 3), False)[2].shape, L.qr(torch.ones(2, 3))[1].shape",
]
NAMES = ["inv", "det", "slogdet", "cholesky", "qr", "eigh", "svd"]
REFUSED = [
    "L.solve(torch.ones(2, 2), torch.ones(2))",
    "L.solve(torch.eye(2), torch.ones(3))",
    "L.solve(torch.eye(2), torch.ones(3, 2))",
    "L.solve(torch.eye(2), torch.ones(2).double())",
    "L.solve(torch.ones(2, 3), torch.ones(2))",
    "L.solve(i, i)",
    "L.solve(a)",
    "L.inv(3)",
    *(f"L.{name}(torch.ones(3))" for name in NAMES),
    *(f"L.{name}(torch.ones(2, 3))" for name in NAMES[:4]),
    *(f"L.{name}(i)" for name in NAMES if name != "eigh"),
    *(f"L.{name}(torch.ones(2, 2).half())" for name in NAMES),
]


@each_of(line=[*PRINTED, *REFUSED])
def test_what_is_printed_and_what_is_refused(line: str) -> None:
    assert_alike([*SETUP, line])


def test_a_matrix_without_an_inverse() -> None:
    for engine in ENGINES:
        error = engine.linalg.LinAlgError  # type: ignore[attr-defined]
        assert issubclass(error, RuntimeError)
        with pytest.raises(error, match=r"linalg\.inv: .*because the input matrix is singular\.$"):
            engine.linalg.inv(engine.ones(2, 2))  # type: ignore[attr-defined]
        with pytest.raises(error, match=r"linalg\.cholesky: .*because the input is not positive-definite"):
            engine.linalg.cholesky(-engine.eye(2))  # type: ignore[attr-defined]


def test_the_graph() -> None:
    lines = [f"L.{name}(a)" for name in ("inv", "det")] + [
        f"L.{name}(a)[0]" for name in ("slogdet", "qr", "eigh", "svd")
    ]
    lines = [f"{each}.grad_fn" for each in lines]
    assert_alike([*SETUP, *[f"print({each}.name(), {each}.next_functions[0][0].name())" for each in lines]])
