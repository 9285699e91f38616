"""torch.linalg: inverses, determinants and factors of matrices, and of stacks of them.
Mirrors https://docs.pytorch.org/docs/stable/linalg.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import unsupported
from minigrad.compat.messages import warn_once
from minigrad.compat.versions import changed, refusal
from minigrad.graph import array_ops
from minigrad.graph.array_ops import call, like, raw, swap
from minigrad.ops import functions, linalg, norms, return_types
from minigrad.ops.operands import variant
from minigrad.ops.registry import call_of, register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class _LinAlgError(RuntimeError):
    """A matrix is not what a function needs: it is singular, or not positive definite."""


class Made(Function):
    """What a function of numpy makes of matrices: one array, or several. `backward` makes them again."""

    made: Callable

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, full: bool | None = None) -> np.ndarray | tuple[np.ndarray, ...]:
        ctx.save_for_backward(a)
        ctx.full, result = full, ctx.made(a) if full is None else ctx.made(a, full)
        return tuple(result) if isinstance(result, tuple) else result


class Inv(Made, name="LinalgInvExBackward0"):
    """R = A⁻¹: dL/dA = -Rᵀ G Rᵀ."""

    made = staticmethod(np.linalg.inv)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        result = call(Inv, *ctx.saved_tensors)
        return -(swap(result) @ grad_output @ swap(result))


class Solve(Function, name="LinalgSolveExBackward0"):
    """X with A X = B: dL/dB = A⁻ᵀ G, dL/dA = -dL/dB Xᵀ. B may be a `vector`."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, vector: bool) -> np.ndarray:
        result = np.linalg.solve(a, b[..., None] if vector else b)
        ctx.vector, result = vector, result[..., 0] if vector else result
        ctx.save_for_backward(a, result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        grad_b = call(Solve, swap(a), grad_output, vector=ctx.vector)
        left, right = (grad_b[..., None], result[..., None]) if ctx.vector else (grad_b, result)
        return -(left @ swap(right)), grad_b


class Det(Made, name="LinalgDetBackward0"):
    """D = det A: dL/dA = g D A⁻ᵀ. Of a singular matrix there is no derivative here."""

    made = staticmethod(np.linalg.det)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (a,) = ctx.saved_tensors
        return (grad_output * call(Det, a))[..., None, None] * swap(call(Inv, a))


class Slogdet(Made, name="LinalgSlogdetBackward0"):
    """The sign of det A, and log |det A|: dL/dA = g A⁻ᵀ."""

    made = staticmethod(np.linalg.slogdet)

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        return grads[1][..., None, None] * swap(call(Inv, *ctx.saved_tensors))


class Cholesky(Made, name="LinalgCholeskyExBackward0"):
    """L with A = L Lᵀ: dL/dA = (S + Sᵀ) / 2, S = L⁻ᵀ Φ L⁻¹, Φ the lower half of Lᵀ G with half of its diagonal."""

    made = staticmethod(np.linalg.cholesky)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        factor = call(Cholesky, *ctx.saved_tensors)
        inverse = call(Inv, factor)
        whole = swap(inverse) @ (swap(factor) @ grad_output * lower(factor)) @ inverse
        return (whole + swap(whole)) / 2


class Qr(Made, name="LinalgQrBackward0"):
    """A = Q R: dL/dA = (G_Q + Q M) R⁻ᵀ, where M is symmetric with the lower half of R G_Rᵀ - G_Qᵀ Q."""

    made = staticmethod(np.linalg.qr)

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        (a,), (q, r), (grad_q, grad_r) = ctx.saved_tensors, call(Qr, *ctx.saved_tensors), grads
        rows, columns = r.shape[-2:]
        right = [grad_r[..., rows:]] if columns > rows else []  # of A's columns that R alone depends on: R₂ = Qᵀ A₂
        if right:
            grad_q, grad_r, r = grad_q + a[..., rows:] @ swap(right[0]), grad_r[..., :rows], r[..., :rows]
        half = (r @ swap(grad_r) - swap(grad_q) @ q) * lower(q)
        left = (grad_q + q @ (half + swap(half))) @ swap(call(Inv, r))
        return array_ops.cat([left, q @ right[0]], -1) if right else left


class Eigh(Made, name="LinalgEighBackward0"):
    """A = V diag(λ) Vᵀ: dL/dA = V (diag(g) + K / E) Vᵀ, K the skew part of Vᵀ G_V, E the differences λⱼ - λᵢ."""

    made = staticmethod(np.linalg.eigh)

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        values, vectors = call(Eigh, *ctx.saved_tensors)
        turned = swap(vectors) @ grads[1]
        inner = apart((turned - swap(turned)) / 2, values) + grads[0][..., None] * eye(values)
        return vectors @ inner @ swap(vectors)


class Svd(Made, name="LinalgSvdBackward0"):
    """A = U diag(S) Vᵀ: dL/dA = U (diag(g) + K_U S + S K_V) Vᵀ, K = Uᵀ G_U - G_Uᵀ U divided by Sⱼ² - Sᵢ²; and what of
    G_U and G_V is outside of U and V, divided by S.
    """

    made = staticmethod(np.linalg.svd)

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        u, s, vh = call(Svd, *ctx.saved_tensors, full=ctx.full)
        if u.shape[-1] != vh.shape[-2]:
            raise NotImplementedError("minigrad's svd goes back with full_matrices=False only")
        pairs, row = ((u, grads[0]), (swap(vh), swap(grads[2]))), s[..., None, :]
        left, right = [apart(swap(w) @ g - swap(g) @ w, s * s) for w, g in pairs]
        outside, beyond = [(g - w @ (swap(w) @ g)) / row for w, g in pairs]
        inner = left * row + s[..., None] * right + grads[1][..., None] * eye(s)
        return (u @ inner + outside) @ vh + u @ swap(beyond)


def eye(values: Value) -> Value:
    """The unit matrix, as large as the values are many."""
    return like(np.eye(values.shape[-1], dtype=raw(values).dtype), values)


def lower(matrix: Value) -> Value:
    """1 below the diagonal, ½ on it, 0 above."""
    size = matrix.shape[-1]
    return like((np.tri(size) - np.eye(size) / 2).astype(raw(matrix).dtype), matrix)


def apart(matrix: Value, values: Value) -> Value:
    """The entries off the diagonal, divided by valuesⱼ - valuesᵢ, which may be equal if no gradient has come."""
    if not raw(matrix).any():
        return matrix
    same = eye(values)
    return matrix / (values[..., None, :] - values[..., None] + same) * (1 - same)


def demand_matrix(name: str, a: Tensor, square: bool = True, module: str = "linalg.") -> None:
    """RuntimeError, in torch's words, unless a tensor is a matrix of float32 or float64, or a stack of them."""
    wrong, kind = "", RuntimeError
    if a.ndim < 2:
        wrong = "The input tensor A must have at least 2 dimensions."
    elif not a.dtype.is_floating_point:
        wrong = f"Expected a floating point or complex tensor as input. Got {a.dtype.scalar_type}"
        kind = refusal("dtypes_not_implemented")
    elif square and a.shape[-2] != a.shape[-1]:
        wrong = "A must be batches of square matrices, but they are {} by {} matrices".format(*a.shape[-2:])
    elif a.dtype.scalar_type == "Half":
        wrong, kind = "Low precision dtypes not supported. Got Half", refusal("dtypes_not_implemented")
    if wrong:
        raise kind(f"{module}{name}: {wrong}")


def solve(A: Tensor, B: Tensor) -> Tensor:
    """X with A X = B, for A (…, n, n) and B (…, n, k), (n), or a vector for each A. LinAlgError if A is singular."""
    demand_matrix("solve", A)
    linalg.demand_one_dtype("", A, B)
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])
    rows, columns = (B.shape[-1], 1) if vector else B.shape[-2:]
    if rows != A.shape[-1]:
        sizes = f"({A.shape[-2]}x{A.shape[-1]} and {rows}x{columns})"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation AX = B {sizes}")
    try:
        return Solve.apply(A, B, vector=vector)
    except np.linalg.LinAlgError:
        raise _LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.") from None


