# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Other libraries in one process, imported before and after paddle, both computing on several threads.

A library is looked for in this environment and in the site-packages folders that PADDLE_PEERS lists.
"""

import importlib.machinery
import os
import pathlib
import shutil
import subprocess
import sys

import paddle
import pytest

PEERS = [folder for folder in os.environ.get("PADDLE_PEERS", "").split(os.pathsep) if folder]

OURS = """
import numpy as np
import paddle

def compute_ours():
    paddle.set_num_threads(2)
    rng = np.random.default_rng(0)
    a = rng.standard_normal((257, 129)).astype("float32")
    x = paddle.to_tensor(a, stop_gradient=False)
    y = paddle.nn.functional.softmax(paddle.matmul(x, x, transpose_y=True))
    (y * y).sum().backward()
    e = np.exp(a @ a.T - (a @ a.T).max(1, keepdims=True))
    np.testing.assert_allclose(y.numpy(), e / e.sum(1, keepdims=True), rtol=1e-3, atol=1e-5)
    assert np.isfinite(x.grad.numpy()).all()
"""
THEIRS = {
    "torch": """
import torch

def compute_theirs():
    torch.set_num_threads(2)
    x = torch.randn(300, 200, requires_grad=True)
    layer = torch.nn.Conv2d(1, 4, 3)
    y = torch.softmax(x @ x.T, 1).sum() + layer(x[None, None]).square().mean()
    y.backward()
    assert torch.isfinite(x.grad).all()
    shared = torch.from_dlpack(paddle.ones([3, 4]))
    assert float(shared.sum()) == 12.0
    assert float(paddle.to_tensor(x.detach().numpy()).sum() - x.detach().double().sum()) < 1e-2
""",
    "sklearn": """
import sklearn.cluster
import sklearn.linear_model
import sklearn.ensemble

def compute_theirs():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 8))
    y = (x[:, 0] > 0).astype(int)
    assert sklearn.linear_model.LogisticRegression().fit(x, y).score(x, y) > 0.9
    assert sklearn.cluster.KMeans(4, n_init=1).fit(x).labels_.shape == (2000,)
    assert sklearn.ensemble.HistGradientBoostingClassifier(max_iter=5).fit(x, y).score(x, y) > 0.9
""",
    "onnx": """
import onnx
import onnx.helper as h
import onnx.reference

def compute_theirs():
    value = lambda name: h.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3])
    graph = h.make_graph([h.make_node("Add", ["a", "b"], ["c"])], "g", [value("a"), value("b")], [value("c")])
    model = h.make_model(graph)
    onnx.checker.check_model(model, full_check=True)
    a = paddle.ones([2, 3]).numpy()
    (c,) = onnx.reference.ReferenceEvaluator(model).run(None, {"a": a, "b": a})
    assert c.tolist() == (paddle.ones([2, 3]) * 2).tolist()
""",
}
COMPUTE = """
import threading
for _ in range(2):
    compute_ours()
    compute_theirs()
both = [threading.Thread(target=f) for f in (compute_ours, compute_theirs)]
[t.start() for t in both]
[t.join() for t in both]
print("computed")
"""


def installed(library):
    return importlib.machinery.PathFinder.find_spec(library, sys.path + PEERS) is not None


@pytest.mark.parametrize("order", ["paddle first", "paddle last"])
@pytest.mark.parametrize("library", THEIRS)
def test_both_compute(library, order):
    if not installed(library):
        pytest.skip(f"{library} is not installed; PADDLE_PEERS may name a site-packages folder that has it")
    imports = [OURS, THEIRS[library]] if order == "paddle first" else ["import numpy as np\n" + THEIRS[library], OURS]
    code = "\n".join([*imports, COMPUTE])
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*sys.path, *PEERS]))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "computed" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_the_libraries_use_no_thread_local_data_of_others():
    folder = pathlib.Path(paddle.__file__).parent
    for library in [*folder.glob("_core*.so"), *(folder / "libs" / f"libpaddle_{n}.so" for n in ("core", "legacy"))]:
        text = subprocess.run(["readelf", "-rW", library], capture_output=True, text=True, check=True).stdout
        named = {line.split()[4] for line in text.splitlines() if "TPOFF64" in line and "@" in line}
        assert not named, f"{library.name} needs thread-local data of other libraries: {named}"


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_the_libraries_leave_thread_local_room_for_others():
    # The loader keeps about 1.6 KB for the thread-local data of fixed offset of all libraries that are
    # loaded late. What is left is for the OpenMP runtimes that scikit-learn, torch and others bring.
    folder = pathlib.Path(paddle.__file__).parent
    size = 0
    for library in [*folder.glob("_core*.so"), *folder.glob("libs/*.so*")]:
        text = subprocess.run(["readelf", "-ldW", library], capture_output=True, text=True, check=True).stdout
        if "STATIC_TLS" in text:
            size += sum(int(line.split()[5], 16) for line in text.splitlines() if line.split()[:1] == ["TLS"])
    assert size < 640, f"{size} bytes of thread-local data at a fixed offset"
