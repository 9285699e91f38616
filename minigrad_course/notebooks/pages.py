"""Explorers on a page of the site: their data next to the still picture, and the views as one plain script.

JupyterLab loads the modules one by one. A page opened from a disk cannot, so there they are one script:
the same text, each module wrapped in a function.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from minigrad_course import explorers
from minigrad_course.texts.saving import MIME

STATIC = Path(explorers.__file__).parent / "labextension" / "static"
VIEWS = (
    "walk",
    "race",
    "weights",
    "slices",
    "secant",
    "sides",
    "reach",
    "memory",
    "leaves",
    "training",
    "mistakes",
    "predict",
    "picture",
)
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


def script() -> str:
    """All modules that a page needs as one script, which draws the explorers once the page is there."""
    wrapped: dict[str, str] = {}
    for name in ("site", *VIEWS):
        wrap(name, wrapped)
    return (
        "// Made from minigrad_course/explorers/labextension/static.\n"
        "(() => {\nconst modules = {};\n"
        + "".join(wrapped.values())
        + "const begin = () => modules.site.begin(document, async (view) => modules[view]);\n"
        'if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);\nelse begin();\n'
        "})();\n"
    )


def wrap(name: str, wrapped: dict[str, str]) -> None:
    """A module as a function that returns its exports, placed after the modules it imports."""
    if name in wrapped:
        return
    text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
    for _, other in IMPORT.findall(text):
        wrap(other, wrapped)
    exported = ", ".join(found for _, found in EXPORT.findall(text))
    body = EXPORT.sub(r"\1", IMPORT.sub(r"const {\1} = modules.\2;", text))
    wrapped[name] = f"modules.{name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def block(data: dict[str, Any], picture: str) -> str:
    """An explorer as HTML: data that nothing can break out of, and the picture for where no script runs."""
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<div class="mg-page"><script type="application/json">{text}</script>{picture}</div>'


def for_a_page(notebook: str) -> str:
    """A notebook's JSON for the site's builder, which knows no type of ours: each explorer as HTML.

    Outputs that answer a prediction are hidden behind *Reveal*, and a cell that asks shows only its question. A text
    `…-answer` that follows an answer explains it: the page's script shows it after a choice, all but a last paragraph
    that leads to the next program.
    """
    content = json.loads(notebook)
    answered = ""
    for cell, following in pairwise([*content["cells"], {}]):
        metadata = cell.get("metadata", {})
        noted = metadata.get("minigrad", {})
        if answered and cell.get("id", "").endswith("-answer"):
            cell["source"] = told("".join(cell["source"]), answered, following.get("cell_type") == "code")
        answered = noted.get("answers", "")
        if "asks" in noted:
            metadata["tags"] = [*metadata.get("tags", []), "remove-input"]
        elif "answers" in noted:
            metadata["tags"] = [*metadata.get("tags", []), "hide-output"]
            metadata["mystnb"] = {"code_prompt_show": "Reveal", "code_prompt_hide": "Hide"}
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if MIME in data:
                output["data"] = {"text/html": block(data[MIME], "".join(data.get("image/svg+xml", "")))}
    return json.dumps(content)


def told(text: str, question: str, leads: bool) -> str:
    """A text with what it says about an answer in a frame: up to its first heading, or else to a last paragraph that
    `leads` to a program.
    """
    paragraphs = text.split("\n\n")
    headings = [place for place, item in enumerate(paragraphs) if item.startswith("#")]
    end = (headings or [len(paragraphs) - leads])[0]
    frame = [f'<div class="told" data-of="{question}">', *paragraphs[:end], "</div>"] if end else []
    return "\n\n".join([*frame, *paragraphs[end:]])
