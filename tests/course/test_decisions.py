"""A check is passed by what an answer computes, for every seed: not by a list of what to say, and by nothing near it.

An answer that decides by the count of its calls would pass with every seed if the cases of a check came in one order.
So what the right answer decides is recorded with the numbers of the notebook, and played back with others.
"""

import functools
import gc
import os
import sys

import numpy as np
import pytest

import minigrad
from minigrad import jacobian, leaf, scalar
from minigrad.compat import checks, messages
from minigrad.graph import hooks
from minigrad.scalar import Function
from minigrad.tensor import Tensor
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.checks.reference import reference, solutions
from minigrad_course.programs import compare, problems, program
from minigrad_course.texts import source

# MINIGRAD_SEEDS asks for all twenty, as `make corpora` does.
SEEDS = range(100, 120 if "MINIGRAD_SEEDS" in os.environ else 104)


def passed(part, answer, seed):
    """Whether an answer passes the check of a part."""
    chapter = parts.chapter_of(part)
    text = text_of(part)
    run = program.run_with(text, minigrad, seed, chapter.places(part), {part: answer}, seconds=20)
    return run.problem is None and compare.alike(run.text, printed_by_torch(part, seed))


@functools.cache
def text_of(part):
    return source.read("solutions", parts.chapter_of(part).name).programs()[part]


@functools.cache
def printed_by_torch(part, seed):
    return reference(parts.chapter_of(part), part, text_of(part), seed)


# --- what was decided once, played back ----------------------------------------------------------
#
# A part's answer as (decide, act): `decide` says from the arguments what is to be done, `act` does it. To record is to
# decide and act; to play back is to act on what was decided before, call by call, whatever the arguments are.


class Tape:
    """A list of decisions: recorded first, then played back from its start."""

    def __init__(self):
        self.decisions, self.place, self.recording = [], 0, True

    def next(self, decide, *arguments):
        if self.recording:
            self.decisions.append(decide(*arguments))
            return self.decisions[-1]
        self.place += 1
        return self.decisions[(self.place - 1) % len(self.decisions)]

    def rewind(self):
        self.recording, self.place = False, 0


def plainly(decide, act):
    """The answer is a function."""
    return lambda tape: lambda *arguments: act(tape.next(decide, *arguments), *arguments)


def of_seed(output, gradient, place):
    if gradient is None:
        return "ones" if output.numel() == 1 else "refuse none"
    return "gradient" if gradient.shape == output.shape else "refuse shape"


def start(decision, output, gradient, place):
    if decision == "refuse none":
        raise RuntimeError(messages.IMPLICIT_SEED)
    if decision == "refuse shape":
        raise RuntimeError(messages.SEED_SHAPE.format(place, gradient.shape, output.shape))
    return minigrad.ones_like(output) if decision == "ones" else gradient


def of_retaining(tensor):
    return "refuse" if not tensor.requires_grad else "nothing" if tensor.is_leaf else "keep"


def retain(decision, tensor):
    if decision == "refuse":
        raise RuntimeError(messages.RETAIN_CONSTANT)
    if decision == "keep":
        hooks.keep(tensor)


def changed_place(node):
    pairs = zip(node.saved, leaf.expected_versions(node), strict=True)
    return next((place for place, (value, version) in enumerate(pairs) if leaf.version(value) != version), None)


def complain(decision, node):
    if decision is not None:
        raise checks.changed_since(node, min(decision, len(node.saved) - 1))


def let_go(decision, node, retain_graph):
    if decision:
        node.saved = None


def keep_one(decision, tensor, grad):
    if decision == "first":
        tensor.grad = grad.clone()
    else:
        tensor.grad += grad


def keep_sum(decision, tensor, grad):
    tensor.grad = grad if decision == "first" else tensor.grad + grad


def of_keeping(tensor, grad):
    return "first" if tensor.grad is None else "next"


def discovered(root):
    found = {root: None}
    waiting = [root]
    for node in waiting:
        for target in node.edges:
            if target is not None and target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def in_order(root):
    found = discovered(root)
    return sorted(range(len(found)), key=lambda place: -found[place].number)


def by_place(decision, root):
    found = discovered(root)
    listed = [found[place] for place in decision if place < len(found)]
    return listed + [found[place] for place in range(len(decision), len(found))]


