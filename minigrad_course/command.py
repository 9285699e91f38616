"""The `minigrad` script: Ctrl-C ends it with a sentence, even while its modules are being imported.

It imports nothing until it runs, because numpy takes a while.
"""

from __future__ import annotations

import _thread
import atexit
import errno
import os
import signal
import sys
import threading
import time
from typing import Any

ended_with: list[Any] = []  # the status of a command that is over


def again(lost: Any) -> None:
    """Have Ctrl-C come once more if it came in a callback, as imports have many: Python can only drop it there."""
    if lost.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(interrupt, ())
    else:
        sys.__unraisablehook__(lost)


def interrupt() -> None:
    """Interrupt the main thread once the callback has returned, also where it sleeps or waits."""
    time.sleep(0.01)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def leave() -> None:
    """End the process without taking torch apart, which takes as long as grading two notebooks.

    A thread may still be importing it, after a Ctrl-C.
    """
    if ended_with and isinstance(ended_with[0], int):
        for stream in filter(None, (sys.stdout, sys.stderr)):  # either may have been closed
            stream.flush()
        os._exit(ended_with[0])


def main() -> None:
    """The entry point of the `minigrad` script, and of `python -m minigrad_course`."""
    sys.unraisablehook = again
    try:
        if sys.argv[1:2] not in (["run"], ["explain"]):  # whose scripts may want their objects taken apart
            atexit.register(leave)  # the first to be registered, so the last to be called
        if sys.argv[1:2] == ["grade"] and any(os.path.isdir(item) or item.endswith(".zip") for item in sys.argv[2:]):
            from minigrad_course.grading.workers.start import start_importing

            start_importing()  # the workers do, from now on, while this process does
        from minigrad_course.cli import main as command

        command()
    except SystemExit as end:
        ended_with.append(end.code)
        raise
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        ended_with.append(130)
        sys.exit(130)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"What it says cannot be written: {error.strerror}.", file=sys.stderr)
        os._exit(3)  # Python would try to write the rest once more
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0].startswith("minigrad"):
            raise
        print(
            f"{error.name} is not installed; it comes with the extra `grade` of this project. "
            f"In a clone: {sys.executable} -m pip install -e '.[grade]'",
            file=sys.stderr,
        )
        sys.exit(3)
    finally:
        exec("")  # CPython forgets by it that Ctrl-C once left an exec of text: it would still die of SIGINT
