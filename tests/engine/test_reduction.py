"""Reductions, running sums, norms, softmax and orderings are torch's: values, nodes, derivatives, dtypes, errors."""

import gc

import pytest
from derivatives import SETUP, assert_told_alike
from engines import ENGINES, assert_alike, each_of, said

import minigrad
from minigrad.ops import norms

words = str.split
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

SUMS = """
    x.sum(); x.sum(0); x.sum(-1, keepdim=True); x.sum((0, 1)); x.sum([1], True); x.sum(axis=1, keepdims=True)
    x.sum(()); x.sum(dim=[]); x.sum(None); torch.sum(input=x); torch.sum(x, dim=0, keepdim=True); z.sum(0)
    z.sum(-1); e.sum(); x.detach().sum(dtype=torch.float64); x.sum(0, dtype=torch.float64); i.sum(dtype=torch.float32)
    i.sum(dtype=torch.int32); i.sum(); i.sum(0); b.sum(); u.sum(); torch.zeros(0).sum(); torch.zeros(0, 3).sum(0)
    torch.zeros(0, 3).sum(1); x.mean(); x.mean(0); x.mean((0, 1), True); x.mean(axis=-1); x.mean(()); x.mean(None)
    z.mean(0); e.mean(); x.detach().mean(dtype=torch.float64); x.mean(0, dtype=torch.float64)
    i.mean(dtype=torch.float32); torch.zeros(0).mean(); torch.zeros(0, 3).mean(0); e.detach().nansum()
    x.detach().nansum(1); n.nansum(); e.detach().nansum(0, True); x.detach().nansum(dtype=torch.float64)
    x.any(); x.all(); o.any(); o.all(); x.any(0); o.any(dim=0, keepdim=True)
    m.all((0, 1)); m.any(1); m.all(0); u.any(); u.all(); torch.zeros(0).all(); torch.zeros(0).any()
    torch.zeros(0, 3).any(0); torch.all(b); torch.any(i, dim=0); z.any(); z.all(0); x.count_nonzero()
    o.count_nonzero(0); m.count_nonzero((0, 1)); torch.count_nonzero(m, dim=1); n.count_nonzero()
"""
PRODUCTS = """
    x.prod(); x.prod(0); x.prod(1, keepdim=True); x.prod(dim=-1); x.prod(axis=0); z.prod(); z.prod(0); v.prod()
    e.prod(); o.prod(); o[1:].prod(); o[:2].prod(); o.prod(0); torch.stack([o, o + 1]).prod(1)
    torch.stack([o, o + 1]).prod(0); x.prod(dtype=torch.float64); x.prod(0, dtype=torch.float64); i.prod()
    i.prod(0); b.prod(); torch.zeros(0).prod(); torch.zeros(0, 3).prod(0); x.cumsum(0); x.cumsum(dim=1)
    x.cumsum(-1); x.cumsum(axis=0); z.cumsum(0); e.cumsum(0); i.cumsum(0); b.cumsum(0)
    x.cumsum(0, dtype=torch.float64); torch.zeros(0, 3).cumsum(0); torch.tensor([-0., -0.]).cumsum(0); u.cumsum(0)
    x.cumprod(0); x.cumprod(1); o.cumprod(0); z.cumprod(0); v.cumprod(-1); i.cumprod(0)
    torch.zeros(0, 3).cumprod(0); (o + 1).cumprod(0); (1 - o).cumprod(0); x.cumprod(0, dtype=torch.float64)
"""
SPREADS = """
    w.var(); w.var(0); w.var(1, keepdim=True); w.var((0, 1)); w.var(False); w.var(0, False); w.var(0, True, True)
    w.var(unbiased=False); w.var(correction=0); w.var(dim=1, correction=2); w.var(dim=None, correction=0)
    w.var(axis=1); torch.var(w, 1); w.var(1, correction=3); w.var(1, correction=4)
    w.detach().var(correction=7); z.detach().var(); z.detach().var(0)
    w[:1].var(0); torch.zeros(0).var(); torch.zeros(0, 3).var(0); e.var()
    x.var(); x.var(1); w.std(); w.std(0); w.std(1, keepdim=True); w.std((0, 1)); w.std(False); w.std(unbiased=False)
    w.detach().std(correction=10); w.std(dim=0, unbiased=False); torch.std(w, (0, 1), False); w.std(1, correction=3)
    z.std(); (w * 0).std(); (w * 0 + 1).std(0); w.std(dim=1, correction=0.5)
"""
NORMS = """
    x.norm(); x.norm(1); x.norm(2); x.norm(3); x.norm(0); x.norm(inf); x.norm(-inf); x.norm(-1); x.norm('fro')
    z.norm(); z.norm(1); x.norm(dim=1); x.norm(2, 1, True); x.norm(p=2, dim=1, keepdim=True); x.norm(dim=(0, 1))
    x.norm('fro', dim=1); x.norm(p=1, dim=0); x.norm(3, dim=(0, 1)); x.norm(inf, 0); x.norm(-inf, 1); torch.norm(x)
    torch.norm(x, p=1, dim=0); torch.norm(x, p=None); torch.norm(x, dtype=torch.float64); o.norm(); o.norm(1)
    o.norm(3); o.norm(0.5); o.norm(inf); o.norm(-inf); (o * 0).norm(); (o * 0).norm(1); (o * 0).norm(3)
    (o * 0).norm(1.5); (o * 0).norm(inf); e.norm(); e.norm(inf); v.norm(1.5); v.norm(0.5)
    torch.stack([o, o * 0]).norm(dim=1); torch.stack([o, o * 0]).norm(3, dim=0); (z * 0).norm()
    torch.tensor([1e30]).norm(); torch.zeros(0).norm(); torch.zeros(0, 3).norm(dim=0)
    torch.zeros(0, 3).norm(inf, dim=1)
"""
SOFTMAXES = """
    x.softmax(0); x.softmax(1); x.softmax(dim=-1); x.softmax(axis=1); torch.softmax(x, 1); z.softmax(0)
    e.softmax(0); x.softmax(1, dtype=torch.float64); x.softmax(1, torch.float64); i.softmax(0, dtype=torch.float32)
    (x * 1000).softmax(1); x.logsumexp(0); torch.logsumexp(x * 1000, (0, 1), keepdim=True)
    x.log_softmax(0); x.log_softmax(1); torch.log_softmax(x, -1); z.log_softmax(0)
    e.log_softmax(0); (x * 1000).log_softmax(1); x.log_softmax(1, dtype=torch.float64); torch.zeros(0, 3).softmax(0)
    torch.zeros(0, 3).softmax(1); torch.zeros(0, 3).log_softmax(1); torch.tensor([-inf, -inf]).softmax(0)
    torch.tensor([-inf, 0.]).log_softmax(0); torch.stack([x, y]).softmax(1); torch.stack([x, y]).log_softmax(0)
"""
ORDERINGS = """
    x.max(); x.min(); o.max(); o.min(); e.max(); e.min(); z.max(); i.max(); b.max(); b.min(); u.max(); x.max(0)
    x.max(dim=1); x.max(1, True); x.max(axis=1); x.min(0); x.min(1, keepdim=True); o.max(0); o.min(0); e.max(0)
    e.min(0); z.max(0); z.max(-1); i.max(0); b.max(0); torch.max(x, 0, True); torch.max(input=x, dim=0)
    torch.zeros(0, 3).max(1); torch.max(x, y); torch.min(x, y); x.max(v); torch.max(input=x, other=y)
    torch.max(x, i); x.amax(); x.amax(0); x.amax((0, 1)); x.amax(dim=(0, 1), keepdim=True); x.amin(1); o.amax()
    o.amin(); o.amax(0); e.amax(); e.amin(0); i.amax(); z.amax(0); torch.zeros(0, 3).amax(1)
    torch.stack([o, o]).amax(1); torch.stack([o, o]).amax((0, 1)); x.argmax(); x.argmax(0)
    x.argmax(dim=1, keepdim=True); x.argmin(1); x.argmax(None); x.argmax(keepdim=True); o.argmin(0); e.argmax()
    e.argmin(); z.argmax(); z.argmax(0); i.argmax(); torch.zeros(0, 3).argmax(1); x.median(); x.median(1)
    x.median(dim=0, keepdim=True); o.median(); o.median(0); e.median(); e.median(0); z.median(); i.median()
    n.median(0); torch.zeros(0).median(); torch.tensor([1., 2., 3., 4.]).median()
    torch.tensor([2., 2., 2., 1.]).median(0); x.sort(); x.sort(0); x.sort(1, True); x.sort(descending=True)
    x.sort(dim=0, descending=True); x.sort(stable=True); o.sort(); o.sort(descending=True); e.sort()
    e.sort(descending=True); z.sort(); i.sort(); b.sort(); u.sort(); torch.zeros(0, 3).sort(); x.argsort()
    x.argsort(1, True); x.argsort(dim=0, descending=True); torch.argsort(o, stable=True); o.argsort(descending=True)
    x.topk(2); x.topk(1, 0); x.topk(2, dim=1, largest=False); torch.topk(input=x, k=2, dim=-1); x.topk(0); z.topk(1)
    n.topk(2); x.topk(3, sorted=True); u.topk(1); i.unique(); n.unique(return_counts=True)
    o.detach().unique(return_inverse=True, return_counts=True); torch.zeros(0).unique(); b.unique()
    i.unique_consecutive(); torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), True, True)
    b.unique_consecutive(dim=0)
    torch.unique_consecutive(torch.tensor([[1, 1, 2], [1, 1, 3]]), return_inverse=True, return_counts=True, dim=1)
    torch.zeros(0).unique_consecutive(True, True); torch.tensor(3.0).unique_consecutive(return_inverse=True)
    n.unique_consecutive(return_counts=True); x.unique_consecutive(dim=7)
"""


