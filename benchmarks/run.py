"""Time minigrad beside hand-written numpy, torch and other engines: `python benchmarks/run.py`.

Each engine runs in a process of its own, with one thread for linear algebra. The engines take turns, so that
whatever else the machine does hits all of them; what is shown are ratios of medians from the same run.
The other engines are installed by `pip install -e '.[bench]'`; what is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from races import CHAIN, CHAINS, ENGINES, LONG_CHAIN, WORKLOADS
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

HERE = Path(__file__).parent
WORKER = HERE / "worker.py"
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}
NOTHING = "—"


@dataclass
class Row:
    """One line of the report: a cell for each engine, the time that counts as 1, and what minigrad is to reach."""

    name: str
    title: str
    cells: dict[str, str] = field(default_factory=dict)
    unit: str = ""
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Race:
    """A workload, the engine whose time is 1, and minigrad's goal as the largest multiple of others' times."""

    workload: str
    title: str
    base: str
    goal: dict[str, float]
    repeats: int | None = None  # where the usual number would take too long


RACES = [
    Race("classifier", "MLP 64-128-10, batch 128, cross-entropy, SGD step", "numpy", {"numpy": 1.5, "torch": 1}),
    Race("regression", "MLP 2-16-16-1, 100 points, squared error, SGD step", "numpy", {"numpy": 2.5, "torch": 1}),
    Race("scalars", "x*y + w on three scalars, forward and backward", "torch", {"torch": 0.5}),
    Race("chain", f"chain of {CHAIN:,} scalar multiplications, forward, backward, freed", "torch", {"torch": 1}),
]
LONG_RACE = Race("long chain", f"chain of {LONG_CHAIN:,} scalar multiplications", "torch", {"torch": 1}, repeats=3)
IMPORT_GOAL = 0.020  # seconds beyond numpy's own import


@dataclass(frozen=True)
class Effort:
    """How much is measured. `batch` and `limit` are seconds."""

    repeats: int
    batch: float
    imports: int
    memory: int
    limit: float = 120


FULL = Effort(repeats=15, batch=0.1, imports=21, memory=1_000_000)
QUICK = Effort(repeats=5, batch=0.02, imports=3, memory=100_000)
# Objects of several kilobytes each: at full length the peers would need gigabytes.
PEERS_MEMORY = 100_000


class Failed(Exception):
    """A process did not answer, or answered that it cannot do the work; the text says why."""


class Worker:
    """One engine's process."""

    def __init__(self, *arguments: str, limit: float):
        self.limit = limit
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **ONE_THREAD},
        )

    def ask(self, question: str = "") -> dict[str, Any]:
        """Its next answer. Failed if there is none within the time limit, or if it says why it has none."""
        assert self.process.stdin and self.process.stdout and self.process.stderr
        timer = threading.Timer(self.limit, self.process.kill)
        timer.start()
        try:
            if question:
                self.process.stdin.write(f"{question}\n")
                self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            last = self.process.stderr.read().strip().splitlines()[-1:]
            raise Failed(last[0] if last else f"no answer within {self.limit:g} s")
        answer = json.loads(line)
        if "missing" in answer:
            raise Failed(answer["missing"])
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


class Bench:
    """Measures, and keeps a note of every cell that stays empty."""

    def __init__(self, effort: Effort, progress: Progress):
        self.effort = effort
        self.progress = progress
        self.notes: list[str] = []

    def note(self, name: str, engine: str, reason: object) -> str:
        """Keep the reason why a cell is empty."""
        self.notes.append(f"{name}, {engine}: {reason}")
        return NOTHING

    def medians(self, race: Race) -> dict[str, float]:
        """Seconds per step of each engine that can do the work."""
        workers: dict[str, Worker] = {}
        seconds: dict[str, list[float]] = {}
        steps: dict[str, int] = {}
        repeats = race.repeats or self.effort.repeats
        task = self.progress.add_task(race.workload, total=repeats + 1)
        try:
            for engine in WORKLOADS[race.workload]:
                workers[engine] = Worker("time", race.workload, engine, limit=self.effort.limit)
                try:
                    workers[engine].ask()
                    once = workers[engine].ask("1")["seconds"]
                except Failed as reason:
                    self.note(race.workload, engine, reason)
                    continue
                steps[engine] = max(1, round(self.effort.batch / once))
                seconds[engine] = []
            self.progress.advance(task)
            for count in range(repeats):
                for engine in turned(list(seconds), count):
                    try:
                        seconds[engine].append(workers[engine].ask(str(steps[engine]))["seconds"])
                    except Failed as reason:
                        del seconds[engine]
                        self.note(race.workload, engine, reason)
                self.progress.advance(task)
        finally:
            for worker in workers.values():
                worker.end()
        return {engine: statistics.median(each) for engine, each in seconds.items()}

    def raced(self, race: Race) -> Row:
        """The row of a workload."""
        medians = self.medians(race)
        row = Row(
            race.workload, race.title, goal=", ".join(f"≤ {limit:g} × {engine}" for engine, limit in race.goal.items())
        )
        for engine in ENGINES:
            if engine not in medians:
                row.cells[engine] = NOTHING
            elif race.base not in medians:
                row.cells[engine] = duration(medians[engine])
            else:
                row.cells[engine] = multiple(medians[engine] / medians[race.base])
        if race.base in medians:
            row.unit = duration(medians[race.base])
        if {"minigrad", *race.goal} <= set(medians):
            row.met = all(medians["minigrad"] <= limit * medians[engine] for engine, limit in race.goal.items())
        return row

    def imported(self) -> Row:
        """The row of import times, in fresh processes."""
        seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
        task = self.progress.add_task("import", total=self.effort.imports)
        for count in range(self.effort.imports):
            for engine in turned(list(seconds), count):
                try:
                    seconds[engine].append(import_time(ENGINES[engine]))
                except Failed as reason:
                    del seconds[engine]
                    self.note("import", engine, reason)
            self.progress.advance(task)
        medians = {engine: statistics.median(each) for engine, each in seconds.items()}
        row = Row("import", "import, in a fresh process", goal=f"≤ numpy + {1000 * IMPORT_GOAL:g} ms")
        row.cells = {engine: duration(medians[engine]) if engine in medians else NOTHING for engine in ENGINES}
        row.met = medians["minigrad"] <= medians["numpy"] + IMPORT_GOAL
        return row

    def remembered(self) -> Row:
        """The row of memory: what a recorded operation keeps."""
        fewer = min(PEERS_MEMORY, self.effort.memory)
        row = Row("bytes", f"bytes kept per recorded operation, of {self.effort.memory:,} (others {fewer:,})")
        for engine in self.progress.track(CHAINS, description="memory"):
            if engine == "numpy":
                continue  # it records nothing
            length = self.effort.memory if engine in ("minigrad", "torch") else fewer
            row.cells[engine] = self.once(row.name, engine, "bytes", "memory", engine, str(length))
        return row

    def left(self, race: Race) -> Row:
        """The row of garbage: what only the cyclic collector would free."""
        title = f"objects left to the garbage collector by ten steps of {race.title.partition(',')[0]}"
        row = Row(f"garbage, {race.workload}", title, goal="0")
        for engine in self.progress.track(WORKLOADS[race.workload], description="garbage"):
            row.cells[engine] = self.once(row.name, engine, "objects", "garbage", race.workload, engine)
        row.met = None if row.cells["minigrad"] == NOTHING else row.cells["minigrad"] == "0"
        return row

    def once(self, name: str, engine: str, what: str, *arguments: str) -> str:
        """One number that a worker answers."""
        worker = Worker(*arguments, limit=self.effort.limit)
        try:
            return f"{worker.ask()[what]:,.0f}"
        except Failed as reason:
            return self.note(name, engine, reason)
        finally:
            worker.end()


