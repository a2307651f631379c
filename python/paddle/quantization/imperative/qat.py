# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ImperativeQuantAware`: quantization-aware training of a network in place."""

from ... import jit, nn
from ...nn import Conv2D, Conv2DTranspose, Linear
from ...nn.quant import functional_layers, quant_layers

_QUANTIZED = {
    Conv2D: quant_layers.QuantizedConv2D,
    Linear: quant_layers.QuantizedLinear,
    Conv2DTranspose: quant_layers.QuantizedConv2DTranspose,
}
_NAMES = {kind.__name__: kind for kind in _QUANTIZED}
_PARALLEL = ("ColumnParallelLinear", "RowParallelLinear")
_QUANTIZABLE = [*_NAMES, *_PARALLEL]
_ARITHMETIC = tuple(getattr(functional_layers, name) for name in ("add", "subtract", "multiply", "divide", "matmul"))
_PARTS = (
    quant_layers.FakeQuantAbsMax,
    quant_layers.FakeQuantMovingAverageAbsMax,
    quant_layers.FakeQuantChannelWiseAbsMax,
    quant_layers.MovingAverageAbsMaxScale,
)


def _kinds(types):
    kinds = []
    for kind in types:
        if kind in _PARALLEL:
            continue  # layers of several processes are made of the others here
        found = _NAMES.get(kind) if isinstance(kind, str) else kind
        assert found in _QUANTIZED, f"quantizable_layer_type: {kind} cannot be quantized; choose of {list(_NAMES)}."
        kinds.append(found)
    return tuple(kinds)


class ImperativeQuantAware:
    """Puts quantizers before the inputs and weights of layers, and scales behind all outputs.

    Args:
        quantizable_layer_type: Classes or their names: Conv2D, Conv2DTranspose, Linear.
        weight_quantize_type: 'abs_max' or 'channel_wise_abs_max'.
        activation_quantize_type: 'moving_average_abs_max'.
        weight_bits: Bits of a code of a weight.
        activation_bits: Bits of a code of an input.
        moving_rate: Weight of the past in the scales of inputs and outputs.
        fuse_conv_bn: Put the network into evaluation mode first: batch norm is then an affine map.
        weight_preprocess_layer: Class of a layer before the quantizers of weights.
        act_preprocess_layer: Class of a layer before the quantizers of inputs.
        weight_quantize_layer: Class of quantizers of weights of one's own.
        act_quantize_layer: Class of quantizers of inputs of one's own.
        onnx_format: Kept for the calling form: saved networks quantize and dequantize by elementwise operators.

    Example:
        >>> import paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(4, 2))
        >>> paddle.quantization.ImperativeQuantAware().quantize(model)
        >>> print(model(paddle.ones([1, 4])).shape)
        paddle.Size([1, 2])
    """

    def __init__(
        self,
        quantizable_layer_type=_QUANTIZABLE,
        weight_quantize_type="abs_max",
        activation_quantize_type="moving_average_abs_max",
        weight_bits=8,
        activation_bits=8,
        moving_rate=0.9,
        fuse_conv_bn=False,
        weight_preprocess_layer=None,
        act_preprocess_layer=None,
        weight_quantize_layer=None,
        act_quantize_layer=None,
        onnx_format=True,
    ):
        assert weight_quantize_type in ("abs_max", "channel_wise_abs_max"), (
            f"weight_quantize_type has value {weight_quantize_type!r}; use 'abs_max' or 'channel_wise_abs_max'."
        )
        assert activation_quantize_type == "moving_average_abs_max", (
            f"activation_quantize_type has value {activation_quantize_type!r}; use 'moving_average_abs_max'."
        )
        assert isinstance(weight_bits, int) and 0 <= weight_bits <= 16, "weight_bits must be between 0 and 16."
        assert isinstance(activation_bits, int) and 0 <= activation_bits <= 16, (
            "activation_bits must be between 0 and 16."
        )
        self._kinds = _kinds(quantizable_layer_type)
        self._moving_rate, self._fuse_conv_bn = moving_rate, fuse_conv_bn
        self._settings = {
            "weight_quantize_type": weight_quantize_type,
            "activation_quantize_type": activation_quantize_type,
            "weight_bits": weight_bits,
            "activation_bits": activation_bits,
            "moving_rate": moving_rate,
            "weight_pre_layer": weight_preprocess_layer,
            "act_pre_layer": act_preprocess_layer,
            "weight_quant_layer": weight_quantize_layer,
            "act_quant_layer": act_quantize_layer,
        }

    def quantize(self, model):
        """Change the layers of `model` in place.

        Layers with a true attribute `skip_quant` keep their input and weight as they are.
        """
        assert isinstance(model, nn.Layer), "quantize: model must be an instance of paddle.nn.Layer."
        if self._fuse_conv_bn:
            model.eval()
        self._change(model)

    def _change(self, layer):
        for name, child in list(layer.named_children()):
            if isinstance(child, _PARTS):
                continue
            if isinstance(child, self._kinds) and not getattr(child, "skip_quant", False):
                kind = next(kind for kind in self._kinds if isinstance(child, kind))
                child = _QUANTIZED[kind](child, **self._settings)
            elif next(child.children(), None) is not None:
                self._change(child)
                continue
            if isinstance(child, _ARITHMETIC):
                bits = self._settings["activation_bits"]
                wrapped = quant_layers.FakeQuantMAOutputScaleLayer(
                    child, activation_bits=bits, moving_rate=self._moving_rate
                )
            else:
                wrapped = quant_layers.MAOutputScaleLayer(child, self._moving_rate)
            setattr(layer, name, wrapped)

    def save_quantized_model(self, layer, path, input_spec=None, **config):
        """Save the network for inference, with its fake quantization.

        Args:
            layer: The network, after `quantize`.
            path: Prefix of the files.
            input_spec: Specs or examples of the inputs.
            **config: Of `paddle.jit.save`.
        """
        assert isinstance(layer, nn.Layer), "save_quantized_model: layer must be an instance of paddle.nn.Layer."
        layer.eval()
        jit.save(layer, path, input_spec, **config)
