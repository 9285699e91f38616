"""Indexing, assignment to an index, and picking by number or mask: values, graphs, derivatives, errors."""

# setup: axes

# --- operations: values, nodes, first and second derivatives
# each of: look(torch, {piece}, {leaves})
x[0]; x[-1]; x[3]; x[-4]; x[True]; x[False]; x[None]; x[...]; x[:]; x[()]; x[:, :]; x[:, 0]; x[0, :]; x[0, 0]
x[0][0]; x[1:]; x[1:, 1:]; x[::2]; x[1:,]; x[:, 1:]; x[:, ::2]; x[5:]; x[2:1]; x[-2:]; x[:-1]; x[::-1]; x[::0]
x[0:3]; x[0:100]; x[:100, 1]; x[None, 0]; x[0, None]; x[None, :]; x[..., 0]; x[0, ...]; x[..., None]
x[..., ...]; x[..., 1:, ...]; x[:, None]; x[:, None, 0]; x[0, 0, 0]; x[0, 0, 0, 0]; x[0, ..., 0]
x[0, ..., 0, 0]; x[:, :, :]; s[0]; s[None]; s[...]; s[:]; s[()]; s[True]; s[False]; s[torch.tensor(True)]
s[torch.tensor(0)]; s[0, 0]; s[None, None]; s[m]; x[1.0]; x[0.5, 0]; x[object()]; x[{}]; x[1:'a']; x[1.0:]
x[torch.tensor(1):]; x[np.int64(1):]; x[np.int64(1)]; x[np.array(1)]; x[np.array([1, 0])]
x[np.array([True, False, True])]; x[np.array([1.0])]; x[[0, 2]]; x[[0]]; x[[]]; x[[True, False, True]]
x[[True, False]]; x[[0, 2], [1, 3]]; x[[0, 2], 1]; x[1, [0, 2]]; x[[0, 2], 1:]; x[:, [0, 2]]; x[1:, [0, 2]]
x[[[0, 1], [2, 0]], [[0, 1], [2, 0]]]; x[[[0], [1]], [0, 1]]; x[[0, 1], [0, 1, 2]]; x[[0, 5]]; x[[0, -5]]
x[[0], [7]]; x[[0.5]]; x[0, 1]; x[0,]; x[(0, 1),]; x[torch.tensor(1)]; x[torch.tensor(5)]
x[torch.tensor(-1), 0]; x[torch.tensor(True)]; x[torch.tensor([1, 0])]; x[torch.tensor([[1, 0]])]
x[torch.tensor([1, 0]), torch.tensor([1, 0])]; x[torch.tensor([1, 0]), :, None]; x[None, torch.tensor([1, 0])]
x[torch.tensor([1, 0]), None, torch.tensor([0, 1])]; b[torch.tensor([1, 0]), :, torch.tensor([0, 1])]
b[:, torch.tensor([1, 0]), torch.tensor([0, 1])]; b[0, :, torch.tensor([0, 1])]
b[torch.tensor([0, 1]), 0, torch.tensor([0, 1])]; b[..., torch.tensor([0, 1])]; b[[0, 1], ..., [0, 1]]
x[torch.tensor([1.0])]; x[torch.tensor([1], dtype=torch.int32)]; x[torch.tensor([1], dtype=torch.int16)]
x[torch.tensor([1], dtype=torch.int8)]; x[torch.tensor([5])]; x[torch.tensor([-1])]; x[:, torch.tensor([5])]
x[m]; x[x > 3]; x[m, 0]; x[m[0]]; x[:, m[0]]; x[m[:, 0]]; x[m[:, 0], m[0]]; x[m[:, 0], 0]; x[m[:, 0], 1:]
x[0, m[0]]; x[m[:2]]; x[torch.tensor([True, False])]; x[torch.tensor([True])]; b[m]; b[:, m]
b[torch.tensor([True, False])]; b[torch.tensor([True, False]), m[:, 0]]; b[m[:, :2].T]
b[torch.tensor([[True, False, True], [False, True, True]])]
b[torch.tensor([[True, False, True], [False, True, True]]), 0]
b[torch.tensor([[True, False, True], [False, True, True]]), [0, 1, 2, 3]]; b[True]; b[True, 0]; b[0, True]
b[True, True]; b[[0, 1], True]; b[False, 0]; b[:, True, 0]; x[torch.zeros(3, 4, dtype=torch.bool)]
x[torch.zeros(0, dtype=torch.int64)]; x[[], []]; x[x]; x[1, x > 3]; x[range(2)]; x[iter([1])]
x[torch.tensor([0, 1]), 5]; x[torch.Size([1, 2])]; x[[1, 2], [[1], [2, 3]]]; x[..., [..., 1]]; x[m, None]
torch.ones(0, 3)[0]; torch.ones(0, 3)[[]]; x[{1}]; x[1, {1}]; x[(1,), (2,)]; x[True, 5]; x[None, 9]
x[:, :, None, None, 9]; torch.ones(3)[torch.tensor([[[1]]])].shape; x[1, 2:][5]; b[..., 9]; b[0, 0, 9]
b[None, 0, 9]; b[[0], 9]; b[..., 0, 9]; x.gather(0, i); x.gather(1, i); x.gather(dim=1, index=i)
torch.gather(x, 1, i); x.gather(1, torch.tensor([0])); x.gather(1, torch.tensor([[5]]))
x.gather(1, torch.tensor([[-1]])); x.gather(1, torch.tensor([[1.0]]))
x.gather(1, torch.tensor([[1]], dtype=torch.int32)); x.gather(1, torch.zeros(4, 1, dtype=torch.int64))
x.gather(2, i); x.gather(0, torch.zeros(4, 1, dtype=torch.int64)); v.gather(0, torch.tensor([0, 0]))
v.gather(0, torch.tensor(1)); x.gather(1, [[0]]); x.scatter(0, i, 1.0); x.scatter(0, i, x)
x.scatter(0, i, torch.ones(1, 4)); x.scatter(0, i, torch.ones(1, 4, dtype=torch.float64))
x.scatter(0, torch.tensor([[5]]), 1.0); x.scatter_add(0, i, x); x.scatter_add(0, i, torch.ones(1, 4))
x.scatter_add(0, i, 1.0); x.scatter(1, torch.zeros(3, 1, dtype=torch.int64), torch.ones(2, 1))
x.scatter(1, torch.zeros(4, 1, dtype=torch.int64), torch.ones(5, 1))
x.scatter(1, torch.zeros(4, 1, dtype=torch.int64), 1.0); x.index_select(0, torch.tensor([0, 2]))
x.index_select(0, torch.tensor(1)); x.index_select(0, torch.tensor([[0]]))
x.index_select(0, torch.tensor([5])); x.index_select(0, torch.tensor([-1]))
x.index_select(0, torch.tensor([1.0])); x.index_select(0, torch.tensor([1], dtype=torch.int32))
x.index_select(0, torch.tensor([1], dtype=torch.int16)); x.index_select(2, torch.tensor([1]))
torch.index_select(x, 1, torch.tensor([1])); x.index_add(0, torch.tensor([0, 0]), torch.ones(2, 4))
x.index_add(0, torch.tensor([0, 0]), x[:2], alpha=2); x.index_add(0, torch.tensor([0, 0]), torch.ones(3, 4))
x.index_add(0, torch.tensor([0, 5]), torch.ones(2, 4))
x.index_add(0, torch.tensor([0, -1]), torch.ones(2, 4))
x.index_add(0, torch.tensor([0, 0]), torch.ones(2, 4, dtype=torch.float64)); x.take(torch.tensor([0, 5]))
x.take(torch.tensor([[0, -1]])); x.take(torch.tensor(1)); x.take(torch.tensor([1.0])); x.masked_select(m)
x.masked_select(torch.tensor([True, False, True, True])); x.masked_select(torch.tensor(True))
x.masked_select(torch.tensor([1])); x.masked_select(torch.tensor([True, False])); v.masked_select(m)
torch.masked_select(x, x > 3); x.nonzero(); torch.nonzero(x > 3); torch.nonzero(x > 3, as_tuple=True)
x.nonzero(as_tuple=True); s.nonzero(); s.nonzero(as_tuple=True); x.argwhere()

