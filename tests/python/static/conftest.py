# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The programs and the scope that the tests of newer files record into and run in."""

import numpy as np
import paddle
import pytest
from paddle import static


@pytest.fixture
def fresh():
    """(main, startup) under static mode, with names and a scope of their own."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with (
        paddle.utils.unique_name.guard(),
        static.program_guard(main, startup),
        static.scope_guard(static.Scope()),
    ):
        yield main, startup
    paddle.disable_static()


@pytest.fixture
def rows():
    return np.arange(8, dtype="float32").reshape(2, 4) / 8
