"""Processes that run edited programs, each in a copy of the program's folder."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from minigrad_course.explain.reading import Source

START = 300.0  # seconds in which a process must have imported torch
LIMIT = 20.0  # seconds for one try
LARGEST = 50 * 2**20  # bytes of files that are copied for a try
BROKEN: dict[str, Any] = {"outcome": {"broken": True, "error": ["", "", 0]}, "findings": []}


class Worker:
    """One process, that imports torch while others run."""

    def __init__(self) -> None:
        root = str(Path(__file__).parents[3])
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        }
        environment["TORCHDYNAMO_DISABLE"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "minigrad_course.explain.trials.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if "MINIGRAD_EXPLAIN_DEBUG" in os.environ else subprocess.DEVNULL,
            env=environment,
            text=True,
            encoding="utf-8",
            start_new_session=os.name != "nt",  # Ctrl-C is for the program
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.ready = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put("")

    def line(self, limit: float) -> str:
        """The next line, or nothing if it does not come in time."""
        try:
            return self.lines.get(timeout=limit)
        except queue.Empty:
            return ""

    def ask(self, job: dict[str, Any], limit: float) -> dict[str, Any] | None:
        """The answer to a job, or None if the process has died or took too long."""
        if not self.ready:
            self.ready = self.line(START) == "ready\n"
        if not self.ready:
            return None
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            result = json.loads(self.line(limit) or "null")
        except (OSError, ValueError):
            return None
        return result if isinstance(result, dict) else None

    def close(self) -> None:
        """End the process."""
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if stream is self.process.stdin and stream is not None:
                    stream.close()
        self.process.kill()
        self.process.wait()


class Pool:
    """One process at a time, replaced when a program has spoiled it."""

    def __init__(self) -> None:
        self.worker: Worker | None = None
        self.jobs = 0

    def start(self) -> None:
        """Let a process import torch, without waiting for it."""
        if self.worker is None:
            self.worker = Worker()

    def run(self, source: Source, files: list[str], chosen: dict[str, int], **job: Any) -> dict[str, Any]:
        """Run a program in a copy of its folder: {outcome, findings}.

        files: those that are copied; job: deep, most, find, free, limit, and `texts`, by path, in place of the files'.
        """
        self.start()
        assert self.worker is not None
        texts, limit = job.pop("texts", {}), job.pop("limit", LIMIT)
        self.jobs += 1
        with tempfile.TemporaryDirectory(prefix="explain", ignore_cleanup_errors=True) as scratch:
            folder = os.path.realpath(scratch)
            copied(source, files, texts, folder)
            job |= {"source": moved(source, texts, folder), "seeds": chosen}
            reply = self.worker.ask(job, limit)
            if reply is None or reply.get("spent"):
                self.close()
        return reply or BROKEN

    def close(self) -> None:
        """End the process, if there is one."""
        if self.worker is not None:
            self.worker.close()
            self.worker = None


def copied(source: Source, files: list[str], texts: dict[str, str], folder: str) -> None:
    """Copy the files of a program that it needs; write the edited ones."""
    size = 0
    for path in files:
        if path.startswith(source.folder + os.sep) and path != source.path and os.path.isfile(path):
            size += os.path.getsize(path)
            if size > LARGEST:
                break
            to = os.path.join(folder, os.path.relpath(path, source.folder))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(path, to)
    for path, text in {source.path: source.text, **texts}.items():
        if path.startswith(source.folder + os.sep):
            to = os.path.join(folder, os.path.relpath(path, source.folder))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            Path(to).write_text(text, encoding="utf-8")


def moved(source: Source, texts: dict[str, str], folder: str) -> dict[str, Any]:
    """The program as it lies in the copy, for JSON."""
    inside = source.path.startswith(source.folder + os.sep)
    path = os.path.join(folder, os.path.relpath(source.path, source.folder)) if inside else source.path
    names = {key: value for key, value in source.names.items() if isinstance(value, str)}
    if "__file__" in names:
        names["__file__"] = path
    return {
        "path": path,
        "text": texts.get(source.path, source.text),
        "folder": folder,
        "argv": [path if source.argv[0] not in ("-", "-c") else source.argv[0], *source.argv[1:]],
        "names": names,
        "cells": source.cells,
        "pasted": False,
    }


def needed(source: Source, read: set[str]) -> list[str]:
    """The files below a program's folder that a copy must have: what it read, and the modules beside it."""
    results = {path for path in read if path.startswith(source.folder + os.sep)}
    for folder in [Path(source.folder), *(p for p in Path(source.folder).iterdir() if (p / "__init__.py").exists())]:
        results |= {str(path) for path in folder.glob("*.py")}
    return sorted(results)


class Clock:
    """Whether there is still time for tries."""

    def __init__(self, seconds: float):
        self.end = time.monotonic() + seconds

    def over(self) -> bool:
        return time.monotonic() > self.end
