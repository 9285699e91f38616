"""What `minigrad lab` has JupyterLab manage its kernels with."""

from __future__ import annotations

from jupyter_server.services.kernels.kernelmanager import ServerKernelManager

from minigrad.course.transport import ByFile


class Manager(ByFile, ServerKernelManager):
    """JupyterLab's own, but a Python kernel is reached by files instead of ports, which may be taken before it starts."""
