"""Files that are written whole: readers see either the old or the new version, and so after a disk that fills up."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from minigrad_course.programs.process import uninterrupted


class Together:
    """Files that change together, or not at all; a context manager.

    Each is written whole beside its place first. They are put there when all of them are: a disk that fills up before
    that leaves the old ones as they were.
    """

    def __init__(self) -> None:
        self.places: dict[Path, Path] = {}  # of each file that waits, where it belongs

    def __enter__(self) -> Together:
        return self

    def write(self, path: Path, text: str | Iterable[str]) -> None:
        """Write a file, which waits until all are written. OSError, with its name, if that is not possible."""
        pieces = [text] if isinstance(text, str) else text
        device = path.exists() and not path.is_file()  # as /dev/stdout
        part = path if device else path.with_name(f"{path.name}.part")
        if not device:
            self.places[part] = path
        options: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}
        try:
            with part.open("w", **options) as file:
                file.writelines(pieces)
                if not device:
                    file.flush()
                    os.fsync(file.fileno())  # some systems say only now that there is no room
        except OSError as error:
            error.filename = error.filename or str(path)  # a full disk names no file
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with uninterrupted():
            try:
                for part in list(self.places) if kind is None else ():
                    os.replace(part, self.places.pop(part))
            finally:
                clear(self.places)


def clear(paths: Iterable[Path]) -> None:
    """Delete files that were left by a writing that did not end."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()


def write(path: Path, text: str | Iterable[str]) -> None:
    """Write a file atomically: readers see either the old or the new version."""
    with Together() as together:
        together.write(path, text)
