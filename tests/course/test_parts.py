"""Every solution passes, every mistake fails and is recognised. More right ones: tests/grading/hostile/honest*.py."""

import dataclasses
import functools
import os

import pytest
import torch

import minigrad
from minigrad import leaf
from minigrad_course import parts
from minigrad_course.checks import probes, verdicts
from minigrad_course.checks.reference import reference, solutions, undisturbed
from minigrad_course.programs import cells, compare, program
from minigrad_course.texts import source, words

# MINIGRAD_SEEDS draws with that many more and takes every mistake everywhere, as `make corpora` does.
ALL = "MINIGRAD_SEEDS" in os.environ
SEEDS = (0, 77952569, *range(1, 1 + int(os.environ.get("MINIGRAD_SEEDS", "0"))))
OPEN_BIT = ("div", 358)  # this check ends on a float whose last bit is open, with this seed
CHECKS = [(chapter, check) for chapter in parts.chapters() for check in chapter.checks]
PARTS = [(chapter, part) for chapter in parts.chapters() for part in chapter.parts]
every_check = pytest.mark.parametrize(("chapter", "check"), CHECKS, ids=[check for _, check in CHECKS])
every_part = pytest.mark.parametrize(("chapter", "part"), PARTS, ids=[part.name for _, part in PARTS])


# What a mistake and what torch come to is the same each time, and asked for by many tests.
once_with_mistake = functools.cache(verdicts.with_mistake)
once_reference = functools.cache(reference)


@pytest.fixture(autouse=True)
def run_once(monkeypatch):
    """A verdict compares with each mistake of a part: it need not run them anew for each verdict."""
    monkeypatch.setattr(verdicts, "with_mistake", lambda *arguments: once_with_mistake(*arguments))
    monkeypatch.setattr(verdicts, "reference", lambda *arguments: once_reference(*arguments))


def judged(*given):
    """The verdict on a check that runs here."""
    return verdicts.judge(verdicts.Here(*given))


def seeds_of(check):
    return (*SEEDS, OPEN_BIT[1]) if check == OPEN_BIT[0] else SEEDS


@functools.cache
def text_of(chapter, check):
    return source.read("solutions", chapter.name).programs()[check]


@functools.cache
def stubs(chapter):
    """What the untouched exercise hands over."""
    answers, namespace = program.Answers(), {"__name__": "__main__"}
    namespace["part"] = answers.part
    for cell in source.notebook("exercises", chapter.name).cells:
        if cell.cell_type == "code" and not {"check", "diagnoses"} & set(cell.metadata.get("minigrad", {})):
            if source.is_module(cell.source):
                module, failure = cells.module_of(cell.source)
                answers.update(dict.fromkeys(source.names_in(cell.metadata.minigrad.part), module))
            else:
                failure = cells.run_cell(cell.source, namespace)
            assert failure is None
    return answers


# --- solutions and mistakes ----------------------------------------------------------------------


@every_check
def test_the_solution_passes(chapter, check):
    for seed in seeds_of(check):
        verdict = judged(chapter, check, text_of(chapter, check), solutions(chapter.name), seed)
        assert verdict.state == "passed", (seed, verdict)


def test_a_verdict_names_torch_unless_every_answer_is_a_program_that_torch_could_run_too():
    said = {
        check: judged(chapter, check, text_of(chapter, check), solutions(chapter.name)).headline
        for chapter, check in CHECKS
        if check in ("detach", "descend", "chapter4", "zeroing", "chapter5")
    }
    torch_prints, it_should = "it prints what torch prints.", "it prints what it should."
    assert said == {
        "detach": f"✓ detach, part 4 of 11: {torch_prints} After it comes no_grad.",
        "descend": f"✓ descend, part 10 of 11: {it_should} After it comes chapter4.",
        "chapter4": f"✓ chapter4, part 11 of 11: {torch_prints} That was the last check of this exercise.",
        "zeroing": f"✓ zeroing, part 2 of 12: {it_should} After it comes column.",
        "chapter5": f"✓ chapter5, part 12 of 12: {it_should} That was the last check of this exercise.",
    }


@every_check
def test_torch_prints_other_numbers_for_other_seeds(chapter, check):
    seeds = {*SEEDS, 1}
    printed = {once_reference(chapter, check, text_of(chapter, check), seed) for seed in seeds}
    assert len(printed) >= len(seeds) - 1  # two seeds may draw the same numbers


@every_part
def test_every_mistake_fails_and_is_recognised_by_its_name(chapter, part):
    text = text_of(chapter, part.name)
    for seed in seeds_of(part.name)[1:]:
        for mistake in part.mistakes:
            verdict = judged(chapter, part.name, text, {part.name: mistake.answer}, seed)
            assert verdict.state == "wrong", (seed, mistake.name)
            assert verdict.mistake is mistake, (seed, mistake.name, verdict)
            assert verdicts.explained(mistake, verdict.tried) in repr(verdict)


@every_part
def test_no_two_mistakes_of_a_part_are_alike(chapter, part):
    """Where a check comes to the same with both, their probes tell them apart."""
    text = text_of(chapter, part.name)
    told = [probes.told_with(chapter, part, mistake) for mistake in part.mistakes] if part.probe else []
    for seed in seeds_of(part.name)[1:]:
        runs = [verdicts.with_mistake(part.place, mistake, text, seed) for mistake in part.mistakes]
        ends = [(run.text, verdicts.error_of(run.problem)) for run in runs]
        for index, (one, end) in enumerate(ends):
            for before, (other, last) in enumerate(ends[:index]):
                same = compare.alike(one, other) and end == last
                assert not same or (told and told[index] != told[before]), (before, index)


