"""Chapter 1: the parts of the scalar engine, their hints, and the mistakes people make in them."""

from __future__ import annotations

import operator
from typing import Any

from minigrad import leaf, scalar
from minigrad.course.parts import Chapter, Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function
from minigrad.tensor import Tensor

mistake = Mistakes()


# --- mul -----------------------------------------------------------------------------------------


class SavesBoth(Function):
    """What the wrong versions of `*` share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b


@mistake("mul", "no upstream", "the local derivatives are returned alone, and the upstream gradient is forgotten")
class MulWithoutUpstream(SavesBoth):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b, a


@mistake("mul", "swapped", "the two gradients are swapped: d(ab)/da is b, not a")
class MulSwapped(SavesBoth):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output * a, grad_output * b


@mistake("mul", "one path", "only the first factor gets a gradient; a product has two inputs, and both need one")
class MulOneSided(SavesBoth):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _a, b = ctx.saved_tensors
        return grad_output * b, None


# --- pow -----------------------------------------------------------------------------------------


class SavesBase(Function):
    """What the wrong versions of `**` share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, exponent: Any) -> Any:
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return a**exponent


@mistake("pow", "no upstream", "the local derivative is returned alone, and the upstream gradient is forgotten")
class PowWithoutUpstream(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return ctx.exponent * a ** (ctx.exponent - 1)


@mistake("pow", "no factor", "the factor n is missing: the derivative of aⁿ is n·aⁿ⁻¹")
class PowWithoutFactor(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * a ** (ctx.exponent - 1)


@mistake("pow", "exponent kept", "the exponent is not lowered by one: the derivative of aⁿ is n·aⁿ⁻¹")
class PowExponentKept(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * ctx.exponent * a**ctx.exponent


@mistake("pow", "squares only", "the power is missing: n·a is right for squares only, the derivative of aⁿ is n·aⁿ⁻¹")
class PowOfSquares(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * ctx.exponent * a


@mistake("pow", "no brackets", "1 is subtracted from the power, because `**` binds before `-`: write `a ** (n - 1)`")
class PowWithoutBrackets(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * ctx.exponent * a**ctx.exponent - 1


# --- div -----------------------------------------------------------------------------------------


class SavesQuotient(Function):
    """What the wrong versions of `/` share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a / b


@mistake("div", "no upstream", "the local derivatives are returned alone, and the upstream gradient is forgotten")
class DivWithoutUpstream(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return 1 / b, -a / b**2


@mistake("div", "upstream once", "only one of the two local derivatives is multiplied by the upstream gradient")
class DivUpstreamOnce(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output / b, -a / b**2


@mistake("div", "swapped", "the two gradients are swapped: 1/b belongs to a, and -a/b² to b")
class DivSwapped(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return -grad_output * a / b**2, grad_output / b


@mistake("div", "no minus", "the minus sign of d(a/b)/db = -a/b² is missing: a larger divisor, a smaller quotient")
class DivWithoutMinus(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output / b, grad_output * a / b**2


@mistake("div", "no square", "b is not squared in d(a/b)/db = -a/b²")
class DivWithoutSquare(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output / b, -grad_output * a / b


# --- order ---------------------------------------------------------------------------------------


TOO_EARLY = "a node is listed before some of its users have had their turn: what they send later is lost"


def searched(root: Any, targets_of: Any) -> list:
    """What a search finds that looks first at what it found last, in the order in which it looks."""
    found: dict[Any, None] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting.extend(target for target in targets_of(node) if target is not None)
    return list(found)


@mistake("order", "depth first", TOO_EARLY)
def depth_first(root: Any) -> list:
    return searched(root, lambda node: reversed(node.edges))


@mistake("order", "depth first, last edge first", TOO_EARLY)
def last_edge_first(root: Any) -> list:
    return searched(root, lambda node: node.edges)


@mistake(
    "order",
    "breadth first",
    "nodes are listed by their distance from the end: the short way to a node is taken before the long one",
)
def breadth_first(root: Any) -> list:
    found = {root: None}
    waiting = [root]
    for node in waiting:
        for target in node.edges:
            if target is not None and target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


@mistake("order", "recursive", "the search calls itself, and Python allows only about a thousand calls inside calls")
def recursive(root: Any) -> list:
    found: set = set()
    finished: list = []

    def visit(node: Any) -> None:
        found.add(node)
        for target in node.edges:
            if target is not None and target not in found:
                visit(target)
        finished.append(node)

    visit(root)
    return finished[::-1]


@mistake(
    "order",
    "depth first, recursive",
    "a node is listed when the search enters it, before some of its users have had their turn; and the search calls "
    "itself, which Python allows only about a thousand times",
)
def depth_first_recursive(root: Any) -> list:
    found: dict[Any, None] = {}

    def visit(node: Any) -> None:
        found[node] = None
        for target in node.edges:
            if target is not None and target not in found:
                visit(target)

    visit(root)
    return list(found)


@mistake(
    "order",
    "no leaf reached",
    "no leaf is reached: the list has to begin with `root`, go from new to old, and end with the leaves",
)
def oldest_first(root: Any) -> list:
    return sorted(breadth_first(root), key=lambda node: node.number)


@mistake(
    "order",
    "found in a list",
    "a node is looked for with `in` in a list, by `==`: two leaves that hold the same number are then one; use a set",
)
def found_in_a_list(root: Any) -> list:
    found = [root]
    for node in found:
        found.extend(target for target in dict.fromkeys(node.edges) if target is not None and target not in found)
    return sorted(found, key=lambda node: -node.number)


@mistake(
    "order",
    "once for each use",
    "a leaf is listed behind each of its users, and so receives what they send in pieces; it belongs there once, "
    "behind all of them",
)
def once_for_each_use(root: Any) -> list:
    found = searched(root, lambda node: node.edges)
    listed = []
    for node in sorted([each for each in found if each.edges], key=lambda node: -node.number):
        listed.append(node)
        listed.extend(target for target in node.edges if target is not None and not target.edges)
    return listed


# --- walk ----------------------------------------------------------------------------------------


def walk(root: Any, grad_output: Any, retain_graph: bool, merge: Any = operator.add, shares_of: Any = None) -> None:
    """A walk that merges what users send by `merge(before, share)`; a node sends `shares_of(node, total)`."""
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        shares = shares_of(node, total) if shares_of else node.pullback(total, retain_graph)
        for target, share in zip(node.edges, shares, strict=True):
            if share is not None:
                arrived[target] = merge(arrived[target], share) if target in arrived else share


@mistake("walk", "last path wins", "what arrives on a second path overwrites what came on the first, instead of adding")
def last_path_wins(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, lambda before, share: share)


@mistake("walk", "first path wins", "only the first path to a node counts; every further one is ignored")
def first_path_wins(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, lambda before, share: before)


@mistake(
    "walk",
    "in place",
    "the sum is made in place with +=, which also changes the share of another target that was sent the same array",
)
def adds_in_place(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, operator.iadd)


@mistake("walk", "starts with 1", "the walk starts with 1 and not with the upstream gradient it was given")
def starts_with_one(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output * 0 + 1, retain_graph)


@mistake(
    "walk", "one total for all", "every node is handed `grad_output`, the gradient of the end, and not its `total`"
)
def one_total_for_all(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, shares_of=lambda node, _: node.pullback(grad_output, retain_graph))


@mistake(
    "walk",
    "always kept",
    "what the nodes have saved is kept, whatever `retain_graph` says, so that one more backward finds it still there",
)
def always_kept(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, True)


@mistake(
    "walk", "zero skipped", "a share of 0 is skipped like a None: `if share` asks if it is 0, `is not None` does not"
)
def zero_skipped(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    def shares_of(node: Any, total: Any) -> list:
        return [share if share is not None and share.any() else None for share in node.pullback(total, retain_graph)]

    walk(root, grad_output, retain_graph, shares_of=shares_of)


@mistake(
    "walk",
    "None added",
    "a share of None is added like the others: where no gradient is wanted the target is None, too, and leads nowhere",
)
def none_added(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph), strict=True):
            arrived[target] = arrived[target] + share if target in arrived else share


@mistake(
    "walk",
    "stops at None",
    "the first None ends the loop: `break` and `return` leave out the shares behind it, `continue` only this one",
)
def stops_at_none(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    def shares_of(node: Any, total: Any) -> list:
        shares = node.pullback(total, retain_graph)
        behind = shares.index(None) if None in shares else len(shares)
        return [share if place < behind else None for place, share in enumerate(shares)]

    walk(root, grad_output, retain_graph, shares_of=shares_of)


# --- accumulate ----------------------------------------------------------------------------------


@mistake("accumulate", "overwrites", "the second backward overwrites `.grad` instead of adding to it")
def overwrites(tensor: Any, grad: Any) -> None:
    tensor.grad = grad


@mistake("accumulate", "keeps the first", "`.grad` is set once, and later gradients are dropped")
def keeps_the_first(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad


@mistake("accumulate", "averages", "old and new gradient are averaged; torch adds them")
def averages(tensor: Any, grad: Any) -> None:
    tensor.grad = grad if tensor.grad is None else (tensor.grad + grad) / 2


@mistake(
    "accumulate",
    "in place",
    "the sum is made in place with +=, which also changes the gradient of another leaf that was given the same tensor",
)
def adds_to_the_same(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@mistake(
    "accumulate",
    "truth asked",
    "`if leaf.grad` asks whether the gradient is other than 0, which several numbers cannot answer; `is not None` asks "
    "whether there is one",
)
def truth_asked(tensor: Any, grad: Any) -> None:
    if tensor.grad:
        tensor.grad = tensor.grad + grad
    else:
        tensor.grad = grad


@mistake("accumulate", "zero dropped", "a gradient of 0 is dropped as if it were none: `.grad` is 0 then, and not None")
def zero_dropped(tensor: Any, grad: Any) -> None:
    if (grad != 0).all():
        tensor.grad = grad if tensor.grad is None else tensor.grad + grad


@mistake("accumulate", "returned", "the sum is returned, and `leaf.grad` never set: nobody keeps what is returned")
def returned(tensor: Any, grad: Any) -> Any:
    return grad if tensor.grad is None else tensor.grad + grad


# --- hypot ---------------------------------------------------------------------------------------


class SavesHypotenuse(Function):
    """What the wrong versions of hypot share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        h = (a * a + b * b) ** 0.5
        ctx.save_for_backward(a, b, h)
        return h


@mistake("hypot", "no upstream", "the local derivatives are returned alone, and the upstream gradient is forgotten")
class HypotWithoutUpstream(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, h = ctx.saved_tensors
        return a / h, b / h


@mistake("hypot", "inner derivative only", "the sides are not divided by h: the derivative of the root is missing")
class HypotWithoutRoot(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, _h = ctx.saved_tensors
        return grad_output * a, grad_output * b


@mistake("hypot", "half of the chain", "1/(2h) is not multiplied by the inner derivatives 2a and 2b")
class HypotWithoutInner(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _a, _b, h = ctx.saved_tensors
        return grad_output / (2 * h), grad_output / (2 * h)


@mistake(
    "hypot", "halved", "the 2 of 1/(2h) is still there: the inner derivatives 2a and 2b cancel it, which leaves a/h"
)
class HypotHalved(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, h = ctx.saved_tensors
        return grad_output * a / (2 * h), grad_output * b / (2 * h)


# --- repair --------------------------------------------------------------------------------------


@mistake(
    "repair",
    "cut",
    "the second backward() does not reach a and b, so the second line repeats the first",
)
def cut(torch: Any, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    torch.tensor((side_a**2 + side_b**2).item(), requires_grad=True).backward()
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "repair",
    "not reset",
    "the gradients of the area are still in `.grad` when those of the diagonal are added",
)
def not_reset(torch: Any, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    ((side_a**2 + side_b**2) ** 0.5).backward()
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "repair",
    "reset but cut",
    "`.grad` is reset, but the second backward() still does not reach a and b",
)
def reset_but_cut(torch: Any, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    side_a.grad = side_b.grad = None
    print("diagonal", side_a.grad, side_b.grad)


# --- the chapter ---------------------------------------------------------------------------------

chapter = Chapter(
    number=1,
    name="01_scalar_backward",
    together_points=3,
    parts=(
        Part(
            Place("mul", "engine", "Mul", "minigrad.scalar", node="MulBackward0"),
            points=1,
            minutes=4,
            difficulty=1,
            hints=(
                "Two inputs, so `backward` returns two gradients, in the order of the inputs.",
                "The share of a is `grad_output` times the local derivative to a. What is d(ab)/da? And d(ab)/db?",
                "d(ab)/da = b, so the first of the two is `grad_output * b`.",
            ),
            mistakes=mistake.of("mul"),
        ),
        Part(
            Place("pow", "engine", "Pow", "minigrad.scalar", node="PowBackward0"),
            points=1,
            minutes=4,
            difficulty=1,
            hints=(
                "Write down d(aⁿ)/da. Then ask what `grad_output` is for.",
                "d(aⁿ)/da = n · aⁿ⁻¹, times `grad_output`.",
            ),
            mistakes=mistake.of("pow"),
        ),
        Part(
            Place("div", "engine", "Div", "minigrad.scalar", node="DivBackward0"),
            points=2,
            minutes=6,
            difficulty=1,
            hints=(
                "Write a/b as a · b⁻¹. Then the product rule and the power rule give both derivatives.",
                "Both local derivatives are multiplied by `grad_output`.",
                "d(a/b)/da = 1/b and d(a/b)/db = -a/b².",
            ),
            mistakes=mistake.of("div"),
        ),
        Part(
            Place("order", "engine", "topological_order", "minigrad.scalar", once=True),
            points=3,
            minutes=15,
            difficulty=3,
            hints=(
                "First collect everything that can be reached: a set of what was found, and a list of what still "
                "waits to be looked at. Look at one, put its unseen targets on the list, repeat.",
                "Now put what you found in order. `number` says when a node was made. Which of two is older, a "
                "user or what it uses?",
                "Sort what you found by `number`, newest first: `sorted` takes `key` and `reverse`.",
            ),
            mistakes=mistake.of("order"),
        ),
        Part(
            Place("walk", "engine", "backpropagate", "minigrad.scalar"),
            points=3,
            minutes=12,
            difficulty=2,
            hints=(
                "Go through `node.edges` and the shares side by side: `zip` gives one pair per edge.",
                "Skip a pair whose share is None.",
                "If the target is in `arrived` already, put the sum there. If not, put the share there.",
            ),
            mistakes=mistake.of("walk"),
        ),
        Part(
            Place("accumulate", "engine", "accumulate", "minigrad.leaf"),
            points=2,
            minutes=5,
            difficulty=1,
            hints=(
                "Before the first backward `leaf.grad` is None.",
                "Set it the first time. Every later time set it to the old value plus `grad`.",
            ),
            mistakes=mistake.of("accumulate"),
        ),
        Part(
            Place("hypot", "operation", "hypot", node="HypotBackward0"),
            points=3,
            minutes=10,
            difficulty=2,
            hints=(
                "Write h = s^½ with s = a² + b², and use the chain rule. `** 0.5` is the root.",
                "dh/da = 1/(2h) · 2a = a/h, and dh/db is the same with b. So save a, b and h itself on the way "
                "forward.",
                "Both local derivatives are multiplied by `grad_output`.",
            ),
            mistakes=mistake.of("hypot"),
            twins=("minigrad.ops.ternary:hypot", "minigrad.ops.ternary:Hypot.forward"),
        ),
        Part(
            Place("repair", "program", "rectangle"),
            points=2,
            minutes=8,
            difficulty=2,
            hints=(
                "Print `diagonal.grad_fn`, and ask how a could be reached from there.",
                "`item()` gives a Python number, and no gradient can flow through a Python number. `square ** "
                "0.5` is a tensor and stays in the graph.",
                "The second fault is in what `.grad` still holds from the first `backward()`.",
            ),
            mistakes=mistake.of("repair"),
        ),
    ),
)
