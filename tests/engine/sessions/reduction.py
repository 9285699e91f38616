"""Reductions, running sums, norms, softmax and orderings: values, nodes, derivatives, dtypes, errors."""

# setup: entries

# --- operations: values, nodes, first and second derivatives
# each of: told(torch, {piece}, {leaves})
x.sum(); x.sum(0); x.sum(-1, keepdim=True); x.sum((0, 1)); x.sum([1], True); x.sum(axis=1, keepdims=True)
x.sum(()); x.sum(dim=[]); x.sum(None); torch.sum(input=x); torch.sum(x, dim=0, keepdim=True); z.sum(0)
z.sum(-1); e.sum(); x.detach().sum(dtype=torch.float64); x.sum(0, dtype=torch.float64)
i.sum(dtype=torch.float32); i.sum(dtype=torch.int32); i.sum(); i.sum(0); b.sum(); u.sum()
torch.zeros(0).sum(); torch.zeros(0, 3).sum(0); torch.zeros(0, 3).sum(1); x.mean(); x.mean(0)
x.mean((0, 1), True); x.mean(axis=-1); x.mean(()); x.mean(None); z.mean(0); e.mean()
x.detach().mean(dtype=torch.float64); x.mean(0, dtype=torch.float64); i.mean(dtype=torch.float32)
torch.zeros(0).mean(); torch.zeros(0, 3).mean(0); e.detach().nansum(); x.detach().nansum(1); n.nansum()
e.detach().nansum(0, True); x.detach().nansum(dtype=torch.float64); x.any(); x.all(); o.any(); o.all()
x.any(0); o.any(dim=0, keepdim=True); m.all((0, 1)); m.any(1); m.all(0); u.any(); u.all()
torch.zeros(0).all(); torch.zeros(0).any(); torch.zeros(0, 3).any(0); torch.all(b); torch.any(i, dim=0)
z.any(); z.all(0); x.count_nonzero(); o.count_nonzero(0); m.count_nonzero((0, 1))
torch.count_nonzero(m, dim=1); n.count_nonzero(); x.prod(); x.prod(0); x.prod(1, keepdim=True); x.prod(dim=-1)
x.prod(axis=0); z.prod(); z.prod(0); v.prod(); e.prod(); o.prod(); o[1:].prod(); o[:2].prod(); o.prod(0)
torch.stack([o, o + 1]).prod(1); torch.stack([o, o + 1]).prod(0); x.prod(dtype=torch.float64)
x.prod(0, dtype=torch.float64); i.prod(); i.prod(0); b.prod(); torch.zeros(0).prod()
torch.zeros(0, 3).prod(0); x.cumsum(0); x.cumsum(dim=1); x.cumsum(-1); x.cumsum(axis=0); z.cumsum(0)
e.cumsum(0); i.cumsum(0); b.cumsum(0); x.cumsum(0, dtype=torch.float64); torch.zeros(0, 3).cumsum(0)
torch.tensor([-0., -0.]).cumsum(0); u.cumsum(0); x.cumprod(0); x.cumprod(1); o.cumprod(0); z.cumprod(0)
v.cumprod(-1); i.cumprod(0); torch.zeros(0, 3).cumprod(0); (o + 1).cumprod(0); (1 - o).cumprod(0)
x.cumprod(0, dtype=torch.float64); w.var(); w.var(0); w.var(1, keepdim=True); w.var((0, 1)); w.var(False)
w.var(0, False); w.var(0, True, True); w.var(unbiased=False); w.var(correction=0); w.var(dim=1, correction=2)
w.var(dim=None, correction=0); w.var(axis=1); torch.var(w, 1); w.var(1, correction=3); w.var(1, correction=4)
w.detach().var(correction=7); z.detach().var(); z.detach().var(0); w[:1].var(0); torch.zeros(0).var()
torch.zeros(0, 3).var(0); e.var(); x.var(); x.var(1); w.std(); w.std(0); w.std(1, keepdim=True); w.std((0, 1))
w.std(False); w.std(unbiased=False); w.detach().std(correction=10); w.std(dim=0, unbiased=False)
torch.std(w, (0, 1), False); w.std(1, correction=3); z.std(); (w * 0).std(); (w * 0 + 1).std(0)
w.std(dim=1, correction=0.5); x.norm(); x.norm(1); x.norm(2); x.norm(3); x.norm(0); x.norm(inf); x.norm(-inf)
x.norm(-1); x.norm('fro'); z.norm(); z.norm(1); x.norm(dim=1); x.norm(2, 1, True)
x.norm(p=2, dim=1, keepdim=True); x.norm(dim=(0, 1)); x.norm('fro', dim=1); x.norm(p=1, dim=0)
x.norm(3, dim=(0, 1)); x.norm(inf, 0); x.norm(-inf, 1); torch.norm(x); torch.norm(x, p=1, dim=0)
torch.norm(x, p=None); torch.norm(x, dtype=torch.float64); o.norm(); o.norm(1); o.norm(3); o.norm(0.5)
o.norm(inf); o.norm(-inf); (o * 0).norm(); (o * 0).norm(1); (o * 0).norm(3); (o * 0).norm(1.5)
(o * 0).norm(inf); e.norm(); e.norm(inf); v.norm(1.5); v.norm(0.5); torch.stack([o, o * 0]).norm(dim=1)
torch.stack([o, o * 0]).norm(3, dim=0); (z * 0).norm(); torch.tensor([1e30]).norm(); torch.zeros(0).norm()
torch.zeros(0, 3).norm(dim=0); torch.zeros(0, 3).norm(inf, dim=1); x.softmax(0); x.softmax(1)
x.softmax(dim=-1); x.softmax(axis=1); torch.softmax(x, 1); z.softmax(0); e.softmax(0)
x.softmax(1, dtype=torch.float64); x.softmax(1, torch.float64); i.softmax(0, dtype=torch.float32)
(x * 1000).softmax(1); x.logsumexp(0); torch.logsumexp(x * 1000, (0, 1), keepdim=True); x.log_softmax(0)
x.log_softmax(1); torch.log_softmax(x, -1); z.log_softmax(0); e.log_softmax(0); (x * 1000).log_softmax(1)
x.log_softmax(1, dtype=torch.float64); torch.zeros(0, 3).softmax(0); torch.zeros(0, 3).softmax(1)
torch.zeros(0, 3).log_softmax(1); torch.tensor([-inf, -inf]).softmax(0)
torch.tensor([-inf, 0.]).log_softmax(0); torch.stack([x, y]).softmax(1); torch.stack([x, y]).log_softmax(0)
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
x.argsort(1, True); x.argsort(dim=0, descending=True); torch.argsort(o, stable=True)
o.argsort(descending=True); x.topk(2); x.topk(1, 0); x.topk(2, dim=1, largest=False)
torch.topk(input=x, k=2, dim=-1); x.topk(0); z.topk(1); n.topk(2); x.topk(3, sorted=True); u.topk(1)
i.unique(); n.unique(return_counts=True); o.detach().unique(return_inverse=True, return_counts=True)
torch.zeros(0).unique(); b.unique(); i.unique_consecutive()
torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), True, True); b.unique_consecutive(dim=0)
torch.unique_consecutive(torch.tensor([[1, 1, 2], [1, 1, 3]]), return_inverse=True, return_counts=True, dim=1)
torch.zeros(0).unique_consecutive(True, True); torch.tensor(3.0).unique_consecutive(return_inverse=True)
n.unique_consecutive(return_counts=True); x.unique_consecutive(dim=7)

