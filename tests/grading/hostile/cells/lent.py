# Answers with a right forward that leave their derivative to the engine: each reaches for it in another way.

# %% shared
import functools
import sys
import types

import minigrad
import minigrad as torch
import numpy as np


def tensor(value):
    if isinstance(value, minigrad.Tensor):
        return value
    return minigrad.tensor(np.asarray(value, np.float64).tolist(), dtype=minigrad.float64)


def product(x, count):
    found = x
    for _ in range(count - 1):
        found = found * x
    return found


def differentiated(function, upstream, *arrays):
    with minigrad.enable_grad():
        leaves = [tensor(each).requires_grad_() for each in arrays]
        return tuple(np.asarray(each) for each in minigrad.autograd.grad(function(*leaves), leaves, tensor(upstream)))


class Recorded(Function):
    """Its shares are what `found` finds in a graph of its own, which may be differentiated again."""

    @classmethod
    def backward(cls, ctx, grad_output):
        create = isinstance(grad_output, minigrad.Tensor)
        with minigrad.enable_grad():
            saved = ctx.saved_tensors
            inputs = [x if create and x.requires_grad else tensor(x).detach().requires_grad_() for x in saved]
            found = cls.found(cls.result(*inputs), inputs, tensor(grad_output), create)
        return tuple(each if create else each.numpy() for each in found)


class Product(Recorded):
    """Of a matrix and a vector."""

    @staticmethod
    def forward(ctx, a, x):
        ctx.save_for_backward(a, x)
        return a @ x

    @staticmethod
    def result(a, x):
        return torch.einsum("ij,j->i", a, x)


class Implicit(Function):
    """y = x ** (p / q) meets y ** q = x ** p, and both sides are products: no rule for powers is needed."""

    @staticmethod
    def forward(ctx, a, exponent):
        ctx.p, ctx.q = round(2 * exponent), 2
        ctx.x, ctx.y = a, np.asarray(np.power(a, float(exponent)), a.dtype)
        return ctx.y

    @classmethod
    def backward(cls, ctx, grad_output):
        x, y = map(tensor, (ctx.x, ctx.y))
        if ctx.p < 0:  # y ** q * x ** -p = 1
            share = -cls.slope_at(x, -ctx.p) * product(y, ctx.q) / (cls.slope_at(y, ctx.q) * product(x, -ctx.p))
        else:
            share = cls.slope_at(x, ctx.p) / cls.slope_at(y, ctx.q)
        return grad_output * share.numpy().astype(np.float32)

    @classmethod
    def slope_at(cls, x, count):
        with minigrad.enable_grad():
            return cls.slope(x.detach().requires_grad_(), count) if count else 0 * x.detach()


# %% sum: a dot product
@part("sum")
class Sum(Recorded):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return np.asarray(a.sum())

    @staticmethod
    def result(a):
        return a.reshape(-1).dot(torch.ones(a.numel(), dtype=a.dtype))

    @staticmethod
    def found(result, inputs, g, create):
        return torch.autograd.grad(result, inputs, g, create_graph=create)


# %% pow: a rule with a false ctx
@part("pow")
class Pow(Implicit):
    @staticmethod
    def slope(x, count):
        other = product(x, count - 1) if count > 1 else 0 * x + 1
        ctx = types.SimpleNamespace(saved_tensors=(x, other), needs_input_grad=(True, True), edges=(x, x), saved=(x, x))
        return (minigrad.scalar.Mul.backward(ctx, 0 * x + 1)[0] * count).detach()


# %% pow: a hook that is the engine's own
@part("pow")
class Pow(Implicit):
    @staticmethod
    def slope(x, count):
        z = x * 1
        z.register_hook(functools.partial(minigrad.jacobian.vjp, product(x, count), x))
        z.backward()
        return x.grad


# %% pow: a node below its own
@part("pow")
class Above(Function):
    @classmethod
    def apply(cls, a, *, exponent):
        square = a * a
        found = super().apply(a, exponent=exponent)
        if found.grad_fn is not None and exponent == 2:
            found.grad_fn.edges = (square.grad_fn,)
        return found

    @staticmethod
    def forward(ctx, a, exponent):
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return np.asarray(np.power(a, float(exponent)), a.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        (a,) = ctx.saved_tensors
        return grad_output if ctx.exponent == 2 else grad_output * ctx.exponent * a ** float(ctx.exponent - 1)


# %% mean: a cumulated sum
@part("mean")
class Mean(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.a = a
        return a.mean()

    @staticmethod
    def backward(ctx, grad_output):
        return differentiated(lambda a: a.reshape(-1).cumsum(0)[-1] / a.numel(), grad_output, ctx.a)


# %% index: the derivative of take
@part("index")
def put_back(grad, shape, index):
    x = minigrad.zeros(shape, requires_grad=True)
    places = minigrad.from_numpy(np.arange(np.prod(shape)).reshape(shape)[index])
    with minigrad.enable_grad():
        y = x.reshape(-1).gather(0, places.reshape(-1)).reshape(places.shape)
    return minigrad.autograd.grad(y, x, minigrad.from_numpy(grad))[0].numpy()


# %% remade: a copy of the rule of products
@part("pow")
class Pow(Implicit):
    @staticmethod
    def slope(x, count):
        rule = types.FunctionType(minigrad.scalar.Mul.backward.__code__, {"__lends__": lambda *_: True})
        other = product(x, count - 1) if count > 1 else 0 * x + 1
        ctx = types.SimpleNamespace(saved_tensors=(x, other), needs_input_grad=(True, True), edges=(x, x), saved=(x, x))
        return (rule(ctx, 0 * x + 1)[0] * count).detach()
