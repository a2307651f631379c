# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.contrib`: mixed precision, and layers that were contributed."""

from .. import absent
from . import layers, mixed_precision


def __getattr__(name):
    if name == "slim":
        raise AttributeError(
            "module 'paddle.fluid.contrib' has no attribute 'slim': use paddle.quantization, or paddle.static.quantization."
        )
    raise absent.error(__name__, name)


__all__ = ["layers", "mixed_precision"]
