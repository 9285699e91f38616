"""Hostile answers: each is the answer to one part in an otherwise right solution, and none may earn that part.

A payload stands in the cell (it runs before the check) or inside `backward` (it runs within the check, where a print
is part of the judged text). It is bounded: what it takes or floods, a test machine can bear. Words in angle brackets
are places of the room (see `room.py`). An attack that reads prints what it read, so that a secret would show.
"""

from __future__ import annotations

import dataclasses
import textwrap

from submissions import mul, rectangle

WRONG = "return grad_output, grad_output"
RIGHT = "return grad_output * b, grad_output * a"


@dataclasses.dataclass(frozen=True)
class Attack:
    """`part` is what the answer claims to be. `ends` are words of which the one-line reason has to hold one."""

    answer: str
    part: str = "mul"
    ends: tuple[str, ...] = ()


def cell(payload: str, *ends: str) -> Attack:
    """The payload runs in the cell, after a wrong answer was handed over."""
    return Attack(mul(WRONG, after=payload), ends=ends)


def first(payload: str, *ends: str) -> Attack:
    """The payload runs in the cell, before a wrong answer is handed over."""
    return Attack(mul(WRONG, before=payload), ends=ends)


def inside(payload: str, *ends: str) -> Attack:
    """The payload runs within the check; then the answer is wrong."""
    return Attack(mul(f"{textwrap.dedent(payload).strip()}\n{WRONG}"), ends=ends)


def reading(payload: str) -> Attack:
    """The payload gives `loot` a list of functions; what they return is printed within the check."""
    body = """
    for take in loot:
        try:
            print(take())
        except BaseException as error:
            print(type(error).__name__)
    """
    return Attack(mul(f"{textwrap.dedent(body).strip()}\n{WRONG}", before=payload))


def bare(answer: str, part: str = "mul", *ends: str) -> Attack:
    """The whole cell."""
    return Attack(textwrap.dedent(answer), part, ends)


