"""Parameters, layers, activations and utilities of torch.nn."""

nn, F = torch.nn, torch.nn.functional

# --- a parameter is a leaf on the memory of its tensor
a = torch.tensor([1., 2.]); p = nn.Parameter(a); print(a.add_(1))
p, p._version, a._version, p.is_leaf, p.requires_grad, p.grad_fn, nn.Parameter()
nn.Parameter(torch.tensor(2.)), nn.Parameter(torch.ones(2), False)
nn.Parameter(torch.tensor([1, 2]), requires_grad=False), nn.Parameter(nn.Parameter(torch.ones(1)))
nn.Parameter(p * 2), [nn.Parameter(torch.ones(1))]
f'{p}', str(p), '{}'.format(nn.Parameter(torch.tensor(2.)))
type(p.data).__name__, type(p.detach()).__name__, type(p + 0).__name__, type(p.view(2)).__name__
p * 2, p.view(2)
isinstance(p, torch.Tensor), isinstance(a, nn.Parameter), isinstance(p, nn.Parameter)
p.data = torch.zeros(3); print(p, p.grad)
p.requires_grad_(False)
with torch.no_grad(): q = nn.Parameter(torch.ones(1)); print(q)

# --- what cannot be a parameter
nn.Parameter(torch.tensor([1, 2]))
nn.Parameter([1.])
nn.Parameter(3.)

# --- a deep copy of a parameter has neither the gradient nor the memory
p = nn.Parameter(torch.ones(2)); p.grad = torch.ones(2); p.tag = 5
q = copy.deepcopy(p); print(q, q.grad, hasattr(q, 'tag'), type(q).__name__)
with torch.no_grad(): q.add_(1)
p, q
both = copy.deepcopy([p, p]); print(both[0] is both[1])

# --- what a module finds
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.plain = torch.tensor(3.0, requires_grad=True)
        self.inner = nn.Linear(2, 1, bias=False)
        self.register_buffer("count", torch.tensor([1.0]))
        self.register_buffer("passing", torch.tensor([5.0]), persistent=False)
        self.empty = None

    def forward(self, x):
        return self.scale * self.inner(x) + self.plain
_ = torch.manual_seed(0); own = Own(); print([name for name, _ in own.named_parameters()])
[name for name, _ in own.named_parameters(prefix='x', recurse=False)]
[name for name, _ in own.named_buffers()], [name for name, _ in own.named_modules()]
[name for name, _ in own.named_children()], list(own.state_dict()), own
y = own(torch.tensor([[3., 1.]])); y.backward()
y, own.scale.grad, own.inner.weight.grad, own.plain.grad
own.zero_grad(); print(own.scale.grad, own.plain.grad)
own.zero_grad(set_to_none=False); print(own.scale.grad)
outer = nn.Module(); outer.a = own; outer.b = own; outer.c = own.inner
[name for name, _ in outer.named_parameters()]
[name for name, _ in outer.named_parameters(remove_duplicate=False)]
[name for name, _ in outer.named_modules()]
[name for name, _ in outer.named_children()], len(list(outer.buffers())), len(list(outer.modules()))
list(outer.state_dict()), type(own.parameters()).__name__, own.parameters().__qualname__

# --- attributes before the init of module
class Own(nn.Module):
    def __init__(self):
        {piece}
Own()
# each of
self.l = nn.Linear(1, 1); self.p = nn.Parameter(torch.ones(1)); self.register_buffer('b', None); self.p = 3

# --- a module without forward and with arguments
nn.Module(5)
nn.Module(a=5)
nn.Module()(1)
nn.Module().forward()
nn.Module()
nn.Module().nothing
nn.Linear()
nn.Linear(2, 1)()
nn.Linear(2, 1).train(5)

# --- a state beside the tensors
class Counted(nn.Linear):
    calls = 3
    def get_extra_state(self):
        return {"calls": self.calls}
    def set_extra_state(self, state):
        self.calls = state["calls"] + 1
_ = torch.manual_seed(0)
net = nn.Sequential(Counted(1, 1), nn.ReLU()); state = net.state_dict(); print(state)
net.load_state_dict(state), net[0].calls
del state['0._extra_state']; net.load_state_dict(state)
net.load_state_dict(state, strict=False), net[0].calls
nn.Linear(1, 1).load_state_dict({**nn.Linear(1, 1).state_dict(), '_extra_state': 1})

