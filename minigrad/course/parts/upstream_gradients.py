"""Chapter 2: the parts for results that are not single numbers, their hints, and the mistakes people make in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import minigrad
from minigrad.compat import messages
from minigrad.course.parts import Chapter, Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes()


# --- seed_rule -----------------------------------------------------------------------------------


def demand_one_element(output: Any) -> None:
    """The first half of the rule, as it should be."""
    if output.numel() != 1:
        raise RuntimeError(messages.IMPLICIT_SEED)


def demand_shape(output: Any, gradient: Any, place: int) -> None:
    """The second half of the rule, as it should be."""
    if gradient.shape != output.shape:
        raise RuntimeError(messages.SEED_SHAPE.format(place, gradient.shape, output.shape))


@mistake("seed_rule", "ones for all", "a result of several elements gets ones where torch asks you to say what counts")
def ones_for_all(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake(
    "seed_rule", "gradient ignored", "the walk always starts with ones, and the gradient that was passed is ignored"
)
def gradient_ignored(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
    else:
        demand_shape(output, gradient, place)
    return minigrad.ones_like(output)


@mistake("seed_rule", "no axes", "only a result of shape [] gets its 1; what counts is one element, whatever the shape")
def no_axes(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        if output.ndim:
            raise RuntimeError(messages.IMPLICIT_SEED)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake("seed_rule", "shape not checked", "a gradient of another shape than the result is let through")
def shape_not_checked(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient


@mistake("seed_rule", "elements counted", "the number of elements is compared, where the shapes have to be the same")
def elements_counted(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    if gradient.numel() != output.numel():
        demand_shape(output, gradient, place)
    return gradient


@mistake(
    "seed_rule", "stretched", "a gradient of another shape is broadcast to that of the result, where torch refuses"
)
def stretched(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient.expand(output.shape)


@mistake("seed_rule", "nothing returned", "the function ends without a `return`: the walk needs a tensor to start with")
def nothing_returned(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
    else:
        demand_shape(output, gradient, place)


@mistake("seed_rule", "always 0", "the text of the error always says 0 and not `place`, also for a second result")
def always_the_first(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, 0)
    return gradient


@mistake(
    "seed_rule",
    "a bare 1",
    "the walk starts with a 1 of shape [], and not of the shape of the result: `ones_like` gives it as many axes",
)
def bare_one(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.tensor(1.0)
    demand_shape(output, gradient, place)
    return gradient


@mistake(
    "seed_rule",
    "a number",
    "a plain 1 is returned where the walk needs a tensor of the shape of the result: `ones_like` makes it",
)
def plain_number(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return 1
    demand_shape(output, gradient, place)
    return gradient


# --- sum -----------------------------------------------------------------------------------------


class Sums(Function):
    """What the wrong versions of the sum share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return a.sum()


@mistake("sum", "no upstream", "every entry gets 1, and the upstream gradient is forgotten")
class SumWithoutUpstream(Sums):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.ones(ctx.input_shape)


@mistake(
    "sum",
    "one number",
    "what is returned has not the shape of the input: the upstream gradient of a sum is one number, and every entry "
    "needs its own",
)
class SumNotCopied(Sums):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


@mistake("sum", "shared out", "the upstream gradient is divided among the entries; that is what a mean does")
class SumSharedOut(Sums):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, grad_output / math.prod(ctx.input_shape))


# --- mean ----------------------------------------------------------------------------------------


