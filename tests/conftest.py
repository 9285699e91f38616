"""What tests of several folders share: their order, a browser, and a Ctrl-C that reaches the programs they start."""

from __future__ import annotations

import gc
import shutil
import signal
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import lost_workers
import preloaded
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

# A shell lets what it starts in the background ignore Ctrl-C, and every program started from there would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The files that take longest, and begin first: whichever came last would run beside idle workers.
LONGEST = (
    *("test_jupyterlab", "test_nbgrader", "test_explorers_on_pages", "test_readme", "test_class", "test_sandbox"),
    "test_state",
    *("test_student", "test_lab", "test_parts", "test_plugin", "test_judge", "test_magics", "test_github", "test_ends"),
    *("test_cluster", "test_answers", "test_pool", "test_mine", "test_sessions", "test_small"),
    *("test_run", "test_knowing_nothing", "test_wheel", "test_honest", "test_grade", "test_tampered", "test_new_torch"),
    *("test_decisions", "test_pages_in_a_browser", "test_wrong_answers", "test_compare_command", "test_site"),
    "test_ends_of_runs",
)


def pytest_configure(config: pytest.Config) -> None:
    """Hand out files in our order, not by their number of tests; a worker that dies ends the run; import torch once."""
    config.option.loadscopereorder = False
    lost_workers.watch_over(config)
    if getattr(config.option, "numprocesses", None):
        preloaded.python()  # in the process that starts the workers, so that they find it


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Python looks for garbage from then on, and never among 15,000 tests: that would take half the time of both."""
    gc.disable()
    collected = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    return collected


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longest first."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(ranks)))


# The first has no windows, and takes half as long for a page.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# No sandbox: it cannot be had by root, and the only pages visited are ours.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the Chromium that this machine has."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("there is no Chromium here: on Debian or Ubuntu, apt install chromium-headless-shell")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[BrowserContext]:
    """A browser for one module, not longer: while Playwright is there, other tests cannot use asyncio."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium, args=FLAGS) as opened:
        yield opened.new_context(reduced_motion="reduce")  # each frame of an animation costs
