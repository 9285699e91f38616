"""The frequent case of `Function.apply` and `Function.pullback`, written out by a machine for each operation.

In a small network most of the time goes not into arithmetic but into Python: loops over two inputs, calls of the seams,
a list for what is a pair. So when an operation is applied for the first time, two functions are generated for it from
the templates below, with a line for each of its inputs instead of a loop. They treat the frequent case: tensors that
are no views, of one floating dtype, beside Python numbers; and backward, an ordinary pass without hooks. Anything else
they hand over to the general methods, whose steps they take one by one, in the same order.

Each operation gets functions of its own, because CPython learns at each attribute access for which class it is, and is
quick while that stays so.

The engine is complete without this module: `switch(False)` takes everything back, and only time is lost. So does
`MINIGRAD_FASTPATH=0` in the environment, which is read once.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import checks, errstate
from minigrad.runtime import nodes, record, saved, state
from minigrad.runtime.multi_output import OutputGrads
from minigrad.tensor import Tensor

# --- the templates -------------------------------------------------------------------------------
#
# The lines between `for each input:` and `end` stand there once for each input (a_, b_, c_), with its name for @ and
# its place for #; `{…, }` joins what is inside for all inputs, with a comma, `and` or `or`. A name of the template ends
# in _, as an operation's settings may have any other.

APPLY = """
def apply({@, }{settings}):
    recording_ = leaf.recording
    dtype_ = a_._array.dtype if isinstance(a_, Tensor) else None
    if dtype_ is not FLOAT and dtype_ is not DOUBLE:
        return general(operation, {@, }{given})
    for each input:
    edge_@ = count_@ = None
    if isinstance(@, Tensor):
        x_@ = @._array
        if @._view is not None or x_@.dtype is not dtype_:
            return general(operation, {@, }{given})
        count_@ = @._counter
        if recording_:
            edge_@ = @._made_by
            if edge_@ is None and @._requires_grad:
                edge_@ = @
    elif type(@) is float or type(@) is int:
        x_@ = @
    else:
        return general(operation, {@, }{given})
    end
    node_ = node_class()
    node_.saved = ()
    node_.edges = ({edge_@, })
    node_.needs_input_grad = ({edge_@ is not None, })
    token_ = set_state(IGNORE)
    try:
        output_ = forward(node_, {x_@, }{given})
    except ValueError:
        checks.demand_broadcast(({x_@, }))
        raise
    finally:
        reset_state(token_)
    if type(output_) is tuple:
        return record.result(node_, ({@, }), ({x_@, }), output_)
    result_ = new(Tensor)
    result_._array = output_
    result_._requires_grad = False
    result_._made_by = result_._view = result_._counter = result_._grad = result_._hooks = None
    if {edge_@ is not None or }:
        node_.dtype = output_.dtype
        if node_.dtype.kind != "f":
            return result_
        node_.number = next(numbers)
        node_.shape = output_.shape
        node_._hooks = None
        result_._made_by = node_
        kept_ = node_.saved
        if kept_:
            plain_ = state.packer is None and len(kept_) == {count}
            if plain_ and {(kept_[#] is None or kept_[#] is x_@) and }:
                for each input:
                saved_@ = None if kept_[#] is None else saved.of_input(@) if count_@ and count_@[0] else @
                end
                node_.saved = ({saved_@, })
            else:
                saved.keep(node_, ({@, }), ({x_@, }), result_)
    return result_
"""

PULLBACK = """
def pullback(self, grad_output, retain_graph=False):
    if not state.ordinary or self._hooks is not None or self.saved is None or type(grad_output) is OutputGrads:
        return general(self, grad_output, retain_graph)
    grads = self.backward(self, grad_output)
    if type(grads) is not tuple:
        grads = (grads,)
    if len(grads) != {count}:
        shares = record.shares(self, grads)
        leaf.free(self, retain_graph)
        return shares
    ({@, }) = grads
    ({edge_@, }) = self.edges
    for each input:
    if edge_@ is None:
        @ = None
    elif @ is not None:
        wish = edge_@ if edge_@.number else edge_@._array
        if type(@) not in ARRAYS:
            @ = record.fitted(@, wish, self, #)
        elif @.shape != wish.shape or @.dtype is not wish.dtype:
            @ = record.fit(@, wish, self, #)
    end
    leaf.free(self, retain_graph)
    return [{@, }]
"""


def unrolled(template: str, count: int) -> str:
    """The text of a template for so many inputs."""
    names = ("a_", "b_", "c_")[:count]

    def joined(match: re.Match) -> str:
        text, sign = match.groups()
        each = [text.replace("@", name).replace("#", str(place)) for place, name in enumerate(names)]
        return sign.join(each) + (", " if sign == ", " else "")  # (a, ) is a tuple, too

    def repeated(match: re.Match) -> str:
        return "".join([match[1].replace("@", name).replace("#", str(place)) for place, name in enumerate(names)])

    text = re.sub(r"\{([^{}]*[@][^{}]*?)(, | and | or )\}", joined, template)
    text = re.sub(r" *for each input:\n(.*?) *end\n", repeated, text, flags=re.DOTALL)
    return text.replace("{count}", str(count))


# --- what they become for one operation ----------------------------------------------------------

SHARED = {
    "ARRAYS": {np.ndarray, np.float32, np.float64},
    "FLOAT": np.dtype(np.float32),
    "DOUBLE": np.dtype(np.float64),
    "IGNORE": errstate.IGNORE,
    "set_state": errstate.STATE.set,
    "reset_state": errstate.STATE.reset,
    "new": object.__new__,
    "numbers": state.numbers,
    "OutputGrads": OutputGrads,
    "Tensor": Tensor,
    **{module.__name__.rpartition(".")[2]: module for module in (checks, leaf, record, saved, state)},
}
_apply: Any = scalar.Function.apply.__func__  # type: ignore[attr-defined]
_pullback: Any = scalar.Function.pullback


def prepare(operation: Any) -> None:
    """Let an operation get its own functions when it is applied for the first time: then the inputs are known.

    One that has an `apply` of its own, or takes any number of inputs, keeps to the general methods.
    """

    def first(*inputs: Any, **settings: Any) -> Any:
        names = [*inspect.signature(operation.forward).parameters.values()]
        if 0 < len(inputs) < 4 and all(each.kind is not each.VAR_POSITIONAL for each in names):
            give(operation, len(inputs), names[1 + len(inputs) :])
        else:
            del operation.apply
        return _apply(operation, *inputs, **settings)

    if not issubclass(operation, scalar.Function):
        return
    inherited = inspect.getattr_static(operation, "apply").__func__
    if inherited is _apply or hasattr(inherited, "of_fastpath"):
        first.of_fastpath = True  # type: ignore[attr-defined]
        operation.apply = staticmethod(first)


def give(operation: Any, count: int, settings: list) -> None:
    """Generate the functions of an operation with so many inputs and these settings."""
    names: dict[str, Any] = {"operation": operation, "node_class": operation.node, "forward": operation.forward}
    defaults = {each.name: each.default for each in settings if each.default is not each.empty}
    text = unrolled(APPLY, count).replace("{settings}", "".join([f"*, {each.name}, " for each in settings[:1]]
        + [f"{each.name}, " for each in settings[1:]]))  # fmt: skip
    text = text.replace("{given}", ", ".join([f"{each.name}={each.name}" for each in settings]))
    apply = _compiled(text, "apply", general=_apply, **names)
    apply.__kwdefaults__ = defaults or None
    apply.of_fastpath = True
    operation.apply = staticmethod(apply)
    if operation.pullback is _pullback and operation.vjp is scalar.Function.vjp:
        operation.node.pullback = _compiled(unrolled(PULLBACK, count), "pullback", general=_pullback)


def _compiled(text: str, name: str, **names: Any) -> Any:
    namespace = {**SHARED, **names}
    exec(compile(text, f"<fastpath: {name}>", "exec"), namespace)
    return namespace[name]


def operations(above: Any = scalar.Function) -> Iterator[Any]:
    """Every operation that there is (not the classes of their nodes)."""
    for each in type.__subclasses__(above):
        with contextlib.suppress(Exception):  # a program's class may object to being asked
            if vars(each)["node"] is not None:
                yield each
                yield from operations(each)


def switch(on: bool) -> None:
    """Whether operations get functions of their own; off, those that have some lose them."""
    nodes.prepare = prepare if on else None
    for each in [*operations()]:
        with contextlib.suppress(Exception):  # as above: it keeps what it has
            if on:
                prepare(each)
            elif hasattr(getattr(vars(each).get("apply"), "__func__", None), "of_fastpath"):
                del each.apply
                if "pullback" in vars(each.node):
                    del each.node.pullback


@contextlib.contextmanager
def off() -> Iterator[None]:
    """In the block everything goes through the general methods: for those who watch them."""
    before = nodes.prepare is not None
    switch(False)
    try:
        yield
    finally:
        switch(before)


switch(os.environ.get("MINIGRAD_FASTPATH") != "0")