# --- reduced where the index points, with ties, and with the gradients of the gradients
i = torch.tensor([[0, 2, 2, 0], [1, 1, 1, 1], [0, 0, 2, 0]])
a = torch.tensor([[2.0, -1.0, 3.0, 0.5], [1.0, 4.0, -2.0, 4.0], [2.0, 0.5, 1.0, -3.0]], requires_grad=True)
s = torch.tensor([[2.0, 5.0, -1.0, 3.0], [4.0, 1.0, 1.0, 2.0], [1.5, -2.0, 3.0, 0.5]], requires_grad=True)
# each of: r = a.scatter_reduce(1, i, s, {piece}); print(r)
'sum'; 'mean'; 'amax'; 'amin'; 'sum', include_self=False; 'mean', include_self=False; 'amax', include_self=False
'amin', include_self=False
# then
g = torch.autograd.grad((r * r).sum(), (a, s), create_graph=True)
[each.detach() for each in g], torch.autograd.grad((g[0] * s).sum() + (g[1] * a).sum(), (a, s))
with torch.no_grad(): s[0, 1] = 0.0; s[1, 0] = 0.0; a[0, 0] = 0.0
torch.autograd.grad(a.scatter_reduce(1, i, s, {piece}).sum(), (a, s))
a.detach().long().scatter_reduce(0, i, s.detach().long(), {piece})
a.detach().scatter_reduce_(0, i, s.detach(), {piece})

