"""Operations entry by entry: values, nodes, edges, first and second derivatives, dtypes, errors."""

# setup: entries

# --- functions of one number
# each of: f = torch.{piece}; told(torch, x.{piece}(), x)
exp; exp2; expm1; log; log2; log10; log1p; sqrt; rsqrt; reciprocal; sin; cos; tan; asin; acos; atan; sinh; cosh
tanh; asinh; acosh; atanh; arcsin; arccos; arctan; arcsinh; arccosh; arctanh; sigmoid; erf; relu; abs; absolute
sign; floor; ceil; trunc; fix; round; frac; square; neg; negative; positive; nan_to_num; isnan; isinf; isfinite
logical_not
# then
told(torch, f(p), p)
told(torch, f(e), e)
told(torch, f(v), v)
told(torch, f(z), z)
told(torch, f(d), d)
told(torch, f(n))
told(torch, f(b))
told(torch, f(u))
told(torch, f(torch.zeros(0, 3)))

# --- operations: values, nodes, first and second derivatives
# each of: told(torch, {piece}, {leaves})
x + y; x - y; x * y; x / y; x + v; x - v; x * v; x / v; x + z; z - x; v + d; v * d; d / v; x + i; i - x; x + 2
2 + x; x - 2; 2 - x; x * 2; 2 * x; x / 2; 2 / x; x + True; True * x; -x; +x; abs(x); torch.add(x, y, alpha=2)
torch.add(x, 2, alpha=3); torch.add(x, i, alpha=1.5); x.add(v, alpha=-0.5); torch.sub(x, y, alpha=2)
torch.sub(x, 1, alpha=2); torch.subtract(x, y); x.sub(v, alpha=0.5); torch.add(1, x); torch.sub(1, x)
torch.mul(2, x); torch.div(1, x); torch.rsub(x, 2); torch.multiply(x, y); torch.divide(x, y)
torch.true_divide(x, y); torch.true_divide(x, 2); x.mul(y); x.div(y); b + b; b * b; b + 1; b * 2.5; b / 2
1 / b; True * b; 2 * b; 1.5 * b; torch.add(b, b, alpha=2); n + 1; n * 2; n / 2; 1 - n; 1.5 - n; n - 1.5
n - True; True - n; u + 1; u * 2; u - u; u / 2; -u; torch.zeros(0, 3) * torch.zeros(2, 1, 3); x // 2; x // y
2 // x; x % 2; x % y; x % v; 2 % x; x % -2; e // 2; e % 2; z // 2; z % 2; 5 // z; torch.floor_divide(x, y)
torch.remainder(x, y); torch.remainder(2, x); torch.remainder(x, i); torch.fmod(x, y); torch.fmod(x, 2)
x.fmod(v); e.fmod(2); torch.tensor([-4., 4., -0., 5., -5.]) % 2; torch.tensor([-4., 4., 0., 5., -5.]) % -2
torch.tensor([-4., 4., 0., 5., -5., inf, 1.]) // torch.tensor([0., 0., 0., inf, inf, 2., -inf])
torch.tensor([-4., 4., 0., 5., -5., inf, 1.]) % torch.tensor([0., 0., 0., inf, inf, 2., -inf])
x.div(y, rounding_mode='floor'); x.div(y, rounding_mode='trunc'); x.div(v, rounding_mode='trunc')
x.div(2, rounding_mode='floor'); n // 2; n % 3; 5 // i; 5.5 // i; 7 % i; i % 2.5; n.fmod(3); b // 2; b % 2
u // 2; u % 2; n.div(2, rounding_mode='trunc'); n.div(2, rounding_mode='floor'); n.div(2, rounding_mode=None)
torch.tensor([-7, 7]) // torch.tensor([2, -2]); torch.tensor([-7, 7]) % torch.tensor([2, -2])
torch.fmod(torch.tensor([-7, 7]), torch.tensor([2, -2])); torch.floor_divide(i, 0.); x ** 2; x ** 3; x ** 0
x ** 1; x ** 2.5; p ** 0.5; p ** -0.5; p ** -1; p ** -2; x ** 4; o ** 2; o ** 0; z ** 2; p ** y; x ** i
i ** p; d ** 2; p ** z; o ** o; o ** torch.tensor([0., 1., -1., 2.]); e ** 0; e ** 2; 2 ** x; 2.5 ** x; 1 ** x
0 ** o; 0 ** x; (-2.) ** e; 2 ** z; torch.tensor([0., 1., -1., 2.]) ** o; torch.pow(x, 2); torch.pow(2, x)
torch.pow(p, y); torch.square(x); n.square(); n ** 2; i ** 0.5; 2 ** n; 2. ** n; 2 ** b; b ** 2; u ** 2
n.pow(torch.tensor([-1, 0, 1])); n.square(); b.square(); torch.hypot(x, y); x.hypot(v); torch.atan2(x, y)
torch.arctan2(x, y); x.atan2(v); torch.atan2(o, o); torch.atan2(v, d); i.atan2(n); n.atan2(b)
torch.lerp(x, y, 0.5); torch.lerp(x, y, 0.7); x.lerp(v, 0.25); x.lerp(y, y); x.lerp(v, z); x.lerp(x * v, x)
torch.lerp(x, y, torch.tensor(0.3)); torch.addcmul(x, y, y); x.addcmul(y, v, value=2); x.addcmul(v, z)
torch.addcmul(v, d, v, value=3); torch.addcdiv(x, y, y); x.addcdiv(y, v, value=2); x.addcdiv(v, z, value=-2)
torch.addcdiv(v, d, v, value=3); i.addcmul(i, i, value=2); i.addcmul(i, i, value=1.5); torch.where(m, x, y)
torch.where(m, x, 0); torch.where(m, 0, x); torch.where(m, 0., 1.); torch.where(m, 0, 1); torch.where(m, x, i)
torch.where(m, i, 0.5); torch.where(b, x, v); torch.where(m, z, x); torch.where(b, v, d)
torch.where(m, True, False); torch.where(m, True, 2); torch.where(m, torch.tensor(1., dtype=torch.float64), x)
torch.where(m); torch.where(torch.zeros(0) > 0); torch.where(torch.tensor(True)); x.where(m, y); x.where(m, 0)
torch.where(condition=m, input=x, other=y); torch.where(e > 0, e.log(), 0); torch.masked_fill(x, m, 2)
x.masked_fill(m, z); x.masked_fill(b, 2); x.masked_fill(mask=m, value=1); v.masked_fill(m, 0)
e.masked_fill(e.isnan(), 0.); i.masked_fill(m, 2.5); v.masked_fill(b, d[0]); b.masked_fill(b, False)
torch.clamp(x, 0, 1); torch.clamp(x, min=0); torch.clamp(x, max=0); torch.clamp(x, None, 1)
torch.clamp(x, 2, 1); torch.clip(x, 0, 1); o.clamp(0, 1); e.clamp(-1, 1); e.clamp(min=0); e.clamp(max=0)
e.clamp(nan, 1); torch.clamp(x, y); torch.clamp(x, y, y); torch.clamp(x, min=y); torch.clamp(x, max=y)
x.clamp(z, v); o.clamp(o, o); x.clamp(v, y); e.clamp(e, o[0]); torch.clamp(x, i); torch.clamp(i, x)
torch.clamp(v, d, d + 1); torch.clamp_min(x, 0); torch.clamp_max(x, 0); e.clamp_min(0); torch.clamp(i, 0, 2.5)
torch.clamp(i, 2, 4); torch.clamp(b, 0, 1); u.clamp(1, 2); n.clamp(0.5); torch.maximum(x, y)
torch.minimum(x, y); x.maximum(v); x.minimum(v); torch.maximum(x, i); torch.maximum(e, -e)
torch.maximum(e, o[0]); torch.maximum(o, o * o); torch.minimum(o, o * o); torch.maximum(v, d); b.maximum(~b)
torch.nan_to_num(e, 1., 2., 3.); torch.nan_to_num(e, nan=1.); torch.nan_to_num(i)
torch.tensor([-0., 0.]).relu(); torch.tensor([-0., 0., nan] * 13).relu()
torch.tensor([0., -0.] * 9).half().relu(); torch.tensor([-0., 0., 1.] * 7).double().relu()
x.t().relu().stride(); x.relu().stride(); x[:, ::2].relu().stride(); torch.tensor([-0., 0.]).clamp(0, 1)
torch.tensor([-0.]).maximum(torch.tensor([0.])); x == y; x != y; x < y; x <= y; x > y; x >= y; x > 0; 0 < x
x == 1; n == 0.5; n < 2; b == True; x == v; e == e; torch.eq(x, y); torch.ne(x, 2); torch.lt(x, y)
torch.le(x, 2); torch.gt(x, y); torch.ge(x, 2); x.eq(1); x.ge(y); torch.greater(x, y); torch.less(x, y)
torch.not_equal(x, y); torch.less_equal(x, y); torch.greater_equal(x, y); torch.isclose(x, y); e.isclose(e)
e.isclose(e, equal_nan=True); torch.isclose(x, y, rtol=0.1, atol=1); b.isclose(b); i.isclose(i)
torch.logical_and(x, y); torch.logical_or(o, o); torch.logical_xor(o, o + 1); n.logical_not(); b & b
b | False; b ^ True; ~b; n & 3; n | 1; 7 ^ n; 2 & n; ~n; b & 2; n & b; u & 1; ~u; torch.bitwise_not(n)
torch.bitwise_and(n, 1); torch.bitwise_or(n, n); torch.bitwise_xor(b, b); torch.round(x, decimals=1)
torch.round(x * 123, decimals=-1)

