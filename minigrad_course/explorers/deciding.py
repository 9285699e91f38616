"""`leaves`: questions about a tensor, one after another, down to what its `.grad` will be.

Each end of the tree is a program, and what is said there is what the program printed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import minigrad
from minigrad_course.chapters.attempt import first_sentence
from minigrad_course.pictures import svg
from minigrad_course.pictures.leaves import COLUMNS, row
from minigrad_course.pictures.shown import Shown
from minigrad_course.programs.program import compiled

ACROSS, DOWN = 15, 46  # pixels of the small map
LINE = 22  # pixels of a row in the still picture
SLACK = 1.08  # a page's font may be wider than ours


@dataclasses.dataclass(frozen=True)
class Question:
    """A question; each answer leads to another one, or to a program that makes the tensor `t` and goes backward."""

    ask: str
    answers: dict[str, Question | str]


OTHER = "s = torch.tensor(3., requires_grad=True)\n"


def flag(made: str) -> Question:
    """What a constant `t` keeps, whether somebody sets its flag or not."""
    return Question(
        "Did you set its flag?",
        {
            "no, never": f"{OTHER}{made}\n(t * s).backward()",
            "t.requires_grad_(), then t was used": f"{OTHER}{made}\nt.requires_grad_()\n(t * s).backward()",
            "t was used, then t.requires_grad_()": f"{OTHER}{made}\nloss = t * s\nt.requires_grad_()\nloss.backward()",
        },
    )


YOURS = "t = torch.tensor(2., requires_grad=True)\n"
RESULT = f"{OTHER}t = s * 2\n"
TREE = Question(
    "Who made the tensor t?",
    {
        "you, with torch.tensor or the like": Question(
            "What is its dtype?",
            {
                "an integer": Question(
                    "Did you ask for requires_grad=True?",
                    {
                        "requires_grad=False": f"{OTHER}t = torch.tensor(2)\n(t * s).backward()",
                        "requires_grad=True": "t = torch.tensor(2, requires_grad=True)",
                    },
                ),
                "a float": Question(
                    "Did you ask for requires_grad=True?",
                    {
                        "requires_grad=True": Question(
                            "What did you call?",
                            {
                                "backward once": f"{YOURS}(t * 3).backward()",
                                "backward twice": f"{YOURS}(t * 3).backward()\n(t * 3).backward()",
                                "backward, but it used t.detach()": f"{YOURS}{OTHER}(t.detach() * s).backward()",
                                "backward, but it used t.item()": f"{YOURS}torch.tensor(t.item() * 3).backward()",
                                "backward(inputs=[s])": f"{YOURS}{OTHER}(t * s).backward(inputs=[s])",
                                "torch.autograd.grad": f"{YOURS}torch.autograd.grad(t * 3, t)",
                            },
                        ),
                        "requires_grad=False": flag("t = torch.tensor(2.)"),
                        "requires_grad=False, and t.retain_grad()": "t = torch.tensor(2.)\nt.retain_grad()",
                    },
                ),
            },
        ),
        "torch.nn.Parameter": f"{OTHER}t = torch.nn.Parameter(s * 2)\n(t * 3).backward()",
        "an operation": Question(
            "Was the operation recorded?",
            {
                "yes: one of its inputs requires grad": Question(
                    "Did you ask t to keep its gradient?",
                    {
                        "no, just backward": f"{RESULT}(t * 3).backward()",
                        "t.retain_grad() before backward": f"{RESULT}t.retain_grad()\n(t * 3).backward()",
                        "t.retain_grad() after backward": f"{RESULT}(t * 3).backward()\nt.retain_grad()",
                        "t.requires_grad_() before backward": f"{RESULT}t.requires_grad_()\n(t * 3).backward()",
                        "no: t.requires_grad_(False)": f"{RESULT}t.requires_grad_(False)",
                    },
                ),
                "no: none of its inputs requires grad": flag("t = torch.tensor(1.) * 2"),
                "no: it ran under no_grad()": flag("with torch.no_grad():\n    t = s * 2"),
                "no: it was detach()": flag("t = (s * 2).detach()"),
                "no: there was nothing to do, as in s.float()": f"{OTHER}t = s.float()\n(t * 3).backward()",
            },
        ),
    },
)


def leaves() -> Leaves:
    """The questions about a tensor, and what each row's program prints; every row is run on minigrad."""
    return Leaves(TREE)


@dataclasses.dataclass(frozen=True)
class Row:
    """One end of the tree: a program that has run, and what there was to see."""

    program: str
    kind: str  # "number", "None", "warning" or "error"
    printed: tuple[str, ...]
    facts: str


