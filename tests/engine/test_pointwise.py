"""Operations entry by entry are torch's: values, nodes, edges, first and second derivatives, dtypes, errors."""

import gc
import itertools
import re

import pytest
from derivatives import SETUP, assert_told_alike
from engines import ENGINES, assert_alike, each_of, said

import minigrad

words = str.split
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

# Functions of one number, and what they are asked about besides ordinary numbers, nan, inf, 0 and -1.
OF_ONE = words("""
    exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh arcsin arccos arctan arcsinh arccosh arctanh sigmoid erf relu abs absolute sign floor ceil trunc fix round
    frac square neg negative positive nan_to_num isnan isinf isfinite logical_not
""")

ARITHMETIC = """
    x + y; x - y; x * y; x / y; x + v; x - v; x * v; x / v; x + z; z - x; v + d; v * d; d / v; x + i; i - x
    x + 2; 2 + x; x - 2; 2 - x; x * 2; 2 * x; x / 2; 2 / x; x + True; True * x; -x; +x; abs(x)
    torch.add(x, y, alpha=2); torch.add(x, 2, alpha=3); torch.add(x, i, alpha=1.5); x.add(v, alpha=-0.5)
    torch.sub(x, y, alpha=2); torch.sub(x, 1, alpha=2); torch.subtract(x, y); x.sub(v, alpha=0.5)
    torch.add(1, x); torch.sub(1, x); torch.mul(2, x); torch.div(1, x); torch.rsub(x, 2)
    torch.multiply(x, y); torch.divide(x, y); torch.true_divide(x, y); torch.true_divide(x, 2); x.mul(y); x.div(y)
    b + b; b * b; b + 1; b * 2.5; b / 2; 1 / b; True * b; 2 * b; 1.5 * b; torch.add(b, b, alpha=2)
    n + 1; n * 2; n / 2; 1 - n; 1.5 - n; n - 1.5; n - True; True - n; u + 1; u * 2; u - u; u / 2; -u
    torch.zeros(0, 3) * torch.zeros(2, 1, 3)
"""
DIVISION = """
    x // 2; x // y; 2 // x; x % 2; x % y; x % v; 2 % x; x % -2; e // 2; e % 2; z // 2; z % 2; 5 // z
    torch.floor_divide(x, y); torch.remainder(x, y); torch.remainder(2, x); torch.remainder(x, i)
    torch.fmod(x, y); torch.fmod(x, 2); x.fmod(v); e.fmod(2)
    torch.tensor([-4., 4., -0., 5., -5.]) % 2; torch.tensor([-4., 4., 0., 5., -5.]) % -2
    torch.tensor([-4., 4., 0., 5., -5., inf, 1.]) // torch.tensor([0., 0., 0., inf, inf, 2., -inf])
    torch.tensor([-4., 4., 0., 5., -5., inf, 1.]) % torch.tensor([0., 0., 0., inf, inf, 2., -inf])
    x.div(y, rounding_mode='floor'); x.div(y, rounding_mode='trunc'); x.div(v, rounding_mode='trunc')
    x.div(2, rounding_mode='floor')
    n // 2; n % 3; 5 // i; 5.5 // i; 7 % i; i % 2.5; n.fmod(3); b // 2; b % 2; u // 2; u % 2
    n.div(2, rounding_mode='trunc'); n.div(2, rounding_mode='floor'); n.div(2, rounding_mode=None)
    torch.tensor([-7, 7]) // torch.tensor([2, -2]); torch.tensor([-7, 7]) % torch.tensor([2, -2])
    torch.fmod(torch.tensor([-7, 7]), torch.tensor([2, -2])); torch.floor_divide(i, 0.)
"""
POWERS = """
    x ** 2; x ** 3; x ** 0; x ** 1; x ** 2.5; p ** 0.5; p ** -0.5; p ** -1; p ** -2; x ** 4; o ** 2; o ** 0; z ** 2
    p ** y; x ** i; i ** p; d ** 2; p ** z; o ** o; o ** torch.tensor([0., 1., -1., 2.]); e ** 0; e ** 2
    2 ** x; 2.5 ** x; 1 ** x; 0 ** o; 0 ** x; (-2.) ** e; 2 ** z; torch.tensor([0., 1., -1., 2.]) ** o
    torch.pow(x, 2); torch.pow(2, x); torch.pow(p, y); torch.square(x); n.square()
    n ** 2; i ** 0.5; 2 ** n; 2. ** n; 2 ** b; b ** 2; u ** 2; n.pow(torch.tensor([-1, 0, 1])); n.square(); b.square()
"""
MIXTURES = """
    torch.hypot(x, y); x.hypot(v)
    torch.atan2(x, y); torch.arctan2(x, y); x.atan2(v); torch.atan2(o, o); torch.atan2(v, d); i.atan2(n); n.atan2(b)
    torch.lerp(x, y, 0.5); torch.lerp(x, y, 0.7); x.lerp(v, 0.25); x.lerp(y, y); x.lerp(v, z); x.lerp(x * v, x)
    torch.lerp(x, y, torch.tensor(0.3))
    torch.addcmul(x, y, y); x.addcmul(y, v, value=2); x.addcmul(v, z); torch.addcmul(v, d, v, value=3)
    torch.addcdiv(x, y, y); x.addcdiv(y, v, value=2); x.addcdiv(v, z, value=-2); torch.addcdiv(v, d, v, value=3)
    i.addcmul(i, i, value=2); i.addcmul(i, i, value=1.5)
"""
CHOOSING = """
    torch.where(m, x, y); torch.where(m, x, 0); torch.where(m, 0, x); torch.where(m, 0., 1.); torch.where(m, 0, 1)
    torch.where(m, x, i); torch.where(m, i, 0.5); torch.where(b, x, v); torch.where(m, z, x); torch.where(b, v, d)
    torch.where(m, True, False); torch.where(m, True, 2); torch.where(m, torch.tensor(1., dtype=torch.float64), x)
    torch.where(m); torch.where(torch.zeros(0) > 0); torch.where(torch.tensor(True)); x.where(m, y); x.where(m, 0)
    torch.where(condition=m, input=x, other=y); torch.where(e > 0, e.log(), 0)
    torch.masked_fill(x, m, 2); x.masked_fill(m, z); x.masked_fill(b, 2); x.masked_fill(mask=m, value=1)
    v.masked_fill(m, 0); e.masked_fill(e.isnan(), 0.); i.masked_fill(m, 2.5); v.masked_fill(b, d[0])
    b.masked_fill(b, False)
    torch.clamp(x, 0, 1); torch.clamp(x, min=0); torch.clamp(x, max=0); torch.clamp(x, None, 1); torch.clamp(x, 2, 1)
    torch.clip(x, 0, 1); o.clamp(0, 1); e.clamp(-1, 1); e.clamp(min=0); e.clamp(max=0); e.clamp(nan, 1)
    torch.clamp(x, y); torch.clamp(x, y, y); torch.clamp(x, min=y); torch.clamp(x, max=y); x.clamp(z, v); o.clamp(o, o)
    x.clamp(v, y); e.clamp(e, o[0]); torch.clamp(x, i); torch.clamp(i, x); torch.clamp(v, d, d + 1)
    torch.clamp_min(x, 0); torch.clamp_max(x, 0); e.clamp_min(0)
    torch.clamp(i, 0, 2.5); torch.clamp(i, 2, 4); torch.clamp(b, 0, 1); u.clamp(1, 2); n.clamp(0.5)
    torch.maximum(x, y); torch.minimum(x, y); x.maximum(v); x.minimum(v); torch.maximum(x, i); torch.maximum(e, -e)
    torch.maximum(e, o[0]); torch.maximum(o, o * o); torch.minimum(o, o * o); torch.maximum(v, d); b.maximum(~b)
    torch.nan_to_num(e, 1., 2., 3.); torch.nan_to_num(e, nan=1.); torch.nan_to_num(i)
    torch.tensor([-0., 0.]).relu(); torch.tensor([-0., 0., nan] * 13).relu(); torch.tensor([0., -0.] * 9).half().relu()
    torch.tensor([-0., 0., 1.] * 7).double().relu(); x.t().relu().stride(); x.relu().stride(); x[:, ::2].relu().stride()
    torch.tensor([-0., 0.]).clamp(0, 1); torch.tensor([-0.]).maximum(torch.tensor([0.]))
"""
COMPARISONS = """
    x == y; x != y; x < y; x <= y; x > y; x >= y; x > 0; 0 < x; x == 1; n == 0.5; n < 2; b == True; x == v; e == e
    torch.eq(x, y); torch.ne(x, 2); torch.lt(x, y); torch.le(x, 2); torch.gt(x, y); torch.ge(x, 2); x.eq(1); x.ge(y)
    torch.greater(x, y); torch.less(x, y); torch.not_equal(x, y); torch.less_equal(x, y); torch.greater_equal(x, y)
    torch.isclose(x, y); e.isclose(e); e.isclose(e, equal_nan=True); torch.isclose(x, y, rtol=0.1, atol=1); b.isclose(b)
    i.isclose(i); torch.logical_and(x, y); torch.logical_or(o, o); torch.logical_xor(o, o + 1); n.logical_not()
    b & b; b | False; b ^ True; ~b; n & 3; n | 1; 7 ^ n; 2 & n; ~n; b & 2; n & b; u & 1; ~u; torch.bitwise_not(n)
    torch.bitwise_and(n, 1); torch.bitwise_or(n, n); torch.bitwise_xor(b, b)
"""


