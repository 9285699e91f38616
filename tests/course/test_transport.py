"""How kernels are reached: real kernels, and a thief who takes each port before its kernel does."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from traitlets.config import Config

from minigrad_course.notebooks.transport import Manager

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sockets that are files, Windows has not")

# Between Jupyter's choice of the ports and their kernel, another program takes one of them.
THIEF = """
import json, socket, subprocess, sys
connection = json.load(open(sys.argv[-1]))
if connection["transport"] == "tcp":
    taken = socket.create_server((connection["ip"], connection["iopub_port"]))
sys.exit(subprocess.call([sys.executable, "-m", "ipykernel_launcher", *sys.argv[1:]]))
"""


def specs(folder: Path, language: str, *argv: str) -> KernelSpecManager:
    """A kernel "tried" of some language, and no other."""
    made = {"argv": [*argv, "-f", "{connection_file}"], "display_name": "tried", "language": language}
    (folder / "tried").mkdir(parents=True)
    (folder / "tried" / "kernel.json").write_text(json.dumps(made))
    return KernelSpecManager(kernel_dirs=[str(folder)])


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files are made; its name is short, as the names of sockets have to be."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


async def answers(manager: Manager) -> str:
    """What a kernel makes of a request, through all its sockets."""
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        assert await client._async_is_alive()
        reply = await client._async_execute_interactive("print(6 * 7)", timeout=60, output_hook=lambda _: None)
        return reply["content"]["status"]
    finally:
        client.stop_channels()


async def started_and_restarted(manager: Manager) -> list[str]:
    await manager.start_kernel()
    try:
        first = await answers(manager)
        await manager.restart_kernel(now=True)
        return [first, await answers(manager)]
    finally:
        await manager.shutdown_kernel(now=True)


def test_a_kernel_starts_and_restarts_whoever_takes_the_ports(tmp_path: Path, temporary: Path) -> None:
    thief = tmp_path / "thief.py"
    thief.write_text(THIEF)
    found = specs(tmp_path / "kernels", "python", sys.executable, str(thief))
    manager = Manager(kernel_name="tried", kernel_spec_manager=found)
    assert asyncio.run(started_and_restarted(manager)) == ["ok", "ok"]
    assert list(temporary.iterdir()) == []  # the sockets are gone


def test_sockets_are_their_owner_s_alone_and_made_where_nothing_speaks_against_it(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = specs(tmp_path / "kernels", "python", sys.executable)
    manager = Manager(kernel_name="tried", kernel_spec_manager=found)
    assert manager.transport == "ipc"
    assert Path(manager.ip).parent.parent == temporary
    assert Path(manager.ip).parent.stat().st_mode & 0o777 == 0o700
    made = [*temporary.iterdir()]
    another = Manager(kernel_name="tried", kernel_spec_manager=specs(tmp_path / "other", "R", "R"))
    assert (another.transport, another.ip) == ("tcp", "127.0.0.1")
    configured = Config({"KernelManager": {"transport": "tcp"}})
    assert Manager(kernel_name="tried", kernel_spec_manager=found, config=configured).transport == "tcp"
    assert [*temporary.iterdir()] == made
    deep = tmp_path / ("a" * 120)  # a socket's name has at most 107 bytes on Linux, and 103 on macOS
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert Manager(kernel_name="tried", kernel_spec_manager=found).transport == "tcp"
    assert list(deep.iterdir()) == []
