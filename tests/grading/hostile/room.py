"""The surroundings of a grading, open to everybody, so that only the confinement protects them.

Everything in the room is readable and writable for all users, and so is the way to it: an attack that leaves a trace
here, or learns a secret, was stopped by nothing.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import psutil

SECRET = "a secret of the room"
MARK = "LEFT_BY_A_SUBMISSION"


class Room:
    """Other submissions, a database, a home, a server and a neighbour; `changes` says what an attack did to them."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.other = self.written("submitted/somebody/01_scalar_backward/01_scalar_backward.ipynb", SECRET)
        self.solution = self.written("source/solution.py", f"SECRET = {SECRET!r}")
        self.startup = self.written("home/.ipython/profile_default/startup/00.py", "# nothing yet\n")
        self.home = folder / "home"
        self.database = folder / "grades.db"
        with sqlite3.connect(self.database) as connection:
            connection.execute("create table grades (student text, points integer)")
            connection.execute("insert into grades values ('somebody', 3)")
        for path in [*folder.rglob("*"), folder, *folder.parents]:
            if path.stat().st_uid == os.geteuid() and path != Path(path.anchor):
                path.chmod(
                    path.stat().st_mode | (0o777 if path.is_dir() and folder in [path, *path.parents] else 0o555)
                )
        for path in folder.rglob("*"):
            if path.is_file():
                path.chmod(0o666)

    def written(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def __enter__(self) -> Room:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.neighbour = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10_000)"])
        os.environ["MINIGRAD_TEST_SECRET"] = SECRET
        self.before = self.state()
        return self

    def __exit__(self, *error: object) -> None:
        del os.environ["MINIGRAD_TEST_SECRET"]
        self.neighbour.kill()
        self.neighbour.wait()
        self.server.close()

    def filled(self, text: str) -> str:
        """The text of an attack, with the places of the room in it."""
        names = {
            "FOLDER": self.folder,
            "OTHER": self.other,
            "SOLUTION": self.solution,
            "STARTUP": self.startup,
            "HOME": self.home,
            "DATABASE": self.database,
            "MARK": MARK,
            "PORT": self.server.getsockname()[1],
            "NEIGHBOUR": self.neighbour.pid,
            "JUDGE": os.getpid(),
            "PACKAGES": Path(psutil.__file__).parent.parent,
            "PROJECT": Path(__file__).resolve().parents[3],
        }
        for name, value in names.items():
            text = text.replace(f"<{name}>", str(value))
        return text

    def state(self) -> dict[str, str]:
        """Everything that may not change: the tree with its contents, traces in common places, the neighbour."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            info = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[str(path)] = f"{info.st_mode:o} {info.st_size} {info.st_mtime_ns} {content}"
        for place in ("/tmp", "/var/tmp", "/dev/shm"):
            for path in Path(place).glob(f"{MARK}*"):
                found[str(path)] = "a trace"
        found["neighbour"] = str(self.neighbour.poll())
        found["visitors"] = "none"
        try:
            self.server.accept()[0].close()
            found["visitors"] = "somebody connected"
        except BlockingIOError:
            pass
        return found

    def changes(self) -> list[str]:
        """What is not as it was before the first attack."""
        now = self.state()
        return sorted(name for name in {*now, *self.before} if now.get(name) != self.before.get(name))


def parent_of(process: psutil.Process) -> int | None:
    """The number of a process's parent; None if it has ended meanwhile."""
    try:
        return process.ppid()
    except psutil.NoSuchProcess:
        return None


def stragglers(judge: object) -> list[str]:
    """Processes of the sandbox that outlive their job.

    Beside the root and the templates there is only one child of each template, which waits for the next job: it is
    forked when the one before has been ended.
    """
    root = judge.sandbox._root
    if root is None:
        return []
    templates = psutil.Process(root.process.pid).children()
    left = []
    for template in templates:
        found = template.children(recursive=True)  # asked once: the one in waiting may just be taking its place
        parents = {each: parent_of(each) for each in found}
        waiting = [each for each in found if parents[each] == template.pid][:1]
        left += [each for each in found if each not in waiting and parents[each] is not None]
    sessions = {os.getsid(each.pid) for each in templates}
    return [repr(each) for each in left] + [str(each) for each in sessions - {root.process.pid}]
