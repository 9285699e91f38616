#!/usr/bin/env bash
# Python 3.11.7 and 3.12.1: a thread whose `join` was interrupted by Ctrl-C is taken for ended, and nobody waits for it.
#
# `join` waits for a lock that the thread holds while it runs. When an exception ends the waiting, `join` looks whether
# the lock is held, takes that for its own doing, releases it and marks the thread as stopped. From then on `is_alive()`
# is False, `join()` returns at once, and at its end Python does not wait for the thread, though it is no daemon: it is
# cut off in the middle of its work. Only `threading.enumerate()` still has it. 3.13 has no such lock, and is right.
# An Event that the thread sets at its end tells the truth everywhere.
#
# Nothing is installed: this is Python itself. Seen on Linux:
#   3.11: interrupted; alive: False, listed: True; joined again at once: True; ended its work: False
#   3.12: interrupted; alive: False, listed: True; joined again at once: True; ended its work: False
#   3.13: interrupted; alive: True, listed: True; joined again at once: False; ended its work: True
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PYTHON'
import signal
import sys
import threading
import time


def work():
    time.sleep(1)
    with open(sys.argv[1], "w") as file:
        file.write("ended")


signal.signal(signal.SIGALRM, signal.default_int_handler)  # what Ctrl-C does, after 0.2 seconds
thread = threading.Thread(target=work)
thread.start()
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    thread.join()
except KeyboardInterrupt:
    told = f"alive: {thread.is_alive()}, listed: {thread in threading.enumerate()}"
started = time.monotonic()
thread.join()
at_once = time.monotonic() - started < 0.3
print(f"interrupted; {told}; joined again at once: {at_once}", end="")
PYTHON
wrong='interrupted; alive: False, listed: True; joined again at once: True; ended its work: False'
right='interrupted; alive: True, listed: True; joined again at once: False; ended its work: True'
looked=0
for python in python3 python3.11 python3.12 python3.13; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
  case $version in 3.11 | 3.12) expected=$wrong ;; 3.13) expected=$right ;; *) continue ;; esac
  rm -f "$folder/ended"
  seen=$("$python" "$folder/look.py" "$folder/ended")
  seen="$seen; ended its work: $([[ -e $folder/ended ]] && echo True || echo False)"
  echo "$version: $seen"
  [[ $seen == "$expected" ]] || { echo "That has changed." >&2; exit 1; }
  looked=$((looked + 1))
done
((looked)) || { echo "This needs Python 3.11, 3.12 or 3.13." >&2; exit 1; }
