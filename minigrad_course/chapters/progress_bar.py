"""A progress bar for loops in a notebook: it moves while the cell runs, and is stored as one fixed line."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import TypeVar

from IPython.display import display
from ipywidgets import IntProgress

T = TypeVar("T")


class Bar(IntProgress):
    """ipywidgets' bar, with text for viewers that cannot show widgets."""

    def _repr_mimebundle_(self, **options: object) -> dict[str, str]:
        words = f"{self.description}: {self.max}"
        bundle = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": words, "text/html": html.escape(words)}


def progress_bar(items: Sequence[T], label: str = "steps") -> Iterator[T]:
    """The items, one by one, with a bar that shows how many are done."""
    bar = Bar(max=len(items), description=label)
    display(bar)
    for item in items:
        yield item
        bar.value += 1
    bar.bar_style = "success"
