"""Errors and warnings."""

x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.])

# --- gradients after the first are ignored
y.backward([torch.ones(2), 'text', torch.ones(5)])
x.grad

# --- the name in a version error is the node's, without Backward and a final 0
h = x.exp(); z = h * h
with torch.no_grad(): h.mul_(2)
z.sum().backward()
h = torch.stack([x, x]).sum(0); z = h * h
with torch.no_grad(): h.mul_(2)
z.sum().backward()
h = x.max(); z = h * h
with torch.no_grad(): h.mul_(2)
z.backward()
class MyF(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, *more):
        return t * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2
h = MyF.apply(x); z = h * h
with torch.no_grad(): h.mul_(2)
z.sum().backward()
h = x.clone(); z = h * h; h[0] = 3.
z.sum().backward()
z = (x * x).sum()
with torch.no_grad(): x.mul_(2)
z.backward()

# --- it is the node at the time of the error
h = x * 1; z = h**2
with torch.no_grad(): h.add_(1)
z.sum().backward()
h = x * 1; z = h**2; h.add_(1)
z.sum().backward()
h = x * 1; z = h**2; h.zero_()
z.sum().backward()
h = x.exp(); h.add_(1)
h.sum().backward()

# --- a view that was changed, or whose base was, reads AsStrided
h = x * 1; v = h.view(2, 1); z = v**2; v.add_(1)
z.sum().backward()
h = x * 1; v = h.view(2, 1); z = v**2; h.add_(1)
z.sum().backward()
h = x * 1; v = h[0]; z = v**2; h[1] = 3.
z.backward()

# --- the tensor is named by its dtype and its size
h = x.double().exp(); h.add_(1)
h.sum().backward()
h = torch.ones(2, 3, requires_grad=True).exp(); h.add_(1)
h.sum().backward()
h = x[0].exp(); h.add_(1)
h.backward()

# --- no warning where a gradient can come, or none was recorded
print(x.grad, c.grad, (c * 2).grad)
y.sum().backward(inputs=[y]); print(y.grad)
y.grad = torch.ones(2); print(y.grad)

# --- what a backward that fails has filled depends on the order of the nodes
z = torch.ones(2, requires_grad=True); y = x * 3; s = y.sum(); s.backward(); x.grad = None
(s + z.sum()).backward()
print(x.grad, z.grad)
w = torch.ones(2, requires_grad=True); t = w.sum(); y = x * 3; s = y.sum(); s.backward(); x.grad = None
(s + t).backward()
print(x.grad, w.grad)

# --- an error in backward leaves the graph usable where nothing was freed
h = y.register_hook(lambda g: 1 / 0)
y.sum().backward()
h.remove(); print(x.grad)
(x * 3).sum().backward(); print(x.grad)

# --- what is refused in one line
# each of
y.backward('ones'); y.backward(np.ones(2)); torch.autograd.grad(y.sum(), 'x'); x.requires_grad = 1; x.data = 3
x.data = torch.tensor([1, 2]); y.view(2).detach_(); c[c > 0] = torch.ones(3); c[[0, 1]] = torch.ones(3)
c[0] = 'one'; x.grad = torch.ones(3); x.grad = torch.tensor([1, 2]); x.grad = torch.ones(2, dtype=torch.float64)
x.grad = 0; .1 * x.grad; with torch.no_grad: z = x * 2; bool(torch.ones(0)); copy.deepcopy(y)
torch.optim.SGD([x], lr=.1, weight_decay=-1.); o = torch.optim.SGD([x, x], lr=.1); torch.nn.Parameter([1., 2.])
torch.nn.Sequential(3); torch.autograd.functional.hessian(lambda t: 1., c)
torch.ones(1, 2) @ torch.ones(2, 1, dtype=torch.float64); torch.ones(2, 3).view(-1, -1)
torch.ones(2, 3).permute(0, 0); torch.ones(2, 3).permute(0); torch.ones(2, 3).transpose(0, 2)
torch.ones(2, 3).unsqueeze(4); torch.ones(2).mT; torch.ones(2, 2, 2).t()
torch.cat([torch.ones(2), torch.ones(1, 2)]); torch.cat([torch.tensor(1.), torch.tensor(2.)]); torch.stack([])
torch.ones(2, 3).sum(2); torch.ones(2, 3).sum((0, 0)); torch.ones(0).max(); torch.ones(2, 0).argmax(1)
c - torch.tensor([True, False]); torch.maximum(c, 1); torch.relu(torch.tensor([True]))
torch.einsum('ij,jk', torch.ones(2, 2)); torch.einsum('ij,jk', torch.ones(2, 2), torch.ones(3, 3))
torch.outer(c, torch.ones(2, 2)); torch.chunk(c, 0); torch.ones(2, 3).squeeze(3); c + [1., 2.]; c < 'one'; c(1)
c + 'one'; c + None; c @ 2; ~c; torch.ones(2)[-3]; c[torch.tensor([True])]; a, b, d = c; len(torch.tensor(1.))
list(torch.tensor(1.)); torch.tensor(); torch.tensor(None); torch.zeros(-1); torch.arange(3, 0)
torch.tensor('one'); torch.from_numpy([1, 2]); torch.manual_seed('one')
torch.nn.functional.mse_loss(c, c, reduction='all')

# --- what is refused in several
t = torch.tensor([1, 2])
t.requires_grad = True
a, b = y.unbind()
a.add_(1)
a, b = y
b += 1
a, b = y.split(1)
a.add_(1)
a, b = y.chunk(2)
b.zero_()
with torch.no_grad(): v = y.view(2)
v.add_(1)
with torch.no_grad(): v = x.view(2)
v.add_(1)
def scale(g): return g[0]
h = x.register_hook(scale)
y.sum().backward()
h = y.register_hook(lambda g: 1 / 0)
y.sum().backward()
layer = torch.nn.Linear(2, 1)
layer.register_parameter('forward', None)
class Early(torch.nn.Module):
    def __init__(self): self.p = torch.nn.Parameter(torch.ones(1))
Early()
