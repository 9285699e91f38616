"""Changes in place around views: while nothing is recorded, by entries of the same memory, and after saving."""

import pytest
from engines import assert_alike, each_of, said

import minigrad

W = "w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True)"
V = "v = torch.tensor([3., 4., 6., 8.], requires_grad=True)"

# Parameters are changed part by part under no_grad: what a view was made from is of no interest there.
UNRECORDED = {
    "an entry of a leaf": [V, "with torch.no_grad(): v[0] += 1", "v"],
    "rows": [W, "with torch.no_grad():\n    for row in w: row -= 1", "w"],
    "a row at a time": [W, "for row in w:\n    with torch.no_grad(): row -= 1", "w"],
    "rows taken before": [
        W,
        "rows = list(w)",
        "with torch.no_grad():\n    for row in rows: row += 1",
        "w",
        "rows[0] > 1, rows[0].argmax(), rows[0] == rows[1]",
        "rows[0] * 2",
        "torch.where(rows[0] > 1, 1, 0)",
    ],
    "two parts": [
        W,
        "with torch.no_grad(): a = w[:1]; b = w[1:]; a += 1; b += 1; print(a, b, a * 2)",
        "w",
        "a",
        "a * 2",
    ],
    "the base after its view": [V, "with torch.no_grad(): u = v.view(4); v.zero_(); print(u + 1, u.sum())"],
    "a diagonal and a transpose": [
        W,
        "with torch.no_grad(): d = w.diagonal(); w.mul_(2); d.zero_(); print(w)",
        "with torch.no_grad(): t = w.T; w[0, 1] = 5; print(t @ torch.ones(2))",
    ],
    "rows of a gradient": [
        W,
        "(w * w).sum().backward()",
        "with torch.no_grad():\n    for p, g in zip(w, w.grad): p.sub_(g, alpha=.1)",
        "w",
    ],
    "pieces": [
        V,
        "a, b = v.chunk(2)",
        "with torch.no_grad(): v -= 1; print(a + 1)",
        "a > 1, bool((a > 0).all()), a == b",
        "torch.where(a > 1, a, b)",
    ],
    "weights of a layer": [
        "_ = torch.manual_seed(0); layer = torch.nn.Linear(2, 2)",
        "with torch.no_grad():\n    for row in layer.weight: row.fill_(1.)\n    layer.bias[0] *= 0; layer.bias[1] = 3",
        "with torch.no_grad():\n    for j in range(2): layer.weight[j] -= .1 * layer.weight[j]",
        "layer.weight, layer.bias",
    ],
    "a result": [
        "h = torch.ones(3, requires_grad=True) * 1",
        "with torch.no_grad(): h[0] += 1",
        "h",
        "h.sum().backward()",
    ],
    "numbers": [
        V,
        "with torch.no_grad(): print(float(v[0]), '%.2f' % v.sum())",
        "with torch.no_grad(): float(v)",
    ],
    "a leaf that is a view": [
        "w = torch.arange(6.).reshape(2, 3).requires_grad_(); row = w[0]",
        "with torch.no_grad(): w -= 1",
        "row",
        "row.sum().backward()",
        "w.grad, row.grad_fn.next_functions",
    ],
    "rows of a leaf that is a view": [
        "w = torch.arange(4.).reshape(2, 2).requires_grad_(); a, b = w",
        "with torch.no_grad(): w -= 0.1",
        "a",
        "a + b",
        "(w[0] * w[1]).sum().backward()",
        "w.grad",
    ],
    "a custom Function": [
        """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
""",
        V,
        "with torch.no_grad(): a = v[:1]; v.add_(1); print(Double.apply(a), a.clone(), a.detach(), a.tolist())",
    ],
}

# A number is read before anything is written; other entries of the same memory are not.
OF_ITS_OWN = [
    ["x = torch.tensor([1., 2., 3.])", "x[:] = x[0]", "x", "x[1:] = x[1]", "x[...] = x[2]", "x"],
    ["x = torch.arange(6.).view(2, 3)", "x[0] = x[0, 1]", "x[:, 1] = x[1, 1]", "x", "x.fill_(x[1, 2])"],
    ["x = torch.arange(6.).view(2, 3)", "x[:, 0] += x[:, 1]", "x[:, 0] *= x[:, 0]", "x[0] += x[1]", "x += x", "x"],
    ["x = torch.arange(6.).view(2, 3)", "x[:, :1] += x[:, 1:2]", "x", "x -= x[0]", "x[1:] -= x[:1]", "x"],
    [V, "x = v * 1; x[:] = x[0]", "x", "x.sum().backward()", "v.grad"],
    [V, "x = v * 1; x.fill_(x[1])", "x", "x.sum().backward()", "v.grad"],
    [W, "row = w[0]", "with torch.no_grad(): w[0] = row[0]", "w"],
]

