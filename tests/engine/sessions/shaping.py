"""Shapes, axes, joining, taking apart, memory and conversions: values, graphs, derivatives, errors."""

# setup: axes

# --- operations: values, nodes, first and second derivatives
# each of: look(torch, {piece}, {leaves})
x.reshape(12); x.reshape(3, 4); x.reshape(-1, 2); x.T.reshape(12); x.T.reshape(4, 3); torch.reshape(x, (12,))
s.reshape(1); s.reshape(()); s.reshape(1, 1); x.view(12); x.view(3, 4); x.view_as(v.reshape(2, 2))
x.view_as(torch.ones(12)); x.reshape_as(torch.ones(12)); x.T.reshape_as(torch.ones(12)); x.flatten()
v.flatten(); s.flatten(); x.T.flatten(); b.flatten(1); b.flatten(0, 1); b.flatten(1, 1); b.flatten(2, 1)
torch.flatten(b, start_dim=1, end_dim=2); x.unflatten(1, (2, 2)); x.unflatten(1, (2, -1))
x.unflatten(1, (3, 2)); x.unflatten(5, (3, 2)); x.ravel(); v.ravel(); x.T.ravel(); x.contiguous()
x.T.contiguous(); x.is_contiguous(); x.T.is_contiguous(); x.stride(); x.stride(0); x.stride(5); s.stride()
x.storage_offset(); x[1, 1:].storage_offset(); x.narrow(1, 1, 2); x.narrow(1, -2, 2); x.narrow(1, 3, 2)
x.narrow(1, 1, -2); x.narrow(1, 5, 1); x.narrow(2, 5, 1); x.narrow(dim=1, start=torch.tensor(1), length=2)
x.select(0, 1); x.select(1, -1); x.select(0, 3); x.select(2, 3); torch.select(x, 0, 1)
x.clone(memory_format=torch.contiguous_format); x.T.clone(memory_format=torch.contiguous_format)
b.transpose(0, 1).flatten(1); x.T; x.mT; x.t(); v.t(); s.t(); b.t(); v.mT; x.transpose(0, 1)
x.transpose(0, 0); x.transpose(0, -1); x.swapaxes(0, 1); x.swapdims(0, 1); s.transpose(0, 0)
s.transpose(0, -1); x.transpose(0, 2); x.permute(1, 0); x.permute((1, 0)); x.permute(0, 1); x.permute(0)
x.permute(0, 0); x.permute(0, 2); torch.permute(x, (1, 0)); torch.permute(x, dims=(1, 0)); b.movedim(0, 1)
b.movedim(0, 0); b.movedim((0, 1), (1, 2)); b.movedim((0, 1), (1,)); b.movedim((0, 0), (1, 2))
b.movedim((0, 1), (1, 1)); b.moveaxis(0, 1); x.T.double(); q.squeeze(); x.squeeze(); q.squeeze(1)
q.squeeze(0); x.squeeze(0); q.squeeze((1,)); q.squeeze((0, 1)); q.squeeze((0, 2)); q.squeeze((1, 1))
q.squeeze(dim=1); q.squeeze(3); s.squeeze(); s.squeeze(0); s.squeeze((0,)); s.squeeze(1); x.unsqueeze(0)
x.unsqueeze(-1); x.unsqueeze(3); x.unsqueeze(-4); s.unsqueeze(0); s.unsqueeze(1); v.expand(3, 4)
v.expand((3, -1)); v.expand(-1); v.expand(4); v.expand(3); v.expand(-1, 4); x.expand(4); s.expand(2, 3)
s.expand(); v.expand_as(x); v.broadcast_to((3, 4)); torch.broadcast_to(v, (3, 4))
torch.broadcast_tensors(v, w.reshape(3, 1)); torch.broadcast_tensors(v, w); x.expand(-1, -2)
x.expand(2, -1, -1, -1); v.expand(3, 4).clone(); v.expand(3, 4).double(); torch.stack([x, x])
torch.stack([x, x], 1); torch.stack([x, x], dim=-1); torch.stack((v, v, v), 2); torch.stack([s, s])
torch.stack([]); torch.stack([v, w]); torch.stack([v, 1]); torch.stack(v)
torch.stack([v, torch.ones(4, dtype=torch.float64)]); torch.stack([v, torch.ones(4, dtype=torch.int64)])
torch.cat([x, x]); torch.cat([x, x], 1); torch.cat((x, x), dim=-1); torch.cat([x, x], axis=1)
torch.cat([x, v]); torch.cat([x, b]); torch.cat([s, s]); torch.cat([v, s]); torch.cat([])
torch.cat([v, torch.tensor([])]); torch.cat([x, torch.tensor([])]); torch.cat([x, torch.ones(0, 3)])
torch.cat([x, x], 2); torch.cat([x]); torch.cat(x); torch.cat([x, 1])
torch.cat([v, torch.ones(4, dtype=torch.float64)]); torch.cat([v, torch.ones(4, dtype=torch.int64)])
torch.cat([torch.ones(1, dtype=torch.bool), torch.ones(4, dtype=torch.int64)]); torch.concat([x, x])
torch.concatenate([x, x], axis=1); torch.cat([x, torch.ones(3, 3)])
torch.cat([torch.ones(3, 3), torch.ones(3, 3), torch.ones(3, 2)], 1)
torch.cat([torch.ones(3, 3), torch.ones(2, 3), torch.ones(3, 2)], 1); torch.hstack([x, x])
torch.hstack([v, w]); torch.hstack([s, s]); torch.hstack([s, v]); torch.hstack([x, v]); torch.vstack([v, v])
torch.vstack([x, v]); torch.vstack([x, x]); torch.vstack([s, s]); torch.column_stack([v, v])
torch.column_stack([w, x]); torch.cat([torch.ones(1), torch.tensor([], dtype=torch.float64)]).dtype
torch.cat([torch.tensor([]), torch.tensor([])]).shape
torch.cat([torch.tensor([]), torch.ones(2, 3)], 1).shape
torch.cat([torch.tensor([]), torch.ones(2, 3)], 2).shape
torch.cat([torch.ones(0, 3), torch.ones(2, 3)]).shape; torch.stack([torch.tensor(1), torch.tensor(2.5)])
torch.stack([torch.tensor(1), torch.tensor(2.5, dtype=torch.float64)]); x.chunk(2, 1); x.chunk(5, 1)
x.chunk(0); x.chunk(2, dim=2); torch.chunk(x, 2); x.split(2); x.split(2, 1); x.split([1, 2])
x.split([1, 2, 1], dim=1); x.split((1, 2)); x.split(0); x.split(-1); x.split([1, -1, 3]); x.split([1, 1])
torch.split(x, 2, dim=1); x.split(split_size=2); x.split(2.5); x.unbind(); x.unbind(1); (x * 1)[:0].unbind()
x[:, :0].unbind(); x[:, :0].unbind(1); list(x[:0]); [*(x * 1)[:0]]; x[:0].tolist(); x.unbind(2); s.unbind()
torch.unbind(x, dim=1); x.unfold(1, 2, 1); x.unfold(1, 5, 1); x.unfold(1, 2, 0)
torch.meshgrid(v, w, indexing='ij'); torch.meshgrid(v, w, indexing='xy')
torch.meshgrid([v, w], indexing='xy'); torch.meshgrid(v, s, indexing='ij'); v.repeat(2); v.repeat(2, 3)
x.repeat(2); x.repeat(2, 1); x.repeat(2, 2, 1); x.repeat(); x.repeat(1, 1); s.repeat(2); s.repeat(())
x.repeat(0, 1); x.repeat(-1, 1); v.repeat_interleave(2); x.repeat_interleave(2); x.repeat_interleave(2, dim=1)
x.repeat_interleave(torch.tensor([1, 0, 2]), dim=0); x.repeat_interleave(torch.tensor([1, 0]), dim=0)
v.repeat_interleave(torch.tensor([1, 0, 2, 1])); x.repeat_interleave(-2); s.repeat_interleave(2); v.tile(2)
x.tile(2); x.tile((2, 1, 1)); torch.tile(x, (2,)); x.flip(0); x.flip(0, 1); x.flip((0,)); x.flip(); x.flip(2)
x.flip(0, 0); torch.flip(x, [0]); x.roll(1); x.roll(1, 0); x.roll((1, 2), (0, 1)); x.roll((1, 2), 0)
x.roll((1, 2)); torch.roll(x, shifts=1, dims=1); x.diagonal(); x.diagonal(1); x.diagonal(-1); x.diagonal(5)
b.diagonal(0, 1, 2); b.diagonal(dim1=0, dim2=2); b.diagonal(0, 1, 1); v.diagonal(); x.diag(); x.diag(1)
v.diag(); v.diag(1); v.diag(-1); b.diag(); s.diag(); v.diag_embed(); v.diag_embed(1); x.diag_embed()
x.diag_embed(0, 0, 1); x.tril(); x.tril(1); x.triu(); x.triu(diagonal=-1); b.triu(); v.tril(); s.tril()

