"""Close a process off before it runs code that nobody has read.

Five layers, each useful alone: resource limits; a folder of the Python library as the root of all paths, because
Landlock lets everybody ask for the size and the times of a file that they know by name; an unprivileged user in place
of root; Landlock (no file but the Python library and numpy); a seccomp list of the system calls that pure computation
needs, all others refused. On Linux the last two come from the kernel through ctypes, because no maintained package
offers them together: `landlock` knows file rights only and `pyseccomp` needs a C library that is rarely installed.

Each layer reports whether it could be applied. `possible` then tries what a submission must not do, so that the report
names what is open on this machine, not what might be.

A user namespace (0.15 ms) is entered only where it takes one to change the root of paths; the rights that come with it
are given back at once. A network namespace would cost 0.6 ms more and close what seccomp refuses anyway. Bubblewrap
costs 4 to 6 ms, needs the limits as well, and is often not installed.

It imports the standard library only: the worker loads this folder by its path, outside of any package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping

from . import landlock, privileges, seccomp
from .attempts import possible
from .limits import limit_resources
from .sentences import CAN_SEE, NO_CALLS, NO_FILES, NO_LIMITS, NO_MEMORY_LIMIT, STILL_ROOT

__all__ = ["LAYERS", "Confinement", "library_files", "missing", "possible"]

LAYERS = ("limits", "view", "user", "files", "calls")


class Confinement:
    """What can be prepared once and applied in many forked children.

    `readable` lists the files and folders (with all below them) that stay readable.
    `layers` is for tests, which show that each layer holds alone.
    Linux objects are made here: an open Landlock ruleset (`ruleset`, a file descriptor that
    children inherit, or None) and the seccomp program (`filter`, bytes or None).
    """

    def __init__(self, readable: Iterable[str], layers: Collection[str] = LAYERS) -> None:
        self.layers = tuple(layers)
        if sys.platform != "win32":
            privileges.nobody()
        self.ruleset = landlock.make_ruleset(readable) if "files" in self.layers else None
        paths = self.ruleset is not None
        self.filter = seccomp.make_filter(with_paths=paths) if "calls" in self.layers else None

    def apply(self, limits: Mapping[str, float], parent: int | None = None) -> list[str]:
        """Confine this process permanently; returns what is not confined, in sentences.

        `limits` holds `cpu_seconds` (processor time from the start of the process) and
        `memory_mb` (MiB of address space beyond what the process has now). With `parent`, the
        process ends when that one does.
        """
        open_ends = []
        if "limits" in self.layers:
            open_ends += limit_resources(limits)
        if "view" in self.layers and not privileges.hide_files():
            open_ends.append(CAN_SEE)
        if "user" in self.layers and not privileges.drop_root():
            open_ends.append(STILL_ROOT)
        if parent is not None:
            privileges.die_with(parent)  # after the change of user, which clears it; before `calls`
        files = self.ruleset is not None and landlock.restrict_files(self.ruleset)
        calls = self.filter is not None and seccomp.restrict_calls(self.filter)
        # a filter made without Landlock refuses every path by itself
        return open_ends + _open_ends(files or (calls and self.ruleset is None), calls)


def missing() -> list[str]:
    """Say what could not be closed off on this machine, without confining anything."""
    limits = {"win32": [NO_LIMITS], "darwin": [NO_MEMORY_LIMIT]}.get(sys.platform, [])
    calls = seccomp.available()
    return limits + _open_ends(calls or landlock.version() > 0, calls)


def library_files(folders: Iterable[str]) -> list[str]:
    """List the entries of library folders, without the packages installed next to them.

    An installed torch or minigrad lies in site-packages, often inside the library's own folder;
    Landlock cannot take back a part of a folder, so every other entry is named on its own.
    """
    installed = {"site-packages", "dist-packages"}
    return [
        entry.path
        for folder in folders
        if os.path.isdir(folder)
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)
        if entry.name not in installed
    ]


def _open_ends(files: bool, calls: bool) -> list[str]:
    sentences = []
    if not files:
        sentences.append(NO_FILES)
    if not calls:
        sentences.append(NO_CALLS)
    return sentences
