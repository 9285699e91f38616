"""What a submission can import: numpy and the common library, loaded before, and an engine, from text.

It needs the standard library and numpy: the worker loads this file by its path, with no package.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import marshal
import os
import site
import sys
import time
import types
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

ENGINE, PROGRAM = "minigrad", "minigrad_job"
BESIDE = "minigrad_course"  # whose modules a job needs beside the engine
DOOR = f"{ENGINE}.parts"  # by which a job puts answers into the engine, and answers nothing
TORCH = "torch"
SPOKEN = "MINIGRAD_TORCH"  # the judge's torch: the engine cannot see which one is installed
ROOM = ".compat."  # torch has cuda, which lies there, in its root
PACKAGE_FILE = ".__init__"

# Late imports can fail: the confined user may have no way to Python's own files. What only some versions of Python load
# with these is named too.
LIBRARY = """
    abc argparse array ast atexit base64 binascii bisect builtins bz2 calendar cmath codecs collections
    collections.abc colorsys concurrent.futures contextlib contextvars copy copyreg cProfile csv ctypes
    dataclasses datetime decimal difflib dis doctest encodings.ascii encodings.idna encodings.latin_1
    encodings.utf_16 encodings.utf_32 encodings.utf_8_sig enum errno faulthandler fcntl fileinput fnmatch fractions
    functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
    importlib.metadata importlib.resources inspect io ipaddress itertools json keyword linecache locale
    logging lzma marshal math mmap numbers opcode operator os os.path pathlib pickle pkgutil platform posix
    posixpath pprint pstats pwd py_compile pydoc queue quopri random re readline reprlib resource rlcompleter
    runpy sched secrets select selectors shelve shlex shutil signal site socket sre_compile sre_constants
    sre_parse stat statistics string stringprep struct subprocess symtable sys sysconfig tempfile textwrap
    threading time timeit token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest
    urllib.parse uuid warnings weakref zipfile zipimport zlib zoneinfo _strptime
    numpy numpy.ctypeslib numpy.dtypes numpy.exceptions numpy.fft numpy.lib.format numpy.lib.introspect
    numpy.lib.mixins numpy.lib.npyio numpy.lib.recfunctions numpy.lib.scimath numpy.lib.stride_tricks
    numpy.linalg numpy.ma numpy.ma.extras numpy.ma.mrecords numpy.polynomial numpy.random numpy.rec
    numpy.strings numpy.char numpy.testing numpy.typing
"""
ALLOWED = "only numpy, minigrad and common modules of the standard library can"


def plain_name(name: str) -> str:
    """The name of a module as it is imported."""
    return name.removesuffix(PACKAGE_FILE)


class NumpyFinder(importlib.abc.MetaPathFinder):
    """Finds numpy where the judge has it, and nothing else that is installed there."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "numpy":
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, [self.folder])


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the engine from text. A name below it that has no text does not exist."""

    def __init__(
        self, sources: Mapping[str, str], codes: Mapping[str, types.CodeType] = types.MappingProxyType({})
    ) -> None:
        self.names: dict[str, Any] = {}  # what every module finds in its globals
        self.sources = {plain_name(name): text for name, text in sources.items()}
        self.codes = {plain_name(name): code for name, code in codes.items()}
        self.packages = {plain_name(name) for name in sources if name.endswith(PACKAGE_FILE)} | {
            name.rpartition(".")[0] for name in self.sources
        }

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname in self.sources:
            place = self.get_filename(fullname)
            spec = importlib.util.spec_from_loader(fullname, self, origin=place)
            if spec is not None:
                spec.has_location = True  # gives the module a __file__, and inspect its source
            return spec
        if fullname.partition(".")[0] in (ENGINE, BESIDE):
            # not None: that would let Python look for an installed one
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None

    def is_package(self, fullname: str) -> bool:
        return fullname in self.packages

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module).update(self.names)
        super().exec_module(module)

    def get_source(self, fullname: str) -> str:
        if fullname not in self.sources:
            raise ImportError(f"There is no text of {fullname}.", name=fullname)
        return self.sources[fullname]

    def get_filename(self, fullname: str) -> str:
        end = "/__init__.py" if self.is_package(fullname) else ".py"
        return fullname.replace(".", "/") + end

    def get_code(self, fullname: str) -> types.CodeType:
        return self.codes[fullname]  # compiled by the judge


class LastFinder(importlib.abc.MetaPathFinder):
    """Says of what nobody found that it is missing here: on a student's own computer it may well be there."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> None:
        if sys._getframe(2).f_code.co_name == "_find_and_load_unlocked":  # an import, and no question whether it works
            # without a name `from urllib import request` says the same, and not that urllib has no such thing
            name = None if fullname.partition(".")[0] in sys.stdlib_module_names else fullname
            raise ModuleNotFoundError(f"{fullname!r} cannot be imported when graded; {ALLOWED}", name=name)


