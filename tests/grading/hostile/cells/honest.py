# Answers by other ways than ours.

# %% a record that calls forward itself
@part("record")
def remember(op, given, named):
    node, arrays = record.begin(op, given)
    node.edges = (*map(record.edge, given),)
    node.needs_input_grad = tuple(edge is not None for edge in node.edges)
    made = op.forward(node, *arrays, **named)
    wanted = sum(node.needs_input_grad)
    return record.result(node, given, arrays, made) if wanted else record.fresh(made)


# %% classmethods
@part("mul")
class Mul(Function):
    @classmethod
    def forward(cls, ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @classmethod
    def backward(cls, ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


# %% state in ctx instead of save_for_backward
@part("hypot")
class Hypot(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a, ctx.b = a, b
        return (a**2 + b**2) ** 0.5

    @staticmethod
    def backward(ctx, grad_output):
        h = (ctx.a**2 + ctx.b**2) ** 0.5
        return grad_output * (ctx.a / h), grad_output * (ctx.b / h)


# %% Kahn's algorithm
@part("order")
def topological_order(root):
    users, waiting = {root: 0}, [root]
    while waiting:
        for target in waiting.pop().edges:
            if target is not None:
                if target not in users:
                    users[target] = 0
                    waiting.append(target)
                users[target] += 1
    ready, order = [root], []
    while ready:
        node = ready.pop()
        order.append(node)
        for target in node.edges:
            if target is not None:
                users[target] -= 1
                if users[target] == 0:
                    ready.append(target)
    return order


# %% new leaves for the second half
@part("repair")
def rectangle(torch, a, b):
    def slopes(of):
        sides = [torch.tensor(each, requires_grad=True) for each in (a, b)]
        of(*sides).backward()
        return [each.grad for each in sides]

    print("area    ", *slopes(lambda x, y: x * y))
    print("diagonal", *slopes(lambda x, y: (x * x + y * y) ** 0.5))


# %% seed_rule by match
@part("seed_rule")
def start(output, gradient, place):
    match gradient:
        case None if output.numel() == 1:
            return minigrad.ones_like(output)
        case None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        case _ if gradient.shape == output.shape:
            return gradient
    raise RuntimeError(
        f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} "
        f"and output[{place}] has a shape of {output.shape}."
    )


# %% broadcast by einsum
@part("broadcast")
def sum_to_shape(grad, shape):
    padded = [1] * (grad.ndim - len(shape)) + list(shape)
    kept = [i for i, size in enumerate(padded) if size != 1]
    return np.einsum(grad, list(range(grad.ndim)), kept).reshape(shape)


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


# %% detach with its own list
@part("detach")
def detach(tensor):
    if tensor._counter is None:
        tensor._counter = [0]
    (constant := tensor.data)._counter = tensor._counter
    return constant


# %% no_grad with a generator
from contextlib import contextmanager


@contextmanager
def off():
    before = leaf.recording
    leaf.recording = False
    try:
        yield
    finally:
        leaf.recording = before


@part("no_grad")
class no_grad(leaf.Block):
    def __enter__(self):
        self._inner = off()
        return self._inner.__enter__()

    def __exit__(self, *error):
        return self._inner.__exit__(*error)
