# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Factories: a class of quanters with its arguments, of which every layer gets an instance."""

import abc
import inspect
import sys


class ClassWithArguments(metaclass=abc.ABCMeta):
    """Arguments kept for a class that is instantiated later."""

    def __init__(self, *args, **kwargs):
        self._args = args
        self._kwargs = kwargs

    @property
    def args(self):
        """Positional arguments."""
        return self._args

    @property
    def kwargs(self):
        """Keyword arguments."""
        return self._kwargs

    @abc.abstractmethod
    def _get_class(self):
        """The class to instantiate."""

    def __str__(self):
        arguments = [str(value) for value in self._args] + [f"{name}={value}" for name, value in self._kwargs.items()]
        return f"{type(self).__name__}({','.join(arguments)})"

    __repr__ = __str__


class QuanterFactory(ClassWithArguments):
    """Makes one quanter a layer, all with the same arguments."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def _instance(self, layer):
        """A quanter for `layer`."""
        return self._get_class()(layer, *self._args, **self._kwargs)


ObserverFactory = QuanterFactory


def quanter(class_name):
    """Class decorator: puts a factory named `class_name` beside a `BaseQuanter`.

    Args:
        class_name: Name of the factory in the module of the decorated class.

    Example:
        >>> import paddle
        >>> from paddle.quantization import BaseQuanter, quanter
        >>> @quanter("Passing")
        ... class PassingLayer(BaseQuanter):
        ...     def __init__(self, layer, bits=8):
        ...         super().__init__()
        ...         self.bits = bits
        ...     def forward(self, input):
        ...         return input
        ...     def scales(self):
        ...         return None
        ...     def zero_points(self):
        ...         return None
        ...     def quant_axis(self):
        ...         return -1
        ...     def bit_length(self):
        ...         return self.bits
        >>> print(Passing(bits=4))
        Passing(bits=4)
    """

    def decorate(target):
        parameters = list(inspect.signature(target.__init__).parameters.values())
        kept = [parameters[0], *parameters[2:]]  # without the layer

        def __init__(self, *args, **kwargs):
            QuanterFactory.__init__(self, *args, **kwargs)

        __init__.__signature__ = inspect.Signature(kept)
        body = {
            "__init__": __init__,
            "__doc__": target.__doc__,
            "__module__": target.__module__,
            "_get_class": lambda self: target,
        }
        factory = type(QuanterFactory)(class_name, (QuanterFactory,), body)
        namespace = sys._getframe(1).f_globals
        namespace[class_name] = factory
        if "__all__" in namespace and class_name not in namespace["__all__"]:
            namespace["__all__"].append(class_name)
        return target

    return decorate
