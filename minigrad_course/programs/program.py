"""Run a program on an engine in which some parts are somebody's answers.

This is the only place where answers meet an engine: the notebook's checks use it, and so does the grader's confined
child, which is sent this file, `draws` and `problems`. So it needs only the standard library and the engine's own door
(`minigrad.parts`), and contains no hint or solution.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import itertools
import linecache
import math
import signal
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any, TypeVar

from minigrad import parts
from minigrad_course.programs.draws import Draw
from minigrad_course.programs.problems import (
    LIMITS,
    PROGRAM,
    OutOfTime,
    Problem,
    TooMuchOutput,
    named,
    place_of,
    problem_of,
)

OUTPUT_LIMIT = 1_000_000  # characters a program may print
DEPTH = 1000  # how deep calls may nest: Python's own default, which notebooks change
LEAVING = 0.05  # seconds of processor time in which a block is left
DEEPER = (
    "It calls itself as deep as the graph is, and changes Python's limit for that (`sys.setrecursionlimit`). A graph "
    "may be deeper than any limit: do without calls inside each other."
)
WAIT = 3  # the clock may take this many times the processor time: machines are busy, and code may sleep


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a part belongs.

    kind "engine": the attribute of an engine module, as minigrad.scalar's Mul. "operation": a Function,
    registered as the method and function `attribute`. "program": a name that the program uses. "module": an engine of
    one's own, which the program gets under the name `attribute` in place of the engine.
    `node` is the name of its node in a printed graph, for Functions. `once`: the part is a function that returns a
    list without duplicates. `torches`: a check of it runs as each version of torch that the engine speaks, because
    gradients it needs changed.

    Of a program: `by_hand` is one that takes its steps without an optimizer, `passes` how many backward passes it takes
    at least, `steady` one whose passes all walk through as many nodes as the first.
    """

    name: str
    kind: str
    attribute: str
    module: str = "minigrad"
    node: str | None = None
    once: bool = False
    torches: bool = False
    by_hand: bool = False
    passes: int = 0
    steady: bool = False


@dataclasses.dataclass(frozen=True)
class Run:
    """What a program printed, and why it did not finish, if it did not.

    `quiet` is the text without what code outside the program printed; None if that code printed nothing.
    """

    text: str
    problem: Problem | None = None
    quiet: str | None = None

    @property
    def is_objected(self) -> bool:
        """True if it ran to the end, but not in the way that is asked for."""
        return self.problem is not None and self.problem.kind == "objection"

    def without_objection(self) -> Run:
        """The run, for whoever asks only what was printed and whether it ended."""
        return dataclasses.replace(self, problem=None) if self.is_objected else self


Answer = TypeVar("Answer", bound=Callable[..., object])


class Unusable(Exception):
    """An answer that cannot replace its part; the message is the sentence to show."""


class Answers(dict[str, object]):
    """The answers so far: name -> class or function. `arrived(name, answer)` is called for each."""

    def __init__(self, arrived: Callable[[str, object], object] = lambda name, answer: None):
        super().__init__()
        self.arrived = arrived

    def part(self, name: str) -> Callable[[Answer], Answer]:
        """The decorator `@part("mul")`: take the class or function below it as the answer."""

        def hand_over(answer: Answer) -> Answer:
            self[name] = answer
            self.arrived(name, answer)
            return answer

        return hand_over


# --- attaching answers ---------------------------------------------------------------------------


