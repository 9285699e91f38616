"""Whose process this is: that of a command, called in a terminal, or that of a program which calls us.

Of its own process a command may change what it likes, for good: its scripts run on after it, in threads and at exit.
A caller gets everything back that belongs to its process, however the block ends.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import random
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

import minigrad
from minigrad.compat import messages, printing
from minigrad.graph import state

own = False  # whether this process is a command's, or a worker's; only its entry point knows

# Of `sys`. The lists are given back as they were: the same objects, with the same content.
NAMES = (
    *("argv", "path", "meta_path", "path_hooks", "warnoptions", "stdin", "stdout", "stderr", "displayhook"),
    *("excepthook", "unraisablehook", "breakpointhook", "dont_write_bytecode", "pycache_prefix", "ps1", "ps2"),
    *("tracebacklimit", "last_type", "last_value", "last_traceback", "last_exc"),
)
SETTINGS: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.getswitchinterval, sys.setswitchinterval),
    (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (threading.gettrace, threading.settrace),
    (threading.getprofile, threading.setprofile),
    (gc.get_debug, gc.set_debug),
    (gc.get_threshold, lambda counts: gc.set_threshold(*counts)),
    (minigrad.get_default_dtype, minigrad.set_default_dtype),
    (minigrad.is_grad_enabled, minigrad.set_grad_enabled),
)
_ABSENT = object()
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_ending = contextlib.ExitStack()  # what the end of the innermost `kept` block does first, before it puts things back


def claim() -> None:
    """Say that this process is a command's own, or a worker's of one. Only the entry point may know that."""
    global own
    own = True


def choose(name: str, handler: Any) -> None:
    """Choose what a signal does from now on, where the system has it. The signals of a caller stay the caller's."""
    if own and hasattr(signal, name):
        signal.signal(getattr(signal, name), handler)


@contextlib.contextmanager
def lent() -> Iterator[None]:
    """What runs in a caller's process gives it back; in one of our own it may leave what it likes."""
    with contextlib.nullcontext() if own else kept():
        yield


