"""What a program that ended well did: its backward passes, and its leaves with their gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np

from minigrad.course.case import Case, width, wrapped
from minigrad.course.cuts import cut_before
from minigrad.course.naming import counted, dotted, inside, parts_of_object, shortened
from minigrad.course.rewrites import selected_first
from minigrad.course.stories import LOSSES, First, not_finite
from minigrad.nn import Module
from minigrad.optim import Optimizer
from minigrad.tensor import Tensor

LONG = 60  # characters of a gradient that are shown
SHOWN = 4  # leaves that are named together
ADDED = (
    "{} passes{} have added to the .grad of {}, and nothing cleared it in between. For the gradient of one pass alone, "
    "call `zero_grad()`, or set `.grad = None`, before each backward()."
)
NOT_EACH = (
    "{} passes{} have added to the .grad of {}, and nothing cleared it in between: `{}` on {} does not run before "
    "each backward()."
)
CLEARS_OTHERS = (
    "{} passes{} have added to the .grad of {}, and nothing cleared it in between: `{}` on {} ran for other "
    "tensors only."
)
TOGETHER = (
    "{} passes{} have added to the .grad of {} since `{}` on {}. No step has used the gradient of a pass twice: that "
    "is right if these passes belong together."
)
SINCE_STEP = (
    "{} passes{} have added to what is in the .grad of {} now. No step has used that sum: each `step()` found the "
    "gradient of one pass."
)
NOT_HELD = (
    "No optimizer has {}: passes add to .grad there, and no step changes the numbers. To train them as well, hand over "
    "`{}.parameters()`; else freeze them with `requires_grad_(False)`."
)
ORPHAN = (
    "`{0}` has tensors that no name leads to any more, and none of `{1}`: its steps change nothing there. Make the "
    "optimizer after `{1}`, of `{1}.parameters()`."
)
SPREAD = (
    "{}, `{}`, takes {}, of shape {}, and {}, of shape {}: each entry of the one meets each of the other, and the "
    "result is of shape {}. If they belong together pair by pair, give both one shape: `.squeeze(1)` of the first has "
    "it."
)
IDLE: dict[tuple[str, ...], str] = {  # by the order in which a program calls them
    ("backward", "zero_grad", "step"): (
        "{Clear} calls `{0}` after backward() and before `{1}` on {step}: the step finds no "
        "gradient, and changes nothing. Clear before backward(), or after the step."
    ),
    ("zero_grad", "step", "backward"): (
        "{Step} calls `{1}` after `{0}` on {clear} and before backward() on {ask}: the step finds no gradient, and "
        "changes nothing. Call it after backward()."
    ),
    ("step", "backward", "zero_grad"): (
        "{Step} calls `{1}` before backward() on {ask}, and `{0}` on {clear} "
        "clears what that brings: the step finds no gradient, and changes nothing. Call it between the two."
    ),
}
SOFTENED = (
    "{0} gives {1} to {2}, which takes the {3} itself: of probabilities it is taken a second time. Hand over the "
    "scores, without the {3}."
)
LOGARITHMS = (
    "{0} gives {1} to {2}, which takes logarithms of probabilities. Write `log_{3}` in place of `{3}`, or hand over "
    "the scores to `cross_entropy`."
)
NAMES = ("backward", "zero_grad", "step")
NO_GRADIENT = "{} calls `{}`, and no tensor of its optimizer has a gradient then: the step changes nothing."
NO_STEP = "{} took no step: its `step()` was never called, so it has changed nothing. Call it after {}."
HIDDEN = (
    "`{0}` is a plain KIND, and a module does not look into one: `{1}.parameters()` leaves out the {2} in it, so an "
    "optimizer that is made with them does not train what is there. Make it an `NEW`."
)
TENSOR = (
    "`{0}` is a plain tensor: `{1}.parameters()` leaves it out, so an optimizer that is made with them does not train "
    "it. Make it an `nn.Parameter`."
)
BROKEN = (
    "{0} {1}. A pass that started from finite numbers made the first {2} on {3}: the derivative of `{4}` ({5}). {6}"
)
MASKED = (
    "The gradient that reaches it there is 0, but the pass multiplies it by the slope, and 0 times inf is nan. Put a "
    "safe number into the operation first{}."
)
UNSAFE = "Keep what goes into it away from where its slope is infinite: add a small number, or use `clamp(min=1e-6)`."
NAN = "{0} {1}. The first nan was made on {2}, `{3}`, of numbers that were not nan: print its inputs."
INF = "{0} {1}. {4}, {2}, `{3}`, made inf of finite numbers. {5}"
GROWS = "If the loss grows from step to step, try a smaller learning rate."
LOG = "The logarithm of 0 is -inf: keep what goes into it above 0, as with `clamp(min=1e-6)`."
LOG_SOFTMAX = (
    "The logarithm of 0 is -inf. `log_softmax`, or `cross_entropy` of the scores, takes both in one without it."
)
EXP = "Above 88, `exp` of a float32 is inf: subtract the largest first, as `softmax` and `logsumexp` do."
DIVISION = "A division by 0 makes inf: add a small number below the line."
PRINT = "Print its inputs."
FLAT = (
    "The last pass brought nothing but zeros to {}: on each way from there to the loss a slope or a factor is 0, as "
    "the slope of a relu whose inputs are all negative; or what comes on several ways cancels."
)
CUTS = "Here a graph ends, and a pass goes no further back: {}."
NOT_CALLED = "{}, `{}`, only names the method. With brackets, `{}()`, it is called."
NOTHING = "No error, and no backward pass: nothing asked for a gradient."


def account(case: Case, namespace: dict[str, Any], ended: bool = True) -> str:
    """What a program without an error did, or did until it was interrupted: how many passes, and the leaves with their
    gradients.
    """
    passes = len(case.seen.passes)
    namespace = {**case.seen.inside, **namespace}
    so_far = f"{'No error' if ended else 'So far'}: {counted(passes, 'backward pass', 'backward passes')}."
    lines = [so_far if passes or not ended else NOTHING]
    sums: dict[Any, list[str]] = {}
    idle = not_held(case, namespace)
    flat: dict[str, bool] = {}
    clearing = calls(case, {"zero_grad"})[-1:]
    # by where a graph ends: what to do, if numbers were taken out; a detach() or no_grad() may be what is wanted
    cleared, ends, taken = False, dict[str, list[str]](), {place for place, _ in case.seen.numbers}
    for name, tensor in leaves(namespace):
        told = f"`{name}`, shape {list(tensor.shape)}" if tensor.ndim else f"`{name}`"
        grad, known = tensor._grad, case.seen.leaf(tensor)
        if (added := case.seen.sum_of(tensor)) > 1 and id(tensor) not in {
            key for each in idle.values() for key in each
        }:
            fair = (
                SINCE_STEP if known.used == 1 else TOGETHER if known.cleared and known.used and not known.again else ""
            )
            sums.setdefault((added, fair, max(known.cleared, default=None)), []).append(f"`{name}`")
        if case.seen.was_reached(tensor):
            flat[f"`{name}`"] = known.flat
        if grad is not None:
            value = " ".join(str(grad).split())
            size = float(np.abs(grad._array).max(initial=0))
            largest = f"filled; the largest entry is {size:.3g} in size" if size else "filled with zeros"
            lines.append(f"  {told}: .grad is {value if len(value) < LONG else largest}.")
        elif case.seen.was_reached(tensor):
            cleared = True
            lines.append(f"  {told}: .grad is None again; a pass had filled it.")
        else:
            if passes and (lost := cut_before(case, case.seen.story(tensor))) and lost[1]:
                where = f"line {lost[1].line}, `{case.sources.said(case.sources.expression(lost[1]))}`"
                ends[where] = lost[4][:1] if lost[1] in taken else []
            lines.append(f"  {told}: .grad is None{', no pass has reached it' if passes else ''}.")
    orphans = orphaned(namespace)
    unheld = [
        ORPHAN.format(orphans[0], module) if orphans else NOT_HELD.format(listed([*names.values()]), module)
        for module, names in idle.items()
    ]
    for said in [*unregistered(namespace), *unheld]:  # first, as the cause of much of what follows
        lines += wrapped(said, width())
    for (added, fair, cleared_at), names in sums.items():
        which, lines_of = listed(names), {case.sources.at(each.place) for each in case.seen.passes if each.place}
        of_line = f" of {lines_of.pop()}" if len(lines_of) == 1 else ""
        said = fair or (NOT_EACH if cleared_at else CLEARS_OTHERS if case.seen.clears else ADDED)
        file, line = cleared_at or max(case.seen.clears, default=("", 0))
        call = next(
            (ast.unparse(each) for each in calls(case, {"zero_grad"}, [file]) if each.lineno == line), "zero_grad()"
        )
        lines += wrapped(said.format(added, of_line, which, call, case.sources.at_line(file, line)), width())
    for said in [*not_called(case), *idle_steps(case, cleared), *(no_step(case) if passes or clearing else [])]:
        lines += wrapped(said, width())
    if zeros := [name for name, zero in flat.items() if zero]:
        lines += wrapped(FLAT.format(listed(zeros)), width())
    for said in [*spread(case), *softened(case), *strays(case, namespace)]:
        lines += wrapped(said, width())
    if ends:
        to_do = [said for advice in ends.values() for said in advice] if len(ends) == 1 else []
        lines += wrapped(" ".join([CUTS.format("; ".join([*ends][:SHOWN])), *to_do]), width())
    return "\n".join(lines) + "\n"


def listed(names: list[str]) -> str:
    """Some names, of many only the first."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")


