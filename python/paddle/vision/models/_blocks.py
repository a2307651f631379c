# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the models share: a convolution with normalization and activation, and the loading of weights."""

import os

from ... import nn


class ConvNormActivation(nn.Sequential):
    """Convolution, normalization and activation.

    Args:
        in_channels, out_channels, kernel_size, stride, groups, dilation: As for `nn.Conv2D`.
        padding: (kernel_size - 1) // 2 * dilation by default.
        norm_layer: Class of the normalization, or None.
        activation_layer: Class of the activation, or None.
        bias: Whether the convolution has a bias; only without normalization by default.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size=3,
        stride=1,
        padding=None,
        groups=1,
        norm_layer=nn.BatchNorm2D,
        activation_layer=nn.ReLU,
        dilation=1,
        bias=None,
    ):
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        if bias is None:
            bias = norm_layer is None
        options = {} if bias else {"bias_attr": False}
        conv = nn.Conv2D(
            in_channels, out_channels, kernel_size, stride, padding, dilation=dilation, groups=groups, **options
        )
        layers = [conv]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)


def make_divisible(value, divisor=8, minimum=None):
    """The multiple of `divisor` next to `value`, at most a tenth below it."""
    made = max(minimum or divisor, int(value + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * value else made


def load_weights(network, name, pretrained):
    """Load weights into a new network.

    Args:
        network: The network.
        name: Name of the model.
        pretrained: False, True for the file <name>.pdparams in the folder of downloaded weights,
            or the name of a file.

    Raises:
        RuntimeError: The file is not there.
    """
    if not pretrained:
        return network
    from ...framework.io import load
    from ...utils.download import WEIGHTS_HOME

    path = pretrained if isinstance(pretrained, str) else os.path.join(WEIGHTS_HOME, name + ".pdparams")
    if not os.path.isfile(path):
        raise RuntimeError(
            f"{name}: pretrained weights are read from {path}, which is not there; put the file "
            f"{name}.pdparams of PaddlePaddle there, or pass pretrained=False."
        )
    network.set_state_dict(load(path))
    return network