# --- a copy of a module whose class stands in a function
def made():
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))
        def forward(self, x):
            return self.weight * x
    return nn.Sequential(Inner(), nn.ReLU())
net = made(); again = copy.deepcopy(net)
print(again, again[0].weight is net[0].weight, type(again[0]) is type(net[0]))
again(torch.ones(2))

# --- backward hooks of a module with several arguments and results
class Two(nn.Module):
    def forward(self, a, n, b):
        return a * b, 5, b + n
two = Two(); h = two.register_full_backward_hook(lambda m, gi, go: print(gi, go))
a = torch.tensor([1., 2.], requires_grad=True); b = torch.tensor([3., 4.])
y, n, z = two(a, 7, b); print(y, n, z); y.sum().backward()
b.requires_grad_(); y, n, z = two(a, 7, b); (y * 10).sum().backward(); print(a.grad, b.grad)
y, n, z = two(a, 7, b); (y + z).sum().backward()

# --- prelu
x = torch.tensor([[-1.0, 2.0, -3.0], [0.0, -5.0, 6.0]], requires_grad=True)
m, one = nn.PReLU(3), nn.PReLU()
m, one, m.state_dict(), one(x), m(x), F.prelu(x[0], torch.tensor(0.5)), one(torch.tensor(-1.0))
g = torch.autograd.grad((m(x) * x).sum(), (x, m.weight), create_graph=True)
g, g[0].grad_fn.next_functions[0][0].name()
torch.autograd.grad((g[0] * g[0]).sum() + (g[1] * g[1]).sum(), (x, m.weight))
m(x[:, :2])
F.prelu(x.double(), m.weight)
F.prelu(torch.tensor(1), torch.tensor(2))
F.prelu(x, 0.1)

# --- the text of a module
# each of
nn.Linear(2, 3), nn.Linear(2, 3, bias=False), nn.Identity(4, a=5); nn.Identity(4)(7)
nn.Flatten(), nn.Flatten(0, -2); nn.Dropout(), nn.Dropout(0.3, True), nn.Dropout(p=1); nn.Dropout(2.)
nn.Dropout(-1); nn.ReLU(), nn.ReLU(True), nn.Sigmoid(), nn.Tanh()
nn.LeakyReLU(), nn.LeakyReLU(0.2, True), nn.ELU(), nn.ELU(2, True), nn.SiLU(), nn.SiLU(True)
nn.Mish(), nn.Mish(True), nn.KLDivLoss(reduction='batchmean'), nn.Softplus(2)
nn.GELU(), nn.GELU('tanh'), nn.Softmax(), nn.Softmax(1), nn.LogSoftmax(dim=-1)
nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.HuberLoss(delta=2.), nn.BCELoss(), nn.BCEWithLogitsLoss()
nn.CrossEntropyLoss(), nn.NLLLoss(), nn.MSELoss(reduction='bad')
nn.MSELoss(size_average=False).reduction, nn.MSELoss(reduce=False).reduction
nn.CrossEntropyLoss(weight=torch.ones(2)).state_dict()
nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)).state_dict(); nn.CrossEntropyLoss(weight=[1., 2.])
nn.Embedding(4, 2), nn.Embedding(4, 2, padding_idx=-1); nn.Embedding(4, 2, padding_idx=5)
nn.LayerNorm(3), nn.LayerNorm((2, 3), elementwise_affine=False), nn.LayerNorm([3], bias=False)
nn.Linear(0, 2); nn.Linear(2, 0)

# --- a module made from a function is called as torch's
nn.ReLU(True, False)
nn.ReLU(place=True)
nn.LeakyReLU(0.1, negative_slope=0.2)
nn.Sigmoid(1)
nn.Tanh(a=1)
nn.ReLU()()
nn.ReLU()(torch.ones(1), 2)
nn.MSELoss()(torch.ones(1))
nn.CrossEntropyLoss(None, None, -100, None, 'sum', 0.1, 5)
nn.MSELoss(torch.ones(2), torch.ones(2))
nn.Softmax(dim=0)(input=torch.zeros(2))
class Own(nn.LeakyReLU):
    def __init__(self):
        super().__init__(inplace=True)
own = Own(); print(own, own.negative_slope, own(torch.tensor([-1., 1.])), nn.ReLU.__init__.__qualname__)
loss = nn.BCEWithLogitsLoss(pos_weight=nn.Parameter(torch.ones(1))); print(loss.pos_weight, loss.weight)

