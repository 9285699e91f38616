"""Judging on a Dask cluster: a real scheduler and two worker processes, one of them killed in the middle."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from submissions import exercise, only, ours, solution
from typer.testing import CliRunner

import minigrad
from minigrad_course.cli import app
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.grade import Alone, judge_all
from minigrad_course.grading.records.record import Settings, Task

distributed = pytest.importorskip("distributed")
import dask  # noqa: E402

from minigrad_course.grading.workers.cluster import Cluster, NoCluster  # noqa: E402

ROOT = Path(minigrad.__file__).parent.parent
SEED = 5
HIDDEN = ("--dashboard-address", "127.0.0.1:0")  # else it listens to everybody, whatever the host
MANY = 6
SLOW = f"import time\ntime.sleep(0.3)\n{ours('mul')}"  # so that somebody is still at work when a worker is killed
NOTEBOOKS = [
    only(each, "mul") for each in (solution(mul=SLOW), solution(mul=SLOW.replace("grad_output * ", "")), exercise())
]


def started(folder, *arguments):
    """A Python module as a process, with its output in a file."""
    with (folder / "dask.log").open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", *map(str, arguments)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "COLUMNS": "150"},
            stdout=file,
            stderr=file,
        )


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A key and a certificate, as Dask's configuration names them."""
    if not (openssl := shutil.which("openssl")):
        pytest.skip("no openssl")
    folder = tmp_path_factory.mktemp("tls")
    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    files = ("-keyout", folder / "key.pem", "-out", folder / "cert.pem")
    subprocess.run([openssl, *new, "-subj", "/CN=grading", *files], check=True, capture_output=True)
    both = {"cert": str(folder / "cert.pem"), "key": str(folder / "key.pem")}
    tls = {"ca-file": both["cert"], "scheduler": both, "worker": both, "client": both}
    return {"distributed": {"comm": {"require-encryption": True, "tls": tls}}}


def certified(tls):
    """Dask's configuration in this process, with the certificate."""
    return dask.config.set(dask.config.merge(dask.config.config, tls))


@pytest.fixture(scope="module")
def cluster(tls, tmp_path_factory):
    """The address of a scheduler, and two workers with one thread each: one on its own, one under Dask's nanny.

    They let in only those with the certificate, which costs no more than to let in everybody.
    """
    tmp_path = tmp_path_factory.mktemp("cluster")
    (tmp_path / "tls.yaml").write_text(json.dumps(tls))
    file = tmp_path / "scheduler.json"
    common = ("--protocol", "tls", "--host", "127.0.0.1", "--scheduler-file", file, *HIDDEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_CONFIG", str(tmp_path))
        processes = [started(tmp_path, "dask", "scheduler", "--port", "0", *common)]
        try:
            address = address_in(file)
            worker = ("dask", "worker", "--nthreads", "1", *common, "--local-directory", tmp_path)
            processes += [started(tmp_path, *worker, "--no-nanny"), started(tmp_path, *worker, "--nanny")]
            with certified(tls), distributed.Client(address, timeout=60, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=120)
            yield address, processes[1]
        finally:
            family = [each for process in processes for each in tree(process.pid)]
            for process in reversed(processes):  # a worker without its scheduler would look for it for ten seconds
                process.terminate()
                process.wait(60)
            left = psutil.wait_procs(family, timeout=60)[1]
            assert [each for each in left if each.is_running()] == []


def address_in(file):
    """Where a scheduler listens, once it has said so in its file."""
    deadline = time.monotonic() + 60
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    return json.loads(file.read_text())["address"]


def tree(pid):
    """A process and all below it; nothing if it has ended."""
    try:
        return [(root := psutil.Process(pid)), *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def timeless(record):
    """A record without its times, and whose it is."""
    parts = tuple(dataclasses.replace(part, seconds=0.0) for part in record.parts)
    return dataclasses.replace(record, seconds=0.0, parts=parts, place="", student="")


def listening(pid):
    """Where a process and all below it wait for others to connect: (address, port)."""
    found = [each for process in tree(pid) for each in process.net_connections(kind="inet")]
    return {each.laddr[:2] for each in found if each.status == psutil.CONN_LISTEN}


def test_with_tls_only_those_with_the_certificate_are_let_in(cluster, monkeypatch):
    """This process has read another configuration, which knows nothing of TLS."""
    address, _ = cluster
    monkeypatch.setattr("minigrad_course.grading.workers.cluster.CONNECT_SECONDS", 1)
    for where, said in ((address, "names none here"), (address.replace("tls:", "tcp:"), "no scheduler answers there")):
        with pytest.raises(NoCluster, match=said):
            Cluster(Settings(SEED), where)


def test_what_is_started_for_this_machine_alone_listens_to_nobody_else_and_grading_opens_nothing(cluster, tls):
    """As docs/platforms.md says."""
    address, worker = cluster
    scheduler = next(each for each in psutil.Process().children() if "scheduler" in each.cmdline())
    before = listening(os.getpid())
    ports = listening(scheduler.pid) | listening(worker.pid)
    assert ports and {host for host, _ in ports} == {"127.0.0.1"}
    with certified(tls):
        crew = Cluster(Settings(SEED), address)
        try:
            assert listening(os.getpid()) == before
        finally:
            crew.close()


def test_a_killed_worker_costs_nothing_and_the_grades_are_those_of_this_machine(cluster, tls, tmp_path, monkeypatch):
    """Given as a command, as an instructor does."""
    address, worker = cluster
    contents = [json.dumps(notebook).encode() for notebook in NOTEBOOKS]
    (tmp_path / "submitted").mkdir()
    for count in range(MANY):
        (tmp_path / "submitted" / f"{count:02}.ipynb").write_bytes(contents[count % 3])
    store = tmp_path / "grades" / "grades.sqlite"
    alone = []
    tasks = [Task(str(count), str(count), "", content) for count, content in enumerate(contents)]
    judge_all(tasks, lambda: Alone(Settings(SEED)), alone.append)
    family, kept, keep = [], [], Store.keep

    def keep_and_kill(store, record, *given):
        keep(store, record, *given)
        kept.append(record)
        if len(kept) == 2:
            family.extend(tree(worker.pid))
            worker.send_signal(signal.SIGKILL)

    monkeypatch.setattr(Store, "keep", keep_and_kill)
    monkeypatch.chdir(tmp_path)
    command = ["grade", "submitted", "--dask", address, "--seed", str(SEED), "--write", "json"]
    with certified(tls):
        ended = CliRunner().invoke(app, command, env={"COLUMNS": "150"})
    assert len(kept) >= MANY and ended.exit_code == 1, ended.output
    assert "Traceback" not in ended.output and f"0 of {MANY} files pass." in ended.output
    files = json.loads((tmp_path / "grades" / "grades.json").read_text())["files"]
    assert [each["student"] for each in files] == [f"{count:02}" for count in range(MANY)]  # each once
    with Store(store) as grades:
        for count, each in enumerate(files):
            assert timeless(grades.record(each["file"])) == timeless(alone[count % 3])
    assert family and psutil.wait_procs(family, timeout=60)[1] == []  # nothing of the killed worker is left
