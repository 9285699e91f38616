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
    """Let all paths begin at an empty folder that is deleted already, and was never anybody else's.

    In a folder that several processes see one could leave a sign for the next: the time of its last reading.
    """
    if sys.platform == "win32":
        return False
    root = os.geteuid() == 0
    try:
        if not root and (sys.platform != "linux" or libc().unshare(_CLONE_NEWUSER) != 0):
            return False
        _enter_nothing()
        os.chroot(".")
        if not root:
            _give_rights_back()
    except OSError:
        return False
    finally:
        os.chdir("/")
    # the system has no name for a folder that is deleted, and Python asks for one whenever it makes a path absolute
    os.getcwd, os.getcwdb = lambda: "/", lambda: b"/"
    return True


def _enter_nothing() -> None:
    """Make an empty folder, go there, and delete it. OSError if none can be made anywhere."""
    for place in _FOR_ALL:
        folder = os.path.join(place, f"minigrad-{os.urandom(8).hex()}")
        try:
            os.mkdir(folder)
        except OSError:
            continue
        try:
            os.chmod(folder, 0o555)  # nobody, who has yet to be become, may look into it as well
            os.chdir(folder)
        finally:
            os.rmdir(folder)
        return
    raise FileNotFoundError("no folder for an empty one")


# where everybody may make folders, in memory if possible: that is quicker; `tempfile` tries with a file
_FOR_ALL = ("/dev/shm", "/tmp", "/var/tmp")


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
