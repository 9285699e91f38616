"""Where a graph ends: a loss without a graph, a `.grad` that stays None, a leaf that no pass reaches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from minigrad_course.explain.causes.common import (
    as_leaf,
    leaf_at_the_end,
    recorded,
    switch_of,
    switched_off,
    update_in_place,
    updates_in_place,
)
from minigrad_course.explain.findings import FALLS, RUNS, Cause, Finding, Remedy, grad
from minigrad_course.explain.observing.observe import Event, Record
from minigrad_course.explain.observing.story import SHAPE_ONLY, Story
from minigrad_course.explain.program import (
    Edit,
    Node,
    after,
    atom,
    behind,
    call_name,
    drop,
    enclosing,
    function_of,
    keyword,
    move,
    names_in,
    put,
    replace,
    source,
    span,
    statement,
    targets_of,
    under,
    without_call,
)
from minigrad_course.explain.trials.trial import Promise

FEW = 4


def why_cut(story: Story, event: Event, one: Record) -> str:
    """How an event ended the graph of a tensor."""
    name, what, at = event.name, story.say(one), story.at(event)
    if event.kind == "pass":
        if event.name == "backward":
            return f"the backward() on {at} filled the .grad of {what} without recording how, so it has no graph"
        return f"{at} computes it by `autograd.grad` without create_graph, so it has no graph"
    if name == "detach_":
        return f"{at} takes {what} out of its graph (`.detach_()`)"
    way_out = out_of_torch(story, event)
    if way_out is not None:
        gives = source(way_out)
        if call_name(way_out) in ("item", "tolist"):
            return f"{at} takes bare numbers out of {what} (`{gives}`), and numbers have no graph"
        return f"{at} hands the numbers of {what} to numpy (`{gives}`), and what numpy computes has no graph"
    if name in ("detach", "get data"):
        return f"{at} takes the numbers of {what} without their graph (`{'.data' if 'data' in name else '.detach()'}`)"
    if event.kind == "flag":
        return f"{at} switches requires_grad of {what} off"
    if event.kind == "out":
        return f"{at} takes bare numbers out of {what} (`{name.strip('_')}`), and numbers have no graph"
    if event.place is not None and event.place.custom:
        unless = " unless the pass has create_graph=True" if event.place.function == "backward" else ""
        where = f"{at} runs inside {event.place.function}() of a custom Function, where nothing is recorded{unless}"
        if event.place.function == "forward":
            return where + ": what it keeps on ctx has no graph, and a derivative of backward() leaves it out"
        return where
    if not event.grad_on and event.place is not None and event.place.checkpoint:
        return (
            f"{at} uses {what} inside checkpoint(use_reentrant=True), which records nothing unless an input of it "
            f"requires grad"
        )
    if not event.grad_on:
        switch = switch_of(story, event)
        if switch is None:
            return f"{at} uses {what} where recording is off (`{story.source(event)}`)"
        where = f"{story.at(switch)} switches recording off (`{source(switch)}`)"
        return f"{at} uses {what} (`{story.source(event)}`) where {where}"
    out = event.outs[0].dtype if event.outs else None
    if out is not None and not out.is_floating_point and not out.is_complex:
        if str(out) == "torch.bool":
            return f"{at} makes true or false of each entry of {what} (`{story.source(event)}`): that has no gradient"
        return f"{at} makes whole numbers of {what} (`{story.source(event)}`), and those have no gradient"
    if name in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        return f"{at} makes a new tensor of the numbers of {what} (`{story.source(event)}`), without its graph"
    return f"{at} ({name}) makes of {what} a result without a graph: `{story.source(event)}`"


def takes_no_numbers(event: Event | None) -> bool:
    """True for `zeros_like(x)` and `x.new_ones(2)`, which take the shape and the dtype of a tensor only."""
    return event is not None and bool(event.ins) and (event.name.endswith("_like") or event.name.startswith("new_"))


def out_of_torch(story: Story, event: Event) -> Node:
    """The call of `x.detach().numpy()` and the like around a detach: what makes a detach necessary."""
    node, result = story.node(event), None
    if event.name != "detach" or not isinstance(node, ast.Call) or call_name(node) != "detach":
        return None
    while True:
        method = node.program.up.get(node)
        call = node.program.up.get(method) if isinstance(method, ast.Attribute) else None
        if not isinstance(call, ast.Call) or call.func is not method:
            return result
        node = call
        if call_name(node) in ("numpy", "tolist", "item"):
            result = node
        elif call_name(node) not in ("cpu", "clone", "to", "float", "double"):
            return result


def mend_cut(story: Story, event: Event, one: Record, names: Sequence[str | None]) -> Iterator[Remedy]:
    """Edits that keep the graph."""
    node, promise = story.node(event), grad(names)
    line = story.statement(event)
    if isinstance(line, ast.Assign) and ".grad" in source(line.value):  # an update of a leaf by hand
        yield "change the leaf in place", lambda: updates_in_place(story, line), promise
        yield "change the leaf in place", lambda: update_in_place(story, line), promise
        yield "make it a leaf again", lambda: behind(line.value, ".requires_grad_()"), promise
    if event.kind == "pass":
        call = story.pass_call(event)
        if event.name == "grad":
            yield "give create_graph=True", lambda: keyword(call, create_graph="True"), {**promise, "further": True}
        return
    if event.kind == "flag" and event.name != "detach_":
        yield "leave that line out", lambda: drop(line), promise
    if event.name == "detach_":
        yield "leave that line out", lambda: drop(line), promise
    if (
        event.name in ("detach", "item", "tolist", "numpy")
        and isinstance(node, ast.Call)
        and call_name(node) == event.name
    ):
        yield f"leave out `.{event.name}()`", lambda: without_call(node), promise
        yield from keep_tensors(story, event, node, promise)
    if event.name in ("tensor", "as_tensor") or event.kind == "out":
        call = node
        while call is not None and not (isinstance(call, ast.Call) and call_name(call) in ("tensor", "as_tensor")):
            call = call.program.up.get(call)
            if isinstance(call, ast.stmt):
                call = None
        if isinstance(call, ast.Call) and call.args:
            first = call.args[0]
            if isinstance(first, (ast.List, ast.Tuple)):
                yield (
                    "join the tensors by torch.stack",
                    lambda: replace((call, f"torch.stack({source(first)})")),
                    promise,
                )
            else:
                yield "use the tensor itself", lambda: replace((call, source(first))), promise
    if event.name == "get data" and isinstance(node, ast.Attribute):
        yield "leave out `.data`", lambda: replace((node, source(node.value))), promise
    if not event.grad_on and event.place is not None and event.place.checkpoint:
        for call in story.calls("checkpoint", "checkpoint_sequential"):
            yield "use the other kind of checkpoint", lambda call=call: keyword(call, use_reentrant="False"), promise
    elif not event.grad_on and event.place is not None and not event.place.custom:
        yield "let these lines be recorded", lambda: recorded(story, event), promise
    if event.place is not None and event.place.custom and event.place.function == "backward":
        function = function_of(line)
        if function is not None:
            body = [item for item in function.body if not isinstance(item, ast.Return)]
            some = body[-1:] if len(body) < 2 else body[1:]
            header = "with torch.enable_grad():"
            yield "record inside backward()", lambda: under(some, header), promise
            yield "record inside backward()", lambda: under(function.body, header), promise
    if event.name in ("long", "int", "to", "type", "round", "floor") and isinstance(node, ast.Call):
        yield f"leave out `.{event.name}()`", lambda: without_call(node), promise
    if event.name in ("ge", "gt", "__gt__", "__ge__") and isinstance(node, ast.Compare):
        smooth = f"torch.sigmoid({source(node.left)} - {source(node.comparators[0])})"
        yield "use a smooth step, which is another loss", lambda: replace((node, smooth)), {**promise, "loss": True}


def keep_tensors(story: Story, event: Event, node: ast.AST, promise: Promise) -> Iterator[Remedy]:
    """The tensors themselves, in place of new ones made of their numbers."""
    inner = atom(node.func.value)
    node = out_of_torch(story, event) or node
    outer = node.program.up.get(node)
    while outer is not None and not isinstance(outer, ast.stmt):  # x.detach().numpy() …
        if isinstance(outer, ast.Call) and call_name(outer) in ("tensor", "as_tensor", "from_numpy"):
            yield "use the tensor itself", lambda outer=outer: replace((outer, inner)), promise
        outer = outer.program.up.get(outer)
    for call in story.calls("tensor", "as_tensor", "Tensor", "FloatTensor", "from_numpy"):
        if not call.args or call.program is not node.program:
            continue
        first = call.args[0]
        inside = any(item is node for item in ast.walk(call))
        if isinstance(first, ast.Name) and not inside:
            flagged = any(word.arg == "requires_grad" for word in call.keywords)
            freed = [source(item) for item in targets_of(statement(call)) if flagged]  # a leaf only by that call
            title = f"keep the graph: no `.{event.name}()`, and no new tensor of the number"
            if call_name(node) == "numpy":
                title = "compute it with torch, without the way through numpy"
            yield (
                title,
                lambda call=call, first=first: put(node.program, (*span(node), inner), (*span(call), source(first))),
                {**promise, "frees": freed},
            )
        if isinstance(first, (ast.Name, ast.ListComp, ast.List)):

            def stacked(call: ast.Call = call, first: ast.expr = first) -> Edit:
                text = source(first) if isinstance(first, ast.Name) else source(first).replace(source(node), inner)
                changes = [(*span(call), f"torch.stack({text})")]
                if isinstance(first, ast.Name):
                    changes.append((*span(node), inner))
                return put(node.program, *changes)

            yield "keep the tensors, and join them by torch.stack", stacked, promise


class NoGraph(Cause):
    """A pass starts from what has no graph."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "does not require grad and does not have a grad_fn" not in story.message or not story.seen.failed:
            return
        event = story.seen.failed[0]
        roots = [one for one in event.ins if not one.req]
        one = roots[0] if roots else event.ins[0]
        says = [f"{story.at(event)} asks for gradients of {story.say(one)}, which has no graph."]
        cuts = story.cuts(one)
        remedies: list[Remedy] = []
        done: set[tuple[int, str]] = set()
        for where, what in cuts:
            if (where.place is None) or (where.line, where.name) in done or len(done) == 3:
                continue
            done.add((where.line, where.name))
            says.append(why_cut(story, where, what) + ".")
            if where.kind == "pass" and where.info["create"]:
                says[-1] = self.second_derivative(story, where)
                continue
            leaves: list[str | None] = [
                ancestor.label
                for ancestor in story.ancestors(what)
                if ancestor.leaf and ancestor.req and ancestor.label
            ]
            if where.kind == "flag":
                leaves = [what.label]
            remedies += mend_cut(story, where, what, leaves)
            given = (ancestor.made for ancestor in story.ancestors(what) if ancestor.made is not None)
            inner = next((item for item in given if item.kind == "pass" and not item.info["create"]), None)
            if inner is not None and where.kind != "pass":
                says.append(
                    f"{story.at(inner)} makes its gradients without create_graph=True: they count as constants, "
                    f"and how they depend on anything is left out."
                )
        off = switched_off(story, event) if any(not where.grad_on for where, _ in cuts) else None
        if off is not None:
            says.append(f"{story.at(off)} switches recording off for all that comes after it.")
        if not cuts:
            self.constants(story, one, says, remedies)
        yield self.finding(says, remedies)

    def second_derivative(self, story: Story, where: Event) -> str:
        """Why a gradient with create_graph=True has no graph."""
        own = sorted(name.removesuffix("Backward") for name in story.seen.through)
        if own and where.info["close"]:
            return (
                f"{story.at(where)} computes it with create_graph=True, but the pass goes through backward() of "
                f"{', '.join(own)}, which makes its gradient of tensors without a graph: what forward() computes and "
                f"keeps on ctx has none; what save_for_backward keeps of its inputs and outputs has."
            )
        return (
            f"{story.at(where)} computes it with create_graph=True, and still it has no graph: this gradient is the "
            f"same "
            f"whatever its input is, so its own derivative is zero."
        )

    def constants(self, story: Story, one: Record, says: list[str], remedies: list[Remedy]) -> None:
        """Nothing that it is computed from requires grad, or that is not known."""
        frozen = [
            ancestor
            for ancestor in story.ancestors(one)
            if ancestor.leaf and not ancestor.req and ancestor.dtype.is_floating_point
        ]
        off = [
            event
            for event in story.events
            if event.kind == "flag" and event.info.get("value") is False and any(item in frozen for item in event.ins)
        ]
        if off:
            names = [item.label for event in off for item in event.ins]
            lines = list(dict.fromkeys(story.at(event) for event in off))
            which = story.listed([item for event in off for item in event.ins])
            says.append(f"{which} could have got one, but {lines[0]} sets requires_grad to False.")
            line = story.statement(off[0])
            remedies.append(("leave that line out", lambda: drop(line), grad(names)))
            return
        made = [
            item
            for item in frozen
            if item.made is not None and item.made.place and (not item.made.ins or takes_no_numbers(item.made))
        ]
        unknown = [item for item in story.unknown(one) if item not in made and item.dtype.is_floating_point]
        whole = [
            ancestor
            for ancestor in story.ancestors(one)
            if ancestor.leaf
            and not ancestor.dtype.is_floating_point
            and ancestor.made is not None
            and ancestor.made.place
            and not ancestor.made.ins
        ]
        if unknown:
            says.append(
                f"Where {story.listed(unknown)} {'comes' if len(unknown) == 1 else 'come'} from was not seen; "
                f"{'it does' if len(unknown) == 1 else 'they do'} not require grad there."
            )
        else:
            told = ", ".join(f"{story.say(item)} ({story.at(item.made)})" for item in (made or whole)[:FEW])
            says.append("Nothing that it is computed from requires grad" + (f": {told}." if told else "."))
            idle = [leaf for leaf in story.leaves.values() if leaf.label and leaf.now is not None]
            if idle and (made or whole):
                verb = "requires" if len(idle) == 1 else "require"
                says.append(f"No operation led from {story.listed(idle)}, which {verb} grad, to {story.say(one)}.")
            for item in (item for item in made if takes_no_numbers(item.made)):
                says.append(
                    f"{story.at(item.made)} (`{story.source(item.made)}`) takes the shape and the dtype of "
                    f"{story.say(item.made.ins[0])}, and none of its numbers."
                )
        # a gradient that the program does not ask for is no advice: data that require grad hide the fault
        text = "\n".join(program.text for program in story.programs.values())
        asked = set(re.findall(r"(\w+)\.grad\b", text))
        inputs = {item.n for event in story.passes for item in event.info["inputs"]} | story.held
        wanted = [item for item in made if item.n in inputs or (item.label or "").split(".")[-1] in asked]
        wanted.sort(key=lambda item: item.made.n if item.made else 0)
        if len(wanted) > 1:

            def every() -> Edit:
                calls = [story.node(item.made) for item in wanted]
                ends = [span(call)[1] - 1 for call in calls]
                return put(calls[0].program, *[(end, end, ", requires_grad=True") for end in ends])

            remedies.append(("let all of them require grad", every, grad([item.label for item in wanted], every=True)))
        for item in wanted:
            for make in as_leaf(story, item.made):
                remedies.append((f"let {story.say(item)} require grad", make, grad([item.label])))


