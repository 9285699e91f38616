"""Wrong answers to chapter 2: part -> (the mistake it should be recognised as, the lines of the answer)."""

SHAPES = (
    'f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} '
    'and output[{place}] has a shape of {output.shape}."'
)
ONLY = '"grad can be implicitly created only for scalar outputs"'
NONE = f"if gradient is None:\n    if output.numel() != 1:\n        raise RuntimeError({ONLY})\n"
CHECK = f"if gradient.shape != output.shape:\n    raise RuntimeError({SHAPES})\nreturn gradient"
TOP = "m = a.max(axis=dim, keepdims=True)\np = np.exp(a - m)\nt = p.sum(axis=dim, keepdims=True)\n"
KEEP = TOP + "ctx.dim, ctx.s = dim, p / t\nreturn (m + np.log(t)).squeeze(dim)\n---\n"

WRONG = {
    "seed_rule": [
        ("ones for all", f"if gradient is None:\n    return minigrad.ones_like(output)\n{CHECK}"),
        (
            "gradient ignored",
            f"{NONE}elif gradient.shape != output.shape:\n    raise RuntimeError({SHAPES})\nreturn minigrad.ones_like(output)",
        ),
        (
            "no axes",
            f"if gradient is None:\n    if output.shape != ():\n        raise RuntimeError({ONLY})\n    return minigrad.ones_like(output)\n{CHECK}",
        ),
        (
            "no axes",
            f"if gradient is None:\n    if output.ndim > 0:\n        raise RuntimeError({ONLY})\n    return minigrad.tensor(1.0)\n{CHECK}",
        ),
        ("shape not checked", f"{NONE}    return minigrad.ones_like(output)\nreturn gradient"),
        (
            "elements counted",
            f"{NONE}    return minigrad.ones_like(output)\nif gradient.numel() != output.numel():\n    raise RuntimeError({SHAPES})\nreturn gradient",
        ),
        (
            "stretched by a product",
            f"{NONE}    return minigrad.ones_like(output)\nreturn gradient * minigrad.ones_like(output)",
        ),
        ("stretched", f"{NONE}    return minigrad.ones_like(output)\nreturn gradient.expand(output.shape)"),
        (
            "nothing returned",
            f"{NONE}    minigrad.ones_like(output)\nelif gradient.shape != output.shape:\n    raise RuntimeError({SHAPES})",
        ),
        ("always 0", f"{NONE}    return minigrad.ones_like(output)\n" + CHECK.replace("{place}", "0")),
        ("a bare 1", f"{NONE}    return minigrad.tensor(1.0)\n{CHECK}"),
        ("a number", f"{NONE}    return 1\n{CHECK}"),
        ("a number", f"{NONE}    return 1.0\n{CHECK}"),
        (
            "another error",
            f"{NONE}    return minigrad.ones_like(output)\n".replace("RuntimeError", "ValueError")
            + CHECK.replace("RuntimeError", "ValueError"),
        ),
        (
            "truth asked",
            f"if not gradient:\n    if output.numel() != 1:\n        raise RuntimeError({ONLY})\n    return minigrad.ones_like(output)\n{CHECK}",
        ),
        (
            "returned, not raised",
            f"{NONE.replace('raise', 'return')}    return minigrad.ones_like(output)\n{CHECK.replace('raise', 'return', 1)}",
        ),
        (
            "times the result",
            f"{NONE}    return minigrad.ones_like(output)\n{CHECK.replace('return gradient', 'return gradient * output')}",
        ),
        (
            "shapes exchanged",
            f"{NONE}    return minigrad.ones_like(output)\n"
            + CHECK.replace("{gradient.shape}", "{X}")
            .replace("{output.shape}", "{gradient.shape}")
            .replace("{X}", "{output.shape}"),
        ),
        (
            "a bare 1",
            'if gradient is None:\n    if output.numel() != 1:\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return minigrad.tensor(1.0)\nif gradient.shape != output.shape:\n    raise RuntimeError(f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} and output[{place}] has a shape of {output.shape}.")\nreturn gradient',
        ),
        (
            "no axes, always 0",
            'if gradient is None:\n    if output.shape != ():\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return minigrad.ones_like(output)\nif gradient.shape != output.shape:\n    raise RuntimeError(f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a shape of {output.shape}.")\nreturn gradient',
        ),
        (
            "no axes, always 0",
            'if gradient is None:\n    if output.shape != ():\n        raise RuntimeError("grad can be implicitly created only for scalar outputs")\n    return minigrad.tensor(1.0)\nif gradient.shape != output.shape:\n    raise RuntimeError(f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a shape of {output.shape}.")\nreturn gradient',
        ),
    ],
    "sum": [
        ("no upstream", "return np.ones(ctx.input_shape)"),
        ("no upstream", "return np.full(ctx.input_shape, 1.0)"),
        ("one number", "return grad_output"),
        ("one number", "return grad_output * 1.0"),
        ("as a tensor", "return grad_output.expand(ctx.input_shape)"),
        ("shared out", "return np.full(ctx.input_shape, grad_output / np.prod(ctx.input_shape))"),
        ("zeros", "return np.zeros(ctx.input_shape) * grad_output"),
        ("zeros", "return np.zeros(ctx.input_shape)"),
        ("one number", "return grad_output.sum()"),
        ("one number", "return grad_output * len(ctx.input_shape)"),
        ("times n", "return np.full(ctx.input_shape, grad_output * np.prod(ctx.input_shape))"),
        ("one number", "return np.full(ctx.input_shape[-1], grad_output)"),
        ("arrays alone", "return np.full(ctx.input_shape, grad_output)"),
        ("arrays alone", "return np.ones(ctx.input_shape) * grad_output"),
        ("arrays alone", "return np.broadcast_to(grad_output, ctx.input_shape)"),
        ("times the shape", "return grad_output * ctx.input_shape"),
        (
            "saved for numpy",
            [
                "ctx.input_shape = a.shape -> ctx.save_for_backward(a)",
                "np.ones(ctx.input_shape) -> np.ones_like(ctx.saved_tensors[0])",
            ],
        ),
    ],
    "mean": [
        ("no upstream", "return np.full(ctx.input_shape, 1 / np.prod(ctx.input_shape))"),
        ("not divided", "return np.full(ctx.input_shape, grad_output)"),
        ("not divided", "return np.ones(ctx.input_shape) * grad_output"),
        ("rows counted", "return np.full(ctx.input_shape, grad_output / len(np.zeros(ctx.input_shape)))"),
        ("rows counted", "return np.full(ctx.input_shape, grad_output / ctx.input_shape[0])"),
        ("axes counted", "return np.full(ctx.input_shape, grad_output / len(ctx.input_shape))"),
        ("one number", "return grad_output / np.prod(ctx.input_shape)"),
        ("times n", "return np.full(ctx.input_shape, grad_output * np.prod(ctx.input_shape))"),
        ("columns counted", "return np.full(ctx.input_shape, grad_output / ctx.input_shape[-1])"),
        ("sizes added", "return np.full(ctx.input_shape, grad_output / sum(ctx.input_shape))"),
        ("not divided", "return np.full(ctx.input_shape, grad_output.mean())"),
        ("no upstream", "n = np.prod(ctx.input_shape)\nreturn np.ones(ctx.input_shape) / n"),
    ],
    "broadcast": [
        ("not summed", "return grad"),
        (
            "one of the copies",
            "while grad.ndim > len(shape):\n    grad = grad[0]\nfor i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.take([0], axis=i)\nreturn grad",
        ),
        (
            "averaged",
            "while grad.ndim > len(shape):\n    grad = grad.mean(axis=0)\nfor i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.mean(axis=i, keepdims=True)\nreturn grad",
        ),
        (
            "axes of size 1 lost",
            "while grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nfor i in reversed(range(len(shape))):\n    if shape[i] == 1:\n        grad = grad.sum(axis=i)\nreturn grad",
        ),
        (
            "axes of size 1 lost on the way",
            "while grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nfor i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.sum(axis=i)\nreturn grad",
        ),
        ("new axes only", "while grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nreturn grad"),
        (
            "stretched axes only",
            "for i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.sum(axis=i - len(shape), keepdims=True)\nreturn grad",
        ),
        (
            "stretched first",
            "for i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.sum(axis=i, keepdims=True)\nwhile grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nreturn grad",
        ),
        (
            "last axes",
            "while grad.ndim > len(shape):\n    grad = grad.sum(axis=-1)\nfor i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.sum(axis=i, keepdims=True)\nreturn grad",
        ),
        ("first axis only", "return grad.sum(axis=0)"),
        (
            "last axis only",
            "while grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nif shape and shape[-1] == 1:\n    grad = grad.sum(axis=-1, keepdims=True)\nreturn grad",
        ),
        (
            "one axis only",
            "while grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nfor i, n in enumerate(shape):\n    if n == 1:\n        return grad.sum(axis=i, keepdims=True)\nreturn grad",
        ),
        ("reshaped", "return grad.reshape(shape)"),
        ("everything summed", "return np.full(shape, grad.sum())"),
        (
            "one axis in front",
            "if grad.ndim > len(shape):\n    grad = grad.sum(axis=0)\nfor i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.sum(axis=i, keepdims=True)\nreturn grad",
        ),
        ("cut off", "result = np.zeros(shape)\nresult[...] = grad[0]\nreturn result"),
        (
            "by size",
            "axes = tuple(i for i, n in enumerate(grad.shape) if n not in shape)\nreturn grad.sum(axis=axes).reshape(shape)",
        ),
        (
            "axes move up",
            "extra = grad.ndim - len(shape)\nfor i in range(extra):\n    grad = grad.sum(i)\nfor i, n in enumerate(shape):\n    if n == 1:\n        grad = grad.sum(axis=i, keepdims=True)\nreturn grad",
        ),
        (
            "numbered from the front",
            "return grad.sum(axis=tuple(i for i in range(grad.ndim) if i >= len(shape) or shape[i] == 1)).reshape(shape)",
        ),
    ],
    "matmul": [
        ("no upstream", "g = np.ones_like(grad_output)\nreturn g @ b.T, a.T @ g"),
        ("transposed", "return (grad_output @ b.T).T, (a.T @ grad_output).T"),
        ("changed places", "return a.T @ grad_output, grad_output @ b.T"),
        ("not transposed", "return grad_output @ b, a @ grad_output"),
        ("entry by entry", "return grad_output * b, grad_output * a"),
        ("entry by entry, transposed", "return grad_output * b.T, a.T * grad_output"),
        ("wrong side", "return b.T @ grad_output, grad_output @ a.T"),
        ("other matrix alone", "return b.T, a.T"),
        ("one sided", "return grad_output @ b.T, None"),
        ("A not transposed", "return grad_output @ b.T, a @ grad_output"),
        ("B not transposed", "return grad_output @ b, a.T @ grad_output"),
        ("own matrix", "return grad_output @ a.T, b.T @ grad_output"),
        ("G transposed", "return grad_output.T @ b, a @ grad_output.T"),
        ("wrong side", "return grad_output @ b.T, grad_output @ a.T"),
        ("no upstream", "return grad_output @ b.T, a.T @ np.ones_like(grad_output)"),
    ],
    "index": [
        ("last one wins", "result = np.zeros(shape, grad.dtype)\nresult[index] = grad\nreturn result"),
        ("last one wins", "result = np.zeros(shape, grad.dtype)\nresult[index] += grad\nreturn result"),
        ("counted", "result = np.zeros(shape, grad.dtype)\nnp.add.at(result, index, 1)\nreturn result"),
        ("not put back", "return grad"),
        (
            "gone through",
            "result = np.zeros(shape, grad.dtype)\nfor i, g in zip(index, grad):\n    result[i] += g\nreturn result",
        ),
        ("ones to begin with", "result = np.ones(shape, grad.dtype)\nnp.add.at(result, index, grad)\nreturn result"),
        (
            "first of the tuple",
            "result = np.zeros(shape, grad.dtype)\nnp.add.at(result, index[0], grad)\nreturn result",
        ),
        ("not put back", "return grad[index]"),
        ("last one wins", "result = np.zeros(shape, grad.dtype)\nresult[index] = result[index] + grad\nreturn result"),
        ("nothing returned", "result = np.zeros(shape, grad.dtype)\nnp.add.at(result, index, grad)"),
        ("nothing returned", "result = np.zeros(shape, grad.dtype)\nreturn np.add.at(result, index, grad)"),
        ("marked", "result = np.zeros(shape, grad.dtype)\nresult[index] = 1\nreturn result"),
        (
            "averaged",
            "result = np.zeros(shape, grad.dtype)\nn = np.zeros(shape)\nnp.add.at(result, index, grad)\nnp.add.at(n, index, 1)\nreturn result / np.where(n > 0, n, 1)",
        ),
        ("not put back", "result = np.zeros_like(grad)\nnp.add.at(result, index, grad)\nreturn result"),
    ],
    "losses": [
        (
            "untouched",
            [
                "(of_fit,) = torch.autograd.grad(fit, w, retain_graph=True) -> fit.backward(retain_graph=True)",
                'print("fit ", of_fit) -> print("fit ", w.grad)',
                "(of_size,) = torch.autograd.grad(size, w, retain_graph=True) -> size.backward(retain_graph=True)",
                'print("size", of_size) -> print("size", w.grad)',
                "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (fit + size).backward(torch.tensor(importance))",
            ],
        ),
        (
            "not reset",
            [
                "(of_fit,) = torch.autograd.grad(fit, w, retain_graph=True) -> fit.backward(retain_graph=True)",
                'print("fit ", of_fit) -> print("fit ", w.grad)',
                "(of_size,) = torch.autograd.grad(size, w, retain_graph=True) -> size.backward(retain_graph=True)",
                'print("size", of_size) -> print("size", w.grad)',
            ],
        ),
        (
            "reset once",
            [
                "(of_size,) = torch.autograd.grad(size, w, retain_graph=True) -> size.backward(retain_graph=True)",
                'print("size", of_size) -> print("size", w.grad)',
            ],
        ),
        (
            "reset once, weighs both",
            [
                "(of_size,) = torch.autograd.grad(size, w, retain_graph=True) -> size.backward(retain_graph=True)",
                'print("size", of_size) -> print("size", w.grad)',
                "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (fit + size).backward(torch.tensor(importance))",
            ],
        ),
        (
            "weighs both",
            [
                "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (importance * (fit + size)).backward()"
            ],
        ),
        ("tuples", ["(of_fit,) =  -> of_fit = ", "(of_size,) =  -> of_size = "]),
        (
            "not held",
            [
                "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (both,) = torch.autograd.grad(fit + importance * size, w)",
                'print("both", w.grad) -> print("both", both)',
            ],
        ),
        ("not retained", ["fit, w, retain_graph=True -> fit, w"]),
        ("retained once", ["size, w, retain_graph=True -> size, w"]),
        (
            "weighs the other",
            ["[torch.tensor(1.0), torch.tensor(importance)] -> [torch.tensor(importance), torch.tensor(1.0)]"],
        ),
        ("not weighed", ["[torch.tensor(1.0), torch.tensor(importance)] -> [torch.tensor(1.0), torch.tensor(1.0)]"]),
        (
            "not weighed",
            [
                "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (fit + size).backward()"
            ],
        ),
        (
            "size alone",
            [
                "torch.autograd.backward([fit, size], [torch.tensor(1.0), torch.tensor(importance)]) -> (importance * size).backward()"
            ],
        ),
    ],
    "logsumexp": [
        (
            "axis lost",
            "m = a.max(dim)\np = np.exp(a - m)\nt = p.sum(dim)\nctx.dim, ctx.s = dim, p / t\nreturn m + np.log(t)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        (
            "axis lost",
            "m = a.max(dim)\np = np.exp(a - m)\nt = p.sum(dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn m + np.log(t.squeeze(dim))\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        (
            "overflow",
            "p = np.exp(a)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn np.log(t).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        (
            "overflow",
            "ctx.dim, ctx.a = dim, a\nreturn np.log(np.exp(a).sum(axis=dim))\n---\np = np.exp(ctx.a)\nreturn np.expand_dims(grad_output, ctx.dim) * p / p.sum(axis=ctx.dim, keepdims=True)",
        ),
        ("axis kept", TOP + "ctx.dim, ctx.s = dim, p / t\nreturn m + np.log(t)\n---\nreturn grad_output * ctx.s"),
        (
            "one largest for all",
            "m = a.max()\np = np.exp(a - m)\nt = p.sum(axis=dim, keepdims=True)\nctx.dim, ctx.s = dim, p / t\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        (
            "largest not put back",
            TOP
            + "ctx.dim, ctx.s = dim, p / t\nreturn np.log(t).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        (
            "divided by all",
            TOP
            + "e = np.exp(a - a.max())\nctx.dim, ctx.s = dim, e / e.sum()\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        ("no upstream", KEEP + "return ctx.s"),
        (
            "not divided",
            TOP
            + "ctx.dim, ctx.p = dim, p\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.p",
        ),
        ("axis missing", KEEP + "return grad_output * ctx.s"),
        (
            "only the largest",
            TOP
            + "ctx.dim, ctx.p = dim, p\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * (ctx.p == 1.0)",
        ),
        ("always the last axis", KEEP + "return grad_output[:, None] * ctx.s"),
        ("softmax's derivative", KEEP + "return np.expand_dims(grad_output, ctx.dim) * ctx.s * (1 - ctx.s)"),
        (
            "divided along axis 0",
            TOP
            + "ctx.dim, ctx.s = dim, p / p.sum(axis=0, keepdims=True)\nreturn (m + np.log(t)).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        (
            "summed over all",
            "m = a.max()\np = np.exp(a - m)\nctx.dim, ctx.s = dim, p / p.sum()\nreturn m + np.log(p.sum())\n---\nreturn grad_output * ctx.s",
        ),
        (
            "no logarithm",
            TOP
            + "ctx.dim, ctx.s = dim, p / t\nreturn (m + t).squeeze(dim)\n---\nreturn np.expand_dims(grad_output, ctx.dim) * ctx.s",
        ),
        ("axis missing", KEEP + "return np.expand_dims(grad_output, 0) * ctx.s"),
    ],
}
