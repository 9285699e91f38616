"""Every misconception of the map is met in the course, and every place that the map names is there."""

from misconceptions import NOTEBOOKS, ROWS

from minigrad_course import parts
from minigrad_course.texts import source


def is_there(kind, notebook, name):
    chapter = parts.chapter_named(notebook)
    if kind == "task":
        return chapter.part(name) is not None
    if kind == "mistake":
        part, _, mistake = name.partition("/")
        return mistake in [each.name for each in chapter.part(part).mistakes]
    cells = {cell.id: cell.role for cell in source.read("lessons", notebook).cells}
    return name in cells and (kind == "text" or cells[name] == "question")


def test_forty_are_met_before_the_last_chapter_and_at_places_that_are_there():
    assert sorted(ROWS) == list(range(1, 41))
    assert [row for row, (_, places) in ROWS.items() if {place[1] for place in places} <= {NOTEBOOKS[-1]}] == []
    assert [(row, place) for row, (_, places) in ROWS.items() for place in places if not is_there(*place)] == []