class NoneGrad(Cause):
    """A `.grad` was None where a number was needed."""

    def find(self, story: Story) -> Iterator[Finding]:
        if "NoneType" not in story.message:
            return
        reads = [
            event
            for event in story.events
            if event.kind == "read"
            and event.info["none"]
            and event.place
            and event.line == story.line
            and event.place.path == story.ended.path
        ]
        if not reads:  # read on another line, and used here: only the last read can have been it
            reads = [event for event in story.events if event.kind == "read" and event.info["none"] and event.place][
                -1:
            ]
            line = story.error_statement()
            if not reads or line is None or not self.used(story, reads[0], line):
                return
        yield from none_story(self, story, reads[-1])

    def used(self, story: Story, read: Event, line: ast.stmt) -> bool:
        """True if a statement uses what another one read."""
        there = story.statement(read)
        if there is None:
            return False
        text = source(there)
        return (
            "params" in text or any(source(target) in source(line) for target in targets_of(there)) or ".grad" in text
        )


def none_story(cause: Cause, story: Story, event: Event) -> Iterator[Finding]:
    """Why a `.grad` was None."""
    one = event.ins[0]
    name, at = story.say(one), story.at(event)
    if not one.leaf and one.fn:
        yield none_of_result(cause, story, event, one)
        return
    cleared = [
        item
        for item in story.events
        if item.n < event.n
        and (
            (item.kind == "clear" and one in item.ins)
            or (item.kind == "write" and item.name == "set grad" and item.ins[0] is one and item.info["value"] is None)
        )
    ]
    reached = [item for item in story.ok if item.n < event.n and one in item.info["reached"]]
    by_grad = [item for item in story.ok if item.n < event.n and item.name == "grad" and one in item.info["inputs"]]
    if cleared and reached and cleared[-1].n > reached[-1].n:
        clear = cleared[-1]
        says = [
            f"the pass on {story.at(reached[-1])} filled `.grad` of {name}, but {story.at(clear)} cleared it before "
            f"{at} "
            f"reads it."
        ]
        first, last = story.statement(clear), story.statement(reached[-1])
        remedies: list[Remedy] = [
            ("clear before the pass", lambda: move([first], last), promise)
            for promise in (FALLS, grad([one.label]), RUNS)
        ]
        yield cause.finding(says, remedies)
    elif by_grad:
        had = f" ({story.at(cleared[-1])} had cleared it)" if cleared else ""
        says = [
            f"`.grad` of {name} is None on {at}: {story.at(by_grad[-1])} uses autograd.grad, which returns the "
            f"gradient "
            f"and stores nothing in `.grad`{had}."
        ]
        line = story.statement(event)
        remedies = []
        if isinstance(line, ast.AugAssign):
            text = f"{source(line.target)} = {source(line.value)}"
            remedies = [("store it", lambda: replace((line, text)), item) for item in (FALLS, RUNS)]
        yield cause.finding(says, remedies)
    elif one.leaf and not one.req and one.dtype.is_floating_point:
        yield from none_of_constant(cause, story, event, one)
    elif one.leaf and one.req and not reached:
        before = [item for item in story.ok if item.n < event.n]
        lead = f"{at} reads `.grad` of {name}, and it is None"
        yield from unreached(cause, story, one, lead + ("" if before else ": no pass has run yet"))


