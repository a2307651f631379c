# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet (He et al., arXiv:1512.03385), ResNeXt (Xie et al., arXiv:1611.05431) and
Wide ResNet (Zagoruyko and Komodakis, arXiv:1605.07146)."""

from ... import nn
from ._blocks import load_weights


def _conv(inputs, outputs, kernel, stride=1, groups=1, dilation=1):
    padding = dilation * (kernel // 2)
    return nn.Conv2D(
        inputs, outputs, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups, bias_attr=False
    )


class BasicBlock(nn.Layer):
    """Two 3 x 3 convolutions with a shortcut."""

    expansion = 1

    def __init__(
        self,
        inplanes,
        planes,
        stride=1,
        downsample=None,
        groups=1,
        base_width=64,
        dilation=1,
        norm_layer=None,
    ):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2D
        if dilation > 1:
            raise NotImplementedError(f"BasicBlock: dilation has value {dilation}; only 1 is defined.")
        self.conv1 = _conv(inplanes, planes, 3, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU()
        self.conv2 = _conv(planes, planes, 3)
        self.bn2 = norm_layer(planes)
        self.downsample, self.stride = downsample, stride

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class BottleneckBlock(nn.Layer):
    """Convolutions 1 x 1, 3 x 3 and 1 x 1 with a shortcut."""

    expansion = 4

    def __init__(
        self,
        inplanes,
        planes,
        stride=1,
        downsample=None,
        groups=1,
        base_width=64,
        dilation=1,
        norm_layer=None,
    ):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = _conv(inplanes, width, 1)
        self.bn1 = norm_layer(width)
        self.conv2 = _conv(width, width, 3, stride, groups, dilation)
        self.bn2 = norm_layer(width)
        self.conv3 = _conv(width, planes * self.expansion, 1)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample, self.stride = downsample, stride

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


_BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


class ResNet(nn.Layer):
    """Residual network.

    Args:
        block: BasicBlock or BottleneckBlock.
        depth: 18, 34, 50, 101 or 152.
        width: Channels per group of the first stage.
        num_classes: Number of classes; 0 leaves the classifier out.
        with_pool: Average over the image.
        groups: Groups of the 3 x 3 convolutions.

    Example:
        >>> import paddle
        >>> from paddle.vision.models import ResNet
        >>> from paddle.vision.models.resnet import BasicBlock
        >>> ResNet(BasicBlock, 18, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, block, depth=50, width=64, num_classes=1000, with_pool=True, groups=1):
        super().__init__()
        if depth not in _BLOCKS:
            raise ValueError(f"ResNet: depth has value {depth}; it must be one of {', '.join(map(str, _BLOCKS))}.")
        self.groups, self.base_width = groups, width
        self.num_classes, self.with_pool = num_classes, with_pool
        self._norm_layer = nn.BatchNorm2D
        self.inplanes, self.dilation = 64, 1
        self.conv1 = nn.Conv2D(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias_attr=False)
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        counts = _BLOCKS[depth]
        self.layer1 = self._make_layer(block, 64, counts[0])
        self.layer2 = self._make_layer(block, 128, counts[1], stride=2)
        self.layer3 = self._make_layer(block, 256, counts[2], stride=2)
        self.layer4 = self._make_layer(block, 512, counts[3], stride=2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
        norm, downsample, previous = self._norm_layer, None, self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        outputs = planes * block.expansion
        if stride != 1 or self.inplanes != outputs:
            downsample = nn.Sequential(_conv(self.inplanes, outputs, 1, stride), norm(outputs))
        layers = [block(self.inplanes, planes, stride, downsample, self.groups, self.base_width, previous, norm)]
        self.inplanes = outputs
        for _ in range(1, blocks):
            layers.append(block(outputs, planes, groups=self.groups, base_width=self.base_width, norm_layer=norm))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x


def _resnet(name, block, depth, pretrained, kwargs, **fixed):
    return load_weights(ResNet(block, depth, **{**fixed, **kwargs}), name, pretrained)


def resnet18(pretrained=False, **kwargs):
    """ResNet of 18 layers (He et al. 2016).

    Args:
        pretrained: Whether weights are fetched.
        kwargs: Further arguments of `ResNet`, such as num_classes.

    Example:
        >>> paddle.vision.models.resnet18(num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """
    return _resnet("resnet18", BasicBlock, 18, pretrained, kwargs)


def resnet34(pretrained=False, **kwargs):
    """ResNet of 34 layers; see `ResNet` for the other arguments."""
    return _resnet("resnet34", BasicBlock, 34, pretrained, kwargs)


def resnet50(pretrained=False, **kwargs):
    """ResNet of 50 layers (He et al. 2016).

    Args:
        pretrained: Whether weights are fetched.
        kwargs: Further arguments of `ResNet`, such as num_classes.
    """
    return _resnet("resnet50", BottleneckBlock, 50, pretrained, kwargs)


def resnet101(pretrained=False, **kwargs):
    """ResNet of 101 layers; see `ResNet` for the other arguments."""
    return _resnet("resnet101", BottleneckBlock, 101, pretrained, kwargs)


def resnet152(pretrained=False, **kwargs):
    """ResNet of 152 layers; see `ResNet` for the other arguments."""
    return _resnet("resnet152", BottleneckBlock, 152, pretrained, kwargs)


def resnext50_32x4d(pretrained=False, **kwargs):
    """ResNeXt of 50 layers with 32 groups of width 4; see `ResNet` for the other arguments."""
    return _resnet("resnext50_32x4d", BottleneckBlock, 50, pretrained, kwargs, groups=32, width=4)


def resnext50_64x4d(pretrained=False, **kwargs):
    """ResNeXt of 50 layers with 64 groups of width 4; see `ResNet` for the other arguments."""
    return _resnet("resnext50_64x4d", BottleneckBlock, 50, pretrained, kwargs, groups=64, width=4)


def resnext101_32x4d(pretrained=False, **kwargs):
    """ResNeXt of 101 layers with 32 groups of width 4; see `ResNet` for the other arguments."""
    return _resnet("resnext101_32x4d", BottleneckBlock, 101, pretrained, kwargs, groups=32, width=4)


def resnext101_64x4d(pretrained=False, **kwargs):
    """ResNeXt of 101 layers with 64 groups of width 4; see `ResNet` for the other arguments."""
    return _resnet("resnext101_64x4d", BottleneckBlock, 101, pretrained, kwargs, groups=64, width=4)


def resnext152_32x4d(pretrained=False, **kwargs):
    """ResNeXt of 152 layers with 32 groups of width 4; see `ResNet` for the other arguments."""
    return _resnet("resnext152_32x4d", BottleneckBlock, 152, pretrained, kwargs, groups=32, width=4)


def resnext152_64x4d(pretrained=False, **kwargs):
    """ResNeXt of 152 layers with 64 groups of width 4; see `ResNet` for the other arguments."""
    return _resnet("resnext152_64x4d", BottleneckBlock, 152, pretrained, kwargs, groups=64, width=4)


def wide_resnet50_2(pretrained=False, **kwargs):
    """Wide ResNet of 50 layers; see `ResNet` for the other arguments."""
    return _resnet("wide_resnet50_2", BottleneckBlock, 50, pretrained, kwargs, width=128)


def wide_resnet101_2(pretrained=False, **kwargs):
    """Wide ResNet of 101 layers; see `ResNet` for the other arguments."""
    return _resnet("wide_resnet101_2", BottleneckBlock, 101, pretrained, kwargs, width=128)
