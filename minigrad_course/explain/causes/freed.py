"""A second pass through a graph that an earlier one has freed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch

from minigrad_course.explain.causes.common import detach_line, parameter_last
from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy
from minigrad_course.explain.observing.observe import KEY, Event, Made, Record, walk
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import (
    Edit,
    after,
    before,
    behind,
    call_name,
    drop,
    enclosing,
    function_of,
    keyword,
    loop_of,
    move,
    names_in,
    put,
    replace,
    source,
    span,
    targets_of,
)
from minigrad_course.explain.trials.trial import Promise

if TYPE_CHECKING:
    from torch.autograd.graph import Node as GraphNode

DETACHED = RUNS
MOST_SHARED = 3  # leaves that are named


class SecondBackward(Cause):
    """Trying to backward through the graph a second time."""

    def find(self, story: Story) -> Iterator[Finding]:
        sick = story.sick("freed")
        if "backward through the graph a second time" not in story.message or not sick:
            return
        failed = story.seen.failed
        assert failed is not None
        event = failed[0]
        # the failed pass has freed what it went through itself: only what an earlier one went through is meant
        sick = [item for item in sick if item[2] is not None and item[2].passes] or sick
        dead = {node for _, node, _ in sick}
        sick = [item for item in sick if item[2] is not None and item[2].event.place is not None]
        made = [one for _, _, one in sick]
        # the engine takes the node that was made last first, so this is the one that it stopped at
        stopped = max(sick, key=lambda item: (number_of(item[1]), item[2].event.n)) if sick else None
        first = stopped[2] if stopped is not None else None
        freer = next((item for item in first.passes if not item.info["retain"]), None) if first is not None else None
        says = []
        if first is not None and freer is not None:
            same = freer.line == event.line and freer.place.path == event.place.path
            says.append(
                f"{story.at(first.event)} (`{story.source(first.event)}`) recorded what the pass on {story.at(event)} "
                f"needs; {'an earlier pass there' if same else f'the pass on {story.at(freer)}'} used it and freed it."
            )
            leaves = {
                ancestor.n: ancestor
                for out in first.event.outs
                for ancestor in story.ancestors(out)
                if ancestor.leaf and ancestor.req
            }
            shared = [leaf for leaf in leaves.values() if leaf.label]
            if not same and 0 < len(shared) <= MOST_SHARED:
                says.append(f"Through it both passes reach {story.listed(shared)}.")
        says += [
            f"What {story.at(line)} makes of the Parameter is none: the module does not have it among its parameters()."
            for line, _ in wrapped(story, made)
        ][:1]
        again = any(root.grad_fn is not None and (root.grad_fn in dead or passed(root.grad_fn)) for root in event.roots)
        carried, user = None, None
        if again:
            says.append(f"{story.at(event)} goes through the same graph again.")
        else:
            carried, user = way(event, {stopped[1]} if stopped is not None else dead, freer)
            if carried is not None and user is not None:
                since = f", made on {story.at(carried.made)}" if carried.made is not None else ""
                says.append(
                    f"The new graph leads there through {story.say(carried)}{since} and used again on {story.at(user)}."
                )
        remedies = self.remedies(story, event, made, freer, carried, user, again)
        yield self.finding(
            says or [f"{story.at(event)} goes through a graph that an earlier pass has freed."], remedies
        )

    def remedies(
        self,
        story: Story,
        event: Event,
        made: list[Made | None],
        freer: Event | None,
        carried: Record | None,
        user: Event | None,
        again: bool,
    ) -> Iterator[Remedy]:
        asks = story.statement(event)
        loop = loop_of(asks) if asks is not None else None
        names: dict[str, object] = {}
        for frame in story.frames:
            for key, value in frame.items():
                names.setdefault(key, value)
        using = story.statement(user)
        yield from added_up(story, asks, event)
        line = story.statement(carried.made) if carried is not None else None
        if carried is not None and isinstance(line, ast.Assign) and self.target(story, carried):
            yield (
                f"detach {story.say(carried)} where it is made: nothing that it comes from is trained",
                lambda: behind(line.value, ".detach()"),
                {**RUNS, "frees": self.before(story, carried)},
            )
            return
        if using is not None and carried is not None:
            yield from self.carried(story, asks, loop, names, using, carried)
        yield from anew(story, made, loop, event)
        yield from in_forward(story, made)
        if using is not None and carried is not None and carried.label and not made_in(loop, story, carried):
            line = story.statement(carried.made)
            if isinstance(line, ast.Assign):
                yield (
                    f"detach {story.say(carried)}, if nothing before it is to be trained",
                    lambda: behind(line.value, ".detach()"),
                    {**RUNS, "frees": self.before(story, carried)},
                )
        twice = again and freer is not None and bool(event.ins) and event.ins[0] in freer.ins
        if twice and loop is None and isinstance(asks, ast.Expr):
            yield "leave this pass out: the one before has brought these gradients", lambda: drop(asks), RUNS
        yield from shared_trunk(story, event, freer, again)
        if freer is not None and freer.line != event.line:
            yield from for_one_pass(story, made)
        if freer is not None and not again and isinstance(asks, ast.Expr) and freer.line != event.line:
            first = story.statement(freer)
            if first is not None and loop_of(first) is not None and loop_of(asks) is None:
                yield "leave this pass out: those before have brought these gradients", lambda: drop(asks), RUNS
        call = story.pass_call(freer) if freer is not None else None
        if call is not None:
            title = "keep the graph of the earlier pass"
            between = [item for item in story.events if freer is not None and freer.n < item.n < event.n]
            other = any(item.kind in ("clear", "step", "write") or item.changed for item in between)
            if twice and event.name == "backward" and not other:
                title += "; this one then adds the same gradients to `.grad` once more"
            yield title, lambda: keyword(call, retain_graph="True"), {**RUNS, "last": not twice}

    def target(self, story: Story, one: Record) -> bool:
        """True if nothing that a tensor comes from is trained, and something else is."""
        trained = {leaf.n for leaf in story.leaves.values() if leaf.n in story.held or story.moved(leaf)}
        return bool(trained) and not any(ancestor.n in trained or ancestor.param for ancestor in story.ancestors(one))

    def before(self, story: Story, one: Record) -> list[str]:
        """Leaves that would no longer be trained; those of a target that carries a graph by mistake."""
        return [
            ancestor.label
            for ancestor in story.ancestors(one)
            if ancestor.leaf and ancestor.req and ancestor.label and not ancestor.param
        ]

    def carried(
        self,
        story: Story,
        asks: ast.AST,
        loop: ast.stmt | None,
        names: dict[str, object],
        using: ast.AST,
        carried: Record,
    ) -> Iterator[Remedy]:
        """A state that goes from turn to turn."""
        words = names_in(using)
        label = carried.label
        holds = [name for name in sorted(words) if holds_graph(names.get(name))]
        if label and label not in words and label.isidentifier():
            holds.append(label)
        value = getattr(using, "value", None)
        used = names_in(value) if value is not None else words
        holds.sort(key=lambda name: name not in used)
        inner = loop_of(using)
        assigned = [
            item
            for item in story.all((ast.Assign, ast.AugAssign))
            if loop is not None
            and any(
                isinstance(one, ast.Name) and one.id in holds for target in targets_of(item) for one in ast.walk(target)
            )
        ]
        if not made_in(loop, story, carried) and not any(inside(loop, item) for item in assigned):
            holds = (
                []
                if loop is None or (loop.program is using.program and function_of(loop) is function_of(using))
                else holds
            )
        attributes = [
            one
            for one in ast.walk(using)
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) and is_graph(attribute(names, one))
        ]
        close = enclosing(asks, (ast.For, ast.While)) if asks is not None else None
        # A state that is cut in a loop inside, or in a function that is called again and again, goes back one step.
        nearest = enclosing(using, (ast.For, ast.While))
        within = asks is not None and nearest is not None and nearest is not close
        called = asks is not None and nearest is None and function_of(using) is not function_of(asks)
        start = close.body[0] if close is not None else None
        if len(holds) > 1 and not (within and before_loop_in(using) is using):
            many = [detach_line(name, names.get(name)) for name in holds]
            yield "detach them at the start of the turn", lambda: before(before_loop_in(using), *many), DETACHED
        for name in holds:
            line = detach_line(name, names.get(name))
            if inner is not None and close is not None and enclosing(using, (ast.For, ast.While)) is not close:
                around = using
                while around is not None and around.program.up.get(around) is not close:
                    around = around.program.up.get(around)
                if around is not None and isinstance(around, ast.stmt):
                    yield f"detach `{name}` at the start of the turn", lambda a=around, x=line: before(a, x), DETACHED
            first = before_loop_in(using)
            if not (within and first is using) and not (called and first is using):
                yield f"detach `{name}` at the start of the turn", lambda x=line, f=first: before(f, x), DETACHED
            yield f"detach `{name}` after the pass", lambda x=line: after(asks, x), DETACHED
        for one in attributes:
            path = source(one)
            line = detach_line(path, attribute(names, one))
            if not within:
                yield f"detach `{path}` before it is used", lambda x=line: before(using, x), DETACHED
            if start is not None and start.program is using.program and path.split(".")[0] in names_in(close):
                yield f"detach `{path}` at the start of the turn", lambda x=line: before(start, x), DETACHED
        if label and "." in label and asks is not None:
            path = label.split("[")[0]
            line = detach_line(path, attribute(names, ast.parse(path, mode="eval").body))
            yield f"detach `{path}` after the pass", lambda: after(asks, line), DETACHED
        line_made = story.statement(carried.made)
        if isinstance(line_made, ast.AugAssign) and loop is not None and inside(loop, line_made):
            yield "add only the number", lambda: behind(line_made.value, ".detach()"), RUNS
        for name, value in names.items():  # a list that grows
            grown = isinstance(value, list) and len(value) > 1 and any(is_graph(item) for item in value)
            if grown and name in words and asks is not None:
                yield f"empty `{name}` after the pass", lambda name=name: after(asks, f"{name}.clear()"), DETACHED
                text = f"{name}[:] = [each.detach() for each in {name}]"
                yield f"detach what `{name}` holds after the pass", lambda text=text: after(asks, text), DETACHED


def before_loop_in(using: ast.AST) -> ast.AST | None:
    """The outermost loop around a statement in its function, if the function has one; else the statement."""
    function = function_of(using)
    loop = loop_of(using)
    return loop if function is not None and loop is not None else using


def number_of(node: ast.AST) -> int:
    """The place of a node in the order in which nodes were made."""
    number = getattr(node, "_sequence_nr", None)
    return int(number()) if number is not None else -1


def passed(node: ast.AST) -> bool:
    """True if a pass has gone through a node."""
    made = node.metadata.get(KEY)
    return bool(made is not None and made.passes)


def holds_graph(value: object) -> bool:
    """True for a tensor with a graph, or a tuple or list of such."""
    return is_graph(value[0] if isinstance(value, (tuple, list)) and value else value)


def is_graph(value: object) -> bool:
    """True for a tensor that an operation made, or a tuple or list that begins with one."""
    try:
        if isinstance(value, (tuple, list)) and value:
            value = value[0]
        return isinstance(value, torch.Tensor) and value.grad_fn is not None
    except RuntimeError:
        return False


def attribute(names: dict[str, object], node: ast.AST) -> object:
    """The value of `a.b.c`, without running code of the program."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr_static(attribute(names, node.value), node.attr)
    return None


