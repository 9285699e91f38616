"""The third way to recognise a mistake: what the numbers of an answer have to do with the right ones.

A probe tells value by value. Where no known mistake gives the same, a wrong value may still be the right one with
another sign, a multiple of it, transposed, or summed over an axis too many; or two mistakes at once, which leave their
product where each leaves a factor of its own. All values that a label of the probe names have to fit.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from minigrad_course.parts import Deviation, Mistake, Part, Several
from minigrad_course.texts import words

MARK = "\u2023"  # starts each line of a probe, to tell it from what an answer prints
RESULT = "result "  # the result of an operation: if that is wrong, its derivatives mean little
STARTS = "starts"  # the numbers that an operation gets, and the upstream gradient
END = "| "  # of another label
LINE = re.compile(rf"{MARK} (?:({RESULT})|([^|\n]*){re.escape(END)})?(.*)")
ARRAY = re.compile(r"\[([\d, ]*)\]: ?(.*)")
CLOSE = 3e-4  # values have four digits behind the point, and two are multiplied
FACTORS = {0.5: "½", 1 / 3: "⅓", 0.25: "¼", 0.1: "0.1", 0.01: "0.01"} | {
    float(count): str(count) for count in (2, 3, 4, 5, 6, 10, 100)
}
MOST = 3  # mistakes at once

Explanation = frozenset[Mistake]


@dataclasses.dataclass(frozen=True)
class Case:
    """A line of a probe: what is told, and as an array where it is numbers."""

    label: str
    words: str

    @functools.cached_property
    def array(self) -> np.ndarray | None:
        found = ARRAY.fullmatch(self.words)
        try:
            if found is None:
                return np.array(float(self.words))
            shape = [int(size) for size in found[1].split(",") if size.strip()]
            return np.array([float(each) for each in found[2].split()]).reshape(shape)
        except ValueError:
            return None

    @property
    def is_none(self) -> bool:
        return self.words == "None"


def case_of(line: str) -> Case:
    """A line of a probe, taken apart."""
    found = LINE.fullmatch(line)
    return Case(found[1] or found[2] or "", found[3]) if found else Case("", line)


@dataclasses.dataclass(frozen=True)
class Group:
    """The cases under one label: the answer's, the right ones, and those of each known mistake."""

    part: str
    label: str
    answer: tuple[Case, ...]
    right: tuple[Case, ...]
    known: Mapping[Mistake, tuple[Case, ...]]
    letters: Mapping[str, np.ndarray]  # what the probe began with, by its name

    @property
    def is_right(self) -> bool:
        return all(map(same, self.answer, self.right))

    def named(self, said: str, **fields: str) -> Deviation:
        """A deviation of this group."""
        return deviation(self.part, said, self.label, **fields)

    @property
    def is_piece(self) -> bool:
        """True if the label says in words what is tried."""
        return " " in self.label.strip() and not self.label.startswith("gradient ")

    def piece(self, before: Sequence[Group]) -> Deviation:
        """What is tried is wrong, or stops; what comes before it is right."""
        wanted = any(is_error_in(case.words) for case in self.right)
        error = "" if wanted else next((case.words for case in self.answer if is_error_in(case.words)), "")
        if error:
            return self.named("stops", error=error)
        if any(
            case.words.startswith("[") and wanted.array is not None
            for case, wanted in zip(self.answer, self.right, strict=True)
            if case.array is None
        ):
            return self.named("listed")
        return self.named("wrong_after", before=before[0].label.strip()) if before else self.named("wrong")

    def explanations(self) -> list[Explanation]:
        """The sets of mistakes that give all values of the group; none if there are none that we know."""
        if self.is_right:
            return [frozenset()]
        return [*self.alone(), *self.simple(), *self.pairs(), *self.monomials()]

    def alone(self) -> Iterator[Explanation]:
        """Each known mistake with which all values are the answer's."""
        for mistake, cases in self.known.items():
            if all(map(same, self.answer, cases)):
                yield frozenset([mistake])

    def simple(self) -> Iterator[Explanation]:
        """The right values, changed in one way."""
        if all(
            case.is_none and not is_error_in(right.words) for case, right in zip(self.answer, self.right, strict=True)
        ):
            is_value = self.is_piece or self.label.startswith("gradient ")
            yield frozenset([self.named("missing" if is_value else "nothing")])
        for said, change in CHANGES.items():
            if self.every(self.right, change):
                yield frozenset([self.named(said)])
        for factor, word in FACTORS.items():
            near = abs(factor - self.ratio()) < 0.01 * factor
            if near and self.every(self.right, functools.partial(np.multiply, factor)):
                yield frozenset([self.named("factor", factor=word)])

    def ratio(self) -> float:
        """By what the largest right number is multiplied; 0 if nothing can be said."""
        pairs = [
            (right.array.flat[place], case.array.flat[place])
            for case, right in zip(self.answer, self.right, strict=True)
            if case.array is not None and right.array is not None and case.array.shape == right.array.shape
            for place in range(right.array.size)
        ]
        right, ours = max(pairs, key=lambda pair: abs(pair[0]), default=(0.0, 0.0))
        return float(ours / right) if right and np.isfinite(ours / right) else 0.0

    def every(self, cases: Sequence[Case], change: Callable[[np.ndarray], np.ndarray | None]) -> bool:
        """True if each case, changed, is the answer's; and if one of them is another then."""
        if any(case.array is None or ours.array is None for case, ours in zip(cases, self.answer, strict=True)):
            return False
        changed = [change(case.array) for case in cases if case.array is not None]
        return all(map(equal, changed, (case.array for case in self.answer))) and not all(map(same, self.answer, cases))

    def pairs(self) -> Iterator[Explanation]:
        """Two mistakes, or three with the sign, of which each leaves its own factor; and one with the sign."""
        sign, ours = self.named("sign"), self.factors(self.answer)
        if ours is None:
            return
        known = [(mistake, self.factors(cases)) for mistake, cases in self.known.items()]
        usable = [(mistake, each) for mistake, each in known if each is not None and not close(each, 1.0)]
        yield from (frozenset([mistake, sign]) for mistake, each in usable if close(-each, ours))
        for (one, its), (other, others) in itertools.combinations(usable, 2):
            if ours.size > 1 and close(its * others, ours):
                yield frozenset([one, other])
            if ours.size > 2 and close(-its * others, ours):
                yield frozenset([one, other, sign])

    def monomials(self) -> Iterator[Explanation]:
        """A factor too many or too few: an input, the upstream gradient, or the result."""
        ours, letters = self.factors(self.answer), self.letters
        if ours is None or ours.size < 3 or not letters or any(len(each) != ours.size for each in letters.values()):
            return
        for powers in itertools.product(range(-2, 3), repeat=len(letters)):
            value = np.prod([each**power for each, power in zip(letters.values(), powers, strict=True)], axis=0)
            if 0 < sum(map(abs, powers)) <= MOST and close(abs(value), abs(ours)):
                named = self.named("factors", **{name: str(power) for name, power in zip(letters, powers, strict=True)})
                yield frozenset([named] if close(value, ours) else [named, self.named("sign")])

    def factors(self, cases: Sequence[Case]) -> np.ndarray | None:
        """By what each right number is multiplied; None where that makes no sense."""
        results = []
        for case, right in zip(cases, self.right, strict=True):
            if case.array is None or right.array is None or case.array.shape != right.array.shape:
                return None
            zero = right.array == 0
            if not np.isfinite(case.array).all() or case.array[zero].any():
                return None
            results.append(case.array[~zero] / right.array[~zero])
        return np.concatenate([np.ravel(each) for each in results]) if results else None


