"""A program in the making: its lines, the tensors it has, and whether their text can be trusted.

Torch runs along while a program is written, so that the next line can use what is there. It runs along twice: the
second time every inexact number is moved by a few of its last bits. What then prints otherwise (a sum of almost
nothing, a comparison of two nearly equal numbers) hangs on rounding, which is not a matter of autograd: it is not
printed, and no later line reads it. So whatever a program does print, both engines must print.
"""

import contextlib
import io
import random
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable

import torch
from engines import NATIVE, run_line

from minigrad_course.programs.compare import alike

LARGE = 1e3  # larger numbers are printed, but no later line reads them
SMALL = 1e-3  # so are smaller ones, unless they are short in binary
ROUGHNESS = {torch.float32: 1e-6, torch.float64: 2e-15}  # how far an inexact number is moved, relative to its size
# Numbers whose text hangs on rounding, whatever made them: so small that they are what is left of a difference, or
# so large that their decimals are the last bits of a float32.
NOISE = re.compile(r"\de-(0[4-9]|[1-9]\d)|\d{5}\.\d*[1-9]|\d\.\d{3}[1-9]e\+(0[5-9]|[1-9]\d)")


class Unstable(Exception):
    """A line that changed something printed a text that hangs on rounding: the program ends before it."""


def graph(tensor: torch.Tensor, depth: int = 3) -> str:
    """The nodes that made a tensor, as text: each with its edges, and which result of the other node is meant."""

    def told(node: object, left: int) -> str:
        edges = [f"{told(other, left - 1)}.{index}" for other, index in node.next_functions] if node and left else []
        return f"{node and node.name()}({', '.join(edges)})"

    return told(tensor.grad_fn, depth)


NAMES = {"graph": graph}


def same(one: str, other: str) -> bool:
    """True if two texts differ in the last printed digits at most, whichever of them is the reference."""
    return one == other or (alike(one, other) and alike(other, one))


def readable(value: torch.Tensor) -> bool:
    """False for a view that torch refuses to speak about, after a change it does not allow."""
    try:
        return value.grad_fn is None or True
    except RuntimeError:
        return False


