# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation taken into the layer before it, for inference."""

import copy

from ... import nn


class Identity(nn.Layer):
    """Gives its input back; stands where a layer was taken into another."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


def fuse_layers(model, layers_to_fuse, inplace=False):
    """Take batch normalisations into the convolutions or linear layers before them.

    The weight of each output channel is multiplied by gamma / sqrt(variance + epsilon), and the bias becomes
    (bias - mean) * gamma / sqrt(variance + epsilon) + beta.

    Args:
        model: A network in evaluation mode.
        layers_to_fuse: Lists of two names: of a Conv2D or Linear, and of the BatchNorm2D or BatchNorm1D behind it.
        inplace: Whether to change `model` itself.

    Returns:
        The network, with `Identity` layers for the normalisations.

    Raises:
        NotImplementedError: A list names other layers, or one of them is training.

    Example:
        >>> import paddle
        >>> from paddle.quantization.imperative.fuse_utils import fuse_layers
        >>> model = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2))
        >>> model = model.eval()
        >>> fuse_layers(model, [["0", "1"]])
        Sequential(
          (0): Conv2D(1, 2, kernel_size=[3, 3], data_format=NCHW)
          (1): Identity()
        )
    """
    model = model if inplace else copy.deepcopy(model)
    for names in layers_to_fuse:
        owners = [_owner(model, name) for name in names]
        first, norm = (getattr(owner, name) for owner, name in _pair(names, owners))
        _fuse(names, first, norm)
        owner, name = owners[1]
        setattr(owner, name, Identity())
    return model


def _pair(names, owners):
    if len(names) != 2:
        raise NotImplementedError(f"fuse_layers: {names} names {len(names)} layers; two can be joined.")
    return owners


def _owner(model, path):
    """(the layer that holds the one of a dotted name, its name there)."""
    *parents, name = path.split(".")
    for parent in parents:
        model = getattr(model, parent)
    return model, name


def _fuse(names, layer, norm):
    pairs = ((nn.Conv2D, nn.BatchNorm2D), (nn.Linear, nn.BatchNorm1D))
    if not any(isinstance(layer, first) and isinstance(norm, second) for first, second in pairs):
        raise NotImplementedError(
            f"fuse_layers: {names} are {type(layer).__name__} and {type(norm).__name__}; Conv2D with BatchNorm2D and "
            f"Linear with BatchNorm1D can be joined."
        )
    if layer.training or norm.training:
        raise NotImplementedError(f"fuse_layers: {names} are training; call model.eval() first.")
    scale = (norm._variance + norm._epsilon).rsqrt()
    if norm.weight is not None:
        scale = scale * norm.weight
    bias = -norm._mean if layer.bias is None else layer.bias - norm._mean
    bias = bias * scale
    if norm.bias is not None:
        bias = bias + norm.bias
    shape = [1, -1] if isinstance(layer, nn.Linear) else [-1, 1, 1, 1]
    layer.weight.set_value((layer.weight * scale.reshape(shape)).detach())
    if layer.bias is None:
        layer.bias = layer.create_parameter([scale.shape[0]], is_bias=True)
    layer.bias.set_value(bias.detach())
