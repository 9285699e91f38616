"""Learning rates that change with the epochs. `scheduler.step()` comes after `optimizer.step()`.
Mirrors https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Sequence

from minigrad.compat import unsupported
from minigrad.compat.messages import warn
from minigrad.compat.pickling import Mirrored
from minigrad.optim.optimizer import Optimizer, Settings
from minigrad.tensor import Tensor


class LRScheduler(Mirrored):
    """The base: a subclass's `get_lr` returns the rates at `last_epoch`. TypeError for anything but an Optimizer,
    KeyError when resuming a run that never started.
    """

    def _start(self, given: Settings) -> None:
        """Take the arguments of `__init__`, by name, as attributes."""
        del given["self"]
        optimizer, last_epoch = given.pop("optimizer"), given.pop("last_epoch", -1)
        demand_optimizer(optimizer)
        self.__dict__.update(self._kept(optimizer, given))
        LRScheduler.__init__(self, optimizer, last_epoch)

    def _kept(self, optimizer: Optimizer, given: Settings) -> Settings:
        """The attributes that the arguments become. ValueError for those without sense."""
        return given

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        demand_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                what = f"param 'initial_lr' is not specified in param_groups[{number}]"
                raise KeyError(f"{what} when resuming scheduler with last_epoch >= 0")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        if not hasattr(optimizer, "_opt_called"):
            optimizer._opt_called, optimizer._own_step = False, vars(optimizer).get("step")
            optimizer.register_step_pre_hook(lambda item, *_: vars(item).update(_opt_called=True))
        self._begin()

    def _begin(self) -> None:
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def step(self, epoch: None = None) -> None:
        """Go to the next epoch. A UserWarning if the optimizer has not made a step before the first time."""
        if epoch is not None:
            raise NotImplementedError("minigrad's schedules have step(), not the deprecated step(epoch)")
        if self._step_count == 1 and vars(self.optimizer).get("step") is not self.optimizer._own_step:
            warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        elif self._step_count == 1 and not self.optimizer._opt_called:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1
        self._go_to(self.last_epoch + 1)

    def _go_to(self, epoch: int) -> None:
        """Set the rates of an epoch."""
        self.last_epoch = epoch
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float]:
        """The rates of the groups, as set by the last `step`."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """The rates of the groups at `last_epoch`, computed from the previous ones."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        groups = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self._rate(group["lr"], base, number) for number, (group, base) in enumerate(groups)]

    def _rate(self, rate: float, base: float, number: int) -> float:
        """The rate of group `number` at `last_epoch`, computed from the previous and the first one."""
        raise NotImplementedError

    def state_dict(self) -> Settings:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: Settings) -> None:
        """Take over a `state_dict()`."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first rate times a function of the epoch, or one of a list for each group. ValueError for another length."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable | Sequence[Callable], last_epoch: int = -1) -> None:
        self._start(locals())

    def _kept(self, optimizer: Optimizer, given: Settings) -> Settings:
        result, groups = given["lr_lambda"], len(optimizer.param_groups)
        if isinstance(result, (list, tuple)) and len(result) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(result)}")
        return {"lr_lambdas": of_groups("", result, optimizer)}

    def _rate(self, rate: float, base: float, number: int) -> float:
        return base * self.lr_lambdas[number](self.last_epoch)

    def state_dict(self) -> Settings:
        return {**super().state_dict(), "lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: Settings) -> None:
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


class StepLR(LRScheduler):
    """Multiplies the rate by gamma every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self._start(locals())

    def _rate(self, rate: float, base: float, number: int) -> float:
        return rate if self.last_epoch == 0 or self.last_epoch % self.step_size != 0 else rate * self.gamma