def none_of_result(cause: Cause, story: Story, event: Event, one: Record) -> Finding:
    """The `.grad` of what an operation made."""
    name, line = story.say(one), story.statement(one.made)
    made = f"made by an operation ({one.fn}) on {story.at(one.made)}" if one.made is not None else f"made by {one.fn}"
    says = [
        f"{story.at(event)} reads `.grad` of {name}, and it is None: {name} was {made}, and a pass fills the `.grad` "
        f"of leaves only, unless retain_grad() was called."
    ]
    remedies: list[Remedy] = []
    if line is not None:
        promise: Promise = FALLS if len(story.ok) else RUNS
        remedies += [
            ("update in place", lambda: updates_in_place(story, line), item)
            for item in (promise, grad([one.label]), {**RUNS, "further": True})
        ]
    remedies += leaf_at_the_end(story, one)
    if line is not None and one.label and isinstance(line, ast.Assign):
        target = source(line.targets[0])
        remedies.append(
            (
                f"keep the gradient of {name} too",
                lambda: after(line, f"{target}.retain_grad()"),
                {**RUNS, "last": bool(story.error)},
            )
        )
    return cause.finding(says, remedies)


def none_of_constant(cause: Cause, story: Story, event: Event, one: Record) -> Iterator[Finding]:
    """The `.grad` of what does not require grad."""
    name, at = story.say(one), story.at(event)
    off = next(
        (
            item
            for item in reversed(story.events)
            if item.n < event.n and item.kind == "flag" and item.info.get("value") is False and one in item.ins
        ),
        None,
    )
    if off is not None:
        line = story.statement(off)
        says = [
            f"`.grad` of {name} is None on {at}: {story.at(off)} switches requires_grad off for it, so no pass fills "
            f"it."
        ]
        read = story.statement(event)
        passed = enclosing(read, ast.For) if isinstance(read, ast.Expr) else None
        read_of = [node for node in ast.walk(read) if isinstance(node, ast.Attribute) and node.attr == "grad"]
        if passed is not None and read_of:
            text = f"if {source(read_of[0].value)}.grad is not None: {source(read)}"
            yield cause.finding(says, [("leave out what has none", lambda: replace((read, text)), RUNS)])
            return
        yield cause.finding(says, [("leave that line out", lambda: drop(line), grad([one.label]))])
        return
    cuts = story.cuts(one)
    if cuts and cuts[0][0].place is not None:
        where, what = cuts[0]
        line = story.statement(where)
        says = [f"{at} reads `.grad` of {name}, which does not require grad: " + why_cut(story, where, what) + "."]
        bound = isinstance(line, ast.Assign) and [source(target) for target in line.targets] == [one.label]
        if bound and one.label and one.label in names_in(line.value) and what.leaf and what.made is not None:
            says.append(
                f"So `{one.label}` is no longer the leaf that {story.at(what.made)} made: {story.at(line)} gave its "
                f"name to another tensor."
            )
        remedies: list[Remedy] = []
        if isinstance(line, ast.Assign):
            remedies += [
                ("change the leaf in place", lambda: updates_in_place(story, line), {**RUNS, "further": True}),
            ]
            target = source(line.targets[0])
            if isinstance(line.targets[0], ast.Name) and target in names_in(line.value) and ".grad" not in source(line):
                remedies.append(
                    (
                        "give the result another name",
                        lambda: replace((line.targets[0], target + "_")),
                        {**RUNS, "further": True, "frees": [target]},
                    )
                )
        yield cause.finding(says, remedies)
        return
    made = f" (made on {story.at(one.made)})" if one.made is not None and one.made.place else ""
    says = [f"`.grad` of {name} is None on {at}: {name} does not require grad{made}."]
    remedies = [("ask for it", make, grad([one.label])) for make in as_leaf(story, one.made)]
    yield cause.finding(says, remedies)


