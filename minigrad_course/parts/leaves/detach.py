"""The part `detach`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad import leaf
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("detach")


@mistake("a copy", "you copy the numbers: a change of the detached tensor does not reach the original")
def a_copy(tensor: Tensor) -> Tensor:
    return tensor.data.clone()


@mistake(
    "as data",
    "the two do not share their count of changes, as with `.data`: a change of a saved value goes unnoticed, and the "
    "gradient is silently wrong",
)
def as_data(tensor: Tensor) -> Tensor:
    return tensor.data


@mistake(
    "no list yet",
    "you take `tensor._counter` while it is still None: the two then make separate lists, and a change through one "
    "goes unnoticed by the other; `leaf.counter(tensor)` makes the list first",
)
def no_list_yet(tensor: Tensor) -> Tensor:
    constant = tensor.data
    constant._counter = tensor._counter
    return constant


@mistake("a clone", "you return a clone: it has its own memory, and it is still in the graph")
def a_clone(tensor: Tensor) -> Tensor:
    return tensor.clone()


@mistake("the tensor itself", "you return the tensor itself: it is still in the graph")
def the_tensor_itself(tensor: Tensor) -> Tensor:
    return tensor


@mistake("cuts the original", "you cut the tensor itself from the graph; leave it as it is")
def cuts_the_original(tensor: Tensor) -> Tensor:
    return tensor.detach_()


@mistake(
    "the other way round",
    "the tensor gets the list of the new one: its own count is lost, and tensors that shared it now count alone",
)
def the_other_way_round(tensor: Tensor) -> Tensor:
    constant = tensor.data
    tensor._counter = leaf.counter(constant)
    return constant


@mistake("nothing returned", "the function has no `return`: return the new tensor")
def nothing_returned(tensor: Tensor) -> None:
    pass


@mistake("switched off", "you set the flag of the tensor itself to False, which only a leaf allows; leave it as it is")
def switched_off(tensor: Tensor) -> Tensor:
    tensor.requires_grad = False
    return tensor


@mistake(
    "the number alone", "you give `_counter` the number instead of the list that holds it: only a list can be shared"
)
def the_number_alone(tensor: Tensor) -> Tensor:
    constant = tensor.data
    constant._counter = leaf.counter(tensor)[0]
    return constant


@mistake("calls itself", "`tensor.detach()` calls your own function again, endlessly: start with `tensor.data`")
def calls_itself(tensor: Tensor) -> Tensor:
    return tensor.detach()


part = Part(
    Place("detach", "engine", "detach", "minigrad.leaf"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "Start with `tensor.data`. What does it not share with the tensor?",
        "Put the tensor's list into the new one's `_counter`, and return the new one.",
        "`constant._counter = leaf.counter(tensor)`, where `constant` is `tensor.data`.",
    ),
    mistakes=tuple(mistake),
    probe="""
x, = leaves([1.0, 2.0])
for name, tensor in (("a leaf", x), ("a result", x * 2), ("a constant", torch.tensor([1.0, 2.0]))):
    found = tell(lambda: torch.leaf.detach(tensor), f"`detach` of {name}| ")
    tell(lambda: found.requires_grad, "`requires_grad` of what is returned| ")
    tell(lambda: tensor.requires_grad, "`requires_grad` of the tensor itself| ")
    tell(lambda: found.is_leaf, "`is_leaf` of what is returned| ")
    tell(lambda: torch.leaf.counter(found) is torch.leaf.counter(tensor), "whether both have the same `_counter`| ")
    tell(lambda: np.shares_memory(found.data.numpy(), tensor.data.numpy()), "whether both share their memory| ")
""",
)
