"""torch.nn on both engines: what modules find, print, load and refuse; layers, losses and their derivatives."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable

import numpy as np
import pytest
import torch
from engines import ENGINES, assert_alike, each_of, said

import minigrad
from minigrad.nn import fused
from minigrad.ops import softmax

NAMES = {"copy": copy, "np": np}
START = ["nn, F = torch.nn, torch.nn.functional"]
NET = [
    *START,
    "_ = torch.manual_seed(3)",
    "net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1), nn.Tanh()))",
    "layer = nn.Linear(2, 1)",
]
OWN = [
    *START,
    """
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.plain = torch.tensor(3.0, requires_grad=True)
        self.inner = nn.Linear(2, 1, bias=False)
        self.register_buffer("count", torch.tensor([1.0]))
        self.register_buffer("passing", torch.tensor([5.0]), persistent=False)
        self.empty = None

    def forward(self, x):
        return self.scale * self.inner(x) + self.plain
""",
    "_ = torch.manual_seed(0)",
    "own = Own()",
]
# What a graph looks like from its end, without the values.
GRAPH = """
def graph(node, depth=4):
    if node is None or not depth:
        return "-"
    return node.name() + "(" + ", ".join(graph(each, depth - 1) for each, _ in node.next_functions) + ")"
"""


def of_module(*lines: str) -> list[str]:
    return [*NET, *lines]


# --- parameters ----------------------------------------------------------------------------------


def test_a_parameter_is_a_leaf_on_the_memory_of_its_tensor() -> None:
    assert_alike(
        [
            *START,
            "a = torch.tensor([1., 2.]); p = nn.Parameter(a)",
            "a.add_(1)",
            "p, p._version, a._version, p.is_leaf, p.requires_grad, p.grad_fn",
            "nn.Parameter()",
            "nn.Parameter(torch.tensor(2.))",
            "nn.Parameter(torch.ones(2), False)",
            "nn.Parameter(torch.tensor([1, 2]), requires_grad=False)",
            "nn.Parameter(nn.Parameter(torch.ones(1)))",
            "nn.Parameter(p * 2)",
            "[nn.Parameter(torch.ones(1))]",
            "f'{p}', str(p), '{}'.format(nn.Parameter(torch.tensor(2.)))",
            "type(p.data).__name__, type(p.detach()).__name__, type(p + 0).__name__, type(p.view(2)).__name__",
            "p * 2, p.view(2)",
            "isinstance(p, torch.Tensor), isinstance(a, nn.Parameter), isinstance(p, nn.Parameter)",
            "p.data = torch.zeros(3); print(p, p.grad)",
            "p.requires_grad_(False)",
            "with torch.no_grad(): q = nn.Parameter(torch.ones(1)); print(q)",
        ]
    )


def test_what_cannot_be_a_parameter() -> None:
    assert_alike(
        [
            *START,
            "nn.Parameter(torch.tensor([1, 2]))",
            "nn.Parameter([1.])",
            "nn.Parameter(3.)",
        ]
    )


def test_a_deep_copy_of_a_parameter_has_neither_the_gradient_nor_the_memory() -> None:
    assert_alike(
        [
            *START,
            "p = nn.Parameter(torch.ones(2)); p.grad = torch.ones(2); p.tag = 5",
            "q = copy.deepcopy(p); print(q, q.grad, hasattr(q, 'tag'), type(q).__name__)",
            "with torch.no_grad(): q.add_(1)",
            "p, q",
            "both = copy.deepcopy([p, p]); print(both[0] is both[1])",
        ],
        NAMES,
    )


# --- modules -------------------------------------------------------------------------------------


def test_what_a_module_finds() -> None:
    assert_alike(
        [
            *OWN,
            "[name for name, _ in own.named_parameters()]",
            "[name for name, _ in own.named_parameters(prefix='x', recurse=False)]",
            "[name for name, _ in own.named_buffers()]",
            "[name for name, _ in own.named_modules()]",
            "[name for name, _ in own.named_children()]",
            "list(own.state_dict())",
            "own",
            "y = own(torch.tensor([[3., 1.]])); y.backward()",
            "y, own.scale.grad, own.inner.weight.grad, own.plain.grad",
            "own.zero_grad(); print(own.scale.grad, own.plain.grad)",
            "own.zero_grad(set_to_none=False); print(own.scale.grad)",
            "outer = nn.Module(); outer.a = own; outer.b = own; outer.c = own.inner",
            "[name for name, _ in outer.named_parameters()]",
            "[name for name, _ in outer.named_parameters(remove_duplicate=False)]",
            "[name for name, _ in outer.named_modules()]",
            "[name for name, _ in outer.named_children()], len(list(outer.buffers())), len(list(outer.modules()))",
            "list(outer.state_dict())",
            "type(own.parameters()).__name__, own.parameters().__qualname__",
        ]
    )


def test_attributes_are_registered_by_what_they_are() -> None:
    assert_alike(
        of_module(
            "layer.foo = torch.ones(1); print('foo' in layer.state_dict(), layer.foo)",
            "layer.foo = nn.Parameter(torch.ones(1)); print(list(layer.state_dict()), layer.foo)",
            "layer.foo = None; print(list(layer.state_dict()), layer.foo, 'foo' in dict(layer.named_parameters()))",
            "layer.foo = nn.ReLU()",
            "del layer.foo; print(layer)",
            "layer.foo",
            "layer.foo = nn.ReLU(); print(layer, list(layer.named_children()))",
            "layer.foo = 5",
            "layer.foo = None; print(layer)",
            "layer.foo = nn.Parameter(torch.ones(1)); print(layer, list(layer.state_dict()))",
            "layer.register_buffer('buf', torch.ones(1))",
            "layer.register_buffer('tmp', torch.ones(1), persistent=False)",
            "list(layer.state_dict()), [name for name, _ in layer.named_buffers()]",
            "layer.buf = torch.zeros(2); print(layer.buf, list(layer.named_buffers()))",
            "layer.buf = None; print(list(layer.named_buffers()))",
            "layer.buf = 5",
            "del layer.tmp; print(list(layer.named_buffers()))",
            "del layer.nothing",
            "layer.weight = None; print(layer, layer.weight)",
            "layer.bias = 3",
            "layer.weight = torch.ones(1, 2)",
            "layer.weight = nn.Linear(1, 1)",
            "'0' in dir(net), 'weight' in dir(layer), 'training' in dir(layer), dir(net) == sorted(dir(net))",
        )
    )


def test_names_that_are_refused() -> None:
    assert_alike(
        of_module(
            "layer.register_parameter('w', nn.Linear)",
            "layer.register_parameter('w', 5)",
            "layer.register_parameter('weight', None); print(layer.weight)",
            "layer.register_parameter('forward', None)",
            "layer.register_parameter('a.b', None)",
            "layer.register_parameter(3, None)",
            "layer.register_buffer('b', 5)",
            "layer.register_buffer('weight', None)",
            "layer.register_buffer('a.b', None)",
            "layer.register_buffer(3, None)",
            "layer.add_module('x', 5)",
            "layer.add_module('x', F.relu)",
            "layer.add_module('x', F.mse_loss)",
            "layer.add_module('x', torch.relu)",
            "layer.add_module('x', nn.ReLU)",
            "layer.add_module('weight', nn.ReLU())",
            "layer.add_module('a.b', nn.ReLU())",
            "layer.add_module(3, nn.ReLU())",
            "layer.register_module('last', nn.ReLU()); print(layer)",
            "layer.get_submodule('a')",
            "layer.get_submodule('bias')",
            "net.get_submodule('2.0'), net.get_submodule('') is net",
        )
    )


@pytest.mark.parametrize(
    "body",
    [
        "self.l = nn.Linear(1, 1)",
        "self.p = nn.Parameter(torch.ones(1))",
        "self.register_buffer('b', None)",
        "self.p = 3",
    ],
)
def test_attributes_before_the_init_of_module(body: str) -> None:
    own = f"class Own(nn.Module):\n    def __init__(self):\n        {body}"
    assert_alike([*START, own, "own = Own()", "own.p", "print(own)", "own(1)"])


def test_a_module_without_forward_and_with_arguments() -> None:
    assert_alike(
        [
            *START,
            "nn.Module(5)",
            "nn.Module(a=5)",
            "nn.Module()(1)",
            "nn.Module().forward()",
            "nn.Module()",
            "nn.Module().nothing",
            "nn.Linear()",
            "nn.Linear(2, 1)()",
            "nn.Linear(2, 1).train(5)",
        ]
    )


def test_modes_flags_and_apply() -> None:
    assert_alike(
        of_module(
            "net.training, net.eval().training, net[2][1].training",
            "net.train() is net, [module.training for module in net.modules()]",
            "net[2].eval(); print([module.training for module in net.modules()])",
            "net.requires_grad_(False) is net, [p.requires_grad for p in net.parameters()]",
            "net(torch.ones(1, 2)).requires_grad",
            "net[2].requires_grad_(); y = net(torch.ones(1, 2)); y.backward()",
            "[p.grad is None for p in net.parameters()]",
            "net.zero_grad(False); print([p.grad for p in net.parameters()])",
            "net.zero_grad(); print([p.grad for p in net.parameters()])",
            "seen = []; print(net.apply(lambda module: seen.append(type(module).__name__)) is net, seen)",
        )
    )


def test_dtypes_of_a_module() -> None:
    assert_alike(
        of_module(
            "layer(torch.ones(2)).backward(); p = layer.weight",
            "layer.double() is layer, p is layer.weight, p.dtype, p.grad.dtype, p.is_leaf, p.requires_grad",
            "layer",
            "layer(torch.ones(2))",
            "layer(torch.ones(2, dtype=torch.float64)).dtype",
            "net.to(torch.float64)[0].weight.dtype, net.float()[2][0].bias.dtype",
            "net.to(dtype=torch.float64)[0].weight.dtype",
            "net.to('cpu', torch.float32)[0].weight.dtype",
            "net.to(p)[0].weight.dtype",
            "net.half()[0].weight.dtype",
            "net.to(torch.long)",
            "net.cpu() is net",
            "net.type(torch.float64)[0].weight.dtype",
            "m = nn.Module(); m.register_buffer('i', torch.tensor([1, 2])); m.register_buffer('f', torch.ones(1))",
            "m.double(); print(m.i, m.f)",
            "m.to(torch.float32); print(m.i.dtype, m.f.dtype)",
            "nn.Linear(2, 2, dtype=torch.float64).weight.dtype",
            "nn.Linear(2, 2, dtype=torch.long)",
        )
    )


def test_a_module_cannot_leave_the_cpu() -> None:
    for call in [lambda layer: layer.cuda(), lambda layer: layer.to("cuda")]:
        with pytest.raises((AssertionError, NotImplementedError, RuntimeError)):
            call(minigrad.nn.Linear(1, 1))


# --- state ---------------------------------------------------------------------------------------


def test_the_state_is_detached_and_shares_memory() -> None:
    assert_alike(
        of_module(
            "state = net.state_dict(); print(type(state).__name__, list(state))",
            "state",
            "[(value.requires_grad, type(value).__name__) for value in state.values()]",
            "with torch.no_grad(): net[0].weight.fill_(0.5)",
            "state['0.weight']",
            "net.state_dict(keep_vars=True)['0.weight']",
            "list(net.state_dict(prefix='net.'))",
            "other = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))",
            "p = other[0].weight; print(other.load_state_dict(state), p is other[0].weight, p is net[0].weight, p)",
            "torch.equal(other[2][0].bias, net[2][0].bias), p._version, p.requires_grad",
        )
    )


def test_states_that_do_not_fit() -> None:
    assert_alike(
        of_module(
            "layer.load_state_dict({})",
            "layer.load_state_dict({}, strict=False)",
            "layer.load_state_dict([1])",
            "bad = {'weight': torch.ones(1, 2), 'bias': torch.ones(2), 'extra': torch.ones(1), 'q.r': 3}",
            "layer.load_state_dict(bad)",
            "layer.load_state_dict(bad, strict=False)",
            "layer.load_state_dict({'weight': torch.ones(1, 2)}, strict=False)",
            "layer.load_state_dict({'weight': torch.ones(1, 2), 'bias': 5})",
            "ints = {'weight': torch.ones(1, 2).double(), 'bias': torch.ones(1, dtype=torch.long)}",
            "layer.load_state_dict(ints), layer.weight, layer.bias",
            "net.load_state_dict({'0.weight': torch.ones(3, 2), '5.q': torch.ones(1), '2.0.extra': torch.ones(1)})",
            "loaded = layer.load_state_dict({'bias': torch.ones(1)}, strict=False)",
            "loaded.missing_keys, loaded.unexpected_keys, tuple(loaded)",
        )
    )


def test_a_state_beside_the_tensors() -> None:
    assert_alike(
        [
            *START,
            """
