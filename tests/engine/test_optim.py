"""torch.optim on both engines: steps to the last digits, groups, states, schedules, and what is refused."""

from __future__ import annotations

import copy
import inspect

import numpy as np
import pytest
from engines import ENGINES, assert_alike, each_of

import minigrad

NAMES = {"copy": copy}
START = [
    "optim, nn = torch.optim, torch.nn",
    "x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; w = torch.tensor([3.], requires_grad=True)",
]

RULES = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.05, "momentum": 0.9}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.05, "momentum": 0.5, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.001, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.9), "eps": 1e-3}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"lr": 0.01, "maximize": True}),
    ("AdamW", {"lr": 0.1}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.3, "amsgrad": True}),
    ("RMSprop", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.01, "momentum": 0.5, "centered": True, "weight_decay": 0.1, "maximize": True}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2}),
    ("Adagrad", {"lr": 0.01, "maximize": True}),
]


def path(engine: object, name: str, settings: dict, dtype: str) -> tuple[list[np.ndarray], list[int]]:
    """The parameters after each of 50 steps down a curved valley, and how often they were changed in place."""
    tensor = engine.tensor  # type: ignore[attr-defined]
    kind = getattr(engine, dtype)
    a = tensor([1.0, -2.0, 0.5], dtype=kind, requires_grad=True)
    b = tensor([[0.3], [-0.7]], dtype=kind, requires_grad=True)
    optimizer = getattr(engine.optim, name)([a, b], **settings)  # type: ignore[attr-defined]
    seen = []
    for step in range(50):
        optimizer.zero_grad()
        loss = ((a * a).sum() - 1) ** 2 / 20 + (b * a[:2].reshape(2, 1) + step % 3).abs().sum() / 5 + (b * b).sum()
        loss.backward()
        optimizer.step()
        seen.append(np.concatenate([each.detach().numpy().reshape(-1) for each in (a, b)]))
    return seen, [a._version, b._version]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, settings", RULES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(RULES)])
def test_fifty_steps_are_torchs(name: str, settings: dict, dtype: str) -> None:
    (theirs, their_versions), (ours, our_versions) = (path(engine, name, settings, dtype) for engine in ENGINES)
    tolerance = 1e-6 if dtype == "float32" else 1e-12
    # Rounding differs in the last place, and a step hands it on: the bound is for the whole path.
    for step, (their, our) in enumerate(zip(theirs, ours, strict=True)):
        assert our.dtype == their.dtype
        scale = np.abs(their).max() * (1 + step)
        np.testing.assert_allclose(our, their, rtol=0, atol=tolerance * scale)
    assert our_versions == their_versions


@pytest.mark.parametrize("name, settings", RULES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(RULES)])
def test_state_and_text(name: str, settings: dict) -> None:
    assert_alike(
        [
            *START,
            f"o = optim.{name}([x, w], **settings)",
            "o",
            "o.state_dict()",
            "(x ** 2).sum().backward()",
            "o.step(), o.step()",
            "o.state_dict()",
            "x, w, x._version, w._version, x.grad",
            "len(o.state), sorted(o.defaults)",
        ],
        {"settings": settings},
    )


def test_a_step_changes_in_place_and_records_nothing() -> None:
    assert_alike(
        [
            *START,
            "before = x.data; o = optim.SGD([x, w], lr=0.5)",
            "loss = (x * x).sum() * w; loss.backward(retain_graph=True); grad = x.grad",
            "o.step()",
            "x, before, x.is_leaf, x.grad_fn, x.grad is grad, x._version, torch.is_grad_enabled()",
            "loss.backward()",
            "o.zero_grad(); print(x.grad, grad)",
            "x.sum().backward(); grad = x.grad; o.zero_grad(set_to_none=False); print(x.grad is grad, grad, w.grad)",
        ]
    )


def test_a_closure_is_recorded_and_its_result_returned() -> None:
    assert_alike(
        [
            *START,
            "o = optim.SGD([w], lr=0.25)",
            """
def closure():
    o.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    return loss
""",
            "o.step(closure), w",
            "with torch.no_grad(): print(o.step(closure), w)",
            "o.step()",
            "a = optim.Adam([w], lr=0.1); print(a.step(closure), w)",
        ]
    )