def getattr_static(value: object, name: str) -> object:
    """An attribute that is stored in an object, or in its class."""
    found = getattr(value, "__dict__", {}).get(name)
    return vars(type(value)).get(name) if found is None and value is not None else found


def inside(loop: ast.stmt | None, node: ast.AST) -> bool:
    """True for a node in the lines of a loop."""
    return loop is not None and loop.program is node.program and loop.lineno <= node.lineno <= loop.end_lineno


def made_in(loop: ast.stmt | None, story: Story, one: Record) -> bool:
    """True for a tensor that is made in a loop."""
    line = story.statement(one.made)
    return loop is not None and line is not None and inside(loop, line)


def way(event: Event, dead: set[GraphNode], freer: Event | None) -> tuple[Record | None, Event | None]:
    """(the tensor, the event) through which a new graph leads to an old one."""
    carried: Record | None = None
    user: Event | None = None
    nodes = walk([root.grad_fn for root in event.roots])
    lead = leading(nodes, dead)
    for node in nodes:
        made = node.metadata.get(KEY)
        if made is None or is_past(node, freer):
            continue
        for below, _ in node.next_functions:
            if below not in lead or not is_past(below, freer):
                continue
            old = [
                one for one in made.event.ins if one.req and not one.leaf and (is_old(one, freer) or passed_tensor(one))
            ]
            if old and (user is None or made.event.n < user.n):
                through = (one for one in old if one.now is not None and one.now.grad_fn is below)
                carried, user = next(through, old[0]), made.event
    return carried, user


