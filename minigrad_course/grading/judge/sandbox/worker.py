"""Run submissions: the untrusted side of the grader, a separate script.

A *root* process loads numpy and the common library modules. From it a *template* is forked for
each set of left-out parts; it loads the engine from source text sent to it, never from disk. From
the template a *child* is forked for each job, before the job is there; it confines itself, only then
reads the job from a socket that it shares with the judge alone, and answers there. Neither the root nor
a template ever sees a byte of a submission, so nothing of one student is left in memory for the next.

Where `fork` is missing, a fresh process does the same for one job and ends.

It needs the standard library and numpy; the package it belongs to is never imported.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import itertools
import json
import marshal
import mmap
import os
import shutil
import signal
import socket
import sys
import time
import types
from collections.abc import Mapping, Sequence
from typing import Any

HIGHEST_FD = 1024  # far above what the root and a template have open
# one byte per command on the control sockets
NEW_TEMPLATE, NEW_JOB, END_NOW, END_SOON = b"T", b"J", b"E", b"W"
PATIENCE_SECONDS = 0.2  # for a child that closed its socket and may be about to end on its own
RESERVE_BYTES = 8 << 20  # kept back, so that a child without memory can still say so
NO_MEMORY = b'{"text": "", "problem": {"kind": "memory", "message": "The memory ran out."}}'

# Run by a template that is needed again and again: what Python and the engine fill in when something is done for the
# first times is then shared with the children, who else copy those pages of memory, each for itself.
WARM_UP = (
    "print(torch.tensor([[1.5, 2.25], [3.0, 4.0]]), torch.ones(3), torch.tensor(2))",
    "print(torch.tensor(2.0, requires_grad=True) * 3 + 1)",
    "x = torch.tensor([2.0, 3.0], requires_grad=True)\n(x * x).backward(torch.ones(2))\nprint(x.grad, x.grad_fn)",
    "x = torch.ones(2, 3, requires_grad=True)\n(x @ torch.ones(3, 2)).sum().backward()\nprint(x.grad)",
    "x = torch.ones(2, 3, requires_grad=True)\n((-x).exp() / 3 - 1).mean().backward()\nprint(x.grad[0])",
    "try:\n    torch.ones(3, requires_grad=True).backward()\nexcept RuntimeError as error:\n    print(error)",
)
WARM_UP_JOB, WARM_UP_ROUNDS = 2, 2  # the job after which it is done, and how often: until the interpreter has adapted


# ---------------------------------------------------------------- messages


def read_exactly(fd: int, count: int) -> bytes | None:
    """Read `count` bytes; None if the other side closed before."""
    data = bytearray()
    while len(data) < count:
        piece = os.read(fd, min(count - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def receive_bytes(fd: int) -> bytes | None:
    """Read one message, its length in four bytes before it; None if the other side closed."""
    head = read_exactly(fd, 4)
    return None if head is None else read_exactly(fd, int.from_bytes(head, "big"))


def receive(fd: int) -> dict[str, Any] | None:
    """Read one message in JSON; None if the other side closed."""
    body = receive_bytes(fd)
    return None if body is None else json.loads(body)


def receive_setup(fd: int) -> dict[str, Any] | None:
    """Read one message with code, as only the judge sends it; None if the other side closed."""
    body = receive_bytes(fd)
    return None if body is None else marshal.loads(body)


def send(fd: int, message: Mapping[str, Any]) -> None:
    """Write one message."""
    send_bytes(fd, json.dumps(message).encode("ascii"))


def send_bytes(fd: int, body: bytes) -> None:
    """Write one message that is JSON text already."""
    data = memoryview(len(body).to_bytes(4, "big") + body)
    while data:
        data = data[os.write(fd, data) :]


# ---------------------------------------------------------------- the files beside this one


def beside(name: str) -> Any:
    """Load a file or folder next to this one, leaving nothing through which a submission could import it."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    place = os.path.join(place, "__init__.py") if os.path.isdir(place) else f"{place}.py"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} cannot be loaded.")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        for item in [module for module in sys.modules if f"{module}.".startswith(f"{name}.")]:
            del sys.modules[item]
    return module


importing, lending = beside("importing"), beside("lending")


def load_confinement(numpy_folder: str, links: str, layers: Sequence[str]) -> tuple[Any, Any]:
    """Load the folder `confine` next to this file; returns it and its `Confinement` for this machine.

    It is the last that is loaded from a file, so the folder `links` is deleted, if there is one: whoever has started
    this process may have ended.
    """
    module = beside("confine")
    readable = [*module.library_files(sys.path), os.path.join(numpy_folder, "numpy")]
    confinement = module.Confinement(readable, layers or module.LAYERS)
    if links:
        shutil.rmtree(links, ignore_errors=True)
    forget_paths()
    return module, confinement


def together(*lists: list[str]) -> list[str]:
    """All sentences, each once."""
    return list(dict.fromkeys(sentence for sentences in lists for sentence in sentences))


