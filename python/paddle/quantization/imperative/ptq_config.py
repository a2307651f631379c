# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which quantizers `ImperativePTQ` gives to the layers."""

import copy

from .ptq_quantizer import SUPPORT_ACT_QUANTIZERS, SUPPORT_WT_QUANTIZERS, KLQuantizer, PerChannelAbsmaxQuantizer


class PTQConfig:
    """The quantizers of one layer.

    Args:
        activation_quantizer: A quantizer; its copies sample the input and the output.
        weight_quantizer: A quantizer; its copy samples the weight.
    """

    def __init__(self, activation_quantizer, weight_quantizer):
        assert isinstance(activation_quantizer, tuple(SUPPORT_ACT_QUANTIZERS)), (
            f"PTQConfig: activation_quantizer has type {type(activation_quantizer).__name__}; "
            f"use one of {[kind.__name__ for kind in SUPPORT_ACT_QUANTIZERS]}."
        )
        assert isinstance(weight_quantizer, tuple(SUPPORT_WT_QUANTIZERS)), (
            f"PTQConfig: weight_quantizer has type {type(weight_quantizer).__name__}; "
            f"use one of {[kind.__name__ for kind in SUPPORT_WT_QUANTIZERS]}."
        )
        self.in_act_quantizer = copy.deepcopy(activation_quantizer)
        self.out_act_quantizer = copy.deepcopy(activation_quantizer)
        self.wt_quantizer = copy.deepcopy(weight_quantizer)
        self.quant_hook_handle = None
        self.enable_in_act_quantizer = False


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())
