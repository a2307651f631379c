# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Containers of layers and parameters."""

from ...framework.call_forms import aliases
from ...framework.checked_numbers import shown
from ...framework.parameter import EagerParamBase
from .layers import Layer

_MOST_LAYERS = 2**16


def check_layer_count(owner, num_layers):
    """An error where a stack would have so many layers that only memory ends it."""
    if num_layers > _MOST_LAYERS:
        raise OverflowError(f"{owner}: num_layers has value {num_layers}; a stack has at most {_MOST_LAYERS} layers.")


class Sequential(Layer):
    """Layers called one after the other.

    Args:
        layers: Layers, or (name, layer) tuples, or one OrderedDict of them.

    Example:
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(3, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 1))
        >>> model(paddle.ones([4, 3])).shape
        paddle.Size([4, 1])
        >>> type(model[1]).__name__
        'ReLU'
    """

    def __init__(self, *layers):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], dict):
            layers = tuple(layers[0].items())
        elif len(layers) == 1 and isinstance(layers[0], list):
            layers = tuple(layers[0])
        for i, item in enumerate(layers):
            if isinstance(item, (tuple, list)):
                self.add_sublayer(item[0], item[1])
            else:
                self.add_sublayer(str(i), item)

    def __getitem__(self, name):
        if isinstance(name, slice):
            return type(self)(*list(self._sub_layers.values())[name])
        if isinstance(name, str):
            return self._sub_layers[name]
        return list(self._sub_layers.values())[name]

    def __setitem__(self, key, layer):
        name = key if isinstance(key, str) else list(self._sub_layers)[key]
        self.add_sublayer(name, layer)

    def __delitem__(self, key):
        del self._sub_layers[key if isinstance(key, str) else list(self._sub_layers)[key]]

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers.values())

    def append(self, module):
        """Add a layer at the end."""
        self.add_sublayer(str(len(self)), module)
        return self

    def insert(self, index, module):
        """Put a layer before a position; layers get the names 0, 1, ..."""
        size = len(self)
        if not isinstance(module, Layer):
            raise AssertionError(f"insert: module has type {type(module).__name__}; pass a Layer.")
        if not -size <= index <= size:
            raise IndexError(f"insert: index {index} is out of range; there are {size} layers.")
        layers = list(self._sub_layers.values())
        layers.insert(index, module)
        self._sub_layers.clear()
        for n, layer in enumerate(layers):
            self.add_sublayer(str(n), layer)
        return self

    def extend(self, sequential):
        """Add the layers of another container at the end."""
        for layer in list(sequential):
            self.append(layer)
        return self

    def forward(self, input):
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


class LayerList(Layer):
    """A list of layers, whose parameters belong to the layer that holds it.

    Args:
        sublayers: The first layers; None for none.

    Raises:
        AssertionError: An entry is no Layer.

    Example:
        >>> layers = paddle.nn.LayerList([paddle.nn.Linear(2, 2)])
        >>> _ = layers.append(paddle.nn.ReLU())
        >>> len(layers), len(layers.parameters())
        (2, 2)
    """

    @aliases(modules="sublayers")
    def __init__(self, sublayers=None):
        super().__init__()
        if sublayers is not None and not hasattr(sublayers, "__iter__"):
            raise TypeError(f"LayerList: sublayers {shown(sublayers)}; pass a list of Layers.")
        for layer in () if sublayers is None else sublayers:
            self.append(layer)

    def _index(self, i):
        size = len(self)
        if not -size <= i < size:
            raise IndexError(f"LayerList: index {i} is out of range; there are {size} layers.")
        return i + size if i < 0 else i

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._sub_layers.values())[idx])
        return self._sub_layers[str(self._index(idx))]

    def __setitem__(self, i, layer):
        self.add_sublayer(str(self._index(i)), layer)

    def __delitem__(self, i):
        layers = list(self._sub_layers.values())
        del layers[i]
        self._replace(layers)

    def _replace(self, layers):
        self._sub_layers.clear()
        for n, layer in enumerate(layers):
            self.add_sublayer(str(n), layer)

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers.values())

    def __add__(self, other):
        """A list of the layers of both."""
        return type(self)([*self, *other])

    @aliases(module="sublayer")
    def append(self, sublayer):
        """Add a layer at the end.

        Args:
            sublayer: The Layer.

        Returns:
            The list.

        Example:
            >>> layers = paddle.nn.LayerList()
            >>> len(layers.append(paddle.nn.Linear(2, 2)))
            1
        """
        self.add_sublayer(str(len(self)), sublayer)
        return self

    @aliases(module="sublayer")
    def insert(self, index, sublayer):
        """Put a layer before a position.

        Args:
            index: The position, as of a list.
            sublayer: The Layer.
        """
        size = len(self)
        if not isinstance(index, int) or not -size <= index <= size:
            raise AssertionError(f"LayerList.insert: index has value {index}; it must be from {-size} to {size}.")
        layers = list(self._sub_layers.values())
        layers.insert(index, sublayer)
        self._replace(layers)

    @aliases(modules="sublayers")
    def extend(self, sublayers):
        """Add layers at the end.

        Args:
            sublayers: Layers, as a list or another iterable.

        Returns:
            The list.

        Example:
            >>> layers = paddle.nn.LayerList([paddle.nn.Linear(2, 2)])
            >>> len(layers.extend([paddle.nn.ReLU(), paddle.nn.Linear(2, 1)]))
            3
        """
        for layer in sublayers:
            self.append(layer)
        return self

    def pop(self, key):
        """Take the layer at a position out and return it."""
        layer = self[key]
        del self[key]
        return layer