def test_without_gradient_and_with_gradient_zero() -> None:
    assert_alike(
        [
            *START,
            "o = optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=0.1); w.sum().backward(); o.step()",
            "o.zero_grad(); o.step(); print(w)",
            "w.grad = torch.zeros(1); o.step(); print(w)",
            "o = optim.SGD([torch.ones(1)], lr=0.1); o.step(); print(len(o.param_groups), len(o.state))",
        ]
    )


def test_hooks_of_a_step() -> None:
    own = "    def step(self): super().step(); return 7"
    assert_alike(
        [
            *START,
            "o = optim.SGD([x], lr=1.0); x.grad = torch.ones(2)",
            "h = o.register_step_pre_hook(lambda *a: print('before', a[0] is o, a[1][0] is o, list(a[2]), x.tolist()))",
            "_ = o.register_step_post_hook(lambda *a: print('after', len(a[1]), list(a[2]), x.tolist()))",
            "print(o.step(), o.step(lambda: 3.0), o.step(closure=lambda: 4.0)); h.remove(); o.step()",
            f"class Own(optim.SGD):\n{own}",
            "o = Own([x], lr=1.0); _ = o.register_step_post_hook(lambda *a: print('own')); o.step()",
        ]
    )
    o = minigrad.optim.SGD([minigrad.ones(1, requires_grad=True)], lr=1.0)
    o.register_step_pre_hook(lambda *a: 3)
    with pytest.raises(NotImplementedError, match="returns None, and no other arguments"):
        o.step()


def test_groups() -> None:
    assert_alike(
        [
            *START,
            "o = optim.SGD([{'params': [x]}, {'params': w, 'lr': 0.5}], lr=0.1)",
            "more = torch.ones(2, requires_grad=True)",
            "o.add_param_group({'params': (p for p in [more]), 'lr': 1., 'extra': 'kept'})",
            "o",
            "(x.sum() + w.sum()).backward(); o.step(); print(x, w, o.param_groups[2]['params'])",
            "for group in o.param_groups: group['lr'] *= 0.1",
            "[group['lr'] for group in o.param_groups], o.defaults['lr']",
            "o.add_param_group({'params': [x]})",
            "optim.SGD([x, x], lr=0.1)",
            "optim.SGD([{'params': [x]}, {'params': [x]}], lr=0.1)",
            "optim.SGD([{'params': [x]}, {'lr': 0.1}], lr=0.1)",
        ]
    )


REFUSED = [
    "optim.SGD([y], lr=.1)",
    "optim.SGD([], lr=.1)",
    "optim.SGD(x, lr=.1)",
    "optim.SGD([1.], lr=.1)",
    "optim.SGD(5, lr=.1)",
    "optim.SGD([x, None], lr=.1)",
    "optim.SGD([nn.Linear(1, 1)], lr=.1)",
    "optim.SGD([x], lr=-1.)",
    "optim.SGD([x], lr=.1, momentum=-1.)",
    "optim.SGD([x], lr=.1, weight_decay=-1.)",
    "optim.SGD([x], lr=.1, nesterov=True)",
    "optim.SGD([x], lr=.1, momentum=.9, dampening=.1, nesterov=True)",
    "optim.SGD([x], rate=.1)",
    "optim.Adam([x], betas=(1., .9))",
    "optim.Adam([x], betas=(.9, -1.))",
    "optim.Adam([x], eps=-1.)",
    "optim.Adam([x], lr=-1)",
    "optim.Adam([x], weight_decay=-1.)",
    "optim.AdamW([y])",
    "optim.RMSprop([x], alpha=-1.)",
    "optim.RMSprop([x], momentum=-1.)",
    "optim.Adagrad([x], lr_decay=-1.)",
    "optim.Adagrad([x], initial_accumulator_value=-1.)",
    "y.retain_grad(); print(optim.SGD([y], lr=.1))",
]


@each_of(line=REFUSED)
def test_what_an_optimizer_refuses(line: str) -> None:
    assert_alike([*START, line])


@pytest.mark.parametrize(
    "settings",
    [{"differentiable": True}, {"capturable": True}, {"lr": minigrad.tensor(0.1)}],
    ids=["differentiable", "capturable", "lr"],
)
def test_what_minigrad_does_not_have_is_said(settings: dict) -> None:
    with pytest.raises(NotImplementedError, match="minigrad's optimizers"):
        minigrad.optim.Adam([minigrad.ones(1, requires_grad=True)], **settings)


