"""`minigrad lab` with a real JupyterLab server on loopback."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import compiled
import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel
from jupyter_client.blocking import BlockingKernelClient
from served import SECONDS, Running, environment_in, fetch, free_port, running
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.cli.learner.lab import copy_notebooks, has_display, workspace
from minigrad_course.learner import home
from minigrad_course.texts import saving
from minigrad_course.texts.source import KINDS, notebooks_folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return environment_in(tmp_path / "home")


def send(server: Running, token: str, path: str, model: dict | None = None, method: str = "GET") -> Any:
    """Ask the server for something, as JupyterLab does; what it answers."""
    headers = {"Content-Type": "application/json", "Authorization": f"token {token}"}
    body = None if model is None else json.dumps(model).encode()
    return json.loads(
        fetch(urllib.request.Request(f"{server.origin}{path}", data=body, method=method, headers=headers))
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the package and the course as they are in this work tree."""
    root, wanted = Path(__file__).parents[2], (".gitignore", *compiled.PACKAGES, *KINDS)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *wanted],
        cwd=root,
        capture_output=True,
        check=True,
    )
    folder = tmp_path / "clone"
    for name in listed.stdout.decode().split("\0"):
        if name and (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
    compiled.lend(folder)
    for command in (["init"], ["add", "--all"], ["-c", "user.name=a", "-c", "user.email=a", "commit", "-m", "all"]):
        subprocess.run(["git", *command], cwd=folder, capture_output=True, check=True)
    return folder


def status_of(clone: Path) -> str:
    """What git has to say of a clone; nothing if it is clean."""
    asked = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    return asked.stdout


def test_a_clone_stays_clean_and_its_copy_is_found_again(environment: dict[str, str], clone: Path) -> None:
    environment["PYTHONPATH"] = str(clone)
    mine = clone / "minigrad-course"
    with running(environment, clone, "--no-browser", "--port", str(free_port())) as server:
        assert f"files to {mine}." in server.printed
        assert "Your answers in" not in server.printed
        listed = json.loads(server.get("/api/contents/"))["content"]
        assert {entry["name"] for entry in listed} == {"home.ipynb", *KINDS}
        lesson = mine / "lessons" / "01_scalar_backward.ipynb"
        notebook = nbformat.read(lesson, 4)
        (cell,) = [cell for cell in notebook.cells if cell.id == "first-backward"]
        assert cell.outputs == []
        cell.outputs = [nbformat.v4.new_output("stream", text="99.")]  # as a run does
        nbformat.write(notebook, lesson)
        server.interrupt()
    assert status_of(clone) == ""
    saved = lesson.read_bytes()
    places = [clone, mine, clone.parent]
    ended = run(environment, clone, "-c", HERE, *map(str, places))
    printed, errors = ended.stdout.split("\x1e")[1:], ended.stderr.split("\x1e")[1:]
    for here, found, said in zip(places, printed, errors, strict=True):
        assert str(mine) in found.splitlines(), said
        assert (str(mine / "exercises") in said) == (here != mine), said
    assert lesson.read_bytes() == saved and status_of(clone) == ""
    shutil.rmtree(mine)  # and now with answers in the clone itself
    exercise = clone / "exercises" / "01_scalar_backward.ipynb"
    answered = (clone / "solutions" / exercise.name).read_bytes()
    exercise.write_bytes(answered)
    copied = mine / "exercises" / exercise.name
    ended = run(environment, clone, "-c", HERE, str(clone))
    assert f"Your answers in {exercise.parent} were copied as well. From now on, work in {mine}" in ended.stdout
    assert exercise.read_bytes() == answered
    assert nbformat.read(copied, 4).cells == nbformat.reads(answered, 4).cells
    copied.write_text("mine")
    ended = run(environment, clone, "-c", HERE, str(clone))
    assert "Your answers in" not in ended.stdout and copied.read_text() == "mine"


# What `lab` would open in some folders, and what `hint` finds there.
HERE = """
import contextlib, os, sys
from minigrad_course.cli.learner import lab; from minigrad_course.cli import main
for folder in sys.argv[1:]:
    print("\\x1e", flush=True), print("\\x1e", file=sys.stderr, flush=True)
    os.chdir(folder)
    print(lab.workplace(None), flush=True)
    with contextlib.suppress(SystemExit):
        sys.argv[1:] = ["hint", "mul"]
        main()
"""


@pytest.fixture
def browser(environment: dict[str, str], tmp_path: Path) -> Path:
    """A screen and a browser: the file that gets what it opens."""
    opened, script = tmp_path / "opened.txt", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\ncat "${{1#file://}}" > {opened}.part\nmv {opened}.part {opened}\n')
    script.chmod(0o755)
    environment |= {"DISPLAY": ":9", "BROWSER": str(script)}
    return opened


def test_it_serves_until_ctrl_c_and_opens_a_browser(environment: dict[str, str], tmp_path: Path, browser: Path) -> None:
    with running(environment, tmp_path, str(notebooks_folder()), "--port", str(free_port())) as server:
        fetch(server.address)
        limit = time.monotonic() + SECONDS
        while not browser.exists() and time.monotonic() < limit:
            time.sleep(0.05)
        # JupyterLab's own page, which leads to the lesson under the name localhost
        address = urlsplit(server.address)
        assert f":{address.port}{address.path}?{address.query}" in browser.read_text()
        space = workspace(notebooks_folder())
        assert address.path == f"/lab/workspaces/{space}/tree/lessons/00_start_here.ipynb"
        settings = json.loads(server.get("/lab/api/settings/@jupyterlab/apputils-extension:notification"))
        asked = {name: row["default"] for name, row in settings["schema"]["properties"].items()}
        assert (asked["fetchNews"], asked["checkForUpdates"]) == ("false", False)
        assert b"JupyterLab" in fetch(server.address)
        assert "started" in json.loads(server.get("/api/status"))
        with pytest.raises(urllib.error.HTTPError, match="403"):
            fetch(server.address.partition("/lab")[0] + "/api/status")
        assert "Open this address" not in server.printed
        first = server.printed.splitlines()[0]
        assert first == "JupyterLab opens on lessons/00_start_here.ipynb; Ctrl-C stops it."
        code, seconds = server.interrupt()
    assert code == 0 and seconds < 15
    assert not list(Path(environment["JUPYTER_RUNTIME_DIR"]).glob("jpserver-*"))


@pytest.mark.skipif(os.name == "nt", reason="sockets that are files, Windows has not")
def test_over_ssh_a_folder_of_ones_own_is_served_on_another_port_if_one_is_taken(
    environment: dict[str, str], tmp_path: Path, browser: Path
) -> None:
    token, mine = "my-own-token", tmp_path / "mine"
    environment |= {"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "JUPYTER_TOKEN": token}
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with running(environment, tmp_path, str(mine), "--port", str(taken)) as server:
            assert urlsplit(server.address).port != taken
            assert "Copied" in server.printed and "Kept" not in server.printed
            # a browser would open nowhere that is seen, and a token of one's own is not printed
            assert "Open this address" in server.printed and "token" not in server.printed
            listed = send(server, token, "/api/contents/")["content"]
            assert {entry["name"] for entry in listed} == {"home.ipynb", *KINDS}
            data = {"text/html": "<p>still</p>", saving.WIDGET: {"model_id": "1"}}
            output = {"output_type": "display_data", "data": data, "metadata": {}}
            cell = {"cell_type": "code", "id": "a", "source": "", "metadata": {}, "execution_count": 1}
            notebook = {"cells": [{**cell, "outputs": [output]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
            send(server, token, "/api/contents/mine.ipynb", {"type": "notebook", "content": notebook}, "PUT")
            saved = json.loads((mine / "mine.ipynb").read_text(encoding="utf-8"))
            assert list(saved["cells"][0]["outputs"][0]["data"]) == ["text/html"]
            # its kernels need no ports that others may take
            kernel = send(server, token, "/api/kernels", {"name": "python3"}, "POST")["id"]
            file = Path(environment["JUPYTER_RUNTIME_DIR"], f"kernel-{kernel}.json")
            connection = json.loads(file.read_bytes())
            assert connection["transport"] == "ipc"
            client = BlockingKernelClient()
            client.load_connection_file(str(file))
            client.start_channels()
            assert client.kernel_info(reply=True, timeout=SECONDS)["content"]["status"] == "ok"
            client.stop_channels()
            sockets = Path(connection["ip"]).parent
            assert sockets.is_dir()
            assert server.interrupt()[0] == 0
    assert not sockets.exists() and not browser.exists()


def run(environment: dict[str, str], folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_a_folder_that_cannot_be_written_and_no_jupyterlab_are_a_sentence(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    none = CliRunner().invoke(app, ["lab", str(tmp_path / "mine"), "--no-browser"])
    assert none.exit_code == 3 and "python -m pip install jupyterlab" in none.stderr
    (tmp_path / "file").write_text("not a folder")
    ended = run(environment, tmp_path, "-m", "minigrad_course", "lab", "file/mine", "--no-browser")
    assert ended.returncode == 3
    assert "could not be copied" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (tmp_path / "file").read_text() == "not a folder"


def test_copying_keeps_every_file_that_exists(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    lesson = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    for folder in ("lessons", "exercises", "solutions"):
        (source / folder / "source").mkdir(parents=True)
        (source / folder / "01.ipynb").write_text(lesson if folder == "lessons" else f"ours {folder}")
        (source / folder / "source" / "01.md").write_text("text to edit")
    (target / "exercises").mkdir(parents=True)
    (target / "exercises" / "01.ipynb").write_text("my answers")
    (target / "notes.txt").write_text("my notes")

    copied = copy_notebooks(source, target)

    assert copied.written == ["lessons/01.ipynb", "solutions/01.ipynb", "home.ipynb"]
    assert copied.kept == ["exercises/01.ipynb"]
    found = {str(p.relative_to(target)): p.read_text() for p in target.rglob("*") if p.is_file()}
    made = json.loads(found.pop("lessons/01.ipynb"))
    # what a kernel says of itself, so that JupyterLab has nothing to write into it
    assert made["metadata"].pop("language_info") == IPythonKernel.language_info
    assert made == json.loads(lesson)
    assert home.is_ours(nbformat.reads(found.pop("home.ipynb"), 4))
    assert found == {
        "exercises/01.ipynb": "my answers",
        "solutions/01.ipynb": "ours solutions",
        "notes.txt": "my notes",
    }
    assert copy_notebooks(source, target).written == []


SEEN: list[tuple[str, dict[str, str], bool]] = [
    ("linux", {}, False),
    ("linux", {"DISPLAY": ":0"}, True),
    ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
    ("linux", {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "a 1 b 2"}, False),
    ("darwin", {}, True),
    ("darwin", {"SSH_TTY": "/dev/ttys001"}, False),
    ("win32", {}, True),
]


def test_has_display() -> None:
    for platform, variables, seen in SEEN:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY"):
                patch.delenv(name, raising=False)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr(sys, "platform", platform)
            assert has_display() is seen, (platform, variables)
