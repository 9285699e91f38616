"""Nodes as a program sees them: hooks, members, what they saved, calling them; `torch.autograd.graph`."""

x, w = torch.tensor([1., 2.], requires_grad=True), torch.tensor([3., 4.], requires_grad=True)
told = lambda word: lambda grad_inputs, grad_outputs: print(word, grad_inputs, grad_outputs)
before = lambda word: lambda grad_outputs: print(word, grad_outputs)
G = torch.autograd.graph; hooks = G.saved_tensors_hooks
pack = lambda word: lambda t: (print('pack', word, t), t)[1]
unpack = lambda word: lambda t: (print('unpack', word, t), t)[1]
def under(f, p, u):
    with hooks(p, u): return f()

# --- hooks of a node see what arrives and what leaves
# each of: y = {piece}
x * 2; x * w; x ** 2; x + torch.tensor([1, 2]); x.sum() + w; x @ w; torch.where(x > 1, x, w); x[:1] - w
x[[1, 1, 0]]; x.clamp(0, 1); torch.stack([x, w]).softmax(1); torch.nn.functional.mse_loss(x, w)
torch.outer(x, w).max(0).values; x.detach() / w
# then
h = y.grad_fn.register_hook(told('hook')); p = y.grad_fn.register_prehook(before('prehook'))
y.sum().backward(retain_graph=True); print(x.grad, w.grad)
type(h), type(p)
h.remove(); p.remove(); y.sum().backward(); print(x.grad, w.grad)

# --- what a hook of a node returns
def asked(place, register):
    x.grad = None; y = x * 2
    h = getattr(place(y.grad_fn), register)(lambda g, *o: {piece})
    try:
        y.sum().backward()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    print(x.grad); h.remove()
asked(lambda node: node, "register_hook")
asked(lambda node: node, "register_prehook")
asked(lambda node: node.next_functions[0][0], "register_hook")
asked(lambda node: node.next_functions[0][0], "register_prehook")
# each of
5; g[0]; (); (1.,) * len(g); (*g, None); [*g]; 'g'; (None,) * len(g); (g[0],) * len(g); (g[0] * 10, *g[1:])
(torch.ones(3), *g[1:]); (g[0].double(), *g[1:]); None; 1 / 0

# --- a hook without a name
import functools
y = x * 2; h = y.grad_fn.register_hook(functools.partial(lambda a, g, o: (g[0],), 3))
y.sum().backward()
h.remove(); h = y.register_hook(functools.partial(lambda a, g: torch.ones(3), 3))
y.sum().backward()

# --- hooks of a leaf are at its accumulate grad
y = (x * 2).exp(); node = y.grad_fn.next_functions[0][0].next_functions[0][0]
a = node.register_hook(lambda gi, go: print(gi, go, x.grad))
b = node.register_prehook(lambda go: (print(go, x.grad), (go[0] * 3,))[1])
c = x.register_hook(lambda g: print('tensor', g))
d = x.register_post_accumulate_grad_hook(lambda t: print('after', t.grad))
y.sum().backward(retain_graph=True), y.sum().backward(retain_graph=True)
torch.autograd.grad(y.sum(), x, retain_graph=True), y.sum().backward(inputs=[x], retain_graph=True)
a.remove(); b.remove(); c.remove(); d.remove()
y.sum().backward(); print(x.grad)
y = x * 2; h = y.grad_fn.next_functions[0][0].register_hook(told('gone')); x.requires_grad_(False)
y.sum().backward(); print(h.remove())

# --- the order of hooks of tensors and nodes
y = x * 2; y.retain_grad(); n = y.grad_fn
n.register_hook(told('first')) and n.register_prehook(before('before')) and None
n.register_hook(lambda gi, go: (gi[0] * 3, None)) and n.register_hook(told('third')) and None
n.register_prehook(lambda go: (go[0] * 5,)) and n.register_prehook(before('again')) and None
y.register_hook(lambda g: g * 7) and x.register_hook(print) and None
y.sum().backward(); print(x.grad, y.grad)

# --- hooks of nodes in a pass for chosen inputs
y = x * w; n = y.grad_fn; l = y.sum()
h = n.register_hook(told('hook')), n.register_prehook(before('prehook')), y.register_hook(print)
a = n.next_functions[0][0]; b = n.next_functions[1][0]
a.register_hook(told('x')) and a.register_prehook(before('x')) and b.register_hook(told('w')) and None
torch.autograd.grad(l, x, retain_graph=True), torch.autograd.grad(l, y, retain_graph=True)
torch.autograd.grad(l, [x, y], retain_graph=True)
l.backward(inputs=[x], retain_graph=True); print(x.grad, w.grad)
l.backward(inputs=[y], retain_graph=True); print(x.grad, w.grad, y.grad)
g, = torch.autograd.grad(l, [x], create_graph=True); print(g)
torch.autograd.grad(g.sum(), w)

