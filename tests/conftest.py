"""A browser, for the tests that look at pages as a reader does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# No sandbox: it cannot be had by root, and the only pages visited are ours.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    """Chromium. For a module, not longer: while Playwright is there, other tests cannot use asyncio."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: on Debian or Ubuntu, apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as chromium:
        yield chromium.new_context()
