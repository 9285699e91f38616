"""Update a student's notebook, or reset one answer to its stub, without losing anything they wrote.

A renewed notebook has the current cells of the course, the student's answers in their places, and the student's own
cells where they were. Each cell of the course carries a digest of its original text (`given`), so that a later renewal
can tell an edited cell from an old one. Before a file is changed, it is copied to the folder `backups` next to it.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import os
import platform
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

from minigrad_course.notebooks import builder
from minigrad_course.texts import languages, source
from minigrad_course.texts.folders import BACKUPS
from minigrad_course.texts.submitted import Unreadable, answer_cells, code_cells, content_of, loaded

if TYPE_CHECKING:
    from nbformat import NotebookNode

GIVEN = "given"
OUTPUT = ("outputs", "execution_count")  # left in a cell by running it


# --- notebooks -----------------------------------------------------------------------------------


def read(path: Path) -> NotebookNode:
    """Read a student's notebook. Unreadable if it is not a notebook."""
    notebook = loaded(content_of(path))
    code_cells(notebook)
    return nbformat.from_dict(notebook)


def text_of(notebook: NotebookNode) -> bytes:
    """A notebook's bytes, in the format that Jupyter writes. Unreadable if its cells cannot be written."""
    try:
        return (nbformat.v4.writes(notebook) + "\n").encode()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"the notebook is damaged: {type(error).__name__}, {error}.") from None


def pristine(kind: str, name: str, language: str = "") -> NotebookNode:
    """A notebook of the course as released, with the digest of each cell. Unreadable if it is not a notebook.

    kind: one of source.KINDS. language: of its texts, as far as they are translated; "" for English.
    """
    path = source.notebooks_folder() / kind / f"{name}.ipynb"
    if kind == "exercises" and not is_as_built(path):
        content = builder.build(kind, name).content
    else:
        content = content_of(path)
    loaded(content)
    notebook = without_told(nbformat.reads(content.decode("utf-8"), 4))
    notebook.metadata["minigrad"] = {"kind": kind, "name": name, "version": 1}
    for_kernel_here(notebook)
    languages.translate(notebook, language)
    for cell in notebook.cells:
        cell.metadata["minigrad"] = {**cell.metadata.get("minigrad", {}), GIVEN: digest(cell.source)}
    return notebook


def is_as_built(path: Path) -> bool:
    """True if the exercise in this file is the one that was built; in a clone it may hold somebody's work."""
    try:
        notebook = read(path)
    except Unreadable:
        return False
    built = source.notebook("exercises", path.stem)
    ran = any(cell.get("execution_count") for cell in notebook.cells)
    targets = all(cell.outputs for cell in notebook.cells if "check" in ours(cell) and "outputs" in cell)
    for cell in (*built.cells, *notebook.cells):
        for name in OUTPUT:
            cell.pop(name, None)
    return targets and not ran and notebook.cells == built.cells


def without_told(notebook: NotebookNode) -> NotebookNode:
    """A notebook without the outputs that answer a prediction: the reader should predict first."""
    for cell in notebook["cells"]:
        if "answers" in ours(cell):
            cell |= {"outputs": [], "execution_count": None}
    return notebook


def for_kernel_here(notebook: Any) -> Any:
    """A notebook that says of its language what a kernel of this Python says.

    JupyterLab writes that into a notebook when its kernel starts, and would show it as changed as soon as it is opened.
    """
    notebook["metadata"]["language_info"] = {
        "name": "python",
        "version": platform.python_version(),
        "mimetype": "text/x-python",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "pygments_lexer": "ipython3",
        "nbconvert_exporter": "python",
        "file_extension": ".py",
    }
    return notebook


def digest(text: str) -> str:
    """A short digest of a text, ignoring white space."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def ours(cell: NotebookNode) -> dict[str, Any]:
    """The course's own metadata in a cell."""
    metadata = cell.get("metadata")
    noted = metadata.get("minigrad") if isinstance(metadata, dict) else None
    return noted if isinstance(noted, dict) else {}


def is_as_given(cell: NotebookNode) -> bool:
    """True if the cell is known to be unchanged."""
    return bool(ours(cell).get(GIVEN) == digest(cell["source"]))


def is_untouched(notebook: NotebookNode) -> bool:
    """True if every cell is known to be unchanged: nobody has written anything."""
    return all(is_as_given(cell) for cell in notebook["cells"])


def differ_in_notes(one: NotebookNode, other: NotebookNode) -> bool:
    """True if two notebooks differ at most in the course's own metadata."""
    return without_notes(one) == without_notes(other)


def without_notes(notebook: NotebookNode) -> dict[str, object]:
    """A notebook without the digests, its kind and its name."""
    return {**notebook, "metadata": without(notebook["metadata"], "minigrad"), "cells": [*map(bare, notebook["cells"])]}


def bare(cell: NotebookNode) -> dict[str, object]:
    """A cell without its digest."""
    if not isinstance(cell.get("metadata"), dict):
        return cell
    noted = without(ours(cell), GIVEN)
    metadata = without(cell["metadata"], "minigrad")
    return {**cell, "metadata": {**metadata, "minigrad": noted} if noted else metadata}


def without(pairs: dict[str, object], name: str) -> dict[str, object]:
    """A dict without one of its names."""
    return {key: value for key, value in pairs.items() if key != name}


# --- renewing ------------------------------------------------------------------------------------


