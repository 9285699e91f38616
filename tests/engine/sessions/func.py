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