def expressions(text: str) -> list[str]:
    """The expressions of a table above: several in a line, parted by semicolons."""
    return [each.strip() for line in text.strip().splitlines() for each in line.split(";")]


@each_of(name=OF_ONE)
def test_functions_of_one_number(name: str) -> None:
    for argument in ("p", "e", "v", "z", "d", "n", "b", "u", "torch.zeros(0, 3)"):
        assert_told_alike(f"torch.{name}({argument})")
    assert_told_alike(f"x.{name}()")


@each_of(
    expression=[
        *expressions(ARITHMETIC),
        *expressions(DIVISION),
        *expressions(POWERS),
        *expressions(MIXTURES),
        *expressions(CHOOSING),
        *expressions(COMPARISONS),
        "torch.round(x, decimals=1)",
        "torch.round(x * 123, decimals=-1)",
    ]
)
def test_an_expression(expression: str) -> None:
    assert_told_alike(expression)


def test_a_number_of_numpy_counts_as_one_of_python() -> None:
    signs = words("+ - * / // % ** > ==")
    numbers = ["np.float32(2)", "np.float64(1.5)", "np.int64(2)"]
    lines = [f"v {sign} {number}" for sign, number in itertools.product(signs, numbers)]
    calls = ["v.clamp(np.float32(0))", "torch.where(v > 0, np.float32(1), v)", "v.lerp(v, np.float64(0.5))"]
    assert_alike([*SETUP, "import numpy as np", *lines, *calls, "n & np.int64(1)"])


