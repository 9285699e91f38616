"""Wrong answers to chapter 2: part -> the mistake it should be recognised as -> the answer.

An answer is the lines that stand in place of ours, or what is written in our own answer: BEFORE -> AFTER.
"""

WRONG = {
    "seed_rule": {
        "ones for all": 'if gradient is None:\n    return minigrad.ones_like(output)\nif gradient.shape != output.shape:\n    raise RuntimeError(f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} and output[{place}] has a shape of {output.shape}.")\nreturn gradient',
        "shape not checked": 'if gradient is None:\n    if output.numel() != 1:\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return minigrad.ones_like(output)\nreturn gradient',
        "stretched by a product": 'if gradient is None:\n    if output.numel() != 1:\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return minigrad.ones_like(output)\nreturn gradient * minigrad.ones_like(output)',
        "stretched": 'if gradient is None:\n    if output.numel() != 1:\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return minigrad.ones_like(output)\nreturn gradient.expand(output.shape)',
        "always 0": 'RuntimeError(\n            f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} "\n            f"and output[{place}] has a shape of {output.shape}."\n        ) -> RuntimeError(f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a shape of {output.shape}.")',
        "a number": 'if gradient is None:\n    if output.numel() != 1:\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return 1\nif gradient.shape != output.shape:\n    raise RuntimeError(f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} and output[{place}] has a shape of {output.shape}.")\nreturn gradient',
        "shapes exchanged": 'RuntimeError(\n            f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} "\n            f"and output[{place}] has a shape of {output.shape}."\n        ) -> RuntimeError(f"Mismatch in shape: grad_output[{place}] has a shape of {output.shape} and output[{place}] has a shape of {gradient.shape}.")',
    },
    "sum": {
        "no upstream": "return np.ones(ctx.input_shape)",
        "one number": "return grad_output",
        "as a tensor": "return grad_output.expand(ctx.input_shape)",
        "shared out": "return np.full(ctx.input_shape, grad_output / np.prod(ctx.input_shape))",
        "zeros": "return np.zeros(ctx.input_shape)",
        "arrays alone": "return np.full(ctx.input_shape, grad_output)",
        "times the shape": "return grad_output * ctx.input_shape",
    },
    "mean": {
        "no upstream": "return np.full(ctx.input_shape, 1 / np.prod(ctx.input_shape))",
        "not divided": "return np.full(ctx.input_shape, grad_output)",
        "rows counted": "return np.full(ctx.input_shape, grad_output / ctx.input_shape[0])",
        "axes counted": "return np.full(ctx.input_shape, grad_output / len(ctx.input_shape))",
        "one number": "return grad_output / np.prod(ctx.input_shape)",
        "columns counted": "return np.full(ctx.input_shape, grad_output / ctx.input_shape[-1])",
        "sizes added": "return np.full(ctx.input_shape, grad_output / sum(ctx.input_shape))",
    },
    "broadcast": {
        "not summed": "return grad",
        "new axes only": "while grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nreturn grad",
        "first axis only": "return grad.sum(axis=0)",
        "reshaped": "return grad.reshape(shape)",
        "everything summed": "return np.full(shape, grad.sum())",
        "cut off": "result = np.zeros(shape)\nresult[...] = grad[0]\nreturn result",
        "numbered from the front": "return grad.sum(axis=tuple(i for i in range(grad.ndim) if i >= len(shape) or shape[i] == 1)).reshape(shape)",
    },
    "matmul": {
        "not transposed": "b.T, a.T -> b, a",
        "entry by entry, transposed": "@ b.T, a.T @ -> * b.T, a.T *",
        "other matrix alone": "return b.T, a.T",
        "one sided": "a.T @ grad_output -> None",
        "A not transposed": "a.T -> a",
        "B not transposed": "b.T, -> b,",
        "own matrix": "b.T, a.T -> a.T, b.T",
    },
    "index": {
        "last one wins": "np.add.at(result, index, grad) -> result[index] = grad",
        "counted": "grad) -> 1)",
        "not put back": "return grad",
        "ones to begin with": "np.zeros(shape, -> np.ones(shape,",
        "first of the tuple": "index, -> index[0],",
        "nothing returned": "    return result\n -> ",
        "marked": "np.add.at(result, index, grad) -> result[index] = 1",
    },
    "losses": {
        "weighs both": "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (importance * (fit + size)).backward()",
        "tuples": ["(of_fit,) -> of_fit", "(of_size,) -> of_size"],
        "not retained": "fit, w, retain_graph=True -> fit, w",
        "retained once": "size, w, retain_graph=True -> size, w",
        "weighs the other": "[torch.tensor(1.0), torch.tensor(importance)] -> [torch.tensor(importance), torch.tensor(1.0)]",
        "not weighed": "torch.tensor(importance)]) -> torch.tensor(1.0)])",
        "size alone": "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (importance * size).backward()",
    },
    "logsumexp": {
        "axis lost": "m = a.max(dim)\np = np.exp(a - m)\nt = p.sum(dim)\nctx.dim, ctx.s = dim, p / t\nreturn m + np.log(t)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        "overflow": "p = np.exp(a)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn np.log(t).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        "axis kept": "m = a.max(axis=dim, keepdims=True)\np = np.exp(a - m)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn m + np.log(t)\n---\nreturn grad_output * ctx.s",
        "one largest for all": "m = a.max()\np = np.exp(a - m)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        "no upstream": "m = a.max(axis=dim, keepdims=True)\np = np.exp(a - m)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn ctx.s",
        "axis missing": "m = a.max(axis=dim, keepdims=True)\np = np.exp(a - m)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn grad_output * ctx.s",
        "summed over all": "m = a.max()\np = np.exp(a - m)\nctx.dim, ctx.s = dim, p / p.sum()\nreturn m + np.log(p.sum())\n---\nreturn grad_output * ctx.s",
    },
}
