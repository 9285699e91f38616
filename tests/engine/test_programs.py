"""Random programs, and every operation alone, print the same on torch and on minigrad.

hypothesis writes programs of chapter 1's scope line by line. While it writes, torch runs along, so that the next line
can use what is there: a matrix is transposed, a leaf is changed in place. Then both engines run the whole text. The
environment variable MINIGRAD_EXAMPLES sets the number of programs (500 by default).

Numbers are small integers and halves. A result that is large, tiny or not finite is printed, but not used further, so
that a difference in the last bit cannot grow into another format.
"""

import contextlib
import io
import os
import warnings

import pytest
import torch
from engines import assert_alike, run_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("MINIGRAD_EXAMPLES", "500"))
LONGEST = 14  # statements in a program, each with its prints

SHAPES = [(), (1,), (2,), (3,), (2, 1), (1, 3), (2, 3), (3, 2), (2, 2), (3, 3)]
HALVES = [-3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
NUMBERS = ["2", "3", "-1", "0.5", "1.5", "-2.0", "4", "0", "True"]
EXPONENTS = ["2", "3", "1", "0", "-1", "0.5", "2.0", "1.5", "-2", "-0.5"]
DTYPES = ["", "", "", "", ", dtype=torch.float64", ", dtype=torch.int64", ", dtype=torch.bool", ", dtype=torch.float32"]
FACTS = "{0}.shape, {0}.dtype, {0}.requires_grad, {0}.is_leaf"
NODE = "{0}.grad_fn and [{0}.grad_fn.name(), [(f and f.name(), i) for f, i in {0}.grad_fn.next_functions]]"


class Writer:
    """A program in the making: its lines, and what torch has in its names so far."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.lines: list[str] = []
        self.namespace = {"torch": torch}
        self.usable: list[str] = []  # names of tensors with tame numbers
        self.changeable: set[str] = set()  # those on memory that no recorded operation made
        self.shared: set[str] = set()  # those that share their memory

    def add(self, line: str) -> Exception | None:
        """Append a line, and run it on torch. Gives back the error it raised."""
        self.lines.append(line)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run_line(line, self.namespace)
            except Exception as error:
                return error
        return None

    def assign(self, expression: str) -> None:
        """Give a new name to the value of an expression, and print what it is."""
        name = f"t{len(self.lines)}"
        self.add(f"{name} = {expression}")
        value = self.namespace.get(name)
        if value is None:
            return  # the line raised an error
        self.add(name)
        self.add(FACTS.format(name))
        self.add(NODE.format(name))
        if tame(value):
            self.usable.append(name)
            if value.grad_fn is None:
                self.changeable.add(name)

    def assign_view(self, of: str, expression: str) -> None:
        self.shared |= {of, f"t{len(self.lines)}"}
        self.assign(expression)

    def one_of(self, choices: list) -> object:
        return self.draw(st.sampled_from(choices))

    def tensor(self) -> str:
        """The name of a tensor, preferably a recent one."""
        return self.one_of(self.usable + self.usable[-3:])

    def value(self, name: str) -> torch.Tensor:
        return self.namespace[name]

    def literal(self, shape: tuple[int, ...]) -> str:
        """Nested lists of numbers, written in Python."""
        if not shape:
            return repr(self.one_of(HALVES))
        return "[" + ", ".join(self.literal(shape[1:]) for _ in range(shape[0])) + "]"

    # The statements a program is made of

    def create(self) -> None:
        shape = self.one_of(SHAPES)
        grad = self.one_of(["", ", requires_grad=True", ", requires_grad=True"])
        kind = self.one_of(["tensor"] * 6 + ["zeros", "ones", "full", "FloatTensor", "ints", "bools"])
        if kind == "tensor":
            self.assign(f"torch.tensor({self.literal(shape)}{self.one_of(DTYPES)}{grad})")
        elif kind == "full":
            self.assign(f"torch.full({shape}, {self.one_of(NUMBERS)}{self.one_of(DTYPES)}{grad})")
        elif kind == "FloatTensor":
            self.assign(f"torch.FloatTensor({self.literal(shape or (1,))})")
        elif kind == "ints":
            self.assign(f"torch.tensor({self.literal(shape)}{grad})".replace(".0", "").replace(".5", ""))
        elif kind == "bools":
            self.assign(f"torch.tensor([True, {self.one_of(['True', 'False', '2', '0.5'])}])")
        else:
            self.assign(f"torch.{kind}({', '.join(map(str, shape)) or '()'}{self.one_of(DTYPES)}{grad})")

    def like(self) -> None:
        kind = self.one_of(["zeros_like", "ones_like"])
        self.assign(f"torch.{kind}({self.tensor()}{self.one_of(DTYPES)})")

    def arithmetic(self) -> None:
        a, sign = self.tensor(), self.one_of(["+", "-", "*", "/", "+", "*"])
        b = self.one_of([self.tensor(), self.tensor(), self.one_of(NUMBERS)])
        if self.one_of([True, False]):
            a, b = b, a
        self.assign(f"{a} {sign} {b}")
        self.note_mixed(a, b)

    def power(self) -> None:
        """`**` of numbers up to 4: the last bit of a large power is not the same in numpy and torch."""
        small = [name for name in self.usable if (self.value(name).detach().double().abs() <= 4).all()]
        if not small:
            return
        a = self.one_of(small)
        b = self.one_of([self.one_of(small), self.one_of(EXPONENTS), self.one_of(EXPONENTS)])
        if b in small and self.value(b).dtype is torch.bool:
            return  # torch's backward fails: it subtracts 1 from the bools
        if self.one_of([True, False, False, False]):
            a, b = self.one_of(["2", "0.5", "3.0", "1"]), a
        self.assign(f"{a} ** {b}")
        self.note_mixed(a, b)

    def note_mixed(self, *operands: str) -> None:
        """Do not change operands of several dtypes later: torch guards the operand, minigrad the copy that was cast."""
        values = [self.value(name) for name in operands if name in self.namespace]
        if any(value.requires_grad for value in values) and len({value.dtype for value in values}) > 1:
            self.changeable.difference_update(self.shared if self.shared & set(operands) else operands)

    def named(self) -> None:
        a, b = self.tensor(), self.tensor()
        number = self.one_of(NUMBERS)
        self.assign(
            self.one_of(
                [
                    f"torch.add({a}, {b})",
                    f"{a}.add({number})",
                    f"torch.sub({a}, {b})",
                    f"{a}.mul({b})",
                    f"torch.div({a}, 2)",
                    f"{a}.pow(2)",
                    f"torch.neg({a})",
                    f"torch.matmul({a}, {b})",
                    f"{a}.square()",
                    f"torch.sum({a})",
                    f"torch.mean({a})",
                ]
            )
        )
        self.note_mixed(a, b)

    def negate(self) -> None:
        a = self.tensor()
        if self.one_of([True, True, False]):
            self.assign(f"-{a}")
        else:
            self.assign_view(a, f"+{a}")

    def compare(self) -> None:
        b = self.one_of([self.tensor(), self.one_of(NUMBERS)])
        self.assign(f"{self.tensor()} {self.one_of(['==', '!=', '<', '<=', '>', '>='])} {b}")

    def reduce(self) -> None:
        a = self.tensor()
        dim = self.one_of(["", "", "0", "1", "-1", "dim=1", "(0, 1)", "2"])
        keepdim = self.one_of(["", "", ", keepdim=True"]) if dim else ""
        self.assign(f"{a}.{self.one_of(['sum', 'sum', 'mean'])}({dim}{keepdim})")

    def multiply(self) -> None:
        """`@`, more often than not with sizes that meet."""
        a, b = self.tensor(), self.tensor()
        for _ in range(4):
            if self.value(a).shape[-1:] == self.value(b).shape[:1] != ():
                break
            a, b = self.tensor(), self.tensor()
        self.assign(f"{a} @ {b}")

    def transpose(self) -> None:
        matrices = [name for name in self.usable if self.value(name).ndim == 2]
        if matrices:  # of other tensors torch warns, once per process
            a = self.one_of(matrices)
            self.assign_view(a, f"{a}.T")

    def index(self) -> None:
        a = self.tensor()
        self.assign_view(a, f"{a}[{self.one_of(['0', '1', '-1', '0, 1', '1, 0', '2', '-1, -1'])}]")

    def detach(self) -> None:
        a = self.tensor()
        self.assign_view(a, f"{a}.detach()")
        if a not in self.changeable:
            self.changeable.discard(self.usable[-1])

    def leave(self) -> None:
        """Python numbers, and the questions a tensor answers about itself."""
        a = self.tensor()
        questions = [
            "item()",
            "tolist()",
            "numel()",
            "dim()",
            "size()",
            "size(0)",
            "requires_grad",
            "is_leaf",
            "numpy()",
        ]
        self.add(
            self.one_of(
                [f"{a}.{self.one_of(questions)}", f"bool({a})", f"int({a})", f"len({a})", f"f'{{{a}}}'", f"[{a}, 1]"]
            )
        )

    def flag(self) -> None:
        """Change `requires_grad`, but not of shared memory: torch would take the views into the graph as well."""
        names = [name for name in self.usable if name not in self.shared]
        if not names:
            return
        a = self.one_of(names)
        self.add(self.one_of([f"{a}.requires_grad_()", f"{a}.requires_grad = True", f"{a}.requires_grad_(False)"]))
        self.add(FACTS.format(a))

    def backward(self) -> None:
        a = self.tensor()
        shape = tuple(self.value(a).shape)
        if self.one_of([True, False, False, False]):
            shape = self.one_of(SHAPES)
        retain = self.one_of(["", "", "retain_graph=True"])
        gradient = ""
        if shape or self.one_of([True, False, False]):
            gradient = f"torch.tensor({self.literal(shape)}{self.one_of(DTYPES)})"
            gradient = self.one_of([gradient] * 8 + ["", "None", "1.0", "[1.0, 1.0]"])
        call = f"{a}.backward({', '.join(filter(None, [gradient, retain]))})"
        for _ in range(self.one_of([1, 2])):
            error = self.add(call)
            names = [name for name in self.usable if self.value(name).requires_grad]
            for name in names:
                # A walk that stops half-way has filled the leaves that torch had reached: minigrad fills leaves last.
                self.add(f"{name}.grad" if error is None else f"{name}.grad = None")

    def change_gradient(self) -> None:
        leaves = [name for name in self.usable if self.value(name).grad_fn is None]
        if not leaves:
            return
        a, b = self.one_of(leaves), self.tensor()
        self.add(
            self.one_of([f"{a}.grad = None", f"{a}.grad = None", f"{a}.grad.zero_()", f"{a}.grad = {b}.detach() * 1"])
        )
        self.add(f"{a}.grad")

    def in_place(self) -> None:
        """Changes of constants, and the errors of leaves. Recorded changes are not in chapter 1."""
        names = [name for name in self.usable if name in self.changeable and self.value(name).grad_fn is None]
        if not names:
            return
        a = self.one_of(names)
        others = [name for name in self.usable if not self.value(name).requires_grad and name not in self.shared]
        b = self.one_of([*others, *NUMBERS])
        number = self.one_of(NUMBERS)
        self.add(
            self.one_of(
                [
                    f"{a} += {b}",
                    f"{a} -= {b}",
                    f"{a} *= {b}",
                    f"{a} /= {b}",
                    f"{a}.add_({b})",
                    f"{a}.zero_()",
                    f"{a}[0] = {b}",
                    f"{a}[0] = {number}",
                    f"{a}[-1, 0] = {number}",
                    f"{a}[5] = {number}",
                ]
            )
        )
        self.add(a)
        self.usable = [name for name in self.usable if tame(self.value(name))]

    def program(self) -> list[str]:
        """All lines: two tensors, some statements, a last backward."""
        while not self.usable:
            self.create()
        self.create()
        statements = [self.arithmetic] * 8 + [self.create, self.reduce, self.multiply, self.backward] * 3
        statements += [self.power, self.named, self.index, self.transpose, self.negate, self.compare, self.like] * 2
        statements += [self.detach, self.leave, self.flag, self.change_gradient, self.in_place]
        for statement in self.draw(st.lists(st.sampled_from(statements), min_size=2, max_size=LONGEST)):
            statement()
            if not self.usable:
                self.create()
        self.backward()
        return self.lines


def tame(value: torch.Tensor) -> bool:
    """True if every number is 0 or of an ordinary size, and small unless it is exact in few bits."""
    sizes = value.detach().double().abs()
    limit = torch.where(sizes * 64 % 1 == 0, 1e3, 8.0)
    return bool(((sizes == 0) | ((sizes > 1e-3) & (sizes < limit))).all())


@st.composite
def programs(draw: st.DrawFn) -> list[str]:
    return Writer(draw).program()


@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(programs())
def test_random_programs_print_what_torch_prints(lines: list[str]) -> None:
    assert_alike(lines)


# Every operation alone: leaves a and m (2, 3), v (3,), w (2,), s (no axes). The upstream gradient is not uniform.
LEAVES = [
    "a = torch.tensor([[1., -2., 0.5], [3., 0., -1.5]], requires_grad=True)",
    "m = torch.tensor([[2., 0.5, 1.], [0.25, 4., 8.]], requires_grad=True)",
    "v = torch.tensor([2., -1., 4.], requires_grad=True)",
    "w = torch.tensor([-3., 0.5], requires_grad=True)",
    "s = torch.tensor(2., requires_grad=True)",
]
OPERATIONS = [
    *(f"{a} {sign} {b}" for sign in "+-*/" for a, b in ["am", "mv", "va", "as", "sa", ("a", "2"), ("3", "m")]),
    *("a / a", "1 / a", "m / m", "-a", "+a", "a * a", "a + a", "a - a", "s + s * s"),
    *(f"a ** {n}" for n in ("0", "1", "2", "3", "-1", "-2", "2.0", "0.5", "-0.5", "1.5")),
    *("m ** a", "a ** v", "a ** a", "m ** s", "s ** m", "2 ** a", "0.5 ** v", "0 ** m", "0 ** a", "1 ** a"),
    *("a.sum()", "a.sum(0)", "a.sum(1)", "a.sum(-1, keepdim=True)", "a.sum((0, 1))", "s.sum()", "s.sum(0)"),
    *("a.mean()", "a.mean(0)", "a.mean(1)", "a.mean(0, keepdim=True)", "a.mean((0, 1))", "s.mean()"),
    *("a.T", "a.T * m.T", "v[1]", "a[0]", "a[1, 2]", "a[-1, 0]", "a[0] * a[1]"),
    *("v @ v", "v @ m[0]", "a @ v", "w @ a", "a @ m.T", "a.T @ m", "a.T @ w", "m @ m.T @ w", "a[0] @ v"),
]


@pytest.mark.parametrize("expression", OPERATIONS)
def test_every_operation_alone(expression: str) -> None:
    names: dict = {"torch": torch}
    for line in [*LEAVES, f"r = {expression}"]:
        run_line(line, names)
    size = names["r"].numel()
    weights = (
        torch.tensor([1.0, 10.0, 100.0, -2.0, 0.5, 3.0, -1.0, 20.0, 4.0][:size]).reshape(names["r"].shape).tolist()
    )
    gradients = ["a.grad", "m.grad", "v.grad", "w.grad", "s.grad"]
    assert_alike([*LEAVES, f"r = {expression}", "r", f"r.backward(torch.tensor({weights}))", *gradients])
