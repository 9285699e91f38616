"""How long a move of an explorer takes in the browser, from the event to the new layout, as the page measures it.

    python benchmarks/explorers.py build/site

reads the pages of a built site (`make site`) in headless Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from explored import EXPLORERS, times_of_moves

ROUNDS = 300


def main(site: Path) -> int:
    """Print the median, the 90th percentile and the longest time of each explorer with a slider."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if not (site / "lessons").is_dir() or browser_path is None:
        missing = "a Chromium: apt install chromium" if browser_path is None else f"a site in {site}: make site"
        print(f"There is nothing to measure without {missing}", file=sys.stderr)
        return 2
    print(f"{'lesson':24}{'explorer':20}{'median':>10}{'90 %':>10}{'longest':>10}   milliseconds, {ROUNDS} moves")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        for lesson, explorers in EXPLORERS.items():
            page.goto((site / "lessons" / f"{lesson}.html").resolve().as_uri())
            roots = page.locator(".mg-page .mg[aria-label^=Explorer]")
            roots.first.wait_for()
            for number, cell in enumerate(explorers):
                root = roots.nth(number)
                if root.locator("input[type=range]").count():
                    times = times_of_moves(root, ROUNDS)
                    shown = [times[len(times) // 2], times[int(len(times) * 0.9)], times[-1]]
                    print(f"{lesson:24}{cell:20}" + "".join(f"{each:10.1f}" for each in shown))
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")))
