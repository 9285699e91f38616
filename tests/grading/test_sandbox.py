"""The sandbox under attack: every attack earns a sentence, and the next honest job still passes."""

import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import minigrad
import minigrad_course
from minigrad_course.checks import names
from minigrad_course.grading.judge import job as jobs
from minigrad_course.grading.judge.sandbox import Outcome, Sandbox, confine
from minigrad_course.grading.judge.sandbox.processes import Template, WorkerLost, ask_once
from minigrad_course.grading.judge.strip import beside_the_engine, engine_sources, text_of
from minigrad_course.grading.records.record import Limits

PACKAGE = Path(minigrad.__file__).parent
COURSE = Path(minigrad_course.__file__).parent
MARK = "a mark that is in our own version of the part only"

confined = pytest.mark.skipif(
    sys.platform != "linux" or confine.missing() != [],
    reason="this system cannot confine a process: " + " ".join(confine.missing()),
)
processes = pytest.mark.skipif(not os.path.isdir(f"/proc/self/task/{os.getpid()}"), reason="this system has no /proc")

MUL = {
    "name": "mul",
    "kind": "engine",
    "module": "minigrad.scalar",
    "attribute": "Mul",
    "node": "MulBackward0",
}
ATTACK = {
    "name": "attack",
    "kind": "program",
    "module": "minigrad",
    "attribute": "attack",
    "node": None,
}
HONEST_CELL = """
from minigrad.scalar import Function

@part("mul")
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a
"""
HONEST_PROGRAM = """
x = torch.tensor(3.0, requires_grad=True)
y = x * x * seed
print(y)
y.backward()
print(x.grad)
"""


def job(cell: str, program: str, place: dict, seed: int = 5) -> dict:
    cells = [{"source": cell, "part": place["name"]}]
    return {"cells": cells, "places": [place], "program": program, "seed": seed}


def honest(seed: int = 5) -> dict:
    return job(HONEST_CELL, HONEST_PROGRAM, MUL, seed)


def expected(seed: int = 5) -> Outcome:
    return Outcome(f"tensor({9 * seed}., grad_fn=<MulBackward0>)\ntensor({6 * seed}.)\n")


def hostile(body: str) -> dict:
    """A job whose answer is a function with this body; what it returns is printed."""
    cell = "@part('attack')\ndef attack(torch):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    return job(cell, "print(attack(torch))", ATTACK)


def sources() -> dict[str, str]:
    found = engine_sources(PACKAGE)
    head = "class Mul(Function):\n"
    assert found["minigrad.scalar"].count(head) == 1
    marked = found["minigrad.scalar"].replace(head, f"{head}    _mark = {MARK!r}\n")
    return found | {"minigrad.scalar": marked}


def open_sandbox(fork: bool = True, **limits: float) -> Sandbox:
    return Sandbox(sources() | beside_the_engine(), text_of(jobs), Limits(**{"seconds": 5.0, **limits}), fork=fork)


@pytest.fixture(scope="module", params=[True, False], ids=["fork", "once"])
def both(request):
    """One sandbox with warm templates, then one that starts a process per job."""
    with open_sandbox(fork=request.param) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def warm():
    with open_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(autouse=True)
def unharmed(request):
    """After each attack the same processes do an honest job. Where each job has its own there is nothing to harm."""
    name = next((one for one in ("both", "warm") if one in request.fixturenames), None)
    sandbox = name and request.getfixturevalue(name)
    if not sandbox or not sandbox._forks:
        yield
        return
    if not sandbox._templates:  # else the test before has ended with it
        assert sandbox.run(honest(), [MUL]) == expected()
    before = dict(sandbox._templates)
    yield
    assert all(sandbox._templates[key] is one for key, one in before.items())
    assert sandbox.run(honest(7), [MUL]) == expected(7)


def attack(sandbox: Sandbox, body: str) -> Outcome:
    return sandbox.run(hostile(body), [MUL])


# ---------------------------------------------------------------- honest work


def test_an_honest_answer_prints_what_torch_prints(both):
    assert both.run(honest(2), [MUL]) == expected(2)


