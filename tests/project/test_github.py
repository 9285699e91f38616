"""What GitHub, Binder and git read: the workflows do what they say, and notebooks can be compared."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from docs_scripts import script
from typer.main import get_command

from minigrad_course.cli import app

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / ".github" / "workflows" / "tests.yml"
PAGES = ROOT / ".github" / "workflows" / "pages.yml"
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
CLASSROOM = ROOT / "classroom" / "grade.yml"
FIRST = "01_scalar_backward.ipynb"
OWN_ACTIONS = {"actions/checkout", "actions/setup-python", "actions/upload-artifact"}


def workflow(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


def step(path: Path, name: str) -> dict[str, Any]:
    return next(each for each in steps(path) if each.get("name") == name)


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# --- the workflows ---------------------------------------------------------------------------------


def used(found: list[dict[str, Any]]) -> set[str]:
    """The actions of some steps, without their versions."""
    return {each["uses"].split("@")[0] for each in found if "uses" in each}


def test_a_workflow_uses_actions_of_github_only_may_do_no_more_than_it_has_to_and_ends() -> None:
    for path in (PROJECT, CLASSROOM):
        assert used(steps(path)) <= OWN_ACTIONS
        assert workflow(path)["permissions"] == {"contents": "read"}
        assert all(job["timeout-minutes"] <= 60 for job in workflow(path)["jobs"].values())
    assert used(steps(PAGES)) <= OWN_ACTIONS | {"actions/upload-pages-artifact", "actions/deploy-pages"}
    assert workflow(PAGES)["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
    made = step(PAGES, "Site")
    assert made["run"] == "make site PYTHON=python" and made["env"]["MINIGRAD_REPOSITORY"] == "${{ github.repository }}"
    (sent,) = (each["with"]["path"] for each in steps(PAGES) if "pages-artifact" in each.get("uses", ""))
    assert f"SITE       := {sent}" in (ROOT / "Makefile").read_text()


def test_the_commands_of_the_project_s_workflow_are_targets_of_the_makefile(tmp_path: Path) -> None:
    makes = [each["run"] for each in steps(PROJECT) if each.get("run", "").startswith("make ")]
    texts = [each.replace("${{ matrix.numpy }}", "2.5.*") for each in makes]
    commands = [shlex.split(each) for each in texts]
    assert [command[:2] for command in commands] == [["make", "test"], ["make", "engine"], ["make", "site"]]
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    for command in commands:
        planned = run(tmp_path, "make", "--dry-run", *command[1:])
        assert planned.returncode == 0, planned.stderr
        assert f'"{command[2].removeprefix("PYTHON=")}" -m venv' in planned.stdout
    (uploaded,) = [each["with"]["path"] for each in steps(PROJECT) if "upload" in each.get("uses", "")]
    assert f"SITE       := {uploaded}\n" in (ROOT / "Makefile").read_text()


def test_the_workflow_tests_every_python_from_the_oldest_on() -> None:
    oldest = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    assert oldest
    jobs = workflow(PROJECT)["jobs"]
    pythons, engine = jobs["tests"]["strategy"]["matrix"]["python"], jobs["engine"]["strategy"]["matrix"]
    assert pythons[0] == oldest.group(1)
    assert engine["python"] == pythons
    lowest = re.search(r'"numpy>=([\d.]+),', (ROOT / "pyproject.toml").read_text())
    assert lowest and engine["numpy"][0] == f"{lowest[1]}.*"


def test_the_smoke_job_uses_commands_and_files_that_exist() -> None:
    lines = [line.partition(" ||")[0].split() for line in step(PROJECT, "Smoke")["run"].splitlines()]
    commands = [words for words in lines if words[0] == "minigrad"]
    known = get_command(app).list_commands(None)
    assert {words[1] for words in commands} - {"--version"} <= set(known)
    files = [word for words in commands for word in words if "/" in word]
    assert len(files) == 4 and [name for name in files if not (ROOT / name).is_file()] == []
    install = step(PROJECT, "Install")["run"]
    assert '-e ".[grade]"' in install and "torch==2.13.0" in install


# --- releases ----------------------------------------------------------------------------------------


def test_a_release_is_built_and_checked_and_published_only_where_that_is_switched_on() -> None:
    jobs = workflow(RELEASE)["jobs"]
    assert workflow(RELEASE)["permissions"] == {"contents": "read"}
    assert jobs["publish"]["if"] == "github.ref_type == 'tag' && vars.PUBLISH == 'true'"
    assert jobs["publish"]["needs"] == "build" and jobs["publish"]["permissions"] == {"id-token": "write"}
    assert used(jobs["build"]["steps"]) <= OWN_ACTIONS


def test_a_release_needs_one_version_everywhere(tmp_path: Path) -> None:
    release = script("release")
    for name in ("CITATION.cff", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    ours = release.versions()["pyproject.toml"]
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## Unreleased\n\n## {ours} - 2026-12-01\n\n## 0.0.1\n")
    assert set(release.versions(tmp_path).values()) == {ours}
    assert release.versions()["CITATION.cff"] == ours
    done = run(ROOT, sys.executable, str(ROOT / "docs" / "release.py"), "v99.0")
    assert done.returncode == 1
    assert f"pyproject.toml says {ours}, the tag 99.0." in done.stderr


def test_what_github_asks_people_for_is_what_they_can_say() -> None:
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    forms = [workflow(path) for path in sorted(folder.glob("[0-9]_*.yml"))]
    assert len(forms) == 4
    for form in forms:
        assert {"name", "description", "body"} <= form.keys()
        ids = [field["id"] for field in form["body"]]
        assert len(set(ids)) == len(ids) and ids[-1] == "versions"
    updates = workflow(ROOT / ".github" / "dependabot.yml")["updates"]
    assert [each["package-ecosystem"] for each in updates] == ["pip", "github-actions"]
    assert all(each["groups"] for each in updates)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """The repository that students start from, made with the commands of docs/platforms.md."""
    text = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8").split("## With GitHub\n")[1]
    block = text.split("```")[1]
    assert block.count("\n") == 5
    shutil.copytree(ROOT / "classroom", tmp_path / "classroom")
    done = run(tmp_path, "bash", "-euc", block, **with_minigrad(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "template"


def with_minigrad(folder: Path) -> dict[str, str]:
    """`minigrad` as a command of this Python and this clone, whatever is installed."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    command = programs / "minigrad"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m minigrad_course "$@"\n')
    command.chmod(0o755)
    return {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def graded(folder: Path) -> tuple[int, dict[str, Any], str]:
    """Run the step that grades, as GitHub does: the exit status, what is kept, and the summary."""
    found = step(CLASSROOM, "Grade")
    kept, summary = folder.parent / "kept", folder.parent / "summary.md"
    kept.mkdir(exist_ok=True)
    summary.unlink(missing_ok=True)
    ours = with_minigrad(folder.parent) | {"RUNNER_TEMP": str(kept), "GITHUB_STEP_SUMMARY": str(summary)}
    done = run(folder, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"], **ours, **found["env"])
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, json.loads((kept / "grades.json").read_text()), summary.read_text()


def test_the_classroom_workflow_grades_a_push(template: Path) -> None:
    assert (template / ".github/workflows/grade.yml").read_bytes() == CLASSROOM.read_bytes()
    assert not (template / "solutions").exists()
    for each in (template / "exercises").iterdir():
        if each.name != FIRST:
            each.unlink()  # one exercise is enough to see both results

    exercise = template / "exercises" / FIRST
    untouched = exercise.read_text(encoding="utf-8")
    exercise.write_text(untouched[:1000], encoding="utf-8")
    status, kept, summary = graded(template)
    assert (status, kept["passed"]) == (1, False)
    assert f"exercises/{FIRST}" in summary

    solved = json.loads((ROOT / "solutions" / FIRST).read_text(encoding="utf-8"))
    solved["metadata"]["minigrad"]["kind"] = "exercises"
    exercise.write_text(json.dumps(solved), encoding="utf-8")
    (template / "conftest.py").write_text("raise SystemExit('not ours')")
    (template / "minigrad.py").write_text("raise SystemExit('not ours')")
    status, kept, summary = graded(template)
    assert (status, kept["passed"]) == (0, True), summary
    assert "22/22" in summary
    assert summary.startswith("```\n") and summary.endswith("```\n")
    result = collected(template)
    assert (result["schema"], result["score"], result["max-score"]) == ("classroom50/result/v1", 22, 22)
    assert sum(test["score"] for test in result["tests"] if test["passed"]) == 22
    assert result["datetime"] == "2026-11-02T10:00:00Z"


def collected(folder: Path) -> dict[str, Any]:
    """What Classroom 50 reads after it has run our autograder on a submission, by its wiki's «Advanced Autograding»."""
    names = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "REVIEW_URL")
    ours = with_minigrad(folder.parent) | {name: name.lower() for name in names} | {"RUNNER_TEMP": str(folder.parent)}
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    at = {"GIT_COMMITTER_DATE": "2026-11-02T11:00:00+01:00"}
    for command in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "done"]):
        assert run(folder, "git", *command, **at).returncode == 0
    done = run(folder, sys.executable, str(ROOT / "classroom" / "autograder.py"), **ours)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "result.json").read_text())