def transposed(value: np.ndarray) -> np.ndarray | None:
    """An array with its axes turned around; None where there is one or none."""
    return value.T if value.ndim > 1 else None


CHANGES: dict[str, Callable[[np.ndarray], np.ndarray | None]] = {
    "sign": lambda value: -value,
    "zero": np.zeros_like,
    "transposed": transposed,
}


def equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    """True if two arrays have the same shape and numbers."""
    return one is not None and other is not None and one.shape == other.shape and close(one, other)


def close(one: np.ndarray, other: np.ndarray | float) -> bool:
    """True if the numbers are the same, as far as a probe tells them."""
    return bool(np.allclose(one, other, rtol=CLOSE, atol=1e-9, equal_nan=True))


def same(one: Case, other: Case) -> bool:
    """True if two cases tell the same."""
    return one.words == other.words or equal(one.array, other.array)


def found(
    part: Part, answer: Sequence[str], right: Sequence[str], known: Mapping[Mistake, Sequence[str]]
) -> Mistake | None:
    """What explains all that an answer tells; None if nothing does. `known`: what each mistake tells."""
    if len(answer) != len(right):
        return None
    with np.errstate(all="ignore"):
        return _found(part, answer, right, known)


def _found(
    part: Part, answer: Sequence[str], right: Sequence[str], known: Mapping[Mistake, Sequence[str]]
) -> Mistake | None:
    known = {mistake: lines for mistake, lines in known.items() if not contradicts(answer, right, lines)}
    groups = list(grouped(part.name, answer, right, known))
    wrong = [group for group in groups if not group.is_right]
    if wrong and wrong[0].is_piece:
        if part.place.kind != "module":  # an engine of one's own has no function that gives them all
            rest = [dataclasses.replace(group, label="") for group in groups if has_numbers(group)]
            ways = [set(group.simple()) for group in rest]
            if len(ways) > 1 and (everywhere := set.intersection(*ways)):
                return combined(min(map(list, everywhere), key=lambda mistakes: mistakes[0].name))
            if two := covered(answer, right, known):
                return two
        before = [group for group in groups[: groups.index(wrong[0])] if has_numbers(group)]
        # others may build on it
        return combined(next((list(each) for each in wrong[0].simple()), [wrong[0].piece(before[-1:])]))
    options = [group.explanations() for group in wrong]
    if not wrong or not all(options):
        return located(part.name, groups, wrong)
    unions = [merged(part.name, choice) for choice in itertools.islice(itertools.product(*options), 2000)]
    best = min(unions, key=cost_of_all)
    return combined(best) if len(best) <= MOST else located(part.name, groups, wrong)


