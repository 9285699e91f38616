# %% a record that calls forward itself
@part("record")
def remember(op, given, named):
    node, arrays = record.begin(op, given)
    node.edges = (*map(record.edge, given),)
    node.needs_input_grad = tuple(edge is not None for edge in node.edges)
    made = op.forward(node, *arrays, **named)
    wanted = sum(node.needs_input_grad)
    return record.result(node, given, arrays, made) if wanted else record.fresh(made)


# %% a record with its own edges
def source(x):
    if isinstance(x, Tensor) and x.requires_grad and leaf.recording:
        return x.grad_fn or x


@part("record")
def apply(operation, inputs, settings):
    node, values = record.begin(operation, inputs)
    node.edges = tuple(source(x) for x in inputs)
    node.needs_input_grad = tuple(e is not None for e in node.edges)
    output = record.forward(node, values, settings)
    if not any(node.needs_input_grad):
        return record.fresh(output)
    return record.result(node, inputs, values, output)


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


# %% a lambda
part("order")(lambda root: sorted(reached(root), key=lambda n: -n.number))


def reached(root):
    seen = {root: 0}
    todo = [root]
    for n in todo:
        new = [t for t in n.edges if t is not None and t not in seen]
        seen.update(dict.fromkeys(new))
        todo += new
    return seen


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


# %% sums that begin with 0
@part("walk")
def backpropagate(root, grad_output, retain_graph=False):
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived[node]
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        pairs = zip(node.edges, node.pullback(total, retain_graph), strict=True)
        for target, share in [pair for pair in pairs if pair[1] is not None]:
            arrived[target] = arrived.get(target, 0) + share


# %% try and except: accumulate
@part("accumulate")
def accumulate(leaf, grad):
    try:
        leaf.grad = leaf.grad + grad
    except TypeError:
        leaf.grad = grad


# %% a copy that is changed
@part("accumulate")
def accumulate(leaf, grad):
    total = grad.clone()
    if leaf.grad is not None:
        total += leaf.grad
    leaf.grad = total


# %% new leaves for the second half
@part("repair")
def rectangle(torch, a, b):
    def slopes(of):
        sides = [torch.tensor(each, requires_grad=True) for each in (a, b)]
        of(*sides).backward()
        return [each.grad for each in sides]

    print("area    ", *slopes(lambda x, y: x * y))
    print("diagonal", *slopes(lambda x, y: (x * x + y * y) ** 0.5))
