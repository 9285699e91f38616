"""A Python that has imported torch already, for tests that start many: `subprocess.run([preloaded.python(), "-m", …])`.

`import torch` takes longer than most commands. So a server imports it once, and nothing of ours; what is started is a
fork of the server with the arguments, environment, folder and streams that it was given, and ends, also by a signal, as
it would have. `-P`, `-u`, `-m`, `-c`, `-` and a script are understood; with anything else the real Python runs. Only
Linux has it: elsewhere `python()` is the real one.

Not for tests of how a process starts, of its children, or of what it has imported.
"""

from __future__ import annotations

import io
import os
import signal
import socket
import sys

UNDERSTOOD = {"PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONNOUSERSITE"}
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


SHARED = "PRELOADED_PYTHON"  # the path of the program, in the environment


# --- in the tests --------------------------------------------------------------------------------


def python() -> str:
    """The path of a program that behaves like `sys.executable`. All workers of pytest-xdist share one server."""
    if SHARED not in os.environ:
        os.environ[SHARED] = launcher() if sys.platform == "linux" else sys.executable
    return os.environ[SHARED]


def launcher() -> str:
    """Start a server; it ends with this process. Returns the path of the program that asks it."""
    import atexit
    import shutil
    import subprocess
    import tempfile

    folder = tempfile.mkdtemp(prefix="preloaded-")
    path = os.path.join(folder, "python")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{os.path.abspath(__file__)}" "{folder}/socket" "$@"\n')
    os.chmod(path, 0o755)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{folder}/socket")
    listening.listen(16)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, "--serve", str(listening.fileno()), path, sys.executable],
        stdin=subprocess.PIPE,
        env=kept,
        pass_fds=[listening.fileno()],
        start_new_session=True,
    )
    listening.close()

    def stop() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return path


# --- the program that is started -----------------------------------------------------------------


def ask(address: str, args: list[str]) -> None:
    """Have the server run it, forward signals, and end as it ends."""
    real = [name for name in os.environ if name.startswith("PYTHON") and name not in UNDERSTOOD]
    if real or not understood(args):
        os.execv(sys.executable, [sys.executable, *args])
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        for number in FORWARDED:
            signal.signal(number, lambda number, frame: server.send(bytes([number])))
        text = repr((args, os.getcwd(), dict(os.environ))).encode()
        socket.send_fds(server, [len(text).to_bytes(4, "big")], [0, 1, 2])
        server.sendall(text)
        for number in (0, 1, 2):  # it has them now, and who reads waits for the last one to be closed
            os.close(number)
        reply = server.recv(2)
    status = int.from_bytes(reply or b"\x01\x00", "big")
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def understood(args: list[str]) -> bool:
    """Whether a fork can do what the real Python does with these arguments."""
    while args and args[0] in ("-P", "-u"):
        args = args[1:]
    return bool(args) and (args[0] in ("-m", "-c", "-") or not args[0].startswith("-"))


# --- the server ----------------------------------------------------------------------------------


def serve(listening: socket.socket, path: str) -> None:
    """Import torch, and fork for each program. Ends when its standard input does."""
    import gc
    import select

    import torch

    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # read when the first step of an optimizer imports torch's compiler
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1).step()
    gc.freeze()  # what a fork does not touch, it shares
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([listening, 0], [], [])
        if 0 in ready:
            os._exit(0)
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            keep(connection, path)
        connection.close()


def keep(connection: socket.socket, path: str) -> None:
    """Run one program in a process of its own; pass on its signals and its status."""
    import ast
    import select

    head, streams, _, _ = socket.recv_fds(connection, 4, 3)
    text, size = b"", int.from_bytes(head, "big")
    while len(text) < size:
        text += connection.recv(size - len(text))
    args, folder, environment = ast.literal_eval(text.decode())
    os.setsid()
    program = os.fork()
    if program == 0:
        connection.close()
        become(args, folder, environment, streams, path)
    for number in (*streams, 0, 1, 2):
        os.close(number)
    ended = os.pidfd_open(program)
    while True:
        ready, _, _ = select.select([ended, connection], [], [])
        if ended in ready:
            connection.send(os.waitpid(program, 0)[1].to_bytes(2, "big"))
            os._exit(0)
        numbers = connection.recv(16)
        for number in numbers or [signal.SIGKILL]:
            os.kill(program, number)
        if not numbers:  # the one that asked was killed
            os.waitpid(program, 0)
            os._exit(0)


def become(args: list[str], folder: str, environment: dict[str, str], streams: list[int], path: str) -> None:
    """Be the Python that was asked for."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    sys.orig_argv, sys.executable = [path, *args], path
    safe, unbuffered = False, bool(environment.get("PYTHONUNBUFFERED"))
    while args[0] in ("-P", "-u"):
        safe, unbuffered, args = safe or args[0] == "-P", unbuffered or args[0] == "-u", args[1:]
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        errors = "backslashreplace" if name == "stderr" else "strict"
        stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115  (until the end)
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(line_buffering=name == "stderr" or stream.isatty(), write_through=unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = args
    first = "" if args[0] == "-c" else folder if args[0] == "-m" else os.path.dirname(os.path.abspath(args[0]))
    given = environment.get("PYTHONPATH", "")
    sys.path[:0] = [*([] if safe else [first]), *(given.split(os.pathsep) if given else [])]
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    end(run(args, vars(main)))


def run(args: list[str], names: dict[str, object]) -> int:
    """Run it, and say how it ends: an exit status, or minus a signal."""
    import runpy

    try:
        if args[0] == "-m":
            sys.argv = args[1:]
            runpy._run_module_as_main(args[1], alter_argv=True)  # type: ignore[attr-defined]
        elif args[0] in ("-c", "-"):
            sys.argv = [args[0], *args[2:]] if args[0] == "-c" else args
            text = args[1] if args[0] == "-c" else sys.stdin.read()
            exec(compile(text, "<string>" if args[0] == "-c" else "<stdin>", "exec"), names)
        else:
            names["__file__"] = script = os.path.abspath(args[0])
            with open(script, "rb") as file:
                exec(compile(file.read(), script, "exec"), names)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
            frames = frames.tb_next
        sys.excepthook(type(error), error.with_traceback(frames), frames)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def end(status: int) -> None:
    """End without taking apart what the server has imported."""
    import atexit
    import contextlib
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])), sys.argv[3])
    else:
        ask(sys.argv[1], sys.argv[2:])
