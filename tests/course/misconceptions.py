"""Forty things people get wrong about `backward()`, and where the course meets each of them.

ROWS: number -> (what it is about, places). A place is (kind, notebook, name): a "text" or a "prediction" is a cell of
a lesson, a "task" is a part of an exercise, a "mistake" is one of its named mistakes, as part/name.
"""

C1, C2, C3, C4, C5 = (
    "01_scalar_backward",
    "02_upstream_gradients",
    "03_jacobian_sums",
    "04_leaves",
    "05_train_a_network",
)


def text(notebook, *cells):
    return tuple(("text", notebook, cell) for cell in cells)


def prediction(notebook, *cells):
    return tuple(("prediction", notebook, cell) for cell in cells)


def task(notebook, *parts):
    return tuple(("task", notebook, part) for part in parts)


def mistake(notebook, *names):
    return tuple(("mistake", notebook, name) for name in names)


ROWS = {
    1: (
        "what the gradient argument means",
        prediction(C2, "ask-weights")
        + text(C2, "meaning", "explore")
        + task(C2, "seed_rule")
        + mistake(C2, "seed_rule/gradient ignored"),
    ),
    2: (
        "rebinding the name of a leaf",
        prediction(C4, "ask-scaled") + text(C4, "scaled-answer") + task(C5, "rebound"),
    ),
    3: (
        "backward() on a non-scalar",
        text(C2, "no-argument", "no-argument-read") + mistake(C2, "seed_rule/ones for all"),
    ),
    4: (
        "in-place change of a leaf",
        text(C4, "update-read") + task(C4, "descend") + mistake(C5, "train/recorded") + mistake(C4, "descend/recorded"),
    ),
    5: (
        "modified by an inplace operation",
        prediction(C4, "ask-saved")
        + task(C4, "check_versions")
        + task(C5, "shifted")
        + mistake(C4, "check_versions/any change"),
    ),
    6: (
        "second derivatives",
        prediction(C3, "ask-graphs") + task(C3, "hessian") + mistake(C3, "hessian/no graph", "slices/no graph"),
    ),
    7: (
        ".grad of an intermediate is None",
        text(C1, "backward-read", "non-leaf") + text(C4, "others", "retain") + task(C4, "retain_grad"),
    ),
    8: (
        "can't optimize a non-leaf Tensor",
        prediction(C4, "ask-scaled") + text(C4, "scaled-answer") + task(C5, "scaled"),
    ),
    9: (
        "backward adds into .grad",
        prediction(C1, "ask-twice-round")
        + mistake(C1, "repair/not reset")
        + task(C5, "zeroing")
        + mistake(C4, "accumulate_again/overwrites"),
    ),
    10: (
        "item assignment",
        prediction(C4, "ask-overwritten")
        + text(C4, "assign-answer", "buffer-run")
        + task(C4, "copy_slices")
        + mistake(C4, "copy_slices/the old keeps it"),
    ),
    11: (
        "ones sums the slices of the Jacobian",
        prediction(C2, "ask-ones") + prediction(C3, "ask-rolled") + mistake(C3, "weighted_sum/unweighted"),
    ),
    12: (
        "the second backward",
        prediction(C4, "ask-twice")
        + text(C4, "second-answer")
        + task(C4, "free")
        + task(C5, "recurrent")
        + mistake(C4, "free/never"),
    ),
    13: (
        "nan through where",
        prediction(C2, "ask-root")
        + text(C2, "nan-answer")
        + prediction(C3, "ask-root-again")
        + task(C3, "roots")
        + task(C5, "masked"),
    ),
    14: ("changing requires_grad of a non-leaf", text(C4, "scaled-answer") + task(C5, "frozen")),
    15: (
        "element 0 of tensors does not require grad",
        text(C1, "constants", "wrong") + text(C2, "refused-read") + text(C4, "out") + task(C5, "accuracy"),
    ),
    16: (
        "a graph shared by two losses, or by the steps of a loop",
        text(C2, "losses", "shared-read") + text(C4, "state", "wrong") + task(C2, "losses") + task(C5, "recurrent"),
    ),
    17: (
        ".grad as an attribute: the same tensor, assigned, fed by hand",
        prediction(C2, "ask-cut")
        + prediction(C4, "ask-alias")
        + task(C4, "accumulate_again")
        + mistake(C4, "accumulate_again/a new sum"),
    ),
    18: (
        "the full Jacobian",
        prediction(C3, "ask-one-hot", "ask-several")
        + text(C3, "identity")
        + task(C3, "slices")
        + mistake(C3, "slices/not reset"),
    ),
    19: (
        "vᵀJ, and the layout of .grad",
        text(C2, "orientation", "matmul-read") + text(C3, "twice") + mistake(C3, "weighted_sum/from the right"),
    ),
    20: (
        "an unused input: None, an error or zero",
        text(C1, "wrong", "wrong-run")
        + text(C2, "grad-read")
        + text(C4, "none", "none-run")
        + mistake(C4, "descend/unused"),
    ),
    21: (
        "what a leaf is",
        text(C1, "leaves-read", "wrong")
        + text(C4, "table-read")
        + task(C4, "is_leaf")
        + mistake(C4, "is_leaf/constants left out"),
    ),
    22: (
        "the update step written by hand",
        text(C4, "update", "update-read", "update-right-read")
        + task(C4, "descend")
        + task(C5, "rebound")
        + mistake(C4, "descend/a new tensor"),
    ),
    23: ("zero gradient, or no gradient", text(C3, "kinks-answer", "where-read") + task(C5, "accuracy")),
    24: (
        "shape and dtype of the gradient",
        text(C2, "refused-read", "dtype") + mistake(C2, "seed_rule/shape not checked", "seed_rule/stretched"),
    ),
    25: ("torch.tensor(t), clone, detach", text(C4, "table-read", "out") + mistake(C5, "penalty/a new leaf")),
    26: (
        "None or zero after zero_grad",
        text(C4, "update-right-read") + mistake(C4, "descend/zeros"),
    ),
    27: (
        "a second backward without an error",
        prediction(C4, "ask-twice") + text(C4, "second-answer") + task(C4, "free") + mistake(C4, "free/nothing saved"),
    ),
    28: (
        ".data or detach()",
        text(C4, "data", "writing") + mistake(C5, "shifted/through data") + mistake(C4, "detach/as data"),
    ),
    29: (
        "no_grad and its exceptions",
        prediction(C4, "ask-unrecorded")
        + text(C4, "no-grad-answer")
        + task(C4, "no_grad")
        + mistake(C4, "no_grad/switches on"),
    ),
    30: ("kinks and ties", prediction(C3, "ask-kinks") + text(C3, "kinks-answer")),
    31: (
        "several uses, and repeated indices",
        prediction(C1, "ask-square") + prediction(C2, "ask-taken-twice") + mistake(C2, "index/last one wins"),
    ),
    32: (
        "when and where retain_grad works",
        text(C4, "retain", "hooks")
        + prediction(C4, "ask-hook-order")
        + task(C4, "retain_grad")
        + mistake(C4, "retain_grad/leaves too"),
    ),
    33: (
        "nn.Parameter or a tensor",
        text(C4, "table-read") + prediction(C4, "ask-unrecorded") + task(C5, "scaled"),
    ),
    34: ("integer tensors", text(C4, "recap", "same-or-new")),
    35: ("numpy() and item() leave the graph", text(C4, "out", "data") + task(C5, "penalty")),
    36: (
        "detach and freezing",
        prediction(C4, "ask-evaluated")
        + text(C4, "out")
        + task(C4, "detach")
        + task(C5, "frozen")
        + mistake(C4, "detach/cuts the original"),
    ),
    37: (
        "autograd.grad or backward",
        text(C2, "grad", "grad-read") + text(C4, "none") + mistake(C2, "losses/tuples"),
    ),
    38: (
        "hooks and their order",
        prediction(C4, "ask-hook-order") + text(C4, "hooks-answer") + mistake(C4, "retain_grad/by a hook"),
    ),
    39: (
        "broadcasting",
        prediction(C2, "ask-bias") + mistake(C2, "broadcast/not summed") + task(C5, "column"),
    ),
    40: (
        "a custom Function",
        text(C2, "functions", "functions-read") + task(C2, "logsumexp") + task(C3, "mv"),
    ),
}
