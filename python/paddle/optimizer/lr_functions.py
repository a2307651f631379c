# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The schedules as functions of PaddlePaddle 1.x: each gives the LRScheduler of its formula.

`decay_steps`, where the schedule has no such argument, and `staircase` are accepted: the rate changes with `step()`.
"""

from ..framework.modes import in_dynamic_mode

NAMES = (
    "cosine_decay",
    "exponential_decay",
    "inverse_time_decay",
    "linear_lr_warmup",
    "natural_exp_decay",
    "noam_decay",
    "piecewise_decay",
    "polynomial_decay",
)


def _schedule(function, kind, *args):
    from . import lr

    if not in_dynamic_mode():
        raise NotImplementedError(
            f"{function}: programs hold no count of their runs here; use paddle.optimizer.lr.{kind} and call step()."
        )
    return getattr(lr, kind)(*args)


def noam_decay(d_model, warmup_steps, learning_rate=1.0):
    """`NoamDecay`."""
    return _schedule("noam_decay", "NoamDecay", d_model, warmup_steps, learning_rate)


def exponential_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """`ExponentialDecay`."""
    return _schedule("exponential_decay", "ExponentialDecay", learning_rate, decay_rate)


def natural_exp_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """`NaturalExpDecay`."""
    return _schedule("natural_exp_decay", "NaturalExpDecay", learning_rate, decay_rate)


def inverse_time_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """`InverseTimeDecay`."""
    return _schedule("inverse_time_decay", "InverseTimeDecay", learning_rate, decay_rate)


def polynomial_decay(learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False):
    """`PolynomialDecay`."""
    args = learning_rate, decay_steps, end_learning_rate, power, cycle
    return _schedule("polynomial_decay", "PolynomialDecay", *args)


def piecewise_decay(boundaries, values):
    """`PiecewiseDecay`."""
    return _schedule("piecewise_decay", "PiecewiseDecay", boundaries, values)


def cosine_decay(learning_rate, step_each_epoch, epochs):
    """`CosineAnnealingDecay` with `epochs` as half of its period."""
    return _schedule("cosine_decay", "CosineAnnealingDecay", learning_rate, epochs)


def linear_lr_warmup(learning_rate, warmup_steps, start_lr, end_lr):
    """`LinearWarmup`."""
    return _schedule("linear_lr_warmup", "LinearWarmup", learning_rate, warmup_steps, start_lr, end_lr)
