# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.set_num_threads`."""

import paddle
import pytest


@pytest.fixture(autouse=True)
def as_before():
    before = paddle.get_num_threads()
    yield
    paddle.set_num_threads(before)


def test_the_number_is_kept_and_is_the_flag():
    paddle.set_num_threads(3)
    assert paddle.get_num_threads() == 3
    paddle.set_flags({"FLAGS_paddle_num_threads": 2})
    assert paddle.get_num_threads() == 2


@pytest.mark.parametrize(
    ("n", "error"), [(0, ValueError), (-1, ValueError), (2**40, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_others_are_refused(n, error):
    with pytest.raises(error, match="set_num_threads: argument n has"):
        paddle.set_num_threads(n)
