"""The lessons keep their form: short cells, answered predictions, pictures with words, links that lead somewhere."""

import itertools
import json
import re
import subprocess
import sys

import pytest

from minigrad.course import parts, source

LESSONS = source.names("lessons")
CHAPTERS = [name for name in LESSONS if name != "00_start_here"]


def built(kind, name):
    path = source.notebooks_folder() / kind / f"{name}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))


def words(text):
    """The words of the cells of text, formulas and code counted as one each."""
    prose = [re.sub(r"\$[^$]*\$|`[^`]*`", " x ", cell.source) for cell in text.cells if cell.role == "text"]
    return sum(len(re.findall(r"[A-Za-z0-9']+", cell)) for cell in prose)


def code_lines(cell):
    return [line for line in cell.source.splitlines() if line.strip()]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_lesson_is_as_long_as_a_lesson_may_be(name):
    text = source.read("lessons", name)
    code = [cell for cell in text.cells if cell.role != "text"]
    assert 1200 <= words(text) <= 2000
    assert 15 <= len(code) <= 30
    assert [cell.id for cell in code if not 2 <= len(code_lines(cell)) <= 6] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_lesson_says_what_it_wants_and_what_it_needs(name):
    title = source.read("lessons", name).cells[0].source
    assert "After this lesson you can" in title
    assert "**You need:**" in title
    assert re.search(r"\*\*Time:\*\* about \d+ minutes", title)


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_prediction_is_followed_by_a_cell_and_an_answer(name):
    cells = source.read("lessons", name).cells
    asked = [index for index, cell in enumerate(cells) if "**Predict:**" in cell.source]
    assert len(asked) >= 3
    for index in asked:
        assert cells[index].source.rindex("**Predict:**") > cells[index].source.rfind(
            "\n\n"
        )  # it is the last paragraph
        assert [cell.role for cell in cells[index + 1 : index + 3]] == ["code", "text"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_lesson_names_the_mistakes_and_ends_with_a_recap(name):
    headings = [
        line
        for cell in source.read("lessons", name).cells
        for line in cell.source.splitlines()
        if line.startswith("## ")
    ]
    assert headings[-2:] == ["## What people get wrong", "## Recap"]


@pytest.mark.parametrize("name", LESSONS)
def test_every_picture_has_words(name):
    pictures = [
        out["data"]["text/html"]
        for cell in built("lessons", name)["cells"]
        for out in cell.get("outputs", [])
        if "<img" in "".join(out.get("data", {}).get("text/html", ""))
    ]
    assert len(pictures) >= (2 if name in CHAPTERS else 0)
    for picture in pictures:
        alt = re.search(r'alt="([^"]*)"', "".join(picture))
        assert alt and len(alt.group(1)) > 40
        assert 'src="data:image/svg+xml;base64,' in "".join(picture)


@pytest.mark.parametrize("kind", source.KINDS)
def test_links_lead_to_notebooks_of_the_course(kind):
    folder = source.notebooks_folder()
    made = {(folder / each / f"{name}.ipynb").resolve() for each in source.KINDS for name in source.names(each)}
    for name in source.names(kind):
        for cell in built(kind, name)["cells"]:
            if cell["cell_type"] == "markdown":
                for target in re.findall(r"\]\(([^)#]+)\)", "".join(cell["source"])):
                    assert (folder / kind / target).resolve() in made, (name, target)


@pytest.mark.parametrize("name", LESSONS)
def test_headings_come_in_order(name):
    levels = [
        len(line) - len(line.lstrip("#"))
        for cell in source.read("lessons", name).cells
        if cell.role == "text"
        for line in cell.source.splitlines()
        if re.match(r"#+ ", line)
    ]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("chapter", parts.chapters(), ids=lambda chapter: chapter.name)
def test_an_exercise_has_six_to_nine_parts_from_easy_to_hard(chapter):
    # the last one has a part to write and ten programs to repair
    assert 6 <= len(chapter.parts) <= 9 if chapter.number < 5 else len(chapter.parts) == 11
    assert chapter.parts[0].difficulty == 1
    assert max(part.difficulty for part in chapter.parts) >= 2
    for part in chapter.parts:
        assert len(part.hints) >= 2 and len(part.mistakes) >= 2
        assert part.minutes > 0 and part.points > 0


@pytest.mark.parametrize("chapter", parts.chapters(), ids=lambda chapter: chapter.name)
def test_programs_of_checks_are_clean_python(chapter):
    """ruff passes over cells that begin with a cell magic, so their programs are linted here."""
    programs = source.read("solutions", chapter.name).programs()
    for name, program in programs.items():
        for command in (
            ["check", "--select", "E,F,W,B", "--ignore", "F821", "--quiet"],
            ["format", "--check", "--quiet"],
        ):
            done = subprocess.run(
                [sys.executable, "-m", "ruff", *command, "-"],
                input=f"{program}\n",
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert done.returncode == 0, f"{name}, ruff {command[0]}:\n{done.stdout}{done.stderr}"
