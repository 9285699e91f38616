"""How the layers call the Linux kernel: through ctypes, without an extra package."""

from __future__ import annotations

import ctypes
import functools

_PR_SET_NO_NEW_PRIVS = 38


@functools.cache
def libc() -> ctypes.CDLL:
    """The C library that this process has loaded already."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def system_call(number: int, *arguments: object) -> int:
    """What the kernel answers to a call by its number; -1 for an error."""
    return int(libc().syscall(ctypes.c_long(number), *arguments))


def pointer(buffer: ctypes.Array[ctypes.c_char]) -> ctypes.c_void_p:
    """The address of a buffer."""
    return ctypes.cast(buffer, ctypes.c_void_p)


def no_new_privileges() -> None:
    """No program that this process starts may have more rights than it: the kernel asks that of who confines itself."""
    libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