class Counted(nn.Linear):
    calls = 3
    def get_extra_state(self):
        return {"calls": self.calls}
    def set_extra_state(self, state):
        self.calls = state["calls"] + 1
""",
            "_ = torch.manual_seed(0)",
            "net = nn.Sequential(Counted(1, 1), nn.ReLU()); state = net.state_dict(); print(state)",
            "net.load_state_dict(state), net[0].calls",
            "del state['0._extra_state']; net.load_state_dict(state)",
            "net.load_state_dict(state, strict=False), net[0].calls",
            "nn.Linear(1, 1).load_state_dict({**nn.Linear(1, 1).state_dict(), '_extra_state': 1})",
        ]
    )


def test_a_copy_of_a_module_whose_class_stands_in_a_function() -> None:
    assert_alike(
        [
            *START,
            """
def made():
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))
        def forward(self, x):
            return self.weight * x
    return nn.Sequential(Inner(), nn.ReLU())
""",
            "net = made(); again = copy.deepcopy(net)",
            "print(again, again[0].weight is net[0].weight, type(again[0]) is type(net[0]))",
            "again(torch.ones(2))",
        ],
        NAMES,
    )


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_of_a_module_has_memory_of_its_own_and_keeps_what_is_tied(way: str) -> None:
    net = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    again = copy.deepcopy(net) if way == "deepcopy" else pickle.loads(pickle.dumps(net))
    assert again[1].weight is again[0].weight
    with minigrad.no_grad():
        again[0].weight.fill_(0)
    assert net[0].weight.abs().sum().item() > 0
    assert repr(again) == repr(net)


# --- hooks ---------------------------------------------------------------------------------------


def test_forward_hooks() -> None:
    assert_alike(
        of_module(
            "x = torch.ones(1, 2); calls = []",
            "before = layer(x)",
            "pre = layer.register_forward_pre_hook(lambda m, args: (args[0] * 2,))",
            "post = layer.register_forward_hook(lambda m, args, out: calls.append((type(m).__name__, args, out)))",
            "layer(x), calls",
            "pre.remove(); post.remove(); print(torch.equal(layer(x), before), len(calls))",
            "h = layer.register_forward_hook(lambda m, args, out: out + 100)",
            "layer(x)",
            "h.remove()",
            "with layer.register_forward_hook(lambda m, args, out: print('hooked')): layer(x)",
            "torch.equal(layer(x), before)",
        )
    )


def test_backward_hooks() -> None:
    assert_alike(
        of_module(
            "x = torch.ones(1, 2, requires_grad=True)",
            "h = layer.register_full_backward_hook(lambda m, gi, go: print('hook', m, gi, go))",
            "y = layer(x); print(y, [each[0].name() for each in y.grad_fn.next_functions])",
            "(y * 3).sum().backward(); print(x.grad, layer.weight.grad)",
            "layer(torch.ones(1, 2)).sum().backward()",
            "with torch.no_grad(): print(layer(x))",
            "torch.autograd.grad(layer(x).sum(), x, create_graph=True)",
            "h.remove(); h = layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 100,))",
            "x.grad = None; layer(x).sum().backward(); print(x.grad)",
            "h.remove(); h = layer.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))",
            "layer(x).sum().backward()",
            "layer(torch.ones(1, 2)).sum().backward()",
            "h.remove(); show = lambda name: lambda m, gi, go: print(name, gi, go)",
            "a = net[0].register_full_backward_hook(show('first'))",
            "b = net.register_full_backward_hook(show('net'))",
            "net(x).sum().backward()",
        )
    )


def test_backward_hooks_of_a_module_with_several_arguments_and_results() -> None:
    assert_alike(
        [
            *START,
            """
class Two(nn.Module):
    def forward(self, a, n, b):
        return a * b, 5, b + n
