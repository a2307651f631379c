# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What to use in place of names of PaddlePaddle 1 and 2 that `paddle.fluid` does not have here."""

_INSTEAD = {
    "DistributeTranspiler": "paddle.distributed.fleet",
    "DistributeTranspilerConfig": "paddle.distributed.fleet.DistributedStrategy",
    "DynamicRNN": "fluid.layers.dynamic_lstm, fluid.layers.dynamic_gru or fluid.layers.rnn",
    "StaticRNN": "fluid.layers.rnn with a cell of your own (fluid.layers.RNNCell)",
    "BasicDecoder": "fluid.layers.dynamic_decode with a fluid.layers.Decoder of your own",
    "PipelineOptimizer": "paddle.distributed.fleet",
    "bipartite_match": "paddle.vision.ops",
    "create_random_int_lodtensor": "fluid.create_random_int_lodtensor",
    "deformable_roi_pooling": "paddle.vision.ops.deform_conv2d and paddle.vision.ops.roi_align",
    "dynamic_lstmp": "fluid.layers.dynamic_lstm and fluid.layers.fc",
    "filter_by_instag": "masks and paddle.masked_select",
    "generate_mask_labels": "a function of your own by fluid.layers.py_func",
    "generate_proposal_labels": "a function of your own by fluid.layers.py_func",
    "hash": "numbers below the size of the table",
    "load": "fluid.io.load_vars",
    "load_op_library": "paddle.utils.cpp_extension.load",
    "memory_usage": "paddle.device",
    "multi_box_head": "fluid.layers.prior_box and fluid.layers.conv2d",
    "prroi_pool": "fluid.layers.roi_align",
    "retinanet_target_assign": "a function of your own by fluid.layers.py_func",
    "roi_perspective_transform": "fluid.layers.affine_grid and fluid.layers.grid_sampler",
    "rpn_target_assign": "a function of your own by fluid.layers.py_func",
    "sampled_softmax_with_cross_entropy": "fluid.layers.nce or fluid.layers.softmax_with_cross_entropy",
    "similarity_focus": "paddle.nn.functional",
    "ssd_loss": "fluid.layers.smooth_l1 and fluid.layers.softmax_with_cross_entropy",
    "target_assign": "paddle.gather",
}


def error(module, name):
    """The AttributeError for a name that a module does not have."""
    own = module.removeprefix("paddle.")
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    instead = _INSTEAD.get(name)
    if instead is None:
        instead = _present(name) or "the functions of paddle, paddle.nn, paddle.static and paddle.optimizer"
    return AttributeError(
        f"module '{module}' has no attribute '{name}': {own}.{name} is none of the names of paddle.fluid (PaddlePaddle 1.x "
        f"and 2.x) that paddle has; use {instead}."
    )


def _present(name):
    """Where PaddlePaddle 3 has a function or class of that name."""
    import importlib

    for package in (
        "paddle",
        "paddle.nn.functional",
        "paddle.nn",
        "paddle.static",
        "paddle.static.nn",
        "paddle.vision.ops",
    ):
        try:
            found = getattr(importlib.import_module(package), name, None)
        except (AttributeError, ImportError, RuntimeError):
            found = None
        if callable(found):
            return f"{package}.{name}"
    return None
