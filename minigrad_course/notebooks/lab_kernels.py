"""What `minigrad lab` has JupyterLab manage its kernels with."""

from __future__ import annotations

from jupyter_server.services.kernels.kernelmanager import ServerKernelManager

from minigrad_course.notebooks.transport import ByFile


class Manager(ByFile, ServerKernelManager):
    """The one of Jupyter's server, but it reaches a Python kernel by files: ports may be taken before it has them."""
