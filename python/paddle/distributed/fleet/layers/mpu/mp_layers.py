# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear, embedding and cross-entropy with parameters split over the model-parallel group.

With a group of one each is the plain layer under the parameter names of the parallel one.
"""

from .....autograd import PyLayer
from .....nn import functional as F
from .....nn.layer.layers import Layer
from ....communication.group import group_of_one
from . import mp_ops


class _Parallel(Layer):
    _scope = None  # Parameters are named like those of the plain layer.

    def __init__(self, mp_group, name):
        super().__init__(self._scope)
        self.model_parallel_group = mp_group
        if mp_group is not None:
            group_of_one(type(self).__name__, mp_group)
        self.world_size = 1
        self.is_mp = False
        self._name = name

    def _parameter(self, shape, attr, is_bias=False):
        parameter = self.create_parameter(shape, attr=attr, dtype=self._dtype, is_bias=is_bias)
        parameter.is_distributed = self.is_mp
        return parameter


class ColumnParallelLinear(_Parallel):
    """x W + b with the columns of W split over the group.

    Args:
        in_features: Rows of W.
        out_features: Columns of W over the whole group.
        weight_attr: ParamAttr of W.
        has_bias: Whether there is b.
        gather_output: Whether every member gets the whole result.
        fuse_matmul_bias: Accepted; product and sum are one call anyway.
        mp_group: A Group; None: the model-parallel group of the job.
    """

    _scope = "linear"

    def __init__(
        self,
        in_features,
        out_features,
        weight_attr=None,
        has_bias=None,
        gather_output=True,
        fuse_matmul_bias=False,
        mp_group=None,
        name=None,
    ):
        super().__init__(mp_group, name)
        self.gather_output = gather_output
        self.fuse_matmul_bias = fuse_matmul_bias
        self.output_size_per_partition = out_features
        self.linear = F.linear
        self.weight = self._parameter([in_features, out_features], weight_attr)
        self.bias = self._parameter([out_features], None, is_bias=True) if has_bias else None

    def forward(self, x):
        """Shape [..., in_features] to [..., out_features]."""
        return F.linear(mp_ops._c_identity(x, self.model_parallel_group), self.weight, self.bias)


class RowParallelLinear(_Parallel):
    """x W + b with the rows of W split over the group.

    Args:
        in_features: Rows of W over the whole group.
        out_features: Columns of W.
        weight_attr: ParamAttr of W.
        has_bias: Whether there is b.
        input_is_parallel: Whether x is already split along its last axis.
        fuse_matmul_bias: Accepted; product and sum are one call anyway.
        mp_group: A Group; None: the model-parallel group of the job.
    """

    _scope = "linear"

    def __init__(
        self,
        in_features,
        out_features,
        weight_attr=None,
        has_bias=True,
        input_is_parallel=False,
        fuse_matmul_bias=False,
        mp_group=None,
        name=None,
    ):
        super().__init__(mp_group, name)
        self.in_features, self.out_features = in_features, out_features
        self.input_is_parallel = input_is_parallel
        self.input_size_per_partition = in_features
        self.linear = F.linear
        self.weight = self._parameter([in_features, out_features], weight_attr)
        self.bias = self._parameter([out_features], None, is_bias=True) if has_bias else None

    def forward(self, x):
        """Shape [..., in_features] to [..., out_features]."""
        return F.linear(x, self.weight, self.bias)


class VocabParallelEmbedding(_Parallel):
    """Embedding with its rows split over the group.

    Args:
        num_embeddings: Rows over the whole group.
        embedding_dim: Columns.
        weight_attr: ParamAttr of the table.
        mp_group: A Group; None: the model-parallel group of the job.
    """

    _scope = "embedding"

    def __init__(self, num_embeddings, embedding_dim, weight_attr=None, mp_group=None, name=None):
        super().__init__(mp_group, name)
        self.origin_num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.rank = 0
        self.vocab_start_index = 0
        self.per_part_size = num_embeddings
        self._size = [num_embeddings, embedding_dim]
        self.weight = self._parameter(self._size, weight_attr)

    def forward(self, x):
        """Integers of any shape to [..., embedding_dim]."""
        return F.embedding(x, self.weight)


class ParallelCrossEntropy(_Parallel):
    """Cross-entropy per row of logits whose classes are split over the group.

    Args:
        mp_group: A Group; None: the model-parallel group of the job.
        ignore_index: Label whose rows give 0.
    """

    def __init__(self, mp_group=None, name=None, ignore_index=-100):
        super().__init__(mp_group, name)
        self.ignore_index = ignore_index

    def forward(self, input, label):
        """Logits [..., C] and labels [...] or [..., 1] to losses [..., 1]."""
        return mp_ops._c_softmax_with_cross_entropy(
            input, label, group=self.model_parallel_group, ignore_index=self.ignore_index
        )


class MPScale(PyLayer):
    """A tensor divided by the degree of parallelism; the gradient passes as it is."""

    @staticmethod
    def forward(ctx, x, mp_degree):
        """The scaled tensor."""
        return x / mp_degree

    @staticmethod
    def backward(ctx, dout):
        """The gradient of the result."""
        return dout
