# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The weights of a decoder one by one, as files hold them: matrices as [outputs, inputs], in float32."""

from ... import nn
from ..formats.stored import StoredWeight
from .weights import BlockLayer, QuantizedExpertLinear


def stored_weights(model):
    """StoredWeight of every weight of a Decoder, by the decoder's names; quantised ones give the numbers they stand for."""
    found = {}
    for path, layer in model.named_sublayers():
        if isinstance(layer, BlockLayer):
            found[f"{path}.weight"] = _blocks(layer)
        else:
            for kind, buffer in layer.named_buffers(include_sublayers=False):
                found[f"{path}.{kind}"] = _plain(buffer, False)
        for kind, parameter in layer.named_parameters(include_sublayers=False):
            found[f"{path}.{kind}"] = _plain(parameter, isinstance(layer, nn.Linear) and kind == "weight")
    return found


def _plain(tensor, transposed):
    shape = tuple(tensor.shape)[::-1] if transposed else tuple(tensor.shape)

    def read():
        array = tensor.detach().astype("float32").numpy()
        return array.T if transposed else array

    return StoredWeight(shape, read)


def _blocks(layer):
    shape = (layer.rows, layer.columns)
    if isinstance(layer, QuantizedExpertLinear):
        shape = (layer.experts, layer.rows // layer.experts, layer.columns)
    return StoredWeight(shape, lambda: layer.quantized.dequantize("float32").numpy().reshape(shape))
