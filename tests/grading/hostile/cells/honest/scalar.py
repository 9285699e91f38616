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


# %% pure Python style: pow
import math
from operator import mul as times


@part("pow")
class Pow(Function):
    @staticmethod
    def forward(ctx, a, exponent):
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return a**exponent

    @staticmethod
    def backward(ctx, grad_output):
        (a,) = ctx.saved_tensors
        return times(grad_output, ctx.exponent * a ** (ctx.exponent - 1))


# %% numpy style: div
@part("div")
class Div(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return np.divide(a, b)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = map(np.asarray, ctx.saved_tensors)
        return np.divide(grad_output, b), np.negative(grad_output) * a / np.square(b)


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


# %% pure Python style: walk
from collections import defaultdict


@part("walk")
def backpropagate(root, grad_output, retain_graph=False):
    arrived = defaultdict(list)
    arrived[root].append(grad_output)
    for node in scalar.topological_order(root):
        if not arrived[node]:
            continue
        total = arrived[node][0]
        for share in arrived[node][1:]:
            total = total + share
        if isinstance(node, Tensor):
            leaf.receive(node, total)
        else:
            for target, share in zip(node.edges, node.pullback(total, retain_graph)):
                if target is not None and share is not None:
                    arrived[target].append(share)


# %% try and except: accumulate
@part("accumulate")
def accumulate(leaf, grad):
    try:
        leaf.grad = leaf.grad + grad
    except TypeError:
        leaf.grad = grad


# %% new leaves for the second half
@part("repair")
def rectangle(torch, a, b):
    def slopes(of):
        sides = [torch.tensor(each, requires_grad=True) for each in (a, b)]
        of(*sides).backward()
        return [each.grad for each in sides]

    print("area    ", *slopes(lambda x, y: x * y))
    print("diagonal", *slopes(lambda x, y: (x * x + y * y) ** 0.5))