# --- what hooks of nodes return is recorded
y = x ** 3; h = y.grad_fn.register_hook(lambda gi, go: (gi[0] * x,))
g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g)
torch.autograd.grad(g.sum(), x)

# --- hooks of nodes with several results
u, v = (x * 2).unbind(); n = u.grad_fn
n.register_hook(told('hook')) and n.register_prehook(before('prehook')) and None
u.backward(retain_graph=True)
(u * v).backward(retain_graph=True); print(x.grad)
h = n.register_prehook(lambda go: (None, go[1])); (u * v).backward(retain_graph=True); print(x.grad)
h.remove(); h = n.register_prehook(lambda go: (None, None)); (u * v).backward(); print(x.grad)

# --- hooks of a changed base and of a view
y = x * 1; z = w.sum(); y[0] = z; v = y[1:]
y.grad_fn.register_hook(told('base')) and y.grad_fn.register_prehook(before('base')) and None
v.grad_fn.register_hook(told('view')) and None
(y.sum() + v.sum()).backward(); print(x.grad, w.grad)

# --- hooks of a program's function
class F(torch.autograd.Function):
    forward = staticmethod(lambda ctx, a, k, b: (a * 2, b * 3))
    backward = staticmethod(lambda ctx, g, h: (print('runs', g, h), g * 2, None, h * 3)[1:])
p, q = F.apply(x, 5, w); n = p.grad_fn
n.register_hook(told('hook')) and n.register_prehook(before('prehook')) and None
p.register_hook(lambda g: print('p', g)) and q.register_hook(lambda g: print('q', g)) and None
p.sum().backward(retain_graph=True)
(p.sum() + q.sum()).backward(retain_graph=True); print(x.grad, w.grad)
h = n.register_prehook(lambda go: (None, None))
(p.sum() + q.sum()).backward(retain_graph=True); print(x.grad, w.grad, h.remove())
h = n.register_hook(lambda gi, go: (None, None))
(p.sum() + q.sum()).backward(retain_graph=True); print(x.grad, w.grad, h.remove())
h = n.register_prehook(lambda go: (go[0], torch.ones(2)))
p.sum().backward(retain_graph=True)
h.remove(); torch.autograd.grad(p.sum(), x)
n.metadata, n.metadata is n.metadata, n.requires_grad

# --- a hook that removes itself runs once
y = (x * 2).sum(); h = y.grad_fn.register_hook(lambda gi, go: h.remove() or print('once'))
y.backward(retain_graph=True); y.backward(); print(x.grad)
with x.sum().grad_fn.register_hook(print) as h: print(type(h))

# --- hooks of several results come in the order of their registration
handles = {}
def told(place, name):
    register = getattr(place, "register_prehook", None) or place.register_hook
    handles[name] = register(lambda g: print(name, g))
x = torch.arange(6., requires_grad=True); y = x * 2
a, b, c = (x * 1).chunk(3); ones = torch.ones(2)
# each line of
told(b, 'b'); told(a, 'a'); (a * b).sum().backward()
told(a, 'a'); told(b, 'b'); told(a, 'again'); (b * a).sum().backward()
a.retain_grad(); told(a, 'a'); told(b, 'b'); b.retain_grad(); (b * a).sum().backward(); print(a.grad, b.grad)
told(c, 'c'); told(a, 'a'); told(b, 'b'); (b * 2).sum().backward()
told(a, 'a'); told(b, 'b'); b.backward(ones, inputs=[x]); print(x.grad)
told(a, 'a'); told(b, 'b'); b.backward(ones, inputs=[b])
told(a, 'a'); told(b, 'b'); b.backward(ones, inputs=[y])
told(a, 'a'); print(torch.autograd.grad(b, y, ones, allow_unused=True))
told(b, 'b'); _ = a.register_hook(lambda g: g * 10); print(torch.autograd.grad((a * b).sum(), [a, b, x]))
told(b, 'b'); _ = a.register_hook(lambda g: g * 10); print(torch.autograd.grad((a * b).sum(), [a, b]))
told(b, 'b'); told(a, 'a'); told(a.grad_fn, 'before'); (a * b).sum().backward()
_ = a.register_hook(lambda g: ones); b.sum().backward()
told(b, 'b'); told(a, 'a'); handles['b'].remove(); told(b, 'later'); (a * b).sum().backward()

