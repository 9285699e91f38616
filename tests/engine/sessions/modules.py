"""Modules: what they find, print, load and refuse."""

nn, F = torch.nn, torch.nn.functional
_ = torch.manual_seed(3)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1), nn.Tanh()))
layer = nn.Linear(2, 1)

# --- attributes are registered by what they are
layer.foo = torch.ones(1); print('foo' in layer.state_dict(), layer.foo)
layer.foo = nn.Parameter(torch.ones(1)); print(list(layer.state_dict()), layer.foo)
layer.foo = None; print(list(layer.state_dict()), layer.foo, 'foo' in dict(layer.named_parameters()))
layer.foo = nn.ReLU()
del layer.foo; print(layer)
layer.foo
layer.foo = nn.ReLU(); print(layer, list(layer.named_children()))
layer.foo = 5
layer.foo = None; print(layer)
layer.foo = nn.Parameter(torch.ones(1)); print(layer, list(layer.state_dict()))
layer.register_buffer('buf', torch.ones(1))
layer.register_buffer('tmp', torch.ones(1), persistent=False)
list(layer.state_dict()), [name for name, _ in layer.named_buffers()]
layer.buf = torch.zeros(2); print(layer.buf, list(layer.named_buffers()))
layer.buf = None; print(list(layer.named_buffers()))
layer.buf = 5
del layer.tmp; print(list(layer.named_buffers()))
del layer.nothing
layer.weight = None; print(layer, layer.weight)
layer.bias = 3
layer.weight = torch.ones(1, 2)
layer.weight = nn.Linear(1, 1)
'0' in dir(net), 'weight' in dir(layer), 'training' in dir(layer), dir(net) == sorted(dir(net))

# --- names that are refused
layer.register_parameter('w', nn.Linear)
layer.register_parameter('w', 5)
layer.register_parameter('weight', None); print(layer.weight)
layer.register_parameter('forward', None)
layer.register_parameter('a.b', None)
layer.register_parameter(3, None)
layer.register_buffer('b', 5)
layer.register_buffer('weight', None)
layer.register_buffer('a.b', None)
layer.register_buffer(3, None)
layer.add_module('x', 5)
layer.add_module('x', F.relu)
layer.add_module('x', F.mse_loss)
layer.add_module('x', torch.relu)
layer.add_module('x', nn.ReLU)
layer.add_module('weight', nn.ReLU())
layer.add_module('a.b', nn.ReLU())
layer.add_module(3, nn.ReLU())
layer.register_module('last', nn.ReLU()); print(layer)
layer.get_submodule('a')
layer.get_submodule('bias')
net.get_submodule('2.0'), net.get_submodule('') is net

# --- modes flags and apply
net.training, net.eval().training, net[2][1].training
net.train() is net, [module.training for module in net.modules()]
net[2].eval(); print([module.training for module in net.modules()])
net.requires_grad_(False) is net, [p.requires_grad for p in net.parameters()]
net(torch.ones(1, 2)).requires_grad
net[2].requires_grad_(); y = net(torch.ones(1, 2)); y.backward()
[p.grad is None for p in net.parameters()]
net.zero_grad(False); print([p.grad for p in net.parameters()])
net.zero_grad(); print([p.grad for p in net.parameters()])
seen = []; print(net.apply(lambda module: seen.append(type(module).__name__)) is net, seen)

# --- dtypes of a module
layer(torch.ones(2)).backward(); p = layer.weight
layer.double() is layer, p is layer.weight, p.dtype, p.grad.dtype, p.is_leaf, p.requires_grad, layer
layer(torch.ones(2))
layer(torch.ones(2, dtype=torch.float64)).dtype
net.to(torch.float64)[0].weight.dtype, net.float()[2][0].bias.dtype
net.to(dtype=torch.float64)[0].weight.dtype, net.to('cpu', torch.float32)[0].weight.dtype
net.to(p)[0].weight.dtype, net.half()[0].weight.dtype
net.to(torch.long)
net.cpu() is net, net.type(torch.float64)[0].weight.dtype
m = nn.Module(); m.register_buffer('i', torch.tensor([1, 2])); m.register_buffer('f', torch.ones(1))
m.double(); print(m.i, m.f)
m.to(torch.float32); print(m.i.dtype, m.f.dtype)
nn.Linear(2, 2, dtype=torch.float64).weight.dtype
nn.Linear(2, 2, dtype=torch.long)

