"""Chapter 1: the chain rule on a graph.

Every operation is a `Function` with two halves. `forward` computes the result and saves what the other half
needs. `backward` receives the upstream gradient dL/d(result) and returns dL/d(input) for each input: the upstream
gradient times the local derivative. Applying a Function makes a *node*, which points at the nodes (or leaves) that
made its inputs. Those pointers, the edges, are the graph.

`backpropagate` walks the graph from the end. A node may have several users, and each sends it a share; the rule is to
visit it once, after all of them, with the sum of the shares. A node is always created after the nodes it uses, so
"newest first" is such an order: no recursion, however deep the graph.

Everything else that real programs need (views, several results, hooks, double backward) is in `record`, `saved` and
`hooks`: this module says *when*, they say *how*.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.graph import array_ops, hooks, nodes, state
from minigrad.graph.multi_output import OutputGrads
from minigrad.recording import record, saved
from minigrad.tensor import Array, Shares, Tensor, Value, is_operand


class Function(nodes.Operation):
    """An operation with its derivative: static `forward(ctx, *inputs)` and `backward(ctx, grad_output)`.

    Both halves work on numpy arrays (and plain numbers where the program wrote one); `ctx` is the node, which carries
    saved values from one half to the other. In a recorded pass (`create_graph`) the same `backward` runs on Tensors,
    so write it with operators, methods, and the helpers in `graph.array_ops`.

    >>> class Double(Function):
    ...     @staticmethod
    ...     def forward(ctx, a):
    ...         return a * 2
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         return grad_output * 2
    >>> Double.apply(Tensor([3.]).requires_grad_())
    tensor([6.], grad_fn=<DoubleBackward0>)
    """

    __slots__ = nodes.SLOTS

    @classmethod
    def apply(cls, *inputs: Any, **settings: Any) -> Any:
        """Run `forward` on the inputs, Tensors and numbers, and record it; `settings` have no gradient and no edge."""
        return apply(cls, inputs, settings)

    def save_for_backward(self, *values: object) -> None:
        """Keep inputs or the result for `backward`, which frees them. They are guarded against changes in place."""
        self.saved = values

    # The values kept by `save_for_backward`. RuntimeError if they were freed, or changed in place since.
    saved_tensors = property(saved.unpack)

    def pullback(self, grad_output: nodes.Upstream, retain_graph: bool = False) -> list:
        """The vjp that the walk calls; hooks see it, if there are any.

        Returns one share per input, of the input's shape and dtype; None where no gradient is wanted.
        """
        if self._hooks is None and state.watcher is None and state.anomalies is None:
            return self.vjp(grad_output, retain_graph)
        return hooks.visit(self, grad_output, retain_graph)

    def vjp(self, grad_output: nodes.Upstream, retain_graph: bool = False) -> list:
        """dL/d(input) for each input from dL/d(result): run `backward`, then free the saved values."""
        saved.demand(self)
        arrived = grad_output.complete(self) if type(grad_output) is OutputGrads else (grad_output,)
        shares = record.shares(self, self.backward(self, *arrived))
        leaf.free(self, retain_graph)
        return shares


def apply(operation: type[nodes.Operation], inputs: tuple, settings: dict) -> Any:
    """The result of an operation. Where an input wants a gradient, it points at a node: edges and saved values."""
    node, values = record.begin(operation, inputs)
    node.edges = tuple([record.edge(value) for value in inputs])
    node.needs_input_grad = tuple([edge is not None for edge in node.edges])
    output = record.forward(node, values, settings)
    return record.result(node, inputs, values, output) if any(node.needs_input_grad) else record.fresh(output)


# --- the walk ------------------------------------------------------------------------------------


def topological_order(root: nodes.Place) -> list:
    """Every node and leaf that `root` reaches, each after all of its users.

    A node is created after the nodes it uses, so the order is "newest first". A leaf, whose number is 0, comes right
    after its oldest user, so that hooks of leaves run in torch's order.
    """
    place = {root: root.number}
    waiting = [root]
    for user in waiting:  # it grows while we loop over it
        number = user.number
        for target in user.edges:
            if target is None:
                continue
            if older := target.number:
                if target not in place:
                    place[target] = older
                    waiting.append(target)
            elif place.get(target, number) >= number:  # a leaf
                place.pop(target, None)
                place[target] = number  # inserted again, so after this user
    return sorted(place, key=place.__getitem__, reverse=True)


def backpropagate(root: nodes.Place, grad_output: nodes.Upstream, retain_graph: bool = False) -> None:
    """Send `grad_output` = dL/d(root) down the graph; every leaf accumulates what reaches it.

    A node is visited once, after all its users, with the sum of what they sent: dL/dn = Σ_users dL/du · du/dn.
    """
    arrived: dict[nodes.Place, Any] = {root: grad_output}
    for node in topological_order(root):
        total = arrived.pop(node, node.nothing)
        if total is None:
            continue  # its users sent it no gradient
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph)):  # noqa: B905  (one for each edge)
            if share is not None:
                arrived[target] = arrived[target] + share if target in arrived else share


# --- the operations ------------------------------------------------------------------------------


class Add(Function):
    """a + b: d/da = 1, d/db = 1. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: Array, b: Array) -> Array:
        return a + b

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return grad_output, grad_output


class Sub(Function):
    """a - b: d/da = 1, d/db = -1. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: Array, b: Array) -> Array:
        return a - b

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return grad_output, -grad_output if ctx.needs_input_grad[1] else None


class Neg(Function):
    """-a: d/da = -1. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: Array) -> Array:
        return -a

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return -grad_output


class Mul(Function):
    """a * b: d/da = b, d/db = a. Each is saved only if the other wants a gradient."""

    @staticmethod
    def forward(ctx: Function, a: Array, b: Array) -> Array:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a * b

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output * b if needs_a else None, grad_output * a if needs_b else None


class Div(Function):
    """a / b: d/da = 1/b, d/db = -a/b²."""

    @staticmethod
    def forward(ctx: Function, a: Array, b: Array) -> Array:
        needs_b = ctx.needs_input_grad[1]
        ctx.save_for_backward(a if needs_b else None, b)
        return a / b

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output / b if needs_a else None, -grad_output * (a / b / b) if needs_b else None


class Pow(Function):
    """a ** n for a number n: d/da = n · a^(n-1), and 0 for n = 0, even at a = 0."""

    @staticmethod
    def forward(ctx: Function, a: Array, exponent: float) -> Value:
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return array_ops.power(a, exponent)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (a,) = ctx.saved_tensors
        if not ctx.exponent:
            return array_ops.zeros(ctx.shape, ctx.dtype, grad_output)
        return grad_output * array_ops.power_slope(a, ctx.exponent)


# --- the operators that need no more than this ---------------------------------------------------


def plus(self: Tensor, other: object) -> Tensor:
    """self + other; for anything but a Tensor or a number, the other operand gets a try."""
    return Add.apply(self, other) if type(other) is Tensor or is_operand(other) else NotImplemented


def times(self: Tensor, other: object) -> Tensor:
    """self * other; for anything but a Tensor or a number, the other operand gets a try."""
    return Mul.apply(self, other) if type(other) in (Tensor, float) or is_operand(other) else NotImplemented


Tensor.__add__ = Tensor.__radd__ = plus
Tensor.__mul__ = Tensor.__rmul__ = times