# --- what init refuses
nn.init.xavier_uniform_(torch.ones(3))
nn.init.xavier_normal_(torch.ones(3))
nn.init.kaiming_uniform_(torch.ones(3))
nn.init.kaiming_normal_(torch.ones(3, 2), mode='foo')
nn.init.kaiming_uniform_(torch.ones(0, 2))
nn.init.kaiming_normal_(torch.ones(0, 2))
nn.init.calculate_gain('foo')
names = ['linear', 'conv2d', 'conv_transpose3d', 'sigmoid', 'tanh', 'relu', 'leaky_relu', 'selu']
[nn.init.calculate_gain(name) for name in names], nn.init.calculate_gain('leaky_relu', 1)
nn.init.uniform_(torch.ones(2), 3, 1)
nn.init.normal_(torch.ones(2), 0, -1)

# --- linear and its graph
_ = torch.manual_seed(0); w = torch.rand(2, 3, requires_grad=True); b = torch.rand(2, requires_grad=True)
# each of: x = torch.rand{piece}.requires_grad_()
(3,); (4, 3); (0, 3); (5, 4, 3); (2, 5, 4, 3)
# then
y = F.linear(x, w, b); look(torch, y, x, w, b)
y = F.linear(x, w); look(torch, y, x, w)

# --- linear of a transposed batch
x = torch.arange(24.).reshape(2, 3, 4).transpose(1, 2); w = torch.arange(6.).reshape(2, 3)
F.linear(x, w, torch.ones(2)), F.linear(x, w)

# --- linear adds the bias apart where rows do not follow each other
x = torch.arange(36.).reshape(4, 3, 3).requires_grad_()
w = torch.arange(6.).reshape(2, 3).requires_grad_(); b = torch.ones(2, requires_grad=True)
# each of: look(torch, F.linear(x{piece}, w, b), x, w, b)
[:, :1]; [::2]; .mT; .transpose(0, 1); [..., :1].expand(4, 3, 3); [:1]; [0].mT; [0, 0]; [0, :, 0]

# --- linear with biases of other shapes
x = torch.ones(2, 3, requires_grad=True); w = torch.ones(2, 3)
for b in [torch.ones(1), torch.ones(()), torch.ones(2, 2)]: print(F.linear(x, w, b))
# each of
F.linear(x, w, torch.ones(3)); F.linear(x[0], w, torch.ones(())); F.linear(x[0], w, torch.ones(2, 2))
graph(F.linear(x, torch.ones(3)).grad_fn); graph(F.linear(x[0], torch.ones(3), torch.tensor(1.)).grad_fn)

# --- what linear refuses
# each of
layer = nn.Linear(2, 1, bias=True); layer = nn.Linear(2, 1, bias=False)
# then
layer(torch.ones(3))
layer(torch.ones(2, 3))
layer(torch.ones(2, 3, 3))
layer(3)
layer([1., 2.])
layer(torch.ones(2, 2, dtype=torch.long))
layer(torch.ones(2, 2, dtype=torch.float64))
layer(torch.ones(2, dtype=torch.float64))
F.linear(torch.ones(2, 3), torch.ones(2, 3, 3))

# --- flatten and embedding
x = torch.arange(24.).reshape(2, 3, 4).requires_grad_()
nn.Flatten()(x), nn.Flatten(0)(x).shape, nn.Flatten(0, 1)(x).shape
_ = torch.manual_seed(0); e = nn.Embedding(4, 2, padding_idx=1); print(e.weight)
i = torch.tensor([[0, 2], [2, 1]]); y = e(i); print(y)
y.backward(torch.arange(8.).reshape(2, 2, 2)); print(e.weight.grad)
e(torch.tensor(3)), e(torch.tensor([1]).int())
e(torch.tensor([4]))
e(torch.tensor([-1]))
e(torch.tensor([1.]))
F.embedding(i, torch.ones(3))
w = torch.arange(6.).reshape(3, 2).requires_grad_()
(g,) = torch.autograd.grad((F.embedding(i, w) ** 2).sum(), w, create_graph=True); print(g.detach())
torch.autograd.grad((g * torch.arange(6.).reshape(3, 2)).sum(), w)

