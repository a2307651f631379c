# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""MobileNet V2 (Sandler et al., arXiv:1801.04381)."""

from ... import nn
from ..ops import ConvNormActivation
from ._blocks import load_weights, make_divisible


class InvertedResidual(nn.Layer):
    """Widens, convolves each channel, narrows; with a shortcut where shapes allow it."""

    def __init__(self, inp, oup, stride, expand_ratio, norm_layer=nn.BatchNorm2D):
        super().__init__()
        hidden = int(round(inp * expand_ratio))
        self.stride, self.use_res_connect = stride, stride == 1 and inp == oup
        common = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        layers = [] if expand_ratio == 1 else [ConvNormActivation(inp, hidden, 1, **common)]
        layers.append(ConvNormActivation(hidden, hidden, 3, stride=stride, groups=hidden, **common))
        layers += [nn.Conv2D(hidden, oup, 1, 1, 0, bias_attr=False), norm_layer(oup)]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


# (expansion, channels, blocks, stride of the first)
_STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


class MobileNetV2(nn.Layer):
    """MobileNet V2.

    Args:
        scale: Factor of the numbers of channels.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Average over the image.
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = make_divisible(32 * scale)
        self.last_channel = make_divisible(1280 * max(1.0, scale))
        layers = [ConvNormActivation(3, channels, stride=2, activation_layer=nn.ReLU6)]
        for expansion, width, count, stride in _STAGES:
            outputs = make_divisible(width * scale)
            for i in range(count):
                layers.append(InvertedResidual(channels, outputs, stride if i == 0 else 1, expansion))
                channels = outputs
        layers.append(ConvNormActivation(channels, self.last_channel, 1, activation_layer=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(self.last_channel, num_classes))

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


def mobilenet_v2(pretrained=False, scale=1.0, **kwargs):
    """MobileNet V2; see `MobileNetV2` for the other arguments."""
    return load_weights(MobileNetV2(scale=scale, **kwargs), f"mobilenetv2_{scale:.1f}", pretrained)
