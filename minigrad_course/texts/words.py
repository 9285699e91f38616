"""The words around the texts of an exercise, in English or another language, and what they derive from its parts.

A text may hold `{{ mul }}` (the line under the heading of a part, which also numbers the heading), `{{ mul.number }}`,
`{{ checks }}` (how many checks there are) and `{{ time }}` (how long they take together).
"""

from __future__ import annotations

import dataclasses
import functools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad_course.parts import Chapter, Deviation, Edit, Mistake, Part, Several, chapter_of

if TYPE_CHECKING:
    pass

FOLDER = Path(__file__).parent / "translations"
PLACEHOLDER = re.compile(r"\{\{ [\w.]+ \}\}")
NUMBER = re.compile(r"\{\{ (\w+)\.number \}\}")
RESERVED = ("checks", "time")  # no part may have these names
QUARTER = 15  # minutes


@dataclasses.dataclass(frozen=True)
class Words:
    """What the course says around texts, hints and explanations.

    `translations/CODE/words.toml` has it in another language, with the same fields in braces.
    """

    facts: str = "`{name}` · difficulty {stars} · about {minutes} minutes · {points}"
    point: str = "1 point"
    points: str = "{count} points"
    target: str = "The target: torch's output. Run the check to see yours beside it."
    hint: str = "Hint {number} of {count}: {text}"
    last: str = "That was the last hint. Our answer: {answer}. Starting over:"
    mistake: str = "This is what you get when {explanation}."
    wholly: str = "This looks like a known mistake: {explanation}."
    partly: str = "Some of your wrong values, not all, are what you get when {explanation}."
    deviates: str = "It seems that {explanation}."
    several: str = "Several things at once, it seems: {explanation}."
    also: str = "; and also: "
    sign: str = "the sign of {what} is wrong"
    zero: str = "{what} is 0"
    factor: str = "{what} is {factor} times what it should be"
    too_many: str = "{what} has a factor {factors} too many"
    too_few: str = "{what} lacks a factor {factors}"
    letters: str = "(the upstream gradient); (the result)"
    transposed: str = "{what} is transposed"
    missing: str = "{what} is None"
    nothing: str = "nothing is returned: a function without a `return` gives None"
    alone: str = "only {what} is wrong"
    wrong: str = "{what} is not what it should be"
    wrong_after: str = "{what} is not what it should be, and {before} is still right"
    listed: str = "{what} is several values in a list or tuple, and one tensor is wanted"
    stops: str = "{what} stops with {error}"
    edited: str = "One place makes the difference, and all else is right: {explanation}."
    edited_twice: str = "Two places make the difference, and all else is right: {explanation}."
    edit_operator: str = "`{what}` has to be another operator, in `{line}`"
    edit_statement: str = "the line `{what}` has to be another one"
    edit_no_return: str = "a `return` is missing, perhaps in `{what}`"
    edit_number: str = "`{what}` has to be another number, in `{line}`"
    edit_name: str = "`{what}` has to be something else, in `{line}`"
    edit_other: str = "`{what}` has to be something else, in `{line}`"
    edit_sign: str = "`{what}` has the wrong sign, in `{line}`"
    edit_extra: str = "`{what}` is too much, in `{line}`"
    edit_lacks: str = "something is missing in `{line}`"
    edit_order: str = "the order in `{what}` is wrong"
    edit_line: str = "the line `{what}` is too much"
    edit_no_line: str = "a line is missing after `{what}`"
    edit_place: str = "the line `{what}` stands in the wrong place"
    edit_taken_out: str = "the line `{what}`, which you have taken out, was right"
    edit_undone: str = "you have changed `{other}` to `{what}`, and it was right as it was given"
    values: str = (
        "the result; the gradient; each gradient; the gradient of the first input; the gradient of the second input"
    )
    numbers: str = "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    quarters: str = (  # of an hour
        "no time, a quarter of an hour, half an hour, three quarters of an hour, an hour, an hour and a quarter, "
        "an hour and a half, an hour and three quarters, two hours, two hours and a quarter, two hours and a half"
    )

    def facts_of(self, part: Part) -> str:
        """The line under a part's heading."""
        stars = "●" * part.difficulty + "○" * (3 - part.difficulty)
        points = self.point if part.points == 1 else self.points.format(count=part.points)
        return self.facts.format(name=part.name, stars=stars, minutes=part.minutes, points=points)

    def filled(self, text: str, chapter: Chapter) -> str:
        """A text with what is derived from the parts of its chapter; a placeholder that means nothing is left."""
        for number, part in enumerate(chapter.parts, 1):
            line = f"{{{{ {part.name} }}}}"
            if line in text:
                text = re.sub("^## ", f"## {number}. ", text, count=1, flags=re.M).replace(line, self.facts_of(part))
        text = NUMBER.sub(lambda found: number_of(found[1]) or found[0], text)
        count, numbers = len(chapter.checks), self.numbers.split()
        text = text.replace("{{ checks }}", numbers[count] if count < len(numbers) else str(count))
        times = self.quarters.split(", ")
        quarters = round(sum(part.minutes for part in chapter.parts) / QUARTER)
        return text.replace("{{ time }}", times[min(quarters, len(times) - 1)])

    def explained(self, explanation: str, tried: str) -> str:
        """The sentence for a recognised mistake. tried: as in `verdicts.Verdict`."""
        sentences = {
            "": self.mistake,
            "wholly": self.wholly,
            "partly": self.partly,
            "deviates": self.deviates,
            "several": self.several,
            "edited": self.edited,
            "edited twice": self.edited_twice,
        }
        return sentences[tried].format(explanation=explanation)

    def factors(self, deviation: Deviation) -> str:
        """Which factors a value has too many, or too few."""
        upstream, result = self.letters.split("; ")
        names = {"upstream": upstream, "result": result}
        said = []
        for sentence, sign in ((self.too_many, 1), (self.too_few, -1)):
            powers = [(names.get(name, f"`{name}`"), sign * int(power)) for name, power in deviation.fields]
            if factors := " · ".join([name for name, power in powers for _ in range(power)]):
                said.append(sentence.format(what=self.what(deviation.label), factors=factors))
        return self.also.join(said)

    def what(self, label: str) -> str:
        """What a value of a probe is called."""
        names = dict(
            zip(("", "gradient", "gradients", "gradient 1", "gradient 2"), self.values.split("; "), strict=True)
        )
        return names.get(label.strip().removeprefix("result"), label)