def run(program: str, engine: ModuleType = minigrad) -> Row:
    """Run a program on an engine, and print t.grad; what it warned, or the error that ended it, belongs to the row."""
    namespace: dict[str, Any] = {"torch": engine}
    whole = f"{program}\nprint(t.grad)"
    error: Exception | None = None
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compiled(whole, "<program>"), namespace)
        except Exception as raised:
            error = raised
    said = [*out.getvalue().splitlines(), *(first_sentence(item.message) for item in caught)]
    if error:
        return Row(whole, "error", (*said, first_sentence(error)), "")
    kind = "warning" if caught else "None" if namespace["t"].grad is None else "number"
    flags = zip(COLUMNS[1:4], row("t", namespace["t"])[1:4], strict=True)
    return Row(whole, kind, tuple(said), ", ".join(f"{name} {value}" for name, value in flags))


class Leaves(Shown):
    """The tree with its rows."""

    view = "leaves"

    def __init__(self, tree: Question):
        self.tree = tree
        self.rows = {path: run(program) for path, program in ends(tree)}

    def data(self) -> dict[str, object]:
        """The tree, each place of it with its place on the map: leaves from left to right, depth downwards."""
        column = iter(range(len(self.rows)))
        deepest = max(map(len, self.rows))

        def placed(path: tuple[str, ...], node: Question | str) -> dict[str, Any]:
            down = 10 + DOWN * len(path)
            if isinstance(node, str):
                end = self.rows[path]
                say = {"program": end.program.splitlines(), "printed": list(end.printed), "facts": end.facts}
                return {"at": [10 + ACROSS * next(column), down], "kind": end.kind, **say}
            then = [placed((*path, answer), next_one) for answer, next_one in node.answers.items()]
            middle = (then[0]["at"][0] + then[-1]["at"][0]) / 2
            answers = [{"say": answer, "then": item} for answer, item in zip(node.answers, then, strict=True)]
            return {"at": [middle, down], "ask": node.ask, "answers": answers}

        return {"size": [ACROSS * len(self.rows) + 5, DOWN * deepest + 20], "tree": placed((), self.tree)}

    def words(self) -> str:
        counts = {kind: sum(item.kind == kind for item in self.rows.values()) for kind in OUTCOMES}
        told = ", ".join(f"{OUTCOMES[kind]} {count} times" for kind, count in counts.items())
        return f"What .grad of a tensor will be, in {len(self.rows)} programs that were run: {told}."

    def still(self) -> str:
        """All rows, one below another; an answer stands where it differs from the row above."""
        deepest = max(map(len, self.rows))
        widths = [max(svg.width_of(path[at], 12.5) for path in self.rows if len(path) > at) for at in range(deepest)]
        lefts = [sum(widths[:at]) * SLACK + 26 * at for at in range(deepest + 1)]
        sheet = svg.Sheet(lefts[-1] + 170, LINE * len(self.rows) + 8, self.words())
        above: tuple[str, ...] = ()
        for number, (path, end) in enumerate(self.rows.items()):
            down = LINE * (number + 1) - 4
            same = next(at for at in range(len(path)) if path[: at + 1] != above[: at + 1])
            for at in range(same, len(path)):
                sheet.text(lefts[at], down, path[at], 12.5, text_anchor="start")
            start = lefts[len(path) - 1] + svg.width_of(path[-1], 12.5) * SLACK + 10
            if start < lefts[-1] - 12:
                sheet.add("path", d=f"M{svg.short(start)},{down - 4}H{svg.short(lefts[-1] - 8)}", stroke="faint")
            text = end.printed[-1].split(":")[0] if end.kind == "error" else end.printed[0]
            text = f"{MARKS[end.kind]} {text}{', and a warning' if end.kind == 'warning' else ''}"
            sheet.text(lefts[-1], down, text, 12.5, COLOURS[end.kind], text_anchor="start", font_weight=600)
            above = path
        return str(sheet)


OUTCOMES = {"number": "a number", "None": "None", "warning": "None and a warning", "error": "an error"}
MARKS = {"number": "●", "None": "○", "warning": "▲", "error": "✕"}
COLOURS = {"number": "done", "None": "soft", "warning": "leaf", "error": "flow"}


def ends(node: Question | str, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every program with the answers that lead to it."""
    if isinstance(node, str):
        yield path, node
    else:
        for answer, then in node.answers.items():
            yield from ends(then, (*path, answer))