# --- what is taken and what is refused
y = x * 1
# each of: look(torch, {piece})
x.numel(); x.nelement(); x.element_size(); x.itemsize; x.nbytes; x.ndimension(); torch.numel(x); x.clone()
x.T.clone(); torch.clone(x); x.to(torch.float32); x.to(torch.float64); x.to(dtype=torch.float64); x.to('cpu')
x.to(torch.device('cpu')); x.to('cpu', torch.float64); x.to(device='cpu', dtype=torch.float64)
x.to(torch.ones(1, dtype=torch.float64)); x.to(torch.float32, copy=True); x.to(torch.float64, copy=True)
x.to('cuda'); x.to('foo'); x.to(torch.int64); x.to(float); x.to(); x.float(); x.double(); x.half(); x.int()
x.long(); x.bool(); x.short(); x.byte(); x.char(); x.type(); x.type(torch.float64); x.type(torch.float32)
x.type_as(torch.ones(1, dtype=torch.float64)); x.type_as(v); x.cpu(); x.cuda(); x.device; x.is_cuda
torch.device('cpu'); torch.device('cuda'); torch.device('cuda:0'); torch.device('cuda', 0)
torch.device('foo'); torch.device('cpu').type; torch.device('cpu').index; torch.device('cpu') == x.device
str(x.device); torch.device(torch.device('cpu')); torch.device('cpu', 0); torch.device('cpu:0')
torch.device('cpu:0') == torch.device('cpu'); torch.device(3); x.is_cpu; torch.reshape([1, 2], (2,))
torch.reshape(x, 12); torch.reshape(x, 3, 4); x.reshape(2.5); x.reshape((2, 'a')); x.reshape('a'); x.reshape()
x.reshape(shape=(4, 3)); x.reshape([4, 3]); x.reshape(torch.tensor(4), 3); x.reshape(torch.Size([4, 3]))
x.reshape(torch.tensor([4, 3])); x.reshape(np.int64(4), 3); x.reshape(True, 12); x.reshape(None)
x.reshape((4, 3), 1); x.reshape(-1, -1); x.reshape(-2, 6); x.reshape(-1, 5); x.reshape(7); x.view(-1, -1)
x.view(-2, -6); x.view(7); x.view(); x.view((4, 3)); x.view(size=(4, 3)); x.view(2.5)
torch.ones(0).reshape(-1, 0); torch.ones(0).reshape(0, -1); torch.ones(0, 2).reshape(-1)
torch.ones(0, 2).view(0, 3); torch.ones(0, 2).view(-1, 3); x.view(3, 4, 1).view(-1); x.T.view(12)
x.T.view(4, 3); x.T.view(2, 2, 3); x[:, :2].view(6); x[:, :2].view(3, 2, 1); x.view_as(3); x.expand(2.5)
x.expand(size=(2, 3, 4)); x.expand([2, 3, 4]); x.expand('a'); x.repeat('a'); x.repeat([2, 1])
x.repeat(repeats=(2, 1)); x.permute('a'); x.permute([1, 0]); x.permute(dims=(1, 0)); x.permute()
x.transpose(0); x.transpose(); x.transpose(dim0=0, dim1=1); x.transpose(0, 'a'); torch.transpose(x, 0, 1)
torch.t(x); torch.squeeze(x); torch.squeeze(x, 0); torch.unsqueeze(x, 0); x.unsqueeze(); x.unsqueeze(None)
x.unsqueeze(0.5); x.unsqueeze(torch.tensor(1)); x.squeeze(None); x.squeeze('a'); x.flatten('a')
x.flatten(0.5); torch.flatten(3); torch.flatten([1, 2]); torch.cat(1); torch.cat(None); torch.cat([x, None])
torch.cat([[1.0], [2.0]]); torch.cat(x, x); torch.cat([x, x], dim=None); torch.cat(tensors=[x, x])
torch.stack(tensors=[x, x]); torch.stack(x, x); torch.stack([1, 2]); torch.cat((x for x in [x]))
torch.unsqueeze(3, 0); torch.transpose(3, 0, 1); torch.matmul(x, 3); torch.matmul([1], x); x.matmul(3)
torch.mm(x, 3); torch.dot(v, [1]); torch.bmm(3, 3); torch.outer(v, 3); torch.clone(3); torch.numel(3)
torch.gather(x, 0); torch.index_select(x, 0, [0, 1]); torch.masked_select(x, 3); torch.tril(3)
torch.diag([1, 2]); x.tril(0.5); x.narrow(0, 0, 1.5); x.select(0, 0.5); x.unbind('a'); x.split('a')
x.chunk('a'); x.chunk(2.5); x.flip('a'); x.flip(0.5); x.roll('a'); x.roll(0.5); x.movedim('a', 0)
x.type('foo'); x.type(3); x.to('cpu', copy=True); x.to(torch.float32, non_blocking=True)
x.to(torch.float64, True); x.to(None); x.to(int); x.to(bool); x.double().to(float); x.take([0])
x.unflatten(1, 'a'); x.unflatten(1, 4); x.unflatten(0, []); torch.tile(x, 2); x.tile(2, 1)
x.broadcast_to(3, 4); torch.broadcast_to(x, [2, 3, 4]); x.stride('a'); x.clone(3)
x.data_ptr() == x.data_ptr(); x.reshape(6.0, 2); x.reshape(6, 2.0); x.reshape([6, 2.0]); x.reshape([6.0, 2])
x.view(6.0, 2); x.view(6, 2.0); x.repeat(2, 1.5); x.flip([0.5]); x.flip([0, 'a']); x.reshape(6, True)
x.reshape((True, 12)); x.transpose(True, 0); x.unsqueeze(True); x.transpose(0, 1, 2); x.transpose(0, 1, foo=3)
x.transpose(0, dim0=1); x.transpose(dim0=0); x.transpose(foo=3); x.reshape(foo=3); torch.transpose()
torch.transpose(x); torch.transpose(x, 0); torch.transpose(x, 0, 1, 2)
torch.transpose(input=x, dim0=0, dim1=1); torch.cat(); torch.cat([x], 1, 2); torch.gather(x); torch.matmul(x)
torch.matmul(); torch.matmul(x, x, x); torch.clone(x, 3); torch.clone(x, foo=3); x.clone(foo=3)
x.flatten(0, 1, 2); x.flatten(dim=0); x.unbind(axis=1); x.squeeze(axis=0); x.unsqueeze(axis=0)
x.transpose(axis0=0, axis1=1); torch.stack([x, x], axis=1); torch.unsqueeze(x, axis=1); x.chunk(2, axis=1)
x.roll(shifts=1, axis=0); torch.matmul(x1=x, x2=x.T); torch.matmul(x=x, other=x.T)
x.narrow(axis=0, start=0, length=1); x.tril(diagonal=torch.tensor(1)); x.tril(diagonal=None); x.view(*[4, 3])
torch.squeeze(x, dim=None); torch.numel(x); torch.flip(x, 0); torch.roll(x, 1, 0); torch.permute(x, 1, 0)
torch.repeat_interleave(x, 2, 0); torch.movedim(x, 0, 1); torch.split(x, [1, 2]); torch.split(x, 1, 1)
x.split([1.5, 1.5]); x.split(torch.tensor(2)); x.split(torch.tensor([1, 2])); x.split(None)
x.split([True, 2]); torch.chunk([1], 1); torch.broadcast_tensors(v, 3); torch.hstack(3); torch.hstack([3])
x.unflatten(dim=1, sizes=(2, 2)); x.unflatten(1, (2, 2.0)); torch.diagonal(x, offset=1); x.diag(diagonal=1)
x.to(v, copy=True); x.data_ptr() - x[1].data_ptr(); torch.contiguous_format
torch.ones(3, dtype=torch.bool).int(); torch.tensor([1.5, -1.5, 300.0]).byte()
torch.tensor([1.5, -1.5, 300.0]).char(); torch.tensor([float('nan'), float('inf'), -1.0]).long()
torch.tensor([float('nan'), 0.0, -1.0]).bool(); torch.tensor([10000000000.0]).int(); torch.tensor(1.5).long()
torch.tensor(1.5).double(); torch.tensor(1.5, requires_grad=True).double(); torch.tensor([70000.0]).half()
len(x); list(s); torch.tensor([1, 2, 3])[1]; torch.tensor([True, False])[0]; torch.eye(3)[[0, 1]].sum(0)
torch.tensor(5)[()]

