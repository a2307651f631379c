# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""MobileNet (Howard et al., arXiv:1704.04861)."""

from ... import nn
from ..ops import ConvNormActivation
from ._blocks import load_weights


class DepthwiseSeparable(nn.Layer):
    """A 3 x 3 convolution of each channel, then a 1 x 1 convolution."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self._depthwise_conv = ConvNormActivation(inputs, inputs, 3, stride=stride, padding=1, groups=inputs)
        self._pointwise_conv = ConvNormActivation(inputs, outputs, 1, stride=1, padding=0)

    def forward(self, x):
        return self._pointwise_conv(self._depthwise_conv(x))


# (name, input channels, output channels, stride)
_BLOCKS = [
    ("conv2_1", 32, 64, 1),
    ("conv2_2", 64, 128, 2),
    ("conv3_1", 128, 128, 1),
    ("conv3_2", 128, 256, 2),
    ("conv4_1", 256, 256, 1),
    ("conv4_2", 256, 512, 2),
    *((f"conv5_{i}", 512, 512, 1) for i in range(1, 6)),
    ("conv5_6", 512, 1024, 2),
    ("conv6", 1024, 1024, 1),
]


class MobileNetV1(nn.Layer):
    """MobileNet.

    Args:
        scale: Factor of the numbers of channels.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Average over the image.
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        self.dwsl = []
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, stride=2, padding=1)
        for name, inputs, outputs, stride in _BLOCKS:
            block = DepthwiseSeparable(int(inputs * scale), int(outputs * scale), stride)
            self.dwsl.append(self.add_sublayer(name, block))
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x):
        x = self.conv1(x)
        for block in self.dwsl:
            x = block(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x


def mobilenet_v1(pretrained=False, scale=1.0, **kwargs):
    """MobileNet (Howard et al. 2017).

    Args:
        pretrained: Whether weights are fetched.
        scale: Factor of all numbers of channels.
        kwargs: Further arguments of `MobileNetV1`, such as num_classes.
    """
    return load_weights(MobileNetV1(scale=scale, **kwargs), f"mobilenetv1_{scale:.1f}", pretrained)
