"""The optimizers: their common base, and how each changes one parameter, given its gradient.
Mirrors https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np

from minigrad import leaf, scalar
from minigrad.arithmetic import errstate
from minigrad.arithmetic.blocks import BLOCK, MANY
from minigrad.compat import checks, dtypes
from minigrad.compat.messages import warn
from minigrad.compat.pickling import Mirrored
from minigrad.compat.typenames import typename
from minigrad.compat.versions import changed
from minigrad.graph import nodes
from minigrad.graph.hooks import RemovableHandle
from minigrad.nn.parameter import forget_grad
from minigrad.ops import creation, functions, pointwise, ternary
from minigrad.passing import inplace
from minigrad.recording import modes
from minigrad.tensor import Tensor

Settings: TypeAlias = dict[str, Any]  # by name
Params: TypeAlias = Iterable[Tensor] | Iterable[Settings]  # groups have their settings, and "params"
UNORDERED = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change "
    "between runs. Please use a list instead."
)
NUMBERS = ("lr", "eps", "momentum", "weight_decay", "alpha", "lr_decay", "initial_accumulator_value")


def _hooked(step: Callable) -> Callable:
    """A `step` of an optimizer that calls its hooks before and after."""

    @functools.wraps(step)
    def hooked(*args: object, **kwargs: object) -> Any:
        self: Any = args[0]
        for hook in [*self._optimizer_step_pre_hooks.values()]:
            if hook(self, args, kwargs) is not None:
                raise NotImplementedError("a hook of minigrad's optimizers returns None, and no other arguments")
        result = step(*args, **kwargs)
        for hook in [*self._optimizer_step_post_hooks.values()]:
            hook(self, args, kwargs)
        return result

    return hooked


class Optimizer(Mirrored):
    """The base of all optimizers: a subclass's `_update` changes one parameter, or it defines its own `step`. `params`
    are tensors, or groups: dicts with "params" and settings, which `defaults` complete. TypeError for anything but
    tensors, ValueError for none, a non-leaf, or one in two groups.
    """

    def __init__(self, params: Params, defaults: Settings) -> None:
        if isinstance(params, Tensor):
            expected = "params argument given to the optimizer should be an iterable of Tensors or dicts"
            raise TypeError(f"{expected}, but got {typename(params)}")
        if isinstance(params, set) and changed("set_of_parameters_warns"):
            warn(f"{UNORDERED} This will be an error in a future release.", FutureWarning)
        self.defaults = defaults
        self._optimizer_step_pre_hooks: dict[int, Callable] = {}
        self._optimizer_step_post_hooks: dict[int, Callable] = {}
        self.state: defaultdict[object, Settings] = defaultdict(dict)
        self.param_groups: list[Settings] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _hooked(cls.step)  # type: ignore[method-assign]

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step. NotImplementedError if it returns something."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    @_hooked
    def step(self, closure: Callable[[], object] | None = None) -> object:
        """Change all parameters with a gradient, in place, unrecorded. `closure`, recorded, gives the result."""
        if type(self)._update is Optimizer._update:
            raise NotImplementedError
        loss = None
        if closure is not None:
            with modes.enable_grad():
                loss = closure()
        with leaf.no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._update(parameter, parameter.grad, group)
        return loss

    def _update(self, parameter: Tensor, grad: Tensor, group: Settings) -> None:
        """Change one parameter, given its gradient and the settings of its group."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros: a backward adds to what is there."""
        for group in self.param_groups:
            for parameter in group["params"]:
                forget_grad(parameter, set_to_none)

    def add_param_group(self, param_group: Settings) -> None:
        """Add a group of parameters; settings that it does not name are the defaults."""
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(UNORDERED)
        params = param_group["params"] = [params] if isinstance(params, Tensor) else list(params)
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(parameter)}")
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            param_group.setdefault(name, value)
        for mode in ("differentiable", "capturable"):
            if param_group.get(mode):
                raise NotImplementedError(f"minigrad's optimizers have no {mode} mode")
        if len(params) != len(set(params)):
            later = "this will cause an error; see github.com/pytorch/pytorch/issues/40967 for more information"
            warn(f"optimizer contains a parameter group with duplicate parameters; in future, {later}")
        if not set(params).isdisjoint([item for group in self.param_groups for item in group["params"]]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def state_dict(self) -> Settings:
        """The state and the settings, with the parameters numbered in the order of their groups."""
        parameters = dict.fromkeys([item for group in self.param_groups for item in group["params"]])
        numbers = {parameter: number for number, parameter in enumerate(parameters)}
        groups = []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [numbers[item] for item in group["params"]]})
        return {"state": {numbers.get(key, key): value for key, value in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: Settings) -> None:
        """Take over a `state_dict()`, its tensors in the dtypes of the parameters. ValueError if the groups differ."""
        loaded = deepcopy(state_dict["param_groups"])
        if len(loaded) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        parameters: dict[int, Tensor] = {}
        for group, other in zip(self.param_groups, loaded, strict=True):
            if len(group["params"]) != len(other["params"]):
                wrong = "a parameter group that doesn't match the size of optimizer's group"
                raise ValueError(f"loaded state dict contains {wrong}")
            parameters.update(zip(other["params"], group["params"], strict=True))
            other["params"] = group["params"]
        state: defaultdict[object, Settings] = defaultdict(dict)
        for number, values in state_dict["state"].items():
            if number in parameters:
                dtype, moved = (
                    parameters[number].dtype,
                    [value for value in values if isinstance(values[value], Tensor)],
                )
                values = values | {name: values[name].to(dtype) for name in moved if name != "step"}
                if "step" in values and "step" not in moved:  # of old, a number
                    values["step"] = count() + values["step"]
            state[parameters.get(number, number)] = values
        self.state, self.param_groups = state, loaded

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * bool(number) + [f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


class Rule(Optimizer):
    """An optimizer whose settings are the arguments of its `__init__`, starting with those in `order`."""

    order = ""
    fixed: Settings = {}  # noqa: RUF012  (settings that are no arguments)

    def _start(self, given: Settings) -> None:
        """Take the arguments of `__init__`, by name, as settings. ValueError for invalid numbers."""
        del given["self"]
        params, given = given.pop("params"), given | self.fixed
        words = {"lr": "learning rate", "eps": "epsilon value"}
        for name in NUMBERS:
            if name in given:
                demand_number(words.get(name, f"{name} value"), given[name])
        if "betas" in given:
            given["betas"] = tuple(given["betas"])
            for index, beta in enumerate(given["betas"]):
                demand_number(f"beta parameter at index {index}", beta, below=1.0)
        super().__init__(params, {name: given[name] for name in [*self.order.split(), *given]})

    def _begin(self, parameter: Tensor, *means: str) -> Settings:
        """The state of a parameter; before its first step, a count and means of 0."""
        state = self.state[parameter]
        if not state:
            state["step"] = count()
            state.update({name: creation.zeros_like(parameter) for name in means})
        change(state["step"], scalar.Add, 1)
        return state


class SGD(Rule, home="torch.optim.sgd"):
    """w ← w - lr · g, where g is the gradient, or with momentum the buffer b ← momentum · b + (1 - dampening) · g.
    `weight_decay` adds weight_decay · w to the gradient, `nesterov` takes g + momentum · b, `maximize` goes up.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        self._start(locals())

    def _update(self, parameter: Tensor, grad: Tensor, group: Settings) -> None:
        momentum, grad = group["momentum"], descent(parameter, grad, group)
        if momentum != 0:
            state = self.state[parameter]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                change(buffer, scalar.Mul, momentum)
                change(buffer, pointwise.AddScaled, grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        change(parameter, pointwise.AddScaled, grad, alpha=-group["lr"])


class Adam(Rule, home="torch.optim.adam"):
    """w ← w - lr · m / (√v + eps), with running means m of the gradient and v of its square. Step t divides m by 1 -
    β₁ᵗ and v by 1 - β₂ᵗ, because both begin at 0. `amsgrad` takes the largest v so far.
    """

    order = "lr betas eps weight_decay amsgrad maximize"

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        self._start(locals())

    def _update(self, parameter: Tensor, grad: Tensor, group: Settings) -> None:
        lr, (beta1, beta2), decoupled = group["lr"], group["betas"], group["decoupled_weight_decay"]
        state = self._begin(parameter, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * bool(group["amsgrad"]))
        if decoupled and group["weight_decay"] != 0:
            change(parameter, scalar.Mul, 1 - lr * group["weight_decay"])
        grad = descent(parameter, grad, group, decay=not decoupled)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        change(mean, ternary.Lerp, grad, weight=1 - beta1)
        change(square, scalar.Mul, beta2)
        change(square, ternary.Addcmul, grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(functions["maximum"](state["max_exp_avg_sq"], square))
        count = state["step"].item()
        root = (1 - beta2**count) ** 0.5
        size = square.sqrt()
        change(size, scalar.Div, root)
        change(size, scalar.Add, group["eps"])
        change(parameter, ternary.Addcdiv, mean, size, value=-lr / (1 - beta1**count))


class AdamW(Adam, home="torch.optim.adamw"):
    """Adam whose weight decay is no part of the gradient: w ← (1 - lr · weight_decay) · w before the step."""

    fixed = {"decoupled_weight_decay": True}  # noqa: RUF012

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        self._start(locals())


class RMSprop(Rule, home="torch.optim.rmsprop"):
    """w ← w - lr · g / (√v + eps), with the running mean v of g²; `centered` takes the variance."""

    order = "lr momentum alpha eps centered weight_decay"

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        self._start(locals())

    def _update(self, parameter: Tensor, grad: Tensor, group: Settings) -> None:
        momentum, alpha, centered = group["momentum"], group["alpha"], group["centered"]
        means = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * bool(centered)]
        state, grad = self._begin(parameter, *means), descent(parameter, grad, group)
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if centered:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            square = square.addcmul(mean, mean, value=-1)
        size = square.sqrt().add_(group["eps"])
        if momentum > 0:
            buffer = state["momentum_buffer"].mul_(momentum).addcdiv_(grad, size)
            parameter.add_(buffer, alpha=-group["lr"])
        else:
            parameter.addcdiv_(grad, size, value=-group["lr"])


class Adagrad(Rule, home="torch.optim.adagrad"):
    """w ← w - lr / (1 + (t - 1) · lr_decay) · g / (√s + eps) at step t, with the sum s of all g²."""

    order = "lr lr_decay eps weight_decay initial_accumulator_value"

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        self._start(locals())

    def add_param_group(self, param_group: Settings) -> None:
        """Add a group of parameters, whose sums begin at `initial_accumulator_value`."""
        super().add_param_group(param_group)
        for parameter in param_group["params"]:
            first = creation.full_like(parameter, param_group["initial_accumulator_value"])
            self.state[parameter].update(step=count(), sum=first)

    def _update(self, parameter: Tensor, grad: Tensor, group: Settings) -> None:
        state, grad = self._begin(parameter), descent(parameter, grad, group)
        state["sum"].addcmul_(grad, grad, value=1)
        lr = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        parameter.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-lr)


def change(tensor: Tensor, operation: Any, *inputs: Tensor | float, **settings: float) -> None:
    """Write the result of an operation on the tensor to its memory. Where all have one shape and dtype, this leaves out
    everything that `tensor.mul_(…)` does besides: the arguments are ours, and nothing is recorded.
    """
    memory = tensor._memory()
    arrays = [item._array if isinstance(item, Tensor) else item for item in inputs]
    alike = all(type(item) is float or type(item) is int or _alike(item, memory) for item in arrays)
    if nodes.prepare is None or leaf.recording or not alike or checks.expanded(memory):
        inplace.change(tensor, operation.apply, *inputs, **settings)
        return
    node = operation.node()
    node.needs_input_grad, node.saved = (False,) * (1 + len(inputs)), ()
    token = errstate.STATE.set(errstate.IGNORE)
    try:
        for part in parts(memory, *arrays):
            part[0][...] = operation.forward(node, *part, **settings)
    finally:
        errstate.STATE.reset(token)
    leaf.count_change(tensor)


def parts(memory: np.ndarray, *arrays: Any) -> Iterator[tuple]:
    """The memory and what belongs beside it; many entries block by block, as our operations go entry by entry."""
    every = [memory, *arrays]
    flat = all(item.flags.c_contiguous for item in every if isinstance(item, np.ndarray))
    if memory.size < MANY or not flat:
        yield tuple(every)
        return
    rows = [item.reshape(-1) if isinstance(item, np.ndarray) else item for item in every]
    for start in range(0, memory.size, BLOCK):
        yield tuple([row[start : start + BLOCK] if isinstance(row, np.ndarray) else row for row in rows])


def _alike(array: Any, memory: np.ndarray) -> bool:
    """Whether an operand has the shape and dtype of the memory that it changes."""
    return array.shape == memory.shape and array.dtype is memory.dtype


def count() -> Tensor:
    """No step yet: a float64 where that is the default dtype, else a float32."""
    return creation.tensor(0.0, dtype=dtypes.float64 if dtypes.default() is dtypes.float64 else dtypes.float32)


def descent(parameter: Tensor, grad: Tensor, group: Settings, decay: bool = True) -> Tensor:
    """The gradient, turned round where a group goes up, and with its weight decay if that is part of it."""
    if group["maximize"]:
        grad = -grad
    if decay and group["weight_decay"] != 0:
        grad = grad.add(parameter, alpha=group["weight_decay"])
    return grad


def demand_number(name: str, value: Tensor | float, below: float | None = None) -> None:
    """ValueError, in torch's words, unless 0 <= value (< below); NotImplementedError for a tensor."""
    if isinstance(value, Tensor):
        raise NotImplementedError("minigrad's optimizers take numbers as settings, not tensors")
    if not (value >= 0.0 and (below is None or value < below)):
        raise ValueError(f"Invalid {name}: {value}")