""",
            "two = Two(); h = two.register_full_backward_hook(lambda m, gi, go: print(gi, go))",
            "a = torch.tensor([1., 2.], requires_grad=True); b = torch.tensor([3., 4.])",
            "y, n, z = two(a, 7, b); print(y, n, z); y.sum().backward()",
            "b.requires_grad_(); y, n, z = two(a, 7, b); (y * 10).sum().backward(); print(a.grad, b.grad)",
            "y, n, z = two(a, 7, b); (y + z).sum().backward()",
        ]
    )


# --- containers ----------------------------------------------------------------------------------


def test_sequential() -> None:
    assert_alike(
        of_module(
            "net",
            "len(net), net[0], net[-1], net[2][1], [type(module).__name__ for module in net]",
            "net[1:], net[:0], net[::2]",
            "net[3]",
            "net['a']",
            "net.append(nn.Sigmoid()) is net, len(net)",
            "del net[1:]; print(net)",
            "net[0] = nn.ReLU(); print(net)",
            "net += nn.Sequential(nn.Tanh()); print(net)",
            "net.extend([nn.ReLU(), nn.ReLU()]); print(net)",
            "nn.Sequential()",
            "nn.Sequential()(3)",
            "nn.Sequential(F.relu)",
            "nn.Sequential(nn.ReLU)",
            "nn.Sequential([nn.ReLU()])",
            "nn.Sequential(nn.ReLU(), None)",
            "nn.Sequential(nn.ReLU(), None)(torch.ones(1))",
            "from collections import OrderedDict",
            "named = nn.Sequential(OrderedDict([('first', nn.Linear(1, 1)), ('act', nn.ReLU())])); print(named)",
            "named.first, named[1], list(named.state_dict()), named[:1]",
        )
    )


def test_module_list() -> None:
    assert_alike(
        of_module(
            "m = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(1, 1), nn.Sequential(nn.ReLU(), nn.Tanh())]); print(m)",
            "len(m), m[1:3], m[-1], [type(each).__name__ for each in m]",
            "m[9]",
            "m(3)",
            "m += [nn.Identity()]; m.append(nn.Identity()); print(m)",
            "m[0] = nn.Sigmoid(); del m[1]; print(m)",
            "nn.ModuleList(5)",
            "nn.ModuleList([5])",
            "nn.ModuleList()",
            "[name for name, _ in m.named_parameters()]",
        )
    )


def test_module_dict() -> None:
    assert_alike(
        of_module(
            "d = nn.ModuleDict({'a': nn.ReLU(), 'b': nn.Linear(1, 1)}); print(d)",
            "d['a'], len(d), list(d), 'b' in d, list(d.keys()), list(d.items()), list(d.values())",
            "d['c']",
            "d(1)",
            "d.update([('c', nn.Tanh())]); print(d.pop('a'), d)",
            "del d['c']; d.clear(); print(d)",
            "nn.ModuleDict({'keys': nn.ReLU()})",
        )
    )


def test_lists_and_dicts_of_parameters() -> None:
    assert_alike(
        of_module(
            "p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(2, 3))]); print(p, nn.ParameterList())",
            "p.append(torch.tensor(1.0)); p += [torch.ones(1)]; p[0] = torch.zeros(1); len(p), p[-1], p[1:], [*p]",
            "[name for name, _ in p.named_parameters()], list(p.state_dict()), nn.ParameterList([torch.ones(1)])",
            "p[7]",
            "d = nn.ParameterDict({'b': torch.ones(2), 'a': nn.Parameter(torch.zeros(2, 3))}); print(d)",
            "list(d), list(d.items()), 'b' in d, d.get('z'), d.pop('b'), len(d)",
            "d['c'] = torch.ones(1); del d['a']; d.update([('e', torch.zeros(2))]); print(d)",
        )
    )
    with pytest.raises(NotImplementedError, match="minigrad's ParameterList holds tensors, no int"):
        minigrad.nn.ParameterList([3])


def test_prelu() -> None:
    assert_alike(
        [
            *START,
            "x = torch.tensor([[-1.0, 2.0, -3.0], [0.0, -5.0, 6.0]], requires_grad=True)",
            "m, one = nn.PReLU(3), nn.PReLU()",
            "m, one, m.state_dict(), one(x), m(x), F.prelu(x[0], torch.tensor(0.5)), one(torch.tensor(-1.0))",
            "g = torch.autograd.grad((m(x) * x).sum(), (x, m.weight), create_graph=True)",
            "g, g[0].grad_fn.next_functions[0][0].name()",
            "torch.autograd.grad((g[0] * g[0]).sum() + (g[1] * g[1]).sum(), (x, m.weight))",
            "m(x[:, :2])",
            "F.prelu(x.double(), m.weight)",
            "F.prelu(torch.tensor(1), torch.tensor(2))",
            "F.prelu(x, 0.1)",
        ]
    )


# --- what modules print --------------------------------------------------------------------------

TEXTS = [
    "nn.Linear(2, 3), nn.Linear(2, 3, bias=False), nn.Identity(4, a=5)",
    "nn.Identity(4)(7)",
    "nn.Flatten(), nn.Flatten(0, -2)",
    "nn.Dropout(), nn.Dropout(0.3, True), nn.Dropout(p=1)",
    "nn.Dropout(2.)",
    "nn.Dropout(-1)",
    "nn.ReLU(), nn.ReLU(True), nn.Sigmoid(), nn.Tanh()",
    "nn.LeakyReLU(), nn.LeakyReLU(0.2, True), nn.ELU(), nn.ELU(2, True), nn.SiLU(), nn.SiLU(True)",
    "nn.Mish(), nn.Mish(True), nn.KLDivLoss(reduction='batchmean'), nn.Softplus(2)",
    "nn.GELU(), nn.GELU('tanh'), nn.Softmax(), nn.Softmax(1), nn.LogSoftmax(dim=-1)",
    "nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.HuberLoss(delta=2.), nn.BCELoss(), nn.BCEWithLogitsLoss()",
    "nn.CrossEntropyLoss(), nn.NLLLoss(), nn.MSELoss(reduction='bad')",
    "nn.MSELoss(size_average=False).reduction, nn.MSELoss(reduce=False).reduction",
    "nn.CrossEntropyLoss(weight=torch.ones(2)).state_dict()",
    "nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)).state_dict()",
    "nn.CrossEntropyLoss(weight=[1., 2.])",
    "nn.Embedding(4, 2), nn.Embedding(4, 2, padding_idx=-1)",
    "nn.Embedding(4, 2, padding_idx=5)",
    "nn.LayerNorm(3), nn.LayerNorm((2, 3), elementwise_affine=False), nn.LayerNorm([3], bias=False)",
    "nn.Linear(0, 2)",
    "nn.Linear(2, 0)",
]


@each_of(line=TEXTS)
def test_the_text_of_a_module(line: str) -> None:
    assert_alike([*START, line])


def test_a_module_made_from_a_function_is_called_as_torchs() -> None:
    assert_alike(
        [
            *START,
            "nn.ReLU(True, False)",
            "nn.ReLU(place=True)",
            "nn.LeakyReLU(0.1, negative_slope=0.2)",
            "nn.Sigmoid(1)",
            "nn.Tanh(a=1)",
            "nn.ReLU()()",
            "nn.ReLU()(torch.ones(1), 2)",
            "nn.MSELoss()(torch.ones(1))",
            "nn.CrossEntropyLoss(None, None, -100, None, 'sum', 0.1, 5)",
            "nn.MSELoss(torch.ones(2), torch.ones(2))",
            "nn.Softmax(dim=0)(input=torch.zeros(2))",
            """
class Own(nn.LeakyReLU):
    def __init__(self):
        super().__init__(inplace=True)