def sentence(error: BaseException) -> str:
    """One line about an error that is not the student's."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")


# ---------------------------------------------------------------- one job


def run_job(fd: int, job: dict[str, Any], engine: types.ModuleType, program: types.ModuleType) -> None:
    """Run a job and answer on `fd`. The process must be confined by now."""
    reserve = mmap.mmap(-1, RESERVE_BYTES)  # not a bytearray: that would touch, and so copy, every page
    bound, quiet = int(job["output_bytes"]), {}
    try:
        answer = program.run_job(job, engine)
        text, problem = answer["text"], answer["problem"]
        if len((text + answer.get("quiet", "")).encode("utf-8", "replace")) <= bound:  # both fit where one must
            quiet = {"quiet": answer["quiet"]} if "quiet" in answer else {}
    except MemoryError:
        text, problem = "", {"kind": "memory", "message": "The memory ran out."}
    except BaseException as error:
        message = f"The code ended its process: {sentence(error)}."
        text, problem = "", {"kind": "died", "message": message}
    reserve.close()
    try:
        if len(text) > bound or len(text.encode("utf-8", "replace")) > bound:
            text = text.encode("utf-8", "replace")[:bound].decode("utf-8", "ignore")
            problem = {"kind": "output", "message": f"It printed more than {bound:,} bytes."}
        elif problem is not None and "MemoryError" in str(problem["message"]):
            problem = {"kind": "memory", "message": str(problem["message"])}
        send(fd, {"text": text, "problem": problem, **quiet})
    except MemoryError:
        send_bytes(fd, NO_MEMORY)


def forget_paths() -> None:
    """Forget where this script and Python are: a submission has no use for it, and it may hold a user's name."""
    sys.argv[:], sys.orig_argv[:], sys.path[:] = [""], [""], []
    sys.executable = ""
    vars(sys)["_base_executable"] = ""
    sys.path_importer_cache.clear()
    tables = [vars(module).get("build_time_vars") for name, module in sys.modules.items() if "_sysconfigdata" in name]
    tables.append(vars(sys.modules.get("sysconfig", sys)).get("_CONFIG_VARS"))
    for table in filter(None, tables):  # where Python was built
        table |= {name: "" for name, value in table.items() if isinstance(value, str) and "/" in value}


