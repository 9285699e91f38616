"""How Sphinx builds the course's website: from the built notebooks, and what `answers.py` runs; offline.

`make site` calls it with the root of the clone as the source folder, so every link between files holds on the site too.
"""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import inspect
import os
import re
import sys
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

os.environ["MINIGRAD_FASTPATH"] = "0"  # the pages link to the code in the files, not to generated code

project = "minigrad"
author = "the minigrad authors"
copyright = author
release = importlib.metadata.version("minigrad-course")
language = "en"

root_doc = "docs/index"
include_patterns = ["docs/**.md", "lessons/*.ipynb", "exercises/*.ipynb", "CONTRIBUTING.md", "INSTRUCTORS.md"]
exclude_patterns = [".*", "build", "dist", "**/.ipynb_checkpoints", "**/source"]

extensions = ["docs.answers", "myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
nb_execution_mode = "off"  # the notebooks show what the builder stored
nb_ipywidgets_js: dict[str, Any] = {}  # widgets are stored as pictures, and nothing is fetched
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # they are in the signatures

html_theme = "sphinx_book_theme"
html_title = "minigrad: what backward() does"
html_theme_options = {"use_download_button": False, "show_toc_level": 2}
html_context = {"default_mode": "auto"}  # light or dark, like the reader's system
html_favicon = "favicon.svg"
html_extra_path = ["extra"]  # the page at the top, which leads to the first one
html_static_path = ["../build/explorers"]
html_js_files = [("explorers.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"


CODE = re.compile(r"(`[^`]+`|(?<!\*)\*\w+\*(?!\*))")  # and *emphasis*
MARKS = re.compile(r"([*|\\]|_\b)")
SHORT_FRACTION = re.compile(r"\\([td]?frac)(\d)(\d)")


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


def where_to_look(app: Sphinx, module: str, name: str) -> str | None:
    """The module for the source of a name, if it is not where the name was made: Python's own types have no source, and
    a function that a class took from a lower module has its entry there.
    """
    found = functools.reduce(getattr, name.split("."), sys.modules[module])
    return module if "." in name or getattr(found, "__module__", None) == "builtins" else None


def at_home(app: Sphinx) -> None:
    """Classes that show themselves as torch's show themselves here as what they are, or autodoc takes them for another
    module's.
    """
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
        formula = tex2mathml(tex, as_block=block)
        # a formula that is too wide scrolls, not the page
        translator.body.append(f'<p style="overflow: auto hidden">{formula}</p>\n' if block else formula)
    except MathError as error:
        logging.getLogger(__name__).warning("no MathML for %r: %s", node.astext(), error, location=node)
    raise nodes.SkipNode


def with_explorers(app: Sphinx, name: str, text: list[str]) -> None:
    """Explorers become HTML that the page's script brings to life."""
    from minigrad.course.explorers import pages

    if os.fspath(app.env.doc2path(name, base=False)).endswith(".ipynb"):
        text[0] = pages.for_a_page(text[0])


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    from minigrad.course.explorers import pages

    written = os.path.join(ROOT, "build", "explorers")
    os.makedirs(written, exist_ok=True)
    with open(os.path.join(written, "explorers.js"), "w", encoding="utf-8") as file:
        file.write(pages.script())
    app.connect("source-read", with_explorers)
    app.connect("builder-inited", at_home)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("viewcode-follow-imported", where_to_look)
    app.add_html_math_renderer(
        "mathml",
        (lambda translator, node: mathml(translator, node, block=False), None),
        (lambda translator, node: mathml(translator, node, block=True), None),
    )
