"""Luck passes no check more often than once in 500 seeds: `luck.py` counts it, and here a few of its seeds are tried.

MINIGRAD_SEEDS says how many.
"""

import pytest
from by_heart import DECIDING
from judges import seeds
from luck import FIRST_SEED, ONCE_IN, Guess, by_heart, luck, passes, right

from minigrad_course.checks.reference import solutions
from minigrad_course.parts import chapter_of

FEW = 1  # seed
# The luckiest guesses before the checks drew more, on so many of 500 seeds.
BEFORE = {
    "no_grad": ("by heart: then always True", 89),
    "descend": ("by heart: every third is another", 26),
}


def tried(default):
    return range(FIRST_SEED, FIRST_SEED + len(seeds(default=default)))


@pytest.mark.parametrize("part", DECIDING)
def test_what_is_played_back_passes_at_most_once_in_so_many_seeds(part):
    some = tried(FEW)
    found = luck(part, some, by_heart(part, tapes=2))
    assert found and max(found.values()) <= -(-len(some) // ONCE_IN), found


@pytest.mark.parametrize("part", BEFORE)
def test_the_luckiest_of_former_guesses_are_no_longer_lucky(part):
    name, _ = BEFORE[part]
    some = tried(40)
    guess = next(each for each in by_heart(part, tapes=4) if each.name == name)
    assert luck(part, some, [guess])[name] <= -(-len(some) // ONCE_IN)


def test_a_right_answer_passes_and_a_tape_passes_with_its_own_numbers():
    """So that the tool can tell: what it counts are guesses that run, and not answers that stop."""
    answer = solutions(chapter_of("no_grad").name)["no_grad"]
    assert all(passes("no_grad", Guess("right", answer=answer), seed) for seed in range(5))
    assert right("no_grad", 3)
    for part in BEFORE:
        tape = next(each for each in by_heart(part, tapes=4) if each.name == "by heart: tape 3")
        assert passes(part, tape, 3), part
