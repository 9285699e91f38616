"""`%%explain` in a notebook."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

CELLS = [
    "%load_ext minigrad_course",
    "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)",
    "y = x.exp()\ny += 1",
    "%%explain\nz = y.sum()\nprint('here')\nz.backward()",
    "%%explain\nw = torch.ones(1, requires_grad=True)\nw.sum().backward()\nprint(w.grad)",
]


def test_a_cell_runs_as_it_is_and_is_then_explained_with_the_cells_before_it() -> None:
    shell, printed, errors = InteractiveShell.instance(), [], []
    shell._showtraceback = lambda kind, error, lines: errors.append((len(printed), kind))  # as a kernel shows it
    try:
        for cell in CELLS:
            with capture_output() as seen:
                shell.run_cell(cell, store_history=True)
            printed.append(seen.stdout)
    finally:
        InteractiveShell.clear_instance()
    assert errors == [(3, RuntimeError)]
    text, well = printed[3:]
    said = " ".join(text.split())
    assert said.startswith("here Line 1 of cell 3 (`x.exp()`, ExpBackward0) keeps `y`; line 2 of cell 3 (`y += 1`)"), (
        text
    )
    assert "the pass on line 3 of cell 4 needs it" in said and "line 2 of cell 3 y += 1" in said
    assert "cell 3\n    -   2  y += 1\n    +   2  y = y + 1\n    tried: runs to the end" in text
    assert well == "tensor([1.])\n"
