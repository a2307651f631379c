# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices that have a library of products and no kernel of matmul: the host reads the call."""

import ctypes

import numpy as np
import paddle
import pytest
from paddle.device.conformance import coverage

from tests.device.plugins.build import defective

# Shapes of x and y, whether each is transposed, and how many calls of the library that takes.
CALLS = [
    ((3, 4), (4, 5), False, False, 1),
    ((4, 3), (5, 4), True, True, 1),
    ((4,), (4, 5), False, False, 1),
    ((3, 4), (4,), False, False, 1),
    ((4,), (4,), False, False, 1),
    ((2, 6, 3, 4), (4, 5), False, False, 1),
    ((4, 3), (2, 6, 5, 4), True, True, 1),
    ((2, 6, 3, 4), (2, 6, 4, 5), False, False, 1),
    ((2, 1, 3, 4), (2, 6, 4, 5), False, False, 2),
    ((1, 6, 3, 4), (2, 1, 4, 5), False, False, 2),
    ((2, 1, 6, 3, 4), (7, 1, 4, 5), False, False, 14),
    ((3, 0), (0, 5), False, False, 0),
    ((0, 4), (4, 5), False, False, 0),
]


@pytest.fixture(scope="module")
def products():
    path = defective("with_library")
    paddle.device.load_plugin(path)
    return ctypes.c_longlong.in_dll(ctypes.CDLL(str(path)), "products")


@pytest.mark.parametrize("x, y, transpose_x, transpose_y, calls", CALLS, ids=str)
def test_products(products, x, y, transpose_x, transpose_y, calls):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(x).astype("float32"), rng.standard_normal(y).astype("float32")
    there = [paddle.to_tensor(v, place="with_library:0") for v in (a, b)]
    before, copies = products.value, paddle._core.host_copies()
    out = paddle.matmul(*there, transpose_x=transpose_x, transpose_y=transpose_y)
    assert products.value - before == calls and paddle._core.host_copies() == copies
    expected = np.matmul(a.swapaxes(-1, -2) if transpose_x else a, b.swapaxes(-1, -2) if transpose_y else b)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_rows_of_matmul_and_a_training_pass():
    path = str(defective("with_library"))
    rows = [row for row in coverage.rows(path, ["matmul"], timeout=200) if row["dtype"] == "float32"]
    assert rows and {(row["outcome"], row["how"]) for row in rows} == {("passed", "native")}
    assert coverage.training(path, "mlp") == ("passed", "")
