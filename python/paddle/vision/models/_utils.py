# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of the layers inside a network, and widths that are multiples of a number."""

from ... import nn
from ._blocks import make_divisible as _make_divisible

__all__ = ["IntermediateLayerGetter", "_make_divisible"]


class IntermediateLayerGetter(nn.LayerDict):
    """A network up to the last of some of its layers; its results are those of these layers, by new names.

    Args:
        model: A network whose layers run one after another in the order in which they were added.
        return_layers: name of a layer -> name of its result.

    Raises:
        ValueError: The network has no layer of one of the names.

    Example:
        >>> import paddle
        >>> from paddle.vision.models import resnet18
        >>> from paddle.vision.models._utils import IntermediateLayerGetter
        >>> body = IntermediateLayerGetter(resnet18(), {"layer1": "low", "layer3": "high"})
        >>> [(name, list(t.shape)) for name, t in body(paddle.rand([1, 3, 64, 64])).items()]
        [('low', [1, 64, 16, 16]), ('high', [1, 256, 4, 4])]
    """

    def __init__(self, model, return_layers):
        missing = set(return_layers) - {name for name, _ in model.named_children()}
        if missing:
            raise ValueError(
                f"IntermediateLayerGetter: return_layers has {sorted(missing)}, which the network has no layers of."
            )
        layers, wanted = {}, set(return_layers)
        for name, layer in model.named_children():
            if wanted:
                layers[name] = layer
                wanted.discard(name)
        super().__init__(layers)
        self.return_layers = dict(return_layers)

    def forward(self, x):
        """The results by their new names.

        Args:
            x: The input of the first layer.
        """
        found = {}
        for name, layer in self.items():
            if isinstance(layer, nn.Linear) and x.ndim == 4:
                x = x.flatten(1)
            x = layer(x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
