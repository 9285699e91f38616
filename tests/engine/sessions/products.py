"""Products of vectors, matrices and stacks, and einsum: values, graphs, derivatives, errors."""

# setup: axes

# --- operations: values, nodes, first and second derivatives
# each of: look(torch, {piece}, {leaves})
v @ v; x @ v; w @ x; x @ x.T; b @ v; b @ x.T; w @ b; x[:, :3] @ b; b @ b.mT; b @ b.mT[0]; b[0] @ b.mT
torch.ones(5, 1, 2, 3) @ b[:, :, :2].mT.reshape(2, 2, 3).mT; b.unsqueeze(1) @ b.mT; v @ b.unsqueeze(1).mT
b.unsqueeze(1) @ v; s @ v; v @ s; v @ w; x @ w; v @ x; x @ x; b @ b; b @ x; x @ b; b @ w; w @ b.mT
b @ torch.ones(3, 4, 2); torch.ones(2, 2, 3, 4) @ torch.ones(3, 4, 5)
x @ torch.ones(4, 2, dtype=torch.float64); b @ torch.ones(4, 2, dtype=torch.float64)
b @ torch.ones(2, 4, 2, dtype=torch.float64); v @ torch.ones(4, dtype=torch.float64)
x @ torch.ones(4, dtype=torch.float64); v @ torch.ones(4, 2, dtype=torch.float64)
b @ torch.ones(4, dtype=torch.float64); torch.ones(4, dtype=torch.float64) @ b.mT
torch.ones(2, 3, dtype=torch.bool) @ torch.ones(3, 2, dtype=torch.bool)
torch.ones(2, 2, 3, dtype=torch.bool) @ torch.ones(2, 3, 2, dtype=torch.bool)
torch.ones(2, 2, 3, dtype=torch.bool) @ torch.ones(3, 2, dtype=torch.bool)
torch.ones(2, 2, 3, dtype=torch.int64) @ torch.ones(3, 2, dtype=torch.int64)
torch.ones(2, 2, 3, dtype=torch.int64) @ torch.ones(2, 3, 2, dtype=torch.int64)
torch.ones(2, 3, dtype=torch.float16) @ torch.ones(3, 2, dtype=torch.float16)
torch.ones(2, 0) @ torch.ones(0, 3); torch.ones(2, 2, 0) @ torch.ones(2, 0, 3); torch.ones(0) @ torch.ones(0)
torch.ones(0, 2, 3) @ torch.ones(3, 4); x @ 3; x @ [1, 2]
torch.ones(1, 2, 3) @ torch.ones(5, 3, 2, requires_grad=True)
torch.ones(1, 2, 3, requires_grad=True) @ torch.ones(5, 3, 2)
torch.ones(5, 2, 3) @ torch.ones(1, 3, 2, requires_grad=True); b @ torch.ones(4, 5); b @ torch.ones(4)
torch.ones(2, 2) @ torch.ones(3, 2, 4); torch.ones(2) @ torch.ones(3, 2, 4); b.mT @ torch.ones(3, 2)
b.transpose(0, 1) @ torch.ones(4, 2); torch.matmul(x, x.T); torch.matmul(x, other=x.T); x.matmul(v)
torch.mm(x, x.T); torch.mm(x, mat2=x.T); x.mm(v); v.mm(x); x.mm(x); b.mm(x)
x.mm(torch.ones(4, 2, dtype=torch.float64)); x.mm(torch.ones(3, 2, dtype=torch.float64)); torch.bmm(b, b.mT)
b.bmm(b); b.bmm(x); x.bmm(b); b.bmm(torch.ones(3, 4, 2)); b.bmm(torch.ones(2, 4, 2, dtype=torch.float64))
torch.mv(x, v); x.mv(w); x.mv(x); v.mv(v); x.mv(torch.ones(4, dtype=torch.float64)); torch.dot(v, v); v.dot(w)
v.dot(x); x.dot(x); v.dot(torch.ones(4, dtype=torch.float64)); s.dot(s); torch.vdot(v, v).detach()
torch.inner(v, v); torch.inner(x, x); torch.inner(b, v); torch.inner(b, x); torch.inner(s, v)
torch.inner(v, w); torch.inner(x, w); torch.outer(v, w); v.outer(w); v.ger(w); torch.outer(x, v)
torch.outer(v, x); torch.outer(v, s); torch.outer(v, torch.ones(2, dtype=torch.int64))
torch.addmm(torch.ones(3), x, x.T); torch.addmm(w, x, x.T); torch.addmm(w, x, x.T, beta=2, alpha=3)
torch.addmm(w, x, x.T, beta=0); torch.addmm(v, x, x.T); torch.addmm(v, x, x); torch.addmm(s, x, x.T)
torch.addmm(w, x, v); torch.addmm(w.double(), x, x.T); torch.addmv(w, x, v).detach()
torch.addmv(w, x, v, beta=2, alpha=3).detach(); torch.addmv(s, x, v).detach()
torch.baddbmm(torch.ones(3, 3), b, b.mT); torch.baddbmm(x[:, :3], b, b.mT, beta=2.0); torch.trace(x)
x.trace(); v.trace(); torch.cross(w, w, dim=0); torch.cross(v, v, dim=0); torch.einsum('ij,jk->ik', x, x.T)
torch.einsum('ij,jk', x, x.T); torch.einsum('ij->ji', x); torch.einsum('ij->', x)
torch.einsum('ii', x[:, :3]); torch.einsum('ii->i', x[:, :3]); torch.einsum('ij->i', x)
torch.einsum('ij,ij->i', x, x); torch.einsum('ij,ij->ij', x, x); torch.einsum('i,j->ij', v, w)
torch.einsum('ij,jk,ki->', x, x.T, x[:, :3]); torch.einsum('bij,bkj->bik', b, b)
torch.einsum('...j,kj->...k', b, x); torch.einsum('...j->...', b); torch.einsum('i,i->', v, v)
torch.einsum('i,i', v, v); torch.einsum('ij,j', x, v); torch.einsum('ij,j->i', [x, v])
torch.einsum('i->ii', v); torch.einsum('ij,jk->ik', x, x); torch.einsum('ij,jk->ik', x)
torch.einsum('ij->k', x); torch.einsum('i', x); torch.einsum('ijk', x); torch.einsum('i1', x)
torch.einsum('ij->ijj', x); torch.einsum('i j , j k -> i k', x, x.T); torch.einsum('i,i', v, 3)
torch.einsum('i'); torch.einsum('bij,bjk->bik', b, b.mT); torch.einsum('...ij,...jk->...ik', b, b.mT)
torch.einsum('...ij->...ji', b); torch.einsum('b...,b...->...', b, b); torch.einsum('bij,jk->bik', b, x.T)
torch.einsum('ij,kl->ijkl', x, x); torch.einsum('ij,ij->', x, x); torch.einsum('i,ij,j->', w, x, v)
torch.einsum('i,ij,j', w, x, v); torch.einsum('ij,jk,k->i', x, x.T, w); torch.einsum('ji,j->i', x, w)
torch.einsum('iij->j', torch.ones(2, 2, 3, requires_grad=True))
torch.einsum('iji->j', torch.ones(2, 3, 2, requires_grad=True)); torch.einsum('ij,k->i', x, v)
torch.einsum('ba,c->abc', x, v); torch.einsum('...,...', x, v); torch.einsum('i...->...', x)
torch.einsum('ij,...->...', x, v); torch.einsum('ij->ij', x); torch.einsum('ij', x); torch.einsum('ji', x)
torch.einsum(',i->i', s, v); torch.einsum('->', s); torch.einsum('ij,jk->k', x, x.T); torch.einsum('ii->', x)
torch.einsum('...ij', v); torch.einsum('i,i,i->i', v, v, v); torch.einsum('ij,ij,ij->i', x, x, x)
torch.einsum('i,->i', v, s); torch.tensordot(x, x.T, 1); torch.tensordot(x, x, 2)
torch.tensordot(x, x, dims=([0], [0])); torch.tensordot(x, x, dims=0)
torch.tensordot(b, x, dims=([1, 2], [0, 1])); torch.tensordot(x, w, 1)

