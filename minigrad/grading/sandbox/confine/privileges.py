"""The layers `view` and `user`: no path leads outside one folder, and root becomes nobody."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys

from .kernel import libc

if sys.platform != "win32":
    import pwd

_PR_SET_PDEATHSIG, _SIGKILL = 1, 9
_CLONE_NEWUSER, _CAPABILITY_VERSION = 0x10000000, 0x20080522


def hide_files() -> bool:
    """Let all paths begin at an innocent folder, which holds nothing but a piece of the Python library."""
    if sys.platform == "win32":
        return False
    innocent = os.path.dirname(ctypes.__file__)
    try:
        if os.geteuid() == 0:
            os.chroot(innocent)
        elif sys.platform != "linux" or libc().unshare(_CLONE_NEWUSER) != 0:
            return False
        else:
            os.chroot(innocent)
            _give_rights_back()
        os.chdir("/")
    except OSError:
        return False
    return True


def _give_rights_back() -> None:
    """Drop all capabilities, including those from a user namespace."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    nothing = bytes(24)
    if libc().capset(ctypes.create_string_buffer(header, len(header)), ctypes.create_string_buffer(nothing, 24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


@functools.cache
def nobody() -> tuple[int, int]:
    """The user and group with no rights. Cached: looking them up reads files."""
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return 65534, 65534
    return entry.pw_uid & 0xFFFFFFFF, entry.pw_gid & 0xFFFFFFFF  # -2 on some systems


def drop_root() -> bool:
    """Become nobody if this is root; False if that fails."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return True
    user, group = nobody()
    try:
        os.setgroups([])
        if hasattr(os, "setresuid"):
            os.setresgid(group, group, group)
            os.setresuid(user, user, user)
        else:
            os.setgid(group)
            os.setuid(user)
    except OSError:
        return False
    return os.geteuid() != 0


def die_with(parent: int) -> None:
    """On Linux, have the kernel kill this process when its parent ends."""
    if sys.platform == "linux":
        libc().prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the line above
            os._exit(1)
