"""The second way to recognise a mistake: by the results of an answer on small inputs made for its part.

A check shows only what its numbers reveal, and its first error hides everything after it. A probe is a program that
tries an answer case by case and prints each value on its own line. It runs where checks run: in the learner's kernel,
and, when graded, in the confined child.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import minigrad
from minigrad_course.checks import deviations
from minigrad_course.checks.deviations import END, MARK, RESULT, STARTS
from minigrad_course.checks.reference import solutions
from minigrad_course.parts import Chapter, Deviation, Edit, Mistake, Part, Several
from minigrad_course.programs import program
from minigrad_course.programs.compare import alike

SECONDS = 2.0
WHOLLY = "wholly"
WEAK = ("wrong", "wrong_after", "stops", "alone")  # what says only where an answer is wrong
NUMBER = re.compile(r"\de[+-]\d")  # as `described` writes them
FIRST = f"""
import contextlib
import io
import re

import numpy as np

def described(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(described, value)) + "]"
    if hasattr(value, "shape") and hasattr(value, "reshape"):
        value = np.asarray(value.detach().tolist() if hasattr(value, "detach") else value)
        numbers = " ".join(described(each) for each in value.reshape(-1).tolist())
        return f"{{list(value.shape)}}: {{numbers}}"
    if isinstance(value, BaseException):
        return f"returned {{type(value).__name__}}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{{value + 0.0:.4e}}"
    return str(value) if isinstance(value, (str, bool, type(None))) else type(value).__name__

def tell(action, label=""):
    result = None
    try:
        result = action()
        words = described(result)
    except RuntimeError as error:  # these words are the engine's own
        words = f"RuntimeError {{error}}".splitlines()[0].split(" - got")[0]
        words = "RecursionError" if isinstance(error, RecursionError) else words
    except (AttributeError, NameError) as error:  # a misspelt name is not the same as a missing value
        words = f"{{type(error).__name__}} {{error}}".splitlines()[0]
    except Exception as error:
        words = type(error).__name__
    print(f"\\n{MARK} {{label}}{{words}}")
    return result

def printed(action, *layout):
    text = io.StringIO()

    def quietly():
        with contextlib.redirect_stdout(text):
            action()

    tell(quietly, "the program{END}")
    found = re.findall(r"-?\\b\\d+(?:\\.\\d*)?(?:e[-+]?\\d+)?|\\bnan\\b|\\binf\\b", text.getvalue())
    numbers = [float(each) for each in found]
    for label, count, *start in layout:
        one, numbers = numbers[:count], numbers[count:]
        tell(lambda: np.array(one) - (start[0] if start else 0.0), f"{{label}}{END}")
    tell(lambda: len(numbers), "how many numbers are printed after those{END}")

def leaves(*values):
    return [torch.tensor(each, requires_grad=True, dtype=torch.float64) for each in values]

def slopes(function, *values, upstream):
    inputs = leaves(*values)
    if isinstance(values[0], float) and isinstance(upstream, float):
        tell(lambda: torch.tensor([*values, upstream]), "{STARTS}{END}")
    result = tell(lambda: function(*inputs), "{RESULT}")
    ended = tell(lambda: result.backward(torch.tensor(upstream, dtype=torch.float64)) or "ended")
    for place, each in enumerate(inputs, 1):
        tell(lambda: each.grad if ended else "stopped", f"gradient {{place}}{END}")

class Context:
    needs_input_grad = (True, True)

    def save_for_backward(self, *values):
        self.saved_tensors = values

def shares(operation, *values, upstream):
    context = Context()
    tell(lambda: operation.forward(context, *map(np.array, values)), "{RESULT}")
    for place in range(len(values)):
        tell(lambda: operation.backward(context, np.array(upstream))[place], f"gradient {{place + 1}}{END}")

