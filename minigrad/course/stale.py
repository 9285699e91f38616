"""Explain why a pass cannot use what a graph has kept: it was changed in place, or freed by an earlier pass."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from minigrad import leaf
from minigrad.compat import checks
from minigrad.course.case import Case, Explanation, code, where
from minigrad.course.naming import LONG, last_word
from minigrad.course.places import Location, Sources
from minigrad.course.stories import Change, Pass, Story
from minigrad.tensor import Tensor


def changed(case: Case) -> Explanation | None:
    """`one of the variables needed for gradient computation has been modified by an inplace operation`."""
    node = case.local("check_versions", "node")
    if node is None:
        return None
    expected, now = case.local("check_versions", "expected"), case.local("check_versions", "now")
    roles = checks.roles(node)
    places = [place for place, each in enumerate(now) if each != expected[place]]
    which = min(places, key=lambda each: (roles[each] == "result", roles[each]))
    kept = node.saved[which]
    node_place, made = case.seen.nodes.get(node, (None, None))
    result = checks.is_result(kept)
    story = made if result and made is not None else case.seen.story(getattr(kept, "tensor", kept))
    owner = case.naming.owner(story)
    if story.inner:
        story = owner  # what the engine made of it is of no interest
    name, label = case.naming.name(story), node.name()
    view = owner is not story
    own = kept._counter
    changes = [each for each in getattr(own, "changes", ()) if each.version > expected[which]]
    if not changes:
        return None
    steps: list[tuple[Location | None, str]] = []
    if story.place and story.place != node_place:
        of = f", a view of {case.naming.name(owner)}" if view else ""
        steps.append((story.place, f"makes {case.naming.there(story)}{of}."))
    reason = "its derivative is computed from it" if result else "the derivative contains it"
    keeps = f"makes and keeps {case.naming.there(story)}" if result else f"keeps {name}"
    steps.append((node_place, f"{keeps} for the backward pass: {reason} ({label})."))
    change = changes[0]
    did, through = f"changes {name} in place", change.story
    if through and (through.inner or not case.naming.is_bound(through)):
        through = change.base or through  # a view without a name, as in `y[0] = 1`
    if through and through is not story:
        other = case.naming.name(through)
        if through is not owner and through.place != change.place:
            steps.append((through.place, f"makes {case.naming.there(through)}, which shares the memory of {name}."))
        if through.place != change.place:
            did = f"changes {other} in place, and with it {name}: a change of any part of their memory counts"
    later = [each for each in changes[1:] if each.place and change.place and each.place.line != change.place.line]
    steps.append((change.place, f"{did}{within(case, change.place)}."))
    steps += [(each.place, "changes it once more.") for each in later[:2]]
    steps.append((case.here, f"needs {name} as it was: {label} cannot be computed from the new numbers."))
    return Explanation(
        f"{name} was changed in place after {label} had kept it for the backward pass. The old numbers are gone, so "
        "this gradient cannot be computed.",
        steps,
        instead_of(case, change, story, node) if case.naming.is_bound(story) or not story.inner else [INSIDE],
    )


INSIDE = "A layer or function of torch changes it: look for `inplace=True`, and leave that out."


def within(case: Case, place: Location | None) -> str:
    """In which function a place is, and where that was called."""
    if place is None or not place.function:
        return ""
    called = f", called on {case.sources.at(place.caller)}" if place.caller else ""
    return f" (in {place.function}(){called})"


def instead_of(case: Case, change: Change, story: Story, node: Any) -> list[str]:
    """What to write instead of a change in place of a tensor that a node has kept."""
    place, sources, name = change.place, case.sources, case.naming.name(story)
    kept, short = case.seen.nodes.get(node, (None, None))[0], code(name, "…")
    tensor = story.ref() if story.ref else None
    clone = f"`{short}.clone()`" if tensor is None else case.written(tensor, "clone()")
    copy = f"Or let it change a copy: {clone} has the same numbers and the same gradient."
    if place is None:
        return [copy]
    root = case.local("walk", "root")
    if "step" in change.how or (not change.recorded and tensor is not None and tensor.requires_grad):
        before = case.seen.passes[-2] if len(case.seen.passes) > 1 else Pass(None, 0, None)
        carried = carry(case, root, before.number) if node.number < before.number < root.number else None
        if carried is not None and is_remade(case, carried, before.number):
            retains = any("retain_graph" in text for text in case.sources.texts.values())
            return [cut_off(case, carried, before, root) + " Then `retain_graph=True` is not needed." * retains]
        stale = [each for each in below(root) if is_stale(each)]
        again = from_first(case, stale, case.seen.nodes.get(root, (None, None))[1])
        order = f"Or call every backward() that needs {name} before {case.sources.at(place)}, which changes it"
        several = len(case.seen.passes) > 1
        return [
            f"Compute {again} again after {case.sources.at(place)}: the old graph belongs to the old numbers.",
            f"{order}: the gradients of all these passes then add up in its `.grad`." if several else f"{order}.",
        ]
    line, statement = f"{case.sources.at(place)}", sources.statement(place)
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        target = sources.said(statement.target)
        new = ast.BinOp(statement.target, statement.op, statement.value)
        returned = f" and return {target}" if ends_with(sources, statement) else ""
        return [
            f"On {line} write `{target} = {ast.unparse(new)}`{returned}: that makes a new tensor, and the old one "
            "stays as it is.",
            copy,
        ]
    call = sources.expression(place)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        owner, plain = sources.said(call.func.value), call.func.attr.rstrip("_")
        if hasattr(Tensor, plain) and plain not in ("copy", "fill"):
            new_call = ast.Call(ast.Attribute(call.func.value, plain), call.args, call.keywords)
            new_name = owner if isinstance(call.func.value, ast.Name) else code(name, "")
            new_name += " = " if new_name else ""
            return [f"On {line} write `{new_name}{ast.unparse(new_call)}`, without the underscore.", copy]
    if isinstance(statement, (ast.Assign, ast.AugAssign)) and not isinstance(call, ast.Call):
        written = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if isinstance(written, ast.Subscript):
            owner = sources.said(written.value)
            if kept and kept.line == place.line:
                entries = [each for each in ast.walk(statement.value) if isinstance(each, ast.Subscript)]
                read = [text for text in map(sources.said, entries) if text.startswith(f"{owner}[")]
                short = read[0] if read else name.strip("`")
                return [
                    f"On {line} read a copy: write `{short}.clone()` for `{short}`.",
                    "Or collect the results in a list, and make one tensor of it at the end, with `torch.stack`.",
                ]
            return [
                f"Before {line} write `{owner} = {owner}.clone()`: then the copy is changed.",
                "Or build the tensor in one go, with `torch.where`, `torch.stack` or `torch.cat`.",
            ]
    if isinstance(call, ast.Call) and not last_word(call.func).endswith("_"):
        return [f"What {line} calls changes {name}: look for `inplace=True` there, and leave that out.", copy]
    return [f"Let {line} make a new tensor instead of changing {name}.", copy]


def ends_with(sources: Sources, statement: ast.stmt) -> bool:
    """True if a function ends with the statement, and gives nothing back: what it did to its argument is its result."""
    for file in sources.texts:
        for each in sources.nodes(file):
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.body[-1] is statement:
                return True
    return False


def is_stale(node: Any) -> bool:
    """True if what a node had kept was freed, or changed in place since."""
    if type(node.saved) is not tuple:
        return node.saved is None
    return leaf.expected_versions(node) != tuple(map(leaf.version, node.saved))


def below(root: Any) -> Iterator[Any]:
    """A node, and every node that it leads to."""
    waiting, seen = [root], {root}
    while waiting:
        yield (node := waiting.pop())
        for target in node.edges:
            if target is not None and not isinstance(target, Tensor) and target not in seen:
                seen.add(target)
                waiting.append(target)


def from_first(case: Case, nodes: Iterable[Any], story: Story | None) -> str:
    """What has to be computed again to have none of these nodes: the tensor, if all are of its line, or more."""
    made = [(node.number, place) for node in nodes if (place := case.seen.nodes.get(node, (None, None))[0])]
    name = case.naming.name(story) if story else "the result"
    if not made or case.here is None:
        return name
    place = min(made, key=lambda each: each[0])[1]
    if place.caller and place.code is not case.here.code:
        place = place.caller
    if story and story.place and (story.place.code, story.place.line) == (place.code, place.line):
        return name
    line = case.sources.line(place)
    return f"everything from {where(place, case.here.file)} on (`{line[:LONG]}{'…' if line[LONG:] else ''}`)"


def cut_off(case: Case, carried: Story, before: Pass, root: Any) -> str:
    """Advice for a tensor that leads into the graph of an earlier pass: cut it where the new graph begins."""
    users = [
        node
        for node in below(root)
        if node.number > before.number
        for each in node.edges
        if each is not None and not isinstance(each, Tensor) and case.seen.nodes.get(each, (None, None))[1] is carried
    ]
    place = case.seen.nodes[min(users, key=lambda each: each.number)][0] if users else None
    used = case.naming.operand(carried, place) if place else ""
    begins = case.sources.begins(place, before.place, used) if place and used else None
    name, target = case.naming.name(carried), case.naming.target(carried)
    done = (
        f"let {case.sources.at(place)} use the `.detach()` of {name}"
        if place
        else f"go on with the `.detach()` of {name}"
    )
    if begins and place and before.place and is_called_again(case, root, before, place, begins):
        done = once_a_pass(case, carried, before.place)  # the line runs several times for one pass
    elif begins and before.place and isinstance(case.sources.statement(carried.place), ast.AugAssign):
        done = f"write `{used} = {used}.detach()` below {case.sources.at(before.place)}"  # at first it may be a plain 0
    elif begins:
        done = f"before {case.sources.at(begins)} write `{used} = {used}.detach()`"
    elif whole := all_of_it(case, carried, before):
        done = whole
    elif target and before.place and carried.place and carried.place.code is before.place.code:
        done = f"write `{target} = {target}.detach()` below {case.sources.at(before.place)}"
    return f"If the gradient should end there, cut it: {done}."


def is_called_again(case: Case, root: Any, before: Pass, place: Location, begins: Location) -> bool:
    """True if the function of a place, which holds the line `begins`, was called several times for one pass."""
    if before.place and place.code is before.place.code:
        return False
    loops = [each for each in case.sources.nodes(place.file) if isinstance(each, (ast.For, ast.While))]
    if any(each.lineno == begins.line for each in loops):
        return False  # it is this loop that comes there again
    found = [(node, case.seen.nodes.get(node, (None, None))[0]) for node in below(root) if node.number > before.number]
    there = [type(node) for node, each in found if each and (each.code, each.at) == (place.code, place.at)]
    return bool(there) and min(Counter(there).values()) > 1


def once_a_pass(case: Case, carried: Story, asked: Location) -> str:
    """How to cut a state that a function carries from call to call in one pass: below where that is asked for."""
    made = [(node.number, story) for node, (place, story) in [*case.seen.nodes.items()] if place == carried.place]
    tensor = newest.ref() if (newest := max(made, key=lambda each: each[0])[1]) and newest.ref else None
    name = next(case.naming.bound(tensor), "") if tensor is not None else ""
    line = f"below {case.sources.at(asked)}"
    return f"write `{name} = {name}.detach()` {line}" if name else f"{line}, go on with the `.detach()` of the state"


def all_of_it(case: Case, carried: Story, before: Pass) -> str:
    """How to cut everything that a list or tuple holds, if the tensor is known as an entry of one; else ""."""
    base, held = case.naming.holder(code(case.naming.name(carried), ""))
    if held is None or before.place is None:
        return ""
    line = f"below {case.sources.at(before.place)}"
    if isinstance(held, tuple):
        return f"write `{base} = tuple(each.detach() for each in {base})` {line}"
    detached = f"`{base}[:] = [each.detach() for each in {base}]`"
    return f"write `{base}.clear()` {line}, or, if the old entries are still needed, {detached}"


def shared(case: Case, root: Any, before: Pass) -> Story | None:
    """The newest tensor of a graph that what an earlier pass started from was computed from as well."""
    graph = {*below(root)}
    users = [user for user in [*case.seen.nodes] if user not in graph and user.number < before.number]
    both = [node for user in users for node in user.edges if node in graph]
    return case.seen.nodes.get(max(both, key=lambda each: each.number), (None, None))[1] if both else None


def detached_before(case: Case, carried: Story, before: Pass, root: Any) -> Iterator[str]:
    """Advice for a tensor through which an earlier pass went, perhaps without need, as that of a discriminator."""
    graph = {*below(root)}
    short, tensor = code(case.naming.name(carried), ""), carried.ref() if carried.ref else None
    node = tensor._made_by if tensor is not None else None
    for user, (place, _) in [*case.seen.nodes.items()]:
        if user in graph or user.number > before.number or node not in user.edges:
            continue
        if short and place and carried.place != place:
            before_line = f"the pass of {case.sources.at(before.place)}" if before.place else "the earlier pass"
            yield (
                f"If {before_line} needs no gradient through `{short}`, as that of a discriminator or an actor: write "
                f"`{short}.detach()` for it on {case.sources.at(place)}."
            )
            return


def numbers_alone(case: Case, carried: Story) -> Iterator[str]:
    """Advice for a sum of losses that is kept for a printout."""
    statement = case.sources.statement(carried.place) if carried.place else None
    if (
        isinstance(statement, ast.AugAssign)
        and isinstance(statement.op, ast.Add)
        and isinstance(statement.value, ast.Name)
    ):
        added = statement.value.id
        kept = f"{case.sources.said(statement.target)} += {added}.item()"
        yield f"If that sum is for a printout: write `{kept}`, and call `{added}.backward()`."


def overwritten(case: Case, root: Any, before: Pass, again: bool) -> str:
    """Why a graph could not be kept after a pass: a change in place of what a node in it holds; "" if there is none.

    again: the passes are turns of a loop, so that what was changed after the last one is changed after this one too.
    """
    for node in (each for each in below(root) if again or each.number < before.number):
        counters = case.seen.held.get(node, ())
        if again and type(node.saved) is tuple:
            counters = [getattr(each, "_counter", None) for each in node.saved]
        for change in (each for counter in counters for each in getattr(counter, "changes", ())):
            if change.number > before.number and change.place:
                what = case.naming.name(change.story) if change.story else "a tensor"
                return (
                    f"`retain_graph=True` would not help: {case.sources.at(change.place)} "
                    f"(`{case.sources.line(change.place)}`) changes {what}, and the old graph needs it as it was."
                )
    return ""


def second_time(case: Case) -> Explanation | None:
    """`Trying to backward through the graph a second time`."""
    node, root = case.local("demand", "node"), case.local("walk", "root")
    if node is None:
        return None
    place, made = case.seen.nodes.get(node, (None, None))
    before = case.seen.freed.get(node) or (case.seen.passes[-2] if len(case.seen.passes) > 1 else None)
    if before is None:
        return None
    what = f"{node.name()}{' of ' + case.naming.name(made) if made else ''}"
    again = before.place and case.here and (before.place.code, before.place.at) == (case.here.code, case.here.at)
    steps = (
        [(place, f"makes {case.naming.there(made)}; its {node.name()} keeps what its derivative needs.")]
        if made
        else []
    )
    steps.append((before.place, "goes through it, and frees what it had kept."))
    number, later = getattr(root, "number", 0), " in the next turn" if again else ""
    freed = [each for each in below(root) if each.saved is None]
    useless = overwritten(case, root, before, bool(again))
    carried = carry(case, root, before.number) if number > before.number else None
    if carried is not None:
        name = case.naming.name(carried)
        if carried.place and carried.place != place:
            steps.insert(len(steps) - 1, (carried.place, f"makes {case.naming.there(carried)}, which leads to it."))
        steps.append((case.here, f"comes to it again{later}, through {name}, which the new graph uses."))
        line = f"{case.sources.at(before.place)}" if before.place else "the first pass"
        remade = is_remade(case, carried, before.number)
        rows = (
            again
            and not remade
            and not useless
            and last_word(getattr(case.sources.expression(case.here), "func", None)) == "grad"
        )
        return Explanation(
            f"The graph of this pass is new, but through {name} it still leads to one that an earlier pass has freed.",
            steps,
            [f"These passes share the graph of {name}: keep it for the next one, with `retain_graph=True` on {line}."]
            if rows
            else [
                *([] if remade else detached_before(case, carried, before, root)),
                *numbers_alone(case, carried),
                cut_off(case, carried, before, root)
                if remade
                else f"Compute {from_first(case, freed, carried)} anew for each pass"
                f"{', inside the loop' if again else ''}, so that it has a new graph; or call backward() once, on the "
                "sum of the losses.",
                useless
                or f"`retain_graph=True` on {line} keeps the old graph: right if the gradient should really go "
                "through all of it.",
            ],
        )
    steps.append((case.here, f"goes through it again{later}, but what it needs was freed."))
    keeping = "`backward(retain_graph=True)`" + (f" on {case.sources.at(before.place)}" if before.place else " before")
    same, result = before.root == number, case.seen.nodes.get(root, (None, None))[1]
    keep = useless or f"Or keep the graph: {keeping}."
    if same and again:
        advice = [
            f"Compute {from_first(case, freed, result)} inside the loop, so that each turn has a new graph.",
            useless
            or "`retain_graph=True` would only hide the error: every turn would go through the old numbers, and "
            f"{case.naming.name(result) if result else 'the result'} would never change.",
        ]
    elif same and useless:
        advice = [f"Compute {from_first(case, freed, result)} again before the second call.", useless]
    elif same:
        advice = ["One call is enough: a second one would only add the same gradients again.", keep]
    elif earlier := next((each for each in below(root) if each.number == before.root), None):
        part = case.seen.nodes.get(earlier, (None, None))[1]
        names = [case.naming.name(each) if each else "a tensor" for each in (part, result)]
        advice = [
            *(numbers_alone(case, result) if result else ()),
            f"{names[0]} is a part of {names[1]}, and its pass has run: leave out one of the two passes.",
            keep,
        ]
    else:
        common = shared(case, root, before)
        apart = [*detached_before(case, common, before, root)] if common else []
        advice = [*apart, f"{'Or add' if apart else 'Add'} the two results, and call backward() once on the sum.", keep]
    return Explanation(
        f"An earlier pass went through {what}, and freed what it kept. "
        + ("This is the same pass once more." if same else "This pass, from another result, leads there too."),
        steps,
        advice,
    )


def is_remade(case: Case, story: Story, number: int) -> bool:
    """True if the line that made a tensor before a pass has run again since."""
    nodes = [node for node, (place, _) in [*case.seen.nodes.items()] if place == story.place]
    return any(node.number > number for node in nodes)


def carry(case: Case, root: Any, number: int) -> Story | None:
    """The newest tensor made before a pass (the `number`) that what was made after it uses, and that was freed."""
    old = [node for node in below(root) if 0 < node.number <= number]
    for node in sorted(old, key=lambda each: each.number, reverse=True):
        story = case.seen.nodes.get(node, (None, None))[1]
        if story is not None:
            return story
    return None
