"""What judges: assemble a submission, run it confined, and compare what it prints with torch.

`assemble` takes the answers out of a submission. `judge` runs each check in the `sandbox`, on an engine that
`strip` has made without the part in question, and asks torch for the reference. `nbval` gives all that the form of
nbval's items, so that `pytest --nbval` and `minigrad grade` judge alike. `report` shows it.
"""
