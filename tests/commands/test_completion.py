"""Tab completion in the shells themselves, as `minigrad --show-completion` sets it up there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import minigrad
from minigrad_course import parts
from minigrad_course.cli import SUBCOMMANDS, app
from minigrad_course.cli.learner.student import check_names, part_names

SECONDS = 60
CHAPTERS = parts.chapters()
PARTS = [part.name for chapter in CHAPTERS for part in chapter.parts]

# What is offered for the words of each line; the last word is the one being typed. zsh and bash complete only for
# somebody who sits at a terminal, so their functions are called, and zsh's own say what they were given.
BASH = """
eval "$(minigrad --show-completion bash)"
offer() { COMP_WORDS=($1) COMP_CWORD=$(( $(wc -w <<< "$1") - 1 )); _minigrad_completion minigrad; }
for line in "$@"; do echo "== $line"; offer "$line"; printf '%s\\n' "${COMPREPLY[@]}"; done
"""
ZSH = """
compdef() { }
_arguments() { print -r -- "$*" }
eval "$(minigrad --show-completion zsh)"
for line in "$@"; do print "== $line"; words=(${=line}) CURRENT=${#words}; _minigrad_completion; done
"""
FISH = """
minigrad --show-completion fish | source
for line in $argv; echo "== $line"; complete --do-complete $line; end
"""
SHELLS = {
    "bash": ["bash", "--norc", "-c", BASH, "bash"],
    "zsh": ["zsh", "-f", "-c", ZSH, "zsh"],
    "fish": ["fish", "--no-config", "-c", FISH],
}
LINE = "minigrad check ma"
OFFERED = {
    "minigrad s": sorted(name for name in SUBCOMMANDS if name.startswith("s")),
    LINE: sorted(name for name in PARTS if name.startswith("ma")),
    "minigrad check --a": ["--all"],
}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_the_names_of_parts(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here: on Debian or Ubuntu, apt install {shell}")
    own = tmp_path / "minigrad"
    own.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m minigrad_course "$@"\n')
    own.chmod(0o755)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([str(tmp_path), os.environ["PATH"]]),
        "PYTHONPATH": str(Path(minigrad.__file__).parents[1]),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",  # the shell is the one that is named
    }
    ended = subprocess.run(
        [*SHELLS[shell], LINE],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    assert ended.stderr == ""
    offered = dict(each.split("\n", 1) for each in ended.stdout.split("== ")[1:])
    word = {"bash": r"^(\S+)$", "zsh": r'"([^"]+)":"', "fish": r"^([^\t]+)"}[shell]
    assert {line: sorted(re.findall(word, text, re.M)) for line, text in offered.items()} == {LINE: OFFERED[LINE]}


def test_commands_parts_and_options_are_offered() -> None:
    """To whatever asks as the functions of a shell do."""
    asks = {"_MINIGRAD_COMPLETE": "complete_bash", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    offered = {}
    for line in OFFERED:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        done = CliRunner().invoke(app, prog_name="minigrad", env=asks | words)
        offered[line] = sorted(done.stdout.split())
    assert offered == OFFERED


def test_each_name_is_completed_with_what_it_is() -> None:
    assert ("mul", "chapter 1, about 4 minutes") in part_names("m")
    assert {name for name, _ in check_names("")} == {
        name for chapter in CHAPTERS for name in (*chapter.checks, str(chapter.number), chapter.name)
    }


def test_the_completion_of_another_shell_can_be_asked_for(tmp_path: Path) -> None:
    def minigrad(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments, prog_name="minigrad", env={"HOME": str(tmp_path)})

    assert minigrad("--show-completion", "fish").stdout.startswith("complete --command minigrad ")
    assert minigrad("--show-completion", "zsh").stdout.startswith("#compdef minigrad\n")
    done = minigrad("--install-completion", "fish")
    assert done.exit_code == 0
    (written,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert done.stdout == f"fish completion installed in {written}. It works in the next fish that you open.\n"
    done = minigrad("--install-completion", "tcsh")
    assert done.exit_code == 2
    assert done.stderr.startswith("--install-completion: there is none for 'tcsh', but for bash, zsh, ")