""",
            "own = Own(); print(own, own.negative_slope, own(torch.tensor([-1., 1.])), nn.ReLU.__init__.__qualname__)",
            "loss = nn.BCEWithLogitsLoss(pos_weight=nn.Parameter(torch.ones(1))); print(loss.pos_weight, loss.weight)",
        ]
    )


def test_the_files_of_the_modules_have_torchs_names() -> None:
    for name in minigrad.nn.modules.__all__:
        ours, theirs = getattr(minigrad.nn, name), getattr(torch.nn, name)
        assert ours.__module__.replace("minigrad", "torch") == theirs.__module__
        own = inspect.signature(ours).parameters
        assert list(own) == [each for each in inspect.signature(theirs).parameters if each in own]


def test_every_name_of_nn_is_torchs() -> None:
    for package in ("nn", "nn.functional"):
        for name in eval(f"minigrad.{package}").__all__:
            assert hasattr(eval(f"torch.{package}"), name), name


@pytest.mark.parametrize("package", ["nn", "nn.functional", "nn.init", "nn.utils"])
def test_a_name_that_is_not_there_is_a_sentence(package: str) -> None:
    with pytest.raises(AttributeError, match=rf"minigrad.{package} has no 'Conv7d' \(torch.{package} may have it\)"):
        _ = eval(f"minigrad.{package}").Conv7d


# --- first values --------------------------------------------------------------------------------


@each_of(dtype=["float32", "float64"], sizes=[(1, 1), (3, 2), (7, 5), (40, 30)], bias=[True, False])
def test_the_first_values_of_linear_are_torchs_bit_for_bit(dtype: str, sizes: tuple[int, int], bias: bool) -> None:
    for seed in (0, 1, 2**40):
        layers = []
        for engine in ENGINES:
            engine.manual_seed(seed)
            layer = engine.nn.Linear(*sizes, bias=bias, dtype=getattr(engine, dtype))
            layers.append([each.detach().numpy() for each in (*layer.parameters(), engine.rand(3))])
        for theirs, ours in zip(*layers, strict=True):
            assert theirs.dtype == ours.dtype
            np.testing.assert_array_equal(ours, theirs)


INITS = [
    "uniform_(w, -2., 3.)",
    "normal_(w, 2., 3.)",
    "xavier_uniform_(w)",
    "xavier_uniform_(w, gain=2.)",
    "xavier_normal_(w)",
    "kaiming_uniform_(w)",
    "kaiming_uniform_(w, a=0.5, mode='fan_out')",
    "kaiming_uniform_(w, nonlinearity='relu')",
    "kaiming_normal_(w, mode='fan_out', nonlinearity='tanh')",
    "constant_(w, 0.3)",
    "ones_(w)",
    "zeros_(w)",
]


@each_of(call=INITS, shape=[(3, 4), (2, 3, 2)])
def test_functions_of_init(call: str, shape: tuple[int, ...]) -> None:
    assert_alike(
        [
            *START,
            "_ = torch.manual_seed(1)",
            f"w = nn.Parameter(torch.empty{shape})",
            f"print(nn.init.{call} is w, w, w._version)",
            "torch.rand(2)",
        ]
    )


def test_what_init_refuses() -> None:
    assert_alike(
        [
            *START,
            "nn.init.xavier_uniform_(torch.ones(3))",
            "nn.init.xavier_normal_(torch.ones(3))",
            "nn.init.kaiming_uniform_(torch.ones(3))",
            "nn.init.kaiming_normal_(torch.ones(3, 2), mode='foo')",
            "nn.init.kaiming_uniform_(torch.ones(0, 2))",
            "nn.init.kaiming_normal_(torch.ones(0, 2))",
            "nn.init.calculate_gain('foo')",
            "names = ['linear', 'conv2d', 'conv_transpose3d', 'sigmoid', 'tanh', 'relu', 'leaky_relu', 'selu']",
            "[nn.init.calculate_gain(name) for name in names], nn.init.calculate_gain('leaky_relu', 1)",
            "nn.init.uniform_(torch.ones(2), 3, 1)",
            "nn.init.normal_(torch.ones(2), 0, -1)",
        ]
    )


# --- layers --------------------------------------------------------------------------------------


@each_of(shape=[(3,), (4, 3), (0, 3), (5, 4, 3), (2, 5, 4, 3)], bias=["b", "None"])
def test_linear_and_its_graph(shape: tuple[int, ...], bias: str) -> None:
    assert_alike(
        [
            *START,
            GRAPH,
            "_ = torch.manual_seed(0)",
            "w = torch.rand(2, 3, requires_grad=True); b = torch.rand(2, requires_grad=True)",
            f"x = torch.rand{shape}.requires_grad_()",
            f"y = F.linear(x, w, {bias})",
            "y.shape, graph(y.grad_fn)",
            "y",
            "v = torch.rand(y.shape); y.backward(v)",
            "x.grad, w.grad, b.grad",
        ]
    )


def test_linear_of_a_transposed_batch() -> None:
    assert_alike(
        [
            *START,
            "x = torch.arange(24.).reshape(2, 3, 4).transpose(1, 2); w = torch.arange(6.).reshape(2, 3)",
            "F.linear(x, w, torch.ones(2))",
            "F.linear(x, w)",
        ]
    )


@each_of(
    part=[
        "[:, :1]",
        "[::2]",
        ".mT",
        ".transpose(0, 1)",
        "[..., :1].expand(4, 3, 3)",
        "[:1]",
        "[0].mT",
        "[0, 0]",
        "[0, :, 0]",
    ]
)
def test_linear_adds_the_bias_apart_where_rows_do_not_follow_each_other(part: str) -> None:
    assert_alike(
        [
            *START,
            "x = torch.arange(36.).reshape(4, 3, 3).requires_grad_()",
            "w = torch.arange(6.).reshape(2, 3).requires_grad_(); b = torch.ones(2, requires_grad=True)",
            f"y = F.linear(x{part}, w, b)",
            "y, graph(y.grad_fn), y._version",
            "y.backward(torch.arange(float(y.numel())).view(y.shape))",
            "x.grad, w.grad, b.grad",
        ]
    )


def test_linear_with_biases_of_other_shapes() -> None:
    assert_alike(
        [
            *START,
            GRAPH,
            "x = torch.ones(2, 3, requires_grad=True); w = torch.ones(2, 3)",
            "for b in [torch.ones(1), torch.ones(()), torch.ones(2, 2)]: print(F.linear(x, w, b))",
            "F.linear(x, w, torch.ones(3))",
            "F.linear(x[0], w, torch.ones(()))",
            "F.linear(x[0], w, torch.ones(2, 2))",
            "graph(F.linear(x, torch.ones(3)).grad_fn)",
            "graph(F.linear(x[0], torch.ones(3), torch.tensor(1.)).grad_fn, 2)",
        ]
    )


@pytest.mark.parametrize("bias", ["True", "False"])
def test_what_linear_refuses(bias: str) -> None:
    assert_alike(
        [
            *START,
            f"layer = nn.Linear(2, 1, bias={bias})",
            "layer(torch.ones(3))",
            "layer(torch.ones(2, 3))",
            "layer(torch.ones(2, 3, 3))",
            "layer(3)",
            "layer([1., 2.])",
            "layer(torch.ones(2, 2, dtype=torch.long))",
            "layer(torch.ones(2, 2, dtype=torch.float64))",
            "layer(torch.ones(2, dtype=torch.float64))",
            "F.linear(torch.ones(2, 3), torch.ones(2, 3, 3))",
        ]
    )


def test_one_layer_used_twice_gets_the_sum() -> None:
    assert_alike(
        of_module(
            "square = nn.Linear(2, 2); y = square(square(torch.tensor([1., 3.]))); y.backward(torch.tensor([1., 10.]))",
            "square.weight.grad, square.bias.grad",
            "tied = nn.Sequential(square, square); print(len(list(tied.parameters())), list(tied.state_dict()))",
        )
    )


def test_flatten_and_embedding() -> None:
    assert_alike(
        [
            *START,
            "x = torch.arange(24.).reshape(2, 3, 4).requires_grad_()",
            "nn.Flatten()(x), nn.Flatten(0)(x).shape, nn.Flatten(0, 1)(x).shape",
            "_ = torch.manual_seed(0); e = nn.Embedding(4, 2, padding_idx=1); print(e.weight)",
            "i = torch.tensor([[0, 2], [2, 1]]); y = e(i); print(y)",
            "y.backward(torch.arange(8.).reshape(2, 2, 2)); print(e.weight.grad)",
            "e(torch.tensor(3)), e(torch.tensor([1]).int())",
            "e(torch.tensor([4]))",
            "e(torch.tensor([-1]))",
            "e(torch.tensor([1.]))",
            "F.embedding(i, torch.ones(3))",
            "w = torch.arange(6.).reshape(3, 2).requires_grad_()",
            "(g,) = torch.autograd.grad((F.embedding(i, w) ** 2).sum(), w, create_graph=True); print(g.detach())",
            "torch.autograd.grad((g * torch.arange(6.).reshape(3, 2)).sum(), w)",
        ]
    )


def test_layer_norm() -> None:
    assert_alike(
        [
            *START,
            "x = torch.tensor([[.2, .4, .9], [.5, .9, .1]], requires_grad=True); w = torch.tensor([1., 2., 3.])",
            "layer = nn.LayerNorm(3)",
            "with torch.no_grad(): layer.weight.copy_(w); layer.bias.copy_(w / 10)",
            "y = layer(x); print(y); y.backward(torch.arange(6.).reshape(2, 3))",
            "x.grad, layer.weight.grad, layer.bias.grad",
            "F.layer_norm(x, (2, 3)), F.layer_norm(x, [3], w, eps=1.), F.layer_norm(x, (3,), None, w)",
            "F.layer_norm(x, (4,))",
            "F.layer_norm(x.double(), (3,), w)",
            "F.layer_norm(torch.tensor([1, 2]), (2,))",
        ]
    )


# --- dropout -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.3, 0.5, 0.9])
def test_dropout_keeps_what_the_rule_of_the_generator_says(rate: float) -> None:
    """Two words for each entry make a float64 number, which is kept below 1 - p: so torch draws on most processors."""
    minigrad.manual_seed(5)
    x = minigrad.arange(1.0, 31.0).reshape(5, 6).requires_grad_()
    y = minigrad.nn.Dropout(rate)(x)
    drawn = minigrad.Generator().manual_seed(5)
    kept = minigrad.rand(5, 6, dtype=minigrad.float64, generator=drawn) < 1 - rate
    expected = kept.float() * minigrad.tensor(1 / (1 - rate))
    assert (y == x * expected).all()
    y.sum().backward()
    assert (x.grad == expected).all()


def test_dropout_without_chance() -> None:
    assert_alike(
        [
            *START,
            "x = torch.ones(2, 3, requires_grad=True); i = torch.tensor([1, 2])",
            "F.dropout(x, 0.) is x, F.dropout(x, training=False) is x, nn.Dropout().eval()(x) is x",
            "F.dropout(x, 1.)",
            "F.dropout(torch.ones(0)), F.dropout(i, 0.)",
            "F.dropout(x, 1.5)",
            "F.dropout(x, -.5)",
            "F.dropout(i, .5)",
            "F.dropout(x, inplace=True)",
            "y = x * 3; z = F.dropout(y, 1., inplace=True); print(z is y, y, y._version)",
            "F.dropout(3., .5)",
            "F.dropout(3., .5, inplace=True)",
        ]
    )


def test_dropout_in_both_engines_scales_what_it_keeps() -> None:
    for engine in ENGINES:
        engine.manual_seed(0)
        x = engine.ones(1000, requires_grad=True)
        y = engine.nn.functional.dropout(x, 0.25)
        assert set(y.tolist()) == {0.0, engine.tensor(1 / 0.75).item()}
        assert 650 < (y > 0).sum().item() < 850
        y.sum().backward()
        assert engine.equal(x.grad, y.detach())
        assert y.grad_fn.name() == "MulBackward0"


# --- activations ---------------------------------------------------------------------------------

ACTIVATIONS = [
    "F.relu(x)",
    "F.leaky_relu(x)",
    "F.leaky_relu(x, -0.5)",
    "F.elu(x)",
    "F.elu(x, 2.)",
    "F.elu(x, -1.)",
    "F.silu(x)",
    "F.gelu(x)",
    "F.softplus(x)",
    "F.softplus(x, 2., threshold=3.)",
    "F.mish(x)",
    "F.hardtanh(x)",
    "F.hardtanh(x, -0.5, 2.)",
    "F.relu6(x * 4)",
    "F.gelu(x, approximate='tanh')",
    "F.sigmoid(x)",
    "F.tanh(x)",
    "F.log_softmax(x, dim=0)",
    "F.log_softmax(x, 0, dtype=torch.float64)",
]
IN_PLACE = [
    "F.relu(y, inplace=True)",
    "F.leaky_relu(y, inplace=True)",
    "F.elu(y, inplace=True)",
    "F.elu(y, 0.5, True)",
    "F.silu(y, inplace=True)",
    "F.mish(y, inplace=True)",
    "F.hardtanh(y, inplace=True)",
    "F.relu6(y, True)",
    "nn.ReLU(inplace=True)(y)",
]


@each_of(call=ACTIVATIONS)
def test_activations(call: str) -> None:
    assert_alike(
        [
            *START,
            "x = torch.tensor([-3., -1., -0.25, 0., -0., 0.5, 2., float('nan')], requires_grad=True)",
            f"y = {call}; print(y)",
            "y.backward(torch.arange(1., 9.)); print(x.grad)",
            f"x = torch.tensor([-200., 200.], requires_grad=True); y = {call}; print(y)",
            "y.backward(torch.tensor([1., 10.])); print(x.grad)",
            f"x = torch.zeros(0); y = {call}; print(y)",
            f"x = torch.tensor(-0.5, requires_grad=True); y = {call}; y.backward(); print(y, x.grad)",
            "y.backward()",
        ]
    )


@each_of(call=IN_PLACE)
def test_activations_in_place(call: str) -> None:
    assert_alike(
        [
            *START,
            GRAPH,
            "x = torch.tensor([-3., -0.25, 0., 0.5, 2.], requires_grad=True)",
            f"y = x * 1; z = {call}; print(z is y, y, y._version, graph(y.grad_fn))",
            "y.backward(torch.arange(1., 6.)); print(x.grad)",
            f"y = x; z = {call}",
            f"y = x.sigmoid(); z = {call}; print(z)",
            "z.sum().backward()",
        ]
    )


def test_what_activations_refuse() -> None:
    assert_alike(
        [
            *START,
            "i = torch.tensor([1, -2]); x = torch.ones(2, requires_grad=True)",
            "F.relu(i)",
            "F.leaky_relu(i)",
            "F.leaky_relu(i > 0)",
            "F.elu(i)",
            "F.silu(i)",
            "F.gelu(i)",
            "F.gelu(x, approximate='foo')",
            "F.relu(3.)",
            "F.leaky_relu([1.], inplace=True)",
            "F.elu(3.)",
            "F.silu(3.)",
            "F.gelu(3.)",
        ]
    )


def test_softmax_without_a_dimension_warns() -> None:
    assert_alike(
        [
            *START,
            "F.softmax(torch.ones(2, 3))",
            "F.log_softmax(torch.ones(3))",
            "F.softmax(torch.ones(2, 1, 1)).shape",
            "F.softmax(torch.tensor(1.))",
            "nn.Softmax()(torch.ones(2, 2))",
            "nn.LogSoftmax()(torch.ones(2))",
        ]
    )


@each_of(
    call=[
        lambda nn, x: nn.functional.softmax(x),
        lambda nn, x: nn.Softmax()(x),
        lambda nn, x: nn.functional.log_softmax(x),
        lambda nn, x: nn.functional.mse_loss(x, x[0]),
        lambda nn, x: nn.functional.l1_loss(x, x[0]),
        lambda nn, x: nn.init.kaiming_uniform_(x[:0]),
        lambda nn, x: nn.utils.clip_grad_norm_((p for p in []), 1.0),
    ]
)
def test_a_warning_points_at_the_line_of_the_call(call: Callable) -> None:
    with pytest.warns(UserWarning) as caught:
        call(minigrad.nn, minigrad.ones(2, 3))
    assert [each.filename for each in caught] == [__file__]


def test_normalize_cosine_similarity_and_one_hot() -> None:
    assert_alike(
        [
            *START,
            GRAPH,
            "x = torch.tensor([[3., 4.], [0., 0.5]], requires_grad=True); t = torch.tensor([[1., 2.], [2., 0.5]])",
            "y = F.normalize(x); print(y, graph(y.grad_fn, 2)); y.backward(t); print(x.grad)",
            "F.normalize(x, p=1., dim=0), F.normalize(torch.zeros(2, 2))",
            "x.grad = None; y = F.cosine_similarity(x, t); print(y, graph(y.grad_fn, 3))",
            "y.sum().backward(); print(x.grad)",
            "F.cosine_similarity(x, torch.zeros(2)), F.cosine_similarity(x, t, dim=0)",
            "i = torch.tensor([2, 0])",
            "F.one_hot(i), F.one_hot(i, 4), F.one_hot(torch.tensor(2)), F.one_hot(torch.tensor([[0, 1]])).shape",
            "F.one_hot(i, 2)",
            "F.one_hot(i - 1)",
            "F.one_hot(x)",
            "F.one_hot(torch.tensor([], dtype=torch.long), 3)",
            "F.one_hot(i.int())",
        ]
    )


# --- losses --------------------------------------------------------------------------------------

DATA = [
    *START,
    GRAPH,
    "x = torch.tensor([[.2, .4, .3], [.5, .9, .1]], requires_grad=True)",
    "d = torch.tensor([[.2, .4, .3], [.5, .9, .1]], requires_grad=True, dtype=torch.float64)",
    "t = torch.tensor([[0., 1., .5], [.3, .6, .8]])",
    "k = torch.tensor([2, 0]); w = torch.tensor([1., 2., 3.])",
]
LOSSES = [
    "F.mse_loss(x, t{})",
    "F.mse_loss(x, t[0]{})",
    "F.mse_loss(x, d.detach(){})",
    "F.mse_loss(x[0], torch.tensor([0, 1, 1]){})",
    "F.l1_loss(x, t{})",
    "F.smooth_l1_loss(x, t * 5, beta=.5{})",
    "F.smooth_l1_loss(x, t, beta=0.{})",
    "F.huber_loss(x, t * 5, delta=.5{})",
    "F.binary_cross_entropy(x, t{})",
    "F.binary_cross_entropy(x, t, weight=w{})",
    "F.binary_cross_entropy(x, t, weight=w.double(){})",
    "F.binary_cross_entropy_with_logits(x, t{})",
    "F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=2 * w{})",
    "F.binary_cross_entropy_with_logits(x, t.double(){})",
    "F.nll_loss(x, k{})",
    "F.nll_loss(x, k, weight=w{})",
    "F.nll_loss(x, torch.tensor([0, -100]){})",
    "F.nll_loss(x, k, weight=w, ignore_index=2{})",
    "F.nll_loss(x, torch.tensor([-100, -100]){})",
    "F.nll_loss(x, k.to(torch.uint8){})",
    "F.nll_loss(x[0], torch.tensor(1){})",
    "F.nll_loss(x[0], torch.tensor(-100){})",
    "F.nll_loss(x.view(1, 3, 2), torch.tensor([[0, 1]]){})",
    "F.nll_loss(x.view(1, 3, 1, 2), torch.tensor([[[0, 1]]]){})",
    "F.nll_loss(x.view(1, 3, 1, 1, 2), torch.tensor([[[[0, 1]]]]){})",
    "F.cross_entropy(x, k{})",
    "F.cross_entropy(x, k, weight=w{})",
    "F.cross_entropy(x, k, label_smoothing=.1{})",
    "F.cross_entropy(x, k, label_smoothing=.1, weight=w{})",
    "F.cross_entropy(x, torch.tensor([0, -100]), label_smoothing=.1, weight=w{})",
    "F.cross_entropy(x, torch.tensor([0, -100]){})",
    "F.cross_entropy(x[0], torch.tensor(1){})",
    "F.cross_entropy(x[0], torch.tensor(1), label_smoothing=.2{})",
    "F.cross_entropy(x, t{})",
    "F.cross_entropy(x, t, weight=w{})",
    "F.cross_entropy(x, t, label_smoothing=.1{})",
    "F.cross_entropy(x, t.double(){})",
    "F.cross_entropy(x[0], t[0]{})",
    "F.cross_entropy(x.view(1, 3, 2), torch.tensor([[0, 1]]){})",
    "F.cross_entropy(x.view(1, 3, 2), torch.tensor([[0, 1]]), label_smoothing=.1{})",
    "F.cross_entropy(x.view(1, 3, 2), t.view(1, 3, 2){})",
]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none", "batchmean", "medium"])
def test_divergence(reduction: str) -> None:
    lines = [f"F.kl_div(x, t, reduction='{reduction}')", f"F.kl_div(x[0], t[0], reduction='{reduction}')"]
    lines += [f"F.kl_div(x, t.log(), None, None, '{reduction}', True)"]
    lines += [f"nn.KLDivLoss(reduction='{reduction}', log_target=True)(x, d.detach())"]
    gradient = f"F.kl_div(x, t, reduction='{reduction}').sum().backward(); print(x.grad)"
    assert_alike([*DATA, *[f"print({each}.detach())" for each in lines], gradient])


ATTENTION = [
    "q, k, v",
    "q, k, v, is_causal=True",
    "q, k, v, torch.tensor([[True, False, True], [False, True, True]])",
    "q, k, v, torch.tensor([[0., -1., 2.], [.5, 0., 0.]])",
    "q, k, v, scale=2.",
    "q[0], k[0], v[0], None, 0., True",
    "q.detach(), k[:, :, :2], v",
    "q, k.double(), v",
]


@each_of(arguments=ATTENTION)
def test_attention(arguments: str) -> None:
    lines = ["q, k, v = (torch.linspace(-1, 2, n).sin().reshape(s).requires_grad_() for n, s in SHAPES)"]
    lines += [f"y = F.scaled_dot_product_attention({arguments}); print(y.detach())"]
    lines += ["y.backward(torch.arange(1., y.numel() + 1).reshape(y.shape)); print(q.grad, k.grad, v.grad)"]
    shapes = [(12, (2, 2, 3)), (18, (2, 3, 3)), (12, (2, 3, 2))]
    text = [said([*START, *lines], engine, {"SHAPES": shapes}) for engine in ENGINES]
    if "Error" not in text[0]:
        assert_alike([*START, *lines], {"SHAPES": shapes})
    assert "Error" in text[1] or "Error" not in text[0]  # torch names its kernels in what it refuses


@each_of(reduction=["mean", "sum", "none"], call=LOSSES)
def test_losses(call: str, reduction: str) -> None:
    loss = call.format(f", reduction='{reduction}'")
    assert_alike(
        [
            *DATA,
            f"y = {loss}; print(y, graph(y.grad_fn, 2))",
            "y.backward(torch.arange(1., y.numel() + 1).reshape(y.shape).to(y.dtype))",
            "x.grad",
            "y.backward(torch.ones_like(y))",
        ]
    )


@each_of(
    call=[
        "nn.MSELoss(reduction='sum')(x, t)",
        "nn.L1Loss()(x, t)",
        "nn.SmoothL1Loss(beta=.3)(x, t)",
        "nn.HuberLoss(delta=.3)(x, t)",
        "nn.BCELoss(weight=w)(x, t)",
        "nn.BCEWithLogitsLoss(pos_weight=w)(x, t)",
        "nn.NLLLoss(weight=w, ignore_index=0)(x, k)",
        "nn.CrossEntropyLoss(weight=w, label_smoothing=.1)(x, k)",
        "nn.CrossEntropyLoss(ignore_index=2, reduction='sum')(x, k)",
    ]
)
def test_losses_as_modules(call: str) -> None:
    assert_alike([*DATA, f"y = {call}; print(y); y.backward(); print(x.grad)"])


@each_of(
    call=[
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
    ]
)
def test_the_target_of_a_loss_has_a_gradient_as_well(call: str) -> None:
    assert_alike([*DATA, f"t.requires_grad_(); F.{call}(x, t).backward(); print(x.grad, t.grad)"])


def test_gradients_of_targets_and_classes() -> None:
    assert_alike(
        [
            *DATA,
            "t.requires_grad_(); F.binary_cross_entropy_with_logits(x, t, pos_weight=w).backward(); print(t.grad)",
            "t.grad = None; F.cross_entropy(x, t).backward(); print(t.grad)",
        ]
    )


REFUSED = [
    "F.mse_loss(x, t, reduction='bad')",
    "F.mse_loss(x, t, size_average=False)",
    "F.mse_loss(x, t, reduce=False)",
    "F.mse_loss(x, k)",
    "F.mse_loss(x, torch.ones(4))",
    "F.mse_loss(x, torch.ones(3))",
    "F.mse_loss(k, k)",
    "F.mse_loss(x, 1.0)",
    "F.mse_loss([1.], t)",
    "F.mse_loss(torch.tensor([]), torch.tensor([]))",
    "F.mse_loss(torch.tensor([]), torch.tensor([]), reduction='sum')",
    "F.mse_loss(torch.tensor(1.), torch.tensor(3.))",
    "F.l1_loss(x, torch.ones(3))",
    "F.l1_loss(x, t, reduction='bad')",
    "F.smooth_l1_loss(x, t, beta=-1.)",
    "F.huber_loss(x, t, delta=0.)",
    "F.huber_loss(x, t, reduction='bad')",
    "F.binary_cross_entropy(torch.tensor([0., 1., 0., 1.]), torch.tensor([0., 1., 1., 0.]), reduction='none')",
    "F.binary_cross_entropy(x, t * 2)",
    "F.binary_cross_entropy(x * 2, t)",
    "F.binary_cross_entropy(x - 1, t)",
    "F.binary_cross_entropy(torch.tensor([float('nan')]), torch.tensor([1.]))",
    "F.binary_cross_entropy(x, torch.ones(3))",
    "F.binary_cross_entropy(x, t.double())",
    "F.binary_cross_entropy(x, torch.tensor([[0, 1, 1], [0, 1, 0]]))",
    "F.binary_cross_entropy(x, t, weight=w.clone().requires_grad_())",
    "F.binary_cross_entropy(x, t, reduction='bad')",
    "F.binary_cross_entropy_with_logits(x, t, weight=w.clone().requires_grad_())",
    "F.binary_cross_entropy_with_logits(x, t, pos_weight=w.clone().requires_grad_())",
    "F.binary_cross_entropy_with_logits(x, (t > .5).long())",
    "F.binary_cross_entropy_with_logits(x, t, weight=torch.ones(4))",
    "F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.ones(4))",
    "F.binary_cross_entropy_with_logits(x, t, reduction='bad')",
    "F.binary_cross_entropy_with_logits(torch.tensor([float('inf'), float('-inf')]), torch.ones(2), reduction='none')",
    "F.binary_cross_entropy_with_logits(k, k)",
    "F.binary_cross_entropy_with_logits(torch.tensor(1.), torch.tensor(0.))",
    "F.binary_cross_entropy_with_logits(1., torch.tensor(0.))",
    "F.binary_cross_entropy_with_logits(x, torch.ones(2))",
    "F.nll_loss(x, torch.tensor([0, 3]))",
    "F.nll_loss(x, torch.tensor([0, -1]))",
    "F.nll_loss(x, torch.tensor([0, 5]), ignore_index=5)",
    "F.nll_loss(x, k, weight=torch.ones(2))",
    "F.nll_loss(x, k, weight=torch.ones(1, 3))",
    "F.nll_loss(x, k, weight=w.double())",
    "F.nll_loss(x, k, weight=w.clone().requires_grad_())",
    "F.nll_loss(x, k.int())",
    "F.nll_loss(x, k.float())",
    "F.nll_loss(x, k > 0)",
    "F.nll_loss(x, torch.tensor([0, 1, 2]))",
    "F.nll_loss(x, torch.tensor([[0], [1]]))",
    "F.nll_loss(x, torch.tensor(0))",
    "F.nll_loss(x[0], torch.tensor(7))",
    "F.nll_loss(x[0], torch.tensor([0, 1]))",
    "F.nll_loss(torch.ones(0, 3), torch.ones(0, dtype=torch.long))",
    "F.nll_loss(torch.ones(0, 3), torch.ones(0, dtype=torch.long), reduction='sum')",
    "F.nll_loss(torch.ones(2, 3, dtype=torch.long), k)",
    "F.nll_loss(x, k, reduction='bad')",
    "F.nll_loss(x, 2)",
    "F.nll_loss(x.view(1, 3, 2), torch.tensor([[0, 1, 2]]))",
    "F.nll_loss(x.view(1, 3, 2), torch.tensor([0]))",
    "F.nll_loss(x.view(1, 3, 1, 2), torch.tensor([[[0, 7]]]))",
    "F.cross_entropy(x, t, weight=torch.ones(2))",
    "F.cross_entropy(x, t, ignore_index=1)",
    "F.cross_entropy(x, k, label_smoothing=1.1)",
    "F.cross_entropy(x, t, label_smoothing=1.1)",
    "F.cross_entropy(x, k, label_smoothing=-.1)",
    "F.cross_entropy(x, torch.tensor([[0, 1, 2], [0, 1, 0]]))",
    "F.cross_entropy(x, t[:1])",
    "F.cross_entropy(x, t[0])",
    "F.cross_entropy(x, k.float())",
    "F.cross_entropy(x, k, reduction='bad')",
    "F.cross_entropy(x, [0, 1])",
    "F.cross_entropy([1.], k)",
    "F.cross_entropy(torch.tensor(1.), torch.tensor(0))",
    "F.cross_entropy(x, torch.tensor([0, 1, 2]), label_smoothing=.1)",
    "F.cross_entropy(x, torch.tensor([0, 7]), label_smoothing=.1)",
]


@each_of(line=REFUSED)
def test_what_losses_refuse_or_warn_about(line: str) -> None:
    assert_alike([*DATA, line])


def test_a_saved_value_of_a_loss_is_guarded() -> None:
    assert_alike(
        [
            *DATA,
            "y = x * 1; loss = F.mse_loss(y, t); y.add_(1); loss.backward()",
            "y = x * 1; loss = F.mse_loss(y, t); t.add_(1); loss.backward()",
            "y = x * 1; loss = F.nll_loss(y, k); y.add_(1); loss.backward()",
            "y = x * 1; loss = F.binary_cross_entropy_with_logits(y, t); t.add_(1); loss.backward()",
            "F.mse_loss(x, t).grad_fn._saved_target, F.mse_loss(x, t).grad_fn._saved_self",
        ]
    )


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("F.nll_loss(x, c)", "c.zero_()"),
        ("F.cross_entropy(x, c)", "c[0] = 1"),
        ("F.cross_entropy(x, c, w)", "w.add_(1)"),
        ("F.binary_cross_entropy_with_logits(x, t, w)", "w.add_(1)"),
        ("F.binary_cross_entropy_with_logits(x, t, pos_weight=w)", "w.add_(1)"),
        ("F.binary_cross_entropy_with_logits(x, t, pos_weight=w)", "t.zero_()"),
        ("F.embedding(c, x).sum()", "c.zero_()"),
        ("F.cross_entropy(x, c, w)", "x.data.zero_()"),
    ],
)
def test_what_a_loss_keeps_must_not_change_before_its_backward(call: str, changed: str) -> None:
    assert_alike(
        [
            *START,
            "x = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True); c = torch.tensor([0, 1])",
            "w = torch.tensor([1., 2.]); t = torch.tensor([[1., 0.], [0., 1.]])",
            "c[0] = 1; w[0] = 3",
            f"loss = {call}",
            "loss.backward(retain_graph=True)",
            "x.grad",
            f"_ = {changed}" if "=" not in changed else changed,
            "loss.backward()",
            "x.grad",
        ]
    )


WATCHED = {
    "nobody": [],
    "a hook of the loss": ["h = loss.grad_fn.register_hook(lambda inputs, outputs: print(inputs, outputs))"],
    "a hook of its tensor": ["h = loss.register_hook(lambda g: g * 2)"],
    "a hook of the logarithms": [
        "h = loss.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: print(inputs, outputs))"
    ],
    "a prehook": ["h = loss.grad_fn.next_functions[0][0].register_prehook(lambda outputs: print(outputs))"],
    "the logarithms used again": ["more = loss.grad_fn.next_functions[0][0](torch.ones(3, 4))", "more"],
}


@each_of(name=WATCHED, settings=["", ", reduction='sum'", ", reduction='none'", ", w", ", ignore_index=1"])
def test_the_gradient_of_cross_entropy_whoever_looks(name: str, settings: str) -> None:
    assert_alike(
        [
            *START,
            "x = torch.arange(12.).view(3, 4).sin().requires_grad_(); c = torch.tensor([1, 3, 0])",
            "w = torch.tensor([1., 2., 3., 4.])",
            f"loss = F.cross_entropy(x, c{settings})",
            *WATCHED[name],
            "v = torch.full_like(loss, -1.5)",
            "loss.backward(v, retain_graph=True)",
            "x.grad",
            "torch.autograd.grad(loss, x, v, retain_graph=True)",
            *(["h.remove()"] if "hook of the l" in name or name == "a prehook" else []),
            "g, = torch.autograd.grad(loss, x, v, create_graph=True); print(g)",
            "(g ** 2).sum().backward()",
            "x.grad",
        ]
    )


@each_of(loss=["cross_entropy", "nll_loss"], factor=["0", "-0.", "2", "-1", "float('inf')", "float('nan')"])
def test_a_loss_of_classes_that_does_not_count(loss: str, factor: str) -> None:
    assert_alike(
        [
            *START,
            "x = torch.ones(2, 3, requires_grad=True); c = torch.tensor([0, 2])",
            f"(F.{loss}(x, c) * {factor}).backward()",
            "x.grad",
        ]
    )


def test_the_short_form_of_a_gradient_is_the_whole_one_to_the_last_bit() -> None:
    x = minigrad.randn(50, 10, requires_grad=True)
    classes = minigrad.randint(0, 10, (50,))
    grads = []
    for watched in (False, True):
        loss = minigrad.nn.functional.cross_entropy(x, classes)
        if watched:
            loss.grad_fn.register_hook(lambda *_: None)
        (loss * 3).backward()
        grads.append(x.grad.numpy())
        x.grad = None
    assert (grads[0] == grads[1]).all()
    picked = softmax.SparseGrad(np.array([1, 6]), np.float32(2), (2, 4), np.dtype(np.float32))
    whole = np.array([[0, 2, 0, 0], [0, 0, 2, 0]], np.float32)
    assert (np.asarray(picked) == whole).all()
    assert (0 + picked == whole).all()
    assert (whole + picked == 2 * whole).all()


@each_of(loss=["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"], reduction=["mean", "sum", "none"])
def test_where_a_loss_is_flat_its_zeros_have_torchs_sign(loss: str, reduction: str) -> None:
    assert_alike(
        [
            *START,
            "x = torch.tensor([1., 2., 0.], requires_grad=True); t = torch.tensor([1., 5., .2], requires_grad=True)",
            f"y = F.{loss}(x, t, reduction='{reduction}')",
            "y.backward(torch.full_like(y, -2.), retain_graph=True)",
            "x.grad, t.grad",
            "x.grad = t.grad = None; y.backward(torch.full_like(y, 2.))",
            "x.grad, t.grad",
        ]
    )


# --- derivatives, also of the second order -------------------------------------------------------

SECOND = [
    "F.leaky_relu(x, .2)",
    "F.elu(x, 1.5)",
    "F.silu(x)",
    "F.gelu(x)",
    "F.gelu(x, approximate='tanh')",
    "F.mish(x * 3)",
    "F.hardtanh(x)",
    "F.relu6(x * 4)",
    "F.kl_div(x, t.sigmoid(), reduction='batchmean')",
    "F.kl_div(x, t, log_target=True, reduction='none')",
    "F.scaled_dot_product_attention(x, t, s[:2])",
    "F.scaled_dot_product_attention(s, x, t, is_causal=True)",
    "F.mse_loss(x, t)",
    "F.mse_loss(x, t, reduction='none')",
    "F.smooth_l1_loss(x, t, beta=.7)",
    "F.huber_loss(x, t, delta=.7)",
    "F.binary_cross_entropy(x.sigmoid(), t.sigmoid())",
    "F.binary_cross_entropy(x.sigmoid(), t.sigmoid(), weight=w, reduction='none')",
    "F.binary_cross_entropy_with_logits(x, t)",
    "F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=2 * w, reduction='none')",
    "F.nll_loss(x.log_softmax(1), k)",
    "F.nll_loss(x ** 2, k, weight=w, reduction='none')",
    "F.cross_entropy(x, k)",
    "F.cross_entropy(x, k, weight=w, label_smoothing=.1)",
    "F.cross_entropy(x, t)",
    "F.layer_norm(x, (3,), t[0], t[1])",
    "F.linear(x, t, w[:2])",
    "F.linear(x[0], t)",
    "F.normalize(x)",
]


def numbers(engine: object, call: str) -> list[np.ndarray]:
    """A result, its gradients, and the gradients of those, in float64."""
    tensor = engine.tensor  # type: ignore[attr-defined]
    names = {
        "torch": engine,
        "F": engine.nn.functional,  # type: ignore[attr-defined]
        "x": tensor([[-1.5, 0.3, 2.0], [0.6, -0.2, 1.1]], dtype=engine.float64, requires_grad=True),  # type: ignore[attr-defined]
        "t": tensor([[0.5, -0.7, 1.0], [0.25, 2.0, -1.0]], dtype=engine.float64, requires_grad=True),  # type: ignore[attr-defined]
        "w": tensor([1.0, 2.0, 0.5], dtype=engine.float64),  # type: ignore[attr-defined]
        "k": tensor([2, 0]),
        "s": tensor([[2.0, 0.5, -1.0], [0.3, 3.0, 0.7], [-0.2, 0.4, 1.5]], dtype=engine.float64, requires_grad=True),  # type: ignore[attr-defined]
    }
    grad = engine.autograd.grad  # type: ignore[attr-defined]
    inputs = [names[each] for each in "xts"]

    def weighted(values: list) -> object:
        """Different weights for all entries, so that no mistake hides."""
        total = 0.0
        for place, value in enumerate(values):
            weights = engine.linspace(0.5, 3.5 + place, value.numel(), dtype=engine.float64)  # type: ignore[attr-defined]
            total = total + (value * weights.reshape(value.shape)).sum()
        return total

    result = eval(call, names)
    first = [
        each for each in grad(weighted([result]), inputs, create_graph=True, allow_unused=True) if each is not None
    ]
    found = [result, *first]
    seconds = [each for each in first if each.requires_grad]
    if seconds:
        found += [each for each in grad(weighted(seconds), inputs, allow_unused=True) if each is not None]
    return [each.detach().numpy() for each in found]


@each_of(call=SECOND)
def test_second_derivatives(call: str) -> None:
    numbers_alike(call)


def numbers_alike(call: str) -> None:
    """Both engines give the same result and derivatives."""
    theirs, ours = (numbers(engine, call) for engine in ENGINES)
    theirs = [each for each in theirs if each.any()]  # an engine may say None where the other says zeros
    ours = [each for each in ours if each.any()]
    assert len(ours) == len(theirs)
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-12)


def test_where_leaky_relu_is_straight_its_second_derivative_is_zero_and_not_missing() -> None:
    assert_alike(
        [
            *START,
            "_ = torch.manual_seed(0); layer = nn.Linear(2, 3); x = torch.tensor([[1., -2.]], requires_grad=True)",
            "(g,) = torch.autograd.grad(F.leaky_relu(layer(x), .2).sum(), x, create_graph=True)",
            "((g.norm() - 1) ** 2).backward(); print(layer.bias.grad, x.grad, layer.weight.grad)",
        ]
    )


# --- utilities -----------------------------------------------------------------------------------


def test_clipping() -> None:
    assert_alike(
        [
            *START,
            "a = torch.tensor([3., 0.], requires_grad=True); b = torch.tensor([4.], requires_grad=True)",
            "a.grad, b.grad = torch.tensor([3., 0.]), torch.tensor([4.])",
            "clip = nn.utils.clip_grad_norm_",
            "clip([a, b], 100.), a.grad, b.grad, a.grad._version",
            "clip([a, b], 1.), a.grad, b.grad, a.grad._version",
            "clip(a, 0.1, norm_type='inf'), a.grad",
            "clip(iter([a, b]), 0.1, norm_type=1), a.grad, b.grad",
            "clip([torch.ones(1, requires_grad=True)], 1.)",
            "clip([], 1.)",
            "clip((p for p in []), 1.)",
            "b.grad = torch.tensor([float('inf')]); clip([a, b], 1., error_if_nonfinite=True)",
            "clip([a, b], 1.), a.grad, b.grad",
            "a.grad, b.grad = torch.tensor([3., -.1]), torch.tensor([-4.])",
            "b.grad = torch.tensor([1e-6]); clip(b, 1e-7); print(b.grad)",
            "nn.utils.clip_grad_value_([a, b], 0.5); print(a.grad, b.grad)",
            "nn.utils.clip_grad_value_(a, 0.2); print(a.grad)",
        ]
    )


def test_parameters_as_a_vector() -> None:
    assert_alike(
        of_module(
            "vector = nn.utils.parameters_to_vector(layer.parameters()); print(vector)",
            "vector.sum().backward(); print(layer.weight.grad)",
            "nn.utils.vector_to_parameters(torch.arange(3.), layer.parameters()); print(layer.weight, layer.bias)",
            "nn.utils.vector_to_parameters(torch.ones(2), layer.parameters())",
            "nn.utils.parameters_to_vector([])",
        )
    )


# --- memory --------------------------------------------------------------------------------------


def test_a_training_step_leaves_nothing_behind() -> None:
    """No cycle holds the graph: without the collector, every node is gone when the loss is."""
    nn, F = minigrad.nn, minigrad.nn.functional
    net = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(), nn.Linear(3, 2))
    gc.collect()
    gc.disable()
    try:
        loss = F.cross_entropy(net(minigrad.ones(4, 2)), minigrad.tensor([0, 1, 1, 0]))
        node = weakref.ref(loss.grad_fn)
        assert isinstance(loss.grad_fn, fused.NllLoss)
        loss.backward()
        del loss
        assert node() is None
    finally:
        gc.enable()


@each_of(name=["MSELoss", "L1Loss", "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "NLLLoss"])
def test_a_loss_that_is_given_prediction_and_target(name: str) -> None:
    """They land in the two arguments of old, which are asked whether they are true."""
    setup = "x = torch.tensor([1., 2.]); s = torch.tensor(0.); F = torch.nn.functional"
    loss = f"torch.nn.{name}"
    text = assert_alike([setup, f"{loss}(x, x)", f"{loss}(x)", f"{loss}(None, s, s)", "F.mse_loss(x, x, 0)"])
    assert "Boolean value of Tensor with more than one value is ambiguous" in text


def test_what_hooks_are_kept() -> None:
    lines = ["net = torch.nn.Linear(1, 1)", "h = net.register_forward_hook(print)"]
    lines += ["h2 = net.register_forward_pre_hook(print)", "[*net._forward_hooks.values(), *net._forward_pre_hooks]"]
    assert_alike([*lines[:3], "[*net._forward_hooks.values()], [*net._forward_pre_hooks.values()]", "h.remove()"])


def test_cross_entropy_of_nothing_with_smoothing() -> None:
    shapes = [("0, 3", "0"), ("2, 0", "2, 0"), ("0, 3", "0, 3"), ("0, 3, 2", "0, 2")]
    kinds = ["torch.int64" if a != b else "torch.float32" for a, b in shapes]
    call = "torch.nn.functional.cross_entropy(torch.zeros({}), torch.zeros({}, dtype={}), label_smoothing=0.1)"
    assert_alike([call.format(a, b, kind) for (a, b), kind in zip(shapes, kinds, strict=True)])


def test_relu_in_place() -> None:
    setup = "F = torch.nn.functional; w = torch.tensor([1., -2.], requires_grad=True); x = w * 1"
    assert_alike([setup, "F.relu_(x), x", "F.relu_(w)", "x.sum().backward()", "w.grad"])