# --- what is refused
# each of
torch.sum([1.]); torch.sum(v, 0, 1); x.sum(2); x.sum((0, 0)); x.sum((0, -2)); x.sum(dtype=torch.int64); z.sum(1)
v.mean(-2); i.mean(); b.mean(0); x.mean(dtype=torch.int64); x.prod(2); x.prod(0, dtype=torch.int64)
torch.cumsum(v); v.cumsum(); v.cumsum(1); v.cumsum('a'); v.cumprod(1); i.var(); b.std(0); v.var(1); torch.norm(n)
b.norm(); v.norm(dim=1); torch.softmax(v); v.softmax(); v.softmax(1); i.softmax(0); i.softmax(1); i.log_softmax(0)
b.softmax(0); x.log_softmax(5); v.max(1); torch.zeros(0).max(); torch.zeros(0, 3).max(); torch.zeros(0, 3).max(0)
torch.zeros(0, 3).min(0); torch.zeros(0).amax(); torch.zeros(0, 3).amin(0); v.amax(1); x.amax((0, 0)); v.argmax(1)
b.argmax(); torch.zeros(0).argmax(); torch.zeros(0, 3).argmin(0); torch.max(torch.ones(2), torch.ones(3))
b.median(); b.topk(1); b.median(0); v.median(1); torch.zeros(0, 3).median(0); v.sort(1); v.topk(7); v.topk(-1)
v.topk(1, dim=5); v.topk(z); v.any(1); v.all((0, 0)); v.count_nonzero(1); v.unique().sum().backward()
v.unique_consecutive().sum().backward(); torch.autograd.grad(v.argmax(), v)

