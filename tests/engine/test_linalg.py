"""Products of vectors, matrices and stacks, and einsum, are torch's: values, graphs, derivatives, errors."""

import itertools
import math

import pytest
from engines import assert_alike, each_of
from tracing import SETUP, assert_traced_alike, listed, look

PRODUCTS = """
    v @ v; x @ v; w @ x; x @ x.T; b @ v; b @ x.T; w @ b; x[:, :3] @ b; b @ b.mT; b @ b.mT[0]; b[0] @ b.mT
    torch.ones(5, 1, 2, 3) @ b[:, :, :2].mT.reshape(2, 2, 3).mT; b.unsqueeze(1) @ b.mT; v @ b.unsqueeze(1).mT
    b.unsqueeze(1) @ v; s @ v; v @ s; v @ w; x @ w; v @ x; x @ x; b @ b; b @ x; x @ b; b @ w; w @ b.mT
    b @ torch.ones(3, 4, 2); torch.ones(2, 2, 3, 4) @ torch.ones(3, 4, 5)
    x @ torch.ones(4, 2, dtype=torch.float64); b @ torch.ones(4, 2, dtype=torch.float64)
    b @ torch.ones(2, 4, 2, dtype=torch.float64); v @ torch.ones(4, dtype=torch.float64)
    x @ torch.ones(4, dtype=torch.float64); v @ torch.ones(4, 2, dtype=torch.float64)
    b @ torch.ones(4, dtype=torch.float64); torch.ones(4, dtype=torch.float64) @ b.mT
    torch.ones(2, 3, dtype=torch.bool) @ torch.ones(3, 2, dtype=torch.bool)
    torch.ones(2, 2, 3, dtype=torch.bool) @ torch.ones(2, 3, 2, dtype=torch.bool)
    torch.ones(2, 2, 3, dtype=torch.bool) @ torch.ones(3, 2, dtype=torch.bool)
    torch.ones(2, 2, 3, dtype=torch.int64) @ torch.ones(3, 2, dtype=torch.int64)
    torch.ones(2, 2, 3, dtype=torch.int64) @ torch.ones(2, 3, 2, dtype=torch.int64)
    torch.ones(2, 3, dtype=torch.float16) @ torch.ones(3, 2, dtype=torch.float16)
    torch.ones(2, 0) @ torch.ones(0, 3); torch.ones(2, 2, 0) @ torch.ones(2, 0, 3)
    torch.ones(0) @ torch.ones(0); torch.ones(0, 2, 3) @ torch.ones(3, 4); x @ 3; x @ [1, 2]
    torch.ones(1, 2, 3) @ torch.ones(5, 3, 2, requires_grad=True)
    torch.ones(1, 2, 3, requires_grad=True) @ torch.ones(5, 3, 2)
    torch.ones(5, 2, 3) @ torch.ones(1, 3, 2, requires_grad=True); b @ torch.ones(4, 5); b @ torch.ones(4)
    torch.ones(2, 2) @ torch.ones(3, 2, 4); torch.ones(2) @ torch.ones(3, 2, 4); b.mT @ torch.ones(3, 2)
    b.transpose(0, 1) @ torch.ones(4, 2); torch.matmul(x, x.T); torch.matmul(x, other=x.T); x.matmul(v)
    torch.mm(x, x.T); torch.mm(x, mat2=x.T); x.mm(v); v.mm(x); x.mm(x); b.mm(x)
    x.mm(torch.ones(4, 2, dtype=torch.float64)); x.mm(torch.ones(3, 2, dtype=torch.float64))
    torch.bmm(b, b.mT); b.bmm(b); b.bmm(x); x.bmm(b); b.bmm(torch.ones(3, 4, 2))
    b.bmm(torch.ones(2, 4, 2, dtype=torch.float64)); torch.mv(x, v); x.mv(w); x.mv(x); v.mv(v)
    x.mv(torch.ones(4, dtype=torch.float64)); torch.dot(v, v); v.dot(w); v.dot(x); x.dot(x)
    v.dot(torch.ones(4, dtype=torch.float64)); s.dot(s); torch.vdot(v, v).detach(); torch.inner(v, v); torch.inner(x, x)
    torch.inner(b, v); torch.inner(b, x); torch.inner(s, v); torch.inner(v, w); torch.inner(x, w)
    torch.outer(v, w); v.outer(w); v.ger(w); torch.outer(x, v); torch.outer(v, x); torch.outer(v, s)
    torch.outer(v, torch.ones(2, dtype=torch.int64)); torch.addmm(torch.ones(3), x, x.T)
    torch.addmm(w, x, x.T); torch.addmm(w, x, x.T, beta=2, alpha=3); torch.addmm(w, x, x.T, beta=0)
    torch.addmm(v, x, x.T); torch.addmm(v, x, x); torch.addmm(s, x, x.T); torch.addmm(w, x, v)
    torch.addmm(w.double(), x, x.T); torch.addmv(w, x, v).detach(); torch.addmv(w, x, v, beta=2, alpha=3).detach()
    torch.addmv(s, x, v).detach(); torch.baddbmm(torch.ones(3, 3), b, b.mT)
    torch.baddbmm(x[:, :3], b, b.mT, beta=2.0); torch.trace(x); x.trace(); v.trace(); torch.cross(w, w, dim=0)
    torch.cross(v, v, dim=0)
"""
NAMED_BY_LETTERS = """
    torch.einsum('ij,jk->ik', x, x.T); torch.einsum('ij,jk', x, x.T); torch.einsum('ij->ji', x)
    torch.einsum('ij->', x); torch.einsum('ii', x[:, :3]); torch.einsum('ii->i', x[:, :3])
    torch.einsum('ij->i', x); torch.einsum('ij,ij->i', x, x); torch.einsum('ij,ij->ij', x, x)
    torch.einsum('i,j->ij', v, w); torch.einsum('ij,jk,ki->', x, x.T, x[:, :3])
    torch.einsum('bij,bkj->bik', b, b); torch.einsum('...j,kj->...k', b, x); torch.einsum('...j->...', b)
    torch.einsum('i,i->', v, v); torch.einsum('i,i', v, v); torch.einsum('ij,j', x, v)
    torch.einsum('ij,j->i', [x, v]); torch.einsum('i->ii', v); torch.einsum('ij,jk->ik', x, x)
    torch.einsum('ij,jk->ik', x); torch.einsum('ij->k', x); torch.einsum('i', x); torch.einsum('ijk', x)
    torch.einsum('i1', x); torch.einsum('ij->ijj', x); torch.einsum('i j , j k -> i k', x, x.T)
    torch.einsum('i,i', v, 3); torch.einsum('i')
    torch.einsum('bij,bjk->bik', b, b.mT); torch.einsum('...ij,...jk->...ik', b, b.mT)
    torch.einsum('...ij->...ji', b); torch.einsum('b...,b...->...', b, b); torch.einsum('bij,jk->bik', b, x.T)
    torch.einsum('ij,kl->ijkl', x, x); torch.einsum('ij,ij->', x, x); torch.einsum('i,ij,j->', w, x, v)
    torch.einsum('i,ij,j', w, x, v); torch.einsum('ij,jk,k->i', x, x.T, w); torch.einsum('ji,j->i', x, w)
    torch.einsum('iij->j', torch.ones(2, 2, 3, requires_grad=True))
    torch.einsum('iji->j', torch.ones(2, 3, 2, requires_grad=True)); torch.einsum('ij,k->i', x, v)
    torch.einsum('ba,c->abc', x, v); torch.einsum('...,...', x, v); torch.einsum('i...->...', x)
    torch.einsum('ij,...->...', x, v); torch.einsum('ij->ij', x); torch.einsum('ij', x); torch.einsum('ji', x)
    torch.einsum(',i->i', s, v); torch.einsum('->', s); torch.einsum('ij,jk->k', x, x.T)
    torch.einsum('ii->', x); torch.einsum('...ij', v); torch.einsum('i,i,i->i', v, v, v)
    torch.einsum('ij,ij,ij->i', x, x, x); torch.einsum('i,->i', v, s); torch.tensordot(x, x.T, 1)
    torch.tensordot(x, x, 2); torch.tensordot(x, x, dims=([0], [0])); torch.tensordot(x, x, dims=0)
    torch.tensordot(b, x, dims=([1, 2], [0, 1])); torch.tensordot(x, w, 1)
"""

