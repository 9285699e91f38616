#!/usr/bin/env bash
# torch 2.15.0: clamp with a tensor as its bound counts the gradient twice where one of the two is nan.
#
# The result is nan, and both the input and the bound get the whole gradient, so a step of size 1 in both would count
# as 2. 2.15 mended the same in `fmax` (see torch_fmax_nan.sh), not here. Up to 2.13 both got 0.
# A download of 3 GB, which takes 6 GB of disk.
#
# Seen on Python 3.11, Linux:
#   clamp_min(nan, 0) = nan, gradients 1.0 and 1.0
#   clamp_max(0, nan) = nan, gradients 1.0 and 1.0
#   fmax(nan, 0) = 0.0, gradients 0.0 and 1.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir torch==2.15.0 numpy==2.4.6
cat >"$folder/look.py" <<'PYTHON'
import torch

nan = float("nan")
for function, a, b in ((torch.clamp_min, nan, 0), (torch.clamp_max, 0, nan), (torch.fmax, nan, 0)):
    x, y = [torch.tensor(float(each), requires_grad=True) for each in (a, b)]
    z = function(x, y)
    z.backward()
    print(f"{function.__name__}({a}, {b}) = {z.item()}, gradients {x.grad.item()} and {y.grad.item()}")
PYTHON
seen=$("$folder/venv/bin/python" "$folder/look.py")
echo "$seen"
expected=$'clamp_min(nan, 0) = nan, gradients 1.0 and 1.0\nclamp_max(0, nan) = nan, gradients 1.0 and 1.0\nfmax(nan, 0) = 0.0, gradients 0.0 and 1.0'
[[ "$seen" == "$expected" ]] || { echo "That has changed." >&2; exit 1; }