# --- the state is detached and shares memory
state = net.state_dict(); print(type(state).__name__, list(state))
state, [(value.requires_grad, type(value).__name__) for value in state.values()]
with torch.no_grad(): net[0].weight.fill_(0.5)
state['0.weight'], net.state_dict(keep_vars=True)['0.weight'], list(net.state_dict(prefix='net.'))
other = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))
p = other[0].weight; print(other.load_state_dict(state), p is other[0].weight, p is net[0].weight, p)
torch.equal(other[2][0].bias, net[2][0].bias), p._version, p.requires_grad

# --- a state that takes the place of what is there, and what is at a path
m = nn.BatchNorm1d(2); m.bias.requires_grad_(False); s = {'weight': torch.zeros(2), 'bias': torch.ones(2), 'running_mean': torch.ones(2), 'num_batches_tracked': torch.tensor(3)}
m.load_state_dict(s, strict=False, assign=True), m.weight, m.bias, m.running_mean is s['running_mean'], m.get_buffer('running_mean')
p = nn.Parameter(torch.ones(2)); m.load_state_dict({'weight': p, 'bias': torch.ones(3)}, strict=False, assign=True)
m.weight is p, net.get_parameter('0.weight').shape
for path in ('q', 'weight', 'q.r', 'weight.x', '', 'forward'): print(kind(lambda: m.get_parameter(path)), kind(lambda: m.get_buffer(path)))
m.get_parameter('forward')
m.get_buffer('weight')

# --- states that do not fit
layer.load_state_dict({})
layer.load_state_dict({}, strict=False)
layer.load_state_dict([1])
bad = {'weight': torch.ones(1, 2), 'bias': torch.ones(2), 'extra': torch.ones(1), 'q.r': 3}
layer.load_state_dict(bad)
layer.load_state_dict(bad, strict=False)
layer.load_state_dict({'weight': torch.ones(1, 2)}, strict=False)
layer.load_state_dict({'weight': torch.ones(1, 2), 'bias': 5})
ints = {'weight': torch.ones(1, 2).double(), 'bias': torch.ones(1, dtype=torch.long)}
layer.load_state_dict(ints), layer.weight, layer.bias
net.load_state_dict({'0.weight': torch.ones(3, 2), '5.q': torch.ones(1), '2.0.extra': torch.ones(1)})
loaded = layer.load_state_dict({'bias': torch.ones(1)}, strict=False)
loaded.missing_keys, loaded.unexpected_keys, tuple(loaded)

# --- forward hooks
x = torch.ones(1, 2); calls = []; before = layer(x)
pre = layer.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
post = layer.register_forward_hook(lambda m, args, out: calls.append((type(m).__name__, args, out)))
layer(x), calls
pre.remove(); post.remove(); print(torch.equal(layer(x), before), len(calls))
h = layer.register_forward_hook(lambda m, args, out: out + 100); print(layer(x))
h.remove()
with layer.register_forward_hook(lambda m, args, out: print('hooked')): layer(x)
torch.equal(layer(x), before)

# --- backward hooks
x = torch.ones(1, 2, requires_grad=True)
h = layer.register_full_backward_hook(lambda m, gi, go: print('hook', m, gi, go))
y = layer(x); print(y, [each[0].name() for each in y.grad_fn.next_functions])
(y * 3).sum().backward(); print(x.grad, layer.weight.grad)
layer(torch.ones(1, 2)).sum().backward()
with torch.no_grad(): print(layer(x))
torch.autograd.grad(layer(x).sum(), x, create_graph=True)
h.remove(); h = layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 100,))
x.grad = None; layer(x).sum().backward(); print(x.grad)
h.remove(); h = layer.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
layer(x).sum().backward()
layer(torch.ones(1, 2)).sum().backward()
h.remove(); show = lambda name: lambda m, gi, go: print(name, gi, go)
a = net[0].register_full_backward_hook(show('first'))
b = net.register_full_backward_hook(show('net')); net(x).sum().backward()

