"""The programs of docs/questions: what torch says, what minigrad explains, what the graph is.

The pages hold it as plain Markdown, for a reader on GitHub:

    ```python [mended]         a program; `mended` has to end well, and alike on minigrad
    ```console                 after `$ python program.py`, what it prints on torch
    ```console                 after `$ minigrad explain program.py`, what that says about the program above
    <!-- graph                 Python that ends with a picture, where `torch` is minigrad; below it the picture's file

The site runs every program while it is built, and is not built from a page that holds something else;
`python docs/answers.py --write` writes the pages anew. What was run is kept in `build/answers.json`, by the program's
text and the engines' versions.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import functools
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
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.directives.code import container_wrapper
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "answers.json"
NAME = "program.py"
PAGES = ROOT / "docs" / "questions"
PROGRAM = re.compile(r"^```python(?: mended)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GRAPH = re.compile(r"^<!-- graph\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
# What stands on a page: a program with its output; an explanation; the program of a picture, its words and its file.
STORED = re.compile(
    rf"^```python(?P<mended> mended)?\n(?P<program>(?:(?!```).*\n)+)```\n\n"
    rf"```console\n\$ python {NAME}\n(?:(?!```).*\n)*```$"
    rf"|^```console\n(?P<explain>\$ minigrad explain {NAME})\n(?:(?!```).*\n)*```$"
    r"|^<!-- graph\n(?P<graph>(?:(?!-->).*\n)+)-->\n!\[.*\]\((?P<file>.*)\)$",
    re.MULTILINE,
)
# What differs from one Python to the next, below a line of a traceback, and from one build of torch to the next.
VARIES = re.compile(r"^ +[~^]+\n| \(Triggered internally at .*\)$", re.MULTILINE)
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
        code = b"".join(
            path.read_bytes()
            for folder in ("minigrad", "minigrad_course")
            for path in sorted((ROOT / folder).rglob("*.py"))
        )
        ours = [hashlib.sha256(each).hexdigest() for each in (code, Path(__file__).read_bytes())]
        self.versions = [*ours, importlib.metadata.version("torch"), sys.version]

    def key(self, how: str, program: str) -> str:
        """What the answer is kept under."""
        versions = self.versions[1:] if how == "torch" else self.versions  # torch says the same whatever our code is
        return hashlib.sha256(json.dumps([how, program, *versions]).encode()).hexdigest()

    def on(self, engine: str, program: str, folder: Path) -> dict[str, Any]:
        """What the program prints on torch or minigrad, and how it ends; what `minigrad explain` says; or its graph."""
        if self.key(engine, program) not in self.known:
            texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]
            pattern = GRAPH if engine == "graph" else PROGRAM
            programs = [*dict.fromkeys([program, *[found for text in texts for found in pattern.findall(text)]])]
            ran = subprocess.run(
                [sys.executable, "-P", __file__, engine],
                input=json.dumps(programs),
                stdout=subprocess.PIPE,
                encoding="utf-8",
                timeout=SECONDS,
                check=True,
                env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "MINIGRAD_FASTPATH": "0"},
            )
            for each, found in zip(programs, json.loads(ran.stdout), strict=True):
                self.known[self.key(engine, each)] = found
            self.keep()
        return self.known[self.key(engine, program)]

    def keep(self) -> None:
        """Write what is known to the disk."""
        self.kept.parent.mkdir(exist_ok=True)
        self.kept.write_text(json.dumps(self.known, ensure_ascii=False, indent=1), encoding="utf-8")


def ran_here(program: str) -> dict[str, str]:
    """Run a program in this process: what it printed, and how Python says that it ended."""
    printed, said = io.StringIO(), io.StringIO()
    linecache.cache[NAME] = (len(program), None, program.splitlines(keepends=True), NAME)
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.ExitStack() as around:
        for each in (contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said), warnings.catch_warnings()):
            around.enter_context(each)
        warnings.simplefilter("default")
        try:
            exec(compile(program, NAME, "exec"), names)
        except Exception as error:
            told = traceback.TracebackException.from_exception(error)
            told.stack = traceback.StackSummary.from_list([each for each in told.stack if each.filename == NAME])
            said.write("".join(told.format()))
    return {"printed": printed.getvalue(), "error": VARIES.sub("", said.getvalue())}


def explained_here(programs: list[str]) -> list[dict[str, str]]:
    """What `minigrad explain` says of each program."""
    from minigrad_course.explain import advice, program, reading
    from minigrad_course.explain.trials import pool

    workers, found = pool.Pool(), []
    for text in programs:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder).resolve() / NAME)
            source = reading.Source(path, text, str(Path(path).parent), [NAME], {"__file__": path})
            told, _ = advice.in_pool(source, {"torch": 0, "python": 0}, workers)
            said = advice.lines(told, {path: program.Program(path, text)}, path)
        found.append({"explained": "\n".join(said)})
    workers.close()
    return found


def drawn(code: str) -> dict[str, Any]:
    """Compute a picture in this process: its data, its SVG and its words."""
    import minigrad
    from minigrad_course import pictures
    from minigrad_course.texts.saving import MIME

    body = ast.parse(code).body
    last = body.pop()
    assert isinstance(last, ast.Expr), f"the last line has to be an expression:\n{code}"
    names: dict[str, Any] = {"torch": minigrad, **{name: getattr(pictures, name) for name in pictures.__all__}}
    exec(compile(ast.Module(body, []), "<graph>", "exec"), names)
    shown = eval(compile(ast.Expression(last.value), "<graph>", "eval"), names)._repr_mimebundle_()
    return {"data": shown[MIME], "svg": shown["image/svg+xml"], "words": shown["text/plain"]}


# --- the pages -----------------------------------------------------------------------------------


def renewed(text: str, answers: Answers) -> tuple[str, dict[str, str]]:
    """A page with what its programs give now, and its pictures by the names of their files."""
    pictures: dict[str, str] = {}
    program = ""

    def now(found: re.Match[str]) -> str:
        nonlocal program
        if code := found["graph"]:
            picture = answers.on("graph", code, PAGES)
            pictures[found["file"]] = picture["svg"]
            return f"<!-- graph\n{code}-->\n![{picture['words']}]({found['file']})"
        if found["explain"]:
            told = answers.on("explain", program, PAGES)["explained"]
            return f"```console\n{found['explain']}\n…\n{told.strip()}\n```"
        program = found["program"]
        ran = answers.on("torch", program, PAGES)
        said = (ran["printed"] + ran["error"]).rstrip()
        return f"```python{found['mended'] or ''}\n{program}```\n\n```console\n$ python {NAME}\n{said}\n```"

    return STORED.sub(now, text), pictures


def write() -> None:
    """Write all pages anew."""
    answers = Answers()
    for path in PAGES.glob("*.md"):
        text, pictures = renewed(path.read_text(encoding="utf-8"), answers)
        path.write_text(text, encoding="utf-8", newline="\n")
        for name, picture in pictures.items():
            (PAGES / name).write_text(picture, encoding="utf-8", newline="\n")


def compared(app: Sphinx, name: str, text: list[str]) -> None:
    """The pages hold what comes out today, or there is no site; then the directives show it."""
    if not name.startswith("docs/questions/"):
        return
    fresh, pictures = renewed(text[0], Running.known())
    files = {PAGES / each: svg for each, svg in pictures.items()}
    stale = [file.name for file, svg in files.items() if not file.is_file() or file.read_text("utf-8") != svg]
    if fresh != text[0] or stale:
        changed = difflib.unified_diff(text[0].splitlines(), fresh.splitlines(), lineterm="", n=0)
        asks = "run `python docs/answers.py --write` and read what has changed"
        raise ExtensionError("\n".join([f"{name}.md is not what its programs give now: {asks}.", *changed, *stale]))
    text[0] = STORED.sub(directive, text[0])


def directive(found: re.Match[str]) -> str:
    """What shows it on the site."""
    if found["graph"]:
        return f"```{{graph}}\n{found['graph']}```"
    return "```{explained}\n```" if found["explain"] else f"```{{torch}}{found['mended'] or ''}\n{found['program']}```"


# --- showing -------------------------------------------------------------------------------------


def explained(text: str) -> str:
    """The text of an explanation as HTML that fits any width."""
    parts: list[str] = []
    before = ""
    for line in text.splitlines():
        kind, body = kind_of(line)
        if kind == before == "says":  # a sentence goes on
            parts[-1] += " " + body
        elif kind:
            parts.append(f"{kind}\n{body}")
        before = kind
    out, last = [], ""
    for kind, body in (part.split("\n", 1) for part in parts):
        if last == "line" and kind != "line":
            out.append("</ol>")
        if kind == "line":
            out += ["<ol>"] if last != "line" else []
            where, code = body.split("  ", 1)
            out.append(f"<li><span>{where}</span> <code>{html.escape(code.strip())}</code></li>")
        elif kind == "change":
            out.append(f"<pre>{html.escape(body)}</pre>")
        else:
            head = ' class="mg-headline"' if kind == "says" else ""
            out.append(f"<p{head}>{coded(body)}</p>")
        last = kind
    caption = f"<p class='mg-command'><code>minigrad explain {NAME}</code></p>"
    return f'<div class="mg-explained">{caption}{"".join(out)}</div>'


def kind_of(line: str) -> tuple[str, str]:
    """What a line of an explanation is: says, a line of the program, a title, a change, what was tried."""
    if re.match(r"    [-+] ", line):
        return "change", line[4:]
    if line.startswith("    tried: "):
        return "tried", line.strip()
    if re.match(r"  line \d+  ", line):
        return "line", line.strip()
    if line.startswith("  "):
        return "title", line.strip()
    return "says" if line else "", line


def coded(text: str) -> str:
    """Text as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