def walking(tape):
    def walk(root, grad_output, retain_graph=False):
        arrived = {root: grad_output}
        for node in scalar.topological_order(root):
            if node not in arrived:
                continue
            total = arrived.pop(node)
            if isinstance(node, Tensor):
                leaf.receive(node, total)
                continue
            for target, share in zip(node.edges, node.pullback(total, retain_graph), strict=True):
                decision = tape.next(
                    lambda share, target: "skip" if share is None else "add" if target in arrived else "first",
                    *(share, target),
                )
                if decision != "skip":
                    arrived[target] = arrived[target] + share if decision == "add" else share

    return walk


def switching(tape):
    class Off(leaf.Block):
        def __enter__(self):
            self.before, leaf.recording = leaf.recording, False

        def __exit__(self, *error):
            leaf.recording = tape.next(lambda: self.before)

    return Off


def copied(grad, shape):
    new = grad.ndim - len(shape)
    return (*range(new), *[new + axis for axis, size in enumerate(shape) if size == 1])


def places(grad, shape, index):
    return np.arange(np.prod(shape)).reshape(shape)[index].ravel()


def put(decision, grad, shape, index):
    result = np.zeros(int(np.prod(shape)))
    np.add.at(result, decision, grad.ravel())
    return result.reshape(shape)