WRONG = [
    (job("@part('attack'", "attack()", ATTACK), "cell", ""),
    (job("@part('attack')\ndef attack(torch): raise NotImplementedError", "attack(torch)", ATTACK), "unfinished", ""),
    (hostile("1 / 0"), "program", "ZeroDivisionError"),
    ({**honest(), "cells": []}, "missing", "mul"),
    (job("#" * 9_000_000, "", ATTACK), "cell", "The code is longer than 8,000,000 bytes."),
]


def test_what_goes_wrong_is_told_as_the_job_found_it(warm):
    found = [(warm.run(given, [MUL]), problem, words) for given, problem, words in WRONG]
    differs = [each for each, problem, words in found if each.problem != problem or words not in each.message]
    assert differs == [] and {each.text for each, *_ in found} == {""}


def test_stdout_is_the_text_and_nothing_else_is(both):
    outcome = attack(
        both,
        """
        import os, sys, warnings
        warnings.warn("warned")
        print("seen")
        print("unseen", file=sys.stderr)
        print("unseen", file=sys.__stdout__, flush=True)
        os.write(1, b"unseen"), os.write(2, b"unseen")
        return "é ∂ 𝛁"
        """,
    )
    assert (outcome.text, outcome.problem) == ("seen\né ∂ 𝛁\n", None)


def test_what_the_notebook_takes_to_be_at_hand_can_be_imported(warm):
    """`names.AT_HAND` is what the notebook does not warn of."""
    modules = sorted(name for name in names.AT_HAND if not name.startswith("_") and importlib.util.find_spec(name))
    tried = "\n".join(f"try:\n    import {name}\nexcept Exception:\n    print('{name}')" for name in modules)
    assert len(modules) > 100 and attack(warm, tried) == Outcome("None\n")


@confined
def test_what_check_says_cannot_be_imported_is_refused(warm):
    """`names.MISSING` is what a check notes under a pass."""
    tried = "\n".join(
        f"try:\n    import {name}\n    print('{name}')\nexcept ImportError:\n    pass" for name in names.MISSING
    )
    assert len(names.MISSING) > 80 and attack(warm, tried) == Outcome("None\n")


def test_the_functions_of_the_engine_keep_their_code(warm):
    kept = ("__code__", "__defaults__", "__kwdefaults__")
    body = f"""
    from minigrad import scalar
    def plain(): pass
    def full(a=1, *, b=2): pass
    for mine in (plain, full):
        for what in {kept}:
            setattr(mine, what, getattr(mine, what))
            try:
                setattr(scalar.backpropagate, what, getattr(mine, what))
                print("replaced")
            except RuntimeError as error:
                print(error)
    scalar.backpropagate.__code__ = mine.__code__
    """
    outcome = attack(warm, body)
    assert outcome.text.splitlines() == 2 * [
        f"backpropagate belongs to the engine: its {what} cannot change" for what in kept
    ]
    assert outcome.problem == "program" and "RuntimeError: backpropagate belongs to the engine" in outcome.message


def test_a_statement_that_sleeps_costs_itself_only(warm):
    cells = [{"source": "import time\ntime.sleep(600)", "part": "above"}, {"source": HONEST_CELL, "part": "mul"}]
    assert warm.run(honest() | {"cells": cells, "cell_seconds": 0.2}, [MUL]) == expected()


def test_jobs_leave_nothing_behind_in_the_engine(warm):
    spoil = """
        import builtins, numpy, sys
        torch.tensor = torch.scalar.Function = numpy.array = builtins.print = None
        sys.modules.clear()
        """
    attack(warm, spoil)
    # the fixture then runs an honest job


# ---------------------------------------------------------------- the part that was left out


def test_what_is_missing_here_is_said_to_be_so(warm):
    outcome = attack(
        warm,
        """
        import importlib.util
        said = [importlib.util.find_spec("pandas")]
        for line in ("import urllib.request", "from urllib import request", "import pandas.io", "from numpy import no"):
            try:
                exec(line)
            except ImportError as error:
                said.append(str(error).partition(" (")[0])
        return said
        """,
    )
    assert outcome.problem is None, outcome
    found, *some, last = eval(outcome.text)
    assert some == [f"{name!r} {names.REFUSED}" for name in ("urllib.request", "urllib.request", "pandas")]
    assert found is None and last == "cannot import name 'no' from 'numpy'"


