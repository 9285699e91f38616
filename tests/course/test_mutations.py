"""Break the derivative of each operation in turn: the checks of the chapters notice every time.

A check that passes with a wrong engine would pass with a wrong answer too. Every program of every check runs on
minigrad with one derivative broken, and has to print something other than torch does. All operations of the four
chapters have to be reached by a check; of the others, those that are.
"""

import contextlib
import functools
import importlib
import pkgutil
from collections import defaultdict

import pytest

import minigrad
from minigrad.scalar import Function
from minigrad_course import parts
from minigrad_course.checks.reference import reference, solutions
from minigrad_course.programs import program
from minigrad_course.programs.compare import alike
from minigrad_course.texts import source

SEED = 7
CHAPTERS = ("minigrad.scalar", "minigrad.upstream", "minigrad.jacobian", "minigrad.leaf")
# Which no program can meet by itself: the rules that other rules run on under create_graph, and a view after its base
# has changed. tests/engine holds them against torch.
BENEATH = {"Unselect", "AsStrided"}


@functools.cache
def operations():
    """Every operation that has a derivative of its own, by `module.Name`."""
    for each in pkgutil.walk_packages(minigrad.__path__, "minigrad."):
        if each.name.split(".")[1] not in ("course", "grading", "commands", "__main__"):
            importlib.import_module(each.name)
    found, waiting = {}, [Function]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("minigrad.") and "course" not in kind.__module__ and "backward" in vars(kind):
                found[f"{kind.__module__}.{kind.__name__}"] = kind
    return found


@contextlib.contextmanager
def changed(kind, backward):
    """The operation with another derivative."""
    plain = vars(kind)["backward"]
    kind.backward = staticmethod(backward)
    try:
        yield
    finally:
        kind.backward = plain


@functools.cache
def checks():
    """(chapter, check, program, what torch prints) for every check."""
    return [
        (chapter, check, text, reference(chapter, check, text, SEED))
        for chapter in parts.chapters()
        for check, text in source.read("solutions", chapter.name).programs().items()
    ]


def printed(chapter, check, text):
    """What the check prints on the engine as it is; what the engine lacks comes from the solutions."""
    lacking = [place for place in chapter.places(check) if place.kind != "engine"]
    run = program.run_with(text, minigrad, SEED, lacking, solutions(chapter.name), seconds=20)
    return run.text + (f"\n{run.problem.message}" if run.problem else "")


@functools.cache
def reached():
    """Which checks call the derivative of which operation, and which inputs get a share: name -> (places, inputs)."""
    calls = defaultdict(set)
    shares = defaultdict(set)
    with contextlib.ExitStack() as undo:
        here = []
        for name, kind in operations().items():
            plain = kind.backward

            def counting(ctx, *grads, name=name, plain=plain):
                given = plain(ctx, *grads)
                calls[name].add(here[-1])
                shares[name].update(index for index, share in enumerate(as_tuple(given)) if share is not None)
                return given

            undo.enter_context(changed(kind, counting))
        for place, (chapter, check, text, wanted) in enumerate(checks()):
            here.append(place)
            assert alike(printed(chapter, check, text), wanted), check
    return {name: (calls[name], shares[name]) for name in calls}


def mutants(name):
    """Wrong derivatives of an operation: (what is wrong, backward)."""
    plain = operations()[name].backward

    def without_upstream(ctx, *grads):
        return plain(ctx, *(grad * 0 + 1 for grad in grads))

    def negated(ctx, *grads):
        return tuple(None if share is None else -share for share in as_tuple(plain(ctx, *grads)))

    def dropped(place, ctx, *grads):
        return tuple(None if index == place else share for index, share in enumerate(as_tuple(plain(ctx, *grads))))

    yield "the upstream gradient is ignored", without_upstream
    yield "the sign is wrong", negated
    for place in sorted(reached()[name][1]):
        yield f"input {place} gets no gradient", functools.partial(dropped, place)


def as_tuple(shares):
    return shares if isinstance(shares, tuple) else (shares,)


def survivors(name):
    """The mutants of an operation that no check notices."""
    for what, backward in [*mutants(name)]:
        with changed(operations()[name], backward):
            if all(alike(printed(*checks()[place][:3]), checks()[place][3]) for place in sorted(reached()[name][0])):
                yield what


def test_every_operation_of_the_chapters_is_reached_by_a_check():
    ideas = {name for name in operations() if name.rpartition(".")[0] in CHAPTERS}
    assert {name for name in ideas - set(reached()) if name.rpartition(".")[2] not in BENEATH} == set()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_broken_derivative_of_a_chapter_is_caught(chapter):
    names = [name for name in reached() if name.rpartition(".")[0] == chapter]
    assert {name: found for name in names if (found := [*survivors(name)])} == {}


def test_every_other_broken_derivative_that_a_check_reaches_is_caught():
    names = [name for name in reached() if name.rpartition(".")[0] not in CHAPTERS]
    assert {name: found for name in names if (found := [*survivors(name)])} == {}
