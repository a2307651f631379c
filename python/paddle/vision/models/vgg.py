# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""VGG (Simonyan and Zisserman, arXiv:1409.1556)."""

from ... import nn
from ._blocks import load_weights

_DEPTHS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def make_layers(cfg, batch_norm=False):
    """The convolutions of a VGG.

    Args:
        cfg: Widths of the convolutions, with 'M' where maps are halved.
        batch_norm: Whether each convolution is normalized.
    """
    layers, channels = [], 3
    for width in cfg:
        if width == "M":
            layers.append(nn.MaxPool2D(kernel_size=2, stride=2))
            continue
        layers.append(nn.Conv2D(channels, width, kernel_size=3, padding=1))
        if batch_norm:
            layers.append(nn.BatchNorm2D(width))
        layers.append(nn.ReLU())
        channels = width
    return nn.Sequential(*layers)


def _widths(depth):
    """What `make_layers` takes for a VGG of 11, 13, 16 or 19 layers."""
    blocks = zip((64, 128, 256, 512, 512), _DEPTHS[depth], strict=True)
    return [item for width, count in blocks for item in [*[width] * count, "M"]]


class VGG(nn.Layer):
    """VGG over given convolutions.

    Args:
        features: Layer that makes feature maps of 512 channels.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Pool the features to 7 x 7.
    """

    def __init__(self, features, num_classes=1000, with_pool=True):
        super().__init__()
        self.features, self.num_classes, self.with_pool = features, num_classes, with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, num_classes),
            )

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


def _vgg(depth, pretrained, batch_norm, kwargs):
    name = f"vgg{depth}" + ("_bn" if batch_norm else "")
    return load_weights(VGG(make_layers(_widths(depth), batch_norm), **kwargs), name, pretrained)


def vgg11(pretrained=False, batch_norm=False, **kwargs):
    """VGG of 11 layers; see `VGG` for the other arguments."""
    return _vgg(11, pretrained, batch_norm, kwargs)


def vgg13(pretrained=False, batch_norm=False, **kwargs):
    """VGG of 13 layers; see `VGG` for the other arguments."""
    return _vgg(13, pretrained, batch_norm, kwargs)


def vgg16(pretrained=False, batch_norm=False, **kwargs):
    """VGG of 16 layers; see `VGG` for the other arguments."""
    return _vgg(16, pretrained, batch_norm, kwargs)


def vgg19(pretrained=False, batch_norm=False, **kwargs):
    """VGG of 19 layers; see `VGG` for the other arguments."""
    return _vgg(19, pretrained, batch_norm, kwargs)