# --- what a node keeps has the names and values of torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True); v = torch.tensor([1., 2.], requires_grad=True)
c, F = torch.tensor([5., 6.]), torch.nn.functional
def show(y):
    node = (y if isinstance(y, torch.Tensor) else y[0]).grad_fn
    print(node.name())
    for name in SAVED:
        value = getattr(node, f"_saved_{name}", None)
        if isinstance(value, torch.Tensor) or name == "exponent":
            print(name, type(value).__name__, value, value is x, value is v, value is c)
# each of: show({piece})
x.exp(); x.log(); x * x; x * 2; x * 2.5; 2 * x; x * torch.ones(2); torch.ones(2) * x; x + v; x + 2; x - v; x - 1
x / v; x / 2; c / v; x ** 2; x ** 2.5; x ** v; x ** c; 2 ** x; c ** v; x @ x; x @ torch.ones(2, 3)
torch.ones(3, 2) @ x; x @ v; x @ c; v @ v; v @ c; x.sum(); x.sum(1); x.sum((0, 1)); x.sum(1, keepdim=True)
x.mean(); x.mean(0); x.relu(); x.sigmoid(); x.tanh(); x.sin(); x.cos(); x.tan(); x.sqrt(); x.abs(); x[0]; x[-1]
x[:, 1]; v[1]; x[:1]; x[:, 1:]; x[::2]; x[[0, 1]]; x[:, [0]]; x[torch.tensor([0, 1]), torch.tensor([0, 0])]
x[x > 1]; x.view(4); x.t(); x.T; x.transpose(0, 1); x.permute(1, 0); torch.cat([x, x]); torch.cat([x, x], 1)
torch.stack([x, x]); x.max(); x.min(); x.max(1); x.amax(); x.amin(1); x.clamp(1, 2); x.clamp(min=1)
x.clamp_max(1.5); x.clamp(torch.tensor(1.0), torch.tensor(2.0)); torch.where(x > 1, x, x)
torch.where(x > 1, x, 0.0); x.softmax(1); x.log_softmax(1); x.norm(); x.norm(dim=1); x.norm(1)
torch.linalg.vector_norm(x); x.prod(); x.prod(1); x.std(); x.std(1, unbiased=False); x.var(1); x.var()
x.cumsum(0); x.cumprod(0); x.expand(2, 2, 2); x.unsqueeze(0); x.squeeze(); x.unsqueeze(0).squeeze(0)
x.gather(1, torch.tensor([[0], [1]])); x.clone(); -x; torch.addmm(v, x, x)
torch.addmm(v, x, x, alpha=2, beta=3); F.linear(x, x, v); F.linear(x, x); F.linear(v, x, v)
F.mse_loss(x, x.detach()); F.mse_loss(x, x.detach(), reduction='sum')
F.mse_loss(x, x.detach(), reduction='none'); F.binary_cross_entropy(x / 10, x.detach() / 10)
F.binary_cross_entropy_with_logits(x, x.detach() / 10); F.l1_loss(x, x.detach() * 2)
F.smooth_l1_loss(x, x.detach() * 2); F.huber_loss(x, x.detach() * 2); x.double(); torch.maximum(x, v)
torch.minimum(x, v); x.repeat(2, 1); x.flip(0); x.sort(0, descending=True); x.masked_fill(x > 1, 0.0)
x.masked_select(x > 1); torch.bmm(x[None], x[None]); x[None] @ x; x.chunk(2); x.split(1); x.split([1, 1], 1)
x.unbind(); v.diag(); x.diag(); x.trace(); x.triu(); x.tril(1); torch.atan2(x, v); F.leaky_relu(x); x.sinh()
x.cosh(); (x / 9).asin(); (x / 9).acos(); x.atan(); x.log1p(); x.expm1(); x.log2(); x.log10(); x.exp2(); 1 - x
1 / x; x.flatten(); x.t().reshape(-1); x.reshape(4); torch.outer(v, v); torch.einsum('ij,j->i', x, v)
(x * 1).add_(v); (x * 1).mul_(2); (lambda y: (y.__setitem__(0, v), y)[1])(x * 1); F.gelu(x); F.elu(x); F.silu(x)
x.median(); torch.lerp(x, x, 0.5); torch.lerp(x, x, v); x.roll(1, 0); x.index_select(0, torch.tensor([0]))
x.take(torch.tensor([0])); x.rsqrt(); x.reciprocal(); x.sign(); x.floor(); x.ceil(); x.round(); x % 2; x.erf()
x.square(); x.t().contiguous(); torch.add(x, v, alpha=2); torch.sub(x, v, alpha=3)
x.scatter(1, torch.tensor([[0], [1]]), 9.0); torch.addcmul(x, x, v, value=2); torch.addcdiv(x, x, v)
torch.zeros(2, 2).copy_(x); x.tile(2); x.detach().requires_grad_() * 1; F.embedding(torch.tensor([0, 1]), x)
F.cosine_similarity(x, x); F.normalize(x); x.view_as(x); v.expand_as(x); x.narrow(0, 0, 1); x.movedim(0, 1)
x.swapaxes(0, 1); x.unflatten(0, (2, 1)); x.nan_to_num(); F.log_softmax(v, 0); F.softmax(v, 0); x.diagonal()
torch.baddbmm(x[None], x[None], x[None]); x.unfold(0, 1, 1)

