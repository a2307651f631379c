# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fake quantization: values as their codes represent them, with the gradient of the identity."""

from ... import tensor
from ...framework.modes import no_grad
from ...framework.param_attr import ParamAttr
from ...utils import unique_name
from ..initializer import Constant


def register_states(layer, prefix, dtype, **values):
    """Gives the layer parameters of one element that no optimizer trains: its scale and what it is made of.

    Args:
        layer: The layer.
        prefix: Prefix of the names of the parameters.
        dtype: dtype of the parameters.
        **values: First value of every parameter by the attribute that holds it.
    """
    for key, value in values.items():
        attr = ParamAttr(
            name=unique_name.generate(f"{prefix}.{key.lstrip('_')}"),
            initializer=Constant(value),
            trainable=False,
        )
        state = layer.create_parameter([1], attr=attr, dtype=dtype)
        state.stop_gradient = True
        setattr(layer, key, state)


def fake_quantize(x, scale, bits):
    """The values nearest to `x` among the multiples of scale / (2^(bits-1) - 1) in [-scale, scale].

    Args:
        x: A floating tensor.
        scale: A tensor that broadcasts against x; where it is 0, so is the result.
        bits: Bits of a code.

    Returns:
        A tensor like x. Codes are rounded half away from zero; the gradient passes straight through.
    """
    top = 2 ** (bits - 1) - 1
    with no_grad():
        scale = scale.astype(x.dtype)
        safe = tensor.where(scale > 0, scale, tensor.ones_like(scale))
        ratio = tensor.minimum(tensor.maximum(x, -scale), scale) / safe * top
        values = tensor.sign(ratio) * tensor.floor(ratio.abs() + 0.5) * (scale / top)
    return values + (x - x.detach())
