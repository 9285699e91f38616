"""Write docs/changes.md: what changed from one torch to the next, from the table in `minigrad/compat/versions.py`.

    python docs/changes.py [--check]

The programs and what each torch prints lie in `tests/conformance/changes`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import written  # beside this file

from minigrad.compat.versions import CHANGES, KNOWN, Change

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "changes.md"
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

from texts import text_of  # noqa: E402

PROGRAMS = ROOT / "tests" / "conformance" / "changes"
KINDS = {
    "gradients": ("Gradients at ties and bounds", "Where a function has a kink, its gradient is a convention."),
    "nodes": ("Names of nodes", "What a result prints as its `grad_fn`, and what `grad_fn.name()` says."),
    "values": ("Values", "What a function returns, without any gradient."),
    "errors": ("Errors and warnings", "`except RuntimeError` catches a NotImplementedError, which is one."),
}
BEGIN = f"""\
<!-- Written by docs/changes.py; `make build` writes it again. -->

# What changed in torch's gradients

The same program can print one gradient on torch {KNOWN[0]} and another on torch {KNOWN[-1]}. Each entry has a short
program, what each version of torch prints for it, and where the change was discussed. minigrad prints what the torch
prints that is installed; `MINIGRAD_TORCH={KNOWN[1]}` in the environment makes it speak another one.

Everything else that the course shows is the same in {", ".join(KNOWN[:-1])} and {KNOWN[-1]}: the gradients of `relu`,
`hardtanh`, `relu6`, `hardsigmoid`, `maximum`, `minimum`, `max`, `abs` and the norms at their kinks, and the numbers
that a seed draws with `rand`, `randn`, `randperm` and `nn.Linear`.
"""


def page() -> str:
    """The whole page."""
    lines = [BEGIN, *overview()]
    for kind, (title, sentence) in KINDS.items():
        lines += [f"## {title}\n", f"{sentence}\n"]
        for change in CHANGES.values():
            if change.kind == kind:
                lines += entry(change)
    return "\n".join(lines).rstrip() + "\n"


def overview() -> Iterator[str]:
    """A table: a row for each change, with a link to its entry."""
    yield f"| what | {' | '.join(KNOWN)} |"
    yield f"|---|{'---|' * len(KNOWN)}"
    for change in CHANGES.values():
        states = ["new" if change.holds(version) else "old" for version in KNOWN]
        yield f"| [{change.title}](#{change.anchor}) | {' | '.join(states)} |"
    yield ""


def entry(change: Change) -> Iterator[str]:
    """One change: what it is, its program, what each version prints, and the sources."""
    program = PROGRAMS / f"{change.name}.py"
    end = "" if change.until is None else f" In {change.until} it is as it was."
    yield f"({change.anchor})=\n"
    yield f"### {change.title}\n"
    yield f"- Before torch {change.since}: {change.before}"
    yield f"- {'Since' if change.until is None else 'In'} torch {change.since}: {change.after}{end}"
    if not change.here:
        yield "- minigrad does not have it."
    yield f"\n```python\n{program.read_text(encoding='utf-8').rstrip()}\n```\n"
    for versions in alike(program):
        said = text_of(program, versions[0]).rstrip()
        yield f"torch {' and '.join([', '.join(versions[:-1]), versions[-1]] if versions[1:] else versions)}:\n"
        yield f"```text\n{said}\n```\n"
    first = f"[{change.since}.0](https://github.com/pytorch/pytorch/releases/tag/v{change.since}.0)"
    yield (
        f"First in release {first}. Discussed in {', '.join(map(link, change.sources))}.\n"
        if change.sources
        else f"First in release {first}.\n"
    )


def alike(program: Path) -> list[list[str]]:
    """The known versions, those together that print the same."""
    groups: dict[str, list[str]] = {}
    for version in KNOWN:
        groups.setdefault(text_of(program, version), []).append(version)
    return list(groups.values())


def link(address: str) -> str:
    """A source as a link, such as `pytorch: issue 184572`."""
    _, _, _, _, repository, kind, number = address.split("/")
    return f"[{repository}, {'pull request' if kind == 'pull' else 'issue'} {number}]({address})"


if __name__ == "__main__":
    raise SystemExit(written.main(PAGE, page))