def cost_of_all(union: Sequence[Mistake]) -> float:
    """How much mistakes take to believe that are made at once."""
    return sum(cost(mistake) for mistake in union)


def cost(mistake: Mistake) -> float:
    """How much a mistake takes to believe: a known one less than another, and that more, the more factors it has."""
    if isinstance(mistake, Deviation):
        powers = {name: abs(int(power)) for name, power in mistake.fields} if mistake.said == "factors" else {}
        one_input = sum(powers.values()) == sum(powers.get(name, 0) for name in "ab") == 1
        return 0.95 if one_input else max(sum(powers.values()), 1) + 0.2
    return 1


def has_numbers(group: Group) -> bool:
    """True if a right value of a group is numbers that are not all 0, or the answer has none for it."""
    return any(case.array is not None and case.array.any() for case in group.right)


def grouped(
    part: str, answer: Sequence[str], right: Sequence[str], known: Mapping[Mistake, Sequence[str]]
) -> Iterator[Group]:
    """The groups of a probe, by their labels. Where a result is wrong, what comes after it is left out."""
    rows = [case_of(line) for line in right]
    whole = {mistake: lines for mistake, lines in known.items() if len(lines) == len(right)}
    labels, last, spoilt = dict.fromkeys(row.label for row in rows), 0, set()
    for place, row in enumerate(rows):
        last = place if row.label == RESULT else last
        if rows[last].label == RESULT and last < place and not same(case_of(answer[last]), rows[last]):
            spoilt.add(place)
    letters = letters_of(rows)
    for label in labels:
        if label == STARTS:
            continue
        places = [place for place, row in enumerate(rows) if row.label == label and place not in spoilt]

        def taken(lines: Sequence[str], places: list[int] = places) -> tuple[Case, ...]:
            return tuple(case_of(lines[place]) for place in places)

        kept = {each: numbers[places_of(places, rows)] for each, numbers in letters.items()} if letters else {}
        name = "gradient" if label == "gradient 1" and "gradient 2" not in labels else label
        yield Group(
            part, name, taken(answer), taken(right), {each: taken(lines) for each, lines in whole.items()}, kept
        )


def letters_of(rows: Sequence[Case]) -> dict[str, np.ndarray]:
    """What each call of the probe began with, and its result, by name; empty where that is not told, or no number."""
    starts = [case.array for case in rows if case.label == STARTS]
    results = [case.array for case in rows if case.label == RESULT]
    table = [
        [*start.tolist(), *result.reshape(-1).tolist()]
        for start, result in zip(starts, results, strict=False)
        if start is not None and result is not None
    ]
    names = [*"ab"[: len(table[0]) - 2], "upstream", "result"] if table else []
    if not table or not len(table) == len(starts) == len(results) or any(len(row) != len(names) for row in table):
        return {}
    return dict(zip(names, np.array(table).T, strict=True))


def places_of(places: Iterable[int], rows: Sequence[Case]) -> list[int]:
    """The calls of a probe in which lines stand, by number."""
    return [sum(row.label == STARTS for row in rows[: place + 1]) - 1 for place in places]


def located(part: str, groups: Sequence[Group], wrong: Sequence[Group]) -> Mistake | None:
    """Which value of an operation is the first that is wrong; None for what is no operation."""
    labels, everywhere = [group.label for group in wrong], [group.label for group in groups]
    gradients = [label for label in labels if label.startswith("gradient")]
    if RESULT in labels:
        return deviation(part, "wrong", RESULT)
    if gradients == ["gradient 1"] or gradients == ["gradient 2"]:
        return deviation(part, "alone", gradients[0])
    if gradients and RESULT in everywhere:
        return deviation(part, "wrong_after", "gradients" if len(gradients) > 1 else "gradient", before=RESULT)
    return None


