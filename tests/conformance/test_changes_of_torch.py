"""What changed from one torch to the next: the table in `minigrad/compat/versions.py`, and a program for each row.

`changes/NAME.py` shows the row NAME; its texts, one for each version of torch, are written down by `texts.py`, and
`test_programs_of_torch.py` compares them with what the engines print.
"""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from texts import CHANGES, HERE, KNOWN, SHOWN, path_of, text_of, write_texts

import minigrad
from minigrad.compat import versions

ROOT = HERE.parents[1]
ROWS = versions.CHANGES


def test_the_text_changes_where_the_row_says() -> None:
    for name, row in ROWS.items():
        program = CHANGES / f"{name}.py"
        for before, after in itertools.pairwise(KNOWN):
            differ = text_of(program, before) != text_of(program, after)
            assert differ == (row.holds(before) != row.holds(after)), name
        assert not row.holds(KNOWN[0]) and row.says(KNOWN[0]) == row.before, name
        assert row.says(row.since) == row.after != row.before, name


def test_every_row_has_a_program_and_every_program_a_row() -> None:
    assert sorted(ROWS) == [path.stem for path in SHOWN]
    assert all(row.name == name for name, row in ROWS.items())


def test_operations_ask_for_the_rows_and_know_no_version() -> None:
    asked = set()
    for path in (ROOT / "minigrad").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"""\b(?:changed|refusal)\("(\w+)"\)""", text)
        if path.name != "versions.py":
            asked.update(names)
    assert asked == {name for name, row in ROWS.items() if row.asked}


def test_the_page_is_up_to_date() -> None:
    asked = [sys.executable, "docs/changes.py", "--check"]
    ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    page = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    for row in ROWS.values():
        assert page.count(f"\n({row.anchor})=\n") == 1 and page.count(f"(#{row.anchor})") == 1


def test_a_text_is_written_where_it_differs_from_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def written() -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(tmp_path.glob("*.out"))}

    program = tmp_path / "it.py"
    assert write_texts(program, {"2": "a"}, ["1", "2", "3"]) == 1
    assert written() == {"it.out": "a"}  # nothing else is known of 1
    assert write_texts(program, {"3": "b"}, ["1", "2", "3"]) == 1
    assert written() == {"it.3.out": "b", "it.out": "a"}
    assert "it.py, torch 3" in (said := capsys.readouterr().out) and "-a" in said and "+b" in said
    assert write_texts(program, {"2": "b", "3": "a"}, ["1", "2", "3"]) == 2
    assert written() == {"it.2.out": "b", "it.3.out": "a", "it.out": "a"}
    assert write_texts(program, {"1": "a", "2": "a"}, ["1", "2", "3"]) == 1
    assert written() == {"it.out": "a"} and path_of(program, "3", ["1", "2", "3"]) == program.with_suffix(".out")


def test_an_engine_says_which_version_it_speaks() -> None:
    before = versions.spoken, versions.said
    try:
        for version in KNOWN:
            for asked, said in (("", f"{version}.0"), (f"{version}.1", f"{version}.1")):
                versions.speak(version, asked)
                assert minigrad.__version__ == f"{said}+minigrad"
    finally:
        versions.speak(*before)
    environment = {"MINIGRAD_TORCH": f"{KNOWN[1]}.2+cpu", "PATH": "/bin"}
    command = [sys.executable, "-c", "import minigrad; print(minigrad.__version__)"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == f"{KNOWN[1]}.2+minigrad\n"


def test_it_is_the_version_of_the_torch_that_is_here() -> None:
    import torch

    assert versions.installed() == torch.__version__
    assert minigrad.__version__ == f"{torch.__version__.partition('+')[0]}+minigrad"


def test_the_version_is_read_without_importing_torch(tmp_path: Path) -> None:
    assert versions.installed([str(tmp_path), "", "/no/such/folder"]) is None
    (tmp_path / "torch").mkdir()
    assert versions.installed([str(tmp_path)]) is None  # a folder of that name, but no torch
    (tmp_path / "torch" / "version.py").write_text("debug = False\n__version__ = '2.14.1+cpu'\n", encoding="utf-8")
    assert versions.installed([str(tmp_path)]) == "2.14.1+cpu"
    program = "import sys, minigrad; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


def test_which_version_is_spoken() -> None:
    wanted = versions.wanted
    assert wanted({}, "2.14.0.dev20260801+cpu") == ("2.14", "")
    assert wanted({}, None) == (KNOWN[-1], "")
    assert wanted({"MINIGRAD_TORCH": ""}, "2.13.0") == ("2.13", "")
    assert wanted({"MINIGRAD_TORCH": "2.14"}, "2.15.0") == ("2.14", "")
    said = "minigrad does not know torch {}: it speaks {}, so a few of their outputs may differ."
    assert wanted({}, "2.99.0a0+git") == (KNOWN[-1], said.format("2.99.0a0+git", KNOWN[-1]))
    assert wanted({}, "2.9.1") == (KNOWN[0], said.format("2.9.1", KNOWN[0]))
    with pytest.raises(
        ImportError, match=r"MINIGRAD_TORCH is '2\.9', but minigrad speaks torch 2\.13, 2\.14 and 2\.15"
    ):
        wanted({"MINIGRAD_TORCH": "2.9"}, "2.15.0")
    with pytest.raises(ValueError, match=r"2\.9 is not one of 2\.13"):
        versions.speak("2.9")
    with pytest.raises(KeyError):
        versions.changed("no_such_row")


def test_a_row_is_found_by_topic() -> None:
    row, sentence = versions.row("2.14", "ClampBackward1") or pytest.fail("there is no row")
    assert row.name == "clamp_number_bound" and sentence == row.after
    assert versions.row("2.13", "clamp") == (row, row.before)
    assert versions.row("2.15", "no_such_function") is None
