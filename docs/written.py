"""A page of the documentation that a script writes: written anew, or only looked at with `--check`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(path: Path, page: Callable[[], str]) -> int:
    """Write the page, or say whether it is up to date; the exit status. page: what the text should be."""
    name = path.relative_to(ROOT).as_posix()
    parser = argparse.ArgumentParser(description=f"Write {name}.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is stale")
    check = parser.parse_args().check
    text = page()
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        print(f"{name} is up to date.")
        return 0
    if check:
        print(f"{name} is stale. Run: make build")
        return 1
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote: {name}")
    return 0
