#!/usr/bin/env bash
# torch 2.13.0: a Function whose backward forgets to sum is right, without a word; one that sums too much is refused.
#
# For a matrix times a vector, dL/dx is aᵀg. Returned as a * g[:, None], shape [3, 2] for an x of shape [2], it is summed
# by the engine to the shape of x, and so is right: gradients may have any shape that the input's can be expanded to.
# `gradcheck` finds nothing to say either. So an answer of this kind cannot be told from a right one by what torch prints.
# A gradient that is too small, [] for [2], raises instead of being expanded.
#
# Seen on Python 3.11, Linux:
#   returned (3, 2), x.grad is [531.0, 642.0], which is right: True; gradcheck: True
#   returned (), RuntimeError: Function ReturnedBackward returned an invalid gradient at index 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir torch==2.13.0 numpy==2.4.6
cat >"$folder/look.py" <<'PYTHON'
import torch

a = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64)
g = torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64)
shapes = []


class Returned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return a @ x

    @staticmethod
    def backward(ctx, grad_output):
        grad = a * grad_output[:, None] if summed is None else (a.T @ grad_output).sum()
        shapes.append(tuple(grad.shape))
        return grad


summed = None
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
Returned.apply(x).backward(g)
checked = torch.autograd.gradcheck(Returned.apply, x)
print(f"returned {shapes[0]}, x.grad is {x.grad.tolist()}, which is right: {torch.equal(x.grad, a.T @ g)}; gradcheck: {checked}")
summed = True
try:
    Returned.apply(x).backward(g)
except RuntimeError as error:
    print(f"returned {shapes[-1]}, RuntimeError: {str(error).partition(' - ')[0]}")
PYTHON
seen=$("$folder/venv/bin/python" "$folder/look.py")
echo "$seen"
expected=$'returned (3, 2), x.grad is [531.0, 642.0], which is right: True; gradcheck: True\nreturned (), RuntimeError: Function ReturnedBackward returned an invalid gradient at index 0'
[[ "$seen" == "$expected" ]] || { echo "That has changed." >&2; exit 1; }
