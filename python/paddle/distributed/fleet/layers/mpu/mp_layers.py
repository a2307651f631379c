# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear, embedding and cross-entropy with parameters split over the model-parallel group (Shoeybi et al., "Megatron-LM",
2019).

With a group of one each is the plain layer under the parameter names of the parallel one.
"""

import contextlib

from .....autograd import PyLayer
from .....nn import functional as F
from .....nn.layer.layers import Layer
from ...base import topology
from . import mp_ops
from .random import MODEL_PARALLEL_RNG, get_rng_state_tracker


def _group(given):
    """A group, or the model-parallel group of the job where fleet has made it."""
    job = topology.hybrid_groups()
    return job.get_model_parallel_group() if given is None and job is not None else given


class _Parallel(Layer):
    _scope = None  # Parameters are named like those of the plain layer.
    _split_axis = 0

    def __init__(self, mp_group, name):
        super().__init__(self._scope)
        self.model_parallel_group = _group(mp_group)
        self.world_size = 1 if self.model_parallel_group is None else self.model_parallel_group.nranks
        self.rank = 0 if self.model_parallel_group is None else self.model_parallel_group.rank
        self.is_mp = self.world_size > 1
        self._name = name

    def _share(self, name, size):
        """An equal share of an extent."""
        if size % self.world_size:
            raise ValueError(
                f"{type(self).__name__}: {name} has value {size}; the {self.world_size} members of the group cannot have "
                "equal shares of it."
            )
        return size // self.world_size

    def _parameter(self, shape, attr, is_bias=False, split=True):
        # Parts are drawn from states of their own, so that no two members have the same.
        states = get_rng_state_tracker()
        own = self.is_mp and split and MODEL_PARALLEL_RNG in states.states_
        with states.rng_state() if own else contextlib.nullcontext():
            parameter = self.create_parameter(shape, attr=attr, dtype=self._dtype, is_bias=is_bias)
        parameter.is_distributed = self.is_mp and split
        if self.is_mp and split:
            parameter.split_axis = 0 if len(shape) == 1 else self._split_axis
        return parameter


class ColumnParallelLinear(_Parallel):
    """x W + b with the columns of W split over the group: member r holds `out_features / members` of them.

    Args:
        in_features: Rows of W.
        out_features: Columns of W over the whole group; a multiple of the number of members.
        weight_attr: ParamAttr of W.
        has_bias: Whether there is b.
        gather_output: Whether every member gets the whole result.
        fuse_matmul_bias: Accepted; product and sum are one call anyway.
        mp_group: A Group; None: the model-parallel group of the job.

    Shape:
        [..., in_features], the same in all members, to [..., out_features], or with gather_output=False to the member's
        part [..., out_features / members].

    Example:
        >>> from paddle.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> up = fleet.meta_parallel.ColumnParallelLinear(4, 8, has_bias=True, gather_output=False)
        >>> down = fleet.meta_parallel.RowParallelLinear(8, 4, input_is_parallel=True)
        >>> down(up(paddle.ones([2, 4]))).shape
        paddle.Size([2, 4])
    """

    _scope = "linear"
    _split_axis = 1

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
        self.output_size_per_partition = own = self._share("out_features", out_features)
        self.linear = F.linear
        self.weight = self._parameter([in_features, own], weight_attr)
        self.bias = self._parameter([own], None, is_bias=True) if has_bias else None

    def forward(self, x):
        """Shape [..., in_features] to [..., out_features], or to this member's columns of it."""
        if not self.is_mp:
            return F.linear(x, self.weight, self.bias)
        out = F.linear(mp_ops._c_identity(x, self.model_parallel_group), self.weight, self.bias)
        return mp_ops._c_concat(out, self.model_parallel_group) if self.gather_output else out


class RowParallelLinear(_Parallel):
    """x W + b with the rows of W split over the group; the partial products are summed.

    Args:
        in_features: Rows of W over the whole group; a multiple of the number of members.
        out_features: Columns of W.
        weight_attr: ParamAttr of W.
        has_bias: Whether there is b.
        input_is_parallel: Whether x is already split along its last axis.
        fuse_matmul_bias: Accepted; product and sum are one call anyway.
        mp_group: A Group; None: the model-parallel group of the job.

    Shape:
        [..., in_features], or with input_is_parallel the member's part [..., in_features / members], to
        [..., out_features], the same in all members.

    Example: see `ColumnParallelLinear`.
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
        self.input_size_per_partition = own = self._share("in_features", in_features)
        self.linear = F.linear
        self.weight = self._parameter([own, out_features], weight_attr)
        self.bias = self._parameter([out_features], None, is_bias=True, split=False) if has_bias else None

    def forward(self, x):
        """Shape [..., in_features], or this member's part of the last axis, to [..., out_features]."""
        if not self.is_mp:
            return F.linear(x, self.weight, self.bias)
        if not self.input_is_parallel:
            x = mp_ops._c_split(x, self.model_parallel_group)
        out = self._joined(F.linear(x, self.weight))
        return out if self.bias is None else out + self.bias

    def _joined(self, out):
        return mp_ops._mp_allreduce(out, group=self.model_parallel_group)


class VocabParallelEmbedding(_Parallel):
    """Embedding with its rows split over the group.

    Args:
        num_embeddings: Rows over the whole group.
        embedding_dim: Columns.
        weight_attr: ParamAttr of the table.
        mp_group: A Group; None: the model-parallel group of the job.

    Shape:
        Integers [...] to [..., embedding_dim], the same in all members.

    Example:
        >>> from paddle.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.meta_parallel.VocabParallelEmbedding(10, 4)(paddle.to_tensor([[1, 2]])).shape
        paddle.Size([1, 2, 4])
    """

    _scope = "embedding"

    def __init__(self, num_embeddings, embedding_dim, weight_attr=None, mp_group=None, name=None):
        super().__init__(mp_group, name)
        self.origin_num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.per_part_size = self._share("num_embeddings", num_embeddings)
        self.vocab_start_index = self.rank * self.per_part_size
        self._size = [self.per_part_size, embedding_dim]
        self.weight = self._parameter(self._size, weight_attr)

    def forward(self, x):
        """Integers of any shape to [..., embedding_dim]."""
        if not self.is_mp:
            return F.embedding(x, self.weight)
        place = x - self.vocab_start_index
        here = (place >= 0).logical_and(place < self.per_part_size)
        out = F.embedding(place.clip(0, self.per_part_size - 1), self.weight)
        out = out * here.unsqueeze(-1).astype(out.dtype)
        return mp_ops._mp_allreduce(out, group=self.model_parallel_group)


class ParallelCrossEntropy(_Parallel):
    """Cross-entropy per row of logits whose classes are split over the group.

    Args:
        mp_group: A Group; None: the model-parallel group of the job.
        ignore_index: Label whose rows give 0.

    Shape:
        Logits [..., classes / members] and labels [..., 1] or [...] to losses [..., 1].
    """

    def __init__(self, mp_group=None, name=None, ignore_index=-100):
        super().__init__(mp_group, name)
        self.ignore_index = ignore_index

    def forward(self, input, label):
        """Logits [..., C] and labels [...] or [..., 1] to losses [..., 1]."""
        if not self.is_mp:
            return F.softmax_with_cross_entropy(
                input, label.unsqueeze(-1) if label.ndim < input.ndim else label, ignore_index=self.ignore_index
            )
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