def strays(case: Case, namespace: dict[str, Any]) -> Iterator[str]:
    """Which line made the first nan or inf, if leaves or their gradients hold them at the end."""
    wild: dict[str, str] = {}
    for name, tensor in leaves(namespace):
        if what := not_finite(tensor._grad):
            wild[f"The .grad of `{name}`"] = what
        elif what := not_finite(tensor):
            wild[f"`{name}`"] = what
    if not wild:
        return
    seen, what = case.seen, max(wild.values())
    names = listed([*wild]).replace(", The .grad of", ",").replace(" and The .grad of", " and")
    holds = f"hold{'s' if len(wild) == 1 or names.startswith('The') else ''} {what}"
    if seen.broken is not None and (place := seen.broken.place):
        expression = case.sources.expression(place)
        safe = selected_first(case, place)
        to_do = MASKED.format(f": `{safe}`" if safe else "") if seen.broken.masked else UNSAFE
        said = shortened(expression) if expression else case.sources.line(place)
        yield BROKEN.format(names, holds, seen.broken.what, case.sources.at(place), said, seen.broken.label, to_do)
    elif seen.broken is None and seen.first:
        nan, inf = seen.first.get("nan"), seen.first.get("inf")
        said, first = (NAN, nan) if nan and not (inf and nan.of == "inf") else (INF, inf)
        if first and (place := first.place):
            turn = f"After {first.after} of {len(seen.passes)} passes" if first.after else "Before the first pass"
            advice = against_inf(case, first)
            yield said.format(names, holds, case.sources.at(place), case.sources.line(place), turn, advice)


