# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate.nn.FusedDropout`: checks, and decisions along an axis."""

import paddle
import pytest
from paddle.incubate.nn import FusedDropout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [({"p": 2.0}, ValueError), ({"p": "a"}, TypeError), ({"mode": "x"}, ValueError), ({"axis": "a"}, TypeError)],
)
def test_arguments_are_checked_as_the_layer_is_made(arguments, error):
    with pytest.raises(error, match="FusedDropout"):
        FusedDropout(**arguments)


def test_whole_rows_are_dropped_together():
    rows = FusedDropout(0.5, axis=0)(paddle.ones([64, 5])).sum(1).tolist()
    assert set(rows) == {0.0, 10.0}
    layer = FusedDropout(0.5)
    layer.eval()
    assert layer(paddle.ones([3])).tolist() == [1.0, 1.0, 1.0]
