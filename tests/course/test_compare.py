"""The rule by which everything is judged."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad_course.programs.compare import alike, difference

ALIKE = {
    "the address of an object": ("<MulBackward0 object at 0x7f85>", "<MulBackward0 object at 0x7f12ab>"),
    "white space counts once": ("tensor( 1.,\n        2.)\n\n", "tensor( 1., 2.)"),
    "padding after a bracket": ("tensor([ 9.9999, 10.0000])", "tensor([10.0000, 10.0000])"),
    "one unit up": ("0.3334", "0.3333"),
    "one unit down": ("tensor(0.3332)", "tensor(0.3333)"),
    "six decimals": ("0.333334", "0.333333"),
    "carried over": ("tensor(1.0000)", "tensor(0.9999)"),
    "negative": ("-0.3334", "-0.3333"),
    "the sign of nothing": ("tensor([-0.0000, 1.5000])", "tensor([0.0000, 1.5000])"),
    "across zero": ("-0.0001", "0.0000"),
    "scientific": ("1.2346e-05", "1.2345e-05"),
    "scientific, another exponent": ("9.9999e+00", "1.0000e+01"),
    "scientific, the other way": ("1.0000e+01", "9.9999e+00"),
    "whole by its last bit": ("tensor(-5.)", "tensor(-5.0000)"),
    "not whole by its last bit": ("tensor([5.0000, 2.0000])", "tensor([5., 2.])"),
    "nan and inf": ("tensor([nan, inf, -inf])", "tensor([nan, inf, -inf])"),
}
DIFFERENT = {
    "two units": ("0.3335", "0.3333"),
    "two units of a scientific one": ("1.2347e-05", "1.2345e-05"),
    "another exponent": ("1.2345e-06", "1.2345e-05"),
    "three decimals are not tolerant": ("0.334", "0.333"),
    "integers are not": ("100001", "100000"),
    "nor whole floats": ("tensor(4.)", "tensor(3.)"),
    "an integer is no float": ("5", "5.0000"),
    "whole, but too far": ("tensor(5.)", "tensor(5.0002)"),
    "other decimals": ("0.33333", "0.3333"),
    "three decimals beside four": ("5.000", "5.0000"),
    "sign": ("-1.5000", "1.5000"),
    "minus zero": ("tensor(-0.)", "tensor(0.)"),
    "nan is not inf": ("nan", "inf"),
    "nan is not 0": ("nan", "0.0000"),
    "inf and minus inf": ("tensor(-inf)", "tensor(inf)"),
    "words": ("grad_fn=<MulBackward0>", "grad_fn=<MulBackward1>"),
    "no white space is not one": ("1 2", "12"),
    "case": ("Tensor(1.)", "tensor(1.)"),
    "nothing": ("", "tensor(1.)"),
    "more": ("tensor(1.)\ntensor(1.)", "tensor(1.)"),
    "digits of another script": ("١.٠٠٠٠", "1.0000"),
    "one number of several": ("1.0000 2.0000 4.0000", "1.0000 2.0000 3.0000"),
}


def test_alike():
    assert [name for name, texts in ALIKE.items() if not alike(*texts)] == []
    assert [name for name, texts in ALIKE.items() if difference(*texts) is not None] == []


def test_different():
    assert [name for name, texts in DIFFERENT.items() if alike(*texts)] == []
    assert [name for name, texts in DIFFERENT.items() if difference(*texts) is None] == []


SENTENCES = {
    "values": ("tensor([1., 2.])", "tensor([1., 3.])", "line 1: the numbers differ"),
    "shapes before values": (
        "tensor([1., 2.])",
        "tensor([1., 3., 5.])",
        "line 1: the shapes differ, with 2 instead of 3 entries in this line",
    ),
    "a tensor in the place of None": (
        "tensor([1., 2.]) tensor([3., 4.])",
        "tensor([1., 2.]) None",
        "line 1 differs",
    ),
    "nan is an entry": ("tensor([nan, 2.])", "tensor([1., 2.])", "line 1 differs"),
    "missing": ("a\n", "a\nb\n", "line 2 is missing"),
    "one too many": ("a\nb\n", "a\n", "line 2 is one too many"),
    "one too many between": ("a\nx\nb 1.0001\n", "a\nb 1.0000\n", "line 2 is one too many"),
    "one too many, and another that is wrong": ("a\nx\nb\n", "a\nc\n", "line 2 differs"),
    "words": ("a\nb\n", "a\nc\n", "line 2 differs"),
    "nothing at all": ("  \n", "a\n", "line 1 is missing"),
}


def test_the_difference_in_a_sentence():
    told = {name: difference(printed, reference).what for name, (printed, reference, _) in SENTENCES.items()}
    assert told == {name: sentence for name, (_, _, sentence) in SENTENCES.items()}


def test_the_first_line_that_differs():
    found = difference("a\nb 1.0000\nc\nd", "a\nb 1.0001\nX\nY")
    assert (found.line, found.printed, found.reference) == (3, "c", "X")


def test_of_long_lines_the_part_that_differs_is_shown():
    found = difference("1 " * 5000 + "a" + " 2" * 5000, "1 " * 5000 + "b" + " 2" * 5000)
    printed, wanted = found.shown
    assert "a" in printed and "b" in wanted
    assert len(printed) < 300 and printed.startswith("…") and printed.endswith("…")
    assert difference("", "b").shown == ("(nothing)", "b")


words = st.text(alphabet="ab 1.0-+e[](),\n\t5", max_size=40)
decimal_texts = st.builds("{}{}.{:04d}".format, st.sampled_from(["", "-"]), st.integers(0, 99), st.integers(0, 9999))


@given(words, words)
def test_a_difference_is_found_exactly_where_texts_are_not_alike(one, other):
    assert (difference(one, other) is None) == alike(one, other)


@given(st.lists(decimal_texts, min_size=1, max_size=5))
def test_white_space_between_words_never_matters(numbers):
    assert alike("\n ".join(numbers), "  \t".join(numbers))


@given(decimal_texts, st.integers(-5, 5))
def test_one_unit_and_no_more(number, units):
    scaled = round(float(number) * 10_000) + units
    assert alike(f"{scaled / 10_000:.4f}", number) == (abs(units) <= 1)


MANY = 200_000
HOSTILE = {
    "an exponent beyond all floats": "1.0000e+9999999",
    "an exponent of many digits": "1.0000e" + "1" * 5000,
    "one long number": "1" * MANY,
    "almost a number": "1" * (MANY // 2) + "." + "1" * (MANY // 2) + "a",
    "points": "1." * (MANY // 2),
    "minus signs": "-" * MANY,
    "exponents": "1e" * (MANY // 2),
    "lines": "\n" * MANY,
    "brackets": "[ " * (MANY // 2),
    "numbers": "1.0000e+10\n" * (MANY // 11),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_is_too_much(text):
    started = time.process_time()
    for pair in ((text, "1.0000e+01"), ("1.0000e+01", text), (text, text + "1")):
        found = difference(*pair)
        assert found is not None and found.what and len(found.shown[0]) < 300
    assert time.process_time() - started < 10  # the square of its length takes more than 20


@pytest.mark.parametrize("text", ["tensor(#)", f"tensor({'9' * 9_000}.1234e999)", "#" * 5_000, "tensor(1.2#45)"])
def test_marks_and_endless_numbers_are_a_difference_and_no_error(text):
    """The mark that stands for a number in our own sentences may stand in anybody's text."""
    assert not alike(text, "tensor(1.2345)") and difference(text, "tensor(1.2345)").what
