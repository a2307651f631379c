# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights that are quantised in blocks, and layers that hold either such a weight or a trainable one."""

import numpy

from ... import _core, nn
from ...framework.param_attr import ParamAttr
from ...framework.parameter import EagerParamBase, LazyGuard
from ...nn import initializer

ops = _core.ops

# Rows of a tile of a packed weight.
TILE_ROWS = 16
FLOAT8 = "F8_E4M3"  # 128 8-bit floats and a float32 scale


class BlockWeight:
    """A matrix whose rows are quantised in blocks.

    Args:
        data: uint8 Tensor [rows, bytes of a row], or what `pack` makes of it.
        format: Its format: one of GGUF files, such as "Q4_K", or "F8_E4M3".
        rows: Number of rows, which are the outputs of a product.
        columns: Number of columns.
        packed: Whether `data` is in the order in which products read it fastest.
        order: None, or int64 Tensor [columns]: column i of `data` is column order[i] of the matrix.
    """

    __slots__ = ("columns", "data", "format", "order", "packed", "rows")

    def __init__(self, data, format, rows, columns, packed=False, order=None):
        self.data, self.format, self.rows, self.columns, self.packed = data, format, rows, columns, packed
        self.order = order

    @property
    def shape(self):
        """[rows, columns]."""
        return [self.rows, self.columns]

    def __repr__(self):
        order = ", packed" if self.packed else ""
        return f"BlockWeight({self.rows} x {self.columns}, {self.format}{order})"

    def pack(self):
        """The same weight in the order in which products read it fastest, in memory of its own; in F8_E4M3 itself, which is
        read as it is."""
        if self.packed or self.format == FLOAT8:
            return self
        return BlockWeight(ops.pack_q(self.data, self.format), self.format, self.rows, self.columns, True, self.order)

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
        return BlockWeight(data, self.format, rows, self.columns, order=self.order)

    def _ordered(self, x):
        return x if self.order is None else ops.gather(x, self.order, x.ndim - 1)

    def matmul(self, x, bias=None):
        """x W^T + bias for x [..., columns]."""
        return ops.matmul_q(self._ordered(x), self.data, bias, self.format, self.rows, self.packed)

    def expert_matmul(self, x, ids, experts):
        """x W^T for the matrices `ids` of so many, which lie one below the other."""
        rows = self.rows // experts
        return ops.expert_matmul_q(self._ordered(x), self.data, ids, self.format, experts, rows, self.packed)

    def embedding(self, ids, dtype="float32"):
        """Rows `ids` (int64) as [..., columns]."""
        rows = ops.embedding_q(ids, self.data, self.format, self.rows, self.columns, self.packed, dtype)
        return self._restored(rows)

    def dequantize(self, dtype="float32"):
        """The numbers, [rows, columns]."""
        numbers = ops.dequantize_q(self.data, self.format, self.rows, self.columns, self.packed, dtype)
        return self._restored(numbers)

    def _restored(self, numbers):
        return (
            numbers
            if self.order is None
            else ops.gather(numbers, ops.argsort(self.order, -1, False, True)[1], numbers.ndim - 1)
        )


class BlockLayer(nn.Layer):
    """Owns a BlockWeight: its bytes are a buffer, so that they are saved and moved with the layer."""

    def __init__(self, weight):
        super().__init__()
        self.register_buffer("blocks", weight.data)
        if weight.order is not None:
            self.register_buffer("order", weight.order)
        self.has_order = weight.order is not None
        self.format, self.rows, self.columns, self.packed = weight.format, weight.rows, weight.columns, weight.packed

    @property
    def quantized(self):
        """The weight as a BlockWeight."""
        order = self.order if self.has_order else None
        return BlockWeight(self.blocks, self.format, self.rows, self.columns, self.packed, order)

    def extra_repr(self):
        return f"{self.rows} x {self.columns}, {self.format}"


class QuantizedLinear(BlockLayer):
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


class QuantizedEmbedding(BlockLayer):
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


class ExpertLinear(nn.Layer):
    """x W^T for the matrices W that are chosen for each row.

    Args:
        weight: Parameter [experts, outputs, inputs].
    """

    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x, ids):
        """x [tokens, inputs] or [tokens, choices, inputs], ids int64 [tokens, choices] -> [tokens, choices, outputs]."""
        return ops.expert_matmul(x, self.weight, ids)

    def extra_repr(self):
        return " x ".join(str(extent) for extent in self.weight.shape)


class QuantizedExpertLinear(BlockLayer):
    """The same for a weight that is quantised in blocks, the matrices one below the other.

    Args:
        weight: A BlockWeight.
        experts: Number of matrices.
    """

    def __init__(self, weight, experts):
        super().__init__(weight)
        self.experts = experts

    def forward(self, x, ids):
        return self.quantized.expert_matmul(x, ids, self.experts)


def rows_in_order(weight, order):
    """The rows of a Tensor or an unpacked BlockWeight in another order (int64 array)."""
    if isinstance(weight, BlockWeight):
        return weight.take_rows(order)
    return ops.gather(weight, _core.to_tensor(order), 0)


def split_rows(weight, counts):
    """Consecutive rows of a Tensor or an unpacked BlockWeight, so many each."""
    return weight.split_rows(counts) if isinstance(weight, BlockWeight) else ops.split(weight, counts, 0)