# --- a gradient that is flat has its node too, also at a second call; its own gradient is 0 and not missing
F, w, k = torch.nn.functional, torch.tensor([0.1]), torch.tensor([0]); x = torch.tensor([0.5], requires_grad=True)
def asked(): return torch.autograd.grad({piece}.sum(), x, create_graph=True)[0]
g = asked(); print(g.grad_fn.name(), torch.autograd.grad(g, x))
g = asked(); print(g.grad_fn.name(), torch.autograd.grad(g, x))
(x * 1).normal_().grad_fn.name()
# each of
F.hardtanh(x); F.relu6(x); F.relu(x); F.leaky_relu(x); F.prelu(x, w); F.logsigmoid(x); F.mse_loss(x, w)
F.huber_loss(x, w); F.smooth_l1_loss(x, w); F.nll_loss(x[None], k)

# --- a member that is not there and one that is freed
y = x ** 2; n = y.grad_fn; a = n.next_functions[0][0]
n.variable
n._saved_other
n._saved_nothing
n.saved_tensors
a._saved_self
[hasattr(n, name) for name in ('variable', '_saved_self', '_saved_other', 'saved_tensors')]
[name for name in dir(a) + dir(n) if name.startswith('_saved')], hasattr(a, 'variable')
y.sum().backward()
n._saved_exponent
n._saved_self
hasattr(n, 'saved_tensors')
hasattr(n, '_saved_self')
h = x * 1; k = h * h; h = h.add_(1)
k.grad_fn._saved_self
n.requires_grad, n.metadata, n.metadata is n.metadata, a.metadata
n.metadata['word'] = 1; print(n.metadata)
type(a), type(n), bool(n), n in {n}

# --- a script that draws the graph
from_seed, nn = torch.manual_seed(0), torch.nn
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
class Square(torch.autograd.Function): forward = staticmethod(lambda ctx, t: ctx.save_for_backward(t) or t * t)
def walk(node, depth=0):
    saved = sorted(name for name in dir(node) if name in ('_saved_self', '_saved_other', '_saved_result'))
    print(' ' * depth, node.name(), saved, hasattr(node, 'variable') and node.variable.shape)
    for parent, place in node.next_functions if hasattr(node, 'next_functions') else ():
        if parent is not None:
            walk(parent, depth + 1)
    if hasattr(node, 'saved_tensors'):
        print(' ' * depth, node.saved_tensors)
loss = nn.functional.mse_loss(Square.apply(net(torch.ones(4, 2))), torch.zeros(4, 1)); walk(loss.grad_fn)
loss = net(torch.ones(4, 2)).mean(); walk(loss.grad_fn)

# --- the names of a programs node
class F(torch.autograd.Function):
    forward = staticmethod(lambda ctx, t: (setattr(ctx, 'mine', 1), ctx.save_for_backward(t), t * 2)[2])
n = F.apply(x).grad_fn; print([name for name in dir(n) if name.startswith('_saved')])
names = 'saved_tensors', 'next_functions', 'needs_input_grad', 'register_hook', 'mine', '_saved_self', 'metadata'
[name in dir(n) for name in names], [hasattr(n, name) for name in names]