def load_library(numpy_folder: str) -> None:
    """Import numpy and everything that an honest cell may import, and use numpy once."""
    sys.meta_path.append(NumpyFinder(numpy_folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("numpy")
        for name in LIBRARY.split():
            try:
                importlib.import_module(name)
            except ImportError:
                continue  # a Python built without it: then no cell has it either
        site.sethelper()  # `help`, which Python started with -S lacks
        numpy = sys.modules["numpy"]
        for name in numpy.__all__:  # `from numpy import *` asks for all of them, and some are loaded late
            getattr(numpy, name, None)
        square = numpy.eye(2) @ numpy.eye(2)
        str(numpy.linalg.inv(square) + numpy.random.default_rng(0).random((2, 2)))
        time.strptime("2000", "%Y")


class Modules:
    """Modules from a message of the judge: their texts, their code, and of those of the engine all code by identity.

    `by_identity` makes such a table (see `lending.by_identity`). That of the shared modules is made once, before
    templates are forked: to walk through their code takes a tenth of what loading an engine does.
    """

    def __init__(self, message: Mapping[str, Any], by_identity: Any) -> None:
        self.sources: dict[str, str] = message["sources"]
        self.codes = {name: marshal.loads(code) for name, code in message["codes"].items()}
        self.by_identity = by_identity(code for name, code in self.codes.items() if is_engine(plain_name(name)))


def load_engine(lending: Any, *args: Modules) -> tuple[types.ModuleType, types.ModuleType]:
    """Load the engine and the module that runs a job; `lending` is the class of this name.

    What runs a job cannot be imported afterwards, nor can the engine's door: it has tools of its own, and an answer is
    to do without.
    """
    os.environ["MINIGRAD_FASTPATH"] = "0"  # run and watch the chapters' own code, nothing generated
    sources = {name: text for item in args for name, text in item.sources.items()}
    finder = SourceFinder(sources, {name: code for item in args for name, code in item.codes.items()})
    lends = lending(*(item.by_identity for item in args))
    finder.names = lends.names
    sys.meta_path.insert(0, finder)
    engine = importlib.import_module(ENGINE)
    for name in sorted(finder.sources):
        importlib.import_module(name)
    del os.environ["MINIGRAD_FASTPATH"]
    os.environ.pop(SPOKEN, None)
    program = sys.modules[PROGRAM]
    vars(program)["only_for"] = lends.only_for
    for name in [*filter(is_engine, finder.sources)]:
        # An answer may import torch for an annotation or for no_grad, and torch itself is not here.
        sys.modules[TORCH + name.removeprefix(ENGINE).replace(ROOM, ".")] = sys.modules[name]
    for name in [name for name in finder.sources if not is_engine(name)]:
        del finder.sources[name], finder.codes[name]
        vars(sys.modules.pop(name)).update({"__loader__": None, "__spec__": None})  # nobody quotes its lines
    vars(engine).pop(DOOR.rpartition(".")[2], None)
    sys.modules["__main__"] = types.ModuleType("__main__")  # not the worker
    sys.meta_path.append(LastFinder())
    sys.addaudithook(keep_code)
    return engine, program


def is_engine(name: str) -> bool:
    """Whether a module is one of the engine; the others run the job."""
    return name not in (PROGRAM, DOOR) and not f"{name}.".startswith(f"{BESIDE}.")


OF_CODE = ("__code__", "__defaults__", "__kwdefaults__")


def keep_code(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse other code, or other defaults, for a function of the engine: it would stay the same object."""
    if event in ("object.__setattr__", "object.__delattr__") and arguments[1] in OF_CODE:
        code = getattr(arguments[0], "__code__", None)
        if code is not None and code.co_filename.startswith(f"{ENGINE}/"):
            raise RuntimeError(f"{arguments[0].__qualname__} belongs to the engine: its {arguments[1]} cannot change")