@each_of(
    name=words("""
        add sub mul div pow remainder fmod floor_divide true_divide maximum minimum atan2 eq logical_and bitwise_and
    """)
)
def test_two_dtypes_meet(name: str) -> None:
    lines = []
    for one, other in itertools.product(DTYPES, DTYPES):
        for shape in ("[1, 1]", "1"):  # with axes, and without
            a, b = f"torch.tensor([1, 1], dtype=torch.{one})", f"torch.tensor({shape}, dtype=torch.{other})"
            lines += [f"r = torch.{name}({a}, {b})", "r.dtype, r.shape"]
    assert_alike(lines)


@each_of(call=[*OF_ONE, "clamp 0", "clamp .5", "pow 2", "pow .5", "add 1.5", "remainder 1.5", "div 2"])
def test_the_dtype_of_the_result(call: str) -> None:
    name, *argument = call.split()
    values = [f"torch.tensor([1, 1], dtype=torch.{dtype})" for dtype in DTYPES]
    assert_alike(
        [each for value in values for each in (f"r = torch.{name}({', '.join([value, *argument])})", "r.dtype")]
    )


IN_PLACE = [
    "x.exp_()",
    "v.mul_(2)",
    "with torch.no_grad(): v.mul_(2)\nv, v.requires_grad, v._version",
    "n.exp_()",
    "n.div_(2)",
    "n.add_(1.5)",
    "n.mul_(2)",
    "n.floor_divide_(2)",
    "n //= 2\nn",
    "n %= 2\nn",
    "n &= 1\nn",
    "n |= 2\nn",
    "n ^= 2\nn",
    "n.bitwise_not_()",
    "a = b\nb &= torch.tensor([True, True, False])\na is b, a",
    "b.logical_not_()",
    "n.masked_fill_(b, 2.5)",
    "n.clamp_(0, 2)",
    *[
        f"a = v * 1\na.{change}\na, a._version\na.sum().backward()\nv.grad, z.grad"
        for change in words("""
            exp_() log_() sqrt_() sigmoid_() tanh_() relu_() abs_() round_() neg_() square_() reciprocal_() floor_()
            sign_() pow_(2) pow_(0.5) mul_(v) div_(v) sub_(v,alpha=3) add_(v,alpha=3) clamp_(0,1) clip_(min=0)
            clamp_min_(0) clamp_(v.detach()) masked_fill_(b,0.) masked_fill_(b,z) addcmul_(v,v,value=0.5)
            addcdiv_(v,v+5) lerp_(v*2,0.5) remainder_(2) fmod_(v) nan_to_num_() atan2_(v) div_(2,rounding_mode='floor')
        """)
    ],
    *[
        f"a = x * 1\na[0].{change}\na\na.sum().backward()\nx.grad, v.grad"
        for change in words("""
            exp_() relu_() masked_fill_(b,9.) mul_(v) add_(v,alpha=2) lerp_(v,0.5) addcmul_(v,v) clamp_(0,1)
        """)
    ],
    *[f"a = v * 1\na {sign}= 2\na\na.sum().backward()\nv.grad" for sign in ("+", "-", "*", "/", "%", "**")],
    "a = v * 1\na //= 2\na",
]
# What a node has saved is freed by a backward, and guarded against changes; what it has not, is not.
SAVED = [
    *[
        f"r = ({expression}).sum()\nr.backward()\nr.backward()\nv.grad"
        for expression in words("""
            v.floor() v.sign() v.round() v.frac() v.add(v,alpha=2) 2-v v%2 v.fmod(2) v.lerp(v,0.5) v.remainder(v)
            v.remainder(v.detach()) v.addcmul(v.detach(),v.detach()) v.addcdiv(v.detach(),v.detach())
            v.div(v,rounding_mode='floor') v.exp() v.log() v.relu() v.abs() v.clamp(0,1) v.maximum(v)
            torch.where(b,v,0) v.masked_fill(b,0) v.masked_fill(b,z) v**2 2**v v**v v.atan2(v) v.lerp(v,v)
            v.nan_to_num()
        """)
    ],
    "a = v * 1\nr = a.exp()\na.add_(1)\nr.sum().backward()\nv.grad",
    "a = v * 1\nr = a.log()\na.add_(1)\nr.sum().backward()",
    "r = (v * 1).exp()\nr.mul_(2)\nr.sum().backward()",
    "c = v.detach() > 0\nc.logical_not_()\nr = torch.where(c, v, 0)\nr.sum().backward()\nv.grad",
    "r = v.exp().grad_fn._saved_result, v.log().grad_fn._saved_self, (v**v).grad_fn._saved_exponent\nr",
    "a = v * 1\ntorch.relu_(a) is a, torch.exp_(a)\na.sum().backward()\nv.grad",
    "r = torch.where(b, v, 0).grad_fn._saved_condition, v.masked_fill(b, 0).grad_fn._saved_mask\nr",
]
WORDS = [
    "torch.exp(1.)",
    "torch.exp([1.])",
    "torch.exp()",
    "torch.exp(v, 2)",
    "torch.maximum(v, 2)",
    "v.maximum(2)",
    "torch.atan2(v, 2)",
    "torch.logical_and(v, 2)",
    "torch.equal(v, 2)",
    "torch.isclose(v, 2)",
    "torch.isclose(v, d)",
    "torch.allclose(v, n)",
    "torch.add([1], v)",
    "torch.add(v, v, alpha=v)",
    "torch.add(n, n, alpha=1.5)",
    "torch.add(n, n, alpha=True)",
    "v + None",
    "v + 'a'",
    "v // None",
    "v & None",
    "v % 'a'",
    "[1.] - v",
    "v < 'a'",
    "v == None",
    "v != 'a'",
    "v & v",
    "v | 1",
    "1 ^ v",
    "n & 2.5",
    "~v",
    "torch.bitwise_not(v)",
    "-b",
    "+b",
    "b - b",
    "b - 1",
    "1 - b",
    "b // b",
    "b % b",
    "b ** b",
    "n // 0",
    "n % 0",
    "n.fmod(0)",
    "n.div(0, rounding_mode='trunc')",
    "n.div(2, rounding_mode='up')",
    "n ** -1",
    "v + torch.ones(2)",
    "torch.where(b, v, torch.ones(4))",
    "torch.where(torch.ones(4) > 0, v, v)",
    "torch.where(n, v, v)",
    "torch.where(v, v, v)",
    "v.masked_fill(n, 0)",
    "v.masked_fill(b, v)",
    "v.masked_fill(torch.tensor([True, False]), 0)",
    "v.clamp()",
    "v.lerp(n, 0.5)",
    "v.lerp(d, 0.5)",
    "n.lerp(n, 0.5)",
    "n.lerp(n, n)",
    "v.addcmul(torch.ones(2), v)",
    "b.abs()",
    "b.floor()",
    "b.round()",
    "b.relu()",
    "n.frac()",
    "n.round(decimals=1)",
    "(v // 2).sum().backward()",
    "(7 % v).sum().backward()",
    "torch.autograd.grad(v.floor().sum(), z)",
]
NOT_TAKEN = [
    "torch.clamp(v, 'a')",
    "torch.clamp(v, v, 2)",
    "torch.where(b, v)",
    "torch.where(True, v, v)",
    "torch.eq([1], v)",
    "torch.lt(v, None)",
    "torch.pow(v, 'a')",
    "torch.exp(v, outcome=v)",
]


