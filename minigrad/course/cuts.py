"""Why there is no graph, or no gradient: follow a tensor back to the line where the history was lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minigrad.course.case import Case, code
from minigrad.course.naming import attributes, holders
from minigrad.course.places import Location
from minigrad.course.rewrites import (
    another_name,
    changed_instead,
    in_place_of_descent,
    leaf_within,
    recorded_again,
    smooth,
    updated_in_place,
    values_first,
)
from minigrad.course.stories import Change, Story
from minigrad.tensor import Tensor

Told = tuple[str, list[tuple[Location | None, str]], list[str]]
Cut = tuple[Story, Location | None, str, str, list[str]]  # as `cut` gives it
NEW = {"tensor", "as_tensor", "asarray", "from_numpy", "scalar_tensor", "Parameter"}
SHOWN = 4  # constants that are listed
RESPECT = "One of the differentiated Tensors"  # in torch's words: what a gradient is taken with respect to
NO_GRAPH = "gradients of {}, which has no graph"


def explain(case: Case, output: Tensor) -> Told:
    """Why a tensor has no graph, and what to do."""
    naming, story = case.naming, case.seen.story(output)
    name = naming.name(story)
    of = "the gradient with respect to {}, which does not require grad" if RESPECT in str(case.error) else NO_GRAPH
    asks = (case.here, f"asks for {of.format(name)}.")
    for step in history(case, story):
        lost = lost_flag(case, step, naming.name(step)) if isinstance(step, Story) else None
        if lost is not None and isinstance(step, Story) and (step is story or step.flags[-1][1] == "detach_"):
            made = [(each.place, f"makes {naming.there(each)}.") for each in {step: 0, story: 0} if each.place]
            which = naming.name(step)
            return f"{which} was taken out of its graph.", [made[0], lost, *made[1:], asks], [KEEP.format(which)]
        told = cut(case, step) or gradient(case, step)
        if told is not None:
            kept, line, role, headline, advice = told
            all_kept = taken if kept in (taken := taken_at(case, line)) else [kept]
            before = [(each.place, f"makes {naming.there(each)}, which requires grad.") for each in all_kept]
            steps = [*(each for each in before if each[0] and each[0] != line), (line, role)]
            if story.place != line:
                what = "it" if step is not story else "them"  # of numbers that were taken before
                steps.append((story.place, f"makes {naming.there(story)} from {what}."))
            return headline, [*steps, asks], advice
    return constants(case, story, name, asks)


KEEP = "Keep {0} as it is, and use `detach()` (which makes another tensor) where you need the bare numbers."


def history(case: Case, story: Story) -> Iterator[Story | Change]:
    """The steps that a tensor without a graph comes from, the newest first: how tensors were made, and changed."""
    waiting, seen = [story], {id(story)}
    while waiting:
        each = waiting.pop(0)
        for step in steps_of(each):
            yield step
            for use in step.inputs:
                if id(use.story) not in seen and not use.required:
                    seen.add(id(use.story))
                    waiting.append(use.story)


def steps_of(story: Story) -> list[Story | Change]:
    """How a tensor that is still there was changed in place, the newest first; and how it was made."""
    tensor = story.ref() if story.ref else None
    return [*reversed(getattr(tensor._counter, "changes", ()) if tensor is not None else ()), story]


def cut(case: Case, step: Story | Change) -> Cut | None:
    """If a step lost the history: the tensor that had it, the line, what it does, a headline, advice; else None."""
    place, naming = step.place, case.naming
    story = step if isinstance(step, Story) else step.story
    made = naming.there(story) if story is not None else "a tensor"
    called = attributes(getattr(case.sources.expression(place), "func", case.sources.expression(place)))
    kept = next((use.story for use in step.inputs if use.required and use.story is not story), None)
    if any(each.endswith("_like") or each.startswith("new_") for each in called):
        return None  # only the shape of the input is used
    if kept is None:
        return number_taken(case, place, made) if not step.inputs else None
    source = naming.name(kept)
    line = f"{case.sources.at(place)}" if place else "that line"
    if step.how[:1] == ("grad",):
        role = f"computes {made}, the gradient of {source}, without recording how."
        headline = f"{made} is a gradient, and a gradient has no graph of its own unless you ask for one."
        return kept, place, role, headline, [CREATE.format(f"in `grad(…)` on {line}")]
    if not step.recorded:
        role = f"makes {made} from {source} while recording is off (`no_grad` or the like): no graph."
        return (
            kept,
            place,
            role,
            f"{made} was computed while nothing was recorded, so it has no graph.",
            in_place_of_descent(case, step)
            or [
                recorded_again(case, place, line),
                "`no_grad` is for evaluation and for updates; a loss has to be computed outside of it.",
            ],
        )
    if {"detach", "data"} & called:
        word = "detach()" if "detach" in called else ".data"
        role = f"takes the numbers of {source} without its graph (`{word}`)."
        return (
            kept,
            place,
            role,
            f"`{word}` on {line} cut the graph: what comes after it knows nothing of {source}.",
            in_place_of_descent(case, step)
            or [
                f"Leave out `{word}` on {line}, if the gradient should pass there.",
                f"Use `{word}` only for what needs no gradient: a printout, a target, a state for the next step.",
            ],
        )
    if isinstance(step, Story) and step.kind != "f":
        kinds = "true or false" if step.kind == "b" else "whole numbers"
        role = f"makes {made}: {kinds}, which have no derivative."
        return (
            kept,
            place,
            role,
            f"{line[0].upper() + line[1:]} turns {source} into {kinds}, and there the graph ends.",
            [
                "A gradient needs a result that changes a little when the input does. An accuracy, an argmax or a "
                "comparison jumps.",
                smooth(case, place, source),
            ],
        )
    role = f"makes {made}, a new tensor with the numbers of {source} and without its graph."
    advice = f"Use {source} itself instead of a new tensor made from it; `torch.stack` joins tensors with their graphs."
    return (
        kept,
        place,
        role,
        f"{line[0].upper() + line[1:]} makes a new tensor, which knows nothing of {source}.",
        [advice],
    )


CREATE = "Say `create_graph=True` {}: then the pass is recorded, and you can differentiate its result."


def gradient(case: Case, step: Story | Change) -> Cut | None:
    """The same for the `.grad` of a leaf, which a pass has filled without recording how."""
    tensor = step.ref() if isinstance(step, Story) and step.ref and step.place is None else None
    for leaf in [each.ref() for each in case.seen.leaves.values() if each.added]:
        if tensor is not None and leaf is not None and leaf._grad is tensor:
            kept, last = case.seen.story(leaf), [each for each in case.seen.passes if each.place][-1:]
            name, place = case.naming.name(kept), last[0].place if last else None
            role = f"fills the .grad of {name}, without recording how."
            headline = (
                f"The .grad of {name} has no graph: a pass does not record how it computes, unless you ask for it."
            )
            where = f"in `backward(…)` on {case.sources.at(place)}" if place else "in `backward(…)`"
            return kept, place, role, headline, [CREATE.format(where)]
    return None


def number_taken(case: Case, here: Location | None, made: str) -> Cut | None:
    """A tensor made from numbers that were taken out of a tensor with a graph, on the same line or under a name."""
    if here is None:
        return None
    sources = case.sources
    names = attributes(sources.statement(here)) - {"torch"}
    for place, kept in reversed(case.seen.numbers):
        if place is None or place.file != here.file:
            continue
        if place.line == here.line or holders(sources.statement(place)) & names:
            those, expression = [case.naming.name(each) for each in taken_at(case, place)], sources.expression(place)
            source, itself = " and ".join(those), "itself" if len(those) == 1 else "themselves"
            role = f"takes bare numbers out of {source} (`{sources.said(expression)}`); they have no history."
            taken = getattr(getattr(expression, "func", None), "attr", "item")
            advice = (
                f"Compute with {source} {itself}, and call `.{taken}()` only where no gradient is needed, as to print."
            )
            if attributes(expression) & NEW:
                advice = (
                    "Join tensors with `torch.stack` or `sum(…)`, which keep their graphs, instead of `torch.tensor`."
                )
            headline = f"{made} was made from bare numbers, so it has no graph: it does not know about {source}."
            return kept, place, role, headline, [advice]
    return None


def taken_at(case: Case, place: Location | None) -> list[Story]:
    """The tensors that a line took numbers out of at once, in turn; of one that is made anew in a loop, the newest."""
    found = {story.place: story for each, story in case.seen.numbers if each is not None and each == place}
    return [*found.values()][-SHOWN:]


def lost_flag(case: Case, story: Story, name: str) -> tuple[Location | None, str] | None:
    """The step in which a tensor itself stopped requiring grad."""
    if not story.flags:
        return None
    place, what = story.flags[-1]
    did = "takes {} out of its graph (`detach_()`)" if what == "detach_" else "switches requires_grad off for {}"
    return place, did.format(name) + "."


def constants(case: Case, story: Story, name: str, asks: tuple[Location | None, str]) -> Told:
    """No step lost a history: there was none, because nothing that the tensor comes from requires grad."""
    steps: list[tuple[Location | None, str]] = []
    first: list[Story] = []
    for step in history(case, story):
        if isinstance(step, Story) and all(use.required for use in step.inputs) and step.place:
            lost = lost_flag(case, step, case.naming.name(step))
            if lost is not None:
                steps.insert(0, lost)  # the newest comes first here
            elif all(each.place != step.place for each in first):
                first.append(step)
    first = first[:SHOWN]
    steps += [(each.place, f"makes {case.naming.there(each)}, which does not require grad.") for each in first]
    steps.sort(key=lambda each: (each[0] is None, each[0].line if each[0] else 0))
    if story.place and all(story.place != place for place, _ in steps):
        steps.append((story.place, f"makes {case.naming.there(story)}."))
    first.sort(key=lambda each: each.place.line if each.place else 0)
    names = [case.naming.name(each) for each in first if case.sources.target(each.place)] or ["a tensor"]
    named = " or ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
    advice = [f"Say which tensor you want a gradient of, where it is made: `requires_grad=True` for {named}."]
    if first and all(each.kind != "f" for each in first):
        advice.append("Only floating point tensors can require grad: write `1.0` instead of `1`, or call `.float()`.")
    if any("switches" in role for _, role in steps):
        lost_by = [case.naming.name(step) for step in history(case, story) if isinstance(step, Story) and step.flags]
        several = len(dict.fromkeys(lost_by)) > 1
        advice = [f"Leave requires_grad on for {'at least one of them' if several else lost_by[0]}."]
    elif RESPECT in str(case.error) and story.place and (plain := code(name, "")).isidentifier():
        made = (story.place, f"makes {case.naming.there(story)}.")
        advice[0] = (
            f"Right after {case.sources.at(story.place)}, before anything is computed from it: "
            f"`{plain}.requires_grad_()`."
        )
        return (
            f"{name} does not require grad, so it is in no graph, and no gradient comes back to it.",
            [made, asks],
            advice,
        )
    return f"Nothing that {name} was computed from requires grad, so there is no graph.", [*steps, asks], advice


# --- .grad is None -------------------------------------------------------------------------------


def no_gradient(case: Case, tensor: Tensor, place: Location | None) -> Told:
    """Why the `.grad` of a tensor was None when it was read at a place."""
    naming, story = case.naming, case.seen.story(tensor)
    name = naming.name(story)
    origin = story.place  # on the same line, and not before it in that line
    again = bool(place and origin and (place.code, place.line) == (origin.code, origin.line) and place.at <= origin.at)
    what = f"{name[:-1]}.grad`" if name.endswith("`") else f"the .grad of {name}"
    reads = (place, f"reads {what}{' in the next turn' if again else ''}: None.")
    if not tensor.is_leaf:
        return non_leaf(case, tensor, name, reads)
    if not tensor.requires_grad:
        made = (story.place, f"makes {naming.there(story)}, which does not require grad.")
        kept = next((use.story for use in story.inputs if use.required), None)
        detached = {"detach", "data"} & attributes(case.sources.expression(story.place))
        if kept is not None and (detached or not story.recorded):
            renamed = case.sources.target(story.place) and naming.target(kept) == case.sources.target(story.place)
            update = [changed_instead(case, story)] if renamed else in_place_of_descent(case, story)
            return (
                f"{name} is a new tensor, {'cut off' if detached else 'made while nothing was recorded'}: it does not "
                "require grad." + (" The leaf that had the name before still has its gradient." if renamed else ""),
                [(kept.place, f"makes {naming.there(kept)}, which requires grad."), made, reads],
                [
                    *update,
                    f"{'Or call' if update else 'Call'} `requires_grad_()` on the new tensor, before it is used.",
                ],
            )
        if lost := lost_flag(case, story, name):
            return (
                f"{name} no longer requires grad, so no pass computes a gradient for it.",
                [(story.place, f"makes {naming.there(story)}."), lost, reads],
                [KEEP.format(name)] if story.flags[-1][1] == "detach_" else trained_or_not(case, name, place),
            )
        return (
            f"{name} does not require grad, so no pass computes a gradient for it.",
            [made, reads],
            [f"Make it with `requires_grad=True`, or call `{name.strip('`')}.requires_grad_()` before you use it."],
        )
    made = (story.place, f"makes the leaf {name}.")
    if not case.seen.passes:
        return (
            f"No backward() has run yet, so {name} has no gradient.",
            [made, reads],
            ["Call backward() on the loss first."],
        )
    last = case.seen.passes[-1].place
    if case.seen.was_reached(tensor):
        return (
            f"{name} had a gradient, and it was cleared before it was read.",
            [made, (last, "filled it, last."), reads],
            ["Read the gradient before `zero_grad()`, which sets it to None."],
        )
    if told := cut_before(case, story):
        _, line, role, _, advice = told
        which = f"{case.sources.at(line)}" if line else "a line before it"
        return (
            f"No backward() has reached {name}: {which} leaves its graph.",
            [made, (line, role), (last, "runs the last pass, which does not lead there."), reads],
            advice,
        )
    return (
        f"No backward() has reached {name}: what it started from was not computed from this tensor.",
        [made, (last, "runs the last pass, which does not lead there."), reads],
        [f"Look for the line that should have used {name}: it is missing, or uses another tensor, such as a copy."],
    )


def trained_or_not(case: Case, name: str, place: Location | None) -> list[str]:
    """Advice for a leaf whose requires_grad was switched off, and whose gradient is read at a place."""
    read = case.sources.expression(place)
    owner = getattr(read, "value", None) if getattr(read, "attr", "") == "grad" else None
    inside = code(name, case.sources.said(owner) or "…")
    asked = case.sources.said(read) if owner else f"{inside}.grad"
    return [
        f"If it is not to be trained, leave it out where you read gradients: `if {asked} is not None`.",
        f"If it is to be trained, switch it on again before the pass: `{inside}.requires_grad_()`.",
    ]


def cut_before(case: Case, leaf: Story) -> Cut | None:
    """The step that lost the history between a leaf and what the last pass started from; None if none was seen."""
    seen = case.seen
    filled = [leaf.ref() for leaf in seen.leaves.values() if leaf.added]
    reached = [seen.story(each) for each in filled if each is not None]
    for step in came_from([seen.root] if seen.root else reached):
        if step is leaf or step is seen.root:
            continue
        told = taken_out(case, step) or (None if step.through else cut(case, step))
        if told is not None and any(each is leaf for each in came_from([told[0]])):
            return told
    return None


def taken_out(case: Case, step: Story) -> Cut | None:
    """The same for a tensor that was made with its history, and then taken out of its graph."""
    name = case.naming.name(step)
    lost = lost_flag(case, step, name)
    if lost is None or step.flags[-1][1] != "detach_":
        return None
    return step, *lost, f"{name} was taken out of its graph.", [KEEP.format(name)]


def came_from(stories: list[Story]) -> Iterator[Story]:
    """Some tensors and all that they were computed from, the newest first."""
    waiting, seen = list(stories), set(map(id, stories))
    while waiting:
        yield (each := waiting.pop(0))
        for use in [use for step in reversed(steps_of(each)) for use in step.inputs]:
            if id(use.story) not in seen:
                seen.add(id(use.story))
                waiting.append(use.story)


def gradient_of(name: str) -> str:
    """A leaf's gradient, as a program reads it; of a leaf without a name, in words."""
    inside = name.strip("`")
    return f"`{inside}.grad`" if f"`{inside}`" == name else f"the `.grad` of {name}"


