"""`python -m minigrad` is the `minigrad` command."""

from minigrad.commands import main

main()