def detach_standard_streams() -> None:
    """Point 0, 1 and 2 at nothing, so that output there goes nowhere."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


# ---------------------------------------------------------------- with fork


class Root:
    """The process that forks templates."""

    def __init__(self, numpy_folder: str, links: str, layers: Sequence[str]) -> None:
        self.confine, self.confinement = load_confinement(numpy_folder, links, layers)

    def serve(self, control: socket.socket) -> None:
        """Report what is not confined here, then fork a template for each socket received."""
        setup = receive_setup(control.fileno())
        if setup is None:
            return
        self.shared = importing.Modules(setup, lending.by_identity)
        del setup
        gc.collect()
        gc.freeze()  # a collection in a child then leaves the shared pages alone
        self.unconfined, possible = self.try_confinement()
        send(control.fileno(), {"fault": None, "unconfined": together(self.unconfined, possible)})
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # templates are reaped by the kernel
        while True:
            command, fds, _, _ = socket.recv_fds(control, 1, 1)
            if command != NEW_TEMPLATE or not fds:
                return
            if os.fork() == 0:
                control.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                try:
                    Template(self, socket.socket(fileno=fds[0])).serve()
                finally:
                    os._exit(0)
            os.close(fds[0])

    def try_confinement(self) -> tuple[list[str], list[str]]:
        """Confine a child and let it report which layers are missing, and what it can do."""
        reading, writing = os.pipe()
        if (pid := os.fork()) == 0:
            try:
                limits = {"cpu_seconds": 10.0, "memory_mb": 512.0}
                unconfined = self.confinement.apply(limits)
                send(writing, {"unconfined": unconfined, "possible": self.confine.possible()})
            finally:
                os._exit(0)
        os.close(writing)
        answer = receive(reading)
        os.close(reading)
        os.waitpid(pid, 0)
        if answer is None:
            raise OSError("a process could not be confined")
        return list(answer["unconfined"]), list(answer["possible"])


class Template:
    """The process that holds one stripped engine and forks a child for each job."""

    def __init__(self, root: Root, judge: socket.socket) -> None:
        self.root, self.judge = root, judge

    def serve(self) -> None:
        """Load the engine, say so, then run jobs until the judge closes the socket."""
        setup = receive_setup(self.judge.fileno())
        if setup is None:
            return
        self.limits = setup["limits"]
        try:
            own = importing.Modules(setup, lending.by_identity)
            self.engine, self.program = importing.load_engine(lending.Lending, own, self.root.shared)
            self.program.get_ready(self.engine, **setup["known"])
        except Exception as error:
            send(self.judge.fileno(), {"fault": sentence(error)})
            return
        del setup
        gc.collect()
        gc.freeze()
        send(self.judge.fileno(), {"fault": None})
        for count in itertools.count(1):
            command, fds, _, _ = socket.recv_fds(self.judge, 1, 1)
            if command != NEW_JOB or not fds:
                return
            template = os.getpid()
            pid = os.fork()
            if pid == 0:
                try:
                    self.become_child(fds[0], template)
                finally:
                    os._exit(0)
            os.close(fds[0])
            self.judge.sendall(pid.to_bytes(4, "big"))
            command = self.judge.recv(1)
            status = end_child(pid, PATIENCE_SECONDS if command == END_SOON else 0.0)
            if not command:
                return
            send(self.judge.fileno(), status)
            if count == WARM_UP_JOB:
                self.warm_up()

    def warm_up(self) -> None:
        """Do small things often. Some need the part that the engine lacks: they end early."""
        cells = [{"source": "import math\n\n\ndef helper(x):\n    return math.sqrt(x)", "part": None}]
        for program in WARM_UP * WARM_UP_ROUNDS:
            self.program.run_job({"cells": cells, "places": [], "program": program, "seed": 0}, self.engine)
        gc.collect()
        gc.freeze()

    def become_child(self, fd: int, template: int) -> None:
        """Keep one socket, confine the process, run the job."""
        os.setsid()
        self.judge.detach()
        detach_standard_streams()  # its own: flags of a shared description would be seen by the next child
        confinement = self.root.confinement
        kept = sorted({fd} if confinement.ruleset is None else {fd, confinement.ruleset})
        for low, high in zip([3, *(one + 1 for one in kept)], [*kept, HIGHEST_FD], strict=True):
            os.closerange(low, high)
        unconfined = confinement.apply(self.limits, parent=template)
        if confinement.ruleset is not None:
            os.close(confinement.ruleset)
        if unconfined != self.root.unconfined:
            message = "The process could not be confined: " + " ".join(unconfined)
            send(fd, {"text": "", "problem": {"kind": "died", "message": message}})
            return
        job = receive(fd)
        if job is not None:
            gc.enable()
            run_job(fd, job, self.engine, self.program)


def end_child(pid: int, patience: float) -> dict[str, Any]:
    """Wait up to `patience` seconds, then kill; return how the child ended.

    `signal` is 0 for one that ended on its own, with exit code `code`; `processor` is in seconds.
    `killed` says that we had to end it.
    """
    give_up, pause = time.monotonic() + patience, 0.0001
    ended, status, usage = os.wait4(pid, os.WNOHANG)
    while not ended and time.monotonic() < give_up:
        time.sleep(pause)
        pause = min(2 * pause, 0.01)  # most are about to end: the next submission waits for this one
        ended, status, usage = os.wait4(pid, os.WNOHANG)
    if not ended:
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # the group does not exist before the child made it
        _, status, usage = os.wait4(pid, 0)
    return {
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
        "processor": usage.ru_utime + usage.ru_stime,
        "killed": not ended,
    }


# ---------------------------------------------------------------- without fork


def serve_once(reading: int, writing: int, numpy_folder: str, links: str, layers: Sequence[str]) -> None:
    """Do one job in this process: setup in, readiness out, job in, answer out."""
    confine, confinement = load_confinement(numpy_folder, links, layers)
    setup = receive_setup(reading)
    if setup is None:
        return
    engine, program = importing.load_engine(lending.Lending, importing.Modules(setup, lending.by_identity))
    gc.enable()
    limits = dict(setup["limits"])
    limits["cpu_seconds"] += time.process_time()  # what starting up has used already
    unconfined = confinement.apply(limits)
    if confinement.ruleset is not None:
        os.close(confinement.ruleset)
    send(writing, {"fault": None, "unconfined": together(unconfined, confine.possible())})
    job = receive(reading)
    if job is not None:
        os.close(reading)
        run_job(writing, job, engine, program)


# ---------------------------------------------------------------- start


def main(mode: str, numpy_folder: str, links: str, *layers: str) -> None:
    """Serve on standard input (a socket) in mode "fork", on input and output in mode "once".

    `layers` are those of the confinement, all of them if none is named.
    """
    reading, writing = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        for fd in (reading, writing):
            msvcrt.setmode(fd, os.O_BINARY)
    detach_standard_streams()
    os.chdir(os.sep)
    gc.disable()  # until there is a job: what is loaded stays
    try:
        importing.load_library(numpy_folder)
        spoken = os.environ[importing.SPOKEN]
        os.environ.clear()
        os.environ.update({"PATH": os.defpath, importing.SPOKEN: spoken})
        if mode == "fork":
            os.close(writing)
            writing = reading
            Root(numpy_folder, links, layers).serve(socket.socket(fileno=reading))
        else:
            serve_once(reading, writing, numpy_folder, links, layers)
    except Exception as error:
        send(writing, {"fault": sentence(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
