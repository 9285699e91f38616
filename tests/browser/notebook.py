"""A notebook in JupyterLab, in a real browser: what a test does with it and sees of it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request
from served import Running

SLOW = 120_000  # milliseconds: a limit for a machine that is busy, never waited for in full
NUMBERS = itertools.count(1)

READY = """() => { const panel = window.jupyterapp?.shell?.currentWidget;
    return !!panel?.context?.isReady && panel.sessionContext.session?.kernel?.status === 'idle'; }"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


class Notebook:
    """A notebook that JupyterLab shows, in a page of its own."""

    def __init__(self, browser: Browser, lab: Running, path: str, width: int = 1280, height: int = 1000):
        self.page: Page = browser.new_page(viewport={"width": width, "height": height})
        self.page.set_default_timeout(SLOW)
        self.origin = lab.origin
        self.console: list[str] = []
        self.elsewhere: list[str] = []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.console.append(f"uncaught: {error}"))
        self.page.on("request", self.asked)
        # A workspace of its own: JupyterLab would open the notebooks of earlier pages again.
        address = f"{lab.origin}/lab/workspaces/test-{next(NUMBERS)}/tree/{path}?token={lab.token}"
        self.page.goto(address, wait_until="domcontentloaded")
        self.page.wait_for_function("() => !!window.jupyterapp")
        self.page.evaluate("() => window.jupyterapp.restored")
        self.panel = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.panel.locator(".jp-Cell").first.wait_for()
        self.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
        self.page.wait_for_function(READY)

    def heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.console.append(f"{message.type}: {message.text}")

    def asked(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def theme(self, name: str) -> None:
        """Change to the theme "Light" or "Dark"."""
        wanted = f"JupyterLab {name}"
        self.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", wanted)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=wanted)

    def run_all(self) -> None:
        """Run all cells, and wait for the last."""
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function(READY)

    def close(self) -> None:
        """Stop the kernel and close the page."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        self.page.close()
