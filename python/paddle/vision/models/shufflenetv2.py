# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ShuffleNet V2 (Ma et al., arXiv:1807.11164)."""

from ... import nn, tensor
from ..ops import ConvNormActivation
from ._blocks import load_weights


def channel_shuffle(x, groups):
    """Channels of `groups` groups, interleaved."""
    batch, channels, height, width = x.shape
    x = x.reshape([batch, groups, channels // groups, height, width]).transpose([0, 2, 1, 3, 4])
    return x.reshape([batch, channels, height, width])


def _depthwise(channels, stride):
    return ConvNormActivation(channels, channels, 3, stride, 1, channels, activation_layer=None)


def _pointwise(inputs, outputs, activation):
    return ConvNormActivation(inputs, outputs, 1, 1, 0, activation_layer=activation)


class InvertedResidual(nn.Layer):
    """Convolves half of the channels."""

    def __init__(self, channels, activation):
        super().__init__()
        half = channels // 2
        self._conv_pw = _pointwise(half, half, activation)
        self._conv_dw = _depthwise(half, 1)
        self._conv_linear = _pointwise(half, half, activation)

    def forward(self, x):
        kept, x = tensor.split(x, 2, axis=1)
        x = self._conv_linear(self._conv_dw(self._conv_pw(x)))
        return channel_shuffle(tensor.concat([kept, x], axis=1), 2)


class InvertedResidualDS(nn.Layer):
    """Halves the size."""

    def __init__(self, inputs, outputs, activation):
        super().__init__()
        half = outputs // 2
        self._conv_dw_1 = _depthwise(inputs, 2)
        self._conv_linear_1 = _pointwise(inputs, half, activation)
        self._conv_pw_2 = _pointwise(inputs, half, activation)
        self._conv_dw_2 = _depthwise(half, 2)
        self._conv_linear_2 = _pointwise(half, half, activation)

    def forward(self, x):
        one = self._conv_linear_1(self._conv_dw_1(x))
        two = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(x)))
        return channel_shuffle(tensor.concat([one, two], axis=1), 2)


_CHANNELS = {
    0.25: (24, 24, 48, 96, 512),
    0.33: (24, 32, 64, 128, 512),
    0.5: (24, 48, 96, 192, 1024),
    1.0: (24, 116, 232, 464, 1024),
    1.5: (24, 176, 352, 704, 1024),
    2.0: (24, 224, 488, 976, 2048),
}
_ACTIVATIONS = {"relu": nn.ReLU, "swish": nn.Swish}


class ShuffleNetV2(nn.Layer):
    """ShuffleNet V2.

    Args:
        scale: 0.25, 0.33, 0.5, 1.0, 1.5 or 2.0.
        act: 'relu' or 'swish'.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Average over the image.
    """

    def __init__(self, scale=1.0, act="relu", num_classes=1000, with_pool=True):
        super().__init__()
        if scale not in _CHANNELS:
            raise NotImplementedError(
                f"ShuffleNetV2: scale has value {scale}; it must be one of {', '.join(map(str, _CHANNELS))}."
            )
        if act not in _ACTIVATIONS:
            raise RuntimeError(f"ShuffleNetV2: act has value {act!r}; it must be 'relu' or 'swish'.")
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        activation = _ACTIVATIONS[act]
        stem, *stages, last = _CHANNELS[scale]
        self._conv1 = ConvNormActivation(3, stem, 3, 2, 1, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self._block_list, channels = [], stem
        for stage, (width, count) in enumerate(zip(stages, (4, 8, 4), strict=True)):
            for i in range(count):
                block = InvertedResidual(width, activation) if i else InvertedResidualDS(channels, width, activation)
                self._block_list.append(self.add_sublayer(f"{stage + 2}_{i + 1}", block))
            channels = width
        self._last_conv = _pointwise(channels, last, activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._out_c = last
            self._fc = nn.Linear(last, num_classes)

    def forward(self, inputs):
        x = self._max_pool(self._conv1(inputs))
        for block in self._block_list:
            x = block(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(x.flatten(1)) if self.num_classes > 0 else x


def shufflenet_v2_x0_25(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 0.25; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=0.25, act="relu", **kwargs), "shufflenet_v2_x0_25", pretrained)


def shufflenet_v2_x0_33(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 0.33; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=0.33, act="relu", **kwargs), "shufflenet_v2_x0_33", pretrained)


def shufflenet_v2_x0_5(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 0.5; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=0.5, act="relu", **kwargs), "shufflenet_v2_x0_5", pretrained)


def shufflenet_v2_x1_0(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 1.0; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=1.0, act="relu", **kwargs), "shufflenet_v2_x1_0", pretrained)


def shufflenet_v2_x1_5(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 1.5; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=1.5, act="relu", **kwargs), "shufflenet_v2_x1_5", pretrained)


def shufflenet_v2_x2_0(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 2.0; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=2.0, act="relu", **kwargs), "shufflenet_v2_x2_0", pretrained)


def shufflenet_v2_swish(pretrained=False, **kwargs):
    """ShuffleNet V2 of scale 1.0 with swish; see `ShuffleNetV2` for the other arguments."""
    return load_weights(ShuffleNetV2(scale=1.0, act="swish", **kwargs), "shufflenet_v2_swish", pretrained)
