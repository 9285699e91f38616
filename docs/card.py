"""The pictures that are shown elsewhere, drawn in Chromium: the card of a link to the site, a lesson for the README.

python docs/card.py [--chromium PROGRAM]

The card is docs/theme/static/card.png, made from lesson 1. The lesson is docs/lesson-light.png and three more, for the
dark and for phones: a question of lesson 1 on the site in `build/site` (`make site` makes it), answered wrongly.
"""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
THEME = ROOT / "docs" / "theme" / "static"
CARD = THEME / "card.png"
SIZE = {"width": 1200, "height": 630}
STYLE = """
body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 54px 64px; color: #e8ecf1;
  background: #111418; font-family: Course; }
h1 { font-size: 70px; letter-spacing: -0.035em; margin: 0 0 6px; line-height: 1.1; }
h1 code { font: 600 62px "DejaVu Sans Mono", ui-monospace, monospace; letter-spacing: -0.05em; }
p { font-size: 26px; margin: 0; color: #a9b2bc; }
svg { display: block; width: 1072px; height: 380px; margin-top: 24px; DARK }
"""
# The colours of the explorers on a dark page; the picture has its own for where there is no page.
INK = {"ink": "#e8ecf1", "soft": "#a9b2bc", "line": "#8b949e", "faint": "#3c444d", "panel": "#1c2128"}
INK |= {"ground": "#111418", "leaf": "#6cb8f2", "flow": "#ffa35c", "done": "#5fcf9f"}

# A lesson in the README: as wide as it is shown there, so that its letters keep their size; an edge makes it a card.
SHOWN, NARROW = 600, 390
EDGES = {"light": "#d1d9e0", "dark": "#3d444d"}  # GitHub's own
FRAME = """<style>body { margin: 0; background: none }</style><img style="display: block; box-sizing: border-box;
  border: 1px solid %s; border-radius: 10px; width: %dpx" src="data:image/png;base64,%s">"""
ABOVE = """heading => [...document.querySelectorAll("div.cell")].find((each) =>
  heading.compareDocumentPosition(each) & 4).getBoundingClientRect().top + scrollY"""


def picture() -> str:
    """The walk of lesson 1, as it stands when it has ended."""
    cells = json.loads((ROOT / "lessons" / "01_scalar_backward.ipynb").read_text(encoding="utf-8"))["cells"]
    (found,) = (each for each in cells if each["id"] == "backward-picture")
    return "".join(found["outputs"][-1]["data"]["image/svg+xml"])


def page() -> str:
    """The card as a page."""
    letters = base64.b64encode((THEME / "fonts" / "text.woff2").read_bytes()).decode()
    face = f"@font-face {{ font-family: Course; src: url(data:font/woff2;base64,{letters}); font-weight: 100 900; }}"
    words = "<h1>What does <code>backward()</code> do?</h1><p>Build it yourself. Real torch checks every line.</p>"
    style = STYLE.replace("DARK", " ".join(f"--{name}: {value} !important;" for name, value in INK.items()))
    return f"<!doctype html><style>{face}{style}</style>{words}{picture()}"


def lesson(browser: Browser, scheme: Literal["light", "dark"], narrow: bool) -> Path:
    """A question with its first answer chosen, which is wrong; the result below it waits."""
    width = NARROW if narrow else SHOWN
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, device_scale_factor=2, reduced_motion="reduce"
    )
    window = context.new_page()
    window.goto((ROOT / "build" / "site" / "lessons" / "01_scalar_backward.html").as_uri())
    window.locator(".mg-choice").first.click()
    window.evaluate("document.fonts.ready")
    window.add_style_tag(content=".mobile-header, .skip-to-content { display: none !important }")
    top = window.locator("h2").nth(1).evaluate(ABOVE) - 20
    end = window.locator("summary").first.evaluate("node => node.getBoundingClientRect().bottom + scrollY") + 20
    taken = window.screenshot(full_page=True, clip={"x": 0, "y": top, "width": width, "height": end - top})
    written = ROOT / "docs" / f"lesson-{scheme}{'-narrow' if narrow else ''}.png"
    window.set_content(FRAME % (EDGES[scheme], width, base64.b64encode(taken).decode()))
    window.locator("img").screenshot(path=written, omit_background=True)
    context.close()
    return written


def main() -> int:
    """Draw them."""
    parser = argparse.ArgumentParser(description="Draw the card of the site, and a lesson for the README.")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser's program")
    options = parser.parse_args()
    if not Path(options.chromium).is_file():
        print(f"There is no browser at {options.chromium}. Name one with --chromium.")
        return 2
    if not (ROOT / "build" / "site").is_dir():
        print("There is no site in build/site: make site writes it.")
        return 2
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox", "--disable-gpu"]) as browser,
    ):
        window = browser.new_page(viewport=SIZE)
        window.set_content(page())
        window.evaluate("document.fonts.ready")
        window.screenshot(path=CARD)
        made = [CARD, *(lesson(browser, each, narrow) for each in ("light", "dark") for narrow in (False, True))]
    print(*(each.relative_to(ROOT) for each in made), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