@each_of(program=[*IN_PLACE, *SAVED, *WORDS])
def test_a_program(program: str) -> None:
    assert_alike([*SETUP, *program.splitlines()])


@each_of(line=NOT_TAKEN)
def test_arguments_that_do_not_fit_are_type_errors(line: str) -> None:
    for engine in ENGINES:
        namespace = {"torch": engine}
        for each in SETUP:
            exec(each, namespace)
        with pytest.raises(TypeError):
            eval(line, namespace)


@each_of(
    expression=words("""
        x*y x/y 2-x x**2 2**p p**y x.exp() p.log() p.sqrt() x.sin() x.tanh() x.sigmoid() x.relu() x.abs() x.clamp(0,1)
        x.maximum(y) x.minimum(v) torch.where(m,x,y) x.masked_fill(m,0) x.masked_fill(m,z) x.lerp(y,.3) x.addcmul(y,v)
        x.add(y,alpha=2) x.reciprocal() x.rsqrt() p.atanh() x.exp2() x.floor() x.nan_to_num() x%y torch.clamp(x,y)
        x.sum(0) x.mean(0) x.prod() o.prod() x.prod(1) x.cumsum(0) x.cumprod(1) x.max() x.max(1).values x.amax(0)
        x.sort()[0] x.topk(1)[0] x.median() x.var() x.std(0) x.norm() x.norm(1,0) x.norm(3) x.log_softmax(0)
    """)
)
def test_the_node_of_a_first_derivative(expression: str) -> None:
    lines = [f"r = {expression}", "u = torch.ones_like(r).requires_grad_()"]
    leaf = next(name for name in "xpoe" if re.search(rf"\b{name}\b", expression))
    assert_alike([*SETUP, *lines, f"torch.autograd.grad(r, {leaf}, u, create_graph=True)"])


