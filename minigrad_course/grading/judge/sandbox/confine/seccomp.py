"""The layer `calls`: a seccomp list of the system calls that pure computation needs, all others refused."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

from .kernel import no_new_privileges, pointer, system_call

_SECCOMP_SET_MODE_FILTER, _SECCOMP_GET_ACTION_AVAIL, _SECCOMP_ALL_THREADS = 1, 2, 1
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_EPERM = 1
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}
_X32_BIT = 0x40000000  # on x86-64 the same call has a second number with this bit

# A list of what is allowed, not of what is refused, so that forgotten and new calls fail closed.
# Columns: the number on x86-64, on aarch64 (None: the machine has no such call).
_COMPUTE_CALLS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "fstat": (5, 80),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
# Only together with Landlock, which decides what the paths may be.
_PATH_CALLS: dict[str, tuple[int | None, int | None]] = {
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
}
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: the rest can send signals or lock
_FCNTL, _FCNTL_COMMANDS = (72, 25), (0, 1, 2, 3, 4, 1030)
# with another process's number this call could limit, and so kill, that process
_PRLIMIT = (302, 261)


def machine() -> str | None:
    """The machine's column in the tables above; None if it has none."""
    if sys.platform != "linux" or sys.maxsize < 2**32:
        return None
    name = os.uname().machine
    return name if name in _AUDIT_ARCH else None


def available() -> bool:
    """Whether this kernel has seccomp filters, and this file the numbers of the machine's calls."""
    name = machine()
    if name is None:
        return False
    action = ctypes.c_uint32(_ERRNO)
    arguments = (ctypes.c_uint(_SECCOMP_GET_ACTION_AVAIL), ctypes.c_uint(0), ctypes.byref(action))
    return system_call(_SECCOMP_CALL[name], *arguments) == 0


def make_filter(with_paths: bool) -> bytes | None:
    """A classic BPF program that allows the calls of the tables; None if seccomp is missing."""
    name = machine()
    if name is None or not available():
        return None
    column = 0 if name == "x86_64" else 1
    table = _COMPUTE_CALLS | (_PATH_CALLS if with_paths else {})
    numbers = [row[column] for row in table.values()]
    load, equal, at_least, leave = 0x20, 0x15, 0x35, 0x06
    number_at, machine_at, argument_at = 0, 4, 16  # offsets in struct seccomp_data
    # an instruction: code, value, label if true, label if false; a bare string is a label
    program: list[tuple[int, int, str, str] | str] = [
        (load, machine_at, "", ""),
        (equal, _AUDIT_ARCH[name], "", "kill"),
        (load, number_at, "", ""),
        (at_least, _X32_BIT, "refuse", ""),
        (equal, _FCNTL[column], "fcntl", ""),
        (equal, _PRLIMIT[column], "prlimit", ""),
        *((equal, number, "allow", "") for number in numbers if number is not None),
        "refuse",
        (leave, _ERRNO | _EPERM, "", ""),
        "fcntl",
        (load, argument_at + 8, "", ""),
        *((equal, command, "allow", "") for command in _FCNTL_COMMANDS),
        (leave, _ERRNO | _EPERM, "", ""),
        "prlimit",
        (load, argument_at, "", ""),
        (equal, 0, "own", ""),
        (leave, _ERRNO | _EPERM, "", ""),
        "own",  # and no new limit: a process that lowers its own could die as if somebody else had killed it
        (load, argument_at + 16, "", ""),
        (equal, 0, "half", ""),
        (leave, _ERRNO | _EPERM, "", ""),
        "half",
        (load, argument_at + 20, "", ""),
        (equal, 0, "allow", ""),
        (leave, _ERRNO | _EPERM, "", ""),
        "allow",
        (leave, _ALLOW, "", ""),
        "kill",
        (leave, _KILL_PROCESS, "", ""),
    ]
    places: dict[str, int] = {}
    instructions: list[tuple[int, int, str, str]] = []
    for line in program:
        if isinstance(line, str):
            places[line] = len(instructions)
        else:
            instructions.append(line)

    def jump(label: str, here: int) -> int:
        return places[label] - here - 1 if label else 0

    return b"".join(
        struct.pack("=HBBI", code, jump(yes, here), jump(no, here), value)
        for here, (code, value, yes, no) in enumerate(instructions)
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def restrict_calls(instructions: bytes) -> bool:
    """Hold this process to a filter for good; False if the kernel refuses."""
    no_new_privileges()
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(instructions) // 8, pointer(buffer))
    name = machine()
    if name is None:
        return False
    operation = ctypes.c_uint(_SECCOMP_SET_MODE_FILTER)
    flags = ctypes.c_uint(_SECCOMP_ALL_THREADS)
    return system_call(_SECCOMP_CALL[name], operation, flags, ctypes.byref(program)) == 0