# --- layer norm
x = torch.tensor([[.2, .4, .9], [.5, .9, .1]], requires_grad=True); w = torch.tensor([1., 2., 3.])
layer = nn.LayerNorm(3)
with torch.no_grad(): layer.weight.copy_(w); layer.bias.copy_(w / 10)
y = layer(x); print(y); y.backward(torch.arange(6.).reshape(2, 3))
x.grad, layer.weight.grad, layer.bias.grad
F.layer_norm(x, (2, 3)), F.layer_norm(x, [3], w, eps=1.), F.layer_norm(x, (3,), None, w)
F.layer_norm(x, (4,))
F.layer_norm(x.double(), (3,), w)
F.layer_norm(torch.tensor([1, 2]), (2,))

# --- dropout without chance
x = torch.ones(2, 3, requires_grad=True); i = torch.tensor([1, 2])
F.dropout(x, 0.) is x, F.dropout(x, training=False) is x, nn.Dropout().eval()(x) is x
F.dropout(x, 1.), F.dropout(torch.ones(0)), F.dropout(i, 0.)
F.dropout(x, 1.5)
F.dropout(x, -.5)
F.dropout(i, .5)
F.dropout(x, inplace=True)
y = x * 3; z = F.dropout(y, 1., inplace=True); print(z is y, y, y._version)
F.dropout(3., .5)
F.dropout(3., .5, inplace=True)

# --- activations
def f(x): return {piece}
x = torch.tensor([-3., -1., -0.25, 0., -0., 0.5, 2., float('nan')], requires_grad=True)
y = f(x); print(y)
y.backward(torch.arange(1., 9.)); print(x.grad)
x = torch.tensor([-200., 200.], requires_grad=True); y = f(x); print(y)
y.backward(torch.tensor([1., 10.])); print(x.grad)
f(torch.zeros(0))
x = torch.tensor(-0.5, requires_grad=True); y = f(x); y.backward(); print(y, x.grad)
y.backward()
# each of
F.relu(x); F.leaky_relu(x); F.leaky_relu(x, -0.5); F.elu(x); F.elu(x, 2.); F.elu(x, -1.); F.silu(x); F.gelu(x)
F.softplus(x); F.softplus(x, 2., threshold=3.); F.mish(x); F.hardtanh(x); F.hardtanh(x, -0.5, 2.); F.relu6(x * 4)
F.gelu(x, approximate='tanh'); F.sigmoid(x); F.tanh(x); F.log_softmax(x, dim=0)
F.log_softmax(x, 0, dtype=torch.float64)

# --- activations in place
x = torch.tensor([-3., -0.25, 0., 0.5, 2.], requires_grad=True)
y = x * 1; z = {piece}; print(z is y, y, y._version, y.grad_fn.name())
y.backward(torch.arange(1., 6.)); print(x.grad)
y = x; z = {piece}
y = x.sigmoid(); z = {piece}; print(z)
z.sum().backward()
# each of
F.relu(y, inplace=True); F.leaky_relu(y, inplace=True); F.elu(y, inplace=True); F.elu(y, 0.5, True)
F.silu(y, inplace=True); F.mish(y, inplace=True); F.hardtanh(y, inplace=True); F.relu6(y, True)
nn.ReLU(inplace=True)(y)

# --- what activations refuse
i = torch.tensor([1, -2]); x = torch.ones(2, requires_grad=True); print(F.relu(i))
# each of
F.leaky_relu(i); F.leaky_relu(i > 0); F.elu(i); F.silu(i); F.gelu(i); F.gelu(x, approximate='foo'); F.relu(3.)
F.leaky_relu([1.], inplace=True); F.elu(3.); F.silu(3.); F.gelu(3.)

# --- softmax without a dimension warns
# each of
F.softmax(torch.ones(2, 3)); F.log_softmax(torch.ones(3)); F.softmax(torch.ones(2, 1, 1)).shape
F.softmax(torch.tensor(1.)); nn.Softmax()(torch.ones(2, 2)); nn.LogSoftmax()(torch.ones(2))

# --- normalize cosine similarity and one hot
x = torch.tensor([[3., 4.], [0., 0.5]], requires_grad=True); t = torch.tensor([[1., 2.], [2., 0.5]])
y = F.normalize(x); print(y, graph(y.grad_fn)); y.backward(t); print(x.grad)
F.normalize(x, p=1., dim=0), F.normalize(torch.zeros(2, 2))
x.grad = None; y = F.cosine_similarity(x, t); print(y, graph(y.grad_fn))
y.sum().backward(); print(x.grad)
F.cosine_similarity(x, torch.zeros(2)), F.cosine_similarity(x, t, dim=0)
i = torch.tensor([2, 0])
F.one_hot(i), F.one_hot(i, 4), F.one_hot(torch.tensor(2)), F.one_hot(torch.tensor([[0, 1]])).shape
F.one_hot(i, 2)
F.one_hot(i - 1)
F.one_hot(x)
F.one_hot(torch.tensor([], dtype=torch.long), 3)
F.one_hot(i.int())

