"""Each layer of the confinement, attacked on its own, in a process of its own."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from minigrad_course.grading.judge.sandbox import confine
from minigrad_course.grading.judge.sandbox.confine import sentences

SCRIPT = Path(__file__).with_name("sandbox_layers.py")
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
landlock = pytest.mark.skipif(
    sys.platform != "linux" or confine.landlock.version() < 6,
    reason="this kernel has no Landlock, or one without rules for signals",
)
seccomp = pytest.mark.skipif(
    sys.platform != "linux" or not confine.seccomp.available(),
    reason="this system has no seccomp filters",
)
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


def attack(layers: str, *attacks: str, readable: tuple[str, ...] = ()) -> dict:
    """What `sandbox_layers.py` reports."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), confine.__file__, layers]
    done = subprocess.run(
        [*command, json.dumps(readable)],
        input=json.dumps(attacks),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(results: dict) -> set[str]:
    return {result for name, result in results.items() if name != "open"}


# ---------------------------------------------------------------- without a layer


def test_unconfined_code_can_do_all_this_and_the_report_says_so(tmp_path):
    file = tmp_path / "file"
    results = attack(
        "",
        f"pathlib.Path({str(file)!r}).write_text('written')",
        "socket.socket().close()",
        "os.kill(os.getppid(), 0)",
        "os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)[1]",
    )
    assert results.pop("open") == [sentences.NO_FILES, sentences.NO_CALLS]
    assert list(results.values()) == ["7", "None", "None", "0"]
    assert file.read_text() == "written"


def test_missing_says_what_confining_says():
    assert attack(",".join(confine.LAYERS))["open"] == confine.missing()


def test_installed_packages_are_not_library_files(tmp_path):
    for name in ("site-packages", "dist-packages", "json"):
        (tmp_path / name).mkdir()
    (tmp_path / "os.py").touch()
    found = confine.library_files([str(tmp_path / "python.zip"), str(tmp_path)])
    assert [os.path.basename(path) for path in found] == ["json", "os.py"]


# ---------------------------------------------------------------- files


@landlock
def test_landlock_closes_files_and_leaves_the_library(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the solution")
    numpy_folder = os.path.dirname(np.__file__)
    installed = Path(numpy_folder).parent / "pytest" / "__init__.py"
    assert installed.is_file()
    results = attack(
        "files",
        f"open({str(secret)!r}).read()",
        f"open({str(secret)!r}, 'w')",
        f"os.truncate({str(secret)!r}, 0)",
        f"os.unlink({str(secret)!r})",
        f"os.rename({str(secret)!r}, {str(tmp_path / 'other')!r})",
        f"os.link({str(secret)!r}, {str(tmp_path / 'other')!r})",
        f"os.symlink({str(secret)!r}, {str(tmp_path / 'other')!r})",
        f"os.mkdir({str(tmp_path / 'folder')!r})",
        f"os.listdir({str(tmp_path)!r})",
        f"open({str(installed)!r})",
        f"open({str(Path(confine.__file__))!r})",
        "open('/etc/passwd')",
        "open('/proc/self/mem', 'rb')",
        "open(f'/proc/{os.getppid()}/mem', 'rb')",
        "open(f'/proc/{os.getppid()}/environ', 'rb')",
        "open('/dev/shm/left', 'w')",
        "subprocess.run(['/bin/true'])",
        readable=(numpy_folder,),
    )
    assert results["open"] == [sentences.NO_CALLS]
    assert refused(results) == {"PermissionError"}
    assert secret.read_text() == "the solution"
    assert list(tmp_path.iterdir()) == [secret]

    allowed = attack(
        "files",
        "len(open(os.__file__).read()) > 0",
        f"len(open({np.__file__!r}).read()) > 0",
        readable=(numpy_folder,),
    )
    assert refused(allowed) == {"True"}


@landlock
def test_landlock_closes_connections_and_signals():
    with socket.create_server(("127.0.0.1", 0)) as server:
        results = attack(
            "files",
            f"socket.create_connection({server.getsockname()!r})",
            "socket.create_server(('127.0.0.1', 0))",
            "os.kill(os.getppid(), 0)",
        )
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert refused(results) == {"PermissionError"}


# ---------------------------------------------------------------- system calls


@seccomp
def test_the_filter_alone_refuses_files_network_processes_and_signals(tmp_path):
    file = tmp_path / "file"
    results = attack(
        "calls",
        f"open({str(file)!r}, 'w')",
        f"os.stat({str(file.parent)!r})",
        f"os.listdir({str(file.parent)!r})",
        f"os.chmod({str(file.parent)!r}, 0)",
        "open(os.__file__)",
        "os.memfd_create('hidden')",
        "os.pipe()",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socketpair()",
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "os.kill(os.getppid(), 9)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "os.killpg(0, 9)",
        "signal.pidfd_send_signal(0, 9)",
        "os.pidfd_open(os.getppid())",
        "os.setsid()",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.sched_setaffinity(os.getppid(), {0})",
        "__import__('resource').prlimit(os.getppid(), 0, (1, 1))",
        # where a descriptor's signals go, which could end the grader
        "__import__('fcntl').fcntl(0, 8, os.getppid())",
        "__import__('fcntl').ioctl(0, 0x5412, b'x')",
        # to take the filter off
        "syscall(317, 1, 0, 0)",
        "syscall(157, 22, 2, 0)",
        "threading.Thread(target=print).start()",
    )
    assert results["open"] == []
    assert results.popitem()[1] == "RuntimeError" and refused(results) == {"PermissionError"}
    assert not file.exists()


# raw calls, with their numbers
REFUSED = """
    socket 41, clone 56, fork 57, vfork 58, execve 59, kill 62, tkill 200, tgkill 234, ptrace 101, prctl 157,
    mount 165, unshare 272, setns 308, process_vm_readv 310, process_vm_writev 311, bpf 321, userfaultfd 323,
    execveat 322, perf_event_open 298, keyctl 250, add_key 248, shmget 29, msgget 68, inotify_init1 294,
    io_uring_setup 425, pidfd_send_signal 424, pidfd_open 434, clone3 435, openat2 437, pidfd_getfd 438,
    process_madvise 440, landlock_create_ruleset 444, rt_sigqueueinfo 129, open 2, openat 257, creat 85, unlink 87,
    rename 82, chmod 90, truncate 76, memfd_create 319, open_by_handle_at 304
"""
RAW = [int(each.split()[1]) for each in REFUSED.split(",")]


@seccomp
@pytest.mark.skipif(confine.seccomp.machine() != "x86_64", reason="the numbers are those of x86-64")
def test_raw_calls_are_refused_also_under_their_second_number():
    plain = [f"syscall({number}, -1, 0, 0, 0, 0)" for number in RAW]
    second = [f"syscall({number | 1 << 30}, 0)" for number in (39, *RAW)]
    results = attack("calls", *plain, *second)
    assert refused(results) == {"PermissionError"}
    assert attack("calls", "syscall(39) == os.getpid()")["syscall(39) == os.getpid()"] == "True"


@seccomp
def test_pure_computation_still_works():
    results = attack(
        "calls",
        "len(bytearray(50_000_000)) == 50_000_000",
        "__import__('time').sleep(0.001) is None",
        "len(os.urandom(8)) == 8",
        "os.cpu_count() >= 1",
        "signal.setitimer(signal.ITIMER_REAL, 0) == (0.0, 0.0)",
        "os.close(os.dup(1)) is None",
        "__import__('resource').getrlimit(0) != ()",
    )
    assert refused(results) == {"True"}


# ---------------------------------------------------------------- user and limits


@posix
def test_root_becomes_nobody_and_stays_so():
    results = attack("user", "os.geteuid()", "os.getgroups()", "os.setuid(0)")
    if ROOT:
        expected = {"os.geteuid()": str(confine.privileges.nobody()[0]), "os.getgroups()": "[]"}
    else:
        expected = {"os.geteuid()": str(os.geteuid()), "os.getgroups()": repr(os.getgroups())}
    assert results | expected | {"os.setuid(0)": "PermissionError"} == results


@posix
def test_limits_hold(tmp_path):
    file = tmp_path / "file"
    file.touch(mode=0o666)
    limit = "__import__('resource').getrlimit(__import__('resource').RLIMIT_{})"
    results = attack(
        "limits",
        f"open({str(file)!r}, 'wb', 0).write(b'x')",
        "[os.dup(0) for _ in range(100)]",
        limit.format("CPU"),
        limit.format("CORE"),
    )
    assert list(results.values())[1:] == ["OSError", "OSError", "(20, 21)", "(0, 0)"]
    assert file.read_bytes() == b""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces this limit")
def test_memory_is_limited_beyond_what_is_used_already():
    results = attack("limits", "len(bytearray(200 << 20)) > 0", "bytearray(300 << 20)")
    assert list(results.values())[1:] == ["True", "MemoryError"]