def leading(nodes: list[GraphNode], dead: set[GraphNode]) -> set[GraphNode]:
    """Some nodes of a graph, and all that lead to them."""
    above: dict[GraphNode, list[GraphNode]] = {}
    for node in nodes:
        for below, _ in node.next_functions:
            above.setdefault(below, []).append(node)
    todo, result = [*dead], set(dead)
    while todo:
        for node in above.get(todo.pop(), ()):
            if node not in result:
                result.add(node)
                todo.append(node)
    return result


def is_past(node: ast.AST, freer: Event | None) -> bool:
    """True for a node that a pass has gone through, or that was there when the graph was freed."""
    made = node.metadata.get(KEY)
    return made is not None and (bool(made.passes) or (freer is not None and made.event.n < freer.n))


def is_old(one: Record, freer: Event | None) -> bool:
    """True for a tensor that was made before a pass."""
    return one.made is not None and freer is not None and one.made.n < freer.n


def passed_tensor(one: Record) -> bool:
    """True for a tensor through whose graph a pass has gone."""
    try:
        return one.now is not None and one.now.grad_fn is not None and passed(one.now.grad_fn)
    except RuntimeError:
        return False


def added_up(story: Story, asks: ast.AST, event: Event) -> Iterator[Remedy]:
    """`total = total + loss`, and a pass of the total in each turn: a pass of the loss."""
    call = story.pass_call(event)
    if asks is None or not isinstance(call, ast.Call) or call_name(call) != "backward":
        return
    total = source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    for line in story.all((ast.Assign, ast.AugAssign)):
        if line.program is not asks.program or source(targets_of(line)[0]) != total or not inside(loop_of(asks), line):
            continue
        added = None
        if isinstance(line, ast.AugAssign) and isinstance(line.op, ast.Add):
            added = line.value
        elif (
            isinstance(line.value, ast.BinOp)
            and isinstance(line.value.op, ast.Add)
            and source(line.value.left) == total
        ):
            added = line.value.right
        if added is None or not isinstance(added, ast.Name):
            continue

        def number(line: ast.stmt = line, added: ast.expr = added) -> Edit:
            return replace((added, f"{added.id}.detach()"), (call.func.value, added.id))

        yield "add up numbers, and start the pass from the loss of this turn", number, RUNS


