"""What can stay open, as the report says it."""

from __future__ import annotations

NO_LIMITS = "Memory, processor time and the number of processes are not limited on this system."
NO_MEMORY_LIMIT = "Memory is not limited: macOS does not enforce the limit."
NO_FILES = "Files are not closed off: Landlock is missing."
NO_CALLS = "System calls are not filtered: this system has no seccomp filter."
STILL_ROOT = "The code runs as root: changing to an unprivileged user failed."

CAN_SEE = "A submission can see whether a file exists whose name it knows, its size and its times."
CAN_READ = "A submission can read files, as far as the rights of the user go that it runs as."
CAN_WRITE = "A submission can make files, as far as the rights of the user go that it runs as."
CAN_CONNECT = "A submission can use the network."
CAN_START = "A submission can start processes."
CAN_SIGNAL = "A submission can send signals to other processes, as far as the rights of the user go that it runs as."
CAN_GROW = "A submission can take any amount of memory."
