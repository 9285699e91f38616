"""Programs on the site, run while it is built: what torch says, what minigrad explains, what the graph is.

    ```{torch} [mended]        a program and its output on torch; `mended` has to end well, and alike on minigrad
    ```{explained}             what `minigrad explain` says about the program above
    ```{graph}                 a picture: Python that ends with an expression, where `torch` is minigrad

What was run is kept in `build/answers.json`, by the program's text and the engines' versions.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import html
import importlib.metadata
import io
import json
import linecache
import os
import re
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.directives.code import container_wrapper
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "answers.json"
NAME = "program.py"
PROGRAM = re.compile(r"^```\{torch\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 120
CSS = """
.mg-text pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.mg-graph { margin: 1.5rem 0; overflow-x: auto; }
.mg-explained { border-left: 4px solid var(--mg-leaf, #0b62a6); background: var(--mg-panel, #f6f8fa);
  color: var(--mg-ink, #1b1f24); padding: 0.75rem 1.1rem 0.9rem; margin: 1.5rem 0;
  border-radius: 0 6px 6px 0; }
.mg-explained p { margin: 0 0 0.6rem; }
.mg-explained code { background: none; border: 0; padding: 0; color: inherit; font-size: 0.92em;
  overflow-wrap: anywhere; }
.mg-explained .mg-command { color: var(--mg-soft, #57606a); font-size: 0.9rem; }
.mg-explained .mg-headline { font-weight: 600; }
.mg-explained ol { list-style: none; margin: 0 0 0.8rem; padding: 0; }
.mg-explained ol li { display: grid; grid-template-columns: 4.2rem 1fr; column-gap: 0.6rem; margin: 0 0 0.55rem; }
.mg-explained ol span { color: var(--mg-soft, #57606a); }
.mg-explained ol code { font-weight: 600; }
.mg-explained ol p { grid-column: 2; margin: 0; }
.mg-explained ul { margin: 0; padding-left: 1.2rem; }
"""


# --- running -------------------------------------------------------------------------------------


class Answers:
    """What programs gave, each run once; all programs of a folder by one process, which imports the engine once."""

    def __init__(self, kept: Path = KEPT):
        self.kept = kept
        self.known: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError):
            self.known = json.loads(kept.read_text(encoding="utf-8"))
        code = b"".join(path.read_bytes() for path in sorted((ROOT / "minigrad").rglob("*.py")))
        versions = [hashlib.sha256(code + Path(__file__).read_bytes()).hexdigest()]
        self.versions = [*versions, importlib.metadata.version("torch"), sys.version]

    def key(self, how: str, program: str) -> str:
        """What the answer is kept under."""
        return hashlib.sha256(json.dumps([how, program, *self.versions]).encode()).hexdigest()

    def on(self, engine: str, program: str, folder: Path) -> dict[str, str]:
        """What the program prints on torch or minigrad, how it ends, and what `minigrad explain` says."""
        if self.key(engine, program) not in self.known:
            texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]
            programs = [*dict.fromkeys([program, *[found for text in texts for found in PROGRAM.findall(text)]])]
            ran = subprocess.run(
                [sys.executable, "-P", __file__, engine],
                input=json.dumps(programs),
                stdout=subprocess.PIPE,
                encoding="utf-8",
                timeout=SECONDS,
                check=True,
                env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
            )
            for each, found in zip(programs, json.loads(ran.stdout), strict=True):
                self.known[self.key(engine, each)] = found
            self.keep()
        return self.known[self.key(engine, program)]

    def keep(self) -> None:
        """Write what is known to the disk."""
        self.kept.parent.mkdir(exist_ok=True)
        self.kept.write_text(json.dumps(self.known, ensure_ascii=False, indent=1), encoding="utf-8")


def ran_here(program: str, explains: bool) -> dict[str, str]:
    """Run a program in this process: what it printed, how Python says that it ended, and what minigrad explains."""
    from minigrad.course import case, explain, places, watching

    printed, said = io.StringIO(), io.StringIO()
    linecache.cache[NAME] = (len(program), None, program.splitlines(keepends=True), NAME)
    names: dict[str, Any] = {"__name__": "__main__"}
    failed: Exception | None = None
    with contextlib.ExitStack() as around:
        seen = around.enter_context(watching.watch()) if explains else None
        for each in (contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said), warnings.catch_warnings()):
            around.enter_context(each)
        warnings.simplefilter("default")
        try:
            exec(compile(program, NAME, "exec"), names)
        except Exception as error:
            failed = error
            told = traceback.TracebackException.from_exception(error)
            told.stack = traceback.StackSummary.from_list([each for each in told.stack if each.filename == NAME])
            said.write("".join(told.format()))
    found = {"printed": printed.getvalue(), "error": said.getvalue(), "explained": ""}
    if seen is not None:
        sources = places.Sources({NAME: program})
        explanation = explain.explanation(case.Case(failed, seen, sources, names))
        found["explained"] = explanation.text(sources, NAME) if explanation else ""
    return found


# --- showing -------------------------------------------------------------------------------------


LINE = re.compile(r"^  (line \d+) +(.*)$")


def explained(text: str) -> str:
    """The text of an explanation as HTML that fits any width."""
    told = text.split("\n\nWhat to do:\n")
    head, steps = told[0].strip("\n").rsplit("\n\n", 1)
    headline = " ".join(head.split())
    parts = [f'<p class="mg-headline">{coded(headline)}</p><ol class="mg-steps">']
    roles: list[str] = []
    for line in [*steps.splitlines(), "  line 0 end"]:
        if found := LINE.match(line):
            if roles:
                parts.append(f"<p>{coded(' '.join(roles))}</p></li>")
            if line != "  line 0 end":
                parts.append(f"<li><span>{found[1]}</span><code>{html.escape(found[2])}</code>")
            roles = []
        elif roles and roles[-1].endswith("."):
            parts.append(f"<p>{coded(' '.join(roles))}</p>")
            roles = [line.strip()]
        else:
            roles.append(line.strip())
    parts.append("</ol><p>What to do:</p><ul>")
    advice = re.split(r"^  - ", told[1], flags=re.MULTILINE)[1:]
    parts += [f"<li>{coded(' '.join(each.split()))}</li>" for each in advice]
    caption = f"<p class='mg-command'><code>minigrad explain {NAME}</code></p>"
    return f'<div class="mg-explained">{caption}{"".join(parts)}</ul></div>'


def coded(text: str) -> str:
    """Text as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


class Running(SphinxDirective):
    """Base: a directive around a program."""

    has_content = True
    answers: ClassVar[Answers | None] = None

    @property
    def known(self) -> Answers:
        """The answers, read once."""
        if Running.answers is None:
            Running.answers = Answers()
        return Running.answers

    @property
    def folder(self) -> Path:
        """Where the page is."""
        return Path(self.env.doc2path(self.env.docname)).parent

    def shown(self, text: str, language: str, caption: str) -> nodes.Node:
        """A text under a caption."""
        block = nodes.literal_block(text, text, language=language)
        found = container_wrapper(self, block, caption)
        found["classes"].append(f"mg-{language}")
        return found


class Torch(Running):
    """A program and what torch says."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        program = "\n".join(self.content) + "\n"
        mended = self.arguments == ["mended"]
        found = self.known.on("torch", program, self.folder)
        self.env.temp_data["program"] = program
        if mended:
            ours = self.known.on("minigrad", program, self.folder)
            if found["error"] or ours["error"] or ours["printed"] != found["printed"]:
                raise self.error(f"not mended: torch says {found}, minigrad {ours}")
        elif not found["error"]:
            raise self.error("torch has nothing to say about this program")
        said = (found["printed"] + found["error"]).rstrip()
        caption = f"{NAME}, mended" if mended else NAME
        return [self.shown(program, "python", caption), self.shown(f"$ python {NAME}\n{said}", "text", "torch says")]


class Explained(Running):
    """What `minigrad explain` says about the program above."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        found = self.known.on("minigrad", self.env.temp_data["program"], self.folder)
        if not found["explained"]:
            raise self.error(f"nothing is explained: {found}")
        return [nodes.raw("", explained(found["explained"]), format="html")]


class Graph(Running):
    """A picture that minigrad computes."""

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        import minigrad
        from minigrad.course import pictures
        from minigrad.course.explorers import pages
        from minigrad.course.saving import MIME

        body = ast.parse("\n".join(self.content)).body
        last = body.pop()
        if not isinstance(last, ast.Expr):
            raise self.error("the last line has to be an expression")
        names: dict[str, Any] = {"torch": minigrad, **{name: getattr(pictures, name) for name in pictures.__all__}}
        exec(compile(ast.Module(body, []), "<graph>", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "<graph>", "eval"), names)._repr_mimebundle_()
        picture = pages.block(shown[MIME], shown["image/svg+xml"])
        return [nodes.raw("", f'<div class="mg-graph">{picture}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    static = ROOT / "build" / "explorers"
    static.mkdir(parents=True, exist_ok=True)
    (static / "answers.css").write_text(CSS, encoding="utf-8")
    app.add_css_file("answers.css")
    for name, directive in {"torch": Torch, "explained": Explained, "graph": Graph}.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": False}


def main(engine: str) -> None:
    """Run programs, a list of texts as JSON on standard input, on torch or minigrad."""
    if engine == "minigrad":
        from minigrad.course import torch_shim

        torch_shim.install()
    print(json.dumps([ran_here(program, engine == "minigrad") for program in json.load(sys.stdin)]))


if __name__ == "__main__":
    main(sys.argv[1])