CUT = [
    ["x = torch.tensor(2., requires_grad=True); y = x ** 2; z = y ** 2", "y.detach_()", "z.backward()", "x.grad"],
    ["h = v.exp(); u = h * 3", "_ = h.detach_()", "u.sum().backward()", "v.grad"],
    ["h = v.exp(); u = h * v", "_ = h.detach_()", "u.sum().backward()", "v.grad"],
    ["h = v.exp(); u = h + 3", "_ = h.detach_()", "u.sum().backward()", "v.grad"],
    ["h = v * 2; u = h.sin()", "_ = h.detach_().requires_grad_()", "u.sum().backward()", "v.grad, h.grad"],
    ["h = v * 2", "_ = h.detach_()", "(h * v).sum().backward()", "v.grad"],
    ["h = v * 2", "_ = h.detach_().requires_grad_()", "(h * h).sum().backward()", "v.grad, h.grad"],
    ["h = v * 2; l = (h * h).sum()", "l.backward()", "_ = h.detach_()", "h = h * v; l = (h * h).sum()", "l.backward()"],
    ["h = v * 2; u = (h * h).sum()", "_ = h.detach_()", "torch.autograd.grad(u, v, create_graph=True)"],
]


@each_of(name=UNRECORDED)
def test_while_nothing_is_recorded(name: str) -> None:
    assert_alike(UNRECORDED[name])


@each_of(lines=OF_ITS_OWN)
def test_a_tensor_takes_entries_of_its_own_memory(lines: list[str]) -> None:
    assert_alike(lines)


@pytest.mark.parametrize(
    "line", ["x /= x[:, :1]", "x += x[:, 0]", "x.sub_(x[:, 1:2])", "x[:, 1:] = x[:, :-1]", "x.data += x[:, 2].detach()"]
)
def test_what_hangs_on_the_order_of_torchs_loops_is_refused(line: str) -> None:
    lines = ["x = torch.arange(1., 10.).view(3, 3)", line, "x"]
    text = said(lines, minigrad)
    assert text.startswith("RuntimeError: unsupported operation: some elements of the input tensor and the written-to")
    assert "tensor([[1., 2., 3.],\n        [4., 5., 6.],\n        [7., 8., 9.]])" in text


@pytest.mark.parametrize("line", ["x /= x[:, :1].clone()", "x += x[:, 0].clone()", "x[:, 1:] = x[:, :-1].clone()"])
def test_with_a_copy_it_is_allowed(line: str) -> None:
    assert_alike(["x = torch.arange(1., 10.).view(3, 3)", line, "x"])


@each_of(lines=CUT)
def test_a_tensor_that_is_cut_off_after_it_was_saved(lines: list[str]) -> None:
    assert_alike([V, *lines])


def test_numbers_have_to_fit_where_they_are_written() -> None:
    numbers = "(1, -1, True, 2.5, 256, 200, 1e39, 1e6, float('nan'), float('inf'), 2**40, -200)"
    assert_alike(
        [
            """
def tried(f):
    try: print(f())
    except (RuntimeError, TypeError, NotImplementedError) as error: print(type(error).__name__, error)
""",
            """
def written(dtype, number):
    x = torch.zeros(2, dtype=dtype); x[0] = number
    return x
""",
            *(
                f"for n in {numbers}: tried(lambda: written(torch.{dtype}, n))"
                for dtype in ("float32", "float64", "int64", "int32", "uint8", "int8", "bool")
            ),
            *(
                f"tried(lambda: torch.zeros(2, dtype=torch.{dtype}).fill_({number}))"
                for dtype in ("int64", "float32", "bool")
                for number in ("float('nan')", "1e30", "2.7", "True", "1e39", "float('inf')")
            ),
            *(
                f"tried(lambda: torch.ones(2, dtype=torch.{dtype}).masked_fill(torch.tensor([True, False]), {number}))"
                for dtype in ("int64", "float32", "bool")
                for number in ("-float('inf')", "2.7", "1e39")
            ),
        ]
    )


def test_which_numbers_of_numpy_are_written() -> None:
    import numpy as np

    kinds = [np.float32(1), np.float16(1), np.bool_(True), np.float64(2), np.int32(3), np.int64(4)]
    for number in kinds:
        assert_alike(["x = torch.zeros(3)", "x[1] = number", "x"], {"number": number})


def test_a_mask_without_axes_does_not_cast() -> None:
    assert_alike(
        [
            "x = torch.tensor(3.)",
            "x[x > 1] = torch.tensor(2)",
            "x[torch.tensor(True)] = torch.tensor([2])",
            "x[x > 1] = 2",
            "x[x > 5] = torch.tensor(7.)",
            "x",
            "x[True] = torch.tensor(2)",
            "x[None, x > 1]",
            "y = torch.tensor([3., 4.]); y[y > 3] = torch.tensor([2])",
            "y",
        ]
    )
