"""Whose is what, in folders and zips as students and learning management systems name them.

A tree is looked at from the outside: the outermost folder that can be a person is the owner of all that lies in it, so
nothing that somebody puts into a folder can make it another one's. Anything uncertain is reported in a remark.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from minigrad_course.grading import lms as systems
from minigrad_course.grading.collect.trees import ASIDE, Entry, ancestors, leaves, placed, refuse, without_zips
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import (
    STUDENTS_IN_IT,
    Said,
    folded,
    impersonal,
    is_groups,
    listed,
    plain,
    unclear,
)
from minigrad_course.grading.people.people import Person
from minigrad_course.parts import chapter_named

SETTLE = "settle it with --roster."
LACKS = "{} names it, but it is not in the export; export it again."
MOST_WRAPPERS = 100  # side by side: more than this would only waste our time
MOST_GROUPS = 3  # in each other


@dataclasses.dataclass
class Level:
    """The folders and files that name people, side by side. `guesses` are remarks on how they were found."""

    people: list[Entry]
    guesses: list[Remark] = dataclasses.field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Those that can be a person's name, each once."""
        people = [person for person in self.people if person.names_person or is_groups(person.text)]
        return list(dict.fromkeys(person.said.known for person in people))

    @property
    def by_system(self) -> bool:
        """True if a system made the names, so that they leave no doubt."""
        return any(person.said.system for person in self.people)


# --- levels --------------------------------------------------------------------------------------


def people_below(tops: list[Entry], alone: bool) -> Level | None:
    """The outermost level below some folders with people's names, or None.

    `alone`: there are no other students, so a folder that is the only way down may be skipped.
    """
    frontier = [deeper for top in tops for deeper in past_wrappers(top)]
    if all(item.is_clone for item in frontier):
        return None
    folders = [folder for top in frontier for folder in top.folders]
    files = [child for top in frontier for child in top.children if not child.is_folder]
    notebooks = [file for file in files if file.is_notebook]
    named = [notebook for notebook in notebooks if notebook.names_person]
    others = [file for file in files if not file.is_notebook and file.names_person]
    if not folders:
        return flat_level(frontier, notebooks, named, others)
    if not named and all(is_groups(folder.text) for folder in folders):
        return groups_level(folders, alone)
    level = Level([*past_beside(folders), *named, *others])
    if not level.names or (len(frontier) == 1 and is_own(frontier[0], notebooks, named)):
        return None
    if len(level.names) > 1 or level.by_system or named or not alone:
        return level
    inner = people_below(folders, alone)
    if inner is None or len(inner.names) < 2:
        return level
    text = STUDENTS_IN_IT.format(placed(folders), it_or_them(folders), listed(inner.names), "")
    return Level(inner.people, [Remark(text, tuple(folders)), *inner.guesses])


def past_wrappers(top: Entry) -> list[Entry]:
    """The folders to search for people: `top`, or its contents if these are only folders with nobody's name."""
    folders = top.folders
    if work := systems.work_among({folder.name for folder in folders}):
        folders = [folder for folder in folders if folder.name == work]
    if (
        not folders
        or len(folders) > MOST_WRAPPERS
        or top.is_clone
        or any(child.is_notebook and child.names_person for child in top.children)
    ):
        return [top]
    if all(is_groups(folder.text) for folder in folders):
        return [top]
    again = len(folders) == 1 and folders[0].text == top.text  # all.zip/all/
    if not again and any(folder.names_person for folder in folders):
        return [top]
    return [deeper for folder in folders for deeper in past_wrappers(folder)]