def test_a_state_is_loaded() -> None:
    assert_alike(
        [
            *START,
            "o = optim.Adam([x, w], lr=0.1, amsgrad=True); (x ** 2).sum().backward(); w.sum().backward(); o.step()",
            "a = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)",
            "b = torch.zeros(1, requires_grad=True)",
            "other = optim.Adam([a, b], lr=5.)",
            "other.load_state_dict(copy.deepcopy(o.state_dict()))",
            "other",
            "other.state_dict()",
            "(a ** 2).sum().backward(); other.step(); print(a, b)",
            "optim.Adam([a]).load_state_dict(o.state_dict())",
            "optim.Adam([{'params': a}, {'params': b}]).load_state_dict(o.state_dict())",
            "s = optim.SGD([x], lr=0.1, momentum=0.9); s.load_state_dict(optim.SGD([w], lr=0.2).state_dict())",
            "s",
        ],
        NAMES,
    )


def test_an_optimizer_of_ones_own() -> None:
    assert_alike(
        [
            *START,
            """
class Sign(optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    def step(self):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p -= group["lr"] * p.grad.sign()
""",
            "o = Sign([x], lr=0.5); (x ** 2).sum().backward(); o.step(); print(x, o)",
        ]
    )


# --- schedules -----------------------------------------------------------------------------------

SCHEDULES = [
    "StepLR(o, step_size=2, gamma=0.5)",
    "StepLR(o, 3)",
    "ExponentialLR(o, gamma=0.9)",
    "LambdaLR(o, lambda epoch: 0.95 ** epoch)",
    "LambdaLR(o, [lambda epoch: 1 / (epoch + 1), lambda epoch: epoch])",
    "CosineAnnealingLR(o, T_max=3)",
    "CosineAnnealingLR(o, T_max=4, eta_min=0.01)",
    "MultiStepLR(o, [2, 3, 3, 7], gamma=0.5)",
    "LinearLR(o)",
    "LinearLR(o, start_factor=0.5, end_factor=0.1, total_iters=3)",
]
OTHERS = [  # whose state is not torch's, name by name
    "CosineAnnealingWarmRestarts(o, 3)",
    "CosineAnnealingWarmRestarts(o, 2, T_mult=2, eta_min=0.01)",
    "OneCycleLR(o, max_lr=0.5, total_steps=10)",
    "OneCycleLR(o, [0.5, 2.], epochs=3, steps_per_epoch=4, pct_start=0.4, anneal_strategy='linear', three_phase=True)",
    "OneCycleLR(o, 0.5, 12, cycle_momentum=False, div_factor=10., final_div_factor=100.)",
    "OneCycleLR(o, 0.5, 12, base_momentum=[0.5, 0.6], max_momentum=0.9, three_phase=True)",
    "SequentialLR(o, [L.LinearLR(o, 0.1, total_iters=3), L.ExponentialLR(o, 0.5)], [3])",
    "SequentialLR(o, [L.LinearLR(o, 0.1), L.CosineAnnealingLR(o, 4), L.StepLR(o, 2)], milestones=[2, 6])",
    "SequentialLR(o, [L.LambdaLR(o, lambda k: k + 1), L.MultiStepLR(o, [1]), L.LambdaLR(o, lambda k: 0.5)], [2, 4])",
    "SequentialLR(o, [L.StepLR(o, 1), L.CosineAnnealingWarmRestarts(o, 2)], [3])",
]
RATES = "print(s.get_last_lr(), [(g['lr'], g['momentum'], g['initial_lr']) for g in o.param_groups])"


@each_of(schedule=SCHEDULES)
def test_schedules(schedule: str) -> None:
    assert_alike(
        [
            *START,
            "o = optim.SGD([{'params': [x]}, {'params': [w], 'lr': 0.5}], lr=8.)",
            f"s = optim.lr_scheduler.{schedule}",
            "o, s.get_last_lr(), s.last_epoch",
            "for _ in range(9): o.step(); s.step(); print(s.get_last_lr(), [g['lr'] for g in o.param_groups])",
            "o",
            "state = s.state_dict(); print({k: v for k, v in state.items() if k != 'lr_lambdas'})",
            f"again = optim.lr_scheduler.{schedule}; again.load_state_dict(state); o.step(); again.step()",
            "again.get_last_lr(), again.last_epoch",
            "len(s.get_lr())",
        ]
    )


