# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights that are quantised in blocks, and layers that hold either such a weight or a trainable one."""

import numpy

from ... import _core, nn
from ...framework.param_attr import ParamAttr
from ...framework.parameter import EagerParamBase, LazyGuard
from ...nn import initializer

ops = _core.ops


class BlockWeight:
    """A matrix whose rows are quantised in blocks of a format of GGUF files.

    Args:
        data: uint8 Tensor [rows, bytes of a row], or what `pack` makes of it.
        format: Its format, such as "Q4_K".
        rows: Number of rows, which are the outputs of a product.
        columns: Number of columns.
        packed: Whether `data` is in the order in which products read it fastest.
    """

    __slots__ = ("data", "format", "rows", "columns", "packed")

    def __init__(self, data, format, rows, columns, packed=False):
        self.data, self.format, self.rows, self.columns, self.packed = data, format, rows, columns, packed

    def __repr__(self):
        order = ", packed" if self.packed else ""
        return f"BlockWeight({self.rows} x {self.columns}, {self.format}{order})"

    def pack(self):
        """The same weight in the order in which products read it fastest, in memory of its own."""
        if self.packed:
            return self
        return BlockWeight(ops.pack_q(self.data, self.format), self.format, self.rows, self.columns, True)

    def take_rows(self, order):
        """The rows of an unpacked weight in another order (int64 array of `rows` numbers)."""
        if self.packed:
            raise ValueError("take_rows: the weight is packed; its rows are reordered before that.")
        return self._rows(ops.gather(self.data, _core.to_tensor(order), 0), len(order))

    def split_rows(self, counts):
        """Weights of consecutive rows of an unpacked weight, so many each."""
        if self.packed:
            raise ValueError("split_rows: the weight is packed; its rows are split before that.")
        parts = ops.split(self.data, counts, 0)
        return [self._rows(part, count) for part, count in zip(parts, counts, strict=True)]

    def _rows(self, data, rows):
        return BlockWeight(data, self.format, rows, self.columns)

    def matmul(self, x, bias=None):
        """x W^T + bias for x [..., columns]."""
        return ops.matmul_q(x, self.data, bias, self.format, self.rows, self.packed)

    def embedding(self, ids, dtype="float32"):
        """Rows `ids` (int64) as [..., columns]."""
        return ops.embedding_q(ids, self.data, self.format, self.rows, self.columns, self.packed, dtype)

    def dequantize(self, dtype="float32"):
        """The numbers, [rows, columns]."""
        return ops.dequantize_q(self.data, self.format, self.rows, self.columns, self.packed, dtype)


class _Blocks(nn.Layer):
    """Owns a BlockWeight: its bytes are a buffer, so that they are saved and moved with the layer."""

    def __init__(self, weight):
        super().__init__()
        self.register_buffer("blocks", weight.data)
        self.format, self.rows, self.columns, self.packed = weight.format, weight.rows, weight.columns, weight.packed

    @property
    def quantized(self):
        """The weight as a BlockWeight."""
        return BlockWeight(self.blocks, self.format, self.rows, self.columns, self.packed)

    def extra_repr(self):
        return f"{self.rows} x {self.columns}, {self.format}"


class QuantizedLinear(_Blocks):
    """x W^T + bias for a weight that is quantised in blocks; the weight gets no gradient.

    Args:
        weight: A BlockWeight.
        bias: Parameter [rows], or None.
    """

    def __init__(self, weight, bias=None):
        super().__init__(weight)
        self.bias = bias

    def forward(self, x):
        return self.quantized.matmul(x, self.bias)


class QuantizedEmbedding(_Blocks):
    """Rows of a table that is quantised in blocks.

    Args:
        weight: A BlockWeight.
        dtype: dtype of the rows that are looked up.
    """

    def __init__(self, weight, dtype="float32"):
        super().__init__(weight)
        self.row_dtype = dtype

    def forward(self, ids):
        return self.quantized.embedding(ids, self.row_dtype)


def unmapped_rows(embedding, x):
    """x E^T, the product of a tied head, for the layer of an embedding table E."""
    if isinstance(embedding, QuantizedEmbedding):
        return embedding.quantized.matmul(x)
    return ops.matmul(x, embedding.weight, False, True)


class LayerMaker:
    """Makes the layers of a model, with new weights or with those of a file.

    Args:
        weights: None for new weights, or a function of a name that returns a Tensor, a BlockWeight, or None where there
            is no such weight; matrices are [outputs, inputs] as in files.
        dtype: dtype of weights that are no blocks.
        deviation: Standard deviation of new weights.
    """

    def __init__(self, weights=None, dtype="float32", deviation=0.02):
        self.weights, self.dtype, self.deviation = weights, dtype, deviation

    def linear(self, name, inputs, outputs, bias=False):
        """A linear layer [..., inputs] -> [..., outputs] of the weights `name`.weight and `name`.bias."""
        if self.weights is None:
            normal = ParamAttr(initializer=initializer.Normal(0.0, self.deviation))
            zeros = ParamAttr(initializer=initializer.Constant(0.0)) if bias else False
            return self._cast(nn.Linear(inputs, outputs, normal, zeros))
        found = self._found(name + ".weight", (outputs, inputs))
        shift = self._parameter(self._found(name + ".bias", (outputs,))) if bias else None
        if isinstance(found, BlockWeight):
            return QuantizedLinear(found, shift)
        with LazyGuard():
            layer = nn.Linear(inputs, outputs, bias_attr=None if bias else False)
        layer.weight = self._parameter(ops.transpose(found, [1, 0]))
        if bias:
            layer.bias = shift
        return layer

    def embedding(self, name, count, width):
        """Rows of the table `name`.weight [count, width]."""
        if self.weights is None:
            normal = ParamAttr(initializer=initializer.Normal(0.0, self.deviation))
            return self._cast(nn.Embedding(count, width, weight_attr=normal))
        found = self._found(name + ".weight", (count, width))
        if isinstance(found, BlockWeight):
            return QuantizedEmbedding(found, self.dtype)
        with LazyGuard():
            layer = nn.Embedding(count, width)
        layer.weight = self._parameter(found)
        return layer

    def norm(self, name, width, epsilon):
        """Division by the root of the mean square, times `name`.weight [width]."""
        layer = self._cast(nn.RMSNorm(width, epsilon))
        if self.weights is not None:
            layer.weight = self._parameter(self._found(name + ".weight", (width,)))
        return layer

    def _cast(self, layer):
        return layer if self.dtype == "float32" else layer.astype(self.dtype)

    def _parameter(self, tensor):
        return EagerParamBase(tensor.astype(self.dtype))

    def _found(self, name, shape):
        found = self.weights(name)
        if found is None:
            raise ValueError(f"the model needs a weight {name!r} of shape {list(shape)}, and the file has none.")
        own = (found.rows, found.columns) if isinstance(found, BlockWeight) else tuple(found.shape)
        if own != shape:
            raise ValueError(f"the weight {name!r} has shape {list(own)} in the file; the model needs {list(shape)}.")
        if isinstance(found, BlockWeight) and len(shape) == 1:
            raise ValueError(f"the weight {name!r} is quantised ({found.format}); only matrices can be.")
        return found


def numpy_tensor(array, dtype):
    """A Tensor of a dtype from an array of numbers, or of bits where NumPy has no such type ("bfloat16")."""
    from ...framework.memory import from_bits

    if dtype == "bfloat16":
        return from_bits(numpy.ascontiguousarray(array), _core.bfloat16)
    return _core.to_tensor(numpy.ascontiguousarray(array))
