"""Programs that an engine in one file has to get right: with a learner's part in it, each prints what it did before.

Each is run with `torch` bound to the engine.
"""

SCALAR = """
x, y, z = [torch.tensor(value, requires_grad=True) for value in (2.0, -3.0, 0.5)]
h = x * y - z / x
f = (h * h + h) ** 2 / (z * 4 + 5) - x.hypot(y)
print(f)
f.backward(retain_graph=True)
print(x.grad, y.grad, z.grad)
f.backward(torch.tensor(-0.5))
print(x.grad, y.grad, z.grad)
try:
    f.backward()
except RuntimeError as error:
    print(error)
deep = x
for _ in range(1200):
    deep = deep + y
print(torch.autograd.grad(deep, [x, y]))
"""

UPSTREAM = """
a = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], requires_grad=True)
b = torch.tensor([2.0, -1.0, 0.5], requires_grad=True)
y = a * b + b
y.backward(torch.tensor([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]))
print(a.grad, b.grad)
for gradient in (None, torch.tensor([1.0])):
    try:
        (a * b).backward(gradient)
    except RuntimeError as error:
        print(error)
a.grad = b.grad = None
((a @ b).mean() * (a @ a.T).sum() + a[0, 1:].sum() * a[1, 0]).backward()
print(a.grad, b.grad)
a.grad = None
(a[[0, 0, 1]] * torch.tensor([[1.0], [2.0], [3.0]])).sum().backward()
print(a.grad)
positive = torch.tensor([2.0, 0.5, 3.0], requires_grad=True)
for name in ("log", "sqrt", "exp", "tanh", "sigmoid", "relu", "neg"):
    x = positive if name in ("log", "sqrt") else b
    y = getattr(torch, name)(x)
    (slope,) = torch.autograd.grad(y, x, torch.tensor([1.0, 10.0, 100.0]), create_graph=True)
    (slope * x).sum().backward()
    print(y, slope.detach(), x.grad)
"""

JACOBIAN = """
x = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
w = torch.tensor([[1.0, 2.0, -1.0], [0.5, -3.0, 2.0]], requires_grad=True)
print(torch.autograd.functional.jacobian(lambda x: w.detach() @ (x * x), x))
print(torch.autograd.functional.hessian(lambda x: (x**3).sum() * x[0], x))
(slope,) = torch.autograd.grad(((w @ x) / 8).tanh().sum(), x, create_graph=True)
(slope * slope).sum().backward()
print(x.grad, w.grad)
"""

LEAVES = """
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.retain_grad()
print(x.is_leaf, y.is_leaf, y.detach().is_leaf, y.detach().requires_grad)
(y * y).sum().backward(retain_graph=True)
first = x.grad
(x * y).sum().backward()
print(x.grad, first is x.grad, y.grad)
z = x.exp()
z.detach()[0] = 5.0
print(z)
try:
    z.sum().backward()
except RuntimeError as error:
    print(str(error).partition(" Hint")[0])
with torch.no_grad():
    print(x * 2)
    x -= 0.5
print(x, x * 2)
buffer = x * 2
buffer[1] = x[0] ** 2
buffer[:1] *= x[1]
buffer.backward(torch.tensor([1.0, -10.0]))
print(x.grad)
changed = before = x * 3
changed *= x
print(changed is before, changed, changed._version)
changed.backward(torch.tensor([1.0, -10.0]))
print(x.grad)
for refused in (lambda: torch.tensor(1.0).retain_grad(), lambda: x.mul_(2)):
    try:
        refused()
    except RuntimeError as error:
        print(error)
print(x)
"""

TRAINING = """
x = torch.tensor([[1.0, 2.0], [-1.0, 0.5], [0.0, -2.0], [3.0, 1.0]])
y = torch.tensor([1.0, -1.0, 0.0, 2.0])
w = torch.tensor([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], requires_grad=True)
v, b = torch.tensor([0.5, -0.5, 0.25], requires_grad=True), torch.tensor(0.0, requires_grad=True)
for step in range(20):
    loss = (((x @ w).tanh() @ v + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for each in (w, v, b):
            each -= 0.1 * each.grad
            each.grad = None
    print(f"{loss.item():.4f}")
"""

PROGRAMS = {
    "scalars": SCALAR,
    "upstream gradients": UPSTREAM,
    "Jacobians and second derivatives": JACOBIAN,
    "leaves": LEAVES,
    "training": TRAINING,
}