def past_beside(folders: list[Entry]) -> list[Entry]:
    """The same folders; next to ones named by a system, the contents of those that are not a person's."""
    if not any(folder.said.system for folder in folders):
        return folders
    result = []
    for folder in folders:
        inside = [] if folder.names_person else [inner for inner in folder.folders if inner.said.system]
        result += inside or [folder]
    return result


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
    deep = max(sum(is_groups(above.text) for above in ancestors(folder)) for folder in folders) >= MOST_GROUPS
    several = [] if deep else [folder for folder in folders if len(names_in(folder)) > 1]
    inner = people_below(folders, alone) if 2 * len(several) > len(folders) else None
    names = listed(folder.name for folder in folders)
    if inner is None:
        text = f"{names}: each is taken as one student, though the name looks like a group's; {SETTLE}"
        return Level(folders, [Remark(text, tuple(folders))])
    text = f"{names}: taken as groups of students, and {listed(inner.names)} in them as the students; {SETTLE}"
    return Level(inner.people, [Remark(text, tuple(folders)), *inner.guesses])


def names_in(folder: Entry) -> list[str]:
    """The names in a folder; cached."""
    if "names" not in folder.looked_into:
        level = people_below([folder], True)
        folder.looked_into["names"] = level.names if level else []
    result: list[str] = folder.looked_into["names"]
    return result


def is_own(top: Entry, notebooks: list[Entry], named: list[Entry]) -> bool:
    """True for a student's own folder: it contains exercises, and at most one folder with work."""
    if named or impersonal(top.text) or not any(chapter_named(notebook.text) for notebook in notebooks):
        return False
    people = [folder for folder in top.folders if folder.names_person]
    return sum(any(leaf.is_notebook for leaf in leaves(person)) for person in people) < 2


# --- without a roster ----------------------------------------------------------------------------


def owners(
    roots: list[Entry],
    files: list[Entry],
    roster: Roster | None = None,
    known: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Claim], list[Remark]]:
    """Whose everything in some folders and zips is, and some files, by the roster, or as far as names say it."""
    claims, remarks = by_roster(roots, files, roster) if roster else by_names(roots, files, known)
    claims = [*claims, *unclaimed([*roots, *files], claims, "on the roster" if roster else "")]
    return claims, [*remarks, *about_ambiguous(claims)]


def by_names(roots: list[Entry], files: list[Entry], known: Mapping[str, str]) -> tuple[list[Claim], list[Remark]]:
    """The owners that names tell without a roster."""
    filled = [root for root in roots if any(child.kind != "damaged" for child in root.children)]
    general = [item for item in filled if impersonal(item.text)]
    levels = {item: people_below([item], True) for item in filled if item not in general}
    classes = [item for item, level in levels.items() if level and (len(level.names) > 1 or level.by_system)]
    single = [level for level in levels if level not in classes]
    remarks = []
    if single and classes:  # the contents of a student's folder must not turn it into a class
        it = it_or_them(classes)
        text = (
            f"{placed(classes)}: taken as one student's{each_of(classes)}, although there are several names in {it}, "
            f"because {placed(single)}, named along with {it}, is one student's; name {it} alone, or {SETTLE}"
        )
        remarks.append(Remark(text, tuple(classes)))
        single, classes = list(levels), []
    elif doubtful := [cls for cls in classes if not is_download(cls, levels[cls])]:
        names = [name for item in doubtful if (level := levels[item]) for name in level.names]
        several = len([*classes, *files]) > 1
        same = ", where equal names mean the same student" if several else ""
        text = STUDENTS_IN_IT.format(placed(doubtful), it_or_them(doubtful), listed(names), same)
        if several or len(names) > 1:  # of a single name more is said below
            remarks.append(Remark(text, tuple(doubtful)))
    if len(roots) == 1 and single and (level := levels[single[0]]):
        text = f"{placed(single)}: taken as one student's, not as a folder around {listed(level.names)}; {SETTLE}"
        remarks.append(Remark(text, tuple(single)))
    below, guesses = below_wrappers([*general, *classes], alone=not single and not files)
    empty = [root for root in roots if root not in filled and single and not impersonal(root.text)]
    claims, joins = labelled([*single, *empty, *below, *absent(below), *files], known)
    return claims, [*remarks, *guesses, *joins]


