"""torch.func: derivatives of functions, of derivatives, and of batches."""

from math import pi
T = torch.func; x = torch.tensor([[.2, -.4, .9], [.5, .1, -.3]]); s = torch.tensor(.7)
v = torch.tensor([1., 2., -1.])
w = torch.tensor([.5, -1., 2.], requires_grad=True)
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(3, 1))
def two(a, b): return (a * b).sum(), a @ b

# --- derivatives of functions and of batches
# each of
T.grad(torch.sin)(s), T.grad(T.grad(torch.sin))(s), T.grad(T.grad(T.grad(lambda t: t ** 4)))(s)
T.grad(lambda a, b: (a * b ** 2).sum(), argnums=-1)(v, v + 1), T.grad(lambda a, b: a @ b, (0, 1))(v, v * 2)
T.grad(lambda a, *, k: (a ** k).sum())(v, k=3); with torch.no_grad(): print(T.grad(torch.sin)(s))
T.jacrev(lambda t: t ** 2 * t.sum())(v), T.jacfwd(lambda t: torch.stack([t @ t, t[0]]))(v)
T.jacrev(lambda a, b: torch.outer(a, b), argnums=(0, 1))(v[:2], v)
T.jacrev(two)(v, v * 3), T.jacfwd(two, argnums=1)(v, v * 3)
T.hessian(lambda t: (t ** 3).sum() + t[0] * t[1])(v), T.hessian(torch.sin)(s)
T.vmap(torch.dot)(x, x), T.vmap(torch.dot, in_dims=(0, None))(x, v), T.vmap(torch.dot, in_dims=(1, 1))(x, x)
T.vmap(lambda t: (t * 2, t.sum()))(x), T.vmap(lambda t: t * v, out_dims=1)(x)
T.vmap(T.grad(lambda a, b: torch.sin(a @ b)), in_dims=(None, 0))(v, x)
T.vmap(T.jacrev(lambda t: t ** 2))(x), T.vmap(T.vmap(torch.sin))(x)
T.jacrev(T.vmap(torch.sin))(v), torch.vmap(torch.dot)(x, x)
T.jvp(torch.sin, (v,), (v,)), T.jvp(lambda a, b: a * b, (v, v), (v, torch.ones(3))), T.jvp(two, (v, v), (v, v))
T.jvp(lambda t: (t.sum(), t * 2), (v,), (v,), has_aux=True), T.grad(lambda t: (t @ t, t * 2), has_aux=True)(v)
T.jacrev(lambda t: (t * t, t[0]), has_aux=True)(v), T.grad(lambda a, b: (a @ b, b), (0, 1), has_aux=True)(v, v)
T.functional_call(net, {'0.weight': x[:1], '0.bias': v[:1]}, v), T.functional_call(net, {'0.bias': v[:1]}, (v,))
T.grad(lambda p: T.functional_call(net, {'0.weight': p}, kwargs={'input': v}).sum())(x), net[0].weight.grad
T.vmap(T.grad(lambda p, t: T.functional_call(net, p, (t,)).sum()), (None, 0))(dict(net.state_dict()), x)
T.grad(lambda p: (p['a'] * p['b'][0]).sum())({'a': v, 'b': [v + 1]}), T.vmap(lambda p: {'s': p['a'].sum()})({'a': x})
T.jacrev(lambda p, t: (p['a'] * abs(t), p['b'].sum()))({'a': v, 'b': v + 1}, v)
T.jacrev(lambda p, t: p['a'] * t, (0, 1))({'a': v}, v), T.vmap(lambda p, t: (p[0] * t, [p[1]]))((x, x.sum(1)), x)
T.jacrev(lambda t: torch.relu(t @ x.T).softmax(0) / t.mean())(v), T.jacrev(lambda t: x @ t + torch.dot(t, v))(v)
T.jacrev(lambda t: t.expand(2, 3).t() @ (t[:2].reshape(2, 1) * 2) + torch.baddbmm(t, x[None], x[None].mT)[0, 0, 0])(v)
T.hessian(lambda t: torch.where(t > 0, t ** 3, t * v).clamp(max=4).sum() * t[0])(v), T.jacrev(lambda t: v)(v)
# each line of
y = T.grad(lambda t: (t ** 3).sum())(w); print(y.detach(), y.requires_grad); y.sum().backward(); print(w.grad)
y, pull = T.vjp(torch.sin, v); print(y, pull(v)); print(T.vjp(two, v, v + 1)[1]((s, s)), T.vjp(two, v, v)[0])
y, pull, aux = T.vjp(lambda t: (t.sum(), t * 2), v, has_aux=True); print(y, pull(s), aux)
y, pull = T.vjp(lambda t: t ** 3, w); pull(v)[0].sum().backward(); print(y.detach(), w.grad)
y = T.vmap(lambda t: t * w)(x); y.sum().backward(); print(y.detach(), w.grad)