# --- what a loss keeps must not change before its backward
x = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True); c = torch.tensor([0, 1])
w = torch.tensor([1., 2.]); t = torch.tensor([[1., 0.], [0., 1.]]); c[0] = 1; w[0] = 3
# each line of: loss, change = {piece}
F.nll_loss(x, c), lambda: c.zero_()
F.cross_entropy(x, c), lambda: c[:1].fill_(1)
F.cross_entropy(x, c, w), lambda: w.add_(1)
F.binary_cross_entropy_with_logits(x, t, w), lambda: w.add_(1)
F.binary_cross_entropy_with_logits(x, t, pos_weight=w), lambda: w.add_(1)
F.binary_cross_entropy_with_logits(x, t, pos_weight=w), lambda: t.zero_()
F.embedding(c, x).sum(), lambda: c.zero_()
F.cross_entropy(x, c, w), lambda: x.data.zero_()
# then
loss.backward(retain_graph=True); print(x.grad); _ = change()
loss.backward()
x.grad

# --- the gradient of cross entropy, whoever looks
x = torch.arange(12.).view(3, 4).sin().requires_grad_(); c = torch.tensor([1, 3, 0])
def asked(watch, **settings):
    x.grad = None
    loss = F.cross_entropy(x, c, **settings); handle = watch(loss)
    v = torch.full_like(loss, -1.5); loss.backward(v, retain_graph=True)
    print(x.grad, torch.autograd.grad(loss, x, v, retain_graph=True))
    if handle: handle.remove()
    g, = torch.autograd.grad(loss, x, v, create_graph=True); print(g)
    (g ** 2).sum().backward(); print(x.grad)
# each line of: watch = {piece}
lambda loss: None
lambda loss: loss.grad_fn.register_hook(lambda inputs, outputs: print(inputs, outputs))
lambda loss: loss.register_hook(lambda g: g * 2) and None
lambda loss: loss.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: print(inputs, outputs))
lambda loss: loss.grad_fn.next_functions[0][0].register_prehook(lambda outputs: print(outputs))
lambda loss: print(loss.grad_fn.next_functions[0][0](torch.ones(3, 4)))
# then
asked(watch)
asked(watch, reduction='sum')
asked(watch, reduction='none')
asked(watch, weight=torch.tensor([1., 2., 3., 4.]))
asked(watch, ignore_index=1)

# --- a loss of classes that does not count
x = torch.ones(2, 3, requires_grad=True); c = torch.tensor([0, 2])
# each of
(F.cross_entropy(x, c) * 0).backward(); (F.cross_entropy(x, c) * -0.).backward()
(F.cross_entropy(x, c) * 2).backward(); (F.cross_entropy(x, c) * -1).backward()
(F.cross_entropy(x, c) * float('inf')).backward(); (F.cross_entropy(x, c) * float('nan')).backward()
(F.nll_loss(x, c) * 0).backward(); (F.nll_loss(x, c) * -0.).backward(); (F.nll_loss(x, c) * 2).backward()
(F.nll_loss(x, c) * -1).backward(); (F.nll_loss(x, c) * float('inf')).backward()
(F.nll_loss(x, c) * float('nan')).backward()
# then
x.grad

# --- where a loss is flat its zeros have torch's sign
x = torch.tensor([1., 2., 0.], requires_grad=True); t = torch.tensor([1., 5., .2], requires_grad=True)
# each of: loss = F.{piece}
mse_loss; l1_loss; smooth_l1_loss; huber_loss
# then
for how in ("mean", "sum", "none"):
    y = loss(x, t, reduction=how); y.backward(torch.full_like(y, -2.), retain_graph=True); print(x.grad, t.grad)
    x.grad = t.grad = None; y.backward(torch.full_like(y, 2.)); print(x.grad, t.grad)

# --- where leaky relu is straight its second derivative is zero and not missing
_ = torch.manual_seed(0); layer = nn.Linear(2, 3); x = torch.tensor([[1., -2.]], requires_grad=True)
(g,) = torch.autograd.grad(F.leaky_relu(layer(x), .2).sum(), x, create_graph=True)
((g.norm() - 1) ** 2).backward(); print(layer.bias.grad, x.grad, layer.weight.grad)

