# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Configurations of the rewriting of programs for quantization; see `paddle.static.quantization`."""

from .absent import absent

ARMCPUQuantizer = absent("ARMCPUQuantizer")
BaseQuantizer = absent("BaseQuantizer")
MKLDNNQuantizer = absent("MKLDNNQuantizer")
TensorRTQuantizer = absent("TensorRTQuantizer")