def is_download(top: Entry, level: Level | None) -> bool:
    """True for a folder or zip as a system makes it for an assignment, with only its names inside."""
    made = {person.said.system for person in level.people} if level else set()
    system = systems.named(made.pop()) if len(made) == 1 else None
    return system is not None and system.is_download(top.text)


def below_wrappers(tops: list[Entry], alone: bool) -> tuple[list[Entry], list[Remark]]:
    """The owners in folders that are not people's, and the guesses made."""
    level = people_below(tops, alone) if tops else Level([])
    if level is None:
        it = it_or_them(tops)
        text = f"{placed(tops)}: nothing in {it} has a student's name: taken as one student's{each_of(tops)}; {SETTLE}"
        return tops, [Remark(text, tuple(tops))]
    sure = [person for person in level.people if person.names_person or is_groups(person.text)]
    odd = [person for person in level.people if person not in sure and any(leaf.is_notebook for leaf in leaves(person))]
    people, remarks = [*sure, *odd], list(level.guesses)
    if odd:
        text = f"{placed(odd)}: taken as one student's{each_of(odd)}, because it is next to students' work; {SETTLE}"
        remarks.append(Remark(text, tuple(odd)))
    guessed = [person for person in people if not person.said.system]
    inside = {item: within for item in guessed if (within := names_in(without_zips(item)))}
    sole = alone and len(level.names) == 1  # then nobody can tell a student from a folder around students
    doubtful = [item for item in guessed if sole or len(inside.get(item, ())) > 1]
    if sole and not all(impersonal(top.text) for top in tops):  # a system's name in what may be a student's folder
        doubtful = people
    if doubtful and sole:
        name = doubtful[0].said.known
        text = f"{placed(doubtful)}: taken as one student's, {name}, though there is no other name next to it; {SETTLE}"
        remarks.append(Remark(text, tuple(doubtful)))
    elif doubtful:
        names = listed(f"{item.said.known} (in it {listed(inside[item])})" for item in doubtful)
        text = (
            f"{placed(doubtful)}: taken as one student's{each_of(doubtful)}, by the outermost name: {names}; {SETTLE}"
        )
        remarks.append(Remark(text, tuple(doubtful)))
    return people, remarks


# --- with a roster -------------------------------------------------------------------------------


def by_roster(roots: list[Entry], files: list[Entry], roster: Roster) -> tuple[list[Claim], list[Remark]]:
    """The owners by the roster: in each root the outermost level at which any of its names stands."""
    named = {root for root in roots if matches(root, roster)}
    claims, remarks = matched(files, roster)
    for root in roots:
        if named and root not in named and not impersonal(root.text):
            continue  # named along with students, so it is also a student's, without other people's work
        level = [root] if root in named else level_of(root, roster)
        if level:
            result, doubts = matched([*level, *absent(level)], roster)
        else:
            result, doubts = matched_inside(root, roster)
            level = [item.entry for item in result if item.student]
        claims += result
        remarks += doubts
        owners_here = {item.student for item in result} - {""}
        if root not in level and not impersonal(root.text) and 2 * len(owners_here) <= len(roster.people):
            text = (
                f"{placed([root])}: not on the roster, so taken as around {listed(sorted(owners_here))}; if it is one "
            )
            remarks += [Remark(text + "student's, leave it out.", (root,))] if owners_here else []
        passed = {above for item in level for above in ancestors(item) if above.parent and above.names_person}
        if passed:
            text = (
                f"{placed(passed)}: not on the roster, so taken as a folder around students; remove any student's own."
            )
            remarks.append(Remark(text, tuple(passed)))
    return claims, remarks


def matches(entry: Entry, roster: Roster) -> list[tuple[Said, list[Person]]]:
    """For each name that an entry says, if any of them is on the roster, whose it can be."""
    result = [(said, roster.whose(said)) for said in systems.owners(entry)] if entry.names_person else []
    return result if any(people for _, people in result) else []


def level_of(root: Entry, roster: Roster) -> list[Entry]:
    """What has a name of the roster at the outermost level at which anything has."""
    level = [root]
    while level:
        inside = [child for item in level for child in item.children if child.name.lower() not in ASIDE]
        if results := [item for item in inside if matches(item, roster)]:
            return results
        level = [item for item in inside if item.is_folder]
    return []


