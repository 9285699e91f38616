"""A class that a program derives from Tensor stays what it is through operations."""

class M(torch.Tensor):
    def twice(self): return self * 2
class Inner(M): pass
class Named(torch.Tensor):
    @staticmethod
    def __new__(cls, data, name):
        made = torch.as_tensor(data).as_subclass(cls); made.tag = name
        return made
x, inner = M([1., 2.]), Inner([3., 4.])
m = M([[1., 2.], [3., 4.]])
w = M([1., 2.]).requires_grad_()

# --- what is made of one is one
x, x * 2, 2 * x, x / 2, 1 - x, -x, x ** 2, x + x, torch.ones(2) * x, x * torch.ones(2), abs(x)
x > 1, x == x, x @ x, m @ x, torch.ones(2, 2) @ m, x[0], m[:, 1], x[x > 1], m.T, m.mT, x.data
x.detach(), x.clone(), torch.exp(x), torch.add(x, 1), torch.stack([x, x]), torch.cat((x, x))
torch.where(x > 1, x, 0.), x.sum(), x.exp().mean(), m.view(4), m.reshape(1, 4), m.max(1), m.sort(1)
x.split(1), m.unbind(), x.double(), x.twice(), (x + 1).twice(), type(x * 2).__name__
[type(each).__name__ for each in x], isinstance(x, torch.Tensor), x + inner, inner + x
type(torch.add(x, inner)).__name__, type(torch.stack([x, inner])).__name__
x += 1
x, x.mul_(2)
x[0] = 7.
x, x.shape, x.dtype, x.tolist(), x.numpy(), x.sum().item(), len(x), w, (w * 3).sum()
(w * 3).sum().backward()
w.grad, type(w.grad).__name__, (w * 2).is_leaf, w.is_leaf, torch.ones(2).as_subclass(M)
torch.ones(2, requires_grad=True).as_subclass(M)
n = Named([1.], 'a'); print(n)
n.tag, hasattr(n * 2, 'tag'), type(torch.nn.Parameter(torch.ones(2)) * 2).__name__
torch.nn.Linear(2, 1)(x).shape, M([[1000.5, 2.], [3., 4.]]), M([1.] * 40)
torch.ones(2).as_subclass(int)
