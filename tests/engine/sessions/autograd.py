"""`autograd.backward`, `autograd.grad` and their company."""

x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.]); A = torch.autograd

# --- backward
# each of
A.backward(y.sum()); A.backward([y, y], [c, c]); A.backward((y, x * 3), (c, torch.tensor([10., 100.])))
A.backward([y, (x * 3).sum()], [c, None]); A.backward([y, y], c); A.backward([y, y], [c])
A.backward([y.sum(), c], [None, None]); A.backward([c.sum(), y.sum()]); A.backward([y, c], [c, c])
A.backward([c, y], [c, c]); A.backward(y); A.backward(y, 3); A.backward(y, [3]); A.backward(y, torch.ones(3))
A.backward(y, c.reshape(2, 1)); A.backward([]); A.backward(3); A.backward([3]); A.backward(None)
A.backward(y.sum(), inputs=[]); A.backward(y.sum(), inputs={}); A.backward(y.sum(), inputs={'a': x})
A.backward(y.sum(), inputs=x); A.backward(y.sum(), inputs=[3]); A.backward(y, inputs=[3])
A.backward(y.sum(), inputs=[c]); A.backward(y.sum(), inputs=[torch.ones(2, requires_grad=True)])
A.backward(y.sum(), grad_variables=torch.tensor(1.)); A.backward(y.sum(), torch.tensor(1))
A.backward(tensors=y.sum()); A.backward(y.sum(), foo=1); y.backward([c, c])
# each line of
A.backward(y.sum(), inputs=[y]); print(y.grad)
A.backward((y * y).sum(), retain_graph=True); A.backward((y * y).sum())
z = (y * y).sum(); A.backward(z); A.backward(z)
z = (y * y).sum(); A.backward(z, retain_graph=True); A.backward(z)
# then
x.grad

# --- grad
# each of
A.grad(y, x, c); A.grad(y.sum(), [x]); A.grad(y.sum(), {'a': x}); A.grad(y.sum(), []); A.grad([], x)
A.grad([], x, allow_unused=True); A.grad(y.sum(), [x, x, y])
A.grad(outputs=y, inputs=(x,), grad_outputs=(c,)); A.grad([y, (x * x).sum()], x, [c, None])
A.grad([y, (x * x).sum()], [x, y], [c, torch.tensor(10.)]); A.grad(y, y, c), A.grad(x, x, c); A.grad(y, x)
A.grad(y, x, torch.eye(2)); A.grad(y, x, []); A.grad(y, x, 3.); A.grad(y, x, [3.]); A.grad(y.sum(), x, True)
A.grad(3, x); A.grad(y.sum(), 3); A.grad(y.sum(), [3]); A.grad(y, [3]); A.grad(c.sum(), [3])
A.grad(y.sum(), None); A.grad(y.sum(), c); A.grad(y.sum(), [x, c], allow_unused=True); A.grad(c.sum(), c)
A.grad([y.sum(), c.sum()], x); A.grad([y.sum(), c.sum()], x, [None, torch.tensor(1.)])
A.grad(y.sum(), [x, torch.ones(1, requires_grad=True)])
A.grad(y.sum(), [x, torch.ones(1, requires_grad=True)], allow_unused=True)
A.grad(y.sum(), [x, torch.ones(1, requires_grad=True)], materialize_grads=True)
A.grad(y.sum(), [x, torch.ones(1, requires_grad=True)], materialize_grads=True, create_graph=True)
A.grad(y.sum(), [x, torch.ones(1, requires_grad=True)], materialize_grads=True, allow_unused=True)
A.grad(y.sum(), x, allow_unused=False, materialize_grads=True); A.grad(x.sum(), x, create_graph=True)
A.grad(A.grad(y.sum(), x, create_graph=True)[0].sum(), x)
with torch.no_grad(): A.grad((y * y).sum(), x, create_graph=True)
with torch.no_grad(): print(A.grad(y, x, c, create_graph=True))
A.grad(y * y, [x, y], torch.eye(2), is_grads_batched=True)
A.grad([y, y.sum()], x, [torch.eye(2), c], is_grads_batched=True)
A.grad(y, [x, torch.ones(1, requires_grad=True)], torch.eye(2), is_grads_batched=True)
A.grad(y, [x, torch.ones(1, requires_grad=True)], torch.eye(2), is_grads_batched=True, allow_unused=True)
# each line of
z = (y * y).sum(); print(A.grad(z, x)); A.grad(z, x)
z = (y * y).sum(); print(A.grad(z, x, retain_graph=True)); print(A.grad(z, x))
(g,) = A.grad((y * y).sum(), x, create_graph=True); print(g, A.grad(g, x, c))
w = c.clone().requires_grad_(); (g,) = A.grad(y * y, x, w, create_graph=True); print(g, A.grad(g, [w, x], c))
w = c.clone().requires_grad_(); print(A.grad(y * y, x, w))
hooks = x.register_hook(lambda g: g * 10), y.register_hook(lambda g: g * 3); print(A.grad(y, [y, x], c))
a, b = x.unbind(); print(A.grad(a * b, [a, b, x]))
a, b = y.unbind(); A.grad(a * 2, [b])
z = y * y; print(A.grad(z, x, torch.eye(2), is_grads_batched=True)); A.grad(z, x, c)
# then
x.grad

