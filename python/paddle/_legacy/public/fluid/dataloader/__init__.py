# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.dataloader`: datasets and samplers of `paddle.io`."""

from ... import _paths
from ... import io as _io
from .. import absent

_paths.attach(__name__)


def __getattr__(name):
    if hasattr(_io, name):
        return getattr(_io, name)
    raise absent.error(__name__, name)
