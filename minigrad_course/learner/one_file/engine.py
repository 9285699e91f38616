"""The glue of an engine in one file, with a slot for each part; it is read as text, and runs once the slots are filled.

    import my_engine as torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    print(x.grad)  # tensor([2., 4.])

The parts say `leaf.recording` or `record.edge`, as in the large engine: here all these modules are this file. A node
computes with arrays. In a recorded pass (`create_graph`) the same lines get tensors, and so they record themselves.
"""

import contextlib
import itertools
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np

record = scalar = upstream = leaf = hooks = checks = minigrad = sys.modules[__name__]
recording, reading, numbers = True, None, itertools.count(1)

# --- the record ----------------------------------------------------------------------------------


class Function:
    """An operation. Each use of it makes a node, which `forward` and `backward` get as ctx."""

    saved, hooks, keeper, on_tensors = (), (), None, False

    @classmethod
    def apply(cls, *inputs, **settings):
        return apply(cls, inputs, settings)

    def save_for_backward(ctx, *values):
        ctx.saved = values

    @property
    def saved_tensors(ctx):
        if ctx.saved is None:
            raise RuntimeError(FREED)
        check_versions(ctx)
        return ctx.saved if recording or ctx.on_tensors else raw(ctx.saved)

    def pullback(node, grad, retain_graph):
        """What goes to each input, in the input's shape and dtype."""
        grad = receive(node, grad)
        shares = node.backward(node, lifted(grad) if node.on_tensors else grad)
        free(node, retain_graph)
        pairs = zip(node.edges, many(shares), strict=True)
        return [None if edge is None or share is None else fitted(share, edge) for edge, share in pairs]


def begin(operation, inputs):
    """A node, and the arrays of the inputs. Its result has their dtype: float32, unless one is float64."""
    node = operation()
    dtypes = [value.dtype for value in inputs if isinstance(value, Tensor) and value.dtype.kind == "f"]
    node.dtype = np.result_type(*dtypes or ["f4"])
    return node, inputs if node.on_tensors else raw(inputs)


def edge(value):
    """Where the gradient of an input goes: to the node that made it, or to the leaf itself."""
    if not (recording and isinstance(value, Tensor) and value.requires_grad):
        return None
    if value.base is not None and value.base[0].grad_fn is not value.base[2]:
        raise NotImplementedError("what this tensor is a view of was changed in place since: take the view again")
    return value.grad_fn or value


def forward(node, values, settings):
    """The result, and with it what the operation saved of it."""
    with no_grad():
        output = node.forward(node, *values, **settings)
    y = Tensor(raw(output))
    if y.dtype.kind == "f":
        y.array = y.array.astype(node.dtype, copy=False)
    node.saved = tuple(y if value is output else value for value in node.saved)
    return y


def result(node, inputs, values, y):
    """The result, which knows its node; the node keeps tensors in place of the arrays that it saved."""
    y.grad_fn, node.shape, node.number = node, y.shape, next(numbers)
    owners = {id(value): tensor for value, tensor in zip(values, inputs, strict=True)}
    node.saved = tuple(owners.get(id(value), value) for value in node.saved)
    node.versions = tuple(map(version, node.saved))
    return y


fresh = lambda y: y


# the part record


# --- the walk ------------------------------------------------------------------------------------


# the part order


# the part walk


def receive(place, total):
    """What arrives at a node or a leaf: hooks see it, `grad` reads it, and who keeps a gradient gets it."""
    for hook in list(place.hooks):
        answer = hook(lifted(total))
        total = total if answer is None else answer if recording else raw(answer)
    if reading is not None:
        reading[place] = total
    elif place.keeper is not None:
        accumulate(place.keeper, lifted(total))
    return total


# the part accumulate_again


# the part free


# the part broadcast


def fitted(share, target):
    """A share in the shape of its target, and outside a recorded pass as an array of its dtype."""
    return sum_to_shape(share if recording else np.asarray(raw(share), target.dtype), target.shape)


# the part seed_rule


