"""The grader: find submissions, judge them confined as `checks` does, compare with torch, keep and show the results.

`grade` is a grading from end to end. It calls the rooms one after the other, and none of them knows another: `collect`
finds the work and whose it is, `judge` comes to a result, on the processes of `workers`, `book` keeps it and says what
counts, `report` shows it. What they hand on is plain data of `records`; `lms` and `people` say what is in names.
"""
