"""`python -m minigrad_course.explain`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys

from minigrad_course.explain.program import Program
from minigrad_course.explain.reading import NoProgram, Source, chosen

PASTED = "Read as copied from a page: without prompts, fences, output and indentation. Lines keep their numbers."


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="python -m minigrad_course.explain",
        description="Run a program on the installed torch; if autograd stops it or goes wrong in silence, say which "
        "lines led to that, and what to change: each change was tried.",
    )
    made.add_argument("-c", dest="code", help="the text of a program")
    made.add_argument("-m", dest="module", help="the name of a module")
    made.add_argument("--try", dest="anyway", action="store_true", help="try changes though the program writes files")
    made.add_argument("--no-try", dest="nothing", action="store_true", help="run the program once only")
    made.add_argument("--story", action="store_true", help="say what the program did, also if nothing is wrong")
    made.add_argument("--seed", type=int, help="first seed torch, numpy and random")
    made.add_argument("--json", action="store_true", help="print what there is to say as JSON, in the last line")
    made.add_argument("file", nargs="?", help="a file, a notebook, or - for standard input")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Explain the program that the arguments name; returns the status of the program."""
    given = sys.argv[1:] if arguments is None else arguments
    options, unknown = parser().parse_known_args(given)
    options.arguments = [*unknown, *options.arguments]
    try:
        source = chosen(options.file, options.arguments, options.code, options.module)
    except NoProgram as error:
        print(error, file=sys.stderr)
        return 2
    if source.pasted:
        print(PASTED, file=sys.stderr)
    return explain(source, options.nothing, options.anyway, options.story, options.json, options.seed)


def explain(
    source: Source,
    nothing: bool = False,
    anyway: bool = False,
    story: bool = False,
    as_json: bool = False,
    seed: int | None = None,
) -> int:
    """Run a program, and print what there is to say of it; returns its status."""
    from minigrad_course.explain.trials.pool import Pool

    pool = None if nothing else Pool()
    if pool is not None:
        pool.start()  # it imports torch while this process does
    try:
        from minigrad_course.explain import advice
        from minigrad_course.explain.account import account
        from minigrad_course.explain.observing import running

        seeds = running.seeds(seed)
        done = running.run(source, seeds)
        with contextlib.suppress(BrokenPipeError):
            told = advice.explained(done, source, seeds, pool, anyway)
            said: list[str] = []
            if done.story is not None:
                stopped = isinstance(done.story.error, KeyboardInterrupt)
                reason = None if anyway or nothing or stopped else advice.why_not(done, source)
                said = advice.lines(told, done.story.programs, source.path, reason)
                if stopped:
                    print("Interrupted.", file=sys.stderr)
                if story or (stopped and done.story.seen.losses):
                    said = [*account(done.story, stopped), *([""] if said else []), *said]
            elif done.broken and "MINIGRAD_EXPLAIN_DEBUG" in os.environ:
                print(done.broken, file=sys.stderr)
            if said:
                show(["", *said])
            if as_json:
                programs: dict[str, Program] = done.story.programs if done.story is not None else {}
                print(json.dumps(advice.as_json(told, programs)))
        return done.status
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    finally:
        if pool is not None:
            pool.close()


def show(lines: list[str]) -> None:
    """Print lines, changed ones in colour on a terminal that wants it."""
    out = sys.__stdout__
    if out is None:
        return
    colour = out.isatty() and "NO_COLOR" not in os.environ
    for line in lines:
        mark = line[4:6]
        if colour and line.startswith("    ") and mark in ("- ", "+ "):
            line = f"\033[{31 if mark == '- ' else 32}m{line}\033[0m"
        print(line, file=out)
    out.flush()
