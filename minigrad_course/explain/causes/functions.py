"""backward() of a custom Function that returns the wrong gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import atom, replace, source, without_keyword
from minigrad_course.explain.trials.trial import Promise

PROMISE: Promise = RUNS


def backward_of(story: Story, name: str) -> ast.FunctionDef | None:
    """The method backward() of a class."""
    for item in story.all(ast.ClassDef):
        if item.name == name:
            return next((one for one in item.body if isinstance(one, ast.FunctionDef) and one.name == "backward"), None)
    return None


class GradientCount(Cause):
    """backward() returns more or fewer gradients than forward() has inputs."""

    def find(self, story: Story) -> Iterator[Finding]:
        match = re.search(
            r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)",
            story.message,
        )
        if not match:
            return
        name, expected, got = match.group(1), int(match.group(2)), int(match.group(3))
        function = backward_of(story, name)
        where = f" ({story.at(function)})" if function is not None else ""
        says = [
            f"in {name}, backward(){where} returns {got} gradient{'s' if got != 1 else ''}, and forward() has "
            f"{expected} inputs "
            f"besides ctx: one is needed for each, None for what needs none."
        ]
        if got < expected:
            says.append(
                "Whether they are the derivatives of forward() is another question: torch.autograd.gradcheck tells."
            )
        remedies: list[Remedy] = []
        more = ", None" * (expected - got)
        for line in ast.walk(function) if function is not None and got < expected else ():
            if isinstance(line, ast.Return) and line.value is not None:
                text = source(line.value)
                text = (text.strip("()") if isinstance(line.value, ast.Tuple) else text) + more
                remedies.append(
                    (
                        "None for the rest, which mends the number of them only",
                        partial(replace, (line.value, text)),
                        PROMISE,
                    )
                )
        yield self.finding(says, remedies)


class GradientShape(Cause):
    """backward() returns a gradient of another shape than its input."""

    def find(self, story: Story) -> Iterator[Finding]:
        match = re.search(
            r"Function (\w+)Backward returned an invalid gradient at index (\d+) - got \[([\d, ]*)\] but expected "
            r"shape "
            r"compatible with \[([\d, ]*)\]",
            story.message,
        )
        if not match:
            return
        name, index = match.group(1), int(match.group(2))
        got, wanted = ([int(n) for n in match.group(k).split(",") if n.strip()] for k in (3, 4))
        function = backward_of(story, name)
        where = f" ({story.at(function)})" if function is not None else ""
        says = [
            f"in {name}, backward(){where} returns a gradient of shape {got} for input {index} of forward(), which "
            f"has shape "
            f"{wanted}: the one does not fit the other."
        ]
        yield self.finding(says, self.remedies(function, index, got, wanted))

    def remedies(
        self, function: ast.FunctionDef | None, index: int, got: list[int], wanted: list[int]
    ) -> Iterator[Remedy]:
        for line in ast.walk(function) if function is not None else ():
            if not isinstance(line, ast.Return) or line.value is None:
                continue
            values = line.value.elts if isinstance(line.value, ast.Tuple) else [line.value]
            if index >= len(values):
                continue
            value: ast.expr = values[index]
            if [n for n in got if n != 1] == [n for n in wanted if n != 1]:
                for word in ast.walk(value):
                    if isinstance(word, ast.keyword) and word.arg == "keepdim":
                        call = value
                        yield "sum without keepdim", lambda call=call: without_keyword(call, "keepdim"), PROMISE
                text = f"{atom(value)}.reshape({', '.join(map(str, wanted))})"
                yield "give it the shape of the input", lambda value=value, t=text: replace((value, t)), PROMISE
            elif len(got) > len(wanted) and got[len(got) - len(wanted) :] == wanted:
                text = f"{atom(value)}.sum({tuple(range(len(got) - len(wanted)))})"
                yield "sum over what was broadcast", lambda value=value, t=text: replace((value, t)), PROMISE
