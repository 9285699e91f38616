# %% weighted_sum by tensordot
import torch


@part("weighted_sum")
def weighted_sum(J, v):
    return torch.tensordot(v, J, dims=v.dim())


# %% weighted_sum through numpy
@part("weighted_sum")
def weighted_sum(J, v):
    J, v = np.asarray(J.detach()), np.asarray(v.detach())
    total = np.zeros(J.shape[v.ndim :])
    for i in np.ndindex(v.shape):
        total += v[i] * J[i]
    return minigrad.tensor(total)


# %% slices by a generator
def rows(y, x, create_graph):
    v = jacobian.zeros(y.shape, y)
    for i in jacobian.entries(y):
        v[i] = 1
        yield jacobian.vjp(y, x, v.clone(), create_graph)
        v[i] = 0


@part("slices")
def slices(y, x, create_graph=False):
    return list(rows(y, x, create_graph))


# %% mv by columns and rows
@part("mv")
class MatrixVector(Function):
    @staticmethod
    def forward(ctx, a, x):
        ctx.save_for_backward(a, x)
        return np.dot(a, x)

    @staticmethod
    def backward(ctx, v):
        a, x = ctx.saved_tensors
        return v.reshape(-1, 1) * x.reshape(1, -1), v @ a


# %% numeric_jacobian with a context manager
import contextlib


@contextlib.contextmanager
def moved(x, j, by):
    memory, before = x.data, x.data[j].clone()
    try:
        memory[j] = before + by
        yield
    finally:
        memory[j] = before


@part("numeric_jacobian")
def numeric_jacobian(function, x, eps=1e-6):
    J = jacobian.zeros((*function(x).shape, *x.shape), function(x))
    for j in jacobian.entries(x):
        with moved(x, j, +eps):
            up = function(x).detach().clone()
        with moved(x, j, -eps):
            down = function(x).detach().clone()
        J[(..., *j)] = (up - down) / eps / 2
    return J


# %% agree by allclose
import torch


@part("agree")
def agree(analytic, numeric, atol, rtol):
    return torch.allclose(analytic, numeric, rtol=rtol, atol=atol)


# %% jvp by autograd.grad
@part("jvp")
def jvp(y, x, v=None, create_graph=False):
    u = jacobian.placeholder(y)
    (g,) = minigrad.autograd.grad(y, x, u, retain_graph=True, create_graph=True)
    return minigrad.autograd.grad(g, u, v, retain_graph=True, create_graph=create_graph)[0]


# %% hessian by slices
@part("hessian")
def hessian(y, x, create_graph=False):
    gradient = jacobian.vjp(y, x, create_graph=True)
    return minigrad.stack(jacobian.slices(gradient, x, create_graph)).reshape(tuple(x.shape) * 2)


# %% roots by a mask of numbers
@part("roots")
def roots(torch, values, scale, v):
    scale = torch.tensor(scale, requires_grad=True)
    z = torch.tensor(values) * scale
    mask = (z > 0).float()
    y = (z * mask + (1 - mask)) ** 0.5 * mask
    y.backward(torch.tensor(v))
    print(y.detach(), scale.grad)