# --- what scatter reduce refuses
i = torch.tensor([[0, 2, 2, 0], [1, 1, 1, 1], [0, 0, 2, 0]])
a = torch.tensor([[2.0, -1.0, 3.0, 0.5], [1.0, 4.0, -2.0, 4.0], [2.0, 0.5, 1.0, -3.0]], requires_grad=True)
# each of
a.scatter_reduce(0, i, a, 'sums'); a.scatter_reduce(0, i, a.double(), 'sum')
a.scatter_reduce(0, i.float(), a, 'sum'); a.scatter_reduce(0, i, 2.0, 'sum')
a.scatter_reduce(0, i + 9, a, 'sum'); a.detach().scatter_reduce(0, i, a.detach(), 'prod', include_self=True)
a.detach().scatter_reduce(0, i, a.detach(), 'prod', include_self=False)

# --- an entry that is picked twice gets both gradients
# each of
r = v.masked_select(m); r = v.take(torch.tensor([[0, -1], [0, 2]]))
# then
r
torch.autograd.grad(r.sum(), v)

# --- what numpy gives
# each of: look(torch, {piece}, x)
x[np.int64(1)]; x[np.int64(1):]; x[np.array(1)]; x[np.array([1, 0])]; x[np.array([True, False, True])]
x[np.array([1.])]; x[:, np.array([0, 3], dtype=np.int16)]

