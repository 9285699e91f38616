"""One JupyterLab for all tests of this folder, as `minigrad lab` starts it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from served import Running, environment_in, free_port, running

from minigrad_course.notebooks.pages import STATIC

if TYPE_CHECKING:
    from notebook import Lab
    from playwright.sync_api import BrowserContext


@pytest.fixture(scope="session")
def lab(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`minigrad lab` on a copy of the notebooks, for a reader who has never seen JupyterLab."""
    folder = tmp_path_factory.mktemp("lab")
    environment = environment_in(folder / "home")
    settings, spaces = folder / "settings", folder / "spaces"
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(settings), "JUPYTERLAB_WORKSPACES_DIR": str(spaces)}
    # The views as they are now, before those that were installed with the package.
    views = folder / "share" / "labextensions" / "minigrad-explorers"
    shutil.copytree(STATIC.parent, views)
    environment["JUPYTER_PATH"] = str(folder / "share")
    # All cells are there at once: axe sees only what is there.
    write(settings / "@jupyterlab/notebook-extension/tracker.jupyterlab-settings", {"windowingMode": "none"})
    # Otherwise a question about Jupyter's news lies over the page.
    news = {"fetchNews": "false", "checkForUpdates": False}
    write(settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings", news)
    # Extensions of packages that only tests need are left out, as in `make lab`.
    shutil.copytree(Path(__file__).parents[1] / "jupyter", environment["JUPYTER_CONFIG_DIR"])
    # Tests ask JupyterLab itself whether a kernel is idle, and what its cells hold.
    own = Path(environment["JUPYTER_CONFIG_DIR"]) / "jupyter_lab_config.json"
    write(own, {"LabApp": {"expose_app_in_browser": True}})
    with running(environment, folder, str(folder / "course"), "--no-browser", "--port", str(free_port())) as server:
        yield server
        server.interrupt()


@pytest.fixture(scope="module")
def jupyterlab(browser: BrowserContext, lab: Running) -> Iterator[Lab]:
    """The page in which the notebooks of a module are opened, one after the other."""
    from notebook import Lab

    opened = Lab(browser, lab)
    yield opened
    opened.close()


def write(path: Path, values: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))