# --- every way through every function
t = torch.tensor([.5, -1.25, 2.], dtype=torch.float64)
f = lambda t: torch.sin(t) * t; print({piece}(t))
f = lambda t: t ** 3 - t[0]; print({piece}(t))
f = lambda t: torch.exp(t) / (1 + t * t); print({piece}(t))
f = lambda t: t.cumsum(0).tanh(); print({piece}(t))
# each of
T.grad(lambda t: f(t).sum()); T.jacrev(f); T.jacfwd(T.jacrev(f)); T.hessian(lambda t: f(t) @ f(t))
T.vmap(lambda t: f(t.reshape(1))); T.grad(lambda t: T.grad(lambda u: f(u).sum())(t)[0] ** 2)

# --- the graph of tensors that a function has from elsewhere stays
def f(t):
    with torch.no_grad(): k = t * 2
    return (t * k * w).sum()
# each of
T.jacrev(lambda t: t * w)(v); T.jacfwd(lambda t: (t * w, t.sum()))(v); T.hessian(lambda t: (t ** 3 * w ** 2).sum())(v.abs()).abs()
T.grad(lambda t: (t * w).sum())(v), T.grad_and_value(lambda t: (t * w).sum())(v), T.grad(lambda t: t @ t)(w)
T.vjp(lambda t: (t * t * w).sum(), v)[0], T.vjp(lambda t: (t * t * w).sum(), v)[1](s), T.vjp(lambda t: w, v)[0] is w
T.jacrev(lambda t: {'a': t * w, 'b': t.sum()})(v), T.grad(lambda d: (d['a'] * w).sum() + d['b'][0])({'a': v, 'b': [s]})
torch.autograd.grad(T.grad(lambda t: (t ** 2 * w).sum())(v).sum(), w, create_graph=True)
T.grad(lambda t: [print(t.requires_grad, t.is_leaf, t.grad_fn), (t * w).sum()][1])(w), T.grad(lambda t: (t @ t).backward())(v)
T.vmap(lambda t: t * w)(x), T.vmap(lambda t: (t * w).sum())(x), T.vmap(torch.where, (0, 0, None))(x > 0, x, w)
T.grad(lambda t: T.grad(lambda u: (u ** 3 * w).sum())(t).sum())(v), T.grad(lambda t: t.detach() @ w + t @ t)(v)
with torch.no_grad(): print(T.grad(lambda t: (t * w).sum())(v), T.vjp(lambda t: t * w, v)[1](v))
T.grad(f)(w); T.grad(f)(v)

# --- what the transformations of functions refuse
# each of
T.grad(torch.sum)(torch.tensor([1, 2])); T.grad(torch.sum)(3.); T.grad(lambda t: t * 2)(v); T.grad(lambda t: 3)(v)
T.vjp(lambda t: t > 0, v); T.vjp(lambda t: 3, v); T.vjp(lambda t: (t, t), v)[1](v); T.vjp(torch.sum, v)[1](v[:1])
T.vjp(lambda t: {'a': t, 'b': [t]}, v)[1](v); T.grad(torch.sum, argnums=2)(v); T.grad(torch.sum, argnums=(0, 0))(v)
T.grad(torch.sum, argnums=())(v); T.grad(torch.sum, has_aux=True)(v); T.jvp(torch.sin, v, v)
T.jvp(torch.sin, (v,), (3,)); T.jvp(lambda t: 3, (v,), (v,)); T.jvp(lambda t: w * 1, (v,), (v,), strict=True)
T.jacrev(torch.sin, chunk_size=0); T.functional_call(net, {'0.bias': s}, v, strict=True)
T.functional_call(net, {'0.bias': s, '1.bias': s}, v, strict=True); T.vmap(torch.sin)(); T.vmap(torch.sin)(3.)
T.vmap(torch.sin, in_dims=5)(v); T.vmap(torch.sin, in_dims=[0])(v); T.vmap(torch.sin, in_dims=None)(v)
T.vmap(torch.dot, in_dims=(0,))(x, x); T.vmap(torch.dot)(x, v[:1]); T.vmap(lambda t: 3)(v); T.vmap(torch.sum, chunk_size=0)
T.vmap(torch.sin, randomness='some'); T.vmap(torch.sin, out_dims=None)(v); T.vmap(torch.sin, out_dims=(0, 0))(v)