# --- an assignment
y = x * 1
# each of
y[[0, 1]] = 0.0; y[[0, 1]] = torch.ones(2, 4); y[[0, 1]] = v; y[[0, 1]] = s; y[[0, 0]] = x[:2]; y[m] = 0.0
y[m] = 5; y[m] = True; y[m] = v[:1]; y[m] = torch.arange(6.0); y[m] = torch.arange(5.0); y[m] = x[m]
y[y > 3] = 0.0; y[y > 3] *= 2; y[0] = 0.0; y[0] = 5; y[0] = v; y[0] = s; y[0] = torch.ones(1, 4)
y[0] = torch.ones(1, 1, 4); y[0] = torch.ones(2, 4); y[0] = torch.ones(3); y[0] = torch.arange(4)
y[0] = torch.ones(4, dtype=torch.float64); y[0] = torch.ones(4, dtype=torch.bool); y[0, 1] = 7.0; y[0, 1] = s
y[0, 1] = torch.ones(1); y[0, 1] = torch.ones(1, 1); y[0, 1] = v; y[:, 0] = w; y[:, 1:3] = 1.0; y[:] = 0.0
y[:] = x; y[...] = 0.0; y[...] = v; y[()] = 0.0; y[()] = x; y[None] = 0.0; y[None] = x; y[True] = 0.0
y[True] = x; y[False] = 0.0; y[torch.tensor(True)] = 1.0; y[torch.tensor(1)] = 1.0
y[torch.tensor(1), 0] = 1.0; y[0][1] = 5.0; y[0] += 1; y[0] += v; y[:, 0] *= 2; y[0:2][0] = 1.0
y[[0, 1], 1] = 9.0; y[:, [0, 1]] = 9.0; y[1:, [0, 1]] = 9.0; y[[0, 1], [0, 1]] = v[:2]; y[[0, 1], [0, 1]] += 1
y[[0, 0], [0, 0]] += 1; y[5] = 1.0; y[[5]] = 1.0; y[0, 0, 0] = 1.0; y[1.0] = 1.0; y[0] = 'a'
y[0] = [1.0, 2.0, 3.0, 4.0]; y[0] = None; y[0] = (1, 2, 3, 4); y[[0]] = [1.0, 2.0, 3.0, 4.0]
y[[0, 1]] = torch.ones(2, 4, dtype=torch.float64); y[[0, 1]] = torch.arange(4); y[[0, 1]] = torch.ones(3, 4)
y[[0, 1]] = torch.ones(2, 2, 4); y[[0, 1]] = torch.ones(1, 2, 4); y[m] = torch.ones(6, dtype=torch.float64)
x[0] = 1.0; x[[0]] = 1.0; x[m] = 1.0; x[:] = 1.0; x[...] = 1.0; x[()] = 1.0; x[None] = 1.0; y[0:0] = 1.0
y[0:0] = torch.ones(2, 4); y[m & ~m] = 1.0; y[[], :] = 1.0; y[[0, 2], ::2] = v[:2]; y[::2, [0, 2]] = v[:2]
y[0, m[0]] = v[:2]; y[m[:, 0], 0] = w; y[:] = s; y[None] = s; y[0] = x[:1]; y[0] = x[0][None, None]
y[:, 0] = s; y[1:] = v; y[1:] = x[0]; y[0, 1] = s.reshape(1); y[0, 1] = s.reshape(1, 1); y[[0, 1]] = x[:1]
y[[0, 1]] = x[0][None, None]; y[[0, 1]] = s.reshape(1); y[[0, 1]] = s.reshape(1, 1, 1, 1)
y[:] = torch.ones(1, 1, 4); y[:] = x[None]; y[:] = torch.ones(4, dtype=torch.float64); y[5] = torch.ones(9)
y[[0]] = 'a'; y[[9]] = 'a'; y[0].copy_(v); y[0].copy_(torch.ones(4)); y[0].zero_(); y[0].fill_(s)
y[0].fill_(2.0); c.requires_grad_()[0] = 1.0; c.requires_grad_()[[0]] = 1.0; c.requires_grad_()[m] = 1.0
c.requires_grad_()[...] = 1.0; c.requires_grad_()[:] = 1.0; c.requires_grad_()[5] = 1.0
c.requires_grad_()[0] = torch.ones(9); c.requires_grad_()[[0]] = torch.ones(9)
c.requires_grad_()[False] = 1.0; c.requires_grad_()[None] = 1.0; c[0] = v; c[0] = s; c[m] = s
c[0, 0] = x.sum(); c[[0, 1]] = v; c[m] = x[m]
# then
look(torch, (y, c), x, v, w, s)

