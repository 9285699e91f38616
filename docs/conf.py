"""How Sphinx builds the course's website: from the built notebooks, and what `answers.py` runs; offline.

`make site` calls it with the root of the clone as the source folder, so every link between files holds on the site too.
"""

from __future__ import annotations

import ast
import functools
import gc
import html
import importlib.metadata
import inspect
import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge
from sphinx.util import logging

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "docs")]

os.environ["MINIGRAD_FASTPATH"] = "0"  # the pages link to the code in the files, not to generated code

SIDE = ("brand", "search", "scroll-start", "navigation", "scroll-end", "progress")
ABOUT = (
    "A course on what PyTorch's backward() does: rebuild a small autograd engine, piece by piece, and let real torch "
    "say whether it prints the same."
)

project = "minigrad"
author = "the minigrad authors"
copyright = author
release = importlib.metadata.version("minigrad-course")
language = "en"

root_doc = "docs/index"
include_patterns = ["docs/**.md", "lessons/*.ipynb", "exercises/*.ipynb"]
include_patterns += ["CONTRIBUTING.md", "INSTRUCTORS.md", "SECURITY.md"]
exclude_patterns = [".*", "build", "dist", "**/.ipynb_checkpoints", "**/source"]

extensions = ["docs.answers", "myst_nb", "sphinx.ext.autodoc", "sphinx.ext.linkcode", "sphinx_copybutton"]
nb_execution_mode = "off"  # the notebooks show what the builder stored
nb_ipywidgets_js: dict[str, Any] = {}  # widgets are stored as pictures, and nothing is fetched
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

copybutton_selector = ":is(.cell_input, .highlight-python, .highlight-sh, .highlight-toml, .highlight-none) pre"
copybutton_prompt_text = "$ "  # of what a terminal shows, only what was typed

autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "node"}  # “alias of MulBackward0” helps nobody
autodoc_typehints = "none"  # they are in the signatures

toc_object_entries_show_parents = "hide"

