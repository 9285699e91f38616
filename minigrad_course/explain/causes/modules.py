"""Parameters that no optimizer has: unregistered, made anew, or of another module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import torch

from minigrad_course.explain.causes.common import nn_prefix, parameter_last
from minigrad_course.explain.causes.ends import lost_on_the_way, unreached
from minigrad_course.explain.causes.in_place import storages
from minigrad_course.explain.findings import FALLS, Cause, Finding, Remedy, moves
from minigrad_course.explain.observing.observe import Event, Record
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import (
    Edit,
    after,
    atom,
    call_name,
    function_of,
    loop_of,
    move,
    put,
    replace,
    source,
    span,
)
from minigrad_course.explain.trials.trial import Promise


class NotHeld(Cause):
    """A parameter gets gradients, and no optimizer has it."""

    silent = True
    explained_by = frozenset({"SilentTypo", "Forgotten", "NoneRead"})

    def find(self, story: Story) -> Iterator[Finding]:
        lost, idle = self.lost(story)
        if not lost:
            return
        promise = moves([one.label for one in lost])
        for way in (self.plain_container, self.in_forward, self.plain_tensor, self.operation):
            result = way(story, lost, promise)
            if result is not None:
                yield result
                return
        if idle and lost_on_the_way(story, idle[0]) is not None:
            more = f" and {len(idle) - 1} more" if len(idle) > 1 else ""
            found_cut = [
                *unreached(self, story, idle[0], f"no pass reaches {story.say(idle[0])}{more}, which the optimizer has")
            ]
            if any(item.remedies for item in found_cut):
                yield from found_cut
                return
        yield from self.other_parameters(story, lost, idle, promise)

    def lost(self, story: Story) -> tuple[list[Record], list[Record]]:
        """(what gets gradients and is in no optimizer, what is in one and gets none)."""
        if not story.steps or not story.ok:
            return [], []
        roots = {one.n for event in story.ok for one in event.ins}
        idle = [story.bag[n] for n in story.held if n in story.bag and n not in story.reached]
        lost = [
            one for n, one in story.reached.items() if n not in story.held and one.leaf and one.req and n not in roots
        ]
        changed = {
            one.n
            for event in story.events
            if event.kind == "op"
            for one in event.changed
            if event.n > story.since.get(one.n, event.n)
        }
        lost = [one for one in lost if one.n not in changed or idle]
        # an input of which a gradient is asked is no parameter
        lost = [one for one in lost if one.param or (one.label and "." in one.label)]
        if not idle and not self.twins(
            story
        ):  # part of a model may be left as it is on purpose, as the critic in a generator's pass
            both = {story.module_of(story.bag[n]) for n in story.held if n in story.bag}
            lost = [
                one
                for one in lost
                if not one.label or story.module_of(one) in (None, *both) or self.trained_alone(story)
            ]
        return lost, idle

    def twins(self, story: Story) -> list[Event]:
        """Two optimizers that take steps with the same tensors: one of them was meant for others."""
        stepped = {event.info["optimizer"] for event in story.steps}
        some = [event for event in story.optimizers if event.info["optimizer"] in stepped and event.place]
        sets = [frozenset(one.n for one in event.ins) for event in some]
        return [event for event, held in zip(some, sets, strict=True) if sets.count(held) > 1]

    def trained_alone(self, story: Story) -> bool:
        """True if no optimizer changes what a pass reaches: nothing is trained at all."""
        return not any(n in story.held for n in story.reached)

    def plain_container(self, story: Story, lost: list[Record], promise: Promise) -> Finding | None:
        """Layers in a plain list or dict of a module."""
        for module in story.seen.modules.values():
            for inner in module.modules():
                for attribute, value in vars(inner).items():
                    each = (
                        value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
                    )
                    if attribute[:1] == "_" or not any(isinstance(one, torch.nn.Module) for one in each):
                        continue
                    line = assigned(story, attribute)
                    if line is None:
                        continue
                    word = "ModuleDict" if isinstance(value, dict) else "ModuleList"
                    says = [
                        f"`self.{attribute}` ({story.at(line)}) is a plain {type(value).__name__}, and a module does "
                        f"not look "
                        f"into one: its layers are no parameters of the module, so no step changes "
                        f"{story.listed(lost)}."
                    ]
                    text = f"{nn_prefix(story)}{word}({source(line.value)})"
                    return self.finding(says, [(f"make it a {word}", lambda: replace((line.value, text)), promise)])
        return None

    def plain_tensor(self, story: Story, lost: list[Record], promise: Promise) -> Finding | None:
        """An attribute of a module that is a tensor, and no Parameter."""
        for one in lost:
            for module in story.seen.modules.values():
                for inner in module.modules():
                    attribute = next((key for key, value in vars(inner).items() if value is one.now is not None), None)
                    line = assigned(story, attribute) if attribute is not None else None
                    if line is None:
                        continue
                    says = [
                        f"`self.{attribute}` ({story.at(line)}) is a plain tensor, not a Parameter: the module does "
                        f"not list it, "
                        f"and no step changes it."
                    ]
                    inside = re.sub(r",\s*requires_grad\s*=\s*True", "", source(line.value))
                    inside = re.sub(r"\.requires_grad_\(\)$", "", inside)
                    text = f"{nn_prefix(story)}Parameter({inside})"
                    return self.finding(says, [("make it a Parameter", lambda: replace((line.value, text)), promise)])
        return None

    def operation(self, story: Story, lost: list[Record], promise: Promise) -> Finding | None:
        """A Parameter that an operation turns into a plain tensor."""
        for line in story.all(ast.Assign):
            if not isinstance(line.targets[0], ast.Attribute) or "Parameter(" not in source(line.value):
                continue
            if isinstance(line.value, ast.Call) and call_name(line.value) == "Parameter":
                continue
            calls = [
                node for node in ast.walk(line.value) if isinstance(node, ast.Call) and call_name(node) == "Parameter"
            ]
            if not calls or isinstance(line.value, (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)):
                continue
            if isinstance(line.value, ast.Call) and source(line.value.func).endswith(("List", "Dict", "Sequential")):
                continue
            attribute = line.targets[0].attr
            says = [
                f"`self.{attribute}` ({story.at(line)}) is made of a Parameter by an operation: the result is a plain "
                f"tensor, "
                f"which the module does not list, and no step changes it."
            ]
            names = [f"{name}.{attribute}" for name in story.seen.modules if name != "self"]
            return self.finding(
                says, [("make the Parameter last", lambda: parameter_last(line, calls[0]), moves(names))]
            )
        return None

    def in_forward(self, story: Story, lost: list[Record], promise: Promise) -> Finding | None:
        """Parameters that forward() makes anew."""
        born: dict[tuple[object, ...], list[Record]] = {}
        for one in lost:
            event = one.made or one.first
            line = story.statement(event)
            function = function_of(line) if line is not None else None
            if event is not None and function is not None and function.name == "forward":
                born.setdefault((line.lineno, one.shape), []).append(one)
        again = next((some for some in born.values() if len(some) > 1), None)
        if again is None:
            return None
        line = story.statement(again[0].made or again[0].first)
        function = function_of(line)
        body = getattr(line.program.up.get(function), "body", [])
        init = next((item for item in body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
        call = next(
            (
                node
                for node in ast.walk(line)
                if isinstance(node, ast.Call) and re.fullmatch(r"((torch\.)?nn\.)?[A-Z]\w*", source(node.func))
            ),
            None,
        )
        remedies: list[Remedy] = []
        modules = [name for name in story.seen.modules if name != "self"]
        if init is not None and call is not None and call_name(call) == "Parameter" and isinstance(line, ast.Assign):
            attribute = source(line.targets[0])
            names = [f"{name}.{attribute[5:]}" for name in modules]
            remedies.append(
                (
                    "use a name of forward() only, and leave the Parameter alone",
                    lambda: renamed(function, line, call),
                    moves(names),
                )
            )
        elif init is not None and call is not None:
            given = {arg.arg for arg in function.args.args if arg.arg != "self"}
            free = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)} & given
            if not free:
                name, end = f"{call_name(call).lower()}_", init.body[-1]
                at = line.program.starts[end.end_lineno]
                new = " " * end.col_offset + f"self.{name} = {source(call)}\n"
                names = [f"{module}.{name}.weight" for module in modules]
                remedies.append(
                    (
                        "make the layer in __init__()",
                        lambda: put(line.program, (*span(call), f"self.{name}"), (at, at, new)),
                        {**moves(names), "loss": True},
                    )
                )
        what = f" (`{source(call)}`)" if call is not None else ""
        says = [
            f"{story.at(line)} makes new parameters each time forward() runs{what}: they start anew each time, and no "
            f"optimizer "
            f"has them."
        ]
        return self.finding(says, remedies)

    def other_parameters(
        self, story: Story, lost: list[Record], idle: list[Record], promise: Promise
    ) -> Iterator[Finding]:
        """The optimizer was made of other tensors, or before the module was."""
        first = lost[0]
        twins = self.twins(story)
        optimizer = next((event for event in story.optimizers if event.place), None)
        if optimizer is None:
            return
        if twins and not idle:
            says = [
                f"the optimizers of {story.at(twins[0])} and {story.at(twins[1])} have the same tensors, and "
                f"{story.listed(lost)}, which get{'s' if len(lost) == 1 else ''} gradients, "
                f"{'is' if len(lost) == 1 else 'are'} "
                f"in none."
            ]
            yield self.finding(says, self.untwin(story, first, twins, promise))
            return
        late = [one for one in lost if one.first is not None and one.first.n > optimizer.n and not story.module_of(one)]
        whole = {story.module_of(story.bag[n]) for n in story.held if n in story.bag}
        if not idle and not late and story.module_of(first) not in whole and not self.trained_alone(story):
            return
        many = len(lost) > 1
        says = [
            f"the optimizer of {story.at(optimizer)} has other tensors: {story.listed(lost)} "
            f"{'get' if many else 'gets'} gradients and {'are' if many else 'is'} not among those that it changes"
            + (f" ({len(idle)} of them {'get' if len(idle) > 1 else 'gets'} no gradient)." if idle else ".")
        ]
        yield self.finding(says, self.other_remedies(story, first, optimizer, promise), likely=not idle)

    def untwin(self, story: Story, first: Record, twins: list[Event], promise: Promise) -> Iterator[Remedy]:
        module = story.module_of(first)
        for event in twins:
            call = story.node(event)
            if module and isinstance(call, ast.Call) and call.args:
                yield (
                    f"give the one of {story.at(event)} the parameters of `{module}`",
                    lambda call=call: replace((call.args[0], f"{module}.parameters()")),
                    {**promise, "rises": True},
                )

    def other_remedies(self, story: Story, first: Record, optimizer: Event, promise: Promise) -> Iterator[Remedy]:
        pass_line = story.statement(story.ok[0])
        loop = loop_of(pass_line) if pass_line is not None else None
        line, call = story.statement(optimizer), story.node(optimizer)
        if loop is not None and line is not None and line.program is loop.program and line.lineno < loop.lineno:
            yield "make the optimizer just before the loop", lambda: move([line], loop), promise
        module = story.module_of(first)
        held = {story.module_of(story.bag[n]) for n in story.held if n in story.bag} - {None}
        if module and isinstance(call, ast.Call) and call.args and isinstance(loop, ast.stmt):
            new = f"{module}.parameters()"
            if source(call.args[0]) != new:
                yield f"give it the parameters of `{module}`", lambda: replace((call.args[0], new)), promise
            both = [name for name in held if name != module]
            if both and source(call.args[0]) == f"{both[0]}.parameters()":
                text = f"[*{both[0]}.parameters(), *{new}]"
                yield f"give it the parameters of `{module}` too", lambda: replace((call.args[0], text)), promise
            if loop is not None and line is not None and line.program is loop.program:

                def both_edits() -> Edit | None:
                    moved = move([line], loop)
                    if moved is None:
                        return None
                    text = source(call)
                    return Edit(moved.path, moved.text.replace(text, text.replace(source(call.args[0]), new)))

                yield f"make it just before the loop, of the parameters of `{module}`", both_edits, promise


def assigned(story: Story, attribute: str) -> ast.Assign | None:
    """The line that assigns to `self.attribute`."""
    return next(
        (
            line
            for line in story.all(ast.Assign)
            if isinstance(line.targets[0], ast.Attribute) and line.targets[0].attr == attribute
        ),
        None,
    )


def renamed(function: ast.FunctionDef, line: ast.stmt, call: ast.Call) -> Edit:
    """forward() with a name of its own in place of an attribute."""
    attribute = source(line.targets[0])
    short = attribute.replace("self.", "") + "_now"
    changes = [(*span(line.targets[0]), short), (*span(call), source(call.args[0]))]
    changes += [
        (*span(node), short)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and source(node) == attribute and node.lineno > line.lineno
    ]
    return put(line.program, *changes)


class Forgotten(Cause):
    """Two optimizers under one name: the first one's tensors are never changed."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        if not story.steps:
            return
        stepped = {event.info["optimizer"] for event in story.steps}
        for event in story.optimizers:
            if event.info["optimizer"] in stepped or not event.place:
                continue
            line = story.statement(event)
            name = source(line.targets[0]) if isinstance(line, ast.Assign) else ""
            lost = [one for one in event.ins if one.n in story.reached and not story.moved(one)]
            if not lost or not name:
                continue
            later = next(
                (
                    optimizer
                    for optimizer in story.optimizers
                    if optimizer.n > event.n
                    and optimizer.place
                    and optimizer.info["optimizer"] in stepped
                    and same_name(story, optimizer, name)
                ),
                None,
            )
            promise = moves([one.label for one in lost])
            if later is None:
                says = [
                    f"`{name}` ({story.at(event)}) takes no step: its `step()` is never called, so "
                    f"{story.listed(lost)} "
                    f"{'stays as it is' if len(lost) == 1 else 'stay as they are'}."
                ]
                step = story.statement(story.steps[-1])

                yield self.finding(says, [("take its steps too", lambda: after(step, f"{name}.step()"), promise)])
                continue
            says = [
                f"{story.at(later)} gives `{name}` to another optimizer; the one of {story.at(event)} takes no step, "
                f"so "
                f"{story.listed(lost)} {'stays as it is' if len(lost) == 1 else 'stay as they are'}."
            ]
            yield self.finding(says, self.joined(story, event, later, promise))

    def joined(self, story: Story, event: Event, later: Event, promise: Promise) -> Iterator[Remedy]:
        one, two = story.node(event), story.node(later)
        if isinstance(one, ast.Call) and isinstance(two, ast.Call) and one.args and two.args:
            text = f"[*{plain_list(one.args[0])}, *{plain_list(two.args[0])}]"
            yield "one optimizer for both", lambda: replace((two.args[0], text)), promise


