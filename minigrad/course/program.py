"""Run a program on an engine, some of whose parts are somebody's answers.

The one place where answers meet an engine: the notebook's checks use it, and so does the grader's confined child,
which is sent this file. It therefore needs nothing but the standard library, and holds no hint, no mistake and no
solution.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import linecache
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

PROGRAM = "<program>"
OUTPUT_LIMIT = 1_000_000  # characters a program may print
DEPTH = 1000  # calls inside calls a program may make: Python's own default, which notebooks change
WAIT = 3  # times the processor time that may pass by the clock: machines are busy, and code may sleep
LONGEST = 200  # characters of a line or a message that a sentence quotes


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a part belongs.

    kind "engine": the attribute of an engine module, as minigrad.scalar's Mul. "operation": a Function,
    registered as the method and function `attribute`. "program": a name that the program uses.
    `node` is the name of its node in a printed graph, for Functions. `once`: it is a function that gives a list, in
    which nothing may stand twice.
    """

    name: str
    kind: str
    attribute: str
    module: str = "minigrad"
    node: str | None = None
    once: bool = False


@dataclasses.dataclass(frozen=True)
class Problem:
    """Why a program did not run to its end.

    kind: "missing" (no answer was handed over), "unfinished" (a stub was reached), "answer" (what was handed over
    cannot be used), "cell" (the answer's cell failed), "program" (it stopped with an error), "time", "output".
    message: one sentence for the person who wrote the answer.
    """

    kind: str
    message: str

    @property
    def is_open(self) -> bool:
        """True if there is still something to write, and nothing is wrong yet."""
        return self.kind in ("missing", "unfinished")


@dataclasses.dataclass(frozen=True)
class Run:
    """What a program printed, and what kept it from ending, if anything did."""

    text: str
    problem: Problem | None = None


class OutOfTime(BaseException):
    """A limit was reached. Not an Exception, so that an honest `except Exception` lets it pass."""


class TooMuchOutput(BaseException):
    """A program printed more than it may."""


# What ends a run from outside; KeyboardInterrupt is the person at the keyboard.
LIMITS = (OutOfTime, TooMuchOutput, KeyboardInterrupt)


class Unusable(Exception):
    """An answer that cannot take the place of its part; the text is the sentence to show."""


class Answers(dict):
    """The parts handed over so far: name -> class or function. `arrived(name, answer)` hears of each."""

    def __init__(self, arrived: Callable[[str, Any], None] = lambda name, answer: None):
        super().__init__()
        self.arrived = arrived

    def part(self, name: str) -> Callable[[Any], Any]:
        """The decorator `@part("mul")`: hand over the class or function below it."""

        def hand_over(answer: Any) -> Any:
            self[name] = answer
            self.arrived(name, answer)
            return answer

        return hand_over


# --- attaching answers ---------------------------------------------------------------------------


