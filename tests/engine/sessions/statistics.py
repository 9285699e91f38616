"""Counts, quantiles, differences, distances and running extremes, with their gradients."""

x = torch.tensor([3., 1., 2., 2.], requires_grad=True); i = torch.tensor([1, 0, 2, 1]); F = torch.nn.functional
m = torch.tensor([[3., 1., 2.], [1., 1., 5.]], requires_grad=True); u = torch.tensor([1., 10., 100., 1000.])
n = torch.tensor([[1., float('nan'), 3.], [2., 4., 9.]]); inf = float('inf')
def back(y): y.backward(u[: y.numel()].reshape(y.shape)); print(y, x.grad, m.grad)
def twice(y, t):
    (g,) = torch.autograd.grad((y ** 2).sum(), t, create_graph=True)
    (g * g).sum().backward(); print(t.grad)

# --- values and gradients
# each of
torch.bincount(i), torch.bincount(i, u), torch.bincount(i, minlength=5), i.bincount(weights=i)
torch.bincount(torch.tensor([], dtype=torch.int64)), torch.bincount(i, u.double())
torch.cdist(m, m), torch.cdist(m, m, p=1), torch.cdist(m, n, p=3.), torch.cdist(m, m[:1], p=inf)
torch.cdist(torch.stack([m, m]), m + 1), torch.cdist(m[:0], m); back(torch.cdist(m, m + 1))
back(torch.cdist(m, m * 2, p=1)); back(torch.cdist(m, m * 2 + 7, compute_mode='use_mm_for_euclid_dist'))
torch.cdist(m.repeat(13, 1), m + 7), torch.cdist(m, m + 7, 2., None)
twice(torch.cdist(m, m[:1] * 2 + 7, compute_mode='use_mm_for_euclid_dist'), m)
torch.cdist(m, m + 7, compute_mode='use_mm_for_euclid_dist').grad_fn.next_functions[0][0].name()
torch.diff(x), torch.diff(m, dim=0), m.diff(), torch.diff(x, n=2, prepend=u[:1]), torch.diff(x, n=9)
torch.diff(torch.tensor([True, False, False])), torch.diff(i, append=i), torch.diff(u, n=0)
back(torch.diff(x, n=2))
torch.cummax(m, 1), torch.cummin(x, 0), torch.cummax(torch.tensor(1.), 0), n.cummax(1), i.cummin(0)
back(torch.cummax(x, 0).values); back(m.cummin(0)[0][1]); twice(x.cummax(0)[0], x)
torch.quantile(u, 0.4), torch.quantile(n[1], u[:2] / 20), torch.quantile(n, 0.5), n.quantile(0.3, dim=1)
torch.quantile(n, 0.5, dim=1, keepdim=True), torch.quantile(n, u[:2] / 20, keepdim=True), n.quantile(u[:1], 0)
torch.nanquantile(n, 0.5), torch.nanquantile(n, u[:2] / 30, dim=1), n.nanquantile(0.5, dim=0, keepdim=True)
[torch.quantile(n[1], .3, interpolation=each) for each in ('linear', 'lower', 'higher', 'midpoint', 'nearest')]
torch.logaddexp(x, x * 2), x.logaddexp(u), torch.logaddexp(u, -u), torch.logaddexp(u.double(), u)
back(torch.logaddexp(x, x * 2)); twice(torch.logaddexp(x, u / 9), x)
torch.isin(i, torch.tensor([1])), torch.isin(1, i), torch.isin(i, 1, invert=True), torch.isin(u, n)
torch.searchsorted(u, n), torch.searchsorted(u, 10.0, right=True), torch.searchsorted(u, 10.0, side='left')
x.index_fill(0, i[:1], 5.), m.index_fill(1, torch.tensor([0, -1]), 7), i.index_fill(0, i, 5)
x.index_fill(0, i[:1], torch.tensor(5., requires_grad=True)), u.clone().index_fill_(0, i[:2], -1.)
back(x.index_fill(0, i[:1], 5.))
torch.logspace(0, 2, 3), torch.logspace(-1, 1, 4, base=2), torch.logspace(0, 1, 0), torch.logspace(2, 3, 1)
torch.logspace(0, 3, 4, dtype=torch.int64), torch.logspace(0, 1, 3, dtype=torch.float64)
torch.mode(x), torch.mode(m, 1), torch.mode(m), m.mode(0, keepdim=True), torch.tensor([2, 2, 1, 1, 3]).mode()
torch.kthvalue(x[:3], 2), torch.kthvalue(u.reshape(2, 2), 1, 0, keepdim=True), n.kthvalue(3, 1)
back(m.kthvalue(2, 0).values); back(x.mode().values)
torch.nanmean(n), torch.nanmean(m, 1), m.nanmean(), n.nanmean(0, keepdim=True); back(torch.nanmean(m * n, 1))
x.index_put((i,), x), x.index_put((i,), u[0], accumulate=True), torch.index_put(x, (i * 0,), u, True)
F.logsigmoid(x), torch.nn.LogSigmoid(), torch.nn.LogSigmoid()(-m); back(F.logsigmoid(-x))
twice(F.logsigmoid(x), x)
torch.nn.init.eye_(torch.empty(2, 3)), torch.nn.init.eye_(torch.nn.Linear(2, 3).weight)
torch.linalg.matrix_rank(n[1:]), torch.linalg.matrix_rank(torch.ones(2, 3, 3))
# each line of
y = torch.quantile(m, 0.7, dim=0); y.backward(u[:3]); print(y.detach(), m.grad)
v = torch.tensor(5., requires_grad=True); back(m.index_fill(1, i[:1], v)[0]); print(v.grad)
y = u.clone(); y.index_put_((i,), u * 2, accumulate=True); print(y); y.index_put_((i > 0,), u[1]); print(y)
v = u.clone().requires_grad_(); y = (x * 1).index_put_((i,), v, accumulate=True); back(y); print(v.grad)
v = u.clone().requires_grad_(); back(x.index_put((i[:3],), v[:3])); print(v.grad)
d = torch.diag(u / 1000); r = torch.linalg.matrix_rank; print(r(d, rtol=.05), r(d, .05), r(d), r(d, atol=2.))