def matched_inside(root: Entry, roster: Roster) -> tuple[list[Claim], list[Remark]]:
    """The owners where no name is as the roster has it: by a name, an id, a login or an email inside a name.

    That is how a system that we do not know writes them. At the outermost level at which any name holds one.
    """
    level = [root]
    while level:
        inside = [child for item in level for child in item.children if child.name.lower() not in ASIDE]
        results = {item: people for item in inside if (people := roster.inside(item.text))}
        if results:
            sure = [entry for entry, people in results.items() if len(people) == 1]
            names = {entry: [person.student for person in people] for entry, people in results.items()}
            claims = [
                Claim(entry, names[entry][0]) if entry in sure else Claim(entry, "", unclear(entry.text, names[entry]))
                for entry in results
            ]
            taken = listed(names[entry][0] for entry in sure)
            text = f"{placed(sure)}: no name is as on the roster, so taken as {taken}, by what stands in the names; "
            return claims, [Remark(text + "rename what is not.", tuple(sure))] if sure else []
        level = [item for item in inside if item.is_folder]
    return [], []


def matched(level: list[Entry], roster: Roster) -> tuple[list[Claim], list[Remark]]:
    """The owners of entries with names on the roster; a name that could be two people's has no owner."""
    claims: list[Claim] = []
    remarks: list[Remark] = []
    results: dict[str, list[tuple[Entry, Said]]] = {}
    cut: dict[Entry, str] = {}
    for entry in level:
        for said, people in matches(entry, roster):
            if len(people) == 1:
                results.setdefault(people[0].student, []).append((entry, said))
                if systems.has(said, "grouped") and people != roster.by_number(said) and not names(said, people[0]):
                    cut[entry] = people[0].student
            else:
                why = unclear(said.known, [person.student for person in people])
                claims.append(Claim(entry, "", why if people else f"{said.known} is not on the roster"))
    if cut:
        text = f"{placed(cut)}: the beginning is taken as a group's, and the rest as {listed(cut.values())}; rename "
        remarks.append(Remark(text + "what is not.", tuple(cut)))
    for student, group in results.items():
        sure = surest(group, roster)
        about = tuple(entry for entry, _ in sure)
        claims += [Claim(entry, student) for entry in about]
        why = unclear(f"two hand in as {group[0][1].known}, and at most one of them", [student])
        claims += [Claim(entry, "", why) for entry, _ in group if entry not in about]
        if len({said.known for _, said in sure}) > 1 or is_doubled(sure):
            text = f"{placed(about)}: taken as the work of one student, {student}; rename what is not."
            remarks.append(Remark(text, about))
    return claims, remarks


def names(said: Said, person: Person) -> bool:
    """True if a name, with or without the group in front of it, is one of a person's."""
    return not {folded(said.known), folded(f"{said.group}-{said.known}")}.isdisjoint(person.texts())


def it_or_them(entries: list[Entry]) -> str:
    """The word for one entry, or for several."""
    return "it" if len(entries) == 1 else "them"


def surest(group: list[tuple[Entry, Said]], roster: Roster) -> list[tuple[Entry, Said]]:
    """The entries with a student's name that are really theirs; with several ids, only the one on the roster."""
    if len({said.id for _, said in group} - {""}) < 2:
        return group
    ids = {said.id for _, said in group if roster.by_number(said)}
    return [item for item in group if item[1].id in ids] if len(ids) == 1 else []


# --- what is nobody's ----------------------------------------------------------------------------


def unclaimed(roots: list[Entry], claims: list[Claim], where: str) -> list[Claim]:
    """Everything in the roots that nobody owns."""
    owned = {claim.entry for claim in claims}
    around = {above for item in owned for above in ancestors(item)}

    def found(entry: Entry) -> Iterator[Claim]:
        if entry in owned or is_beside_work(entry):
            return
        if entry in around:
            used = systems.files_used(entry)
            for child in entry.children:
                if child.name not in used:
                    yield from found(child)
        elif entry.parent is None or not entry.is_folder or any(leaves(entry)):
            yield Claim(entry, "", nobodys(entry, where))

    return [item for root in roots for item in found(root)]