ENGLISH = Words()


def number_of(name: str) -> str:
    """Which part of its chapter it is, counted from 1; "" if there is none of this name."""
    chapter = chapter_of(name)
    return str(chapter.checks.index(name) + 1) if chapter else ""


def languages() -> list[str]:
    """The languages there are beside English, as "de"."""
    return sorted(path.parent.name for path in FOLDER.glob("*/words.toml"))


def language_of(notebook: Mapping[str, Any]) -> str:
    """The language of a notebook as it was read; "" for English, or if it says none that we have."""
    noted = notebook.get("metadata", {}).get("minigrad", {}) if isinstance(notebook.get("metadata"), dict) else {}
    result = noted.get("language") if isinstance(noted, dict) else None
    return result if isinstance(result, str) and result in languages() else ""


@functools.cache
def words(language: str = "") -> Words:
    """The words of a language; English where it gives none."""
    return Words(**entries(language, "words")) if language else ENGLISH


@functools.cache
def entries(language: str, name: str) -> dict[str, Any]:
    """What a file of a language holds: that of a chapter, or `words`. Empty if there is none."""
    path = FOLDER / language / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if language and path.is_file() else {}


def of_part(name: str, language: str) -> dict[str, Any]:
    """The hints and mistakes of a part in a language, as far as there are any."""
    chapter = chapter_of(name)
    result = entries(language, chapter.name).get(name, {}) if chapter else {}
    return result if isinstance(result, dict) else {}


def hints(part: Part, language: str = "") -> tuple[str, ...]:
    """The hints for a part."""
    return tuple(of_part(part.name, language).get("hints", part.hints))


def explanation(mistake: Mistake, language: str = "") -> str:
    """What completes the sentence for a recognised mistake."""
    ours = words(language)
    if isinstance(mistake, Several):
        return ours.also.join(explanation(each, language) for each in mistake.mistakes)
    if isinstance(mistake, Edit):
        line = {"line": mistake.label} | dict(mistake.fields)
        return str(getattr(ours, f"edit_{mistake.said}")).format(what=mistake.label, **line)
    if isinstance(mistake, Deviation) and mistake.said == "factors":
        return ours.factors(mistake)
    if isinstance(mistake, Deviation):
        named = {name: ours.what(value) if name == "before" else value for name, value in mistake.fields}
        return str(getattr(ours, mistake.said)).format(what=ours.what(mistake.label), **named)
    said = of_part(mistake.part, language).get("mistakes", {}).get(mistake.name, mistake.explanation)
    return str(said)
