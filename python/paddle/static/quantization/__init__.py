# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of the rewriting of static programs for quantization; see `absent`: networks are quantized before capture.

Packages import these names together with others that work, so they exist; making an object raises.
"""

from . import quant_config, utils
from .absent import absent

AddQuantDequantForInferencePass = absent("AddQuantDequantForInferencePass")
AddQuantDequantPass = absent("AddQuantDequantPass")
AddQuantDequantPassV2 = absent("AddQuantDequantPassV2")
ConvertToInt8Pass = absent("ConvertToInt8Pass")
OutScaleForInferencePass = absent("OutScaleForInferencePass")
OutScaleForTrainingPass = absent("OutScaleForTrainingPass")
PostTrainingQuantization = absent("PostTrainingQuantization")
PostTrainingQuantizationProgram = absent("PostTrainingQuantizationProgram")
QuantWeightPass = absent("QuantWeightPass")
QuantizationFreezePass = absent("QuantizationFreezePass")
QuantizationTransformPass = absent("QuantizationTransformPass")
QuantizationTransformPassV2 = absent("QuantizationTransformPassV2")
WeightQuantization = absent("WeightQuantization")
