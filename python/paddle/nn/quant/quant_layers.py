# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that see quantized inputs and weights: the layers that `paddle.quantization.ImperativeQuantAware` puts in."""

from ... import tensor
from .. import functional as F
from ..layer.conv import Conv2D
from ..layer.layers import Layer
from .rounding import fake_quantize, register_states

__all__ = [
    "FakeQuantAbsMax",
    "FakeQuantChannelWiseAbsMax",
    "FakeQuantMAOutputScaleLayer",
    "FakeQuantMovingAverageAbsMax",
    "MAOutputScaleLayer",
    "MovingAverageAbsMaxScale",
    "QuantStub",
    "QuantizedConv2D",
    "QuantizedConv2DTranspose",
    "QuantizedLinear",
]


class _Tracked(Layer):
    """A scale that is kept in the state dict."""

    def __init__(self, name, dtype, **values):
        super().__init__()
        register_states(self, name or "quant_dequant", dtype, **values)

    def _follow(self, x):
        """The moving average of the largest magnitude."""
        rate = self._moving_rate
        self._accum.set_value(self._accum * rate + x.detach().abs().max().astype(self._accum.dtype))
        self._state.set_value(self._state * rate + 1.0)
        self._scale.set_value(self._accum / self._state)


class FakeQuantAbsMax(_Tracked):
    """Fake quantization with the largest magnitude of each call as scale.

    Args:
        name: Prefix of the name of the scale.
        quant_bits: Bits of a code.
        dtype: dtype of the scale.
        quant_on_weight: Keep the last scale in the state.
        reduce_type: 'max' among processes: one process has nothing to reduce.
    """

    def __init__(self, name=None, quant_bits=8, dtype="float32", quant_on_weight=False, reduce_type=None):
        super().__init__(name, dtype, **({"_scale": 0.001} if quant_on_weight else {}))
        self._quant_bits = quant_bits

    def forward(self, input):
        scale = input.detach().abs().max()
        if "_scale" in self._parameters:
            self._scale.set_value(scale.reshape([1]).astype(self._scale.dtype))
        return fake_quantize(input, scale, self._quant_bits)


class FakeQuantMovingAverageAbsMax(_Tracked):
    """Fake quantization whose scale follows the largest magnitude in training and is fixed in evaluation.

    Args:
        name: Prefix of the names of the state.
        moving_rate: Weight of the past.
        quant_bits: Bits of a code.
        dtype: dtype of the state.
        reduce_type: 'max' among processes: one process has nothing to reduce.
    """

    def __init__(self, name=None, moving_rate=0.9, quant_bits=8, dtype="float32", reduce_type=None):
        super().__init__(name, dtype, _scale=0.001, _state=1.0, _accum=1.0)
        self._moving_rate, self._quant_bits = moving_rate, quant_bits

    def forward(self, input):
        if self.training:
            self._follow(input)
        return fake_quantize(input, self._scale, self._quant_bits)


class FakeQuantChannelWiseAbsMax(Layer):
    """Fake quantization with one scale a channel.

    Args:
        name: Prefix of the name of the scales.
        channel_num: Number of channels.
        quant_bits: Bits of a code.
        quant_axis: Axis of the channels.
        dtype: dtype of the scales.
        quant_on_weight: Must be True: only weights have scales a channel.
        reduce_type: 'max' among processes: one process has nothing to reduce.
    """

    def __init__(
        self,
        name=None,
        channel_num=None,
        quant_bits=8,
        quant_axis=0,
        dtype="float32",
        quant_on_weight=False,
        reduce_type=None,
    ):
        super().__init__()
        assert quant_on_weight, "FakeQuantChannelWiseAbsMax: quant_on_weight must be True."
        self._quant_bits, self._quant_axis, self._name = quant_bits, quant_axis, name
        self.register_buffer("_scale", tensor.zeros([channel_num], dtype))

    def forward(self, input):
        axes = [axis for axis in range(input.ndim) if axis != self._quant_axis]
        scale = input.detach().abs().max(axis=axes, keepdim=True)
        self._scale.set_value(scale.flatten().astype(self._scale.dtype))
        return fake_quantize(input, scale, self._quant_bits)


class MovingAverageAbsMaxScale(_Tracked):
    """Follows the largest magnitude of what passes, and passes it on.

    Args:
        name: Prefix of the names of the state.
        moving_rate: Weight of the past.
        dtype: dtype of the state.
        reduce_type: 'max' among processes: one process has nothing to reduce.
    """

    def __init__(self, name=None, moving_rate=0.9, dtype="float32", reduce_type=None):
        super().__init__(name, dtype, _scale=0.0, _state=0.0, _accum=0.0)
        self._moving_rate = moving_rate

    def forward(self, input):
        if self.training:
            self._follow(input)
        return tensor.assign(input)


QuantStub = MovingAverageAbsMaxScale


class MAOutputScaleLayer(Layer):
    """A layer and the moving average of its output's largest magnitude.

    Args:
        layer: The layer.
        moving_rate: Weight of the past.
        name: Prefix of the names of the state.
        dtype: dtype of the state.
        reduce_type: 'max' among processes.
    """

    def __init__(self, layer=None, moving_rate=0.9, name=None, dtype="float32", reduce_type=None):
        super().__init__()
        self._layer = layer
        self._ma_output_scale = MovingAverageAbsMaxScale(name, moving_rate, dtype, reduce_type)

    def forward(self, *inputs, **kwargs):
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple, dict)) else self._ma_output_scale(out)


