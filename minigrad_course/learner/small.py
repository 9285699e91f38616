"""A student's own engine in one file: their parts as they wrote them, and the glue that connects them.

The file is `one_file/engine.py` with their lines in its slots, and our solutions in those that they leave open. It
needs numpy and nothing else. A part belongs in it if the programs of `one_file/programs.py` print with it what they
print with ours.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigrad_course.chapters import train_spirals
from minigrad_course.checks.exercise import Outcome, judged
from minigrad_course.checks.modules import Answer, Module, first_line, target
from minigrad_course.checks.myparts import Row, Table, engine_parts
from minigrad_course.checks.verdicts import SECONDS, SEED
from minigrad_course.learner import mine
from minigrad_course.learner.one_file.programs import PROGRAMS
from minigrad_course.notebooks import renewal
from minigrad_course.parts import Chapter, Part, chapters
from minigrad_course.programs import program
from minigrad_course.programs.problems import named
from minigrad_course.texts import source

FILE = "my_engine.py"
GLUE = Path(__file__).parent / "one_file" / "engine.py"
# what the exercises import, and what it is called in the file
NAMES = {
    "minigrad": "minigrad",
    "minigrad.scalar.Function": "Function",
    "minigrad.tensor.Tensor": "Tensor",
    "minigrad.recording.record": "record",
    "minigrad.compat.checks": "checks",
    "minigrad.graph.hooks": "hooks",
    **{f"minigrad.{name}": name for name in ("scalar", "upstream", "jacobian", "leaf")},
}
SLOT = re.compile(r"^# the part (\w+)$", re.M)  # in the glue: where a part goes
MARKS = re.compile(r"^@part\(.*\n|^ *### (BEGIN|END) SOLUTION\n?", re.M)  # what a solution has for its notebook
WORDS = "# --- torch's words"
STAMP = "# Written by `minigrad mine --small`, which leaves this file alone once you have changed it: "
ABOUT = '''\
"""My engine, in one file. It needs numpy and nothing else, and prints what torch prints.

    import {module} as torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    print(x.grad)  # tensor([2., 4.])

{whose} Your lines stand between `# yours: NAME` and `# end of NAME`; all others are glue:
{yours} of {lines} lines of code are yours, not counting how torch words its errors and prints its numbers, at the end.

{parts}

A node computes with arrays. In a recorded pass (`create_graph`) the same lines get tensors, and so they record
themselves. Your parts say `leaf.recording` or `record.edge`, as in the large engine: here these modules are this file.
"""
'''


@dataclasses.dataclass(frozen=True)
class Small:
    """The file: who wrote each part, and how many of its lines of code."""

    table: Table
    text: str
    yours: int
    lines: int


def parts_of(chapter: Chapter) -> list[Part]:
    """The parts of a chapter that belong in the file, also those that a later chapter replaces there."""
    slots = SLOT.findall(GLUE.read_text(encoding="utf-8"))
    there = {target(part.place) for each in chapters() for part in each.parts if part.name in slots}
    return [part for part in chapter.parts if target(part.place) in there]


def small_outcomes(folder: Path) -> Iterator[Outcome]:
    """Run the checks of all parts that belong in the file, one by one."""
    for chapter in chapters():
        if wanted := [part.name for part in parts_of(chapter)]:
            yield from judged(chapter, folder / f"{chapter.name}.ipynb", wanted)


def engine(outcomes: Sequence[Outcome], folder: Path, name: str = FILE) -> Small:
    """The file made from the outcomes of its parts; `folder` holds the exercises. Unreadable if they are gone."""
    rows, winners = mine.ranked(outcomes)
    answers, whys = mine.taken(winners, folder)
    expected = printed(text_of({}))
    alone = [*answers] if refused(answers, expected) else []
    for part in alone:
        if why := refused({part: answers[part]}, expected):
            whys[part] = f"it passes its check, but not in one file: {why}"
            del answers[part]
    while answers and (why := refused(answers, expected)):  # together they differ: the last one gives way
        part, _ = answers.popitem()
        whys[part] = f"it passes alone, but not together with your other parts: {why}"
    return written(answers, mine.table_of(rows, whys), name)


def text_of(answers: Mapping[str, Answer]) -> str:
    """The file with these answers in it, and our solutions elsewhere."""
    module = Module("my_engine", SLOT.sub(solution, GLUE.read_text(encoding="utf-8")))
    module.origins.update({name: origin for origin, name in NAMES.items()})
    module.put([*answers.values()])
    return module.text


def solution(slot: re.Match[str]) -> str:
    """Our own lines for the part that a slot names."""
    cells = (cell for chapter in chapters() for cell in source.read("solutions", chapter.name).cells)
    text = next(cell.source for cell in cells if cell.role == "answer" and cell.part == slot[1])
    return MARKS.sub("", text).rstrip("\n")


# --- does it work? -------------------------------------------------------------------------------


@contextlib.contextmanager
def loaded(text: str) -> Iterator[types.ModuleType]:
    """The engine as a module while the block runs."""
    module = types.ModuleType("my_engine")
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, FILE, "exec"), vars(module))
        yield module
    finally:
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before


def printed(text: str) -> dict[str, str]:
    """What each program prints on the engine, and the problem that ended it, if there was one."""
    with loaded(text) as engine:
        runs = {name: program.run(lines, engine, SEED, seconds=SECONDS) for name, lines in PROGRAMS.items()}
    return {name: run.text + (run.problem.message if run.problem else "") for name, run in runs.items()}


def refused(answers: Mapping[str, Answer], expected: Mapping[str, str]) -> str:
    """Why these answers do not belong in the file; "" if they do."""
    text = text_of(answers)
    if re.search(r"^\s*(from|import) minigrad", text, re.MULTILINE):
        return "it imports something of minigrad that one file does not have"
    try:
        results = printed(text)
    except Exception as error:
        return f"it cannot be loaded: {named(error)}"
    for name, result in results.items():
        lines = zip(result.splitlines() or [""], expected[name].splitlines(), strict=False)
        if result != expected[name]:
            here, there = next(((a, b) for a, b in lines if a != b), ("", ""))
            return f"the program of {name} prints {here.strip()!r} where torch prints {there.strip()!r}"
    return ""


# --- the file ------------------------------------------------------------------------------------


def written(answers: Mapping[str, Answer], table: Table, name: str) -> Small:
    """The file with its first lines, which say whose each line is."""
    text = text_of(answers)
    body = text.split('"""', 2)[2].lstrip("\n")
    lines = code_lines(body.partition(WORDS)[0])
    spans = [(first, last) for _, first, last in mine.lines_of({FILE: body}).values()]
    yours = sum(any(first <= line <= last for first, last in spans) for line in lines)
    about = ABOUT.format(
        module=Path(name).stem,
        whose=table.summary,
        yours=yours,
        lines=len(lines),
        parts="\n".join(listed(table.rows)),
    )
    text = f"{about}\n{body}"
    return Small(table, f"{text}{STAMP}{digest(text)}\n", yours, len(lines))


