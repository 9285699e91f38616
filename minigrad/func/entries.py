"""The entries of a batch, one after the other; where a rule needs all of them, each runs to that place and waits.

Each entry that has to wait does so in a thread of its own. Only one of them ever runs: the turn goes from entry to
entry, and with it the engine's state. Programs without such a rule get no threads.
Mirrors https://docs.pytorch.org/docs/stable/notes/extending.func.html#defining-the-vmap-staticmethod
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Over(BaseException):
    """Ends an entry that nobody waits for any more."""


class Again(BaseException):
    """Begins an entry of `entries` again."""

    def __init__(self, entries: Entries):
        self.entries = entries


class Entries:
    """Runs `call(k)` for each of `count` entries. `switch(state)` puts a state in place, and `now()` gives the present
    one; `begin` comes before each entry.
    """

    def __init__(self, count: int, call: Callable, begin: Callable, now: Callable, switch: Callable):
        self.count, self.call, self.begin, self.now, self.switch = count, call, begin, now, switch
        self.results: list = [None] * count
        self.given: list = []  # what has arrived at the place where all meet, in the order of the entries
        self.outcome: Any = None  # what they get there, or the error
        self.turns = [threading.Semaphore(0) for _ in range(count)]
        self.threads: list[threading.Thread] = []
        self.current = 0
        self.over = self.met = False
        self.failed: BaseException | None = None

    def run(self) -> list:
        """The results of all entries. Whatever one raises, the first of them raises."""
        self.start = self.now()
        try:
            self.results[0] = self._one(0)
            if not self.threads:
                self.results[1:] = [self._one(k) for k in range(1, self.count)]
            elif self.count > 1:
                self._hand_over(0, 1)
            return self.results
        finally:
            self.over = True
            for k, thread in enumerate(self.threads, start=1):
                self.turns[k].release()
                thread.join()
            self.switch(self.start)

    def meet(self, value: Any, rule: Callable[[list], list]) -> Any:
        """Called within an entry: what `rule` makes of the values of all entries, for this one."""
        k, self.met = self.current, True
        self.given.append(value)
        if len(self.given) != k + 1:
            raise RuntimeError("vmap: the entries of the batch call different Functions; minigrad cannot follow them")
        if k + 1 < self.count:
            self._hand_over(k, k + 1)
        else:
            given, self.given = self.given, []
            try:
                self.outcome = rule(given)
            except Exception as error:
                self.outcome = error
            if k:
                self._hand_over(k, 0)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome[k]

    def _one(self, k: int) -> Any:
        while True:
            self.current = k
            self.begin()
            try:
                return self.call(k)
            except Again as again:
                if again.entries is not self:
                    raise

    def _hand_over(self, here: int, there: int) -> None:
        """Let another entry run, and wait until it is the turn of this one again."""
        state = self.now()
        if there > len(self.threads):
            self.switch(self.start)
            self.threads.append(threading.Thread(target=self._in_thread, args=(there,), daemon=True))
            self.threads[-1].start()
        else:
            self.turns[there].release()
        self.turns[here].acquire()
        if self.over:
            raise Over
        if self.failed is not None:
            raise self.failed
        self.current = here
        self.switch(state)

    def _in_thread(self, k: int) -> None:
        try:
            self.results[k] = self._one(k)
            if len(self.given) > k:
                raise RuntimeError("vmap: an entry of the batch has ended where others call a Function")
        except Over:
            return
        except BaseException as error:
            self.failed = error
        after = 0 if self.failed or k + 1 == self.count else k + 1
        if after > len(self.threads):
            self.failed, after = RuntimeError("vmap: only some entries of the batch call this Function"), 0
        self.turns[after].release()