@contextlib.contextmanager
def attached(
    engine: ModuleType, places: list[Place], answers: Mapping[str, object], objections: list[str] | None = None
) -> Iterator[dict[str, object]]:
    """Put the answers in their places while the block runs, and restore everything afterwards.

    Yields the names that go into the program itself. Unusable if an answer is not of the right kind. `objections` gets
    a sentence for each program that does not do its work in the way that is asked for.
    """
    names: dict[str, object] = {}
    with contextlib.ExitStack() as undo:
        undo.enter_context(parts.replace("leaf.recording", True))  # an answer may leave recording off
        for place in places:
            answer: Any = answers[place.name]
            if place.kind == "module":
                # a known mistake makes its module when it is needed
                if isinstance(answer, ModuleType):  # what a program has left in it ends with the program
                    undo.callback(vars(answer).update, dict(vars(answer)))
                names[place.attribute] = answer if isinstance(answer, ModuleType) else answer()
                continue
            if place.node is not None:
                demand_function(engine, place, answer)
            elif not callable(answer):
                raise Unusable(f"`{place.name}` must be a function; what you defined is not one.")
            if place.once:
                answer = each_once(place.attribute, answer)
            if place.kind == "program":
                if objections is not None and (place.by_hand or place.passes or place.steady):
                    answer = watched(place, answer, objections)
                names[place.attribute] = answer
            else:
                is_new = place.kind == "operation"
                undo.enter_context(parts.replace(path_of(place), answer, node=place.node or "", missing_ok=is_new))
        yield names


def is_blank(answer: object) -> bool:
    """True for an engine of one's own in which nothing is defined yet."""
    return isinstance(answer, ModuleType) and all(name.startswith("__") for name in vars(answer))


def path_of(place: Place) -> str:
    """What the engine's door calls the place of a part."""
    return place.attribute if place.kind == "operation" else f"{place.module}.{place.attribute}"


def demand_function(engine: ModuleType, place: Place, answer: object) -> None:
    """Unusable unless the answer is a subclass of the engine's Function."""
    if not (isinstance(answer, type) and issubclass(answer, engine.scalar.Function)):
        defined = f"the class {answer.__name__}" if isinstance(answer, type) else "something else"
        raise Unusable(f"`{place.name}` must be a class that extends Function; you defined {defined}.")


def each_once(name: str, function: Callable[..., Iterable[object]]) -> Callable[..., list[object]]:
    """The function, with a RuntimeError for a list with duplicates, which no program would show."""

    @functools.wraps(function, updated=())
    def checked(*args: object) -> list[object]:
        found = function(*args)
        if isinstance(found, set | frozenset):
            raise RuntimeError(f"{name} returns a set, which has no order; return a list")
        results = list(found)
        if len(set(map(id, results))) != len(results):
            raise RuntimeError(f"{name} lists something twice; list each thing once")
        return results

    return checked


