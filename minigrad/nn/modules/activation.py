"""The activations as modules.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules import calling
from minigrad.tensor import Tensor


class ReLU(calling.Calling):
    """`relu` as a module: max(input, 0); the derivative at 0 is 0."""

    shown = "inplace"

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class LeakyReLU(calling.Calling):
    """`leaky_relu` as a module: input where it is positive, else negative_slope · input."""

    shown = "negative_slope inplace"

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, negative_slope=self.negative_slope, inplace=self.inplace)


class ELU(calling.Calling):
    """`elu` as a module: input where it is positive, else alpha · (exp(input) - 1)."""

    shown = "alpha inplace"

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, alpha=self.alpha, inplace=self.inplace)


class Softplus(calling.Calling):
    """`softplus` as a module: log(1 + exp(beta · input)) / beta, and input itself where beta · input is beyond the
    threshold.
    """

    shown = "beta threshold"

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, beta=self.beta, threshold=self.threshold)


class GELU(calling.Calling):
    """`gelu` as a module: input · Φ(input), Φ the normal distribution's, or its approximation by "tanh". Not for
    integers.
    """

    shown = "approximate"

    def __init__(self, approximate: str = "none") -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class Mish(calling.Calling):
    """`mish` as a module: input · tanh(softplus(input))."""

    shown = "inplace"

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardtanh(calling.Calling):
    """`hardtanh` as a module: input, kept between min_val and max_val; the derivative is 0 there."""

    shown = "min_val max_val inplace"

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, min_val=self.min_val, max_val=self.max_val, inplace=self.inplace)


class Hardsigmoid(calling.Calling):
    """`hardsigmoid` as a module: input / 6 + 1/2, kept between 0 and 1."""

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, inplace=self.inplace)


class Hardswish(calling.Calling):
    """`hardswish` as a module: input · hardsigmoid(input)."""

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, inplace=self.inplace)


class ReLU6(calling.Calling):
    """`relu6` as a module: input, kept between 0 and 6."""

    shown = "inplace"

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, inplace=self.inplace)


class SiLU(calling.Calling):
    """`silu` as a module: input · sigmoid(input)."""

    shown = "inplace"

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Sigmoid(calling.Calling):
    """`sigmoid` as a module: 1 / (1 + exp(-input))."""

    def __init__(self) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class LogSigmoid(calling.Calling):
    """`logsigmoid` as a module: log(1 / (1 + exp(-input)))."""

    def __init__(self) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(calling.Calling):
    """`tanh` as a module: The hyperbolic tangent."""

    def __init__(self) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class Softmax(calling.Calling):
    """`softmax` as a module: exp(input) / Σ exp(input) along `dim`. A UserWarning where `dim` is missing
    (`_stacklevel` has no effect).
    """

    shown = "dim"

    def __init__(self, dim: int | None = None) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, dim=self.dim)


class LogSoftmax(calling.Calling):
    """`log_softmax` as a module: input - log Σ exp(input) along `dim`. A UserWarning where `dim` is missing
    (`_stacklevel` has no effect).
    """

    shown = "dim"

    def __init__(self, dim: int | None = None) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, dim=self.dim)
