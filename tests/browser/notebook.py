"""A notebook in JupyterLab, in a real browser: what a test does with it, and sees of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Request
from playwright.sync_api import TimeoutError as TooSlow
from served import Running

SLOW = 120_000  # milliseconds: for a machine that is busy; nothing waits longer than it has to
OFTEN = 100  # milliseconds: asked at every frame, as otherwise, a page would be drawn again for each answer
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# What the console says although nothing is wrong with the course:
# webpack, where an extension that somebody has installed was built for another version of a library of JupyterLab.
NOISE = ("Unsatisfied version",)

PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
# What is ours: JupyterLab's own tool bars and editors have names and roles that a notebook cannot mend.
OURS = [[f"{PANEL} .jp-OutputArea-output"], [f"{PANEL} .jp-RenderedMarkdown"]]

READY = "() => window.jupyterapp?.restored.then(() => true)"
OPEN = """async ([path, id]) => { const { commands, shell } = window.jupyterapp;
  await commands.execute("docmanager:open", { path, ...(id && { kernel: { id } }) });
  shell.collapseLeft(); }"""
START = "async () => (await window.jupyterapp.serviceManager.kernels.startNew({ name: 'python3' })).id"
# What was not saved is lost, without a question.
CLOSE = """async stop => { const { currentWidget } = window.jupyterapp.shell;
  if (stop) await currentWidget.sessionContext.shutdown();
  currentWidget.dispose(); }"""
IDLE = """() => { const panel = window.jupyterapp?.shell?.currentWidget;
  return !!panel?.context?.isReady && panel.sessionContext.session?.kernel?.status === "idle"; }"""
# What is asked of a page that does not become idle.
STATE = """() => { const { currentWidget } = window.jupyterapp.shell;
  const { sessionContext, context } = currentWidget ?? {}, kernel = sessionContext?.session?.kernel;
  return { shown: currentWidget?.title.label, loaded: context?.isReady, says: sessionContext?.kernelDisplayStatus,
    input: sessionContext?.pendingInput, kernel: kernel?.id, status: kernel?.status,
    connection: kernel?.connectionStatus, visible: document.visibilityState,
    dialogs: [...document.querySelectorAll(".jp-Dialog")].map(each => each.innerText) }; }"""
# Text cells are rendered one after another, and views are fetched when their turn comes.
DRAWN = """panel => [...document.querySelectorAll(`${panel} .jp-MarkdownCell`)].every(
    cell => cell.querySelector(".jp-RenderedMarkdown")?.textContent.trim())
  && [...document.querySelectorAll(`${panel} [data-mime-type="application/vnd.minigrad.explorer+json"]`)].every(
    output => output.querySelector(".mg")?.childElementCount)"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
SAVE_AND_ADD = """async () => { const { commands, shell } = window.jupyterapp;
  await commands.execute("docmanager:save");
  const notebook = shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.length - 1;
  await commands.execute("notebook:insert-cell-below"); }"""
START_CELL = """place => { const { commands, shell } = window.jupyterapp;
  shell.currentWidget.content.activeCellIndex = place;
  void commands.execute("notebook:run-cell"); }"""
TAB = """() => { const label = document.querySelector(".lm-DockPanel .lm-mod-current .lm-TabBar-tabLabel");
  const style = pseudo => getComputedStyle(label, pseudo);
  const shown = pseudo => style(pseudo).fontSize === "0px" ? "" : style(pseudo).content;
  return shown("::before").replaceAll('"', "") + (shown(null) && label.textContent); }"""
TELL = """code => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code }).done
  .then(() => true)"""
CELLS = """() => [...window.jupyterapp.shell.currentWidget.context.model.cells].map(cell => {
  const { id, execution_count, outputs } = cell.toJSON();
  const errors = (outputs ?? []).filter(each => each.output_type === "error").map(each => each.evalue);
  return { id, code: cell.type === "code", count: execution_count, trusted: cell.trusted, errors }; })"""
LOOK = """panel => {
  const all = selector => [...document.querySelectorAll(`${panel} ${selector}`)];
  const right = node => node.getBoundingClientRect().right;
  return {
    pictures: all(".mg svg.mg-still").map(each => ({
      alt: each.getAttribute("aria-label"), width: each.clientWidth, height: each.clientHeight,
      fits: right(each.closest(".mg")) <= right(each.closest(".jp-Cell")) })),
    cells: all(".jp-Cell").map(each => [...each.querySelectorAll(".jp-OutputArea-output")]
      .map(output => output.innerText + "[picture]".repeat(output.querySelectorAll("svg").length)).join("\\n")),
  }; }"""


