# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantized weights and the layers of quantized networks."""

from ... import _lazy
from .quantized_linear import (
    apply_per_channel_scale,
    llm_int8_linear,
    weight_dequantize,
    weight_only_linear,
    weight_quantize,
)

__all__ = [
    "Stub",
    "apply_per_channel_scale",
    "llm_int8_linear",
    "weight_dequantize",
    "weight_only_linear",
    "weight_quantize",
]

_FROM = {
    "Stub": ("paddle.nn.quant.stub", "Stub"),
    "QuantStub": ("paddle.nn.quant.quant_layers", "QuantStub"),
    **{
        name: ("paddle.nn.quant.functional_layers", name)
        for name in (
            "FloatFunctionalLayer",
            "add",
            "concat",
            "divide",
            "flatten",
            "matmul",
            "multiply",
            "reshape",
            "subtract",
            "transpose",
        )
    },
}
_SUBMODULES = ("format", "functional_layers", "qat", "quant_layers", "quantized_linear", "stub")
__getattr__ = _lazy.attribute_hook(__name__, _SUBMODULES, _FROM)
