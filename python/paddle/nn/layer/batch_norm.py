# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation layers (Ioffe and Szegedy 2015)."""

from ... import _core
from ...framework.dtypes import convert
from .. import functional as F
from ..functional._by_name import activated
from ..initializer import Constant
from .layers import Layer

__all__ = ["BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "BatchNorm", "SyncBatchNorm"]

_LAYOUTS = {
    (2, 3): {"NC": "NCHW", "NCL": "NCHW", "NLC": "NHWC"},
    (5,): {"NCDHW": "NCHW", "NDHWC": "NHWC"},
}


class _BatchNormBase(Layer):
    _ranks = ()

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        use_global_stats=None,
        name=None,
        dtype="float32",
    ):
        super().__init__(dtype=dtype)
        if convert(self._dtype) is _core.float16:  # scale and shift of 16-bit images are float32, as their statistics
            self._dtype = "float32"
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self._name = name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        dtype = convert(self._dtype)
        self.weight = self.create_parameter([num_features], weight_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, dtype, is_bias=True)
        # As in PaddlePaddle the running statistics are parameters that do not train.
        for name, value in (("_mean", 0.0), ("_variance", 1.0)):
            # The attribute's initializer stands whatever set_global_initializer says.
            statistic = self.create_parameter([num_features], Constant(value), dtype)
            statistic.stop_gradient = True
            setattr(self, name, statistic)

    def _check_input_dim(self, input):
        """ValueError where the input has another rank than the layer takes; for subclasses too."""
        if self._ranks and input.ndim not in self._ranks:
            raise ValueError(
                f"{type(self).__name__}: input has {input.ndim} dimensions; it must have "
                f"{' or '.join(map(str, self._ranks))}."
            )

    def _check_data_format(self, input_format=None):
        """Take a layout that the layer knows, as NCHW or NHWC of any rank; for subclasses."""
        given = self._data_format if input_format is None else input_format
        names = {"NCHW": "NCHW", "NHWC": "NHWC"}
        for ranks, layouts in _LAYOUTS.items():
            names |= layouts if not self._ranks or ranks == self._ranks else {}
        if given not in names:
            raise ValueError(
                f"{type(self).__name__}: data_format has value {given!r}; it must be one of {sorted(names)}."
            )
        self._data_format = names[given]

    def forward(self, input):
        self._check_input_dim(input)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._kept_statistics(),
        )

    def _kept_statistics(self):
        """Whether the kept statistics are used; None follows the mode of the layer."""
        return self._use_global_stats

    def extra_repr(self):
        extra = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        if self._name is not None:
            extra += f", name={self._name}"
        return f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}{extra}"


