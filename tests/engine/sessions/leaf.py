"""Who keeps a gradient: hooks, retained gradients, changes in place, views, grad modes, freeing."""

x = torch.tensor([1., 2.], requires_grad=True)

# --- a base gets other memory
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True); y = x * 1; v = y[0]
y.data = torch.ones(3)
v, y

# --- some entries of an expanded tensor change
e = torch.ones(1).expand(3)
# each line of
e[0] = 4.
e[:2] = 0
e.mul_(2)
e.unsqueeze_(0).shape
e = torch.ones(1).expand(2, 3); e.t_().shape
# then
e

# --- a leaf of another shape than what it keeps
w = torch.ones(2, requires_grad=True); (w * 2).sum().backward()
with torch.no_grad(): w.unsqueeze_(0)
(w * 2).sum().backward()
w = torch.tensor(2., requires_grad=True); (w * 2).sum().backward()
with torch.no_grad(): w.unsqueeze_(0)
(w * 2).sum().backward()
w.grad

# --- what a post-accumulate hook returns
# each of: h = x.register_post_accumulate_grad_hook(lambda p: {piece})
p.data.sub_(0.1 * p.grad); p; None; p.grad
# then
(x * 2).sum().backward()
x, x.grad

# --- a leaf is filled as soon as its last share has come
b = torch.tensor([5., 6.], requires_grad=True); handle = x.register_hook(lambda g: print('x', g))
handle = b.register_hook(lambda g: print('b', g)); h = x * 2
handle = h.register_hook(lambda g: print('h', g)); (h + b).sum().backward()

# --- what a backward that fails has filled
z = torch.tensor([3.], requires_grad=True); t = z.sum(); y = x * x; s = y.sum(); s.backward()
x.grad = None
(s + t).backward()
x.grad, z.grad
y = x * x; s = y.sum(); s.backward()
(s + z.sum()).backward()
x.grad, z.grad

# --- wrong answers of hooks
y = x * 2; handle = y.register_hook(lambda g: torch.ones(3))
y.sum().backward()
handle.remove()
y = x * 2; handle = y.register_hook(lambda g: 1.0)
y.sum().backward()
torch.ones(2).register_hook(print)
y.register_post_accumulate_grad_hook(print)
torch.ones(2).register_post_accumulate_grad_hook(print)
torch.ones(2).retain_grad()

# --- a view of a constant becomes part of the graph
b = torch.zeros(2); v = b[0]; r = b.add_(x); print(v, v.requires_grad, v.is_leaf)
v.backward()
x.grad
b = torch.zeros(2, 2); r = b[0].add_(x); print(b)
b[1] += b[0]
b
b.sum().backward()
x.grad

# --- a chain of views
b = torch.zeros(2, 2)
b[0][1] = x[0]
b
c = b * 1
c.T[0, 1] = x[1] * 10
c
c.backward(torch.tensor([[1., 10.], [100., 1000.]]))
x.grad

# --- a leaf cannot be changed, nor its views
x += 1
x[0] = 5.
x.mul_(2)
x.unsqueeze(0).add_(1)
x.expand(2, 2).add_(1)
x.detach().expand(2, 2).add_(1)
v = torch.zeros(2)[0].requires_grad_()
v.add_(1)
c = torch.ones(2); v = c[0]; r = c.requires_grad_(); print(v.requires_grad)
v.add_(1)
x, c

# --- a view taken under no_grad
y = x * 2
with torch.no_grad(): v = y.unsqueeze(0)
v.requires_grad, v.is_leaf
v.add_(1)
with torch.no_grad(): w = v.add_(1)
y
c = torch.zeros(2)
with torch.no_grad(): v = c.unsqueeze(0)
v.add_(1)
v.add_(x)

# --- threads and the order of nodes
with torch.autograd.set_multithreading_enabled(False): print(torch.autograd.is_multithreading_enabled())
y = x * 2; z = y * 2; torch.autograd.is_multithreading_enabled(), z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr() >= 0
y.grad_fn.next_functions[0][0]._sequence_nr()
torch.autograd.graph.register_multi_grad_hook((x, torch.ones(1)), print)

# --- inference tensors
x = torch.ones(3, requires_grad=True); z = torch.zeros(3); y = x * 1
with torch.inference_mode():
    a = torch.ones(3); b = x * 2; v = x.view(3); w = z[1:]; z.add_(1); k = torch.nn.Linear(3, 1); a.mul_(2); b += 1
    with torch.enable_grad(): e = x * 2
    with torch.inference_mode(False): n = torch.ones(1)
    on = torch.is_inference_mode_enabled()
@torch.inference_mode(mode=True)
def g(): return torch.ones(1)
@torch.inference_mode
def h(): return torch.ones(1).is_inference()
{piece}
a
# each line of
[t.is_inference() for t in (a, b, v, w, z, e, n, g(), k.weight)], h(), on, torch.is_inference_mode_enabled()
[t.is_inference() for t in (a * 2, a.clone(), a.view(3), a.detach(), a.data, a[0])], torch.is_inference(a), e.requires_grad
z._version, w._version, a._version
a.add_(1)
with torch.no_grad(): a += 1
a[0] = 1
a.requires_grad_()
a.requires_grad_(False)
torch.nn.Parameter(a)
torch.nn.Parameter(a, False).is_inference()
x * a
(x + a).sum().backward(); x.grad
y.copy_(a).sum()
torch.add(a, 1, out=a)
v.add_(1)
w.add_(1)
k(torch.ones(1, 3)).sum().backward(); k.weight.grad
k(torch.ones(1, 3, requires_grad=True))
torch.autograd.graph.increment_version(a)
torch.nn.init.zeros_(k.weight)

