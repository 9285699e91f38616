"""Paths that say nothing about the machine: what a worker is started by, and what of its texts is shown.

A path of the grader can hold a user's name, and Python has it in a hundred places: of every module, every function,
every traceback, and in C. So on Linux the worker is started through a folder of links with a meaningless name, and
knows no other; the folder is gone before there is a submission. What the system itself still knows, as the place of a
library in C, is cut out of what comes back.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType

HIDDEN = "…"  # in the place of a path
PUBLIC = ("/usr", "/usr/local", "/opt", "/")  # that are the same everywhere, and say nothing
PYTHON, EXEC, RUN, WORKER, PACKAGES = "python", "platform", "run", "worker", "packages"


class Links:
    """A folder with links to Python, to the worker and to numpy; a context manager.

    Where that is not possible, `command` and `environment` have the real paths.
    """

    def __init__(self, worker: Path, packages: Path) -> None:
        self.folder: Path | None = None
        self.worker, self.packages = worker, packages
        self.environment: dict[str, str] = {}
        # isolated: what is installed or set for a user has no effect
        self.python = [sys.executable, "-I"]
        if not can_be_moved():
            return
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="minigrad-", dir=common_folder()))
            self.link(worker.parent, packages)
        except OSError:
            self.close()

    def link(self, worker: Path, packages: Path) -> None:
        """Make the links, and use them."""
        assert self.folder is not None
        targets = {PYTHON: sys.base_prefix, EXEC: sys.base_exec_prefix, RUN: base_executable()}
        for name, target in {**targets, WORKER: str(worker), PACKAGES: str(packages)}.items():
            (self.folder / name).symlink_to(target)
        homes = [str(self.folder / name) for name in (PYTHON, EXEC)]
        same = sys.base_prefix == sys.base_exec_prefix
        self.environment = {"PYTHONHOME": homes[0] if same else os.pathsep.join(homes)}
        # isolated as well, but with that variable: the environment has no other
        self.python = [str(self.folder / RUN), "-P", "-s"]
        self.worker, self.packages = self.folder / WORKER / self.worker.name, self.folder / PACKAGES

    def __enter__(self) -> Links:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the links: a worker has loaded all it will ever load. Can be called again."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


def can_be_moved() -> bool:
    """True if this Python finds its library by a home that it is told, as every installed one on Linux does."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = Path(sys.base_prefix, sys.platlibdir, name), Path(sys.base_prefix, "lib", name)
    return sys.platform == "linux" and Path(os.__file__).parent in library and os.path.isfile(base_executable())


def base_executable() -> str:
    """The Python that a virtual environment was made with, or this one."""
    return str(getattr(sys, "_base_executable", None) or sys.executable)


def common_folder() -> str | None:
    """A folder for temporary files that is not named after anybody; None for the user's own."""
    return "/tmp" if os.access("/tmp", os.W_OK | os.X_OK) else None


def without_paths(text: str) -> str:
    """A text without the paths of the grader."""
    return paths().sub(HIDDEN, text)


@functools.cache
def paths() -> re.Pattern[str]:
    """What a path of the grader begins with."""
    here = Path(__file__).parents[4]
    known = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, sys.executable, base_executable()]
    known += [str(here), *(item for item in sys.path if os.path.isabs(item))]
    every = {item for one in known for item in (one, os.path.realpath(one)) if len(Path(item).parts) > 2}
    some = sorted(every.difference(PUBLIC), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, some)) or r"(?!)")
