"""What earns points and what does not, judged in the real sandbox; honest and hostile answers are in `hostile/`."""

import ast

import pytest
from submissions import CHAPTER, cell, exercise, mul, ours, rectangle, saved, solution

import minigrad
from minigrad_course.checks.reference import program_of
from minigrad_course.checks.verdicts import NOISE
from minigrad_course.grading.judge.judge import Judge, read_submission
from minigrad_course.grading.judge.nbval import part_record
from minigrad_course.grading.records.record import PRINTS, Limits, plain
from minigrad_course.parts import chapters
from minigrad_course.programs import program
from minigrad_course.programs.cells import run_cell
from minigrad_course.texts import source

MUL = cell(solution(), "mul")["source"]
RIGHT = "return grad_output * b, grad_output * a"


@pytest.fixture(scope="module")
def judge():
    """A judge that loses patience soon, so that what never ends costs little."""
    with Judge(seed=4711, limits=Limits(seconds=0.5, cell_seconds=0.3, memory_mb=256.0)) as judge:
        yield judge


@pytest.fixture(scope="module")
def passing(judge, tmp_path_factory):
    """What the solution comes to: a last check that asks for its parts need not run them anew after every test."""
    submission = read_submission(saved(solution(), tmp_path_factory.mktemp("passing") / "submission.ipynb"))
    found = {check: judge.result(submission, check) for check in CHAPTER.checks}
    assert all(result.passed for result in found.values())
    return found


@pytest.fixture
def results(judge, passing, tmp_path):
    """Grade a notebook: check -> Result, for the checks asked for."""

    def results(notebook, *checks, earlier=None):
        submission = read_submission(saved(notebook, tmp_path / "submission.ipynb"))
        return {check: judge.result(submission, check, earlier) for check in checks or CHAPTER.checks}

    yield results
    # whatever a submission did, the next one is unaffected
    assert [result.what for result in results(solution(), "chapter1", earlier=passing).values()] == [""]


# --- the two ends --------------------------------------------------------------------------------


def test_the_solution_earns_everything(passing):
    assert all(result.passed and result.what == "" and result.word == "passed" for result in passing.values())
    assert sum(result.points for result in passing.values()) == 22


def test_the_untouched_exercise_earns_nothing(results):
    found = results(exercise())
    assert sum(result.points for result in found.values()) == 0
    for check, result in found.items():
        if check == "repair":
            assert (result.word, result.what) == ("open", "`repair` is still as it was given.")
        else:
            assert result.word == "open" and result.what.endswith("is still to be written.")


def test_each_part_alone_earns_its_own_points(results):
    answers = {each.id: each.source for each in source.read("solutions", CHAPTER.name).cells}
    names = [part.name for part in CHAPTER.parts]
    found = {name: results(exercise(**{name: answers[name]}), name, "order", "chapter1") for name in names}
    passed = {name: [check for check, each in some.items() if each.passed] for name, some in found.items()}
    assert passed == {name: [name] for name in names}


def test_the_named_mistakes_are_named(results):
    result = results(solution(mul=mul("return b, a")), "mul")["mul"]
    assert result.mistake.name == "no upstream" and result.what.startswith("You return the local derivatives alone")


def test_right_numbers_that_come_in_another_way_than_is_asked_for_earn_nothing(results):
    """In a part and in the last check, with a sentence that says so."""
    formula = "a.grad, b.grad = (a / diagonal).detach(), (b / diagonal).detach()"
    found = results(solution(repair=ours("repair").replace("diagonal.backward()", formula)), "repair", "chapter1")
    assert [each.points for each in found.values()] == [0, 0]
    assert "not from `backward()`" in found["repair"].what and found["repair"].text


def test_an_answer_that_prints_fails_and_hears_so(results):
    """Whatever is right without what it prints, or is said to be: it earns nothing."""
    texts = {
        "only": mul(f'print("debug", a)\n{RIGHT}'),
        "too": mul('print("debug", a)\nreturn grad_output * a, grad_output * b'),
        "": mul("return grad_output * a, grad_output * b"),
    }
    found = {prints: results(solution(mul=text), "mul")["mul"] for prints, text in texts.items()}
    assert [(each.prints, each.points, each.word) for each in found.values()] == [(each, 0, "wrong") for each in texts]
    assert found["only"].what == "Your answer prints. Remove the print: everything else is what torch prints."
    assert found["too"].what == f"{NOISE} {found[''].what}" and found["too"].text == found[""].text
    assert found["too"].mistake is found[""].mistake is not None and part_record(found["only"], 0).mistake == PRINTS


def test_seeds_give_other_numbers_and_the_same_seed_the_same():
    references = []
    for seed in (1, 2, 1):
        with Judge(seed=seed) as judge:
            references.append([judge.reference(CHAPTER, check) for check in CHAPTER.checks])
    assert references[0] == references[2]
    assert all(one != other for one, other in zip(references[0], references[1], strict=True))
    assert Judge().seed != Judge().seed


# --- no credit: what attacks come to is in hostile/ ---------------------------------------------


def test_goals_stored_in_the_notebook_earn_nothing(results):
    """Neither as outputs, nor printed by the answers, nor pasted into the checks."""
    forged = exercise()
    for check in CHAPTER.checks:
        with Judge(seed=20) as stored:  # the seed of the notebooks
            goal = stored.reference(CHAPTER, check)
        found = cell(forged, f"check-{check}")
        found["outputs"] = [{"output_type": "stream", "name": "stdout", "text": goal}]
        found["source"] = f"%%check {check}\nprint({goal!r})"
        if check != CHAPTER.together:
            cell(forged, check)["source"] += f"\nprint({goal!r})"
    cell(forged, "repair")["source"] = rectangle(f"print({goal!r})")
    assert not any(result.passed for result in results(forged).values())