def filling(divided):
    def operation(tape):
        class Filled(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.input_shape = a.shape
                return a.mean() if divided else a.sum()

            @staticmethod
            def backward(ctx, grad_output):
                shape = tape.next(lambda: ctx.input_shape)
                return (grad_output / np.prod(shape) if divided else grad_output) * np.ones(shape)

        return Filled

    return operation


def along(tape):
    class Logsumexp(Function):
        @staticmethod
        def forward(ctx, a, dim):
            ctx.dim = tape.next(lambda: dim)
            largest = a.max(axis=ctx.dim, keepdims=True)
            powers = np.exp(a - largest)
            total = powers.sum(axis=ctx.dim, keepdims=True)
            ctx.softmax = powers / total
            return (largest + np.log(total)).squeeze(ctx.dim)

        @staticmethod
        def backward(ctx, grad_output):
            return np.expand_dims(grad_output, ctx.dim) * ctx.softmax

    return Logsumexp


def stepping(tape):
    def descend(torch, parameters, lr):
        with torch.no_grad():
            for w in parameters:
                if tape.next(lambda w: w.grad is not None, w):
                    w -= lr * w.grad
                    w.grad = None

    return descend


def training(tape):
    show = sys.modules[parts.chapter_of("train").part("train").mistakes[0].answer.__module__].show

    def train(torch, parameters, loss_of, rate, steps):
        for _ in range(steps):
            for each in parameters:
                each.grad = None
            loss = loss_of()
            show(loss)
            loss.backward()
            with torch.no_grad():
                for each in parameters:
                    if tape.next(lambda each: each.grad is not None, each):
                        each -= rate * each.grad

    return train


def rooting(tape):
    def roots(torch, values, scale, v):
        scale = torch.tensor(scale, requires_grad=True)
        z = torch.tensor(values) * scale
        good = torch.tensor(tape.next(lambda: [value > 0 for value in values]))
        y = torch.where(good, torch.where(good, z, 1) ** 0.5, 0)
        y.backward(torch.tensor(v))
        print(y.detach(), scale.grad)

    return roots


def filtering(tape):
    show = sys.modules[parts.chapter_of("masked").part("masked").mistakes[0].answer.__module__].show

    def fit_known(torch, xs, ys):
        known = tape.next(lambda: [place for place, x in enumerate(xs) if x > 0])
        x, y = [torch.tensor([numbers[place] for place in known]) for numbers in (xs, ys)]
        w = torch.tensor(1.0, requires_grad=True)
        for _ in range(4):
            w.grad = None
            loss = ((torch.log(w * x) - y) ** 2).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.02 * w.grad
            show(loss, w)

    return fit_known


def classing(tape):
    show = sys.modules[parts.chapter_of("accuracy").part("accuracy").mistakes[0].answer.__module__].show

    def fit_classes(torch, rows, labels):
        x, y = torch.tensor(rows), torch.tensor(tape.next(lambda: labels))
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.5)
        for _ in range(5):
            loss = ((torch.sigmoid(x @ w) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            show(loss, w)

    return fit_classes


DECIDED = {
    "order": plainly(in_order, by_place),
    "walk": walking,
    "accumulate": plainly(of_keeping, keep_sum),
    "seed_rule": plainly(of_seed, start),
    "sum": filling(divided=False),
    "mean": filling(divided=True),
    "broadcast": plainly(copied, lambda axes, grad, shape: grad.sum(axis=axes, keepdims=True).reshape(shape)),
    "index": plainly(places, put),
    "logsumexp": along,
    "agree": plainly(lambda *arguments: solutions("03_jacobian_sums")["agree"](*arguments), lambda said, *_: said),
    "roots": rooting,
    "is_leaf": plainly(lambda tensor: tensor.grad_fn is None, lambda said, tensor: said),
    "accumulate_again": plainly(of_keeping, keep_one),
    "retain_grad": plainly(of_retaining, retain),
    "no_grad": switching,
    "check_versions": plainly(changed_place, complain),
    "free": plainly(lambda node, retain_graph: bool(node.saved) and not retain_graph, let_go),
    "descend": stepping,
    "train": training,
    "masked": filtering,
    "accuracy": classing,
}


@pytest.mark.parametrize("part", DECIDED)
def test_decisions_learned_by_heart_fail_with_other_numbers(part):
    """One may slip through: in `descend` one of 729 draws is like the recorded one."""
    tape = Tape()
    answer = DECIDED[part](tape)
    assert passed(part, answer, verdicts.SEED)
    assert len(tape.decisions) > 0
    slipped = []
    for seed in SEEDS:
        tape.rewind()
        if passed(part, answer, seed):
            slipped.append(seed)
    assert len(slipped) <= 1, slipped


def test_right_answers_pass_with_every_seed():
    right = {
        (part.name, seed): passed(part.name, solutions(chapter.name)[part.name], seed)
        for chapter in parts.chapters()
        for part in chapter.parts
        for seed in SEEDS
    }
    assert [each for each, has_passed in right.items() if not has_passed] == []


# --- nearly right --------------------------------------------------------------------------------


def product(shares):
    """`*` with other shares."""

    class Mul(Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad_output):
            return shares(grad_output, *ctx.saved_tensors)

    return Mul


def quotient(shares):
    """`/` with other shares."""

    class Div(product(shares)):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a / b

    return Div


def hypotenuse(shares):
    """hypot with other shares."""

    class Hypot(product(shares)):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return (a * a + b * b) ** 0.5

    return Hypot


def power(share):
    """`**` with another share."""

    class Pow(Function):
        @staticmethod
        def forward(ctx, a, exponent):
            ctx.save_for_backward(a)
            ctx.exponent = exponent
            return a**exponent

        @staticmethod
        def backward(ctx, grad_output):
            return share(grad_output, *ctx.saved_tensors, ctx.exponent)

    return Pow


def total(backward, mean=False):
    """A sum or a mean with another backward."""

    class Total(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.input_shape = a.shape
            return a.mean() if mean else a.sum()

        @staticmethod
        def backward(ctx, grad_output):
            return backward(ctx, grad_output)

    return Total


def summed_over(axes):
    """New axes, and of the stretched ones those that `axes` picks."""

    def sum_to_shape(grad, shape):
        while grad.ndim > len(shape):
            grad = grad.sum(axis=0)
        for axis in axes([axis for axis, size in enumerate(shape) if size == 1]):
            grad = grad.sum(axis=axis, keepdims=True)
        return grad

    return sum_to_shape


def within(allowed):
    """`agree` with another tolerance."""

    def agree(analytic, numeric, atol, rtol):
        return bool(((analytic - numeric).abs() <= allowed(analytic.abs(), numeric.abs(), atol, rtol)).all())

    return agree


def frames():
    """What the program's variables hold, as an answer may find it."""
    frame = sys._getframe()
    while frame.f_code.co_filename != problems.PROGRAM:
        frame = frame.f_back
    return frame.f_globals


def grad_of_the_caller(J, v):
    held = [each.grad for each in frames().values() if isinstance(each, Tensor) and each.grad is not None]
    shape = J.shape[len(v.shape) :]
    return next((grad for grad in held[::-1] if grad.shape == shape), jacobian.zeros(shape, J))


def passes_hidden(y, x, create_graph=False):
    lists = [each for each in gc.get_objects() if type(each) is list and len(each) < 100]
    before = [(each, len(each)) for each in lists]
    found = []
    for i in jacobian.entries(y):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        jacobian.vjp(y, x, v, create_graph)
        found.append(jacobian.vjp(y, x, v, create_graph))
    for each, length in before:
        if set(map(type, each)) == {int} and len(each) > length:
            del each[length + len(found) :]
    return found


def with_momentum(torch, parameters, loss_of, rate, steps):
    show = sys.modules[parts.chapter_of("train").part("train").mistakes[0].answer.__module__].show
    optimizer = torch.optim.SGD(parameters, lr=rate, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        show(loss)
        loss.backward()
        optimizer.step()


def none_as_zero(root, grad_output, retain_graph=False):
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph), strict=True):
            arrived[target] = arrived.get(target, 0) + share


NEARLY = {
    "mul: a without its sign": ("mul", product(lambda g, a, b: (g * b, g * abs(a)))),
    "mul: b without its sign": ("mul", product(lambda g, a, b: (g * (b**2) ** 0.5, g * a))),
    "mul: upstream without its sign": ("mul", product(lambda g, a, b: (abs(g) * b, abs(g) * a))),
    "mul: logarithms": ("mul", product(lambda g, a, b: (g * np.exp(np.log(b)), g * np.exp(np.log(a))))),
    "pow: base without its sign": ("pow", power(lambda g, a, n: g * n * abs(a) ** (n - 1))),
    "pow: result over base": ("pow", power(lambda g, a, n: g * n * abs(a**n / a))),
    "pow: exponent without its sign": ("pow", power(lambda g, a, n: g * abs(n) * a ** (n - 1))),
    "div: a without its sign": ("div", quotient(lambda g, a, b: (g / b, -g * abs(a) / b**2))),
    "div: b without its sign": ("div", quotient(lambda g, a, b: (g / abs(b), -g * a / b**2))),
    "div: upstream without its sign": ("div", quotient(lambda g, a, b: (abs(g) / b, -abs(g) * a / b**2))),
    "hypot: a without its sign": (
        "hypot",
        hypotenuse(lambda g, a, b: (g * abs(a) / np.hypot(a, b), g * b / np.hypot(a, b))),
    ),
    "hypot: b without its sign": (
        "hypot",
        hypotenuse(lambda g, a, b: (g * a / np.hypot(a, b), g * (b**2) ** 0.5 / np.hypot(a, b))),
    ),
    "hypot: upstream without its sign": (
        "hypot",
        hypotenuse(lambda g, a, b: (abs(g) * a / np.hypot(a, b), abs(g) * b / np.hypot(a, b))),
    ),
    "walk: None as a number": ("walk", none_as_zero),
    "sum: always two rows of three": ("sum", total(lambda ctx, g: g * np.ones((2, 3)))),
    "sum: upstream without its sign": ("sum", total(lambda ctx, g: abs(g) * np.ones(ctx.input_shape))),
    "mean: always six": ("mean", total(lambda ctx, g: np.full(ctx.input_shape, g / 6), mean=True)),
    "mean: upstream without its sign": (
        "mean",
        total(lambda ctx, g: np.full(ctx.input_shape, abs(g) / np.prod(ctx.input_shape)), mean=True),
    ),
    "broadcast: the first of the stretched axes": ("broadcast", summed_over(lambda axes: axes[:1])),
    "broadcast: the last of them": ("broadcast", summed_over(lambda axes: axes[-1:])),
    "broadcast: axis 0 alone": ("broadcast", summed_over(lambda axes: [axis for axis in axes if axis == 0])),
    "broadcast: axis 1 alone": ("broadcast", summed_over(lambda axes: [axis for axis in axes if axis == 1])),
    "broadcast: the first two axes": ("broadcast", summed_over(lambda axes: [axis for axis in axes if axis < 2])),
    "broadcast: without a sign": (
        "broadcast",
        lambda grad, shape: abs(solutions("02_upstream_gradients")["broadcast"](grad, shape)),
    ),
    "agree: always 1e-5 and 1e-3": ("agree", within(lambda a, n, atol, rtol: 1e-5 + 1e-3 * n)),
    "agree: rtol of the difference": ("agree", within(lambda a, n, atol, rtol: atol + rtol * (n - a).abs())),
    "agree: the larger tolerance": ("agree", within(lambda a, n, atol, rtol: max(atol, rtol) * (1 + n))),
    "agree: of both": ("agree", within(lambda a, n, atol, rtol: atol + rtol * (a + n) / 2)),
    "agree: atol of n as well": ("agree", within(lambda a, n, atol, rtol: (atol + rtol) * n)),
    "agree: always": ("agree", lambda *_: True),
    "weighted_sum: the caller's .grad": ("weighted_sum", grad_of_the_caller),
    "slices: twice as many passes, hidden": ("slices", passes_hidden),
    "train: with momentum": ("train", with_momentum),
}


def test_nearly_right_fails_with_every_seed():
    found = {
        (name, seed): passed(part, answer, seed)
        for name, (part, answer) in NEARLY.items()
        for seed in (SEEDS[:2] if answer is passes_hidden else SEEDS)  # which looks at every object each time
    }
    assert [each for each, has_passed in found.items() if has_passed] == []
