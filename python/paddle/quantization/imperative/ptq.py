# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ImperativePTQ`: post-training quantization of a network by hooks on its layers."""

import copy

from ... import jit, nn, tensor
from ...framework.modes import no_grad
from ...nn.quant import functional_layers, quant_layers
from .ptq_config import PTQConfig, default_ptq_config
from .ptq_quantizer import PerChannelAbsmaxQuantizer

_WEIGHTED = (nn.Conv2D, nn.Linear)
_OBSERVED = (
    *_WEIGHTED,
    nn.BatchNorm2D,
    nn.AdaptiveMaxPool2D,
    nn.AdaptiveAvgPool2D,
    nn.AvgPool2D,
    nn.MaxPool2D,
    nn.ReLU,
    nn.ReLU6,
    nn.Hardswish,
    nn.Swish,
    nn.Sigmoid,
    nn.Softmax,
    nn.Tanh,
    functional_layers.add,
)


def _sample(layer, inputs, output):
    config = layer._quant_config
    if config.enable_in_act_quantizer:
        config.in_act_quantizer.sample_data(layer, inputs if isinstance(inputs, tuple) else (inputs,))
    config.out_act_quantizer.sample_data(layer, output if isinstance(output, tuple) else (output,))


def _fold(model, names):
    """Put the batch norm named second into the convolution or linear layer named first."""
    first, second = (_find(model, name) for name in names)
    gain = second.weight / tensor.sqrt(second._variance + second._epsilon)
    shape = [1, -1] if isinstance(first, nn.Linear) else [-1] + [1] * (first.weight.ndim - 1)
    shift = second.bias - second._mean * gain
    first.weight.set_value(first.weight * gain.reshape(shape))
    if first.bias is None:
        first.bias = first.create_parameter(shape=[gain.shape[0]], is_bias=True)
        first.bias.set_value(shift)
    else:
        first.bias.set_value(first.bias * gain + shift)
    parent, _, last = names[1].rpartition(".")
    setattr(_find(model, parent), last, nn.Identity())


def _find(model, path):
    for name in path.split(".") if path else ():
        model = model._sub_layers[name]
    return model


class ImperativePTQ:
    """Samples what layers take and return, and fixes the scales of their codes.

    Args:
        quant_config: A `PTQConfig`.
    """

    def __init__(self, quant_config=default_ptq_config):
        assert isinstance(quant_config, PTQConfig), "ImperativePTQ: quant_config must be a PTQConfig."
        self._quant_config = quant_config

    def quantize(self, model, inplace=False, fuse=False, fuse_list=None):
        """The network with hooks that sample; run it on data after this.

        Args:
            model: The network.
            inplace: Whether to change `model` itself.
            fuse: Whether to fold the batch norms of `fuse_list`.
            fuse_list: Pairs of names, a convolution or linear layer and the batch norm after it.
        """
        assert isinstance(model, nn.Layer), "quantize: model must be an instance of paddle.nn.Layer."
        model = model if inplace else copy.deepcopy(model)
        if fuse:
            model.eval()
            with no_grad():
                for names in fuse_list or ():
                    _fold(model, names)
        for layer in model.sublayers():
            if isinstance(layer, _OBSERVED) and not getattr(layer, "skip_quant", False):
                config = copy.deepcopy(self._quant_config)
                config.enable_in_act_quantizer = isinstance(layer, _WEIGHTED)
                layer._quant_config = config
                config.quant_hook_handle = layer.register_forward_post_hook(_sample)
        return model

    def _cal_thresholds(self, model):
        for layer in model.sublayers():
            config = getattr(layer, "_quant_config", None)
            if config is None:
                continue
            if config.enable_in_act_quantizer:
                config.in_act_quantizer.cal_thresholds()
                config.wt_quantizer.sample_data(layer, (layer.weight,))
                config.wt_quantizer.cal_thresholds()
            config.out_act_quantizer.cal_thresholds()

    def _convert(self, model):
        """Remove the hooks and put quantizers with the found scales into the layers."""
        for layer in model.sublayers():
            config = getattr(layer, "_quant_config", None)
            if config is not None:
                config.quant_hook_handle.remove()
        self._cal_thresholds(model)
        self._wrap_simulated_layers(model)

    def _wrap_simulated_layers(self, layer):
        for name, child in list(layer.named_children()):
            config = getattr(child, "_quant_config", None)
            if config is None or not config.enable_in_act_quantizer:
                self._wrap_simulated_layers(child)
                continue
            kind = quant_layers.QuantizedLinear if isinstance(child, nn.Linear) else quant_layers.QuantizedConv2D
            channels = isinstance(config.wt_quantizer, PerChannelAbsmaxQuantizer)
            made = kind(
                child,
                weight_bits=config.wt_quantizer.quant_bits,
                activation_bits=config.in_act_quantizer.quant_bits,
                weight_quantize_type="channel_wise_abs_max" if channels else "abs_max",
                activation_quantize_type="moving_average_abs_max",
            )
            made._fake_quant_input._scale.set_value(tensor.to_tensor([float(config.in_act_quantizer.thresholds[0])]))
            made._quant_config = config
            made.training = child.training
            setattr(layer, name, made)

    def save_quantized_model(self, model, path, input_spec=None, **config):
        """Fix the scales and save the network for inference.

        Args:
            model: The network from `quantize`, after it ran on data.
            path: Prefix of the files.
            input_spec: Specs or examples of the inputs.
            **config: Of `paddle.jit.save`.
        """
        assert isinstance(model, nn.Layer), "save_quantized_model: model must be an instance of paddle.nn.Layer."
        self._convert(model)
        model.eval()
        jit.save(model, path, input_spec, **config)
