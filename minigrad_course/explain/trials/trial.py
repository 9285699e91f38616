"""Advice is tried before it is given: what an edited program must show, and what must stay as it was.

A promise is a dict: `kind` (runs, grad, finite, moves, frozen, falls, updates, optimizer, statistics), the `names`
it is about, and flags: `further` (it may end with another error, later), `loss` (the first loss may be another number),
`frees` (these parameters are no longer to be trained), `still` (passes may bring them gradients).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Required, TypedDict


class Promise(TypedDict, total=False):
    """What an edited program must show."""

    kind: Required[str]
    names: list[str]
    every: bool
    frees: list[str]
    further: bool
    last: bool
    loss: bool
    rises: bool
    still: bool


Outcome = dict[str, Any]
Rule = Callable[[Promise, Outcome, Outcome], "str | None"]
RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    """A reason to refuse an edit, or None."""
    RULES.append(function)
    return function


def plain(name: str) -> str:
    """One name for `net[0].weight` and `net.0.weight`."""
    return re.sub(r"[\[\]'\"]+", ".", name).strip(".").replace("..", ".")


def leaves(outcome: Outcome) -> dict[str, Any]:
    """The leaves of an outcome by their plain names."""
    return {plain(name): leaf for name, leaf in outcome["leaves"].items()}


def named(promise: Promise) -> list[str]:
    """The names that a promise is about."""
    return [plain(name) for name in promise.get("names", ())]


def losses(outcome: Outcome) -> list[float]:
    """The losses of the passes that ended."""
    return [value for value in outcome["losses"] if value is not None]


def near(one: float, other: float, part: float = 1e-4) -> bool:
    """Whether two numbers are the same but for rounding; nan is near nan."""
    return one == other or (one != one and other != other) or abs(one - other) <= part * max(1.0, abs(one))


@rule
def ends_well(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """It ends without an error, or with another one later where the promise is to get further."""
    error, was = new["error"], old["error"]
    if not error:
        return None
    other = was and error[1] != was[1] and new["events"] > old["events"]
    return None if promise.get("further") and other else "it still ends with an error"


@rule
def no_nan(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """No leaf ends with a gradient of nan."""
    bad = any(leaf["grad"] == "nan" for leaf in leaves(new).values()) or new["nan"] is not None
    return "a gradient is nan" if bad else None


@rule
def same_first_loss(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """The first loss is the same number: an edit for gradients does not change what is computed."""
    if promise.get("loss") or promise["kind"] == "finite":
        return None
    was, now = old["root"], new["root"]
    if was is None or now is None or near(was, now):
        return None
    return "the first loss is another number"


@rule
def same_first_step(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """What an optimizer got at its first step is the same: a step that is moved behind another pass gets other sums."""
    if promise["kind"] != "runs":
        return None
    changed = any(
        many == now and abs(size - other) > 1e-3 * max(abs(size), 1e-6)
        for (many, size), (now, other) in zip(old["first"], new["first"], strict=False)
    )
    return "the first step gets other gradients" if changed else None


@rule
def no_parameter_lost(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """What got a gradient before still gets one: `.detach()` everywhere would mend everything."""
    freed, now = {plain(name) for name in promise.get("frees", ())}, leaves(new)
    if promise["kind"] == "frozen":
        freed |= set(named(promise))
    had = {name for name, leaf in leaves(old).items() if leaf["ever"] and (leaf["param"] or leaf["held"])}
    lost = [name for name in had - freed if name in now and now[name]["grad"] == "none"]
    gone = [name for name in had - freed if name not in now and not name.startswith("unnamed")]
    if promise["kind"] == "runs" and lost + gone:
        return "a parameter gets no gradient any more"
    count = [sum(leaf["ever"] and leaf["param"] for leaf in item.values()) for item in (leaves(old), now)]
    if promise["kind"] in ("runs", "grad") and not freed and count[1] < count[0]:
        return "fewer parameters get gradients"
    return None


@rule
def no_parameter_idle(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """What gets a gradient is changed by somebody: else a Parameter was made anew in forward()."""
    if promise["kind"] not in ("runs", "moves") or not new["steps"]:
        return None
    idle = [
        name
        for name, leaf in leaves(new).items()
        if leaf["grad"] == "ok" and leaf["param"] and not leaf["moved"] and not leaf["held"]
    ]
    was = leaves(old)
    return "a parameter gets a gradient that no step uses" if any(name not in was for name in idle) else None


@rule
def trained_to_the_end(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """A parameter is reached by later passes too: `net.w = net.w.detach()` cuts it off for good."""
    if promise["kind"] not in ("runs", "grad") or len(new["losses"]) < 4:
        return None
    cut = any(leaf["param"] and leaf["last"] == 0 for leaf in new["leaves"].values())
    return "a parameter is reached by the first pass only" if cut else None


@rule
def changed_loss_falls(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """An edit that changes what is computed does not make a loss that rises."""
    now = losses(new)
    if not promise.get("loss") or promise["kind"] not in ("grad", "runs") or not new["steps"] or len(now) < 2:
        return None
    return "the loss rises" if now[-1] > now[0] else None


@rule
def last_loss_is_no_worse(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """A program that trained already does not end with a larger loss of the same kind: the edit made it worse."""
    was, now = losses(old), losses(new)
    if old["error"] or promise["kind"] in ("frozen", "finite") or len(was) < 2 or len(now) < 2 or not new["steps"]:
        return None
    if old["starts"] != 1 or new["starts"] != 1 or old["kind"] != new["kind"] or promise.get("rises"):
        return None  # losses of several lines, or of another kind, are not compared
    return "the last loss is larger than before" if now[-1] > was[-1] + 1e-3 * abs(was[-1]) else None


@rule
def leaves_stay(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """A name of a leaf that requires grad still is one: `w = w - …` for `w -= …` under no_grad takes it away."""
    if promise["kind"] == "frozen":
        return None
    free = promise.get("frees", ())
    taken = [
        name
        for name, leaf in old["names"].items()
        if leaf and name in new["names"] and not new["names"][name] and name not in free
    ]
    return "a leaf is none any more" if taken else None


@rule
def gradients_come(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """The named leaves get gradients that are not zero; all of them with `every`."""
    if promise["kind"] != "grad":
        return None
    now = leaves(new)
    names = named(promise) or [*now]
    got = [name for name in names if now.get(name, {}).get("grad") == "ok"]
    if not got or (promise.get("every") and len(got) < len(names)):
        return "they get no gradient"
    had = [name for name, leaf in leaves(old).items() if leaf["grad"] == "ok"]
    if old["error"] or new["error"] or new["unread"] < old["unread"]:
        return None
    more = set(got) - set(had) if named(promise) else len(got) > len(had)
    return None if more else "no more leaves get gradients than before"


@rule
def value_stays_finite(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """With finite gradients, the loss is what it was, to one per cent, or it was none."""
    if promise["kind"] != "finite":
        return None
    was, now = old["root"], new["root"]
    if now is not None and now - now != 0:
        return "the loss is not finite"
    if was is not None and now is not None and was - was == 0 and abs(was - now) > 1e-2 * max(1.0, abs(was)):
        return "the loss is another number"
    return None


@rule
def they_move(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """The named leaves are changed by the steps, and the loss does not rise."""
    if promise["kind"] != "moves":
        return None
    if not any(leaves(new).get(name, {}).get("moved") for name in named(promise)):
        return "they do not move"
    now, was = losses(new), losses(old)
    rises = len(now) > 1 and now[-1] > now[0] and not (len(was) > 1 and was[-1] > was[0])
    return "the loss rises" if rises and not promise.get("rises") else None


@rule
def they_stay(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """What is to be frozen gets no gradient and does not move, and the rest is trained as before."""
    if promise["kind"] != "frozen":
        return None
    names, now = set(named(promise)), leaves(new)
    if promise.get("still") and names and not any(now.get(n, {}).get("moved") for n in names):
        return None  # a pass may bring gradients that are thrown away
    if not names or any(now.get(n, {}).get("grad") in ("ok", "zero") or now.get(n, {}).get("moved") for n in names):
        return "they are not frozen"
    return None


@rule
def loss_falls(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """The loss falls, and by more than before."""
    if promise["kind"] != "falls":
        return None
    was, now = losses(old), losses(new)
    if len(now) < 2 or not now[-1] < now[0]:
        return "the loss does not fall"
    if len(was) > 1 and now[0] - now[-1] <= (was[0] - was[-1]) * 1.02 + 1e-6:
        return "the loss falls no more than before"
    return None


@rule
def more_updates(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """Parameters are changed more often than before."""
    return "nothing is updated more" if promise["kind"] == "updates" and new["changes"] <= old["changes"] else None


@rule
def optimizer_holds_more(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """The optimizers hold more tensors than before."""
    return "it holds no more" if promise["kind"] == "optimizer" and new["held"] <= old["held"] else None


@rule
def statistics_stay(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """Fewer passes read running statistics that were changed since, and none is left out."""
    if promise["kind"] != "statistics":
        return None
    return None if new["stale"] < old["stale"] and new["passes"] >= old["passes"] else "they are still changed before"


def refused(promise: Promise, old: Outcome, new: Outcome) -> str | None:
    """Why an edit is not given as advice, or None if it kept its promise."""
    if new.get("broken"):
        return "it could not be run"
    reason = next((reason for item in RULES if (reason := item(promise, old, new))), None)
    return reason or (None if seen(promise, old, new) else "nothing that was seen is different")


def number(value: float) -> str:
    """A loss, with four digits."""
    return f"{value:.4g}"


def seen(promise: Promise, old: Outcome, new: Outcome) -> str:
    """What was seen of an edit that kept its promise, and not without it; empty if there is nothing."""
    said, kind = [], promise["kind"]
    display = {plain(name): name for name in new["leaves"]}
    now, before = leaves(new), leaves(old)
    if old["error"] and not new["error"]:
        said.append(ends(old, new))
    elif new["error"]:
        said.append(f"gets further, to another error on line {new['error'][2]}")
    names = named(promise)
    if kind == "grad":
        got = [name for name in names or [*now] if now.get(name, {}).get("grad") == "ok"]
        said.append(f"{quoted(display, got)} {'gets' if len(got) == 1 else 'get'} a gradient that is not zero")
    elif kind == "finite":
        said.append("every gradient is finite")
        was, root = old["root"], new["root"]
        if was is not None and root is not None:
            same = near(was, root, 1e-6)
            said.append(f"the loss stays {number(root)}" if same else f"the loss is {number(root)}, was {number(was)}")
    elif kind == "moves":
        got = [name for name in names if now.get(name, {}).get("moved") and not before.get(name, {}).get("moved")]
        if got:
            said.append(f"{quoted(display, got)} now change{'s' if len(got) == 1 else ''}")
    elif kind == "frozen":
        shown = {plain(name): name for name in promise["names"]}
        moved = [name for name in names if before.get(name, {}).get("moved") and not now.get(name, {}).get("moved")]
        filled = [
            name
            for name in names
            if before.get(name, {}).get("grad") in ("ok", "zero") and now.get(name, {}).get("grad", "none") == "none"
        ]
        if moved:
            said.append(f"{quoted(shown, moved)} {'stays as it is' if len(moved) == 1 else 'stay as they are'}")
        if filled:
            said.append(f"{quoted(shown, filled)} get{'s' if len(filled) == 1 else ''} no gradient any more")
    elif kind == "updates":
        said.append(f"steps have changed parameters: {new['changes']} changes, {old['changes']} before")
    elif kind == "optimizer":
        said.append(f"the optimizer has {new['held']} tensors (before: {old['held']})")
    elif kind == "statistics":
        said.append("the pass reads the statistics that the line computed with")
    if new["unread"] < old["unread"] and not old["error"]:
        said.append(f"{'fewer' if new['unread'] else 'none'} of the `.grad` that the program reads are None")
    was, after = losses(old), losses(new)
    one = new["starts"] == 1 and old["starts"] <= 1  # passes of several lines start from different losses
    if one and len(after) > 1 and (new["steps"] or new["changes"] or kind == "falls") and after[0] != after[-1]:
        since = "before it stopped" if old["error"] else "before"
        others = f" ({since}: {number(was[0])} → {number(was[-1])})" if len(was) > 1 else ""
        # where an error came first, a loss that rises may be of other data: it says nothing of the edit
        if was != after and not (old["error"] and after[-1] > after[0]):
            said.append(f"loss {number(after[0])} → {number(after[-1])}{others}")
    return "; ".join(dict.fromkeys(said))


def ends(old: Outcome, new: Outcome) -> str:
    """How a program ends that ended in an error before: a long one is stopped some passes later."""
    if not new["cut"]:
        return "runs to the end"
    more = new["passes"] - old["passes"]
    return f"runs for {more} more pass{'es' if more > 1 else ''}, after which it was stopped"


def quoted(display: dict[str, str], names: list[str]) -> str:
    """Some names in code."""
    shown = [
        name.replace("unnamed", "a leaf of shape") if name.startswith("unnamed") else f"`{name}`"
        for name in (display.get(name, name) for name in names[:3])
    ]
    return ", ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def learns(promise: Promise, new: Outcome) -> bool:
    """True if the loss falls after steps."""
    after = losses(new)
    return len(after) > 1 and bool(new["steps"]) and after[-1] < after[0]