def test_python_names() -> None:
    assert_alike(
        [
            *SETUP,
            "abs(v), +v is v, sum(v), divmod(v.detach(), 2)",
            "torch.equal(v, v.clone()), torch.equal(v, x), n.equal(n + 1), torch.equal(e, e)",
            "torch.allclose(v, v + 1e-9), v.allclose(v + 1), e.allclose(e), e.allclose(e, equal_nan=True)",
            "v.is_floating_point(), torch.is_floating_point(n), torch.is_nonzero(z), bool(v.any())",
            "v.is_nonzero()",
        ]
    )


def test_nothing_is_left_for_the_collector() -> None:
    x = minigrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
    mask = minigrad.tensor([True, False, True])
    gc.collect()
    gc.disable()
    try:
        for result in (x.exp(), x.relu(), x.clamp(0, 1), minigrad.where(mask, x, 0), x.masked_fill(mask, 0), x**x):
            minigrad.autograd.grad(result.sum(), x, create_graph=True)
        del result
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("call", ["clamp_min(y)", "clamp_max(y)"])
def test_a_limit_may_be_a_tensor(call: str) -> None:
    assert_alike([*SETUP, f"r = x.{call}", "(r * x).sum().backward()", "r.detach(), x.grad, y.grad"])


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "float32"])
def test_limits_in_place_need_room_for_the_number(dtype: str) -> None:
    calls = words("clamp_(-1,1.5) clamp_(0,1) clip_(max=1.5) clamp_min_(1) clamp_min_(0.5) clamp_max_(1.5)")
    lines = [f"a = torch.tensor([1, 0, 3]).to(torch.{dtype})", *[f"a.{each}" for each in calls], "a"]
    texts = {re.sub("output type .*", "", said(lines, engine)) for engine in ENGINES}  # which torch names in two ways
    assert len(texts) == 1