@contextlib.contextmanager
def attached(engine: Any, places: list[Place], answers: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Put the answers in their places for as long as the block runs; afterwards all is as before.

    Gives the names that go into the program itself. Unusable if an answer is not what its part has to be.
    """
    names: dict[str, Any] = {}
    with contextlib.ExitStack() as undo:
        undo.enter_context(replaced(engine.leaf, "recording", True))  # an answer may leave it off
        for place in places:
            answer = answers[place.name]
            if place.node is not None:
                demand_function(engine, place, answer)
                undo.enter_context(renamed(answer.node, place.node))
            elif not callable(answer):
                raise Unusable(f"`{place.name}` has to be a function; what you handed over is not one.")
            if place.once:
                answer = each_once(place.attribute, answer)
            if place.kind == "engine":
                undo.enter_context(replaced(sys.modules[place.module], place.attribute, answer))
            elif place.kind == "operation":
                undo.enter_context(registered(engine, place.attribute, answer))
            else:
                names[place.attribute] = answer
        yield names


def demand_function(engine: Any, place: Place, answer: Any) -> None:
    """Unusable unless the answer is a subclass of the engine's Function."""
    if not (isinstance(answer, type) and issubclass(answer, engine.scalar.Function)):
        raise Unusable(
            f"`{place.name}` has to be a class that extends Function; you handed over "
            f"{'the class ' + answer.__name__ if isinstance(answer, type) else 'something else'}."
        )


def each_once(name: str, function: Callable) -> Callable:
    """The function, with RuntimeError for a list in which something stands twice: no program would show it."""

    @functools.wraps(function, updated=())
    def checked(*args: Any) -> list:
        found = list(function(*args))
        if len(set(map(id, found))) != len(found):
            raise RuntimeError(f"{name} lists something twice: each once, please")
        return found

    return checked


@contextlib.contextmanager
def replaced(owner: Any, attribute: str, value: Any) -> Iterator[None]:
    """Set an attribute for as long as the block runs."""
    absent = object()
    before = vars(owner).get(attribute, absent)  # as it is stored: a classmethod, not its bound form
    setattr(owner, attribute, value)
    try:
        yield
    finally:
        if before is absent:
            delattr(owner, attribute)
        else:
            setattr(owner, attribute, before)


@contextlib.contextmanager
def registered(engine: Any, name: str, operation: Any) -> Iterator[None]:
    """Register an operation for as long as the block runs; what there is, ours or the student's, steps aside."""
    functions, methods = engine.ops.functions, engine.Tensor
    before = (functions[name], vars(methods)[name]) if name in functions else None
    if before is not None:
        del functions[name]
        delattr(methods, name)
    engine.register(name, operation)
    try:
        yield
    finally:
        if before is not None:
            functions[name] = before[0]
            setattr(methods, name, before[1])
        elif name in functions:
            engine.ops.unregister(name)


@contextlib.contextmanager
def renamed(node: type, name: str) -> Iterator[None]:
    """Give a node class torch's name, whatever the student called theirs."""
    before = node.__name__, node.__qualname__
    node.__name__ = node.__qualname__ = name
    try:
        yield
    finally:
        node.__name__, node.__qualname__ = before


# --- running -------------------------------------------------------------------------------------


def run(
    program: str,
    engine: Any,
    seed: int,
    names: dict[str, Any] | None = None,
    seconds: float | None = None,
    output_limit: int = OUTPUT_LIMIT,
) -> Run:
    """Run a program with `torch` bound to the engine and `seed` to an integer; give back what it printed.

    `seconds` bounds it where the system has interval timers and this is the main thread.
    """
    printed = Bounded(output_limit)
    namespace = {"__name__": "__main__", "torch": engine, "seed": seed, **(names or {})}
    problem = None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a program about a warning records it itself
        try:
            with time_limit(seconds):
                problem = ended(program, namespace)
        except OutOfTime:
            problem = Problem("time", f"It did not end within {seconds or 0:g} seconds.")
        except TooMuchOutput:
            pass
    if printed.full:  # asked of the buffer: an `except:` in the answer may have caught the exception
        problem = Problem("output", f"It printed more than {output_limit:,} characters.")
    return Run(printed.getvalue(), problem)


def ended(program: str, namespace: dict[str, Any]) -> Problem | None:
    """Run a program to its end; the problem if that is an error. The limits go through."""
    try:
        with depth_limit(DEPTH):
            exec(compiled(program, PROGRAM), namespace)
    except LIMITS:
        raise
    except BaseException as error:  # whatever a program may raise, SystemExit and exceptions of its own among them
        return problem_of(error)
    return None


def run_with(program: str, engine: Any, seed: int, places: list[Place], answers: dict[str, Any], **limits: Any) -> Run:
    """Run a program with answers in the places of their parts."""
    for place in places:
        if place.name not in answers:
            return Run("", Problem("missing", f"`{place.name}` is not handed over yet: run the cell that defines it."))
    try:
        with attached(engine, places, answers) as names:
            return run(program, engine, seed, names, **limits)
    except Unusable as error:
        return Run("", Problem("answer", str(error)))
    except Exception as error:
        return Run("", Problem("answer", f"Your answer cannot be put to use: {named(error)}."))


def compiled(source: str, name: str) -> Any:
    """The code of a source, which tracebacks quote under `name`; this module's own `__future__` stays out of it."""
    quotable(source, name)
    return code_of(source, name)


@functools.lru_cache(maxsize=64)
def code_of(source: str, name: str) -> Any:
    """The code of a source; what was compiled before is there already."""
    return compile(source, name, "exec", dont_inherit=True)


def quotable(source: str, name: str) -> None:
    """Let tracebacks quote a source under `name`."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


class Bounded(io.StringIO):
    """A text buffer that refuses to grow beyond a limit."""

    def __init__(self, limit: int):
        super().__init__()
        self.left = limit
        self.full = False

    def write(self, text: str) -> int:
        self.left -= len(text)
        if self.left < 0:
            self.full = True
            raise TooMuchOutput
        return super().write(text)


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """OutOfTime after `seconds` of processor time, or WAIT times as long by the clock.

    Only where the system has interval timers and this is the main thread.
    """
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not timed:
        yield
        return
    with (
        alarm(signal.ITIMER_PROF, signal.SIGPROF, seconds, time.process_time),
        alarm(signal.ITIMER_REAL, signal.SIGALRM, WAIT * seconds, time.monotonic),
    ):
        yield


@contextlib.contextmanager
def alarm(timer: Any, number: Any, seconds: float, clock: Callable[[], float]) -> Iterator[None]:
    """OutOfTime when one of the system's timers says so; somebody else's goes on afterwards."""

    def stop(*_: Any) -> None:
        raise OutOfTime

    before, started = signal.signal(number, stop), clock()
    # again and again: one may fall into an `except:`
    left, interval = signal.setitimer(timer, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
        if left:
            signal.setitimer(timer, max(0.001, left - (clock() - started)), interval)


@contextlib.contextmanager
def depth_limit(calls: int) -> Iterator[None]:
    """Let the block make `calls` calls inside calls, wherever it is run from."""
    before, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame.f_back:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


# --- saying what went wrong ----------------------------------------------------------------------


def problem_of(error: BaseException) -> Problem:
    """The sentence for an error: which line of the program, and where in the answer."""
    frames = traceback.extract_tb(error.__traceback__)
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    answers = [
        (code.co_qualname, frame)
        for code, frame, module in zip(codes, frames, modules_of(error), strict=True)
        if module == "__main__" and frame.filename != PROGRAM
    ]
    if isinstance(error, NotImplementedError):
        if answers and answers[-1][1] is frames[-1]:
            return Problem("unfinished", f"`{answers[-1][0]}` is still to be written.")
        if codes and codes[-1].co_qualname in ("Operation.forward", "Operation.backward"):
            return Problem("unfinished", f"Your class has no `{codes[-1].co_name}` yet.")
    where = ""
    for frame in frames:
        if frame.filename == PROGRAM:
            where = f"line {(frame.lineno or 0) + 1} of the check, `{(frame.line or '')[:LONGEST]}`, "
    if answers:
        qualname, frame = answers[-1]
        where = f"`{qualname[:LONGEST]}`, at `{(frame.line or '')[:LONGEST]}`, "
    in_engine = bool(frames) and frames[-1].filename != PROGRAM and not answers
    text = f"{where}stopped with {named(error)}.{question(error, named(error), bool(answers), in_engine)}"
    return Problem("program", text[0].upper() + text[1:])


def question(error: BaseException, text: str, in_answer: bool, in_engine: bool) -> str:
    """What to look at first, where the text of an answer's error says it only to those who know the engine."""
    if isinstance(error, NameError) and in_answer:
        return " In a grading only answer cells run: define or import it in the answer's own cell."
    if isinstance(error, RuntimeError) and "incorrect number of gradients" in text:
        return " Does backward end in a return, with one gradient for each input: return x, y?"
    if isinstance(error, TypeError) and "numpy.object" in text:
        return " Does forward end in a return?"
    if isinstance(error, (TypeError, AttributeError)) and "NoneType" in text and in_engine:
        return " Does your part end in a return?"
    return ""


def modules_of(error: BaseException) -> list[str]:
    """The `__name__` of the module of every frame in the traceback."""
    return [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]


def shortened(line: str) -> str:
    """A line of at most LONGEST characters, with an ellipsis where it was longer."""
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def named(error: BaseException) -> str:
    """`ValueError: its first line`, shortened; an object whose text cannot be had is named only."""
    name = type.__dict__["__name__"].__get__(type(error))  # past a metaclass that says otherwise
    try:
        first = [shortened(line) for line in str(error).strip().splitlines()[:1]]
        return ": ".join([name, *first]).rstrip(".")
    except LIMITS:
        raise
    except BaseException:
        return name
