"""What an instructor gives: files of bounded size, and names with typing errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA

CLOSE = 0.6  # of the letters: one wrong in a word of three
BEGUN = 3  # letters of a name that was not finished
LONGEST = 60  # characters that are compared


def content_of(path: Path, most: int, bad: type[Exception], what: str) -> bytes:
    """The bytes of a file. `bad`, with a sentence, if it cannot be read, or has more than `most` and is no `what`."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise bad(f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        raise bad(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(content) > most:
        raise bad(f"{path} is larger than {most // 1_000_000} MB; that is not {what}.")
    return content


def likely(typed: str, known: Sequence[str]) -> str:
    """The name that was probably meant, or nothing: with a letter or two changed or swapped, or not finished."""
    typed = typed.strip()[:LONGEST].lower()
    near = process.extractOne(typed, known, scorer=OSA.normalized_similarity, processor=str.lower, score_cutoff=CLOSE)
    begun = (name for name in known if len(typed) >= BEGUN and name.lower().startswith(typed))
    return near[0] if near else next(begun, "")