def non_leaf(case: Case, tensor: Tensor, name: str, reads: tuple[Location | None, str]) -> Told:
    """`.grad` of a tensor that an operation made."""
    naming, story = case.naming, case.seen.story(tensor)
    node = tensor.grad_fn
    advice = []
    leaves, steps = made_of(case, tensor)
    target = case.sources.target(story.place) if story.place else ""
    before = [each for each in leaves if target and each.place and case.sources.target(each.place) == target]
    if before and not [each for each in case.seen.passes if each.number < node.number]:
        advice += [values_first(case, story, before[0]), another_name(case, story, before[0])]  # this was no update
    elif before:
        advice.append(changed_instead(case, story))
    elif within := leaf_within(case, leaves, story):
        advice.append(within)
    else:
        gradients = [gradient_of(naming.name(each)) for each in leaves[:SHOWN] if each.place and naming.is_bound(each)]
        if not gradients:
            advice += updated_in_place(case, story, node)
        else:
            advice.append(f"The gradients are in the leaves it was computed from: read {', '.join(gradients)}.")
    line = f" right after {case.sources.at(story.place)}" if story.place else ""
    if not before:
        plain = target or code(name, "")
        call = f"call `{plain}.retain_grad()`" if plain else f"give {name} a name, and call its `retain_grad()`"
        advice.append(f"To have it here as well, {call}{line}.")
    return (
        f"{name} is not a leaf: an operation made it. backward() passes a gradient through it, and only leaves keep "
        "theirs in `.grad`.",
        [*steps, reads],
        advice,
    )


