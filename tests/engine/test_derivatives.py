"""Results and their first and second derivatives in float64, to nine digits: layers, losses and matrices."""

import re

import numpy as np
from engines import ENGINES, each_of

LAYERS = """
    F.leaky_relu(x, .2); F.elu(x, 1.5); F.silu(x); F.gelu(x); F.gelu(x, approximate='tanh'); F.mish(x * 3)
    F.hardtanh(x); F.relu6(x * 4); F.kl_div(x, t.sigmoid(), reduction='batchmean')
    F.kl_div(x, t, log_target=True, reduction='none'); F.scaled_dot_product_attention(x, t, s[:2])
    F.scaled_dot_product_attention(s, x, t, is_causal=True); F.mse_loss(x, t); F.mse_loss(x, t, reduction='none')
    F.smooth_l1_loss(x, t, beta=.7); F.huber_loss(x, t, delta=.7); F.binary_cross_entropy(x.sigmoid(), t.sigmoid())
    F.binary_cross_entropy(x.sigmoid(), t.sigmoid(), weight=w, reduction='none')
    F.binary_cross_entropy_with_logits(x, t)
    F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=2 * w, reduction='none')
    F.nll_loss(x.log_softmax(1), k); F.nll_loss(x ** 2, k, weight=w, reduction='none'); F.cross_entropy(x, k)
    F.cross_entropy(x, k, weight=w, label_smoothing=.1); F.cross_entropy(x, t); F.layer_norm(x, (3,), t[0], t[1])
    F.linear(x, t, w[:2]); F.linear(x[0], t); F.normalize(x); F.batch_norm(x, None, None, t[0], t[1], True)
    F.batch_norm(x, w, w, t[0], t[1]); F.batch_norm(x.reshape(1, 3, 2), None, None, w, w, True)
    F.group_norm(x.reshape(1, 2, 3), 2, t[0, :2], t[1, :2]); F.group_norm(x.T.reshape(2, 3), 1, t[0])
"""
# of two engines the signs of eigenvectors and singular vectors may differ: these results do not depend on them
MATRICES = """
    torch.linalg.inv(s); torch.inverse(s); s.inverse(); torch.linalg.det(s); s.det()
    torch.linalg.slogdet(s).logabsdet; torch.slogdet(s)[1]; torch.linalg.solve(s, s ** 2)
    torch.linalg.solve(s, s[..., 0]); torch.linalg.solve(s, torch.arange(3.).double())
    torch.linalg.cholesky(s @ s.mT + 1); torch.linalg.qr(s).R; torch.linalg.qr(s).Q; torch.linalg.qr(s[..., :2])[0]
    torch.linalg.eigh(s @ s.mT)[0]; torch.linalg.eigh(s @ s.mT).eigenvectors ** 2; torch.linalg.svd(s).S
    torch.linalg.svd(s).U ** 2; torch.linalg.svd(s, full_matrices=False).Vh ** 2
    torch.linalg.svd(s[..., :2], False)[0] ** 2; torch.linalg.svd(s[..., :2, :], False)[2] ** 2
"""


def numbers(engine, call: str) -> list[np.ndarray]:
    """A result, its gradients, and the gradients of those."""

    def double(values: list, **settings):
        return engine.tensor(values, dtype=engine.float64, **settings)

    x = double([[-1.5, 0.3, 2.0], [0.6, -0.2, 1.1]], requires_grad=True)
    t = double([[0.5, -0.7, 1.0], [0.25, 2.0, -1.0]], requires_grad=True)
    s = double([[2.0, 0.5, -1.0], [0.3, 3.0, 0.7], [-0.2, 0.4, 1.5]], requires_grad=True)
    names = {"x": x, "t": t, "s": s, "w": double([1.0, 2.0, 0.5]), "k": engine.tensor([2, 0])}
    names |= {"torch": engine, "F": engine.nn.functional, "pair": engine.stack([s, s.mT @ s])}

    def gradients(values: list, **settings) -> list:
        """Different weights for all entries, so that no mistake hides."""
        total = sum(
            (each * double(np.linspace(0.5, 3.5 + place, each.numel()).reshape(each.shape))).sum()
            for place, each in enumerate(values)
        )
        found = engine.autograd.grad(total, [x, t, s], allow_unused=True, **settings)
        return [each for each in found if each is not None]

    result = eval(call, names)
    first = gradients([result], create_graph=True)
    seconds = [each for each in first if each.requires_grad]
    found = [result, *first, *(gradients(seconds) if seconds else [])]
    return [each.detach().numpy() for each in found]


CALLS = [each.strip() for each in re.split("[;\\n]", LAYERS + MATRICES) if each.strip()]
CALLS += [re.sub(r"\bs\b", "pair", each.strip()) for each in re.split("[;\\n]", MATRICES) if each.strip()]


@each_of(call=CALLS)
def test_both_engines_give_the_same_numbers(call: str) -> None:
    theirs, ours = (numbers(engine, call) for engine in ENGINES)
    theirs = [each for each in theirs if each.any()]  # an engine may say None where the other says zeros
    ours = [each for each in ours if each.any()]
    assert len(ours) == len(theirs)
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-12)