class Sheet:
    """The lines of a program, and the two runs of torch that go along with them."""

    def __init__(self, choices: random.Random | None = None):
        self.choices = choices or random.Random(0)
        self.lines: list[str] = []
        self.used: Counter[tuple[str, str]] = Counter()  # (operation, "grad" | "plain" | "error")
        self.plain: dict = {"torch": torch, **NAMES}
        self.moved: dict = dict(self.plain)
        self.usable: list[str] = []  # names of tensors with tame numbers
        self.others: dict[str, str] = {}  # names of other things (a module, an optimizer, a hook's handle) -> kind
        self.names = 0

    # Choices

    def one_of(self, choices: list | tuple) -> object:
        return choices[self.draw_place(len(choices))]

    def chance(self, one_in: int) -> bool:
        """True once in so many times."""
        return self.draw_place(one_in) == one_in - 1

    def draw_place(self, count: int) -> int:
        """A number from 0 on, below `count`."""
        return self.choices.randrange(count)

    def value(self, name: str) -> torch.Tensor:
        return self.plain[name]

    def named(self, fits: Callable[[torch.Tensor], bool] | None = None) -> str | None:
        """The name of a tensor that fits, preferably one that needs a gradient, or a recent one; None if none does."""
        names = [name for name in self.usable if fits is None or fits(self.value(name))]
        if not names:
            return None
        return self.one_of([*names, *names[-2:], *(name for name in names if self.value(name).requires_grad)])

    def fresh(self, letter: str = "t") -> str:
        self.names += 1
        return f"{letter}{self.names}"

    # Lines

    def said(self, line: str, names: dict) -> tuple[str, Exception | None]:
        """What a line prints on torch, and the error it raises."""
        printed = io.StringIO()
        failed = None
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                run_line(line, names)
            except Exception as error:
                failed = error
                print(f"{type(error).__name__}: {error}")
            for each in caught:
                print(str(each.message).split(NATIVE)[0])
        return printed.getvalue(), failed

    def run(self, line: str) -> Exception | None:
        """Run a line both times and append it. Gives back the error it raised."""
        state = torch.get_rng_state()
        text, error = self.said(line, self.plain)
        torch.set_rng_state(state)
        again, _ = self.said(line, self.moved)
        if NOISE.search(text) or (text != again and not alike(again, text)):
            raise Unstable
        self.lines.append(line)
        return error

    def show(self, *expressions: str) -> None:
        """Append a line that prints expressions, if the text can be trusted."""
        sure = [each for each in expressions if self.is_sure(each)]
        if sure:
            self.lines.append(", ".join(sure))

    def is_sure(self, expression: str) -> bool:
        """True if both runs print alike."""
        text, again = (self.said(expression, names)[0] for names in (self.plain, self.moved))
        return not NOISE.search(text) and same(text, again)

    def count(self, operation: str, name: str | None) -> None:
        """Note that a line used an operation; `name` has the result, None if it failed."""
        kind = "error" if name is None else "grad" if self.value(name).requires_grad else "plain"
        self.used[operation, kind] += 1

    def assign(self, expression: str, operation: str, exact: bool = False, letter: str = "t") -> str | None:
        """Give a new name to the value of an expression, a tensor, and print it. None if the expression fails.

        `exact` says that the operation does not round, whatever its inputs are.
        """
        name = self.fresh(letter)
        failed = self.run(f"{name} = {expression}")
        self.count(operation, None if failed else name)
        if failed:
            return None
        self.adopt(name, exact)
        return name

    def assign_several(self, expression: str, operation: str, count: int, exact: bool = False) -> list[str]:
        """The same for an expression with several results, each with a name of its own."""
        names = [self.fresh() for _ in range(count)]
        failed = self.run(f"{', '.join(names)}{',' * (count == 1)} = {expression}")
        self.count(operation, None if failed else names[0])
        if failed:
            return []
        for name in names:
            self.adopt(name, exact)
        return names

    def adopt(self, name: str, exact: bool = False, shown: tuple[str, ...] = ()) -> None:
        """A new tensor: move its last bits, print it (or what is to be shown of it), and use it if it is tame."""
        self.move(name, exact)
        self.usable.append(name)
        self.show(*(shown or (name,)))
        self.forget_wild(name)

    def move(self, name: str, exact: bool = False) -> None:
        """In the second run, move the last bits of a tensor's inexact numbers."""
        tensor = self.moved[name]
        if tensor.dtype not in ROUGHNESS or not tensor.numel() or 0 in tensor.stride():
            return
        with torch.no_grad():
            memory = tensor.data
            if exact:
                rough = (memory * 1024 % 1 != 0) & memory.isfinite()
                if not rough.any():
                    return
            source = torch.Generator().manual_seed(zlib.crc32(name.encode()) + len(self.lines))
            step = torch.rand(memory.shape, generator=source, dtype=memory.dtype) - 0.5
            step = (step + step.sign() / 2) * ROUGHNESS[memory.dtype]  # never next to nothing
            memory.mul_(1 + (step * rough if exact else step))

    def changed(self, *names: str) -> None:
        """Tensors were changed in place: move their last bits, print them, and forget all that are now wild."""
        for name in names:
            self.move(name, exact=True)
        self.show(*names)
        self.forget_wild()

    def forget_wild(self, *names: str) -> None:
        """Use only tensors whose numbers are of ordinary size, and whose text can be trusted."""
        asked = names or tuple(self.usable)
        self.usable = [name for name in self.usable if name not in asked or self.is_tame(name)]

    def forget(self, name: str) -> None:
        """Use a tensor no more."""
        self.usable = [each for each in self.usable if each != name]

    def is_tame(self, name: str) -> bool:
        if not readable(self.plain[name]):
            return False
        value, moved = self.plain[name].detach(), self.moved[name].detach()
        sizes = value.double().abs()
        tame = (sizes == 0) | ((sizes > SMALL) | (sizes * 1024 % 1 == 0)) & (sizes < LARGE)
        return bool(tame.all()) and (torch.equal(value, moved) or same(str(value), str(moved)))

    # What most statements need

    def gradients(self, *names: str) -> None:
        """Print the gradients of all tensors that keep one. What is infinite may hang on how 0 was rounded before."""
        values = [(name, self.value(name)) for name in names or self.plain if name.isidentifier()]
        tensors = [(name, value) for name, value in values if isinstance(value, torch.Tensor) and readable(value)]
        kept = [name for name, value in tensors if value.requires_grad and (value.is_leaf or value.retains_grad)]
        finite = [name for name in kept if (grad := self.value(name).grad) is None or grad.isfinite().all()]
        self.show(*(f"{name}.grad" for name in finite))
