# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""MobileNet V3 (Howard et al., arXiv:1905.02244)."""

import functools

from ... import nn
from ..ops import ConvNormActivation
from ._blocks import load_weights, make_divisible

_norm = functools.partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)


class SqueezeExcitation(nn.Layer):
    """Scales each channel by a function of all channel means."""

    def __init__(self, input_channels, squeeze_channels, activation=nn.ReLU, scale_activation=nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2D(squeeze_channels, input_channels, 1)
        self.activation, self.scale_activation = activation(), scale_activation()

    def forward(self, x):
        scale = self.activation(self.fc1(self.avgpool(x)))
        return x * self.scale_activation(self.fc2(scale))


class InvertedResidual(nn.Layer):
    """Widens, convolves each channel, scales channels, narrows; with a shortcut where shapes allow it."""

    def __init__(self, inputs, expanded, outputs, kernel, stride, use_se, activation):
        super().__init__()
        self.use_res_connect = stride == 1 and inputs == outputs
        self.use_se, self.expand = use_se, inputs != expanded
        if self.expand:
            self.expand_conv = ConvNormActivation(inputs, expanded, 1, 1, 0, 1, _norm, activation)
        padding = (kernel - 1) // 2
        self.bottleneck_conv = ConvNormActivation(
            expanded, expanded, kernel, stride, padding, expanded, _norm, activation
        )
        if use_se:
            squeezed = make_divisible(expanded // 4)
            self.mid_se = SqueezeExcitation(expanded, squeezed, scale_activation=nn.Hardsigmoid)
        self.linear_conv = ConvNormActivation(expanded, outputs, 1, 1, 0, 1, _norm, None)

    def forward(self, x):
        out = self.expand_conv(x) if self.expand else x
        out = self.bottleneck_conv(out)
        if self.use_se:
            out = self.mid_se(out)
        out = self.linear_conv(out)
        return x + out if self.use_res_connect else out


# (kernel, expanded channels, output channels, squeeze and excitation, hard swish, stride)
_SMALL = [
    (3, 16, 16, True, False, 2),
    (3, 72, 24, False, False, 2),
    (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2),
    (5, 240, 40, True, True, 1),
    (5, 240, 40, True, True, 1),
    (5, 120, 48, True, True, 1),
    (5, 144, 48, True, True, 1),
    (5, 288, 96, True, True, 2),
    (5, 576, 96, True, True, 1),
    (5, 576, 96, True, True, 1),
]
_LARGE = [
    (3, 16, 16, False, False, 1),
    (3, 64, 24, False, False, 2),
    (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2),
    (5, 120, 40, True, False, 1),
    (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2),
    (3, 200, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 480, 112, True, True, 1),
    (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2),
    (5, 960, 160, True, True, 1),
    (5, 960, 160, True, True, 1),
]


class MobileNetV3(nn.Layer):
    """MobileNet V3 of given blocks.

    Args:
        config: List of (kernel, expanded channels, output channels, squeeze and excitation, hard
            swish, stride), before scaling.
        last_channel: Width of the classifier's hidden layer.
        scale: Factor of the numbers of channels.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Average over the image.
    """

    def __init__(self, config, last_channel, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.config, self.scale, self.last_channel = config, scale, last_channel
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = make_divisible(16 * scale)
        self.conv = ConvNormActivation(3, channels, 3, 2, 1, 1, _norm, nn.Hardswish)
        blocks = []
        for kernel, expanded, outputs, use_se, hard, stride in config:
            expanded, outputs = make_divisible(expanded * scale), make_divisible(outputs * scale)
            activation = nn.Hardswish if hard else nn.ReLU
            blocks.append(InvertedResidual(channels, expanded, outputs, kernel, stride, use_se, activation))
            channels = outputs
        self.blocks = nn.Sequential(*blocks)
        self.lastconv = ConvNormActivation(channels, channels * 6, 1, 1, 0, 1, _norm, nn.Hardswish)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(channels * 6, last_channel),
                nn.Hardswish(),
                nn.Dropout(p=0.2),
                nn.Linear(last_channel, num_classes),
            )

    def forward(self, x):
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


class MobileNetV3Small(MobileNetV3):
    """MobileNet V3 Small; see `MobileNetV3`."""

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__(_SMALL, make_divisible(1024 * scale), scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3):
    """MobileNet V3 Large; see `MobileNetV3`."""

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__(_LARGE, make_divisible(1280 * scale), scale, num_classes, with_pool)


def mobilenet_v3_small(pretrained=False, scale=1.0, **kwargs):
    """MobileNet V3 Small; see `MobileNetV3Small` for the other arguments."""
    return load_weights(MobileNetV3Small(scale=scale, **kwargs), f"mobilenet_v3_small_x{scale}", pretrained)


def mobilenet_v3_large(pretrained=False, scale=1.0, **kwargs):
    """MobileNet V3 Large; see `MobileNetV3Large` for the other arguments."""
    return load_weights(MobileNetV3Large(scale=scale, **kwargs), f"mobilenet_v3_large_x{scale}", pretrained)
