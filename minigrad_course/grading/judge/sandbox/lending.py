"""Only the check's program has anything differentiated, where the answers are operations.

An operation is asked for its own derivative and needs nobody else's. But the engine has some, for the rest of the
program. So each of them asks who wants it: nothing but the engine may stand between it and the program. And it works
for the nodes of calls that the program makes; to those belong the nodes that come from a `backward` in a pass of the
program, which may be recorded.

It needs the standard library only: the worker loads this file by its path.
"""

from __future__ import annotations

import abc
import contextlib
import inspect
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping

# functions of the engine: what calls an operation's `backward`, a pass over a graph, and what applies an operation
CALLS_BACKWARD, PASS, APPLIES = "Function.vjp", "backpropagate", "Function.apply"
NOTHING = compile("", "<nothing>", "exec")
NONE: Mapping[int, types.CodeType] = types.MappingProxyType({})


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a module or function, and that of all functions in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes_in(const)


def by_identity(codes: Iterable[types.CodeType]) -> dict[int, types.CodeType]:
    """All code in some modules. By identity: a file name or globals can be given to any code."""
    return {id(item): item for code in codes for item in codes_in(code)}


class Lending:
    """Who may have something differentiated: everybody, but within `only_for` a program it alone.

    `own` and `shared` are the code of the engine (see `by_identity`).
    """

    def __init__(self, own: Mapping[int, types.CodeType], shared: Mapping[int, types.CodeType] = NONE):
        self.own, self.shared = own, shared
        self.program: dict[int, types.CodeType] = {}
        self.answers: tuple[type, ...] = ()
        self.nodes: weakref.WeakValueDictionary[int, object] = weakref.WeakValueDictionary()

    @property
    def names(self) -> dict[str, Callable[..., object]]:
        """What the engine's modules call: see `strip.with_questions`."""
        return {"__lends__": self.lends, "__made__": self.made}

    @contextlib.contextmanager
    def only_for(self, program: types.CodeType, answers: Iterable[object]) -> Iterator[None]:
        """While the block runs, nothing but the code of a program has anything differentiated.

        Nobody has, if an answer passes a call on to an operation of the engine without code of its own.
        """
        self.answers = tuple(answer for answer in answers if isinstance(answer, type))
        others = any(map(self.is_another, self.answers))
        self.program = by_identity([NOTHING if others else program])
        try:
            yield
        finally:
            self.program, self.answers = {}, ()

    def lends(self, node: object = None) -> bool:
        """Whether the derivative that asks may be used; `node` is that of its operation."""
        if not self.program:
            return True
        frame = sys._getframe(1)
        if node is not None and self.calls(CALLS_BACKWARD, frame.f_back) and not self.belongs(node):
            return False
        passes = 0
        within: types.FrameType | None = frame
        while within is not None and self.is_engine(within.f_code):
            passes += self.calls(PASS, within)
            within = within.f_back
        return self.is_program(within) and passes <= 1  # a hook can be a function of the engine, and begin another

    def belongs(self, node: object) -> bool:
        """Whether a node is that of a call of the program, and no answer's."""
        return self.nodes.get(id(node)) is node and not any(map(type(node).__mro__.__contains__, self.answers))

    def is_another(self, answer: type) -> bool:
        """Whether a class is applied as another operation: by its metaclass, its method or the class of its nodes."""
        if type(answer) not in (type, abc.ABCMeta):
            return True
        node, apply = (inspect.getattr_static(answer, name, None) for name in ("node", "apply"))
        if isinstance(node, type) and answer not in node.__mro__:
            return True
        function = apply.__func__ if isinstance(apply, classmethod | staticmethod) else apply
        if type(function) is not types.FunctionType:  # a method is bound to another class
            return True
        return self.is_engine(function.__code__) and function.__code__.co_qualname != APPLIES

    def made(self, node: object) -> None:
        """Remember a node that belongs to a call of the program."""
        if not self.program:
            return
        frame = self.beyond_engine(sys._getframe(1))
        if self.is_program(frame) or self.is_backward(frame):
            self.nodes[id(node)] = node

    def is_backward(self, frame: types.FrameType | None) -> bool:
        """Whether a frame of an answer lies in its `backward`, called by a pass of the program."""
        while frame is not None and not self.is_engine(frame.f_code) and not self.is_program(frame):
            frame = frame.f_back
        return frame is not None and self.calls(CALLS_BACKWARD, frame) and self.is_program(self.beyond_engine(frame))

    def calls(self, name: str, frame: types.FrameType | None) -> bool:
        """Whether a frame is that of a function of the engine."""
        return frame is not None and frame.f_code.co_qualname == name and self.is_engine(frame.f_code)

    def beyond_engine(self, frame: types.FrameType | None) -> types.FrameType | None:
        """The first frame that is not the engine's, from a frame on outwards."""
        while frame is not None and self.is_engine(frame.f_code):
            frame = frame.f_back
        return frame

    def is_engine(self, code: types.CodeType) -> bool:
        """Whether code is the engine's."""
        return id(code) in self.own or id(code) in self.shared

    def is_program(self, frame: types.FrameType | None) -> bool:
        """Whether a frame is one of the program."""
        return frame is not None and id(frame.f_code) in self.program
