"""The progress bar: every item comes through, and what is stored does not depend on how far it is."""

from minigrad_course.chapters.progress_bar import Bar, progress_bar


def test_progress_gives_every_item_and_fills_its_bar(monkeypatch):
    bars = []
    monkeypatch.setattr("minigrad_course.chapters.progress_bar.display", bars.append)
    seen = [(item, bars[0].value) for item in progress_bar(range(10, 13), "images")]
    assert seen == [(10, 0), (11, 1), (12, 2)]
    assert (bars[0].value, bars[0].max, bars[0].bar_style) == (3, 3, "success")


def test_what_is_stored_of_a_bar_does_not_depend_on_how_far_it_is():
    bar = Bar(max=200, description="steps")
    before = bar._repr_mimebundle_()
    bar.value = 77
    after = bar._repr_mimebundle_()
    assert before["text/plain"] == after["text/plain"] == before["text/html"] == after["text/html"] == "steps: 200"
