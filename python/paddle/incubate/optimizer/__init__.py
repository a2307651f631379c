# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers around other optimizers, and minimizers of functions."""

from ... import _lazy
from .averaging import LookAhead, ModelAverage

__all__ = ["LBFGS", "LookAhead", "ModelAverage"]

_FROM = {"LBFGS": ("paddle.optimizer", "LBFGS")}
__getattr__ = _lazy.attribute_hook(__name__, ("functional",), _FROM)