@confined
def test_neither_torch_nor_minigrad_is_to_be_had_from_disk(both):
    torch_file = importlib.util.find_spec("torch").origin
    outcome = attack(
        both,
        f"""
        import importlib.machinery, importlib.util, sys
        failed = []
        def attempt(name):
            try:
                failed.append(__import__(name) and "imported")
            except (ImportError, PermissionError) as error:
                failed.append(type(error).__name__)
        attempt("torch.cuda.amp"), attempt("minigrad_course.parts"), attempt("minigrad_course.grading")
        attempt("confine"), attempt("confine.seccomp"), attempt("importing"), attempt("lending")
        attempt("minigrad_job"), attempt("minigrad_course"), attempt("minigrad_course.programs.program")
        kept = [name for name in sys.modules if "course" in name or "job" in name]
        kept += vars(sys.modules["minigrad"]).keys() & {{"course"}}
        failed.append(str([*kept, *vars(sys.modules["__main__"])]))
        sys.path[:0] = [{str(PACKAGE.parent)!r}, {str(Path(torch_file).parent.parent)!r}]
        del sys.meta_path[0]
        for name in list(sys.modules):
            if name.startswith(("minigrad", "torch")):
                del sys.modules[name]
        attempt("torch"), attempt("minigrad")
        for place in ({torch_file!r}, {str(PACKAGE / "scalar.py")!r}):
            try:
                importlib.machinery.SourceFileLoader("taken", place).load_module()
            except (PermissionError, FileNotFoundError):
                failed.append("PermissionError")
        return failed
        """,
    )
    assert outcome.problem is None, outcome
    ends = eval(outcome.text)
    assert ends[:10] == ["ModuleNotFoundError"] * 10
    assert ends[10] == "['__name__', '__doc__', '__package__', '__loader__', '__spec__']"
    assert len(ends) == 15 and set(ends[11:]) <= {"ModuleNotFoundError", "PermissionError"}


def memory_of(process: int) -> bytes:
    """All that a process can write to."""
    pieces = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb") as memory:
        for line in maps:
            span, rights, *_ = line.split()
            start, end = (int(one, 16) for one in span.split("-"))
            if rights.startswith("rw"):
                memory.seek(start)
                with contextlib.suppress(OSError):
                    pieces.append(memory.read(end - start))
    return b"".join(pieces)


