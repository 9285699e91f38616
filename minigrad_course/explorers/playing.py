"""`playground`: change the function itself. The reader's own kernel recomputes, and the explorer is shown again.

Without a kernel it shows the lesson's explorer, and a line that says what is needed to change it.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import html
import json
import math
import threading
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import ArrayLike

import minigrad
from minigrad.tensor import Tensor
from minigrad_course.explorers.sides import sides
from minigrad_course.explorers.slicing import slices
from minigrad_course.explorers.walking import walk
from minigrad_course.explorers.weights import weights
from minigrad_course.pictures import leaf_table, svg
from minigrad_course.pictures.leaves import Table
from minigrad_course.pictures.screen import Screen
from minigrad_course.pictures.shown import Shown
from minigrad_course.pictures.trace import traced
from minigrad_course.programs.problems import OutOfTime, named
from minigrad_course.programs.program import time_limit
from minigrad_course.texts.saving import MIME, WIDGET

NOTE = "To change it, open this lesson in JupyterLab and run this cell: that needs a running kernel."
LONGEST = 400  # characters of a function or a program
ENTRIES = 36  # of a value that is typed
OPERATIONS = 24  # of a graph that is drawn
SECONDS = 5.0
Drawing = Shown | Table
ROOM = 1 << 30  # bytes that may be taken on the way
PLACE = "<playground>"
WEIGHED = (weights, slices, sides)  # these need v, and differentiate by the first value
WIDE = {"width": "44em", "max_width": "calc(100% - 6px)"}


class Unclear(ValueError):
    """What was typed cannot be shown; the text is the sentence that says why."""


def playground(draw: Callable[..., Any], text: str | None = None, **values: ArrayLike) -> Playground:
    """A box with the text of a function, a box for each of its values, and what `draw` draws from them.

    The last line of `text` is the function's result; it may use the names of `values`, and the engine as `torch`.
    `draw` is called as `walk` is: `draw(program, **values)`. For `weights`, `slices` and `sides` the first value is
    what they differentiate by. `leaf_table` takes the text as a program; without a text, `draw` takes the values only.
    ValueError if the initial values cannot be shown.
    """
    return Playground(draw, text, {name: str(value) for name, value in values.items()})


class Playground:
    """A function to be changed."""

    def __init__(self, draw: Callable[..., Any], text: str | None, values: Mapping[str, str]):
        self.draw, self.text, self.values = draw, text, dict(values)
        self.first = self.shown(text, values)

    def shown(self, text: str | None, typed: Mapping[str, str]) -> Drawing:
        """What is drawn of a text and its values, as they were typed. Unclear if that cannot be."""
        if text is not None and len(text) > LONGEST:
            raise Unclear(f"The text has {len(text):,} characters; {LONGEST} are the most that is run here.")
        values = {name: value_of(name, item) for name, item in typed.items()}
        try:
            with warnings.catch_warnings(), stopped(SECONDS), room(ROOM):
                warnings.simplefilter("ignore")
                result = self.drawn(text, values)
                json.dumps(forms_of(result), allow_nan=False)  # a page reads no other numbers
                return result
        except Unclear:
            raise
        except OutOfTime:
            raise Unclear(f"It did not end within {SECONDS:g} seconds.") from None
        except Exception as error:
            raise Unclear(sentence_of(error, text or "", list(values))) from None

    def drawn(self, text: str | None, values: dict[str, Any]) -> Drawing:
        """What is drawn of a text and its values."""
        if text is None:
            return self.draw(**values)
        if self.draw is leaf_table:
            return leaf_table(text)
        if self.draw in WEIGHED:
            v = values.pop("v")
            program, first = function_of(text, list(values)), next(iter(values))
            fixed = {name: minigrad.tensor(np.asarray(item, np.float32).tolist()) for name, item in values.items()}
            return self.draw(lambda x: program(**{**fixed, first: x}), values[first], v, names=("y", first))
        program = function_of(text, list(values))
        if self.draw is not walk:
            return self.draw(program, **values)
        forward = traced(program, values, walk=False)
        shape = forward.spots[forward.root].shapes[forward.first]
        if math.prod(shape) != 1:
            raise Unclear(f"The result has the shape {list(shape)}. A walk needs one number: add .sum(), for example.")
        if len(forward.spots) > OPERATIONS:
            raise Unclear(f"The graph has {len(forward.spots)} boxes; {OPERATIONS} are the most that is drawn here.")
        return walk(program, **values)

    def widget(self) -> ipywidgets.Widget:
        """The boxes, a button, a sentence, and the drawing."""
        name = "Program" if self.draw is leaf_table else "Function"
        tip = "It is run when you leave the box or press Run"
        rows = max(3, len((self.text or "").splitlines()) + 1)
        settings: dict[str, Any] = {"continuous_update": False, "tooltip": tip, "layout": WIDE}
        area = None if self.text is None else ipywidgets.Textarea(self.text, description=name, rows=rows, **settings)
        fields = {item: ipywidgets.Text(text, description=item, **settings) for item, text in self.values.items()}
        run = ipywidgets.Button(description="Run", tooltip="Run it with these values", icon="play")
        said = Screen(value=f"<p>{html.escape(words_of(self.first))}</p>")
        picture = ipywidgets.Output(outputs=(output(self.first),))
        last: list[tuple[str | None, dict[str, str]]] = [(self.text, self.values)]

        def again(_: object) -> None:
            typed = area.value if area else None, {item: field.value for item, field in fields.items()}
            if typed == last[0]:  # leaving the box has run it already
                return
            last[0] = typed
            try:
                result = self.shown(*typed)
            except Unclear as problem:
                still = "The picture is still that of what could be drawn before."
                said.value = f"<p>✗ {html.escape(str(problem))}</p><p>{still}</p>"
                return
            said.value = f"<p>{html.escape(words_of(result))}</p>"
            picture.outputs = (output(result),)

        for control in [*([area] if area else []), *fields.values()]:
            control.observe(again, "value")
        run.on_click(again)
        return ipywidgets.VBox([*([area] if area else []), *fields.values(), run, said, picture])

    def _repr_mimebundle_(self, **wanted: object) -> dict[str, Any]:
        still = forms_of(self.first)
        if MIME in still:
            data = still[MIME]
            still["image/svg+xml"] = svg.with_line(still["image/svg+xml"], NOTE)
            # A view that draws the picture itself has the line there already.
            data |= {"narrow": svg.with_line(data["narrow"], NOTE)} if data["view"] == "picture" else {"note": NOTE}
        else:
            still["text/html"] += f"<p><em>{NOTE}</em></p>"
        return {WIDGET: self.widget()._repr_mimebundle_()[WIDGET], **still, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"{self.first!r}\n{NOTE}"


def forms_of(shown: Drawing) -> dict[str, Any]:
    """What a cell's output holds of it: data, picture and words, or a table and its text."""
    if isinstance(shown, Shown):
        return shown._repr_mimebundle_()
    return {"text/html": shown._repr_html_(), "text/plain": repr(shown)}