class Running(SphinxDirective):
    """Base: a directive around a program."""

    has_content = True

    @staticmethod
    @functools.cache
    def known() -> Answers:
        """The answers, read once."""
        return Answers()

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
        found = self.known().on("torch", program, PAGES)
        self.env.temp_data["program"] = program
        if mended:
            ours = self.known().on("minigrad", program, PAGES)
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
        found = self.known().on("explain", self.env.temp_data["program"], PAGES)
        if not found["explained"]:
            raise self.error(f"nothing is explained: {found}")
        return [nodes.raw("", explained(found["explained"]), format="html")]


class Graph(Running):
    """A picture that minigrad computes."""

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        from minigrad_course.notebooks import pages

        found = self.known().on("graph", "\n".join(self.content) + "\n", PAGES)
        picture = pages.block(found["data"], found["svg"])
        return [nodes.raw("", f'<div class="mg-graph">{picture}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    static = ROOT / "build" / "explorers"
    static.mkdir(parents=True, exist_ok=True)
    (static / "answers.css").write_text(CSS, encoding="utf-8")
    app.add_css_file("answers.css")
    for name, each in {"torch": Torch, "explained": Explained, "graph": Graph}.items():
        app.add_directive(name, each)
    app.connect("source-read", compared)
    return {"parallel_read_safe": False}


def main(engine: str) -> None:
    """Run programs, a list of texts as JSON on standard input, on torch or minigrad; explain them, or draw graphs."""
    if engine == "minigrad":
        from minigrad_course.programs import torch_shim

        torch_shim.install()
    programs = json.load(sys.stdin)
    if engine == "explain":
        print(json.dumps(explained_here(programs)))
        return
    print(json.dumps([drawn(each) if engine == "graph" else ran_here(each) for each in programs]))


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else main(sys.argv[1])