def backward(outputs, gradient=None, retain_graph=None, create_graph=False):
    """One pass from some tensors, each with its own seed; `create_graph` records it."""
    outputs, ends = many(outputs), Function()
    for place, output in enumerate(outputs):
        if not output.requires_grad:
            raise RuntimeError(f"element {place} of tensors does not require grad and does not have a grad_fn")
    gradients = [None] * len(outputs) if gradient is None else many(gradient)
    seeds = tuple(map(seed_rule, outputs, gradients, itertools.count()))
    ends.edges, ends.number, ends.pullback = [each.grad_fn or each for each in outputs], np.inf, lambda seeds, _: seeds
    with set_grad_enabled(create_graph):
        seeds = seeds if create_graph else raw(seeds)
        backpropagate(ends, seeds, create_graph if retain_graph is None else retain_graph)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    """The gradients for some tensors; no `.grad` changes."""
    global reading
    before, reading = reading, {}
    try:
        backward(outputs, grad_outputs, retain_graph, create_graph)
        totals = [reading.get(each.grad_fn or each) for each in many(inputs)]
    finally:
        reading = before
    if any(total is None for total in totals) and not allow_unused:
        raise RuntimeError(UNUSED)
    return tuple(total if total is None else lifted(total) for total in totals)


# --- leaves, and changes in place ----------------------------------------------------------------


# the part is_leaf


# the part retain_grad


def keep(tensor):
    tensor.grad_fn.keeper = tensor


# the part detach


def version(value):
    return value._counter[0] if isinstance(value, Tensor) else 0


counter, expected_versions = lambda tensor: tensor._counter, lambda node: node.versions


# the part in_place


def write(tensor, y):
    tensor.array[...] = y.array


def take_over(tensor, y):
    tensor.grad_fn = y.grad_fn or tensor.grad_fn


# the part check_versions


Block = contextlib.ContextDecorator  # a `with` block that is also a decorator


# the part no_grad


class set_grad_enabled(contextlib.AbstractContextManager):
    def __init__(self, mode=True):
        self.before, leaf.recording = leaf.recording, mode

    def __exit__(self, *error):
        leaf.recording = self.before


# --- the tensor ----------------------------------------------------------------------------------


class Tensor:
    __array_ufunc__ = None  # an array on the left leaves the operation to the tensor
    grad, grad_fn, base, hooks, edges, number = None, None, None, (), (), 0

    def __init__(self, array, requires_grad=False):
        self.array, self.wants, self._counter = np.asarray(array), requires_grad, [0]

    shape = property(lambda self: Size(self.array.shape))
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)
    data = property(lambda self: Tensor(self.array.view()))
    T = property(lambda self: self.seen(Transpose))
    is_leaf = property(lambda self: is_leaf(self))
    retains_grad = property(lambda self: self.grad_fn is not None and self.grad_fn.keeper is self)
    _version = property(lambda self: version(self))
    keeper = property(lambda self: self)  # of the gradient that arrives, if it is a leaf

    def requires_grad_(self, flag=True):
        if not self.is_leaf and not flag:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        self.wants = flag
        return self

    requires_grad = property(lambda self: self.wants or self.grad_fn is not None, requires_grad_)

    def register_hook(self, hook):
        place = self.grad_fn or self
        place.hooks = [*place.hooks, hook]
        return SimpleNamespace(remove=lambda: place.hooks.remove(hook))

    def become(self, y):
        """Every change in place; that of a place in another tensor changes the other one."""
        whole, index, _ = self.base or (self, None, None)
        if index is not None:
            whole[index] = y
            self.grad_fn, self.base = (again := whole[index]).grad_fn, again.base
            return self
        if recording and whole is not self and (whole.requires_grad or y.requires_grad):
            raise NotImplementedError("change the tensor itself in place, and not this view of it")
        return change(self, lambda: y)

    def seen(self, operation, index=None, **settings):
        """The result of an operation that may be a view: then it shares the count of changes."""
        y = operation.apply(self, **settings)
        if np.may_share_memory(y.array, self.array):
            y._counter, y.base = self._counter, (self, index, self.grad_fn)
        return y

    def __getitem__(self, index):
        return self.seen(Index, raw(index), at=raw(index))

    def __setitem__(self, index, value):
        if recording and self.is_leaf and self.requires_grad:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
        if not (isinstance(value, Tensor) and value.base is not None and value.base[0] is self):  # it has been set
            self.become(CopySlices.apply(self, value, at=raw(index)))

    def __matmul__(self, other):
        if self.ndim == 1:
            return (self * other).sum() if other.ndim == 1 else other.T @ self
        return (Mm if other.ndim == 2 else Mv).apply(self, other)

    def sum(self, dim=None, keepdim=False, axis=None, keepdims=False):
        dim = axis if dim is None else dim
        return Sum.apply(self) if dim is None else SumOver.apply(self, dim=dim, keepdim=keepdim or keepdims)

    def mean(self, dim=None, keepdim=False):
        return Mean.apply(self) if dim is None else self.sum(dim, keepdim) / self.shape[dim]

    def reshape(self, *shape):
        return self.seen(View, shape=flat(shape))

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self.array


