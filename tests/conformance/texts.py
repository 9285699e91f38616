"""Run the programs of a folder on an engine; as a command, write down what torch says.

`programs/` asks about one thing each, and all of its programs run. `posted/` has programs as people post them; some end
in an error, and some need what minigrad has not. `changes/` shows the rows of `minigrad/compat/versions.py`.
`NAME.out` is what the oldest known torch prints; `NAME.2.14.out` what torch 2.14 and later ones print, where that is
something else.

    python tests/conformance/texts.py                        # after a new program: ask the torch of this Python
    make torches PYTHONS="/tmp/t214/bin/python …"            # ask those of other Pythons as well

When a text is written, its program has a process of its own, because torch gives some warnings only once in a process,
and because a program may change what others would see: the generator, the print options. To compare, one process runs
all of them, and only a program that does not print its text there is given a process of its own. Of minigrad's versions
a program runs in those in which a row that it asks for holds otherwise.
"""

import contextlib
import difflib
import functools
import gc
import importlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDERS = FOLDER, POSTED, CHANGES = HERE / "programs", HERE / "posted", HERE / "changes"
PROGRAMS, POSTS, SHOWN = [sorted(folder.rglob("*.py")) for folder in FOLDERS]
TABLE = HERE.parents[1] / "minigrad" / "compat" / "versions.py"
SECONDS = 20  # of processor time: a program that takes longer is ended
WAIT = 6  # the clock may take this many times as long, on a busy machine
ALONE = "EACH_PROGRAM_ALONE"  # the name of a variable: each program has a process of its own