def test_the_last_check_fails_with_a_mistake_of_each_part_and_says_where_to_look():
    """It takes all parts together, and so it names none."""
    unnoticed = []
    for chapter, part in PARTS:
        text, right = text_of(chapter, chapter.together), dict(solutions(chapter.name))
        found = (
            judged(chapter, chapter.together, text, right | chapter.answered(part.name, each.answer))
            for each in part.mistakes
        )
        wrong = next((verdict for verdict in found if verdict.state == "wrong"), None)
        if wrong is None or wrong.mistake or "start with the first one that fails" not in wrong.advice:
            unnoticed.append((part.name, wrong))
    assert unnoticed == []


def test_many_draws_of_numbers_tell_mistakes_from_the_solution_of_div():
    """Whatever seed a grading has, no mistake slips through and no right answer fails."""
    (chapter,) = [each for each in parts.chapters() if each.number == 1]
    text, part = text_of(chapter, "div"), chapter.part("div")
    for seed in range(300 if ALL else 30):
        wanted = reference(chapter, "div", text, seed)
        right = program.run_with(text, minigrad, seed, [part.place], solutions(chapter.name))
        assert compare.alike(right.text, wanted), (right.text, wanted)
        for mistake in part.mistakes:
            assert not compare.alike(verdicts.with_mistake(part.place, mistake, text, seed).text, wanted)


# --- the chapter and its texts -------------------------------------------------------------------


def test_a_part_has_mistakes_hints_and_its_facts_in_the_exercise():
    for chapter in parts.chapters():
        exercise = source.notebook("exercises", chapter.name)
        said = [cell.source for cell in exercise.cells if cell.cell_type == "markdown"]
        for part in chapter.parts:
            assert len(part.mistakes) >= 2 and len(part.hints) >= 2, part.name
            assert len({mistake.name for mistake in part.mistakes}) == len(part.mistakes), part.name
            assert part.points > 0 and part.minutes > 0 and 1 <= part.difficulty <= 3, part.name
            assert sum(words.words().facts_of(part) in text for text in said) == 1, part.name


def test_texts_and_parts_belong_together():
    for chapter in parts.chapters():
        text = source.read("solutions", chapter.name)
        assert list(text.programs()) == chapter.checks
        assert [*text.answers()] == [part.name for part in chapter.parts]


def test_an_explanation_completes_the_sentence():
    told = [mistake.explanation for _, part in PARTS for mistake in part.mistakes]
    assert [each for each in told if each.endswith(".") or each[0].isupper()] == []


# --- the untouched exercise ----------------------------------------------------------------------


@every_check
def test_the_untouched_exercise_passes_nothing_and_says_why(chapter, check):
    verdict = judged(chapter, check, text_of(chapter, check), stubs(chapter))
    faulty = {cell.part for cell in source.read("solutions", chapter.name).cells if cell.stub}
    if check in faulty:  # a finished function to repair: it is the first of its part's mistakes
        assert verdict.state == "wrong" and verdict.mistake is chapter.part(check).mistakes[0]
    else:
        assert verdict.state == "open"
        assert verdict.problem.kind == "unfinished"
        assert verdict.headline.endswith("is still to be written.")


def nearly_alike(one, other):
    """Whether two texts are alike; a training that runs away makes rounding visible, and its numbers are large."""
    numbers = [[float(each) for each in compare.NUMBER.findall(text)] for text in (one, other)]
    return compare.alike(one, other) or (
        compare.skeleton(one) == compare.skeleton(other)
        and max(map(abs, numbers[0])) > 100
        and numbers[0] == pytest.approx(numbers[1], rel=1e-4, abs=1e-3)
    )


@every_part
def test_what_a_mistake_in_a_program_does_torch_does_too(chapter, part):
    """So that nobody learns from minigrad what is not true of torch."""
    if part.place.kind != "program":
        return
    text = text_of(chapter, part.name)
    for seed in SEEDS[:2] if ALL else SEEDS[1:2]:
        for mistake in part.mistakes:
            as_here = dataclasses.replace(part.place, torches=False)  # of all torches, one is here
            ours = verdicts.with_mistake(as_here, mistake, text, seed)
            with undisturbed(torch):
                theirs = program.run(text, torch, seed, {part.place.attribute: mistake.answer})
            assert nearly_alike(ours.text, theirs.text), (mistake.name, seed)
            assert verdicts.same_end(ours.problem, theirs.problem), (mistake.name, seed)


# --- a jvp that is too dear, and an answer that leaves something behind -----------------------------


def test_a_jvp_that_builds_the_whole_jacobian_is_told_by_its_passes():
    (chapter,) = [each for each in parts.chapters() if each.number == 3]

    def jvp(y, x, v=None, create_graph=False):
        J = minigrad.jacobian.jacobian(y, x, create_graph)
        return (J.reshape(y.numel(), -1) @ v.reshape(-1)).reshape(y.shape)

    verdict = judged(chapter, "jvp", text_of(chapter, "jvp"), {"jvp": jvp})
    assert verdict.state == "wrong"
    assert verdict.text.count("a pass from y to x:") == 3


def test_after_an_answer_that_leaves_recording_off_it_is_on_again():
    (chapter,) = [each for each in parts.chapters() if each.number == 4]
    (wrong,) = [each for each in chapter.part("no_grad").mistakes if each.name == "never ends"]
    verdict = judged(chapter, "no_grad", text_of(chapter, "no_grad"), {"no_grad": wrong.answer})
    assert verdict.mistake is wrong
    assert leaf.recording
    assert (minigrad.ones(2, requires_grad=True) * 2).requires_grad
