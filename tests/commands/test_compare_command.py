"""`minigrad compare`: what counts as a difference, how it is shown, and the exit status."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from minigrad_course.cli import SUBCOMMANDS, app
from minigrad_course.cli.programs import compare as command
from minigrad_course.cli.programs.compare import ENGINES, Outcome, parting, shared

SECONDS = 60
COMPARE = [sys.executable, "-P", "-m", "minigrad_course", "compare"]
# A script that knows its engine can differ wherever a test wants it. With torch itself it would take seconds.
OURS = "import sys\nours = 'minigrad' in sys.modules\n"


def compare(folder: Path, program: str, *options: str, text: str = "") -> Result:
    """`minigrad compare script.py` in a folder, where the script is `program`, called in this process."""
    (folder / "script.py").write_text(program, encoding="utf-8")
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, ["compare", *(options or ["script.py"])], env={"COLUMNS": "80"}, input=text)
    assert done.exit_code in SUBCOMMANDS["compare"].statuses
    return done


# --- the command, on both engines ----------------------------------------------------------------


def test_engines_that_agree(tmp_path: Path) -> None:
    program = (
        "import os, random, sys, numpy, torch\nfrom beside import two\n"
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * two\ny.grad\nprint(y.grad_fn)\n"
        "print(repr(sys.stdin.read()), os.getcwd() == os.path.dirname(__file__), ' '.join({'a', 'b', 'c', 'd'}))\n"
        "print(sys.argv[1:], __name__, torch.rand(2), random.random(), numpy.random.rand())\n"
        "y.backward()\n"
    )
    (tmp_path / "beside.py").write_text("two = 2\n")
    (tmp_path / "script.py").write_text(program)
    for name in ("minigrad", "typer"):  # the command is not led astray by what lies beside the script
        (tmp_path / f"{name}.py").write_text("raise ImportError('the wrong one')\n")
    done = subprocess.run(
        [*COMPARE, "script.py", "--", "--a", "b"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "COLUMNS": "80"},
        check=False,
    )
    seeded, *table, _, verdict = done.stdout.splitlines()
    assert seeded == "Random numbers begin with seed 0 (--seed N, --no-seed)."
    assert verdict == "minigrad and torch agree: 3 lines, 1 warning; both end with RuntimeError."
    assert table[0].split() == ["both"]
    assert done.stdout.count("at 0x…>") == 1 and "'' True" in done.stdout and "['--a', 'b'] __main__" in done.stdout
    assert max(map(len, table)) <= 80
    assert not set("→≠\x1b") & set(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_line_that_differs_is_marked_and_a_caret_stands_where_it_parts(tmp_path: Path) -> None:
    program = OURS + "print('same')\nprint('tensor([1., %d.])' % (3 if ours else 2))\nprint(ours)\nprint('same')\n"
    done = compare(tmp_path, program, "--no-seed", "script.py")
    assert [line[0] for line in done.stdout.splitlines()[1:5]] == [" ", "→", "≠", " "]
    assert done.stdout.splitlines()[-4:] == [
        "Line 2 is the first to differ:",
        "  torch    | tensor([1., 2.])",
        "  minigrad | tensor([1., 3.])",
        "           |             ^",
    ]
    assert (done.exit_code, done.stderr) == (1, "")


def test_what_cannot_be_compared_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("print((1\n")
    sentences = {
        "none.py": "There is no file none.py.\n",
        ".": ". is a folder; this command takes a Python file.\n",
        "wrong.py": "wrong.py is not Python (line 1: '(' was never closed).\n",
        "-mnone": "No module named none.\n",
        "-cprint((1": "The text after -c is not Python (line 1: '(' was never closed).\n",
    }
    found = {each: compare(tmp_path, "", each) for each in sentences}
    told = {each: (done.exit_code, done.stdout, done.stderr) for each, done in found.items()}
    assert told == {each: (2, "", sentence) for each, sentence in sentences.items()}
    assert compare(tmp_path, "", "script.py", "--epochs", "3").stderr == (
        "There is no option '--epochs'. If it is the script's: minigrad compare FILE.py -- --epochs\n"
    )


@pytest.mark.parametrize("given", ["-", "-m"])
def test_a_module_and_standard_input_are_compared_like_a_file(given: str, tmp_path: Path) -> None:
    program = "import sys\nprint(sys.argv[1:], __name__, repr(sys.stdin.read()))\n"
    if given == "-":  # as a text after -c is; once with a seed, for which torch is imported
        program += "import torch\nprint(torch.rand(1))\n"
    (tmp_path / "beside.py").write_text(program)
    options = ["-"] if given == "-" else ["--no-seed", "-m", "beside"]
    done = compare(tmp_path, "", *options, "--", "--a", "b", text=program if given == "-" else "not to be read")
    assert "['--a', 'b'] __main__ ''" in done.stdout
    lines = "2 lines" if given == "-" else "1 line"
    assert done.stdout.endswith(f"minigrad and torch agree: {lines}, 0 warnings; both end normally.\n")
    assert (done.exit_code, done.stderr) == (0, "")


LACKS = OURS + "print(1)\nif ours:\n    import torch\n    torch.nn.Conv2d(1, 1, 1)\n"
ENDLESS = (
    "Neither engine finished: torch did not end within 0.5 seconds, minigrad did not end within 0.5 seconds. "
    "They had printed no line that could be compared.\n"
)
UNLIKE = {
    "import random\nprint(random.random())\n": (1, ""),  # without a seed each engine draws its own numbers
    LACKS: (2, "They cannot be compared: minigrad has no torch.nn.Conv2d (convolutions, "),
    "while True: pass\n": (2, ENDLESS),
}


def test_what_has_no_common_output_is_not_called_alike(tmp_path: Path) -> None:
    for program, (status, sentence) in UNLIKE.items():
        done = compare(tmp_path, program, "--no-seed", "--timeout", "0.5" if "while" in program else "60", "script.py")
        assert done.exit_code == status and done.stderr.startswith(sentence), (program, done.stderr)
        assert (done.stdout == "") == (status == 2) and "seed" not in done.stdout


SHARED = {
    ("", "1\n"): "They had printed no line that could be compared.",
    ("1\n2\nhal", "1\n"): "The 1 line that both had printed agrees.",
    ("1\n2\n3\n", "1\n2\n"): "The 2 lines that both had printed agree.",
    ("1\n2\n", "1\n3\n4\n"): "Line 2 is the first to differ: torch has 2, minigrad has 3.",
}


def test_of_two_that_do_not_end_the_lines_that_both_have_printed_are_compared() -> None:
    stopped = lambda engine, text: Outcome(engine, text, "", (), "was stopped")  # noqa: E731
    told = {both: shared(*map(stopped, ENGINES, both), tolerant=False) for both in SHARED}
    assert told == SHARED


def test_without_torch_there_is_nothing_to_compare_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else find(name, *rest))
    done = compare(tmp_path, "import torch\n")
    assert done.stderr == (
        "torch is not installed here, so there is nothing to compare with. To run the script: minigrad run\n"
    )
    assert (done.exit_code, done.stdout) == (2, "")


# --- running, without an engine ------------------------------------------------------------------


def outcome(program: str, seconds: float = SECONDS) -> Outcome:
    """What a Python program comes to."""
    return command.outcomes({"one": [sys.executable, "-c", program]}, seconds)[0]


ENDS = {
    "print(1)": "",
    "raise SystemExit": "",
    "raise SystemExit(3)": "exit status 3",
    "raise SystemExit('a sentence')": "exit status 1",
    "raise ValueError('no')": "ValueError: no",
    "raise ValueError('a\\n  b\\nc')": "ValueError: a\n  b\nc",
    "raise ValueError": "ValueError",
    "raise ValueError('<f at 0x7F12ab>')": "ValueError: <f at 0x…>",
    "raise RuntimeError('a\\nException raised from f (most recent call first):\\nb')": "RuntimeError: a",
    "def f(): f()\nf()": "RecursionError: maximum recursion depth exceeded",
    "try:\n    1 / 0\nexcept Exception as e:\n    raise KeyError('k') from e": "KeyError: 'k'",
    "import sys\nprint('Traceback (most recent call last):', file=sys.stderr)\nsys.exit(2)": "exit status 2",
    "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)": "was killed by SIGTERM",
}


def test_how_a_script_ended() -> None:
    commands = {program: [sys.executable, "-c", program] for program in ENDS}
    assert {each.engine: each.ended for each in command.outcomes(commands, SECONDS)} == ENDS


def test_of_a_warning_category_and_first_sentence_count() -> None:
    native = "Version 1.5 is no end. Here (Triggered internally at /some/file.cpp:12.)"
    program = (
        "import sys, warnings\nwarnings.warn('One. Two.', FutureWarning)\nwarnings.warn('No end')\n"
        f"warnings.warn({native!r})\nwarnings.warn('a <f object at 0x7f00> here')\n"
        "warnings.warn('Alone (Triggered internally at /x.cpp:1.)')\nprint('x:1: no warning', file=sys.stderr)\n"
    )
    assert outcome(program).warnings == (
        "FutureWarning: One",
        "UserWarning: No end",
        "UserWarning: Version 1.5 is no end",
        "UserWarning: a <f object at 0x…> here",
        "UserWarning: Alone",
    )


def test_output_has_a_limit_and_may_be_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome("import sys\nsys.stdout.buffer.write(b'\\xff\\r\\n')\nprint('ä…')").printed == "�\nä…\n"
    monkeypatch.setattr(command, "OUTPUT_LIMIT", 10_000)
    result = outcome("while True: print('x' * 1000)")
    assert result.stopped == "printed more than 10,000 bytes"
    assert len(result.printed) == 10_000


def test_a_script_that_does_not_end_is_killed_with_what_it_started(tmp_path: Path) -> None:
    ticking = f"import time\nwhile True:\n    open({str(tmp_path / 'ticks')!r}, 'a').write('.')\n    time.sleep(0.02)\n"
    program = (
        "import subprocess, sys\nprint('begun', flush=True)\n"
        f"subprocess.run([sys.executable, '-c', {ticking!r}], check=False)\n"
    )
    result = outcome(program, seconds=2)
    assert (result.printed, result.end) == ("begun\n", "did not end within 2 seconds")
    ticks = (tmp_path / "ticks").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "ticks").stat().st_size == ticks > 0


# --- comparing -----------------------------------------------------------------------------------


def pair(torch: dict, minigrad: dict) -> tuple[Outcome, Outcome]:
    """Two outcomes from what is special in them."""
    usual = {"printed": "", "ended": "", "warnings": ()}
    return Outcome("torch", **{**usual, **torch}), Outcome("minigrad", **{**usual, **minigrad})


PARTED: list[tuple[dict, dict, int, str]] = [
    ({"printed": "a\nb\n"}, {"printed": "a\nc\n"}, 2, "Line 2 is the first to differ"),
    ({"printed": "a\nb\n"}, {"printed": "a\n"}, 2, "Line 2 is the first to differ"),
    ({"printed": ""}, {"printed": "\n"}, 1, "Line 1 is the first to differ"),
    ({"printed": "a"}, {"printed": "a\n"}, 1, "Line 1 is the first to differ"),
    ({"printed": "1.0000\n"}, {"printed": "1.0001\n"}, 1, "Line 1 is the first to differ"),
    ({"printed": "a  b\n"}, {"printed": "a b\n"}, 1, "Line 1 is the first to differ"),
    ({"ended": "E: a"}, {"ended": "E: b"}, 0, "They print the same but end differently"),
    ({"ended": "E: a"}, {}, 0, "They print the same but end differently"),
    ({}, {"stopped": "did not end"}, 0, "They print the same but end differently"),
    (
        {"warnings": ("U: a", "U: b")},
        {"warnings": ("U: a",)},
        0,
        "They print the same and end alike, but warning 2 differs",
    ),
]


def test_where_outcomes_part() -> None:
    for torch, minigrad, *where in PARTED:
        for one, other in [(torch, minigrad), (minigrad, torch)]:
            found = parting(*pair(one, other), tolerant=False)
            assert found is not None and [found.line, found.what] == where, (one, other)
            assert found.torch != found.minigrad, (one, other)
            assert parting(*pair(one, one), tolerant=False) is None or "stopped" in one, one


ROUNDED = [
    ("0.15578842163085938", "0.15578843653202057", True),
    ("loss 0.25, [1.1920928955078125e-07]", "loss 0.25000002980232239, [1.1920930e-07]", True),
    ("1.0", "0.9999999403953552", True),
    ("0.15578842163085938", "0.15579842163085938", False),  # more than a rounding
    ("1795732196.0742", "1795732193.0481", False),  # no float32 is printed like this: the time of day
    ("1.23456789012e+300", "1.23456789912e+300", False),  # too large for a float32
    ("123456789012345678901234567890.5", "123456789012345678901234567890.6", False),  # and too long for a Decimal
    ("0.5000001", "0.5000004", False),  # no more digits than a float32 has
    ("1000000001", "1000000002", False),  # no floats
    ("0.0", "5.960464477539063e-08", False),
    ("0.15578842163085938", "-0.15578842163085938", False),
    ("a 0.15578842163085938", "b 0.15578843653202057", False),
    ("1." + "1" * 600, "1." + "1" * 601, False),  # no float
]
# The rule of the course: one in the fourth decimal, if that is asked for.
TOLERATED = [
    ("tensor([1.0000, 2.5])", "tensor([1.0001,  2.5])", True),
    ("1.0000", "1.0002", False),
    ("1.5", "1.6", False),
]


def test_a_rounding_of_item_is_no_difference_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for torch, minigrad, agree in TOLERATED:
        near = pair({"printed": f"a\n{torch}\n"}, {"printed": f"a\n{minigrad}\n"})
        assert (parting(*near, tolerant=True) is None, parting(*near, tolerant=False)) != (True, None)
        assert (parting(*near, tolerant=True) is None) == agree, (torch, minigrad)
    for torch, minigrad, agree in ROUNDED:
        theirs, ours = pair({"printed": f"a\n{torch}\n"}, {"printed": f"a\n{minigrad}\n"})
        for tolerant in (False, True):
            assert (parting(theirs, ours, tolerant) is None) == agree, (torch, minigrad, tolerant)
        if agree:
            assert command.agreement(theirs, ours).startswith(
                "minigrad and torch agree, up to rounding in float32: 2 lines,"
            )
            command.show(theirs, ours, None, False, command.Screen(width=80, color_system=None))
            assert [line[0] for line in capsys.readouterr().out.splitlines()[1:3]] == [" ", "≈"]


# --- showing -------------------------------------------------------------------------------------


def close_up(one: str | None, other: str | None, width: int = 80) -> list[str]:
    return command.close_up(command.Parting("", one, other, 1), width)


def test_a_difference_after_roundings_is_said_to_be_perhaps_one_that_grew(capsys: pytest.CaptureFixture[str]) -> None:
    lines = "1.0471534729003906\n", "1.0471535921096802\n", "2.5\n", "2.6\n"
    for theirs, ours, grown in ((0, 1, True), (0, 0, False)):
        found = pair({"printed": lines[theirs] + lines[2]}, {"printed": lines[ours] + lines[3]})
        command.show(*found, parting(*found, tolerant=False), False, command.Screen(width=80, color_system=None))
        printed = capsys.readouterr().out
        assert "→ first to differ  ≠ differs  ≈ float32 rounding\n" in printed
        assert ("From line 1 on, some lines above it differ by a rounding in float32" in printed) is grown


def test_a_long_line_is_cut_around_the_place_where_it_parts() -> None:
    one, other = "x" * 300 + "a" + "y" * 300, "x" * 300 + "b" + "y" * 300
    first, second, caret = close_up(one, other, width=60)
    assert max(map(len, (first, second, caret))) <= 60
    column = caret.index("^")
    assert (first[column], second[column]) == ("a", "b")
    assert re.fullmatch(r"  torch    \| …x+ay+…", first)


WRITTEN_OUT: dict[tuple[str, str | None], list[str]] = {
    ("a\n", None): ["a", "(nothing)", "^"],
    ("ab\n", "abc\n"): ["ab", "abc", "  ^"],
    ("a\n", "a"): ["a\\n", "a", " ^"],
    ("a\t\x1b[1m\n", "a \n"): ["a\\t\\x1b[1m", "a ", " ^"],
    ("日本a", "日本b"): ["日本a", "日本b", "    ^"],  # a caret counts columns, not characters
}


def test_what_does_not_show_itself_is_written_out_above_a_caret() -> None:
    found = {both: [line[len("  minigrad | ") :] for line in close_up(*both)] for both in WRITTEN_OUT}
    assert found == WRITTEN_OUT


def test_of_a_long_output_the_lines_around_the_difference_are_shown() -> None:
    windows = {(5, 0): (0, 5), (200, 200): (0, 200), (1000, 0): (0, 40), (1000, 500): (479, 519)}
    assert {each: command.window(*each) for each in windows} == windows


def test_both_sides_stay_within_a_narrow_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    ended = {"ended": "ValueError: " + "long " * 30}
    theirs, ours = pair({"printed": "a" * 200 + "\n[bold]b\n", **ended}, {"printed": "a" * 200 + "\n"})
    found = parting(theirs, ours, tolerant=False)
    command.show(theirs, ours, found, False, command.Screen(width=50, color_system=None))
    printed = capsys.readouterr().out
    table, _, _ = printed.partition("Line 2 is the first to differ:")
    assert max(map(len, table.splitlines())) <= 50
    assert "[bold]b" in table  # what a script prints is no markup
    assert table.count("a") > 400


def test_of_an_engine_that_printed_less_it_is_said_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    theirs, ours = pair({"printed": "a\n", "ended": "E: x"}, {"printed": "a\nb\n", "ended": "E: y"})
    command.show(theirs, ours, parting(theirs, ours, tolerant=False), False, command.Screen(width=80))
    assert "\ntorch printed nothing more: E: x\n" in capsys.readouterr().out


def test_colours_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(command, "outcomes", lambda *given: list(pair({"printed": "a\n"}, {"printed": "b\n"})))
    (tmp_path / "script.py").write_text("")
    for options, coloured in [([], True), (["--plain"], False)]:
        done = CliRunner().invoke(app, ["compare", str(tmp_path / "script.py"), *options])
        assert ("\x1b[31m" in done.stdout, "\x1b" in done.stdout) == (coloured, coloured)
        assert done.exit_code == 1
