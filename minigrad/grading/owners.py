"""Whose is what, in folders and zips as students and learning management systems name them.

A tree is looked at from the outside: the outermost folder that can be a person is the owner of all that lies in it, so
nothing that somebody puts into a folder can make it another one's. What nobody can tell for sure is said in a remark.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from minigrad.course.parts import chapter_named
from minigrad.grading.entries import ASIDE, METADATA, Entry, ancestors, leaves, listed, placed, without_zips
from minigrad.grading.roster import Person, Roster, Said, impersonal, is_ambiguous, is_groups, plain

NBGRADER = {"submitted", "source", "release", "autograded", "feedback"}
MOST_WRAPPERS = 100  # side by side: whoever makes more of them only wants to keep us busy
MOST_GROUPS = 3  # in each other
SETTLE = "give --roster to settle it."


@dataclasses.dataclass(frozen=True)
class Claim:
    """Whose an entry is, with all that lies in it; nobody's if `student` is empty, and `why` says why."""

    entry: Entry
    student: str
    why: str = ""


@dataclasses.dataclass(frozen=True)
class Remark:
    """A sentence that a person should read, and what it is about."""

    text: str
    about: tuple[Entry, ...]


@dataclasses.dataclass
class Level:
    """The folders and files that name people, side by side. `guesses` are remarks on how they were found."""

    people: list[Entry]
    guesses: list[Remark] = dataclasses.field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Those that can be a person's name, each once."""
        people = [each for each in self.people if each.names_person or is_groups(each.text)]
        return list(dict.fromkeys(each.said.known for each in people))

    @property
    def by_system(self) -> bool:
        """True if a system made the names, so that they leave no doubt."""
        return any(each.said.system for each in self.people)


# --- levels --------------------------------------------------------------------------------------


def people_below(tops: list[Entry], alone: bool) -> Level | None:
    """The outermost level below some folders that names people, None if there is none.

    `alone`: there are no students but these, so that a folder that is the only way down may be passed.
    """
    frontier = [deeper for top in tops for deeper in past_wrappers(top)]
    if all(each.is_clone for each in frontier):
        return None
    folders = [each for top in frontier for each in top.folders]
    files = [each for top in frontier for each in top.children if not each.is_folder]
    notebooks = [each for each in files if each.is_notebook]
    named = [each for each in notebooks if each.names_person]
    others = [each for each in files if not each.is_notebook and each.names_person]
    if not folders:
        return flat_level(frontier, notebooks, named, others)
    if not named and all(is_groups(each.text) for each in folders):
        return groups_level(folders, alone)
    level = Level([*past_beside(folders), *named, *others])
    if not level.names or (len(frontier) == 1 and is_own(frontier[0], notebooks, named)):
        return None
    if len(level.names) > 1 or level.by_system or named or not alone:
        return level
    inner = people_below(folders, alone)
    if inner is None or len(inner.names) < 2:
        return level
    text = f"{placed(folders)}: taken as a folder around the students {listed(inner.names)}, not as a student; {SETTLE}"
    return Level(inner.people, [Remark(text, tuple(folders)), *inner.guesses])


def past_wrappers(top: Entry) -> list[Entry]:
    """The folders to look into for people: `top`, or what lies in it if only folders of nobody's name do."""
    folders = top.folders
    if {"submitted"} <= {each.name for each in folders} <= NBGRADER:
        folders = [each for each in folders if each.name == "submitted"]
    if (
        not folders
        or len(folders) > MOST_WRAPPERS
        or top.is_clone
        or any(each.is_notebook and each.names_person for each in top.children)
    ):
        return [top]
    if all(is_groups(each.text) for each in folders):
        return [top]
    again = len(folders) == 1 and folders[0].text == top.text  # all.zip/all/
    if not again and any(each.names_person for each in folders):
        return [top]
    return [deeper for each in folders for deeper in past_wrappers(each)]