def test_a_hanging_cell_costs_its_own_part_and_the_last_check_only(results):
    hanging, some = solution(mul="while True: pass"), ("mul", "div", "repair", "chapter1")
    assert [check for check, result in results(hanging, *some).items() if not result.passed] == ["mul", "chapter1"]


# nothing can interrupt it but the end of its process
ENDLESS_IN_C = "import collections, itertools\ncollections.deque(itertools.repeat(0), maxlen=0)"


def test_the_last_check_does_not_wait_again_for_a_part_that_did_not_end(judge, passing, tmp_path, monkeypatch):
    submission = read_submission(saved(solution(mul=mul("while True: pass")), tmp_path / "submission.ipynb"))
    part = judge.result(submission, "mul")
    assert (part.problem.kind, part.passed) == ("time", False)
    runs, run_cells = [], judge.run_cells
    monkeypatch.setattr(judge, "run_cells", lambda *given: runs.append(given[1]) or run_cells(*given))
    last = judge.result(submission, "chapter1", passing | {"mul": part})
    assert runs == []
    assert (last.points, last.word, last.what) == (
        0,
        "wrong",
        "It was not run, because it needs mul, which did not end.",
    )


def test_a_cell_that_hangs_in_c_costs_the_others_nothing_not_even_time(judge, results, monkeypatch):
    runs, run_cells = [], judge.run_cells
    monkeypatch.setattr(judge, "run_cells", lambda *given: runs.append(given[1]) or run_cells(*given))
    found = results(solution(mul=ENDLESS_IN_C), "mul", "div", "repair")
    assert [check for check, result in found.items() if not result.passed] == ["mul"]
    assert found["mul"].problem.kind == "time"
    assert runs == ["mul", "div", "repair"]  # the later ones at once without that cell


def test_what_the_cell_of_a_hanging_answer_defines_is_there_for_the_others(results):
    hanging = mul(ENDLESS_IN_C.replace("\n", "; "), before="def twice(value): return value + value")
    div = next(each.source for each in source.read("solutions", CHAPTER.name).cells if each.id == "div")
    found = results(solution(mul=hanging, div=f"assert twice(1) == 2\n{div}"), "mul", "div")
    assert found["mul"].problem.kind == "time" and found["div"].passed


def test_the_time_of_a_cell_can_be_chosen(tmp_path):
    late = "import time\nif time.sleep(0.3) is None:\n    Late = Function\n" + MUL.replace("Mul(Function)", "Mul(Late)")
    slow = read_submission(saved(solution(mul=late), tmp_path / "slow.ipynb"))
    for seconds, passed in ((0.05, False), (5.0, True)):
        with Judge(seed=4711, limits=Limits(cell_seconds=seconds)) as judge:
            assert judge.result(slow, "mul").passed is passed


def test_text_for_a_terminal_is_neutralised(results):
    evil = r"\x1b]0;title\x07\x1b[2J[bold red]x[/]"
    for answer in (f"print('{evil}')", f"raise ValueError('{evil}')"):
        result = results(solution(repair=rectangle(answer)), "repair")["repair"]
        assert "\\x1b[2J[bold red]x[/]" in result.what and result.what.isprintable()


# --- text of strangers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ✓ äöü", "plain ✓ äöü"),
        ("\x1b[31m\r\n\t\0\u202e\ud800", "\\x1b[31m\\r\\n\\t\\x00\\u202e\\ud800"),
        ("x" * 1000, "x" * 299 + "…"),
        ("\0" * 1_000_000, ("\\x00" * 300)[:299] + "…"),
    ],
    ids=["plain", "control", "long", "both"],
)
def test_plain(text, shown):
    assert plain(text) == shown


def test_a_cell_may_try_what_stands_above_it(results):
    """The engine lacks the parts until they are handed over; then they are there, also for the cells below."""
    power = next(each.source for each in source.read("solutions", CHAPTER.name).cells if each.id == "pow")
    found = results(solution(pow=f"print(minigrad.tensor(2.0, requires_grad=True) * 3)\n{power}"))
    assert all(result.passed for result in found.values())


def test_the_numbers_cannot_be_listed_in_advance():
    """Each check draws from millions of cases, so that no table of torch's answers fits into a notebook."""
    programs = source.read("solutions", CHAPTER.name).programs()
    assert [check for check, text in programs.items() if "draw(" not in text] == []


# --- parts are used ------------------------------------------------------------------------------


def test_a_part_is_called_where_it_is_judged():
    """Of an answer that raises when it is called, the check gets no further."""
    ends = {}
    for chapter in chapters():
        cells = {each.part: each.source for each in source.read("solutions", chapter.name).cells
                 if each.role == "answer"}  # fmt: skip
        for part in [part for part in chapter.parts if part.place.kind == "engine"]:
            module = ast.parse(source.without_markers(cells[part.name]))
            for node in [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]:
                node.body = ast.parse("raise LookupError('called')").body
            answers = program.Answers()
            setup = [each.source for each in source.read("solutions", chapter.name).cells if each.role == "setup"]
            namespace = {"__name__": "__main__", "part": answers.part}
            for text in (*setup, ast.unparse(module)):
                run_cell(text, namespace)
            text = program_of(chapter, part.name)
            run = program.run_with(text, minigrad, 5, chapter.places(part.name), answers)
            ends[part.name] = run.problem.message if run.problem else run.text
    assert len(ends) > 25
    assert {name: end for name, end in ends.items() if "LookupError: called" not in end} == {}