def test_the_classroom_workflow_installs_our_distribution() -> None:
    (name,) = re.findall(r'"([\w-]+)\[grade\] @ \$COURSE"', step(CLASSROOM, "Install")["run"])
    assert importlib.metadata.metadata(name)["Name"] == name


# --- Binder and nbgitpuller -------------------------------------------------------------------------


def test_binder_installs_the_versions_of_the_course_and_then_the_course() -> None:
    wanted = workflow(ROOT / ".binder" / "environment.yml")["dependencies"]
    pins = (ROOT / "constraints.txt").read_text()
    (torch,) = re.findall(r"^torch==(.+)$", pins, re.M)
    assert f"pytorch-cpu={torch}" in wanted
    assert "nbgitpuller" in wanted
    project = (ROOT / "pyproject.toml").read_text()
    assert [each for each in wanted if each.startswith("jupyterlab") and f'"{each}"' not in project] == []
    script = ROOT / ".binder" / "postBuild"
    assert os.access(script, os.X_OK)
    assert run(ROOT, "bash", "-n", str(script)).returncode == 0
    assert "pip install --no-cache-dir --editable '.[course]'" in script.read_text()


def test_the_addresses_for_a_browser_open_lesson_0() -> None:
    text = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    addresses = re.findall(r"^https://\S*urlpath=\S*$", text, re.M)
    assert len(addresses) == 2
    for each in addresses:
        lesson = re.sub("%2F", "/", each).split("urlpath=lab/tree/")[1].removeprefix("REPOSITORY/")
        assert (ROOT / lesson).is_file()