# --- what is taken and what is refused
# each of: look(torch, {piece})
torch.matmul(x, 3); torch.matmul([1], x); x.matmul(3); torch.mm(x, 3); torch.dot(v, [1]); torch.bmm(3, 3)
torch.outer(v, 3); torch.matmul(x); torch.matmul(x1=x, x2=x.T); torch.matmul(x=x, other=x.T); x @ 3
x @ [1, 2]; torch.linalg.matmul(x, x.T); torch.linalg.matmul(x, 3); torch.linalg.norm(x)
torch.linalg.vector_norm(v, 1); torch.einsum('i'); torch.einsum('i,i', v, 3); torch.addmm(v.double(), x, x.T)
torch.addmm(v[:3], x.double(), x.T); torch.addmm(v[:3], x, x.T.double())

# --- products in every dtype
# each of
a = torch.tensor([[1, 2], [3, 4]]).to(torch.bool); a = torch.tensor([[1, 2], [3, 4]]).to(torch.uint8)
a = torch.tensor([[1, 2], [3, 4]]).to(torch.int32); a = torch.tensor([[1, 2], [3, 4]]).to(torch.int64)
a = torch.tensor([[1, 2], [3, 4]]).to(torch.float16); a = torch.tensor([[1, 2], [3, 4]]).to(torch.float64)
# then
a @ a
a @ a[0]
a[0] @ a[1]
a[0] @ a
torch.stack([a, a]) @ a
torch.stack([a, a]) @ torch.stack([a, a])
a.trace()
a[0].outer(a[1])
torch.addmm(a, a, a)
torch.einsum('ij,jk->ik', a, a)

