"""What several causes need: where recording is off, how an update is written in place, how a tensor becomes a leaf."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from minigrad_course.explain.findings import Make, Remedy, grad
from minigrad_course.explain.observing.observe import Event, Record
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import (
    Edit,
    Node,
    behind,
    call_name,
    drop,
    exact_source,
    function_of,
    keyword,
    put,
    replace,
    source,
    span,
    statement,
)
from minigrad_course.explain.trials.trial import Promise

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
MADE_HERE = set("tensor zeros ones randn rand full linspace arange empty eye normal randint".split())
FLOATS = ("torch.float32", "torch.float64", "torch.float16", "torch.bfloat16")


def records_nothing(node: Node) -> bool:
    """True for the expression `torch.no_grad()` and its like."""
    text = source(node)
    return "no_grad" in text or "inference_mode" in text or bool(re.search(r"set_grad_enabled\((mode=)?False", text))


def no_grad_around(story: Story, node: Node, deep: int = 4) -> Node:
    """The `with torch.no_grad():` around a node, or the decorator of its function, or of what calls that."""
    each = node
    while each is not None:
        each = each.program.up.get(each)
        if isinstance(each, ast.With) and any(records_nothing(item.context_expr) for item in each.items):
            return each
        if isinstance(each, ast.FunctionDef):
            for decorator in each.decorator_list:
                if records_nothing(decorator):
                    return decorator
            for call in story.calls(each.name) if deep else ():
                around = no_grad_around(story, call, deep - 1) if call is not node else None
                if around is not None:
                    return around
            return None
    return None


def where_called(story: Story, event: Event) -> list[Node]:
    """Where an event happens, and the statements that called what it is in, from the inside; None where not known."""
    results: list[Node] = [story.node(event) or story.statement(event)]
    for code, _, line in event.place.outer if event.place is not None else ():
        program = story.programs.get(code.co_filename)
        results.append(program.stmt_line(line) if program is not None else None)
    return results


def switch_of(story: Story, event: Event) -> Node:
    """The `torch.no_grad()` of the `with` or the decorator under which an event ran; None if that is not certain."""
    for node in where_called(story, event):
        while node is not None:
            node = node.program.up.get(node)
            if isinstance(node, ast.With):
                given = [item.context_expr for item in node.items]
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                given = node.decorator_list
            else:
                continue
            for entry in reversed(given):
                if records_nothing(entry) and not isinstance(entry, ast.IfExp):
                    return entry
                if "grad" in source(entry):
                    return None
            if not isinstance(node, ast.With):
                break
    return None


def switched_off(story: Story, event: Event) -> Node:
    """`torch.set_grad_enabled(False)` as a statement of its own, before an event."""
    for call in story.calls("set_grad_enabled"):
        if isinstance(call.program.up.get(call), ast.Expr) and records_nothing(call):
            return call
    return None


def recorded(story: Story, event: Event) -> Edit | None:
    """The text in which an event is recorded."""
    for node in where_called(story, event):
        around = no_grad_around(story, node) if node is not None else None
        if isinstance(around, ast.With):
            item = next(one for one in around.items if records_nothing(one.context_expr))
            return replace((item.context_expr, "torch.enable_grad()"))
        if around is not None:
            starts = around.program.starts
            return put(around.program, (starts[around.lineno - 1], starts[around.end_lineno], ""))
    off = switched_off(story, event)
    return drop(statement(off)) if off is not None else None


def update_change(story: Story, node: Node) -> tuple[int, int, str] | None:
    """The change of the text that makes of `w = w - lr * w.grad` a change of `w` in place, without recording."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    value, target = node.value, source(node.targets[0])
    if isinstance(value, ast.Call) and call_name(value) == "detach" and isinstance(value.func, ast.Attribute):
        value = value.func.value
    if not isinstance(value, ast.BinOp) or source(value.left) != target:
        return None
    if not isinstance(value.op, (ast.Sub, ast.Add, ast.Mult)):
        return None
    line, blank = f"{target} {OPERATORS[type(value.op)]}= {source(value.right)}", " " * node.col_offset
    clear = f"\n{blank}{target}.grad = None" if ".grad" in source(value.right) and not clears(story) else ""
    if no_grad_around(story, node) is not None:
        return (*span(node), line + clear)
    starts = node.program.starts
    begin, end = starts[node.lineno - 1], starts[node.end_lineno]
    return begin, end, f"{blank}with torch.no_grad():\n{blank}    {line}{clear}\n"


def clears(story: Story) -> bool:
    """True if the program clears gradients somewhere."""
    texts = [program.text for program in story.programs.values()]
    return any(re.search(r"zero_grad\(|grad\.zero_\(|\.grad = None", text) for text in texts)


def update_in_place(story: Story, node: Node) -> Edit | None:
    """`w = w - lr * w.grad` as a change of `w`, without recording."""
    change = update_change(story, node)
    return put(node.program, change) if change is not None else None


