"""Compare what a program printed with what torch printed: the rule that decides every check.

Runs of white space count as one blank, and as none after an opening bracket, where torch pads to the widest number. A
number that torch prints with four or more decimals may differ by one unit in its last digit, because the last bit of a
float has nothing to do with autograd. That bit also decides whether torch prints `5.` or `5.0000`, so a whole number
counts as having as many decimals as the other. Everything else must be equal.

The texts may come from anybody: no text raises an error here, and the work is linear in its length.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal

import numpy as np

# No float has an exponent with more digits: such text stays text, and must be equal.
NUMBER = re.compile(r"-?\b\d+(?:\.\d*)?(?:e[-+]?\d{1,3})?(?!\w)", re.IGNORECASE | re.ASCII)
NOT_FINITE = re.compile(r"\b(?:nan|inf)\b")
ADDRESS = re.compile(r" at 0x[0-9a-f]+(?=>)")
DECIMALS = 4
FLOAT32_DIGITS = 9  # no float32 needs more to be told from all others
ROUNDING = Decimal("1e-6")  # of a number: a few roundings of a float32
LONGEST_NUMBER = 500  # characters: no float needs more
MOST_LINES = 3_000  # of a text, in a search for the lines of another
LONGEST = 200  # characters shown of a line


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first line in which two texts differ; "" means a missing line. Lines count from 1."""

    line: int
    printed: str
    reference: str

    @property
    def is_extra(self) -> bool:
        """True if the reference has no such line."""
        return not self.reference.strip()

    @property
    def what(self) -> str:
        """One sentence: is something missing, is the shape different, or only the numbers?"""
        if not self.printed.strip():
            return f"line {self.line} is missing"
        if self.is_extra:
            return f"line {self.line} is one too many"
        if skeleton(self.printed) == skeleton(self.reference):
            return f"line {self.line}: the numbers differ"
        # The number of entries says something about shapes only if both lines show equally many tensors.
        if self.printed.count("tensor(") == self.reference.count("tensor(") > 0:
            count, wanted = entries(self.printed), entries(self.reference)
            if count != wanted:
                return f"line {self.line}: the shapes differ, with {count} instead of {wanted} entries in this line"
        return f"line {self.line} differs"

    @property
    def shown(self) -> tuple[str, str]:
        """Both lines made readable: long ones cut to where they differ, "(nothing)" for a missing one."""
        start = 0
        if max(len(self.printed), len(self.reference)) > LONGEST:
            pairs = enumerate(zip(self.printed, self.reference, strict=False))
            same = next((count for count, (one, other) in pairs if one != other), 0)
            start = max(0, same - LONGEST // 4)
        return excerpt(self.printed, start), excerpt(self.reference, start)


def excerpt(line: str, start: int) -> str:
    """At most LONGEST characters of a line from `start` on, with an ellipsis where it is cut."""
    if not line.strip():
        return "(nothing)"
    end = start + LONGEST
    return ("…" if start else "") + line[start:end] + ("…" if line[end:] else "")


def alike(printed: str, reference: str) -> bool:
    """True if `printed` says what `reference` says."""
    if printed == reference:
        return True
    ours, theirs = squeezed(printed), squeezed(reference)
    if ours == theirs:
        return True
    return alike_but_for(close, ours, theirs)


def alike_but_for(rule: Callable[[str, str], bool], printed: str, reference: str) -> bool:
    """True if two texts are the same but for numbers, and by the rule those are the same too."""
    if NUMBER.split(printed) != NUMBER.split(reference):
        return False
    return all(one == other or rule(one, other) for one, other in numbers(printed, reference))


def numbers(printed: str, reference: str) -> Iterator[tuple[str, str]]:
    """The numbers of two texts in pairs."""
    return zip(NUMBER.findall(printed), NUMBER.findall(reference), strict=False)


def difference(printed: str, reference: str) -> Difference | None:
    """The first line that differs, or None if the texts are alike."""
    if alike(printed, reference):
        return None
    ours, theirs = printed.rstrip().splitlines(), reference.rstrip().splitlines()
    lines = enumerate(itertools.zip_longest(ours, theirs, fillvalue=""), start=1)
    # If all lines were alike, so would the texts be: no number and no mark contains white space.
    count, one, other = next((count, one, other) for count, (one, other) in lines if not alike(one, other))
    return Difference(count, one, "" if among(theirs, ours) else other)


def among(some: list[str], lines: list[str]) -> bool:
    """True if `lines` contains the lines of `some`, in order, with others in between."""
    if len(lines) > MOST_LINES:
        return False
    left = iter(lines)
    return all(any(alike(line, one) for line in left) for one in some)


def squeezed(text: str) -> str:
    """The text with every run of white space reduced to one blank, and none at the ends or after `[`; an object's
    address, which is another each time, is left out.
    """
    return ADDRESS.sub(" at …", " ".join(text.split()).replace("[ ", "["))


def skeleton(text: str) -> str:
    """The text with every number replaced by a mark."""
    return NUMBER.sub("#", squeezed(text))


def entries(line: str) -> int:
    """How many numbers a line shows, nan and inf among them."""
    return len(NUMBER.findall(line)) + len(NOT_FINITE.findall(line))


def close(number: str, reference: str) -> bool:
    """True if the two say the same number; from four decimals on, up to one unit of the last."""
    if number == reference:
        return True
    if max(len(number), len(reference)) > LONGEST_NUMBER:
        return False
    digits = max(decimals(number), decimals(reference))
    if digits < DECIMALS or any(decimals(item) != digits and not item.endswith(".") for item in (number, reference)):
        return False
    exponent = int(reference.lower().partition("e")[2] or 0)
    return abs(Decimal(number) - Decimal(reference)) <= Decimal(1).scaleb(exponent - digits)


def rounded(number: str, reference: str) -> bool:
    """True if two floats differ by no more than a rounding in float32, shown by digits that a float32 does not have.

    `item()` prints such digits. This rule is for the comparison of scripts, not for checks.
    """
    both = (number.lower(), reference.lower())
    if max(map(len, both)) > LONGEST_NUMBER or not all("." in item or "e" in item for item in both):
        return False
    if max(len(item.partition("e")[0].replace(".", "").lstrip("-0")) for item in both) < FLOAT32_DIGITS:
        return False
    one, other = map(Decimal, both)
    if not (shows_float32(one) and shows_float32(other)):
        return False  # the time of day, say
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other))


def shows_float32(number: Decimal) -> bool:
    """True if there is a float32 that is this number, to its last digit."""
    with np.errstate(over="ignore"):
        nearest = float(np.float32(number))
    last = number.as_tuple().exponent
    assert isinstance(last, int)  # a number, not nan
    return math.isfinite(nearest) and abs(Decimal(nearest) - number) <= Decimal(5).scaleb(last - 1)


def decimals(number: str) -> int:
    """The number of digits after the point."""
    return len(number.lower().partition("e")[0].partition(".")[2])