def children_of(process: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@processes
def test_no_process_that_lasts_holds_our_part_or_a_byte_of_a_submission(warm):
    secret = "what one student wrote"
    assert attack(warm, f"return {secret!r}").text == secret + "\n"
    warm.run(job("", "print(1)", ATTACK), [])  # a template with the whole engine, for contrast
    root = warm._root.process.pid
    whole, without = 0, 0
    for process in (root, *children_of(root)):
        memory = memory_of(process)
        assert b"minigrad" in memory
        assert secret.encode() not in memory
        whole, without = whole + (MARK.encode() in memory), without + (MARK.encode() not in memory)
    assert (whole, without) == (1, 2)  # the contrast; the root and the template without Mul


# ---------------------------------------------------------------- time, memory, output


def differing(sandbox: Sandbox, table: dict) -> dict:
    """The attacks that come to something else than a table says: the kind of a problem, and words of its message."""
    found = {body: attack(sandbox, body) for body in table}
    assert all(len(each.text) <= sandbox.limits.output_bytes for each in found.values())
    return {
        body: found[body]
        for body, (problem, words) in table.items()
        if found[body].problem != problem or words not in found[body].message or "\n" in found[body].message
    }


@pytest.fixture(scope="module")
def once():
    """A sandbox with a process per job, and an honest job after all others."""
    with open_sandbox(fork=False, seconds=1) as sandbox:
        yield sandbox
        assert sandbox.run(honest(), [MUL]) == expected()


APART = {
    "while True: pass": ("time", ""),
    "import time; time.sleep(1000)": ("time", "It was stopped after 1"),
    "import os\nos.closerange(0, 100)\nwhile True: pass": ("died", ""),
    "import os; os._exit(0)": ("died", "exit code 0"),
    "import os\nfor fd in range(50):\n    try: os.write(fd, b'garbage')\n    except OSError: pass": ("output", ""),
    "return 'x' * 2_000_000": ("output", "printed more"),
    "return len(bytearray(2 << 30))": ("memory", ""),
}


@confined
def test_attacks_on_a_process_of_its_own(once):
    assert differing(once, APART) == {}


@confined
def test_processor_time_is_limited_too():
    with open_sandbox(cpu_seconds=0.3, seconds=60) as sandbox:  # the system ends it after a whole second
        within = "It did not end within 0.3 seconds: it was still in `attack`, line 4 of its cell, `while True: pass`."
        assert attack(sandbox, "print(1)\nwhile True: pass") == Outcome("1\n", "time", within, quiet="")
        numbers = "[signal.SIGPROF, signal.SIGXCPU]"
        ignore = f"import signal\nfor each in {numbers}: signal.signal(each, signal.SIG_IGN)\nwhile True: pass"
        message = "It was stopped after 0.3 seconds of processor time: does a loop never end?"
        assert attack(sandbox, ignore) == Outcome("", "time", message)
        assert attack(sandbox, "return 1") == Outcome("1\n")


def test_output_is_counted_in_bytes():
    with open_sandbox(output_bytes=3000) as sandbox:
        assert attack(sandbox, "return '∂' * 900").problem is None
        outcome = attack(sandbox, "return '∂' * 1100")
        assert (outcome.problem, outcome.text) == ("output", "∂" * 1000)


# ---------------------------------------------------------------- ends and crashes


ENDS = {
    "import sys; sys.exit(0)": ("program", "SystemExit"),
    "raise KeyboardInterrupt": ("died", "KeyboardInterrupt"),
    "import os; os._exit(3)": ("died", "exit code 3"),
    "import os; os.abort()": ("died", "crashed (SIG"),
    "import ctypes; ctypes.string_at(1)": ("died", "crashed (SIGSEGV)"),
    "def again(): return again()\nreturn again()": ("program", "RecursionError"),
    "import os; os.closerange(0, 100)": ("died", ""),
    "import os\nos.closerange(3, 100)\nwhile True: pass": ("died", "closed its connection"),
    "import numpy; return numpy.ones(2 << 28).sum()": ("memory", ""),
    "hog = []\nwhile True: hog.append(bytearray(1 << 20))": ("memory", ""),
    "for _ in range(100_000): print('x' * 1000)": ("output", ""),
    "return 'x' * 2_000_000": ("output", ""),
    "return '\\0' * 1_000_001": ("output", ""),  # of which JSON makes more
}


@confined
def test_an_end_before_the_end_is_told_and_memory_and_output_are_bounded(warm):
    assert differing(warm, ENDS) == {}


# ---------------------------------------------------------------- the connection to the judge

SEND = """
import os
def send(data):
    for fd in range(0, 51):
        try:
            os.write(fd, data)
        except OSError:
            pass
"""


GARBAGE = [
    ("b'garbage'", "output"),  # read as a length, it is beyond the bound
    ("b'\\xff' * 1_000_000", "output"),
    ("b'\\0'", "died"),
    ("b'\\0\\0\\0\\0'", "died"),
    ("b'\\0\\0\\0\\x02{}'", "died"),
    ("b'\\0\\0\\0\\x04null'", "died"),
    ("b'\\0\\0\\0\\x04\\xff\\xfe{}'", "died"),
    ("b'\\0\\0\\0\\xff{}'", "died"),  # shorter than it says
    ("b'\\0\\x03\\0\\0' + b'[' * 0x30000", "died"),  # too deep to parse
    ("b'\\0\\0\\x20\\0' + b'9' * 0x2000", "died"),  # a number too long to parse
]


FORGED = [
    {"text": 1, "problem": None},
    {"text": None, "problem": None},
    {"text": ["tensor(45.)"], "problem": None},
    {"text": "tensor(45.)"},
    {"text": "tensor(45.)", "problem": None, "points": 100},
    {"text": "tensor(45.)", "problem": None, "quiet": 1},
    {"text": "tensor(45.)", "problem": {}},
    {"text": "tensor(45.)", "problem": "none"},
    {"text": "tensor(45.)", "problem": {"kind": "passed", "message": ""}},
    {"text": "tensor(45.)", "problem": {"kind": ["cell"], "message": ""}},
    {"text": "tensor(45.)", "problem": {"kind": "cell", "message": 1}},
    {"text": "tensor(45.)", "problem": {"kind": "cell", "message": "", "more": 1}},
]


def test_garbage_and_forged_answers_on_every_descriptor(warm):
    differs = {}
    for data, problem in GARBAGE:
        outcome = attack(warm, f"{SEND}\nsend({data})\nos._exit(0)")
        if (outcome.text, outcome.problem, bool(outcome.message)) != ("", problem, True):
            differs[data] = outcome
    for reply in FORGED:
        body = json.dumps(reply).encode()
        data = len(body).to_bytes(4, "big") + body
        outcome = attack(warm, f"{SEND}\nsend({data!r})\nos._exit(0)")
        if outcome != Outcome("", "died", "It gave no valid answer."):
            differs[json.dumps(reply)] = outcome
    assert differs == {}


def test_a_forged_answer_of_the_right_form_is_text_and_no_more(warm):
    """It gains nothing over printing: the judge compares the text with numbers drawn afresh."""
    body = json.dumps({"text": "a\ud800b\0<i>", "problem": None}).encode()
    data = len(body).to_bytes(4, "big") + body
    assert attack(warm, f"{SEND}\nsend({data!r} * 2)\nwhile True: pass") == Outcome("a?b\0<i>")


@confined
def test_only_one_connection_is_open_and_it_is_the_job_s_own(warm):
    outcome = attack(
        warm,
        """
        import os
        found = []
        for fd in range(200):
            try:
                found.append((fd, os.fstat(fd)))
            except OSError:
                pass
        null, others = os.fstat(0), [status for fd, status in found if fd > 2]
        return len(found), all(s.st_rdev == null.st_rdev for fd, s in found if fd < 3), len(others)
        """,
    )
    assert outcome == Outcome("(4, True, 1)\n")


# ---------------------------------------------------------------- processes, files, network

# whether a name leads nowhere or may not be followed
CLOSED = {"PermissionError", "FileNotFoundError"}


def refusals(sandbox: Sandbox, *attempts: str) -> list[str]:
    """The error each attempt (a statement) ends with."""
    body = "import os, signal, socket, subprocess, sys, threading, ctypes, pathlib\nends = []\n"
    for attempt in attempts:
        body += f"try:\n    {attempt}\n    ends.append('done')\n"
        body += "except BaseException as error:\n    ends.append(type(error).__name__)\n"
    outcome = attack(sandbox, body + "return ends")
    assert outcome.problem is None, outcome
    return eval(outcome.text)


@confined
def test_nothing_but_computing_is_allowed(both, tmp_path):
    """Each layer by itself is attacked in `test_confine.py`, from within an answer in `hostile/`."""
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o777)
    victim = tmp_path / "grades"
    victim.write_text("100")
    victim.chmod(0o666)
    with socket.create_server(("127.0.0.1", 0)) as server:
        ends = refusals(
            both,
            "[os.fork() for _ in range(5)]",
            "os.posix_spawn('/bin/true', ['true'], {})",
            "os.setsid()",
            "threading.Thread(target=print).start()",
            "os.kill(os.getppid(), signal.SIGSTOP)",
            "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))",
            "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
            "import resource; resource.setrlimit(resource.RLIMIT_CPU, (0, 0))",
            "import resource; resource.prlimit(0, resource.RLIMIT_CPU, (1, 1))",
            "os.setuid(0)",
            f"socket.create_connection({server.getsockname()!r}, timeout=1)",
            "socket.socketpair()",
            "os.memfd_create('left')",
            f"open({str(victim)!r})",
            f"open({str(victim)!r}, 'w')",
            f"pathlib.Path({str(tmp_path / 'new')!r}).touch()",
            "open('/dev/shm/minigrad_attack', 'w')",
            f"open({str(COURSE / 'grading' / 'judge' / 'sandbox' / 'worker.py')!r})",
            "open(f'/proc/{os.getppid()}/mem', 'r+b')",
            "os.listdir('/')",
            "os.mkdir('/new')",
        )
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert ends[3] == "RuntimeError" and set(ends[6:9]) <= {"ValueError", "PermissionError"}
    assert set(ends[:3] + ends[4:6] + ends[9:13]) == {"PermissionError"} and set(ends[13:]) <= CLOSED
    assert victim.read_text() == "100" and list(tmp_path.iterdir()) == [victim]
    assert not Path("/dev/shm/minigrad_attack").exists()


