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

_SUBMODULES = ("imperative", "observers", "quanters", "ptq", "qat", "wrapper")
_FROM = {
    name: ("paddle.quantization.imperative", name)
    for name in (
        "AbsmaxQuantizer",
        "BaseQuantizer",
        "HistQuantizer",
        "ImperativePTQ",
        "ImperativeQuantAware",
        "KLQuantizer",
        "PTQConfig",
        "PerChannelAbsmaxQuantizer",
        "SUPPORT_ACT_QUANTIZERS",
        "SUPPORT_WT_QUANTIZERS",
        "default_ptq_config",
    )
}
__getattr__ = _lazy.attribute_hook(__name__, _SUBMODULES, _FROM)
