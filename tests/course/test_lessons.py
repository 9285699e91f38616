"""The lessons keep their form: short cells, questions, pictures with words, links that lead somewhere."""

import io
import itertools
import json
import re
import subprocess
import sys
import tokenize

import pytest

from minigrad_course import parts
from minigrad_course.pictures.shown import MIME
from minigrad_course.texts import source

LESSONS = source.names("lessons")
CHAPTERS = [name for name in LESSONS if name != "00_start_here"]
BUILT = "06_your_own_engine"  # an engine is typed in it: more code, in longer cells, and less text
TRAINS = ("train-code", "step-code")  # its cells that are programs, and no part of the engine


def built(kind, name):
    path = source.notebooks_folder() / kind / f"{name}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))


def words(text):
    """The words of the cells of text, formulas and code counted as one each."""
    prose = [re.sub(r"\$[^$]*\$|`[^`]*`", " x ", cell.source) for cell in text.cells if cell.role == "text"]
    return sum(len(re.findall(r"[A-Za-z0-9']+", cell)) for cell in prose)


def code_lines(cell):
    """The lines of a program; one that is broken because a page is narrow counts as one."""
    read = io.StringIO(cell.source).readline
    return [token.line for token in tokenize.generate_tokens(read) if token.type == tokenize.NEWLINE]


def code_cells(text):
    """Everything that runs, a question apart: it is one line, and there to be answered."""
    return [cell for cell in text.cells if cell.role not in ("text", "question")]


def explorers(name):
    """How many outputs of a lesson can be moved."""
    outputs = [out.get("data", {}) for cell in built("lessons", name)["cells"] for out in cell.get("outputs", [])]
    views = [data[MIME]["view"] for data in outputs if MIME in data]
    return sum(view not in ("picture", "predict") for view in views)


def minutes(name):
    """How long a lesson takes to read: 200 words a minute, 20 seconds for a code cell, 60 for what is tried out."""
    text = source.read("lessons", name)
    questions = sum(cell.role == "question" for cell in text.cells)
    return words(text) / 200 + len(code_cells(text)) / 3 + explorers(name) + questions


def test_a_lesson_is_short_and_says_how_long_it_takes():
    for name in LESSONS:
        text = source.read("lessons", name)
        assert len(code_cells(text)) <= 24 and minutes(name) <= 40, name
        said = re.search(r"\*\*Time:\*\* (?:about )?(\w+) minutes", text.cells[0].source)[1]
        assert minutes(name) <= ({"twenty": 20}.get(said) or int(said)), name
        # A line of a program fits a page.
        assert [line for cell in code_cells(text) for line in cell.source.splitlines() if len(line) > 76] == []


def test_a_lesson_has_short_cells_and_enough_of_them():
    for name in CHAPTERS:
        text = source.read("lessons", name)
        cells = code_cells(text)
        least, most, lines = (700, 1200, 13) if name == BUILT else (1200, 2350, 8)
        assert least <= words(text) <= most and len(cells) >= 15, name
        assert [cell.id for cell in cells if "\n" not in cell.source.strip() or len(code_lines(cell)) > lines] == []


def test_the_engine_of_lesson_6_is_about_a_hundred_lines():
    cells = {cell.id: cell for cell in code_cells(source.read("lessons", BUILT))}
    pieces = [cell for name, cell in cells.items() if name.endswith(("-class", "-code")) and name not in TRAINS]
    assert 75 <= sum(len(code_lines(cell)) for cell in pieces) <= 110


def test_a_lesson_says_what_it_wants_asks_before_it_tells_and_ends_with_a_recap():
    """Below the recap there may be small print: what is only an exception."""
    for name in CHAPTERS:
        cells = source.read("lessons", name).cells
        for said in ("After this lesson you can", "**You need:**", "**Time:** about "):
            assert said in cells[0].source, name
        assert sum(cell.role == "question" for cell in cells) >= 3, name
        headings = [line for cell in cells for line in cell.source.splitlines() if line.startswith("## ")]
        below = headings[-1:] if headings[-1] == "## Small print" else []
        wanted = ["## What people get wrong", "## Try your own", "## Recap", *below]
        assert headings[-3 - len(below) :] == wanted, name


@pytest.mark.parametrize("name", LESSONS)
def test_every_picture_has_words(name):
    outputs = [out.get("data", {}) for cell in built("lessons", name)["cells"] for out in cell.get("outputs", [])]
    drawn = ["".join(data["image/svg+xml"]) for data in outputs if "image/svg+xml" in data]
    assert len(drawn) >= (2 if name in CHAPTERS else 0)
    assert [words for each in drawn for words in re.findall("<title>(.*?)</title>", each) if len(words) < 40] == []
    assert all("<title>" in each for each in drawn)
    assert not any("<img" in "".join(data.get("text/html", "")) for data in outputs)


@pytest.mark.parametrize("kind", source.KINDS)
def test_links_lead_to_notebooks_of_the_course(kind):
    folder = source.notebooks_folder()
    made = {(folder / each / f"{name}.ipynb").resolve() for each in source.KINDS for name in source.names(each)}
    for name in source.names(kind):
        for cell in built(kind, name)["cells"]:
            if cell["cell_type"] == "markdown":
                for target in re.findall(r"\]\(([^)#]+)\)", "".join(cell["source"])):
                    assert (folder / kind / target).resolve() in made, (name, target)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in source.KINDS for name in source.names(kind)])
def test_headings_come_in_order(kind, name):
    levels = [
        len(line) - len(line.lstrip("#"))
        for cell in built(kind, name)["cells"]
        if cell["cell_type"] == "markdown"
        for line in "".join(cell["source"]).splitlines()
        if re.match(r"#+ ", line)
    ]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("chapter", parts.chapters(), ids=lambda chapter: chapter.name)
def test_an_exercise_has_six_to_twelve_parts_from_easy_to_hard(chapter):
    assert 6 <= len(chapter.parts) <= 12
    assert any(part.difficulty == 1 for part in chapter.parts[:2])  # the record comes before the first easy part
    assert max(part.difficulty for part in chapter.parts) >= 2


def test_programs_of_checks_are_clean_python(tmp_path):
    """ruff passes over cells that begin with a cell magic, so their programs are linted here."""
    for chapter in parts.chapters():
        (tmp_path / chapter.name).mkdir()
        for name, program in source.read("solutions", chapter.name).programs().items():
            (tmp_path / chapter.name / f"{name}.py").write_text(f"{program}\n", encoding="utf-8")
    settings = ["--isolated", "--no-cache", "--line-length", "120", "--quiet"]
    for command in (["check", "--select", "E,F,W,B", "--ignore", "F821"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *settings, str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"ruff {command[0]}:\n{done.stdout}{done.stderr}"
