"""`python -m minigrad` is the `minigrad` command."""

from minigrad_command import main

main()