# --- the graph of a gradient
F = torch.nn.functional; s = torch.tensor(2., requires_grad=True)
x = torch.tensor([1., 2., 3.], requires_grad=True); t = torch.tensor([1., 5., 2.], requires_grad=True)
m = torch.arange(1., 7.).view(3, 2).requires_grad_(); w = torch.ones(2, 2, requires_grad=True)
one = torch.tensor([2.], requires_grad=True); row = torch.ones(2, requires_grad=True)
column = torch.ones(3, 1, requires_grad=True)
# each of: g = torch.autograd.grad({piece}, create_graph=True)
(x * s).sum(), [s]; (x / s).sum(), [s]; (s ** x).sum(), [s]; ((x + s) ** 2).sum(), [s]
((s - x) ** 2).sum(), [s]; (x.exp() * s).sum(), [s]; (m + one).pow(2).sum(), [one]
(m + row).pow(2).sum(), [row]; (m + column).pow(2).sum(), [column]; (m * one).pow(2).sum(), [one]
(m * row).pow(2).sum(), [row]; (m * column).pow(2).sum(), [column]; (m / one).pow(2).sum(), [one]
(m / row).pow(2).sum(), [row]; (m / column).pow(2).sum(), [column]; (x.mean() * x).sum(), [x]
(x * x).mean(), [x]; (m @ w.t()).tanh().sum(), [m, w]; (m @ w.T).tanh().sum(), [m, w]
(F.linear(m, w, x[:2]) ** 2).sum(), [m, w]; (w.t() @ w).sum(), [w]; F.mse_loss(x, x * 0.5), [x]
# then
g
y = sum((each ** 3).sum() for each in g)
y.backward() if y.requires_grad else None
[each.grad for each in (s, x, t, m, w, one, row, column)]

# --- the names of the package
A.no_grad is torch.no_grad, A.enable_grad is torch.enable_grad
A.set_grad_enabled is torch.set_grad_enabled
A.grad_mode.no_grad is torch.no_grad, A.grad_mode.set_grad_enabled is torch.set_grad_enabled
with A.no_grad(): print((x * 2).requires_grad)
with A.no_grad(), A.enable_grad(): print((x * 2).requires_grad)
with A.set_grad_enabled(False): print((x * 2).requires_grad)
A.Function is A.function.Function, A.variable.Variable is A.Variable
[callable(each) for each in (A.gradcheck, A.gradgradcheck, A.functional.jacobian, A.backward, A.grad)]

# --- anomaly mode
mode = A.detect_anomaly()
z = torch.zeros(1, requires_grad=True); w = z / z
with A.set_detect_anomaly(True): w.backward()
z.grad
z = torch.zeros(1, requires_grad=True); w = z / z
with A.set_detect_anomaly(True, check_nan=False): w.backward()
z.grad
z = torch.zeros(1, requires_grad=True); w = z * c.prod() / z; w.backward(retain_graph=True); z.grad = None
y = z.exp(); y += 1
mode = A.set_detect_anomaly(True); z.backward(torch.tensor([float('nan')]))
z.grad
w.backward()
y.backward()
mode = A.set_detect_anomaly(False)
y.backward()
w.backward()
z.grad