REFUSED = """
    torch.matmul(x, 3); torch.matmul([1], x); x.matmul(3); torch.mm(x, 3); torch.dot(v, [1]); torch.bmm(3, 3)
    torch.outer(v, 3); torch.matmul(x); torch.matmul(x1=x, x2=x.T); torch.matmul(x=x, other=x.T); x @ 3; x @ [1, 2]
    torch.linalg.matmul(x, x.T); torch.linalg.matmul(x, 3); torch.linalg.norm(x); torch.linalg.vector_norm(v, 1)
    torch.einsum('i'); torch.einsum('i,i', v, 3)
    torch.addmm(v.double(), x, x.T); torch.addmm(v[:3], x.double(), x.T); torch.addmm(v[:3], x, x.T.double())
"""


@each_of(expression=listed(PRODUCTS + NAMED_BY_LETTERS))
def test_an_expression(expression: str) -> None:
    assert_traced_alike(expression)


@each_of(expression=listed(REFUSED))
def test_what_is_taken_and_what_is_refused(expression: str) -> None:
    assert_alike([*SETUP, f"look(torch, {expression})"], {"look": look})


@each_of(
    second=["4", "4, 2", "3, 4, 2", "1, 4, 2", "2, 3, 4, 2"],
    first=["4", "5, 4", "3, 5, 4", "1, 5, 4", "2, 1, 5, 4"],
    asked=[(True, True), (True, False), (False, True)],
)
def test_matmul_takes_the_way_of_torch(first: str, second: str, asked: tuple[bool, bool]) -> None:
    shapes = zip("ab", (first, second), asked, strict=True)
    leaves = [
        f"{name} = (torch.arange(torch.ones({shape}).numel()) % 5 - 2.0).reshape({shape}).requires_grad_({wanted})"
        for name, shape, wanted in shapes
    ]
    wanted = [name for name, each in zip("ab", asked, strict=True) if each]
    assert_alike([*leaves, f"look(torch, a @ b, {', '.join(wanted)})"], {"look": look})


