"""Operations whose module is loaded when a program first uses one of them. Most of minigrad's import time goes into
reading modules, and a program uses few operations. A bare name is a method of Tensor and a function of
`torch.`; `.name` is only a method, `name()` only a function.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import importlib
from typing import Any

from minigrad.tensor import Tensor

NAMES = {
    "batch_rules": "._rule_of",
    "diagonals": "diag diag_embed diagonal .fill_diagonal_ tril .tril_ triu .triu_ .unfold",
    "einsum": "einsum() inner tensordot()",
    "gathering": """
        gather index_add .index_add_ index_fill .index_fill_ index_select masked_select
        scatter .scatter_ scatter_add .scatter_add_ scatter_reduce .scatter_reduce_ take
    """,
    "joining": """
        unsafe_chunk unsafe_split unsafe_split_with_sizes
        cat() chunk column_stack() concat() concatenate() hstack() meshgrid() split split_with_sizes stack() vstack()
        ._cat ._stack flip .repeat repeat_interleave roll tile
    """,
    "statistics": "argwhere nonzero bincount cdist() diff isin() nanmean nanquantile quantile searchsorted()",
    "ternary": """
        addcdiv .addcdiv_ addcmul .addcmul_ arctan2 .arctan2_ atan2 .atan2_ hypot .hypot_ lerp .lerp_ logaddexp
        xlogy .xlogy_
    """,
    "matrices": "cholesky det inverse linalg() qr slogdet",
    "norms": "norm std std_mean() var var_mean()",
    "ordering": """
        amax amin aminmax argmax argmin argsort cummax cummin kthvalue max median min mode nanmedian return_types() sort
        topk unique unique_consecutive
    """,
    "softmax": "log_softmax logcumsumexp logsumexp softmax",
}


class Method:
    """A placeholder for a method of Tensor until its module is loaded."""

    def __init__(self, name: str, module: str):
        self.name, self.module = name, module

    def __get__(self, instance: object, owner: type) -> Any:
        load(self.module)
        return getattr(owner if instance is None else instance, self.name)


class Functions(dict[str, Any]):
    """Functions by name; looking one up loads its module if necessary."""

    def __missing__(self, name: str) -> Any:
        load(_OF_FUNCTIONS[name])
        return self[name]

    def load(self, name: str) -> None:
        """Load the module that defines a function of this name, if there is one that is not loaded."""
        if not self.made(name) and name in _OF_FUNCTIONS:
            load(_OF_FUNCTIONS[name])

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        _OF_FUNCTIONS.pop(name, "")  # not to be loaded again

    def __contains__(self, name: object) -> bool:
        return self.made(name) or name in _OF_FUNCTIONS

    def made(self, name: object) -> bool:
        """True for a function whose module is loaded."""
        return dict.__contains__(self, name)

    def names(self) -> set[str]:
        """The loaded ones, and those that can be loaded."""
        return {*self, *_OF_FUNCTIONS}


def load(*modules: str) -> None:
    """Load these modules; all of them, if none is named."""
    for module in modules or NAMES:
        importlib.import_module(f"minigrad.ops.{module}")


_OF_FUNCTIONS: dict[str, str] = {}
for _module, _names in NAMES.items():
    for _name in _names.split():
        if not _name.endswith("()"):
            setattr(Tensor, _name.removeprefix("."), Method(_name.removeprefix("."), _module))
        if not _name.startswith("."):
            _OF_FUNCTIONS[_name.removesuffix("()")] = _module
