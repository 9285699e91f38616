"""A notebook in JupyterLab, in a real browser: what a test does with it, and sees of it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Request
from served import Running

SLOW = 120_000  # milliseconds: for a machine that is busy; nothing waits longer than it has to
NUMBERS = itertools.count(1)
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# What the console says although nothing is wrong with the course:
# webpack, where an extension that somebody has installed was built for another version of a library of JupyterLab.
NOISE = ("Unsatisfied version",)

PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
# What is ours: JupyterLab's own tool bars and editors have names and roles that a notebook cannot mend.
OURS = [[f"{PANEL} .jp-OutputArea-output"], [f"{PANEL} .jp-RenderedMarkdown"]]

IDLE = """() => { const panel = window.jupyterapp?.shell?.currentWidget;
  return !!panel?.context?.isReady && panel.sessionContext.session?.kernel?.status === "idle"; }"""
# Text cells are rendered one after another, and pictures are decoded when their turn comes.
DRAWN = """panel => [...document.querySelectorAll(`${panel} .jp-MarkdownCell`)].every(
    cell => cell.querySelector(".jp-RenderedMarkdown")?.textContent.trim())
  && [...document.querySelectorAll(`${panel} img`)].every(picture => picture.complete)"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
SAVE_AND_ADD = """async () => { const { commands, shell } = window.jupyterapp;
  await commands.execute("docmanager:save");
  const notebook = shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.length - 1;
  await commands.execute("notebook:insert-cell-below"); }"""
CELLS = """() => [...window.jupyterapp.shell.currentWidget.context.model.cells].map(cell => {
  const { id, execution_count, outputs } = cell.toJSON();
  const errors = (outputs ?? []).filter(each => each.output_type === "error").map(each => each.evalue);
  return { id, code: cell.type === "code", count: execution_count, trusted: cell.trusted, errors }; })"""
LOOK = """panel => {
  const all = selector => [...document.querySelectorAll(`${panel} ${selector}`)];
  return {
    headings: all(".jp-RenderedMarkdown :is(h1, h2, h3, h4, h5, h6)").map(each => Number(each.tagName[1])),
    pictures: all(".jp-OutputArea-output img, .jp-RenderedMarkdown img").map(each => ({
      alt: each.alt, width: each.naturalWidth, height: each.naturalHeight,
      fits: each.getBoundingClientRect().right <= each.closest(".jp-Cell").getBoundingClientRect().right })),
    cells: all(".jp-Cell").map(each => [...each.querySelectorAll(".jp-OutputArea-output")]
      .map(output => output.innerText + "[picture]".repeat(output.querySelectorAll("img").length)).join("\\n")),
  }; }"""


@dataclass
class Look:
    """What is to be seen of a notebook."""

    headings: list[int]  # their levels
    pictures: list[dict[str, Any]]
    cells: list[str]  # what stands under each cell


class Notebook:
    """A notebook that JupyterLab shows, in a page of its own."""

    def __init__(self, browser: BrowserContext, lab: Running, path: str):
        self.page = browser.new_page()
        self.page.set_default_timeout(SLOW)
        self.page.set_viewport_size({"width": 1280, "height": 1000})
        self.origin = lab.origin
        self.console: list[str] = []
        self.elsewhere: list[str] = []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.console.append(f"uncaught: {error}"))
        self.page.on("request", self.asked)
        # A workspace of its own: else JupyterLab opens the notebooks of earlier pages again.
        address = f"{lab.origin}/lab/workspaces/test-{next(NUMBERS)}/tree/{path}?token={lab.token}"
        self.page.goto(address, wait_until="domcontentloaded")
        self.panel = self.page.locator(PANEL)
        self.panel.locator(".jp-Cell").first.wait_for()
        self.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
        self.page.wait_for_function(IDLE)
        self.page.wait_for_function(DRAWN, arg=PANEL)
        self.places = {cell["id"]: place for place, cell in enumerate(self.cells())}

    def heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(NOISE):
            self.console.append(f"{message.type}: {message.text}")

    def asked(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def cells(self) -> list[dict[str, Any]]:
        """Each cell's id, whether it is code, trusted, and what became of it."""
        return self.page.evaluate(CELLS)

    def look(self) -> Look:
        return Look(**self.page.evaluate(LOOK, PANEL))

    def cell(self, name: str) -> Locator:
        """The cell with this id."""
        return self.panel.locator(".jp-Cell").nth(self.places[name])

    def output(self, name: str) -> Locator:
        """What stands under a cell. Its editor holds many of the same words."""
        return self.cell(name).locator(".jp-Cell-outputArea")

    def theme(self, name: str) -> None:
        """Change to the theme "Light" or "Dark"."""
        wanted = f"JupyterLab {name}"
        self.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", wanted)
        self.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=wanted)

    def run_all(self) -> None:
        """Run all cells, and wait for the last and for what it shows."""
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function(IDLE)
        self.page.wait_for_function(DRAWN, arg=PANEL)

    def write(self, name: str, text: str) -> None:
        """Type over what stands in a cell, and run it."""
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+Enter")

    def try_out(self, text: str) -> Locator:
        """Save, write a cell at the end, and run it; what stands under it."""
        self.page.evaluate(SAVE_AND_ADD)
        cell = self.panel.locator(".jp-Cell").last
        cell.locator(".cm-content").click()
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+Enter")
        return cell.locator(".jp-Cell-outputArea")

    def run(self, name: str) -> None:
        """Run one cell as a reader does."""
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")

    def violations(self) -> str:
        """What axe-core finds wrong with our own part of the page on level A or AA; nothing is an empty text."""
        options = {"resultTypes": ["violations"], "runOnly": LEVELS}
        found = Axe().run(self.page, context={"include": OURS}, options=options)
        return found.generate_report() if found.violations_count else ""

    def close(self) -> None:
        """Stop the kernel and close the page."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        self.page.close()
