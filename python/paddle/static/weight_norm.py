# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`WeightNormParamAttr`: weights as a direction times a length (Salimans and Kingma, 2016)."""

from ..framework.param_attr import ParamAttr
from ..nn.initializer import Initializer


class WeightNormParamAttr(ParamAttr):
    """Attributes of a weight w = g v / |v|; both v and g are learned, g beginning as |v|.

    Args:
        dim: The axis along which norms differ; None: one norm of all elements.
        name: Name of the weight; its direction and magnitude are `<name>_v` and `<name>_g`.
        initializer: That of v.
        learning_rate: Factor of the learning rate.
        regularizer: That of both.
        trainable: Whether they are learned.
        do_model_average: Whether averages of them are taken.
        need_clip: Whether their gradients are clipped.
    """

    params_with_weight_norm = []

    def __init__(
        self,
        dim=None,
        name=None,
        initializer=None,
        learning_rate=1.0,
        regularizer=None,
        trainable=True,
        do_model_average=False,
        need_clip=True,
    ):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip)
        self.dim = dim


def _norm(v, dim):
    axes = [i for i in range(v.ndim) if i != dim]
    return (v * v).sum(axes, keepdim=True).sqrt()


def weight_of(shape, dtype, attr, initializer, name, make):
    """The weight that a WeightNormParamAttr describes, as a value of the program that is recorded.

    Args:
        make: Function (shape, dtype, ParamAttr, initializer, name) that makes a parameter.
    """

    def part(suffix, extents, init):
        settings = (attr.learning_rate, attr.regularizer, attr.trainable, attr.do_model_average, attr.need_clip)
        return make(extents, dtype, ParamAttr(f"{name}{suffix}", init, *settings), initializer, f"{name}{suffix}")

    dim = attr.dim
    v = part("_v", shape, attr.initializer)
    lengths = [n if i == dim else 1 for i, n in enumerate(shape)]

    class Length(Initializer):
        """The norm of the direction."""

        def _values(self, shape, dtype):
            return _norm(v.detach(), dim)

    g = part("_g", lengths, Length())
    WeightNormParamAttr.params_with_weight_norm.append(v)
    return v * (g / _norm(v, dim))
