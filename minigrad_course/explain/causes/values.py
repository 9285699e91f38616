"""Gradients that are no numbers, or nothing but zeros."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

import torch

from minigrad_course.explain.causes.common import of_library
from minigrad_course.explain.findings import FINITE, Cause, Finding, Remedy, grad
from minigrad_course.explain.observing.observe import Event, Record, python_name, version
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import call_name, drop, names_in, replace, source, targets_of, without_call
from minigrad_course.explain.trials.trial import Promise

SMALL = ("1e-12", "1e-8", "1e-6")
PAGE = "docs/changes.md"  # of the project: what changed from one torch to the next
AT_BOUND, BEHIND_CLAMP = "clamp-number-bound", "clamp-then-sqrt"  # rows of it, both since CHANGED
CHANGED = (2, 14)
CLAMPS = ("clamp", "clip", "clamp_min", "clamp_max")


def newer() -> bool:
    """True where the installed torch has the rows."""
    return tuple(int(word) for word in torch.__version__.split(".")[:2]) >= CHANGED


def clamped(story: Story, event: Event | None) -> tuple[torch.Tensor, list[float]] | None:
    """(what a call of clamp was given, its bounds), if both can still be read as they were."""
    node = story.node(event)
    if event is None or event.name not in CLAMPS or not event.ins or not isinstance(node, ast.Call):
        return None
    tensor = event.ins[0].now
    given = [*node.args[1 if of_library(node) else 0 :], *[word.value for word in node.keywords]]
    try:
        bounds = [float(ast.literal_eval(item)) for item in given if source(item) != "None"]
    except (ValueError, TypeError):
        return None
    if tensor is None or not bounds or version(tensor) != event.versions[0]:
        return None
    return tensor.detach(), bounds


def at_bounds(tensor: torch.Tensor, bounds: list[float]) -> torch.Tensor:
    """Which entries are equal to one of the bounds."""
    result = torch.zeros_like(tensor, dtype=torch.bool)
    for bound in bounds:
        result |= tensor == bound
    return result


class NotANumber(Cause):
    """A pass makes nan or inf of finite numbers."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        bad = [
            event
            for event in story.ok
            if "deep" in event.info and "nan" in {**event.info["grads"], **event.info["fresh"]}.values()
        ]
        for event in bad[:1]:
            losses = [item.info["loss"] for item in story.ok if item.n <= event.n and item.info["loss"] is not None][
                -6:
            ]
            if len(losses) > 3 and all(not two < one for one, two in pairwise(losses)):
                return  # it grew beyond all numbers: Course says it
            seen = event.info["deep"]
            first = next((item for item in seen if "nan" not in item[2] and "nan" in item[3]), None)
            wild = next(
                (
                    item
                    for item in story.events
                    if item.info.get("wild") and item.n < event.n and item.place and item.outs and item.outs[0].req
                ),
                None,
            )
            made = first[1] if first is not None else None
            if (
                first is not None
                and made is not None
                and made.place is not None
                and not (wild is not None and not made.place.direct)
            ):
                says = [
                    f"the pass on {story.at(event)} starts from finite gradients; the first nan or inf is made by "
                    f"{first[0]} of "
                    f"{story.at(made)}: `{story.source(made)}`.",
                    *self.of_older(story, first[0], made),
                ]
                if (loss := event.info["loss"]) is not None and loss - loss != 0:
                    says.append(
                        "The loss itself is not finite: a value is infinite or undefined, and not only a slope."
                    )
                yield self.finding(says, self.remedies(story, first[0], made))
            elif wild is not None:
                says = [
                    f"{story.at(wild)} (`{story.source(wild)}`) makes nan or inf of finite numbers, and the gradient "
                    f"of the pass "
                    f"on {story.at(event)} meets them there: a nan that is left out later still makes its derivative "
                    f"nan."
                ]
                yield self.finding(says, self.masked(story, wild))

    def of_older(self, story: Story, name: str, made: Event) -> list[str]:
        """A sentence where a newer torch has no such gradient: a clamp before it drops what comes back at its bound."""
        clamp = made.ins[0].made if made.ins else None
        result = clamped(story, clamp)
        if newer() or result is None or clamp is None:
            return []
        tensor, bounds = result
        grad = getattr(clamp.ins[0].now, "grad", None) if clamp.ins[0].leaf else None
        if grad is None or grad.shape != tensor.shape:
            return []
        bad = ~torch.isfinite(grad)
        if not bool(bad.any()) or not bool(at_bounds(tensor, bounds)[bad].all()):
            return []
        row = BEHIND_CLAMP if name.startswith("Sqrt") else AT_BOUND
        return [
            f"The clamp on {story.at(clamp)} lets it through, since the entry is equal to the bound. From torch 2.14 "
            f"on it passes nothing on there, and this gradient is 0: see {PAGE}#{row}."
        ]

    def masked(self, story: Story, wild: Event) -> Iterator[Remedy]:
        """A mask of attention with a row that is masked as a whole: one entry of it is left."""
        node = story.node(wild)
        if not isinstance(node, ast.Call):
            return
        for word in node.keywords:
            if word.arg in ("key_padding_mask", "src_key_padding_mask") and isinstance(
                word.value, (ast.Name, ast.Attribute)
            ):
                mask = source(word.value)
                text = f"{mask} & ~{mask}.all(1, keepdim=True)"
                yield "mask no row as a whole", lambda word=word, text=text: replace((word.value, text)), FINITE

    def remedies(self, story: Story, name: str, event: Event) -> Iterator[Remedy]:
        node = story.node(event)
        if not isinstance(node, ast.expr):
            return
        argument = self.argument(story, event, node)
        if argument is None:
            return
        text = source(argument)
        base = text if isinstance(argument, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({text})"
        yield from self.before_where(story, event, node, argument, text)
        away = "stay away from where the slope is infinite"
        if name.startswith(("Acos", "Asin", "Atanh", "Acosh")):
            bare: ast.expr = argument
            if (
                isinstance(argument, ast.Call)
                and call_name(argument) in ("clamp", "clip")
                and isinstance(argument.func, ast.Attribute)
            ):
                bare = argument.args[0] if of_library(argument) and argument.args else argument.func.value
            inner = source(bare) if isinstance(bare, (ast.Name, ast.Call)) else f"({source(bare)})"
            for eps in ("1e-6", "1e-4"):
                yield away, lambda eps=eps: replace((argument, f"{inner}.clamp(-1 + {eps}, 1 - {eps})")), FINITE
        if name.startswith("Log1P"):
            for eps in ("1e-6", "1e-4"):
                yield away, lambda eps=eps: replace((argument, f"{base}.clamp(min=-1 + {eps})")), FINITE
        elif not name.startswith(("Norm", "Std", "Div", "LinalgVectorNorm")):
            for eps in SMALL:
                yield away, lambda eps=eps: replace((argument, f"{base}.clamp(min={eps})")), FINITE
                yield away, lambda eps=eps: replace((argument, f"({text} + {eps})")), {**FINITE, "last": True}
        if name.startswith(("Norm", "LinalgVectorNorm")):
            yield "stay away from 0", lambda: replace((argument, f"({base}.abs() + 1e-8)")), FINITE
        if name.startswith("Div") and isinstance(node, ast.BinOp):
            text_right = f"({source(node.right)} + 1e-8)"
            yield "keep away from a division by 0", lambda: replace((node.right, text_right)), FINITE
        if name.startswith("Std") and source(node).endswith(".std()"):
            text_var = f"({source(node)[:-6]}.var() + 1e-8).sqrt()"
            yield "stay away from a spread of 0", lambda: replace((node, text_var)), FINITE

    def argument(self, story: Story, event: Event, node: ast.AST) -> ast.expr | None:
        """What goes into the operation, as it is written."""
        result = story.argument(event, event.ins[0]) if event.ins else None
        if result is None and isinstance(node, ast.Call):
            method = isinstance(node.func, ast.Attribute) and call_name(node) != "apply" and not of_library(node)
            return (
                node.func.value
                if method and isinstance(node.func, ast.Attribute)
                else (node.args[0] if node.args else None)
            )
        return result

    def before_where(
        self, story: Story, event: Event, node: ast.AST, argument: ast.expr, text: str
    ) -> Iterator[Remedy]:
        """A safe number before the operation, where a `where` chooses after it."""
        around: ast.AST | None = node
        while around is not None and not (isinstance(around, ast.Call) and call_name(around) == "where"):
            around = around.program.up.get(around)
            if isinstance(around, ast.stmt):
                around = None
        if around is None:
            line = story.statement(event)
            names = {one.id for target in targets_of(line) for one in ast.walk(target) if isinstance(one, ast.Name)}
            around = next((call for call in story.calls("where") if names_in(call) & names), None)
        if around is None or len(around.args) != 3:
            return
        condition = source(around.args[0])
        for fill in ("1.0", "0.5"):
            for item in (condition, f"~({condition})"):
                yield (
                    "replace before, not after: 0 times inf is nan",
                    lambda fill=fill, item=item: replace((argument, f"torch.where({item}, {text}, {fill})")),
                    FINITE,
                )


class AllZero(Cause):
    """An operation gets a gradient, and passes on nothing but zeros."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for event in [item for item in story.ok if "deep" in item.info][:1]:
            zero = [one for one in event.info["reached"] if event.info["fresh"].get(one.n) == "zero"]
            if not zero or (event is not story.ok[0] and any(story.gradient(one) == "ok" for one in zero)):
                continue
            if any(self.comes_later(story, one, event) for one in zero):
                continue
            seen = [
                item
                for item in event.info["deep"]
                if "ok" in item[2]
                and item[3]
                and all(one == "zero" for one in item[3])
                and item[1] is not None
                and item[1].place
            ]
            if not seen:
                continue
            name, made = seen[0][0], seen[0][1]
            gets = "gets" if len(zero) == 1 else "get"
            says = [
                f"in the pass on {story.at(event)}, {name} of {story.at(made)} (`{story.source(made)}`) gets a "
                f"gradient and passes "
                f"on nothing but zeros; so {story.listed(zero)} {gets} zeros.",
                *self.of_newer(story, made),
            ]
            yield self.finding(says, self.remedies(story, name, made, [one.label for one in zero]))

    def of_newer(self, story: Story, made: Event) -> list[str]:
        """A sentence where an older torch has another gradient: an entry that is equal to the bound of a clamp."""
        result = clamped(story, made)
        if not newer() or result is None or not bool(at_bounds(*result).any()):
            return []
        return [
            f"An entry that is equal to the bound counts as clamped since torch 2.14; before, its gradient was 1: see "
            f"{PAGE}#{AT_BOUND}."
        ]

    def comes_later(self, story: Story, one: Record, event: Event) -> bool:
        """True for a leaf that another pass brought more than zeros: as a rule that is how it should be.

        Not where the program shows the zeros: it asks for them.
        """
        other = [item for item in story.ok if item.n != event.n and item.info["fresh"].get(one.n) == "ok"]
        until = next((item.n for item in story.ok if item.n > event.n), None)
        shown = any(
            item.kind == "read"
            and item.ins
            and item.ins[0] is one
            and item.place is not None
            and item.place.direct
            and event.n < item.n
            and (until is None or item.n < until)
            and isinstance(story.statement(item), ast.Expr)
            for item in story.events
        )
        return bool(other) and not shown

    def remedies(self, story: Story, name: str, event: Event, labels: list[str]) -> Iterator[Remedy]:
        node, promise = story.node(event), grad(labels)
        other: Promise = {**promise, "loss": True}
        if name.startswith(("Sign", "Round", "Floor", "Ceil", "Trunc")) and isinstance(node, ast.Call):
            argument = story.argument(event, event.ins[0])
            if argument is not None:
                text = source(argument)
                through = f"(({text}) + ({source(node)} - ({text})).detach())"
                yield (
                    "straight through: its value, with the slope of its input",
                    lambda: replace((node, through)),
                    promise,
                )
                if name.startswith("Sign"):
                    yield "use a smooth step", lambda: replace((node, f"torch.tanh(({text}) / 0.1)")), other
        if "Softmax" in name:
            title = "of one class a softmax is always 1: a sigmoid has a slope"
            for call in story.calls("Softmax", "LogSoftmax"):
                prefix = f"{source(call.func.value)}." if isinstance(call.func, ast.Attribute) else ""
                yield title, lambda call=call, p=prefix: replace((call, f"{p}Sigmoid()")), other
            for call in story.calls("softmax"):
                value = source(call.args[0]) if of_library(call) else source(call.func.value)
                yield title, lambda call=call, v=value: replace((call, f"torch.sigmoid({v})")), other
            for call in story.calls("CrossEntropyLoss"):
                use = next((item for item in story.all(ast.Call) if item.func is call), None)
                if use is not None and len(use.args) == 2 and event.ins and event.ins[0].shape[-1:] == (1,):
                    out, target = source(use.args[0]), source(use.args[1])
                    text = f"{source(call.func)[:-16]}BCEWithLogitsLoss()({out}.squeeze(1), {target}.float())"
                    yield (
                        "for one score: the loss of two classes",
                        lambda use=use, text=text: replace((use, text)),
                        other,
                    )
        if name.startswith(("Relu", "Threshold")):
            calls = story.calls("ReLU")
            if len(calls) > 1 or (calls and "Sequential" in source(calls[-1].program.up[calls[-1]])):
                last = calls[-1]
                identity = f"{source(last.func)[:-4]}Identity()"
                yield "no ReLU at the end", lambda: replace((last, identity)), other
            for call in calls:
                leaky = f"{source(call.func)[:-4]}LeakyReLU()"
                yield (
                    f"give it a slope below 0 too ({story.at(call)})",
                    lambda call=call, t=leaky: replace((call, t)),
                    other,
                )
            if isinstance(node, ast.Call) and call_name(node) == "relu":
                leaky_text = source(node.args[0]) if of_library(node) and node.args else source(node.func.value)
                text = f"torch.nn.functional.leaky_relu({leaky_text})"
                yield "give it a slope below 0 too", lambda: replace((node, text)), other
        if name.startswith("Clamp") and isinstance(node, ast.Call) and not of_library(node):
            yield "no clamp: another loss where the bound held it", lambda: without_call(node), other


class StartsAtZero(Cause):
    """All weights are zero, and stay the same."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        if not story.steps:
            return
        dead = [
            one
            for one in story.reached.values()
            if one.n in story.held
            and len(one.shape) > 1
            and one.start is not None
            and not bool(one.start.any())
            and not story.moved(one)
        ]
        if not dead:
            return
        calls = [call for call in story.calls("zeros_") if call.args]
        says = [
            f"{story.listed(dead)} {'starts' if len(dead) == 1 else 'start'} with zeros only, and no step has changed "
            f"{'it' if len(dead) == 1 else 'them'}. A layer of zeros makes zeros, for the layer behind it too, and "
            f"what is before it gets gradients of zeros."
        ]
        remedies: list[Remedy] = []
        for call in calls:
            line = call.program.up.get(call)
            loop = call.program.up.get(line) if line is not None else None
            if isinstance(loop, ast.For) and len(loop.body) == 1:
                remedies.append(
                    (
                        "leave them as torch makes them",
                        lambda loop=loop: drop(loop),
                        {**grad([one.label for one in dead]), "loss": True},
                    )
                )
        yield self.finding(says, remedies)


class TooSmall(Cause):
    """Gradients that are not zero, and too small to change anything."""

    silent = True
    explained_by = frozenset({"AllZero", "StartsAtZero", "NotANumber"})

    def find(self, story: Story) -> Iterator[Finding]:
        steps = [event for event in story.steps if isinstance(event.info["lr"], float) and event.info["lr"] > 1e-12]
        if len(steps) < 2:
            return
        still, largest = [], 0.0
        for one in story.reached.values():
            grad_now = getattr(one.now, "grad", None)
            if one.n not in story.held or story.moved(one) or grad_now is None or story.gradient(one) != "ok":
                continue
            if grad_now.layout is not torch.strided or one.now is None or len(one.shape) < 2:
                continue
            size = float(grad_now.abs().max())
            if size < 1e-9 * max(float(one.now.detach().abs().max()), 1e-9):
                still.append(one)
                largest = max(largest, size)
        if still:
            yield self.finding(
                [
                    f"{story.listed(still)} {'gets a gradient' if len(still) == 1 else 'get gradients'} so small "
                    f"(in the last pass, the largest entry is {largest:.2g} in size) that no step has changed it: "
                    f"what lies between there and the loss is flat, as a sigmoid or a tanh is where its input is far "
                    f"from 0."
                ]
            )


class PaddingRow(Cause):
    """The row of an embedding that is to stay zero holds other numbers."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for name, module in story.seen.modules.items():
            for inner_name, inner in module.named_modules():
                index = getattr(inner, "padding_idx", None)
                if name == "self" or not isinstance(inner, torch.nn.Embedding) or index is None:
                    continue
                one = story.seen.record(inner.weight)
                if one.n not in story.reached or not bool(inner.weight.detach()[index].any()):
                    continue
                path = python_name(f"{name}.{inner_name}.weight" if inner_name else f"{name}.weight")
                yield self.finding(
                    [
                        f"row {index} of `{path}` is the padding row (padding_idx={index}): it gets no gradient, and "
                        f"it is not zero, so it stays as it is now."
                    ],
                    likely=False,
                )
                return
