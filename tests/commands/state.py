"""Everything of a process that a command could leave changed, and a program that calls each command and compares.

As a program: `python state.py FOLDER`, where FOLDER holds the exercises. It prints, as JSON, what each call has left
behind: by the call, a list of what was before and after. An empty object, if all is well.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import gc
import io
import json
import locale
import logging
import os
import random
import shutil
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import typer
from typer.testing import CliRunner

import minigrad
from minigrad import leaf, ops
from minigrad.autograd import anomaly_mode, graph
from minigrad.compat import messages, printing
from minigrad.graph import state as engine_state
from minigrad_course import parts
from minigrad_course.cli import app
from minigrad_course.grading.judge.nbval import Session
from minigrad_course.grading.records.record import Settings, Task
from minigrad_course.texts import source

PATIENCE = 20.0  # seconds that threads and processes get to end by themselves

# --- what there is -------------------------------------------------------------------------------


def snapshot() -> dict[str, str]:
    """Everything, as texts: equal before and after, or something was left behind."""
    told = dict(things())
    return {name: f"{value!r:.400}" for name, value in told.items()}


def things() -> Iterator[tuple[str, Any]]:
    """Names and values of all that belongs to the process and not to what runs in it."""
    for each in signal.valid_signals():
        yield f"signal {each!r}", signal.getsignal(each)
    yield "blocked signals", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
    yield "timers", [signal.getitimer(each) for each in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)]
    wakeup = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(wakeup)
    yield "wakeup fd", wakeup
    for line in Path("/proc/self/status").read_text().splitlines() if sys.platform == "linux" else ():
        if line.startswith(("SigIgn", "SigCgt")):  # what is set below Python
            # readline has its own handler for a window's size, and the C library two from the first thread on
            ours = sum(1 << each - 1 for each in signal.valid_signals() - {signal.SIGWINCH})
            yield f"signals of the system, {line[:6]}", int(line[7:], 16) & ours
    for name, value in os.environ.items():
        yield f"environ {name}", value
    yield "folder", os.getcwd()
    mask = os.umask(0)
    os.umask(mask)
    yield "umask", oct(mask)
    import resource

    for name in filter(lambda each: each.startswith("RLIMIT_"), dir(resource)):
        yield f"limit {name}", resource.getrlimit(getattr(resource, name))
    yield "locale", locale.setlocale(locale.LC_ALL)
    yield "filters", warnings.filters
    yield "showwarning", (warnings.showwarning, warnings.formatwarning)
    for name in (
        *("path", "meta_path", "path_hooks", "argv", "stdin", "stdout", "stderr", "__stdin__", "__stdout__"),
        *("__stderr__", "displayhook", "excepthook", "unraisablehook", "breakpointhook", "dont_write_bytecode"),
        *("pycache_prefix", "ps1", "ps2", "tracebacklimit"),
    ):
        yield f"sys.{name}", (id(getattr(sys, name, None)), getattr(sys, name, None))
    yield "threading.excepthook", threading.excepthook
    yield "recursion limit", sys.getrecursionlimit()
    yield "switch interval", sys.getswitchinterval()
    yield "digits of an int", sys.get_int_max_str_digits()
    yield "trace and profile", (sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile())
    yield "gc", (gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.callbacks, gc.freeze)
    yield "gc keeps objects for good", bool(gc.get_freeze_count())
    yield "faulthandler", faulthandler.is_enabled()
    yield "atexit", (atexit.register, atexit.unregister)
    yield "logging", (logging.root.handlers, logging.root.level, logging.root.manager.disable, logging.raiseExceptions)
    yield "files", sorted((each.path, each.fd) for each in psutil.Process().open_files() if each.path[-4:] != ".ttf")
    yield "__main__", id(sys.modules["__main__"])
    for name, module in list(sys.modules.items()):
        own = getattr(module, "__name__", name)
        if name.partition(".")[0] == "torch" and own.partition(".")[0] == "minigrad":
            yield f"stand-in {name}", own
        if name.partition(".")[0] in ("beside", "myengine"):
            yield f"stranger {name}", own
        yield f"module {name}", id(module)
        if own.startswith("minigrad"):
            is_package = (getattr(module, "__file__", None) or "").endswith("__init__.py")
            yield f"path of {name}", hasattr(module, "__path__") == is_package
    yield "numpy print options", np.get_printoptions()
    yield "numpy errors", (np.geterr(), np.geterrcall())
    yield "numpy numbers", hash(str(np.random.get_state(legacy=False)["state"]["key"].tolist()))
    yield "random numbers", hash(random.getstate())
    if (torch := sys.modules.get("torch")) is not None and torch is not minigrad and hasattr(torch, "_tensor_str"):
        yield "torch dtype", torch.get_default_dtype()
        yield "torch print options", vars(torch._tensor_str.PRINT_OPTS)
        yield "torch numbers", hash(torch.get_rng_state().numpy().tobytes())
        yield (
            "torch modes",
            (
                *(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()),
                *(
                    torch.is_warn_always_enabled(),
                    torch.are_deterministic_algorithms_enabled(),
                    torch.get_default_device(),
                ),
            ),
        )
        yield "torch threads", (torch.get_num_threads(), torch.get_num_interop_threads())
    yield "minigrad dtype", minigrad.get_default_dtype()
    yield "minigrad print options", vars(printing._options)
    yield "minigrad numbers", hash(bytes(minigrad.get_rng_state()._array))
    yield "minigrad modes", (leaf.recording, messages._warn_always, engine_state.anomalies, anomaly_mode._check_nan)
    yield "minigrad hooks", (graph._pairs, engine_state.packer, engine_state.running, engine_state.watcher)
    yield "minigrad functions", sorted(ops.functions.names())
    yield "minigrad warned", sorted(messages._warned)
    yield "threads", sorted(each.name for each in threading.enumerate())
    yield "processes", sorted(each.pid for each in psutil.Process().children(recursive=True))


def left_behind(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """What differs; a module that has been imported is no difference."""
    new = {name for name in after.keys() - before.keys() if name.startswith(("module ", "path of ", "torch "))}
    named = sorted(before.keys() | after.keys() - new)
    return [
        f"{name}: {before.get(name)} -> {after.get(name)}"
        for name in named
        if name not in new and before.get(name) != after.get(name)
    ]


def compared(do: Callable[[], Any]) -> list[str]:
    """What is not as before once a call has returned or raised."""
    before = snapshot()
    try:
        raised = do() or ""
    except (SystemExit, KeyboardInterrupt):
        raised = ""
    except BaseException:  # however it ends
        raised = traceback.format_exc()
    deadline = time.monotonic() + PATIENCE
    while found := left_behind(before, snapshot()):
        if time.monotonic() > deadline or not all(each.startswith(("threads", "processes")) for each in found):
            break
        time.sleep(0.05)
    if found and gc.collect():  # what was on its way is held by its traceback
        found = left_behind(before, snapshot())
    return [*found, *filter(None, [raised])]


# --- Ctrl-C --------------------------------------------------------------------------------------

EVENTS = {"os.scandir", "subprocess.Popen", "socket.connect", "socket.bind", "os.rename"}


class Interruption:
    """Raises KeyboardInterrupt in the main thread at the nth thing that it asks of the system, or only counts."""

    def __init__(self) -> None:
        self.seen, self.at, self.on = 0, -1, False
        sys.addaudithook(self.heard)

    def heard(self, event: str, args: tuple) -> None:
        if not self.on or threading.current_thread() is not threading.main_thread():
            return
        if event in EVENTS or (event == "open" and not str(args[0]).endswith((".py", ".pyc", ".so"))):
            self.seen += 1
            if self.seen == self.at:
                self.on = False
                raise KeyboardInterrupt

    def during(self, do: Callable[[], str], at: int = -1) -> str:
        """Call it, with a KeyboardInterrupt at that count."""
        self.seen, self.at, self.on = 0, at, True
        try:
            return do()
        finally:
            self.on = False


# --- the commands --------------------------------------------------------------------------------

CHANGES = """
import atexit, gc, locale, logging, os, random, resource, signal, sys, threading, warnings
import numpy as np, torch, beside
import torch.nn.functional as F
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGPIPE, signal.SIGALRM):
    signal.signal(each, lambda *_: print("came"))
