#!/usr/bin/env bash
# torch 2.15.0: the gradient of clamp at its bound depends on how the bound is written.
#
# At 0 the same function has four gradients: 0 for the bound 0 as a number, as in relu; a half for a tensor of zeros,
# also if there is a tensor of upper bounds above it; and 1 where both tensors of bounds are 0 and nothing else is left.
# Up to 2.13 it was 1 in all of these. A download of 3 GB, which takes 6 GB of disk.
#
# Seen on Python 3.11, Linux:
#   clamp(min=0): 0.0
#   clamp(min=zeros): 0.5
#   clamp(min=zeros, max=ones): 0.5
#   clamp(min=zeros, max=zeros): 1.0
#   relu: 0.0
#   maximum(zeros): 0.5
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir torch==2.15.0 numpy==2.4.6
cat >"$folder/look.py" <<'PYTHON'
import torch

zeros, ones = torch.zeros(1), torch.ones(1)
for name, function in {
    "clamp(min=0)": lambda x: x.clamp(min=0),
    "clamp(min=zeros)": lambda x: x.clamp(min=zeros),
    "clamp(min=zeros, max=ones)": lambda x: x.clamp(min=zeros, max=ones),
    "clamp(min=zeros, max=zeros)": lambda x: x.clamp(min=zeros, max=zeros),
    "relu": torch.relu,
    "maximum(zeros)": lambda x: torch.maximum(x, zeros),
}.items():
    x = torch.zeros(1, requires_grad=True)
    function(x).backward()
    print(f"{name}: {x.grad.item()}")
PYTHON
seen=$("$folder/venv/bin/python" "$folder/look.py")
echo "$seen"
expected=$'clamp(min=0): 0.0\nclamp(min=zeros): 0.5\nclamp(min=zeros, max=ones): 0.5\nclamp(min=zeros, max=zeros): 1.0\nrelu: 0.0\nmaximum(zeros): 0.5'
[[ "$seen" == "$expected" ]] || { echo "That has changed." >&2; exit 1; }
