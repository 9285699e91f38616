"""Close a process off before it runs code that nobody has read.

Five layers, each useful alone: resource limits; a folder of the Python library as the root of all paths, because
Landlock lets everybody ask for the size and the times of a file that they know by name; an unprivileged user in place
of root; Landlock (no file but the Python library and numpy); a seccomp list of the system calls that pure computation
needs, all others refused. On Linux the last two come from the kernel through ctypes, because no maintained package
offers them together: `landlock` knows file rights only and `pyseccomp` needs a C library that is rarely installed.

Each layer says whether it could be put on. `possible` then tries what a submission must not do, so that the report
names what is open on this machine, and not what might be.

A user namespace (0.15 ms) is entered only where it takes one to change the root of paths; the rights that come with it
are given back at once. A network namespace would cost 0.6 ms more and close what seccomp refuses anyway. Bubblewrap
costs 4 to 6 ms, needs the limits beside it, and is often not installed.

It imports the standard library only: the worker loads this file by its path, with no package.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import socket
import struct
import sys
from collections.abc import Callable, Collection, Iterable, Mapping

if sys.platform != "win32":
    import pwd
    import resource

LAYERS = ("limits", "view", "user", "files", "calls")

NO_LIMITS = "Memory, processor time and the number of processes are not limited on this system."
NO_MEMORY_LIMIT = "Memory is not limited: macOS does not enforce the limit."
NO_FILES = "Files are not closed off: Landlock is missing."
NO_CALLS = "System calls are not filtered: this system has no seccomp filter."
STILL_ROOT = "The code runs as root: changing to an unprivileged user failed."

CAN_SEE = "A submission can see whether a file exists whose name it knows, its size and its times."
CAN_READ = "A submission can read files, as far as the rights of the user go that it runs as."
CAN_WRITE = "A submission can make files, as far as the rights of the user go that it runs as."
CAN_CONNECT = "A submission can use the network."
CAN_START = "A submission can start processes."
CAN_SIGNAL = "A submission can send signals to other processes, as far as the rights of the user go that it runs as."
CAN_GROW = "A submission can take any amount of memory."

# ---------------------------------------------------------------- the kernel's numbers

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_SIGKILL = 9
_CLONE_NEWUSER, _CAPABILITY_VERSION = 0x10000000, 0x20080522
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # alike on every machine
_LANDLOCK_VERSION, _LANDLOCK_PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_SECCOMP_SET_MODE_FILTER, _SECCOMP_GET_ACTION_AVAIL, _SECCOMP_ALL_THREADS = 1, 2, 1
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_EPERM = 1
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}
_X32_BIT = 0x40000000  # on x86-64 the same call has a second number with this bit

# A list of what is allowed, not of what is refused: a forgotten or a new call then fails closed.
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


# ---------------------------------------------------------------- what a caller uses


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
            _nobody()
        self.ruleset = _make_ruleset(readable) if "files" in self.layers else None
        paths = self.ruleset is not None
        self.filter = _make_filter(with_paths=paths) if "calls" in self.layers else None

    def apply(self, limits: Mapping[str, float], parent: int | None = None) -> list[str]:
        """Confine this process for good; return what is not confined, in sentences.

        `limits` holds `cpu_seconds` (processor time from the start of the process) and
        `memory_mb` (MiB of address space beyond what the process has now). With `parent`, the
        process ends when that one does.
        """
        open_ends = []
        if "limits" in self.layers:
            open_ends += _limit_resources(limits)
        if "view" in self.layers and not _hide_files():
            open_ends.append(CAN_SEE)
        if "user" in self.layers and not _drop_root():
            open_ends.append(STILL_ROOT)
        if parent is not None:
            _die_with(parent)  # after the change of user, which clears it; before `calls`
        files = self.ruleset is not None and _restrict_files(self.ruleset)
        calls = self.filter is not None and _restrict_calls(self.filter)
        # a filter made without Landlock refuses every path by itself
        return open_ends + _open_ends(files or (calls and self.ruleset is None), calls)


def confine(limits: Mapping[str, float], readable: Iterable[str]) -> list[str]:
    """Confine this process for good; return what is not confined on this machine, in sentences.

    `limits` and `readable` are those of `Confinement.apply` and `Confinement`.
    """
    return Confinement(readable).apply(limits)


def missing() -> list[str]:
    """Say what `confine` could not close off on this machine, without confining anything."""
    limits = {"win32": [NO_LIMITS], "darwin": [NO_MEMORY_LIMIT]}.get(sys.platform, [])
    calls = _seccomp_available()
    return limits + _open_ends(calls or _landlock_version() > 0, calls)


def possible() -> list[str]:
    """Try what a submission must not do, in this process; say what works. Nothing that it tries leaves a trace."""
    found = []
    for sentence, attempt in _ATTEMPTS:
        with contextlib.suppress(OSError, AttributeError):  # AttributeError: the system has no such thing
            if attempt():
                found.append(sentence)
    return found


def _starts_a_process() -> bool:
    number = os.fork()
    if number == 0:
        os._exit(0)
    os.waitpid(number, 0)
    return True


def _lists_a_folder() -> bool:
    os.listdir(_OUTSIDE)
    return True


def _makes_a_file() -> bool:
    os.close(os.open(_OUTSIDE, os.O_TMPFILE | os.O_WRONLY, 0o600))  # type: ignore[attr-defined, unused-ignore]
    return True


def _connects() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("127.0.0.1", 9))  # chooses a way, and sends nothing
    return True


def _signals() -> bool:
    os.kill(os.getppid(), 0)  # asks whether it may, and sends none
    return True


def _grows() -> bool:
    return sys.platform == "win32" or resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY


# a folder that every user of every system may list
_OUTSIDE = "/tmp" if os.sep == "/" else sys.base_prefix
_ATTEMPTS: tuple[tuple[str, Callable[[], object]], ...] = (
    (STILL_ROOT, lambda: os.geteuid() == 0),
    (CAN_SEE, lambda: os.stat(_OUTSIDE)),
    (CAN_READ, _lists_a_folder),
    (CAN_WRITE, _makes_a_file),
    (CAN_CONNECT, _connects),
    (CAN_START, _starts_a_process),
    (CAN_SIGNAL, _signals),
    (CAN_GROW, _grows),
)


def library_files(folders: Iterable[str]) -> list[str]:
    """List the entries of library folders, but not the packages installed beside them.

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


