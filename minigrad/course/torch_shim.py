"""The names of torch, served by minigrad: after `install()`, `import torch` and its kin give minigrad.

For a program that says `import torch` and shall run on minigrad as it stands. The whole process is changed, for good.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import NoReturn

import minigrad

# The modules that both have; in minigrad each has the same name behind "minigrad", but for
# those in ELSEWHERE.
MODULES = (
    "torch",
    "torch.autograd",
    "torch.autograd.anomaly_mode",
    "torch.autograd.function",
    "torch.autograd.functional",
    "torch.autograd.grad_mode",
    "torch.autograd.gradcheck",
    "torch.autograd.graph",
    "torch.autograd.variable",
    "torch.cuda",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.modules",
    "torch.nn.modules.activation",
    "torch.nn.modules.container",
    "torch.nn.modules.dropout",
    "torch.nn.modules.flatten",
    "torch.nn.modules.linear",
    "torch.nn.modules.loss",
    "torch.nn.modules.module",
    "torch.nn.modules.normalization",
    "torch.nn.modules.sparse",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.optim",
    "torch.optim.adagrad",
    "torch.optim.adam",
    "torch.optim.lr_scheduler",
    "torch.optim.optimizer",
    "torch.optim.rmsprop",
    "torch.optim.sgd",
    "torch.random",
)
ELSEWHERE = {"torch.cuda": "minigrad.compat.cuda"}
# Packages that are built on torch's own insides.
BUILT_ON_TORCH = ("functorch", "torchaudio", "torchtext", "torchvision")


def install() -> None:
    """Make `import torch`, and of its submodules those that minigrad has, give minigrad in this process.

    Any other module of torch is then a ModuleNotFoundError that says so, even where torch is installed.
    RuntimeError if torch itself has been imported already.

    >>> install()  # doctest: +SKIP
    >>> import torch.nn.functional as F  # doctest: +SKIP
    >>> F.__name__  # doctest: +SKIP
    'minigrad.nn.functional'
    """
    if sys.modules.get("torch") is minigrad:
        return
    if "torch" in sys.modules:
        raise RuntimeError("torch is imported already: minigrad can take its place only before that")
    for name in MODULES:
        sys.modules[name] = importlib.import_module(ELSEWHERE.get(name, "minigrad" + name.removeprefix("torch")))
    sys.meta_path.insert(0, Refusal())


class Refusal(MetaPathFinder):
    """Says that a module of torch is not here, before the import system finds the real one."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """None for everything that has nothing to do with torch: the next finder goes on."""
        top = fullname.partition(".")[0]
        if top == "torch":
            parts = ", ".join(name for name in MODULES if name.count(".") == 1)
            refuse(fullname, f"minigrad has no module {fullname}: it has torch, {parts} and some of what lies in them")
        if top in BUILT_ON_TORCH:
            refuse(fullname, f"{top} needs torch itself, and minigrad stands in for torch here")


def refuse(name: str, sentence: str) -> NoReturn:
    """Raise ModuleNotFoundError with a sentence."""
    raise ModuleNotFoundError(sentence, name=name)
