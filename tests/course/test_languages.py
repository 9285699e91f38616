"""Another language: what a translation keeps, what is refused, and an exercise in German as its learner sees it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from typer.testing import CliRunner

from minigrad_course import parts
from minigrad_course.cli import app
from minigrad_course.notebooks import renewal
from minigrad_course.texts import languages, source, words

CHAPTER = parts.chapters()[0]
DE = words.FOLDER / "de"


def test_exercise_1_is_in_german_as_a_whole_and_has_lost_nothing() -> None:
    assert words.languages() == ["de"]
    assert list(languages.problems("de")) == []
    assert languages.texts("de", CHAPTER.name).keys() == languages.english(CHAPTER).keys()
    said = words.entries("de", CHAPTER.name)
    assert list(said) == [part.name for part in CHAPTER.parts]
    for part in CHAPTER.parts:
        assert list(said[part.name]["mistakes"]) == [mistake.name for mistake in part.mistakes]
        assert len(said[part.name]["hints"]) == len(part.hints)


TEXT, PARTS, WORDS = f"{CHAPTER.name}.md", f"{CHAPTER.name}.toml", "words.toml"
LOST = [
    (TEXT, '{"id": "about-pow"}', '{"id": "about-power"}', "cell about-power: the exercise has no text of this name"),
    (TEXT, "{{ pow }}\n", "", "cell about-pow: the placeholder {{ pow }} is missing"),
    (TEXT, "{{ pow }}", "{{ mul }}", "cell about-pow: the placeholder {{ mul }} is not in the English text"),
    (TEXT, "Leite $a/b$ zuerst", "Leite $b/a$ zuerst", "cell about-div: the formula $a/b$ is missing"),
    (TEXT, "den für `a`.", "den für a.", "cell about-pow: the code `a` is missing"),
    (TEXT, "minigrad grade exercises/01", "minigrad grade 01", "cell end: the block"),
    (PARTS, "[pow]\n", "[power]\n", "the chapter has no part power"),
    (PARTS, '"no factor" =', '"no faktor" =', "pow: there is no mistake called 'no faktor'"),
    (
        PARTS,
        '  "Schreib d(aⁿ)/da hin. Dann überleg, wozu `grad_output` da ist.",\n',
        "",
        "pow: there are 2 hints, and 1",
    ),
    (WORDS, "{points}", "Punkte", "facts: the fields in braces are minutes, name, points, stars"),
    (WORDS, "hint =", "hints =", "there is no text called hints"),
]


@pytest.mark.parametrize(("file", "before", "after", "sentence"), LOST, ids=[each[-1][:40] for each in LOST])
def test_what_a_translation_has_lost_is_said(
    file: str, before: str, after: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "de").mkdir()
    text = (DE / file).read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "de" / file).write_text(text.replace(before, after, 1), encoding="utf-8")
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    languages.texts.cache_clear()
    try:
        found = list(languages.problems("de"))
    finally:
        languages.texts.cache_clear()
    assert any(each.startswith(f"de/{file}") and sentence in each for each in found), found


def test_code_and_files_of_no_chapter_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(DE, tmp_path / "de")
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    (tmp_path / "de" / "06_more.md").touch()
    assert list(languages.problems("de")) == ["de/06_more.md: no chapter has this name"]
    (tmp_path / "de" / "02_upstream_gradients.md").write_text("```{code-cell} ipython3\n:id: a\n1 + 1\n```\n")
    with pytest.raises(source.BadSource, match=r"de/02_upstream_gradients.md: only texts with an id are translated"):
        list(languages.problems("de"))


def texts(notebook: Any) -> str:
    return "\n".join(cell.source for cell in notebook.cells)


def test_a_learner_reads_german_and_may_go_back(tmp_path: Path) -> None:
    def run(*command: str) -> str:
        return CliRunner().invoke(app, [*command, "-f", str(path.parent)], env={"COLUMNS": "200"}).stdout

    path = tmp_path / "exercises" / f"{CHAPTER.name}.ipynb"
    path.parent.mkdir()
    notebook = renewal.pristine("exercises", CHAPTER.name, "de")
    (cell,) = [each for each in notebook.cells if each.metadata.minigrad.get("part") == "mul"]
    assert "# your code here" in cell.source  # code is shared
    cell.source = cell.source.replace("# your code here", "return b, a").replace("raise NotImplementedError", "")
    nbformat.write(notebook, path)
    assert "## 2. Die Ableitung von `*`\n\n`mul` · Schwierigkeit ●○○ · etwa 4 Minuten · 1 Punkt" in texts(notebook)
    assert "Daran liegt es: du gibst nur die lokalen Ableitungen zurück" in run("check", "mul")
    assert run("hint", "mul").startswith("Tipp 1 von 3: Zwei Inputs, also gibt `backward` zwei Gradienten zurück")

    english = renewal.renewed(renewal.pristine("exercises", CHAPTER.name), renewal.read(path))
    assert "return b, a" in texts(english) and "Schwierigkeit" not in texts(english)
    nbformat.write(english, path)
    assert "This is what you get when you return the local derivatives alone" in run("check", "mul")
    refused = CliRunner().invoke(app, ["start", str(tmp_path), "--language", "fr"])
    assert refused.exit_code == 2 and "Choose en or de." in refused.stderr
