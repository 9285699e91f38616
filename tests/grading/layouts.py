"""A gallery of classes: folders and zips as the systems, and people without one, make them."""

import io
import zipfile

from submissions import CHAPTER

from minigrad_course.grading.collect import intake
from minigrad_course.texts.submitted import Unreadable

NAME, SECOND = CHAPTER.name, "02_upstream_gradients"

GRADESCOPE = """\
---
submission_11:
  :created_at: 2025-10-01 12:00:00.000000000 Z
  :score: 0.0
  :results: !ruby/object:Whatever
    odd: 1
  :submitters:
  - :name: Ada Lovelace
    :sid: '00123'
    :email: ada@example.edu
submission_12:
  :submitters:
  - :name: Bob
    :sid: '124'
    :email: bob@example.edu
"""

# what the root is called, what lies in it (a content where it counts), and who owns something in it
CLASSES = {
    "nbgrader": ("submitted", [f"ada/{NAME}/{NAME}.ipynb", f"bob/{NAME}/{NAME}.ipynb"], ["ada", "bob"]),
    "nbgrader, two assignments": (
        "submitted",
        [f"ada/{NAME}/{NAME}.ipynb", f"ada/{SECOND}/{SECOND}.ipynb", f"bob/{SECOND}/{SECOND}.ipynb"],
        ["ada", "bob"],
    ),
    "a wrapper": ("all", [f"export/ada/{NAME}.ipynb", f"export/bob/{NAME}.ipynb"], ["ada", "bob"]),
    "wrappers": ("course", [f"all/submissions/{each}/{NAME}.ipynb" for each in ("ada", "bob")], ["ada", "bob"]),
    "weeks": ("course", ["week1/ada/x.ipynb", "week1/bob/x.ipynb", "week 2/ada/x.ipynb"], ["ada", "bob"]),
    "exercises first": (
        "course",
        [f"{NAME}/ada/x.ipynb", f"{NAME}/bob/x.ipynb", f"{SECOND}/ada/x.ipynb"],
        ["ada", "bob"],
    ),
    "exercises first, flat": ("hw", [f"{NAME}/ada.ipynb", f"{NAME}/bob.ipynb", f"{SECOND}/ada.ipynb"], ["ada", "bob"]),
    "flat": ("hw1", ["ada.ipynb", f"bob_{NAME}-2.ipynb", f"bob_{SECOND}.ipynb"], ["ada", "bob"]),
    "flat, with a folder": ("hw1", ["ada.ipynb", "bob/mine.ipynb"], ["ada", "bob"]),
    "the same folders in each": (
        "course",
        ["ada/homework/final/x.ipynb", "bob/homework/final/x.ipynb"],
        ["ada", "bob"],
    ),
    "a zip each": ("course", ["ada.zip", "bob.zip"], ["ada", "bob"]),
    "Moodle": (
        "CS101-Backward-4711",
        [f"Ada Lovelace_12345_assignsubmission_file_/{NAME}.ipynb", "Zoë O'Neil_12346_assignsubmission_file/a.ipynb"],
        ["Ada Lovelace", "Zoë O'Neil"],
    ),
    "Moodle with texts": (
        "CS101-Backward-4711",
        [
            f"Ada Lovelace_12345_assignsubmission_file_/{NAME}.ipynb",
            "Ada Lovelace_12345_assignsubmission_onlinetext/onlinetext.html",
            f"Bob_12346_assignsubmission_file_/{NAME}.ipynb",
        ],
        ["Ada Lovelace", "Bob"],
    ),
    "Moodle, flat": (
        "CS101-Backward-4711",
        [f"Ada Lovelace_12345_assignsubmission_file_{NAME}.ipynb", "Bob_12346_assignsubmission_file_my_work.ipynb"],
        ["Ada Lovelace", "Bob"],
    ),
    "Moodle, without names": (
        "CS101-Backward-4711",
        [f"Participant_{number}_assignsubmission_file_/{NAME}.ipynb" for number in (12, 13)],
        ["Participant 12", "Participant 13"],
    ),
    "Canvas": (
        "submissions",
        [f"lovelaceada_12345_678901_{NAME}.ipynb", f"bob_LATE_12346_678902_{NAME}-1.ipynb", "cyd_7_8_work.zip"],
        ["bob", "cyd", "lovelaceada"],
    ),
    "Gradescope": (
        "assignment_99_export",
        [
            ("submission_metadata.yml", GRADESCOPE),
            f"submission_11/{NAME}.ipynb",
            f"submission_12/deep/er/{NAME}.ipynb",
        ],
        ["Ada Lovelace", "Bob"],
    ),
    "Gradescope, wrapped": (
        "download",
        [
            ("assignment_99_export/submission_metadata.yml", GRADESCOPE),
            f"assignment_99_export/submission_11/{NAME}.ipynb",
            f"assignment_99_export/submission_12/{NAME}.ipynb",
        ],
        ["Ada Lovelace", "Bob"],
    ),
    "Brightspace": (
        "exercise 1",
        [
            ("index.html", "<html></html>"),
            f"145101-221904 - Mira Okafor - Nov 27, 2026 905 PM/{NAME}.ipynb",
            f"145101-221904 - Mira Okafor - Nov 28, 2026 1105 AM/{NAME}.ipynb",
            f"145102-221904 - Bo-Anne Li - Nov 27, 2026 1130 AM/{NAME}.ipynb",
        ],
        ["Bo-Anne Li", "Mira Okafor"],
    ),
    "Brightspace, flat": (
        "exercise 1",
        [
            f"145101-221904 - Mira Okafor - Nov 27, 2026 905 PM - {NAME}.ipynb",
            "145102-221904 - Bo Li- Nov 27, 2026 1130 AM - mine - Jan 1, 2020 100 AM - x.ipynb",
        ],
        ["Bo Li", "Mira Okafor"],
    ),
    "Blackboard": (
        "exercise 1",
        [
            f"Exercise 1_mokafor_attempt_2026-11-27-21-05-11_{NAME}.ipynb",
            (
                "Exercise 1_mokafor_attempt_2026-11-27-21-05-11.txt",
                "Name: Mira Okafor (mokafor)\nAssignment: Exercise 1\n",
            ),
            f"Exercise 1_b_li_attempt_2026-11-28-09-00-00_{NAME}.ipynb",
            ("Exercise 1_b_li_attempt_2026-11-28-09-00-00.txt", "Name: Bo Li (b_li)\n"),
        ],
        ["Bo Li", "Mira Okafor"],
    ),
    "ILIAS": (
        "Abgaben",
        [f"Abgaben/Okafor_Mira_mokafor_4711/{NAME}.ipynb", f"Abgaben/Li_Bo_bli_4712/Late Submission - {NAME}.ipynb"],
        ["Bo Li", "Mira Okafor"],
    ),
    "GitHub Classroom": (
        "backward-submissions",
        [f"backward-{each}/exercises/{NAME}.ipynb" for each in ("ada-l", "bob")]
        + [f"backward-{each}/lessons/{NAME}.ipynb" for each in ("ada-l", "bob")],
        ["ada-l", "bob"],
    ),
    "clones": (
        "course",
        [f"{each}/backward/exercises/{NAME}.ipynb" for each in ("ada", "bob")] + ["ada/backward/README.md"],
        ["ada", "bob"],
    ),
}