@each_of(schedule=OTHERS)
def test_other_schedules(schedule: str) -> None:
    """And a schedule that takes over the state of another goes on as it would have."""
    assert_alike(
        [
            *START,
            "L = optim.lr_scheduler",
            "o = optim.SGD([{'params': [x]}, {'params': [w], 'lr': 0.5}], lr=8., momentum=0.3)",
            f"s = L.{schedule}; {RATES}",
            f"for _ in range(4): o.step(); s.step(); {RATES}",
            "state, kept = s.state_dict(), copy.deepcopy(o.state_dict())",
            f"s = L.{schedule}; s.load_state_dict(state); o.load_state_dict(kept)",
            f"for _ in range(5): o.step(); s.step(); {RATES}",
            "isinstance(s, L.LRScheduler), type(s), s.last_epoch if hasattr(s, 'last_epoch') else ''",
        ],
        NAMES,
    )


PLATEAUS = [
    "",
    "patience=1",
    "'max', 0.5, 1",
    "patience=0, threshold=0.5, threshold_mode='abs'",
    "patience=1, cooldown=2",
]
PLATEAUS += [
    "'max', patience=0, threshold_mode='abs'",
    "patience=0, min_lr=[0.3, 0.01]",
    "patience=0, eps=1., factor=0.3",
]


@each_of(arguments=PLATEAUS)
def test_a_plateau(arguments: str) -> None:
    measures = "(3., 2., 2.5, torch.tensor(2.5), 2., 2., 1.9, 1.9, 5., 5., 0., 1., 1., 1., 1., float('nan'), 2., 2.)"
    assert_alike(
        [
            *START,
            "o = optim.SGD([{'params': [x]}, {'params': [w], 'lr': 0.5}], lr=8.)",
            f"s = optim.lr_scheduler.ReduceLROnPlateau(o, {arguments})",
            f"for each in {measures}: s.step(each); print(s.get_last_lr(), s.best, s.num_bad_epochs)",
            "o, s.last_epoch",
            f"t = optim.lr_scheduler.ReduceLROnPlateau(o, {arguments}); t.load_state_dict(s.state_dict()); t.step(7.)",
            "t.best, t.get_last_lr()",
        ]
    )


def test_adam_in_one_cycle() -> None:
    lines = ["o = optim.Adam([x], lr=1.); s = optim.lr_scheduler.OneCycleLR(o, 0.1, 5)"]
    lines += ["for _ in range(5): o.step(); s.step(); print(s.get_last_lr(), o.param_groups[0]['betas'])", "s.step()"]
    assert_alike([*START, *lines, "optim.lr_scheduler.OneCycleLR(optim.Adagrad([x]), 0.1, 5)"])


def test_restarts_at_a_fraction_of_an_epoch() -> None:
    lines = ["o = optim.SGD([x], lr=8.); s = optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 2)", "o.step()"]
    assert_alike([*START, *lines, "for k in range(30): s.step(k / 4); print(s.get_last_lr(), s.last_epoch)"])


REFUSED_SCHEDULES = [
    "LinearLR(o, 0.)",
    "LinearLR(o, 1, 1, 1, 1, 1)",
    "MultiStepLR(o)",
    "StepLR(x, step_size=1)",
    "CosineAnnealingWarmRestarts(o, 0)",
    "CosineAnnealingWarmRestarts(o, 1, T_mult=0)",
    "OneCycleLR(o, 0.1)",
    "OneCycleLR(o, 0.1, epochs=3)",
    "OneCycleLR(o, 0.1, -5)",
    "OneCycleLR(o, [0.1, 0.2], 5)",
    "OneCycleLR(x, 0.1, 5)",
    "ReduceLROnPlateau(o, factor=1.)",
    "ReduceLROnPlateau(o, 'mean')",
    "ReduceLROnPlateau(o, threshold_mode='mean')",
    "ReduceLROnPlateau(x)",
    "ReduceLROnPlateau(o).step()",
    "SequentialLR(o, [], [])",
]


@each_of(schedule=REFUSED_SCHEDULES)
def test_what_schedules_refuse(schedule: str) -> None:
    assert_alike([*START, "o = optim.SGD([x], lr=1., momentum=0.1)", f"optim.lr_scheduler.{schedule}"])


