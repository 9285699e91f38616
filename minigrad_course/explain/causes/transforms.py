"""vmap, grad and the like, of torch.func."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minigrad_course.explain.findings import RUNS, Cause, Finding, Remedy
from minigrad_course.explain.observing.story import Story
from minigrad_course.explain.program import Program, call_name, enclosing, function_of, keyword, put, replace, source
from minigrad_course.explain.trials.trial import Promise

PROMISE: Promise = RUNS


class Transforms(Cause):
    """What a function may not do while it is transformed."""

    def find(self, story: Story) -> Iterator[Finding]:
        said, line, at = story.message, story.error_statement(), story.at_error()
        if line is None:
            return
        function = function_of(line)
        if "vmap: inplace arithmetic" in said or ("vmap" in said and "in-place" in said):
            text = f"{at} writes what vmap has batched into a tensor that it has not."
            yield self.finding([text], self.batched(story, function))
        elif "data-dependent control flow" in said:
            text = f"{at} asks a batched tensor for one truth value: under vmap it stands for many."
            yield self.finding([text], self.where(line, function))
        elif "function transform" in said or "being transformed" in said:
            call = next(iter(story.calls("jacobian", "hessian")), None)
            if call is not None:
                new = {"jacobian": "torch.func.jacrev", "hessian": "torch.func.hessian"}[call_name(call)]
                rest = ", ".join(source(arg) for arg in call.args[1:])
                text = f"{at} uses `{source(call.func)}`, which sets requires_grad, inside a transform of torch.func."
                new_text = f"{new}({source(call.args[0])})({rest})"
                yield self.finding([text], [("use torch.func there", lambda: replace((call, new_text)), PROMISE)])
        elif "to return" in said and "tuple" in said.lower() and "grad" in said:
            remedies: list[Remedy] = [
                ("it has something besides the loss", lambda call=call: keyword(call, has_aux="True"), PROMISE)
                for call in story.calls("grad", "grad_and_value", "value_and_grad")
                if call.lineno <= story.line <= call.end_lineno
                and not any(word.arg == "has_aux" for word in call.keywords)
            ]
            yield self.finding([f"{at} differentiates a function that returns a tuple."], remedies)

    def batched(self, story: Story, function: ast.FunctionDef) -> Iterator[Remedy]:
        """`x.new_zeros(…)` for `torch.zeros(…)`."""
        if function is None:
            return
        for call in story.calls("zeros", "ones", "empty"):
            if function.lineno <= call.lineno <= function.end_lineno and call.program is function.program:
                for name in [arg.arg for arg in function.args.args]:
                    text = f"{name}.new_{call_name(call)}"
                    yield (
                        f"make it from what is batched ({story.at(call)})",
                        lambda call=call, text=text: replace((call.func, text)),
                        PROMISE,
                    )

    def where(self, line: ast.stmt, function: ast.FunctionDef) -> Iterator[Remedy]:
        """`torch.where` for an `if` with two returns."""
        choice = line if isinstance(line, ast.If) else enclosing(line, ast.If)
        if not isinstance(choice, ast.If) or len(choice.body) != 1 or not isinstance(choice.body[0], ast.Return):
            return
        after = (
            [item for item in function.body if item.lineno > (choice.end_lineno or 0)] if function is not None else []
        )
        other: ast.AST | None = choice.orelse[0] if choice.orelse else next(iter(after), None)
        if not isinstance(other, ast.Return) or other.value is None or choice.body[0].value is None:
            return
        program: Program = choice.program
        text = f"return torch.where({source(choice.test)}, {source(choice.body[0].value)}, {source(other.value)})\n"
        begin, end = program.starts[choice.lineno - 1], program.starts[other.end_lineno or 0]
        blank = " " * choice.col_offset
        yield "compute both, and choose", lambda: put(program, (begin, end, blank + text)), PROMISE
