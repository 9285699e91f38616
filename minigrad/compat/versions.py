"""What changed from one torch to the next, and which torch minigrad speaks.

`import minigrad` looks which torch is installed, without importing it, and prints what that version prints; without
torch it speaks the newest. `MINIGRAD_TORCH=2.14` in the environment decides otherwise. `CHANGES` is the one table of
differences: an operation asks `changed("clamp_number_bound")`, and nothing else in the engine knows a version. The page
"What changed in torch's gradients" is made from the table, with the programs in `tests/conformance/changes`.
This module needs the standard library alone, so that it can be read without the engine.
Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping

KNOWN = ("2.13", "2.14", "2.15")  # oldest first
VARIABLE = "MINIGRAD_TORCH"
PULL, ISSUE = "https://github.com/pytorch/pytorch/pull/", "https://github.com/pytorch/pytorch/issues/"


class Change:
    """A difference between versions of torch.

    name: what an operation asks for, and the name of the program that shows it
    since: the first version that has it; until: the first that has it no more, None while it holds
    title: a heading; before, after: what torch does without the change, and with it
    topics: the functions, or the nodes, of which a reader would ask
    sources: addresses of issues and pull requests
    asked: False where no operation asks, because it follows from another row, or minigrad has it not
    here: False for what minigrad has not
    """

    def __init__(
        self,
        kind: str,
        since: str,
        title: str,
        before: str,
        after: str,
        topics: str,
        sources: tuple[str, ...] = (),
        until: str | None = None,
        asked: bool = True,
        here: bool = True,
    ) -> None:
        self.name = ""  # filled in below
        self.kind, self.since, self.until, self.title = kind, since, until, title
        self.before, self.after, self.topics = before, after, tuple(topics.split())
        self.sources, self.asked, self.here = sources, asked and here, here

    def holds(self, version: str) -> bool:
        """Whether a known version, as "2.14", has the change."""
        place = KNOWN.index(version)
        return KNOWN.index(self.since) <= place and (self.until is None or place < KNOWN.index(self.until))

    def says(self, version: str) -> str:
        """What torch does in a known version, in a sentence."""
        return self.after if self.holds(version) else self.before

    @property
    def anchor(self) -> str:
        """The place of the row on the page `docs/changes.md`."""
        return self.name.replace("_", "-")


CHANGES = {
    # gradients
    "clamp_number_bound": Change(
        "gradients",
        "2.14",
        "`clamp` at its bound, a number",
        "An entry that equals the bound counts as inside: its gradient is 1.",
        "An entry that equals the bound counts as clamped: its gradient is 0.",
        "clamp clip clamp_min clamp_max ClampBackward1 ClampMinBackward0 ClampMaxBackward0",
        (ISSUE + "184572", ISSUE + "184574", PULL + "191142", ISSUE + "195931"),
    ),
    "clamp_then_sqrt": Change(
        "gradients",
        "2.14",
        "A root behind `clamp(min=0)`",
        "At 0 the infinite slope of the root goes through the clamp: the gradient is inf.",
        "At 0 the clamp drops what comes back to it, even inf: the gradient is 0.",
        "sqrt SqrtBackward0",
        (PULL + "191142", "https://github.com/kornia/kornia/issues/4229"),
        asked=False,
    ),
    "clamp_tensor_bound": Change(
        "gradients",
        "2.14",
        "`clamp` at its bound, a tensor",
        "At a tie the input gets the whole gradient, and the bound gets 0.",
        "At a tie with one of the bounds, it and the input get half each. Where the input and both bounds are equal, "
        "the input still gets all. Beside nan both get all of it, which counts it twice.",
        "clamp clip clamp_min clamp_max ClampBackward0 ClampMinBackward1 ClampMaxBackward1",
        (PULL + "191142", PULL + "185927"),
    ),
    "fmax_ties": Change(
        "gradients",
        "2.14",
        "`fmax` and `fmin` of equal numbers",
        "The first gets the whole gradient, and the second gets 0.",
        "Each gets half, as with `maximum`.",
        "fmax fmin FmaxBackward0 FminBackward0",
        (PULL + "191142",),
    ),
    "fmax_counts_nan": Change(
        "gradients",
        "2.14",
        "`fmax` and `fmin` of a number and nan",
        "The number is the result, and gets the whole gradient; the nan gets 0.",
        "Both get the whole gradient, so it is counted twice.",
        "fmax fmin FmaxBackward0 FminBackward0",
        (PULL + "193035",),
        until="2.15",
    ),
    "losses_at_the_margin": Change(
        "gradients",
        "2.14",
        "Losses with a margin, at the margin exactly",
        "The gradient is that of the part below the margin.",
        "The gradient is 0: the losses are made with `clamp_min`.",
        "hinge_embedding_loss margin_ranking_loss HingeEmbeddingLoss MarginRankingLoss",
        (PULL + "191142",),
        asked=False,
    ),
    "clamp_forward_mode": Change(
        "gradients",
        "2.14",
        "`clamp` at its bound, in forward mode",
        "`torch.func.jvp` gives 1, as `backward` does.",
        "`torch.func.jvp` gives 0, as `backward` does.",
        "jvp",
        (PULL + "191142",),
        asked=False,
    ),
    "bessel_functions": Change(
        "gradients",
        "2.15",
        "Bessel functions of `torch.special`",
        "`bessel_j0` and its relatives make no node; `i1` and `i1e` of float16 have no derivative.",
        "All of them can be differentiated.",
        "i1 i1e bessel_j0 bessel_j1 modified_bessel_i0 modified_bessel_i1",
        here=False,
    ),
    # names of nodes
    "fills_at_one_index": Change(
        "nodes",
        "2.15",
        "`x[mask] = number` and `x[list] = number`",
        "The node is `IndexPutBackward0`.",
        "With one mask it is `MaskedFillBackward0`, with one list or tensor of int64 `IndexFillBackward0`: what runs "
        "is `masked_fill_` or `index_fill_`.",
        "IndexPutBackward0 MaskedFillBackward0 IndexFillBackward0 index_put_",
        (ISSUE + "57515",),
    ),
    "fills_by_number": Change(
        "nodes",
        "2.15",
        "`x[0] = number`",
        "The number becomes a tensor, and that an input: `FillBackward3` for the whole tensor, and an empty edge.",
        "The number is none of the inputs: `FillBackward2`, as for `fill_`. An expanded tensor can be filled.",
        "FillBackward2 FillBackward3 CopySlices setitem",
    ),
    "unsafe_view_of_linear": Change(
        "nodes",
        "2.15",
        "`nn.Linear` of a stack of matrices",
        "With a bias, the node is `ViewBackward0`.",
        "The node is `UnsafeViewBackward0`, as it is without a bias.",
        "linear Linear ViewBackward0 UnsafeViewBackward0",
    ),
    "matmul_folds_size_one": Change(
        "nodes",
        "2.14",
        "A stack with an axis of size 1 times a vector or a matrix",
        "The stride of that axis decides as well whether one tall matrix is made of the stack: a transposed stack "
        "of one matrix, or of columns, is multiplied by `BmmBackward0`.",
        "Its stride is ignored, so more stacks are taken as one tall matrix: `MmBackward0` or `MvBackward0`.",
        "BmmBackward0 MvBackward0",
        (ISSUE + "186148", PULL + "186178"),
    ),
    "group_norm_of_strides": Change(
        "nodes",
        "2.14",
        "`group_norm` of a tensor that is not contiguous",
        "A contiguous copy comes first: a `CloneBackward0` below `NativeGroupNormBackward0`.",
        "The copy is made inside, and is no node.",
        "group_norm GroupNorm NativeGroupNormBackward0",
        (PULL + "186414",),
    ),
    "combinations_by_index": Change(
        "nodes",
        "2.14",
        "`combinations`",
        "The node is `StackBackward0`.",
        "The node is `IndexBackward0`.",
        "combinations",
        here=False,
    ),
    # values
    "arange_counts_floats": Change(
        "values",
        "2.14",
        "`arange` of floats in int64",
        "The limits and the step are cut to integers first: `arange(0, 5.5, dtype=torch.int64)` has 5 entries.",
        "The entries are counted before that, as in the other dtypes: it has 6.",
        "arange",
    ),
    "floats_cut_first": Change(
        "values",
        "2.14",
        "A float that becomes an integer",
        "It is checked before its digits are cut: 127.5 is too large for int8, and 2.0 ** 63 fits into int64.",
        "It is cut first: 127.5 becomes 127, and 2.0 ** 63 is too large.",
        "tensor full fill_ as_tensor",
    ),
    "linspace_of_float16": Change(
        "values",
        "2.15",
        "`linspace` in float16",
        "The step and its multiples are rounded to float16: `linspace(0, 1, 4)` has 0.6670 for two thirds.",
        "They are computed in float32, and only the results are rounded: it has 0.6665.",
        "linspace",
    ),
    # errors and warnings
    "bools_not_implemented": Change(
        "errors",
        "2.14",
        "Operations that refuse bools",
        "`-`, `relu`, `hardtanh` and unary `+` raise RuntimeError.",
        "They raise NotImplementedError. It is a RuntimeError, so `except RuntimeError` still catches it.",
        "sub neg relu hardtanh positive cov trapezoid",
        (PULL + "192348",),
    ),
    "old_factorizations_removed": Change(
        "errors",
        "2.14",
        "`torch.cholesky` and `torch.qr`",
        "They work, with a warning that they are deprecated.",
        "They raise RuntimeError and name their successors, `torch.linalg.cholesky` and `torch.linalg.qr`.",
        "cholesky qr",
        (PULL + "186817", PULL + "186815"),
    ),
    "jit_script_warns": Change(
        "errors",
        "2.14",
        "`torch.jit.script`",
        "It gives a DeprecationWarning, which Python hides outside `__main__`.",
        "It gives a FutureWarning, which you see even where torch itself calls it, as in forward mode.",
        "jit script",
        here=False,
    ),
    "dtypes_not_implemented": Change(
        "errors",
        "2.15",
        "Operations that refuse integers",
        "`mean`, `std`, `var`, `norm`, `argmax` of bools and the functions of `linalg` raise RuntimeError.",
        "They raise NotImplementedError, which is a RuntimeError.",
        "mean std var norm nanmean argmax argmin topk std_mean var_mean vector_norm cholesky det inv qr slogdet svd",
    ),
    "products_say_their_name": Change(
        "errors",
        "2.15",
        "Shapes that do not fit in a product of matrices",
        "The error does not say which operation speaks.",
        "The error begins with `mm:` or `addmm:`, in `nn.Linear` as well.",
        "mm addmm matmul linear Linear",
    ),
    "clamp_outside_dtype": Change(
        "errors",
        "2.15",
        "A bound that the dtype cannot hold",
        "`clamp` of int8 with 1000 is an error, and of uint8 with -1 the bound becomes 255.",
        "A bound beyond the range of the dtype limits nothing; one that would be the result is an error.",
        "clamp clip clamp_min clamp_max",
        (ISSUE + "198071",),
    ),
    "arange_step_finite": Change(
        "errors",
        "2.15",
        "`arange` with a step of inf or nan",
        "For nan it says that the step must be nonzero; a step of inf gives an empty tensor.",
        "The error says that the step must be finite.",
        "arange",
    ),
    "set_of_parameters_warns": Change(
        "errors",
        "2.15",
        "An optimizer of a set of parameters",
        "A set is accepted in silence, and so is a frozenset. A set as a group is an error in every version.",
        "For a set it gives a FutureWarning: the order will change between runs, and a later torch will refuse it.",
        "SGD Adam AdamW Optimizer",
    ),
}
for _name, _change in CHANGES.items():
    _change.name = _name


def row(version: str, topic: str) -> tuple[Change, str] | None:
    """The first row about a function or a node, as "clamp" or "ClampBackward1", and what this known version does.

    None without a row. `Change.anchor` is its place on the page.
    """
    for change in CHANGES.values():
        if topic in change.topics:
            return change, change.says(version)
    return None


def known(version: str) -> str | None:
    """The known version that "2.14.1+cpu" belongs to, None for another one."""
    short = ".".join(version.split(".")[:2])
    return short if short in KNOWN else None


def installed(folders: list[str] | None = None) -> str | None:
    """The version of the torch that `import torch` would find, as it calls itself; None without torch.

    It reads `torch/version.py`: `importlib.metadata` takes twenty times as long, and torch itself a second.
    """
    for folder in sys.path if folders is None else folders:
        try:
            with open(os.path.join(folder, "torch", "version.py"), encoding="utf-8") as file:
                for line in file:
                    if line.startswith("__version__"):
                        return line.partition("=")[2].strip(" '\"\n")
        except OSError:
            continue
    return None


def wanted(environment: Mapping[str, str], there: str | None) -> tuple[str, str]:
    """The known version to speak, and a sentence if that is not the one that is there, else "".

    ImportError where the variable names one that minigrad does not speak.
    """
    asked = environment.get(VARIABLE)
    if asked:
        if version := known(asked):
            return version, ""
        raise ImportError(
            f"{VARIABLE} is {asked!r}, but minigrad speaks torch {', '.join(KNOWN[:-1])} and {KNOWN[-1]}."
        )
    if there is None:
        return KNOWN[-1], ""
    if version := known(there):
        return version, ""
    nearest = KNOWN[0] if _numbers(there) < _numbers(KNOWN[0]) else KNOWN[-1]
    return nearest, f"minigrad does not know torch {there}: it speaks {nearest}, so a few of their outputs may differ."


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple([int(part) if part.isdigit() else 0 for part in parts])


spoken = KNOWN[-1]
said = f"{spoken}.0"  # the release that `minigrad.__version__` names
_holds: dict[str, bool] = {}


def speak(version: str, release: str = "") -> None:
    """Let minigrad print what this known version of torch prints, from now on; as a release of it, such as "2.14.1".
    ValueError for another version.
    """
    global spoken, said
    if version not in KNOWN:
        raise ValueError(f"{version} is not one of {', '.join(KNOWN)}")
    spoken = version
    said = release if known(release) == version and release.count(".") == 2 else f"{version}.0"
    for name, change in CHANGES.items():
        _holds[name] = change.holds(version)


def changed(name: str) -> bool:
    """Whether the torch that minigrad speaks has this change of the table. KeyError for a name that it has not."""
    return _holds[name]


def refusal(name: str) -> type[RuntimeError]:
    """The class of torch's error for a dtype that an operation refuses: NotImplementedError from that change on."""
    return NotImplementedError if _holds[name] else RuntimeError


_there = os.environ.get(VARIABLE) or installed()
_version, _sentence = wanted(os.environ, _there)
if _sentence:
    warnings.warn(_sentence, stacklevel=2)
speak(_version, (_there or "").partition("+")[0])