def _function(name: str, node: type[Function], text: str, square: bool = True, why: str = "") -> Callable:
    def function(A: Tensor) -> Any:
        demand_matrix(name, A, square)
        try:
            result = node.apply(A)
        except np.linalg.LinAlgError:
            raise _LinAlgError(f"linalg.{name}: {why}") from None
        return getattr(return_types, f"linalg_{name}")(*result) if isinstance(result, tuple) else result

    function.__doc__, function.__name__ = f"{text}, for matrices (…, n, {'n' if square else 'm'}).", name
    return function


def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """(U, S, Vh) with A = U diag(S) Vh: U and Vh are orthogonal, S falls."""
    demand_matrix("svd", A, False)
    return return_types.linalg_svd(*Svd.apply(A, full=full_matrices))


def matrix_rank(
    A: Tensor,
    tol: float | None = None,
    hermitian: bool = False,
    *,
    atol: float | None = None,
    rtol: float | None = None,
) -> Tensor:
    """How many singular values are larger than max(atol, rtol · the largest): int64. `tol` is an old name of atol."""
    demand_matrix("matrix_rank", A, False)
    array = np.asarray(A._array)
    values, least = np.linalg.svd(array, compute_uv=False), atol if tol is None else tol
    usual = max(array.shape[-2:]) * np.finfo(array.dtype).eps if not least else 0
    limit = np.maximum(least or 0, (usual if rtol is None else rtol) * values.max(-1, keepdims=True, initial=0))
    return Tensor._of(np.asarray((values > limit).sum(-1)))