# --- a change in place
y = x * 1
# each of
y.copy_(x); y.copy_(v); y.copy_(s); y.copy_(torch.ones(3, 4, dtype=torch.float64)); y.copy_(torch.ones(2, 4))
y.copy_(torch.ones(1, 3, 4)); y.copy_(torch.ones(2, 3, 4))
y.copy_(1.0); y.copy_(v, True); y.copy_(v, non_blocking=True)
y[0].copy_(v); y[0].copy_(torch.ones(4)); y.copy_([1.0]); y.zero_(); y[0].zero_(); y.fill_(2); y.fill_(2.5)
y.fill_(s); y.fill_(torch.ones(())); y.fill_(v); y.fill_(True); y[0].fill_(s); y[0].fill_(2.0); y.tril_()
y.triu_(1); y.fill_diagonal_(3.0); y.fill_diagonal_(3); c.copy_(x); c.zero_(); c.t_(); c.fill_diagonal_(3)
c.requires_grad_().zero_(); c.requires_grad_().copy_(y); c.requires_grad_().fill_(s)
c.requires_grad_().copy_(torch.ones(9)); y.diagonal().mul_(3); y.unfold(1, 2, 2)[0].mul_(s)
y.view(-1)[3:7].mul_(s); y.T[1].mul_(w); y.T.reshape(4, 3)[1].mul_(s); y.flatten()[:3].zero_()
y.T.flatten().zero_(); y.squeeze().zero_(); y.movedim(0, 1)[0].zero_(); y.narrow(0, 1, 1).zero_()
y.view_as(y).zero_(); y.contiguous().zero_(); y.split(2)[0].add_(1); y.split([1, 2])[1].add_(1)
y.unbind()[0].add_(1); y.chunk(2)[1].add_(1); x.unbind()[0].add_(1); y.expand(2, 3, 4).add_(1)
# then
look(torch, (y, c), x, v, w, s)