def made_of(case: Case, tensor: Tensor) -> tuple[list[Story], list[tuple[Location | None, str]]]:
    """The leaves that a tensor was made of by operations, and the lines that made them and it."""
    naming, story, node = case.naming, case.seen.story(tensor), tensor.grad_fn
    leaves = [case.seen.story(each) for each in leaves_of(node)]
    steps: list[tuple[Location | None, str]] = [
        (each.place, f"makes the leaf {naming.there(each)}.")
        for each in leaves[:SHOWN]
        if each.place and each.place != story.place
    ]
    steps.append((story.place, f"makes {naming.there(story)} by an operation ({node.name()}): it is not a leaf."))
    return leaves, steps


def to_optimize(case: Case, tensor: Tensor) -> Told:
    """Why an optimizer does not take a tensor, and what it takes."""
    name = case.name(tensor)
    leaves, steps = made_of(case, tensor)
    names = [case.naming.name(each) for each in leaves[:SHOWN] if each.place and case.naming.is_bound(each)]
    given = f"Give the optimizer the leaf that {name} was computed from: {', '.join(names)}." if names else ""
    return (
        f"{name} is not a leaf: an operation made it. An optimizer changes leaves, the tensors that keep their "
        "gradient in `.grad`.",
        [*steps, (case.here, "hands it to the optimizer.")],
        [
            *filter(None, [leaf_within(case, leaves, case.seen.story(tensor)) or given]),
            f"Or make a leaf of its numbers, {case.written(tensor, 'detach().requires_grad_()')}; give it a name, and "
            "compute the loss from that.",
        ],
    )


def leaves_of(node: Any) -> list[Tensor]:
    """The leaves below a node, in the order of the walk."""
    found: list[Tensor] = []
    waiting, seen = [node], {node}
    while waiting:
        for each, _ in waiting.pop(0).next_functions:
            if each is not None and each not in seen:
                seen.add(each)
                waiting.append(each)
                if hasattr(each, "variable"):
                    found.append(each.variable)
    return found
