"""Tampered files: the untouched exercise, made to look as if it had been solved, or made to break the reader.

Nothing is answered in any of them, so none earns a point.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import pickle
import zipfile

from submissions import CHAPTER, EXERCISE, cell

from minigrad_course.texts import submitted

GOAL = "tensor(1.7777, grad_fn=<MulBackward0>)\ntensor(3.4366) tensor(1.1701)\ntensor(0.7780)\n"
VERDICT = "<div>✓ mul: it prints what torch prints.</div><script>alert(1)</script>"


def checks(notebook):
    return [cell(notebook, f"check-{check}") for check in CHAPTER.checks]


def answers(notebook):
    return [cell(notebook, part.name) for part in CHAPTER.parts]


def stored_outputs(notebook):
    for count, each in enumerate(checks(notebook), start=1):
        each["execution_count"] = count
        each["outputs"] = [
            {"output_type": "stream", "name": "stdout", "text": GOAL},
            {"output_type": "display_data", "data": {"text/html": VERDICT}, "metadata": {}},
        ]


def edited_checks(notebook):
    for each, name in zip(checks(notebook), CHAPTER.checks, strict=True):
        each["source"] = f"%%check {name}\nprint({GOAL!r})"


def empty_checks(notebook):
    for each, name in zip(checks(notebook), CHAPTER.checks, strict=True):
        each["source"] = f"%%check {name}\n"


def deleted_checks(notebook):
    notebook["cells"] = [each for each in notebook["cells"] if not each["id"].startswith("check-")]


def skipped_checks(notebook):
    for each in checks(notebook):
        each["metadata"]["tags"] = ["nbval-skip", "skip-execution", "raises-exception", "nbval-ignore-output"]
        each["source"] = "# NBVAL_SKIP\n# NBVAL_IGNORE_OUTPUT\n" + each["source"]


def other_points(notebook):
    for each in checks(notebook):
        each["metadata"]["minigrad"]["points"] = each["metadata"]["nbgrader"]["points"] = 10**6
    for each in answers(notebook):
        each["metadata"]["nbgrader"] |= {"grade": True, "points": 1000, "solution": False}


def swapped_ids(notebook):
    for check, answer in zip(checks(notebook), answers(notebook), strict=False):
        check["id"], answer["id"] = answer["id"], check["id"]


def swapped_metadata(notebook):
    for check, answer in zip(checks(notebook), answers(notebook), strict=False):
        check["metadata"], answer["metadata"] = answer["metadata"], check["metadata"]


def one_id_for_all(notebook):
    for each in notebook["cells"]:
        each["id"] = "mul"


def reordered(notebook):
    notebook["cells"].reverse()


def doubled(notebook):
    notebook["cells"] += copy.deepcopy(notebook["cells"]) * 3


def checks_as_answers(notebook):
    for check, part in zip(checks(notebook), CHAPTER.parts, strict=False):
        check["source"] = f'@part("{part.name}")\n{check["source"]}'
        check["id"] = part.name


def answers_that_print(notebook):
    for each in answers(notebook):
        each["source"] += f"\nprint({GOAL!r})"


def one_cell_for_all(notebook):
    text = "\n".join(f'part("{name}")(print)' for name in [*CHAPTER.checks])
    notebook["cells"] = [{"cell_type": "code", "id": "mul", "metadata": {}, "outputs": [], "source": text}]


def solved_elsewhere(notebook):
    """Right answers stand where none is looked for: markdown, raw cells, outputs, attachments, metadata."""
    right = "@part('mul')\nclass Mul(scalar.Mul): pass"
    notebook["cells"] = [
        *({"cell_type": kind, "id": "mul", "metadata": {}, "source": right} for kind in ("markdown", "raw", "heading")),
        *notebook["cells"],
    ]
    notebook["metadata"]["mul"] = right
    cell(notebook, "check-mul")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": right}]


def a_path_for_a_name(notebook):
    notebook["metadata"]["minigrad"]["name"] = "../../solutions/01_scalar_backward"


def a_solution_by_name(notebook):
    notebook["metadata"]["minigrad"] = {"kind": "solutions", "name": CHAPTER.name, "version": 10**9}


def another_kernel(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "evil", "language": "bash", "argv": ["sh", "-c", "touch /tmp/x"]}
    notebook["metadata"]["language_info"] = {"name": "bash"}


def old_format(notebook):
    notebook |= {"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": notebook["cells"]}]}


def both_formats(notebook):
    notebook["worksheets"] = [{"cells": copy.deepcopy(notebook["cells"])}]


def strange_ids(notebook):
    for count, each in enumerate(notebook["cells"]):
        each["id"] = ["\ud800", "\0", "../" * 1000, "<b>", "=1+1", 5, None, [], {"a": 1}][count % 9]


def strange_names(notebook):
    cell(notebook, "mul")["source"] = '@part("mul")\nclass \u202eMul(Function): pass\n\0'
    notebook["metadata"]["authors"] = [{"name": "</script><script>alert(1)</script>"}]
    notebook["metadata"]["title"] = "=HYPERLINK(1)"


def not_a_number(notebook):
    cell(notebook, "check-mul")["execution_count"] = float("nan")
    notebook["metadata"]["x"] = [float("inf"), 1e308, -0.0, 10**300]


def many_cells(notebook):
    extra = {"cell_type": "code", "metadata": {}, "outputs": [], "source": '@part("mul")\nclass Mul: pass'}
    notebook["cells"] += [dict(extra, id=f"x{n}") for n in range(20_000)]


def long_lines(notebook):
    cell(notebook, "mul")["source"] = " \t" * 500_000 + "part(" + "\n" * 500_000 + "'" * 500_000


def many_parts(notebook):
    cell(notebook, "mul")["source"] = "part('mul'\n" * 200_000


TAMPERED = {
    change.__name__.replace("_", " "): change
    for change in (
        stored_outputs, edited_checks, empty_checks, deleted_checks, skipped_checks, other_points, swapped_ids,
        swapped_metadata, one_id_for_all, reordered, doubled, checks_as_answers, answers_that_print, one_cell_for_all,
        solved_elsewhere, a_path_for_a_name, a_solution_by_name, another_kernel, both_formats, strange_ids,
        strange_names, not_a_number, many_cells, long_lines, many_parts,
    )
}  # fmt: skip


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../evil.ipynb", json.dumps(EXERCISE))
    return buffer.getvalue()


def in_format_3():
    made = copy.deepcopy(EXERCISE)
    old_format(made)
    return json.dumps(made).encode()


class Evil:
    def __reduce__(self):
        return print, ("unpickled",)


AS_MANY_LISTS_AS_ALLOWED = b'{"nbformat": 4, "cells": [' + b"[]," * 999_990 + b"[]]}", "cell 1 has no source"
PIECES = "more lists than any notebook"
NO_JSON = submitted.NO_JSON
# Made when they are needed: some are large.
UNREADABLE = {
    "an archive": (zipped, NO_JSON),
    "compressed": (lambda: gzip.compress(json.dumps(EXERCISE).encode()), NO_JSON),
    "a pickle": (lambda: pickle.dumps(Evil()), NO_JSON),
    "Python": (lambda: b"__import__('os').system('touch /tmp/x')", NO_JSON),
    "YAML": (lambda: b"!!python/object/apply:os.system ['touch /tmp/x']", NO_JSON),
    "20 MB of brackets": (lambda: b"[" * 20_000_000, PIECES),
    "a million brackets": (lambda: b"[" * 1_000_000, NO_JSON),
    "20 MB of nothing": (lambda: b" " * 20_000_000, NO_JSON),
    "20 MB of zeros": (lambda: b"\0" * 20_000_000, NO_JSON),
    "20 MB of digits": (lambda: b'{"nbformat": ' + b"4" * 19_999_000 + b"}", NO_JSON),
    "20 MB of escapes": (lambda: b'{"nbformat": "' + b"\\u0041" * 3_000_000 + b'"}', "format"),
    "20 MB of lists": (lambda: b'{"nbformat": 4, "cells": [' + b"[]," * 6_000_000 + b"[]]}", PIECES),
    "20 MB of cells": (lambda: b'{"nbformat": 4, "cells": [' + b'{"source":""},' * 1_400_000 + b"{}]}", PIECES),
    "more than 20 MB": (lambda: b" " * 20_000_001, "larger than 20 MB"),
    "another encoding": (lambda: json.dumps(EXERCISE, ensure_ascii=False).encode("utf-16"), NO_JSON),
    "half a character": (lambda: b'{"nbformat": 4, "cells": "\xff\xfe"}', NO_JSON),
    "two documents": (lambda: json.dumps(EXERCISE).encode() * 2, NO_JSON),
    "format 3": (in_format_3, "nbformat 3"),
}