# --- what is put together lies row by row
t = torch.arange(9.).reshape(3, 3).T; print(torch.cat([t, t]).stride(), torch.cat([t, t]).view(-1))
torch.cat([t, t], 1).stride(), torch.cat([t, t], 1).view(-1)
torch.stack([t, t]).stride(), torch.stack([t, t]).view(-1)
torch.stack([t, t], 2).stride(), torch.stack([t, t], 2).view(-1)
torch.hstack([t, t]).stride(), torch.hstack([t, t]).view(-1)
torch.roll(t, 1, 0).stride(), torch.roll(t, 1, 0).view(-1)
torch.masked_fill(t, t > 3, 0).stride(), torch.masked_fill(t, t > 3, 0).view(-1)
t.scatter(0, torch.tensor([[0, 1]]), 1.).view(9)

# --- the gradient of a stack may be changed
y = torch.ones(2, 4, requires_grad=True); u = torch.ones(2, 2, 4, requires_grad=True) * 1
g, = torch.autograd.grad(torch.stack([x[:2], y]), y, u, create_graph=True); print(g)
g *= 2
g, u

# --- one number fits where entries share their place
c = torch.tensor([1., 2., 3.]); w = c.expand(2, 3); print(w.fill_(4.))
c, w.zero_(), c
w += 1
w[:] = 3.
w[0] = 3.
w.fill_(torch.tensor(5.))
w.copy_(torch.ones(2, 3))
w[:, 0] = 7.
y = x[0] * 1; w = y.expand(2, 4); print(w.fill_(-1.))
y
x.expand(2, 3, 4).zero_()

