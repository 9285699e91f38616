"""What may remain open, in the words of the report."""

from __future__ import annotations

NO_LIMITS = "Memory, processor time and the number of processes are not limited on this system."
NO_MEMORY_LIMIT = "Memory is not limited: macOS does not enforce the limit."
NO_FILES = "File access is not restricted: Landlock is missing."
NO_CALLS = "System calls are not filtered: this system has no seccomp filter."
STILL_ROOT = "The code runs as root: changing to an unprivileged user failed."

CAN_SEE = "If a submission knows a file's name, it can see whether it exists, its size and its times."
CAN_READ = "A submission can read whatever files its user may read."
CAN_WRITE = "A submission can create files wherever its user may."
CAN_CONNECT = "A submission can use the network."
CAN_START = "A submission can start processes."
CAN_SIGNAL = "A submission can send signals to whatever processes its user may."
CAN_GROW = "A submission can use any amount of memory."