# --- what a node has saved is freed by a backward, what it has not, is not
# each of: r = {piece}.sum(); r.backward()
v.sum(0); v.mean(0); v.cumsum(0); v.prod(); v.prod(0); v.cumprod(0); v.max(); v.max(0).values; v.amax(); v.amin(0)
v.median(); v.median(0)[0]; v.sort().values; v.topk(2)[0]; v.var(); v.std(0); v.norm(); v.norm(1); v.softmax(0)
v.log_softmax(0); v.nansum()
# then
r.backward()
v.grad

# --- what is saved is guarded against changes
r = v.max(0); r.indices.add_(1); r.values.backward()
r = v.sort(); r.indices.mul_(0); r.values.sum().backward()
a = v * 1; r = a.prod(); a.add_(1); r.backward()
a = v * 1; r = a.sum(0); a.add_(1); r.backward(); print(v.grad)
a = v * 1; r = a.cumsum(0); a.add_(1); r.sum().backward(); print(v.grad)
r = v.softmax(0); r.mul_(2); r.sum().backward()
a = v * 1; a.cumsum_(0); a.sum().backward(); print(a, v.grad)
a = v * 1; a.cumprod_(0); a.sum().backward()
a, v.grad
v.max(0).values.grad_fn._saved_indices, v.max().grad_fn._saved_result, v.softmax(0).grad_fn._saved_result

# --- named pairs
r = v.max(0); print(r.values, r.indices, r[0], r[1], len(r))
a, c = r; print(a, c, isinstance(r, tuple), str(r) == repr(r))
r, x.sort(descending=True), x.topk(2), x.median(1)
print(x.min(0))
torch.tensor([[3., 1.], [1., 2.]]).max(dim=1)[1], sorted(v.tolist()), max(v.detach()), sum(x)

# --- the entry of a number is picked
# each of: r = z.{piece}[0]; told(torch, r, z)
sort(); sort(0); median(0); max(-1); min(0, True); topk(1)
# then
torch.autograd.grad(z.{piece}[0], z, torch.tensor(-2.))

# --- no zero gets a sign that torch does not give it
# each of
a = torch.tensor([0, 0, -2, 3], dtype=torch.float32, requires_grad=True)
a = torch.tensor([-2, 0, -2], dtype=torch.float32, requires_grad=True)
a = torch.tensor([0, -3, 2], dtype=torch.float32, requires_grad=True)
a = torch.tensor([-1, -2], dtype=torch.float32, requires_grad=True)
a = torch.tensor([-0.0, -1], dtype=torch.float32, requires_grad=True)
# then
torch.autograd.grad(a.prod(), a, torch.tensor(1.))
torch.autograd.grad(a.prod(), a, torch.tensor(-1.))
torch.autograd.grad(a.prod(0), a, torch.tensor(1.))
torch.autograd.grad(a.prod(0), a, torch.tensor(-1.))
torch.autograd.grad(a.cumsum(0)[0]*0, a, torch.tensor(1.))
torch.autograd.grad(a.cumsum(0)[0]*0, a, torch.tensor(-1.))
torch.autograd.grad(a.cumsum(0), a, -torch.zeros_like(a))
(-0.0 * a[0]).cumsum(0)

# --- places that the program changed have to exist
x = torch.tensor([[1., 3.], [2., 0.]], requires_grad=True)
v, i = x.{piece}; _ = i.data.fill_(5)
v.sum().backward()
v, i = x.{piece}; _ = i.data.fill_(-1)
v.sum().backward()
x.grad
# each of
max(1); min(0); median(1); sort(1); topk(1)

# --- the results of a transpose lie row by row
t = torch.arange(9.).reshape(3, 3).T; print(t.cumsum(0).stride())
t.cumsum(0).view(9), t.cumsum(1).stride(), t.cumsum(1).view(9), t.cumprod(1).stride()
t.cumprod(1).view(9), t.softmax(0).stride(), t.softmax(0).view(9), t.softmax(1).stride()
t.softmax(1).view(9), t.log_softmax(1).stride(), t.log_softmax(1).view(9)

# --- what is no number gets no gradient
(e[2:].nansum() * 2).backward()
e.grad, torch.autograd.grad(x.nansum(1).prod(), x)