def is_beside_work(entry: Entry) -> bool:
    """True for a file that a system added, beside what somebody handed in."""
    if not systems.is_its_own(entry) or not entry.parent:
        return False
    others = [child for child in entry.parent.children if child is not entry and not systems.is_its_own(child)]
    return not entry.said.system or any(other.said.id == entry.said.id for other in others)


def nobodys(entry: Entry, where: str) -> str:
    """Why an entry is nobody's: by its own name, by those in it, or by those that a system's file gives for it."""
    if where and entry.parent is None and entry.is_folder and (level := people_below([entry], True)):
        if len(level.names) > 1:
            return f"none of the {len(level.names)} names in it is {where}, for example {level.names[0]}"
        if level.names:
            return f"the name in it, {level.names[0]}, is not {where}"
    file = systems.owners_file(entry.said)
    if not file:
        return f"its name is not a student's {where}".rstrip()
    others = [said for said in systems.owners(entry) if said is not entry.said]
    names = [f"{said.name} ({said.id})" if said.id else said.name for said in others]
    are = "is" if len(names) == 1 else "are"
    return f"{listed(names)} {are} not {where}" if names else f"{file} names no owner"


def about_ambiguous(claims: list[Claim]) -> list[Remark]:
    """A remark on names in which a system's suffix occurs more than once."""
    results = {claim.entry: system for claim in claims if (system := systems.ambiguous(claim.entry.text))}
    if not results:
        return []
    whose = listed(f"{system.name}'s" for system in results.values())
    text = f"{placed(results)}: {whose} suffix occurs in the name more than once, so it is not joined with other work."
    return [Remark(text, tuple(results))]


# --- the people behind names: which belong to one person, and which to two ------------------------


@dataclasses.dataclass(frozen=True)
class Claim:
    """The owner of an entry and everything in it; nobody if `student` is empty, and then `why` says why.

    `key` is the id of the student, where a system gave one for good.
    """

    entry: Entry
    student: str
    why: str = ""
    key: str = ""


@dataclasses.dataclass(frozen=True)
class Remark:
    """A sentence that a person should read, and what it is about."""

    text: str
    about: tuple[Entry, ...]


def each_of(entries: list[Entry]) -> str:
    """A word for a sentence on several."""
    return " each" if len(entries) > 1 else ""


