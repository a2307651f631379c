# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights of which 2 in 4 are zero, as the sparse matrix units of GPUs take them: pruning, and training that keeps the
zeros (Mishra et al. 2021, Accelerating Sparse Deep Neural Networks)."""

from ... import _paths
from . import supported_layer_list, utils
from .pruning import (
    ASPHelper,
    add_supported_layer,
    decorate,
    prune_model,
    reset_excluded_layers,
    set_excluded_layers,
)
from .utils import (
    CheckMethod,
    MaskAlgo,
    calculate_density,
    check_mask_1d,
    check_mask_2d,
    check_sparsity,
    create_mask,
    get_mask_1d,
    get_mask_2d_best,
    get_mask_2d_greedy,
)

__all__ = [
    "calculate_density",
    "decorate",
    "prune_model",
    "set_excluded_layers",
    "reset_excluded_layers",
    "add_supported_layer",
]

_paths.attach(__name__)
