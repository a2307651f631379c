# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""SqueezeNet (Iandola et al., arXiv:1602.07360)."""

from ... import nn, tensor
from ._blocks import load_weights


class MakeFireConv(nn.Layer):
    """Convolution and ReLU."""

    def __init__(self, inputs, outputs, kernel, padding=0):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding)

    def forward(self, x):
        return nn.functional.relu(self._conv(x))


class MakeFire(nn.Layer):
    """Squeezes to few channels and expands by 1 x 1 and 3 x 3 convolutions."""

    def __init__(self, inputs, squeezed, expanded):
        super().__init__()
        self._conv = MakeFireConv(inputs, squeezed, 1)
        self._conv_path1 = MakeFireConv(squeezed, expanded, 1)
        self._conv_path2 = MakeFireConv(squeezed, expanded, 3, padding=1)

    def forward(self, x):
        x = self._conv(x)
        return tensor.concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


_FIRES = [(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256)]
_POOLED_BEFORE = {"1.0": (0, 3, 7), "1.1": (0, 2, 4)}  # fire modules with a pooling before them


class SqueezeNet(nn.Layer):
    """SqueezeNet.

    Args:
        version: '1.0' or '1.1'.
        num_classes: Number of classes.
        with_pool: Average over the image.
    """

    def __init__(self, version, num_classes=1000, with_pool=True):
        super().__init__()
        if version not in _POOLED_BEFORE:
            raise AssertionError(f"SqueezeNet: version has value {version!r}; it must be '1.0' or '1.1'.")
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        if version == "1.0":
            self._conv, channels = nn.Conv2D(3, 96, 7, stride=2), 96
        else:
            self._conv, channels = nn.Conv2D(3, 64, 3, stride=2, padding=1), 64
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=0)
        for i, (squeezed, expanded) in enumerate(_FIRES):
            setattr(self, f"_conv{i + 1}", MakeFire(channels, squeezed, expanded))
            channels = 2 * expanded
        self._drop = nn.Dropout(p=0.5, mode="downscale_in_infer")
        self._conv9 = nn.Conv2D(512, num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs):
        relu = nn.functional.relu
        x = relu(self._conv(inputs))
        for i in range(len(_FIRES)):
            if i in _POOLED_BEFORE[self.version]:
                x = self._pool(x)
            x = getattr(self, f"_conv{i + 1}")(x)
        if self.num_classes > 0:
            x = self._conv9(self._drop(x))
        if self.with_pool:
            x = relu(x)
            x = tensor.squeeze(self._avg_pool(x), axis=[2, 3])
        return x


def squeezenet1_0(pretrained=False, **kwargs):
    """SqueezeNet 1.0; see `SqueezeNet` for the other arguments."""
    return load_weights(SqueezeNet("1.0", **kwargs), "squeezenet1_0", pretrained)


def squeezenet1_1(pretrained=False, **kwargs):
    """SqueezeNet 1.1; see `SqueezeNet` for the other arguments."""
    return load_weights(SqueezeNet("1.1", **kwargs), "squeezenet1_1", pretrained)
