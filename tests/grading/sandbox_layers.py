"""Confine this process with some layers only, run attacks, print what came of each as JSON.

A script: `sandbox_layers.py CONFINE_FILE LAYERS READABLE`, attacks (Python expressions) as a JSON
list on standard input. An attack that works yields the repr of its value, one that does not the
name of its error.
"""

import ctypes
import importlib.util
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading

__all__ = ["ctypes", "pathlib", "signal", "socket", "subprocess", "threading"]  # for the attacks


def syscall(number, *arguments):
    """A raw system call: its result, or OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def main():
    """Confine, attack, report."""
    place, layers, readable = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("confine", place)
    confine = importlib.util.module_from_spec(spec)
    sys.modules["confine"] = confine  # for the imports among its files
    spec.loader.exec_module(confine)
    attacks = json.load(sys.stdin)
    confinement = confine.Confinement(
        confine.library_files(sys.path) + json.loads(readable),
        [layer for layer in layers.split(",") if layer],
    )
    results = {"open": confinement.apply({"cpu_seconds": 20, "memory_mb": 256})}
    for attack in attacks:
        try:
            results[attack] = repr(eval(attack))
        except BaseException as error:
            results[attack] = type(error).__name__
    os.write(1, json.dumps(results).encode())


main()
