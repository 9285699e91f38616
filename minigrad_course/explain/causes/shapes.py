"""Shapes and dtypes that do not fit, outside of losses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy
from minigrad_course.explain.observing.observe import Event, Record
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import atom, behind, replace
from minigrad_course.explain.trials.trial import Promise

PROMISE: Promise = {**RUNS, "further": True, "loss": True}


def failed(story: Story) -> Event | None:
    """The operation that raised the error that ended the program."""
    event = next((event for event in reversed(story.events) if event.error is not None), None)
    return event if event is not None and event.place is not None and str(event.error) == story.message else None


class Dtypes(Cause):
    """Whole numbers, or numbers of another precision, meet a layer."""

    def find(self, story: Story) -> Iterator[Finding]:
        if not any(
            name in story.message
            for name in ("same dtype", "expected scalar type", "same type", "to have the same dtype")
        ):
            return
        event = failed(story)
        if event is None or len(event.ins) < 2:
            return
        kinds = {one.dtype for one in event.ins[:2]}
        if len(kinds) < 2:
            return
        params = [one for one in event.ins if one.req or one.param]
        other = next((one for one in event.ins[:2] if one not in params), None)
        if other is None or not params:
            return
        wanted = str(params[0].dtype)
        short = {"torch.float32": "float", "torch.float64": "double"}.get(wanted)
        says = [
            f"{story.at(event)} takes {story.say(other)} of {other.dtype} together with {story.say(params[0])} of "
            f"{wanted}: they "
            f"must be of one type."
        ]
        given = story.argument(event, other) or first_argument(story, event)
        remedies: list[Remedy] = []
        if given is not None and short is not None:
            remedies.append((f"make it {wanted}", lambda: behind(given, f".{short}()"), PROMISE))
        yield self.finding(says, remedies)


def first_argument(story: Story, event: Event) -> ast.expr | None:
    """The one argument of a layer's call."""
    node = story.node(event)
    return node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None


class Matrices(Cause):
    """Matrices that do not fit together."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "shapes cannot be multiplied" not in story.message and "inconsistent tensor size" not in story.message:
            return
        event = failed(story)
        if event is None or len(event.ins) < 2:
            return
        one, two = event.ins[0], event.ins[1]
        layer = event.name == "linear"
        made = f" (made on {story.at(two.first)})" if layer and two.first is not None and two.first.place else ""
        says = [
            f"{story.at(event)} multiplies {story.say(one)} of shape {list(one.shape)} by "
            + (
                f"a layer that takes {two.shape[-1]} numbers: {story.say(two)}{made} has shape {list(two.shape)}."
                if layer
                else f"{story.say(two)} of shape {list(two.shape)}: the last dimension of the one and the first of "
                f"the other "
                f"must be the same."
            )
        ]
        yield self.finding(says, self.remedies(story, event, one, two, layer))

    def remedies(self, story: Story, event: Event, one: Record, two: Record, layer: bool) -> Iterator[Remedy]:
        node = story.node(event)
        if layer:
            given = first_argument(story, event)
            flat = 1
            for item in one.shape[1:]:
                flat *= item
            if given is not None and flat == two.shape[-1] and len(one.shape) > 2:
                yield "one row for each entry of the batch", lambda: behind(given, ".flatten(1)"), PROMISE
            for call in story.calls("Linear"):
                first = call.args[0] if call.args else None
                if (
                    isinstance(first, ast.Constant)
                    and first.value == two.shape[-1]
                    and call.lineno == getattr(two.first, "line", 0)
                ):
                    size = one.shape[-1]
                    yield (
                        f"let the layer take {size} numbers",
                        lambda first=first, s=size: replace((first, str(s))),
                        {**PROMISE, "last": True},  # it is another network
                    )
        elif isinstance(node, ast.BinOp) and len(two.shape) == 2:
            if one.shape[-1] == two.shape[1]:
                yield "transpose the second", lambda: behind(node.right, ".T"), PROMISE
            if len(one.shape) == 2 and one.shape[0] == two.shape[0]:
                yield "transpose the first", lambda: behind(node.left, ".T"), PROMISE


class Broadcast(Cause):
    """Shapes that cannot be broadcast."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "must match the size of tensor" not in story.message:
            return
        event = failed(story)
        if event is None or len(event.ins) < 2:
            return
        one, two = event.ins[0], event.ins[1]
        says = [
            f"{story.at(event)} takes {story.say(one)} of shape {list(one.shape)} together with {story.say(two)} of "
            f"shape "
            f"{list(two.shape)}: counted from the last, dimensions must be the same, or 1."
        ]
        remedies: list[Remedy] = []
        for each, other in ((one, two), (two, one)):
            given = story.argument(event, each)
            if given is not None and len(each.shape) == 1 and len(other.shape) == 2 and each.shape[0] == other.shape[0]:
                text = f"{atom(given)}[:, None]"
                remedies.append(("one number for each row", lambda g=given, t=text: replace((g, t)), PROMISE))
        yield self.finding(says, remedies)