# --- sizes that do not fit are named as they were written
x.split([1, 2], -1)
x.split([1, 2], 1)
x.split_with_sizes([5], -2)

# --- what else a tensor is asked
x, v, s = (torch.arange(float(n), requires_grad=True) for n in (4, 2, 1)); x = x.view(2, 2); s = s[0]
# each of
'a' in x; x in x; 1. in x; 9 in x; None in x; [1.] in x; x[0] in x; reversed(x); reversed(s)
torch.atleast_1d(s); torch.atleast_1d(v); torch.atleast_1d(x); torch.atleast_1d(s, v, x)
torch.atleast_1d([v, x]); torch.atleast_1d(); torch.atleast_1d([1]); torch.atleast_2d(s); torch.atleast_2d(v)
torch.atleast_2d(x); torch.atleast_2d(s, v, x); torch.atleast_2d([v, x]); torch.atleast_2d()
torch.atleast_2d([1]); torch.atleast_3d(s); torch.atleast_3d(v); torch.atleast_3d(x)
torch.atleast_3d(s, v, x); torch.atleast_3d([v, x]); torch.atleast_3d(); torch.atleast_3d([1])
torch.broadcast_tensors(x, v); torch.broadcast_tensors(x, v)[0] is x; torch.broadcast_tensors(v, v)[1] is v
x.layout; torch.strided; x.name; torch.detach(x); torch.detach(1)
