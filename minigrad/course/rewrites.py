"""What to write instead of a line that lost a graph, or that made another tensor than the one that was meant."""

from __future__ import annotations

import ast
import copy
from typing import Any

from minigrad.course.case import Case, code
from minigrad.course.naming import attributes, last_word
from minigrad.course.places import Location, reaches
from minigrad.course.stories import Change, Story


def smooth(case: Case, place: Location | None, source: str) -> str:
    """What to write instead of an operation that has no derivative."""
    jump, name = case.sources.expression(place), code(source, "")
    makers = [each for each in case.sources.nodes(place.file) if isinstance(each, ast.Assign)] if place else []
    made = [each.value for each in makers if name and ast.unparse(each.targets[0]) == name]
    if "argmax" in attributes(jump) and any("softmax" in attributes(each) for each in (jump, *made)):
        return "Compute the loss from the scores, before the softmax: `F.cross_entropy` takes the softmax itself."
    if "argmax" in attributes(jump):
        call = f"`F.cross_entropy({name}, target)`" if name else "`F.cross_entropy`"
        return f"Compute the loss from {source} itself: {call} takes the scores as they are."
    nodes = ast.walk(case.sources.statement(place) or ast.Module([], []))
    equal = any(isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq) for each in nodes)
    if isinstance(jump, ast.Compare) and isinstance(jump.ops[0], (ast.Gt, ast.GtE)) and equal:
        call = f"`F.binary_cross_entropy({name}, target)`" if name else "`F.binary_cross_entropy`"
        return f"An accuracy can only be printed. Compute the loss from {source}: {call}, if it holds probabilities."
    if isinstance(jump, ast.Compare) and isinstance(jump.ops[0], (ast.Gt, ast.GtE)):
        above = ast.BinOp(jump.left, ast.Sub(), jump.comparators[0])
        inside = jump.left if ast.unparse(jump.comparators[0]) in ("0", "0.0") else above
        return (
            f"In place of `{case.sources.said(jump)}` write `torch.sigmoid({case.sources.said(inside)})`, which goes "
            "from 0 to 1 without a jump."
        )
    call = f"`F.mse_loss({name}, target)`" if name else "`F.mse_loss`"
    return f"Compute the loss from {source} itself, with {call} for example."


def in_place_of_descent(case: Case, step: Story | Change) -> list[str]:
    """Advice for `w = w - lr * w.grad` where nothing is recorded or the result is detached; [] for any other line."""
    statement, target = case.sources.statement(step.place), case.sources.target(step.place) if step.place else ""
    if not isinstance(step, Story) or not step.place or not target or statement is None:
        return []
    if f"{target}.grad" not in ast.unparse(statement):
        return []
    new = f"{case.sources.at(step.place, 'Line')} makes a new tensor and gives it the name of the leaf."
    return [f"{new} {changed_instead(case, step)}"]


def changed_instead(case: Case, story: Story) -> str:
    """Advice for a line that was meant to update a leaf, and bound its name to a new tensor."""
    value = undetached(case.sources.statement(story.place))
    if isinstance(value, ast.BinOp) and isinstance(value.left, (ast.Name, ast.Attribute)):
        changed = ast.unparse(ast.AugAssign(value.left, value.op, value.right))
        leaf = changed.split()[0]
        return (
            f"To update the leaf, change it in place, unrecorded: `with torch.no_grad(): {changed}`. Then clear what "
            f"the next pass would add to: `{leaf}.grad = None`.{likewise(case, story.place, leaf)}"
        )
    target = case.sources.target(story.place)
    return f"`{target}` is the name of a new tensor now. Give the result of that line another name."


def undetached(statement: Any) -> Any:
    """The value that an assignment gives a name, without `.detach().requires_grad_()` around it."""
    value = getattr(statement, "value", None)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.args:
        value = value.func.value
    return value


def likewise(case: Case, place: Location | None, leaf: str) -> str:
    """A sentence for each other leaf that is updated in the same way: ` Line 9 does the same to `b`.`; "" for none."""
    if place is None:
        return ""
    found = {}
    for each in case.sources.nodes(place.file):
        value = undetached(each)
        if isinstance(each, ast.Assign) and isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name):
            name = value.left.id
            if name != leaf and name == ast.unparse(each.targets[0]) and f"{name}.grad" in ast.unparse(value.right):
                found[name] = f"{case.sources.at_line(place.file, each.lineno, 'Line')} does the same to `{name}`."
    return "".join(f" {each}" for each in found.values())


def leaf_within(case: Case, leaves: list[Story], story: Story) -> str:
    """Advice where the line of a tensor makes its leaf as well; "" for any other line."""
    for each in leaves:
        if each.place and story.place and each.place.line == story.place.line and not case.naming.is_bound(each):
            inner = case.sources.expression(each.place)
            advice = f"The leaf is `{case.sources.said(inner)}`, inside that line, and it has no name."
            return advice + flagged(case, case.sources.statement(story.place), inner)
    return ""


def recorded_again(case: Case, place: Location | None, line: str) -> str:
    """Advice for a line that ran while nothing was recorded."""
    nodes = case.sources.nodes(place.file) if place else []
    if place and not any(isinstance(each, ast.With) and reaches(each, place.line) for each in nodes):
        for each in nodes:
            call = getattr(each, "value", None)
            if isinstance(each, ast.Expr) and isinstance(call, ast.Call) and last_word(call.func) == "set_grad_enabled":
                return (
                    f"{case.sources.at_line(place.file, each.lineno, 'Line')}, `{case.sources.said(call)}`, switches "
                    "recording off for all that comes after it: leave it out, and put what needs no graph into a "
                    "`with torch.no_grad():` block."
                )
    return f"Move {line} out of the `with torch.no_grad():` block (or the decorated function)."


