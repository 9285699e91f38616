"""Luck passes no check more often than once in 500 seeds: `luck.py` counts it, and here a few of its seeds are tried.

MINIGRAD_SEEDS says how many.
"""

from by_heart import DECIDING
from judges import seeds
from luck import FIRST_SEED, ONCE_IN, Guess, by_heart, luck, passes, right

from minigrad_course.checks.reference import solutions
from minigrad_course.parts import chapter_of

# The luckiest guesses before the checks drew more: they passed on 89 and on 26 of 500 seeds.
BEFORE = {"no_grad": "by heart: then always True", "descend": "by heart: every third is another"}


def too_lucky(part, default, guesses):
    """The guesses that pass more than once in so many seeds, and how often."""
    some = range(FIRST_SEED, FIRST_SEED + len(seeds(default)))
    found = luck(part, some, guesses)
    assert found
    return {(part, name): count for name, count in found.items() if count > -(-len(some) // ONCE_IN)}


def test_what_is_played_back_passes_at_most_once_in_so_many_seeds():
    lucky = {}
    for part in DECIDING:
        lucky |= too_lucky(part, 1, by_heart(part, tapes=2))
    for part, name in BEFORE.items():
        lucky |= too_lucky(part, 40, [each for each in by_heart(part, tapes=0) if each.name == name])
    assert lucky == {}


def test_a_right_answer_passes_and_a_tape_passes_with_its_own_numbers():
    """So that the tool can tell: what it counts are guesses that run, and not answers that stop."""
    answer = solutions(chapter_of("no_grad").name)["no_grad"]
    assert all(passes("no_grad", Guess("right", answer=answer), seed) for seed in range(5))
    assert right("no_grad", 3)
    stopped = []
    for part in DECIDING:
        tape = next(each for each in by_heart(part, tapes=1) if each.name == "by heart: tape 0")
        stopped += [] if passes(part, tape, 0) else [part]
    assert stopped == []
