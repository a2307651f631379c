# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet-18 and ResNet-50 (stride in the 3x3 convolution), once for paddle and once for torch."""


def build(nn, conv, norm, maxpool, average, depth, flatten, classes=1000):
    """nn: the framework's layer module; the rest: its names for the layers ResNet needs."""
    base = getattr(nn, "Layer", None) or nn.Module

    class Block(base):
        def __init__(self, n_in, width, stride, bottleneck):
            super().__init__()
            n_out = width * 4 if bottleneck else width
            if bottleneck:
                shapes = [(n_in, width, 1, 1), (width, width, 3, stride), (width, n_out, 1, 1)]
            else:
                shapes = [(n_in, width, 3, stride), (width, n_out, 3, 1)]
            parts = []
            for i, (a, b, size, step) in enumerate(shapes):
                parts += [conv(a, b, size, step, size // 2), norm(b)]
                if i + 1 < len(shapes):
                    parts.append(nn.ReLU())
            self.body = nn.Sequential(*parts)
            self.shortcut = None
            if stride != 1 or n_in != n_out:
                self.shortcut = nn.Sequential(conv(n_in, n_out, 1, stride, 0), norm(n_out))
            self.relu = nn.ReLU()

        def forward(self, x):
            side = x if self.shortcut is None else self.shortcut(x)
            return self.relu(self.body(x) + side)

    counts, bottleneck = {18: ((2, 2, 2, 2), False), 50: ((3, 4, 6, 3), True)}[depth]
    parts = [conv(3, 64, 7, 2, 3), norm(64), nn.ReLU(), maxpool(3, 2, 1)]
    n_in = 64
    for stage, count in enumerate(counts):
        width = 64 << stage
        for i in range(count):
            parts.append(Block(n_in, width, 2 if stage and not i else 1, bottleneck))
            n_in = width * 4 if bottleneck else width
    return nn.Sequential(*parts, average(1), flatten(), nn.Linear(n_in, classes))


def paddle_resnet(depth):
    from paddle import nn

    return build(
        nn,
        lambda a, b, k, s, p: nn.Conv2D(a, b, k, s, p, bias_attr=False),
        nn.BatchNorm2D,
        nn.MaxPool2D,
        nn.AdaptiveAvgPool2D,
        depth,
        nn.Flatten,
    )


def torch_resnet(depth):
    from torch import nn

    return build(
        nn,
        lambda a, b, k, s, p: nn.Conv2d(a, b, k, s, p, bias=False),
        nn.BatchNorm2d,
        nn.MaxPool2d,
        nn.AdaptiveAvgPool2d,
        depth,
        nn.Flatten,
    )
