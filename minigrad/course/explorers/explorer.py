"""What every explorer is made of: a picture and a sentence for each state, and controls that choose the state.

Shown in a notebook, an explorer is a widget for whoever has a kernel, and a picture with its text for everybody else:
both stand in one output, and the builder of the lessons drops the widget from what is stored.
"""

from __future__ import annotations

import abc
import dataclasses
import html
from typing import Any

import ipywidgets

from minigrad.course.explorers.controls import Screen

RUN_ME = "Run this cell to try it yourself."


class View:
    """What an explorer shows in one state: a sentence, then pictures, tables, lists, or code."""

    def __init__(self, sentence: str, *shown: Any):
        self.sentence, self.shown = sentence, shown

    @property
    def html(self) -> str:
        """The view as HTML."""
        shown = "".join(each._repr_html_() for each in self.shown)
        return f"<p>{html.escape(self.sentence)}</p>{shown}"

    @property
    def text(self) -> str:
        """The view as plain text."""
        return "\n".join([self.sentence, *(repr(each) for each in self.shown)])


@dataclasses.dataclass(frozen=True)
class Listed:
    """Lines of text as a list: numbered if they are steps, marked as code if they are printed."""

    lines: tuple[str, ...]
    numbered: bool = False
    code: bool = False

    def _repr_html_(self) -> str:
        lines = [f"<code>{html.escape(line)}</code>" if self.code else html.escape(line) for line in self.lines]
        tag = "ol" if self.numbered else "ul"
        return f"<{tag}>{''.join(f'<li>{line}</li>' for line in lines)}</{tag}>"

    def __repr__(self) -> str:
        return "\n".join(
            f"{f'{number}.' if self.numbered else '-'} {line}" for number, line in enumerate(self.lines, start=1)
        )


@dataclasses.dataclass(frozen=True)
class Code:
    """A program with line numbers, and an arrow at one of its lines."""

    text: str
    line: int = 0

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    def __repr__(self) -> str:
        lines = self.text.splitlines()
        return "\n".join(f"{'→' if n == self.line else ' '} {n:2}  {line}" for n, line in enumerate(lines, start=1))


class Explorer(abc.ABC):
    """Something to explore: live where there is a kernel, a picture and its text where there is none."""

    @abc.abstractmethod
    def still(self) -> View:
        """What is shown without a kernel."""

    @abc.abstractmethod
    def widget(self) -> ipywidgets.Widget:
        """The controls, and what they change."""

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        view = self.still()
        still = f"{view.html}<p><em>{RUN_ME}</em></p>"
        return {**self.widget()._repr_mimebundle_(), "text/html": still, "text/plain": view.text}

    def __repr__(self) -> str:
        return self.still().text


def screen(view: View | None = None) -> Screen:
    """The place where a view is shown. Its value is set, so nothing is ever printed into the notebook."""
    return Screen(value=view.html if view else "")


def button(description: str, tooltip: str, **settings: Any) -> ipywidgets.Button:
    """A button as wide as its text."""
    return ipywidgets.Button(description=description, tooltip=tooltip, layout={"width": "auto"}, **settings)