def zip_bytes(members):
    """The bytes of a zip with some members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def contents(places):
    """Name and content of each: what is given, a zip with a notebook, a folder, or something."""
    for each in places:
        name, content = (each, None) if isinstance(each, str) else each
        made = zip_bytes({f"{NAME}.ipynb": "x"}) if name.endswith(".zip") else b"x"
        yield name, made if content is None else content


def as_folder(root, places):
    root.mkdir(parents=True, exist_ok=True)
    for name, content in contents(places):
        path = root / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def as_zip(root, places):
    path = root.with_name(f"{root.name}.zip")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zip_bytes({name: "" if name.endswith("/") else content for name, content in contents(places)}))
    return path


FORMS = {"folder": as_folder, "zip": as_zip}


def students(taken):
    """Everybody who owns something."""
    return sorted({each.student for each in taken.found} - {""})


def owned(taken):
    """For each student the places of what is graded, below the root."""
    found = {}
    for each in taken.found:
        if said(each) is None:
            found.setdefault(each.student, []).append(each.place.removeprefix(f"{each.root}/"))
    return {student: sorted(places) for student, places in found.items()}


def said(each):
    """Why there is nothing to judge, None if there is something."""
    try:
        each.read()
    except Unreadable as error:
        return str(error)
    return None


def strays(taken):
    """Why what is nobody's is nobody's, by where it lies below the root."""
    return {each.place.removeprefix(f"{each.root}/"): said(each) for each in taken.found if not each.student}


def is_left_out(each):
    try:
        each.read()
    except intake.NotGraded:
        return True
    except Unreadable:
        pass
    return False