# --- the states of several modules
made = lambda: torch.nn.BatchNorm1d(2).eval()
{piece}
# each line of
p, b = T.stack_module_state([made(), made()]); p, b, p['weight'].is_leaf, T.vmap(lambda q, c, t: T.functional_call(made(), (q, c), t), (0, 0, None))(p, b, torch.ones(1, 2))
T.stack_module_state([])
T.stack_module_state([made(), made().train()])
T.stack_module_state([made(), torch.nn.ReLU().eval()])
T.stack_module_state([made(), made().requires_grad_(False)])

# --- what a function of a batch changes elsewhere
c = torch.zeros(()); d = torch.ones(3); u = torch.ones(3, requires_grad=True)
def reads(t): s = c * 1; c.add_(1); c.mul_(2); return t + s + c
def sets(t): d[0] = 5; d[1] += 1; return t * d.sum()
def inside(t): d[0] += 1; return T.vmap(lambda q: (d[1:].add_(1).sum() * q * d[0]).sum())(t.expand(2, 3))
def own(t): y = torch.zeros(3); y += 1; d.copy_(y); return (y * t * d).exp()
def records(t): d.mul_(u); return (d * t).sum()
print({piece}, c, d, c._version, d._version)
# each of
T.vmap(reads)(x); T.vmap(sets)(x); T.vmap(inside)(x); T.vmap(own)(x); T.vmap(records)(x)
T.vmap(torch.nn.BatchNorm1d(3))(x[None])

# --- what a function of a batch cannot know
c = torch.zeros(3)
def sets(t): c[0] = t[0]; return t
# each of
T.vmap(lambda t: t.sum().item())(x); T.vmap(lambda t: float(t[0]))(x); T.vmap(lambda t: t.tolist())(x)
T.vmap(lambda t: t if t.sum() > 0 else -t)(x); T.vmap(lambda t: c.mul_(t))(x); T.vmap(lambda t: c.add_(t))(x)
T.vmap(sets)(x); T.vmap(lambda t: t[t > 0])(x); T.vmap(lambda t: t + torch.rand(3))(x); T.vmap(T.grad(torch.sum))(x)
T.vmap(lambda t: torch.autograd.functional.jacobian(torch.sin, t))(x); T.vmap(lambda t: t.add_(c))(x.clone())
T.vmap(lambda t: (t * w).sum().backward())(x); T.vmap(lambda t: t.numpy())(x); T.vmap(lambda t: c, out_dims=None)(x)
T.vmap(lambda t: torch.rand(3) + 0 * t, randomness='same')(x)
T.vmap(lambda t: torch.rand(3) + 0 * t, randomness='different')(x)
T.vmap(lambda d, t: {'a': d['a'] * t, 'b': [t]}, ({'a': 0, 'b': None}, 0), {'a': 1, 'b': [0]})({'a': x, 'b': 2}, x)
T.vmap(lambda t, k: t * k, (0, None))(x, 3), T.vmap(torch.sum, -1)(x), T.vmap(torch.sum, chunk_size=1)(x)
T.vmap(lambda t: torch.zeros_like(t).add_(t))(x), T.vmap(lambda t: t.max(0))(x)

# --- directions
import warnings
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    y, f = T.linearize(lambda a, b: (a ** 3 * b, a.sum()), v, v); print(y, f(v, v * 2), f(v, v * 0))
    try: f(v[:1], v)
    except RuntimeError as error: print(error)
T.jvp(lambda t: T.jvp(lambda u: u ** 3, (t,), (v,))[1], (v,), (v,)), T.jvp(lambda t: torch.ones(2), (v,), (v,))
T.grad(lambda t: T.jvp(lambda u: (u ** 3).sum(), (t,), (v,))[1])(v)
