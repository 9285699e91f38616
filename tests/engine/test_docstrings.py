"""What the engine says of itself is true: every example runs, every name has a sentence, every module a source."""

import ast
import doctest
import importlib.util
import inspect
import pkgutil
import types
from collections.abc import Iterator
from typing import Any

from engines import each_of

import minigrad
from minigrad import ops
from minigrad.ops import lazy
from minigrad.scalar import Function

NOT_THE_ENGINE = ("minigrad.__main__", "minigrad.course", "minigrad.runtime")  # a door, and old names
MODULES = [
    "minigrad",
    *sorted(
        each.name
        for each in pkgutil.walk_packages(minigrad.__path__, "minigrad.")
        if not each.name.startswith(NOT_THE_ENGINE)
    ),
]
PAGES = ("Mirrors https://docs.pytorch.org/docs/", "Mirrors https://numpy.org/doc/")


def is_definition(value: Any) -> bool:
    """True for a function or class; not for a module or a type such as Any."""
    return (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ != "typing"


def defined_in(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions and classes of a module, also those behind a decorator, with their names."""
    statements = ast.parse(inspect.getsource(module)).body
    classes = {each.name for each in statements if isinstance(each, ast.ClassDef)}  # some show themselves as torch's
    for name, value in list(vars(module).items()):
        if is_definition(value) and (name in classes or inspect.unwrap(value).__module__ == module.__name__):
            yield name, value


def members(kind: type, home: str) -> Iterator[tuple[str, Any]]:
    """The methods and properties that a class itself defines, with their names; not those that other modules add."""
    for name, value in list(vars(kind).items()):
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(function) and function.__module__ == home:
            yield name, value


def documented(module: types.ModuleType) -> Iterator[tuple[str, str]]:
    """The docstrings of a module: its own, those of its functions and classes, those of their methods."""
    yield module.__name__, module.__doc__ or ""
    for name, value in defined_in(module):
        yield name, value.__doc__ or ""
        if inspect.isclass(value):
            for method, member in members(value, module.__name__):
                yield f"{name}.{method}", member.__doc__ or ""


@each_of(name=MODULES)
def test_the_examples_are_true(name: str) -> None:
    module = importlib.import_module(name)
    runner, parser = doctest.DocTestRunner(verbose=False), doctest.DocTestParser()
    failed: list[str] = []
    for place, text in documented(module):
        known = {"torch": minigrad, **vars(module)}
        example = parser.get_doctest(text, known, place, None, None)
        runner.run(example, out=failed.append)
    assert not failed, "".join(failed)


def torch_has(name: str) -> bool:
    """True if torch has a module of this name."""
    try:
        return importlib.util.find_spec(name.replace("minigrad", "torch", 1)) is not None
    except (ModuleNotFoundError, ValueError):  # not even its parent, or an object of torch's, as torch.ops
        return False


@each_of(name=[name for name in MODULES if torch_has(name)])
def test_a_module_that_torch_has_too_names_the_page_it_mirrors(name: str) -> None:
    text = importlib.import_module(name).__doc__ or ""
    assert any(page in text for page in PAGES)


@each_of(name=MODULES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    silent = []
    for each, value in defined_in(importlib.import_module(name)):
        if each.startswith("_"):
            continue
        if not value.__doc__:
            silent.append(each)
        if inspect.isclass(value) and not issubclass(value, Function):  # a node's class says what its methods do
            public = [method for method, _ in members(value, name) if not method.startswith("_")]
            silent += [f"{each}.{method}" for method in public if not inspect.getdoc(getattr(value, method))]
    assert silent == []


def test_every_operation_says_what_it_does() -> None:
    lazy.load()
    functions = ops.functions
    assert [name for name in functions if callable(functions[name]) and not functions[name].__doc__] == []