# --- sequential
net, len(net), net[0], net[-1], net[2][1], [type(module).__name__ for module in net]
net[1:], net[:0], net[::2]
net[3]
net['a']
net.append(nn.Sigmoid()) is net, len(net)
del net[1:]; print(net)
net[0] = nn.ReLU(); print(net)
net += nn.Sequential(nn.Tanh()); print(net)
net.extend([nn.ReLU(), nn.ReLU()]); print(net)
nn.Sequential(), nn.Sequential()(3)
nn.Sequential(F.relu)
nn.Sequential(nn.ReLU)
nn.Sequential([nn.ReLU()])
nn.Sequential(nn.ReLU(), None)
nn.Sequential(nn.ReLU(), None)(torch.ones(1))
from collections import OrderedDict
named = nn.Sequential(OrderedDict([('first', nn.Linear(1, 1)), ('act', nn.ReLU())])); print(named)
named.first, named[1], list(named.state_dict()), named[:1]

# --- module list
m = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(1, 1), nn.Sequential(nn.ReLU(), nn.Tanh())]); print(m)
len(m), m[1:3], m[-1], [type(each).__name__ for each in m]
m[9]
m(3)
both = m + [nn.Tanh()]; both.insert(1, nn.ReLU()); both.pop(0), len(both), type(both).__name__, both[0], len(m), len(both.pop(slice(1)))
m += [nn.Identity()]; m.append(nn.Identity()); print(m)
m[0] = nn.Sigmoid(); del m[1]; print(m)
nn.ModuleList(5)
nn.ModuleList([5])
nn.ModuleList(), [name for name, _ in m.named_parameters()]

# --- module dict
d = nn.ModuleDict({'a': nn.ReLU(), 'b': nn.Linear(1, 1)}); print(d)
d['a'], len(d), list(d), 'b' in d, list(d.keys()), list(d.items()), list(d.values())
d['c']
d(1)
d.update([('c', nn.Tanh())]); print(d.pop('a'), d)
del d['c']; d.clear(); print(d)
nn.ModuleDict({'keys': nn.ReLU()})

# --- lists and dicts of parameters
p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(2, 3))]); print(p, nn.ParameterList())
p.append(torch.tensor(1.0)); p += [torch.ones(1)]; p[0] = torch.zeros(1); len(p), p[-1], p[1:], [*p]
[name for name, _ in p.named_parameters()], list(p.state_dict()), nn.ParameterList([torch.ones(1)])
p[7]
d = nn.ParameterDict({'b': torch.ones(2), 'a': nn.Parameter(torch.zeros(2, 3))}); print(d)
list(d), list(d.items()), 'b' in d, d.get('z'), d.pop('b'), len(d)
d['c'] = torch.ones(1); del d['a']; d.update([('e', torch.zeros(2))]); print(d)

# --- one layer used twice gets the sum
square = nn.Linear(2, 2); y = square(square(torch.tensor([1., 3.]))); y.backward(torch.tensor([1., 10.]))
square.weight.grad, square.bias.grad
tied = nn.Sequential(square, square); print(len(list(tied.parameters())), list(tied.state_dict()))

# --- parameters as a vector
vector = nn.utils.parameters_to_vector(layer.parameters()); print(vector)
vector.sum().backward(); print(layer.weight.grad)
nn.utils.vector_to_parameters(torch.arange(3.), layer.parameters()); print(layer.weight, layer.bias)
nn.utils.vector_to_parameters(torch.ones(2), layer.parameters())
nn.utils.parameters_to_vector([])

# --- backward hooks of a module are nodes
m = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU()); nn.init.constant_(m[0].weight, 1.); x = torch.ones(1, 2)
told = lambda word: lambda *a: print(word, a[1:])
# each line of
h = m[0].register_full_backward_hook(told('a')); m[0].register_full_backward_hook(told('b'), prepend=True) and None
m[0].register_full_backward_pre_hook(lambda mod, g: (g[0] * 2,)) and None; m[1].register_full_backward_pre_hook(told('p'), prepend=True) and None
m[0].register_full_backward_pre_hook(lambda mod, g: (g[0], g[0])) and None
m[0].register_backward_hook(told('old')) and None; m[0].register_full_backward_hook(told('new'))
m.register_backward_hook(told('old')) and None
m.register_forward_pre_hook(told('pre'), with_kwargs=True) and m.register_forward_pre_hook(told('first'), prepend=True) and None
m.register_forward_hook(told('after'), with_kwargs=True) and m.register_forward_hook(lambda *a: a[2] * 2, prepend=True) and None
m[0].register_full_backward_hook(lambda mod, gi, go: (gi[0] * 10,)) and None
# then
x.requires_grad_(); y = m[0](x); print(type(y.grad_fn).__name__, [type(n).__name__ for n, _ in y.grad_fn.next_functions], y._is_view())
y.add_(1)
m(x).sum().backward(); print(x.grad, m[0].weight.grad); m(x.detach()).sum().backward(); print(m[0].weight.grad)

