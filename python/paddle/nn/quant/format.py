# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The form of a converted network: layers that quantize and dequantize with fixed scales."""

import abc

from ... import _core, tensor
from ...framework.modes import no_grad
from ..layer.layers import Layer


def _as_float(value):
    if isinstance(value, _core.Tensor):
        return value.detach().clone().astype("float32")
    return tensor.to_tensor(0.0 if value is None else value, dtype="float32")


def _spread(scales, like, quant_axis, group_size):
    """Scales that broadcast against `like`: one, one a channel, or one a group of rows and column."""
    if scales.size == 1:
        return scales.reshape([])
    if scales.ndim == 2 and like.ndim == 2:
        rows = like.shape[0]
        if scales.shape[0] != -(-rows // group_size):
            raise ValueError(
                f"LinearQuanter: scales {list(scales.shape)} do not fit {rows} rows in groups of {group_size}; "
                f"give one row of scales a group."
            )
        return tensor.repeat_interleave(scales, group_size, axis=0)[:rows]
    shape = [1] * like.ndim
    shape[-1 if quant_axis is None else quant_axis] = scales.size
    return scales.reshape(shape)


class _Linear(Layer):
    def __init__(self, scales, zero_point, quant_axis, bit_length, group_size):
        super().__init__()
        if not 2 <= bit_length <= 16:
            raise ValueError(f"{type(self).__name__}: bit_length must be between 2 and 16, got {bit_length}.")
        self.register_buffer("_scales", _as_float(scales))
        self.register_buffer("_zero_point", _as_float(zero_point))
        self._quant_axis = quant_axis
        self._bit_length = bit_length
        self._group_size = group_size
        self._qmax = 2 ** (bit_length - 1) - 1

    @classmethod
    def from_quanter(cls, quanter):
        """The layer with the scales a quanter or observer has found."""
        return cls(
            quanter.scales(),
            zero_point=quanter.zero_points(),
            quant_axis=quanter.quant_axis(),
            bit_length=quanter.bit_length(),
            group_size=getattr(quanter, "_group_size", 128),
        )


class LinearQuanter(_Linear):
    """round(input / scale * qmax), clipped to the range of the codes.

    Args:
        scales: Magnitude of the largest code: one, one a channel, or [groups, N].
        zero_point: Kept in the state; the codes are symmetric around 0.
        quant_axis: Axis of the channels; None and -1 are the last one.
        bit_length: Bits of a code.
        group_size: Rows that share a scale when scales is a matrix.
    """

    def __init__(self, scales, zero_point=None, quant_axis=None, bit_length=8, group_size=128):
        super().__init__(scales, zero_point, quant_axis, bit_length, group_size)

    def forward(self, input):
        """The codes, in the dtype of the input."""
        scales = _spread(self._scales.astype(input.dtype), input, self._quant_axis, self._group_size)
        positive = tensor.where(scales == 0, tensor.ones_like(scales), scales)
        return tensor.round(input / positive * self._qmax).clip(-self._qmax - 1, self._qmax)


class LinearDequanter(_Linear):
    """code * scale / qmax: the value that a code of `LinearQuanter` stands for.

    Args:
        scales: As for `LinearQuanter`.
        zero_point: Kept in the state; the codes are symmetric around 0.
        quant_axis: Axis of the channels; None and -1 are the last one.
        bit_length: Bits of a code.
        group_size: Rows that share a scale when scales is a matrix.
    """

    def __init__(self, scales, zero_point=None, quant_axis=None, bit_length=8, group_size=128):
        super().__init__(scales, zero_point, quant_axis, bit_length, group_size)

    def forward(self, input):
        """The values."""
        return input * _spread(self._scales.astype(input.dtype), input, self._quant_axis, self._group_size) / self._qmax


class LinearQuanterDequanter(Layer):
    """A quanter followed by a dequanter; None leaves one of the two out."""

    def __init__(self, quanter, dequanter):
        super().__init__()
        self._quanter = quanter
        self._dequanter = dequanter

    def forward(self, input):
        """The input as its codes represent it."""
        codes = input if self._quanter is None else self._quanter(input)
        return codes if self._dequanter is None else self._dequanter(codes)

    @staticmethod
    def from_quanter(quanter):
        """The pair with the scales of a quanter."""
        return LinearQuanterDequanter(LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter))


class ConvertibleQuantedLayer(Layer, metaclass=abc.ABCMeta):
    """A layer whose quanters turn into fixed `LinearQuanterDequanter` layers by conversion."""

    def __init__(self):
        super().__init__()
        self.converted = False

    @abc.abstractmethod
    def weights_to_quanters(self):
        """Pairs (name of a weight, name of its quanter)."""

    @abc.abstractmethod
    def activation_quanters(self):
        """Names of the quanters of activations."""

    def _convert_quanter_to_qdq(self, quanter_name):
        quanter = getattr(self, quanter_name, None)
        if quanter is None:
            return None
        fixed = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, quanter_name, fixed)
        return fixed

    def _quant_weights(self, weight_name, quanter):
        weight = getattr(self, weight_name)
        with no_grad():
            weight.set_value(quanter(weight))

    def _convert(self, remain_weight=False):
        """Fixes the scales, once; the weights become codes unless they are to remain."""
        if self.converted:
            raise RuntimeError(f"{type(self).__name__}: the layer has been converted already.")
        for weight_name, quanter_name in self.weights_to_quanters():
            quanter = getattr(self, quanter_name, None)
            if quanter is not None and hasattr(quanter, "cal_thresholds"):
                quanter.cal_thresholds()
            fixed = self._convert_quanter_to_qdq(quanter_name)
            if fixed is not None and not remain_weight:
                self._quant_weights(weight_name, fixed._quanter)
                fixed._quanter = None
        for quanter_name in self.activation_quanters():
            quanter = getattr(self, quanter_name, None)
            if quanter is not None and hasattr(quanter, "cal_thresholds"):
                quanter.cal_thresholds()
            self._convert_quanter_to_qdq(quanter_name)
        self.converted = True