class BatchNorm1D(_BatchNormBase):
    """Batch normalisation of vectors [N, C] or sequences [N, C, L] (Ioffe and Szegedy 2015).

    Args:
        num_features: Number of channels C.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCL", "NLC" or "NC".
        use_global_stats: Use the running statistics while training too.
        name: Unused.

    Example:
        >>> y = paddle.nn.BatchNorm1D(1)(paddle.to_tensor([[1.0], [3.0]]))
        >>> [round(v, 3) for v in y.flatten().tolist()]
        [-1.0, 1.0]
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
        use_global_stats=None,
        name=None,
    ):
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm2D(_BatchNormBase):
    """Batch normalisation of images (Ioffe and Szegedy 2015).

    While training, channels are normalised by mean and variance of the batch; evaluation mode takes the running
    statistics, old * momentum + new * (1 - momentum).

    Args:
        num_features: Number of channels C.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale of shape [C]; False for none.
        bias_attr: ParamAttr of the shift of shape [C]; False for none.
        data_format: 'NCHW' or 'NHWC'.
        use_global_stats: Use the running statistics while training too.

    Shape:
        [N, C, H, W], or [N, H, W, C], to the same shape.

    Example:
        >>> norm = paddle.nn.BatchNorm2D(3)
        >>> norm(paddle.randn([8, 3, 4, 4])).shape
        paddle.Size([8, 3, 4, 4])
    """

    _ranks = (4,)


class BatchNorm3D(_BatchNormBase):
    """Batch normalisation of volumes [N, C, D, H, W] (Ioffe and Szegedy 2015).

    Args:
        num_features: Number of channels C.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCDHW" or "NDHWC".
        use_global_stats: Use the running statistics while training too.
        name: Unused.

    Example:
        >>> paddle.nn.BatchNorm3D(2)(paddle.ones([1, 2, 3, 3, 3])).shape
        paddle.Size([1, 2, 3, 3, 3])
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
        use_global_stats=None,
        name=None,
    ):
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm(_BatchNormBase):
    """Batch normalisation of any rank with an activation behind it; `BatchNorm1D`, `2D` and `3D` check the rank.

    Args:
        num_channels: Channels of the input.
        act: Name of the activation; None: none.
        is_test: Whether it starts in evaluation mode.
        momentum: Weight of the kept statistics in their update.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale.
        bias_attr: ParamAttr of the shift.
        dtype: Unused: the parameters have the default dtype.
        data_layout: 'NCHW' or 'NHWC': where the channels stand.
        in_place: Unused.
        moving_mean_name: Name of the kept mean.
        moving_variance_name: Name of the kept variance.
        do_model_average_for_mean_and_var: Unused.
        use_global_stats: Whether the kept statistics are used in training too.
        trainable_statistics: Whether the statistics of the batch are used in evaluation too.

    Shape:
        [N, C, ...] to the same shape.

    Example:
        >>> layer = paddle.nn.BatchNorm(1, act="relu")
        >>> layer(paddle.to_tensor([[1.0], [3.0]])).round(3).tolist()
        [[0.0], [1.0]]
    """

    def __init__(
        self,
        num_channels,
        act=None,
        is_test=False,
        momentum=0.9,
        epsilon=1e-05,
        param_attr=None,
        bias_attr=None,
        dtype="float32",
        data_layout="NCHW",
        in_place=False,
        moving_mean_name=None,
        moving_variance_name=None,
        do_model_average_for_mean_and_var=True,
        use_global_stats=False,
        trainable_statistics=False,
    ):
        super().__init__(
            num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, use_global_stats, dtype=dtype
        )
        self._act, self._trainable_statistics = act, trainable_statistics
        if moving_mean_name:
            self._mean.name = moving_mean_name
        if moving_variance_name:
            self._variance.name = moving_variance_name
        if is_test:
            self.eval()

    def forward(self, input):
        return activated(super().forward(input), self._act)

    def _kept_statistics(self):
        return True if self._use_global_stats else (False if self._trainable_statistics else None)

    def extra_repr(self):
        return ""


class SyncBatchNorm(_BatchNormBase):
    """Batch normalisation with the statistics of all processes; in one process as BatchNorm2D.

    Args:
        num_features: Number of channels.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale; False for none.
        bias_attr: ParamAttr of the shift; False for none.
        data_format: "NCHW" or "NHWC", and their relatives of other ranks.
        name: Unused.

    Example:
        >>> paddle.nn.SyncBatchNorm(2)(paddle.ones([1, 2, 3, 3])).shape
        paddle.Size([1, 2, 3, 3])
    """

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name)

    def forward(self, x):
        if self.training and not self._use_global_stats:
            from ...distributed.batch_statistics import sync_batch_norm

            self._check_input_dim(x)
            out = sync_batch_norm(x, self)
            if out is not None:
                return out
        return super().forward(x)

    @classmethod
    def convert_sync_batchnorm(cls, layer):
        """The layer, with its batch normalisations made into SyncBatchNorm.

        Args:
            layer: A Layer, which is changed.

        Returns:
            The layer.

        Example:
            >>> model = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3), paddle.nn.BatchNorm2D(4))
            >>> model = paddle.nn.SyncBatchNorm.convert_sync_batchnorm(model)
            >>> type(model[1]).__name__
            'SyncBatchNorm'
        """
        for part in layer.sublayers(include_self=True):
            if isinstance(part, _BatchNormBase) and not isinstance(part, cls):
                part.__class__ = cls
        return layer
