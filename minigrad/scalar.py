"""Chapter 1: the chain rule on a graph.

Every operation is a `Function` with two halves. `forward` computes the result and saves what the other half will
need. `backward` receives the upstream gradient dL/d(result) and returns dL/d(input) for each input: the upstream
gradient times the local derivative. Applying a Function makes a *node*, which points at the nodes (or leaves) that
made its inputs. Those pointers are the graph.

`backpropagate` walks the graph from the end. A node may have several users, and each sends it a share; the rule
is to visit it once, after all of them, with the sum of the shares. A node is always created after the nodes it
uses, so "newest first" is such an order: no recursion, however deep the graph.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes, errstate, messages
from minigrad.runtime import nodes, state
from minigrad.tensor import Tensor, constant

_new = object.__new__


class Function(nodes.Node):
    """An operation with its derivative. Subclasses give static `forward(ctx, *inputs)` and `backward(ctx, grad)`.

    Both halves work on numpy arrays (and plain Python numbers where the program wrote a number). `ctx` is the node
    of this application: it carries what is saved from one half to the other. Under `create_graph` the same
    `backward` runs on Tensors, so it is written with operators, methods and the helpers of
    `minigrad.runtime.array_ops`.
    """

    __slots__ = ("edges", "needs_input_grad", "saved", "versions", "number", "shape", "dtype", "_hooks", "__weakref__")
    node: Any  # the class of its nodes
    differentiable = True
    promotes = True  # inputs meet in one dtype before `forward`
    saves: tuple[str, ...] = ("self", "other")  # what torch calls the saved inputs, in their order
    _plain: Any = None  # of an operation of two inputs: what does the same where nothing is recorded
    exact = False  # whether `backward` makes gradients of the inputs' shapes and dtypes, which need not be checked
    nothing: Any = None  # what it is visited with if no gradient arrives; None: it is not

    edges: tuple  # for each input: the node that made it, the leaf itself, or None (no gradient wanted)
    needs_input_grad: tuple[bool, ...]
    saved: tuple | None
    versions: tuple | None  # of the saved tensors when they were saved; None if none of them had been changed
    number: int  # creation number: newer nodes have larger ones
    shape: tuple  # of the result, and so of the upstream gradient; of each, if there are several
    dtype: np.dtype
    _hooks: Any  # what the program wants to be told (see chapter 4); None for most nodes

    def __init_subclass__(cls, *, name: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "node" not in cls.__dict__:
            cls.node = nodes.NodeClass(name or f"{cls.__name__}Backward0")

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:
        """The result of the operation on arrays."""
        raise NotImplementedError("a Function needs a static method forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """dL/d(input) for every input, from grad_output = dL/d(result), of the result's shape."""
        raise NotImplementedError(messages.NO_BACKWARD)

    @classmethod
    def apply(cls, *inputs: Any, **settings: Any) -> Any:
        """Run `forward` on the inputs (Tensors and numbers); record a node if a gradient is wanted.

        `settings` are handed to `forward` as they are: they have no gradient, and no edge in the graph. Where
        `forward` returns a tuple, every entry becomes a Tensor, and all of them share the node.
        """
        values, edges, recorded = cls.operands(inputs)
        ctx = _new(cls.node)
        if recorded:
            ctx.saved, ctx.versions = (), None
        ctx.needs_input_grad = tuple([recorded and target is not None for target in edges])
        token = errstate.STATE.set(errstate.IGNORE)  # torch does not warn about 1/0 or overflow
        try:
            output = cls.forward(ctx, *values, **settings)
        except ValueError:
            checks.demand_broadcast(values)  # if the shapes are the reason, say so in torch's words
            raise
        finally:
            errstate.STATE.reset(token)
        if type(output) is tuple:
            return several(ctx, output, edges if recorded else None, inputs, values)
        result = constant(output)
        if recorded and output.dtype.kind == "f":
            ctx.edges = edges
            ctx.number = next(state.numbers)
            ctx.shape, ctx.dtype = output.shape, output.dtype
            ctx._hooks = None
            result._made_by = ctx
            if ctx.saved:
                remember(ctx, inputs, values, result)
        return result

    @classmethod
    def operands(cls, inputs: tuple) -> tuple[list, tuple, bool]:
        """The inputs as arrays and numbers; where their gradients go; whether the result is recorded."""
        values: list = []
        edges: list = []
        first = None
        one_dtype = True
        wanted = False
        recording = leaf.recording and cls.differentiable
        for each in inputs:
            target = None
            if isinstance(each, Tensor):
                value = each._array
                if first is None:
                    first = value.dtype
                elif value.dtype is not first:
                    one_dtype = False
                if recording:
                    target = each._made_by if each._view is None else each._source()
                    if target is None and each._requires_grad:
                        target = each
                    # of a view that was taken without a record: recorded from here on, but its gradient goes nowhere
                    wanted = wanted or target is not None or (each._view is not None and each.requires_grad)
            else:
                kind = type(each)
                value = each if kind is float or kind is int else dtypes.plain(each)
                if first is None or (kind is not int and first.kind != "f"):
                    one_dtype = False
            values.append(value)
            edges.append(target)
        if not one_dtype and cls.promotes:
            values = dtypes.promoted(values)
        return values, tuple(edges), wanted

    def save_for_backward(self, *values: Any) -> None:
        """Keep inputs or the result for `backward`. They are freed by it, and guarded against changes in place."""
        self.saved = values

    @property
    def saved_tensors(self) -> tuple:
        """What `save_for_backward` kept. RuntimeError once it is freed, or changed in place since."""
        values, guarded = [], False
        for each in nodes.freed(self) if self.saved is None else self.saved:
            if each is not None and isinstance(each, Tensor):
                counter = each._counter
                if counter is not None and counter[0]:
                    guarded = True
                values.append(each._array)
            else:
                values.append(each)
        if guarded:
            leaf.check_versions(self)
        if checks.detached:
            checks.demand_attached(self)
        if leaf.recording:  # create_graph: this backward is itself recorded, so it gets Tensors
            nodes.demand_inside_pass(self)
            values = [each.made_by(self) if isinstance(each, SavedOutput) else each for each in self.kept()]
        return tuple(values)

    def kept(self) -> tuple:
        """The saved values as they are. RuntimeError, in torch's words, once they are freed."""
        if self.saved is None:
            raise RuntimeError(messages.SECOND_TIME)
        return self.saved

    def pullback(self, grad_output: Any, retain_graph: bool = False) -> list:
        """dL/d(input) for each input, of that input's shape and dtype; frees the saved values on the way.

        None stands where no gradient is wanted, or the operation gives none. RuntimeError if `backward` returns
        another number of gradients than there are inputs, or one whose shape cannot belong to its input.
        """
        if state.ordinary and self._hooks is None:
            return self.shares(grad_output, retain_graph)
        return self.watched(grad_output, retain_graph)

    def watched(self, grad_output: Any, retain_graph: bool) -> list:
        """`pullback` with those who watch the gradient pass, and outside a backward pass."""
        if leaf.recording and isinstance(grad_output, (np.ndarray, np.generic)):  # called by hand, outside a pass
            with leaf.no_grad():
                return hooks.visit(self, grad_output, retain_graph)
        return hooks.visit(self, grad_output, retain_graph)

    def shares(self, grad_output: Any, retain_graph: bool = False) -> list:
        """`pullback` without those who watch: the mathematics, the freeing and the checks."""
        if self.saved is None:
            self.kept()  # a node whose `backward` never asks for them refuses a second time as well
        if type(grad_output) is OutputGrads:
            grads = self.backward(self, *grad_output.complete(self))
        else:
            grads = self.backward(self, grad_output)
        if type(grads) is not tuple:
            grads = (grads,)
        edges = self.edges
        if len(grads) != len(edges):
            grads = self.without_settings(grads)
        shares: list = []
        for target, grad in zip(edges, grads):  # noqa: B905  (one per edge: made sure of above)
            if target is None or grad is None:
                shares.append(None)
                continue
            wish = target._array if isinstance(target, Tensor) else target
            try:
                fits = grad.shape == wish.shape and grad.dtype is wish.dtype
            except AttributeError:  # a Python number
                fits = False
            shares.append(grad if fits else upstream.fit(grad, wish, self, len(shares)))
        leaf.free(self, retain_graph)
        return shares

    def without_settings(self, grads: tuple) -> tuple:
        """The gradients without those None that stand for a setting, as torch has it; a setting has no edge."""
        expected, got = len(self.edges), len(grads)
        if got < expected or any(each is not None for each in grads[expected:]):
            raise RuntimeError(messages.WRONG_COUNT.format(self.name(), expected, got))
        return grads[:expected]

    @property
    def next_functions(self) -> tuple:
        """torch's view of the edges: one pair (node, which of its results) per input, (None, 0) for a constant."""
        return tuple([nodes.seen(each) for each in self.edges])

    def roles(self) -> list[str]:
        """What torch calls each of the saved values: `self`, `other`, `result`."""
        names = (*self.saves, *(f"saved{place}" for place in range(len(self.saves), len(self.kept()))))
        return [
            "result" if isinstance(each, SavedOutput) else name for name, each in zip(names, self.kept(), strict=False)
        ]

    def name(self) -> str:
        """The node's name, as `MulBackward0`."""
        return type(self).__name__