def expressions(text: str) -> list[str]:
    """The expressions of a table above: several in a line, parted by semicolons."""
    return [each.strip() for line in text.strip().splitlines() for each in line.split(";")]


@each_of(
    expression=[
        *expressions(SUMS),
        *expressions(PRODUCTS),
        *expressions(SPREADS),
        *expressions(NORMS),
        *expressions(SOFTMAXES),
        *expressions(ORDERINGS),
    ]
)
def test_an_expression(expression: str) -> None:
    assert_told_alike(expression)


@each_of(
    call=words("""
        sum mean prod max min amax argmax median norm var std any all nansum count_nonzero unique cumsum,0 cumprod,0
        softmax,0 log_softmax,0 sort,0 topk,1 max,0 min,0 median,0 sum,0 mean,0 prod,0 amax,0 argmin,0
    """)
)
def test_the_dtype_of_the_result(call: str) -> None:
    name, *argument = call.split(",")
    lines = []
    for dtype in DTYPES:
        lines += [
            f"r = torch.{name}({', '.join([f'torch.tensor([1, 1], dtype=torch.{dtype})', *argument])})",
            "[each.dtype for each in r] if isinstance(r, tuple) else r.dtype",
        ]
    assert_alike(lines)


WORDS = """
    torch.sum([1.])
    torch.sum(v, 0, 1)
    x.sum(2)
    x.sum((0, 0))
    x.sum((0, -2))
    x.sum(dtype=torch.int64)
    z.sum(1)
    v.mean(-2)
    i.mean()
    b.mean(0)
    x.mean(dtype=torch.int64)
    x.prod(2)
    x.prod(0, dtype=torch.int64)
    torch.cumsum(v)
    v.cumsum()
    v.cumsum(1)
    v.cumsum('a')
    v.cumprod(1)
    i.var()
    b.std(0)
    v.var(1)
    torch.norm(n)
    b.norm()
    v.norm(dim=1)
    torch.softmax(v)
    v.softmax()
    v.softmax(1)
    i.softmax(0)
    i.softmax(1)
    i.log_softmax(0)
    b.softmax(0)
    x.log_softmax(5)
    v.max(1)
    torch.zeros(0).max()
    torch.zeros(0, 3).max()
    torch.zeros(0, 3).max(0)
    torch.zeros(0, 3).min(0)
    torch.zeros(0).amax()
    torch.zeros(0, 3).amin(0)
    v.amax(1)
    x.amax((0, 0))
    v.argmax(1)
    b.argmax()
    torch.zeros(0).argmax()
    torch.zeros(0, 3).argmin(0)
    torch.max(torch.ones(2), torch.ones(3))
    b.median()
    b.topk(1)
    b.median(0)
    v.median(1)
    torch.zeros(0, 3).median(0)
    v.sort(1)
    v.topk(7)
    v.topk(-1)
    v.topk(1, dim=5)
    v.topk(z)
    v.any(1)
    v.all((0, 0))
    v.count_nonzero(1)
    v.unique().sum().backward()
    v.unique_consecutive().sum().backward()
    torch.autograd.grad(v.argmax(), v)
"""
NOT_TAKEN = ["x.sum('a')", "x.sum(1.5)", "x.prod((0, 1))", "x.max((0, 1))", "torch.min(x, 'a')", "x.softmax('a')"]

