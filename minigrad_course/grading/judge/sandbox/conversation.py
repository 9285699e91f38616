"""Talk to a process over a socket, with a limit on how long its answer may take and how long it may be."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from pathlib import Path

from minigrad_course.grading.judge.sandbox.outcomes import End

LEAST_WAIT = 0.01  # seconds that are worth waiting for once more
MOST_PATIENCE = 10  # times the time limit that a process may wait for a processor


def frame(body: bytes) -> bytes:
    """A message: its length in four bytes, then itself."""
    return len(body).to_bytes(4, "big") + body


def read_exactly(read: Callable[[int], bytes], count: int) -> bytes | None:
    """Read `count` bytes; None if the other side closes before."""
    data = bytearray()
    while len(data) < count:
        piece = read(min(count - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def read_answer(read: Callable[[int], bytes], bound: int) -> End:
    """Read one message of at most `bound` bytes."""
    head = read_exactly(read, 4)
    if head is None:
        return End("closed")
    length = int.from_bytes(head, "big")
    if length > bound:
        return End("flood")
    body = read_exactly(read, length)
    return End("closed") if body is None else End("answer", body)


def answer(
    line: socket.socket, message: bytes, bound: int, seconds: float, waited: Callable[[], float] = lambda: 0.0
) -> End:
    """Send a message over a socket and read the answer within `seconds`, plus the time the other side `waited`."""
    started = time.monotonic()
    deadline = started + seconds

    def read(count: int) -> bytes:
        nonlocal deadline
        while True:
            # a timeout of zero would mean: do not wait at all
            line.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                return line.recv(count)
            except TimeoutError:
                later = started + min(seconds + waited(), MOST_PATIENCE * seconds)
                if later < deadline + LEAST_WAIT:
                    raise
                deadline = later

    try:
        line.settimeout(seconds)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(message)  # the other side may have left an answer before it ended
        return read_answer(read, bound)
    except TimeoutError:
        return End("time")
    except OSError:
        return End("closed")


def time_in_queue(pid: int) -> float:
    """For how many seconds a process would have computed and got no processor for it. Only Linux says so."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
