"""Run submissions: the untrusted side of the grader, a script of its own.

A *root* process loads numpy and the common library modules. From it a *template* is forked for
each set of left-out parts; it loads the engine from source text sent to it, never from disk. From
the template a *child* is forked for each job, before the job is there; it confines itself, only then
reads the job from a socket that it shares with the judge alone, and answers there. Neither the root nor
a template ever sees a byte of a submission, so nothing of one student is left in memory for the next.

Where `fork` is missing, a fresh process does the same for one job and ends.

It needs the standard library and numpy; the package it belongs to is never imported.
"""

from __future__ import annotations

import base64
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import marshal
import mmap
import os
import signal
import site
import socket
import sys
import time
import types
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

ENGINE, PROGRAM = "minigrad", "minigrad_job"
BESIDE = f"{ENGINE}.course"  # what a job needs of the course, which is no part of the engine
TORCH = "torch"
ROOM = ".compat."  # torch has cuda, which lies there, in its root
PACKAGE_FILE = ".__init__"
HIGHEST_FD = 1024  # far above what the root and a template have open
# one byte per command on the control sockets
NEW_TEMPLATE, NEW_JOB, END_NOW, END_SOON = b"T", b"J", b"E", b"W"
PATIENCE_SECONDS = 0.2  # for a child that closed its socket and may be about to end by itself
RESERVE_BYTES = 8 << 20  # kept back, so that a child without memory can still say so
NO_MEMORY = b'{"text": "", "problem": {"kind": "memory", "message": "The memory ran out."}}'

# Late imports can fail: the confined user may have no way to Python's own files.
LIBRARY = """
    abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code
    codecs codeop collections collections.abc colorsys concurrent.futures configparser contextlib contextvars
    copy copyreg cProfile csv ctypes dataclasses datetime decimal difflib dis doctest email.message
    encodings.ascii encodings.idna encodings.latin_1 encodings.utf_16 encodings.utf_32 encodings.utf_8_sig
    enum errno faulthandler fcntl fileinput fnmatch fractions functools gc genericpath getopt getpass gettext
    glob graphlib grp gzip hashlib heapq hmac html http importlib.metadata importlib.resources inspect io
    ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes mmap multiprocessing
    numbers opcode operator optparse os os.path pathlib pdb pickle pickletools pkgutil platform posix
    posixpath pprint profile pstats pwd py_compile pydoc queue quopri random re reprlib resource rlcompleter
    runpy sched secrets select selectors shelve shlex shutil signal site socket sqlite3 sre_compile
    sre_constants sre_parse ssl stat statistics string stringprep struct subprocess symtable sys sysconfig
    tarfile tempfile textwrap threading time timeit token tokenize tomllib trace traceback tracemalloc types
    typing unicodedata unittest.mock urllib.parse uuid warnings weakref xml.etree.ElementTree zipfile
    zipimport zlib zoneinfo _strptime
    numpy numpy.ctypeslib numpy.dtypes numpy.exceptions numpy.fft numpy.lib.format numpy.lib.introspect
    numpy.lib.mixins numpy.lib.npyio numpy.lib.recfunctions numpy.lib.scimath numpy.lib.stride_tricks
    numpy.linalg numpy.ma numpy.ma.extras numpy.ma.mrecords numpy.polynomial numpy.random numpy.rec
    numpy.strings numpy.char numpy.testing numpy.typing
"""

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
WARM_UP_JOB, WARM_UP_ROUNDS = 2, 10  # the job after which it is done, and how often: until the interpreter has adapted


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


def receive(fd: int) -> dict[str, Any] | None:
    """Read one message (length in four bytes, then JSON); None if the other side closed."""
    head = read_exactly(fd, 4)
    body = None if head is None else read_exactly(fd, int.from_bytes(head, "big"))
    return None if body is None else json.loads(body)


def send(fd: int, message: Mapping[str, Any]) -> None:
    """Write one message."""
    send_bytes(fd, json.dumps(message).encode("ascii"))


