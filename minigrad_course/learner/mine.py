"""A student's own engine, as a package: our engine, with the student's code wherever it passes its check.

It has its own name and does not need the course. A file next to it records what was written, so that a later call can
update the folder, or leave it alone once somebody has edited it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import minigrad
from minigrad import parts
from minigrad_course.chapters import train_spirals
from minigrad_course.checks.exercise import Outcome
from minigrad_course.checks.modules import BEGIN, END, Answer, Lost, Module, answer_in, engine_files
from minigrad_course.checks.myparts import Row, Table, engine_parts, objection, overruled, row
from minigrad_course.notebooks import renewal
from minigrad_course.parts import Chapter, Part, chapters
from minigrad_course.programs.problems import named
from minigrad_course.texts import source
from minigrad_course.texts.submitted import answers_in

NAME = "myengine"
FOLDER = "my-engine"
SCRIPT = "train_spirals.py"
README = "README.md"
WRITTEN = ".written.json"  # for each file, the digests of its allowed contents
OURS = "minigrad"
COURSE = "minigrad_course"
CHAPTER_FILES = ("scalar", "upstream", "jacobian", "leaf", "tensor")

ABOUT = """\
# Your engine

`{name}` is a small engine that behaves like torch. {whose}
You wrote {lines:,} of the {total:,} lines in the five chapter files. {size}
The others make it look like torch, and know what real programs need. Each of your parts follows a comment such as
`# yours: mul`. `minigrad mine --small` writes one file instead, of which more is yours.

It needs only numpy, so you can copy the folder wherever you like.

```sh
python {script}   # trains a network on two spirals and counts how often your parts run
```

```python
import {name} as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
print(x.grad)  # tensor([2., 4.])
```

## Who wrote what

| exercise | part | file | lines | whose |
|---|---|---|---|---|
{rows}
Some exercises ask for a program. Programs run on an engine and are not part of it, so these stay in your notebooks:
{programs}.

{together}## When you have written more

Run `minigrad mine` again to bring this folder up to date. It never overwrites a file that you edited.
"""
TOGETHER = """\
## What does not work together

Each of your parts passes its check on its own. With all of them together, these checks do not pass:

{reasons}
"""
BLAMED = "With our `{0}` in place of yours it passes, so look at your `{0}`"
NOT_ONE = "It does so whichever single part of yours is replaced by ours, so more than one part is to blame"


@dataclasses.dataclass(frozen=True)
class Engine:
    """A package: who wrote each part, and the text of each file by path. apart: parts that only work alone, and why."""

    table: Table
    files: dict[str, str]
    apart: dict[str, str]


def engine(outcomes: Sequence[Outcome], folder: Path) -> Engine:
    """Build the engine from the outcomes of all its parts; `folder` holds the exercises. Unreadable if they are gone.

    Each answer must pass its check once more in its new place.
    """
    rows, winners = ranked(outcomes)
    answers, whys = taken(winners, folder)
    passed = {outcome.check: outcome for outcome in outcomes}
    with tempfile.TemporaryDirectory() as place:
        refused = functools.partial(refused_in, Path(place), passed)
        together, all_of_them = refused(answers), len(answers)
        for part, why in together.items():
            if why and (alone := refused({part: answers[part]})[part]):
                whys[part] = f"it passes in your notebook, but not in this file: {alone}"
                del answers[part]
        if len(answers) < all_of_them:
            together = refused(answers)
        apart = blamed(answers, {part: why for part, why in together.items() if why}, refused)
    files = package(answers, passed)
    table = table_of(rows, whys)
    script = in_its_name(inspect.getsource(train_spirals))
    return Engine(table, {README: readme(table, files, apart), SCRIPT: script, **licence(), **files}, apart)


def ranked(outcomes: Sequence[Outcome]) -> tuple[list[Row], list[Row]]:
    """A row for each outcome, and those whose answers are taken: of two in one spot, the later one."""
    rows = [row(outcome) for outcome in outcomes]
    winners = {item.spot: item for item in rows if item.yours}
    return [overruled(item, winners) for item in rows], [*winners.values()]


def table_of(rows: Iterable[Row], whys: Mapping[str, str]) -> Table:
    """The table of the rows; ours are those that `whys` has a reason for."""
    return Table(
        tuple(
            dataclasses.replace(item, yours=False, why=whys[item.part.name]) if item.part.name in whys else item
            for item in rows
        )
    )


def licence() -> dict[str, str]:
    """The licence that allows copying our lines: next to the package in a clone, else where pip puts it."""
    root = Path(minigrad.__file__).parents[1]
    result = [root / "LICENSE"] if source.is_clone() else root.glob("minigrad_course-*.dist-info/licenses/LICENSE")
    return {file.name: file.read_text(encoding="utf-8") for file in result}


def taken(rows: Iterable[Row], folder: Path) -> tuple[dict[str, Answer], dict[str, str]]:
    """The answers to some parts with everything they need, and a reason for each that cannot be extracted."""
    answers, whys = {}, {}
    cells: dict[str, tuple[dict[str, str], str]] = {}
    for item in rows:
        chapter, part = item.chapter, item.part
        if chapter.name not in cells:
            cells[chapter.name] = cells_of(chapter, folder)
        place = dataclasses.replace(part.place, module=home(chapter, part))
        try:
            answers[part.name] = answer_in(part.name, place, *cells[chapter.name])
        except Lost as error:
            whys[part.name] = str(error)
    return answers, whys


def cells_of(chapter: Chapter, folder: Path) -> tuple[dict[str, str], str]:
    """The cell that answers each part of a chapter, and the setup cell they share."""
    sources = answers_in(folder / f"{chapter.name}.ipynb", source.notebook("exercises", chapter.name))
    setup = [cell.source for cell in source.read("solutions", chapter.name).cells if cell.role == "setup"]
    return sources, "\n".join(setup)


def home(chapter: Chapter, part: Part) -> str:
    """The module of a part: for a new operation, the one with most parts of its chapter."""
    if part.place.kind == "engine":
        return part.place.module
    modules = Counter(part.place.module for part in engine_parts(chapter) if part.place.kind == "engine")
    return modules.most_common(1)[0][0]


# --- the package ---------------------------------------------------------------------------------


def package(answers: Mapping[str, Answer], passed: Mapping[str, Outcome]) -> dict[str, str]:
    """The text of each module by path, with the answers inserted."""
    folder = Path(minigrad.__file__).parent
    files = {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in engine_files(folder)}
    for name in {answer.place.module for answer in answers.values()}:
        path = f"{name.removeprefix(f'{OURS}.').replace('.', '/')}.py"
        module = Module(name, files[path])
        module.put([answer for answer in answers.values() if answer.place.module == name])
        files[path] = module.text
    files["__init__.py"] += seams(answers, passed)
    return {f"{NAME}/{path}": in_its_name(text) for path, text in files.items()}


def seams(answers: Mapping[str, Answer], passed: Mapping[str, Outcome]) -> str:
    """The code the package runs once all its modules are loaded."""
    text = ""
    if new := [answer for answer in answers.values() if answer.place.kind == "operation"]:
        calls = "".join(
            f'parts.replace("{item.place.attribute}", {path_of(item)}, node="{item.place.node}", missing_ok=True)\n'
            for item in new
        )
        text += f"\n# your operations, in place of ours\nfrom {OURS} import parts\n\n{calls}"
    if nodes := sorted(path_of(answer) for answer in answers.values() if answer.place.node):
        names = "".join(f'    "{node}",\n' for node in nodes)
        text += "\n# Our operations are known to return gradients that fit; yours are checked every time.\n"
        text += f"_looked_at = {{\n{names}}}\nfastpath.EXACT -= _looked_at\nfastpath.IDLE -= _looked_at\n"
    if any(parts.is_repeated(path_of(answer)) for answer in answers.values() if answer.place.kind == "engine"):
        text += "\n# The fast path holds our lines for what is yours now, so it stands aside.\nfastpath.switch(False)\n"
    spots = "".join(f'    "{part}": "{spot(item, passed[part].answer)}",\n' for part, item in answers.items())
    spots = f"\n{spots}" if spots else ""
    return f"{text}\n# where your parts are\nYOURS: dict[str, str] = {{{spots}}}\n"


def path_of(answer: Answer) -> str:
    """Where an answer is, as "scalar.Mul"."""
    return f"{answer.place.module.removeprefix(f'{OURS}.')}.{answer.name}"


def spot(answer: Answer, found: Any) -> str:
    """The function called when a part runs, as "scalar.Mul.backward"."""
    path = path_of(answer)
    if answer.place.node:
        return f"{path}.backward"
    return f"{path}.__enter__" if hasattr(found, "__enter__") else path


def in_its_name(text: str) -> str:
    """A text with the engine's new name in it."""
    return re.sub(rf"\b{OURS}\b", NAME, text)


