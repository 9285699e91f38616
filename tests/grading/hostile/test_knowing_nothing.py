"""Answers that know nothing earn nothing, with any seed; those that no check can tell are a table of their own.

MINIGRAD_SEEDS says how many seeds; without it, one, and a sample of the answers.
"""

import json
from pathlib import Path

import pytest
from answers import TWINS
from by_heart import BY_HEART
from judges import FIRST, Remembering, sample, seeds
from knowing_nothing import FAMILIES, LENT
from replaced import REPLACED
from submissions import solution_of
from undecidable import CANNOT_TELL, LONG, NUMERIC, PASTED

from minigrad_course import parts
from minigrad_course.grading.book.similar import Answers
from minigrad_course.grading.judge.judge import submission_of
from minigrad_course.grading.records.alike import Same
from minigrad_course.grading.records.record import Record

EVERY = sample(FAMILIES | {"replaced": REPLACED}, 3) | sample({"by heart": BY_HEART, "numeric": NUMERIC}, 20)
ATTACKS = {name: attack for name, attack in EVERY.items() if name not in CANNOT_TELL}
# A check with few cases may come out as with the numbers of the notebook. Part -> once in so many seeds.
ODDS = {
    "accumulate": 2048,  # 12 draws of one of two leaves, of which 11 matter
    "accumulate_again": 2048,  # 12 draws of whether the leaf starts afresh, of which 11 matter
    "descend": 729,  # six times an order of three, of which one has no gradient
    "index": 972,  # four times one of three rows, three orders of the mask, twice one of two columns
    "is_leaf": 792,  # which five of twelve are no leaves
    "logsumexp": 924,  # which six of twelve are along the first axis
    "mean": 729,  # six sizes from 2 to 4
    "no_grad": 729,  # six dives of 1 to 3 blocks
    "retain_grad": 1260,  # an order of nine tensors of three kinds
    "train": 729,  # six times one of three leaves has a gradient
}


def submitted(attack):
    """Our solution, with this answer to one part."""
    notebook = solution_of(parts.chapter_of(attack.part), **{attack.part: attack.answer})
    return submission_of(Path("x.ipynb"), json.dumps(notebook).encode())


def points(judges, attack):
    """What an answer earns for its part, by seed."""
    submission = submitted(attack)
    return {seed: judges[seed].result(submission, attack.part).points for seed in seeds(default=1)}


def full(part):
    """What a part is worth, with any seed."""
    return dict.fromkeys(seeds(default=1), parts.chapter_of(part).points(part))


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_it_earns_nothing(judges, attack, request):
    earned = {seed for seed, each in points(judges, attack).items() if each}
    tried = len(seeds(default=1))
    by_chance = tried > 1 and attack.part in ODDS and "by heart" in request.node.name
    assert len(earned) <= (1 + 2 * tried // ODDS[attack.part] if by_chance else 0), earned


UNTOLD = sample({"cannot tell": CANNOT_TELL}, 12)


@pytest.mark.parametrize(("attack", "why"), UNTOLD.values(), ids=UNTOLD.keys())
def test_it_cannot_be_told_from_an_honest_one(judges, attack, why):
    assert why and points(judges, attack) == full(attack.part)


@pytest.fixture(scope="module")
def credulous():
    """A judge that leaves all derivatives in the engine, for whoever asks."""

    class Credulous(Remembering):
        def derivatives(self, chapter, check):
            return None

        def lends(self, chapter, check):
            return True

    with Credulous(FIRST) as judge:
        yield judge


WITHOUT_LOGARITHMS = {name: twin for name, twin in TWINS.items() if "log" not in twin.answer}  # of negative numbers
COULD_BE_LENT = sample({"lent": LENT, "twins": WITHOUT_LOGARITHMS}, 3)


@pytest.mark.parametrize("attack", COULD_BE_LENT.values(), ids=COULD_BE_LENT.keys())
def test_the_engine_could_lend_it(credulous, attack):
    """So the attacks are real, and what refuses them is that nothing is lent."""
    assert credulous.result(submitted(attack), attack.part).passed


def record_of(attack):
    """What a grading keeps of a submission with this answer."""
    answers, name = {attack.part: attack.answer}, parts.chapter_of(attack.part).name
    return Record("somebody/1", "somebody", exercise=name, answers=answers)


def test_our_own_text_is_long_enough_in_most_parts():
    assert len(LONG) >= 12


def test_our_own_text_is_listed():
    listed = {}
    for name, attack in PASTED.items():
        answers = Answers(whole=lambda place: None)
        answers.add(record_of(attack))
        listed[name] = answers.same_as_ours() == [Same("somebody", parts.chapter_of(attack.part).name, (attack.part,))]
    assert [name for name, each in listed.items() if not each] == []