@functools.cache
def table() -> Any:
    """The module of the table of versions, read by its path: another Python has no minigrad."""
    spec = importlib.util.spec_from_file_location("versions_of_torch", TABLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KNOWN = table().KNOWN


def text_of(program: Path, version: str) -> str:
    """What a known version of torch prints, as it was written down."""
    return path_of(program, version, KNOWN).read_text(encoding="utf-8")


def path_of(program: Path, version: str, known: Sequence[str]) -> Path:
    """The newest of the texts beside a program that is not of a later version."""
    for each in reversed(known[1 : known.index(version) + 1]):
        path = program.with_suffix(f".{each}.out")
        if path.exists():
            return path
    return program.with_suffix(".out")


def texts(
    engine: str, folders: Sequence[Path], python: str = sys.executable, speaks: Sequence[str] = ("",), **variables: str
) -> dict[str, dict[Path, str]]:
    """What each program of some folders prints on an engine; warnings go to stderr and are dropped.

    By the versions that minigrad speaks one after the other; "" for the one that is there.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    command = [python, __file__, engine, ",".join(speaks), *[folder.name for folder in folders]]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{engine} did not start:\n{ended.stderr}")
    found = json.loads(ended.stdout)
    return {version: {HERE / name: text for name, text in said.items()} for version, said in found.items()}


class Asked(dict):
    """Which rows of the table hold, and which of them a program has asked for."""

    def __init__(self, rows: dict[str, bool]):
        super().__init__(rows)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> bool:
        self.names.add(name)
        return super().__getitem__(name)


def run_all(engine: str, speaks: Sequence[str], folders: Sequence[Path]) -> None:
    """Load an engine as `torch`, and print as JSON what every program says on it, in every version that it speaks."""
    if engine == "minigrad":
        from minigrad_course.programs import torch_shim  # here, so that torch's texts do not depend on it

        torch_shim.install()
    torch = importlib.import_module("torch")
    if engine == "torch":  # its first optimizer imports for a second: once here, not in each child
        torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])
    gc.freeze()  # else a collection in a child would copy all that it shares
    programs = [each for folder in folders for each in sorted(folder.rglob("*.py"))]
    found: dict[str, dict[str, str]] = {version: {} for version in speaks}
    if ALONE not in os.environ:
        found = json.loads(printed_by_child(lambda: run_together(programs, speaks)) or "null") or found
    for version in speaks:
        known = version or table().known(torch.__version__.partition("+")[0])
        for program in programs:
            name = program.relative_to(HERE).as_posix()
            if ALONE in os.environ or found[version].get(name) != text_of(program, known):
                found[version][name] = printed_by_child(lambda program=program, version=version: run(program, version))
    print(json.dumps(found))


def run_together(programs: Sequence[Path], speaks: Sequence[str]) -> None:
    """Run the programs one after the other, each as if it were the first, and print as JSON what they say."""
    import torch

    start = torch.get_rng_state()
    found: dict[str, dict[str, str]] = {version: {} for version in speaks}
    for program in programs:
        name = program.relative_to(HERE).as_posix()
        asked: set[str] = set()
        for version in speaks:
            if version != speaks[0] and not differ(asked, speaks[0], version):
                found[version][name] = found[speaks[0]][name]
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                asked |= run(program, version)
            found[version][name] = printed.getvalue()
            torch.set_rng_state(start)
            torch.set_printoptions(profile="default")
            torch.set_default_dtype(torch.float32)
            torch.set_grad_enabled(True)
            torch.autograd.set_detect_anomaly(False)
    print(json.dumps(found))


def differ(asked: set[str], first: str, version: str) -> bool:
    """Whether one of the rows that a program asks for holds in one of two versions only: else it prints the same."""
    rows = table().CHANGES
    return any(rows[name].holds(first) != rows[name].holds(version) for name in asked)


def printed_by_child(work: Callable[[], object]) -> str:
    """What a copy of this process prints while it works, and how it ended if not as it should."""
    sys.stdout.flush()
    end, start = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(start, 1)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(WAIT * SECONDS)
        work()
        sys.stdout.flush()
        os._exit(0)
    os.close(start)
    with open(end, encoding="utf-8") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"{text}ended with status {status}\n" if status else text


def run(program: Path, version: str = "") -> set[str]:
    """Execute a program as `__main__`, where minigrad speaks a version; return the rows that it asks for.

    An error it does not catch is printed as Python has it, behind `!! `.
    """
    asked = Asked({})
    if version:
        from minigrad.compat import versions

        versions.speak(version)
        asked = versions._holds = Asked(versions._holds)
    try:
        code = compile(program.read_text(encoding="utf-8"), program, "exec")
        exec(code, {"__name__": "__main__"})
    except Exception as error:
        print("!!", "".join(traceback.format_exception_only(error)), end="")
    return asked.names


def write_down(pythons: Sequence[str]) -> None:
    """Write the texts of every program, from the torch of each Python, and say what has changed."""
    versions = table()
    spoken = {python: versions.known(there(python)) for python in pythons}
    for python, version in spoken.items():
        if version is None:
            sys.exit(f"{python} has torch {there(python)}: {TABLE.name} knows {', '.join(versions.KNOWN)}")
    changed = 0
    asked = {version: texts("torch", FOLDERS, python, **{ALONE: "1"})[""] for python, version in spoken.items()}
    for program in (*PROGRAMS, *POSTS, *SHOWN):
        said = {version: found[program] for version, found in asked.items()}
        changed += write_texts(program, said, versions.KNOWN)
    print(f"{', '.join(sorted(map(str, spoken.values())))}: {changed} of the texts have changed")


def write_texts(program: Path, said: dict, known: Sequence[str]) -> int:
    """Write what the given versions say beside what is known of the others; return how many texts are new."""
    before = {}
    for version in known:
        path = path_of(program, version, known)
        before[version] = path.read_text(encoding="utf-8") if path.exists() else None
    after = {**before, **said}
    first = next(each for each in after.values() if each is not None)
    last = None
    for place, version in enumerate(known):
        text = after[version] if after[version] is not None else last if last is not None else first
        path = program.with_suffix(f".{version}.out" if place else ".out")
        if text != last:
            path.write_text(text, encoding="utf-8")
        else:
            path.unlink(missing_ok=True)
        last = text
    new = [version for version, text in said.items() if text != before[version]]
    for version in new:
        lines = [(text or "").splitlines() for text in (before[version], said[version])]
        differences = list(difflib.unified_diff(*lines, lineterm="", n=0))[2:]
        print(f"{program.parent.name}/{program.name}, torch {version}", *differences[:12], sep="\n    ")
    return len(new)


def version_here() -> str:
    """The known version of the torch that is installed."""
    version = table().known(there(sys.executable))
    assert version is not None
    return version


def there(python: str) -> str:
    """The version of a Python's torch."""
    asked = [python, "-c", "import importlib.metadata as m; print(m.version('torch'))"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in ("torch", "minigrad"):
        run_all(sys.argv[1], sys.argv[2].split(","), [HERE / each for each in sys.argv[3:]])
    else:
        write_down(sys.argv[1:] or [sys.executable])
