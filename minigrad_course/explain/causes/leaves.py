"""Leaves and results: what an optimizer takes, what may have the flag, what may be copied or handed to numpy."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator

import torch

from minigrad_course.explain.causes.common import leaf_at_the_end, no_grad_around, update_in_place
from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy, moves
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import (
    Edit,
    atom,
    before,
    behind,
    call_name,
    drop,
    keyword,
    put,
    replace,
    source,
    span,
)
from minigrad_course.explain.trials.trial import Promise

WHOLE = ("tensor", "arange", "randint", "full", "ones", "zeros")  # what makes tensors of whole numbers


class NotALeaf(Cause):
    """An optimizer is given what an operation made."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "can't optimize a non-leaf" not in story.message:
            return
        bad = [
            one
            for one in story.bag.values()
            if one.now is not None and one.fn and not one.leaf and one.made is not None and one.made.place
        ]
        one = next(iter([item for item in bad if item.label][-1:] or bad[-1:]), None)
        if one is None:
            return
        says = [
            f"the optimizer on {story.at_error()} is given {story.say(one)}, which {story.at(one.made)} makes by an "
            f"operation "
            f"({one.fn}): an optimizer takes leaves."
        ]
        ways = leaf_at_the_end(story, one)
        remedies = [(title, make, moves([one.label])) for title, make, _ in ways]
        remedies += [(title, make, RUNS) for title, make, _ in ways]
        yield self.finding(says, remedies)


