"""Changes in place that a pass, a leaf or a view does not allow."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from typing import Any

from minigrad_course.explain.causes.common import OPERATORS, detach_line, no_grad_around
from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy, grad
from minigrad_course.explain.observing.observe import Event, Record, version
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import (
    Edit,
    before,
    behind,
    call_name,
    exact_source,
    loop_of,
    move,
    names_in,
    put,
    replace,
    source,
    span,
    targets_of,
    under,
    without_keyword,
)
from minigrad_course.explain.trials.trial import Promise


def storages(some: list[Record]) -> set[int]:
    """Where the numbers of some tensors lie."""
    results = set()
    for one in some:
        tensor = one.now if one.now is not None else one.ref()
        if tensor is not None:
            with contextlib.suppress(RuntimeError, NotImplementedError):
                results.add(tensor.untyped_storage().data_ptr())
    return results


def new_tensor(line: ast.stmt) -> str:
    """`x += y` as `x = x + y`."""
    target, value = source(line.target), source(line.value)
    if isinstance(line.value, (ast.BinOp, ast.IfExp, ast.Compare)):
        value = f"({value})"
    return f"{target} = {target} {OPERATORS.get(type(line.op), '+')} {value}"


class ChangedInPlace(Cause):
    """One of the variables needed for gradient computation has been modified by an inplace operation."""

    def find(self, story: Story) -> Iterator[Finding]:
        failed = story.seen.failed
        if "modified by an inplace operation" not in story.message or failed is None:
            return
        event, says, remedies, told = failed[0], list[str](), list[Remedy](), set()
        for _, node, made in story.sick("changed")[:4]:
            if made is None or made.event.place is None:
                continue
            result = self.change(story, made.event, event)
            if result is None:
                continue
            change, one = result
            if (made.event.line, change.line) in told:
                continue
            told.add((made.event.line, change.line))
            kind = type(node).__name__
            kept, at = story.say(one), story.at(made.event)
            if change is made.event:
                says.append(
                    f"{at} (`{story.source(change)}`) makes and keeps a tensor for the pass ({kind}), and changes it "
                    f"in place "
                    f"in the same call; the pass on {story.at(event)} needs it as it was."
                )
            elif story.node(change) is story.node(made.event) is not None:
                which = "its result" if one in made.event.outs else "its input"
                says.append(
                    f"{at} (`{story.source(change)}`) runs several operations: {made.event.name} keeps {which} for "
                    f"the pass ({kind}), and {change.name} changes it in place; the pass on {story.at(event)} needs "
                    f"it as it was."
                )
            else:
                changed = "changes it in place"
                if one not in change.changed:
                    changed = "changes memory that it shares, and torch counts changes of all of it"
                says.append(
                    f"{at} (`{story.source(made.event)}`, {kind}) keeps {kept}; {story.at(change)} "
                    f"(`{story.source(change)}`) {changed}; the pass on {story.at(event)} needs it as it was."
                )
            remedies += self.remedies(story, made.event, change, one, event)
        sick = [made.event for _, _, made in story.sick("changed") if made is not None and made.event.place is not None]
        if not says and sick:
            says = [
                f"{story.at(sick[0])} (`{story.source(sick[0])}`) keeps a tensor that was changed in place before the "
                f"pass on "
                f"{story.at(event)}; which line changed it was not seen."
            ]
        if says:
            yield self.finding(says[:2], remedies)

    def change(self, story: Story, made: Event, asks: Event) -> tuple[Event, Record] | None:
        """(the event that changed it, the tensor) for what an event has kept."""
        olds = dict(zip([one.n for one in made.ins], made.versions, strict=False))
        given = [*made.ins, *made.outs]
        kept = [
            one
            for one in given
            if one.now is not None
            and version(one.now) != olds.get(one.n, 0 if one in made.outs else version(one.now))
            and (one.req or one.dtype.is_floating_point)
        ]
        same = [
            event
            for event in story.events
            if made.n < event.n < asks.n and any(one in given for one in event.changed) and not kept
        ]
        if same:  # the tensor itself is gone, and was one of these
            return same[0], next(one for one in same[0].changed if one in given)
        where = storages(kept)
        later = [
            event
            for event in story.events
            if made.n < event.n < asks.n and event.changed and where & storages(list(event.changed))
        ]
        if not later:
            later = [
                event
                for event in story.events
                if made.n <= event.n < asks.n
                and event.changed
                and (where & storages(list(event.changed)) or (event.line == made.line and not kept))
            ]
        if not later:
            return None
        change = later[0]
        one = next((one for one in kept if storages([one]) & storages(list(change.changed))), None)
        if one is None:  # it is gone: perhaps it was a part of what was changed
            parts = (item for item in made.ins if item.made is not None and {*item.made.ins} & {*change.changed})
            one = next(parts, change.changed[0])
        return change, one

    def remedies(self, story: Story, made: Event, change: Event, one: Record, asks: Event) -> Iterator[Remedy]:
        node, line = story.node(change), story.statement(change)
        keeps, pass_line = story.statement(made), story.statement(asks)
        if line is None or change.place is None:
            return
        if change.kind == "step":
            yield from self.after_step(story, keeps, line, pass_line)
        update = no_grad_around(story, line) is not None
        if update and keeps is not None and keeps.program is line.program and keeps.lineno < line.lineno:
            yield from self.after_step(story, keeps, line, pass_line)
        if isinstance(line, ast.AugAssign) and change.place.direct and not update:
            if isinstance(line.target, ast.Subscript):
                base = source(line.target.value)
                yield "change a copy", lambda: before(line, f"{base} = {base}.clone()"), RUNS
            else:
                yield "make a new tensor", lambda: replace((line, new_tensor(line))), RUNS
        elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Subscript):
            base = source(line.targets[0].value)
            yield "change a copy", lambda: before(line, f"{base} = {base}.clone()"), RUNS
        if isinstance(node, ast.Call) and call_name(node).endswith("_") and isinstance(node.func, ast.Attribute):
            yield from self.underscore(node, line)
        for call in story.calls_with_inplace():
            yield f"no inplace=True on {story.at(call)}", lambda call=call: without_keyword(call, "inplace"), RUNS
        argument = story.argument(made, one)
        if change.kind == "step" or update:  # a copy would keep the old numbers, and give gradients of another model
            yield from self.carried(story, asks)
            return
        if argument is not None:
            yield f"keep a copy on {story.at(made)}", lambda: behind(argument, ".clone()"), RUNS
        for inner in ast.walk(keeps) if keeps is not None else ():
            if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Load) and one.label:
                base = source(inner.value)
                if base == one.label or inner in (argument,):
                    yield f"read a copy on {story.at(keeps)}", lambda inner=inner: behind(inner, ".clone()"), RUNS
        if one.made is made and isinstance(story.node(made), ast.expr):
            yield f"change a copy of what {story.at(made)} makes", lambda: behind(story.node(made), ".clone()"), RUNS
        if not change.place.direct and keeps is not None and keeps.program is line.program:
            yield "use it after it is changed", lambda: move([keeps], line, below=True), RUNS

    def after_step(self, story: Story, keeps: ast.AST, line: ast.stmt, asks: ast.AST) -> Iterator[Remedy]:
        """What the step changes is used after it."""
        if asks is None or keeps is None:
            return
        yield "take the step after the pass", lambda: move([line], asks, below=True), RUNS
        yield "compute it after the step", lambda: move([keeps], line, below=True), RUNS
        chain = [
            item
            for item in story.all(ast.Assign)
            if item.program is keeps.program
            and keeps.lineno <= item.lineno < line.lineno
            and "backward" not in source(item)
        ]
        need, some = names_in(asks), list[str]()
        for item in reversed(chain):
            if {one.id for target in targets_of(item) for one in ast.walk(target) if isinstance(one, ast.Name)} & need:
                some.insert(0, item)
                need |= names_in(item)
        if some:
            yield "compute that loss after the step", lambda: move(some, asks), RUNS
            texts = [source(item) for item in some]
            yield "compute it again after the step", lambda: before(asks, *texts), RUNS

    def carried(self, story: Story, asks: Event) -> Iterator[Remedy]:
        """A state that goes through steps, with a graph that is kept: it is detached, so no graph is kept."""
        call, line = story.pass_call(asks), story.statement(asks)
        loop = loop_of(line) if line is not None else None
        word = (
            next((keyword for keyword in call.keywords if keyword.arg == "retain_graph"), None)
            if call is not None
            else None
        )
        if word is None or loop is None:
            return
        values = {name: value for frame in story.frames for name, value in frame.items()}
        for item in story.all(ast.Assign):
            target = item.targets[0]
            if (
                not isinstance(target, ast.Name)
                or target.id not in names_in(item.value)
                or item.program is not line.program
            ):
                continue
            if not loop.lineno < item.lineno <= loop.end_lineno:
                continue

            def both(item: ast.stmt = item, name: str = target.id) -> Edit:
                text = " " * item.col_offset + detach_line(name, values.get(name)) + "\n"
                start = item.program.starts[item.lineno - 1]
                begin, end = span(word)
                return put(item.program, (start, start, text), (begin, end, ""))

            yield f"detach `{target.id}` at the start of the turn, and free the graph", both, RUNS

    def underscore(self, node: ast.AST, line: ast.stmt) -> Iterator[Remedy]:
        """`x.mul_(2)` as `x = x.mul(2)`."""
        program = node.program
        rest = program.raw[span(node.func)[1] : span(node)[1]].decode()
        whole = f"{exact_source(node.func.value)}.{call_name(node)[:-1]}{rest}"
        around = program.up[node]
        if isinstance(around, ast.Expr) and isinstance(node.func.value, (ast.Name, ast.Attribute)):
            yield "make a new tensor", lambda: replace((node, f"{source(node.func.value)} = {whole}")), RUNS
        if not isinstance(around, ast.Expr):
            yield "make a new tensor", lambda: replace((node, whole)), RUNS
        value = node.func.value
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            base = value.value.id
            yield "change a copy", lambda: before(line, f"{base} = {base}.clone()"), RUNS


class LeafInPlace(Cause):
    """A leaf that requires grad is changed in place while it is recorded."""

    def find(self, story: Story) -> Iterator[Finding]:
        if not re.search(r"leaf variable.*in-?place", story.message, re.I | re.S):
            return
        event = next((event for event in reversed(story.events) if event.error is not None), None)
        if event is None or not event.place or not event.ins:
            return
        one, line = event.ins[0], story.statement(event)
        base = one
        while base.made is not None and not base.leaf and base.made.ins:
            base = base.made.ins[0]
        a_view = f", a view of the leaf {story.say(base)}" if base is not one and base.leaf else ""
        says = [
            f"{story.at(event)} changes {story.say(one)} in place{a_view}. "
            f"{'The' if a_view else 'It is a'} leaf {'that ' if not a_view else ''}requires grad: a change "
            f"that is recorded would make it the result of an operation, and no leaf any more."
        ]
        remedies: list[Remedy] = []
        target = line.targets[0] if isinstance(line, ast.Assign) else None
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            name = source(target.value)
            remedies.append(("change a copy", lambda: before(line, f"{name} = {name}.clone()"), grad()))
        if isinstance(line, ast.AugAssign) and ".grad" not in source(line):
            remedies.append(("make a new tensor", lambda: replace((line, new_tensor(line))), grad()))
        promise: Promise = {**RUNS, "further": True}
        remedies.append(("write it without recording", lambda: under([line], "with torch.no_grad():"), promise))
        yield self.finding(says, remedies)


class HookedView(Cause):
    """A view that may not be changed, as what a module with a full backward hook returns."""

    def find(self, story: Story) -> Iterator[Finding]:
        if (
            "BackwardHookFunction" not in story.message
            and "is a view and is being modified inplace" not in story.message
        ):
            return
        hook = "BackwardHook" in story.message
        what = "what a module with a full backward hook returns: a view made for the hook" if hook else "a view"
        says = [f"{story.at_error()} changes in place {what}{'' if hook else ', which may not be changed'}."]
        line, remedies = story.error_statement(), list[Remedy]()
        for call in story.calls_with_inplace():
            remedies.append(
                (f"no inplace=True on {story.at(call)}", lambda call=call: without_keyword(call, "inplace"), RUNS)
            )
        if isinstance(line, ast.AugAssign):
            remedies.append(("make a new tensor", lambda: replace((line, new_tensor(line))), RUNS))
        yield self.finding(says, remedies)


class Expanded(Cause):
    """Several entries of an expanded tensor are one number in memory."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "refers to a single memory location" not in story.message:
            return
        line = story.error_statement()
        target: Any = None
        if isinstance(line, (ast.Assign, ast.AugAssign)):
            target = targets_of(line)[0]
        elif (
            isinstance(line, ast.Expr)
            and isinstance(line.value, ast.Call)
            and isinstance(line.value.func, ast.Attribute)
        ):
            target = line.value.func.value
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, (ast.Name, ast.Attribute)):
            name = source(target)
            says = [
                f"{story.at_error()} writes into `{name}`, which was expanded: several of its entries are one number "
                f"in "
                f"memory."
            ]
            yield self.finding(says, [("write into a copy", lambda: before(line, f"{name} = {name}.clone()"), RUNS)])
