# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The compiler in processes: equal runs, the cache on disk, fork, other compilers beside it."""

import importlib.util
import os
import stat
import subprocess
import sys

import pytest

TRAINING = """
import hashlib, paddle
paddle.seed(5)
model = paddle.nn.Sequential(
    paddle.nn.Linear(32, 64), paddle.nn.LayerNorm(64), paddle.nn.GELU(), paddle.nn.Linear(64, 8))
optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters())
@paddle.jit.to_static(backend="CINN", full_graph=True)
def step(x, y):
    loss = paddle.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    return loss
x, y = paddle.randn([16, 32]), paddle.randint(0, 8, [16])
losses = [step(x, y) for _ in range(7)]
state = [*losses, *model.parameters()]
print(hashlib.sha256(b"".join(t.numpy().tobytes() for t in state)).hexdigest())
print(paddle._core.pir.compiler_statistics()["launches"] > 0)
"""

SHORT = """
import paddle
f = paddle.jit.to_static(lambda x: paddle.tanh(x * 3) + x, backend="CINN", full_graph=True)
y = f(paddle.arange(7, dtype="float32"))
s = paddle._core.pir.compiler_statistics()
print(s["compiled"], s["from_disk"], float(y.sum()))
"""


def test_two_runs_are_equal_also_on_a_busy_machine(run_python, tmp_path):
    quiet = run_python(TRAINING, FLAGS_cinn_cache_dir="")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        loaded = run_python(TRAINING, FLAGS_cinn_cache_dir="")
    finally:
        for process in busy:
            process.kill()
            process.wait()
    cold = run_python(TRAINING, FLAGS_cinn_cache_dir=tmp_path)
    warm = run_python(TRAINING, FLAGS_cinn_cache_dir=tmp_path)
    assert quiet.split()[1] == "True"
    assert quiet == loaded == cold == warm


