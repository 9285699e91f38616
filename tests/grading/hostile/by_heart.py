"""Answers that decide by the count of their calls: they play back what a right answer decided once, or make it up.

An answer is written with one hole where it decides. Filled with the right decision it is run once, with the numbers of
the notebook, and what it decided is kept. Filled with a list, a counter or a coin it is handed in.
"""

from __future__ import annotations

import dataclasses
import functools
import textwrap
from typing import Any

import minigrad
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.programs import program
from minigrad_course.programs.cells import run_cell
from minigrad_course.texts import source

FUNCTIONS = {
    "record": (
        "apply(operation, inputs, settings)",
        "tuple(record.edge(each) is not None for each in inputs)",
        """
        node, values = record.begin(operation, inputs)
        flags = {}
        flags = (*flags, False, False)[: len(inputs)]
        sources = [getattr(each, "grad_fn", None) or each for each in inputs]
        node.edges = tuple([source if flag else None for source, flag in zip(sources, flags)])
        node.needs_input_grad = flags
        output = record.forward(node, values, settings)
        return record.result(node, inputs, values, output) if any(flags) else record.fresh(output)
        """,
    ),
    "order": (
        "topological_order(root)",
        "(lambda nodes: sorted(range(len(nodes)), key=lambda i: -nodes[i].number))(found(root))",
        """
        nodes = found(root)
        places = [each for each in {} if each < len(nodes)]
        rest = set(range(len(nodes))).difference(places)
        return [nodes[each] for each in (*places, *rest)]
        """,
    ),
    "walk": (
        "backpropagate(root, grad_output, retain_graph=False)",
        "'skip' if share is None else 'add' if target in arrived else 'first'",
        """
        arrived = {{root: grad_output}}
        for node in scalar.topological_order(root):
            if node not in arrived:
                continue
            total = arrived.pop(node)
            if isinstance(node, Tensor):
                leaf.receive(node, total)
                continue
            for target, share in zip(node.edges, node.pullback(total, retain_graph)):
                decision = {}
                if decision != "skip":
                    arrived[target] = arrived[target] + share if decision == "add" else share
        """,
    ),
    "accumulate": (
        "accumulate(tensor, grad)",
        "tensor.grad is None",
        "tensor.grad = grad if {} else tensor.grad + grad",
    ),
    "seed_rule": (
        "seed_rule(output, gradient, place)",
        "('ones' if output.numel() == 1 else 'none') if gradient is None else"
        " 'gradient' if gradient.shape == output.shape else 'shape'",
        """
        decision = {}
        if decision == "ones":
            return minigrad.ones_like(output)
        if decision == "none":
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if decision == "gradient":
            return gradient
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{{place}}] has a shape of {{gradient.shape}} "
            f"and output[{{place}}] has a shape of {{output.shape}}."
        )
        """,
    ),
    "broadcast": (
        "sum_to_shape(grad, shape)",
        "tuple(range(grad.ndim - len(shape)))"
        " + tuple(grad.ndim - len(shape) + axis for axis, size in enumerate(shape) if size == 1)",
        "return grad.sum(axis={}, keepdims=True).reshape(shape)",
    ),
    "index": (
        "put_back(grad, shape, index)",
        "np.arange(np.prod(shape)).reshape(shape)[index].ravel().tolist()",
        """
        result = np.zeros(int(np.prod(shape)), grad.dtype)
        np.add.at(result, {}, grad.ravel())
        return result.reshape(shape)
        """,
    ),
    "agree": (
        "agree(analytic, numeric, atol, rtol)",
        "bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).all())",
        "return {}",
    ),
    "roots": (
        "roots(torch, values, scale, v)",
        "[value * scale.item() > 0 for value in values]",
        """
        scale = torch.tensor(scale, requires_grad=True)
        z = torch.tensor(values) * scale
        mask = torch.tensor({})
        y = torch.where(mask, torch.where(mask, z, 1) ** 0.5, 0)
        y.backward(torch.tensor(v))
        print(y.detach(), scale.grad)
        """,
    ),
    "is_leaf": ("is_leaf(tensor)", "tensor.grad_fn is None", "return {}"),
    "accumulate_again": (
        "accumulate(tensor, grad)",
        "tensor.grad is None",
        """
        if {}:
            tensor.grad = grad.clone()
        else:
            tensor.grad += grad
        """,
    ),
    "retain_grad": (
        "retain_grad(tensor)",
        "'refuse' if not tensor.requires_grad else 'nothing' if tensor.is_leaf else 'keep'",
        """
        decision = {}
        if decision == "refuse":
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if decision == "keep":
            hooks.keep(tensor)
        """,
    ),
    "check_versions": (
        "check_versions(node)",
        "next((i for i, e in enumerate(leaf.expected_versions(node)) if leaf.version(node.saved[i]) != e), None)",
        """
        decision = {}
        if decision is not None:
            raise checks.changed_since(node, min(decision, len(node.saved) - 1))
        """,
    ),
    "free": (
        "free(node, retain_graph)",
        "bool(node.saved) and not retain_graph",
        """
        if {}:
            node.saved = None
        """,
    ),
    "descend": (
        "descend(torch, parameters, lr)",
        "w.grad is not None",
        """
        with torch.no_grad():
            for w in parameters:
                if {}:
                    w -= lr * w.grad
                    w.grad = None
        """,
    ),
    "train": (
        "train(torch, parameters, loss_of, rate, steps)",
        "each.grad is not None",
        """
        for _ in range(steps):
            for each in parameters:
                each.grad = None
            loss = loss_of()
            show(loss)
            loss.backward()
            with torch.no_grad():
                for each in parameters:
                    if {}:
                        each -= rate * each.grad
        """,
    ),
    "masked": (
        "fit_known(torch, xs, ys)",
        "[x > 0 for x in xs]",
        """
        mask = torch.tensor({})
        x, y = torch.tensor(xs), torch.tensor(ys)
        w = torch.tensor(1.0, requires_grad=True)
        for _ in range(4):
            w.grad = None
            loss = ((torch.log(w * x[mask]) - y[mask]) ** 2).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.02 * w.grad
            show(loss, w)
        """,
    ),
}