# --- a hook that is always called
class Fails(nn.Module):
    def forward(self, t): raise ValueError('inside')
m = Fails(); m.register_forward_hook(lambda *a: print('called', a[2]), always_call=True) and None
m(torch.ones(1))

# --- operators of a chain, other submodules, buffers
s = nn.Sequential(nn.ReLU(), nn.Tanh()); l = nn.Linear(1, 1)
def imul(k):
    global s
    s *= k; return list(s._modules)
def iadd(k):
    global s
    s += k; return list(s._modules)
# each of
s + 3; s * 2.; 2 * s; s * -1; (s * 2)[0] is (s * 2)[2]; s + nn.Sequential(nn.ReLU()); imul(2); imul(0); iadd([l]); iadd(s * 2)
s.insert(9, l); s.insert(0, 3); s.insert(-1, l); s.insert(2, l); s.pop(0); s.pop(slice(0, 1)); s.pop(9)
l.set_submodule('a.b', s); l.set_submodule('a', 3); l.set_submodule('weight', s); l.set_submodule('', s)
l.set_submodule('a', s); print(l)
s.set_submodule('0', l, strict=True); s.set_submodule('7', l, strict=True); print(s)
# then
s

# --- buffers by assignment
b = nn.Buffer(torch.ones(2), persistent=False); l = nn.Linear(1, 1); l.b = b
print(b, type(b).__name__, isinstance(b, nn.Buffer), l.state_dict().keys(), dict(l.named_buffers()))
l.b = nn.Buffer(torch.ones(2)); l.b = torch.zeros(1); print(l.state_dict().keys(), isinstance(l.b, nn.Buffer), nn.Buffer())

# --- embeddings with a largest norm
w = torch.tensor([[3., 4.], [.1, .2], [6., 8.]], requires_grad=True); E = nn.Embedding; i = torch.tensor([[0, 0], [1, 0]])
def told_of(m):
    y = m(i); y.sum().backward(); print(m, y, m.weight, m.weight._version, m.weight.grad)
# each of
told_of(E.from_pretrained(w, freeze=False, max_norm=1.)); told_of(E.from_pretrained(w, False, scale_grad_by_freq=True))
told_of(E.from_pretrained(w, False, max_norm=2., norm_type=1., padding_idx=1)); E.from_pretrained(w[0]); E.from_pretrained(w).weight
E(2, 2, _weight=w); torch.nn.functional.embedding(i, w * 1, max_norm=1.)

# --- parameters as functions of others
P = nn.utils.parametrize; l = nn.Linear(2, 2, bias=False); nn.init.constant_(l.weight, 3.)
class Square(nn.Module):
    def forward(self, t): return t * t
    def right_inverse(self, t): return t.sqrt()
class Plus(nn.Module):
    def forward(self, t): return t + 1
class Wide(nn.Module):
    def forward(self, t): return t.sum(0)
class Two(nn.Module):
    def forward(self, a, b): return a + b
    def right_inverse(self, t): return t / 3, t / 3 * 2
R = P.register_parametrization; R(l, 'weight', Square()); l
# each of
l.weight, l.parametrizations.weight.original; R(l, 'bias', Plus()); R(l, 'weight', Wide()); R(l, 'weight', Plus()) and l.weight
P.remove_parametrizations(l, 'weight') and l.weight; P.remove_parametrizations(l, 'weight', False) and l.weight; P.is_parametrized(l, 'bias')
with torch.no_grad(): l.weight = torch.full((2, 2), 16.)
R(l, 'weight', Plus()); l.weight = torch.ones(2, 2)
with P.cached(): print(l.weight is l.weight, l.weight is l.weight)
l.weight = nn.Parameter(torch.ones(2, 2))
l(torch.ones(1, 2)).sum().backward(); print(l.parametrizations.weight.original.grad); R(nn.Linear(2, 2), 'weight', Two()).parametrizations
P.type_before_parametrizations(l), P.is_parametrized(nn.ReLU()), P.remove_parametrizations(l, 'x')
# then
l, P.is_parametrized(l), [n for n, _ in l.named_parameters()]
