# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator table on the lagging device: values, and first derivatives, equal the references."""

import numpy as np
import paddle
import pytest

from tests.device.lagging import place
from tests.test_op_cases import CASES, bind, compare, ids, run, seeded, tensors_of
from tests.test_op_modes import is_random


def moved(value):
    if isinstance(value, list):
        return [moved(v) for v in value]
    return value.to(place()) if isinstance(value, paddle.Tensor) else value


ROWS = [c for c in CASES if c.ref is not None and not is_random(c)]
SAMPLE = {id(c) for c in ROWS[::12]}
PARAMETERS = [pytest.param(c, id=ids(c), marks=() if id(c) in SAMPLE else pytest.mark.slow) for c in ROWS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", PARAMETERS)
def test_rows_on_the_device(case):
    dtype = case.dtypes[0]
    tensors, values = bind(case.args(seeded()), dtype)
    there = {name: moved(value) for name, value in tensors.items()}
    with paddle.device.device_guard("lagging:0"):
        outs = run(case, there)
    compare(case, outs, values, dtype)
    if tensors_of(there.values()):
        for out in tensors_of(outs):
            assert out.place == place(), f"a result is on {out.place}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [p for p in PARAMETERS if p.values[0].grad])
def test_first_derivatives_on_the_device(case):
    found = []
    for there in (False, True):
        tensors, _ = bind(case.args(seeded()), "float64" if "float64" in case.dtypes else case.dtypes[0])
        if there:
            tensors = {name: moved(value) for name, value in tensors.items()}
        inputs = tensors_of([tensors[name] for name in case.grad])
        for t in inputs:
            t.stop_gradient = False
        with paddle.device.device_guard("lagging:0" if there else "cpu"):
            outs = [t for t in tensors_of(run(case, tensors)) if not t.stop_gradient]
        total = sum((t.cast("float64") if not t.is_complex() else t.abs()).sum() for t in outs)
        found.append(paddle.grad(total, inputs, allow_unused=True))
    for host, device in zip(*found, strict=True):
        assert (host is None) == (device is None)
        if host is None:
            continue
        assert device.place == place()
        np.testing.assert_allclose(device.astype(host.dtype).numpy(), host.numpy(), rtol=1e-5, atol=1e-6)