# ---------------------------------------------------------------- the sandbox itself


def test_nothing_unconfined_is_what_confine_says(both):
    assert both.unconfined == confine.missing()


@processes
def test_the_same_processes_serve_all_jobs(warm):
    root = warm._root.process.pid
    templates = children_of(root)
    for body in ("return 1", "import os; os._exit(1)", "1/0"):
        attack(warm, body)
    assert children_of(root) == templates and warm._root.process.pid == root
    assert all(len(children_of(process)) <= 1 for process in templates)  # the one in waiting


@processes
def test_lost_processes_are_replaced_and_closing_ends_all():
    with open_sandbox() as sandbox:
        for victim in (
            "closed",
            "template",
            "both",
            "root",
        ):  # without its root a template still serves, so that is the last
            assert sandbox.run(honest(), [MUL]) == expected()
            root = sandbox._root.process.pid
            (template,) = children_of(root)
            for name, process in (("template", template), ("root", root)):
                if victim in (name, "both"):
                    os.kill(process, signal.SIGKILL)
            if victim == "closed":
                sandbox.close()
                wait_for_the_end_of([root, template])
            assert sandbox.run(honest(3), [MUL]) == expected(3), victim


@processes
def test_a_template_that_stops_answering_is_replaced(monkeypatch):
    monkeypatch.setattr("minigrad_course.grading.judge.sandbox.processes.CONTROL_SECONDS", 0.5)
    with open_sandbox() as sandbox:
        assert sandbox.run(honest(), [MUL]) == expected()
        os.kill(children_of(sandbox._root.process.pid)[0], signal.SIGSTOP)
        assert sandbox.run(honest(3), [MUL]) == expected(3)


