"""Honest submissions of every kind: each is right, looks unlike ours, and keeps full marks.

An answer replaces ours in the solution; a notebook is changed by what editors, tools and people do to files.
"""

from __future__ import annotations

import base64
import copy
import json
import random
import textwrap

import honest_habits
import honest_jacobian
import honest_leaves
import honest_training
import honest_upstream
from submissions import CHAPTER, SOLUTION, cell, mul, solution, solution_of

from minigrad_course import parts

RIGHT = "return grad_output * b, grad_output * a"


def answer(part: str, before: str = "", after: str = "") -> dict[str, str]:
    """Our own answer to a part, with lines before and after it in the same cell."""
    ours = cell(SOLUTION, part)["source"]
    return {part: f"{textwrap.dedent(before)}\n{ours}\n{textwrap.dedent(after)}"}


FIGURE = """
import matplotlib.pyplot as plt
from IPython.display import display, SVG
%matplotlib inline
fig, (left, right) = plt.subplots(1, 2, figsize=(6, 3))
left.plot(np.linspace(0, 1), np.linspace(0, 1) ** 2, label="a²")
right.bar([1, 2], [3, 4])
plt.legend()
plt.show()
display(fig)
fig
"""

ANSWERS = {
    "another name": {"mul": mul(RIGHT).replace("class Mul(", "class MyProduct(")},
    "other names of arguments": {
        "mul": mul("v = grad_output\nu, w = ctx.saved_tensors\nreturn v * w, v * u"),
        "div": """
            @part("div")
            class Quotient(Function):
                @staticmethod
                def forward(node, top, bottom):
                    node.save_for_backward(top, bottom)
                    return top / bottom

                @staticmethod
                def backward(node, v):
                    top, bottom = node.saved_tensors
                    return v / bottom, -v * top / (bottom * bottom)
            """,
    },
    "helpers in the cell": {
        "mul": mul("return times(grad_output, b), times(grad_output, a)", before="def times(a, b): return a * b"),
        "order": """
            def users_first(root, found):
                waiting = [root]
                while waiting:
                    node = waiting.pop(0)
                    for target in node.edges:
                        if target is None or target in found:
                            continue
                        found[target] = True
                        waiting.append(target)
                return found

            @part("order")
            def topological_order(root):
                return sorted(users_first(root, {root: True}), key=lambda n: -n.number)
            """,
    },
    "a record in a loop": {
        "record": """
            @part("record")
            def apply(operation, inputs, settings):
                node, values = record.begin(operation, inputs)
                node.edges, node.needs_input_grad = [], []
                for each in inputs:
                    edge = record.edge(each)
                    node.edges.append(edge)
                    node.needs_input_grad.append(edge is not None)
                output = record.forward(node, values, settings)
                if True in node.needs_input_grad:
                    return record.result(node, inputs, values, output)
                return record.fresh(output)
            """
    },
    "a record that calls forward itself": {
        "record": """
            @part("record")
            def remember(op, given, named):
                node, arrays = record.begin(op, given)
                node.edges = *map(record.edge, given),
                node.needs_input_grad = tuple(edge is not None for edge in node.edges)
                made = op.forward(node, *arrays, **named)
                wanted = sum(node.needs_input_grad)
                return record.result(node, given, arrays, made) if wanted else record.fresh(made)
            """
    },
    "a record with its own edges": {
        "record": """
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
            """
    },
    "a record after a try in the same cell": answer(
        "record", after="x = minigrad.tensor(2.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad)"
    ),
    "a helper below, called later": {
        "mul": mul("return share(grad_output, b), share(grad_output, a)", after="def share(v, x):\n    return v * x")
    },
    "state in ctx instead of save_for_backward": {
        "hypot": """
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
            """
    },
    "numpy style": {
        "mul": mul("import numpy as np\nreturn np.multiply(grad_output, b), np.multiply(grad_output, a)"),
        "div": """
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
            """,
        "hypot": """
            @part("hypot")
            class Hypot(Function):
                @staticmethod
                def forward(ctx, a, b):
                    h = np.hypot(a, b)
                    ctx.save_for_backward(a, b, h)
                    return h

                @staticmethod
                def backward(ctx, grad_output):
                    a, b, h = ctx.saved_tensors
                    return grad_output * a / h, grad_output * b / h
            """,
    },
    "pure Python style": {
        "pow": """
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
            """,
        "walk": """
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
            """,
    },
    "type hints and docstrings": {
        "mul": "# Grüße, ∂L/∂a\nfrom __future__ import annotations\n" + mul('"""ab."""\n' + RIGHT + "  # ✓"),
        "accumulate": """
            from typing import Any, Optional

            @part("accumulate")
            def accumulate(leaf: Tensor, grad: Tensor) -> Optional[Any]:
                '''Add, never +=.'''
                if leaf.grad is not None:
                    grad = leaf.grad + grad
                leaf.grad = grad
            """,
    },
    "comments everywhere": {
        each: "# my answer\n\n" + cell(SOLUTION, each)["source"].replace("\n", "  # line\n")
        for each in ("mul", "pow", "div")
    },
    "the markers of the solution": answer("mul", before="### BEGIN SOLUTION\n### END SOLUTION"),
    "tabs and ends of line of another system": {
        "mul": mul(RIGHT).replace("    ", "\t").replace("\n", "\r\n"),
        "pow": cell(SOLUTION, "pow")["source"].replace("\n", "\r\n"),
    },
    "a base class of its own": {
        "mul": mul(RIGHT).replace('@part("mul")\nclass Mul(Function)', "class Base(Function)")
        + '\n@part("mul")\nclass Mul(Base): pass\n'
    },
    "handed over by a call": {"mul": mul(RIGHT).replace('@part("mul")\n', "") + '\npart("mul")(Mul)\n'},
    "handed over twice": {"mul": mul("return grad_output, grad_output") + mul(RIGHT)},
    "classmethods": {"mul": mul(RIGHT).replace("@staticmethod", "@classmethod").replace("(ctx", "(cls, ctx")},
    "a lambda": {
        "order": "part('order')(lambda root: sorted(reached(root), key=lambda n: -n.number))\n"
        "def reached(root):\n    seen = {root: 0}\n    todo = [root]\n    for n in todo:\n"
        "        new = [t for t in n.edges if t is not None and t not in seen]\n"
        "        seen.update(dict.fromkeys(new))\n        todo += new\n    return seen"
    },
    "warnings": answer("mul", before="import warnings\nwarnings.warn('careful')\nnp.float64(1) / 0\nnp.log(-1.0)"),
    "warnings within": {"mul": mul("import warnings\nwarnings.warn('within')\nnp.log(-1.0)\n" + RIGHT)},
    "to standard error": {"mul": mul("import sys\nprint('note', file=sys.stderr)\n" + RIGHT)},
    "logging": {
        "mul": mul("import logging\nlogging.warning('note')\nlogging.getLogger(__name__).error('x')\n" + RIGHT)
    },
    "prints in the cell": answer("mul", before="print('start')", after="for n in range(1000): print(n)"),
    "figures": {**answer("mul", before=FIGURE), **answer("div", after=FIGURE)},
    "a figure of tensors": answer("pow", before="plt.scatter(*np.random.default_rng(0).random((2, 50)))"),
    "notebook commands": answer("mul", before="%time\n!ls\n?help\nhelp?", after="%hint mul\nfiles = !ls\nx = %pwd"),
    "commands in a block": answer("mul", before="for n in range(2):\n    %timeit n\n"),
    "the notebook's own objects": answer(
        "mul", before="display(1)\nget_ipython().run_line_magic('time', '1')\nOut, In"
    ),
    "an experiment above": answer(
        "mul",
        before="""
        x = minigrad.tensor(2.0, requires_grad=True)
        y = minigrad.exp(x) / 3
        y.backward()
        print(x.grad, x.grad.item(), (x * 2).item())
        assert x.grad.item() > 0
        """,
    ),
    "an experiment below": answer("pow", after="x = minigrad.tensor(2.0)\nprint(x**2)\n1 / 0"),
    "an experiment with torch": answer("mul", before="import torch\nt = torch.tensor(2.0)\nprint(t)"),
    "a check of its own in the cell": answer("mul", after="%%check mul\nprint(torch.tensor(1.0))"),
    "a test by differences": answer(
        "mul",
        after="""
        def slope(f, a, h=1e-6):
            return (f(a + h) - f(a - h)) / (2 * h)
        assert abs(slope(lambda a: a * 3, 2) - 3) < 1e-3
        """,
    ),
    "random numbers": answer("mul", before="import random\nrandom.seed(1)\nnp.random.seed(1)\nminigrad.manual_seed(1)"),
    "slower by far": {
        "mul": mul("for _ in range(20_000): grad_output + 0.0\n" + RIGHT),
        "order": """
            @part("order")
            def topological_order(root):
                import time
                time.sleep(0.02)
                found, waiting = [root], [root]
                seen = {id(root)}
                while waiting:
                    for target in waiting.pop().edges:
                        if target is not None and id(target) not in seen:
                            seen.add(id(target))
                            found.append(target)
                            waiting.append(target)
                for _ in range(20):
                    result = sorted(found, key=lambda node: node.number, reverse=True)
                return result
            """,
    },
    "a pause in the cell": answer("hypot", before="import time\ntime.sleep(0.3)"),
    "None for a setting": {
        "pow": cell(SOLUTION, "pow")["source"].replace("n * a ** (n - 1)", "n * a ** (n - 1), None")
    },
    "a list of gradients": {"mul": mul("shares = [grad_output * b, grad_output * a]\nreturn tuple(shares)")},
    "asks what is needed": {
        "mul": mul(
            "needs_a, needs_b = ctx.needs_input_grad\n"
            "return (grad_output * b if needs_a else None), (grad_output * a if needs_b else None)"
        )
    },
    "registers the operation as well": answer("hypot", after="minigrad.register('hypot', Hypot)"),
    "a search that puts a node behind its users, without recursion": {
        "order": """
            @part("order")
            def topological_order(root):
                seen, finished, stack = {root}, [], [(root, iter(root.edges))]
                while stack:
                    node, targets = stack[-1]
                    target = next(targets, stack)
                    if target is stack:
                        finished.append(node)
                        stack.pop()
                    elif target is not None and target not in seen:
                        seen.add(target)
                        stack.append((target, iter(target.edges)))
                return list(reversed(finished))
            """
    },
    "Kahn's algorithm": {
        "order": """
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
            """
    },
    "shares by place": {
        "walk": """
            @part("walk")
            def backpropagate(root, grad_output, retain_graph=False):
                arrived = {root: grad_output}
                for node in scalar.topological_order(root):
                    total = arrived.pop(node, None)
                    if total is None:
                        continue
                    if isinstance(node, Tensor):
                        leaf.receive(node, total)
                        continue
                    shares = node.pullback(total, retain_graph)
                    for place in range(len(shares)):
                        if shares[place] is None:
                            continue
                        target = node.edges[place]
                        if target in arrived:
                            arrived[target] = np.add(arrived[target], shares[place])
                        else:
                            arrived[target] = shares[place]
            """
    },
    "sums that begin with 0": {
        "walk": """
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
            """
    },
    "try and except": {
        "walk": """
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
                        if share is None:
                            continue
                        try:
                            arrived[target] = arrived[target] + share
                        except KeyError:
                            arrived[target] = share
            """,
        "accumulate": """
            @part("accumulate")
            def accumulate(leaf, grad):
                try:
                    leaf.grad = leaf.grad + grad
                except TypeError:
                    leaf.grad = grad
            """,
    },
    "a copy that is changed": {
        "accumulate": """
            @part("accumulate")
            def accumulate(leaf, grad):
                total = grad.clone()
                if leaf.grad is not None:
                    total += leaf.grad
                leaf.grad = total
            """
    },
    "a stack of what there is": {
        "accumulate": """
            @part("accumulate")
            def accumulate(leaf, grad):
                kept = [each for each in (leaf.grad, grad) if each is not None]
                leaf.grad = kept[0] if len(kept) == 1 else minigrad.stack(kept).sum(0)
            """
    },
    "new leaves for the second half": {
        "repair": """
            @part("repair")
            def rectangle(torch, a, b):
                def slopes(of):
                    sides = [torch.tensor(each, requires_grad=True) for each in (a, b)]
                    of(*sides).backward()
                    return [each.grad for each in sides]

                print("area    ", *slopes(lambda x, y: x * y))
                print("diagonal", *slopes(lambda x, y: (x * x + y * y) ** 0.5))
            """
    },
    "gradients that are asked for": {
        "repair": """
            @part("repair")
            def rectangle(torch, a, b):
                a, b = (torch.tensor(each, requires_grad=True) for each in (a, b))
                print("area    ", *torch.autograd.grad(a * b, (a, b)))
                print("diagonal", *torch.autograd.grad((a**2 + b**2) ** 0.5, (a, b)))
            """
    },
    "modules of the standard library": answer(
        "mul",
        before="import abc, collections, dataclasses, enum, functools, itertools, json, math, re, typing, heapq, copy",
    ),
}