@dataclass
class Look:
    """What is to be seen of a notebook."""

    pictures: list[dict[str, Any]]
    cells: list[str]  # what stands under each cell


class Lab:
    """JupyterLab in a page: loading it takes longer than all it does with a notebook, so it is loaded once."""

    def __init__(self, browser: BrowserContext, server: Running):
        self.page = browser.new_page()
        self.page.set_default_timeout(SLOW)
        self.page.set_viewport_size({"width": 1280, "height": 1000})
        self.server = server
        self.console: list[str] = []
        self.elsewhere: list[str] = []
        self.kernel = ""  # of the notebooks in which nothing is run
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.console.append(f"uncaught: {error}"))
        self.page.on("request", self.asked)
        # A workspace of its own, with nothing open.
        address = f"{server.origin}/lab/workspaces/test?token={server.token}&reset"
        self.page.goto(address, wait_until="domcontentloaded")
        self.page.wait_for_function(READY)

    def heard(self, message: ConsoleMessage) -> None:
        slow = " ms to activate" in message.text  # says JupyterLab of a plugin where a machine is busy
        if message.type in ("error", "warning") and not slow and not message.text.startswith(NOISE):
            self.console.append(f"{message.type}: {message.text}")

    def asked(self, request: Request) -> None:
        if not request.url.startswith((self.server.origin, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def open(self, path: str, runs: bool = True) -> Notebook:
        """A notebook of the course; with a kernel of its own if something runs in it."""
        if not runs and not self.kernel:
            self.kernel = self.page.evaluate(START)
        return Notebook(self, path, "" if runs else self.kernel)

    def close(self) -> None:
        self.page.close()


class Notebook:
    """A notebook that JupyterLab shows."""

    def __init__(self, lab: Lab, path: str, kernel: str):
        self.page, self.kernel, self.server = lab.page, kernel, lab.server
        lab.console, lab.elsewhere = self.console, self.elsewhere = [], []
        self.page.evaluate(OPEN, [path, kernel])
        self.panel = self.page.locator(PANEL)
        self.panel.locator(".jp-Cell").first.wait_for()
        self.settle()
        self.places = {cell["id"]: place for place, cell in enumerate(self.cells())}

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
        # JupyterLab covers itself for a moment, and trips over its cover if the next change comes before that is gone.
        self.page.wait_for_function("() => !document.getElementById('jupyterlab-splash')")

    def run_all(self) -> None:
        """Run all cells, and wait for the last and for what it shows."""
        self.page.evaluate(RUN_ALL)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing runs and everything is drawn."""
        self.idle()
        self.page.wait_for_function(DRAWN, arg=PANEL, polling=OFTEN)

    def idle(self) -> None:
        """Wait until nothing runs; if that never comes, say what is seen instead."""
        try:
            self.page.wait_for_function(IDLE, polling=OFTEN)
        except TooSlow:
            raise AssertionError(f"its kernel is not idle after {SLOW // 1000} seconds:\n{self.state()}") from None

    def state(self) -> str:
        """What a page shows, and what it and its server have said."""
        return "\n".join(
            [
                f"page: {self.page.evaluate(STATE)}",
                f"console: {self.console}",
                f"kernels of the server: {self.server.get('/api/kernels').decode()}",
                f"the server's last lines: {''.join(self.server.later[-40:])}",
            ]
        )

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
        """Run one cell, folded or not."""
        self.page.evaluate(START_CELL, self.places[name])

    def tell(self, code: str) -> None:
        """Run a line in the kernel; the notebook does not change."""
        self.page.evaluate(TELL, code)

    def tab(self) -> str:
        """What the notebook's tab says."""
        return self.page.evaluate(TAB)

    def violations(self) -> str:
        """What axe-core finds wrong with our own part of the page on level A or AA; nothing is an empty text."""
        options = {"resultTypes": ["violations"], "runOnly": LEVELS}
        found = Axe().run(self.page, context={"include": OURS}, options=options)
        return found.generate_report() if found.violations_count else ""

    def close(self) -> None:
        """Close it, and stop its kernel if it has one of its own."""
        self.page.evaluate(CLOSE, not self.kernel)
