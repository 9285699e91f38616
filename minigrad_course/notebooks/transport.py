"""How a kernel is reached: by sockets that are files, where there are such, instead of by ports.

Jupyter looks for five free ports, lets go of them, and starts the kernel, which takes them a second or more later. One
that another program has by then, it cannot have: it ends, and is started five more times with the same ports; or, where
it is the port of its outputs, it neither works nor ends, and a notebook in JupyterLab stays at "Connecting".
"""

from __future__ import annotations

import shutil
import socket
import tempfile
from typing import Any

from jupyter_client.connect import ConnectionFileMixin
from jupyter_client.manager import AsyncKernelManager
from traitlets import default


def folder_for_sockets() -> str:
    """A new folder that only its owner can enter, where sockets can be made; "" if this machine has none."""
    if not hasattr(socket, "AF_UNIX"):  # as on Windows
        return ""
    folder = tempfile.mkdtemp(prefix="kernel-")
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(f"{folder}/ipc-0")  # as long as the names of the five
    except OSError:  # the name is too long, or this file system has no sockets
        shutil.rmtree(folder, ignore_errors=True)
        return ""
    return folder


class ByFile(ConnectionFileMixin):
    """A part of a class that manages kernels: files, for a Python kernel, where nobody has configured the transport."""

    folder = ""

    @default("transport")
    def by_file(self) -> str:
        own: Any = self
        if own.kernel_spec is None or own.kernel_spec.language != "python":  # kernels of some others know ports only
            return "tcp"
        self.folder = folder_for_sockets()
        return "ipc" if self.folder else "tcp"

    def _ip_default(self) -> str:
        return f"{self.folder}/ipc" if self.transport == "ipc" and self.folder else super()._ip_default()

    def cleanup_connection_file(self) -> None:
        """Remove the sockets and their folder too: the kernel has ended, and is not restarted."""
        super().cleanup_connection_file()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


class Manager(ByFile, AsyncKernelManager):
    """A manager of one kernel, for programs that run a notebook."""
