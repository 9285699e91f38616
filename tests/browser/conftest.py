"""One JupyterLab for all tests of this folder, as `minigrad lab` starts it, and a browser for each module."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from served import Running, environment_in, free_port, running

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# No sandbox: it cannot be had by root, and the only pages visited are ours.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`minigrad lab` on a copy of the notebooks, for a reader who has never seen JupyterLab."""
    folder = tmp_path_factory.mktemp("lab")
    environment = environment_in(folder / "home")
    settings = {
        # All cells are there at once: for a test that scrolls nowhere, and for axe, which sees what is there.
        "notebook-extension/tracker": {"windowingMode": "none"},
        # Otherwise a question about Jupyter's news covers the page.
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    }
    place = folder / "home" / "settings"
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(place), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "home" / "spaces")}
    for name, values in settings.items():
        write(place / "@jupyterlab" / f"{name}.jupyterlab-settings", values)
    # The commands of JupyterLab itself, for tests: nothing has to be found in menus.
    write(Path(environment["JUPYTER_CONFIG_DIR"]) / "labconfig" / "default.json", {})
    server = {"LabApp": {"expose_app_in_browser": True}}
    write(Path(environment["JUPYTER_CONFIG_DIR"]) / "jupyter_lab_config.json", server)
    with running(environment, folder, str(folder / "course"), "--no-browser", "--port", str(free_port())) as server:
        yield server
        server.interrupt()


def write(path: Path, values: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))