def raw(value):
    """Arrays in place of tensors."""
    return value.array if isinstance(value, Tensor) else tuple(map(raw, value)) if isinstance(value, tuple) else value


def lifted(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def flat(shape):
    return shape[0] if isinstance(shape[0], tuple) else shape


def many(value):
    return value if isinstance(value, tuple | list) else [value]


# --- the operations ------------------------------------------------------------------------------


# the part mul


# the part div


# the part pow


# the part hypot


# the part sum


# the part mean


# the part matmul


# the part mv


# the part index


# the part derivatives


def operation(name, compute, *shares):
    """An operation as a row of a table: its result, then what goes to each input.

    The result is computed from arrays a, b and settings. A share asks by name for what it needs: g is the upstream
    gradient, y the result, `before` the shape of a; what it asks for is saved, and nothing else.
    """
    asked = [item.__code__.co_varnames[: item.__code__.co_argcount] for item in shares]

    def forward(ctx, *inputs, **settings):
        ctx.known = {"before": np.shape(inputs[0]), **settings}
        values = {"y": compute(*inputs, **settings), **dict(zip("ab", inputs))}
        ctx.names = [name for name in values if any(name in names for names in asked)]
        ctx.save_for_backward(*[values[name] for name in ctx.names])
        return values["y"]

    def backward(ctx, g):
        known = {"g": g, **ctx.known, **dict(zip(ctx.names, ctx.saved_tensors, strict=True))}
        return tuple(share(*[known[name] for name in names]) for share, names in zip(shares, asked))

    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def overwritten(a, b, at):
    whole = a.copy()
    whole[at] = b
    return whole


Add = operation("Add", lambda a, b: a + b, lambda g: g, lambda g: g)
Sub = operation("Sub", lambda a, b: a - b, lambda g: g, lambda g: -g)
Clone = operation("Clone", lambda a: a.copy(), lambda g: g)
Abs = operation("Abs", lambda a: np.abs(a), lambda g, a: g * np.sign(raw(a)))
Transpose = operation("T", lambda a: a.T, lambda g: g.T)
View = operation("View", lambda a, shape: a.reshape(shape), lambda g, before: g.reshape(before))
spread = lambda g, before, dim: g.reshape(*before[:dim], 1, *before[dim:][1:]) * np.ones(before)
SumOver = operation("Sum", lambda a, dim, keepdim: a.sum(dim, keepdims=keepdim), spread)
Index = operation("Index", lambda a, at: a[at], lambda g, before, at: PutBack.apply(lifted(g), before=before, at=at))
PutBack = operation("PutBack", lambda a, before, at: put_back(a, before, at), lambda g, at: g[at])
erased = lambda g, at: CopySlices.apply(lifted(g), 0.0, at=at)
CopySlices = operation("CopySlices", overwritten, erased, lambda g, at: g[at])
Where = operation(
    "Where", lambda a, b, at: np.where(at, a, b), lambda g, at: where(at, g, 0), lambda g, at: where(at, 0, g)
)


class Stack(Function):
    forward = staticmethod(lambda ctx, *tensors: np.stack(tensors))
    backward = staticmethod(lambda ctx, grad_output: tuple(grad_output))


results = {"neg": lambda a: -a, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh}
results |= {"sigmoid": lambda a: 1 / (1 + np.exp(-a)), "relu": lambda a: np.maximum(a, 0)}
rows = [operation(name.title(), compute, derivatives()[name]) for name, compute in results.items()]
for _op in (*rows, Clone, Abs, Hypot):
    setattr(Tensor, _op.__name__.lower(), lambda *inputs, op=_op: op.apply(*inputs))
for _name, _op in {"add": Add, "sub": Sub, "mul": Mul, "truediv": Div}.items():
    setattr(Tensor, f"__{_name}__", lambda a, b, op=_op: op.apply(a, b))
    setattr(Tensor, f"__r{_name}__", lambda a, b, op=_op: op.apply(b, a))
    setattr(Tensor, f"__i{_name}__", lambda a, b, op=_op: a.become(op.apply(a.clone(), b)))
    setattr(Tensor, f"{_name.removeprefix('true')}_", getattr(Tensor, f"__i{_name}__"))
for _name in ("gt", "ge", "lt", "le", "eq", "ne"):
    setattr(Tensor, f"__{_name}__", lambda a, b, op=f"__{_name}__": Tensor(getattr(a.array, op)(raw(b))))
Tensor.__hash__, Tensor.__neg__, Tensor.__abs__ = object.__hash__, Tensor.neg, Tensor.abs
Tensor.__pow__ = Tensor.pow = lambda self, exponent: Pow.apply(self, exponent=exponent)
Tensor.backward, Tensor.detach, Tensor.retain_grad, Tensor.view = backward, detach, retain_grad, Tensor.reshape
Tensor.numel, Tensor.item, Tensor.tolist = lambda t: t.array.size, lambda t: t.array.item(), lambda t: t.array.tolist()
Tensor.__len__, Tensor.__float__, Tensor.__bool__ = [lambda t, f=f: f(t.array) for f in (len, float, bool)]
Tensor.all, Tensor.any = [lambda t, f=f: Tensor(f(t.array)) for f in (np.all, np.any)]
Tensor.fill_ = Tensor.copy_ = lambda t, value: t.become(CopySlices.apply(t, value, at=...))
Tensor.zero_ = lambda t: t.fill_(0)

# --- the tools -----------------------------------------------------------------------------------


def entries(tensor):
    """The index of each entry, row by row."""
    return itertools.product(*map(range, tensor.shape))


def vjp(y, x, v=None, create_graph=False):
    """v times the Jacobian dy/dx, of x's shape; zeros where y does not depend on x."""
    (result,) = grad(y, x, v, True, create_graph, allow_unused=True) if y.requires_grad else (None,)
    return zeros_like(x) if result is None else result


# the part weighted_sum


# the part slices


def jacobian_of(y, x, create_graph=False):
    """The Jacobian dy/dx, of y's shape and then x's."""
    return stack(slices(y, x, create_graph)).reshape(*y.shape, *x.shape)


# the part jvp


# the part hessian


# the part numeric_jacobian


# the part agree


def gradcheck(function, x, eps=1e-6, atol=1e-5, rtol=1e-3):
    """Compare what backward leaves, the slices weighted with some numbers, with the same sum of differences."""
    y = function(x)
    v = Tensor(np.random.default_rng(0).normal(size=y.shape))
    if not agree(vjp(y, x, v), weighted_sum(numeric_jacobian(function, x, eps), v), atol, rtol):
        raise RuntimeError("what backward leaves is not what differences say")
    return True


jacobian = SimpleNamespace(entries=entries, vjp=vjp, jacobian=jacobian_of, slices=slices)
jacobian.zeros = lambda shape, like: Tensor(np.zeros(shape, like.dtype))
jacobian.placeholder = lambda y: Tensor(np.zeros(y.shape, y.dtype), True)

# --- what a program calls ------------------------------------------------------------------------

float32, float64, int64 = np.dtype("f4"), np.dtype("f8"), np.dtype("i8")
double, long = float64, int64


def tensor(data, dtype=None, requires_grad=False):
    array = np.array(raw(tuple(data) if isinstance(data, list) else data), dtype)
    narrow = array.dtype == np.float64 and dtype is None and not isinstance(data, np.ndarray)
    return Tensor(array.astype("f4") if narrow else array, requires_grad)


def full(shape, value, dtype=float32, requires_grad=False):
    return Tensor(np.full(shape, value, dtype), requires_grad)


zeros, ones = [lambda *shape, value=value, **settings: full(flat(shape), value, **settings) for value in (0, 1)]
ones_like, zeros_like = [lambda t, value=value: Tensor(np.full_like(t.array, value)) for value in (1, 0)]
stack, where = lambda tensors: Stack.apply(*tensors), lambda condition, a, b: Where.apply(a, b, at=raw(condition))
eye = lambda size: Tensor(np.eye(size, dtype=float32))
arange, is_tensor = lambda *ends: Tensor(np.arange(*ends)), lambda value: isinstance(value, Tensor)
equal = lambda a, b: np.array_equal(*raw((a, b)))


class Parameter(Tensor):
    def __init__(self, data, requires_grad=True):
        super().__init__(data.array, requires_grad)


def __getattr__(name):  # torch.exp(x) is x.exp()
    return getattr(Tensor, name)


def on_leaf(tool, function, x):
    x = x.detach().requires_grad_()
    return tool(function(x), x).detach()


enable_grad, is_grad_enabled, nn = set_grad_enabled, lambda: recording, SimpleNamespace(Parameter=Parameter)
OnTensors = type("Function", (Function,), {"on_tensors": True})  # a program's own operations get tensors
autograd = SimpleNamespace(grad=grad, backward=backward, gradcheck=gradcheck, Function=OnTensors)
autograd.functional = SimpleNamespace(jacobian=partial(on_leaf, jacobian_of), hessian=partial(on_leaf, hessian))

# --- torch's words: no part of the story ---------------------------------------------------------

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor "
    "{}]{} is at version {}; expected version {} instead. Hint: enable anomaly detection to find the operation that "
    "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
UNUSED = (
    "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the "
    "desired behavior."
)


def changed_since(node, place):
    tensor, expected = node.saved[place], node.versions[place]
    maker = f", which is output 0 of {str(tensor.grad_fn).removesuffix('Backward0')}," if tensor.grad_fn else ""
    return RuntimeError(CHANGED.format(list(tensor.shape), maker, version(tensor), expected))


class Size(tuple):
    def __repr__(self):
        return f"torch.Size({list(self)})"


def tensor_text(tensor):
    numbers = tensor.array.reshape(-1).tolist()
    texts = floats(numbers) if tensor.dtype.kind == "f" else [str(each) for each in numbers]
    width = max((len(text) for text, n in zip(texts, numbers) if np.isfinite(n)), default=1)
    text = f"tensor({block([text.rjust(width) for text in texts], tensor.shape, 7, width)}"
    notes = [f"dtype=torch.{tensor.dtype}"] if tensor.dtype.name not in ("float32", "int64", "bool") else []
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn=<{str(tensor.grad_fn).rpartition(':')[2]}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")
    for note in notes:
        fits = len(text.rpartition("\n")[2]) + len(note) + 3 <= 80
        text += ", " + note if fits else ",\n       " + note
    return text + ")"


def floats(numbers):
    """All in one format, as torch chooses it."""
    sizes = [abs(each) for each in numbers if each and np.isfinite(each)]
    whole = all(each.is_integer() for each in sizes)
    if sizes and (max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or (min(sizes) < 1e-4 and not whole)):
        return [f"{each:.4e}" for each in numbers]
    return [f"{each:.0f}." if whole and np.isfinite(each) else f"{each:.4f}" for each in numbers]


def block(texts, shape, indent, width):
    if not shape:
        return texts[0]
    if len(shape) == 1:
        size = max(1, (80 - indent) // (width + 2))
        lines = [", ".join(texts[start : start + size]) for start in range(0, len(texts), size)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    size = len(texts) // shape[0] if shape[0] else 0
    parts = [block(texts[n * size : n * size + size], shape[1:], indent + 1, width) for n in range(shape[0])]
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


Tensor.__repr__ = tensor_text
Parameter.__repr__ = lambda self: "Parameter containing:\n" + tensor_text(self)
Function.__repr__ = lambda node: getattr(node, "text", type(node).__name__ + "Backward0")
CopySlices.text = "torch::autograd::CopySlices"
