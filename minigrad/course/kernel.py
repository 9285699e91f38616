"""A notebook's run in a kernel of its own that Ctrl-C or SIGTERM ends with KeyboardInterrupt, and nothing left running.

nbclient alone takes the kernel away at such a signal, and what waits for the kernel then fails in one way or another.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
from typing import Any

from nbclient import NotebookClient

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Client(NotebookClient):
    """Runs a notebook."""

    stopped = False

    def run(self, **settings: Any) -> None:
        """Run all cells. Raises nbclient's errors, and KeyboardInterrupt."""
        before = {each: signal.getsignal(each) for each in SIGNALS}
        try:
            # What a kernel says at its own end is of no use to anybody.
            self.execute(stderr=subprocess.DEVNULL, **settings)
        except BaseException:
            if self.stopped:  # nbclient may take what was cancelled for a kernel that died
                self.km = self.km or self.create_kernel_manager()  # it asks for one once more at exit
                raise KeyboardInterrupt from None
            raise
        finally:  # nbclient leaves the system's own
            with contextlib.suppress(ValueError):  # not in the main thread, and nothing was changed
                for each, handler in before.items():
                    signal.signal(each, handler)

    async def async_start_new_kernel(self, **settings: Any) -> None:
        """Called when nbclient has set its handlers: these take their place."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def stop() -> None:
            self.stopped = True
            loop.set_exception_handler(lambda *_: None)  # of what still waits for the kernel
            task.cancel()

        with contextlib.suppress(RuntimeError):  # on Windows, and outside the main thread
            for each in SIGNALS:
                loop.add_signal_handler(each, stop)
        await super().async_start_new_kernel(**settings)
