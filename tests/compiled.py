"""A copy of the project takes what Python has compiled of the same files: to compile them anew takes seconds."""

from __future__ import annotations

import shutil
from pathlib import Path

import minigrad

PACKAGE = Path(minigrad.__file__).parent


def lend(folder: Path) -> None:
    """Give each module of the package in `folder` that is as ours our time of change and our compiled file."""
    for path in folder.glob(f"{PACKAGE.name}/**/*.py"):
        ours = PACKAGE / path.relative_to(folder / PACKAGE.name)
        if not ours.is_file() or ours.read_bytes() != path.read_bytes():
            continue
        shutil.copystat(ours, path)  # Python asks for time and size
        for compiled in ours.parent.glob(f"__pycache__/{ours.stem}.cpython-*.pyc"):
            (path.parent / "__pycache__").mkdir(exist_ok=True)
            shutil.copy(compiled, path.parent / "__pycache__")