def turned(engines: list[str], count: int) -> list[str]:
    """The engines in another order each time, so that none always follows the same one."""
    start = count % max(1, len(engines))
    return engines[start:] + engines[:start]


def import_time(package: str) -> float:
    """Seconds that an import takes in a fresh process."""
    program = f"import time; begun = time.perf_counter(); import {package}; print(time.perf_counter() - begun)"
    environment = {**os.environ, **ONE_THREAD}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have theirs
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=HERE,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise Failed(done.stderr.strip().splitlines()[-1])
    return float(done.stdout)


def multiple(ratio: float) -> str:
    """Three digits of a ratio: 0.89, 12.3, 1,240."""
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"


def duration(seconds: float) -> str:
    """1.23 ms."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


# --- the report ----------------------------------------------------------------------------------

TITLES = [{"numpy": "numpy by hand"}.get(engine, engine) for engine in ENGINES]
WORDS = {True: "yes", False: "no", None: ""}


def cells_of(row: Row) -> list[str]:
    """A cell for each engine."""
    return [row.cells.get(engine, NOTHING) for engine in ENGINES]


def markdown(rows: list[Row]) -> str:
    """The report as a table for a README."""
    lines = [
        ["what", *TITLES, "1 is", "goal", "met"],
        ["---", *("---:" for _ in ENGINES), "---:", "---", "---"],
        *([row.title, *cells_of(row), row.unit, row.goal, WORDS[row.met]] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def show(rows: list[Row], console: Console) -> None:
    """The report for a terminal: the table, and below it what its rows are."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for engine in ENGINES:
        table.add_column(engine, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row.name, *cells_of(row))
    console.print(table)
    for row in rows:
        unit = f" 1 is {row.unit}." if row.unit else ""
        goal = f" Goal: {row.goal}." if row.goal else ""
        met = {True: " Met.", False: " Not met.", None: ""}[row.met]
        style = "red" if row.met is False else ""
        console.print(f"{row.name}: {row.title}.{unit}{goal}{met}", style=style, highlight=False, soft_wrap=True)


def facts(effort: Effort) -> str:
    """The machine and the versions, in a line."""
    versions = [f"{engine} {release}" for engine in ENGINES if (release := release_of(engine))]
    return f"{facts_of_machine()}; {', '.join(versions)}. One thread, median of {effort.repeats} turns."


def facts_of_machine() -> str:
    """The machine and its Python."""
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def release_of(engine: str) -> str | None:
    """The installed version of an engine, minigrad's being that of the course."""
    try:
        return version({"minigrad": "minigrad-course"}.get(engine, engine))
    except PackageNotFoundError:
        return None


def processor() -> str:
    """The name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description="Time minigrad beside numpy, torch and other engines.")
    names = [race.workload for race in [*RACES, LONG_RACE]]
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"only these, of: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter turns: a minute, and less precise")
    parser.add_argument("--long", action="store_true", help=f"also the chain of {LONG_CHAIN:,}: three minutes more")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    if unknown := set(options.workloads) - set(names):
        parser.error(f"no such workload: {', '.join(sorted(unknown))}")
    chosen = options.workloads or [*names[:-1], *(names[-1:] if options.long else [])]
    effort = QUICK if options.quick else FULL
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bench = Bench(effort, progress)
        rows = [bench.raced(race) for race in [*RACES, LONG_RACE] if race.workload in chosen]
        if not options.workloads:
            rows += [bench.imported(), bench.remembered(), *(bench.left(race) for race in RACES[:2])]
    said = [facts(effort), *bench.notes]
    if options.markdown:
        print(markdown(rows), *said, sep="\n\n")
        return
    console = Console()
    show(rows, console)
    for sentence in said:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
