"""What came of a program, in numbers and words that two runs can be compared by."""

from __future__ import annotations

from typing import Any

import torch

from minigrad_course.explain.observing.observe import CLOSE
from minigrad_course.explain.observing.story import Story

FEW = 64  # losses that are kept from the start, and from the end


def outcome(story: Story) -> dict[str, Any]:
    """The outcome of a run, as JSON can hold it.

    error: [type, message, line] or None; losses: of the passes that ended; starts: how many
    lines start them; cut: whether it was stopped after so many passes; leaves: by name, whether a parameter, its
    last gradient (none, nan, zero, ok), whether one ever was ok, whether it moved, whether an optimizer has it, the
    last pass that reached it; first: what each optimizer got at its first step; names: of
    tensors, by whether each is a leaf that requires grad at the end; kind: the node that the last pass started from;
    unread: how often a `.grad` was read that was None; stale:
    passes that read running statistics that were changed since.
    """
    leaves: dict[str, Any] = {}
    for one in story.leaves.values():
        if one.now is None and one.n not in story.reached and one.n not in story.held:
            continue
        leaves[one.label or f"unnamed {list(one.shape)}"] = {
            "param": one.param,
            "grad": story.gradient(one),
            "ever": any((event.info["fresh"] or event.info["grads"]).get(one.n) == "ok" for event in story.ok),
            "moved": story.moved(one),
            "held": one.n in story.held,
            "last": max((k for k, event in enumerate(story.ok) if one in event.info["reached"]), default=-1),
        }
    first: dict[int, Any] = {}
    for step in story.steps:
        first.setdefault(step.info["optimizer"], [len(step.ins), step.info["size"]])
    error = story.error
    losses = story.seen.losses
    done = losses[: len(losses) - (story.seen.failed is not None)]
    changes = sum(
        one.leaf and one.req
        for event in story.events
        if event.kind == "step" or (event.kind == "op" and not event.grad_on)
        for one in event.changed
    )
    names: dict[str, bool] = {}
    for frame in reversed(story.frames):
        for key, value in frame.items():
            if isinstance(value, torch.Tensor) and not key.startswith("_"):
                one = story.seen.record(value)
                names[key] = one.leaf and one.req
    return {
        "error": [type(error).__name__, str(error)[:300], story.line] if error is not None else None,
        "passes": len(done),
        "starts": len(story.seen.starts),
        "cut": story.seen.cut,
        "steps": story.seen.steps.count,
        "root": losses[0] if losses else None,
        "losses": done if len(done) <= 2 * FEW else done[:FEW] + done[-FEW:],
        "leaves": leaves,
        "names": names,
        "first": list(first.values()),
        "changes": changes,
        "held": sum(len(event.ins) for event in story.optimizers),
        "events": story.seen.events,
        "took": story.ended.took,
        "kind": roots[-1].fn if (roots := [event.ins[0] for event in story.ok if event.ins]) else None,
        "stale": sum(bool(event.info.get("stale")) for event in story.ok),
        "unread": sum(
            event.kind == "read" and bool(event.info["none"]) and event.place is not None and event.place.direct
            for event in story.events
        ),
        "nan": story.seen.nan_at,
        "zero": next(
            (
                k
                for k, event in enumerate(story.ok[:CLOSE])
                if "zero" in (event.info["fresh"] or event.info["grads"]).values()
            ),
            None,
        ),
    }
