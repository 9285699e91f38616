"""How often luck passes a check: for each part plausible guesses, each on many seeds.

    python tests/grading/hostile/luck.py [--seeds 500] [--by-heart] [PART …]

prints for each part its luckiest guess, and on how many of the seeds that passes. Guesses are the known mistakes of the
part, the wrong answers of `tests/course/wrong`, and, where an answer decides, what a right answer decided with other
numbers, played back (`by_heart`): the decisions of some hundred seeds, and the likeliest ones that a person can think
of. They run here and not in the sandbox: what is measured is the check, and a guess looks at nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "course"), str(HERE)]

import answered  # noqa: E402
from by_heart import COUNTER, DECIDING, NEXT, WAYS, namespace_of, tape, written  # noqa: E402

import minigrad  # noqa: E402
from minigrad_course import parts  # noqa: E402
from minigrad_course.checks.reference import solutions  # noqa: E402
from minigrad_course.programs import compare, program  # noqa: E402

FIRST_SEED = 50_000
ONCE_IN = 500  # seeds: no guess may pass more often
TAPES = 60  # seeds whose decisions are played back with others
SECONDS = 1.0  # of one run
PARTS = [part.name for chapter in parts.chapters() for part in chapter.parts]


@dataclasses.dataclass(frozen=True)
class Guess:
    """An answer that knows too little: what it is called, and the source of its cell, or the answer itself."""

    name: str
    cell: str = ""
    answer: Any = None

    def answers(self, part: str) -> dict[str, Any]:
        """The answer, as new: some count their calls."""
        if self.answer is not None:
            return {part: self.answer}
        _, answers = namespace_of(part, self.cell)
        return answers


class Hasty(program.Bounded):
    """A buffer that ends a program at its first wrong line."""

    wanted: list[str]

    def write(self, text: str) -> int:
        count = super().write(text)
        if "\n" in text:
            lines = self.getvalue().split("\n")[:-1]
            if any(not compare.alike(*pair) for pair in zip(lines, self.wanted, strict=False) if pair[0] != pair[1]):
                raise program.TooMuchOutput
        return count


@functools.cache
def right(part: str, seed: int) -> str:
    """What our own answer prints, which other tests compare with torch."""
    chapter = parts.chapter_of(part)
    answers = {part: solutions(chapter.name)[part]}
    run = program.run_with(answered.check_of(part), minigrad, seed, chapter.places(part), answers)
    assert run.problem is None, run.problem
    return run.text


def passes(part: str, guess: Guess, seed: int) -> bool:
    """True if the check of a part passes a guess with the numbers of a seed."""
    answers = guess.answers(part)
    if part not in answers:
        return False
    wanted, chapter = right(part, seed), parts.chapter_of(part)
    before, program.Bounded = program.Bounded, type("Ours", (Hasty,), {"wanted": wanted.split("\n")})
    try:
        run = program.run_with(answered.check_of(part), minigrad, seed, chapter.places(part), answers, seconds=SECONDS)
    finally:
        program.Bounded = before
    return not run.problem and compare.difference(run.text, wanted) is None


def guesses(part: str, tapes: int = TAPES) -> Iterator[Guess]:
    """Everything that is tried for a part."""
    from test_wrong_answers import WRONG  # which is not needed for the rest

    mistakes = parts.chapter_of(part).part(part).mistakes
    yield from (Guess(f"mistake: {each.name}", answer=each.answer) for each in mistakes)
    yield from (Guess(f"wrong: {name}", answered.written(part, answer)) for name, answer in WRONG[part].items())
    yield from by_heart(part, tapes)


def by_heart(part: str, tapes: int = TAPES) -> Iterator[Guess]:
    """Of those the ones that play back decisions; none for a part that decides nothing by its numbers."""
    if part not in DECIDING:
        return
    learned = f"tape = {list(tape(part))!r}\n"
    yield from (Guess(f"by heart: {way}", written(part, learned + lines)) for way, lines in WAYS.items())
    for seed in range(tapes):
        learned = f"tape = {list(tape(part, seed))!r}\n"
        yield Guess(f"by heart: tape {seed}", written(part, learned + COUNTER + NEXT))
    learned = f"tape = {common(part)!r}\n"
    for value in dict.fromkeys(map(repr, tape(part))):  # the lines before any choice, and then always the same
        always = f"def decided(right):\n    here = next(turn)\n    return tape[here] if here < len(tape) else {value}\n"
        yield Guess(f"by heart: then always {value}", written(part, learned + COUNTER + always))


def common(part: str) -> list[Any]:
    """What a right answer decides with every seed, before a check draws anything that matters."""
    every = [tape(part, seed) for seed in range(12)]
    same: list[Any] = []
    for each in zip(*every, strict=False):
        if len(set(map(repr, each))) > 1:
            break
        same.append(each[0])
    return same


def luck(part: str, seeds: range, some: Iterable[Guess]) -> dict[str, int]:
    """On how many of the seeds each of some guesses passes."""
    return {guess.name: sum(passes(part, guess, seed) for seed in seeds) for guess in some}


def most(seeds: int) -> float:
    """How often a guess may pass on so many seeds: what once in 500 comes to, and twice its deviation."""
    return seeds / ONCE_IN + 2 * math.sqrt(seeds / ONCE_IN)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("parts", nargs="*", metavar="PART", help="all if none is named")
    reader.add_argument("--seeds", type=int, default=500)
    reader.add_argument("--tapes", type=int, default=TAPES)
    reader.add_argument("--by-heart", action="store_true", help="only what plays back decisions")
    options = reader.parse_args()
    made = by_heart if options.by_heart else guesses
    seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
    for part in options.parts or PARTS:
        found = luck(part, seeds, made(part, options.tapes))
        if not found:
            continue
        name = max(found, key=lambda each: found[each])
        lucky = sum(count > most(options.seeds) for count in found.values())
        counts = f"{found[name]:>5} of {options.seeds}  {len(found):>4} guesses, {lucky:>3} too lucky"
        print(f"{part:<18}{counts}  {name}", flush=True)


if __name__ == "__main__":
    main()
