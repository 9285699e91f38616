"""A progress bar for loops in a notebook: live it moves, and what is stored is one line that never changes."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from IPython.display import display
from ipywidgets import IntProgress

T = TypeVar("T")


class Bar(IntProgress):
    """ipywidgets' bar, with words for where no widget can be shown."""

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        words = f"{self.description}: {self.max}"
        bundle = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": words, "text/html": html.escape(words)}


def progress_bar(items: Sequence[T], label: str = "steps") -> Iterator[T]:
    """The items, one by one, with a bar that shows how many of them are done."""
    bar = Bar(max=len(items), description=label)
    display(bar)
    for item in items:
        yield item
        bar.value += 1
    bar.bar_style = "success"