# a block without a language is what a terminal shows
highlight_language = "none"
html_theme = "furo"
html_title = "minigrad: what backward() does"
LIGHT = {
    "color-sidebar-link-text--top-level": "#3d454d",
    "color-sidebar-link-text": "#57606a",
    "color-brand-primary": "#0b62a6",
    "color-brand-content": "#0b62a6",
    "color-brand-visited": "#0b62a6",
    "color-foreground-primary": "#1b1f24",
    "color-foreground-secondary": "#57606a",
    "color-foreground-muted": "#6b747d",
    "color-background-primary": "#ffffff",
    "color-background-secondary": "#f6f8fa",
    "color-background-border": "#e1e5ea",
    "color-background-hover": "#eaf1f8",
    "color-code-background": "#f6f8fa",
    "color-inline-code-background": "#eff2f5",
    "color-highlight-on-target": "#fff3cd",
    "color-control-line": "#7d8590",
    "course-done": "#1a6e50",
    "course-flow": "#a84300",
    "course-button": "#0b62a6",
    "course-button-hover": "#084c82",
    "font-stack": '"Course Text", "Stand-in", system-ui, -apple-system, "Segoe UI", sans-serif',
    "font-stack--monospace": 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
}
DARK = {
    "color-sidebar-link-text--top-level": "#c9d1d9",
    "color-sidebar-link-text": "#a9b2bc",
    "color-brand-primary": "#6cb8f2",
    "color-brand-content": "#6cb8f2",
    "color-brand-visited": "#6cb8f2",
    "color-foreground-primary": "#e8ecf1",
    "color-foreground-secondary": "#a9b2bc",
    "color-foreground-muted": "#8b949e",
    "color-background-primary": "#111418",
    "color-background-secondary": "#161a1f",
    "color-background-border": "#2b323a",
    "color-background-hover": "#1c2630",
    "color-code-background": "#1a1f25",
    "color-inline-code-background": "#20262d",
    "color-highlight-on-target": "#463c11",
    "color-control-line": "#7d8590",
    "course-done": "#5fcf9f",
    "course-flow": "#ffa35c",
    "course-button": "#1f6fb2",
    "course-button-hover": "#2a7fc4",
}
html_theme_options = {"light_css_variables": LIGHT, "dark_css_variables": DARK, "top_of_page_buttons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
templates_path = ["theme/templates"]
html_sidebars = {"**": [f"sidebar/{name}.html" for name in SIDE]}
html_sidebars |= {page: [f"sidebar/{name}.html" for name in SIDE if name != "search"] for page in ("search", "404")}
html_favicon = "favicon.svg"
html_extra_path = ["extra"]  # the page at the top, which leads to the first one
html_static_path = ["theme/static", "../build/explorers"]
html_css_files = ["site.css"]
html_js_files = [("explorers.js", {"defer": "defer"}), ("site.js", {"defer": "defer"})]
html_additional_pages = {"404": "404.html", "search": "search.html"}
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_domain_indices = False
html_use_index = False
html_math_renderer = "mathml"


CODE = re.compile(r"(`[^`]+`|(?<!\*)\*\w+\*(?!\*))")  # and *emphasis*
MARKS = re.compile(r"([*|\\]|_\b)")
SHORT_FRACTION = re.compile(r"\\([td]?frac)(\d)(\d)")
INLINE = re.compile(r'<code class="[^"]*\bliteral\b[^"]*">.*?</code>', re.DOTALL)
STOPPED = re.compile(
    r"[(]?<math(?![^>]*block)(?:(?!</math>).)*</math>[.,:;?!)]+", re.DOTALL
)  # no line begins with a stop
SHORT = 16  # characters


def plain_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `names` between backticks: let nothing else but *emphasis* be read as markup."""
    example = False
    for number, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            pieces = CODE.split(line)
            pieces[::2] = [MARKS.sub(r"\\\1", piece) for piece in pieces[::2]]
            pieces[1::2] = [f"`{piece}`" if piece[0] == "`" else piece for piece in pieces[1::2]]
            lines[number] = "".join(pieces)


def at_home(app: Sphinx) -> None:
    """Classes that show themselves as torch's show themselves here as what they are, or autodoc takes them for another
    module's. The examples of the reference run before that, so that they print what a program prints.
    """
    import reference

    reference.prepare()
    for name in (
        "minigrad.tensor",
        "minigrad.compat.tensor_protocols",
        "minigrad.optim.lr_scheduler",
    ):
        module = importlib.import_module(name)
        for statement in ast.parse(inspect.getsource(module)).body:
            if isinstance(statement, ast.ClassDef):
                getattr(module, statement.name).__module__ = name


def mathml(translator: Any, node: nodes.Element, block: bool) -> None:
    """Write a formula as MathML: browsers show it without a script from elsewhere, and screen readers read it."""
    # docutils wants \frac{1}{2}, and has no \texttt
    tex = SHORT_FRACTION.sub(r"\\\1{\2}{\3}", node.astext()).replace(r"\texttt", r"\mathtt")
    try:
        formula = braced(tex2mathml(tex, as_block=block))
        # a formula that is too wide scrolls, not the page
        translator.body.append(f'<div class="block-math">{formula}</div>\n' if block else formula)
    except MathError as error:
        logging.getLogger(__name__).warning("no MathML for %r: %s", node.astext(), error, location=node)
    raise nodes.SkipNode


def braced(formula: str) -> str:
    """A formula whose underbraces carry their words beneath them: docutils makes them indices of the brace."""
    if "⏟" not in formula:
        return formula
    root = ElementTree.fromstring(re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda found: html.unescape(found[0]), formula))
    for each in root.iter():
        inner = each[0] if each.tag.endswith("}msub") else each
        if inner is not each and inner.tag.endswith("}munder") and inner[-1].text == "⏟":
            each.tag = inner.tag
            inner[-1].set("stretchy", "true")
    return ElementTree.tostring(root, encoding="unicode")


# --- what stands in the texts for something that is made ----------------------------------------------


def filled(app: Sphinx, name: str, text: list[str]) -> None:
    """Explorers become HTML that the page's script brings to life; the first page gets its map, the reference its
    entries.
    """
    import reading

    from minigrad_course.notebooks import pages

    path = os.fspath(app.env.doc2path(name, base=False))
    if path.endswith(".ipynb"):
        text[0] = reading.for_a_reader(name, pages.for_a_page(text[0]))
    elif name == root_doc:
        text[0] = text[0].replace("<!-- walk -->", opening()).replace("<!-- map -->", course_map())
        windows = re.search(r"```bat\n.*?```\n", Path(ROOT, "README.md").read_text(encoding="utf-8"), re.DOTALL)
        shown = textwrap.indent(f"On Windows, without make:\n\n{windows[0]}", "  ").lstrip() if windows else ""
        text[0] = text[0].replace("<!-- windows -->\n", shown)
        if not Path(ROOT, "docs", "questions", "index.md").exists():
            text[0] = text[0].replace("questions/index\n", "")
    elif name.startswith("docs/engine/"):
        import reference

        text[0] = reference.filled(text[0])


ROW = re.compile(r"\| \[.+?\]\(lessons/(\w+)\.ipynb\) \| (.+?) \| (.+?) \| (.+?) \|")


def opening() -> str:
    """The walk of the README's picture, as an explorer."""
    import walk as film

    from minigrad_course.explorers import walk
    from minigrad_course.notebooks import pages
    from minigrad_course.pictures.shown import MIME

    shown = walk(film.program, **film.VALUES)._repr_mimebundle_()
    return pages.block(shown[MIME], shown["image/svg+xml"])


def course_map() -> str:
    """The chapters, from the README: what each asks, what a reader can do afterwards, how long it takes."""
    text = Path(ROOT, "README.md").read_text(encoding="utf-8")
    return "\n".join(['<ol class="map">', *(chapter(*row) for row in ROW.findall(text)), "</ol>"])


def chapter(lesson: str, question: str, after: str, time: str) -> str:
    """A chapter of the map."""
    number = int(lesson[:2])
    both = [f"lessons/{lesson}", *([f"exercises/{lesson}"] if number else [])]
    time = time.replace(" min", " minutes").replace(" h", " hours")
    kinds = " ".join(f'<a href="../{page}.html">{page.split("/")[0].rstrip("s")} {number}</a>' for page in both)
    return (
        f'<li data-pages="{" ".join(both)}"><span class="number" aria-hidden="true">{number}</span><div>'
        f'<h3><a href="../{both[0]}.html">{inline(question)}</a></h3><p>Afterwards you can {inline(after)}.</p>'
        f'<p class="said"></p></div><div class="meta">{time} {kinds}</div></li>'
    )


def inline(text: str) -> str:
    """Markdown's `code`, as HTML."""
    return re.sub(r"`(.+?)`", r'<code class="literal">\1</code>', html.escape(text, quote=False))


def course() -> dict[str, Any]:
    """What the script of the pages knows: the pages to read, their titles, and the predictions on each."""
    from minigrad_course.predictions import questions
    from minigrad_course.texts import source

    pages = [f"{kind}/{name}" for kind in ("lessons", "exercises") for name in source.names(kind)]
    asked: dict[str, list[str]] = {}
    for each in questions().values():
        if f"lessons/{each.lesson}" in pages:
            asked.setdefault(f"lessons/{each.lesson}", []).append(each.name)
    titles = {page: title(page) for page in pages}
    return {"pages": pages, "titles": titles, "predictions": asked}


def title(page: str) -> str:
    """The heading of a notebook, without its markup."""
    cells = json.loads(Path(ROOT, f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "".join(cells[0]["source"]).splitlines()[0].lstrip("# ").replace("`", "")


TEXTS: dict[str, tuple[str, str]] = {}  # title and HTML of each page, for the search


# --- pages ------------------------------------------------------------------------------------------


def dressed(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """What the templates need, and for each page only the scripts and styles that it uses."""
    import addresses

    known = name in app.env.all_docs
    if known and name != "docs/names":  # it would tell learners the mistakes that they look for
        TEXTS[name] = re.sub(r"<.*?>", "", context["title"]), context["body"]
    path = os.fspath(app.env.doc2path(name, base=False)) if known else ""
    links = addresses.links(path) if known and name != root_doc else {}
    links |= {"On GitHub": addresses.source(context["source_path"])} if links == {} and "source_path" in context else {}
    if "body" in context:
        context["body"] = context["body"].replace(' aria-label="Toggle hidden content"', "")  # it says “Reveal”
        context["body"] = STOPPED.sub(r'<span class="short">\g<0></span>', INLINE.sub(whole_if_short, context["body"]))
    context["toc"] = apart(context.get("toc", ""))
    context["course"] = {
        "about": ABOUT,
        "site": addresses.site(),
        "path": urlsplit(addresses.site() or "/").path,
        "links": {k: v for k, v in links.items() if v},
    }
    context["course"]["install"] = addresses.install() if path.endswith(".ipynb") else ""
    lively = path.endswith(".ipynb") or "mg-page" in context.get("body", "")
    unused = ("sphinx_highlight", *(() if lively else ("explorers.js",)))
    context["script_files"] = [
        each for each in context["script_files"] if not any(part in str(each.filename) for part in unused)
    ]
    context["css_files"] = [each for each in context["css_files"] if "mystnb" not in str(each.filename)]
    context["body_class"] = "home" if name == root_doc else "source" if template == "source.html" else ""


def apart(contents: str) -> str:
    """The contents of a page: names that stand there twice with what they are in, long ones with places to go on."""
    shown = [text for _, text in ENTRY.findall(contents)]

    def entry(found: re.Match[str]) -> str:
        full, text = found.groups()
        if shown.count(text) > 1 and full.count("."):
            text = f"{full.split('.')[-2]}.{text}"
        return found[0].removesuffix(f"{found[2]}</span>") + text.replace("_", "_<wbr>") + "</span>"

    return ENTRY.sub(entry, contents)


def whole_if_short(code: re.Match[str]) -> str:
    """Short code in a sentence stays on one line."""
    words = html.unescape(re.sub(r"<.*?>", "", code[0]))
    return code[0].replace('class="', 'class="short ', 1) if len(words) <= SHORT else code[0]


class Lines(HtmlFormatter):
    """Each line of a program as an element of its own: one that is too long for the page goes on below, indented by
    more than its beginning.
    """

    def wrap(self, source: Any) -> Any:
        lines = list(source)
        drawn = any(kind and DRAWN.search(text) for kind, text in lines)  # with letters: it scrolls as a whole
        return super().wrap((kind, self.line(text, drawn) if kind else text) for kind, text in lines)

    def line(self, text: str, drawn: bool) -> str:
        """A line, with the width of its indentation for the style."""
        if drawn:
            return f'<span class="ln drawn">{text}</span>'
        text = TIGHT.sub(r'<span class="o tight">=</span>', text)
        indent = len(INDENT.match(text)[1])  # type: ignore[index]
        return f'<span class="ln"{f" style=--in:{indent}ch" if indent else ""}>{text}</span>'


ENTRY = re.compile(r'href="#minigrad\.([\w.]+)"><code[^>]*><span class="pre">([\w.()]+)</span>')
DRAWN = re.compile(r"[│▼]|^ {6,}[a-z]+ {3,}[a-z]")  # an arrow, or columns that begin ever further in
TIGHT = re.compile(r'(?<! )<span class="o">=</span>(?! )')  # of a keyword argument
INDENT = re.compile(r'(?:<span class="linenos">.*?</span>|<[^>]*>)*( *)')


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """The page and line of a name's source, seen from docs/engine/; the pages themselves come from `sources`."""
    import reference

    try:
        value = functools.reduce(getattr, info["fullname"].split("."), reference.space_of(info["module"]))
    except AttributeError:
        return None
    found = reference.place(value)
    return reference.address(*found) if found else None


def sources(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each module of the engine, with an anchor for each line."""
    import reference
    from pygments import highlight
    from pygments.lexers import PythonLexer

    lines = Lines(linenos="inline", linespans="L", wrapcode=True)
    for path in reference.engine():
        name = path.relative_to(ROOT).as_posix()
        code = highlight(path.read_text(encoding="utf-8"), PythonLexer(), lines)
        title = re.sub(r"/|(?<=[a-z])_(?=[a-z])", r"\g<0><wbr>", name)  # where it may go on below, on a phone
        body = f"<h1>{title}</h1>\n{code}"
        yield f"_modules/{name.removesuffix('.py')}", {"title": name, "body": body, "source_path": name}, "source.html"


def finished(app: Sphinx, error: Exception | None) -> None:
    """What the search knows; sitemap.xml and robots.txt, if the site has an address."""
    import addresses
    import searching

    if error:
        return
    Path(app.outdir, "_static", "texts.js").write_text(searching.script(TEXTS), encoding="utf-8")
    if not addresses.site():
        return
    pages = sorted(app.env.all_docs)
    Path(app.outdir, "sitemap.xml").write_text(addresses.sitemap(pages), encoding="utf-8")
    Path(app.outdir, "robots.txt").write_text(f"Sitemap: {addresses.site()}sitemap.xml\n", encoding="utf-8")


def scripts() -> None:
    """The views of the explorers as one script, and the script of the pages with what it knows about the course."""
    from minigrad_course.notebooks import pages

    written = Path(ROOT, "build", "explorers")
    written.mkdir(parents=True, exist_ok=True)
    (written / "explorers.js").write_text(pages.script(), encoding="utf-8")
    text = Path(ROOT, "docs", "theme", "site.js").read_text(encoding="utf-8")
    known = json.dumps(course(), ensure_ascii=False)
    (written / "site.js").write_text(text.replace("/*COURSE*/ {}", known), encoding="utf-8")


MAPS: dict[str, Callable] = {}


def mapped_once(app: Sphinx, name: str, template: str, context: dict[str, Any], document: Any) -> None:
    """Sources stand in no map, so those of a folder share one: to draw it for each takes longer than the page."""
    if name.startswith("_modules/"):
        context["toctree"] = MAPS.setdefault(os.path.dirname(name), functools.cache(context["toctree"]))


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    gc.disable()  # a quarter of the time goes into looking for garbage, and the process ends soon
    scripts()
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))  # the search is our own
    ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")
    PygmentsBridge.html_formatter = Lines
    app.connect("source-read", filled)
    app.connect("builder-inited", at_home)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("html-collect-pages", sources)
    app.connect("html-page-context", mapped_once, priority=100)
    app.connect("html-page-context", dressed, priority=900)
    app.connect("build-finished", finished)
    app.add_html_math_renderer(
        "mathml",
        (lambda translator, node: mathml(translator, node, block=False), None),
        (lambda translator, node: mathml(translator, node, block=True), None),
    )
