# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters in 16 bits without master copies: steps equal those of float32 to the precision of the parameter."""

import numpy as np
import paddle
import pytest

OPTIMIZERS = {
    "SGD": {},
    "Momentum": {},
    "Adagrad": {},
    "Adadelta": {},
    "RMSProp": {},
    "Adamax": {},
    "Adam": {},
    "AdamW": {},
    "NAdam": {},
    "RAdam": {},
    "Lamb": {},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_of_bfloat16_parameters_follow_those_of_float32(name):
    made = {}
    for dtype in ("float32", "bfloat16"):
        p = paddle.create_parameter([257], dtype, default_initializer=paddle.nn.initializer.Constant(1.0))
        optimizer = getattr(paddle.optimizer, name)(0.05, parameters=[p], **OPTIMIZERS[name])
        for step in range(3):
            (p * (0.5 + step)).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
        made[dtype] = p.astype("float32").numpy()
        for table in optimizer._accumulators.values():
            assert all(state.dtype in (paddle.float32, paddle.int64) for state in table.values())
    np.testing.assert_allclose(made["bfloat16"], made["float32"], rtol=0.02)