# --- calling a node
g = torch.ones(2)
y = x ** 2; n = y.grad_fn; n(g), n(g), n(None)
n()
n(1.0)
n(g, g)
n(torch.ones(3))
h = n.register_hook(print), n.register_prehook(print); print(n(g.requires_grad_()))
with torch.no_grad(): print(n(g))
g = torch.ones(2); (x * x).grad_fn(g), (x + x).grad_fn(g), (x * 2).grad_fn(g), (x + w.sum()).grad_fn(g)
(x @ x).grad_fn(torch.tensor(2.)), x.sum().grad_fn(torch.tensor(1.))
u = (x * 1).unbind()[0].grad_fn; u(torch.tensor(1.), torch.tensor(2.)), u(torch.tensor(1.), None)
u(torch.tensor(1.))
y.sum().backward(); x.grad
n(g)

# --- what is a view
[each._is_view() for each in (x.view(2), x, x[0], x.detach(), x * 1, x.expand(3, 2))]

# --- what is packed and unpacked
# each of: y = under(lambda: {piece}, pack(1), unpack(1))
x * x; x * w; x * 2; x / w; x ** 2; x ** w; 2 ** x; x.exp(); x.sum(); x @ w; x.softmax(0)
torch.where(x > 1, x, w); x[[0, 1]]; x.max(0).values; x.sort().values; x.clamp(0, 1); torch.outer(x, w)
x.std(); torch.nn.functional.mse_loss(x, w.detach())
torch.nn.functional.linear(torch.ones(2, 2), torch.ones(1, 2, requires_grad=True), x[:1]); x.norm(); x.prod()
torch.addcmul(x, x, w); (x * x).sqrt().abs(); x.gather(0, torch.tensor([1])); x.maximum(w)
torch.einsum('i,i->', x, w); 1 / x; x.detach() * 2
# then
y.sum().backward()
x.grad, w.grad

# --- nested hooks for saved tensors
with hooks(pack('a'), unpack('a')):
    y = x * x
    with hooks(pack('b'), unpack('b')): z = y * y
    u = z * z
u.sum().backward(retain_graph=True), u.sum().backward()
u.sum().backward()
u.grad_fn._saved_self

# --- pairs of hooks and their errors
hooks = torch.autograd.graph.saved_tensors_hooks; y = None
with hooks({piece}): y = x.exp() * x
y.sum().backward()
x, x.grad
y = x * x; y.sum().backward(); print(x.grad)
# each of
lambda t: t.detach().numpy(), torch.tensor; lambda t: 3, lambda t: t; lambda t: None, lambda t: t
lambda t: t, lambda t: None; lambda t: 1 / 0, lambda t: t; lambda t: t, lambda t: 1 / 0; lambda t: t, lambda t: t * 2
lambda t: t.add_(1), lambda t: t; lambda t: t, lambda t: t.double()

# --- what hooks give back has its place in the graph
y = under(lambda: x.exp(), pack(1), unpack(1)); print(y.grad_fn._saved_result)
y.grad_fn._saved_result.grad_fn is y.grad_fn
y = under(lambda: x ** 2, lambda t: t, lambda t: t); s = y.grad_fn._saved_self; print(s, s is x, s.is_leaf)
[name for name in dir(y.grad_fn) if name.startswith('_saved')], type(y.grad_fn).__name__, y
y = under(lambda: x ** 3, lambda t: t, lambda t: t)
g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g, torch.autograd.grad(g.sum(), x))
y = under(lambda: (x ** 3).exp(), lambda t: t.detach().clone(), lambda t: t)
g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g, torch.autograd.grad(g.sum(), x))
h = x * 1; y = under(lambda: h * h, lambda t: t.detach().clone(), lambda t: t); h = h.add_(1)
y.sum().backward(); print(x.grad)
y = under(lambda: (x * w).mul_(w), lambda t: t.detach().clone(), lambda t: t); y.sum().backward(); print(x.grad, w.grad)
u = under(torch.no_grad()(lambda: x * x), pack(1), unpack(1)); print(u)

# --- what a program's function saves is packed
class F(torch.autograd.Function):
    forward = staticmethod(lambda ctx, a, b: (r := a * b, ctx.save_for_backward(a, b, r, None))[0])
    backward = staticmethod(lambda ctx, g: (print(*ctx.saved_tensors), g * ctx.saved_tensors[1], g)[1:])
y = under(lambda: F.apply(x, w), pack(1), unpack(1)); y.sum().backward(); print(x.grad, w.grad)
y = under(lambda: F.apply(x, w), lambda t: t.tolist(), torch.tensor); y.sum().backward(); print(x.grad)
y.sum().backward()