def test_what_minigrads_schedules_refuse_in_their_own_words() -> None:
    o = minigrad.optim.SGD([minigrad.ones(1, requires_grad=True)])
    schedules = minigrad.optim.lr_scheduler
    step = schedules.StepLR(o, 1)
    with pytest.raises(ValueError, match="SequentialLR with 1 schedulers takes 0 milestones"):
        schedules.SequentialLR(o, [step], [3])


def test_what_a_schedule_refuses_or_warns_about() -> None:
    assert_alike(
        [
            *START,
            "o = optim.SGD([x], lr=1.); s = optim.lr_scheduler.StepLR(o, 1)",
            "s.step()",
            "s.step()",
            "optim.lr_scheduler.StepLR(x, 1)",
            "optim.lr_scheduler.LambdaLR(o, [lambda epoch: 1, lambda epoch: 2])",
            "t = optim.lr_scheduler.ExponentialLR(o, 0.5, last_epoch=3); print(t.get_last_lr(), t.last_epoch)",
        ]
    )


@each_of(rule=["Adam", "AdamW", "Adagrad"], count=["4.", "4"])
def test_a_state_that_counts_its_steps_in_numbers(rule: str, count: str) -> None:
    assert_alike(
        [
            "x = torch.tensor([1., 2.], requires_grad=True); x.grad = torch.tensor([0.5, -1.])",
            f"o = torch.optim.{rule}([x], lr=0.1); o.step(); state = o.state_dict()",
            f"state['state'][0]['step'] = {count}",
            f"again = torch.optim.{rule}([x], lr=0.1); again.load_state_dict(state)",
            "print(again.state[x]['step'], again.state[x]['step'].dtype, again)",
            "again.step(); print(x, again.state[x]['step'])",
        ]
    )


def test_a_step_that_is_overridden_after_the_scheduler_was_made() -> None:
    assert_alike(
        [
            "o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)",
            "s = torch.optim.lr_scheduler.ExponentialLR(o, 0.5)",
            "o.step = lambda: None; o.step()",
            "s.step()",
            "s.step()",
            "s.get_last_lr()",
        ]
    )


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_the_arguments_are_torchs(name: str) -> None:
    theirs, ours = (inspect.signature(getattr(engine.optim, name)).parameters for engine in ENGINES)
    assert list(ours) == list(theirs)
    assert [each.default for each in ours.values()] == [each.default for each in theirs.values()]


@pytest.mark.parametrize("package", ["optim", "optim.lr_scheduler"])
def test_a_name_that_is_not_there_is_a_sentence(package: str) -> None:
    with pytest.raises(AttributeError, match=rf"minigrad.{package} has no 'Adam7' \(torch.{package} may have it\)"):
        _ = eval(f"minigrad.{package}").Adam7


# --- training ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule", ["optim.SGD(net.parameters(), lr=0.5, momentum=0.9)", "optim.Adam(net.parameters(), 0.05)"]
)
def test_a_network_learns_the_same_on_both_engines(rule: str) -> None:
    assert_alike(
        [
            *START,
            "_ = torch.manual_seed(4)",
            "data = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]]); labels = torch.tensor([0, 1, 1, 0])",
            "net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)); loss_of = nn.CrossEntropyLoss()",
            f"o = {rule}",
            """
for epoch in range(61):
    o.zero_grad()
    loss = loss_of(net(data), labels)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    o.step()
    if epoch % 20 == 0:
        print(epoch, f"{loss.item():.3f}")
""",
            "net(data).max(1).indices, [p._version for p in net.parameters()]",
        ]
    )


def test_the_text_of_several_groups() -> None:
    groups = "[{'params': [a]}, {'params': [b], 'lr': 0.5}, {'params': [c]}]"
    setup = "a, b, c = (torch.zeros(1, requires_grad=True) for _ in range(3))"
    assert_alike([setup, *(f"torch.optim.{name}({groups}, lr=0.1)" for name in ("SGD", "Adam"))])


def test_what_minigrad_s_optimizers_and_schedules_do_not_take_is_said() -> None:
    x = minigrad.ones(1, requires_grad=True)
    with pytest.raises(TypeError, match="one of the params is tuple"):
        minigrad.optim.SGD([("x", x)])
    schedule = minigrad.optim.lr_scheduler.StepLR(minigrad.optim.SGD([x]), 2)
    with pytest.raises(NotImplementedError, match=r"not the deprecated step\(epoch\)"):
        schedule.step(3)
