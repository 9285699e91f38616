"""A worker of pytest-xdist that dies ends the run: with the name of its test, and without what it has left behind.

pytest-xdist 3.8 would replace it. Under `--dist loadfile` the new worker gets one file, waits with the last test of it
for another, and nobody hands out that other one any more: the run never ends.
"""

from __future__ import annotations

import signal
import subprocess
import threading
from typing import Any

import processes
import pytest

WAIT = 5.0  # seconds within which the end of a process is noticed by whoever reads from it


class LostWorkers:
    """What the process that hands out the tests knows of its workers."""

    def __init__(self) -> None:
        processes.mark()
        self.nodes: list[Any] = []
        self.running: list[str] = []
        self.last: dict[Any, str] = {}
        self.lost = False
        self.done = threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)

    def watch(self) -> None:
        """A child that a worker forked keeps its pipe open, so that nobody would notice that the worker has ended."""
        while not self.done.wait(1.0):
            if any(ended(node) and not node._down for node in self.nodes) and not self.done.wait(WAIT):
                processes.end(processes.orphans())

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Watch the workers from the first on."""
        if not self.nodes:
            self.watcher.start()
        self.nodes.append(node)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Remember what is running."""
        self.running.append(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Forget it."""
        if nodeid in self.running:
            self.running.remove(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Remember the last test of each worker."""
        if hasattr(report, "node"):
            self.last[report.node] = report.nodeid

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """End the run at the first death, with the test of each worker that has died."""
        if not error:
            return
        self.lost = True
        session = node.config.pluginmanager.getplugin("dsession")
        session.triggershutdown()  # no other worker gets what this one had
        dead = [node, *(other for other in self.nodes if other is not node and ended(other) and not other._down)]
        while not session.queue.empty():
            event, arguments = session.queue.get()
            if event in ("logstart", "testreport", "logfinish"):
                getattr(session, f"worker_{event}")(**arguments)
        pytest.exit("\n".join(self.told(one, session) for one in dead), returncode=1)

    def told(self, node: Any, session: Any) -> str:
        """Report the test that a dead worker was running, and say what to do."""
        last = self.last.get(node)
        try:
            test = session.sched.remove_node(node)
        except KeyError:  # it had not come as far as to collect
            test = None
        if test in self.running:
            session.handle_crashitem(test, node)
            return f"{death(node)} while it ran {test}. Run that test alone to see why: python -m pytest '{test}'"
        if last is None:
            return (
                f"{death(node)} before its first test. Collect the tests in one process to see why: "
                "python -m pytest --collect-only -q"
            )
        return (
            f"{death(node)} between two tests, the last of which was {last}. Look for what that one leaves behind: "
            f"python -m pytest '{last.partition('::')[0]}'"
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Any:
        """End what dead workers have left."""
        self.done.set()
        result = yield
        if self.lost:
            processes.end(processes.orphans())
        return result

    def terminated(self, *_: object) -> None:
        """Handle SIGTERM: say what was running."""
        self.lost = True
        pytest.exit("Stopped from outside while these ran: " + (", ".join(self.running) or "no test"), returncode=1)


def ended(node: Any) -> bool:
    """True if the process of a worker has ended."""
    return node.gateway._io.popen.poll() is not None


def death(node: Any) -> str:
    """How a worker has ended."""
    try:
        status = node.gateway._io.popen.wait(WAIT)
    except subprocess.TimeoutExpired:
        return f"Worker {node.gateway.id} no longer answered"
    how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    return f"Worker {node.gateway.id} {how}"


def watch_over(config: pytest.Config) -> None:
    """Register this in the process that hands out the tests, or that runs them all."""
    if hasattr(config, "workerinput"):
        return
    lost = LostWorkers()
    config.pluginmanager.register(lost)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lost.terminated)