def plain_list(node: ast.AST) -> str:
    """`list(x)` as `x`, for a star."""
    if isinstance(node, ast.Call) and call_name(node) == "list" and node.args:
        return source(node.args[0])
    return atom(node)


def same_name(story: Story, event: Event, name: str) -> bool:
    """True if an optimizer is assigned to a name."""
    line = story.statement(event)
    return isinstance(line, ast.Assign) and source(line.targets[0]) == name


class Remade(Cause):
    """A model is made anew in each turn."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        if len(story.ok) < 2 or not story.steps:
            return
        born: dict[tuple[str, int, tuple[int, ...]], set[int]] = {}
        for n in story.held:
            one = story.bag.get(n)
            event = (one.made or one.first) if one is not None else None
            if one is not None and event is not None and event.place:
                born.setdefault((event.place.path, event.line, one.shape), set()).add(n)
        pass_line = story.statement(story.ok[0])
        loop = loop_of(pass_line) if pass_line is not None else None
        for (path, number, _), some in born.items():
            line = story.programs[path].stmt_line(number)
            if len(some) < 2 or loop is None or line is None or line.program is not loop.program:
                continue
            if not loop.lineno < number <= loop.end_lineno or isinstance(line, (ast.For, ast.While)):
                continue
            made = next(
                (event for event in story.optimizers if event.place and loop.lineno < event.line <= loop.end_lineno),
                None,
            )
            lines = [line] + ([story.statement(made)] if made is not None else [])
            says = [
                f"{story.at(line)} makes its parameters anew in each turn of the loop, so what a step changes is "
                f"thrown away."
            ]
            remedies: list[Remedy] = [("make it before the loop", lambda: move(lines, loop), {**FALLS})]
            yield self.finding(says, remedies, only_with_advice=True)
            return


class Statistics(Cause):
    """Batch norm in eval mode, whose running statistics were changed between the forward and the pass."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for event in story.ok:
            for made in event.info.get("stale", ())[:1]:
                where = storages([one for one in made.ins if not one.req])
                between = [item for item in story.events if made.n < item.n < event.n and item.info.get("updates")]
                change = next(
                    (item for item in reversed(between) if where & storages([o for o in item.ins if not o.req])), None
                )
                if change is None or change.place is None or made.place is None:
                    continue
                says = [
                    f"{story.at(made)} (`{story.source(made)}`) is a batch norm in eval mode. Its derivative reads the "
                    f"running mean and variance when the pass comes, and {story.at(change)} "
                    f"(`{story.source(change)}`) has changed them before the pass on {story.at(event)}: the gradient "
                    f"is that of the new numbers, and torch does not notice."
                ]
                yield self.finding(says, self.remedies(story, event, change))
                return

    def remedies(self, story: Story, event: Event, change: Event) -> Iterator[Remedy]:
        asks, line = story.statement(event), story.statement(change)
        if asks is None or line is None or loop_of(asks) is not loop_of(line):
            return
        first = next(statement for statement in line.program.statements if statement.lineno == line.lineno)
        promise: Promise = {"kind": "statistics"}
        yield "start the pass before they are changed", lambda: move([asks], first), promise