def past_beside(folders: list[Entry]) -> list[Entry]:
    """The same folders; beside those that a system named, what lies in those that are no person's."""
    if not any(each.said.system for each in folders):
        return folders
    found = []
    for each in folders:
        inside = [] if each.names_person else [inner for inner in each.folders if inner.said.system]
        found += inside or [each]
    return found


def flat_level(frontier: list[Entry], notebooks: list[Entry], named: list[Entry], others: list[Entry]) -> Level | None:
    """The files of folders without folders, if their names are people's."""
    level = Level([*named, *others])
    if level.by_system or len(named) > len(notebooks) - len(named):
        return level
    if not notebooks and others and all(impersonal(top.text) for top in frontier):
        return level
    return None


def groups_level(folders: list[Entry], alone: bool) -> Level:
    """The people in folders called group1, section-A, if most hold several; else the folders themselves."""
    deep = max(sum(is_groups(above.text) for above in ancestors(each)) for each in folders) >= MOST_GROUPS
    several = [] if deep else [each for each in folders if len(names_in(each)) > 1]
    inner = people_below(folders, alone) if 2 * len(several) > len(folders) else None
    names = listed(each.name for each in folders)
    if inner is None:
        text = f"{names}: each is taken as one student, though the name is a group's; {SETTLE}"
        return Level(folders, [Remark(text, tuple(folders))])
    text = f"{names}: taken as groups of students, and {listed(inner.names)} in them as the students; {SETTLE}"
    return Level(inner.people, [Remark(text, tuple(folders)), *inner.guesses])


def names_in(folder: Entry) -> list[str]:
    """The names that lie in a folder; they are looked for once."""
    if "names" not in folder.looked_into:
        level = people_below([folder], True)
        folder.looked_into["names"] = level.names if level else []
    found: list[str] = folder.looked_into["names"]
    return found


def is_own(top: Entry, notebooks: list[Entry], named: list[Entry]) -> bool:
    """True for a student's own folder: exercises lie in it, and not two folders with work beside them."""
    if named or impersonal(top.text) or not any(chapter_named(each.text) for each in notebooks):
        return False
    people = [each for each in top.folders if each.names_person]
    return sum(any(leaf.is_notebook for leaf in leaves(each)) for each in people) < 2


# --- without a roster ----------------------------------------------------------------------------


def owners(roots: list[Entry], files: list[Entry], roster: Roster | None = None) -> tuple[list[Claim], list[Remark]]:
    """Whose everything in some folders and zips is, and some files, by the roster, or as far as names say it."""
    claims, remarks = by_roster(roots, files, roster) if roster else by_names(roots, files)
    claims = [*claims, *unclaimed([*roots, *files], claims, "on the roster" if roster else "")]
    return claims, [*remarks, *about_ambiguous(claims), *about_strays(claims)]


def by_names(roots: list[Entry], files: list[Entry]) -> tuple[list[Claim], list[Remark]]:
    """The owners that names tell without a roster."""
    filled = [each for each in roots if any(child.kind != "damaged" for child in each.children)]
    general = [each for each in filled if impersonal(each.text)]
    levels = {each: people_below([each], True) for each in filled if each not in general}
    classes = [each for each, level in levels.items() if level and (len(level.names) > 1 or level.by_system)]
    single = [each for each in levels if each not in classes]
    remarks = []
    if single and classes:  # what lies in a student's folder must not make it a class beside the others
        text = (
            f"{placed(classes)}: taken as one student's each, although there are several names in it, because it was "
            f"named beside {placed(single)}; name it alone, or {SETTLE}"
        )
        remarks.append(Remark(text, tuple(classes)))
        single, classes = list(levels), []
    elif classes and len([*classes, *files]) > 1 and not all(level.by_system for level in levels.values() if level):
        text = f"{placed(classes)}: taken as folders of students, who are the same where their names are; {SETTLE}"
        remarks.append(Remark(text, tuple(classes)))
    if len(roots) == 1 and single and (level := levels[single[0]]):
        text = f"{placed(single)}: taken as one student's, not as a folder around {listed(level.names)}; {SETTLE}"
        remarks.append(Remark(text, tuple(single)))
    below, guesses = below_wrappers([*general, *classes], alone=not single and not files)
    empty = [each for each in roots if each not in filled and single and not impersonal(each.text)]
    claims, joins = labelled([*single, *empty, *below, *files])
    return claims, [*remarks, *guesses, *joins]