@processes
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "once"])
def test_an_interrupted_run_leaves_nothing_running(fork):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    others = set(children_of(os.getpid()))  # of the sandboxes that the tests share
    try:
        with open_sandbox(fork, seconds=60) as sandbox:
            assert sandbox.run(honest(), [MUL]) == expected()
            some = list(set(children_of(os.getpid())) - others)
            assert len(some) == fork
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(KeyboardInterrupt):
                attack(sandbox, "while True: pass")
            wait_for_the_end_of(some)
            assert sandbox.run(honest(3), [MUL]) == expected(3)
        assert set(children_of(os.getpid())) <= others
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@processes
def test_an_interrupted_question_leaves_no_thread_that_reads_the_answer_to_the_next():
    silent = subprocess.Popen([sys.executable, "-c", "input(); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    others = set(threading.enumerate())
    with silent:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with pytest.raises(KeyboardInterrupt):
                ask_once(silent, b"a question", 100, seconds=60)
            for thread in set(threading.enumerate()) - others:
                thread.join(2)
            assert set(threading.enumerate()) <= others
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            silent.kill()


def test_old_templates_make_room():
    with open_sandbox() as sandbox:
        sandbox.most_templates = 2
        for attribute in ("Mul", "Add", "Sub", "Mul"):
            part = {**MUL, "attribute": attribute}
            assert sandbox.run(hostile("return 1"), [part]) == Outcome("1\n")
            assert len(sandbox._templates) <= 2


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_for_the_end_of(some: list[int]) -> None:
    give_up = time.monotonic() + 10
    while any(alive(process) for process in some):
        assert time.monotonic() < give_up, f"still alive: {some}"
        time.sleep(0.01)


JUDGE = """
import sys
sys.path.insert(0, {folder!r})
from tests.grading import test_sandbox as here
sandbox = here.open_sandbox(seconds=60)
sandbox.run(here.honest(), [here.MUL])
print(sandbox._root.process.pid, flush=True)
sandbox.run(here.hostile("while True: pass"), [here.MUL])
"""


@processes
def test_when_the_judge_is_killed_everything_ends():
    code = JUDGE.format(folder=str(PACKAGE.parent))
    judge = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with judge:
        root = int(judge.stdout.readline())
        (template,) = children_of(root)
        give_up = time.monotonic() + 10
        while not (child := children_of(template)):
            assert time.monotonic() < give_up
            time.sleep(0.01)
        judge.kill()
        wait_for_the_end_of([root, template, *child])


def test_faults_of_ours_are_raised_and_not_blamed_on_anybody():
    wrong = [{**MUL, "attribute": "Nothing"}]
    with open_sandbox() as sandbox, pytest.raises(ValueError, match="'mul' is not in the engine"):
        sandbox.run(honest(), wrong)
    for fork in (True, False):
        broken = Sandbox({"minigrad": "1 / 0"}, "def run_job(job, engine): ...", fork=fork)
        with broken, pytest.raises(RuntimeError, match="ZeroDivisionError"):
            broken.run(honest())


@pytest.mark.parametrize("does", ["prepare_child", "demand_loaded"])
def test_a_broken_line_to_a_template_is_a_lost_worker(does):
    template = object.__new__(Template)
    template.control, there = socket.socketpair()
    template.loaded = False
    template.control.close()
    with there, pytest.raises(WorkerLost):
        getattr(template, does)()


def test_limits_are_above_zero():
    for name in ("seconds", "cpu_seconds", "memory_mb", "output_bytes"):
        with pytest.raises(ValueError, match=f"The limit {name} is 0; it must be above 0."):
            Limits(**{name: 0})


# --- who ended it --------------------------------------------------------------------------------

SLEEPER = HONEST_CELL.replace("return a * b", "import time; time.sleep(0.6); return a * b")


def killing(sandbox: Sandbox, times: int) -> threading.Thread:
    """A thread that kills the children of a sandbox from outside, as a system does that is short of memory."""

    def kill() -> None:
        killed: set[int] = set()
        deadline = time.monotonic() + 10
        while len(killed) < times and time.monotonic() < deadline:
            for template in list(sandbox._templates.values()):
                if template.child and template.child not in killed:
                    time.sleep(0.1)  # it has begun by then
                    killed.add(template.child)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(template.child, signal.SIGKILL)
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@confined
def test_a_kill_from_outside_costs_nobody_anything(warm):
    thread = killing(warm, 2)
    assert warm.run(job(SLEEPER, HONEST_PROGRAM, MUL), [MUL]) == expected()
    thread.join()


@confined
def test_kills_from_outside_without_end_are_a_fault_and_no_result(warm):
    thread = killing(warm, 3)
    with pytest.raises(RuntimeError, match="was killed 3 times, but not by us"):
        warm.run(job(SLEEPER, HONEST_PROGRAM, MUL), [MUL])
    thread.join()


@confined
def test_a_busy_machine_costs_no_honest_answer():
    """It needs less processor time than it may have, and gets it so late that the clock has run out."""
    body = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\nreturn 'done'"
    script = "import os\nos.nice(-5) if os.geteuid() == 0 else None\nwhile True: pass"
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(before)])  # one processor is busy sooner than all
    try:
        with open_sandbox(seconds=0.25, cpu_seconds=2) as sandbox:
            assert sandbox.run(hostile("return 'ready'"), []).text == "ready\n"  # its start would take long beside them
            # each a session of its own: a system may share out its time by sessions
            busy = [subprocess.Popen([sys.executable, "-S", "-c", script], start_new_session=True) for _ in range(3)]
            try:
                for _ in range(5):
                    started = time.monotonic()
                    assert sandbox.run(hostile(body), []).text == "done\n"
                    if time.monotonic() - started > 0.4:  # so the clock had run out
                        return
            finally:
                for each in busy:
                    each.kill()
                    each.wait()
    finally:
        os.sched_setaffinity(0, before)
    pytest.skip("this machine cannot be made busy")


