# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the models share: numbers of channels, and the loading of weights."""

import os


def make_divisible(value, divisor=8, minimum=None):
    """The multiple of `divisor` next to `value`, at most a tenth below it."""
    made = max(minimum or divisor, int(value + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * value else made


def load_weights(network, name, pretrained):
    """Load weights into a new network.

    Args:
        network: The network.
        name: Name of the model.
        pretrained: False, True for the file <name>.pdparams in the folder of downloaded weights,
            or the name of a file.

    Raises:
        RuntimeError: The file is not there.
    """
    if not pretrained:
        return network
    from ...framework.io import load
    from ...utils.download import WEIGHTS_HOME

    path = pretrained if isinstance(pretrained, str) else os.path.join(WEIGHTS_HOME, name + ".pdparams")
    if not os.path.isfile(path):
        raise RuntimeError(
            f"{name}: pretrained weights are read from {path}, which is not there; put the file "
            f"{name}.pdparams of PaddlePaddle there, or pass pretrained=False."
        )
    network.set_state_dict(load(path))
    return network