def labelled(people: list[Entry], known: Mapping[str, str]) -> tuple[list[Claim], list[Remark]]:
    """The owners with their displayed names. People with the same name are told apart if possible.

    `known` are the students whose ids were seen before: an id says more than a name.
    """
    heard = [(entry, said) for entry in people for said in systems.owners(entry)]
    marks, shown = twins(heard), told_from(heard)
    results: dict[str, list[tuple[Entry, Said]]] = {}
    told: dict[str, list[str]] = {name: [] for name in marks}
    taken = {(key.partition(" ")[0], student) for key, student in known.items()}  # the ids of two systems may differ
    renamed: dict[Entry, str] = {}
    others: dict[Entry, str] = {}
    for entry, said in heard:
        mark = marks.get(said.known, {}).get(entry, "")
        student = f"{shown[said.known]} ({mark})" if mark else shown[said.known]
        key = systems.key(said)
        if key in known and known[key] != student:
            renamed[entry] = student = known[key]
        elif key not in known and (said.system, student) in taken:
            others[entry] = student = f"{student} ({said.id})"
        told.get(said.known, []).append(student)
        results.setdefault(student, []).append((entry, said))
    remarks = [
        Remark(f"{name}: several people with this name, told apart as {listed(students)}; {SETTLE}", tuple(marks[name]))
        for name, students in told.items()
    ]
    alike = [(entry, said) for entry, said in heard if shown[said.known] != (said.known.strip() or said.known)]
    if alike:
        names, about = listed(shown[said.known] for _, said in alike), tuple(entry for entry, _ in alike)
        text = f"{placed(about)}: taken as separate students, though the names look alike: {names}; {SETTLE}"
        remarks.append(Remark(text, about))
    for student, group in results.items():
        about = tuple(entry for entry, _ in group)
        if is_join(group):
            remarks.append(Remark(f"{placed(about)}: taken as the work of one student, {student}; {SETTLE}", about))
    alone = {entry: file for entry, said in heard if said is entry.said and (file := systems.owners_file(said))}
    if alone:
        files, each = listed(alone.values()), each_of([*alone])
        text = f"{placed(alone)}: {files} names no owner, so taken as one student's{each}, by number; {SETTLE}"
        remarks.append(Remark(text, tuple(alone)))
    remarks += about_groups(heard)
    for by_id, why in (
        (renamed, "the id belongs to"),
        (others, "the name was graded before with another id, so this is"),
    ):
        if by_id:
            remarks.append(Remark(f"{placed(by_id)}: {why} {listed(by_id.values())}; {SETTLE}", tuple(by_id)))
    shared = [entry for entry in people if len(systems.owners(entry)) > 1]
    if shared:
        remarks.append(
            Remark(f"{placed(shared)}: handed in by several people together; each of them has a row.", tuple(shared))
        )
    claims = [
        Claim(entry, student, key=systems.key(said)) for student, group in results.items() for entry, said in group
    ]
    return claims, remarks


def about_groups(heard: list[tuple[Entry, Said]]) -> list[Remark]:
    """Which prefixes were taken as a system's groups, and which were not but may be."""
    cut = [(entry, said) for entry, said in heard if said.group]
    some = [(entry, said) for entry, said in heard if systems.has(said, "grouped") and "-" in said.known]
    fronts = Counter(said.known.partition("-")[0] for _, said in some)
    others = [(entry, said) for entry, said in some if fronts[said.known.partition("-")[0]] > 1]
    remarks = []
    for result, what in ((cut, "a group's, and not part of"), (others, "part of, and not a group in front of")):
        if result:
            names = listed(said.known for _, said in result)
            text = (
                f"{placed(entry for entry, _ in result)}: the beginning is taken as {what} the name: {names}; {SETTLE}"
            )
            remarks.append(Remark(text, tuple(entry for entry, _ in result)))
    return remarks


def absent(people: list[Entry]) -> list[Entry]:
    """Work that a system's own list has but that is missing: its submitters get a row that says so."""
    tops = {
        person.parent: system for person in people if person.parent and (system := systems.named(person.said.system))
    }
    return [
        Entry(name, top, "missing", refuse(LACKS.format(system.owners_file)))
        for top, system in tops.items()
        for name in system.absent(top)
    ]


def told_from(heard: list[tuple[Entry, Said]]) -> dict[str, str]:
    """What each name is shown as: without blanks around it, but not as another that looks like it."""
    looks: dict[str, list[str]] = {}
    for name in dict.fromkeys(said.known for _, said in heard):
        looks.setdefault(plain(name) or name, []).append(name)
    return {
        name: f"{look} ({name!r})" if len(names) > 1 and name != look else name.strip() or name
        for look, names in looks.items()
        for name in names
    }


def twins(heard: list[tuple[Entry, Said]]) -> dict[str, dict[Entry, str]]:
    """Names shared by several people, and what distinguishes their entries: an id, or a group."""
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
    """The group or section around an entry, if there is one."""
    above = entry.parent
    while above and not is_groups(above.text):
        above = above.parent
    return above.text if above else ""


def is_join(group: list[tuple[Entry, Said]]) -> bool:
    """True if what one student is said to own has names that could be two people's."""
    if len({said.name for _, said in group}) > 1:
        return True
    if len({said.id for _, said in group if systems.has(said, "squeezed")}) > 1:
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
