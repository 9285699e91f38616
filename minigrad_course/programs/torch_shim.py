"""torch's names, provided by minigrad: after `install()`, `import torch` and the like import minigrad.

For programs that say `import torch` and run on minigrad unchanged. This changes the whole process, until it is undone.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import NoReturn

import minigrad
from minigrad.compat import unsupported

# The modules that both have; in minigrad each has the same name after "minigrad", except
# those in ELSEWHERE.
MODULES = (
    "torch",
    "torch.autograd",
    "torch.autograd.anomaly_mode",
    "torch.autograd.forward_ad",
    "torch.autograd.function",
    "torch.autograd.functional",
    "torch.autograd.grad_mode",
    "torch.autograd.gradcheck",
    "torch.autograd.graph",
    "torch.autograd.variable",
    "torch.backends",
    "torch.backends.cuda",
    "torch.backends.cudnn",
    "torch.backends.mps",
    "torch.cuda",
    "torch.func",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.modules",
    "torch.nn.modules.activation",
    "torch.nn.modules.batchnorm",
    "torch.nn.modules.container",
    "torch.nn.modules.distance",
    "torch.nn.modules.dropout",
    "torch.nn.modules.flatten",
    "torch.nn.modules.linear",
    "torch.nn.modules.loss",
    "torch.nn.modules.module",
    "torch.nn.modules.normalization",
    "torch.nn.modules.sparse",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.nn.utils.parametrize",
    "torch.optim",
    "torch.optim.adagrad",
    "torch.optim.adam",
    "torch.optim.adamw",
    "torch.optim.lr_scheduler",
    "torch.optim.optimizer",
    "torch.optim.rmsprop",
    "torch.optim.sgd",
    "torch.random",
    "torch.serialization",
    "torch.utils",
    "torch.utils.checkpoint",
    "torch.utils.data",
    "torch.utils.dlpack",
)
ELSEWHERE = {"torch.cuda": "minigrad.compat.cuda", "torch.serialization": "minigrad.utils.saving"}
ELSEWHERE |= {"torch.nn.utils.parametrize": "minigrad.nn.parametrize", "torch.utils.dlpack": "minigrad.ops.dlpack"}
ELSEWHERE |= {"torch.autograd.variable": "minigrad.ops.creation.legacy"}
ELSEWHERE |= {f"torch.backends{name}": "minigrad.compat.backends" for name in ("", ".cuda", ".cudnn", ".mps")}
ELSEWHERE |= {
    f"torch.optim.{name}": "minigrad.optim.optimizer" for name in ("adagrad", "adam", "adamw", "rmsprop", "sgd")
}
LAYERS = ("batchnorm", "dropout", "flatten", "linear", "normalization", "sparse")
ELSEWHERE |= {f"torch.nn.modules.{layer}": "minigrad.nn.modules.layers" for layer in LAYERS}
# Packages that are built on torch's internals.
BUILT_ON_TORCH = ("functorch", "torchaudio", "torchtext", "torchvision")


def install(aside: bool = False) -> Callable[[], None]:
    """Make `import torch`, and imports of the submodules that minigrad has, import minigrad in this process.

    Importing any other torch module then raises a ModuleNotFoundError that says so, even if torch is installed.
    RuntimeError if torch itself has been imported already, unless it may be set `aside`. Returns what undoes it all.

    >>> undo = install()  # doctest: +SKIP
    >>> import torch.nn.functional as F  # doctest: +SKIP
    >>> F.__name__  # doctest: +SKIP
    'minigrad.nn.functional'
    """
    if sys.modules.get("torch") is minigrad:
        return lambda: None
    theirs = {name: sys.modules[name] for name in sys.modules if name.partition(".")[0] == "torch"}
    if theirs and not aside:
        raise RuntimeError("torch is already imported: minigrad can only replace it before that")
    ours = {name: importlib.import_module(ELSEWHERE.get(name, f"minigrad{name[len('torch') :]}")) for name in MODULES}
    single = [module for module in ours.values() if "__path__" not in vars(module)]
    refusal = Refusal()

    def undo() -> None:
        if refusal in sys.meta_path:  # a program may have removed it
            sys.meta_path.remove(refusal)
        for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
            del sys.modules[name]
        for module in single:
            vars(module).pop("__path__", None)
        sys.modules.update(theirs)

    for name in theirs:
        del sys.modules[name]
    for module in single:
        vars(module)["__path__"] = []  # else Python says that it is no package, and asks nobody
    sys.modules.update(ours)
    sys.meta_path.insert(0, refusal)
    return undo


class Refusal(MetaPathFinder):
    """Refuses a torch module that minigrad lacks, before the import system finds the real one."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """None for everything unrelated to torch: the next finder takes over."""
        top = fullname.partition(".")[0]
        if fullname in unsupported.KINDS:
            refuse(fullname, unsupported.LACKS.format(fullname, unsupported.KINDS[fullname]))
        if top == "torch":
            parts = ", ".join(name for name in MODULES if name.count(".") == 1)
            refuse(fullname, f"minigrad has no module {fullname}: it has torch, {parts} and some of their submodules")
        if top in BUILT_ON_TORCH:
            refuse(fullname, f"{top} needs torch itself, but here minigrad replaces torch")


def refuse(name: str, sentence: str) -> NoReturn:
    """Raise ModuleNotFoundError with a sentence."""
    raise ModuleNotFoundError(sentence, name=name)
