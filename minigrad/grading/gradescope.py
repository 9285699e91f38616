"""Gradescope's `submission_metadata.yml`: who submitted what, and when. A stranger may have written it."""

from __future__ import annotations

from collections.abc import Iterator

import yaml  # type: ignore[import-untyped]


def submitters(text: str) -> dict[str, list[dict[str, str]]]:
    """The facts (":name", ":email", ":sid") about everybody in each submission; none if the text is not YAML.

    The text is only scanned; no objects are built from it.
    """
    found: dict[str, dict[str, dict[str, str]]] = {}
    try:
        for steps, value in scalars(text):
            if len(steps) == 4 and steps[1] == ":submitters":
                found.setdefault(steps[0], {}).setdefault(steps[2], {})[steps[3]] = value
    except (yaml.YAMLError, ValueError):
        return {}
    return {folder: list(people.values()) for folder, people in found.items()}


def times(text: str) -> dict[str, str]:
    """When each submission was made, as the file has it; none if the text is not YAML."""
    try:
        return {steps[0]: value for steps, value in scalars(text) if len(steps) == 2 and steps[1] == ":created_at"}
    except (yaml.YAMLError, ValueError):
        return {}


def scalars(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each text in a YAML file, with the keys and the counts that lead to it."""
    # of each mapping around it the key, None before that is read; of a list the count
    steps: list[str | int | None] = []
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            steps.append(0 if isinstance(event, yaml.SequenceStartEvent) else None)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            steps.pop()
        elif not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            continue
        value = getattr(event, "value", "")
        if steps and steps[-1] is None:
            steps[-1] = value
        elif steps:
            yield tuple(map(str, steps)), value
            steps[-1] = steps[-1] + 1 if isinstance(steps[-1], int) else None
