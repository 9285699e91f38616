"""What every optimizer has: groups of parameters with their settings, a state for each parameter, and `step`.

Mirrors https://docs.pytorch.org/docs/stable/optim.html#torch.optim.Optimizer
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.compat.pickling import Mirrored
from minigrad.nn.parameter import forget_grad
from minigrad.nn.typename import typename
from minigrad.ops import creation
from minigrad.runtime import grad_mode
from minigrad.tensor import Tensor

required: Any = type("_RequiredParameter", (), {"__repr__": lambda self: "<required parameter>"})()
# What a group has that was saved before torch knew the setting.
OF_OLD: dict[str, Any] = {"momentum": 0, "foreach": None, "fused": None}
OF_OLD |= dict.fromkeys(["nesterov", "centered", "amsgrad", "decoupled_weight_decay"], False)
OF_OLD |= dict.fromkeys(["maximize", "capturable", "differentiable"], False)


class Optimizer(Mirrored):
    """The base of all optimizers. A subclass says in `_update` how one parameter changes, or writes its own `step`.

    `params` holds tensors, pairs of a name and a tensor, or groups: dicts with "params" and settings of their own;
    `defaults` are the settings of groups that name none. TypeError for what is no tensor, ValueError for none at all,
    for a tensor that is no leaf, and for one that is in two groups.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{typename(params)}"
            )
        demand_supported(defaults)
        self.defaults = defaults
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient, in place and unrecorded.

        `closure` computes the loss anew before that, recorded; what it returns is returned.
        """
        loss = None
        if closure is not None:
            with grad_mode.enable_grad():
                loss = closure()
        with leaf.no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._update(parameter, parameter.grad, group)
        return loss

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        """Change one parameter, given its gradient and the settings of its group."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros: a backward adds to what is there."""
        for group in self.param_groups:
            for parameter in group["params"]:
                forget_grad(parameter, set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters; settings that it does not name are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [each[0] for each in params if isinstance(each, tuple)]
        params = [each[1] if isinstance(each, tuple) else each for each in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(parameter)}")
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            if value is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, value)
        demand_supported(param_group)
        if len(params) != len(set(params)):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                have = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{have} to the optimizer"
                )
        if not set(params).isdisjoint([each for group in self.param_groups for each in group["params"]]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def state_dict(self) -> dict[str, Any]:
        """The state and the settings, with the parameters numbered in the order of their groups."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [numbers[id(parameter)] for parameter in group["params"]]})
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a `state_dict()`. ValueError if the groups or their sizes differ."""
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, saved, strict=True))
        if any(len(group["params"]) != len(other["params"]) for group, other in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters = {
            number: parameter
            for group, other in pairs
            for number, parameter in zip(other["params"], group["params"], strict=True)
        }
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            state[parameters.get(key, key)] = _as_kept(parameters[key], value) if key in parameters else value
        for group, other in pairs:
            other["params"] = group["params"]
            if "param_names" in group:
                other.setdefault("param_names", group["param_names"])
            for name in self.defaults.keys() & OF_OLD:
                other.setdefault(name, OF_OLD[name])
        self.state, self.param_groups = state, saved

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * bool(number) + [f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


class CountingOptimizer(Optimizer):
    """An optimizer that counts the steps of each parameter, in a tensor beside the rest of its state."""

    def _begin(self, parameter: Tensor, *means: str) -> dict[str, Any]:
        """The state of a parameter; before its first step a count and means of 0."""
        state = self.state[parameter]
        if not state:
            state["step"] = count(0.0)
            state.update({name: creation.zeros_like(parameter) for name in means})
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        for state in self.state.values():
            if "step" in state and not isinstance(state["step"], Tensor):
                state["step"] = count(float(state["step"]))  # torch once counted in numbers


def count(steps: float) -> Tensor:
    """A number of steps: float64 if that is the default dtype, else float32."""
    return creation.tensor(steps, dtype=dtypes.float64 if dtypes.default() is dtypes.float64 else dtypes.float32)


def descent(parameter: Tensor, grad: Tensor, group: dict[str, Any], decay: bool = True) -> Tensor:
    """The gradient, turned round where a group goes up, and with its weight decay if that is part of it."""
    if group["maximize"]:
        grad = -grad
    if decay and group["weight_decay"] != 0:
        grad = grad.add(parameter, alpha=group["weight_decay"])
    return grad


def chosen(given: dict[str, Any], names: str) -> dict[str, Any]:
    """Of the arguments of a constructor those of these names: the settings, in torch's order."""
    return {name: given[name] for name in names.split()}


def _as_kept(parameter: Tensor, value: Any, name: str = "") -> Any:
    """A value of a loaded state as the optimizer keeps it: its tensors in the parameter's dtype, but the count."""
    if isinstance(value, Tensor):
        return value if name == "step" or not parameter.dtype.is_floating_point else value.to(parameter.dtype)
    if isinstance(value, dict):
        return {key: _as_kept(parameter, each, key) for key, each in value.items()}
    if isinstance(value, Iterable):
        return type(value)(_as_kept(parameter, each) for each in value)  # type: ignore[call-arg]
    return value


def demand_number(name: str, value: Any, below: float = math.inf) -> None:
    """ValueError, in torch's words, unless 0 <= value (< below); NotImplementedError for a tensor."""
    refuse_tensor(value)
    if not 0.0 <= value <= below or value == below < math.inf:
        raise ValueError(f"Invalid {name}: {value}")


def refuse_tensor(value: Any) -> None:
    """ValueError or NotImplementedError for a setting that is a tensor."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        raise NotImplementedError("minigrad's optimizers take numbers as settings, not tensors")


def demand_supported(settings: dict[str, Any]) -> None:
    """NotImplementedError for the modes that minigrad does not have; RuntimeError for two that exclude each other."""
    for mode in ("differentiable", "capturable"):
        if settings.get(mode):
            raise NotImplementedError(f"minigrad's optimizers have no {mode} mode")
    if settings.get("fused") and settings.get("foreach"):
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
