"""Every misconception of the map is met in the course, and every place that the map names is there."""

import pytest
from misconceptions import C5, ROWS

from minigrad_course import parts
from minigrad_course.texts import source

PLACES = [(row, *place) for row, (_, places) in ROWS.items() for place in places]


def test_there_are_forty_rows():
    assert sorted(ROWS) == list(range(1, 41))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_met_before_the_last_chapter(row):
    assert [place for place in ROWS[row][1] if place[1] != C5]


@pytest.mark.parametrize(("row", "kind", "notebook", "name"), PLACES, ids=[" ".join(map(str, each)) for each in PLACES])
def test_the_place_is_there(row, kind, notebook, name):
    chapter = parts.chapter_named(notebook)
    if kind == "task":
        assert chapter.part(name)
    elif kind == "mistake":
        part, _, mistake = name.partition("/")
        assert mistake in [each.name for each in chapter.part(part).mistakes]
    else:
        cells = {cell.id: cell for cell in source.read("lessons", notebook).cells}
        assert kind == "text" or cells[name].role == "question"
