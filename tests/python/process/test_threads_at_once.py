# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads of Python that share a graph, a leaf, a converted function, layers, a predictor's weights, a device."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.threads
ROOT = Path(__file__).resolve().parents[3]

SHARED_LEAF = """
import threading
import paddle
x = paddle.ones([64, 64])
x.stop_gradient = False
y = (x * x).sum()
def work():
    for _ in range(300):
        y.backward(retain_graph=True)
        assert x.grad is None or x.grad.shape == [64, 64]
        x.clear_gradient()
"""

ADDED_UP = """
import threading
import paddle
x = paddle.ones([64, 64])
x.stop_gradient = False
def work():
    for _ in range(100):
        (x * 2.0).sum().backward()
"""

FIRST_CAPTURE = """
import threading
import paddle
barrier = threading.Barrier(4)
f = [paddle.jit.to_static(lambda x, k=k: x * k + 1, full_graph=True) for k in range(4)]
def work():
    f[barrier.wait()](paddle.ones([2]))
"""

SEGMENTS = """
import threading
import numpy as np
import paddle
numbers = iter(range(4))
layer = paddle.nn.Linear(32, 32)

@paddle.jit.to_static
def f(x, k):
    y = layer(x)
    if float(x.max()) > 0:  # ends the segment
        y = y * k
    return (paddle.tanh(y) ** 2).sum(), y

def work():
    n = next(numbers)
    for i in range(40):
        x = paddle.full([2 + (n + i) % 3, 32], 1.0 + n)
        x.stop_gradient = False
        loss, y = f(x, 2.0)
        wanted = 2 * (layer.weight.sum(0) * (1.0 + n) + layer.bias)
        assert np.allclose(y.numpy(), wanted.numpy(), atol=1e-4)
        (x_grad,) = paddle.grad(loss, [x])
        assert np.isfinite(x_grad.numpy()).all()
"""

TRAINED = """
import threading
import paddle

# Layers of the threads' own, which share what the library keeps: primitives, packed weights, memory.
def work():
    conv, norm = paddle.nn.Conv2D(8, 8, 3, padding=1), paddle.nn.BatchNorm2D(8)
    head = paddle.nn.Linear(8 * 12 * 12, 4)
    optimizer = paddle.optimizer.Adam(1e-3, parameters=[*conv.parameters(), *norm.parameters(), *head.parameters()])
    x = paddle.ones([4, 8, 12, 12])
    first = None
    for _ in range(15):
        loss = (head(norm(conv(x)).flatten(1)) - 1.0).square().mean()
        first = float(loss) if first is None else first
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    assert float(loss) < first
"""

EVALUATED = """
import threading
import numpy as np
import paddle
conv, head = paddle.nn.Conv2D(8, 8, 3, padding=1), paddle.nn.Linear(8 * 24 * 24, 16)
conv.eval(), head.eval()
x = paddle.ones([4, 8, 24, 24])
with paddle.no_grad():
    middle = conv(x)  # its private memory order ends in whichever thread comes first
    expected = head(paddle.nn.functional.relu(conv(x)).flatten(1)).numpy()

def work():
    for _ in range(30):
        with paddle.no_grad():
            shared = head(paddle.nn.functional.relu(middle).flatten(1))
            own = head(paddle.nn.functional.relu(conv(x)).flatten(1))
        assert np.allclose(shared.numpy(), expected, atol=1e-4) and np.allclose(own.numpy(), expected, atol=1e-4)
"""

PREDICTED = """
import tempfile, threading
import numpy as np
import paddle
from paddle import inference
net = paddle.nn.Sequential(
    paddle.nn.Conv2D(3, 16, 3, padding=1), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(16 * 256, 32))
net.eval()
folder = tempfile.mkdtemp()
x = np.ones([3, 3, 16, 16], 'float32')
expected = net(paddle.to_tensor(x)).numpy()
paddle.jit.save(net, folder + '/net', input_spec=[paddle.static.InputSpec([None, 3, 16, 16], 'float32')])
config = inference.Config(folder + '/net.json', folder + '/net.pdiparams')
config.set_cpu_math_library_num_threads(2)
first = inference.create_predictor(config)
clones = iter([first] + [first.clone() for _ in range(3)])

def work():
    predictor = next(clones)
    for i in range(40):
        rows = 1 + i % 3
        got = predictor.run([paddle.to_tensor(x[:rows])])[0].numpy()
        assert np.allclose(got, expected[:rows], atol=1e-4)
"""

ON_A_DEVICE = """
import threading
import numpy as np
import paddle
from tests.device.skeleton import place, there
place()
weight = there(np.eye(8, dtype='float32') * 2, stop_gradient=False)
numbers = iter(range(4))

def work():
    n = next(numbers)
    x = there(np.full([4, 8], n, 'float32'))
    for _ in range(20):
        y = paddle.matmul(x, weight)
        assert (y.numpy() == 2 * n).all()
        (grad,) = paddle.grad(y.sum(), [weight])
        assert (grad.numpy() == 4 * n).all()
"""

RUN = """
failures = []
body = work
def work():
    try:
        body()
    except BaseException as e:
        failures.append(repr(e))
threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join(200)
assert not any(t.is_alive() for t in threads)
assert not failures, failures
"""


@pytest.mark.parametrize(
    "program, afterwards",
    [
        (SHARED_LEAF, ""),
        (ADDED_UP, "assert (x.grad == 800).all()"),
        (FIRST_CAPTURE, ""),
        (SEGMENTS, ""),
        (TRAINED, ""),
        (EVALUATED, ""),
        (PREDICTED, ""),
        (ON_A_DEVICE, ""),
    ],
    ids=["one graph", "one leaf", "first capture", "segments", "trained", "evaluated", "predicted", "on a device"],
)
def test_threads_end_without_harm(program, afterwards):
    command = [sys.executable, "-c", program + RUN + afterwards + "\nimport os\nos._exit(0)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ), cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