@each_of(dtype=["bool", "uint8", "int32", "int64", "float16", "float64"])
def test_products_in_every_dtype(dtype: str) -> None:
    lines = [f"a = torch.tensor([[1, 2], [3, 4]]).to(torch.{dtype})", "a @ a", "a @ a[0]", "a[0] @ a[1]", "a[0] @ a"]
    more = ["torch.stack([a, a]) @ a", "torch.stack([a, a]) @ torch.stack([a, a])", "a.trace()", "a[0].outer(a[1])"]
    assert_alike([*lines, *more, "torch.addmm(a, a, a)", "torch.einsum('ij,jk->ik', a, a)"])


def test_the_shorter_way_is_taken_only_where_memory_allows() -> None:
    lines = ["a = torch.arange(24.0).reshape(2, 3, 4)", "p = torch.ones(4, 2)", "look(torch, a @ p)"]
    more = ["look(torch, a.transpose(0, 1) @ p)", "look(torch, a.mT @ torch.ones(3, 2))", "look(torch, p.T @ a.mT)"]
    assert_alike([*lines, *more, "look(torch, torch.ones(0, 2, 4) @ p)"], {"look": look})


@pytest.mark.parametrize("shape", [(2, 1, 3), (1, 3, 2), (3, 1, 1), (2, 1, 3, 1), (1, 3, 1, 2), (3, 1, 2, 2)])
def test_axes_of_size_one_may_have_any_stride(shape: tuple[int, ...]) -> None:
    lines = [f"a = torch.arange({math.prod(shape)}.0).reshape{shape}.requires_grad_()"]
    for order in itertools.permutations(range(len(shape))):
        for cut in ("", "[:1]", "[:, :1]", "[:, ::2]", "[..., :1]"):
            lines += [f"s = a.permute({order}){cut}", "look(torch, s @ torch.ones(s.shape[-1], 2), a)"]
            lines += ["look(torch, torch.ones(s.shape[-2]) @ s, a)"]
    assert_alike(lines, {"look": look})


