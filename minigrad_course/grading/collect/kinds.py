"""What a file is that was handed in and is no notebook."""

from __future__ import annotations

from pathlib import PurePosixPath

STARTS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"Rar!": "an archive, but not a zip",
    b"7z\xbc\xaf": "an archive, but not a zip",
    b"\x1f\x8b": "an archive, but not a zip",
}
ENDINGS = {
    ".pdf": "a PDF",
    ".py": "a Python program",
    ".json": "JSON",
    ".html": "a web page",
    ".htm": "a web page",
    ".docx": "a Word document",
    ".doc": "a Word document",
    ".txt": "a text",
    ".md": "a text",
}


def kind_of(name: str, content: bytes) -> str:
    """What a file is, by its first bytes and its ending."""
    by_start = (what for start, what in STARTS.items() if content.startswith(start))
    ending = PurePosixPath(name).suffix.lower()
    return "an empty file" if not content else next(by_start, None) or ENDINGS.get(ending) or "another kind of file"