# ---------------------------------------------------------------- paths of the grader, and signs for the next job

PATHS = {
    "sys": "import sys\nreturn {name: getattr(sys, name) for name in dir(sys)}",
    "files of modules": "import sys\nreturn [(getattr(m, '__file__', 0), getattr(m, '__path__', 0)) for m in "
    "list(sys.modules.values())]",
    "finders": "import sys\nreturn sys.path_importer_cache, [getattr(f, 'folder', 0) for f in sys.meta_path]",
    "code": "import gc, types\ngc.unfreeze()\nreturn {o.__code__.co_filename for o in gc.get_objects() if "
    "isinstance(o, types.FunctionType)}",
    "strings": "import gc\ngc.unfreeze()\nreturn sorted({s for o in gc.get_objects() for s in gc.get_referents(o) "
    "if isinstance(s, str) and s.startswith('/')})",
    "frames": "import sys\nf, found = sys._getframe(), []\nwhile f:\n    found.append((f.f_code.co_filename, "
    "repr(f.f_locals)[:5000], f.f_globals.get('__file__')))\n    f = f.f_back\nreturn found",
    "a traceback": "import traceback, json\ntry:\n    json.loads('{')\nexcept ValueError:\n    return "
    "traceback.format_exc()",
    "sysconfig": "import sysconfig\nreturn sysconfig.get_paths(), sysconfig.get_config_vars()",
    "numpy": "import numpy\nreturn numpy.get_include(), numpy.show_config('dicts')",
    "the environment": "import os\nreturn os.environ, os.path.expanduser('~'), os.getcwd()",
    "Py_GetPath": "import ctypes\nfound = []\nfor name in ('Py_GetPath', 'Py_GetPrefix', 'Py_GetProgramFullPath'):\n"
    "    get = getattr(ctypes.pythonapi, name, None)\n    if get:\n        get.restype = ctypes.c_wchar_p\n"
    "        found.append(get())\nreturn found",
    "how it was started": "import ctypes\nget = ctypes.CDLL(None).getauxval\nget.restype = ctypes.c_char_p\n"
    "return get(31), ctypes.c_char_p.in_dll(ctypes.CDLL(None), 'program_invocation_name').value",
    "where libraries are": "import ctypes\nclass Info(ctypes.Structure):\n    _fields_ = [('file', ctypes.c_char_p), "
    "('base', ctypes.c_void_p), ('name', ctypes.c_char_p), ('at', ctypes.c_void_p)]\ninfo = Info()\n"
    "ctypes.CDLL(None).dladdr(ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p), ctypes.byref(info))\n"
    "return info.file",
    "the maps of the process": "return open('/proc/self/maps').read()",
}
HERE = {sys.prefix, sys.base_prefix, str(PACKAGE.parent), str(Path.home())}
HERE -= {"/", "/usr", "/usr/local"}


