# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Windows against SciPy."""

import numpy as np
import paddle
import pytest
import scipy.signal.windows as reference


@pytest.mark.parametrize("length", [1, 2, 5, 8])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (paddle.bartlett_window, reference.bartlett),
        (paddle.blackman_window, reference.blackman),
        (paddle.kaiser_window, lambda n, sym: reference.kaiser(n, 12.0, sym=sym)),
    ],
)
def test_values(call, expected, length, periodic):
    got = call(length, periodic, dtype="float64", requires_grad=True)
    np.testing.assert_allclose(got.numpy(), expected(length, sym=not periodic), atol=1e-12)
    assert not got.stop_gradient and call(length).dtype == paddle.float32


def test_shapes_of_kaiser_windows_and_negative_lengths():
    np.testing.assert_allclose(paddle.kaiser_window(6, False, 4.0).numpy(), reference.kaiser(6, 4.0), rtol=1e-5)
    with pytest.raises(ValueError, match="window_length"):
        paddle.bartlett_window(-1)
