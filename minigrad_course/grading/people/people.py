"""Who is in a class."""

from __future__ import annotations

import dataclasses

from minigrad_course.grading.people.names import folded, squeezed


@dataclasses.dataclass(frozen=True)
class Person:
    """A member of the class. `student` is the text that represents the person everywhere.

    `known_as` are further names: a login, a number of the university. `participant` is the number that Moodle uses in
    the names of one assignment's folders. `last_first` is the name as lists are sorted, where the file says it.
    `handed_in` is when that person handed in that assignment, as Moodle writes it.
    """

    id: str = ""
    name: str = ""
    email: str = ""
    student: str = ""
    known_as: tuple[str, ...] = ()
    participant: str = ""
    last_first: str = ""
    handed_in: str = ""

    def given(self) -> set[str]:
        """The texts that somebody else gave the person, as `folded` has them; Moodle's number apart."""
        return {folded(text) for text in (self.id, self.email, *self.known_as)} - {""}

    def texts(self) -> set[str]:
        """Every text that identifies the person, in `folded` form, except Moodle's number."""
        texts = {self.id, self.email, self.email.partition("@")[0], self.name, self.student, *self.known_as}
        for last, first in self.halves():
            texts |= {f"{last} {first}", f"{first} {last}", squeezed(last + first)}
        return {folded(text) for text in texts} - {""}

    def halves(self) -> list[tuple[str, str]]:
        """The last and the first name; in every way the name can be cut where nobody said it."""
        if self.last_first:
            last, _, first = self.last_first.partition(",")
            return [(last.strip(), first.strip())]
        words = self.name.split()
        return [(" ".join(words[count:]), " ".join(words[:count])) for count in range(1, len(words))]