# --- a number of numpy counts as one of python
import numpy as np
v + np.float32(2), v + np.float64(1.5), v + np.int64(2), v - np.float32(2), v - np.float64(1.5)
v - np.int64(2), v * np.float32(2), v * np.float64(1.5), v * np.int64(2), v / np.float32(2)
v / np.float64(1.5), v / np.int64(2), v // np.float32(2), v // np.float64(1.5), v // np.int64(2)
v % np.float32(2), v % np.float64(1.5), v % np.int64(2), v ** np.float32(2), v ** np.float64(1.5)
v ** np.int64(2), v > np.float32(2), v > np.float64(1.5), v > np.int64(2), v == np.float32(2)
v == np.float64(1.5), v == np.int64(2), v.clamp(np.float32(0)), torch.where(v > 0, np.float32(1), v)
v.lerp(v, np.float64(0.5)), n & np.int64(1)

# --- changed in place
a = v * 1
# each of: a.{piece}
exp_(); log_(); sqrt_(); sigmoid_(); tanh_(); relu_(); abs_(); round_(); neg_(); square_(); reciprocal_(); floor_()
sign_(); pow_(2); pow_(0.5); mul_(v); div_(v); sub_(v, alpha=3); add_(v, alpha=3); clamp_(0, 1); clip_(min=0)
clamp_min_(0); clamp_(v.detach()); masked_fill_(b, 0.); masked_fill_(b, z); addcmul_(v, v, value=0.5)
addcdiv_(v, v + 5); lerp_(v * 2, 0.5); remainder_(2); fmod_(v); nan_to_num_(); atan2_(v)
div_(2, rounding_mode='floor')
# then
a, a._version
a.sum().backward()
v.grad, z.grad

