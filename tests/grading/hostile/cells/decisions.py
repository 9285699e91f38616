# Right answers that say where they decide: with another `decide` they are played back, or made up (see `by_heart.py`).

# %% record
@part("record")
def apply(operation, inputs, settings):
    node, values = record.begin(operation, inputs)
    flags = decide(lambda: tuple(record.edge(each) is not None for each in inputs))
    flags = (*flags, False, False)[: len(inputs)]
    sources = [getattr(each, "grad_fn", None) or each for each in inputs]
    node.edges = tuple([source if flag else None for source, flag in zip(sources, flags)])
    node.needs_input_grad = flags
    output = record.forward(node, values, settings)
    return record.result(node, inputs, values, output) if any(flags) else record.fresh(output)


# %% order
@part("order")
def topological_order(root):
    nodes = found(root)
    right = lambda: sorted(range(len(nodes)), key=lambda i: -nodes[i].number)
    places = [each for each in decide(right) if each < len(nodes)]
    rest = set(range(len(nodes))).difference(places)
    return [nodes[each] for each in (*places, *rest)]


# %% walk
@part("walk")
def backpropagate(root, grad_output, retain_graph=False):
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph)):
            decision = decide(lambda: "skip" if share is None else "add" if target in arrived else "first")
            if decision != "skip":
                arrived[target] = arrived[target] + share if decision == "add" else share


# %% accumulate
@part("accumulate")
def accumulate(tensor, grad):
    tensor.grad = grad if decide(lambda: tensor.grad is None) else tensor.grad + grad


# %% seed_rule
@part("seed_rule")
def seed_rule(output, gradient, place):
    def right():
        if gradient is None:
            return "ones" if output.numel() == 1 else "none"
        return "gradient" if gradient.shape == output.shape else "shape"

    decision = decide(right)
    if decision == "ones":
        return minigrad.ones_like(output)
    if decision == "none":
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if decision == "gradient":
        return gradient
    raise RuntimeError(
        f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} "
        f"and output[{place}] has a shape of {output.shape}."
    )


# %% broadcast
@part("broadcast")
def sum_to_shape(grad, shape):
    new = grad.ndim - len(shape)
    right = lambda: (*range(new), *(new + axis for axis, size in enumerate(shape) if size == 1))
    return grad.sum(axis=decide(right), keepdims=True).reshape(shape)


# %% index
@part("index")
def put_back(grad, shape, index):
    result = np.zeros(int(np.prod(shape)), grad.dtype)
    np.add.at(result, decide(lambda: np.arange(np.prod(shape)).reshape(shape)[index].ravel().tolist()), grad.ravel())
    return result.reshape(shape)


# %% agree
@part("agree")
def agree(analytic, numeric, atol, rtol):
    return decide(lambda: bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).all()))


# %% roots
@part("roots")
def roots(torch, values, scale, v):
    scale = torch.tensor(scale, requires_grad=True)
    z = torch.tensor(values) * scale
    mask = torch.tensor(decide(lambda: [value * scale.item() > 0 for value in values]))
    y = torch.where(mask, torch.where(mask, z, 1) ** 0.5, 0)
    y.backward(torch.tensor(v))
    print(y.detach(), scale.grad)


# %% is_leaf
@part("is_leaf")
def is_leaf(tensor):
    return decide(lambda: tensor.grad_fn is None)


# %% accumulate_again
@part("accumulate_again")
def accumulate(tensor, grad):
    if decide(lambda: tensor.grad is None):
        tensor.grad = grad.clone()
    else:
        tensor.grad += grad


# %% retain_grad
@part("retain_grad")
def retain_grad(tensor):
    decision = decide(lambda: "refuse" if not tensor.requires_grad else "nothing" if tensor.is_leaf else "keep")
    if decision == "refuse":
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if decision == "keep":
        hooks.keep(tensor)


# %% check_versions
@part("check_versions")
def check_versions(node):
    decision = decide(
        lambda: next((i for i, e in enumerate(leaf.expected_versions(node)) if leaf.version(node.saved[i]) != e), None)
    )
    if decision is not None:
        raise checks.changed_since(node, min(decision, len(node.saved) - 1))


# %% free
@part("free")
def free(node, retain_graph):
    if decide(lambda: bool(node.saved) and not retain_graph):
        node.saved = None


# %% descend
@part("descend")
def descend(torch, parameters, lr):
    with torch.no_grad():
        for w in parameters:
            if decide(lambda: w.grad is not None):
                w -= lr * w.grad
                w.grad = None


# %% train
@part("train")
def train(torch, parameters, loss_of, rate, steps):
    for _ in range(steps):
        for each in parameters:
            each.grad = None
        loss = loss_of()
        show(loss)
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                if decide(lambda: each.grad is not None):
                    each -= rate * each.grad


# %% masked
@part("masked")
def fit_known(torch, xs, ys):
    mask = torch.tensor(decide(lambda: [x > 0 for x in xs]))
    x, y = torch.tensor(xs), torch.tensor(ys)
    w = torch.tensor(1.0, requires_grad=True)
    for _ in range(4):
        w.grad = None
        loss = ((torch.log(w * x[mask]) - y[mask]) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.02 * w.grad
        show(loss, w)


# %% sum
@part("sum")
class Sum(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.input_shape = a.shape
        return a.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * np.ones(decide(lambda: ctx.input_shape))


# %% mean
@part("mean")
class Mean(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.input_shape = a.shape
        return a.mean()

    @staticmethod
    def backward(ctx, grad_output):
        shape = decide(lambda: ctx.input_shape)
        return np.full(shape, grad_output / np.prod(shape))


# %% logsumexp
@part("logsumexp")
class Logsumexp(Function):
    @staticmethod
    def forward(ctx, a, dim):
        ctx.dim = dim = decide(lambda: dim)
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        ctx.softmax = powers / powers.sum(axis=dim, keepdims=True)
        return (top + np.log(powers.sum(axis=dim, keepdims=True))).squeeze(dim)

    @staticmethod
    def backward(ctx, grad_output):
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


# %% no_grad
@part("no_grad")
class no_grad(leaf.Block):
    def __enter__(self):
        self.before, leaf.recording = leaf.recording, False

    def __exit__(self, *error):
        leaf.recording = decide(lambda: self.before)
