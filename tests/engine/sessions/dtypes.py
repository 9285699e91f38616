"""Operands of any dtype: every pair, beside numbers, alone, what a program asks about them, and the default dtype."""

import itertools, operator
FLOATING = torch.float16, torch.float32, torch.float64
ALL = *FLOATING, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool
TENSORS = [torch.tensor(data, dtype=dtype) for dtype in ALL for data in ([1, 2, 0], 2)]
def asked(f, *each):
    for given in each:
        kind(lambda: print(*given, r := f(*given), getattr(r, "dtype", "")))

# --- every pair of tensors, and every tensor beside a number
# each of: f = {piece}
operator.add; operator.sub; operator.mul; operator.truediv; operator.pow; operator.lt; torch.remainder
torch.fmod; torch.floor_divide; torch.maximum; torch.atan2; torch.logical_and
torch.bitwise_and; torch.result_type
# then
asked(f, *itertools.product(TENSORS, TENSORS))
asked(f, *itertools.product(TENSORS, (True, 3, 2.5)), *itertools.product((True, 3, 2.5), TENSORS))

# --- every dtype alone
asked(lambda m: {piece}, *[(torch.tensor([[1, 2], [0, 1]], dtype=dtype),) for dtype in ALL])
# each of
m.sum(); m.mean(); -m; m @ m; m.T; m[0, 0].item(); m.requires_grad_(); m.clamp(0); m.clamp(.5); m.pow(2); m.pow(.5)
m.add(1.5); m.remainder(1.5); m.div(2); m.prod(); m.max(); m.min(); m.amax(); m.argmax(); m.median(); m.norm(); m.var()
m.std(); m.any(); m.all(); m.nansum(); m.count_nonzero(); m.unique(); m.cumsum(0); m.cumprod(0); m.softmax(0).dtype
m.log_softmax(0).dtype; m.sort(0); m.topk(1); m.max(0); m.min(0); m.median(0); m.sum(0); m.mean(0); m.prod(0); m.amax(0)
m.argmin(0); m.is_signed(); m.dtype.is_signed; m.dtype.is_complex; m.dtype.is_floating_point; m.type(); m.exp()
m.sqrt(); m.sign(); m.floor(); m.abs(); m.round(); m.logical_not(); m.isnan(); m.square(); m.relu(); m.frac()
m.sigmoid(); m.reciprocal(); m.trunc(); m.nan_to_num(); m.erf(); m.tanh(); m.log2(); m.rsqrt(); m.neg(); m.positive()

# --- with a dtype the entries are cast first
# each of: f = lambda given, dtype: torch.tensor([1.7, 2.7, -0.5], dtype=given).{piece}(0, dtype=dtype)
cumsum; cumprod; sum; prod
# then
asked(f, *itertools.product(ALL, ALL))

# --- one dtype and two
# each of
asked(torch.promote_types, *itertools.product(ALL, ALL)), torch.promote_types(float, torch.int32)
torch.promote_types(1, 2); torch.promote_types(torch.int8); torch.result_type(tensor=torch.ones(1), other=2)
[torch.half, torch.float, torch.double, torch.short, torch.int, torch.long, torch.bool]
torch.inf, -torch.inf, torch.nan, torch.pi, torch.e, torch.newaxis, torch.ones(3)[:, torch.newaxis]
torch.is_complex(torch.ones(1)), torch.ones(1).is_complex(), torch.is_signed(torch.ones(1)); torch.is_complex(1)

# --- limits
fields = "bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"
for dtype in FLOATING: info = torch.finfo(dtype); print(info, [getattr(info, name) for name in fields])
for dtype in ALL[3:8]: info = torch.iinfo(dtype); print(info, info.bits, info.max, info.min, info.dtype)
torch.finfo(torch.half) == torch.finfo(torch.half), torch.finfo(torch.half) == torch.finfo()

