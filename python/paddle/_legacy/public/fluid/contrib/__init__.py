# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.contrib`: mixed precision, and layers that were contributed."""

from .. import absent
from . import layers, mixed_precision, reader, slim


def __getattr__(name):
    raise absent.error(__name__, name)


__all__ = ["layers", "mixed_precision", "reader", "slim"]