# What a node has saved is freed by a backward, and guarded against changes; what it has not, is not.
SAVED = [
    *[
        f"r = {expression}.sum()\nr.backward()\nr.backward()\nv.grad"
        for expression in words("""
            v.sum(0) v.mean(0) v.cumsum(0) v.prod() v.prod(0) v.cumprod(0) v.max() v.max(0).values v.amax() v.amin(0)
            v.median() v.median(0)[0] v.sort().values v.topk(2)[0] v.var() v.std(0) v.norm() v.norm(1) v.softmax(0)
            v.log_softmax(0) v.nansum()
        """)
    ],
    "r = v.max(0)\nr.indices.add_(1)\nr.values.backward()",
    "r = v.sort()\nr.indices.mul_(0)\nr.values.sum().backward()",
    "a = v * 1\nr = a.prod()\na.add_(1)\nr.backward()",
    "a = v * 1\nr = a.sum(0)\na.add_(1)\nr.backward()\nv.grad",
    "a = v * 1\nr = a.cumsum(0)\na.add_(1)\nr.sum().backward()\nv.grad",
    "r = v.softmax(0)\nr.mul_(2)\nr.sum().backward()",
    "a = v * 1\na.cumsum_(0)\na.sum().backward()\na, v.grad",
    "a = v * 1\na.cumprod_(0)\na.sum().backward()\na, v.grad",
    "r = v.max(0).values.grad_fn._saved_indices, v.max().grad_fn._saved_result, v.softmax(0).grad_fn._saved_result\nr",
]
NAMED = [
    "r = v.max(0)",
    "r.values, r.indices, r[0], r[1], len(r)",
    "a, c = r",
    "a, c, isinstance(r, tuple), str(r) == repr(r)",
    "r",
    "x.sort(descending=True)",
    "x.topk(2)",
    "x.median(1)",
    "print(x.min(0))",
    "torch.tensor([[3., 1.], [1., 2.]]).max(dim=1)[1]",
    "sorted(v.tolist()), max(v.detach()), sum(x)",
]