# --- the shorter way is taken only where memory allows
a = torch.arange(24.0).reshape(2, 3, 4); p = torch.ones(4, 2); print(look(torch, a @ p))
look(torch, a.transpose(0, 1) @ p), look(torch, a.mT @ torch.ones(3, 2)), look(torch, p.T @ a.mT)
look(torch, torch.ones(0, 2, 4) @ p)

# --- sums of one product are dot products
a = torch.tensor([[1., 2.]], requires_grad=True); c = torch.ones(3, 2, requires_grad=True)
# each of
look(torch, torch.inner(a, a)); look(torch, torch.inner(a[0], a)); look(torch, torch.inner(a, c))
look(torch, torch.tensordot(a, c, ([1], [1]))); look(torch, torch.tensordot(a.T, a.T, ([0], [0])))

# --- an axis of one entry meets every other
a = torch.ones(2, 1, requires_grad=True); c = torch.ones(3, 4)
s = torch.ones(1, requires_grad=True)
look(torch, torch.tensordot(a, c, 1))
look(torch, torch.tensordot(c, a, ([0], [1])))
look(torch, torch.tensordot(c, s, 1))
look(torch, torch.inner(s, s))
look(torch, torch.inner(s, c))
r = torch.inner(s.detach(), s); print(torch.autograd.grad(torch.tensordot(c, s, 1).sum() + r, s))
torch.tensordot(c, torch.ones(5), 1)

# --- values that are equal and vectors that are turned
a = (torch.eye(3) * 2).requires_grad_(); torch.linalg.eigh(a).eigenvalues.sum().backward(); a.grad
c = torch.eye(3).requires_grad_(); torch.linalg.svd(c, full_matrices=False).S.sum().backward(); c.grad
b = torch.tensor([[2., 1., 0.], [1., 3., 0.5], [0., 0.5, 1.]], requires_grad=True)
((torch.linalg.eigh(b)[1][0] ** 2) @ torch.tensor([1., 2., 3.])).backward(); (b.grad * 100).round()

# --- addmv is a product and a sum
r = torch.addmv(w, x, v, beta=2, alpha=3); r.sum().backward()
w.grad, x.grad, v.grad

# --- inner asks for one dtype
torch.inner(torch.ones(2), torch.ones(3).double())
torch.inner(torch.ones(2, 2), torch.ones(2).long())
torch.inner(torch.tensor(2), torch.ones(3))

# --- what is added to constants goes back twice
a = torch.ones(2, 2); c = torch.ones(2, requires_grad=True)
# each of: r = torch.{piece}.sum(); r.backward()
addmm(c, a, a); addmv(c, a, a[0]); baddbmm(c, a[None], a[None])
# then
r.backward()
c.grad

# --- a zero keeps the sign it has in torch
a = torch.tensor([[1., -2.], [3., 4.], [0., 1.]], requires_grad=True); b = -torch.ones(1, 3)
w = torch.ones(2, 1, requires_grad=True); w2 = torch.ones(2, 3, requires_grad=True)
torch.autograd.grad(a.trace(), a, torch.tensor(-2.))
torch.autograd.grad(torch.addmm(b[0], w, b), w, torch.zeros(2, 3))
torch.autograd.grad(torch.addmm(b[0, :1], w2, b.T), w2, torch.zeros(2, 1))
