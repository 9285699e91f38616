"""Try what a submission must not do, to report what is really open on this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Callable

from .sentences import CAN_CONNECT, CAN_GROW, CAN_READ, CAN_SEE, CAN_SIGNAL, CAN_START, CAN_WRITE, STILL_ROOT

if sys.platform != "win32":
    import resource


def possible() -> list[str]:
    """Try what a submission must not do, in this process; returns what works. The attempts leave no trace."""
    results = []
    for sentence, attempt in _ATTEMPTS:
        with contextlib.suppress(OSError, AttributeError):  # AttributeError: the system has no such thing
            if attempt():
                results.append(sentence)
    return results


def _starts_a_process() -> bool:
    number = os.fork()
    if number == 0:
        os._exit(0)
    os.waitpid(number, 0)
    return True


def _lists_a_folder() -> bool:
    os.listdir(_OUTSIDE)
    return True


def _makes_a_file() -> bool:
    os.close(os.open(_OUTSIDE, os.O_TMPFILE | os.O_WRONLY, 0o600))  # type: ignore[attr-defined, unused-ignore]
    return True


def _connects() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("127.0.0.1", 9))  # chooses a way, and sends nothing
    return True


def _signals() -> bool:
    os.kill(os.getppid(), 0)  # asks whether it may, and sends none
    return True


def _grows() -> bool:
    return sys.platform == "win32" or resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY


# a folder that every user of every system may list
_OUTSIDE = "/tmp" if os.sep == "/" else sys.base_prefix
_ATTEMPTS: tuple[tuple[str, Callable[[], object]], ...] = (
    (STILL_ROOT, lambda: os.geteuid() == 0),
    (CAN_SEE, lambda: os.stat(_OUTSIDE)),
    (CAN_READ, _lists_a_folder),
    (CAN_WRITE, _makes_a_file),
    (CAN_CONNECT, _connects),
    (CAN_START, _starts_a_process),
    (CAN_SIGNAL, _signals),
    (CAN_GROW, _grows),
)
