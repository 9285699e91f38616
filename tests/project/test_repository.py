"""What the repository says: nothing of the machine it was written on, and no dead command."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = dict(
    line.split("==")
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)
TARGETS = dict(re.findall(r"^([a-z]+):[^#\n]*(?:## (.*))?$", MAKEFILE, re.M))

# A folder of somebody's machine.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:home|root|Users|work|var/folders)/[\w.-]+")
REGISTRY_HOST = re.compile(r"\b(?:files\.pythonhosted\.org|(?:test\.)?pypi\.org|download\.pytorch\.org)\b")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME)\b")


def tracked_files() -> list[Path]:
    """The files git would publish: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY_HOST, UNFINISHED], ids=["path", "host", "unfinished"])
def test_no_file_names_a_machine_or_says_it_is_unfinished(pattern: re.Pattern[str]) -> None:
    found = []
    for path in tracked_files():
        if path == Path(__file__) or b"\0" in (content := path.read_bytes()):
            continue
        found += [f"{path.relative_to(ROOT)}: {hit}" for hit in pattern.findall(content.decode())]
    assert found == []


def test_the_patterns_find_what_they_are_for() -> None:
    assert MACHINE_PATH.search("see /home/ada/course")
    assert MACHINE_PATH.search('"/root/.cache"')
    assert not MACHINE_PATH.search("https://example.org/home/page")
    assert REGISTRY_HOST.search("https://pypi.org/simple")


def test_no_two_modules_of_tests_share_a_name_and_those_that_begin_first_exist() -> None:
    """pytest imports them by their names, and says so only where it collects both folders."""
    first = set(re.findall(r'"(test_\w+)"', (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")))
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py") if "node_modules" not in path.parts]
    assert sorted(set(names)) == sorted(names)
    assert first and {f"{name}.py" for name in first} <= {*names}


def test_what_the_readme_names_exists_and_every_target_says_in_a_line_what_it_does() -> None:
    targets = set(re.findall(r"\bmake ([a-z]+)", README))
    assert {"lab", "test"} <= targets <= set(TARGETS)
    assert [name for name, help in TARGETS.items() if not help] == []
    named = re.findall(r"`((?:lessons|exercises|solutions|minigrad|tests)/[\w/.]*)`", README)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def requirements() -> list[str]:
    extras = PROJECT["optional-dependencies"]
    lines = PROJECT["dependencies"] + [line for extra in extras.values() for line in extra]
    return [line for line in lines if not line.startswith(f"{PROJECT['name']}[")]  # one extra may include another


def release(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


@pytest.mark.parametrize("requirement", requirements())
def test_a_dependency_has_both_bounds_and_its_pin_lies_between(requirement: str) -> None:
    match = re.fullmatch(r"([\w-]+)>=([\d.]+),<([\d.]+)", requirement)
    assert match, "write name>=lowest,<next"
    name, lowest, cap = match.groups()
    pins = {re.sub("[-_.]+", "-", key).lower(): version for key, version in PINS.items()}
    assert release(lowest) <= release(pins[name]) < release(cap)


LEARNER = """
import sys
for name in {absent!r}:
    sys.modules[name] = None
from minigrad_course.command import main
main()
"""


@pytest.mark.parametrize("command", ["--version", "status -f exercises", "grade solutions/03_jacobian_sums.ipynb"])
def test_a_learner_needs_the_extra_course_alone(command: str) -> None:
    """Without what `grade` adds. (Jinja and MarkupSafe come with JupyterLab.)"""
    extras = PROJECT["optional-dependencies"]
    added = {re.split("[><=[]", line)[0] for line in (*extras["grade"], *extras["dask"])}
    absent = sorted((added | {"yaml"}) - {"pyyaml", "jinja2", "markupsafe", PROJECT["name"]})
    assert absent == ["distributed", "filelock", "yaml"]
    program = [sys.executable, "-c", LEARNER.format(absent=absent), *command.split()]
    ended = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_torch_is_installed_first_and_only_torch() -> None:
    assert PINS["torch"] == "2.13.0"
    assert not {"torchvision", "torchaudio", "graphviz"} & {
        re.split("[><=]", line)[0] for line in [*requirements(), *PINS]
    }
    assert MAKEFILE.index("torch==2.13.0") < MAKEFILE.index("--editable '.")


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_the_example_of_the_readme_prints_what_its_comments_say(engine: str) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, re.S)
    said = re.findall(r"^print\(.*\)\s+# (.*)$", program, re.M)
    program = program.replace("import minigrad as torch", f"import {engine} as torch")
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said
    assert ended.stdout.splitlines() == said, ended.stderr


def test_nbval_on_an_exercise_needs_no_more_than_the_course_itself():
    """pytest's settings name no option of a plugin that only the tests install."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--nbval"]
    without = [word for name in ("timeout", "xdist", "hypothesispytest") for word in ("-p", f"no:{name}")]
    done = subprocess.run(
        [*command, *without, "exercises/01_scalar_backward.ipynb"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