class FakeQuantMAOutputScaleLayer(Layer):
    """A layer whose output is quantized with a moving scale.

    Args:
        layer: The layer.
        weight_bits: Unused; kept for the calling form.
        activation_bits: Bits of a code of the output.
        moving_rate: Weight of the past.
        name: Prefix of the names of the state.
        reduce_type: 'max' among processes.
    """

    def __init__(
        self, layer, weight_bits=8, activation_bits=8, moving_rate=0.9, name=None, reduce_type=None, *args, **kwargs
    ):
        super().__init__()
        self._layer = layer
        self._fake_quant_output = FakeQuantMovingAverageAbsMax(
            name, moving_rate, activation_bits, "float32", reduce_type
        )

    def forward(self, *inputs, **kwargs):
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple, dict)) else self._fake_quant_output(out)


def _quantizer(kind, bits, moving_rate, channels, axis, on_weight):
    if kind == "abs_max":
        return FakeQuantAbsMax(quant_bits=bits, quant_on_weight=on_weight)
    if kind == "moving_average_abs_max":
        return FakeQuantMovingAverageAbsMax(moving_rate=moving_rate, quant_bits=bits)
    if kind == "channel_wise_abs_max":
        return FakeQuantChannelWiseAbsMax(
            channel_num=channels, quant_bits=bits, quant_axis=axis, quant_on_weight=on_weight
        )
    raise ValueError(
        f"quant_layers: quantize_type has value {kind!r}; it must be 'abs_max', 'moving_average_abs_max' or 'channel_wise_abs_max'."
    )


class _Quantized(Layer):
    """Takes over the parameters of `layer`; its input and weight pass a quantizer first.

    Args:
        layer: The layer.
        weight_bits: Bits of a code of the weight.
        activation_bits: Bits of a code of the input.
        moving_rate: Weight of the past in the scale of the input.
        weight_quantize_type: 'abs_max' or 'channel_wise_abs_max'.
        activation_quantize_type: 'abs_max' or 'moving_average_abs_max'.
        weight_pre_layer: Class of a layer before the quantizer of the weight.
        act_pre_layer: Class of a layer before the quantizer of the input.
        weight_quant_layer: Class of a quantizer of the weight of one's own.
        act_quant_layer: Class of a quantizer of the input of one's own.
    """

    _channel_axis = 0

    def __init__(
        self,
        layer,
        weight_bits=8,
        activation_bits=8,
        moving_rate=0.9,
        weight_quantize_type="abs_max",
        activation_quantize_type="abs_max",
        weight_pre_layer=None,
        act_pre_layer=None,
        weight_quant_layer=None,
        act_quant_layer=None,
    ):
        super().__init__()
        self._take(layer)
        channels = self.weight.shape[self._channel_axis]
        axis = self._channel_axis
        self._fake_quant_weight = (
            _quantizer(weight_quantize_type, weight_bits, moving_rate, channels, axis, True)
            if weight_quant_layer is None
            else weight_quant_layer()
        )
        self._fake_quant_input = (
            _quantizer(activation_quantize_type, activation_bits, moving_rate, channels, axis, False)
            if act_quant_layer is None
            else act_quant_layer()
        )
        self._weight_preprocess = None if weight_pre_layer is None else weight_pre_layer()
        self._act_preprocess = None if act_pre_layer is None else act_pre_layer()

    def _take(self, layer):
        self.weight, self.bias = layer.weight, layer.bias
        self.name = getattr(layer, "name", None)

    def _quantized(self, input):
        if self._act_preprocess is not None:
            input = self._act_preprocess(input)
        weight = self.weight
        if self._weight_preprocess is not None:
            weight = self._weight_preprocess(weight)
        return self._fake_quant_input(input), self._fake_quant_weight(weight)


class QuantizedLinear(_Quantized):
    __doc__ = "`nn.Linear` on a quantized input and weight.\n" + _Quantized.__doc__.split("\n", 1)[1]

    _channel_axis = 1

    def forward(self, input):
        input, weight = self._quantized(input)
        return F.linear(input, weight, self.bias)


class QuantizedConv2D(_Quantized):
    __doc__ = "`nn.Conv2D` on a quantized input and weight.\n" + _Quantized.__doc__.split("\n", 1)[1]

    _axes = 2

    def _take(self, layer):
        super()._take(layer)
        for name in ("_stride", "_padding", "_padding_mode", "_dilation", "_groups", "_data_format"):
            setattr(self, name, getattr(layer, name))

    def forward(self, input):
        input, weight = self._quantized(input)
        input, padding = Conv2D._padded(self, input)
        return F.conv2d(
            input, weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format
        )


class QuantizedConv2DTranspose(_Quantized):
    __doc__ = "`nn.Conv2DTranspose` on a quantized input and weight.\n" + _Quantized.__doc__.split("\n", 1)[1]

    _channel_axis = 1

    def _take(self, layer):
        super()._take(layer)
        for name in ("_stride", "_padding", "_dilation", "_groups", "_data_format", "output_padding"):
            setattr(self, name, getattr(layer, name))

    def forward(self, input, output_size=None):
        input, weight = self._quantized(input)
        return F.conv2d_transpose(
            input,
            weight,
            self.bias,
            self._stride,
            self._padding,
            self.output_padding if output_size is None else 0,
            self._dilation,
            self._groups,
            output_size,
            self._data_format,
        )
