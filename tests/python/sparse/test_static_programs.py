# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors whose indices and values are variables of a static program."""

import numpy as np
import paddle
import pytest
from paddle import static

INDICES, VALUES = np.array([[0, 1, 2], [1, 2, 0]], "int32"), np.array([1.0, -1.0, 2.0], "float32")
DENSE = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [2.0, 0.0, 0.0]], "float32")


@pytest.fixture
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def run(function):
    main = static.Program()
    with static.program_guard(main):
        indices = static.data("indices", [2, 3], "int32")
        values = static.data("values", [3], "float32")
        x = paddle.sparse.sparse_coo_tensor(indices, values, [3, 3])
        made = function(x)
    feed = {"indices": INDICES, "values": VALUES}
    return static.Executor().run(main, feed=feed, fetch_list=[made])[0]


FUNCTIONS = {
    "to_dense": (lambda x: x.to_dense(), DENSE),
    "relu": (lambda x: paddle.sparse.nn.functional.relu(x).to_dense(), np.maximum(DENSE, 0)),
    "values": (lambda x: paddle.sparse.square(x).values(), VALUES**2),
    "indices": (lambda x: x.indices(), INDICES),
    "add": (lambda x: paddle.sparse.add(x, paddle.sparse.abs(x)).to_dense(), DENSE + abs(DENSE)),
    "sum": (lambda x: paddle.sparse.sum(x).to_dense(), [2.0]),
    "cast": (lambda x: paddle.sparse.cast(x, None, "float64").to_dense(), DENSE.astype("float64")),
}


@pytest.mark.usefixtures("static_mode")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_stored_values(name):
    function, expected = FUNCTIONS[name]
    found = run(function)
    np.testing.assert_allclose(found, expected)
    assert found.dtype == np.asarray(expected, getattr(expected, "dtype", "float32")).dtype


@pytest.mark.usefixtures("static_mode")
def test_what_needs_the_pattern_says_so():
    with pytest.raises(NotImplementedError, match="to_dense"):
        run(lambda x: paddle.sparse.transpose(x, [1, 0]).to_dense())


@pytest.mark.usefixtures("static_mode")
def test_the_text_of_one_that_has_no_values_yet():
    with static.program_guard(static.Program()):
        values = static.data("values", [3], "float32")
        x = paddle.sparse.sparse_coo_tensor(static.data("indices", [2, 3], "int32"), values, [3, 3])
        assert "shape=[3, 3]" in str(x) and "program" in str(x)
