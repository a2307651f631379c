# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A tensor of a capture that has ended has a shape and no values: operators that read values refuse it."""

import paddle
import paddle.nn.functional as F
import pytest


@pytest.fixture(scope="module")
def image():
    kept = []

    @paddle.jit.to_static(full_graph=True)
    def keep(x):
        def inner():
            y = x * 2.0
            kept.append(y)
            return y

        return paddle.static.nn.cond(x.sum() > 0, inner, lambda: x)

    keep(paddle.ones([1, 4, 4, 4]))
    return kept[0]


BOXES = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]])
ONE = paddle.to_tensor([1], "int32")


@pytest.mark.parametrize(
    "read",
    [
        lambda x: F.unfold(x, [2, 2]),
        lambda x: F.fold(paddle.reshape(x, [1, 4, 16]), [5, 5], [2, 2]),
        lambda x: F.interpolate(x, scale_factor=2.0),
        lambda x: F.pad(x, [1, 1, 1, 1], mode="circular"),
        lambda x: paddle.vision.ops.roi_align(x, BOXES, ONE, 2),
        lambda x: paddle.vision.ops.roi_pool(x, BOXES, ONE, 2),
        lambda x: x + 1.0,
    ],
    ids=["unfold", "fold", "interpolate", "pad", "roi_align", "roi_pool", "add"],
)
def test_values_that_are_not_there(image, read):
    with pytest.raises(RuntimeError, match="no values"):
        read(image)