def send_bytes(fd: int, body: bytes) -> None:
    """Write one message that is JSON text already."""
    data = memoryview(len(body).to_bytes(4, "big") + body)
    while data:
        data = data[os.write(fd, data) :]


# ---------------------------------------------------------------- what can be imported


class NumpyFinder(importlib.abc.MetaPathFinder):
    """Finds numpy where the judge has it, and nothing else that is installed there."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "numpy":
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, [self.folder])


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the engine from text. A name below it that has no text does not exist."""

    def __init__(self, sources: Mapping[str, str], codes: Mapping[str, str] = types.MappingProxyType({})) -> None:
        self.sources = {name.removesuffix(PACKAGE_FILE): text for name, text in sources.items()}
        self.codes = codes
        self.packages = {name.removesuffix(PACKAGE_FILE) for name in sources if name.endswith(PACKAGE_FILE)} | {
            name.rpartition(".")[0] for name in self.sources
        }

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname in self.sources:
            place = self.get_filename(fullname)
            spec = importlib.util.spec_from_loader(fullname, self, origin=place)
            if spec is not None:
                spec.has_location = True  # gives the module a __file__, and inspect its source
            return spec
        if fullname == ENGINE or fullname.startswith(f"{ENGINE}."):
            # not None: that would let Python look for an installed one
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None

    def is_package(self, fullname: str) -> bool:
        return fullname in self.packages

    def get_source(self, fullname: str) -> str:
        return self.sources[fullname]

    def get_filename(self, fullname: str) -> str:
        end = "/__init__.py" if self.is_package(fullname) else ".py"
        return fullname.replace(".", "/") + end

    def get_code(self, fullname: str) -> types.CodeType:
        code: types.CodeType = marshal.loads(base64.b64decode(self.codes[fullname]))  # compiled by the judge
        return code


