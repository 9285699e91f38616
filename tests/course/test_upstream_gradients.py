"""Chapter 2: honest answers of other kinds pass its checks, and what only looks at ones or constants does not."""

import textwrap

import pytest

from minigrad.course import cells, parts, program, source, verdicts
from minigrad.course.reference import solutions

SEEDS = (0, 1, 20, 77952569, 358)
(CHAPTER,) = [each for each in parts.chapters() if each.name == "02_upstream_gradients"]
PROGRAMS = source.read("solutions", CHAPTER.name).programs()


def handed_over(code):
    """What the code hands over, run after the first cell of the exercise."""
    setup = next(cell.source for cell in source.read("solutions", CHAPTER.name).cells if cell.role == "setup")
    answers = program.Answers()
    namespace = {"__name__": "__main__", "part": answers.part}
    for cell in (setup, textwrap.dedent(code)):
        assert cells.run_cell(cell, namespace) is None
    return answers


HONEST = {
    "other conditions, in another order": """
        @part("seed_rule")
        def rule(output, gradient, place):
            if gradient is not None:
                if tuple(gradient.shape) == tuple(output.shape):
                    return gradient
                raise RuntimeError("Mismatch in shape: grad_output[%d] has a shape of %s and output[%d] has a shape of "
                                   "%s." % (place, gradient.shape, place, output.shape))
            if np.prod(output.shape) == 1:
                return minigrad.tensor(np.ones(output.shape).tolist())
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        """,
    "an array for a tensor": """
        @part("seed_rule")
        def rule(output, gradient, place):
            if gradient is None and output.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if gradient is not None and gradient.shape != output.shape:
                raise RuntimeError(f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} and "
                                   f"output[{place}] has a shape of {output.shape}.")
            return np.ones(tuple(output.shape)) if gradient is None else gradient
        """,
    "ones times the number": """
        @part("sum")
        class Total(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.ones = np.ones_like(a)
                return np.sum(a)
            @staticmethod
            def backward(ctx, upstream):
                return upstream * ctx.ones
        """,
    "zeros added": """
        @part("sum")
        class Sum(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.input_shape = a.shape
                return a.sum()
            @staticmethod
            def backward(ctx, grad_output):
                return grad_output + np.zeros(ctx.input_shape),
        """,
    "the size of what was saved": """
        @part("mean")
        class Mean(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.a = a
                return a.sum() / a.size
            @staticmethod
            def backward(ctx, grad_output):
                return np.zeros(ctx.a.shape) + grad_output / ctx.a.size
        """,
    "a loop over the sizes": """
        @part("mean")
        class Mean(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.input_shape = a.shape
                return a.mean()
            @staticmethod
            def backward(ctx, grad_output):
                n = 1
                for size in ctx.input_shape:
                    n *= size
                result = np.empty(ctx.input_shape)
                result[...] = grad_output / n
                return result
        """,
    "all axes in one sum, and a reshape": """
        @part("broadcast")
        def unbroadcast(grad, shape):
            padded = (1,) * (grad.ndim - len(shape)) + tuple(shape)
            axes = tuple(i for i, (have, want) in enumerate(zip(grad.shape, padded)) if want == 1)
            return np.sum(grad, axis=axes).reshape(shape)
        """,
    "axes counted from the end": """
        @part("broadcast")
        def unbroadcast(grad, shape):
            for axis in range(1, len(shape) + 1):
                if shape[-axis] == 1:
                    grad = grad.sum(-axis, keepdims=True)
            while len(grad.shape) != len(shape):
                grad = sum(grad)
            return grad
        """,
    "every place by itself": """
        @part("broadcast")
        def unbroadcast(grad, shape):
            result = np.zeros(shape, grad.dtype)
            for place in np.ndindex(grad.shape):
                own = place[grad.ndim - len(shape):]
                result[tuple(0 if size == 1 else i for i, size in zip(own, shape))] += grad[place]
            return result
        """,
    "einsum": """
        @part("matmul")
        class Product(Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a.dot(b)
            @staticmethod
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                return np.einsum("ij,lj->il", g, b), np.einsum("il,ij->lj", a, g)
        """,
    "transposed twice, and only what is needed": """
        @part("matmul")
        class Product(Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return np.matmul(a, b)
            @staticmethod
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                needs_a, needs_b = ctx.needs_input_grad
                return (b @ g.T).T if needs_a else None, np.swapaxes(a, 0, 1) @ g if needs_b else None
        """,
    "a loop over the places that the index names": """
        @part("index")
        def put_back(grad, shape, index):
            places = np.arange(int(np.prod(shape))).reshape(shape)[index]
            result = np.zeros(int(np.prod(shape)))
            for place, share in zip(places.reshape(-1), grad.reshape(-1)):
                result[place] += share
            return result.reshape(shape)
        """,
    "bincount": """
        @part("index")
        def put_back(grad, shape, index):
            places = np.arange(np.prod(shape)).reshape(shape)[index]
            return np.bincount(places.ravel(), weights=grad.ravel(), minlength=np.prod(shape)).reshape(shape)
        """,
    "reset between the calls": """
        @part("losses")
        def two_losses(torch, features, target, weights, importance):
            w = torch.tensor(weights, requires_grad=True)
            prediction = torch.tensor(features) @ w
            fit = ((prediction - torch.tensor(target)) ** 2).mean()
            size = (prediction**2).sum()
            for name, loss in (("fit ", fit), ("size", size), ("both", fit + size * importance)):
                w.grad = None
                loss.backward(retain_graph=True)
                print(name, w.grad)
            return w
        """,
    "one loss after the other": """
        @part("losses")
        def two_losses(torch, features, target, weights, importance):
            w = torch.tensor(weights, requires_grad=True)
            def losses():
                prediction = torch.tensor(features) @ w
                return ((prediction - torch.tensor(target)) ** 2).mean(), (prediction**2).sum()
            print("fit ", torch.autograd.grad(losses()[0], w)[0])
            print("size", torch.autograd.grad(losses()[1], [w])[0])
            losses()[0].backward()
            losses()[1].backward(torch.tensor(importance))
            print("both", w.grad)
            return w
        """,
    "the result saved": """
        @part("logsumexp")
        class LogSumExp(Function):
            @staticmethod
            def forward(ctx, a, dim):
                m = np.max(a, axis=dim)
                result = m + np.log(np.sum(np.exp(a - np.expand_dims(m, dim)), axis=dim))
                ctx.save_for_backward(a, result)
                ctx.dim = dim
                return result
            @staticmethod
            def backward(ctx, grad_output):
                a, result = ctx.saved_tensors
                return np.expand_dims(grad_output, ctx.dim) * np.exp(a - np.expand_dims(result, ctx.dim)), None
        """,
    "logaddexp": """
        @part("logsumexp")
        class LogSumExp(Function):
            @staticmethod
            def forward(ctx, a, dim):
                ctx.a, ctx.dim, ctx.result = a, dim, np.logaddexp.reduce(a, axis=dim, keepdims=True)
                return ctx.result.squeeze(axis=dim)
            @staticmethod
            def backward(ctx, grad_output):
                return np.exp(ctx.a - ctx.result) * np.expand_dims(grad_output, ctx.dim)
        """,
}


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_honest_answers_of_other_kinds_pass(code):
    answers = handed_over(code)
    (check,) = answers
    for seed in SEEDS:
        verdict = verdicts.judge(CHAPTER, check, PROGRAMS[check], answers, seed)
        assert verdict.state == "passed", (seed, verdict)
    everything = dict(solutions(CHAPTER.name)) | answers
    assert verdicts.judge(CHAPTER, CHAPTER.together, PROGRAMS[CHAPTER.together], everything).state == "passed"