def listed(rows: Iterable[Row]) -> Iterator[str]:
    """Whose each part is, a line for each owner and reason."""
    groups: dict[str, list[str]] = {}
    for item in rows:
        groups.setdefault("yours" if item.yours else f"ours ({item.why})", []).append(item.part.name)
    for whose, names in groups.items():
        yield f"- {whose}: {', '.join(names)}"
    absent = [part.name for each in chapters() for part in engine_parts(each) if part not in parts_of(each)]
    yield f"- not in this file, since only the large engine calls them: {', '.join(absent)}"


def code_lines(text: str) -> list[int]:
    """The numbers of the lines that hold code: no blank ones, comments or docstrings."""
    tree = ast.parse(text)
    others: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            others.update(range(first_line(node.body[0]), (node.body[0].end_lineno or 0) + 1))
    others.update(number for number, line in enumerate(text.split("\n"), start=1) if re.match(r"\s*(#|$)", line))
    return [number for number in range(1, text.count("\n") + 2) if number not in others]


def digest(text: str) -> str:
    """A digest of the lines of a file."""
    return mine.digest(text.encode())[:16]


def written_before(file: Path) -> str:
    """What an earlier call wrote there; "" if the file is new. Taken if it is somebody else's, or was changed since."""
    if file.is_dir():
        raise mine.Taken(f"{file} is a folder. Name a file, as in: minigrad mine --small {FILE}")
    if not file.exists():
        return ""
    text = file.read_text(encoding="utf-8", errors="replace")
    lines, stamp, rest = text.rpartition(STAMP)
    if not stamp or rest.strip() != digest(lines):
        raise mine.Taken(
            f"{file} was not written by this command, or was changed since. Nothing was written: move it away, or name "
            "another file."
        )
    return text


def write(file: Path, text: str) -> bool:
    """Write the file; False if it is there already. Taken if that would lose something, OSError if it cannot be."""
    before = written_before(file)
    if before == text:
        return False
    if before:
        renewal.replace(file, text.encode())
        return True
    file.parent.mkdir(parents=True, exist_ok=True)
    if not renewal.write_new(file, text.encode()):
        raise mine.Taken(f"{file} is in the way. Nothing was written: move it away, or name another file.")
    return True


# --- what is said of it --------------------------------------------------------------------------


def said_of(made: Small) -> Iterator[str]:
    """How much of the file is the learner's, and how it trains: two sentences."""
    share = 100 * made.yours / made.lines
    yield f"{made.yours} of its {made.lines} lines of code are yours, {share:.0f} %; the others connect them."
    with loaded(made.text) as torch:
        right = spirals(torch)
    yield f"Trained with it on two spirals, a small network gets {right:.0%} of the points right."


# --- a training ----------------------------------------------------------------------------------


def spirals(torch: Any, steps: int = 400) -> float:
    """Train a small network on two spirals with an engine; the share of the points that it gets right, from 0 to 1."""
    places, numbers = train_spirals.spirals(torch)
    points = torch.tensor(places.numpy().astype("f4"))
    arms = torch.tensor((1 - 2 * numbers.numpy()).astype("f4"))
    random = np.random.default_rng(0)
    shapes = ((2, 16), (16,), (16, 16), (16,), (16,))
    leaves = [
        torch.tensor((random.normal(size=shape) / shape[0] ** 0.5).astype("f4"), requires_grad=True) for shape in shapes
    ]
    moved = [np.zeros(shape, "f4") for shape in shapes]
    for _ in range(steps):
        scores = score(points, leaves)
        loss = ((scores * -arms).exp() + 1).log().mean()
        loss.backward()
        with torch.no_grad():
            for place, each in enumerate(leaves):
                moved[place] = 0.9 * moved[place] + each.grad.numpy()
                each -= torch.tensor(0.2 * moved[place])
                each.grad = None
    with torch.no_grad():
        return float(np.mean((score(points, leaves).numpy() > 0) == (arms.numpy() > 0)))


def score(points: Any, leaves: Sequence[Any]) -> Any:
    """Which spiral each point lies on, as the network says: positive for the first."""
    first, shift, second, other, last = leaves
    return ((points @ first + shift).tanh() @ second + other).tanh() @ last