def below_wrappers(tops: list[Entry], alone: bool) -> tuple[list[Entry], list[Remark]]:
    """The owners in folders that are no people, and what was guessed."""
    level = people_below(tops, alone) if tops else Level([])
    if level is None:
        text = f"{placed(tops)}: nothing in it has a student's name, so it is taken as one student's; {SETTLE}"
        return tops, [Remark(text, tuple(tops))]
    sure = [each for each in level.people if each.names_person or is_groups(each.text)]
    odd = [each for each in level.people if each not in sure and any(leaf.is_notebook for leaf in leaves(each))]
    people, remarks = [*sure, *odd], list(level.guesses)
    if odd:
        text = f"{placed(odd)}: taken as a student's, because it lies beside those of students; {SETTLE}"
        remarks.append(Remark(text, tuple(odd)))
    guessed = [each for each in people if not each.said.system]
    inside = {each: within for each in guessed if (within := names_in(without_zips(each)))}
    sole = alone and len(level.names) == 1  # then nobody can tell a student from a folder around students
    doubtful = [each for each in guessed if sole or len(inside.get(each, ())) > 1]
    if sole and not all(impersonal(each.text) for each in tops):  # a system's name in what may be a student's folder
        doubtful = people
    if doubtful and sole:
        name = doubtful[0].said.known
        text = f"{placed(doubtful)}: taken as one student's, {name}, though no other name is beside it; {SETTLE}"
        remarks.append(Remark(text, tuple(doubtful)))
    elif doubtful:
        names = listed(f"{each.said.known} (in it {listed(inside[each])})" for each in doubtful)
        text = f"{placed(doubtful)}: taken as one student's each, by the outermost name: {names}; {SETTLE}"
        remarks.append(Remark(text, tuple(doubtful)))
    return people, remarks


def labelled(people: list[Entry]) -> tuple[list[Claim], list[Remark]]:
    """The owners with the texts that stand for them. Those of one name are told apart where anything does."""
    heard = [(entry, said) for entry in people for said in sayings(entry)]
    marks, shown = twins(heard), told_from(heard)
    found: dict[str, list[tuple[Entry, Said]]] = {}
    told: dict[str, list[str]] = {name: [] for name in marks}
    for entry, said in heard:
        mark = marks.get(said.known, {}).get(entry, "")
        student = f"{shown[said.known]} ({mark})" if mark else shown[said.known]
        told.get(said.known, []).append(student)
        found.setdefault(student, []).append((entry, said))
    remarks = [
        Remark(f"{name}: more than one of this name, told apart as {listed(students)}; {SETTLE}", tuple(marks[name]))
        for name, students in told.items()
    ]
    alike = [(entry, said) for entry, said in heard if shown[said.known] != (said.known.strip() or said.known)]
    if alike:
        names, about = listed(shown[said.known] for _, said in alike), tuple(entry for entry, _ in alike)
        text = f"{placed(about)}: taken as students of their own, though they look like others: {names}; {SETTLE}"
        remarks.append(Remark(text, about))
    for student, group in found.items():
        about = tuple(entry for entry, _ in group)
        if is_join(group):
            remarks.append(Remark(f"{placed(about)}: taken as the work of one student, {student}; {SETTLE}", about))
        alone = [entry for entry, said in group if said.system == "Gradescope" and not said.id]
        if alone:
            text = f"{placed(alone)}: {METADATA} does not say whose it is, so its number names the student; {SETTLE}"
            remarks.append(Remark(text, tuple(alone)))
    shared = [entry for entry in people if len(sayings(entry)) > 1]
    if shared:
        remarks.append(
            Remark(f"{placed(shared)}: handed in by several together; each of them has a row.", tuple(shared))
        )
    return [Claim(entry, student) for student, group in found.items() for entry, _ in group], remarks