def used_up(cause: Cause, story: Story) -> Iterator[Finding]:
    """A generator of parameters that was gone through already."""
    for frame in story.frames:
        for name, value in frame.items():
            if not isinstance(value, types.GeneratorType) or value.gi_frame is not None:
                continue
            if "parameters" not in value.__qualname__:
                continue
            line = next((item for item in story.all(ast.Assign) if source(item.targets[0]) == name), None)
            if line is None:
                continue
            uses = [n for n in story.all(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
            if len(uses) < 2 and story.error is None:
                continue
            says = [
                f"`{name}` ({story.at(line)}) is a generator, and it gives its tensors once: when it was used again, "
                f"nothing "
                f"was left."
            ]
            promise: Promise = {"kind": "updates"} if story.error is None else {"kind": "optimizer"}
            text = f"list({source(line.value)})"
            yield cause.finding(says, [("keep them in a list", lambda: replace((line.value, text)), promise)])
            return


class EmptyOptimizer(Cause):
    """An optimizer is given no tensors."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "empty parameter list" not in story.message:
            return
        results = [*used_up(self, story)]
        says = [f"the optimizer on {story.at_error()} is given no tensors: what it was made of has no parameters."]
        yield from results or [self.finding(says)]


class UsedUp(Cause):
    """A generator of parameters was used twice, and nothing said so."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for finding in used_up(self, story):
            finding.only_with_advice = True
            yield finding


class Integers(Cause):
    """Whole numbers are to require grad."""

    def find(self, story: Story) -> Iterator[Finding]:
        if (
            "floating point and complex dtype can require grad" not in story.message
            and "floating point dtype" not in story.message
        ):
            return
        if "require" not in story.message:
            return
        line = story.error_statement()
        calls = [
            call
            for call in story.all(ast.Call)
            if any(word.arg == "requires_grad" for word in call.keywords)
            and not any(word.arg == "dtype" for word in call.keywords)
            and call_name(call) in WHOLE
        ]
        here = [call for call in calls if call.lineno <= story.line <= call.end_lineno]
        promise: Promise = {**RUNS, "further": True}

        def floats(some: list[ast.expr]) -> Edit | None:
            return put(
                some[0].program, *[(span(item)[1] - 1, span(item)[1] - 1, ", dtype=torch.float32") for item in some]
            )

        remedies: list[Remedy] = [
            ("make them floating point", lambda some=some: floats(some), promise) for some in (calls, here) if some
        ]
        event = next((event for event in reversed(story.events) if event.error is not None), None)
        made = story.node(event.ins[0].made) if event is not None and event.ins else None
        if isinstance(made, ast.Call) and call_name(made) in WHOLE and not any(w.arg == "dtype" for w in made.keywords):
            remedies.append(("make them floating point", lambda: keyword(made, dtype="torch.float32"), promise))
        flag = (
            next(
                (node for node in ast.walk(line) if isinstance(node, ast.Call) and call_name(node) == "requires_grad_"),
                None,
            )
            if line is not None
            else None
        )
        if flag is not None and isinstance(flag.func, ast.Attribute) and not remedies:
            remedies.append(("make them floating point", lambda: behind(flag.func.value, ".float()"), promise))
        says = [
            f"{story.at_error()} asks for a gradient of whole numbers: "
            "only floating point and complex numbers can have one."
        ]
        yield self.finding(says, remedies)


class FlagOfResult(Cause):
    """requires_grad of a result is set."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "only change requires_grad flags of leaf variables" not in story.message:
            return
        event = next((event for event in reversed(story.events) if event.error is not None), None)
        one = event.ins[0] if event is not None and event.ins else None
        name = story.say(one) if one is not None else "a tensor"
        made = f" on {story.at(one.made)}" if one is not None and one.made is not None else ""
        line = story.error_statement()
        says = [
            f"{story.at_error()} sets requires_grad of {name}, which was made by an operation{made}: what it was "
            f"computed from "
            f"decides whether it has a gradient."
        ]
        remedies: list[Remedy] = []
        if line is not None and isinstance(line, ast.Assign) and getattr(line.value, "value", None) is False:
            target = source(line.targets[0].value)
            remedies.append(
                (
                    "take it out of its graph",
                    lambda: replace((line, f"{target} = {target}.detach()")),
                    RUNS,
                )
            )
        if line is not None and getattr(getattr(line, "value", None), "value", None) is True:
            remedies.append(("leave that line out: it has one", lambda: drop(line), RUNS))
        yield self.finding(says, remedies)


class Numpy(Cause):
    """A tensor with a graph is handed to numpy."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "Can't call numpy() on Tensor that requires grad" not in story.message:
            return
        event = next((event for event in reversed(story.events) if event.error is not None), None)
        node = story.node(event)
        if event is None or not event.ins:
            return
        one = event.ins[0]
        says = [f"{story.at(event)} hands {story.say(one)} to numpy, which knows no graph."]
        promise: Promise = {**RUNS, "further": True}
        remedies: list[Remedy] = []
        if isinstance(node, ast.Call) and call_name(node) == "numpy":
            text = f"{atom(node.func.value)}.detach().numpy()"
            remedies.append(("hand over the numbers only", lambda: replace((node, text)), promise))
        elif isinstance(node, ast.Call) and node.args:
            remedies.append(("hand over the numbers only", lambda: behind(node.args[0], ".detach()"), promise))
        yield self.finding(says, remedies)


class Assigned(Cause):
    """A tensor is assigned where a module keeps a Parameter."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "as parameter" not in story.message or "cannot assign" not in story.message:
            return
        line = story.error_statement()
        if not isinstance(line, ast.Assign):
            return
        target, value, blank = source(line.targets[0]), source(line.value), " " * line.col_offset
        starts = line.program.starts
        begin, end = starts[line.lineno - 1], starts[line.end_lineno]

        def in_place() -> Edit | None:
            if no_grad_around(story, line) is not None:
                return replace((line, f"{target}.copy_({value})"))
            return put(
                line.program, (begin, end, f"{blank}with torch.no_grad():\n{blank}    {target}.copy_({value})\n")
            )

        says = [
            f"{story.at_error()} assigns a tensor that an operation made to `{target}`, where a module keeps a "
            f"Parameter."
        ]
        remedies: list[Remedy] = [
            ("change it in place", lambda: update_in_place(story, line) or in_place(), RUNS),
            ("make a Parameter", lambda: replace((line.value, f"torch.nn.Parameter({value})")), RUNS),
        ]
        yield self.finding(says, remedies)


class Deepcopy(Cause):
    """What has a graph is copied."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "support the deepcopy protocol" not in story.message:
            return
        kept = [
            (f"{key}.{name}.{attribute}" if name else f"{key}.{attribute}", value)
            for key, module in story.seen.modules.items()
            for name, inner in module.named_modules()
            for attribute, value in vars(inner).items()
            if key != "self" and isinstance(value, torch.Tensor) and value.grad_fn is not None
        ]
        line = story.error_statement()
        call = next(
            (
                call
                for call in story.calls("deepcopy")
                if line is not None and call.lineno <= story.line <= call.end_lineno
            ),
            None,
        )
        if call is None or not call.args:
            return
        if not kept:
            value = source(call.args[0])
            says = [f"{story.at_error()} copies `{value}`, which has a graph: only leaves can be copied so."]
            promise: Promise = RUNS
            yield self.finding(says, [("copy the values", lambda: behind(call.args[0], ".detach()"), promise)])
            return
        path, tensor = kept[0]
        one = story.seen.record(tensor)
        says = [
            f"{story.at_error()} copies a module that keeps `{path}`, made on {story.at(one.made)} with a graph: only "
            f"leaves can "
            f"be copied so."
        ]
        remedies: list[Remedy] = [
            ("do not keep it", lambda: before(line, f"{path} = None"), RUNS),
            ("keep its values only", lambda: before(line, f"{path} = {path}.detach()"), RUNS),
        ]
        yield self.finding(says, remedies)


class Typo(Cause):
    """A name that torch does not know, for requires_grad."""

    def find(self, story: Story) -> Iterator[Finding]:
        if re.search(r"require_?s?_grad|does not require grad|NoneType", story.message):
            yield from typos(self, story)


class SilentTypo(Cause):
    """The same where nothing said so, and requires_grad of a module."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        yield from typos(self, story)
        for key, module in story.seen.modules.items():
            for name, inner in module.named_modules():
                if "requires_grad" not in vars(inner) or key == "self":
                    continue
                line = next(
                    (
                        item
                        for item in story.all(ast.Assign)
                        if isinstance(item.targets[0], ast.Attribute) and item.targets[0].attr == "requires_grad"
                    ),
                    None,
                )
                if line is None:
                    continue
                path = f"{key}.{name}" if name else key
                says = [
                    f"{story.at(line)} sets `requires_grad` on the module `{path}`, which only adds an attribute: its "
                    f"parameters "
                    f"stay as they are."
                ]
                text = f"{source(line.targets[0].value)}.requires_grad_({source(line.value)})"
                names = [f"{path}.{item}" for item, _ in inner.named_parameters()]
                yield self.finding(
                    says, [("use requires_grad_()", lambda: replace((line, text)), {"kind": "frozen", "names": names})]
                )
                return


def typos(cause: Cause, story: Story) -> Iterator[Finding]:
    """An attribute that is nearly called requires_grad."""
    for line in story.all(ast.Assign):
        target = line.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr == "requires_grad":
            continue
        if not re.fullmatch(r"(require|requires|reqires|require_s|requieres|requires_)_?grads?_?", target.attr):
            continue
        names = [
            one.label
            for one in story.bag.values()
            if one.now is not None and target.attr in getattr(one.now, "__dict__", {}) and one.label
        ]
        promise: Promise = {"kind": "grad" if getattr(line.value, "value", None) else "frozen", "names": names}
        says = [
            f"{story.at(line)} sets `{target.attr}`, which torch does not know: it only adds an attribute of that "
            f"name to the "
            f"tensor."
        ]
        text = f"{source(target.value)}.requires_grad"
        yield cause.finding(says, [("write requires_grad", lambda: replace((target, text)), promise)])
        return