def stacked(weights):
    """Matrices of experts as one weight: a Tensor [experts, outputs, inputs], or a BlockWeight of all rows.

    Raises:
        ValueError: Some are quantised and others not, or in other formats, or their inputs are in orders of their own.
    """
    first = weights[0]
    if not any(isinstance(weight, BlockWeight) for weight in weights):
        return ops.stack(weights, 0)
    kinds = {(w.format, *w.shape) if isinstance(w, BlockWeight) else None for w in weights}
    if len(kinds) > 1 or any(weight.order is not None for weight in weights):
        raise ValueError(
            "the matrices of experts of a layer are quantised in several formats, or their inputs stand in orders of their own "
            "(desc_act); load the model with dequantize=True."
        )
    data = ops.concat([weight.data for weight in weights], 0)
    return BlockWeight(data, first.format, first.rows * len(weights), first.columns)


def packed_for(name, weight, config):
    """The weight `name` of a decoder packed, where tiles of packed weights have no rows of two experts."""
    is_whole = ".experts." not in name or weight.rows // config.experts.count % TILE_ROWS == 0
    return weight.pack() if is_whole else weight


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

    def expert_linear(self, name, experts, inputs, outputs):
        """A layer of a matrix [outputs, inputs] for each expert, of the weight `name`.weight."""
        found = self._tensor(name + ".weight", (experts, outputs, inputs))
        return QuantizedExpertLinear(found, experts) if isinstance(found, BlockWeight) else ExpertLinear(found)

    def parameter(self, name, shape):
        """The parameter `name` of some shape, which does not stay quantised."""
        found = self._tensor(name, shape)
        if isinstance(found, BlockWeight):
            return self._parameter(found.dequantize(self.dtype).reshape(list(shape)))
        return found

    def buffer(self, name, shape):
        """A Tensor that is no parameter; new ones are 0."""
        return ops.full(shape, 0.0, self.dtype) if self.weights is None else self._found(name, shape).astype(self.dtype)

    def in_float32(self):
        """The same maker, of layers in float32."""
        return LayerMaker(self.weights, "float32", self.deviation)

    def _tensor(self, name, shape):
        if self.weights is None:
            return EagerParamBase(ops.gaussian(shape, 0.0, self.deviation, 0, "float32").astype(self.dtype))
        found = self._found(name, shape)
        return found if isinstance(found, BlockWeight) else self._parameter(found)

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

    def layer_norm(self, name, width, epsilon):
        """Layer normalisation with `name`.weight and `name`.bias [width]."""
        layer = self._cast(nn.LayerNorm(width, epsilon))
        if self.weights is not None:
            layer.weight = self._parameter(self._found(name + ".weight", (width,)))
            layer.bias = self._parameter(self._found(name + ".bias", (width,)))
        return layer

    def _cast(self, layer):
        return layer if self.dtype == "float32" else layer.astype(self.dtype)

    def _parameter(self, tensor):
        return EagerParamBase(tensor.astype(self.dtype))

    def _found(self, name, shape):
        found = self.weights(name)
        if found is None:
            raise ValueError(f"the model needs a weight {name!r} of shape {list(shape)}, and the file has none.")
        is_blocks = isinstance(found, BlockWeight)
        if is_blocks and len(shape) not in (2, 3):
            raise ValueError(f"the weight {name!r} is quantised ({found.format}); only matrices can be.")
        # Matrices of experts lie one below the other.
        own = (found.rows, found.columns) if is_blocks else tuple(found.shape)
        wanted = (shape[0] * shape[1], shape[2]) if is_blocks and len(shape) == 3 else tuple(shape)
        if own != wanted:
            raise ValueError(f"the weight {name!r} has shape {list(own)} in the file; the model needs {list(wanted)}.")
        return found


def numpy_tensor(array, dtype):
    """A Tensor of a dtype from an array of numbers, or of bits where NumPy has no such type ("bfloat16")."""
    from ...framework.memory import from_bits

    if dtype == "bfloat16":
        return from_bits(numpy.ascontiguousarray(array), _core.bfloat16)
    return _core.to_tensor(numpy.ascontiguousarray(array))


def adjacent_order(heads, head_dim, width, first=0):
    """Which rows of queries or keys for pairs (2 i, 2 i + 1) give those for pairs (i, i + width / 2).

    Args:
        heads, head_dim: The rows are heads * head_dim.
        width: So many elements of a head are rotated,
        first: from this one on.
    """
    order = numpy.arange(head_dim)
    order[first : first + width] = first + numpy.concatenate([numpy.arange(0, width, 2), numpy.arange(1, width, 2)])
    return (numpy.arange(heads)[:, None] * head_dim + order).reshape(-1)


def rotated_orders(config):
    """The same of every matrix of a layer of a DecoderConfig that makes what is rotated, by the decoder's names."""
    width = config.rotary.width
    if config.latent is None:
        return {
            "attention.q": adjacent_order(config.num_heads, config.head_dim, width),
            "attention.k": adjacent_order(config.num_kv_heads, config.head_dim, width),
        }
    queries = adjacent_order(config.num_heads, config.head_dim, width, config.head_dim - width)
    shared = adjacent_order(1, config.latent.width + width, width, config.latent.width)
    return {"attention.q": queries, "attention.q_up": queries, "attention.kv_down": shared}


def head_matrices(both, config):
    """The matrices that make keys and values of latent vectors, of the one that makes both, [heads * (keys + values),
    latent width]."""
    sizes = [config.head_dim - config.rotary.width, config.latent.value_width]
    heads, width = config.num_heads, config.latent.width
    if list(both.shape) != [heads * sum(sizes), width]:
        raise ValueError(
            f"the matrix of keys and values has shape {list(both.shape)}; the model needs {[heads * sum(sizes), width]}."
        )
    return ops.split(both.reshape([heads, sum(sizes), width]), sizes, 1)
