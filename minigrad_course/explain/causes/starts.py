"""What a pass starts from, and with which gradient; what it is asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from minigrad_course.explain.causes.common import as_leaf
from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy, grad
from minigrad_course.explain.observing.observe import Record, walk
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import behind, call_name, keyword, replace, source, without_keyword
from minigrad_course.explain.trials.trial import Promise

LOSSES = (
    "MSELoss BCELoss CrossEntropyLoss L1Loss BCEWithLogitsLoss NLLLoss mse_loss cross_entropy l1_loss nll_loss "
    "binary_cross_entropy binary_cross_entropy_with_logits"
).split()


class NonScalar(Cause):
    """A pass starts from more than one number."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "grad can be implicitly created only for scalar outputs" not in story.message or not story.seen.failed:
            return
        event = story.seen.failed[0]
        one = next((item for item in event.ins if item.shape and item.shape != (1,)), event.ins[0])
        call = story.pass_call(event)
        made = f", which {story.at(one.made)} makes" if one.made is not None and one.made.place else ""
        says = [
            f"{story.at(event)} starts a pass from {story.say(one)}{made}: it has shape {list(one.shape)}, and a pass "
            f"starts from one number, unless it is given a gradient to start with."
        ]
        yield self.finding(says, self.remedies(story, call))

    def remedies(self, story: Story, call: ast.Call) -> Iterator[Remedy]:
        promise: Promise = {**RUNS, "loss": True}
        for loss in story.calls(*LOSSES):
            if any(word.arg == "reduction" for word in loss.keywords):
                yield "let the loss take the mean", lambda loss=loss: without_keyword(loss, "reduction"), promise
        if (
            call_name(call) == "backward"
            and isinstance(call.func, ast.Attribute)
            and source(call.func.value) != "torch.autograd"
        ):
            for word in ("mean", "sum"):
                yield f".{word}() first", lambda word=word: behind(call.func.value, f".{word}()"), promise
        elif call.args:
            yield ".sum() first", lambda: behind(call.args[0], ".sum()"), {**promise}