def test_a_kernel_of_an_earlier_process_is_loaded(run_python, tmp_path):
    cold = run_python(SHORT, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_async=0).split()
    warm = run_python(SHORT, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_async=0).split()
    assert cold[:2] == ["1", "0"]
    assert warm[:2] == ["0", "1"]
    assert cold[2] == warm[2]


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_file_is_made_anew(run_python, tmp_path, damage):
    run_python(SHORT, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_async=0)
    (file,) = tmp_path.iterdir()
    content = bytearray(file.read_bytes())
    if damage == "changed":
        content[-100] ^= 1
    file.write_bytes({"cut": content[: len(content) // 2], "changed": content, "empty": b""}[damage])
    again = run_python(SHORT, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_async=0).split()
    assert again[:2] == ["1", "0"]
    assert run_python(SHORT, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_async=0).split()[:2] == ["0", "1"]


def test_what_a_crashed_process_left_is_not_believed_and_goes(run_python, tmp_path):
    environment = {"FLAGS_cinn_cache_dir": tmp_path, "FLAGS_cinn_async": 0}
    run_python(SHORT, **environment)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    draft = tmp_path / f"{file.name}.4194305"  # beyond what process ids reach
    draft.write_bytes(content[: len(content) // 2])
    late = tmp_path / "0123456789abcdef.kernel.4194306"
    late.write_bytes(content[:40])
    os.utime(late, (1, 1))
    file.unlink()
    assert run_python(SHORT, **environment).split()[:2] == ["1", "0"]
    assert file.read_bytes()[:40] == content[:40]
    assert not late.exists()
    assert draft.exists()  # another process may write it now
    assert run_python(SHORT, **environment).split()[:2] == ["0", "1"]


def test_files_of_others_in_the_folder_stay(run_python, tmp_path):
    other = tmp_path / "thesis.tex"
    other.write_bytes(b"x" * (2 << 20))
    os.utime(other, (1, 1))
    run_python(SHORT, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_cache_mb=1, FLAGS_cinn_async=0)
    assert other.stat().st_size == 2 << 20
    assert len(list(tmp_path.glob("*.kernel"))) == 1


def test_processes_share_a_folder_that_holds_nothing(tmp_path):
    program = """
import paddle
for n in range(4):
    f = paddle.jit.to_static(lambda x, n=n: paddle.tanh(x) * float(n + 2), backend="CINN", full_graph=True)
    y = f(paddle.ones([3]))
s = paddle._core.pir.compiler_statistics()
print(s["compiled"] + s["from_disk"], s["failed"], float(y[0]))
"""
    environment = {
        **os.environ,
        "FLAGS_cinn_cache_dir": str(tmp_path),
        "FLAGS_cinn_cache_mb": "0",
        "FLAGS_cinn_async": "0",
    }
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    results = [process.communicate(timeout=240)[0].split() for process in running]
    assert all(r[:2] == ["4", "0"] and r == results[0] for r in results)
    assert list(tmp_path.iterdir()) == []


def test_processes_share_a_folder(tmp_path):
    environment = {**os.environ, "FLAGS_cinn_cache_dir": str(tmp_path), "FLAGS_cinn_async": "0"}
    command = [sys.executable, "-c", SHORT]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    sums = {process.communicate(timeout=240)[0].split()[2] for process in running}
    assert len(sums) == 1
    assert [file.suffix for file in tmp_path.iterdir()] == [".kernel"]


def test_the_folder_is_bounded(run_python, tmp_path):
    program = """
import paddle
for n in range(6):
    f = paddle.jit.to_static(lambda x, n=n: paddle.tanh(x) * float(n + 2), backend="CINN", full_graph=True)
    f(paddle.ones([3]))
"""
    (tmp_path / "old.kernel").write_bytes(b"x" * (1 << 20))
    os.utime(tmp_path / "old.kernel", (1, 1))
    run_python(program, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_cache_mb=1, FLAGS_cinn_async=0)
    assert not (tmp_path / "old.kernel").exists()
    assert 0 < sum(file.stat().st_size for file in tmp_path.iterdir()) <= 1 << 20


def test_a_folder_that_others_may_write_to_is_refused(tmp_path):
    tmp_path.chmod(tmp_path.stat().st_mode | stat.S_IWOTH)
    environment = {**os.environ, "FLAGS_cinn_cache_dir": str(tmp_path), "FLAGS_cinn_async": "0"}
    command = [sys.executable, "-c", SHORT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=True)
    assert "other users may write to it" in done.stderr
    assert done.stdout.split()[:2] == ["1", "0"]
    assert list(tmp_path.iterdir()) == []


def test_a_child_compiles_though_its_parent_was_compiling(run_python):
    program = """
import os, sys, paddle
fs = [paddle.jit.to_static(lambda x, n=n: paddle.tanh(x) * float(n) + paddle.exp(x), backend="CINN", full_graph=True)
      for n in range(2, 8)]
x = paddle.ones([5])
for f in fs:
    f(x)
children = []
for n in range(3):
    child = os.fork()
    if child == 0:
        g = paddle.jit.to_static(lambda x: paddle.sin(x) * float(n + 20), backend="CINN", full_graph=True)
        for _ in range(4):
            y = g(x)
            z = fs[n](x)
        ok = paddle._core.pir.compiler_statistics()["launches"] > 0
        os._exit(0 if ok else 1)
    children.append(child)
for _ in range(4):
    for f in fs:
        f(x)
print([os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children])
"""
    assert run_python(program, FLAGS_cinn_cache_dir="", OMP_NUM_THREADS=1).strip() == "[0, 0, 0]"


def test_a_process_may_end_while_kernels_are_compiled():
    program = """
import sys, time, paddle
fs = [paddle.jit.to_static(lambda x, n=n: paddle.tanh(x * float(n)).sum(0) + paddle.exp(x), backend="CINN",
                           full_graph=True) for n in range(2, 22)]
for f in fs:
    f(paddle.ones([5, 3]))
time.sleep(float(sys.argv[1]))
"""
    environment = {**os.environ, "FLAGS_cinn_cache_dir": ""}
    for wait in (0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.09):
        command = [sys.executable, "-c", program, str(wait)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr[-2000:]


OTHERS = {
    "numba": "import numba\nassert numba.njit(lambda a: a + 1)(2) == 3",
    "torch": "import torch\nassert torch.compile(lambda a: a + 1)(torch.ones(2)).sum() == 4",
    "jax": "import jax\nassert jax.jit(lambda a: a + 1)(2) == 3",
}


@pytest.mark.parametrize("first", ["paddle", "other"])
@pytest.mark.parametrize("other", OTHERS)
def test_other_compilers_in_the_process(run_python, other, first):
    if importlib.util.find_spec(other) is None:
        pytest.skip(f"{other} is not installed")
    parts = [SHORT, OTHERS[other]]
    if first == "other":
        parts.reverse()
    out = run_python("\n".join([*parts, *parts]), FLAGS_cinn_cache_dir="", FLAGS_cinn_async=0)
    assert out.split()[:2] == ["1", "0"]
