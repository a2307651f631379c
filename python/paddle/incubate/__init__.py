# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and layers whose interface may still change."""

from .. import _lazy
from .operators import identity_loss, softmax_mask_fuse, softmax_mask_fuse_upper_triangle

__all__ = [
    "LookAhead",
    "ModelAverage",
    "graph_khop_sampler",
    "graph_reindex",
    "graph_sample_neighbors",
    "graph_send_recv",
    "identity_loss",
    "inference",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "softmax_mask_fuse",
    "softmax_mask_fuse_upper_triangle",
]

_submodules = (
    "nn",
    "autograd",
    "optimizer",
    "distributed",
    "asp",
    "autotune",
    "layers",
    "multiprocessing",
    "jit",
    "tensor",
    "framework",
    "operators",
)
_FROM = {
    "LookAhead": ("paddle.incubate.optimizer", "LookAhead"),
    "ModelAverage": ("paddle.incubate.optimizer", "ModelAverage"),
    **{
        name: ("paddle.incubate.random", name)
        for name in ("get_rng_state", "register_rng_state_as_index", "set_rng_state")
    },
    "LayerHelper": ("paddle.framework.layer_helper", "LayerHelper"),
    "inference": ("paddle.incubate.jit", "inference"),
    **{
        name: ("paddle.incubate.graph", name)
        for name in ("graph_khop_sampler", "graph_reindex", "graph_sample_neighbors", "graph_send_recv")
    },
    **{f"segment_{kind}": ("paddle.geometric", f"segment_{kind}") for kind in ("sum", "mean", "max", "min")},
}
__getattr__ = _lazy.attribute_hook(__name__, _submodules, _FROM)