# --- a row is changed in place
a = x * 1
# each of: a[0].{piece}
exp_(); relu_(); masked_fill_(b, 9.); mul_(v); add_(v, alpha=2); lerp_(v, 0.5); addcmul_(v, v); clamp_(0, 1)
# then
a
a.sum().backward()
x.grad, v.grad

# --- changed by an operator
# each of: a = v * 1; a {piece} 2; print(a)
+=; -=; *=; /=; %=; **=
# then
a.sum().backward()
v.grad

# --- changes that are refused, and those of integers and bools
# each of
x.exp_(); v.mul_(2); n.exp_(); n.div_(2); n.add_(1.5); n.mul_(2); n.floor_divide_(2); n.bitwise_not_()
b.logical_not_(); n.masked_fill_(b, 2.5); n.clamp_(0, 2)
# each line of
with torch.no_grad(): v.mul_(2); print(v, v.requires_grad, v._version)
a = v * 1; a //= 2; print(a)
n //= 2; print(n)
n %= 2; print(n)
n &= 1; print(n)
n |= 2; print(n)
n ^= 2; print(n)
a = b; b &= torch.tensor([True, True, False]); print(a is b, a)

# --- what a node has saved is freed by a backward, what it has not, is not
# each of: r = ({piece}).sum(); r.backward()
v.floor(); v.sign(); v.round(); v.frac(); v.add(v, alpha=2); 2 - v; v % 2; v.fmod(2); v.lerp(v, 0.5); v.remainder(v)
v.remainder(v.detach()); v.addcmul(v.detach(), v.detach()); v.addcdiv(v.detach(), v.detach())
v.div(v, rounding_mode='floor'); v.exp(); v.log(); v.relu(); v.abs(); v.clamp(0, 1); v.maximum(v)
torch.where(b, v, 0); v.masked_fill(b, 0); v.masked_fill(b, z); v ** 2; 2 ** v; v ** v; v.atan2(v); v.lerp(v, v)
v.nan_to_num()
# then
r.backward()
v.grad

# --- what is saved is guarded against changes
a = v * 1; r = a.exp(); a.add_(1); r.sum().backward(); print(v.grad)
a = v * 1; r = a.log(); a.add_(1); r.sum().backward()
r = (v * 1).exp(); r.mul_(2); r.sum().backward()
c = v.detach() > 0; c.logical_not_(); r = torch.where(c, v, 0); r.sum().backward(); print(v.grad)
a = v * 1; print(torch.relu_(a) is a, torch.exp_(a)); a.sum().backward(); print(v.grad)
v.exp().grad_fn._saved_result, v.log().grad_fn._saved_self, (v ** v).grad_fn._saved_exponent
torch.where(b, v, 0).grad_fn._saved_condition, v.masked_fill(b, 0).grad_fn._saved_mask