SINGULAR = "The inversion could not be completed because the input matrix is singular."
INDEFINITE = "The factorization could not be completed because the input is not positive-definite."
inv = _function("inv", Inv, "The inverse", why=SINGULAR)
det = _function("det", Det, "The determinant")
slogdet = _function("slogdet", Slogdet, "The sign of the determinant, and the logarithm of its size")
cholesky = _function("cholesky", Cholesky, "L, 0 above the diagonal, with L Lᵀ = A", why=INDEFINITE)
qr = _function("qr", Qr, "Q, with orthonormal columns, and R, 0 below the diagonal: A = Q R", False)
eigh = _function("eigh", Eigh, "Eigenvalues, and eigenvectors in columns, of a symmetric A")


@register("slogdet")
def _slogdet(A: Tensor) -> Tensor:
    """The sign of the determinant, and the logarithm of its size, for matrices (…, n, n)."""
    return return_types.slogdet(*slogdet(A))


CholeskyOfOld = variant("CholeskyOfOld", Cholesky, "CholeskyBackward0")
REMOVED = "This function was deprecated since version 1.9 and is now removed. `torch.{0}` is deprecated in favor of "
REMOVED += "`torch.linalg.{0}`"
FACTORS = """L = torch.cholesky(A){0}
L = torch.linalg.cholesky(A)
{1}U = torch.cholesky(A, upper=True){0}
U = torch.linalg.cholesky(A).mH"""
MODES = """Q, R = torch.qr(A) should be replaced with:
Q, R = torch.linalg.qr(A, mode='reduced')

and

Q, R = torch.qr(A, some=False) should be replaced with:
Q, R = torch.linalg.qr(A, mode='complete')

"""


@register("cholesky")
def _old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """`torch.cholesky`, which torch 2.14 has removed: L with L Lᵀ = A, or its transpose. RuntimeError since then."""
    if changed("old_factorizations_removed"):
        raise RuntimeError(f"{REMOVED.format('cholesky')}.\n{FACTORS.format(' should be replaced with:', '')}")
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        f"release.\n{FACTORS.format(chr(10) + 'should be replaced with', 'and' + chr(10))}\n"
        "This transform will produce equivalent results for all valid (symmetric positive definite) inputs."
    )
    demand_matrix("cholesky", input, module="")
    results = CholeskyOfOld.apply(input)
    return results.mT if upper else results


@register("qr")
def _old_qr(input: Tensor, some: bool = True) -> Tensor:
    """`torch.qr`, which torch 2.14 has removed: Q and R with Q R = A. RuntimeError since then."""
    if changed("old_factorizations_removed"):
        words = "and the boolean parameter `some` has been replaced with a string parameter `mode`"
        chosen = f"Since `some` was set to {some}, use mode='{'reduced' if some else 'complete'}'."
        raise RuntimeError(f"{REMOVED.format('qr')} {words}.\n\n{MODES}{chosen}")
    warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\n"
        "should be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
    )
    if not some:
        raise NotImplementedError("minigrad's qr() makes as many columns as it needs: some=True")
    return return_types.qr(*qr(input))


class Linalg:
    """`torch.linalg`: those of its functions that minigrad has."""

    LinAlgError = _LinAlgError

    def __getattr__(self, name: str) -> Any:
        return unsupported.refuse("minigrad.linalg", name)


NAMES = {item.__name__: item for item in (solve, inv, det, slogdet, cholesky, qr, eigh, svd, matrix_rank)}
NAMES |= {"matmul": linalg.matmul, "norm": norms.linalg_norm, "vector_norm": norms.vector_norm}
for _name, _each in NAMES.items():
    setattr(Linalg, _name, staticmethod(call_of(f"linalg_{_name}", _each)))
register("inverse", inv)
register("det", det)
functions["linalg"] = Linalg()