# --- what is refused
# each of
torch.bincount(u); torch.bincount(-i); torch.cdist(m[0], m); torch.cdist(m, torch.ones(2, 2))
torch.diff(torch.tensor(1.)); torch.diff(x, n=-1); torch.quantile(i, 0.5); torch.quantile(x, 1.5)
torch.nanquantile(x, 0.4, interpolation='foo'); torch.quantile(torch.tensor([]), 0.5); torch.logaddexp(i, i)
torch.searchsorted(u, x.detach(), side='foo'); x.index_fill(0, torch.tensor([9]), 5.)
x.index_fill(0, torch.tensor([1.]), 5.); torch.kthvalue(x, 9); torch.nanmean(i); torch.logspace(0, 1, -1)
F.logsigmoid(i); torch.nn.init.eye_(torch.empty(2)); torch.cummax(x, 3); torch.quantile(x, 2.0)

# --- numbers with ties
t = torch.tensor([{piece}])
t.cummax(0), t.cummin(0), torch.mode(t), torch.kthvalue(t, 1).values, torch.logaddexp(t, -t)
torch.quantile(t, .35), torch.quantile(t, torch.tensor([0., .5, 1.]))
torch.diff(t, n=2), torch.searchsorted(t.sort()[0], t, right=True)
# each of
1.; 0., 0.; 3., -2., 3.; .5, .5, -.5, 1.; -2., 0., 0., -2., 1., 1.; 1., 3., -.5, 0., 3., .5

# --- a spread without degrees of freedom; where entries are
import warnings; warnings.simplefilter('ignore')
u = torch.tensor([1., 2.], requires_grad=True); s = torch.tensor([[1, 0, 1], [0, 1, 1]])
# each of
torch.autograd.grad(u.std(correction=2), u), torch.autograd.grad(u.var(correction=5), u)
torch.autograd.grad((u * 0).var(correction=5), u), torch.autograd.grad(torch.std_mean(u, correction=3)[0], u)
s.nonzero().stride(), torch.argwhere(s > 0).stride(), [t.stride() for t in torch.where(s > 0)], s.nonzero()
torch.tensor(2.).nonzero(), torch.tensor(0.).nonzero(), torch.ones(()).T
