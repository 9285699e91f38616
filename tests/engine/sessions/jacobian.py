"""Whole Jacobians: `autograd.functional` and `gradcheck`."""

AF = torch.autograd.functional; G = torch.autograd.gradcheck; GG = torch.autograd.gradgradcheck
A = torch.tensor([[1., 2.], [0., 3.], [4., 1.]]); x = torch.tensor([1., 2.]); u = torch.tensor([3.])
def double(*values): return torch.tensor(values, dtype=torch.float64, requires_grad=True)
w = torch.tensor([2., 3.], requires_grad=True); d = double(1., 2.)
def f(t): return torch.stack([t[0] * t[1], t[1] ** 2, 5 * t[0]])
def g(t): return (t**3).sum() + t[0] * t[1]
def h(s, t): return (s**2).sum() * t.sum() ** 2

# --- functional
# each of
AF.jacobian(f, x); AF.jacobian(lambda t: t * 2, torch.tensor(3.)), AF.jacobian(f, w).requires_grad
AF.jacobian(lambda t: t.sum(dim=1) * t[0, 0], torch.tensor([[1., 2., 3.], [4., 5., 6.]]))
AF.jacobian(torch.sum, x), AF.jacobian(lambda t: t.sum().reshape(1, 1), x)
AF.jacobian(lambda s, t: s.sum() * t**2, (x, u)); AF.jacobian(lambda s, t: s * 2, (x, u))
AF.jacobian(lambda t: (t * t, t.sum()), x); AF.jacobian(lambda t: (t * t,), (x,))
AF.jacobian(lambda s, t: (s * t, s.sum()), (x, u)); AF.jacobian(lambda t: torch.ones(3), x)
AF.jacobian(lambda t: t.detach() * 2, x); AF.jacobian(lambda t: w * t, x), w.grad
with torch.no_grad(): print(AF.jacobian(f, x))
AF.jacobian(f, x, vectorize=True), AF.jacobian(lambda s, t: (s * t, s.sum()), (x, u), vectorize=True)
AF.jacobian(f, x, strict=True); AF.jacobian(lambda t: torch.ones(2), x, strict=True)
AF.jacobian(lambda t: (t * 2, t.detach()), x, strict=True)
AF.jacobian(lambda s, t: s * 2, (x, u), strict=True)
AF.jacobian(lambda s, t: (s * t, t * 2), (x, u), strict=True)
AF.jacobian(lambda t: t * 2, x, strict=True, create_graph=True)
AF.jacobian(lambda t: t * 2, w, strict=True, create_graph=True)
AF.jacobian(lambda t: t * t, w, strict=True, create_graph=True); AF.jacobian(lambda t: t * 2, [1., 2.])
AF.jacobian(lambda t: t * 2, (x, 1.)); AF.jacobian(lambda t: 3., x); AF.jacobian(lambda t: (t, None), x)
AF.jacobian(lambda t: [t], x); AF.jacobian(lambda t: t, torch.tensor([1, 2])); AF.jacobian(lambda t: t[:0], x)
AF.jacobian(lambda t: t.sum(), x[:0]), AF.jacobian(lambda t: x * t.sum(), x[:0]).shape
AF.jacobian(lambda t: t**3, w, create_graph=True); AF.vjp(f, x, torch.tensor([1., 10., 100.]))
AF.vjp(lambda t: (t * t).sum(), x), AF.vjp(lambda t: t.sum().reshape(1), (x,))
AF.vjp(lambda s, t: (s * t, s.sum()), (x, u), (x, torch.tensor(10.))); AF.vjp(lambda s, t: s * t, (x, u), x)
AF.vjp(lambda t: torch.ones(2), x, x); AF.vjp(f, w, torch.tensor([1., 10., 100.]), create_graph=True)
AF.vjp(f, x); AF.vjp(lambda t: (t.sum(), t.sum()), x); AF.vjp(f, x, x); AF.vjp(f, x, (x, x))
AF.vjp(lambda t: (t, t), x, x); AF.vjp(lambda t: (t, t), x, (x, u)); AF.vjp(f, x, [1., 2., 3.])
with torch.no_grad(): print(AF.vjp(f, x, torch.tensor([1., 10., 100.])))
AF.jvp(f, x, torch.tensor([1., 10.]))
AF.jvp(lambda t: t**3, torch.tensor(2.)), AF.jvp(lambda t: (t, t * 2), u, u)
AF.jvp(lambda s, t: s * t, (x, u), (x, u)); AF.jvp(lambda s, t: (s * t, s.sum()), (x, u), (x, u))
AF.jvp(lambda t: torch.ones(2), x, x); AF.jvp(lambda t: t * t, w, x, create_graph=True); AF.jvp(f, x)
AF.jvp(f, x, torch.ones(3)); AF.jvp(lambda s, t: s * t, (x, u), (x, x)); AF.jvp(lambda s, t: s * t, (x, u), x)
AF.jvp(f, x, (x, x)); AF.jvp(lambda t: 3., x, x); AF.hessian(g, x), AF.hessian(g, (x,))
AF.hessian(lambda t: (t * 3).sum(), x); AF.hessian(lambda t: t.sum().reshape(1, 1) ** 2, x)
AF.hessian(h, (x, u)); AF.hessian(lambda s, t: (s**2).sum(), (x, u)); AF.hessian(g, w, create_graph=True)
AF.hessian(g, w).requires_grad; AF.hessian(g, x, vectorize=True); AF.hessian(lambda t: t * 2, x)
AF.hessian(lambda t: (t.sum(), t.sum()), x); AF.hessian(lambda t: 3., x); AF.hessian(g, [1., 2.])
AF.vhp(g, x, x), AF.hvp(g, x, x)
AF.vhp(lambda t: t**3, torch.tensor(2.)), AF.hvp(lambda t: t**3, torch.tensor(2.))
AF.vhp(h, (x, u), (x, u)), AF.hvp(h, (x, u), (x, u))
AF.vhp(lambda t: (t * 3).sum(), x, x), AF.hvp(lambda t: (t * 3).sum(), x, x)
AF.vhp(lambda s, t: (s**2).sum(), (x, u), (x, u)), AF.hvp(lambda s, t: (s**2).sum(), (x, u), (x, u))
AF.vhp(g, w, x, create_graph=True); AF.hvp(g, w, x, create_graph=True); AF.vhp(g, x)
AF.vhp(g, x, torch.ones(3)); AF.vhp(lambda t: t * 2, x, x); AF.vhp(lambda t: (t.sum(),), x, x)
AF.vhp(lambda t: 3., x, x); AF.hvp(g, x); AF.hvp(g, x, torch.ones(3)); AF.hvp(lambda t: t * 2, x, x)
AF.hvp(lambda t: (t.sum(),), x, x); AF.hvp(lambda t: 3., x, x)
# each line of
J = AF.jacobian(lambda t: t**3, w, create_graph=True); J.sum().backward(); print(w.grad)