@each_of(program=[*[line.strip() for line in WORDS.strip().splitlines()], *SAVED])
def test_a_program(program: str) -> None:
    assert_alike([*SETUP, *program.splitlines()])


def test_named_pairs() -> None:
    assert_alike([*SETUP, *NAMED])


@each_of(line=NOT_TAKEN)
def test_arguments_that_do_not_fit_are_type_errors(line: str) -> None:
    for engine in ENGINES:
        namespace: dict = {"torch": engine}
        for each in SETUP:
            exec(each, namespace)
        with pytest.raises(TypeError):
            eval(line, namespace)


@pytest.mark.parametrize("line", ["x.norm('nuc')", "n.unique(dim=0)", "torch.linalg.norm(x, 1)"])
def test_what_minigrad_lacks_it_says(line: str) -> None:
    namespace: dict = {"torch": minigrad}
    for each in SETUP:
        exec(each, namespace)
    with pytest.raises(NotImplementedError, match="minigrad"):
        eval(line, namespace)


@each_of(
    line=[
        *["vector_norm(x)", "vector_norm(x, 1)", "vector_norm(x, 3, dim=1, keepdim=True)", "vector_norm(x, inf, 0)"],
        *["vector_norm(n)", "vector_norm(x, 0)"],
        *["norm(x)", "norm(x, 2, 1)", "norm(v, 1)", "norm(x, 'fro')", "norm(x, dim=0)", "norm(torch.stack([x, y]))"],
        *["norm(v, inf)"],
    ]
)
def test_norms_of_linalg(line: str) -> None:
    """The functions behind `torch.linalg`, under the names that they have here."""
    torch, _ = ENGINES
    ours = {"vector_norm": norms.vector_norm, "norm": norms.linalg_norm}
    theirs = {name: getattr(torch.linalg, name) for name in ours}
    assert said([*SETUP, line], minigrad, ours) == said([*SETUP, line], torch, theirs)


def test_a_warning_points_at_the_program() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom") as caught:
        minigrad.ones(1).std()
    assert caught[0].filename == __file__


def test_a_running_sum_is_exact_to_the_last_bit() -> None:
    lines = [
        "x = torch.tensor([k * 0.37 % 1 for k in range(500)])",
        "x.cumsum(0).tolist()",
        "(x + .5).cumprod(0).tolist()",
    ]
    theirs, ours = (said(lines, engine) for engine in ENGINES)
    assert ours == theirs


