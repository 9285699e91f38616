"""`minigrad lab` as tests run it: a server of its own, with Jupyter's files in a folder that is thrown away."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import minigrad

SECONDS = 60
ADDRESS = re.compile(r"http://\S+")
HIDDEN = ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY", "JUPYTER_TOKEN", "BROWSER")


@dataclass
class Running:
    process: subprocess.Popen[str]
    printed: str  # up to the address
    address: str
    folder: Path  # where it was started
    later: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """The address of the server itself."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        return urlsplit(self.address).query.partition("=")[2]

    def get(self, path: str) -> bytes:
        """What the server answers to `path`, asked with the token of the printed address."""
        return fetch(f"{self.origin}{path}?token={self.token}")

    def interrupt(self) -> tuple[int, float]:
        """Ctrl-C, as a terminal sends it to all of a command: the exit code, and how many seconds it took."""
        start = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(SECONDS), time.monotonic() - start


def fetch(address: str | urllib.request.Request) -> bytes:
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:
        return answer.read()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment_in(home: Path) -> dict[str, str]:
    """The variables of a machine without a display whose user has never run Jupyter."""
    home.mkdir()
    folders = ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    return {
        **{name: value for name, value in os.environ.items() if name not in HIDDEN},
        **{name: str(home / name.lower()) for name in folders},
        "HOME": str(home),
        "PYTHONPATH": str(Path(minigrad.__file__).parents[1]),
        "PYTHONUNBUFFERED": "1",
    }


def running(environment: dict[str, str], folder: Path, *arguments: str) -> AbstractContextManager[Running]:
    """`minigrad lab` started in `folder`, once it has printed its address."""
    return started([sys.executable, "-m", "minigrad_course", "lab", *arguments], environment, folder)


@contextmanager
def started(
    command: list[str], environment: dict[str, str], folder: Path, seconds: float = SECONDS
) -> Iterator[Running]:
    """A command that serves, started in `folder`, once it has printed its address, for which it has some seconds."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None

    def kill() -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    guard = threading.Timer(seconds, kill)
    guard.start()
    later: list[str] = []
    # A pipe that nobody reads would stop the server once it is full.
    reader = threading.Thread(target=lambda: later.extend(process.stdout or ()), daemon=True)
    try:
        printed = ""
        for line in process.stdout:
            printed += line
            if found := ADDRESS.search(line):
                guard.cancel()
                reader.start()
                yield Running(process, printed, found.group(), folder, later)
                return
        pytest.fail(f"it ended with code {process.wait()} and printed:\n{printed}")
    finally:
        guard.cancel()
        if process.poll() is None:
            kill()
        process.wait()
        if reader.ident:
            reader.join(SECONDS)
        process.stdout.close()