def load_library(numpy_folder: str) -> None:
    """Import numpy and everything that an honest cell may import, and use numpy once."""
    sys.meta_path.append(NumpyFinder(numpy_folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("numpy")
        for name in LIBRARY.split():
            try:
                importlib.import_module(name)
            except ImportError:
                continue  # a Python built without it: then no cell has it either
        site.sethelper()  # `help`, which Python started with -S lacks
        numpy = sys.modules["numpy"]
        for name in numpy.__all__:  # `from numpy import *` asks for all of them, and some are loaded late
            getattr(numpy, name, None)
        square = numpy.eye(2) @ numpy.eye(2)
        str(numpy.linalg.inv(square) + numpy.random.default_rng(0).random((2, 2)))
        time.strptime("2000", "%Y")


def load_confinement(numpy_folder: str, layers: Sequence[str]) -> tuple[Any, Any]:
    """Load the file `confine.py` beside this one; return it, and its `Confinement` for this machine."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "confine.py")
    spec = importlib.util.spec_from_file_location("confine", place)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    readable = [*module.library_files(sys.path), os.path.join(numpy_folder, "numpy")]
    return module, module.Confinement(readable, layers or module.LAYERS)


def together(*lists: list[str]) -> list[str]:
    """All sentences, each once."""
    return list(dict.fromkeys(sentence for sentences in lists for sentence in sentences))


def load_engine(setup: Mapping[str, Any]) -> tuple[types.ModuleType, types.ModuleType]:
    """Load the engine and the module that runs a job, from the text and the code in the setup message."""
    os.environ["MINIGRAD_FASTPATH"] = "0"  # what runs is what stands in the chapters: nothing is generated, and watched
    finder = SourceFinder(setup["sources"], setup["codes"])
    sys.meta_path.insert(0, finder)
    engine = importlib.import_module(ENGINE)
    for name in sorted(finder.sources):
        importlib.import_module(name)
    for name in finder.sources:
        if f"{name}.".startswith(f"{ENGINE}.") and not name.startswith(BESIDE):
            # An answer may import torch for an annotation or for no_grad, and torch itself is not here.
            sys.modules[TORCH + name.removeprefix(ENGINE).replace(ROOM, ".")] = sys.modules[name]
    sys.addaudithook(keep_code)
    return engine, sys.modules[PROGRAM]


OF_CODE = ("__code__", "__defaults__", "__kwdefaults__")


def keep_code(event: str, arguments: tuple) -> None:
    """Refuse other code, or other defaults, for a function of the engine: it would stay the same object."""
    if event in ("object.__setattr__", "object.__delattr__") and arguments[1] in OF_CODE:
        code = getattr(arguments[0], "__code__", None)
        if code is not None and code.co_filename.startswith(f"{ENGINE}/"):
            raise RuntimeError(f"{arguments[0].__qualname__} is the engine's, and keeps its {arguments[1]}")


def sentence(error: BaseException) -> str:
    """One line about an error that is not the student's."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")


# ---------------------------------------------------------------- one job


def run_job(fd: int, job: dict[str, Any], engine: types.ModuleType, program: types.ModuleType) -> None:
    """Run a job and answer on `fd`. The process must be confined by now."""
    reserve = mmap.mmap(-1, RESERVE_BYTES)  # not a bytearray: that would touch, and so copy, every page
    bound = int(job["output_bytes"])
    try:
        answer = program.run_job(job, engine)
        text, problem = answer["text"], answer["problem"]
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
        send(fd, {"text": text, "problem": problem})
    except MemoryError:
        send_bytes(fd, NO_MEMORY)


def detach_standard_streams() -> None:
    """Point 0, 1 and 2 at nothing: what the code prints there reaches nobody."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


# ---------------------------------------------------------------- with fork


class Root:
    """The process that forks templates."""

    def __init__(self, numpy_folder: str, layers: Sequence[str]) -> None:
        self.confine, self.confinement = load_confinement(numpy_folder, layers)
        gc.collect()
        gc.freeze()  # a collection in a child then leaves the shared pages alone

    def serve(self, control: socket.socket) -> None:
        """Say what is not confined here, then fork a template for each socket received."""
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
        """Confine a child and let it say which layers are missing, and what it can do."""
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
        self.warm = False

    def serve(self) -> None:
        """Load the engine, say so, then run jobs until the judge closes the socket."""
        setup = receive(self.judge.fileno())
        if setup is None:
            return
        self.limits = setup["limits"]
        try:
            self.engine, self.program = load_engine(setup)
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
                self.warm_up(WARM_UP_ROUNDS)
                gc.collect()
                gc.freeze()
                self.warm = True

    def warm_up(self, rounds: int) -> None:
        """Do small things. Some need the part that the engine lacks: they end early."""
        cells = [{"source": "import math\n\n\ndef helper(x):\n    return math.sqrt(x)", "part": None}]
        for program in WARM_UP * rounds:
            self.program.run_job({"cells": cells, "places": [], "program": program, "seed": 0}, self.engine)

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
        if self.warm:
            self.warm_up(1)  # the pages it writes to are copied now, while the job is not there yet
        job = receive(fd)
        if job is not None:
            run_job(fd, job, self.engine, self.program)


def end_child(pid: int, patience: float) -> dict[str, Any]:
    """Wait up to `patience` seconds, then kill; return how the child ended.

    `signal` is 0 for one that ended by itself, with exit code `code`; `processor` is in seconds.
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


def serve_once(reading: int, writing: int, numpy_folder: str, layers: Sequence[str]) -> None:
    """Do one job in this process: setup in, readiness out, job in, answer out."""
    confine, confinement = load_confinement(numpy_folder, layers)
    setup = receive(reading)
    if setup is None:
        return
    engine, program = load_engine(setup)
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


def main(mode: str, numpy_folder: str, *layers: str) -> None:
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
    try:
        load_library(numpy_folder)
        os.environ.clear()
        os.environ["PATH"] = os.defpath
        if mode == "fork":
            os.close(writing)
            writing = reading
            Root(numpy_folder, layers).serve(socket.socket(fileno=reading))
        else:
            serve_once(reading, writing, numpy_folder, layers)
    except Exception as error:
        send(writing, {"fault": sentence(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
