# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saved programs in an installed PaddlePaddle, named by PADDLE_ORACLE_PYTHON."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle import nn

PYTHON = os.environ.get("PADDLE_ORACLE_PYTHON")
pytestmark = pytest.mark.skipif(not PYTHON, reason="PADDLE_ORACLE_PYTHON is not set")
RUN = (
    "import sys, numpy as np, paddle; m = paddle.jit.load(sys.argv[1]); m.eval();"
    "np.save(sys.argv[1] + '.out.npy', m(paddle.to_tensor(np.load(sys.argv[1] + '.in.npy'))).numpy())"
)


def check(model, x, spec, prefix):
    model.eval()
    paddle.jit.save(model, prefix, input_spec=[spec])
    np.save(prefix + ".in.npy", x)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([PYTHON, "-c", RUN, prefix], check=True, env=environment, cwd="/")
    wanted = model(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(np.load(prefix + ".out.npy"), wanted, rtol=1e-4, atol=1e-5)


def test_mlp(tmp_path):
    model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1D(16), nn.GELU(), nn.Linear(16, 4))
    x = np.random.default_rng(0).standard_normal((5, 6)).astype("float32")
    check(model, x, paddle.jit.InputSpec([None, 6], "float32", "x"), str(tmp_path / "mlp"))


def test_llama(tmp_path):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples"))
    from llama import Llama

    x = np.random.default_rng(0).integers(0, 256, (2, 17)).astype("int64")
    spec = paddle.jit.InputSpec([None, None], "int64", "tokens")
    check(Llama(layers=2), x, spec, str(tmp_path / "llama"))
