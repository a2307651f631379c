# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activation layers, each over the function of the same meaning."""

from .. import functional as F
from ..initializer import Constant
from .layers import Layer

__all__ = ["PReLU", "Softmax", "LogSoftmax", "GELU", "Silu", "SiLU"]


def _make(name, function, **defaults):
    """A layer class that calls `F.<function>` with its arguments."""
    names = tuple(defaults)

    def __init__(self, *args, **kwargs):
        Layer.__init__(self)
        kwargs.pop("name", None)
        values = dict(defaults)
        values.update(zip(names, args, strict=False))
        unknown = kwargs.keys() - values.keys()
        if unknown or len(args) > len(names) + 1:
            raise TypeError(f"{name}: unexpected argument {', '.join(sorted(unknown)) or args}.")
        values.update(kwargs)
        self.__dict__["_arguments"] = values
        for key, value in values.items():
            self.__dict__["_" + key] = value

    def forward(self, x):
        return getattr(F, function)(x, **self._arguments)

    def extra_repr(self):
        return ", ".join(f"{k}={v}" for k, v in self._arguments.items())

    made = type(
        name,
        (Layer,),
        {
            "__init__": __init__,
            "forward": forward,
            "extra_repr": extra_repr,
            "__module__": __name__,
            "__doc__": f"The layer form of `paddle.nn.functional.{function}`.",
        },
    )
    globals()[name] = made
    __all__.append(name)


for _name, _function, _defaults in (
    ("ReLU", "relu", {}),
    ("ReLU6", "relu6", {}),
    ("Sigmoid", "sigmoid", {}),
    ("Tanh", "tanh", {}),
    ("LogSigmoid", "log_sigmoid", {}),
    ("Hardswish", "hardswish", {}),
    ("Hardsigmoid", "hardsigmoid", {}),
    ("Mish", "mish", {}),
    ("Swish", "swish", {}),
    ("Softsign", "softsign", {}),
    ("Tanhshrink", "tanhshrink", {}),
    ("LeakyReLU", "leaky_relu", {"negative_slope": 0.01}),
    ("ELU", "elu", {"alpha": 1.0}),
    ("CELU", "celu", {"alpha": 1.0}),
    ("GLU", "glu", {"axis": -1}),
    ("SELU", "selu", {"scale": 1.0507009873554805, "alpha": 1.6732632423543772}),
    ("Softplus", "softplus", {"beta": 1, "threshold": 20}),
    ("Hardtanh", "hardtanh", {"min": -1.0, "max": 1.0}),
    ("Hardshrink", "hardshrink", {"threshold": 0.5}),
    ("Softshrink", "softshrink", {"threshold": 0.5}),
    ("ThresholdedReLU", "thresholded_relu", {"threshold": 1.0, "value": 0.0}),
):
    _make(_name, _function, **_defaults)


class GELU(Layer):
    """x * Phi(x); `approximate` takes the tanh form."""

    def __init__(self, approximate=False, name=None):
        super().__init__()
        self._approximate = approximate

    def forward(self, x):
        return F.gelu(x, self._approximate)

    def extra_repr(self):
        return f"approximate={self._approximate}"


class Silu(Layer):
    """x * sigmoid(x)."""

    def __init__(self, inplace=False, name=None):
        super().__init__()

    def forward(self, x):
        return F.silu(x)


SiLU = Silu


class Softmax(Layer):
    """exp(x) over its sum along an axis."""

    def __init__(self, axis=-1, name=None):
        super().__init__()
        self._axis, self._dtype_out = axis, None

    def forward(self, x):
        return F.softmax(x, self._axis)

    def extra_repr(self):
        return f"axis={self._axis}"


class LogSoftmax(Softmax):
    """The logarithm of softmax along an axis."""

    def forward(self, x):
        return F.log_softmax(x, self._axis)


class PReLU(Layer):
    """x where positive, else x times a learnt slope.

    Args:
        num_parameters: 1, or one slope per channel.
        init: First value of the slopes.
    """

    def __init__(self, num_parameters=1, init=0.25, weight_attr=None, data_format="NCHW", name=None):
        super().__init__()
        self._num_parameters, self._data_format = num_parameters, data_format
        self.weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x):
        return F.prelu(x, self.weight, self._data_format)

    def extra_repr(self):
        return f"num_parameters={self._num_parameters}, data_format={self._data_format}"
