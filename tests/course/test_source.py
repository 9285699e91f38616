"""The texts: what is refused, and what the pristine notebooks are."""

import nbformat
import pytest

from minigrad_course import parts
from minigrad_course.texts import source
from minigrad_course.texts.source import BEGIN, END, BadSource, parsed, without_markers, without_solution
from minigrad_course.texts.words import words

CHAPTER = next(each for each in parts.chapters() if each.number == 1)
HEAD = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n\n"


def code(body, **options):
    lines = "".join(f":{name}: {value}\n" for name, value in options.items())
    return f"```{{code-cell}} ipython3\n{lines}{body}\n```\n\n"


def read(*cells):
    return parsed(HEAD + "".join(cells), "solutions", CHAPTER.name)


ANSWER = code("@part('mul')\nclass Mul: pass", id="mul", part="mul")

BAD = {
    "no id": ([code("x = 1")], "a cell has no id: 'x = 1'"),
    "a text without id": (["+++\n\nwords\n\n"], "a cell has no id: 'words'"),
    "a break that is no JSON": (["+++ {id: a}\n\nwords\n\n"], "this is not JSON: '+++ {id: a}'"),
    "a doubled id": ([code("x = 1", id="a"), code("x = 2", id="a")], "two cells have the id 'a'"),
    "an unknown part": ([code("x = 1", id="a", part="nosuch")], "cell a: the chapter has no answer named 'nosuch'"),
    "an unknown check": ([code("%%check nosuch\n1", id="a")], "cell a: the chapter has no check named 'nosuch'"),
    "the last check is no part": (
        [code("x = 1", id="a", part="chapter1")],
        "cell a: the chapter has no answer named 'chapter1'",
    ),
    "facts of no part": (['+++ {"id": "a"}\n\n{{ nosuch }}\n\n'], "cell a: there is no part for {{ nosuch }}"),
    "a stub that follows nothing": (
        [code("x = 1", id="a", tags="[stub]")],
        "a stub does not follow an answer: 'x = 1'",
    ),
    "a stub that follows a check": (
        [code("%%check mul\n1", id="c"), code("x = 1", id="a", tags="[stub]")],
        "a stub does not follow an answer: 'x = 1'",
    ),
    "a marker without an end": (
        [code(f"x = 1\n{BEGIN}\nx = 2", id="a", part="mul")],
        f"cell a: {BEGIN} and {END} do not come in pairs",
    ),
    "markers the wrong way": (
        [code(f"{END}\n{BEGIN}", id="a", part="mul")],
        f"cell a: {BEGIN} and {END} do not come in pairs",
    ),
}