def unreached(cause: Cause, story: Story, one: Record, lead: str) -> Iterator[Finding]:
    """Why no pass reaches a leaf."""
    cut = lost_on_the_way(story, one) if story.ok else None
    if cut is not None:
        names = [one.label]
        yield cause.finding([lead + ": " + why_cut(story, *cut) + "."], mend_cut(story, *cut, names))
        return
    users = [
        event
        for event in story.events
        if one in event.ins and event.kind in ("op", "out") and event.place and event.outs
    ]
    if not users and story.ok:
        yield cause.finding([lead + f": no line has used {story.say(one)} in what a pass went through."])
    elif not story.ok or lead.endswith("yet"):
        yield cause.finding([lead + "."])
    else:
        yield cause.finding([lead + f": nothing that a pass started from was computed from {story.say(one)}."])


def lost_on_the_way(story: Story, one: Record) -> tuple[Event, Record] | None:
    """(event, what it took) where the way from a leaf to what passes started from was cut."""
    led = {ancestor.n for event in story.ok for root in event.ins for ancestor in story.ancestors(root)}
    todo, seen = [one], set()
    uses: dict[int, list[Event]] = {}
    for event in story.events:
        if event.kind in ("op", "out") and event.place is not None:
            for each in event.ins:
                uses.setdefault(each.n, []).append(event)
    while todo:
        each = todo.pop(0)
        for event in uses.get(each.n, ()):
            if event.n in seen or event.place is None:
                continue
            seen.add(event.n)
            if not event.place.direct and event.name in ("get data", "detach", "clone"):
                continue
            out_of = event.kind == "out" and event.had(each) and each.n in led
            if out_of and not isinstance(story.statement(event), ast.Expr) and comes_back(story, event):
                return event, each
            for out in event.outs:
                if out is each or event.name in SHAPE_ONLY:
                    continue
                if event.had(each) and not event.had(out) and out.n in led and out.dtype.is_floating_point:
                    return event, each
                if out.req and out.lost is None:
                    todo.append(out)
                if out.lost is not None and out.n in led:
                    return out.lost, out
    return None


