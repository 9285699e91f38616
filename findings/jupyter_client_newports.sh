#!/usr/bin/env bash
# jupyter_client 8.10.0: restart_kernel(newports=True) keeps all five ports.
#
# JupyterLab's server calls it after a kernel has died at its start, and logs "restarting, new random ports". But
# KernelManager.cache_ports is True by default for TCP, and cached ports are chosen anew only with cache_ports=False.
# So a kernel that died because a port was taken is started on the same five ports again.
#
# Seen on Python 3.11, Linux:
#   cache_ports=True: 0 of 5 ports are new
#   cache_ports=False: 5 of 5 ports are new
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    ipykernel==7.4.0 jupyter_client==8.10.0 pyzmq==27.3.0 tornado==6.6.1 traitlets==5.16.1
cat >"$folder/look.py" <<'PYTHON'
import subprocess

from jupyter_client.manager import KernelManager

for options in ({}, {"cache_ports": False}):
    manager = KernelManager(kernel_name="python3", **options)
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        before = set(manager.ports)
        manager.restart_kernel(now=True, newports=True)
        print(f"cache_ports={manager.cache_ports}: {len(set(manager.ports) - before)} of 5 ports are new")
    finally:
        manager.shutdown_kernel(now=True)
PYTHON
seen=$(HOME="$folder" JUPYTER_RUNTIME_DIR="$folder/runtime" "$folder/venv/bin/python" "$folder/look.py" 2>/dev/null)
echo "$seen"
expected=$'cache_ports=True: 0 of 5 ports are new\ncache_ports=False: 5 of 5 ports are new'
[[ "$seen" == "$expected" ]] || { echo "That has changed." >&2; exit 1; }
