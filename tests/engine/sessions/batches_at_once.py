"""vmap, with the fast path: how often the function runs, and what comes of it. Without it each entry is alone."""

T = torch.func; x = torch.tensor([[.2, -.4, .9], [.5, .1, -.3]]); s = torch.tensor(.7)
v = torch.tensor([1., 2., -1.])
w = torch.tensor([.5, -1., 2.], requires_grad=True)
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(3, 1))
def two(a, b): return (a * b).sum(), a @ b

# --- a batch goes through a function at once
calls = []; m = torch.arange(6.).view(3, 2) / 4; W = (torch.arange(6.).view(2, 3) / 5 - .43).requires_grad_()
c3 = torch.stack([x, x * 2, x - 1]); F = torch.nn.functional
def once(f, *given): calls.clear(); return T.vmap(lambda *each: calls.append(1) or f(*each))(*given), len(calls)
# each of
once(lambda t: t * 2 - v / t, x); once(lambda t, k: t ** 2 + k, x, x[:, 0]); once(lambda t: 2 ** t + 1 / t, x)
once(lambda t: t.sum() * t.mean() + t.sum(0), x); once(lambda t: t.sum((0, 1)) + t.mean(1), c3); once(lambda t: t.norm() / t.var(), x)
once(lambda t: t @ v + t.dot(t), x); once(lambda t: m.t() @ t, x); once(lambda t: t @ m, x); once(lambda t: t @ t.T, c3)
once(lambda t: t @ v, c3); once(lambda t: t @ m, c3); once(lambda t: m @ t, c3); once(lambda a, b: a @ b, c3, x.new_tensor([[1., 2., 3.]] * 3))
once(lambda a: a.T @ a, c3); once(lambda a: torch.addmm(v, a, torch.eye(3), beta=2, alpha=3), c3); once(lambda t: torch.outer(t, t), x)
once(lambda t: F.linear(t, W, v[:2]).detach(), x); once(lambda t: F.linear(t, W).detach(), x); once(lambda t: net(t).tanh().relu(), c3)
once(lambda t: torch.where(t > v, t, v), x); once(lambda t: torch.where(t > 0, t, -t), x); once(lambda t: t.clamp(-.2, .3), x)
once(lambda t: t.masked_fill(v > 0, 0), x); once(lambda t: F.gelu(t) + F.leaky_relu(t) + F.elu(t), x); once(lambda t: t > v, x)
once(lambda t: t.softmax(0) + t.log_softmax(0), x); once(lambda t: t.softmax(-1).logsumexp(0), c3); once(lambda t: t.cumsum(0).flip(0), x)
once(lambda t: t.reshape(3, 2), c3); once(lambda t: t.view(-1).expand(2, 6), c3); once(lambda t: t.unsqueeze(1).squeeze(), x); once(lambda t: t[1:], x)
once(lambda t: t[0] + t[:, 1:2], c3); once(lambda t: t[None, :, 0], c3); once(lambda t: torch.stack([t, v]), x); once(lambda t: torch.cat([t, v]), x)
once(lambda t: t.permute(1, 0).double(), c3); once(lambda t: t.prod() + t.tril().sum(), c3); once(lambda t: t.amax(1), c3); once(lambda t: t.clone().detach(), x)
once(T.grad(lambda t: (t.exp() * t[1:].sum()).sum()), x); once(T.grad(lambda t: (t.softmax(0) ** 2)[0] + t.norm()), x); once(T.hessian(lambda t: (t ** 3).sum()), x)
once(T.jacrev(lambda t: t.tanh() * t[0]), x); once(lambda t: T.vmap(torch.sin)(t) + t.mean(), c3); once(T.vmap(T.grad(lambda t: t @ t)), c3)
once(lambda t: T.vmap(lambda a: a * t[0] + v)(t), c3); once(T.grad_and_value(lambda t: (t * W).sum() ** 2), x); once(lambda t: T.vjp(torch.sin, t)[1](v), x)
T.vmap(lambda a, b: a * b, (1, None), 1)(x, x[:, 0]), T.vmap(lambda t: v)(x), T.vmap(lambda t: t)(x) is x, T.vmap(lambda t: t[0])(x)._is_view()
# each line of
y, pull = T.vjp(lambda t: t.sin() * t[0], v); print(T.vmap(pull)(torch.eye(3)), T.vmap(lambda s: pull(s)[0] * s)(torch.eye(3)))
y = T.vmap(T.grad(lambda a, t: ((W * a).sum() * t).sum()), (None, 0))(s, x); print(y.detach()); y.sum().backward(); print(W.grad)
y = T.vmap(T.grad(lambda t: (F.linear(t, W).tanh() ** 2).sum()))(x); print(y.detach()); (y ** 2).sum().backward(); print(W.grad)
y = T.jacrev(lambda t: F.linear(t, W).tanh())(v); print(y); (y ** 3).sum().backward(); print(W.grad)
y = T.jacfwd(lambda t: (W @ t, (W * t).softmax(1)))(v); print(y[1].detach()); (y[0].sum() + (y[1] ** 2).sum()).backward(); print(W.grad)
y = T.hessian(lambda t: (W @ t.exp()).sum() ** 2)(v); print(y); y.sum().backward(); print(W.grad)
y = W.exp() * W; (g,) = torch.autograd.grad(y, W, torch.eye(6).view(6, 2, 3), create_graph=True, is_grads_batched=True); print(g); g.sum().backward(); print(W.grad)
y = W.exp(); print(torch.autograd.grad([y, y.sum()], [W], [torch.eye(6).view(6, 2, 3), torch.ones(6)], is_grads_batched=True)); y.sum().backward()
kept = []; T.vmap(lambda t: kept.append(t * 2) or t)(x); print(len(kept))