class Means(Function):
    """What the wrong versions of the mean share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return a.mean()


@mistake("mean", "no upstream", "every entry gets 1/n, and the upstream gradient is forgotten")
class MeanWithoutUpstream(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, 1 / math.prod(ctx.input_shape))


@mistake("mean", "not divided", "the division by the number of entries is missing; that is what a sum does")
class MeanNotDivided(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, grad_output)


@mistake("mean", "rows counted", "the division is by the number of rows, or of axes; the mean is over all entries")
class MeanOfRows(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, grad_output / ctx.input_shape[0])


@mistake("mean", "one number", "what is returned has not the shape of the input: every entry needs its own number")
class MeanNotCopied(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output / math.prod(ctx.input_shape)


# --- broadcast -----------------------------------------------------------------------------------


def copied_axes(grad: Any, shape: Any) -> tuple[list[int], list[int]]:
    """The axes that broadcasting added in front, and those that it stretched from size 1."""
    new = grad.ndim - len(shape)
    return [*range(new)], [new + axis for axis, size in enumerate(shape) if size == 1]


@mistake("broadcast", "not summed", "the gradient keeps the shape of the result; it must have the shape of the operand")
def not_summed(grad: Any, shape: Any) -> Any:
    return grad


@mistake("broadcast", "one of the copies", "only the first of the copies counts; their gradients have to be added")
def first_copy(grad: Any, shape: Any) -> Any:
    added, stretched_axes = copied_axes(grad, shape)
    return grad[
        tuple(slice(0, 1) if axis in added + stretched_axes else slice(None) for axis in range(grad.ndim))
    ].reshape(shape)


@mistake("broadcast", "averaged", "the gradients of the copies are averaged; they have to be added")
def averaged_copies(grad: Any, shape: Any) -> Any:
    added, stretched_axes = copied_axes(grad, shape)
    return grad.mean(axis=(*added, *stretched_axes), keepdims=True).reshape(shape)


@mistake(
    "broadcast", "axes of size 1 lost", "the sum drops the axes of size 1, which the operand has: `keepdims` keeps them"
)
def axes_lost(grad: Any, shape: Any) -> Any:
    added, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=(*added, *stretched_axes))


@mistake(
    "broadcast", "new axes only", "the axes added in front are summed, and those stretched from size 1 are forgotten"
)
def new_axes_only(grad: Any, shape: Any) -> Any:
    added, _ = copied_axes(grad, shape)
    return grad.sum(axis=tuple(added))


@mistake(
    "broadcast", "stretched axes only", "the axes stretched from size 1 are summed, and those added in front are not"
)
def stretched_axes_only(grad: Any, shape: Any) -> Any:
    _, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=tuple(stretched_axes), keepdims=True)


@mistake(
    "broadcast",
    "stretched first",
    "axes are counted by `shape` while `grad` still has more in front: sum those away first, and then the numbers fit",
)
def stretched_first(grad: Any, shape: Any) -> Any:
    for axis, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))


@mistake(
    "broadcast",
    "last axes",
    "as many axes as there are too many are summed at the end; broadcasting adds them in front",
)
def last_axes(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=-1)
    _, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=tuple(stretched_axes), keepdims=True)


@mistake(
    "broadcast", "first axis only", "the sum is always over the first axis; which axes were copied depends on `shape`"
)
def first_axis_only(grad: Any, shape: Any) -> Any:
    return grad.sum(axis=0)


@mistake(
    "broadcast",
    "last axis only",
    "of the axes that `shape` has, only the last is summed if it was stretched; any of them may have been",
)
def last_axis_only(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return grad.sum(axis=-1, keepdims=True) if shape and shape[-1] == 1 else grad


@mistake(
    "broadcast",
    "one axis only",
    "the sum stops after one stretched axis, and there may be several: go through all of `shape`",
)
def one_axis_only(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return grad.sum(axis=shape.index(1), keepdims=True) if 1 in shape else grad


# --- matmul --------------------------------------------------------------------------------------


class Products(Function):
    """What the wrong versions of the matrix product share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a @ b


