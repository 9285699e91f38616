"""Compare what a program printed with what torch printed: the rule by which everything is judged.

Runs of white space count as one, and after an opening bracket as none: there torch pads to the widest number. A number
that torch prints with four or more decimals may differ by one unit of its last digit, because the last bit of a float
is not a matter of autograd. That bit also decides whether torch prints `5.` or `5.0000`, so a whole number counts as
one with as many decimals as the other. Everything else is equal or wrong.

What is compared may come from anybody: no text raises here, and the work grows with its length only.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from decimal import Decimal

# An exponent of more digits belongs to no float: it stays text, which is equal or not.
NUMBER = re.compile(r"-?\b\d+(?:\.\d*)?(?:e[-+]?\d{1,3})?(?!\w)", re.IGNORECASE | re.ASCII)
NOT_FINITE = re.compile(r"\b(?:nan|inf)\b")
DECIMALS = 4
LONGEST_NUMBER = 500  # characters: no float is written with more
MOST_LINES = 3_000  # of a text that are searched for those of another
LONGEST = 200  # characters of a line that are shown


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first line in which two texts differ; "" stands for a line that is not there. Lines count from 1."""

    line: int
    printed: str
    reference: str

    @property
    def is_extra(self) -> bool:
        """True if the reference has no such line."""
        return not self.reference.strip()

    @property
    def what(self) -> str:
        """One sentence: is something missing, is the shape another, or only the numbers?"""
        if not self.printed.strip():
            return f"line {self.line} is missing"
        if self.is_extra:
            return f"line {self.line} is one too many"
        if skeleton(self.printed) == skeleton(self.reference):
            return f"line {self.line}: the numbers differ"
        # Entries say something about shapes only where both lines show as many tensors.
        if self.printed.count("tensor(") == self.reference.count("tensor(") > 0:
            count, wanted = entries(self.printed), entries(self.reference)
            if count != wanted:
                return f"line {self.line}: the shapes differ, with {count} instead of {wanted} entries in this line"
        return f"line {self.line} differs"

    @property
    def shown(self) -> tuple[str, str]:
        """Both lines for people: of long ones the part that differs, and a word for one that is not there."""
        start = 0
        if max(len(self.printed), len(self.reference)) > LONGEST:
            pairs = enumerate(zip(self.printed, self.reference, strict=False))
            same = next((count for count, (one, other) in pairs if one != other), 0)
            start = max(0, same - LONGEST // 4)
        return excerpt(self.printed, start), excerpt(self.reference, start)


def excerpt(line: str, start: int) -> str:
    """At most LONGEST characters of a line from `start` on, with an ellipsis where something is left out."""
    if not line.strip():
        return "(nothing)"
    end = start + LONGEST
    return ("…" if start else "") + line[start:end] + ("…" if line[end:] else "")


def alike(printed: str, reference: str) -> bool:
    """True if `printed` says what `reference` says."""
    ours, theirs = squeezed(printed), squeezed(reference)
    if ours == theirs:
        return True
    if NUMBER.split(ours) != NUMBER.split(theirs):  # what stands between the numbers
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return all(close(one, other) for one, other in pairs)


def difference(printed: str, reference: str) -> Difference | None:
    """The first line that differs, or None if the texts are alike."""
    if alike(printed, reference):
        return None
    ours, theirs = printed.rstrip().splitlines(), reference.rstrip().splitlines()
    lines = enumerate(itertools.zip_longest(ours, theirs, fillvalue=""), start=1)
    # If all lines were alike, so were the texts: no number and no mark goes across white space.
    count, one, other = next((count, one, other) for count, (one, other) in lines if not alike(one, other))
    return Difference(count, one, "" if among(theirs, ours) else other)


def among(some: list[str], lines: list[str]) -> bool:
    """True if `lines` are `some`, in their order, with others between them."""
    if len(lines) > MOST_LINES:
        return False
    left = iter(lines)
    return all(any(alike(line, one) for line in left) for one in some)


def squeezed(text: str) -> str:
    """The text with every run of white space made one blank, and none at the ends and after `[`."""
    return " ".join(text.split()).replace("[ ", "[")


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
    if digits < DECIMALS or any(decimals(each) != digits and not each.endswith(".") for each in (number, reference)):
        return False
    exponent = int(reference.lower().partition("e")[2] or 0)
    return abs(Decimal(number) - Decimal(reference)) <= Decimal(1).scaleb(exponent - digits)


def decimals(number: str) -> int:
    """How many digits stand behind the point."""
    return len(number.lower().partition("e")[0].partition(".")[2])