# --- what is saved is kept on the cpu
with G.save_on_cpu(): y = x * x
y.sum().backward(); print(x.grad)
hooks()

# --- every grad fn is a node
Node = torch.autograd.graph.Node; y = x * 2; Node
class F(torch.autograd.Function): forward = staticmethod(lambda ctx, a: a * 2)
[isinstance(each, Node) for each in (y.grad_fn, y.grad_fn.next_functions[0][0], F.apply(x).grad_fn, x)]
issubclass(type(y.grad_fn), Node), isinstance(None, Node)

# --- an error ends the hooks for saved tensors
with torch.autograd.graph.saved_tensors_hooks(print, print): 1 / 0
y = x * x; y.sum().backward(); print(x.grad)
with torch.autograd.graph.save_on_cpu(): raise KeyError
(x * w).sum().backward(); print(x.grad)

# --- the graph as an object: places by name
y = x * 3; u = torch.ones(2, 2, requires_grad=True).unbind(0); E = G.get_gradient_edge; A = torch.autograd
import collections
class F(torch.autograd.Function):
    forward = staticmethod(lambda ctx, a: a * 2)
    backward = staticmethod(lambda ctx, g: g * 2)
# each of
E(y).node is y.grad_fn, E(y).output_nr, E(y)._fields, E(y).ownership_token, E(u[1]).output_nr, E(x).node.name()
A.grad((y * y).sum(), (E(y), x)), A.grad(E(y), x, torch.ones(2)), A.grad(E((y * w).sum()), [w, E(x)])
A.grad(u[1].sum(), E(u[1])), A.grad(E(u[1]), E(u[0]), torch.ones(2), allow_unused=True); A.grad(E(y), x)
A.backward(E(y), torch.ones(2)); print(x.grad)
y.sum().backward(inputs=[E(x)]); print(x.grad)
A.grad(y.sum(), E(x * 2)); A.grad(y.sum(), [3]); E(torch.ones(1)); E(F.apply(x)).ownership_token.name()
A.grad(y.sum(), collections.OrderedDict(x=x))
y.sum().backward(inputs=collections.OrderedDict(x=x))

# --- one hook of several tensors
a, b, c = [torch.tensor([v], requires_grad=True) for v in (1., 2., 3.)]
h = G.register_multi_grad_hook([a, b, c], lambda g: print('all', g)); y = a * b
k = G.register_multi_grad_hook([y, a], lambda g: print('any', g), mode='any')
y.backward(retain_graph=True), (y * c).backward(retain_graph=True), torch.autograd.grad(y * c, [b], retain_graph=True)
y.backward(inputs=[a, c], retain_graph=True)
h.remove(); y.backward()
with k: pass
(a * b).backward()
G.register_multi_grad_hook([a], print, mode='some'); G.register_multi_grad_hook([a, torch.ones(1)], print)

# --- hooks of one saved tensor
y = x * w; s = y.grad_fn._raw_saved_self; type(s)
# each of
s.register_hooks(pack('s'), unpack('s'))
s.register_hooks(lambda t: t.detach() * 2, unpack('s')), s.register_hooks(print, print)
y.sum().backward(); s.register_hooks(print, print)
with hooks(pack('a'), unpack('a')): y = x * w
with G.disable_saved_tensors_hooks('not here'), hooks(print, print): pass
with hooks(print, print), G.disable_saved_tensors_hooks('not here'): pass
(x + 1).grad_fn._raw_saved_self
# then
y.sum().backward(); print(x.grad, w.grad)

# --- changes of what is saved, and counted ones
with G.allow_mutation_on_saved_tensors() as m:
    a = x.clone(); u = (a ** 2).sum(); v = (a * w).sum(); a.sin_(); a.zero_(); (u + v).backward(); print(x.grad, a)
    kept = a * w; a.add_(1)
kept.sum().backward()
with G.allow_mutation_on_saved_tensors(), G.allow_mutation_on_saved_tensors(): pass
y = (x * x).sum(); G.increment_version([x, x.detach()]), x._version
y.backward()
G.increment_version(3)
G.increment_version([3])
with torch.autograd._unsafe_preserve_version_counter(w): w.detach().mul_(2)
w._version, w

# --- calling the nodes of leaves
n = (x * 2).grad_fn.next_functions[0][0]
# each of
n(torch.tensor([5., 6.])); n(); n(3); n(None); n(torch.ones(3)); (x * 2).grad_fn(grad=3)
# then
n(torch.ones(2)), x.grad
