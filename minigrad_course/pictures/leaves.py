"""A table of tensors and their attributes: leaf or not, and whether they keep a gradient."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import html
import io
import warnings
from collections.abc import Iterable, Mapping

import minigrad
from minigrad.tensor import Tensor
from minigrad_course.programs.problems import LIMITS, named
from minigrad_course.programs.program import compiled, time_limit

COLUMNS = ("name", "is_leaf", "requires_grad", "retains_grad", "grad_fn", "grad")
SECONDS = 5.0  # for a program that somebody typed
LONGEST = 60  # characters of a gradient
# Where a column is too narrow for the table, it is scrolled, with the keyboard as well.
SCROLLED = 'role="region" tabindex="0" data-lm-suppress-shortcuts="true" style="overflow-x: auto"'
STYLE = "text-align: left; padding: 0.25em 0.6em;"


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of text under the names of their columns."""

    caption: str
    rows: list[tuple[str, ...]]
    columns: tuple[str, ...] = COLUMNS
    about: str = "A table of tensors"
    heading: int = 0  # the column that names its row

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col" style="{STYLE}">{html.escape(name)}</th>' for name in self.columns)
        body = "".join(f"<tr>{self.cells(row)}</tr>" for row in self.rows)
        caption = f'<caption style="text-align: left;">{html.escape(self.caption)}</caption>'
        # The name of the class is pandas': pages that know it keep the table in the colours of their theme.
        start = f'<table class="dataframe" style="font-size: 0.88em">{caption}'
        table = f"{start}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div {SCROLLED} aria-label="{self.about}">{table}</div>'

    def cells(self, row: tuple[str, ...]) -> str:
        """The cells of a row, one of which is its heading."""
        kinds = ['th scope="row"' if place == self.heading else "td" for place in range(len(row))]
        return "".join(
            f'<{kind} style="{STYLE}">{html.escape(text)}</{kind[:2]}>' for kind, text in zip(kinds, row, strict=True)
        )

    def __repr__(self) -> str:
        table = [self.columns, *self.rows]
        widths = [max(len(row[column]) for row in table) for column in range(len(self.columns))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in table]
        return "\n".join([self.caption, *(line.rstrip() for line in lines)])


def leaf_table(rows_or_program: str | Mapping[str, Tensor] | Iterable[tuple[str, Tensor]], caption: str = "") -> Table:
    """What tensors say of themselves, one row for each: of either engine, name -> tensor.

    Text is taken for a program, and run on minigrad. If it stops with an error, the caption says so.
    """
    if isinstance(rows_or_program, str):
        state = states(rows_or_program)[-1]
        return Table(caption or state.sentence, state.rows)
    pairs = rows_or_program.items() if isinstance(rows_or_program, Mapping) else rows_or_program
    return Table(caption or "What each tensor says of itself", [row(name, item) for name, item in pairs])


def row(name: str, tensor: Tensor) -> tuple[str, ...]:
    """One row: a tensor's attributes as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about reading the .grad of a non-leaf
        grad = tensor.grad
    text = "None" if grad is None else " ".join(repr(grad).split())
    if grad is not None and len(text) > LONGEST:
        text = f"a tensor of shape {list(grad.shape)}"
    made_by = "None" if tensor.grad_fn is None else tensor.grad_fn.name()
    flags = (tensor.is_leaf, tensor.requires_grad, tensor.retains_grad)
    return (name, *map(str, flags), made_by, text)


# --- a program, line by line ---------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class State:
    """The state after a statement of a program: its text, the table of all tensors, and a remark."""

    line: int
    source: str
    rows: list[tuple[str, ...]]
    sentence: str
    failed: bool = False


def states(program: str) -> list[State]:
    """Run a program on minigrad, statement by statement; one state before the first, and one after each.

    It ends early if a statement fails: the last state then says why.
    """
    try:
        tree = ast.parse(program)
    except SyntaxError as error:
        return [State(error.lineno or 0, "", [], f"Line {error.lineno} is not Python: {error.msg}.", failed=True)]
    namespace: dict[str, object] = {"__name__": "__main__", "torch": minigrad}
    results = [State(0, "", [], "Nothing has run yet.")]
    for statement in tree.body:
        source = ast.get_source_segment(program, statement) or ""
        line = statement.end_lineno or statement.lineno
        problem = failure(source, namespace)
        sentence = f"Line {line} stopped with {problem}" if problem else f"After line {line}: {source.splitlines()[0]}"
        results.append(State(line, source, tensors(namespace), sentence, failed=problem is not None))
        if problem:
            break
    return results


def failure(source: str, namespace: dict[str, object]) -> str | None:
    """Run one statement; a sentence if it does not end well. What it prints is dropped."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), time_limit(SECONDS):
            warnings.simplefilter("ignore")
            exec(compiled(source, "<program>"), namespace)
    except KeyboardInterrupt:
        raise
    except LIMITS:
        return f"the limit of {SECONDS:g} seconds: it did not end."
    except BaseException as error:  # whatever a typed program may raise, SystemExit among it
        return f"{named(error)}."
    return None


def tensors(namespace: dict[str, object]) -> list[tuple[str, ...]]:
    """A row for each named tensor, in the order of the names."""
    return [row(name, item) for name, item in namespace.items() if isinstance(item, Tensor)]