# --- several views of one node
y = x * 2; a, b = y.unbind()
a.add_(1)
a.grad_fn is b.grad_fn, a.output_nr, b.output_nr, (b * 2).grad_fn.next_functions[0][1]
(a * 3 + b * b).backward()
x.grad
for row in torch.eye(2) * x: print(row)

# --- saved values that changed
y = x * 1; z = y * y; r = y.add_(1)
z.sum().backward()
y = x * 1; z = y ** 2
y[0] = 3.
z.sum().backward()
z = x ** 2
with torch.no_grad(): r = x.add_(1)
z.sum().backward()
y = x * 2; r = y.mul_(y)
y.sum().backward()
y = x * 2; r = y.detach().add_(1); print(y._version)
r = y.data.add_(1); print(y._version, y)

# --- a change may come between saving and saving again
y = x * 1; a = y * y; r = y.add_(1); b = y * y; b.sum().backward()
x.grad
a.sum().backward()

# --- what does not fit in place
c = torch.tensor([1., 2.])
c.add_(torch.ones(2, 2))
torch.tensor([1, 2]).add_(.5)
c[0] = torch.ones(2)
c[5] = 1.
c[0] = 'a'
c

# --- second derivatives through a change in place
w = torch.tensor(2., requires_grad=True); b = torch.zeros(2)
b[0] = x[1] * w
b[1] = x[0] ** 3
(b * b).sum().backward(create_graph=True)
x.grad, w.grad
g = x.grad
x.grad = w.grad = None
g.backward(torch.tensor([1., 10.]))
x.grad, w.grad

# --- a decorated generator is told of throw and close
@torch.no_grad()
def steps():
    while True:
        try:
            print("sent", (yield torch.is_grad_enabled()))
        except ValueError as error:
            print("thrown", error, torch.is_grad_enabled())
        finally:
            print("finally", torch.is_grad_enabled())
g = steps(); print(next(g), g.send(3), g.throw(ValueError('mine')), torch.is_grad_enabled())
g.close(); torch.is_grad_enabled()
g.throw(KeyError('gone'))
@torch.no_grad()
def steps():
    try:
        yield 1
    except ValueError:
        return 5
g = steps(); next(g); g.throw(ValueError)
g = steps(); next(g); g.throw(KeyError('other'))

# --- the data of a tensor cannot be deleted
x = torch.ones(2, requires_grad=True)
del x.data
x

# --- a leaf that its hook changes in place is seen to be changed
x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([x], lr=0.1)
# each line of
def hook(p):
    with torch.no_grad(): p.mul_(2)
def hook(p):
    with torch.no_grad(): opt.step()
def hook(p):
    with torch.no_grad(): p.__isub__(p.grad)
def hook(p):
    with torch.no_grad(): p.__setitem__(0, 5)
# then
h = x.register_post_accumulate_grad_hook(hook)
y = (x * x).sum(); y.backward(retain_graph=True); print(x, x._version)
y.backward()
y = (w * x.detach() * x).sum(); y.backward()
x._version, w.grad

# --- whose memory a gradient has, and how it lies there
a = torch.ones(2, 3, requires_grad=True); b = torch.ones(3, 2).t().requires_grad_()
def told_of(leaf, f):
    leaf.grad = None; y = f(leaf); seed = torch.ones_like(y); y.backward(seed, retain_graph=True); g = leaf.grad.stride()
    seed.view(-1)[0] = 7.; s = leaf.grad.tolist(); f(leaf).sum().backward()
    return g, s, leaf.grad.stride(), torch.autograd.grad(y, leaf, seed)[0].stride()
# each of: told_of(a, {piece}), told_of(b, {piece})
lambda t: t; lambda t: t + 1; lambda t: t * 2; lambda t: t.view_as(t); lambda t: t.t(); lambda t: t.sum(0)
lambda t: t.reshape(-1); lambda t: t.exp(); lambda t: t[0]; lambda t: t.mean(); lambda t: t.relu()

# --- the layout that a gradient has by the policy
p = torch.zeros(2, 3).t().requires_grad_()
with torch.autograd.enforce_grad_layout_policy(False): (p * torch.ones(3, 2)).sum().backward()
print(p.grad.stride()); (p * torch.ones(3, 2)).sum().backward(); print(p.grad.stride(), p.grad.sum())

# --- other data under a graph
x = torch.ones(2, requires_grad=True); y = x * 2; z = (x * x).sum()
x.data = torch.tensor([3., 4.]); z.backward(); print(x.grad)
x.data = torch.zeros(3); x.grad = None; torch.autograd.grad(y.sum(), x, retain_graph=True), y.sum().backward(), x.grad
x = torch.ones(3, requires_grad=True); y = x + 1; x.data = torch.zeros(3, dtype=torch.float64); x.grad = None; y.sum().backward(); print(x.grad)

# --- the dtype of a gradient
p = torch.ones(2, requires_grad=True); y = p * 2
# each of
setattr(y, 'grad_dtype', None); p.grad_dtype; p.grad_dtype = 'float'; y.grad_dtype; torch.ones(1).grad_dtype
p.grad_dtype = torch.float64; p.grad = torch.ones(2)
p.grad_dtype = None; p.grad = torch.ones(2).double(); print(p.grad, p.grad_dtype)
p.grad = torch.ones(2); p.grad_dtype = torch.float16
p.grad_dtype = torch.float64; h = p.register_hook(print); y.sum().backward(); print(p.grad)
p.grad_dtype = torch.float16; print(torch.autograd.grad(y.sum(), p))