os.kill(os.getpid(), signal.SIGUSR1)
signal.setitimer(signal.ITIMER_REAL, 100)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
os.environ["NEW"] = os.environ["HOME"] = "elsewhere"
os.chdir("/"), os.umask(0)
warnings.simplefilter("error"), warnings.filterwarnings("ignore", "x")
warnings.showwarning = print
sys.path.append("/x"), sys.path_hooks.append(print), sys.meta_path.append(object()), sys.argv.append("x")
sys.setrecursionlimit(5000), sys.setswitchinterval(0.1), sys.set_int_max_str_digits(5000)
sys.displayhook = sys.excepthook = sys.unraisablehook = sys.breakpointhook = threading.excepthook = print
sys.stdout = sys.stderr = open(os.devnull, "w")
gc.disable(), gc.set_threshold(1, 2, 3), gc.freeze()
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
locale.setlocale(locale.LC_ALL, "C")
logging.basicConfig(level=1), logging.disable(50)
random.seed(1), np.random.seed(1), torch.manual_seed(1)
np.set_printoptions(precision=1), np.seterr(all="raise")
torch.set_default_dtype(torch.float64), torch.set_printoptions(precision=1), torch.set_grad_enabled(False)
torch.set_warn_always(True), torch.autograd.set_detect_anomaly(True)
atexit.register(open, "{folder}/at-exit", "w")
threading.Thread(target=lambda: (threading.Event().wait(0.2), open("{folder}/thread", "w").close())).start()
sys.settrace(lambda *_: None), sys.setprofile(lambda *_: None)
"""
HELPER = "NAME = __name__\nimport torch\n"
SCRIPTS = {
    "changes": CHANGES,
    "fails": "import torch, beside\ntorch.set_default_dtype(torch.float64)\ntorch.ones(2).backward()\n",
    "stops": "import os, signal, torch\nos.environ['NEW'] = '1'\nos.kill(os.getpid(), signal.SIGINT)\n",
    "leaves": "import sys, torch, beside\nsys.argv = sys.stdout = sys.stdin = None\nsys.exit(5)\n",
    "plain": "print(open)\n",  # the same on both engines, and torch need not be imported for it
    "good": "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad, open)\n",
}
BY_THE_APP = ("check", "run")  # a command of the course and one with options of its own; the others take the same way
UNTIL_CTRL_C = {"lab": b"http://", "watch": b"Watching."}  # these run until Ctrl-C, which comes once they say this


def calls(folder: Path) -> dict[str, list[list[str]]]:
    """How each command is called: so that it does its work, and so that it fails at it."""
    mine, notebook = str(folder / "exercises"), str(folder / "exercises" / f"{parts.chapters()[0].name}.ipynb")
    script = {name: str(folder / f"{name}.py") for name in SCRIPTS}
    engines = [[path] for name, path in script.items() if name != "plain"]
    untried = [["--no-try", path] for (path,) in engines]  # each change that is tried is a process
    return {
        "start": [[str(folder.parent / "new")], [notebook]],
        "lab": [[str(folder.parent / "lab"), "--no-browser", "--port", "18888"], [f"{notebook}/x"]],
        "status": [["-f", mine], ["-f", "none"]],
        "check": [["mul", "pow", "-f", mine], ["nothing"], ["mul", "-f", "none"]],
        "hint": [["mul", "-f", mine], ["nothing"]],
        "diagnose": [["zeroing", "-f", mine], ["zeroing", "2", "-f", mine], ["nothing"]],
        "solution": [["mul", "-f", mine], ["mul", "-f", mine], ["nothing"]],
        "reset": [["mul", "-f", mine], ["nothing"]],
        "watch": [["mul", "-f", mine], ["nothing"]],
        "mine": [[str(folder.parent / "engine"), "-f", mine], [notebook, "-f", mine]],
        "run": [*engines, ["-m", "beside"], ["-m", "none"], ["none.py"], ["-c", "import torch; torch.export"]],
        "explain": [*untried, [script["fails"]], ["none.py"]],
        "compare": [["--no-seed", script["plain"]], ["--no-seed", "-c", "1 / 0"], ["none.py"]],
        "grade": [
            [notebook, "--json", str(folder / "out.json")],
            [str(folder / "class"), "--to", str(folder / "grades"), "--workers", "2"],
            ["none.ipynb"],
        ],
        "marks": [["gradescope", "--grades", str(folder / "grades")], ["moodle", "none.csv"]],
        "doctor": [["-f", mine]],
        "build": [["exercises/01", "--check"], ["none"]],
        "new-part": [["tanh", "--chapter", "1", "--replace"], ["tanh", "--chapter", "77"]],
    }


def typed(name: str, arguments: list[str]) -> str:
    """Call a command as somebody who tests it does; returns the error that it has not told in a sentence.

    lab and watch get their Ctrl-C once they wait for it.
    """
    waited = threading.Event()

    def interrupt() -> None:
        while not waited.wait(0.05):
            if UNTIL_CTRL_C[name] in getattr(getattr(sys.stdout, "buffer", None), "getvalue", bytes)():
                time.sleep(0.2)
                os.kill(os.getpid(), signal.SIGINT)
                return

    ender = threading.Thread(target=interrupt)
    if name in UNTIL_CTRL_C:
        ender.start()
    try:
        ended = CliRunner().invoke(app, [name, *arguments])
        STATUS.append(ended.exit_code)
        if TELL:
            print(name, *arguments, ended.exit_code, ended.output[-300:], repr(ended.exception), file=sys.__stderr__)
    finally:
        waited.set()
        if name in UNTIL_CTRL_C:
            ender.join()
    if ended.exception and not isinstance(ended.exception, SystemExit):
        return "".join(traceback.format_exception(ended.exception))
    return ""


TELL = "TELL" in os.environ


def said(*arguments: str) -> None:
    """Call the whole app, as a program does that imports it."""
    app(list(arguments), prog_name="minigrad")


# --- a notebook, and a grading --------------------------------------------------------------------

ANSWER = """
@part("mul")
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        {change}
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a
"""
# What an answer or a check can change while it runs on both engines.
CHANGING = "import os, sys, gc; os.environ['NEW'] = '1'; os.chdir('/'); sys.path.append('/x'); gc.disable()"
CHECK = (
    "torch.set_default_dtype(torch.float64); torch.set_printoptions(precision=2); torch.manual_seed(3); "
    "torch.set_grad_enabled(False); torch.set_warn_always(True)"
)


def notebook_calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The magics in a shell, and functions of the same names; each is called once the one before has ended."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    cell = source.notebook("exercises", parts.chapters()[0].name)
    check = next(each.source for each in cell.cells if each.source.startswith("%%check mul"))
    program = check.partition("\n")[2]
    setup = next(each.source for each in cell.cells if "Function" in each.source and "import" in each.source)

    def run(text: str) -> Callable[[], str]:
        def cell() -> str:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                error = shell.run_cell(text).error_in_exec
            if TELL:
                print(text[:60], "...", printed.getvalue()[-400:], file=sys.__stderr__)
            return f"{text}: {error}" if error else ""

        return cell

    yield "a first cell", run("1")
    yield "%load_ext", run("%load_ext minigrad_course")
    yield "setup", run(setup)
    yield "answer", run(ANSWER.format(change="pass"))
    yield "%%check", run(f"%%check mul\n{program}")
    yield "%%check of something else", run("%%check nothing\n1")
    yield "%%check that changes things", run(f"%%check mul\n{program}\n{CHECK}")
    yield "%%check with an error", run(f"%%check mul\n{CHECK}\n1 / 0")
    yield "%%check, Ctrl-C", run(f"%%check mul\n{CHECK}\nimport os, signal; os.kill(os.getpid(), signal.SIGINT)")
    yield "answer that changes things", run(ANSWER.format(change=CHANGING))
    yield "%%check of an answer that changes things", run(f"%%check mul\n{program}")
    lines = "%hint mul", "%progress", "%progress none", "%myparts", "%myparts off", "%myengine", "diagnose('zeroing')"
    for line in lines:
        yield line, run(line)
    InteractiveShell.clear_instance()


def graded(path: Path) -> None:
    """Grade a notebook in this process, as a program does."""
    with Session(Settings(1)) as session:
        session.record(Task(path.name, "ann", "", path.read_bytes()))


# --- all of it -----------------------------------------------------------------------------------


class Calls:
    """All calls so far, and what each has left behind."""

    def __init__(self, folder: Path):
        self.folder, self.known = folder, calls(folder)
        self.interruption = Interruption()
        self.found: dict[str, list[str]] = {}

    def command(self, name: str) -> None:
        """Call a command: for its help, with a slip, so that it works and fails, and so that Ctrl-C ends it."""
        if name not in self.known:
            self.found[name] = ["state.py does not say how this command is called"]
            return
        worked = self.known[name][0]
        self.one(name, worked)
        count = self.interruption.seen
        for arguments in (["--help"], ["--no-such-option"], *self.known[name][1:]):
            self.one(name, arguments)
        for arguments in (["--help"], ["--no-such-option"]) if name in BY_THE_APP else ():
            self.found[f"app, {name} {arguments[0]}"] = compared(lambda each=arguments: said(name, *each))  # type: ignore[misc]
        for at in sorted({max(1, count // 10), max(1, count * 6 // 10)}) if count else ():
            self.one(name, worked, at)

    def one(self, name: str, arguments: list[str], at: int = -1) -> None:
        """One call, perhaps with Ctrl-C at something that it does."""
        ctrl_c = f", Ctrl-C at {at}" if at > 0 else ""
        call = f"{' '.join([name, *arguments])}{ctrl_c}{', with torch' if 'torch' in sys.modules else ''}"
        started = time.monotonic()
        left = compared(lambda: self.interruption.during(lambda: typed(name, arguments), at))
        if at < 0 and arguments == self.known[name][0] and "Error" not in "".join(left) and STATUS[-1] > 1:
            left.append(f"it did not work: status {STATUS[-1]}")
        if "changes.py" in arguments[-1] and at < 0:
            for each in (self.folder / "at-exit", self.folder / "thread"):
                if not each.exists():
                    left.append(f"{each.name} was not reached")
                each.unlink(missing_ok=True)
        self.found[call] = left
        if TELL:
            print(f"{call}: {time.monotonic() - started:.1f} s", file=sys.__stderr__)


STATUS: list[int] = []  # of each command


def main(folder: Path, only: list[str]) -> dict[str, list[str]]:
    """Call everything, or only what is named; what is left behind, by the call."""
    os.chdir(folder)
    for name, text in SCRIPTS.items():
        Path(f"{name}.py").write_text(text.replace("{folder}", str(folder)))
    Path("beside.py").write_text(HELPER)
    for each in ("ann", "bob"):
        (folder / "class" / each).mkdir(parents=True)
        shutil.copy(next((folder / "exercises").glob("01*.ipynb")), folder / "class" / each)
    made = Calls(folder)
    every = typer.main.get_command(app).list_commands(None)  # type: ignore[attr-defined]
    # These two before torch is imported, which the second does; the first once more with it.
    for name in ["run", "explain", *(each for each in every if each != "explain")]:
        if not only or name in only:
            made.command(name)
    found = made.found
    if not only or "notebook" in only:
        for call, do in notebook_calls():
            found[call] = compared(do)
    if not only or "grading" in only:
        notebook = folder / "exercises" / f"{parts.chapters()[0].name}.ipynb"
        found["a grading"] = compared(lambda: graded(notebook))
        found["a grading of nothing"] = compared(lambda: graded(folder / "good.py"))
        found["a grading, Ctrl-C"] = compared(lambda: made.interruption.during(lambda: graded(notebook), 20))
    return {call: each for call, each in found.items() if each}


if __name__ == "__main__":
    left = main(Path(sys.argv[1]), sys.argv[2:])
    print(f"\x1e{json.dumps(left, indent=1)}")  # behind what the app printed
