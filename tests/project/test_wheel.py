"""A built wheel carries the notebooks and works outside any clone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import compiled
import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("lessons", "exercises", "solutions")

VIEWS = ROOT / "minigrad_course" / "explorers" / "labextension"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the tree as it is."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    ended = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def outside(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python where minigrad is the wheel's, in an empty folder."""
    site, here = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("here")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", str(site), str(wheel)], capture_output=True, timeout=120, check=True)
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*arguments: str, folder: Path = here) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    found = run("-c", "import minigrad, minigrad_course.nbval_plugin as n; print(minigrad.__file__, n.__file__)")
    assert found.returncode == 0, found.stderr
    for file in found.stdout.split():
        assert Path(file).is_relative_to(site)
    return run


def notebook_files() -> set[str]:
    """Every notebook and every source text of the clone, as paths from its root."""
    paths = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()}
    names = {path.relative_to(ROOT).as_posix() for path in paths}
    return {name for name in names if ".ipynb_checkpoints" not in name and "__pycache__" not in name}


def test_jupyterlab_finds_the_views_where_the_wheel_is_installed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = ".data/data/share/jupyter/labextensions/minigrad-explorers/"
        carried = {file.split(inside)[1]: archive.read(file) for file in archive.namelist() if inside in file}
    files = [path for path in VIEWS.rglob("*") if path.is_file()]
    assert carried == {path.relative_to(VIEWS).as_posix(): path.read_bytes() for path in files}
    assert {"package.json", "static/remoteEntry.js", "static/walk.js"} <= set(carried)


def test_the_wheel_carries_the_notebooks_and_their_sources(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
        inside = "minigrad_course/material/"
        carried = {file.removeprefix(inside) for file in files if file.startswith(inside)}
        assert carried == notebook_files()
        assert {file.split("/")[0] for file in carried} == set(FOLDERS)
        for name in carried:
            assert archive.read(inside + name) == (ROOT / name).read_bytes()
    tops = {file.split("/")[0] for file in files}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {
        "minigrad",
        "minigrad_course",
    }
    code = {
        path.relative_to(ROOT).as_posix()
        for folder in compiled.PACKAGES
        for kind in ("py", "j2")
        for path in (ROOT / folder).rglob(f"*.{kind}")
    }
    assert code <= set(files)


def test_the_engine_works_from_the_wheel(outside: Run) -> None:
    program = (
        "import minigrad as torch; x = torch.tensor([2.0, 3.0], requires_grad=True);"
        "(x * x).sum().backward(); print(x.grad)"
    )
    ended = outside("-c", program)
    assert (ended.returncode, ended.stdout) == (0, "tensor([4., 6.])\n"), ended.stderr


def test_the_engine_written_from_the_wheel_works_and_comes_with_its_licence(outside: Run, tmp_path: Path) -> None:
    assert outside("-m", "minigrad_course", "start", "course", folder=tmp_path).returncode == 0
    engine = tmp_path / "course" / "my-engine"
    ended = outside("-m", "minigrad_course", "mine", folder=engine.parent)
    assert ended.returncode == 0 and f"Written: {engine}\n" in ended.stdout, ended.stderr
    assert (engine / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    program = "import sys; sys.path.insert(0, ''); import myengine; print(myengine.tensor([1.0]) + 1)"
    assert outside("-c", program, folder=engine).stdout == "tensor([2.])\n"


def test_a_solution_passes_and_an_untouched_exercise_fails_from_the_wheel(outside: Run, tmp_path: Path) -> None:
    files = [str(ROOT / kind / "01_scalar_backward.ipynb") for kind in ("solutions", "exercises")]
    graded = outside("-m", "minigrad_course", "grade", *files, "--json", str(tmp_path / "grades.json"))
    assert graded.returncode == 1 and "Traceback" not in graded.stdout + graded.stderr
    found = json.loads((tmp_path / "grades.json").read_text(encoding="utf-8"))["files"]
    assert [(each["passed"], each["points"]) for each in found] == [(True, 22), (False, 0)], graded.stdout


def test_lab_copies_the_notebooks_once_and_keeps_what_the_reader_changed(outside: Run, tmp_path: Path) -> None:
    place = ("-c", "from minigrad_course.cli.learner.lab import workplace; print(workplace(None))")
    first = outside(*place, folder=tmp_path)
    mine = tmp_path / "minigrad-course"
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines()[-1] == str(mine)
    copied = {path.relative_to(mine).as_posix() for path in mine.rglob("*") if path.is_file()}
    assert copied == {"home.ipynb", *(name for name in notebook_files() if name.endswith(".ipynb"))}

    answers = mine / "exercises" / "01_scalar_backward.ipynb"
    assert outside(*place, folder=tmp_path).stdout.splitlines() == [str(mine)]  # nothing is old
    lesson = mine / "lessons" / "01_scalar_backward.ipynb"
    older = lesson.read_text(encoding="utf-8").replace("the", "teh", 1)
    lesson.write_text(older, encoding="utf-8")
    answers.write_text("my answers")
    second = outside(*place, folder=tmp_path)
    assert second.returncode == 0, second.stderr
    assert second.stdout.startswith("1 of the notebooks in ") and "minigrad start" in second.stdout
    assert (answers.read_text(), lesson.read_text(encoding="utf-8")) == ("my answers", older)
