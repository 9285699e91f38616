"""The site of the course, built once for all tests that look at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
SECONDS = 840  # half a minute of the processor's time, of which a busy machine may have little


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever is the first to need the site waits until it is built."""
    for item in items:
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(SECONDS + 60))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make site` does; by one of the workers, for all of them."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "site-of-all"
    with FileLock(f"{folder}.lock"):
        if not (folder / "site" / ".built").exists():
            build(folder)
            (folder / "site" / ".built").touch()
    return folder / "site"


def build(folder: Path) -> None:
    """Build the site below a folder."""
    (line,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "-m sphinx" in line]
    options = line.split("-m sphinx ")[1].replace("build/doctrees", str(folder / "doctrees"))
    command = [sys.executable, "-m", "sphinx", *options.replace("$(SITE)", str(folder / "site")).split()]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "https_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
