"""GitHub Classroom, and clones that an instructor made: they have no time of handing in."""

from __future__ import annotations

import re

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.people.names import SUBMISSIONS, UNKNOWN, Said, When


class GitHubClassroom(System):
    """GitHub Classroom.

    From its command `gh classroom clone student-repos`, which makes ASSIGNMENT-submissions/ASSIGNMENT-LOGIN. Its
    `classroom_roster.csv` has the columns identifier, github_username, github_id and name.
    """

    name = "GitHub Classroom"
    mark = re.compile(f"{SUBMISSIONS}/")

    def said(self, entry: Entry) -> Said | None:
        """The login behind the assignment's name."""
        above = entry.parent.text if entry.parent else ""
        prefix = f"{above.removesuffix(SUBMISSIONS)}-"
        if above.endswith(SUBMISSIONS) and entry.text.startswith(prefix) and entry.text != prefix:
            return Said(entry.text.removeprefix(prefix), "", self.name)
        return None

    def when(self, entry: Entry, owner: Entry, leaf: Entry) -> When | None:
        """Unknown: a file's time is that of the cloning, and a commit's is what the student's computer said."""
        return UNKNOWN if entry.said.system == self.name or (entry is owner and is_cloned(owner)) else None


def is_cloned(owner: Entry) -> bool:
    """True if most of those beside an owner have git's folder, too: one alone has brought it along."""
    if owner.kind != "folder" or not has_git(owner):
        return False
    beside = [folder for folder in (owner.parent.folders if owner.parent else owner.named) if folder.kind == "folder"]
    return 2 * sum(map(has_git, beside)) > len(beside)


def has_git(folder: Entry) -> bool:
    """True if a folder, or one in it, is a git repository."""
    return any(item.kind == "folder" and item.children is not None and item.git for item in (folder, *folder.folders))