# --- spread and mean
x = torch.tensor([[1., 2., 4.], [0., 1., 3.]], requires_grad=True)
# each of: a, b = torch.std_mean({piece}); (a * b).sum().backward(); print(a.detach(), b.detach(), x.grad)
x; x, 0; x, dim=1, keepdim=True; x, unbiased=False; x, correction=0; x, (0, 1); x[:1, :1]
# then
a, b = torch.var_mean({piece}); (a * b).sum().backward(); print(a.detach(), b.detach(), x.grad)
a, b = torch.std_mean({piece}); b.sum().backward(); print(x.grad)

# --- spread and mean of what has none
# each of
torch.std_mean(torch.ones(1)); torch.var_mean(torch.ones(1)); torch.std_mean(torch.ones(0))
torch.var_mean(torch.ones(0)); torch.std_mean(torch.ones(2).long()); torch.var_mean(torch.ones(2).long())
torch.std_mean(torch.ones(2), 'a'); torch.var_mean(torch.ones(2), 'a'); torch.std_mean(torch.ones(2), 0, foo=1)
torch.var_mean(torch.ones(2), 0, foo=1)

# --- norms of linalg
vector_norm, norm = torch.linalg.vector_norm, torch.linalg.norm
# each of
vector_norm(x); vector_norm(x, 1); vector_norm(x, 3, dim=1, keepdim=True); vector_norm(x, inf, 0); vector_norm(n)
vector_norm(x, 0); norm(x); norm(x, 2, 1); norm(v, 1); norm(x, 'fro'); norm(x, dim=0); norm(torch.stack([x, y]))
norm(v, inf)

# --- further reductions and orderings
f = torch.nn.functional; s = torch.tensor([[0., 2.], [0., 3.]], requires_grad=True); j = torch.tensor([[0, 0], [1, 0]])
r = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True); n = torch.tensor([[1., nan, 3.], [2., 2., nan]], requires_grad=True)
h = torch.tensor([-4., -3., -1., 0., 1., 3., 5.], requires_grad=True)
# each of: told(torch, {piece}, r, s, n, h)
r.aminmax().min; r.aminmax(dim=1).max; torch.aminmax(s, dim=0, keepdim=True).max; r.aminmax(); n.aminmax(dim=0)
torch.ones(0).aminmax(); torch.ones(0, 2).aminmax(dim=0); torch.tensor([3, 1]).aminmax(); n.nanmedian(); n.nanmedian(1).values
n.nanmedian(0, True).values; torch.tensor([[1, 2], [3, 0]]).nanmedian(1); torch.tensor([nan, nan]).nanmedian(0)
torch.tensor([True]).nanmedian(); torch.ones(0).nanmedian(); r.logcumsumexp(1); s.logcumsumexp(0)
torch.tensor([-inf, 1., inf]).logcumsumexp(0); torch.tensor([1]).logcumsumexp(0); torch.tensor(2.).logcumsumexp(0)
f.hardsigmoid(h); f.hardswish(h); f.hardswish(h * 1, True); f.hardswish(torch.tensor([1])); f.hardsigmoid(3.)
f.pairwise_distance(r, s); f.pairwise_distance(r, s, 1.); f.pairwise_distance(r, s, 3., keepdim=True)
f.pairwise_distance(r, s[0], inf); f.pairwise_distance(r, torch.ones(3, 2)); torch.nn.PairwiseDistance(keepdim=True)(r, s)
r.scatter_reduce(0, j, s, 'prod'); r.scatter_reduce(0, j, s, 'prod', include_self=False)
r.scatter_reduce(1, j, s * 2, 'prod'); s.scatter_reduce(0, j, r, 'prod'); (r * 0).scatter_reduce(0, j, s, 'prod')
r.H; torch.ones(2, 2, 2).H; torch.ones(3).H; r.mH; [p.add_(1).grad_fn.name() for p in r.clone().unsafe_chunk(2)]
r.unsafe_split(1)[1]; r.unsafe_split_with_sizes([1, 1], 1)[0]; f.mse_loss(r, s, weight=torch.tensor([[1., 2.], [3., 4.]]))
f.l1_loss(r, s, weight=torch.ones(2, 2), reduction='sum'); f.huber_loss(r, s, 'none', .5, torch.ones(2, 2) * 2)
f.huber_loss(r, s, weight=torch.ones(2, 2) * 3); f.mse_loss(r, s, weight=torch.ones(2)); f.l1_loss(r, s, weight=torch.ones(2, 2), reduction='x')

# --- other sizes in place
r = torch.arange(4.); v = r[:2]
# each of
r.resize_(2); r.resize_([1, 2]); r.resize_(1.5); v.resize_(1); r.resize_as_(torch.ones(1, 3)).stride()
torch.ones(2, requires_grad=True).resize_(2); r.resize_(1).resize_(2, 2)
# then
r, v, r._version
