# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Biases and activations behind tensors, for layers written by hand."""

from ..nn.functional._by_name import activated
from .layers.elementwise import elementwise_add


def _append_activation_in_dygraph(input, act=None, use_cudnn=None, use_mkldnn=None):
    """The input through the activation of a name; itself for None."""
    return activated(input, act)


def _append_bias_in_dygraph(input, bias=None, axis=1, use_mkldnn=False):
    """The input plus a bias whose axes stand below those of the input from `axis` on; itself for None."""
    return input if bias is None else elementwise_add(input, bias, axis=axis)
