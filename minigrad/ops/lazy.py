"""Operations whose module is loaded when a program first asks for one of them.

Reading modules is most of what the import of minigrad takes, and a program uses few of the operations. A name alone
is a method of Tensor and a function of `torch.`; `.name` is only a method, `name()` only a function.

Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from minigrad.tensor import Tensor

NAMES = {
    "addmm": "addmm .addmm_ addmv .addmv_ baddbmm .baddbmm_",
    "diagonals": "diag diag_embed diagonal .fill_diagonal_ tril .tril_ triu .triu_ .unfold",
    "einsum": "einsum() inner tensordot()",
    "gathering": """
        gather index_add .index_add_ index_select scatter .scatter_ scatter_add .scatter_add_ take_along_dim
    """,
    "joining": """
        cat() chunk column_stack() concat() concatenate() dstack() hstack() meshgrid() row_stack() split
        split_with_sizes stack() tensor_split vstack() ._cat ._stack
    """,
    "ternary": "addcdiv .addcdiv_ addcmul .addcmul_ arctan2 .arctan2_ atan2 .atan2_ lerp .lerp_",
    "norms": "linalg() norm",
    "ordering": "amax amin argmax argmin argsort max median min return_types() sort topk unique",
    "masking": "argwhere masked_select nonzero take",
    "products": "cumprod .cumprod_ cumsum .cumsum_ prod",
    "repeating": "flip fliplr flipud .repeat repeat_interleave roll tile",
    "softmax": "log_softmax softmax",
    "variance": "std std_mean() var var_mean()",
}


class Method:
    """Stands for a method of Tensor until its module puts it there."""

    def __init__(self, name: str, module: str):
        self.name, self.module = name, module

    def __get__(self, instance: Any, owner: type) -> Any:
        load(self.module)
        return getattr(owner if instance is None else instance, self.name)


class Functions(dict[str, Callable]):
    """Functions by their names; one of a module that is not there yet loads it."""

    def __missing__(self, name: str) -> Callable:
        load(_OF_FUNCTIONS[name])
        return self[name]

    def __contains__(self, name: object) -> bool:
        return self.made(name) or name in _OF_FUNCTIONS

    def made(self, name: object) -> bool:
        """True for a function whose module is there."""
        return dict.__contains__(self, name)

    def names(self) -> set[str]:
        """Those that are there, and those that can be."""
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
