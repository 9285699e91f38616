"""Run the programs of a folder on an engine, each in a process of its own; as a command, write down what torch says.

`programs/` asks about one thing each, and all of its programs run. `posted/` has programs as people post them; some end
in an error, and some need what minigrad has not.

    python tests/conformance/texts.py             # after a new program: make every .out anew, from torch

A process of its own, because torch gives some warnings only once in a process, and because a program may change what
others would see: the generator, the print options. One process loads the engine and is forked for each program.
"""

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).parent
FOLDER, POSTED = HERE / "programs", HERE / "posted"
PROGRAMS, POSTS = [sorted(folder.rglob("*.py")) for folder in (FOLDER, POSTED)]
SECONDS = 20  # a program that takes longer is ended


def texts(engine: str, folder: Path = FOLDER, **variables: str) -> dict[str, str]:
    """What each program of a folder prints on an engine, by its path there; warnings go to stderr and are dropped."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    command = [sys.executable, __file__, engine, folder.name]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{engine} did not start:\n{ended.stderr}")
    return json.loads(ended.stdout)


def run_all(engine: str, folder: Path) -> None:
    """Load an engine as `torch`, and print as JSON what every program of a folder says on it."""
    if engine == "minigrad":
        from minigrad.course import torch_shim  # here, so that torch's texts do not depend on it

        torch_shim.install()
    torch = importlib.import_module("torch")
    if engine == "torch":  # its first optimizer imports for a second: once here, not in each child
        torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])
    gc.freeze()  # else a collection in a child would copy all that it shares
    programs = sorted(folder.rglob("*.py"))
    print(json.dumps({path.relative_to(folder).as_posix(): said_by_child(path) for path in programs}))


def said_by_child(program: Path) -> str:
    """The text of a program, run by a copy of this process; how it ended if not as it should."""
    sys.stdout.flush()
    end, start = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(start, 1)
        signal.alarm(SECONDS)
        run(program)
        sys.stdout.flush()
        os._exit(0)
    os.close(start)
    with open(end, encoding="utf-8") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return text if status == 0 else f"{text}ended with status {status}\n"


def run(program: Path) -> None:
    """Execute a program as `__main__`. An error it does not catch is printed as Python has it, behind `!! `."""
    try:
        code = compile(program.read_text(encoding="utf-8"), program, "exec")
        exec(code, {"__name__": "__main__"})
    except Exception as error:
        print("!!", "".join(traceback.format_exception_only(error)), end="")


def write_down() -> None:
    """Write the .out of every program, from torch."""
    for folder in (FOLDER, POSTED):
        for name, text in texts("torch", folder).items():
            (folder / name).with_suffix(".out").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        run_all(sys.argv[1], HERE / sys.argv[2])
    else:
        write_down()