def sayings(entry: Entry) -> list[Said]:
    """Whose an entry is by its name, or by what Gradescope says of it."""
    listed_by = entry.parent if entry.said.system == "Gradescope" else None
    return (listed_by.submitters.get(entry.name) if listed_by else None) or [entry.said]


def told_from(heard: list[tuple[Entry, Said]]) -> dict[str, str]:
    """What each name is shown as: without blanks around it, but not as another that looks like it."""
    looks: dict[str, list[str]] = {}
    for name in dict.fromkeys(said.known for _, said in heard):
        looks.setdefault(plain(name) or name, []).append(name)
    return {
        each: f"{look} ({each!r})" if len(names) > 1 and each != look else each.strip() or each
        for look, names in looks.items()
        for each in names
    }


def twins(heard: list[tuple[Entry, Said]]) -> dict[str, dict[Entry, str]]:
    """The names that more than one person has, and what tells their entries apart: an id, or a group they are in."""
    ids: dict[tuple[str, Entry | None], set[str]] = {}
    groups: dict[str, set[str]] = {}
    for entry, said in heard:
        root = entry.root if entry.root.is_folder else None
        ids.setdefault((said.known, root), set()).add(said.id)
        groups.setdefault(said.known, set()).add(group_of(entry))
    by_id = {name for (name, _), found in ids.items() if len(found - {""}) > 1}
    by_group = {name for name, found in groups.items() if len(found) > 1} - by_id
    marks: dict[str, dict[Entry, str]] = {}
    for entry, said in heard:
        if said.known in by_id or said.known in by_group:
            marks.setdefault(said.known, {})[entry] = said.id if said.known in by_id else group_of(entry)
    return marks


def group_of(entry: Entry) -> str:
    """The group or section that an entry lies in, if there is one."""
    above = entry.parent
    while above and not is_groups(above.text):
        above = above.parent
    return above.text if above else ""


def is_join(group: list[tuple[Entry, Said]]) -> bool:
    """True if what one student is said to own has names that could be two people's."""
    if len({said.name for _, said in group}) > 1:
        return True
    if len({said.id for _, said in group if said.system == "Canvas"}) > 1:
        return True
    if len(group) > 1 and any(entry.parent is None for entry, _ in group):
        return True
    beside: dict[Entry | None, list[tuple[Entry, Said]]] = {}
    for entry, said in group:
        beside.setdefault(entry.parent, []).append((entry, said))
    return any(map(is_doubled, beside.values()))


def is_doubled(group: list[tuple[Entry, Said]]) -> bool:
    """True if one student has several entries side by side that nothing holds together."""
    sources = {(said.system, said.id) for _, said in group}
    by_id = all(said.id for _, said in group)
    return len(sources) > 1 or (len(group) > 1 and not by_id and any(entry.kind != "file" for entry, _ in group))


# --- with a roster -------------------------------------------------------------------------------


def by_roster(roots: list[Entry], files: list[Entry], roster: Roster) -> tuple[list[Claim], list[Remark]]:
    """The owners by the roster: in each root the outermost level at which any of its names stands."""
    named = {root for root in roots if matches(root, roster)}
    claims, remarks = matched(files, roster)
    for root in roots:
        if named and root not in named and not impersonal(root.text):
            continue  # what was named beside students is a student's, too, and holds nobody else's work
        level = [root] if root in named else level_of(root, roster)
        found, unclear = matched(level, roster)
        claims += found
        remarks += unclear
        passed = {above for each in level for above in ancestors(each) if above.parent and above.names_person}
        if passed:
            text = (
                f"{placed(passed)}: not on the roster, so taken as a folder around students; if it is one, take it out."
            )
            remarks.append(Remark(text, tuple(passed)))
    return claims, remarks


