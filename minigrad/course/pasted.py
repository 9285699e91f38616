"""The program in a text that was copied from a page: without fences, prompts, output and a common indentation.

Each line keeps its number, so what is said about line 3 is true of the text as well.
"""

from __future__ import annotations

import re
import textwrap

FENCE = re.compile(r"\s*(?:```|~~~)")
PROMPT = re.compile(r"\s*(?:>>>|In \[\d*\]:)(?: |$)")
CONTINUED = re.compile(r"\s*(?:\.\.\.:?)(?: |$)")
SPACE = "\N{NO-BREAK SPACE}"  # what pages put in place of blanks


def program_in(text: str) -> str | None:
    """The text as Python, or None if it is not Python in this way either."""
    lines = fenced(text.replace(SPACE, " ").splitlines())
    lines = textwrap.dedent("\n".join(prompted(lines))).split("\n")
    program = "\n".join(lines) + "\n"
    try:
        compile(program, "<pasted>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return program if program.strip() else None


def fenced(lines: list[str]) -> list[str]:
    """The lines between fences, with the others empty; all of them where there is no fence."""
    fences = [bool(FENCE.match(line)) for line in lines]
    inside, kept = not any(fences), []
    for line, fence in zip(lines, fences, strict=True):
        inside = inside != fence
        kept.append(line if inside and not fence else "")
    return kept


def prompted(lines: list[str]) -> list[str]:
    """What was typed after prompts, with what was printed left out; all lines where there is no prompt."""
    if not any(PROMPT.match(line) for line in lines):
        return lines
    kept, typed = [], False
    for line in lines:
        found = PROMPT.match(line) or (CONTINUED.match(line) if typed else None)
        typed = bool(found)
        kept.append(line[found.end() :] if found else "")
    return kept
