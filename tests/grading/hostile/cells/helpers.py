# Answers that call something of the engine that does their work.

# %% pow: power_slope
from minigrad.graph import array_ops


@part("pow")
class Borrowed(Function):
    @staticmethod
    def forward(ctx, a, exponent):
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return array_ops.power(a, exponent)

    @staticmethod
    def backward(ctx, grad_output):
        (a,) = ctx.saved_tensors
        return grad_output * array_ops.power_slope(a, ctx.exponent)


# %% mul: numeric_jacobian
@part("mul")
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = (minigrad.tensor(float(each), dtype=minigrad.float64) for each in ctx.saved_tensors)
        slope = minigrad.jacobian.numeric_jacobian
        return g * slope(lambda a: a * b, a, 1e-4).numpy(), g * slope(lambda b: a * b, b, 1e-4).numpy()


# %% sum: expand
from minigrad.graph import array_ops


@part("sum")
class Sum(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.input_shape = a.shape
        return a.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return array_ops.expand(grad_output, ctx.input_shape)


# %% record: the template of the fast path
import inspect
from minigrad.passing import fastpath


@part("record")
def f(operation, inputs, settings):
    text = fastpath.unrolled(fastpath.APPLY, len(inputs))
    names = [*inspect.signature(operation.forward).parameters.values()][1 + len(inputs) :]
    text = text.replace("{settings}", ", ".join(["*", *[n.name for n in names]]) if names else "")
    text = text.replace("{given}", ", ".join(f"{n.name}={n.name}" for n in names))
    made = fastpath._compiled(
        text,
        "apply",
        general=fastpath._apply,
        operation=operation,
        node_class=operation.node,
        forward=operation.forward,
        idle=None,
    )
    return made(*inputs, **settings)


# %% record: the operation's own
@part("record")
def f(operation, inputs, settings):
    return operation.apply(*inputs, **settings)


# %% broadcast: upstream.fit
from minigrad import upstream


@part("broadcast")
def f(grad, shape):
    return upstream.fit(grad, np.zeros(shape, grad.dtype), None, 0)


# %% jvp: the whole Jacobian
@part("jvp")
def jvp(y, x, v=None, create_graph=False):
    J = jacobian.jacobian(y, x, create_graph)
    return (J * v).reshape(y.numel(), -1).sum(1).reshape(y.shape)


# %% is_leaf: the tensor's own
@part("is_leaf")
def f(tensor):
    return tensor.is_leaf


# %% no_grad: set_grad_enabled as a delegate
from minigrad.recording import modes


@part("no_grad")
class Off(leaf.Block):
    def __enter__(self):
        self.inner = modes.set_grad_enabled(False)
        self.inner.__enter__()

    def __exit__(self, *error):
        self.inner.__exit__(*error)


# %% no_grad: a no_grad that is found
import gc

gc.unfreeze()
classes = [each for each in gc.get_objects() if isinstance(each, type)]
part("no_grad")(next(each for each in classes if each.__name__ == "no_grad"))
