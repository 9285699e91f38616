"""Whether a release may be built: `python docs/release.py v0.2.0`.

The tag, the version in pyproject.toml, CITATION.cff and the newest section of CHANGELOG.md have to agree. Ends with
status 1 and a sentence for each that does not.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions(root: Path = ROOT) -> dict[str, str]:
    """The version that each file names; the empty string where there is none."""
    text = {name: (root / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "CHANGELOG.md")}
    citation = re.search(r"^version: (\S+)$", text["CITATION.cff"], re.M)
    newest = re.search(r"^## \[?(\d[^\s\]]*)", text["CHANGELOG.md"], re.M)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "pyproject.toml": project["version"],
        "CITATION.cff": citation[1] if citation else "",
        "CHANGELOG.md": newest[1] if newest else "",
    }


def main() -> None:
    """Compare the tag with all of them."""
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/release.py TAG, as in v0.2.0")
    wanted = sys.argv[1].removeprefix("v")
    wrong = {name: found for name, found in versions().items() if found != wanted}
    sys.exit("\n".join(f"{name} says {found or 'no version'}, the tag {wanted}." for name, found in wrong.items()) or 0)


if __name__ == "__main__":
    main()
