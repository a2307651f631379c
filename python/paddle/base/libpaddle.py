# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The extension module under another of its PaddlePaddle names."""

from .. import _core
from . import core
from .core import VarDesc as VarDesc

DataType = _core.DType


def __getattr__(name):
    if name == "pir":
        from .. import pir

        return pir
    return getattr(core, name)
