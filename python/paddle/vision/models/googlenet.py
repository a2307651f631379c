# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""GoogLeNet (Szegedy et al., arXiv:1409.4842)."""

from ... import nn, tensor
from ._blocks import load_weights


class ConvLayer(nn.Layer):
    """Convolution without bias."""

    def __init__(self, inputs, outputs, kernel, stride=1):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride=stride, padding=(kernel - 1) // 2, bias_attr=False)

    def forward(self, x):
        return self._conv(x)


class Inception(nn.Layer):
    """Convolutions of three sizes and a pooling, side by side."""

    def __init__(self, inputs, one, three_before, three, five_before, five, projected):
        super().__init__()
        self._conv1 = ConvLayer(inputs, one, 1)
        self._conv3r = ConvLayer(inputs, three_before, 1)
        self._conv3 = ConvLayer(three_before, three, 3)
        self._conv5r = ConvLayer(inputs, five_before, 1)
        self._conv5 = ConvLayer(five_before, five, 5)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=1, padding=1)
        self._convprj = ConvLayer(inputs, projected, 1)

    def forward(self, x):
        parts = [
            self._conv1(x),
            self._conv3(self._conv3r(x)),
            self._conv5(self._conv5r(x)),
            self._convprj(self._pool(x)),
        ]
        return nn.functional.relu(tensor.concat(parts, axis=1))


_BLOCKS = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}


class GoogLeNet(nn.Layer):
    """GoogLeNet for images of shape [3, 224, 224].

    Args:
        num_classes: Number of classes; 0 leaves the classifiers out.
        with_pool: Average over the image.

    Returns:
        The scores, and those of the two auxiliary classifiers.
    """

    def __init__(self, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv = ConvLayer(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        for name, sizes in _BLOCKS.items():
            setattr(self, f"_ince{name}", Inception(*sizes))
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(kernel_size=5, stride=3)
            self._pool_o2 = nn.AvgPool2D(kernel_size=5, stride=3)
        if num_classes > 0:
            self._drop = nn.Dropout(p=0.4, mode="downscale_in_infer")
            self._fc_out = nn.Linear(1024, num_classes)
            for i, channels in ((1, 512), (2, 528)):
                setattr(self, f"_conv_o{i}", ConvLayer(channels, 128, 1))
                setattr(self, f"_fc_o{i}", nn.Linear(1152, 1024))
                setattr(self, f"_drop_o{i}", nn.Dropout(p=0.7, mode="downscale_in_infer"))
                setattr(self, f"_out{i}", nn.Linear(1024, num_classes))

    def forward(self, inputs):
        x = self._pool(self._conv(inputs))
        x = self._pool(self._conv_2(self._conv_1(x)))
        x = self._pool(self._ince3b(self._ince3a(x)))
        first = self._ince4a(x)
        second = self._ince4d(self._ince4c(self._ince4b(first)))
        x = self._pool(self._ince4e(second))
        out = self._ince5b(self._ince5a(x))
        if self.with_pool:
            out = self._pool_5(out)
            first, second = self._pool_o1(first), self._pool_o2(second)
        if self.num_classes > 0:
            out = self._fc_out(tensor.squeeze(self._drop(out), axis=[2, 3]))
            first = self._out1(self._drop_o1(self._hidden(self._fc_o1, self._conv_o1(first))))
            second = self._out2(self._drop_o2(self._fc_o2(self._conv_o2(second).flatten(1))))
        return [out, first, second]

    @staticmethod
    def _hidden(linear, x):
        return nn.functional.relu(linear(x.flatten(1)))


def googlenet(pretrained=False, **kwargs):
    """GoogLeNet; see `GoogLeNet` for the other arguments."""
    return load_weights(GoogLeNet(**kwargs), "googlenet", pretrained)
