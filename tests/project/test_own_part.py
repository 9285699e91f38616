"""The walk of docs/maintaining/parts.md: `tanh` becomes a part, word for word, in a copy of the course."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import compiled
import nbformat
import preloaded
from test_readme import FENCE, shows
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.texts.source import PLACE

ROOT = Path(__file__).parents[2]
WALK = (ROOT / "docs" / "maintaining" / "parts.md").read_text(encoding="utf-8")
WALK = WALK.split("## tanh, step by step\n")[1].split("\n## ")[0]
WRITE = re.compile(r"^.*\bWRITE: .*\n", re.M)
# Commands in one process, so that torch is imported once: that takes longer than they do.
PROMPT = """
import sys
from typer.testing import CliRunner
from minigrad_course.cli import app
from minigrad_course import parts
for line in sys.stdin:
    result = CliRunner().invoke(app, line.split(), env={"COLUMNS": "200"})
    print(result.stdout, result.exit_code, sep="\\0", end="\\0", flush=True)
    parts.chapters.cache_clear()
"""


class Prompt:
    """Where commands are typed, in a copy of the course."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def run(self, command: str) -> tuple[str, int]:
        """What `minigrad …` prints, and its exit status."""
        assert self.process.stdin and self.process.stdout
        print(command.removeprefix("minigrad "), file=self.process.stdin, flush=True)
        said = ""
        while said.count("\0") < 2:
            read = self.process.stdout.read(1)
            assert read, said
            said += read
        text, status, _ = said.split("\0")
        return text, int(status)


@contextlib.contextmanager
def prompt(copy: Path) -> Iterator[Prompt]:
    ours = {"PYTHONPATH": str(copy), "HOME": str(copy), "OMP_NUM_THREADS": "1"}
    command = [preloaded.python(), "-P", "-c", PROMPT]
    with subprocess.Popen(
        command, cwd=copy, env=os.environ | ours, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Prompt(process)


def answered(exercise: str, *halves: str) -> str:
    """The exercise with both halves of the answer written into it."""
    notebook, rest = nbformat.reads(exercise, 4), iter(halves)
    (cell,) = [each for each in notebook.cells if each.metadata.get("minigrad", {}).get("part") == "tanh"]
    cell.source = re.sub(rf" *{PLACE}\n *raise NotImplementedError\n?", lambda _: next(rest), cell.source)
    return nbformat.writes(notebook)


REFUSED = {
    "mul --chapter 1": "mul is a check of chapter 1 already. Choose another name.",
    "checks --chapter 1": "A part cannot be called 'checks'.",
    "Tanh --chapter 1": "A part cannot be called 'Tanh'.",
    "tanh --chapter 9": "There is no chapter 9. Choose one of 1 (scalar backward), 2 ",
    "tanh --chapter 1": "minigrad has torch.tanh already. To have students write it anew, add --replace.",
    "is_tensor --chapter 1": "torch has no operation is_tensor",
    "bernoulli --chapter 1 --replace": "minigrad has bernoulli already, and it is no operation",
}


def test_a_name_that_cannot_be_used_is_refused_with_a_sentence() -> None:
    for typed, sentence in REFUSED.items():
        result = CliRunner().invoke(app, ["new-part", *typed.split()])
        assert (result.exit_code, result.stdout) == (2, "") and sentence in result.stderr, result.output


def test_a_part_is_added_as_contributing_says(tmp_path: Path) -> None:
    compiled.copy(tmp_path)
    for name in ("lessons/source", "solutions/source"):
        shutil.copytree(ROOT / name, tmp_path / name)
    blocks = FENCE.findall(WALK)
    steps = [text.removeprefix("$ ").partition("\n") for kind, text in blocks if kind == "console"]
    (begin, _, begun), (build, _, built), (check, _, wrong), (_, _, right) = steps
    written = [text for kind, text in blocks if kind != "console"]

    with prompt(tmp_path) as before:
        assert before.run(begin) == (begun, 0)
        refused, status = before.run(build)
        assert "tanh/section.md, line 7 is still to be written: what the operation computes" in refused and status == 1
        assert before.run(begin)[1] == 2  # the name is taken now
    for file, texts in (("section.md", written[:3]), ("__init__.py", written[3:])):
        path, rest = tmp_path / "minigrad_course/parts/scalar_backward/tanh" / file, iter(texts)
        path.write_text(WRITE.sub(lambda _, rest=rest: next(rest), path.read_text()), encoding="utf-8")
        assert next(rest, None) is None and "WRITE" not in path.read_text()

    with prompt(tmp_path) as after:
        assert after.run(build) == (built, 0)
        forward, backward = written[1:3]
        exercise = tmp_path / "exercises" / "01_scalar_backward.ipynb"
        open_one = exercise.read_text()
        exercise.write_text(answered(open_one, forward, backward.replace("grad_output * ", "")))
        text, status = after.run(check)
        assert status == 1 and shows(wrong, text), text
        exercise.write_text(answered(open_one, forward, backward))
        text, status = after.run(check)
        assert status == 0 and shows(right, text), text
