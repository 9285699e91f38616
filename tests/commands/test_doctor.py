"""`minigrad doctor`: each thing that may be missing is named, with what to do, and only what is needed decides."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.cli.learner import doctor
from minigrad_course.grading.judge import sandbox
from minigrad_course.learner import environment
from minigrad_course.texts import source


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's folder on a computer that has everything."""
    shutil.copytree(source.notebooks_folder() / "exercises", tmp_path / "exercises")
    share = tmp_path / "share" / "labextensions"
    shutil.copytree(doctor.STATIC.parent, share / doctor.EXPLORERS)
    for name in doctor.WIDGETS.values():
        (share / name).mkdir(parents=True)
        (share / name / "package.json").write_text("{}")
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *below: [str(tmp_path / "share" / below[0])])
    monkeypatch.setattr(sandbox, "Sandbox", lambda *_: Confining([]))
    monkeypatch.setattr(doctor.psutil, "virtual_memory", lambda: SimpleNamespace(available=8 * doctor.GIB))
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=8 * doctor.GIB))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Confining:
    def __init__(self, unconfined: list[str]):
        self.unconfined = unconfined

    def __enter__(self) -> Confining:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def looked(status: int) -> str:
    ended = CliRunner().invoke(app, ["doctor"], prog_name="minigrad")
    assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
    assert ended.exit_code == status, ended.output
    return ended.output


def test_where_everything_is_there_each_line_has_a_tick(course: Path) -> None:
    *lines, last = looked(0).splitlines()
    assert last == "The course works here. To begin: minigrad lab"
    assert len(lines) >= 14 and all(line.startswith("✓ ") for line in lines)
    assert "✓ torch and minigrad both print tensor(6.)" in lines
    named = [f"✓ {name} {metadata.version(name)}" for name in ("torch", *environment.OTHERS)]
    assert {*named, f"✓ Python {platform.python_version()}"} <= {*lines}


Break = Callable[[Path, pytest.MonkeyPatch], None]


def lacks(package: str) -> Break:
    def version(name: str) -> str:
        if name == package:
            raise metadata.PackageNotFoundError(name)
        return metadata.version(name)

    return lambda _, patch: patch.setattr(environment, "version", version)


def old_kernel(course: Path, patch: pytest.MonkeyPatch) -> None:
    from jupyter_client.kernelspec import KernelSpecManager

    spec = SimpleNamespace(argv=["/usr/bin/another-python"], resource_dir="/elsewhere/kernels/python3")
    patch.setattr(KernelSpecManager, "get_kernel_spec", lambda self, name: spec)


def broken_torch(course: Path, patch: pytest.MonkeyPatch) -> None:
    def engines() -> str:
        raise OSError("libgomp.so.1: cannot open shared object file")

    patch.setattr(environment, "engines", engines)


def without(folder: str) -> Break:
    return lambda course, _: shutil.rmtree(course / folder)


def spoilt(course: Path, patch: pytest.MonkeyPatch) -> None:
    (course / "share/labextensions/minigrad-explorers/static/walk.js").write_text("old")


def unconfined(course: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sandbox, "Sandbox", lambda *_: Confining(["A submission can use the network."]))


def has(module: str, name: str, **free: int) -> Break:
    return lambda _, patch: patch.setattr(getattr(doctor, module), name, lambda *_: SimpleNamespace(**free))


def old_python(course: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(environment, "PYTHON", (99, 0))


# What the course cannot do without is marked ✗ and decides; what is only worth mending is marked ! and does not.
BROKEN: list[tuple[Break, str]] = [
    (old_python, "✗ Python is older than 99.0: install a newer one"),
    (lacks("torch"), "✗ torch is missing: pip install torch==2.13.0"),
    (lacks("anywidget"), "✗ anywidget is missing: pip install anywidget"),
    (broken_torch, "✗ torch does not start (libgomp.so.1: cannot open shared object file): pip install --force"),
    (without("share"), "✗ JupyterLab does not find the explorers in "),
    (without("share/labextensions/anywidget"), "✗ JupyterLab does not find anywidget: pip"),
    (old_kernel, "✗ Notebooks would run in /usr/bin/another-python, not in "),
    (spoilt, "! The explorers in "),
    (unconfined, "! The grader cannot confine everything here: grade the work of others on Linux"),
    (has("psutil", "virtual_memory", available=2**28), "! Only 0.2 GiB of memory are free, and torch may want 1: "),
    (has("shutil", "disk_usage", free=2**20), "! Only 0.0 GiB of disk are free in "),
]


@pytest.mark.parametrize(("harm", "told"), BROKEN)
def test_what_is_broken_ends_in_what_to_do(
    course: Path, monkeypatch: pytest.MonkeyPatch, harm: Break, told: str
) -> None:
    harm(course, monkeypatch)
    *lines, last = looked(3 if told[0] == "✗" else 0).splitlines()
    assert any(line.startswith(told) for line in lines), lines
    wrong = r"(One thing has|\d things have) to be mended before all of the course works here, marked ✗\."
    assert bool(re.match(wrong, last)) == (told[0] == "✗")


def test_a_folder_without_exercises_is_named(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (course / "empty").mkdir()
    for named, status, told in [
        ("empty", 3, "✗ There are no exercises in empty: minigrad start FOLDER"),
        ("nowhere", 2, "There is no folder nowhere."),
        (
            str(course / "exercises" / "01_scalar_backward.ipynb"),
            2,
            "01_scalar_backward.ipynb is a file. Name the folder that it is in.",
        ),
    ]:
        ended = CliRunner().invoke(app, ["doctor", "-f", named], prog_name="minigrad")
        assert ended.exit_code == status and told in ended.output


def test_an_exercise_that_cannot_be_opened_is_named(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course)
    spoilt, gone = (course / "exercises" / f"{name}.ipynb" for name in ("03_jacobian_sums", "04_leaves"))
    assert "✓ your exercises are in " in looked(0)
    spoilt.write_text("{")
    gone.unlink()
    told = looked(3)
    assert "✗ 03_jacobian_sums.ipynb: this is not a notebook that can be opened." in told
    assert "✗ 04_leaves.ipynb: there is no such file. To get it: minigrad start " in told


def test_a_package_that_is_not_there_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    import minigrad_course.command

    monkeypatch.setitem(sys.modules, "minigrad_course.cli", None)
    with pytest.raises(ModuleNotFoundError):  # of ours is a fault of ours
        minigrad_course.command.main()

    def imports() -> None:
        raise ModuleNotFoundError("No module named 'typer'", name="typer")

    monkeypatch.setitem(sys.modules, "minigrad_course.cli", SimpleNamespace(main=imports))
    with pytest.raises(SystemExit) as ended:
        minigrad_course.command.main()
    assert ended.value.code == 3
    said = capsys.readouterr().err
    assert said.startswith("typer is not installed; ")
    assert said.endswith(f" In a clone: {sys.executable} -m pip install -e '.[grade]'\n")
