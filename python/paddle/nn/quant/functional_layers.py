# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations as layers, so that quantization finds them in a network."""

from ... import _core
from ..layer.layers import Layer

ops = _core.ops
__all__ = [
    "FloatFunctionalLayer",
    "add",
    "concat",
    "divide",
    "flatten",
    "matmul",
    "multiply",
    "reshape",
    "subtract",
    "transpose",
]


class FloatFunctionalLayer(Layer):
    """Base of the operations."""


def _layer_of(name, forward):
    text = f"`paddle.{name}` as a layer."
    return type(name, (FloatFunctionalLayer,), {"__doc__": text, "__module__": __name__, "forward": forward})


add = _layer_of("add", lambda self, x, y, name=None: x + y)
subtract = _layer_of("subtract", lambda self, x, y, name=None: x - y)
multiply = _layer_of("multiply", lambda self, x, y, name=None: x * y)
divide = _layer_of("divide", lambda self, x, y, name=None: x / y)
reshape = _layer_of("reshape", lambda self, x, shape, name=None: x.reshape(shape))
transpose = _layer_of("transpose", lambda self, x, perm, name=None: x.transpose(perm))
concat = _layer_of("concat", lambda self, x, axis=0, name=None: ops.concat(x, axis))
flatten = _layer_of("flatten", lambda self, x, start_axis=0, stop_axis=-1, name=None: x.flatten(start_axis, stop_axis))
matmul = _layer_of(
    "matmul",
    lambda self, x, y, transpose_x=False, transpose_y=False, name=None: ops.matmul(x, y, transpose_x, transpose_y),
)