@mistake(
    "matmul",
    "no upstream",
    "ones stand in the place of the upstream gradient, so all entries of the result weigh alike",
)
class ProductOfOnes(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        ones = np.ones_like(grad_output)
        return ones @ b.T, a.T @ ones


@mistake(
    "matmul",
    "transposed",
    "the gradients come out transposed, or in the wrong order; each has the shape of its input, and "
    "that of A comes first",
)
class ProductTransposed(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b @ grad_output.T, grad_output.T @ a


@mistake(
    "matmul",
    "not transposed",
    "the other matrix is not transposed; then the sizes do not fit, and in GBᵀ and AᵀG they do",
)
class ProductNotTransposed(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output @ b, a @ grad_output


@mistake("matmul", "entry by entry", "the product is taken entry by entry, with `*`; GBᵀ and AᵀG are matrix products")
class ProductEntryByEntry(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


@mistake("matmul", "wrong side", "the factors stand in the wrong order: G comes first in GBᵀ, and last in AᵀG")
class ProductWrongSide(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b.T @ grad_output, grad_output @ a.T


@mistake(
    "matmul", "other matrix alone", "the other matrix is returned, transposed, and the upstream gradient is forgotten"
)
class ProductOtherAlone(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b.T, a.T


@mistake("matmul", "one sided", "only the first matrix gets a gradient; a product has two inputs, and both need one")
class ProductOneSided(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _a, b = ctx.saved_tensors
        return grad_output @ b.T, None


# --- index ---------------------------------------------------------------------------------------


@mistake(
    "index",
    "last one wins",
    "an entry that is named twice keeps only the last of its gradients; `result[index] += grad` does that, too: it "
    "reads all, adds, and then writes all",
)
def last_one_wins(grad: Any, shape: Any, index: Any) -> Any:
    result = np.zeros(shape, grad.dtype)
    result[index] = grad
    return result


@mistake(
    "index", "counted", "every entry gets the number of times that it was taken, and the upstream gradient is forgotten"
)
def counted(grad: Any, shape: Any, index: Any) -> Any:
    result = np.zeros(shape, grad.dtype)
    np.add.at(result, index, 1)
    return result


@mistake("index", "averaged", "the gradients of an entry that is named twice are averaged; they have to be added")
def averaged_entries(grad: Any, shape: Any, index: Any) -> Any:
    total, times = np.zeros(shape, grad.dtype), np.zeros(shape)
    np.add.at(total, index, grad)
    np.add.at(times, index, 1)
    return total / np.maximum(times, 1)


@mistake(
    "index", "not put back", "the upstream gradient is returned as it came; the gradient has the shape of the input"
)
def not_put_back(grad: Any, shape: Any, index: Any) -> Any:
    return grad


@mistake(
    "index",
    "gone through",
    "`index` is gone through entry by entry: it is a tuple with something for each axis, so use it as a whole",
)
def gone_through(grad: Any, shape: Any, index: Any) -> Any:
    result = np.zeros(shape, grad.dtype)
    for one, share in zip(index, grad, strict=False):
        result[one] += share
    return result


# --- losses --------------------------------------------------------------------------------------


def losses_of(torch: Any, features: Any, target: Any, weights: Any) -> tuple:
    """What the versions of the program share: a leaf, and the two losses of a prediction from it."""
    w = torch.tensor(weights, requires_grad=True)
    prediction = torch.tensor(features) @ w
    return w, ((prediction - torch.tensor(target)) ** 2).mean(), (prediction**2).sum()


@mistake(
    "losses",
    "untouched",
    "`.grad` still holds what the calls before have left there, and the importance multiplies both losses",
)
def untouched(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake(
    "losses", "not reset", "the importance is right, but `.grad` still holds what the calls before have left there"
)
def not_reset(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "losses",
    "reset once",
    "`.grad` is reset before `size`, but not before the last call, which adds to what `size` left",
)
def reset_once(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    w.grad = None
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "losses",
    "reset once, weighs both",
    "`.grad` is reset before `size`, but not before the last call; and the importance multiplies both losses there",
)
def reset_once_weighs_both(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    w.grad = None
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake(
    "losses",
    "weighs both",
    "`.grad` is reset, but the importance multiplies both losses: it is the upstream of their sum",
)
def weighs_both(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=True))
    print("size", *torch.autograd.grad(size, w, retain_graph=True))
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake(
    "losses", "tuples", "what `autograd.grad` returns is printed as it is: a tuple, with one gradient for each input"
)
def tuples(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", torch.autograd.grad(fit, w, retain_graph=True))
    print("size", torch.autograd.grad(size, w, retain_graph=True))
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "losses",
    "not held",
    "what is printed is right, but `w.grad` does not hold it: `autograd.grad` returns its result and fills no `.grad`",
)
def not_held(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=True))
    print("size", *torch.autograd.grad(size, w, retain_graph=True))
    print("both", *torch.autograd.grad(fit + importance * size, w))
    return w


# --- logsumexp -----------------------------------------------------------------------------------


class SavesSoftmax(Function):
    """What the wrong versions of logsumexp share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.powers, ctx.total = dim, powers, total
        return (top + np.log(total)).squeeze(dim)


@mistake(
    "logsumexp",
    "overflow",
    "e to the power of a large entry overflows: take the largest entry out before, and add it after",
)
class LogsumexpOverflows(Function):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        powers = np.exp(a)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.softmax = dim, powers / total
        return np.log(total).squeeze(dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake(
    "logsumexp",
    "axis kept",
    "the result still has the axis `dim`, with size 1: `keepdims` is right on the way, but the end takes it away",
)
class LogsumexpAxisKept(Function):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.softmax = powers / total
        return top + np.log(total)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output * ctx.softmax


@mistake(
    "logsumexp",
    "one largest for all",
    "the largest of all entries is taken out, and beside it a row of small numbers vanishes: its powers are all 0, and "
    "the logarithm of 0 is -inf; take the largest along `dim`",
)
class LogsumexpOneLargest(Function):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        powers = np.exp(a - a.max())
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.softmax = dim, powers / total
        return (a.max() + np.log(total)).squeeze(dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake("logsumexp", "largest not put back", "the largest entry is taken out before, and not added again after")
class LogsumexpLargestNotPutBack(SavesSoftmax):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        return SavesSoftmax.forward(ctx, a, dim) - a.max(axis=dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.powers / ctx.total


@mistake(
    "logsumexp", "divided by all", "the powers are divided by the sum over all entries, not over those along `dim`"
)
class LogsumexpDividedByAll(SavesSoftmax):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        ctx.softmax = np.exp(a - a.max()) / np.exp(a - a.max()).sum()
        return SavesSoftmax.forward(ctx, a, dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake("logsumexp", "no upstream", "the softmax is returned alone, and the upstream gradient is forgotten")
class LogsumexpWithoutUpstream(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return ctx.powers / ctx.total


@mistake(
    "logsumexp", "not divided", "the powers are not divided by their sum: the derivative of the logarithm is missing"
)
class LogsumexpNotDivided(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.powers


@mistake(
    "logsumexp",
    "axis missing",
    "the upstream gradient lacks the axis that was summed over, and so does not stand beside its own entries",
)
class LogsumexpAxisMissing(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output * ctx.powers / ctx.total


@mistake("logsumexp", "only the largest", "only the largest entry gets a gradient; that is what a max does")
class LogsumexpAsMax(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * (ctx.powers == 1)


# --- the chapter ---------------------------------------------------------------------------------

chapter = Chapter(
    number=2,
    name="02_upstream_gradients",
    together_points=3,
    parts=(
        Part(
            Place("seed_rule", "engine", "seed_rule", "minigrad.upstream"),
            points=2,
            minutes=10,
            difficulty=1,
            hints=(
                "Two cases: `gradient` is None, or it is a tensor. Each of them has one condition under which it is "
                "an error.",
                "Without a gradient, `output.numel()` has to be 1. With one, `gradient.shape` and `output.shape` "
                "have to be equal.",
                "What you return: `minigrad.ones_like(output)` in the first case, `gradient` itself in the second.",
            ),
            mistakes=mistake.of("seed_rule"),
        ),
        Part(
            Place("sum", "engine", "Sum", "minigrad.upstream", node="SumBackward0"),
            points=1,
            minutes=5,
            difficulty=1,
            hints=(
                "If one entry grows by a tiny step, by how much does the sum grow? Does it matter which entry?",
                "Every local derivative is 1, so every entry gets the upstream gradient, unchanged.",
                "`np.full(shape, number)` is an array of a shape, filled with a number.",
            ),
            mistakes=mistake.of("sum"),
            twins=("minigrad.runtime.array_ops:expand", "minigrad.runtime.array_ops:spread"),
        ),
        Part(
            Place("mean", "engine", "Mean", "minigrad.upstream", node="MeanBackward0"),
            points=1,
            minutes=4,
            difficulty=1,
            hints=(
                "A mean is a sum divided by n, the number of all entries. What does that do to each derivative?",
                "n is the product of all sizes: `np.prod(ctx.input_shape)`. Every entry gets the upstream gradient "
                "divided by n.",
            ),
            mistakes=mistake.of("mean"),
            twins=("minigrad.runtime.array_ops:expand", "minigrad.runtime.array_ops:spread"),
        ),
        Part(
            Place("broadcast", "engine", "sum_to_shape", "minigrad.upstream"),
            points=3,
            minutes=15,
            difficulty=2,
            hints=(
                "Broadcasting copies in two ways: it adds axes in front, and it stretches axes of size 1. Undo each "
                "of them with a sum.",
                "First the axes in front: as long as `grad.ndim > len(shape)`, take `grad = grad.sum(axis=0)`.",
                "Then `grad` has as many axes as `shape`. For each axis where `shape` says 1, take "
                "`grad.sum(axis=axis, keepdims=True)`: the axis stays, with size 1.",
            ),
            mistakes=mistake.of("broadcast"),
        ),
        Part(
            Place("matmul", "engine", "Mm", "minigrad.upstream", node="MmBackward0"),
            points=2,
            minutes=10,
            difficulty=2,
            hints=(
                "The gradient of A has the shape n×k, and you have G (n×m) and B (k×m). Only one product of these, "
                "with one of them transposed, has that shape.",
                "The shapes tell you which: n×k comes from (n×m)(m×k), and k×m comes from (k×n)(n×m).",
                "dL/dA = G Bᵀ and dL/dB = Aᵀ G. The transpose of an array is `b.T`.",
            ),
            mistakes=mistake.of("matmul"),
        ),
        Part(
            Place("index", "engine", "put_back", "minigrad.upstream"),
            points=3,
            minutes=10,
            difficulty=2,
            hints=(
                "Begin with `result = np.zeros(shape, grad.dtype)`. An entry that was not taken keeps its 0.",
                "`result[index] = grad` is nearly right. Ask what it does where an index occurs twice, and try it.",
                "`result[index] += grad` does the same, because numpy reads all, adds, and then writes all. "
                "`np.add.at(result, index, grad)` adds one after the other.",
            ),
            mistakes=mistake.of("index"),
        ),
        Part(
            Place("losses", "program", "two_losses"),
            points=2,
            minutes=10,
            difficulty=2,
            hints=(
                "The first line is right. What does `w.grad` hold at the moment when the second line is printed?",
                "`torch.autograd.grad(fit, w, retain_graph=True)` returns the gradient and leaves `.grad` alone. It "
                "returns a tuple: `(of_fit,) = …`. Or set `w.grad = None` between the calls.",
                "(fit + size).backward(g) multiplies the gradients of both by g. Only `size` is to be multiplied: "
                "`(fit + importance * size).backward()`.",
            ),
            mistakes=mistake.of("losses"),
        ),
        Part(
            Place("logsumexp", "operation", "logsumexp", node="LogsumexpBackward0"),
            points=3,
            minutes=20,
            difficulty=3,
            hints=(
                "Forward: with m the largest entry along the axis, log Σ exp(aᵢ) = m + log Σ exp(aᵢ - m). Now no "
                "power is larger than 1. `a.max(axis=dim, keepdims=True)` keeps the axis, so that you can subtract.",
                "The result has no axis `dim`: take it away at the end with `.squeeze(dim)`, or sum without "
                "`keepdims`.",
                "Backward: the derivative of log Σ exp(aᵢ) to aᵢ is exp(aᵢ) / Σ exp(aⱼ), the softmax. Compute it on "
                "the way forward from the small powers, and keep it: `ctx.softmax = …`.",
                "`grad_output` lacks the axis `dim`, and the softmax has it: `np.expand_dims(grad_output, ctx.dim)` "
                "puts it back, with size 1.",
            ),
            mistakes=mistake.of("logsumexp"),
            twins=("minigrad.ops.softmax:logsumexp", "minigrad.ops.softmax:Logsumexp.forward"),
        ),
    ),
)