def output(shown: Drawing) -> dict[str, Any]:
    """It as an output, so that nothing has to be printed into the notebook."""
    return {"output_type": "display_data", "data": forms_of(shown), "metadata": {}}


def words_of(shown: Drawing) -> str:
    """It in words; of a table its first line."""
    return repr(shown).splitlines()[0]


# --- what was typed ------------------------------------------------------------------------------


def value_of(name: str, text: str) -> ArrayLike:
    """A number, or numbers in lists, from typed text. Unclear if it is something else, or too much."""
    try:
        value = ast.literal_eval(text.strip())
        array = np.asarray(value)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        value, array = None, np.asarray(None)
    if array.dtype.kind not in "iuf":
        short = text if len(text) < 40 else f"{text[:40]}…"
        raise Unclear(f"{name}: `{short}` is no number, and no list of numbers of equal rows. Write 2, or [1, 2, 3].")
    if not array.size or array.size > ENTRIES:
        raise Unclear(f"{name} has {array.size:,} numbers; here it may have 1 to {ENTRIES}.")
    if not (np.abs(array) <= np.finfo(np.float32).max).all():
        raise Unclear(f"{name} has a number that is too large for float32.")
    return value


def function_of(text: str, names: list[str]) -> Callable[..., Tensor]:
    """A function of these names with the text as its body. Unclear if the text is not Python, or has no result."""
    try:
        body = ast.parse(text).body
        if not body or not isinstance(body[-1], ast.Expr):
            raise Unclear("The last line has to be an expression: it is what the function gives.")
        body[-1] = ast.copy_location(ast.Return(body[-1].value), body[-1])
        module = ast.parse(f"def program({', '.join(names)}): pass")
        module.body[0].body = body  # type: ignore[attr-defined]
        namespace: dict[str, object] = {"torch": minigrad, "__builtins__": {}}
        exec(compile(module, PLACE, "exec", dont_inherit=True), namespace)
    except SyntaxError as error:
        where = f"Line {error.lineno}, place {error.offset}: " if error.lineno else ""
        raise Unclear(f"{where}{error.msg}.") from None
    assert isinstance(namespace["program"], types.FunctionType)
    return namespace["program"]


def sentence_of(error: Exception, text: str, names: list[str]) -> str:
    """What went wrong, and in which line of the text."""
    lines = [frame.lineno or 1 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PLACE]
    where = f"Line {lines[-1]}, `{text.splitlines()[lines[-1] - 1].strip()}`: " if lines else ""
    if isinstance(error, (NameError, ImportError)):
        known = ", ".join(name for name in names if name != "v")
        return f"{where}{named(error)}. The names here are {known} and torch."
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return f"{where}It would take more than {ROOM >> 30} GB of memory."
    if isinstance(error, OverflowError) or any(name in str(error) for name in ("JSON compliant", "NaN")):
        return "A number is infinite or nan, which cannot be drawn."
    if isinstance(error, ValueError) and not lines:
        return str(error)
    return f"{where}{named(error)}."


@contextlib.contextmanager
def stopped(seconds: float) -> Iterator[None]:
    """Raise OutOfTime after some seconds, in any thread: JupyterLab handles widgets in a separate one."""
    if threading.current_thread() is threading.main_thread():
        with time_limit(seconds):
            yield
        return
    thread = ctypes.c_ulong(threading.get_ident())
    stop = ctypes.pythonapi.PyThreadState_SetAsyncExc
    timer = threading.Timer(seconds, stop, (thread, ctypes.py_object(OutOfTime)))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        with contextlib.suppress(OutOfTime):  # sent at the last moment, it arrives here
            for _ in range(1000):
                pass


@contextlib.contextmanager
def room(size: int) -> Iterator[None]:
    """MemoryError for whatever would take more than `size` bytes, where the system can say so."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [taken + size, *(item for item in (before, hard) if item != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