def updated_in_place(case: Case, story: Story, node: Any) -> list[str]:
    """Advice for `p - lr * g` after a pass, where no name is left for the leaf; [] for any other line."""
    made = case.sources.expression(story.place)
    if not isinstance(made, ast.BinOp) or not isinstance(made.left, (ast.Name, ast.Attribute)) or story.place is None:
        return []
    if all(each.number > node.number for each in case.seen.passes):
        return []  # nothing to update with
    changed = ast.unparse(ast.AugAssign(made.left, made.op, made.right))
    return [
        f"{case.sources.at(story.place, 'Line')} makes a new tensor, and no name is left for the leaf. To update the "
        f"leaf, change it in place, unrecorded: `with torch.no_grad(): {changed}`. Then clear its `.grad`."
        + likewise(case, story.place, changed.split()[0])
    ]


def values_first(case: Case, story: Story, leaf: Story) -> str:
    """Advice for lines that ask for a gradient, and then compute the value to begin with under the same name."""
    line, first = case.sources.statement(story.place), case.sources.statement(leaf.place)
    target, value = case.sources.target(story.place), getattr(first, "value", None)
    if value is None or story.place is None or leaf.place is None:
        return changed_instead(case, story)
    if ast.unparse(value) == ast.unparse(without_flag(value)):  # a Parameter
        what = (
            f"do what {case.sources.at(story.place)} does before {case.sources.at(leaf.place)} makes the leaf of them"
        )
        return f"Make the values first: {what}."
    used = [each for each in ast.walk(line) if isinstance(each, ast.Name) and each.id == target] if line else []
    if isinstance(line, ast.Assign) and len(used) == 2 and any(use.story is leaf for use in story.inputs):
        made = copy.deepcopy(line)
        made.value = Named(target, value).visit(made.value)
        return (
            f"Make the values first, then ask for the gradient: write `{ask_at_the_end(case, made)}` in place of "
            f"{case.sources.at(leaf.place)} and {case.sources.at(story.place)}."
        )
    return (
        f"Make the values first, then ask for the gradient: take the flag out of {case.sources.at(leaf.place)}, and "
        f"write `{target}.requires_grad_()` right after {case.sources.at(story.place)}."
    )


def another_name(case: Case, story: Story, leaf: Story) -> str:
    """Advice for the same lines, where the gradient with respect to the first value is wanted."""
    first, then = (case.sources.at(each.place) if each.place else "a line" for each in (leaf, story))
    return (
        f"Or, for the gradient with respect to what {first} makes: give the result of {then} another name, and "
        f"`{case.sources.target(leaf.place)}.grad` is there after the pass."
    )


def flagged(case: Case, line: Any, leaf: ast.AST | None) -> str:
    """Advice for a line that asks for a gradient inside: the same line, with the flag on its result."""
    if not (isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name) and isinstance(leaf, ast.Call)):
        return " Compute first, and call `.requires_grad_()` on the result, in a line of its own."
    if last_word(leaf.func) == "Parameter" and leaf.args:
        made = copy.copy(line)
        made.value = ast.Call(leaf.func, [Inside(ast.dump(leaf)).visit(copy.deepcopy(line.value))], [])
        return f" Make it last, of the finished numbers: `{case.sources.said(made)}`."
    return f" Take the flag out of it, and ask for the gradient at the end: `{ask_at_the_end(case, line)}`."


def ask_at_the_end(case: Case, line: ast.Assign) -> str:
    """The same line with its only flag on its result."""
    made = copy.copy(line)
    made.value = ast.Call(ast.Attribute(without_flag(line.value), "requires_grad_"), [], [])
    return case.sources.said(made)


def without_flag(value: ast.AST) -> Any:
    """An expression without `requires_grad=True` and `.requires_grad_()`."""
    return Unflagged().visit(copy.deepcopy(value))


class Named(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: ast.AST):
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The expression, for that name."""
        return self.value if node.id == self.name else node


class Inside(ast.NodeTransformer):
    """Puts its first argument in the place of a call, which is known by its dump."""

    def __init__(self, dump: str):
        self.dump = dump

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The argument, for that call."""
        return node.args[0] if ast.dump(node) == self.dump else self.generic_visit(node)


class Unflagged(ast.NodeTransformer):
    """Takes the flag that asks for a gradient out of an expression."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """What `.requires_grad_()` is called on stays, and so does a call without its flag."""
        self.generic_visit(node)
        called = node.func
        node.keywords = [word for word in node.keywords if word.arg != "requires_grad"]
        return called.value if isinstance(called, ast.Attribute) and called.attr == "requires_grad_" else node


def selected_first(case: Case, place: Location) -> str:
    """The operand of an operation, selected before it as a `torch.where` selects its result; "" if there is none."""
    made, name = case.sources.expression(place), case.sources.target(place)
    if isinstance(made, ast.BinOp):
        operand: Any = made.left if isinstance(made.op, ast.Pow) else made.right
    elif isinstance(made, ast.Call):
        operand = made.args[0] if made.args else getattr(made.func, "value", None)
    else:
        return ""
    for each in case.sources.nodes(place.file):
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") == "where" and len(each.args) == 3:
            condition, *branches = each.args
            for branch in branches:
                if branch is made or (name and case.sources.said(branch) == name):
                    chosen = [operand if one is branch else ast.Constant(0.5) for one in branches]
                    whole = ast.Call(each.func, [condition, *chosen], [])
                    return f"{ast.unparse(whole)}` in place of `{ast.unparse(operand)}"
    return ""
