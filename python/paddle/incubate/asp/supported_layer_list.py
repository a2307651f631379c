# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of layers whose weights are pruned, and how."""

from . import utils

__all__ = ["prune_by_rows", "supported_layers_and_prune_func_map"]


def prune_by_rows(weight, m, n, func_name, param_name):
    """The pruned weight and its mask; inputs of a layer are grouped. A weight of fewer inputs than a group stays whole.

    Args:
        weight: An array.
        m: Size of a group.
        n: Zeros in it.
        func_name: A MaskAlgo.
        param_name: For the message.

    Raises:
        AssertionError: The weight can't be pruned so.
    """
    import numpy as np

    inputs = weight.shape[1 if weight.ndim == 4 else 0]
    if inputs < m:
        return weight, np.ones_like(weight)
    mask = utils.create_mask(weight.T, func_name, n, m).T
    if not utils.check_sparsity((weight * mask).T, utils.CheckMethod.get_checking_method(func_name), n, m):
        raise AssertionError(f"prune_model: {param_name} of shape {list(weight.shape)} can't be pruned to {n}:{m}.")
    return weight * mask, mask


# kind of layers in snake case -> function of (weight, m, n, MaskAlgo, parameter name)
supported_layers_and_prune_func_map = dict.fromkeys(("linear", "conv2d", "fc"), prune_by_rows)
