"""The forum questions on the site: their programs were run, and the explanation is on the page as text."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

if not all(map(importlib.util.find_spec, ("myst_nb", "sphinx"))):
    pytest.skip("Sphinx is not installed: pip install -e '.[site]'", allow_module_level=True)

from docs_scripts import script

answers = script("answers")

# page -> what torch says there, and lines that the explanation must name
PAGES = {
    "grad-is-none": (
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",
        ["line 3", "line 7"],
    ),
    "modified-in-place": ("has been modified by an inplace operation: [torch.FloatTensor [2]]", ["line 5", "line 9"]),
    "only-for-scalar-outputs": ("grad can be implicitly created only for scalar outputs", ["line 4"]),
    "backward-a-second-time": ("Trying to backward through the graph a second time", ["line 5", "line 8"]),
    "does-not-require-grad": ("element 0 of tensors does not require grad", ["line 7", "line 6"]),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_question_shows_what_torch_says_the_graph_the_explanation_and_a_program_that_works(
    site: Path, name: str
) -> None:
    text = (site / "docs" / "questions" / f"{name}.html").read_text(encoding="utf-8")
    said, lines = PAGES[name]
    plain = re.sub(r"<[^>]+>", "", text)
    assert said in plain
    for each in lines:
        assert f"<li><span>{each}</span> <code>" in text
    assert text.count('class="mg-explained"') >= 1 and text.count('class="mg-graph"') == 1
    assert "tried: " in plain


def test_every_question_is_in_the_list_and_on_the_first_page(site: Path) -> None:
    index = (site / "docs" / "questions" / "index.html").read_text(encoding="utf-8")
    assert [name for name in PAGES if f'href="{name}.html"' not in index] == []
    assert "questions/index.html" in (site / "docs" / "index.html").read_text(encoding="utf-8")


def test_a_program_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On minigrad, which starts sooner than torch."""
    program = "import torch\nprint(torch.ones(2))\ntorch.ones(2).backward()\n"
    (tmp_path / "page.md").write_text(f"```python\n{program}```\n")
    first = answers.Answers(tmp_path / "kept" / "answers.json")
    ran = first.on("minigrad", program, tmp_path)
    assert ran["printed"] == "tensor([1., 1.])\n"
    assert re.fullmatch(
        r'Traceback .*\n  File "program.py", line 3, in <module>\n    torch\.ones\(2\)\.backward\(\)\n'
        r"RuntimeError: element 0 of tensors does not require grad .*\n",
        ran["error"],
    )
    monkeypatch.setattr(answers.subprocess, "run", None)
    again = answers.Answers(tmp_path / "kept" / "answers.json")
    assert again.on("minigrad", program, tmp_path) == ran


def test_an_explanation_becomes_html_that_nothing_breaks_out_of() -> None:
    text = (
        "`x` was\nlost.\n  line 3  y = x < 2\n  Write `a < b`:\n    -   3  y = x < 2\n    +   3  y = <i>\n"
        "    tried: runs to <b>\n"
    )
    html = answers.explained(text)
    assert '<p class="mg-headline"><code>x</code> was lost.</p>' in html
    assert "<ol><li><span>line 3</span> <code>y = x &lt; 2</code></li></ol><p>Write <code>a &lt; b</code>:</p>" in html
    assert html.endswith(
        "<pre>-   3  y = x &lt; 2</pre><pre>+   3  y = &lt;i&gt;</pre><p>tried: runs to &lt;b&gt;</p></div>"
    )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_the_repository_holds_what_its_programs_give(name: str) -> None:
    path = answers.PAGES / f"{name}.md"
    text = [path.read_text(encoding="utf-8")]
    assert "```{" not in text[0] and "$ minigrad explain program.py\n…\n" in text[0] and f"]({name}.svg)" in text[0]
    stale = [text[0].replace("    tried: ", "    tired: ")]
    with pytest.raises(answers.ExtensionError, match=r"run `python docs/answers\.py --write`"):
        answers.compared(None, f"docs/questions/{name}", stale)
    answers.compared(None, f"docs/questions/{name}", text)
    assert text[0].count("```{explained}\n```") == stale[0].count("$ minigrad explain program.py")
