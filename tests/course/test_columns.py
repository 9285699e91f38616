"""What a failed check shows: yours beside the target, with the first difference marked."""

import re
from xml.etree import ElementTree

import pytest

from minigrad_course.programs import columns
from minigrad_course.programs.compare import difference


def drawn(printed, target, name="torch"):
    found = difference(printed or "", target)
    return columns.render(printed, target, name, found if printed else None)


def rows(text):
    """Each row: its cells, and whether it is marked. Parsed, so that it is known to be well-formed."""
    root = ElementTree.fromstring(f"<div>{text}</div>")
    return [
        ([cell.text or "" for cell in row.iter("td")], any("rgba" in cell.get("style") for cell in row.iter("td")))
        for row in root.iter("tr")
        if row.find("td") is not None
    ]


def test_lines_stand_beside_each_other_and_the_first_difference_is_marked():
    text = drawn("1\n2\n5\n6\n", "1\n2\n3\n4\n")
    assert rows(text) == [(["1", "1"], False), (["2", "2"], False), (["5", "3"], True), (["6", "4"], False)]
    heads = [each.text for each in ElementTree.fromstring(f"<div>{text}</div>").iter("th")]
    assert heads == ["yours", "torch"] and "<details>" not in text


@pytest.mark.parametrize(
    ("printed", "target", "marked"),
    [
        ("1\n", "1\n2\n", ["", "2"]),
        ("1\n2\n3\n", "1\n2\n", ["3", ""]),
        ("1\nx\n2\n", "1\n2\n", ["x", ""]),
        ("", "1\n", None),
    ],
)
def test_a_line_that_is_missing_or_too_many_has_an_empty_cell_beside_it(printed, target, marked):
    assert [row for row, mark in rows(drawn(printed, target)) if mark] == ([marked] if marked else [])


def test_where_nothing_was_printed_the_target_stands_alone():
    text = drawn(None, "1\n2\n", "right")
    assert rows(text) == [(["1"], False), (["2"], False)] and "yours" not in text and ">right<" in text


def test_a_long_way_to_the_difference_is_folded_and_what_is_far_below_is_counted():
    same = [f"line {number}" for number in range(100)]
    text = drawn("\n".join([*same, "a"] + ["x"] * 100), "\n".join([*same, "b"] + ["x"] * 100))
    assert "<summary" in text and ">97 lines alike<" in text
    folded, shown = text.split("</details>")
    assert len(rows(folded + "</details>")) == 97
    assert len(rows(shown)) == columns.LINES and rows(shown)[columns.ALIKE] == (["a", "b"], True)
    assert f"… and {201 - 97 - columns.LINES} more lines." in shown


def test_text_is_text_and_long_lines_are_cut_where_they_differ():
    text = drawn("<b>&</b>" + "x" * 500 + "1", "<b>&</b>" + "x" * 500 + "2")
    (((one, other), marked),) = rows(text)
    assert marked and one.endswith("x1") and other.endswith("x2") and len(one) < 300
    assert rows(drawn("<script>", "<i>")) == [(["<script>", "<i>"], True)]


def test_it_has_the_colours_of_the_page():
    """Nothing that is opaque, and nothing that is white or black."""
    text = drawn("1", "2")
    assert not re.search(r"#[0-9a-fA-F]{3,6}|:(white|black)", text)
    assert "var(--jp-code-font-family" in text


def test_without_html_both_texts_are_there():
    assert columns.plain("1\n", "2\n", "torch") == "\n\nyours, all lines:\n1\n\ntorch, all lines:\n2"
    assert columns.plain("", "2\n", "torch") == "\n\ntorch, all lines:\n2"
