"""The layer `files`: Landlock, with which no file can be read but those of a list."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

from .kernel import no_new_privileges, pointer, system_call

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # alike on every machine
_LANDLOCK_VERSION, _LANDLOCK_PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3


def version() -> int:
    """The version of this kernel's Landlock; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    arguments = (None, ctypes.c_size_t(0), ctypes.c_uint32(_LANDLOCK_VERSION))
    return max(0, system_call(_LANDLOCK_CREATE, *arguments))


def make_ruleset(readable: Iterable[str]) -> int | None:
    """A file descriptor of a ruleset that lets these files and folders be read; None without Landlock."""
    known = version()
    if known == 0:
        return None
    handled = (1 << 13) - 1  # all file rights of version 1; later versions know more
    handled |= sum(1 << bit for bit, since in ((13, 2), (14, 3), (15, 5)) if known >= since)
    fields = [handled]
    if known >= 4:
        fields.append(0b11)  # TCP: bind and connect
    if known >= 6:
        fields.append(0b11)  # abstract Unix sockets and signals outside
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    size = ctypes.c_size_t(len(attributes))
    ruleset = system_call(_LANDLOCK_CREATE, pointer(buffer), size, ctypes.c_uint32(0))
    if ruleset < 0:
        return None
    for path in readable:
        _allow_reading(ruleset, path)
    return ruleset


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return  # not there: nothing to allow
    try:
        rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE
        rule = struct.pack("=Qi", rights, place)
        buffer = ctypes.create_string_buffer(rule, len(rule))
        kind = ctypes.c_int(_LANDLOCK_PATH_BENEATH)
        arguments = (kind, pointer(buffer), ctypes.c_uint32(0))
        system_call(_LANDLOCK_ADD, ctypes.c_int(ruleset), *arguments)
    finally:
        os.close(place)


def restrict_files(ruleset: int) -> bool:
    """Hold this process to a ruleset for good; False if the kernel refuses."""
    no_new_privileges()
    return system_call(_LANDLOCK_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0
