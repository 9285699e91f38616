"""The common case of `scalar.apply`, `Function.pullback` and `saved.unpack`, generated for each operation.

A small network spends most of its time in Python. So when an operation is first applied, three functions are generated
for it: two from the templates below, with a line for each input instead of a loop, and a copy of `saved.unpack`. Each
operation has its own, because CPython is fast while an attribute access always meets the same class. They handle
tensors that are not views, of one floating dtype, with Python numbers; and an ordinary backward pass without hooks.
Everything else goes to the general methods, whose steps they follow in the same order. `switch(False)`, or
`MINIGRAD_FASTPATH=0` in the environment when this module is loaded, undoes everything, at the cost of speed. Two
shortcuts elsewhere ask whether it is on: a step of gradient descent in `operators`, and the few entries of a gradient
that `softmax.SparseGrad` stands for.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.arithmetic import errstate
from minigrad.compat import checks, inference
from minigrad.graph import freeing, nodes, owning, state
from minigrad.graph.multi_output import OutputGrads
from minigrad.passing import views
from minigrad.recording import record, saved
from minigrad.tensor import Tensor

# The lines between `for each input:` and `end` are repeated for each input (a_, b_, c_), with its name for @ and its
# place for #; `{…, }` joins its contents for all inputs, with a comma, `and` or `or`. Names in the template end in _,
# because an operation's settings may have any other name.

APPLY = """
def apply({@, }{settings}):
    recording_ = leaf.recording
    dtype_ = a_._array.dtype if isinstance(a_, Tensor) else None
    if dtype_ is not FLOAT and dtype_ is not DOUBLE:
        return general(operation, {@, }{given})
    for each input:
    edge_@ = made_@ = count_@ = None
    if isinstance(@, Tensor):
        x_@ = @._array
        if @._view is not None or x_@.dtype is not dtype_:
            return general(operation, {@, }{given})
        count_@ = @._counter
        if recording_:
            edge_@ = made_@ = @._made_by
            if edge_@ is None and @._requires_grad:
                edge_@ = @
    elif type(@) is float or type(@) is int:
        x_@ = @
    else:
        return general(operation, {@, }{given})
    end
    if idle is None or recording_:
        node_ = node_class()
        node_.saved = ()
        node_.needs_input_grad = ({edge_@ is not None, })
    else:
        node_ = idle
    token_ = set_state(IGNORE)
    try:
        output_ = forward(node_, {x_@, }{given})
    except ValueError:
        checks.demand_broadcast(({x_@, }))
        raise
    finally:
        reset_state(token_)
    if type(output_) is tuple:
        node_.edges = ({edge_@, })
        return record.result(node_, ({@, }), ({x_@, }), output_) if {edge_@ is not None or } else record.fresh(output_)
    result_ = new(Tensor)
    result_._array = output_
    result_._requires_grad = False
    result_._made_by = result_._view = result_._counter = result_._grad = result_._hooks = None
    if {edge_@ is not None or }:
        node_.edges = ({edge_@, })
        node_.dtype = found_ = output_.dtype
        if found_ is not dtype_ and found_.kind != "f":
            return result_
        node_.number = number_ = next(numbers)
        if {made_@ is not None and made_@.number < number_ & WINDOW or }:
            free_in_loop(node_)
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
            elif plain_ and {count} == 1 and kept_[0] is output_:
                node_.saved = (saved.of_result(result_),)
            else:
                saved.fill(node_, ({@, }), ({x_@, }), result_)
    elif not recording_:
        result_._counter = inference.counter
    return result_
