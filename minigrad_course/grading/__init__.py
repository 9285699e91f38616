"""The grader: find submissions, assemble them, run them confined, compare with torch, keep and show the results.

`intake` finds the submissions in folders and zips (`trees` of `entries`), and `owners` whose they are, by names or a
`roster`. `assemble` takes the answers out of one. `judge` runs each check in the `sandbox`, as a `job` on an engine
that `strip` has made without the part in question (`remembered` from one command to the next), and asks torch for the
reference. `nbval` gives all that the form of nbval's items, so that `pytest --nbval` and `minigrad grade` judge alike;
`session` does it for one submission after the other, in the workers of `pool` or `cluster`. `gradebook` is a grading
from end to end, `store` what is kept of the class, and `rules` what counts of it, as `coursefile` reads them; `report`,
`views`, `pages` and `printed` show it, `marks` brings it to other systems, and `similar` finds answers that look like
copies, by their `shape`.
"""