def against_inf(case: Case, first: First) -> str:
    """What to do about the first inf."""
    if first.operation.startswith("Log"):
        softmax = any("softmax" in text for text in case.sources.texts.values())
        return LOG_SOFTMAX if softmax else LOG
    if first.after:
        return GROWS
    return {"Exp": EXP, "Div": DIVISION, "Reciprocal": DIVISION}.get(first.operation, PRINT)


def not_held(case: Case, namespace: dict[str, Any]) -> dict[str, dict[int, str]]:
    """By the name of a module: what passes reach in it and no optimizer has, by id, if there are optimizers."""
    found: dict[str, dict[int, str]] = {}
    modules = {name: each for name, each in namespace.items() if isinstance(each, Module) and not name.startswith("_")}
    told: set[int] = set()
    for name, module in modules.items() if any(each.held for each in case.seen.leaves.values()) else ():
        for full, each in module.named_parameters():
            if case.seen.was_reached(each) and not case.seen.leaf(each).held and id(each) not in told:
                found.setdefault(name, {})[id(each)] = f"`{name}.{full}`"
        told |= {id(each) for each in module.parameters()}
    return found


def orphaned(namespace: dict[str, Any]) -> list[str]:
    """The optimizers all of whose tensors are out of reach, as those of a module that was made anew."""
    known = {id(tensor) for _, tensor in leaves(namespace)}
    optimizers = ((name, {name: each}) for name, each in namespace.items() if isinstance(each, Optimizer))
    return [name for name, alone in optimizers if not known & held_by_optimizers(alone)]


def spread(case: Case) -> Iterator[str]:
    """A sentence for the first column that met a row, element by element."""
    place, pair = case.seen.spread or (None, [])
    if place and case.seen.passes:
        expression = case.sources.expression(place)
        said = shortened(expression) if expression else case.sources.line(place)
        names, count = [case.naming.name(each) for each in pair], pair[0].shape[0]
        yield SPREAD.format(
            case.sources.at(place, "Line"), said, names[0], [count, 1], names[1], [count], [count, count]
        )


def softened(case: Case) -> Iterator[str]:
    """A sentence for the first loss that was given probabilities, and takes something else."""
    place, loss, soft = case.seen.softened or (None, "", None)
    if place and soft and case.seen.passes:
        said = LOGARITHMS if loss == "nll_loss" else SOFTENED
        yield said.format(case.sources.at(place, "Line"), case.naming.name(soft), loss, LOSSES[loss])


