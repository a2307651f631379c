# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Configurations of the rewriting of programs for quantization; see `paddle.static.quantization`."""

from .absent import absent

_WEIGHTED = {
    **{name: [["Input", "Filter"], ["Output"]] for name in ("conv2d", "depthwise_conv2d", "conv2d_transpose")},
    **{name: [["X", "Y"], ["Out"]] for name in ("mul", "matmul", "matmul_v2")},
}
_BINARY = """mul matmul matmul_v2 elementwise_add elementwise_sub elementwise_mul elementwise_pow equal not_equal
    greater_equal greater_than less_equal less_than logical_and"""
_UNARY = """pool2d concat softmax argmax arg_max transpose transpose2 gather mean reshape reshape2 squeeze squeeze2
    unsqueeze2 flatten flatten2 flatten_contiguous_range split nearest_interp nearest_interp_v2 bilinear_interp
    bilinear_interp_v2 trilinear_interp relu relu6 leaky_relu tanh swish dropout sigmoid hard_swish hard_sigmoid pad2d
    pad3d abs assign cast clip crop cumsum expand_v2 fill_any_like gelu p_norm pow reduce_mean reduce_sum reduce_max
    logical_not meshgrid tile square softplus shuffle_channel scale"""
_OTHERS = {
    **{name: [["Input"], ["Out"]] for name in ("slice", "strided_slice", "fill_constant_batch_size_like")},
    **{name: [["X"], ["Y"]] for name in ("batch_norm", "layer_norm", "instance_norm", "stack")},
    **{name: [["Input", "Weight"], ["Hidden"]] for name in ("gru", "lstm")},
    **{name: [["W", "Ids"], ["Out"]] for name in ("lookup_table", "lookup_table_v2")},
    "prelu": [["X", "Alpha"], ["Out"]],
    "box_coder": [["PriorBox"], ["OutputBox"]],
    "fill_constant": [[], ["Out"]],
    "norm": [["X"], ["Norm"]],
    "top_k_v2": [["X"], ["Out", "Indices"]],
    "roi_align": [["X", "ROIs"], ["Out"]],
    "where": [["Condition", "X", "Y"], ["Out"]],
    "grid_sampler": [["X", "Grid"], ["Output"]],
    "group_norm": [["X"], ["Y", "Mean", "Variance"]],
}

# Operator of earlier programs -> [inputs, outputs] that may be quantized.
SUPPORT_WEIGHT_QUANTIZATION_OP_DICT = _WEIGHTED
SUPPORT_ACT_QUANTIZATION_OP_DICT = {
    **{name: [["X", "Y"], ["Out"]] for name in _BINARY.split()},
    **{name: [["X"], ["Out"]] for name in _UNARY.split()},
    **_OTHERS,
}
SUPPORT_QUANTIZATION_OP_DICT = {**SUPPORT_WEIGHT_QUANTIZATION_OP_DICT, **SUPPORT_ACT_QUANTIZATION_OP_DICT}

ARMCPUQuantizer = absent("ARMCPUQuantizer")
BaseQuantizer = absent("BaseQuantizer")
MKLDNNQuantizer = absent("MKLDNNQuantizer")
TensorRTQuantizer = absent("TensorRTQuantizer")
