"""A notebook as somebody reads it on the site, where nothing runs: what it says about running is said about reading.

A page says at its top how to run it, an exercise's checks are folded as they are in JupyterLab, and the sentences below
take the place of the notebook's own.
"""

from __future__ import annotations

import json

IN_A_CLONE = "`make lab` in a clone of the course"
READ_ONLY = {
    "lessons": f"*Every cell has been run for you. To run and change them yourself: {IN_A_CLONE}.*",
    "exercises": f"*Here you can read the exercise. To write the parts and have them checked: {IN_A_CLONE}.*",
}
RUN_IT = (" Run the check to see yours beside it.", " Run the check and you see yours beside it.")
SENTENCES = {
    "lessons/00_start_here": {
        " Click on a cell and press Shift+Enter to run it. If a cell fails, go to *Is everything here?* near the "
        "end.": "",
        " Save the notebook first (Ctrl+S).": "",
    },
    "exercises/01_scalar_backward": {RUN_IT[1]: ""},
    "lessons/01_scalar_backward": {
        "choose an answer before you run the next cell.": "choose an answer before you reveal the result below it.",
    },
    "lessons/02_upstream_gradients": {
        "Choose an answer, then run the cell after it.": "Choose an answer, then *Reveal*."
    },
    "lessons/03_jacobian_sums": {
        "The course's site lists every change: *What changed in torch's gradients*.": "Every change is listed: "
        "[What changed in torch's gradients](../docs/changes.md).",
    },
    "lessons/05_train_a_network": {"Until you run the cell, its sentence speaks": "The sentence here speaks"},
}


class Unfound(Exception):
    """A sentence that is to be replaced is not in its notebook any more."""


def for_a_reader(page: str, notebook: str) -> str:
    """The JSON of a notebook with these changes; `page` is its path without the suffix."""
    content = json.loads(notebook.replace(RUN_IT[0], ""))
    cells = content["cells"]
    for said, instead in SENTENCES.get(page, {}).items():
        holders = [cell for cell in cells if cell["cell_type"] == "markdown" and said in "".join(cell["source"])]
        if not holders:
            raise Unfound(f"{page} does not say {said!r} any more: mend SENTENCES in docs/reading.py.")
        for cell in holders:
            cell["source"] = "".join(cell["source"]).replace(said, instead)
    for cell in cells:
        if "check" in cell["metadata"].get("minigrad", {}) and page.startswith("exercises/"):
            cell["metadata"]["tags"] = [*cell["metadata"].get("tags", []), "hide-input"]
            cell["metadata"]["mystnb"] = {"code_prompt_show": "The check", "code_prompt_hide": "Fold the check"}
    note = READ_ONLY.get(page.partition("/")[0])
    if note:
        title, *rest = "".join(cells[0]["source"]).split("\n\n", 1)
        cells[0]["source"] = "\n\n".join([title, note, *rest])
    return json.dumps(content)