"""

PULLBACK = """
def pullback(self, grad_output, retain_graph=False):
    if not state.ordinary or self._hooks is not None or self.saved is None or type(grad_output) is OutputGrads:
        return general(self, grad_output, retain_graph)
    {settle}
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
        if type(@) not in ARRAYS or @.shape != wish.shape or @.dtype is not wish.dtype:
            @ = record.fitted(@, wish, self, #)
    end
    if self.saved and not retain_graph:
        self.saved = None
    return [{@, }]
"""

EXACT_PULLBACK = """
def pullback(self, grad_output, retain_graph=False):
    if not state.ordinary or self._hooks is not None or self.saved is None:
        return general(self, grad_output, retain_graph)
    grads = self.backward(self, grad_output)
    if self.saved and not retain_graph:
        self.saved = None
    return grads if type(grads) is tuple else (grads,)
"""
# Our operations whose shares always have the inputs' shape and dtype: no check is needed.
EXACT = {"scalar.Neg", "scalar.Pow", "upstream.Mean", "upstream.Mm", "upstream.Sum", "ops.elementary.Relu"}


class Idle:
    """The ctx for `forward` when nothing is recorded, if the operation stores nothing on it except saved values."""

    needs_input_grad = (False, False)

    def save_for_backward(self, *values: Any) -> None:
        """Keep nothing."""


IDLE = {"scalar.Add", "scalar.Div", "scalar.Mul", "scalar.Neg", "scalar.Sub", "upstream.Mm", "ops.elementary.Relu"}


def unrolled(template: str, count: int) -> str:
    """The text of a template for a number of inputs."""

    def each(text: str) -> list[str]:
        names = ("a_", "b_", "c_")[:count]
        return [text.replace("@", name).replace("#", str(place)) for place, name in enumerate(names)]

    def joined(match: re.Match) -> str:
        return match[2].join(each(match[1])) + (", " if match[2] == ", " else "")  # (a, ) is also a tuple

    text = re.sub(r"\{([^{}]*[@][^{}]*?)(, | and | or )\}", joined, template)
    text = re.sub(r" *for each input:\n(.*?) *end\n", lambda found: "".join(each(found[1])), text, flags=re.DOTALL)
    return text.replace("{count}", str(count))


UNPACK = inspect.getsource(saved.unpack)

SHARED = {
    **{"ARRAYS": record.ARRAYS, "FLOAT": np.dtype("f4"), "DOUBLE": np.dtype("f8")},
    **{"IGNORE": errstate.IGNORE, "set_state": errstate.STATE.set, "reset_state": errstate.STATE.reset},
    **{"new": object.__new__, "numbers": state.numbers, "OutputGrads": OutputGrads, "Tensor": Tensor},
    **{"WINDOW": freeing.WINDOW, "free_in_loop": freeing.free_in_loop},
    **{
        module.__name__.rpartition(".")[2]: module for module in (checks, inference, leaf, owning, record, saved, state)
    },
}
_apply: Any = scalar.Function.apply.__func__  # type: ignore[attr-defined]


def _general(operation: Any, /, *inputs: Any, **settings: Any) -> Any:
    """The general `apply`; entries of a batch that run at once have rules instead."""
    if state.batched is not None and (result := state.batched(operation, inputs, settings)) is not None:
        return result
    return _apply(operation, *inputs, **settings)


_general.of_fastpath = True  # type: ignore[attr-defined]
_pullback: Any = scalar.Function.pullback


def prepare(operation: Any) -> None:
    """Give an operation its own functions when it is first applied, because then the inputs are known. One with its own
    `apply`, or with any number of inputs, keeps the general methods.
    """

    def first(*inputs: Any, **settings: Any) -> Any:
        names = [*inspect.signature(operation.forward).parameters.values()]
        if 0 < len(inputs) < 4 and all(name.kind is not name.VAR_POSITIONAL for name in names):
            give(operation, len(inputs), names[1 + len(inputs) :])
        else:
            operation.apply = classmethod(_general)  # not what a base has by now
        return _general(operation, *inputs, **settings)

    if not issubclass(operation, scalar.Function) or put_back(operation):
        return
    if is_foreign(operation) and operation.pullback in (_pullback, _of_view):
        vars(operation)["node"].pullback = _settling
    if is_general(operation.apply):
        first.of_fastpath = True  # type: ignore[attr-defined]
        operation.apply = staticmethod(first)


def is_general(apply: Any) -> bool:
    """Whether an operation's `apply` is ours: the general one, or one generated here."""
    return getattr(apply, "__func__", apply) is _apply or hasattr(apply, "of_fastpath")


def is_foreign(operation: Any) -> bool:
    """Whether the program has defined it: its `backward` may write to what arrives."""
    return not operation.__module__.startswith("minigrad.")


def _settling(self: Any, grad_output: Any, retain_graph: bool = False) -> Any:
    """The general pullback of such an operation."""
    owning.settle()
    return _pullback(self, grad_output, retain_graph)


def give(operation: Any, count: int, settings: list) -> None:
    """Generate the functions of an operation with this number of inputs and these settings."""
    head = ", ".join(["*", *[setting.name for setting in settings]]) if settings else ""
    text = unrolled(APPLY, count).replace("{settings}", head)
    text = text.replace("{given}", ", ".join([f"{setting.name}={setting.name}" for setting in settings]))
    name = f"{operation.__module__}.{operation.__name__}".removeprefix("minigrad.")
    own = {"operation": operation, "node_class": operation.node, "forward": operation.forward}
    own["idle"] = Idle() if name in IDLE else None
    apply = _compiled(text, "apply", general=_general, **own)
    apply.__kwdefaults__ = {
        setting.name: setting.default for setting in settings if setting.default is not setting.empty
    } or None
    apply.of_fastpath = True
    operation.apply = staticmethod(apply)
    operation.node.saved_tensors = property(_compiled(UNPACK, "unpack", **vars(saved)))
    if operation.pullback is _pullback and operation.vjp is scalar.Function.vjp:
        text = EXACT_PULLBACK if name in EXACT else unrolled(PULLBACK, count)
        text = text.replace("    {settle}\n", "    owning.settle()\n" if is_foreign(operation) else "")
        operation.node.pullback = _compiled(text, "pullback", general=_pullback)


def _compiled(text: str, name: str, **names: Any) -> Any:
    namespace = {**SHARED, **names}
    exec(compile(text, f"<fastpath: {name}>", "exec"), namespace)
    return namespace[name]


_of_view: Any = _compiled(unrolled(PULLBACK, 1).replace("    {settle}\n", ""), "pullback", general=_pullback)


def operations(above: Any = scalar.Function) -> Iterator[Any]:
    """All operations (not the classes of their nodes)."""
    for item in type.__subclasses__(above):
        if vars(item).get("node") is not None:
            yield item
            yield from operations(item)


GENERATED = ("pullback", "saved_tensors")  # for the class of an operation's nodes
_removed: weakref.WeakKeyDictionary[Any, tuple] = weakref.WeakKeyDictionary()


def remove(operation: Any) -> None:
    """Take away what an operation was given, and keep it for `put_back`."""
    own = vars(operation).get("apply")
    if hasattr(getattr(own, "__func__", None), "of_fastpath"):
        given = {name: vars(operation.node)[name] for name in GENERATED if name in vars(operation.node)}
        _removed[operation] = own, given, made_from(operation)
        del operation.apply
        for name in given:
            delattr(operation.node, name)


def put_back(operation: Any) -> bool:
    """Give an operation what was taken away, if it is still made from the same; whether it was."""
    own, given, parts = _removed.pop(operation, (None, {}, ()))
    if own is None or "apply" in vars(operation) or not is_general(operation.apply) or parts != made_from(operation):
        return False
    operation.apply = own
    for name, value in given.items():
        setattr(operation.node, name, value)
    return True


def made_from(operation: Any) -> tuple:
    """What the generated functions of an operation depend on."""
    return operation.node, operation.forward, operation.pullback, operation.vjp


def switch(on: bool) -> None:
    """Switch the fast path on or off; switching it off removes the generated functions."""
    nodes.set_prepare(prepare if on else None)
    change = prepare if on else remove
    if on:
        views.ViewFunction.pullback = _of_view  # type: ignore[method-assign]
    elif "pullback" in vars(views.ViewFunction):
        del views.ViewFunction.pullback
    for operation in [*operations()]:
        with contextlib.suppress(Exception):  # a program's class may refuse: then it stays as it is
            change(operation)


@contextlib.contextmanager
def off() -> Iterator[None]:
    """In the block everything goes through the general methods, so that they can be watched."""
    before = nodes.prepare is not None
    switch(False)
    try:
        yield
    finally:
        switch(before)


switch(os.environ.get("MINIGRAD_FASTPATH") != "0")
