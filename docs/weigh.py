"""How heavy and how quick the pages of a built site are, in a headless Chromium.

    python docs/weigh.py build/site [PAGE …]

prints a table: bytes of all resources without fonts, packed as GitHub Pages sends them and unpacked, the largest
contentful paint, the layout shift, and the time in which scripts block the page. The processor is slowed down four
times, as in a mobile test of Lighthouse; the net is the machine's own.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import threading
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

PAGES = (
    *("docs/index.html", "lessons/00_start_here.html", "lessons/01_scalar_backward.html"),
    *("lessons/02_upstream_gradients.html", "lessons/03_jacobian_sums.html", "lessons/04_leaves.html"),
    *("lessons/05_train_a_network.html", "exercises/01_scalar_backward.html", "docs/engine/arithmetic.html"),
)
PACKED = (".html", ".css", ".js", ".svg", ".xml", ".txt")
SLOWDOWN = 4
WATCH = """
window.seen = { paint: 0, shift: 0, blocked: 0 };
const watch = (type, take) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
watch("largest-contentful-paint", (each) => { seen.paint = each.startTime; });
watch("layout-shift", (each) => { seen.shift += each.hadRecentInput ? 0 : each.value; });
watch("longtask", (each) => { seen.blocked += Math.max(0, each.duration - 50); });
"""


@dataclass
class Weight:
    """What was measured of a page: kilobytes, milliseconds, and a share of the window."""

    page: str
    packed: float
    whole: float
    paint: float
    shift: float
    blocked: float


class Packing(http.server.SimpleHTTPRequestHandler):
    """Sends texts packed, as GitHub Pages does, and says nothing."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in PACKED or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def weigh(browser: Browser, address: str, page: str, site: Path) -> Weight:
    """Open a page as if for the first time, on a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    window = context.new_page()
    window.add_init_script(WATCH)
    window.context.new_cdp_session(window).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    asked: list[str] = []
    window.on("request", lambda each: asked.append(each.url))
    window.goto(f"{address}/{page}", wait_until="networkidle")
    seen = window.evaluate("seen")
    context.close()
    files = [site / each.removeprefix(f"{address}/").partition("?")[0] for each in asked if each.startswith(address)]
    texts = [(each.read_bytes(), each.suffix in PACKED) for each in files if each.is_file() and each.suffix != ".woff2"]
    packed = sum(len(gzip.compress(text, 6)) if pack else len(text) for text, pack in texts)
    return Weight(page, packed / 1000, sum(len(text) for text, _ in texts) / 1000, **seen)


def measured(site: Path, pages: tuple[str, ...], chromium: str | None = None) -> list[Weight]:
    """All pages, one after the other."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Packing, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with (
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]) as browser,
        ):
            return [weigh(browser, f"http://127.0.0.1:{server.server_port}", page, site) for page in pages]
    finally:
        server.shutdown()
        server.server_close()


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Weigh the pages of a built site.")
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser's program")
    options = parser.parse_args()
    if not (options.site / "index.html").is_file():
        print(f"There is no site in {options.site}. Run: make site")
        return 2
    if not Path(options.chromium).is_file():
        print(f"There is no browser at {options.chromium}. Name one with --chromium.")
        return 2
    print(f"{'page':40}{'kB sent':>9}{'kB':>7}{'LCP ms':>8}{'CLS':>7}{'TBT ms':>8}")
    for each in measured(options.site, tuple(options.pages), options.chromium):
        print(f"{each.page:40}{each.packed:9.0f}{each.whole:7.0f}{each.paint:8.0f}{each.shift:7.3f}{each.blocked:8.0f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
