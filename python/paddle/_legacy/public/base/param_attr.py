# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of parameters under their older path."""

from ..framework.param_attr import ParamAttr
from ..static.weight_norm import WeightNormParamAttr

__all__ = ["ParamAttr", "WeightNormParamAttr"]