# --- gradcheck
# each of
G(lambda t: t.exp() * t, d); G(lambda t: t.exp() * t, [d]), G(lambda t, n: t * n, (d, 3))
G(lambda t: (t * 2, t.prod()), d), G(lambda t: t[0] * t[1], d)
G(lambda t: t * t, d[0].detach().requires_grad_()), G(lambda s, t: s * t, (d, double(3., 4.)))
G(lambda s, t: s @ t, (double(1., 2., 0., 3., 4., 1.).detach().reshape(3, 2).requires_grad_(), d))
G(lambda t: t * 2, x.requires_grad_()); G(lambda s, t: s * t, (d, x.requires_grad_()), raise_exception=False)
G(lambda t: t * t.detach(), d); G(lambda t: t * t.detach(), d, raise_exception=False)
G(lambda t: (t * 2, t * t.detach()), d); G(lambda t: (t.detach() * 3, t * t.detach()), d)
G(lambda s, t: s * t.detach() * t, (d, double(3., 4.)))
G(lambda t: torch.stack([t[0], t.detach()[0] * t[1], t[1]]), d); G(lambda t: t.detach(), d)
G(lambda t: torch.ones(2), d); G(lambda t: t * 2, x); G(lambda t: t * d, d)
G(torch.sum, d, eps=1e-3), G(lambda t: t**3, d, eps=0.1, atol=0.1)
G(lambda t: t**3, d, eps=0.1, raise_exception=False); G(lambda t: t**3, d, eps=0.1, rtol=0.1)
G(lambda t: t * 2, d.detach()); G(lambda t: t.abs(), double(0.)); G(lambda t: t / 0, d)
G(lambda t: t.sqrt(), double(0.))
G(lambda t: (_ for _ in ()).throw(ValueError('mine')), d, raise_exception=False)
G(lambda t: t * 2, d, fast_mode=True), G(lambda t: t * 2, d, check_undefined_grad=False)
GG(lambda t: t**3, d), GG(lambda s, t: (s * t, s.exp()), (d, double(3., 4.)))
GG(lambda t: t**3, d, double(1., 2.)), GG(lambda t: t**2 * t.detach(), d, raise_exception=False)
GG(lambda t: t**2 * t.detach(), d, double(1., 2.))
GG(lambda t: t**3, d, check_fwd_over_rev=False), GG(lambda t: t * 2, d.detach())
print(G(lambda t: t * t, d), d.grad, d, d._version)
G(lambda t: t * t, double()), G(lambda t: t[:0], d), G(lambda s, t: (s.sum() + t, s), (double(), d))
# each line of
torch.manual_seed(0); GG(lambda t: t**2 * t.detach(), d)
torch.manual_seed(0); print(GG(lambda t: t**3, d), torch.rand(2))

# --- gradcheck finds what is wrong with a function
def made(forward, backward):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("MyF", (torch.autograd.Function,), body)
# each of
G(made(lambda ctx, t: t * 2, lambda ctx, g: g * 0 + 2).apply, d)
G(made(lambda ctx, t: t * 2, lambda ctx, g: g * 0 + 2).apply, double(1.))
G(made(lambda ctx, t: t * 2, lambda ctx, g: g * 3).apply, d)
G(made(lambda ctx, t: t * 2, lambda ctx, g: None).apply, d)
G(made(lambda ctx, t: t * 2, lambda ctx, g: torch.ones(3)).apply, d); type(torch.autograd.gradcheck).__name__