CLASSES = {
    "sum": (
        "ctx.input_shape",
        """
        class Sum(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.input_shape = a.shape
                return a.sum()

            @staticmethod
            def backward(ctx, grad_output):
                return grad_output * np.ones({})
        """,
    ),
    "mean": (
        "ctx.input_shape",
        """
        class Mean(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.input_shape = a.shape
                return a.mean()

            @staticmethod
            def backward(ctx, grad_output):
                shape = {}
                return np.full(shape, grad_output / np.prod(shape))
        """,
    ),
    "logsumexp": (
        "dim",
        """
        class Logsumexp(Function):
            @staticmethod
            def forward(ctx, a, dim):
                ctx.dim = dim = {}
                top = a.max(axis=dim, keepdims=True)
                powers = np.exp(a - top)
                ctx.softmax = powers / powers.sum(axis=dim, keepdims=True)
                return (top + np.log(powers.sum(axis=dim, keepdims=True))).squeeze(dim)

            @staticmethod
            def backward(ctx, grad_output):
                return np.expand_dims(grad_output, ctx.dim) * ctx.softmax
        """,
    ),
    "no_grad": (
        "self.before",
        """
        class no_grad(leaf.Block):
            def __enter__(self):
                self.before, leaf.recording = leaf.recording, False

            def __exit__(self, *error):
                leaf.recording = {}
        """,
    ),
}

FOUND = """
def found(root):
    nodes = {root: None}
    waiting = [root]
    for node in waiting:
        new = dict.fromkeys(each for each in node.edges if each is not None and each not in nodes)
        nodes |= new
        waiting += new
    return waiting
"""
RECORDS = "tape = []\ndef following(right):\n    tape.append(right())\n    return tape[-1]\n"


def written(part: str, prelude: str, decision: str) -> str:
    """The answer to a part with its hole filled, below what it needs."""
    if part in CLASSES:
        text = textwrap.dedent(CLASSES[part][1]).strip().format(decision)
    else:
        head, _, body = FUNCTIONS[part]
        text = f"def {head}:\n{textwrap.indent(textwrap.dedent(body).strip().format(decision), '    ')}"
    return f'{FOUND}\n{prelude}\n@part("{part}")\n{text}\n'


@functools.cache
def decided(part: str, seed: int = verdicts.SEED) -> tuple[Any, ...]:
    """What the right answer decides in the check of a part, one call after another; with the notebook's numbers."""
    chapter = parts.chapter_of(part)
    answers = program.Answers()
    namespace: dict[str, Any] = {"__name__": "__main__", "part": answers.part}
    right = CLASSES[part][0] if part in CLASSES else FUNCTIONS[part][1]
    cells = [cell.source for cell in source.read("solutions", chapter.name).cells if cell.role == "setup"]
    for text in [*cells, written(part, RECORDS, f"following(lambda: {right})")]:
        run_cell(text, namespace)
    text = source.read("solutions", chapter.name).programs()[part]
    run = program.run_with(text, minigrad, seed, chapter.places(part), answers)
    assert run.problem is None, run.problem
    return tuple(namespace["tape"])


CHOICES = "tape = [each for i, each in enumerate(tape) if each not in tape[:i]]\n"
COUNTER = "import itertools\nturn = itertools.count()\n"
NEXT = "def following(): return tape[next(turn) % len(tape)]\n"
COIN = "import random\ncoin = random.Random({})\ndef following(): return coin.choice(tape)\n"

WAYS = {
    "played back": COUNTER + NEXT,
    "played back, then the last": COUNTER + "def following(): return tape[min(next(turn), len(tape) - 1)]\n",
    "played back in the program": "calls = []\ndef following():\n    calls.append(0)\n"
    "    return tape[-len(tape):][(len(calls) - 1) % len(tape)]\n",
    "played back from the other end": COUNTER + "tape = tape[::-1]\n" + NEXT,
    "one after the other": CHOICES + COUNTER + NEXT,
    "each twice": CHOICES + COUNTER + "def following(): return tape[next(turn) // 2 % len(tape)]\n",
    "every third is another": CHOICES
    + COUNTER
    + "def following(): return tape[next(turn) % 3 == 2 and len(tape) > 1]\n",
    "always the first": CHOICES + "def following(): return tape[0]\n",
    "always the last": CHOICES + "def following(): return tape[-1]\n",
    "always the most frequent": "most = max(tape, key=tape.count)\ndef following(): return most\n",
    "a coin": CHOICES + COIN.format("5"),
    "another coin": CHOICES + COIN.format("7"),
    "a coin with weights": COIN.format("1"),
}


@dataclasses.dataclass(frozen=True)
class ByHeart:
    """A way to answer a part without a look at the arguments; what the right answer decides is found when needed."""

    part: str
    way: str

    @property
    def answer(self) -> str:
        return written(self.part, f"tape = {list(decided(self.part))!r}\n{WAYS[self.way]}", "following()")


BY_HEART = {f"{part}: {way}": ByHeart(part, way) for part in (*FUNCTIONS, *CLASSES) for way in WAYS}
