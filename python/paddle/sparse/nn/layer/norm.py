# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation of the stored values of sparse tensors."""

from .... import nn
from ....nn.layer.batch_norm import SyncBatchNorm as DenseSyncBatchNorm
from ....nn.layer.batch_norm import _BatchNormBase


class BatchNorm(_BatchNormBase):
    """Batch normalisation over the stored sites of a sparse tensor with dense channels.

    Args:
        num_features: Channels.
        momentum: Weight of the past in the running mean and variance.
        epsilon: Added to the variance.
        weight_attr, bias_attr: ParamAttr of scale and shift; False for none.
        data_format: "NDHWC" or "NHWC".
        use_global_stats: Use the running mean and variance in training too.
        name: Unused.
    """

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NDHWC",
        use_global_stats=None,
        name=None,
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)

    def forward(self, input):
        """The sparse tensor of shape [N, ..., num_features] with normalised values."""
        if self._data_format not in ("NDHWC", "NHWC"):
            raise ValueError(
                f"sparse.nn.BatchNorm: data_format has value {self._data_format!r}; it must be 'NDHWC' or 'NHWC'."
            )
        return _normalised(self, input)


class SyncBatchNorm(DenseSyncBatchNorm):
    """`BatchNorm` over the sites of all processes; with one process it is the same.

    Args:
        num_features: Channels.
        momentum: Weight of the past in the running mean and variance.
        epsilon: Added to the variance.
        weight_attr, bias_attr: ParamAttr of scale and shift; False for none.
        data_format: Shown by repr; channels are the last axis.
        name: Unused.
    """

    def __init__(
        self, num_features, momentum=0.9, epsilon=1e-05, weight_attr=None, bias_attr=None, data_format="NCHW", name=None
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, name)

    def forward(self, x):
        """The sparse tensor of shape [N, ..., num_features] with normalised values."""
        return _normalised(self, x)

    @classmethod
    def convert_sync_batchnorm(cls, layer):
        """The layer, with its batch normalisations (sparse and dense) made into synchronised ones."""
        for one in layer.sublayers(include_self=True):
            if type(one) is BatchNorm:
                one.__class__ = cls
        return DenseSyncBatchNorm.convert_sync_batchnorm(layer)


def _normalised(layer, x):
    values = nn.functional.batch_norm(
        x.values(),
        layer._mean,
        layer._variance,
        layer.weight,
        layer.bias,
        layer.training,
        layer._momentum,
        layer._epsilon,
        "NCL",
        layer._use_global_stats,
    )
    return x._with_values(values)
