"""The text torch prints for a program: the reference for every comparison."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import importlib.metadata
import operator
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, TypeVar

from minigrad.compat import versions
from minigrad_course.parts import Chapter
from minigrad_course.programs import cells, program
from minigrad_course.texts import source

Function = TypeVar("Function", bound=Callable[..., object])
SECONDS = 20.0


class NoReference(Exception):
    """The program does not finish under torch, so there is nothing to compare with."""


only_references = False
_torch_is_there = threading.Event()
_torch_is_there.set()  # until somebody starts to import it in a thread


def set_only_references(only: bool) -> None:
    """Say whether nothing else in this process will use torch."""
    global only_references
    only_references = only


def begin_to_import_torch(for_references: bool = False) -> None:
    """Import torch in a thread, so that interrupting the main thread cannot leave torch half imported.

    `for_references`: nothing else in this process uses torch, so what no reference needs is left out.
    """

    def run() -> None:
        with contextlib.suppress(BaseException):  # the next import raises the same error, and can show it
            import_torch(NOT_FOR_REFERENCES if for_references else {})
        _torch_is_there.set()

    _torch_is_there.clear()
    threading.Thread(target=run, daemon=True, name="import torch").start()


def is_torch_here() -> bool:
    """Whether torch is imported already, to the end."""
    return "torch" in sys.modules and _torch_is_there.is_set()


def await_torch(seconds: float | None = None) -> None:
    """Wait for that thread to finish; return at once if there is none.

    Not with `join`: after a KeyboardInterrupt there, a running thread looks as if it had ended.
    """
    _torch_is_there.wait(seconds)


def imported_torch() -> Any:
    """torch, imported in a thread if it is not here yet: a signal during the import kills torch's C++."""
    if "torch" not in sys.modules and _torch_is_there.is_set():
        begin_to_import_torch(only_references)
    await_torch()  # else an import that fails in its thread would leave half a torch here, and hide its error
    return importlib.import_module("torch")


def reference(chapter: Chapter, check: str, text: str, seed: int) -> str:
    """What the program `text` of a check prints under torch. NoReference if it stops with an error."""
    torch = imported_torch()
    with undisturbed(torch):
        run = program.run(text, torch, seed, written_by_us(chapter, check), SECONDS)
    if run.problem:
        raise NoReference(run.problem.message)
    return run.text


def program_of(chapter: Chapter, check: str) -> str:
    """The program of a check as we wrote it, whatever the submission contains."""
    return _programs(chapter.name)[check]


@functools.cache
def _programs(name: str) -> dict[str, str]:
    return source.read("solutions", name).programs()


def written_by_us(chapter: Chapter, check: str) -> dict[str, object]:
    """Our own answers to the parts that torch does not have: programs, not operations."""
    answers = solutions(chapter.name)
    return {place.attribute: answers[place.name] for place in chapter.places(check) if place.kind == "program"}


@functools.cache
def solutions(name: str, solved: bool = True) -> program.Answers:
    """Our own answers to a chapter's parts, from the source of the solution notebook; else the stubs they begin as."""
    answers = program.Answers()
    namespace: dict[str, object] = {"__name__": "__main__", "part": answers.part}
    for cell in source.read("solutions", name).cells:
        if cell.role in ("setup", "answer"):
            text = cell.source if solved or cell.role == "setup" else cell.given
            if cell.is_module:
                module, failure = cells.module_of(text)
                answers.update(dict.fromkeys(cell.parts, module))
            else:
                failure = cells.run_cell(text, namespace)
            if failure:
                raise NoReference(f"cell {cell.id} of the solution: {failure}")
    return answers


@contextlib.contextmanager
def undisturbed(torch: ModuleType) -> Iterator[None]:
    """Restore torch's global state afterwards: generator, default dtype, grad mode, print options, warnings."""
    state, dtype, grad = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled()
    always = torch.is_warn_always_enabled()
    options = vars(torch._tensor_str.PRINT_OPTS).copy()
    torch.set_warn_always(True)
    try:
        with lightly(torch):
            yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)
        torch.set_warn_always(always)
        vars(torch._tensor_str.PRINT_OPTS).update(options)


@contextlib.contextmanager
def lightly(torch: ModuleType) -> Iterator[None]:
    """Make torch do without its compiler and its symbolic shapes while the block runs.

    torch imports them for the first optimizer, to exclude it from compilation, and for the first `backward` with a
    gradient, to compare shapes. That takes as long as importing torch itself, and nothing here is compiled or symbolic.
    """
    unmarked: list[object] = []

    def disable(function: Function, *_: object, **__: object) -> Function:
        unmarked.append(function)
        return function

    def clear(ours: Mapping[str, types.ModuleType]) -> None:
        if vars(torch).get("_dynamo") is ours.get("torch._dynamo", torch):
            del torch._dynamo
        for function in unmarked:  # where torch marks the results of `disable`
            vars(function).pop("__dynamo_disable", None)

    stand_ins: dict[str, dict[str, object]] = {
        "torch._dynamo": {"disable": disable, "graph_break": lambda: None},
        "torch.fx.experimental.symbolic_shapes": {"sym_eq": operator.eq, "expect_true": bool},
    }
    with standing_in(stand_ins, clear):
        yield


TRIED_WITH = versions.KNOWN  # the versions of torch whose import was tried without what follows
NOT_FOR_REFERENCES: dict[str, dict[str, object]] = {"torch.export": {}, "torch._meta_registrations": {}}


def import_torch(left_out: Mapping[str, Mapping[str, object]]) -> None:
    """Import torch without garbage collections, which take a fifth of the time; with NOT_FOR_REFERENCES, in 0.6 of it.

    Those are exported programs, and tensors without data.
    """
    known = versions.known(importlib.metadata.version("torch")) in TRIED_WITH
    collecting = gc.isenabled()
    gc.disable()
    try:
        with standing_in(left_out if known and "torch" not in sys.modules else {}):
            importlib.import_module("torch")
    finally:
        if collecting:
            gc.enable()


@contextlib.contextmanager
def standing_in(
    stand_ins: Mapping[str, Mapping[str, object]], clear: Callable[[Mapping[str, types.ModuleType]], None] | None = None
) -> Iterator[None]:
    """Have placeholders for modules that are not imported yet, with these attributes, while the block runs.

    Code that needs more than a placeholder offers gets the real module. `clear` removes what else is left of them.
    """
    ours: dict[str, types.ModuleType] = {}

    def more(module: str, name: str) -> object:
        if name.startswith("__"):  # the import system itself asks
            raise AttributeError(name)
        remove()
        return getattr(importlib.import_module(module), name)

    def remove() -> None:
        for name, module in ours.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
        if clear:
            clear(ours)

    for name, attributes in stand_ins.items():
        if name not in sys.modules:
            ours[name] = sys.modules[name] = types.ModuleType(name)
            vars(ours[name]).update({**attributes, "__getattr__": functools.partial(more, name)})
    try:
        yield
    finally:
        remove()
