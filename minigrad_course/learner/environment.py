"""Is everything here that the course needs? One line for each thing, with advice if it is missing.

`exact` adds the version that is there: for `minigrad doctor`, and not for a notebook, whose outputs are compared.
"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from minigrad.compat import versions

PYTHON = (3, 11)
TORCH = "2.13.0"  # what is installed where no torch is: the smallest download, and what the notebooks are built with
OTHERS = ("numpy", "matplotlib", "jupyterlab", "ipywidgets", "anywidget", "nbval")


def check() -> None:
    """Print one line for Python, torch, the other packages, and the two engines side by side."""
    lines = [python(), torch(), *[package(name) for name in OTHERS]]
    if not any(line.startswith("✗") for line in lines):
        lines.append(engines())
    print("\n".join(lines))


def python(exact: bool = False) -> str:
    """Is Python new enough?"""
    wanted = ".".join(map(str, PYTHON))
    if sys.version_info[:2] < PYTHON:
        return f"✗ Python is older than {wanted}: install a newer one, delete .venv, and run `make lab` again."
    return f"✓ Python {platform.python_version() if exact else f'{wanted} or newer'}"


def torch(exact: bool = False) -> str:
    """Is torch there, in the version that the course was checked on?"""
    try:
        result = version("torch")
    except PackageNotFoundError:
        return f"✗ torch is missing: pip install torch=={TORCH}"
    if versions.known(result) is None:
        checked = f"{', '.join(versions.KNOWN[:-1])} and {versions.KNOWN[-1]}"
        return f"✗ torch is {result}, but the course was checked on {checked}: pip install torch=={TORCH}"
    return f"✓ torch {result if exact else f'{versions.KNOWN[0]} or newer'}"


def package(name: str, exact: bool = False) -> str:
    """Is a package there?"""
    try:
        result = version(name)
    except PackageNotFoundError:
        return f"✗ {name} is missing: pip install {name}"
    return f"✓ {name} {result}" if exact else f"✓ {name}"


def engines() -> str:
    """Run one line on both engines."""
    import minigrad
    from minigrad_course.checks.reference import imported_torch

    printed = []
    for engine in (imported_torch(), minigrad):
        x = engine.tensor(3.0, requires_grad=True)
        (x * x).backward()
        printed.append(repr(x.grad))
    if printed[0] != printed[1]:
        return f"✗ torch prints {printed[0]}, but minigrad prints {printed[1]}: please report this."
    return f"✓ torch and minigrad both print {printed[0]}"
