"""Batch norm, group norm and inference mode: values, derivatives, running statistics, texts, refusals."""

nn, F = torch.nn, torch.nn.functional
x = torch.tensor([[.2, .4, .3, -1.], [.5, .9, .1, 2.], [-.3, .8, .6, .5]], requires_grad=True)
deep = torch.linspace(-1, 2, 48).reshape(2, 4, 3, 2).sin().requires_grad_()
w = torch.tensor([1., 2., .5, -1.], requires_grad=True); b = torch.tensor([.1, .2, .3, .4], requires_grad=True)
m = torch.tensor([.1, -.2, .25, 0.]); v = torch.tensor([1., 2., .5, .7])

# --- values, graph and gradients
def f(x, m, v, w, b): return {piece}
def asked(x):
    given = [each.detach().to(x.dtype) for each in (m, v)]
    given += [each.detach().to(x.dtype).requires_grad_() for each in (w, b)]
    x.retain_grad(); y = f(x, *given); print(y, y.grad_fn.name(), given[:2], given[0]._version)
    y.backward(torch.arange(y.numel()).to(y.dtype).reshape(y.shape).cos())
    print(x.grad, [each.grad for each in given[2:]], [each[0] and each[0].name() for each in y.grad_fn.next_functions])
asked(x.double())
asked(deep.double()[..., 0])
asked(deep.double())
# each of
F.batch_norm(x, None, None, training=True); F.batch_norm(x, m, v, w, b, training=True, momentum=0.3)
F.batch_norm(x, m, v, w, training=True); F.batch_norm(x, m, v); F.batch_norm(x, m, v, w, b, eps=0.1)
F.batch_norm(x, m, v, None, b); F.group_norm(x, 2); F.group_norm(x, 1, w, b, eps=0.1); F.group_norm(x, 2, w)

# --- a layer in training and evaluation
layer = {piece}; other = {piece}; data = deep.detach()[..., 0]
layer, layer.state_dict(), [name for name, _ in layer.named_parameters()]
for k in range(3): print(layer(data * (k + 1))[0], list(layer.state_dict().values()))
_ = layer.eval(); print(layer(data), list(layer.state_dict().values()))
other.load_state_dict(layer.state_dict()), other.eval()(data)
layer.reset_parameters(); print(layer.state_dict())
layer.double().state_dict()
# each of
nn.BatchNorm1d(4); nn.BatchNorm1d(4, momentum=None); nn.BatchNorm1d(4, 0.1, 0.5, affine=False)
nn.BatchNorm1d(4, track_running_stats=False); nn.GroupNorm(2, 4); nn.GroupNorm(4, 4, 0.1, affine=False)

# --- images
layer = nn.BatchNorm2d(4); print(layer, layer(deep), layer.running_var, type(layer))

# --- what is refused
# each of
nn.BatchNorm1d(4)(deep); nn.BatchNorm2d(4)(x); nn.BatchNorm1d(3)(x); nn.BatchNorm1d(4)(x[:1])
nn.BatchNorm1d(4).eval()(x[:1]); nn.BatchNorm1d(4)(x.double())
nn.BatchNorm1d(4)(torch.ones(2, 4, dtype=torch.int64)); F.batch_norm(x, m[:2], v)
F.batch_norm(x, m, v, w[:3]); F.batch_norm(x, m, v, w, b[:3]); F.batch_norm(x, m, v, w.double())
F.batch_norm(x.double(), m, v, w); F.batch_norm(x, None, v); F.batch_norm(x, m, None)
F.batch_norm(x, m, None, training=True); F.batch_norm(x, None, None)
F.batch_norm(torch.ones(2), None, None, training=True); F.batch_norm(x, w, v); F.batch_norm(3, m, v)
nn.GroupNorm(3, 4); F.group_norm(x, 3); F.group_norm(x[:1], 4); F.group_norm(x[0], 2)
F.group_norm(x, 2, w[:3]); F.group_norm(x, 2, w, b[:3]); F.group_norm(x, 2, w.double())
F.group_norm(torch.ones(2, 4, dtype=torch.int64), 2)

# --- inference mode
I = torch.inference_mode
# each of
with I(): print((x * 2).requires_grad, torch.is_grad_enabled())
with I(), I(False): print((x * 2).requires_grad)
with I(), torch.enable_grad(): print(torch.is_grad_enabled())
with torch.no_grad(), I(mode=False): print((x * 2).requires_grad)
torch.autograd.inference_mode is I, torch.autograd.grad_mode.inference_mode is I
# each line of
f = I(lambda: (x * 2).requires_grad); print(f(), f())
f = I()(lambda: (x * 2).requires_grad); print(f(), torch.is_grad_enabled())
f = torch.no_grad()(I(False)(lambda: (x * 2).requires_grad)); print(f())
with I(): y = x * 2; print(y)
# then
(x * 2).requires_grad