class LayerDict(Layer):
    """A dict of layers, whose parameters belong to the layer that holds it.

    Args:
        sublayers: A dict, or pairs of names and layers; None for none.

    Example:
        >>> layers = paddle.nn.LayerDict({"act": paddle.nn.ReLU()})
        >>> "act" in layers, len(layers)
        (True, 1)
    """

    @aliases(modules="sublayers")
    def __init__(self, sublayers=None):
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key):
        return self._sub_layers[key]

    def __setitem__(self, key, layer):
        self.add_sublayer(key, layer)

    def __delitem__(self, key):
        del self._sub_layers[key]

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers)

    def __contains__(self, key):
        return key in self._sub_layers

    def clear(self):
        """Take all layers out."""
        self._sub_layers.clear()

    def pop(self, key):
        """Take a layer out and return it."""
        return self._sub_layers.pop(key)

    def keys(self):
        """The names."""
        return self._sub_layers.keys()

    def items(self):
        """Pairs of names and layers."""
        return self._sub_layers.items()

    def values(self):
        """The layers."""
        return self._sub_layers.values()

    @aliases(modules="sublayers")
    def update(self, sublayers):
        """Add layers, or put them in the places of those of the same names.

        Args:
            sublayers: A dict of names and layers, a LayerDict, or pairs.

        Example:
            >>> layers = paddle.nn.LayerDict({"a": paddle.nn.ReLU()})
            >>> layers.update({"b": paddle.nn.Tanh()})
            >>> list(layers.keys())
            ['a', 'b']
        """
        pairs = sublayers.items() if hasattr(sublayers, "items") else sublayers
        for name, layer in pairs:
            self.add_sublayer(name, layer)


class ParameterList(Layer):
    """A list of parameters, which belong to the layer that holds it.

    Args:
        parameters: The first parameters; None for none.

    Example:
        >>> weights = paddle.nn.ParameterList([paddle.create_parameter([2, 3], "float32")])
        >>> len(weights), weights[0].shape
        (1, paddle.Size([2, 3]))
    """

    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None and not hasattr(parameters, "__iter__"):
            raise TypeError(f"ParameterList: parameters {shown(parameters)}; pass a list of Parameters.")
        for p in () if parameters is None else parameters:
            if not isinstance(p, EagerParamBase):
                raise AssertionError(f"ParameterList: parameters has a {type(p).__name__}; pass Parameters.")
            self.append(p)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._parameters.values())[idx])
        return list(self._parameters.values())[idx]

    def __setitem__(self, key, param):
        if not isinstance(param, EagerParamBase):
            raise TypeError("ParameterList: the value must be a Parameter.")
        self._parameters[list(self._parameters)[key]] = param

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def append(self, parameter):
        """Add a parameter at the end.

        Args:
            parameter: The Parameter.

        Returns:
            The list.
        """
        self.add_parameter(str(len(self)), parameter)
        return self

    def extend(self, parameters):
        """Add parameters at the end."""
        for p in parameters:
            self.append(p)
        return self


class ParameterDict(Layer):
    """A dict of parameters, which belong to the layer that holds it.

    Args:
        parameters: A dict, or pairs of names and parameters; None for none.

    Example:
        >>> weights = paddle.nn.ParameterDict({"w": paddle.create_parameter([2, 3], "float32")})
        >>> weights["w"].shape
        paddle.Size([2, 3])
    """

    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return self._parameters[key]

    def __setitem__(self, key, param):
        self.add_parameter(key, param)

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters)

    def __contains__(self, key):
        return key in self._parameters

    def keys(self):
        """The names."""
        return self._parameters.keys()

    def items(self):
        """Pairs of names and parameters."""
        return self._parameters.items()

    def values(self):
        """The parameters."""
        return self._parameters.values()

    def update(self, parameters):
        """Add the parameters of a dict or of pairs."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for name, p in pairs:
            self.add_parameter(name, p)