def at_end(undo: Callable[[], object]) -> None:
    """Do this at the end of the innermost `kept` block; never, if the process is our own."""
    if not own:
        _ending.callback(undo)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Put everything back after the block that belongs to the process.

    Signals, environment, folder, umask and limits; filters of warnings; what `sys`, `gc` and `locale` are set to; the
    random numbers and print options of numpy and minigrad, and minigrad's modes; and processes that wait for work.
    torch is not among them: where a program runs on it here, `reference.undisturbed` does that.
    """
    global _ending
    with contextlib.ExitStack() as undo:
        for keeper in KEEPERS:
            undo.callback(keeper())
        undo.enter_context(warnings.catch_warnings())
        outer, _ending = _ending, contextlib.ExitStack()
        try:
            with _ending:
                yield
        finally:
            _ending = outer
            if hasattr(signal, "pthread_sigmask"):  # Ctrl-C waits until the mask is back, as the last thing of all
                signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


def host(folder: str, stand_ins: Collection[object]) -> None:
    """Let a script from a folder run here as in a process of its own, which ends with the `kept` block.

    Its threads are waited for then, and its `atexit` functions called. The modules beside it are forgotten, as are
    those that have got one of the `stand_ins` for another module.
    """
    if own:
        return
    threads, modules = set(threading.enumerate()), set(sys.modules)
    register, unregister = atexit.register, atexit.unregister
    registered: list[tuple[Callable[..., object], tuple[object, ...], dict[str, object]]] = []

    def registering(func: Callable[..., object], /, *args: object, **kwargs: object) -> Callable[..., object]:
        names = sys._getframe(1).f_globals
        if names.get("__name__") != "__main__" and not _is_beside(names.get("__name__", ""), folder):
            return register(func, *args, **kwargs)  # of a module that stays
        registered.append((func, args, kwargs))
        return func

    def unregistering(func: Callable[..., object]) -> None:
        registered[:] = [item for item in registered if item[0] != func]
        unregister(func)

    def end() -> None:
        try:
            for item in threading.enumerate():
                if item not in threads and not item.daemon:
                    item.join()
            while registered:
                func, args, kwargs = registered.pop()
                try:
                    func(*args, **kwargs)
                except Exception:
                    traceback.print_exc()
        finally:
            vars(atexit).update(register=register, unregister=unregister)
            _forget(sys.modules.keys() - modules, folder, stand_ins)

    vars(atexit).update(register=registering, unregister=unregistering)
    at_end(end)


def _is_beside(name: str, folder: str) -> bool:
    """True for a module that was found in the folder itself."""
    top = sys.modules.get(name.partition(".")[0])
    file = getattr(top, "__file__", None)
    places = [os.path.dirname(item) for item in getattr(top, "__path__", ())] or [os.path.dirname(file or os.devnull)]
    return any(os.path.realpath(item) == os.path.realpath(folder) for item in places)


def _forget(names: Collection[str], folder: str, stand_ins: Collection[object]) -> None:
    """Have modules imported again when they are next asked for: those of the folder, and those with a stand-in."""
    wrong = set(map(id, stand_ins))
    tops = {
        name.partition(".")[0]
        for name in names
        if _is_beside(name, folder) or not wrong.isdisjoint(map(id, vars(sys.modules[name]).values()))
    } - {"minigrad", "minigrad_course", "numpy"}
    for name in names:
        if name.partition(".")[0] in tops:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {
        interrupt: signal.signal(interrupt, lambda number, frame: came.append(number)) for interrupt in INTERRUPTS
    }
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    if came:
        raise KeyboardInterrupt


# --- what is put back ----------------------------------------------------------------------------


def _signals() -> Callable[[], Any]:
    """Handlers, timers, the mask, and what wakes an event loop."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else None
    if threading.current_thread() is not threading.main_thread():  # which alone may set the rest
        return (lambda: None) if mask is None else (lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
    handlers = {item: signal.getsignal(item) for item in signal.valid_signals()}
    names = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")
    timers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    idle = [timer for timer in timers if not signal.getitimer(timer)[0]]
    wakeup = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(wakeup)

    def restore() -> None:
        for item in idle:
            signal.setitimer(item, 0)
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return restore


def _system() -> Callable[[], None]:
    """Environment, folder, umask, limits and locale."""
    environment, folder, limits = dict(os.environ), None, {}
    with contextlib.suppress(OSError):  # it may have been deleted
        folder = os.getcwd()
    mask = os.umask(0o077)
    os.umask(mask)
    with contextlib.suppress(ImportError):  # not every system has it
        import resource

        kinds = [getattr(resource, item) for item in dir(resource) if item.startswith("RLIMIT_")]
        limits = {kind: resource.getrlimit(kind) for kind in kinds}
    import locale

    spoken = locale.setlocale(locale.LC_ALL)

    def restore() -> None:
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        for name, value in environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value
        with contextlib.suppress(OSError):
            if folder is not None and (not os.path.exists(".") or os.getcwd() != folder):
                os.chdir(folder)
        os.umask(mask)
        for kind, pair in limits.items():
            if resource.getrlimit(kind) != pair:
                with contextlib.suppress(ValueError, OSError):  # a hard limit that was lowered stays lower
                    resource.setrlimit(kind, pair)
        if locale.setlocale(locale.LC_ALL) != spoken:
            locale.setlocale(locale.LC_ALL, spoken)

    return restore


def _interpreter() -> Callable[[], None]:
    """What Python itself is set to."""
    named = {name: getattr(sys, name, _ABSENT) for name in NAMES}
    lists = {name: list(value) for name, value in named.items() if isinstance(value, list)}
    settings = [(get, put, get()) for get, put in SETTINGS]
    main, hook, formatted = sys.modules["__main__"], threading.excepthook, warnings.formatwarning
    collecting, callbacks, freeze = gc.isenabled(), list(gc.callbacks), gc.freeze
    frozen: list[int] = []  # objects, before the first call of `freeze`: counting takes a while where there are many

    def freezing() -> None:
        if not frozen:
            frozen.append(gc.get_freeze_count())
        freeze()

    gc.freeze = freezing

    def restore() -> None:
        for name, value in named.items():
            if value is not _ABSENT:
                setattr(sys, name, value)
            elif hasattr(sys, name):
                delattr(sys, name)
        for name, content in lists.items():
            if (now := getattr(sys, name)) != content:
                now[:] = content
        for get, put, value in settings:
            if get() != value:
                put(value)
        sys.modules["__main__"], threading.excepthook, warnings.formatwarning = main, hook, formatted
        gc.callbacks[:] = callbacks
        (gc.enable if collecting else gc.disable)()
        gc.freeze = freeze
        if frozen == [0]:
            gc.unfreeze()

    return restore


def _logging() -> Callable[[], None]:
    """The root of what is logged; nothing is set there until `logging` is imported."""
    handlers, level, below = [], None, 0
    if "logging" in sys.modules:
        import logging

        handlers, level, below = list(logging.root.handlers), logging.root.level, logging.root.manager.disable

    def restore() -> None:
        if logging := sys.modules.get("logging"):
            logging.root.handlers[:] = handlers
            logging.root.setLevel(logging.WARNING if level is None else level)
            logging.disable(below)

    return restore


def _numbers() -> Callable[[], None]:
    """Random numbers, print options and errors of numpy; those of minigrad, and its modes."""
    drawn, drawn_by_numpy = random.getstate(), np.random.get_state()
    shown, errors, called = np.get_printoptions(), np.geterr(), np.geterrcall()
    stream = minigrad.get_rng_state()
    options, warned, always = vars(printing._options).copy(), set(messages._warned), messages._warn_always
    from minigrad.autograd import anomaly_mode, graph

    anomalies = anomaly_mode.is_anomaly_enabled(), anomaly_mode.is_anomaly_check_nan_enabled()
    pairs, packer = list(graph._pairs), state.packer

    def restore() -> None:
        random.setstate(drawn)
        np.random.set_state(drawn_by_numpy)
        np.set_printoptions(**shown)
        np.seterr(**errors)
        np.seterrcall(called)
        minigrad.set_rng_state(stream)
        vars(printing._options).update(options)
        messages._warned.intersection_update(warned)
        messages._warned.update(warned)
        messages.set_warn_always(always)
        if anomalies != (anomaly_mode.is_anomaly_enabled(), anomaly_mode.is_anomaly_check_nan_enabled()):
            anomaly_mode._switch(*anomalies)
        graph._pairs[:], state.packer = pairs, packer

    return restore


def _processes() -> Callable[[], None]:
    """The process that workers are forked from, and the one that cleans up after them."""

    def running() -> dict[str, Any]:
        servers = {}
        for name, attribute, known in (
            ("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
            ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
        ):
            server = getattr(sys.modules.get(name), attribute, None)
            if getattr(server, known, None) is not None:
                servers[name] = server
        return servers

    before = running()

    def restore() -> None:
        for name, server in running().items():
            if name not in before:
                if (number := getattr(server, "_forkserver_pid", None)) is not None:
                    os.kill(number, signal.SIGTERM)  # it may be importing, and would only look after that
                server._stop()  # as Python's own tests do: it has no public name

    return restore


KEEPERS = (_signals, _system, _interpreter, _logging, _numbers, _processes)