def merged(part: str, choice: Iterable[Explanation]) -> list[Mistake]:
    """The mistakes of several groups; the same deviation of all inputs is one."""
    results: list[Mistake] = []
    for each in itertools.chain(*choice):
        twin = next((one for one in results if isinstance(one, Deviation) and is_twin(one, each)), None)
        if twin is not None and twin != each:
            results[results.index(twin)] = deviation(part, twin.said, "gradients", **dict(twin.fields))
        elif each not in results:
            results.append(each)
    return results


def is_twin(one: Deviation, other: Mistake) -> bool:
    """True if both deviate in the same way, of two inputs."""
    return isinstance(other, Deviation) and (one.said, one.fields) == (other.said, other.fields)


def combined(mistakes: Sequence[Mistake]) -> Mistake:
    """One mistake, or several as one."""
    ordered = sorted(mistakes, key=lambda mistake: (isinstance(mistake, Deviation), mistake.name))
    return ordered[0] if len(ordered) == 1 else several(ordered)


def several(mistakes: Sequence[Mistake]) -> Several:
    """Mistakes at once."""
    result = Several(
        mistakes[0].part, " and ".join(mistake.name for mistake in mistakes), "", mistakes[0].answer, tuple(mistakes)
    )
    return dataclasses.replace(result, explanation=words.explanation(result))


def deviation(part: str, said: str, label: str, **fields: str) -> Deviation:
    """A deviation, with what it says in English."""
    result = Deviation(part, f"{said} {label}".strip(), "", unwritten, said, label, tuple(fields.items()))
    return dataclasses.replace(result, explanation=words.explanation(result))


def unwritten(*_: object) -> object:
    """In the place of an answer that nobody has written down."""
    raise NotImplementedError


def covered(answer: Sequence[str], right: Sequence[str], known: Mapping[Mistake, Sequence[str]]) -> Mistake | None:
    """Two known mistakes that leave their traces side by side; None if there are not two.

    Where the answer is right, so are both. Elsewhere one gives the same, and the other does so or is right.
    """
    if len(answer) != len(right):
        return None
    told, wanted = [case_of(line) for line in answer], [case_of(line) for line in right]
    gives: dict[Mistake, set[int]] = {}
    for mistake, lines in known.items():
        cases = [case_of(line) for line in lines]
        if len(cases) == len(right) and all(map(fits, cases, told, wanted)):
            gives[mistake] = {place for place, case in enumerate(cases) if not same(case, wanted[place])}
    wrong = {place for place, case in enumerate(told) if not same(case, wanted[place])}
    for one, other in itertools.combinations(gives, 2):
        if gives[one] | gives[other] == wrong and gives[one] - gives[other] and gives[other] - gives[one]:
            return several([one, other])
    return None


def contradicts(answer: Sequence[str], right: Sequence[str], mistaken: Sequence[str]) -> bool:
    """True if a mistake makes something wrong, under one label, that the answer has right each time."""
    if not len(answer) == len(right) == len(mistaken):
        return False
    clean: dict[str, list[bool]] = {}
    for told, wanted, other in zip(map(case_of, answer), map(case_of, right), map(case_of, mistaken), strict=True):
        if wanted.label not in ("", RESULT):
            clean.setdefault(wanted.label, [True, True])
            clean[wanted.label][0] &= same(told, wanted)
            clean[wanted.label][1] &= same(other, wanted)
    return any(ours and not theirs for ours, theirs in clean.values())


def is_nothing(answer: Sequence[str], right: Sequence[str]) -> bool:
    """True if the answer gives None wherever there is something to give."""
    told = [(case_of(one), case_of(other)) for one, other in zip(answer, right, strict=False)]
    asked = [one for one, other in told if not other.is_none and not is_error_in(other.words)]
    none = [one.is_none for one in asked if "'NoneType'" not in one.words]  # what is asked of a None is no answer
    return len(answer) == len(right) and len(none) > 1 and all(none)


def fits(case: Case, told: Case, wanted: Case) -> bool:
    """True if a known mistake gives in a case what the answer gives, or what is right."""
    return same(case, told) or same(case, wanted)


def is_error(line: str) -> bool:
    """True if a line of a probe tells of an error."""
    return is_error_in(case_of(line).words)


def is_error_in(words: str) -> bool:
    """True if what is told is an error."""
    return words.split(" ")[0].endswith(("Error", "Exception"))
