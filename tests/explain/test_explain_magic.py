"""`%%explain` in a notebook."""

from __future__ import annotations

import nbclient
import nbformat

CELLS = [
    "%load_ext minigrad_course",
    "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)",
    "y = x.exp()\ny += 1",
    "%%explain\nz = y.sum()\nprint('here')\nz.backward()",
    "%%explain\nw = torch.ones(1, requires_grad=True)\nw.sum().backward()\nprint(w.grad)",
]


def test_a_cell_runs_as_it_is_and_is_then_explained_with_the_cells_before_it() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(notebook, timeout=300, allow_errors=True).execute()
    failing, well = notebook.cells[3].outputs, notebook.cells[4].outputs
    assert [one.get("ename") for one in failing if one.output_type == "error"] == ["RuntimeError"]
    text = "".join(one.text for one in failing if one.output_type == "stream" and one.name == "stdout")
    said = " ".join(text.split())
    assert said.startswith("here Line 1 of cell 3 (`x.exp()`, ExpBackward0) keeps `y`; line 2 of cell 3 (`y += 1`)"), (
        text
    )
    assert "the pass on line 3 of cell 4 needs it" in said and "line 2 of cell 3 y += 1" in said
    assert "cell 3\n    -   2  y += 1\n    +   2  y = y + 1\n    tried: runs to the end" in text
    assert [one.text for one in well if one.output_type == "stream"] == ["tensor([1.])\n"]
