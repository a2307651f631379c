# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The extension module under another of its PaddlePaddle names."""

import sys

from .. import _core, pir
from . import core
from .core import VarDesc as VarDesc

DataType = _core.DType


sys.modules[__name__ + ".pir"] = pir  # it is imported by that name, too


def __getattr__(name):
    return getattr(core, name)