def test_a_rounded_quotient_guards_its_operands() -> None:
    lines = [*SETUP, "c = x * 2"]
    for mode in ("'floor'", "'trunc'"):
        q = f"q = x.div(c, rounding_mode={mode})"
        assert_alike([*lines, q, "q", "c.detach()[0] = 3.", "q.sum().backward()", "x.grad"])


def test_bools_that_torch_has_no_kernel_for() -> None:
    lines = ["b.div(b, rounding_mode='trunc')", "b.div(b, rounding_mode='floor')", "torch.addcmul(b, b, b)"]
    assert_alike(
        [
            *SETUP,
            *lines,
            "b // m[:, :2]",
            "b % m[:, :2]",
            "i // n[:2]",
            "i % n[1:]",
            "b & x[:, :2]",
            "b ^ x[:, :2]",
            "b | x",
        ]
    )


SHIFTED = "i = torch.tensor([1, -6]); b = torch.tensor([1, 200], dtype=torch.uint8); m = i > 0; x = torch.ones(2)"
SHIFTS = [
    *("i << 1", "i >> 1", "1 << b", "i << i", "b << 9", "b << 1", "i.int() >> 33", "i << 64", "i >> -1", "m << 1"),
    *("m << m", "x << 1", "i << 1.5", "i << 'a'", "i << None", "torch.bitwise_left_shift(i, 2)"),
    *("torch.bitwise_right_shift(3, b)", "torch.bitwise_left_shift(1, 2)", "i.bitwise_right_shift_(1)"),
    *("b.__rlshift__(1)", "torch.tensor(5) << 1"),
]


@each_of(line=SHIFTS)
def test_shifts(line: str) -> None:
    assert_alike([SHIFTED, line, "i"])


@pytest.mark.parametrize("name", ["deg2rad", "rad2deg"])
def test_degrees_and_radians(name: str) -> None:
    setup = (
        "w = torch.tensor([180., 0.5, 1e10], requires_grad=True); i = torch.tensor([1, 90]); h = w.detach().double()"
    )
    lines = [f"y = torch.{name}(w)", "y", "y.sum().backward()", "w.grad", f"i.{name}()", f"h.{name}_()", f"i.{name}_()"]
    assert_alike([setup, *lines])
