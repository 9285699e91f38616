"""`python -m minigrad_course` is the `minigrad` command."""

from minigrad_course.command import main

main()
