"""Losses that are given something else than they take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from minigrad_course.explain.causes.common import of_library
from minigrad_course.explain.findings import FALLS, RUNS, Cause, Finding, Remedy
from minigrad_course.explain.observing.observe import Event, Record
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import atom, behind, call_name, replace, source
from minigrad_course.explain.trials.trial import Promise

TAKES = {
    "cross_entropy": "SoftmaxBackward0",
    "binary_cross_entropy_with_logits": "SigmoidBackward0",
    "nll_loss": "SoftmaxBackward0",
}
PAIRED = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
CLASSES = ("cross_entropy", "nll_loss")
CHANCES = ("binary_cross_entropy", "binary_cross_entropy_with_logits")


class TwiceSoftmax(Cause):
    """A loss that takes scores is given probabilities."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for event in story.events:
            if event.kind != "op" or not event.ins or event.name not in TAKES or not event.place or not event.outs:
                continue
            one = event.ins[0]
            if (
                one.fn != TAKES[event.name]
                or one.made is None
                or not one.shape
                or not any(p.n > event.n for p in story.ok)
            ):
                continue
            word = "Softmax" if "Softmax" in one.fn else "Sigmoid"
            wants = (
                "takes log-probabilities"
                if event.name == "nll_loss"
                else f"takes scores and applies a {word.lower()} itself"
            )
            says = [
                f"{story.at(event)} ({event.name}) {wants}, but gets what a {word.lower()} gives "
                f"({story.at(one.made)})."
            ]
            yield self.finding(says, self.remedies(story, event, one.made, word))
            return

    def remedies(self, story: Story, event: Event, made: Event, word: str) -> Iterator[Remedy]:
        node, promise = story.node(made), {**FALLS, "loss": True}
        runs: Promise = {**RUNS, "loss": True}
        if event.name == "nll_loss":
            for call in story.calls("Softmax", "softmax"):
                name = call_name(call)
                text = re.sub(rf"\b{name}$", "LogSoftmax" if name == "Softmax" else "log_softmax", source(call.func))
                for item in (promise, runs):
                    yield (
                        f"take the logarithm too ({story.at(call)})",
                        lambda call=call, t=text: replace((call.func, t)),
                        item,
                    )
            return
        for call in story.calls(word):
            text = f"{source(call.func)[: -len(word)]}Identity()"
            yield f"leave out the {word} ({story.at(call)})", lambda call=call, t=text: replace((call, t)), promise
        if isinstance(node, ast.Call) and call_name(node) in ("softmax", "sigmoid"):
            inner = source(node.args[0]) if of_library(node) and node.args else source(node.func.value)
            for item in (promise, runs):
                yield f"leave out the {word.lower()}", lambda: replace((node, inner)), item