ENDS = {
    "SystemExit as an answer's error": inside("raise SystemExit('tensor(1.)')", "SystemExit"),
    "stops itself": inside("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "PermissionError"),
    "alarm": inside("import signal, time\nsignal.signal(14, 0)\nsignal.alarm(1)\ntime.sleep(9)", "crashed", "stopped"),
    "endless loop that catches": first(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    ),
    "a hang in C": inside("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", "still in", "stopped"),
    "hangs when it is printed": inside(
        "class Slow(Exception):\n    def __str__(self):\n        while True: pass\nraise Slow",
        "still in `Mul.backward`, line",
    ),
    "hangs when it is compared": bare(
        "class M(type):\n    def __eq__(s, o):\n        while True: pass\n"
        "class Mul(Function, metaclass=M): pass\npart('mul')(Mul)"
    ),
    "hangs at the end": cell(
        """
        import atexit, builtins
        class Late:
            def __del__(self):
                while True: pass
        builtins.late = Late()
        atexit.register(builtins.late.__del__)
        """
    ),
    "recursion beyond the stack": inside(
        "import sys\nsys.setrecursionlimit(10**9)\ndef again(): return [again()]\nagain()",
        "crashed",
        "still in",
        "stopped",
    ),
    "a daemon": first(
        """
        import os
        try:
            for _ in range(5):
                if os.fork() == 0:
                    os.setsid()
                    open('/tmp/<MARK>', 'w').close()
        except OSError:
            pass
        """,
        "on unchanged",
    ),
    "a thread in C": inside("import faulthandler\nfaulthandler.dump_traceback_later(1, exit=True)", "Error"),
}

FLOODS = {
    "bit by bit, and catches": inside(
        "hog = []\ntry:\n    while True: hog.append(bytearray(10**6))\nexcept MemoryError: pass",
        "emory",
        "on unchanged",
    ),
    "100 MB of lines, and catches": inside(
        "try:\n    for _ in range(100): print('x' * 10**6)\nexcept BaseException: pass", "printed more"
    ),
    "many numbers": inside("print('1.0000 ' * 120_000)"),
    "a long name of an error": inside("raise type('x' * 10**6, (Exception,), {})"),
    "nested code": bare("x = " + "(" * 10**5, "mul"),
}

# What runs an answer cannot be imported, but its functions call the answer, and know one another.
RUNNER = """
import sys
class Module:
    def __init__(self, names):
        self.__dict__ = names
def module(name):
    frame = sys._getframe()
    while frame.f_globals["__name__"] != name:
        frame = frame.f_back
    return Module(frame.f_globals)
j = module("minigrad_job")
p = Module(j.run_with.__globals__)
d = Module(p.Draw.__init__.__globals__)
"""

PATCHES = {
    "isinstance and type": cell("import builtins\nbuiltins.isinstance = builtins.issubclass = lambda *a: True"),
    "the runner": cell(f"{RUNNER}j.run_with = lambda *a, **k: p.Run('')"),
    "the draws": first(
        f"{RUNNER}d.Draw.__call__ = lambda self, *s, **k: [1.0] * s[0]\n"
        "d.Draw.choice = lambda self, items: items[0]\nfirst = p.Draw(20)\np.Draw = lambda seed: first"
    ),
    "numpy": first("import numpy\nnumpy.multiply = numpy.asarray = numpy.allclose = lambda *a, **k: True"),
    "modules by others": cell("import sys, types\nfor n in list(sys.modules): sys.modules[n] = types.ModuleType(n)"),
    "IPython's transformers": first(
        "ip = get_ipython()\nip.input_transformers_post.append(lambda lines: ['pass'])\n"
        "ip.ast_transformers.append(print)"
    ),
    "the answers": cell("part.__self__['mul'] = part.__self__['div'] = type('Equal', (), {})()"),
    "another class's code": cell("Mul.backward.__code__ = scalar.Add.backward.__code__"),
}

EQUALS = """
class Equal(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __repr__(self): return "1."
    __hash__ = float.__hash__
"""
PRINTS = {
    "equal to everything": Attack(mul("return Equal(), Equal()", before=EQUALS)),
    "text equal to everything": inside(
        "import sys\nclass Text(str):\n    __eq__ = lambda *a: True\n    __hash__ = None\nprint(Text('x'))"
    ),
    "terminal codes": inside("print('\\x1b[2J\\x1b[8m\\x1b]0;passed\\x07')"),
    "not a number": Attack(mul("return grad_output * float('nan'), grad_output * float('inf')")),
    "a verdict": inside("print('✓ mul: it prints what torch prints.')\nraise ValueError('✓ passed 20/20')"),
    "an error in many lines": inside("raise ValueError('one\\ntwo\\r\\nthree\\u2028four')", "one"),
    "an error without text": inside(
        "class Mute(Exception):\n    def __str__(self): raise self\n    __repr__ = __str__\nraise Mute", "Mute"
    ),
    "an error that says it is unfinished": inside("raise NotImplementedError", "still to be written"),
    "surrogates in the code": bare("x = '\ud800'\n" + mul(WRONG)),
    "a cookie for another encoding": bare("# -*- coding: rot13 -*-\n" + mul(WRONG)),
}

OUR_OWN = {
    "by name": bare('part("mul")(scalar.Mul)'),
    "by the collector": bare(
        "import gc\ngc.unfreeze()\n"
        'part("mul")(next(o for o in gc.get_objects() if isinstance(o, type) and o.__name__ in ("Mul", "SavesBoth")))'
    ),
    "by linecache": bare(
        "import linecache\ntext = next(t for e in linecache.cache.values() for t in [''.join(e[2])]"
        " if 'class Mul(Function)' in t and 'needs_a' in t)\nexec(text, vars(scalar))\npart('mul')(scalar.Mul)"
    ),
    "by reading the package": bare(
        "exec(open('<PROJECT>/minigrad/scalar.py').read(), vars(scalar))\npart('mul')(scalar.Mul)"
    ),
    "by the frames": bare(
        """
        import sys
        frame = sys._getframe()
        while frame:
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                if isinstance(value, dict) and "mul" in value and callable(value["mul"]):
                    part("mul")(value["mul"])
                if getattr(value, "__name__", "") == "Mul":
                    part("mul")(value)
            frame = frame.f_back
        """
    ),
    "the walk by the pass": bare(
        "from minigrad.passing import passes\n@part('walk')\ndef walk(root, grad, retain_graph=False):\n"
        "    passes.backward((root,), (grad,), retain_graph)",
        "walk",
    ),
    "the order by a closure": bare("part('order')(scalar.backpropagate.__globals__['topological_order'])", "order"),
    "hypot by name": bare("part('hypot')(minigrad.hypot)", "hypot"),
}


def twin(result: str, part: str = "mul", forward: str = "a * b") -> Attack:
    """The derivative is another operation's: `result` is made of the tensors x and y, and differentiated by us."""
    return bare(
        f"""
        @part("{part}")
        class Twin(Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a)
                ctx.b = b
                return {forward}

            @staticmethod
            def backward(ctx, grad_output):
                from minigrad.nn import functional as F
                with minigrad.enable_grad():
                    x = minigrad.tensor([float(ctx.saved_tensors[0])], requires_grad=True)
                    y = minigrad.tensor([float(ctx.b)], requires_grad=True)
                    result = ({result}).sum()
                    v = minigrad.tensor(float(grad_output))
                    shares = minigrad.autograd.grad(result, (x, y), v, allow_unused=True)
                return tuple(each if each is None else each._array[0] for each in shares)
        """,
        part,
    )


TWINS = {
    "addcmul": twin("minigrad.addcmul(minigrad.zeros(1), x, y)"),
    "logs for the quotient": twin("x.sign() * y.sign() * (x.abs().log() - y.abs().log()).exp()", "div", "a / b"),
    "a norm for hypot": twin("minigrad.cat([x, y]).norm()", "hypot", "(a * a + b * b) ** 0.5"),
}

READS = {
    "files": reading(
        """
        import linecache, os, runpy
        loot = [lambda p=p: open(p).read() for p in ("<OTHER>", "<SOLUTION>", "<DATABASE>", "/etc/passwd")]
        loot += [
            lambda: os.read(os.open("<OTHER>", os.O_RDONLY), 100),
            lambda: linecache.getlines("<OTHER>"),
            lambda: runpy.run_path("<SOLUTION>")["SECRET"],
            lambda: os.listdir("<FOLDER>"),
            lambda: os.stat("<OTHER>") and "a secret of the room",
            lambda: os.path.lexists("<FOLDER>") * "a secret of the room",
            lambda: os.access("<FOLDER>", os.F_OK) * "a secret of the room",
            lambda: os.fstat(os.open("<OTHER>", os.O_PATH)) and "a secret of the room",
            lambda: os.readlink("/proc/self/cwd"),
        ]
        """
    ),
    "the environment": reading(
        """
        import ctypes, os
        environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
        loot = [lambda: dict(os.environ), lambda: os.getenv("MINIGRAD_TEST_SECRET")]
        loot += [lambda: [environ[n] for n in range(5)], lambda: os.path.expanduser("~")]
        """
    ),
    "the judge's memory and environment": reading(
        """
        import os
        places = [f"/proc/{p}/{f}" for p in ("self", "thread-self", os.getppid(), <JUDGE>, 1)
                  for f in ("environ", "mem", "maps", "cmdline", "fd/0", "cwd/x", "root<OTHER>")]
        loot = [lambda p=p: open(p, "rb").read(100_000) for p in places]
        """
    ),
    "the frames": reading(
        """
        import sys
        def frames():
            frame, found = sys._getframe(), []
            while frame:
                found.append({n: str(v)[:300] for n, v in frame.f_locals.items() if n not in ("loot", "take")})
                frame = frame.f_back
            return str(found).replace("tensor(", "")
        loot = [frames]
        """
    ),
    "what other processes left in memory": reading(
        """
        import ctypes, mmap
        def search():
            block = mmap.mmap(-1, 50_000_000)
            return block.find(b"a secret" + b" of the room")
        loot = [search, lambda: ctypes.string_at(id(loot) & ~0xFFFFF, 1 << 20).count(b"a secret" + b" of the")]
        """
    ),
}

WRITES = {
    "files": inside(
        """
        import os, shutil, sqlite3, numpy
        def database():
            with sqlite3.connect("<DATABASE>") as connection:
                connection.execute("update grades set points = 20")
        for attempt in (
            lambda: open("<OTHER>", "w").write("x"),
            lambda: open("<STARTUP>", "a").write("import os"),
            lambda: open("/tmp/<MARK>", "w"),
            lambda: open("/dev/shm/<MARK>", "w"),
            lambda: os.rename("<OTHER>", "<FOLDER>/renamed"),
            lambda: os.link("<SOLUTION>", "<FOLDER>/linked"),
            lambda: os.chmod("<OTHER>", 0),
            lambda: os.unlink("<OTHER>"),
            lambda: shutil.rmtree("<FOLDER>"),
            lambda: numpy.save("/dev/shm/<MARK>", numpy.zeros(3)),
            database,
        ):
            try:
                attempt()
            except BaseException:
                pass
        """
    ),
}

OTHERS = {
    "kills": inside(
        """
        import os, signal
        for target in (os.getppid(), <JUDGE>, <NEIGHBOUR>, -1, 0, 1):
            for attempt in (os.kill, os.killpg, lambda p, s: signal.pidfd_send_signal(os.pidfd_open(p), s)):
                try:
                    attempt(target, signal.SIGKILL)
                except (OSError, AttributeError):
                    pass
        """
    ),
    "the network": inside(
        """
        import socket, urllib.request
        for attempt in (
            lambda: socket.create_connection(("127.0.0.1", <PORT>), 1),
            lambda: urllib.request.urlopen("http://127.0.0.1:<PORT>", timeout=1),
            lambda: socket.socket(socket.AF_UNIX).connect("\\0anything"),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", <PORT>)),
            lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
            lambda: socket.getaddrinfo("localhost", 80),
        ):
            try:
                print("open:", attempt())
            except (OSError, ImportError) as error:
                print(type(error).__name__)
        """
    ),
}

PROGRAMS = {
    "the reference from the frames": bare(rectangle("import sys\nprint(sys._getframe(2).f_locals)"), "repair"),
    "an object that prints": bare(
        "class Printer:\n    def __call__(self, torch, a, b): print('area     tensor(1.)')\npart('repair')(Printer())",
        "repair",
    ),
    "not callable": bare("part('repair')('rectangle')", "repair"),
    "an order that never ends": bare("@part('order')\ndef order(root):\n    while True:\n        yield root", "order"),
}

FAMILIES = {
    "ends": ENDS,
    "floods": FLOODS,
    "patches": PATCHES,
    "prints": PRINTS,
    "our own": OUR_OWN,
    "twins": TWINS,
    "reads": READS,
    "writes": WRITES,
    "others": OTHERS,
    "programs": PROGRAMS,
}
