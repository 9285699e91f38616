"""Say why a program did not finish: in one sentence, for the person who wrote the answer.

Like `program`, it is sent to the grader's confined child: it needs only the standard library.
"""

from __future__ import annotations

import abc
import builtins
import dataclasses
import difflib
import traceback
import types
from collections.abc import Iterable
from typing import Any

PROGRAM = "<program>"
LONGEST = 200  # characters quoted from a line or a message
STRANGERS = ("must be Tensor, not Tensor", "but got Tensor", "'Tensor' and 'Tensor'")  # torch, about our tensors
NEAR = 0.75  # of difflib's measure: from here on, one name is a slip for another
MOST = 1000  # names that are compared


@dataclasses.dataclass(frozen=True)
class Problem:
    """Why a program did not finish.

    kind: "missing" (there is no answer), "unfinished" (a stub was reached), "untouched" (the answer is what was given),
    "answer" (the answer cannot be used), "cell" (its cell failed), "program" (it stopped with an error), "time",
    "output", "objection" (it ended, but not in the way that is asked for).
    message: one sentence for the person who wrote the answer.
    """

    kind: str
    message: str

    @property
    def is_open(self) -> bool:
        """True if there is still something to write, and nothing is wrong yet."""
        return self.kind in ("missing", "unfinished", "untouched")


class OutOfTime(BaseException):
    """A limit was reached. Not an Exception, so that an honest `except Exception` does not catch it."""


class TooMuchOutput(BaseException):
    """A program printed more than allowed."""


# These end a run from outside; KeyboardInterrupt is the person at the keyboard.
LIMITS = (OutOfTime, TooMuchOutput, KeyboardInterrupt)


def problem_of(error: BaseException) -> Problem:
    """The sentence for an error: the line of the program, and the place in the answer."""
    frames, answers = traceback.extract_tb(error.__traceback__), in_answers(error)
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, NotImplementedError):
        if answers and answers[-1][1] == frames[-1]:
            return Problem("unfinished", f"`{answers[-1][0]}` is still to be written.")
        if codes and codes[-1].co_qualname in ("Operation.forward", "Operation.backward"):
            return Problem("unfinished", f"Your class has no `{codes[-1].co_name}` yet.")
    where = place_of(error)
    in_engine = bool(frames) and frames[-1].filename != PROGRAM and not answers
    asked = forgotten(error) or question(error, named(error), bool(answers), in_engine)
    text = f"{where}{', ' if where else ''}stopped with {named(error)}.{asked}"
    return Problem("program", text[0].upper() + text[1:])


def in_answers(error: BaseException) -> list[tuple[str, traceback.FrameSummary]]:
    """The calls in the traceback that are in an answer, each with the name of its function."""
    walked = traceback.walk_tb(error.__traceback__)
    return [
        (inner.f_code.co_qualname.partition(".<locals>")[0], frame)
        for (inner, _), frame in zip(walked, traceback.extract_tb(error.__traceback__), strict=True)
        if str(inner.f_globals.get("__name__")) == "__main__" and frame.filename != PROGRAM
    ]


def place_of(error: BaseException) -> str:
    """The innermost line of an answer that an error came through, else that of the check; "" if there is neither."""
    if answers := in_answers(error):
        name, frame = answers[-1]
        return f"`{name[:LONGEST]}`, line {frame.lineno} of its cell, `{(frame.line or '')[:LONGEST]}`"
    # without the line's comment, which may have backticks of its own
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PROGRAM]
    lines = [((frame.lineno or 0) + 1, (frame.line or "").partition("  #")[0][:LONGEST]) for frame in frames[-1:]]
    return "".join(f"line {number} of the check, `{line}`" for number, line in lines)


def forgotten(error: BaseException) -> str:
    """Advice when a method uses a name that exists only in another method of its class; "" otherwise."""
    frame = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
    name, _, method = frame.f_code.co_qualname.rpartition(".")
    owner = frame.f_globals.get(name)
    if type(error) is not NameError or type(owner) not in (type, abc.ABCMeta):  # run no code of theirs
        return ""
    for other, each in vars(owner).items():
        plain = each.__func__ if type(each) in (staticmethod, classmethod) else each
        if other != method and type(plain) is types.FunctionType and error.name in plain.__code__.co_varnames:
            kept = "`ctx.saved_tensors`" if method == "backward" else "`self`"
            return f" Only `{other}` knows `{error.name}`: save it there, and read it from {kept} here."
    return ""


def question(error: BaseException, text: str, in_answer: bool, in_engine: bool) -> str:
    """Where to look first, for errors that only somebody who knows the engine would understand."""
    if isinstance(error, NameError) and error.name == "torch" and in_answer:
        return " Your part is a piece of minigrad: write `minigrad` for `torch`, as in `minigrad.zeros(3)`."
    if isinstance(error, TypeError) and in_answer and text.endswith(STRANGERS):
        return " That function is torch's and cannot use minigrad's tensors: use `minigrad`, or what was passed in."
    if near := meant(error):
        return near
    if isinstance(error, NameError) and in_answer:
        return " Is it misspelt? What an answer uses has to be in its own cell: define or import it there."
    if isinstance(error, RuntimeError) and "incorrect number of gradients" in text:
        return " Does backward end with a return that gives one gradient for each input: return x, y?"
    nothing = "forward" if "numpy.object" in text else "your part" if in_engine and "NoneType" in text else None
    if isinstance(error, (TypeError, AttributeError)) and nothing:
        return f" Does {nothing} end with a return?"
    return ""


MEANT = " Did you mean "


def meant(error: Any) -> str:
    """The name there is that is nearly the one that an error did not find; "" if none is near."""
    known: list[str] = []
    try:
        if type(error) is NameError:
            frame = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
            theirs = [name for name, value in vars(builtins).items() if type(value).__module__ != "_sitebuiltins"]
            known = [*frame.f_locals, *frame.f_globals, *theirs]
        elif type(error) is AttributeError:
            kinds = type(error.obj).__mro__  # the engine's nodes list only what torch's do
            known = [*dir(error.obj), *(name for kind in kinds for name in vars(kind))]
        name, hidden = str(error.name)[:LONGEST], str(error.name).startswith("_")
        own = [item[:LONGEST] for item in known[:MOST] if item.startswith("_") == hidden]
        near = difflib.get_close_matches(name, own, 1, NEAR)
        return f"{MEANT}`{near[0]}`?" if near else ""
    except LIMITS:
        raise
    except BaseException:  # an object may list anything as its names
        return ""


def mistyped(part: str, named: Iterable[str]) -> str:
    """A question about the name in a cell's @part that is nearly that of a part; "" if none is near."""
    near = difflib.get_close_matches(part, [item[:LONGEST] for item in named][:MOST], 1, NEAR)
    return f' A cell has @part("{near[0]}"): did you mean {part}?' if near else ""


def shortened(line: str, longest: int = LONGEST) -> str:
    """A line, cut to some characters with an ellipsis."""
    return line if len(line) <= longest else f"{line[:longest]}…"


def named(error: BaseException) -> str:
    """`ValueError: its first line`, shortened; only the type if the message cannot be read."""
    name = type.__dict__["__name__"].__get__(type(error))  # even if a metaclass says otherwise
    try:
        # torch's long errors end in advice, which would be cut in the middle of a word.
        first = [shortened(line.partition(" Hint: ")[0]) for line in str(error).strip().splitlines()[:1]]
        return ": ".join([name, *first]).rstrip(".")
    except LIMITS:
        raise
    except BaseException:
        return name