# --- words
# each of
torch.exp(1.); torch.exp([1.]); torch.exp(); torch.exp(v, 2); torch.maximum(v, 2); v.maximum(2); torch.atan2(v, 2)
torch.logical_and(v, 2); torch.equal(v, 2); torch.isclose(v, 2); torch.isclose(v, d); torch.allclose(v, n)
torch.add([1], v); torch.add(v, v, alpha=v); torch.add(n, n, alpha=1.5); torch.add(n, n, alpha=True); v + None
v + 'a'; v // None; v & None; v % 'a'; [1.] - v; v < 'a'; v == None; v != 'a'; v & v; v | 1; 1 ^ v; n & 2.5; ~v
torch.bitwise_not(v); -b; +b; b - b; b - 1; 1 - b; b // b; b % b; b ** b; n // 0; n % 0; n.fmod(0)
n.div(0, rounding_mode='trunc'); n.div(2, rounding_mode='up'); n ** -1; v + torch.ones(2)
torch.where(b, v, torch.ones(4)); torch.where(torch.ones(4) > 0, v, v); torch.where(n, v, v); torch.where(v, v, v)
v.masked_fill(n, 0); v.masked_fill(b, v); v.masked_fill(torch.tensor([True, False]), 0); v.clamp(); v.lerp(n, 0.5)
v.lerp(d, 0.5); n.lerp(n, 0.5); n.lerp(n, n); v.addcmul(torch.ones(2), v); b.abs(); b.floor(); b.round(); b.relu()
n.frac(); n.round(decimals=1); (v // 2).sum().backward(); (7 % v).sum().backward()
torch.autograd.grad(v.floor().sum(), z)

# --- the node of a first derivative
# each of: r = {piece}; u = torch.ones_like(r).requires_grad_()
x * y; x / y; 2 - x; x ** 2; 2 ** p; p ** y; x.exp(); p.log(); p.sqrt(); x.sin(); x.tanh(); x.sigmoid(); x.relu()
x.abs(); x.clamp(0, 1); x.maximum(y); x.minimum(v); torch.where(m, x, y); x.masked_fill(m, 0); x.masked_fill(m, z)
x.lerp(y, .3); x.addcmul(y, v); x.add(y, alpha=2); x.reciprocal(); x.rsqrt(); p.atanh(); x.exp2(); x.floor()
x.nan_to_num(); x % y; torch.clamp(x, y); x.sum(0); x.mean(0); x.prod(); o.prod(); x.prod(1); x.cumsum(0)
x.cumprod(1); x.max(); x.max(1).values; x.amax(0); x.sort()[0]; x.topk(1)[0]; x.median(); x.var(); x.std(0); x.norm()
x.norm(1, 0); x.norm(3); x.log_softmax(0)
# then
torch.autograd.grad(r, [{leaves}][0], u, create_graph=True)

# --- python names
abs(v), +v is v, sum(v), divmod(v.detach(), 2)
torch.equal(v, v.clone()), torch.equal(v, x), n.equal(n + 1), torch.equal(e, e)
torch.allclose(v, v + 1e-9), v.allclose(v + 1), e.allclose(e), e.allclose(e, equal_nan=True)
v.is_floating_point(), torch.is_floating_point(n), torch.is_nonzero(z), bool(v.any())
v.is_nonzero()

# --- a limit may be a tensor
# each of
r = x.clamp_min(y); r = x.clamp_max(y)
# then
(r * x).sum().backward()
r.detach(), x.grad, y.grad

# --- a rounded quotient guards its operands
c = x * 2
# each of
q = x.div(c, rounding_mode='floor'); q = x.div(c, rounding_mode='trunc')
# then
q
c.detach()[0] = 3.
q.sum().backward()
x.grad

# --- bools that torch has no kernel for
# each of
b.div(b, rounding_mode='trunc'); b.div(b, rounding_mode='floor'); torch.addcmul(b, b, b); b // m[:, :2]
b % m[:, :2]; i // n[:2]; i % n[1:]; b & x[:, :2]; b ^ x[:, :2]; b | x

# --- shifts
i = torch.tensor([1, -6]); b = torch.tensor([1, 200], dtype=torch.uint8); m = i > 0; x = torch.ones(2)
# each of
i << 1; i >> 1; 1 << b; i << i; b << 9; b << 1; i.int() >> 33; i << 64; i >> -1; m << 1; m << m; x << 1
i << 1.5; i << 'a'; i << None; torch.bitwise_left_shift(i, 2); torch.bitwise_right_shift(3, b)
torch.bitwise_left_shift(1, 2); i.bitwise_right_shift_(1); b.__rlshift__(1); torch.tensor(5) << 1
# then
i

# --- degrees and radians
w = torch.tensor([180., 0.5, 1e10], requires_grad=True); i = torch.tensor([1, 90]); h = w.detach().double()
# each of: y = w.{piece}(); print(y)
deg2rad; rad2deg
# then
y.sum().backward(); print(w.grad)
i.{piece}(), h.{piece}_()
i.{piece}_()
