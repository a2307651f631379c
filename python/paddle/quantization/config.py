# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which layers of a network are quantized, and with what."""

from ..nn import AvgPool2D, Layer, ReLU
from ..nn.layer.common import Linear
from ..nn.layer.conv import Conv2D
from ..nn.quant.qat import QuantedConv2D, QuantedLinear
from ..nn.quant.stub import QuanterStub, Stub
from .wrapper import ObserveWrapper

DEFAULT_LEAVES = [AvgPool2D, ReLU]
DEFAULT_QAT_LAYER_MAPPINGS = {Stub: QuanterStub, Linear: QuantedLinear, Conv2D: QuantedConv2D}


class SingleLayerConfig:
    """Factories of the quanters of one layer."""

    def __init__(self, activation, weight):
        self._activation = activation
        self._weight = weight

    @property
    def activation(self):
        """Factory for the input, or None."""
        return self._activation

    @property
    def weight(self):
        """Factory for the weight, or None."""
        return self._weight

    def __str__(self):
        return f"activation: {self._activation}\nweight: {self._weight}"


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class QuantConfig:
    """Rules from layers to quanters: of a layer or name, else of a type, else of everything.

    Args:
        activation: Factory for the activations of all layers, or None.
        weight: Factory for the weights of all layers, or None.

    Example:
        >>> import paddle
        >>> from paddle.quantization import QuantConfig
        >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.add_type_config(paddle.nn.Linear, weight=FakeQuanterWithAbsMaxObserver())
    """

    def __init__(self, activation, weight):
        neither = activation is None and weight is None
        self._global_config = None if neither else SingleLayerConfig(activation, weight)
        self._name_configs = {}
        self._type_configs = {}
        self._qat_layer_mapping = dict(DEFAULT_QAT_LAYER_MAPPINGS)
        self._customized_leaves = []
        self._chosen = {}

    def add_layer_config(self, layer, activation=None, weight=None):
        """Quanters of some layers.

        Args:
            layer: A layer or a list of them; the layers inside count too.
            activation: Factory of the quanter of its input; None: none.
            weight: Factory of the quanter of its weight; None: none.
        """
        self.add_name_config([one.full_name() for one in _listed(layer)], activation, weight)

    def add_name_config(self, layer_name, activation=None, weight=None):
        """Quanters of the layers with some names.

        Args:
            layer_name: A `full_name()` or a list of them; the layers inside count too.
            activation: Factory of the quanter of its input; None: none.
            weight: Factory of the quanter of its weight; None: none.

        Raises:
            TypeError: layer_name is no text.
        """
        for name in _listed(layer_name):
            if not isinstance(name, str):
                raise TypeError(f"add_name_config: layer_name must be a str or a list of them, got {name!r}.")
            self._name_configs[name] = SingleLayerConfig(activation, weight)

    def add_type_config(self, layer_type, activation=None, weight=None):
        """Quanters of all layers of a class.

        Args:
            layer_type: A class or a list of them.
            activation: Factory of the quanter of its input; None: none.
            weight: Factory of the quanter of its weight; None: none.

        Raises:
            TypeError: layer_type is no class.
        """
        for kind in _listed(layer_type):
            if not isinstance(kind, type):
                raise TypeError(f"add_type_config: layer_type must be a class or a list of them, got {kind!r}.")
            self._type_configs[kind] = SingleLayerConfig(activation, weight)

    def add_qat_layer_mapping(self, source, target):
        """Replaces layers of a class by another for training with quantisation.

        Args:
            source: The class of the layers.
            target: The class that takes their place, made as `target(layer, config)`.

        Raises:
            AssertionError: One of them is no class of layers.
        """
        for name, kind in (("source", source), ("target", target)):
            if not (isinstance(kind, type) and issubclass(kind, Layer)):
                raise AssertionError(f"add_qat_layer_mapping: {name} must be a class of layers, got {kind!r}.")
        self._qat_layer_mapping[source] = target

    def add_customized_leaf(self, layer_type):
        """Treats layers of a class as one, whatever is inside them."""
        self._customized_leaves.append(layer_type)

    @property
    def customized_leaves(self):
        """Classes of `add_customized_leaf`."""
        return self._customized_leaves

    @property
    def global_config(self):
        """The rule for everything, or None."""
        return self._global_config

    @property
    def qat_layer_mappings(self):
        """class -> class of its quantized form."""
        return self._qat_layer_mapping

    @property
    def default_qat_layer_mapping(self):
        """The mapping before any `add_qat_layer_mapping`."""
        return DEFAULT_QAT_LAYER_MAPPINGS

    def _specify(self, model):
        """Settles the rule of every layer of `model`; rules of names pass on to the layers inside."""
        self._chosen = {}
        self._choose(model, self._global_config)

    def _choose(self, layer, inherited):
        for child in layer.children():
            chosen = self._type_configs.get(type(child), inherited)
            chosen = self._name_configs.get(child.full_name(), chosen)
            self._chosen[id(child)] = chosen
            self._choose(child, chosen)

    def _get_config_by_layer(self, layer):
        return self._chosen.get(id(layer))

    def _is_leaf(self, layer):
        """Whether a layer is taken as one, whatever is inside it."""
        return self._is_customized_leaf(layer) or self._is_default_leaf(layer) or self._is_real_leaf(layer)

    def _is_customized_leaf(self, layer):
        return type(layer) in self._customized_leaves

    def _is_default_leaf(self, layer):
        return type(layer) in DEFAULT_LEAVES

    def _is_real_leaf(self, layer):
        return next(iter(layer.children()), None) is None

    def _has_observer_config(self, layer):
        config = self._get_config_by_layer(layer)
        return config is not None and config.activation is not None

    def _get_observer(self, layer):
        """The observer of a layer's activations, newly made; None where it has no factory."""
        return (
            self._get_config_by_layer(layer).activation._instance(layer) if self._has_observer_config(layer) else None
        )

    def _is_quantifiable(self, layer):
        return self._get_config_by_layer(layer) is not None and type(layer) in self._qat_layer_mapping

    def _get_qat_layer(self, layer):
        return self._qat_layer_mapping[type(layer)](layer, self._get_config_by_layer(layer))

    def _get_observe_wrapper(self, layer):
        return ObserveWrapper(self._get_observer(layer), layer)

    def _need_observe(self, layer):
        return self._is_leaf(layer) and self._has_observer_config(layer)

    def details(self):
        """The rules as text."""
        text = f"Global config:\n{self._global_config}\n"
        for title, rules in (("Layer type config", self._type_configs), ("Layer prefix config", self._name_configs)):
            if rules:
                text += f"{title}:\n" + "".join(f"{key}: {rule}\n" for key, rule in rules.items())
        return text

    __str__ = details
