# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that programs import from PaddlePaddle's `paddle.base`."""

from .. import _lazy
from ..framework.param_attr import ParamAttr
from ..utils import unique_name
from . import core

__getattr__ = _lazy.attribute_hook(
    __name__,
    ("data_feeder", "dygraph", "executor", "framework", "layer_helper", "layers"),
    {"CPUPlace": ("paddle", "CPUPlace"), "in_dygraph_mode": ("paddle", "in_dynamic_mode")},
)
