"""Where in a program something happens: its frames, and the exact expression that runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

OTHER, USER, NEAR, CHECKPOINT, TRANSFORM = range(5)
DEPTH = 8  # frames of the program that are remembered below the one that runs
# Between the program and an operation: these only hand a call on.
HANDED_ON = (
    "torch/_tensor.py",
    "torch/overrides.py",
    "torch/functional.py",
    "torch/nn/functional.py",
    "torch/autograd/__init__.py",
    "torch/_jit_internal.py",
    "torch/_VF.py",
    "torch/nn/init.py",
    "minigrad_course/explain/observing/observe.py",
)
# These start passes of their own, which are not the program's.
TRANSFORMS = ("eager_transforms.py", "autograd/functional.py", "gradcheck.py", "_functorch/vmap.py")
LIBRARY = {str(Path(os.__file__).parent), sys.prefix, sys.base_prefix}


class Place:
    """Where an event happened: the code that ran, how far it was, and the lines that had called it."""

    __slots__ = ("code", "lasti", "line", "outer", "direct", "checkpoint", "custom")

    def __init__(
        self,
        code: CodeType,
        lasti: int,
        line: int,
        outer: tuple[Any, ...],
        direct: bool,
        checkpoint: bool,
        custom: bool,
    ):
        self.code, self.lasti, self.line, self.outer = code, lasti, line, outer
        self.direct = direct  # nothing but torch's own wrappers between the program and the operation
        self.checkpoint = checkpoint
        self.custom = custom  # in forward() or backward() of a custom Function

    @property
    def path(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_name

    def span(self, known: dict[CodeType, list[Any]]) -> tuple[Any, ...]:
        """(line, last line, column, last column) of the expression that ran; columns in bytes."""
        if self.code not in known:
            known[self.code] = list(self.code.co_positions())
        return tuple(known[self.code][self.lasti // 2])


class Frames:
    """Which code is the program's."""

    def __init__(self, files: set[str], folder: str | None = None):
        self.files, self.folder = files, folder
        self.kinds: dict[int, int] = {}  # by the id of a code: Python takes long to hash one
        self.customs: dict[int, bool] = {}
        self.codes: list[CodeType] = []  # kept, so that each id stays that of one code

    def kind(self, code: CodeType) -> int:
        """Whose code this is: USER, HANDED_ON's, …"""
        result = self.kinds.get(id(code))
        if result is None:
            result = self.kinds[id(code)] = self.look(code.co_filename)
            self.codes.append(code)
        return result

    def look(self, name: str) -> int:
        """The kind of a file."""
        plain = name.replace("\\", "/")
        if name in self.files:
            return USER
        if plain.endswith(HANDED_ON):
            return NEAR
        if plain.endswith("utils/checkpoint.py"):
            return CHECKPOINT
        if plain.endswith(TRANSFORMS):
            return TRANSFORM
        if self.folder and name.startswith(self.folder + os.sep) and not self.is_library(plain):
            self.files.add(name)
            return USER
        return OTHER

    def is_library(self, name: str) -> bool:
        """True for installed code, which may lie below the program's folder."""
        return "/site-packages/" in name or "/minigrad_course/explain/" in name or "/dist-packages/" in name

    def place(self, frame: FrameType | None) -> tuple[Place | None, FrameType | None]:
        """The nearest line of the program below a frame, with its frame."""
        direct, checkpoint, kinds = True, False, self.kinds
        while frame is not None:
            code = frame.f_code
            kind = kinds.get(id(code))
            if kind is None:
                kind = self.kind(code)
            if kind == USER:
                break
            if kind != NEAR:
                direct = False
                checkpoint = checkpoint or kind == CHECKPOINT
            frame = frame.f_back
        if frame is None:
            return None, None
        custom = self.customs.get(id(code))
        if custom is None:
            custom = self.customs[id(code)] = code.co_varnames[:1] == ("ctx",)
        outer: list[Any] = []
        below = frame if code.co_name == "<module>" else frame.f_back  # what has imported a module is of no matter
        while below is not None and below.f_code.co_name != "<module>" and len(outer) < DEPTH:
            if self.kind(below.f_code) == USER:
                outer.append((below.f_code, below.f_lasti, below.f_lineno))
            below = below.f_back
        if below is not None and below is not frame and self.kind(below.f_code) == USER and len(outer) < DEPTH:
            outer.append((below.f_code, below.f_lasti, below.f_lineno))
        return Place(code, frame.f_lasti, frame.f_lineno, tuple(outer), direct, checkpoint, custom), frame