# --- git ---------------------------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with our attributes and a notebook in which somebody has changed a word."""
    notebook = tmp_path / FIRST
    shutil.copy(ROOT / ".gitattributes", tmp_path)
    shutil.copy(ROOT / "lessons" / FIRST, notebook)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for command in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "one"]):
        done = run(tmp_path, "git", *command)
        assert done.returncode == 0, done.stderr
    found = json.loads(notebook.read_text())
    found["cells"][1]["source"] = ["a changed cell"]
    notebook.write_text(json.dumps(found, indent=1) + "\n")
    return tmp_path


def test_git_compares_notebooks_as_text(clone: Path) -> None:
    changes = run(clone, "git", "diff").stdout
    assert "a changed cell" in changes
    assert "Binary files" not in changes
    assert "Bin" not in run(clone, "git", "diff", "--stat").stdout


def test_nbdime_compares_them_cell_by_cell_once_it_is_enabled(clone: Path) -> None:
    pytest.importorskip("nbdime", reason="nbdime is not installed: pip install -e '.[test]'")
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    (nbdime config-git --enable)", lines, re.M)
    programs = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    enabled = run(clone, *command.split(), **programs)
    assert enabled.returncode == 0, enabled.stderr
    changes = re.sub(r"\x1b\[\d*m", "", run(clone, "git", "diff", **programs).stdout)
    assert changes.startswith("nbdiff ")
    assert "\n+a changed cell\n" in changes


# --- JupyterLab in .venv ------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["nbdime", "nbgrader", "notebook"])
def test_what_the_tests_install_changes_nothing_in_jupyterlab(package: str) -> None:
    """The files that `make test` puts beside the packages switch off every extension they bring."""
    try:
        installed = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    ours = ROOT / "tests" / "jupyter"
    server = json.loads((ours / "jupyter_server_config.d" / "zz_course.json").read_text())["ServerApp"]
    lab = json.loads((ours / "labconfig" / "page_config.json").read_text())["disabledExtensions"]
    for file in installed:
        if "jupyter_server_config.d" in file.parts:
            brought = json.loads(file.read_text())["ServerApp"]["jpserver_extensions"]
            assert [name for name in brought if server["jpserver_extensions"].get(name) is not False] == []
        if "labextensions" in file.parts and file.name == "package.json" and "schemas" not in file.parts:
            assert lab[json.loads(file.read_text())["name"]] is True