# ---------------------------------------------------------------- limits and user


def _limit_resources(limits: Mapping[str, float]) -> list[str]:
    if sys.platform == "win32":
        return [NO_LIMITS]
    space = int(limits["memory_mb"] * 2**20)
    processor = max(1, int(-(-limits["cpu_seconds"] // 1)))
    bounds = {
        "RLIMIT_CPU": (processor, processor + 1),  # the first asks, the second kills
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NOFILE": (64, 64),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_MEMLOCK": (0, 0),
        "RLIMIT_MSGQUEUE": (0, 0),
    }
    memory = sys.platform != "darwin"
    if memory:
        bounds["RLIMIT_AS"] = (_address_space() + space,) * 2
    for name, (soft, hard) in bounds.items():
        if (kind := getattr(resource, name, None)) is None:
            continue
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:  # without privileges a ceiling only sinks
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))
    return [] if memory else [NO_MEMORY_LIMIT]


def _address_space() -> int:
    """Bytes of address space that this process has now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # no /proc: allow what Python with numpy commonly has
        return 2**30


def _hide_files() -> bool:
    """Let all paths begin at an innocent folder, which holds nothing but a piece of the Python library."""
    if sys.platform == "win32":
        return False
    innocent = os.path.dirname(ctypes.__file__)
    try:
        if os.geteuid() == 0:
            os.chroot(innocent)
        elif sys.platform != "linux" or _libc().unshare(_CLONE_NEWUSER) != 0:
            return False
        else:
            os.chroot(innocent)
            _give_rights_back()
        os.chdir("/")
    except OSError:
        return False
    return True


def _give_rights_back() -> None:
    """Drop all capabilities, also those that came with a user namespace."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    nothing = bytes(24)
    if _libc().capset(ctypes.create_string_buffer(header, len(header)), ctypes.create_string_buffer(nothing, 24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


@functools.cache
def _nobody() -> tuple[int, int]:
    """The user and group with no rights. Cached: looking them up reads files."""
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return 65534, 65534
    return entry.pw_uid & 0xFFFFFFFF, entry.pw_gid & 0xFFFFFFFF  # -2 on some systems


def _drop_root() -> bool:
    """Become nobody if this is root; False if that fails."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return True
    user, group = _nobody()
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


def _die_with(parent: int) -> None:
    """On Linux, have the kernel kill this process when its parent ends."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the line above
            os._exit(1)


# ---------------------------------------------------------------- Landlock


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _system_call(number: int, *arguments: object) -> int:
    return int(_libc().syscall(ctypes.c_long(number), *arguments))


def _pointer(buffer: ctypes.Array[ctypes.c_char]) -> ctypes.c_void_p:
    return ctypes.cast(buffer, ctypes.c_void_p)


def _landlock_version() -> int:
    """The version of this kernel's Landlock; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    arguments = (None, ctypes.c_size_t(0), ctypes.c_uint32(_LANDLOCK_VERSION))
    return max(0, _system_call(_LANDLOCK_CREATE, *arguments))


def _make_ruleset(readable: Iterable[str]) -> int | None:
    version = _landlock_version()
    if version == 0:
        return None
    handled = (1 << 13) - 1  # all file rights of version 1; later versions know more
    handled |= sum(1 << bit for bit, since in ((13, 2), (14, 3), (15, 5)) if version >= since)
    fields = [handled]
    if version >= 4:
        fields.append(0b11)  # TCP: bind and connect
    if version >= 6:
        fields.append(0b11)  # abstract Unix sockets and signals outside
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    size = ctypes.c_size_t(len(attributes))
    ruleset = _system_call(_LANDLOCK_CREATE, _pointer(buffer), size, ctypes.c_uint32(0))
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
        arguments = (kind, _pointer(buffer), ctypes.c_uint32(0))
        _system_call(_LANDLOCK_ADD, ctypes.c_int(ruleset), *arguments)
    finally:
        os.close(place)


def _no_new_privileges() -> None:
    _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _restrict_files(ruleset: int) -> bool:
    _no_new_privileges()
    return _system_call(_LANDLOCK_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0


# ---------------------------------------------------------------- seccomp


def _machine() -> str | None:
    """The machine's column in the tables above; None if it has none."""
    if sys.platform != "linux" or sys.maxsize < 2**32:
        return None
    name = os.uname().machine
    return name if name in _AUDIT_ARCH else None


def _seccomp_available() -> bool:
    machine = _machine()
    if machine is None:
        return False
    action = ctypes.c_uint32(_ERRNO)
    arguments = (ctypes.c_uint(_SECCOMP_GET_ACTION_AVAIL), ctypes.c_uint(0), ctypes.byref(action))
    return _system_call(_SECCOMP_CALL[machine], *arguments) == 0


def _make_filter(with_paths: bool) -> bytes | None:
    """A classic BPF program that allows the calls of the tables; None if seccomp is missing."""
    machine = _machine()
    if machine is None or not _seccomp_available():
        return None
    column = 0 if machine == "x86_64" else 1
    table = _COMPUTE_CALLS | (_PATH_CALLS if with_paths else {})
    numbers = [row[column] for row in table.values()]
    load, equal, at_least, leave = 0x20, 0x15, 0x35, 0x06
    number_at, machine_at, argument_at = 0, 4, 16  # offsets in struct seccomp_data
    # an instruction: code, value, label if true, label if false; a bare string is a label
    program: list[tuple[int, int, str, str] | str] = [
        (load, machine_at, "", ""),
        (equal, _AUDIT_ARCH[machine], "", "kill"),
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


def _restrict_calls(instructions: bytes) -> bool:
    _no_new_privileges()
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(instructions) // 8, _pointer(buffer))
    machine = _machine()
    if machine is None:
        return False
    operation = ctypes.c_uint(_SECCOMP_SET_MODE_FILTER)
    flags = ctypes.c_uint(_SECCOMP_ALL_THREADS)
    return _system_call(_SECCOMP_CALL[machine], operation, flags, ctypes.byref(program)) == 0


# ---------------------------------------------------------------- what stays open


def _open_ends(files: bool, calls: bool) -> list[str]:
    sentences = []
    if not files:
        sentences.append(NO_FILES)
    if not calls:
        sentences.append(NO_CALLS)
    return sentences