# --- does it work? -------------------------------------------------------------------------------


def refused_in(
    folder: Path, passed: Mapping[str, Outcome], answers: Mapping[str, Answer], only: Iterable[str] | None = None
) -> dict[str, str]:
    """For each part, why its check fails in a package with these answers; "" if it passes.

    folder: where the package is written; what an earlier one left there need not be compiled anew.
    only: the parts whose checks are run, all those with answers if None.
    """
    only = tuple(answers) if only is None else tuple(only)
    for path, text in package(answers, passed).items():
        put(folder / path, text)
    try:
        with imported(str(folder)) as engine:
            return {part: objection(engine, passed[part]) for part in only}
    except Exception as error:  # an answer may do anything when it is defined
        return dict.fromkeys(only, f"it cannot be imported: {named(error)}")


def put(file: Path, text: str) -> None:
    """Write a module, and forget what was compiled of another one in its place: both may be of one second."""
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)
    file.write_text(text, encoding="utf-8")


def blamed(
    answers: Mapping[str, Answer], apart: Mapping[str, str], refused: Callable[..., dict[str, str]]
) -> dict[str, str]:
    """The checks that fail together, each with the reason and the part that makes it fail.

    That is the part without which the check passes. They are tried one at a time, as long as a check has none.
    """
    results: dict[str, str] = {}
    for part in answers:
        if not (open_checks := apart.keys() - results.keys()):
            break
        without = {name: answer for name, answer in answers.items() if name != part}
        again = refused(without, sorted(open_checks))
        results |= {check: part for check, why in again.items() if not why}
    return {
        check: f"{why}. " + (BLAMED.format(results[check]) if check in results else NOT_ONE)
        for check, why in apart.items()
    }


@contextlib.contextmanager
def absent(name: str) -> Iterator[None]:
    """Let `import name` fail while the block runs."""
    module = sys.modules[name]
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules[name] = module


@contextlib.contextmanager
def imported(folder: str) -> Iterator[Any]:
    """Import the package in a folder while the block runs. It stands alone: the course is not there for it."""
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        with contextlib.redirect_stdout(io.StringIO()), absent(COURSE):  # a helper may print when it is defined
            engine = importlib.import_module(NAME)
        yield engine
    finally:
        sys.path.remove(folder)
        for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
            del sys.modules[name]


# --- what is said of it --------------------------------------------------------------------------


def lines_of(files: Mapping[str, str]) -> dict[str, tuple[str, int, int]]:
    """The file, first line and last line of each part in the files."""
    results = {}
    seam, end = (re.compile(item.format(r"(\w+)")) for item in (BEGIN, END))
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), start=1):
            if seam.fullmatch(line):
                first = number + 1
            elif ended := end.fullmatch(line):
                results[ended[1]] = path, first, number - 1
    return results


def readme(table: Table, files: Mapping[str, str], apart: Mapping[str, str]) -> str:
    """The README of the package: who wrote which lines."""
    places = lines_of(files)
    rows = []
    for item in table.rows:
        path, first, last = places.get(item.part.name, ("", 0, 0))
        where = [f"`{path}`", f"{first}–{last}"] if path else [f"`{NAME}/{file_of(item)}`", ""]
        says = whose(item, bool(path)).replace("|", r"\|")
        rows.append(" | ".join([f"| {item.chapter.number}", f"`{item.part.name}`", *where, says]) + " |\n")
    programs = [part.name for chapter in chapters() for part in chapter.parts if part.place.kind == "program"]
    reasons = "".join(f"- `{part}`: {why}.\n" for part, why in apart.items())
    return ABOUT.format(
        name=NAME,
        script=SCRIPT,
        whose=table.summary,
        lines=yours_in(files),
        size=said_of_size(files),
        total=sum(files[f"{NAME}/{file}.py"].count("\n") for file in CHAPTER_FILES),
        rows="".join(rows),
        programs=", ".join(f"`{program}`" for program in programs),
        together=TOGETHER.format(reasons=reasons) if reasons else "",
    )