class SavedOutput(Tensor):
    """A saved result: its memory alone. The Tensor itself points at the node, and would close a cycle."""

    __slots__ = ("index",)

    def made_by(self, node: Function) -> Tensor:
        """The result again, as the tensor that `node` made."""
        again = Tensor._of(self._array)
        again._made_by, again._counter = node, self._counter
        return again


def as_result(tensor: Tensor, index: int = 0) -> SavedOutput:
    """What a node keeps of its own result number `index`."""
    result: Any = _new(SavedOutput)
    result._array, result._counter, result.index = tensor._memory(), leaf.counter(tensor), index
    result._requires_grad = False
    result._made_by = result._view = result._grad = result._hooks = None
    return result


def remember(node: Function, inputs: tuple, values: Sequence[Any], result: Tensor) -> None:
    """Keep the saved values as the Tensors they belong to: so changes are seen, and their graph is there if wanted."""
    saved: list = []
    changed = False
    for value in node.saved:  # type: ignore[union-attr]
        if value is not None:
            for given, owner in zip(values, inputs):  # noqa: B905  (one value for each input)
                if value is given:
                    value = owner
                    break
            else:
                if value is result._array:
                    value = as_result(result)
            if isinstance(value, Tensor) and value._counter is not None and value._counter[0]:
                changed = True
        saved.append(value)
    node.saved = tuple(saved)
    if changed:
        node.versions = leaf.versions(node.saved)