def changed(change):
    """The solution after somebody or something changed the file."""
    made = copy.deepcopy(SOLUTION)
    return change(made) or made


def shuffled(notebook):
    random.Random(1).shuffle(notebook["cells"])


def without_ids(notebook):
    for each in notebook["cells"]:
        each.pop("id")
    notebook["nbformat_minor"] = 4


def with_new_ids(notebook):
    for count, each in enumerate(notebook["cells"]):
        each["id"] = f"vsc-{count:08x}"


def with_extra_cells(notebook):
    extra = ["1 / 0", "import os; os._exit(1)", "while True: pass", "@part('other')\nclass X: pass", "%%html\n<b>"]
    for count, text in enumerate(extra):
        cell_of_mine = {"cell_type": "code", "id": f"extra{count}", "metadata": {}, "outputs": [], "source": text}
        notebook["cells"].insert(3 * count, cell_of_mine | {"execution_count": None})
    notebook["cells"].append({"cell_type": "markdown", "id": "mine", "metadata": {}, "source": '@part("mul")'})
    notebook["cells"].append({"cell_type": "raw", "id": "raw", "metadata": {}, "source": '@part("mul")'})


def with_outputs(notebook):
    picture = base64.b64encode(b"x" * 100_000).decode()
    for count, each in enumerate(notebook["cells"]):
        if each["cell_type"] == "code":
            each["execution_count"] = count
            each["outputs"] = [
                {"output_type": "stream", "name": "stderr", "text": "UserWarning: careful\n"},
                {"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}},
                {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["\x1b[31mE\x1b[0m"]},
            ]


def with_lines(notebook):
    for each in notebook["cells"]:
        each["source"] = each["source"].splitlines(keepends=True)


def with_metadata_of_tools(notebook):
    notebook["metadata"] |= {"colab": {"provenance": []}, "kernelspec": {"name": "conda"}, "widgets": {"a": [1]}}
    for each in notebook["cells"]:
        each["metadata"] |= {"collapsed": True, "jupyter": {"source_hidden": True}, "vscode": {"languageId": "python"}}


def with_markdown(notebook):
    for each in notebook["cells"]:
        if each["cell_type"] == "markdown":
            each["source"] += "\n\n**My notes:** $\\partial$ 🎉\n\n```python\n@part('mul')\nclass Mul: pass\n```"


def with_answers_elsewhere(notebook):
    for part in CHAPTER.parts[:3]:
        found = cell(notebook, part.name)
        notebook["cells"].append(dict(found, id=f"{part.name}-moved"))
        found["source"] = "# see below"


NOTEBOOKS = {
    "as it is": changed(lambda notebook: None),
    "reordered": changed(shuffled),
    "ids lost": changed(without_ids),
    "ids of another editor": changed(with_new_ids),
    "extra cells": changed(with_extra_cells),
    "outputs": changed(with_outputs),
    "lists of lines": changed(with_lines),
    "metadata of tools": changed(with_metadata_of_tools),
    "notes": changed(with_markdown),
    "answers in other cells": changed(with_answers_elsewhere),
    "later minor version": changed(lambda notebook: notebook.update(nbformat_minor=99)),
}
WRITTEN = {name: solution(**answers) for name, answers in ANSWERS.items()}

OTHERS = {
    subject: {
        name: solution_of(parts.chapter_of(next(iter(answers))), **answers) for name, answers in module.ANSWERS.items()
    }
    for subject, module in (
        ("upstream", honest_upstream),
        ("jacobian", honest_jacobian),
        ("leaves", honest_leaves),
        ("training", honest_training),
        ("habits", honest_habits),
    )
}

FILES = {
    "indented": lambda notebook: json.dumps(notebook, indent=4).encode(),
    "escaped": lambda notebook: json.dumps(notebook, ensure_ascii=True).encode(),
    "with ends of line of another system": lambda notebook: (
        json.dumps(notebook, indent=1).replace("\n", "\r\n").encode()
    ),
    "sorted": lambda notebook: json.dumps(notebook, sort_keys=True, ensure_ascii=False).encode(),
    "with a byte order mark": lambda notebook: b"\xef\xbb\xbf" + json.dumps(notebook).encode(),
}
