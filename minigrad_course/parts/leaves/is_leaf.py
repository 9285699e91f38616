"""The part `is_leaf`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad.scalar import Function
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("is_leaf")


@mistake(
    "constants left out",
    "you ask that a leaf requires grad; it need not: everything without a `grad_fn` is a leaf, including constants",
)
def constants_left_out(tensor: Tensor) -> bool:
    return tensor.requires_grad and tensor.grad_fn is None


@mistake(
    "the flag",
    "you call every tensor that requires grad a leaf; the result of an operation can require grad as well",
)
def the_flag(tensor: Tensor) -> bool:
    return tensor.requires_grad


@mistake("never", "you call nothing a leaf: `grad_fn` is None or a node, and no text")
def never(tensor: Tensor) -> bool:
    return False


@mistake("constants only", "you call only constants leaves; a tensor that you asked to require grad is also a leaf")
def constants_only(tensor: Tensor) -> bool:
    return not tensor.requires_grad


@mistake("upside down", "you call the tensors with a `grad_fn` leaves: those are exactly the ones that are not")
def upside_down(tensor: Tensor) -> bool:
    return tensor.grad_fn is not None


@mistake(
    "by its gradient",
    "you look at `tensor.grad`, and before it answers, the engine asks your function whether the tensor is a leaf, "
    "endlessly; besides, a leaf does not need to have a gradient",
)
def by_its_gradient(tensor: Tensor) -> bool:
    return tensor.grad is not None


@mistake("always", "you call everything a leaf; a tensor with a `grad_fn` is not one")
def always(tensor: Tensor) -> bool:
    return True


@mistake("nothing returned", "the function has no `return`: the answer is True or False")
def nothing_returned(tensor: Tensor) -> None:
    pass


@mistake("the node", "you return `grad_fn` itself instead of whether it is None")
def the_node(tensor: Tensor) -> Function | None:
    return tensor.grad_fn


part = Part(
    Place("is_leaf", "engine", "is_leaf", "minigrad.leaf"),
    points=1,
    minutes=3,
    difficulty=1,
    hints=(
        "Lesson 4 has the table. Which column always agrees with `is_leaf`?",
        "A constant is also a leaf, so `requires_grad` cannot decide. `grad_fn` does.",
        "A leaf is a tensor whose `grad_fn` is None.",
    ),
    mistakes=tuple(mistake),
    probe="""
x, = leaves([1.0, 2.0])
c = torch.tensor([1.0, 2.0])
for name, tensor in (
    ("a leaf that requires grad", x),
    ("a constant", c),
    ("a result of constants", c * 2),
    ("a result", x * 2),
    ("a sum", x.sum()),
    ("what `detach()` gives", (x * 2).detach()),
    ("a clone", x.clone()),
    ("integers", torch.tensor([1, 2])),
):
    tell(lambda: torch.leaf.is_leaf(tensor), f"`is_leaf` of {name}| ")
""",
)
