# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Learning rates that change from step to step: variables of the program, which count its runs; in dynamic mode the objects
of `paddle.fluid.dygraph.learning_rate_scheduler`."""

import math

from ... import _core
from ...framework.modes import in_dynamic_mode
from .with_parameters import autoincreased_step_counter

ops = _core.ops


def _eager(name, *args):
    from ..dygraph import learning_rate_scheduler

    return getattr(learning_rate_scheduler, name)(*args)


def _decay_step_counter(begin=0):
    """The number of the run as a float32 variable of shape [1]."""
    return ops.cast(autoincreased_step_counter("@LR_DECAY_COUNTER@", begin), _core.float32)


def _parts(decay_steps, staircase):
    parts = _decay_step_counter() / float(decay_steps)
    return ops.floor(parts) if staircase else parts


def noam_decay(d_model, warmup_steps, learning_rate=1.0):
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5) (Vaswani and others, 2017)."""
    if in_dynamic_mode():
        return _eager("NoamDecay", d_model, warmup_steps, 1, 1, "float32", learning_rate)
    step = _decay_step_counter(1)
    return ops.minimum(step**-0.5, step * float(warmup_steps) ** -1.5) * (float(learning_rate) * d_model**-0.5)


def exponential_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * decay_rate ** (step / decay_steps); with `staircase` of the whole part.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> main, start = fluid.Program(), fluid.Program()
        >>> with fluid.program_guard(main, start):
        ...     rate = fluid.layers.exponential_decay(0.5, 1, 0.5)
        >>> exe = fluid.Executor()
        >>> _ = exe.run(start)
        >>> [exe.run(main, fetch_list=[rate])[0].tolist() for _ in range(2)]
        [[0.5], [0.25]]
        >>> paddle.disable_static()
    """
    if in_dynamic_mode():
        return _eager("ExponentialDecay", learning_rate, decay_steps, decay_rate, staircase)
    parts = _parts(decay_steps, staircase)
    return ops.exp(parts * math.log(decay_rate)) * float(learning_rate)


def natural_exp_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * exp(-decay_rate * step / decay_steps)."""
    if in_dynamic_mode():
        return _eager("NaturalExpDecay", learning_rate, decay_steps, decay_rate, staircase)
    return ops.exp(_parts(decay_steps, staircase) * -float(decay_rate)) * float(learning_rate)


def inverse_time_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate / (1 + decay_rate * step / decay_steps)."""
    if in_dynamic_mode():
        return _eager("InverseTimeDecay", learning_rate, decay_steps, decay_rate, staircase)
    return float(learning_rate) / (_parts(decay_steps, staircase) * float(decay_rate) + 1.0)


def polynomial_decay(learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False):
    """(learning_rate - end) * (1 - step / decay_steps) ** power + end; with `cycle` again and again, ever longer."""
    if in_dynamic_mode():
        return _eager("PolynomialDecay", learning_rate, decay_steps, end_learning_rate, power, cycle)
    step = _decay_step_counter()
    if cycle:
        rounds = ops.maximum(ops.ceil(step / float(decay_steps)), ops.full([1], 1.0, _core.float32))
        share = step / (rounds * float(decay_steps))
    else:
        share = ops.minimum(step, ops.full([1], float(decay_steps), _core.float32)) / float(decay_steps)
    return (1.0 - share) ** power * float(learning_rate - end_learning_rate) + float(end_learning_rate)


def piecewise_decay(boundaries, values):
    """values[i] before the step boundaries[i], the last value behind the last of them."""
    if len(values) != len(boundaries) + 1:
        raise ValueError(
            f"piecewise_decay: values has {len(values)} entries for {len(boundaries)} boundaries; it must have one more."
        )
    if in_dynamic_mode():
        return _eager("PiecewiseDecay", boundaries, values, 0)
    step = _decay_step_counter()
    rate = ops.full([1], float(values[-1]), _core.float32)
    for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
        rate = ops.where(step < float(boundary), ops.full([1], float(value), _core.float32), rate)
    return rate


def cosine_decay(learning_rate, step_each_epoch, epochs):
    """learning_rate * (cos(epoch * pi / epochs) + 1) / 2, where epoch is step // step_each_epoch."""
    if in_dynamic_mode():
        return _eager("CosineDecay", learning_rate, step_each_epoch, epochs)
    epoch = ops.floor(_decay_step_counter() / float(step_each_epoch))
    return (ops.cos(epoch * (math.pi / epochs)) + 1.0) * (0.5 * learning_rate)


def linear_lr_warmup(learning_rate, warmup_steps, start_lr, end_lr):
    """From start_lr to end_lr in `warmup_steps` steps along a line, then `learning_rate`, a number or a variable."""
    if in_dynamic_mode():
        return _eager("LinearLrWarmup", learning_rate, warmup_steps, start_lr, end_lr)
    step = _decay_step_counter()
    line = step * (float(end_lr - start_lr) / float(warmup_steps)) + float(start_lr)
    later = learning_rate
    if not isinstance(later, _core.Tensor):
        later = ops.full([1], float(learning_rate), _core.float32)
    return ops.where(step < float(warmup_steps), line, later)


__all__ = (
    "cosine_decay exponential_decay inverse_time_decay linear_lr_warmup natural_exp_decay noam_decay piecewise_decay "
    "polynomial_decay"
).split()
