"""The order of passes, steps and clearing; updates by hand; what the loss does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from minigrad_course.explain.causes.common import update_in_place, updates_in_place
from minigrad_course.explain.findings import FALLS, Cause, Finding, Remedy, grad, moves
from minigrad_course.explain.observing.observe import Event, Record
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import Edit, atom, before, loop_of, move, put, replace, source, span
from minigrad_course.explain.trials.trial import Promise

CALLED = ("zero_grad", "step", "backward", "requires_grad_", "retain_grad")
SMALLER = (10, 100, 1000)  # what a learning rate is divided by


class NoBrackets(Cause):
    """A method is named and not called."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        bad = [
            line for line in story.all(ast.Expr) if isinstance(line.value, ast.Attribute) and line.value.attr in CALLED
        ]
        if not bad:
            return
        says = [f"{story.at(line)}: `{source(line)}` has no brackets, so it calls nothing." for line in bad]
        ends = [(span(line)[1], span(line)[1], "()") for line in bad]

        def called() -> Edit | None:
            return put(bad[0].program, *ends)

        promises: list[Promise] = [FALLS, grad(), {"kind": "updates"}]
        yield self.finding(says, [("call it", called, promise) for promise in promises])


class Order(Cause):
    """Every step finds no gradient."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        steps = [event for event in story.steps if event.info["grads"]]
        if not steps or not story.ok:
            return
        results = [set(event.info["grads"].values()) for event in steps]
        if not all(item <= {"none"} for item in results) and not all(item <= {"none", "zero"} for item in results):
            return
        if not any("ok" in {**event.info["grads"], **event.info["fresh"]}.values() for event in story.ok):
            return
        step = story.steps[-1]
        passes = [event for event in story.ok if event.n < step.n and event.name == "backward"]
        clears = [
            event
            for event in story.seen.clears
            if event.n < step.n and event.place and passes and event.n > passes[-1].n
        ]
        by_grad = [event for event in story.ok if event.n < step.n and event.name == "grad"]
        if not passes and by_grad:
            says = [
                f"{story.at(by_grad[-1])} (autograd.grad) returns gradients and stores none in `.grad`, so the step of "
                f"{story.at(step)} finds none."
            ]
            yield self.finding(says, self.as_backward(story, by_grad[-1]))
            return
        if not passes or not clears:
            return
        clear, first = story.statement(clears[-1]), story.statement(passes[-1])
        step_line = story.statement(step)
        says = [
            f"{story.at(clears[-1])} clears the gradients after the pass of {story.at(passes[-1])} and before the "
            f"step of "
            f"{story.at(step)}: every step finds none."
        ]
        remedies: list[Remedy] = [
            ("clear before the pass", lambda: move([clear], first), FALLS),
            ("take the step after the pass", lambda: move([step_line], first, below=True), FALLS),
            ("clear before the pass", lambda: move([clear], first), {"kind": "updates"}),
        ]
        yield self.finding(says, remedies)

    def as_backward(self, story: Story, event: Event) -> Iterator[Remedy]:
        """`g = grad(loss, w)`, of which nothing uses `g`, as `loss.backward()`."""
        line, call = story.statement(event), story.pass_call(event)
        if not isinstance(line, ast.Assign) or call is None or not call.args:
            return
        names = {one.id for target in line.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        used = {one.id for one in story.all(ast.Name) if isinstance(one.ctx, ast.Load)}
        if names and not names & used:
            text = f"{atom(call.args[0])}.backward()"
            yield "let backward() store them", lambda: replace((line, text)), {"kind": "updates"}


class AddUp(Cause):
    """A pass adds to gradients that a step has used already."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        steps = story.steps or [
            event
            for event in story.events
            if event.kind == "op"
            and event.changed
            and not event.grad_on
            and event.changed[0].leaf
            and event.changed[0].req
        ]
        passes = [event for event in story.ok if event.name == "backward" and event.info["close"]]
        for one, two in pairwise(passes):
            between = [event for event in steps if one.n < event.n < two.n]
            old = [
                item
                for item in two.info["reached"]
                if two.info["before"].get(item.n) == "ok"
                and item in one.info["reached"]
                and (item.n in story.held or not story.steps)
                and any(item in event.changed for event in between)
                and self.whole(story, item, one, two, between)
                and self.used(story, item, two)
            ]
            if old:
                yield self.told(story, two, between[0], old)
                return

    def whole(self, story: Story, one: Record, first: Event, second: Event, between: list[Event]) -> bool:
        """True if the step used what the first pass brought, and nothing cleared it afterwards."""
        step = next(event for event in between if one in event.changed)
        return not any(
            step.n < event.n < second.n
            and (
                (event.kind == "clear" and one in event.ins)
                or (event.kind == "write" and event.name == "set grad" and event.ins and event.ins[0] is one)
            )
            for event in story.events
        )

    def used(self, story: Story, one: Record, second: Event) -> bool:
        """True if a step takes the sum, before something clears it: else it is nobody's."""
        for event in story.events:
            if event.n > second.n and one in event.ins and event.kind == "clear":
                return False
            if event.n > second.n and event.kind == "write" and event.name == "set grad" and event.ins[0] is one:
                return False
            if event.n > second.n and one in event.changed:
                return True
        return False

    def told(self, story: Story, event: Event, step: Event, old: list[Record]) -> Finding:
        optimizer = next(
            (name for name, item in story.seen.optimizers.items() if id(item) == step.info.get("optimizer")), None
        )
        module = story.module_of(old[0])
        line = "; ".join(f"{one.label}.grad = None" for one in old if one.label)
        if optimizer or module:
            line = f"{optimizer or module}.zero_grad()"
        says = [
            f"the pass of {story.at(event)} adds to the `.grad` of {story.listed(old)}, which the step of "
            f"{story.at(step)} has "
            f"used already and nothing has cleared."
        ]
        asks = story.statement(event)
        remedies: list[Remedy] = []
        clear = next((clear for clear in story.seen.clears if clear.place), None)
        cleared, loop = story.statement(clear), loop_of(asks) if asks is not None else None
        if (
            cleared is not None
            and loop is not None
            and cleared.program is loop.program
            and cleared.lineno < loop.lineno
        ):
            remedies.append(("clear before each pass", lambda: move([cleared], asks), FALLS))
        else:
            remedies.append(("clear before the pass", lambda: before(asks, line), FALLS))
        return self.finding(says, remedies)