def matches(entry: Entry, roster: Roster) -> list[tuple[Said, list[Person]]]:
    """For each name that an entry says, if any of them is on the roster, whose it can be."""
    found = [(said, roster.whose(said)) for said in sayings(entry)] if entry.names_person else []
    return found if any(people for _, people in found) else []


def level_of(root: Entry, roster: Roster) -> list[Entry]:
    """What has a name of the roster at the outermost level at which anything has."""
    level = [root]
    while level:
        inside = [child for each in level for child in each.children if child.name.lower() not in ASIDE]
        if found := [each for each in inside if matches(each, roster)]:
            return found
        level = [each for each in inside if each.is_folder]
    return []


def matched(level: list[Entry], roster: Roster) -> tuple[list[Claim], list[Remark]]:
    """The owners of what has names of the roster; nobody's is what could be two people's."""
    claims: list[Claim] = []
    remarks: list[Remark] = []
    found: dict[str, list[tuple[Entry, Said]]] = {}
    for entry in level:
        for said, people in matches(entry, roster):
            if len(people) == 1:
                found.setdefault(people[0].student, []).append((entry, said))
            else:
                could_be = " or ".join(each.student for each in people)
                why = f"{said.known} could be {could_be}" if people else f"{said.known} is not on the roster"
                claims.append(Claim(entry, "", why))
    for student, group in found.items():
        sure = surest(group, roster)
        about = tuple(entry for entry, _ in sure)
        claims += [Claim(entry, student) for entry in about]
        why = f"two hand in as {group[0][1].known}, and the roster has one"
        claims += [Claim(entry, "", why) for entry, _ in group if entry not in about]
        if len({said.known for _, said in sure}) > 1 or is_doubled(sure):
            text = f"{placed(about)}: taken as the work of one student, {student}; rename what is not."
            remarks.append(Remark(text, about))
    return claims, remarks


def surest(group: list[tuple[Entry, Said]], roster: Roster) -> list[tuple[Entry, Said]]:
    """What one student owns of what has the name; of several ids only the one that the roster has."""
    if len({said.id for _, said in group} - {""}) < 2:
        return group
    ids = {said.id for _, said in group if roster.by_number(said)}
    return [each for each in group if each[1].id in ids] if len(ids) == 1 else []


# --- what is nobody's ----------------------------------------------------------------------------


def unclaimed(roots: list[Entry], claims: list[Claim], where: str) -> list[Claim]:
    """What is in the roots beside everybody's work."""
    owned = {each.entry for each in claims}
    around = {above for each in owned for above in ancestors(each)}
    why = f"its name is no student's {where}".rstrip()

    def found(entry: Entry) -> Iterator[Claim]:
        if entry in owned:
            return
        if entry in around:
            used = METADATA if entry.submitters else None
            for child in entry.children:
                if child.name != used:
                    yield from found(child)
        elif entry.parent is None or not entry.is_folder or any(leaves(entry)):
            yield Claim(entry, "", why)

    return [each for root in roots for each in found(root)]


def about_ambiguous(claims: list[Claim]) -> list[Remark]:
    """A sentence on the names in which what Moodle puts behind a name stands more than once."""
    found = list(dict.fromkeys(each.entry for each in claims if is_ambiguous(each.entry.text)))
    text = f"{placed(found)}: what Moodle puts behind a name is there more than once, and nobody else's work joins it."
    return [Remark(text, tuple(found))] if found else []


def about_strays(claims: list[Claim]) -> list[Remark]:
    """A sentence on what is nobody's, for each reason."""
    reasons: dict[str, list[Entry]] = {}
    for each in claims:
        if not each.student:
            reasons.setdefault(each.why, []).append(each.entry)
    return [
        Remark(f"{placed(found)}: not graded and nobody's, because {why}.", tuple(found))
        for why, found in reasons.items()
    ]