class Passes:
    """How many nodes each backward pass walked through. A listener, for `parts.observe`."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def pass_begins(self, roots: tuple[object, ...]) -> None:
        self.sizes.append(0)

    def node_visited(self, node: object, grad_inputs: tuple[object, ...], grad_outputs: tuple[object, ...]) -> None:
        self.sizes[-1] += 1


def watched(place: Place, function: Callable[..., object], objections: list[str]) -> Callable[..., object]:
    """The program, with a sentence among the objections for what its place does not allow."""

    @functools.wraps(function, updated=())
    def call(*args: object, **kwargs: object) -> object:
        passes, calls = Passes(), {"step": 0}
        with contextlib.ExitStack() as watching:
            if place.passes or place.steady:
                watching.enter_context(parts.observe(passes))
            if place.by_hand:
                calls = watching.enter_context(parts.count({"step": "optim.optimizer.Optimizer.step"}))
            result = function(*args, **kwargs)
        sizes = passes.sizes
        if calls["step"]:
            objections.append(
                f"An optimizer takes the step, and in `{place.attribute}` it is yours to write: change each parameter "
                "by the gradient that `backward()` left."
            )
        if len(sizes) < place.passes:
            objections.append(
                f"Right numbers, but not from `backward()`: `{place.attribute}` takes at least {place.passes} backward "
                f"passes, and yours runs {len(sizes) or 'none'}."
            )
        if place.steady and any(size != sizes[0] for size in sizes):
            grows = max(sizes) > sizes[0]
            objections.append(
                f"The graph {'grows' if grows else 'shrinks'}: the first `backward()` walked through {sizes[0]} nodes, "
                f"the last one through {sizes[-1]}. "
                + (
                    "Each loss has to begin at a leaf again."
                    if grows
                    else "What is left out later belongs out from the start."
                )
            )
        return result

    return call


# --- running -------------------------------------------------------------------------------------


def run(
    program: str,
    engine: ModuleType,
    seed: int,
    names: dict[str, object] | None = None,
    seconds: float | None = None,
    output_limit: int = OUTPUT_LIMIT,
    wait: float | None = WAIT,
) -> Run:
    """Run a program with `torch` bound to the engine, `seed` and `draw` to its numbers; give back what it printed.

    `seconds` and `wait` are those of `time_limit`.
    """
    printed = Bounded(output_limit)
    namespace = {"__name__": "__main__", "torch": engine, "seed": seed, "draw": Draw(seed), **(names or {})}
    problem = None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a program that is about a warning records it itself
        try:
            with time_limit(seconds, wait):
                problem = ended(program, namespace)
        except OutOfTime as late:
            where = place_of(late)
            within = f"It did not end within {seconds or 0:g} seconds"
            problem = Problem("time", f"{within}: it was still in {where}." if where else f"{within}.")
        except TooMuchOutput:
            pass
    if printed.full:  # ask the buffer: an `except:` in the answer may have caught the exception
        problem = Problem("output", f"It printed more than {output_limit:,} characters.")
    return Run(printed.getvalue(), problem, "".join(printed.own) if printed.guests else None)


def ended(program: str, namespace: dict[str, object]) -> Problem | None:
    """Run a program; returns the problem if it stops with an error. Limits pass through."""
    try:
        with depth_limit(DEPTH) as limit, counted_limits() as set_to:
            exec(compiled(program, PROGRAM), namespace)
            if set_to or sys.getrecursionlimit() != limit:
                return Problem("objection", DEEPER)
    except LIMITS:
        raise
    except BaseException as error:  # a program may raise anything, including SystemExit and its own exceptions
        return problem_of(error)
    return None


def run_with(
    program: str,
    engine: ModuleType,
    seed: int,
    places: list[Place],
    answers: Mapping[str, object],
    objects: bool = True,
    **limits: Any,
) -> Run:
    """Run a program with answers in place of their parts. `objects`: ask how they do their work, too."""
    for place in places:
        if place.name not in answers:
            return Run("", Problem("missing", f"Run the cell that defines `{place.name}` first."))
        if place.kind == "module" and is_blank(answers[place.name]):
            return Run("", Problem("unfinished", "Your engine is still to be written."))
    objections: list[str] = []
    try:
        with attached(engine, places, answers, objections if objects else None) as names:
            once = functools.partial(run, program, engine, seed, names, **limits)
            result = as_each_torch(engine, once) if all(place.torches for place in places) else once()
        if objections and not result.problem:
            return dataclasses.replace(result, problem=Problem("objection", objections[0]))
        return result
    except Unusable as error:
        return Run("", Problem("answer", str(error)))
    except Exception as error:
        return Run("", Problem("answer", f"Your answer cannot be used: {named(error)}."))


def as_each_torch(engine: ModuleType, once: Callable[[], Run]) -> Run:
    """Run a program as each version of torch that the engine speaks: what they all print, or the first that stops.

    A line that they do not all print gives way to one with the lines of all, whichever version is installed.
    """
    versions = engine.compat.versions
    runs: dict[str, Run] = {}
    before = versions.spoken, versions.said
    try:
        for version in versions.KNOWN:
            versions.speak(version)
            runs[version] = once()
            if runs[version].problem and not runs[version].is_objected:
                return runs[version]
    finally:
        versions.speak(*before)
    texts = [item.text for item in runs.values()]
    objection = next((item.problem for item in runs.values() if item.is_objected), None)
    if len(set(texts)) == 1:
        return runs[before[0]]
    lines = itertools.zip_longest(*[text.splitlines() for text in texts], fillvalue="")
    return Run("".join([f"{by_version(dict(zip(runs, line, strict=True)))}\n" for line in lines]), objection)


def by_version(lines: dict[str, str]) -> str:
    """What all versions print in a line; or, where they differ, each line once, with its versions."""
    if len(set(lines.values())) == 1:
        return next(iter(lines.values()))
    who: dict[str, list[str]] = {}
    for version, line in lines.items():
        who.setdefault(line, []).append(version)
    return "; ".join([f"torch {' and '.join(item)}: {line.strip()}" for line, item in who.items()])


def compiled(source: str, name: str) -> CodeType:
    """Compile a source so that tracebacks can quote it as `name`; this module's `__future__` imports do not apply."""
    quotable(source, name)
    return code_of(source, name)