class Columns(Cause):
    """A column is compared with a row: each entry of one with each of the other."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for event in story.events:
            if event.kind != "op" or not event.place or len(event.ins) < 2 or not event.outs:
                continue
            one, two = event.ins[0].shape, event.ins[1].shape
            pair = (len(one), len(two)) in ((2, 1), (1, 2)) and max(one[-1], two[-1]) > 1
            if not pair or not ((one[-1] == 1 and two == one[:1]) or (two[-1] == 1 and one == two[:1])):
                continue
            loss = event.name in PAIRED
            if not loss and not (event.name in ("sub", "__rsub__", "rsub") and self.is_loss(story, event)):
                continue
            if not any(item.n > event.n for item in story.ok):
                continue
            yield self.told(story, event)
            return

    def is_loss(self, story: Story, event: Event) -> bool:
        """True if a pass starts from what is made of a difference, and one side requires grad."""
        if not any(event.asked):
            return False
        made = event.outs[0]
        for item in story.events:
            if item.n > event.n and item.kind == "op" and made in item.ins:
                return item.name in ("pow", "__pow__", "square", "abs", "mul", "__mul__")
        return False

    def told(self, story: Story, event: Event) -> Finding:
        one, two = event.ins[0], event.ins[1]
        says = [
            f"{story.at(event)} compares {story.say(one)} of shape {list(one.shape)} with {story.say(two)} of shape "
            f"{list(two.shape)}: every entry of one with every entry of the other."
        ]
        remedies: list[Remedy] = []
        first, second = story.argument(event, one), story.argument(event, two)
        node = story.node(event)
        if first is None and isinstance(node, ast.Call) and len(node.args) >= 2:
            first, second = node.args[0], node.args[1]
        promises: list[Promise] = [{**FALLS, "loss": True}, {**RUNS, "loss": True}]
        for each, record in ((first, one), (second, two)):
            if each is not None and len(record.shape) == 2:
                for promise in promises:
                    remedies.append(("give both one shape", lambda item=each: behind(item, ".squeeze(1)"), promise))
        return self.finding(says, remedies)


class Targets(Cause):
    """A loss is given targets of another kind or shape than it takes."""

    def find(self, story: Story) -> Iterator[Finding]:
        event = next((event for event in reversed(story.events) if event.error is not None), None)
        if event is None or not event.place or event.name not in (*CLASSES, *CHANCES) or len(event.ins) < 2:
            return
        if type(story.error) not in (RuntimeError, ValueError, IndexError) or str(event.error) != story.message:
            return
        scores, target = event.ins[0], event.ins[1]
        node = story.node(event)
        given = node.args[1] if isinstance(node, ast.Call) and len(node.args) >= 2 else None
        first = node.args[0] if given is not None else None
        at, name = story.at(event), story.say(target)
        runs: Promise = {**RUNS, "loss": True}
        says, remedies = "", list[Remedy]()
        if not scores.dtype.is_floating_point:
            says = f"{at} gives {story.say(scores)} to {event.name}: {dtype(scores)}, not the scores that it takes"
            inner = scores.made.ins[0] if scores.made is not None and scores.made.ins else None
            if inner is not None and inner.label and first is not None:
                remedies.append(("hand over the scores", lambda: replace((first, inner.label or "")), runs))
        elif (
            event.name in CLASSES
            and target.dtype.is_floating_point
            and scores.shape != target.shape
            and given is not None
        ):
            says = (
                f"{at} gives {name} to {event.name} as classes: it is of {dtype(target)}, and classes are "
                f"whole numbers (torch.int64)"
            )
            remedies.append(("make whole numbers of them", lambda: behind(given, ".long()"), runs))
        elif event.name in CHANCES and not target.dtype.is_floating_point and given is not None:
            says = (
                f"{at} gives {name} to {event.name}: it is of {dtype(target)}, and this loss takes "
                f"floating point targets"
            )
            remedies.append(("make floating point numbers of them", lambda: behind(given, ".float()"), runs))
        elif (
            event.name in CLASSES
            and scores.shape == target.shape
            and len(scores.shape) == 2
            and not target.dtype.is_floating_point
        ):
            says = (
                f"{at} gives {name} of shape {list(target.shape)} to {event.name}: whole numbers are "
                f"classes, one for each row"
            )
            remedies.append(("the class of each row", lambda: behind(given, ".argmax(1)"), runs))
            remedies.append(("probabilities of the classes", lambda: behind(given, ".float()"), runs))
        elif event.name in CLASSES and target.shape == (*scores.shape[:1], 1):
            says = (
                f"{at} gives {name} of shape {list(target.shape)} to {event.name}, which takes one class "
                f"for each row: a shape of {list(scores.shape[:1])}"
            )
            remedies.append(("leave the second dimension out", lambda: behind(given, ".squeeze(1)"), runs))
        elif event.name in CLASSES and len(scores.shape) == 1 and scores.shape == target.shape and first is not None:
            says = f"{at} gives one score for each target to {event.name}, which takes one for each class"
            text = f"torch.nn.functional.binary_cross_entropy_with_logits({source(first)}, {source(given)}.float())"
            remedies.append(("for yes or no: the loss of two classes", lambda: replace((node, text)), runs))
        elif event.name in CHANCES and scores.shape != target.shape:
            says = (
                f"{at} gives {story.say(scores)} of shape {list(scores.shape)} and {name} of shape "
                f"{list(target.shape)} to {event.name}: they must have one shape"
            )
            if first is not None and scores.shape == (*target.shape, 1):
                remedies.append(
                    ("leave the last dimension out", lambda: behind(first, f".squeeze({len(target.shape)})"), runs)
                )
            if given is not None and target.shape == (*scores.shape, 1):
                remedies.append(
                    ("leave the last dimension out", lambda: behind(given, f".squeeze({len(scores.shape)})"), runs)
                )
        elif event.name in CLASSES and "out of bounds" in story.message.lower():
            many = scores.shape[1] if len(scores.shape) > 1 else scores.shape[0]
            says = (
                f"{at} gives {name} to {event.name} with {many} scores in a row: classes are counted from "
                f"0 to {many - 1}, and one of them is not among these"
            )
            remedies.append(("count from 0", lambda: replace((given, f"{atom(given)} - 1")), runs))
        if says:
            yield self.finding([says + "."], remedies)


def dtype(one: Record) -> str:
    """The dtype of a tensor, in words of torch."""
    return str(one.dtype)
