"""Chapter 3: honest answers of other kinds pass its checks, whatever way they are written."""

import textwrap

import pytest

import minigrad
from minigrad.course import cells, parts, program, source, verdicts
from minigrad.course.reference import solutions

SEEDS = (0, 20, 77952569)
(CHAPTER,) = [each for each in parts.chapters() if each.number == 3]
SETUP = """
import numpy as np
import minigrad
from minigrad import jacobian
from minigrad.scalar import Function
from minigrad.tensor import Tensor
"""

HONEST = {
    "one row times a matrix": """
        @part("weighted_sum")
        def weighted_sum(J, v):
            return (v.reshape(1, -1) @ J.reshape(v.numel(), -1)).reshape(J.shape[len(v.shape):])
        """,
    "broadcasting": """
        @part("weighted_sum")
        def weighted_sum(J, v):
            spread = v.reshape(*v.shape, *[1] * (J.ndim - v.ndim))
            return (spread * J).sum(dim=list(range(v.ndim)))
        """,
    "two loops": """
        @part("weighted_sum")
        def weighted_sum(J, v):
            if v.ndim == 1:
                return sum(w * row for w, row in zip(v, J))
            return sum(weighted_sum(block, row) for block, row in zip(J, v))
        """,
    "rows of an identity": """
        @part("slices")
        def slices(y, x, create_graph=False):
            rows = minigrad.eye(y.numel()).reshape(y.numel(), *y.shape)
            return [jacobian.vjp(y, x, row, create_graph) for row in rows]
        """,
    "one entry at a time": """
        @part("slices")
        def slices(y, x, create_graph=False):
            return [jacobian.vjp(y[i], x, create_graph=create_graph) for i in jacobian.entries(y)]
        """,
    "reshaped": """
        @part("mv")
        class Anything(Function):
            @staticmethod
            def forward(ctx, a, x):
                ctx.save_for_backward(a, x)
                return a.dot(x)
            @staticmethod
            def backward(ctx, grad_output):
                a, x = ctx.saved_tensors
                return grad_output.reshape(-1, 1) * x, grad_output @ a
        """,
    "new points": """
        @part("numeric_jacobian")
        def numeric_jacobian(function, x, eps=1e-6):
            y = function(x)
            J = jacobian.zeros((*y.shape, *x.shape), y)
            for j in jacobian.entries(x):
                step = jacobian.zeros(x.shape, x)
                step[j] = eps
                slope = (function(x + step) - function(x - step)) / (2 * eps)
                J[(..., *j)] = slope.detach()
            return J
        """,
    "relative to where it is": """
        @part("numeric_jacobian")
        def numeric_jacobian(function, x, eps=1e-6):
            found = []
            for j in jacobian.entries(x):
                before = x.data[j].item()
                x.data[j] += eps
                above = function(x).detach().clone()
                x.data[j] -= 2 * eps
                below = function(x).detach().clone()
                x.data[j] = before
                found.append(((above - below) / eps / 2).reshape(-1))
            return minigrad.stack(found, 1).reshape(*above.shape, *x.shape)
        """,
    "np.allclose": """
        @part("agree")
        def agree(analytic, numeric, atol, rtol):
            return np.allclose(analytic.numpy(), numeric.numpy(), rtol, atol)
        """,
    "a loop": """
        @part("agree")
        def agree(analytic, numeric, atol, rtol):
            for i in jacobian.entries(analytic):
                if abs(analytic[i] - numeric[i]) > atol + rtol * abs(numeric[i]):
                    return False
            return True
        """,
    "the tensor of the comparison": """
        @part("agree")
        def agree(analytic, numeric, atol, rtol):
            return (abs(analytic - numeric) <= atol + rtol * abs(numeric)).all()
        """,
    "ones for u": """
        @part("jvp")
        def jvp(y, x, v=None, create_graph=False):
            u = minigrad.ones(*y.shape, dtype=y.dtype, requires_grad=True)
            return jacobian.vjp(jacobian.vjp(y, x, u, True), u, v, create_graph)
        """,
    "slices of the gradient": """
        @part("hessian")
        def hessian(y, x, create_graph=False):
            gradient = jacobian.vjp(y, x, create_graph=True)
            rows = [jacobian.vjp(gradient[i], x, create_graph=create_graph) for i in jacobian.entries(x)]
            return minigrad.stack(rows).reshape(*x.shape, *x.shape)
        """,
    "a floor under the root": """
        @part("roots")
        def roots(torch, values, scale, v):
            s = torch.tensor(scale, requires_grad=True)
            z = torch.tensor(values) * s
            y = torch.where(z > 0, z.clamp(min=1e-37).sqrt(), 0)
            y.backward(torch.tensor(v))
            print(y.detach(), s.grad)
        """,
    "only what is positive": """
        @part("roots")
        def roots(torch, values, scale, v):
            s = torch.tensor(scale, requires_grad=True)
            z = torch.tensor(values) * s
            y = torch.zeros(len(values))
            y[z > 0] = z[z > 0] ** 0.5
            y.backward(torch.tensor(v))
            print(y.detach(), s.grad)
        """,
}


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_honest_answers_of_other_kinds_pass(code: str) -> None:
    answers, namespace = program.Answers(), {"__name__": "__main__"}
    namespace["part"] = answers.part
    for cell in (SETUP, textwrap.dedent(code)):
        assert cells.run_cell(cell, namespace) is None
    (check,) = answers
    programs = source.read("solutions", CHAPTER.name).programs()
    for seed in SEEDS:
        verdict = verdicts.judge(CHAPTER, check, programs[check], answers, seed)
        assert verdict.state == "passed", (seed, verdict)
    everything = dict(solutions(CHAPTER.name)) | answers
    assert verdicts.judge(CHAPTER, CHAPTER.together, programs[CHAPTER.together], everything).state == "passed"


def test_a_jvp_that_builds_the_whole_jacobian_is_told_by_its_passes() -> None:
    def jvp(y, x, v=None, create_graph=False):
        J = minigrad.jacobian.jacobian(y, x, create_graph)
        return (J.reshape(y.numel(), -1) @ v.reshape(-1)).reshape(y.shape)

    programs = source.read("solutions", CHAPTER.name).programs()
    verdict = verdicts.judge(CHAPTER, "jvp", programs["jvp"], {"jvp": jvp})
    assert verdict.state == "wrong"
    assert verdict.text.count("a pass from y to x:") == 3