def test_nothing_is_left_for_the_collector() -> None:
    x = minigrad.tensor([[1.0, 2.0, 3.0], [0.0, 5.0, 4.0]], requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        for result in (x.max(0), x.sort(), x.prod(1), x.cumprod(1), x.norm(dim=1), x.softmax(1), x.var(0), x.amax(1)):
            part = result[0] if isinstance(result, tuple) else result
            minigrad.autograd.grad(part.sum(), x, create_graph=True)
        del result, part
        assert gc.collect() == 0
    finally:
        gc.enable()


@each_of(call=words("sort() sort(0) median(0) max(-1) min(0,True) topk(1)"))
def test_the_entry_of_a_number_is_picked(call: str) -> None:
    assert_told_alike(f"z.{call}[0]")
    assert_alike([*SETUP, f"r = z.{call}[0]", "torch.autograd.grad(r, z, torch.tensor(-2.))"])


@pytest.mark.parametrize("numbers", ["0, 0, -2, 3", "-2, 0, -2", "0, -3, 2", "-1, -2", "-0.0, -1"])
def test_no_zero_gets_a_sign_that_torch_does_not_give_it(numbers: str) -> None:
    lines = [f"a = torch.tensor([{numbers}], dtype=torch.float32, requires_grad=True)"]
    for result in words("a.prod() a.prod(0) a.cumsum(0)[0]*0"):
        lines += [f"torch.autograd.grad({result}, a, torch.tensor({seed}.)) " for seed in (1, -1)]
    assert_alike(
        [
            line.strip()
            for line in [*lines, "torch.autograd.grad(a.cumsum(0), a, -torch.zeros_like(a))", "(-0.0 * a[0]).cumsum(0)"]
        ]
    )


@each_of(call=["max(1)", "min(0)", "median(1)", "sort(1)", "topk(1)"], place=[5, -1])
def test_places_that_the_program_changed_have_to_exist(call: str, place: int) -> None:
    start = "x = torch.tensor([[1., 3.], [2., 0.]], requires_grad=True)"
    assert_alike([start, f"v, i = x.{call}", f"_ = i.data.fill_({place})", "v.sum().backward()", "x.grad"])


@each_of(dtype=DTYPES, name=["cumsum", "cumprod", "sum", "prod"])
def test_with_a_dtype_the_entries_are_cast_first(name: str, dtype: str) -> None:
    assert_alike(
        [f"torch.tensor([1.7, 2.7, -0.5], dtype=torch.{given}).{name}(0, dtype=torch.{dtype})" for given in DTYPES[1:]]
    )


def test_the_results_of_a_transpose_lie_row_by_row() -> None:
    lines = ["t = torch.arange(9.).reshape(3, 3).T"]
    for call in words("cumsum(0) cumsum(1) cumprod(1) softmax(0) softmax(1) log_softmax(1)"):
        lines += [f"t.{call}.stride()", f"t.{call}.view(9)"]
    assert_alike(lines)


def test_what_is_no_number_gets_no_gradient() -> None:
    assert_alike([*SETUP, "(e[2:].nansum() * 2).backward()", "e.grad", "torch.autograd.grad(x.nansum(1).prod(), x)"])


def test_the_pairs_have_a_module() -> None:
    assert isinstance(minigrad.ones(2, 2).max(0), minigrad.return_types.max)


SPREADS = ["x", "x, 0", "x, dim=1, keepdim=True", "x, unbiased=False", "x, correction=0", "x, (0, 1)", "x[:1, :1]"]


@each_of(name=["std_mean", "var_mean"], given=SPREADS)
def test_spread_and_mean(name: str, given: str) -> None:
    setup = "x = torch.tensor([[1., 2., 4.], [0., 1., 3.]], requires_grad=True)"
    lines = [f"a, b = torch.{name}({given})", "a.detach(), b.detach()", "(a * b).sum().backward()", "x.grad"]
    assert_alike([setup, *lines, f"a, b = torch.{name}({given})", "b.sum().backward()", "x.grad"])


def test_spread_and_mean_of_what_has_none() -> None:
    calls = ["torch.ones(1)", "torch.ones(0)", "torch.ones(2).long()", "torch.ones(2), 'a'", "torch.ones(2), 0, foo=1"]
    assert_alike([f"torch.{name}({given})" for given in calls for name in ("std_mean", "var_mean")])