class MultiStepLR(LRScheduler):
    """At each of the milestones, which are epochs, the rate times gamma."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self._start(locals())

    def _kept(self, optimizer: Optimizer, given: Settings) -> Settings:
        return given | {"milestones": Counter(given["milestones"])}

    def _rate(self, rate: float, base: float, number: int) -> float:
        return rate * self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else rate


class LinearLR(LRScheduler):
    """The rate from start_factor to end_factor times the first one, in equal steps, in total_iters epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self._start(locals())

    def _kept(self, optimizer: Optimizer, given: Settings) -> Settings:
        if not 0 < given["start_factor"] <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        return given

    def _rate(self, rate: float, base: float, number: int) -> float:
        if self.last_epoch == 0:
            return rate * self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return rate
        step = self.end_factor - self.start_factor
        return rate * (1.0 + step / (self.total_iters * self.start_factor + (self.last_epoch - 1) * step))


class ExponentialLR(LRScheduler):
    """Multiplies the rate by gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self._start(locals())

    def _rate(self, rate: float, base: float, number: int) -> float:
        return rate if self._is_initial else rate * self.gamma


class CosineAnnealingLR(LRScheduler):
    """Moves the rate along half a cosine from its first value to eta_min, in T_max epochs."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self._start(locals())

    def _rate(self, rate: float, base: float, number: int) -> float:
        if self._is_initial:
            return rate
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at its minimum: a factor cannot raise it
            return rate + (base - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        now, before = [1 + math.cos(math.pi * item / self.T_max) for item in (self.last_epoch, self.last_epoch - 1)]
        return now / before * (rate - self.eta_min) + self.eta_min


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate along half a cosine to eta_min in T_0 epochs, then anew, each time in T_mult times as many."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self._start(locals())

    def _kept(self, optimizer: Optimizer, given: Settings) -> Settings:
        for name, what in (("T_0", "positive integer T_0"), ("T_mult", "integer T_mult >= 1")):
            if given[name] < 1 or not isinstance(given[name], int):
                raise ValueError(f"Expected {what}, but got {given[name]}")
        return {"T_0": given["T_0"], "T_i": given["T_0"], **given, "T_cur": 0}

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to this one, which may be a fraction."""
        epoch = self.last_epoch + 1 if epoch is None else epoch
        self.T_cur, self.T_i = epoch, self.T_0
        while self.T_cur >= self.T_i:
            self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        self._go_to(math.floor(epoch))

    def _rate(self, rate: float, base: float, number: int) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2


class OneCycleLR(LRScheduler):
    """The rate from max_lr / div_factor up to max_lr, for the share pct_start of all steps, and down to a
    final_div_factor-th of where it began; momentum (or beta1) goes the other way.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self._start(locals())

    def _kept(self, optimizer: Optimizer, given: Settings) -> Settings:
        steps, *factors = [given[name] for name in ("total_steps", "epochs", "steps_per_epoch")]
        if steps is None and None in factors:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        steps = math.prod(factors) if steps is None else steps
        if steps <= 0 or not isinstance(steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {steps}")
        part, strategy, three = given["pct_start"], given["anneal_strategy"], given["three_phase"]
        ends = [part * steps - 1, *[2 * part * steps - 2] * three, steps - 1]
        rates = ["initial_lr", "max_lr", *["initial_lr"] * three, "min_lr"]
        momenta = ["max_momentum", "base_momentum", "max_momentum", *["max_momentum"] * three]
        kept = {"total_steps": steps, "_anneal_func_type": strategy, "use_beta1": "betas" in optimizer.defaults}
        kept |= {"_phases": [*zip([0.0, *ends], ends, rates, rates[1:], momenta, momenta[1:], strict=False)]}
        kept["cycle_momentum"] = given["cycle_momentum"]
        if kept["cycle_momentum"] and not optimizer.defaults.keys() & {"momentum", "betas"}:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        for name in ("max_lr", *["max_momentum", "base_momentum"] * kept["cycle_momentum"]):
            for group, value in zip(optimizer.param_groups, of_groups(name, given[name], optimizer), strict=True):
                group.setdefault(name, value)
        for group in optimizer.param_groups:
            group["initial_lr"] = group["max_lr"] / given["div_factor"]
            group["min_lr"] = group["initial_lr"] / given["final_div_factor"]
        return kept

    def _rate(self, rate: float, base: float, number: int) -> float:
        step, group = self.last_epoch, self.optimizer.param_groups[number]
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        start, end, *names = next((phase for phase in self._phases if step <= phase[1]), self._phases[-1])
        part = (step - start) / (end - start)
        values = [group.get(name, 0.0) for name in names]
        if self._anneal_func_type == "linear":
            now, momentum = [(b - a) * part + a for a, b in (values[:2], values[2:])]
        else:
            now, momentum = [b + (a - b) / 2.0 * (math.cos(math.pi * part) + 1) for a, b in (values[:2], values[2:])]
        if self.cycle_momentum:
            group.update({"betas": (momentum, *group["betas"][1:])} if self.use_beta1 else {"momentum": momentum})
        return now


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` once a measure, which `step` is given, has not become better for `patience` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        settings = {name: value for name, value in locals().items() if name not in ("self", "min_lr")}
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        demand_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.__dict__.update(settings, min_lrs=of_groups("min_lr", min_lr, optimizer), last_epoch=0)
        self.best, self.cooldown_counter, self.num_bad_epochs = math.inf if mode == "min" else -math.inf, 0, 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Tensor | float, epoch: None = None) -> None:  # type: ignore[override]
        """Note the measure of an epoch, a number or a tensor of one."""
        now, self.last_epoch, sign = float(metrics), self.last_epoch + 1, 1 if self.mode == "max" else -1
        relative = self.threshold_mode == "rel"
        bound = self.best * (1 + sign * self.threshold) if relative else self.best + sign * self.threshold
        self.num_bad_epochs += 1
        if sign * now > sign * bound:
            self.best, self.num_bad_epochs = now, 0
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                lower = max(group["lr"] * self.factor, least)
                group["lr"] = lower if group["lr"] - lower > self.eps else group["lr"]
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


class SequentialLR(LRScheduler):
    """One schedule after the other: at each of the milestones, which are epochs, the next one begins."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        self.optimizer, self._schedulers, self._milestones = optimizer, schedulers, milestones
        self.last_epoch, count = last_epoch + 1, len(schedulers)
        if not count:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        if len(milestones) != count - 1:
            raise ValueError(f"SequentialLR with {count} schedulers takes {count - 1} milestones")
        for scheduler in schedulers:
            scheduler.last_epoch -= 1  # the step that it made when it was made
        self._begin_with(schedulers[0])

    def _begin_with(self, scheduler: LRScheduler) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        scheduler._begin()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> Settings:
        return {**super().state_dict(), "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: Settings) -> None:
        super().load_state_dict({**state_dict, "_schedulers": self._schedulers})
        for each, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            each.load_state_dict(state)

    def step(self, epoch: int | None = None) -> None:
        self.last_epoch += 1
        place = bisect.bisect_right(self._milestones, self.last_epoch)
        now = self._schedulers[place]
        if place and self._milestones[place - 1] == self.last_epoch:
            return self._begin_with(now)
        now.step()
        self._last_lr = now.get_last_lr()


def demand_optimizer(value: object) -> None:
    """TypeError for anything else."""
    if not isinstance(value, Optimizer):
        raise TypeError(f"{type(value).__name__} is not an Optimizer")


def of_groups(name: str, value: object, optimizer: Optimizer) -> list:
    """A setting for each group: one for all, or a list. ValueError for a list of another length."""
    groups = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)) and len(value) != groups:
        counts = f"{name} has {len(value)} values, param_groups has {groups}."
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {counts}")
    return list(value) if isinstance(value, (list, tuple)) else [value] * groups


__getattr__ = unsupported.lacking(__name__)