def updates_in_place(story: Story, node: Node) -> Edit | None:
    """The same for every update of this kind that stands beside it."""
    around = node.program.up.get(node)
    beside = [one for one in getattr(around, "body", [node]) if isinstance(one, ast.Assign) and ".grad" in source(one)]
    changes = [change for one in beside if (change := update_change(story, one)) is not None]
    return put(node.program, *changes) if len(changes) > 1 else update_in_place(story, node)


def as_leaf(story: Story, made: Event | None) -> Iterator[Make]:
    """Ways to let the constant that an event made require grad."""
    node = story.node(made)
    if isinstance(node, ast.Call) and call_name(node) in MADE_HERE:
        wrong = any(one.arg and one.arg != "requires_grad" and "grad" in one.arg for one in node.keywords)
        if not wrong:
            yield lambda: keyword(node, requires_grad="True")
    elif isinstance(node, ast.expr):
        yield lambda: behind(node, ".requires_grad_()")


def leaf_at_the_end(story: Story, one: Record) -> list[Remedy]:
    """What an operation makes of a leaf becomes a leaf itself."""
    made = one.made
    line = story.statement(made)
    if not isinstance(line, (ast.Assign, ast.AnnAssign)) or line.value is None:
        return []
    promise: Promise = {**grad([one.label]), "frees": [one.label or ""]}
    remedies: list[Remedy] = []
    flagged = [
        call
        for call in ast.walk(line.value)
        if isinstance(call, ast.Call) and any(word.arg == "requires_grad" for word in call.keywords)
    ]
    if flagged:

        def at_the_end() -> Edit:
            text = re.sub(r",\s*requires_grad\s*=\s*True", "", exact_source(line.value))
            return replace(
                (line.value, (f"({text})" if isinstance(line.value, ast.BinOp) else text) + ".requires_grad_()")
            )

        remedies.append(("ask for the gradient at the end", at_the_end, promise))
    inner = next(
        (call for call in ast.walk(line.value) if isinstance(call, ast.Call) and call_name(call) == "Parameter"), None
    )
    if inner is not None and inner is not line.value:
        remedies.append(("make the Parameter last", lambda: parameter_last(line, inner), promise))
    flag_inside = [call for call in story.calls("requires_grad_") if statement(call) is line]
    if not flagged and inner is None and not flag_inside:
        remedies += two_lines(story, one, line, promise)
        last: Promise = {**promise, "last": True}  # a Parameter would be none any more
        remedies.append(("make it a leaf", lambda: behind(line.value, ".detach().requires_grad_()"), last))
    return remedies


def parameter_last(line: Node, inner: Node) -> Edit:
    """`0.1 * Parameter(x)` as `Parameter(0.1 * x)`."""
    begin, end = span(line.value)
    first, last = span(inner)
    raw = line.program.raw
    inside = source(inner.args[0])
    text = (raw[begin:first] + inside.encode() + raw[last:end]).decode()
    return replace((line.value, f"{source(inner.func)}({text})"))


def two_lines(story: Story, one: Record, line: Node, promise: Promise) -> Iterator[Remedy]:
    """A leaf that a later line gives another value: the flag moves behind that line."""
    base = next((item for item in one.made.ins if item.leaf and item.req), None) if one.made is not None else None
    first = story.statement(base.made) if base is not None and base.made is not None else None
    if not isinstance(first, ast.Assign) or first is line or function_of(first) is not function_of(line):
        return
    calls = [node for node in ast.walk(first.value) if isinstance(node, ast.Call)]
    flagged = next((call for call in calls if any(word.arg == "requires_grad" for word in call.keywords)), None)
    if flagged is None:
        return

    def moved() -> Edit:
        text = re.sub(r",\s*requires_grad\s*=\s*True", "", exact_source(first.value))
        value = exact_source(line.value)
        value = value if isinstance(line.value, (ast.Call, ast.Name)) else f"({value})"
        return replace((first.value, text), (line.value, value + ".requires_grad_()"))

    yield ("ask for the gradient of the value that it is given at the end", moved, promise)


def detach_line(name: str, value: object) -> str:
    """The statement that takes a name's tensor out of its graph."""
    if isinstance(value, tuple):
        return f"{name} = tuple(t.detach() for t in {name})"
    if isinstance(value, list):
        return f"{name} = [t.detach() for t in {name}]"
    return f"{name} = {name}.detach()"


def nn_prefix(story: Story) -> str:
    """How the program writes torch.nn."""
    text = "\n".join(program.text for program in story.programs.values())
    return "nn." if re.search(r"\bnn\.Module\b", text) and not re.search(r"torch\.nn\.Module", text) else "torch.nn."


def is_name(node: Node, *names: str) -> bool:
    """True for one of these names of modules."""
    return isinstance(node, (ast.Name, ast.Attribute)) and source(node) in names


def of_library(node: Node) -> bool:
    """True for `torch.f(…)`, `F.f(…)` and the like: the tensor is an argument."""
    return isinstance(node.func, ast.Attribute) and is_name(
        node.func.value, "torch", "F", "nn.functional", "torch.nn.functional", "nn", "torch.linalg", "torch.special"
    )
