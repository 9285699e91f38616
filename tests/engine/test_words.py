"""Errors and warnings are torch's, word for word, and a warning points at the line of the person who wrote it."""

import subprocess
import sys
import types
import warnings

import numpy as np
import pytest
from engines import ENGINES, NATIVE, said

SETUP = "x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.])"
INTS = "t = torch.tensor([1, 2])"
SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor [2]] is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the "
    "operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
FLAGS = "you can only change requires_grad flags of leaf variables."
FLAGS_HINT = (
    f"{FLAGS} If you want to use a computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)
GRAD_DTYPE = (
    "attempting to assign a gradient with dtype 'long int' to a tensor with grad_dtype 'Float'. The gradient must "
    "match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute "
    "with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor "
    "and its gradient may break downstream systems that assume they match."
)
NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
    "1, -1, -1))` to reverse the dimensions of a tensor."
)
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)

# (lines that trigger it, what is said)
WORDS = [
    # backward
    ("c.sum().backward()", "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"),
    ("c.backward()", "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"),
    ("y.backward()", "RuntimeError: grad can be implicitly created only for scalar outputs"),
    (
        "y.backward(torch.ones(3))",
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
        "torch.Size([2]).",
    ),
    (
        "y.sum().backward(torch.ones(1))",
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of "
        "torch.Size([]).",
    ),
    ("y.backward([1., 1.])", "TypeError: gradients can be either Tensors or None, but got float"),
    ("y.sum().backward(1.0)", "TypeError: 'float' object is not iterable"),
    ("y.backward(np.ones(2))", "TypeError: gradients can be either Tensors or None, but got float64"),
    ("y.backward([])", "RuntimeError: got 1 tensors and 0 gradients"),
    ("z = (x**2).sum(); z.backward()\nz.backward()", f"RuntimeError: {SECOND_TIME}"),
    (
        "y.sum().backward(retain_variables=True)",
        "TypeError: Tensor.backward() got an unexpected keyword argument 'retain_variables'",
    ),
    # requires_grad
    (
        "torch.tensor([1, 2], requires_grad=True)",
        "RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
    ),
    (
        "torch.tensor([1, 2]).requires_grad_()",
        "RuntimeError: only Tensors of floating point dtype can require gradients",
    ),
    (
        f"{INTS}\nt.requires_grad = True",
        "RuntimeError: only Tensors of floating point and complex dtype can require gradients",
    ),
    ("y.requires_grad_(False)", f"RuntimeError: {FLAGS_HINT}"),
    ("y.requires_grad = True", f"RuntimeError: {FLAGS}"),
    ("y.requires_grad = False", f"RuntimeError: {FLAGS_HINT}"),
    # changes in place
    ("x += 1", "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."),
    ("x[0] = 5.", "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation."),
    ("z = x * c; c.add_(1)\nz.sum().backward()", f"RuntimeError: {CHANGED}"),
    ("z = x * c; c[0] = 3.\nz.sum().backward()", f"RuntimeError: {CHANGED}"),
    ("z = x**2; x.detach().add_(1)\nz.sum().backward()", f"RuntimeError: {CHANGED}"),
    (
        "c.add_(torch.ones(2, 2))",
        "RuntimeError: output with shape [2] doesn't match the broadcast shape [2, 2]",
    ),
    (f"{INTS}\nt.add_(.5)", "RuntimeError: result type Float can't be cast to the desired output type Long"),
    (
        "c[0] = torch.ones(2)",
        "RuntimeError: expand(torch.FloatTensor{[2]}, size=[]): the number of sizes provided (0) must be greater or "
        "equal to the number of dimensions in the tensor (1)",
    ),
    (
        "m = torch.ones(2, 3)\nm[0] = torch.ones(2)",
        "RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension "
        "0.  Target sizes: [3].  Tensor sizes: [2]",
    ),
    ("c[5] = 1.", "IndexError: index 5 is out of bounds for dimension 0 with size 2"),
    ("c[0] = 'one'", "TypeError: can't assign a str to a torch.FloatTensor"),
    # .grad
    ("y.grad", f"UserWarning: {NON_LEAF}"),
    (
        "x.grad = torch.ones(3)",
        "RuntimeError: attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the "
        "gradient and the tensor are the same size",
    ),
    ("x.grad = torch.tensor([1, 2])", f"RuntimeError: {GRAD_DTYPE}"),
    ("x.grad = [1., 2.]", "TypeError: assigned grad expected to be a Tensor or None but got grad of type list"),
    ("x.grad = x", "RuntimeError: can't assign Variable as its own grad"),
    (".1 * x.grad", "TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'"),
    # leaving the graph
    (
        "x.numpy()",
        "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    ("x.item()", "RuntimeError: a Tensor with 2 elements cannot be converted to Scalar"),
    ("torch.ones(2, 3).item()", "RuntimeError: a Tensor with 6 elements cannot be converted to Scalar"),
    ("bool(c)", "RuntimeError: Boolean value of Tensor with more than one value is ambiguous"),
    ("float(c)", "ValueError: only one element tensors can be converted to Python scalars"),
    ("r = torch.tensor(x)", f"UserWarning: {COPY}"),
    # Parameter
    (
        "torch.nn.Parameter(torch.tensor([1, 2]))",
        "RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
    ),
    ("torch.nn.Parameter([1., 2.])", "AttributeError: 'list' object has no attribute 'detach'"),
    # shapes and dtypes
    (
        "torch.ones(2, 3) @ torch.ones(2, 3)",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    ),
    ("torch.ones(2, 3) @ torch.ones(2)", "RuntimeError: size mismatch, got input (2), mat (2x3), vec (2)"),
    (
        "torch.ones(2) @ torch.ones(3)",
        "RuntimeError: inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, "
        "but got 2 and 3 elements respectively",
    ),
    (
        "torch.tensor(1.) @ c",
        "RuntimeError: both arguments to matmul need to be at least 1D, but they are 0D and 1D",
    ),
    (
        "torch.ones(2) + torch.ones(3)",
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    (
        "torch.ones(3, 2) > torch.ones(2, 1)",
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
    ),
    (
        "torch.ones(1, 2) @ torch.ones(2, 1, dtype=torch.float64)",
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != double",
    ),
    (
        "torch.tensor([1, 2]).mean()",
        "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
        "dtype. Got: Long",
    ),
    ("torch.ones(2)[5]", "IndexError: index 5 is out of bounds for dimension 0 with size 2"),
    ("torch.ones(2)[0, 0]", "IndexError: too many indices for tensor of dimension 1"),
    (
        "torch.tensor(1.)[0]",
        "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
        "convert a 0-dim tensor to a number",
    ),
    (
        "torch.ones(2, 3).sum(2)",
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    ),
    ("torch.tensor([[1., 2.], [3.]])", "ValueError: expected sequence of length 2 at dim 1 (got 1)"),
    ("len(torch.tensor(1.))", "TypeError: len() of a 0-d tensor"),
    ("list(torch.tensor(1.))", "TypeError: iteration over a 0-d tensor"),
    ("torch.tensor([2]) ** -1", "RuntimeError: Integers to negative integer powers are not allowed."),
    (
        "-torch.tensor([True])",
        "RuntimeError: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
        "mask, use the `~` or `logical_not()` operator instead.",
    ),
    (
        "c - torch.tensor([True, False])",
        "RuntimeError: Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
        "a mask, use the `~` or `logical_not()` operator instead.",
    ),
]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize(("program", "words"), WORDS, ids=[program for program, _ in WORDS])
def test_what_is_said(program: str, words: str, engine: types.ModuleType) -> None:
    assert said([SETUP, *program.splitlines()], engine, {"np": np}) == f"{words}\n"


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("line", ["y.grad", "torch.tensor(x)"])
def test_a_warning_points_at_the_line_that_caused_it(line: str, engine: types.ModuleType) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(f"{SETUP}\n\n{line}\n", "the student's file", "exec"), {"torch": engine})
    assert [(each.filename, each.lineno) for each in caught] == [("the student's file", 3)]


ONCE = """
import warnings
import {engine} as torch
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    for _ in range(2):
        x.T
        float(x[0])
        int(x[0])
for each in caught:
    print(each.filename == __file__, each.lineno, each.category.__name__)
    print(str(each.message).split({native!r})[0])
"""


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_two_warnings_come_once_in_a_process(engine: types.ModuleType, tmp_path) -> None:
    script = tmp_path / "once.py"
    script.write_text(ONCE.format(engine=engine.__name__, native=NATIVE))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ended.stdout == f"True 8 UserWarning\n{REVERSED}\nTrue 9 UserWarning\n{TO_SCALAR}\n"


FUNCTION = """
class {name}(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        {body}
"""

WRONG = [
    (
        "TwoIn",
        "return grad_output",
        "RuntimeError: function TwoInBackward returned an incorrect number of gradients (expected 2, got 1)",
    ),
    (
        "BadShape",
        "return np.ones(3) if isinstance(grad_output, np.ndarray) else torch.ones(3), grad_output",
        "RuntimeError: Function BadShapeBackward returned an invalid gradient at index 0 - got [3] but expected shape "
        "compatible with [2]",
    ),
]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize(("name", "body", "words"), WRONG, ids=[name for name, _, _ in WRONG])
def test_what_is_said_of_a_wrong_function(name: str, body: str, words: str, engine: types.ModuleType) -> None:
    function = engine.scalar.Function if hasattr(engine, "scalar") else engine.autograd.Function
    names = {"torch": engine, "np": np, "Function": function, "__name__": "student"}
    exec(FUNCTION.format(name=name, body=body), names)
    program = [SETUP, "d = torch.tensor([3., 4.], requires_grad=True)", f"{name}.apply(x, d).sum().backward()"]
    # The engine's own operations end in Backward0, as torch's built-in ones do.
    assert said(program, engine, names).replace("Backward0", "Backward") == f"{words}\n"


def test_what_minigrad_has_not_is_said_in_a_sentence() -> None:
    minigrad = ENGINES[1]
    texts = said([SETUP, "torch.fft", "x.fft", "y += 1", "x[0:1]", "x[()]"], minigrad).splitlines()
    assert texts == [
        "AttributeError: minigrad has no 'fft' (torch may have it)",
        "AttributeError: minigrad's Tensor has no attribute 'fft' (torch's may have)",
        "NotImplementedError: minigrad does not record changes in place yet: write x = x + 1 instead of x += 1 for a "
        "tensor inside a graph",
        "NotImplementedError: minigrad indexes tensors by integers only, not by slice(0, 1, None)",
        "NotImplementedError: minigrad indexes tensors by integers only, not by ()",
    ]