def renewed(new: NotebookNode, old: NotebookNode) -> NotebookNode:
    """The course's notebook `new` with everything the student wrote in `old`."""
    matches = matched(new, old)
    identities = {id(cell): identity for identity, cell in matches.items()}
    given = {ours(cell)[GIVEN] for cell in new["cells"]}
    following: dict[str | None, list[NotebookNode]] = {}  # the student's own cells, by the course's cell before them
    spot: str | None = None
    for cell in old["cells"]:
        if id(cell) in identities:
            spot = identities[id(cell)]
        elif (
            not is_as_given(cell) and digest(cell["source"]) not in given
        ):  # otherwise it is one of ours, current or old
            following.setdefault(spot, []).append(copy.deepcopy(cell))
    identify([cell for cells in following.values() for cell in cells], {cell["id"] for cell in new["cells"]})
    cells = following.get(None, [])
    for cell in new["cells"]:
        cells += [merged(cell, matches.get(cell["id"])), *following.get(cell["id"], [])]
    metadata = {**new["metadata"], **old.get("metadata", {}), "minigrad": new["metadata"]["minigrad"]}
    made = nbformat.from_dict({**new, "cells": [], "metadata": metadata, "nbformat_minor": newest(new, old)})
    made["cells"] = cells
    return made


def identify(cells: list[NotebookNode], taken: set[str]) -> None:
    """Give an id to each of the student's cells that has none, or shares one with another cell."""
    for cell in cells:
        if not isinstance(cell.get("id"), str) or cell["id"] in taken:
            cell["id"] = nbformat.v4.new_raw_cell()["id"]
        taken.add(cell["id"])


def matched(new: NotebookNode, old: NotebookNode) -> dict[str, Any]:
    """The student's version of each course cell, by id; matched by part, by id, or by identical text."""
    code = [cell for cell in old["cells"] if cell.get("cell_type") == "code"]
    answers = answer_cells(new, code, {}) if new["metadata"]["minigrad"]["kind"] == "exercises" else {}
    results = {cell["id"]: answers[part] for cell in new["cells"] if (part := ours(cell).get("part")) in answers}
    taken = {id(cell) for cell in results.values()}
    for same in ("id", "source"):
        for cell in new["cells"]:
            for item in old["cells"] if cell["id"] not in results else ():
                alike = item.get(same) == cell[same] and item.get("cell_type") == cell["cell_type"]
                if alike and id(item) not in taken:
                    results[cell["id"]] = item
                    taken.add(id(item))
                    break
    return results


def merged(new: NotebookNode, old: NotebookNode | None) -> NotebookNode:
    """A cell of the course, with the student's text if that should be kept."""
    if old is None:
        return nbformat.from_dict(new)  # which copies all lists and dicts
    # the student's with the outputs of the last run
    cell = old if old["source"] == new["source"] or keeps_text(new, old) else new
    metadata = old.get("metadata")
    metadata = {**(metadata if isinstance(metadata, dict) else {}), **new["metadata"]}
    return nbformat.from_dict({**cell, "id": new["id"], "metadata": metadata})


def keeps_text(new: NotebookNode, old: NotebookNode) -> bool:
    """True if the student's text stays: an answer, or an edit of a cell that the course has not changed since.

    A check is always ours.
    """
    if is_as_given(old) or "check" in ours(new):
        return False
    return "part" in ours(new) or ours(old).get(GIVEN) == ours(new)[GIVEN]


def newest(new: NotebookNode, old: NotebookNode) -> int:
    """The later of two minor versions of the format."""
    minor = old.get("nbformat_minor")
    return max(new["nbformat_minor"], minor) if isinstance(minor, int) else int(new["nbformat_minor"])


def without_answer(notebook: NotebookNode, given: NotebookNode, part: str) -> bool:
    """Put a part's stub back into a notebook, and the goal under its check; False if no cell answers the part.

    `given` is the pristine notebook.
    """
    code = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]
    cell = answer_cells(given, code, {}).get(part)
    if cell is None:
        return False
    by_role = {tuple(ours(item).get(role) for role in ("part", "check")): item for item in given["cells"]}
    stub, check = by_role[part, None], by_role[None, part]
    cell |= {"source": stub["source"], **{name: copy.deepcopy(stub[name]) for name in OUTPUT}}
    for each in code:
        if each["source"].split() == check["source"].split():
            each |= {name: copy.deepcopy(check[name]) for name in OUTPUT}
    return True


# --- files ---------------------------------------------------------------------------------------


def backed_up(path: Path) -> Path:
    """Copy a file to the folder `backups` next to it, with the time in its name; returns the path. Raises OSError."""
    folder = path.parent / BACKUPS
    folder.mkdir(exist_ok=True)
    content, stamp, count = path.read_bytes(), f"{datetime.now():%Y-%m-%d_%H-%M-%S}", 1
    while True:
        name = f"{path.stem}.{stamp}{f'-{count}' if count > 1 else ''}{path.suffix}"
        if write_new(folder / name, content):
            return folder / name
        count += 1


def write_new(path: Path, content: bytes) -> bool:
    """Write `content` to `path` unless the path exists; returns whether it was written. Raises OSError.

    A file that could not be written completely is removed again.
    """
    try:
        file = path.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return True


def replace(path: Path, content: bytes) -> None:
    """Replace a file atomically: nobody sees half of it. Raises OSError."""
    path = path.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
