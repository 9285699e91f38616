"""torch.linalg: values, nodes, stacks of matrices, refusals."""

L = torch.linalg
a = torch.tensor([[2., 1.], [0.5, 3.]], requires_grad=True); i = torch.ones(2, 2).long()

# --- what is printed and what is refused
# each of
L.inv(a), L.det(a), L.slogdet(a), L.solve(a, a[0]), L.cholesky(a @ a.T)
L.qr(torch.eye(2)), L.eigh(torch.diag(torch.tensor([1., 2.])))[0], L.svd(a).S; type(L.svd(a)), len(L.svd(a))
L.slogdet(-torch.eye(3)), L.slogdet(torch.zeros(2, 2)), L.det(torch.zeros(0, 0)), L.inv(torch.zeros(0, 2, 2))
L.svd(torch.ones(2, 3))[2].shape, L.svd(torch.ones(2, 3), False)[2].shape, L.qr(torch.ones(2, 3))[1].shape
L.solve(torch.ones(2, 2), torch.ones(2)); L.solve(torch.eye(2), torch.ones(3))
L.solve(torch.eye(2), torch.ones(3, 2)); L.solve(torch.eye(2), torch.ones(2).double())
L.solve(torch.ones(2, 3), torch.ones(2)); L.solve(i, i); L.solve(a); L.inv(3); L.inv(torch.ones(3))
L.det(torch.ones(3)); L.slogdet(torch.ones(3)); L.cholesky(torch.ones(3)); L.qr(torch.ones(3))
L.eigh(torch.ones(3)); L.svd(torch.ones(3)); L.inv(torch.ones(2, 3)); L.det(torch.ones(2, 3))
L.slogdet(torch.ones(2, 3)); L.cholesky(torch.ones(2, 3)); L.inv(i); L.det(i); L.slogdet(i); L.cholesky(i)
L.qr(i); L.svd(i); L.inv(torch.ones(2, 2).half()); L.det(torch.ones(2, 2).half())
L.slogdet(torch.ones(2, 2).half()); L.cholesky(torch.ones(2, 2).half()); L.qr(torch.ones(2, 2).half())
L.eigh(torch.ones(2, 2).half()); L.svd(torch.ones(2, 2).half())

# --- the graph
print(L.inv(a).grad_fn.name(), L.inv(a).grad_fn.next_functions[0][0].name())
print(L.det(a).grad_fn.name(), L.det(a).grad_fn.next_functions[0][0].name())
print(L.slogdet(a)[0].grad_fn.name(), L.slogdet(a)[0].grad_fn.next_functions[0][0].name())
print(L.qr(a)[0].grad_fn.name(), L.qr(a)[0].grad_fn.next_functions[0][0].name())
print(L.eigh(a)[0].grad_fn.name(), L.eigh(a)[0].grad_fn.next_functions[0][0].name())
print(L.svd(a)[0].grad_fn.name(), L.svd(a)[0].grad_fn.next_functions[0][0].name())

# --- matrices without an inverse
issubclass(torch.linalg.LinAlgError, RuntimeError)

# --- what a matrix without an inverse raises
# each of: kind(lambda: {piece})
L.inv(torch.ones(2, 2)); L.cholesky(-torch.eye(2)); L.solve(torch.ones(2, 2), torch.ones(2))
