"""What pictures and explorers are in a cell's output: data for a view, a still picture and text, all three at once.

Python computes every number, with the engine. The views, in `explorers/labextension/static`, draw the data:
in JupyterLab, where the package's extension knows the type `MIME`, and on the site. Elsewhere the picture is shown.
"""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

from minigrad_course.texts.saving import MIME

FORMAT = 1  # a view that knows only older formats says so, and shows the picture
MEASURED = "measured"  # the data under this key may differ from one processor to the next


class Shown(abc.ABC):
    """Base of everything shown as data: define `view`, and the contents of the three forms."""

    view: str  # the module that draws it

    @abc.abstractmethod
    def data(self) -> dict[str, object]:
        """What the view draws: only what JSON holds."""

    @abc.abstractmethod
    def still(self) -> str:
        """The picture as SVG, for where no view can be drawn."""

    @abc.abstractmethod
    def words(self) -> str:
        """The picture in words."""

    def _repr_mimebundle_(self, **wanted: object) -> dict[str, Any]:
        head = {"format": FORMAT, "view": self.view, "alt": self.words()}
        return {MIME: {**head, **self.data()}, "image/svg+xml": self.still(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return self.words()


@dataclasses.dataclass(frozen=True, repr=False)
class Picture(Shown):
    """A picture that nobody moves. `narrow` is another drawing of it, for a column that `svg` is too wide for."""

    svg: str
    alt: str
    narrow: str = ""

    view = "picture"

    def data(self) -> dict[str, object]:
        return {"narrow": self.narrow} if self.narrow else {}

    def still(self) -> str:
        return self.svg

    def words(self) -> str:
        return self.alt
