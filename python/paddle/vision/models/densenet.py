# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""DenseNet (Huang et al., arXiv:1608.06993)."""

from ... import nn, tensor
from ._blocks import load_weights


class BNACConvLayer(nn.Layer):
    """Normalization, ReLU and convolution."""

    def __init__(self, inputs, outputs, kernel, stride=1, padding=0):
        super().__init__()
        self._batch_norm = nn.BatchNorm(inputs, act="relu")
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride=stride, padding=padding, bias_attr=False)

    def forward(self, x):
        return self._conv(self._batch_norm(x))


class DenseLayer(nn.Layer):
    """Adds `growth` channels to its input."""

    def __init__(self, inputs, growth, bn_size, dropout):
        super().__init__()
        self.dropout = dropout
        self.bn_ac_func1 = BNACConvLayer(inputs, bn_size * growth, 1)
        self.bn_ac_func2 = BNACConvLayer(bn_size * growth, growth, 3, padding=1)
        if dropout:
            self.dropout_func = nn.Dropout(p=dropout, mode="downscale_in_infer")

    def forward(self, x):
        out = self.bn_ac_func2(self.bn_ac_func1(x))
        if self.dropout:
            out = self.dropout_func(out)
        return tensor.concat([x, out], axis=1)


class DenseBlock(nn.Layer):
    """Layers that each see the outputs of all before."""

    def __init__(self, inputs, count, bn_size, growth, dropout, name):
        super().__init__()
        self.dense_layer_func = [
            self.add_sublayer(f"{name}_{i + 1}", DenseLayer(inputs + i * growth, growth, bn_size, dropout))
            for i in range(count)
        ]

    def forward(self, x):
        for layer in self.dense_layer_func:
            x = layer(x)
        return x


class TransitionLayer(nn.Layer):
    """Fewer channels and half the size."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv_ac_func = BNACConvLayer(inputs, outputs, 1)
        self.pool2d_avg = nn.AvgPool2D(kernel_size=2, stride=2, padding=0)

    def forward(self, x):
        return self.pool2d_avg(self.conv_ac_func(x))


class ConvBNLayer(nn.Layer):
    """Convolution, normalization and ReLU."""

    def __init__(self, inputs, outputs, kernel, stride, padding):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride=stride, padding=padding, bias_attr=False)
        self._batch_norm = nn.BatchNorm(outputs, act="relu")

    def forward(self, x):
        return self._batch_norm(self._conv(x))


# layers: (channels of the stem, growth, layers of each block)
_SPECS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
    264: (64, 32, (6, 12, 64, 48)),
}


class DenseNet(nn.Layer):
    """DenseNet.

    Args:
        layers: 121, 161, 169, 201 or 264.
        bn_size: Width of the 1 x 1 convolutions, in units of the growth.
        dropout: Probability of dropout.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Average over the image.
    """

    def __init__(self, layers=121, bn_size=4, dropout=0.0, num_classes=1000, with_pool=True):
        super().__init__()
        if layers not in _SPECS:
            raise AssertionError(
                f"DenseNet: layers has value {layers}; it must be one of {', '.join(map(str, _SPECS))}."
            )
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth, counts = _SPECS[layers]
        self.conv1_func = ConvBNLayer(3, channels, 7, 2, 3)
        self.pool2d_max = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self.block_config = list(counts)
        self.dense_block_func_list, self.transition_func_list = [], []
        for i, count in enumerate(counts):
            block = DenseBlock(channels, count, bn_size, growth, dropout, f"conv{i + 2}")
            self.dense_block_func_list.append(self.add_sublayer(f"db_conv_{i + 2}", block))
            channels += count * growth
            if i + 1 < len(counts):
                transition = TransitionLayer(channels, channels // 2)
                self.transition_func_list.append(self.add_sublayer(f"tr_conv{i + 2}_blk", transition))
                channels //= 2
        self.batch_norm = nn.BatchNorm(channels, act="relu")
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.out = nn.Linear(channels, num_classes)

    def forward(self, input):
        x = self.pool2d_max(self.conv1_func(input))
        for i, block in enumerate(self.dense_block_func_list):
            x = block(x)
            if i < len(self.transition_func_list):
                x = self.transition_func_list[i](x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(x.flatten(1)) if self.num_classes > 0 else x


def densenet121(pretrained=False, **kwargs):
    """DenseNet of 121 layers; see `DenseNet` for the other arguments."""
    return load_weights(DenseNet(layers=121, **kwargs), "densenet121", pretrained)


def densenet161(pretrained=False, **kwargs):
    """DenseNet of 161 layers; see `DenseNet` for the other arguments."""
    return load_weights(DenseNet(layers=161, **kwargs), "densenet161", pretrained)


def densenet169(pretrained=False, **kwargs):
    """DenseNet of 169 layers; see `DenseNet` for the other arguments."""
    return load_weights(DenseNet(layers=169, **kwargs), "densenet169", pretrained)


def densenet201(pretrained=False, **kwargs):
    """DenseNet of 201 layers; see `DenseNet` for the other arguments."""
    return load_weights(DenseNet(layers=201, **kwargs), "densenet201", pretrained)


def densenet264(pretrained=False, **kwargs):
    """DenseNet of 264 layers; see `DenseNet` for the other arguments."""
    return load_weights(DenseNet(layers=264, **kwargs), "densenet264", pretrained)