def yours_in(files: Mapping[str, str]) -> int:
    """How many lines of the files are the learner's."""
    return sum(last - first + 1 for _, first, last in lines_of(files).values())


def said_of_size(files: Mapping[str, str]) -> str:
    """The sentence that says how large a package is, and what share of it is the learner's."""
    modules = {path: text.count("\n") for path, text in files.items() if path.startswith(f"{NAME}/")}
    lines, yours = sum(modules.values()), yours_in(files)
    return (
        f"The package has {lines:,} lines in {len(modules)} files, of which yours are {yours:,}, {yours / lines:.1%}."
    )


def whose(item: Row, there: bool) -> str:
    """Whose code is used for a part, and why, if it is ours."""
    if there:
        return "yours"
    if item.yours:
        return f"yours, but {item.why}"
    return f"ours ({item.why})"


def file_of(item: Row) -> str:
    """The file of a part inside the package."""
    return f"{home(item.chapter, item.part).removeprefix(f'{OURS}.')}.py"


# --- the folder ----------------------------------------------------------------------------------


class Taken(Exception):
    """A folder that holds other people's work; the message is the sentence to show."""


def write(folder: Path, files: Mapping[str, str]) -> bool:
    """Write the files into the folder; False if they are there already.

    Taken if that would overwrite something, OSError if it cannot be written.
    """
    known = written_before(folder)
    contents = {path: text.encode() for path, text in files.items()}
    last = {path: [digest(content)] for path, content in contents.items()}
    if known == last and all((folder / path).exists() for path in last):
        return False
    if others := [path for path in contents if path not in known and (folder / path).exists()]:
        raise Taken(f"{folder / others[0]} is in the way. Nothing was written: move it away, or name another folder.")
    both = {path: known.get(path, []) for path in {**known, **contents}}
    noted(folder, {path: [*before, digest(contents.get(path, b""))] for path, before in both.items()})
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if not renewal.write_new(folder / path, content):
            renewal.replace(folder / path, content)
    for path in known.keys() - contents.keys():
        (folder / path).unlink(missing_ok=True)
    noted(folder, last)
    return True


def written_before(folder: Path) -> dict[str, list[str]]:
    """What an earlier call wrote to a folder. Taken if it was edited since, or if the folder holds anything else."""
    if not folder.exists():
        return {}
    if not folder.is_dir():
        raise Taken(f"{folder} is a file. Name a folder.")
    try:
        known = json.loads((folder / WRITTEN).read_text(encoding="utf-8"))
        known = {str(path): [str(item) for item in digests] for path, digests in known.items()}
    except FileNotFoundError:
        if any(folder.iterdir()):
            raise Taken(f"{folder} holds files that this command did not write. Name another folder.") from None
        return {}
    except (ValueError, AttributeError, TypeError):
        edited = [WRITTEN]
    else:
        edited = [path for path, digests in known.items() if changed(folder / path, digests)]
    if edited:
        advice = "Nothing was written: move the folder away, or name another one."
        raise Taken(f"{folder / edited[0]} was edited. {advice}")
    return known


def changed(path: Path, digests: list[str]) -> bool:
    """True if the file exists with different contents."""
    return path.exists() and digest(path.read_bytes()) not in digests


def noted(folder: Path, digests: Mapping[str, list[str]]) -> None:
    """Record the allowed contents of a folder's files."""
    folder.mkdir(parents=True, exist_ok=True)
    content = (json.dumps(digests, indent=1, sort_keys=True) + "\n").encode()
    if not renewal.write_new(folder / WRITTEN, content):
        renewal.replace(folder / WRITTEN, content)


def said_of_writing(where: Path, changed: bool) -> str:
    """The sentence that says where something was written, if it had to be."""
    return f"Written: {where}" if changed else f"Nothing has changed since it was last written: {where}"


def digest(content: bytes) -> str:
    """A digest of a file's contents."""
    return hashlib.sha256(content).hexdigest()
