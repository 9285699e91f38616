"""What torch prints for a program: the reference that everything is compared with."""

from __future__ import annotations

import contextlib
import functools
import importlib
import threading
from collections.abc import Iterator
from typing import Any

from minigrad.course import cells, program, source
from minigrad.course.parts import Chapter

SECONDS = 20.0


class NoReference(Exception):
    """The program does not run to its end under torch, so there is nothing to compare with."""


_torch_is_there = threading.Event()
_torch_is_there.set()  # unless somebody begins to import it in a thread


def begin_to_import_torch() -> None:
    """Import torch in a thread: what interrupts the main thread then cannot leave half of torch behind."""

    def run() -> None:
        with contextlib.suppress(BaseException):  # whoever imports it next meets the error, and can show it
            importlib.import_module("torch")
        _torch_is_there.set()

    _torch_is_there.clear()
    threading.Thread(target=run, daemon=True, name="import torch").start()


def await_torch(seconds: float | None = None) -> None:
    """Wait until that thread is through; at once if there is none.

    Not with `join`: a KeyboardInterrupt in there makes a thread that still runs look as if it had ended.
    """
    _torch_is_there.wait(seconds)


def reference(chapter: Chapter, check: str, text: str, seed: int) -> str:
    """What the program `text` of a check prints under torch. NoReference if it stops with an error."""
    import torch

    with undisturbed(torch):
        run = program.run(text, torch, seed, written_by_us(chapter, check), SECONDS)
    if run.problem:
        raise NoReference(run.problem.message)
    return run.text


def written_by_us(chapter: Chapter, check: str) -> dict[str, Any]:
    """Our own answers for the parts of a check that torch does not have: programs, not operations."""
    answers = solutions(chapter.name)
    return {place.attribute: answers[place.name] for place in chapter.places(check) if place.kind == "program"}


@functools.cache
def solutions(name: str) -> program.Answers:
    """Our own answers to a chapter's parts, from the text of the solution notebook."""
    answers = program.Answers()
    namespace: dict[str, Any] = {"__name__": "__main__", "part": answers.part}
    for cell in source.read("solutions", name).cells:
        if cell.role in ("setup", "answer"):
            failure = cells.run_cell(cell.source, namespace)
            if failure:
                raise NoReference(f"cell {cell.id} of the solution: {failure}")
    return answers


@contextlib.contextmanager
def undisturbed(torch: Any) -> Iterator[None]:
    """Leave torch's global state as it was: generator, default dtype, grad mode, print options, warnings."""
    state, dtype, grad = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled()
    always = torch.is_warn_always_enabled()
    options = vars(torch._tensor_str.PRINT_OPTS).copy()
    torch.set_warn_always(True)
    try:
        yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)
        torch.set_warn_always(always)
        vars(torch._tensor_str.PRINT_OPTS).update(options)
