"""Honest answers to chapter 4: other algorithms, and other ways to write them."""

from honest_upstream import indented


def function(part: str, head: str, body: str, before: str = "") -> dict:
    """An answer to a part: a function with this head and body."""
    return {part: f'{before}\n@part("{part}")\ndef {head}:\n{indented(body)}'}


def is_leaf(body: str, before: str = "") -> dict:
    """An answer to `is_leaf` with this body."""
    return function("is_leaf", "is_leaf(tensor)", body, before)


def adding(body: str, before: str = "") -> dict:
    """An answer to `accumulate_again` with this body."""
    return function("accumulate_again", "accumulate(tensor, grad)", body, before)


def retaining(body: str, before: str = "") -> dict:
    """An answer to `retain_grad` with this body."""
    return function("retain_grad", "retain_grad(tensor)", body, before)


def detaching(body: str, before: str = "") -> dict:
    """An answer to `detach` with this body."""
    return function("detach", "detach(tensor)", body, before)


def checking(body: str, before: str = "") -> dict:
    """An answer to `check_versions` with this body."""
    return function("check_versions", "check_versions(node)", body, before)


def freeing(body: str, before: str = "") -> dict:
    """An answer to `free` with this body."""
    return function("free", "free(node, retain_graph)", body, before)


def splitting(body: str, before: str = "") -> dict:
    """An answer to `copy_slices` with this body."""
    return function("copy_slices", "copy_slices(whole, part, inner)", body, before)


def stepping(body: str, before: str = "") -> dict:
    """An answer to `descend` with this body."""
    return function("descend", "descend(torch, parameters, lr)", body, before)


REFUSAL = 'raise RuntimeError("can\'t retain_grad on Tensor that has requires_grad=False")'