@pytest.mark.parametrize(("cells", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_bad_text_is_refused_with_a_sentence(cells, sentence):
    with pytest.raises(BadSource) as refused:
        read(*cells)
    assert str(refused.value).endswith(sentence)
    assert "solutions/source/01_scalar_backward.md" in str(refused.value)


def test_roles():
    text = read(
        '+++ {"id": "t"}\n\n# Title\n\n{{ mul }}\n\n',
        code("import math", id="s", tags="[setup]"),
        ANSWER,
        code("%%check mul\nprint(1)\nprint(2)", id="c"),
        code("1 + 1", id="x"),
    )
    assert [(cell.id, cell.role, cell.part) for cell in text.cells] == [
        ("t", "text", None),
        ("s", "setup", None),
        ("mul", "answer", "mul"),
        ("c", "check", "mul"),
        ("x", "code", None),
    ]
    assert words().facts_of(CHAPTER.part("mul")) in text.cells[0].source
    assert text.programs() == {"mul": "print(1)\nprint(2)"}


def test_markers():
    answer = f"def f():\n    x = 1\n    {BEGIN}\n    return x\n    {END}\n    # end"
    assert without_solution(answer) == (
        "def f():\n    x = 1\n    # your code here\n    raise NotImplementedError\n    # end"
    )
    assert without_markers(answer) == "def f():\n    x = 1\n    return x\n    # end"


def test_a_stub_stands_in_for_its_answer():
    text = read(ANSWER, code("stub = 1", id="stub", tags="[stub]"))
    assert len(text.cells) == 1 and text.cells[0].stub == "stub = 1"


@pytest.mark.parametrize("name", source.names("exercises"))
@pytest.mark.parametrize("kind", ["exercises", "solutions"])
def test_pristine_notebooks(kind, name):
    made, chapter = source.notebook(kind, name), parts.chapter_named(name)
    nbformat.validate(made)
    ids = [cell.id for cell in made.cells]
    assert len(set(ids)) == len(ids)
    assert made.metadata.minigrad == {"kind": kind, "name": name, "version": 1}
    graded = [cell.metadata.nbgrader for cell in made.cells if "nbgrader" in cell.metadata]
    assert len({each.grade_id for each in graded}) == len(graded)
    answers = {cell.id for cell in source.read("solutions", name).cells if cell.role == "answer"}
    assert len(graded) == len(answers) + len(chapter.checks)
    assert name == "06_your_own_engine" or len(answers) == len(chapter.parts)
    for each in graded:
        assert each.schema_version == 3 and each.task is False
        assert each.grade == each.locked == (not each.solution)
        assert ("points" in each) == each.grade
    points = [each.points for each in graded if each.grade]
    assert points == [chapter.points(check) for check in chapter.checks]
    answers = [cell.source for cell in made.cells if "part" in cell.metadata.get("minigrad", {})]
    faulty = [cell.stub for cell in source.read("solutions", name).cells if cell.stub]
    for answer in answers:
        if kind == "exercises":
            assert BEGIN not in answer and END not in answer
            assert "# your code here" in answer or answer in faulty
        assert "@part(" in answer or source.is_module(answer)


@pytest.mark.parametrize("name", source.names("exercises"))
def test_an_exercise_is_the_solution_without_its_answers(name):
    exercise, solution = source.notebook("exercises", name), source.notebook("solutions", name)
    assert [cell.id for cell in exercise.cells] == [cell.id for cell in solution.cells]
    for one, other in zip(exercise.cells, solution.cells, strict=True):
        assert (one.source == other.source) == ("part" not in one.metadata.get("minigrad", {})), one.id


# --- a part with a folder of its own -------------------------------------------------------------


LAST = code("%%check chapter1\nprint(1)", id="last")
SECTION = [
    '+++ {"id": "about-mul"}\n\n## A product\n\n{{ mul }} Its check is {{ mul.number }} of {{ checks }}.\n\n',
    ANSWER,
    code("%%check mul\nprint(2)", id="check-mul"),
    code("print(3)", id="more", tags="[together]"),
]


def with_section(*cells):
    record = code("%%check record\nprint(0)", id="check-record")
    return parsed(HEAD + record + LAST, "solutions", CHAPTER.name, (("mul", "".join(cells)),))


def test_a_section_comes_after_the_part_before_it_and_adds_to_the_last_check():
    text = with_section(*SECTION)
    assert [cell.id for cell in text.cells] == ["check-record", "about-mul", "mul", "check-mul", "last"]
    assert text.programs() == {"record": "print(0)", "mul": "print(2)", "chapter1": "print(1)\n\nprint(3)"}
    assert text.cells[1].source.startswith("## 2. A product\n\n`mul` · difficulty")
    assert text.cells[1].source.endswith("Its check is 2 of ten.")


@pytest.mark.parametrize(
    ("left_out", "sentence"),
    [(2, "it needs one cell with :part: mul, and below it one with %%check mul"), (3, "no cell is tagged together")],
)
def test_a_section_that_lacks_something_is_refused(left_out, sentence):
    with pytest.raises(BadSource, match=sentence) as refused:
        with_section(*(each for at, each in enumerate(SECTION) if at != left_out))
    assert str(refused.value).startswith("scalar_backward/mul/section.md: ")