def anew(story: Story, made: list[Made | None], loop: ast.stmt | None, event: Event) -> Iterator[Remedy]:
    """What was computed once before the loop is computed in each turn."""
    if loop is None:
        return
    some: list[ast.Assign] = []
    events = [one.event for one in made]
    for node in walk([root.grad_fn for root in event.roots]):
        one = node.metadata.get(KEY)
        if one is not None:
            events.append(one.event)
    for item in events:
        line = story.statement(item) if item.place is not None else None
        if (
            isinstance(line, ast.Assign)
            and line not in some
            and line.program is loop.program
            and (line.end_lineno or line.lineno) < loop.lineno
            and loop_of(line) is None
            and function_of(line) is function_of(loop)
        ):
            some.append(line)
    some.sort(key=lambda line: line.lineno)
    if some:
        yield "compute it anew in each turn", lambda: move(some, loop.body[0]), RUNS


def wrapped(story: Story, made: list[Made | None]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """(the line, the call) of each Parameter in `__init__` of which an operation makes something else."""
    for one in made:
        line = story.statement(one.event)
        function = function_of(line) if line is not None else None
        if function is None or function.name != "__init__" or not isinstance(line, ast.Assign):
            continue
        for call in ast.walk(line.value):
            if isinstance(call, ast.Call) and call_name(call) == "Parameter" and call is not line.value:
                yield line, call


def in_forward(story: Story, made: list[Made | None]) -> Iterator[Remedy]:
    """A value that `__init__` computes from parameters is computed in `forward`."""
    for one in made:
        line = story.statement(one.event)
        function = function_of(line) if line is not None else None
        if function is None or function.name != "__init__":
            continue
        body = getattr(line.program.up.get(function), "body", [])
        forward = next((item for item in body if isinstance(item, ast.FunctionDef) and item.name == "forward"), None)
        if forward is None:
            continue
        for outer, inner in wrapped(story, [one]):
            yield "make the Parameter last", lambda outer=outer, inner=inner: parameter_last(outer, inner), RUNS
            return  # in forward(), what stands around it would count for each step too
        title = "compute it in forward()"
        yield title, lambda line=line, forward=forward, f=function: into_forward(line, f, forward, True), RUNS
        plain: Promise = {**RUNS, "last": True}  # a buffer must be a tensor
        yield title, lambda line=line, forward=forward, f=function: into_forward(line, f, forward, False), plain
        return


def into_forward(line: ast.stmt, function: ast.FunctionDef, forward: ast.FunctionDef, buffers: bool) -> Edit | None:
    """The text in which `forward` begins with the line, and what else it needs is kept: as buffers, or as it is.

    A buffer becomes a variable of `forward`, and what it is made of the buffer; None if other methods read it too.
    """
    target, value, changes = "", "", list[tuple[int, int, str]]()
    if isinstance(line, ast.Assign):
        target, value = source(line.targets[0]), source(line.value)
        name = target.removeprefix("self.")
        uses = [node for node in line.program.nodes if isinstance(node, ast.Attribute) and node.attr == name]
        uses.remove(line.targets[0]) if line.targets[0] in uses else None
        if uses and all(function_of(use) is forward and source(use) == target for use in uses):
            # a result that stays on the module cannot be copied with it
            target, changes = name, [(*span(use), name) for use in uses]
    elif isinstance(line, ast.Expr) and call_name(line.value) == "register_buffer":
        path, value = "self." + line.value.args[0].value, source(line.value.args[1])
        target = path.removeprefix("self.")
        uses = [node for node in line.program.nodes if isinstance(node, ast.Attribute) and source(node) == path]
        if any(function_of(use) is not forward for use in uses):
            return None
        changes = [(*span(use), target) for use in uses]
    if not target:
        return None
    inner = next(
        (node for node in ast.walk(line) if isinstance(node, ast.Call) and call_name(node) == "Parameter"), None
    )
    keep = ""
    if inner is not None:
        raw = f"self.{target.removeprefix('self.')}_raw"
        keep = f"{raw} = {source(inner)}"
        value = value.replace(source(inner), raw)
    given = {arg.arg for arg in function.args.args if arg.arg != "self"}
    free = {node.id for node in ast.walk(ast.parse(value)) if isinstance(node, ast.Name)} & given
    if buffers and not free:
        return None
    kept = 'self.register_buffer("{0}", {0})' if buffers else "self.{0} = {0}"
    first = "; ".join(kept.format(name) for name in sorted(free)) or keep or ("pass" if len(function.body) < 2 else "")
    for name in free:
        value = re.sub(rf"(?<![\w.])({name})\b", r"self.\1", value)
    starts, begin = line.program.starts, forward.body[0]
    at, (x, y) = starts[begin.lineno - 1], span(line)
    if not first:
        x, y = starts[line.lineno - 1], starts[line.end_lineno]
    return put(line.program, (x, y, first), (at, at, " " * begin.col_offset + f"{target} = {value}\n"), *changes)


def shared_trunk(story: Story, event: Event, freer: Event | None, again: bool) -> Iterator[Remedy]:
    """Two losses of one graph: one pass of their sum; or the first leaves the trunk alone."""
    if freer is None or freer is event or freer.line == event.line:
        return
    one, two = story.pass_call(freer), story.pass_call(event)
    if one is None or two is None or call_name(one) != "backward" or call_name(two) != "backward":
        return
    first, second = story.statement(freer), story.statement(event)
    between = [step for step in story.steps if freer.n < step.n < event.n]
    if (
        not between
        and not one.args
        and not two.args
        and first.program is second.program
        and one is getattr(first, "value", None)
        and first.program.up.get(first) is second.program.up.get(second)  # else one of them passes more often
    ):
        a, b = source(one.func.value), source(two.func.value)
        if a != b:
            starts = first.program.starts
            yield (
                "one pass for both, which adds up what each would give",
                lambda: put(
                    first.program,
                    (starts[first.lineno - 1], starts[first.end_lineno], ""),
                    (*span(two.func.value), f"({a} + {b})"),
                ),
                {**RUNS, "loss": True},
            )


def for_one_pass(story: Story, made: list[Made | None]) -> Iterator[Remedy]:
    """What two passes share is used without its graph in one of them: the other alone trains what it comes from."""
    for one in made:
        for out in one.event.outs:
            leaves = [
                ancestor for ancestor in story.ancestors(out) if ancestor.leaf and ancestor.req and ancestor.label
            ]
            if not 0 < len(leaves) <= MOST_SHARED:
                continue
            for event in story.events:
                argument = story.argument(event, out) if event.kind == "op" and out in event.ins else None
                if argument is not None:
                    yield (
                        f"if what {story.at(event)} computes is not to train {story.listed(leaves)}, detach it there",
                        lambda argument=argument: behind(argument, ".detach()"),
                        RUNS,
                    )