@functools.lru_cache(maxsize=64)
def code_of(source: str, name: str) -> CodeType:
    """Compile a source, with a cache."""
    return compile(source, name, "exec", dont_inherit=True)


def quotable(source: str, name: str) -> None:
    """Let tracebacks quote a source as `name`."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


class Bounded(io.StringIO):
    """A text buffer that refuses to grow beyond a limit."""

    def __init__(self, limit: int):
        super().__init__()
        self.left = limit
        self.full = False
        self.own: list[str] = []  # what the program itself has printed
        self.guests = False  # whether an answer has printed as well

    def write(self, text: str) -> int:
        self.left -= len(text)
        if self.left < 0:
            self.full = True
            raise TooMuchOutput
        if writer(sys._getframe(1)) in (PROGRAM, ""):
            self.own.append(text)
        else:
            self.guests = True
        return super().write(text)


def writer(frame: types.FrameType | None) -> str:
    """The file, program or answer, that a call comes from; "" for neither."""
    while frame is not None and frame.f_globals.get("__name__") != "__main__":
        frame = frame.f_back
    return frame.f_code.co_filename if frame else ""


@contextlib.contextmanager
def time_limit(seconds: float | None, wait: float | None = WAIT) -> Iterator[None]:
    """Raise OutOfTime after `seconds` of processor time, or `wait` times as long by the clock, None for no such limit.

    Only where the system has interval timers and this is the main thread.
    """
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not timed:
        yield
        return
    inside = [(-math.inf, -math.inf)]
    clocks = [(signal.ITIMER_PROF, signal.SIGPROF, seconds, time.process_time)]
    clocks += [(signal.ITIMER_REAL, signal.SIGALRM, wait * seconds, time.monotonic)] if wait else []
    with contextlib.ExitStack() as alarms:
        for clock in clocks:
            alarms.enter_context(alarm(*clock, inside))
        try:
            yield
        finally:
            inside.clear()  # what fires while the block is left must not keep it from putting everything back


@contextlib.contextmanager
def alarm(
    timer: int, number: int, seconds: float, clock: Callable[[], float], inside: list[tuple[float, float]]
) -> Iterator[None]:
    """Raise OutOfTime when a system timer fires, as long as there is something `inside`: when it was raised last.

    A timer that was already running continues afterwards.
    """

    def stop(*_: object) -> None:
        now = time.process_time(), time.monotonic()
        # both clocks may fire at once: the second must not come while the first is leaving the block
        if inside and (now[0] - inside[0][0] > LEAVING or now[1] - inside[0][1] > 20 * LEAVING):
            inside[0] = now
            raise OutOfTime

    before, started = signal.signal(number, stop), clock()
    # repeatedly: an `except:` may swallow one
    left, interval = signal.setitimer(timer, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
        if left:
            signal.setitimer(timer, max(0.001, left - (clock() - started)), interval)


@contextlib.contextmanager
def counted_limits() -> Iterator[list[int]]:
    """In the block, what `sys.setrecursionlimit` is called with is noted: it may be put back before the end."""
    before, set_to = sys.setrecursionlimit, list[int]()

    def set_and_note(limit: int) -> None:
        set_to.append(limit)
        before(limit)

    sys.setrecursionlimit = set_and_note
    try:
        yield set_to
    finally:
        sys.setrecursionlimit = before


@contextlib.contextmanager
def depth_limit(calls: int) -> Iterator[int]:
    """Let the block nest `calls` calls deep, however deep the caller already is. Yields the limit."""
    before, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame.f_back:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + calls)
    try:
        yield depth + calls
    finally:
        sys.setrecursionlimit(before)