def comes_back(story: Story, event: Event) -> bool:
    """True if numbers that were taken out are in a tensor again that a pass started from."""
    for done in story.ok:
        for root in done.ins:
            for ancestor in story.ancestors(root):
                made = ancestor.made
                if made is not None and not made.ins and made.kind == "op" and story.number_before(made) is event:
                    return True
    return False


class NoneRead(Cause):
    """A `.grad` was shown, and it was None where the program expected a gradient."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        told = set()
        for event in story.events:
            if event.kind != "read" or not event.info["none"] or not event.place or not event.place.direct:
                continue
            line = story.statement(event)
            one = event.ins[0] if event.ins else None
            if one is None or one.n in told or not isinstance(line, ast.Expr) or "None" in source(line):
                continue
            if one.leaf and not one.req and not story.cuts(one):
                continue
            if not [item for item in story.ok if item.n < event.n]:
                continue
            told.add(one.n)
            yield from none_story(self, story, event)


class NeverReached(Cause):
    """The optimizer has a tensor that no pass reaches, because the graph is cut on the way."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        if not story.ok or not story.steps:
            return
        if any(one.n not in story.held and one.param for one in story.reached.values()):
            return  # NotHeld says it
        idle = [one for n in story.held if (one := story.bag[n]).req and n not in story.reached]
        for one in idle[:1]:
            more = f" and {len(idle) - 1} more" if len(idle) > 1 else ""
            lead = f"no pass reaches {story.say(one)}{more}, which the optimizer has"
            if lost_on_the_way(story, one) is not None:
                yield from unreached(self, story, one, lead)


