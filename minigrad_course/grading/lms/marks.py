"""Where marks go: a class's points in the files of the systems that asked for the work.

Here is what these have in common; each system's own module says what its file looks like.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from minigrad_course.grading.lms.roster import (
    LARGEST,
    SEPARATORS,
    BadRoster,
    called,
    columns_of,
    decoded,
    numbered_rows,
    person_in,
)
from minigrad_course.grading.lms.sheets import BadSheet, Sheet
from minigrad_course.grading.people.given import content_of
from minigrad_course.grading.people.names import folded
from minigrad_course.grading.people.people import Person

# --- the sheets that instructors download --------------------------------------------------------


def sheet(path: Path, system: str) -> Sheet:
    """Read a table of a system. BadSheet if it is none, or if nothing in it identifies a person."""
    content = content_of(path, LARGEST, BadSheet, "a sheet of marks")
    try:
        text = decoded(content, path)
        results = []
        for separator in SEPARATORS:
            rows = [row for row in numbered_rows(text, separator) if any(cell.strip() for cell in row[1])]
            if rows and re.fullmatch(r"sep=.?", rows[0][1][0].strip()):  # Excel's
                rows = rows[1:]
            below = [row for _, row in rows[1:]]
            if rows and (columns := columns_of(*rows[0], path, below) or numbers_in(rows[0][1])):
                results.append((len(columns), separator, rows, columns))
    except csv.Error as error:
        raise BadSheet(f"{path} cannot be read as CSV: {error}; download it again.") from None
    except BadRoster as error:
        raise BadSheet(str(error)) from None
    if not results:
        raise BadSheet(f"{path}: no column in its first line says who a row is about; download it again, in English.")
    _, separator, rows, columns = max(results, key=lambda item: item[0])
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content[:200]
    encoding = "utf-16" if wide else "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8"
    headings = list(rows[0][1])
    whole = [(line, row + [""] * (len(headings) - len(row))) for line, row in rows[1:]]
    people = [person_of(line, row, columns, path) for line, row in whole]
    return Sheet(path, system, encoding, separator, headings, columns, [row for _, row in whole], people)


def numbers_in(headings: Sequence[str]) -> dict[str, int]:
    """Where Moodle's numbers are, in a sheet without names."""
    results = [at for at, item in enumerate(headings) if called().get(folded(item)) == "participant"]
    return {"participant": results[0]} if results else {}


def person_of(line: int, row: list[str], columns: dict[str, int], path: Path) -> Person | None:
    """The person whom a row is about; None for rows that are about nobody."""
    try:
        both = person_in(line, row, columns, path)
        return both[1] if both else None
    except BadRoster:  # a row without a name: of somebody who is marked blindly
        number_there = re.sub(r"\D", "", row[columns["participant"]]) if "participant" in columns else ""
        return Person(participant=number_there) if number_there else None


# --- pages to give back ---------------------------------------------------------------------------


def zipped(pages: Mapping[str, Path]) -> bytes:
    """A zip of pages; the same pages give the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in sorted(pages.items()):
            archive.writestr(zipfile.ZipInfo(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
    return file.getvalue()
