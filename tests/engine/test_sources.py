"""What the course is about, as programs with literal results: torch and minigrad print them, exactly.

Each row is a behaviour that the lessons teach. The programs run on both engines, whose texts must be equal to the
last character, and equal to the text written down here. `pytest -s` shows the table "row -> prints as torch does".
"""

import dataclasses

from engines import ENGINES, each_of, said

SECOND_TIME = (
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they "
    "have already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you "
    "need to access saved tensors after calling backward.\n"
)
NO_SCALAR = "RuntimeError: grad can be implicitly created only for scalar outputs\n"
NON_LEAF = (
    "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
    "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you "
    "access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.\n"
)


@dataclasses.dataclass(frozen=True)
class Row:
    """A behaviour: what it is, the lines that show it, and what they print."""

    name: str
    behaviour: str
    program: str
    prints: str


PAIR = (
    "a = torch.nn.Parameter(torch.tensor([[1., 1.], [2., 2.]])); "
    "b = torch.nn.Parameter(torch.tensor([[1., 2.], [1., 2.]]))"
)

ROWS = [
    Row(
        "A1",
        "scalar backwards accumulate into one leaf",
        "a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)\n"
        "for i in range(2): [(a[i, j] * a[i, j]).backward() for j in range(3)]\n"
        "a.grad",
        "tensor([[ 2.,  4.,  6.],\n        [ 8., 10., 12.]])\n",
    ),
    Row(
        "B1",
        "the mean of a small graph",
        "a = torch.ones(2, 3, requires_grad=True); b = a + 3; c = b * 3; out = c.mean()\n"
        "out\nout.backward()\na.grad\na.numel()",
        "tensor(12., grad_fn=<MeanBackward0>)\n"
        "tensor([[0.5000, 0.5000, 0.5000],\n        [0.5000, 0.5000, 0.5000]])\n6\n",
    ),
    Row(
        "B3",
        "saved values are freed; what saved nothing runs again and accumulates",
        "a = torch.ones(2, 3, requires_grad=True); out = ((a + 3) * 3 * a).mean()\n"
        "out.backward()\nout.backward()\n"
        "d = torch.tensor(1., requires_grad=True); e = torch.tensor(2., requires_grad=True); f = d + e\n"
        "f.backward()\nf.backward()\nd.grad, e.grad\n"
        f"{PAIR}\nc = (a - b).sum()\nc.backward()\nc.backward()\na.grad\nb.grad",
        f"{SECOND_TIME}(tensor(2.), tensor(2.))\n"
        "tensor([[2., 2.],\n        [2., 2.]])\ntensor([[-2., -2.],\n        [-2., -2.]])\n",
    ),
    Row(
        "B3 of 2017",
        "`retain_variables` is gone",
        "x = torch.tensor(1., requires_grad=True)\n(x * x).backward(retain_variables=True)",
        "TypeError: Tensor.backward() got an unexpected keyword argument 'retain_variables'\n",
    ),
    Row(
        "C3",
        "a matrix without `gradient`",
        "a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
        "b = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)\nc = a @ b\nc\nc.backward()",
        "tensor([[ 9., 12., 15.],\n        [19., 26., 33.]], grad_fn=<MmBackward0>)\n" + NO_SCALAR,
    ),
    Row(
        "D2",
        "backward(None) on a scalar is backward(1)",
        f"{PAIR}; c = (a - b).sum()\n"
        "c.backward(None)\na.grad\nb.grad\na.grad = None; b.grad = None\n"
        "c.backward(torch.tensor(1.))\na.grad\nb.grad\nc.backward(torch.FloatTensor([1.]))\nc.backward(1)",
        2
        * "tensor([[1., 1.],\n        [1., 1.]])\ntensor([[-1., -1.],\n        [-1., -1.]])\n"
        + "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of "
        "torch.Size([]).\nTypeError: 'int' object is not iterable\n",
    ),
    Row(
        "D3",
        "the root gradient weights the outputs",
        f"{PAIR}; c = a - b\nc.backward(torch.FloatTensor([[1, 2], [3, 4]]))\na.grad\nb.grad",
        "tensor([[1., 2.],\n        [3., 4.]])\ntensor([[-1., -2.],\n        [-3., -4.]])\n",
    ),
    Row(
        "D3'",
        "a matrix of weights does not fit a scalar",
        f"{PAIR}; c = (a - b).sum()\nc.backward(torch.FloatTensor([[1, 2], [3, 4]]))",
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 2]) and output[0] has a shape "
        "of torch.Size([]).\n",
    ),
    Row(
        "E1",
        "nothing requires grad",
        "a = torch.tensor(1.); b = torch.tensor(2.); c = a + b\nc\nprint(a.grad)\nc.backward()",
        "tensor(3.)\nNone\nRuntimeError: element 0 of tensors does not require grad and does not have a grad_fn\n",
    ),
    Row(
        "E2",
        "scalar leaves",
        "a = torch.tensor(1., requires_grad=True); b = torch.tensor(2., requires_grad=True); c = a + b\n"
        "c.backward()\nprint(c, a.grad, b.grad)\n"
        "a = torch.tensor(42., requires_grad=True); b = torch.tensor(99., requires_grad=True); c = a * b\n"
        "c.backward()\nc\nprint(a.grad, b.grad)\nprint(a.grad_fn, a.is_leaf, c.is_leaf)",
        "tensor(3., grad_fn=<AddBackward0>) tensor(1.) tensor(1.)\n"
        "tensor(4158., grad_fn=<MulBackward0>)\ntensor(99.) tensor(42.)\nNone True False\n",
    ),
    Row(
        "E3",
        "f = ab + cd²/e",
        "a, b, c, d, e = [torch.tensor(v, requires_grad=True) for v in (2., 4., 6., 8., 10.)]\n"
        "f = a * b + c * d**2 / e\nf\nf.backward()\n[x.grad for x in (a, b, c, d, e)]",
        "tensor(46.4000, grad_fn=<AddBackward0>)\n"
        "[tensor(4.), tensor(2.), tensor(6.4000), tensor(9.6000), tensor(-3.8400)]\n",
    ),
    Row(
        "E4",
        ".grad of a non-leaf warns and is None",
        "a, b, c, d, e = [torch.tensor(v, requires_grad=True) for v in (2., 4., 6., 8., 10.)]\n"
        "g = a * b; h = c * d**2 / e; (g + h).backward()\nprint(g.grad)\nprint(h.grad)",
        f"None\n{NON_LEAF}None\n{NON_LEAF}",
    ),
]


@each_of(row=ROWS)
def test_a_row_prints_as_torch_does(row: Row) -> None:
    texts = [said(row.program.splitlines(), engine) for engine in ENGINES]
    assert texts == [row.prints, row.prints]
    print(f"\n{row.name:<12}{row.behaviour:<72}prints as torch does")
