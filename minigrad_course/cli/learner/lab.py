"""`minigrad lab`: the course in JupyterLab, from a clone or from an installed wheel.

The notebooks are first copied, once, to a folder that belongs to the reader, without the outputs that answer a
prediction; files that already exist there are never touched. In a clone, git ignores that folder, so the clone stays
clean. Inside such a folder, the command opens that folder.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from minigrad_course.cli.ending import FAILED, stop
from minigrad_course.cli.learner.student import Beside, absolute, demand_place
from minigrad_course.cli.screen import Screen
from minigrad_course.learner import home
from minigrad_course.notebooks import builder, renewal
from minigrad_course.programs import process
from minigrad_course.texts.folders import COPY, EXERCISES, FIRST_PAGE, exercises_folder, typed
from minigrad_course.texts.source import KINDS, is_clone, notebooks_folder
from minigrad_course.texts.submitted import Unreadable

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

SETTINGS = Path(builder.__file__).parent / "lab_settings"
FIRST_LESSON = "lessons/00_start_here.ipynb"


@dataclass
class Copied:
    """What `copy_notebooks` did: paths relative to the target folder."""

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def lab(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Copy the notebooks to this folder (once) and work in it."),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser; just print the address.")
    ] = False,
    port: Annotated[int | None, typer.Option(metavar="N", min=1, max=65535, help="The first port to try.")] = None,
    yes: Beside = False,
) -> None:
    """Open the course in JupyterLab. Press Ctrl-C to stop it."""
    root = workplace(folder, yes)
    if not (root / FIRST_LESSON).is_file():
        stop(f"There is no {FIRST_LESSON} in {root}: in a clone, `minigrad build` writes it.", FAILED)
    Screen().print(f"JupyterLab opens on {first_page(root)}; Ctrl-C stops it.")
    try:
        serve(root, browser=not no_browser and has_display(), port=port)
    except OSError as error:
        stop(f"JupyterLab could not start: {error}", FAILED)


def workplace(folder: Path | None, yes: bool = False) -> Path:
    """The folder JupyterLab opens: `folder`, or the copy we are in, or minigrad-course (in a clone: at its root).

    Unless it is the clone itself, which only `minigrad lab .` opens, the notebooks are copied there first. Ends the
    command with a sentence when they cannot be.
    """
    source = notebooks_folder().resolve()
    target = absolute(folder or own_folder() or (source / COPY if is_clone() else COPY))
    if target.resolve() == source:
        return source
    try:
        demand_place(target, yes)
        copied = copy_notebooks(source, target)
    except OSError as error:
        stop(f"The notebooks could not be copied to {target}: {error.strerror or error}.", FAILED)
    except Unreadable as error:
        stop(f"The notebooks could not be copied to {target}: {error}", FAILED)
    if copied.written:
        Screen().print(f"Copied {len(copied.written)} files to {target}.")
    if any(builder.holds_answers(builder.Built(source / name, b"")) for name in copied.written):
        Screen().print(f"Your answers in {source / EXERCISES} were copied as well. From now on, work in {target}.")
    if old := sum(is_old(target, name) for name in copied.kept):
        Screen().print(
            f"{old} of the notebooks in {target} {'is' if old == 1 else 'are'} of an earlier version. In a terminal of "
            f"JupyterLab, minigrad start {typed(target)} updates them and keeps your work."
        )
    return target


def first_page(root: Path) -> str:
    """What JupyterLab shows first: the page with the progress, which the course's own folder has not."""
    return FIRST_PAGE if (root / FIRST_PAGE).is_file() else FIRST_LESSON


def workspace(root: Path) -> str:
    """The name of the folder's own workspace: its tabs come back in it, and nobody else's."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", root.name).strip("-") or "course"
    return f"{name}-{hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:6]}"


def own_folder() -> Path | None:
    """The reader's copy of the course, if the command was called inside it."""
    exercises = exercises_folder()
    own = exercises.parent
    if exercises.name != EXERCISES or own == notebooks_folder() or not (own / FIRST_LESSON).is_file():
        return None
    return own


def copy_notebooks(source: Path, target: Path) -> Copied:
    """Copy lessons, exercises and solutions from `source` to `target`, without their source texts; add the first page.

    Outputs that answer a prediction are left out. An existing file is kept, whatever it holds. A file that could not be
    written completely is removed again, so that the next run copies it. Raises OSError, and Unreadable for one that is
    not a notebook.
    """
    copied = Copied()
    for folder in KINDS:
        for path in sorted((source / folder).glob("*.ipynb")):
            name = f"{folder}/{path.name}"
            try:
                notebook = renewal.for_kernel_here(renewal.read(path))
                content = renewal.text_of(renewal.without_told(notebook) if folder == "lessons" else notebook)
            except Unreadable:
                if folder == "lessons":
                    raise
                content = path.read_bytes()  # an exercise in a clone may hold anything
            (target / folder).mkdir(parents=True, exist_ok=True)
            (copied.written if renewal.write_new(target / name, content) else copied.kept).append(name)
    if renewal.write_new(target / FIRST_PAGE, renewal.text_of(home.page())):
        copied.written.append(FIRST_PAGE)
    return copied