TRIED = """
for name, text in PATHS.items():
    names = {}
    try:
        exec("def take():\\n" + text, names)
        print(name, str(names["take"]())[:500_000])
    except Exception:
        print(name, traceback.format_exc())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the worker knows the real paths")
@confined
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "once"])
def test_no_path_of_the_grader_can_be_shown(fork):
    """All of them by one job."""
    assert HERE
    tried = {name: textwrap.indent(text, "    ") for name, text in PATHS.items()}
    with open_sandbox(fork, seconds=60, output_bytes=30_000_000) as sandbox:
        outcome = attack(sandbox, f"import traceback\nPATHS = {tried!r}\n{TRIED}")
    assert outcome.problem is None, outcome
    assert [name for name in PATHS if f"{name} " not in outcome.text] == []
    assert [path for path in HERE if path in outcome.text] == []


def test_a_path_that_comes_back_all_the_same_is_cut_out(warm):
    shown = attack(warm, f"return {str(PACKAGE)!r}, {sys.prefix + '/lib/python'!r}")
    assert shown.text == "('…/minigrad', '…/lib/python')\n"


@confined
def test_the_links_to_the_grader_are_gone_before_there_is_a_submission(both):
    seen = attack(both, "import os, sys\nreturn os.path.dirname(sys.prefix)")
    folder = Path(seen.text.strip())
    assert folder.parent == Path("/tmp") and not folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no links")
def test_the_links_are_gone_even_if_nobody_waited_for_the_worker():
    """As where a worker of a grading is ended that got no work."""
    begun = open_sandbox()
    begun.begin()
    folder = begun._root.links.folder
    assert folder.is_dir()
    try:
        deadline = time.monotonic() + 60
        while folder.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not folder.exists()
    finally:
        begun.close()


@confined
def test_each_job_has_an_empty_folder_of_its_own_that_is_gone(warm):
    """A folder that jobs share has times, and one could read it to leave a sign for the next."""
    look = "import os\nfound = os.stat('/')\nreturn [found.st_nlink, found.st_ctime_ns, found.st_atime_ns]"
    one, other = (eval(attack(warm, look).text) for _ in range(2))
    assert one[0] == other[0] == 0
    assert other[1] > one[1] and other[2] > one[2]