def leaves(namespace: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The leaves that require grad: among the names of a program and in its modules, then in what else it has."""
    told: set[int] = set()
    for others in (False, True):
        for name, value in [*namespace.items()]:
            found: Iterable[tuple[str, Any]] = [(name, value)] if isinstance(value, Tensor) else []
            if isinstance(value, Module) or (others and not isinstance(value, Optimizer)):
                found = inside(name, value) if not name.startswith("_") else []
            for full, each in found:
                if is_trainable(each) and id(each) not in told and not full.startswith("_"):
                    told.add(id(each))
                    yield full, each


def is_trainable(tensor: Tensor) -> bool:
    """True for a leaf that requires grad."""
    return bool(tensor.requires_grad and tensor.is_leaf)


def unregistered(namespace: dict[str, Any]) -> Iterator[str]:
    """A sentence for each attribute of a module with leaves that `parameters()` leaves out, and no optimizer has."""
    modules = {name: each for name, each in namespace.items() if isinstance(each, Module) and not name.startswith("_")}
    known = {id(each) for module in modules.values() for each in module.parameters()} | held_by_optimizers(namespace)
    for name, module in modules.items():
        for inner, layer in module.named_modules():
            for full, value in parts_of_object(dotted(name, inner), layer):
                found = [value] if isinstance(value, Tensor) else [each for _, each in inside(full, value)]
                left = {id(each) for each in found if is_trainable(each)} - known
                if left and isinstance(value, (list, tuple, dict, Tensor)):
                    known |= left
                    yield said_of(value).format(full, name, counted(len(left), "tensor"))


def held_by_optimizers(namespace: dict[str, Any]) -> set[int]:
    """The ids of the tensors that the optimizers of a program change."""
    groups = [group for each in namespace.values() if isinstance(each, Optimizer) for group in each.param_groups]
    return {id(one) for group in groups for one in group["params"]}


def said_of(value: Any) -> str:
    """What to say of an attribute that a module does not register, by its kind."""
    if isinstance(value, Tensor):
        return TENSOR
    entries = [*value.values()] if isinstance(value, dict) else [*value]
    kind = "Dict" if isinstance(value, dict) else "List"
    layers = "Parameter" if any(isinstance(each, Tensor) for each in entries) else "Module"
    return HIDDEN.replace("KIND", type(value).__name__).replace("NEW", f"nn.{layers}{kind}")


def calls(case: Case, names: Set[str], files: Iterable[str] = ()) -> list[ast.Call]:
    """The calls of methods and functions with these names in some files of the program (default: all), from the top."""
    nodes = [node for file in files or case.sources.texts for node in case.sources.nodes(file)]
    found = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    ]
    return sorted(found, key=lambda each: each.lineno)


def not_called(case: Case) -> Iterator[str]:
    """A sentence for each line that is the name of a method, without brackets."""
    for file in case.sources.texts:
        for each in case.sources.nodes(file):
            named = each.value if isinstance(each, ast.Expr) else None
            if isinstance(named, ast.Attribute) and named.attr in (*NAMES, "retain_grad", "requires_grad_"):
                name = case.sources.said(named)
                yield NOT_CALLED.format(case.sources.at_line(file, named.lineno, "Line"), name, name)


def idle_steps(case: Case, cleared: bool) -> Iterator[str]:
    """A sentence for each step that never found a gradient; by the order of the calls alone, if no step was seen."""
    steps = case.seen.steps
    idle = {key: place for key, (place, found) in steps.items() if not found}
    for file in dict.fromkeys([*case.sources.texts, *(file for file, _ in idle)]):
        turn = calls(case, set(NAMES), [file])
        for each in zip(turn, turn[1:], turn[2:], strict=False):
            order = tuple(getattr(call.func, "attr", "") for call in each)
            ask, clear, step = (each[order.index(name)] if name in order else each[0] for name in NAMES)
            known = order in IDLE and (file, step.lineno) in idle
            if known or (order == NAMES and cleared and not steps):
                idle.pop((file, step.lineno), None)
                lines = {"ask": ask.lineno, "clear": clear.lineno, "step": step.lineno}
                at = {name: case.sources.at_line(file, line) for name, line in lines.items()}
                at |= {name.title(): case.sources.at_line(file, line, "Line") for name, line in lines.items()}
                yield IDLE[order].format(ast.unparse(clear), ast.unparse(step), **at)
    for place in idle.values():
        said = NO_GRADIENT.format(case.sources.at(place, "Line"), case.sources.said(case.sources.expression(place)))
        yield said if case.seen.passes else f"{said} Call backward() on the loss before it."


def no_step(case: Case) -> Iterator[str]:
    """A sentence for each optimizer that was made and never took a step."""
    asked = [each.place for each in case.seen.passes if each.place]
    for place in dict.fromkeys(case.seen.idle.values()):
        below = [case.sources.at(each) for each in asked if each.code is place.code and each.line > place.line]
        after = f"backward() on {below[0]}" if below else "backward() on the loss"
        name = case.sources.target(place)
        made = f"`{name}` of {case.sources.at(place)}" if name else f"The optimizer of {case.sources.at(place)}"
        yield NO_STEP.format(made, after)