class FlagOnResult(Cause):
    """requires_grad was set on a new tensor made of numbers: a new graph begins there."""

    silent = True

    def find(self, story: Story) -> Iterator[Finding]:
        for event in story.ok:
            for root in event.ins:
                above = [one for one in story.ancestors(root) if one.leaf and one.req]
                fresh = [
                    one
                    for one in ([root] if root.leaf else above)
                    if one.made is not None
                    and one.made.name in ("tensor", "as_tensor", "requires_grad_", "detach", "Tensor")
                    and not one.param
                    and one.n not in story.held
                ]
                if not fresh or (not root.leaf and len(fresh) < len(above)):
                    continue
                one = fresh[0]
                cuts = story.cuts(one)
                out = story.number_before(one.made) if one.made is not None and not one.made.ins else None
                if not cuts and out is not None:
                    cuts = [(out, out.ins[0])]
                if not cuts and one.made is not None and one.made.ins and one.made.had(one.made.ins[0]):
                    cuts = [(one.made, one.made.ins[0])]
                if not cuts or not self.matters(story, cuts[0][1]):
                    continue
                where, what = cuts[0]
                names = [
                    ancestor.label
                    for ancestor in story.ancestors(what)
                    if ancestor.leaf and ancestor.req and ancestor.label
                ]
                if not names:
                    continue
                verb = "gets" if len(names) == 1 else "get"
                told = ", ".join(f"`{name}`" for name in names[:3])
                says = [
                    f"the pass of {story.at(event)} reaches only {story.say(one)} itself: setting requires_grad there "
                    f"starts a new graph. {why_cut(story, where, what)[:1].upper()}{why_cut(story, where, what)[1:]}, "
                    f"so "
                    f"{told} {verb} no gradient from it."
                ]
                yield self.finding(says, mend_cut(story, where, what, names))
                return

    def matters(self, story: Story, what: Record) -> bool:
        """True if leaves behind the cut get no gradient in any other way."""
        behind_it = [one for one in story.ancestors(what) if one.leaf and one.req]
        return bool(behind_it) and not any(one.n in story.reached for one in behind_it)