# --- clipping
a = torch.tensor([3., 0.], requires_grad=True); b = torch.tensor([4.], requires_grad=True)
a.grad, b.grad = torch.tensor([3., 0.]), torch.tensor([4.]); clip = nn.utils.clip_grad_norm_
clip([a, b], 100.), a.grad, b.grad, a.grad._version
clip([a, b], 1.), a.grad, b.grad, a.grad._version, clip(a, 0.1, norm_type='inf'), a.grad
clip(iter([a, b]), 0.1, norm_type=1), a.grad, b.grad, clip([torch.ones(1, requires_grad=True)], 1.)
clip([], 1.)
clip((p for p in []), 1.)
b.grad = torch.tensor([float('inf')]); clip([a, b], 1., error_if_nonfinite=True)
clip([a, b], 1.), a.grad, b.grad
a.grad, b.grad = torch.tensor([3., -.1]), torch.tensor([-4.])
b.grad = torch.tensor([1e-6]); clip(b, 1e-7); print(b.grad)
nn.utils.clip_grad_value_([a, b], 0.5); print(a.grad, b.grad)
nn.utils.clip_grad_value_(a, 0.2); print(a.grad)

# --- a loss that is given prediction and target: they land in the two arguments of old, which are asked for their truth
x = torch.tensor([1., 2.]); s = torch.tensor(0.)
# each of: loss = nn.{piece}
MSELoss; L1Loss; BCELoss; BCEWithLogitsLoss; CrossEntropyLoss; NLLLoss
# then
loss(x, x)
loss(x)
loss(None, s, s)
F.mse_loss(x, x, 0)

# --- what hooks are kept
net = torch.nn.Linear(1, 1); h = net.register_forward_hook(print)
h2 = net.register_forward_pre_hook(print)
[*net._forward_hooks.values()], [*net._forward_pre_hooks.values()]
h.remove()

# --- cross entropy of nothing with smoothing
# each of: F.cross_entropy({piece}, label_smoothing=0.1)
torch.zeros(0, 3), torch.zeros(0).long(); torch.zeros(2, 0), torch.zeros(2, 0); torch.zeros(0, 3), torch.zeros(0, 3)
torch.zeros(0, 3, 2), torch.zeros(0, 2).long()

# --- relu in place
F = torch.nn.functional; w = torch.tensor([1., -2.], requires_grad=True); x = w * 1
F.relu_(x), x
F.relu_(w)
x.sum().backward()
w.grad

# --- functions of init
_ = torch.manual_seed(1); w = nn.Parameter(torch.empty(3, 4)); u = nn.Parameter(torch.empty(2, 3, 2))
nn.init.{piece} is w, w, w._version
# each of
uniform_(w, -2., 3.); normal_(w, 2., 3.); xavier_uniform_(w); xavier_uniform_(w, gain=2.); xavier_normal_(w)
kaiming_uniform_(w); kaiming_uniform_(w, a=0.5, mode='fan_out'); kaiming_uniform_(w, nonlinearity='relu')
kaiming_normal_(w, mode='fan_out', nonlinearity='tanh'); constant_(w, 0.3); ones_(w); zeros_(w)
# then
w = u; print(nn.init.{piece} is w, w, w._version)
torch.rand(2)

# --- attention
def drawn(*shape): return torch.linspace(-1, 2, 2 * shape[1] * shape[2]).sin().reshape(shape).requires_grad_()
q, k, v = drawn(2, 2, 3), drawn(2, 3, 3), drawn(2, 3, 2)
# each of: y = F.scaled_dot_product_attention({piece}); print(y.detach())
q, k, v; q, k, v, is_causal=True; q, k, v, torch.tensor([[True, False, True], [False, True, True]])
q, k, v, torch.tensor([[0., -1., 2.], [.5, 0., 0.]]); q, k, v, scale=2.; q[0], k[0], v[0], None, 0., True
# then
y.backward(torch.arange(1., y.numel() + 1).reshape(y.shape)); print(q.grad, k.grad, v.grad)

# --- what attention refuses
q, k, v = torch.ones(2, 2, 3), torch.ones(2, 3, 3), torch.ones(2, 3, 2)
kind(lambda: F.scaled_dot_product_attention(q, k[:, :, :2], v))
kind(lambda: F.scaled_dot_product_attention(q, k.double(), v))
