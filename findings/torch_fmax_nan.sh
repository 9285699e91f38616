#!/usr/bin/env bash
# torch 2.14.1: the gradient of fmax of a number and nan is counted twice.
#
# `fmax` returns the number, so its gradient belongs to the number. 2.14 took over the formula of `maximum`, which
# compares the two; nan is not below or above anything, so neither side loses, and both get the whole gradient.
# 2.13 and 2.15 give it to the number alone. A download of 3 GB, which takes 5.5 GB of disk.
#
# Seen on Python 3.11, Linux:
#   fmax(1, nan) = 1.0, gradients 1.0 and 1.0
#   fmax(nan, 1) = 1.0, gradients 1.0 and 1.0
#   fmax(2, 1) = 2.0, gradients 1.0 and 0.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir torch==2.14.1 numpy==2.4.6
cat >"$folder/look.py" <<'PYTHON'
import torch

for a, b in ((1, float("nan")), (float("nan"), 1), (2, 1)):
    x, y = [torch.tensor(float(each), requires_grad=True) for each in (a, b)]
    z = torch.fmax(x, y)
    z.backward()
    print(f"fmax({a}, {b}) = {z.item()}, gradients {x.grad.item()} and {y.grad.item()}")
PYTHON
seen=$("$folder/venv/bin/python" "$folder/look.py")
echo "$seen"
expected=$'fmax(1, nan) = 1.0, gradients 1.0 and 1.0\nfmax(nan, 1) = 1.0, gradients 1.0 and 1.0\nfmax(2, 1) = 2.0, gradients 1.0 and 0.0'
[[ "$seen" == "$expected" ]] || { echo "That has changed." >&2; exit 1; }
