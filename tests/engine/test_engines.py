"""What the other tests of this folder stand on."""

import pytest
from engines import each_of


def test_a_row_that_fails_is_named_and_the_others_run() -> None:
    met = []

    @each_of(a=[1, 2], b=(each for each in "xyz"))
    def of_a_row(a: int, b: str) -> None:
        met.append((a, b))
        assert b != "y", "not this one"
        if (a, b) == (2, "z"):
            with pytest.raises(ValueError):
                float("1")

    with pytest.raises(AssertionError, match="3 of 6 rows fail") as caught:
        of_a_row()
    assert len(met) == 6
    text = str(caught.value)
    assert all(f"{{'a': {a}, 'b': '{b}'}}:\n" in text for a, b in [(1, "y"), (2, "y"), (2, "z")])
    assert "not this one" in text and "DID NOT RAISE" in text
    with pytest.raises(AssertionError):
        each_of(a=[])