# --- several results -----------------------------------------------------------------------------


def several(ctx: Function, arrays: tuple, edges: tuple | None, inputs: tuple, values: list) -> tuple:
    """A Tensor for each of the results, all made by one node."""
    results = tuple([Tensor._of(np.asarray(each)) for each in arrays])
    if edges is not None:
        ctx.edges, ctx.number, ctx._hooks = edges, next(state.numbers), None
        ctx.shape, ctx.dtype = tuple([each.shape for each in arrays]), arrays[0].dtype
        for index, result in enumerate(results):
            if result._array.dtype.kind == "f":
                result._made_by = Output(ctx, index, result._array)
        remember(ctx, inputs, values, results[0])
    return results


# --- the walk ------------------------------------------------------------------------------------


def topological_order(root: Any) -> list:
    """Every node and leaf that `root` reaches, each after all of its users.

    A node is created after what it uses, so the order is "newest first". A leaf comes right after its oldest user.
    """
    place = {root: root.number}
    waiting = [root]
    for user in waiting:  # it grows while we walk along it
        number = user.number
        for target in user.edges:
            if target is None:
                continue
            if older := target.number:
                if target not in place:
                    place[target] = older
                    waiting.append(target)
            elif target not in place:  # a leaf
                place[target] = number
            elif place[target] > number:
                del place[target]
                place[target] = number  # put in anew, and so behind this user
    return sorted(place, key=place.__getitem__, reverse=True)


def backpropagate(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    """Send `grad_output` = dL/d(root) down the graph; every leaf accumulates what reaches it.

    A node is visited once, after all its users, with the sum of what they sent: dL/dn = Σ_users dL/du · du/dn.
    """
    arrived = {root: grad_output}
    for node in topological_order(root):
        total = arrived.pop(node, None)
        if total is None:
            total = node.nothing
            if total is None:
                continue  # its users had no gradient for it
        if not node.number:  # a leaf
            leaf.receive(node, total)
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph)):  # noqa: B905
            if share is not None:
                arrived[target] = arrived[target] + share if target in arrived else share


# --- the operations ------------------------------------------------------------------------------


class Add(Function):
    """a + b: d/da = 1, d/db = 1. Nothing is saved."""

    __slots__ = ()
    _plain = operator.add

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return a + b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output, grad_output


class Sub(Function):
    """a - b: d/da = 1, d/db = -1. Nothing is saved."""

    __slots__ = ()
    _plain = operator.sub

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return a - b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output, -grad_output if ctx.needs_input_grad[1] else None


class Neg(Function):
    """-a: d/da = -1. Nothing is saved."""

    __slots__ = ()
    exact = True

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return -a

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return -grad_output


class Mul(Function):
    """a * b: d/da = b, d/db = a."""

    __slots__ = ()
    _plain = operator.mul

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a * b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output * b if needs_a else None, grad_output * a if needs_b else None


class Div(Function):
    """a / b: d/da = 1/b, d/db = -a/b²."""

    __slots__ = ()
    _plain = operator.truediv

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_b = ctx.needs_input_grad[1]
        ctx.save_for_backward(a if needs_b else None, b)
        return a / b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output / b if needs_a else None, -grad_output * (a / b / b) if needs_b else None


class Pow(Function):
    """a ** n for a number n: d/da = n · a^(n-1), and 0 for n = 0, even at a = 0."""

    __slots__ = ("exponent",)
    exact = True

    @staticmethod
    def forward(ctx: Any, a: Any, exponent: Any) -> Any:
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return array_ops.power(a, exponent)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        n = ctx.exponent
        if n == 2 and not isinstance(a, Tensor):
            return grad_output * (a + a)
        return (
            grad_output * (n * array_ops.power(a, n - 1))
            if n
            else array_ops.zeros(a.shape, array_ops.raw(a).dtype, grad_output)
        )


# The walk hands over to the later chapters, which build on Function.
from minigrad import leaf, upstream  # noqa: E402
from minigrad.compat import checks  # noqa: E402
from minigrad.runtime import array_ops, hooks  # noqa: E402
from minigrad.runtime.multi_output import Output, OutputGrads  # noqa: E402
