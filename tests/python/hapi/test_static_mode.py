# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.Model` in static mode: the same numbers as in dynamic mode."""

import numpy as np
import paddle


def losses():
    net = paddle.nn.Linear(4, 2, weight_attr=paddle.nn.initializer.Constant(0.5))
    specs = [paddle.static.InputSpec([None, 4], "float32", "x")], [paddle.static.InputSpec([None, 1], "int64", "y")]
    model = paddle.Model(net, *specs)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.nn.CrossEntropyLoss())
    x, y = np.arange(8, dtype="float32").reshape(2, 4) / 8, np.array([[0], [1]])
    got = [float(np.asarray(model.train_batch([x], [y])[0]).item()) for _ in range(3)]
    return got + [float(np.asarray(model.eval_batch([x], [y])[0]).item())], model.predict_batch([x])[0]


def test_training_equals_dynamic_mode():
    expected = losses()
    paddle.enable_static()
    try:
        got = losses()
        assert not paddle.in_dynamic_mode()
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-6)
    np.testing.assert_array_equal(got[1], expected[1])