def is_old(target: Path, name: str) -> bool:
    """True if the notebook "lessons/NAME.ipynb" in `target` would be updated by `minigrad start`."""
    kind, file = name.split("/")
    try:
        old = renewal.read(target / name)
        made = renewal.renewed(renewal.pristine(kind, file.removesuffix(".ipynb")), old)
    except (OSError, Unreadable):
        return False  # for what cannot be read, JupyterLab has its own words
    return not (made == old or renewal.differ_in_notes(made, old))


def has_display() -> bool:
    """Whether a browser opened here would be seen: not over SSH, nor on Linux without a display."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def serve(root: Path, *, browser: bool, port: int | None) -> None:
    """Run JupyterLab on `root` until Ctrl-C; print the address of its first page once it answers.

    If `port` (default: JupyterLab's 8888) is taken, JupyterLab uses another one. Raises OSError
    when the server cannot start, for instance because the home folder is read-only.
    """
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        stop(f"JupyterLab is not installed here ({error}): python -m pip install jupyterlab", FAILED)
    # So that JupyterLab's terminals find `minigrad`, whatever Python started it.
    here = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", "")])
    # Our defaults for JupyterLab's settings, below those that a reader has chosen.
    paths = [str(SETTINGS), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(paths)
    server = LabApp.initialize_server(argv=_arguments(root, browser=browser, port=port))
    server.log.addFilter(_is_not_banner)
    # Our extension runs the cell of this page, and of no other: whoever runs this command wants it.
    server.web_app.settings.setdefault("page_config_data", {})["minigradHome"] = FIRST_PAGE
    # The port is bound by a callback that is already queued: this one runs after it.
    server.io_loop.add_callback(_print_address, server, browser)
    _stop_on_interrupt(server)
    process.at_end(lambda: _end_tasks(server))
    server.start()


def _arguments(root: Path, *, browser: bool, port: int | None) -> list[str]:
    """JupyterLab's command line."""
    arguments = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/workspaces/{workspace(root)}/tree/{first_page(root)}",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.log_level=WARN",
        "--LabApp.log_level=WARN",
        # Reopened without a kernel, a notebook shows its explorers' pictures instead of widget errors.
        "--ContentsManager.pre_save_hook=minigrad_course.texts.saving.before_saving",
        "--AsyncMappingKernelManager.kernel_manager_class=minigrad_course.notebooks.lab_kernels.Manager",
    ]
    if port is not None:
        arguments.append(f"--ServerApp.port={port}")
    if os.name == "posix":
        # By default JupyterLab may start a login shell, whose start-up files undo the PATH that `serve` sets.
        arguments.append(f"--ServerApp.terminado_settings={{'shell_command': ['{os.environ.get('SHELL') or 'sh'}']}}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    return arguments


def _stop_on_interrupt(server: ServerApp) -> None:
    """Let Ctrl-C stop the server and its kernels at once; by default JupyterLab asks first."""

    def stop(*_: object) -> None:
        # A second Ctrl-C does not wait for a kernel that is slow to stop.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        server.stop(from_signal=True)

    signal.signal(signal.SIGINT, stop)


def _end_tasks(server: ServerApp) -> None:
    """Let what the server still has under way end, with its threads: the loop has been stopped in the middle of it."""
    import asyncio

    loop = server.io_loop.asyncio_loop  # type: ignore[attr-defined]
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def _is_not_banner(record: logging.LogRecord) -> bool:
    """Drop JupyterLab's banner, which says in six lines what `_print_address` says in one."""
    return not record.getMessage().lstrip().startswith("To access the server")


def _print_address(server: ServerApp, browser: bool) -> None:
    """Print the address of the first page, with the token if JupyterLab made one."""
    identity: Any = server.identity_provider
    # JupyterLab prints dots for a token that the reader has set, and such an address opens nothing.
    own_key = not (identity.token and identity.token_generated)
    address = server.local_url.partition("?")[0] if own_key else server.local_url
    hint = "If no browser opens, go to" if browser else "Open this address in a browser:"
    Screen().print(f"{hint} {address}")
    if own_key and identity.auth_enabled:
        Screen().print("It asks for the password or token from your own Jupyter configuration.")
