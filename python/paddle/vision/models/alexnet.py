# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""AlexNet (Krizhevsky, "One weird trick", arXiv:1404.5997)."""

import math

from ... import nn
from ._blocks import load_weights


def _uniform(fan_in):
    bound = 1.0 / math.sqrt(fan_in)
    return nn.initializer.Uniform(-bound, bound)


class ConvPoolLayer(nn.Layer):
    """Convolution, ReLU and max pooling."""

    def __init__(self, inputs, outputs, kernel, stride, padding):
        super().__init__()
        self.relu = nn.ReLU()
        init = _uniform(inputs * kernel * kernel)
        self._conv = nn.Conv2D(
            inputs, outputs, kernel, stride=stride, padding=padding, weight_attr=init, bias_attr=init
        )
        self._pool = nn.MaxPool2D(3, stride=2, padding=0)

    def forward(self, inputs):
        return self._pool(self.relu(self._conv(inputs)))


class AlexNet(nn.Layer):
    """AlexNet for images of shape [3, 224, 224].

    Args:
        num_classes: Number of classes; 0 leaves the classifier out.
    """

    def __init__(self, num_classes=1000):
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = ConvPoolLayer(3, 64, 11, 4, 2)
        self._conv2 = ConvPoolLayer(64, 192, 5, 1, 2)
        self._conv3 = self._conv(192, 384)
        self._conv4 = self._conv(384, 256)
        self._conv5 = ConvPoolLayer(256, 256, 3, 1, 1)
        if num_classes > 0:
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = self._linear(256 * 6 * 6, 4096)
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = self._linear(4096, 4096, 256 * 6 * 6)
            self._fc8 = self._linear(4096, num_classes, 256 * 6 * 6)

    @staticmethod
    def _conv(inputs, outputs):
        init = _uniform(inputs * 9)
        return nn.Conv2D(inputs, outputs, 3, stride=1, padding=1, weight_attr=init, bias_attr=init)

    @staticmethod
    def _linear(inputs, outputs, bound_of=None):
        init = _uniform(bound_of or inputs)
        return nn.Linear(inputs, outputs, weight_attr=init, bias_attr=init)

    def forward(self, inputs):
        relu = nn.functional.relu
        x = self._conv2(self._conv1(inputs))
        x = self._conv5(relu(self._conv4(relu(self._conv3(x)))))
        if self.num_classes > 0:
            x = relu(self._fc6(self._drop1(x.flatten(1))))
            x = self._fc8(relu(self._fc7(self._drop2(x))))
        return x


def alexnet(pretrained=False, **kwargs):
    """AlexNet; see `AlexNet` for the other arguments."""
    return load_weights(AlexNet(**kwargs), "alexnet", pretrained)
