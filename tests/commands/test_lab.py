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
from jupyter_client.blocking import BlockingKernelClient
from nbclient import NotebookClient
from served import SECONDS, Running, environment_in, fetch, free_port, running

from minigrad.commands.lab import copy_notebooks, has_display
from minigrad.course import home, saving
from minigrad.course.source import notebooks_folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return environment_in(tmp_path / "home")


def send(server: Running, method: str, path: str, model: dict) -> bytes:
    """Ask the server for something, as JupyterLab does."""
    headers = {"Content-Type": "application/json", "Authorization": f"token {server.token}"}
    body = json.dumps(model).encode()
    return fetch(urllib.request.Request(f"{server.origin}{path}", data=body, method=method, headers=headers))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the course as it is in this work tree."""
    root = Path(__file__).parents[2]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
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


def run_and_save(path: Path, environment: dict[str, str], last: str) -> Any:
    """A notebook up to a cell, after it has run and was saved, as JupyterLab does."""
    notebook = nbformat.read(path, 4)
    del notebook.cells[1 + [cell.id for cell in notebook.cells].index(last) :]
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute(
        env=environment
    )
    nbformat.write(notebook, path)
    return notebook


def test_a_clone_stays_clean_and_its_copy_is_found_again(environment: dict[str, str], clone: Path) -> None:
    environment["PYTHONPATH"] = str(clone)
    mine = clone / "minigrad-course"
    with running(environment, clone, "--no-browser", "--port", str(free_port())) as server:
        assert f"files to {mine}." in server.printed
        assert "Your answers in" not in server.printed
        listed = json.loads(server.get("/api/contents/"))["content"]
        assert {entry["name"] for entry in listed} == {"home.ipynb", "lessons", "exercises", "solutions"}
        lesson = mine / "lessons" / "01_scalar_backward.ipynb"
        (before,) = [cell for cell in nbformat.read(lesson, 4).cells if cell.id == "first-backward"]
        assert before.outputs == []
        notebook = run_and_save(lesson, environment, "first-backward")
        (after,) = [cell for cell in notebook.cells if cell.id == "first-backward"]
        assert after.outputs[0].data["text/plain"] == "(tensor(99.), tensor(42.))"
        server.interrupt()
    assert status_of(clone) == ""
    saved = lesson.read_bytes()
    for here in (clone, mine, clone.parent):
        both = "import sys; sys.argv[1:] = ['hint', 'mul']; from minigrad.commands import lab, main"
        ended = run(environment, here, "-c", f"{both}; print(lab.workplace(None), flush=True); main()")
        assert str(mine) in ended.stdout.splitlines(), ended.stderr
        assert (str(mine / "exercises") in ended.stderr) == (here != mine), ended.stderr
    assert lesson.read_bytes() == saved and status_of(clone) == ""


def test_answers_in_the_clone_itself_are_carried_over(environment: dict[str, str], clone: Path) -> None:
    environment["PYTHONPATH"] = str(clone)
    exercise = clone / "exercises" / "01_scalar_backward.ipynb"
    answered = (clone / "solutions" / exercise.name).read_bytes()
    exercise.write_bytes(answered)
    place = ("-c", "from minigrad.commands.lab import workplace; workplace(None)")
    copied = clone / "minigrad-course" / "exercises" / exercise.name
    ended = run(environment, clone, *place)
    assert (
        f"Your answers in {exercise.parent} were copied as well. From now on, work in {copied.parent.parent}"
        in ended.stdout
    )
    assert exercise.read_bytes() == copied.read_bytes() == answered
    copied.write_text("mine")
    ended = run(environment, clone, *place)
    assert "Your answers in" not in ended.stdout and copied.read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="sockets that are files, Windows has not")
def test_its_kernels_need_no_ports_that_others_may_take(environment: dict[str, str], tmp_path: Path) -> None:
    with running(environment, tmp_path, "course", "--no-browser", "--port", str(free_port())) as server:
        kernel = json.loads(send(server, "POST", "/api/kernels", {"name": "python3"}))["id"]
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
        server.interrupt()
    assert not sockets.exists()


def test_a_folder_of_ones_own_is_filled_and_served_on_another_port_if_one_is_taken(
    environment: dict[str, str], tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        arguments = (str(mine), "--no-browser", "--port", str(taken))
        with running(environment, tmp_path, *arguments) as server:
            assert urlsplit(server.address).port != taken
            assert "Copied" in server.printed
            assert "Kept" not in server.printed
            listed = json.loads(server.get("/api/contents/"))["content"]
            assert {entry["name"] for entry in listed} == {"home.ipynb", "lessons", "exercises", "solutions"}
            data = {"text/html": "<p>still</p>", saving.WIDGET: {"model_id": "1"}}
            output = {"output_type": "display_data", "data": data, "metadata": {}}
            cell = {"cell_type": "code", "id": "a", "source": "", "metadata": {}, "execution_count": 1}
            notebook = {"cells": [{**cell, "outputs": [output]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
            send(server, "PUT", "/api/contents/mine.ipynb", {"type": "notebook", "content": notebook})
            saved = json.loads((mine / "mine.ipynb").read_text(encoding="utf-8"))
            assert list(saved["cells"][0]["outputs"][0]["data"]) == ["text/html"]
            assert server.interrupt()[0] == 0


@pytest.mark.parametrize("over_ssh", [False, True])
def test_it_serves_until_ctrl_c_and_a_browser_opens_only_where_it_is_seen(
    environment: dict[str, str], tmp_path: Path, over_ssh: bool
) -> None:
    opened = tmp_path / "opened.txt"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\ncat "${{1#file://}}" > {opened}.part\nmv {opened}.part {opened}\n')
    browser.chmod(0o755)
    environment |= {"DISPLAY": ":9", "BROWSER": str(browser)}
    if over_ssh:
        environment |= {"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "JUPYTER_TOKEN": "my-own-token"}
    with running(environment, tmp_path, str(notebooks_folder()), "--port", str(free_port())) as server:
        fetch(server.address)
        limit = time.monotonic() + (1 if over_ssh else SECONDS)
        while not opened.exists() and time.monotonic() < limit:
            time.sleep(0.05)
        assert opened.exists() is not over_ssh
        if not over_ssh:
            # JupyterLab's own page, which leads to the lesson under the name localhost
            address = urlsplit(server.address)
            assert f":{address.port}{address.path}?{address.query}" in opened.read_text()
            assert address.path == "/lab/tree/lessons/00_start_here.ipynb"
            assert b"JupyterLab" in fetch(server.address)
            assert "started" in json.loads(server.get("/api/status"))
            with pytest.raises(urllib.error.HTTPError, match="403"):
                fetch(server.address.partition("/lab")[0] + "/api/status")
        assert ("Open this address" in server.printed) is over_ssh
        if over_ssh:  # a token of one's own is not printed
            assert "token" not in server.printed
            assert fetch(f"{server.origin}/api/status?token=my-own-token")
        first = server.printed.splitlines()[0]
        assert first == "JupyterLab opens on lessons/00_start_here.ipynb; Ctrl-C stops it."
        code, seconds = server.interrupt()
    assert code == 0 and seconds < 15
    assert not list(Path(environment["JUPYTER_RUNTIME_DIR"]).glob("jpserver-*"))


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


def test_without_jupyterlab_it_says_what_to_install(environment: dict[str, str], tmp_path: Path) -> None:
    start = (
        "import sys; sys.modules['jupyterlab'] = None; sys.argv[1:] = ['lab', 'mine', '--no-browser'];"
        "from minigrad.commands import main; main()"
    )
    ended = run(environment, tmp_path, "-c", start)
    assert ended.returncode == 3
    assert "python -m pip install jupyterlab" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_folder_that_cannot_be_written_is_a_sentence(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    ended = run(environment, tmp_path, "-m", "minigrad", "lab", "file/mine", "--no-browser")
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
    assert json.loads(found.pop("lessons/01.ipynb")) == json.loads(lesson)
    assert home.is_ours(nbformat.reads(found.pop("home.ipynb"), 4))
    assert found == {
        "exercises/01.ipynb": "my answers",
        "solutions/01.ipynb": "ours solutions",
        "notes.txt": "my notes",
    }
    assert copy_notebooks(source, target).written == []


@pytest.mark.parametrize(
    ("platform", "variables", "seen"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "a 1 b 2"}, False),
        ("darwin", {}, True),
        ("darwin", {"SSH_TTY": "/dev/ttys001"}, False),
        ("win32", {}, True),
    ],
)
def test_has_display(monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], seen: bool) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert has_display() is seen
