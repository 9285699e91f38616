"""Changes in place around views: while nothing is recorded, by entries of the same memory, after saving."""

# --- an entry of a leaf
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
with torch.no_grad(): v[0] += 1
v

# --- rows
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True)
with torch.no_grad():
    for row in w: row -= 1
w

# --- a row at a time
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True)
for row in w:
    with torch.no_grad(): row -= 1
w

# --- rows taken before
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True); rows = list(w)
with torch.no_grad():
    for row in rows: row += 1
w, rows[0] > 1, rows[0].argmax(), rows[0] == rows[1]
rows[0] * 2
torch.where(rows[0] > 1, 1, 0)

# --- two parts
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True)
with torch.no_grad(): a = w[:1]; b = w[1:]; a += 1; b += 1; print(a, b, a * 2)
w, a
a * 2

# --- the base after its view
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
with torch.no_grad(): u = v.view(4); v.zero_(); print(u + 1, u.sum())

# --- a diagonal and a transpose
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True)
with torch.no_grad(): d = w.diagonal(); w.mul_(2); d.zero_(); print(w)
with torch.no_grad(): t = w.T; w[0, 1] = 5; print(t @ torch.ones(2))

# --- rows of a gradient
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True); (w * w).sum().backward()
with torch.no_grad():
    for p, g in zip(w, w.grad): p.sub_(g, alpha=.1)
w

# --- pieces
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); a, b = v.chunk(2)
with torch.no_grad(): v -= 1; print(a + 1)
a > 1, bool((a > 0).all()), a == b
torch.where(a > 1, a, b)

# --- weights of a layer
_ = torch.manual_seed(0); layer = torch.nn.Linear(2, 2)
with torch.no_grad():
    for row in layer.weight: row.fill_(1.)
    layer.bias[0] *= 0; layer.bias[1] = 3
with torch.no_grad():
    for j in range(2): layer.weight[j] -= .1 * layer.weight[j]
layer.weight, layer.bias

# --- a result
h = torch.ones(3, requires_grad=True) * 1
with torch.no_grad(): h[0] += 1
h
h.sum().backward()

# --- numbers
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
with torch.no_grad(): print(float(v[0]), '%.2f' % v.sum())
with torch.no_grad(): float(v)

# --- a leaf that is a view
w = torch.arange(6.).reshape(2, 3).requires_grad_(); row = w[0]
with torch.no_grad(): w -= 1
row
row.sum().backward()
w.grad, row.grad_fn.next_functions

# --- rows of a leaf that is a view
w = torch.arange(4.).reshape(2, 2).requires_grad_(); a, b = w
with torch.no_grad(): w -= 0.1
a
a + b
(w[0] * w[1]).sum().backward()
w.grad

# --- a custom Function
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
with torch.no_grad(): a = v[:1]; v.add_(1); print(Double.apply(a), a.clone(), a.detach(), a.tolist())

# --- a tensor takes entries of its own memory
x = torch.tensor([1., 2., 3.])
x[:] = x[0]
x
x[1:] = x[1]
x[...] = x[2]
x
x = torch.arange(6.).view(2, 3)
x[0] = x[0, 1]
x[:, 1] = x[1, 1]
x, x.fill_(x[1, 2])
x = torch.arange(6.).view(2, 3)
x[:, 0] += x[:, 1]
x[:, 0] *= x[:, 0]
x[0] += x[1]
x += x
x
x = torch.arange(6.).view(2, 3)
x[:, :1] += x[:, 1:2]
x
x -= x[0]
x[1:] -= x[:1]
x
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
x = v * 1; x[:] = x[0]
x
x.sum().backward()
v.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
x = v * 1; x.fill_(x[1])
x
x.sum().backward()
v.grad
w = torch.tensor([[3., 4.], [6., 8.]], requires_grad=True); row = w[0]
with torch.no_grad(): w[0] = row[0]
w

# --- with a copy it is allowed
x = torch.arange(1., 10.).view(3, 3)
x /= x[:, :1].clone()
x
x = torch.arange(1., 10.).view(3, 3)
x += x[:, 0].clone()
x
x = torch.arange(1., 10.).view(3, 3)
x[:, 1:] = x[:, :-1].clone()
x

# --- a tensor that is cut off after it was saved
v = torch.tensor([3., 4., 6., 8.], requires_grad=True)
x = torch.tensor(2., requires_grad=True); y = x ** 2; z = y ** 2; print(y.detach_())
z.backward()
x.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v.exp(); u = h * 3; _ = h.detach_()
u.sum().backward()
v.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v.exp(); u = h * v; _ = h.detach_()
u.sum().backward()
v.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v.exp(); u = h + 3; _ = h.detach_()
u.sum().backward()
v.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v * 2; u = h.sin()
_ = h.detach_().requires_grad_()
u.sum().backward()
v.grad, h.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v * 2; _ = h.detach_()
(h * v).sum().backward()
v.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v * 2; _ = h.detach_().requires_grad_()
(h * h).sum().backward()
v.grad, h.grad
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v * 2; l = (h * h).sum(); l.backward()
_ = h.detach_(); h = h * v; l = (h * h).sum(); l.backward()
v = torch.tensor([3., 4., 6., 8.], requires_grad=True); h = v * 2; u = (h * h).sum()
_ = h.detach_()
torch.autograd.grad(u, v, create_graph=True)

# --- numbers have to fit where they are written
def tried(f, *given):
    try: print(f(*given))
    except (RuntimeError, TypeError, NotImplementedError) as error: print(type(error).__name__, error)
def written(n):
    a = torch.zeros(2, dtype=torch.{piece}); a[0] = n
    return a
for n in (1, -1, True, 2.5, 256, 200, 1e39, 1e6, nan, inf, 2**40, -200): tried(written, n)
for n in (nan, 1e30, 2.7, True, 1e39, inf): tried(lambda n: torch.zeros(2, dtype=torch.{piece}).fill_(n), n)
mask = torch.tensor([True, False])
for n in (-inf, 2.7, 1e39): tried(lambda n: torch.ones(2, dtype=torch.{piece}).masked_fill(mask, n), n)
# each of
float32; float64; int64; int32; uint8; int8; bool

# --- a mask without axes does not cast
x = torch.tensor(3.)
x[x > 1] = torch.tensor(2)
x[torch.tensor(True)] = torch.tensor([2])
x[x > 1] = 2
x[x > 5] = torch.tensor(7.)
x
x[True] = torch.tensor(2)
x[None, x > 1]
y = torch.tensor([3., 4.]); y[y > 3] = torch.tensor([2])
y

# --- numbers of numpy are written
x = torch.zeros(6)
x[0] = np.float32(1); x[1] = np.float16(1); x[2] = np.bool_(True); x[3] = np.float64(2)
x[4] = np.int32(3); x[5] = np.int64(4)
x