class Rebound(Cause):
    """`p = p - lr * p.grad` in a loop over parameters."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for line in story.all(ast.Assign):
            target, value = line.targets[0], line.value
            if not isinstance(target, ast.Name) or not isinstance(value, ast.BinOp) or source(value.left) != target.id:
                continue
            if ".grad" not in source(value.right):
                continue
            program = line.program
            events = [
                event
                for event in story.events
                if event.kind == "op" and event.line == line.lineno and story.program(event) is program and event.ins
            ]
            leaf = next((event.ins[0] for event in events if event.ins[0].leaf and event.ins[0].req), None)
            if leaf is None or story.moved(leaf):
                continue
            says = [
                f"{story.at(line)} makes a new tensor and gives it the name `{target.id}`; {story.say(leaf)} itself "
                f"stays as it "
                f"was."
            ]
            remedies: list[Remedy] = [
                ("change it in place", lambda: updates_in_place(story, line), FALLS),
                ("change it in place", lambda: update_in_place(story, line), moves([leaf.label])),
            ]
            yield self.finding(says, remedies)
            return


class Course(Cause):
    """The loss does not fall: up the slope, too fast, or not at all any more."""

    silent = True
    explained_by = frozenset({"NotANumber", "AddUp", "NoBrackets"})

    def find(self, story: Story) -> Iterator[Finding]:
        passes = [event for event in story.ok if event.info["loss"] is not None and event.ins and event.ins[0].fn]
        passes = [event for event in passes if event.line == passes[-1].line]
        values = [event.info["loss"] for event in passes]
        finite = next((k for k, value in enumerate(values) if value - value != 0), len(values))
        lost, values = finite < len(values), values[:finite]
        if len(values) < 3:
            return
        changed = any(
            passes[0].n < event.n < passes[-1].n
            and (event.kind == "step" or (not event.grad_on and event.changed and event.changed[0].req))
            for event in story.events
        )
        if not changed:
            return
        rises = all(not two <= one for one, two in pairwise(values))
        if rises and (lost or values[-1] > 10 * abs(values[0]) + 1 or self.upward(story)):
            end = ", and then it is no number any more" if lost else ""
            yield self.finding(
                [f"the loss grows from pass to pass: {values[0]:.4g}, {values[1]:.4g}, … {values[-1]:.4g}{end}."],
                self.slower(story),
            )
        rates = [event.info["lr"] for event in story.steps if isinstance(event.info["lr"], float)]
        few = len(story.steps) <= 100
        if rates and rates[-1] < rates[0] * 1e-3 and few and story.seen.steps.count < 100 and not self.planned(story):
            yield self.finding(
                [
                    f"the learning rate goes from {rates[0]:.3g} to {rates[-1]:.3g} within {len(rates)} steps: the "
                    f"last steps "
                    f"change next to nothing."
                ],
                self.later(story),
            )

    def later(self, story: Story) -> Iterator[Remedy]:
        """A learning rate that falls less."""
        for call in story.all(ast.Call):
            gamma = next((word for word in call.keywords if word.arg == "gamma"), None)
            value = getattr(gamma.value, "value", None) if gamma is not None else None
            if gamma is not None and isinstance(value, float) and value < 0.5:
                yield "let it fall less at each step", lambda gamma=gamma: replace((gamma.value, "0.9")), FALLS

    def planned(self, story: Story) -> bool:
        """True for a schedule that is meant to end near 0."""
        return bool(
            story.calls("CosineAnnealingLR", "OneCycleLR", "LinearLR", "PolynomialLR", "CosineAnnealingWarmRestarts")
        )

    def upward(self, story: Story) -> bool:
        """True if the program adds gradients to parameters by hand."""
        return any(isinstance(line.op, ast.Add) and ".grad" in source(line.value) for line in story.all(ast.AugAssign))

    def slower(self, story: Story) -> Iterator[Remedy]:
        for line in story.all(ast.AugAssign):
            if isinstance(line.op, ast.Add) and ".grad" in source(line.value):
                text = f"{source(line.target)} -= {source(line.value)}"
                yield "go down the slope", lambda line=line, text=text: replace((line, text)), FALLS
        for call in story.all(ast.Call):
            rate = next((word for word in call.keywords if word.arg == "lr"), None)
            value = getattr(rate.value, "value", None) if rate is not None else None
            if rate is not None and isinstance(value, (int, float)):
                for by in SMALLER:
                    yield "smaller steps", lambda rate=rate, by=by, v=value: replace((rate.value, f"{v / by:g}")), FALLS


class DecayOfZeros(Cause):
    """Gradients are set to zero to freeze a layer, and it moves."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for step in story.steps:
            zero = [one for one in step.changed if step.info["grads"].get(one.n) == "zero"]
            wiped = [
                event
                for event in story.events
                if event.n < step.n
                and event.kind == "op"
                and event.name in ("zero_", "mul_", "fill_")
                and event.changed
                and event.place is not None
                and event.place.direct
            ]
            grads = [event for event in wiped if event.ins and event.ins[0].of in zero]
            if zero and wiped and (step.info["decay"] or step.info["momentum"]):
                why = "weight_decay" if step.info["decay"] else "momentum"
                yield self.finding(
                    [
                        f"the step on {story.at(step)} changes {story.listed(zero, 2)} though the gradient is zero: "
                        f"{why} moves "
                        f"{'them' if len(zero) > 1 else 'it'}. Such a step skips what has no gradient: `.grad = None`."
                    ],
                    self.remedies(story, grads, zero),
                )
                return

    def remedies(self, story: Story, grads: list[Event], zero: list[Record]) -> Iterator[Remedy]:
        """None in place of zeros."""
        lines = list(dict.fromkeys(story.statement(event) for event in grads))
        if not lines or any(not isinstance(line, ast.Expr) or not isinstance(line.value, ast.Call) for line in lines):
            return
        pairs = [(line, f"{source(line.value.func.value)} = None") for line in lines]
        names = [one.label for one in zero if one.label]
        yield "give it none", lambda: replace(*pairs), {"kind": "frozen", "names": names, "still": True}
