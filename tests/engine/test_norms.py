"""Batch norm and group norm on both engines: values, derivatives, running statistics, texts, refusals."""

import pytest
from engines import assert_alike, each_of
from test_nn import numbers_alike

SETUP = [
    "nn, F = torch.nn, torch.nn.functional",
    "x = torch.tensor([[.2, .4, .3, -1.], [.5, .9, .1, 2.], [-.3, .8, .6, .5]], requires_grad=True)",
    "deep = torch.linspace(-1, 2, 48).reshape(2, 4, 3, 2).sin().requires_grad_()",
    "w = torch.tensor([1., 2., .5, -1.], requires_grad=True); b = torch.tensor([.1, .2, .3, .4], requires_grad=True)",
    "m = torch.tensor([.1, -.2, .25, 0.]); v = torch.tensor([1., 2., .5, .7])",
]
CALLS = [
    "F.batch_norm({}, None, None, training=True)",
    "F.batch_norm({}, m, v, w, b, training=True, momentum=0.3)",
    "F.batch_norm({}, m, v, w, training=True)",
    "F.batch_norm({}, m, v)",
    "F.batch_norm({}, m, v, w, b, eps=0.1)",
    "F.batch_norm({}, m, v, None, b)",
    "F.group_norm({}, 2)",
    "F.group_norm({}, 1, w, b, eps=0.1)",
    "F.group_norm({}, 2, w)",
]


@each_of(call=CALLS, input=["x.double()", "deep.double()[..., 0]", "deep.double()"])
def test_values_graph_and_gradients(call: str, input: str) -> None:
    lines = [f"x = {input}; m, v = m.to(x.dtype), v.to(x.dtype)"]
    lines += ["w, b = [each.detach().to(x.dtype).requires_grad_() for each in (w, b)]"]
    lines += [f"x.retain_grad(); y = {call.format('x')}; print(y, y.grad_fn.name(), m, v, m._version)"]
    lines += ["y.backward(torch.arange(y.numel()).to(y.dtype).reshape(y.shape).cos())", "x.grad, w.grad, b.grad"]
    assert_alike([*SETUP, *lines, "[each[0] and each[0].name() for each in y.grad_fn.next_functions]"])


SECOND = [
    "F.batch_norm(x, None, None, t[0], t[1], True)",
    "F.batch_norm(x, w, w, t[0], t[1])",
    "F.batch_norm(x.reshape(1, 3, 2), None, None, w, w, True)",
    "F.group_norm(x.reshape(1, 2, 3), 2, t[0, :2], t[1, :2])",
    "F.group_norm(x.T.reshape(2, 3), 1, t[0])",
]


@pytest.mark.parametrize("call", SECOND)
def test_second_derivatives(call: str) -> None:
    numbers_alike(call)


LAYERS = ["nn.BatchNorm1d(4)", "nn.BatchNorm1d(4, momentum=None)", "nn.BatchNorm1d(4, 0.1, 0.5, affine=False)"]
LAYERS += [
    "nn.BatchNorm1d(4, track_running_stats=False)",
    "nn.GroupNorm(2, 4)",
    "nn.GroupNorm(4, 4, 0.1, affine=False)",
]


@each_of(layer=LAYERS)
def test_a_layer_in_training_and_evaluation(layer: str) -> None:
    assert_alike(
        [
            *SETUP,
            f"layer = {layer}; data = deep.detach()[..., 0]",
            "layer, layer.state_dict(), [name for name, _ in layer.named_parameters()]",
            "for k in range(3): print(layer(data * (k + 1))[0], list(layer.state_dict().values()))",
            "_ = layer.eval(); print(layer(data), list(layer.state_dict().values()))",
            f"other = {layer}; print(other.load_state_dict(layer.state_dict())); _ = other.eval(); print(other(data))",
            "layer.reset_parameters(); print(layer.state_dict())",
            "layer.double().state_dict()",
        ]
    )


def test_images() -> None:
    assert_alike([*SETUP, "layer = nn.BatchNorm2d(4); print(layer, layer(deep), layer.running_var, type(layer))"])


REFUSED = [
    "nn.BatchNorm1d(4)(deep)",
    "nn.BatchNorm2d(4)(x)",
    "nn.BatchNorm1d(3)(x)",
    "nn.BatchNorm1d(4)(x[:1])",
    "nn.BatchNorm1d(4).eval()(x[:1])",
    "nn.BatchNorm1d(4)(x.double())",
    "nn.BatchNorm1d(4)(torch.ones(2, 4, dtype=torch.int64))",
    "F.batch_norm(x, m[:2], v)",
    "F.batch_norm(x, m, v, w[:3])",
    "F.batch_norm(x, m, v, w, b[:3])",
    "F.batch_norm(x, m, v, w.double())",
    "F.batch_norm(x.double(), m, v, w)",
    "F.batch_norm(x, None, v)",
    "F.batch_norm(x, m, None)",
    "F.batch_norm(x, m, None, training=True)",
    "F.batch_norm(x, None, None)",
    "F.batch_norm(torch.ones(2), None, None, training=True)",
    "F.batch_norm(x, w, v)",
    "F.batch_norm(3, m, v)",
    "nn.GroupNorm(3, 4)",
    "F.group_norm(x, 3)",
    "F.group_norm(x[:1], 4)",
    "F.group_norm(x[0], 2)",
    "F.group_norm(x, 2, w[:3])",
    "F.group_norm(x, 2, w, b[:3])",
    "F.group_norm(x, 2, w.double())",
    "F.group_norm(torch.ones(2, 4, dtype=torch.int64), 2)",
]


@each_of(call=REFUSED)
def test_what_is_refused(call: str) -> None:
    assert_alike([*SETUP, call])


MODES = [
    "with I(): print((x * 2).requires_grad, torch.is_grad_enabled())",
    "with I(), I(False): print((x * 2).requires_grad)",
    "with I(), torch.enable_grad(): print(torch.is_grad_enabled())",
    "with torch.no_grad(), I(mode=False): print((x * 2).requires_grad)",
    "f = I(lambda: (x * 2).requires_grad); print(f(), f())",
    "f = I()(lambda: (x * 2).requires_grad); print(f(), torch.is_grad_enabled())",
    "f = torch.no_grad()(I(False)(lambda: (x * 2).requires_grad)); print(f())",
    "with I(): y = x * 2; print(y)",
    "torch.autograd.inference_mode is I, torch.autograd.grad_mode.inference_mode is I",
]


@each_of(line=MODES)
def test_inference_mode(line: str) -> None:
    assert_alike([*SETUP, "I = torch.inference_mode", line, "(x * 2).requires_grad"])
