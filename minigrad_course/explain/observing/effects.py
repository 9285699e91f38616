"""What a program does besides computing: files it writes, connections, processes. It is run again only without them."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

FILES = {
    "os.remove": "removes",
    "os.rename": "renames",
    "os.rmdir": "removes",
    "os.mkdir": "makes the folder",
    "os.link": "links",
    "os.symlink": "links",
    "os.truncate": "cuts",
    "os.chmod": "changes",
    "shutil.rmtree": "removes",
    "shutil.move": "moves",
}
PROCESSES = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


class Refused(PermissionError):
    """A program that is only tried may not do this."""


class Effects:
    """Notes effects of the program of some frames. With `inside`, it refuses those outside of that folder."""

    def __init__(self, files: set[str], folder: str, inside: str | None = None):
        self.files, self.folder, self.inside = files, folder, inside
        self.noted: dict[str, tuple[str, int]] = {}  # what it does: (path, line)
        self.read: set[str] = set()  # files below its folder that it opened
        self.busy = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            if not isinstance(path, (str, bytes, os.PathLike)):
                return
            name = os.fsdecode(path)
            writes = any(item in (mode or "") for item in "wax+") or (
                mode is None and isinstance(flags, int) and flags & WRITES
            )
            if not writes:
                if name.startswith(self.folder) or not os.path.isabs(name):
                    self.read.add(os.path.abspath(name))
                return
            if name == os.devnull or name.endswith(".pyc") or "__pycache__" in name:
                return
            self.note(f"writes {os.path.basename(name)}", name)
        elif event in FILES:
            name = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes, os.PathLike)) else str(args[0])
            if "__pycache__" not in name:
                self.note(f"{FILES[event]} {os.path.basename(name) or name}", name)
        elif event in PROCESSES:
            self.note("starts another process", None)
        elif event in ("socket.connect", "socket.bind", "socket.getaddrinfo"):
            if event == "socket.getaddrinfo" or isinstance(args[1], tuple):
                self.note("opens a connection", None)
        elif event == "builtins.input":
            self.note("asks for input", None)

    def note(self, what: str, path: str | None) -> None:
        """Remember an effect, if the program asked for it and not a library that it imports."""
        if self.busy:
            return
        self.busy = True
        try:
            where = self.asked_by()
        finally:
            self.busy = False
        if where is None:
            return
        if self.inside is not None:
            if path is not None and os.path.realpath(path).startswith(os.path.realpath(self.inside)):
                return
            raise Refused(f"a program that is only tried may not do this: it {what}")
        self.noted.setdefault(what, where)

    def asked_by(self) -> tuple[str, int] | None:
        """The line of the program that asked; None while a library is imported, or data is loaded by processes."""
        frame: FrameType | None = sys._getframe(3)
        while frame is not None:
            name = frame.f_code.co_filename
            if name in self.files or (name.startswith(self.folder + os.sep) and "site-packages" not in name):
                return name, frame.f_lineno
            plain = name.replace("\\", "/")
            if "importlib._bootstrap" in name or "/torch/utils/data/" in plain or "/torch/_dynamo/" in plain:
                return None
            frame = frame.f_back
        return None


class Hook:
    """The one audit hook of this process: Python cannot take one away again."""

    current: Effects | None = None
    installed = False

    @classmethod
    def watch(cls, effects: Effects | None) -> None:
        """Let these effects be noted from now on."""
        if not cls.installed:
            cls.installed = True
            sys.addaudithook(cls.heard)
        cls.current = effects

    @classmethod
    def heard(cls, event: str, args: tuple[Any, ...]) -> None:
        if cls.current is not None:
            cls.current(event, args)
