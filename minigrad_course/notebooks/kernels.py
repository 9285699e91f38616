"""Kernels that start from one process, which has imported for all of them: each of its own would need seconds for that.

On Linux; elsewhere a process that has loaded numpy and torch may not fork safely, and each kernel imports for itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

# What notebooks spend most time on; torch's optimizers import the first. None starts a thread or asks for a kernel.
LOADED = ("torch._dynamo", "ipykernel.kernelapp", "ipykernel.ipkernel", "matplotlib.pyplot", "matplotlib.textpath")


@contextlib.contextmanager
def manager(environment: dict[str, str]) -> Iterator[type | None]:
    """A class that manages kernels, all forked from one process in this environment, which ends with the block."""
    if sys.platform != "linux":
        yield None
        return
    import psutil
    from nbclient.exceptions import DeadKernelError

    from minigrad_course.notebooks import transport

    command = [sys.executable, "-P", __file__, *LOADED]
    lock, pipe = threading.Lock(), subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, bufsize=0) as server:
        assert server.stdin and server.stdout
        asked, told = server.stdin, server.stdout

        class Forked(psutil.Process):
            """A kernel, as far as a manager asks. It is no child of ours: the server waits for it."""

            stdin = stdout = stderr = None

            def poll(self) -> int | None:
                return None if self.is_running() else 0

            def send_signal(self, number: int) -> None:
                with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
                    super().send_signal(number)

        class Manager(transport.Manager):
            async def _async_launch_kernel(self, kernel_cmd: list[str], **kw: Any) -> None:
                arguments = kernel_cmd[kernel_cmd.index("ipykernel_launcher") + 1 :]
                with lock:
                    with contextlib.suppress(BrokenPipeError):
                        asked.write(json.dumps([arguments, kw["cwd"], kw["env"]]).encode() + b"\n")
                    number = told.readline()
                if not number:
                    raise DeadKernelError("the process that starts the kernels has ended; run it again")
                made = Forked(int(number))
                own: Any = self.provisioner
                own.process, own.pid, own.pgid = made, made.pid, made.pid
                self._reconcile_connection_info(own.connection_info)

        yield Manager


def serve() -> None:
    """Fork a kernel for each line that comes in, and answer with its number."""
    for name in sys.argv[1:]:
        importlib.import_module(name)
    gc.freeze()  # the kernels share this memory as long as nobody writes to it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system clears away what has ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this one ends it
    for line in sys.stdin:
        if not (made := os.fork()):
            become(*json.loads(line))
        print(made, flush=True)


def become(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be a kernel until it ends, as `python -m ipykernel_launcher` would be."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment, JPY_PARENT_PID=str(os.getppid()))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    from ipykernel import kernelapp

    kernelapp.launch_new_instance(argv=arguments)
    os._exit(0)  # to tear down torch takes longer than many a notebook


if __name__ == "__main__":
    serve()