# --- limits of what has none
# each of
torch.finfo(); torch.finfo(torch.int64); torch.finfo(torch.bool); torch.iinfo(torch.float32)
kind(torch.iinfo); kind(lambda: torch.iinfo(torch.bool)); kind(lambda: torch.finfo(torch.float32, 1))
type(torch.finfo()), type(torch.iinfo(torch.int8))

# --- limits in place need room for the number
asked(lambda m: m.{piece}, *[(torch.tensor([1, 0, 3]).to(dtype),) for dtype in ALL])
# each of
clamp_(-1, 1.5); clamp_(0, 1); clip_(max=1.5); clamp_min_(1); clamp_min_(0.5); clamp_max_(1.5)

# --- the default dtype
def made():
    print(torch.tensor([1., 2.5]), torch.tensor([1, 2]), torch.tensor([True]), torch.tensor(1.5), torch.tensor([]))
    print([torch.tensor(data, dtype=each) for each in ALL for data in ([1., 2.5], [])], torch.zeros(2, 0))
    print(torch.zeros(2), torch.ones(2), torch.full((2,), 1.5), torch.eye(2), torch.arange(3.), torch.linspace(0, 1, 3))
    print(torch.rand(2).dtype, torch.randn(2).dtype, torch.normal(0., 1., (2,)).dtype, torch.randint(3, (2,)).dtype)
    print(torch.Tensor([1, 2]), torch.Tensor(2).dtype, torch.Tensor([1]).type(), torch.autograd.Variable().dtype)
    print(torch.FloatTensor([1.]), torch.DoubleTensor([1.]), torch.HalfTensor([1.]), torch.LongTensor([1]))
    print(torch.tensor(np.float32(1.5)), torch.tensor(np.array([1.5])), torch.as_tensor([1.5]), torch.randperm(2))
    print(torch.ones(2, dtype=float), torch.ones(2).to(float), torch.ones(2).half(), torch.ones(2).double())
    print([torch.ones(2).to(each).type() for each in ALL], torch.zeros_like(torch.tensor([1.5])).dtype)
def met():
    i = torch.tensor([1, 2]); f = torch.tensor([1., 2.], dtype=torch.float32)
    print(i * 1.5, i + 1, i / 2, f * 1.5, f + i, i / i, i ** 0.5, 2. ** i, i.float())
    print(i.sqrt(), i.exp(), i.sin(), i.log(), i.reciprocal(), i.true_divide(2), torch.where(i > 1, 1., 0.))
    print(i.clamp(min=1.5).dtype, torch.maximum(i, f).dtype, i.mean(dtype=torch.float32))
    x = torch.ones(2, requires_grad=True); y = (x * 2).sum(); y.backward()
    print(x, y, x.grad, x.detach(), torch.nn.Parameter(torch.ones(2)))
    linear = torch.nn.Linear(2, 1); adam = torch.optim.Adam(linear.parameters())
    print(linear.weight.dtype, torch.nn.LayerNorm(2).weight, torch.nn.Embedding(2, 2).weight.dtype)
    linear(torch.ones(1, 2)).sum().backward(); adam.step()
    print(adam.state[linear.weight]['step'], adam.state[linear.weight]['exp_avg'].dtype, linear.weight.grad)
    print(torch.nn.functional.mse_loss(x, torch.zeros(2)), torch.nn.functional.softmax(torch.tensor([1., 2.]), 0))
    print(torch.bernoulli(torch.ones(2)), torch.std(torch.tensor([1., 2.])), torch.nn.utils.clip_grad_norm_([], 1.0))
_ = torch.manual_seed(0)
# each of: torch.set_default_dtype({piece}); print(torch.get_default_dtype())
torch.float16; torch.float32; torch.float64; torch.int64; torch.bool; 'float64'; float; 3; None
# then
made()
met()
torch.set_default_dtype(torch.float32)
torch.float32.itemsize, torch.float16.is_floating_point
