# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization-aware training and post-training quantization of networks."""

from .. import _lazy
from .base_observer import BaseObserver
from .base_quanter import BaseQuanter
from .config import QuantConfig
from .factory import quanter
from .quantize import PTQ, QAT

__all__ = ["PTQ", "QAT", "BaseObserver", "BaseQuanter", "QuantConfig", "quanter"]

_SUBMODULES = ("observers", "quanters", "ptq", "qat", "wrapper")
__getattr__ = _lazy.attribute_hook(__name__, _SUBMODULES, {})
__dir__ = _lazy.dir_hook(__name__, _SUBMODULES)