"""


def text_of(part: Part) -> str:
    """The program that probes a part; "" if there is none."""
    return FIRST + part.probe if part.probe else ""


def told(run: program.Run) -> list[str]:
    """The lines that a probe has printed, and the reason if it was stopped."""
    lines = [line for line in run.text.splitlines() if line.startswith(MARK)]
    return lines + ([run.problem.kind] if run.problem else [])


def recognised(
    chapter: Chapter, part: Part, run: Callable[[str], program.Run], shown: Mistake | None = None
) -> tuple[Mistake | None, str]:
    """The mistake that an answer makes on the part's small inputs, and how much it explains, as `Verdict.tried` says.

    `run` runs a program with the answer. The mistake must match the answer wherever the answer is wrong; if several do,
    take the one that matches best elsewhere. Truth values and errors easily match by chance: if no number is wrong, the
    mistake must match everywhere. If none matches, it is `shown`, which ends the check in the same way, unless most of
    the small inputs contradict it, or else what the numbers have to do with the right ones, or two mistakes at once, or
    a mistake that explains half of the wrong numbers.
    """
    if not part.probe:
        return shown, WHOLLY
    answer, right = told(run(text_of(part))), told_with(chapter, part, None)
    cases = range(len(right))
    wrong = [case for case in cases if not same(answer, right, case)]
    results = [case for case in wrong if right[case].startswith(f"{MARK} {RESULT}")]
    wrong = results or wrong
    if not wrong:
        return shown, WHOLLY

    def stops_elsewhere(lines: list[str]) -> bool:
        """True if a mistake ends in an error where the answer is right."""
        there = [case for case in range(len(lines)) if same(answer, right, case) and not same(answer, lines, case)]
        return any(deviations.is_error(lines[case]) for case in there)

    lines = {mistake: told_with(chapter, part, mistake) for mistake in part.mistakes}
    others = {mistake: sum(not same(answer, lines[mistake], case) for case in cases) for mistake in part.mistakes}
    numbers = [case for case in wrong if case < len(answer) and NUMBER.search(answer[case])]
    whole = [
        mistake
        for mistake in part.mistakes
        if all(same(answer, lines[mistake], case) for case in wrong)
        and ((numbers and part.place.kind != "module") or not others[mistake])
        and not stops_elsewhere(lines[mistake])
        and not deviations.contradicts(answer, right, lines[mistake])
    ]
    if whole and results and isinstance(both := deviations.found(part, answer, right, lines), Several):
        return both, "several"
    if whole:
        return min(whole, key=lambda mistake: (others[mistake], mistake is not shown)), WHOLLY
    if deviations.is_nothing(answer, right):
        return deviations.deviation(part.name, "nothing", ""), "deviates"
    explained = {mistake: sum(same(answer, lines[mistake], case) for case in wrong) for mistake in part.mistakes}
    agrees = part.place.kind != "module" or bool(shown and same(answer, lines[shown], wrong[0]))
    if shown and agrees and 2 * explained[shown] >= len(wrong):
        return shown, WHOLLY
    if other := deviations.found(part, answer, right, lines) or deviations.covered(answer, right, lines):
        kinds: dict[type[Mistake], str] = {Several: "several", Deviation: "deviates"}
        return other, kinds.get(type(other), WHOLLY)
    explained = {mistake: sum(same(answer, lines[mistake], case) for case in numbers) for mistake in part.mistakes}
    best = max(part.mistakes, key=lambda mistake: explained[mistake])
    return (best, "partly") if explained[best] > 1 and 2 * explained[best] >= len(wrong) else (None, WHOLLY)


def is_weak(part: Part, mistake: Mistake) -> bool:
    """True if a mistake that prints the same in the check says more."""
    is_value = isinstance(mistake, Deviation) and mistake.said in ("listed", "missing")
    return (is_value or says_only_where(mistake)) and part.place.kind != "module"


def is_precise(mistake: Mistake) -> bool:
    """True if it says more than a place of the answer's text could: what a function gives is wrong in a known way."""
    return not isinstance(mistake, Deviation) or (
        mistake.said not in WEAK and " " not in mistake.label.removeprefix("gradient ")
    )


def says_only_where(mistake: Mistake | None) -> bool:
    """True if it says where an answer is wrong, and not why."""
    return isinstance(mistake, Deviation) and not isinstance(mistake, Edit) and mistake.said in WEAK


def same(some: list[str], others: list[str], case: int) -> bool:
    """True if both lists agree in one case."""
    if case >= len(some) or case >= len(others):
        return len(some) == len(others)
    return alike(some[case], others[case])


def is_right(answer: list[str], right: list[str]) -> bool:
    """True if an answer gives all that a right one does."""
    return len(answer) == len(right) and all(same(answer, right, case) for case in range(len(right)))


@functools.cache
def told_with(chapter: Chapter, part: Part, mistake: Mistake | None) -> list[str]:
    """What a part's probe prints with one of its mistakes, or with our own answer."""
    answer = mistake.answer if mistake else solutions(chapter.name)[part.name]
    run = program.run_with(
        text_of(part), minigrad, 0, [part.place], {part.name: answer}, objects=False, seconds=SECONDS
    )
    return told(run)