class Seed(Cause):
    """The gradient that a pass starts with has another shape than what it starts from."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "Mismatch in shape: grad_output" not in story.message or not story.seen.failed:
            return
        event = story.seen.failed[0]
        shapes, one, call = event.info["seed"], event.ins[0], story.pass_call(event)
        shape = shapes[0] if shapes else "?"
        says = [
            f"{story.at(event)} starts from {story.say(one)} of shape {list(one.shape)} with a gradient of shape "
            f"{shape}: "
            f"they must have the same shape."
        ]
        yield self.finding(says, self.remedies(call, one, shape))

    def remedies(self, call: ast.Call, one: Record, shape: list[int] | str) -> Iterator[Remedy]:
        promise: Promise = {**RUNS, "loss": True}
        if isinstance(shape, list) and tuple(shape[1:]) == one.shape and call_name(call) == "grad":
            yield "a batch of gradients", lambda: keyword(call, is_grads_batched="True"), promise
        word = next((item for item in call.keywords if item.arg in ("gradient", "grad_outputs")), None)
        given = word.value if word is not None else call.args[-1] if call.args else None
        if one.shape == ():
            yield (
                "start from the number alone",
                lambda: without_keyword(call, str(word.arg)) if word is not None else replace((given, "")),
                promise,
            )
        elif given is not None and isinstance(shape, list):
            inner = f"({source(given)})" if isinstance(given, ast.BinOp) else source(given)
            if len(shape) < len(one.shape) and tuple(shape) == one.shape[: len(shape)]:
                text = (
                    f"{inner}{'[..., None]' * (len(one.shape) - len(shape))}.expand({', '.join(map(str, one.shape))})"
                )
                yield "one gradient for each row", lambda: replace((given, text)), promise
            elif tuple(shape) == one.shape[len(one.shape) - len(shape) :]:
                text = f"{inner}.expand({', '.join(map(str, one.shape))})"
                yield "the same gradient for each row", lambda: replace((given, text)), promise


class NotUsed(Cause):
    """A gradient is asked for by what the graph does not lead to."""

    def find(self, story: Story) -> Iterator[Finding]:
        if not story.seen.failed or "differentiated Tensor" not in story.message:
            return
        event = story.seen.failed[0]
        nodes = set(walk([root.grad_fn for root in event.roots]))
        got = {id(node.variable) for node in nodes if type(node).__name__ == "AccumulateGrad"}
        wanted, call = event.info["inputs"], story.pass_call(event)
        first = story.say(event.ins[0])
        if "does not require grad" in story.message:
            lost = [one for one in wanted if not one.req]
            says = [
                f"{story.at(event)} asks for the gradient of {first} by {story.listed(lost)}, which does not require "
                f"grad" + (f" (made on {story.at(lost[0].made)})." if lost and lost[0].made is not None else ".")
            ]
            remedies: list[Remedy] = [
                (f"let {story.say(one)} require grad", make, RUNS) for one in lost for make in as_leaf(story, one.made)
            ]
            yield self.finding(says, remedies)
            return
        lost = [
            one for one in wanted if one.now is not None and id(one.now) not in got and one.now.grad_fn not in nodes
        ]
        slope = any(one.made is not None and one.made.kind == "pass" for one in event.ins)
        says = [
            f"{story.at(event)} asks for a gradient by {story.listed(lost) or 'a tensor'}, which the graph of {first} "
            f"does "
            f"not lead to."
        ]
        promise: Promise = {**RUNS, "further": True}
        remedies = []
        if slope:
            says.append(
                "That graph is of a gradient, and the gradient is the same whatever this input is: its derivative by "
                "it is zero. That is so where all between is linear, as layers without an activation between them."
            )
            remedies.append(("let it be zero", lambda: keyword(call, materialize_grads="True"), promise))
        remedies.append(("let it be None", lambda: keyword(call, allow_unused="True"), promise))
        yield self.finding(says, remedies)


class NoTensor(Cause):
    """backward() of a number, or of a list."""

    def find(self, story: Story) -> Iterator[Finding]:
        match = re.match(r"'(\w+)' object has no attribute 'backward'", story.message)
        line = story.error_statement()
        if not match or line is None:
            return
        call = next(
            (node for node in ast.walk(line) if isinstance(node, ast.Call) and call_name(node) == "backward"), None
        )
        if call is None or not isinstance(call.func, ast.Attribute):
            return
        value, kind = call.func.value, match.group(1)
        says = [f"{story.at_error()} calls backward() of `{source(value)}`, which is of type {kind} and no tensor."]
        remedies: list[Remedy] = []
        if isinstance(value, ast.Call) and call_name(value) in ("item", "tolist", "numpy"):
            remedies.append(("start from the tensor", lambda: replace((value, source(value.func.value))), grad()))
        if kind in ("list", "tuple"):
            remedies.append(("start from the sum", lambda: replace((value, f"sum({source(value)})")), grad()))
        if isinstance(value, ast.Name):
            for item in story.all(ast.Assign):
                inner = item.value
                if source(item.targets[0]) == value.id and isinstance(inner, ast.Call) and call_name(inner) == "item":
                    remedies.append(
                        ("leave out `.item()`", lambda item=inner: replace((item, source(item.func.value))), grad())
                    )
        yield self.finding(says, remedies)


class RowsOfJacobian(Cause):
    """Several gradients of one graph, each by a pass that frees it."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "backward through the graph a second time" not in story.message or not story.seen.failed:
            return
        event = story.seen.failed[0]
        call = story.pass_call(event)
        line = story.statement(event)
        if call is None or line is None or call_name(call) != "grad":
            return
        around = call
        while around is not None and not isinstance(around, (ast.ListComp, ast.GeneratorExp, ast.For)):
            around = around.program.up.get(around)
        if around is None or not isinstance(call.args[0] if call.args else None, ast.Subscript):
            return
        base = call.args[0].value
        if not isinstance(base, ast.Name) or base.id in {one.id for one in names_bound(around)}:
            return
        says = [
            f"{story.at(event)} takes several gradients of parts of `{base.id}`, which share one graph: the first "
            f"pass has "
            f"freed it."
        ]
        remedies: list[Remedy] = [
            ("keep the graph", lambda: keyword(call, retain_graph="True"), {**RUNS, "loss": True})
        ]
        yield self.finding(says, remedies)


def names_bound(around: ast.AST) -> list[ast.Name]:
    """The names that a loop or a comprehension gives values to."""
    targets = [around.target] if isinstance(around, ast.For) else [generator.target for generator in around.generators]
    return [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
