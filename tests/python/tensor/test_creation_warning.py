# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.to_tensor` of a Tensor warns, once in a process."""

import warnings

import paddle
from paddle.tensor import creation


def test_copying_a_tensor_warns_once(monkeypatch):
    monkeypatch.setattr(creation, "_warned_of_copy", False)
    x = paddle.ones([2])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        paddle.to_tensor([x, x])
        paddle.to_tensor(x.numpy())
        assert not seen
        y = paddle.to_tensor(x, dtype="float64")
        paddle.to_tensor(x)
    assert [w.category for w in seen] == [UserWarning] and "clone().detach()" in str(seen[0].message)
    assert seen[0].filename == __file__ and y.dtype == paddle.float64
