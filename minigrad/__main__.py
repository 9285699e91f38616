"""`python -m minigrad` is the `minigrad` command of whatever is installed that has one."""

import sys
from importlib.metadata import entry_points

commands = entry_points(group="console_scripts", name="minigrad")
if not commands:
    sys.exit("This is the engine alone, which has no command.")
next(iter(commands)).load()()