def test_sums_of_one_product_are_dot_products() -> None:
    lines = ["a = torch.tensor([[1., 2.]], requires_grad=True)", "c = torch.ones(3, 2, requires_grad=True)"]
    results = [
        "inner(a, a)",
        "inner(a[0], a)",
        "inner(a, c)",
        "tensordot(a, c, ([1], [1]))",
        "tensordot(a.T, a.T, ([0], [0]))",
    ]
    assert_alike([*lines, *(f"look(torch, torch.{each})" for each in results)], {"look": look})


def test_an_axis_of_one_entry_meets_every_other() -> None:
    lines = [
        "a = torch.ones(2, 1, requires_grad=True)",
        "c = torch.ones(3, 4)",
        "s = torch.ones(1, requires_grad=True)",
    ]
    results = ["tensordot(a, c, 1)", "tensordot(c, a, ([0], [1]))", "tensordot(c, s, 1)", "inner(s, s)", "inner(s, c)"]
    lines += [f"look(torch, torch.{each})" for each in results]
    more = ["r = torch.inner(s.detach(), s)", "torch.autograd.grad(torch.tensordot(c, s, 1).sum() + r, s)"]
    assert_alike([*lines, *more, "torch.tensordot(c, torch.ones(5), 1)"], {"look": look})


def test_values_that_are_equal_and_vectors_that_are_turned() -> None:
    lines = [
        "a = (torch.eye(3) * 2).requires_grad_(); torch.linalg.eigh(a).eigenvalues.sum().backward(); a.grad",
        "c = torch.eye(3).requires_grad_(); torch.linalg.svd(c, full_matrices=False).S.sum().backward(); c.grad",
        "b = torch.tensor([[2., 1., 0.], [1., 3., 0.5], [0., 0.5, 1.]], requires_grad=True)",
        "((torch.linalg.eigh(b)[1][0] ** 2) @ torch.tensor([1., 2., 3.])).backward(); (b.grad * 100).round()",
    ]
    assert_alike(lines)


def test_addmv_is_a_product_and_a_sum() -> None:
    lines = ["r = torch.addmv(w, x, v, beta=2, alpha=3)", "r.sum().backward()", "w.grad, x.grad, v.grad"]
    assert_alike([*SETUP, *lines])


def test_inner_asks_for_one_dtype() -> None:
    calls = [
        "torch.ones(2), torch.ones(3).double()",
        "torch.ones(2, 2), torch.ones(2).long()",
        "torch.tensor(2), torch.ones(3)",
    ]
    assert_alike([f"torch.inner({each})" for each in calls])


def test_what_is_added_to_constants_goes_back_twice() -> None:
    lines = ["a = torch.ones(2, 2)", "c = torch.ones(2, requires_grad=True)"]
    for call in ("addmm(c, a, a)", "addmv(c, a, a[0])", "baddbmm(c, a[None], a[None])"):
        assert_alike([*lines, f"r = torch.{call}.sum()", "r.backward()", "r.backward()", "c.grad"])


def test_a_zero_keeps_the_sign_it_has_in_torch() -> None:
    lines = ["a = torch.tensor([[1., -2.], [3., 4.], [0., 1.]], requires_grad=True)", "b = -torch.ones(1, 3)"]
    trace = "torch.autograd.grad(a.trace(), a, torch.tensor(-2.))"
    linear = "torch.autograd.grad(torch.addmm(b[0], w, b), w, torch.zeros(2, 3))"
    outer = "torch.autograd.grad(torch.addmm(b[0, :1], w2, b.T), w2, torch.zeros(2, 1))"
    leaves = ["w = torch.ones(2, 1, requires_grad=True)", "w2 = torch.ones(2, 3, requires_grad=True)"]
    assert_alike([*lines, *leaves, trace, linear, outer])