ANSWERS = {
    "detach after the list was made": detaching(
        "if tensor._counter is None:\n    leaf.counter(tensor)\nfound = tensor.data\nfound._counter = tensor._counter\n"
        "return found"
    ),
    "copy_slices by pop": splitting(
        "shares = list(inner(part + 0))\npart[...] = shares.pop(0)\nshares.insert(0, whole)\nreturn shares"
    ),
    "is_leaf by what is not": is_leaf("return not tensor.grad_fn"),
    "is_leaf by both": is_leaf("return not (tensor.requires_grad and tensor.grad_fn is not None)"),
    "is_leaf by cases": is_leaf("if not tensor.requires_grad:\n    return True\nreturn tensor.grad_fn is None"),
    "is_leaf by match": is_leaf(
        "match tensor.grad_fn:\n    case None:\n        return True\n    case _:\n        return False"
    ),
    "is_leaf by an attribute": is_leaf("return getattr(tensor, 'grad_fn', None) is None"),
    "is_leaf with annotations": is_leaf(
        "made_by: Node | None = tensor.grad_fn\nreturn isinstance(made_by, type(None))",
        before="from __future__ import annotations\nimport torch\nfrom torch.autograd.graph import Node",
    ),
    "accumulate by add_": adding(
        "if tensor.grad is not None:\n    tensor.grad.add_(grad)\n    return\ntensor.grad = grad.detach().clone()"
    ),
    "accumulate from zeros": adding(
        "if tensor.grad is None:\n    tensor.grad = torch.zeros_like(tensor)\ntensor.grad += grad",
        before="import torch",
    ),
    "accumulate through data": adding(
        "if (kept := tensor.grad) is None:\n    tensor.grad = grad * 1\nelse:\n    kept.data.add_(grad)"
    ),
    "accumulate under no_grad": adding(
        "with torch.no_grad():\n    if tensor.grad is None:\n        tensor.grad = copy.deepcopy(grad)\n    else:\n"
        "        tensor.grad.copy_(tensor.grad + grad)",
        before="import copy, torch",
    ),
    "accumulate by a slice": adding(
        "try:\n    tensor.grad[...] += grad\nexcept TypeError:\n    tensor.grad = grad + 0"
    ),
    "retain_grad by match": retaining(
        f"match (tensor.requires_grad, tensor.is_leaf):\n    case (False, _):\n        {REFUSAL}\n"
        "    case (True, False):\n        hooks.keep(tensor)"
    ),
    "retain_grad by grad_fn": retaining(
        f"if tensor.grad_fn is not None:\n    hooks.keep(tensor)\nelif not tensor.requires_grad:\n    {REFUSAL}"
    ),
    "retain_grad by a table": retaining(
        "actions[tensor.requires_grad + (not tensor.is_leaf)](tensor)",
        before=f"def refuse(tensor):\n    {REFUSAL}\nactions = [refuse, lambda tensor: None, hooks.keep]",
    ),
    "retain_grad with an early return": retaining(
        f"if tensor.requires_grad:\n    return None if tensor.is_leaf else hooks.keep(tensor)\n{REFUSAL}"
    ),
    "detach by setattr": detaching(
        "alias = tensor.data\nsetattr(alias, '_counter', counter(tensor))\nreturn alias",
        before="from minigrad.leaf import counter",
    ),
    "detach with its own list": detaching(
        "if tensor._counter is None:\n    tensor._counter = [0]\n(constant := tensor.data)._counter = tensor._counter\n"
        "return constant"
    ),
    "detach the other way round": detaching(
        "count = leaf.counter(tensor)\nresult = tensor.data\n"
        "result._counter, result.requires_grad = count, False\nreturn result"
    ),
    "no_grad with a stack": {
        "no_grad": """
        stack = []

        @part("no_grad")
        class no_grad(leaf.Block):
            def __enter__(self):
                stack.append(leaf.recording)
                leaf.recording = False

            def __exit__(self, *error):
                leaf.recording = stack.pop()
        """
    },
    "no_grad with an ExitStack": {
        "no_grad": """
        import contextlib

        @part("no_grad")
        class no_grad(leaf.Block):
            def __enter__(self):
                self.stack = contextlib.ExitStack()
                self.stack.callback(setattr, leaf, "recording", leaf.recording)
                leaf.recording = False
                return self

            def __exit__(self, kind, error, trace):
                self.stack.close()
                return False
        """
    },
    "no_grad with a generator": {
        "no_grad": """
        from contextlib import contextmanager

        @contextmanager
        def off():
            before = leaf.recording
            leaf.recording = False
            try:
                yield
            finally:
                leaf.recording = before

        @part("no_grad")
        class no_grad(leaf.Block):
            def __enter__(self):
                self._inner = off()
                return self._inner.__enter__()

            def __exit__(self, *error):
                return self._inner.__exit__(*error)
        """
    },
    "no_grad with attributes and annotations": {
        "no_grad": """
        from types import TracebackType

        @part("no_grad")
        class no_grad(leaf.Block):
            __slots__ = ("_was",)

            def __enter__(self) -> None:
                self._was: bool = leaf.recording
                setattr(leaf, "recording", False)

            def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
                setattr(leaf, "recording", self._was)
        """
    },
    "check_versions by zip": checking(
        "for place, (value, expected) in enumerate(zip(node.saved, leaf.expected_versions(node))):\n"
        "    if not leaf.version(value) == expected:\n        raise checks.changed_since(node, place)"
    ),
    "check_versions by next": checking(
        "now = [*map(leaf.version, node.saved)]\nold = list(leaf.expected_versions(node))\n"
        "wrong = next((i for i in range(len(now)) if now[i] != old[i]), None)\n"
        "if wrong is not None:\n    raise checks.changed_since(node, wrong)"
    ),
    "check_versions by a while": checking(
        "place = 0\nexpected = leaf.expected_versions(node)\nwhile place < len(node.saved):\n"
        "    if leaf.version(node.saved[place]) > expected[place]:\n        raise checks.changed_since(node, place)\n"
        "    place += 1"
    ),
    "check_versions by numpy": checking(
        "now = np.array([leaf.version(each) for each in node.saved])\n"
        "changed = np.flatnonzero(now != np.array(leaf.expected_versions(node)))\n"
        "if changed.size:\n    raise checks.changed_since(node, int(changed[0]))",
        before="import numpy as np",
    ),
    "free by early returns": freeing(
        "if retain_graph:\n    return\nif len(node.saved) == 0:\n    return\nnode.saved = None"
    ),
    "free in one line": freeing("node.saved = node.saved if retain_graph or node.saved == () else None"),
    "free by a name for the rule": freeing(
        "if may_go(node, retain_graph):\n    setattr(node, 'saved', None)",
        before="def may_go(node, wanted):\n    return bool(node.saved) and not wanted",
    ),
    "free by or": freeing("retain_graph or not node.saved or setattr(node, 'saved', None)"),
    "copy_slices by copyto": splitting(
        "shares = inner(np.array(part))\nnp.copyto(part, shares[0])\nreturn [whole] + list(shares[1:])",
        before="import numpy as np",
    ),
    "copy_slices by zeros": splitting(
        "first, *others = inner(1 * part)\npart[...] = 0\npart += first\nreturn [whole, *others]"
    ),
    "copy_slices in place of the first": splitting(
        "gradients = list(inner(copy.copy(part)))\npart[...] = gradients[0]\ngradients[0] = whole\nreturn gradients",
        before="import copy",
    ),
    "descend through data": stepping(
        "for w in parameters:\n    if w.grad is None:\n        continue\n    w.data -= lr * w.grad\n    w.grad = None"
    ),
    "descend by sub_": stepping(
        "with torch.no_grad():\n    for w in filter(lambda w: w.grad is not None, parameters):\n"
        "        w.sub_(w.grad, alpha=lr)\n        w.grad = None"
    ),
    "descend by detach": stepping(
        "for w in [w for w in parameters if w.grad is not None]:\n    w.detach().add_(w.grad * -lr)\n    w.grad = None"
    ),
    "descend by an optimizer": stepping(
        "optimizer = torch.optim.SGD(parameters, lr=lr)\noptimizer.step()\noptimizer.zero_grad()"
    ),
    "descend by a decorated function": stepping(
        "@torch.no_grad()\ndef step(w):\n    w.copy_(w - lr * w.grad)\n    w.grad = None\n"
        "_ = [step(w) for w in parameters if w.grad is not None]"
    ),
    "descend with stars": stepping(
        "with torch.no_grad():\n    for w in parameters:\n        if w.grad is not None:\n"
        "            w -= prod([lr, 1.0]) * w.grad\n            w.grad = None",
        before="from math import *\nfrom numpy.linalg import *\nfrom torch import *",
    ),
    "descend with set_grad_enabled": stepping(
        "with torch.set_grad_enabled(False):\n    for w in parameters:\n        try:\n            w += -lr * w.grad\n"
        "        except TypeError:\n            pass\n        w.grad = None"
    ),
}
