"""What happened to each tensor of a program, put together from the events."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import torch

from minigrad_course.explain.observing.observe import KEY, Event, Observer, Record, Sick, sampled
from minigrad_course.explain.program import (
    Kinds,
    Node,
    Program,
    all_of,
    call_name,
    paths_in,
    source,
    statement,
    targets_of,
)

if TYPE_CHECKING:
    from torch.autograd.graph import Node as GraphNode

CREATED = set(
    "tensor zeros ones randn rand full arange linspace eye empty as_tensor from_numpy zeros_like ones_like randn_like "
    "rand_like full_like randint normal logspace empty_like scalar_tensor new_zeros new_ones new_tensor new_full "
    "Parameter rand_int asarray".split()
)
SHAPE_ONLY = set("zeros_like ones_like randn_like rand_like full_like empty_like new_zeros new_ones new_full".split())
BACK = ("from_numpy", "as_tensor", "Tensor(")  # ways back into torch that are no operations
LONG = 60  # characters of an expression that are shown
MANY = 3000  # tensors that are looked at in a walk


class Ended:
    """How a program ended: its error with its line, the namespaces of its frames, how long it ran, what it did."""

    def __init__(self, error: BaseException | None, path: str, line: int, frames: list[dict[str, object]], took: float):
        self.error, self.path, self.line, self.frames, self.took = error, path, line, frames, took


class Story:
    """The events of a program with its texts, as causes ask for them."""

    def __init__(self, programs: dict[str, Program], seen: Observer, ended: Ended):
        self.seen, self.programs, self.ended = seen, programs, ended
        self.error, self.message = ended.error, str(ended.error) if ended.error is not None else ""
        self.line, self.frames = ended.line, ended.frames
        for frame in ended.frames:
            seen.call_them(frame)
        seen.bury()
        # one that Ctrl-C met before it began says nothing
        self.passes = [one for one in seen.passes if "reached" in one.info]
        self.steps = [one for one in seen.steps if "grads" in one.info]
        self.ok = [one for one in self.passes if one.error is None]
        self.events = sorted(
            [*seen.log, *seen.marks, *self.passes, *self.steps, *seen.clears], key=lambda event: event.n
        )
        self.known: dict[Any, list[Any]] = {}
        self.bag: dict[int, Record] = {}
        for event in self.events:
            for one in (*event.ins, *event.outs, *event.info.get("reached", ()), *event.info.get("inputs", ())):
                self.bag[one.n] = one
        self.bag |= {one.n: one for one in [*seen.records.values(), *seen.used.values()]}
        for one in self.bag.values():
            one.now = one.ref()
        self.optimizers = [event for event in self.events if event.kind == "optimizer"]
        self.held = {one.n for event in [*self.optimizers, *self.steps] for one in event.ins}
        self.reached: dict[int, Record] = {}
        self.since: dict[int, int] = {}
        for event in self.ok:
            for one in event.info["reached"]:
                self.reached.setdefault(one.n, one)
                self.since.setdefault(one.n, event.n)
        used = set(self.reached) | {one.n for event in self.ok for one in event.info["inputs"]}
        self.leaves = {
            one.n: one
            for one in self.bag.values()
            if one.leaf and one.req and one.fn is None and (one.n in used or one.n in self.held or one.label)
        }

    # --- words ----------------------------------------------------------------------------------

    def program(self, event: Event | None) -> Program | None:
        return self.programs.get(event.place.path) if event is not None and event.place else None

    def node(self, event: Event | None) -> Node:
        """The expression of the program that an event is of."""
        program = self.program(event)
        if program is None or event is None or event.place is None:
            return None
        return program.exact.get(event.place.span(self.known))

    def statement(self, event: Event | None) -> Node:
        """The statement that an event is of."""
        node = self.node(event)
        if node is not None:
            return statement(node)
        program = self.program(event)
        return program.stmt_line(event.line) if program is not None and event is not None else None

    def error_statement(self) -> Node:
        """The statement that stopped."""
        program = self.programs.get(self.ended.path)
        return program.stmt_line(self.line) if program is not None else None

    def at(self, what: Event | Node | None) -> str:
        """`line 3` of an event or a node; of nothing, `an unknown line`."""
        if what is None:
            return "an unknown line"
        if isinstance(what, Event):
            program = self.program(what)
            return program.at_line(what.line) if program is not None else "an unknown line"
        return str(what.program.at_line(what.lineno))

    def at_error(self) -> str:
        program = self.programs.get(self.ended.path)
        return program.at_line(self.line) if program is not None else f"line {self.line}"

    def source(self, event: Event | None) -> str:
        """The expression of an event, shortened."""
        if event is None:
            return "?"
        node = self.node(event)
        text = source(node) if node is not None else ""
        if not text:
            return event.name
        return text if len(text) <= LONG else text[: LONG - 1] + "…"

    def say(self, one: Record) -> str:
        """What to call a tensor: by its name, or the expression that made it."""
        if one.label:
            return f"`{one.label}`"
        if one.made is not None and one.made.place and one.made.kind != "pass":
            if one.made.name == "Parameter":
                target = targets_of(self.statement(one.made))
                return f"`{source(target[0])}`" if target else f"`{self.source(one.made)}`"
            return f"`{self.source(one.made)}`"
        where = f" first used on {self.at(one.first)}" if one.first is not None and one.first.place else ""
        return f"a tensor of shape {list(one.shape)}{where}"

    def listed(self, some: list[Record], many: int = 3) -> str:
        """Some tensors, of many only the first."""
        names = list(dict.fromkeys(self.say(one) for one in some))
        if len(names) > many:
            return ", ".join(names[:many]) + f" and {len(names) - many} more"
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def calls(self, *names: str) -> list[Any]:
        """The calls of functions or methods with these names."""
        return [node for node in all_of(self.programs.values(), ast.Call) if call_name(node) in names]

    def calls_with_inplace(self) -> list[Any]:
        """The calls with `inplace=True`."""
        return [
            call
            for call in self.all(ast.Call)
            if any(word.arg == "inplace" and getattr(word.value, "value", 0) is True for word in call.keywords)
        ]

    def all(self, kind: Kinds) -> list[Any]:
        return all_of(self.programs.values(), kind)

    def pass_call(self, event: Event) -> Node:
        """The call of backward() or grad() of a pass."""
        node = self.node(event)
        if isinstance(node, ast.Call):
            return node
        program = self.program(event)
        return next(
            (
                one
                for one in self.calls("backward", "grad")
                if one.program is program and one.lineno <= event.line <= one.end_lineno
            ),
            None,
        )

    def argument(self, event: Event, one: Record) -> Node:
        """The expression that stands for an input in the program."""
        node = self.node(event)
        if node is None or event.place is None or not event.place.direct:
            return None
        parts: list[Any] = []
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.AugAssign):
            parts = [node.target, node.value]
        elif isinstance(node, ast.Subscript):
            parts = [node.value]
        elif isinstance(node, ast.UnaryOp):
            parts = [node.operand]
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and len(event.ins) > sum(
                not isinstance(arg, ast.Constant) for arg in node.args
            ):
                parts.append(node.func.value)
            for arg in node.args:
                parts += arg.elts if isinstance(arg, (ast.List, ast.Tuple)) else [arg]
        parts = [part for part in parts if not isinstance(part, ast.Constant)]
        index = next((k for k, item in enumerate(event.ins) if item is one), -1)
        return parts[index] if 0 <= index < len(parts) and len(parts) >= len(event.ins) else None

    # --- where a tensor comes from ----------------------------------------------------------------

    def parents(self, one: Record) -> list[Record]:
        """What a tensor was made of, with numbers that left torch and came back where they can be followed."""
        event = one.made
        if one.of is not None:
            return [one.of]
        written = [item for writer in one.writers for item in self.written(writer, one)]
        return written + self.made_of(one, event)

    def written(self, writer: Event, one: Record) -> list[Record]:
        """What an event wrote into a tensor: other tensors, or numbers that were taken out of one."""
        others = [item for item in writer.ins if item is not one]
        if not others and writer.name in ("__setitem__", "fill_", "add_", "mul_", "sub_", "__iadd__"):
            out = self.number_before(writer)
            others = list(out.ins) if out is not None else []
        return others

    def made_of(self, one: Record, event: Event | None) -> list[Record]:
        """What the event that made a tensor made it of."""
        if event is None:
            fn: Any = None
            try:
                fn = one.now.grad_fn if one.now is not None else None
            except RuntimeError:
                fn = None
            if fn is None:
                here = self.statement(one.first)
                if here is None or one.first is None or not any(name in source(here) for name in BACK):
                    return []
                out = self.number_before(one.first)
                return list(out.ins) if out is not None else []
            return [item for node, _ in fn.next_functions if node is not None for item in self.of(node)]
        if event.kind == "pass":
            return []
        if event.name == "Parameter":
            return [item for item in event.ins if item is not one]
        if not event.ins and event.name in CREATED:
            out = self.number_before(event)
            return list(out.ins) if out is not None else []
        return [item for item in event.ins if item is not one]

    def of(self, node: GraphNode) -> list[Record]:
        """The tensors that a node of a graph stands for."""
        if type(node).__name__ == "AccumulateGrad":
            return [self.seen.record(node.variable)]
        made = node.metadata.get(KEY)
        return list(made.event.outs[:1]) if made is not None else []

    def carries(self, one: Record, deep: int = 30) -> bool:
        """True if a tensor has, or was made of what has, requires_grad."""
        todo, seen = [one], set[int]()
        while todo and len(seen) < deep:
            each = todo.pop()
            if each.n in seen:
                continue
            seen.add(each.n)
            if each.req and each.dtype.is_floating_point:
                return True
            if each.made is not None and each.made.ins:
                todo += [x for x in each.made.ins if x is not each]
        return False

    def number_before(self, event: Event) -> Event | None:
        """Where numbers were taken out of a tensor that came back here: in one statement, or through names."""
        here = self.statement(event)
        if here is None:
            return None
        used = paths_in(getattr(here, "value", None) or here)
        for _ in range(3):  # through other names
            for out in reversed(self.events):
                if out.n >= event.n or out.kind != "out" or not out.ins or not self.carries(out.ins[0]):
                    continue
                there = self.statement(out)
                if there is here:
                    return out
                if there is not None and given_names(there) & used:
                    return out
            more = set(used)
            for assigned in self.all((ast.Assign, ast.AugAssign)):
                if given_names(assigned) & used:
                    more |= paths_in(assigned.value)
            if more == used:
                break
            used = more
        return None

    def ancestors(self, one: Record, limit: int = MANY) -> list[Record]:
        """A tensor, and what it comes from."""
        todo, seen = [one], dict[int, Record]()
        while todo and len(seen) < limit:
            each = todo.pop()
            if each.n not in seen:
                seen[each.n] = each
                todo += self.parents(each)
        return [*seen.values()]

    def unknown(self, one: Record) -> list[Record]:
        """Those of its ancestors of which nothing is known: made outside of torch, in a thread, or long ago."""
        return [
            ancestor
            for ancestor in self.ancestors(one)
            if not ancestor.req
            and ancestor.of is None
            and (
                ancestor.made is None
                or ancestor.made.forgotten
                or (ancestor.made.name in ("from_numpy", "as_tensor", "tensor", "asarray") and not ancestor.made.place)
            )
        ]

    def cuts(self, one: Record) -> list[tuple[Event, Record]]:
        """(event, what required grad before it) where the graph of a tensor ends, the nearest first."""
        todo, seen, result = [one], set[int](), list[tuple[Event, Record]]()
        by_pass: list[tuple[Event, Record]] = []  # what a backward() filled explains only what nothing else does
        while todo and len(seen) < MANY:
            each = todo.pop(0)
            if each.n in seen:
                continue
            seen.add(each.n)
            if each.lost is not None and not each.req:
                result.append((each.lost, each))
                continue
            if each.of is not None:
                filled = next((event for event in reversed(self.ok) if each.of in event.info["reached"]), None)
                if filled is not None:
                    result.append((filled, each.of))
                    by_pass.append(result[-1])
                continue
            event = each.made
            if event is not None and event.kind == "pass":
                result.append((event, each))
                continue
            for writer in each.writers:
                for parent in self.written(writer, each):
                    out = self.number_before(writer) if parent not in writer.ins else writer
                    if out is not None and out.had(parent) and not each.req:
                        result.append((out, parent))
                    else:
                        todo.append(parent)
            for parent in self.made_of(each, event):
                asked = event.had(parent) if event is not None and event.ins else parent.req
                gave = event.had(each) if event is not None else each.req
                if event is not None and not event.ins and event.name in CREATED:
                    out = self.number_before(event)
                    if out is None:
                        continue
                    if out.had(parent):
                        result.append((out, parent))
                    else:
                        todo.append(parent)
                elif asked and not gave and event is not None:
                    if event.name not in SHAPE_ONLY:
                        result.append((event, parent))
                else:
                    todo.append(parent)
        return [item for item in result if item not in by_pass] or result

    # --- graphs of a failed pass ------------------------------------------------------------------

    def sick(self, why: str) -> list[Sick]:
        """(why, node, Made) of the nodes that lost what they kept."""
        return [one for one in (self.seen.failed[1] if self.seen.failed else []) if one[0] == why]

    # --- results ----------------------------------------------------------------------------------

    def gradient(self, one: Record) -> str:
        """What the last pass that says so brought to a leaf: none, nan, zero or ok."""
        for event in reversed(self.ok):
            if one.n in event.info["fresh"]:
                return str(event.info["fresh"][one.n])
            if one.n in event.info["grads"]:
                return str(event.info["grads"][one.n])
        return "none" if one.n not in self.reached else "ok"

    def moved(self, one: Record) -> bool:
        """True for a leaf whose numbers are others than at its first pass."""
        if one.start is None or one.now is None:
            return False
        with torch._C.DisableTorchFunction():
            end = sampled(one.now)
        if end.shape != one.start.shape or end.dtype != one.start.dtype:
            return True
        if end.is_floating_point() and bool(one.start.isnan().any()) and bool(end.isnan().any()):
            return False
        return not torch.equal(one.start, end)

    def module_of(self, one: Record) -> str | None:
        """The name of the module whose parameter a tensor is."""
        for name, module in self.seen.modules.items():
            if (
                name != "self"
                and one.now is not None
                and any(parameter is one.now for parameter in module.parameters())
            ):
                return name
        return None


def given_names(node: Node) -> set[str]:
    """What a statement gives a value to: targets, or the list that it appends to."""
    result: set[str] = set()
    for target in targets_of(node):
        result |= paths_in(target)
    value: Node = getattr(node, "value", None)
    method = isinstance(node, ast.Expr) and isinstance(getattr(value, "func", None), ast.Attribute)
    if method and call_name(value) in ("append", "extend", "insert"):
        result.add(source(value.func.value))
    return result