# --- a change in place
y = x * 1
# each of
y.scatter_(0, i, 1.0); y.scatter_(0, i, v.unsqueeze(0)); y.scatter_(0, i, s); y.scatter_(0, i, 3)
y.scatter_(dim=1, index=i, src=v.unsqueeze(0)); y.scatter_(1, i, value=2)
y.scatter_add_(0, i, v.unsqueeze(0)); y.scatter(0, i, s); y.scatter(0, i, torch.tensor(2.0))
y.index_add_(0, torch.tensor([0, 0]), x[:2]); y.index_add_(0, torch.tensor([0, 0]), x[:2], alpha=2)
c.scatter_(1, torch.tensor([[0], [1], [2]]), 1.0); c.scatter_(1, torch.tensor([[0], [1], [2]]), s)
c.requires_grad_().scatter_(0, i, 1.0)
# then
look(torch, (y, c), x, v, w, s)

# --- what is saved is guarded and freed
def read(): return {piece}.sum()
y = x * 1; z = read(); z.backward()
z.backward()
y = x * 1; z = read(); y.add_(1)
z.backward()
y = x * 1; z = read(); i.add_(1)
z.backward()
x.grad
# each of
y[[0, 1]]; y[m]; y[i]; y.gather(1, i); y.index_select(0, i[0]); y.scatter(0, i, v.unsqueeze(0)); y.scatter(0, i, 2.0)
y.scatter_add(0, i, v.unsqueeze(0)); y.scatter_add(0, i, torch.ones(1, 4))
y.scatter_reduce(1, i[:, :4], y[:1], 'amax'); y.index_add(0, i[0][:2], x[:2])
y.index_add(0, i[0][:2], torch.ones(2, 4))

# --- an index may have been changed before it is used
y = x * 1
i.mul_(0)
# each of
z = y[i].sum(); z = y.gather(1, i).sum(); z = y.take(i).sum(); z = y.index_select(0, i[0]).sum()
# then
z.backward()
x.grad

# --- what is assigned becomes the dtype that is there
# each of
a = torch.zeros(3, dtype=torch.bool); a = torch.zeros(3, dtype=torch.uint8)
a = torch.zeros(3, dtype=torch.int64); a = torch.zeros(3, dtype=torch.float16)
a = torch.zeros(3, dtype=torch.float64)
# then
a[0] = 2.7
a[[1]] = True
a[2:] = torch.tensor([1.5])
a
a[:] = 3
a
a[a > 2] = 0
a
a[[0]] = torch.ones(1)
a

# --- one number written through a mask is cast
m = torch.tensor([True, False, True])
numbers = [torch.tensor(2.5), torch.tensor([2]), torch.tensor([[0.5]]), torch.ones(2).half()]
def written(kind, number):
    a = torch.arange(6).reshape(3, 2).to(kind)
    try:
        a[{piece}] = number
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    return a
[written(torch.int64, number) for number in numbers]
[written(torch.float64, number) for number in numbers]
[written(torch.bool, number) for number in numbers]
# each of
m; [0, 1]; m, 0; :, m[:2]; m, m[:2]; a > 1; None, a > 1; True

# --- the gradient of the number has its dtype
q = torch.tensor(2.5, requires_grad=True); a = torch.zeros(3, dtype=torch.float64)
a[torch.tensor([True, False, True])] = q
a
(a * a).sum().backward()
q.grad

# --- a leaf is refused before its mask
x[torch.tensor([True, False])] = 0
x[[0, 9]] = 1
x[9] = 1
x[:2][[7]] = 1

# --- the slices outside are named
# each of
b.index_select(0, torch.tensor([0, 9])); b.index_select(1, torch.tensor([0, 9])); b.index_select(-1, torch.tensor([9]))
x.index_select(0, torch.tensor([-1])); x.index_select(1, torch.tensor([-1])); x.index_select(-1, torch.tensor([-1]))
