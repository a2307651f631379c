# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization whose steps are trained (LSQ: Esser et al. 2020, arXiv:1902.08153; LSQ+: Bhalgat et al. 2020,
arXiv:2004.09576): x = round(clip((x - beta) / s, low, high)) * s + beta. Rounding passes gradients on as they are."""

import math

from ... import tensor
from ...framework.modes import no_grad
from ..initializer import Constant
from ..layer.layers import Layer


def _codes(bits, all_positive):
    """The lowest and the highest code of that many bits."""
    return (0, 2**bits - 1) if all_positive else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _scaled_gradient(x, factor):
    """x, with its gradient times `factor`."""
    return x * factor + (x * (1 - factor)).detach()


def _nearest(x, step, low, high):
    """x as the nearest multiple of `step` between `low` and `high` steps represents it."""
    ratio = x / step
    return tensor.clip(ratio + (tensor.round(ratio) - ratio).detach(), low, high) * step


class _LearnedSteps(Layer):
    """What the quanters of weights and of activations share: their codes, and how long steps follow the data."""

    def __init__(self, quant_bits, all_positive, batch_init, dtype):
        super().__init__(dtype=dtype)
        if not 2 <= quant_bits <= 16:
            raise ValueError(f"{type(self).__name__}: quant_bits has value {quant_bits}; it must be 2 to 16.")
        self.bits, self.all_positive, self.batch_init = quant_bits, all_positive, batch_init
        self.Qn, self.Qp = _codes(quant_bits, all_positive)
        self.init_state = 0

    def _trained(self, shape, value):
        return self.create_parameter(shape, dtype=self._dtype, default_initializer=Constant(value))

    def _follow(self, parameter, found):
        """The first found value is taken, later ones enter a running average."""
        kept = found if self.init_state == 0 else parameter * 0.9 + found * 0.1
        parameter.set_value(kept.reshape(parameter.shape).astype(parameter.dtype))


class FakeQuantActLSQPlus(_LearnedSteps):
    """Activations as codes represent them, with a step `s` and an offset `beta` that are trained.

    Args:
        quant_bits: Bits of a code, 2 to 16.
        all_positive: Whether codes begin at 0.
        symmetric: Whether there is no offset.
        batch_init: How many calls step and offset follow the extremes of the input.
        dtype: dtype of both.
        name: Prefix of their names.
        reduce_type: Unused on one process.

    Example:
        >>> from paddle.nn.quant.lsq import FakeQuantActLSQPlus
        >>> FakeQuantActLSQPlus(2, batch_init=1)(paddle.to_tensor([0.0, 0.9, 2.2, 3.0])).tolist()
        [0.0, 1.0, 2.0, 3.0]
    """

    def __init__(
        self,
        quant_bits,
        all_positive=False,
        symmetric=False,
        batch_init=20,
        dtype="float32",
        name=None,
        reduce_type=None,
    ):
        super().__init__(quant_bits, all_positive, batch_init, dtype)
        self.symmetric = symmetric
        self.s = self._trained([], 1.0)
        if not symmetric:
            self.beta = self._trained([], 0.0)
        for key in ("s",) if symmetric else ("s", "beta"):
            if name is not None:
                getattr(self, key).name = f"{name}.{'scale' if key == 's' else key}"

    def forward(self, activation):
        """The input, of any shape, as its codes represent it."""
        if self.init_state < self.batch_init and activation.size:
            with no_grad():
                low, high = activation.min(), activation.max()
                self._follow(self.s, (high - low) / (self.Qp - self.Qn))
                if not self.symmetric:
                    self._follow(self.beta, low - self.s * self.Qn)
            self.init_state += 1
        factor = 1 / math.sqrt(max(activation.size, 1) * self.Qp)
        step = _scaled_gradient(self.s, factor).astype(activation.dtype)
        if self.symmetric:
            return _nearest(activation, step, self.Qn, self.Qp)
        offset = _scaled_gradient(self.beta, factor).astype(activation.dtype)
        return _nearest(activation - offset, step, self.Qn, self.Qp) + offset


class FakeQuantWeightLSQPlus(_LearnedSteps):
    """Weights as codes represent them, with a step `s`, or one a channel, that is trained. It begins as
    max(|mean - 3 std|, |mean + 3 std|) / (2^bits - 1).

    Args:
        quant_bits: Bits of a code, 2 to 16.
        all_positive: Whether codes begin at 0.
        per_channel: Whether each channel has its step.
        batch_init: How many calls the step follows the weight.
        channel_num: How many channels there are; needed with `per_channel`.
        quant_linear: Whether channels are the columns, as in Linear, and not the first axis, as in Conv2D.
        dtype: dtype of the step.
        name: Prefix of its name.
        reduce_type: Unused on one process.

    Example:
        >>> from paddle.nn.quant.lsq import FakeQuantWeightLSQPlus
        >>> FakeQuantWeightLSQPlus(4, per_channel=True, channel_num=3)(paddle.ones([3, 2])).shape
        paddle.Size([3, 2])
    """

    def __init__(
        self,
        quant_bits,
        all_positive=False,
        per_channel=False,
        batch_init=20,
        channel_num=None,
        quant_linear=False,
        dtype="float32",
        name=None,
        reduce_type=None,
    ):
        super().__init__(quant_bits, all_positive, batch_init, dtype)
        if per_channel and channel_num is None:
            raise ValueError("FakeQuantWeightLSQPlus: channel_num is None; with per_channel=True pass their number.")
        self.per_channel, self.quant_linear = per_channel, quant_linear
        self.quant_axis, self.collect_axis = (1, 0) if quant_linear else (0, 1)
        self.s = self._trained([channel_num if per_channel else 1], 1.0)
        if name is not None:
            self.s.name = f"{name}.scale"

    def forward(self, weight):
        """The weight, of any shape with the channels on their axis, as its codes represent it."""
        others = [axis for axis in range(weight.ndim) if not self.per_channel or axis != self.quant_axis]
        if self.init_state < self.batch_init and weight.size:
            with no_grad():
                mean, spread = weight.mean(others), 3 * weight.std(others)
                reach = tensor.maximum((mean - spread).abs(), (mean + spread).abs())
                self._follow(self.s, reach / (2**self.bits - 1))
            self.init_state += 1
        step = _scaled_gradient(self.s, 1 / math.sqrt(max(weight.size, 1) * self.Qp)).astype(weight.dtype)
        shape = [1] * weight.ndim
        if self.per_channel:
            shape[self.quant_axis] = -1
        return _nearest(weight, step.reshape(shape), self.Qn, self.Qp)
